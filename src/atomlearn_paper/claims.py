"""Every claim of the paper: the table in ``claims.toml`` checked, and the page of all verdicts."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from atomlearn.errors import DataNotFound, InvalidParameter
from atomlearn.files.container import replacing
from atomlearn.views.page import Page
from atomlearn_paper.expressions import filled, value_of
from atomlearn_paper.steps import read_json, text_of, write_json

Verdict = Literal["reproduced", "better", "in part", "not reproduced", "misprint", "not checkable"]

TITLE = "A verdict on every claim"
HEAD = ("", "section", "the paper says", "verdict", "found here", "command")
COLUMNS = ("number", "section", "quote", "verdict", "figure", "command")
"""What is found of a claim, and the heads of its columns."""

Row = Mapping[str, Any]


class Finding(NamedTuple):
    """What a check found."""

    verdict: Verdict
    figure: str


class Measured(dict[str, dict[str, Any]]):
    """The results of the long runs in a folder, by experiment and step; read when first needed."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.quick: set[str] = set()
        """Experiments whose results are of the quick setting, which has not all steps."""

    def __missing__(self, name: str) -> dict[str, Any]:
        found = read_json(self.folder / name / "results.json")
        if found is None:
            raise DataNotFound(
                f"there are no results of {name} in {self.folder}: "
                f"run 'atomlearn reproduce {name} --out {self.folder}' first"
            )
        if found["settings"]["quick"]:
            self.quick.add(name)
        self[name] = {step["step"]: step["result"] for step in found["steps"]}
        return self[name]


@dataclass(frozen=True)
class PaperClaim:
    """A sentence of the paper that can be checked."""

    number: int
    section: str
    quote: str
    needs: str | None
    """The experiment whose results the check reads."""
    row: Row
    """The row of the table, with the rule and the words of the figure."""

    @property
    def command(self) -> str:
        """The command that makes the figure."""
        return f"atomlearn reproduce {self.needs or f'claim {self.number}'}"

    def check(self, measured: Measured) -> Finding:
        """Measure what the row names, and judge it by the row's rule."""
        names = dict(_measures())
        if self.needs is not None:
            names[self.needs] = measured[self.needs]
            if self.needs in measured.quick:
                return Finding("not checkable", f"needs {self.command} without --quick")
        if "measure" in self.row:
            names |= _named(value_of(self.row["measure"], names))
        for name, expression in self.row.get("let", {}).items():
            names[name] = value_of(expression, names)
        return Finding(self._verdict(names), filled(self.row["figure"], names))

    def _verdict(self, names: Mapping[str, Any]) -> Verdict:
        for verdict in get_args(Verdict):
            if verdict in self.row and value_of(self.row[verdict], names):
                return verdict
        return self.row.get("verdict", "not reproduced")


def _named(found: Any) -> Mapping[str, Any]:
    """The values of a measure; of one that yields cases, how many are right and were tried."""
    if isinstance(found, Mapping):
        return found
    cases = [bool(case) for case in found]
    return {"right": sum(cases), "tried": len(cases)}


@cache
def _measures() -> dict[str, Any]:
    """What the table may use beside the functions of expressions."""
    measures = import_module("atomlearn_paper.measures")  # imports much that one claim may not need
    return {
        name: value
        for name, value in vars(measures).items()
        if name in measures.__all__ or getattr(value, "__module__", "") == measures.__name__
    }


@cache
def claims() -> Mapping[int, PaperClaim]:
    """All claims, numbered from 1.

    >>> claims()[1].section
    'abstract'
    """
    text = (files("atomlearn_paper") / "claims.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["claims"]
    return {
        number: PaperClaim(number, row["section"], row["quote"], row.get("needs"), row)
        for number, row in enumerate(rows, 1)
    }


def claim_numbered(number: int) -> PaperClaim:
    """One claim by its number."""
    found = claims()
    if number not in found:
        raise InvalidParameter(f"there is no claim {number}: they are numbered 1 to {len(found)}")
    return found[number]


def check_all(folder: Path) -> Iterator[dict[str, Any]]:
    """Check every claim against the results in a folder: one row each."""
    measured = Measured(folder)
    for number, one in claims().items():
        found = one.check(measured)
        cells = (number, one.section, one.quote, found.verdict, found.figure, one.command)
        yield dict(zip(COLUMNS, cells, strict=True))


def counted(claims: Iterable[Row]) -> str:
    """How many claims have each verdict.

    >>> counted([{"verdict": "misprint"}, {"verdict": "reproduced"}, {"verdict": "reproduced"}])
    '3 claims: 2 reproduced, 1 misprint'
    """
    counts = Counter(claim["verdict"] for claim in claims)
    told = ", ".join(f"{counts[v]} {v}" for v in get_args(Verdict) if counts[v])
    return f"{sum(counts.values())} claims: {told}"


def markdown(claims: Sequence[Row]) -> str:
    """The page in Markdown."""
    lines = [f"# {TITLE}", "", text_of("claims"), "", f"**{counted(claims)}.**", ""]
    lines += ["| " + " | ".join(HEAD) + " |", "|---" * len(HEAD) + "|"]
    for claim in claims:
        cells = [str(claim[key]).replace("|", "\\|") for key in COLUMNS]
        cells[3], cells[5] = f"**{cells[3]}**", f"`{cells[5]}`"
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def html(claims: Sequence[Row]) -> str:
    """The page in HTML."""
    page = Page(TITLE, quiet=True)
    for paragraph in text_of("claims").split("\n\n"):
        page.say(paragraph)
    page.say(counted(claims) + ".")
    page.table(HEAD, [[claim[key] for key in COLUMNS] for claim in claims])
    return page.html()


def write_claims(folder: Path) -> list[Path]:
    """Check all claims against the results in a folder, and write the pages there."""
    claims = list(check_all(folder))
    write_json(folder / "claims.json", {"claims": claims})
    pages = {"claims.md": markdown(claims), "claims.html": html(claims)}
    for name, text in pages.items():
        with replacing(folder / name) as file:
            file.write(text.encode())
    return [folder / name for name in pages]
