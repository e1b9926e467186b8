"""The paper in plain Python sets: slow, obvious, and the oracle of every fast kernel.

Three layers, each readable beside the paper ("Algebraic Machine Learning"):

1. ``semantics``: closure, entailment, closed sets, freest and least-free models by brute force.
2. ``traces``, ``crossing``, ``reduction``: atoms as ``U(φ)`` and dual atoms as ``S_ζ``, both
   frozensets of constants, in lists. The twins of the bit kernels.
3. ``graph``, ``graph_algorithms``: nodes and edges of ``M`` and ``M*``, as the paper draws them.

A term is a frozenset of constants (a constant stands as the set of itself); ``a < b`` is the pair
``(a, b)``. Chance enters only through ``choose(options) -> option``, with ``options`` a sorted list
that is never empty. In layer 2 the options are constants, or positions in the list of atoms,
witnesses or relations that the function was given (and appends to).
"""

# ruff: noqa: F403
from tests.naive.crossing import *
from tests.naive.graph import *
from tests.naive.graph_algorithms import *
from tests.naive.reduction import *
from tests.naive.semantics import *
from tests.naive.terms import *
from tests.naive.traces import *
