"""The paper's worked example, step by step with its numbers (sections 2 and 3).

Pixels: c1 bottom left, c2 top left, c3 top right, c4 bottom right, black; c5 to c8 the same, white.
"""

from itertools import product

import pytest

from tests.naive import (
    Dual,
    Embedding,
    Script,
    atom_set_reduction,
    enforce_negative_trace_constraints,
    enforce_positive_trace_constraints,
    enforce_reversed_negatives,
    entails,
    freest_atoms,
    freest_by_crossing,
    generation_of_pinning_terms_and_relations,
    holds,
    is_model,
    least_free_atoms,
    memory,
    reversed_relations_hold,
    sparse_crossing_of_a_into_b,
)


def term(names: str) -> frozenset[str]:
    return frozenset(names.split())


V = term("v")
T1, T2 = term("c1 c2 c7 c8"), term("c3 c4 c5 c6")  # the positive images
N1, N2, N3 = term("c2 c4 c5 c7"), term("c3 c5 c6 c8"), term("c4 c5 c6 c7")  # the negative ones
POSITIVES = [(V, T1), (V, T2)]
NEGATIVES = [(V, N1), (V, N2), (V, N3)]
CONSTANTS = term("v c1 c2 c3 c4 c5 c6 c7 c8")
PIXELS = CONSTANTS - V
EXACT = [term("v c1 c4"), term("v c1 c3"), term("v c2 c3"), term("v c2 c4")]


class Toy:
    """The embedding of the example, taken one step further by each method."""

    def __init__(self):
        self.graph = Embedding(CONSTANTS, POSITIVES, NEGATIVES)

    def traces(self, *elements):
        """The names of the dual atoms in the trace of each element."""
        found = [" ".join(sorted(z.name for z in self.graph.Tr(x))) for x in elements]
        return found[0] if len(found) == 1 else found

    def add_dual_atoms(self):
        self.z1, self.z2, self.z3 = enforce_reversed_negatives(self.graph)
        return self

    def run(self, algorithm, *arguments, draws, **options):
        """An algorithm of the paper with the paper's draws, none left over; the atoms it made."""
        before, script = self.graph.A(), Script(*draws)
        algorithm(self.graph, *arguments, script, **options)
        assert script.done()
        return sorted(self.graph.A() - before)

    def enforce_negatives(self):
        (self.phi,) = self.run(enforce_negative_trace_constraints, draws=[self.z1, "v"])
        return self

    def enforce_positives(self):
        """Draw what the paper draws: c1 for T1; c3, then c4, for T2."""
        draws = [self.z1, "c1", self.z1, "c3", self.z2, "c4"]
        self.e1, self.e2, self.e3 = self.run(enforce_positive_trace_constraints, draws=draws)
        return self

    def cross_first(self, spare=True):
        made = self.run(sparse_crossing_of_a_into_b, V, T1, draws=[self.e1], spare=spare)
        self.phi1, *_ = made
        return self

    def cross_second(self, spare=True):
        draws = [self.e2, self.e3]
        made = self.run(sparse_crossing_of_a_into_b, V, T2, draws=draws, spare=spare)
        self.phi2, self.phi3, *_ = made
        return self

    def reduce(self, *draws):
        """Algorithm 4; the constants that are not among the draws come last and draw nothing."""
        rest = CONSTANTS - {draw for draw in draws if isinstance(draw, str)}
        assert self.run(atom_set_reduction, draws=[*draws, *sorted(rest)]) == []
        return self.graph.A()

    def with_traces(self):
        return self.add_dual_atoms().enforce_negatives().enforce_positives()

    def learned(self):
        return self.with_traces().cross_first().cross_second()


@pytest.fixture
def toy():
    return Toy()


ALL = "0* ζ1 ζ2 ζ3"


def test_the_graph_at_the_start(toy):
    graph = toy.graph
    assert {x for x in graph.GL(T1) if isinstance(x, frozenset)} == {
        T1,
        *(frozenset({c}) for c in T1),
    }
    assert graph.GLa(V) == graph.GLa(T1) == {graph.zero}
    assert Dual(V) in graph.GU(Dual(T1)) and Dual(V) in graph.GU(Dual(T2))
    assert not any(Dual(V) in graph.GU(Dual(N)) for N in (N1, N2, N3))
    assert V not in graph.GU(T1) and T1 not in graph.GU(V)  # relations of R are no edges of M
    assert graph.GLa(Dual(V)) == {graph.zero_star}


