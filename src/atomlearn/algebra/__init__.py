"""Exact constants, terms, relations, atoms and models."""

from typing import TYPE_CHECKING

from atomlearn import attach

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra as Algebra
    from atomlearn.algebra.contexts import Concept as Concept
    from atomlearn.algebra.contexts import Context as Context
    from atomlearn.algebra.contexts import Exploration as Exploration
    from atomlearn.algebra.decomposition import factors as factors
    from atomlearn.algebra.decomposition import irreducible_subsets as irreducible_subsets
    from atomlearn.algebra.decomposition import is_irreducible as is_irreducible
    from atomlearn.algebra.decomposition import product as product
    from atomlearn.algebra.implications import Implication as Implication
    from atomlearn.algebra.model import Atom as Atom
    from atomlearn.algebra.model import Model as Model
    from atomlearn.algebra.relations import Conflict as Conflict
    from atomlearn.algebra.relations import Line as Line
    from atomlearn.algebra.relations import QueryResult as QueryResult
    from atomlearn.algebra.relations import Relation as Relation
    from atomlearn.algebra.repairs import AllConflicts as AllConflicts
    from atomlearn.algebra.repairs import Repair as Repair
    from atomlearn.algebra.repairs import WhatIf as WhatIf
    from atomlearn.algebra.terms import Constant as Constant
    from atomlearn.algebra.terms import Term as Term
    from atomlearn.algebra.terms import Vocabulary as Vocabulary

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "algebra": ["Algebra"],
        "contexts": ["Concept", "Context", "Exploration"],
        "decomposition": ["factors", "irreducible_subsets", "is_irreducible", "product"],
        "implications": ["Implication"],
        "model": ["Atom", "Model"],
        "relations": ["Conflict", "Line", "QueryResult", "Relation"],
        "repairs": ["AllConflicts", "Repair", "WhatIf"],
        "terms": ["Constant", "Term", "Vocabulary"],
    },
)
