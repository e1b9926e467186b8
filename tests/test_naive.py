"""The graph, the sets and brute force agree; the paper's theorems as properties."""

from collections import Counter
from itertools import chain, combinations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import naive
from naive import (
    Dual,
    Embedding,
    InconsistentError,
    NoPartnerError,
    Script,
    closure,
    consistent,
    entails,
    holds,
    is_freer,
    is_model,
    seeded,
    terms_over,
    trace_of,
)

seeds = st.integers(0, 2**32 - 1)


def some(count: int):
    """Settings for a property checked on so many examples."""
    return settings(max_examples=count, deadline=None)


def terms(n, most=4):
    """A term over ``n`` constants."""
    return st.sets(st.integers(0, n - 1), min_size=1, max_size=min(n, most)).map(frozenset)


@st.composite
def relations_over(draw, n):
    """``(a, b)`` with a small ``a`` outside ``b`` whenever that is possible."""
    b = draw(terms(n))
    outside = sorted(frozenset(range(n)) - b) or sorted(b)
    return frozenset(draw(st.sets(st.sampled_from(outside), min_size=1, max_size=2))), b


@st.composite
def problems(draw, most=6, relations=4):
    """Constants, positive relations, and negative ones that do not contradict them."""
    n = draw(st.integers(min(4, most), most))
    positives = draw(st.lists(relations_over(n), min_size=1, max_size=relations))
    negatives = draw(st.lists(relations_over(n), min_size=2, max_size=8))
    return range(n), positives, [r for r in negatives if not entails(positives, *r)]


@st.composite
def models(draw, most=5):
    """Constants and any atoms over them."""
    n = draw(st.integers(2, most))
    return range(n), draw(st.lists(terms(n), max_size=6))


def constant_traces(constants, atoms, witnesses):
    return [trace_of(frozenset({c}), atoms, witnesses) for c in constants]


def own_atoms(constants, seed):
    """Half of the seeds start with an atom of its own for each constant, half with none."""
    return [frozenset({c}) for c in constants] if seed % 2 else []


def prepared(problem, seed):
    """Atoms and closed witnesses with all trace constraints enforced, on sets."""
    constants, positives, negatives = problem
    start = own_atoms(constants, seed)
    return naive.enforce_traces(start, [], positives, negatives, seeded(seed))


def embedded(problem, seed, *, separated=True):
    """The same on the graph; ``separated`` takes the paper's optional first step."""
    graph = Embedding(*problem)
    for atom in own_atoms(graph.constants, seed):
        graph.add_atom(atom)
    if separated:
        naive.enforce_reversed_negatives(graph)
        naive.complete_terms(graph)
    naive.enforce_trace_constraints(graph, seeded(seed))
    return graph


# ------------------------------------------------------------------- semantics by brute force


def all_models(constants):
    """Every model over the constants: every set of atoms."""
    atoms = terms_over(constants)
    sizes = (combinations(atoms, k) for k in range(len(atoms) + 1))
    return [list(chosen) for chosen in chain.from_iterable(sizes)]


MODELS_OF_THREE = all_models(range(3))
THREE = st.lists(st.tuples(terms(3), terms(3)), max_size=3)


@some(60)
@given(THREE, THREE)
def test_consistent_iff_there_is_a_model(positives, negatives):
    found = any(is_model(atoms, positives, negatives) for atoms in MODELS_OF_THREE)
    assert consistent(positives, negatives) == found


@some(60)
@given(THREE, THREE, terms(3), terms(3))
def test_theorem_4_negatives_entail_nothing_positive(positives, negatives, a, b):
    assume(consistent(positives, negatives))
    followed = all(
        holds(atoms, a, b) for atoms in MODELS_OF_THREE if is_model(atoms, positives, negatives)
    )
    assert followed == entails(positives, a, b)


@some(100)
@given(problems(), st.data())
def test_closure_is_the_least_closed_set(problem, data):
    constants, positives, _ = problem
    S = data.draw(terms(len(constants)))
    above = [closed for closed in naive.closed_sets(constants, positives) if closed >= S]
    assert closure(S, positives) == frozenset.intersection(*above)


@some(100)
@given(problems())
def test_freest_model_two_ways(problem):
    constants, positives, _ = problem
    by_crossing = naive.freest_by_crossing(constants, positives)
    assert set(by_crossing) == set(naive.freest_atoms(constants, positives))


