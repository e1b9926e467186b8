"""A table in parts gives the file that ``fit`` in memory gives, byte for byte but for seconds."""

import json
import os
import signal
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from atomlearn import AlgebraicClassifier, AlgebraicRegressor
from atomlearn.distributed import fit, fit_batches, fitting
from atomlearn.errors import InvalidParameter, UnfitParts
from atomlearn.tables.images import translations

RULES = ["a if n > 2 and word = w1", "not b if flag = true"]


def content(model, folder):
    """All that the file of a model holds, without the seconds that learning took."""
    path = folder / "m.atoms"
    model.save(path)
    with zipfile.ZipFile(path) as file:
        found = {name: file.read(name) for name in file.namelist()}
    if "history.json" in found:
        history = json.loads(found["history.json"])
        found["history.json"] = [{**one, "seconds": 0} for one in history]
    return found


def table(rng, n):
    """Numbers, categories and truth values with gaps, and labels that contradict each other."""
    frame = pd.DataFrame(
        {
            "x": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "n": rng.integers(0, rng.choice([3, 9, 1000]), n),
            "word": rng.choice([f"w{i}" for i in range(rng.choice([3, 40, 300]))], n),
            "flag": rng.random(n) < 0.4,
            "small": rng.integers(0, 4, n).astype(np.float32),
            "same": 1.0,
        }
    )
    frame.loc[rng.random(n) < 0.1, "word"] = None
    kept = list(rng.permutation(frame.columns)[: rng.integers(1, 7)])
    y = np.where(frame["flag"] ^ (frame["n"] % 3 == 1) ^ (rng.random(n) < 0.2), "a", "b")
    y[rng.random(n) < 0.1] = "c"
    y[:3] = ["a", "b", "c"]
    return frame[kept], y.astype(object)


def cut(rng, n):
    """Up to seven stretches of the rows, some of them empty."""
    ends = np.sort(rng.integers(0, n + 1, rng.integers(0, 7)))
    return [np.arange(*pair) for pair in zip([0, *ends], [*ends, n], strict=True)]


def settings_of(rng, X):
    told = {"random_state": int(rng.integers(5)), "max_epochs": 1}
    if rng.random() < 0.3 and {"n", "word", "flag"} <= set(X):
        told["rules"] = RULES
    weights = [None, "balanced", {"a": 3.0}, {"a": 1.0, "b": 2.0, "c": 0.0}]
    told["class_weight"] = weights[rng.integers(4)]
    told["max_cuts"] = [None, 5][rng.integers(2)]
    return told


def on_dask(parts):
    import dask
    import dask.dataframe as dd

    frames = [dask.delayed(X.assign(y=y)) for X, y in parts]
    meta = parts[0][0].assign(y=parts[0][1])[:0]
    return dd.from_delayed(frames, meta=meta, verify_meta=False)


def check(seed, folder, n):
    rng = np.random.default_rng(seed)
    X, y = table(rng, n)
    told, pieces = settings_of(rng, X), cut(rng, n)
    parts = [(X.iloc[rows], y[rows]) for rows in pieces]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = content(AlgebraicClassifier(**told).fit(X, y), folder)
        assert content(fit_batches(parts, **told), folder) == whole
        if seed % 4 == 0:
            assert content(fit(on_dask(parts), "y", **told), folder) == whole


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000))
def test_random_tables(seed, tmp_path):
    check(seed, tmp_path, n=60)


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000))
def test_many_random_tables(seed, tmp_path):
    check(seed, tmp_path, n=1 + 5 * (seed % 50) + 60)


@pytest.mark.parametrize("estimator", [AlgebraicClassifier(), AlgebraicRegressor()])
@pytest.mark.parametrize("moves", [None, translations((8, 8)), [np.arange(63, -1, -1)]])
def test_images_that_are_moved(digits, tmp_path, estimator, moves):
    X, y = digits
    told = {"random_state": 0, "max_epochs": 2, "symmetries": moves, "image_shape": (8, 8)}
    parts = [(X[rows], y[rows]) for rows in np.array_split(np.arange(len(y)), 3)]
    whole = clone(estimator).set_params(**told).fit(X, y)
    same = fit_batches(parts, estimator=clone(estimator), **told)
    assert content(same, tmp_path) == content(whole, tmp_path)


def numbers(rng, n):
    """A table, a number with ties and outliers, and statements that hold of it here and there."""
    X, _ = table(rng, n)
    y = sum(pd.to_numeric(X[name], errors="coerce").fillna(0.5) for name in X)
    y = np.round(y + rng.standard_cauchy(n), 1)
    return X, pd.Series(y, index=X.index, name="price")


