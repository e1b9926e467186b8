"""Classifier files (``.atoms``, kind ``classifier``).

``model.json`` has the columns with their cuts and categories, the literals as text, the classes,
the calibration and the parameters. The atoms of all classes are in ``atoms.npy``, the indices of
the literals of the first atom, then of the second, ...; ``offsets.npy`` tells where each begins,
and the end; ``class_offsets.npy`` the first atom of each class. To decide without atomlearn, count
for each class the atoms none of whose literals are true of the row; with ``m`` of them a class
scores ``offset[k] - slope * log((m + 1) / (typical[k] + 1))``, and the highest score wins. (The
index after the last literal stands for the class itself.) The other arrays are for explanations and
for going on learning.
"""

import math
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.bits.rows import Rows, width
from atomlearn.classifier.columns import CategoryColumn, Column, NumberColumn
from atomlearn.classifier.encoder import LiteralEncoder
from atomlearn.classifier.estimator import AlgebraicClassifier
from atomlearn.classifier.sample import TrainingSample
from atomlearn.errors import DamagedFile, UnsavableValue
from atomlearn.formats.container import Container
from atomlearn.formats.pools import add_pools, pools_in
from atomlearn.learning.calibration import Calibration
from atomlearn.learning.concept import Concept
from atomlearn.learning.examples import Unseen
from atomlearn.learning.rounds import Learned
from atomlearn.reading.telling import Measure

KIND = "classifier"
VERSION = 1

_PLAIN = (str, int, float, bool)
_DTYPES = {"bool", "object", "str", "float16", "float32", "float64"} | {
    f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)
}


def write_classifier(classifier: AlgebraicClassifier, path: str | Path) -> None:
    """Save a fitted classifier."""
    learned, encoder = classifier.learned_, classifier.encoder_
    pools = [concept.pool for concept in learned.concepts]
    info = {
        "classes": len(pools),
        "columns": classifier.n_features_in_,
        "atoms": sum(map(len, pools)),
        "how_to_read": "model.json: literals; atoms.npy, offsets.npy, class_offsets.npy: atoms",
    }
    file = Container(KIND, VERSION, info)
    names = getattr(classifier, "feature_names_in_", None)
    first_rows = getattr(classifier, "first_rows_", None)
    file.add_json(
        "model.json",
        {
            "classes": [_plain(label, "the label") for label in classifier.classes_],
            "classes_dtype": _dtype_name(classifier.classes_),
            "columns": [_column_as_json(column) for column in encoder.columns_],
            "has_names": names is not None,
            "has_first_rows": first_rows is not None,
            "literals": [str(literal) for literal in encoder.literals_],
            "slope": learned.calibration.slope,
            "offset": learned.calibration.offset.tolist(),
            "typical": learned.typical.tolist(),
            "epochs": [concept.epoch for concept in learned.concepts],
            "seed": str(classifier.seed_),
            "params": _params_as_json(classifier),
            "held_out": [[astuple(one) for one in ours] for ours in classifier.held_out_],
        },
    )
    file.add_json("history.json", [_history_as_json(one) for one in classifier.history_])
    add_pools(file, pools)
    file.add_array("streams.npy", np.concatenate([concept.rng for concept in learned.concepts]))
    file.add_array("kept.npy", encoder.kept_)
    file.add_array("sample_rows.npy", classifier.sample_.rows)
    file.add_array("sample_labels.npy", classifier.sample_.labels)
    file.add_array("sample_totals.npy", classifier.sample_.totals)
    file.add_array("unseen_ratios.npy", learned.unseen.ratios)
    file.add_array("unseen_labels.npy", learned.unseen.labels)
    file.add_array("unseen_weights.npy", learned.unseen.weights)
    file.add_array("unseen_shares.npy", learned.unseen.shares)
    if first_rows is not None:
        file.add_array("first_rows.npy", first_rows)
    file.write(path)


def get_classifier(file: Container) -> AlgebraicClassifier:
    """The classifier in a container; whatever does not fit together is refused."""
    try:
        return _Reader(file).classifier()
    except DamagedFile:
        raise
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, AttributeError) as error:
        raise DamagedFile(f"{file.path}: {type(error).__name__}: {error}") from None


