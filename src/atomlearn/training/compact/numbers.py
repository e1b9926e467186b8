"""Cards of a number: rules that each add a rounded amount, and their measures on held-out rows."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from atomlearn.engine.misses import blocks_of
from atomlearn.sets.rows import Rows
from atomlearn.training.boosting.losses import row_loss
from atomlearn.training.boosting.trees import Splits
from atomlearn.training.compact.card import Card
from atomlearn.training.compact.lesson import Teacher
from atomlearn.training.compact.rules import Sides
from atomlearn.training.compact.search import distil_number
from atomlearn.training.compact.sizes import Size, n_measured
from atomlearn.training.data import HardRules
from atomlearn.training.numbers import HeldOutNumbers, NumberModel
from atomlearn.training.scores import one_thread
from atomlearn.typing import Floats, Integers

FINE = 100.0
"""Amounts are rounded to about this part of the spread of the number."""
LOG_UNIT = 0.01
"""Amounts of logarithms are rounded to this."""


class NumberCards(NamedTuple):
    """Cards of several sizes, with measures and predictions on held-out rows."""

    cards: dict[int, Card]
    sizes: tuple[Size, ...]
    held_out: dict[int, HeldOutNumbers]


def round_unit(model: NumberModel) -> float:
    """Return the unit of amounts: 1, 2 or 5 times a power of ten."""
    if model.is_log:
        return LOG_UNIT
    wanted = model.scale.unit / FINE
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(f"{next(n for n in (5, 2, 1) if n * power <= wanted * (1 + 1e-9)) * power:.0e}")


def number_size(held: HeldOutNumbers, model: NumberModel, n_atoms: int, is_full: bool) -> Size:
    """Return the mean absolute error and the mean loss of predictions, with standard errors."""
    share = held.weights / held.weights.sum()
    several = 1.0 / float((share**2).sum())

    def summary(values: Floats) -> tuple[float, float]:
        mean = float(share @ values)
        spread = float(share @ (values - mean) ** 2)
        return mean, float(np.sqrt(spread / max(several - 1.0, 1.0)))

    errors, losses = np.abs(held.targets - held.predictions), losses_of(model, *held[:2])
    return Size(n_atoms, *summary(errors), *summary(losses), is_full, len(errors))


def losses_of(model: NumberModel, targets: Floats, predictions: Floats) -> Floats:
    """Return the loss of each prediction; the absolute loss is the absolute error."""
    pairs = zip(targets, predictions, strict=True)
    factor = 2.0 if model.name == "absolute" else 1.0
    return factor * np.array([row_loss(model.loss, *pair) for pair in pairs])


def find_number_cards(
    teacher: Teacher,
    model: NumberModel,
    rules: HardRules,
    find_splits: Callable[[Rows], Splits],
    sizes: Sequence[int],
    unit: float,
) -> NumberCards:
    """Distil cards of all sizes, and measure cards of the same sizes on the rows of each fold."""
    sides = Sides(find_splits(teacher.rows), teacher.rows, len(teacher.columns), rules.signs)
    last = teacher.n_folds
    scale, center = model.scale.unit, model.scale.center
    if model.is_log:
        scale, center = 1.0, float(np.log(model.scale.unit))
    found: dict[int, list[HeldOutNumbers]] = {size: [] for size in sizes}
    cards: dict[int, Card] = {}
    with one_thread():
        for f in [*range(n_measured(teacher)), last]:
            held = np.flatnonzero(teacher.fold == f)
            if f < last and not len(held):
                continue
            rows = teacher.rows[teacher.learned_from(f)]
            made = teacher.made(f, f == last)
            cards = distil_number(teacher.lessons[f], made, sides, rows, sizes, unit, scale, center)
            for size in sizes if f < last else ():
                found[size].append(predicted(cards[size], model, rules, teacher, held))
    if not found[sizes[0]]:
        return NumberCards(cards, (), {})
    judged = {
        size: HeldOutNumbers(*(np.concatenate(one) for one in zip(*parts, strict=True)))
        for size, parts in found.items()
    }
    measured = tuple(number_size(judged[size], model, len(cards[size]), False) for size in sizes)
    return NumberCards(cards, measured, judged)


def predicted(
    card: Card,
    model: NumberModel,
    rules: HardRules,
    teacher: Teacher,
    which: Integers,
) -> HeldOutNumbers:
    """Return the predictions of a card for some rows of the teacher."""
    rows = teacher.rows[which]
    blocks = blocks_of(rows, rows.shape[1] * 64)
    low, high = rules.bounds_of(rows)
    predictions = model.predictions(card.scores(blocks, len(rows))[:, 0], rules, low, high)
    spread = model.expected(blocks, len(rows))
    assert teacher.targets is not None
    return HeldOutNumbers(teacher.targets[which], predictions, spread, teacher.weights[which])
