"""The relations that problems of choosing have in common.

Queens are written out in full, to be set beside the paper. Other problems differ from them in two
things only: which choices a choice rules out, and of which choices one must be made. This file
turns both into relations, in the same way as the paper does for queens.
"""

from collections.abc import Iterable, Iterator

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.relations import Relation
from atomlearn.problems.game import Game, not_following


class Choices:
    """Two constants for each choice, ``U`` (the rules apply) and ``S`` (the solution).

    >>> coin = Choices(["heads", "tails"])
    >>> coin.excludes("heads", ["tails"])
    Relation('!tails < heads U')
    >>> coin.remains("heads", ["tails"])
    Relation('heads < !tails U')
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.algebra = Algebra()
        listed = list(names)
        self.yes = {name: self.algebra.constant(name) for name in listed}
        self.no = {name: self.algebra.constant(f"!{name}") for name in listed}
        self.U, self.S = self.algebra.constants("U", "S")

    def excludes(self, choice: str, others: Iterable[str]) -> Relation:
        """To make a choice is not to make the others: ``⊙ no < U ⊙ yes``."""
        return self.algebra.term(self.no[other] for other in others) <= self.U | self.yes[choice]

    def remains(self, choice: str, others: Iterable[str]) -> Relation:
        """If none of the others is made, this choice is: ``yes < U ⊙ no ⊙ no ...``."""
        return self.yes[choice] <= self.algebra.term([self.U, *(self.no[o] for o in others)])

    def rules(
        self, excluded: dict[str, set[str]], one_of: Iterable[Iterable[str]]
    ) -> Iterator[Relation]:
        """What each choice rules out; and the groups of which one must be chosen."""
        yield from (self.excludes(choice, others) for choice, others in excluded.items() if others)
        for group in map(list, one_of):
            yield from (self.remains(c, [o for o in group if o != c]) for c in group)

    def independence(self) -> Iterator[Relation]:
        """No choice follows from the others, made or not, unless the rules apply."""
        yes, no, term = self.yes, self.no, self.algebra.term
        for choice in yes:
            yield ~(yes[choice] <= term([*(yes[o] for o in yes if o != choice), *no.values()]))
            yield ~(no[choice] <= term([*(no[o] for o in no if o != choice), *yes.values()]))

    def free_alone(self) -> Iterator[Relation]:
        """What must not follow from one choice and the rules, if they do not contradict it."""
        for choice, yes in self.yes.items():
            yield yes <= self.U | self.no[choice]
            yield self.no[choice] <= self.U | yes

    def rule_set(self, excluded: dict[str, set[str]], one_of: Iterable[Iterable[str]]) -> Algebra:
        """The rules and the independence of the choices, as an algebra."""
        algebra = self.algebra.copy()
        algebra.add(self.rules(excluded, one_of), self.independence())
        algebra.add(list(not_following(algebra, self.free_alone())))
        return algebra

    def game(self, rules: Algebra, given: Iterable[str]) -> Game:
        """The game with these choices given.

        They lie below the solution; the solution is made of choices, and with the rules applied
        none is both made and not made.
        """
        fixed = [self.yes[choice] for choice in given]
        algebra = rules.copy()
        if fixed:
            algebra.add(algebra.term(fixed) <= self.S)
        algebra.add(self.S <= algebra.term([*self.yes.values(), *self.no.values()]))  # noqa: SIM300
        algebra.add(~(self.yes[c] | self.no[c] <= self.U | self.S) for c in self.yes)
        return Game(rules, algebra, self.yes, self.no, self.U, self.S)
