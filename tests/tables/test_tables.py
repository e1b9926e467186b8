"""Whatever a table holds is learned from, or refused with a message that says why."""

import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from atomlearn import AlgebraicClassifier, LiteralEncoder
from atomlearn.errors import InvalidTable, NotEnoughMemory
from atomlearn.tables import training_rows
from atomlearn.tables.files import read_table
from atomlearn.tables.literals import Literal


def learn(X, y, **parameters):
    return AlgebraicClassifier(random_state=0, max_epochs=12, **parameters).fit(X, y)


def names(X, **parameters):
    return LiteralEncoder(**parameters).fit(X).get_feature_names_out().tolist()


def test_every_kind_of_column(mixed):
    X, y = mixed
    classifier = learn(X, y)
    assert set(classifier.predict(X)) == {"no", "yes"}
    shown = classifier.encoder_.get_feature_names_out().tolist()
    assert {"colour = red", "smoker = True", "size is missing", "code = 0", "note = a"} <= set(
        shown
    )
    assert any(name.startswith("rooms > ") for name in shown)


def test_polars_and_pandas_give_the_same_model(mixed):
    X, y = mixed
    plain = X[["size", "colour", "smoker"]]
    frame = pl.DataFrame(
        {
            "size": [None if np.isnan(v) else v for v in plain["size"]],
            "colour": plain["colour"].tolist(),
            "smoker": plain["smoker"].tolist(),
        }
    ).with_columns(pl.col("colour").cast(pl.Categorical))
    one, two = learn(plain, y), learn(frame, pl.Series(y.tolist()))
    assert two.feature_names_in_.tolist() == ["size", "colour", "smoker"]
    assert (one.misses(plain) == two.misses(frame)).all()


def test_sparse_and_dense_give_the_same_model():
    X = sparse.random(80, 30, 0.2, random_state=0, format="csr")
    y = np.asarray(X[:, :5].sum(axis=1)).ravel() > 0.3
    assert (learn(X, y).misses(X) == learn(X.toarray(), y).misses(X.toarray())).all()


def test_columns_that_tell_nothing_cost_nothing():
    x = np.arange(8.0)
    X = np.column_stack([x, np.ones(8), x, np.full(8, np.nan)])
    encoder = LiteralEncoder().fit(X)
    assert {literal.column for literal in encoder.literals_} == {0}
    assert encoder.transform(np.array([[3.0, 5, 9, 7]])).shape == (1, 14)


def test_all_columns_constant():
    classifier = learn(np.ones((6, 2)), [0, 0, 0, 0, 1, 1])
    assert classifier.predict(np.zeros((2, 2))).tolist() == [0, 0]
    assert len(classifier.conflicts_) == 1


def test_a_category_never_seen_is_none_of_those_that_were():
    encoder = LiteralEncoder().fit(pd.DataFrame({"c": ["a", "b", "c", None]}))
    literals = encoder.get_feature_names_out().tolist()
    seen = encoder.transform(pd.DataFrame({"c": ["zz", None]}))
    true = [{n for n, bit in zip(literals, row, strict=True) if bit} for row in seen]
    assert true == [{"c ≠ a", "c ≠ b", "c ≠ c", "c is known"}, {"c is missing"}]


def test_too_many_categories_are_cut_with_a_message():
    often = [f"x{i}" for i in range(256)]
    X = pd.DataFrame({"id": [*often, *often, *map(str, range(20))]})
    with pytest.warns(UserWarning, match="'id' has 276 different values; only the 256 most"):
        encoder = LiteralEncoder().fit(X)
    assert set(encoder.columns_[0].categories) == set(often)


def test_a_table_that_is_encoded_in_parts():
    """Of 4,000 literals 8,388 rows are unpacked at a time."""
    x = np.random.default_rng(0).random((10_000, 1))
    encoder = LiteralEncoder(max_cuts=2000).fit(x)
    above = x > np.array(encoder.columns_[0].cuts)
    assert above.shape == (10_000, 2000)
    assert (encoder.transform(x) == np.stack([above, ~above], axis=2).reshape(10_000, 4000)).all()