def check_numbers(seed, folder, n):
    rng = np.random.default_rng(seed)
    X, y = numbers(rng, n)
    told = {"random_state": seed % 5, "max_epochs": 4, "max_cuts": [None, 5][rng.integers(2)]}
    told["loss"] = ["squared", "absolute", "quantile", "poisson"][rng.integers(4)]
    told["max_atoms"] = [None, 3][rng.integers(2)]
    if "n" in X and rng.random() < 0.5:
        told["rules"] = ["price rises with n", "price <= 9 if n = 0"]
    y = y.abs() if told["loss"] == "poisson" else y
    parts = [(X.iloc[rows], y.iloc[rows]) for rows in cut(rng, n)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = content(AlgebraicRegressor(**told).fit(X, y), folder)
        same = fit_batches(parts, estimator=AlgebraicRegressor(), **told)
        assert content(same, folder) == whole
        if seed % 4 == 0:
            same = fit(on_dask(parts), "y", estimator=AlgebraicRegressor(), **named(told))
            told = content(AlgebraicRegressor(**named(told)).fit(X, y.rename("y")), folder)
            assert content(same, folder) == told


def named(told):
    """The same settings, with the name that the number has on Dask."""
    given = told.get("rules")
    return {**told, "rules": given and [one.replace("price", "y") for one in given]}


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 10_000))
def test_numbers(seed, tmp_path):
    check_numbers(seed, tmp_path, n=80)


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000))
def test_many_numbers(seed, tmp_path):
    check_numbers(seed, tmp_path, n=60 + 7 * (seed % 50))


@pytest.mark.parametrize("order", [True, [2, 0, 3, 1]])
def test_ordered_classes(digits, tmp_path, order):
    X, y = digits
    told = {"random_state": 0, "max_epochs": 3, "ordered": order}
    parts = [(X[rows], y[rows]) for rows in np.array_split(np.arange(len(y)), 3)]
    whole = AlgebraicClassifier(**told).fit(X, y)
    assert content(fit_batches(parts, **told), tmp_path) == content(whole, tmp_path)


def test_ordered_categories_of_a_data_frame(digits, tmp_path):
    import dask.dataframe as dd

    frame = pd.DataFrame(digits[0][:, 20:40], columns=[f"p{i}" for i in range(20)])
    words = np.array(["mid", "low", "top", "high"])[digits[1]]
    frame["size"] = pd.Categorical(words, ["low", "mid", "high", "top"], ordered=True)
    told = {"random_state": 0, "max_epochs": 3, "rules": ["size rises with p3"]}
    whole = AlgebraicClassifier(**told).fit(frame.drop(columns="size"), frame["size"])
    same = fit(dd.from_pandas(frame, npartitions=3), "size", **told)
    assert same.classes_.tolist() == ["low", "mid", "high", "top"]
    assert content(same, tmp_path) == content(whole, tmp_path)
    parts = [frame[:300], frame[300:].assign(size=frame["size"].cat.reorder_categories(
        ["top", "mid", "high", "low"]))]  # fmt: skip
    with pytest.raises(UnfitParts, match="partition 1 has the classes in the order"):
        fit_batches([(one.drop(columns="size"), one["size"]) for one in parts], **told)


@pytest.mark.parametrize(
    ("estimator", "what"),
    [(AlgebraicRegressor(), "a number"), (AlgebraicClassifier(ordered=True), "ordered classes")],
)
def test_what_is_learned_as_a_whole_only(digits, estimator, what):
    from dask.array import from_array

    X, y = from_array(digits[0], chunks=(360, -1)), from_array(digits[1], chunks=360)
    with pytest.raises(UnfitParts, match=f"{what} can be learned from all rows together only"):
        fit(X, y, estimator=estimator, share_examples=False)
    for most in (1, 10_000):
        with pytest.raises(UnfitParts, match=f"together only, .* more than {most:,} bytes"):
            fit_batches([digits], max_bytes=most, estimator=estimator)


def test_what_is_no_number_and_a_checkpoint_of_one(digits, tmp_path):
    odd = digits[1].astype(object)
    odd[3] = "much"
    with pytest.raises(UnfitParts, match="partition 1: row 3 of y is 'much'"):
        fit_batches([digits, (digits[0], odd)], estimator=AlgebraicRegressor())
    with pytest.raises(InvalidParameter, match="leave out checkpoint"):
        fit_batches([digits], estimator=AlgebraicRegressor(), checkpoint=tmp_path / "c.atoms")


def test_columns_are_fetched_a_few_at_a_time(digits, tmp_path, monkeypatch):
    monkeypatch.setattr("atomlearn.tables.joined.FETCHED", 500)
    X, y = digits
    parts = [(X[:300], y[:300]), (X[300:], y[300:])]
    told = {"random_state": 0, "max_epochs": 1}
    whole = AlgebraicClassifier(**told).fit(X, y)
    assert content(fit_batches(parts, **told), tmp_path) == content(whole, tmp_path)


