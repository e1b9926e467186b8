"""Rules in plain text: ``virginica if petal length > 5 and petal width > 1.8``.

A rule says that every row that meets its conditions is of a class, or (``not``) that none is. With
``first:`` it comes before the others, with ``likely:`` examples may overrule it. A monotone
statement, ``bad rises with debt``, says that the probability of a class never falls as a column
rises. What they mean together is the matter of :mod:`.statements`."""

import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise, product
from pathlib import Path
from typing import Any

from atomlearn.errors import DoubtfulRule, FileFormatError, InvalidRule, suggest
from atomlearn.files.load import LARGEST
from atomlearn.tables.literals import ColumnName, Literal
from atomlearn.tables.numbers import MOST_EXACT, number_in

SIGNS = {">=": ">=", "≥": ">=", "<=": "<=", "≤": "<=", "!=": "!=", "≠": "!=", "==": "=",
         ">": ">", "<": "<", "=": "="}  # fmt: skip
_WRITTEN = {">=": "≥", "<=": "≤", "!=": "≠"}
_SIGN = re.compile("|".join(map(re.escape, SIGNS)))
_ESCAPED = {"n": "\n", "r": "\r"}
_JOINS = {"and": re.compile(r"\s+and\s+"), "or": re.compile(r"\s+or\s+")}
_BETWEEN = re.compile(
    r"^(?P<column>.*?\S)\s+between\s+(?P<low>\S+)\s+and\s+(?P<high>\S+)\s*$", re.DOTALL
)
_MONOTONE = re.compile(r"\s+(?P<way>rises|falls)\s+with\s+")
_PREFIX = re.compile(r"^\s*(?P<rank>first|second|third|likely)(?:\s+(?P<n>[0-9.]+))?\s*:\s*")
RANKS = ("first", "second", "third")
"""Prefixes of rules that come before others, in this order."""
LIKELY = 10.0
"""Number of rows that a likely rule is worth, unless it says so."""
TARGETS = ("y", "target")
"""Names of a number that is predicted, beside its own."""
MOST_TARGET = 1e45
"""Largest number that can be predicted."""
MOST_CASES = 1000
"""Maximum number of conjunctions that a rule may stand for."""
_STATE = re.compile(r"^(?P<column>.*\S)\s+is\s+(?P<state>missing|known)\s*$", re.DOTALL)
_GROUP = re.compile(
    r"^(?P<column>.*?\S)\s+(?P<sign>not in|in)\s*\{(?P<values>[^{}]*)\}\s*$", re.DOTALL
)
_OR_MISSING = re.compile(r"\s+or\s+missing\s*$")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')


@dataclass(frozen=True, repr=False)
class Condition:
    """A condition of a rule on one column.

    Parameters
    ----------
    column : str
        The name of the column.
    operator : str
        One of ``> >= < <= = != missing known in between``; also ``not in``.
    value : float, int, str, ColumnName, tuple or None, default=None
        The number, text or other column to compare with, or several values.
    written : str, default=""
        The value as it was written: in a column of text ``1.10`` is not ``1.1``.

    Examples
    --------
    >>> print(Condition("petal length", ">", 5.0))
    petal length > 5
    """

    column: str
    operator: str
    value: Any = None
    written: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.value, bool):
            object.__setattr__(self, "value", str(self.value).lower())
        if self.operator not in ("missing", "known") and not self.written:
            object.__setattr__(self, "written", _value(self.value))

    def __str__(self) -> str:
        if self.operator in ("missing", "known"):
            return f"{_name(self.column)} is {self.operator}"
        if self.operator in ("in", "not in"):
            return f"{_name(self.column)} {self.operator} {{{self.written}}}"
        if self.operator == "between":
            low, high = map(_value, self.value)
            return f"{_name(self.column)} between {low} and {high}"
        return f"{_name(self.column)} {self.operator} {self.written}"

    def simple(self) -> tuple[tuple["Condition", ...], ...]:
        """Return alternatives, each a conjunction of conditions with one value.

        Examples
        --------
        >>> Condition("age", "between", (18.0, 65.0)).simple()
        ((Condition('age >= 18'), Condition('age <= 65')),)
        >>> Condition("city", "in", ("Ulm", "Jena")).simple()
        ((Condition('city = Ulm'),), (Condition('city = Jena'),))
        """
        if self.operator == "between":
            low, high = self.value
            return ((Condition(self.column, ">=", low), Condition(self.column, "<=", high)),)
        if isinstance(self.value, ColumnName) and self.operator in ("<", ">="):
            sign = ">" if self.operator == "<" else "<="
            name = ColumnName(self.column)
            return ((Condition(str(self.value), sign, name, _name(name)),),)
        if self.operator == "in":
            return tuple((Condition(self.column, "=", one),) for one in self.value)
        if self.operator == "not in":
            return (tuple(Condition(self.column, "!=", one) for one in self.value),)
        return ((self,),)

    @property
    def with_signs(self) -> str:
        """The condition with the signs of mathematics, which are read as well."""
        if self.operator not in _WRITTEN:
            return str(self)
        return f"{_name(self.column)} {_WRITTEN[self.operator]} {self.written}"

    @property
    def text(self) -> str:
        """Value as text, without quotes."""
        return _unquoted(self.written)

    def __repr__(self) -> str:
        return f"Condition({str(self)!r})"


