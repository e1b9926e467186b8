import numpy as np

from atomlearn import AlgebraicClassifier
from atomlearn.training import data
from atomlearn.training.data import FOLDS, NEVER, Examples, deal, folds_for


def test_one_fold_of_a_huge_set_is_a_fifth_of_each_class_and_the_rest_is_never_held_out():
    labels = np.repeat([0, 1], [500, 50])
    rows = np.zeros((1, 550, 1), dtype=np.uint64)
    dealt = deal(Examples(rows, labels, np.ones(550), 3, 2), 1, np.random.default_rng(0))
    assert set(dealt.fold) == {0, NEVER}
    assert np.bincount(dealt.label[dealt.fold == 0]).tolist() == [100, 10]


def test_a_single_fold_never_holds_out_all_of_a_row_that_recurs():
    """Otherwise a tenth of the rows, all alike, would be judged as if none had ever been seen."""
    weights = np.where(np.arange(100) == 7, 1000.0, 1.0)
    rows, labels = np.zeros((1, 100, 1), dtype=np.uint64), np.arange(100) % 2
    examples = Examples(rows, labels, weights, 3, 2)
    dealt = deal(examples, 1, np.random.default_rng(0))
    ours = dealt.example == 7
    assert sorted(dealt.fold[ours]) == [NEVER] * 4 + [0]
    assert dealt.weight[ours].tolist() == [200.0] * 5
    assert dealt.learned(0, examples)[7]


def test_the_number_of_folds_falls_with_the_rows():
    few, many = FOLDS
    assert [folds_for(n, 2) for n in (few, few + 1, many, many + 1)] == [5, 3, 3, 1]


def test_a_single_fold_measures_a_compact_model_too(monkeypatch):
    monkeypatch.setattr(data, "FOLDS", {})
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    model = AlgebraicClassifier(random_state=0, max_atoms=5, max_epochs=20).fit(X, X[:, 0] > 0.5)
    assert abs(len(model.learned_.held_out) - 80) <= 4  # rows that recur are held out and learned
    assert model.estimated_error_ < 0.1
