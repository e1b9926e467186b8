"""Classifier files (``.atoms``, kind ``classifier``).

``model.json`` has the columns with their cuts and categories, the literals as text, the classes,
the calibration and the parameters. The atoms of all classes are in ``atoms.npy``, the indices of
the literals of the first atom, then of the second, ...; ``offsets.npy`` tells where each begins,
and the end; ``class_offsets.npy`` the first atom of each class. To decide without atomlearn, count
for each class the atoms none of whose literals are true of the row; with ``m`` of them a class
scores ``offset[k] - slope * log((m + 1) / (typical[k] + 1))``, and the highest score wins. (The
index after the last literal stands for the class itself.) The other arrays are for explanations and
for going on learning.

Where ``evidence`` in ``model.json`` has a factor for weighted atoms, these are in
``weighted_constants.npy`` and ``weighted_starts.npy``, their classes in ``weighted_classes.npy``
and what missing one adds to the score of its class in ``weighted_weights.npy``. The score of a
class is then ``prior[k]``, plus the factor ``strict`` times the score above, plus the factor
``weighted`` times the sum of ``weighted_offset.npy[k]`` and the weights of the missed atoms.

Where ``model.json`` has a ``card``, that alone decides: a row meets a rule if of each of its
conditions one literal is true. The score of a class is ``scale`` times the sum of its offset and of
the points of the rules that the row meets.
"""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.classifier.compacting import AUTO
from atomlearn.classifier.estimator import AlgebraicClassifier
from atomlearn.classifier.fitting import EVIDENCE, History
from atomlearn.classifier.sample import TrainingSample
from atomlearn.engine.pool import add_lists, add_pools, pools_in
from atomlearn.errors import InvalidRule, UnsavableValue
from atomlearn.files.container import Container
from atomlearn.files.load import LARGE, MOST_EPOCHS, Members, Value, save
from atomlearn.logic.comparison import Measure
from atomlearn.markup import Listed
from atomlearn.sets.rows import Lists
from atomlearn.tables.columns import CategoryColumn, Column, NumberColumn
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.numbers import MOST_EXACT
from atomlearn.tables.rules import Statement, parse_rules
from atomlearn.tables.statements import RuleConflict, compile_rules
from atomlearn.tables.training_rows import RowConflict, class_number, codes_of
from atomlearn.training.boosting.ensemble import WeightedAtoms
from atomlearn.training.compact.card import Card
from atomlearn.training.compact.lesson import Candidates, Lesson, Teacher
from atomlearn.training.compact.sizes import Size
from atomlearn.training.data import HardRules, HeldOutPredictions
from atomlearn.training.learned import Learned, without_atoms
from atomlearn.training.scores import KINDS, Calibration, Evidence
from atomlearn.typing import Integers

MOST_CONFLICTS, MOST_ROWS = 10_000, 100_000
"""Maximum number of contradictions that are saved, and of rows of each; in practice all are saved.
"""


def conflicts_as_json(
    conflicts: list[RowConflict], classes: npt.NDArray[Any]
) -> list[dict[str, Any]]:
    """Return the first contradictions: row numbers, and labels by the index of the class."""
    return [
        {
            "rows": one.rows[:MOST_ROWS].tolist(),
            "labels": codes_of(one.labels[:MOST_ROWS], classes).tolist(),
            "kept": class_number(one.kept, classes),
        }
        for one in conflicts[:MOST_CONFLICTS]
    ]


def conflicts_in(value: Value | None, classes: npt.NDArray[Any]) -> list[RowConflict]:
    """Return the contradictions of a file; older files have none."""
    if value is None:
        return []
    value.need(len(value.items()) <= MOST_CONFLICTS, f"has more than {MOST_CONFLICTS}")
    return [_conflict(one, classes) for one in value.items()]


def _conflict(value: Value, classes: npt.NDArray[Any]) -> RowConflict:
    kept = value["kept"].integer(high=len(classes) - 1)
    return RowConflict(*_rows(value, classes), classes[kept])


def _rows(value: Value, classes: npt.NDArray[Any] | None) -> tuple[Integers, npt.NDArray[Any]]:
    """Return row numbers and labels, or numbers if there are no classes."""
    n = len(value["rows"].items())
    value["rows"].need(n <= MOST_ROWS, f"has more than {MOST_ROWS} rows")
    rows = value["rows"].integers(n, high=1 << 53)
    if classes is None:
        return rows, value["labels"].numbers(n, -LARGE, LARGE)
    return rows, classes[value["labels"].integers(n, high=len(classes) - 1)]


