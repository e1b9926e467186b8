"""Why a row is of its class: the atoms it misses of each, and what tells the first from the next.

An atom of a class is a set of literals of which every example of the class has one. It is *telling*
as far as the rows of other classes miss it: the share of them is measured on the training sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from atomlearn.bits import rows as packed
from atomlearn.bits.rows import Rows
from atomlearn.classifier.literals import Literal
from atomlearn.classifier.sample import TrainingSample, holders, subset
from atomlearn.learning.lists import Lists, take
from atomlearn.learning.misses import blocks_of
from atomlearn.learning.rounds import Learned
from atomlearn.reading.clauses import Clause
from atomlearn.reading.definition import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CLASSES = 4
"""Classes that a picture shows."""


@dataclass(frozen=True)
class AtomSeen:
    """An atom of a class, and what the row has of it."""

    clause: Clause[Literal]
    """The atom as a disjunction of literals."""
    has: tuple[Literal, ...]
    """The literals of it that are true of the row; none, if the row misses the atom."""
    telling: float
    """Share of the training rows of other classes (of the runner-up, in ``reasons``) missing it."""
    columns: tuple[int, ...]
    """All columns that the atom speaks of."""

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "atom": [str(literal) for literal in self.clause.literals],
            "has": [str(literal) for literal in self.has],
            "telling": self.telling,
        }


@dataclass(frozen=True)
class ClassSeen:
    """One class as the row meets it."""

    label: Any
    probability: float
    misses: int
    atoms: int
    """Atoms that the class has."""
    typical: float
    """Atoms that a row of another class misses typically (the median)."""
    missed: tuple[AtomSeen, ...]
    """The missed atoms that are most telling."""


@dataclass(frozen=True)
class Explanation:
    """The classes, most probable first, and why the first fits better than the second."""

    classes: tuple[ClassSeen, ...]
    reasons: tuple[AtomSeen, ...]
    """Atoms of the first class that the row has and rows of the second mostly lack."""
    image: npt.NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def label(self) -> Any:
        """The class of the row."""
        return self.classes[0].label

    def __str__(self) -> str:
        first = self.classes[0]
        lines = [f"{first.label} ({first.probability:.1%})"]
        for one in self.classes:
            lines.append(
                f"{one.label}: {one.probability:.1%}, misses {one.misses:,} of {one.atoms:,} atoms "
                f"(a row of another class: {one.typical:,.0f})"
            )
            lines += [
                f"  misses  {atom.clause}   (so do {atom.telling:.0%} of the others)"
                for atom in one.missed
            ]
        if self.reasons:
            lines.append(f"what speaks for {first.label} against {self.classes[1].label}:")
            lines += [
                f"  has  {' and '.join(map(str, atom.has))}   "
                f"({atom.telling:.0%} of {self.classes[1].label} have nothing of: {atom.clause})"
                for atom in self.reasons
            ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, ready for JSON."""
        return {
            "label": plain(self.label),
            "classes": [
                {
                    "label": plain(one.label),
                    "probability": one.probability,
                    "misses": one.misses,
                    "atoms": one.atoms,
                    "typical": one.typical,
                    "missed": [atom.to_dict() for atom in one.missed],
                }
                for one in self.classes
            ],
            "reasons": [atom.to_dict() for atom in self.reasons],
        }

    def plot(self, most: int = 5) -> "Figure":
        """The image with the pixels of the missed atoms in red, class by class, likeliest first."""
        from atomlearn.reading.pictures import draw_misses

        if self.image is None:
            raise ValueError(
                "there is no image to draw on: set image_shape=(height, width) on the classifier"
            )
        shown = self.classes[:MOST_CLASSES]
        missed = [np.zeros(self.image.size) for _ in shown]
        for weight, one in zip(missed, shown, strict=True):
            for atom in one.missed[:most]:
                weight[list(atom.columns)] += atom.telling
        titles = [f"{one.label}: {one.probability:.0%}\nmisses {one.misses:,}" for one in shown]
        return draw_misses(self.image, missed, titles)


def explain_row(
    learned: Learned,
    sample: TrainingSample,
    literals: Sequence[Literal],
    labels: Sequence[Any],
    row: Rows,
    most: int,
    image: npt.NDArray[np.float64] | None = None,
) -> Explanation:
    """Explain one packed row."""
    n_constants = learned.concepts[0].n_constants
    blocks = blocks_of(row[None, :], n_constants)
    misses = learned.misses(blocks, 1)[0]
    probabilities = learned.probabilities(blocks, 1)[0]
    order = np.argsort(-learned.scores(blocks, 1)[0], kind="stable")
    columns = sample.columns()
    has = packed.unpack(row, n_constants)

    def seen(atoms: Lists, telling: npt.NDArray[np.float64]) -> tuple[AtomSeen, ...]:
        """The most telling, smallest first among equals; atoms that say the same once."""
        shown: dict[Clause[Literal], AtomSeen] = {}
        for a in np.lexsort([np.diff(atoms.starts), -telling]):
            if len(shown) == most:
                break
            constants = atoms.constants[atoms.starts[a] : atoms.starts[a + 1]]
            one = _atom_seen(constants, has, literals, float(telling[a]))
            shown.setdefault(one.clause, one)
        return tuple(shown.values())

    classes = []
    for k in order:
        atoms = learned.concepts[k].pool.atoms
        missed = take(atoms, np.flatnonzero(~_held(atoms, has)))
        telling = _share_missing(missed, columns, sample.labels != k)
        classes.append(
            ClassSeen(
                labels[k],
                float(probabilities[k]),
                int(misses[k]),
                len(atoms.starts) - 1,
                float(learned.typical[k]),
                seen(missed, telling),
            )
        )
    reasons: tuple[AtomSeen, ...] = ()
    if len(order) > 1:
        atoms = learned.concepts[order[0]].pool.atoms
        held = take(atoms, np.flatnonzero(_held(atoms, has)))
        telling = _share_missing(held, columns, sample.labels == order[1])
        reasons = seen(held, telling)
    return Explanation(tuple(classes), reasons, image)


def _held(atoms: Lists, has: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    if len(atoms.starts) < 2:
        return np.zeros(0, dtype=np.bool_)
    return np.logical_or.reduceat(has[atoms.constants], atoms.starts[:-1])


def _share_missing(
    atoms: Lists, columns: Rows, among: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    rows = subset(among)
    missing = packed.count(~holders(atoms, columns) & rows)
    return missing / max(1, int(among.sum()))


def _atom_seen(
    constants: npt.NDArray[np.int32],
    has: npt.NDArray[np.bool_],
    literals: Sequence[Literal],
    telling: float,
) -> AtomSeen:
    ours = [literals[c] for c in constants if c < len(literals)]
    true = [literals[c] for c in constants if c < len(literals) and has[c]]
    # Of what is true the strongest is told, of the atom the weakest: both say the same in less.
    strongest = [
        one for one in true if not any(other != one and other.implies(one) for other in true)
    ]
    columns = tuple(dict.fromkeys(literal.column for literal in ours))
    return AtomSeen(Clause.of(ours), tuple(strongest), telling, columns)
