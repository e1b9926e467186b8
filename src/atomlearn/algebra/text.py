"""Names, terms and relations as text, the same in files, on the command line and in ``repr``.

Names are separated by blanks; ``<`` (or ``<=``) is a positive relation and ``!<`` a negative one;
``#`` starts a comment. A name with blanks, quotes, ``<`` or ``#`` in it is written in double quotes
with the escapes of JSON; single quotes are read as well.
"""

import json
import re
from collections.abc import Iterator

from atomlearn.errors import RelationSyntaxError
from atomlearn.markup import visible as visible

ParsedRelation = tuple[list[str], bool, list[str]]
"""The left names, whether the relation is positive, and the right names."""

SIGNLIKE = frozenset(["!", "not", "Not", "NOT", "~", "¬", "="])
"""Names that read like a part of ``!<`` or ``<=`` and are therefore written in quotes."""

_TOKEN = re.compile(
    r"""(?P<blank>\s+) | (?P<sign>!?<=?) | (?P<comment>\#) | (?P<quoted>["'])
      | (?P<bare>[^\s<\#"]+)""",
    re.VERBOSE,
)
"""The beginning of a token; a pattern for a whole quoted name would backtrack everywhere."""

_BARE = re.compile(r"""[^\s<\#"'=][^\s<\#"]*""")


def write_name(name: str) -> str:
    r"""Return a name as it stands in a file, quoted if necessary.

    >>> print(write_name("c1"), write_name("top left"), write_name('5"'))
    c1 "top left" "5\""
    """
    if name.isprintable() and _BARE.fullmatch(name) and name not in SIGNLIKE:
        return name
    return visible(json.dumps(name, ensure_ascii=False))


def write_names(names: list[str] | tuple[str, ...]) -> str:
    """Return names separated by blanks."""
    return " ".join(map(write_name, names))


def parse_names(text: str) -> list[str]:
    """Return the names in a text.

    >>> parse_names('c1 "top left" c2')
    ['c1', 'top left', 'c2']
    """
    names: list[str] = []
    for kind, token, column in _tokens(text):
        if kind == "sign":
            raise _error(f"{token} where only names were expected", text, column)
        names.append(token)
    return names


def parse_relation(text: str) -> ParsedRelation | None:
    """Return the relation in a text, or ``None`` if it has only blanks and a comment.

    >>> parse_relation("v !< c4 c5  # no bar")
    (['v'], False, ['c4', 'c5'])
    """
    plain = _parse_plain(text)
    if plain is not None:
        return plain
    sides: tuple[list[str], list[str]] = ([], [])
    sign: str | None = None
    for kind, token, column in _tokens(text):
        if kind != "sign":
            sides[sign is not None].append(token)
        elif sign is not None:
            raise _error("a second < in one relation; write one relation a line", text, column)
        elif not sides[0]:
            raise _error(f"no name before {token}", text, column)
        else:
            sign = token
    if sign is None:
        if not sides[0]:
            return None
        raise _error("no < or !< between two lists of names", text, len(text.rstrip()))
    if not sides[1]:
        raise _error(f"no name after {sign}", text, len(text.rstrip()))
    return sides[0], not sign.startswith("!"), sides[1]


def _parse_plain(text: str) -> ParsedRelation | None:
    """Parse text without quotes and comments several times faster; else return ``None``."""
    if text.count("<") != 1 or '"' in text or "'" in text or "#" in text:
        return None
    before, after = text.split("<")
    positive = not before.endswith("!")
    left = (before if positive else before[:-1]).split()
    right = after.removeprefix("=").split()
    return (left, positive, right) if left and right else None


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield names (unquoted) and signs, with their columns from 0."""
    at, after_name = 0, False
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None  # every character begins one
        kind, end = str(match.lastgroup), match.end()
        if after_name and kind in ("quoted", "bare", "comment"):
            raise _error(
                f"{text[at]} inside a name; put the whole name in quotes, "
                "or a blank before what follows it",
                text,
                at,
            )
        if kind == "comment":
            return
        if kind == "quoted":
            end = _end_of_quoted(text, at)
            yield kind, _unquote(text[at:end], text, at), at
        elif kind == "bare":
            end -= text.startswith("!<", end - 1)
            yield kind, text[at:end], at
        elif kind != "blank":
            yield kind, text[at:end], at
        at, after_name = end, kind in ("quoted", "bare")


def _end_of_quoted(text: str, at: int) -> int:
    """Return the position at which a quoted name ends."""
    end = at
    while True:
        end = text.find(text[at], end + 1)
        if end < 0:
            raise _error("a quoted name that does not end", text, at)
        before = end - 1
        while text[before] == "\\":
            before -= 1
        if (end - before) % 2:  # an even number of backslashes, which escape each other
            return end + 1


def _unquote(token: str, text: str, column: int) -> str:
    inner = token[1:-1]
    if token[0] == "'":
        as_json = {"\\'": "'", '"': '\\"'}
        inner = re.sub(
            r"\\.|\"", lambda m: as_json.get(m.group(), m.group()), inner, flags=re.DOTALL
        )
    try:
        name = json.loads(f'"{inner}"', strict=False)
    except ValueError:
        raise _error("an escape in a quoted name that JSON does not have", text, column) from None
    if not name:
        raise _error("an empty name", text, column)
    return str(name)


def _error(problem: str, text: str, column: int) -> RelationSyntaxError:
    shown = text.strip()
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return RelationSyntaxError(f"column {column + 1}: {problem}: {shown!r}")
