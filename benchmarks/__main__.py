"""One table: epoch by phase, throughput beside a bare loop, time to an error, cold and warm start.

    [ATOMLEARN_DATA=folder] python -m benchmarks [--quick]

Everything is measured in one run and kept in ``benchmarks/results/``; the last run stands beside.
"""

import argparse
import json
import platform
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from atomlearn import __version__
from atomlearn.errors import DataNotFound
from benchmarks import epoch, rivals, scale, start

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    for part in (start, epoch, scale, rivals):
        try:
            figures |= part.measure(options.quick)
        except DataNotFound as missing:
            print(f"{part.__name__}: left out ({missing})")
    last = previous()
    table = Table("what", "now", "last run", title=f"atomlearn {__version__}")
    for name, value in figures.items():
        table.add_row(name, f"{value:,.4g}", f"{last[name]:,.4g}" if name in last else "")
    Console().print(table)
    RESULTS.mkdir(exist_ok=True)
    record = {"version": __version__, "machine": platform.processor() or platform.machine(),
              "python": platform.python_version(), "figures": figures}  # fmt: skip
    path = RESULTS / time.strftime("%Y%m%d-%H%M%S.json")
    path.write_text(json.dumps(record, indent=1))
    print(f"kept in benchmarks/results/{path.name}")


def previous() -> dict[str, float]:
    runs = sorted(RESULTS.glob("*.json"))
    return json.loads(runs[-1].read_text())["figures"] if runs else {}


main()
