"""The claims page: ``claims.json``, ``claims.md``, ``claims.html`` in the folder of the results."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from atomlearn.files.writing import replacing
from atomlearn.views.page import Page
from atomlearn_paper.claims.registry import Verdict, check_all
from atomlearn_paper.record import read_json, write_json

TITLE = "A verdict on every claim"
HEAD = ("", "section", "the paper says", "verdict", "found here", "command")
ABOUT = (
    "Every checkable sentence of the paper, in its order. 'To the letter' is the paper's procedure "
    "(protocol='letter'); 'this library' is the default, whose differences are named switches. "
    "Ranges in brackets are of several seeds. Any row can be checked alone, as in 'atomlearn "
    "reproduce claim 27'; rows that rest on a long run read its results and name its command. "
    "Thresholds of verdicts ('within 15 %') are ours. Some were changed after the figures were "
    "seen: those on wrong labels, more training, cut-offs and five on queens became stricter; that "
    "on reduction by R⁻ compares seed by seed instead of ranges, which made it 'reproduced'. The "
    "long runs were cut to fit an hour while they ran, and were resumed several times."
)

Row = Mapping[str, Any]


def counted(claims: Iterable[Row]) -> str:
    """How many claims have each verdict.

    >>> counted([{"verdict": "misprint"}, {"verdict": "reproduced"}, {"verdict": "reproduced"}])
    '3 claims: 2 reproduced, 1 misprint'
    """
    counts = Counter(claim["verdict"] for claim in claims)
    told = ", ".join(f"{counts[v]} {v}" for v in get_args(Verdict) if counts[v])
    return f"{sum(counts.values())} claims: {told}"


def _cells(claim: Row) -> list[Any]:
    return [
        claim["number"],
        claim["section"],
        claim["quote"],
        claim["verdict"],
        claim["figure"],
        claim["command"],
    ]


def markdown(claims: list[Row]) -> str:
    """The page in Markdown."""
    lines = [
        f"# {TITLE}",
        "",
        ABOUT,
        "",
        f"**{counted(claims)}.**",
        "",
        "| " + " | ".join(HEAD) + " |",
        "|---" * len(HEAD) + "|",
    ]
    for claim in claims:
        cells = [str(cell).replace("|", "\\|") for cell in _cells(claim)]
        cells[3], cells[5] = f"**{cells[3]}**", f"`{cells[5]}`"
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def html(claims: list[Row]) -> str:
    """The page in HTML."""
    page = Page(TITLE, quiet=True)
    page.say(ABOUT)
    page.say(counted(claims) + ".")
    page.table(HEAD, [_cells(claim) for claim in claims])
    return page.html()


def write_claims(folder: Path) -> list[Path]:
    """Check all claims against the results in a folder, and write the pages there."""
    claims = list(check_all(folder))
    write_json(folder / "claims.json", {"claims": claims})
    return write_pages(folder)


def write_pages(folder: Path) -> list[Path]:
    """Write the pages from ``claims.json``."""
    claims = read_json(folder / "claims.json")["claims"]
    pages = {"claims.md": markdown(claims), "claims.html": html(claims)}
    for name, text in pages.items():
        with replacing(folder / name) as file:
            file.write(text.encode())
    return [folder / name for name in pages]
