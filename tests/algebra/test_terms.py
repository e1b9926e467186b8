"""Constants, terms and relations are values."""

import copy
import pickle

import pytest

from atomlearn import Algebra, Constant, Relation, Term
from atomlearn.errors import EmptyTerm, ForeignConstant, RelationAsTruthValue


@pytest.fixture
def alg():
    return Algebra(["a", "b", "c", "top left"])


def test_merge_is_idempotent_commutative_associative(alg):
    a, b, c, _ = alg
    assert a | a == a
    assert a | b == b | a
    assert (a | b) | c == a | (b | c)
    assert len({a | b, b | a, alg.term("b a b"), alg.term(["a", "b"])}) == 1
    assert a | b != a | c
    assert a != "a"


def test_a_constant_is_the_smallest_term(alg):
    a = alg["a"]
    assert isinstance(a, Constant)
    assert a == alg.term("a") and hash(a) == hash(alg.term("a"))
    assert a.name == "a" and a.constants == ("a",)
    assert [c.name for c in alg.term("c a")] == ["a", "c"]
    assert a in (a | alg["b"]) and alg["c"] not in (a | alg["b"])
    assert (a | alg["b"]) in alg.term("a b c")


def test_repr_and_str_read_back(alg):
    term = alg.term('b "top left"')
    assert repr(term) == "Term('b \"top left\"')"
    assert alg.term(str(term)) == term
    relation = ~(alg["a"] <= term)
    assert repr(relation) == "Relation('a !< b \"top left\"')"
    assert alg.relation(str(relation)) == relation
    assert repr(alg["a"]) == "Constant('a')"


def test_relations_are_values(alg):
    a, b, *_ = alg
    assert (a <= b) == (a <= b) == (b >= a)
    assert (a <= b) != (b <= a)
    assert (a <= b) != ~(a <= b)
    assert ~~(a <= b) == (a <= b)
    assert len({a <= b, a <= b, ~(a <= b)}) == 2
    assert (a <= b).left == a and (a <= b).right == b and (a <= b).positive


def test_terms_do_not_change(alg):
    with pytest.raises(AttributeError):
        alg["a"]._indices = (1,)
    with pytest.raises(AttributeError):
        del alg["a"]._indices


@pytest.mark.parametrize(
    "clone", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_are_equal_and_work_with_the_original(alg, clone):
    a, b, c, _ = alg
    for value in (a, a | b, a <= b, ~(a <= b | c)):
        twin = clone(value)
        assert twin == value and hash(twin) == hash(value) and repr(twin) == repr(value)
        assert type(twin) is type(value)
    alg.add(clone(a <= b))
    assert alg.entails(a <= b)
    assert clone(a) | b == a | b


@pytest.mark.parametrize(
    "clone", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copied_algebra_grows_on_its_own(alg, clone):
    a, b, c, _ = alg
    alg.add(a <= b)
    twin = clone(alg)
    twin.add(b <= c)
    assert twin.entails(a <= c) and not alg.entails(a <= c)
    d = alg.constant("d")
    e = twin.constant("e")
    assert "d" not in twin and "e" not in alg
    assert d != e
    with pytest.raises(ForeignConstant):
        alg.add(e <= a)
    with pytest.raises(ForeignConstant):
        twin.term([d])
    with pytest.raises(ForeignConstant):
        d | e


def test_constants_of_two_algebras_do_not_mix(alg):
    a, b, *_ = alg
    other = Algebra(["a", "b", "c", "top left"])
    stranger = other["b"]
    assert stranger != b
    for mix in (
        lambda: a | stranger,
        lambda: a <= stranger,
        lambda: alg.add(stranger <= stranger),
        lambda: alg.entails(stranger <= stranger),
        lambda: alg.term([a, stranger]),
        lambda: alg.closure(stranger),
        lambda: stranger in (a | b),
        lambda: alg.freest().holds(stranger <= stranger),
    ):
        with pytest.raises(ForeignConstant):
            mix()
    assert alg.relations == ()


def test_a_relation_is_not_a_truth_value(alg):
    a, b, c, _ = alg
    for use in (
        lambda: bool(a <= b),
        lambda: a <= b <= c,
        lambda: not (a <= b),
        lambda: (a <= b) and (b <= c),
        lambda: [1 for _ in [0] if a <= b],
    ):
        with pytest.raises(RelationAsTruthValue, match=r"a <= b <= c|entails"):
            use()


def test_what_is_not_a_term_is_refused(alg):
    a = alg["a"]
    with pytest.raises(EmptyTerm):
        alg.term("")
    with pytest.raises(EmptyTerm):
        alg.term([])
    for misuse in (lambda: a | "b", lambda: a <= "b", lambda: a >= 1, lambda: a < a):
        with pytest.raises(TypeError):
            misuse()
    with pytest.raises(TypeError):
        "a" in a  # noqa: B015
    assert isinstance(alg.term("a b"), Term) and isinstance(a <= a, Relation)
