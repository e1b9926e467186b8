"""What the claims on images, exact atoms, error bounds and queens measure.

A measure gives named values, or yields whether each of many cases is right; the rules and the
words of the claims are in ``claims.toml``.
"""

import inspect
import math
from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.datasets import vertical_bars
from atomlearn.engine import (
    PAPER,
    Concept,
    Pool,
    dual,
    pinning_relations,
    reduction,
    sparse_crossing,
    trace_constraints,
)
from atomlearn.engine.misses import blocks_of, count_misses
from atomlearn.logic.exact import ExactAtomization
from atomlearn.logic.formulas import Has, Odd, exists, forall
from atomlearn.problems import queens
from atomlearn.problems.queens import Chessboard, square, square_name
from atomlearn.problems.solving import Schedule
from atomlearn_paper.expressions import mean
from atomlearn_paper.images import terms
from atomlearn_paper.toy import images

Values = dict[str, Any]
Cases = Iterator[bool]

FIXED = ["b4", "d5"]
"""The queens that are fixed on the paper's board of 8 × 8."""


# -- the protocol and its files


def numbers_of_the_protocol() -> Values:
    """The numbers that the paper's protocol leaves to choose."""
    names = ("first", "largest", "growth", "atomizations")
    return {"numbers": len(names)} | {name: getattr(PAPER, name) for name in names}


def files_with_floats() -> Values:
    """How many files of the paper's algorithms use floating point numbers."""
    modules = (dual, trace_constraints, sparse_crossing, reduction, pinning_relations)
    floats = sum("float" in inspect.getsource(module) for module in modules)
    return {"floats": floats, "files": len(modules)}


# -- learning bars in batches


def _batches(
    side: int, n: int, size: int, random_state: int
) -> list[tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]]:
    """Images of bars as terms, and their labels, in batches."""
    pictures, labels = vertical_bars(n, shape=(side, side), noise=0.1, random_state=random_state)
    packed = terms(pictures)
    return [(packed[k : k + size], labels[k : k + size]) for k in range(0, n, size)]


def _concept(side: int, recipe: Any = None) -> Concept:
    n = 2 * side * side + 1
    return Concept(n, n - 1, 0, recipe)


