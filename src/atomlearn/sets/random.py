"""One stream of random numbers, the same compiled or not, on every machine (SplitMix64).

Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
The state is an array of one word, so that kernels and Python advance the same stream.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.errors import InvalidParameter
from atomlearn.sets.jit import helper, kernel
from atomlearn.typing import Integers

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)

Stream = npt.NDArray[np.uint64]


Seed = (
    int
    | np.integer[Any]
    | np.random.SeedSequence
    | np.random.Generator
    | np.random.RandomState
    | None
)
"""The types that a user may pass as ``random_state``."""


def stream(seed: Seed) -> Stream:
    """Return a stream from a seed; ``None`` gives another one each time."""
    return seed_sequence(seed).generate_state(1, np.uint64).astype(np.uint64)


def seed_sequence(seed: Seed) -> np.random.SeedSequence:
    """Return NumPy's seed sequence, from which independent streams are spawned."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if isinstance(seed, np.random.Generator):
        return np.random.SeedSequence(int(seed.integers(2**63)))
    if isinstance(seed, np.random.RandomState):
        return np.random.SeedSequence(int(seed.randint(2**31)))
    given: object = seed
    if given is not None and not (isinstance(given, int | np.integer) and given >= 0):
        raise InvalidParameter(f"random_state must be a whole number from 0 on, not {seed!r}")
    return np.random.SeedSequence(int(seed) if isinstance(seed, np.integer) else seed)


@helper
def draw(state: Stream) -> np.uint64:
    """Return the next word of the stream."""
    state[0] = state[0] + _GAMMA
    z = state[0]
    z = (z ^ (z >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


@kernel
def below(state: Stream, n: int) -> int:
    """Return a random number from ``0`` to ``n - 1`` (``n`` under 2**32)."""
    return np.int64(((draw(state) >> _S32) * np.uint64(n)) >> _S32)  # type: ignore[return-value]


@kernel
def shuffle(state: Stream, items: Integers) -> None:
    """Shuffle ``items`` in place."""
    for i in range(items.shape[0] - 1, 0, -1):
        j = below(state, i + 1)
        items[i], items[j] = items[j], items[i]


@kernel
def draw_first(state: Stream, items: Integers, size: int) -> None:
    """Move ``size`` of the items, drawn at random, to the front."""
    for i in range(size):
        j = i + below(state, items.shape[0] - i)
        items[i], items[j] = items[j], items[i]


def permutation(state: Stream, n: int) -> Integers:
    """Return the numbers below ``n`` in random order."""
    items = np.arange(n)
    shuffle(state, items)
    return items


def sample(state: Stream, n: int, size: int) -> Integers:
    """Return ``size`` different numbers below ``n``, or all of them if there are no more."""
    items = np.arange(n)
    size = min(size, n)
    draw_first(state, items, size)
    return items[:size]
