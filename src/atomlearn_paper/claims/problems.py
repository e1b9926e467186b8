"""Small random problems on which the general statements are checked."""

from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations

import numpy as np

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.terms import Term
from atomlearn.engine.steps import Embedding
from atomlearn_paper.toy import examples

PAPERS_CHOICES = 11
"""A seed with which the steps make the random choices of the paper."""


def toy_steps(seed: int = PAPERS_CHOICES) -> Embedding:
    """The toy problem with its dual."""
    return Embedding(examples(), random_state=seed).build_dual()


@cache
def random_algebras(count: int = 60, n: int = 6) -> tuple[Algebra, ...]:
    """Consistent random relations over a few constants."""
    rng = np.random.default_rng(1)
    found: list[Algebra] = []
    while len(found) < count:
        algebra = Algebra(f"c{i}" for i in range(n))
        for positive in (True,) * 4 + (False,) * 4:
            left, right = (
                algebra.term(f"c{i}" for i in rng.choice(n, size, replace=False))
                for size in rng.integers(1, 4, 2)
            )
            relation = left <= right
            algebra.add(relation if positive else ~relation)
        if not algebra.conflicts() and algebra.positive and algebra.negative:
            found.append(algebra)
    return tuple(found)


def embeddings(seed: int = 0) -> Iterator[Embedding]:
    """The random problems, with a dual, before any trace constraint."""
    for k, algebra in enumerate(random_algebras()):
        yield Embedding(algebra, random_state=seed + k).build_dual()


def finished(seed: int = 0) -> Iterator[Embedding]:
    """The random problems, embedded."""
    for steps in embeddings(seed):
        yield steps.enforce_traces().cross_all().reduce()


def terms(algebra: Algebra, largest: int = 3) -> list[Term]:
    """All terms of a few constants."""
    sizes = range(1, largest + 1)
    sets = chain.from_iterable(combinations(algebra.names, size) for size in sizes)
    return [algebra.term(names) for names in sets]
