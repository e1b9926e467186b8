"""Regressor files (``.atoms``, kind ``regressor``).

They have the members of classifier files, for one score instead of several classes: the columns and
literals in ``model.json``, the weighted atoms in ``weighted_constants.npy``,
``weighted_starts.npy``, ``weighted_weights.npy`` and ``weighted_offset.npy``. To predict without
atomlearn, add to the offset the weights of the atoms none of whose literals are true of the row. If
``loss`` is ``poisson``, that is the logarithm of the prediction. The rules limit it. Where
``model.json`` has a ``card``, that alone decides: the scale times the sum of its offset and of the
points of the rules that the row meets.

``spread_*.npy`` are weighted atoms whose score is the logarithm of the error that is expected of a
row; an interval is the prediction and a multiple of that error on either side, which follows from
``judged.npy``.
"""

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from atomlearn.classifier.files import (
    TINY,
    Reader,
    add_compact,
    add_sample,
    add_weighted,
    columns_as_json,
    param_readers,
    params_as_json,
    rule_conflicts_as_json,
    rule_conflicts_in,
    with_weighted,
)
from atomlearn.engine.pool import add_lists
from atomlearn.files.container import Container
from atomlearn.files.load import LARGE, Members, Value, save
from atomlearn.markup import Listed
from atomlearn.regressor.estimator import AlgebraicRegressor
from atomlearn.sets.rows import Lists
from atomlearn.training.boosting.ensemble import WeightedAtoms
from atomlearn.training.boosting.losses import LOSSES, Scale
from atomlearn.training.learned import Learned
from atomlearn.training.numbers import HeldOutNumbers, NumberModel

KIND = "regressor"
VERSION = 1
"""Version of the format."""


def without_rows(regressor: AlgebraicRegressor) -> AlgebraicRegressor:
    """Return a copy that keeps nothing of single training rows, for ``save(rows=False)``.

    Of held-out rows only what intervals need stays: the errors as multiples of what was expected,
    in ascending order, with their weights.
    """
    twin, model = copy.copy(regressor), regressor.numbers_
    twin.importances_ = regressor.feature_importances_
    twin.sample_ = regressor.sample_.without_rows()
    twin.learned_ = replace(regressor.learned_, teacher=None)
    card = model.card_held_out
    twin.numbers_ = replace(
        model,
        held_out=model.held_out.as_ratios(),
        card_held_out=None if card is None else card.as_ratios(),
    )
    twin.rule_conflicts_ = Listed()
    return twin


def write_regressor(regressor: AlgebraicRegressor, path: str | Path, rows: bool = True) -> None:
    """Write a fitted regressor to a file, with or without what it keeps of training rows."""
    if not rows and not regressor.sample_.is_withheld:
        regressor = without_rows(regressor)
    is_withheld = regressor.sample_.is_withheld
    learned, model, encoder = regressor.learned_, regressor.numbers_, regressor.encoder_
    info = {
        "columns": regressor.n_features_in_,
        "atoms": learned.deciding().n_atoms,
        "how_to_read": "model.json: literals; weighted_*.npy: atoms and what they add",
    }
    if is_withheld:
        info["training_rows"] = "none: this model was saved without any training row"
    file = Container(KIND, VERSION, info)
    compact = add_compact(file, regressor)
    file.add_json(
        "model.json",
        {
            "columns": columns_as_json(encoder),
            "has_names": hasattr(regressor, "feature_names_in_"),
            "literals": [literal.in_full for literal in encoder.literals_],
            "loss": model.name,
            "quantile": model.loss.quantile,
            "center": model.scale.center,
            "unit": model.scale.unit,
            "smallest": model.smallest,
            "losses": list(model.losses),
            "rows": regressor.n_rows_,
            "seed": str(regressor.seed_),
            "params": params_as_json(regressor),
            "prior": [0.0],
            "evidence": {
                "chosen": "weighted",
                "losses": learned.evidence.losses,
                "errors": dict.fromkeys(learned.evidence.losses, 0.0),
                "strict": 0.0,
                "weighted": 1.0,
            },
            "rules": [str(rule) for rule in regressor.rules_],
            "compact": compact,
            "target": regressor.target_name_,
            "importances": regressor.importances_.tolist() if is_withheld else None,
            "estimated": {"error": regressor.estimated_error_, "score": regressor.estimated_score_}
            if is_withheld
            else None,
            "history": regressor.history_,
            "rule_conflicts": rule_conflicts_as_json(
                regressor.rule_conflicts_, regressor.rules_, None
            ),
        },
    )
    file.add_array("kept.npy", encoder.kept_)
    add_sample(file, regressor.sample_)
    add_weighted(file, learned)
    add_lists(file, "spread", model.spread.atoms)
    file.add_array("spread_weights.npy", model.spread.weights)
    file.add_array("spread_offset.npy", model.spread.offset)
    file.add_array("judged.npy", np.stack(model.held_out))
    if model.card_held_out is not None:
        file.add_array("card_judged.npy", np.stack(model.card_held_out))
    if learned.teacher is not None and learned.teacher.targets is not None:
        file.add_array("teacher_targets.npy", learned.teacher.targets)
    save(file, path, lambda read: read.rules_ == regressor.rules_)


