"""The page of the parity experiment: Figures 4, 8 (right) and 13, and what they rest on."""

from typing import Any

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
from atomlearn_paper.report import Claim, ExperimentReport, Table, percent

Streams = dict[tuple[int, float], Points]
"""By size and noise, what was found along the way."""


def report(page: ExperimentReport, results: Results) -> None:
    """Fill the page."""
    streams = {
        (int(size), float(noise)): found
        for name, found in results.items()
        if name.startswith("stream-")
        for _, size, noise in [name.split("-")]
    }
    shown = {key: streams[key] for key in ((7, 0.05), (10, 0.025))}
    growths = {
        "growth 1 % an epoch": results["growth-1.01"],
        "growth 2 % an epoch": streams[7, 0.05],
        "growth 4 % an epoch": results["growth-1.04"],
        "growth 8 % an epoch": results["growth-1.08"],
        "2 %, greedy cover": results["cover-greedy"],
        "2 %, Algorithm 5": results["cover-reduced"],
        "2 %, then constant": results["capped"],
    }
    products = [_product_claim(told, streams) for told in paper.PARITY if told.off_line is not None]
    page.fill(
        parts(streams) | law(growths) | rules(results) | by_the_letter(results, streams),
        {
            "kinds": kinds_table(streams),
            "seeds": seeds_table(results, streams),
            "parity": points_table(streams),
            "growth": growth_table(growths),
        },
        {
            "figure-8-right": draw_votes(streams[10, 0.025]),
            "figure-4": draw_compression(shown),
            "figure-13": draw_product(shown),
            "growth": draw_growth(growths),
        },
        {
            "errors": [_error_claim(told, streams[told.size, told.noise]) for told in paper.PARITY],
            "products": products,
        },
    )


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
        above = f"{100 * (single - 0.01):.2f} points above 1 %"
        return f"ten votes reach it; one model is {above} with this number of images{more}"
    return f"not reached with this number of images: ten votes are at {percent(votes)}{more}"


def _product_claim(told: paper.Parity, streams: Streams) -> Claim:
    ours, wanted = settled(streams[told.size, told.noise]), line(told.size, True)
    off = abs(ours / wanted - 1)
    where = "near the line, but" if off <= 0.15 else "not on the line;"
    return Claim(
        f"ε κ at low error, {told.size} × {told.size}", "section 3.5, Figure 13",
        f"within {percent(told.off_line or 0, 0)} of {wanted:.1f}",
        f"{ours:.1f}, {percent(off, 0)} {'above' if ours > wanted else 'below'}",
        f"{where} the value follows from the growth of the batches", headline=True,
    )  # fmt: skip


def _part(kinds: dict[str, int]) -> float:
    """The percentage of atoms that are exact, or parts of exact ones."""
    return 100 * (kinds["exact"] + kinds["sub_atoms"]) / max(1, sum(kinds.values()))


def parts(streams: Streams) -> dict[str, Any]:
    """How many atoms are parts of exact ones."""
    shares = [_part(points[-1]["kinds"]) for points in streams.values()]
    in_part = "in part: the others join constants that no exact atom joins; they are true of the "
    verdict = f"{in_part}images seen" if min(shares) < 90 else "reproduced"
    return {"least": min(shares), "most": max(shares), "parts_verdict": verdict}


def kinds_table(streams: Streams) -> Table:
    """Exact atoms, sub-atoms and others at the end of each stream."""
    found = {key: points[-1]["kinds"] for key, points in streams.items()}
    head = ["size", "noise", "exact", "part of an exact atom", "larger than one", "neither",
            "exact or part, %"]  # fmt: skip
    return head, [
        [f"{size}×{size}", noise, *kinds.values(), f"{_part(kinds):.0f}"]
        for (size, noise), kinds in found.items()
    ]


def points_table(streams: Streams, n: int = 12) -> Table:
    """Some points of each stream."""
    head = ["size", "noise", "epoch", "batch", "R seen", "Z atoms", "κ", "error %", "ten votes %",
            "votes FPR %", "votes FNR %", "ε κ"]  # fmt: skip
    rows = [
        [f"{size}×{size}", noise, p["epoch"], p["batch"], p["seen"], p["atoms"],
         f"{p['seen'] / max(1, p['atoms']):.1f}", f"{100 * p['single']['error']:.3f}",
         *(f"{100 * p['votes'][key]:.3f}" for key in ("error", "fpr", "fnr")),
         f"{product(p):.1f}"]
        for (size, noise), points in streams.items()
        for p in (points[k] for k in np.unique(np.linspace(0, len(points) - 1, n).astype(int)))
    ]  # fmt: skip
    return head, rows


