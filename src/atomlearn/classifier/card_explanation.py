"""Explanations of compact models: the rules that a row meets, their points, and the sum."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from atomlearn.classifier.explanation import MEDIAN, ClassSeen, Explanation, predicted_first
from atomlearn.classifier.scorecard import Scorecard, aligned, logistic, signed
from atomlearn.markup import bars, escape, table
from atomlearn.tables.literals import show
from atomlearn.training.learned import Learned
from atomlearn.training.scores import softmax
from atomlearn.typing import Bits, Floats, Integers

if TYPE_CHECKING:
    pass

MOST_CLASSES = 4
"""Maximum number of classes in an explanation."""


@dataclass(frozen=True, repr=False)
class CardExplanation(Explanation):
    """An explanation of one prediction of a compact model: the rules that the row meets.

    Attributes
    ----------
    card : Scorecard
        The scorecard.
    met : tuple of int
        The places of the rules that the row meets.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atomlearn import AlgebraicClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = AlgebraicClassifier(max_atoms=2, random_state=0).fit(X, y)
    >>> print(clf.explain(X.iloc[140]))
    2 (98.0%)
         2     1     0
         0    +1    −5  if petal length (cm) > 2.5
        +3    −2     0  if petal width (cm) > 1.65
      −1.7  −0.7  +2.3  always
      +1.3  −1.7  −2.7  sum: the probabilities are the softmax of 1.37 × sum
    """

    card: Scorecard = field(kw_only=True)
    met: tuple[int, ...] = field(kw_only=True, default=())

    @property
    def sums(self) -> tuple[float, ...]:
        """The sum of points of each class, with its offset."""
        added = [self.card.offsets, *(self.card.rules[i].points for i in self.met)]
        return tuple(np.sum(added, axis=0).tolist())

    def lines(self) -> Iterator[tuple[tuple[float, ...], str]]:
        """Yield the points of each class and the reason, line by line, the offset last."""
        for i in self.met:
            yield self.card.rules[i].points, f"if {self.card.rules[i]}"
        yield self.card.offsets, "always"

    def _classes(self) -> list[int]:
        if self.card.is_binary:
            return [1]
        place = {str(label): k for k, label in enumerate(self.card.labels)}
        return [place[str(one.label)] for one in self.classes[:MOST_CLASSES]]

    def _cells(self) -> list[list[str]]:
        """Return the points of the shown classes and the reason as text, with their sums below."""
        lines = [*self.lines(), (self.sums, self._ending())]
        return [[*(signed(points[k]) for k in self._classes()), text] for points, text in lines]

    def __str__(self) -> str:
        first = self.classes[0]
        head = [f"{first.label} ({first.probability:.1%})"]
        head += [f"{self.effect_of(rule)}: {rule}" for rule in self.rules]
        names = [str(self.card.labels[k]) for k in self._classes()]
        body = aligned([[*line, ""] for line in ([*names, ""], *self._cells())])
        if not self.is_most_probable:
            body.append(f"{MEDIAN}: {first.label}")
        return "\n".join([*head, *body])

    def _ending(self) -> str:
        scale = show(self.card.scale)
        if self.card.is_binary:
            chance = next(one for one in self.classes if str(one.label) == str(self.card.labels[1]))
            return (
                f"sum: the probability of {chance.label} is 1 / (1 + exp(−{scale} × "
                f"{signed(self.sums[1])})) = {logistic(self.card.scale * self.sums[1]):.1%}"
            )
        return f"sum: the probabilities are the softmax of {scale} × sum"

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, for JSON."""
        return {
            **super().to_dict(),
            "scale": self.card.scale,
            "card": [
                {
                    "rule": text.removeprefix("if "),
                    "points": {str(self.card.labels[k]): points[k] for k in self.card.shown},
                }
                for points, text in self.lines()
            ],
            "sums": {str(self.card.labels[k]): self.sums[k] for k in self.card.shown},
        }

    def to_html(self) -> str:
        """Return the probabilities as bars and the rules that the row meets as a table."""
        first = self.classes[0]
        parts = [f"<p><strong>{escape(str(self.label))}</strong> ({first.probability:.1%})</p>"]
        for rule in self.rules:
            parts.append(f'<p class="against">{self.effect_of(rule)}: {escape(str(rule))}</p>')
        parts.append(bars((str(one.label), one.probability) for one in self.classes[:MOST_CLASSES]))
        ks = self._classes()
        heads = [*(str(self.card.labels[k]) for k in ks), "reason"]
        parts.append(table(heads, self._cells(), numbers=range(len(ks))))
        return "".join(parts)


def explain_by_card(
    learned: Learned,
    card: Scorecard,
    met: Integers,
    forbidden: Bits,
    rules: tuple[Any, ...],
    is_obeyed: bool,
    image: Floats | None,
    pixels: Callable[[int], Floats] | None,
) -> CardExplanation:
    """Explain a row that meets these rules of a card; some classes may be forbidden by rules."""
    points = np.array([rule.points for rule in card.rules]).reshape(len(card), len(card.labels))
    sums = np.array(card.offsets) + points[met].sum(axis=0)
    scores = card.scale * sums
    scores[forbidden] = -np.inf
    chances = softmax(scores[None])[0]
    order = predicted_first(learned, scores[None]).tolist()
    classes = tuple(
        ClassSeen(
            card.labels[k],
            float(chances[k]),
            len(met),
            len(card),
            None,
            (),
            offset=card.scale * card.offsets[k],
            cost=-card.scale * float(points[met, k].sum()),
            is_excluded=bool(forbidden[k]),
            pixels=None if pixels is None else pixels(k),
        )
        for k in order
    )
    return CardExplanation(classes, (), image, rules, is_obeyed, card=card, met=tuple(met.tolist()))
