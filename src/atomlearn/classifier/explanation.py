"""Explain one prediction by the atoms that a row misses of each class.

The cost of an atom is what the log-odds of its class would gain if the row had it. An atom is
*telling* if most rows of other classes miss it, which is measured on the training sample. Few atoms
are listed, those with the highest cost first, and similar atoms are listed as one: a row that
misses ``x > 3 or y > 2`` also misses ``x > 3``, and nearly always ``x > 3.1 or y > 2``."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from atomlearn.classifier.sample import TrainingSample
from atomlearn.engine.misses import blocks_of, containing
from atomlearn.errors import InvalidParameter
from atomlearn.logic.definition import plain
from atomlearn.logic.formulas import Clause
from atomlearn.markup import Displayed
from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Lists, Rows, append, lists_of, pack_row, take, to_rows
from atomlearn.tables.literals import Literal, joint_texts
from atomlearn.tables.rules import Rule, Statement
from atomlearn.training.learned import Deciding, Learned
from atomlearn.typing import Bits, Floats, Integers

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Missed:
    """The missed atoms of a class: ``n_strict`` strict ones, then weighted ones."""

    atoms: Lists
    weighted: Floats
    """Cost of each weighted atom; a negative cost is evidence for the class."""
    n_strict: int
    slope: float
    """Factor of the strict cost: ``m`` strict misses cost ``slope * log(m + 1)``."""
    n_weighted_atoms: int
    """Number of weighted atoms of the class, missed or not."""

    @property
    def values(self) -> Floats:
        """Cost of each atom alone."""
        one = self._of_strict(1) if self.n_strict else 0.0
        return np.concatenate([np.full(self.n_strict, one), self.weighted])

    def cost_of(self, some: Bits) -> float:
        """Return what the class would gain if the row had these atoms."""
        n = int(some[: self.n_strict].sum())
        return self._of_strict(n) + float(self.weighted[some[self.n_strict :]].sum())

    @property
    def strict_cost(self) -> float:
        """Cost of all strict misses together."""
        return self._of_strict(self.n_strict)

    @property
    def weighted_cost(self) -> float:
        """Cost of all missed weighted atoms."""
        return float(self.weighted.sum())

    def _of_strict(self, n: int) -> float:
        m = self.n_strict + 1.0
        return self.slope * float(np.log(m / (m - n)))


def missed_atoms(deciding: Deciding, k: int, has: Bits) -> Missed:
    """Return the deciding atoms of class ``k`` that a row with these constants misses."""
    pool, weighted = deciding.strict[k], deciding.weighted
    strict = np.flatnonzero(~held(pool, has))
    ours = np.flatnonzero(weighted.classes == k)
    missed = ours[~held(take(weighted.atoms, ours), has)]
    atoms = append(take(pool, strict), take(weighted.atoms, missed))
    return Missed(atoms, -weighted.weights[missed], len(strict), deciding.slope, len(ours))


def held(atoms: Lists, has: Bits) -> Bits:
    """Return which of the atoms a row has."""
    return np.asarray(containing(atoms, packed.pack(has[:, None]))[:, 0] != 0)


ALIKE = 0.6
"""Atoms with a column in common are similar if this share of the rows that miss either misses both.
"""
CANDIDATES = 100
"""Maximum number of atoms that may represent similar ones: those with the largest values."""
LENGTH = 0.3
"""Length penalty: each further literal lowers the value of an atom, so that short ones come first.
"""


class Group(NamedTuple):
    """An atom that represents itself and similar ones."""

    atom: int
    members: Bits


class Likeness:
    """Similarity of atoms: one implies the other, or about the same rows miss them.

    ``missing`` has the packed set of the sampled rows that miss each atom.

    >>> from atomlearn.sets import rows
    >>> from atomlearn.sets.rows import to_lists
    >>> literals = [Literal(0, "x", ">", 3.0), Literal(0, "x", ">", 4.0), Literal(1, "y", ">", 2.0)]
    >>> atoms = to_lists(rows.from_indices([[1], [0, 2], [2]], 4))
    >>> Likeness(atoms, literals, rows.from_indices([[0, 1, 2], [0], [3]], 4)).to(0).tolist()
    [True, True, False]
    """

    def __init__(self, atoms: Lists, literals: Sequence[Literal], missing: Rows) -> None:
        n = len(literals) + 1
        self.sets = to_rows(atoms, n)
        self.closed = np.zeros_like(self.sets)
        implying = _implying(np.unique(atoms.constants), literals, n)
        whose = np.repeat(np.arange(atoms.n), np.diff(atoms.starts))
        for a, c in zip(whose.tolist(), atoms.constants.tolist(), strict=True):
            self.closed[a] |= implying[c]
        named = atoms.constants < len(literals)  # the last constant is the class itself
        columns = np.array([literals[c].column for c in atoms.constants[named]], dtype=np.int64)
        used, place = np.unique(columns, return_inverse=True)
        self.columns = np.zeros((atoms.n, len(used)), dtype=np.bool_)
        self.columns[whose[named], place] = True
        self.missing, self.counts = missing, packed.count(missing)

    def to(self, a: int) -> Bits:
        """Return the atoms similar to this one, itself among them."""
        implied = ~(self.sets & ~self.closed[a]).any(axis=1)
        implies = ~(self.sets[a] & ~self.closed).any(axis=1)
        both = packed.count(self.missing & self.missing[a])
        either = self.counts + self.counts[a] - both
        shared = self.columns[:, self.columns[a]].any(axis=1)
        known = self.missing.shape[1] > 0  # a model may be without rows
        return implied | implies | (shared & known & (both >= ALIKE * either))


def select_diverse(
    likeness: Likeness, values: Floats, sizes: Floats, most: int, add_up: bool = True
) -> list[Group]:
    """Select at most ``most`` dissimilar atoms with the largest values, short ones first.

    The values of similar atoms ``add_up``, or count one by one; they may be negative.
    """
    if most == 0 or not len(values):
        return []
    lengths = 1.0 + LENGTH * (sizes - 1.0)
    order = np.argsort(-np.abs(values) / lengths, kind="stable")[: max(CANDIDATES, most)]
    alike = np.stack([likeness.to(int(a)) for a in order])
    left = np.ones(len(values), dtype=np.bool_)
    groups: list[Group] = []
    while len(groups) < most and left[order].any():
        each = alike @ (values * left) if add_up else values[order]
        total = np.abs(each) / lengths[order] * left[order]
        best = int(total.argmax())
        if total[best] <= 0:
            break
        groups.append(Group(int(order[best]), alike[best] & left))
        left &= ~alike[best]
    return groups


def _implying(
    used: npt.NDArray[np.int32], literals: Sequence[Literal], n: int
) -> dict[int, packed.Rows]:
    """Return for each used constant the constants that imply it."""
    of_column: dict[int, list[int]] = {}
    for c in used.tolist():
        if c < len(literals):
            of_column.setdefault(literals[c].column, []).append(c)
    sets = {c: packed.from_indices([[c]], n)[0] for c in used.tolist()}
    for ours in of_column.values():
        for c in ours:
            implying = [b for b in ours if literals[b].implies(literals[c])]
            sets[c] = packed.from_indices([implying], n)[0]
    return sets


MOST_CLASSES = 4
"""Maximum number of classes that are explained in detail, and in a picture."""
SHORT = 10
"""Maximum number of other classes that are named."""
MEDIAN = "of ordered classes, the median of the probabilities is predicted"
"""What is said where it is not the most probable class."""
MOST_REASONS = 500
"""Maximum number of atoms that reasons are chosen from."""
WORTH_TELLING = 0.25
"""Reasons that a smaller share of the rows of the second class miss are left out."""


def worth(cost: float, ending: str = "") -> str:
    """Return a cost in words; a negative cost is a gain.

    >>> worth(0.5, "s"), worth(-0.5)
    ('costs 0.50', 'gain 0.50')
    """
    return f"cost{ending} {cost:.2f}" if cost >= 0 else f"gain{ending} {-cost:.2f}"


@dataclass(frozen=True, repr=False)
class AtomSeen:
    """An atom of a class, as it applies to a row."""

    clause: Clause[Literal]
    """The atom as a disjunction of literals."""
    has: tuple[Literal, ...]
    """The literals of the atom that are true for the row; none if the row misses the atom."""
    telling: float | None
    """Share of the rows of other classes (in ``reasons``: of the second class) that miss the atom;
    ``None`` if the model was saved without training rows."""
    columns: tuple[int, ...]
    """Indices of the columns in the atom."""
    cost: float | None = None
    """Log-odds that the class would gain if the row had the atom and similar ones; a negative cost
    is evidence for the class. ``None`` in ``reasons``."""
    alike: int = 0
    """Number of other missed atoms that are similar and not listed."""
    facts: tuple[str, ...] = ()
    """Literals that are true for the row because it misses the atom."""

    def __str__(self) -> str:
        if self.cost is None:
            return f"has  {' and '.join(map(str, self.has))}"
        if self.cost < 0:
            return f"has  {' and '.join(self.facts)}"
        return f"misses  {self.clause}"

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the atom as plain values, for JSON."""
        told: dict[str, Any] = {
            "atom": [str(literal) for literal in self.clause.literals],
            "has": [str(literal) for literal in self.has],
            "telling": self.telling,
        }
        if self.cost is None:
            return told
        return {**told, "cost": self.cost, "alike": self.alike, "facts": list(self.facts)}

    def missed_text(self) -> str:
        """Return one line of text about an atom that the row misses."""
        alike = f", with {self.alike:,} like it" if self.alike else ""
        cost = self.cost or 0.0
        if self.telling is None:
            return f"{self}   ({worth(cost, 's')}{alike})"
        share = f"{self.telling:.0%} of other classes"
        others = f"{share} miss it" if cost >= 0 else f"true of {share}"
        return f"{self}   ({worth(cost, 's')}{alike}; {others})"


