"""What is written of an experiment: a page, its tables as CSV, its figures as PNG, all as JSON.

The text of a page is a Markdown file in ``pages``. Its fields in braces are expressions over the
values that an experiment supplies (see :mod:`atomlearn_paper.expressions`). A block of it is

- a paragraph, a heading that begins with ``##``, or code between fences;
- claims, a line each: ``| what | where | paper | ours | difference |``, which begins with ``|*`` if
  the README shows it;
- ``[table](name)``, followed by the line of its heads and lines of its cells;
- ``![caption](name)``, a figure.

A line of cells may end with ``for``, as in ``| {n} | {error:.2f} | for n, error in points``; it
then gives a row for each of these. What needs a value that was not supplied is left out.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atomlearn import __version__
from atomlearn.files.replacing import replacing
from atomlearn.views.page import Page, png
from atomlearn_paper import paper
from atomlearn_paper.expressions import as_literal, filled, spoken, value_of
from atomlearn_paper.steps import Experiment, Record, Setting, write_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Table = tuple[Sequence[str], Iterable[Sequence[Any]]]
"""The heads of the columns, and the rows."""
FIGURE = re.compile(r"!\[(.*)\]\((\S+)\)", re.DOTALL)
TABLE = re.compile(r"\[table\]\((\S+)\)(?:\n(.*))?", re.DOTALL)


@dataclass(frozen=True)
class Claim:
    """Something that the paper says, what came out here, and the difference in a sentence."""

    what: str
    place: str
    paper: str
    ours: str
    difference: str
    headline: bool = False
    """Does it stand in the README's table?"""


class ExperimentReport:
    """The page of an experiment, growing from top to bottom, and the files beside it."""

    def __init__(
        self, experiment: Experiment, folder: Path, setting: Setting, records: list[Record]
    ) -> None:
        self.experiment, self.folder, self.setting = experiment, folder, setting
        self.records = records
        self.claims: list[Claim] = []
        self.left_out: list[str] = []
        self.page = Page(experiment.title, quiet=True)
        self._say_how()

    @property
    def command(self) -> str:
        """The command that makes all this."""
        quick = " --quick" if self.setting.quick else ""
        attempts = f" --attempts {self.setting.attempts}" if self.setting.attempts else ""
        name, seed = self.experiment.name, self.setting.seed
        return f"atomlearn reproduce {name}{quick}{attempts} --seed {seed}"

    def fill(
        self,
        values: Mapping[str, Any],
        figures: "Mapping[str, Figure]",
        tables: Mapping[str, Table] | None = None,
    ) -> None:
        """Write the page of the experiment from its text.

        ``tables`` are those whose columns depend on what was run; the text has the others.
        """
        path = files("atomlearn_paper") / "pages" / f"{self.experiment.name}.md"
        known = {"paper": paper, **values}
        for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
            try:
                self._add(block, known, figures, tables or {})
            except NameError:
                self.left_out.append(block)

    def _add(
        self,
        block: str,
        values: Mapping[str, Any],
        figures: "Mapping[str, Figure]",
        tables: Mapping[str, Table],
    ) -> None:
        """Add a block of the text to the page."""
        if block.startswith("|"):
            self.claim(
                *(claim for line in block.split("\n") for claim in self._claims(line, values))
            )
        elif found := FIGURE.fullmatch(block):
            if found[2] in figures:
                self.figure(found[2], figures[found[2]], filled(found[1], values))
        elif found := TABLE.fullmatch(block):
            if found[1] in tables:
                self.table(found[1], *tables[found[1]])
            else:
                head, *lines = (_rows(line, values) for line in found[2].split("\n"))
                self.table(found[1], head[0], [row for rows in lines for row in rows])
        elif block.startswith("## "):
            self.page.section(filled(block[3:], values))
        elif block.startswith("```"):
            self.page.code(filled(block, values).strip("`\n"))
        else:
            self.page.say(filled(block, values).replace("\n", " "))

    def _claims(self, line: str, values: Mapping[str, Any]) -> list[Claim]:
        """The claims of a line; none if a value of it was not supplied."""
        try:
            rows = _rows(line, values)
        except NameError:
            self.left_out.append(line)
            return []
        headline = line.startswith("|*")
        return [Claim(a, b, c, d, e, headline) for a, b, c, d, e in rows]

    def claim(self, *claims: Claim) -> None:
        """Set the paper's figures beside ours."""
        self.claims += claims
        if claims:
            self.page.table(*claims_table([asdict(claim) for claim in claims]))

    def table(self, name: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """A table on the page, and the same as ``name.csv``."""
        rows = [list(row) for row in rows]
        self.page.table(head, rows)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([list(head), *rows])
        self._write(f"{name}.csv", text.getvalue().encode())

    def figure(self, name: str, figure: "Figure", about: str) -> None:
        """A figure on the page, and the same as ``name.png``."""
        self.page.picture(figure, about)
        self._write(f"{name}.png", png(figure))

    def write(self) -> None:
        """Write the page and everything as JSON."""
        write_json(
            self.folder / "results.json",
            {
                "experiment": self.experiment.name,
                "command": self.command,
                "settings": asdict(self.setting),
                "seed": self.setting.seed,
                "version": __version__,
                "machine": self.machines,
                "seconds": self.seconds,
                "claims": [asdict(claim) for claim in self.claims],
                "steps": self.records,
            },
        )
        self.page.write(self.folder / "index.html")

    @property
    def seconds(self) -> float:
        """What all steps took."""
        return round(sum(record["seconds"] for record in self.records), 1)

    @property
    def machines(self) -> list[dict[str, Any]]:
        """The machines that the steps ran on."""
        used = [record["machine"] for record in self.records]
        return [machine for k, machine in enumerate(used) if machine not in used[:k]]

    def _say_how(self) -> None:
        where = "; ".join(
            f"{m['processor']}, {m['cores']} cores, Python {m['python']}, NumPy {m['numpy']}, "
            f"Numba {m['numba']}"
            for m in self.machines
        )
        self.page.say(
            f"Made by atomlearn {__version__} in {spoken(self.seconds)} with the command below, "
            f"on {where}. The same seed gives the same figures, whatever the number of jobs. "
            "Everything shown here is also in results.json, in CSV tables and in PNG figures "
            "beside this page."
        )
        self.page.code(self.command)
        if self.setting.quick:
            self.page.say(
                "This is the quick setting: sizes are small, and many of the paper's figures are "
                "out of its reach. Without --quick the sizes are the paper's."
            )

    def _write(self, name: str, data: bytes) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with replacing(self.folder / name) as file:
            file.write(data)


def _rows(line: str, values: Mapping[str, Any]) -> list[list[str]]:
    """The rows of a line of cells.

    >>> _rows("| {n} | {n * n:.1f} | for n in numbers", {"numbers": [2, 3]})
    [['2', '4.0'], ['3', '9.0']]
    """
    cells, _, clause = line.rpartition("|")
    row = ", ".join(as_literal(cell.strip()) for cell in cells.lstrip("|*").split(" | "))
    rows = value_of(f"[[{row}] {clause or 'for _ in range(1)'}]", values)
    return [[cell[:-1] for cell in row] for row in rows]


def claims_table(claims: Iterable[dict[str, Any]]) -> Table:
    """Claims as a table: the paper, ours, and the difference in a sentence."""
    head = ["what", "where", "paper", "ours", "difference"]
    keys = ("what", "place", "paper", "ours", "difference")
    return head, [[claim[key] for key in keys] for claim in claims]
