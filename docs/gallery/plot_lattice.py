"""
A lattice of concepts
=====================

Which living beings share what? A formal context is a table of crosses; its concepts are the sets of
objects that share a set of attributes. Names above a dot belong to everything below it.
"""

from atomlearn.algebra import Context
from atomlearn.views import draw_lattice

names = ["leech", "bream", "frog", "dog", "spike-weed", "reed", "bean", "maize"]
attributes = ["needs water", "lives in water", "lives on land", "needs chlorophyll"]
attributes += ["two seed leaves", "one seed leaf", "can move", "has limbs", "suckles"]
crosses = """
    XX....X..  XX....XX.  XXX...XX.  X.X...XXX  XX.X.X...  XXXX.X...  X.XXX....  X.XX.X...
""".split()
water = Context(names, attributes, [[cross == "X" for cross in row] for row in crosses])
for implication in water.implications():
    print(implication)

# %%
# All of these implications can be read off the diagram:

figure = draw_lattice(water)