def rule_conflicts_as_json(
    conflicts: list[RuleConflict], rules: list[Statement], classes: npt.NDArray[Any] | None
) -> list[dict[str, Any]]:
    """Return the first rows that each rule contradicts, by the number of the rule."""
    return [
        {
            "rule": rules.index(one.rule),
            "rows": one.rows[:MOST_ROWS].tolist(),
            "labels": (
                one.labels[:MOST_ROWS]
                if classes is None
                else codes_of(one.labels[:MOST_ROWS], classes)
            ).tolist(),
        }
        for one in conflicts[:MOST_CONFLICTS]
    ]


def rule_conflicts_in(
    value: Value | None, rules: list[Statement], classes: npt.NDArray[Any] | None
) -> list[RuleConflict]:
    """Return the rows of a file that rules contradict; older files have none."""
    if value is None:
        return []
    value.need(len(value.items()) <= MOST_CONFLICTS, f"has more than {MOST_CONFLICTS}")
    return [
        RuleConflict(rules[one["rule"].integer(high=len(rules) - 1)], *_rows(one, classes))
        for one in value.items()
    ]


def add_weighted(file: Container, learned: Learned) -> None:
    """Add the members of weighted atoms, if there are any."""
    weighted, scores = learned.weighted, learned.held_out.weighted
    if weighted is not None:
        add_lists(file, "weighted", weighted.atoms)
        file.add_array("weighted_classes.npy", weighted.classes)
        file.add_array("weighted_weights.npy", weighted.weights)
        file.add_array("weighted_offset.npy", weighted.offset)
    if scores is not None:
        file.add_array("unseen_weighted.npy", scores)


def with_weighted(learned: Learned, file: Members, state: Value) -> Learned:
    """Return what was learned together with the weights of a file; files of version 1 have none."""
    n, value = learned.n_classes, state.given("evidence")
    if value is None:
        return learned
    evidence, prior = _evidence(value), state["prior"].numbers(n, -LARGE, LARGE)
    weighted = _weighted(file, n, learned.n_constants) if _HAS in file else None
    value.need(weighted is not None or not evidence.weighted, f"needs {_HAS}, which is not there")
    held_out = learned.held_out
    if "unseen_weighted.npy" in file:
        shape = held_out.ratios.shape
        scores = file.floats("unseen_weighted.npy", shape, low=-LARGE, high=LARGE)
        held_out = replace(held_out, weighted=scores)
    learned = replace(learned, weighted=weighted, evidence=evidence, prior=prior, held_out=held_out)
    if evidence.strict == 0:  # files of version 2 repeat the weighted atoms
        learned = replace(learned, pools=without_atoms(learned.pools))
    return learned


_HAS = "weighted_weights.npy"


def _weighted(file: Members, n_classes: int, n_constants: int) -> WeightedAtoms:
    atoms = Lists(*file.lists("weighted_starts.npy", "weighted_constants.npy", n_constants))
    n = atoms.n
    return WeightedAtoms(
        atoms,
        file.integers("weighted_classes.npy", n, high=n_classes - 1),
        file.floats("weighted_weights.npy", (n,), low=-LARGE, high=LARGE),
        file.floats("weighted_offset.npy", (n_classes,), low=-LARGE, high=LARGE),
    )


def _evidence(value: Value) -> Evidence:
    measured = {}
    for name in ("losses", "errors"):
        fields = value[name].fields()
        value[name].need(set(fields) <= set(KINDS), "is of atoms that there are not")
        measured[name] = {kind: one.number(0, LARGE) for kind, one in fields.items()}
    losses, errors, chosen = measured["losses"], measured["errors"], value["chosen"].one_of(KINDS)
    value.need(set(losses) == set(errors), "has losses and errors of different atoms")
    value.need(not losses or chosen in losses, "has no loss of what was chosen")
    strict, weighted = value["strict"].number(0, LARGE), value["weighted"].number(0, LARGE)
    value.need(chosen != "weighted" or strict == 0, "counts strict atoms without having them")
    value.need(chosen != "strict" or weighted == 0, "counts weighted atoms without having them")
    return Evidence(chosen, losses, errors, strict, weighted)


