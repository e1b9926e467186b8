"""HTML of objects in a notebook: short pieces in the style of the pages, and their display."""

import html
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Characters that a terminal or a page would act on instead of showing, and lone surrogates."""

_JOINTS = re.compile(r"(?<=[<>≤≥=≠±×]) (?=[\d−])|(?<=\d) (?=[×±%])|(?<=\d:) (?=\d+%)")
"""Blanks at which a number would come loose from its sign or its unit."""

MOST_ROWS = 50
"""Maximum number of rows of a table in a notebook."""


class Displayed:
    """An object with a one-line ``repr`` and a display in notebooks, both from its text.

    Dataclasses need ``repr=False``, or their own ``repr`` is used.

    Examples
    --------
    >>> class Answer(Displayed):
    ...     def __str__(self):
    ...         return "yes\\nbecause"
    >>> Answer()
    <Answer: yes ...>
    """

    def __repr__(self) -> str:
        first, *rest = str(self).split("\n")
        return f"<{type(self).__name__}: {first.strip()}{' ...' if rest else ''}>"

    def _repr_html_(self) -> str:
        return in_notebook(self._html())

    def _html(self) -> str:
        """Return the display without its frame."""
        return formula(str(self))


class Listed(list[Any]):
    """A list that a notebook displays item by item."""

    def _repr_html_(self) -> str:
        items = [one._html() if isinstance(one, Displayed) else formula(str(one)) for one in self]
        more = len(items) - MOST_ROWS
        rest = f'<p class="muted">... and {more:,} more</p>' if more > 0 else ""
        return in_notebook("".join(items[:MOST_ROWS]) + rest if items else "<p>none</p>")


@cache
def style() -> str:
    """Return the style sheet of all pages and displays; every rule is below ``.atomlearn``."""
    return files("atomlearn").joinpath("views", "style.css").read_text(encoding="utf-8")


def in_notebook(body: str) -> str:
    """Return a display for a notebook, together with its style."""
    return f'<div class="atomlearn"><style>{style()}</style><div class="card">{body}</div></div>'


def visible(text: str) -> str:
    r"""Return the text with control characters as escapes of JSON; line breaks and tabs stay.

    Names come from files, and files from anywhere: text for a terminal or a page goes through this.

    >>> print(visible("a\x1b[31mb\u202ec"))
    a\u001b[31mb\u202ec
    """
    return _CONTROL.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def escape(text: str) -> str:
    """Return text for HTML, with control characters made visible."""
    return html.escape(visible(text))


def prose(text: str) -> str:
    """Return text for HTML in which a number stays on one line with its sign and its unit.

    >>> prose("points if a ≤ 3: 5 % of rows").split(" ")
    ['points', 'if', 'a', '≤\\xa03:', '5\\xa0%', 'of', 'rows']
    """
    return escape(_JOINTS.sub("\N{NO-BREAK SPACE}", text))


def formula(text: str) -> str:
    """Return lines of text that wrap."""
    return f'<div class="formula">{escape(text)}</div>'


def code(text: str, summary: str) -> str:
    """Return code that is folded until it is clicked."""
    return folded(f"<pre><code>{escape(text)}</code></pre>", summary)


def folded(body: str, summary: str, is_open: bool = False) -> str:
    """Return HTML that is folded until it is clicked, or ``is_open``."""
    tag = "<details open>" if is_open else "<details>"
    return f"{tag}<summary>{escape(summary)}</summary>{body}</details>"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], numbers: Sequence[int] = ()) -> str:
    """Return a table that scrolls in its own box; ``numbers`` are the columns aligned on the right.

    >>> '<td class="num">1</td>' in table(["a"], [[1]], numbers=[0])
    True
    """

    def line(cells: Sequence[Any], tag: str) -> str:
        scope = " scope='col'" if tag == "th" else ""
        return "".join(
            f'<{tag} class="num"{scope}>{escape(str(cell))}</{tag}>'
            if j in numbers
            else f"<{tag}{scope}>{prose(str(cell))}</{tag}>"
            for j, cell in enumerate(cells)
        )

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    about = escape(", ".join(map(str, head)))
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="table: {about}">'
        f"<table><tr>{line(head, 'th')}</tr>{body}</table></div>"
    )


def bar(share: float, most: float = 1.0) -> str:
    """Return a horizontal bar; an attribute, because pages forbid styles outside the sheet."""
    width = 100 * min(1.0, max(0.0, share / most if most > 0 else 0.0))
    return (
        '<svg class="bar" width="100%" height="14" role="img" '
        f'aria-label="{share:.1%}"><rect width="100%" height="14" rx="3" fill="var(--sunken)"/>'
        f'<rect width="{width:.1f}%" height="14" rx="3" fill="var(--bar)"/></svg>'
    )


def bars(values: Iterable[tuple[str, float]], largest: bool = False) -> str:
    """Return named shares, each with its bar; the ``largest``, or else 100 %, fills the line."""
    listed = list(values)
    most = max((value for _, value in listed), default=1.0) if largest else 1.0
    lines = "".join(
        f'<span class="name" title="{escape(name)}">{escape(name)}</span>{bar(value, most)}'
        f'<span class="value">{value:.1%}</span>'
        for name, value in listed
    )
    return f'<div class="bars">{lines}</div>'
