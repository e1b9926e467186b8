"""Lines that are read as they stand, and probably not what was meant."""

import warnings

import pytest

from atomlearn import Algebra
from atomlearn.algebra.files import lookalikes
from atomlearn.errors import DoubtfulRelation


def read(tmp_path, text):
    path = tmp_path / "r.rel"
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        algebra = Algebra.read(path)
    assert all(one.category is DoubtfulRelation for one in caught)
    return algebra, [str(one.message).removeprefix(f"{path}:") for one in caught]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("a ! < b", "!"),
        ("a not< b", "not"),
        ("a not < b  # odd", "not"),
        ("not a < b", "not"),
        ("a! < b", "a!"),
        ("a ¬< b", "¬"),
        ("a < = b", "="),
        ('a not < "b"', "not"),
    ],
)
def test_signs_that_are_read_as_names(tmp_path, line, name):
    algebra, told = read(tmp_path, f"x < y\n{line}\n")
    assert len(algebra.positive) == 2 and name in algebra
    assert len(told) == 1 and told[0].startswith(f"2: {name!r} is read as the name of a constant")


@pytest.mark.parametrize(
    "text",
    [
        "a !< b\na <= b\na!<b",
        'a "not" < b',
        "a '!' < b",
        "v < c1 c2 c7 c8\nv !< c4 c5 c6 c7",  # numbered
        "itemA < itemB\nitemB < itemC\nx < itemB",  # a family
        "ab < ac\nac < ad\n",  # too short to be alike by mistake
        "house < a\nhorse < a",  # both occur once: which would be wrong?
    ],
)
def test_what_is_not_doubtful(tmp_path, text):
    assert read(tmp_path, text)[1] == []


@pytest.mark.parametrize("slip", ["huose", "hose", "hoouse", "horse", "House", "houses"])
def test_a_name_that_occurs_once_and_looks_like_another(tmp_path, slip):
    _, told = read(tmp_path, f"house < a\n{slip} < a\nhouse < b\n")
    assert told == [f"2: {slip!r} occurs only here; is it meant to be 'house'?"]


def test_names_like_signs_are_written_so_that_they_are_not_doubted(tmp_path):
    algebra = Algebra(["!", "not", "a"])
    algebra.add(algebra["!"] <= algebra["not"] | algebra["a"])
    algebra.write(tmp_path / "w.rel")
    again, told = read(tmp_path, (tmp_path / "w.rel").read_text())
    assert told == [] and again.names == ("!", "not", "a")


def test_many_names_are_compared_quickly():
    many = {f"name{chr(97 + i % 26) * (i % 7)}{i}": 1 + i % 2 for i in range(20_000)}
    assert lookalikes(many) == []
    assert lookalikes({**dict.fromkeys(map(str, range(30_000)), 1), "house": 9, "huose": 1}) == []
