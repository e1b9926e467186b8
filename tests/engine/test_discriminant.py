"""Atoms × relations against ``φ ∈ dis(a, b)`` one by one."""

from hypothesis import given

from atomlearn.engine.misses import contradicted, discriminants
from tests.engine.strategies import any_problem, lists_of, positive_rows
from tests.naive import dis
from tests.sets.strategies import KERNELS, families, to_sets

pytestmark = KERNELS


@given(any_problem, families(counts=[0, 1, 5, 70]))
def test_discriminants_and_contradicted(problem, family):
    atoms = [frozenset(c % problem.n for c in atom) for atom in family[1]]
    sides = positive_rows(problem.positives, problem.n)
    lists = lists_of(atoms, problem.n)
    expected = [
        frozenset(i for i, (a, b) in enumerate(problem.positives) if dis(a, b, [atom]))
        for atom in atoms
    ]
    assert to_sets(discriminants(lists, sides.left_of, sides.right_of)) == expected
    found = contradicted(lists, sides.left_of, sides.right_of)
    assert found.tolist() == [bool(relations) for relations in expected]
