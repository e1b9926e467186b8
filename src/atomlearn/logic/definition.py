"""The definition of a constant: ``v < I ⇔ ∧ over atoms ∨ over constants``, in its shortest form.

A definition is a conjunction of clauses, one for each atom. It is transformed by the distributive
law, shortened by don't-cares, and factored; all forms agree on every term that can occur.

Factoring writes ``a b or a c`` as ``a and (b or c)``, where that is shorter. It is algebraic, by
kernels, as in the synthesis of logic circuits (Brayton and McMullen, 1982):
literals are letters, a conjunction is a product, a disjunction a sum, and a sum is divided by a
divisor that more than one of its parts share.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from atomlearn.errors import FormulaTooLarge
from atomlearn.logic import formulas
from atomlearn.logic.comparison import Conjecture, Grid, Measure
from atomlearn.logic.formulas import And, Clause, Formula, Has, Not, Or
from atomlearn.logic.minimise import Space, absorb, distribute, minimise
from atomlearn.markup import Displayed, code, escape
from atomlearn.typing import Bits

Product = frozenset[int]
Sum = frozenset[Product]


def factor(
    products: Iterable[Iterable[Hashable]],
    turned: bool = False,
    order: Callable[[Any], Any] = str,
) -> Formula:
    """Factor a disjunction of conjunctions or, if ``turned``, a conjunction of disjunctions.

    >>> str(factor(["ac", "ad", "bc", "bd", "e"]))
    '((a or b) and (c or d)) or e'
    >>> str(factor(["ab", "ac"], turned=True))
    'a or (b and c)'
    """
    given = [frozenset(one) for one in products]
    letters = sorted(frozenset().union(*given), key=order)
    number = {letter: i for i, letter in enumerate(letters)}
    total = frozenset(frozenset(number[x] for x in one) for one in given)
    return _Factoring(letters, turned).factored(total)


class _Factoring:
    """Letters as numbers, with products and sums of them."""

    def __init__(self, letters: list[Any], turned: bool) -> None:
        self.leaves = [x if isinstance(x, Formula) else Has(x) for x in letters]
        self.join: type[And] | type[Or] = Or if turned else And
        self.choose: type[And] | type[Or] = And if turned else Or

    def factored(self, total: Sum) -> Formula:
        if len(total) <= 1:
            return self.product(next(iter(total))) if total else self.choose(())
        common = frozenset.intersection(*total)
        if common:
            inner = self.factored(_free(total))
            return _joined(self.join, [*(self.leaves[x] for x in sorted(common)), inner])
        often = _most_frequent(total)
        if often is None:
            return self.choose(tuple(self.product(one) for one in sorted(total, key=sorted)))
        quotient, _ = _divide(total, _kernel(total))
        if len(quotient) == 1:
            letter = _most_frequent(total, next(iter(quotient)))
            return self.by_letter(total, often if letter is None else letter)
        quotient = _free(quotient)
        divisor, rest = _divide(total, quotient)
        both = sorted((quotient, divisor), key=lambda one: min(map(sorted, one)))
        first = _joined(self.join, [self.factored(one) for one in both])
        return self.with_rest(first, rest)

    def by_letter(self, total: Sum, letter: int) -> Formula:
        quotient = frozenset(one - {letter} for one in total if letter in one)
        rest = frozenset(one for one in total if letter not in one)
        first = _joined(self.join, [self.leaves[letter], self.factored(quotient)])
        return self.with_rest(first, rest)

    def with_rest(self, first: Formula, rest: Sum) -> Formula:
        return _joined(self.choose, [first, self.factored(rest)]) if rest else first

    def product(self, letters: Product) -> Formula:
        parts = [self.leaves[x] for x in sorted(letters)]
        return parts[0] if len(parts) == 1 else self.join(tuple(parts))


def _kernel(total: Sum) -> Sum:
    """Return a divisor without common letters in which no letter occurs twice."""
    while (letter := _most_frequent(total)) is not None:
        total = _free(frozenset(one - {letter} for one in total if letter in one))
    return total


def _divide(total: Sum, divisor: Sum) -> tuple[Sum, Sum]:
    """Return the quotient and the rest: ``total = divisor × quotient + rest``."""
    letters = frozenset().union(*divisor)
    quotient: Sum | None = None
    for part in divisor:
        fits = frozenset(one - part for one in total if part <= one and not (one - part) & letters)
        quotient = fits if quotient is None else quotient & fits
    quotient = quotient or frozenset()
    made = {part | one for part in divisor for one in quotient}
    return quotient, frozenset(one for one in total if one not in made)


def _free(total: Sum) -> Sum:
    common = frozenset.intersection(*total) if total else frozenset()
    return frozenset(one - common for one in total)


def _most_frequent(total: Sum, among: Product | None = None) -> int | None:
    """Return the first of the letters that are in the most products, at least two."""
    counts = Counter(x for one in total for x in one if among is None or x in among)
    best = max(counts.values(), default=0)
    return None if best < 2 else min(x for x, n in counts.items() if n == best)


def _joined(join: type[And] | type[Or], parts: list[Formula]) -> Formula:
    flat: list[Formula] = []
    for part in parts:
        flat += part.parts if isinstance(part, join) else [part]
    return flat[0] if len(flat) == 1 else join(tuple(flat))


MOST_READABLE = 400
"""Maximum number of conjunctions considered for the shortest form."""

MOST_SHOWN = 64
"""Maximum number of conjunctions that are minimised."""

DEEPEST = 3
"""Maximum nesting of *and* and *or* that counts as readable."""

Sets = list[frozenset[Hashable]]


@dataclass(frozen=True, repr=False)
class Definition(Displayed):
    """A constant as a formula: a conjunction of clauses.

    Attributes
    ----------
    label : object
        The constant or class.
    clauses : tuple of Clause
        The atoms, as disjunctions.
    measured : Measure or None
        Measures on the training examples; ``None`` for definitions of models without examples.
    held_out : Measure or None
        Measures, on held-out examples, of definitions made in the same way.
    classifier_error : float or None
        Error of the whole classifier on held-out examples, for this class against the rest.
    total : int or None
        Total number of atoms, if the clauses are a selection.
    space : Space
        The literals, and the combinations of them that can occur.
    conjecture : Conjecture or None
        A sentence about lines of a grid that fits the examples, if there is one.
    grid : Grid or None
        The place of each pixel, if the constants are those of an image.
    negations : mapping
        Constants that are written as the negation of another constant.
    argument : str
        Name of the argument of the Python function.

    Examples
    --------
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
    held_out: Measure | None = field(default=None, kw_only=True)
    classifier_error: float | None = field(default=None, kw_only=True)
    total: int | None = field(default=None, kw_only=True)
    space: Space = field(repr=False, compare=False, kw_only=True)
    conjecture: Conjecture | None = field(default=None, compare=False, kw_only=True)
    grid: Grid | None = field(default=None, repr=False, compare=False, kw_only=True)
    negations: Mapping[Hashable, Hashable] = field(
        default_factory=dict, repr=False, compare=False, kw_only=True
    )
    argument: str = field(default="present", repr=False, compare=False, kw_only=True)

    # -- the forms

    @cached_property
    def cnf(self) -> Formula:
        """Conjunction of clauses, without trivial and redundant ones."""
        return self._complete(self._and_of_ors(self._cnf_sets))

    @cached_property
    def dnf(self) -> Formula:
        """Disjunctive normal form, by the distributive law with absorption.

        Raises :class:`~atomlearn.errors.FormulaTooLarge` if it would be too large.
        """
        cubes = distribute(self._numbered, self.space)
        return self._complete(self._or_of_ands(self._sets(cubes, self.space)))

    @cached_property
    def minimal(self) -> Formula:
        """Shorter of the minimised disjunctive and the minimised conjunctive form."""
        forms = [self._and_of_ors(self._short_cnf)]
        if self._short_dnf is not None:
            forms.insert(0, self._or_of_ands(self._short_dnf))
        return self._complete(min(forms, key=Formula.size))

    @cached_property
    def factored(self) -> Formula:
        """Shorter of both normal forms after factoring."""
        order = {self._leaf(x): i for i, x in enumerate(self.space.literals)}.__getitem__
        forms = [factor(self._shown(self._short_cnf), turned=True, order=order)]
        if self._short_dnf is not None:
            forms.insert(0, factor(self._shown(self._short_dnf), order=order))
        return self._complete(min(forms, key=Formula.size))

    @property
    def shortest(self) -> Formula:
        """Shortest form that is not nested too deeply to be read."""
        if formulas.depth(self.factored) > DEEPEST:
            return self.minimal
        return min((self.minimal, self.factored), key=Formula.size)

    @cached_property
    def sentence(self) -> str | None:
        """Formula as a sentence about rows and columns, if it is about lines of a grid."""
        if self.grid is None:
            return None
        sentence = None if self._short_dnf is None else self.grid.some(self._short_dnf)
        return sentence or self.grid.every(self._short_cnf)

    # -- as text

    def to_text(self) -> str:
        """Return the shortest form over several lines, and its measures."""
        head = f"{self.label} if" + (f" {self.sentence}:" if self.sentence else "")
        if self._conjuncts:
            body = formulas.lines_of(self.shortest)
        elif self.is_partial:
            body = "  (no atom distinguishes it)"
        else:
            body = "  always"
        lines = [head, body, *self._reliability()]
        if self.conjecture is not None and self.conjecture.sentence != self.sentence:
            lines.insert(0, f"{self.label} looks like: {self.conjecture}")
        return "\n".join(one for one in lines if one)

    def to_latex(self) -> str:
        """Return the shortest form in LaTeX, for a display; ``aligned`` if it has several lines."""
        name = self.label if isinstance(self.label, str) else str(self.label)
        label = formulas.latex_of(name) if self.argument == "present" else _text(name)
        body = self.shortest
        if not isinstance(body, And | Or) or len(body.parts) < 2 or formulas.is_flat(body):
            return rf"{label} \iff {formulas.to_latex(body)}"
        sign = r"\land" if isinstance(body, And) else r"\lor"
        parts = [
            f"({formulas.to_latex(part)})"
            if isinstance(part, And | Or)
            else formulas.to_latex(part)
            for part in body.parts
        ]
        lines = f" \\\\\n  & {sign} ".join(parts)
        return f"\\begin{{aligned}}\n{label} \\iff & {lines}\n\\end{{aligned}}"

    def to_python(self) -> str:
        """Return the source of a Python function that evaluates the formula."""
        about = " ".join(self.to_text().split())
        return formulas.function_source(
            f"is_{self.label}", self.argument, about, self.shortest, self._before
        )

    def to_sympy(self) -> Any:
        """Return the shortest form as a SymPy expression."""
        return formulas.to_sympy(self.shortest)

    def to_dict(self) -> dict[str, Any]:
        """Return the definition as plain values, for JSON."""
        result = {
            "label": plain(self.label),
            "clauses": [[str(literal) for literal in clause.literals] for clause in self.clauses],
            "formula": formulas.to_text(self.shortest),
            "sentence": self.sentence,
            "conjecture": None if self.conjecture is None else self.conjecture.sentence,
            "is_partial": self.is_partial,
        }
        if self.measured is not None:
            result |= {
                "coverage": self.measured.coverage,
                "exclusion": self.measured.exclusion,
                "error": self.measured.error,
                "rows_measured": self.measured.examples,
                "held_out_error": None if self.held_out is None else self.held_out.error,
                "held_out_rows": None if self.held_out is None else self.held_out.examples,
                "classifier_held_out_error": self.classifier_error,
            }
        return result

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        n = len(self.clauses)
        return f"<{type(self).__name__}: {self.label}, {n} clause{'s' * (n != 1)}>"

    def to_html(self) -> str:
        """Return the shortest form, its measures and folded code as HTML without a frame."""
        head = f"<strong>{escape(str(self.label))}</strong> if"
        if self.sentence:
            head += f" {escape(self.sentence)}:"
        lines = [f"<p>{head}</p>"]
        if self.conjecture is not None and self.conjecture.sentence != self.sentence:
            lines.insert(0, f"<p>looks like: {escape(str(self.conjecture))}</p>")
        if self._conjuncts:
            lines.append(formulas.html_of(self.shortest))
        else:
            nothing = "(no atom distinguishes it)" if self.is_partial else "always"
            lines.append(f"<p>{nothing}</p>")
        remarks = "<br>".join(escape(line.strip()) for line in self._reliability())
        lines.append(f'<p class="small muted">{remarks}</p>' if remarks else "")
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
        """Share of the other examples for which the formula is false, if measured."""
        return None if self.measured is None else self.measured.exclusion

    @property
    def error(self) -> float | None:
        """Error of the formula over all examples, if measured."""
        return None if self.measured is None else self.measured.error

    @property
    def rows_measured(self) -> int:
        """Number of examples of the measures, which are a sample if there were many."""
        return 0 if self.measured is None else self.measured.examples

    @property
    def is_partial(self) -> bool:
        """Whether it is a selection of the atoms, or true for some counterexamples."""
        if self.total is not None and self.total > len(self.clauses):
            return True
        return self.measured is not None and self.measured.exclusion < 1.0

    @property
    def _before(self) -> str:
        """First statements of the Python function."""
        return ""

    def evaluate(self, X: Any) -> Bits:
        """Evaluate the formula exactly on each example.

        Parameters
        ----------
        X : array of bool of shape (n_samples, n_constants)
            Truth values, with a column for each constant of the formula's space, in its order.

        Returns
        -------
        ndarray of bool
            Whether the formula is true for each example.
        """
        truth = np.asarray(X, dtype=np.bool_)
        where = self.space.number
        out = np.ones(len(truth), dtype=np.bool_)
        for clause in self.clauses:
            out &= truth[:, [where[literal] for literal in clause.literals]].any(axis=1)
        return out

    def _reliability(self) -> list[str]:
        """Return lines of text on the completeness and the measures of the definition."""
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
    """The rows that it is measured on, if not all."""

    @property
    def _conjuncts(self) -> tuple[Clause[Any], ...]:
        """All clauses of the formula: those of atoms, and others that must hold."""
        return self.clauses

    def _complete(self, body: Formula) -> Formula:
        """Return the formula, of which ``body`` is the conjunction of all clauses."""
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
    """Return a label as a plain Python value."""
    return value.item() if isinstance(value, np.generic) else value


def _measured(what: str, one: Measure) -> str:
    return (
        f"{what} ({one.examples:,}): covers {one.coverage:.1%} of the class, excludes "
        f"{one.exclusion:.1%} of the others, error {one.error:.1%}"
    )


def _one(kind: type[And] | type[Or], parts: Sequence[Formula]) -> Formula:
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def _text(name: str) -> str:
    return rf"\text{{{formulas.escape_latex(name)}}}"
