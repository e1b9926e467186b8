"""What every formal problem is made of: rules, a game played by them, and how to read a model.

A problem is a set of *choices* ("a queen on b4", "a 5 in row 2, column 3"). Each has two constants,
one for "it is so" and one for "it is not so". The rules are relations between them; the game adds
what is given of the solution ``S``. What a model knows of the solution is read by asking, choice by
choice, which of the two constants lies below ``S``.

Queens are written out in full, to be compared with the paper. Other problems differ in two things
only: the pairs of choices that exclude each other, and the groups from which one choice must be
made. This module turns both into relations, in the same way as the paper does for queens.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.algebra.relations import Relation
from atomlearn.algebra.terms import Constant, Term
from atomlearn.errors import InvalidProblem, suggest
from atomlearn.markup import Displayed, escape
from atomlearn.problems.refuting import Refutation, Setting
from atomlearn.sets import rows


@dataclass(frozen=True, kw_only=True, repr=False)
class Answer(Displayed, ABC):
    """A solution, or as much of one as the model of an epoch knows.

    Attributes
    ----------
    epoch : int
        The epoch; 0 for a solution that follows from the rules alone.
    idle : bool
        Whether the epoch learned the rules without the game.
    inserted : str or None
        A choice that was added for this epoch only.
    model : Model or None
        The model; a solution that follows from the rules alone has none.

    Examples
    --------
    >>> from atomlearn.problems import colouring
    >>> answer = next(colouring.solve([("a", "b")], 2, random_state=0))
    >>> answer.solved(), answer.progress
    (True, '2 of 2 vertices')
    """

    fields: ClassVar[tuple[str, ...]]
    """The attributes that :meth:`to_dict` returns."""

    epoch: int = 0
    idle: bool = False
    inserted: str | None = None
    model: Model | None = field(default=None, compare=False, repr=False)

    @property
    @abstractmethod
    def progress(self) -> str:
        """Degree of completeness, as in "7 of 8 queens"."""

    @abstractmethod
    def solved(self) -> bool:
        """Return whether it is complete and legal, checked without the algebra."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.progress}, epoch {self.epoch}>"

    @property
    def caption(self) -> str:
        """Degree of completeness, and the epoch."""
        return f"{self.progress}, epoch {self.epoch}"

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain values, for JSON."""
        return {name: getattr(self, name) for name in (*self.fields, "epoch")}


@dataclass(frozen=True, repr=False)
class PartialSolution:
    """The choices that a model makes in the solution, and those that it rules out.

    A choice in neither set is undecided, the ``?`` of the paper's boards.
    """

    chosen: frozenset[str]
    excluded: frozenset[str]
    epoch: int = 0
    idle: bool = False
    inserted: str | None = None
    model: Model | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        chosen, excluded = len(self.chosen), len(self.excluded)
        return f"<PartialSolution: {chosen} chosen, {excluded} excluded, epoch {self.epoch}>"

    @property
    def n_decided(self) -> int:
        """Number of decided choices."""
        return len(self.chosen | self.excluded)

    @property
    def origin(self) -> dict[str, Any]:
        """The fields that every :class:`Answer` shares."""
        return {
            "epoch": self.epoch,
            "idle": self.idle,
            "inserted": self.inserted,
            "model": self.model,
        }


CELL = 34
FIXED, FOUND, INSERTED = "var(--accent)", "var(--text)", "var(--against)"
"""Colours of queens as in the paper: fixed blue, inserted red, found black."""


def board_svg(
    signs: Sequence[Sequence[str]],
    colours: Sequence[Sequence[str]],
    about: str,
    *,
    chequered: bool = True,
    box: tuple[int, int] | None = None,
) -> str:
    """Draw signs on a board, row by row from the top; ``box`` are the sides of a sudoku's boxes.

    >>> board_svg([["Q", "."]], [["red", "red"]], "one queen").count("<rect")
    2
    """
    height, width = len(signs) * CELL, len(signs[0]) * CELL
    parts = []
    for i, row in enumerate(signs):
        for j, sign in enumerate(row):
            dark = chequered and (len(signs) - i + j) % 2
            fill = "var(--sunken)" if dark else "var(--panel)"
            place = f'x="{j * CELL}" y="{i * CELL}" width="{CELL}" height="{CELL}"'
            parts.append(f'<rect {place} fill="{fill}" stroke="var(--line)"/>')
            if sign not in ("", "."):
                parts.append(_sign(sign, i, j, colours[i][j]))
    if box is not None:
        for i in range(0, len(signs) + 1, box[0]):
            parts.append(_line(0, i * CELL, width, i * CELL))
        for j in range(0, len(signs[0]) + 1, box[1]):
            parts.append(_line(j * CELL, 0, j * CELL, height))
    return (
        f'<figure><svg viewBox="-2 -2 {width + 4} {height + 4}" width="{width + 4}" role="img" '
        f'aria-label="{escape(about)}">{"".join(parts)}</svg>'
        f"<figcaption>{escape(about)}</figcaption></figure>"
    )


def _sign(sign: str, i: int, j: int, colour: str) -> str:
    x, y = (j + 0.5) * CELL, (i + 0.5) * CELL
    if sign == "Q":
        return _queen(x, y, colour)
    muted = ' class="muted"' if sign == "?" else f' fill="{colour}"'
    return (
        f'<text x="{x}" y="{y}" text-anchor="middle" dominant-baseline="central" '
        f'font-size="{CELL // 2}"{muted}>{escape(sign)}</text>'
    )


def _queen(x: float, y: float, colour: str) -> str:
    """Draw a crown, which fonts do not always have."""
    points = [(-10, -7), (-5, 0), (0, -11), (5, 0), (10, -7), (7, 8), (-7, 8)]
    path = " ".join(f"{x + dx:g},{y + dy:g}" for dx, dy in points)
    return f'<polygon points="{path}" fill="{colour}"/>'


def _line(x1: int, y1: int, x2: int, y2: int) -> str:
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="var(--text)" stroke-width="1.5"/>'
    )


@dataclass(frozen=True)
class Game:
    """Rules and one game played by them, over the same constants.

    Parameters
    ----------
    rules : Algebra
        The rules alone, which an idle epoch learns.
    algebra : Algebra
        The rules and the relations of the game.
    yes : mapping of str to Constant
        For each choice, the constant that it is made.
    no : mapping of str to Constant
        For each choice, the constant that it is not made.
    rule : Constant
        The paper's U: the rules apply to the merge of ``rule`` and ``solution``.
    solution : Constant
        The paper's S.
    asked : Term
        The term below which a model is asked for choices.
    chosen : frozenset of str, default=frozenset()
        Choices that were made before and are no part of the game.
    excluded : frozenset of str, default=frozenset()
        Choices that were excluded before and are no part of the game.
    setting : Setting, default=None
        The problem before anything is given; without it, the rules are all there is.

    Examples
    --------
    >>> from atomlearn.problems import one_of_each, play
    >>> game = play(one_of_each([["a1", "a2", "a3"]]), given=[])
    >>> game.choices, game.refutation()
    (('a1', 'a2', 'a3'), None)
    """

    rules: Algebra
    algebra: Algebra
    yes: Mapping[str, Constant]
    no: Mapping[str, Constant]
    rule: Constant
    solution: Constant
    asked: Term
    chosen: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    setting: Setting | None = None

    def refutation(self) -> Refutation | None:
        """Return a proof that there is no solution, if closure gives one."""
        setting = self.setting
        if setting is None:
            setting = Setting(self.algebra, self.yes, self.no, self.rule, self.solution)
        return setting.refutation()

    @property
    def choices(self) -> tuple[str, ...]:
        """Names of all choices."""
        return tuple(self.yes)

    def read(self, model: Model) -> PartialSolution:
        """Ask a model, choice by choice, what lies below the solution.

        Parameters
        ----------
        model : Model
            The model.

        Returns
        -------
        PartialSolution
            The choices that are made, and those that are ruled out.
        """
        found = below(model, self.asked)
        yes = frozenset(name for name, c in self.yes.items() if c.indices[0] in found)
        no = frozenset(name for name, c in self.no.items() if c.indices[0] in found)
        return PartialSolution(self.chosen | yes, self.excluded | no, model=model)

    def undecided(self, model: Model) -> list[str]:
        """Return the choices that a model leaves open even with the rules applied to the solution.

        Parameters
        ----------
        model : Model
            The model.
        """
        found = below(model, self.rule | self.solution)
        return [
            name
            for name in self.yes
            if self.yes[name].indices[0] not in found and self.no[name].indices[0] not in found
        ]

    def inserting(self, choice: str) -> Algebra:
        """Return the relations of the game with one more choice made, for one epoch.

        Parameters
        ----------
        choice : str
            The choice.
        """
        algebra = self.algebra.copy()
        algebra.add(self.yes[choice] <= self.solution)
        return algebra

    def admits(self, choice: str) -> bool:
        """Return whether the game is still consistent with a choice made.

        Parameters
        ----------
        choice : str
            The choice.
        """
        term = self.rule | self.solution | self.yes[choice]
        closed = set(self.algebra.closure(term).indices)
        return not any(
            self.yes[name].indices[0] in closed and self.no[name].indices[0] in closed
            for name in self.yes
        )


def below(model: Model, term: Term) -> set[int]:
    """Return the indices of the constants that lie below a term in a model.

    >>> alg = Algebra(["a", "b", "c"])
    >>> alg.add(alg.relation("a < b"))
    >>> sorted(below(alg.freest(), alg["b"]))
    [0, 1]
    """
    n = model.n_constants
    held = rows.meets(model.rows, rows.row(term.indices, n))
    outside = rows.union(np.vstack([rows.empty(1, n), model.rows[~held]]))
    return set(range(n)) - set(rows.members(outside).tolist())


def not_following(algebra: Algebra, relations: Iterable[Relation]) -> Iterator[Relation]:
    """Yield the negations of those relations that do not follow from the algebra.

    This states independence: "``E`` does not follow from ``U ⊙ Q``" may be added where it is true,
    but would contradict the rules where it is not. On a board of 4 × 4 a queen in a corner leads to
    a contradiction, and from a contradiction everything follows.

    >>> alg = Algebra(["a", "b", "c"])
    >>> a, b, c = alg
    >>> alg.add(a <= b)
    >>> list(not_following(alg, [a <= b, a <= c]))
    [Relation('a !< c')]
    """
    asked = list(relations)
    for relation, closed in zip(asked, algebra.closures(r.right for r in asked), strict=True):
        if not set(relation.left.indices) <= set(closed.indices):
            yield ~relation


@dataclass(frozen=True)
class Rules:
    """For each choice the choices it excludes, and groups from which one choice must be made.

    Parameters
    ----------
    excluded : mapping of str to frozenset of str
        The choices that each choice excludes.
    one_of : tuple of tuples of str
        The groups from which one choice must be made.

    Examples
    --------
    >>> rules = one_of_each([["a1", "a2"], ["b1", "b2"]], also={"a1": ["b1"]})
    >>> sorted(rules.excluded["a1"]), rules.one_of
    (['a2', 'b1'], (('a1', 'a2'), ('b1', 'b2')))
    """

    excluded: Mapping[str, frozenset[str]]
    one_of: tuple[tuple[str, ...], ...]

    def among(self, left: frozenset[str], chosen: frozenset[str]) -> "Rules":
        """Return the rules restricted to the open choices, given those that are made.

        Parameters
        ----------
        left : frozenset of str
            The open choices.
        chosen : frozenset of str
            The choices that are made.
        """
        return Rules(
            {name: self.excluded[name] & left for name in self.excluded if name in left},
            tuple(
                tuple(name for name in group if name in left)
                for group in self.one_of
                if chosen.isdisjoint(group)
            ),
        )


def one_of_each(
    groups: Iterable[Iterable[str]], also: Mapping[str, Iterable[str]] | None = None
) -> Rules:
    """Return rules that allow exactly one choice of each group.

    Parameters
    ----------
    groups : iterable of iterables of str
        The groups of choices.
    also : mapping of str to iterable of str, default=None
        Further choices that a choice excludes.

    Returns
    -------
    Rules
        The rules.

    Examples
    --------
    >>> rules = one_of_each([["heads", "tails"]])
    >>> sorted(rules.excluded["heads"])
    ['tails']
    """
    listed = tuple(map(tuple, groups))
    excluded: dict[str, set[str]] = {name: set() for group in listed for name in group}
    for group in listed:
        for name in group:
            excluded[name].update(group)
    for name, others in (also or {}).items():
        some = tuple(others)
        _check_names((name, *some), excluded)
        excluded[name].update(some)
    return Rules({name: frozenset(found - {name}) for name, found in excluded.items()}, listed)


class Choices:
    """Two constants for each choice, ``U`` (the rules apply) and ``S`` (the solution).

    Parameters
    ----------
    rules : Rules
        The rules of the problem.

    Examples
    --------
    >>> coin = Choices(one_of_each([["heads", "tails"]]))
    >>> coin.excludes("heads")
    Relation('!tails < heads U')
    >>> coin.remains("heads", ["heads", "tails"])
    Relation('heads < !tails U')
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.constants = Algebra()
        self.yes = {name: self.constants.constant(name) for name in rules.excluded}
        self.no = {name: self.constants.constant(f"!{name}") for name in rules.excluded}
        self.U, self.S = self.constants.constants("U", "S")
        self.merge = self.constants.term

    def excludes(self, choice: str) -> Relation:
        """Return the relation ``⊙ no < U ⊙ yes``: a choice excludes others.

        Parameters
        ----------
        choice : str
            The choice.
        """
        others = self.rules.excluded[choice]
        return self.merge(self.no[other] for other in others) <= self.U | self.yes[choice]

    def remains(self, choice: str, group: Iterable[str]) -> Relation:
        """Return the relation ``yes < U ⊙ no ⊙ no ...``: the only choice left of a group is made.

        Parameters
        ----------
        choice : str
            The choice that is left.
        group : iterable of str
            The group.
        """
        others = (self.no[other] for other in group if other != choice)
        return self.yes[choice] <= self.merge([self.U, *others])

    def positive(self) -> Iterator[Relation]:
        """Yield the rules as positive relations."""
        yield from (self.excludes(choice) for choice, out in self.rules.excluded.items() if out)
        for group in self.rules.one_of:
            yield from (self.remains(choice, group) for choice in group)

    def independence(self) -> Iterator[Relation]:
        """Yield relations by which no choice follows from the others, unless the rules apply."""
        yes, no = self.yes, self.no
        for choice in yes:
            yield ~(yes[choice] <= self.merge([*(_without(yes, choice)), *no.values()]))
            yield ~(no[choice] <= self.merge([*(_without(no, choice)), *yes.values()]))

    def denied_by_independence(self) -> Iterator[Relation]:
        """Yield relations that must not follow from one choice and the rules."""
        for choice, yes in self.yes.items():
            yield yes <= self.U | self.no[choice]
            yield self.no[choice] <= self.U | yes

    def of_the_game(self, given: Iterable[str]) -> Iterator[Relation]:
        """Yield the relations of the game.

        The given choices lie below the solution, which is made of choices. With the rules applied
        to it no choice is both made and not made.

        Parameters
        ----------
        given : iterable of str
            The given choices.
        """
        if fixed := [self.yes[choice] for choice in given]:
            yield self.merge(fixed) <= self.S
        yield self.S <= self.merge([*self.yes.values(), *self.no.values()])  # noqa: SIM300
        yield from (~(self.yes[c] | self.no[c] <= self.U | self.S) for c in self.yes)

    def rule_set(self) -> Algebra:
        """Return the rules and the independence of the choices, as an algebra."""
        algebra = self.constants.copy()
        algebra.add(self.positive(), self.independence())
        algebra.add(list(not_following(algebra, self.denied_by_independence())))
        return algebra

    def algebra(self, given: Iterable[str]) -> Algebra:
        """Return the rule set and the game with some choices given.

        Parameters
        ----------
        given : iterable of str
            The given choices.
        """
        algebra = self.rule_set()
        algebra.add(self.of_the_game(given))
        return algebra


