"""Memory of large arrays."""

import ctypes
import functools
from collections.abc import Callable


def give_back() -> None:
    """Give memory that is not used any more back to the system, where the C library can.

    The library of Linux keeps freed arrays of up to 32 MB for itself, and a process would look as
    large as everything it has had at some time.
    """
    _trim()(0)


@functools.cache
def _trim() -> Callable[[int], object]:
    try:
        found: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another system, or another C library
        return bool
    return found
