"""Explanations and definitions of a fitted classifier."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.definition import ClassDefinition, Short, define_class
from atomlearn.classifier.explanation import Explanation, explain_row, strongest
from atomlearn.classifier.held_out import classifier_errors
from atomlearn.classifier.importance import Importance
from atomlearn.classifier.sample import TrainingSample
from atomlearn.engine.misses import blocks_of
from atomlearn.errors import InvalidParameter
from atomlearn.logic.definition import plain
from atomlearn.logic.telling import Measure
from atomlearn.markup import Displayed, escape, in_notebook
from atomlearn.sets.rows import Rows, unpack
from atomlearn.tables.encoder import LiteralEncoder, is_whole
from atomlearn.tables.images import image_of
from atomlearn.tables.literals import Literal, told_together
from atomlearn.tables.numbers import is_missing
from atomlearn.tables.rules import Rule
from atomlearn.tables.table import one_row, read_table
from atomlearn.tables.training_rows import class_number
from atomlearn.training.learned import Learned

Bits = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

MOST_VALUES = 500
"""Columns of a row whose values an explanation repeats."""

MOST_KEPT = 1000
"""Largest number of rows that ``keep_rows`` keeps with the model."""


@dataclass(frozen=True, repr=False)
class HardExample(Displayed):
    """A training row whose own class was improbable when the row was held out.

    >>> from atomlearn import AlgebraicClassifier
    >>> X, y = [[0, 1], [1, 0], [1, 1], [0, 0]] * 5, ["no", "no", "yes", "no"] * 5
    >>> clf = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, y)
    >>> hard = clf.hardest(1)[0]
    >>> hard.label in clf.classes_, 0 <= hard.probability <= 1
    (True, True)
    """

    label: Any
    """Its own class."""
    probability: float
    """The predicted probability of that class: when the row was held out, if it ever was."""
    explanation: Explanation
    """Why the model, which has learned from the row since, predicts what it predicts now."""
    row: int | None = None
    """The number of the row in the training table, counted from 0, if it is known."""
    was_held_out: bool = True

    @property
    def about(self) -> str:
        """The row, its class, and the probability of that class."""
        which = "" if self.row is None else f"row {self.row:,}: "
        held_out = " when held out" if self.was_held_out else ""
        return f"{which}{self.label}, given {self.probability:.1%}{held_out}"

    def __str__(self) -> str:
        return f"{self.about}; now predicted: {self.explanation}"

    def _html(self) -> str:
        return f"<p><strong>{escape(self.about)}</strong></p>{self.explanation.to_html()}"


class Readable(Importance):
    """Mixin: explanations, definitions and hard examples."""

    image_shape: tuple[int, int] | None
    classes_: npt.NDArray[Any]
    encoder_: LiteralEncoder
    learned_: Learned
    rules_: list[Rule]
    sample_: TrainingSample
    held_out_: list[list[Measure]]
    first_rows_: Rows

    def explain(self, x: Any, max_atoms: int = 3) -> Explanation:
        """Explain the prediction for one row: the atoms it misses, class by class.

        At most ``max_atoms`` of the most probable classes are listed, those that cost most first.
        Atoms that say nearly the same are listed once, with their costs added up.

        >>> from sklearn.datasets import load_iris
        >>> from atomlearn import AlgebraicClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = AlgebraicClassifier(random_state=0).fit(X, y)
        >>> int(clf.explain(X.iloc[0]).label)
        0
        """
        check_is_fitted(self)
        _check_not_negative("max_atoms", max_atoms)
        table = read_table(self, one_row(x), reset=False)
        image = None
        if self.image_shape is not None:
            dense = table.toarray() if hasattr(table, "toarray") else table
            image = np.asarray(dense, dtype=np.float64).reshape(self.image_shape)
        told = self._explain_packed(self.encoder_.pack(table, extra=1)[0], max_atoms, image)
        return told if image is not None else replace(told, values=self._cells(table))

    def keep_rows(self, X: Any) -> None:
        """Keep the first 1,000 rows of a table with the model, by their literals.

        They are saved with it, and :meth:`explain_kept` finds them by number: ``atomlearn explain``
        then needs no table.

        >>> from atomlearn import AlgebraicClassifier
        >>> X, y = [[0, 1], [1, 0], [1, 1], [0, 0]] * 5, ["no", "no", "yes", "no"] * 5
        >>> clf = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, y)
        >>> clf.keep_rows(X)
        >>> clf.n_kept_rows, clf.explain_kept(2).label == clf.explain(X[2]).label
        (20, True)
        """
        check_is_fitted(self)
        table = read_table(self, X[:MOST_KEPT], reset=False)
        self.first_rows_ = self.encoder_.pack(table, extra=1)

    @property
    def n_kept_rows(self) -> int:
        """How many rows :meth:`keep_rows` has kept, here or before the model was saved."""
        return len(getattr(self, "first_rows_", ()))

    def explain_kept(self, number: int, max_atoms: int = 3) -> Explanation:
        """Explain the prediction for a row that :meth:`keep_rows` has kept, counted from 0."""
        check_is_fitted(self)
        _check_not_negative("number", number)
        _check_not_negative("max_atoms", max_atoms)
        if number >= self.n_kept_rows:
            raise InvalidParameter(f"there is no row {number}: {self.n_kept_rows:,} rows are kept")
        return self._explain_packed(self.first_rows_[number], max_atoms)

    def definition(self, label: Any, max_clauses: int | Short | None = 12) -> ClassDefinition:
        """A class as a formula over the columns, with at most ``max_clauses`` clauses.

        ``"short"`` takes the fewest clauses whose error on held-out rows is within one standard
        error of the lowest; the text and ``.price`` say what that costs.

        >>> from sklearn.datasets import load_iris
        >>> from atomlearn import AlgebraicClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> setosa = AlgebraicClassifier(random_state=0).fit(X, y).definition(0)
        >>> bool((setosa.evaluate(X) == (y == 0)).all())
        True
        """
        check_is_fitted(self)
        if max_clauses is not None and not isinstance(max_clauses, str):
            _check_not_negative("max_clauses", max_clauses)
        k = class_number(label, self.classes_)
        atoms = self.learned_.pools[k].atoms
        errors = classifier_errors(self.learned_)
        return define_class(
            self.classes_[k],
            k,
            atoms,
            self.encoder_,
            self.sample_,
            max_clauses,
            self.image_shape,
            self.held_out_[k] if self.held_out_ else (),
            None if errors is None else errors[k],
            self.learned_.evidence.chosen,
            self.rules_,
            self.learned_.rules,
        )

    def export(self, to: str, *, table: str = "data", key: str = "rowid") -> str:
        """The source of a program that scores rows elsewhere, with reasons.

        ``to`` is ``"sql"`` (one query over a ``table`` whose rows have a ``key``), ``"js"``,
        ``"c"`` or ``"python"``; the program needs nothing of atomlearn.

        >>> from atomlearn import AlgebraicClassifier
        >>> clf = AlgebraicClassifier(random_state=0).fit([[0.0], [1.0], [2.0]], ["a", "a", "b"])
        >>> print(clf.export("c")[:20])
        /* Scores rows like
        """
        from atomlearn.export.sources import export_source

        return export_source(self, to, table=table, key=key)  # type: ignore[arg-type]

    def hardest(self, n: int = 6, max_atoms: int = 3) -> list[HardExample]:
        """The ``n`` rows of the training sample whose own class was the least probable when they
        were held out, hardest first, each with its row number.

        >>> from sklearn.datasets import load_iris
        >>> from atomlearn import AlgebraicClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> hard = AlgebraicClassifier(random_state=0).fit(X, y).hardest(2)
        >>> bool(hard[0].probability <= hard[1].probability)
        True
        """
        check_is_fitted(self)
        _check_not_negative("n", n)
        _check_not_negative("max_atoms", max_atoms)
        sample = self.sample_
        own, was_held_out = self._sample_chances()
        return [
            HardExample(
                self.classes_[sample.labels[i]],
                float(own[i]),
                self._explain_packed(sample.rows[i], max_atoms),
                int(sample.numbers[i]) if sample.numbers[i] >= 0 else None,
                bool(was_held_out[i]),
            )
            for i in np.lexsort((own, ~was_held_out))[:n]
        ]

    def _sample_chances(self) -> tuple[Floats, Bits]:
        """The probability of the label of each sampled row, and whether the row was held out."""
        sample = self.sample_
        blocks = blocks_of(sample.rows, len(self.encoder_.literals_) + 1)
        now = self.learned_.probabilities(blocks, len(sample.rows))
        was_held_out = ~np.isnan(sample.chances)
        learned = now[np.arange(len(sample.rows)), sample.labels]
        return np.where(was_held_out, sample.chances, learned), was_held_out

    def _html_repr(self) -> str:
        """scikit-learn's diagram, and below it what was learned; notebooks show it."""
        diagram = estimator_html_repr(self)
        if not hasattr(self, "learned_"):
            return str(diagram)
        from atomlearn.classifier.displays import classifier_html

        return f"{diagram}{in_notebook(classifier_html(self))}"  # type: ignore[arg-type]

    def _explain_packed(
        self, row: Rows, max_atoms: int, image: Floats | None = None
    ) -> Explanation:
        literals, labels = self._literals(), list(self.classes_)
        if image is None and self.image_shape is not None:
            image = image_of(row, literals, self.image_shape)
        told = explain_row(
            self.learned_, self.sample_, literals, labels, row, max_atoms, image, self.rules_
        )
        return told if image is not None else replace(told, values=self._known_of(row))

    def _cells(self, table: Any) -> tuple[tuple[str, str], ...]:
        """The values of a validated row as text, if they are not too many to read."""
        if table.shape[1] > MOST_VALUES:
            return ()
        dense = table.toarray() if hasattr(table, "toarray") else table
        cells = np.asarray(dense, dtype=object)[0]
        missing = is_missing(cells)
        return tuple(
            (column.name, "missing" if absent else _short(plain(cell)))
            for column, cell, absent in zip(self.encoder_.columns_, cells, missing, strict=True)
        )

    def _known_of(self, row: Rows) -> tuple[tuple[str, str], ...]:
        """What the literals of a row tell of each column."""
        if len(self.encoder_.columns_) > MOST_VALUES:
            return ()
        has = unpack(row, len(self.encoder_.literals_))
        true: dict[int, list[Literal]] = {}
        for i in np.flatnonzero(has):
            literal = self.encoder_.literals_[int(i)]
            true.setdefault(literal.column, []).append(literal)
        names = [column.name for column in self.encoder_.columns_]
        return tuple(
            (names[j], " and ".join(told_together(strongest(ours))).replace(f"{names[j]} ", "", 1))
            for j, ours in sorted(true.items())
        )


def _check_not_negative(name: str, value: Any) -> None:
    if not is_whole(value) or value < 0:
        raise InvalidParameter(f"{name} must be 0 or more and whole, not {value!r}")


def _short(value: Any) -> str:
    """A value of a row, with no more digits than a reader needs to know which row it is."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
