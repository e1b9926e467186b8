"""Slow, obvious twins: truth tables, the map index by sets, the shortest formula by trying."""

from itertools import combinations, product

from hypothesis import strategies as st

from atomlearn.logic.formulas import And, Has, Not, Odd, Or

NAMES = [f"c{i}" for i in range(8)]
ABSENT = {name: name.upper() for name in NAMES} | {name.upper(): name for name in NAMES}
"""The constant that stands for the absence of another: C1 for c1, and the other way round."""


def formulas(names=NAMES, *, monotone=False, most=9):
    """Random formulas; ``monotone`` ones have no negation."""
    leaves = st.sampled_from(names).map(Has)

    def larger(parts):
        many = st.lists(parts, max_size=3).map(tuple)
        kinds = [many.map(And), many.map(Or)]
        if not monotone:
            kinds += [parts.map(Not), st.lists(parts, max_size=2).map(tuple).map(Odd)]
        return st.one_of(kinds)

    return st.recursive(leaves, larger, max_leaves=most)


def is_true(formula, world):
    """By the meaning of the connectives, one world at a time."""
    if isinstance(formula, Has):
        return formula.constant in world
    if isinstance(formula, Not):
        return not is_true(formula.part, world)
    values = [is_true(part, world) for part in formula.parts]
    if isinstance(formula, And):
        return all(values)
    return any(values) if isinstance(formula, Or) else sum(values) % 2 == 1


def worlds(names):
    """Every set of some names."""
    return [
        frozenset(name for name, there in zip(names, bits, strict=True) if there)
        for bits in product([False, True], repeat=len(names))
    ]


def images(names):
    """The same, with the complements of the names that are not there."""
    return [
        world | {ABSENT[name] for name in names if name not in world} for world in worlds(names)
    ]


def clauses(formula, negated=False):
    """The clauses of the map index, as the paper says: a set of sets."""
    if isinstance(formula, Has):
        name = formula.constant
        return {frozenset([ABSENT[name] if negated else name])}
    if isinstance(formula, Not):
        return clauses(formula.part, not negated)
    if isinstance(formula, Odd):
        return clauses(without_odd(formula), negated)
    parts = [clauses(part, negated) for part in formula.parts]
    if isinstance(formula, And) != negated:
        return set().union(*parts)
    return {frozenset().union(*choice) for choice in product(*parts)}


def without_odd(formula):
    """At most two parts, written out."""
    if len(formula.parts) < 2:
        return Or(formula.parts)
    a, b = formula.parts
    return And((Or((a, b)), Or((Not(a), Not(b)))))


def exact_atoms(formula):
    """Without what is trivial, double or redundant."""
    found = {c for c in clauses(formula) if not any(ABSENT[name] in c for name in c)}
    return {c for c in found if not any(other < c for other in found)}


def terms(names):
    """Every conjunction of some names and absences of names, as sets of constants."""
    choices = product(*[[(), (name,), (ABSENT[name],)] for name in names])
    return [frozenset(name for own in choice for name in own) for choice in choices]


def fewest(table, implicants):
    """The least number of implicants that together are the table, by trying."""
    for n in range(len(implicants) + 1):
        for some in combinations(implicants, n):
            if {world for one in some for world in one} == table:
                return n
    raise AssertionError("the implicants are not the table")
