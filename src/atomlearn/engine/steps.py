"""Section 2 of the paper, step by step, on small problems: every step can be printed and drawn.

An :class:`Embedding` holds the master ``M`` (atoms) and the dual ``M*`` (its atoms ``ζ``, each the
set of constants whose duals contain it). Its methods are the paper's steps, in the paper's order:
build the dual, enforce the trace constraints, cross, reduce, pin.

Master and dual are drawn as graphs in layers, as in the paper. Lines go upwards. Left ``M``: atoms,
constants, terms of the relations. Right ``M*``: its atoms, the duals of terms and constants, and
the duals of the atoms of ``M``; positive relations are red.
"""

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from atomlearn.engine.dual import cover, reduce_dual
from atomlearn.engine.epoch import split
from atomlearn.engine.full_crossing import full_crossing
from atomlearn.engine.reduction import reduce
from atomlearn.engine.sparse_crossing import DRAWS, cross_until
from atomlearn.engine.state import (
    Dual,
    Master,
    atoms_of,
    constant_traces,
    dual_of,
    master_of,
    positives_of,
)
from atomlearn.engine.trace_constraints import HOLD, enforce_negative, enforce_positive
from atomlearn.errors import InconsistentRelations, InvalidParameter
from atomlearn.sets import rows
from atomlearn.sets.closing import close_rows
from atomlearn.sets.random import Seed, stream
from atomlearn.sets.rows import Rows, to_lists

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra
    from atomlearn.algebra.model import Model
    from atomlearn.algebra.relations import Relation
    from atomlearn.algebra.terms import Term

ENOUGH = 1 << 40
"""Limit on the size of a crossing, so large that crossing one relation is never cut short."""


