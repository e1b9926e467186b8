"""What the engine is given: relations as packed rows, limits of memory, and how an epoch is run.

Every place where this library does something else than the paper, or where the paper can be read in
more than one way, is one field of :class:`Protocol`. ``LETTER`` is the paper, ``DEFAULT`` is ours;
``dataclasses.replace`` makes anything in between, so that it can be measured what each change is
worth (``docs/results/bars``, ``docs/results/mnist``, ``docs/results/queens``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple, get_args, get_type_hints

from atomlearn.errors import InvalidParameter, ModelTooLarge, nearest
from atomlearn.sets.rows import Rows, width


@dataclass(frozen=True, eq=False)
class PackedRelations:
    """All relations of an algebra as bit rows, the input of the learning engine.

    Each side is ``(n_relations, width(n_constants))``, C-contiguous: row ``i`` of ``positive_left``
    and ``positive_right`` are the two terms of the ``i``-th positive relation.
    """

    n_constants: int
    positive_left: Rows
    positive_right: Rows
    negative_left: Rows
    negative_right: Rows


DEFAULT_LIMIT = 50_000
"""Default limit of the number of atoms; a crossing then takes some seconds on one core."""

DEFAULT_BYTES = 2 << 30
"""Default limit of the bytes for the rows of a model, or for learning one."""


def check_size(n_atoms: int, n_constants: int, limit: int | None, what: str) -> None:
    """Raise an error if there would be more atoms than ``limit`` (``None``: the default).

    >>> check_size(10**9, 10, None, "crossing a < b")
    Traceback (most recent call last):
    ...
    atomlearn.errors.ModelTooLarge: crossing a < b would make up to 1,000,000,000 atoms ...
    """
    allowed = DEFAULT_LIMIT if limit is None else limit
    n_bytes = 8 * n_atoms * width(n_constants)
    if n_atoms > allowed or (limit is None and n_bytes > DEFAULT_BYTES):
        raise ModelTooLarge(
            f"{what} would make up to {n_atoms:,} atoms over {n_constants:,} constants "
            f"({n_bytes / 2**20:,.0f} MiB); the limit is {allowed:,} atoms: raise it with "
            f"max_atoms={n_atoms}, or use learn(), which keeps models small",
            estimate=n_atoms,
            limit=allowed,
        )


def check_learning(
    n_positive: int, n_negative: int, n_constants: int, max_bytes: int | None
) -> None:
    """Raise an error if learning would take more memory than ``max_bytes``.

    Relations are bit rows over the constants, and columns over the relations: both grow with the
    product of the two numbers, however short the relations are.

    >>> check_learning(100_000, 0, 100_000, None)
    Traceback (most recent call last):
    ...
    atomlearn.errors.ModelTooLarge: learning from 100,000 relations over 100,000 constants ...
    """
    row, allowed = width(n_constants), DEFAULT_BYTES if max_bytes is None else max_bytes
    # The sides of the relations, shuffled or closed, twice; their columns; an atom a constant.
    n_words = 4 * (n_positive + n_negative) * row + 3 * n_constants * row
    n_words += n_constants * (2 * width(n_positive) + width(n_negative))
    if 8 * n_words > allowed:
        raise ModelTooLarge(
            f"learning from {n_positive + n_negative:,} relations over {n_constants:,} constants "
            f"takes up to about {8 * n_words / 2**20:,.0f} MiB of memory; the limit is "
            f"{allowed / 2**20:,.0f} MiB: raise it with max_bytes={8 * n_words}, or leave out "
            "constants and relations that are not needed",
            estimate=8 * n_words,
            limit=allowed,
        )


def _switch(default: str, section: str, reason: str, *quotes: str) -> Any:
    return field(default=default, metadata={"section": section, "reason": reason, "quotes": quotes})


@dataclass(frozen=True)
class Protocol:
    """How an epoch is run, as named switches.

    :func:`switches` has the values of ``DEFAULT`` and ``LETTER`` with reasons and quotations.

    Parameters
    ----------
    start : {"empty", "free"}, default="empty"
        Whether the first epoch begins without atoms or with one atom in every constant.
    vocabulary : {"all", "needed"}, default="all"
        Which constants start an epoch with an atom.
    draws : {"guided", "fewest", "blind"}, default="guided"
        How a partner is drawn in a crossing.
    partners : {"fixed", "renewed"}, default="fixed"
        Whether the atoms that a crossing makes are partners of its other atoms.
    renewal : {"always", "needed"}, default="always"
        Whether a partner is kept after a crossing even if its trace does not need it.
    dual : {"lazy", "greedy", "reduced", "every"}, default="lazy"
        How the negative relations get witnesses.
    strategy : {"lend", "enforce", "hold"}, default="lend"
        How pinning relations are used.
    master : {"forgotten", "kept"}, default="forgotten"
        Whether an epoch starts from the atoms of the one before.
    pins_checked : {"all", "batch"}, default="all"
        The examples that new pins are checked against.
    contradicted : {"close", "leave", "discard"}, default="close"
        What is done with a pin that a formal problem contradicts.
    memory : {"limited", "unlimited"}, default="limited"
        Whether a formal problem drops its oldest pins when there are more than ``max_pins``.
    rules : {"merged", "single"}, default="merged"
        Whether the attack rules of queens are merged into one relation for each queen.
    focus : {"largest", "drawn"}, default="largest"
        How a formal problem chooses the witness of the relations about the solution.
    order : {"largest", "random"}, default="largest"
        The order in which a formal problem crosses relations.
    batches : {"steady", "stalled"}, default="steady"
        When batches of examples grow.
    reduction : {"negatives", "traces"}, default="traces"
        What the last reduction of the master keeps.

    Examples
    --------
    >>> Protocol(vocabulary="needed").deviations()
    ('vocabulary',)
    >>> DEFAULT.deviations()
    ()
    """

    start: Literal["empty", "free"] = _switch(
        "empty", "3.4",
        "Does the first epoch begin without atoms, or with one atom in every constant? Later "
        "epochs begin with the atoms of the one before, if the master is kept. With the vocabulary "
        "'all', as here, every epoch begins with an atom in every constant, and the start makes no "
        "difference.",
        "3.4: we start from an algebra that is very free and satisfies all the negative relations",
        "2.3 and 2.6: the graphs of the toy problem begin with atom 0 alone",
    )  # fmt: skip
    vocabulary: Literal["all", "needed"] = _switch(
        "all", "2.6",
        "Which constants start an epoch with an atom: all of them, or those that the trace "
        "constraints ask for (Algorithms 1 and 2). With few, most constants are never used, and "
        "votes and misses are worse.",
    )  # fmt: skip
    draws: Literal["guided", "fewest", "blind"] = _switch(
        "guided", "Algorithm 3",
        "How a partner is drawn in a crossing: one that misses a witness still to be missed; the "
        "one that misses most of them; or any, kept if it helps. A guided draw is never wasted.",
        "Algorithm 3: choose an atom ε ∈ B at random",
        "2.7: we replace φ with as few new atoms as possible",
    )  # fmt: skip
    partners: Literal["fixed", "renewed"] = _switch(
        "fixed", "Algorithm 3",
        "Are the partners of a crossing the atoms that b has before it, as in the matrix of "
        "section 2.7, or are they looked up again for each φ, with the atoms that were just made?",
        "Algorithm 3: foreach φ ∈ A initialize sets U ≡ ∅, B ≡ GLᵃ(b)",
        "2.7: the columns of the matrix are the atoms of b before the crossing",
    )  # fmt: skip
    renewal: Literal["always", "needed"] = _switch(
        "always", "2.7",
        "After a crossing, does every partner ε keep an atom ε' of its own, or only if its trace "
        "would change without?",
        "Algorithm 3: foreach ε ∈ U create new atom ε' and edge ε' → ε",
        "2.7: the trace of α may change but, if it does, now we have the extra freedom of "
        "appending another new atom edged just to α",
    )  # fmt: skip
    dual: Literal["lazy", "greedy", "reduced", "every"] = _switch(
        "lazy", "2.6, Algorithm 5",
        "How the negative relations get witnesses: in random order, skipping those that are "
        "separated; the same with the pins that separate most; the first, then Algorithm 5; one "
        "for each, then Algorithm 5. A lazy dual is made of more and more varied pins.",
    )  # fmt: skip
    strategy: Literal["lend", "enforce", "hold"] = _switch(
        "lend", "2.9",
        "What pinning relations do: their terms lend witnesses and no more; all of them are "
        "enforced (the paper's first strategy); those that hold in the dual are given trace "
        "constraints (its second). With an atom in every constant, these constraints hold anyway.",
    )  # fmt: skip
    master: Literal["forgotten", "kept"] = _switch(
        "forgotten", "5.7",
        "Does an epoch start from the atoms of the one before? Kept atoms made no difference or "
        "were slightly worse.",
    )  # fmt: skip
    pins_checked: Literal["all", "batch"] = _switch(
        "all", "2.9",
        "Are new pins checked against all training examples at once, or only against the batches "
        "that come? Checked at once, a false pin never counts.",
    )  # fmt: skip
    contradicted: Literal["close", "leave", "discard"] = _switch(
        "close", "2.9",
        "What becomes of a pin that a formal problem contradicts: it is closed under the relations "
        "for this epoch, left out of it, or discarded for good. Only closed pins lead to solutions "
        "of the games tried.",
    )  # fmt: skip
    memory: Literal["limited", "unlimited"] = _switch(
        "limited", "2.9",
        "In a formal problem, are the oldest pins dropped when there are more than max_pins? The "
        "limit is for memory and time.",
        "2.9: we can let them accumulate, epoch after epoch",
    )  # fmt: skip
    rules: Literal["merged", "single"] = _switch(
        "merged", "5.2",
        "In queens, are the squares that a queen attacks merged on the left of one relation, or is "
        "there a relation for each of them? Both say the same; a merged relation is crossed at "
        "once.",
        "5.2: ∀x ∀y ∀i ∀j (i,j) ∈ A(x,y) ⇒ E_ij < U ⊙ Q_xy",
    )  # fmt: skip
    focus: Literal["largest", "drawn"] = _switch(
        "largest", "2.9",
        "In a formal problem, the witness of the relations about the solution: the largest of 256 "
        "pins, or drawn like any other. The model shows what that witness holds.",
    )  # fmt: skip
    order: Literal["largest", "random"] = _switch(
        "largest", "2.7",
        "In a formal problem, the order of crossing: relations with most constants on the left "
        "first, or random. The first gives twice the atoms in a third of the time.",
    )  # fmt: skip
    batches: Literal["steady", "stalled"] = _switch(
        "steady", "4",
        "When do batches of examples grow: every epoch, or when the accuracy on the next batch did "
        "not improve? No difference but in time.",
    )  # fmt: skip
    reduction: Literal["negatives", "traces"] = _switch(
        "traces", "2.8",
        "What the last reduction of the master keeps: the traces of all constants (Algorithm 4, in "
        "the paper and here), or just enough atoms for the negative relations, which the paper "
        "warns of.",
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(Protocol).items():
            if getattr(self, name) not in get_args(kind):
                known = ", ".join(map(repr, get_args(kind)))
                given = getattr(self, name)
                hint = nearest(given, get_args(kind))
                raise InvalidParameter(f"{name} must be one of {known}, not {given!r}{hint}")

    def deviations(self) -> tuple[str, ...]:
        """Return the names of the switches that differ from ``DEFAULT``."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) != f.default)


