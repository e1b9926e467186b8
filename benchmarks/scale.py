"""Time, memory and error against cores, rows, columns, classes and partitions.

Seconds are elapsed ones here, since more than one core is used.
"""

from functools import partial
from typing import Any

from benchmarks.record import Step
from benchmarks.scale_runs import fit

SECTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "cores": {
        "one": {"jobs": 1},
        "two, threads": {"jobs": 2},
        "two, processes (loky)": {"jobs": 2, "backend": "loky"},
        "two Dask workers": {"jobs": -1, "backend": "dask", "workers": 2},
    },
    "rows": {f"{n:,}": {"rows": n, "jobs": 2} for n in (100_000, 1_000_000, 10_000_000)},
    "columns": {f"{side**2:,}": {"side": side} for side in (10, 20, 40, 80)},
    "classes": {str(n): {"classes": n} for n in (2, 4, 6, 8, 10)},
    "partitions": {str(n): {"parts": n} for n in (1, 2, 4, 8, 16)}
    | {f"{n}, no examples shared": {"parts": n, "share": False} for n in (4, 16)},
}
COMMON: dict[str, dict[str, Any]] = {
    "cores": {"data": "mnist", "epochs": 150},
    "rows": {"data": "parity", "how": "batches", "epochs": 90},
    "columns": {"data": "bars", "rows": 10_000, "epochs": 30},
    "classes": {"data": "mnist", "rows": 10_000, "epochs": 60},
    "partitions": {"data": "mnist", "how": "dask", "workers": 2, "epochs": 110},
}


def steps() -> dict[str, Step]:
    return {
        f"{section}/{case}": partial(fit, COMMON[section] | spec)
        for section, cases in SECTIONS.items()
        for case, spec in cases.items()
    }