class _Reader:
    """One file being read."""

    def __init__(self, file: Container) -> None:
        self.file = file
        self.state = file.json("model.json", dict)

    def need(self, fits: bool, what: str) -> None:
        if not fits:
            raise DamagedFile(f"{self.file.path}: {what}")

    def classifier(self) -> AlgebraicClassifier:
        classifier = AlgebraicClassifier(**self.params())
        classifier.classes_ = self.classes()
        self.n_classes = len(classifier.classes_)
        classifier.encoder_ = self.encoder()
        self.n_literals = len(classifier.encoder_.literals_)
        classifier.n_features_in_ = classifier.encoder_.n_features_in_
        if self.state["has_names"]:
            classifier.feature_names_in_ = classifier.encoder_.feature_names_in_
        classifier.seed_ = int(str(self.state["seed"]))
        self.need(classifier.seed_ >= 0, "the seed is negative")
        classifier.learned_ = self.learned()
        classifier.sample_ = self.sample()
        classifier.held_out_ = self.held_out()
        classifier.history_ = self.file.json("history.json", list)
        classifier.estimated_error_ = classifier.learned_.error
        classifier.conflicts_ = []
        classifier.doubted_ = np.zeros(0, dtype=np.int64)
        if self.state["has_first_rows"]:
            classifier.first_rows_ = self.packed("first_rows.npy")
        return classifier

    def params(self) -> dict[str, Any]:
        params = dict(self.state["params"])
        known = AlgebraicClassifier().get_params()
        self.need(set(params) <= set(known), "there is a parameter that no classifier has")
        if params.get("symmetries") is not None:
            params["symmetries"] = [np.array(one, dtype=np.int64) for one in params["symmetries"]]
        if params.get("image_shape") is not None:
            height, width = params["image_shape"]
            params["image_shape"] = (int(height), int(width))
        if isinstance(params.get("class_weight"), list):
            params["class_weight"] = {label: float(w) for label, w in params["class_weight"]}
        return params

    def classes(self) -> npt.NDArray[Any]:
        values, dtype = self.state["classes"], self.state["classes_dtype"]
        self.need(isinstance(values, list) and len(values) > 0, "there are no classes")
        self.need(dtype in _DTYPES, "the labels are of a type that atomlearn never writes")
        self.need(all(type(v) in _PLAIN for v in values), "a label is not a plain value")
        labels = np.array(values, dtype=dtype)
        self.need(len(set(labels.tolist())) == len(values), "two classes have the same label")
        return labels

    def encoder(self) -> LiteralEncoder:
        columns = self.state["columns"]
        self.need(isinstance(columns, list) and len(columns) > 0, "there are no columns")
        encoder = LiteralEncoder()
        encoder.columns_ = [self.column(j, one) for j, one in enumerate(columns)]
        encoder.n_features_in_ = len(columns)
        if self.state["has_names"]:
            names = [column.name for column in encoder.columns_]
            encoder.feature_names_in_ = np.array(names, dtype=object)
        kept = self.file.array("kept.npy", "i", 1).astype(np.int64)
        n_all = sum(len(column.literals()) for column in encoder.columns_)
        in_order = bool((np.diff(kept) > 0).all())
        in_range = len(kept) == 0 or (kept[0] >= 0 and kept[-1] < n_all)
        self.need(in_order and in_range, "kept.npy does not fit the columns")
        encoder.choose(kept)
        self.need(
            self.state["literals"] == [str(literal) for literal in encoder.literals_],
            "the literals are not those of the columns",
        )
        return encoder

    def column(self, j: int, one: dict[str, Any]) -> Column:
        name, may_miss = one["name"], one["may_miss"]
        self.need(isinstance(name, str) and isinstance(may_miss, bool), f"column {j} is damaged")
        if one["kind"] == "number":
            cuts = tuple(float(cut) for cut in one["cuts"])
            finite = all(math.isfinite(cut) for cut in cuts)
            self.need(finite and list(cuts) == sorted(set(cuts)), f"column {j}: cuts out of order")
            self.need(not one["is_boolean"] or len(cuts) < 2, f"column {j}: too many cuts")
            return NumberColumn(j, name, cuts, may_miss, bool(one["is_boolean"]))
        self.need(one["kind"] == "category", f"column {j} is of an unknown kind")
        categories = one["categories"]
        self.need(all(type(c) in _PLAIN for c in categories), f"column {j}: an odd category")
        self.need(len(set(categories)) == len(categories), f"column {j}: a category is there twice")
        return CategoryColumn(j, name, tuple(categories), may_miss)

    def learned(self) -> Learned:
        n = self.n_classes
        offset, typical = self.floats("offset"), self.floats("typical")
        slope = float(self.state["slope"])
        self.need(math.isfinite(slope) and slope > 0, "the calibration is damaged")
        self.need(bool((typical >= 0).all()), "typical misses are negative")
        unseen = Unseen(
            self.file.array("unseen_ratios.npy", "f", 2).astype(np.float64),
            self.labels("unseen_labels.npy"),
            self.file.array("unseen_weights.npy", "f", 1).astype(np.float64),
            self.file.array("unseen_shares.npy", "f", 1).astype(np.float64),
        )
        parts = (unseen.ratios, unseen.labels, unseen.weights, unseen.shares)
        sizes = {len(part) for part in parts}
        self.need(len(sizes) == 1 and unseen.ratios.shape[1] == n, "unseen examples do not fit")
        sound = np.isfinite(unseen.ratios).all() and (unseen.weights > 0).all()
        sound = sound and (unseen.shares > 0).all()
        self.need(bool(sound), "unseen examples are damaged")
        return Learned(self.concepts(), typical, Calibration(slope, offset), [], unseen)

    def concepts(self) -> list[Concept]:
        n, n_constants = self.n_classes, self.n_literals + 1
        pools = pools_in(self.file, n_constants, n)
        streams = self.file.array("streams.npy", "u", 1).astype(np.uint64)
        epochs = self.state["epochs"]
        self.need(len(streams) == n and len(epochs) == n, "there is not one stream for each class")
        concepts = []
        for k in range(n):
            concept = Concept(n_constants, n_constants - 1, 0)
            concept.pool = pools[k]
            concept.rng = streams[k : k + 1].copy()
            concept.epoch = int(epochs[k])
            self.need(0 <= concept.epoch < 1 << 30, "a number of epochs is impossible")
            concepts.append(concept)
        return concepts

    def sample(self) -> TrainingSample:
        rows, labels = self.packed("sample_rows.npy"), self.labels("sample_labels.npy")
        totals = self.file.array("sample_totals.npy", "i", 1).astype(np.int64)
        fits = len(rows) == len(labels) and len(totals) == self.n_classes
        self.need(bool(fits and (totals >= 0).all()), "the training sample does not fit")
        return TrainingSample(rows, labels, totals)

    def held_out(self) -> list[list[Measure]]:
        values = self.state.get("held_out", [])  # older files have none
        self.need(len(values) in (0, self.n_classes), "there are not measures for each class")
        found = [
            [Measure(float(a), float(b), float(c), int(n)) for a, b, c, n in ours]
            for ours in values
        ]
        shares = [x for ours in found for one in ours for x in astuple(one)[:3]]
        fit = all(0.0 <= x <= 1.0 + 1e-9 for x in shares)
        counts = all(0 <= one.examples < 1 << 62 for ours in found for one in ours)
        self.need(fit and counts, "a measure of held-out rows is impossible")
        return found

    def packed(self, name: str) -> Rows:
        rows = self.file.array(name, "u", 2).astype(np.uint64)
        self.need(rows.shape[1] == width(self.n_literals + 1), f"{name} has rows of another width")
        return rows

    def labels(self, name: str) -> npt.NDArray[np.int64]:
        labels = self.file.array(name, "i", 1).astype(np.int64)
        in_range = len(labels) == 0 or (labels.min() >= 0 and labels.max() < self.n_classes)
        self.need(bool(in_range), f"{name} has a class that is not there")
        return labels

    def floats(self, name: str) -> npt.NDArray[np.float64]:
        values = np.array(self.state[name], dtype=np.float64)
        fits = values.shape == (self.n_classes,) and bool(np.isfinite(values).all())
        self.need(fits, f"{name} does not fit the classes")
        return values


