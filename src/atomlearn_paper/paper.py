"""The paper's own numbers, from ``paper.toml``, which says where each stands; rates are shares."""

import tomllib
from importlib.resources import files
from typing import NamedTuple

_PRINTED = tomllib.loads((files("atomlearn_paper") / "paper.toml").read_text(encoding="utf-8"))
_TOY, _BARS, _MNIST, _QUEENS = (_PRINTED[name] for name in ("toy", "bars", "mnist", "queens"))


class Rates(NamedTuple):
    """Error, false positive and false negative ratio."""

    error: float
    fpr: float
    fnr: float


class Parity(NamedTuple):
    """What the paper says of even and odd bars at one size and noise."""

    size: int
    noise: float
    atoms: int | None = None
    votes_error: float | None = None
    off_line: float | None = None
    """How far ``ε κ`` was from the line with symmetries, at the end."""


class QueensRow(NamedTuple):
    """One experiment of Table 2."""

    attempts: int
    full: int
    repeated: int
    p: float


def _rates(row: list[float]) -> Rates:
    return Rates(*(round(value / 100, 6) for value in row))


def _table(name: str) -> tuple[Rates, ...]:
    return tuple(_rates(row) for row in _MNIST[name])


TOY_FREEST, TOY_LEAST_FREE = _TOY["freest"], _TOY["least_free"]
TOY_LEARNED, TOY_EXACT = ([set(atom.split()) for atom in _TOY[key]] for key in ("learned", "exact"))
BARS_ATOMS = _BARS["atoms"]
BARS_EARLY, BARS_LATE = (_BARS[key]["examples"] for key in ("early", "late"))
BARS_EARLY_ERROR, BARS_LATE_ERROR = (_BARS[key]["error"] / 100 for key in ("early", "late"))
PARITY = tuple(Parity(**row) for row in _PRINTED["parity"])
TEST_IMAGES = tuple(_MNIST["test_images"])
AGREE_ON_0 = _MNIST["agree_on_0"] / 100
SINGLE_AS_PRINTED, VOTES, MISSES = map(_table, ("single_as_printed", "votes", "misses"))
SINGLE_MEAN, VOTES_MEAN_AS_PRINTED, MISSES_MEAN = (
    _rates(_MNIST[key]) for key in ("single_mean", "votes_mean_as_printed", "misses_mean")
)
SEVEN_OF_TEN = dict(zip(("0", "9", "mean"), _table("seven_of_ten"), strict=True))
MISSES_CUTS = tuple(_MNIST["misses_cuts"])
QUEENS = tuple(QueensRow(*row) for row in _QUEENS["table_2"])
QUEENS_CHANCE = _QUEENS["chance"]

SINGLE = (
    SINGLE_AS_PRINTED[0],
    SINGLE_AS_PRINTED[1]._replace(fpr=0.0165),  # what its error and its FNR leave
    *(
        SINGLE_AS_PRINTED[digit]._replace(fpr=SINGLE_AS_PRINTED[digit - 1].fpr)
        for digit in range(2, 10)
    ),
)
"""Table 1A as it must have been: from digit 2 on, each FPR is printed one row too high. With the
FPR of the row above, the printed error of digits 2 to 9 follows exactly (:func:`error_of`)."""


def error_of(digit: int, fpr: float, fnr: float) -> float:
    """The error that these ratios make, with so many images of the digit in the test set.

    >>> round(100 * error_of(2, 0.0415, 0.0794), 2), SINGLE[2].error
    (4.54, 0.0454)
    """
    share = TEST_IMAGES[digit] / sum(TEST_IMAGES)
    return float(share * fnr + (1 - share) * fpr)
