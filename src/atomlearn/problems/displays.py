"""Boards and grids as SVG, for notebooks and pages: no plotting library is needed."""

from collections.abc import Sequence

from atomlearn.markup import escape

CELL = 34
FIXED, FOUND, INSERTED = "var(--accent)", "var(--text)", "var(--against)"
"""Queens as the paper colours them: fixed blue, inserted red, found black."""


def board_svg(
    signs: Sequence[Sequence[str]],
    colours: Sequence[Sequence[str]],
    about: str,
    *,
    chequered: bool = True,
    box: tuple[int, int] | None = None,
) -> str:
    """Signs on a board, row by row from the top; ``box`` are the sides of a sudoku's boxes.

    >>> board_svg([["Q", "."]], [["red", "red"]], "one queen").count("<rect")
    2
    """
    height, width = len(signs) * CELL, len(signs[0]) * CELL
    parts = []
    for i, row in enumerate(signs):
        for j, sign in enumerate(row):
            dark = chequered and (len(signs) - i + j) % 2
            fill = "var(--sunken)" if dark else "var(--panel)"
            place = f'x="{j * CELL}" y="{i * CELL}" width="{CELL}" height="{CELL}"'
            parts.append(f'<rect {place} fill="{fill}" stroke="var(--line)"/>')
            if sign not in ("", "."):
                parts.append(_sign(sign, i, j, colours[i][j]))
    if box is not None:
        for i in range(0, len(signs) + 1, box[0]):
            parts.append(_line(0, i * CELL, width, i * CELL))
        for j in range(0, len(signs[0]) + 1, box[1]):
            parts.append(_line(j * CELL, 0, j * CELL, height))
    return (
        f'<figure><svg viewBox="-2 -2 {width + 4} {height + 4}" width="{width + 4}" role="img" '
        f'aria-label="{escape(about)}">{"".join(parts)}</svg>'
        f"<figcaption>{escape(about)}</figcaption></figure>"
    )


def _sign(sign: str, i: int, j: int, colour: str) -> str:
    x, y = (j + 0.5) * CELL, (i + 0.5) * CELL
    if sign == "Q":
        return _queen(x, y, colour)
    muted = ' class="muted"' if sign == "?" else f' fill="{colour}"'
    return (
        f'<text x="{x}" y="{y}" text-anchor="middle" dominant-baseline="central" '
        f'font-size="{CELL // 2}"{muted}>{escape(sign)}</text>'
    )


def _queen(x: float, y: float, colour: str) -> str:
    """A crown: fonts do not always have one."""
    points = [(-10, -7), (-5, 0), (0, -11), (5, 0), (10, -7), (7, 8), (-7, 8)]
    path = " ".join(f"{x + dx:g},{y + dy:g}" for dx, dy in points)
    return f'<polygon points="{path}" fill="{colour}"/>'


def _line(x1: int, y1: int, x2: int, y2: int) -> str:
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="var(--text)" stroke-width="1.5"/>'
    )
