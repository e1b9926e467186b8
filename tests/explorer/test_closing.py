"""The closure of the page is Python's, with the same derivations."""

import numpy as np
import pytest

from atomlearn import Algebra
from atomlearn.algebra.terms import parse_relation, write_names
from atomlearn.explorer.page import algebra_data, queens_data, sudoku_data
from atomlearn.problems import queens
from tests.explorer import node

QUERIES = """
import { Relations } from "./closing.js";
console.log(JSON.stringify(data.map(({ told, asked }) => {
  const known = new Relations(told.names.length, told.positive, told.negative);
  return {
    conflicts: known.conflicts(),
    closures: asked.map(([, right]) => known.rules.closure(right)),
    answers: asked.map(([left, right, isPositive]) => known.query(left, right, isPositive)),
  };
})));
"""


def random_algebra(rng):
    n = int(rng.integers(3, 9))
    alg = Algebra([f"c{i}" for i in range(n)])

    def term():
        return alg.term([f"c{i}" for i in rng.choice(n, int(rng.integers(1, min(n, 4))), False)])

    relations = [term() <= term() for _ in range(int(rng.integers(1, 12)))]
    alg.add(one if rng.random() < 0.6 else ~one for one in relations)
    return alg, [term() <= term() for _ in range(8)]


@node.needs_node
def test_every_answer_is_that_of_the_algebra(tmp_path):
    rng = np.random.default_rng(0)
    cases = [random_algebra(rng) for _ in range(150)]
    data = []
    for alg, asked in cases:
        asked[4:] = [~one for one in asked[4:]]
        indices = [[list(r.left.indices), list(r.right.indices), r.positive] for r in asked]
        data.append({"told": {**algebra_data(alg), "atoms": None}, "asked": indices})
    verdicts = set()
    for (alg, asked), found in zip(cases, node.run(QUERIES, data, tmp_path), strict=True):
        positive, negative = alg.positive, alg.negative
        conflicts = alg.conflicts()
        assert [negative[c["negative"]] for c in found["conflicts"]] == [
            c.relation for c in conflicts
        ]
        assert [[positive[i] for i in c["derivation"]] for c in found["conflicts"]] == [
            list(c.derivation) for c in conflicts
        ]
        for relation, closed, answer in zip(
            asked, found["closures"], found["answers"], strict=True
        ):
            assert closed == list(alg.closure(relation.right).indices)
            if conflicts:
                continue  # then Python says nothing of it
            expected = alg.query(relation)
            extra = [*positive, relation if relation.positive else ~relation]
            assert answer["verdict"] == expected.verdict
            assert [extra[i] for i in answer["derivation"]] == list(expected.derivation)
            broken = None if expected.conflict is None else expected.conflict.relation
            assert broken == (None if answer["breaks"] is None else negative[answer["breaks"]])
            verdicts.add(expected.verdict)
    assert verdicts == {"follows", "contradicted", "open"}


PARSE = """
import { parseRelation, writeName } from "./syntax.js";
console.log(JSON.stringify(data.map((text) => {
  try {
    const { left, right, isPositive } = parseRelation(text);
    return [left, isPositive, right, [...left, ...right].map(writeName).join(" ")];
  } catch { return null; }
})));
"""


@node.needs_node
def test_relations_are_read_as_python_reads_them(tmp_path):
    texts = ["v < c1 c2", "v !< c1", "v!<c1", "a<=b", '"top left" < a', r"'it\'s' < a", "a! < b",
             r'"5\"" < x', "ä < ☃", '"<" !< "#"', "a = < b", '"not" < b']  # fmt: skip
    wrong = ["", "a", "a <", "< a", "a < b < c", '"a < b', 'a"b < c']
    found = node.run(PARSE, texts + wrong, tmp_path)
    for text, ours in zip(texts, found, strict=False):
        left, positive, right = parse_relation(text)
        assert ours[:3] == [left, positive, right], text
        assert ours[3] == write_names([*left, *right])
    assert found[len(texts) :] == [None] * len(wrong)


BOARD = """
import { Position } from "./position.js";
console.log(JSON.stringify(data.tries.map((given) => {
  const position = new Position(data.told, given);
  const both = position.contradictions();
  return {
    made: position.made(), excluded: position.excluded(), both,
    givens: both.length ? position.why(both[0]).givens : [],
  };
})));
"""


@node.needs_node
def test_what_follows_on_a_board_is_what_follows_in_python(tmp_path):
    rng = np.random.default_rng(1)
    told = queens_data(6, ["b1"], max_epochs=1)
    setting = queens.game(6, []).setting
    squares = list(setting.yes)
    tries = [[], *([squares[i] for i in rng.choice(36, k, False)] for k in (1, 2, 3, 4) * 12)]
    seen = set()
    for given, found in zip(
        tries, node.run(BOARD, {"told": told, "tries": tries}, tmp_path), strict=True
    ):
        start = setting.algebra.term(
            [setting.rule, setting.solution, *(setting.yes[name] for name in given)]
        )
        closed = set(setting.algebra.closure(start).indices)
        made = [name for name in squares if setting.yes[name].indices[0] in closed]
        out = [name for name in squares if setting.no[name].indices[0] in closed]
        assert (found["made"], found["excluded"]) == (made, out)
        assert found["both"] == [name for name in made if name in out]
        assert bool(found["both"]) == setting.is_contradictory(given)
        if found["both"]:
            assert set(found["givens"]) <= set(given)
            assert setting.is_contradictory(found["givens"])
        seen.add(bool(found["both"]))
    assert seen == {True, False}


def test_the_course_of_learning_is_on_the_page():
    told = queens_data(6, ["b1"], max_epochs=30)
    solved = [one for one in told["epochs"] if one["solved"]]
    assert solved[0]["chosen"] == ["b1", "d2", "f3", "a4", "c5", "e6"]
    assert len(told["sentences"]) == len(told["positive"])
    assert "a queen on b4 leaves all squares empty that it attacks" in told["sentences"]
    contradictory = queens_data(6, ["b1", "b2"])
    assert contradictory["epochs"] == [] and "b1" in contradictory["outcome"]


def test_a_sudoku_that_the_rules_decide_has_one_board():
    told = sudoku_data("1... ..3. .4.. ...2", max_epochs=20)
    assert told["epochs"][-1]["solved"] and len(told["epochs"][-1]["chosen"]) == 16
    assert told["sentences"][0].startswith("r1c1=1 excludes")


@pytest.mark.parametrize("consistent", [True, False])
def test_relations_have_a_model_unless_they_contradict_each_other(consistent):
    alg = Algebra(["a", "b", "c"])
    a, b, c = alg
    alg.add(a <= b, ~(a <= c))
    if not consistent:
        alg.add(b <= c)
    assert (algebra_data(alg)["atoms"] is not None) == consistent
