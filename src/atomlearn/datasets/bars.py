"""Images with black vertical bars on a noisy background (sections 2 and 3 of the paper)."""

import numpy as np
import numpy.typing as npt

Images = npt.NDArray[np.bool_]
Labels = npt.NDArray[np.bool_]


def vertical_bars(
    n: int, *, shape: tuple[int, int] = (15, 15), noise: float = 0.1, random_state: int = 0
) -> tuple[Images, Labels]:
    """Generate images of which half have a black column; the labels say which.

    Background pixels are black with probability ``noise``. An image without a bar that gets one by
    noise is drawn again.

    >>> images, has_bar = vertical_bars(4, shape=(2, 2), noise=0.5, random_state=0)
    >>> images.shape, has_bar.sum()
    ((4, 4), np.int64(2))
    >>> bool((images.reshape(-1, 2, 2).all(axis=1).any(axis=1) == has_bar).all())
    True
    """
    rng = np.random.default_rng(random_state)
    rows, columns = shape
    images = rng.random((n, rows, columns)) < noise
    labels = rng.permutation(np.arange(n) % 2 == 0)
    images[np.flatnonzero(labels), :, rng.integers(columns, size=int(labels.sum()))] = True
    while len(wrong := np.flatnonzero(np.any(np.all(images, axis=1), axis=1) != labels)):
        images[wrong] = rng.random((len(wrong), rows, columns)) < noise
    return images.reshape(n, rows * columns), labels


def bar_parity(
    n: int, *, shape: tuple[int, int] = (10, 10), noise: float = 0.025, random_state: int = 0
) -> tuple[Images, Labels]:
    """Generate images with a random number of black columns; the labels say whether it is odd.

    The number of bars is uniform from none to all columns, at random places. Background pixels are
    black with probability ``noise``; a bar made by noise counts.

    >>> images, is_odd = bar_parity(100, shape=(5, 5), noise=0.1, random_state=0)
    >>> bars = images.reshape(-1, 5, 5).all(axis=1).sum(axis=1)
    >>> bool((bars % 2 == is_odd).all())
    True
    """
    rng = np.random.default_rng(random_state)
    rows, columns = shape
    images = rng.random((n, rows, columns)) < noise
    rank = rng.random((n, columns)).argsort(axis=1)
    images |= (rank < rng.integers(columns + 1, size=n)[:, None])[:, None, :]
    return images.reshape(n, rows * columns), np.all(images, axis=1).sum(axis=1) % 2 == 1
