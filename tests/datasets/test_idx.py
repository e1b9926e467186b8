import gzip

import numpy as np
import pytest

from atomlearn.datasets import load_mnist
from atomlearn.errors import DamagedFile, DataNotFound, UnsafeFile


def write(folder, name, array, packed):
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, dtype=">u4").tobytes()
    data = header + array.astype(np.uint8).tobytes()
    if packed:
        (folder / f"{name}.gz").write_bytes(gzip.compress(data))
    else:
        (folder / name).write_bytes(data)


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for split, n, packed in (("train", 5, True), ("t10k", 3, False)):
        write(tmp_path, f"{split}-images-idx3-ubyte", rng.integers(0, 256, (n, 28, 28)), packed)
        write(tmp_path, f"{split}-labels-idx1-ubyte", rng.integers(0, 10, n), packed)
    return tmp_path


def test_four_files_packed_or_not(folder):
    X, y, X_test, y_test = load_mnist(folder)
    assert (X.shape, y.shape, X_test.shape, y_test.shape) == ((5, 784), (5,), (3, 784), (3,))
    assert X.dtype == np.uint8


def test_the_environment_names_the_folder_or_the_one_above(folder, monkeypatch, tmp_path_factory):
    above = tmp_path_factory.mktemp("data")
    folder.rename(above / "mnist")
    monkeypatch.setenv("ATOMLEARN_DATA", str(above))
    assert len(load_mnist()[0]) == 5


def test_no_folder_no_file_and_a_wrong_name_say_what_to_do(folder, monkeypatch):
    monkeypatch.delenv("ATOMLEARN_DATA", raising=False)
    monkeypatch.setattr("pooch.os_cache", lambda project: folder / "cache" / project)
    with pytest.raises(DataNotFound, match="set ATOMLEARN_DATA"):
        load_mnist()
    with pytest.raises(DataNotFound, match="not a folder"):
        load_mnist(folder / "nowhere")
    (folder / "t10k-labels-idx1-ubyte").unlink()
    with pytest.raises(DataNotFound, match="t10k-labels"):
        load_mnist(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not an idx file"),
        (b"\0\0\x08\x01\0\0\0\x09abc", "cut short"),
        (b"PK\3\4", "not an"),
        (b"\0\0\x08\x01\0\0\0\x04abcd", r"\(3, 28, 28\) for 4 labels"),
    ],
)
def test_damaged_files_are_refused(folder, content, message):
    (folder / "t10k-labels-idx1-ubyte").write_bytes(content)
    with pytest.raises(DamagedFile, match=message):
        load_mnist(folder)


def test_a_broken_gzip_is_refused(folder):
    path = folder / "train-labels-idx1-ubyte.gz"
    path.write_bytes(path.read_bytes()[:-6])
    with pytest.raises(DamagedFile, match="cannot be unpacked"):
        load_mnist(folder)


@pytest.mark.parametrize("shape", [(3, 28, 27), (2**30, 2**30, 2**30), (2**31, 2**31, 4)])
def test_shapes_that_lie(folder, shape):
    """The product of the last two is zero in 64 bits."""
    header = bytes([0, 0, 8, 3]) + np.array(shape, dtype=">u4").tobytes()
    content = bytes(3 * 28 * 27) if shape[0] == 3 else b""
    (folder / "t10k-images-idx3-ubyte").write_bytes(header + content)
    with pytest.raises(DamagedFile, match="t10k"):
        load_mnist(folder)


def test_a_file_that_unpacks_to_too_much_is_refused(folder):
    path = folder / "train-labels-idx1-ubyte.gz"
    path.write_bytes(gzip.compress(bytes((60 << 20) + 1), 1))
    with pytest.raises(UnsafeFile, match="more than 62,914,560 bytes"):
        load_mnist(folder)
