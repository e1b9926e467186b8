import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris

from atomlearn import AlgebraicClassifier
from atomlearn.training.scores import Evidence


@pytest.fixture(scope="session")
def iris():
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="session")
def digits():
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    return X[order], y[order]


@pytest.fixture(scope="session")
def fitted(iris):
    return AlgebraicClassifier(random_state=0, max_epochs=30).fit(*iris)


@pytest.fixture(scope="session")
def noisy():
    """Three classes that overlap, in a frame."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 4)), columns=["width", "height", "depth", "noise"])
    frame["colour"] = rng.choice(["red", "green", "blue"], 300)
    frame.loc[::29, "depth"] = np.nan
    score = frame["width"] + (frame["colour"] == "red") + 0.7 * rng.normal(size=300)
    return frame, np.digitize(score, [-0.2, 0.8])


@pytest.fixture(scope="session")
def by_evidence(noisy):
    """Classifiers of the same rows that are decided by strict atoms, by weighted ones, by both."""
    made = {
        kind: AlgebraicClassifier(
            random_state=0, max_epochs=10, evidence=kind, class_weight={0: 1, 1: 2, 2: 1}
        ).fit(*noisy)
        for kind in ("strict", "weighted")
    }
    both, weighted = copy.deepcopy(made["strict"]), made["weighted"].learned_
    unseen = replace(both.learned_.held_out, weighted=weighted.held_out.weighted)
    evidence = Evidence("both", {"both": 0.5}, {"both": 0.2}, 0.6, 0.5)
    both.learned_ = replace(
        both.learned_, weighted=weighted.weighted, evidence=evidence, held_out=unseen
    )
    both.evidence_, both.estimated_error_ = evidence, 0.2
    return {**made, "both": both}