@some(60)
@given(problems(most=5))
def test_freest_model_holds_what_is_entailed(problem):
    constants, positives, _ = problem
    atoms = naive.freest_atoms(constants, positives)
    for a in terms_over(constants):
        for b in terms_over(constants):
            assert holds(atoms, a, b) == entails(positives, a, b)


@some(60)
@given(problems(most=4), seeds)
def test_every_learned_model_is_less_free_than_the_freest(problem, seed):
    constants, positives, _ = problem
    atoms, witnesses = prepared(problem, seed)
    for a, b in positives:
        atoms = naive.sparse_crossing(atoms, witnesses, a, b, seeded(seed))
    assert is_freer(naive.freest_atoms(constants, positives), atoms, constants)


@some(100)
@given(problems())
def test_least_free_model_two_ways(problem):
    _, positives, negatives = problem
    atoms = naive.least_free_atoms(*problem)
    assert set(naive.memory(*problem)) == set(atoms)
    assert is_model(atoms, positives, negatives)


def test_least_free_is_not_what_the_paper_says():
    """It separates x from b though nothing asks for it (ALGEBRA 4.12)."""
    a, b, x = map(frozenset, "abx")
    atoms = naive.least_free_atoms("abx", [], [(a, b)])
    assert not holds(atoms, x, b)


@some(100)
@given(models())
def test_theorem_5_redundant_atoms_change_nothing(model):
    constants, atoms = model
    kept = naive.irredundant(atoms)
    assert is_freer(kept, atoms, constants)  # fewer atoms are never freer, so they are the same


@some(100)
@given(models(most=4))
def test_theorem_5_other_atoms_are_needed(model):
    """Except an atom of all constants, which Theorem 5 forgets: its pinning term is empty."""
    constants, atoms = model
    atoms = naive.irredundant(atoms)
    for atom in atoms:
        rest = [other for other in atoms if other != atom]
        assert is_freer(rest, atoms, constants) == (atom == frozenset(constants))


def test_atom_of_all_constants_is_not_redundant_and_not_needed():
    everything = frozenset("ab")
    assert not naive.redundant(everything, [everything])
    assert is_freer([], [everything], "ab")


@some(60)
@given(models(most=4), st.lists(terms(4), max_size=6))
def test_theorem_3_pinning_relations_keep_what_is_separated(model, others):
    constants, atoms = range(4), model[1]
    relations = naive.pinning_relations(atoms, constants)
    keeps = not any(holds(others, c, pin) for c, pin in relations)
    assert keeps == is_freer(others, atoms, constants)


# ------------------------------------------------------------------- the graph against the sets


@some(60)
@given(problems())
def test_edges_between_parts_and_wholes(problem):
    """Section 2.3, whichever of the two terms came first; and reversed in the dual."""
    graph = Embedding(*problem)
    for x in graph.terms:
        for y in graph.terms:
            assert (y in graph.GU(x)) == (x < y)
            assert Dual(x) in graph.GU(Dual(y)) or not x < y


@some(60)
@given(problems(), seeds)
def test_traces_of_graph_and_sets(problem, seed):
    constants, positives, negatives = problem
    graph = embedded(problem, seed, separated=False)
    atoms, witnesses = graph.as_sets()
    position = {zeta: i for i, zeta in enumerate(sorted(graph.A_dual()))}
    elements = [frozenset({c}) for c in constants] + [*chain(*positives), *chain(*negatives)]
    for x in elements:
        assert {position[zeta] for zeta in graph.Tr(x)} == trace_of(x, atoms, witnesses)
    for phi, atom in zip(sorted(graph.A()), atoms, strict=True):
        assert {position[zeta] for zeta in graph.Tr(phi)} == naive.trace(atom, witnesses)
    for a, b in chain(positives, negatives):
        assert graph.less(a, b) == holds(atoms, a, b)


def relation(a: str, b: str):
    return frozenset(map(int, a)), frozenset(map(int, b))


# The second relation fires on the third and fourth, the first on the second: one pass is too few.
CHAIN = [relation("6", "01"), relation("1", "23"), relation("2", "4"), relation("3", "5")]


@some(100)
@given(problems())
@example((range(8), CHAIN, [relation("7", "045")]))
def test_completed_dual_atoms_are_closed(problem):
    _, positives, negatives = problem
    graph = Embedding(*problem)
    zetas = naive.enforce_reversed_negatives(graph)
    naive.complete_terms(graph)
    for zeta, (_, b) in zip(zetas, negatives, strict=True):
        assert graph.constants_in(zeta) == closure(b, positives)


