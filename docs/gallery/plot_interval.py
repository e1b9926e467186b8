"""
Intervals of a number
=====================

A column, and a number whose noise grows with it. The interval of each row is to have 90 % of the
numbers; it is wider where the errors on held-out rows were larger.
"""

import matplotlib.pyplot as plt
import numpy as np

from atomlearn import AlgebraicRegressor

rng = np.random.default_rng(0)


def truth(x):
    """The mean of the number."""
    return 3 * np.sin(x) + x


x = rng.uniform(0, 10, 1500)
y = truth(x) + rng.normal(0, 0.15 + 0.15 * x)
reg = AlgebraicRegressor(random_state=0).fit(x[:1000, None], y[:1000])
low, high = reg.predict_interval(x[1000:, None], coverage=0.9).T
inside = np.mean((low <= y[1000:]) & (y[1000:] <= high))

grid = np.linspace(0, 10, 500)
low, high = reg.predict_interval(grid[:, None], coverage=0.9).T
figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
axis.fill_between(grid, low, high, alpha=0.3, label=f"90 % interval: {inside:.0%} of new rows")
axis.plot(grid, reg.predict(grid[:, None]), label="prediction")
axis.plot(grid, truth(grid), color="black", ls=":", label="truth")
axis.scatter(x[1000:], y[1000:], s=3, color="grey")
axis.set(xlabel="x", ylabel="y")
axis.legend()
plt.show()
