"""Random small problems and models, as plain sets."""

from hypothesis import strategies as st

from tests import naive
from tests.naive import Embedding, entails, seeded, trace_of

seeds = st.integers(0, 2**32 - 1)


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
