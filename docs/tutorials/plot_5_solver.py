"""
Your own formal problem, with ``Solver``
========================================

Four runners, four lanes, two wishes: from words to relations to answers. State what holds, not how
to search. For problems like this a constraint solver is faster and complete; what is shown here is
that rules are input to a learner, in the same form as examples.
"""

# %%
# Choices
# -------
# Name everything that can be so or not so. Exactly one lane for each runner, and one runner for each
# lane: these are groups of choices from which one is made. ``one_of_each`` makes rules of them, and
# ``also`` adds what a choice excludes besides: if Bob runs in lane 4, Ann does not run in lane 1.

from atomlearn.problems import one_of_each, play

runners, lanes = ["ann", "bob", "cem", "dot"], [1, 2, 3, 4]
groups = [[f"{r}{k}" for k in lanes] for r in runners] + [
    [f"{r}{k}" for r in runners] for k in lanes
]
rules = one_of_each(groups, also={"bob4": ["ann1"]})

# %%
# A game
# ------
# What is asked this time: Bob runs in lane 4. ``play`` takes out first what follows by closure, which
# is exact; only what is left open has to be learned.

game = play(rules, given=["bob4"])
print("given or derived:", sorted(game.chosen))
print("ruled out:       ", sorted(game.excluded))
print("open:            ", sorted(game.choices))

# %%
# Behind it is an algebra. Each choice has a constant for *yes* and one for *no*; the rules hold for
# whatever is merged with ``U``, and ``S`` is the solution:

for relation in list(game.algebra.positive)[:4]:
    print(relation)
print("consistent:", game.algebra.conflicts() == [])

# %%
# An answer
# ---------
# A class says how an answer is checked and printed, a function how it is read. ``solved`` is plain Python that knows nothing of
# algebra: the engine proves that your relations hold in its models, but it cannot know whether they
# say what you meant.

from dataclasses import dataclass
from typing import ClassVar

from atomlearn.problems import Answer, Solver


@dataclass(frozen=True, repr=False)
class Lanes(Answer):
    fields: ClassVar[tuple[str, ...]] = ("lanes",)

    lanes: dict[str, int]

    @property
    def progress(self):
        return f"{len(self.lanes)} of 4 runners"

    def solved(self):
        complete = sorted(self.lanes.values()) == [1, 2, 3, 4]
        return complete and self.lanes["bob"] == 4 and self.lanes["ann"] != 1

    def __str__(self):
        return " ".join(f"{runner}:{self.lanes.get(runner, '?')}" for runner in runners)


def read(shown):
    found = {r: [k for k in lanes if f"{r}{k}" in shown.chosen] for r in runners}
    return Lanes({r: ks[0] for r, ks in found.items() if len(ks) == 1}, **shown.origin)


# %%
# Solve
# -----
# The solver is an iterator. Each epoch learns the relations anew, keeps what it learned as pins, and
# asks its model what ``S`` is.

solver = Solver(game, read, random_state=0, max_epochs=60)
answers = list(solver)
for answer in answers:
    print(answer, "| epoch", answer.epoch)
print(solver.summary)

# %%
# Is that all? Four answers can be counted by hand here: Ann has lane 2 or 3, and Cem and Dot share
# the rest.

from itertools import permutations

legal = [p for p in permutations(lanes) if p[1] == 4 and p[0] != 1]
print(f"{len(answers)} of {len(legal)} found")

# %%
# Each as a board, with a row for each runner and a column for each lane:

import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, len(answers), figsize=(8, 2.4), layout="constrained", squeeze=False)
for axis, answer in zip(axes[0], answers, strict=True):
    axis.imshow([[answer.lanes[r] == k for k in lanes] for r in runners], cmap="Blues")
    axis.set(xticks=range(4), xticklabels=lanes, yticks=range(4), yticklabels=runners)
plt.show()

# %%
# No answer
# ---------
# A contradiction among what is given is refused, with the givens that clash; where closure proves
# that there is no solution, the solver ends at once and says why.

from atomlearn import InconsistentRelations

try:
    Solver(play(rules, given=["bob4", "ann1"]), read)
except InconsistentRelations as error:
    print(error)
