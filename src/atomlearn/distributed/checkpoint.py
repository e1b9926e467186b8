"""Checkpoints of :func:`atomlearn.distributed.fit`: what is known between two exchanges."""

import hashlib
import json
import math
from dataclasses import asdict, fields
from pathlib import Path
from typing import TypeVar

import numpy as np

from atomlearn.classifier.data import TrainingData
from atomlearn.classifier.estimator import AlgebraicClassifier
from atomlearn.engine.pool import add_pools, pools_in
from atomlearn.engine.state import Report
from atomlearn.errors import CheckpointMismatch
from atomlearn.files.container import Container
from atomlearn.files.load import MOST_EPOCHS, Members, Value, reading
from atomlearn.files.writing import check_replaceable
from atomlearn.sets.rows import Rows
from atomlearn.training.exchange import State
from atomlearn.training.hooks import Round

KIND, VERSION = "exchange", 2

T = TypeVar("T")


class Checkpoint:
    """A checkpoint file for one data set and its partition, or none."""

    def __init__(
        self, path: str | Path | None, data: TrainingData, classifier: AlgebraicClassifier
    ) -> None:
        self.path = None if path is None else Path(path)
        if self.path is not None:
            check_replaceable(self.path)  # now, and not after the first exchange
        self.n_constants, self.n_classes = len(data.encoder.literals_) + 1, len(data.classes)
        self.n_folds = data.home.dealt.n_folds
        self.max_epochs = classifier.max_epochs
        maps = [] if classifier.symmetries is None else classifier.symmetries
        # All that decides what is learned, but for how long.
        self.about = {
            "seed": str(classifier.seed_),  # first: it also decides on the folds
            "symmetries": [np.asarray(one).tolist() for one in maps],
            "class_weight": repr(classifier.class_weight),
            "rules": [str(rule) for rule in data.rules],
            "data": [asdict(source) for source in data.parts.sources],
            "literals": [str(literal) for literal in data.encoder.literals_],
            "classes": [repr(label) for label in data.classes.tolist()],
            "evidence": classifier.evidence,
            "share_examples": data.share_examples,
        }

    def read(self) -> State | None:
        """What the file has, if there is one; an error if it is of other data, or of a run that was
        to be longer. (One that was to be shorter can be gone on with.)
        """
        if self.path is None or not self.path.exists():
            return None
        file = Container.read(self.path)
        file.expect(KIND, VERSION)
        with reading(file) as members:
            return self._state(members)

    def _state(self, file: Members) -> State:
        state = file.json("state.json")
        for what, ours in self.about.items():
            told = state.given(what)
            if told is None or told.raw != _digest(ours):
                raise CheckpointMismatch(
                    f"{self.path} is a checkpoint with other {what}: remove it to begin anew, or "
                    "name another file (nothing has been changed)"
                )
        longest = state.given("max_epochs")
        self._check_length(None if longest is None else longest.integer(high=MOST_EPOCHS))
        n = self.n_folds * self.n_classes
        pools, refuting = pools_in(file, self.n_constants, n), self._refuting(file, n)
        epoch = state["epoch"].integer(high=MOST_EPOCHS)
        return State(
            _by_fold(pools, self.n_classes),
            _by_fold(refuting, self.n_classes),
            np.full((self.n_folds, self.n_classes), epoch),
            epoch,
            _loss(state.given("best")),
            _loss(state.given("first")),
            state["stale"].integer(),
            state["adds_nothing"].truth(),
            state["refuted"].integer(),
            [_round(one, self.n_classes) for one in file.json("rounds.json").items()],
        )

    def _check_length(self, theirs: int | None) -> None:
        ours = math.inf if self.max_epochs is None else self.max_epochs
        if ours < (math.inf if theirs is None else theirs):
            raise CheckpointMismatch(
                f"{self.path} is a checkpoint of a run with max_epochs={theirs}, which "
                f"max_epochs={self.max_epochs} would cut short: ask for as many, remove it to "
                "begin anew, or name another file (nothing has been changed)"
            )

    def write(self, state: State) -> None:
        """Write the current state, atomically."""
        if self.path is None:
            return
        pools = [pool for ours in state.pools for pool in ours]
        refuting = [rows for ours in state.refuting for rows in ours]
        file = Container(KIND, VERSION, {"epoch": state.epoch, "atoms": sum(map(len, pools))})
        file.add_json(
            "state.json",
            {what: _digest(ours) for what, ours in self.about.items()}
            | {
                "epoch": state.epoch,
                "best": _finite(state.best),
                "first": _finite(state.first),
                "stale": state.stale,
                "adds_nothing": state.adds_nothing,
                "refuted": state.n_refuted,
                "max_epochs": self.max_epochs,
            },
        )
        file.add_json("rounds.json", [asdict(one) for one in state.done])
        add_pools(file, pools)
        file.add_array("refuting.npy", np.concatenate(refuting))
        file.add_array("refuting_sizes.npy", np.array([len(rows) for rows in refuting]))
        file.write(self.path)

    def _refuting(self, file: Members, n: int) -> list[Rows]:
        rows = file.rows("refuting.npy", self.n_constants)
        sizes = file.integers("refuting_sizes.npy", n, high=len(rows))
        file.need(sizes.sum() == len(rows), "it does not fit refuting.npy")
        return np.split(rows, np.cumsum(sizes)[:-1])


def _by_fold(values: list[T], n_classes: int) -> list[list[T]]:
    return [values[i : i + n_classes] for i in range(0, len(values), n_classes)]


def _finite(loss: float) -> float | None:
    return None if math.isinf(loss) else loss


def _loss(told: Value | None) -> float:
    return math.inf if told is None else told.number()


def _digest(value: object) -> str:
    return hashlib.blake2b(json.dumps(value).encode(), digest_size=16).hexdigest()


def _round(told: Value, n_classes: int) -> Round:
    error, loss = told.given("error"), told.given("loss")
    return Round(
        told["epochs"].integer(high=MOST_EPOCHS),
        told["seconds"].number(low=0),
        None if error is None else error.number(),
        None if loss is None else loss.number(),
        [[_report(one) for one in ours.items()] for ours in told["reports"].items(n_classes)],
    )


def _report(told: Value) -> Report:
    report = Report()
    for field in fields(Report):
        if field.type is int:
            setattr(report, field.name, told[field.name].integer())
    report.seconds = {name: one.number(low=0) for name, one in told["seconds"].fields().items()}
    report.words = {name: one.integer() for name, one in told["words"].fields().items()}
    return report
