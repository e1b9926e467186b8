"""A process that loads what another has saved, and tells what it finds.

It gets a line for each case, the path of a saved file and that of pickled rows and rules, and
answers with a line of JSON.
"""

import json
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, TextIO

from atomlearn import load
from tests.fuzz.obeying import violations
from tests.fuzz.telling import tell


class Reader:
    """The other process, as the one that saves sees it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def read(self, saved: Path, questions: Path) -> dict[str, Any]:
        """What the other process says of a file."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.reader"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(f"{saved}\t{questions}\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            return {"failed": f"the process that loads ended with {process.wait()}"}
        return dict(json.loads(line))

    def close(self) -> None:
        """End the other process."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


def answer(saved: str, questions: str) -> dict[str, Any]:
    """Load a file, and say all that it says."""
    rows, told, first = pickle.loads(Path(questions).read_bytes())
    try:
        loaded = load(saved)
        broken = violations(loaded, told, rows, first, len(rows)) if told else None
        return {"digests": tell(loaded, rows), "broken": broken}
    except Exception as error:
        return {"failed": f"after loading: {type(error).__name__}: {error}"}


def serve(questions: TextIO, answers: TextIO) -> None:
    """Answer until there is nothing more to read."""
    warnings.simplefilter("ignore")
    for line in questions:
        print(json.dumps(answer(*line.rstrip("\n").split("\t"))), file=answers, flush=True)


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
