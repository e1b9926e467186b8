"""``docs/benchmarks.md`` and the README's table, from the figures in ``docs/results``."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from atomlearn.files.container import replacing
from atomlearn_paper.summary import between_marks
from benchmarks.credit import of_readme
from benchmarks.frontier import both_sides, draw_frontier
from benchmarks.markdown import made_with, percent, seconds, table
from benchmarks.record import BENCHMARKS, RESULTS, Records
from benchmarks.sections import OURS, SECTIONS, everywhere, summary

README = RESULTS.parents[1] / "README.md"
PAGE = RESULTS.parent / "benchmarks.md"
FRONTIER = RESULTS.parent / "images" / "frontier.png"
MARK, CARD_MARK = "benchmarks", "card"
SHOWN = ("tables", "compact", "large", "classifier", "digits", "queens")
BOARDS = 8
"""Sizes of boards: fewer have been played if a run was interrupted, and are not summed up."""
SIDE_BY_SIDE = ("atomlearn", "forest", "LightGBM")
LARGE = {
    "adult": "Adult, 32,561 rows",
    "letter": "letter, 20,000 rows, 26 classes, a third held out",
    "covtype": "Covertype, 581,012 rows, a third held out",
    "mnist": "MNIST, 60,000 images, black or white",
    "grey": "the same images in grey",
    "translations": "black or white, with moves by a pixel as symmetries",
}
INTRODUCTION = """\
<!-- written by `make bench`; changes by hand are lost -->
# Benchmarks

Error, log-loss, time, memory and model size beside other classifiers. Nothing was tuned for any
table, and some defaults of atomlearn were chosen while looking at some of them:
[the README](../README.md) lists them.

Times are CPU seconds of one core, unless elapsed time is named; other work on the machine changes
them somewhat. Memory is what a fit needed beyond what the process had before.
`make bench` measures what this version has not measured yet, `make bench ONLY="tables large"` some
of it; data are read from the folder that `ATOMLEARN_DATA` names.
"""


def read_all(folder: Path = RESULTS) -> dict[str, Records]:
    return {name: Records.read(name, folder) for name in BENCHMARKS}


def page(records: dict[str, Records]) -> str:
    """The whole page; what has not been measured is listed at its end."""
    parts, missing = [INTRODUCTION], []
    for section in SECTIONS:
        text = section.markdown(records[section.name])
        if text is None:
            missing.append(f"- {section.title}: `python -m benchmarks {section.source}`\n")
        else:
            parts.append(text)
    if missing:
        parts.append("## Not measured yet\n\n" + "".join(missing))
    return "\n".join(parts)


def readme_table(records: dict[str, Records]) -> str:
    """The figures of the README, with the command that measures each."""
    header = ("what", "atomlearn", "random forest", "LightGBM", "`make bench`")
    used = [one for name in SHOWN for one in records[name].steps.values()]
    return f"{table(header, _rows(records))}\n\n{made_with(used, commands=False)}"


def _rows(records: dict[str, Records]) -> Iterator[tuple[str, ...]]:
    yield from _tables(records["tables"])
    yield from _cards(records["compact"])
    large = records["large"].nested()
    for name in (name for name in LARGE if name in large):  # not those in partitions
        one = large[name]
        cells = (
            f"{percent(one[m]['error'])} in {seconds(one[m]['fit_seconds'])}" if m in one else ""
            for m in SIDE_BY_SIDE
        )
        yield LARGE[name], *cells, f"`ONLY=large/{name}`"
    yield from _questions(records["classifier"])
    if len(digits := records["digits"].results()) == 10:
        error = percent(float(np.mean([one["misses"] for one in digits.values()])))
        yield "MNIST, mean of digits against the rest, 30 s each", error, "", "", "`ONLY=digits`"
    if len(boards := records["queens"].results("games")) == BOARDS:
        games = [game for one in boards.values() for game in one.values()]
        solved, played = (sum(game[key] for game in games) for key in ("solved", "games"))
        yield "queens, random games 5×5 to 12×12", f"{solved} of {played}", "", "", "`ONLY=queens`"


def _tables(records: Records) -> Iterator[tuple[str, ...]]:
    results = {name: one for name, one in records.nested().items() if OURS in one}
    if not results or not set(SIDE_BY_SIDE) <= set(everywhere(results)):
        return
    figures, command = summary(results), "`ONLY=tables`"
    mean = f"[{len(results)} tables](docs/benchmarks.md), at most 4,000 rows, 3-fold: mean error"
    yield mean, *(percent(figures[m]["error"]) for m in SIDE_BY_SIDE), command
    losses = (f"{figures[m]['log_loss']:.3f}" for m in SIDE_BY_SIDE)
    yield "the same: mean log-loss", *losses, command
    times = (seconds(figures[m]["fit_seconds"]) for m in SIDE_BY_SIDE)
    yield "the same: median time of a fit", *times, command


def _cards(records: Records) -> Iterator[tuple[str, ...]]:
    """Mean errors of compact models, beside the larger models of the others."""
    results = list(both_sides(records).values())
    for size in (20, 40) if results else ():
        methods = (f"atomlearn {size}", "forest", "LightGBM")
        errors = (float(np.mean([one[m]["error"] for one in results])) for m in methods)
        what = f"{len(results)} of them, a scorecard of {size} rules beside the others in full"
        yield what, *map(percent, errors), "`ONLY=compact`"


def _questions(records: Records) -> Iterator[tuple[str, ...]]:
    few = records.nested("few").get("1000", {})
    if {"atomlearn", "forest", "SVM"} <= few.keys():
        what = f"MNIST from 1,000 images (tuned SVM {percent(few['SVM']['error'])})"
        errors = (percent(few[m]["error"]) for m in ("atomlearn", "forest"))
        yield what, *errors, "", "`ONLY=classifier/few`"
    if {"with image_shape", "small network"} <= few.keys():
        shaped, network = (percent(few[m]["error"]) for m in ("with image_shape", "small network"))
        what = f"the same, with `image_shape=(28, 28)` (small convolutional network {network})"
        yield what, shaped, "", "", "`ONLY=classifier/few`"
    many = records.nested("many").get("300", {})
    if {"atomlearn", "forest"} <= many.keys():
        cells = (
            f"{percent(many[m]['error'])} in {seconds(many[m]['fit_seconds'])}"
            for m in ("atomlearn", "forest")
        )
        yield "300 classes, 6,000 rows", *cells, "", "`ONLY=classifier/many`"


def with_table(text: str, records: dict[str, Records]) -> str:
    """A README with its card and its table of benchmarks made anew."""
    text = between_marks(text, CARD_MARK, of_readme(records["credit"]))
    return between_marks(text, MARK, readme_table(records))


def write(folder: Path = RESULTS) -> None:
    """Write both; figures that are kept elsewhere are set on a page of their own beside them."""
    records = read_all(folder)
    if folder.resolve() != RESULTS:
        written = {folder / "benchmarks.md": page(records)}
    else:
        text = README.read_text(encoding="utf-8")
        written = {PAGE: page(records), README: with_table(text, records)}
    for path, content in written.items():
        with replacing(path) as file:
            file.write(content.encode())
        print(f"wrote {path.name}")
    if folder.resolve() == RESULTS and both_sides(records["compact"]):
        draw_frontier(records["compact"], FRONTIER)
        print(f"wrote {FRONTIER.name}")
