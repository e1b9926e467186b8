"""HTML pages of models: figures, charts, definitions, explanations, drawn atoms."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atomlearn.algebra.model import Model
from atomlearn.markup import bars, escape, folded
from atomlearn.views.page import Page

if TYPE_CHECKING:
    from atomlearn.classifier.definition import ClassDefinition
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.classifier.explanation import Explanation
    from atomlearn.logic.define import ConstantDefinition

MOST_ATOMS = 200
MOST_CONFLICTS = 20
HARDEST = 6
FEWEST_ERRORS = 3
"""Fewest error estimates that are worth a plot."""


def model_page(
    model: Model,
    title: str,
    definitions: Sequence["ConstantDefinition"],
    path: Path,
) -> None:
    """Write the page of a model of relations: its definitions, then its atoms."""
    page = Page(title, quiet=True)
    page.say(f"A model of {model.n_atoms:,} atoms over {model.n_constants:,} constants.")
    for one in definitions:
        page.section(str(one.label))
        page.side_by_side(one.to_html())
        if one.grid is not None:
            draw_on_grid(page, one)
    page.section("Atoms")
    page.say(
        "A term contains an atom if it has one of these constants; a < b holds if b contains every "
        "atom of a."
    )
    atoms = sorted(model.atoms, key=lambda atom: (len(atom), atom.indices))
    page.table(["size", "in the constants"], [[len(a), str(a)] for a in atoms[:MOST_ATOMS]])
    if len(atoms) > MOST_ATOMS:
        page.say(f"... and {len(atoms) - MOST_ATOMS:,} more")
    page.write(path)


def classifier_page(
    classifier: "AlgebraicClassifier",
    title: str,
    definitions: Sequence["ClassDefinition"],
    path: Path,
    explained: "tuple[str, Explanation] | None" = None,
) -> None:
    """Write the page of a classifier; first the row that is ``explained``, if there is one."""
    from atomlearn.cli.models import how_it_decides

    page = Page(title, quiet=True)
    error = classifier.estimated_error_
    page.say(
        f"{len(classifier.classes_):,} classes, {len(classifier.encoder_.columns_):,} columns, "
        f"{len(classifier.encoder_.literals_):,} literals"
        + ("" if error is None else f"; error about {error:.1%} on rows not learned from")
    )
    if explained is not None:
        page.section(explained[0])
        page.side_by_side(explained[1].to_html())
    page.section("How it decides")
    page.say(f"What decides: {classifier.evidence_}. {how_it_decides(classifier.learned_)}")
    if classifier.rules_:
        page.say("Rules that every prediction obeys:")
        page.code("\n".join(map(str, classifier.rules_)))
    add_classes(page, classifier)
    add_importances(page, classifier)
    add_charts(page, classifier)
    page.section("Each class as a rule")
    page.say(
        "A definition is a short approximation, with errors of its own; the whole classifier has "
        "more atoms."
    )
    for one in definitions:
        add_definition(page, classifier, one)
    add_hardest(page, classifier)
    add_conflicts(page, classifier)
    draw_history(page, classifier)
    page.write(path)


def add_classes(page: Page, classifier: "AlgebraicClassifier") -> None:
    """A table with a line for each class."""
    from atomlearn.classifier.held_out import classifier_errors
    from atomlearn.cli.models import atom_counts

    learned = classifier.learned_
    errors = classifier_errors(learned)
    rows = zip(
        classifier.classes_, classifier.sample_.totals, atom_counts(learned), learned.typical,
        learned.offsets, strict=True,
    )  # fmt: skip
    counts = learned.evidence.strict > 0
    page.table(
        ["class", "different training rows", "atoms", "offset",
         *["a row of another class misses"] * counts, "held-out error"],
        [
            [k, f"{n:,}", f"{atoms:,}", f"{offset:.4g}", *[f"{typical:,.0f}"] * counts,
             "not known" if errors is None else f"{errors[i]:.1%}"]
            for i, (k, n, atoms, typical, offset) in enumerate(rows)
        ],
    )  # fmt: skip
    page.say(
        "Held-out error: how often the whole classifier misjudges rows that it was not learned "
        "from as to the class."
    )


def add_importances(page: Page, classifier: "AlgebraicClassifier") -> None:
    """What each column, or each pixel, counts for."""
    from atomlearn.classifier.displays import importances_html

    if classifier.image_shape is None:
        page.side_by_side(importances_html(classifier))
        return
    from atomlearn.views.pictures import draw_images

    importances, shape = classifier.feature_importances_, classifier.image_shape
    _draw(page, lambda: draw_images(importances, shape), "The importance of each pixel: dark is "
          "much.")  # fmt: skip


def add_charts(page: Page, classifier: "AlgebraicClassifier") -> None:
    """Confusion matrix and calibration curve of held-out rows."""
    from atomlearn.explorer.classifiers import calibration, confusion
    from atomlearn.views.charts import (
        MOST_LABELS,
        calibration_chart,
        confused_most,
        confusion_chart,
    )

    counts, labels = confusion(classifier.learned_), classifier.classes_.tolist()
    if counts is None:
        page.say("There are no charts: no rows were held out.")
        return
    points = calibration(classifier.learned_)
    charts = [confusion_chart(labels, counts)] if len(labels) <= MOST_LABELS else []
    page.side_by_side(*charts, calibration_chart(points) if points else "")
    if wrong := confused_most(labels, counts):
        told = "; ".join(f"{n:,.0f} × {label} taken for {said}" for label, said, n in wrong)
        page.say(f"The most frequent errors on held-out rows: {told}.")


def add_definition(
    page: Page, classifier: "AlgebraicClassifier", definition: "ClassDefinition"
) -> None:
    """The short form of a class, with the full one folded."""
    short = classifier.definition(definition.label, "short")
    parts = [short.to_html()]
    if short.clauses != definition.clauses:
        n = len(definition.clauses)
        parts.append(folded(definition.to_html(), f"with up to {n} clause{'s' * (n != 1)}"))
    page.side_by_side("".join(parts))
    if classifier.image_shape is not None and short.clauses:
        draw_clauses(page, short, classifier.image_shape)


def add_hardest(page: Page, classifier: "AlgebraicClassifier") -> None:
    """The training rows whose own class was the least probable when they were held out."""
    page.section("The hardest examples")
    page.say(
        "Training rows whose own class was the least probable when they were held out, and what "
        "the model, which has learned from them since, says of them now:"
    )
    for hard in classifier.hardest(HARDEST):
        told = f"{hard.about}; now {hard.explanation.label}"
        names = [(str(one.label), one.probability) for one in hard.explanation.classes[:4]]
        page.add(
            f'<div class="card"><strong>{escape(told)}</strong>{bars(names)}'
            f"{folded(hard.explanation.to_html(), 'why')}</div>"
        )


def add_conflicts(page: Page, classifier: "AlgebraicClassifier") -> None:
    """Rows that look the same and have different labels, and rows that a rule contradicts."""
    told = [str(one) for one in (*classifier.rule_conflicts_, *classifier.conflicts_)]
    if not told:
        return
    page.section("Rows that contradict each other")
    page.table(["rows"], [[line] for line in told[:MOST_CONFLICTS]])
    if len(told) > MOST_CONFLICTS:
        page.say(f"... and {len(told) - MOST_CONFLICTS:,} more")


def draw_clauses(page: Page, definition: "ClassDefinition", shape: tuple[int, int]) -> None:
    """The atoms of a definition as images."""
    from atomlearn.tables.images import greys_of
    from atomlearn.views.pictures import draw_greys

    columns = definition.encoder.columns_
    greys = greys_of((c.literals for c in definition.clauses), columns, shape[0] * shape[1])
    _draw(page, lambda: draw_greys(greys, shape), GREYS_DRAWN)


def draw_on_grid(page: Page, definition: "ConstantDefinition") -> None:
    """The clauses of a constant as images, if all are about pixels."""
    import numpy as np

    from atomlearn.views.pictures import draw_atoms

    grid = definition.grid
    if grid is None or not definition.clauses:
        return
    first = next(iter(grid.place.values()))[2]
    pixels = np.zeros((2, len(definition.clauses), *grid.shape), dtype=np.bool_)
    for k, clause in enumerate(definition.clauses):
        for name in clause.literals:
            if name in grid.place:
                i, j, colour = grid.place[name]
                pixels[0 if colour == first else 1, k, i, j] = True
    black, white = pixels.reshape(2, len(definition.clauses), -1)
    _draw(page, lambda: draw_atoms(black, white, grid.shape), ATOMS_DRAWN)


GREYS_DRAWN = (
    "The atoms of the definition. Each image of the class has at least one of the pixels of an "
    "atom about as dark as drawn; pixels in blue are not in the atom."
)
ATOMS_DRAWN = (
    "Its atoms: each example of the class has one of the black pixels in black or one of the white "
    "ones in white."
)


def draw_history(page: Page, classifier: "AlgebraicClassifier") -> None:
    """Error against compression for each epoch, with the theoretical prediction."""
    from atomlearn.views.pictures import compressions, plot_history

    n_examples = int(classifier.sample_.totals.sum())
    points = compressions(classifier.history_, n_examples)
    if len({error for _, errors in points.values() for error in errors}) < FEWEST_ERRORS:
        return  # a small set is learned whole, and its error is estimated once
    page.section("How it was learned")
    _draw(
        page,
        lambda: plot_history(
            classifier.history_, len(classifier.encoder_.literals_), n_examples=n_examples
        ),
        "Estimated error of all atoms together against the compression of each epoch's model, and "
        "the error of one model picked at random among those that fit (the paper's theory).",
    )


def _draw(page: Page, make: Any, about: str) -> None:
    """A picture, or a sentence that says why it is missing."""
    from atomlearn.errors import MissingExtra

    try:
        page.picture(make(), about)
    except MissingExtra as missing:
        page.say(str(missing))
