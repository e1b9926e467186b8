"""Queens: the paper's section 5, and beside every success what is reached without learning."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Atom
from atomlearn.engine.protocol import protocol_of, switches
from atomlearn.problems import queens
from atomlearn.problems.queens import Board
from atomlearn.problems.solving import ATTEMPTS, PAPER
from atomlearn_paper.charts import panels
from atomlearn_paper.controls import Control, Propagated, Remembering

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

IN_GAMES = ("vocabulary", "draws", "dual", "strategy", "master", "contradicted", "focus", "order")
"""The switches that matter here; the others are about examples."""


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
) -> dict[str, Any]:
    """The paper's straightforward way: idle epochs, nothing inserted.

    ``kept`` boards are kept to be drawn, and the atoms of one epoch. ``changed`` are switches of
    the protocol that differ from those of ``start``.
    """
    boards: list[dict[str, Any]] = []
    atoms: dict[str, Any] = {}
    most = 0

    def keep(board: Board) -> None:
        nonlocal most
        if not board.idle:
            most = max(most, len(board.queens))
        if len(boards) < kept:
            boards.append(plain_board(board))
        if kept and not atoms and board.epoch >= MIDDLE_EPOCH and not board.idle:
            atoms.update(board_atoms(board))

    protocol = replace(protocol_of(start), **(changed or {}))
    solver = queens.solve(
        size, fixed, random_state=seed, max_epochs=epochs, schedule=PAPER, on_epoch=keep,
        protocol=protocol,
    )  # fmt: skip
    found = [board.epoch for board in solver]
    return {
        "epochs": found, "shown again": solver.repeated, "most queens": most,
        "pins": len(solver.epochs.pool), "boards": boards, "atoms": atoms,
    }  # fmt: skip


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
        if one.name in IN_GAMES:
            found.append((f"letter-{one.name}", "letter", {one.name: one.ours}))
            if one.name not in ("draws", "strategy", "master"):
                found.append((f"default-{one.name}", "default", {one.name: one.paper}))
    return [
        *found,
        ("letter-left-out", "letter", {"contradicted": "leave"}),
        ("letter-first-strategy", "letter", {"strategy": "enforce"}),
        ("letter-close-and-focus", "letter", {"contradicted": "close", "focus": "largest"}),
    ]


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
    rows = -(-len(draw) // columns)
    figure, axes = panels(rows, columns, (cell, cell))
    for axis in axes.ravel():
        axis.set_axis_off()
    for one, axis in zip(draw, axes.ravel(), strict=False):
        one(axis)
        axis.title.set_fontsize(8)
    return figure
