"""The definition of a constant: ``v < I ⇔ ∧ over atoms ∨ over constants``, in its shortest form.

A definition is a conjunction of clauses, one for each atom. It is transformed by the distributive
law, shortened by don't-cares, and factored; all forms agree on every term that can occur.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from atomlearn.errors import FormulaTooLarge
from atomlearn.logic import writing
from atomlearn.logic.clauses import Clause
from atomlearn.logic.conjecture import Conjecture
from atomlearn.logic.cubes import Space, absorb, distribute
from atomlearn.logic.factor import factor
from atomlearn.logic.formulas import And, Bits, Formula, Has, Not, Or
from atomlearn.logic.grids import Grid
from atomlearn.logic.minimise import minimise
from atomlearn.logic.telling import Measure
from atomlearn.markup import Displayed, code, escape

MOST_READABLE = 400
"""Maximum number of conjunctions considered for the shortest form."""

MOST_SHOWN = 64
"""Maximum number of conjunctions that are minimised."""

DEEPEST = 3
"""Deepest nesting of *and* and *or* that counts as readable."""

Sets = list[frozenset[Hashable]]


@dataclass(frozen=True, repr=False)
class Definition(Displayed):
    """A constant as a formula: a conjunction of clauses.

    >>> from atomlearn import Algebra
    >>> alg = Algebra(["v", "a", "b"])
    >>> alg.add(alg.relation("v < a b"))
    >>> definition = alg.freest().definition("v")
    >>> len(definition.clauses), definition.is_partial
    (2, False)
    """

    label: Any
    clauses: tuple[Clause[Any], ...]
    measured: Measure | None = field(default=None, kw_only=True)
    """Measures on the training examples; ``None`` for definitions of models without examples."""
    held_out: Measure | None = field(default=None, kw_only=True)
    """Measures, on held-out examples, of definitions made in the same way."""
    classifier_error: float | None = field(default=None, kw_only=True)
    """Error of the whole classifier on held-out examples, for this class against the rest."""
    total: int | None = field(default=None, kw_only=True)
    """Total number of atoms, if the clauses are a selection."""
    space: Space = field(repr=False, compare=False, kw_only=True)
    conjecture: Conjecture | None = field(default=None, compare=False, kw_only=True)
    """A sentence about lines of a grid that fits the examples, if there is one."""
    grid: Grid | None = field(default=None, repr=False, compare=False, kw_only=True)
    negations: Mapping[Hashable, Hashable] = field(
        default_factory=dict, repr=False, compare=False, kw_only=True
    )
    """Constants that are written as the negation of another constant."""
    argument: str = field(default="present", repr=False, compare=False, kw_only=True)
    """Name of the argument of the Python function."""

    # -- the forms

    @cached_property
    def cnf(self) -> Formula:
        """The conjunction of clauses, without trivial and redundant ones."""
        return self._complete(self._and_of_ors(self._cnf_sets))

    @cached_property
    def dnf(self) -> Formula:
        """The disjunctive normal form, by the distributive law with absorption.

        Raises :class:`~atomlearn.errors.FormulaTooLarge` if it would be too large.
        """
        cubes = distribute(self._numbered, self.space)
        return self._complete(self._or_of_ands(self._sets(cubes, self.space)))

    @cached_property
    def minimal(self) -> Formula:
        """The shorter of the minimised disjunctive and the minimised conjunctive form."""
        forms = [self._and_of_ors(self._short_cnf)]
        if self._short_dnf is not None:
            forms.insert(0, self._or_of_ands(self._short_dnf))
        return self._complete(min(forms, key=Formula.size))

    @cached_property
    def factored(self) -> Formula:
        """The shorter of both normal forms after factoring."""
        order = {self._leaf(x): i for i, x in enumerate(self.space.literals)}.__getitem__
        forms = [factor(self._shown(self._short_cnf), turned=True, order=order)]
        if self._short_dnf is not None:
            forms.insert(0, factor(self._shown(self._short_dnf), order=order))
        return self._complete(min(forms, key=Formula.size))

    @property
    def shortest(self) -> Formula:
        """The shortest form that is not nested too deeply to be read."""
        if writing.depth(self.factored) > DEEPEST:
            return self.minimal
        return min((self.minimal, self.factored), key=Formula.size)

    @cached_property
    def sentence(self) -> str | None:
        """The formula as a sentence about rows and columns, if it is about lines of a grid."""
        if self.grid is None:
            return None
        told = None if self._short_dnf is None else self.grid.some(self._short_dnf)
        return told or self.grid.every(self._short_cnf)

    # -- as text

    def to_text(self) -> str:
        """The shortest form over several lines, and its measures."""
        head = f"{self.label} if" + (f" {self.sentence}:" if self.sentence else "")
        if self._conjuncts:
            body = writing.lines_of(self.shortest)
        elif self.is_partial:
            body = "  (no atom distinguishes it)"
        else:
            body = "  always"
        told = [head, body, *self._reliability()]
        if self.conjecture is not None and self.conjecture.sentence != self.sentence:
            told.insert(0, f"{self.label} looks like: {self.conjecture}")
        return "\n".join(one for one in told if one)

    def to_latex(self) -> str:
        """The shortest form in LaTeX, for a display; ``aligned`` if it takes several lines."""
        name = self.label if isinstance(self.label, str) else str(self.label)
        told = writing.latex_of(name) if self.argument == "present" else _text(name)
        body = self.shortest
        if not isinstance(body, And | Or) or len(body.parts) < 2 or writing.is_flat(body):
            return rf"{told} \iff {writing.to_latex(body)}"
        sign = r"\land" if isinstance(body, And) else r"\lor"
        parts = [
            f"({writing.to_latex(part)})" if isinstance(part, And | Or) else writing.to_latex(part)
            for part in body.parts
        ]
        lines = f" \\\\\n  & {sign} ".join(parts)
        return f"\\begin{{aligned}}\n{told} \\iff & {lines}\n\\end{{aligned}}"

    def to_python(self) -> str:
        """The source of a Python function that evaluates the formula."""
        about = " ".join(self.to_text().split())
        return writing.function_source(
            f"is_{self.label}", self.argument, about, self.shortest, self._before
        )

    def to_sympy(self) -> Any:
        """The shortest form as a SymPy expression."""
        return writing.to_sympy(self.shortest)

    def to_dict(self) -> dict[str, Any]:
        """The definition as plain values, for JSON."""
        told = {
            "label": plain(self.label),
            "clauses": [[str(literal) for literal in clause.literals] for clause in self.clauses],
            "formula": writing.to_text(self.shortest),
            "sentence": self.sentence,
            "conjecture": None if self.conjecture is None else self.conjecture.sentence,
            "is_partial": self.is_partial,
        }
        if self.measured is not None:
            told |= {
                "coverage": self.measured.coverage,
                "exclusion": self.measured.exclusion,
                "error": self.measured.error,
                "rows_measured": self.measured.examples,
                "held_out_error": None if self.held_out is None else self.held_out.error,
                "held_out_rows": None if self.held_out is None else self.held_out.examples,
                "classifier_held_out_error": self.classifier_error,
            }
        return told

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        n = len(self.clauses)
        return f"<{type(self).__name__}: {self.label}, {n} clause{'s' * (n != 1)}>"

    def to_html(self) -> str:
        """The shortest form as a list, its measures, and the code folded: without a frame."""
        head = f"<strong>{escape(str(self.label))}</strong> if"
        if self.sentence:
            head += f" {escape(self.sentence)}:"
        lines = [f"<p>{head}</p>"]
        if self.conjecture is not None and self.conjecture.sentence != self.sentence:
            lines.insert(0, f"<p>looks like: {escape(str(self.conjecture))}</p>")
        if self._conjuncts:
            lines.append(writing.html_of(self.shortest))
        else:
            nothing = "(no atom distinguishes it)" if self.is_partial else "always"
            lines.append(f"<p>{nothing}</p>")
        told = "<br>".join(escape(line.strip()) for line in self._reliability())
        lines.append(f'<p class="small muted">{told}</p>' if told else "")
        lines.append(code(self.to_python(), "as Python"))
        return "".join(lines)

    def _html(self) -> str:
        return self.to_html()

    # -- what it is worth

    @property
    def coverage(self) -> float | None:
        """Share of the examples of the class for which the formula is true, if measured."""
        return None if self.measured is None else self.measured.coverage

    @property
    def exclusion(self) -> float | None:
        """Share of the other examples for which it is false, if measured."""
        return None if self.measured is None else self.measured.exclusion

    @property
    def error(self) -> float | None:
        """Error of the formula over all examples, if measured."""
        return None if self.measured is None else self.measured.error

    @property
    def rows_measured(self) -> int:
        """Number of examples that these were measured on: a sample if there were many."""
        return 0 if self.measured is None else self.measured.examples

    @property
    def is_partial(self) -> bool:
        """Is it a selection of the atoms, or true of some counterexamples?"""
        if self.total is not None and self.total > len(self.clauses):
            return True
        return self.measured is not None and self.measured.exclusion < 1.0

    @property
    def _before(self) -> str:
        """What the Python function does first."""
        return ""

    def evaluate(self, X: Any) -> Bits:
        """Evaluate the formula on each example, exactly.

        ``X`` has a column for each constant of the formula's space, in its order.
        """
        truth = np.asarray(X, dtype=np.bool_)
        where = self.space.number
        out = np.ones(len(truth), dtype=np.bool_)
        for clause in self.clauses:
            out &= truth[:, [where[literal] for literal in clause.literals]].any(axis=1)
        return out

    def _reliability(self) -> list[str]:
        """Lines of text on its completeness and its measures."""
        lines = []
        if self.is_partial:
            some = self.total is not None and self.total > len(self.clauses)
            lines.append("partial" + (f": {len(self.clauses):,} of {self.total:,} atoms" * some))
        if self.measured is not None:
            what = "training rows" if self.argument == "row" else "examples"
            lines.append(_measured(f"{what}{self._which_rows}", self.measured))
        if self.held_out is not None:
            lines.append(_measured(f"held-out rows{self._which_rows}", self.held_out))
        if self.classifier_error is not None:
            error = f"{self.classifier_error:.1%}{self._which_rows and ' on these'}"
            lines.append(f"held-out error of the whole classifier for this class: {error}")
        return [f"  {line}" for line in lines]

    # -- inside

    _which_rows = ""
    """Which of the rows it is measured on, if not on all."""

    @property
    def _conjuncts(self) -> tuple[Clause[Any], ...]:
        """All clauses of the formula: those of atoms, and others that must hold."""
        return self.clauses

    def _complete(self, body: Formula) -> Formula:
        """The formula, of which the ``body`` is the conjunction of all clauses."""
        return body

    @cached_property
    def _numbered(self) -> list[frozenset[int]]:
        """The clauses as sets of numbers, without trivial and absorbed ones."""
        found = [self.space.clause(clause.literals) for clause in self._conjuncts]
        by_union = {self.space.union(one): one for one in found if one is not None}
        inverse = {self.space.everything & ~union: union for union in by_union}
        return [by_union[inverse[kept]] for kept in absorb(inverse)]

    @cached_property
    def _cnf_sets(self) -> Sets:
        return [frozenset(self.space.literals[i] for i in one) for one in self._numbered]

    @cached_property
    def _short_cnf(self) -> Sets:
        turned = self.space.inverted()
        return self._sets(minimise([turned.cube(c) for c in self._numbered], turned).cubes, turned)

    @cached_property
    def _short_dnf(self) -> Sets | None:
        try:
            cubes = distribute(self._numbered, self.space, MOST_READABLE)
        except FormulaTooLarge:
            return None
        if len(cubes) > MOST_SHOWN:
            return None  # minimising it would take long, and the other form is shorter
        return self._sets(minimise(cubes, self.space).cubes, self.space)

    def _sets(self, cubes: Iterable[int], space: Space) -> Sets:
        return [frozenset(space.literals[i] for i in space.terms(cube)) for cube in cubes]

    def _shown(self, sets: Sets) -> list[list[Formula]]:
        ordered = [sorted(one, key=self._order) for one in sets]
        ordered.sort(key=lambda one: (len(one), [self._order(literal) for literal in one]))
        return [[self._leaf(literal) for literal in one] for one in ordered]

    def _and_of_ors(self, sets: Sets) -> Formula:
        return And(tuple(_one(Or, parts) for parts in self._shown(sets)))

    def _or_of_ands(self, sets: Sets) -> Formula:
        return Or(tuple(_one(And, parts) for parts in self._shown(sets)))

    def _order(self, literal: Hashable) -> int:
        return self.space.number[literal]

    def _leaf(self, literal: Hashable) -> Formula:
        if literal in self.negations:
            return Not(Has(self.negations[literal]))
        return Has(literal)


def plain(value: Any) -> Any:
    """A label as a plain Python value."""
    return value.item() if isinstance(value, np.generic) else value


def _measured(what: str, one: Measure) -> str:
    return (
        f"{what} ({one.examples:,}): covers {one.coverage:.1%} of the class, excludes "
        f"{one.exclusion:.1%} of the others, error {one.error:.1%}"
    )


def _one(kind: type[And] | type[Or], parts: Sequence[Formula]) -> Formula:
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def _text(name: str) -> str:
    return rf"\text{{{writing.escape_latex(name)}}}"
