"""What is said to have no solution has none, and the givens that are named clash."""

import pickle
import random

import networkx as nx
import numpy as np
import pytest

from atomlearn import InconsistentRelations
from atomlearn.errors import ContradictoryGivens
from atomlearn.problems import colouring, hamiltonian, queens, sudoku
from atomlearn.problems.game import Choices, one_of_each, play
from atomlearn.problems.graphs import graph
from atomlearn.problems.refuting import minimal
from tests import naive
from tests.problems import oracle


def probed(positives, pairs, start):
    """Probing in plain sets."""
    known = naive.closure(start, positives)

    def clashes(closed):
        return any(yes in closed and no in closed for yes, no in pairs)

    while not clashes(known):
        is_open = [(yes, no) for yes, no in pairs if yes not in known and no not in known]
        never = {no for yes, no in is_open if clashes(naive.closure(known | {yes}, positives))}
        always = {yes for yes, no in is_open if clashes(naive.closure(known | {no}, positives))}
        if not never | always:
            return False
        known = naive.closure(known | never | always, positives)
    return True


def random_rules(rng):
    names = "abcdefgh"[: rng.randint(4, 8)]
    groups = [rng.sample(names, rng.randint(2, 3)) for _ in range(rng.randint(2, 4))]
    used = sorted({name for group in groups for name in group})
    also = {name: rng.sample(used, rng.randint(0, 1)) for name in used}
    return one_of_each(groups, also), rng.sample(used, rng.randint(0, 1))


def solutions(rules, given):
    """All ways to choose, by trying every set."""
    for chosen in naive.subsets(rules.excluded):
        alone = all(chosen.isdisjoint(rules.excluded[name]) for name in chosen)
        if alone and set(given) <= chosen and all(chosen & set(g) for g in rules.one_of):
            yield chosen


@pytest.mark.slow
@pytest.mark.kernels
def test_small_problems_against_trying_everything():
    rng = random.Random(0)
    refuted = unknown = 0
    for _ in range(500):
        rules, given = random_rules(rng)
        possible = any(solutions(rules, given))
        try:
            answer = play(rules, given).setting.refutation()
        except ContradictoryGivens as error:
            assert not possible and not any(solutions(rules, error.givens))
            assert set(error.givens) <= set(given)
            continue
        whole = Choices(rules)
        positives = [(frozenset(r.left.constants), frozenset(r.right.constants))
                     for r in whole.positive()]  # fmt: skip
        pairs = [(name, f"!{name}") for name in rules.excluded]
        assert (answer is not None) == probed(positives, pairs, {"U", "S", *given})
        if answer is None:
            unknown += not possible
            continue
        refuted += 1
        assert not possible and not any(solutions(rules, answer.givens))
        for left_out in answer.givens:
            rest = [name for name in answer.givens if name != left_out]
            assert not play(rules, rest).setting.is_refuted(rest)
    assert refuted > 10 and unknown < refuted


@pytest.mark.slow
def test_random_sudokus_against_ortools():
    rng = random.Random(1)
    outcomes = {"solvable": 0, "contradictory": 0, "refuted": 0, "unknown": 0}
    for _ in range(60):
        cells = ["."] * 16
        for i in rng.sample(range(16), 5):
            cells[i] = str(rng.randint(1, 4))
        puzzle = "".join(cells)
        possible = bool(oracle.sudoku(sudoku.parse(puzzle), (2, 2)))
        try:
            answer = sudoku.solve(puzzle).refutation
        except ContradictoryGivens as error:
            outcomes["contradictory"] += 1
            assert not possible and not oracle.sudoku(only(error.givens), (2, 2))
            continue
        kind = "refuted" if answer else "solvable" if possible else "unknown"
        outcomes[kind] += 1
        assert not (answer and possible)
        assert answer is None or not oracle.sudoku(only(answer.givens), (2, 2))
    assert outcomes["unknown"] == 0 and min(outcomes["solvable"], outcomes["contradictory"]) > 5


def only(givens):
    grid = np.zeros((4, 4), dtype=int)
    for name in givens:  # r1c5=7
        grid[int(name[1]) - 1, int(name[3]) - 1] = int(name[5])
    return tuple(map(tuple, grid.tolist()))


@pytest.mark.slow
def test_random_graphs_against_ortools():
    refuted = 0
    for seed in range(40):
        source = nx.gnp_random_graph(7, 0.5, seed=seed)
        g = graph(source)
        edges = [tuple(edge) for edge in g.edges]
        if colouring.solve(source, 3).refutation is not None:
            refuted += 1
            assert not oracle.is_colourable(g.vertices, edges, 3)
        try:
            answer = hamiltonian.solve(source).refutation
        except ContradictoryGivens as error:
            assert error.givens == ()  # where the cycle begins is nobody's fault
            answer = error
        if answer is not None:
            refuted += 1
            assert not oracle.cycles(g.vertices, g.adjacent)
    assert refuted > 15


def test_queens_that_are_in_each_others_way():
    assert queens.solve(8, ["b4", "d5"]).refutation is None
    assert queens.solve(4, ["a1"]).refutation.givens == ("a1",)
    with pytest.raises(ContradictoryGivens) as raised:
        queens.solve(8, ["d5", "b4", "c1", "h4"])
    assert raised.value.givens == ("b4", "h4")
    (conflict,) = raised.value.conflicts
    assert str(conflict.derivation[0]) == "Qb4 Qh4 < S"
    again = pickle.loads(pickle.dumps(raised.value))
    assert isinstance(again, InconsistentRelations)
    assert (again.givens, str(again)) == (raised.value.givens, str(raised.value))


def test_more_than_two_givens_that_clash_only_together():
    puzzle = "12.. ...3 ...4 ...."  # nothing is left for row 1, column 4
    assert not oracle.sudoku(sudoku.parse(puzzle), (2, 2))
    with pytest.raises(ContradictoryGivens) as raised:
        sudoku.solve(puzzle)
    named = raised.value.givens
    assert len(named) > 2 and not oracle.sudoku(only(named), (2, 2))
    for left_out in named:
        assert oracle.sudoku(only([name for name in named if name != left_out]), (2, 2))


def test_the_few_of_many():
    calls = []

    def fails(some):
        calls.append(len(some))
        return {3, 77} <= set(some)

    assert minimal(range(100), fails) == (3, 77)
    assert len(calls) < 40
