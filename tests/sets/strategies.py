"""What all tests of kernels share: how many cases, sets and rows, and the twin of the stream."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from atomlearn.sets import rows

COMPILED = not numba.config.DISABLE_JIT

KERNELS = [
    pytest.mark.kernels,
    # NumPy warns of what the compiled kernels do silently: words wrap around.
    pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning"),
]
"""Marks of a module that is also run with NUMBA_DISABLE_JIT=1."""

FEWER = settings(max_examples=settings.default.max_examples // 5)
"""For a property of which each example takes a good part of a second."""

SIZES = [0, 1, 2, 63, 64, 65, 127, 128, 130]

seeds = st.integers(0, 2**64 - 1)
words = st.integers(0, 2**64 - 1) | st.sets(st.integers(0, 63)).map(lambda s: mask(s))


def random_sets(seed: int, count: int, n: int, density: float) -> list[frozenset[int]]:
    """Sets over ``n`` in which each number is with this probability."""
    chance = random.Random(seed)
    return [frozenset(i for i in range(n) if chance.random() < density) for _ in range(count)]


@st.composite
def families(draw, sizes=SIZES, counts=SIZES):
    """``n`` and some sets over it, of shapes at which words begin and end."""
    n, count = draw(st.sampled_from(sizes)), draw(st.sampled_from(counts))
    density = draw(st.sampled_from([0.0, 0.03, 0.5, 0.97, 1.0]))
    return n, random_sets(draw(seeds), count, n, density)


def mask(members: Iterable[int]) -> int:
    """A set as one long integer."""
    return sum(1 << i for i in members)


def as_int(row: rows.Rows) -> int:
    """A row as one long integer."""
    return sum(int(word) << 64 * w for w, word in enumerate(row))


def to_rows(sets: Sequence[Iterable[int]], n: int) -> rows.Rows:
    """Sets as rows."""
    return rows.from_indices([sorted(s) for s in sets], n)


def to_sets(matrix: rows.Rows) -> list[frozenset[int]]:
    """Rows as sets."""
    digits = [f"{as_int(row):b}"[::-1] for row in matrix]
    return [frozenset(i for i, digit in enumerate(row) if digit == "1") for row in digits]


class SplitMix:
    """The twin of the stream, in Python's integers."""

    def __init__(self, state: int) -> None:
        self.state = state

    def draw(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    def below(self, n: int) -> int:
        return (self.draw() // 2**32) * n // 2**32

    def choose(self, options: Sequence[Any]) -> Any:
        """A ``choose`` for the oracle that makes the choices of the kernels."""
        return options[self.below(len(options))]

    def permutation(self, n: int) -> list[int]:
        items = list(range(n))
        for i in reversed(range(1, n)):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items

    def sample(self, n: int, size: int) -> list[int]:
        items = list(range(n))
        for i in range(min(size, n)):
            j = i + self.below(n - i)
            items[i], items[j] = items[j], items[i]
        return items[:size]

    def agrees(self, stream: np.ndarray) -> bool:
        """Were the same number of words drawn from both?"""
        return self.state == int(stream[0])


def twin_streams(seed: int) -> tuple[np.ndarray, SplitMix]:
    """The same stream for a kernel and for its twin."""
    return np.array([seed], dtype=np.uint64), SplitMix(seed)