def test_dual_atoms_satisfy_the_reversed_relations(toy):
    assert not reversed_relations_hold(toy.graph)
    toy.add_dual_atoms()
    assert reversed_relations_hold(toy.graph)
    assert [toy.graph.constants_in(z) for z in (toy.z1, toy.z2, toy.z3)] == [N1, N2, N3]


def test_negative_trace_constraints(toy):
    toy.add_dual_atoms()
    assert toy.traces(N1, N2, N3, V) == [ALL] * 4
    toy.enforce_negatives()  # one new atom, φ → v, is enough for the three relations
    assert toy.graph.constants_above(toy.phi) == V
    assert toy.traces(N1, N2, N3) == [ALL] * 3
    assert toy.traces(V) == "0*"


def test_positive_trace_constraints(toy):
    toy.add_dual_atoms().enforce_negatives()
    assert toy.traces(T1, T2) == [ALL] * 2
    toy.enforce_positives()
    assert [toy.graph.constants_above(e) for e in (toy.e1, toy.e2, toy.e3)] == [
        term("c1"),
        term("c3"),
        term("c4"),
    ]
    assert toy.traces(toy.e1, toy.e2, toy.e3) == ["0*", "0* ζ2", "0* ζ1 ζ3"]
    assert toy.traces(T1, T2, V) == ["0*"] * 3


def test_first_sparse_crossing(toy):
    toy.with_traces().cross_first()
    assert toy.graph.constants_above(toy.phi1) == term("v c1")
    assert toy.traces(toy.phi1) == "0*"
    graph = toy.graph
    assert graph.A() == {graph.zero, toy.phi1, toy.e2, toy.e3}  # φ and ε1 are gone
    assert graph.less(V, T1) and graph.dis(V, T2) == {toy.phi1}
    # Slip of the paper: in section 2.7 Tr(ε2) is {0*, ζ1}; section 2.6 has it right, {0*, ζ2}.
    assert toy.traces(toy.e2, toy.e3) == ["0* ζ2", "0* ζ1 ζ3"]


def test_second_sparse_crossing(toy):
    toy.with_traces().cross_first()
    before = toy.traces(*map(term, sorted(CONSTANTS)))
    toy.cross_second()
    graph = toy.graph
    assert graph.constants_above(toy.phi2) == term("c1 c3 v")
    assert graph.constants_above(toy.phi3) == term("c1 c4 v")
    assert toy.traces(toy.phi2, toy.phi3) == ["0* ζ2", "0* ζ1 ζ3"]
    assert toy.traces(*map(term, sorted(CONSTANTS))) == before
    assert graph.GLa(V) == graph.GLa(T1) == graph.GLa(T2) == {graph.zero, toy.phi2, toy.phi3}
    assert graph.GLa(N1) == graph.GLa(N3) == {graph.zero, toy.phi3}
    assert graph.GLa(N2) == {graph.zero, toy.phi2}


def test_discriminants_of_the_learned_model(toy):
    toy.learned()
    assert [toy.graph.dis(V, T) for T in (T1, T2)] == [set(), set()]
    assert toy.graph.dis(V, N1) == toy.graph.dis(V, N3) == {toy.phi2}
    assert toy.graph.dis(V, N2) == {toy.phi3}


def test_algorithm_3_as_printed_keeps_the_partners(toy):
    """The text deletes ε1, ε2, ε3; Algorithm 3 restores each as ε'; the reduction drops them."""
    toy.with_traces().cross_first(spare=False).cross_second(spare=False)
    singles = [term("c1"), term("c3"), term("c4")]
    atoms, _ = toy.graph.as_sets()
    assert sorted(atoms, key=len) == [*singles, term("c1 c3 v"), term("c1 c4 v"), CONSTANTS]
    kept = toy.reduce("c3", toy.z1, toy.phi2, "c4", toy.z2, toy.phi3)
    assert kept == {toy.phi2, toy.phi3}


def test_the_learned_model_cannot_be_reduced(toy):
    """c3 needs φ2 and c4 needs φ3. (Algorithm 4 as printed deletes the atom 0, here for show.)"""
    toy.learned()
    kept = toy.reduce("c3", toy.z1, toy.phi2, "c4", toy.z2, toy.phi3)
    assert kept == {toy.phi2, toy.phi3}