def add_compact(file: Container, estimator: Any) -> dict[str, Any]:
    """Add the members of a compact model and of what it is made of; return those for JSON."""
    learned: Learned = estimator.learned_
    compact: dict[str, Any] = {"sizes": [list(one) for one in learned.sizes]}
    if hasattr(estimator, "before_"):  # a card that somebody changed
        compact["before"] = None if estimator.before_ is None else list(estimator.before_)
    if (teacher := learned.teacher) is not None:
        file.add_array("teacher_rows.npy", teacher.rows)
        file.add_array("teacher_labels.npy", teacher.labels)
        file.add_array("teacher_weights.npy", teacher.weights)
        file.add_array("teacher_fold.npy", teacher.fold)
        compact["teacher"] = {"seed": str(teacher.seed), "lessons": len(teacher.lessons)}
        for i, lesson in enumerate(teacher.lessons):
            file.add_array(f"lesson{i}_scores.npy", lesson.scores)
            add_lists(file, f"lesson{i}", lesson.candidates.atoms)
            file.add_array(f"lesson{i}_classes.npy", lesson.candidates.of_class)
    if (card := learned.card) is not None:
        compact["card"] = {
            "rules": [[list(condition) for condition in rule] for rule in card.rules],
            "points": card.points.tolist(),
            "scale": card.scale,
            "offsets": card.offsets.tolist(),
            "max_points": card.max_points,
            "is_exact": card.is_exact,
            "size": None if learned.card_size is None else list(learned.card_size),
        }
        add_lists(file, "card", card.atoms)
        if (held_out := learned.card_held_out) is not None and held_out.weighted is not None:
            file.add_array("card_scores.npy", held_out.weighted)
            file.add_array("card_labels.npy", held_out.labels)
            file.add_array("card_weights.npy", held_out.weights)
    return compact


def _size(value: Value, is_number: bool = False) -> Size:
    """Return the measures of a model, whose error is a share unless a number is predicted."""
    n_atoms, error, error_sd, loss, loss_sd, is_full, n_rows = value.items(7)
    return Size(
        n_atoms.integer(high=1 << 53),
        error.number(0, LARGE if is_number else 1 + 1e-9),
        error_sd.number(0, LARGE),
        loss.number(0, LARGE),
        loss_sd.number(0, LARGE),
        is_full.truth(),
        n_rows.integer(high=1 << 53),
    )


def _teacher(
    file: Members, value: Value, learned: Learned, columns: npt.NDArray[np.int64]
) -> Teacher:
    n_classes, seed = learned.n_classes, value["seed"].text()
    value["seed"].need(seed.isascii() and seed.isdecimal() and len(seed) < 20, "is not a number")
    n_lessons = value["lessons"].integer(low=1, high=MOST_LESSONS)
    rows = file.rows("teacher_rows.npy", learned.n_constants)
    n = len(rows)
    file.need(n > 0, "there are no rows to make a compact model from")
    fold = file.integers("teacher_fold.npy", n, low=-1, high=n_lessons - 2)
    highest = n_classes - 1 if n_classes > 1 else n  # intervals of a number
    teacher = Teacher(
        rows,
        file.integers("teacher_labels.npy", n, high=highest),
        file.floats("teacher_weights.npy", (n,), low=TINY, high=LARGE),
        fold,
        columns,
        int(seed),
    )
    lessons = []
    for i in range(n_lessons):
        n_made = teacher.n_made(i, i == n_lessons - 1)
        file.need(n_made > 0, "a fold leaves no rows to learn from")
        names = f"lesson{i}_starts.npy", f"lesson{i}_constants.npy"
        atoms = Lists(*file.lists(*names, learned.n_constants))
        scores = file.floats(f"lesson{i}_scores.npy", (n_made, n_classes), low=-LARGE, high=LARGE)
        of_class = file.integers(f"lesson{i}_classes.npy", atoms.n, low=-1, high=n_classes - 1)
        lessons.append(Lesson(scores.astype(np.float32), Candidates(atoms, of_class)))
    return replace(teacher, lessons=tuple(lessons))


def _card(file: Members, value: Value, learned: Learned) -> Card:
    n, most = learned.n_classes, value["max_points"].integer(low=1, high=1 << 31)
    rules = [
        tuple(
            tuple(one.integer(high=learned.n_constants - 2) for one in condition.items())
            for condition in rule.items()
        )
        for rule in value["rules"].items()
    ]
    value["rules"].need(all(rule and all(rule) for rule in rules), "has a rule without conditions")
    points = [one.integers(n, -most, most) for one in value["points"].items(len(rules))]
    atoms = Lists(*file.lists("card_starts.npy", "card_constants.npy", learned.n_constants))
    file.need(atoms.n == len(rules), "the card has not an atom for each rule")
    return Card(
        tuple(rules),
        np.array(points, dtype=np.int64).reshape(len(rules), n),
        value["scale"].number(TINY, LARGE),
        value["offsets"].numbers(n, -LARGE, LARGE),
        atoms,
        most,
        value["is_exact"].truth(),
    )


def _card_held_out(file: Members, n_classes: int) -> HeldOutPredictions | None:
    if "card_scores.npy" not in file:
        return None
    scores = file.floats("card_scores.npy", (None, n_classes), low=-LARGE, high=LARGE)
    weights = file.floats("card_weights.npy", (len(scores),), low=TINY, high=LARGE)
    labels = file.integers("card_labels.npy", len(scores), high=n_classes - 1)
    return HeldOutPredictions(np.zeros((len(scores), 0)), labels, weights, weights, scores)


