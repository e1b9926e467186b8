"""First-order formulas over constants: ∧, ∨, ¬, and quantifiers over finite index sets.

``Has(c)`` is the paper's clause ``(c < I)``: the term ``I`` has the constant ``c``. A constant may
be anything that can be hashed: a name, a number, a literal of a table. Formulas do not change, and
parts may be shared: each is evaluated once.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[np.bool_]


class Formula:
    """What is true or false of a term; ``&``, ``|`` and ``~`` make new ones.

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
        from atomlearn.logic.writing import to_text

        return to_text(self)

    def __repr__(self) -> str:
        return f"<Formula: {self}>"

    def evaluate(self, truth: Mapping[Any, Any]) -> Bits:
        """Is it true, given the truth of each constant: a value or an array of values?

        >>> (Has("a") & ~Has("b")).evaluate({"a": np.array([True, True]), "b": [True, False]})
        array([False,  True])
        """
        return _evaluate(self, truth, {})

    def leaves(self) -> Iterator["Has"]:
        """Every mention of a constant, in order; shared parts once."""
        return _leaves(self, set())

    def constants(self) -> tuple[Hashable, ...]:
        """The constants it speaks of, in the order of their first mention."""
        return tuple(dict.fromkeys(leaf.constant for leaf in self.leaves()))

    def size(self) -> int:
        """How many mentions of constants it takes to write it down.

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
    """The term has this constant: ``(c < I)``.

    >>> bool(Has("c1").evaluate({"c1": True, "c2": False}))
    True
    """

    constant: Hashable
    __str__ = Formula.__str__


@dataclass(frozen=True, slots=True, repr=False)
class Not(Formula):
    """The part is false.

    >>> Not(Has("c1")) == ~Has("c1")
    True
    """

    part: Formula
    __str__ = Formula.__str__


@dataclass(frozen=True, slots=True, repr=False)
class And(Formula):
    """All parts are true; without parts: true.

    >>> And((Has("c1"), Has("c2"))) == Has("c1") & Has("c2")
    True
    """

    parts: tuple[Formula, ...]
    __str__ = Formula.__str__


@dataclass(frozen=True, slots=True, repr=False)
class Or(Formula):
    """Some part is true; without parts: false.

    >>> Or((Has("c1"), Has("c2"))) == Has("c1") | Has("c2")
    True
    """

    parts: tuple[Formula, ...]
    __str__ = Formula.__str__


@dataclass(frozen=True, slots=True, repr=False)
class Odd(Formula):
    """An odd number of the parts is true.

    Written with ∧, ∨ and ¬ alone it would grow with the number of subsets of the parts.

    >>> parity = Odd((Has("a"), Has("b")))
    >>> [bool(parity.evaluate({"a": a, "b": b})) for a in (0, 1) for b in (0, 1)]
    [False, True, True, False]
    """

    parts: tuple[Formula, ...]
    __str__ = Formula.__str__


TRUE, FALSE = And(()), Or(())


def forall(over: Iterable[Any], body: Callable[[Any], Formula]) -> Formula:
    """``∧`` over an index.

    >>> str(forall([1, 2], lambda i: Has(f"c{i}")))
    'c1 and c2'
    """
    return And(tuple(body(i) for i in over))


def exists(over: Iterable[Any], body: Callable[[Any], Formula]) -> Formula:
    """``∨`` over an index: some column with all rows black, of 2 × 2,

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
