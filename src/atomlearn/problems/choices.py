"""Problems of choosing as relations.

Queens are written out in full, to be compared with the paper. Other problems differ in two things
only: the pairs of choices that exclude each other, and the groups from which one choice must be
made. This module turns both into relations, in the same way as the paper does for queens.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.relations import Relation
from atomlearn.algebra.terms import Constant
from atomlearn.errors import InvalidProblem, suggest
from atomlearn.problems.game import Game, not_following
from atomlearn.problems.refuting import Setting


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
