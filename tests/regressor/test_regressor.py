"""Learning a number: losses, magnitudes, determinism, bad input, batches and files."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import make_friedman1
from sklearn.model_selection import cross_val_score

from atomlearn import AlgebraicRegressor, LiteralEncoder, interrupts, load
from atomlearn.classifier.fitting import DISTORTIONS
from atomlearn.errors import InterruptedWarning, InvalidParameter, InvalidTable, InvalidTarget
from atomlearn.tables.encoder import positions
from atomlearn.tables.images import distortions, translations
from tests.regressor.conftest import prices

LOSSES = ("squared", "absolute", "poisson", "quantile")


def test_held_out_score_is_that_of_new_rows(fitted):
    X, y = prices(2000, seed=1)
    assert fitted.score(X, y) > 0.8
    assert fitted.estimated_score_ == pytest.approx(fitted.score(X, y), abs=0.08)
    rmse = np.sqrt(np.mean((fitted.predict(X) - y) ** 2))
    assert fitted.estimated_error_ == pytest.approx(rmse, rel=0.25)
    losses = [one["loss"] for one in fitted.history_]
    assert len(losses) > 5 and min(losses) < 0.5 * losses[0]
    assert fitted.n_rows_ == 400 and fitted.target_name_ == "price"
    importances = dict(zip(fitted.feature_names_in_, fitted.feature_importances_, strict=True))
    assert max(importances, key=importances.get) == "size"
    assert sum(importances.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("size", [1e-9, 1e12])
def test_the_magnitude_of_the_target_does_not_matter(loss, size, flats):
    X, y = flats
    y = np.maximum(y, 0.0)
    one = AlgebraicRegressor(loss=loss, random_state=0, max_epochs=20).fit(X, y)
    power = 2.0 ** round(np.log2(size))  # so that nothing is rounded otherwise
    other = AlgebraicRegressor(loss=loss, random_state=0, max_epochs=20).fit(X, y * power)
    np.testing.assert_allclose(other.predict(X), one.predict(X) * power, rtol=1e-9)
    assert one.score(X, y) > 0.5


def test_every_loss_predicts_what_it_is_about(flats):
    X, y = flats
    y = np.maximum(y, 0.0)
    quantile = AlgebraicRegressor(loss="quantile", quantile=0.9, random_state=0).fit(X, y)
    X_new, y_new = prices(2000, seed=1)
    assert np.mean(y_new <= quantile.predict(X_new)) == pytest.approx(0.9, abs=0.05)
    absolute = AlgebraicRegressor(loss="absolute", random_state=0).fit(X, y)
    assert np.mean(y_new <= absolute.predict(X_new)) == pytest.approx(0.5, abs=0.07)
    error = np.abs(absolute.predict(X_new) - y_new).mean()
    assert absolute.estimated_error_ == pytest.approx(error, rel=0.2)
    counts = np.random.default_rng(0).poisson(np.maximum(y, 0) / 50)
    poisson = AlgebraicRegressor(loss="poisson", random_state=0).fit(X, counts)
    assert (poisson.predict(X) > 0).all()
    assert poisson.predict(X).mean() == pytest.approx(counts.mean(), rel=0.05)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_constant_target_is_predicted(loss, flats):
    X = flats[0]
    for constant in (0.0, 7.25):
        reg = AlgebraicRegressor(loss=loss, random_state=0).fit(X, np.full(len(X), constant))
        assert reg.predict(X) == pytest.approx(constant, abs=1e-12)
        assert reg.predict_interval(X).shape == (len(X), 2)


def test_the_number_of_jobs_does_not_matter(flats, fitted):
    two = AlgebraicRegressor(random_state=0, n_jobs=2).fit(*flats)
    assert (two.predict(flats[0]) == fitted.predict(flats[0])).all()
    assert (two.predict_interval(flats[0]) == fitted.predict_interval(flats[0])).all()


def test_weights_count_as_repetitions(flats):
    X, y = flats[0][:120], flats[1][:120]
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    by_weight = AlgebraicRegressor(max_cuts=10, random_state=0).fit(X, y, sample_weight=weights)
    again = np.repeat(np.arange(len(y)), weights)
    repeated = AlgebraicRegressor(max_cuts=10, random_state=0).fit(X.iloc[again], y.iloc[again])
    np.testing.assert_allclose(by_weight.predict(X), repeated.predict(X))


def test_cuts_are_where_the_number_changes():
    rng = np.random.default_rng(0)
    x = np.concatenate([np.zeros(500), rng.random(100)])[:, None]
    y = np.where(x[:, 0] > 0.73, 5.0, 0.0)
    reg = AlgebraicRegressor(max_cuts=2, random_state=0).fit(x, y)
    assert any(abs(cut - 0.73) < 0.02 for cut in reg.encoder_.columns_[0].cuts)
    blind = LiteralEncoder(max_cuts=2).fit(x)
    assert not any(abs(cut - 0.73) < 0.02 for cut in blind.columns_[0].cuts)
    assert positions(np.array([1.0, 1.0]), np.ones(2)).tolist() == [0.0, 0.0]


def test_generated_data_are_learned():
    X, y = make_friedman1(600, noise=1.0, random_state=0)
    assert cross_val_score(AlgebraicRegressor(random_state=0), X, y, cv=3).min() > 0.85


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ([1.0, np.nan, 2.0], InvalidTable, "contains NaN: row 1"),
        ([1.0, 2.0, np.inf], InvalidTable, "contains infinity: row 2"),
        (["1", "2", "much"], InvalidTarget, "row 2 of y is 'much'"),
        ([1.0, 1e99, 2.0], InvalidTarget, "row 1 of y is 1e\\+99"),
        ([1, 10**400, 2], InvalidTable, "contains infinity: row 1"),
        ([False, "True", 2], InvalidTarget, "row 1 of y is 'True'"),
        ([1.0, 2.0], InvalidTable, "inconsistent numbers of samples"),
        ([[1.0], [2.0, 3.0], 1], Exception, "row 0"),
    ],
)
def test_bad_targets_are_refused(y, error, message):
    with pytest.raises(error, match=message):
        AlgebraicRegressor().fit([[1.0], [2.0], [3.0]], y)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"loss": "square"}, "did you mean 'squared'|loss must be one of"),
        ({"quantile": 1.0}, "quantile must be between 0 and 1"),
        ({"quantile": 0.9}, "quantile=0.9 is for loss='quantile', and the loss is 'squared'"),
        ({"rounding": 0}, "rounding must be a positive number"),
        ({"max_atoms": 0}, "max_atoms must be"),
        ({"max_epochs": 0}, "max_epochs must be"),
        ({"rules": "price = 0"}, "rules must be a list"),
    ],
)
def test_bad_parameters_are_refused(given, message, flats):
    with pytest.raises(InvalidParameter, match=message):
        AlgebraicRegressor(**given).fit(*flats)


@pytest.mark.parametrize("dtype", [pl.Float64, pl.Int64, pl.UInt8])
def test_numbers_of_polars(flats, dtype):
    X, y = flats[0], np.abs(flats[1]).round() % 200
    reg = AlgebraicRegressor(max_epochs=3, random_state=0).fit(X, y)
    series = pl.Series("price", y.tolist()).cast(dtype)
    other = AlgebraicRegressor(max_epochs=3, random_state=0).fit(X, series)
    assert (other.predict(X) == reg.predict(X)).all()
    assert other.evaluate(X, series).r2 == reg.evaluate(X, y).r2
    with pytest.raises(InvalidTable, match="row 0 has no number"):
        reg.fit(X, pl.Series([None, *y.tolist()[1:]]))


def test_counts_are_not_negative(flats):
    with pytest.raises(InvalidTarget, match="row 0 of y is -1; with loss='poisson'"):
        AlgebraicRegressor(loss="poisson").fit([[1.0], [2.0]], [-1, 3])
    with pytest.raises(InvalidParameter, match="coverage must be between"):
        AlgebraicRegressor(max_epochs=2).fit(*flats).predict_interval(flats[0], coverage=90)


@pytest.mark.parametrize("loss", ["squared", "poisson", "absolute"])
def test_batches(loss):
    X, y = prices(900)
    y = np.maximum(y, 0.0)
    reg = AlgebraicRegressor(loss=loss, random_state=0)
    X_new, y_new = prices(500, seed=5)
    scores = []
    for start in range(0, 900, 300):
        part = slice(start, start + 300)
        reg.partial_fit(X[part], y[part])
        scores.append(reg.score(X_new, y_new))
    assert scores[-1] > scores[0] - 0.02 and scores[-1] > 0.8
    assert reg.n_rows_ == 900 and reg.estimated_score_ > 0.7
    warm = AlgebraicRegressor(loss=loss, random_state=0, warm_start=True).fit(X[:300], y[:300])
    assert warm.fit(X[300:600], y[300:600]).n_rows_ == 600


@pytest.mark.parametrize("loss", ["squared", "poisson", "absolute"])
def test_a_first_batch_of_small_numbers_holds_nothing_back(loss, tmp_path):
    X, y = prices(800)
    y = np.maximum(y, 0.0) * 1e4
    reg = AlgebraicRegressor(loss=loss, random_state=0).partial_fit(X[:100], np.zeros(100))
    for _ in range(3):
        reg.partial_fit(X[100:], y[100:])
    assert reg.score(X[100:], y[100:]) > 0.8
    reg.save(tmp_path / "m.atoms")
    again = load(tmp_path / "m.atoms").partial_fit(X[:100], y[:100])
    assert (again.predict(X) == reg.partial_fit(X[:100], y[:100]).predict(X)).all()


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"max_atoms": 6},
        {"loss": "poisson", "rules": ["price <= 900 if rooms < 5"], "max_atoms": "auto"},
        {"loss": "quantile", "quantile": 0.75, "monotonic_cst": {"size": 1}},
    ],
    ids=str,
)
def test_what_is_saved_is_loaded_by_another_process(given, flats, tmp_path):
    X, y = flats[0], np.maximum(flats[1], 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reg = AlgebraicRegressor(random_state=0, max_epochs=30, **given).fit(X, y)
    path, table, out = tmp_path / "m.atoms", tmp_path / "x.pkl", tmp_path / "out.npy"
    reg.save(path)
    X.to_pickle(table)
    code = (
        "import atomlearn, numpy as np, pandas as pd; "
        f"reg, X = atomlearn.load({str(path)!r}), pd.read_pickle({str(table)!r}); "
        f"np.save({str(out)!r}, np.column_stack([reg.predict(X), reg.predict_interval(X)]))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    wanted = np.column_stack([reg.predict(X), reg.predict_interval(X)])
    assert (np.load(out) == wanted).all()
    again = load(path)
    assert again.rules_ == reg.rules_ and again.estimated_error_ == reg.estimated_error_
    assert again.history_ == reg.history_ and again.n_rows_ == reg.n_rows_
    assert str(again.compact(3).scorecard()) == str(reg.compact(3).scorecard())
    more = again.partial_fit(X[:90], y[:90]).predict(X), reg.partial_fit(X[:90], y[:90]).predict(X)
    assert (more[0] == more[1]).all()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("size", [1e-300, 9e44])
def test_the_largest_and_the_smallest_numbers_are_saved(loss, size, tmp_path):
    X, y = prices(150)
    y = np.abs(y / y.abs().max()) * size
    reg = AlgebraicRegressor(loss=loss, random_state=0, max_epochs=5, max_atoms=3).fit(X, y)
    reg.save(tmp_path / "m.atoms")
    again = load(tmp_path / "m.atoms")
    assert (again.predict(X) == reg.predict(X)).all() and np.isfinite(reg.predict(X)).all()
    assert (again.predict_interval(X) == reg.predict_interval(X)).all()


@pytest.mark.parametrize("given", [{}, {"loss": "absolute", "max_atoms": 4}, {"time_limit": 0.5}])
def test_many_rows_have_a_single_fold(given, tmp_path):
    X, y = prices(10_500)
    reg = AlgebraicRegressor(random_state=0, max_epochs=6, max_cuts=5, **given).fit(X, y)
    X_new, y_new = prices(2000, seed=1)
    assert reg.estimated_score_ == pytest.approx(reg.score(X_new, y_new), abs=0.1)
    low, high = reg.predict_interval(X_new).T
    assert np.mean((low <= y_new) & (y_new <= high)) == pytest.approx(0.9, abs=0.04)
    assert len(reg.compact(4).scorecard()) <= 4 and len(reg.sizes_) > 1
    reg.save(tmp_path / "m.atoms")
    assert str(load(tmp_path / "m.atoms").compact(3)) == str(reg.compact(3))


def test_the_loss_stays_while_learning_goes_on(flats):
    X, y = flats[0], np.maximum(flats[1], 0.0)
    reg = AlgebraicRegressor(loss="quantile", quantile=0.7, max_epochs=3).fit(X, y)
    for loss, quantile in (("absolute", 0.5), ("poisson", 0.5), ("quantile", 0.6)):
        other = pickle.loads(pickle.dumps(reg)).set_params(loss=loss, quantile=quantile)
        with pytest.raises(InvalidParameter, match="cannot change while learning goes on"):
            other.partial_fit(X, y)
        assert other.export("python") == reg.export("python")
    assert reg.partial_fit(X, y).n_rows_ == 2 * len(X)


def test_a_score_needs_numbers(fitted, flats):
    with pytest.raises(InvalidTable, match="contains NaN: row 0"):
        fitted.score(flats[0], [np.nan] * len(flats[1]))


def test_pickling(fitted, flats):
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict(flats[0]) == fitted.predict(flats[0])).all()


def test_an_interruption_keeps_what_is_known(flats, monkeypatch):
    seen = []

    def requested():
        seen.append(1)
        return len(seen) > 60

    monkeypatch.setattr(interrupts, "requested", requested)
    with pytest.warns(InterruptedWarning, match="what has been learned so far"):
        reg = AlgebraicRegressor(random_state=0).fit(*flats)
    assert len(reg.learned_.weighted) > 0 and np.isfinite(reg.predict(flats[0])).all()


def test_progress_is_shown(flats, capsys):
    AlgebraicRegressor(random_state=0, max_epochs=3, verbose=1).fit(*flats)
    assert "learning" in capsys.readouterr().err


def test_a_time_limit_leaves_a_model(flats):
    reg = AlgebraicRegressor(random_state=0, time_limit=0.05).fit(*flats)
    assert np.isfinite(reg.predict(flats[0])).all() and reg.predict_interval(flats[0]).ndim == 2


def test_text_and_frames_are_read(flats):
    X, y = flats
    plain = AlgebraicRegressor(random_state=0, max_epochs=5).fit(X, y)
    as_text = AlgebraicRegressor(random_state=0, max_epochs=5).fit(X, list(map(str, y)))
    assert (as_text.predict(X) == plain.predict(X)).all() and as_text.target_name_ == "y"
    nullable = pd.Series(y.round(), dtype="Int64")
    assert AlgebraicRegressor(max_epochs=2).fit(X, nullable).n_rows_ == 400


def spots(n, seed, side=6):
    """Images of one bright spot on a dim ground, whose size is to be predicted, wherever it is."""
    rng = np.random.default_rng(seed)
    images, sizes = np.round(rng.random((n, side, side)) * 0.2, 1), rng.integers(1, 4, n)
    for image, size in zip(images, sizes, strict=True):
        top, left = rng.integers(0, side - size + 1, 2)
        image[top : top + size, left : left + size] = 1.0
    return images.reshape(n, -1), sizes * 10.0


def test_moved_images_are_learned_from(tmp_path):
    X, y = spots(250, 0)
    new, truth = spots(400, 1)
    distorted = translations((6, 6)) + distortions((6, 6), DISTORTIONS)
    plain, given, more = (
        AlgebraicRegressor(random_state=0, max_epochs=80, symmetries=moves).fit(X, y)
        for moves in ([], translations((6, 6)), distorted)
    )
    tried = AlgebraicRegressor(random_state=0, max_epochs=80, image_shape=(6, 6)).fit(X, y)
    assert 1 - given.score(new, truth) < 0.8 * (1 - plain.score(new, truth))
    assert (tried.predict(new) == more.predict(new)).all()  # because it helps
    assert more.score(new, truth) > given.score(new, truth)
    given.save(tmp_path / "moved.atoms")
    loaded = load(tmp_path / "moved.atoms")
    assert (loaded.predict(new) == given.predict(new)).all()
    for one in (given, loaded):
        one.partial_fit(*spots(100, 2))
    assert (loaded.predict(new) == given.predict(new)).all()


def test_translations_that_do_not_help_are_not_learned_from():
    rng = np.random.default_rng(0)
    X = rng.random((300, 16)).round(1)
    shaped, plain = (
        AlgebraicRegressor(random_state=0, max_epochs=20, **told).fit(X, X[:, 0] - X[:, 1])
        for told in ({"image_shape": (4, 4)}, {"image_shape": (4, 4), "symmetries": []})
    )
    assert (shaped.predict(X) == plain.predict(X)).all()


def test_columns_that_are_alike_are_learned_as_one():
    rng = np.random.default_rng(0)
    X = -np.sort(-rng.normal(size=(400, 2)), axis=1)  # the larger one is always in front
    y = X[:, 0]
    both, one = (
        AlgebraicRegressor(random_state=0, symmetries=maps).fit(X, y) for maps in ([[1, 0]], None)
    )
    assert both.score(X[:, ::-1], y) > 0.9 > 0.5 > one.score(X[:, ::-1], y)
    ruled = AlgebraicRegressor(random_state=0, symmetries=[[1, 0]], monotonic_cst=[1, 0])
    assert ruled.fit(X, y).check_rules(X).holds


@pytest.mark.parametrize(
    ("maps", "message"),
    [([[0, 1, 2]], "one column index for each"), ([[0, 7]], "not there"), (3, "a list of maps")],
)
def test_maps_of_columns_that_are_none(maps, message):
    with pytest.raises(InvalidParameter, match=message):
        AlgebraicRegressor(symmetries=maps).fit([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0])