MOST_LESSONS = 100
"""Maximum number of lessons in a file, one for each fold and one more."""

KIND = "classifier"
VERSION = 5
"""Version of the format. Version 2 added weighted atoms. Since version 3 the pools have strict
atoms only: earlier files repeat weighted atoms there if these alone decide. Version 4 added compact
models, version 5 ordered classes, which need not be sorted; models of others are still written as
version 4."""

UNORDERED = 4
"""Version of files of classes without an order, which earlier versions of atomlearn read, too."""

_PLAIN = (str, int, float, bool)
_DTYPES = {"bool", "object", "str", "float16", "float32", "float64"} | {
    f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)
}


UNKNOWN = -1.0
"""The probability, in a file, of a row that was never held out."""
LITERAL_BYTES = 160
"""Memory of a literal in bytes, with its place in lists and sets."""
RULE_BYTES = 100
"""Memory of a rule in bytes for each character of its text."""
MOST_HELD_OUT = 20_000
"""Maximum number of held-out predictions that are saved, enough for errors by class and for
continued learning."""


def without_rows(classifier: AlgebraicClassifier) -> AlgebraicClassifier:
    """Return a copy that keeps nothing of single training rows, for ``save(rows=False)``."""
    twin, learned = copy.copy(classifier), classifier.learned_
    twin.importances_ = classifier.feature_importances_
    twin.sample_ = classifier.sample_.without_rows()
    twin.learned_ = replace(
        learned,
        held_out=HeldOutPredictions.none(learned.n_classes),
        card_held_out=None,
        teacher=None,
    )
    twin.conflicts_, twin.rule_conflicts_ = Listed(), Listed()
    twin.__dict__.pop("first_rows_", None)
    return twin


def write_classifier(classifier: AlgebraicClassifier, path: str | Path, rows: bool = True) -> None:
    """Write a fitted classifier to a file, with or without what it keeps of training rows."""
    if not rows and not classifier.sample_.is_withheld:
        classifier = without_rows(classifier)
    learned, encoder = classifier.learned_, classifier.encoder_
    learned = replace(learned, held_out=learned.held_out.thinned(MOST_HELD_OUT))
    pools = learned.pools
    info = {
        "classes": len(pools),
        "columns": classifier.n_features_in_,
        "atoms": learned.deciding().n_atoms,
        "how_to_read": "model.json: literals; atoms.npy, offsets.npy, class_offsets.npy: atoms",
    }
    is_withheld = classifier.sample_.is_withheld
    if is_withheld:
        info["training_rows"] = "none: this model was saved without any training row"
    file = Container(KIND, VERSION if classifier.ordered_ else UNORDERED, info)
    compact = add_compact(file, classifier)
    names = getattr(classifier, "feature_names_in_", None)
    first_rows = getattr(classifier, "first_rows_", None)
    file.add_json(
        "model.json",
        {
            "classes": [_plain(label, "the label") for label in classifier.classes_],
            "classes_dtype": _dtype_name(classifier.classes_),
            "columns": columns_as_json(encoder),
            "has_names": names is not None,
            "has_first_rows": first_rows is not None,
            "literals": [literal.in_full for literal in encoder.literals_],
            "slope": learned.calibration.slope,
            "offset": learned.calibration.offset.tolist(),
            "typical": learned.typical.tolist(),
            "epochs": learned.epochs,
            "rows": classifier.n_rows_,
            "estimated_error": classifier.estimated_error_,
            **({"ordered": distance_as_json(classifier)} if classifier.ordered_ else {}),
            "seed": str(classifier.seed_),
            "params": params_as_json(classifier),
            "prior": _prior_as_json(learned),
            "evidence": asdict(learned.evidence),
            "rules": [str(rule) for rule in classifier.rules_],
            "compact": compact,
            "target": getattr(classifier, "target_name_", None),
            "undecided": learned.undecided,
            "contradicted": learned.contradicted,
            "conflicts": conflicts_as_json(classifier.conflicts_, classifier.classes_),
            "rule_conflicts": rule_conflicts_as_json(
                classifier.rule_conflicts_, classifier.rules_, classifier.classes_
            ),
            "held_out": [[astuple(one) for one in ours] for ours in classifier.held_out_],
            "importances": classifier.importances_.tolist() if is_withheld else None,
        },
    )
    file.add_json("history.json", [_history_as_json(one) for one in classifier.history_])
    add_pools(file, pools)
    file.add_array("kept.npy", encoder.kept_)
    add_sample(file, classifier.sample_)
    file.add_array("unseen_ratios.npy", learned.held_out.ratios)
    file.add_array("unseen_labels.npy", learned.held_out.labels)
    file.add_array("unseen_weights.npy", learned.held_out.weights)
    file.add_array("unseen_shares.npy", learned.held_out.shares)
    add_weighted(file, learned)
    if first_rows is not None:
        file.add_array("first_rows.npy", first_rows)
    save(file, path, lambda read: read.rules_ == classifier.rules_)


