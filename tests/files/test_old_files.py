"""Files that 0.1 wrote are read: ``written_by_0_1`` was made by the tree before 0.2 began."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

import atomlearn

FILES = Path(__file__).parent / "written_by_0_1"


def test_a_model():
    model = atomlearn.load(FILES / "model.atoms")
    assert sorted(sorted(atom.constants) for atom in model.atoms) == [
        ["c1"],
        ["c2"],
        ["c3", "c8", "v"],
    ]


def test_a_classifier():
    iris = load_iris(as_frame=True)
    X = iris.data[::2].assign(colour=np.where(np.arange(75) % 3 == 0, "red", "blue"))
    classifier = atomlearn.load(FILES / "classifier.atoms")
    assert (classifier.predict(X) == iris.target_names[iris.target][::2]).all()
    assert classifier.predict_proba(X)[::15].round(4).tolist() == [
        [0.9889, 0.0094, 0.0017],
        [0.9545, 0.0419, 0.0036],
        [0.0013, 0.9927, 0.0060],
        [0.0002, 0.9992, 0.0006],
        [0.0006, 0.0001, 0.9993],
    ]
