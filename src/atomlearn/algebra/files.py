"""Files of relations (text) and of models (``.atoms``).

A model file is a container of kind ``model`` with three members: ``constants.json``, the names;
``atoms.npy``, the indices of the constants that contain the first atom, then of the second, ...;
``offsets.npy``, where each atom begins, and the end. To read one without atomlearn::

    with zipfile.ZipFile("m.atoms") as z:
        names = json.loads(z.read("constants.json"))
        atoms, offsets = (np.load(io.BytesIO(z.read(f"{m}.npy"))) for m in ("atoms", "offsets"))
    first = [names[i] for i in atoms[offsets[0] : offsets[1]]]
"""

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.model import Model
from atomlearn.algebra.relations import Line
from atomlearn.algebra.statements import Statements
from atomlearn.algebra.terms import (
    SIGNLIKE,
    ParsedRelation,
    Vocabulary,
    parse_relation,
    write_name,
)
from atomlearn.errors import (
    AtomlearnError,
    DoubtfulRelation,
    EmptyFile,
    NotText,
    RelationSyntaxError,
)
from atomlearn.files.container import VARIABLE, Budget, Container, replacing
from atomlearn.files.load import Members
from atomlearn.sets import rows as bits
from atomlearn.sets.rows import lists_of, to_rows

FEWEST_LETTERS, MOST_LETTERS = 3, 40
"""Only names with a length in this range are compared: short ones are similar by chance."""

MOST_NAMES = 20_000
"""Maximum number of names that are compared; a file with more was written by a program."""


def doubtful_name(text: str, parsed: ParsedRelation) -> str | None:
    """Return a name in a line that was probably meant as a sign, unless it is quoted.

    >>> doubtful_name("a ! < b", (["a", "!"], True, ["b"]))
    '!'
    """
    left, positive, right = parsed
    for name in (*left, *right):
        in_front = positive and name is left[-1] and name.endswith("!")
        is_quoted = f'"{name}"' in text or f"'{name}'" in text
        if (in_front or name in SIGNLIKE) and not is_quoted:
            return name
    return None


def lookalikes(mentions: Mapping[str, int]) -> list[tuple[str, str]]:
    """Names that occur once and differ by a letter from just one other, which occurs more often.

    Names that differ in a digit are numbered, and names with several neighbours are a family.

    >>> lookalikes({"colour": 5, "coluor": 1, "c1": 9, "c2": 1})
    [('coluor', 'colour')]
    """
    if len(mentions) > MOST_NAMES:
        return []
    names = [name for name in mentions if FEWEST_LETTERS <= len(name) <= MOST_LETTERS]
    near: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for short in (name, *_shortened(name)):
            near[short].add(name)
    found = []
    for name in names:
        if mentions[name] == 1:
            others = {o for short in (name, *_shortened(name)) for o in near[short]} - {name}
            close = [other for other in others if _differ_by_a_letter(name, other)]
            if len(close) == 1 and mentions[close[0]] > 1:
                found.append((name, close[0]))
    return found


def _shortened(name: str) -> Iterable[str]:
    return (name[:i] + name[i + 1 :] for i in range(len(name)))


def _differ_by_a_letter(one: str, other: str) -> bool:
    """Return whether one letter is replaced, left out, added, or swapped with the next."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    a, b = one[start:], other[start:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    letters = (a + b).isalpha()
    return letters and ((len(a) <= 1 and len(b) <= 1) or (len(a) == 2 and a == b[::-1]))


MAX_LINE = 1 << 24
"""Maximum number of bytes in a line; a file with longer lines is not a relation file."""

MOST_WARNINGS = 10
"""Maximum number of warnings about similar names in one file."""

_BOM = b"\xef\xbb\xbf"


def read_relations(path: str | Path) -> Algebra:
    """Read a relation file; constants are created in the order they are mentioned.

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
        for found, (left, positive, right) in iterate_relations(file, str(path)):
            line = found if isinstance(found, Line) else Line(found)
            if not line.text:  # a name that a program makes of variables is not misspelt
                for name in (*left, *right):
                    line_of.setdefault(name, line.number)
                mentions.update(left)
                mentions.update(right)
            try:
                relation = algebra.state(left, positive, right)
            except AtomlearnError as error:
                raise RelationSyntaxError(f"{path}:{line.number}: {error}") from None
            algebra.add(relation)
            algebra.remember_line(relation, line)
    if not algebra.n_constants:
        raise EmptyFile(f"{path} has no relations; write for example: v < c1 c2")
    for name, other in lookalikes(mentions)[:MOST_WARNINGS]:
        _warn(f"{path}:{line_of[name]}: {name!r} occurs only here; is it meant to be {other!r}?")
    return algebra


def iterate_relations(file: BinaryIO, path: str) -> Iterator[tuple[int | Line, ParsedRelation]]:
    """Line numbers (from 1) and relations, read as they are asked for.

    A line with variables has many relations; its text comes with the number.
    """
    number, statements = 0, Statements()
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
            if statements.understands(text):
                yield from _many(statements, text, number, where)
                continue
            parsed = parse_relation(text)
        except RelationSyntaxError as error:
            raise type(error)(f"{where}: {error}") from None
        if parsed is not None:
            doubtful = doubtful_name(text, parsed)
            if doubtful is not None:
                _warn(
                    f"{where}: {doubtful!r} is read as the name of a constant; a negative relation "
                    f'is written a !< b (and a constant of that name in quotes: "{doubtful}")'
                )
            yield number, parsed


def _many(
    statements: Statements, text: str, number: int, where: str
) -> Iterator[tuple[Line, ParsedRelation]]:
    """Yield the relations of a line with variables or sets."""
    doubts: list[str] = []
    line = Line(number, text.strip())
    for parsed in statements.relations(text, doubts):
        yield line, parsed
    for doubt in doubts:
        _warn(f"{where}: {doubt}")


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


KIND = "model"
VERSION = 1


def write_model(model: Model, path: str | Path) -> None:
    """Write a model to a file."""
    container = Container(KIND, VERSION, {"constants": model.n_constants, "atoms": model.n_atoms})
    lists = lists_of([atom.indices for atom in model.atoms])
    container.add_json("constants.json", list(model.names))
    container.add_array("atoms.npy", lists.constants)
    container.add_array("offsets.npy", lists.starts)
    container.write(path)
    budget, needed = Budget.of(path), _row_bytes(model.n_atoms, model.n_constants)
    if needed > budget.allowed // 2:  # the other half is for the names and lists
        warnings.warn(
            f"{path} is a small file of a large model: whoever loads it has to set {VARIABLE} to "
            f"{2 * needed}",
            stacklevel=3,
        )


def get_model(file: Members) -> Model:
    """Read a model."""
    names = file.json("constants.json").texts()
    n = len(names)
    atoms = file.lists("offsets.npy", "atoms.npy", n)
    file.spend(_row_bytes(atoms.n, n), f"{atoms.n:,} atoms over {n:,} constants")
    vocabulary = Vocabulary(names, by_name=True)
    return Model(vocabulary, to_rows(atoms, n))


def _row_bytes(n_atoms: int, n_constants: int) -> int:
    """Return the memory of the atoms as rows, three times: they are sorted to find duplicates."""
    return 24 * n_atoms * bits.width(n_constants)
