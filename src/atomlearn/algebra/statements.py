"""Statements with variables: one line of text that stands for many relations.

A relation file may name sets and say relations about their members::

    person = {ann, ben, cid}
    ancestor(x, z) < parent(x, y) ancestor(y, z)   for x, y, z in person

Each assignment of members to the variables gives one relation, with constants such as
``parent(ann,ben)``. A set that stands where one name is expected means all its members at once, so
``!Q(row but x, y)`` is the merge of a column without one square. ``one of`` and ``at most one of``
stand for the relations by which choices exclude each other (:func:`.expansion.choice_relations`).

Text comes from files, so nothing here is evaluated as Python. What a text may cost is limited: the
bindings that are tried and the names that are made are counted (:data:`.expansion.MAX_STEPS`), and
so is the depth of parentheses.
"""

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import product
from math import prod
from typing import Any, NoReturn

from atomlearn.algebra.expansion import (
    Bindings,
    Clause,
    Expression,
    Pattern,
    Statement,
    Steps,
    Test,
    Value,
    atoms_of,
    bindings,
    plain,
    show,
)
from atomlearn.algebra.terms import ParsedRelation, quoted_name, syntax_error

MAX_DEPTH = 40
"""Maximum depth of parentheses and braces, and maximum number of variables in a line."""
MAX_NUMBER = 10**9
"""Largest number that an index may be."""

_BLANK = re.compile(r"\s*")
_NAME = re.compile(r"""[^\s<\#"'(){},][^\s<\#"(){},]*""")
_TOKEN = re.compile(r"""\.\.|//|[!<>=]=|[-+*%<>=(){},]|\d+|[^\W\d]\w*""")
_DEFINITION = re.compile(r"\s*[^\W\d]\w*(?:\s+=\s+[{\d(]|\s*=(?!=)[^<]*$)")
"""A line with < is a definition only if = stands alone: ``r1c5=7 < S`` has a name with = in it."""
_ONE_OF = re.compile(r"\s*(one|at\s+most\s+one)\s+of\b(?=[^<]*$|[^<{]*\{)")
_QUOTED_OR_COMMENT = re.compile(r"""("(?:\\.|[^"\\])*"|(?<!\S)'(?:\\.|[^'\\])*')|\#.*""", re.DOTALL)
_KEYWORDS = frozenset(["and", "but", "for", "if", "in", "not", "or"])
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_CALCULATE: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
    "//": operator.floordiv, "%": operator.mod,
}  # fmt: skip


class Statements:
    """The sets that are known so far, and the lines that speak of them.

    >>> statements = Statements({"row": [1, 2, 3]})
    >>> list(statements.relations("Q(x,1) < !Q(row but x, 1)  for x in row if x < 3"))
    [(['Q(1,1)'], True, ['!Q(2,1)', '!Q(3,1)']), (['Q(2,1)'], True, ['!Q(1,1)', '!Q(3,1)'])]
    """

    def __init__(self, sets: Mapping[str, Iterable[object]] | None = None) -> None:
        self.steps = Steps()
        self.sets: Bindings = {}
        for name, members in (sets or {}).items():
            self.define(name, [plain(member) for member in members])
        self._members: set[Value] = set(atoms_of(list(self.sets.values())))

    def define(self, name: str, members: list[Value]) -> None:
        """Name a set."""
        self.sets[name] = list(dict.fromkeys(members))

    def understands(self, text: str) -> bool:
        """Return whether a line has variables or sets; others are plain relations."""
        if self.sets:
            return True
        if not ("for" in text or "=" in text or " of" in text):  # most lines of large files
            return False
        bare = _QUOTED_OR_COMMENT.sub("", text)
        _, sign, after = bare.partition("<")
        after = " ".join(after.split())
        has_for = " for " in after and " in " in after[after.index(" for ") :]
        return bool((sign and has_for) or _DEFINITION.match(bare) or _ONE_OF.match(bare))

    def relations(self, text: str, doubts: list[str] | None = None) -> Iterator[ParsedRelation]:
        """Yield the relations that a line stands for; a definition and a comment have none.

        Words that are read as names and were probably meant as variables are added to ``doubts``.
        """
        text = _QUOTED_OR_COMMENT.sub(lambda found: found[1] or "", text)
        reader = _Reader(text, self)
        if reader.ended():
            return
        if _DEFINITION.match(text):
            self._read_definition(reader)
            return
        statement = reader.statement()
        if doubts is not None:
            doubts.extend(reader.doubts(statement.clauses, self._members))
        yield from statement.relations(self.sets, self.steps)

    def _read_definition(self, reader: "_Reader") -> None:
        name, at = reader.word()
        reader.expect("=")
        if name in self.sets:
            reader.fail(f"the set {name} is defined twice", at)
        found = reader.members(reader.expression)(dict(self.sets))
        if not reader.ended():
            reader.fail("something after the end of the set")
        assert isinstance(found, list)
        self.define(name, found)
        self._members.update(atoms_of(found))


