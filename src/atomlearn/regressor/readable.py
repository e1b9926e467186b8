"""A fitted regressor for people."""

from typing import Any

import numpy as np

from atomlearn.classifier.readable import FeatureImportance
from atomlearn.engine.misses import Blocks
from atomlearn.training.boosting.losses import row_loss
from atomlearn.training.learned import Learned
from atomlearn.training.numbers import NumberModel
from atomlearn.training.parts import Part
from atomlearn.typing import Floats


class ReadableNumbers(FeatureImportance):
    """Mixin for predictions and explanations."""

    learned_: Learned
    numbers_: NumberModel
    n_jobs: int | None
    loss: str

    def _predicted(self, blocks: Blocks, n: int) -> Floats:
        """Return the predictions of transposed rows."""
        learned = self.learned_
        scores = learned.deciding().scores(blocks, n, self.n_jobs)[:, 0]
        low, high = learned.rules.bounds_in(blocks, n) if learned.rules else (None, None)
        return self.numbers_.predictions(scores, learned.rules, low, high)

    def _teacher(self, learned: Learned, part: Part) -> Any:
        return None

    def _make_card(self) -> None:
        raise NotImplementedError

    def _judge(self) -> None:
        """Measure the error on held-out rows."""
        held, loss = self.numbers_.held_out, self.numbers_.loss
        self.estimated_error_: float | None = None
        self.estimated_score_: float | None = None
        if not len(held.targets):
            return
        each = [row_loss(loss, *pair) for pair in zip(held.targets, held.predictions, strict=True)]
        error = float(np.average(each, weights=held.weights))
        if self.loss == "squared":
            error = float(np.sqrt(error))
        self.estimated_error_ = 2 * error if self.loss == "absolute" else error
        mean = np.average(held.targets, weights=held.weights)
        spread = float(held.weights @ (held.targets - mean) ** 2)
        left = float(held.weights @ (held.targets - held.predictions) ** 2)
        self.estimated_score_ = 1.0 - left / spread if spread > 0 else None
