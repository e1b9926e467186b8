"""Error against size: the section on compact models, and the picture of the frontier."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.markdown import percent, seconds, table
from benchmarks.record import Records

SIZES = (5, 10, 20, 40)
SIZED = {"atomlearn": "atomlearn", "tree": "decision tree", "FIGS": "FIGS"}
BINARY = {"RuleFit": "RuleFit", "RIPPER": "RIPPER"}
REFERENCES = {
    "full": "atomlearn, full model",
    "forest": "random forest",
    "LightGBM": "LightGBM",
    "logistic": "logistic regression",
    "EBM": "EBM",
}

Tables = Sequence[dict[str, dict[str, Any]]]


def both_sides(records: Records) -> dict[str, dict[str, Any]]:
    """Figures of all methods by table, of the tables that both sides were measured on."""
    sides = records.nested()
    return {
        name: {**one["atomlearn"], **one["peers"]}
        for name, one in sides.items()
        if {"atomlearn", "peers"} <= one.keys()
    }


def of_compact(records: Records) -> str:
    """Means over all tables and over those with two classes, then the errors of each table."""
    results = both_sides(records)
    every = list(results.values())
    binary = [one for one in every if "RIPPER 20" in one]
    with_ebm = [one for one in every if "EBM" in one]
    ours = "atomlearn 20"
    columns = ("table", "full", *(f"{size} rules" for size in SIZES), "LightGBM", "literals", "s")
    rows = []
    for name, one in results.items():
        sizes = [f"{100 * one[f'atomlearn {size}']['error']:.2f}" for size in SIZES]
        ends = f"{one[ours]['literals']:.1f}", f"{one[ours]['seconds']:.2f}"
        full, light = (f"{100 * one[m]['error']:.2f}" for m in ("full", "LightGBM"))
        rows.append((name, full, *sizes, light, *ends))
    estimates = (
        f"{size} rules {percent(_mean(every, f'atomlearn {size}', 'estimated_error'))} against "
        f"{percent(_mean(every, f'atomlearn {size}', 'error'))}"
        for size in SIZES
    )
    return "\n\n".join(
        (
            "![Error and log-loss against the number of rules](images/frontier.png)",
            f"{len(every)} tables with at most seven classes:",
            _means(every, (*SIZED,)),
            f"Those {len(binary)} with two classes:",
            _means(binary, (*SIZED, *BINARY)),
            f"On the {len(with_ebm)} of these with at most 60 columns, an EBM has "
            f"{percent(_mean(with_ebm, 'EBM', 'error'))} and the full model "
            f"{percent(_mean(with_ebm, 'full', 'error'))}, a card of 20 rules "
            f"{percent(_mean(with_ebm, ours, 'error'))}.",
            "Mean error that cards are estimated to have, from held-out training rows, against "
            f"that on test rows: {'; '.join(estimates)}.",
            "Error in percent of each table; literals of a rule and seconds of making and measuring"
            " the card are of 20 rules.",
            table(columns, rows),
        )
    )


def _means(tables: Tables, methods: Sequence[str]) -> str:
    columns = ("", "rules", "error", "log-loss", "literals a rule", "time")
    rows = []
    for name, title in {**REFERENCES, **SIZED, **BINARY}.items():
        for key in (name,) if name in REFERENCES else (f"{name} {size}" for size in SIZES):
            if (name not in REFERENCES and name not in methods) or any(
                key not in t for t in tables
            ):
                continue
            size = key.removeprefix(name).strip()
            literals = _mean(tables, key, "literals") if "literals" in tables[0][key] else None
            error, loss, time = (_mean(tables, key, m) for m in ("error", "log_loss", "seconds"))
            length = "" if literals is None else f"{literals:.2f}"
            rows.append((title, size, percent(error), f"{loss:.3f}", length, seconds(time)))
    return table(columns, rows)


def _mean(tables: Tables, method: str, key: str) -> float:
    return float(np.mean([one[method][key] for one in tables]))


def draw_frontier(records: Records, path: Path) -> None:
    """Draw mean error and log-loss against the number of rules, with references as lines."""
    from atomlearn.views.pictures import new_figure

    every = list(both_sides(records).values())
    figure, axes = new_figure(1, 2, (9.0, 3.8))
    lines = {
        "full": ("#1f4e79", ":"),
        "forest": ("#6a994e", "-."),
        "LightGBM": ("#bc6c25", ":"),
        "logistic": ("#999999", ":"),
    }
    for axis, key, factor in zip(axes[0], ("error", "log_loss"), (100.0, 1.0), strict=True):
        for name, style in zip(SIZED, ("o-", "s--", "^--"), strict=True):
            means = [factor * _mean(every, f"{name} {size}", key) for size in SIZES]
            colour = {"atomlearn": "#1f4e79", "tree": "#c44e52", "FIGS": "#dd9b3c"}[name]
            axis.plot(SIZES, means, style, label=SIZED[name], color=colour)
        for name, (colour, style) in lines.items():
            mean = factor * _mean(every, name, key)
            axis.axhline(mean, color=colour, linewidth=1.2, linestyle=style, label=REFERENCES[name])
        axis.set_xscale("log")
        axis.set_xticks(SIZES, [str(size) for size in SIZES])
        axis.minorticks_off()
        axis.set_xlabel("rules (leaves of a tree)")
    axes[0][0].set_ylabel(f"mean error of {len(every)} tables, %")
    axes[0][1].set_ylabel("mean log-loss")
    axes[0][1].set_ylim(0.25, 1.3)
    axes[0][1].legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=110, metadata={"Software": None})
