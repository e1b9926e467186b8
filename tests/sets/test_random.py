"""The stream against SplitMix64 in Python's integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn.sets import random
from tests.sets.strategies import KERNELS, SplitMix, seeds, twin_streams

pytestmark = KERNELS


def test_the_twin_is_splitmix64():
    twin = SplitMix(1234567)  # the published test vector
    assert [twin.draw() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@given(seeds, st.integers(1, 20))
def test_draw(seed, count):
    stream, twin = twin_streams(seed)
    assert [int(random.draw(stream)) for _ in range(count)] == [twin.draw() for _ in range(count)]
    assert twin.agrees(stream)


@given(seeds, st.integers(1, 2**32 - 1) | st.integers(1, 100))
def test_below_is_in_range_and_the_same_in_python(seed, n):
    stream, twin = twin_streams(seed)
    number = random.below(stream, n)
    assert 0 <= number < n
    assert number == twin.below(n)


def test_below_reaches_every_number_about_equally():
    stream = random.stream(0)
    counts = np.bincount([random.below(stream, 5) for _ in range(2000)], minlength=5)
    assert counts.min() > 320 and counts.max() < 480


@given(seeds, st.integers(0, 200), st.integers(0, 250))
def test_shuffle_permutation_and_sample(seed, n, size):
    stream, twin = twin_streams(seed)
    items = np.arange(100, 100 + n)
    random.shuffle(stream, items)
    assert sorted(items) == list(range(100, 100 + n))
    assert items.tolist() == [100 + i for i in twin.permutation(n)]
    assert random.permutation(stream, n).tolist() == twin.permutation(n)
    assert random.sample(stream, n, size).tolist() == twin.sample(n, size)
    assert twin.agrees(stream)


@pytest.mark.parametrize(
    "make",
    [
        lambda: 7,
        lambda: np.random.SeedSequence(7),
        lambda: np.random.default_rng(7),
        lambda: np.random.RandomState(7),
    ],
)
def test_a_seed_of_any_kind_gives_the_same_stream_again(make):
    first, second = random.stream(make()), random.stream(make())
    assert first.dtype == np.uint64 and first.shape == (1,)
    assert np.array_equal(first, second)
    assert not np.array_equal(first, random.stream(8))


def test_no_seed_gives_another_stream_each_time():
    assert not np.array_equal(random.stream(None), random.stream(None))
