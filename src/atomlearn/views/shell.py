"""The frame of every HTML page: one style, no network.

A page is one file that needs nothing else. Its Content-Security-Policy allows the scripts that it
was made with, by their hashes, and forbids all requests.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from atomlearn.markup import escape, style


def document(
    title: str,
    body: str,
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    data: Any = None,
    connect: str = "'none'",
) -> str:
    """A page: ``body`` is HTML; ``scripts`` are modules, which find ``data`` as JSON in ``#data``.

    ``connect`` says where scripts may connect to, in the words of a Content-Security-Policy.

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
    """JSON that cannot end the script element it stands in, nor begin a comment there.

    >>> print(as_json({"</script>": "<!--"}))
    {"\\u003c/script>":"\\u003c!--"}
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # JSON has these characters in strings only, where an escape means the same.
    for character in ("<", "\u2028", "\u2029"):
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _policy(sheet: str, scripts: Sequence[str], connect: str) -> str:
    allowed = " ".join(_hash(script) for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(sheet)}; img-src data: blob:; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