@some(100)
@given(problems(), seeds)
def test_algorithms_1_and_2_draw_alike(problem, seed):
    """From the same state, with the same choices, graph and sets add the same atoms."""
    _, positives, negatives = problem
    graph = Embedding(*problem)
    naive.enforce_reversed_negatives(graph)
    naive.complete_terms(graph)
    state = graph.as_sets()
    naive.enforce_negative_trace_constraints(graph, seeded(seed))
    state = naive.enforce_negative(*state, negatives, seeded(seed))
    assert graph.as_sets() == state
    naive.enforce_positive_trace_constraints(graph, seeded(seed))
    state = naive.enforce_positive(*state, positives, seeded(seed))
    assert graph.as_sets() == state


@some(100)
@given(problems(), seeds)
def test_crossings_draw_alike(problem, seed):
    """Repeats too; only the order differs, as the graph makes ε anew."""
    _, positives, _ = problem
    graph = embedded(problem, seed)
    for a, b in positives:
        atoms, witnesses = graph.as_sets()
        naive.sparse_crossing_of_a_into_b(graph, a, b, seeded(seed))
        crossed = naive.sparse_crossing(atoms, witnesses, a, b, seeded(seed))
        assert Counter(graph.as_sets()[0]) == Counter(crossed)


@some(40)
@given(problems(most=5, relations=2), seeds)
def test_full_crossings_agree(problem, seed):
    _, positives, _ = problem
    graph = embedded(problem, seed)
    for a, b in positives:
        atoms, _ = graph.as_sets()
        naive.full_crossing_of_a_into_b(graph, a, b)
        assert Counter(graph.as_sets()[0]) == Counter(naive.full_crossing(atoms, a, b))


@some(100)
@given(problems(), seeds)
def test_reductions_draw_alike(problem, seed):
    constants, positives, negatives = problem
    graph = embedded(problem, seed)
    for a, b in positives:
        naive.sparse_crossing_of_a_into_b(graph, a, b, seeded(seed))
    atoms, witnesses = graph.as_sets()
    naive.atom_set_reduction(graph, seeded(seed))
    assert graph.as_sets()[0] == naive.reduce(atoms, witnesses, constants, seeded(seed))
    naive.atom_set_reduction_for_the_dual_algebra(graph, seeded(seed))
    assert graph.as_sets()[1] == naive.dual_reduction(witnesses, negatives, seeded(seed))


@some(60)
@given(problems(), seeds)
def test_pinning_agrees(problem, seed):
    constants, _, _ = problem
    graph = embedded(problem, seed)
    _, relations = naive.generation_of_pinning_terms_and_relations(graph)
    assert relations == naive.pinning_relations(graph.as_sets()[0], constants)


# ------------------------------------------------------------------------- trace constraints


def constraints_hold(problem, atoms, witnesses):
    _, positives, negatives = problem
    return all(
        naive.positive_constraint_holds(d, e, atoms, witnesses) for d, e in positives
    ) and all(naive.negative_constraint_holds(a, b, atoms, witnesses) for a, b in negatives)


@some(100)
@given(problems(), seeds)
def test_theorem_7_constraints_can_be_enforced_on_sets(problem, seed):
    atoms, witnesses = prepared(problem, seed)
    assert constraints_hold(problem, atoms, witnesses)
    assert all(naive.is_closed(S, problem[1]) for S in witnesses)


@some(100)
@given(problems(), seeds, st.booleans())
def test_theorem_7_constraints_can_be_enforced_on_the_graph(problem, seed, separated):
    graph = embedded(problem, seed, separated=separated)
    assert all(graph.Tr(e) <= graph.Tr(d) for d, e in graph.positives)
    assert not any(graph.Tr(b) <= graph.Tr(a) for a, b in graph.negatives)


@some(60)
@given(problems(), seeds, st.data())
def test_witnesses_that_are_not_closed_are_mended(problem, seed, data):
    """The branch Γ = ∅ of Algorithm 2: a pass ends with its constraints enforced all the same."""
    constants, positives, negatives = problem
    n = len(constants)
    atoms = data.draw(st.lists(terms(n), max_size=4))
    witnesses = data.draw(st.lists(terms(n), min_size=1, max_size=4))
    state = naive.enforce_traces(atoms, witnesses, positives, negatives, seeded(seed))
    assert constraints_hold(problem, *state)
    assert all(old <= new for old, new in zip(witnesses, state[1], strict=False))


