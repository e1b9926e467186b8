"""What is written of an experiment: a page, its tables as CSV, its figures as PNG, all as JSON.

The text of a page is a Markdown file in ``pages``. Its fields in braces are expressions over
``results``, the paper's numbers and what the module of the experiment defines (see
:mod:`atomlearn_paper.expressions`). A block of it is

- a paragraph, a heading that begins with ``##``, or code between fences;
- a comment, whose lines define names: ``name = expression``;
- claims, a line each: ``| what | where | paper | ours | difference |``, which begins with ``|*`` if
  the README shows it;
- ``[table](name)``, followed by the line of its heads and lines of its cells, or by an expression
  that gives both;
- ``![caption](name)``, followed by an expression that draws the figure.

A line of cells may end with ``for``, as in ``| {n} | {error:.2f} | for n, error in points``; it
then gives a row for each of these. What needs a value that is not there is left out.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atomlearn import __version__
from atomlearn.files.container import replacing
from atomlearn.views.page import Page, png
from atomlearn_paper import paper
from atomlearn_paper.expressions import as_literal, filled, value_of
from atomlearn_paper.steps import Experiment, Record, Setting, text_of, write_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Table = tuple[Sequence[str], Iterable[Sequence[Any]]]
"""The heads of the columns, and the rows."""
MARK = re.compile(r"(!?)\[(.*)\]\((\S+)\)\n(.*)", re.DOTALL)
"""A table or a figure: its caption, its name, and what it is made of."""


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

    @property
    def command(self) -> str:
        """The command that makes all this."""
        quick = " --quick" if self.setting.quick else ""
        attempts = f" --attempts {self.setting.attempts}" if self.setting.attempts else ""
        name, seed = self.experiment.name, self.setting.seed
        return f"atomlearn reproduce {name}{quick}{attempts} --seed {seed}"

    def fill(self) -> None:
        """Write the page of the experiment from its text."""
        results = {record["step"]: record["result"] for record in self.records}
        names = {
            **self.experiment.names, "paper": paper, "results": results, "version": __version__,
            "seconds": self.seconds, "machines": self.machines, "command": self.command,
            "quick": self.setting.quick,
        }  # fmt: skip
        for block in f"{text_of('made')}\n\n{self.experiment.text.strip()}".split("\n\n"):
            if block.startswith("<!--"):
                self._define(block, names)
                continue
            try:
                self._add(block, names)
            except (NameError, LookupError):
                self.left_out.append(block)

    def _define(self, block: str, names: dict[str, Any]) -> None:
        """Add the names that a comment defines."""
        for line in block.splitlines()[1:-1]:
            name, _, expression = line.partition(" = ")
            with suppress(NameError, LookupError):
                names[name] = value_of(expression, names)

    def _add(self, block: str, names: Mapping[str, Any]) -> None:
        """Add a block of the text to the page."""
        if block.startswith("|"):
            self.claim(*(one for line in block.split("\n") for one in self._claims(line, names)))
        elif mark := MARK.fullmatch(block):
            is_figure, caption, name, made_of = mark.groups()
            if is_figure:
                if (figure := value_of(made_of, names)) is not None:
                    self.figure(name, figure, filled(caption, names))
            elif made_of.startswith("|"):
                head, *lines = (_rows(line, names) for line in made_of.split("\n"))
                self.table(name, head[0], [row for rows in lines for row in rows])
            else:
                self.table(name, *value_of(made_of, names))
        elif block.startswith("## "):
            self.page.section(filled(block[3:], names))
        elif block.startswith("```"):
            self.page.code(filled(block, names).strip("`\n"))
        elif text := filled(block, names):
            self.page.say(text.replace("\n", " "))

    def _claims(self, line: str, names: Mapping[str, Any]) -> list[Claim]:
        """The claims of a line; none if a value of it is not there."""
        try:
            rows = _rows(line, names)
        except (NameError, LookupError):
            self.left_out.append(line)
            return []
        return [Claim(a, b, c, d, e, line.startswith("|*")) for a, b, c, d, e in rows]

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

    def _write(self, name: str, data: bytes) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with replacing(self.folder / name) as file:
            file.write(data)


def _rows(line: str, names: Mapping[str, Any]) -> list[list[str]]:
    """The rows of a line of cells.

    >>> _rows("| {n} | {n * n:.1f} | for n in numbers", {"numbers": [2, 3]})
    [['2', '4.0'], ['3', '9.0']]
    """
    cells, _, clause = line.rpartition("|")
    row = ", ".join(as_literal(cell.strip()) for cell in cells.lstrip("|*").split(" | "))
    rows = value_of(f"[[{row}] {clause or 'for _ in range(1)'}]", names)
    return [[cell[:-1] for cell in row] for row in rows]


def claims_table(claims: Iterable[dict[str, Any]]) -> Table:
    """Claims as a table: the paper, ours, and the difference in a sentence."""
    keys = ("what", "place", "paper", "ours", "difference")
    rows = [[claim[key] for key in keys] for claim in claims]
    return ["what", "where", "paper", "ours", "difference"], rows
