"""Atoms with weights: what missing one adds to the score of a class."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from atomlearn.engine.misses import BLOCK, Blocks, hold
from atomlearn.engine.pool import Pool, hash_lists
from atomlearn.sets.jit import kernel
from atomlearn.sets.lists import Lists, append, take
from atomlearn.sets.words import ONE, ZERO, lowest

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass
class WeightedAtoms:
    """Atoms, the class that each speaks of, and what missing it adds to the score of the class."""

    atoms: Lists
    classes: Integers
    weights: Floats
    offset: Floats
    """Score of each class for a row that misses none."""

    def __len__(self) -> int:
        return len(self.weights)

    def pool_of(self, k: int, like: Pool) -> Pool:
        """The atoms that speak against class ``k``, the dearest first."""
        ours = np.flatnonzero((self.classes == k) & (self.weights < 0))
        ours = ours[np.argsort(self.weights[ours], kind="stable")]
        pool = Pool(like.n_constants, like.names)
        pool.sources = list(like.sources)
        pool.add_lists(take(self.atoms, ours), epoch=0)
        return pool

    def scores(self, blocks: Blocks, n_examples: int) -> Floats:
        """Scores of examples, ``(n_examples, n_classes)``."""
        scores = np.tile(self.offset, (len(blocks) * BLOCK * 64, 1))
        add_missed(self.atoms, self.classes, self.weights, blocks, scores)
        return scores[:n_examples]


@kernel
def add_missed(
    atoms: Lists, classes: Integers, weights: Floats, blocks: Blocks, scores: Floats
) -> None:
    """Add the weight of each atom to the score of its class, for the examples that miss it."""
    held = np.empty(BLOCK, dtype=np.uint64)
    for b in range(blocks.shape[0]):
        for k in range(weights.shape[0]):
            hold(atoms, k, blocks, b, held)
            for w in range(BLOCK):
                missed = ~held[w]
                while missed != ZERO:
                    scores[(b * BLOCK + w) * 64 + lowest(missed), classes[k]] += weights[k]
                    missed &= missed - ONE


def merged(parts: Sequence[WeightedAtoms]) -> WeightedAtoms:
    """All atoms together; the weights of equal ones are added up."""
    atoms, classes = parts[0].atoms, np.concatenate([part.classes for part in parts])
    for part in parts[1:]:
        atoms = append(atoms, part.atoms)
    weights = np.concatenate([part.weights for part in parts])
    keys = np.stack([hash_lists(atoms), classes.astype(np.uint64)], axis=1)
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    total: Floats = np.zeros(len(first))
    np.add.at(total, group.ravel(), weights)
    order = np.argsort(first, kind="stable")
    offset = np.sum([part.offset for part in parts], axis=0)
    return WeightedAtoms(take(atoms, first[order]), classes[first[order]], total[order], offset)