def add_sample(file: Container, sample: TrainingSample) -> None:
    """Add the members of a sample of training rows."""
    file.add_array("sample_rows.npy", sample.rows)
    file.add_array("sample_labels.npy", sample.labels)
    file.add_array("sample_totals.npy", sample.totals)
    file.add_array("sample_numbers.npy", sample.numbers)
    file.add_array("sample_chances.npy", np.nan_to_num(sample.chances, nan=UNKNOWN))
    if sample.targets is not None:
        file.add_array("sample_targets.npy", sample.targets)


def get_classifier(file: Members) -> AlgebraicClassifier:
    """Read a classifier; raise :class:`~atomlearn.errors.DamagedFile` if its members do not fit."""
    return Reader(file).classifier()


class Reader:
    """A reader of one file of an estimator; without more, of a classifier."""

    def __init__(self, file: Members) -> None:
        self.file = file
        self.state = file.json("model.json")

    def classifier(self) -> AlgebraicClassifier:
        """Return the classifier."""
        state = self.state
        ordered = state.given("ordered")  # a file of version 5
        classes, encoder = self.classes(ordered is not None), self.encoder()
        self.n_classes, self.n_constants = len(classes), len(encoder.literals_) + 1
        classifier = AlgebraicClassifier(**self.params(state["params"], len(encoder.columns_)))
        classifier.ordered_ = ordered is not None
        classifier.classes_ = classes
        self.begin(classifier, encoder)
        classifier.learned_ = self.learned()
        target = state.given("target")  # only the command line and ordered classes know its name
        if target is not None:
            classifier.target_name_ = target.text()
        chain = classifier.names_of_chain()
        classifier.rules_, rules = self.rules(encoder, classes, chain)
        rules = replace(rules, ordered=bool(chain))
        classifier.learned_ = replace(classifier.learned_, rules=rules)
        classifier.learned_ = self.with_compact(classifier, classifier.learned_)
        refused = rule_conflicts_in(state.given("rule_conflicts"), classifier.rules_, classes)
        classifier.rule_conflicts_ = Listed(refused)
        classifier.sample_ = self.sample()
        if classifier.sample_.is_withheld:
            importances = state.given("importances")
            n_columns = len(encoder.columns_)
            classifier.importances_ = (
                np.full(n_columns, 1 / n_columns)
                if importances is None
                else importances.numbers(n_columns, 0, 1 + 1e-9)
            )
        classifier.held_out_ = self.held_out()
        classifier.history_ = History(self.history(classes.tolist()))
        classifier.estimated_error_ = self.error(classifier.learned_)
        distance = None if ordered is None else ordered.given("estimated_distance")
        classifier.estimated_distance_ = None if distance is None else distance.number(0, LARGE)
        rows = state.given("rows")  # older files have the number of distinct rows only
        totals = int(classifier.sample_.totals.sum())
        classifier.n_rows_ = totals if rows is None else rows.integer(high=1 << 53)
        classifier.evidence_ = classifier.learned_.evidence
        classifier.conflicts_ = Listed(conflicts_in(state.given("conflicts"), classes))
        classifier.doubted_ = np.zeros(0, dtype=np.int64)
        if state["has_first_rows"].truth():
            classifier.first_rows_ = self.file.rows("first_rows.npy", self.n_constants)
        return classifier

    def begin(self, estimator: Any, encoder: LiteralEncoder) -> None:
        """Give an estimator its encoder, the names of the columns, and the seed."""
        estimator.encoder_, estimator.n_features_in_ = encoder, encoder.n_features_in_
        if self.state["has_names"].truth():
            estimator.feature_names_in_ = encoder.feature_names_in_
        estimator.seed_ = self.seed()

    def params(self, value: Value, n_columns: int) -> dict[str, Any]:
        """Return the parameters of the classifier."""
        return self.given_params(value, AlgebraicClassifier().get_params(), _PARAMS, n_columns)

    def given_params(
        self, value: Value, known: dict[str, Any], readers: "Readers", n_columns: int
    ) -> dict[str, Any]:
        """Return the parameters of an estimator, which has the ``known`` ones."""
        value.need(set(value.fields()) <= set(known), "has a parameter that no such model has")
        params = {name: one for name, one in value.fields().items() if name not in _USERS}
        return {
            name: None if one.raw is None else readers[name](one, n_columns)
            for name, one in params.items()
        }

    def seed(self) -> int:
        """Return the seed."""
        seed = self.state["seed"].text()
        self.state["seed"].need(seed.isascii() and seed.isdecimal(), "is not a number")
        return int(seed)

    def classes(self, ordered: bool = False) -> npt.NDArray[Any]:
        """Return the classes."""
        value, dtype = self.state["classes"], self.state["classes_dtype"].text()
        values = value.plains()
        value.need(values, "is empty")
        value.need(dtype in _DTYPES, "is of a type that atomlearn never writes")
        longest = max(len(str(value)) for value in values)
        self.file.spend(4 * len(values) * longest, "the labels of the classes")
        labels = np.array(values, dtype=dtype)
        known = np.sort(labels) if ordered else labels
        value.need(np.array_equal(np.unique(labels), known), "is not a list of labels in order")
        return labels

    def encoder(self) -> LiteralEncoder:
        """Return the encoder, with the literals that were kept."""
        columns = self.state["columns"].items()
        self.state["columns"].need(columns, "is empty")
        encoder = LiteralEncoder()
        encoder.columns_ = [_column(j, one) for j, one in enumerate(columns)]
        encoder.n_features_in_ = len(columns)
        if self.state["has_names"].truth():
            names = [column.name for column in encoder.columns_]
            encoder.feature_names_in_ = np.array(names, dtype=object)
        n_literals = [column.n_literals for column in encoder.columns_]
        kept = self.file.integers("kept.npy", high=sum(n_literals) - 1)
        self.file.need((kept[1:] > kept[:-1]).all(), "the literals are not in order")
        # While literals are chosen there are all of one column, and those chosen so far.
        self.file.spend(LITERAL_BYTES * (len(kept) + max(n_literals)), "the literals")
        encoder.choose(kept)
        # Their texts are for people to read; an earlier version may have worded them otherwise.
        literals = self.state["literals"]
        literals.need(
            len(literals.texts()) == len(encoder.literals_),
            f"are not the {len(encoder.literals_):,} of the columns",
        )
        return encoder

    def learned(self) -> Learned:
        """Return what was learned."""
        n, file, state = self.n_classes, self.file, self.state
        calibration = Calibration(
            state["slope"].number(1e-6, 1e6), state["offset"].numbers(n, -LARGE, LARGE)
        )
        typical = state["typical"].numbers(n, 0, LARGE)
        ratios = file.floats("unseen_ratios.npy", (None, n), low=-1000, high=1000)
        held_out = HeldOutPredictions(
            ratios,
            file.integers("unseen_labels.npy", len(ratios), high=n - 1),
            file.floats("unseen_weights.npy", (len(ratios),), low=TINY, high=LARGE),
            file.floats("unseen_shares.npy", (len(ratios),), low=TINY, high=LARGE),
        )
        pools = pools_in(file, self.n_constants, n)
        epochs = state["epochs"].integers(n, high=MOST_EPOCHS).tolist()
        undecided = state.given("undecided")  # older files have none
        contradicted = state.given("contradicted")
        learned = Learned(
            pools,
            epochs,
            typical,
            calibration,
            held_out,
            undecided=1.0 if undecided is None else undecided.number(0, 1),
            contradicted=0.0 if contradicted is None else contradicted.number(0, 1),
        )
        return with_weighted(learned, file, state)

    def with_compact(self, estimator: Any, learned: Learned) -> Learned:
        """Return what was learned with the compact model of the file; older files have none.

        The estimator takes the measures of the card before somebody changed it, if it was.
        """
        compact = self.state.given("compact")
        if compact is None:
            return learned
        is_number = learned.n_classes == 1
        if "before" in compact.fields():
            before = compact.given("before")
            estimator.before_ = None if before is None else _size(before, is_number)
        sizes = tuple(_size(one, is_number) for one in compact["sizes"].items())
        learned = replace(learned, sizes=sizes)
        teacher, card = compact.given("teacher"), compact.given("card")
        if teacher is not None:
            literals = estimator.encoder_.literals_
            columns = np.array([one.column for one in literals], dtype=np.int64)
            learned = replace(learned, teacher=_teacher(self.file, teacher, learned, columns))
        if card is None:
            return learned
        size = card.given("size")
        return replace(
            learned,
            card=_card(self.file, card, learned),
            card_size=None if size is None else _size(size, is_number),
            card_held_out=_card_held_out(self.file, learned.n_classes),
        )

    def error(self, learned: Learned) -> float | None:
        """Return the error estimated from all held-out rows, of which a file may have fewer."""
        if "estimated_error" not in self.state.fields():
            return learned.error
        value = self.state.given("estimated_error")
        return None if value is None else value.number(0, 1 + 1e-9)

    def rules(
        self,
        encoder: LiteralEncoder,
        classes: npt.NDArray[Any],
        chain: Sequence[str] = (),
        target: str | None = None,
    ) -> tuple[list[Statement], HardRules]:
        """Return the rules, as they were given and for prediction; of a number its name."""
        value = self.state.given("rules")  # older files have none
        texts = [] if value is None else value.texts()
        self.file.spend(RULE_BYTES * sum(map(len, texts)), "the rules")
        names = [column.name for column in encoder.columns_]
        labels = classes.tolist() if target is None else ()
        try:
            rules = parse_rules(texts, names, labels, chain=chain, target=target)
            return rules, compile_rules(rules, encoder, classes, check=False, ordered=bool(chain))
        except (InvalidRule, KeyError) as error:
            self.state.need(False, f"has a rule that is not of this model: {error}")
            raise AssertionError from error

    def sample(self) -> TrainingSample:
        """Return the sample of training rows."""
        rows = self.file.rows("sample_rows.npy", self.n_constants)
        labels = self.file.integers("sample_labels.npy", len(rows), high=self.n_classes - 1)
        totals = self.file.integers("sample_totals.npy", self.n_classes, high=1 << 53)
        numbers, chances = np.full(len(rows), -1), np.full(len(rows), np.nan)
        if "sample_numbers.npy" in self.file:  # older files have none
            numbers = self.file.integers("sample_numbers.npy", len(rows), low=-1, high=1 << 53)
            chances = self.file.floats(
                "sample_chances.npy", (len(rows),), low=UNKNOWN, high=1 + 1e-9
            )
            chances = np.where(chances < 0, np.nan, chances)
        targets = None
        if "sample_targets.npy" in self.file:
            shape = (len(rows),)
            targets = self.file.floats("sample_targets.npy", shape, low=-LARGE, high=LARGE)
        return TrainingSample(rows, labels, totals, numbers, chances, targets)

    def history(self, classes: list[Any]) -> list[dict[str, Any]]:
        """Return the figures of each epoch."""
        known = set(classes)
        return [_epoch(one, known) for one in self.file.json("history.json").items()]

    def held_out(self) -> list[list[Measure]]:
        """Return the measures of definitions."""
        value = self.state.given("held_out")  # older files have none
        classes = [] if value is None else value.items()
        self.state.need(len(classes) in (0, self.n_classes), "has not measures for each class")
        return [[_measure(one) for one in ours.items()] for ours in classes]


