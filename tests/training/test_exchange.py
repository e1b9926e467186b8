"""Parts that learn apart, against what may be believed of all of them together."""

from dataclasses import dataclass
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.datasets import vertical_bars
from atomlearn.engine.concept import Recipe
from atomlearn.engine.pool import Source
from atomlearn.sets import rows
from atomlearn.training.data import EVERY, Examples
from atomlearn.training.loop import Training
from atomlearn.training.parts import (
    Part,
    Shared,
    Task,
    check_part,
    joined_parts,
    learn_part,
)
from atomlearn.training.settings import Clock, Hooks, Settings
from atomlearn.training.strict import Exchange, State
from tests.engine.strategies import sets_of_lists
from tests.sets.strategies import FEWER, seeds

N = 33  # 4 × 4 pixels, black and white, and the class


@dataclass
class PartsHere:
    """Parts in the memory of this process, one after the other."""

    parts: list
    sources: list
    at_a_time = 1

    def run(self, function, jobs, on_result=lambda result: None):
        results = [function(self.parts[job.part], *job.shared, *job.own) for job in jobs]
        for result in results:
            on_result(result)
        return results


def examples_of(images, labels):
    both = np.hstack([images, ~images, np.zeros((len(images), 1), dtype=bool)])
    packed = rows.pack(both)[None]
    return Examples(packed, labels.astype(np.int64), np.ones(len(labels)), N, 2)


def bars(n, n_parts, seed=0, noise=0.3, n_folds=2):
    images, labels = vertical_bars(n, shape=(4, 4), noise=noise, random_state=seed)
    everything = examples_of(images, labels)
    which = np.array_split(np.arange(n), n_parts)
    rng = np.random.default_rng(0)
    parts = [Part.of(everything.some(ours), n_folds, rng) for ours in which]
    return here(parts), everything


def here(parts):
    return PartsHere(parts, [part.source(f"part {p}") for p, part in enumerate(parts)])


def terms(examples, label):
    bits = rows.unpack(examples.variants[0], N)
    return [frozenset(np.flatnonzero(bits[i])) for i in np.flatnonzero(examples.labels == label)]


def state_after(parts, n_exchanges, seed=0, share_examples=True):
    state = State.nothing(parts.parts[0].dealt.n_folds, 2, N)
    exchange = Exchange(parts, seed, Recipe(), Clock(Settings()), Hooks(), share_examples)
    for _ in range(n_exchanges):
        state, _, _ = exchange.run(state, 10)
    return state


@FEWER
@given(st.integers(1, 4), st.integers(8, 60), seeds)
def test_what_is_known_holds_for_every_example_outside_the_fold(n_parts, n, seed):
    parts, _ = bars(n, n_parts, seed % 1000)
    state = state_after(parts, 2, seed)
    for f, pools in enumerate(state.pools):
        for k, pool in enumerate(pools):
            examples = [e for part in parts.parts for e in terms(part.without(f), k)]
            for atom in sets_of_lists(pool.atoms):
                assert N - 1 in atom
                assert all(atom & example for example in examples)


def test_an_atom_that_another_part_contradicts_is_not_believed():
    parts, _ = bars(400, 4)
    task = Task(0, EVERY, 1, 0, 0)
    nothing = State.nothing(2, 2, N)
    known, shared = nothing.pools[0][1].atoms, nothing.shared(0)
    found = learn_part(parts.parts[0], known, shared, task, 10, 1000, Recipe())
    suggested = sets_of_lists(found.atoms)
    checked = [check_part(part, found.atoms, task, 3) for part in parts.parts]
    for part, one in zip(parts.parts, checked, strict=True):
        examples = terms(part.examples, 1)
        assert one.mask.tolist() == [not all(a & e for e in examples) for a in suggested]
        missed = sorted((sum(not a & e for a in suggested) for e in examples), reverse=True)
        told = [frozenset(np.flatnonzero(row)) for row in rows.unpack(one.examples, N)]
        assert [sum(not a & e for a in suggested) for e in told] == [m for m in missed[:3] if m]
        assert all(e in examples for e in told)
    assert not checked[0].mask.any() and any(one.mask.any() for one in checked[1:])
    # told of the examples that refute them, the part suggests nothing that these contradict
    refuting = np.concatenate([one.examples for one in checked])
    shared = Shared(refuting, np.ones(len(refuting), dtype=np.int64))
    again = learn_part(parts.parts[0], known, shared, task, 10, 1000, Recipe())
    told = [frozenset(np.flatnonzero(row)) for row in rows.unpack(refuting, N)]
    assert all(a & e for a in sets_of_lists(again.atoms) for e in told)
    assert state_after(parts, 1).n_refuted > 0


