"""A column of whole numbers that name the rows is warned about, and one of measurements is not."""

import warnings

import numpy as np
import pandas as pd
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.tables.encoder import is_identifier

GIVEN_OUT = {
    "consecutive": lambda rng, n: 1 + rng.permutation(n),
    "in steps of ten": lambda rng, n: 10 * rng.permutation(n),
    "some of many": lambda rng, n: rng.choice(3 * n, n, replace=False),
    "beyond a million": lambda rng, n: 10**6 + rng.choice(2 * n, n, replace=False),
    "one row twice": lambda rng, n: np.append(np.arange(n - 1), 5),
}
MEASURED = {
    "ages": lambda rng, n: rng.integers(0, 100, n),
    "cents": lambda rng, n: np.round(rng.lognormal(8, 1, n)),
    "salaries": lambda rng, n: np.round(rng.lognormal(10.5, 0.5, n)),
    "grams": lambda rng, n: np.round(rng.normal(70_000, 9_000, n)),
    "populations": lambda rng, n: np.round(rng.lognormal(11, 2, n)),
    "evenly from ten thousand": lambda rng, n: rng.integers(0, 10**4, n),
    "evenly from a million": lambda rng, n: rng.integers(0, 10**6, n),
    "fractions": lambda rng, n: rng.permutation(n) / 7,
}


@pytest.mark.parametrize("n", [150, 1000, 20_000])
def test_told_by_how_seldom_they_repeat(n):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        for kind, draw in GIVEN_OUT.items():
            assert is_identifier(draw(rng, n).astype(float)), kind
        for kind, draw in MEASURED.items():
            assert not is_identifier(draw(rng, n).astype(float)), kind


def test_told_by_the_name():
    many = np.random.default_rng(0).choice(10**12, 500, replace=False).astype(float)
    for name in ("id", "customer_id", "Order ID", "userId", "row key"):
        assert is_identifier(many, name), name
    for name in ("", "paid", "grid", "humid", "idle", "monkey", "size"):
        assert not is_identifier(many, name), name
    assert not is_identifier(np.round(many / 1e10), "id")  # they repeat


@pytest.mark.parametrize(
    "values", [np.arange(50.0), np.r_[np.nan, np.arange(200)], np.r_[np.inf, np.arange(200)]]
)
def test_too_few_rows_or_values_that_no_identifier_has(values):
    assert not is_identifier(values, "id")


def test_fit_warns_once_and_learns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"number": np.arange(200), "size": rng.normal(size=200)})
    labels = frame["size"] > 0
    with pytest.warns(UserWarning, match="column 'number' has a different whole number") as told:
        AlgebraicClassifier(random_state=0, max_epochs=2).fit(frame, labels)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AlgebraicClassifier(random_state=0, max_epochs=2).fit(frame[["size"]], labels)


def test_the_command_says_so(typed, tmp_path):
    rows = "".join(f"{i},{i % 7},{'ab'[i % 7 > 3]}\n" for i in range(150))
    (tmp_path / "t.csv").write_text("order,size,kind\n" + rows)
    code, _, err = typed("fit", "t.csv", "-t", "kind", "-o", "m.aml", "-q", "--max-epochs", "2")
    assert code == 0 and "column 'order' has a different whole number in every row" in err
