"""Files of earlier versions are read: each folder was written by the version that it names."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

import atomlearn

FILES = Path(__file__).parent / "written_by_0_1"
LATER = Path(__file__).parent / "written_by_0_2"
COMPACT = Path(__file__).parent / "written_by_0_3"


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


def test_a_classifier_that_weighted_atoms_decide():
    X, _ = load_iris(return_X_y=True)
    classifier = atomlearn.load(LATER / "classifier.atoms")
    assert classifier.evidence_.chosen == "weighted"
    assert not any(map(len, classifier.learned_.pools))  # the file repeats weighted atoms there
    assert classifier.predict_proba(X)[::40].round(4).tolist() == [
        [0.9938, 0.0038, 0.0024],
        [0.9938, 0.0038, 0.0024],
        [0.0051, 0.9869, 0.0081],
        [0.0034, 0.0077, 0.9889],
    ]
    assert len(classifier.definition(1).clauses) > 1


def test_a_classifier_that_a_scorecard_decides():
    X, _ = load_iris(return_X_y=True)
    classifier = atomlearn.load(COMPACT / "classifier.atoms")
    assert classifier.scorecard().to_csv().splitlines() == [
        "rule,0,1,2",
        "(offset),2.8,-0.9,-1.9",
        "(scale),1.19",
        "x2 > 2.5,-5,1,0",
        "x3 > 1.65,0,-1,3",
        "x2 > 4.95,0,0,2",
        "x2 > 2.5 and x2 ≤ 4.75,0,2,0",
    ]
    assert classifier.predict_proba(X)[::40].round(4).tolist() == [
        [0.9843, 0.012, 0.0037],
        [0.9843, 0.012, 0.0037],
        [0.0059, 0.9856, 0.0084],
        [0.0018, 0.0085, 0.9897],
    ]
