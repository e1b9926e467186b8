"""Figures of ``docs/results`` for the text of pages, so that no page has a stale one."""

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results"
METHODS = {"ours": "atomlearn", "forest": "forest", "boosting": "LightGBM", "logistic": "logistic"}


def substitutions() -> dict[str, str]:
    """Values by the names that pages use, as ``tables_error_ours``."""
    summary = _read("tables.json")["summary"]
    found = {}
    for name, method in METHODS.items():
        row = summary[method]
        found[f"tables_error_{name}"] = f"{row['mean error %']:.1f} %"
        found[f"tables_loss_{name}"] = f"{row['mean log-loss']:.3f}"
        found[f"tables_seconds_{name}"] = f"{row['median CPU seconds of a fit']:.2g} s"
        found[f"tables_behind_{name}"] = str(row["tables more than 2 points behind the best peer"])
    found["tables_count"] = str(len(_read("tables.json")["tables"]))
    for table, rows in _read("large.json").items():
        for name, method in METHODS.items():
            if method in rows:
                found[f"{table}_error_{name}"] = f"{100 * rows[method]['error']:.1f} %"
                found[f"{table}_seconds_{name}"] = f"{rows[method]['fit_seconds']:.3g} s"
    return found


def _read(name: str) -> dict[str, Any]:
    return json.loads((RESULTS / name).read_text("utf-8"))
