"""A claim of the paper, its check, and the list of all claims in the order of the paper."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from atomlearn.errors import DataNotFound, InvalidParameter
from atomlearn_paper.record import read_json

Verdict = Literal["reproduced", "better", "in part", "not reproduced", "misprint", "not checkable"]

PARTS = (
    "introduction", "section2", "section3", "section3_models", "section4", "section5", "theorems",
    "appendices",
)  # fmt: skip


class Finding(NamedTuple):
    """What a check found."""

    verdict: Verdict
    figure: str


class Measured:
    """The results of the long runs, read when first needed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[str, dict[str, Any]] = {}

    def __getitem__(self, name: str) -> dict[str, Any]:
        """What the steps of an experiment gave, by step."""
        if name not in self._read:
            found = read_json(self.folder / name / "results.json")
            if found is None:
                raise DataNotFound(
                    f"there are no results of {name} in {self.folder}: "
                    f"run 'atomlearn reproduce {name} --out {self.folder}' first"
                )
            self._read[name] = {step["step"]: step["result"] for step in found["steps"]}
        return self._read[name]

    def seeds(self, name: str, start: str) -> list[Any]:
        """The results of the steps that differ in the seed only."""
        steps = self[name].items()
        return [
            found
            for step, found in steps
            if step.startswith(start) and step[len(start) :].isdigit()
        ]


Check = Callable[[Measured], Finding]


@dataclass(frozen=True)
class PaperClaim:
    """A sentence of the paper that can be checked."""

    section: str
    quote: str
    check: Check
    needs: tuple[str, ...] = ()
    """The experiments whose results the check reads."""

    def command(self, number: int) -> str:
        """The command that makes the figure."""
        if self.needs:
            return "atomlearn reproduce " + self.needs[0]
        return f"atomlearn reproduce claim {number}"


_FOUND: list[PaperClaim] = []


def claim(section: str, quote: str, *needs: str) -> Callable[[Check], Check]:
    """Register a check, in the order of the paper."""

    def register(check: Check) -> Check:
        _FOUND.append(PaperClaim(section, quote, check, needs))
        return check

    return register


def claims() -> Mapping[int, PaperClaim]:
    """All claims, numbered from 1.

    >>> claims()[1].section
    'abstract'
    """
    for part in PARTS:
        import_module(f"atomlearn_paper.claims.{part}")
    # In the order of the parts, whichever of them was imported first.
    found = sorted(_FOUND, key=lambda one: PARTS.index(one.check.__module__.rpartition(".")[2]))
    return dict(enumerate(found, 1))


def claim_numbered(number: int) -> PaperClaim:
    """One claim."""
    found = claims()
    if number not in found:
        raise InvalidParameter(f"there is no claim {number}: they are numbered 1 to {len(found)}")
    return found[number]


def check_all(folder: Path) -> Iterator[dict[str, Any]]:
    """Check every claim against the results in a folder: one row each."""
    measured = Measured(folder)
    for number, one in claims().items():
        found = one.check(measured)
        yield {
            "number": number,
            "section": one.section,
            "quote": one.quote,
            "verdict": found.verdict,
            "figure": found.figure,
            "command": one.command(number),
        }


def percent(share: float, digits: int = 2) -> str:
    """A share as one writes it."""
    return f"{100 * share:.{digits}f} %"


def spread(values: "list[float]", digits: int = 2, scale: float = 100.0) -> str:
    """The mean with the range of the seeds.

    >>> spread([0.01, 0.03])
    '2.00 (1.00 to 3.00)'
    """
    many = [scale * value for value in values]
    mean = sum(many) / len(many)
    return f"{mean:.{digits}f} ({min(many):.{digits}f} to {max(many):.{digits}f})"


def when(holds: bool | np.bool_, figure: str, otherwise: Verdict = "not reproduced") -> Finding:
    """Reproduced, if it holds."""
    return Finding("reproduced" if holds else otherwise, figure)
