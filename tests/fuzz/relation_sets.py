"""Random sets of relations: what the library says of each is held against the naive twin."""

import contextlib
import random

from atomlearn import Algebra, InconsistentRelations, Relation
from tests import naive

NAMES = "abcdefg"

Pair = tuple[frozenset[str], frozenset[str]]


def compare(chance: random.Random) -> str | None:
    """One set of relations; what was said wrongly of it, or nothing."""
    names = NAMES[: chance.randint(1, len(NAMES))]
    positives = [_pair(names, chance) for _ in range(chance.randint(0, 6))]
    negatives = [_pair(names, chance) for _ in range(chance.randint(0, 8))]
    if chance.random() < 0.7:
        negatives = [r for r in negatives if not naive.conflicts(positives, [r])]
    alg = Algebra(names)
    alg.add(_relation(alg, pair) for pair in positives)
    alg.add(~_relation(alg, pair) for pair in negatives)
    about = f"{[str(r) for r in alg.relations]} over {names}"

    wrong = [r for r in dict.fromkeys(negatives) if r in naive.conflicts(positives, negatives)]
    found = [_sides(conflict.relation) for conflict in alg.conflicts()]
    if found != wrong:
        return f"conflicts: {about}: {found}, not {wrong}"
    for conflict in alg.conflicts():
        if not naive.entails([_sides(r) for r in conflict.derivation], *_sides(conflict.relation)):
            return f"derivation: {about}: {conflict}"

    for _ in range(4):
        a, b = _pair(names, chance)
        if alg.entails(_relation(alg, (a, b))) != naive.entails(positives, a, b):
            return f"entails: {about}: {sorted(a)} < {sorted(b)}"
        forbidden = bool(naive.conflicts([*positives, (a, b)], negatives))
        if alg.entails(~_relation(alg, (a, b))) != forbidden:
            return f"entails: {about}: {sorted(a)} !< {sorted(b)}"

    return _refused(alg, about) if wrong else _models(alg, positives, negatives, chance, about)


def _refused(alg: Algebra, about: str) -> str | None:
    """No model is given of relations that have none."""
    for make in (alg.freest, alg.learn, alg.least_free):
        with contextlib.suppress(InconsistentRelations):
            return f"{make.__name__}: {about}: {make()}"
    return None


def _models(alg, positives, negatives, chance, about) -> str | None:
    freest = alg.freest()
    atoms = {frozenset(atom.constants) for atom in freest.atoms}
    if atoms != set(naive.freest_atoms(alg.names, positives)):
        return f"freest: {about}: {sorted(map(sorted, atoms))}"
    model = alg.learn(random_state=chance.randrange(2**32))
    atoms = [frozenset(atom.constants) for atom in model.atoms]
    if not naive.is_model(atoms, positives, negatives):
        return f"learn: {about}: {sorted(map(sorted, atoms))}"
    for a, b in (_pair(alg.names, chance) for _ in range(4)):
        if model.holds(_relation(alg, (a, b))) != naive.holds(atoms, a, b):
            return f"holds: {about}: {sorted(a)} < {sorted(b)} in {sorted(map(sorted, atoms))}"
    if not freest.is_freer_than(model):
        return f"is_freer_than: {about}: {sorted(map(sorted, atoms))}"
    return None


def _pair(names, chance: random.Random) -> Pair:
    def term(most: int) -> frozenset[str]:
        return frozenset(chance.sample(list(names), chance.randint(1, min(most, len(names)))))

    return term(2), term(4)


def _relation(alg: Algebra, pair: Pair) -> Relation:
    return alg.term(sorted(pair[0])) <= alg.term(sorted(pair[1]))


def _sides(relation: Relation) -> Pair:
    return frozenset(relation.left.constants), frozenset(relation.right.constants)
