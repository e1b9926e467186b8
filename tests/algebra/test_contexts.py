"""Contexts, concepts, bases and exploration, against brute force and the package concepts."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomlearn import Algebra, AtomlearnError
from atomlearn.algebra import Context
from atomlearn.algebra.implications import Implication
from atomlearn.errors import FileFormatError

WATER = """B

8
9

leech
bream
frog
dog
spike-weed
reed
bean
maize
needs water
lives in water
lives on land
needs chlorophyll
two seed leaves
one seed leaf
can move
has limbs
suckles
XX....X..
XX....XX.
XXX...XX.
X.X...XXX
XX.X.X...
XXXX.X...
X.XXX....
X.XX.X...
"""
"""Living beings and water, the first example of Ganter and Wille."""

DIGITS = """,a,b,c,d,e,f,g
0,x,x,x,x,x,x,
1,,x,x,,,,
2,x,x,,x,x,,x
3,x,x,x,x,,,x
4,,x,x,,,x,x
5,x,,x,x,,x,x
6,x,,x,x,x,x,x
7,x,x,x,,,,
8,x,x,x,x,x,x,x
9,x,x,x,x,,x,x
"""
"""The digits of a display of seven segments."""

CONTEXTS = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), max_size=6).map(
        lambda rows: Context([f"o{i}" for i in range(len(rows))], "abcde"[:n], rows)
    )
)


def subsets(names):
    return map(
        frozenset, chain.from_iterable(combinations(names, k) for k in range(len(names) + 1))
    )


def closed(context, some):
    """The attributes of all objects that have some, by definition."""
    rows = [{a for a, x in zip(context.attributes, r, strict=True) if x} for r in context.crosses]
    return frozenset(context.attributes).intersection(*(row for row in rows if row >= some))


def pseudo_closed(context):
    """The premises of the canonical base, by their recursive definition."""
    found = []
    for some in sorted(subsets(context.attributes), key=len):
        smaller = (closed(context, p) for p in found if p < some)
        if closed(context, some) != some and all(c <= some for c in smaller):
            found.append(some)
    return set(found)


def follows(some, base):
    some, grown = set(some), True
    while grown:
        grown = False
        for one in base:
            if some.issuperset(one.premise) and not some.issuperset(one.conclusion):
                some.update(one.conclusion)
                grown = True
    return some


@pytest.mark.kernels
@given(CONTEXTS)
def test_concepts_and_bases_by_brute_force(context):
    intents = {closed(context, some) for some in subsets(context.attributes)}
    assert {frozenset(c.intent) for c in context.concepts()} == intents
    assert context.n_concepts == len(intents)
    base, short = context.implications(), context.implications("short")
    assert {frozenset(one.premise) for one in base} == pseudo_closed(context)
    assert len(short) == len(base)
    for some in subsets(context.attributes):
        assert follows(some, base) == follows(some, short) == closed(context, some)
    for k, one in enumerate(short):  # nothing can be left out
        for name in one.premise:
            less = tuple(n for n in one.premise if n != name)
            assert not set(one.conclusion) <= follows(less, short)
        for name in one.conclusion:
            less = Implication(one.premise, tuple(n for n in one.conclusion if n != name))
            assert name not in follows(one.premise, [*short[:k], less, *short[k + 1 :]])


@given(CONTEXTS)
def test_algebra_and_model_say_what_the_context_says(context):
    alg, model = Algebra.from_context(context), context.to_model()
    if len(context.attributes) > 1:
        assert alg.implications() == model.implications()
        assert alg.freest().implications() == alg.implications()
    for some in filter(None, subsets(context.attributes)):
        for name in context.attributes:
            relation = alg[name] <= alg.term(sorted(some))
            holds = name in closed(context, some)
            assert alg.entails(relation) == model.holds(relation) == holds


@given(CONTEXTS, st.sampled_from(["x.cxt", "x.csv"]))
def test_files_give_back_the_context(tmp_path_factory, context, name):
    path = tmp_path_factory.mktemp("contexts") / name
    context.write(path)
    assert Context.read(path) == context


@given(CONTEXTS)
def test_exploration_finds_the_base_from_nothing(context):
    hidden = [{a for a, x in zip(context.attributes, r, strict=True) if x} for r in context.crosses]

    def oracle(asked):
        for name, has in zip(context.objects, hidden, strict=True):
            if has.issuperset(asked.premise) and not has.issuperset(asked.conclusion):
                return name, has
        return True

    result = Context([], context.attributes, []).explore(oracle)
    assert sorted(result.implications, key=str) == sorted(context.implications(), key=str)
    assert result.context.implications() == context.implications()


@pytest.mark.parametrize("text", [WATER, DIGITS], ids=["water", "digits"])
def test_the_classical_contexts_as_concepts_has_them(tmp_path, text):
    concepts = pytest.importorskip("concepts")
    path = tmp_path / "classical.txt"
    path.write_text(text)
    context = Context.read(path)
    other = concepts.Context(context.objects, context.attributes, context.crosses.tolist())
    expected = {(frozenset(e), frozenset(i)) for e, i in other.lattice}
    found = [(frozenset(c.extent), frozenset(c.intent)) for c in context.concepts()]
    assert set(found) == expected and len(found) == len(expected)


def test_living_beings_and_water(tmp_path):
    """As in the book: 19 concepts, and 10 implications, the first without a premise."""
    path = tmp_path / "water.cxt"
    path.write_text(WATER)
    alg = Algebra.from_context(path)
    base = alg.implications()
    assert Context.read(path).n_concepts == 19
    assert str(base[0]) == 'always "needs water"' and len(base) == 10
    assert alg.entails(alg.relation('"can move" < suckles'))
    assert not alg.entails(alg.relation('suckles < "can move"'))


def test_a_model_is_written_as_a_context(tmp_path):
    alg = Algebra(["v", "a", "b"])
    alg.add(alg.relation("v < a b"), alg.relation("v !< a"))
    model = alg.learn(random_state=0)
    written = model.to_context(tmp_path / "m.cxt")
    assert Context.read(tmp_path / "m.cxt") == written and written.to_model() == model


def test_a_person_is_asked_again(monkeypatch, capsys):
    answers = iter(["maybe", "no", "bat", "flies, wings", "no", "bat", "flies"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    result = Context(["hen"], ["bird", "flies"], [[True, False]]).explore()
    assert result.context.objects == ("hen", "bat") and result.implications == []
    assert "there is no attribute 'wings'" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", [".csv", ".cxt"])
@pytest.mark.parametrize(
    "names", [["a;b;c", "d"], ['say "so;"', "d,e;f;g"], ["plain", "also plain"]]
)
def test_names_are_read_back_whatever_is_in_them(tmp_path, suffix, names):
    path = tmp_path / f"names{suffix}"
    context = Context(["o;p;q"], names, [[True, False]])
    context.write(path)
    assert Context.read(path) == context


@pytest.mark.parametrize("suffix", [".csv", ".cxt"])
@pytest.mark.parametrize("name", [" a", "a\nb", "a\tb"])
def test_names_that_would_be_read_back_as_others_are_refused(tmp_path, suffix, name):
    with pytest.raises(FileFormatError, match="does not fit on a line"):
        Context([name], ["b"], [[True]]).write(tmp_path / f"names{suffix}")


def test_a_context_may_be_empty():
    assert Context(["o", "p"], [], np.zeros((2, 0))).n_concepts == 1
    assert Context(["o", "p"], [], [[], []]).crosses.shape == (2, 0)
    assert Context([], ["a"], []).implications()[0].conclusion == ("a",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("B\n\n2\n1\n\no\np\na\nX\n", "need 5 lines"),
        ("B\n\n1\n1\n\no\na\n?\n", "1: expected X or ., not '?'"),
        ("B\n\n1\n2\n\no\na\nb\nX\n", ":9: 1 signs for 2"),
        ("B\n\nmany\n1\n", ":3: expected the numbers"),
        ("B\n", ":3: expected the numbers"),
        (",a,b\no,x\n", ":2: 1 cells for 2"),
        (",a\no,perhaps\n", "'perhaps' in column 'a'"),
        (",a,a\no,x,x\n", "already a constant 'a'"),
        ("", "no attributes"),
    ],
)
def test_bad_files_are_refused(tmp_path, text, problem):
    path = tmp_path / "bad.cxt"
    path.write_text(text)
    with pytest.raises(AtomlearnError, match=r"bad\.cxt") as error:
        Context.read(path)
    assert problem in str(error.value)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (False, "without a counterexample"),
        (("hen", ["flies"]), "already an object"),
        (("bat", ["bird"]), "does not contradict"),
    ],
)
def test_wrong_counterexamples_are_refused(answer, problem):
    with pytest.raises(AtomlearnError, match=problem):
        Context(["hen"], ["bird", "flies"], [[True, False]]).explore(lambda _: answer)
