"""A self-contained HTML page, and the same text on the terminal."""

import base64
import html
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from atomlearn.algebra.syntax import visible
from atomlearn.files.replacing import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = (
    "body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "img{max-width:100%}pre{background:#f4f4f2;padding:1rem;overflow:auto}h2{margin-top:2.5rem}"
    "table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}"
    "td,th{padding:.25rem .8rem;text-align:left;border-bottom:1px solid #ddd;vertical-align:top}"
    "figcaption{color:#555;font-size:90%}"
)


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
        self.parts.append(f"<h2>{_escape(text)}</h2>")

    def say(self, text: str) -> None:
        """Add a paragraph."""
        self.console.print(visible(text), highlight=False, markup=False)
        self.parts.append(f"<p>{_escape(text)}</p>")

    def code(self, text: str) -> None:
        """Add preformatted text."""
        self.console.print(visible(text), style="cyan", highlight=False, markup=False)
        self.parts.append(f"<pre>{_escape(text)}</pre>")

    def link(self, address: str, text: str) -> None:
        """Add a link."""
        self.parts.append(f'<p><a href="{_escape(address)}">{_escape(text)}</a></p>')

    def table(self, head: Sequence[str], body: Iterable[Sequence[Any]]) -> None:
        """Add a table."""
        shown = Table(*head)
        lines = []
        for values in body:
            cells = [visible(str(value)) for value in values]
            shown.add_row(*map(Text, cells))
            lines.append("".join(f"<td>{_escape(cell)}</td>" for cell in cells))
        self.console.print(shown)
        names = "".join(f"<th>{_escape(name)}</th>" for name in head)
        rows = "".join(f"<tr>{line}</tr>" for line in lines)
        self.parts.append(f"<table><tr>{names}</tr>{rows}</table>")

    def picture(self, figure: "Figure", about: str) -> None:
        """Add a figure with its caption, on the page only."""
        source = f"data:image/png;base64,{base64.b64encode(png(figure)).decode()}"
        self.parts.append(
            f'<figure><img alt="{_escape(about)}" src="{source}">'
            f"<figcaption>{_escape(about)}</figcaption></figure>"
        )

    def html(self) -> str:
        """The HTML so far; it is self-contained."""
        title = _escape(self.title)
        head = f"<meta charset='utf-8'><title>{title}</title><style>{STYLE}</style>"
        return f"<!doctype html>{head}<h1>{title}</h1>" + "\n".join(self.parts)

    def write(self, path: Path) -> None:
        """Write the page to a file, atomically."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(self.html().encode())


def _escape(text: str) -> str:
    return html.escape(visible(text))


def png(figure: "Figure") -> bytes:
    """A figure as PNG bytes, with few colours to keep it small."""
    from PIL import Image  # comes with Matplotlib

    drawn, data = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=110, bbox_inches="tight")
    image = Image.open(drawn).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    image.save(data, format="png", optimize=True)
    return data.getvalue()