def test_reduction_drops_beta(toy):
    toy.learned()
    before = toy.traces(*map(term, sorted(CONSTANTS)))
    beta = toy.graph.add_atom(term("c1"), name="β")
    assert toy.traces(*map(term, sorted(CONSTANTS))) == before  # "does not change any traces"
    assert toy.traces(toy.graph.zero, toy.phi2, toy.phi3, beta) == [ALL, "0* ζ2", "0* ζ1 ζ3", "0*"]
    kept = toy.reduce("c3", toy.z3, toy.phi2, "c4", toy.z2, toy.phi3)
    assert kept == {toy.phi2, toy.phi3}
    assert toy.traces(*map(term, sorted(CONSTANTS))) == before


def test_reduction_may_keep_beta_in_one_call(toy):
    """ "Within a few calls": if c1 comes first and draws β, all three atoms stay."""
    toy.learned()
    beta = toy.graph.add_atom(term("c1"), name="β")
    kept = toy.reduce("c1", toy.z1, beta, "c3", toy.z1, toy.phi2, "c4", toy.z2, toy.phi3)
    assert kept == {toy.phi2, toy.phi3, beta}


def test_pinning_terms_and_relations(toy):
    toy.learned()
    terms, relations = generation_of_pinning_terms_and_relations(toy.graph)
    t2, t3 = term("c2 c4 c5 c6 c7 c8"), term("c2 c3 c5 c6 c7 c8")
    assert terms == {toy.phi2: t2, toy.phi3: t3}
    # Slips of the paper: ¬(c3 < T_φ3) for ¬(c3 < T_φ2) (c3 is a part of T_φ3); φ2 < c4 for φ3 < c4.
    assert term("c3") <= t3
    assert relations == [
        *((term(c), t2) for c in ("c1", "c3", "v")),
        *((term(c), t3) for c in ("c1", "c4", "v")),
    ]
    atoms, _ = toy.graph.as_sets()
    assert is_model(atoms, POSITIVES, NEGATIVES + relations)


def test_freest_model():
    """Figure: sixteen atoms of v, one black or white pixel of each positive image."""
    of_v = {V | {c, d} for c in T1 for d in T2}
    assert len(of_v) == 16
    own = {frozenset({c}) for c in PIXELS}
    assert set(freest_atoms(CONSTANTS, POSITIVES)) == of_v | own
    assert set(freest_by_crossing(CONSTANTS, POSITIVES)) == of_v | own


def test_freest_model_says_no_unless_entailed():
    atoms = freest_atoms(CONSTANTS, POSITIVES)
    for image in images():
        assert holds(atoms, V, image) == (image in (T1, T2)) == entails(POSITIVES, V, image)


def test_least_free_model():
    """Figure: three atoms of four constants and v."""
    expected = {V | term("c1 c3 c6 c8"), V | term("c1 c2 c4 c7"), V | term("c1 c2 c3 c8")}
    assert set(least_free_atoms(CONSTANTS, POSITIVES, NEGATIVES)) == expected
    assert set(memory(CONSTANTS, POSITIVES, NEGATIVES)) == expected
    assert is_model(list(expected), POSITIVES, NEGATIVES)


def images():
    """The sixteen images: each pixel black, or its white twin four constants on."""
    for blacks in product([True, False], repeat=4):
        yield frozenset(f"c{i if black else i + 4}" for i, black in enumerate(blacks, 1))


def has_bar(image):
    return term("c1 c2") <= image or term("c3 c4") <= image


def test_exact_solution_classifies_all_images():
    answers = {image: holds(EXACT, V, image) for image in images()}
    assert answers == {image: has_bar(image) for image in images()}
    assert sum(answers.values()) == 7


def test_each_exact_atom_is_needed():
    for missing in EXACT:
        rest = [atom for atom in EXACT if atom != missing]
        assert any(holds(rest, V, image) and not has_bar(image) for image in images())


def test_learned_atoms_are_two_of_the_exact_solution(toy):
    toy.learned()
    assert [toy.graph.constants_above(phi) for phi in (toy.phi3, toy.phi2)] == EXACT[:2]


def test_exact_atoms_are_atoms_of_the_freest_model_of_all_examples():
    positives = [(V, image) for image in images() if has_bar(image)]
    assert set(EXACT) < set(freest_by_crossing(CONSTANTS, positives))
    assert is_model(EXACT, positives, [(V, image) for image in images() if not has_bar(image)])
