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


Seeds = Mapping[str, list[dict[int, dict[str, Any]]]]
"""By protocol and seed, what was found for the digits: all of them with the first seed."""


def report(page: ExperimentReport, results: Results) -> None:
    """Fill the page."""
    seeds = sum(name.startswith("digit-0-letter-") for name in results)
    by = {
        p: [
            {d: results[name] for d in range(10) if (name := f"digit-{d}-{p}-{k}") in results}
            for k in range(seeds)
        ]
        for p in PROTOCOLS
    }
    first = {p: [by[p][0][d] for d in range(10)] for p in PROTOCOLS}
    tables = {
        "means": means_table(by),
        "table-1a": rates_table(by, "single", paper.SINGLE, "paper FPR as printed"),
        "table-1b": rates_table(by, "5 of 10", paper.VOTES),
        "seven-of-ten": seven_of_ten(by),
        "misses": misses_table(by),
        "half-and-end": half_and_end(first),
        "switches": switches_table(results),
        "wrong-labels": wrong_table(results),
    }
    figures = {
        "figure-5": draw_epochs(first),
        "figure-6": draw_drawn(first["letter"][5]["drawn"]),
        "figure-7": draw_agreement(first["letter"]),
        "figure-8-left": draw_false(first),
        "figure-9": draw_cuts(first),
    }
    page.fill(summary(by) | {"seeds": seeds}, tables, figures)


def summary(by: Seeds) -> dict[str, Any]:
    """The means of the ten digits, beside the paper's."""
    atoms, pixels = (
        {p: np.mean([row[key] for row in by[p][0].values()]) for p in PROTOCOLS}
        for key in ("atoms", "pixels an atom")
    )
    zeros = {
        p: np.mean([rows[0]["yes"][-1] / max(1, sum(rows[0]["yes"])) for rows in by[p]])
        for p in PROTOCOLS
    }
    return {
        "single": _beside(by, "single", paper.SINGLE_MEAN),
        "five": _beside(by, "5 of 10", paper.VOTES_MEAN_AS_PRINTED),
        "seven": _beside(by, "7 of 10", paper.SEVEN_OF_TEN["mean"]),
        "misses": _beside(by, ON_TEST, paper.MISSES_MEAN),
        "advised": percent(_found(by, "default", "votes", MEAN)["error"]),
        "spared": " and ".join(percent(_found(by, p, "misses", MEAN)["error"]) for p in PROTOCOLS),
        "atoms": atoms,
        "atoms_verdict": "reproduced" if 100 <= atoms["letter"] < 1000
        else "another order of magnitude",
        "pixels": pixels,
        "pixels_verdict": "reproduced" if 4 <= pixels["letter"] <= 10 else "larger atoms",
        "zeros": {p: percent(share, 0) for p, share in zeros.items()},
        "zeros_beside": beside(zeros["letter"], paper.AGREE_ON_0, 0),
    }  # fmt: skip


def _beside(by: Seeds, kind: str, printed: paper.Rates) -> dict[str, str]:
    letter, ours = (_found(by, p, kind, MEAN)["error"] for p in PROTOCOLS)
    return {
        "paper": percent(printed.error),
        "both": f"{_spread(by, 'letter', kind)} to the letter, {_spread(by, 'default', kind)} by "
        "this library",
        "beside": f"{beside(letter, printed.error)} to the letter, "
        f"{beside(ours, printed.error)} by this library",
    }


def seed_means(by: Seeds, protocol: str, kind: str) -> list[float]:
    """The mean error of the digits that all seeds learned, seed by seed."""
    common = set.intersection(*(set(rows) for rows in by[protocol]))
    return [mean_rates([rows[d][kind] for d in sorted(common)])["error"] for rows in by[protocol]]


def _spread(by: Seeds, protocol: str, kind: str) -> str:
    many = seed_means(by, protocol, kind)
    spread = f" (four digits: {100 * min(many):.2f} to {100 * max(many):.2f})"
    return percent(_found(by, protocol, kind, MEAN)["error"]) + (spread if len(many) > 1 else "")


def _found(by: Seeds, protocol: str, kind: str, digit: int) -> dict[str, float]:
    """The rates of a digit, the mean of its seeds; or those of all digits, of the first seed."""
    if digit == MEAN:
        return mean_rates([row[kind] for row in by[protocol][0].values()])
    many = [rows[digit][kind] for rows in by[protocol] if digit in rows]
    cuts = [one["cut"] for one in many if "cut" in one]
    return mean_rates(many) | ({"cut": float(np.mean(cuts))} if cuts else {})


