"""Compare learned atoms with the exact ones."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

import numpy as np

from atomlearn.engine.pool import Pool
from atomlearn.logic.exact import ExactAtomization
from atomlearn.logic.formulas import Bits
from atomlearn.markup import Displayed
from atomlearn.sets.lists import Lists

if TYPE_CHECKING:
    from atomlearn.algebra.model import Model

AnyAtoms = Union["Model", Pool, Lists, Iterable[Iterable[Hashable]]]


@dataclass(frozen=True, repr=False)
class Comparison(Displayed):
    """How many learned atoms are exact, part of an exact one, larger than one, or neither.

    >>> print(Comparison(exact=4, sub_atoms=0, super_atoms=1, neither=0))
    5 atoms: 4 exact, 0 sub-atoms, 1 larger than an exact one, 0 neither
    """

    exact: int
    """Atoms of the exact atomization."""
    sub_atoms: int
    """Parts of an exact atom, which exclude more than they should."""
    super_atoms: int
    """Supersets of an exact atom: true, but weaker than necessary."""
    neither: int

    @property
    def total(self) -> int:
        """Number of atoms compared."""
        return self.exact + self.sub_atoms + self.super_atoms + self.neither

    @property
    def share_exact(self) -> float:
        """Share of exact atoms; 0 if there are none."""
        return self.exact / self.total if self.total else 0.0

    def __str__(self) -> str:
        return (
            f"{self.total:,} atoms: {self.exact:,} exact, {self.sub_atoms:,} sub-atoms, "
            f"{self.super_atoms:,} larger than an exact one, {self.neither:,} neither"
        )


def compare(
    learned: AnyAtoms,
    exact: ExactAtomization,
    constant: Hashable,
    name_of: Callable[[int], Hashable] | Sequence[Hashable] | None = None,
) -> Comparison:
    """Compare the learned atoms of ``constant`` with the exact ones.

    ``learned`` is a model, a pool of pins, lists of atoms, or sets of constants. The constants of
    pools and lists are numbers; ``name_of`` gives the formula's name of each. Of a model only the
    atoms of the constant are compared.

    >>> from atomlearn.logic.formulas import Has
    >>> exact = ExactAtomization(Has("a") & Has("b") | Has("c"))
    >>> print(compare([{"v", "a", "c"}, {"v", "a"}, {"v", "a", "b", "c"}], exact, "v"))
    3 atoms: 1 exact, 1 sub-atoms, 1 larger than an exact one, 0 neither
    """
    atoms = _named(learned, constant, name_of)
    place = {name: i for i, name in enumerate(exact.constants)}
    sets = np.zeros((len(atoms), len(place)), dtype=np.bool_)
    foreign = np.zeros(len(atoms), dtype=np.bool_)
    for i, atom in enumerate(atoms):
        for name in atom:
            if name == constant:
                continue
            if name in place:
                sets[i, place[name]] = True
            else:
                foreign[i] = True
    return _judged(sets, foreign, exact)


def _judged(sets: Bits, foreign: Bits, exact: ExactAtomization) -> Comparison:
    is_exact = exact.are_atoms(sets) & ~foreign
    is_super = exact.follow(sets) & ~is_exact
    is_sub = exact.lie_within_atoms(sets) & ~foreign & ~is_exact & ~is_super
    n_exact, n_sub, n_super = (int(which.sum()) for which in (is_exact, is_sub, is_super))
    return Comparison(n_exact, n_sub, n_super, len(sets) - n_exact - n_sub - n_super)


def _named(
    learned: AnyAtoms,
    constant: Hashable,
    name_of: Callable[[int], Hashable] | Sequence[Hashable] | None,
) -> list[Iterable[Hashable]]:
    from atomlearn.algebra.model import Model

    if isinstance(learned, Model):
        return [atom.constants for atom in learned.atoms_of(learned.term(str(constant)))]
    if isinstance(learned, Pool):
        learned = learned.atoms
    if not isinstance(learned, Lists):
        return list(learned)
    named: Callable[[int], Hashable] = (
        name_of if callable(name_of) else (lambda c: c) if name_of is None else name_of.__getitem__
    )
    ends = zip(learned.starts[:-1], learned.starts[1:], strict=True)
    return [[named(c) for c in learned.constants[a:b].tolist()] for a, b in ends]
