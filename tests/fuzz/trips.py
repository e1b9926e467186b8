"""Round trips: what is fitted here, saved, and loaded by another process says the same there."""

import pickle
import random
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from atomlearn import Algebra, Model
from atomlearn.engine.pool import Pool, Source
from atomlearn.sets import rows as packed
from tests.fuzz.classifiers import draw_case
from tests.fuzz.obeying import misdefined, violations
from tests.fuzz.reader import Reader
from tests.fuzz.tables import NAMES
from tests.fuzz.telling import tell

NEW_ROWS = 500
"""Rows after training that each classifier predicts: half here, half after it was loaded."""
AS_PYTHON = 40
"""Rows for which definitions are also run as Python functions."""
OTHERS = 0.15
"""The share of round trips of models and pools."""


class Trip(NamedTuple):
    """What came of one round trip."""

    kind: str
    way: str
    said: str | None
    """What is wrong, if anything."""
    predictions: int = 0
    """Predictions that were held against rules."""


def travel(chance: random.Random, path: Path, reader: Reader) -> Trip:
    """One random thing, saved here and loaded there."""
    with warnings.catch_warnings(action="ignore"):
        if chance.random() < OTHERS:
            thing = _model(chance) if chance.random() < 0.5 else _pool(chance)
            kind = type(thing).__name__.lower() + "s, loaded"
            return Trip(kind, "save", _compared(thing, path, None, reader))
        case = draw_case(chance, NEW_ROWS)
        half = len(case.new) // 2
        said = violations(case.model, case.told, case.new, 0, half) if case.told else None
        said = said or misdefined(case.model, case.told, case.new, AS_PYTHON)
        said = said or _compared(case.model, path, (case.new, case.told, half), reader)
        count = len(case.new) if case.told else 0
        return Trip("classifiers, loaded", case.how, said, count)


def _compared(thing: Any, path: Path, questions: Any, reader: Reader) -> str | None:
    thing.save(path)
    asked = path.with_suffix(".questions")
    asked.write_bytes(pickle.dumps(questions or (None, [], 0)))
    here = tell(thing, questions and questions[0])
    there = reader.read(path, asked)
    if "failed" in there:
        return str(there["failed"])
    if there["broken"] is not None:
        return f"after loading: {there['broken']}"
    other = [what for what, digest in here.items() if there["digests"][what] != digest]
    return f"another {', '.join(other)} after loading" if other else None


def _model(chance: random.Random) -> Model:
    names = chance.sample([one for one in NAMES if one], chance.randint(2, 6))
    algebra = Algebra(names)
    constants = [algebra[name] for name in names]
    for _ in range(chance.randint(0, 6)):
        left, right = (chance.sample(constants, chance.randint(1, 2)) for _ in "lr")
        relation = algebra.term(left) <= algebra.term(right)
        relation = relation if chance.random() < 0.5 else ~relation
        if not algebra.entails(~relation):
            algebra.add(relation)
    make = chance.choice((algebra.freest, algebra.least_free, algebra.learn))
    return make()


def _pool(chance: random.Random) -> Pool:
    n = chance.randint(1, 12)
    pool = Pool(n, chance.choice((None, chance.sample(NAMES, n))))
    for epoch in range(chance.randint(0, 4)):
        pool.learn_from(Source(chance.choice(NAMES), f"{chance.getrandbits(64):x}", epoch))
        atoms = [chance.sample(range(n), chance.randint(1, n)) for _ in range(chance.randint(1, 5))]
        pool.add(packed.from_indices(atoms, n), epoch=epoch)
    return pool
