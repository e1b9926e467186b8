"""What every formal problem is made of: rules, a game played by them, and how to read a model.

A problem is a set of *choices* ("a queen on b4", "a 5 in row 2, column 3"). Each has two constants,
one for "it is so" and one for "it is not so". The rules are relations between them; the game adds
what is given of the solution ``S``. What a model knows of the solution is read by asking, choice by
choice, which of the two constants lies below ``S``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.algebra.relations import Relation
from atomlearn.algebra.terms import Constant, Term
from atomlearn.problems.answers import PartialSolution
from atomlearn.problems.refuting import Refutation, Setting
from atomlearn.sets import rows


@dataclass(frozen=True)
class Game:
    """Rules and one game played by them, over the same constants.

    ``rules`` alone are what an idle epoch learns; ``algebra`` has the relations of the game too.
    ``yes`` and ``no`` are the two constants of each choice. The rules apply to the merge of
    ``rule`` and ``solution`` (the paper's U and S). A model is asked what lies below ``asked``.
    ``chosen`` and ``excluded`` are choices that were decided before, and are no part of the game.
    ``setting`` is the problem before anything is given; if there is none, all of it is rules.

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
        """The proof that there is no solution, if closure gives one."""
        setting = self.setting
        if setting is None:
            setting = Setting(self.algebra, self.yes, self.no, self.rule, self.solution)
        return setting.refutation()

    @property
    def choices(self) -> tuple[str, ...]:
        """The names of all choices."""
        return tuple(self.yes)

    def read(self, model: Model) -> PartialSolution:
        """Ask a model, choice by choice, what lies below the solution."""
        found = below(model, self.asked)
        yes = frozenset(name for name, c in self.yes.items() if c.indices[0] in found)
        no = frozenset(name for name, c in self.no.items() if c.indices[0] in found)
        return PartialSolution(self.chosen | yes, self.excluded | no, model=model)

    def undecided(self, model: Model) -> list[str]:
        """The choices that a model leaves open even with the rules applied to the solution."""
        found = below(model, self.rule | self.solution)
        return [
            name
            for name in self.yes
            if self.yes[name].indices[0] not in found and self.no[name].indices[0] not in found
        ]

    def inserting(self, choice: str) -> Algebra:
        """The game with one more choice made: relations for one epoch."""
        algebra = self.algebra.copy()
        algebra.add(self.yes[choice] <= self.solution)
        return algebra

    def admits(self, choice: str) -> bool:
        """Is the game still consistent with this choice made?"""
        term = self.rule | self.solution | self.yes[choice]
        closed = set(self.algebra.closure(term).indices)
        return not any(
            self.yes[name].indices[0] in closed and self.no[name].indices[0] in closed
            for name in self.yes
        )


def below(model: Model, term: Term) -> set[int]:
    """The constants, by index, that lie below a term in a model.

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
    """The negations of those relations that do not follow from the algebra.

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