def get_regressor(file: Members) -> AlgebraicRegressor:
    """Read a regressor; raise :class:`~atomlearn.errors.DamagedFile` if its members do not fit."""
    return _NumberReader(file).regressor()


class _NumberReader(Reader):
    """A reader of one regressor file."""

    def regressor(self) -> AlgebraicRegressor:
        state, file = self.state, self.file
        encoder = self.encoder()
        self.n_classes, self.n_constants = 1, len(encoder.literals_) + 1
        n_columns = len(encoder.columns_)
        known = AlgebraicRegressor().get_params()
        params = self.given_params(state["params"], known, {**param_readers(), **_OWN}, n_columns)
        regressor = AlgebraicRegressor(**params)
        self.begin(regressor, encoder)
        regressor.target_name_ = state["target"].text()
        learned = with_weighted(Learned.nothing(self.n_constants, 1), file, state)
        file.need(learned.weighted is not None, "there are no weighted atoms")
        regressor.rules_, rules = self.rules(
            encoder, np.array([regressor.target_name_]), target=regressor.target_name_
        )
        conflicts = rule_conflicts_in(state["rule_conflicts"], regressor.rules_, None)
        regressor.rule_conflicts_ = Listed(conflicts)
        learned = self.with_compact(regressor, replace(learned, epochs=[1], rules=rules))
        if learned.teacher is not None:
            n = len(learned.teacher)
            targets = file.floats("teacher_targets.npy", (n,), low=-LARGE, high=LARGE)
            learned = replace(learned, teacher=replace(learned.teacher, targets=targets))
        regressor.learned_, regressor.numbers_ = learned, self._model()
        regressor.sample_ = self.sample()
        regressor.n_rows_ = state["rows"].integer(high=1 << 53)
        regressor.history_ = Listed(map(_round, state["history"].items()))
        if regressor.sample_.is_withheld:
            self._read_figures(regressor)
        else:
            regressor._judge()
        return regressor

    def _read_figures(self, regressor: AlgebraicRegressor) -> None:
        """Read what was measured before the rows were left out."""
        importances = self.state["importances"]
        regressor.importances_ = importances.numbers(len(regressor.encoder_.columns_), 0, 1 + 1e-9)
        error, score = (
            self.state["estimated"].given("error"),
            self.state["estimated"].given("score"),
        )
        regressor.estimated_error_ = None if error is None else error.number(0, LARGE)
        regressor.estimated_score_ = None if score is None else score.number(-LARGE, 1 + 1e-9)

    def _model(self) -> NumberModel:
        state, file = self.state, self.file
        name = state["loss"].one_of(list(LOSSES))
        scale = Scale(state["center"].number(-LARGE, LARGE), state["unit"].number(TINY, LARGE))
        model = NumberModel.of(name, state["quantile"].number(0, 1), scale)
        atoms = Lists(*file.lists("spread_starts.npy", "spread_constants.npy", self.n_constants))
        spread = WeightedAtoms(
            atoms,
            np.zeros(atoms.n, dtype=np.int64),
            file.floats("spread_weights.npy", (atoms.n,), low=-LARGE, high=LARGE),
            file.floats("spread_offset.npy", (1,), low=-LARGE, high=LARGE),
        )
        card = self._judged("card_judged.npy") if "card_judged.npy" in file else None
        losses = tuple(one.number(0, LARGE) for one in state["losses"].items())
        smallest = state["smallest"].number(0, LARGE)
        return replace(
            model,
            spread=spread,
            smallest=smallest,
            held_out=self._judged("judged.npy"),
            card_held_out=card,
            losses=losses,
        )

    def _judged(self, name: str) -> HeldOutNumbers:
        n = len(HeldOutNumbers._fields)
        found = HeldOutNumbers(*self.file.floats(name, (n, None), low=-LARGE, high=LARGE))
        positive = (found.spread > 0).all() and (found.weights > 0).all()
        self.file.need(positive, "a weight or an expected error is not positive")
        return found


_OWN: dict[str, Any] = {
    "loss": lambda value, n: value.one_of(list(LOSSES)),
    "quantile": lambda value, n: value.number(0, 1),
    "rounding": lambda value, n: value.number(0, LARGE),
}
"""Readers of the parameters that only a regressor has."""


def _round(value: Value) -> dict[str, Any]:
    return {"round": value["round"].integer(), "loss": value["loss"].number(0, LARGE)}
