"""Parts that learn apart, against what may be believed of all of them together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.datasets import vertical_bars
from atomlearn.engine.concept import Recipe
from atomlearn.engine.pool import Source
from atomlearn.sets import rows
from atomlearn.training.examples import Examples
from atomlearn.training.exchange import Known, PartsHere, exchange, learn_parts, ranked, thinned
from atomlearn.training.parts import Shared, Task, check_part, learn_part, rank_part
from atomlearn.training.rounds import Rounds, Settings
from tests.engine.strategies import sets_of_lists
from tests.sets.strategies import FEWER, seeds

N = 33  # 4 × 4 pixels, black and white, and the class


def examples_of(images, labels):
    both = np.hstack([images, ~images, np.zeros((len(images), 1), dtype=bool)])
    packed = rows.pack(both)[None]
    return Examples(packed, labels.astype(np.int64), np.ones(len(labels)), N, 2)


def bars(n, n_parts, seed=0, noise=0.3):
    images, labels = vertical_bars(n, shape=(4, 4), noise=noise, random_state=seed)
    everything = examples_of(images, labels)
    which = np.array_split(np.arange(n), n_parts)
    sources = [Source(f"part {p}") for p in range(n_parts)]
    return PartsHere([everything.some(ours) for ours in which], sources), everything


def terms(examples, label):
    bits = rows.unpack(examples.variants[0], N)
    return [frozenset(np.flatnonzero(bits[i])) for i in np.flatnonzero(examples.labels == label)]


def known_after(parts, n_exchanges, seed=0, share_examples=True):
    known, rounds = Known.nothing(N, 2), Rounds(Settings(max_epochs=100))
    for _ in range(n_exchanges):
        known, _, _ = exchange(parts, known, seed, rounds, share_examples)
    return known


@FEWER
@given(st.integers(1, 4), st.integers(8, 60), seeds)
def test_what_is_known_holds_for_every_example_of_every_part(n_parts, n, seed):
    parts, everything = bars(n, n_parts, seed % 1000)
    known = known_after(parts, 2, seed)
    for k, pool in enumerate(known.pools):
        examples = terms(everything, k)
        for atom in sets_of_lists(pool.atoms):
            assert N - 1 in atom
            assert all(atom & example for example in examples)


def test_a_pin_that_another_part_contradicts_is_not_believed():
    parts, _ = bars(400, 4)
    task = Task(0, 1, 0, 0)
    nothing = Known.nothing(N, 2).pools[1].atoms
    shared = Known.nothing(N, 2).shared()
    found = learn_part(parts.examples[0], nothing, shared, task, 10, 1000, Recipe())
    suggested = sets_of_lists(found.atoms)
    checked = [check_part(part, found.atoms, task, 3) for part in parts.examples]
    for part, one in zip(parts.examples, checked, strict=True):
        examples = terms(part, 1)
        assert one.refused.tolist() == [not all(a & e for e in examples) for a in suggested]
        missed = sorted((sum(not a & e for a in suggested) for e in examples), reverse=True)
        told = [frozenset(np.flatnonzero(row)) for row in rows.unpack(one.refuting, N)]
        assert [sum(not a & e for a in suggested) for e in told] == [m for m in missed[:3] if m]
        assert all(e in examples for e in told)
    assert not checked[0].refused.any() and any(one.refused.any() for one in checked[1:])
    # told of the examples that refute them, the part suggests nothing that these contradict
    refuting = np.concatenate([one.refuting for one in checked])
    shared = Shared(refuting, np.ones(len(refuting), dtype=np.int64))
    again = learn_part(parts.examples[0], nothing, shared, task, 10, 1000, Recipe())
    told = [frozenset(np.flatnonzero(row)) for row in rows.unpack(refuting, N)]
    assert all(a & e for a in sets_of_lists(again.atoms) for e in told)
    known = known_after(parts, 1)
    assert known.dropped > 0


def test_examples_are_shared_only_if_that_is_allowed():
    parts, everything = bars(400, 4)
    alone = known_after(parts, 1, share_examples=False)
    assert [len(rows) for rows in alone.refuting] == [0, 0]
    known = known_after(parts, 3)
    for k, refuting in enumerate(known.refuting):
        told = [frozenset(np.flatnonzero(row)) for row in rows.unpack(refuting, N)]
        assert told and len(set(told)) == len(told) <= 1000
        assert set(told) <= set(terms(everything, k))


def test_a_part_is_ranked_by_its_own_counterexamples():
    parts, _ = bars(300, 2)
    known = known_after(parts, 1)
    atoms = known.pools[1].atoms
    for p, part in enumerate(parts.examples):
        counts = rank_part(part, atoms, Task(0, 1, p, 0))
        others = terms(part, 0)  # fewer than are hard, so all count
        assert counts.tolist() == [sum(not a & e for e in others) for a in sets_of_lists(atoms)]
    few = thinned(known, ranked(parts, known, 0, 10), 10)
    missed = np.sum(
        [rank_part(p, atoms, Task(0, 1, i, 10)) for i, p in enumerate(parts.examples)], 0
    )
    kept = set(sets_of_lists(few.pools[1].atoms))
    by_atom = dict(zip(sets_of_lists(atoms), missed, strict=True))
    assert len(kept) == 10
    assert min(by_atom[a] for a in kept) >= max(c for a, c in by_atom.items() if a not in kept)


def test_the_order_of_jobs_does_not_matter():
    class Backwards(PartsHere):
        def run(self, function, jobs):
            return super().run(function, list(jobs)[::-1])[::-1]

    parts, _ = bars(200, 3)
    there, back = known_after(parts, 2), known_after(Backwards(parts.examples, parts.sources), 2)
    for ours, theirs in zip(there.pools, back.pools, strict=True):
        assert np.array_equal(ours.atoms.constants, theirs.atoms.constants)
        assert np.array_equal(ours.source, theirs.source)


def test_pins_tell_which_part_found_them():
    parts, _ = bars(200, 3)
    pool = known_after(parts, 1).pools[1]
    from_parts = {pool.provenance(k).source.name for k in range(len(pool))}
    assert from_parts == {"part 0", "part 1", "part 2"}
    assert all(0 <= pool.provenance(k).epoch < 10 for k in range(len(pool)))


def test_parts_that_lack_a_side():
    parts, everything = bars(200, 2)
    lacking = [
        everything.some(np.flatnonzero(everything.labels == 1)[:30]),
        everything.some(np.flatnonzero(everything.labels == 0)[:30]),
        *parts.examples,
    ]
    sources = [Source(str(i)) for i in range(4)]
    known = known_after(PartsHere(lacking, sources), 2, share_examples=False)
    names = {known.pools[1].provenance(k).source.name for k in range(len(known.pools[1]))}
    assert names == {"2", "3"}


@pytest.mark.slow
def test_learning_ends_by_itself_and_tells_bars():
    parts, _ = bars(4000, 4, noise=0.2)
    held = bars(600, 1, seed=1, noise=0.2)[1]
    seen = []
    rounds = Rounds(Settings(), lambda done, current: seen.append(done.epochs))
    learned, known = learn_parts(parts, held, 0, rounds)
    test = bars(2000, 1, seed=2, noise=0.2)[1]
    assert (learned.scores(test.blocks(), len(test)).argmax(axis=1) != test.labels).mean() < 0.02
    assert seen[-1] == known.epoch < 500
    assert [done.epochs for done in learned.rounds] == seen


@pytest.mark.parametrize("where", ["learn", "check"])
def test_an_interruption_leaves_what_was_known_before(where):
    class Interrupted(PartsHere):
        calls = 0

        def run(self, function, jobs):
            self.calls += 1
            if self.calls == (5 if where == "learn" else 6):
                raise KeyboardInterrupt
            return super().run(function, jobs)

    parts, _ = bars(300, 2)
    held = bars(100, 1, seed=1)[1]
    rounds = Rounds(Settings(max_epochs=60))
    learned, known = learn_parts(Interrupted(parts.examples, parts.sources), held, 0, rounds)
    assert learned.interrupted and known.epoch == 20
    expected = known_after(parts, 2)
    for ours, theirs in zip(known.pools, expected.pools, strict=True):
        assert np.array_equal(ours.atoms.constants, theirs.atoms.constants)
