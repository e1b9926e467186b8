"""Formal contexts: which objects have which attributes, and what is true of all of them.

A context is a semilattice given by its atoms (Ganter and Wille, "Formal Concept Analysis", 1999,
in the words of the paper): attributes are constants, and an object is the atom of the attributes it
lacks. An implication between attributes is a positive relation, ``conclusion < premise``.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from atomlearn.algebra.implications import Implication, Kind, bits_of, in_names, of_kind
from atomlearn.algebra.model import Model
from atomlearn.algebra.terms import Vocabulary, parse_names
from atomlearn.errors import (
    AtomlearnError,
    EmptyFile,
    FileFormatError,
    InvalidParameter,
    ModelTooLarge,
    NotText,
    nearest,
)
from atomlearn.files.container import replacing
from atomlearn.markup import Displayed, table
from atomlearn.sets import rows as bits
from atomlearn.sets.rows import Rows

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra

MAX_CONCEPTS = 1_000_000
"""Maximum number of concepts that are listed unless more are asked for."""
CROSSES = frozenset(["x", "1", "true", "yes", "✓", "✗", "×"])
"""Cells of a CSV file that are crosses, in any case; see :data:`NO_CROSSES`."""
NO_CROSSES = frozenset(["", ".", "0", "false", "no", "-"])


@dataclass(frozen=True)
class Concept:
    """Objects and attributes of which each object has each attribute, as many as possible.

    Attributes
    ----------
    extent : tuple of str
        The objects.
    intent : tuple of str
        The attributes.

    Examples
    --------
    >>> context = Context(["dove", "hen"], ["bird", "flies"], [[True, True], [True, False]])
    >>> context.concepts()[0]
    Concept(extent=('dove', 'hen'), intent=('bird',))
    """

    extent: tuple[str, ...]
    intent: tuple[str, ...]


class Context(Displayed):
    """Objects, attributes, and which object has which attribute.

    Parameters
    ----------
    objects : iterable of str
        Names of the objects.
    attributes : iterable of str
        Names of the attributes.
    crosses : sequence of sequences of bool
        For each object, whether it has each attribute.

    Examples
    --------
    >>> context = Context(["dove", "hen"], ["bird", "flies"], [[True, True], [True, False]])
    >>> context
    <Context: 2 objects, 2 attributes>
    >>> context.n_concepts
    2
    >>> print(*context.implications())
    always bird
    """

    def __init__(
        self,
        objects: Iterable[str],
        attributes: Iterable[str],
        crosses: Sequence[Sequence[bool]] | np.ndarray,
    ) -> None:
        self.objects, self.attributes = tuple(objects), tuple(attributes)
        shape = (len(self.objects), len(self.attributes))
        self.crosses = np.array(crosses, dtype=np.bool_)
        if not self.crosses.size and 0 in shape:
            self.crosses = self.crosses.reshape(shape)
        if self.crosses.shape != shape:
            raise InvalidParameter(
                f"crosses of shape {self.crosses.shape} for {shape[0]} objects and {shape[1]} "
                "attributes; give one row an object"
            )
        Vocabulary(self.attributes)  # refuses a name that is there twice, or is no name
        Vocabulary(self.objects)

    # -- made from others, and into others

    @classmethod
    def read(cls, path: str | Path) -> "Context":
        """Read a context from a file.

        Parameters
        ----------
        path : str or Path
            A file ``.cxt`` (Burmeister's format), or CSV: attributes in the first line, then a line
            for each object with its name and a cross (``x``, ``1``, ``yes``) or nothing a cell.
        """
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise NotText(f"{path} is not UTF-8 text") from None
        read = _read_burmeister if text.lstrip().startswith("B\n") else _read_csv
        return read(text.replace("\r\n", "\n"), str(path))

    def write(self, path: str | Path) -> None:
        """Write the context to a file.

        Parameters
        ----------
        path : str or Path
            The file: CSV if it ends with ``.csv``, else Burmeister's format (``.cxt``).
        """
        as_csv = Path(path).suffix.lower() == ".csv"
        with replacing(path) as file:
            file.write((_to_csv(self) if as_csv else _to_burmeister(self)).encode())

    @classmethod
    def from_model(cls, model: Model) -> "Context":
        """Return the context of a model: atoms are objects, with the attributes they lack.

        Parameters
        ----------
        model : Model
            The model.
        """
        names = [f"atom {i}" for i in range(1, model.n_atoms + 1)]
        return cls(names, model.names, ~bits.unpack(model.rows, model.n_constants))

    def to_model(self) -> Model:
        """Return the model whose atoms are the objects, each in the attributes it lacks."""
        return Model(Vocabulary(self.attributes, by_name=True), bits.pack(~self.crosses))

    def to_algebra(self) -> "Algebra":
        """Return the attributes as constants, with the canonical base as relations."""
        from atomlearn.algebra.algebra import Algebra

        algebra = Algebra(self.attributes)
        for implication in self.implications():
            algebra.add(implication.relations(algebra))
        return algebra

    # -- what it says

    def concepts(self, *, max_concepts: int = MAX_CONCEPTS) -> list[Concept]:
        """Return all concepts, the most general first.

        Parameters
        ----------
        max_concepts : int, default=1000000
            Maximum number of concepts.

        Raises
        ------
        ModelTooLarge
            If there are more.
        """
        found = bits.unpack(self.intents(max_concepts=max_concepts), len(self.attributes))
        order = np.argsort(found.sum(axis=1), kind="stable")
        return [self._concept(intent) for intent in found[order]]

    @property
    def n_concepts(self) -> int:
        """Number of concepts."""
        return len(self.intents())

    def intents(self, *, max_concepts: int = MAX_CONCEPTS) -> Rows:
        """Return the attributes of all concepts, as packed rows.

        Parameters
        ----------
        max_concepts : int, default=1000000
            Maximum number of concepts.
        """
        from atomlearn.sets.intents import list_intents

        found = list_intents(*self._columns, bits.width(len(self.attributes)), max_concepts)
        return _limited(found, len(found) > max_concepts, max_concepts)

    def implications(
        self, kind: Kind = "canonical", *, max_sets: int = MAX_CONCEPTS
    ) -> list[Implication]:
        """Return a base of the implications that hold for all objects.

        Parameters
        ----------
        kind : {"canonical", "short"}, default="canonical"
            The canonical base, or one with as many implications and no superfluous name.
        max_sets : int, default=1000000
            Maximum number of sets that are visited, which are the concepts and the premises.

        Raises
        ------
        ModelTooLarge
            If there are more.
        """
        from atomlearn.sets.intents import canonical_base

        width = bits.width(len(self.attributes))
        premises, closures = canonical_base(*self._columns, width, max_sets)
        _limited(premises, premises.shape[1] < width, max_sets)
        sides = ([bits_of(bits.members(row).tolist()) for row in r] for r in (premises, closures))
        return in_names(of_kind(list(zip(*sides, strict=True)), kind), self.attributes)

    def explore(self, oracle: "Oracle | None" = None) -> "Exploration":
        """Ask which implications hold in general, and learn from counterexamples.

        Attribute exploration (Ganter 1984): each implication that holds for the objects so far is
        put to someone who knows. It is accepted, or an object is added that contradicts it. In the
        end the accepted implications are the canonical base of all there is to know, and the
        objects are enough to refute every other implication.

        Parameters
        ----------
        oracle : callable, default=None
            A function that is given an :class:`Implication` and returns ``True``, or a
            counterexample: the name of an object and its attributes. Without it a person is asked
            with ``input``, in a terminal or a notebook.

        Returns
        -------
        Exploration
            The accepted implications, and the context with the counterexamples.

        Examples
        --------
        >>> start = Context(["hen"], ["bird", "flies"], [[True, False]])
        >>> result = start.explore(lambda implication: ("bat", ["flies"]))
        >>> result.implications, result.context.objects
        ([], ('hen', 'bat'))
        """
        from atomlearn.sets.intents import close_in_context, next_preclosed

        context, n = self, len(self.attributes)
        ask = ask_person if oracle is None else oracle
        accepted: list[Implication] = []
        premises = closures = bits.empty(0, n)
        row = bits.empty(1, n)[0]
        while True:
            closed = close_in_context(*context._columns, row)
            if (closed != row).any():
                asked = Implication(context._names(row), context._names(closed & ~row))
                answer = ask(asked)
                if answer is not True:
                    try:
                        context = context._with(asked, accepted, answer)
                    except InvalidParameter as error:
                        if oracle is not None:
                            raise
                        print(error)  # a person is asked again
                    continue
                accepted.append(asked)
                premises, closures = np.vstack([premises, row]), np.vstack([closures, closed])
            if not next_preclosed(row, n, premises, closures):
                return Exploration(accepted, context)

    # -- inside

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Context):
            return NotImplemented
        same = (self.objects, self.attributes) == (other.objects, other.attributes)
        return same and bool((self.crosses == other.crosses).all())

    def __hash__(self) -> int:
        return hash((self.objects, self.attributes, self.crosses.tobytes()))

    def __repr__(self) -> str:
        return f"<Context: {len(self.objects)} objects, {len(self.attributes)} attributes>"

    def _html(self) -> str:
        rows = [
            [name, *("×" if cross else "" for cross in row)]
            for name, row in zip(self.objects[:50], self.crosses, strict=False)
        ]
        return table(["", *self.attributes], rows)

    @cached_property
    def _columns(self) -> tuple[Rows, Rows]:
        """The packed set of objects of each attribute, and of all objects."""
        return bits.pack(np.ascontiguousarray(self.crosses.T)), bits.full(len(self.objects))

    def _names(self, row: Rows) -> tuple[str, ...]:
        return tuple(self.attributes[i] for i in bits.members(row).tolist())

    def _concept(self, intent: np.ndarray) -> Concept:
        extent = self.crosses[:, intent].all(axis=1)
        return Concept(
            tuple(self.objects[i] for i in np.flatnonzero(extent)),
            tuple(self.attributes[i] for i in np.flatnonzero(intent)),
        )

    def _with(
        self, asked: Implication, accepted: list[Implication], answer: "bool | Counterexample"
    ) -> "Context":
        """Return the context with a counterexample, which has to be one."""
        if isinstance(answer, bool):
            raise InvalidParameter(f"{asked} was denied without a counterexample: return its name "
                                   "and its attributes")  # fmt: skip
        name, given = answer
        has = set(given)
        for attribute in has - set(self.attributes):
            raise InvalidParameter(
                f"there is no attribute {attribute!r}{nearest(attribute, self.attributes)}"
            )
        if name in self.objects:
            raise InvalidParameter(f"there is already an object {name!r}")
        if not has.issuperset(asked.premise) or has.issuperset(asked.conclusion):
            raise InvalidParameter(f"{name!r} does not contradict {asked}")
        for one in accepted:
            if has.issuperset(one.premise) and not has.issuperset(one.conclusion):
                raise InvalidParameter(f"{name!r} contradicts {one}, which was accepted")
        row = [attribute in has for attribute in self.attributes]
        return Context([*self.objects, name], self.attributes, np.vstack([self.crosses, row]))


@dataclass(frozen=True)
class Exploration:
    """The end of an attribute exploration.

    Attributes
    ----------
    implications : list of Implication
        The implications that were accepted: all that hold follow from them.
    context : Context
        The objects, with the counterexamples that were given.

    Examples
    --------
    >>> Context([], ["bird", "flies"], []).explore(lambda implication: True).implications
    [<Implication: always bird flies>]
    """

    implications: list[Implication]
    context: Context


Counterexample = tuple[str, Iterable[str]]
Oracle = Callable[[Implication], "bool | Counterexample"]


def ask_person(implication: Implication) -> "bool | Counterexample":
    """Ask a person whether an implication holds, and for a counterexample if not."""
    having = (
        f"everything that is {' and '.join(implication.premise)}"
        if implication.premise
        else "everything"
    )
    question = f"Is {having} also {' and '.join(implication.conclusion)}? (yes or no) "
    while (answer := input(question).strip().lower()) not in ("y", "yes", "n", "no"):
        pass
    if answer.startswith("y"):
        return True
    name = input("What is a counterexample called? ").strip()
    text = input("Its attributes, separated by commas: ")
    given = [part.strip() for part in text.split(",")] if "," in text else parse_names(text)
    return name, [attribute for attribute in given if attribute]


def _limited(found: Rows, too_many: bool, limit: int) -> Rows:
    if too_many:
        message = f"more than {limit:,} concepts; leave out attributes, or raise the limit"
        raise ModelTooLarge(message, limit + 1, limit)
    return found


def _read_burmeister(text: str, path: str) -> Context:
    """Read ``B``, a title, two counts, the names of both, and rows of ``X`` and ``.``."""
    lines = text.lstrip().removesuffix("\n").split("\n")
    untitled = len(lines) > 2 and all(line.strip().isdecimal() for line in lines[1:3])
    at = 1 if untitled else 2
    counts = [line.strip() for line in lines[at : at + 2]]
    if len(counts) < 2 or not all(c.isdecimal() and len(c) < 10 for c in counts):
        raise FileFormatError(f"{path}:{at + 1}: expected the numbers of objects and attributes")
    n_objects, n_attributes = map(int, counts)
    at += 2
    at += at < len(lines) and not lines[at].strip()
    needed = 2 * n_objects + n_attributes
    if len(lines) < at + needed:
        raise FileFormatError(f"{path}: {n_objects} objects and {n_attributes} attributes need "
                              f"{needed} lines after line {at}, not {len(lines) - at}")  # fmt: skip
    names = [line.strip() for line in lines[at : at + n_objects + n_attributes]]
    crosses = []
    for number, line in enumerate(lines[at + len(names) : at + needed], start=at + len(names) + 1):
        row = line.strip()
        for column, sign in enumerate(row, start=1):
            if sign not in "Xx.":
                raise FileFormatError(
                    f"{path}:{number}: column {column}: expected X or ., not {sign!r}"
                )
        if len(row) != n_attributes:
            raise FileFormatError(
                f"{path}:{number}: {len(row)} signs for {n_attributes} attributes"
            )
        crosses.append([sign != "." for sign in row])
    return _made(path, names[:n_objects], names[n_objects:], crosses)


def _read_csv(text: str, path: str) -> Context:
    head = re.sub(r'"[^"]*"', "", text.partition("\n")[0])  # signs in quotes are of a name
    delimiter = max(",;\t", key=head.count)
    rows = [
        (number, [cell.strip() for cell in row])
        for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=delimiter), start=1)
        if any(cell.strip() for cell in row)
    ]
    if not rows or len(rows[0][1]) < 2:
        raise EmptyFile(f"{path} has no attributes; its first line has their names after a comma")
    attributes = rows[0][1][1:]
    crosses = []
    for number, (_, *cells) in rows[1:]:
        if len(cells) != len(attributes):
            raise FileFormatError(
                f"{path}:{number}: {len(cells)} cells for {len(attributes)} attributes"
            )
        for name, cell in zip(attributes, cells, strict=True):
            if cell.lower() not in CROSSES | NO_CROSSES:
                raise FileFormatError(f"{path}:{number}: {cell!r} in column {name!r} is no cross; "
                                      "write x, or nothing")  # fmt: skip
        crosses.append([cell.lower() in CROSSES for cell in cells])
    return _made(path, [row[0] for _, row in rows[1:]], attributes, crosses)


def _made(
    path: str, objects: list[str], attributes: list[str], crosses: list[list[bool]]
) -> Context:
    if not attributes:
        raise EmptyFile(f"{path} has no attributes")
    try:
        return Context(objects, attributes, crosses)
    except AtomlearnError as error:
        raise FileFormatError(f"{path}: {error}") from None


def _check_names(context: Context, kind: str) -> None:
    """Raise an error for a name that would be read back as another one."""
    for name in (*context.objects, *context.attributes):
        if not name.isprintable() or name != name.strip():
            raise FileFormatError(f"the name {name!r} does not fit on a line of a {kind} file")


def _to_burmeister(context: Context) -> str:
    _check_names(context, ".cxt")
    rows = ["".join("X" if cross else "." for cross in row) for row in context.crosses]
    counts = [str(len(context.objects)), str(len(context.attributes))]
    lines = ["B", "", *counts, "", *context.objects, *context.attributes, *rows]
    return "\n".join(lines) + "\n"


def _to_csv(context: Context) -> str:
    _check_names(context, ".csv")
    written = io.StringIO()
    # Quotes, unless no name has what could be taken for the sign between two cells.
    is_plain = not set("".join((*context.objects, *context.attributes))) & set(',;"')
    quoted: Literal[0, 1] = csv.QUOTE_MINIMAL if is_plain else csv.QUOTE_ALL
    writer = csv.writer(written, lineterminator="\n", quoting=quoted)
    writer.writerow(["", *context.attributes])
    for name, row in zip(context.objects, context.crosses, strict=True):
        writer.writerow([name, *("X" if cross else "" for cross in row)])
    return written.getvalue()
