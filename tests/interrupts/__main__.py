"""``python -m tests.interrupts --tries 200``: interrupt everything at random times, and count.

Every fifth interrupt is followed by a second one. Prints a table in Markdown; exits 1 if anything
crashed, hung, was lost, torn or left behind.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from itertools import cycle, islice
from pathlib import Path

from .children import SCENARIOS, prepare, run
from .notebook import Notebook
from .terminal import attempt

NOTEBOOK = "a cell of a Jupyter kernel"
COLUMNS = ("kept", "nothing yet", "second", "lost", "torn", "left behind", "crash", "hang")
HEADER = ("result kept", "before the first epoch, or nothing to keep", "ended by a second Ctrl-C",
          "lost", "torn file", "files left behind", "crash", "hang")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=200, help="of all scenarios together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=4.0, help="seconds before an interrupt")
    parser.add_argument("--only", help="scenarios whose name has this in it")
    asked = parser.parse_args()
    names = [name for name in (*SCENARIOS, NOTEBOOK) if not asked.only or asked.only in name]
    results: dict[str, Counter[str]] = {name: Counter() for name in names}
    slowest = dict.fromkeys(names, 0.0)
    rng = random.Random(asked.seed)
    prepare()
    notebook = None
    # The notebook last: its threads are nothing to make copies of.
    for i, name in enumerate(sorted(islice(cycle(names), asked.tries), key=NOTEBOOK.__eq__)):
        delay = pace(name) * rng.uniform(0.0, asked.longest)
        second = rng.uniform(0.0, 2.0) if rng.random() < 0.2 else None
        if name == NOTEBOOK:
            notebook = notebook or Notebook()
            kind, epochs, told = notebook.attempt(delay, second)
            if kind == "crash":
                notebook.close()
                notebook = None
        else:
            while True:
                with tempfile.TemporaryDirectory() as folder:
                    outcome = attempt(name, Path(folder), delay, second, scenario=run)
                if outcome.kind != "too late":
                    break
                print(f"{name} had ended by itself within {delay:.2f} s", file=sys.stderr)
                delay /= 2
                if delay < 0.01:
                    sys.exit(f"{name} ends by itself: there is nothing to interrupt")
            kind, epochs, told = outcome.kind, outcome.epochs, outcome.told
            if kind != "second":
                slowest[name] = max(slowest[name], outcome.seconds)
        results[name][kind] += 1
        print(f"{i + 1}: {name}, {delay:.2f} s, {epochs} epochs: {kind}", file=sys.stderr)
        if kind not in COLUMNS[:3]:
            print(told, file=sys.stderr)
    if notebook is not None:
        notebook.close()
    print_table(results, slowest)
    bad = sum(counts[kind] for counts in results.values() for kind in COLUMNS[3:])
    sys.exit(1 if bad else 0)


def pace(name: str) -> float:
    """How much longer it takes until something is learned, or until it is over."""
    if "processes" in name or "workers" in name:
        return 6.0
    return 0.5 if "reproduce" in name else 1.0


def print_table(results: dict[str, Counter[str]], slowest: dict[str, float]) -> None:
    print("| scenario | tries | " + " | ".join(HEADER) + " | slowest end |")
    print("|---|" + "---:|" * (len(HEADER) + 2))
    total: Counter[str] = sum(results.values(), Counter())
    for name, counts in [*results.items(), ("all", total)]:
        cells = [str(counts[kind]) for kind in COLUMNS]
        seconds = f"{slowest[name]:.1f} s" if slowest.get(name) else ""
        print(f"| {name} | {counts.total()} | " + " | ".join(cells) + f" | {seconds} |")


if __name__ == "__main__":
    main()
