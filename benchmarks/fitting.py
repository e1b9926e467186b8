"""Error, log-loss, CPU seconds, memory and size of one fit."""

import contextlib
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from atomlearn import AlgebraicClassifier
from benchmarks.record import SEED

Split = tuple[Any, np.ndarray, Any, np.ndarray]
"""Training rows, their classes, test rows, their classes."""

WARM_UP = 300
"""Rows of a fit that only loads the kernels, before the clock starts."""


def warm_up(X: Any, y: np.ndarray) -> None:
    """Load the kernels that such a table needs, to learn and to predict."""
    order = np.random.default_rng(SEED).permutation(len(y))[:WARM_UP]
    model = AlgebraicClassifier(max_epochs=2, random_state=SEED).fit(rows(X, order), y[order])
    model.predict_proba(rows(X, order))


def rows(X: Any, order: np.ndarray) -> Any:
    return X.iloc[order] if hasattr(X, "iloc") else X[order]


def error_and_seconds(model: Any, split: Split) -> dict[str, float]:
    """What every classifier has, with probabilities or without."""
    X, y, X_test, y_test = split
    start = time.process_time()
    model.fit(X, y)
    fitted = time.process_time()
    error = float((model.predict(X_test) != y_test).mean())
    done = time.process_time()
    return {"error": error, "fit_seconds": fitted - start, "predict_seconds": done - fitted}


def all_figures(model: Any, split: Split) -> dict[str, Any]:
    """Also the log-loss and the memory that the fit needed; of ours what was learned, too."""
    X, y, X_test, y_test = split
    before = peak_memory(anew=True)
    start = time.process_time()
    model.fit(X, y)
    fitted = time.process_time()
    memory = peak_memory() - before
    predicting = time.process_time()
    chances = model.predict_proba(X_test)
    done = time.process_time()
    own = chances[np.arange(len(y_test)), np.searchsorted(model.classes_, y_test)]
    figures = {
        "error": float((model.classes_[chances.argmax(axis=1)] != y_test).mean()),
        "log_loss": float(-np.log(np.maximum(own, 1e-15)).mean()),
        "fit_seconds": fitted - start,
        "predict_seconds": done - predicting,
        "more_memory_mb": memory,
    }
    if isinstance(model, AlgebraicClassifier):
        figures |= sizes(model) | {"evidence": str(model.evidence_)}
    return figures


def sizes(model: AlgebraicClassifier) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.atoms"
        model.save(path)
        n_bytes = path.stat().st_size
    learned = model.learned_
    counted = sum(map(len, learned.pools))
    weighted = 0 if learned.weighted is None else len(learned.weighted)
    return {
        "atoms": {"strict": counted, "weighted": weighted}.get(
            model.evidence_.chosen, counted + weighted
        ),
        "bytes": n_bytes,
        "estimated_error": model.estimated_error_ or 0.0,
        "evidence": model.evidence_.chosen,
    }


def peak_memory(anew: bool = False) -> float:
    """The most that this process has had, in MB; ``anew``: from now on, where the system can."""
    status, refs = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    if anew:
        with contextlib.suppress(OSError):  # else the peak so far counts
            refs.write_text("5")
    sizes = dict(line.split(":") for line in status.read_text().splitlines())
    return int(sizes["VmHWM"].split()[0]) / 1000


def mean(runs: list[dict[str, float]]) -> dict[str, float]:
    """Figures averaged over runs."""
    return {key: float(np.mean([one[key] for one in runs])) for key in runs[0]}