def test_branch_gamma_empty_adds_the_edge():
    a, b = frozenset("a"), frozenset("b")
    atoms, witnesses = naive.enforce_positive([a], [b], [(a, b)], Script(0))
    assert (atoms, witnesses) == ([a], [frozenset("ab")])


@some(100)
@given(problems(), seeds)
def test_enforcement_alone_satisfies_the_negatives(problem, seed):
    """Section 2.7: "all negative relations are already satisfied in M"."""
    atoms, _ = prepared(problem, seed)
    assert is_model(atoms, [], problem[2])


INCONSISTENT_THROUGH_A_TERM = (  # c1 < b, c2 < b, ¬(c1 ⊙ c2 < b)
    ["b", "c1", "c2"],
    [(frozenset({"c1"}), frozenset("b")), (frozenset({"c2"}), frozenset("b"))],
    [(frozenset({"c1", "c2"}), frozenset("b"))],
)


def test_edges_miss_an_inconsistency_through_a_term():
    """Section 2.6 says edges decide consistency; they do not (ALGEBRA 4.8)."""
    graph = Embedding(*INCONSISTENT_THROUGH_A_TERM)
    naive.enforce_reversed_negatives(graph)
    assert naive.reversed_relations_hold(graph)
    assert not consistent(*INCONSISTENT_THROUGH_A_TERM[1:])


def test_inconsistency_is_raised():
    _, positives, negatives = INCONSISTENT_THROUGH_A_TERM
    with pytest.raises(InconsistentError):
        naive.enforce_trace_constraints(Embedding(*INCONSISTENT_THROUGH_A_TERM), seeded(0))
    with pytest.raises(InconsistentError):
        naive.enforce_negative_trace_constraints(Embedding(*INCONSISTENT_THROUGH_A_TERM), seeded(0))
    with pytest.raises(InconsistentError):
        naive.enforce_traces([], [], positives, negatives, seeded(0))


@some(100)
@given(problems())
def test_edges_report_no_inconsistency_that_is_none(problem):
    graph = Embedding(*problem)
    naive.enforce_reversed_negatives(graph)
    assert naive.reversed_relations_hold(graph)


# -------------------------------------------------------------------------------- crossings

crossings = st.sampled_from([naive.sparse_crossing, naive.guided_sparse_crossing])


@some(150)
@given(problems(most=7), seeds, crossings)
def test_crossing_keeps_the_traces_and_makes_a_model(problem, seed, crossing):
    constants, positives, negatives = problem
    atoms, witnesses = prepared(problem, seed)
    choose = seeded(seed)
    before = constant_traces(constants, atoms, witnesses)
    for i, (a, b) in enumerate(positives):
        atoms = crossing(atoms, witnesses, a, b, choose)
        assert constant_traces(constants, atoms, witnesses) == before
        assert is_model(atoms, positives[: i + 1], negatives)


@some(100)
@given(problems(), seeds, crossings)
def test_crossing_from_singletons(problem, seed, crossing):
    """The start that ALGEBRA 4.1 recommends: every constant has its own atom."""
    constants, positives, negatives = problem
    choose = seeded(seed)
    own = [frozenset({c}) for c in constants]
    witnesses = naive.lazy_cover(negatives, [], choose, lambda S: closure(S, positives))
    assert naive.enforce_traces(own, witnesses, positives, negatives, choose) == (own, witnesses)
    atoms = own
    for a, b in positives:
        atoms = naive.reduce(atoms, witnesses, constants, choose)
        atoms = crossing(atoms, witnesses, a, b, choose)
    assert is_model(naive.reduce(atoms, witnesses, constants, choose), positives, negatives)


@some(60)
@given(problems(), seeds, st.booleans())
def test_crossing_on_the_graph_makes_a_model(problem, seed, spare):
    constants, positives, negatives = problem
    graph = embedded(problem, seed)
    before = [graph.Tr(frozenset({c})) for c in constants]
    for i, (a, b) in enumerate(positives):
        naive.sparse_crossing_of_a_into_b(graph, a, b, seeded(seed), spare=spare)
        assert [graph.Tr(frozenset({c})) for c in constants] == before
        assert all(graph.less(d, e) for d, e in positives[: i + 1])
    assert not any(graph.less(a, b) for a, b in negatives)


