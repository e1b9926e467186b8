"""What the commands do with a target that is a number, and with the file of a regressor."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn import interrupts
from atomlearn.cli.output import counted, fail, note, print_json, write_csv
from atomlearn.errors import InvalidTarget, suggest

if TYPE_CHECKING:
    from atomlearn.regressor.estimator import AlgebraicRegressor
    from atomlearn.tables.files import Table

MOST_SHOWN = 20
"""``show`` lists at most so many atoms of a full model."""


class Named(np.ndarray[Any, Any]):
    """Numbers with the name of their column, by which statements call them."""

    name: str


def is_regressor(model: Any) -> bool:
    """Return whether a loaded model predicts a number."""
    from atomlearn.regressor.estimator import AlgebraicRegressor

    return isinstance(model, AlgebraicRegressor)


def refuse_options(options: dict[str, Any], what: str) -> None:
    """Fail if an option was given that only the other kind of target has."""
    for option, value in options.items():
        if value is not None and value is not False:
            fail(f"{option} is for {what}")


def is_number(labels: Any, target: str, path: Path) -> bool:
    """Return whether a target is fitted as a number: those that a classifier would refuse."""
    from atomlearn.tables.validation import are_numbers, check_labels

    values, counts = np.unique(labels, return_counts=True)
    try:
        check_labels(values, counts, None)
    except InvalidTarget:
        if not are_numbers(values):
            return False
        is_whole = all(float(one).is_integer() for one in values.tolist())
        instead = f"--max-classes {len(values)}" if is_whole else "make it text, or bin it first"
        note(
            f"{target!r} of {path.name} has {len(values):,} different numbers, so a number is "
            f"predicted (a regressor); for classes: {instead}"
        )
        return True
    return False


def fit_number(
    regressor: "AlgebraicRegressor",
    rows: Any,
    labels: Any,
    target: str,
    batches: Any,
    out: Path,
    keep: bool,
    as_json: bool,
) -> None:
    """Fit a regressor to a table, or to its batches if there are any; save it, print what it is."""
    from atomlearn.cli.tables import complaints
    from atomlearn.distributed import fit_batches
    from atomlearn.tables.number_rows import numbers_of

    with until_interrupted(out) as noted:
        with complaints():
            if batches is None:
                numbers = numbers_of(labels, repr(target)).view(Named)
                numbers.name = target
                regressor.fit(rows, numbers)
            else:
                fit_batches(batches, estimator=regressor)
        regressor.save(out, rows=keep)
        noted.kept = True
        _print_fit(regressor, out, as_json)


@contextmanager
def until_interrupted(out: Path) -> Iterator[interrupts.Note]:
    """Learn and save a model inside this block; Ctrl-C ends the command with what is known."""
    try:
        with interrupts.Deferred(learning=True) as noted:
            yield noted
    except KeyboardInterrupt as error:
        message = f"interrupted before anything was learned: {out} is not written"
        fail(message, interrupts.exit_code(error))
    if noted.signal:
        fail(f"interrupted: what has been learned so far is saved in {out}", noted.exit_code)


def _print_fit(regressor: "AlgebraicRegressor", out: Path, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "model": str(out),
                "target": regressor.target_name_,
                "loss": regressor.loss,
                "rows": regressor.n_rows_,
                "columns": regressor.n_features_in_,
                "atoms": regressor.learned_.deciding().n_atoms,
                "estimated_error": regressor.estimated_error_,
                "estimated_score": regressor.estimated_score_,
                "rules": [str(rule) for rule in regressor.rules_],
                "rule_conflicts": [str(one) for one in regressor.rule_conflicts_],
                "seconds": regressor.fit_seconds_,
                "interrupted": regressor.learned_.interrupted,
            }
        )
        return
    print(
        f"{out}: a regressor of {regressor.target_name_} from {counted(regressor.n_rows_, 'row')} "
        f"of {counted(regressor.n_features_in_, 'column')}, {how_good(regressor)}, "
        f"{regressor.fit_seconds_:.1f} s"
    )
    if regressor.learned_.card is not None:
        print(f"\n{regressor.scorecard()}")
    for conflict in regressor.rule_conflicts_[:3]:
        print(conflict)


def how_good(regressor: "AlgebraicRegressor") -> str:
    """Return the number of atoms, and the error on held-out rows if it is known."""
    from atomlearn.classifier.scorecard import rounded
    from atomlearn.training.boosting.losses import ERRORS

    n, error = regressor.learned_.deciding().n_atoms, regressor.estimated_error_
    compact = regressor.learned_.card is not None
    told = f"a scorecard of {counted(n, 'rule')}" if compact else counted(n, "atom")
    if error is None:
        return told
    score = regressor.estimated_score_
    r2 = "" if score is None else f", R² about {score:.2f}"
    return f"{told}, {ERRORS[regressor.loss]} about {rounded(error, 4)}{r2}"


def predict_numbers(
    regressor: "AlgebraicRegressor",
    rows: Any,
    copied: dict[str, list[Any]],
    interval: float | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Print the predicted number of each row, and its interval if one is asked for."""
    from atomlearn.cli.tables import complaints

    with complaints():
        numbers = regressor.predict(rows).tolist()
        ends = None if interval is None else regressor.predict_interval(rows, interval)
    if as_json:
        fields: dict[str, Any] = {"keys": copied} if copied else {}
        fields["predictions"] = numbers
        if ends is not None:
            fields["intervals"] = [
                [one if np.isfinite(one) else None for one in pair] for pair in ends.tolist()
            ]
        print_json(fields)
        return
    header = [*copied, "prediction", *(("low", "high") if ends is not None else ())]
    lines = [
        [*(cells[i] for cells in copied.values()), f"{number:.10g}"]
        + ([] if ends is None else [f"{one:.10g}" for one in ends[i].tolist()])
        for i, number in enumerate(numbers)
    ]
    write_csv([header, *lines], out)


