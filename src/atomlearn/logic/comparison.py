"""Learned atoms beside the exact ones, and the paper's theory of error and compression."""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union, cast

import numpy as np

from atomlearn.engine.pool import Pool
from atomlearn.logic.exact import ExactAtomization
from atomlearn.markup import Displayed
from atomlearn.sets.rows import Lists
from atomlearn.typing import Bits

if TYPE_CHECKING:
    from atomlearn.algebra.model import Model

LN2, LN3 = math.log(2), math.log(3)


def compression(n_relations: float, n_atoms: float) -> float:
    """Return the compression ``κ = R / Z``, the number of relations for each atom.

    Parameters
    ----------
    n_relations : float
        Number ``R`` of relations that were learned from, in whatever batch, and still hold.
    n_atoms : float
        Number ``Z`` of atoms.

    Returns
    -------
    float
        The compression.

    Examples
    --------
    >>> compression(50_000, 50)
    1000.0
    """
    if n_atoms <= 0:
        raise ValueError(f"compression needs at least one atom, not {n_atoms}")
    return n_relations / n_atoms


def error_times_compression(
    n_constants: int, *, paired: bool = True, log_symmetries: float = 0.0
) -> float:
    """Return the product ``ε κ`` of error and compression that random picking leads to.

    It is a constant of the problem.

    Parameters
    ----------
    n_constants : int
        Number of constants ``C``.
    paired : bool, default=True
        Whether constants exclude each other two by two, as black and white of a pixel do: an atom
        is then in one of the two or in none, which makes ``3^(C/2)`` atoms and not ``2^C``.
    log_symmetries : float, default=0.0
        Logarithm of the number of symmetries of the problem (:func:`log_grid_symmetries`).

    Returns
    -------
    float
        The product.

    Examples
    --------
    >>> round(error_times_compression(2 * 7 * 7), 2)                        # C ln(3) / 2
    53.83
    >>> symmetries = log_grid_symmetries(7, 7)
    >>> round(error_times_compression(2 * 7 * 7, log_symmetries=symmetries), 2)
    36.78
    """
    log_atoms = n_constants * (LN3 / 2 if paired else LN2)
    return log_atoms - log_symmetries


def predicted_error(
    kappa: float, n_constants: int, *, paired: bool = True, log_symmetries: float = 0.0
) -> float:
    """Return the predicted error ``ε`` of a random model, valid where it is small.

    Parameters
    ----------
    kappa : float
        The compression.
    n_constants : int
        Number of constants.
    paired : bool, default=True
        Whether constants exclude each other two by two.
    log_symmetries : float, default=0.0
        Logarithm of the number of symmetries of the problem.

    Returns
    -------
    float
        The error.

    Examples
    --------
    >>> round(predicted_error(1000, 100, paired=False), 4)                  # ln(2) C / κ
    0.0693
    >>> round(predicted_error(1000, 100), 4)                                # ln(3) C / 2 κ
    0.0549
    """
    if kappa <= 0:
        raise ValueError(f"a compression (or an error) is positive, not {kappa}")
    constant = error_times_compression(n_constants, paired=paired, log_symmetries=log_symmetries)
    return constant / kappa


def log_grid_symmetries(height: int, width: int) -> float:
    """Return ``ln(height! width!)``, for problems whose rows and columns may be permuted.

    Parameters
    ----------
    height : int
        Number of rows of the grid.
    width : int
        Number of columns of the grid.

    Returns
    -------
    float
        Logarithm of the number of symmetries.

    Examples
    --------
    >>> round(log_grid_symmetries(10, 10), 2)                               # 2 ln(10!)
    30.21
    """
    return math.lgamma(height + 1) + math.lgamma(width + 1)


def chance_to_hold(atom_size: int, noise: float) -> float:
    """Return the probability that a background image has an atom.

    Parameters
    ----------
    atom_size : int
        Number of pixels of the atom, one of which must be black.
    noise : float
        Probability of a black pixel.

    Returns
    -------
    float
        The probability.

    Examples
    --------
    >>> round(chance_to_hold(15, 0.1), 3)                                   # 1 - 0.9^15
    0.794
    """
    if not 0 <= noise <= 1:
        raise ValueError(f"noise is a share from 0 to 1, not {noise}")
    return 1 - (1 - noise) ** atom_size


def atoms_needed(error: float, chance: float) -> float:
    """Return the number of atoms that let a given share of the counterexamples pass.

    Each counterexample has an atom by chance, independently (:func:`chance_to_hold`), and passes if
    it has all of them. The paper's example: bars in 15 × 15 images with a tenth of the background
    black, and one false positive in a thousand. (It prints 29.9, which is cut and not rounded.)

    Parameters
    ----------
    error : float
        Share of the counterexamples that may pass.
    chance : float
        Probability that a counterexample has an atom.

    Returns
    -------
    float
        The number of atoms.

    Examples
    --------
    >>> round(atoms_needed(1 / 1000, chance_to_hold(15, 0.1)), 2)
    29.96
    """
    if not (0 < error < 1 and 0 < chance < 1):
        raise ValueError(f"error and chance lie between 0 and 1, not at {error} and {chance}")
    return math.log(error) / math.log(chance)


AnyAtoms = Union["Model", Pool, Lists, Iterable[Iterable[Hashable]]]


@dataclass(frozen=True, repr=False)
class Comparison(Displayed):
    """Counts of learned atoms by how they compare with the exact ones.

    Attributes
    ----------
    exact : int
        Number of atoms of the exact atomization.
    sub_atoms : int
        Number of proper subsets of an exact atom, which exclude more than they should.
    super_atoms : int
        Number of proper supersets of an exact atom: true, but weaker than necessary.
    neither : int
        Number of all other atoms.

    Examples
    --------
    >>> print(Comparison(exact=4, sub_atoms=0, super_atoms=1, neither=0))
    5 atoms: 4 exact, 0 sub-atoms, 1 larger than an exact one, 0 neither
    """

    exact: int
    sub_atoms: int
    super_atoms: int
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
    """Compare the learned atoms of a constant with the exact ones.

    Parameters
    ----------
    learned : Model, Pool, Lists or iterable of sets
        The learned atoms. Of a model only those of the constant are compared.
    exact : ExactAtomization
        The exact atoms.
    constant : hashable
        The constant.
    name_of : callable or sequence, default=None
        The formula's name of each constant of a pool or of lists, where constants are numbers.

    Returns
    -------
    Comparison
        The counts.

    Examples
    --------
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
    if hasattr(learned, "atoms_of"):
        model = cast("Model", learned)
        return [atom.constants for atom in model.atoms_of(model.term(str(constant)))]
    if isinstance(learned, Pool):
        learned = learned.atoms
    if not isinstance(learned, Lists):
        return list(learned)
    named: Callable[[int], Hashable] = (
        name_of if callable(name_of) else (lambda c: c) if name_of is None else name_of.__getitem__
    )
    ends = zip(learned.starts[:-1], learned.starts[1:], strict=True)
    return [[named(c) for c in learned.constants[a:b].tolist()] for a, b in ends]