def means_table(by: Seeds) -> Table:
    """The mean of ten digits, and of those with several seeds, seed by seed."""
    kinds = {"single": "one model", "5 of 10": "5 of 10 votes", "7 of 10": "7 of 10 votes",
             "misses": "misses, cut-off from spared images",
             ON_TEST: "misses, cut-off from the TEST SET"}  # fmt: skip
    printed = [paper.SINGLE_MEAN, paper.VOTES_MEAN_AS_PRINTED, paper.SEVEN_OF_TEN["mean"], None,
               paper.MISSES_MEAN]  # fmt: skip
    head = ["error %", "paper, ten digits"]
    for p, name in PROTOCOLS.items():
        head += [
            f"{name}, ten digits",
            *(f"digits 0, 5, 8, 9, seed {k}" for k in range(len(by[p]))),
        ]
    rows = []
    for (kind, name), told in zip(kinds.items(), printed, strict=True):
        row = [name, f"{100 * told.error:.2f}" if told else ""]
        for p in PROTOCOLS:
            errors = [_found(by, p, kind, MEAN)["error"], *seed_means(by, p, kind)]
            row += [f"{100 * error:.2f}" for error in errors]
        rows.append(row)
    return head, rows


def _table(
    by: Seeds,
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
    by: Seeds, kind: str, printed: Sequence[paper.Rates], as_printed: str | None = None
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


def seven_of_ten(by: Seeds) -> Table:
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


def misses_table(by: Seeds) -> Table:
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
        cuts = [f"{one['cut']:.0f}" if "cut" in one else "" for one in (found, best)]
        return [*_percents(found), cuts[0], chosen, cuts[1]]

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


SWITCH_KINDS = ("single", "5 of 10", "7 of 10", ON_TEST)


def switches_table(results: Results) -> Table:
    """Digit 5 with one thing changed at a time: the mean of the seeds, and the largest spread."""
    by: dict[str, list[Any]] = {}
    for name, found in results.items():
        if name.startswith("switch-"):
            by.setdefault(name.rpartition("-")[0], []).append(found)
    whole = {p: f"switch-{p}" for p in PROTOCOLS}
    rows = []
    for name, many in sorted(by.items(), key=lambda item: (item[0] not in whole.values(), item[0])):
        errors = [[100 * found[kind]["error"] for found in many] for kind in SWITCH_KINDS]
        shown = [f"{np.mean(e):.2f} ({min(e):.2f} to {max(e):.2f})" for e in errors]
        rows.append([_changed(name), *shown, f"{np.mean([f['pool'] for f in many]):.0f}"])
    head = ["digit 5", "one model, error %", "5 of 10 %", "7 of 10 %",
            "misses, cut-off from the TEST SET %", "pins"]  # fmt: skip
    return head, rows


def _changed(step: str) -> str:
    """What a step changes, in words.

    >>> _changed("switch-letter-draws")
    'to the letter, but draws as here'
    >>> _changed("switch-default-draws")
    'this library, but draws as in the paper'
    """
    _, start, *rest = step.split("-")
    what = " ".join(rest)
    if not rest:
        return PROTOCOLS[start]
    if what == "reduction":
        return "to the letter, but the last reduction by the negative relations alone"
    words = {"first strategy": "the first strategy of section 2.9: all pinning relations enforced",
             "hard": "no hard counterexamples",
             "candidates": "the whole pool offered to the dual"}  # fmt: skip
    end = "as here" if start == "letter" else "as in the paper"
    return f"{PROTOCOLS[start]}, but {words.get(what, f'{what} {end}')}"


def wrong_table(results: Results) -> Table:
    """Digit 5 with wrong labels."""
    rows = []
    for start, name in PROTOCOLS.items():
        for share in ("0", "0.01", "0.05"):
            step = f"switch-{start}-" if share == "0" else f"wrong-{share}-{start}-"
            many = [
                f for n, f in results.items() if n.startswith(step) and n[len(step) :].isdigit()
            ]
            errors = [[100 * f[kind]["error"] for f in many] for kind in (*SWITCH_KINDS, "misses")]
            shown = [f"{np.mean(e):.2f} ({min(e):.2f} to {max(e):.2f})" for e in errors]
            rows.append([name, percent(float(share), 0), *shown])
    head = ["digit 5", "labels wrong", "one model, error %", "5 of 10 %", "7 of 10 %",
            "misses, cut-off from the TEST SET %",
            "misses, cut-off from spared images %"]  # fmt: skip
    return head, rows
