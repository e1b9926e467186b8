"""What every epoch keeps, whatever the relations and the settings; checked at every step."""

from collections import Counter
from contextlib import ExitStack, contextmanager
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from atomlearn.engine import epoch, learn
from atomlearn.engine.pool import Pool
from atomlearn.engine.protocol import Protocol
from atomlearn.engine.state import Report
from atomlearn.sets.random import stream
from tests import naive
from tests.engine.strategies import (
    Problem,
    any_problem,
    branching_problem,
    closed_pins,
    composites_of,
    consistent,
    lists_of,
    positive_rows,
    problems,
    random_problem,
    random_terms,
    relation_rows,
    singles_of,
    singletons,
)
from tests.sets.strategies import KERNELS, seeds, to_rows, to_sets, twin_streams

pytestmark = KERNELS

protocols = st.builds(
    Protocol,
    vocabulary=st.sampled_from(["all", "needed"]),
    draws=st.sampled_from(["guided", "fewest", "blind"]),
    partners=st.sampled_from(["fixed", "renewed"]),
    renewal=st.sampled_from(["always", "needed"]),
    dual=st.sampled_from(["lazy", "greedy", "reduced", "every"]),
    strategy=st.sampled_from(["lend", "enforce", "hold"]),
    reduction=st.sampled_from(["traces", "negatives"]),
)
growths = st.sampled_from([(2.0, 512), (1.0, 0), (1.3, 5)])


def atoms_in(master):
    return [*filter(None, composites_of(master)), *singletons(singles_of(master))]


def constant_traces(n, atoms, witnesses):
    """``Tr(c)`` of every constant from the atoms alone."""
    traces = [set(range(len(witnesses))) for _ in range(n)]
    for atom in atoms:
        trace = naive.trace(atom, witnesses)
        for c in atom:
            traces[c] &= trace
    return traces


def holding(atoms, relations):
    return {i for i, (a, b) in enumerate(relations) if naive.holds(atoms, a, b)}


