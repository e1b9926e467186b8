"""How many solutions there are, found by OR-Tools CP-SAT: the judge, and no part of the library."""

from ortools.sat.python import cp_model


class _Count(cp_model.CpSolverSolutionCallback):
    def __init__(self, variables):
        super().__init__()
        self.variables = variables
        self.solutions = set()

    def on_solution_callback(self):
        self.solutions.add(tuple(self.value(v) for v in self.variables))


def _all(model, variables):
    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    found = _Count(variables)
    solver.solve(model, found)
    return found.solutions


def queens(size, fixed=()):
    """All completions, each as a set of squares."""
    model = cp_model.CpModel()
    column = [model.new_int_var(0, size - 1, f"r{x}") for x in range(size)]
    model.add_all_different(column)
    model.add_all_different([column[x] + x for x in range(size)])
    model.add_all_different([column[x] - x for x in range(size)])
    for name in fixed:
        model.add(column[int(name[1:]) - 1] == ord(name[0]) - ord("a"))
    return {
        frozenset(f"{chr(ord('a') + y)}{x + 1}" for x, y in enumerate(found))
        for found in _all(model, column)
    }


def sudoku(given, boxes):
    """All grids, each as a tuple of rows."""
    size = len(given)
    model = cp_model.CpModel()
    cell = [[model.new_int_var(1, size, f"{r},{c}") for c in range(size)] for r in range(size)]
    tall, wide = boxes
    for k in range(size):
        model.add_all_different(cell[k])
        model.add_all_different([cell[r][k] for r in range(size)])
        top, left = k // (size // wide) * tall, k % (size // wide) * wide
        model.add_all_different([cell[top + r][left + c] for r in range(tall) for c in range(wide)])
    for r in range(size):
        for c in range(size):
            if given[r][c]:
                model.add(cell[r][c] == given[r][c])
    found = _all(model, [v for row in cell for v in row])
    return {tuple(tuple(f[r * size : (r + 1) * size]) for r in range(size)) for f in found}


def cycles(vertices, adjacent):
    """All Hamiltonian cycles from the first vertex, in both directions."""
    n = len(vertices)
    model = cp_model.CpModel()
    at = [model.new_int_var(0, n - 1, f"p{p}") for p in range(n)]
    model.add_all_different(at)
    model.add(at[0] == 0)
    steps = [(i, j) for i in range(n) for j in range(n) if adjacent(vertices[i], vertices[j])]
    for p in range(n):
        model.add_allowed_assignments([at[p], at[(p + 1) % n]], steps)
    return {tuple(vertices[i] for i in found) for found in _all(model, at)}


def is_colourable(vertices, edges, colours):
    """Is there a colouring?"""
    model = cp_model.CpModel()
    colour = {v: model.new_int_var(1, colours, v) for v in vertices}
    for one, other in edges:
        model.add(colour[one] != colour[other])
    return cp_model.CpSolver().solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)


def paths(vertices, adjacent):
    """All Hamiltonian paths, by trying them."""

    def longer(path):
        if len(path) == len(vertices):
            yield path
        for vertex in vertices:
            if vertex not in path and (not path or adjacent(path[-1], vertex)):
                yield from longer((*path, vertex))

    return set(longer(()))
