"""Constants, terms, relations, atoms and models, exactly. Nothing here knows of learning."""

from typing import TYPE_CHECKING

from atomlearn._exports import attach

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra as Algebra
    from atomlearn.algebra.answers import QueryResult as QueryResult
    from atomlearn.algebra.atoms import Atom as Atom
    from atomlearn.algebra.conflicts import Conflict as Conflict
    from atomlearn.algebra.irreducible import irreducible_subsets as irreducible_subsets
    from atomlearn.algebra.irreducible import is_irreducible as is_irreducible
    from atomlearn.algebra.model import Model as Model
    from atomlearn.algebra.products import factors as factors
    from atomlearn.algebra.products import product as product
    from atomlearn.algebra.relations import Relation as Relation
    from atomlearn.algebra.terms import Constant as Constant
    from atomlearn.algebra.terms import Term as Term
    from atomlearn.algebra.vocabulary import Vocabulary as Vocabulary

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "algebra": ["Algebra"],
        "answers": ["QueryResult"],
        "atoms": ["Atom"],
        "conflicts": ["Conflict"],
        "irreducible": ["irreducible_subsets", "is_irreducible"],
        "model": ["Model"],
        "products": ["factors", "product"],
        "relations": ["Relation"],
        "terms": ["Constant", "Term"],
        "vocabulary": ["Vocabulary"],
    },
)
