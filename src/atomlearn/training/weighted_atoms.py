"""Atoms with weights: what missing one adds to the score of a class."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from atomlearn.engine.misses import BLOCK, Blocks, hold
from atomlearn.engine.pool import Pool, hash_lists
from atomlearn.sets.jit import kernel
from atomlearn.sets.lists import Lists, append, take
from atomlearn.sets.words import FULL, ONE, ZERO, lowest, tail

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

    def heaviest(self, most: int) -> "WeightedAtoms":
        """At most so many atoms: those whose weights change the scores most."""
        if len(self) <= most:
            return self
        kept = np.sort(np.argsort(-np.abs(self.weights), kind="stable")[:most])
        atoms = take(self.atoms, kept)
        return WeightedAtoms(atoms, self.classes[kept], self.weights[kept], self.offset)

    def scores(self, blocks: Blocks, n_examples: int) -> Floats:
        """Scores of examples, ``(n_examples, n_classes)``."""
        scores = np.repeat(self.offset[:, None], n_examples, axis=1)
        add_missed(self.atoms, self.classes, self.weights, blocks, scores)
        return scores.T


@kernel
def add_missed(
    atoms: Lists, classes: Integers, weights: Floats, blocks: Blocks, scores: Floats
) -> None:
    """Add the weight of each atom to the score of its class, for the examples that miss it.

    ``scores`` are by class and example.
    """
    n_examples = scores.shape[1]
    held = np.empty(BLOCK, dtype=np.uint64)
    some = np.empty(BLOCK, dtype=np.int64)
    for b in range(blocks.shape[0]):
        n_words = min(BLOCK, ((n_examples + 63) >> 6) - b * BLOCK)
        last = tail(n_examples) if b == blocks.shape[0] - 1 else FULL
        for k in range(weights.shape[0]):
            own, weight = classes[k], weights[k]
            hold(atoms, k, blocks, b, held)
            held[n_words - 1] |= ~last  # there are no examples beyond the last
            # The words that matter are listed first: a branch for each would often be mispredicted.
            n = 0
            for w in range(n_words):
                some[n] = w
                n += 1 if held[w] != FULL else 0
            for j in range(n):
                missed = ~held[some[j]]
                first = (b * BLOCK + some[j]) * 64
                while missed != ZERO:
                    scores[own, first + lowest(missed)] += weight
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
