import numpy as np
import pytest

from atomlearn.datasets import idx_bytes, write_packed


@pytest.fixture
def tiny_mnist(tmp_path_factory, monkeypatch):
    """Ten blurred prototypes with noise, as idx files in the folder that ATOMLEARN_DATA names."""
    from atomlearn_paper.mnist import split

    rng = np.random.default_rng(0)
    prototypes = rng.random((10, 28, 28)) < 0.2
    folder = tmp_path_factory.mktemp("data") / "mnist"
    for name, n in (("train", 400), ("t10k", 100)):
        labels = np.arange(n) % 10
        images = 255 * (prototypes[labels] ^ (rng.random((n, 28, 28)) < 0.05))
        write_packed(folder, f"{name}-images-idx3-ubyte", idx_bytes(images.astype(np.uint8)))
        write_packed(folder, f"{name}-labels-idx1-ubyte", idx_bytes(labels.astype(np.uint8)))
    monkeypatch.setenv("ATOMLEARN_DATA", str(folder.parent))
    split.cache_clear()
    yield folder
    split.cache_clear()
