"""Explain one prediction: the atoms that a row misses of each class.

An atom is *telling* if most rows of other classes miss it; the share is measured on the training
sample. Where weighted atoms decide, each missed atom also has a cost: what it subtracts from the
log-odds of its class.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from atomlearn.classifier.costs import costs_of, held
from atomlearn.classifier.sample import TrainingSample, subset
from atomlearn.engine.misses import blocks_of, containing
from atomlearn.logic.clauses import Clause
from atomlearn.logic.definition import plain
from atomlearn.sets import rows as packed
from atomlearn.sets.lists import Lists, take
from atomlearn.sets.rows import Rows
from atomlearn.tables.literals import Literal
from atomlearn.tables.rules import Rule
from atomlearn.training.calibration import Floats, softmax
from atomlearn.training.learned import Learned

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CLASSES = 4
"""Number of classes in a picture."""


def worth(cost: float, ending: str = "") -> str:
    """A cost in words; a negative cost is a gain.

    >>> worth(0.5, "s"), worth(-0.5)
    ('costs 0.50', 'gain 0.50')
    """
    return f"cost{ending} {cost:.2f}" if cost >= 0 else f"gain{ending} {-cost:.2f}"


@dataclass(frozen=True)
class AtomSeen:
    """An atom of a class as it applies to a row."""

    clause: Clause[Literal]
    """The atom as a disjunction of literals."""
    has: tuple[Literal, ...]
    """The literals of the atom that are true of the row; none if the row misses the atom."""
    telling: float
    """Share of the rows of other classes (in ``reasons``: of the second class) that miss the atom.
    """
    columns: tuple[int, ...]
    """Indices of the columns in the atom."""
    cost: float | None = None
    """What missing a weighted atom subtracts from the log-odds of its class; negative is evidence
    for the class. ``None`` for strict atoms."""

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        told: dict[str, Any] = {
            "atom": [str(literal) for literal in self.clause.literals],
            "has": [str(literal) for literal in self.has],
            "telling": self.telling,
        }
        return told if self.cost is None else {**told, "cost": self.cost}

    def told_missed(self) -> str:
        """One line of text about an atom that the row misses."""
        cost = "" if self.cost is None else f"{worth(self.cost, 's')}; "
        return f"misses  {self.clause}   ({cost}{self.telling:.0%} of other classes miss it)"


@dataclass(frozen=True)
class ClassSeen:
    """How one class fits the row."""

    label: Any
    probability: float
    misses: int
    atoms: int
    """Number of atoms of the class: strict ones, unless only weighted atoms decide."""
    typical: float | None
    """Median number of strict atoms that a row of another class misses."""
    missed: tuple[AtomSeen, ...]
    """The most telling missed atoms; of weighted ones those with the highest cost, then those with
    the highest gain."""
    cost: float | None = None
    """Total cost of the missed weighted atoms, if weighted atoms decide."""
    strict_cost: float | None = None
    """Cost of the strict misses, if both kinds of atoms decide."""

    def __str__(self) -> str:
        told = f"{self.label}: {self.probability:.1%}, misses {self.misses:,} of {self.atoms:,} "
        if self.typical is None:
            return f"{told}weighted atoms, which {worth(self.cost or 0.0)} log-odds"
        told += f"atoms (median of other classes: {self.typical:,.0f})"
        if self.cost is not None:
            told += f", which {worth(self.strict_cost or 0.0, 's')} log-odds; weighted atoms "
            told += worth(self.cost)
        return told

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        told = {
            "label": plain(self.label),
            "probability": self.probability,
            "misses": self.misses,
            "atoms": self.atoms,
            "typical": self.typical,
            "missed": [atom.to_dict() for atom in self.missed],
        }
        if self.cost is not None:
            told |= {"cost": self.cost, "strict_cost": self.strict_cost}
        return told


@dataclass(frozen=True)
class Explanation:
    """An explanation of one prediction: the classes, most probable first, and reasons for the
    first."""

    classes: tuple[ClassSeen, ...]
    reasons: tuple[AtomSeen, ...]
    """Atoms of the first class that the row has and most rows of the second class miss."""
    image: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    rules: tuple[Rule, ...] = ()
    """The rules whose conditions the row meets: they count before any atom."""

    @property
    def label(self) -> Any:
        """The predicted class."""
        return self.classes[0].label

    def __str__(self) -> str:
        first = self.classes[0]
        lines = [f"{first.label} ({first.probability:.1%})"]
        lines += [f"decided by the rule: {rule}" for rule in self.rules if not rule.negated]
        lines += [f"excluded by the rule: {rule}" for rule in self.rules if rule.negated]
        for one in self.classes:
            lines += [str(one), *(f"  {atom.told_missed()}" for atom in one.missed)]
        if self.reasons:
            lines.append(f"for {first.label} rather than {self.classes[1].label}:")
            lines += [
                f"  has  {' and '.join(map(str, atom.has))}   "
                f"({atom.telling:.0%} of {self.classes[1].label} miss {atom.clause})"
                for atom in self.reasons
            ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, ready for JSON."""
        return {
            "label": plain(self.label),
            "classes": [one.to_dict() for one in self.classes],
            "reasons": [atom.to_dict() for atom in self.reasons],
            "rules": [str(rule) for rule in self.rules],
        }

    def plot(self, max_atoms: int = 5) -> "Figure":
        """Draw the image with the pixels of missed atoms in red, for the most probable classes."""
        from atomlearn.views.pictures import draw_misses

        if self.image is None:
            raise ValueError(
                "there is no image to draw on: set image_shape=(height, width) on the classifier"
            )
        shown = self.classes[:MOST_CLASSES]
        missed = [np.zeros(self.image.size) for _ in shown]
        for weight, one in zip(missed, shown, strict=True):
            for atom in one.missed[:max_atoms]:
                weight[list(atom.columns)] += (
                    atom.telling if atom.cost is None else max(atom.cost, 0.0)
                )
        titles = [f"{one.label}: {one.probability:.0%}\nmisses {one.misses:,}" for one in shown]
        return draw_misses(self.image, missed, titles)