_USERS = ("n_jobs", "verbose")
"""Parameters that belong to the machine and the user, not to the model: never saved or read."""

TINY = 1e-300
"""Exclusive lower bound of positive numbers."""


def _class_weight(value: Value, n_columns: int) -> Any:
    if value.raw == "balanced":
        return "balanced"
    pairs = [pair.items(2) for pair in value.items()]
    return {label.plain(): weight.number(low=0) for label, weight in pairs}


def _image_shape(value: Value, n_columns: int) -> tuple[int, int]:
    height, width = (side.integer(low=1) for side in value.items(2))
    value.need(height * width == n_columns, f"is not of {n_columns:,} columns")
    return height, width


def _time_limit(value: Value, n_columns: int) -> float:
    return math.inf if value.raw == math.inf else value.number(low=0)


def _max_atoms(value: Value, n_columns: int) -> int | str:
    return AUTO if value.raw == AUTO else value.integer(low=1)


Readers = dict[str, Callable[[Value, int], Any]]

_PARAMS: Readers = {
    "max_atoms": _max_atoms,
    "max_points": lambda value, n: value.integer(low=1),
    "max_epochs": lambda value, n: value.integer(low=1),
    "time_limit": _time_limit,
    "ordered": lambda value, n: value.plains() if isinstance(value.raw, list) else value.plain(),
    "evidence": lambda value, n: value.one_of(EVIDENCE),
    "warm_start": lambda value, n: value.truth(),
    "class_weight": _class_weight,
    "rules": lambda value, n: value.texts(),
    "symmetries": lambda value, n: [one.integers(n, -1, n - 1) for one in value.items()],
    "image_shape": _image_shape,
    "max_classes": lambda value, n: value.integer(low=1),
    "max_cuts": lambda value, n: value.integer(low=1),
    "random_state": lambda value, n: value.integer(),
}
"""Readers of the parameters, given the number of columns."""


