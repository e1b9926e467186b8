"""Whatever is not fit is refused by name, and nothing has changed afterwards."""

import pickle
import time

import pytest

from atomlearn import Algebra, AtomlearnError, InconsistentRelations
from atomlearn.errors import (
    DuplicateConstant,
    EmptyTerm,
    ForeignConstant,
    InvalidName,
    InvalidParameter,
    NameNotText,
    NameTooLong,
    NotARelation,
    NotATerm,
    RelationSyntaxError,
    UnknownConstant,
)


@pytest.fixture
def alg():
    alg = Algebra(["a", "b", "c"])
    alg.add(alg["a"] <= alg["b"])
    return alg


@pytest.fixture(autouse=True)
def nothing_changes(alg):
    yield
    assert alg.names == ("a", "b", "c")
    assert alg.relations == (alg["a"] <= alg["b"],)


@pytest.mark.parametrize(
    ("name", "error", "builtin"),
    [
        ("a", DuplicateConstant, ValueError),
        ("", InvalidName, ValueError),
        ("\ud800", InvalidName, ValueError),
        ("x" * 5000, NameTooLong, ValueError),
        (3, NameNotText, TypeError),
        (None, NameNotText, TypeError),
        (b"x", NameNotText, TypeError),
        (["x"], NameNotText, TypeError),
    ],
)
def test_names_that_cannot_be(alg, name, error, builtin):
    for make in (lambda: alg.constant(name), lambda: alg.constants("new", name, "newer")):
        with pytest.raises(error) as raised:
            make()
        assert isinstance(raised.value, AtomlearnError) and isinstance(raised.value, builtin)
        assert len(str(raised.value)) < 300


def test_what_is_no_model_is_not_compared(alg):
    with pytest.raises(InvalidParameter, match="not with Algebra; an algebra has learn"):
        alg.freest().is_freer_than(alg)


@pytest.mark.parametrize("seed", ["x", -1, 1.5])
def test_seeds_that_are_none(alg, seed):
    with pytest.raises(InvalidParameter, match="random_state must be a whole number"):
        alg.learn(random_state=seed)


def test_the_sign_of_relation_files_is_not_that_of_python(alg):
    for wrong in (lambda: alg["a"] < alg["b"], lambda: alg["a"] > alg["b"]):
        with pytest.raises(NotARelation, match="written with <="):
            wrong()


def test_a_name_twice_in_one_call(alg):
    with pytest.raises(DuplicateConstant, match="'new'"):
        alg.constants("new", "new")


def test_unknown_names(alg):
    for ask in (lambda: alg["x"], lambda: alg.term("a x"), lambda: alg.relation("a < x")):
        with pytest.raises(UnknownConstant, match="'x'") as raised:
            ask()
        assert isinstance(raised.value, KeyError)
    with pytest.raises(UnknownConstant, match="did you mean 'left_side'"):
        Algebra(["left_side", "right"]).term("leftside")
    with pytest.raises(NameNotText):
        alg[3]


def test_terms_that_cannot_be(alg):
    for empty in ("", "  ", "# a", [], ()):
        with pytest.raises(EmptyTerm):
            alg.term(empty)
    with pytest.raises(NotATerm):
        alg.term(3)
    with pytest.raises(NameNotText):
        alg.term([1, 2])
    with pytest.raises(RelationSyntaxError):
        alg.term("a < b")


def test_adding_is_all_or_nothing(alg):
    a, b, c = alg
    stranger = Algebra(["a"])["a"]
    for bad, error in (
        (stranger <= stranger, ForeignConstant),
        ("a < c", NotARelation),
        (a, NotARelation),
        (None, NotARelation),
        (True, NotARelation),
    ):
        with pytest.raises(error):
            alg.add(b <= c, bad)
        with pytest.raises(error):
            alg.add([b <= c, bad])
        with pytest.raises(error):
            alg.add(r for r in [b <= c, bad])


def test_adding_twice_is_harmless(alg):
    a, b, _ = alg
    alg.add(a <= b)
    alg.add(a <= b, a <= b, [a <= b])
    alg.add()
    assert len(alg.packed().positive_left) == 1


def test_text_that_is_no_relation(alg):
    for text in ("a", "a <", "< a", "a < b < c", "", "# a < b"):
        with pytest.raises(RelationSyntaxError):
            alg.relation(text)
    with pytest.raises(NotARelation):
        alg.relation(3)


def test_inconsistent_relations_are_not_learned(alg):
    broken = alg.copy()
    broken.add(~(broken["a"] <= broken["b"]))
    for refuse in (broken.learn, broken.epochs, broken.freest, broken.least_free):
        with pytest.raises(InconsistentRelations, match="a !< b fails") as raised:
            refuse()
        assert raised.value.conflicts == broken.conflicts()
    twin = pickle.loads(pickle.dumps(raised.value))
    assert twin.conflicts == raised.value.conflicts and str(twin) == str(raised.value)


def test_names_with_blanks_and_long_names_are_names():
    names = ["top left", "a\nb", "#1", "x" * 4096, "<", "é", "\u00e9".encode().decode()]
    with pytest.raises(DuplicateConstant):
        Algebra(names)
    alg = Algebra(names[:-1])
    assert alg.term(str(alg.term(names[:-1]))) == alg.term(names[:-1])


@pytest.mark.slow
def test_a_million_constants():
    began = time.perf_counter()
    alg = Algebra(f"c{i}" for i in range(1_000_000))
    first, last = alg["c0"], alg["c999999"]
    alg.add(first <= last | alg["c5"], ~(last <= first))
    assert alg.entails(first <= alg.term("c5 c999999 c77"))
    assert alg.conflicts() == []
    least = alg.least_free()
    assert least.n_atoms == 1 and len(least.rows[0]) == 15_625
    with pytest.raises(AtomlearnError, match="1,000,000 atoms"):
        alg.freest()
    with pytest.raises(DuplicateConstant):
        alg.constant("c500000")
    assert time.perf_counter() - began < 60
