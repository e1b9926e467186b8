"""The greedy choice of a card's rules.

The rule with the largest gain (gradient² / Hessian of the cross-entropy, on both sides, divided by
the square root of its length) comes next, and all weights are fitted again. The best candidates are
tried with one condition more. Before a card is made, weak rules are replaced by better ones.

Where a few strict atoms exclude every row of the other classes, they are a definition of the
classes, and make a card of their own.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Rows, lists_of
from atomlearn.training.boosting.trees import ANY_SIGN, NEGATIVE, POSITIVE, Signs
from atomlearn.training.compact.card import (
    MAX_POINTS,
    Card,
    Conjunction,
    fit_scale,
    rounded_offsets,
    whole_points,
)
from atomlearn.training.compact.lesson import Lesson
from atomlearn.training.compact.rules import FEWEST_ROWS, Choice, Sides, find_choice
from atomlearn.training.scores import SMALLEST, softmax
from atomlearn.typing import Bits, Floats, Integers

MOST_SINGLES = 500
"""Maximum number of single literals among the candidates."""
RIDGE, CURVATURE = 2.0, 5.0
"""Ridge penalty of weights, and what is added to the Hessian of a gain."""
STEPS, FINAL_STEPS, SETTLED = 1, 5, 0.02
"""Newton steps after each rule and before a card is made; smaller steps than this end them."""
EXTENDED, LONGEST = 2, 4
"""Number of candidates, the best, that are tried with one condition more, and the maximum number of
conditions of a rule that is made so."""
SWAPPED = 0.25
"""Share of the rules that may be replaced before a card is made, the weakest."""
FINENESS = (1.0, 1.25)
"""Factors of the largest weight in points that are tried; the one of the lowest loss is taken."""


def distil(
    lesson: Lesson,
    made_rows: Rows,
    sides: Sides,
    rows: Rows,
    labels: Integers,
    sizes: Sequence[int],
    max_points: int = MAX_POINTS,
) -> tuple[dict[int, Card], Card | None]:
    """Return a card of each size, and the exact card of the training ``rows`` if there is one."""
    n = len(made_rows)
    choice = find_choice(sides, lesson, made_rows, rows, labels)
    targets, weights = softmax(lesson.scores.astype(np.float64)), np.ones(n)
    exact = None
    if choice.cover and len(choice.cover) <= max(sizes):
        exact = _exact_card(choice.cover, sides, rows, labels, lesson.scores.shape[1], max_points)
    choice = _fewer(choice, sides, targets, weights)
    search = Search(choice, sides, targets, weights)
    return searched(search, sizes, lambda one: _best_card(sides, one, max_points)), exact


class Search:
    """The greedy choice of rules for soft targets.

    Arrays are class by class, ``(n_classes, n_rows)``, because NumPy is quicker so.
    """

    def __init__(self, choice: Choice, sides: Sides, targets: Floats, weights: Floats) -> None:
        self.targets, self.weights = np.ascontiguousarray(targets.T), weights
        self.candidates, self.sides = choice.rules, sides
        self.place = {rule: i for i, rule in enumerate(choice.rules)}
        self.penalty = np.sqrt([float(len(rule)) for rule in choice.rules])
        self.met = choice.met.astype(np.float32)
        n_singles = sum(len(rule) == 1 for rule in choice.rules)  # they are the first
        self.singles = [rule[0] for rule in choice.rules[:n_singles]]
        n_classes = targets.shape[1]
        self.allowed = sides.allowed(choice.rules, n_classes)
        """Signs that the weights of candidates may have, and of single conditions and opposites."""
        opposites = [(one ^ 1,) for one in self.singles]
        self.single_signs = np.hstack(
            [self.allowed[:, :n_singles], sides.allowed(opposites, n_classes)]
        )
        self.chosen: list[tuple[int, ...]] = []
        self.design = np.ones((1, len(weights)))
        """A row of ones, and for each chosen rule the rows that meet it."""
        self.beta = self._start()[:, None]

    def _start(self) -> Floats:
        """Return the scores without any rule."""
        start = np.log(np.maximum(self.targets @ self.weights / self.weights.sum(), SMALLEST))
        return np.asarray(start - start.mean())

    def means(self, scores: Floats) -> Floats:
        """Return what scores predict: probabilities."""
        return _chances(scores)

    def _bends(self, p: Floats) -> Floats:
        """Return the second derivatives of the loss by the scores."""
        return p * (1.0 - p)

    def add(self) -> bool:
        """Add the rule of the largest gain; return whether there was one."""
        best = self._best(self.means(self.beta @ self.design))
        if best is None:
            return False
        self.chosen.append(best[0])
        self.design = np.vstack([self.design, best[1]])
        beta = np.hstack([self.beta, 0 * self.beta[:, :1]])
        self.beta = self._fitted(self.design, beta, STEPS, self.chosen)
        return True

    def improve(self) -> None:
        """Fit all weights, and replace the weakest rules by better ones if there are any."""
        self.beta = self._fitted(self.design, self.beta, FINAL_STEPS, self.chosen)
        spread = ((self.beta[:, 1:] - self.beta[:, 1:].mean(axis=0)) ** 2).sum(axis=0)
        weakest = np.argsort(spread * self.design[1:].var(axis=1), kind="stable")
        loss = self._loss(self.design, self.beta)
        for j in weakest[: int(np.ceil(SWAPPED * len(self.chosen)))].tolist():
            rest = np.delete(np.arange(self.beta.shape[1]), j + 1)
            design = self.design[rest]
            others = self.chosen[:j] + self.chosen[j + 1 :]
            beta = self._fitted(design, self.beta[:, rest], 1, others)
            best = self._best(self.means(beta @ design), j)
            if best is None:
                return
            design = self.design.copy()
            design[j + 1] = best[1]
            chosen = [*self.chosen[:j], best[0], *self.chosen[j + 1 :]]
            beta = self._fitted(design, np.insert(beta, j + 1, 0.0, axis=1), STEPS, chosen)
            now = self._loss(design, beta)
            if now < loss:
                self.design, self.beta, loss = design, beta, now
                self.chosen = chosen

    def _best(
        self, p: Floats, replaced: int | None = None
    ) -> tuple[tuple[int, ...], Floats] | None:
        """Return the rule of the largest gain, and the rows that meet it.

        It is a candidate, or one of the best candidates, or the rule to be ``replaced``, with one
        condition more.
        """
        if not self.candidates:
            return None
        few = slice(1) if len(p) == 2 else slice(None)  # of two classes one tells the other
        p, targets = p[few], self.targets[few]
        gradient, slope = _exact(self.weights * (p - targets))
        hessian, bend = _exact(self.weights * self._bends(p))
        both = np.vstack([gradient, hessian])
        total = bend * hessian.sum(axis=1, dtype=np.float64)

        def gains(sums: Floats, allowed: Signs) -> Floats:
            g, h = slope * sums[:, : len(p)], bend * sums[:, len(p) :]
            found = g * g * (1.0 / (h + CURVATURE) + 1.0 / (total - h + CURVATURE))
            wanted = np.where(g > 0, NEGATIVE, POSITIVE)  # the weight goes against the gradient
            return np.asarray((found * ((allowed[few].T & wanted) > 0)).sum(axis=1))

        gain = gains((self.met @ both.T).astype(np.float64), self.allowed) / self.penalty
        gain[[self.place[rule] for rule in self.chosen if rule in self.place]] = -1.0
        order = np.argsort(-gain, kind="stable")
        best, largest = None, 0.0
        if gain[order[0]] > 0:
            best, largest = (self.candidates[order[0]], self.met[order[0]]), gain[order[0]]
        longer = [(self.candidates[i], self.met[i]) for i in order[:EXTENDED].tolist()]
        if replaced is not None:
            longer.append((self.chosen[replaced], self.design[replaced + 1]))
        for rule, met in longer:
            if len(rule) >= LONGEST:
                continue
            ours = (met * np.vstack([both, np.ones_like(met)])).astype(np.float32)
            sums = (self.met[: len(self.singles)] @ ours.T).astype(np.float64)
            sums = np.concatenate([sums, ours.sum(axis=1, dtype=np.float64) - sums])
            allowed = self.sides.allowed([rule], len(self.targets)) & self.single_signs
            gain = gains(sums[:, :-1], allowed) / np.sqrt(len(rule) + 1.0)
            gain[(sums[:, -1] < FEWEST_ROWS) | (sums[:, -1] >= met.sum())] = -1.0
            i = int(gain.argmax())
            if gain[i] <= largest:
                continue
            is_opposite, single = divmod(i, len(self.singles))
            found = self.sides.simplified((*rule, self.singles[single] ^ is_opposite))
            if found not in self.chosen:
                has = self.met[single] != is_opposite
                best, largest = (found, met * has), gain[i]
        return best

    def _fitted(
        self, design: Floats, beta: Floats, most: int, rules: Sequence[tuple[int, ...]]
    ) -> Floats:
        """Return weights nearer to the minimum of the loss, after at most so many Newton steps.

        Each class has a step of its own. The matrix of second derivatives between classes is at
        most twice its diagonal, so twice the diagonal never overshoots. A weight that may not have
        the sign that it is drawn to stays zero.
        """
        low, high = self._bounds(rules)
        ridge = np.full(beta.shape[1], RIDGE)
        ridge[0] = 1e-3
        for _ in range(most):
            p = self.means(beta @ design)
            slopes = (self.weights * (p - self.targets)) @ design.T + ridge * beta
            bends = 2.0 * self.weights * np.maximum(self._bends(p), 1e-4)
            step = np.zeros_like(beta)
            for k in range(len(beta) if len(beta) > 2 else 1):
                matrix = (design * bends[k]) @ design.T
                matrix.flat[:: len(matrix) + 1] += ridge
                drawn = slopes[k]
                free = np.flatnonzero(
                    ((beta[k] > low[k]) | (drawn < 0)) & ((beta[k] < high[k]) | (drawn > 0))
                )
                if len(free) == len(drawn):
                    step[k] = np.linalg.solve(matrix, drawn)
                else:
                    step[k, free] = np.linalg.solve(matrix[np.ix_(free, free)], drawn[free])
            if len(beta) == 2:
                step[1] = -step[0]
            beta = np.clip(beta - np.clip(step, -2.0, 2.0), low, high)
            if np.abs(step).max() < SETTLED:
                break
        return beta

    def _bounds(self, rules: Sequence[tuple[int, ...]]) -> tuple[Floats, Floats]:
        """Return the bounds of the weights of the offset and of each rule, by class."""
        n_classes = len(self.targets)
        signs = np.full((n_classes, 1 + len(rules)), ANY_SIGN, dtype=np.uint8)
        signs[:, 1:] = self.sides.allowed(rules, n_classes)
        return np.where(signs & NEGATIVE, -np.inf, 0.0), np.where(signs & POSITIVE, np.inf, 0.0)

    def _loss(self, design: Floats, beta: Floats) -> float:
        scores = beta @ design
        top = scores.max(axis=0)
        total = top + np.log(np.exp(scores - top).sum(axis=0))
        loss = self.weights @ (total - (self.targets * scores).sum(axis=0))
        return float(loss + 0.5 * RIDGE * (beta[:, 1:] ** 2).sum())


def _chances(scores: Floats) -> Floats:
    """Return the softmax over the first axis."""
    p = np.exp(scores - scores.max(axis=0))
    p /= p.sum(axis=0)
    return p


def _exact(values: Floats) -> tuple[npt.NDArray[np.float32], float]:
    """Return whole numbers and their unit: sums of whole numbers below 2**24 are exact.

    So gains are the same on every machine, whatever the order in which it adds them up.
    """
    largest = float(np.abs(values).max(initial=0.0))
    unit = max(largest, 1e-30) * values.shape[-1] / (1 << 23)
    return np.rint(values / unit).astype(np.float32), unit


class NumberSearch(Search):
    """The greedy choice of rules for a number, by its squared error."""

    def _start(self) -> Floats:
        return np.asarray(self.targets @ self.weights / self.weights.sum())

    def means(self, scores: Floats) -> Floats:
        """Return what scores predict: themselves."""
        return scores

    def _bends(self, p: Floats) -> Floats:
        return np.full_like(p, 0.5)  # so that a step of twice the diagonal is Newton's

    def _loss(self, design: Floats, beta: Floats) -> float:
        squares = (beta @ design - self.targets) ** 2
        return float(0.5 * (squares @ self.weights).sum() + 0.5 * RIDGE * (beta[:, 1:] ** 2).sum())


def searched(
    search: Search, sizes: Sequence[int], make: Callable[[Search], Card]
) -> dict[int, Card]:
    """Return a card of each size, by adding rules one by one."""
    cards: dict[int, Card] = {}
    for size in range(1, max(sizes) + 1):
        is_over = not search.add()
        if size not in sizes and not is_over:
            continue
        search.improve()
        card = make(search)
        cards.update(
            {other: card for other in sizes if other == size or (is_over and other > size)}
        )
        if is_over:
            break
    return cards


def distil_number(
    lesson: Lesson,
    made_rows: Rows,
    sides: Sides,
    rows: Rows,
    sizes: Sequence[int],
    unit: float,
    scale: float,
    center: float,
) -> dict[int, Card]:
    """Return a card of each size for a number, whose amounts are whole multiples of ``unit``.

    The scores of the lesson are the number less ``center``, by ``scale``.
    """
    labels = np.zeros(len(rows), dtype=np.int64)
    choice = find_choice(sides, lesson, made_rows, rows, labels)
    targets, weights = lesson.scores.astype(np.float64), np.ones(len(made_rows))
    choice = _fewer(choice, sides, targets, weights, NumberSearch)
    search = NumberSearch(choice, sides, targets, weights)

    def make(search: Search) -> Card:
        """Round the amounts, and fit the offset to what rounding changed."""
        amounts = np.clip(np.rint(search.beta[:, 1:].T * (scale / unit)), -MOST_AMOUNT, MOST_AMOUNT)
        points = amounts.astype(np.int64)
        used = points.any(axis=1)
        met = search.design[1:][used]
        points = points[used]
        rest = (search.targets[0] * scale - unit * (points[:, 0] @ met)).mean()
        order = np.argsort(-np.abs(points[:, 0]), kind="stable")
        chosen = [search.chosen[i] for i in np.flatnonzero(used).tolist()]
        rules = [sides.conditions(chosen[i]) for i in order.tolist()]
        return Card(
            tuple(rules),
            points[order],
            unit,
            np.rint(np.array([(rest + center) / unit])) + 0.0,
            lists_of([sides.atom(rule) for rule in rules]),
            max(1, int(np.abs(points).max(initial=1))),
        )

    return searched(search, sizes, make)


MOST_AMOUNT = 1 << 30
"""Largest amount of a rule, in units."""


def _fewer(
    choice: Choice,
    sides: Sides,
    targets: Floats,
    weights: Floats,
    kind: type[Search] = Search,
) -> Choice:
    """Return the choice with the most promising of the single conditions, if there are many."""
    single = np.array([len(rule) == 1 for rule in choice.rules], dtype=np.bool_)
    if single.sum() <= MOST_SINGLES:
        return choice
    search = kind(choice, sides, targets, weights)
    p = search.means(search.beta @ search.design)
    gradient, _ = _exact(weights * (p - search.targets))
    gain = ((search.met @ gradient.T).astype(np.float64) ** 2).sum(axis=1)
    gain[~single] = np.inf
    kept = np.sort(np.argsort(-gain, kind="stable")[: MOST_SINGLES + int((~single).sum())])
    return Choice([choice.rules[i] for i in kept], choice.met[kept], [])


def _best_card(sides: Sides, search: Search, max_points: int) -> Card:
    rules = [sides.conditions(rule) for rule in search.chosen]
    met, targets = search.design[1:] > 0, search.targets.T
    best: tuple[float, Integers, tuple[float, Floats]] | None = None
    for factor in FINENESS:
        points = whole_points(search.beta[:, 1:].T, max_points, factor)
        sums = met.T.astype(np.float64) @ points
        start = best[2] if best else None
        scale, offsets, loss = fit_scale(sums, targets, search.weights, start)
        if best is None or loss < best[0]:
            best = loss, points, (scale, offsets)
    assert best is not None
    return make_card(sides, rules, met, best[1], targets, search.weights, max_points, start=best[2])


def _exact_card(
    cover: Sequence[tuple[tuple[int, ...], int]],
    sides: Sides,
    rows: Rows,
    labels: Integers,
    n_classes: int,
    max_points: int,
) -> Card:
    """Return the card of rules that exclude a class each.

    It is right for all ``n`` training rows, so the next one is right with a probability of about
    (n + 1) / (n + 2), by Laplace's rule.
    """
    given, n = sides.of(rows), len(rows)
    met = np.stack([np.bitwise_and.reduce(given[list(rule)], axis=0) for rule, _ in cover])
    doubt = 1.0 / (n + 2)
    targets = np.full((n, n_classes), doubt / max(n_classes - 1, 1))
    targets[np.arange(n), labels] = 1.0 - doubt
    return make_card(
        sides,
        [sides.conditions(rule) for rule, _ in cover],
        packed.unpack(met, n),
        _excluding([k for _, k in cover], n_classes, max_points),
        targets,
        np.ones(n),
        max_points,
        is_exact=True,
    )


def _excluding(classes: Sequence[int], n_classes: int, max_points: int) -> Integers:
    """Return the points of rules that exclude a class each."""
    points = np.zeros((len(classes), n_classes), dtype=np.int64)
    points[np.arange(len(classes)), classes] = -max_points
    if n_classes == 2:
        points[:, 1] -= points[:, 0]
        points[:, 0] = 0
    return points


def make_card(
    sides: Sides,
    rules: Sequence[Conjunction],
    met: Bits,
    points: Integers,
    targets: Floats,
    weights: Floats,
    max_points: int = MAX_POINTS,
    is_exact: bool = False,
    start: tuple[float, Floats] | None = None,
) -> Card:
    """Return the card of these rules and points, with scale and offsets fitted to the targets.

    Both are rounded, so that what is printed is what decides.
    """
    used = points.any(axis=1)
    met, points = met[used], points[used]
    kept = [rules[i] for i in np.flatnonzero(used).tolist()]
    scale, offsets, _ = fit_scale(met.T.astype(np.float64) @ points, targets, weights, start)
    spread, often = points.max(axis=1) - points.min(axis=1), met.sum(axis=1)
    order = np.lexsort((-often, -spread))
    scale = float(f"{scale:.3g}")
    return Card(
        tuple(kept[i] for i in order),
        points[order],
        scale,
        rounded_offsets(offsets, scale),
        lists_of([sides.atom(kept[i]) for i in order]),
        max_points,
        is_exact,
    )
