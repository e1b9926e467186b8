"""The reader of all kinds of file: what it lets through, and what becomes of anything else."""

import numpy as np
import pytest

from atomlearn.errors import CheckpointMismatch, DamagedFile, NotEnoughMemory, UnsafeFile
from atomlearn.files import load as loading
from atomlearn.files.container import FLOOR, TIMES, Budget, Container
from atomlearn.files.load import Members, Value, reading
from atomlearn.sets import rows as bits
from tests.fuzz.kinds import sample


def members(**arrays):
    file = Container("example", 1)
    file.path = "x.atoms"
    for name, array in arrays.items():
        file.add_array(f"{name}.npy", np.asarray(array))
    return Members(file)


def value(raw):
    return Value(raw, "x.atoms: m.json")


@pytest.mark.parametrize("array", [[0, 5], [5, 5, 0], []])
def test_integers_within_bounds(array):
    file = members(a=np.array(array, dtype=np.int8))
    read = file.integers("a.npy", high=5)
    assert read.tolist() == array and read.dtype == np.int64


@pytest.mark.parametrize("array", [[0, 6], [-1], [2**63 - 1], [-(2**63)], [0.0], [[1]], [True]])
def test_integers_out_of_bounds(array):
    with pytest.raises(DamagedFile, match=r"x\.atoms: a\.npy"):
        members(a=array).integers("a.npy", high=5)


def test_floats_are_finite():
    read = members(a=[[0.5, 1.0]]).floats("a.npy", (None, 2), low=0, high=1)
    assert read.tolist() == [[0.5, 1.0]]
    for wrong in ([[np.nan, 0.0]], [[np.inf, 0.0]], [[-0.1, 0.0]], [[0.0]], [0.0, 0.0]):
        with pytest.raises(DamagedFile, match=r"x\.atoms: a\.npy"):
            members(a=wrong).floats("a.npy", (None, 2), low=0, high=1)


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 128])
def test_rows_have_no_bits_beyond_the_constants(n):
    full = np.tile(bits.full(n), (2, 1))
    assert (members(a=full).rows("a.npy", n) == full).all()
    if n % 64:
        stray = full.copy()
        stray[1, -1] |= np.uint64(1) << np.uint64(n % 64)
        with pytest.raises(DamagedFile, match="bits beyond"):
            members(a=stray).rows("a.npy", n)
    with pytest.raises(DamagedFile, match="shape"):
        members(a=full).rows("a.npy", n + 64)
    with pytest.raises(DamagedFile, match="shape"):
        members(a=full).rows("a.npy", n, 3)


@pytest.mark.parametrize(
    ("starts", "constants"),
    [
        ([0], []),
        ([0, 2, 3], [0, 4, 0]),
    ],
)
def test_lists(starts, constants):
    file = members(s=starts, c=np.array(constants, dtype=np.int64))
    at, read = file.lists("s.npy", "c.npy", 5)
    assert (at.tolist(), read.tolist(), read.dtype) == (starts, constants, np.int32)


@pytest.mark.parametrize(
    ("starts", "constants"),
    [
        ([], []),
        ([1], []),
        ([0, 1], [0, 1]),
        ([0, 2], [1, 0]),
        ([0, 2], [1, 1]),
        ([0, 1], [5]),
        ([0, 0, 1], [0]),
        ([0, 2, 1, 3], [0, 1, 2]),
        ([0, 2**63 - 1, -2, 3], [0, 1, 2]),
        ([0, 1], [2**32]),
    ],
)
def test_lists_that_lie(starts, constants):
    file = members(s=np.array(starts, dtype=np.int64), c=np.array(constants, dtype=np.int64))
    with pytest.raises(DamagedFile, match=r"x\.atoms: [sc]\.npy"):
        file.lists("s.npy", "c.npy", 5)


@pytest.mark.parametrize(
    "ask",
    [
        lambda v: v["a"],
        lambda v: v.given("a"),
        lambda v: v.items(),
        lambda v: v.fields(),
        lambda v: v.text(),
        lambda v: v.texts(),
        lambda v: v.truth(),
        lambda v: v.integer(),
        lambda v: v.number(),
        lambda v: v.plain(),
    ],
)
def test_each_question_refuses_null(ask):
    with pytest.raises(DamagedFile, match=r"x\.atoms: m\.json: "):
        ask(value(None))


def test_values_are_of_their_kind_and_within_bounds():
    assert value(3).integer(0, 3) == 3 and value(3).number() == 3.0
    for wrong in (True, 1.0, "1", -1, 4, 10**30):
        with pytest.raises(DamagedFile):
            value(wrong).integer(0, 3)
    for wrong in (True, "1", float("nan"), float("inf"), 10**400, -1):
        with pytest.raises(DamagedFile):
            value(wrong).number(low=0)
    with pytest.raises(DamagedFile, match=r"m\.json: a\[1\]\.b is not text"):
        value({"a": [0, {"b": 1}]})["a"].items(2)[1]["b"].text()
    assert value({"a": None}).given("a") is None and value({}).given("a") is None


def test_what_no_check_foresaw_is_damage_that_names_the_member():
    file = members(a=[1]).file
    with pytest.raises(DamagedFile, match=r"x\.atoms: a\.npy: Zero.*: none"), reading(file) as m:
        m.integers("a.npy")
        raise ZeroDivisionError("none")
    with pytest.raises(NotEnoughMemory, match=r"x\.atoms"), reading(file):
        raise MemoryError
    for error in (KeyboardInterrupt, CheckpointMismatch, UnsafeFile):
        with pytest.raises(error), reading(file):
            raise error


def test_every_kind_that_load_knows_goes_through_it(tmp_path, monkeypatch):
    def careless(file):
        raise LookupError("nothing")

    for kind, (module, _, reader) in loading.READERS.items():
        path = tmp_path / "m.atoms"
        path.write_bytes(sample(kind))
        monkeypatch.setattr(f"{module}.{reader}", careless)
        with pytest.raises(DamagedFile, match=r"m\.atoms: LookupError: nothing"):
            loading.load(path)


def test_a_budget_grows_with_the_file(monkeypatch):
    monkeypatch.delenv("ATOMLEARN_MAX_BYTES", raising=False)
    assert Budget("x", 10).allowed == FLOOR
    assert Budget("x", FLOOR).allowed == TIMES * FLOOR
    monkeypatch.setenv("ATOMLEARN_MAX_BYTES", "7")
    assert Budget("x", FLOOR).allowed == 7
