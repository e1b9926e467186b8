"""Run benchmarks, and write docs/benchmarks.md and the README's table from what they measured.

    [ATOMLEARN_DATA=folder] python -m benchmarks [tables large/adult classifier/few ...] [--again]

Without names all are run. What was measured with this version is kept: a run that was interrupted
goes on where it was. Figures of peers are kept while their package and the processor are the same.
"""

import argparse
import json
import sys
from pathlib import Path

from benchmarks import page
from benchmarks.record import (
    BENCHMARKS,
    FAILED,
    RESULTS,
    begins,
    in_own_process,
    run,
    steps_of,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"{', '.join(BENCHMARKS)}, or a part: large/adult")
    parser.add_argument(
        "--again",
        action="store_true",
        help="also what this version has measured",
    )
    parser.add_argument("--page", action="store_true", help="run nothing, write the page")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the figures")
    parser.add_argument("--step", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        name, step = options.step
        print("\n" + json.dumps(steps_of(name)[step]()))
        return
    wanted = [] if options.page else options.names or list(BENCHMARKS)
    if unknown := {one.partition("/")[0] for one in wanted} - set(BENCHMARKS):
        parser.error(f"no benchmark {min(unknown)!r}: there are {', '.join(BENCHMARKS)}")
    failed = 0
    for one in wanted:
        name, _, part = one.partition("/")
        steps = steps_of(name)
        if not any(begins(step, part) for step in steps):
            print(f"{one}: nothing to run. Does ATOMLEARN_DATA name the folder of the data?")
        for step, end in run(name, steps, options.out, in_own_process, part, options.again):
            print(f"{name}/{step}: {end}", flush=True)
            failed += end.startswith(FAILED)
    page.write(options.out)
    sys.exit(f"steps that failed: {failed}" if failed else 0)


if __name__ == "__main__":
    main()
