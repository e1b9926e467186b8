"""Pictures of examples: figures of atomlearn are not those of pyplot, and so are looked for.

The examples of the gallery begin with what atomlearn is for.
"""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst
from sphinx_gallery.sorting import FileNameSortKey

FIRST = ["card", "frontier", "monotone", "interval", "contradiction", "lattice", "calibration"]
"""The examples that come first; the others follow by name."""


class BestFirst(FileNameSortKey):  # type: ignore[misc]  # sphinx-gallery has no types
    """The order of the examples."""

    def __call__(self, filename: Any) -> str:
        """Return what to sort a file by."""
        name = Path(filename).stem.removeprefix("plot_")
        return f"{FIRST.index(name):02}" if name in FIRST else f"{len(FIRST):02} {name}"


def figure_scraper(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figures that an example assigned to variables, each once."""
    paths = []
    for value in list(block_vars["example_globals"].values()):
        if not isinstance(value, Figure) or hasattr(value, "saved"):
            continue
        value.saved = True
        if value.canvas.manager is None:  # those of pyplot have one until they are closed
            path = next(block_vars["image_path_iterator"])
            value.savefig(path, dpi=100)
            paths.append(path)
    return figure_rst(paths, gallery_conf["src_dir"])
