"""What a page says beside probabilities: sums of evidence, and changes that change the answer."""

import numpy as np
import pandas as pd
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.classifier.scorer import describe
from atomlearn.explorer.classifiers import classifier_data
from tests.explorer import node

REASONS = """
import { Counting } from "./counting.js";
import { comparison } from "./evidence.js";
import { nearestFlips } from "./flips.js";
import { Scorer } from "./scorer.js";
import { Space } from "./space.js";
globalThis.performance ??= { now: () => 0 };
const scorer = new Scorer(data.model);
const space = new Space(scorer, data.cells);
const counting = new Counting(scorer);
const order = data.cells.map((_, j) => j);
console.log(JSON.stringify(data.rows.map((row) => {
  const has = scorer.truth(row);
  const parts = scorer.parts(has);
  counting.set(has);
  const flips = nearestFlips(counting, space, row, order, 100);
  return {
    terms: comparison(scorer, space, has, parts, 0, 1).map((one) => one.value),
    parts: parts.map((one) => one.prior + one.strict + one.weighted),
    same: counting.scoresIf([]),
    scores: scorer.scores(has),
    flips: flips.map(({ changes, scores, distance }) => ({
      changes: changes.map(({ column, cell }) => [column, cell]), distance,
      scores: scores.map((score) => (Number.isFinite(score) ? score : null)),
    })),
  };
})));
"""


@pytest.fixture(scope="module", params=["strict", "weighted", "rules"])
def fitted(request, noisy):
    rules = ["not 0 if width > 1.5", "1 if colour = red and depth is missing"]
    return AlgebraicClassifier(
        random_state=0,
        max_epochs=4,
        evidence="auto" if request.param == "rules" else request.param,
        rules=rules if request.param == "rules" else None,
    ).fit(*noisy)


@pytest.fixture(scope="module")
def noisy():
    """Three classes that overlap, in a frame with missing values."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=["width", "height", "depth"])
    frame["colour"] = rng.choice(["red", "green", "blue"], 200)
    frame.loc[::19, "depth"] = np.nan
    score = frame["width"] + (frame["colour"] == "red") + 0.7 * rng.normal(size=200)
    return frame, np.digitize(score, [-0.2, 0.8])


@node.needs_node
@pytest.mark.filterwarnings("ignore")
def test_reasons_add_up_and_changes_change_the_prediction(fitted, tmp_path):
    told = classifier_data(fitted)
    rows = [example["row"] for example in told["examples"][:40]]
    data = {"model": describe(fitted), "cells": told["cells"], "rows": rows}
    names = [column.name for column in fitted.encoder_.columns_]

    def predicted(rows):
        return fitted.predict(pd.DataFrame(rows, columns=names).astype(object))

    before, after, claimed = [], [], []
    for row, found in zip(rows, node.run(REASONS, data, tmp_path), strict=True):
        first, second = found["parts"][:2]
        assert sum(found["terms"]) == pytest.approx(first - second, abs=1e-9)
        assert found["terms"] == sorted(found["terms"], key=abs, reverse=True)
        assert found["same"] == pytest.approx(found["scores"], abs=1e-9, nan_ok=True)
        distances = [flip["distance"] for flip in found["flips"]]
        assert distances == sorted(distances)
        for flip in found["flips"][:3]:
            changed = list(row)
            for column, cell in flip["changes"]:
                changed[column] = cell
            before.append(row)
            after.append(changed)
            scores = [-np.inf if score is None else score for score in flip["scores"]]
            claimed.append(fitted.classes_[int(np.argmax(scores))])
    assert len(claimed) > 20
    assert predicted(after).tolist() == claimed
    assert (predicted(before) != predicted(after)).all()


def test_models_of_very_many_atoms_have_no_list_of_them(fitted, monkeypatch):
    assert classifier_data(fitted)["atoms"] is not None
    monkeypatch.setattr("atomlearn.explorer.classifiers.MOST_LISTED", 10)
    assert classifier_data(fitted)["atoms"] is None


def test_shares_of_the_listed_atoms_are_those_of_the_frame(fitted):
    frame, told = fitted.atoms_frame().drop("offset"), classifier_data(fitted)
    model, shares = describe(fitted), told["atoms"]
    ours = [one for part in shares["strict"] for one in part] + (shares["weighted"] or [])
    assert len(ours) == len(frame)
    theirs = frame[["missed_by_class", "missed_by_others"]].round(4).to_numpy().tolist()
    assert sorted(ours) == sorted(theirs)
    if not shares["strict"]:
        by_class = np.argsort(model["weighted"]["classes"], kind="stable")
        assert [ours[i] for i in by_class] == theirs
