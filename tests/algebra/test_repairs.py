"""All minimal conflicts, the smallest repairs and what a withdrawal changes, by brute force."""

import tracemalloc
from itertools import combinations, islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn import Algebra
from atomlearn.errors import NotARelation

NAMES = "abcde"
SIDES = st.sets(st.sampled_from(NAMES), min_size=1, max_size=2)
RELATIONS = st.lists(st.tuples(SIDES, st.booleans(), SIDES), max_size=9)


def made(relations):
    alg = Algebra(NAMES)
    for left, positive, right in relations:
        alg.add(alg.state(sorted(left), positive, sorted(right)))
    return alg


def is_consistent(alg, relations):
    twin = Algebra(alg.names)
    twin.add(twin.relation(str(r)) for r in relations)
    return not twin.conflicts()


def by_brute_force(alg):
    """All minimal inconsistent sets, and all smallest repairs, from every subset."""
    conflicts, repairs = [], []
    for size in range(len(alg.relations) + 1):
        for some in map(frozenset, combinations(alg.relations, size)):
            if not any(known <= some for known in conflicts) and not is_consistent(alg, some):
                conflicts.append(some)
            if is_consistent(alg, set(alg.relations) - some) and (
                not repairs or len(repairs[0]) == size
            ):
                repairs.append(some)
    return set(conflicts), set(repairs)


@given(RELATIONS)
def test_all_conflicts_and_smallest_repairs(relations):
    alg = made(relations)
    conflicts, repairs = by_brute_force(alg)
    found = [frozenset((c.relation, *c.derivation)) for c in alg.conflicts(all=True)]
    assert len(found) == len(set(found)) and set(found) == conflicts
    listed = [frozenset(repair.withdrawn) for repair in alg.repairs()]
    assert len(listed) == len(set(listed))
    assert set(listed) == (repairs if conflicts else set())


@given(RELATIONS)
def test_what_is_lost_followed_before_and_not_after(relations):
    alg = made(relations)
    for relation in alg.relations[:2]:
        change, rest = alg.what_if(relation), alg.without(relation)
        assert all(alg.entails(lost) and not rest.entails(lost) for lost in change.lost)
        assert list(change.conflicts) == rest.conflicts()
        if relation.positive and not rest.entails(relation):
            below = rest.closure(relation.right) | alg.term(
                [c for lost in change.lost if lost.right in relation.right for c in lost.left]
                or [relation.right]
            )
            assert relation.left in below


def test_many_conflicts_are_found_lazily():
    """Two ways at each of 60 stages: 2**60 minimal conflicts, of which a few are wanted."""
    alg = Algebra(["v0"])
    for k in range(60):
        for way in "pq":
            alg.add(alg.state([f"v{k}"], True, [f"{way}{k}"]))
            alg.add(alg.state([f"{way}{k}"], True, [f"v{k + 1}"]))
    alg.add(alg.relation("v0 !< v60"))
    conflicts = alg.conflicts(all=True)
    assert conflicts and len(conflicts[:5]) == 5
    assert len({frozenset(c.derivation) for c in conflicts[:5]}) == 5
    assert [str(r) for r in alg.repairs()] == ["withdraw v0 !< v60"]


def test_a_relation_that_is_not_there_cannot_be_withdrawn():
    alg = made([])
    with pytest.raises(NotARelation, match="not a relation of the algebra"):
        alg.without(alg.relation("a < b"))


def test_a_long_derivation_takes_little_memory():
    """Branches that each had a copy of what they keep took gigabytes for 20,000 relations."""
    alg = Algebra([f"a{i}" for i in range(1501)])
    alg.add(a <= b for a, b in pairwise(list(alg)))
    alg.add(~(alg["a0"] <= alg["a1500"]))
    (conflict,) = alg.conflicts(all=True)
    assert len(conflict.derivation) == 1500
    tracemalloc.start()
    try:
        assert len(list(islice(alg.conflicts(all=True), 1))) == 1
        assert len(list(islice(alg.repairs(), 9))) == 9
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()
