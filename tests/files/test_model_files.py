"""Model files: round trips, readable without the library, and hostile files refused."""

import io
import json
import os
import pickle
import zipfile
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn import Algebra, Model, load
from atomlearn.errors import (
    AtomlearnError,
    DamagedFile,
    FileFormatError,
    ForeignConstant,
    ForeignFile,
    NewerFile,
    UnknownConstant,
    UnsafeFile,
)
from atomlearn.files.container import Container
from atomlearn.sets import rows as bits

names = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6),
    max_size=70,
    unique=True,
)


@pytest.fixture
def alg():
    alg = Algebra(["v", "a", "b", "top left"])
    alg.add(alg["v"] <= alg.term("a b"))
    return alg


@pytest.fixture
def saved(alg, tmp_path):
    path = tmp_path / "m.atoms"
    alg.freest().save(path)
    return path


@given(names, st.data())
def test_round_trip(tmp_path_factory, names, data):
    some = st.lists(
        st.lists(st.integers(0, max(0, len(names) - 1)), min_size=1, max_size=5), max_size=8
    )
    rows = bits.from_indices(data.draw(some) if names else [], len(names))
    model = Model(Algebra(names), rows)
    path = tmp_path_factory.getbasetemp() / "m.atoms"
    model.save(path)
    back = load(path)
    assert back.names == list(model.names)
    assert back.atoms == model.atoms and back == model
    first = path.read_bytes()
    back.save(path)
    assert path.read_bytes() == first


def test_a_loaded_model_is_asked_by_name(alg, saved):
    model = load(saved)
    v, a, b, _ = alg
    assert model.holds(v <= a | b) and not model.holds(v <= a)
    assert model.holds(model.relation("v < a b"))
    assert model.discriminant(v, a) == model.discriminant(model.term("v"), model.term("a"))
    other = Algebra(["x", "b", "v"])
    assert not model.holds(other["v"] <= other["b"])
    with pytest.raises(UnknownConstant):
        model.holds(other["x"] <= other["b"])
    with pytest.raises(ForeignConstant):
        alg.term([model.term("v")])


def test_it_is_readable_without_the_library(alg, saved):
    with zipfile.ZipFile(saved) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        names = json.loads(archive.read("constants.json"))
        atoms, offsets = (
            np.load(io.BytesIO(archive.read(f"{m}.npy")), allow_pickle=False)
            for m in ("atoms", "offsets")
        )
    assert (manifest["format"], manifest["kind"], manifest["version"]) == ("atomlearn", "model", 1)
    read = {frozenset(names[i] for i in atoms[s:e]) for s, e in pairwise(offsets)}
    assert read == {frozenset(atom.constants) for atom in alg.freest().atoms}


def test_writing_replaces_at_once_and_keeps_mode_and_link(alg, saved, tmp_path, monkeypatch):
    old = saved.read_bytes()
    saved.chmod(0o640)
    link = tmp_path / "link.atoms"
    link.symlink_to(saved)
    alg.least_free().save(link)
    assert link.is_symlink() and load(saved).n_atoms == 0
    assert saved.stat().st_mode & 0o777 == 0o640
    saved.write_bytes(old)
    monkeypatch.setattr(
        zipfile.ZipFile, "writestr", lambda *_: (_ for _ in ()).throw(OSError("full"))
    )
    with pytest.raises(OSError, match="full"):
        alg.freest().save(saved)
    assert saved.read_bytes() == old
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.atoms", "m.atoms"]
    with pytest.raises(OSError, match="not a file"):
        alg.freest().save(os.devnull)
    with pytest.raises(OSError, match="not a file"):
        alg.freest().save(tmp_path)


# -- files that are not what they should be


