"""The page of the parity experiment: Figures 4, 8 (right) and 13, and what they rest on."""

import numpy as np

from atomlearn_paper import paper
from atomlearn_paper.experiment import Results
from atomlearn_paper.parity_figures import (
    Points,
    batch_product,
    draw_compression,
    draw_growth,
    draw_product,
    draw_votes,
    line,
    product,
    settled,
)  # fmt: skip
from atomlearn_paper.report import Claim, Report, percent

Streams = dict[tuple[int, float], Points]
"""By size and noise, what was found along the way."""


def report(page: Report, results: Results) -> None:
    """Write everything down."""
    streams = {
        (int(size), float(noise)): found
        for name, found in results.items()
        if name.startswith("stream-")
        for _, size, noise in [name.split("-")]
    }
    others = {name: found for name, found in results.items() if not name.startswith("stream-")}
    page.say(
        "Images with a random number of black columns and some noise; is the number of complete "
        "bars odd? Every batch is of fresh images and 2 % larger than the one before. R is all "
        "images seen, Z the number of atoms of the class in the last model, κ = R / Z. The error "
        "is that of this one model on fresh images; votes are those of the last ten models, five "
        "of which have to say yes. The growth and the largest batches were chosen after trial runs "
        "whose test errors were seen; how far a run goes decides the error that it ends with."
    )
    errors(page, streams)
    compression(page, streams)
    growth_section(page, streams[7, 0.05], others)
    as_told(page, results["as-told"])


def errors(page: Report, streams: Streams) -> None:
    """Errors and atoms, and Figure 8 right."""
    page.section("Error and atoms")
    page.claim(*(_error_claim(told, streams[told.size, told.noise]) for told in paper.PARITY))
    page.figure(
        "figure-8-right", draw_votes(streams[10, 0.025]),
        "Figure 8, right: 10 × 10, 2.5 % noise. False positives and negatives of ten votes as "
        "fresh images come, and the error of one model",
    )  # fmt: skip
    kinds(page, streams)
    page.table(
        "parity",
        ["size", "noise", "epoch", "batch", "R seen", "Z atoms", "κ", "error %", "ten votes %",
         "votes FPR %", "votes FNR %", "ε κ"],
        [[f"{size}×{size}", noise, p["epoch"], p["batch"], p["seen"], p["atoms"],
          f"{p['seen'] / max(1, p['atoms']):.1f}", f"{100 * p['single']['error']:.3f}",
          *(f"{100 * p['votes'][key]:.3f}" for key in ("error", "fpr", "fnr")),
          f"{product(p):.1f}"]
         for (size, noise), points in streams.items() for p in _some(points)],
    )  # fmt: skip


def _error_claim(told: paper.Parity, points: Points) -> Claim:
    last = points[-1]
    said = "well under 1 %" if told.atoms is None else f"under 1 % with {told.atoms:,} atoms"
    if told.votes_error:
        said += f"; {percent(told.votes_error, 1)} with several atomizations"
    return Claim(
        f"parity {told.size} × {told.size}, {percent(told.noise, 1)} noise: error",
        "section 3.3", said,
        f"one model {percent(last['single']['error'])} with {last['atoms']:,} atoms, ten votes "
        f"{percent(last['votes']['error'])}, after {last['seen'] / 1e6:.1f} million images",
        _verdict(points, told.votes_error or 0.01), headline=told.size == 10,
    )  # fmt: skip


def _verdict(points: Points, wanted: float) -> str:
    errors = [point["single"]["error"] for point in points]
    single, votes = errors[-1], points[-1]["votes"]["error"]
    falling = np.mean(errors[-3:]) < np.mean(errors[-8:-3]) if len(errors) > 8 else False
    more = ", and still falling" if falling else ""
    if single < 0.01 and votes <= wanted:
        return "reproduced"
    if votes <= wanted:
        return (
            f"ten votes reach it; one model is {100 * (single - 0.01):.2f} points above 1 % with "
            f"this number of images{more}"
        )
    return f"not reached with this number of images: ten votes are at {percent(votes)}{more}"


def kinds(page: Report, streams: Streams) -> None:
    """Exact atoms, sub-atoms and others."""
    rows, shares = [], []
    for (size, noise), points in streams.items():
        found = points[-1]["kinds"]
        total = max(1, sum(found.values()))
        shares.append((found["exact"] + found["sub_atoms"]) / total)
        rows.append([f"{size}×{size}", noise, *found.values(), f"{100 * shares[-1]:.0f}"])
    page.claim(
        Claim(
            "atoms are parts of exact ones (sub-atoms)", "section 3.3",
            "the atoms obtained correspond to sub-atoms of the exact solution",
            f"{100 * min(shares):.0f} to {100 * max(shares):.0f} % are exact or parts of exact "
            "ones, depending on size and noise",
            "in part: the others join constants that no exact atom joins; they are true of the "
            "images seen" if min(shares) < 0.9 else "reproduced",
        )
    )  # fmt: skip
    page.table(
        "kinds",
        ["size", "noise", "exact", "part of an exact atom", "larger than one", "neither",
         "exact or part, %"],
        rows,
    )  # fmt: skip