def param_readers() -> Readers:
    """Return the readers of the parameters that estimators share."""
    return dict(_PARAMS)


def _column(j: int, value: Value) -> Column:
    name, kind = value["name"].text(), value["kind"].text()
    earlier = value.given("may_miss")  # its name in older files
    has_missing = (value["has_missing"] if earlier is None else earlier).truth()
    if kind == "number":
        cuts, is_boolean = value["cuts"].ascending(), value["is_boolean"].truth()
        value["cuts"].need(not is_boolean or len(cuts) < 2, "has too many cuts for a truth value")
        others = value.given("others")  # older files have none
        return NumberColumn(
            j,
            name,
            cuts,
            has_missing,
            is_boolean,
            _values(value, is_boolean),
            () if others is None else tuple(others.texts()),
        )
    value["kind"].need(kind == "category", "is unknown")
    categories = tuple(value["categories"].plains())
    value["categories"].need(len(set(categories)) == len(categories), "has a category twice")
    return CategoryColumn(j, name, categories, has_missing, _groups(value, len(categories)))


def _values(value: Value, is_boolean: bool) -> tuple[float, ...]:
    values = value.given("values")  # older files have none
    if values is None:
        return ()
    # A rule may name a larger number, which is written as it was.
    found = tuple(
        int(one) if one == one // 1 and abs(one) < MOST_EXACT else one for one in values.ascending()
    )
    values.need(not (found and is_boolean), "is of a column of truth values")
    return found


