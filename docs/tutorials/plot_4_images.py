"""
Images and symmetries
=====================

Pixels are columns, and atoms over pixels can be drawn. Where the meaning of an image stays the same
when its columns are swapped, say so as a symmetry, and fewer examples are enough.
"""

# %%
# Images with and without a complete vertical bar, with 8 × 8 black and white pixels:

from atomlearn import AlgebraicClassifier
from atomlearn.datasets import vertical_bars
from atomlearn.views import draw_images

shape = (8, 8)
X, y = vertical_bars(200, shape=shape, random_state=0)
figure = draw_images(X[:8], shape, titles=["bar" if label else "none" for label in y[:8]])

# %%
# Learn from 200 images, and test on 2,000 new ones:

X_new, y_new = vertical_bars(2000, shape=shape, random_state=1)
plain = AlgebraicClassifier(random_state=0, image_shape=shape, evidence="strict", max_epochs=20)
plain.fit(X, y)
print(f"error {1 - plain.score(X_new, y_new):.1%}")

# %%
# Symmetries
# ----------
# Whether there is a bar does not depend on the order of the columns, nor on that of the rows. Each
# symmetry is a map of pixels; atoms are moved by them, and so one example teaches many.

from atomlearn.tables import column_swaps, row_swaps

moved = AlgebraicClassifier(
    random_state=0,
    image_shape=shape,
    evidence="strict",
    max_epochs=20,
    symmetries=column_swaps(shape) + row_swaps(shape),
)
moved.fit(X, y)
print(f"error {1 - moved.score(X_new, y_new):.1%}")

# %%
# A symmetry that the data contradict is left out with a warning, if there are enough images. Give only
# those that you know to hold.
#
# What was learned
# ----------------
# The class as a sentence about rows and columns, if one fits:

print(moved.definition(True))

# %%
# And why one image is what it is: the pixels of atoms that it misses, in red.

figure = moved.explain(X_new[0]).plot()
# sphinx_gallery_thumbnail_number = 2
