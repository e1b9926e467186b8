"""The page computes the same probabilities as Python, on every row."""

import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris

from atomlearn import AlgebraicClassifier
from atomlearn.errors import UnsavableValue
from atomlearn.explorer.classifiers import classifier_data
from atomlearn.export.description import describe, json_value, packed
from atomlearn.tables.validation import read_table
from atomlearn.training.scores import Evidence
from tests.explorer import node

SCORE = """
import { Scorer } from "./scorer.js";
import { unpacked } from "./unpack.js";
const out = [];
for (const { model, rows } of data) {
  const scorer = new Scorer(await unpacked(model));
  out.push(rows.map((row) => scorer.probabilities(row)));
}
console.log(JSON.stringify(out));
"""


def cells(clf, X):
    """The rows of a table as JSON has them."""
    table = read_table(clf, X, reset=False)
    return [[None if pd.isna(c) else json_value(c) for c in row] for row in table.tolist()]


def with_both(strict, weighted):
    """A classifier that is decided by both kinds of atoms."""
    both = copy.deepcopy(strict)
    evidence = Evidence("both", {"both": 0.5}, {"both": 0.2}, 0.6, 0.5)
    both.learned_ = replace(both.learned_, weighted=weighted.learned_.weighted, evidence=evidence)
    return both


@pytest.fixture(scope="module")
def fitted(mixed):
    """Classifiers of each kind, with the rows to score."""
    X, y = mixed
    rng = np.random.default_rng(0)
    odd = pd.concat([X, X.sample(60, random_state=1)], ignore_index=True)
    for name in odd.columns:  # missing values where training had none
        odd[name] = odd[name].astype(object).where(rng.random(len(odd)) > 0.15, None)
    odd.loc[rng.random(len(odd)) < 0.2, "colour"] = "violet"
    made = {}
    for kind in ("strict", "weighted"):
        made[kind] = AlgebraicClassifier(
            random_state=0, max_epochs=6, evidence=kind, class_weight={"no": 1, "yes": 3}
        ).fit(X, y)
    made["both"] = with_both(made["strict"], made["weighted"])
    made["rules"] = AlgebraicClassifier(
        random_state=0,
        max_epochs=6,
        rules=["not yes if size > 0.5 and rooms is known", "no if colour = blue",
               "yes if smoker = true and size <= 0.5 and colour != blue"],
    ).fit(X, y)  # fmt: skip
    rows = {kind: (clf, odd) for kind, clf in made.items()}
    digits, label = load_digits(return_X_y=True)
    images = AlgebraicClassifier(random_state=0, max_epochs=3, evidence="strict")
    rows["digits"] = (images.fit(digits[:300], label[:300]), digits[:400])
    flowers = load_iris(as_frame=True)
    clf = AlgebraicClassifier(random_state=0, max_epochs=6)
    rows["iris"] = (clf.fit(flowers.data, flowers.target_names[flowers.target]), flowers.data)
    return rows


@node.needs_node
@pytest.mark.filterwarnings("ignore::atomlearn.errors.UnseenCategories")
@pytest.mark.parametrize(
    "form",
    [describe, lambda clf: packed(describe(clf)), lambda clf: packed(describe(clf), True)],
    ids=["", "packed", "in order"],
)
def test_probabilities_are_those_of_python_on_every_row(fitted, tmp_path, form):
    data = [{"model": form(clf), "rows": cells(clf, X)} for clf, X in fitted.values()]
    found = node.run(SCORE, data, tmp_path)
    for (kind, (clf, X)), ours in zip(fitted.items(), found, strict=True):
        expected = clf.predict_proba(X)
        assert np.abs(np.array(ours) - expected).max() < 1e-9, kind
        assert expected.max() > expected.min()


def test_rules_decide_some_rows(fitted):
    clf, X = fitted["rules"]
    assert (clf.predict_proba(X) == 0).any()
    assert len(describe(clf)["rules"]) == 3


def test_a_label_that_json_has_no_value_for_is_refused():
    with pytest.raises(UnsavableValue, match="bytes"):
        json_value(b"a")
    assert json_value(1 << 60) == str(1 << 60)


@node.needs_node
def test_integers_that_javascript_would_round_are_compared_by_their_digits(tmp_path):
    literals = [[0, ">", str(2**60)], [0, "<=", 0.5], [0, "=", str(2**60 + 1)], [0, "!=", 3]]
    cells = [str(2**60), str(2**60 + 1), 3, str(-(2**60)), None]
    body = """
    import { literalTest } from "./scorer.js";
    const tests = data.literals.map((one) => literalTest(one, { kind: "number" }));
    console.log(JSON.stringify(data.cells.map((cell) => tests.map((test) => test(cell)))));
    """
    found = node.run(body, {"literals": literals, "cells": cells}, tmp_path)
    assert found == [
        [False, False, False, True],
        [True, False, True, True],
        [False, False, False, False],
        [False, True, False, True],
        [False, False, False, False],
    ]


@node.needs_node
def test_rows_of_large_integers_are_scored_as_in_python(tmp_path):
    X = 2**60 + np.arange(60).reshape(-1, 1) % 7
    clf = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, X[:, 0] % 7 > 3)
    examples = classifier_data(clf, X, X[:, 0] % 7 > 3)["examples"]
    data = [{"model": describe(clf), "rows": [one["row"] for one in examples]}]
    (found,) = node.run(SCORE, data, tmp_path)
    own = [chances[int(one["label"])] for chances, one in zip(found, examples, strict=True)]
    assert own == pytest.approx([one["probability"] for one in examples], abs=1e-6)
