"""Exceptions and warnings, each with a name of its own, all derived from :class:`AtomlearnError`.

Each class is also the built-in exception that one would expect (``ValueError``, ``TypeError``,
``KeyError``), and each message says what to do next."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from atomlearn.algebra.relations import Conflict


LISTED = 10
"""Maximum number of names that a message lists."""
MOST_COMPARED, LONGEST = 10_000, 100
"""Limits for the search of a similar name: the number of names, and the length of a name."""


def suggest(name: object, known: Iterable[object]) -> str:
    """Return the end of a message about an unknown name: the nearest known name, or the first few.

    >>> suggest("tagret", ["size", "target"])
    "; did you mean 'target'?"
    >>> suggest("colour", ["size", "target"])
    "; there are 'size', 'target'"
    """
    known = list(known)
    listed = ", ".join(map(repr, known[:LISTED])) + ", ..." * (len(known) > LISTED)
    return nearest(name, known) or (f"; there are {listed}" if known else "")


def nearest(name: object, known: Iterable[object]) -> str:
    """Return a suggestion like :func:`suggest`, or nothing if no known name is similar.

    >>> nearest("Strict", ("auto", "strict")), nearest("3", [1, 2, 3]), nearest("b", ["auto"])
    ("; did you mean 'strict'?", '; did you mean 3?', '')
    """
    from difflib import get_close_matches

    by_text = {str(one).casefold(): one for one in known}
    text = str(name).casefold()
    if len(by_text) > MOST_COMPARED or len(text) > LONGEST:
        return ""
    short = [one for one in by_text if len(one) <= LONGEST]
    close = get_close_matches(text, short, n=1, cutoff=0.5 if len(text) < 4 else 0.6)
    return f"; did you mean {by_text[close[0]]!r}?" if close else ""


class AtomlearnError(Exception):
    """Base class of every exception that atomlearn raises on purpose.

    Examples
    --------
    >>> from atomlearn import Algebra, AtomlearnError
    >>> try:
    ...     Algebra()["nothing"]
    ... except AtomlearnError as error:
    ...     print(type(error).__name__)
    UnknownConstant
    """


class InterruptedWarning(UserWarning):
    """Learning or solving was interrupted; the result is what was known by then."""


class InvalidName(AtomlearnError, ValueError):
    """A name that cannot be the name of a constant."""


class NameTooLong(InvalidName):
    """A name of more characters than any file or table should carry."""


class NameNotText(AtomlearnError, TypeError):
    """A name that is not a string."""


class DuplicateConstant(AtomlearnError, ValueError):
    """A constant of this name is already there."""


class UnknownConstant(AtomlearnError, KeyError):
    """There is no constant of this name."""

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0]) if self.args else ""


class ForeignConstant(AtomlearnError, ValueError):
    """A constant, term or relation of another algebra."""


class DifferentConstants(AtomlearnError, ValueError):
    """Two models that are not over the same constants."""


class EmptyTerm(AtomlearnError, ValueError):
    """A term without constants."""


class NotATerm(AtomlearnError, TypeError):
    """Something else where a term was expected."""


class NotARelation(AtomlearnError, TypeError):
    """Something else where a relation was expected."""


class RelationAsTruthValue(AtomlearnError, TypeError):
    """A relation was used as if it were true or false (also by ``a <= b <= c``)."""


class RelationSyntaxError(AtomlearnError, ValueError):
    """Text that is not a relation, or not a list of names."""


class ExpansionTooLarge(RelationSyntaxError):
    """A line with variables that stands for more relations than can be meant."""


class InconsistentRelations(AtomlearnError, ValueError):
    """Raised for negative relations that the positive ones contradict.

    Attributes
    ----------
    conflicts : sequence of Conflict
        The negative relations, each with a derivation.

    Examples
    --------
    >>> from atomlearn import Algebra, InconsistentRelations
    >>> alg = Algebra(["a", "b"])
    >>> alg.add(alg.relation("a < b"), alg.relation("a !< b"))
    >>> try:
    ...     alg.learn()
    ... except InconsistentRelations as error:
    ...     print(error.conflicts[0])
    a !< b fails, because:
      a < b
    """

    def __init__(self, conflicts: Sequence["Conflict"]) -> None:
        self.conflicts = list(conflicts)
        shown = "\n".join(str(conflict) for conflict in self.conflicts[:3])
        more = len(self.conflicts) - 3
        rest = f"\n... and {more} more in .conflicts" if more > 0 else ""
        super().__init__(
            f"{len(self.conflicts):,} negative relation{'s' * (len(self.conflicts) != 1)} cannot "
            f"hold; remove one relation of each list:\n{shown}{rest}"
        )

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.conflicts,)


class ContradictoryGivens(InconsistentRelations):
    """Givens of a puzzle that contradict its rules: the few that clash are in ``givens``."""

    def __init__(self, givens: Sequence[str], conflicts: Sequence["Conflict"]) -> None:
        super().__init__(conflicts)
        self.givens = tuple(givens)
        verb = "contradicts" if len(givens) == 1 else "contradict"
        what = f"{', '.join(givens)} {verb} the rules" if givens else "the rules exclude it"
        shown = "\n".join(str(conflict) for conflict in self.conflicts[:1])
        self.args = (f"there is no solution: {what}.\n{shown}",)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.givens, self.conflicts)


class ContradictoryRules(InconsistentRelations):
    """Two statements of a classifier that cannot both hold; they are in ``rules``.

    The ``reason`` says why, if one of them is monotone; else the conflicts do.
    """

    def __init__(
        self, rules: Sequence[object], conflicts: Sequence["Conflict"], reason: str = ""
    ) -> None:
        super().__init__(conflicts)
        self.rules, self.reason = tuple(rules), reason
        listed = " and ".join(f"'{rule}'" for rule in rules)
        shown = "\n".join(str(conflict) for conflict in self.conflicts[:1])
        self.args = (
            f"{listed} contradict each other: {reason}"
            if reason
            else f"{listed} contradict each other for rows that meet both: add a condition to one "
            "of them, so that no row can, or write 'first:' before the one that decides there.\n"
            f"{shown}",
        )

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.rules, self.conflicts, self.reason)


class ModelTooLarge(AtomlearnError, ValueError):
    """Raised before a model would have more atoms, or take more memory, than allowed.

    Parameters
    ----------
    message : str
        The message.
    estimate : int
        The estimated number of atoms or bytes.
    limit : int
        The number allowed.

    Examples
    --------
    >>> from atomlearn import Algebra, ModelTooLarge
    >>> alg = Algebra(["v", "a", "b"])
    >>> alg.add(alg.relation("v < a b"))
    >>> try:
    ...     alg.freest(max_atoms=2)
    ... except ModelTooLarge:
    ...     print("too large")
    too large
    """

    def __init__(self, message: str, estimate: int, limit: int) -> None:
        super().__init__(message)
        self.estimate = estimate
        self.limit = limit

    def __reduce__(self) -> tuple[type, tuple[str, int, int]]:
        return type(self), (str(self), self.estimate, self.limit)


class FormulaTooLarge(AtomlearnError, ValueError):
    """A formula that would have more parts than anyone can read."""


class ExportTooLarge(AtomlearnError, ValueError):
    """A classifier with more atoms than a program in that language can have."""


class InvalidAtoms(AtomlearnError, ValueError):
    """Rows that cannot be the atoms of a model over these constants."""


class FileFormatError(AtomlearnError, ValueError):
    """A file that cannot be read as what it should be."""


class EmptyFile(FileFormatError):
    """A file with nothing in it."""


class NotText(FileFormatError):
    """A file that should be UTF-8 text and is not."""


class ForeignFile(FileFormatError):
    """A file that atomlearn did not write."""


class DamagedFile(FileFormatError):
    """A file that was atomlearn's and is cut short or altered."""


