"""Queens: the paper's section 5, and beside every success what is reached without learning."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Atom
from atomlearn.engine.dual import cover
from atomlearn.engine.epoch import prepare
from atomlearn.engine.pool import Pool
from atomlearn.engine.protocol import protocol_of, switches
from atomlearn.problems import queens
from atomlearn.problems.queens import Board
from atomlearn.problems.solving import ATTEMPTS, PAPER
from atomlearn.sets import rows
from atomlearn.sets.random import stream
from atomlearn.sets.rows import Rows, no_lists
from atomlearn_paper.charts import panels
from atomlearn_paper.controls import Control, Propagated, Remembering
from atomlearn_paper.mnist import FREE_START

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Runs = list[dict[str, Any]]
"""What several runs gave."""

SMALL = (8, ["b4", "d5"])
MIDDLE = (13, ["c7", "f2"])
LARGE = (17, ["c10"])
"""The largest of the paper's boards; the queens that it fixes on 13 × 13 are not told."""

MIDDLE_EPOCH = 42
"""The epoch of the paper's Figure 11; ours is the next that is not idle."""

CONTROLS: dict[str, type[Control]] = {
    "random legal squares": Control,
    "the same, rules propagated": Propagated,
}
"""Ways of placing queens at random, by name."""

ABOUT_EXAMPLES = ("pins_checked", "batches")
"""Switches that do nothing here."""


def tally(attempts: list[list[tuple[str, ...]]]) -> dict[str, Any]:
    """What attempts came to, each given by its full boards.

    In ``full`` the attempts that came to any; ``r`` marks one whose boards were all seen before.

    >>> tally([[("a1",)], [], [("a1",)]])
    {'attempts': 3, 'full': ['1', '3r'], 'new': 1, 'shown': 2, 'distinct': 1}
    """
    seen: set[tuple[str, ...]] = set()
    full = []
    for k, boards in enumerate(attempts, 1):
        if boards:
            full.append(f"{k}{'r' if set(boards) <= seen else ''}")
        seen.update(boards)
    return {
        "attempts": len(attempts),
        "full": full,
        "new": sum(not mark.endswith("r") for mark in full),
        "shown": sum(map(len, attempts)),
        "distinct": len(seen),
    }


def completions(
    size: int,
    fixed: list[str],
    seed: int,
    epochs: int,
    kept: int = 0,
    start: str = "default",
    changed: dict[str, Any] | None = None,
    memory: str = "none",
    inserting: bool = False,
    idle: bool = True,
) -> dict[str, Any]:
    """The paper's straightforward way: idle epochs, nothing inserted unless asked for.

    ``kept`` boards are kept to be drawn, and the atoms of one epoch. ``changed`` are switches of
    the protocol that differ from those of ``start``. ``memory`` is what the pins begin with, or
    "apart" for pins of idle epochs and of the game that do not mix. ``above`` in the result counts
    pins whose term has the rules and the solution, by queens, in the game epoch with most of them.
    """
    boards: list[dict[str, Any]] = []
    atoms: dict[str, Any] = {}
    shown: list[int] = []
    above: Counter[int] = Counter()
    patience, idle_epochs = 0 if inserting else None, PAPER.idle if idle else ()
    solver = queens.solve(
        size, fixed, random_state=seed,
        schedule=replace(PAPER, patience=patience, idle=idle_epochs),
        protocol=replace(protocol_of(start), **(changed or {})),
    )  # fmt: skip
    pool = solver.epochs.pool
    pools = {True: pool, False: pool.copy() if memory == "apart" else pool}
    if memory in FIRST_MEMORIES:
        pool.add(FIRST_MEMORIES[memory](solver.game.rules), 0)
    found = []
    for number in range(1, epochs + 1):
        solver.epochs.pool = pools[solver.schedule.is_idle(number)]
        if solver.step() is not None:
            found.append(number)
        board = solver.latest
        if board is None:
            continue
        if not board.idle:
            shown.append(len(board.queens))
            above = max(above, above_solution(solver.epochs.pool), key=lambda c: c.total())
        if len(boards) < kept:
            boards.append(plain_board(board))
        if kept and not atoms and board.epoch >= MIDDLE_EPOCH and not board.idle:
            atoms.update(board_atoms(board))
    return {
        "epochs": found, "shown again": solver.repeated, "most queens": max(shown),
        "queens shown": shown,
        "pins": len(solver.epochs.pool), "boards": boards, "atoms": atoms,
        "above": {str(k): above[k] for k in sorted(above)},
    }  # fmt: skip