class Embedding:
    """The state of an embedding, and the paper's steps that change it; each step returns it.

    Parameters
    ----------
    algebra : Algebra
        The relations to embed.
    random_state : int, Generator or None, default=None
        Random seed; the same seed gives the same steps.
    pins : iterable of Term, default=()
        Pinning terms of earlier epochs (:meth:`pin`), which may lend atoms to the dual.

    Examples
    --------
    >>> from atomlearn import Algebra
    >>> alg = Algebra(["v", "a", "b", "c"])
    >>> alg.add(alg.relation("v < a b"), alg.relation("v !< a c"))
    >>> steps = Embedding(alg, random_state=0)
    >>> print(steps.build_dual().enforce_traces())
    M:  {v}, {b}
    M*: ζ1 below [a] [c]
    Tr(v) = {}, Tr(b) = {}, of the others: all
    >>> print(steps.cross(alg.relation("v < a b")).reduce())
    M:  {v b}
    M*: ζ1 below [a] [c]
    Tr(v) = {}, Tr(b) = {}, of the others: all
    >>> [alg.term("a c") == term for term in steps.pin()]
    [True]
    """

    def __init__(
        self, algebra: "Algebra", random_state: Seed = None, pins: "Iterable[Term]" = ()
    ) -> None:
        if conflicts := algebra.conflicts():
            raise InconsistentRelations(conflicts)
        self.algebra, self.relations = algebra, algebra.packed()
        self.n = algebra.n_constants
        self.rng = stream(random_state)
        self.atoms: Rows = rows.empty(0, self.n)
        self.witnesses: Rows = rows.empty(0, self.n)
        members = [algebra.term(pin.constants).indices for pin in pins]  # of any algebra
        self._pins = rows.complement(rows.from_indices(members, self.n), self.n)
        known = self.relations
        self._closed = close_rows(
            known.negative_right, known.positive_left, known.positive_right, self.n
        )

    # -- the steps

    def build_dual(self, *, reduced: bool = False) -> "Embedding":
        """Add an atom ``ζ`` to the dual for each negative relation ``¬(a < b)`` (section 2.6).

        It lies below ``[b]``, or below the dual of a pinning term that contains ``b``, and below
        everything above these in the graph of ``M*``.

        Parameters
        ----------
        reduced : bool, default=False
            Whether Algorithm 5 then deletes atoms that are not needed.

        Returns
        -------
        Embedding
            The embedding itself.
        """
        known, pins = self.relations, to_lists(self._consistent_pins())
        if reduced:
            dual = cover(known.negative_left, self._closed, pins, self.n, self.rng, "every")
        elif len(pins.constants):
            dual = cover(known.negative_left, self._closed, pins, self.n, self.rng, "lazy")
        else:
            dual = rows.distinct(self._closed)
        self.witnesses = dual
        return self

    def reduce_dual(self) -> "Embedding":
        """Delete atoms of the dual that no negative relation needs (Algorithm 5)."""
        left = self.relations.negative_left
        self.witnesses = reduce_dual(left, self._closed, self.witnesses, self.n, self.rng)
        return self

    def enforce_negative(self) -> "Embedding":
        """Add atoms to ``M`` until ``Tr(b) ⊄ Tr(a)`` for each ``¬(a < b)`` (Algorithm 1)."""
        while True:
            dual, master = self._state()
            lacking = enforce_negative(
                self.relations.negative_left, self._closed, dual, master.singles,
                constant_traces(master, dual), self.rng,
            )  # fmt: skip
            self.atoms = atoms_of(master)
            if lacking == HOLD:
                return self
            self.witnesses = np.vstack([self.witnesses, self._closed[lacking]])

    def enforce_positive(self) -> "Embedding":
        """Add atoms to ``M`` until ``Tr(e) ⊂ Tr(d)`` for each ``d < e`` (Algorithm 2)."""
        dual, master = self._state()
        known = self.relations
        enforce_positive(
            known.positive_left, known.positive_right, dual, master.singles,
            constant_traces(master, dual), self.rng,
        )  # fmt: skip
        self.atoms = atoms_of(master)
        return self

    def enforce_traces(self) -> "Embedding":
        """Run Algorithms 1 and 2 in turn, until all trace constraints hold."""
        while self.unmet():
            self.enforce_negative().enforce_positive()
        return self

    def cross(
        self, relation: "Relation", *, full: bool = False, renewal: str = "always"
    ) -> "Embedding":
        """Cross a positive relation.

        Parameters
        ----------
        relation : Relation
            The relation.
        full : bool, default=False
            Whether to use Full Crossing instead of Sparse Crossing (Algorithm 3).
        renewal : {"always", "needed"}, default="always"
            Whether a partner keeps an atom of its own always, as in Algorithm 3, or only where its
            trace needs it, as in the text of section 2.7.

        Returns
        -------
        Embedding
            The embedding itself.
        """
        relation = self.algebra.relation(relation)
        if not relation.positive:
            raise InvalidParameter(f"only a positive relation is crossed, not {relation}")
        left, right = (rows.row(side.indices, self.n) for side in (relation.left, relation.right))
        if full:
            self.atoms = full_crossing(self.atoms, left, right, self.n, None, str(relation))
            return self
        one = positives_of(left[None], right[None], self.n)
        dual = dual_of(self.witnesses, self.n)
        singles, composites = split(self.atoms)
        master = master_of(singles, composites, one, dual)
        first, master, _ = cross_until(
            ENOUGH, 0, one, dual, master, self.rng, ENOUGH, DRAWS.index("blind"), False,
            renewal == "needed",
        )  # fmt: skip
        if first < 0:
            raise InvalidParameter(
                f"the trace constraint of {relation} does not hold: call enforce_traces() first"
            )
        self.atoms = atoms_of(master)
        return self

    def cross_all(self, *, full: bool = False) -> "Embedding":
        """Cross all positive relations, in their order.

        Parameters
        ----------
        full : bool, default=False
            Whether to use Full Crossing instead of Sparse Crossing (Algorithm 3).

        Returns
        -------
        Embedding
            The embedding itself.
        """
        for relation in self.algebra.positive:
            self.cross(relation, full=full)
        return self

    def reduce(self) -> "Embedding":
        """Delete atoms of ``M`` that no constant needs for its trace (Algorithm 4)."""
        dual, master = self._state()
        self.atoms = atoms_of(reduce(constant_traces(master, dual), dual, master, self.rng))
        return self

    def add_atom(self, term: "Term | str") -> "Embedding":
        """Add an atom to ``M`` by hand.

        Parameters
        ----------
        term : Term or str
            The constants that contain the atom.

        Returns
        -------
        Embedding
            The embedding itself.
        """
        indices = self.algebra.term(term).indices
        self.atoms = np.vstack([self.atoms, rows.row(indices, self.n)])
        return self

    def pin(self) -> "list[Term]":
        """Return the pinning terms of the atoms of ``M`` (Algorithm 6)."""
        return self.model.pinning_terms()

    # -- what there is to see

    @property
    def model(self) -> "Model":
        """Master as a model; it satisfies all relations once they are crossed."""
        return self.algebra.model_of(self.atoms)

    @property
    def dual(self) -> "dict[str, Term]":
        """Atoms of the dual: for each ``ζ`` the constants whose duals contain it."""
        names = self.algebra.names
        return {
            f"ζ{k}": self.algebra.term(names[c] for c in rows.members(row).tolist())
            for k, row in enumerate(self.witnesses, 1)
        }

    def trace(self, term: "Term | str") -> tuple[str, ...]:
        """Return ``Tr(x)``: the atoms of the dual that all atoms of a constant or term share.

        Parameters
        ----------
        term : Term or str
            The constant or term ``x``.
        """
        indices = self.algebra.term(term).indices
        traces = self._traces()[list(indices)]
        return self._named(np.bitwise_and.reduce(traces, axis=0))

    def traces(self) -> dict[str, tuple[str, ...]]:
        """Return ``Tr(c)`` of every constant."""
        traces = self._traces()
        return {name: self._named(traces[c]) for c, name in enumerate(self.algebra.names)}

    def unmet(self) -> "list[Relation]":
        """Return the relations whose trace constraints do not hold yet."""
        found = []
        for relation in self.algebra.relations:
            above_left, above_right = (set(self.trace(s)) for s in (relation.left, relation.right))
            if (above_right <= above_left) != relation.positive:
                found.append(relation)
        return found

    def __str__(self) -> str:
        atoms = ", ".join(_braced(atom.constants) for atom in self.model.atoms) or "no atoms"
        lines = [f"M:  {atoms}"]
        for k, (name, term) in enumerate(self.dual.items()):
            below = " ".join(f"[{c}]" for c in term.constants)
            lines.append(f"{'M*:' if k == 0 else '   '} {name} below {below}")
        traces = self.traces()
        shown = [f"Tr({c}) = {_set(t)}" for c, t in traces.items() if len(t) < len(self.witnesses)]
        if len(shown) < len(traces):
            shown.append(f"of the {'others' if shown else 'constants'}: all")
        return "\n".join([*lines, ", ".join(shown)])

    def svg(self) -> str:
        """Draw the graphs of ``M`` and ``M*`` side by side, as in the paper's figures."""
        return graphs(self)

    def _repr_svg_(self) -> str:
        return self.svg()

    # -- inside

    def _consistent_pins(self) -> Rows:
        known = self.relations
        terms = rows.complement(self._pins, self.n)
        closed = close_rows(terms, known.positive_left, known.positive_right, self.n)
        return self._pins[(closed == terms).all(axis=1)]

    def _state(self) -> tuple[Dual, Master]:
        known = self.relations
        positives = positives_of(known.positive_left, known.positive_right, self.n)
        dual = dual_of(self.witnesses, self.n)
        singles, composites = split(self.atoms)
        return dual, master_of(singles, composites, positives, dual)

    def _traces(self) -> Rows:
        dual, master = self._state()
        return constant_traces(master, dual)

    def _named(self, trace: Rows) -> tuple[str, ...]:
        return tuple(f"ζ{1 + z}" for z in rows.members(trace).tolist())


