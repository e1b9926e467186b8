"""Relation files (``.rel``): one relation a line, as in :mod:`atomlearn.algebra.syntax`; UTF-8."""

import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.doubts import doubtful_name, lookalikes
from atomlearn.algebra.relations import Relation
from atomlearn.algebra.syntax import ParsedRelation, parse_relation, write_name
from atomlearn.algebra.terms import Term
from atomlearn.errors import (
    AtomlearnError,
    DoubtfulRelation,
    EmptyFile,
    NotText,
    RelationSyntaxError,
)
from atomlearn.files.replacing import replacing

MAX_LINE = 1 << 24
"""Bytes in a line. More is not a relation file."""

MOST_WARNINGS = 10
"""Names that are said to look like others, of one file."""

_BOM = b"\xef\xbb\xbf"


def read_relations(path: str | Path) -> Algebra:
    """The algebra of a relation file. Constants are made in the order they are mentioned.

    Every error names the file and the line. A file without a single relation is an error too: it
    is nearly always one that failed to be written. Lines that are probably not what was meant are
    read as they stand, with a :class:`~atomlearn.errors.DoubtfulRelation` warning.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "bars.rel"
    >>> _ = path.write_text("v < c1 c2   # a bar\\nv !< c1")
    >>> read_relations(path)
    <Algebra: 1 positive and 1 negative relations over 3 constants>
    """
    algebra = Algebra()
    mentions: Counter[str] = Counter()
    line_of: dict[str, int] = {}
    with Path(path).open("rb") as file:
        for number, (left, positive, right) in iterate_relations(file, str(path)):
            for name in (*left, *right):
                line_of.setdefault(name, number)
            mentions.update(left)
            mentions.update(right)
            try:
                relation = Relation(_term(algebra, left), _term(algebra, right), positive)
            except AtomlearnError as error:
                raise RelationSyntaxError(f"{path}:{number}: {error}") from None
            algebra.add(relation)
    if not algebra.n_constants:
        raise EmptyFile(f"{path} has no relations; write for example: v < c1 c2")
    for name, other in lookalikes(mentions)[:MOST_WARNINGS]:
        _warn(f"{path}:{line_of[name]}: {name!r} occurs only here; is it meant to be {other!r}?")
    return algebra


def iterate_relations(file: BinaryIO, path: str) -> Iterator[tuple[int, ParsedRelation]]:
    """Line numbers (from 1) and relations, read as they are asked for."""
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(_BOM)
        where = f"{path}:{number}"
        if len(line) > MAX_LINE:
            raise NotText(f"{where}: a line of more than {MAX_LINE:,} bytes; is it a text file?")
        if b"\0" in line:
            raise NotText(f"{where}: not text (it has zero bytes); relation files are UTF-8")
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise NotText(f"{where}: not UTF-8 (byte {error.start + 1} of the line)") from None
        try:
            parsed = parse_relation(text)
        except RelationSyntaxError as error:
            raise RelationSyntaxError(f"{where}: {error}") from None
        if parsed is not None:
            doubtful = doubtful_name(text, parsed)
            if doubtful is not None:
                _warn(
                    f"{where}: {doubtful!r} is read as the name of a constant; a negative relation "
                    f'is written a !< b (and a constant of that name in quotes: "{doubtful}")'
                )
            yield number, parsed


def write_relations(algebra: Algebra, path: str | Path) -> None:
    """Write the relations of an algebra, replacing an older file at once.

    A constant that is in no relation is written as ``x < x``, which says nothing but that it is
    there. An algebra without constants has nothing to write.
    """
    if not algebra.n_constants:
        raise EmptyFile("nothing to write: the algebra has no constants")
    mentioned: set[int] = set()
    with replacing(path) as file:
        for relation in algebra.relations:
            mentioned.update(relation.left.indices, relation.right.indices)
            file.write(f"{relation}\n".encode())
        for i, name in enumerate(algebra.names):
            if i not in mentioned:
                file.write(f"{write_name(name)} < {write_name(name)}\n".encode())


def _warn(message: str) -> None:
    warnings.warn(message, DoubtfulRelation, stacklevel=4)


def _term(algebra: Algebra, names: list[str]) -> Term:
    fresh = [name for name in dict.fromkeys(names) if name not in algebra]
    if fresh:
        algebra.constants(*fresh)
    return algebra.term(names)
