"""Direct products of models, and the factors of a model.

An element of a product is one element of each factor, and ``a < b`` holds if it holds in every
factor. Atomized models make this plain: the atoms of the product are those of the factors, side by
side. An atomized model is thus the product of models with one atom each (section 2.5).
"""

import numpy as np

from atomlearn.algebra.model import Model
from atomlearn.algebra.vocabulary import Vocabulary
from atomlearn.sets import rows


def product(*models: Model) -> Model:
    """The direct product of models, over the constants of all of them, matched by name.

    A constant that a factor does not have is its smallest element there.

    >>> from atomlearn import Algebra
    >>> one, other = Algebra(["a", "b"]), Algebra(["b", "c"])
    >>> one.add(one.relation("a < b"))
    >>> both = product(one.freest(), other.freest())
    >>> both.holds(both.relation("a < b")), both.holds(both.relation("c < b"))
    (True, False)
    """
    names = list(dict.fromkeys(name for model in models for name in model.names))
    at = {name: i for i, name in enumerate(names)}
    parts = [np.zeros((0, len(names)), dtype=bool)]
    for model in models:
        part = np.zeros((model.n_atoms, len(names)), dtype=bool)
        part[:, [at[name] for name in model.names]] = rows.unpack(model.rows, model.n_constants)
        parts.append(part)
    return Model(Vocabulary(names, by_name=True), rows.pack(np.concatenate(parts)))


def factors(model: Model) -> list[Model]:
    """The models of one atom each of which a model is the product, without redundant atoms.

    >>> from atomlearn import Algebra
    >>> alg = Algebra(["a", "b"])
    >>> alg.add(alg.relation("a < b"))
    >>> [factor.atoms[0].constants for factor in factors(alg.freest())]
    [('b',), ('a', 'b')]
    """
    few = model.irredundant()
    return [Model(few.vocabulary, few.rows[k : k + 1], few.n_constants) for k in range(few.n_atoms)]