def above_solution(pool: Pool) -> Counter[int]:
    """The pins whose terms have U and S, counted by the queens of the term."""
    names = pool.names or ()
    held = rows.unpack(pool.rows(), len(names))
    terms = ~held[~held[:, names.index("U")] & ~held[:, names.index("S")]]
    queens, empty = (
        terms[:, [k for k, name in enumerate(names) if name[0] == kind]] for kind in "QE"
    )
    return Counter((queens & ~empty).sum(axis=1).tolist())


def least_free_memory(rules: Algebra) -> Rows:
    """The atoms of the least-free model of the rules."""
    return rules.least_free().rows


def reduced_memory(rules: Algebra) -> Rows:
    """The same, of which Algorithm 5 keeps just enough for the negative relations."""
    rng, n = stream(0), rules.n_constants
    batch = prepare(rules.packed(), rng)
    dual = cover(batch.left, batch.closed, no_lists(), n, rng, "every")
    return rows.complement(dual, n)


FIRST_MEMORIES = {"least-free": least_free_memory, "reduced": reduced_memory}
"""What the pins may begin with: a model of the rules alone. The freest is too large."""


def attempts(
    size: int, fixed: list[str], seed: int, attempts: int, kept: int = 0, start: str = "default"
) -> dict[str, Any]:
    """Attempts of 20 epochs, a queen inserted in 17 of them; the controls with as many."""
    boards: list[dict[str, Any]] = []
    solver = queens.solve(size, fixed, random_state=seed, schedule=ATTEMPTS, protocol=start)
    found: list[list[tuple[str, ...]]] = []
    jumps: list[int] = []
    for _ in range(attempts):
        full, before = [], 0
        for _ in range(ATTEMPTS.length):
            solver.step()
            board = solver.latest
            if board is None or board.idle:
                continue
            if board.solved():
                jumps.append(len(board.queens) - before)
                full.append(board.queens)
                if len(boards) < kept and not any(board.queens in earlier for earlier in found):
                    boards.append(plain_board(board))
            before = len(board.queens)
        found.append(full)
    atoms = board_atoms(solver.latest) if solver.latest is not None and kept else {}
    memory = simulate(Remembering(size, fixed, seed), attempts)
    joined = simulate(Remembering(size, fixed, seed, joins=True), attempts)
    return {"size": size} | tally(found) | {
        "memory": memory, "joined": joined, "boards": boards, "atoms": atoms,
        "epochs": solver.epochs.number, "queens at once": jumps,
    }  # fmt: skip


def simulate(control: Control, attempts: int) -> dict[str, Any]:
    """Attempts by a control."""
    return tally([control.attempt() for _ in range(attempts)])


def chance(size: int, fixed: list[str], control: str, seed: int, draws: int) -> dict[str, Any]:
    """How often a control without memory comes to a full board."""
    found = simulate(CONTROLS[control](size, fixed, seed), draws)
    return {"attempts": draws, "full": len(found["full"])}


def plain_board(board: Board) -> dict[str, Any]:
    """A board as plain values, to be drawn later."""
    return {
        "size": board.size,
        "queens": list(board.queens),
        "empty": sorted(board.empty),
        "fixed": list(board.fixed),
        "epoch": board.epoch,
        "idle": board.idle,
        "inserted": board.inserted,
    }


