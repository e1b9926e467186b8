"""A model of a set of relations, from one epoch of Sparse Crossing."""

from atomlearn import interrupts
from atomlearn.algebra.relations import PackedRelations
from atomlearn.engine.epoch import prepare, run
from atomlearn.engine.protocol import DEFAULT, Protocol
from atomlearn.engine.report import OnEpoch, Report
from atomlearn.sets.random import Seed, stream
from atomlearn.sets.rows import Rows


def learn(
    relations: PackedRelations,
    *,
    random_state: Seed = None,
    protocol: Protocol = DEFAULT,
    on_epoch: OnEpoch | None = None,
) -> Rows:
    """The atoms of one master model: all relations hold in it.

    >>> from atomlearn import Algebra
    >>> alg = Algebra(["v", "a", "b"])
    >>> alg.add(alg.relation("v < a b"))
    >>> alg.add(alg.relation("v !< a"))
    >>> len(learn(alg.packed(), random_state=0)) > 0
    True
    """
    rng = stream(random_state)
    report = Report(
        n_positive=len(relations.positive_left), n_negative=len(relations.negative_left)
    )
    with interrupts.Deferred():
        with report.phase("closure"):
            batch = prepare(relations, rng)
        if len(batch.conflicts):
            raise ValueError(f"negative relation {int(batch.conflicts[0])} is contradicted")
        atoms = run(batch, rng, report, protocol=protocol)
    if on_epoch is not None:
        on_epoch(report)
    return atoms
