"""Two-level forms against truth tables: the distributive law, minimisation, factoring."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from atomlearn.errors import FormulaTooLarge
from atomlearn.logic import minimise as minimisation
from atomlearn.logic.definition import factor
from atomlearn.logic.formulas import And, Has, Or, complements
from atomlearn.logic.minimise import Space, absorb, covered, distribute, irredundant, minimise
from tests.logic.oracle import ABSENT, NAMES, fewest, images, is_true, terms, worlds

LITERALS = [*NAMES, *(ABSENT[name] for name in NAMES)]
COMPLEMENT = complements(ABSENT)


def cnfs(literals=LITERALS, most=6):
    return st.lists(st.sets(st.sampled_from(literals), min_size=1, max_size=4), max_size=most)


def clauses_of(cnf, space):
    return [c for c in (space.clause(one) for one in cnf) if c is not None]


def names(cube, space):
    return frozenset(space.literals[i] for i in space.terms(cube))


def true_of(cnf, world):
    return all(set(one) & world for one in cnf)


@given(cnfs(NAMES))
def test_distributive_law_over_free_constants(cnf):
    """Absorbed, it is the one shortest disjunctive form: there is nothing to minimise."""
    space = Space.free(NAMES)
    cubes = distribute(clauses_of(cnf, space), space)
    products = [names(cube, space) for cube in cubes]
    for world in worlds(NAMES):
        assert any(p <= world for p in products) == true_of(cnf, world)
    assert sorted(minimise(cubes, space).cubes) == sorted(cubes)
    assert not any(a < b for a in products for b in products)


@given(cnfs())
def test_minimised_forms_of_complementary_constants_say_the_same(cnf):
    space = Space.paired(LITERALS, COMPLEMENT)
    cubes = distribute(clauses_of(cnf, space), space)
    shorter, _ = minimise(cubes, space)
    rough = irredundant(cubes, space)
    products = [[names(c, space) for c in form] for form in (cubes, shorter, rough)]
    for image in images(NAMES):
        expected = true_of(cnf, image)
        assert [any(p <= image for p in form) for form in products] == [expected] * 3
    assert len(shorter) <= len(rough) <= len(cubes)


@given(st.sets(st.sampled_from(images(NAMES[:3])), max_size=8))
def test_no_fewer_conjunctions_will_do(table):
    space = Space.paired(LITERALS[:3] + LITERALS[8:11], COMPLEMENT)
    cubes = [space.cube(space.number[name] for name in image) for image in table]
    shorter, is_exact = minimise(cubes, space)
    assert is_exact
    inside = [{i for i in images(NAMES[:3]) if t <= i} for t in terms(NAMES[:3])]
    implicants = [w for w in inside if w <= table and not any(w < v <= table for v in inside)]
    assert len(shorter) == fewest(table, implicants)


@given(st.sets(st.sampled_from(images(NAMES[:3])), max_size=8))
def test_prime_implicants_are_all_there_and_no_others(table):
    space = Space.paired(LITERALS[:3] + LITERALS[8:11], COMPLEMENT)
    cells = [minimisation._cells(space, g) for g in range(3)]
    bits = [minimisation._bits(field) for field in space.fields]
    truth = np.zeros((2, 2, 2), dtype=bool)
    for image in table:
        cube = space.cube(space.number[name] for name in image)
        truth |= minimisation._box([[bool(cube >> b & 1) for b in own] for own in bits])
    primes = minimisation._primes(truth, bits, cells).tolist()
    found = {names(sum(c[i] for c, i in zip(cells, p, strict=True)), space) for p in primes}
    inside = {t: {i for i in images(NAMES[:3]) if t <= i} for t in terms(NAMES[:3])}
    implicants = {t for t, where in inside.items() if where <= table}
    assert found == {t for t in implicants if not any(other < t for other in implicants)}


@given(cnfs(LITERALS, most=5))
def test_the_conjunctive_form_is_minimised_by_turning_it_inside_out(cnf):
    space = Space.paired(LITERALS, COMPLEMENT)
    turned = space.inverted()
    given_clauses = clauses_of(cnf, space)
    shorter, _ = minimise([turned.cube(c) for c in given_clauses], turned)
    found = [names(cube, turned) for cube in shorter]
    assert len(found) <= len(given_clauses)
    for image in images(NAMES):
        assert true_of(found, image) == true_of(cnf, image)


CUTS = np.array([[x > 1, x > 2, x > 3, x <= 1, x <= 2, x <= 3] for x in (1, 2, 3, 4)])
NUMBERS = [("x", op, cut) for op in ">≤" for cut in (1, 2, 3)]


@given(cnfs([*NUMBERS, "a", "A", "b", "B"], most=5))
def test_literals_that_imply_each_other(cnf):
    """Cuts of a number: what cannot be is no condition, and intervals take two literals at most."""
    pair = np.array([[True, False], [False, True]])
    space = Space.of([(NUMBERS, CUTS), ("aA", pair), ("bB", pair)])
    cubes = distribute(clauses_of(cnf, space), space)
    shorter, is_exact = minimise(cubes, space)
    rough = irredundant(cubes, space)
    assert is_exact and len(shorter) <= len(rough)
    for x in (1, 2, 3, 4):
        own = {n for n in NUMBERS if (x > n[2]) == (n[1] == ">")}
        for rest in ({"a", "b"}, {"a", "B"}, {"A", "b"}, {"A", "B"}):
            for form in (cubes, shorter, rough):
                assert any(names(c, space) <= own | rest for c in form) == true_of(cnf, own | rest)
    for cube in shorter:
        assert sum(isinstance(name, tuple) for name in names(cube, space)) <= 2


def test_clauses_lose_what_says_nothing():
    space = Space.of([(NUMBERS, CUTS)])
    clause = space.clause([("x", ">", 2), ("x", ">", 3), ("x", "≤", 1)])
    assert {space.literals[i] for i in clause} == {("x", ">", 2), ("x", "≤", 1)}
    assert space.clause([("x", ">", 2), ("x", "≤", 3)]) is None


def test_large_formulas_are_minimised_roughly_and_still_right():
    n = 14  # 2 ** 14 states: too many for a table
    space = Space.paired(
        [f"{s}{i}" for i in range(n) for s in "pn"], {f"p{i}": f"n{i}" for i in range(n)}
    )
    number = space.number
    cubes = [
        space.cube([number[f"p{i}"], number[f"{s}{(i + 1) % n}"]]) for i in range(n) for s in "pn"
    ]
    found = minimise(cubes, space)
    assert not found.is_exact
    assert {names(cube, space) for cube in found.cubes} == {frozenset([f"p{i}"]) for i in range(n)}


def test_covered_by_cases():
    space = Space.paired("aAbB", {"a": "A", "b": "B"})
    a, upper = space.cube([space.number["a"]]), space.cube([space.number["A"]])
    assert covered(space.everything, [a, upper], space)
    assert not covered(space.everything, [a], space)


def test_what_the_distributive_law_would_make_too_large():
    space = Space.free(range(60))
    cnf = [space.clause(range(k, k + 3)) for k in range(0, 60, 3)]
    with pytest.raises(FormulaTooLarge, match="the limit is 2,000"):
        distribute(cnf, space)


def test_the_integer_program_has_a_fallback(monkeypatch):
    monkeypatch.setattr(minimisation, "NODES", 0)
    boxes = np.array([[True, True, False], [False, True, True], [True, False, True]])
    chosen, _ = minimisation._cover(boxes, np.ones(3, dtype=np.int64))
    assert boxes[chosen].any(axis=0).all() and len(chosen) == 2
    assert minimisation._greedily(boxes) == [0, 1]


@given(st.sets(st.frozensets(st.sampled_from(NAMES), min_size=1, max_size=4), max_size=8))
def test_factored_forms_say_the_same_in_no_more_words(products):
    space = Space.free(NAMES)
    cubes = absorb(space.cube(space.number[name] for name in one) for one in products)
    products = [names(cube, space) for cube in cubes]
    assume(products)
    summed, turned = factor(products), factor(products, turned=True)
    assert summed.size() <= sum(map(len, products)) >= turned.size()
    for world in worlds(NAMES):
        assert is_true(summed, world) == any(p <= world for p in products)
        assert is_true(turned, world) == all(p & world for p in products)


@pytest.mark.parametrize(
    ("products", "text"),
    [
        (["ab", "cd"], "(a and b) or (c and d)"),
        (["ac", "ad", "bc", "bd"], "(a or b) and (c or d)"),
        (["abc", "abd", "e"], "(a and b and (c or d)) or e"),
        (["a"], "a"),
        ([""], "always"),
        ([], "never"),
    ],
)
def test_factored_forms_by_example(products, text):
    assert str(factor(products)) == text


def test_factored_form_keeps_its_kind():
    assert isinstance(factor(["ab"]), And) and isinstance(factor(["ab"], turned=True), Or)
    assert factor(["a"]) == Has("a")
