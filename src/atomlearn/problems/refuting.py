"""Proofs by closure that there is no solution, with or without one assumed choice.

The closure of what is given is part of every solution. If it has both constants of a choice, "it is
so" and "it is not so", there is no solution. More is found by *probing*, the failed literals of
Freeman, "Improvements to propositional satisfiability search algorithms" (1995): if the closure
with one choice made is contradictory, every solution leaves that choice out, and the reverse; the
consequences are kept, until there are no new ones. Both are sound, neither is complete."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.relations import Conflict, Layout
from atomlearn.algebra.terms import Constant
from atomlearn.errors import ContradictoryGivens
from atomlearn.markup import Displayed
from atomlearn.sets.closing import (
    Constants,
    Implications,
    Workspace,
    chain,
    close,
    forget,
    workspace,
)
from atomlearn.sets.jit import kernel
from atomlearn.sets.words import FIRST
from atomlearn.typing import Bits

ORDERS = 10
"""Number of random orders tried when looking for the smallest set of clashing givens."""

MOST_TESTS = 200
"""Maximum number of sets of givens that are probed in that search."""


@dataclass(frozen=True, repr=False)
class Refutation(Displayed):
    """A proof that there is no solution.

    Attributes
    ----------
    givens : tuple of str
        A minimal set of clashing givens (if few enough to try); empty if the rules alone exclude a
        solution.

    Examples
    --------
    >>> from atomlearn.problems import colouring
    >>> triangle = [("a", "b"), ("b", "c"), ("a", "c")]
    >>> type(colouring.solve(triangle, 2).refutation).__name__
    'Refutation'
    """

    givens: tuple[str, ...]

    def __str__(self) -> str:
        if not self.givens:
            return "there is no solution, whatever is given: the rules alone exclude it"
        if len(self.givens) == 1:
            return f"there is no solution with {self.givens[0]}"
        return f"there is no solution: these givens clash: {', '.join(self.givens)}"


@dataclass(frozen=True)
class Setting:
    """A problem and its givens.

    ``algebra`` has the rules as positive relations. ``assumed`` are choices that exclude symmetric
    solutions only, such as where a cycle begins; probing starts from them, too.
    """

    algebra: Algebra
    yes: Mapping[str, Constant]
    no: Mapping[str, Constant]
    rule: Constant
    solution: Constant
    given: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()

    def refuse_contradiction(self) -> None:
        """Raise an error that names the clashing givens, if their closure is contradictory."""
        if not self.is_contradictory(self.given):
            return
        givens = self._clashing_pair() or self._fewest()
        own = tuple(name for name in givens if name not in self.assumed)
        raise ContradictoryGivens(own, [self._conflict(givens)])

    def refutation(self) -> Refutation | None:
        """Return a proof that there is no solution, if probing finds one."""
        if not self.is_refuted(self.given):
            return None
        return Refutation(minimal(self.given, self.is_refuted))

    def is_contradictory(self, given: Iterable[str]) -> bool:
        """Return whether the closure of these givens contains both constants of a choice."""
        return self._has_both(close(self._rules, self._start(given)))

    def is_refuted(self, given: Iterable[str]) -> bool:
        """Return whether probing shows that these givens have no solution."""
        return self.probed(given) is None

    def probed(self, given: Iterable[str]) -> Constants | None:
        """Return what probing finds in every solution, or ``None`` if there is no solution."""
        known = close(self._rules, self._start((*self.assumed, *given)))
        while not self._has_both(known):
            is_open = ~np.isin(self._yes, known) & ~np.isin(self._no, known)
            yes, no = self._yes[is_open], self._no[is_open]
            never = failing(self._rules, known, yes, self._yes, self._no)
            always = failing(self._rules, known, no, self._yes, self._no)
            if (never & always).any():
                return None
            if not (never | always).any():
                return known
            found = np.concatenate([known, no[never], yes[always]])
            known = close(self._rules, found.tolist())
        return None

    @cached_property
    def _rules(self) -> Implications:
        return Layout(self.algebra.n_constants, self.algebra.positive).rules

    @cached_property
    def _yes(self) -> Constants:
        return np.array([c.indices[0] for c in self.yes.values()], dtype=np.int32)

    @cached_property
    def _no(self) -> Constants:
        return np.array([self.no[name].indices[0] for name in self.yes], dtype=np.int32)

    def _start(self, given: Iterable[str]) -> list[int]:
        made = (self.yes[name].indices[0] for name in given)
        return [self.rule.indices[0], self.solution.indices[0], *made]

    def _has_both(self, closed: Constants) -> bool:
        return bool((np.isin(self._yes, closed) & np.isin(self._no, closed)).any())

    def _clashing_pair(self) -> tuple[str, ...]:
        """Return two givens that clash by themselves, which is easier to see than a larger set."""
        for i, one in enumerate(self.given):
            others = self.given[i + 1 :]
            constants = np.array([self.yes[o].indices[0] for o in others], dtype=np.int32)
            start = np.array(self._start([one]), dtype=np.int32)
            fails = failing(self._rules, start, constants, self._yes, self._no)
            if fails.any():
                return one, others[int(fails.argmax())]
        return ()

    def _fewest(self) -> tuple[str, ...]:
        """Return the smallest of several minimal sets, found by leaving out in different orders."""
        rng = np.random.default_rng(0)
        orders = [rng.permutation(len(self.given)) for _ in range(ORDERS)]
        sets = [minimal([self.given[i] for i in order], self.is_contradictory) for order in orders]
        fewest = min(sets, key=len)
        return tuple(name for name in self.given if name in fewest)

    def _conflict(self, givens: Sequence[str]) -> Conflict:
        algebra = self.algebra.copy()
        if made := [self.yes[name] for name in givens]:
            algebra.add(algebra.term(made) <= self.solution)
        both = self.rule | self.solution
        algebra.add(~(self.yes[name] | self.no[name] <= both) for name in self.yes)
        return min(algebra.conflicts(), key=lambda conflict: len(conflict.derivation))


def minimal(givens: Sequence[str], fails: Callable[[Sequence[str]], bool]) -> tuple[str, ...]:
    """Return a minimal subset of the givens for which ``fails`` is still true.

    >>> minimal("abcdef", lambda some: "b" in some and "e" in some)
    ('b', 'e')
    """
    kept, tests = list(givens), 0
    step = max(1, len(kept) // 2)  # many at a time at first: most are not needed
    while step:
        at = 0
        while at < len(kept) and tests < MOST_TESTS:
            rest = kept[:at] + kept[at + step :]
            tests += 1
            if fails(rest):
                kept = rest
            else:
                at += step
        step //= 2
    return tuple(kept)


def failing(
    rules: Implications, known: Constants, assumed: Constants, yes: Constants, no: Constants
) -> Bits:
    """Return for each assumed constant whether its closure has both constants of a choice.

    What is known is assumed, too.
    """
    fails = np.zeros(len(assumed), dtype=np.bool_)
    start = np.append(known, np.int32(0))
    note_failing(rules, start, assumed, yes, no, workspace(rules), fails)
    return fails


@kernel
def note_failing(
    rules: Implications,
    start: Constants,
    assumed: Constants,
    yes: Constants,
    no: Constants,
    work: Workspace,
    fails: Bits,
) -> None:
    """Write which assumptions fail; each in turn is the last constant to start from."""
    for k in range(assumed.shape[0]):
        start[-1] = assumed[k]
        n, _ = chain(rules, start, FIRST, start.shape[0], work)
        for c in range(yes.shape[0]):
            if work.inside[yes[c]] and work.inside[no[c]]:
                fails[k] = True
                break
        forget(rules, n, work)
