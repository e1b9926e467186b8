"""The paper's procedure to the letter: every epoch keeps what the paper proves of it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn import Algebra
from atomlearn.engine import DEFAULT, LETTER, PAPER, Concept, Protocol, Sampler, epoch, switches
from atomlearn.engine.epoch import holding
from atomlearn.engine.reduction import discriminating
from atomlearn.engine.state import Report, positives_of
from atomlearn.errors import InvalidParameter
from atomlearn.problems import queens
from atomlearn.sets.random import stream
from tests import naive
from tests.engine.bars import BAR, N, bars, rows
from tests.engine.strategies import closed_pins, lists_of, problems, relation_rows, small
from tests.engine.strategies import consistent as without_conflicts
from tests.sets.strategies import KERNELS, seeds, to_rows, to_sets

pytestmark = KERNELS

consistent_small = small.map(without_conflicts)
strategies = st.sampled_from(["hold", "enforce"])


def algebra_of(problem):
    algebra = Algebra(f"c{i}" for i in range(problem.n))

    def term(constants):
        return algebra.term(f"c{i}" for i in constants)

    algebra.add(term(a) <= term(b) for a, b in problem.positives)
    algebra.add(~(term(a) <= term(b)) for a, b in problem.negatives)
    return algebra


@given(consistent_small, seeds, strategies)
def test_every_letter_epoch_is_a_model_and_its_pins_are_consistent(problem, seed, strategy):
    algebra = algebra_of(problem)
    protocol = replace(LETTER, strategy=strategy)
    epochs = algebra.epochs(random_state=seed, protocol=protocol, max_epochs=3)
    everything = frozenset(range(problem.n))
    for done in epochs:
        atoms = to_sets(done.model.rows)
        assert naive.is_model(atoms, problem.positives, problem.negatives)
        pins = set(to_sets(epochs.pool.rows()))
        assert {atom for atom in atoms if atom != everything} <= pins  # Algorithm 6: all atoms
        for pin in pins:
            assert naive.is_closed(everything - pin, problem.positives)
    if strategy == "enforce":  # Theorem 3: with all pinning relations the last model is freest
        for pin in list(pins):
            assert naive.is_model(atoms, [], naive.pinning_relations([pin], everything))


@given(consistent_small, consistent_small, seeds)
def test_pins_that_the_relations_contradict_are_discarded_for_good(first, second, seed):
    n = max(first.n, second.n)
    one, other = (algebra_of(p._replace(n=n)) for p in (first, second))
    epochs = one.epochs(random_state=seed, protocol="letter")
    epochs.run()
    before = set(to_sets(epochs.pool.rows()))
    epochs.run(other)
    kept = before & set(to_sets(epochs.pool.rows()))
    everything = frozenset(range(n))
    closed = {p for p in before if naive.is_closed(everything - p, second.positives)}
    assert kept == closed


@given(problems, seeds)
def test_trace_constraints_hold_for_the_pinning_relations_that_hold_in_the_dual(problem, seed):
    n = problem.n
    everything = frozenset(range(n))
    pins = closed_pins(problem, seed, 20)
    terms = [everything - pin for pin in pins]
    witnesses = terms[::2] + [naive.closure(b, problem.positives) for _, b in problem.negatives]
    expected = [
        (c, T) for T in terms for c in sorted(everything - T)
        if any(T <= W and c not in W for W in witnesses)
    ]  # fmt: skip
    left, right = holding(lists_of(pins, n), to_rows(witnesses, n), n)
    found = [(min(a), b) for a, b in zip(to_sets(left), to_sets(right), strict=True)]
    assert set(found) <= set(expected)
    for c, T in expected:  # those left out follow from those that are there
        assert any(c == d and other >= T for d, other in found)
    batch = epoch.prepare(relation_rows(problem), stream(seed))
    dual, master, _ = epoch.enforce(
        batch, np.vstack([batch.left, left]), np.vstack([batch.closed, right]),
        to_rows(witnesses, n), to_rows([], n), stream(seed),
    )  # fmt: skip
    atoms = [frozenset({c}) for c in to_sets(master.singles[None])[0]]
    for c, T in expected:
        assert naive.negative_constraint_holds(frozenset({c}), T, atoms, to_sets(dual.witnesses))


@given(problems, seeds)
def test_reduction_by_the_negatives_keeps_them_and_no_more_atoms_than_there_are(problem, seed):
    batch = epoch.prepare(relation_rows(problem), stream(seed))
    atoms = epoch.run(batch, stream(seed), Report())
    kept = atoms[discriminating(atoms, batch.left, batch.closed, problem.n, stream(seed))]
    assert naive.is_model(to_sets(kept), problem.positives, problem.negatives)
    assert len(kept) <= len(problem.negatives)


def test_one_class_to_the_letter():
    terms, _, labels = bars(0, 60)
    concept = Concept(N, BAR, 0, replace(PAPER, first=10))
    sampler = Sampler(concept, rows(terms)[None], labels)
    sizes = []
    for _ in range(12):
        report = sampler.run_epoch()
        sizes.append(report.n_positive)
        assert concept.all_positives is None
        singles, composites = concept.kept
        assert len(composites) + sum(int(w).bit_count() for w in singles) == report.n_atoms
    assert sizes[0] == 10 and sizes == sorted(sizes)
    assert sizes[-1] < 10 * 1.05**12  # batches grow when accuracy stalls, not always


@given(consistent_small, seeds)
def test_a_free_start_is_an_atom_in_every_constant_of_the_first_epoch_alone(problem, seed):
    algebra = algebra_of(problem)
    free = replace(LETTER, dual="lazy")
    everything = frozenset(range(problem.n))
    for master, later in (("kept", None), ("forgotten", (None, None))):
        epochs = algebra.epochs(random_state=seed, protocol=replace(free, master=master))
        singles, composites = epochs._kept
        assert to_sets(singles[None])[0] == everything and composites is None
        atoms = to_sets(epochs.run().model.rows)
        assert naive.is_model(atoms, problem.positives, problem.negatives)
        assert later is None or epochs._kept == later
    assert epoch.beginning(DEFAULT, problem.n) == (None, None)


def test_a_free_start_and_an_empty_one_differ_only_where_the_vocabulary_is_needed():
    images, _, labels = bars(0, 60)
    found = {}
    for vocabulary in ("all", "needed"):
        for start in ("free", "empty"):
            protocol = replace(LETTER, vocabulary=vocabulary, start=start, master="forgotten")
            concept = Concept(N, BAR, 0, replace(PAPER, protocol=protocol))
            concept.learn_batch(rows(images)[labels], rows(images)[~labels])
            found[vocabulary, start] = set(to_sets(concept.pool.rows()))
    assert found["all", "free"] == found["all", "empty"]
    assert found["needed", "free"] != found["needed", "empty"]


def test_pins_are_forgotten_unless_memory_is_unlimited():
    game = queens.algebra(5, ["a1"])
    for memory in ("limited", "unlimited"):
        protocol = replace(LETTER, memory=memory)
        epochs = game.epochs(random_state=0, protocol=protocol, max_pins=10)
        for _ in range(2):
            next(epochs)
        assert (len(epochs.pool) <= 10) == (memory == "limited")


def test_attack_rules_one_by_one_say_the_same():
    merged, single = (queens.game(5, ["a1"], merged=m).algebra for m in (True, False))
    assert len(single.positive) > len(merged.positive)
    for term in ("U S", "U Qc3", "U Ea1 Qb3"):
        assert merged.closure(term).constants == single.closure(term).constants
    solver = queens.solve(5, ["a1"], protocol="letter")
    assert len(solver.game.algebra.positive) == len(single.positive)


def test_queens_to_the_letter_show_legal_queens_and_discard_pins():
    solver = queens.solve(6, ["b1"], random_state=0, max_epochs=12, protocol="letter")
    assert list(solver) == [] and solver.epochs.protocol is LETTER
    everything = solver.epochs.pool
    positives = solver.game.algebra.packed()
    relations = positives_of(
        positives.positive_left, positives.positive_right, positives.n_constants
    )
    assert everything.drop_contradicted(relations) == 0 and len(everything) > 0


def test_switches_have_reasons_and_wrong_values_are_refused():
    assert DEFAULT.deviations() == () and LETTER.deviations() == tuple(s.name for s in switches())
    assert all(s.reason and s.ours != s.paper for s in switches())
    quoted = {switch.name: switch.quotes for switch in switches()}
    assert "very free" in quoted["start"][0] and "2.3 and 2.6" in quoted["start"][1]
    with pytest.raises(InvalidParameter, match="vocabulary must be one of 'all', 'needed'"):
        Protocol(vocabulary="some")
    with pytest.raises(InvalidParameter, match="'default' or 'letter'"):
        Algebra(["a"]).epochs(protocol="paper")