def test_objects_of_mixed_types_are_categories():
    X = np.array([[1, "a"], ["x", 2.5], [None, True], [3, "a"]] * 5, dtype=object)
    assert learn(X, [0, 1, 0, 1] * 5).score(X, [0, 1, 0, 1] * 5) == 1.0


@pytest.mark.parametrize(
    ("X", "says"),
    [
        (np.array([[[1], 2], [None, 3]], dtype=object), "'x0' holds a list"),
        (pd.DataFrame({"d": pd.date_range("2020", periods=2)}), "'d' holds dates"),
        (pd.DataFrame({"d": pd.date_range("2020", periods=2), "a": [1, 2]}), "'d' holds dates"),
        (np.array([[np.inf], [1.0]]), "infinity"),
    ],
)
def test_values_that_cannot_be_read(X, says):
    with pytest.raises(ValueError, match=says):
        learn(X, [0, 1])


def test_text_where_numbers_were():
    classifier = learn([[1.0], [2.0], [3.0]], [0, 1, 1])
    with pytest.raises(ValueError, match=r"column 'x0' held numbers .* 'a'"):
        classifier.predict(np.array([["a"]], dtype=object))


@pytest.mark.slow
def test_ten_thousand_columns():
    rng = np.random.default_rng(0)
    X = rng.random((40, 10_000)) < 0.5
    classifier = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, X[:, 7])
    assert len(classifier.encoder_.literals_) == 20_000
    assert classifier.predict(X).shape == (40,)


def test_cuts_lie_between_values_and_weights_are_repetitions():
    X = np.array([[0.0], [1.0], [1.0], [5.0]])
    assert names(X) == ["x0 > 0", "x0 ≤ 0", "x0 > 2", "x0 ≤ 2"]
    repeated = LiteralEncoder(max_cuts=1).fit(np.repeat(X, [1, 1, 1, 4], axis=0))
    weighted = LiteralEncoder(max_cuts=1).fit(X, sample_weight=[1, 1, 1, 4])
    assert repeated.literals_ == weighted.literals_
    with pytest.raises(ValueError, match="max_cuts"):
        names(X, max_cuts=0)


def test_what_a_literal_implies():
    def lit(operator, value, column=0):
        return Literal(column, "x", operator, value)

    assert lit(">", 3.0).implies(lit(">", 2.0)) and not lit(">", 2.0).implies(lit(">", 3.0))
    assert lit("<=", 1.0).implies(lit("<=", 2.0)) and not lit(">", 1.0).implies(lit("<=", 2.0))
    assert lit("=", "a").implies(lit("!=", "b")) and not lit("=", "a").implies(lit("!=", "a"))
    assert lit(">", 1.0).implies(lit("present", None))
    assert not lit("missing", None).implies(lit("present", None))
    assert not lit(">", 3.0).implies(lit(">", 2.0, column=1))


def test_categories_beside_booleans():
    rng = np.random.default_rng(0)
    colour, smoker = rng.choice(["red", "blue"], 80), rng.random(80) > 0.5
    frame = pd.DataFrame({"x": rng.random(80), "colour": colour, "smoker": smoker})
    declared = frame.astype({"colour": "category"})
    y = (colour == "red") & smoker
    fitted = AlgebraicClassifier(random_state=0, max_epochs=5).fit(declared, y)
    assert (fitted.predict(declared) == fitted.predict(frame)).all()
    assert "colour = red" in str(fitted.definition(True))


