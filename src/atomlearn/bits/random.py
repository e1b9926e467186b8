"""One stream of random numbers, the same compiled or not, on every machine (SplitMix64).

Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
The state is an array of one word, so that kernels and Python advance the same stream.
"""

import numpy as np
import numpy.typing as npt

from atomlearn.bits.jit import kernel

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)

Stream = npt.NDArray[np.uint64]


def stream(seed: int | np.random.SeedSequence) -> Stream:
    """A stream from a seed; different seeds give unrelated streams."""
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return sequence.generate_state(1, np.uint64)


@kernel
def draw(state):  # type: ignore[no-untyped-def]
    """The next word of the stream."""
    state[0] = state[0] + _GAMMA
    z = state[0]
    z = (z ^ (z >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


@kernel
def below(state, n):  # type: ignore[no-untyped-def]
    """A number from ``0`` to ``n - 1`` (``n`` under 2**32)."""
    return np.int64(((draw(state) >> _S32) * np.uint64(n)) >> _S32)


@kernel
def shuffle(state, items):  # type: ignore[no-untyped-def]
    """Put ``items`` in random order, in place."""
    for i in range(items.shape[0] - 1, 0, -1):
        j = below(state, i + 1)
        items[i], items[j] = items[j], items[i]
