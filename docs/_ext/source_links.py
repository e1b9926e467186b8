"""Links from names to their source on a public host, for ``sphinx.ext.linkcode``."""

import inspect
import os
import sys
from pathlib import Path

import atomlearn

ROOT = Path(atomlearn.__file__).parents[2]


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """The address of the lines that define a name; ``None`` if there are none."""
    repository = os.environ.get("ATOMLEARN_REPOSITORY", "")
    if domain != "py" or not repository or not info["module"]:
        return None
    value = sys.modules[info["module"]]
    try:
        for part in info["fullname"].split("."):
            value = getattr(value, part)
        for wrapped in ("fget", "func"):  # property, cached_property
            value = getattr(value, wrapped, None) or value
        value = inspect.unwrap(value)
        path = Path(str(inspect.getsourcefile(value))).resolve().relative_to(ROOT)
        lines, first = inspect.getsourcelines(value)
    except (AttributeError, OSError, TypeError, ValueError):
        return None
    return f"{repository}/blob/v{atomlearn.__version__}/{path}#L{first}-L{first + len(lines) - 1}"