@pytest.mark.parametrize("dtype", ["Int32", "UInt8", "Float64", "boolean"])
@pytest.mark.parametrize("kind", ["category", "object", "str"])
def test_numbers_that_may_be_missing_stand_beside_text(dtype, kind):
    """scikit-learn looks for a common type of both, and would make numbers of text."""
    values = [0, 1, None, 0] * 20
    frame = pd.DataFrame({"a": pd.array(values, dtype=dtype), "b": ["x", "y"] * 40})
    frame["b"] = frame["b"].astype(kind)
    y = np.arange(80) % 4 == 1
    fitted = AlgebraicClassifier(max_epochs=5, random_state=0).fit(frame, y)
    assert (fitted.predict(frame) == y).all()
    assert "a is missing" in fitted.encoder_.get_feature_names_out()


def test_a_table_of_very_many_columns_is_read_in_proportion(tmp_path):
    path, n = tmp_path / "wide.csv", 40_000
    path.write_text(",".join(f"c{i}" for i in range(n)) + "\n" + ",".join("1" * n) + "\n")
    start = time.monotonic()
    assert len(read_table(path).columns) == n
    assert time.monotonic() - start < 10  # a tenth of a second; it was minutes


def test_declared_categories_that_are_large_integers_keep_their_digits():
    ids = [10**18, 10**18 + 1, None] * 4
    X = pd.DataFrame({"id": pd.Categorical(pd.array(ids, dtype="Int64"))})
    encoder = LiteralEncoder().fit(X)
    assert encoder.columns_[0].categories == (10**18, 10**18 + 1)
    assert len({tuple(row) for row in encoder.transform(X[:3]).tolist()}) == 3


def test_scalars_of_numpy_are_plain_categories():
    cells = [np.str_("red"), np.int64(3), np.float64(2.5), np.bool_(True), "red"] * 4
    (column,) = LiteralEncoder().fit([{"v": cell} for cell in cells]).columns_
    assert {repr(one) for one in column.categories} == {"'red'", "3", "2.5", "True"}
    written = {literal.to_python() for literal in column.literals()}
    assert "row['v'] == True" in written and not any("np." in one for one in written)


def test_a_sound_table_of_numbers_is_taken_as_it_is_and_any_other_is_examined():
    """Rows to predict: the short way and the long one give the same rows, and the same errors."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    encoder = LiteralEncoder().fit(frame)
    for X in (
        frame,
        frame.astype(np.float32).astype(np.float64),
        frame.assign(b=frame.b.to_numpy()),
    ):
        mixed = X.astype({"a": object})  # examined
        assert np.array_equal(encoder.transform(X), encoder.transform(mixed))
    missing = frame.assign(b=np.nan)
    assert encoder.transform(missing).shape == encoder.transform(frame).shape
    unsound = (frame.assign(b=np.inf), frame[["b", "a", "c"]], frame.drop(columns="c"), frame[:0])
    for X in unsound:
        with pytest.raises(InvalidTable):
            encoder.transform(X)
    unnamed = LiteralEncoder().fit(frame.to_numpy())
    assert np.array_equal(unnamed.transform(frame.to_numpy()), encoder.transform(frame))
    for X in (frame.to_numpy()[:, :2], np.full((2, 3), np.inf), frame.to_numpy()[:0]):
        with pytest.raises(InvalidTable):
            unnamed.transform(X)


def test_a_table_that_memory_cannot_hold_is_refused_before_it_is_packed(monkeypatch):
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    monkeypatch.setattr(training_rows, "available_memory", lambda: 500)
    monkeypatch.setattr(LiteralEncoder, "pack", lambda *_, **__: pytest.fail("it was packed"))
    with pytest.raises(NotEnoughMemory, match=r"60 rows of .* literals .*fit_batches"):
        AlgebraicClassifier().fit(X, y)
    for free in (10**9, None):  # enough, or not known
        monkeypatch.setattr(training_rows, "available_memory", lambda free=free: free)
        training_rows.refuse_too_large(60, 100)


def test_the_memory_that_is_left_is_read_where_the_system_says_it():
    free = training_rows.available_memory()
    assert free is None or 10**6 < free < 10**15
