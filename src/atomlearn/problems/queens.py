"""Queens completion: the paper's section "Solving the N-Queens Completion Problem".

The rules and the game are written as in the paper, formula by formula. Three slips of the paper are
mended: the row and column constants (``C_y``, where one formula has ``C_x``), the letters N and M
(here ``size``), and that squares attacked by queens of ``S`` follow for ``U ⊙ S``, not ``S`` alone.

>>> [board.queens for board in solve(6, queens=["b1"], random_state=0, max_epochs=30)]
[('b1', 'd2', 'f3', 'a4', 'c5', 'e6')]
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.relations import Relation
from atomlearn.engine.protocol import Protocol, protocol_of
from atomlearn.errors import InvalidProblem, nearest
from atomlearn.problems.game import Answer, Game, PartialSolution, not_following
from atomlearn.problems.refuting import Setting
from atomlearn.problems.solving import Schedule, Solver
from atomlearn.sets.random import Seed

Square = tuple[int, int]
"""Row and column, from 0; ``b4`` is row 3, column 1."""

LARGEST = 26
"""Maximum size of a board, whose columns have the letters a to z."""


def square_name(x: int, y: int) -> str:
    """Return the name of a square, as on a chess board.

    >>> square_name(3, 1)
    'b4'
    """
    return f"{chr(ord('a') + y)}{x + 1}"


def square(name: str, size: int) -> Square:
    """Return the row and the column of a square.

    >>> square("b4", 8)
    (3, 1)
    """
    match = re.fullmatch(r"([a-z])([1-9][0-9]?)", name.strip().lower())
    found = (int(match[2]) - 1, ord(match[1]) - ord("a")) if match else (size, size)
    if max(found) >= size:
        squares = (square_name(x, y) for x in range(size) for y in range(size))
        raise InvalidProblem(
            f"{name!r} is not a square of this board: a1 to {_last(size)}{nearest(name, squares)}"
        )
    return found


class Chessboard:
    """The constants of a board: ``Q`` queen, ``E`` empty, ``R`` row, ``C`` column, ``U``, ``S``."""

    def __init__(self, size: int) -> None:
        if size not in range(1, LARGEST + 1):
            raise InvalidProblem(f"a board has 1 to {LARGEST} rows, not {size!r}")
        self.lines = range(size)
        self.squares = [(x, y) for x in self.lines for y in self.lines]
        self.algebra = algebra = Algebra()
        self.Q = {s: algebra.constant("Q" + square_name(*s)) for s in self.squares}
        self.E = {s: algebra.constant("E" + square_name(*s)) for s in self.squares}
        self.R = [algebra.constant(f"R{x + 1}") for x in self.lines]
        self.C = [algebra.constant("C" + square_name(0, y)[0]) for y in self.lines]
        self.U, self.S = algebra.constants("U", "S")
        self.merge = algebra.term

    def attacked(self, x: int, y: int) -> list[Square]:
        """Return ``A(x, y)``: the squares attacked by a queen at ``(x, y)``, without its own."""
        return [
            (i, j)
            for i, j in self.squares
            if (i, j) != (x, y) and (i == x or j == y or abs(i - x) == abs(j - y))
        ]


# -- the rule set, formula by formula


def attack_rules(b: Chessboard, *, merged: bool = True) -> Iterator[Relation]:
    """Yield ``∀x ∀y ∀i ∀j: (i,j) ∈ A(x,y) ⇒ E_ij < U ⊙ Q_xy``, merged for each queen or not.

    ``E_ij < T`` for several ``ij`` is the same as their merge below ``T``.
    """
    for x, y in b.squares:
        attacked, right = b.attacked(x, y), b.U | b.Q[x, y]
        if attacked and merged:
            yield b.merge(b.E[square] for square in attacked) <= right
        elif attacked:
            yield from (b.E[square] <= right for square in attacked)


def rules_to_add_queens(b: Chessboard) -> Iterator[Relation]:
    """Yield ``∀x ∀y: Q_xy < U ⊙_{i≠x} E_iy``, and ``∀x ∀y: Q_xy < U ⊙_{j≠y} E_xj``."""
    for x, y in b.squares:
        yield b.Q[x, y] <= b.merge([b.U, *(b.E[i, y] for i in b.lines if i != x)])
        yield b.Q[x, y] <= b.merge([b.U, *(b.E[x, j] for j in b.lines if j != y)])


def rows_and_columns(b: Chessboard) -> Iterator[Relation]:
    """Yield ``∀x ∀y: R_x ⊙ C_y < Q_xy``, and that no row or column is without a queen.

    ``∀x: ¬(R_x < (⊙_{ij, i≠x} Q_ij) ⊙ (⊙_ij E_ij))``, and the same for ``C_y`` with ``j≠y``.
    """
    yield from (b.R[x] | b.C[y] <= b.Q[x, y] for x, y in b.squares)
    for x in b.lines:
        elsewhere = (b.Q[i, j] for i, j in b.squares if i != x)
        yield ~(b.R[x] <= b.merge([*elsewhere, *b.E.values()]))
    for y in b.lines:
        elsewhere = (b.Q[i, j] for i, j in b.squares if j != y)
        yield ~(b.C[y] <= b.merge([*elsewhere, *b.E.values()]))


def independence_rules(b: Chessboard) -> Iterator[Relation]:
    """Yield that a board contains only what it is made of, unless the rules are applied to it.

    ``∀x ∀y: ¬(Q_xy < (⊙_{ij≠xy} Q_ij) ⊙ (⊙_ij E_ij))``, and with ``Q`` and ``E`` exchanged.
    """
    for s in b.squares:
        yield ~(b.Q[s] <= b.merge([*(b.Q[t] for t in b.squares if t != s), *b.E.values()]))
        yield ~(b.E[s] <= b.merge([*(b.E[t] for t in b.squares if t != s), *b.Q.values()]))


def denied_by_independence(b: Chessboard) -> Iterator[Relation]:
    """Yield the relations that the paper's additional independence relations deny.

    ``Q_xy < U ⊙ E_xy``, ``E_xy < U ⊙ Q_xy``, ``Q_xy < U ⊙_i R_i ⊙_j C_j`` and the same for ``E``.
    On small boards some of these follow from the rules, and are then not denied.
    """
    lines = b.merge([b.U, *b.R, *b.C])
    for s in b.squares:
        yield from (b.Q[s] <= b.U | b.E[s], b.E[s] <= b.U | b.Q[s])
        yield from (b.Q[s] <= lines, b.E[s] <= lines)


def game_relations(b: Chessboard, fixed: Sequence[Square]) -> Iterator[Relation]:
    """Yield the relations of a game with fixed queens.

    ``Q_pq ⊙ Q_rs < S``; ``S < ⊙_ij (E_ij ⊙ Q_ij)``; ``∀x ∀y: ¬(E_xy ⊙ Q_xy < U ⊙ S)``; ``∀x: R_x <
    S``; ``∀y: C_y < S``.
    """
    if fixed:
        yield b.merge(b.Q[square] for square in fixed) <= b.S
    yield b.S <= b.merge([*b.E.values(), *b.Q.values()])  # noqa: SIM300
    yield from (~(b.E[s] | b.Q[s] <= b.U | b.S) for s in b.squares)
    yield from (line <= b.S for line in (*b.R, *b.C))


# -- put together


def _rule_set(b: Chessboard, merged: bool = True) -> Algebra:
    rule_set = b.algebra.copy()
    rule_set.add(attack_rules(b, merged=merged), rules_to_add_queens(b))
    rule_set.add(rows_and_columns(b), independence_rules(b))
    rule_set.add(list(not_following(rule_set, denied_by_independence(b))))
    return rule_set


def rules(size: int) -> Algebra:
    """Return the rule set alone.

    >>> rules(8)
    <Algebra: 256 positive and 400 negative relations over 146 constants>
    """
    return _rule_set(Chessboard(size))


def game(size: int, queens: Iterable[str] = (), *, merged: bool = True) -> Game:
    """Return the rule set and a game, ready to be solved; attack rules are merged or not."""
    b = Chessboard(size)
    fixed = [square(name, size) for name in _listed(queens)]
    rule_set = _rule_set(b, merged)
    algebra = rule_set.copy()
    algebra.add(game_relations(b, fixed))
    yes = {square_name(*s): b.Q[s] for s in b.squares}
    no = {square_name(*s): b.E[s] for s in b.squares}
    free = rule_set.copy()
    free.add(relation for relation in game_relations(b, []) if relation.positive)
    given = tuple(square_name(*s) for s in fixed)
    setting = Setting(free, yes, no, b.U, b.S, given)
    return Game(rule_set, algebra, yes, no, b.U, b.S, asked=b.S, setting=setting)


def algebra(size: int, queens: Iterable[str] = ()) -> Algebra:
    """Return the paper's rule set and game as relations.

    Parameters
    ----------
    size : int
        Number of rows and columns of the board.
    queens : iterable of str, default=()
        Squares of the fixed queens, such as ``"b4"``.

    Returns
    -------
    Algebra
        The relations.

    Examples
    --------
    >>> algebra(8, queens=["b4", "d5"]).conflicts()
    []
    """
    return game(size, queens).algebra


def is_legal(size: int, queens: Iterable[str]) -> bool:
    """Return whether no two queens attack each other, in plain Python without the algebra.

    >>> is_legal(8, ["b4", "d5"]), is_legal(8, ["b4", "d6"])
    (True, False)
    """
    placed = [square(name, size) for name in queens]
    distinct = [{x for x, _ in placed}, {y for _, y in placed}]
    distinct += [{x - y for x, y in placed}, {x + y for x, y in placed}]
    return all(len(values) == len(placed) for values in distinct)


@dataclass(frozen=True, repr=False)
class Board(Answer):
    """A board with queens, empty squares, and squares that are not known."""

    fields: ClassVar[tuple[str, ...]] = ("size", "queens", "fixed")

    size: int
    queens: tuple[str, ...]
    empty: frozenset[str] = field(repr=False)
    fixed: tuple[str, ...] = ()

    @property
    def progress(self) -> str:
        """Degree of completeness."""
        return f"{len(self.queens)} of {self.size} queens"

    def solved(self) -> bool:
        """Return whether the board is complete and legal, with the fixed queens."""
        full = len(self.queens) == self.size and set(self.fixed) <= set(self.queens)
        return full and is_legal(self.size, self.queens) and not self.empty & set(self.queens)

    def sign(self, name: str) -> str:
        """Return ``Q`` for a queen, ``.`` for an empty square, ``?`` for an unknown one."""
        if name in self.queens:
            return "Q"
        return "." if name in self.empty or self.solved() else "?"

    def __str__(self) -> str:
        lines = range(self.size)
        shown = [
            f"{x + 1:>2} " + " ".join(self.sign(square_name(x, y)) for y in lines)
            for x in reversed(lines)
        ]
        letters = " ".join(square_name(0, y)[0] for y in lines)
        return "\n".join([*shown, f"   {letters}"])

    def _html(self) -> str:
        from atomlearn.problems.game import FIXED, FOUND, INSERTED, board_svg

        lines = range(self.size)
        names = [[square_name(x, y) for y in lines] for x in reversed(lines)]

        def colour(name: str) -> str:
            return FIXED if name in self.fixed else INSERTED if name == self.inserted else FOUND

        return board_svg(
            [[self.sign(name) for name in row] for row in names],
            [[colour(name) for name in row] for row in names],
            f"{self.size} × {self.size} board: {self.caption}",
        )


def solve(
    size: int,
    queens: Iterable[str] = (),
    *,
    random_state: Seed = None,
    max_epochs: int = 100,
    schedule: Schedule | None = None,
    on_epoch: Callable[[Board], None] | None = None,
    protocol: str | Protocol = "default",
) -> Solver[Board]:
    """Return an iterator of complete boards, as they are found.

    A game without a completion ends at once if closure shows that there is none, else after
    ``max_epochs``; the ``summary`` says which.

    Parameters
    ----------
    size : int
        Number of rows and columns of the board.
    queens : iterable of str, default=()
        Squares of the fixed queens, such as ``"b4"``.
    random_state : int, Generator or None, default=None
        Random seed; the same seed gives the same boards.
    max_epochs : int, default=100
        Maximum number of epochs.
    schedule : Schedule, default=None
        Which epochs are idle, and when choices are inserted.
    on_epoch : callable, default=None
        A function that is called with the board of every epoch.
    protocol : {"default", "letter"} or Protocol, default="default"
        How an epoch is run.

    Returns
    -------
    Solver of Board
        The iterator.

    Raises
    ------
    ContradictoryGivens
        If the fixed queens contradict the rules; the error has a derivation.

    Examples
    --------
    >>> boards = solve(8, queens=["b4", "d5"], random_state=0, max_epochs=60)
    >>> board = next(boards)
    >>> board.solved(), {"b4", "d5"} <= set(board.queens)
    (True, True)
    """
    fixed = tuple(square_name(*square(name, size)) for name in _listed(queens))

    def board(shown: PartialSolution) -> Board:
        placed = sorted(square(name, size) for name in shown.chosen)
        names = tuple(square_name(*s) for s in placed)
        return Board(size, names, shown.excluded, fixed, **shown.origin)

    return Solver(
        game(size, fixed, merged=protocol_of(protocol).rules == "merged"),
        board,
        random_state=random_state,
        max_epochs=max_epochs,
        schedule=schedule,
        on_epoch=on_epoch,
        protocol=protocol,
    )


def _listed(queens: Iterable[str]) -> list[str]:
    return [queens] if isinstance(queens, str) else list(dict.fromkeys(queens))


def _last(size: int) -> str:
    return square_name(size - 1, size - 1)
