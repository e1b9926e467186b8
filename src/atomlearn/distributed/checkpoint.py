"""Checkpoints of :func:`atomlearn.distributed.fit`: what is known between two exchanges."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from atomlearn.engine.pool import Source
from atomlearn.engine.pool_files import add_pools, pools_in
from atomlearn.engine.report import Report
from atomlearn.errors import CheckpointMismatch
from atomlearn.files.container import Container
from atomlearn.files.reading import MOST_EPOCHS, Members, Value, reading
from atomlearn.files.replacing import check_replaceable
from atomlearn.sets.rows import Rows
from atomlearn.training.examples import Examples
from atomlearn.training.exchange import Known
from atomlearn.training.rounds import Round

if TYPE_CHECKING:
    from atomlearn.classifier.estimator import AlgebraicClassifier

KIND, VERSION = "exchange", 1


class Checkpoint:
    """A file for what some data, partitioned in one way, has taught so far; or no file at all."""

    def __init__(
        self,
        path: str | Path | None,
        sources: Sequence[Source],
        held: Examples,
        classifier: "AlgebraicClassifier",
        share_examples: bool = True,
    ) -> None:
        self.path = None if path is None else Path(path)
        if self.path is not None:
            check_replaceable(self.path)  # now, and not after the first exchange
        self.n_constants, self.n_classes = held.n_constants, held.n_classes
        self.max_epochs = classifier.max_epochs
        maps = [] if classifier.symmetries is None else classifier.symmetries
        # All that decides what is learned, but for how long.
        self.about = {
            "seed": str(classifier.seed_),  # first: it also decides which rows are spared
            "symmetries": [np.asarray(one).tolist() for one in maps],
            "class_weight": repr(classifier.class_weight),
            "data": [asdict(source) for source in sources],
            "literals": [str(literal) for literal in classifier.encoder_.literals_],
            "classes": [repr(label) for label in classifier.classes_.tolist()],
            "share_examples": share_examples,
        }

    def read(self) -> Known | None:
        """What the file has, if there is one; an error if it is of other data, or of a run that was
        to be longer. (One that was to be shorter can be gone on with.)
        """
        if self.path is None or not self.path.exists():
            return None
        file = Container.read(self.path)
        file.expect(KIND, VERSION)
        with reading(file) as members:
            return self._known(members)

    def _known(self, file: Members) -> Known:
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
        best = state.given("best")
        return Known(
            pools_in(file, self.n_constants, self.n_classes),
            self._refuting(file),
            state["epoch"].integer(high=MOST_EPOCHS),
            math.inf if best is None else best.number(),
            state["stale"].integer(),
            state["dropped"].integer(),
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

    def write(self, known: Known) -> None:
        """Replace the file by what is known now."""
        if self.path is None:
            return
        file = Container(KIND, VERSION, {"epoch": known.epoch, "pins": sum(map(len, known.pools))})
        best = None if math.isinf(known.best) else known.best
        file.add_json(
            "state.json",
            {what: _digest(ours) for what, ours in self.about.items()}
            | {
                "epoch": known.epoch,
                "best": best,
                "stale": known.stale,
                "dropped": known.dropped,
                "max_epochs": self.max_epochs,
            },
        )
        file.add_json("rounds.json", [asdict(one) for one in known.done])
        add_pools(file, known.pools)
        file.add_array("refuting.npy", np.concatenate(known.refuting))
        file.add_array("refuting_sizes.npy", np.array([len(rows) for rows in known.refuting]))
        file.write(self.path)

    def _refuting(self, file: Members) -> list[Rows]:
        rows = file.rows("refuting.npy", self.n_constants)
        sizes = file.integers("refuting_sizes.npy", self.n_classes, high=len(rows))
        file.need(sizes.sum() == len(rows), "it does not fit refuting.npy")
        return np.split(rows, np.cumsum(sizes)[:-1])


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
