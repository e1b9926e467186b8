"""
A monotone statement
====================

"bad rises with debt" is obeyed on every row: the curve of the free model goes up and down with the
noise of the examples, that of the stated model never falls.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from atomlearn import AlgebraicClassifier

rng = np.random.default_rng(0)
X = pd.DataFrame({"debt": rng.uniform(0, 100, 400), "age": rng.uniform(20, 70, 400)})
risk = 1 / (1 + np.exp(-(X["debt"] - 50) / 25))
y = np.where(rng.random(400) < risk, "bad", "good")

free = AlgebraicClassifier(random_state=0).fit(X, y)
stated = AlgebraicClassifier(random_state=0, rules=["bad rises with debt"]).fit(X, y)
print(stated.check_rules(X))

# %%
# The probability of a person of 40, against the debt:

line = pd.DataFrame({"debt": np.linspace(0, 100, 501), "age": 40.0})
figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
axis.plot(line["debt"], free.predict_proba(line)[:, 0], color="grey", label="without the statement")
axis.plot(line["debt"], stated.predict_proba(line)[:, 0], color="C0", lw=2, label="with it")
axis.set(xlabel="debt", ylabel="probability of bad", ylim=(0, 1))
axis.legend(frameon=False)
plt.show()