def _plain(value: Any, what: str) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if type(value) not in _PLAIN:
        raise UnsavableValue(
            f"{what} {value!r} is a {type(value).__name__}; only text, numbers and truth values "
            "can be saved: map it to one of these before fit"
        )
    return value


def _dtype_name(classes: npt.NDArray[Any]) -> str:
    return "str" if classes.dtype.kind == "U" else str(classes.dtype)


def _column_as_json(column: Column) -> dict[str, Any]:
    same = {"name": column.name, "may_miss": column.may_miss}
    if isinstance(column, NumberColumn):
        return {
            "kind": "number",
            **same,
            "cuts": list(column.cuts),
            "is_boolean": column.is_boolean,
        }
    categories = [_plain(c, f"the value of column {column.name!r}") for c in column.categories]
    return {"kind": "category", **same, "categories": categories}


def _params_as_json(classifier: AlgebraicClassifier) -> dict[str, Any]:
    params = dict(classifier.get_params())
    if not isinstance(params["random_state"], int | None):
        params["random_state"] = None  # what it gave is in the streams and the seed
    if params["symmetries"] is not None:
        params["symmetries"] = [np.asarray(one).tolist() for one in params["symmetries"]]
    if isinstance(params["class_weight"], dict):
        params["class_weight"] = [
            [_plain(label, "the label"), float(w)] for label, w in params["class_weight"].items()
        ]
    if params["image_shape"] is not None:
        params["image_shape"] = [int(side) for side in params["image_shape"]]
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in params.items()
    }


def _history_as_json(one: dict[str, Any]) -> dict[str, Any]:
    return {**one, "class": _plain(one["class"], "the label")}
