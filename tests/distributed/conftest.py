import numpy as np
import pytest
from sklearn.datasets import load_digits


@pytest.fixture(scope="session")
def digits():
    """Four classes of small images, in random order."""
    X, y = load_digits(n_class=4, return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


@pytest.fixture(scope="session")
def blocks(digits):
    """The same as Dask arrays of four partitions."""
    from dask.array import from_array

    X, y = digits
    return from_array(X, chunks=(180, -1)), from_array(y, chunks=180)


@pytest.fixture(scope="session")
def cluster():
    """A real scheduler with two worker processes."""
    from dask.distributed import LocalCluster

    options = {"threads_per_worker": 1, "dashboard_address": None, "memory_limit": 0}
    with LocalCluster(n_workers=2, **options) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    from dask.distributed import Client

    with Client(cluster) as client:
        client.wait_for_workers(2)
        yield client
