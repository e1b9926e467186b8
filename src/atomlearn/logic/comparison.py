"""Formulas beside examples and atoms: measures, learned and exact atoms, conjectures, theory.

Every example of a class has each of its strict atoms, so any conjunction of these covers the class;
a few atoms, chosen greedily, already exclude nearly all counterexamples.

The paper's theory gives the error of a random model from its compression: a model drawn at random
from those of ``Z`` atoms that satisfy ``R`` relations has an expected error of
``(ln|Ω_Z| - ln|Ω_Z,R|) / R`` (the appendix "Error is smaller the higher the compression").
``ln|Ω_Z|`` is ``Z`` times the logarithm of the number of possible atoms; symmetries of the problem
bound ``ln|Ω_Z,R|`` from below. With the compression ``κ = R / Z`` the error is a constant divided
by κ.

A conjecture is a sentence about an image, "some column with all rows black". It is read off a
formula in which each conjunction, or each clause, is a whole line of the grid in one colour, or it
is tried on the examples and its exact atoms are compared with the learned ones: a model may be too
large to be turned into one short formula and still be that formula.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union, cast

import numpy as np

from atomlearn.engine.pool import Pool
from atomlearn.logic.exact import ExactAtomization
from atomlearn.logic.formulas import And, Formula, Has, Odd, Or, Pairs, complements
from atomlearn.markup import Displayed
from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Lists, Rows
from atomlearn.typing import Bits, Floats, Integers

if TYPE_CHECKING:
    from atomlearn.algebra.model import Model


@dataclass(frozen=True, repr=False)
class Measure:
    """How well a formula describes a class of examples."""

    coverage: float
    """Share of the examples of the class for which the formula is true."""
    exclusion: float
    """Share of the other examples for which it is false."""
    error: float
    """Share of all examples for which it is wrong."""
    examples: int

    def __repr__(self) -> str:
        return (
            f"<Measure: covers {self.coverage:.1%}, excludes {self.exclusion:.1%}, "
            f"error {self.error:.1%} of {self.examples:,}>"
        )


def measure(is_true: Bits, of_class: Bits, weight: Floats | None = None) -> Measure:
    """Measure a formula on examples, which may be weighted.

    >>> measure(np.array([True, True, False]), np.array([True, False, False]))
    <Measure: covers 100.0%, excludes 50.0%, error 33.3% of 3>
    """
    weight = np.ones(len(is_true)) if weight is None else weight
    inside, outside = weight[of_class].sum(), weight[~of_class].sum()
    covered = weight[of_class & is_true].sum()
    kept_out = weight[~of_class & ~is_true].sum()
    total = inside + outside
    return Measure(
        float(covered / inside) if inside else 1.0,
        float(kept_out / outside) if outside else 1.0,
        float(weight[is_true != of_class].sum() / total) if total else 0.0,
        len(is_true),
    )


def most_telling(missed: Rows, sizes: Integers, others: Rows, most: int | None) -> list[int]:
    """Choose atoms that together exclude as many counterexamples as possible, small ones first.

    ``missed`` has the packed set of examples that miss each atom, ``others`` is the set of
    counterexamples.
    """
    return without_idle(by_gain(missed, sizes, others, most), missed, others)


def by_gain(missed: Rows, sizes: Integers, others: Rows, most: int | None) -> list[int]:
    """Choose atoms as :func:`most_telling`, but in the order of choice and with redundant ones."""
    from atomlearn.sets.words import greedy_cover  # compiled: loaded by who needs it

    most = len(sizes) if most is None else most
    return [int(atom) for atom in greedy_cover(missed, sizes, others, most)]


def by_net_gain(missed: Rows, gain: Floats, most: int | None) -> list[int]:
    """Choose atoms greedily by gain until no atom improves the total.

    Excluding an example has a gain or, for examples of the class, a loss.

    >>> missed = packed.from_indices([[0, 1, 2], [0], [1, 2]], 3)
    >>> by_net_gain(missed, np.array([1.0, 1.0, -3.0]), None)
    [1]
    """
    from atomlearn.sets.words import sum_members  # compiled: loaded by who needs it

    left, chosen = gain.copy(), list[int]()
    while len(missed) and (most is None or len(chosen) < most):
        net = sum_members(missed, left)
        best = int(net.argmax())
        if net[best] <= 0:
            break
        chosen.append(best)
        left[packed.unpack(missed[best : best + 1], len(left))[0]] = 0.0
    return chosen


def without_idle(chosen: Sequence[int], missed: Rows, others: Rows) -> list[int]:
    """Drop atoms that exclude no counterexample which the others do not exclude."""
    kept = list(chosen)
    for atom in chosen:
        rest = [a for a in kept if a != atom]
        if not (missed[atom] & others & ~_union(missed, rest)).any():
            kept = rest
    return kept


def without_loss(chosen: Sequence[int], missed: Rows, gain: Floats) -> list[int]:
    """Drop atoms that gain nothing beyond the others, by gains and losses."""
    from atomlearn.sets.words import sum_members

    kept = list(chosen)
    for atom in chosen:
        rest = [a for a in kept if a != atom]
        alone = missed[atom] & ~_union(missed, rest)
        if sum_members(alone[None], gain)[0] <= 0:
            kept = rest
    return kept


def _union(missed: Rows, which: list[int]) -> Rows:
    return np.bitwise_or.reduce(missed[which], axis=0) if which else np.zeros_like(missed[0])


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


Place = tuple[int, int, str]
"""The row, the column and the colour of a pixel."""


@dataclass(frozen=True)
class Line:
    """All pixels of a column, of a row, or of the whole grid."""

    kind: str
    at: int
    colour: str


@dataclass(frozen=True)
class Grid:
    """The place and colour that each constant of an image stands for."""

    shape: tuple[int, int]
    place: Mapping[Hashable, Place]

    @classmethod
    def of(
        cls,
        rows: Sequence[Sequence[Hashable]],
        complementary: Pairs = (),
        colours: tuple[str, str] = ("black", "white"),
    ) -> "Grid":
        """Return a grid from rows of names, top to bottom.

        The names have the first colour and their complements the second.
        """
        if not rows or len({len(row) for row in rows}) != 1:
            raise ValueError("a grid has one row of names or more, all of the same length")
        other = complements(complementary)
        place: dict[Hashable, Place] = {}
        for i, row in enumerate(rows):
            for j, name in enumerate(row):
                place[name] = (i, j, colours[0])
                if name in other:
                    place[other[name]] = (i, j, colours[1])
        return cls((len(rows), len(rows[0])), place)

    def some(self, conjunctions: Iterable[Iterable[Hashable]]) -> str | None:
        """Return a disjunction of conjunctions as a sentence, if they are lines.

        >>> Grid.of([["c2", "c3"], ["c1", "c4"]]).some([{"c1", "c2"}, {"c3", "c4"}])
        'some column with all rows black'
        """
        return self._sentence(conjunctions, "some", "or", "all", "s")

    def every(self, clauses: Iterable[Iterable[Hashable]]) -> str | None:
        """Return a conjunction of clauses as a sentence, if they are lines.

        >>> grid = Grid.of([["b1", "b2"]], [("b1", "w1"), ("b2", "w2")])
        >>> grid.every([{"w1"}, {"w2"}])
        'every column with some row white'
        """
        return self._sentence(clauses, "every", "and", "some", "")

    def _sentence(
        self, sets: Iterable[Iterable[Hashable]], lines_of: str, joint: str, pixels: str, end: str
    ) -> str | None:
        """Return a sentence about which lines, and how many pixels of each."""
        lines = self._lines(sets)
        if lines is None:
            return None
        kind, colour = lines[0].kind, lines[0].colour
        if kind == "grid":
            return f"{pixels} pixel{end} {colour}"
        across = "row" if kind == "column" else "column"
        return f"{self._which(lines, lines_of, joint)} with {pixels} {across}{end} {colour}"

    def _lines(self, sets: Iterable[Iterable[Hashable]]) -> list[Line] | None:
        """Return the sets as lines of one kind and colour, or ``None``."""
        found = []
        for one in sets:
            places = [self.place.get(name) for name in one]
            line = self._line([place for place in places if place is not None])
            if line is None or None in places:
                return None
            found.append(line)
        if len({(line.kind, line.colour) for line in found}) != 1:
            return None
        return found

    def _line(self, places: list[Place]) -> Line | None:
        height, width = self.shape
        colours = {colour for _, _, colour in places}
        rows, columns = {i for i, _, _ in places}, {j for _, j, _ in places}
        if len(colours) != 1 or len(places) != len(rows) * len(columns):
            return None
        colour = colours.pop()
        if len(columns) == 1 and len(rows) == height:
            return Line("column", columns.pop(), colour)
        if len(rows) == 1 and len(columns) == width:
            return Line("row", rows.pop(), colour)
        whole = len(rows) == height and len(columns) == width
        return Line("grid", 0, colour) if whole else None

    def _which(self, lines: list[Line], all_of_them: str, sign: str) -> str:
        kind = lines[0].kind
        at = sorted({line.at for line in lines})
        if len(at) == self.shape[1 if kind == "column" else 0] and len(at) > 1:
            return f"{all_of_them} {kind}"
        numbers = [str(i + 1) for i in at]
        if len(numbers) == 1:
            return f"{kind} {numbers[0]}"
        return f"{kind} {', '.join(numbers[:-1])} {sign} {numbers[-1]}"


@dataclass(frozen=True, repr=False)
class Conjecture(Displayed):
    """A sentence that no example contradicts, with the learned atoms compared to its exact ones."""

    sentence: str
    formula: Formula
    measured: Measure
    atoms: Comparison

    def __str__(self) -> str:
        return (
            f"{self.sentence} (no exception in {self.measured.examples:,} examples; {self.atoms})"
        )


def conjecture(
    grid: Grid,
    truth: Mapping[Hashable, Bits],
    of_class: Bits,
    compared: Callable[[ExactAtomization], Comparison],
) -> Conjecture | None:
    """Return a sentence about the lines of a grid that no example contradicts, if there is one.

    Of several it is the one of which most learned atoms are exact, or else the simplest. ``truth``
    tells which examples have each constant; ``compared`` compares the learned atoms with those of a
    formula.
    """
    if of_class.all() or not of_class.any():
        return None
    found: list[Conjecture] = []
    for sentence, formula in sentences(grid):
        if all(constant in truth for constant in formula.constants()):
            measured = measure(formula.evaluate(truth), of_class)
            if measured.error == 0:
                exact = ExactAtomization(formula, _pairs(grid))
                found.append(Conjecture(sentence, formula, measured, compared(exact)))
    return max(found, key=lambda one: one.atoms.exact, default=None)


def sentences(grid: Grid) -> Iterator[tuple[str, Formula]]:
    """Yield sentences about columns and rows, with their formulas.

    >>> [sentence for sentence, _ in sentences(Grid.of([["a", "b"], ["c", "d"]]))][:2]
    ['some column with all rows black', 'every column with some row black']
    """
    at = {place: name for name, place in grid.place.items()}
    height, width = grid.shape
    columns = [[(i, j) for i in range(height)] for j in range(width)]
    rows = [[(i, j) for j in range(width)] for i in range(height)]
    parities: list[tuple[str, Formula]] = []
    for colour in dict.fromkeys(colour for _, _, colour in at):
        for line, across, lines in (("column", "row", columns), ("row", "column", rows)):
            pixels = [[Has(at.get((i, j, colour))) for i, j in one] for one in lines]
            whole = tuple(And(tuple(one)) for one in pixels)
            partly = tuple(Or(tuple(one)) for one in pixels)
            yield f"some {line} with all {across}s {colour}", Or(whole)
            yield f"every {line} with some {across} {colour}", And(partly)
            of_lines = f"number of {line}s with all {across}s {colour}"
            parities += [(f"an odd {of_lines}", Odd(whole)), (f"an even {of_lines}", ~Odd(whole))]
    yield from parities  # last, because they are less simple


def _pairs(grid: Grid) -> dict[Hashable, Hashable]:
    by_pixel: dict[tuple[int, int], list[Hashable]] = {}
    for name, (i, j, _) in grid.place.items():
        by_pixel.setdefault((i, j), []).append(name)
    return complements([(one[0], one[1]) for one in by_pixel.values() if len(one) == 2])
