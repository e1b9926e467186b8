import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris

from atomlearn import AlgebraicClassifier


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
def mixed():
    """Numbers, text, truth values, declared categories, missing values; what decides is known."""
    rng = np.random.default_rng(1)
    n = 120
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "smoker": rng.random(n) < 0.5,
            "rooms": pd.array(rng.integers(1, 5, n), dtype="Int64"),
            "code": pd.Categorical(rng.integers(3, size=n)),
            "note": pd.Series(rng.choice(["a", "b"], n), dtype="string"),
        }
    )
    y = np.where((frame["colour"] == "red") | frame["smoker"], "yes", "no")
    frame.loc[3, "rooms"] = pd.NA
    frame.loc[4, "size"] = np.nan
    frame.loc[5, "note"] = pd.NA
    return frame, y
