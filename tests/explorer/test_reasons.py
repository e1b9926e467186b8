"""What a page says beside probabilities: sums of evidence, and changes that change the answer."""

import numpy as np
import pandas as pd
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.explorer.classifiers import classifier_data
from atomlearn.export.description import describe
from atomlearn.training.scores import softmax
from tests.explorer import node
from tests.explorer.test_scorer import cells, with_both

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
    parts: parts.map((one) => one.offset + one.strict + one.weighted),
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


LISTED = """
import { account, comparison, shortened } from "./evidence.js";
import { Scorer, softmax } from "./scorer.js";
import { Space } from "./space.js";
const sum = (terms) => terms.reduce((all, one) => all + one.value, 0);
console.log(JSON.stringify(data.map(({ model, cells, rows }) => {
  const scorer = new Scorer(model);
  const space = new Space(scorer, cells);
  return rows.map((row) => {
    const has = scorer.truth(row);
    const parts = scorer.parts(has);
    const terms = model.classes.map((_, k) => account(scorer, space, has, parts, k));
    const sums = terms.map((one) => sum(shortened(one, 3)));
    const odds = sum(shortened(comparison(scorer, space, has, parts, 0, 1), 3));
    return { sums, odds, excluded: [...scorer.excluded(has)] };
  });
})));
"""


@pytest.fixture(scope="module")
def tables(mixed, noisy):
    """Classifiers of every kind, each with the table that it was learned from."""

    def fitted(table, **parameters):
        return AlgebraicClassifier(random_state=0, max_epochs=4, **parameters).fit(*table), table

    weights = {0: 1, 1: 5, 2: 0.3}
    found = [
        fitted(mixed, evidence="strict", class_weight="balanced"),
        fitted(noisy, evidence="weighted", class_weight=weights),
        fitted(noisy, evidence="strict"),
        fitted(noisy, rules=["not 0 if width > 1.5", "1 if colour = red and depth is missing"]),
    ]
    strict = fitted(noisy, evidence="strict", class_weight=weights)[0]
    return [*found, (with_both(strict, found[1][0]), noisy)]


@node.needs_node
@pytest.mark.filterwarnings("ignore")
def test_all_that_is_listed_adds_up_to_what_is_predicted(tables, tmp_path):
    rng = np.random.default_rng(0)
    drawn = [rng.permutation(len(X))[:50] for _, (X, _) in tables]
    data = [
        {"model": describe(clf), "cells": classifier_data(clf)["cells"],
         "rows": cells(clf, X.iloc[rows])}
        for (clf, (X, _)), rows in zip(tables, drawn, strict=True)
    ]  # fmt: skip
    assert {clf.learned_.evidence.chosen for clf, _ in tables} == {"strict", "weighted", "both"}
    for (clf, (X, _)), rows, found in zip(
        tables, drawn, node.run(LISTED, data, tmp_path), strict=True
    ):
        sums = np.array([one["sums"] for one in found])
        assert np.allclose([one["odds"] for one in found], sums[:, 0] - sums[:, 1], atol=1e-9)
        for i, one in enumerate(found):
            sums[i, one["excluded"]] = -np.inf
        assert np.abs(softmax(sums) - clf.predict_proba(X.iloc[rows])).max() < 1e-9
        assert (clf.classes_[sums.argmax(axis=1)] == clf.predict(X.iloc[rows])).all()


@pytest.mark.parametrize("evidence", ["strict", "weighted"])
def test_the_confusion_matrix_is_of_what_is_predicted(noisy, evidence):
    X, y = noisy
    clf = AlgebraicClassifier(
        random_state=0,
        max_epochs=4,
        evidence=evidence,
        class_weight={0: 1e9, 1: 1, 2: 1},
        rules=["not 0 if width > 0"],
    ).fit(X, y)
    left_out = (X["width"] > 0) & (y == 0)  # the rule contradicts these rows
    found = np.array(classifier_data(clf)["confusion"])
    assert found.sum() == (~left_out).sum()
    assert found[:, 0].sum() == (X["width"] <= 0).sum() == (clf.predict(X) == 0).sum()


def test_models_of_very_many_atoms_have_no_list_of_them(fitted):
    assert classifier_data(fitted)["atoms"] is not None
    assert classifier_data(fitted, max_listed=10)["atoms"] is None


def test_shares_of_the_listed_atoms_are_those_of_the_frame(fitted):
    frame, told = fitted.atoms_frame().drop("offset"), classifier_data(fitted)
    model, shares = describe(fitted), told["atoms"]
    ours = [one for part in shares["strict"] for one in part] + (shares["weighted"] or [])
    theirs = frame[["missed_by_class", "missed_by_others"]].round(4).to_numpy().tolist()
    unit = frame["class"].map(frame.attrs["strict_weight"])  # strict atoms may say the same
    times = (frame["weight"] / unit).where(frame.index == "strict", 1.0).round().astype(int)
    listed = [one for one, n in zip(theirs, times, strict=True) for _ in range(n)]
    assert sorted(ours) == sorted(listed)
    if not shares["strict"]:
        by_class = np.argsort(model["weighted"]["classes"], kind="stable")
        sizes = -np.abs(np.array(model["weighted"]["weights"])[by_class])
        heaviest = by_class[np.argsort(sizes, kind="stable")]
        assert [ours[i] for i in heaviest] == theirs


def test_the_frame_lists_the_heaviest_atoms_first(fitted):
    frame = fitted.atoms_frame()
    kinds = frame.index.tolist()
    assert kinds == sorted(kinds, key=["offset", "strict", "weighted"].index)
    assert (frame.loc["offset", "class"] == fitted.classes_).all()
    for kind in set(kinds) - {"offset"}:
        sizes = frame.loc[[kind], "weight"].abs().to_numpy()
        assert (sizes[:-1] >= sizes[1:]).all()
