"""Pinning terms and relations of a model, and back (paper, section 2.9 and Algorithm 6).

The pinning term ``T_φ`` of an atom is the merge of all constants that do not contain it; the
pinning relations are ``¬(c < T_φ)`` for all constants ``c`` that do. They capture every negative
relation of the model (Theorem 3). The atom that all constants contain (the paper's 0) tells nothing
apart, and has no pinning term: it would be empty.
"""

from collections.abc import Iterable

from atomlearn.algebra.order import tells_apart
from atomlearn.algebra.relations import Relation
from atomlearn.algebra.terms import Constant, Term
from atomlearn.algebra.vocabulary import Vocabulary
from atomlearn.sets import rows as bits
from atomlearn.sets.rows import Rows


def pinning_terms(vocabulary: Vocabulary, atoms: Rows, n: int) -> list[Term]:
    """The pinning term of each atom."""
    outside = bits.complement(tells_apart(atoms, n), n)
    return [Term(vocabulary, tuple(bits.members(row).tolist())) for row in outside]


def pinning_relations(vocabulary: Vocabulary, atoms: Rows, n: int) -> list[Relation]:
    """All pinning relations, atom by atom."""
    atoms = tells_apart(atoms, n)
    return [
        Relation(Constant(vocabulary, (c,)), term, positive=False)
        for atom, term in zip(atoms, pinning_terms(vocabulary, atoms, n), strict=True)
        for c in bits.members(atom).tolist()
    ]


def pinned_atoms(terms: Iterable[Term], n: int) -> Rows:
    """The atoms with these pinning terms."""
    return bits.complement(bits.from_indices([term.indices for term in terms], n), n)
