"""Pools shared by file."""

import numpy as np
import pytest

import atomlearn
from atomlearn import Algebra
from atomlearn.engine.pool import Pool, Source
from atomlearn.errors import DamagedFile
from atomlearn.files.container import Container
from atomlearn.sets import rows


@pytest.fixture
def pool():
    pool = Pool(4, ["v", "a", "b", "c"])
    pool.learn_from(Source("a hospital", "c0ffee", 100))
    pool.add(rows.from_indices([[0, 1], [0, 2, 3]], 4), epoch=5)
    pool.learn_from(Source("another", "decaf", 50))
    pool.add(rows.from_indices([[0, 3]], 4), epoch=6)
    return pool


def test_a_pool_comes_back_with_where_each_pin_is_from(pool, tmp_path):
    pool.save(tmp_path / "p.atoms")
    again = atomlearn.load(tmp_path / "p.atoms")
    assert again.names == pool.names and again.sources == pool.sources
    assert np.array_equal(again.rows(), pool.rows())
    assert [again.provenance(k) for k in range(3)] == [pool.provenance(k) for k in range(3)]
    assert again.provenance(0) == (Source("a hospital", "c0ffee", 100), 5)


def test_two_algebras_share_what_they_know(pool, tmp_path):
    pool.save(tmp_path / "p.atoms")
    alg = Algebra(["c", "b", "a", "v", "d"])
    alg.add(alg.relation("v < a d"))
    epochs = alg.epochs(random_state=0)
    merged = epochs.pool.merge(atomlearn.load(tmp_path / "p.atoms"), relations=alg)
    assert merged == (1, 0, 2)  # atoms of v that are neither in a nor in d cannot be
    assert rows.unpack(epochs.pool.rows(), 5).tolist() == [[False, False, True, True, False]]
    assert next(epochs).model.holds(alg.relation("v < a d"))


@pytest.mark.parametrize(
    ("member", "value", "said"),
    [
        ("source.npy", np.array([0, 1, 9]), "a source that sources.json does not have"),
        ("born.npy", np.array([0, 1]), "shape"),
        ("atoms.npy", np.array([1, 0, 0, 2, 3, 0, 3]), "not in order"),
        ("atoms.npy", np.array([0, 9, 0, 2, 3, 0, 3]), "from 0 to 3"),
        ("offsets.npy", np.array([0, 2, 9]), "from 0 to 7"),
        ("sources.json", [[{}]], "sources.json"),
        ("sources.json", [[]], "there is no source"),
        ("pool.json", {"names": None}, "pool.json"),
        ("pool.json", {"n_constants": 4, "names": ["v"]}, "names does not have 4"),
    ],
)  # fmt: skip
def test_damage_is_noticed(pool, tmp_path, member, value, said):
    path = tmp_path / "p.atoms"
    pool.save(path)
    file = Container.read(path)
    damaged = Container("pool", 1)
    for name in list(file._members):
        damaged._members[name] = file._members[name]
    damaged._members.pop(member)
    if member.endswith(".json"):
        damaged.add_json(member, value)
    else:
        damaged.add_array(member, value)
    damaged.write(path)
    with pytest.raises(DamagedFile, match=said):
        atomlearn.load(path)
