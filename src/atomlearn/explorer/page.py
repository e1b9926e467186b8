"""The page of a model: data, modules and style in one file."""

from pathlib import Path
from typing import Any

import atomlearn
from atomlearn.explorer.bundle import script, sheet
from atomlearn.files.writing import replacing
from atomlearn.markup import escape
from atomlearn.views.shell import document

BODY = """<header class="top"><h1>{title}</h1></header>
<main id="explorer"><p class="muted" id="loading">Loading the model …</p>
<noscript><p>This page computes predictions in the browser: please allow JavaScript.</p></noscript>
</main>
<footer class="muted small">Made with atomlearn {version}. {sends}</footer>"""
STILL = "This page is one file and sends nothing anywhere."
SERVED = "This page talks to the program that serves it, on this machine, and to nobody else."


def explorer_page(title: str, data: dict[str, Any], connect: str = "'none'") -> str:
    """The HTML of a page; ``data["kind"]`` says which modules show it."""
    sends = STILL if connect == "'none'" else SERVED
    body = BODY.format(title=escape(title), version=atomlearn.__version__, sends=sends)
    told = {**data, "title": title}
    return document(
        title, body, styles=[sheet()], scripts=[script("main")], data=told, connect=connect
    )


def write_page(html: str, path: Path) -> None:
    """Write a page to a file, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(html.encode())
