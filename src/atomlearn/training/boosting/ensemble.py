"""Weighted atoms: missing one adds its weight to the score of a class."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from atomlearn.engine.misses import BLOCK, Blocks
from atomlearn.engine.pool import hash_lists
from atomlearn.sets.jit import kernel
from atomlearn.sets.rows import Lists, append, no_lists, take
from atomlearn.sets.words import FULL, ONE, ZERO, lowest, tail
from atomlearn.training.data import by_label
from atomlearn.typing import Floats, Integers


@dataclass
class WeightedAtoms:
    """Atoms, the class of each, and the weight that missing it adds to the score of the class."""

    atoms: Lists
    classes: Integers
    weights: Floats
    offset: Floats
    """Score of each class for a row that misses none."""

    def __len__(self) -> int:
        return len(self.weights)

    def against(self, k: int) -> Lists:
        """Return the atoms that are evidence against class ``k``, most negative weight first."""
        ours = take(self.atoms, self._against[k])
        _, first = np.unique(hash_lists(ours), return_index=True)
        return take(ours, np.sort(first))

    def scaled(self, factor: float) -> "WeightedAtoms":
        """Return the same atoms with weights and offsets multiplied by a factor."""
        return replace(self, weights=factor * self.weights, offset=factor * self.offset)

    def without_offset(self) -> "WeightedAtoms":
        """Return the same atoms with offsets of zero."""
        return replace(self, offset=np.zeros_like(self.offset))

    @cached_property
    def _against(self) -> list[Integers]:
        """Indices of the atoms against each class, the most negative weight first."""
        ours = np.flatnonzero(self.weights < 0)
        ours = ours[np.argsort(self.weights[ours], kind="stable")]
        return [ours[places] for places in by_label(self.classes[ours], len(self.offset))]

    def heaviest(self, most: int) -> "WeightedAtoms":
        """Return at most ``most`` atoms: those whose weights change the scores most."""
        if len(self) <= most:
            return self
        kept = np.sort(np.argsort(-np.abs(self.weights), kind="stable")[:most])
        atoms = take(self.atoms, kept)
        return WeightedAtoms(atoms, self.classes[kept], self.weights[kept], self.offset)

    def scores(self, blocks: Blocks, n_examples: int) -> Floats:
        """Return scores of examples, ``(n_examples, n_classes)``."""
        scores = np.repeat(self.offset[:, None], n_examples, axis=1)
        add_missed(*self._in_shared_order, self.classes, self.weights, blocks, scores)
        return scores.T

    @cached_property
    def _in_shared_order(self) -> tuple[Lists, Integers]:
        return in_shared_order(self.atoms)


@kernel
def add_missed(
    atoms: Lists,
    shared: Integers,
    classes: Integers,
    weights: Floats,
    blocks: Blocks,
    scores: Floats,
) -> None:
    """Add the weight of each atom to the score of its class, for the examples that miss it.

    ``scores`` are by class and example. Each atom begins with ``shared`` constants of the one
    before: most of them, in one round. The examples that have one of those are computed once.
    """
    n_examples = scores.shape[1]
    longest = 0
    for k in range(weights.shape[0]):
        longest = max(longest, atoms.starts[k + 1] - atoms.starts[k])
    held = np.zeros((longest + 1, BLOCK), dtype=np.uint64)  # by the first 0, 1, ... constants
    some = np.empty(BLOCK, dtype=np.int64)
    for b in range(blocks.shape[0]):
        n_words = min(BLOCK, ((n_examples + 63) >> 6) - b * BLOCK)
        last = tail(n_examples) if b == blocks.shape[0] - 1 else FULL
        for w in range(BLOCK):
            held[0, w] = ZERO
        held[0, n_words - 1] |= ~last  # there are no examples beyond the last
        for k in range(weights.shape[0]):
            own, weight = classes[k], weights[k]
            n = shared[k]
            for p in range(atoms.starts[k] + n, atoms.starts[k + 1]):
                c = atoms.constants[p]
                for w in range(BLOCK):
                    held[n + 1, w] = held[n, w] | blocks[b, c, w]
                n += 1
            # The words that matter are listed first: a branch for each would often be mispredicted.
            n_some = 0
            for w in range(n_words):
                some[n_some] = w
                n_some += 1 if held[n, w] != FULL else 0
            for j in range(n_some):
                missed = ~held[n, some[j]]
                first = (b * BLOCK + some[j]) * 64
                while missed != ZERO:
                    scores[own, first + lowest(missed)] += weight
                    missed &= missed - ONE


@kernel
def in_shared_order(atoms: Lists) -> tuple[Lists, Integers]:
    """Reorder the constants of each atom to begin with those shared with the atom before.

    Also returns the number of shared constants. Constants that more of the following atoms have
    come first.
    """
    n_atoms, n_constants = atoms.starts.shape[0] - 1, 0
    for c in atoms.constants:
        n_constants = max(n_constants, c + 1)
    until = np.empty(atoms.constants.shape[0], dtype=np.int64)  # the last of a run of atoms with it
    ends, seen = np.zeros(n_constants, dtype=np.int64), np.full(n_constants, n_atoms + 1)
    for k in range(n_atoms - 1, -1, -1):
        for p in range(atoms.starts[k], atoms.starts[k + 1]):
            c = atoms.constants[p]
            ends[c] = ends[c] if seen[c] == k + 1 else k
            seen[c] = k
            until[p] = ends[c]
    constants, lasting = np.empty_like(atoms.constants), np.empty_like(until)
    shared = np.zeros(n_atoms, dtype=np.int64)
    seen[:] = -1
    for k in range(n_atoms):
        start = atoms.starts[k]
        n = start
        if k > 0:
            q = atoms.starts[k - 1]
            while q < start and lasting[q] >= k:  # those that go on come first
                constants[n], lasting[n] = constants[q], lasting[q]
                seen[constants[n]] = k
                q += 1
                n += 1
        shared[k] = n - start
        for p in range(start, atoms.starts[k + 1]):
            if seen[atoms.constants[p]] == k:
                continue
            q = n
            while q > start + shared[k] and lasting[q - 1] < until[p]:
                constants[q], lasting[q] = constants[q - 1], lasting[q - 1]
                q -= 1
            constants[q], lasting[q] = atoms.constants[p], until[p]
            n += 1
    return Lists(atoms.starts, constants), shared


def no_weighted_atoms(n_classes: int) -> WeightedAtoms:
    """Return weighted atoms before the first round: none."""
    none = np.zeros(0)
    return WeightedAtoms(no_lists(), none.astype(np.int64), none, np.zeros(n_classes))


def merged(parts: Sequence[WeightedAtoms]) -> WeightedAtoms:
    """Join all atoms; the weights of equal ones are added up."""
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