@dataclass(frozen=True, repr=False)
class ClassSeen:
    """How well one class fits the row."""

    label: Any
    probability: float
    misses: int
    atoms: int
    """Number of atoms of the class: strict ones, unless only weighted atoms decide."""
    typical: float | None
    """Median number of strict atoms that a row of another class misses."""
    missed: tuple[AtomSeen, ...]
    """Missed atoms with the highest cost first, none similar to another; listed for the most
    probable classes only."""
    offset: float = 0.0
    """Score of the class for a row that misses none of its atoms, with its class weight."""
    class_weight: float = 1.0
    """Factor of the odds of the class, which is part of the offset."""
    cost: float | None = None
    """Total cost of the missed weighted atoms, if weighted atoms decide."""
    strict_cost: float | None = None
    """Cost of the strict misses, if strict atoms decide."""
    is_excluded: bool = False
    """Whether a rule excludes the class, whatever its score."""
    pixels: Floats | None = field(default=None, repr=False, compare=False)
    """For an image, the cost of the missed atoms at each pixel."""

    @property
    def score(self) -> float:
        """The offset less all costs.

        Probabilities are the softmax of the scores of all classes that no rule excludes.
        """
        return self.offset - (self.strict_cost or 0.0) - (self.cost or 0.0)

    def __str__(self) -> str:
        told = f"{self.label}: {self.probability:.1%}, misses {self.misses:,} of {self.atoms:,} "
        if self.typical is None:
            told += f"weighted atoms, which {worth(self.cost or 0.0)} log-odds"
        else:
            told += f"atoms (median of other classes: {self.typical:,.0f})"
            told += f", which cost {self.strict_cost or 0.0:.2f}"
            if self.cost is not None:
                told += f" log-odds; weighted atoms {worth(self.cost)}"
        weight = "" if self.class_weight == 1.0 else f" (class weight {self.class_weight:g})"
        told += f"; offset {self.offset:.2f}{weight}, score {self.score:.2f}"
        return f"{told}; excluded by a rule" if self.is_excluded else told

    def __repr__(self) -> str:
        return f"<{self}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the class as plain values, for JSON."""
        told = {
            "label": plain(self.label),
            "probability": self.probability,
            "misses": self.misses,
            "atoms": self.atoms,
            "typical": self.typical,
            "offset": self.offset,
            "class_weight": self.class_weight,
            "score": self.score,
            "is_excluded": self.is_excluded,
            "missed": [atom.to_dict() for atom in self.missed],
        }
        if self.cost is not None:
            told["cost"] = self.cost
        if self.strict_cost is not None:
            told["strict_cost"] = self.strict_cost
        return told


