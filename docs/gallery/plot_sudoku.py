"""
Sudoku
======

What follows from the givens by closure is filled in first; the rest is learned.
"""

import matplotlib.pyplot as plt

from atomlearn.problems import drawing, sudoku

puzzle = """
. . . . 1 .
. 3 . . . .
. . 2 . . .
. . . 5 . .
. . . . 4 .
. 6 . . . .
"""
grids = []
solver = sudoku.solve(puzzle, random_state=0, on_epoch=grids.append)
solved = next(solver)
print(solver.summary)
figure, axes = plt.subplots(1, 2, figsize=(7, 3.7), layout="constrained")
for grid, axis in zip((grids[0] if grids else solved, solved), axes, strict=True):
    drawing.draw_grid(grid, axis)
    axis.set_axis_off()
plt.show()
