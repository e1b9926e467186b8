"""Figures of ``docs/results`` for the text of pages, so that no page has a stale one."""

from benchmarks.markdown import percent, seconds
from benchmarks.record import Records
from benchmarks.sections import summary

METHODS = {"ours": "atomlearn", "forest": "forest", "boosting": "LightGBM", "logistic": "logistic"}


def substitutions() -> dict[str, str]:
    """Values by the names that pages use, as ``tables_error_ours``."""
    tables = Records.read("tables").nested()
    means = summary(tables)
    found = {"tables_count": str(len(tables))}
    for name, method in METHODS.items():
        row = means[method]
        found[f"tables_error_{name}"] = percent(row["error"])
        found[f"tables_loss_{name}"] = f"{row['log_loss']:.3f}"
        found[f"tables_seconds_{name}"] = seconds(row["fit_seconds"])
        found[f"tables_behind_{name}"] = str(row["behind"])
    for table, rows in Records.read("large").nested().items():
        for name, method in METHODS.items():
            if method in rows:
                found[f"{table}_error_{name}"] = percent(rows[method]["error"])
                found[f"{table}_seconds_{name}"] = seconds(rows[method]["fit_seconds"])
    return found
