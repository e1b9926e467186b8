"""
A graph coloured
================

The Petersen graph with three colours, neighbours different.
"""

import matplotlib.pyplot as plt

from atomlearn.problems import colouring, drawing

outer = [(f"a{i}", f"a{(i + 1) % 5}") for i in range(5)]
inner = [(f"b{i}", f"b{(i + 2) % 5}") for i in range(5)]
spokes = [(f"a{i}", f"b{i}") for i in range(5)]
found = next(colouring.solve(outer + inner + spokes, 3, random_state=0))
print(found)
figure, axis = plt.subplots(figsize=(4, 4), layout="constrained")
drawing.draw_colouring(found, axis)
axis.set_axis_off()
plt.show()
