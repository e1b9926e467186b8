"""HTML pages that are one file each, and the frame that all pages have.

A page needs no other file. Its Content-Security-Policy allows the scripts that it was made with, by
their hashes, and forbids all requests.
"""

import base64
import hashlib
import io
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from atomlearn.algebra.terms import visible
from atomlearn.files.container import replacing
from atomlearn.markup import escape, prose, style, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Page:
    """A self-contained HTML page that is written from top to bottom.

    Parameters
    ----------
    title : str
        The title.
    quiet : bool, default=False
        Whether text is only added to the page, and not printed, too.

    Examples
    --------
    >>> page = Page("Bars", quiet=True)
    >>> page.section("A rule")
    >>> page.table(["atoms", "error"], [[4, "0 %"]])
    >>> '<td class="num">0 %</td>' in page.html()
    True
    """

    def __init__(self, title: str, quiet: bool = False) -> None:
        self.title = title
        self.console = Console(quiet=quiet)
        self.parts: list[str] = []

    def section(self, text: str) -> None:
        """Start a section.

        Parameters
        ----------
        text : str
            The heading.
        """
        self.console.rule(Text(visible(text), style="bold"))
        self.parts.append(f"<h2>{escape(text)}</h2>")

    def say(self, text: str) -> None:
        """Add a paragraph.

        Parameters
        ----------
        text : str
            The text.
        """
        self.console.print(visible(text), highlight=False, markup=False)
        self.parts.append(f"<p>{prose(text)}</p>")

    def code(self, text: str) -> None:
        """Add preformatted text.

        Parameters
        ----------
        text : str
            The text.
        """
        self.console.print(visible(text), style="cyan", highlight=False, markup=False)
        self.parts.append(f"<pre>{escape(text)}</pre>")

    def add(self, html: str) -> None:
        """Add HTML, on the page only.

        Parameters
        ----------
        html : str
            The HTML.
        """
        self.parts.append(html)

    def link(self, address: str, text: str) -> None:
        """Add a link.

        Parameters
        ----------
        address : str
            The address.
        text : str
            The text of the link.
        """
        self.parts.append(f'<p><a href="{escape(address)}">{escape(text)}</a></p>')

    def table(self, head: Sequence[str], body: Iterable[Sequence[Any]]) -> None:
        """Add a table.

        Parameters
        ----------
        head : sequence of str
            The headings of the columns.
        body : iterable of sequences
            The rows.
        """
        rows = [[visible(str(value)) for value in values] for values in body]
        shown = Table(*head)
        for cells in rows:
            shown.add_row(*map(Text, cells))
        self.console.print(shown)
        self.parts.append(table(head, rows, _numbers(rows)))

    def picture(self, figure: "Figure", about: str) -> None:
        """Add a figure with its caption, on the page only.

        Parameters
        ----------
        figure : matplotlib Figure
            The figure.
        about : str
            The caption.
        """
        self.parts.append(figure_html(figure, about))

    def html(self) -> str:
        """Return the HTML so far, which is self-contained."""
        body = [f"<main><h1>{escape(self.title)}</h1>", *self.parts, "</main>"]
        return document(self.title, "\n".join(body))

    def write(self, path: Path) -> None:
        """Write the page to a file, atomically.

        Parameters
        ----------
        path : Path
            The file to write.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(self.html().encode())


def _numbers(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns that have only numbers."""
    return [
        j for j in range(len(rows[0]) if rows else 0)
        if all(_NUMBER.fullmatch(row[j]) for row in rows)
    ]  # fmt: skip


_NUMBER = re.compile(r"[-+−]?[\d,.]+ ?%?|not known|–")


def figure_html(figure: "Figure", about: str) -> str:
    """Return a figure with its caption as HTML."""
    source = f"data:image/png;base64,{base64.b64encode(png(figure)).decode()}"
    return (
        f'<figure><img alt="{escape(about)}" src="{source}">'
        f"<figcaption>{escape(about)}</figcaption></figure>"
    )


def png(figure: "Figure") -> bytes:
    """Return a figure as PNG bytes, with few colours to keep it small."""
    from PIL import Image  # comes with Matplotlib

    drawn, data = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=110, bbox_inches="tight")
    image = Image.open(drawn).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    image.save(data, format="png", optimize=True)
    return data.getvalue()


def document(
    title: str,
    body: str,
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    data: Any = None,
    connect: str = "'none'",
) -> str:
    """Return a page; ``scripts`` are modules, which find ``data`` as JSON in ``#data``.

    ``body`` is HTML. ``connect`` says where scripts may connect to, in the words of a
    Content-Security-Policy.

    >>> page = document("Bars", "<h1>Bars</h1>", data={"column": "</script>"})
    >>> "</script>" in page.split('id="data">')[1].split("</script>")[0]
    False
    """
    sheet = "\n".join([style(), *styles])
    head = [
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(sheet, scripts, connect)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{escape(title)}</title>",
        f"<style>{sheet}</style>",
    ]
    end = (
        []
        if data is None
        else [f'<script type="application/json" id="data">{as_json(data)}</script>']
    )
    end += [f'<script type="module">{script}</script>' for script in scripts]
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>', *head,
            '</head>\n<body class="atomlearn">', body, *end, "</body>\n</html>\n",
        ]
    )  # fmt: skip


def as_json(data: Any) -> str:
    """Return data as JSON that can neither end the script element around it nor begin a comment.

    >>> print(as_json({"</script>": "<!--"}))
    {"\\u003c/script>":"\\u003c!--"}
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # JSON has these characters in strings only, where an escape means the same.
    return _ESCAPED.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


_ESCAPED = re.compile("[<\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that are escaped in the JSON of a page, because a browser, an editor or a terminal
would act on them."""


def _policy(sheet: str, scripts: Sequence[str], connect: str) -> str:
    allowed = " ".join(_hash(script) for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(sheet)}; img-src data: blob:; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
