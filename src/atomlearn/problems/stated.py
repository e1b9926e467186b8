"""Puzzles that are stated as relations, in a file or in Python, and solved from it.

The solution is the constant ``S``: what is given lies below it. A choice is a pair of constants,
``x`` and ``!x`` ("it is so", "it is not so"). Every other relation is a rule; the constant ``U``,
by which the rules are applied to the solution, is added to them unless the file has its own. A file
without choices has one solution: what follows from what is given.

>>> alg = Algebra()
>>> alg.add(alg.expand("one of coin(side)\\n!coin(tails) < S", side=["heads", "tails"]))
>>> print(next(solve(alg)))
coin(heads)
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.relations import Relation
from atomlearn.engine.protocol import Protocol
from atomlearn.errors import InvalidProblem
from atomlearn.problems.game import Answer, Choices, Game, PartialSolution, Rules
from atomlearn.problems.refuting import Setting
from atomlearn.problems.solving import Schedule, Solver
from atomlearn.sets.random import Seed

RULE, SOLUTION = "U", "S"
Rule = tuple[frozenset[str], frozenset[str]]  # the names on its left and right, without U


@dataclass(frozen=True)
class Puzzle:
    """The rules of a puzzle, what is given, and its choices, all by name."""

    choices: tuple[str, ...]
    others: tuple[str, ...]
    """Constants that are no choices, such as what is to be concluded from them."""
    rules: tuple[Rule, ...]
    given: frozenset[str]
    denied: tuple[frozenset[str], ...] = ()
    """Names that must not lie below the solution together."""

    @classmethod
    def of(cls, algebra: Algebra) -> "Puzzle":
        """Read relations as a puzzle."""
        if SOLUTION not in algebra:
            raise InvalidProblem(
                "there is nothing to solve: put what is given below the constant S, as in: "
                "Q(1,1) < S"
            )
        names = [name for name in algebra.names if name not in (RULE, SOLUTION)]
        choices = dict.fromkeys(name.removeprefix("!") for name in names if name[0] == "!")
        rules, given, denied = [], set[str](), []
        for relation in algebra.relations:
            left, right = frozenset(relation.left.constants), frozenset(relation.right.constants)
            right -= {RULE}
            if SOLUTION not in right:
                rules += [(left, right)] if relation.positive else []
            elif right != {SOLUTION}:
                raise InvalidProblem(f"{relation}: S stands alone on the right of what is given")
            elif relation.positive:
                given |= left
            else:
                denied.append(left)
        others = [name for name in names if name.removeprefix("!") not in choices]
        return cls(tuple(choices), tuple(others), tuple(rules), frozenset(given), tuple(denied))

    def concluded(self, true: Iterable[str]) -> set[str]:
        """Return all that the rules add to some names, in plain Python without the algebra."""
        found, size = set(true), -1
        while size < len(found):
            size = len(found)
            for left, right in self.rules:
                if right <= found:
                    found |= left
        return found

    def among(self, known: frozenset[str]) -> "Puzzle":
        """Return the same puzzle over what is still open, given what every solution has."""
        false = frozenset(opposite(name) for name in known if self.is_choice(name))
        decided = known | false
        rules: defaultdict[frozenset[str], set[str]] = defaultdict(set)
        for left, right in self.rules:
            if right & false:
                continue
            open_right = right - known
            if left & false:  # not all of the right side can be true
                for name in filter(self.is_choice, open_right):
                    rules[open_right - {name}].add(opposite(name))
            rules[open_right] |= left - decided
        return Puzzle(
            tuple(name for name in self.choices if name not in decided),
            tuple(name for name in self.others if name not in known),
            tuple((frozenset(left), right) for right, left in rules.items() if left),
            frozenset(),
            tuple(left - known for left in self.denied if not left & false),
        )

    def is_choice(self, name: str) -> bool:
        """Return whether a name is one of the two constants of a choice."""
        return name.removeprefix("!") in self._choices

    @cached_property
    def _choices(self) -> frozenset[str]:
        return frozenset(self.choices)


def opposite(name: str) -> str:
    """Return the other constant of a choice.

    >>> opposite("a"), opposite("!a")
    ('!a', 'a')
    """
    return name[1:] if name.startswith("!") else f"!{name}"


class StatedChoices(Choices):
    """The constants of a puzzle, with its own rules instead of groups of choices."""

    def __init__(self, puzzle: Puzzle) -> None:
        super().__init__(Rules(dict.fromkeys(puzzle.choices, frozenset()), ()))
        self.puzzle = puzzle
        self.constants.constants(*puzzle.others)

    def positive(self) -> Iterator[Relation]:
        """Yield the rules, each applied by ``U``."""
        for left, right in self.puzzle.rules:
            yield self.merge(sorted(left)) <= self.merge([self.U, *sorted(right)])

    def of_the_game(self, given: Iterable[str]) -> Iterator[Relation]:
        """Yield the relations of the game, and what must not lie below the solution."""
        yield from super().of_the_game(given)
        for left in filter(None, self.puzzle.denied):
            yield ~(self.merge(sorted(left)) <= self.U | self.S)


def play(puzzle: Puzzle, *, refuse: bool = True) -> Game:
    """Return the game over the choices that the rules and what is given leave open.

    A contradiction is an error, unless ``refuse`` is false: the solver will tell then.
    """
    whole = StatedChoices(puzzle)
    algebra = whole.constants.copy()
    algebra.add(whole.positive())
    algebra.add(whole.merge([name]) <= whole.S for name in puzzle.given - set(puzzle.choices))
    made = tuple(name for name in puzzle.choices if name in puzzle.given)
    setting = Setting(algebra, whole.yes, whole.no, whole.U, whole.S, made)
    if not refuse and setting.is_contradictory(made):
        return replace(over_open(replace(puzzle, choices=(), rules=())), setting=setting)
    setting.refuse_contradiction()
    probed = setting.probed(made)
    names = algebra.names
    known = frozenset() if probed is None else frozenset(names[i] for i in probed.tolist())
    return replace(
        over_open(puzzle.among(known)),
        chosen=frozenset(name for name in puzzle.choices if name in known),
        excluded=frozenset(name for name in puzzle.choices if f"!{name}" in known),
        setting=setting,
    )


def over_open(puzzle: Puzzle) -> Game:
    """Return the game of a puzzle in which nothing is given or decided."""
    left = StatedChoices(puzzle)
    rules = left.rule_set()
    game = rules.copy()
    if left.yes:
        game.add(left.of_the_game(()))
    return Game(rules, game, left.yes, left.no, left.U, left.S, asked=left.U | left.S)


@dataclass(frozen=True, repr=False)
class Solution(Answer):
    """The choices that are made, and what follows from them."""

    fields: ClassVar[tuple[str, ...]] = ("chosen", "follows")

    chosen: tuple[str, ...]
    excluded: frozenset[str] = field(repr=False)
    puzzle: Puzzle = field(repr=False)

    @property
    def progress(self) -> str:
        """Degree of completeness."""
        n = len(self.chosen) + len(self.excluded)
        return f"{n} of {len(self.puzzle.choices)} choices"

    @cached_property
    def true(self) -> set[str]:
        """All names below the solution."""
        made = {*self.chosen, *(f"!{name}" for name in self.excluded), *self.puzzle.given}
        return self.puzzle.concluded(made)

    @property
    def follows(self) -> tuple[str, ...]:
        """What is concluded, besides choices and what was given."""
        found = self.true - self.puzzle.given
        return tuple(name for name in self.puzzle.others if name in found)

    def solved(self) -> bool:
        """Return whether every choice is made one way and all rules are kept."""
        true, puzzle = self.true, self.puzzle
        decided = all((name in true) != (f"!{name}" in true) for name in puzzle.choices)
        return decided and not any(left <= true for left in puzzle.denied)

    def __str__(self) -> str:
        shown = [text for text in (self.board(), "\n".join(self.follows)) if text]
        return "\n".join(shown) or "nothing follows"

    def board(self) -> str:
        """Return the choices as a grid if they have rows and columns, else as a list."""
        cells = self.cells()
        if not cells:
            return "\n".join(self.chosen)
        width = max(map(len, cells.values()))
        rows, columns = (sorted({place[k] for place in cells}) for k in (0, 1))
        return "\n".join(
            " ".join(cells.get((r, c), " ").rjust(width) for c in columns) for r in rows
        )

    def cells(self) -> Mapping[tuple[int, int], str]:
        """Return the signs of a grid, if choices are ``f(row,column)`` or ``f(row,column,sign)``.

        Choices of two indices are shown by their name, or ``.`` where none is made.
        """
        split = [re.fullmatch(_PLACED, name) for name in self.puzzle.choices]
        if not split or any(match is None for match in split):
            return {}
        if len({(match[1], match[4] is None) for match in split if match}) > 1:
            return {}
        cells: dict[tuple[int, int], str] = {}
        for match in filter(None, split):
            place = int(match[2]), int(match[3])
            name = match.group()
            if name in self.chosen:
                cells[place] = match[4] or match[1]
            elif match[4] is None and name in self.excluded:
                cells[place] = "."
            else:
                cells.setdefault(place, "?")
        return cells

    def _html(self) -> str:
        from atomlearn.markup import escape

        return f"<pre>{escape(str(self))}</pre><p>{escape(self.caption)}</p>"


_PLACED = r"([^()]+)\((\d+),(\d+)(?:,([^,()]+))?\)"


def solve(
    source: "Algebra | str | Path",
    *,
    random_state: Seed = None,
    max_epochs: int = 100,
    schedule: Schedule | None = None,
    on_epoch: Callable[[Solution], None] | None = None,
    protocol: str | Protocol = "default",
) -> Solver[Solution]:
    """Return an iterator of solutions of a puzzle that is stated as relations.

    Parameters
    ----------
    source : Algebra, str or Path
        The relations, or the file that has them.
    random_state : int, Generator or None, default=None
        Random seed; the same seed gives the same solutions.
    max_epochs : int, default=100
        Maximum number of epochs.
    schedule : Schedule, default=None
        Which epochs are idle, and when choices are inserted.
    on_epoch : callable, default=None
        A function that is called with the answer of every epoch.
    protocol : {"default", "letter"} or Protocol, default="default"
        How an epoch is run.

    Returns
    -------
    Solver of Solution
        The iterator.

    Raises
    ------
    ContradictoryGivens
        If what is given contradicts the rules.

    Examples
    --------
    >>> alg = Algebra()
    >>> alg.add(alg.expand("uncle(x, z) < brother(x, y) parent(y, z) for x, y, z in {al, bo, cy}"))
    >>> alg.add(alg.expand("brother(al, bo) parent(bo, cy) < S"))
    >>> print(next(solve(alg)))
    uncle(al,cy)
    """
    algebra = source if isinstance(source, Algebra) else Algebra.read(source)
    puzzle = Puzzle.of(algebra)

    def answer(shown: PartialSolution) -> Solution:
        chosen = tuple(name for name in puzzle.choices if name in shown.chosen)
        return Solution(chosen, shown.excluded - shown.chosen, puzzle, **shown.origin)

    options: dict[str, Any] = {"schedule": schedule, "on_epoch": on_epoch, "protocol": protocol}
    return Solver(play(puzzle), answer, random_state=random_state, max_epochs=max_epochs, **options)