def _said(concept: Concept, packed: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """What the last model says of some images."""
    blocks = blocks_of(packed, concept.n_constants)
    return count_misses(concept.masters[-1], blocks, len(packed)) == 0


def forgets_the_batch_before() -> Values:
    """The share of each batch that is judged wrongly after the next one was learned."""
    concept, wrong = _concept(8, PAPER), []
    for before, now in pairwise(_batches(8, 4000, 400, 0)):
        for packed, labels in (before, now):
            concept.learn_batch(packed[labels], packed[~labels])
        wrong.append(float((_said(concept, before[0]) != before[1]).mean()))
    return {"wrong": wrong}


def pins_shared() -> Values:
    """The least error by misses with the pins of two algebras, alone and together."""
    batches = _batches(8, 6000, 400, 1)
    test = blocks_of(np.concatenate([b for b, _ in batches[10:]]), 2 * 64 + 1)
    true = np.concatenate([labels for _, labels in batches[10:]])

    def error(pool: Pool) -> float:
        misses = pool.misses(test, len(true))
        return min(float(((misses <= cut) != true).mean()) for cut in range(60))

    pools = []
    for half in (batches[:5], batches[5:10]):
        concept = _concept(8)
        for packed, labels in half:
            concept.learn_batch(packed[labels], packed[~labels])
        pools.append(concept.pool)
    both = pools[0].copy()
    both.add_lists(pools[1].atoms, 0)
    return {"both": error(both), "alone": [error(pool) for pool in pools]}


def batches_hold() -> Values:
    """How many examples are judged wrongly by the model of their own batch."""
    concept, wrong = _concept(6, PAPER), 0
    for packed, labels in _batches(6, 600, 200, 3):
        concept.learn_batch(packed[labels], packed[~labels])
        wrong += int((_said(concept, packed) != labels).sum())
    return {"wrong": wrong}


def thirty_random_atoms() -> Values:
    """The share of images without a bar that thirty exact atoms at random let pass, ten times."""
    pictures, has_bar = vertical_bars(40_000, shape=(15, 15), noise=0.1, random_state=5)
    blank = pictures[~has_bar].reshape(-1, 15, 15)
    rng, columns = np.random.default_rng(0), np.arange(15)
    passed = []
    for _ in range(10):
        atoms = rng.integers(15, size=(30, 15))
        held = [blank[:, atom, columns].any(axis=1) for atom in atoms]
        passed.append(float(np.all(held, axis=0).mean()))
    return {"passed": passed}


# -- exact atomizations


def _bars(height: int, width: int, pairs: Any = ()) -> ExactAtomization:
    """The exact atoms of a vertical bar."""
    return ExactAtomization(
        exists(range(width), lambda j: forall(range(height), lambda i: Has((i, j)))), pairs
    )


def exact_bars(height: int, width: int) -> Values:
    """How many exact atoms vertical bars have, and of which sizes if they are few."""
    exact = _bars(height, width)
    count = exact.count()
    return {"count": count, "sizes": {len(atom) for atom in exact} if count < 1000 else None}


def printed_formula() -> Values:
    """Images of 3 × 2 that the printed formula judges wrongly, and with its ∨ made ∧."""
    wrong = mended = 0
    for bits in product([False, True], repeat=6):
        a, b = bits[:3], bits[3:]
        groups = [all(x or y for y in b) for x in a]
        true = all(a) or all(b)
        wrong, mended = wrong + (any(groups) != true), mended + (all(groups) != true)
    return {"wrong": wrong, "wrong_if_mended": mended}


def form_of_parity_atoms() -> Cases:
    """Is an exact atom of parity, in each column, in one black pixel or in all white ones?"""
    columns = [[(i, j) for i in range(2)] for j in range(3)]
    odd = Odd(tuple(forall(c, Has) for c in columns))
    for atom in ExactAtomization(odd, [(p, ("white", *p)) for c in columns for p in c]):
        counts = [
            (sum(p in atom for p in c), sum(("white", *p) in atom for p in c)) for c in columns
        ]
        yield all(count in ((1, 0), (0, 2)) for count in counts)


def distributive_law() -> Cases:
    """Both sides of the distributive law agree for all assignments of 3 × 2."""
    maps = list(product(range(3), repeat=2))
    for bits in product([False, True], repeat=6):
        c = np.array(bits).reshape(3, 2)
        left = any(all(c[:, j]) for j in range(2))
        yield left == all(any(c[m[j], j] for j in range(2)) for m in maps)


def inverse_of_bars() -> Values:
    """Exact atoms of bars of 2 × 3 and of their absence, and how many pairs of them meet."""
    bars = _bars(2, 3, [((i, j), ("white", i, j)) for i in range(2) for j in range(3)])
    own, others = list(bars), [bars.reverted(atom) for atom in bars.inverse()]
    meeting = sum(bool(a & b) for a in own for b in others)
    return {"atoms": bars.count(), "inverse": bars.inverse().count(), "meeting": meeting}


def permuted_atoms() -> Cases:
    """Exact atoms of bars of 3 × 3 with rows and columns moved are exact atoms."""
    atoms = {frozenset(atom) for atom in _bars(3, 3)}
    to = {(i, j): ((i + 1) % 3, 2 - j) for i in range(3) for j in range(3)}
    for atom in atoms:
        yield frozenset(to[pixel] for pixel in to if pixel in atom) in atoms


# -- random picking and the bounds of appendix E


def atoms_of_four_pixels() -> list[tuple[int, ...]]:
    """All atoms by the constants that contain them: each pixel black, white, or neither."""
    found: list[tuple[int, ...]] = [()]
    for black in range(1, 5):
        found = [(*atom, *more) for atom in found for more in ((), (black,), (black + 4,))]
    return [atom for atom in found if atom]


@cache
def _answers(Z: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """What every model of ``Z`` atoms says of every image of 2 × 2 pixels, and what is true."""
    bar = np.array([is_bar for _, is_bar in images()])
    held = np.array(
        [[bool(set(a) & set(pixels)) for pixels, _ in images()] for a in atoms_of_four_pixels()]
    )
    models = np.array(list(combinations(range(len(held)), Z)), dtype=np.uint8)
    says = np.ones((len(models), 16), dtype=bool)
    for k in range(Z):
        says &= held[models[:, k]]
    return says, bar


@cache
def random_picking(R: int, Z: int = 4, draws: int = 12) -> Values:
    """The mean error of all models of ``Z`` atoms that obey ``R`` of the sixteen images.

    Beside it the memories of section 3.4: the least-free model says yes to all new images, the
    freest says no. The means are over several training sets.
    """
    says, bar = _answers(Z)
    rng = np.random.default_rng(0)
    found: list[Values] = []
    while len(found) < draws:
        chosen = rng.permutation(16)[:R]
        rest = np.setdiff1d(np.arange(16), chosen)
        fits = (says[:, chosen] == bar[chosen]).all(axis=1)
        if fits.any():
            found.append({
                "random": (says[fits][:, rest] != bar[rest]).mean(),
                "memory": (~bar[rest]).mean(),
                "freest": bar[rest].mean(),
                "bound": math.log(len(says) / fits.sum()) / R,
                "fitting": fits.sum(),
            })  # fmt: skip
    return {key: mean(one[key] for one in found) for key in found[0]}


def bad_algorithms_that_pass() -> Values:
    """The chance that an algorithm with more than 5 % errors passes 40 tests."""
    rates = 0.05 + (1 - 0.05) * np.random.default_rng(0).random(20_000)
    return {"p": float(((1 - rates) ** 40).mean())}


def risk_of_the_bound() -> Values:
    """How many algorithms that pass ``Q`` tests err more than ``ε_δ`` of the paper."""
    rng = np.random.default_rng(1)
    rates, Q, delta = rng.beta(1, 8, 200_000), 60, 0.1
    PQ = float(((1 - rates) ** Q).mean())
    limit = 1 - delta ** (1 / Q) * PQ ** (1 / Q)
    kept = rates[rng.binomial(Q, rates) == 0]
    return {"risk": float((kept > limit).mean()), "limit": limit}


# -- section 5: queens


def constants_of_the_board() -> Values:
    """Constants of the game on 8 × 8: of squares, and of rows and columns."""
    names = queens.algebra(8, FIXED).names
    count = {first: sum(name[0] == first for name in names) for first in "QERC"}
    return {"squares": count["Q"] + count["E"], "lines": count["R"] + count["C"]}


def attacked_by_closure() -> Cases:
    """The closure of a queen has the empty squares that it attacks, for each square."""
    board, rules = Chessboard(8), queens.game(8, ["b4"]).rules
    for s in board.squares:
        closed = set(rules.closure(rules.term(["U", "Q" + square_name(*s)])).constants)
        wanted = {"E" + square_name(*t) for t in board.attacked(*s)}
        yield {c for c in closed if c[0] == "E"} == wanted


def attacked_at_first() -> Values:
    """The squares that the two fixed queens attack."""
    board = Chessboard(8)
    at = [t for q in FIXED for t in board.attacked(*square(q, 8))]
    return {"attacked": {square_name(*t) for t in at}}


def rules_without_u() -> Values:
    """Conflicts on 5 × 5 if the rules are written without the constant U."""
    b = Chessboard(5)
    algebra = b.algebra.copy()
    for s in b.squares:
        algebra.add(b.merge(b.E[t] for t in b.attacked(*s)) <= b.Q[s])
    algebra.add(queens.independence_rules(b))
    return {"conflicts": len(algebra.conflicts())}


def attacked_queen() -> Values:
    """Conflicts of the game, without and with a queen that b4 attacks."""
    game = queens.algebra(8, FIXED)
    clash = game.copy()
    clash.add(clash.relation("Qb1 < S"))
    return {"without": len(game.conflicts()), "conflicts": len(clash.conflicts())}


def completions_of_the_board() -> Values:
    """How many boards of eight queens have the two that are fixed."""
    found = 0
    for columns in permutations(range(8)):
        if (columns[3], columns[4]) == (1, 3):  # b4 and d5
            sums, differences = ({r + sign * c for r, c in enumerate(columns)} for sign in (1, -1))
            found += len(sums) == 8 == len(differences)
    return {"found": found}


def solved_without_idle_epochs() -> Values:
    """How many of three seeds find a board if there are no idle epochs."""
    never = Schedule(length=11, idle=(), patience=None)
    solvers = [
        queens.solve(8, FIXED, random_state=seed, max_epochs=40, schedule=never)
        for seed in range(3)
    ]
    return {"solved": sum(next(solver, None) is not None for solver in solvers)}
