"""Formulas as text, LaTeX, Python and SymPy.

What a constant looks like it may say itself, with ``to_latex()``, ``to_python()`` and
``to_sympy()`` (the literals of a classifier do); a name stands for itself.
"""

import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from atomlearn.errors import MissingExtra
from atomlearn.logic.formulas import And, Formula, Has, Not, Odd, Or
from atomlearn.markup import escape

Write = Callable[[Hashable], str]


def to_text(formula: Formula) -> str:
    """The formula in words.

    >>> to_text(Has("a") & (Has("b") | ~Has("c")))
    'a and (b or not c)'
    """
    return _write(formula, str, ("not {}", " and ", " or ", "always", "never"))


def lines_of(formula: Formula) -> str:
    """A formula with one part of its outermost conjunction or disjunction a line."""
    if not isinstance(formula, And | Or) or len(formula.parts) < 2:
        return f"      {formula}"
    if is_flat(formula):
        return f"      ({formula})" if isinstance(formula, Or) else f"      {formula}"
    sign = "\n  and " if isinstance(formula, And) else "\n   or "
    parts = [f"({part})" if isinstance(part, And | Or) else str(part) for part in formula.parts]
    return f"      {sign.join(parts)}"


def html_of(formula: Formula) -> str:
    """The same as an HTML list, whose lines wrap.

    >>> html_of(Has("a") & Has("b")).count("<li>")
    2
    """
    sign = "or" if isinstance(formula, Or) else "and"
    is_list = isinstance(formula, And | Or) and len(formula.parts) > 1 and not is_flat(formula)
    parts: Sequence[Formula] = formula.parts if is_list else (formula,)  # type: ignore[attr-defined]
    lines = [f"<span>{escape(to_text(part))}</span></li>" for part in parts]
    joints = ["", *[sign] * (len(parts) - 1)]
    items = [f'<li><span class="joint">{a}</span>{b}' for a, b in zip(joints, lines, strict=True)]
    return f'<ul class="clauses">{"".join(items)}</ul>'


def depth(formula: Formula) -> int:
    """Nesting depth: the number of alternations between *and* and *or*."""
    parts = formula.parts if isinstance(formula, And | Or) else ()
    return 1 + max(map(depth, parts), default=0) if parts else 0


def is_flat(formula: And | Or) -> bool:
    """Is it a disjunction of constants and their negations, short enough for one line?"""
    simple = all(isinstance(part, Has | Not) for part in formula.parts)
    return simple and isinstance(formula, Or)


def to_latex(formula: Formula) -> str:
    r"""The formula in LaTeX, for mathematics.

    >>> print(to_latex(Has("c1") & (Has("b") | ~Has("c2"))))
    c_{1} \land (b \lor \lnot c_{2})
    """
    signs = (r"\lnot {}", r" \land ", r" \lor ", r"\top", r"\bot")
    return _write(formula, latex_of, signs)


def to_python(formula: Formula) -> str:
    """The formula as a Python expression over ``present``, the set of the names that are there.

    >>> to_python(Has("a") & ~Has("b"))
    "'a' in present and not ('b' in present)"
    """
    return _write(formula, python_of, ("not ({})", " and ", " or ", "True", "False"))


def to_sympy(formula: Formula) -> Any:
    """The formula as a SymPy expression of symbols with the names of the constants.

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
    """A constant in LaTeX; numbers at the end of a short name become an index."""
    own = getattr(constant, "to_latex", None)
    if own:
        return str(own())
    name = str(constant)
    if indexed := re.fullmatch(r"([A-Za-z])_?(\d+)", name):
        return f"{indexed[1]}_{{{indexed[2]}}}"
    return name if re.fullmatch(r"[A-Za-z]", name) else rf"\text{{{escape_latex(name)}}}"


def python_of(constant: Hashable) -> str:
    """The test for a constant in Python."""
    own = getattr(constant, "to_python", None)
    return str(own()) if own else f"{constant!r} in present"


def function_source(
    name: str, argument: str, about: str, formula: Formula, before: str = ""
) -> str:
    """The source of a Python function that evaluates the formula, after the statement ``before``.

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
    """Text with LaTeX's special characters escaped."""
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
