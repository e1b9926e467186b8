"""Weighted atoms survive saving, merging and going on, and can be read."""

import io
import json
import zipfile

import numpy as np
import pytest

import atomlearn
from atomlearn.classifier.held_out import classifier_errors
from atomlearn.learning.evidence import Evidence
from fuzz.parts import Parts

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
    kept = atomlearn.AlgebraicClassifier(random_state=0, max_epochs=3, evidence="weighted")
    kept.fit(X, y)
    kept.learned_.prior = np.log([1.0, 1e-300, 1.0]) - [0, np.inf, 0]
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
    said = (learned.unseen.weighted * learned.evidence.weighted + learned.prior).argmax(axis=1)
    share = learned.unseen.weights / learned.unseen.weights.sum()
    wrong = [share[(said == k) != (learned.unseen.labels == k)].sum() for k in range(3)]
    assert classifier_errors(learned) == pytest.approx(wrong)
    assert max(wrong) < 0.5