@dataclass(frozen=True, repr=False)
class Bound:
    """The limits that a rule sets to a number that is predicted.

    Parameters
    ----------
    target : str
        The name of the number.
    operator : str
        One of ``> >= < <= =``.
    value : float
        The number to compare with.

    Examples
    --------
    >>> print(Rule(Bound("price", "<=", 100.0), False, (Condition("rooms", "<", 2.0),)))
    price <= 100 if rooms < 2
    """

    target: str
    operator: str
    value: float

    def __str__(self) -> str:
        return f"{_name(self.target)} {self.operator} {_value(self.value)}"

    def __repr__(self) -> str:
        return f"Bound({str(self)!r})"

    @property
    def low(self) -> float:
        """The lowest number that is allowed."""
        if self.operator in ("<", "<="):
            return -math.inf
        return math.nextafter(self.value, math.inf) if self.operator == ">" else self.value

    @property
    def high(self) -> float:
        """The highest number that is allowed."""
        if self.operator in (">", ">="):
            return math.inf
        return math.nextafter(self.value, -math.inf) if self.operator == "<" else self.value

    def excludes(self, other: "Bound") -> bool:
        """Return whether no number is within both bounds.

        Parameters
        ----------
        other : Bound
            The other bound.
        """
        return max(self.low, other.low) > min(self.high, other.high)


@dataclass(frozen=True, repr=False)
class Rule:
    """A rule that every prediction obeys.

    Parameters
    ----------
    label : object
        The class, or the :class:`Bound` of a number.
    negated : bool
        Whether no row that meets the conditions has the label; otherwise every one has.
    conditions : tuple of Condition
        The conditions, which must all be met. The bound of a number may have none.
    alternatives : tuple of tuple of Condition, default=()
        Further conjunctions, joined by "or": it is enough that the conditions of one are met.
    rank : int, default=0
        1 for ``first:``, 2 for ``second:``, 3 for ``third:``; other rules come after these. Where
        two rules contradict each other, the one that comes first decides.
    weight : float or None, default=None
        The number of training rows that a ``likely:`` rule is worth, which examples may overrule;
        ``None`` for a rule that every prediction obeys.

    Examples
    --------
    >>> print(Rule("setosa", True, (Condition("petal length", ">", 3.0),)))
    not setosa if petal length > 3
    >>> either = (Condition("debt", ">", 5.0),), (Condition("status", "=", "A11"),)
    >>> print(Rule("bad", False, *either[:1], either[1:], rank=1))
    first: bad if debt > 5 or status = A11
    """

    label: Any
    negated: bool
    conditions: tuple[Condition, ...]
    alternatives: tuple[tuple[Condition, ...], ...] = ()
    rank: int = 0
    weight: float | None = None

    def __str__(self) -> str:
        either = (" and ".join(map(str, one)) for one in (self.conditions, *self.alternatives))
        prefix = f"{RANKS[self.rank - 1]}: " if self.rank else ""
        if self.weight is not None:
            prefix = "likely: " if self.weight == LIKELY else f"likely {_value(self.weight)}: "
        label = str(self.label) if isinstance(self.label, Bound) else _name(str(self.label))
        head = f"{prefix}{'not ' * self.negated}{label}"
        return f"{head} if {' or '.join(either)}" if self.conditions else head

    def __repr__(self) -> str:
        return f"Rule({str(self)!r})"

    def comes_before(self, other: "Rule") -> bool:
        """Return whether this rule decides where both contradict each other.

        Parameters
        ----------
        other : Rule
            The other rule.
        """
        if self.weight is not None or other.weight is not None:
            return False
        return 0 < self.rank < (other.rank or len(RANKS) + 1)

    def cases(self) -> list[tuple[Condition, ...]]:
        """Return the conjunctions of simple conditions, one of which a row must meet."""
        found: list[tuple[Condition, ...]] = []
        for ours in (self.conditions, *self.alternatives):
            for parts in product(*(one.simple() for one in ours)):
                found.append(tuple(dict.fromkeys(one for part in parts for one in part)))
                if len(found) > MOST_CASES:
                    raise InvalidRule(f"it stands for more than {MOST_CASES:,} conjunctions")
        return list(dict.fromkeys(found))


