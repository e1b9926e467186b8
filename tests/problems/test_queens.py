"""Queens: the relations against the paper, the boards against OR-Tools."""

import numpy as np
import pytest

from atomlearn import InconsistentRelations
from atomlearn.errors import InvalidProblem
from atomlearn.problems import queens
from atomlearn.problems.solving import ATTEMPTS, PAPER
from tests.problems import oracle

BOTH = oracle.queens(8, ["b4", "d5"])


def found(size, fixed, **options):
    return {frozenset(board.queens) for board in queens.solve(size, fixed, **options)}


# -- relations


@pytest.mark.parametrize("size", range(1, 10))
def test_rules_are_consistent(size):
    assert queens.rules(size).conflicts() == []
    assert queens.algebra(size).conflicts() == []


def test_rules_are_the_papers():
    """One by one as the paper writes them, on the smallest board that has all kinds."""
    alg = queens.rules(5)
    squares = [queens.square_name(x, y) for x in range(5) for y in range(5)]
    for name in squares:
        for other in squares:
            alone = alg.entails(alg[f"E{other}"] <= alg["U"] | alg[f"Q{name}"])
            if other != name and not queens.is_legal(5, [name, other]):
                assert alone
        assert alg.entails(alg["R" + name[1:]] | alg["C" + name[0]] <= alg["Q" + name])
    row = alg.term(["U", *(f"E{c}3" for c in "abde")])
    column = alg.term(["U", *(f"Ec{r}" for r in (1, 2, 4, 5))])
    assert alg.entails(alg["Qc3"] <= row)
    assert alg.entails(alg["Qc3"] <= column)
    assert not alg.entails(alg["Ed3"] <= alg["Qc3"])  # nothing follows without U
    assert alg.entails(~(alg["Qc3"] <= alg.term([f"E{name}" for name in squares])))


def test_attacked_squares_follow_for_the_rules_and_the_solution():
    alg = queens.algebra(8, ["b4", "d5"])
    assert alg.entails(alg["Eb5"] <= alg["U"] | alg["S"])
    assert not alg.entails(alg["Eb5"] <= alg["S"])


def test_a_full_board_is_closed_and_two_signs_are_everything():
    alg = queens.algebra(8, ["b4", "d5"])
    board = next(iter(BOTH))
    whole = alg.closure(alg.term(["U", "S", *(f"Q{name}" for name in board)]))
    assert {c for c in whole.constants if c[0] == "Q"} == {f"Q{name}" for name in board}
    assert len(alg.closure(alg.term("U Qc3 Ec3"))) >= 2 * 64


@pytest.mark.parametrize("fixed", [["b4", "b7"], ["a1", "c3"], ["a1", "h1"]])
def test_attacking_queens_are_a_contradiction_with_a_derivation(fixed):
    with pytest.raises(InconsistentRelations) as raised:
        queens.solve(8, fixed)
    derivation = min((c.derivation for c in raised.value.conflicts), key=len)
    assert any(set(r.left.constants) == {f"Q{name}" for name in fixed} for r in derivation)


# -- boards


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2, 3))])
def test_both_completions_with_idle_epochs(seed):
    assert found(8, ["b4", "d5"], random_state=seed, max_epochs=60, schedule=PAPER) == BOTH


def _games():
    rng = np.random.default_rng(0)
    for size in (5, 6, 7, 9, 10):
        for n_fixed in (1, 2, 3):
            boards = sorted(map(sorted, oracle.queens(size)))
            board = boards[rng.integers(len(boards))]
            fixed = sorted(rng.choice(board, n_fixed, replace=False).tolist())
            yield pytest.param(size, fixed, marks=[pytest.mark.slow] if size > 9 else [])


@pytest.mark.parametrize(("size", "fixed"), list(_games()))
def test_other_boards(size, fixed):
    """Only completions are shown, and the first is found, on boards that can be completed."""
    solver = queens.solve(size, fixed, random_state=0, max_epochs=150)
    assert frozenset(next(solver).queens) in oracle.queens(size, fixed)


@pytest.mark.parametrize("size", [1, 4, 5])
def test_no_fixed_queens(size):
    some = found(size, [], random_state=0, max_epochs=100)
    assert some and some <= oracle.queens(size)


@pytest.mark.parametrize(
    ("size", "fixed"), [(2, []), (3, []), (6, ["a1"]), (8, ["a1", "b3", "c6"])]
)
def test_without_a_completion(size, fixed):
    """Probing shows it, and that is told."""
    assert not oracle.queens(size, fixed)
    solver = queens.solve(size, fixed, random_state=0, max_epochs=40)
    assert list(solver) == []
    assert solver.epochs.number == 0
    assert set(solver.refutation.givens) <= set(fixed)
    assert "there is no solution" in str(solver.summary)


@pytest.mark.slow
def test_insertions_find_more():
    some = found(9, ["c7"], random_state=0, max_epochs=60, schedule=ATTEMPTS)
    assert len(some) > 3 and some <= oracle.queens(9, ["c7"])


@pytest.mark.slow
def test_the_same_seed_gives_the_same_boards():
    runs = [[b.epoch for b in queens.solve(7, ["c3"], random_state=5, max_epochs=40)] for _ in "12"]
    assert runs[0] == runs[1] and runs[0]


# -- what a user may get wrong


@pytest.mark.parametrize("name", ["", "i1", "a9", "a0", "4b", "bb4", "Q"])
def test_squares_off_the_board(name):
    with pytest.raises(InvalidProblem, match="a1 to h8"):
        queens.algebra(8, [name])


@pytest.mark.parametrize("size", [0, -1, 27, "8"])
def test_sizes(size):
    with pytest.raises(InvalidProblem):
        queens.rules(size)


def test_a_fixed_queen_may_be_named_twice_and_in_capitals():
    assert next(queens.solve(6, ["B1", "b1"], random_state=0)).fixed[0] == "b1"


@pytest.mark.parametrize(
    ("placed", "legal"),
    [(["a1", "b3"], True), (["a1", "a3"], False), (["a1", "c1"], False), (["b4", "d2"], False)],
)
def test_is_legal(placed, legal):
    assert queens.is_legal(8, placed) is legal


def test_a_board_with_too_few_or_illegal_queens_is_not_solved():
    full = ("b1", "d2", "f3", "a4", "c5", "e6")
    board = queens.Board(6, full, frozenset())
    assert board.solved()
    assert not queens.Board(6, full[:5], frozenset()).solved()
    assert not queens.Board(6, ("c1", *full[1:]), frozenset()).solved()
    assert not queens.Board(6, full, frozenset(), fixed=("a1",)).solved()
    assert str(board).splitlines()[-2].split() == ["1", *".Q...."]
    partial = queens.Board(6, full[:1], frozenset(["a1"]))
    assert str(partial).splitlines()[-2].split() == ["1", *".Q????"]
