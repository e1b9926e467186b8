"""Section 2 step by step: what the paper proves of each step, and the tutorial as printed."""

import doctest
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given

from atomlearn import Algebra, InconsistentRelations
from atomlearn.engine import Embedding
from atomlearn.errors import InvalidParameter
from tests import naive
from tests.engine.strategies import consistent, small
from tests.engine.test_protocol import algebra_of
from tests.sets.strategies import seeds, to_sets

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(("page", "least"), [("step-by-step.md", 25), ("engine.md", 5)])
def test_the_pages_run_as_printed(page, least):
    failed, tried = doctest.testfile(str(DOCS / page), module_relative=False)
    assert tried > least and not failed


@given(small.map(consistent), seeds)
def test_traces_stay_and_all_relations_hold_at_the_end(problem, seed):
    algebra = algebra_of(problem)
    steps = Embedding(algebra, random_state=seed).build_dual(reduced=seed % 2 == 0)
    steps.enforce_traces()
    witnesses, traces = to_sets(steps.witnesses), steps.traces()
    for relation in algebra.relations:
        left, right = (frozenset(s.indices) for s in (relation.left, relation.right))
        holds = (
            naive.positive_constraint_holds
            if relation.positive
            else naive.negative_constraint_holds
        )
        assert holds(left, right, to_sets(steps.atoms), witnesses)
    full = Embedding(algebra, random_state=seed).build_dual().enforce_traces()
    for relation in algebra.positive:
        held = [r for r in algebra.positive if steps.model.holds(r)]
        steps.cross(relation)
        full.cross(relation, full=True)
        assert steps.traces() == traces
        assert all(steps.model.holds(r) for r in [*held, relation])
    assert steps.reduce().traces() == traces
    for embedding in (steps, full):
        assert all(embedding.model.holds(relation) for relation in algebra.relations)
    assert {frozenset(t.indices) for t in steps.pin()} == {
        frozenset(range(problem.n)) - a for a in to_sets(steps.atoms) if len(a) < problem.n
    }


def test_what_is_out_of_order_is_told():
    algebra = Algebra(["v", "a", "b"])
    algebra.add(algebra.relation("v < a"), algebra.relation("v !< b"))
    steps = Embedding(algebra, random_state=0).build_dual().enforce_negative()
    with pytest.raises(InvalidParameter, match=r"enforce_traces\(\) first"):
        steps.cross(algebra.relation("v < a"))
    with pytest.raises(InvalidParameter, match="only a positive relation"):
        steps.cross(algebra.relation("v !< b"))
    algebra.add(algebra.relation("v < b"))
    with pytest.raises(InconsistentRelations):
        Embedding(algebra)


def test_the_drawing_has_every_element_of_both_graphs():
    algebra = Algebra(["v", "a", "b"])
    algebra.add(algebra.relation("v < a b"), algebra.relation("v !< a"))
    steps = Embedding(algebra, random_state=0).build_dual().enforce_traces().cross_all().reduce()
    texts = [e.text for e in ElementTree.fromstring(steps.svg()).iter() if e.tag.endswith("text")]
    wanted = ["M", "M*", "v", "a b", "[v]", "[a b]", "ζ1", "φ1", "[φ1]"]
    assert set(wanted) <= set(texts)