def test_a_partition_without_a_class_and_sorted_rows(digits, tmp_path):
    X, y = digits
    order = np.argsort(y, kind="stable")
    parts = [(X[rows], y[rows]) for rows in np.array_split(order, 4)]
    told = {"random_state": 0, "max_epochs": 1}
    whole = AlgebraicClassifier(**told).fit(X[order], y[order])
    assert content(fit_batches(parts, **told), tmp_path) == content(whole, tmp_path)


def test_a_checkpoint_goes_on_to_the_same_model(digits, tmp_path, monkeypatch):
    parts = [(digits[0][rows], digits[1][rows]) for rows in np.array_split(np.arange(720), 3)]
    told = {"random_state": 0, "max_epochs": 12, "evidence": "strict"}
    write, calls = fitting.Checkpoint.write, []

    def stop(self, state):
        write(self, state)
        calls.append(state.epoch)
        if len(calls) == 2:  # after the first round, as the history has whole rounds
            raise RuntimeError("the power went out")

    path = tmp_path / "c.atoms"
    with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="power"):
        patch.setattr(fitting.Checkpoint, "write", stop)
        fit_batches(parts, checkpoint=path, **told)
    assert 0 < calls[-1] < 12
    X, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    whole = content(AlgebraicClassifier(**told).fit(X, y), tmp_path)
    assert content(fit_batches(parts, checkpoint=path, **told), tmp_path) == whole


def die_once(block, marker):
    """Kill the worker, the first time that this block is computed."""
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return block


@pytest.mark.slow
def test_on_workers_of_which_one_is_lost(digits, client, tmp_path):
    from dask.array import from_array

    told = {"random_state": 0, "max_epochs": 2}
    whole = content(AlgebraicClassifier(**told).fit(*digits), tmp_path)
    blocks = from_array(digits[0], chunks=(100, -1)), from_array(digits[1], chunks=100)
    assert content(fit(*blocks, client=client, **told), tmp_path) == whole
    marker = tmp_path / "died"
    X = blocks[0].map_blocks(die_once, marker, dtype=blocks[0].dtype, meta=digits[0][:0])
    assert content(fit(X, blocks[1], client=client, **told), tmp_path) == whole
    assert marker.exists()


def test_rows_that_must_not_leave_their_partition(digits):
    from dask.array import from_array

    X, y = from_array(digits[0], chunks=(360, -1)), from_array(digits[1], chunks=360)
    model = fit(X, y, random_state=0, max_epochs=1, share_examples=False)
    names = {source.name for pool in model.learned_.pools for source in pool.sources}
    assert names >= {"partition 0", "partition 1"}


@pytest.mark.parametrize("n_parts", [1, 3, 7])
@pytest.mark.parametrize("loss", [None, "squared", "quantile"])
def test_what_is_larger_than_memory_is_in_files(tmp_path, monkeypatch, n_parts, loss):
    """The size of memory decides where arrays are, not what is learned from them."""
    monkeypatch.setattr("atomlearn.sets.memory.IN_MEMORY", 0)
    rng = np.random.default_rng(n_parts)
    X, y = table(rng, 150) if loss is None else numbers(rng, 150)
    y = y if loss is None else y.rename("y")
    told = {"random_state": 0, "max_epochs": 4}
    model = AlgebraicClassifier(**told) if loss is None else AlgebraicRegressor(loss=loss, **told)
    pieces = np.array_split(np.arange(len(X)), n_parts)
    parts = [(X.iloc[rows], np.asarray(y)[rows]) for rows in pieces]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = content(clone(model).fit(X, np.asarray(y)), tmp_path)
        assert content(fit_batches(parts, estimator=clone(model)), tmp_path) == whole
        whole = content(clone(model).fit(X, pd.Series(y, index=X.index, name="y")), tmp_path)
        assert content(fit(on_dask(parts), "y", estimator=clone(model)), tmp_path) == whole


@pytest.mark.parametrize(
    "told",
    [
        {"symmetries": translations((8, 8))},
        {"symmetries": [np.arange(63, -1, -1)], "image_shape": (8, 8)},
        {"ordered": True},
        {"evidence": "strict", "n_jobs": 2},
    ],
    ids=str,
)
def test_images_and_ordered_classes_in_files(digits, tmp_path, monkeypatch, told):
    monkeypatch.setattr("atomlearn.sets.memory.IN_MEMORY", 0)
    X, y = digits
    told = {"random_state": 0, "max_epochs": 2, **told}
    parts = [(X[rows], y[rows]) for rows in np.array_split(np.arange(len(y)), 3)]
    whole = AlgebraicClassifier(**told).fit(X, y)
    assert content(fit_batches(parts, **told), tmp_path) == content(whole, tmp_path)