@dataclass(frozen=True, repr=False)
class Explanation(Displayed):
    """An explanation of one prediction: the classes, and reasons for the most probable one.

    Attributes
    ----------
    classes : tuple of ClassSeen
        The classes, each with the missed atoms that cost most: the predicted one first, then the
        most probable. If classes are ordered, the median of the probabilities is predicted.
    reasons : tuple of AtomSeen
        Atoms of the first class that the row has and most rows of the second class miss.
    image : ndarray or None
        The row as an image, if the columns are pixels.
    rules : tuple of Rule
        The rules whose conditions the row meets; they count before any atom.
    is_obeyed : bool
        False if the rules together leave no class possible; then none of them is obeyed.
    values : tuple of (str, str)
        The columns and their values; of a row that is kept as literals, what these say.

    Examples
    --------
    >>> from atomlearn import AlgebraicClassifier
    >>> X, y = [[0, 1], [1, 0], [1, 1], [0, 0]] * 5, ["no", "no", "yes", "no"] * 5
    >>> clf = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, y)
    >>> explanation = clf.explain([1, 1])
    >>> str(explanation.label), [str(one.label) for one in explanation.classes]
    ('yes', ['yes', 'no'])
    """

    classes: tuple[ClassSeen, ...]
    reasons: tuple[AtomSeen, ...]
    image: Floats | None = field(default=None, repr=False)
    rules: tuple[Rule, ...] = ()
    is_obeyed: bool = True
    values: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> Any:
        """Predicted class."""
        return self.classes[0].label

    def __str__(self) -> str:
        first = self.classes[0]
        lines = [f"{first.label} ({first.probability:.1%})"]
        lines += [f"{self.effect_of(rule)}: {rule}" for rule in self.rules if not rule.negated]
        lines += [f"{self.effect_of(rule)}: {rule}" for rule in self.rules if rule.negated]
        for one in self.classes[:MOST_CLASSES]:
            lines += [str(one), *(f"  {atom.missed_text()}" for atom in one.missed)]
        rest = self.classes[MOST_CLASSES:]
        if rest:
            names = ", ".join(str(one.label) for one in rest[:SHORT])
            names += ", ..." if len(rest) > SHORT else ""
            lines.append(f"at most {rest[0].probability:.1%} each: {names}")
        lines.append("the probabilities are the softmax of the scores")
        if not self.is_most_probable:
            lines.append(f"{MEDIAN}: {first.label}")
        if self.reasons:
            lines.append(f"for {first.label} rather than {self.classes[1].label}:")
            lines += [
                f"  {atom}   ({atom.telling:.0%} of {self.classes[1].label} miss {atom.clause})"
                for atom in self.reasons
            ]
        return "\n".join(lines)

    @property
    def is_most_probable(self) -> bool:
        """Whether the predicted class is the most probable one; the median need not be."""
        first, *others = (one.probability for one in self.classes)
        return first >= max(others, default=0.0)

    def effect_of(self, rule: Rule) -> str:
        """Return in words the effect of a rule whose conditions the row meets.

        Parameters
        ----------
        rule : Rule
            One of ``rules``.
        """
        if not self.is_obeyed:
            return "not obeyed, since together the rules leave no class, the rule"
        return "excluded by the rule" if rule.negated else "decided by the rule"

    def __repr__(self) -> str:
        return f"<Explanation: {self.label}, {self.classes[0].probability:.1%}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, for JSON."""
        return {
            "label": plain(self.label),
            "classes": [one.to_dict() for one in self.classes],
            "reasons": [atom.to_dict() for atom in self.reasons],
            "rules": [str(rule) for rule in self.rules],
            "is_obeyed": self.is_obeyed,
        }

    def to_html(self) -> str:
        """Return the probabilities as bars and the atoms as tables, in HTML without a frame."""
        from atomlearn.classifier.readable import explanation_html

        return explanation_html(self)

    def _html(self) -> str:
        return self.to_html()

    def plot(self) -> "Figure":
        """Draw the image with the pixels of missed atoms in red, for the most probable classes."""
        from atomlearn.views.pictures import draw_misses

        if self.image is None:
            raise InvalidParameter(
                "there is no image to draw on: set image_shape=(height, width) on the classifier"
            )
        shown = self.classes[:MOST_CLASSES]
        missed = [np.zeros(self.image.size) if one.pixels is None else one.pixels for one in shown]
        titles = [f"{one.label}: {one.probability:.0%}" for one in shown]
        if shown[0].typical is not None:  # where misses are counted
            titles = [
                f"{title}\nmisses {one.misses:,}" for title, one in zip(titles, shown, strict=True)
            ]
        return draw_misses(self.image, missed, titles)


