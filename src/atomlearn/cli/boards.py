"""Boards, grids, cycles and colourings on the terminal, with Rich, side by side."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

GAP = 4


class SideBySide:
    """Prints answers as they arrive, as many side by side as fit."""

    def __init__(self, *, silent: bool = False) -> None:
        from rich.console import Console

        self.console = Console(highlight=False)
        self.silent = silent
        self._waiting: list[Text] = []

    def add(self, answer: Any) -> None:
        """Add an answer; it is printed when its row is full."""
        if self.silent:
            return
        self._waiting.append(_titled(answer))
        if len(self._waiting) >= self._fit():
            self.flush()

    def flush(self) -> None:
        """Print the answers that have not been printed yet."""
        from rich.table import Table

        if not self._waiting:
            return
        table = Table.grid(padding=(0, GAP, 1, 0))
        table.add_row(*self._waiting)
        self.console.print(table)
        self._waiting = []

    def _fit(self) -> int:
        width = max(max(len(line) for line in text.plain.split("\n")) for text in self._waiting)
        return max(1, self.console.width // (width + GAP))


def as_text(answer: Any) -> "Text":
    """An answer as coloured text."""
    from rich.text import Text

    if hasattr(answer, "queens"):
        return _board(answer)
    return _grid(answer) if hasattr(answer, "given") else Text(str(answer))


def _titled(answer: Any) -> "Text":
    from rich.text import Text

    mark = " idle" if answer.idle else f" +{answer.inserted}" if answer.inserted else ""
    return Text(f"epoch {answer.epoch}{mark}\n", style="dim").append_text(as_text(answer))


def _board(board: Any) -> "Text":
    """Queens found are bold, fixed ones blue, the one inserted red; empty squares and ? dim."""
    from rich.text import Text

    from atomlearn.problems.queens import square_name

    styles = {"Q": "bold", ".": "dim", "?": "yellow"}
    special = dict.fromkeys(board.fixed, "bold blue")
    if board.inserted:
        special.setdefault(board.inserted, "bold red")
    text = Text()
    lines = range(board.size)
    for x in reversed(lines):
        text.append(f"{x + 1:>2}", style="dim")
        for y in lines:
            sign = board.sign(square_name(x, y))
            style = special.get(square_name(x, y), "bold") if sign == "Q" else styles[sign]
            text.append(" " + {"Q": "♛", ".": "·"}.get(sign, sign), style=style)
        text.append("\n")
    return text.append("   " + " ".join(square_name(0, y)[0] for y in lines), style="dim")


def _grid(grid: Any) -> "Text":
    """Given digits bold, others blue."""
    from rich.text import Text

    text = Text()
    for r, row in enumerate(grid.rows):
        for c, digit in enumerate(row):
            style = "bold" if grid.given[r][c] else "blue" if digit else "yellow"
            text.append(f"{digit or '?'} ", style=style)
        text.append("\n" if r + 1 < len(grid.rows) else "")
    return text
