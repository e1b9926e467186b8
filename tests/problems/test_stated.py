"""Puzzles from relation files, and routes by edges, against plain search."""

from itertools import permutations
from pathlib import Path

import networkx as nx
import pytest

from atomlearn import Algebra
from atomlearn.errors import ContradictoryGivens, InvalidProblem
from atomlearn.problems import hamiltonian, mazes, queens, stated, sudoku
from benchmarks.puzzles import generalized_petersen, sheehan
from tests.problems import oracle

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def stating(text):
    alg = Algebra()
    alg.add(alg.expand(text))
    return alg


def test_queens_from_a_file():
    solution = next(stated.solve(EXAMPLES / "queens.rel", random_state=0))
    squares = [tuple(map(int, name[2:-1].split(","))) for name in solution.chosen]
    names = [queens.square_name(x - 1, y - 1) for x, y in squares]
    assert queens.is_legal(8, names) and len(names) == 8 and {"b4", "d5"} <= set(names)
    assert str(solution).count("Q") == 8 and str(solution).count(".") == 56


def test_sudoku_with_irregular_regions_from_a_file():
    solution = next(stated.solve(EXAMPLES / "sudoku.rel", random_state=0))
    rows = [list(map(int, line.split())) for line in str(solution).split("\n")]
    regions = ["AAABB", "ACCBB", "ACCCB", "DDDEE", "DDEEE"]
    for group in (*rows, *zip(*rows, strict=True)):
        assert sorted(group) == [1, 2, 3, 4, 5]
    for letter in "ABCDE":
        cells = [rows[r][c] for r in range(5) for c in range(5) if regions[r][c] == letter]
        assert sorted(cells) == [1, 2, 3, 4, 5]


def test_colouring_and_family_from_files():
    colours = next(stated.solve(EXAMPLES / "colouring.rel", random_state=0)).chosen
    of = dict(name[3:-1].split(",") for name in colours)
    borders = ["WA-NT", "WA-SA", "NT-SA", "NT-Q", "SA-Q", "SA-NSW", "SA-V", "Q-NSW", "NSW-V"]
    assert len(of) == 7 and all(of[a] != of[b] for a, b in (pair.split("-") for pair in borders))
    family = next(stated.solve(EXAMPLES / "family.rel"))
    assert {"grandmother(ann,cid)", "aunt(dot,cid)", "ancestor(ann,eve)"} <= set(family.follows)
    assert not any("ben,ann" in name for name in family.follows)


def test_every_example_fits_on_a_screen():
    for path in EXAMPLES.glob("*.rel"):
        lines = path.read_text().splitlines()
        assert len(lines) <= 24 and max(map(len, lines)) <= 110, path.name


def test_all_solutions_are_found_and_no_others():
    text = "p = {ann, ben, cid}\none of seat(x, 1..3) for x in p\none of seat(p, k) for k in 1..3"
    found = {s.chosen for s in stated.solve(stating(f"{text}\n!seat(ann, 1) < S"), random_state=0)}
    wanted = {
        tuple(f"seat({p},{k})" for p, k in zip(("ann", "ben", "cid"), order, strict=True))
        for order in permutations((1, 2, 3))
        if order[0] != 1
    }
    assert found == wanted


def test_givens_that_clash_and_files_without_a_question():
    with pytest.raises(ContradictoryGivens, match=r"seat\(2\), seat\(1\) contradict the rules"):
        stated.solve(stating("one of seat(1..3)\nseat(1) seat(2) < S"))
    with pytest.raises(InvalidProblem, match="put what is given below the constant S"):
        stated.solve(stating("a < b"))
    with pytest.raises(InvalidProblem, match="S stands alone"):
        stated.solve(stating("a < S b"))


@pytest.mark.parametrize("seed", [4, 9])
def test_a_hard_graph_is_solved_by_rejecting_small_cycles(seed):
    solver = hamiltonian.solve(generalized_petersen(9, 2), random_state=seed, max_epochs=400)
    assert next(solver).solved()


def test_names_of_vertices_cannot_be_confused():
    ring = ["a", "b-c", "x", "c", "a-b", "!a", "*", "U"]
    edges = [*zip(ring, [*ring[1:], ring[0]], strict=True), ("a", "x"), ("x", "U")]
    (cycle,) = hamiltonian.solve(edges, random_state=0, max_epochs=20)
    assert cycle.vertices in (tuple(ring), (ring[0], *ring[:0:-1]))
    (path,) = hamiltonian.solve_path(edges[:7], start="U", random_state=0, max_epochs=20)
    assert path.vertices == tuple(reversed(ring))


def test_sheehan_graphs_have_one_cycle():
    for n in (8, 14):
        (cycle,) = hamiltonian.solve(sheehan(n), random_state=0, max_epochs=20)
        assert cycle.vertices in (ring := tuple(map(str, range(n))), (ring[0], *ring[:0:-1]))


def test_dodecahedron_and_paths_with_ends():
    g = nx.dodecahedral_graph()
    assert next(hamiltonian.solve(g, random_state=0)).solved()
    path = next(hamiltonian.solve_path(g, start="0", end="1", random_state=0, max_epochs=500))
    assert path.solved() and (path.vertices[0], path.vertices[-1]) == ("0", "1")


@pytest.mark.parametrize("seed", range(4))
def test_random_graphs_have_the_cycles_that_a_search_finds(seed):
    g = nx.gnp_random_graph(7, 0.5, seed=seed)
    names = [str(v) for v in g.nodes]
    wanted = oracle.cycles(names, lambda v, w: g.has_edge(int(v), int(w)))
    found = {c.vertices for c in hamiltonian.solve(g, random_state=0, max_epochs=150)}
    assert found <= wanted and len(found) == len(wanted) // 2


MAZE = "#######\n#S  # #\n# # # #\n# #   #\n#   #E#\n#######"


def test_mazes():
    found = list(mazes.solve(MAZE, random_state=0, max_epochs=60))
    assert found and all(path.solved() for path in found)
    assert len({path.path for path in found}) == len(found) >= 2
    assert str(found[0]).count(".") == found[0].n_steps - 1 and "<svg" in found[0]._repr_html_()
    closed = mazes.solve("#####\n#S#E#\n#####", random_state=0)
    assert list(closed) == [] and "no solution" in str(closed.summary)
    for bad in ("S E S", "SS", "##", "S" + " " * 3000 + "E"):
        with pytest.raises(InvalidProblem, match="a maze"):
            mazes.solve(bad)


@pytest.mark.slow
def test_an_empty_sudoku_has_many_different_grids():
    found = list(sudoku.solve("." * 36, random_state=0, max_epochs=60))
    assert len({grid.rows for grid in found}) == len(found) >= 12
