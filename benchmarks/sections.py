"""The sections of the page of benchmarks, each made from the records of one benchmark."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.credit import of_credit
from benchmarks.frontier import of_compact
from benchmarks.markdown import made_with, percent, seconds, table
from benchmarks.ordered import of_ordered
from benchmarks.record import Records, begins
from benchmarks.regression import of_regression
from benchmarks.rules import of_rules

OURS = "atomlearn"
COMPARED = (OURS, "forest", "LightGBM", "logistic", "histogram boosting", "CatBoost", "EBM")
TITLES = {"forest": "random forest", "logistic": "logistic regression"}
CLOSE = 2.0
"""Points of error behind the best peer that count as behind."""

Figures = dict[str, Any]


def everywhere(results: dict[str, dict[str, Figures]]) -> list[str]:
    """The methods that have been measured on every table."""
    return [m for m in COMPARED if all(m in one for one in results.values())]


def summary(results: dict[str, dict[str, Figures]]) -> dict[str, dict[str, float]]:
    """Means over the tables, and how often a method is clearly behind the best of the peers.

    It has the methods that have been measured on every one of these tables.
    """
    figures = {}
    methods = everywhere(results)
    for method in methods:
        mine = [one[method] for one in results.values()]
        best = [min(one[m]["error"] for m in methods if m != OURS) for one in results.values()]
        behind = [100 * (one["error"] - b) for one, b in zip(mine, best, strict=True)]
        figures[method] = {
            "error": float(np.mean([one["error"] for one in mine])),
            "log_loss": float(np.mean([one["log_loss"] for one in mine])),
            "rank by error": _rank(results, methods, method, "error"),
            "rank by log-loss": _rank(results, methods, method, "log_loss"),
            "behind": sum(points > CLOSE for points in behind),
            "fit_seconds": float(np.median([one["fit_seconds"] for one in mine])),
        }
    return figures


def _rank(
    results: dict[str, dict[str, Figures]], methods: Sequence[str], method: str, key: str
) -> float:
    ranks = [pd.Series({m: one[m][key] for m in methods}).rank() for one in results.values()]
    return float(np.mean([one[method] for one in ranks]))


def of_tables(records: Records) -> str:
    """Means over all tables, then over those that slower peers were run on too, then each table."""
    results = {name: one for name, one in records.nested().items() if OURS in one}
    n_tables = {m: sum(m in one for one in results.values()) for m in COMPARED}
    measured = [m for m in COMPARED if n_tables[m]]
    means = f"{len(results)} tables, 3-fold; larger ones are cut to 4,000 rows."
    for n in sorted({n_tables[m] for m in measured}, reverse=True):
        methods = [m for m in measured if n_tables[m] >= n]
        shared = {name: one for name, one in results.items() if set(methods) <= one.keys()}
        if n < len(results):
            late = [TITLES.get(m, m) for m in methods if n_tables[m] == n]
            were = "was" if len(late) == 1 else "were"
            means += f"\n\nThe {len(shared)} of them on which {' and '.join(late)} {were} run too:"
        means += f"\n\n{_means(shared)}"
    rows = []
    for name, one in results.items():
        cells = (
            f"{100 * one[m]['error']:.2f}, {one[m]['log_loss']:.3f}" if m in one else ""
            for m in measured
        )
        mine = one[OURS]
        kinds = "/".join(dict.fromkeys(mine["evidence"]))
        size = f"{mine['atoms']:,.0f}", f"{mine['bytes'] / 1000:,.0f}"
        rows.append((name, *cells, kinds, *size, f"{mine['fit_seconds']:.2f}"))
    names = (TITLES.get(m, m) for m in measured)
    columns = "table", *names, "evidence", "atoms", "file, kB", "fit, s"
    return (
        f"{means}\n\n"
        "Error in percent and log-loss of each table; the last four columns are of atomlearn.\n\n"
        f"{table(columns, rows)}"
    )


def _means(results: dict[str, dict[str, Figures]]) -> str:
    figures = summary(results)
    lines: dict[str, Callable[[Figures], str]] = {
        "mean error": lambda one: percent(one["error"]),
        "mean log-loss": lambda one: f"{one['log_loss']:.3f}",
        "mean rank by error": lambda one: f"{one['rank by error']:.2f}",
        "mean rank by log-loss": lambda one: f"{one['rank by log-loss']:.2f}",
        f"tables more than {CLOSE:g} points behind the best of the others": lambda one: str(
            one["behind"]
        ),
        "median time of a fit": lambda one: seconds(one["fit_seconds"]),
    }
    header = ("", *(TITLES.get(m, m) for m in figures))
    return table(header, [(k, *map(say, figures.values())) for k, say in lines.items()])


def of_large(records: Records) -> str:
    return _sized("table", records.nested())


def of_many(records: Records) -> str:
    return _sized("classes", records.nested("many"))


def _sized(what: str, results: dict[str, dict[str, Figures]]) -> str:
    """Everything that is known of a fit, a row for each method."""
    columns = what, "method", "error", "log-loss", "fit", "predict", "memory, MB"
    rows = []
    for case, methods in results.items():
        for method, one in methods.items():
            size = (
                (f"{one['atoms']:,}", f"{one['bytes'] / 1e6:.1f}") if "atoms" in one else ("", "")
            )
            rows.append(
                (
                    case,
                    method,
                    percent(one["error"]),
                    f"{one['log_loss']:.3f}",
                    seconds(one["fit_seconds"]),
                    seconds(one["predict_seconds"]),
                    f"{one['more_memory_mb']:,.0f}",
                    *size,
                )
            )
    return table((*columns, "atoms", "file, MB"), rows)


def _compared(part: str, what: str) -> Callable[[Records], str]:
    """Error and time of each method side by side, a row for each case."""

    def section(records: Records) -> str:
        results = records.nested(part)
        methods = list(dict.fromkeys(method for one in results.values() for method in one))
        rows = [
            (case, *(_error_and_time(one.get(method)) for method in methods))
            for case, one in results.items()
        ]
        return table((what, *(TITLES.get(m, m) for m in methods)), rows)

    return section


def _error_and_time(one: Figures | None) -> str:
    return f"{percent(one['error'])} in {seconds(one['fit_seconds'])}" if one else ""


def of_digits(records: Records) -> str:
    kinds = {"single": "one model", "votes": "ten votes", "misses": "whole pool"}
    results = records.results()
    rows = [
        (digit, *(percent(one[kind]) for kind in kinds), f"{one['epochs']}", f"{one['pins']:,}")
        for digit, one in results.items()
    ]
    means = [percent(float(np.mean([one[k] for one in results.values()]))) for k in kinds]
    return table(("digit", *kinds.values(), "epochs", "pins"), [*rows, ("mean", *means, "", "")])


def of_queens(records: Records) -> str:
    columns = "board", "solved", "latest first board, epoch", "time"
    tables = []
    for part, title in (("games", "As it is"), ("idle", "With nothing inserted")):
        rows = []
        for board, by_given in records.results(part).items():
            solved, games = (sum(g[key] for g in by_given.values()) for key in ("solved", "games"))
            epochs = [e for game in by_given.values() for e in game["epochs"] if e is not None]
            spent = sum(game["seconds"] for game in by_given.values())
            latest = str(max(epochs)) if epochs else ""
            rows.append((board, f"{solved} of {games}", latest, seconds(spent)))
        if rows:
            tables.append(f"{title}:\n\n{table(columns, rows)}")
    return "\n\n".join(tables)


SCALED = {
    "cores": "MNIST, ten classes, 150 epochs",
    "rows": "even or odd bars 10×10, ten batches from disk, two cores, 90 epochs",
    "columns": "vertical bars, 10,000 images, 30 epochs",
    "classes": "MNIST, 10,000 images of the first digits, 60 epochs",
    "partitions": "MNIST on two Dask workers, 110 epochs",
}


def of_scale(records: Records) -> str:
    tables = []
    for part, about in SCALED.items():
        results = records.results(part)
        rows = [
            (case, seconds(one["seconds"]), f"{one['peak_mb']:,.0f}", percent(one["error"]))
            for case, one in results.items()
        ]
        if rows:
            columns = part, "elapsed", "peak memory, MB", "error"
            tables.append(f"{about[0].upper()}{about[1:]}:\n\n{table(columns, rows)}")
    return "\n\n".join(tables)


def of_speed(records: Records) -> str:
    figures = [item for one in records.results().values() for item in one.items()]
    return table(("what", ""), [(name, f"{value:,.4g}") for name, value in figures])


@dataclass(frozen=True)
class Section:
    """A heading, the benchmark or part of one that it shows, what it is about, and its tables."""

    title: str
    source: str
    about: str
    render: Callable[[Records], str]

    @property
    def name(self) -> str:
        """The benchmark."""
        return self.source.partition("/")[0]

    def markdown(self, records: Records) -> str | None:
        """The section as Markdown; ``None`` if nothing of it has been measured."""
        part = self.source.partition("/")[2]
        own = [one for step, one in records.steps.items() if begins(step, part)]
        if not own:
            return None
        shown = self.render(records)
        return f"## {self.title}\n\n{self.about}\n\n{shown}\n\n{made_with(own)}\n"


MNIST = "MNIST pixels, black above 25, tested on 10,000 images."
SECTIONS = (
    Section(
        "Tables of at most 4,000 rows",
        "tables",
        "Every method with its defaults, on the same folds.",
        of_tables,
    ),
    Section(
        "Loans of a German bank",
        "credit",
        "1,000 loans, of which 300 went bad, without the column sex; the mean of five times three "
        "folds. Fetched by `atomlearn data german-credit`.",
        of_credit,
    ),
    Section(
        "Compact models",
        "compact",
        "Few rules with whole points beside other models that can be read, on the same folds as "
        "above. A decision tree has as many leaves as there are rules. Times of compact models are "
        "beyond the fit of the full model.",
        of_compact,
    ),
    Section(
        "Ordered classes",
        "ordered",
        "Tables of at most 4,000 rows whose classes are a chain, 3-fold, every method with its "
        "defaults. "
        "The distance of a prediction is the number of classes that it is off. Ordered classes are "
        "predicted by the median of the probabilities, by the others the most probable class is; "
        "one table tells what the median alone would change.",
        of_ordered,
    ),
    Section(
        "Statements that always hold",
        "rules",
        "Monotone statements that a person who knows the subject would make, given to every method "
        "that takes them, 3-fold. A violation is a pair of rows that differ in one column and whose"
        " probabilities go the wrong way, of a million random pairs.",
        of_rules,
    ),
    Section(
        "Numbers to predict",
        "regression",
        "Every method with its defaults, on the same three folds; larger tables are cut to 4,000 "
        "rows. "
        "The target of a table is its number column with the most different values, a rule that "
        "was written before anything was measured.",
        of_regression,
    ),
    Section(
        "Large tables",
        "large",
        "Adult is tested on its own test rows, letter and covtype on a third of the "
        "rows. mnist: black or white pixels; grey: 0 to 255; translations: the "
        "classifier is given the moves by one pixel as symmetries. "
        "partitions: the rows are in so many partitions of a Dask frame. Atoms "
        "and file are the size of the model.",
        of_large,
    ),
    Section(
        "Harder images, and tables at several sizes",
        "harder",
        "Images of 28 × 28 made of MNIST, 10,000 to test. pairs: two digits side by side, the "
        "larger is the class. clutter: a digit among scraps of others. rotated: by up to 60 "
        "degrees. levels: four shades of grey. Tables are cut to so many rows, and tested on up to "
        "20,000 others.",
        of_large,
    ),
    Section(
        "Few examples",
        "classifier/few",
        f"{MNIST} Mean of three draws. SVM and MLP are tuned by 3-fold cross-validation,"
        " the time of which counts; the others have their defaults.",
        _compared("few", "examples"),
    ),
    Section(
        "One digit against the rest",
        "classifier/one",
        "All 60,000 images; the forest has 100 trees.",
        _compared("one", "digit"),
    ),
    Section(
        "Edge maps",
        "classifier/edges",
        "10,000 images: pixels alone, and with maps of where a pixel differs from its "
        "left and its upper neighbour.",
        _compared("edges", "columns"),
    ),
    Section(
        "Columns of noise",
        "classifier/columns",
        "Tables of at most 4,000 rows as they are, and with 200 normally distributed columns that"
        " say nothing. 3-fold; the forest has 100 trees.",
        _compared("columns", "table"),
    ),
    Section(
        "Many classes",
        "classifier/many",
        "6,000 rows of ten numbers in overlapping round clouds "
        "(`sklearn.datasets.make_blobs`, standard deviation 2), 6,000 rows to test. The"
        " forest has 100 trees.",
        of_many,
    ),
    Section(
        "Batch after batch",
        "classifier/batches",
        "Adult, learned by `partial_fit` in batches of so many rows, and by `fit`; tested on its"
        " own test rows.",
        _compared("batches", "rows in a batch"),
    ),
    Section(
        "Small tables of scikit-learn",
        "classifier/small",
        "5-fold, three shuffles.",
        _compared("small", "table"),
    ),
    Section(
        "Wrong labels",
        "classifier/noise",
        "Digits of 8×8 pixels; so many training rows have a wrong label. 5-fold.",
        _compared("noise", "wrong labels"),
    ),
    Section(
        "Even or odd bars",
        "classifier/parity",
        "Is the number of black bars in an image of 10×10 pixels even? Three seeds; "
        "*with symmetries*: the permutations of rows and columns are given.",
        _compared("parity", "training set"),
    ),
    Section(
        "One digit by time",
        "digits",
        "MNIST, 30 s of learning for each digit against the rest, with one-pixel "
        "translations. This is the engine alone, without the classifier's weighted "
        "atoms.",
        of_digits,
    ),
    Section(
        "Queens",
        "queens",
        "Games drawn at random, up to three queens given, at most 100 epochs.",
        of_queens,
    ),
    Section(
        "Cores, rows, columns, classes, partitions",
        "scale",
        "Elapsed time, since more than one core is used.",
        of_scale,
    ),
    Section(
        "The engine",
        "speed",
        "One epoch is 2,000 + 2,000 images of MNIST, digit 5 against the rest, with a "
        "pool of 20,000 pins.",
        of_speed,
    ),
    Section(
        "First use",
        "start",
        "A process that imports scikit-learn and atomlearn and fits iris, twice: from an empty "
        "cache of kernels, and again. Other scripts begin with what iris has compiled.",
        of_speed,
    ),
)