@some(150)
@given(models(), st.lists(terms(5), max_size=4), terms(5), terms(5))
@example((range(5), [frozenset({0})]), [frozenset({1})], frozenset({0}), frozenset({1}))
def test_theorem_1_full_crossing_keeps_traces_iff_constrained(model, witnesses, a, b):
    _, atoms = model
    graph = Embedding(range(5), [(a, b)], [])
    for atom in atoms:
        graph.add_atom(*(frozenset({c}) for c in atom))
    for S in witnesses:
        graph.add_dual_atom(*(Dual(frozenset({c})) for c in S))
    constrained = graph.Tr(b) <= graph.Tr(a)
    before = {phi: graph.Tr(phi) for phi in graph.dis(a, b)}
    rows = naive.full_crossing_of_a_into_b(graph, a, b)
    after = {phi: set.intersection(*map(graph.Tr, row)) for phi, row in rows.items()}
    assert (after == before) == constrained


@some(150)
@given(models(), st.lists(terms(5), max_size=4), terms(5), terms(5), seeds, crossings)
def test_sparse_crossing_has_partners_iff_constrained(model, witnesses, a, b, seed, crossing):
    _, atoms = model
    try:
        crossing(atoms, witnesses, a, b, seeded(seed))
    except NoPartnerError:
        assert not naive.positive_constraint_holds(a, b, atoms, witnesses)
    else:
        assert naive.positive_constraint_holds(a, b, atoms, witnesses)


@some(60)
@given(models(most=4), st.lists(terms(4), max_size=3), relations_over(4), seeds, crossings)
def test_theorem_6_crossing_makes_less_free(model, witnesses, relation, seed, crossing):
    d, e = relation
    assume(not d <= e)
    atoms = [*model[1], d - e]  # this atom makes ¬(d < e)
    atoms, witnesses = naive.enforce_positive(atoms, witnesses, [relation], seeded(seed))
    crossed = crossing(atoms, witnesses, d, e, seeded(seed))
    assert is_freer(atoms, crossed, range(4))
    assert not is_freer(crossed, atoms, range(4))
    assert holds(crossed, d, e)


@some(60)
@given(models(most=4), terms(4), terms(4))
def test_theorem_6_full_crossing_adds_only_what_follows(model, d, e):
    _, atoms = model
    every = terms_over(range(4))
    theory = [(a, b) for a in every for b in every if holds(atoms, a, b)]
    crossed = naive.full_crossing(atoms, d, e)
    for b in every:
        above = closure(b, [*theory, (d, e)])
        for a in every:
            assert holds(crossed, a, b) == (a <= above)


# -------------------------------------------------------------------- reductions and covers


@some(150)
@given(models(most=5), st.lists(terms(5), max_size=6), seeds)
def test_reduction_keeps_the_traces(model, witnesses, seed):
    _, atoms = model
    kept = naive.reduce(atoms, witnesses, range(5), seeded(seed))
    assert not Counter(kept) - Counter(atoms)
    assert constant_traces(range(5), kept, witnesses) == constant_traces(range(5), atoms, witnesses)


def test_reduction_keeps_one_of_two_equal_atoms():
    atom, other = frozenset("a"), frozenset("b")
    kept = naive.reduce([atom, atom], [other], "ab", Script("b", "a", 0, 1))
    assert kept == [atom]


@some(100)
@given(problems(), seeds, st.data())
def test_covers_separate_every_negative(problem, seed, data):
    constants, positives, negatives = problem
    closed = naive.closed_sets(constants, positives)
    candidates = data.draw(st.lists(st.sampled_from(closed), max_size=5))
    witnesses = naive.lazy_cover(
        negatives, candidates, seeded(seed), lambda S: closure(S, positives)
    )
    own = [closure(b, positives) for _, b in negatives]
    assert set(witnesses) <= {*candidates, *own}
    reduced = naive.dual_reduction(candidates + own, negatives, seeded(seed))
    for cover in (witnesses, reduced):
        assert len(cover) <= len(negatives)
        for a, b in negatives:
            assert any(naive.separates(S, a, b) for S in cover)


def test_covers_skip_what_is_covered():
    a, b, c = map(frozenset, "abc")
    negatives = [(a, b), (a, c)]
    both, only_b = frozenset("bc"), b
    assert naive.lazy_cover(negatives, [only_b, both], Script(0, 1, 1)) == [both]
    assert naive.lazy_cover(negatives, [only_b, both], Script(0, 0, 1, 2)) == [b, c]
    assert naive.dual_reduction([only_b, both], negatives, Script(1, 1, 0)) == [both]
    with pytest.raises(InconsistentError):
        naive.dual_reduction([only_b], negatives, Script(0, 0, 1))
    with pytest.raises(InconsistentError):
        naive.lazy_cover([(a, b)], [], Script(0), lambda S: S | a)
