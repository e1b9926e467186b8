"""The algebra: constants, terms over them, and the relations that they should satisfy."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from atomlearn.algebra.model import Model
from atomlearn.algebra.relations import (
    Conflict,
    Layout,
    Line,
    QueryResult,
    Relation,
    Verdict,
    adopt_relation,
    flatten,
    make_relation,
)
from atomlearn.algebra.terms import Constant, Term, Vocabulary, make_term
from atomlearn.engine.protocol import PackedRelations, check_learning
from atomlearn.errors import InconsistentRelations, NotARelation, RelationSyntaxError
from atomlearn.markup import Listed
from atomlearn.sets.rows import Rows, lists_of

if TYPE_CHECKING:
    from atomlearn.algebra.contexts import Context
    from atomlearn.algebra.implications import Implication, Kind
    from atomlearn.algebra.repairs import Repair, WhatIf
    from atomlearn.engine.epochs import Epochs
    from atomlearn.engine.protocol import Protocol
    from atomlearn.engine.state import OnEpoch
    from atomlearn.sets.random import Seed


class Algebra:
    """Constants, and the relations that every model of this algebra satisfies.

    Parameters
    ----------
    constants : iterable of str, default=()
        Names of the constants to start with.

    Examples
    --------
    >>> alg = Algebra()
    >>> v, a, b, c = alg.constants("v", "a", "b", "c")
    >>> alg.add(v <= a | b, a <= c, ~(v <= c))
    >>> alg
    <Algebra: 2 positive and 1 negative relations over 4 constants>
    >>> alg.entails(v <= b | c)
    True
    >>> alg.conflicts()
    []
    >>> alg.add(b <= c)
    >>> alg.conflicts()[0].derivation
    (Relation('a < c'), Relation('b < c'), Relation('v < a b'))
    """

    def __init__(self, constants: Iterable[str] = ()) -> None:
        self._vocabulary = Vocabulary(constants)
        self._relations: dict[Relation, None] = {}  # a set that keeps its order
        self._lines: dict[Relation, Line] = {}
        self._laid_out: Layout | None = None

    # -- constants and terms

    @property
    def vocabulary(self) -> Vocabulary:
        """The names of the constants, which terms and models share."""
        return self._vocabulary

    @property
    def names(self) -> Sequence[str]:
        """The names of the constants, in order of creation."""
        return tuple(self._vocabulary.names)

    @property
    def n_constants(self) -> int:
        """Number of constants."""
        return len(self._vocabulary)

    def constant(self, name: str) -> Constant:
        """Create a constant.

        Parameters
        ----------
        name : str
            The name, which must be new; ``algebra[name]`` is an existing constant.

        Returns
        -------
        Constant
            The new constant.
        """
        return self.constants(name)[0]

    def constants(self, *names: str) -> list[Constant]:
        """Create constants: all of them, or none if a name is invalid.

        Parameters
        ----------
        *names : str
            The names, which must be new.

        Returns
        -------
        list of Constant
            The new constants, in the same order.

        Examples
        --------
        >>> alg = Algebra()
        >>> alg.constants("a", "b")
        [Constant('a'), Constant('b')]
        >>> alg.constants("c", "a")
        Traceback (most recent call last):
        ...
        atomlearn.errors.DuplicateConstant: there is already a constant 'a'; ...
        >>> alg.n_constants
        2
        """
        made = self._vocabulary.extend(names)
        if made:
            self._laid_out = None
        return [Constant(self._vocabulary, (i,)) for i in made]

    def __getitem__(self, name: str) -> Constant:
        return Constant(self._vocabulary, (self._vocabulary.index(name),))

    def __contains__(self, name: object) -> bool:
        return name in self._vocabulary

    def __iter__(self) -> Iterator[Constant]:
        return (Constant(self._vocabulary, (i,)) for i in range(self.n_constants))

    def term(self, constants: "str | Term | Iterable[str | Term]") -> Term:
        """Return a term made of constants.

        Parameters
        ----------
        constants : str, Term or iterable of these
            Text with names separated by blanks, or a list of exact names, constants or terms.

        Examples
        --------
        >>> alg = Algebra(["a", "top left"])
        >>> alg.term('a "top left"') == alg.term(["a", "top left"]) == alg["a"] | alg["top left"]
        True
        """
        return make_term(self._vocabulary, constants)

    def relation(self, relation: "str | Relation") -> Relation:
        """Return a relation between terms of this algebra.

        Parameters
        ----------
        relation : str or Relation
            Text as in a relation file, or a relation of a related algebra, such as a copy.

        Examples
        --------
        >>> Algebra(["a", "b", "c"]).relation("a !< b c")
        Relation('a !< b c')
        """
        if isinstance(relation, Relation):
            return adopt_relation(self._vocabulary, relation)
        return make_relation(self._vocabulary, relation)

    # -- relations

    def add(self, *relations: Relation | Iterable[Relation]) -> None:
        """Add relations: all of them, or none if one is invalid.

        Adding a relation again changes nothing. A relation and its negation can both be added;
        :meth:`conflicts` then lists them.

        Parameters
        ----------
        *relations : Relation or iterable of Relation
            The relations to add.
        """
        own = [adopt_relation(self._vocabulary, relation) for relation in flatten(relations)]
        if own:
            self._relations.update(dict.fromkeys(own))
            self._laid_out = None

    def expand(self, text: str, **sets: Iterable[object]) -> Iterator[Relation]:
        """Yield the relations that a text with variables stands for, one by one.

        The text is as in a relation file: definitions of sets, and relations about their members.
        Constants are created as they occur. Pass the result to :meth:`add`.

        Parameters
        ----------
        text : str
            One or more lines.
        **sets : iterable
            Sets that the text may speak of: names, numbers, or tuples of these.

        Yields
        ------
        Relation
            The relations, line by line.

        Raises
        ------
        RelationSyntaxError
            If a line cannot be read; the message has the line and the column.

        Examples
        --------
        >>> alg = Algebra()
        >>> text = "ancestor(x, y) < parent(x, y)  for x, y in person if x != y"
        >>> alg.add(alg.expand(text, person=["ann", "ben"]))
        >>> alg.relations[0]
        Relation('ancestor(ann,ben) < parent(ann,ben)')
        >>> alg.add(alg.expand("one of Q(row)", row=range(1, 3)))
        >>> len(alg.relations)
        6
        """
        from atomlearn.algebra.statements import Statements

        statements = Statements(sets)
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                for parsed in statements.relations(line):
                    yield self.state(*parsed)
            except RelationSyntaxError as error:
                raise type(error)(f"line {number}, {error}") from None

    def state(self, left: Sequence[str], positive: bool, right: Sequence[str]) -> Relation:
        """Return a relation between names; those that are new become constants.

        Parameters
        ----------
        left : sequence of str
            The names on the left side.
        positive : bool
            Whether the relation is asserted; otherwise it is denied.
        right : sequence of str
            The names on the right side.

        Examples
        --------
        >>> Algebra().state(["a"], True, ["b", "c"])
        Relation('a < b c')
        """
        fresh = [name for name in dict.fromkeys((*left, *right)) if name not in self._vocabulary]
        if fresh:
            self.constants(*fresh)
        return Relation(self.term(left), self.term(right), positive)

    def remember_line(self, relation: Relation, line: Line) -> None:
        """Note the line of a file that a relation was first read from.

        Parameters
        ----------
        relation : Relation
            A relation of the algebra.
        line : Line
            Its line.
        """
        self._lines.setdefault(relation, line)

    def line_of(self, relation: Relation) -> Line | None:
        """Return the line of the file that a relation was read from, if it was.

        Parameters
        ----------
        relation : Relation
            A relation of the algebra.

        Returns
        -------
        Line or None
            The number of the line, from 1, and its text if it has variables or sets.
        """
        return self._lines.get(relation)

    @property
    def relations(self) -> tuple[Relation, ...]:
        """All relations, in the order they were added."""
        return tuple(self._relations)

    @property
    def positive(self) -> tuple[Relation, ...]:
        """The positive relations."""
        return tuple(r for r in self._relations if r.positive)

    @property
    def negative(self) -> tuple[Relation, ...]:
        """The negative relations."""
        return tuple(r for r in self._relations if not r.positive)

    def packed(self) -> PackedRelations:
        """Return the relations as packed rows, for the engine."""
        return self._layout().packed

    # -- what follows

    def closure(self, term: Term) -> Term:
        """Return all constants that the positive relations put below a term.

        Parameters
        ----------
        term : Term
            The term to close.

        Returns
        -------
        Term
            The merge of these constants, which contains the term itself.

        Examples
        --------
        >>> alg = Algebra(["a", "b", "c"])
        >>> alg.add(alg.relation("a < b"))
        >>> alg.closure(alg["b"])
        Term('a b')
        """
        return self.closures([term])[0]

    def closures(self, terms: Iterable[Term]) -> list[Term]:
        """Return the closures of many terms, faster than one by one.

        Parameters
        ----------
        terms : iterable of Term
            The terms to close.
        """
        own = [make_term(self._vocabulary, term) for term in terms]
        from atomlearn.sets.closing import close_each

        closed = close_each(self._layout().rules, lists_of([term.indices for term in own]))
        members, at = closed.constants.tolist(), closed.starts.tolist()
        return [Term(self._vocabulary, tuple(members[at[i] : at[i + 1]])) for i in range(len(own))]

    def entails(self, relation: Relation) -> bool:
        """Decide exactly, by closure, whether a relation follows from those of the algebra.

        A positive relation follows from positive ones alone (Theorem 4), whether or not the
        negative ones are consistent with them. A negative one follows if its negation would
        contradict a negative relation of the algebra.

        Parameters
        ----------
        relation : Relation
            The relation to decide.

        Returns
        -------
        bool
            Whether the relation holds in every model of the algebra.

        Examples
        --------
        >>> alg = Algebra(["a", "b", "c"])
        >>> a, b, c = alg
        >>> alg.add(a <= b, ~(a <= c))
        >>> alg.entails(a <= b | c), alg.entails(~(b <= c)), alg.entails(~(c <= b))
        (True, True, False)
        """
        relation = adopt_relation(self._vocabulary, relation)
        layout = self._layout()
        if not relation.positive:
            return layout.broken_by(~relation) is not None
        return layout.follows(relation)

    def query(self, relation: Relation) -> QueryResult:
        """Decide exactly, by closure, whether a relation follows, is contradicted or is open.

        Parameters
        ----------
        relation : Relation
            The relation to decide.

        Returns
        -------
        QueryResult
            The verdict, with the relations that force it.

        Raises
        ------
        InconsistentRelations
            If the relations of the algebra contradict each other.

        Examples
        --------
        >>> alg = Algebra(["a", "b", "c"])
        >>> a, b, c = alg
        >>> alg.add(a <= b, ~(a <= c))
        >>> [alg.query(r).verdict for r in (a <= b | c, b <= c, c <= b)]
        ['follows', 'contradicted', 'open']
        """
        relation = adopt_relation(self._vocabulary, relation)
        self._refuse_conflicts()
        positive = relation if relation.positive else ~relation
        layout = self._layout()
        if layout.follows(positive):
            verdict: Verdict = "follows" if relation.positive else "contradicted"
            return QueryResult(relation, verdict, layout.derivation(positive))
        conflict = layout.broken_by(positive)
        if conflict is None:
            return QueryResult(relation, "open")
        verdict = "contradicted" if relation.positive else "follows"
        return QueryResult(relation, verdict, conflict.derivation, conflict)

    @overload
    def conflicts(self) -> list[Conflict]: ...
    @overload
    def conflicts(self, *, all: Literal[False]) -> list[Conflict]: ...
    @overload
    def conflicts(self, *, all: bool) -> Sequence[Conflict]: ...
    def conflicts(self, *, all: bool = False) -> Sequence[Conflict]:
        """Return the negative relations that the positive ones contradict, each with a derivation.

        The relations are consistent exactly when there are none. The order is that in which the
        negative relations were added.

        Parameters
        ----------
        all : bool, default=False
            Whether to find every minimal conflict, so that a negative relation is listed with each
            of its minimal derivations; otherwise each has one. They are found as they are asked
            for, because there can be very many.

        Returns
        -------
        sequence of Conflict
            The conflicts.

        Examples
        --------
        >>> alg = Algebra(["a", "b", "c"])
        >>> a, b, c = alg
        >>> alg.add(a <= c, a <= b, b <= c, ~(a <= c))
        >>> len(alg.conflicts()), len(alg.conflicts(all=True))
        (1, 2)
        """
        if all:
            from atomlearn.algebra.repairs import AllConflicts

            return AllConflicts(self._layout())
        return Listed(self._layout().conflicts())

    def repairs(self) -> "Iterator[Repair]":
        """Yield the smallest sets of relations whose withdrawal leaves no conflict.

        All have the same size, and each is verified by closure.

        Yields
        ------
        Repair
            The repairs, in the order of the relations; none if there is no conflict.

        Examples
        --------
        >>> alg = Algebra(["a", "b", "c"])
        >>> a, b, c = alg
        >>> alg.add(a <= c, a <= b, b <= c, ~(a <= c))
        >>> print(*alg.repairs())
        withdraw a !< c
        """
        from atomlearn.algebra.repairs import smallest_repairs

        return smallest_repairs(self)

    def without(self, *relations: Relation | Iterable[Relation]) -> "Algebra":
        """Return a copy from which relations are withdrawn.

        Parameters
        ----------
        *relations : Relation or iterable of Relation
            Relations of the algebra.

        Raises
        ------
        NotARelation
            If one is not among the relations of the algebra.
        """
        out = [adopt_relation(self._vocabulary, relation) for relation in flatten(relations)]
        twin = self.copy()
        for relation in dict.fromkeys(out):
            if relation not in twin._relations:
                raise NotARelation(f"{str(relation)!r} is not a relation of the algebra")
            del twin._relations[relation]
        return twin

    def what_if(self, *withdrawn: Relation | Iterable[Relation]) -> "WhatIf":
        """Return what changes if relations are withdrawn; the algebra stays as it is.

        Parameters
        ----------
        *withdrawn : Relation or iterable of Relation
            Relations of the algebra.

        Returns
        -------
        WhatIf
            The conflicts that are gone, those that are left, and what no longer follows.

        Examples
        --------
        >>> alg = Algebra(["a", "b"])
        >>> a, b = alg
        >>> alg.add(a <= b, ~(a <= b))
        >>> len(alg.what_if(a <= b).resolved)
        1
        """
        from atomlearn.algebra.repairs import what_if

        return what_if(self, tuple(adopt_relation(self._vocabulary, r) for r in flatten(withdrawn)))

    def implications(self, kind: "Kind" = "canonical") -> "list[Implication]":
        """Return the fewest implications from which all positive relations follow.

        Parameters
        ----------
        kind : {"canonical", "short"}, default="canonical"
            The canonical base of Guigues and Duquenne, or one with as many implications of which no
            name can be left out.

        Returns
        -------
        list of Implication
            The base: every positive relation that is entailed follows from it.

        Examples
        --------
        >>> alg = Algebra(["a", "b", "c"])
        >>> a, b, c = alg
        >>> alg.add(a <= b, b <= c, a <= c, a <= b | c)
        >>> print(*alg.implications(), sep="; ")
        always a; a c → b
        >>> print(*alg.implications("short"), sep="; ")
        always a; c → b
        """
        from atomlearn.algebra.implications import of_algebra

        return of_algebra(self, kind)

    # -- models

    def learn(
        self,
        random_state: "Seed" = None,
        *,
        dual_reduction: bool = False,
        singletons: Literal["all", "needed"] = "all",
        max_bytes: int | None = None,
        on_epoch: "OnEpoch | None" = None,
    ) -> Model:
        """Learn a small model of all relations, by one epoch of Sparse Crossing.

        Parameters
        ----------
        random_state : int, Generator or None, default=None
            Random seed; the same seed gives the same model.
        dual_reduction : bool, default=False
            Whether witnesses that are not needed are removed (Algorithm 5) before crossing.
        singletons : {"all", "needed"}, default="all"
            Start with an atom for every constant, or only with those that the trace constraints
            need (``"needed"``, the paper read literally).
        max_bytes : int, default=None
            Maximum memory in bytes; 2 GiB if not given.
        on_epoch : callable, default=None
            A function that is called with the :class:`~atomlearn.engine.Report` of the epoch.

        Returns
        -------
        Model
            A model in which all relations hold.

        Raises
        ------
        InconsistentRelations
            If no model satisfies all relations.
        ModelTooLarge
            Before learning would take more than ``max_bytes``.

        Examples
        --------
        >>> alg = Algebra(["v", "a", "b"])
        >>> alg.add(alg.relation("v < a b"), alg.relation("v !< a"))
        >>> model = alg.learn(random_state=0)
        >>> all(model.holds(relation) for relation in alg.relations)
        True
        """
        self._check_learning(max_bytes)
        self._refuse_conflicts()
        from atomlearn.engine.epochs import learn
        from atomlearn.engine.protocol import Protocol

        if random_state is None:
            random_state = np.random.SeedSequence()
        rows = learn(
            self.packed(),
            random_state=random_state,
            protocol=Protocol(dual="reduced" if dual_reduction else "lazy", vocabulary=singletons),
            on_epoch=on_epoch,
        )
        return self.model_of(rows)

    def epochs(
        self,
        random_state: "Seed" = None,
        *,
        focus: "Term | str | None" = None,
        max_epochs: int | None = None,
        max_pins: int = 20_000,
        max_bytes: int | None = None,
        on_epoch: "OnEpoch | None" = None,
        protocol: "str | Protocol" = "default",
    ) -> "Epochs":
        """Learn epoch after epoch, each with the pinning terms of those before.

        Parameters
        ----------
        random_state : int, Generator or None, default=None
            Random seed; the same seed gives the same models.
        focus : Term or str, default=None
            The constant or term of interest, such as the solution of a puzzle.
        max_epochs : int, default=None
            Maximum number of epochs; without it the iterator never ends.
        max_pins : int, default=20000
            Maximum number of pinning terms that are kept; the oldest are dropped first.
        max_bytes : int, default=None
            Maximum memory in bytes; 2 GiB if not given.
        on_epoch : callable, default=None
            A function that is called with a :class:`~atomlearn.engine.Report` after each epoch.
        protocol : {"default", "letter"} or Protocol, default="default"
            How an epoch is run: ours, to the letter of the paper, or with switches of your own.

        Returns
        -------
        Epochs
            An iterator of :class:`~atomlearn.engine.Epoch`, each with a ``model``.

        Raises
        ------
        InconsistentRelations
            If no model satisfies all relations.
        ModelTooLarge
            Before learning would take more than ``max_bytes``.

        Examples
        --------
        >>> alg = Algebra(["v", "a", "b"])
        >>> alg.add(alg.relation("v < a b"), alg.relation("v !< a"))
        >>> next(iter(alg.epochs(random_state=0))).model.holds(alg.relation("v < a b"))
        True
        """
        self._check_learning(max_bytes)
        self._refuse_conflicts()
        from atomlearn.engine.epochs import Epochs

        return Epochs(
            self,
            random_state=random_state,
            focus=focus,
            max_epochs=max_epochs,
            max_pins=max_pins,
            on_epoch=on_epoch,
            protocol=protocol,
        )

    def freest(self, *, max_atoms: int | None = None) -> Model:
        """Return the freest model, in which a relation holds only if it is entailed.

        It is made by Full Crossing of all positive relations, without redundant atoms, and grows
        fast.

        Parameters
        ----------
        max_atoms : int, default=None
            Maximum number of atoms.

        Raises
        ------
        ModelTooLarge
            Before there are more than ``max_atoms`` atoms; the message has an estimate.

        Examples
        --------
        >>> alg = Algebra(["v", "a", "b"])
        >>> alg.add(alg.relation("v < a b"))
        >>> [atom.constants for atom in alg.freest().atoms]
        [('a',), ('b',), ('v', 'a'), ('v', 'b')]
        """
        self._refuse_conflicts()
        from atomlearn.engine.full_crossing import freest

        return self.model_of(freest(self.packed(), max_atoms))

    def least_free(self, *, max_atoms: int | None = None) -> Model:
        """Return the paper's least-free model.

        It has one atom for each right side ``b`` of a negative relation, which is in all constants
        outside the closure of ``b``. All relations hold in this model. The paper says that ``a <
        b`` holds in it unless the relations imply otherwise, which is not always so: with constants
        a, b, x and only ``¬(a < b)`` it also separates x from b. A single least-free model need not
        exist.

        Parameters
        ----------
        max_atoms : int, default=None
            Maximum number of atoms.

        Raises
        ------
        InconsistentRelations
            If no model satisfies all relations.
        ModelTooLarge
            If it would have more than ``max_atoms`` atoms.

        Examples
        --------
        >>> alg = Algebra(["a", "b", "x"])
        >>> alg.add(alg.relation("a !< b"))
        >>> [atom.constants for atom in alg.least_free().atoms]
        [('a', 'x')]
        """
        self._refuse_conflicts()
        from atomlearn.engine.full_crossing import least_free

        layout = self._layout()
        return self.model_of(least_free(layout.denied[1], layout.rules, layout.n, max_atoms))

    def model_of(self, atoms: Rows) -> Model:
        """Return the model with these atoms.

        Parameters
        ----------
        atoms : ndarray of uint64
            Packed rows, each the set of the constants that contain an atom.
        """
        return Model(self._vocabulary, atoms)

    # -- files and copies

    @classmethod
    def read(cls, path: "str | Path") -> "Algebra":
        """Read relations from a text file (``.rel``), creating constants as they occur.

        Parameters
        ----------
        path : str or Path
            The file to read.

        Returns
        -------
        Algebra
            The algebra with the relations of the file.
        """
        from atomlearn.algebra.files import read_relations

        return read_relations(path)

    @classmethod
    def from_context(cls, source: "str | Path | Context") -> "Algebra":
        """Return what holds in a formal context: attributes are constants.

        The relations are the canonical base of the context, so :meth:`entails` answers which
        implications hold for all its objects: ``b < a`` if every object with ``a`` has ``b``.

        Parameters
        ----------
        source : str, Path or Context
            The context, or a file that has it: ``.cxt``, or CSV of crosses.

        Returns
        -------
        Algebra
            The attributes and the relations between them.

        Examples
        --------
        >>> from atomlearn.algebra import Context
        >>> crosses = [[True, True, False], [True, False, True]]
        >>> context = Context(["dove", "hen"], ["bird", "flies", "runs"], crosses)
        >>> alg = Algebra.from_context(context)
        >>> alg.entails(alg.relation("bird < flies")), alg.entails(alg.relation("runs < flies"))
        (True, False)
        """
        from atomlearn.algebra.contexts import Context

        context = source if isinstance(source, Context) else Context.read(source)
        return context.to_algebra()

    def write(self, path: "str | Path") -> None:
        """Write the relations to a text file (``.rel``).

        Parameters
        ----------
        path : str or Path
            The file to write.
        """
        from atomlearn.algebra.files import write_relations

        write_relations(self, path)

    def copy(self) -> "Algebra":
        """Return a copy, with which constants and terms made before the copy can also be used."""
        twin = Algebra()
        twin._vocabulary = self._vocabulary.fork()
        twin._relations = {adopt_relation(twin._vocabulary, r): None for r in self._relations}
        twin._lines = self._lines.copy()
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> "Algebra":
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_laid_out": None}

    def __repr__(self) -> str:
        return (
            f"<Algebra: {len(self.positive)} positive and {len(self.negative)} negative "
            f"relations over {self.n_constants} constants>"
        )

    def _check_learning(self, max_bytes: int | None) -> None:
        check_learning(len(self.positive), len(self.negative), self.n_constants, max_bytes)

    def _refuse_conflicts(self) -> None:
        conflicts = self.conflicts()
        if conflicts:
            raise InconsistentRelations(conflicts)

    def _layout(self) -> Layout:
        if self._laid_out is None:
            self._laid_out = Layout(self.n_constants, self.positive, self.negative)
        return self._laid_out
