"""Weighted atoms survive saving, merging and going on, and can be read."""

import io
import json
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

import atomlearn
from atomlearn import AlgebraicClassifier
from atomlearn.classifier.explanation import ALIKE, missed_atoms
from atomlearn.classifier.sample import classifier_errors
from atomlearn.errors import DifferentConstants, MissingExtra
from atomlearn.training.scores import Evidence
from tests.fuzz.parts import Parts

KINDS = ("strict", "weighted", "both")


@pytest.mark.parametrize("kind", KINDS)
def test_round_trip(by_evidence, noisy, tmp_path, kind):
    (X, _), kept = noisy, by_evidence[kind]
    kept.save(tmp_path / "m.atoms")
    loaded = atomlearn.load(tmp_path / "m.atoms")
    assert (loaded.predict_proba(X) == kept.predict_proba(X)).all()
    assert loaded.evidence_ == kept.evidence_ and loaded.evidence_.chosen == kind
    assert loaded.evidence == kept.evidence
    assert loaded.estimated_error_ == kept.estimated_error_
    assert str(loaded.explain(X.iloc[0])) == str(kept.explain(X.iloc[0]))
    assert classifier_errors(loaded.learned_) == classifier_errors(kept.learned_)


def test_a_class_of_weight_zero_is_never_said_after_loading_either(noisy, tmp_path):
    X, y = noisy
    kept = AlgebraicClassifier(random_state=0, max_epochs=3, evidence="weighted")
    kept.fit(X, y)
    prior = np.log([1.0, 1e-300, 1.0]) - [0, np.inf, 0]
    kept.learned_ = replace(kept.learned_, prior=prior)
    kept.save(tmp_path / "m.atoms")
    loaded = atomlearn.load(tmp_path / "m.atoms")
    assert (loaded.predict_proba(X) == kept.predict_proba(X)).all()
    assert (loaded.predict_proba(X)[:, 1] == 0).all()


def test_files_of_before_there_were_weights_are_strict(by_evidence, noisy, tmp_path):
    path = tmp_path / "m.atoms"
    by_evidence["strict"].save(path)
    parts = Parts.of(path.read_bytes())
    state = parts.json("model.json")
    offset = np.add(state["offset"], state.pop("prior")).tolist()
    del state["evidence"], state["params"]["evidence"]
    old = parts.put("model.json", {**state, "offset": offset}).say(version=1)
    path.write_bytes(old.packed())
    loaded, X = atomlearn.load(path), noisy[0]
    assert loaded.evidence_ == Evidence()
    np.testing.assert_allclose(loaded.predict_proba(X), by_evidence["strict"].predict_proba(X))


@pytest.mark.parametrize("kind", KINDS)
def test_readable_without_the_library(by_evidence, noisy, tmp_path, kind):
    """The recipe in the docstring of the format, word by word."""
    X, fitted = noisy[0], by_evidence[kind]
    fitted.save(tmp_path / "m.atoms")
    with zipfile.ZipFile(tmp_path / "m.atoms") as file:
        model = json.loads(file.read("model.json"))
        arrays = {
            name.removesuffix(".npy"): np.load(io.BytesIO(file.read(name)))
            for name in file.namelist()
            if name.endswith(".npy")
        }
    true = np.column_stack([fitted.encoder_.transform(X), np.zeros(len(X), dtype=bool)])

    def missed(constants, starts, a):
        return ~true[:, constants[starts[a] : starts[a + 1]]].any(axis=1)

    scores = np.zeros((len(X), 3)) + model["prior"]
    for k in range(3):
        bounds = range(arrays["class_offsets"][k], arrays["class_offsets"][k + 1])
        m = sum(missed(arrays["atoms"], arrays["offsets"], a) * 1 for a in bounds)
        ratio = np.log((m + 1) / (model["typical"][k] + 1))
        scores[:, k] += model["evidence"]["strict"] * (model["offset"][k] - model["slope"] * ratio)
    if kind != "strict":
        factor = model["evidence"]["weighted"]
        scores += factor * arrays["weighted_offset"]
        for a, (k, weight) in enumerate(
            zip(arrays["weighted_classes"], arrays["weighted_weights"], strict=True)
        ):
            hit = missed(arrays["weighted_constants"], arrays["weighted_starts"], a)
            scores[:, k] += factor * weight * hit
    np.testing.assert_allclose(scores, fitted.decision_function(X), atol=1e-9)


