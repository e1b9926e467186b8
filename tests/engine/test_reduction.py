"""Algorithm 4 against the oracle, choice by choice."""

from hypothesis import given

from atomlearn.engine.reduction import reduce
from atomlearn.engine.state import constant_traces
from tests import naive
from tests.engine.strategies import any_problem, composites_of, singles_of, singletons, states
from tests.sets.strategies import KERNELS, seeds, to_sets, twin_streams

pytestmark = KERNELS


def named(sets):
    """Constants as text, so that they differ from the positions of atoms and witnesses."""
    return [frozenset(f"{c:04}" for c in s) for s in sets]


@given(states(any_problem) | states(any_problem, sound=False), seeds)
def test_reduce_is_algorithm_4(state, seed):
    _, dual, master = state.rows()
    traces = constant_traces(master, dual)
    stream, twin = twin_streams(seed)
    reduced = reduce(traces.copy(), dual, master, stream)

    n = state.problem.n
    order = [f"{c:04}" for c in twin.permutation(n)]

    def choose(options):
        return order.pop(0) if isinstance(options[0], str) else twin.choose(options)

    constants = [f"{c:04}" for c in range(n)]
    kept = naive.reduce(named(state.atoms), named(state.witnesses), constants, choose)
    result = [*composites_of(reduced), *singletons(singles_of(reduced))]
    assert named(result) == kept
    assert twin.agrees(stream)

    assert (constant_traces(reduced, dual) == traces).all()
    for cached, rows in [
        (reduced.traces, state.witnesses),
        (reduced.lefts, [a for a, _ in state.problem.positives]),
        (reduced.rights, [b for _, b in state.problem.positives]),
    ]:
        assert to_sets(cached[: reduced.n]) == [
            naive.trace(atom, rows) for atom in composites_of(reduced)
        ]
