"""Random picking, the paper's ideal algorithm: every atomization of a tiny algebra is tried.

Images of 2 × 2 pixels, a vertical bar or not: 8 constants, and 3⁴ - 1 atoms that are in at most one
colour of each pixel. A model of ``Z`` atoms of ``v`` is a set of ``Z`` of these.
"""

import math
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from atomlearn_paper.toy import images

Z = 4
DRAWS = 12
"""Training sets that are tried."""


@cache
def picked(R: int) -> dict[str, float]:
    """The mean error of all models of ``Z`` atoms that obey ``R`` of the sixteen images.

    Beside it the memories of section 3.4: the least-free model says yes to all new images, the
    freest says no.
    """
    says, bar = _answers()
    rng = np.random.default_rng(0)
    found: dict[str, list[float]] = {
        k: [] for k in ("random", "memory", "freest", "bound", "fitting")
    }
    while len(found["random"]) < DRAWS:
        chosen = rng.permutation(16)[:R]
        rest = np.setdiff1d(np.arange(16), chosen)
        fits = (says[:, chosen] == bar[chosen]).all(axis=1)
        if not fits.any():
            continue
        found["random"].append(float((says[fits][:, rest] != bar[rest]).mean()))
        found["memory"].append(float((~bar[rest]).mean()))
        found["freest"].append(float(bar[rest].mean()))
        found["bound"].append(math.log(len(says) / fits.sum()) / R)
        found["fitting"].append(float(fits.sum()))
    return {"Z": Z, "R": R} | {key: float(np.mean(values)) for key, values in found.items()}


@cache
def _answers() -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """What every model says of every image, and what is true."""
    bar = np.array([is_bar for _, is_bar in images()])
    held = np.array(
        [[bool(set(atom) & set(pixels)) for pixels, _ in images()] for atom in _atoms()]
    )
    models = np.array(list(combinations(range(len(held)), Z)), dtype=np.uint8)
    says = np.ones((len(models), 16), dtype=bool)
    for k in range(Z):
        says &= held[models[:, k]]
    return says, bar


def _atoms() -> list[tuple[int, ...]]:
    """Atoms by the constants that contain them: pixel ``i`` black, white, or neither."""
    found: list[tuple[int, ...]] = [()]
    for black in range(1, 5):
        found = [(*atom, *more) for atom in found for more in ((), (black,), (black + 4,))]
    return [atom for atom in found if atom]