@dataclass(frozen=True, repr=False)
class MonotoneStatement:
    """A statement that the probability of a class never falls, or never rises, with a column.

    Parameters
    ----------
    label : object
        The class.
    column : str
        The name of a column of numbers or truth values.
    rises : bool
        Whether the probability rises with the column; otherwise it falls.

    Examples
    --------
    >>> print(MonotoneStatement("bad", "debt", True))
    bad rises with debt
    """

    label: Any
    column: str
    rises: bool

    def __str__(self) -> str:
        way = "rises" if self.rises else "falls"
        return f"{_name(str(self.label))} {way} with {_name(self.column)}"

    def __repr__(self) -> str:
        return f"MonotoneStatement({str(self)!r})"


Statement = Rule | MonotoneStatement


_NEGATED = {">": "<=", "<=": ">", ">=": "<", "<": ">=", "=": "!=", "!=": "="}


def negations(condition: Condition) -> list[Condition]:
    """Return conditions of which a row meets one exactly if it does not meet a simple one.

    >>> negations(Condition("debt", ">", 5.0))
    [Condition('debt <= 5'), Condition('debt is missing')]
    """
    if condition.operator in ("missing", "known"):
        other = "known" if condition.operator == "missing" else "missing"
        return [Condition(condition.column, other)]
    names = [condition.column]
    if isinstance(condition.value, ColumnName):
        names.append(str(condition.value))
    sign = _NEGATED[condition.operator]
    other_side = Condition(condition.column, sign, condition.value, condition.written)
    return [other_side, *(Condition(name, "missing") for name in names)]


def condition_of(literal: Literal) -> Condition:
    """Return a literal as a condition of a rule.

    >>> print(condition_of(Literal(0, "city", "in", ("Ulm", "Bad Ems"))))
    city in {Ulm, Bad Ems}
    """
    if literal.operator in ("missing", "present"):
        return Condition(literal.name, "missing" if literal.operator == "missing" else "known")
    if isinstance(literal.value, ColumnName):
        return Condition(literal.name, literal.operator, literal.value, _name(literal.value))
    if literal.operator in (">", "<="):
        sign, value = literal.comparison()
        number = number_in(value)
        assert number is not None
        return Condition(literal.name, SIGNS[sign], number)
    return Condition(literal.name, literal.operator, literal.value)


