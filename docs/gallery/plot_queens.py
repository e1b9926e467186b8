"""
Queens, epoch by epoch
======================

Two queens are given on a board of 8 × 8. Each epoch learns the rules and the game anew; what its
model says of the solution becomes fuller until a board is complete. Idle epochs learn the rules
without the game.
"""

import matplotlib.pyplot as plt

from atomlearn.problems import drawing, queens

boards = []
solver = queens.solve(8, queens=["b4", "d5"], random_state=0, on_epoch=boards.append)
found = next(solver)
print(found)

# %%
# Some of the epochs on the way:

chosen = [boards[k] for k in sorted({0, len(boards) // 3, 2 * len(boards) // 3, len(boards) - 1})]
figure, axes = plt.subplots(2, 2, figsize=(6.4, 6.6), layout="constrained")
for board, axis in zip(chosen, axes.ravel(), strict=True):
    drawing.draw_board(board, axis)
    axis.set_axis_off()
plt.show()
