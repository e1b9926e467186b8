"""
Atoms of a board
================

What is learned about queens, as small boards: a square is black if the atom has *a queen is here*,
white if it has *it is empty*, red for both and grey for none.
"""

import matplotlib.pyplot as plt

from atomlearn.problems import drawing, queens

solver = queens.solve(6, queens=["b1"], random_state=0, max_epochs=30)
board = next(solver)
atoms = sorted(board.model.atoms, key=lambda atom: -len(atom.constants))[:12]
figure, axes = plt.subplots(2, 6, figsize=(9, 3.2), layout="constrained")
for atom, axis in zip(atoms, axes.ravel(), strict=False):
    drawing.draw_atom(atom, 6, axis)
for axis in axes.ravel():
    axis.set_axis_off()
plt.show()