DEFAULT = Protocol()

LETTER = Protocol(
    start="free",
    vocabulary="needed",
    draws="blind",
    dual="every",
    strategy="hold",
    master="kept",
    pins_checked="batch",
    contradicted="discard",
    memory="unlimited",
    rules="single",
    focus="drawn",
    order="random",
    batches="stalled",
)
"""The protocol that follows the paper to the letter."""

PROTOCOLS = {"default": DEFAULT, "letter": LETTER}


class Switch(NamedTuple):
    """One difference between our protocol and the paper's.

    Attributes
    ----------
    name : str
        Name of the switch.
    section : str
        Section of the paper.
    ours : str
        Our value.
    paper : str
        The paper's value.
    reason : str
        What the switch does, and why ours differs.
    quotes : tuple of str, default=()
        What the paper says, where it can be read in more than one way.

    Examples
    --------
    >>> sorted({switch.section for switch in switches()})[:1]
    ['2.6']
    """

    name: str
    section: str
    ours: str
    paper: str
    reason: str
    quotes: tuple[str, ...] = ()


def switches() -> Iterator[Switch]:
    """List all differences between ``DEFAULT`` and ``LETTER``.

    Yields
    ------
    Switch
        A difference with its reason.

    Examples
    --------
    >>> [switch.name for switch in switches()][:3]
    ['start', 'vocabulary', 'draws']
    """
    for one in fields(Protocol):
        ours, paper = getattr(DEFAULT, one.name), getattr(LETTER, one.name)
        if ours != paper:
            told = one.metadata
            yield Switch(one.name, told["section"], ours, paper, told["reason"], told["quotes"])


def protocol_of(which: "str | Protocol") -> Protocol:
    """Return a protocol by name.

    >>> protocol_of("letter").vocabulary
    'needed'
    """
    if isinstance(which, Protocol):
        return which
    if which not in PROTOCOLS:
        known = " or ".join(map(repr, PROTOCOLS))
        hint = nearest(which, PROTOCOLS)
        raise InvalidParameter(f"protocol must be {known}, or a Protocol, not {which!r}{hint}")
    return PROTOCOLS[which]