def joined(clauses: Sequence[Sequence[Condition]]) -> tuple[tuple[Condition, ...], ...]:
    """Join the values that a column must not have: not a, and not b, is not in {a, b}.

    >>> conjunction(joined([[Condition("c", "!=", "a")], [Condition("c", "!=", "b")]]))
    'c not in {a, b}'
    """
    found: dict[Any, tuple[Condition, ...]] = {}
    for i, clause in enumerate(map(tuple, clauses)):
        first, *rest = clause
        is_plain = first.operator in ("!=", "not in") and isinstance(first.value, str | tuple)
        key = (first.column, tuple(rest)) if is_plain else i
        if key in found:
            before = found[key][0]
            values = [one for each in (before, first) for one in _values(each)]
            new = Condition(first.column, "not in", tuple(dict.fromkeys(values)))
            found[key] = (new, *rest)
        else:
            found[key] = clause
    return tuple(found.values())


def _values(condition: Condition) -> tuple[Any, ...]:
    return condition.value if isinstance(condition.value, tuple) else (condition.text,)


def conjunction(clauses: Sequence[Sequence[Condition]]) -> str:
    """Return the conditions of a rule of a scorecard as text; those of one column by "or".

    >>> age = Condition("age", ">", 60.0), Condition("age", "missing")
    >>> conjunction([age]), conjunction([age, [Condition("city", "=", "Ulm")]])
    ('age > 60 or missing', '(age > 60 or missing) and city = Ulm')
    """
    told = [
        " or ".join([first.with_signs, *("missing" for one in rest if one.operator == "missing")])
        for first, *rest in clauses
    ]
    if len(told) > 1:
        told = [
            f"({one})" if len(ours) > 1 else one for one, ours in zip(told, clauses, strict=True)
        ]
    return " and ".join(told)


def parse_conditions(text: str, columns: Sequence[str]) -> tuple[tuple[Condition, ...], ...]:
    """Read the conditions of a rule of a scorecard: those of one column are joined by "or".

    >>> parse_conditions("(age > 60 or missing) and city in {Ulm, Jena}", ["age", "city"])
    ((Condition('age > 60'), Condition('age is missing')), (Condition('city in {Ulm, Jena}'),))
    """
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidRule("it has half of a character (a lone surrogate)")
    return tuple(_Reader(text, columns, (), of_card=True).clauses())


def parse_rules(
    rules: Iterable[str | Statement],
    columns: Sequence[str],
    labels: Sequence[Any],
    doubt: bool = False,
    target: str | None = None,
    chain: Sequence[str] = (),
) -> list[Statement]:
    """Read statements about these columns and labels; with ``doubt``, warn of ambiguous ones.

    With a ``target`` they are about this number, which may also be called "y" and "target". The
    names of a ``chain`` of labels stand for the highest one in monotone statements.

    >>> parse_rules(["not yes if age<18"], ["age"], ["no", "yes"])[0].conditions
    (Condition('age < 18'),)
    """
    if isinstance(rules, str | Statement):
        raise InvalidRule(f"rules must be a list of rules, not {rules!r}")
    parsed: list[Statement] = []
    for i, rule in enumerate(rules):
        try:
            if any("\ud800" <= character <= "\udfff" for character in str(rule)):
                raise InvalidRule("it has half of a character (a lone surrogate)")
            reader = _Reader(str(rule), columns, labels, target=target, chain=chain)
            parsed.append(reader.statement())
        except InvalidRule as error:
            raise InvalidRule(f"rule {i + 1}, {str(rule)!r}: {error}") from None
        read = parsed[-1]
        if doubt and isinstance(rule, str) and isinstance(read, Rule) and read.negated:
            _warn_of_label(rule, read, labels)
    return parsed


