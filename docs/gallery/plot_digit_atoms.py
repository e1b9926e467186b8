"""
Atoms of digits
===============

What the classifier knows of a digit, as pictures: each small image is an atom of the class *3*. A
pixel is as dark as the middle of what its condition allows; blue pixels do not matter to the atom.
"""

from sklearn.datasets import load_digits

from atomlearn import AlgebraicClassifier

X, y = load_digits(return_X_y=True)
keep = y < 4
clf = AlgebraicClassifier(random_state=0, image_shape=(8, 8), max_epochs=5, evidence="strict")
clf.fit(X[keep][:400], y[keep][:400])

# %%
# The largest atoms show something of the shape.

import numpy as np

from atomlearn.views import draw_greys


def greys(literals):
    """The shade that each pixel of an atom asks for: the middle of what its condition allows."""
    image = np.full(64, np.nan)
    for literal in literals:
        row, column, sign, value = READ.match(literal).groups()
        pixel = (int(row) - 1) * 8 + int(column) - 1
        image[pixel] = (float(value) + 16) / 2 if sign == ">" else float(value) / 2
    return 1 - image / 16


import re

READ = re.compile(r"row (\d+), column (\d+) ([>≤<≥]) ([\d.]+)")
frame = clf.atoms_frame()
mine = frame[frame["class"] == 3].sort_values("size", ascending=False)
readable = [atom.split(" or ") for atom in mine["atom"] if all(map(READ.match, atom.split(" or ")))]
figure = draw_greys([greys(atom) for atom in readable[:12]], (8, 8), columns=6)
