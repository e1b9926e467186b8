import numpy as np
import pytest

from atomlearn.datasets import bar_parity, vertical_bars


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.6])
@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (15, 15)])
def test_labels_tell_which_images_have_a_bar(shape, noise):
    images, labels = vertical_bars(301, shape=shape, noise=noise, random_state=3)
    columns = images.reshape(-1, *shape).all(axis=1)
    assert images.shape == (301, shape[0] * shape[1])
    assert (columns.any(axis=1) == labels).all()
    assert labels.sum() == 151


def test_noise_is_the_share_of_black_background():
    images, labels = vertical_bars(2000, shape=(15, 15), noise=0.1, random_state=0)
    assert images[~labels].mean() == pytest.approx(0.1, abs=0.005)


def test_parity_counts_complete_bars():
    images, odd = bar_parity(500, shape=(4, 6), noise=0.3, random_state=1)
    assert (images.reshape(-1, 4, 6).all(axis=1).sum(axis=1) % 2 == odd).all()
    assert 0.4 < odd.mean() < 0.6


def test_the_seed_fixes_the_images():
    for make in (vertical_bars, bar_parity):
        assert np.array_equal(make(50, random_state=2)[0], make(50, random_state=2)[0])
        assert not np.array_equal(make(50, random_state=2)[0], make(50, random_state=3)[0])
