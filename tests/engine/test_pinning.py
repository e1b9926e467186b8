"""The pool against a Python dictionary of sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from atomlearn.engine.misses import blocks_of
from atomlearn.engine.pool import Pool, Source, hash_lists
from atomlearn.errors import DifferentConstants
from tests.engine.strategies import (
    any_problem,
    lists_of,
    positive_rows,
    random_terms,
    sets_of_lists,
)
from tests.naive import is_closed, pinning_term
from tests.sets.strategies import (
    KERNELS,
    random_sets,
    seeds,
    to_rows,
    to_sets,
    twin_streams,
)

pytestmark = KERNELS

N = 70
atom_sets = st.lists(st.frozensets(st.sampled_from([0, 1, 2, 63, 64, 69]), max_size=4), max_size=8)


class Pools(RuleBasedStateMachine):
    """Any sequence of operations; the twin is a dictionary from atom to epoch of birth.

    Of repeats within one batch any may stay, so the order within a batch is taken from the pool.
    """

    def __init__(self):
        super().__init__()
        self.pool, self.twin, self.epoch, self.name = Pool(N), {}, 0, ""

    def order(self):
        return sets_of_lists(self.pool.atoms)

    @rule(name=st.sampled_from("abc"))
    def learn_from(self, name):
        self.pool.learn_from(Source(name))
        self.name = name

    @rule(atoms=atom_sets)
    def add(self, atoms):
        before, new = self.order(), {atom for atom in atoms if atom not in self.twin}
        assert self.pool.add(to_rows(atoms, N), self.epoch) == len(new)
        assert self.order()[: len(before)] == before
        self.twin.update(dict.fromkeys(new, (self.name, self.epoch)))
        self.epoch += 1

    @rule(seed=seeds)
    def drop(self, seed):
        before, (marks,) = self.order(), random_sets(seed, 1, len(self.twin), 0.4)
        which = np.array([k in marks for k in range(len(before))], dtype=bool)
        assert self.pool.drop(which) == len(marks)
        assert self.order() == [atom for k, atom in enumerate(before) if k not in marks]
        for k in marks:
            del self.twin[before[k]]

    @rule(pools=st.lists(st.tuples(st.sampled_from("bcde"), atom_sets, atom_sets), max_size=2))
    def merge(self, pools):
        others, before, n_empty = [], len(self.twin), 0
        for name, *batches in pools:
            other = Pool(N)
            other.learn_from(Source(name))
            for epoch, atoms in enumerate(batches):
                other.add(to_rows(atoms, N), epoch)
                for atom in filter(None, atoms):
                    self.twin.setdefault(atom, (name, epoch))
            n_empty += any(frozenset() in atoms for atoms in batches)
            others.append(other)
        merged = self.pool.merge(*others)
        assert merged.new == len(self.twin) - before
        assert merged.dropped == n_empty  # an atom of nothing says nothing
        assert sum(merged) == sum(map(len, others))

    @rule()
    def go_on_with_a_copy(self):
        self.pool = self.pool.copy()

    @rule(seed=seeds, size=st.integers(0, 12))
    def sample(self, seed, size):
        stream, twin = twin_streams(seed)
        chosen = twin.sample(len(self.twin), size)
        drawn = sets_of_lists(self.pool.sample(stream, size))
        assert drawn == [self.order()[k] for k in chosen]

    @rule(examples=atom_sets)
    def misses(self, examples):
        counts = self.pool.misses(blocks_of(to_rows(examples, N), N), len(examples))
        assert counts.tolist() == [sum(not atom & x for atom in self.twin) for x in examples]

    @invariant()
    def same_pins(self):
        assert to_sets(self.pool.rows()) == self.order()
        origins = [self.pool.provenance(k) for k in range(len(self.pool))]
        told = [(origin.source.name, origin.epoch) for origin in origins]
        assert dict(zip(self.order(), told, strict=True)) == self.twin
        assert self.pool.sources[-1].name == self.name
        assert len(set(self.pool.sources)) == len(self.pool.sources)
        assert len(self.pool) == len(self.twin)


class TestPools(Pools.TestCase):
    pytestmark = KERNELS


@given(any_problem, seeds)
def test_only_the_pins_that_the_relations_contradict_are_dropped(problem, seed):
    atoms = list(dict.fromkeys(random_terms(seed, 40, problem.n)))
    pool = Pool(problem.n)
    pool.add(to_rows(atoms, problem.n), 0)
    kept = [
        atom for atom in atoms if is_closed(pinning_term(atom, range(problem.n)), problem.positives)
    ]
    positives = positive_rows(problem.positives, problem.n)
    assert pool.drop_contradicted(positives) == len(atoms) - len(kept)
    assert sets_of_lists(pool.atoms) == kept


@given(any_problem, seeds, st.permutations("abcdefgh"), st.integers(1, 8))
def test_pools_of_other_algebras_are_matched_by_name(problem, seed, names, n_theirs):
    ours = [f"c{i}" for i in range(problem.n)]
    theirs = [*(n for n in names[: n_theirs // 2]), *ours[::-1][:n_theirs]]
    atoms = list(dict.fromkeys(random_terms(seed, 20, len(theirs))))
    there = Pool(len(theirs), theirs)
    there.add(to_rows(atoms, len(theirs)), 3)
    named = [frozenset(theirs[c] for c in atom) for atom in atoms]
    cut = [frozenset(ours.index(name) for name in atom if name in ours) for atom in named]
    kept = [
        atom
        for atom in cut
        if atom and is_closed(pinning_term(atom, range(problem.n)), problem.positives)
    ]
    here = Pool(problem.n, ours)
    positives = positive_rows(problem.positives, problem.n)
    merged = here.merge(there, relations=positives)
    assert sets_of_lists(here.atoms) == list(dict.fromkeys(kept))
    assert merged.dropped == len(atoms) - len(kept)
    assert merged.known == len(kept) - len(set(kept))


def test_pools_that_cannot_be_matched():
    with pytest.raises(DifferentConstants, match="give both names"):
        Pool(3).merge(Pool(4))
    with pytest.raises(DifferentConstants, match="no constant in common"):
        Pool(1, ["a"]).merge(Pool(1, ["b"]))


@given(st.lists(st.frozensets(st.integers(0, 2000), max_size=12), max_size=100))
def test_hashes_are_fnv_and_tell_lists_apart(atoms):
    def expected(atom):
        value = 0xCBF29CE484222325
        for c in sorted(atom):
            value = (value ^ c) * 0x100000001B3 % 2**64
            value ^= value >> 29
        return value * 0x9E3779B97F4A7C15 % 2**64

    hashes = hash_lists(lists_of(atoms, 2001)).tolist()
    assert hashes == [expected(atom) for atom in atoms]
    assert len(set(hashes)) == len(set(atoms))