def test_examples_are_shared_only_if_that_is_allowed():
    parts, _ = bars(400, 4)
    alone = state_after(parts, 1, share_examples=False)
    assert not any(len(rows) for ours in alone.refuting for rows in ours)
    state = state_after(parts, 3)
    for f, ours in enumerate(state.refuting):
        for k, refuting in enumerate(ours):
            told = [frozenset(np.flatnonzero(row)) for row in rows.unpack(refuting, N)]
            assert told and len(set(told)) == len(told) <= 1000
            assert set(told) <= {e for part in parts.parts for e in terms(part.without(f), k)}


def test_the_order_of_jobs_does_not_matter():
    class Backwards(PartsHere):
        def run(self, function, jobs, on_result=lambda result: None):
            return super().run(function, list(jobs)[::-1], on_result)[::-1]

    parts, _ = bars(200, 3)
    there, back = state_after(parts, 2), state_after(Backwards(parts.parts, parts.sources), 2)
    for ours, theirs in zip(chain(*there.pools), chain(*back.pools), strict=True):
        assert np.array_equal(ours.atoms.constants, theirs.atoms.constants)
        assert np.array_equal(ours.source, theirs.source)


def test_atoms_tell_which_part_found_them():
    parts, _ = bars(200, 3)
    pool = state_after(parts, 1).pools[0][1]
    from_parts = {pool.provenance(k).source.name for k in range(len(pool))}
    assert from_parts == {"part 0", "part 1", "part 2"}
    assert all(0 <= pool.provenance(k).epoch < 10 for k in range(len(pool)))


def test_parts_that_lack_a_side():
    parts, everything = bars(200, 2)
    rng = np.random.default_rng(0)
    lacking = [
        Part.of(everything.some(np.flatnonzero(everything.labels == k)[:30]), 2, rng)
        for k in (1, 0)
    ]
    state = state_after(here([*lacking, *parts.parts]), 2, share_examples=False)
    pool = state.pools[0][1]
    names = {pool.provenance(k).source.name for k in range(len(pool))}
    assert names == {"part 2", "part 3"}


@pytest.mark.parametrize("n_parts", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_bars_are_learned(n_parts):
    parts, everything = bars(6000, n_parts, noise=0.2, n_folds=3)
    seen = []
    hooks = Hooks(lambda done, current: seen.append(done.epochs))
    learned = Training(parts, joined_parts(parts.parts), 0, Settings(), hooks).run()
    said = learned.scores(everything.blocks(), len(everything)).argmax(axis=1)
    assert (said != everything.labels).mean() < 0.25  # half is chance: it learns at all
    assert seen[-1] == learned.epochs[0]
    assert [done.epochs for done in learned.rounds] == seen


def test_strict_atoms_of_all_folds_hold_for_every_example():
    parts, everything = bars(600, 2, noise=0.2, n_folds=5)
    learned = Training(parts, joined_parts(parts.parts), 0, Settings(max_epochs=20)).run()
    assert all(map(len, learned.pools))
    for k, pool in enumerate(learned.pools):
        atoms = sets_of_lists(pool.atoms)
        assert all(atom & example for atom in atoms for example in terms(everything, k))


@pytest.mark.parametrize("where", ["learn", "check"])
def test_an_interruption_leaves_what_was_known_before(where):
    class Interrupted(PartsHere):
        calls = 0

        def run(self, function, jobs, on_result=lambda result: None):
            self.calls += 1
            if self.calls == (5 if where == "learn" else 6):
                raise KeyboardInterrupt
            return super().run(function, jobs, on_result)

    parts, _ = bars(300, 2, n_folds=5)
    interrupted = Interrupted(parts.parts, parts.sources)
    states = []
    home = joined_parts(parts.parts)
    learned = Training(
        interrupted, home, 0, Settings(max_epochs=200), on_exchange=states.append
    ).run()
    assert learned.interrupted and [state.epoch for state in states] == [1, 3]
    whole = []
    Training(parts, home, 0, Settings(max_epochs=200), on_exchange=whole.append).run()
    for ours, theirs in zip(chain(*states[-1].pools), chain(*whole[1].pools), strict=True):
        assert np.array_equal(ours.atoms.constants, theirs.atoms.constants)


@pytest.mark.slow
def test_a_saved_state_goes_on_as_if_it_had_never_stopped():
    parts, _ = bars(400, 2, n_folds=5)
    home, states = joined_parts(parts.parts), []
    told = Settings(max_epochs=150)
    whole = Training(parts, home, 0, told, on_exchange=states.append).run()
    assert len(states) > 2
    resumed = Training(parts, home, 0, told, state=states[1]).run()
    for ours, theirs in zip(resumed.pools, whole.pools, strict=True):
        assert np.array_equal(ours.atoms.constants, theirs.atoms.constants)
    assert np.array_equal(resumed.calibration.offset, whole.calibration.offset)


def test_sources_tell_data_apart():
    (one, other), _ = bars(20, 2)[0].parts, None
    assert one.source() == Source("", one.source().digest, 10) != other.source()
