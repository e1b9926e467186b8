"""One case after the other, each made from a seed and a number alone: what is tried, what came."""

import random
import traceback
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from atomlearn.errors import AtomlearnError, FileFormatError, NotEnoughMemory
from atomlearn.files.container import Container
from tests.fuzz.corpus import Nasty, corpus
from tests.fuzz.kinds import CONTAINERS, KINDS, Kind, sample
from tests.fuzz.mutations import mutate_bytes, mutate_parts
from tests.fuzz.parts import Parts
from tests.fuzz.reader import Reader
from tests.fuzz.relation_sets import compare
from tests.fuzz.saves import torn
from tests.fuzz.trips import travel

REFUSED, LOADED, AGREED = "refused", "loaded", "agreed"
RAW, MISMATCH, CRASH = "raw exceptions", "mismatches", "crashes"
BAD = (RAW, MISMATCH, CRASH)


class Case(NamedTuple):
    kind: str
    attack: str


class Outcome(NamedTuple):
    case: Case
    outcome: str
    detail: str = ""
    predictions: int = 0
    """Predictions that were held against rules."""


Attack = Callable[[str, int, Path], Outcome]
"""Of a seed, a number, and a path for the file that is tried."""


def attack_file(seed: str, number: int, path: Path) -> Outcome:
    """A file of some kind, damaged or forged in some way."""
    chance = random.Random(f"{seed}/{number}")
    case, data = _forged(chance)
    path.write_bytes(data)
    return Outcome(case, *_tried(KINDS[case.kind], case.attack, path))


def attack_relations(seed: str, number: int, path: Path) -> Outcome:
    """A random set of relations."""
    case = Case("relation sets", "random")
    path.write_text(f"case {number} of seed {seed}\n")
    try:
        said = compare(random.Random(f"{seed}/{number}"))
    except Exception as error:
        return Outcome(case, RAW, f"{type(error).__name__}: {error}")
    return Outcome(case, AGREED) if said is None else Outcome(case, MISMATCH, said)


def attack_save(seed: str, number: int, path: Path) -> Outcome:
    """A process killed while it saves."""
    said = torn(random.Random(f"{seed}/{number}"), path)
    case = Case("killed saves", "random")
    return Outcome(case, LOADED) if said is None else Outcome(case, MISMATCH, said)


def attack_trip(seed: str, number: int, path: Path) -> Outcome:
    """A random classifier, model or pool, saved here and loaded by another process."""
    try:
        kind, way, said, predictions = travel(random.Random(f"{seed}/{number}"), path, _reader())
    except Exception as error:
        case = Case("of unknown kind, loaded", "random")
        places = traceback.extract_tb(error.__traceback__)[-3:]
        where = ", ".join(f"{Path(one.filename).name}:{one.lineno}" for one in places)
        return Outcome(case, RAW, f"{type(error).__name__}: {error} ({where})")
    if said is not None:
        return Outcome(Case(kind, way), MISMATCH, said)
    return Outcome(Case(kind, way), AGREED, predictions=predictions)


ATTACKS: dict[str, Attack] = {
    "files": attack_file,
    "relation-sets": attack_relations,
    "saves": attack_save,
    "round-trips": attack_trip,
}


def _forged(chance: random.Random) -> tuple[Case, bytes]:
    draw = chance.random()
    if draw < 0.02:
        nasty = chance.choice(_nasty())
        made = nasty.forge(_parts(nasty.kind))
        if isinstance(made, Parts):
            made = (mutate_parts(made, chance) if draw < 0.01 else made).packed()
        return Case(nasty.kind, "corpus"), made
    if draw < 0.12:
        return Case("relations", "bytes"), mutate_bytes(sample("relations"), chance)
    kind = chance.choice(CONTAINERS)
    if draw < 0.4:
        return Case(kind, "bytes"), mutate_bytes(sample(kind), chance)
    return Case(kind, "values"), mutate_parts(_parts(kind), chance).packed()


def _tried(kind: Kind, attack: str, path: Path) -> tuple[str, str]:
    with warnings.catch_warnings(action="ignore"):
        try:
            loaded = kind.read(path)
        except NotEnoughMemory as error:
            return RAW, f"took too much memory: {error}"
        except AtomlearnError as error:
            named = path.name in str(error)
            return (REFUSED, "") if named else (RAW, f"does not name the file: {error!r}")
        except Exception as error:
            return RAW, f"read: {type(error).__name__}: {error}"
        try:
            kind.use(loaded)
        except AtomlearnError:
            pass  # what was read is sound, but not fit for this use
        except Exception as error:
            return RAW, f"use: {type(error).__name__}: {error}"
    if attack == "bytes" and kind.name in CONTAINERS and _altered(kind.name, path):
        return MISMATCH, "changed bytes went unnoticed"
    return LOADED, ""


def _altered(kind: str, path: Path) -> bool:
    """Is the content another than that of the sound file, and not only a date in the zip?"""
    try:
        return Container.read(path)._members != _parts(kind).members
    except FileFormatError:
        return True


@cache
def _reader() -> Reader:
    return Reader()


@cache
def _nasty() -> list[Nasty]:
    return [one for one in corpus() if not one.name.startswith("bomb")]


@cache
def _parts(kind: str) -> Parts:
    return Parts.of(sample(kind))