def monotone_statements(
    directions: Any, columns: Sequence[str], labels: Sequence[Any], is_chain: bool = False
) -> list[MonotoneStatement]:
    """Return scikit-learn's ``monotonic_cst`` as statements about the second of two classes.

    Of ordered classes, they are about the highest one, and hold for every threshold.

    >>> monotone_statements({"debt": 1, "age": 0}, ["age", "debt"], ["good", "bad"])
    [MonotoneStatement('bad rises with debt')]
    """
    if directions is None:
        return []
    if isinstance(directions, Mapping):
        unknown = [name for name in directions if name not in columns]
        if unknown:
            hint = suggest(unknown[0], columns)
            raise InvalidRule(f"monotonic_cst: there is no column {unknown[0]!r}{hint}")
        ways = [directions.get(name, 0) for name in columns]
    else:
        ways = list(directions)
        if len(ways) != len(columns):
            raise InvalidRule(
                f"monotonic_cst has {len(ways)} entries, and there are {len(columns)} columns"
            )
    odd = [way for way in ways if way not in (-1, 0, 1)]
    if odd:
        raise InvalidRule(f"monotonic_cst must be -1, 0 or 1 for each column, not {odd[0]!r}")
    if len(labels) != 2 and any(ways) and not is_chain:
        raise InvalidRule(
            "monotonic_cst is for two classes: say of which class it is, as in "
            f"rules=['{_name(str(labels[-1]))} rises with {_name(columns[0])}']"
        )
    return [
        MonotoneStatement(labels[-1], name, way > 0)
        for name, way in zip(columns, ways, strict=True)
        if way
    ]


def _warn_of_label(text: str, rule: Rule, labels: Sequence[Any]) -> None:
    """Warn how a rule was read that could be about another label."""
    other = f"not {rule.label}"
    if other in map(str, labels) and text.lstrip().startswith(other):
        warnings.warn(
            f"{text!r} is read as: no such row is {rule.label}; for the label write "
            f"{_quote(other)} in quotes",
            DoubtfulRule,
            stacklevel=3,
        )


