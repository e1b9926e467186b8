"""What is kept of atoms beside their constants."""

import numpy as np
from hypothesis import given

from atomlearn.engine.state import atoms_of, derive
from tests import naive
from tests.engine.strategies import any_problem, composites_of, singles_of, states
from tests.sets.strategies import KERNELS, to_sets

pytestmark = KERNELS


@given(states(any_problem, sound=False))
def test_master_of_derives_traces_and_sides(state):
    positives, dual, master = state.rows()
    assert composites_of(master) == state.composites and singles_of(master) == state.singles
    left, right = ([r[side] for r in state.problem.positives] for side in (0, 1))
    for cached, terms in [
        (master.traces, state.witnesses),
        (master.lefts, left),
        (master.rights, right),
    ]:
        assert to_sets(cached[: master.n]) == [naive.trace(a, terms) for a in state.composites]
        assert not cached[master.n :].any()
    before = master.traces.copy()
    derive(master, positives, dual)
    assert np.array_equal(master.traces, before)


@given(states(any_problem, sound=False))
def test_atoms_of_gives_every_atom(state):
    *_, master = state.rows()
    assert to_sets(atoms_of(master)) == state.atoms
    master.atoms[: master.n : 2] = 0  # atoms that vanished in a crossing
    rest = [*state.composites[1::2], *state.atoms[len(state.composites) :]]
    assert to_sets(atoms_of(master)) == [atom for atom in rest if atom]
