"""A model card: what a fitted model was learned from and how, how good it is, and its limits.

It is Markdown, with the model itself and the proofs of its statements, and says of each figure on
which rows it was measured."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.audit import versions
from atomlearn.classifier.sample import TrainingSample
from atomlearn.classifier.scorecard import markdown_text, rounded, written
from atomlearn.logic.definition import plain
from atomlearn.tables.columns import NumberColumn
from atomlearn.training.boosting.losses import ERRORS

MOST_COLUMNS = 100
"""A model card lists at most this many columns."""
MOST_CLASSES = 20
"""A model card lists and defines at most this many classes."""
IN_SHORT = 10
"""Number of rules of the scorecard that a model card has of a regressor with many atoms."""
MOST_NAMED = 10
"""A model card names at most this many categories of a column."""


class ModelCards:
    """Mixin for model cards of classifiers and regressors."""

    def to_model_card(self, X: Any = None, y: Any = None, *, path: str | Path | None = None) -> str:
        """Return a model card in Markdown: data, learning, figures, the model, proofs, limits.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features), default=None
            New rows on which to measure the model, and to try its statements.
        y : array-like of shape (n_samples,), default=None
            Their labels or numbers.
        path : str or Path, default=None
            A file to write.

        Returns
        -------
        str
            The Markdown.

        Examples
        --------
        >>> from atomlearn import AlgebraicClassifier
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
        >>> card = AlgebraicClassifier(random_state=0).fit(X, y).to_model_card()
        >>> print(card.splitlines()[0])
        # Model card: 2 classes by 1 column
        """
        check_is_fitted(self)
        is_number = not hasattr(self, "classes_")
        parts = [
            _head(self),
            _data(self),
            _learning(self),
            _figures_of_number(self, X, y) if is_number else _figures(self, X, y),
            _model(self),
            _statements(self, X, y),
            _limits(self),
        ]
        return written("\n\n".join(parts) + "\n", path)


def _counted(n: int, one: str, many: str = "") -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *([markdown_text(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _head(clf: Any) -> str:
    target = getattr(clf, "target_name_", None)
    of = [] if target is None else [markdown_text(target)]
    if hasattr(clf, "classes_"):
        of.append(_counted(len(clf.classes_), "class", "classes"))
    else:
        of.append("a number")
    title = f"# Model card: {', '.join(of)} by {_counted(len(clf.encoder_.columns_), 'column')}"
    kind = "scorecard" if clf.learned_.card is not None else "model"
    n = clf.learned_.deciding().n_atoms
    rules = "rule" if kind == "scorecard" else "atom"
    return (
        f"{title}\n\nA {kind} of {_counted(n, rules)}, made with atomlearn. Its predictions are "
        f"sums over these {rules}s; this card lists all of them, or says where they are."
    )


def _data(clf: Any) -> str:
    columns = [
        [one.name, _kind(one), "yes" if one.has_missing else "no", _values(one)]
        for one in clf.encoder_.columns_[:MOST_COLUMNS]
    ]
    head = ["column", "kind", "missing values", "what the model distinguishes"]
    more_columns = len(clf.encoder_.columns_) - len(columns)
    lines = [
        "## Data",
        "",
        f"- Training rows: {clf.n_rows_:,}",
        f"- Fingerprint (SHA-256): {_fingerprint(clf.sample_)}",
        *(_classes(clf) if hasattr(clf, "classes_") else _numbers(clf)),
        "",
        _table(head, columns),
        *([f"\nand {_counted(more_columns, 'more column')}."] * (more_columns > 0)),
    ]
    return "\n".join(lines)


def _classes(clf: Any) -> list[str]:
    """Return the classes with their rows, and how often these contradict each other."""
    labels = [str(plain(label)) for label in clf.classes_]
    totals = clf.sample_.totals.tolist()
    classes = [[a, f"{n:,}"] for a, n in zip(labels, totals, strict=True)][:MOST_CLASSES]
    more = len(labels) - len(classes)
    return [
        f"- Contradictions: {_counted(len(clf.conflicts_), 'set')} of equal rows with different "
        "labels",
        "",
        _table(["class", "rows that were learned from"], classes),
        *([f"\nand {_counted(more, 'more class', 'more classes')}."] * (more > 0)),
        "",
        "Equal rows are counted once, and rows that a rule decides are left out.",
    ]


def _numbers(reg: Any) -> list[str]:
    """Return the range of the numbers, as far as the model knows it."""
    held, scale = reg.numbers_.held_out, reg.numbers_.scale
    lines = [f"- Rows that contradict a rule: {sum(len(one.rows) for one in reg.rule_conflicts_)}"]
    if reg.sample_.is_withheld or not len(held.targets):
        return [*lines, f"- {markdown_text(reg.target_name_)}: about {rounded(scale.center)}"]
    low, middle, high = np.quantile(held.targets, [0.0, 0.5, 1.0]).tolist()
    told = f"from {rounded(low)} to {rounded(high)}, the median is {rounded(middle)}"
    return [*lines, f"- {markdown_text(reg.target_name_)} of held-out rows: {told}"]


def _fingerprint(sample: TrainingSample) -> str:
    if sample.is_withheld:
        return "not known, since the model was saved without training rows"
    known = sample.labels if sample.targets is None else sample.targets
    digest = hashlib.sha256(np.ascontiguousarray(sample.rows).tobytes() + known.tobytes())
    n = len(sample.labels)
    return f"`{digest.hexdigest()}`, of the sample of {_counted(n, 'row')} that the model keeps"


def _kind(column: Any) -> str:
    if isinstance(column, NumberColumn):
        return "truth value" if column.is_boolean else "number"
    return "category"


def _values(column: Any) -> str:
    if isinstance(column, NumberColumn):
        if column.is_boolean:
            return "true, false"
        if not column.cuts:
            return "nothing"
        return f"{_counted(len(column.cuts), 'cut')} from {column.cuts[0]:g} to {column.cuts[-1]:g}"
    names = [str(one) for one in column.categories[:MOST_NAMED]]
    more = len(column.categories) - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more > 0 else "")


def _learning(clf: Any) -> str:
    usual = type(clf)().get_params()
    given = {k: v for k, v in clf.get_params().items() if k != "verbose" and not _same(v, usual[k])}
    given = {k: v for k, v in given.items() if k not in ("rules", "monotonic_cst", "symmetries")}
    told = ", ".join(f"{k}={v!r}" for k, v in given.items()) or "all at their defaults"
    facts = versions()
    return "\n".join(
        [
            "## How it was learned",
            "",
            f"- Parameters: {markdown_text(told)}",
            f"- Seed: {clf.seed_}; the same rows, parameters and seed give the same model",
            f"- Atoms that decide: {clf.learned_.evidence.chosen}, "
            + ("chosen by" if hasattr(clf, "classes_") else "as many as are best on")
            + " held-out rows",
            f"- This card was written by {facts['versions']}, {facts['date']}",
        ]
    )


def _same(a: Any, b: Any) -> bool:
    try:
        return bool(a is b or a == b)
    except ValueError:  # arrays
        return False


def _figures(clf: Any, X: Any, y: Any) -> str:
    learned = clf.learned_
    lines = ["## Figures", ""]
    error, distance = clf.estimated_error_, clf.estimated_distance_
    if distance is not None:
        lines.append(
            f"- Mean distance of the prediction on held-out training rows: {distance:.3f} classes "
            f"(the classes are ordered: {' < '.join(map(str, clf.classes_))})."
        )
    if error is None:
        lines.append("- No row was held out while learning, so no error is known.")
    elif learned.card is not None and hasattr(clf, "before_"):
        lines.append(f"- Error on the rows given with the card: {error:.2%}.")
    else:
        lines.append(
            f"- Error on held-out training rows: {error:.2%}. It was estimated while learning, by "
            "models that had not seen these rows; what was learned was chosen by the same rows, so "
            "that it may be a little optimistic."
        )
    if learned.card is not None:
        price = clf.scorecard().price()
        if price:
            lines.append(f"- {markdown_text(price)}")
    elif learned.evidence.losses:
        chosen = learned.evidence.chosen
        lines.append(f"- Log-loss on the same held-out rows: {learned.evidence.losses[chosen]:.3f}")
    if X is not None and y is not None:
        found = clf.evaluate(X, y)
        lines += [
            f"- On {found.n_rows:,} rows that were given with this card: error {found.error:.2%} ± "
            f"{found.error_se:.2%}, log-loss {found.log_loss:.3f} ± {found.log_loss_se:.3f}, "
            f"expected calibration error {found.calibration_error:.2%}",
            "",
            _table(
                [
                    "label (down), prediction (across)",
                    *(map(markdown_text, map(str, found.classes))),
                ],
                [
                    [str(label), *(f"{n:,}" for n in line)]
                    for label, line in zip(found.classes, found.confusion.tolist(), strict=True)
                ],
            )
            if len(found.classes) <= MOST_CLASSES
            else "",
        ]
    return "\n".join(lines).rstrip()


def _figures_of_number(reg: Any, X: Any, y: Any) -> str:
    error, score, lines = reg.estimated_error_, reg.estimated_score_, ["## Figures", ""]
    where = "held-out training rows"
    if reg.learned_.card is not None and hasattr(reg, "before_"):
        where = "the rows given with the card"
    if error is None:
        lines.append("- No row was held out while learning, so no error is known.")
    else:
        told = "" if score is None else f", R² {score:.3f}"
        lines.append(
            f"- On {where}: {ERRORS[reg.loss]} {rounded(error, 4)}{told}. The number of atoms was "
            "chosen by such rows, so that this may be a little optimistic."
        )
    if reg.learned_.card is not None:
        price = reg.scorecard().price()
        lines += [f"- {markdown_text(price)}"] if price else []
    if X is not None and y is not None:
        found = reg.evaluate(X, y)
        lines.append(f"- On {found.n_rows:,} rows that were given with this card:")
        lines += [f"  - {name}: {markdown_text(value)}" for name, value in found.figures()]
    return "\n".join(lines)


def _model(model: Any) -> str:
    if model.learned_.card is not None:
        text = "This is the whole model.\n\n" + model.scorecard().to_markdown().strip()
        return f"## The model\n\n{text}"
    n, name = model.learned_.deciding().n_atoms, "clf" if hasattr(model, "classes_") else "reg"
    lines = [
        f"{_counted(n, 'atom')} decide together, which `{name}.atoms_frame()` lists. "
        f"`{name}.compact(20)` makes a scorecard of them that is read as a whole.",
    ]
    if not model.sample_.is_withheld:
        lines += _in_short(model) if hasattr(model, "classes_") else _in_few_rules(model)
    return "\n".join(["## The model", "", *lines])


def _in_few_rules(reg: Any) -> list[str]:
    """Return a small scorecard that is made of the model."""
    if not reg.encoder_.literals_:
        return []
    return ["", "In short:", "", reg.compact(IN_SHORT).scorecard().to_markdown().strip()]


def _in_short(clf: Any) -> list[str]:
    """Return the shortest definitions of the classes."""
    lines = ["", "In short, each with its own error:", ""]
    for label in clf.classes_[:MOST_CLASSES]:
        definition = clf.definition(label, "short")
        own = definition.held_out or definition.measured
        where = "held-out" if definition.held_out else "training"
        error = "" if own is None else f" (error {own.error:.1%} on {where} rows)"
        text = markdown_text(f"{plain(label)} if {definition.shortest}")
        lines.append(f"- {text}{error}")
    return lines


def _statements(clf: Any, X: Any, y: Any) -> str:
    found = clf.check_rules(X, y)
    lines = ["## Statements that always hold", ""]
    if not found.statements:
        lines.append("There are none: the model was learned from rows alone.")
    for one in found.statements:
        lines.append(f"- **{markdown_text(str(one.statement))}**: {one.verdict}")
        lines += [f"  - {markdown_text(sentence)}" for sentence in one.proof]
        if one.n_rows is not None:
            lines.append(f"  - {one.counts()}")
    named = {k: v for k, v in found.facts.items() if k.startswith("fingerprint")}
    lines += ["", "What was checked:", ""]
    lines += [f"- {k[0].upper()}{k[1:]}: `{v}`" for k, v in named.items()]
    return "\n".join(lines)


def _limits(clf: Any) -> str:
    lines = [
        "The figures hold for rows that come about as the training rows did. Measure again when "
        "that changes: `atomlearn evaluate`.",
        "A number is known only by the cuts it lies between; beyond the lowest and the highest "
        "cut all numbers are alike.",
        "A category that was not in training equals none of the known ones.",
        "The rules describe what the model predicts. They are not causes.",
    ]
    if not hasattr(clf, "classes_"):
        lines.append(
            "Intervals have their coverage over all rows together, and not for each kind of rows."
        )
    if getattr(clf, "class_weight", None) is not None:
        lines.append(
            "Class weights multiply the odds of the classes, so the probabilities are not the "
            "shares of the classes in the data."
        )
    if clf.estimated_error_ is None:
        lines.append("The error on new rows is not known.")
    if clf.sample_.is_withheld:
        lines.append("Without training rows, nothing here can be measured again on them.")
    return "\n".join(["## Limits", "", *(f"- {one}" for one in lines)])
