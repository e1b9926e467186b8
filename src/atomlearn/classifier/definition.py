"""A class as a formula: a conjunction of clauses, each an atom read as a disjunction of literals.

Every example of a class has something of each of its atoms, so any conjunction of atoms covers the
class; a few atoms, chosen greedily, already keep nearly all counterexamples out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.bits import rows as packed
from atomlearn.bits.rows import Rows
from atomlearn.classifier.encoder import LiteralEncoder
from atomlearn.classifier.literals import Literal
from atomlearn.classifier.sample import TrainingSample, holders, subset
from atomlearn.classifier.tables import read_table
from atomlearn.learning.lists import Lists
from atomlearn.learning.misses import blocks_of, count_misses


@dataclass(frozen=True)
class Clause:
    """At least one of these literals is true.

    >>> low, high = Literal(0, "x", ">", 2.0), Literal(0, "x", ">", 3.0)
    >>> str(Clause.of([low, high, Literal(1, "colour", "=", "red")]))
    'x > 2 or colour = red'
    """

    literals: tuple[Literal, ...]

    @classmethod
    def of(cls, literals: Sequence[Literal]) -> "Clause":
        """Without the literals that imply another: they add nothing."""
        return cls(
            tuple(
                one
                for one in literals
                if not any(other != one and one.implies(other) for other in literals)
            )
        )

    def __len__(self) -> int:
        return len(self.literals)

    def __str__(self) -> str:
        return " or ".join(map(str, self.literals)) if self.literals else "never"

    def to_latex(self) -> str:
        """The disjunction in LaTeX."""
        return r" \lor ".join(map(_latex, self.literals)) if self.literals else r"\bot"


@dataclass(frozen=True)
class Definition:
    """What a row must have to be of a class: all clauses are true of it."""

    label: Any
    clauses: tuple[Clause, ...]
    coverage: float
    """Share of the training rows of the class of which the formula is true."""
    exclusion: float
    """Share of the other training rows of which it is false."""
    error: float
    """Share of all training rows that it misjudges."""
    rows_measured: int
    """Rows these three were measured on: a sample of the training rows if there were many."""
    encoder: LiteralEncoder = field(repr=False, compare=False)

    @property
    def is_partial(self) -> bool:
        """Does it let some training rows of other classes in?"""
        return self.exclusion < 1.0

    def evaluate(self, X: Any) -> npt.NDArray[np.bool_]:
        """Is the formula true of each row? Exact: the literals themselves are looked up."""
        table = read_table(self.encoder, X, reset=False)
        where = {literal: i for i, literal in enumerate(self.encoder.literals_)}
        lists = [[where[literal] for literal in clause.literals] for clause in self.clauses]
        n = len(where)
        starts = np.cumsum([0, *map(len, lists)])
        constants = np.array([c for one in lists for c in one], dtype=np.int32)
        atoms = Lists(starts.astype(np.int64), constants)
        return count_misses(atoms, blocks_of(self.encoder.pack(table), n), table.shape[0]) == 0

    def to_text(self) -> str:
        """The formula over several lines."""
        if not self.clauses:
            body = "  always" if not self.is_partial else "  (nothing is known that tells it apart)"
        else:
            body = "\n  and ".join(
                f"({clause})" if len(clause) > 1 else str(clause) for clause in self.clauses
            )
            body = f"      {body}"
        return f"{self.label} if\n{body}\n{self._measured()}"

    def to_latex(self) -> str:
        """The formula in LaTeX, for an ``aligned`` environment."""
        head = rf"\text{{{_escape(str(self.label))}}} \iff "
        if not self.clauses:
            return head + r"\top"
        parts = [
            rf"({clause.to_latex()})" if len(clause) > 1 else clause.to_latex()
            for clause in self.clauses
        ]
        lines = " \\\\\n  & \\land ".join(parts)
        return f"\\begin{{aligned}}\n{head}& {lines}\n\\end{{aligned}}"

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "label": plain(self.label),
            "clauses": [[str(literal) for literal in clause.literals] for clause in self.clauses],
            "coverage": self.coverage,
            "exclusion": self.exclusion,
            "error": self.error,
            "rows_measured": self.rows_measured,
            "is_partial": self.is_partial,
        }

    def __str__(self) -> str:
        return self.to_text()

    def _measured(self) -> str:
        partial = "partial: " if self.is_partial else ""
        return (
            f"({partial}true of {self.coverage:.1%} of the class and false of {self.exclusion:.1%} "
            f"of the others, on {self.rows_measured:,} training rows)"
        )


def define(
    label: Any,
    k: int,
    atoms: Lists,
    encoder: LiteralEncoder,
    sample: TrainingSample,
    max_clauses: int | None,
) -> Definition:
    """Choose clauses until no counterexample of the sample is let in, or none more is kept out."""
    columns = sample.columns()
    others = subset(sample.labels != k)
    held = holders(atoms, columns)
    chosen = _cover(~held & others, atoms, others, max_clauses)
    clauses = tuple(
        Clause.of([encoder.literals_[c] for c in _constants(atoms, a, len(encoder.literals_))])
        for a in chosen
    )
    true = np.bitwise_and.reduce(held[chosen], axis=0) if chosen else subset(sample.labels >= 0)
    is_true = packed.unpack(true[None, :], len(sample.labels))[0]
    coverage, exclusion, error = _measure(is_true, sample, k)
    return Definition(label, clauses, coverage, exclusion, error, len(sample.labels), encoder)


def _cover(missed: Rows, atoms: Lists, others: Rows, max_clauses: int | None) -> list[int]:
    """Atoms that together as many counterexamples as possible miss; of equal ones the smallest."""
    sizes = np.diff(atoms.starts)
    chosen: list[int] = []
    left = others.copy()
    while len(sizes) and left.any() and (max_clauses is None or len(chosen) < max_clauses):
        gain = packed.count(missed & left)
        best = np.flatnonzero(gain == gain.max())
        if gain[best[0]] == 0:
            break
        chosen.append(int(best[sizes[best].argmin()]))
        left &= ~missed[chosen[-1]]
    for atom in list(chosen):  # later choices may have made an earlier one idle
        rest = [a for a in chosen if a != atom]
        if not (missed[atom] & ~_union(missed, rest)).any():
            chosen = rest
    return chosen


def _union(missed: Rows, which: list[int]) -> Rows:
    return np.bitwise_or.reduce(missed[which], axis=0) if which else np.zeros_like(missed[0])


def _constants(atoms: Lists, a: int, n_literals: int) -> list[int]:
    ours = atoms.constants[atoms.starts[a] : atoms.starts[a + 1]]
    return [int(c) for c in ours if c < n_literals]  # the last constant is the class itself


def _measure(
    is_true: npt.NDArray[np.bool_], sample: TrainingSample, k: int
) -> tuple[float, float, float]:
    """Classes count by how many rows they had, not by how many are in the sample."""
    n_classes = len(sample.totals)
    drawn = np.bincount(sample.labels, minlength=n_classes)
    weight = (sample.totals / np.maximum(drawn, 1))[sample.labels]
    of_class = sample.labels == k
    inside, outside = weight[of_class].sum(), weight[~of_class].sum()
    covered = weight[of_class & is_true].sum()
    kept_out = weight[~of_class & ~is_true].sum()
    return (
        float(covered / inside) if inside else 1.0,
        float(kept_out / outside) if outside else 1.0,
        float(1 - (covered + kept_out) / (inside + outside)) if inside + outside else 0.0,
    )


def plain(value: Any) -> Any:
    """A label as JSON has it."""
    return value.item() if isinstance(value, np.generic) else value


def _latex(literal: Literal) -> str:
    name = rf"\text{{{_escape(literal.name)}}}"
    if literal.operator in ("missing", "present"):
        told = "missing" if literal.operator == "missing" else "known"
        return rf"{name} \text{{ is {told}}}"
    sign = {">": ">", "<=": r"\leq", "=": "=", "!=": r"\neq"}[literal.operator]
    if isinstance(literal.value, float):
        return f"{name} {sign} {literal.value:.6g}"
    return rf"{name} {sign} \text{{{_escape(str(literal.value))}}}"


_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%",
    "#": r"\#", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip


def _escape(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)