class _Reader:
    """A parser of one line, by recursive descent; what it returns is evaluated later."""

    def __init__(self, text: str, statements: Statements) -> None:
        self.text, self.statements = text, statements
        self.at, self.depth = 0, 0
        self.variables: list[str] = []
        self.unbound: list[tuple[str, int]] = []
        """Words in indices that are names unless a variable or a set is called so."""

    # -- tokens

    def fail(self, problem: str, at: int | None = None) -> NoReturn:
        raise syntax_error(problem, self.text, self.at if at is None else at)

    def ended(self) -> bool:
        return self._skip() == len(self.text)

    def _skip(self) -> int:
        match = _BLANK.match(self.text, self.at)
        self.at = self.at if match is None else match.end()
        return self.at

    def peek(self) -> str:
        """Return the next token of an expression: an operator, a number or a word."""
        match = _TOKEN.match(self.text, self._skip())
        return match.group() if match else self.text[self.at : self.at + 1]

    def take(self, *wanted: str) -> str | None:
        """Return the next token and go on, if it is one of these."""
        token = self.peek()
        if token not in wanted:
            return None
        self.at += len(token)
        return token

    def expect(self, token: str) -> None:
        if self.take(token) is None:
            found = repr(self.peek()) if self.peek() else "the end of the line"
            self.fail(f"{token!r} is missing before {found}")

    def word(self) -> tuple[str, int]:
        """Return a word, which is no keyword, and its place."""
        token, at = self.peek(), self.at
        if not token.isidentifier() or token in _KEYWORDS:
            self.fail(f"expected a name, not {token!r}" if token else "a name is missing")
        self.at += len(token)
        return token, at

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"more than {MAX_DEPTH} parentheses inside each other")

    # -- statements and terms

    def statement(self) -> Statement:
        if match := _ONE_OF.match(self.text):
            self.at, sign = match.end(), "one" if match[1] == "one" else "most"
            left = right = self.term("of")
        else:
            left = self.term("")
            sign = self.sign()
            right = self.term(sign)
        clauses = self.clauses()
        if not self.ended():
            self.fail("expected 'for', 'if' or the end of the line")
        return Statement(sign, left, right, clauses)

    def sign(self) -> str:
        self._skip()
        for sign in ("!<=", "!<", "<=", "<"):
            if self.text.startswith(sign, self.at):
                self.at += len(sign)
                return sign.rstrip("=")
        return self.fail("no < or !< between two lists of names")

    def term(self, after: str) -> Callable[[Bindings], list[str]]:
        """Return a term: names, constants with indices, and braces, until something else."""
        items: list[Callable[[Bindings], list[str]]] = []
        while not self.ended() and not self.text.startswith(("<", "!<", "}"), self.at):
            if items and self.peek() in ("for", "if"):
                break
            items.append(self.item())
        if not items:
            self.fail(f"no name after {after}" if after else "no name at the beginning")

        def names(bound: Bindings) -> list[str]:
            found = [name for item in items for name in item(bound)]
            if not found:
                self.fail("no name is left on one side of the relation; add a condition with 'if'")
            self.statements.steps.spend(len(found))
            return found

        return names

    def item(self) -> Callable[[Bindings], list[str]]:
        at = self.at
        if self.text[at] in "\"'":
            name, self.at = quoted_name(self.text, at)
            return lambda _: [name]
        if self.take("{"):
            return self._merge()
        match = _NAME.match(self.text, at)
        if match is None:
            self.fail(f"{self.text[at]!r} where a name was expected; names are separated by blanks")
        name = match.group()
        if (cut := name.find("!<")) > 0:
            name = name[:cut]
        self.at += len(name)
        if self.text.startswith("(", self.at):
            return self._indexed(name)
        return lambda bound: self._bare(name, bound, at)

    def _merge(self) -> Callable[[Bindings], list[str]]:
        """Read ``{Q(x, y) for x in row if x != y}``, the merge of many constants."""
        self._deeper()
        inner = self.term("{")
        clauses = self.clauses()
        self.expect("}")
        self.depth -= 1

        def names(bound: Bindings) -> list[str]:
            each = bindings(clauses, bound, self.statements.steps)
            return list(dict.fromkeys(name for one in each for name in inner(one)))

        return names

    def _bare(self, name: str, bound: Bindings, at: int) -> list[str]:
        """Return what a name stands for: the value of a variable, all of a set, or itself."""
        mark, base = ("!", name[1:]) if name.startswith("!") else ("", name)
        if base not in bound:
            return [name]
        value = bound[base]
        members = value if isinstance(value, list) else [value]
        return [mark + self._text(member, at) for member in members]

    def _text(self, value: Value, at: int) -> str:
        if isinstance(value, bool | tuple | list):
            self.fail(f"{show(value)} is not a name", at)
        return str(value)

    def _indexed(self, name: str) -> Callable[[Bindings], list[str]]:
        """Read ``(x, y + 1)`` after a name; sets among the indices mean all their members."""
        at = self.at
        self.expect("(")
        indices = self._listed(")")
        if not indices:
            self.fail("no index between ( and )", at)

        def names(bound: Bindings) -> list[str]:
            values = [value if isinstance(value, list) else [value] for value in
                      (index(bound) for index in indices)]  # fmt: skip
            found = []
            self.statements.steps.spend(prod(map(len, values)))
            for chosen in product(*values):
                parts = [self._text(part, at) for value in chosen for part in atoms_of(value)]
                if any(set(part) & set(",()") for part in parts):
                    self.fail("a name with a comma or parenthesis cannot be an index", at)
                found.append(f"{name}({','.join(parts)})")
            return found

        return names

    # -- variables and conditions

    def clauses(self) -> list[Clause]:
        """Read ``for x, y in row for z in other if x != z``, as often as it is written."""
        found: list[Clause] = []
        while keyword := self.take("for", "if"):
            if keyword == "if":
                found.append(Clause(condition=self.condition()))
            else:
                found.append(self.ranges())
                while self.take(","):
                    found.append(self.ranges())
            if len(found) > MAX_DEPTH:
                self.fail(f"more than {MAX_DEPTH} times 'for' or 'if'")
        return found

    def ranges(self) -> Clause:
        """Read ``x, y in row``: each ranges over the set, or both together over its pairs."""
        at = self._skip()
        patterns = [self.pattern()]
        while self.take(","):
            patterns.append(self.pattern())
        self.expect("in")
        members = self.members(self.expression)
        return Clause(tuple(patterns), members, fail=partial(self.fail, at=at))

    def pattern(self) -> Pattern:
        """Read a variable, or ``(x, y)``."""
        if self.take("("):
            self._deeper()
            parts = [self.pattern()]
            while self.take(","):
                parts.append(self.pattern())
            self.expect(")")
            self.depth -= 1
            return tuple(parts)
        name, at = self.word()
        self.variables.append(name)
        if len(self.variables) > MAX_DEPTH:
            self.fail(f"more than {MAX_DEPTH} variables", at)
        if name in self.statements.sets:
            self.fail(f"{name} is a set and cannot be a variable too", at)
        return name

    def condition(self) -> Test:
        at, found = self._skip(), self.expression()

        def test(bound: Bindings) -> bool:
            value = found(bound)
            if not isinstance(value, bool):
                self.fail(f"expected a condition such as x != y, not {show(value)}", at)
            return value

        return test

    # -- expressions

    def expression(self) -> Expression:
        """Read anything: a number, a name, a set, a tuple or a condition."""
        return self._joined("or", lambda: self._joined("and", self._negation))

    def _joined(self, word: str, part: Callable[[], Expression]) -> Expression:
        at, parts = self._skip(), [part()]
        while self.take(word):
            parts.append(part())
        if len(parts) == 1:
            return parts[0]

        def joined(bound: Bindings) -> bool:
            for one in parts:
                value = one(bound)
                if not isinstance(value, bool):
                    self.fail(f"{word!r} stands between conditions, not {show(value)}", at)
                if value == (word == "or"):
                    return value
            return word == "and"

        return joined

    def _negation(self) -> Expression:
        if not self.take("not"):
            return self._comparison()
        self._deeper()
        at, inner = self._skip(), self._negation()
        self.depth -= 1

        def negated(bound: Bindings) -> bool:
            value = inner(bound)
            if not isinstance(value, bool):
                self.fail(f"'not' stands before a condition, not {show(value)}", at)
            return not value

        return negated

    def _comparison(self) -> Expression:
        left, at = self._difference(), self._skip()
        before, negated = self.at, self.take("not") is not None
        if self.take("in"):
            members = self.members(self._difference)
            return lambda bound: self._contains(members(bound), left(bound)) != negated
        self.at = before
        sign = self.take(*_COMPARE)
        if sign is None:
            return left
        right = self._difference()

        def compared(bound: Bindings) -> bool:
            one, other = left(bound), right(bound)
            if sign not in ("=", "==", "!=") and type(one) is not type(other):
                self.fail(f"{show(one)} and {show(other)} have no order", at)
            if isinstance(one, list) and isinstance(other, list):
                one, other = sorted(one, key=str), sorted(other, key=str)
            return _COMPARE[sign](one, other)

        return compared

    def _contains(self, members: Value, value: Value) -> bool:
        assert isinstance(members, list)
        self.statements.steps.spend(len(members) // 50)
        return value in members

    def _difference(self) -> Expression:
        """Read ``row but x``: the set without some members."""
        at, found = self._skip(), self._range()
        others: list[Expression] = []
        while self.take("but"):
            others.append(self._range())
        return self._without(self._checked(found, at), others) if others else found

    def _without(self, members: Expression, others: list[Expression]) -> Expression:
        def without(bound: Bindings) -> list[Value]:
            kept, gone = members(bound), set[Value]()
            for other in others:
                out = other(bound)
                gone.update(out if isinstance(out, list) else [out])
            assert isinstance(kept, list)
            self.statements.steps.spend(len(kept))
            return [member for member in kept if member not in gone]

        return without

    def members(self, read: Callable[[], Expression]) -> Expression:
        """Read an expression, which has to stand for a set."""
        at = self._skip()
        return self._checked(read(), at)

    def _checked(self, found: Expression, at: int) -> Expression:
        def members(bound: Bindings) -> list[Value]:
            value = found(bound)
            if not isinstance(value, list):
                hint = f"; define it, as in {value} = {{a, b}}" if isinstance(value, str) else ""
                self.fail(f"{show(value)} is not a set{hint}", at)
            return value

        return members

    def _range(self) -> Expression:
        first, at = self._sum(), self._skip()
        if not self.take(".."):
            return first
        last = self._sum()

        def numbers(bound: Bindings) -> list[Value]:
            low, high = self._number(first(bound), at), self._number(last(bound), at)
            self.statements.steps.spend(max(0, high - low))
            return list(range(low, high + 1))

        return numbers

    def _sum(self) -> Expression:
        return self._calculated(("+", "-"), lambda: self._calculated(("*", "//", "%"), self._value))

    def _calculated(self, signs: tuple[str, ...], part: Callable[[], Expression]) -> Expression:
        at, first = self._skip(), part()
        rest: list[tuple[str, Expression]] = []
        while sign := self.take(*signs):
            rest.append((sign, part()))
        if not rest:
            return first

        def result(bound: Bindings) -> int:
            value = self._number(first(bound), at)
            for sign, other in rest:
                number = self._number(other(bound), at)
                if not number and sign in ("//", "%"):
                    self.fail("division by zero", at)
                value = self._number(_CALCULATE[sign](value, number), at)
            return value

        return result

    def _number(self, value: Value, at: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            self.fail(f"{show(value)} is not a number", at)
        if abs(value) > MAX_NUMBER:
            self.fail(f"{value} is beyond {MAX_NUMBER:,}", at)
        return value

    def _value(self) -> Expression:
        at = self._skip()
        if at < len(self.text) and self.text[at] in "\"'":
            name, self.at = quoted_name(self.text, at)
            return lambda _: name
        token = self.peek()
        if token.isdecimal():
            self.at += len(token)
            number = int(token) if len(token) < 12 else MAX_NUMBER + 1
            return lambda _: self._number(number, at)
        if self.take("-"):
            self._deeper()
            negative = self._value()
            self.depth -= 1
            return lambda bound: -self._number(negative(bound), at)
        if self.take("("):
            parts = self._listed(")")
            if len(parts) == 1:
                return parts[0]
            return lambda bound: self._tuple(parts, bound, at)
        if self.take("{"):
            return self._braces()
        if token == "grid":
            return self._grid()
        word, at = self.word()
        self.unbound.append((word, at))
        return lambda bound: bound.get(word, word)

    def _tuple(self, parts: list[Expression], bound: Bindings, at: int) -> Value:
        values = tuple(part(bound) for part in parts)
        if any(isinstance(value, list) for value in values):
            self.fail("a set inside a tuple; write one tuple for each member", at)
        return values

    def _listed(self, end: str) -> list[Expression]:
        """Read expressions between commas, and the bracket after them."""
        self._deeper()
        parts: list[Expression] = []
        while not self.take(end):
            if parts:
                self.expect(",")
            parts.append(self.expression())
        self.depth -= 1
        return parts

    def _braces(self) -> Expression:
        """Read ``{a, b}`` or ``{(x, y) for x, y in row}``; sets among the members are united."""
        self._deeper()
        before = len(self.unbound)
        parts = [] if self.peek() == "}" else [self.expression()]
        clauses = self.clauses()
        while not clauses and self.take(","):
            parts.append(self.expression())
        self.expect("}")
        if not clauses:  # the members of a set are names
            del self.unbound[before:]
        self.depth -= 1

        def members(bound: Bindings) -> list[Value]:
            found: dict[Value, None] = {}
            for one in bindings(clauses, bound, self.statements.steps):
                for part in parts:
                    value = part(one)
                    some = value if isinstance(value, list) else [value]
                    self.statements.steps.spend(len(some))
                    found.update(dict.fromkeys(some))
            return list(found)

        return members

    def _grid(self) -> Expression:
        """Read rows of signs: the set of (row, column, sign), counted from 1, without dots."""
        self.take("grid")
        rows = []
        while match := re.compile(r"[\w.]+").match(self.text, self._skip()):
            rows.append(match.group())
            self.at = match.end()
        if not rows:
            self.fail("no rows after grid, as in: grid AAB ABB")
        cells: list[Value] = [
            (r, c, plain(sign))
            for r, row in enumerate(rows, start=1)
            for c, sign in enumerate(row, start=1)
            if sign != "."
        ]
        self.statements.steps.spend(len(cells))
        return lambda _: list(cells)

    def doubts(self, clauses: list[Clause], known: set[Value]) -> Iterator[str]:
        """Yield remarks about words that may be forgotten variables."""
        if not clauses:
            return
        variables = set(self.variables)
        for word, at in dict(self.unbound).items():
            if word not in variables and word not in self.statements.sets and word not in known:
                yield (
                    f"column {at + 1}: {word!r} is read as a name; if it is a variable, add "
                    f"'for {word} in ...', else quote it"
                )