def _groups(value: Value, n: int) -> tuple[tuple[int, ...], ...]:
    groups = value.given("groups")  # older files have none
    found = []
    for one in [] if groups is None else groups.items():
        group = tuple(place.integer(high=n - 1) for place in one.items())
        one.need(group and list(group) == sorted(set(group)), "is not a group in order")
        found.append(group)
    return tuple(found)


def _measure(value: Value) -> Measure:
    *shares, examples = value.items(4)
    coverage, exclusion, error = (share.number(0, 1 + 1e-9) for share in shares)
    return Measure(coverage, exclusion, error, examples.integer(high=1 << 62))


def _epoch(value: Value, classes: set[Any]) -> dict[str, Any]:
    label, error = value["class"].plain(), value.given("estimated_error")
    value["class"].need(label in classes, "is not one of the classes")
    return {
        "class": label,
        "epoch": value["epoch"].integer(),
        "examples": value["examples"].integer(high=1 << 53),
        "atoms": value["atoms"].integer(high=1 << 53),
        "pool": value["pool"].integer(high=1 << 53),
        "estimated_error": None if error is None else error.number(0, 1 + 1e-9),
        "seconds": value["seconds"].number(low=0),
    }


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


def columns_as_json(encoder: LiteralEncoder) -> list[dict[str, Any]]:
    """Return the columns of an encoder as plain values."""
    return [_column_as_json(column) for column in encoder.columns_]


def _column_as_json(column: Column) -> dict[str, Any]:
    same = {"name": column.name, "has_missing": column.has_missing}
    if isinstance(column, NumberColumn):
        return {
            "kind": "number",
            **same,
            "cuts": list(column.cuts),
            "is_boolean": column.is_boolean,
            "values": list(column.values),
            **({"others": list(column.others)} if column.others else {}),
        }
    categories = [_plain(c, f"the value of column {column.name!r}") for c in column.categories]
    groups = [list(group) for group in column.groups]
    return {"kind": "category", **same, "categories": categories, "groups": groups}


def params_as_json(classifier: Any) -> dict[str, Any]:
    """Return the parameters of an estimator as plain values."""
    params = {k: v for k, v in classifier.get_params().items() if k not in _USERS}
    if not isinstance(params["random_state"], int | None):
        params["random_state"] = None  # what it gave is in the streams and the seed
    if params.get("symmetries") is not None:
        params["symmetries"] = [np.asarray(one).tolist() for one in params["symmetries"]]
    if isinstance(params.get("class_weight"), dict):
        params["class_weight"] = [
            [_plain(label, "the label"), float(w)] for label, w in params["class_weight"].items()
        ]
    if not isinstance(params.get("ordered", False), bool | str):
        params["ordered"] = [_plain(label, "the label") for label in params["ordered"]]
    elif params.get("ordered") == "auto":  # the default, which older versions do not know
        del params["ordered"]
    if params["rules"] is not None:
        params["rules"] = [str(rule) for rule in params["rules"]]
    if params.pop("monotonic_cst") is not None:  # these are statements like others
        params["rules"] = [str(rule) for rule in classifier.rules_]
    if params["image_shape"] is not None:
        params["image_shape"] = [int(side) for side in params["image_shape"]]
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in params.items()
    }


def distance_as_json(classifier: AlgebraicClassifier) -> dict[str, float | None]:
    """Return what a file has of ordered classes alone."""
    return {"estimated_distance": classifier.estimated_distance_}


def _prior_as_json(learned: Learned) -> list[float]:
    prior = np.zeros(learned.n_classes) + learned.prior
    return np.maximum(prior, -LARGE).tolist()  # JSON has no infinity: what has weight 0


def _history_as_json(one: dict[str, Any]) -> dict[str, Any]:
    return {**one, "class": _plain(one["class"], "the label")}