def explain_row(
    learned: Learned,
    sample: TrainingSample,
    literals: Sequence[Literal],
    labels: Sequence[Any],
    row: Rows,
    max_atoms: int,
    image: Floats | None = None,
    rules: Sequence[Statement] = (),
) -> Explanation:
    """Explain one packed row."""
    blocks = blocks_of(row[None, :], learned.n_constants)
    scores = learned.scores(blocks, 1)
    order = predicted_first(learned, scores)
    explainer = RowExplainer(learned, sample, literals, row, max_atoms, image)
    chances = learned.softmax(scores)[0]
    classes = tuple(
        explainer.explain_class(
            int(k),
            labels[k],
            float(chances[k]),
            place < MOST_CLASSES,
            bool(np.isneginf(scores[0, k])),
        )
        for place, k in enumerate(order)
    )
    reasons = explainer.reasons(int(order[0]), int(order[1])) if len(order) > 1 else ()
    met = learned.rules.met_by(row[None, :])
    named = met_rules(rules, learned.rules.by_statement(met)[0])
    is_obeyed = not named or bool(learned.rules.forbidden_by(met).any())
    return Explanation(classes, reasons, image, named, is_obeyed=is_obeyed)


def predicted_first(learned: Learned, scores: Floats) -> Integers:
    """Return the classes of one row: the predicted one, then the others, most probable first."""
    order = np.argsort(-scores[0], kind="stable")
    first = learned.chosen(scores)[0]
    return np.concatenate([[first], order[order != first]])


