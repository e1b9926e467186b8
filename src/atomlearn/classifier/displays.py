"""A classifier and its explanations as HTML, for notebooks and pages."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from atomlearn.errors import MissingExtra
from atomlearn.markup import bars, escape, folded, table

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.classifier.explanation import AtomSeen, ClassSeen, Explanation

MOST_IMPORTANT = 10
"""Columns whose importance is shown."""
FEW_COLUMNS = 12
"""Rows of so many columns are shown unasked."""
MOST_DEFINED = 6
"""Classes that are defined in a notebook."""


def explanation_html(told: "Explanation") -> str:
    """What is predicted, how probable each class is, and why."""
    from atomlearn.classifier.explanation import MOST_CLASSES

    first = told.classes[0]
    parts = [f"<p><strong>{escape(str(told.label))}</strong> ({first.probability:.1%})</p>"]
    for rule in told.rules:
        parts.append(f'<p class="against">{told.told_of(rule)}: {escape(str(rule))}</p>')
    shown, rest = told.classes[:MOST_CLASSES], told.classes[MOST_CLASSES:]
    parts.append(bars((str(one.label), one.probability) for one in shown))
    if rest:
        parts.append(f'<p class="muted small">others: {rest[0].probability:.1%} or less each</p>')
    parts.append(_picture(told))
    if told.values:
        shown_values = table(["column", "value"], told.values)
        about, few = f"the row: {len(told.values):,} columns", len(told.values) <= FEW_COLUMNS
        parts.append(folded(shown_values, about, is_open=few))
    if told.reasons:
        second = str(told.classes[1].label)
        parts.append(f"<h3>For {escape(str(told.label))} rather than {escape(second)}</h3>")
        parts.append(_lines(_reason(atom, second) for atom in told.reasons))
    parts += [_class_html(one) for one in shown if one.missed]
    return "".join(parts)


def _class_html(one: "ClassSeen") -> str:
    return f"<h3>{escape(str(one))}</h3>{_lines(map(_missed, one.missed))}"


def _reason(atom: "AtomSeen", second: str) -> tuple[str, str, str]:
    whole = atom.clause.literals == atom.has
    return "", str(atom), f"{atom.telling:.0%} of {second} miss {'it' if whole else atom.clause}"


def _missed(atom: "AtomSeen") -> tuple[str, str, str]:
    cost = atom.cost or 0.0
    _, _, about = atom.told_missed().partition("   (")
    _, separator, rest = about.removesuffix(")").partition(", with ")
    told = f"with {rest}" if separator else about.removesuffix(")").partition("; ")[2]
    return f"{-cost:+.2f}".replace("-", "−"), str(atom), told


def _lines(lines: Iterable[tuple[str, str, str]]) -> str:
    """A list of what changes the log-odds by how much, and remarks."""
    items = "".join(
        f'<li><span class="joint {"against" if change.startswith("−") else "for"}">{change}</span>'
        f'<span>{escape(text)} <span class="small muted">{escape(remark)}</span></span></li>'
        for change, text, remark in lines
    )
    return f'<ul class="clauses changes">{items}</ul>'


def _picture(told: "Explanation") -> str:
    """The image with the pixels of missed atoms, if there is one and it can be drawn."""
    if told.image is None:
        return ""
    from atomlearn.views.page import figure_html

    about = "The image; in red the pixels of missed atoms, class by class."
    try:
        return figure_html(told.plot(), about)
    except MissingExtra:
        return ""


def classifier_html(classifier: "AlgebraicClassifier") -> str:
    """A fitted classifier: its figures, importances and short definitions."""
    from atomlearn.classifier.importance import deciding

    n_atoms = sum(len(one.weights) for one in deciding(classifier.learned_))
    error = classifier.estimated_error_
    figures = [
        ["classes", f"{len(classifier.classes_):,}"],
        ["columns", f"{len(classifier.encoder_.columns_):,}"],
        ["atoms", f"{n_atoms:,} ({classifier.evidence_.chosen})"],
        ["error on held-out rows", "not known" if error is None else f"{error:.1%}"],
    ]
    parts = [table(["what", "value"], figures, numbers=[1]), importances_html(classifier)]
    parts += [
        folded(classifier.definition(label, "short").to_html(), f"{label} if ...")
        for label in classifier.classes_[:MOST_DEFINED]
    ]
    return "".join(parts)


def importances_html(classifier: "AlgebraicClassifier") -> str:
    """Bars of the most important columns."""
    importances = classifier.feature_importances_
    order = np.argsort(-importances, kind="stable")[:MOST_IMPORTANT]
    if classifier.image_shape is not None:
        return ""  # a picture tells more than the names of pixels
    names = [column.name for column in classifier.encoder_.columns_]
    shown = ((names[j], float(importances[j])) for j in order if importances[j] > 0)
    return f"<h3>Importances</h3>{bars(shown, largest=True)}"
