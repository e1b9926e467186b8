"""Sudoku, Hamiltonian cycles and colourings: the first solution, and how long it took.

python -m benchmarks.puzzles
"""

import time
from collections.abc import Callable
from typing import Any

import networkx as nx

from atomlearn.problems import colouring, hamiltonian, sudoku

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
GUESS = "..9748...7.........2.1.9.....7...24..64.1.59..98...3.....8.3.2.........6...2759.."
HARD = "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......"

SUDOKU = {
    "4x4, 4 givens": "1.....3..4.....2",
    "4x4, 3 givens": "1.........3..4..",
    "4x4, empty": "." * 16,
    "6x6, 6 givens": "1.......4....5........2....3.......6",
    "6x6, empty": "." * 36,
    "9x9, singles suffice": EASY,
    "9x9, singles do not suffice": GUESS,
    "9x9, 17 givens": HARD,
}


def generalized_petersen(n: int, k: int) -> nx.Graph:
    """Return two rings of ``n`` vertices, joined by spokes; the inner one in steps of ``k``."""
    g = nx.Graph()
    for i in range(n):
        outer = [(f"o{i}", f"o{(i + 1) % n}"), (f"o{i}", f"i{i}")]
        g.add_edges_from([*outer, (f"i{i}", f"i{(i + k) % n}")])
    return g


def sheehan(n: int) -> nx.Graph:
    """Return the graph with one Hamiltonian cycle and as many edges as that allows."""
    g = nx.cycle_graph(n)
    g.add_edges_from((i, j) for i in range(1, n, 2) for j in range(i + 2, n))
    return g


CYCLES = {
    "cube": nx.hypercube_graph(3),
    "prism of 12": nx.circular_ladder_graph(6),
    "grid 4x3": nx.grid_2d_graph(4, 3),
    "grid 4x4": nx.grid_2d_graph(4, 4),
    "grid 5x4": nx.grid_2d_graph(5, 4),
    "grid 6x4": nx.grid_2d_graph(6, 4),
    "dodecahedron": nx.dodecahedral_graph(),
    "G(9,2)": generalized_petersen(9, 2),
    "Sheehan of 12": sheehan(12),
    "Sheehan of 20": sheehan(20),
    "Petersen (none)": nx.petersen_graph(),
}
COLOURINGS = {
    "Petersen, 3": (nx.petersen_graph(), 3),
    "dodecahedron, 3": (nx.dodecahedral_graph(), 3),
    "icosahedron, 4": (nx.icosahedral_graph(), 4),
    "Chvatal, 4": (nx.chvatal_graph(), 4),
    "Chvatal, 3 (none)": (nx.chvatal_graph(), 3),
    "random of 30, 4": (nx.gnp_random_graph(30, 0.15, seed=1), 4),
    "random of 40, 4": (nx.gnp_random_graph(40, 0.1, seed=1), 4),
}


def first(name: str, solve: Callable[..., Any], *problem: Any, max_epochs: int = 100) -> None:
    """Solve once and tell when the first solution came."""
    start = time.process_time()
    solver = solve(*problem, random_state=0, max_epochs=max_epochs)
    answer = next(solver, None)
    seconds = time.process_time() - start
    end = "none; the best had " + solver.summary.best if answer is None else f"at {answer.epoch}"
    print(f"{name:>30}  {end}, {solver.epochs.number} epochs, {seconds:.2f} s", flush=True)


def main() -> None:
    next(sudoku.solve("." * 16, random_state=0))  # compile
    for name, puzzle in SUDOKU.items():
        first(name, sudoku.solve, puzzle)
    for name, graph in CYCLES.items():
        first(name, hamiltonian.solve, graph, max_epochs=5000)
    for name, (graph, colours) in COLOURINGS.items():
        first(name, colouring.solve, graph, colours)


if __name__ == "__main__":
    main()
