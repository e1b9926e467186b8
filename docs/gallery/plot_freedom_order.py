"""
Models by freedom
=================

Model A is freer than model B if every negative relation of B holds in A too. The freest model
remembers the positive relations, the least-free one the negative ones; what is learned lies between.
"""

import matplotlib.pyplot as plt

from atomlearn import Algebra

alg = Algebra("v c1 c2 c3 c4 c5 c6 c7 c8".split())
alg.add(alg.relation(text) for text in ["v < c1 c2 c7 c8", "v < c3 c4 c5 c6"])
alg.add(alg.relation(f"v !< {image}") for image in ["c2 c4 c5 c7", "c3 c5 c6 c8", "c4 c5 c6 c7"])

models = {"freest": alg.freest()}
models |= {f"seed {seed}": alg.learn(random_state=seed) for seed in range(4)}
models["least free"] = alg.least_free()
freer = {(a, b) for a in models for b in models if a != b and models[a].is_freer_than(models[b])}

# %%
# An arrow leads from a model to one that is less free. Arrows that follow from others are left out.

direct = [(a, b) for a, b in freer if not any((a, c) in freer and (c, b) in freer for c in models)]
places = {"freest": (1.5, 2), "least free": (1.5, 0)}
places |= {f"seed {seed}": (seed, 1) for seed in range(4)}
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for a, b in direct:
    axis.annotate(
        "", places[b], places[a], arrowprops={"arrowstyle": "->", "shrinkA": 20, "shrinkB": 20}
    )
for name, (x, y) in places.items():
    label = f"{name}\n{models[name].n_atoms} atoms"
    axis.text(x, y, label, ha="center", va="center", bbox={"boxstyle": "round", "fc": "white"})
axis.set(xlim=(-0.6, 3.6), ylim=(-0.4, 2.4))
axis.set_axis_off()
plt.show()
