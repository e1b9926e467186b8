"""A self-contained HTML page, and the same text on the terminal."""

import base64
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from atomlearn.algebra.syntax import visible
from atomlearn.files.replacing import replacing
from atomlearn.markup import escape
from atomlearn.views.shell import document

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Page:
    """A page that is written from top to bottom; a ``quiet`` one prints nothing.

    >>> page = Page("Bars", quiet=True)
    >>> page.section("A rule")
    >>> page.table(["atoms", "error"], [[4, "0 %"]])
    >>> "<td>0 %</td>" in page.html()
    True
    """

    def __init__(self, title: str, quiet: bool = False) -> None:
        self.title = title
        self.console = Console(quiet=quiet)
        self.parts: list[str] = []

    def section(self, text: str) -> None:
        """Start a section."""
        self.console.rule(Text(visible(text), style="bold"))
        self.parts.append(f"<h2>{escape(text)}</h2>")

    def say(self, text: str) -> None:
        """Add a paragraph."""
        self.console.print(visible(text), highlight=False, markup=False)
        self.parts.append(f"<p>{escape(text)}</p>")

    def code(self, text: str) -> None:
        """Add preformatted text."""
        self.console.print(visible(text), style="cyan", highlight=False, markup=False)
        self.parts.append(f"<pre>{escape(text)}</pre>")

    def link(self, address: str, text: str) -> None:
        """Add a link."""
        self.parts.append(f'<p><a href="{escape(address)}">{escape(text)}</a></p>')

    def table(self, head: Sequence[str], body: Iterable[Sequence[Any]]) -> None:
        """Add a table."""
        shown = Table(*head)
        lines = []
        for values in body:
            cells = [visible(str(value)) for value in values]
            shown.add_row(*map(Text, cells))
            lines.append("".join(f"<td>{escape(cell)}</td>" for cell in cells))
        self.console.print(shown)
        names = "".join(f"<th>{escape(name)}</th>" for name in head)
        rows = "".join(f"<tr>{line}</tr>" for line in lines)
        self.parts.append(f'<div class="scroll"><table><tr>{names}</tr>{rows}</table></div>')

    def picture(self, figure: "Figure", about: str) -> None:
        """Add a figure with its caption, on the page only."""
        source = f"data:image/png;base64,{base64.b64encode(png(figure)).decode()}"
        self.parts.append(
            f'<figure><img alt="{escape(about)}" src="{source}">'
            f"<figcaption>{escape(about)}</figcaption></figure>"
        )

    def html(self) -> str:
        """The HTML so far; it is self-contained."""
        body = [f"<main><h1>{escape(self.title)}</h1>", *self.parts, "</main>"]
        return document(self.title, "\n".join(body))

    def write(self, path: Path) -> None:
        """Write the page to a file, atomically."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(self.html().encode())


def png(figure: "Figure") -> bytes:
    """A figure as PNG bytes, with few colours to keep it small."""
    from PIL import Image  # comes with Matplotlib

    drawn, data = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=110, bbox_inches="tight")
    image = Image.open(drawn).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    image.save(data, format="png", optimize=True)
    return data.getvalue()
