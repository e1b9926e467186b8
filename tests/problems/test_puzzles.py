"""Sudoku, Hamiltonian cycles and colourings against OR-Tools."""

import itertools

import networkx as nx
import pytest

from atomlearn import InconsistentRelations
from atomlearn.errors import InvalidProblem
from atomlearn.problems import colouring, hamiltonian, sudoku
from atomlearn.problems.graphs import graph
from tests.problems import oracle

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
NEEDS_MORE = "..9748...7.........2.1.9.....7...24..64.1.59..98...3.....8.3.2.........6...2759.."

SEVENTEEN = "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......"


@pytest.mark.parametrize(
    "puzzle",
    [
        "1... ..3. .4.. ...2",
        "1... .... ..3. .4..",
        pytest.param("1..... ..4... .5.... ....2. ...3.. .....6", marks=pytest.mark.slow),
    ],
)
def test_sudoku(puzzle):
    given = sudoku.parse(puzzle)
    all_grids = oracle.sudoku(given, sudoku.BOXES[len(given)])
    shown = {grid.rows for grid in sudoku.solve(puzzle, random_state=0, max_epochs=60)}
    assert shown and shown <= all_grids


@pytest.mark.parametrize("puzzle", [EASY, NEEDS_MORE, SEVENTEEN])
def test_sudoku_9(puzzle):
    """Closure and probing decide these, without learning."""
    (wanted,) = oracle.sudoku(sudoku.parse(puzzle), (3, 3))
    grid = next(sudoku.solve(puzzle, random_state=0, max_epochs=100))
    assert grid.rows == wanted
    assert grid.epoch == 0


def test_contradictory_sudoku():
    with pytest.raises(InconsistentRelations) as raised:
        sudoku.solve("11.. .... .... ....")
    assert "r1c1=1" in str(raised.value)
    assert sudoku.algebra("11.. .... .... ....").conflicts()
    assert not sudoku.algebra("12.. .... .... ....").conflicts()


def test_every_solution_of_a_sudoku_is_closed():
    """What the algebra derives from a solution is that solution."""
    alg = sudoku.algebra("1... ..3. .4.. ...2")
    (rows,) = oracle.sudoku(sudoku.parse("1... ..3. .4.. ...2"), (2, 2))
    made = {f"r{r + 1}c{c + 1}={rows[r][c]}" for r in range(4) for c in range(4)}
    closed = alg.closure(alg.term(["U", "S", *made]))
    assert {name for name in closed.constants if "=" in name and name[0] != "!"} == made


@pytest.mark.parametrize("text", ["", "12", "x" * 16, "5" + "." * 15, "." * 25, "." * 80])
def test_bad_puzzles(text):
    with pytest.raises(InvalidProblem):
        sudoku.parse(text)


@pytest.mark.parametrize("name", ["octahedral_graph", "cubical_graph"])
def test_cycles(name):
    source = getattr(nx, name)()
    g = graph(source)
    wanted = oracle.cycles(g.vertices, g.adjacent)
    shown = {c.vertices for c in hamiltonian.solve(source, random_state=0, max_epochs=66)}
    assert shown and shown <= wanted


def test_a_graph_without_a_cycle():
    g = graph(nx.petersen_graph())
    assert not oracle.cycles(g.vertices, g.adjacent)
    solver = hamiltonian.solve(g, random_state=0, max_epochs=30)
    assert list(solver) == []
    assert "of 10 places" in str(solver.summary)


def test_paths():
    g = graph(nx.petersen_graph())  # no cycle, but paths
    for start, end in ((None, None), ("0", None), ("0", "4")):
        wanted = {
            p for p in oracle.paths(g.vertices, g.adjacent)
            if (start is None or p[0] == start) and (end is None or p[-1] == end)
        }  # fmt: skip
        solver = hamiltonian.solve_path(g, start=start, end=end, random_state=0, max_epochs=40)
        shown = {path.vertices for path in solver}
        assert shown <= wanted and bool(shown) == bool(wanted)
    star = [("m", leaf) for leaf in "abc"]
    assert list(hamiltonian.solve_path(star, random_state=0, max_epochs=5)) == []
    with pytest.raises(InvalidProblem, match="no vertex 'z'"):
        hamiltonian.solve_path(star, start="z")


@pytest.mark.parametrize(
    ("source", "colours"),
    [(nx.petersen_graph(), 3), (nx.cycle_graph(7), 3), (nx.icosahedral_graph(), 4)],
)
def test_colourings(source, colours):
    answer = next(colouring.solve(source, colours, random_state=0, max_epochs=100))
    by_name = {str(v): answer.colours[str(v)] for v in source.nodes}
    assert all(by_name[str(v)] != by_name[str(w)] for v, w in source.edges)
    assert set(by_name.values()) <= set(range(1, colours + 1))


@pytest.mark.parametrize(("source", "colours"), [(nx.cycle_graph(5), 2), (nx.complete_graph(4), 3)])
def test_not_colourable(source, colours):
    edges = [(str(v), str(w)) for v, w in source.edges]
    assert not oracle.is_colourable([str(v) for v in source.nodes], edges, colours)
    solver = colouring.solve(source, colours, random_state=0, max_epochs=40)
    assert list(solver) == [] and solver.epochs.number == 0
    assert solver.refutation.givens == ()


@pytest.mark.parametrize(
    ("edges", "colours"), [("a b\nb c\nc a\nc d", 3), ("a b\nb c", 3), ("a b", 4)]
)
def test_every_colouring_stands_for_those_under_other_names(edges, colours):
    g = graph(edges)
    every = [
        dict(zip(g.vertices, chosen, strict=True))
        for chosen in itertools.product(range(1, colours + 1), repeat=len(g.vertices))
    ]
    n_legal = sum(colouring.is_legal(g, one) for one in every)
    found = list(colouring.solve(g, colours, random_state=0, max_epochs=60))
    assert n_legal == len(found) * colouring.renamings(g, colours)
    assert colouring.renamings(g, colours, {"a": 1}) == 1


def test_fixed_colours():
    path = [("a", "b"), ("b", "c")]
    answer = next(colouring.solve(path, 2, {"a": 2}, random_state=0))
    assert answer.colours == {"a": 2, "b": 1, "c": 2}
    with pytest.raises(InconsistentRelations):
        colouring.solve(path, 2, {"a": 2, "c": 1})
    with pytest.raises(InvalidProblem):
        colouring.solve(path, 2, {"z": 1})


def test_graphs_from_all_sources():
    text = graph("a b\nb, c  # and\n\nd\n")
    assert text.vertices == ("a", "b", "c", "d")
    assert text.edges == graph([("a", "b"), ("b", "c")]).edges
    assert graph(nx.path_graph(3)).neighbours("1") == ["0", "2"]
    for bad in ("", "a b c", "a a"):
        with pytest.raises(InvalidProblem):
            graph(bad)


@pytest.mark.parametrize(
    ("legal", "cycle"), [(True, "abcd"), (False, "acbd"), (False, "abc"), (False, "abcc")]
)
def test_cycle_verifier(legal, cycle):
    square = graph("a b\nb c\nc d\nd a")
    assert hamiltonian.is_legal(square, tuple(cycle)) is legal


def test_grid_verifier():
    (rows,) = oracle.sudoku(sudoku.parse("1... ..3. .4.. ...2"), (2, 2))
    assert sudoku.is_legal(rows)
    assert not sudoku.is_legal((rows[0], rows[1], rows[2], rows[0]))
    given = sudoku.parse("2... .... .... ....")
    assert not sudoku.Grid(rows, given).solved()