def test_held_out_errors_are_of_the_atoms_that_decide(by_evidence):
    learned = by_evidence["weighted"].learned_
    said = (learned.held_out.weighted * learned.evidence.weighted + learned.prior).argmax(axis=1)
    share = learned.held_out.weights / learned.held_out.weights.sum()
    wrong = [share[(said == k) != (learned.held_out.labels == k)].sum() for k in range(3)]
    assert classifier_errors(learned) == pytest.approx(wrong)


@pytest.mark.parametrize("kind", ["weighted", "both"])
def test_costs_add_up_to_the_score(by_evidence, noisy, kind):
    X, fitted = noisy[0], by_evidence[kind]
    learned = fitted.learned_
    for row in (0, 29, 100):
        told = fitted.explain(X.iloc[row])
        score = dict(
            zip(fitted.classes_, fitted.decision_function(X[row : row + 1])[0], strict=True)
        )
        for one in told.classes:
            k = int(one.label)
            start = learned.prior[k] + learned.evidence.weighted * learned.weighted.offset[k]
            if kind == "both":
                a, fit = learned.evidence.strict, learned.calibration
                start += a * (fit.offset[k] + fit.slope * np.log(learned.typical[k] + 1))
                start -= one.strict_cost
            assert score[one.label] == pytest.approx(start - one.cost)


