"""Pictures of boards, grids, graphs and atoms, as the paper draws them (the ``plot`` extra)."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atomlearn.algebra.model import Atom
from atomlearn.errors import MissingExtra
from atomlearn.problems.colouring import Colouring
from atomlearn.problems.graphs import Graph
from atomlearn.problems.hamiltonian import Cycle, HamiltonianPath
from atomlearn.problems.mazes import END, START, WALL, MazePath
from atomlearn.problems.queens import Board, square_name
from atomlearn.problems.routes import edge_name
from atomlearn.problems.stated import Solution
from atomlearn.problems.sudoku import BOXES, Grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIXED, INSERTED, LEARNED = "#1f5fc4", "#c62828", "#111111"
"""Colours of queens as in the paper: fixed blue, inserted red, found black."""

LIGHT, DARK, UNKNOWN = "#ffffff", "#e9e3d6", "#f6f6f6"

ATOM_COLOURS = {"E": "#ffffff", "Q": "#000000", "both": "#d32f2f", "none": "#b0b0b0"}
"""Colours of squares as in the paper's Figures 11 and 12: white empty, black queen, red both, grey
none."""

PALETTE = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#edc948", "#76b7b2", "#9c755f")


def draw_board(board: Board, ax: "Axes") -> None:
    """Draw a chess board, with ``?`` for unknown squares."""
    title = f"epoch {board.epoch}" + (" (idle)" if board.idle else "")
    lines = range(board.size)
    _tiles(ax, [[LIGHT if (x + y) % 2 else DARK for y in lines] for x in lines], title)
    for x in lines:
        for y in lines:
            name = square_name(x, y)
            sign = board.sign(name)
            if sign == "Q":
                _write(ax, y, x, "\u265b", _queen_colour(board, name), 1.1, board.size)
            elif sign == "?":
                _write(ax, y, x, "?", "#888888", 0.7, board.size)


def draw_atom(atom: Atom, size: int, ax: "Axes") -> None:
    """Draw an atom as a small board that shows which constants of each square it is in."""
    held = set(atom.constants)

    def colour(name: str) -> str:
        signs = [sign for sign in "EQ" if sign + name in held]
        return ATOM_COLOURS["both" if len(signs) == 2 else signs[0] if signs else "none"]

    lines = range(size)
    _tiles(ax, [[colour(square_name(x, y)) for y in lines] for x in lines])


def draw_grid(grid: Grid, ax: "Axes") -> None:
    """Draw a sudoku with given digits black and the others blue."""
    last = grid.size - 1
    upwards = grid.rows[::-1]
    tiles = [[LIGHT if digit else UNKNOWN for digit in row] for row in upwards]
    _tiles(ax, tiles, f"epoch {grid.epoch}")
    for r, row in enumerate(upwards):
        for c, digit in enumerate(row):
            colour = LEARNED if grid.given[last - r][c] else FIXED
            _write(ax, c, r, str(digit or "?"), colour, 0.7, grid.size)
    tall, wide = BOXES[grid.size]
    ax.hlines([k - 0.5 for k in range(0, grid.size + 1, tall)], -0.5, last + 0.5, "black", lw=2)
    ax.vlines([k - 0.5 for k in range(0, grid.size + 1, wide)], -0.5, last + 0.5, "black", lw=2)


def draw_cycle(cycle: Cycle, ax: "Axes") -> None:
    """Draw a graph with its cycle or path in colour."""
    at = _on_circle(cycle.graph)
    _draw_graph(cycle.graph, at, ax, lambda _: "white")
    chosen = [tuple(edge) for edge in cycle.graph.edges if _named(*edge) & set(cycle.chosen)]
    for one, other in chosen:
        if one in at and other in at:
            (x1, y1), (x2, y2) = at[one], at[other]
            ax.plot([x1, x2], [y1, y2], color=INSERTED, linewidth=2.5, zorder=1.5)
    ax.set_title(f"epoch {cycle.epoch}")


def _named(one: str, other: str) -> set[str]:
    return {edge_name(one, other), edge_name(other, one)}


def draw_colouring(colouring: Colouring, ax: "Axes") -> None:
    """Draw a graph with its vertices in their colours; white is unknown."""

    def colour(vertex: str) -> str:
        number = colouring.colours.get(vertex)
        return "white" if number is None else PALETTE[(number - 1) % len(PALETTE)]

    _draw_graph(colouring.graph, _on_circle(colouring.graph), ax, colour)
    ax.set_title(f"epoch {colouring.epoch}")


def draw_maze(maze: MazePath, ax: "Axes") -> None:
    """Draw a maze with its path in colour."""
    rows = maze.rows[::-1]
    tiles = [[LEARNED if sign == WALL else LIGHT for sign in row] for row in rows]
    _tiles(ax, tiles, f"epoch {maze.epoch}")
    height, size = len(rows), max(len(rows), len(rows[0]))
    ax.plot([c - 1 for _, c in maze.path], [height - r for r, _ in maze.path],
            color=INSERTED, linewidth=2.5)  # fmt: skip
    for y, row in enumerate(rows):
        for x, sign in enumerate(row):
            if sign in (START, END):
                _write(ax, x, y, sign, FIXED, 0.7, size)


def draw_solution(solution: Solution, ax: "Axes") -> None:
    """Draw the grid of a puzzle that was stated as relations, or write its choices."""
    cells = solution.cells()
    if not cells:
        ax.text(0.02, 0.98, str(solution), va="top", family="monospace", fontsize=7)
        ax.set_axis_off()
        ax.set_title(f"epoch {solution.epoch}")
        return
    rows, columns = (sorted({place[k] for place in cells}) for k in (0, 1))
    _tiles(ax, [[LIGHT] * len(columns) for _ in rows], f"epoch {solution.epoch}")
    for (r, c), sign in cells.items():
        if sign != ".":
            x, y = columns.index(c), len(rows) - 1 - rows.index(r)
            _write(ax, x, y, sign, LEARNED, 0.7, max(len(rows), len(columns)))


DRAWN: dict[type, Callable[[Any, "Axes"], None]] = {
    Board: draw_board,
    Grid: draw_grid,
    Cycle: draw_cycle,
    HamiltonianPath: draw_cycle,
    Colouring: draw_colouring,
    MazePath: draw_maze,
    Solution: draw_solution,
}


def save(answers: Sequence[Any], path: Path, *, per_row: int = 5) -> None:
    """Draw answers side by side to a file, whose ending gives the format (``.svg``, ``.png``)."""
    _save([partial(DRAWN[type(answer)], answer) for answer in answers], path, per_row, cell=3.0)


def save_atoms(atoms: Sequence[Atom], size: int, path: Path, *, per_row: int = 10) -> None:
    """Draw atoms of a queens model as small boards to a file."""
    _save([partial(draw_atom, atom, size) for atom in atoms], path, per_row, cell=1.1)


def _save(draw: Sequence[Callable[["Axes"], None]], path: Path, per_row: int, cell: float) -> None:
    figure_class = _figure_class()
    columns = max(1, min(per_row, len(draw)))
    n_rows = max(1, math.ceil(len(draw) / columns))
    figure = figure_class(figsize=(cell * columns, cell * n_rows))
    figure.subplots_adjust(0.01, 0.01, 0.99, 1 - 0.1 / n_rows, wspace=0.06, hspace=0.16)
    axes = figure.subplots(n_rows, columns, squeeze=False).ravel()
    for ax in axes:
        ax.set_axis_off()
    for one, ax in zip(draw, axes, strict=False):
        one(ax)
    from atomlearn.files.container import replacing

    with replacing(path) as file:
        figure.savefig(file, dpi=120, format=path.suffix.lstrip(".") or None)


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra(
            "drawing needs matplotlib, which is not installed: pip install 'atomlearn[plot]'"
        ) from None
    return Figure


def _tiles(ax: "Axes", colours: list[list[str]], title: str = "") -> None:
    """Draw squares of these colours, the first row at the bottom."""
    from matplotlib.colors import to_rgb

    edges = [k - 0.5 for k in range(len(colours) + 1)]
    painted = [[to_rgb(colour) for colour in row] for row in colours]
    ax.pcolormesh(edges, edges, painted, edgecolors="#777777", linewidth=0.3)
    ax.set_aspect("equal")
    ax.set_title(title)


def _write(ax: "Axes", x: float, y: float, text: str, colour: str, scale: float, n: int) -> None:
    points = scale * 3.0 * 72 * 0.75 / n
    ax.text(
        x, y, text, color=colour, fontsize=points, ha="center", va="center_baseline",
        family="DejaVu Sans",
    )  # fmt: skip


def _queen_colour(board: Board, name: str) -> str:
    return FIXED if name in board.fixed else INSERTED if name == board.inserted else LEARNED


def _on_circle(graph: Graph) -> dict[str, tuple[float, float]]:
    step = 2 * math.pi / len(graph.vertices)
    return {v: (math.sin(k * step), math.cos(k * step)) for k, v in enumerate(graph.vertices)}


def _draw_graph(
    graph: Graph,
    at: dict[str, tuple[float, float]],
    ax: "Axes",
    colour: Callable[[str], str],
) -> None:
    ax.set_xlim(-1.2, 1.2)
    ax.set_ylim(-1.2, 1.2)
    ax.set_aspect("equal")
    for edge in graph.edges:
        (x1, y1), (x2, y2) = (at[vertex] for vertex in sorted(edge))
        ax.plot([x1, x2], [y1, y2], color="#b0b0b0", linewidth=1, zorder=1)
    for vertex, (x, y) in at.items():
        ax.scatter([x], [y], s=220, color=colour(vertex), edgecolor="black", zorder=2)
        ax.text(x, y, vertex, ha="center", va="center", fontsize=7, zorder=3)
