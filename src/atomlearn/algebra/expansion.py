"""How a statement with variables becomes relations: sets, bindings, and a limit.

What :mod:`.statements` reads is evaluated here, one binding of the variables after the other.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NoReturn

from atomlearn.algebra.terms import ParsedRelation
from atomlearn.errors import ExpansionTooLarge

MAX_STEPS = 5_000_000
"""Maximum number of bindings that are tried and names that are made for one file or text."""
Value = int | str | bool | tuple["Value", ...] | list["Value"]
"""What an expression stands for: a number, a name, a truth value, a tuple or a set (a list)."""
Bindings = dict[str, Value]
Pattern = str | tuple["Pattern", ...]
"""A variable, or several in parentheses."""
Expression = Callable[[Bindings], Value]
Test = Callable[[Bindings], bool]


class Steps:
    """A count of what is computed for a text, which ends at the limit."""

    def __init__(self) -> None:
        self.n = 0

    def spend(self, steps: int = 1) -> None:
        """Count what is computed, and stop at the limit."""
        self.need(steps)
        self.n += steps

    def need(self, steps: int) -> None:
        """Stop if what will be computed at least is beyond the limit."""
        if self.n + steps > MAX_STEPS:
            raise ExpansionTooLarge(
                f"this line and those before it stand for too much: more than {MAX_STEPS:,} names "
                "and combinations of values; use smaller sets, fewer variables, or several files"
            )


@dataclass(frozen=True)
class Statement:
    """A relation between two terms, or a choice from one, for all bindings of its clauses."""

    sign: str
    """``<``, ``!<``, ``one`` or ``most``."""
    left: Callable[[Bindings], list[str]]
    right: Callable[[Bindings], list[str]]
    clauses: "list[Clause]"

    def relations(self, sets: Bindings, steps: "Steps") -> Iterator[ParsedRelation]:
        """Yield its relations, given the sets that it may speak of."""
        for bound in bindings(self.clauses, dict(sets), steps):
            if self.sign in ("<", "!<"):
                yield self.left(bound), self.sign == "<", self.right(bound)
            else:
                choices, exactly = self.left(bound), self.sign == "one"
                steps.spend((1 + exactly) * len(choices) ** 2)  # the names in its relations
                yield from choice_relations(choices, at_least=exactly)


def choice_relations(choices: list[str], *, at_least: bool = True) -> Iterator[ParsedRelation]:
    """Yield relations by which at most one (or exactly one) of some choices is made.

    A choice ``c`` excludes the others, ``!d !e < c``; what remains is made, ``c < !d !e``.

    >>> list(choice_relations(["a", "b"], at_least=False))
    [(['!b'], True, ['a']), (['!a'], True, ['b'])]
    """
    for i, chosen in enumerate(choices):
        if others := [f"!{name}" for name in choices[:i] + choices[i + 1 :]]:
            yield others, True, [chosen]
            if at_least:
                yield [chosen], True, others


@dataclass(frozen=True)
class Clause:
    """Variables that range over a set (``pattern in members``), or a condition."""

    patterns: tuple["Pattern", ...] = ()
    members: Expression | None = None
    condition: Test | None = None
    fail: Callable[[str], NoReturn] | None = None


def bindings(clauses: list[Clause], bound: Bindings, steps: "Steps") -> Iterator[Bindings]:
    """Yield the bindings that meet all clauses, the last variable changing fastest.

    A variable that is bound already has to have the same value: this is how two sets are joined.
    """
    if not clauses:
        yield bound
        return
    clause, rest = clauses[0], clauses[1:]
    if clause.members is None:
        assert clause.condition is not None
        if clause.condition(bound):
            yield from bindings(rest, bound, steps)
        return
    members = clause.members(bound)
    assert isinstance(members, list)
    pattern: Pattern = clause.patterns
    parts = any(isinstance(one, str) for one in clause.patterns) and len(clause.patterns) > 1
    if not (parts and members and isinstance(members[0], tuple)):
        # Each pattern ranges over the set, unless together they are the parts of its members.
        pattern = clause.patterns[0]
        if len(clause.patterns) > 1:
            rest = [replace(clause, patterns=clause.patterns[1:]), *rest]
            free = {one for one in clause.patterns if isinstance(one, str) and one not in bound}
            steps.need(len(members) ** len(free))
    for member in members:
        steps.spend()
        found = _match(pattern, member, bound, clause)
        if found is not None:
            yield from bindings(rest, found, steps)


def _match(pattern: "Pattern", member: Value, bound: Bindings, clause: Clause) -> Bindings | None:
    """Return the bindings by which a pattern is this member of a set, or ``None``."""
    if isinstance(pattern, str):
        return None if bound.get(pattern, member) != member else {**bound, pattern: member}
    if not isinstance(member, tuple) or len(member) != len(pattern):
        assert clause.fail is not None
        clause.fail(f"{len(pattern)} variables for {show(member)}; write as many as it has parts")
    for part, value in zip(pattern, member, strict=True):
        found = _match(part, value, bound, clause)
        if found is None:
            return None
        bound = found
    return bound


def atoms_of(value: Value) -> Iterator[Value]:
    """Yield the numbers and names of a tuple or a set, or the value itself."""
    if isinstance(value, tuple | list):
        for part in value:
            yield from atoms_of(part)
    else:
        yield value


def plain(value: object) -> Value:
    """Return a member given in Python or as a sign: a number if it is one, else a name."""
    if isinstance(value, tuple | list):
        return tuple(plain(part) for part in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = str(value)
    is_number = text.isascii() and text.isdecimal() and (text == "0" or text[0] != "0")
    return int(text) if is_number and len(text) < 12 else text


def show(value: Value) -> str:
    """Return a value as it is written, shortened.

    >>> show((1, "a")), show([1, 2])
    ('(1, a)', '{1, 2}')
    """
    if isinstance(value, tuple | list):
        parts = [show(part) for part in value[:4]] + ["..."] * (len(value) > 4)
        inside = ", ".join(parts)
        return f"({inside})" if isinstance(value, tuple) else f"{{{inside}}}"
    return str(value)[:60]
