"""
Rules and examples together
===========================

Some of what you know is certain: a law, a protocol, a promise. State it as a rule, and let the
examples teach the rest. Every prediction obeys every rule, on rows seen or not.
"""

# %%
# Past decisions of a bank, with mistakes in them:

import numpy as np
import pandas as pd

from atomlearn import AlgebraicClassifier

rng = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "age": rng.integers(16, 70, 400),
        "income": rng.integers(0, 80, 400) * 1000,
        "debt": rng.choice([0, 5000, 20000], 400),
    }
)
y = np.where(X["income"] > 20000 + X["debt"], "grant", "refuse")
y = np.where(rng.random(400) < 0.1, rng.permutation(y), y)

rules = ["refuse if age < 18", "not grant if income = 0"]
clf = AlgebraicClassifier(random_state=0, rules=rules).fit(X, y)

# %%
# Some past decisions broke the rules. The rule wins, and the rows are reported:

for conflict in clf.rule_conflicts_:
    print(conflict.rule, "|", len(conflict.rows), "rows")

# %%
# A rich minor. Nothing in the examples would refuse:

minor = pd.DataFrame({"age": [17], "income": [79000], "debt": [0]})
plain = AlgebraicClassifier(random_state=0).fit(X, y)
print("without rules:", plain.predict(minor)[0])
print("with rules:   ", clf.predict(minor)[0], clf.predict_proba(minor))
print(clf.explain(minor, max_atoms=0))

# %%
# Rules that contradict each other are refused before anything is learned, with the reason:

from atomlearn import InconsistentRelations

try:
    AlgebraicClassifier(rules=["refuse if age < 18", "grant if age < 16"]).fit(X, y)
except InconsistentRelations as error:
    print(error)

# %%
# What rules are worth
# --------------------
# What a rule decides need not be learned, so fewer examples are enough for the rest. Error on 2,000
# new rows that are labelled without mistakes, by the number of examples:

import matplotlib.pyplot as plt


def bank(n, seed):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {
            "age": rng.integers(10, 40, n),
            "income": rng.integers(0, 80, n) * 1000,
            "debt": rng.choice([0, 5000, 20000], n),
        }
    )
    grant = (rows["income"] > 20000 + rows["debt"]) & (rows["age"] >= 18)
    return rows, np.where(grant, "grant", "refuse")


sizes = [25, 50, 100]
quick = {"random_state": 0, "max_epochs": 20}
new = bank(2000, 99)
curves = {"examples": None, "examples and the rule": ["refuse if age < 18"]}
figure, axis = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name, known in curves.items():
    errors = [
        np.mean(
            [
                1 - AlgebraicClassifier(rules=known, **quick).fit(*bank(n, s)).score(*new)
                for s in range(2)
            ]
        )
        for n in sizes
    ]
    axis.plot(sizes, errors, marker="o", label=name)
axis.set(xlabel="examples", ylabel="error on new rows", ylim=(0, None))
axis.legend()
plt.show()
