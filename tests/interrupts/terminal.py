"""One try: a scenario in a terminal of its own, interrupted at a given time, and how it ended."""

import contextlib
import os
import pty
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

from atomlearn import AlgebraicClassifier, load
from atomlearn.errors import AtomlearnError

CHILDREN = Path(__file__).with_name("children.py")
CTRL_C = b"\x03"
PATIENCE = 120.0
"""Seconds after which a process counts as hanging."""

SHOWN = ("queens", "sudoku", "hamiltonian")
NOTHING_TO_KEEP = ("predict", "Algebra.learn", "reproduce")


@dataclass(frozen=True)
class Outcome:
    """How a try ended."""

    kind: str
    """``kept``, ``nothing yet``, ``second`` (ended at once), or what is wrong: ``crash``, ``lost``,
    ``torn``, ``left behind``, ``hang``; ``too late`` if it had ended before: that is no try."""
    epochs: int
    seconds: float
    """From the first interrupt to the end of the process."""
    told: str

    @property
    def is_fine(self) -> bool:
        return self.kind in ("kept", "nothing yet", "second")


def attempt(
    name: str,
    folder: Path,
    delay: float,
    second: float | None = None,
    epochs: int = 0,
    scenario: Callable[[str, Path], None] | None = None,
) -> Outcome:
    """Run a scenario, interrupt it after so many epochs and seconds, and ``second`` later again.

    It runs in an interpreter of its own; or, to save the time that importing takes, ``scenario``
    is called in a copy of this process.
    """
    before = old_model()
    (folder / "model.atoms").write_bytes(before)
    process, terminal = pty.fork()
    if process == 0:
        if scenario is not None:
            call(scenario, name, folder)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a job in the background ignores it
        os.execv(sys.executable, [sys.executable, str(CHILDREN), name, str(folder)])
    told = b""
    try:
        told, ended = listen(terminal, told, PATIENCE, b"READY")
        while not ended and epochs_done(folder) < epochs:
            told, ended = listen(terminal, told, 0.01)
        told, ended = (told, True) if ended else listen(terminal, told, delay)
        is_late = ended
        start = time.monotonic()
        interrupt(process, terminal, name)
        if second is not None and not ended:
            told, ended = listen(terminal, told, second)
            interrupt(process, terminal, name)
        told, ended = listen(terminal, told, PATIENCE)
        seconds = time.monotonic() - start
        if not ended:
            os.kill(process, signal.SIGKILL)
    finally:
        os.close(terminal)
    _, status = os.waitpid(process, 0)
    code = os.waitstatus_to_exitcode(status)
    done, text = epochs_done(folder), told.decode(errors="replace")
    kind = judged(name, folder, code, done, text, before) if ended else "hang"
    if is_late and kind not in ("torn", "left behind"):
        kind = "too late" if code == 0 else "crash"
    return Outcome(kind, done, seconds, f"exit code {code}\n{text}")


def call(scenario: Callable[[str, Path], None], name: str, folder: Path) -> NoReturn:
    """Run the scenario as if it were a program, and end."""
    code: object = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
        scenario(name, folder)
        code = 0
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0)


def epochs_done(folder: Path) -> int:
    counter = folder / "epochs"
    return counter.stat().st_size if counter.exists() else 0


@cache
def old_model() -> bytes:
    """A file that was there before: it is replaced as a whole, or stays."""
    rows = [[0, 1], [1, 0], [1, 1], [0, 0]]
    model = AlgebraicClassifier(random_state=0, max_epochs=1).fit(rows, [0, 1, 1, 0])
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.atoms")
        return (Path(folder) / "model.atoms").read_bytes()


def interrupt(process: int, terminal: int, name: str) -> None:
    """As a user does it; or as a service manager does."""
    try:
        if "SIGTERM" in name:
            os.kill(process, signal.SIGTERM)
        elif "workers" in name:  # a terminal would also interrupt Dask's, which tell it at length
            os.kill(process, signal.SIGINT)
        else:
            os.write(terminal, CTRL_C)
    except (OSError, ProcessLookupError):
        pass  # it has ended


def listen(terminal: int, told: bytes, seconds: float, until: bytes = b"\0") -> tuple[bytes, bool]:
    """What the process says in this time, or until it says something; and has it ended?"""
    end = time.monotonic() + seconds
    while until not in told:
        ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return told, False
        try:
            more = os.read(terminal, 1 << 16)
        except OSError:  # how Linux says that the other side is closed
            more = b""
        if not more:
            return told, True
        told += more
    return told, False


def judged(name: str, folder: Path, code: int, epochs: int, told: str, before: bytes) -> str:
    """What became of a process that has ended, from what it has left."""
    expected = 143 if "SIGTERM" in name else 130
    left = [*folder.glob(".*.new"), *folder.glob("batches/*")]
    after = (folder / "model.atoms").read_bytes()
    try:
        load(folder / "model.atoms")
    except AtomlearnError:
        return "torn"
    if code == 128 - expected:  # before the command has begun, or while its interpreter shuts down
        code = expected
    # A second one may also meet the interpreter while it waits for its threads at the very end.
    told = told.split("Exception ignored in: <module 'threading'")[0]
    # Processes that joblib is about to start tell on their own that they were interrupted.
    is_traced = "Traceback" in told and "processes" not in name
    if code not in (0, expected) or is_traced or "SystemError" in told:
        return "crash"
    if left:
        return "left behind"
    # A script that has its model is on its own when a second one comes.
    if "ended at once" in told or ("KEYBOARDINTERRUPT" in told and "was interrupted" in told):
        return "second"
    if any(one in name for one in NOTHING_TO_KEEP):
        return "nothing yet" if code == expected else "crash"
    if any(one in name for one in SHOWN):
        is_kept = "interrupted after" in told and code == expected
        return kept_or_lost(is_kept and epochs > 0, epochs)
    # A script ends as it likes; a second Ctrl-C may come when it has saved and is about to end.
    says_so = "interrupted" in told and (code == expected or "atomlearn" not in name)
    return kept_or_lost(after != before and says_so, epochs)


def kept_or_lost(is_kept: bool, epochs: int) -> str:
    if is_kept:
        return "kept"
    return "lost" if epochs else "nothing yet"
