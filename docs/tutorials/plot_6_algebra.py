"""
The algebra, step by step
=========================

Section 2 of `the paper <https://arxiv.org/abs/1803.05252>`_: is there a black vertical bar in an
image of 2 × 2 pixels? From relations to the freest model, to crossing, to a learned model, to the
formula it stands for.
"""

# %%
# Constants, terms, relations
# ---------------------------
# Pixels in black are ``c1`` (bottom left), ``c2`` (top left), ``c3`` (top right), ``c4`` (bottom right);
# ``c5`` to ``c8`` are the same in white. An image is the merge of its pixels. Two images have a bar, and
# three have none:

from atomlearn import Algebra

alg = Algebra("v c1 c2 c3 c4 c5 c6 c7 c8".split())
alg.add(
    alg.relation(text)
    for text in [
        "v < c1 c2 c7 c8",
        "v < c3 c4 c5 c6",
        "v !< c2 c4 c5 c7",
        "v !< c3 c5 c6 c8",
        "v !< c4 c5 c6 c7",
    ]
)
print(alg.conflicts())

# %%
# What follows
# ------------
# Exact, by closure, with a derivation. What neither follows nor is contradicted is *open*: that is
# where learning begins.

for text in ["v < c1 c2 c3 c7 c8", "v < c4 c5 c6 c7", "v < c1 c2 c3 c4"]:
    print(alg.query(alg.relation(text)), "\n")

# %%
# Atoms
# -----
# A model is a set of atoms, and an atom is a set of constants. A term has an atom if it has one of its
# constants; ``a < b`` holds if ``b`` has every atom of ``a``. With one atom for each constant no relation
# holds between different constants:

free = Algebra(["v", "c1", "c2"])
print([str(atom) for atom in free.freest().atoms])
print(free.freest().holds(free.relation("v < c1 c2")))

# %%
# Crossing
# --------
# To make ``v < c1 c2`` hold, each atom of ``v`` that ``c1 c2`` lacks is replaced by its unions with atoms of
# ``c1 c2``. This is *full crossing*, and gives the freest model of the relation:

free.add(free.relation("v < c1 c2"))
print([sorted(atom.constants) for atom in free.freest().atoms])

# %%
# Two images crossed in full: sixteen atoms of ``v``, one for each pair of a pixel of the first image
# with one of the second. It remembers the two images, and nothing else.

freest = alg.freest()
print(freest, "|", len(freest.atoms_of(alg["v"])), "atoms of v")
print(freest.holds(alg.relation("v < c1 c2 c3 c4")))

# %%
# The opposite is the least-free model, which has an atom for each negative example:

print([sorted(atom.constants) for atom in alg.least_free().atoms])

# %%
# The dual and its traces
# -----------------------
# Learning wants a model between the two. A second algebra, the dual ``M*``, records which negative
# relations must stay false: one atom ζ for each negative example. The *trace* of a constant is what
# its atoms have in common there. ``Embedding`` runs the paper's algorithms one at a time, and prints
# the state after each:

from atomlearn.engine import Embedding

steps = Embedding(alg, random_state=11)
print(steps.build_dual())

# %%
# Trace constraints (Algorithms 1 and 2)
# --------------------------------------
# Atoms are added until traces say of each negative relation that it is false, and of each positive
# one that crossing may make it true:

print(steps.enforce_traces())
print("unmet:", steps.unmet())

# %%
# Sparse crossing (Algorithm 3)
# -----------------------------
# Each atom of ``v`` is united with as few atoms of the image as keep its trace. One is enough for the
# first image, two are needed for the second:

for relation in alg.positive:
    print(relation)
    print(steps.cross(relation))

# %%
# Reduction and pinning (Algorithms 4 and 6)
# ------------------------------------------
# Atoms that no constant needs for its trace are dropped. What is left is the paper's model. It is
# remembered as pinning terms, each the merge of all constants outside of an atom:

print(steps.reduce())
print("pins:", *steps.pin(), sep="\n  ")

# %%
# One epoch
# ---------
# ``learn`` does all of it, and generalises:

model = alg.learn(random_state=0)
print(model, "|", [sorted(atom.constants) for atom in model.atoms_of(alg["v"])])
print(all(model.holds(relation) for relation in alg.relations))
print("all black has a bar:", model.holds(alg.relation("v < c1 c2 c3 c4")))
print("all white has none: ", not model.holds(alg.relation("v < c5 c6 c7 c8")))

# %%
# It lies between the two models that only remember:

print(freest.is_freer_than(model), model.is_freer_than(alg.least_free()))

# %%
# Epochs and pins
# ---------------
# What an epoch has learned is kept as pinning terms, and goes into the next one:

epochs = alg.epochs(random_state=0)
for _ in range(3):
    epoch = epochs.run(alg)
    print(epoch.model)

# %%
# The exact atoms
# ---------------
# If the meaning is known as a formula, so are its atoms. *There is a column of which all pixels are
# black* has four, and learning from more examples finds them:

from atomlearn.logic import ExactAtomization, Has, compare, exists, forall

bar = exists([(1, 2), (3, 4)], lambda column: forall(column, lambda i: Has(f"c{i}")))
exact = ExactAtomization(bar)
print(sorted(map(sorted, exact)))
print(compare(model, exact, "v"))
print(exact.model(alg, "v").definition(alg["v"], grid=[["c2", "c3"], ["c1", "c4"]]))

# %%
# Drawn as images, each has one pixel of each column. Only an image with a black column has a pixel
# of all four.

from atomlearn.views import draw_atoms

pixels = ["c2", "c3", "c1", "c4"]  # row by row, from the upper left
black = [[pixel in atom for pixel in pixels] for atom in exact]
figure = draw_atoms(black, [[False] * 4 for _ in black], (2, 2))
