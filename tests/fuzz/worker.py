"""The process that does the trying, as it may crash: a line for each case, flushed at once."""

import resource
import sys
from pathlib import Path

from tests.fuzz.attacks import ATTACKS
from tests.fuzz.kinds import KINDS, sample

MEMORY = 1 << 30
"""Bytes that cases may take beyond what the process has after its first steps."""


def main() -> None:
    what, seed, first, end, path = sys.argv[1:]
    attack = ATTACKS[what]
    if what == "files":
        for kind in KINDS.values():  # everything is compiled before memory is limited
            Path(path).write_bytes(sample(kind.name))
            kind.use(kind.read(Path(path)))
    else:
        attack(seed, -1, Path(path))
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for number in range(int(first), int(end)):
        case, outcome, detail, n = attack(seed, number, Path(path))
        detail = detail.encode("unicode_escape").decode()[:2000]
        print(number, case.kind, case.attack, outcome, n, detail, sep="\t", flush=True)


if __name__ == "__main__":
    main()