def read_rules(path: str | Path) -> list[str]:
    """Return the rules of a text file, one a line; ``#`` begins a comment."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path} is not UTF-8 text: {error}") from None
    return [line for _, line in _lines(text)]


def check_rules_file(path: str | Path, columns: Sequence[str], labels: Sequence[Any]) -> None:
    """Raise an error that names line and column of the first rule that cannot be read."""
    text = Path(path).read_text(encoding="utf-8-sig")
    for number, line in _lines(text):
        try:
            _Reader(line, columns, labels).statement()
        except InvalidRule as error:
            raise InvalidRule(f"{path}:{number}: {error}") from None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    # Not splitlines, which would also break at signs that a quoted name may have, such as U+2028.
    for number, line in enumerate(text.split("\n"), start=1):
        masked = _masked(line)
        end = masked.find("#")
        line = line if end < 0 else line[:end]
        if line.strip():
            yield number, line.rstrip()


class _Reader:
    """A reader of one rule, which finds positions in a copy of the text with masked quotes."""

    def __init__(
        self,
        text: str,
        columns: Sequence[str],
        labels: Sequence[Any],
        of_card: bool = False,
        target: str | None = None,
        chain: Sequence[str] = (),
    ) -> None:
        self.chain = chain
        self.text, self.masked, self.of_card = text, _masked(text), of_card
        self.columns, self.known, self.target = columns, frozenset(columns), target
        if target is not None:
            labels = [target] * (1 + len(TARGETS))
        self.labels = labels
        self.names = [target, *TARGETS] if target is not None else [str(one) for one in labels]

    def statement(self) -> Statement:
        """Return the statement, or raise an error that says what is wrong and where."""
        monotone = self._monotone()
        if monotone is not None:
            return monotone
        prefix = self._prefix()
        begin = 0 if prefix is None else prefix.end()
        if self.target is not None:
            return self._number_rule(prefix, begin)
        split = self._split_label(begin)
        negated, label = self._label(self.text[begin : split.start()].strip())
        first, *others = self._alternatives(split.end(), len(self.text))
        rule = Rule(label, negated, first, tuple(others))
        if prefix is not None and prefix["rank"] == "likely":
            weight = LIKELY if prefix["n"] is None else number_in(prefix["n"])
            if weight is None or not 0 < weight <= MOST_EXACT:
                raise InvalidRule(f"a likely rule is worth a number of rows, not {prefix['n']}")
            rule = replace(rule, weight=float(weight))
        elif prefix is not None:
            rule = replace(rule, rank=RANKS.index(prefix["rank"]) + 1)
        rule.cases()  # not too many
        return rule

    def _number_rule(self, prefix: re.Match[str] | None, begin: int) -> Rule:
        """Return a rule about a number: NAME SIGN NUMBER, with conditions or without."""
        if prefix is not None and prefix["rank"] == "likely":
            raise InvalidRule("a rule about a number cannot be overruled: leave out 'likely:'")
        splits = [*re.compile(r"\s+if\s+").finditer(self.masked, begin), None]
        for split in splits:
            end = len(self.text) if split is None else split.start()
            bound = self._bound(begin, end)
            if bound is None:
                continue
            conditions: list[tuple[Condition, ...]] = [()]
            if split is not None:
                conditions = self._alternatives(split.end(), len(self.text))
            rank = 0 if prefix is None else RANKS.index(prefix["rank"]) + 1
            rule = Rule(bound, False, conditions[0], tuple(conditions[1:]), rank)
            rule.cases()  # not too many
            return rule
        example = f"{_name(self.target or '')} <= 100"
        raise InvalidRule(
            f"a rule about a number is written '{example} if CONDITION and CONDITION ...' or "
            f"'{example}', with one of > >= < <= =, a monotone statement "
            f"'{_name(self.target or '')} rises with COLUMN'"
        )

    def _bound(self, begin: int, end: int) -> Bound | None:
        """Return what stands before the conditions of a rule about a number, if it is a bound."""
        for sign in _SIGN.finditer(self.masked, begin, end):
            name, value = self.text[begin : sign.start()], self.text[sign.end() : end].strip()
            number = number_in(value)
            if _unquoted(name.strip()) not in self.names or number is None:
                continue
            if SIGNS[sign[0]] == "!=" or not abs(number) <= MOST_TARGET:
                raise InvalidRule(f"a number is at most, at least or equal to another, not {value}")
            assert self.target is not None
            return Bound(self.target, SIGNS[sign[0]], float(number) + 0.0)  # there is one zero
        return None

    def _monotone(self) -> MonotoneStatement | None:
        """Return the statement if it is "LABEL rises with COLUMN" or "falls with"."""
        for place in _MONOTONE.finditer(self.masked):
            head = self.text[: place.start()].strip()
            if _unquoted(head) in self.chain and _unquoted(head) not in self.names:
                column = self._column(self.text[place.end() :], place.end())
                return MonotoneStatement(self.labels[-1], column, place["way"] == "rises")
            if _unquoted(head) in self.names or not re.search(r"\s+if\s+", self.masked):
                label = self.labels[self._place(_unquoted(head))]
                column = self._column(self.text[place.end() :], place.end())
                return MonotoneStatement(label, column, place["way"] == "rises")
        return None

    def _prefix(self) -> re.Match[str] | None:
        """Return what stands before the rule, as in "first: ...", unless it is of the label."""
        prefix = _PREFIX.match(self.masked)
        if prefix is None or (prefix["n"] is not None and prefix["rank"] != "likely"):
            return None
        split = re.search(r"\s+if\s+", self.masked)
        whole = "" if split is None else self.text[: split.start()].strip()
        return None if self._find_label(whole)[1] is not None else prefix

    def _split_label(self, begin: int) -> re.Match[str]:
        places = list(re.compile(r"\s+if\s+").finditer(self.masked, begin))
        if not places:
            raise InvalidRule(
                "a rule is written 'LABEL if CONDITION and CONDITION ...', a monotone statement "
                "'LABEL rises with COLUMN' or 'LABEL falls with COLUMN'"
            )
        for place in places:  # a label may have an "if" in it
            if self._find_label(self.text[begin : place.start()].strip())[1] is not None:
                return place
        return places[0]

    def _find_label(self, head: str) -> tuple[bool, int | None]:
        # "not" before a label negates it; a label that begins with "not" can be put in quotes.
        for negated, name in ((True, _after_not(head)), (False, head)):
            if name is not None and _unquoted(name) in self.names:
                return negated, self.names.index(_unquoted(name))
        return False, None

    def _label(self, head: str) -> tuple[bool, Any]:
        negated, place = self._find_label(head)
        if place is not None:
            return negated, self.labels[place]
        name = _unquoted(_after_not(head) or head)
        return False, self.labels[self._place(name)]

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise InvalidRule(f"{name!r} is not a label{suggest(name, self.names)} (character 1)")
        return self.names.index(name)

    def clauses(self) -> Iterator[tuple[Condition, ...]]:
        """Yield the conditions of a rule of a scorecard, those of one column together."""
        for first, last in self._pieces(0, len(self.text), "and"):
            yield self._clause(first, last)

    def _clause(self, start: int, end: int) -> tuple[Condition, ...]:
        text = self.masked[start:end]
        if self.of_card and text.strip().startswith("(") and text.strip().endswith(")"):
            start, end = start + text.index("(") + 1, start + text.rindex(")")
        ending = _OR_MISSING.search(self.masked[start:end]) if self.of_card else None
        if ending is None:
            return (self._condition(start, end),)
        first = self._condition(start, start + ending.start())
        return first, Condition(first.column, "missing")

    def _alternatives(self, start: int, end: int) -> list[tuple[Condition, ...]]:
        """Return the conjunctions that "or" joins; "and" joins more closely, unless in brackets."""
        if (inner := self._inside(start, end)) is not None:
            return self._alternatives(*inner)
        pieces = list(self._pieces(start, end, "or"))
        if len(pieces) > 1:
            return [one for first, last in pieces for one in self._alternatives(first, last)]
        pieces = list(self._pieces(start, end, "and"))
        if len(pieces) > 1:
            each = [self._alternatives(first, last) for first, last in pieces]
            if math.prod(map(len, each)) > MOST_CASES:
                raise InvalidRule(f"it stands for more than {MOST_CASES:,} conjunctions")
            return [tuple(one for part in parts for one in part) for parts in product(*each)]
        return [(self._condition(start, end),)]

    def _inside(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the bounds of what a pair of brackets around the whole text has in it."""
        text = self.masked[start:end]
        begin, stop = len(text) - len(text.lstrip()), len(text.rstrip())
        if stop - begin < 2 or text[begin] != "(" or text[stop - 1] != ")":
            return None
        depth = list(accumulate(_DEPTH.get(sign, 0) for sign in text[begin : stop - 1]))
        return (start + begin + 1, start + stop - 1) if min(depth) > 0 else None

    def _pieces(self, start: int, end: int, join: str) -> Iterator[tuple[int, int]]:
        """Yield the bounds of what "and", or "or", joins outside of brackets."""
        text = self.masked[start:end]
        depth = list(accumulate(_DEPTH.get(sign, 0) for sign in text))
        if self.of_card or (depth and (depth[-1] or min(depth) < 0)):  # no brackets, but a name
            depth = [0] * len(text)
        bounds = [start]
        for place in _JOINS[join].finditer(text):
            if depth[place.start()] == 0:
                bounds += [start + place.start(), start + place.end()]
        bounds.append(end)
        pieces = list(zip(bounds[::2], bounds[1::2], strict=True))
        # The name of a column may have an "and" in it: then a condition is several pieces.
        most = 2 + max(len(_JOINS[join].findall(name)) for name in self.columns)
        at = 0
        while at < len(pieces):
            first, last = pieces[at]
            n = 1
            for i in range(most if at + most <= len(pieces) else len(pieces) - at):
                if self._is_condition(first, pieces[at + i][1]):
                    n, last = i + 1, pieces[at + i][1]
                    break
            at += n
            yield first, last

    def _is_condition(self, start: int, end: int) -> bool:
        try:
            if self.of_card:
                self._clause(start, end)
            else:
                self._alternatives(start, end) if self._inside(start, end) else self._condition(
                    start, end
                )
        except InvalidRule:
            return False
        return True

    def _condition(self, start: int, end: int) -> Condition:
        text, masked = self.text[start:end], self.masked[start:end]
        state = _STATE.match(masked)
        if state is not None:
            name = self._column(text[: state.end("column")], start)
            return Condition(name, state["state"])
        between = None if self.of_card else _BETWEEN.match(masked)
        if between is not None:
            return self._between(text, between, start)
        group = _GROUP.match(masked)
        if group is not None:
            name = self._column(text[: group.end("column")], start)
            first = group.start("values")
            commas = [m.start() for m in re.finditer(",", masked[first : group.end("values")])]
            bounds = [-1, *commas, group.end("values") - first]
            cells = [text[first + a + 1 : first + b].strip() for a, b in pairwise(bounds)]
            if not all(cells):
                raise InvalidRule(f"there is an empty value in {text.strip()!r}")
            return Condition(name, group["sign"], tuple(map(_read_value, cells)))
        sign = _SIGN.search(masked)
        if sign is None:
            how = "; between takes two numbers, the smaller first" * (" between " in masked)
            raise InvalidRule(
                f"{text.strip()!r} is not a condition: a column, one of > >= < <= = != and a "
                "value, 'in {a, b}', 'between 3 and 5', 'is missing' or 'is known'"
                f"{how} (character {start + 1})"
            )
        name = self._column(text[: sign.start()], start)
        value = text[sign.end() :].strip()
        if not value:
            raise InvalidRule(f"there is no value after {name} {sign[0]} (character {end + 1})")
        number, operator = _read_value(value), SIGNS[sign[0]]
        if isinstance(number, str) and operator in (">", ">=", "<", "<=") and number in self.known:
            return Condition(name, operator, ColumnName(number), _name(number))
        # Only numbers are ordered, and 1e2 is 100; but a category may be called 1e2.
        return Condition(name, operator, number, value if operator in ("=", "!=") else "")

    def _between(self, text: str, found: re.Match[str], start: int) -> Condition:
        name = self._column(text[: found.end("column")], start)
        bounds = [text[found.start(one) : found.end(one)] for one in ("low", "high")]
        low, high = map(number_in, bounds)
        if low is None or high is None or low > high or max(abs(low), abs(high)) > LARGEST:
            raise InvalidRule(
                f"between takes two numbers, the smaller one first, not {bounds[0]} and "
                f"{bounds[1]} (character {start + found.start('low') + 1})"
            )
        return Condition(name, "between", (low, high))

    def _column(self, text: str, start: int) -> str:
        name = _unquoted(text.strip())
        if name not in self.known:
            suggestion = suggest(name, self.columns)
            raise InvalidRule(f"there is no column {name!r}{suggestion} (character {start + 1})")
        return name