def _braced(names: Iterable[str]) -> str:
    return "{" + " ".join(names) + "}"


def _set(names: Iterable[str]) -> str:
    return "{" + ", ".join(names) + "}"


WIDTH, HEIGHT, GAP = 460, 90, 40
LINE, RELATION, ATOM = "#c4c4c4", "#c62828", "#2b6cb0"

Edge = tuple[str, str]
Place = dict[str, tuple[float, float]]


def graphs(steps: "Embedding") -> str:
    """Draw both graphs side by side."""
    constants = list(steps.algebra.names)
    sides = {s for r in steps.algebra.relations for s in (r.left, r.right) if len(s.constants) > 1}
    terms = {" ".join(term.constants): term.constants for term in sorted(sides, key=str)}
    atoms = {f"φ{k}": atom.constants for k, atom in enumerate(steps.model.atoms, 1)}
    held = [(name, c) for name, members in atoms.items() for c in members]
    parts = [(c, name) for name, members in terms.items() for c in members]
    relations = [
        (" ".join(r.right.constants), d) for r in steps.algebra.positive for d in r.left.constants
    ]
    dual = {name: [t for t, inside in terms.items() if set(inside) <= set(term.constants)]
            or list(term.constants) for name, term in steps.dual.items()}  # fmt: skip
    left = _panel(
        "M", 0, [list(atoms), constants, list(terms)],
        [(held, ATOM), (parts, LINE)],
    )  # fmt: skip
    right = _panel(
        "M*", WIDTH + GAP,
        [list(dual), [f"[{t}]" for t in terms], [f"[{c}]" for c in constants],
         [f"[{a}]" for a in atoms]],
        [([(f"[{t}]", f"[{c}]") for c, t in parts], LINE),
         ([(f"[{t}]", f"[{d}]") for t, d in relations], RELATION),
         ([(f"[{c}]", f"[{a}]") for a, c in held], ATOM),
         ([(z, f"[{x}]") for z, above in dual.items() for x in above], LINE)],
    )  # fmt: skip
    size = f'width="{2 * WIDTH + GAP}" height="{4 * HEIGHT}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11" '
        f'text-anchor="middle">{left}{right}</svg>'
    )


def _panel(
    title: str, x: float, layers: list[list[str]], kinds: Iterable[tuple[list[Edge], str]]
) -> str:
    at: Place = {}
    for level, layer in enumerate(layers):
        for k, name in enumerate(layer):
            across = x + (k + 0.5) / len(layer) * WIDTH
            at[name] = across, 4 * HEIGHT - 30 - level * HEIGHT
    drawn = [f'<text x="{x + WIDTH / 2}" y="14" font-size="14">{title}</text>']
    for edges, colour in kinds:
        for low, high in edges:
            if low in at and high in at:
                (x1, y1), (x2, y2) = at[low], at[high]
                drawn.append(
                    f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" '
                    f'stroke="{colour}"/>'
                )
    for name, (across, down) in at.items():
        drawn.append(
            f'<text x="{across:.0f}" y="{down + 4:.0f}" stroke="white" stroke-width="3" '
            f'paint-order="stroke">{html.escape(name)}</text>'
        )
    return "".join(drawn)
