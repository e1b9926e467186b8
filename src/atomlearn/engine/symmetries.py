"""New atoms for free: known ones, moved by a symmetry of the problem (the paper's appendix).

A symmetry is a map of constants that makes examples of a class into examples of the same class. If
every example has something of an atom then it also has something of the atom moved, so a pin and a
symmetry give another pin. The other way round, an atom of which some image fails is false itself,
though no example says so yet. :mod:`atomlearn.tables.images` tells whether a map is a
symmetry at all.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from atomlearn.engine.misses import contradicted
from atomlearn.engine.protocol import check_size
from atomlearn.engine.state import Positives, positives_of
from atomlearn.errors import UnknownConstant, nearest
from atomlearn.sets.random import Stream, below
from atomlearn.sets.rows import Lists, append, from_indices, take, to_lists, to_rows
from atomlearn.typing import Integers

if TYPE_CHECKING:
    from atomlearn.algebra.model import Model
    from atomlearn.algebra.relations import Relation

Map = npt.NDArray[np.int32]
"""For each constant its image, or one of the two values below."""

NEVER = -1
"""Value of an image that is false for every example: the constant is dropped from the atom."""
ALWAYS = -2
"""Value of an image that is true for every example: the atom becomes trivial."""

TRIED = 16
"""Number of images of an atom that are checked against the examples."""
KEPT = 4
"""Maximum number of images of an atom that join the pool."""
LONGEST = 4
"""Maximum length of a product of maps, if all are permutations."""


class Symmetries:
    """Maps of constants that turn examples of a class into examples of the same class.

    Parameters
    ----------
    maps : sequence of array-like
        For each map, the image of every constant.

    Examples
    --------
    >>> Symmetries([[1, 0, 2]]).is_closed                   # permutations: products are symmetries
    True
    """

    def __init__(self, maps: Sequence[npt.ArrayLike]) -> None:
        self.maps = np.array(maps, dtype=np.int32)
        self.is_closed = bool((self.maps >= 0).all())

    def draw(self, rng: Stream) -> Map:
        """Return a random map, or a product of a few if all are permutations.

        Parameters
        ----------
        rng : Stream
            The random stream.
        """
        word: Map = self.maps[below(rng, len(self.maps))]
        if self.is_closed:
            for _ in range(below(rng, LONGEST)):
                word = composed(self.maps[below(rng, len(self.maps))], word)
        return word

    def extended(self, atoms: Lists, examples: Positives, rng: Stream) -> Lists:
        """Return the atoms whose images agree with the examples, and some of these images.

        Only some images of each atom are tried. The draws depend on the maps and the random stream
        alone.

        Parameters
        ----------
        atoms : Lists
            The atoms.
        examples : Positives
            The examples of the class.
        rng : Stream
            The random stream.
        """
        if len(self.maps) == 0:
            return atoms
        believed = np.ones(atoms.n, dtype=np.bool_)
        images: list[tuple[Lists, Integers]] = []
        for _ in range(TRIED):
            image, whose = moved_from(atoms, self.draw(rng))
            false = contradicted(image, examples.left_of, examples.right_of)
            believed[whose[false]] = False
            if len(images) < KEPT:
                images.append((image, whose))
        out = take(atoms, np.flatnonzero(believed))
        for image, whose in images:
            out = append(out, take(image, np.flatnonzero(believed[whose])))
        return out


def composed(second: Map, first: Map) -> Map:
    """Return the composition of two maps: ``first``, then ``second``.

    >>> composed(np.array([1, 2, 0]), np.array([1, 0, -1])).tolist()
    [2, 1, -1]
    """
    return np.where(first >= 0, second[np.maximum(first, 0)], first)


def moved(atoms: Lists, constants: npt.ArrayLike) -> Lists:
    """Return the images of the atoms; trivial ones are left out.

    >>> atoms = Lists(np.array([0, 2, 3]), np.array([0, 2, 1], dtype=np.int32))
    >>> moved(atoms, [2, ALWAYS, 0])
    Lists(starts=array([0, 2]), constants=array([0, 2], dtype=int32))
    """
    return moved_from(atoms, constants)[0]


def moved_from(atoms: Lists, constants: npt.ArrayLike) -> tuple[Lists, Integers]:
    """Return the images of the atoms, and the index of the atom of each."""
    n = atoms.n
    owner = np.repeat(np.arange(n), np.diff(atoms.starts))
    place = np.asarray(constants, dtype=np.int64)[atoms.constants]
    idle = np.bincount(owner[place == ALWAYS], minlength=n) > 0
    kept = (place >= 0) & ~idle[owner]
    # Sorted within each atom, and once each if two constants are moved to one.
    width = 1 + int(place.max(initial=0))
    owner, place = np.divmod(np.unique(owner[kept] * width + place[kept]), width)
    sizes = np.bincount(owner, minlength=n)[~idle]
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return Lists(starts, place.astype(np.int32)), np.flatnonzero(~idle)


def orbit(
    model: "Model",
    generators: Iterable[Mapping[str, str]],
    relations: "Iterable[Relation]" = (),
    *,
    max_atoms: int | None = None,
) -> "Model":
    """Add all images of the atoms of a model under symmetries.

    Parameters
    ----------
    model : Model
        The model.
    generators : iterable of mappings of str to str
        Maps of constants by name; constants that a map does not name stay as they are.
    relations : iterable of Relation, default=()
        Positive relations, which images must not contradict.
    max_atoms : int, default=None
        Maximum number of atoms.

    Returns
    -------
    Model
        The model with the atoms and all their images.

    Raises
    ------
    ModelTooLarge
        Before there are more than ``max_atoms``.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["v", "a", "b", "c"])
    >>> v = alg["v"]
    >>> model = alg.model_of(from_indices([[0, 1]], 4))
    >>> [str(atom) for atom in orbit(model, [{"a": "b", "b": "c", "c": "a"}]).atoms]
    ['v a', 'v b', 'v c']
    """
    maps = [_by_name(list(model.names), one) for one in generators]
    positive = [r for r in relations if r.positive]
    n = model.n_constants
    left = from_indices([list(r.left.indices) for r in positive], n)
    known = positives_of(left, from_indices([list(r.right.indices) for r in positive], n), n)
    rows, newest = model.rows, model.rows
    while len(newest):
        known_rows = {row.tobytes() for row in rows}
        lists = to_lists(np.ascontiguousarray(newest))
        images = np.concatenate([rows[:0], *(to_rows(moved(lists, one), n) for one in maps)])
        false = contradicted(to_lists(images), known.left_of, known.right_of)
        fresh = {row.tobytes(): row for row in images[~false] if row.tobytes() not in known_rows}
        newest = np.array(list(fresh.values()), dtype=np.uint64).reshape(-1, rows.shape[1])
        check_size(len(rows) + len(newest), n, max_atoms, "all images under these symmetries")
        rows = np.concatenate([rows, newest])
    return model.with_atoms(rows)


def _by_name(names: list[str], generator: Mapping[str, str]) -> Map:
    place = {name: i for i, name in enumerate(names)}
    unknown = [name for pair in generator.items() for name in pair if name not in place]
    if unknown:
        raise UnknownConstant(
            f"a symmetry names {unknown[0]!r}, which the model does not have"
            f"{nearest(unknown[0], names)}"
        )
    constants = np.array([place[generator.get(name, name)] for name in names], dtype=np.int32)
    if len(np.unique(constants)) != len(names):
        twice = names[int(np.bincount(constants).argmax())]
        raise ValueError(
            f"a symmetry is a permutation, and this one takes two constants to {twice!r}"
        )
    return constants
