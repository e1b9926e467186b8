"""The table of the paper's figures beside ours in docs/reproduce.md, and a picture for the docs.

``python -m atomlearn_paper.summary`` writes both; a test checks that the table is up to date.
"""

from pathlib import Path
from typing import Any

import numpy as np

from atomlearn.files.container import replacing
from atomlearn.views.page import png
from atomlearn_paper import NAMES
from atomlearn_paper.expressions import spoken
from atomlearn_paper.steps import read_json

RESULTS, PAGE = Path("docs/results"), Path("docs/reproduce.md")
PICTURE = Path("docs/images/digit.png")
MARK = "results"
"""The name of the comments in the page between which its table stands."""


def read_results(folder: Path) -> list[dict[str, Any]]:
    """What the experiments left in a folder, in the order of the paper."""
    found = (read_json(folder / name / "results.json") for name in NAMES)
    return [results for results in found if results is not None]


def table(results: list[dict[str, Any]]) -> str:
    """The table in Markdown: the claims that are worth a line, and how they were made.

    >>> claim = {"what": "bars", "place": "section 3", "paper": "5 %", "ours": "6 %",
    ...          "difference": "1 point higher", "headline": True}
    >>> made = {"version": "1.0", "seconds": 60, "seed": 0, "claims": [claim],
    ...         "machine": [{"processor": "a processor", "cores": 2}]}
    >>> print(table([made]))
    | what | paper | here | difference |
    |---|---|---|---|
    | bars (section 3) | 5 % | 6 % | 1 point higher |
    <BLANKLINE>
    `atomlearn reproduce all --seed 0`, version 1.0, 60 s of one core (a processor).
    """
    lines = ["| what | paper | here | difference |", "|---|---|---|---|"]
    for claim in (claim for one in results for claim in one["claims"] if claim["headline"]):
        cells = (f"{claim['what']} ({claim['place']})", claim["paper"], claim["ours"],
                 claim["difference"])  # fmt: skip
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    made, seconds = results[0], sum(one["seconds"] for one in results)
    return "\n".join(lines) + (
        f"\n\n`atomlearn reproduce all --seed {made['seed']}`, version {made['version']}, "
        f"{spoken(seconds)} of one core ({made['machine'][0]['processor']})."
    )


def with_table(text: str, results: list[dict[str, Any]]) -> str:
    """The page with the table between its two marks made anew."""
    return between_marks(text, MARK, table(results))


def between_marks(text: str, mark: str, content: str) -> str:
    """A text with what is between two marks replaced.

    >>> print(between_marks("a <!-- x -->old<!-- /x --> b", "x", "new"))
    a <!-- x -->
    new
    <!-- /x --> b
    """
    start, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    before, rest = text.split(start, 1)
    _, after = rest.split(end, 1)
    return f"{before}{start}\n{content}\n{end}{after}"


def picture() -> bytes:
    """The least certain of the 5s that are recognised, with the pixels that speak against it."""
    from atomlearn_paper.demo import fitted_digits

    classifier, X, y = fitted_digits()
    chances = classifier.predict_proba(X)
    fives = np.flatnonzero((y == 5) & (chances.argmax(axis=1) == 5))
    return png(classifier.explain(X[fives[chances[fives, 5].argmin()]]).plot())


def main() -> None:
    """Write the table into the page of the present folder, and draw the picture."""
    text = with_table(PAGE.read_text(encoding="utf-8"), read_results(RESULTS))
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    for path, content in ((PAGE, text.encode()), (PICTURE, picture())):
        with replacing(path) as file:
            file.write(content)


if __name__ == "__main__":
    main()
