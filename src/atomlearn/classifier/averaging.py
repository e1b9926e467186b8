"""Merge classifiers with weighted atoms: their scores are averaged.

Strict atoms of two classifiers are simply joined, because each holds for every example of its
class. Weights only make sense together with the other weights of the same classifier, so each
classifier keeps its own, and counts by the number of rows that it was fitted on.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from atomlearn.engine.pool import Merged, hash_lists
from atomlearn.sets.rows import take
from atomlearn.training.evidence import Evidence
from atomlearn.training.examples import Unseen
from atomlearn.training.learned import Learned
from atomlearn.training.weighted_atoms import WeightedAtoms, merged


def average(models: Sequence[Learned], n_rows: Sequence[int]) -> Learned:
    """The first model with the weighted atoms of all; strict pools are merged elsewhere.

    Held-out predictions are dropped: another model may have been fitted on those rows.
    """
    first = models[0]
    total = max(sum(n_rows), 1)
    shares = [n / total if sum(n_rows) else 1 / len(models) for n in n_rows]
    parts = [
        _scaled(one.weighted, share * one.evidence.weighted)
        for one, share in zip(models, shares, strict=True)
        if one.weighted is not None and one.evidence.weighted > 0
    ]
    strict = sum(share * one.evidence.strict for one, share in zip(models, shares, strict=True))
    counted = next((one for one in models if one.evidence.strict > 0), first)
    chosen = "weighted" if strict == 0 else "both"
    return replace(
        first,
        weighted=merged(parts),
        evidence=Evidence(chosen, {}, {}, float(strict), 1.0),
        calibration=counted.calibration,
        unseen=Unseen.none(len(first.pools)),
    )


def merged_counts(ours: WeightedAtoms | None, others: Sequence[Learned], k: int) -> Merged:
    """Count the weighted atoms of a class that are new, and those that were known."""
    known = set() if ours is None else _hashes(ours, k)
    theirs = [_hashes(one.weighted, k) for one in others if one.weighted is not None]
    new = set().union(*theirs) - known
    return Merged(len(new), sum(map(len, theirs)) - len(new), 0)


def _scaled(weighted: WeightedAtoms, factor: float) -> WeightedAtoms:
    return replace(weighted, weights=factor * weighted.weights, offset=factor * weighted.offset)


def _hashes(weighted: WeightedAtoms, k: int) -> set[int]:
    return set(hash_lists(take(weighted.atoms, np.flatnonzero(weighted.classes == k))).tolist())
