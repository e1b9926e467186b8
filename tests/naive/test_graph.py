"""The graph of the paper and the lists of sets are the same."""

from collections import Counter
from itertools import chain

from hypothesis import example, given

from tests import naive
from tests.naive import Dual, Embedding, closure, holds, seeded, trace_of
from tests.naive.strategies import embedded, problems, seeds


@given(problems())
def test_edges_between_parts_and_wholes(problem):
    """Section 2.3, whichever of the two terms came first; and reversed in the dual."""
    graph = Embedding(*problem)
    for x in graph.terms:
        for y in graph.terms:
            assert (y in graph.GU(x)) == (x < y)
            assert Dual(x) in graph.GU(Dual(y)) or not x < y


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


@given(problems())
@example((range(8), CHAIN, [relation("7", "045")]))
def test_completed_dual_atoms_are_closed(problem):
    _, positives, negatives = problem
    graph = Embedding(*problem)
    zetas = naive.enforce_reversed_negatives(graph)
    naive.complete_terms(graph)
    for zeta, (_, b) in zip(zetas, negatives, strict=True):
        assert graph.constants_in(zeta) == closure(b, positives)


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


@given(problems(most=5, relations=2), seeds)
def test_full_crossings_agree(problem, seed):
    _, positives, _ = problem
    graph = embedded(problem, seed)
    for a, b in positives:
        atoms, _ = graph.as_sets()
        naive.full_crossing_of_a_into_b(graph, a, b)
        assert Counter(graph.as_sets()[0]) == Counter(naive.full_crossing(atoms, a, b))


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


@given(problems(), seeds)
def test_pinning_agrees(problem, seed):
    constants, _, _ = problem
    graph = embedded(problem, seed)
    _, relations = naive.generation_of_pinning_terms_and_relations(graph)
    assert relations == naive.pinning_relations(graph.as_sets()[0], constants)
