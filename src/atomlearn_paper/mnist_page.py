"""The page of the MNIST experiment: Tables 1A and 1B, the misses table, Figures 5 to 9."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from atomlearn_paper import paper
from atomlearn_paper.experiment import Results
from atomlearn_paper.images import RATES, mean_rates
from atomlearn_paper.mnist_figures import (
    PROTOCOLS,
    Digits,
    draw_agreement,
    draw_cuts,
    draw_drawn,
    draw_epochs,
    draw_false,
)  # fmt: skip
from atomlearn_paper.report import ExperimentReport, Table, beside, percent

ON_TEST = "misses, cut chosen on the test set"
MEAN = 10
"""The last line of a table, after the ten digits."""
HEAD = ["digit", "paper error %", "FPR %", "FNR %"]


def report(page: ExperimentReport, results: Results) -> None:
    """Fill the page."""
    by = {p: [results[f"digit-{d}-{p}"] for d in range(10)] for p in PROTOCOLS}
    tables = {
        "table-1a": rates_table(by, "single", paper.SINGLE, "paper FPR as printed"),
        "table-1b": rates_table(by, "5 of 10", paper.VOTES),
        "seven-of-ten": seven_of_ten(by),
        "misses": misses_table(by),
        "half-and-end": half_and_end(by),
    }
    figures = {
        "figure-5": draw_epochs(by),
        "figure-6": draw_drawn(by["paper"][5]["drawn"]),
        "figure-7": draw_agreement(by["paper"]),
        "figure-8-left": draw_false(by),
        "figure-9": draw_cuts(by),
    }
    page.fill(summary(by), tables, figures)


def summary(by: Digits) -> dict[str, Any]:
    """The means of the ten digits, beside the paper's."""
    atoms, pixels = (
        {p: np.mean([row[key] for row in by[p]]) for p in PROTOCOLS}
        for key in ("atoms", "pixels an atom")
    )
    zeros = {p: by[p][0]["yes"][-1] / max(1, sum(by[p][0]["yes"])) for p in PROTOCOLS}
    return {
        "single": _beside(by, "single", paper.SINGLE_MEAN),
        "five": _beside(by, "5 of 10", paper.VOTES_MEAN_AS_PRINTED),
        "seven": _beside(by, "7 of 10", paper.SEVEN_OF_TEN["mean"]),
        "misses": _beside(by, "misses", paper.MISSES_MEAN),
        "advised": percent(_found(by, "ours", "votes", MEAN)["error"]),
        "on_test": " and ".join(percent(_found(by, p, ON_TEST, MEAN)["error"]) for p in PROTOCOLS),
        "atoms": atoms,
        "atoms_verdict": "reproduced" if 100 <= atoms["paper"] < 1000
        else "another order of magnitude",
        "pixels": pixels,
        "pixels_verdict": "reproduced" if 4 <= pixels["paper"] <= 10 else "larger atoms",
        "zeros": {p: percent(share, 0) for p, share in zeros.items()},
        "zeros_beside": beside(zeros["paper"], paper.AGREE_ON_0, 0),
    }  # fmt: skip


def _beside(by: Digits, kind: str, printed: paper.Rates) -> dict[str, str]:
    theirs, ours = (_found(by, p, kind, MEAN)["error"] for p in PROTOCOLS)
    return {
        "paper": percent(printed.error),
        "both": f"{percent(theirs)} by the paper's protocol, {percent(ours)} by ours",
        "beside": f"{beside(theirs, printed.error)} by the same protocol, "
        f"{beside(ours, printed.error)} by ours",
    }


def _found(by: Digits, protocol: str, kind: str, digit: int) -> Mapping[str, float]:
    """The rates of a digit, or their mean."""
    rows = by[protocol]
    return mean_rates([row[kind] for row in rows]) if digit == MEAN else rows[digit][kind]


def _table(
    by: Digits,
    printed: Callable[[int], list[Any]],
    ours: Callable[[str, int], list[Any]],
    digits: Sequence[int] = range(MEAN + 1),
) -> list[list[Any]]:
    """A line a digit and one for the mean: the paper's values, then those of each protocol."""
    return [
        ["mean" if d == MEAN else d, *printed(d), *(v for p in PROTOCOLS for v in ours(p, d))]
        for d in digits
    ]


def _percents(found: Mapping[str, float]) -> list[str]:
    return [f"{100 * found[key]:.2f}" for key in RATES]


def rates_table(
    by: Digits, kind: str, printed: Sequence[paper.Rates], as_printed: str | None = None
) -> Table:
    """Table 1A or 1B; 1A also with the FPR as printed."""
    more = [] if as_printed is None else [as_printed]
    mean = mean_rates([row._asdict() for row in printed])

    def theirs(d: int) -> list[Any]:
        wrong = "" if d == MEAN else f"{100 * paper.SINGLE_AS_PRINTED[d].fpr:.2f}"
        return [*_percents(mean if d == MEAN else printed[d]._asdict()), *(wrong for _ in more)]

    head = [h for name in PROTOCOLS.values() for h in (f"{name}: error %", *HEAD[2:])]
    rows = _table(by, theirs, lambda p, d: _percents(_found(by, p, kind, d)))
    return [*HEAD, *more, *head], rows


def seven_of_ten(by: Digits) -> Table:
    """Seven votes, and as many as spared images advise."""
    kinds = {"7 of 10": "7 of 10", "votes": "votes chosen on spared images"}
    head = [f"{kind}, {name}: error / FPR / FNR %"
            for kind in kinds.values() for name in PROTOCOLS.values()]  # fmt: skip
    rows = []
    for who, d in (("0", 0), ("9", 9), ("mean", MEAN)):
        found = (_found(by, p, kind, d) for kind in kinds for p in PROTOCOLS)
        rows.append([who, *_percents(paper.SEVEN_OF_TEN[who]._asdict()),
                     *(" / ".join(_percents(one)) for one in found)])  # fmt: skip
    return HEAD + head, rows


def misses_table(by: Digits) -> Table:
    """All pinning terms, with cut-offs from spared images and, marked, from the test set."""
    head = [*HEAD, "cut (TEST SET)"]
    for name in PROTOCOLS.values():
        head += [f"{name}: error %", "FPR %", "FNR %", "cut", "TEST SET error %", "TEST SET cut"]

    def theirs(d: int) -> list[Any]:
        if d == MEAN:
            return [*_percents(paper.MISSES_MEAN._asdict()), ""]
        return [*_percents(paper.MISSES[d]._asdict()), paper.MISSES_CUTS[d]]

    def ours(protocol: str, d: int) -> list[Any]:
        found, best = (_found(by, protocol, kind, d) for kind in ("misses", ON_TEST))
        chosen = f"{100 * best['error']:.2f}"
        return [*_percents(found), found.get("cut", ""), chosen, best.get("cut", "")]

    return head, _table(by, theirs, ours)


def half_and_end(by: Digits) -> Table:
    """The error in the middle of the run, and at its end."""
    rows = []
    for protocol, name in PROTOCOLS.items():
        points = [found["curve"] for found in by[protocol]]
        half = len(points[0]) // 2
        middle = float(np.mean([p[half]["single"]["error"] for p in points]))
        end = float(np.mean([np.mean([q["single"]["error"] for q in p[-3:]]) for p in points]))
        epochs = points[0][half]["epoch"], points[0][-1]["epoch"]
        rows.append([name, epochs[0], percent(middle), epochs[1], percent(end)])
    return ["protocol", "epoch", "single-model error", "epoch", "at the end"], rows