def numbers_in(regressor: "AlgebraicRegressor", table: "Table", target: str | None) -> Any:
    """Return the numbers of a table that a regressor predicts."""
    from atomlearn.tables.number_rows import numbers_of

    target = target or regressor.target_name_
    if target not in table.columns:
        fail(f"{table.path} has no column {target!r}{suggest(target, table.columns)}")
    return numbers_of(table.labels(target), f"{target!r} in {table.path}")


def show_number(
    regressor: "AlgebraicRegressor", file: Path, as_json: bool, html: Path | None
) -> None:
    """Print a regressor: its scorecard, or the atoms that add most."""
    from atomlearn.export.description import describe

    card = regressor.scorecard() if regressor.learned_.card is not None else None
    if html is not None and card is not None:
        card.to_html(html)
    elif html is not None:
        from atomlearn.explorer.page import explorer_page, page_data, write_page

        write_page(explorer_page(file.stem, page_data(regressor)), html)
    if as_json:
        print_json(
            {
                "kind": "regressor",
                "target": regressor.target_name_,
                "loss": regressor.loss,
                "columns": [column.name for column in regressor.encoder_.columns_],
                "literals": [str(literal) for literal in regressor.encoder_.literals_],
                "estimated_error": regressor.estimated_error_,
                "estimated_score": regressor.estimated_score_,
                "rules": [str(rule) for rule in regressor.rules_],
                "scorecard": None if card is None else card.to_dict(),
                "model": describe(regressor),
            }
        )
        return
    columns = counted(len(regressor.encoder_.columns_), "column")
    print(f"a regressor of {regressor.target_name_}, {columns}, {how_good(regressor)}")
    for rule in regressor.rules_:
        print(f"rule: {rule}")
    print(f"\n{_largest(regressor) if card is None else card}")
    if html is not None:
        print(f"written to {html}")


def _largest(regressor: "AlgebraicRegressor") -> str:
    """Return the atoms with the largest weights as text."""
    from atomlearn.classifier.scorecard import rounded
    from atomlearn.export.description import model_of

    model = model_of(regressor)
    assert model.number is not None
    told = sorted(zip(model.weights, model.number["texts"], strict=True), key=lambda x: -abs(x[0]))
    of = "its logarithm" if model.number["is_log"] else regressor.target_name_
    lines = [f"what the rules add to {of} that a row meets, beside {rounded(model.offsets[0])}:"]
    lines += [f"{weight:+12.5g}  if {text}" for weight, text in told[:MOST_SHOWN]]
    if len(told) > MOST_SHOWN:
        lines.append(
            f"... and {len(told) - MOST_SHOWN:,} more. A scorecard of few rules can be made of it: "
            "fit with --max-atoms 20, or call compact(20) in Python."
        )
    return "\n".join(lines)
