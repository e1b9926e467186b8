"""Time, memory and error against cores, rows, columns, classes and partitions.

    ATOMLEARN_DATA=folder python -m benchmarks.scale [cores rows columns classes partitions]

Every fit is a process of its own, so that its peak memory can be told.
"""

import json
import os
import subprocess
import sys

from rich.console import Console
from rich.table import Table

SECTIONS: dict[str, dict[str, dict]] = {
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
COMMON = {
    "cores": {"data": "mnist", "epochs": 150},
    "rows": {"data": "parity", "how": "batches", "epochs": 90},
    "columns": {"data": "bars", "rows": 10_000, "epochs": 30},
    "classes": {"data": "mnist", "rows": 10_000, "epochs": 60},
    "partitions": {"data": "mnist", "how": "dask", "workers": 2, "epochs": 110},
}
ABOUT = {
    "cores": "MNIST, ten classes, 150 epochs",
    "rows": "even or odd bars 10×10, ten batches from disk, two cores, 90 epochs",
    "columns": "vertical bars, 10,000 images, 30 epochs",
    "classes": "MNIST, 10,000 images of the first digits, 60 epochs",
    "partitions": "MNIST on two Dask workers, 110 epochs",
}


def main() -> None:
    for section in sys.argv[1:] or SECTIONS:
        results = {name: run(COMMON[section] | spec) for name, spec in SECTIONS[section].items()}
        show(section, results)


def run(spec: dict) -> dict:
    command = [sys.executable, "-m", "benchmarks.scale.runs", json.dumps(spec)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    print(f"{json.dumps(spec)} {done.stdout.strip()}", file=sys.stderr, flush=True)
    return json.loads(done.stdout.splitlines()[-1])


def show(section: str, results: dict[str, dict]) -> None:
    names = list(dict.fromkeys(key for result in results.values() for key in result))
    table = Table(section, *names, title=ABOUT[section])
    for name, result in results.items():
        table.add_row(name, *(f"{result[key]:,.4g}" if key in result else "" for key in names))
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
