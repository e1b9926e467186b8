"""Images as tables: columns that are pixels, maps of columns such as translations, and symmetries.

Maps of columns become maps of literals, which are tested against the data.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.engine.concept import READABLE, Concept, Sampler
from atomlearn.engine.misses import blocks_of, missed_by
from atomlearn.engine.symmetries import ALWAYS, NEVER, Symmetries, moved
from atomlearn.errors import InvalidParameter
from atomlearn.markup import Displayed
from atomlearn.sets.random import Seed, permutation, seed_sequence, stream
from atomlearn.sets.rows import Lists, Rows, pack, unpack
from atomlearn.tables.columns import Column, NumberColumn
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.literals import Literal
from atomlearn.tables.validation import declared_kinds, read_table
from atomlearn.typing import Bits, Floats, Integers

Map = Integers
"""A map of columns: column ``j`` of the new row is column ``map[j]`` of the old; ``-1`` is a blank.
"""


def translations(shape: tuple[int, int], distance: int = 1, diagonal: bool = False) -> list[Map]:
    """Return the maps that move images up, down, left and right.

    Parameters
    ----------
    shape : tuple of int
        Height and width.
    distance : int, default=1
        Maximum number of pixels.
    diagonal : bool, default=False
        Whether images are also moved diagonally.

    Returns
    -------
    list of ndarray
        The maps of columns, in which ``-1`` is a blank pixel.

    Examples
    --------
    >>> [m.tolist() for m in translations((1, 3))]
    [[1, 2, -1], [-1, 0, 1]]
    """
    height, width = shape
    grid = _grid(shape)
    steps = range(-distance, distance + 1)
    maps = []
    for down in steps:
        for right in steps:
            if (down, right) == (0, 0) or (not diagonal and down and right):
                continue
            if abs(down) >= height or abs(right) >= width:
                continue
            moved = np.full_like(grid, -1)
            moved[max(down, 0) : height + min(down, 0), max(right, 0) : width + min(right, 0)] = (
                grid[max(-down, 0) : height - max(down, 0), max(-right, 0) : width - max(right, 0)]
            )
            maps.append(moved.ravel())
    return maps


STRETCHED, TURNED, SHIFTED = 0.2, 0.3, 0.1
"""Bounds of a distortion: how much longer or shorter the sides of a square become, how far they are
turned, both as a share of a side, and how far an image is moved, as a share of its own."""


def distortions(shape: tuple[int, int], n: int, random_state: Seed = 0) -> list[Map]:
    """Return maps that turn, stretch, shear and move images a little, at random.

    Learning from distorted images too lowers the error if there are few images. Each pixel of a
    distorted image is the one of the image that is nearest to where it comes from.

    Parameters
    ----------
    shape : tuple of int
        Height and width.
    n : int
        Number of maps.
    random_state : int, Generator or None, default=0
        Random seed; the same seed gives the same maps.

    Returns
    -------
    list of ndarray
        The maps of columns, in which ``-1`` is a blank pixel.

    Examples
    --------
    >>> image = np.arange(25)
    >>> [one] = distortions((5, 5), 1)
    >>> np.where(one >= 0, image[one], -1).reshape(5, 5)
    array([[ 6,  2,  3,  4, -1],
           [11, 12,  8,  9, -1],
           [16, 17, 12, 13, 14],
           [20, 21, 17, 18, 19],
           [-1, -1, 22, 23, 24]])
    """
    rng = np.random.default_rng(seed_sequence(random_state))
    side = np.array(shape).reshape(2, 1)
    places = np.indices(shape).reshape(2, -1) - (side - 1) / 2
    maps = []
    for _ in range(n):
        stretch, turn, shift = rng.uniform(-1.0, 1.0, (3, 2, 1))
        # Whole arrays are multiplied one by one: a product of matrices is rounded differently by
        # different libraries, and a pixel that is as near as another would depend on it.
        found = (1 + STRETCHED * stretch) * places + TURNED * turn * places[::-1]
        found = np.rint(found + SHIFTED * side * shift + (side - 1) / 2).astype(np.int64)
        is_inside = ((found >= 0) & (found < side)).all(axis=0)
        maps.append(np.where(is_inside, found[0] * shape[1] + found[1], -1))
    return maps


def reflections(shape: tuple[int, int]) -> list[Map]:
    """Return the maps that reflect images left to right, and upside down.

    Parameters
    ----------
    shape : tuple of int
        Height and width.

    Returns
    -------
    list of ndarray
        The maps of columns.

    Examples
    --------
    >>> [m.tolist() for m in reflections((1, 3))]
    [[2, 1, 0], [0, 1, 2]]
    """
    grid = _grid(shape)
    return [grid[:, ::-1].ravel(), grid[::-1].ravel()]


def rotations(shape: tuple[int, int]) -> list[Map]:
    """Return the maps that rotate images.

    Parameters
    ----------
    shape : tuple of int
        Height and width.

    Returns
    -------
    list of ndarray
        The map for 180 degrees, and for 90 and 270 degrees if images are square.

    Examples
    --------
    >>> len(rotations((2, 2))), len(rotations((2, 3)))
    (3, 1)
    """
    grid = _grid(shape)
    turns = (1, 2, 3) if shape[0] == shape[1] else (2,)
    return [np.rot90(grid, turn).ravel() for turn in turns]


def row_swaps(shape: tuple[int, int]) -> list[Map]:
    """Return the swaps of neighbouring rows, which generate all permutations of the rows.

    Parameters
    ----------
    shape : tuple of int
        Height and width.

    Returns
    -------
    list of ndarray
        The maps of columns.

    Examples
    --------
    >>> [m.tolist() for m in row_swaps((2, 2))]
    [[2, 3, 0, 1]]
    """
    grid = _grid(shape)
    return [grid[_swapped(shape[0], i)].ravel() for i in range(shape[0] - 1)]


def column_swaps(shape: tuple[int, int]) -> list[Map]:
    """Return the swaps of neighbouring columns, which generate all permutations of the columns.

    Parameters
    ----------
    shape : tuple of int
        Height and width.

    Returns
    -------
    list of ndarray
        The maps of columns.

    Examples
    --------
    >>> [m.tolist() for m in column_swaps((2, 2))]
    [[1, 0, 3, 2]]
    """
    grid = _grid(shape)
    return [grid[:, _swapped(shape[1], j)].ravel() for j in range(shape[1] - 1)]


def generated(generators: Sequence[Sequence[int]], n: int, random_state: int = 0) -> list[Map]:
    """Return random products of generators, to be used as ``symmetries`` of a classifier.

    Parameters
    ----------
    generators : sequence of sequences of int
        Maps of columns, which are permutations.
    n : int
        Number of products.
    random_state : int, default=0
        Random seed.

    Returns
    -------
    list of ndarray
        The products.

    Examples
    --------
    >>> maps = generated([*row_swaps((3, 3)), *column_swaps((3, 3))], n=8)
    >>> len(maps), sorted(maps[0].tolist()) == list(range(9))
    (8, True)
    """
    maps = [np.asarray(one, dtype=np.int64) for one in generators]
    if not maps or any((one < 0).any() for one in maps):
        raise InvalidParameter(
            "generators must be permutations: what leaves the image cannot come back"
        )
    rng = np.random.default_rng(random_state)
    products = []
    for _ in range(n):
        product = np.arange(len(maps[0]))
        for k in rng.integers(len(maps), size=len(maps) ** 2):  # enough to mix well
            product = product[maps[k]]
        products.append(product)
    return products


def _grid(shape: tuple[int, int]) -> Map:
    return np.arange(shape[0] * shape[1]).reshape(shape)


def _swapped(n: int, i: int) -> Map:
    order = np.arange(n)
    order[[i, i + 1]] = order[[i + 1, i]]
    return order


def permuted(X: npt.NDArray[Any], column_map: Map, blank: Any = 0) -> npt.NDArray[Any]:
    """Apply a symmetry to the rows of a dense table.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    column_map : ndarray of int
        The map of columns.
    blank : object, default=0
        Value of columns that the map leaves blank.

    Returns
    -------
    ndarray
        The table after the symmetry.

    Examples
    --------
    >>> permuted(np.array([[1, 2, 3, 4]]), column_swaps((2, 2))[0]).tolist()
    [[2, 1, 4, 3]]
    """
    out = X[:, np.maximum(column_map, 0)].copy()
    out[:, column_map < 0] = blank
    return out


def check_maps(symmetries: Iterable[Sequence[int]] | None, n_columns: int) -> list[Map]:
    """Return the symmetries as arrays; raise an error that names an invalid one."""
    maps = []
    for i, symmetry in enumerate(symmetries or []):
        column_map = np.asarray(symmetry)
        if column_map.shape != (n_columns,) or column_map.dtype.kind not in "iu":
            raise InvalidParameter(
                f"symmetries[{i}] must have one column index for each of the {n_columns} columns"
            )
        if column_map.min() < -1 or column_map.max() >= n_columns:
            raise InvalidParameter(f"symmetries[{i}] names a column that is not there")
        maps.append(column_map.astype(np.int64))
    return maps


FAINT = 0.1
"""A lowest cut of at most this share of the highest separates ink from a blank pixel."""


def image_of(row: Rows, literals: Sequence[Literal], shape: tuple[int, int]) -> Floats:
    """Return a packed row as an image; a pixel is as dark as the share of its cuts below it."""
    has = unpack(row, len(literals))
    above, cuts = np.zeros(shape[0] * shape[1]), np.zeros(shape[0] * shape[1])
    for i, literal in enumerate(literals):
        if is_dark(literal) is not None:
            cuts[literal.column] += 1
            above[literal.column] += bool(has[i]) == is_dark(literal)
    return (above / np.maximum(cuts, 1)).reshape(shape)


def placed(
    literals: Sequence[Literal], columns: Sequence[Column], shape: tuple[int, int] | None
) -> list[Literal]:
    """Return the literals of an image with the rows and columns of their pixels, counted from 1.

    >>> from atomlearn.tables.columns import NumberColumn
    >>> pixels = [NumberColumn(j, f"x{j}", (0.5, 7.5), False) for j in range(4)]
    >>> [str(one) for one in placed(pixels[2].literals(), pixels, (2, 2))[:3]]
    ['row 2, column 1 is ink', 'row 2, column 1 is blank', 'row 2, column 1 > 7.5']
    """
    if shape is None:
        return list(literals)
    blank = {column.index: _blank(column) for column in columns}
    return [
        replace(
            one,
            place=f"row {one.column // shape[1] + 1}, column {one.column % shape[1] + 1}",
            is_ink=is_dark(one) is not None
            and (isinstance(one.value, bool) or one.value == blank[one.column]),
        )
        for one in literals
    ]


def _blank(column: Column) -> float | None:
    """Return the cut between a blank pixel and ink: the only one, or one far below the others."""
    if not isinstance(column, NumberColumn) or not column.cuts:
        return None
    first, last = column.cuts[0], column.cuts[-1]
    return first if len(column.cuts) == 1 or 0 <= first <= FAINT * last else None


def greys_of(
    atoms: Iterable[Iterable[Literal]], columns: Sequence[Column], n_pixels: int
) -> Floats:
    """Return each atom as an image: how dark its pixels are where it holds, and ``nan`` elsewhere.

    Darkness is from 0 to 1. A literal allows some of the steps between the cuts of its pixel; the
    middle of these is drawn. So ``≤ 15.5`` of 16 steps is grey, and only ``≤ 0.5`` nearly white.

    >>> from atomlearn.tables.columns import NumberColumn
    >>> pixels = [NumberColumn(j, f"x{j}", (0.5, 7.5), False) for j in range(2)]
    >>> x0, x1 = pixels[0].literals(), pixels[1].literals()
    >>> greys_of([[x0[0], x1[1]], [x0[3]]], pixels, 2).tolist()
    [[0.75, 0.0], [0.25, nan]]
    """
    listed = [list(atom) for atom in atoms]
    greys = np.full((len(listed), n_pixels), np.nan)
    for i, atom in enumerate(listed):
        for j in dict.fromkeys(literal.column for literal in atom):
            steps = [_steps(one, columns[j]) for one in atom if one.column == j]
            allowed = [step for some in steps if some is not None for step in some]
            if allowed:
                greys[i, j] = float(np.mean(allowed))
    return greys


def _steps(literal: Literal, column: Column) -> Floats | None:
    """Return the steps between the cuts that a literal allows, from 0 (light) to 1 (dark)."""
    dark = is_dark(literal)
    if dark is None or not isinstance(column, NumberColumn):
        return None
    if isinstance(literal.value, bool):
        return np.array([1.0 if dark else 0.0])
    cuts = np.array(column.cuts)
    steps = np.arange(len(cuts) + 1) / max(1, len(cuts))
    below = int((cuts <= literal.value).sum())
    return steps[below:] if dark else steps[:below]


def is_dark(literal: Literal) -> bool | None:
    """Return whether the literal says that its pixel is dark, or ``None`` if it says neither."""
    if literal.operator in (">", "<="):
        return literal.operator == ">"
    if literal.operator == "=" and isinstance(literal.value, bool | np.bool_):
        return bool(literal.value)
    return None


EPOCHS = 5
LARGEST = 4000
"""Maximum number of examples that are used for a check."""
SLACK = 1.5
"""Tolerance: factor by which moved pins may be contradicted more often, or exclude fewer
counterexamples."""


@dataclass(frozen=True, repr=False)
class SymmetryCheck(Displayed):
    """Accuracy of pins, before and after a map, on examples that they were not learned from."""

    false_before: float
    """Average share of the examples that miss a pin, and thereby contradict it."""
    false_after: float
    telling_before: float
    """Average share of the counterexamples that miss a pin, which thereby excludes them."""
    telling_after: float
    n_pins: int

    @property
    def is_believable(self) -> bool:
        """Whether moved pins are about as accurate."""
        noise = 1 / max(1, self.n_pins)
        return (
            self.false_after <= SLACK * self.false_before + noise
            and self.telling_after * SLACK >= self.telling_before
        )

    def __str__(self) -> str:
        verdict = "looks like a symmetry" if self.is_believable else "is no symmetry"
        return (
            f"{verdict}: of examples not learned from, {self.false_after:.2%} contradict a moved "
            f"pin ({self.false_before:.2%} the pin itself), and {self.telling_after:.1%} of the "
            f"counterexamples miss it ({self.telling_before:.1%})"
        )


def check_constant_maps(
    maps: Sequence[npt.ArrayLike],
    examples: Rows,
    is_positive: Bits,
    constant: int,
    n_constants: int,
    seed: Seed = None,
) -> list[SymmetryCheck]:
    """Try each map of constants on pins of the class; ``examples`` are packed terms.

    >>> from atomlearn.sets import rows
    >>> from atomlearn.datasets import vertical_bars
    >>> images, labels = vertical_bars(800, shape=(5, 5), noise=0.3)
    >>> terms = rows.pack(np.hstack([images, ~images, np.zeros((800, 1), dtype=bool)]))
    >>> grid = np.arange(25).reshape(5, 5)
    >>> maps = [np.append(np.append(g, g + 25), 50) for g in (grid[::-1].ravel(), grid.T.ravel())]
    >>> checks = check_constant_maps(maps, terms, labels, 50, 51, seed=0)
    >>> [check.is_believable for check in checks]          # upside down is, transposed is not
    [True, False]
    """
    order, learning = seed_sequence(seed).spawn(2)
    chosen = permutation(stream(order), len(examples))[:LARGEST]
    half = chosen[: len(chosen) // 2]
    rest = chosen[len(chosen) // 2 :]
    concept = Concept(n_constants, constant, learning, READABLE)
    sampler = Sampler(concept, examples[half][None], is_positive[half])
    for _ in range(EPOCHS):
        sampler.run_epoch()
    pins = concept.pool.atoms
    sides = [examples[rest[is_positive[rest]]], examples[rest[~is_positive[rest]]]]
    before = [_missed(pins, side, n_constants) for side in sides]
    checks = []
    for one in maps:
        after = [_missed(moved(pins, one), side, n_constants) for side in sides]
        checks.append(SymmetryCheck(before[0], after[0], before[1], after[1], len(concept.pool)))
    return checks


def _missed(atoms: Lists, examples: Rows, n_constants: int) -> float:
    n = len(examples)
    if n == 0 or len(atoms.starts) < 2:
        return 0.0
    return float(missed_by(atoms, blocks_of(examples, n_constants), n).mean()) / n


ENOUGH = 200
"""Minimum number of examples for checking a permutation against data."""


def check_symmetries(
    X: Any, y: Any, symmetries: Sequence[Sequence[int]], random_state: int = 0
) -> list[SymmetryCheck]:
    """Check symmetries against data.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        The labels.
    symmetries : sequence of sequences of int
        Maps of columns.
    random_state : int, default=0
        Random seed.

    Returns
    -------
    list of SymmetryCheck
        The result of the worst class for each symmetry.

    Examples
    --------
    >>> from atomlearn.datasets import vertical_bars
    >>> X, y = vertical_bars(800, shape=(5, 5), noise=0.3)
    >>> from atomlearn.tables.images import column_swaps
    >>> transposed = np.arange(25).reshape(5, 5).T.ravel()
    >>> checks = check_symmetries(X, y, [column_swaps((5, 5))[0], transposed])
    >>> [one.is_believable for one in checks]
    [True, False]
    """
    encoder = LiteralEncoder()
    table = read_table(encoder, X, reset=True)
    weights = np.ones(table.shape[0])
    encoder.fit_table(table, weights, encoder, declared_kinds(X), are_pixels=True)
    bits = encoder.transform(X)
    rows = pack(np.hstack([bits, np.zeros((len(bits), 1), dtype=np.bool_)]))
    n = len(encoder.literals_)
    maps = constant_maps(encoder, check_maps(symmetries, encoder.n_features_in_))
    labels = np.asarray(y)
    by_class = [
        check_constant_maps(maps, rows, labels == label, n, n + 1, random_state)
        for label in np.unique(labels)
    ]
    return [min(checks, key=_trust) for checks in zip(*by_class, strict=True)]


def _trust(check: SymmetryCheck) -> tuple[bool, float]:
    return check.is_believable, check.false_before - check.false_after


def constant_maps(encoder: LiteralEncoder, maps: Sequence[Map]) -> list[npt.NDArray[np.int32]]:
    """Return the maps of constants that maps of columns induce; the constant of the class stays.

    A literal about column ``j`` becomes the same literal about column ``map[j]``, or the next
    weaker one that exists.
    """
    literals = encoder.literals_
    exactly = {(one.column, one.operator, one.value): i for i, one in enumerate(literals)}
    blank: Any = None
    if any((one < 0).any() for one in maps):
        blank = encoder.transform(np.zeros((1, encoder.n_features_in_)))[0]
    out = []
    for one in maps:
        constants = [
            (ALWAYS if blank[i] else NEVER)
            if one[literal.column] < 0
            else _alike(literal, int(one[literal.column]), literals, exactly)
            for i, literal in enumerate(literals)
        ]
        out.append(np.array([*constants, len(literals)], dtype=np.int32))
    return out


def _alike(
    literal: Literal, column: int, literals: Sequence[Literal], exactly: dict[Any, int]
) -> int:
    """Return the same literal about another column, or the next weaker one that exists there."""
    key = (column, literal.operator, literal.value)
    if key in exactly or literal.operator not in (">", "<="):
        return exactly.get(key, ALWAYS)
    above = literal.operator == ">"
    weaker = [
        (one.value if above else -one.value, i)
        for i, one in enumerate(literals)
        if (one.column, one.operator) == key[:2] and (one.value < literal.value) == above
    ]
    return max(weaker)[1] if weaker else ALWAYS


def sorted_out(maps: Sequence[Map]) -> tuple[dict[int, Map], list[Map]]:
    """Split the maps into permutations (by index), which move pins, and others, for examples.

    Measured on bars and parity, moving pins needs fewer examples; where an image loses its border,
    moving examples is as good and quicker.
    """
    whole = [len(np.unique(one)) == len(one) and one.min(initial=0) >= 0 for one in maps]
    return (
        {i: one for i, one in enumerate(maps) if whole[i]},
        [one for i, one in enumerate(maps) if not whole[i]],
    )


def believed_symmetries(
    encoder: LiteralEncoder,
    maps: Mapping[int, Map],
    rows: Rows,
    labels: Integers,
    n_classes: int,
) -> Symmetries | None:
    """Return the permutations that the examples do not contradict; with few examples, all."""
    constants = constant_maps(encoder, list(maps.values()))
    if constants and len(rows) >= ENOUGH:
        n = len(encoder.literals_)
        by_class = [
            check_constant_maps(constants, rows, labels == k, n, n + 1, 0) for k in range(n_classes)
        ]
        worst = [min(checks, key=_trust) for checks in zip(*by_class, strict=True)]
        for i, check in zip(maps, worst, strict=True):
            if not check.is_believable:
                warnings.warn(f"symmetries[{i}] is left out: it {check}", stacklevel=5)
        constants = [m for m, check in zip(constants, worst, strict=True) if check.is_believable]
    return Symmetries(constants) if constants else None
