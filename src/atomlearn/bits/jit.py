"""The one way a kernel is compiled: cached on disk, without the interpreter's lock, never generic.

``NUMBA_DISABLE_JIT=1`` leaves every kernel the plain Python function that it is written as, which
is how the suite covers them and checks that both forms agree.
"""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])

log = logging.getLogger("atomlearn")


def kernel(function: F) -> F:
    """Compile ``function`` on its first call on a machine, and load it from disk ever after."""
    compiled: F = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return compiled


class _FirstCompilation(event.Listener):  # type: ignore[misc]
    """Says once, and only if it happens, why the first call takes seconds."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: Any) -> None:
        if not self.said and event.data["dispatcher"].py_func.__module__.startswith("atomlearn"):
            self.said = True
            log.warning("compiling kernels for this machine: once, a few seconds, then cached")

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _FirstCompilation())
