"""What crossings keep, and what they make."""

from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests import naive
from tests.naive import (
    Dual,
    Embedding,
    NoPartnerError,
    closure,
    holds,
    is_freer,
    is_model,
    seeded,
    terms_over,
)
from tests.naive.strategies import (
    constant_traces,
    embedded,
    models,
    prepared,
    problems,
    relations_over,
    seeds,
    terms,
)

crossings = st.sampled_from([naive.sparse_crossing, naive.guided_sparse_crossing])


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


@given(models(), st.lists(terms(5), max_size=4), terms(5), terms(5), seeds, crossings)
def test_sparse_crossing_has_partners_iff_constrained(model, witnesses, a, b, seed, crossing):
    _, atoms = model
    try:
        crossing(atoms, witnesses, a, b, seeded(seed))
    except NoPartnerError:
        assert not naive.positive_constraint_holds(a, b, atoms, witnesses)
    else:
        assert naive.positive_constraint_holds(a, b, atoms, witnesses)


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
