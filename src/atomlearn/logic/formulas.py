"""Formulas over constants, clauses, and how they are written: as text, in LaTeX, in HTML."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from atomlearn.errors import MissingExtra
from atomlearn.markup import prose
from atomlearn.typing import Bits

Pairs = Iterable[tuple[Hashable, Hashable]] | Mapping[Hashable, Hashable]
"""Pairs of complementary constants, such as the black and the white of each pixel."""


def complements(pairs: Pairs) -> dict[Hashable, Hashable]:
    """Map each constant of a pair to the other.

    >>> complements([("black", "white")])
    {'black': 'white', 'white': 'black'}
    """
    both: dict[Hashable, Hashable] = {}
    for one, other in pairs.items() if isinstance(pairs, Mapping) else pairs:
        for a, b in ((one, other), (other, one)):
            if both.setdefault(a, b) != b or a == b:
                raise ValueError(f"{a!r} has two complements: {both[a]!r} and {b!r}")
    return both


class Formula:
    """A formula that is true or false for a term; ``&``, ``|`` and ``~`` combine formulas.

    Examples
    --------
    >>> a, b = Has("a"), Has("b")
    >>> str(a & ~b | b)
    '(a and not b) or b'
    """

    __slots__ = ()

    def __and__(self, other: "Formula") -> "Formula":
        return And((*_parts(And, self), *_parts(And, other)))

    def __or__(self, other: "Formula") -> "Formula":
        return Or((*_parts(Or, self), *_parts(Or, other)))

    def __invert__(self) -> "Formula":
        return self.part if isinstance(self, Not) else Not(self)

    def __str__(self) -> str:
        return to_text(self)

    def __repr__(self) -> str:
        return f"<Formula: {self}>"

    def evaluate(self, truth: Mapping[Any, Any]) -> Bits:
        """Evaluate the formula, given the truth of each constant.

        Parameters
        ----------
        truth : mapping
            A value or an array of values for each constant.

        Returns
        -------
        ndarray of bool
            The truth of the formula.

        Examples
        --------
        >>> (Has("a") & ~Has("b")).evaluate({"a": np.array([True, True]), "b": [True, False]})
        array([False,  True])
        """
        return _evaluate(self, truth, {})

    def leaves(self) -> Iterator["Has"]:
        """Yield every mention of a constant, in order; shared parts once."""
        return _leaves(self, set())

    def constants(self) -> tuple[Hashable, ...]:
        """Return the constants of the formula, in the order of their first mention."""
        return tuple(dict.fromkeys(leaf.constant for leaf in self.leaves()))

    def size(self) -> int:
        """Return the number of mentions of constants in the formula.

        Examples
        --------
        >>> (Has("a") & Has("b") | Has("a") & Has("c")).size()
        4
        """
        if isinstance(self, Has):
            return 1
        if isinstance(self, Not):
            return self.part.size()
        return sum(part.size() for part in self.parts) if isinstance(self, And | Or | Odd) else 0


@dataclass(frozen=True, slots=True, repr=False)
class Has(Formula):
    """The formula that a term has a constant: ``(c < I)``.

    Parameters
    ----------
    constant : hashable
        The constant ``c``.

    Examples
    --------
    >>> bool(Has("c1").evaluate({"c1": True, "c2": False}))
    True
    """

    constant: Hashable
    __str__ = Formula.__str__


@dataclass(frozen=True, slots=True, repr=False)
class Not(Formula):
    """The negation of a formula.

    Parameters
    ----------
    part : Formula
        The formula that is false.

    Examples
    --------
    >>> Not(Has("c1")) == ~Has("c1")
    True
    """

    part: Formula
    __str__ = Formula.__str__


@dataclass(frozen=True, slots=True, repr=False)
class And(Formula):
    """The conjunction of formulas, which is true without parts.

    Parameters
    ----------
    parts : tuple of Formula
        The formulas that are all true.

    Examples
    --------
    >>> And((Has("c1"), Has("c2"))) == Has("c1") & Has("c2")
    True
    """

    parts: tuple[Formula, ...]
    __str__ = Formula.__str__


@dataclass(frozen=True, slots=True, repr=False)
class Or(Formula):
    """The disjunction of formulas, which is false without parts.

    Parameters
    ----------
    parts : tuple of Formula
        The formulas of which at least one is true.

    Examples
    --------
    >>> Or((Has("c1"), Has("c2"))) == Has("c1") | Has("c2")
    True
    """

    parts: tuple[Formula, ...]
    __str__ = Formula.__str__


@dataclass(frozen=True, slots=True, repr=False)
class Odd(Formula):
    """The formula that an odd number of its parts is true.

    Written with ∧, ∨ and ¬ alone it would grow with the number of subsets of the parts.

    Parameters
    ----------
    parts : tuple of Formula
        The parts.

    Examples
    --------
    >>> parity = Odd((Has("a"), Has("b")))
    >>> [bool(parity.evaluate({"a": a, "b": b})) for a in (0, 1) for b in (0, 1)]
    [False, True, True, False]
    """

    parts: tuple[Formula, ...]
    __str__ = Formula.__str__


TRUE, FALSE = And(()), Or(())


def forall(over: Iterable[Any], body: Callable[[Any], Formula]) -> Formula:
    """Return the conjunction ``∧`` of formulas over an index.

    Parameters
    ----------
    over : iterable
        The values of the index.
    body : callable
        A function that returns the formula for a value of the index.

    Returns
    -------
    Formula
        The conjunction.

    Examples
    --------
    >>> str(forall([1, 2], lambda i: Has(f"c{i}")))
    'c1 and c2'
    """
    return And(tuple(body(i) for i in over))


def exists(over: Iterable[Any], body: Callable[[Any], Formula]) -> Formula:
    """Return the disjunction ``∨`` of formulas over an index.

    The example says that some column of 2 × 2 pixels has all rows black.

    Parameters
    ----------
    over : iterable
        The values of the index.
    body : callable
        A function that returns the formula for a value of the index.

    Returns
    -------
    Formula
        The disjunction.

    Examples
    --------
    >>> str(exists([1, 2], lambda j: forall([1, 2], lambda i: Has(f"c{i}{j}"))))
    '(c11 and c21) or (c12 and c22)'
    """
    return Or(tuple(body(i) for i in over))


def _parts(kind: type[And] | type[Or], formula: Formula) -> tuple[Formula, ...]:
    return formula.parts if isinstance(formula, kind) else (formula,)


def _evaluate(formula: Formula, truth: Mapping[Any, Any], known: dict[int, Bits]) -> Bits:
    key = id(formula)
    if key in known:
        return known[key]
    value: Bits
    if isinstance(formula, Has):
        value = np.asarray(truth[formula.constant], dtype=np.bool_)
    elif isinstance(formula, Not):
        value = ~_evaluate(formula.part, truth, known)
    elif isinstance(formula, Odd):
        value = np.asarray(False)
        for part in formula.parts:
            value = value ^ _evaluate(part, truth, known)
    elif isinstance(formula, And):
        value = np.asarray(True)
        for part in formula.parts:
            value = value & _evaluate(part, truth, known)
    elif isinstance(formula, Or):
        value = np.asarray(False)
        for part in formula.parts:
            value = value | _evaluate(part, truth, known)
    else:
        raise TypeError(f"{formula!r} is not a formula")
    known[key] = value
    return value


def _leaves(formula: Formula, seen: set[int]) -> Iterator[Has]:
    if id(formula) in seen:
        return
    seen.add(id(formula))
    if isinstance(formula, Has):
        yield formula
    elif isinstance(formula, Not):
        yield from _leaves(formula.part, seen)
    elif isinstance(formula, And | Or | Odd):
        for part in formula.parts:
            yield from _leaves(part, seen)


Write = Callable[[Hashable], str]


def to_text(formula: Formula) -> str:
    """Return the formula in words.

    >>> to_text(Has("a") & (Has("b") | ~Has("c")))
    'a and (b or not c)'
    """
    return _write(formula, str, ("not {}", " and ", " or ", "always", "never"))


def lines_of(formula: Formula) -> str:
    """Return a formula with one line for each part of its outermost conjunction or disjunction."""
    if not isinstance(formula, And | Or) or len(formula.parts) < 2:
        return f"      {formula}"
    if is_flat(formula):
        return f"      ({formula})" if isinstance(formula, Or) else f"      {formula}"
    sign = "\n  and " if isinstance(formula, And) else "\n   or "
    parts = [f"({part})" if isinstance(part, And | Or) else str(part) for part in formula.parts]
    return f"      {sign.join(parts)}"


def html_of(formula: Formula) -> str:
    """Return a formula as an HTML list, whose lines wrap.

    >>> html_of(Has("a") & Has("b")).count("<li>")
    2
    """
    sign = "or" if isinstance(formula, Or) else "and"
    is_list = isinstance(formula, And | Or) and len(formula.parts) > 1 and not is_flat(formula)
    parts: Sequence[Formula] = formula.parts if is_list else (formula,)  # type: ignore[attr-defined]
    lines = [f"<span>{prose(to_text(part))}</span></li>" for part in parts]
    joints = ["", *[sign] * (len(parts) - 1)]
    items = [f'<li><span class="joint">{a}</span>{b}' for a, b in zip(joints, lines, strict=True)]
    return f'<ul class="clauses">{"".join(items)}</ul>'


def depth(formula: Formula) -> int:
    """Return the nesting depth: the number of alternations between *and* and *or*."""
    parts = formula.parts if isinstance(formula, And | Or) else ()
    return 1 + max(map(depth, parts), default=0) if parts else 0


def is_flat(formula: And | Or) -> bool:
    """Return whether it joins constants and their negations only, short enough for one line."""
    simple = all(isinstance(part, Has | Not) for part in formula.parts)
    return simple and isinstance(formula, Or)


def to_latex(formula: Formula) -> str:
    r"""Return the formula in LaTeX, for mathematics.

    >>> print(to_latex(Has("c1") & (Has("b") | ~Has("c2"))))
    c_{1} \land (b \lor \lnot c_{2})
    """
    signs = (r"\lnot {}", r" \land ", r" \lor ", r"\top", r"\bot")
    return _write(formula, latex_of, signs)


def to_python(formula: Formula) -> str:
    """Return the formula as a Python expression over ``present``, the set of the names present.

    >>> to_python(Has("a") & ~Has("b"))
    "'a' in present and not ('b' in present)"
    """
    return _write(formula, python_of, ("not ({})", " and ", " or ", "True", "False"))


def to_sympy(formula: Formula) -> Any:
    """Return the formula as a SymPy expression of symbols with the names of the constants.

    >>> to_sympy(Has("a") & ~Has("b"))
    a & ~b
    """
    try:
        import sympy
    except ImportError:
        raise MissingExtra("to_sympy needs SymPy: pip install 'atomlearn[formulas]'") from None
    if isinstance(formula, Has):
        own = getattr(formula.constant, "to_sympy", None)
        return own() if own else sympy.Symbol(str(formula.constant))
    if isinstance(formula, Not):
        return sympy.Not(to_sympy(formula.part))
    if isinstance(formula, And):
        return sympy.And(*map(to_sympy, formula.parts))
    if isinstance(formula, Odd):
        return sympy.Xor(*map(to_sympy, formula.parts))
    assert isinstance(formula, Or)
    return sympy.Or(*map(to_sympy, formula.parts))


def latex_of(constant: Hashable) -> str:
    """Return a constant in LaTeX; numbers at the end of a short name become an index."""
    own = getattr(constant, "to_latex", None)
    if own:
        return str(own())
    name = str(constant)
    if indexed := re.fullmatch(r"([A-Za-z])_?(\d+)", name):
        return f"{indexed[1]}_{{{indexed[2]}}}"
    return name if re.fullmatch(r"[A-Za-z]", name) else rf"\text{{{escape_latex(name)}}}"


def python_of(constant: Hashable) -> str:
    """Return the test for a constant in Python."""
    own = getattr(constant, "to_python", None)
    return str(own()) if own else f"{constant!r} in present"


def function_source(
    name: str, argument: str, about: str, formula: Formula, before: str = ""
) -> str:
    """Return the source of a Python function that evaluates the formula, after ``before``.

    >>> print(function_source("is_v", "present", "v", Has("a") | Has("b")))
    def is_v(present):
        'v'
        return 'a' in present or 'b' in present
    """
    safe = "".join(one if f"_{one}".isidentifier() else "_" for one in name)
    lines = [repr(about), *([before] if before else []), f"return {to_python(formula)}"]
    return "\n    ".join([f"def {safe}({argument}):", *lines])


_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%",
    "#": r"\#", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip


def escape_latex(text: str) -> str:
    """Escape the special characters of LaTeX in a text."""
    printed = "".join(one if one.isprintable() else " " for one in text)
    return "".join(_SPECIAL.get(character, character) for character in printed)


def _write(formula: Formula, leaf: Write, signs: tuple[str, ...], inside: bool = False) -> str:
    no, both, either, always, never = signs
    if isinstance(formula, Has):
        return leaf(formula.constant)
    if isinstance(formula, Not):
        return no.format(_write(formula.part, leaf, signs, inside="(" not in no))
    if isinstance(formula, Odd):
        odd = _odd_number([_write(part, leaf, signs) for part in formula.parts], always)
        return f"({odd})" if inside and r"\oplus" in odd else odd
    assert isinstance(formula, And | Or)
    if not formula.parts:
        return always if isinstance(formula, And) else never
    if len(formula.parts) == 1:
        return _write(formula.parts[0], leaf, signs, inside)
    sign = both if isinstance(formula, And) else either
    text = sign.join(_write(part, leaf, signs, inside=True) for part in formula.parts)
    return f"({text})" if inside else text


def _odd_number(parts: list[str], always: str) -> str:
    if always == "True":
        return f"sum(map(bool, ({''.join(f'{part}, ' for part in parts)}))) % 2 == 1"
    if always == "always":
        return f"an odd number of ({', '.join(parts)})"
    return r" \oplus ".join(f"({part})" for part in parts) or r"\bot"


L = TypeVar("L", bound=Hashable)


@dataclass(frozen=True, repr=False)
class Clause(Generic[L]):
    """A disjunction: at least one of these literals is true.

    >>> str(Clause(("c1", "c4")))
    'c1 or c4'
    """

    literals: tuple[L, ...]

    @classmethod
    def of(cls, literals: Sequence[L]) -> "Clause[L]":
        """Return a clause without literals that imply another of its literals."""
        return cls(
            tuple(
                one
                for one in literals
                if not any(other != one and _implies(one, other) for other in literals)
            )
        )

    def __len__(self) -> int:
        return len(self.literals)

    def __str__(self) -> str:
        return " or ".join(map(str, self.literals)) if self.literals else "never"

    def __repr__(self) -> str:
        return f"Clause({str(self)!r})"

    def to_latex(self) -> str:
        """Return the disjunction in LaTeX."""
        return r" \lor ".join(map(latex_of, self.literals)) if self.literals else r"\bot"


def _implies(one: Any, other: Any) -> bool:
    implies = getattr(one, "implies", None)
    return bool(implies(other)) if implies else False