def _some(points: Points, n: int = 12) -> Points:
    chosen = np.unique(np.linspace(0, len(points) - 1, n).astype(int))
    return [points[k] for k in chosen]


def compression(page: Report, streams: Streams) -> None:
    """Figures 4 and 13."""
    page.section("Error against compression: Figures 4 and 13")
    shown = {key: streams[key] for key in ((7, 0.05), (10, 0.025)) if key in streams}
    page.figure(
        "figure-4", draw_compression(shown),
        "Figure 4: error against κ, and both predictions: ε κ = d² ln 3 (dotted), and less "
        "2 ln d! for the symmetries (dashed)",
    )  # fmt: skip
    page.figure(
        "figure-13", draw_product(shown), "Figure 13: ε κ by images seen, and the predicted lines"
    )
    for told in paper.PARITY:
        points = streams.get((told.size, told.noise))
        if points is None or told.off_line is None:
            continue
        ours, wanted = settled(points), line(told.size, True)
        page.claim(
            Claim(
                f"ε κ at low error, {told.size} × {told.size}", "section 3.5, Figure 13",
                f"within {percent(told.off_line, 0)} of {wanted:.1f}",
                f"{ours:.1f}, {percent(abs(ours / wanted - 1), 0)} "
                f"{'above' if ours > wanted else 'below'}",
                "near the line, but the value follows from the growth of the batches"
                if abs(ours / wanted - 1) <= 0.15
                else "not on the line; the value follows from the growth of the batches",
                headline=True,
            )
        )  # fmt: skip


def growth_section(page: Report, usual: Points, others: dict[str, Points]) -> None:
    """What the constant really depends on."""
    page.section("What the product depends on")
    named = {
        "growth 1 % an epoch": others["growth-1.01"],
        "growth 2 % an epoch": usual,
        "growth 4 % an epoch": others["growth-1.04"],
        "growth 8 % an epoch": others["growth-1.08"],
        "2 %, greedy cover": others["cover-greedy"],
        "2 %, Algorithm 5": others["cover-reduced"],
        "2 %, then constant": others["capped"],
    }
    ends = {name: (settled(points), _end(points)) for name, points in named.items()}
    page.table(
        "growth",
        ["batches", "last batch", "R seen", "Z atoms", "error", "ε R / Z", "ε batch / Z"],
        [[name, p["batch"], p["seen"], p["atoms"], percent(p["single"]["error"]),
          f"{ends[name][0]:.1f}", f"{ends[name][1]:.2f}"]
         for name, points in named.items() for p in points[-1:]],
    )  # fmt: skip
    page.figure(
        "growth", draw_growth(named),
        "7 × 7: left, ε R / Z, with both predictions; right, the same with the size of the batch "
        "in the place of R",
    )  # fmt: skip
    products, by_batch = zip(*ends.values(), strict=True)
    page.claim(
        Claim(
            "ε κ is a constant of the problem", "section 3.5",
            f"{line(7, True):.1f} for 7 × 7 as the error becomes small",
            f"{min(products):.1f} to {max(products):.1f} on 7 × 7, depending on how batches grow",
            "not reproduced as a law: error and 1 / κ are proportional while batches grow at a "
            "fixed rate, but the factor is set by that rate"
            if max(products) > 2 * min(products) else "reproduced: hardly any difference",
            headline=True,
        )
    )  # fmt: skip
    page.say(
        "With batches that grow by a part g each epoch, R is about 1 / g batches; so R and the "
        "batch are proportional, and so are error and 1 / κ, whatever the problem. The last column "
        "has the batch in the place of R: it lies between "
        f"{min(by_batch):.2f} and {max(by_batch):.2f}, while ε R / Z lies between "
        f"{min(products):.1f} and {max(products):.1f}. The error of one model follows the size of "
        "its own batch for each atom. With batches of constant size ε R / Z goes on rising past "
        "both lines. The predictions are derived for a model that obeys all R images and is drawn "
        "at random among those that do; a model of the last batch is not that. What was tried: all "
        "rows above. What would change our mind: the paper's batch sizes at 37 million images, "
        "which it does not tell, or a run in which R counts only images that the last model is "
        "known to obey."
    )


def _end(points: Points, n: int = 5) -> float:
    return float(np.mean([batch_product(point) for point in points[-n:]]))


def as_told(page: Report, points: Points) -> None:
    """The paper's rule for the size of batches."""
    page.section("The paper's rule for the size of batches")
    first, last = points[0], points[-1]
    page.claim(
        Claim(
            "2 % more images after a worse epoch, 2 % fewer after a better one", "section 3.5",
            "leads to low errors with millions of images",
            f"7 × 7: after {last['epoch']} epochs the batch is {last['batch']} (first: "
            f"{first['batch']}), the error {percent(last['single']['error'], 1)}",
            "not reproduced: the size of the batch walks at random, and the error with it"
            if last["batch"] < 10 * first["batch"] else "batches grow, as in the paper",
        )
    )  # fmt: skip