def rebuilt(path, change=None, manifest=None, drop=(), compress=zipfile.ZIP_DEFLATED, extra=()):
    """The same file with some members changed; its checksums are right."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name not in drop}
    if manifest:
        members["manifest.json"] = json.dumps(
            {**json.loads(members["manifest.json"]), **manifest}
        ).encode()
    members.update(change or {})
    with zipfile.ZipFile(path, "w", compress) as archive:
        for name, data in [*members.items(), *extra]:
            archive.writestr(name, data)
    return path


def npy(array, **options):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(array), **options)
    return file.getvalue()


def header(text):
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def test_foreign_files(tmp_path):
    for content, says in (
        (b"", "empty"),
        (b"hello", "not an atomlearn"),
        (b"\x89PNG....", "not an"),
    ):
        path = tmp_path / "x"
        path.write_bytes(content)
        with pytest.raises(ForeignFile, match=says):
            load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<x/>")
    with pytest.raises(ForeignFile, match="no manifest"):
        load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", '{"format": "other"}')
    with pytest.raises(ForeignFile, match="not of atomlearn"):
        load(path)
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(ForeignFile):
        load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")


def test_newer_files(saved):
    with pytest.raises(NewerFile, match=r"version 2.*upgrade"):
        load(rebuilt(saved, manifest={"version": 2}))
    with pytest.raises(NewerFile, match="'sculpture'"):
        load(rebuilt(saved, manifest={"kind": "sculpture", "version": 1}))


def test_another_kind(tmp_path):
    other = Container("sculpture", 1)
    other.write(tmp_path / "s.atoms")
    with pytest.raises(ForeignFile, match="sculpture"):
        Container.read(tmp_path / "s.atoms").expect("model", 1)


@pytest.mark.parametrize(
    "manifest",
    [
        {"version": "1"},
        {"version": True},
        {"version": 0},
        {"version": -1},
        {"kind": 3},
        {"members": None},
        {"members": ["atoms.npy"]},
        {"members": ["atoms.npy", "constants.json", "offsets.npy", "offsets.npy"]},
    ],
)
def test_manifests_that_lie(saved, manifest):
    with pytest.raises(DamagedFile):
        load(rebuilt(saved, manifest=manifest))


@pytest.mark.parametrize(
    "change",
    [
        {"manifest.json": b"{"},
        {"manifest.json": b"[" * 100_000},
        {"manifest.json": b"\xff"},
        {"constants.json": b"{}"},
        {"constants.json": b'["v", "a", "b"]'},
        {"constants.json": b'["v", "a", "b", 3]'},
        {"constants.json": b'["v", "a", "b", "v"]'},
        {"constants.json": b'["v", "a", "b", ""]'},
        {"constants.json": b'["v", "a", "b", "\\ud800"]'},
        {"constants.json": b'["v", "a", "b", ' + b"9" * 10_000 + b"]"},
        {"atoms.npy": b""},
        {"atoms.npy": b"not an array"},
        {"atoms.npy": npy([0, 1, 2, 0, 1, 0, 99])},
        {"atoms.npy": npy([0, 1, 2, 0, 1, 0, -1])},
        {"atoms.npy": npy([0.0, 1.0])},
        {"atoms.npy": npy([[0, 1, 2]])},
        {"atoms.npy": npy(np.array(["a", None], dtype=object), allow_pickle=True)},
        {"atoms.npy": npy([0, 1, 2], version=(2, 0))},
        {"atoms.npy": header("{'descr': '<i8', 'fortran_order': False, 'shape': (10**15,)}")},
        {
            "atoms.npy": header(
                "{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000,)}"
            )
        },
        {"atoms.npy": header("{'descr': '<i8', 'fortran_order': False, 'shape': (-8,)}")},
        {"atoms.npy": header("{'descr': '|V0', 'fortran_order': False, 'shape': (9,)}")},
        {"atoms.npy": header("__import__('os').getcwd()")},
        {"offsets.npy": npy([0, 1])},
        {"offsets.npy": npy(np.array([], dtype=np.int64))},
        {"offsets.npy": npy([1, 2, 3, 5, 8])},
        {"offsets.npy": npy([0, 3, 2, 5, 7])},
        {"offsets.npy": npy([0, 0, 0, 0, 7])},
    ],
)
def test_members_that_lie(saved, change):
    with pytest.raises(FileFormatError) as raised:
        load(rebuilt(saved, change))
    assert "m.atoms" in str(raised.value)


def test_members_that_are_not_there_or_too_many(saved):
    good = saved.read_bytes()
    with pytest.raises(DamagedFile, match="members"):
        load(rebuilt(saved, drop=["atoms.npy"]))
    for odd in (
        "../evil.npy",
        "/etc/passwd",
        "a\\b.npy",
        "C:evil.npy",
        "x.pkl",
        "evil.npy/",
        "é.json",
    ):
        saved.write_bytes(good)
        with pytest.raises(DamagedFile, match="members"):
            load(rebuilt(saved, {odd: b""}))
        saved.write_bytes(good)
        listed = ["atoms.npy", "constants.json", "offsets.npy", odd]
        with pytest.raises(UnsafeFile, match="name"):
            load(rebuilt(saved, {odd: b""}, manifest={"members": listed}))
    saved.write_bytes(good)
    with pytest.warns(UserWarning, match="Duplicate"):
        rebuilt(saved, extra=[("atoms.npy", b"again")])
    with pytest.raises(DamagedFile, match="members"):
        load(saved)
    saved.write_bytes(good)
    with pytest.raises(UnsafeFile, match="members"):
        load(rebuilt(saved, {f"x{i}.npy": b"" for i in range(300)}))
    assert not (saved.parent.parent / "evil.npy").exists()


def test_bombs_are_not_unpacked(saved):
    good = saved.read_bytes()
    with pytest.raises(UnsafeFile, match="grow more than"):
        load(rebuilt(saved, {"atoms.npy": b"\0" * (8 << 20)}))
    saved.write_bytes(good)
    with pytest.raises(UnsafeFile, match="too large"):
        load(rebuilt(saved, {"manifest.json": b" " * (2 << 20)}, compress=zipfile.ZIP_STORED))
    saved.write_bytes(good)
    with pytest.raises(UnsafeFile, match="compressed in a way"):
        load(rebuilt(saved, compress=zipfile.ZIP_LZMA))


def declare(data, member, size):
    """The zip with another uncompressed size declared for a member, in both of its headers."""
    data = bytearray(data)
    name = member.encode()
    for signature, size_at, name_at in ((b"PK\x03\x04", 22, 30), (b"PK\x01\x02", 24, 46)):
        at = data.find(signature)
        while data[at + name_at : at + name_at + len(name)] != name:
            at = data.find(signature, at + 1)
        data[at + size_at : at + size_at + 4] = size.to_bytes(4, "little")
    return bytes(data)


@pytest.mark.parametrize(
    ("size", "error"),
    [(3 << 30, UnsafeFile), (1 << 28, UnsafeFile), (5, DamagedFile), (500_000, DamagedFile)],
)
def test_declared_sizes_are_not_believed(saved, size, error):
    saved.write_bytes(declare(saved.read_bytes(), "atoms.npy", size))
    with pytest.raises(error):
        load(saved)


def test_the_user_may_set_the_limit(saved, monkeypatch):
    monkeypatch.setenv("ATOMLEARN_MAX_BYTES", "16")
    with pytest.raises(UnsafeFile, match=r"may take 0 MiB.*set ATOMLEARN_MAX_BYTES"):
        load(saved)
    monkeypatch.setenv("ATOMLEARN_MAX_BYTES", "100000")
    assert load(saved).n_atoms == 5


@pytest.mark.slow
def test_a_model_that_needs_a_higher_limit_says_so_when_it_is_saved(tmp_path, monkeypatch):
    n = 33_000
    rows = np.zeros((n, bits.width(n)), dtype=np.uint64)
    rows[np.arange(n), np.arange(n) // 64] = np.uint64(1) << (np.arange(n) % 64).astype(np.uint64)
    model = Model(Algebra(f"c{i}" for i in range(n)), rows)
    with pytest.warns(UserWarning, match=r"m\.atoms .* ATOMLEARN_MAX_BYTES to \d+") as warned:
        model.save(tmp_path / "m.atoms")
    with pytest.raises(UnsafeFile, match="33,000 atoms over 33,000 constants"):
        load(tmp_path / "m.atoms")
    needed = str(warned[0].message).rpartition(" ")[2]
    monkeypatch.setenv("ATOMLEARN_MAX_BYTES", needed)
    assert load(tmp_path / "m.atoms").n_atoms == n


def test_every_truncation_is_noticed(saved):
    good = saved.read_bytes()
    for size in range(0, len(good), 7):
        saved.write_bytes(good[:size])
        with pytest.raises(FileFormatError):
            load(saved)


@given(st.data())
def test_a_changed_byte_is_noticed_or_harmless(tmp_path_factory, data):
    alg = Algebra(["v", "a", "b"])
    alg.add(alg["v"] <= alg.term("a b"))
    path = tmp_path_factory.getbasetemp() / "flip.atoms"
    alg.freest().save(path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        model = load(path)
    except AtomlearnError as error:
        assert "flip.atoms" in str(error)
    else:
        assert model == alg.freest()  # the change was in a date or an attribute of the zip


def test_what_compresses_too_well_is_stored(tmp_path):
    container = Container("zeros", 1)
    container.add_array("zeros.npy", np.zeros(1 << 20, dtype=np.int64))
    container.write(tmp_path / "z.atoms")
    assert Container.read(tmp_path / "z.atoms").array("zeros.npy", "i", 1).sum() == 0


def test_containers_take_only_plain_members():
    container = Container("example", 1)
    container.add_json("a.json", [1])
    for name in ("a.json", "manifest.json", "../a.json", "a.txt", "A.json", ""):
        with pytest.raises(ValueError, match="member"):
            container.add_json(name, [])
    with pytest.raises(TypeError, match="numbers"):
        container.add_array("o.npy", np.array([None]))
    with pytest.raises(DamagedFile, match=r"no b\.json"):
        container.json("b.json")