@pytest.mark.parametrize("kind", KINDS)
def test_atoms_that_cost_most_come_first_and_none_twice(by_evidence, noisy, kind):
    (X, _), fitted = noisy, by_evidence[kind]
    truth = fitted.encoder_.transform(X)
    number = {literal: i for i, literal in enumerate(fitted.encoder_.literals_)}
    for row in (3, 50):
        for one in fitted.explain(X.iloc[row], max_atoms=10).classes:
            costs = [atom.cost for atom in one.missed]
            losses, gains = [c for c in costs if c >= 0], [c for c in costs if c < 0]
            assert len(costs) <= 10 and (costs or not one.misses)
            assert costs == sorted(losses, reverse=True) + sorted(gains)
            clauses = [set(atom.clause.literals) for atom in one.missed]
            assert not any(a < b for a in clauses for b in clauses)
            misses = [
                ~truth[:, [number[x] for x in atom.clause.literals]].any(axis=1)
                for atom in one.missed
            ]
            for i, atom in enumerate(one.missed):
                assert not atom.has and atom.facts
                for j, other in enumerate(one.missed[:i]):
                    shared = (misses[i] & misses[j]).sum() / (misses[i] | misses[j]).sum()
                    # measured on the sample, which merges equal rows
                    assert not set(atom.columns) & set(other.columns) or shared < ALIKE + 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_a_cost_is_what_having_the_atoms_would_gain(by_evidence, noisy, kind):
    """All missed atoms together account for the whole score, and a part for its part."""
    fitted = by_evidence[kind]
    learned = fitted.learned_
    row = np.append(fitted.encoder_.transform(noisy[0][:1])[0], False)
    for k, misses in enumerate(fitted.misses(noisy[0][:1])[0]):
        missed = missed_atoms(learned.deciding(), k, row)
        everything = np.ones(missed.atoms.n, dtype=bool)
        total = missed.cost_of(everything)
        assert total == pytest.approx(missed.strict_cost + missed.weighted_cost)
        if kind == "strict":
            slope = learned.calibration.slope
            assert total == pytest.approx(slope * np.log(misses + 1))
            first = np.arange(missed.atoms.n) < misses // 2
            gained = slope * np.log((misses + 1) / (misses + 1 - misses // 2))
            assert missed.cost_of(first) == pytest.approx(gained)


def test_explanations_say_which_atoms_decide(by_evidence, noisy):
    x = noisy[0].iloc[0]
    text = {kind: str(one.explain(x)) for kind, one in by_evidence.items()}
    assert "median of other classes" in text["strict"] and "log-odds" not in text["strict"]
    assert "median of other classes" not in text["weighted"]
    assert "log-odds" in text["weighted"] and "(costs " in text["weighted"]
    assert "median of other classes" in text["both"] and "weighted atoms" in text["both"]
    told = by_evidence["weighted"].explain(x).to_dict()["classes"][0]
    assert told["typical"] is None and told["cost"] is not None
    assert "cost" in told["missed"][0]
    assert "cost" not in by_evidence["strict"].explain(x).to_dict()["classes"][0]


@pytest.mark.parametrize("kind", KINDS)
def test_definitions_say_what_they_are(by_evidence, noisy, kind):
    (X, y), fitted = noisy, by_evidence[kind]
    for label in fitted.classes_:
        told = fitted.definition(label)
        assert told.decided_by == kind == told.to_dict()["decided_by"]
        assert ("summary" in str(told)) == (kind != "strict")
        always = min((y == label).mean(), (y != label).mean())
        assert told.error <= always + 1e-9  # no worse than saying the same of every row
        assert (told.held_out is not None) and told.classifier_error is not None
        wrong = (told.evaluate(X) != (y == label)).mean()
        assert wrong == pytest.approx(told.error, abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_the_frame_has_every_atom_that_decides(by_evidence, kind):
    fitted = by_evidence[kind]
    frame, learned = fitted.atoms_frame(), fitted.learned_
    assert frame.columns.tolist() == [
        "class", "atom", "weight", "size", "missed_by_class", "missed_by_others"
    ]  # fmt: skip
    n_weighted = 0 if kind == "strict" else len(learned.weighted)
    n_strict = len(frame) - 3 - n_weighted
    if kind != "weighted":  # atoms that say the same are one row
        unit = frame.attrs["strict_weight"]
        for k, pool in enumerate(learned.pools):
            ours = frame.loc["strict"].query("`class` == @k")
            assert ours["weight"].sum() == pytest.approx(len(pool) * unit[k])
    assert (
        not frame.duplicated(["class", "atom"], keep=False).drop("weighted", errors="ignore").any()
    )
    assert frame.index.value_counts().to_dict() == {
        name: n for name, n in (("offset", 3), ("strict", n_strict), ("weighted", n_weighted)) if n
    }
    if kind == "strict":
        atoms = frame.loc["strict"]
        assert (atoms["missed_by_class"] == 0).all() and (atoms["weight"] < 0).all()
    if kind == "weighted":
        total = learned.evidence.weighted * learned.weighted.weights.sum()
        assert frame.loc["weighted", "weight"].sum() == pytest.approx(total)
        missed = frame[["missed_by_class", "missed_by_others"]]
        assert ((missed >= 0) & (missed <= 1)).all(axis=None)


def test_the_frame_tells_shares_of_rows(by_evidence, noisy):
    (X, y), fitted = noisy, by_evidence["weighted"]
    atoms, sample = fitted.learned_.weighted, fitted.sample_
    assert len(sample.labels) == len(X)  # all rows are in the sample
    true = np.column_stack([fitted.encoder_.transform(X), np.zeros(len(X), dtype=bool)])
    heaviest = int(np.abs(atoms.weights).argmax())
    k, (start, end) = atoms.classes[heaviest], atoms.atoms.starts[heaviest : heaviest + 2]
    missed = ~true[:, atoms.atoms.constants[start:end]].any(axis=1)
    row = fitted.atoms_frame().loc["weighted"].iloc[0]
    assert row["missed_by_class"] == pytest.approx(missed[y == k].mean())
    assert row["missed_by_others"] == pytest.approx(missed[y != k].mean())


@pytest.mark.parametrize("kind", KINDS)
def test_what_decides_is_important(by_evidence, kind):
    found = by_evidence[kind].feature_importances_
    assert found.sum() == pytest.approx(1) and (found >= 0).all()
    assert found.argmax() == 0  # width
    if kind == "weighted":
        assert found[3] < 0.75 * found[0]  # noise


def test_without_pandas_the_error_says_what_to_do(by_evidence, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match="pip install pandas"):
        by_evidence["strict"].atoms_frame()


def again(classifier, tmp_path):
    """The same once more, of its own."""
    classifier.save(tmp_path / "again.atoms")
    return atomlearn.load(tmp_path / "again.atoms")


@pytest.mark.parametrize("kind", KINDS)
def test_merging_a_classifier_with_itself_changes_nothing(by_evidence, noisy, tmp_path, kind):
    X = noisy[0]
    ours = again(by_evidence[kind], tmp_path)
    before = ours.predict_proba(X)
    told = ours.merge(by_evidence[kind], tmp_path / "again.atoms")
    assert all(one.new == 0 and one.known > 0 for one in told.values())
    np.testing.assert_allclose(ours.predict_proba(X), before, rtol=1e-9, atol=1e-12)
    assert ours.evidence_.chosen == kind


def test_weights_are_averaged_by_rows(by_evidence, noisy, tmp_path):
    X = noisy[0]
    ours = again(by_evidence["weighted"], tmp_path)
    other = again(by_evidence["weighted"], tmp_path)
    other.learned_.weighted.weights[::3] *= -2.0
    other.sample_.totals[:] *= 3
    scores = [one.decision_function(X) - one.learned_.prior for one in (ours, other)]
    ours.merge(other)
    expected = 0.25 * scores[0] + 0.75 * scores[1] + ours.learned_.prior
    np.testing.assert_allclose(ours.decision_function(X), expected, atol=1e-9)
    assert ours.estimated_error_ is None  # the other may have learned from the rows held out here
    ours.explain(X.iloc[0]), ours.definition(1), ours.atoms_frame()
    assert (again(ours, tmp_path).predict_proba(X) == ours.predict_proba(X)).all()


@pytest.mark.parametrize("kinds", [("strict", "weighted"), ("weighted", "strict")])
def test_strict_and_weighted_together_are_both(by_evidence, tmp_path, kinds):
    ours, other = (again(by_evidence[kind], tmp_path) for kind in kinds)
    ours.merge(other)
    assert ours.evidence_.chosen == "both" and ours.evidence_.strict == 0.5
    for k, pool in enumerate(ours.learned_.pools):  # only strict atoms are counted
        assert len(pool) == len(by_evidence["strict"].learned_.pools[k])


def test_weights_that_cannot_be_averaged(by_evidence, noisy, tmp_path):
    X, y = noisy
    ours = again(by_evidence["weighted"], tmp_path)
    with pytest.raises(DifferentConstants, match="a pool has no weights"):
        ours.merge(by_evidence["strict"].pool(0))
    other = AlgebraicClassifier(random_state=0, max_epochs=3, evidence="weighted")
    with pytest.raises(DifferentConstants, match="same classes and cuts"):
        ours.merge(other.fit(X[:150], y[:150]))


def overlapping(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] + X[:, 1] * (X[:, 2] > 0) + 0.5 * rng.normal(size=n) > 0) * 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_batches_go_on_from_the_weights(n_classes):
    """What is known stays; a second batch, of which the first had nothing, is learned too."""
    X, y = overlapping(1200, 0)
    y = y if n_classes == 2 else y + (X[:, 3] > 1)
    fitted = AlgebraicClassifier(random_state=0, evidence="weighted", max_epochs=40)
    fitted.fit(X[:200], y[:200])
    known = len(fitted.learned_.weighted)
    fitted.partial_fit(X[200:700], y[200:700]).partial_fit(X[700:], y[700:])
    assert len(fitted.learned_.weighted) > known
    assert fitted.evidence_.chosen == "weighted"
    assert [len(pool) for pool in map(fitted.pool, fitted.classes_)] == [
        ((fitted.learned_.weighted.classes == k) & (fitted.learned_.weighted.weights < 0)).sum()
        for k in range(n_classes)
    ]
    fitted.explain(X[0]), fitted.definition(0)


def test_a_batch_that_teaches_nothing_changes_nothing(by_evidence, noisy, tmp_path):
    X, _ = noisy
    ours = again(by_evidence["weighted"], tmp_path)
    before = ours.predict_proba(X)
    ours.class_weight = {0: 1, 1: 2, 2: 1}
    ours.partial_fit(X[:3], [0, 1, 2])  # too few to hold any out
    assert (ours.predict_proba(X) == before).all()


@pytest.mark.parametrize("kind", ["weighted", "both"])
def test_going_on_from_a_file_is_going_on(by_evidence, noisy, tmp_path, kind):
    X, y = noisy
    one, other = (again(by_evidence[kind], tmp_path) for _ in range(2))
    n_strict = list(map(len, one.learned_.pools))
    one.partial_fit(X[::2], y[::2])
    again(other, tmp_path).partial_fit(X[::2], y[::2])
    other.partial_fit(X[::2], y[::2])
    assert (one.predict_proba(X) == other.predict_proba(X)).all()
    if kind == "both":  # chosen anew
        assert list(map(len, one.learned_.pools)) != n_strict
        assert list(one.evidence_.losses) == list(KINDS)
    else:
        assert one.evidence_.chosen == kind and list(one.evidence_.losses) == [kind]


def test_batches_from_the_start():
    X, y = overlapping(1000, 0)
    fitted = AlgebraicClassifier(random_state=0, evidence="weighted", max_epochs=40)
    for i in range(0, 1000, 250):
        fitted.partial_fit(X[i : i + 250], y[i : i + 250], classes=[0, 1])
    assert fitted.evidence_.chosen == "weighted" and fitted.evidence_.strict == 0


def test_the_estimated_error_is_of_what_is_predicted():
    """Weights that make the classifier say one class far too often are not hidden."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    y = (X[:, 0] + 0.7 * rng.normal(size=3000) > 1.2).astype(int)
    for evidence in ("strict", "weighted", "auto"):
        fitted = AlgebraicClassifier(
            random_state=0, max_epochs=8, evidence=evidence, class_weight={0: 1, 1: 200}
        ).fit(X[:1500], y[:1500])
        true = 1 - fitted.score(X[1500:], y[1500:])
        assert true > 0.2  # without weights, about 0.1
        assert fitted.estimated_error_ == pytest.approx(true, abs=0.06)
        assert fitted.evidence_.errors == {} or min(fitted.evidence_.errors.values()) > 0.1


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
def test_no_weighted_atom_is_listed_twice(way):
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = AlgebraicClassifier(random_state=0, evidence="weighted")
    if way == "fit":
        fitted.fit(X, y)
    else:
        for part in (slice(0, None, 2), slice(1, None, 2)):
            fitted.partial_fit(X[part], y[part], classes=[0, 1, 2])
    frame = fitted.atoms_frame()
    assert not frame.duplicated(["class", "atom"]).any()
    atoms = fitted.learned_.weighted.atoms
    sizes = frame.loc["weighted", "size"].to_numpy()
    assert np.diff(atoms.starts).sum() == sizes.sum()  # no literal that implies another


def test_labels_of_text_that_are_digits_have_weights():
    X, y = np.arange(40.0)[:, None] % 7, np.resize(["1000", "x", "01"], 40)
    weights = {"1000": 3.0, "x": 1.0, "01": 0.5}
    heavy = AlgebraicClassifier(random_state=0, max_epochs=2, class_weight=weights).fit(X, y)
    plain = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, y)
    k = plain.classes_.tolist().index("1000")
    assert (heavy.predict_proba(X)[:, k] > plain.predict_proba(X)[:, k]).all()
    with pytest.raises(ValueError, match=r"\['01', 'x'\], are not in class_weight, .* for 1, no"):
        heavy.set_params(class_weight={"1000": 3.0, 1: 2.0}).fit(X, y)


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_weights_do_not_let_rows_judge_themselves(scale):
    """A row of weight two is not learned from while it is held out."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 4))
    y = (X[:, 0] + rng.normal(size=1200) > 0).astype(int)
    weights = scale * rng.choice([1.0, 2.0, 3.0, 8.0], 400)
    fitted = AlgebraicClassifier(random_state=0, max_epochs=5)
    fitted.fit(X[:400], y[:400], sample_weight=weights)
    assert fitted.estimated_error_ > 0.7 * (1 - fitted.score(X[400:], y[400:])) > 0.1


def test_rows_that_are_given_ten_times_are_held_out_together():
    X, y = load_iris(return_X_y=True)
    once = AlgebraicClassifier(random_state=0).fit(X, y)
    often = AlgebraicClassifier(random_state=0).fit(np.tile(X, (10, 1)), np.tile(y, 10))
    assert often.estimated_error_ == pytest.approx(once.estimated_error_, abs=0.03)
    assert often.estimated_error_ > 0


def test_a_class_of_weight_zero_needs_no_other_weight():
    X, y = np.arange(40.0)[:, None] % 7, np.resize(["a", "b", "c"], 40)
    clf = AlgebraicClassifier(random_state=0, max_epochs=2, class_weight={"b": 0.0}).fit(X, y)
    assert clf.classes_.tolist() == ["a", "c"]
