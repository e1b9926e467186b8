"""What is written of an experiment: a page, its tables as CSV, its figures as PNG, all as JSON.

The text of a page is a Markdown file in ``pages``, with a field for each value that was measured
and a mark for each table and figure; an experiment supplies these.
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
from atomlearn.files.writing import replacing
from atomlearn.views.page import Page, png
from atomlearn_paper import paper
from atomlearn_paper.experiment import Experiment, Setting
from atomlearn_paper.record import Record, write_json
from atomlearn_paper.time_left import spoken

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Table = tuple[Sequence[str], Iterable[Sequence[Any]]]
"""The names of the columns, and the rows."""
MARK = re.compile(r"!?\[(.*)\]\((\S+)\)", re.DOTALL)
"""A table ``[table](name)``, a list of claims ``[claims](name)``, a figure ``![caption](name)``."""


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
        tables: Mapping[str, Table],
        figures: "Mapping[str, Figure]",
        claims: Mapping[str, Sequence[Claim]] | None = None,
    ) -> None:
        """Write the page of the experiment from its text.

        A paragraph, table, figure or claim is left out if what it needs is not given. Lines that
        begin with ``|`` are claims, with ``|*`` those that the README shows.
        """
        path = files("atomlearn_paper") / "pages" / f"{self.experiment.name}.md"
        known = {"paper": paper, **values}
        for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
            mark = MARK.fullmatch(block)
            if block.startswith("|"):
                rows = [_claim(line, known) for line in block.split("\n")]
                self.claim(*(row for row in rows if row is not None))
            elif mark is None:
                self._text(_filled(block, known))
            elif block.startswith("!") and mark[2] in figures:
                self.figure(mark[2], figures[mark[2]], _filled(mark[1], known) or "")
            elif mark[1] == "claims":
                self.claim(*(claims or {})[mark[2]])
            elif mark[2] in tables:
                self.table(mark[2], *tables[mark[2]])

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

    def _text(self, block: str | None) -> None:
        """A heading, code between fences, or a paragraph."""
        if block is not None and block.startswith("## "):
            self.page.section(block[3:])
        elif block is not None and block.startswith("```"):
            self.page.code(block.strip("`\n"))
        elif block is not None:
            self.page.say(block.replace("\n", " "))

    def _write(self, name: str, data: bytes) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with replacing(self.folder / name) as file:
            file.write(data)


def _filled(text: str, values: Mapping[str, Any]) -> str | None:
    """The text with its values; ``None`` if one is not there."""
    try:
        return text.format_map(values)
    except KeyError:
        return None


def _claim(line: str, values: Mapping[str, Any]) -> Claim | None:
    cells = [_filled(cell, values) for cell in line.strip("|* ").split(" | ")]
    what, place, paper, ours, difference = (cell or "" for cell in cells)
    claim = Claim(what, place, paper, ours, difference, headline=line.startswith("|*"))
    return None if None in cells else claim


def claims_table(claims: Iterable[dict[str, Any]]) -> Table:
    """Claims as a table: the paper, ours, and the difference in a sentence."""
    head = ["what", "where", "paper", "ours", "difference"]
    keys = ("what", "place", "paper", "ours", "difference")
    return head, [[claim[key] for key in keys] for claim in claims]


def percent(share: float, digits: int = 2) -> str:
    """A share as one writes it.

    >>> percent(0.0175)
    '1.75 %'
    """
    return f"{100 * share:.{digits}f} %"


def beside(ours: float, paper: float, digits: int = 2) -> str:
    """How an error of ours lies beside the paper's, both shares.

    >>> beside(0.0175, 0.0408)
    '2.33 points lower'
    >>> beside(0.0100, 0.0100)
    'the same'
    """
    points = 100 * (ours - paper)
    if round(abs(points), digits) == 0:
        return "the same"
    return f"{abs(points):.{digits}f} points {'lower' if points < 0 else 'higher'}"
