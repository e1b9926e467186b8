"""The paper's numbers, from the functions that are said to give them; history beside them."""

import math

import numpy as np
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.datasets import vertical_bars
from atomlearn.logic.comparison import (
    atoms_needed,
    chance_to_hold,
    compression,
    error_times_compression,
    log_grid_symmetries,
    predicted_error,
)
from atomlearn.views.pictures import compressions, plot_history


def test_atoms_for_one_false_positive_in_a_thousand():
    """Section 3.2: "A > 29.9" (29.96, cut), so that about 30 atoms suffice."""
    needed = atoms_needed(1 / 1000, chance_to_hold(15, 0.1))
    assert math.floor(10 * needed) / 10 == 29.9
    assert chance_to_hold(15, 0.1) ** 30 < 1 / 1000 < chance_to_hold(15, 0.1) ** 29


def test_ways_to_choose_thirty_exact_atoms():
    """Section 3.2: "of the order of 10^529"."""
    assert round(30 * math.log10(15**15)) == 529


def test_the_three_laws():
    """Section 3.4 and the appendix: ln 2, ln 3 / 2, and with the symmetries of a grid."""
    C, kappa = 2 * 49, 500.0
    assert predicted_error(kappa, C, paired=False) == pytest.approx(math.log(2) * C / kappa)
    assert predicted_error(kappa, C) == pytest.approx(math.log(3) / 2 * C / kappa)
    with_symmetries = (49 * math.log(3) - 2 * math.log(math.factorial(7))) / kappa
    symmetries = log_grid_symmetries(7, 7)
    assert predicted_error(kappa, C, log_symmetries=symmetries) == pytest.approx(with_symmetries)


def test_the_number_of_atoms_behind_the_laws():
    """``ln|Ω_Z| / Z`` is ``ln 2^C``, or ``ln 3^(C/2)`` for pairs."""
    assert error_times_compression(10, paired=False) == pytest.approx(math.log(2**10))
    assert error_times_compression(10) == pytest.approx(math.log(3**5))


@pytest.mark.parametrize(("d", "plain", "symmetric"), [(7, 53.83, 36.78), (10, 109.86, 79.65)])
def test_the_lines_of_the_even_and_odd_figure(d, plain, symmetric):
    """The two sizes of Figure 10: d² ln 3, and less 2 ln d!."""
    symmetries = log_grid_symmetries(d, d)
    assert error_times_compression(2 * d * d) == pytest.approx(plain, abs=0.005)
    constant = error_times_compression(2 * d * d, log_symmetries=symmetries)
    assert constant == pytest.approx(symmetric, abs=0.005)
    needed = predicted_error(0.01, 2 * d * d, log_symmetries=symmetries)
    assert predicted_error(needed, 2 * d * d, log_symmetries=symmetries) == pytest.approx(0.01)


def test_impossible_questions():
    with pytest.raises(ValueError, match="at least one atom"):
        compression(10, 0)
    with pytest.raises(ValueError, match="is positive, not 0"):
        predicted_error(0, 100)
    with pytest.raises(ValueError, match="from 0 to 1, not 2"):
        chance_to_hold(15, 2)
    with pytest.raises(ValueError, match="between 0 and 1"):
        atoms_needed(0, 0.5)


def test_history_of_a_classifier_beside_the_lines():
    X, y = vertical_bars(5400, shape=(4, 4), noise=0.4, random_state=1)
    X = np.hstack(
        [X, vertical_bars(5400, shape=(4, 4), noise=0.5, random_state=2)[0]]
    )  # rows differ
    classifier = AlgebraicClassifier(random_state=0, max_epochs=30, evidence="strict").fit(X, y)
    n = int(classifier.sample_.totals.sum())
    points = compressions(classifier.history_, n)
    for kappa, error in points.values():
        assert len(kappa) == len(error) > 0 and (kappa <= n).all()
    figure = plot_history(classifier.history_, 64, n_examples=n, log_symmetries=1.0)
    lines = figure.axes[0].get_lines()
    assert [line.get_label() for line in lines] == [
        "False", "True", "random picking", "random picking, with symmetries",
    ]  # fmt: skip
    x, drawn = lines[2].get_data()
    assert np.allclose(np.array(x) * np.array(drawn), error_times_compression(64))