def growth_table(growths: dict[str, Points]) -> Table:
    """What each way of growing ends with."""
    head = ["batches", "last batch", "R seen", "Z atoms", "error", "ε R / Z", "ε batch / Z"]
    rows = [
        [name, points[-1]["batch"], points[-1]["seen"], points[-1]["atoms"],
         percent(points[-1]["single"]["error"]), f"{settled(points):.1f}",
         f"{settled(points, batch_product):.2f}"]
        for name, points in growths.items()
    ]  # fmt: skip
    return head, rows


def law(growths: dict[str, Points]) -> dict[str, Any]:
    """What the product really depends on."""
    products = [settled(points) for points in growths.values()]
    by_batch = [settled(points, batch_product) for points in growths.values()]
    verdict = "reproduced: hardly any difference"
    if max(products) > 2 * min(products):
        verdict = (
            "not reproduced as a law: error and 1 / κ are proportional while batches grow at a "
            "fixed rate, but the factor is set by that rate"
        )
    return {
        "line": line(7, True),
        "lowest": min(products),
        "highest": max(products),
        "lowest_batch": min(by_batch),
        "highest_batch": max(by_batch),
        "law_verdict": verdict,
    }


def at_batch(points: Points, batch: int) -> dict[str, Any]:
    """The last point whose batch is no larger."""
    return [point for point in points if point["batch"] <= batch][-1]


def several(results: Results, start: str) -> list[Points]:
    """The runs of a kind, one a seed."""
    return [found for name, found in results.items() if name.startswith(start)]


def seeds_table(results: Results, streams: Streams) -> Table:
    """What other seeds gave, at the same size of batch."""
    rows = []
    runs = {"this library": {key: [streams[key], *several(results, f"again-{key[0]}-{key[1]}-")]
                             for key in ((7, 0.05), (10, 0.025))},
            "to the letter": {(7, 0.05): several(results, "letter-7-")}}  # fmt: skip
    for name, by in runs.items():
        for (size, noise), many in by.items():
            batch = min(points[-1]["batch"] for points in many)
            for k, points in enumerate(many):
                p = at_batch(points, batch)
                rows.append([
                    name, f"{size}×{size}", noise, k, p["batch"], p["seen"], p["atoms"],
                    percent(p["single"]["error"]), percent(p["votes"]["error"]),
                    f"{product(p):.1f}",
                ])  # fmt: skip
    return ["protocol", "size", "noise", "seed", "batch", "R seen", "Z atoms", "error",
            "ten votes", "ε κ"], rows  # fmt: skip


def by_the_letter(results: Results, streams: Streams) -> dict[str, Any]:
    """7 × 7 by both protocols, at the same size of batch."""
    letter = several(results, "letter-7-")
    batch = min(points[-1]["batch"] for points in letter)
    ends = [at_batch(points, batch) for points in letter]
    own = at_batch(streams[7, 0.05], batch)
    errors = [100 * p["single"]["error"] for p in ends]
    votes = [100 * p["votes"]["error"] for p in ends]
    return {
        "letter": f"one model {np.mean(errors):.1f} % ({min(errors):.1f} to {max(errors):.1f}), "
        f"ten votes {np.mean(votes):.1f} % ({min(votes):.1f} to {max(votes):.1f})",
        "letter_batch": batch,
        "own": f"{percent(own['single']['error'], 1)} and {percent(own['votes']['error'], 1)}",
        "letter_product": f"{min(map(product, ends)):.1f} to {max(map(product, ends)):.1f}",
    }


def rules(results: Results) -> dict[str, Any]:
    """The paper's rule for the size of batches, by both protocols and several seeds."""
    values = rule(results["as-told-letter-0"])
    ends = {cover: [points[-1] for points in several(results, f"as-told-{cover}-")]
            for cover in ("letter", "lazy")}  # fmt: skip
    told = "; ".join(
        f"{name}: batches of {', '.join(str(p['batch']) for p in ends[cover])}, errors of "
        f"{', '.join(percent(p['single']['error'], 1) for p in ends[cover])}"
        for cover, name in (("letter", "to the letter"), ("lazy", "this library"))
    )
    return values | {"rule": told}


def rule(points: Points) -> dict[str, Any]:
    """What became of the size of the batch."""
    first, last = points[0], points[-1]
    verdict = "batches grow, as in the paper"
    if last["batch"] < 10 * first["batch"]:
        verdict = "not reproduced: the size of the batch walks at random, and the error with it"
    error = percent(last["single"]["error"], 1)
    return {"first": first, "last": last, "rule_error": error, "rule_verdict": verdict}