def play(rules: Rules, given: Iterable[str], assumed: Iterable[str] = ()) -> Game:
    """Return a game over the choices that the rules and the given choices leave open.

    What follows from them is found exactly, by closure and by probing
    (:mod:`~atomlearn.problems.refuting`), and need not be learned; the rules of the open choices
    are the same rules without the decided ones.

    Parameters
    ----------
    rules : Rules
        The rules of the problem.
    given : iterable of str
        The given choices.
    assumed : iterable of str, default=()
        Choices that exclude symmetric solutions only; they help to show that there is no solution.

    Returns
    -------
    Game
        The game.

    Raises
    ------
    ContradictoryGivens
        If the given choices contradict the rules.

    Examples
    --------
    >>> game = play(one_of_each([["a1", "a2"], ["b1", "b2"]], also={"a1": ["b1"]}), given=["a1"])
    >>> sorted(game.chosen), sorted(game.excluded)
    (['a1', 'b2'], ['a2', 'b1'])
    """
    fixed, supposed, whole = tuple(given), tuple(assumed), Choices(rules)
    _check_names((*fixed, *supposed), whole.yes)
    algebra = whole.constants.copy()
    algebra.add(whole.positive())
    setting = Setting(algebra, whole.yes, whole.no, whole.U, whole.S, fixed, supposed)
    setting.refuse_contradiction()
    chosen, excluded = _decided(whole, setting)
    left = Choices(rules.among(frozenset(rules.excluded) - chosen - excluded, chosen))
    rule_set = left.rule_set()
    game = rule_set.copy()
    if left.yes:
        game.add(left.of_the_game(()))
    asked = left.U | left.S
    return Game(rule_set, game, left.yes, left.no, left.U, left.S, asked, chosen, excluded, setting)


def _check_names(names: Iterable[str], known: Iterable[str]) -> None:
    """Raise an error if a name is not that of a choice."""
    known = dict.fromkeys(known)
    for name in names:
        if name not in known:
            raise InvalidProblem(f"there is no choice {name!r}{suggest(name, known)}")


def _decided(whole: Choices, setting: Setting) -> tuple[frozenset[str], frozenset[str]]:
    """Return the choices that every solution makes, and those that none makes."""
    known = setting.probed(setting.given)
    found = set() if known is None else set(known.tolist())  # no solution: the solver will tell
    yes, no = (
        frozenset(name for name, constant in constants.items() if constant.indices[0] in found)
        for constants in (whole.yes, whole.no)
    )
    return yes, no


def _without(constants: Mapping[str, Constant], choice: str) -> Iterator[Constant]:
    return (constant for name, constant in constants.items() if name != choice)
