"""
A contradiction explained
=========================

Relations that cannot all hold are found before learning, with a derivation from which nothing can be
left out. Here the derivation is drawn as a graph.
"""

import matplotlib.pyplot as plt

from atomlearn import Algebra

alg = Algebra("dog mammal animal mortal oak plant living".split())
alg.add(
    alg.relation(text)
    for text in [
        "mammal < dog",
        "animal < mammal",
        "mortal < animal",
        "plant < oak",
        "living < plant",
        "mortal !< dog",  # this cannot be
    ]
)
conflict = alg.conflicts()[0]
print(conflict)

# %%
# The relations of the derivation in colour, all others in grey:

used = {str(relation) for relation in conflict.derivation}
places = {"dog": (0, 1), "mammal": (1, 1), "animal": (2, 1), "mortal": (3, 1)}
places |= {"oak": (0, 0), "plant": (1, 0), "living": (2, 0)}
figure, axis = plt.subplots(figsize=(7, 2.6), layout="constrained")
for relation in alg.positive:
    left, right = (part.strip() for part in str(relation).split("<"))
    colour = "crimson" if str(relation) in used else "grey"
    arrow = {"arrowstyle": "->", "color": colour, "lw": 2, "shrinkA": 26, "shrinkB": 26}
    axis.annotate("", places[left], places[right], arrowprops=arrow)
for name, (x, y) in places.items():
    axis.text(x, y, name, ha="center", va="center", bbox={"boxstyle": "round", "fc": "white"})
axis.set(xlim=(-0.5, 3.5), ylim=(-0.5, 1.5), title=f"why {conflict.relation} fails")
axis.set_axis_off()
plt.show()
