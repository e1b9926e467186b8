"""``atomlearn merge`` as a user types it."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

import atomlearn
from atomlearn import Algebra, AlgebraicClassifier
from atomlearn.cli import app


@pytest.fixture
def files(tmp_path):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    X, y = X[order], y[order]
    first = AlgebraicClassifier(random_state=0).partial_fit(X[:60], y[:60], classes=[0, 1, 2])
    first.save(tmp_path / "a.atoms")
    second = atomlearn.load(tmp_path / "a.atoms").partial_fit(X[60:], y[60:])
    second.save(tmp_path / "b.atoms")
    first.pool(1).save(tmp_path / "one.atoms")
    second.pool(1).save(tmp_path / "other.atoms")
    alg = Algebra(["a", "b"])
    alg.freest().save(tmp_path / "model.atoms")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, ["merge", *map(str, arguments)])


def test_classifiers(files):
    out = files / "c.atoms"
    result = run(files / "a.atoms", files / "b.atoms", "-o", out)
    assert result.exit_code == 0, result.output
    assert result.output.count("new,") == 3 and "written to" in result.output
    a, c = atomlearn.load(files / "a.atoms"), atomlearn.load(out)
    assert all(len(c.pool(k)) > len(a.pool(k)) for k in range(3))


def test_pools(files):
    out = files / "c.atoms"
    told = json.loads(run(files / "one.atoms", files / "other.atoms", "-o", out, "--json").output)
    sizes = [len(atomlearn.load(files / name)) for name in ("one.atoms", "other.atoms", "c.atoms")]
    assert sizes[2] == sizes[0] + told["pins"]["new"]
    assert sum(told["pins"].values()) == sizes[1]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a.atoms"], "two files or more"),
        (["a.atoms", "model.atoms"], "neither a classifier nor a pool"),
        (["one.atoms", "a.atoms"], "name a classifier first"),
        (["a.atoms", "none.atoms"], "none.atoms"),
    ],
)
def test_what_cannot_be_merged(files, names, said, typed):
    code, _, err = typed("merge", *(files / name for name in names), "-o", files / "c")
    assert code == 2 and said in err
    assert not (files / "c").exists()