class NewerFile(FileFormatError):
    """A file from a later version of atomlearn."""


class UnsafeFile(FileFormatError):
    """A file that declares sizes or names that no honest file has."""


class NotEnoughMemory(AtomlearnError, MemoryError):
    """A file that is within its limits, and more than this machine has memory for."""


class NotEnoughDisk(AtomlearnError, OSError):
    """Packed rows that need more room than the disk has."""


class DataNotFound(AtomlearnError, FileNotFoundError):
    """A data set that is not where it was looked for."""


class CheckpointMismatch(AtomlearnError, ValueError):
    """A checkpoint of other data, other constants or another problem."""


class InvalidProblem(AtomlearnError, ValueError):
    """A puzzle that is not well formed: a square off the board, a digit out of range."""


class MissingExtra(AtomlearnError, ImportError):
    """Something that needs a package which is not installed."""


class UnsavableValue(AtomlearnError, TypeError):
    """A label or category of a type that no file has room for."""


class InvalidTable(AtomlearnError, ValueError):
    """A table that cannot be read, or without the columns that are needed."""


class InvalidTarget(InvalidTable):
    """A column to be predicted that does not hold labels of classes."""


class InvalidParameter(AtomlearnError, ValueError):
    """A parameter of a value that cannot be meant."""


class InvalidRule(InvalidParameter):
    """A rule that cannot be read, or that names a column, label or value that is not there."""


class UnfitParts(InvalidTable):
    """Partitions of a table that do not fit together."""


class RowsNotKept(AtomlearnError, ValueError):
    """Raised where a model that was saved without training rows would need some."""


class SchedulerUnreachable(AtomlearnError, ConnectionError):
    """A Dask scheduler that does not answer."""


class WorkersLost(AtomlearnError, RuntimeError):
    """A partition on which one worker after the other died."""


class AtomlearnWarning(UserWarning):
    """The base of every warning atomlearn gives."""


class DoubtfulRelation(AtomlearnWarning):
    """A line of a relation file that is valid and probably not what was meant."""


class DoubtfulRule(AtomlearnWarning):
    """A rule that no row meets, that follows from others, or that leaves no class possible."""


class UnseenCategories(AtomlearnWarning):
    """A column none of whose values was seen in training."""


class MixedColumn(AtomlearnWarning):
    """A column of numbers in which some cells are text."""
