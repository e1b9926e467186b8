"""The algebra as the front of the engine."""

import numpy as np
import pytest
from hypothesis import assume, given

from atomlearn import Algebra, Model
from atomlearn.errors import ModelTooLarge
from atomlearn.sets.rows import members
from tests import naive
from tests.algebra.problems import problems


@given(problems())
def test_a_learned_model_satisfies_all_relations(problem):
    assume(naive.consistent(problem.positives, problem.negatives))
    alg = problem.algebra()
    model = alg.learn(random_state=0)
    assert isinstance(model, Model)
    assert all(model.holds(r) for r in alg.relations)
    assert alg.freest().is_freer_than(model)
    assert alg.learn(random_state=0).atoms == model.atoms


def test_without_a_seed_models_differ():
    alg = Algebra(["v", *(f"c{i}" for i in range(40))])
    rng = np.random.default_rng(0)
    for _ in range(12):
        half = [f"c{i}" for i in rng.choice(40, 20, replace=False)]
        alg.add(alg["v"] <= alg.term(half))
    alg.add(~(alg["v"] <= alg.term([f"c{i}" for i in range(3)])))
    models = [alg.learn() for _ in range(6)]
    assert all(m.holds(r) for m in models for r in alg.relations)
    assert len({m.atoms for m in models}) > 1


def test_packed_relations_are_the_terms_as_rows():
    alg = Algebra(f"c{i}" for i in range(70))
    alg.add(alg.relation("c0 c69 < c1"), alg.relation("c2 !< c3 c64"), alg.relation("c4 < c5"))
    packed = alg.packed()
    assert packed.n_constants == 70
    sides = [
        [members(row).tolist() for row in side]
        for side in (
            packed.positive_left,
            packed.positive_right,
            packed.negative_left,
            packed.negative_right,
        )
    ]
    assert sides == [[[0, 69], [4]], [[1], [5]], [[2]], [[3, 64]]]
    assert packed.positive_left.dtype == np.uint64 and packed.positive_left.flags.c_contiguous
    alg.constant("c70")
    assert alg.packed().n_constants == 71


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_to_learn(n):
    alg = Algebra(f"c{i}" for i in range(n))
    packed = alg.packed()
    assert packed.positive_left.shape == packed.negative_right.shape == (0, n)


@pytest.mark.parametrize(
    "learn", [Algebra.learn, lambda alg, **options: next(alg.epochs(**options))]
)
def test_the_memory_of_learning_is_said_beforehand(learn):
    alg = Algebra(f"c{i}" for i in range(50_000))
    alg.add(c <= c for c in alg)
    with pytest.raises(ModelTooLarge, match=r"50,000 relations .* MiB .* max_bytes=\d+") as raised:
        learn(alg)
    assert raised.value.estimate > raised.value.limit == 2 << 30
    small = Algebra(["v", "a", "b"])
    small.add(small.relation("v < a b"))
    with pytest.raises(ModelTooLarge):
        learn(small, max_bytes=100)
    learn(small, max_bytes=1000)
