"""Ctrl-C without a crash: a signal is noted, and handled where it is safe to stop.

When a compiled kernel returns to the main thread with a signal pending, turning its result into
Python objects runs Python code; KeyboardInterrupt is raised there, and the process may crash. So
while kernels run in the main thread SIGINT only leaves a note. Learning checks it between epochs
and keeps what is known; whatever has nothing to keep raises KeyboardInterrupt at its end.

Nothing is installed in other threads, nor where the host has a handler of its own.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType


class Terminated(KeyboardInterrupt):
    """An interruption by SIGTERM, on the command line."""


HASTE = 1.0
"""Signals within so many seconds of the first are taken for one: whoever presses Ctrl-C twice in
haste does not want to lose the model."""
_FIRST = (
    b"\natomlearn: stopping as soon as it is safe; Ctrl-C after a second ends at once, and keeps "
    b"nothing\n"
)
_MESSAGE = b"\natomlearn: interrupted again, ended at once\n"


class Note:
    """The signals that the main thread has received since the outermost region began."""

    def __init__(self) -> None:
        self.signal = 0
        """The first signal; 0 if there was none."""
        self.time = 0.0
        """When it came."""
        self.kept = False
        """Whether there is a result all the same; else KeyboardInterrupt is raised at the end."""
        self.abandoned = False
        """Whether a second signal has come, in a session that must survive it."""

    @property
    def exit_code(self) -> int:
        """Exit code of a command that this signal ended."""
        return 128 + self.signal


_note = Note()
_depth = 0
_ends_process = 0
"""Number of regions in which a second signal ends the process."""
_is_waiting = False
_cleanups: list[Callable[[], object]] = []


class Deferred:
    """A region in which signals are only noted; regions within it share the note.

    With ``learning`` a second signal, a while after the first, ends the process at once, or in an
    interactive session raises KeyboardInterrupt as soon as that is safe.

    >>> with Deferred() as note:
    ...     signal.raise_signal(signal.SIGINT)
    ...     note.kept = True                     # there is something to give back all the same
    >>> note.exit_code
    130
    """

    def __init__(self, *, learning: bool = False) -> None:
        self.learning = learning
        self.counts = False
        self.installed = False

    def __enter__(self) -> Note:
        global _note, _depth, _ends_process
        if not in_main_thread():
            return Note()
        self.counts = True
        if _depth == 0:
            _note = Note()
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                signal.signal(signal.SIGINT, _on_signal)
                self.installed = True
        _depth += 1
        _ends_process += self.learning
        return _note

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        global _depth, _ends_process
        if not self.counts:
            return
        note = _note
        _ends_process -= self.learning
        _depth -= 1
        if self.installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if _depth == 0 and kind is None and note.signal and (note.abandoned or not note.kept):
            raise interruption()


def in_main_thread() -> bool:
    """Return whether this is the thread that signals are delivered to."""
    return threading.get_ident() == threading.main_thread().ident


def is_exposed() -> bool:
    """Return whether a signal could raise KeyboardInterrupt here, or a second one is overdue."""
    if _depth == 0:
        return in_main_thread()
    if _note.abandoned and in_main_thread():
        raise interruption()
    return False


def requested() -> bool:
    """Return whether a signal has asked to stop, for every thread that works for the main one."""
    return _depth > 0 and _note.signal != 0


def check() -> None:
    """Raise KeyboardInterrupt if a signal has asked to stop; call it where that is safe."""
    if requested():
        raise interruption()


def exit_code(error: KeyboardInterrupt) -> int:
    """Return the exit code of a command that this interruption has ended.

    >>> exit_code(KeyboardInterrupt()), exit_code(Terminated())
    (130, 143)
    """
    return 128 + (signal.SIGTERM if isinstance(error, Terminated) else signal.SIGINT)


def interruption() -> KeyboardInterrupt:
    """Return the error that ends what the noted signal has interrupted."""
    return Terminated() if _note.signal == signal.SIGTERM else KeyboardInterrupt()


@contextlib.contextmanager
def waiting() -> Iterator[None]:
    """Let a signal raise KeyboardInterrupt while the main thread only waits for other processes."""
    global _is_waiting
    check()
    _is_waiting = in_main_thread() and _depth > 0
    try:
        yield
    finally:
        _is_waiting = False


@contextlib.contextmanager
def cleaned_up(cleanup: Callable[[], object]) -> Iterator[None]:
    """Call ``cleanup`` also when a second signal ends the process in the middle."""
    _cleanups.append(cleanup)
    try:
        yield
    finally:
        _cleanups.remove(cleanup)


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C, for commands; outside of regions it raises :class:`Terminated`."""
    if not in_main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _on_signal(number: int, frame: FrameType | None) -> None:
    global _is_waiting
    if _depth == 0 and number == signal.SIGTERM:
        raise Terminated
    if _note.signal == 0:
        _note.signal, _note.time = number, time.monotonic()
        if _ends_process and not hasattr(sys, "ps1"):
            _ask_for_patience()
    elif time.monotonic() >= _note.time + HASTE:
        if hasattr(sys, "ps1"):  # a notebook or a prompt, which must live on
            _note.abandoned = True
        elif _ends_process:
            _end_at_once(number)
    if _is_waiting:
        _is_waiting = False
        raise interruption()


def _ask_for_patience() -> None:
    """Say on a terminal that the signal was seen: who sees nothing presses Ctrl-C again."""
    with contextlib.suppress(OSError):
        if os.isatty(2):
            os.write(2, _FIRST)


def _end_at_once(number: int) -> None:
    for cleanup in reversed(_cleanups):
        with contextlib.suppress(Exception):
            cleanup()
    with contextlib.suppress(OSError):
        os.write(2, _MESSAGE)
    os._exit(128 + number)