def explain_row(
    learned: Learned,
    sample: TrainingSample,
    literals: Sequence[Literal],
    labels: Sequence[Any],
    row: Rows,
    max_atoms: int,
    image: npt.NDArray[np.float64] | None = None,
    rules: Sequence[Rule] = (),
) -> Explanation:
    """Explain one packed row."""
    blocks = blocks_of(row[None, :], learned.n_constants)
    scores = learned.scores(blocks, 1)
    order = np.argsort(-scores[0], kind="stable")
    meeting = _Meeting(learned, sample, literals, labels, row, max_atoms)
    chances, misses = softmax(scores)[0], learned.misses(blocks, 1)[0]
    is_weighted = learned.weighted is not None and learned.evidence.weighted > 0
    see = meeting.weighted if is_weighted else meeting.strict
    classes = tuple(see(int(k), float(chances[k]), int(misses[k])) for k in order)
    reasons = meeting.reasons(int(order[0]), int(order[1])) if len(order) > 1 else ()
    met = np.flatnonzero(learned.rules.met_by(row[None, :])[0])
    return Explanation(classes, reasons, image, tuple(rules[int(r)] for r in met))


class _Meeting:
    """One row compared with all classes."""

    def __init__(
        self,
        learned: Learned,
        sample: TrainingSample,
        literals: Sequence[Literal],
        labels: Sequence[Any],
        row: Rows,
        max_atoms: int,
    ) -> None:
        self.learned, self.sample, self.literals = learned, sample, literals
        self.labels, self.max_atoms = labels, max_atoms
        self.columns = sample.columns()
        self.has = packed.unpack(row, learned.n_constants)

    def strict(self, k: int, probability: float, misses: int) -> ClassSeen:
        atoms = self.learned.pools[k].atoms
        missed = take(atoms, np.flatnonzero(~held(atoms, self.has)))
        telling = _share_missing(missed, self.columns, self.sample.labels != k)
        n_atoms, typical = atoms.n, float(self.learned.typical[k])
        seen = self._seen(missed, telling, telling)
        return ClassSeen(self.labels[k], probability, misses, n_atoms, typical, seen)

    def weighted(self, k: int, probability: float, misses: int) -> ClassSeen:
        learned = self.learned
        atoms, costs, n_missed, n_atoms = costs_of(learned, k, self.has, self.literals)
        telling = _share_missing(atoms, self.columns, self.sample.labels != k)
        seen = self._seen(atoms, telling, costs, costs)
        seen += self._seen(atoms, telling, -costs, costs)
        label, cost = self.labels[k], float(costs.sum())
        if learned.evidence.strict == 0:
            return ClassSeen(label, probability, n_missed, n_atoms, None, seen, cost)
        n_strict, typical = len(learned.pools[k]), float(learned.typical[k])
        counted = learned.evidence.strict * learned.calibration.slope * float(np.log(misses + 1.0))
        return ClassSeen(label, probability, misses, n_strict, typical, seen, cost, counted)

    def reasons(self, first: int, second: int) -> tuple[AtomSeen, ...]:
        """Atoms of the first class that the row has and most rows of the second class miss."""
        atoms = self.learned.pools[first].atoms
        ours = take(atoms, np.flatnonzero(held(atoms, self.has)))
        telling = _share_missing(ours, self.columns, self.sample.labels == second)
        more = telling
        if self.learned.evidence.strict == 0:  # rows of the first class may lack them too
            more = telling - _share_missing(ours, self.columns, self.sample.labels == first)
        return self._seen(ours, telling, more)

    def _seen(
        self, atoms: Lists, telling: Floats, by: Floats, costs: Floats | None = None
    ) -> tuple[AtomSeen, ...]:
        """The atoms with the largest values, small atoms first among equals; duplicates once."""
        shown: dict[Clause[Literal], AtomSeen] = {}
        for a in np.lexsort([np.diff(atoms.starts), -by]):
            if len(shown) == self.max_atoms or (costs is not None and by[a] <= 0):
                break
            constants = atoms.constants[atoms.starts[a] : atoms.starts[a + 1]]
            one = _atom_seen(constants, self.has, self.literals, float(telling[a]))
            if costs is not None:
                one = replace(one, cost=float(costs[a]))
            shown.setdefault(one.clause, one)
        return tuple(shown.values())


def _share_missing(
    atoms: Lists, columns: Rows, among: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    rows = subset(among)
    missing = packed.count(~containing(atoms, columns) & rows)
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