def assert_cached(master, positives, dual, first):
    """What is cached of the composites is what ``derive`` makes of their constants."""
    fresh = epoch.master_of(master.singles, master.atoms[: master.n], positives, dual)
    present = master.atoms[: master.n].any(axis=1)
    for name, word in [("traces", 0), ("lefts", first // 64), ("rights", first // 64)]:
        cached, derived = (getattr(m, name)[: master.n, word:][present] for m in (master, fresh))
        assert np.array_equal(cached, derived), name


@contextmanager
def watched(n, relations, growth=epoch.GROWTH, floor=epoch.FLOOR):
    """Check every crossing and every reduction; gives the number of both."""
    steps = {"crossings": 0, "reductions": 0, "most": 0}
    cross_until, reduce = epoch.cross_until, epoch.reduce

    def crossing(limit, first, positives, dual, master, rng, budget, *way):
        witnesses, before = to_sets(dual.witnesses), atoms_in(master)
        result = cross_until(limit, first, positives, dual, master, rng, budget, *way)
        done, after, _ = result
        atoms = atoms_in(after)
        assert constant_traces(n, atoms, witnesses) == constant_traces(n, before, witnesses)
        held = holding(atoms, relations)
        assert held >= holding(before, relations)
        assert held >= set(range(done))
        assert_cached(after, positives, dual, done)
        steps["crossings"] += 1
        steps["most"] = max(steps["most"], after.n)
        return result

    def reduction(traces, dual, master, rng):
        witnesses, before = to_sets(dual.witnesses), atoms_in(master)
        expected = constant_traces(n, before, witnesses)
        assert to_sets(traces) == expected
        after = reduce(traces, dual, master, rng)
        atoms = atoms_in(after)
        assert set(atoms) <= set(before)
        assert constant_traces(n, atoms, witnesses) == expected
        steps["reductions"] += 1
        return after

    with ExitStack() as patches:
        for name, value in [
            ("cross_until", crossing),
            ("reduce", reduction),
            ("GROWTH", growth),
            ("FLOOR", floor),
        ]:
            patches.enter_context(mock.patch.object(epoch, name, value))
        yield steps


def run(problem, seed, pins=(), kept=None, growth=(epoch.GROWTH, epoch.FLOOR), **settings):
    """One epoch watched; its atoms."""
    rng = stream(seed)
    batch = epoch.prepare(relation_rows(problem), rng)
    shuffled = list(zip(to_sets(batch.positives.left), to_sets(batch.positives.right), strict=True))
    assert Counter(shuffled) == Counter(problem.positives)
    with watched(problem.n, shuffled, *growth):
        return to_sets(
            epoch.run(
                batch,
                rng,
                Report(),
                pins=lists_of(list(pins), problem.n),
                kept=None if kept is None else to_rows(kept, problem.n),
                **settings,
            )
        )


def assert_model(atoms, problem):
    assert naive.is_model(atoms, problem.positives, problem.negatives)
    for atom in atoms:  # not freer than the freest model
        assert naive.is_closed(naive.pinning_term(atom, range(problem.n)), problem.positives)
    assert all(atoms) and len(atoms) == len(set(atoms))


@given(problems, seeds, protocols, st.booleans(), st.booleans(), growths)
def test_all_relations_hold_after_an_epoch(problem, seed, protocol, with_pins, keep, growth):
    pins = closed_pins(problem, seed, 12) if with_pins else []
    kept = random_terms(seed, 10, problem.n) if keep else None
    atoms = run(problem, seed, pins, kept, growth, protocol=protocol)
    assert_model(atoms, problem)
    if protocol.strategy == "enforce":
        assert naive.is_model(atoms, [], naive.pinning_relations(pins, range(problem.n)))


@pytest.mark.parametrize("growth", [(2.0, 512), (1.0, 0)])
def test_invariants_hold_while_arrays_grow_and_atoms_are_reduced(growth):
    problem, witnesses = branching_problem()
    rng = stream(5)
    batch = epoch.prepare(relation_rows(problem), rng)
    relations = list(
        zip(to_sets(batch.positives.left), to_sets(batch.positives.right), strict=True)
    )
    with watched(problem.n, relations, *growth) as steps:
        master = epoch.embed(
            batch, batch.left, batch.closed, to_rows(witnesses, problem.n), rng, Report()
        )
    assert_model(atoms_in(master), problem)
    if growth == (2.0, 512):
        assert steps["most"] > 256 and steps["crossings"] < 5
    else:
        assert steps["crossings"] == steps["reductions"] - 1 > 5


@given(any_problem, seeds)
def test_exactly_the_contradicted_relations_are_conflicts(problem, seed):
    batch = epoch.prepare(relation_rows(problem), stream(seed))
    wrong = naive.conflicts(problem.positives, problem.negatives)
    assert [problem.negatives[j] for j in batch.conflicts] == wrong
    rest = consistent(problem)
    assert to_sets(batch.left) == [a for a, _ in rest.negatives]
    assert to_sets(batch.closed) == [naive.closure(b, rest.positives) for _, b in rest.negatives]
    assert_model(to_sets(epoch.run(batch, stream(seed), Report())), rest)


@given(any_problem, seeds)
def test_learn_refuses_conflicts_before_any_work(problem, seed):
    wrong = naive.conflicts(problem.positives, problem.negatives)
    reports = []
    if wrong:
        with (
            mock.patch("atomlearn.engine.epochs.run", side_effect=AssertionError),
            pytest.raises(ValueError, match=f"relation {problem.negatives.index(wrong[0])} "),
        ):
            learn(relation_rows(problem), random_state=1, on_epoch=reports.append)
        assert not reports
    else:
        atoms = learn(relation_rows(problem), random_state=1, on_epoch=reports.append)
        assert_model(to_sets(atoms), problem)
        (report,) = reports
        assert (report.n_positive, report.n_negative, report.n_atoms) == (
            len(problem.positives),
            len(problem.negatives),
            len(atoms),
        )


@given(problems, problems, seeds)
def test_pins_of_one_batch_serve_the_next_if_it_does_not_contradict_them(first, second, seed):
    n = max(first.n, second.n)
    first, second = first._replace(n=n), second._replace(n=n)
    pool = Pool(n)
    pins = run(first, seed)
    pool.add(to_rows(pins, n), 0)
    pool.drop_contradicted(positive_rows(second.positives, n))
    good = [p for p in pins if naive.is_closed(naive.pinning_term(p, range(n)), second.positives)]
    assert to_sets(pool.rows()) == good
    assert_model(run(second, seed, good), second)


@given(problems, seeds, protocols)
def test_the_same_seed_gives_the_same_atoms(problem, seed, protocol):
    pins = closed_pins(problem, seed, 12)
    one, other = (run(problem, seed, pins, protocol=protocol) for _ in range(2))
    assert one == other


def test_another_seed_gives_other_atoms():
    problem = consistent(random_problem(1, 100, 20, 40))
    assert len({frozenset(run(problem, seed)) for seed in range(5)}) == 5


@given(problems, seeds)
def test_enforce_is_algorithms_1_and_2_in_turn(problem, seed):
    batch, witnesses, composites = start_of(problem, seed)
    stream, twin = twin_streams(seed)
    negatives = list(zip(to_sets(batch.left), to_sets(batch.closed), strict=True))
    positives = list(
        zip(to_sets(batch.positives.left), to_sets(batch.positives.right), strict=True)
    )
    everything = [*witnesses, *(b for _, b in negatives)]
    rows = to_rows(everything, problem.n), to_rows(composites, problem.n)
    dual, master, traces = epoch.enforce(batch, batch.left, batch.closed, *rows, stream)
    atoms, same = naive.enforce_traces(composites, everything, positives, negatives, twin.choose)
    assert same == everything == to_sets(dual.witnesses)
    assert twin.agrees(stream)
    assert sorted(map(sorted, atoms_in(master))) == sorted(map(sorted, atoms))
    assert to_sets(traces) == constant_traces(problem.n, atoms, everything)


@given(problems, seeds)
@example(Problem(2, [], [(frozenset({0}), frozenset({1}))]), 0)
def test_enforce_adds_the_witnesses_that_are_lacking(problem, seed):
    # The oracle goes on after a new witness, the engine starts over: only the constraints compare.
    assume(problem.negatives)
    batch, witnesses, composites = start_of(problem, seed)
    rows = to_rows(witnesses, problem.n), to_rows(composites, problem.n)
    dual, master, traces = epoch.enforce(batch, batch.left, batch.closed, *rows, stream(seed))
    atoms, after = atoms_in(master), to_sets(dual.witnesses)
    assert after[: len(witnesses)] == witnesses
    assert set(after[len(witnesses) :]) <= set(to_sets(batch.closed))
    assert to_sets(traces) == constant_traces(problem.n, atoms, after)
    for a, b in problem.negatives:
        assert naive.negative_constraint_holds(a, naive.closure(b, problem.positives), atoms, after)
    assert all(naive.positive_constraint_holds(d, e, atoms, after) for d, e in problem.positives)


def start_of(problem, seed):
    """A batch, closed witnesses that need not separate anything, and composite atoms."""
    witnesses = [frozenset(range(problem.n)) - pin for pin in closed_pins(problem, seed, 3)]
    batch = epoch.prepare(relation_rows(problem), stream(seed))
    return batch, witnesses, random_terms(seed, 3, problem.n)


def test_a_witness_that_is_not_closed_is_noticed():
    problem = Problem(3, [(frozenset({0}), frozenset({1}))], [])
    batch = epoch.prepare(relation_rows(problem), stream(0))
    loose, none, kept = ([{1}], [], [{0}])
    rows = [to_rows(sets, 3) for sets in (loose, none, none)]
    with pytest.raises(AssertionError, match="not closed"):
        epoch.enforce(batch, rows[1], rows[2], rows[0], to_rows(kept, 3), stream(0))
    with pytest.raises(AssertionError, match="does not hold"):
        epoch.embed(batch, rows[1], rows[2], rows[0], stream(0), Report())