def met_rules(statements: Sequence[Statement], met: Bits) -> tuple[Rule, ...]:
    """Return the rules among the statements of which the row meets the conditions."""
    pairs = zip(statements, met.tolist(), strict=True)
    return tuple(one for one, is_met in pairs if is_met and isinstance(one, Rule))


class RowExplainer:
    """An explainer of one row, class by class."""

    def __init__(
        self,
        learned: Learned,
        sample: TrainingSample,
        literals: Sequence[Literal],
        row: Rows,
        max_atoms: int,
        image: Floats | None,
    ) -> None:
        self.learned, self.sample, self.literals = learned, sample, literals
        self.deciding = learned.deciding()
        self.max_atoms, self.image = max_atoms, image
        self.columns = sample.columns()
        self.has = packed.unpack(row, learned.n_constants)

    def explain_class(
        self, k: int, label: Any, probability: float, listed: bool, is_excluded: bool
    ) -> ClassSeen:
        """Explain the score of one class, with its missed atoms if they are ``listed``."""
        learned, deciding = self.learned, self.deciding
        missed = missed_atoms(deciding, k, self.has)
        atoms = self._listed(missed, k) if listed else ()
        pixels = None if self.image is None or not listed else self._pixels(missed)
        is_weighted, is_strict = learned.evidence.weighted > 0, learned.evidence.strict > 0
        return ClassSeen(
            label,
            probability,
            missed.n_strict if is_strict else len(missed.weighted),
            deciding.strict[k].n if is_strict else missed.n_weighted_atoms,
            float(deciding.typical[k]) if is_strict else None,
            atoms,
            offset=float(deciding.offsets[k]),
            class_weight=float(np.exp(np.broadcast_to(learned.prior, learned.n_classes)[k])),
            cost=missed.weighted_cost if is_weighted else None,
            strict_cost=missed.strict_cost if is_strict else None,
            is_excluded=is_excluded,
            pixels=pixels,
        )

    def reasons(self, first: int, second: int) -> tuple[AtomSeen, ...]:
        """Return atoms of the first class that the row has but most of the second class miss."""
        if self.sample.is_withheld:
            return ()
        against = self.deciding.against(first)
        atoms = take(against, np.flatnonzero(held(against, self.has)))
        missing = ~containing(atoms, self.columns)
        telling = self._share(missing, self.sample.labels == second)
        more = telling
        if self.learned.evidence.strict == 0:  # rows of the first class may lack them too
            more = telling - self._share(missing, self.sample.labels == first)
        best = np.argsort(-more, kind="stable")[:MOST_REASONS]
        best = best[more[best] >= WORTH_TELLING]
        true = [[c for c in self._constants(atoms, int(a)) if self.has[c]] for a in best]
        likeness = Likeness(lists_of(true), self.literals, missing[best])
        sizes = np.array([float(len(self._constants(atoms, int(a)))) for a in best])
        groups = select_diverse(likeness, more[best], sizes, self.max_atoms, add_up=False)
        chosen = [int(best[group.atom]) for group in groups]
        return tuple(self._seen(atoms, a, float(telling[a])) for a in chosen)

    def _listed(self, missed: Missed, k: int) -> tuple[AtomSeen, ...]:
        """Return the missed atoms that cost or gain most, none similar to another."""
        if self.max_atoms == 0:
            return ()
        missing = ~containing(missed.atoms, self.columns)
        telling = self._share(missing, self.sample.labels != k)
        likeness = Likeness(missed.atoms, self.literals, missing)
        sizes = np.diff(missed.atoms.starts).astype(np.float64)
        seen = []
        for group in select_diverse(likeness, missed.values, sizes, self.max_atoms):
            one = self._seen(missed.atoms, group.atom, float(telling[group.atom]))
            cost, alike = missed.cost_of(group.members), int(group.members.sum()) - 1
            seen.append(replace(one, cost=cost, alike=alike))
        costs = [(one.cost or 0.0, one) for one in seen]
        costs.sort(key=lambda pair: (pair[0] < 0, -abs(pair[0])))
        return tuple(one for _, one in costs)

    def _pixels(self, missed: Missed) -> Floats:
        """Distribute the costs of all missed atoms among their pixels."""
        assert self.image is not None
        columns = np.array([*(literal.column for literal in self.literals), -1])
        sizes = np.diff(missed.atoms.starts)
        shares = np.repeat(np.maximum(missed.values, 0.0) / np.maximum(sizes, 1), sizes)
        at = columns[missed.atoms.constants]
        pixels: Floats = np.zeros(self.image.size)
        np.add.at(pixels, at[at >= 0], shares[at >= 0])
        return pixels

    def _share(self, missing: Rows, among: Bits) -> Floats:
        """Return the share of some rows that miss each atom; ``nan`` without rows."""
        if self.sample.is_withheld:
            return np.full(len(missing), np.nan)
        return packed.count(missing & pack_row(among)) / max(1, int(among.sum()))

    def _constants(self, atoms: Lists, a: int) -> list[int]:
        return atoms.members(a, below=len(self.literals))  # the last is the class itself

    def _seen(self, atoms: Lists, a: int, telling: float) -> AtomSeen:
        ours = [self.literals[c] for c in self._constants(atoms, a)]
        true = [self.literals[c] for c in self._constants(atoms, a) if self.has[c]]
        # Drop implied literals: of true ones keep the strongest, of the atom the weakest.
        columns = tuple(dict.fromkeys(literal.column for literal in ours))
        clause = Clause.of(ours)
        facts = () if true else tuple(joint_texts(self._fact(one) for one in clause.literals))
        share = None if np.isnan(telling) else telling
        return AtomSeen(clause, tuple(strongest(true)), share, columns, facts=facts)

    def _fact(self, literal: Literal) -> Literal:
        """Return the literal that is true for the row because this one is false."""
        missing = replace(literal, operator="missing", value=None, is_ink=False)
        if missing in self._true:
            return missing
        return literal.negated()

    @cached_property
    def _true(self) -> set[Literal]:
        return {one for one, has in zip(self.literals, self.has, strict=False) if has}


def strongest(literals: Sequence[Literal]) -> list[Literal]:
    """Drop literals that another one implies."""
    return [one for one in literals if not any(o != one and o.implies(one) for o in literals)]
