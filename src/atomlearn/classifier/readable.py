"""A fitted classifier for people: explanations, definitions, importances, a table of its atoms."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.compacting import Compacting
from atomlearn.classifier.definition import ClassDefinition, Short, define_class
from atomlearn.classifier.explanation import Explanation, explain_row, strongest
from atomlearn.classifier.sample import TrainingSample, classifier_errors
from atomlearn.errors import InvalidParameter, MissingExtra
from atomlearn.logic.comparison import Measure
from atomlearn.logic.definition import plain
from atomlearn.logic.formulas import Clause
from atomlearn.markup import Displayed, bars, escape, folded, in_notebook, table
from atomlearn.sets.rows import Lists, Rows, unpack
from atomlearn.tables.encoder import LiteralEncoder, is_whole
from atomlearn.tables.images import image_of, placed
from atomlearn.tables.literals import Literal, joint_texts
from atomlearn.tables.numbers import is_missing
from atomlearn.tables.rules import Statement
from atomlearn.tables.training_rows import class_number
from atomlearn.tables.validation import one_row, pandas_for, read_table
from atomlearn.training.learned import ClassAtoms, Learned
from atomlearn.typing import Floats

if TYPE_CHECKING:
    import pandas as pd

    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.classifier.explanation import AtomSeen, ClassSeen, Explanation


class FeatureImportance:
    """Mixin for feature importances."""

    image_shape: tuple[int, int] | None
    encoder_: LiteralEncoder
    learned_: Learned
    sample_: TrainingSample
    importances_: Floats

    @property
    def feature_importances_(self) -> Floats:
        """Importance of each column; sums to 1.

        An atom counts by its weight times the standard deviation, over the training rows, of
        missing it. Its columns share that equally.
        """
        check_is_fitted(self)
        if self.sample_.is_withheld:  # as they were when the model was saved
            return self.importances_.copy()
        weights = self.sample_.weights()
        total = np.zeros(len(self.encoder_.columns_))
        for one in self.learned_.deciding().by_class():
            missing = self.sample_.share_missing(one.atoms, weights)
            spread = np.sqrt(missing * (1.0 - missing))
            self._share_out(one.atoms, np.abs(one.weights) * spread, total)
        return total / total.sum() if total.sum() > 0 else np.full(len(total), 1 / len(total))

    def _literals(self) -> list[Literal]:
        """Return the literals as they are displayed: those of an image by row and column."""
        return placed(self.encoder_.literals_, self.encoder_.columns_, self.image_shape)

    def _share_out(self, atoms: Lists, amounts: Floats, total: Floats) -> None:
        """Add the importance of each atom to its columns, in equal parts."""
        n = len(self.encoder_.columns_)
        of = np.array([*(literal.column for literal in self.encoder_.literals_), n])
        atom = np.repeat(np.arange(len(amounts)), np.diff(atoms.starts))
        pairs = np.unique(np.stack([atom, of[atoms.constants]]), axis=1)
        pairs = pairs[:, pairs[1] < n]  # the last constant is the class itself
        parts = np.bincount(pairs[0], minlength=len(amounts))
        np.add.at(total, pairs[1], (amounts / np.maximum(parts, 1))[pairs[0]])


class Importance(FeatureImportance):
    """Mixin for the atoms as a data frame."""

    classes_: npt.NDArray[Any]

    def atoms_frame(self) -> "pd.DataFrame":
        """Return all offsets and atoms that decide as a pandas data frame.

        The offsets come first, then the atoms of each kind, heaviest first.

        Columns: ``class``; ``atom`` as text; ``weight``, what missing the atom adds to the score of
        the class; ``size``, the number of literals; ``missed_by_class`` and ``missed_by_others``,
        the shares of the sampled training rows that miss it. The index gives the kind of each row:
        ``frame.loc["offset"]`` has the offset of each class, which counts for every row as an atom
        without literals would, and ``"weighted"`` and ``"strict"`` are the atoms.

        The score of a class is the sum of its offset and of the weights of the weighted atoms that
        a row misses, less ``frame.attrs["slope"] * log(1 + m)`` if it misses ``m`` strict atoms.
        (The weight of a strict atom, ``frame.attrs["strict_weight"][label]``, is the cost of one
        more miss for a row with the median number of misses of other classes. Of equivalent strict
        atoms each is counted; they are one row, with their weights added up.) Probabilities are the
        softmax of the scores; rules exclude classes whatever their scores are.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from atomlearn import AlgebraicClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> frame = AlgebraicClassifier(random_state=0, max_epochs=5).fit(X, y).atoms_frame()
        >>> frame.columns.tolist()
        ['class', 'atom', 'weight', 'size', 'missed_by_class', 'missed_by_others']
        """
        check_is_fitted(self)
        pd = pandas_for("atoms_frame")

        deciding = self.learned_.deciding()
        parts = [
            pd.DataFrame(
                {"class": self.classes_, "atom": "offset", "weight": deciding.offsets, "size": 0,
                 "missed_by_class": 1.0, "missed_by_others": 1.0},
                index=["offset"] * len(self.classes_),
            )
        ]  # fmt: skip
        for one in deciding.by_class():
            if not one.atoms.n:
                continue
            kind = "strict" if one.is_strict else "weighted"
            listed = pd.DataFrame(self._described(one), index=[kind] * len(one.weights))
            if one.is_strict:
                listed["weight"] = listed.groupby("atom")["weight"].transform("sum")
                listed = listed.drop_duplicates("atom")
            parts.append(listed)
        frame = pd.concat([parts[0], *_heaviest_first(parts[1:])])
        frame.index.name = "kind"
        strict = (one for one in deciding.by_class() if one.is_strict and one.atoms.n)
        each = {self.classes_[one.k]: one.weights[0] for one in strict}
        frame.attrs = {"slope": deciding.slope, "strict_weight": each}
        return frame

    def _described(self, one: ClassAtoms) -> dict[str, Any]:
        atoms, literals = one.atoms, self._literals()
        clauses = [
            Clause.of([literals[c] for c in constants])
            for constants in atoms.each(below=len(literals))
        ]
        is_ours, unknown = self.sample_.labels == one.k, self.sample_.is_withheld
        shares = [
            np.full(len(clauses), np.nan)
            if unknown
            else self.sample_.share_missing(atoms, of * 1.0)
            for of in (is_ours, ~is_ours)
        ]
        return {
            "class": np.repeat(self.classes_[one.k : one.k + 1], len(clauses)),
            "atom": [str(clause) for clause in clauses],
            "weight": one.weights,
            "size": [len(clause) for clause in clauses],
            "missed_by_class": shares[0],
            "missed_by_others": shares[1],
        }


def _heaviest_first(parts: "list[pd.DataFrame]") -> "Iterator[pd.DataFrame]":
    """Yield the strict atoms and the weighted ones, each sorted by their absolute weight."""
    import pandas as pd

    for kind in ("strict", "weighted"):
        ours = [one for one in parts if one.index[0] == kind]
        if ours:
            yield pd.concat(ours).sort_values("weight", key=abs, ascending=False, kind="stable")


WITHOUT_ROWS = (
    "The model was saved without training rows: it predicts and explains as before, but classes "
    "cannot be defined as formulas, and there are no examples."
)
"""What pages and ``show`` say of a model without rows."""
MOST_IMPORTANT = 10
"""Maximum number of columns whose importance is shown."""
FEW_COLUMNS = 12
"""Rows of at most this many columns are shown by default."""
MOST_DEFINED = 6
"""Maximum number of classes that are defined in a notebook."""


def explanation_html(explanation: "Explanation") -> str:
    """Return the prediction, the probability of each class, and the reasons as HTML."""
    from atomlearn.classifier.explanation import MEDIAN, MOST_CLASSES

    first = explanation.classes[0]
    parts = [f"<p><strong>{escape(str(explanation.label))}</strong> ({first.probability:.1%})</p>"]
    if not explanation.is_most_probable:
        parts.append(f'<p class="muted small">{MEDIAN[0].upper() + MEDIAN[1:]}.</p>')
    for rule in explanation.rules:
        parts.append(f'<p class="against">{explanation.effect_of(rule)}: {escape(str(rule))}</p>')
    shown, rest = explanation.classes[:MOST_CLASSES], explanation.classes[MOST_CLASSES:]
    parts.append(bars((str(one.label), one.probability) for one in shown))
    if rest:
        parts.append(f'<p class="muted small">others: {rest[0].probability:.1%} or less each</p>')
    parts.append(_picture(explanation))
    if explanation.values:
        shown_values, n = table(["column", "value"], explanation.values), len(explanation.values)
        parts.append(folded(shown_values, f"the row: {n:,} columns", is_open=n <= FEW_COLUMNS))
    if explanation.reasons:
        second = str(explanation.classes[1].label)
        parts.append(f"<h3>For {escape(str(explanation.label))} rather than {escape(second)}</h3>")
        parts.append(_lines(_reason(atom, second) for atom in explanation.reasons))
    parts += [_class_html(one) for one in shown if one.missed]
    return "".join(parts)


def _class_html(one: "ClassSeen") -> str:
    return f"<h3>{escape(str(one))}</h3>{_lines(map(_missed, one.missed))}"


def _reason(atom: "AtomSeen", second: str) -> tuple[str, str, str]:
    whole = atom.clause.literals == atom.has
    return "", str(atom), f"{atom.telling:.0%} of {second} miss {'it' if whole else atom.clause}"


def _missed(atom: "AtomSeen") -> tuple[str, str, str]:
    cost = atom.cost or 0.0
    _, _, about = atom.missed_text().partition("   (")
    _, separator, rest = about.removesuffix(")").partition(", with ")
    told = f"with {rest}" if separator else about.removesuffix(")").partition("; ")[2]
    return f"{-cost:+.2f}".replace("-", "−"), str(atom), told


def _lines(lines: Iterable[tuple[str, str, str]]) -> str:
    """Return a list of changes of the log-odds, with remarks."""
    items = "".join(
        f'<li><span class="joint {"against" if change.startswith("−") else "for"}">{change}</span>'
        f'<span>{escape(text)} <span class="small muted">{escape(remark)}</span></span></li>'
        for change, text, remark in lines
    )
    return f'<ul class="clauses changes">{items}</ul>'


def _picture(explanation: "Explanation") -> str:
    """Draw the image with the pixels of missed atoms, if there is one and it can be drawn."""
    if explanation.image is None:
        return ""
    from atomlearn.views.page import figure_html

    about = "The image; in red the pixels of missed atoms, class by class."
    try:
        return figure_html(explanation.plot(), about)
    except MissingExtra:
        return ""


def classifier_html(classifier: "AlgebraicClassifier") -> str:
    """Return a fitted classifier as HTML: its scorecard, or figures and short definitions."""
    if classifier.learned_.card is not None:
        return classifier.scorecard().to_html() + importances_html(classifier)
    n_atoms = classifier.learned_.deciding().n_atoms
    error = classifier.estimated_error_
    figures = [
        ["classes", f"{len(classifier.classes_):,}"],
        ["columns", f"{len(classifier.encoder_.columns_):,}"],
        ["atoms", f"{n_atoms:,} ({classifier.evidence_.chosen})"],
        ["error on held-out rows", "not known" if error is None else f"{error:.1%}"],
    ]
    offer = "<p>A scorecard of few rules can be made of it: <code>clf.compact(20)</code>.</p>"
    if classifier.sample_.is_withheld:
        offer = f"<p>{escape(WITHOUT_ROWS)}</p>"
    parts = [table(["what", "value"], figures, numbers=[1]), offer, importances_html(classifier)]
    defined: Iterable[Any] = (
        [] if classifier.sample_.is_withheld else classifier.classes_[:MOST_DEFINED]
    )
    parts += [
        folded(classifier.definition(label, "short").to_html(), f"{label} if ...")
        for label in defined
    ]
    return "".join(parts)


def importances_html(classifier: "AlgebraicClassifier") -> str:
    """Return bars of the most important columns as HTML."""
    importances = classifier.feature_importances_
    order = np.argsort(-importances, kind="stable")[:MOST_IMPORTANT]
    if classifier.image_shape is not None:
        return ""  # a picture tells more than the names of pixels
    names = [column.name for column in classifier.encoder_.columns_]
    shown = ((names[j], float(importances[j])) for j in order if importances[j] > 0)
    return f"<h3>Importances</h3>{bars(shown, largest=True)}"


MOST_VALUES = 500
"""Maximum number of columns of a row whose values an explanation repeats."""

MOST_KEPT = 1000
"""Maximum number of rows that ``keep_rows`` keeps with the model."""


@dataclass(frozen=True, repr=False)
class HardExample(Displayed):
    """A training row whose own class was improbable when the row was held out.

    Attributes
    ----------
    label : object
        Class of the row.
    probability : float
        The predicted probability of that class, when the row was held out if it ever was.
    explanation : Explanation
        An explanation of the current prediction by the model, which has learned from the row since.
    row : int or None
        The number of the row in the training table, counted from 0, if it is known.
    was_held_out : bool
        Whether the row was ever held out.

    Examples
    --------
    >>> from atomlearn import AlgebraicClassifier
    >>> X, y = [[0, 1], [1, 0], [1, 1], [0, 0]] * 5, ["no", "no", "yes", "no"] * 5
    >>> clf = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, y)
    >>> hard = clf.hardest(1)[0]
    >>> hard.label in clf.classes_, 0 <= hard.probability <= 1
    (True, True)
    """

    label: Any
    probability: float
    explanation: Explanation
    row: int | None = None
    was_held_out: bool = True

    @property
    def about(self) -> str:
        """One line about the row, its class, and the probability of that class."""
        which = "" if self.row is None else f"row {self.row:,}: "
        held_out = " when held out" if self.was_held_out else ""
        return f"{which}{self.label}, given {self.probability:.1%}{held_out}"

    def __str__(self) -> str:
        return f"{self.about}; now predicted: {self.explanation}"

    def _html(self) -> str:
        return f"<p><strong>{escape(self.about)}</strong></p>{self.explanation.to_html()}"


class Readable(Compacting, Importance):
    """Mixin for explanations, definitions and hard examples."""

    image_shape: tuple[int, int] | None
    classes_: npt.NDArray[Any]
    encoder_: LiteralEncoder
    learned_: Learned
    rules_: list[Statement]
    sample_: TrainingSample
    held_out_: list[list[Measure]]
    first_rows_: Rows

    def explain(self, x: Any, max_atoms: int = 3) -> Explanation:
        """Explain the prediction for one row by the atoms it misses, class by class.

        Similar atoms are listed once, with their costs added up.

        Parameters
        ----------
        x : array-like or data frame with one row
            The row.
        max_atoms : int, default=3
            Maximum number of atoms that are listed for each of the most probable classes, those
            with the highest cost first.

        Returns
        -------
        Explanation
            The explanation, which can be printed, displayed and plotted.

        Examples
        --------
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
        row = self.encoder_.pack(table, extra=1)[0]
        explained = self._explain_packed(row, max_atoms, image)
        return explained if image is not None else replace(explained, values=self._cells(table))

    def set_feature_names(self, names: Any) -> Self:
        """Name the columns of a classifier that was fitted without column names.

        A pipeline passes a sparse matrix of words on without their names; this gives them back to
        explanations, definitions, scorecards and all that is shown.

        Parameters
        ----------
        names : array-like of str
            A name for each column, such as ``vectorizer.get_feature_names_out()``.

        Returns
        -------
        AlgebraicClassifier
            The classifier itself.

        Examples
        --------
        >>> from sklearn.feature_extraction.text import CountVectorizer
        >>> from sklearn.pipeline import make_pipeline
        >>> from atomlearn import AlgebraicClassifier
        >>> texts = ["free money", "see you", "free gift", "see me"] * 5
        >>> pipe = make_pipeline(CountVectorizer(binary=True), AlgebraicClassifier(random_state=0))
        >>> clf = pipe.fit(texts, ["spam", "ham"] * 10)[-1]
        >>> clf = clf.set_feature_names(pipe[:-1].get_feature_names_out())
        >>> "free > 0" in str(clf.definition("spam"))
        True
        """
        check_is_fitted(self)
        if hasattr(self, "feature_names_in_"):
            raise InvalidParameter(
                "the columns have names, those of the table: rename its columns before fit"
            )
        if self.rules_:
            raise InvalidParameter(
                "the rules name the columns as they are: fit with a data frame that has the names, "
                "such as pandas.DataFrame.sparse.from_spmatrix(X, columns=names)"
            )
        self.encoder_ = self.encoder_.renamed(names)
        return self

    def keep_rows(self, X: Any) -> None:
        """Keep the first 1,000 rows of a table with the model, by their literals.

        They are saved with it, and :meth:`explain_kept` finds them by number, so that ``atomlearn
        explain`` needs no table.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Examples
        --------
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
        """Number of rows that :meth:`keep_rows` has kept, here or before the model was saved."""
        return len(getattr(self, "first_rows_", ()))

    def explain_kept(self, number: int, max_atoms: int = 3) -> Explanation:
        """Explain the prediction for a row that :meth:`keep_rows` has kept.

        Parameters
        ----------
        number : int
            The number of the row, counted from 0.
        max_atoms : int, default=3
            Maximum number of atoms that are listed for each of the most probable classes.

        Returns
        -------
        Explanation
            The explanation.
        """
        check_is_fitted(self)
        _check_not_negative("number", number)
        _check_not_negative("max_atoms", max_atoms)
        if number >= self.n_kept_rows:
            raise InvalidParameter(f"there is no row {number}: {self.n_kept_rows:,} rows are kept")
        return self._explain_packed(self.first_rows_[number], max_atoms)

    def definition(self, label: Any, max_clauses: int | Short | None = 12) -> ClassDefinition:
        """Express a class as a formula over the columns.

        Parameters
        ----------
        label : object
            The class.
        max_clauses : int, "short" or None, default=12
            Maximum number of clauses. ``"short"`` takes the fewest clauses whose error on held-out
            rows is within one standard error of the lowest; the text and ``price`` say what that
            costs.

        Returns
        -------
        ClassDefinition
            The formula, in several forms.

        Examples
        --------
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
        self.sample_.need("definition()")
        k = class_number(label, self.classes_)
        atoms = self.learned_.deciding().against(k)
        errors = classifier_errors(self.learned_)
        return define_class(
            self.classes_[k],
            k,
            atoms,
            self.encoder_,
            self.sample_,
            max_clauses,
            self.image_shape,
            self.held_out_[k] if self.held_out_ and self.learned_.card is None else (),
            None if errors is None else errors[k],
            self.learned_.evidence.chosen if self.learned_.card is None else "card",
            self.rules_,
            self.learned_.rules,
        )

    def hardest(self, n: int = 6, max_atoms: int = 3) -> list[HardExample]:
        """Return the training rows whose own class was least probable when they were held out.

        Parameters
        ----------
        n : int, default=6
            Maximum number of rows.
        max_atoms : int, default=3
            Maximum number of atoms in each explanation, for each of the most probable classes.

        Returns
        -------
        list of HardExample
            Rows of the training sample, the hardest first, each with its row number.

        Examples
        --------
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
        sample.need("hardest()")
        own, was_held_out = self.sample_.own_chances(self.learned_)
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

    def _html_repr(self) -> str:
        """Return scikit-learn's diagram followed by what was learned, for notebooks."""
        diagram = estimator_html_repr(self)
        if not hasattr(self, "learned_"):
            return str(diagram)
        return f"{diagram}{in_notebook(classifier_html(self))}"  # type: ignore[arg-type]

    def _explain_packed(
        self, row: Rows, max_atoms: int, image: Floats | None = None
    ) -> Explanation:
        literals, labels = self._literals(), list(self.classes_)
        if image is None and self.image_shape is not None:
            image = image_of(row, literals, self.image_shape)
        explained: Explanation
        if self.learned_.card is not None:
            explained = self._explain_by_card(row, image)
        else:
            explained = explain_row(
                self.learned_, self.sample_, literals, labels, row, max_atoms, image, self.rules_
            )
        return explained if image is not None else replace(explained, values=self._known_of(row))

    def _cells(self, table: Any) -> tuple[tuple[str, str], ...]:
        """Return the values of a validated row as text, if they are not too many to read."""
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
        """Return what the literals of a row say about each column."""
        if len(self.encoder_.columns_) > MOST_VALUES:
            return ()
        has = unpack(row, len(self.encoder_.literals_))
        true: dict[int, list[Literal]] = {}
        for i in np.flatnonzero(has):
            literal = self.encoder_.literals_[int(i)]
            true.setdefault(literal.column, []).append(literal)
        names = [column.name for column in self.encoder_.columns_]
        return tuple(
            (names[j], " and ".join(joint_texts(strongest(ours))).replace(f"{names[j]} ", "", 1))
            for j, ours in sorted(true.items())
        )


def _check_not_negative(name: str, value: Any) -> None:
    if not is_whole(value) or value < 0:
        raise InvalidParameter(f"{name} must be 0 or more and whole, not {value!r}")


def _short(value: Any) -> str:
    """Return a value of a row with no more digits than needed to recognise the row."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