def _after_not(head: str) -> str | None:
    rest = re.match(r"not\s+(.*)$", head, re.DOTALL)
    return None if rest is None else rest[1].strip()


def _masked(text: str) -> str:
    return _QUOTED.sub(lambda quoted: "\x00" * len(quoted[0]), text)


def _unquoted(text: str) -> str:
    if _QUOTED.fullmatch(text):
        return re.sub(r"\\(.)", lambda one: _ESCAPED.get(one[1], one[1]), text[1:-1])
    return text


def _read_value(text: str) -> Any:
    """Return a number if the text looks like one and is not in quotes."""
    if _QUOTED.fullmatch(text):
        return _unquoted(text)
    number = number_in(text)
    return number if number is not None and abs(number) <= LARGEST else text


def _quote(text: str) -> str:
    """Quote a text; a line break is written as in Python, since a rule of a file is one line."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"{}"'.format(escaped.replace("\n", "\\n").replace("\r", "\\r"))


_WORDS = {"and", "or", "if", "is", "not", "between", "rises", "falls"}
_DEPTH = {"(": 1, "{": 1, ")": -1, "}": -1}


def _name(name: str) -> str:
    """Quote a name where it could be read otherwise."""
    plain = re.fullmatch(r"[^\n\r\"'<>=!≤≥≠#{}]+", name) and name == name.strip()
    plain = plain and name.count("(") == name.count(")") and not name.startswith("(")
    plain = plain and not _PREFIX.match(name)
    words = set(name.split())
    return name if plain and not words & _WORDS else _quote(name)


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_value, value))
    if isinstance(value, str):
        is_plain = _read_value(value) == value and _name(value) == value
        is_plain = is_plain and not set(value) & set("{},")
        return value if is_plain else _quote(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < MOST_EXACT:
        return str(int(value))
    return str(value)
