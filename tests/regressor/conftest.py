"""One table of numbers for all tests of the regressor."""

import numpy as np
import pandas as pd
import pytest

from atomlearn import AlgebraicRegressor


def prices(n=400, seed=0):
    """Prices of flats: they rise with size, fall with age, and some have no area."""
    rng = np.random.default_rng(seed)
    size = np.where(rng.random(n) < 0.05, 0.0, rng.gamma(6, 15, n).round())
    X = pd.DataFrame(
        {
            "size": size,
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 80, n)),
            "rooms": np.clip((size / 30).round(), 1, 6),
            "city": rng.choice(["Bonn", "Jena", "Ulm"], n),
        }
    )
    y = 3 * size + 40 * (X.city == "Bonn") - 0.5 * X.age.fillna(30) + 100
    y = y + rng.normal(size=n) * (5 + 0.3 * size)
    return X, pd.Series(np.where(size == 0, 0.0, y), name="price")


@pytest.fixture(scope="session")
def flats():
    return prices()


@pytest.fixture(scope="session")
def fitted(flats):
    return AlgebraicRegressor(random_state=0).fit(*flats)