def board_atoms(board: Board, n: int = 40) -> dict[str, Any]:
    """Atoms of a board's model that are about squares and not about rules.

    A square of which an atom has ``E`` and not ``Q`` is a queen of its pinning term; so atoms look
    like boards. ``queens`` counts the atoms by queens, ``shown`` has those with most queens first;
    ``as captioned`` counts those that are legal if black squares are read as queens.
    """
    if board.model is None:
        return {"epoch": board.epoch, "queens": {}, "shown": []}
    atoms = [a.constants for a in board.model.atoms if len(a) > 1 and "U" not in a.constants]
    atoms.sort(key=lambda atom: (-n_queens(atom), len(atom)))
    counts = Counter(n_queens(atom) for atom in atoms)
    many, rest = atoms[: n // 4], atoms[n // 4 :]
    step = max(1, len(rest) // (n - n // 4))
    shown = [*many, *rest[::step][: n - n // 4]]
    return {
        "epoch": board.epoch,
        "queens": {str(k): counts[k] for k in sorted(counts)},
        "shown": [list(constants) for constants in shown],
        "as captioned": sum(legal_as_captioned(atom, board.size) for atom in atoms),
    }


def legal_as_captioned(atom: tuple[str, ...], size: int) -> bool:
    """Read as the paper's captions do, black squares (``Q`` without ``E``) as queens: is it legal?

    >>> legal_as_captioned(("Qa1", "Qb3"), 4), legal_as_captioned(("Qa1", "Qb1"), 4)
    (True, False)
    """
    held = set(atom)
    black = [name[1:] for name in atom if name[0] == "Q" and f"E{name[1:]}" not in held]
    return bool(black) and queens.is_legal(size, black)


def n_queens(atom: tuple[str, ...]) -> int:
    """The queens of an atom's pinning term.

    >>> n_queens(("Ea1", "Eb2", "Qb2", "Qc1"))
    1
    """
    held = set(atom)
    return sum(name[0] == "E" and f"Q{name[1:]}" not in held for name in atom)


def switched() -> list[tuple[str, str, dict[str, Any]]]:
    """What is changed, one thing at a time: a name, the protocol, what is changed."""
    found: list[tuple[str, str, dict[str, Any]]] = []
    for one in switches():
        if one.name not in ABOUT_EXAMPLES:
            found.append((f"letter-{one.name}", "letter", {one.name: one.ours}))
            if one.name in ("vocabulary", "dual", "master", "contradicted", "focus", "order"):
                found.append((f"default-{one.name}", "default", {one.name: one.paper}))
    return [
        *found,
        ("letter-left-out", "letter", {"contradicted": "leave"}),
        ("letter-first-strategy", "letter", {"strategy": "enforce"}),
        ("letter-close-and-focus", "letter", {"contradicted": "close", "focus": "largest"}),
        ("default-free-start", "default", FREE_START),
        ("letter-as-few-as-possible", "letter", {"draws": "fewest"}),
        ("letter-epsilon-by-the-text", "letter", {"renewal": "needed"}),
        ("letter-b-renewed", "letter", {"partners": "renewed"}),
    ]


TRIED: dict[str, dict[str, Any]] = {
    "first-strategy": {"changed": {"strategy": "enforce"}},
    "apart": {"memory": "apart"},
    "least-free-memory": {"memory": "least-free"},
    "reduced-memory": {"memory": "reduced"},
    "more-epochs": {"epochs": 200},
    "closed": {"changed": {"contradicted": "close"}},
    "closed-merged": {"changed": {"contradicted": "close", "rules": "merged"}},
    "closed-merged-empty": {
        "changed": {"contradicted": "close", "rules": "merged", "start": "empty"}
    },
    "inserted": {"inserting": True},
    "no-idle": {"idle": False},
    "no-idle-default": {"idle": False, "start": "default"},
}
"""What was tried to find both completions by the paper's words, beside single switches."""

WORDS = {
    "first-strategy": "the first strategy: all pinning relations are enforced (2.9, 5.7)",
    "apart": "pins of idle epochs and of the game kept apart",
    "least-free-memory": "first memory: the least-free model of the rules",
    "reduced-memory": "first memory: a dual of the rules reduced by Algorithm 5",
    "more-epochs": "200 epochs",
    "closed": "contradicted pins closed, attack rules one by one",
    "closed-merged": "contradicted pins closed, attack rules merged",
    "closed-merged-empty": "the same from an empty start",
    "inserted": "a legal queen inserted in each epoch (5.8)",
    "no-idle": "no idle epochs",
    "no-idle-default": "this library, no idle epochs",
}
"""The same in words."""


# -- the page


def total(many: Runs, key: str) -> int:
    """The sum over several experiments; of a list, its length counts."""
    return sum(len(f[key]) if isinstance(f[key], list) else f[key] for f in many)


# -- the figures


def draw_boards(boards: Runs, columns: int, cell: float = 2.3) -> "Figure":
    """Boards side by side."""
    from atomlearn.problems.drawing import draw_board

    many = [
        Board(b["size"], tuple(b["queens"]), frozenset(b["empty"]), tuple(b["fixed"]),
              epoch=b["epoch"], idle=b["idle"], inserted=b["inserted"])
        for b in boards
    ]  # fmt: skip
    return _grid([partial(draw_board, board) for board in many], columns, cell)


def draw_atoms(atoms: list[list[str]], size: int, columns: int = 10) -> "Figure":
    """Atoms as small boards."""
    from atomlearn.problems.drawing import draw_atom

    names = sorted({name for constants in atoms for name in constants})
    vocabulary = Algebra(names).vocabulary
    made = [Atom(vocabulary, tuple(sorted(names.index(c) for c in a))) for a in atoms]
    return _grid([partial(draw_atom, atom, size) for atom in made], columns, 0.9)


def _grid(draw: list[Callable[..., Any]], columns: int, cell: float) -> "Figure":
    """Drawings side by side, each on axes of its own."""
    columns = max(1, min(columns, len(draw)))
    figure, axes = panels(-(-len(draw) // columns), columns, (cell, cell))
    for axis in axes.ravel():
        axis.set_axis_off()
    for one, axis in zip(draw, axes.ravel(), strict=False):
        one(axis)
        axis.title.set_fontsize(8)
    return figure
