"""What cannot be meant is refused by an error of ours that says where it is and what to do."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from atomlearn import AlgebraicClassifier, AtomlearnError, LiteralEncoder
from atomlearn.errors import InvalidParameter, InvalidTable, InvalidTarget, UnseenCategories
from atomlearn.tables import encoder as encoding


def quick(**parameters):
    return AlgebraicClassifier(**{"random_state": 0, "max_epochs": 2, **parameters})


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "x": np.where(np.arange(60) == 3, np.nan, rng.random(60)),
            "n": rng.integers(0, 5, 60),
            "c": rng.choice(["r", "b"], 60),
            "b": rng.random(60) > 0.5,
        }
    )


@pytest.fixture(scope="module")
def y(frame):
    return np.where(frame["c"] == "r", "yes", "no")


@pytest.fixture(scope="module")
def model(frame, y):
    return quick().fit(frame, y)


class TestParameters:
    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("max_epochs", [np.nan, 2.5, "3", 0, -1, True]),
            ("max_classes", [np.nan, 0, "all"]),
            ("max_cuts", [np.nan, 0, 2.5, "15", True]),
            ("time_limit", [np.nan, np.inf, "3", 0]),
            ("image_shape", [(-1, -4), (2, 2.0), (4,), "2x2", (0, 4)]),
            ("class_weight", [{"yes": np.nan}, {"yes": np.inf}, {"yes": -1}, {"no": "1"}, "even"]),
            ("n_jobs", [0, 1.5, "2"]),
            ("random_state", [-1, "seed", 0.5]),
            ("verbose", ["loud", np.nan]),
            ("symmetries", [3]),
        ],
    )
    def test_values_that_cannot_be_meant(self, frame, y, name, values):
        for value in values:
            with pytest.raises(InvalidParameter, match=name):
                quick(**{name: value}).fit(frame, y)
            with pytest.raises(InvalidParameter, match=name):
                quick(**{name: value}).partial_fit(frame, y, classes=["no", "yes"])

    def test_cuts(self, frame):
        with pytest.raises(InvalidParameter, match="max_cuts"):
            LiteralEncoder(max_cuts=np.nan).fit(frame)

    @pytest.mark.slow
    def test_values_that_can(self, frame, y):
        kinds = {"max_epochs": np.int64(2), "time_limit": np.float32(60), "image_shape": [2, 2]}
        weights = {"yes": np.float64(2), "no": 1}
        numpy = quick(**kinds, class_weight=weights, random_state=np.uint8(3), n_jobs=-1)
        kinds = {"max_epochs": 2, "time_limit": 60.0, "image_shape": (2, 2)}
        plain = quick(**kinds, class_weight={"yes": 2, "no": 1}, random_state=3)
        assert (numpy.fit(frame, y).misses(frame) == plain.fit(frame, y).misses(frame)).all()


class TestInfinity:
    def test_is_refused_in_every_kind_of_table(self, frame, model, y):
        bad = frame.assign(x=np.where(np.arange(60) == 7, -np.inf, frame["x"]))
        numbers = bad[["x", "n"]]
        tables = [bad, numbers, pl.from_pandas(bad), bad.convert_dtypes(dtype_backend="pyarrow"),
                  bad.to_dict("records")]  # fmt: skip
        for table in tables:
            with pytest.raises(InvalidTable, match="infinity: row 7, column 'x'"):
                quick().fit(table, y)
        with pytest.raises(InvalidTable, match="infinity: row 7, column 'x'"):
            model.predict(bad)
        for table in (numbers.to_numpy(), sparse.csr_matrix(numbers.fillna(0).to_numpy())):
            with pytest.raises(InvalidTable, match="infinity: row 7, column 'x0'"):
                quick().fit(table, y)

    def test_large_numbers_are_not_infinite(self):
        X = np.array([[1e308], [1e308], [-1e308], [np.nan]] * 3)
        assert quick().fit(X, [0, 0, 1, 1] * 3).score(X, [0, 0, 1, 1] * 3) == 1.0


class TestArrow:
    @pytest.mark.parametrize("columns", [["x", "n", "c", "b"], ["c"], ["x", "n"], ["n", "b"]])
    def test_the_same_model(self, frame, y, columns):
        plain = frame[columns]
        arrow = plain.convert_dtypes(dtype_backend="pyarrow")
        one, two = quick().fit(plain, y), quick().fit(arrow, y)
        assert (one.misses(plain) == two.misses(arrow)).all()
        assert one.encoder_.literals_ == two.encoder_.literals_
        assert (one.predict(arrow) == two.predict(plain)).all()

    def test_dictionaries_are_declared_categories(self, y):
        codes = pd.Series(np.arange(60) % 3).astype(str)
        kind = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
        told = quick().fit(pd.DataFrame({"code": codes.astype(kind), "b": y == "yes"}), y)
        assert "code = 2" in told.encoder_.get_feature_names_out()

    def test_labels(self, frame, y):
        numbers = pd.Series((y == "yes") * 1, dtype=pd.ArrowDtype(pa.int64()))
        assert quick().fit(frame, numbers).classes_.tolist() == [0, 1]
        assert quick().fit(frame, numbers).classes_.dtype.kind == "i"

    def test_dates(self):
        when = pd.Series(pd.date_range("2020", periods=4))
        table = pd.DataFrame({"when": when.astype(pd.ArrowDtype(pa.timestamp("ns")))})
        with pytest.raises(InvalidTable, match="'when' holds dates"):
            quick().fit(table, [0, 1, 0, 1])


class TestFrames:
    def test_lazy_ones(self, frame, y):
        with pytest.raises(InvalidTable, match=r"lazy frame.*X\.collect"):
            quick().fit(pl.from_pandas(frame).lazy(), y)

    def test_without_columns(self, frame, y):
        with pytest.raises(InvalidTable, match="X has no columns"):
            quick().fit(frame[[]], y)

    def test_text_where_numbers_were_learned(self, model, frame):
        odd = frame.assign(n=[*frame["n"][:4], "many", *frame["n"][5:]])
        with pytest.raises(InvalidTable, match=r"'n' held numbers .* row 4 has 'many'"):
            model.predict(odd)

    def test_what_is_no_model_is_not_compared(self, model, frame, y):
        with pytest.raises(InvalidParameter, match="a fitted model, not str; read one"):
            model.compare("model.atoms", frame, y)


def test_whole_numbers_of_polars_are_labels(frame):
    y = pl.Series("y", (frame["n"] > 2).astype(int).tolist())
    model = quick().fit(frame, y)
    assert model.classes_.tolist() == [0, 1] and model.evaluate(frame, y).error == (
        1 - model.score(frame, y.to_numpy())
    )


class TestDictionaries:
    def test_one_row_is_explained(self, model, frame):
        row = frame.iloc[5].to_dict()
        assert str(model.explain(row)) == str(model.explain(frame.iloc[[5]]))
        shuffled = {"other": 1, **dict(reversed(row.items()))}
        assert str(model.explain(shuffled)) == str(model.explain(row))
        with pytest.raises(InvalidTable, match=r"no row has a value of \['c'\]"):
            model.explain({name: value for name, value in row.items() if name != "c"})
        with pytest.raises(InvalidTable, match="put one row into a list"):
            model.predict(row)

    def test_columns(self, frame, y):
        with pytest.raises(InvalidTable, match="make columns a data frame"):
            quick().fit({"x": frame["x"], "n": frame["n"]}, y)

    def test_rows(self, model, frame, y):
        rows = [{k: v for k, v in row.items() if v == v} for row in frame.to_dict("records")]
        assert (model.predict(rows) == model.predict(frame)).all()
        from_rows = quick().fit(rows, y)
        assert from_rows.feature_names_in_.tolist() == ["x", "n", "c", "b"]
        assert (from_rows.misses(rows) == model.misses(frame)).all()

    def test_without_names(self, frame, y):
        plain = quick().fit(frame[["x", "n"]].to_numpy(), y)
        assert str(plain.explain({"x1": 2, "x0": 0.5})) == str(plain.explain([0.5, 2]))


class TestUnseenCategories:
    def fitted(self, values):
        return quick().fit(pd.DataFrame({"zip": values}), list("abc") * (len(values) // 3))

    def test_numbers_where_text_was(self):
        model = self.fitted(["10", "20", "30"] * 8)
        says = r"'zip': none of its 3 values .* text such as '10' and now has numbers such as 10"
        with pytest.warns(UnseenCategories, match=says):
            model.predict(pd.DataFrame({"zip": [10, 20, 30]}))
        with pytest.warns(UnseenCategories, match="convert it to what it was"):
            model.explain({"zip": 10})

    def test_text_where_numbers_were(self):
        declared = pd.Categorical([10, 20, 30] * 8)
        with pytest.warns(UnseenCategories, match="numbers such as 10 and now has text such as"):
            self.fitted(declared).predict(pd.DataFrame({"zip": ["10", "20"]}))

    def test_a_whole_column_of_new_values(self):
        model = self.fitted(["10", "20", "30"] * 8)
        with pytest.warns(UnseenCategories, match="none of its 12 values"):
            model.predict(pd.DataFrame({"zip": ["A1", "A2", "A3"] * 4}))

    @pytest.mark.parametrize("new", [["99"], [None, None], ["10", 20, 30], ["1", "2"] * 5 + ["10"]])
    def test_what_does_not_warn(self, new, recwarn):
        model = self.fitted(["10", "20", "30"] * 8)
        model.predict(pd.DataFrame({"zip": pd.Series(new, dtype=object)}))
        assert not recwarn.list

    @pytest.mark.parametrize("parts", [(["1"] * 100, ["10"]), (["10"], ["1"] * 100)])
    def test_rows_are_looked_at_together_though_encoded_in_parts(self, parts, recwarn):
        (column,) = self.fitted(["10", "20", "30"] * 8).encoder_.columns_
        unseen = encoding.UnseenColumns()
        for values in (np.array(part, dtype=object) for part in parts):
            unseen.look(column, values, column.encode(values))
        unseen.warn()
        assert not recwarn.list


class TestTargets:
    def rows(self, n):
        return np.random.default_rng(0).random((n, 2))

    @pytest.mark.parametrize(
        "target",
        [
            np.arange(300) * 7,
            (np.arange(300) * 7).astype(float),
            np.arange(300).astype(str),
            np.array([f"{i / 8}" for i in range(300)], dtype=object),
            np.arange(240).repeat(2)[:300],
        ],
    )
    def test_a_number_to_be_predicted(self, target):
        with pytest.raises(InvalidTarget, match=r"looks like a number .*bin it .*max_classes=\d+"):
            quick().fit(self.rows(300), target)

    def test_very_many_numbers_whatever_the_rows(self):
        with pytest.raises(InvalidTarget, match="1,001 different numbers in 10,010 rows"):
            quick().fit(self.rows(10_010), np.arange(10_010) % 1001)

    def test_fractions(self):
        with pytest.raises(InvalidTarget, match="numbers with fractions: bin it first"):
            quick().fit(self.rows(300), self.rows(300)[:, 0])

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "target",
        [
            np.arange(60).repeat(5),  # each a class of five rows
            np.array([f"name {i}" for i in range(60)]),  # not numbers
            np.arange(50),  # not many
        ],
    )
    def test_many_classes_that_are_meant(self, target):
        model = quick(max_epochs=1).fit(self.rows(len(target)), target)
        assert len(model.classes_) == len(set(target))

    def test_the_override_allows_and_limits(self):
        X, numbers = self.rows(60), np.arange(60)
        assert len(quick(max_epochs=1, max_classes=60).fit(X, numbers).classes_) == 60
        with pytest.raises(InvalidTarget, match="60 different labels, and max_classes=59"):
            quick(max_classes=59).fit(X, numbers)
        with pytest.raises(InvalidTarget, match="3 different labels, and max_classes=2"):
            quick(max_classes=2).fit(X, np.array(list("abc") * 20))

    @pytest.mark.parametrize(
        "labels",
        [
            np.array(["a", None, "b", np.nan], dtype=object),
            np.array([0, np.nan, 1, np.nan]),
            ["a", float("nan"), "b", float("nan")],
            pd.Series(["a", None, "b", None]),
            pd.Series(["a", None, "b", None], dtype="category"),
            pl.Series(["a", None, "b", None]),
        ],
    )
    def test_missing_labels(self, labels):
        with pytest.raises(InvalidTable, match=r"row 1 has no label \(2 such\); remove"):
            quick().fit(self.rows(4), labels)


def test_every_complaint_is_ours(frame, model, y):
    n = len(y)
    attempts = [
        lambda: model.predict(frame.rename(columns={"x": "z"})),
        lambda: model.predict(frame[["n", "x", "c", "b"]]),
        lambda: model.predict(frame[["x"]]),
        lambda: model.predict(frame.to_dict("records")[0].values()),
        lambda: quick().fit(frame, y[:-1]),
        lambda: quick().fit(frame[:0], y[:0]),
        lambda: quick().fit(np.zeros((2, 2, 2)), [0, 1]),
        lambda: quick().fit(frame, y, sample_weight=np.full(n, np.nan)),
        lambda: quick().fit(frame, y, sample_weight=np.full(n, -1.0)),
        lambda: quick().fit(frame, y, sample_weight=np.zeros(n)),
        lambda: quick(class_weight={"maybe": 1.0}).fit(frame, y),
        lambda: quick().partial_fit(frame, y, classes=["no"]),
        lambda: quick().partial_fit(frame, y),
        lambda: model.explain(frame[:2]),
        lambda: model.explain(np.zeros((1, 1, 4))),
        lambda: model.definition("maybe"),
        lambda: model.definition("yes", "tiny"),
        lambda: model.explain(frame[:1]).plot(),
        lambda: quick(symmetries=[[0, 1]]).fit(frame, y),
        lambda: quick(symmetries=[[0, 1, 2, 9]]).fit(frame, y),
    ]
    for attempt in attempts:
        with pytest.raises(AtomlearnError) as raised:
            attempt()
        assert isinstance(raised.value, ValueError) and str(raised.value)


def test_of_a_million_sparse_columns_only_those_with_values_are_read(monkeypatch):
    X = sparse.random(50, 100_000, 1e-5, random_state=0, format="csr")
    read = []

    def number_column(table, j, name, original=encoding.number_column):
        read.append(table.shape)
        return original(table, j, name)

    monkeypatch.setattr(encoding, "number_column", number_column)
    encoder = LiteralEncoder().fit(X)
    used = len(np.unique(X.indices))
    assert len(encoder.columns_) == 100_000 and len(encoder.literals_) > 10
    assert len(read) <= 2 * used and all(n <= used for _, n in read[used:])
    dense = X[:, X.indices].toarray()
    assert len(LiteralEncoder(max_cuts=1).fit(dense).literals_) == len(encoder.literals_)
