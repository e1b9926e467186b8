"""Export a model as an ONNX model, which ONNX Runtime and other engines run.

Each column is an input of shape ``[rows, 1]``: numbers and truth values as doubles, in which
``nan`` is a missing value, and categories as strings. From the description that all exports share
(:mod:`atomlearn.export.description`) the graph computes, in this order: which literals are true of
a row; how many true literals each atom, condition and rule has, by a product with a matrix of zeros
and ones, which is exact; the scores; their softmax, or the number within the limits of the rules.
Numbers are compared as doubles, so that they fall on the same side of a cut as in ``predict``.
"""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.errors import ExportTooLarge, MissingExtra, UnsavableValue
from atomlearn.export.description import Model, model_of
from atomlearn.tables.numbers import float_below, has_large_integers

OPSET, ML_OPSET, IR_VERSION = 17, 3, 8
"""Versions of the operators and of the format, old enough for engines in use."""
MOST_CELLS = 1 << 29
"""Maximum size of a matrix of literals and atoms, in bytes; a file has at most two gigabytes."""


def onnx_model(estimator: Any) -> bytes:
    """Return a classifier or a regressor, or a compact one, as the bytes of an ONNX model.

    Parameters
    ----------
    estimator : AlgebraicClassifier or AlgebraicRegressor
        The fitted estimator.

    Returns
    -------
    bytes
        The model.
    """
    try:
        import onnx
    except ImportError:
        raise MissingExtra("ONNX needs a package: pip install 'atomlearn[onnx]'") from None
    model = model_of(estimator)
    graph = _Graph(model)
    made = onnx.helper.make_model(
        graph.made(),
        producer_name="atomlearn",
        ir_version=IR_VERSION,
        opset_imports=[
            onnx.helper.make_opsetid("", OPSET),
            onnx.helper.make_opsetid("ai.onnx.ml", ML_OPSET),
        ],
    )
    onnx.helper.set_model_props(
        made,
        {
            "classes" if model.number is None else "target": json.dumps(
                model.labels if model.number is None else model.number["target"], ensure_ascii=True
            ),
            "columns": json.dumps(
                [
                    {"input": name, "column": column["name"], "kind": column["kind"]}
                    | ({"missing": graph.missing[j]} if j in graph.missing else {})
                    for j, (name, column) in enumerate(
                        zip(graph.inputs, model.columns, strict=True)
                    )
                ],
                ensure_ascii=True,
            ),
        },
    )
    onnx.checker.check_model(made)
    return bytes(made.SerializeToString())


class _Graph:
    """The nodes of a graph, one after another."""

    def __init__(self, model: Model) -> None:
        from onnx import helper

        self.model, self.helper = model, helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.missing: dict[int, str] = {}
        """The text that stands for a missing value, for each column of categories."""
        self.inputs = input_names([str(one["name"]) for one in model.columns])
        self.taken = set(self.inputs)
        self.place: dict[int, int] = {}
        """Where the truth of each literal is."""

    def made(self) -> Any:
        from onnx import TensorProto as Type

        model = self.model
        kinds = [one["kind"] for one in model.columns]
        types = [Type.STRING if kind == "category" else Type.DOUBLE for kind in kinds]
        given = [
            self.helper.make_tensor_value_info(name, kind, ["rows", 1])
            for name, kind in zip(self.inputs, types, strict=True)
        ]
        outputs = self._classes() if model.number is None else self._number()
        return self.helper.make_graph(
            self.nodes, "atomlearn", given, outputs, initializer=self.constants
        )

    def _classes(self) -> list[Any]:
        """Add the label and the probabilities, which are the outputs."""
        from onnx import TensorProto as Type

        model = self.model
        scores = self.scores(self.truth())
        first = self.add("ArgMax", [scores], axis=1, keepdims=0)
        label, chances = self.named("label"), self.named("probabilities")
        labels, kind = _labels(model.labels)
        self.add("Gather", [self.constant(labels), first], axis=0, output=label)
        self.add("Softmax", [scores], axis=1, output=chances)
        shape = ["rows", len(model.labels)]
        return [
            self.helper.make_tensor_value_info(label, kind, ["rows"]),
            self.helper.make_tensor_value_info(chances, Type.DOUBLE, shape),
        ]

    def _number(self) -> list[Any]:
        """Add the number that is predicted, within the limits of the rules; it is the output."""
        from onnx import TensorProto as Type

        model, truth = self.model, self.truth()
        assert model.number is not None
        found = self.scores(truth)
        if model.number["is_log"]:
            ends = [self.constant(np.array(end)) for end in (-700.0, 700.0)]
            found = self.add("Exp", [self.add("Clip", [found, *ends])])
        met = self._met(truth) if model.rules else ""
        for end, outer, (join, reduce) in (
            ("low", -np.inf, ("Max", "ReduceMax")),
            ("high", np.inf, ("Min", "ReduceMin")),
        ):
            limits = [rule[end] for rule in model.rules]
            if any(one is not None for one in limits):
                values = np.array([[outer if one is None else one for one in limits]])
                none = self.constant(np.array([[outer]]))
                each = self.add("Where", [met, self.constant(values), none])
                limit = self.add(reduce, [each], axes=[1], keepdims=1)
                found = self.add(join, [found, limit])
        prediction = self.named("prediction")
        self.add("Squeeze", [found, self.constant(np.array([1]))], output=prediction)
        return [self.helper.make_tensor_value_info(prediction, Type.DOUBLE, ["rows"])]

    def add(
        self, kind: str, inputs: Sequence[str], output: str | None = None, **options: Any
    ) -> str:
        """Add a node; return the name of its output."""
        output = self.named(f"{kind.lower()}_{len(self.nodes)}") if output is None else output
        self.nodes.append(self.helper.make_node(kind, list(inputs), [output], **options))
        return output

    def named(self, name: str) -> str:
        """Return a name that nothing has yet."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def constant(self, value: npt.NDArray[Any]) -> str:
        """Add an array; return its name."""
        from onnx import TensorProto, numpy_helper

        name = self.named(f"constant_{len(self.constants)}")
        if value.dtype == object:  # text
            texts = [one.encode("utf-8") for one in value.ravel().tolist()]
            made = self.helper.make_tensor(name, TensorProto.STRING, list(value.shape), texts)
        else:
            made = numpy_helper.from_array(np.ascontiguousarray(value), name)
        self.constants.append(made)
        return name

    # literals

    def truth(self) -> str:
        """Add the truth of all literals, as bytes; the last one is always false."""
        parts: list[str] = []
        by_kind: dict[str, list[int]] = {}
        for i, (column, operator, _) in enumerate(self.model.literals):
            kind = self.model.columns[column]["kind"]
            by_kind.setdefault(f"{column}" if kind == "category" else operator, []).append(i)
        known = 0
        for key, ours in by_kind.items():
            parts.append(self._categories(ours) if key.isdecimal() else self._numbers(key, ours))
            self.place.update({i: known + n for n, i in enumerate(ours)})
            known += len(ours)
        parts.append(self._false())
        joined = self.add("Concat", parts, axis=1) if len(parts) > 1 else parts[0]
        return self.bytes_of(joined)

    def _false(self) -> str:
        """Add a column of rows that is always false."""
        if self.model.columns[0]["kind"] != "category":
            return self.add("Greater", [self.inputs[0], self.inputs[0]])
        return self.add("Equal", [self._codes(0), self.constant(np.array([[-1]]))])

    def _codes(self, j: int) -> str:
        """Add the number of the category of each row, which is never negative."""
        name = f"{self.inputs[j]}/code"
        if name in self.taken:
            return name
        names = self.categories(j)
        self.taken.add(name)
        return self.add(
            "LabelEncoder",
            [self.inputs[j]],
            output=name,
            domain="ai.onnx.ml",
            keys_strings=[*names, self.missing[j]],
            values_int64s=[*range(len(names)), len(names) + 1],
            default_int64=len(names),
        )

    def categories(self, j: int) -> list[str]:
        """Return the texts of the categories of a column, in their order."""
        column = self.model.columns[j]
        names = [str(one) for one in column["categories"]]
        if len(set(names)) < len(names):
            twice = next(one for one in names if names.count(one) > 1)
            raise UnsavableValue(
                f"column {column['name']!r} has different categories that are written {twice!r}, "
                "which are the same in ONNX: make them text before fit"
            )
        missing = ""
        while missing in names:
            missing += "missing"
        self.missing[j] = missing
        return names

    def _categories(self, ours: list[int]) -> str:
        """Add the literals of one column of categories, looked up by the code of the category."""
        j = self.model.literals[ours[0]][0]
        categories = self.model.columns[j]["categories"]
        code = self._codes(j)
        n = len(categories)
        table = np.zeros((n + 2, len(ours)), dtype=np.bool_)  # then unknown, then missing
        for place, i in enumerate(ours):
            _, operator, value = self.model.literals[i]
            if operator in ("missing", "present"):
                table[:, place] = operator == "present"
                table[n + 1, place] = operator == "missing"
                continue
            listed = value if isinstance(value, list) else [value]
            keys = {(type(one), one) for one in listed}
            inside = np.array([(type(one), one) in keys for one in categories], dtype=np.bool_)
            is_positive = operator in ("=", "in")
            table[:n, place] = inside == is_positive
            table[n, place] = not is_positive
        found = self.add("Gather", [self.constant(table), code], axis=0)
        return self.add("Squeeze", [found, self.constant(np.array([1]))])

    def _numbers(self, operator: str, ours: list[int]) -> str:
        """Add the literals of number columns with the same operator."""
        literals = [self.model.literals[i] for i in ours]
        cells = self._cells([one[0] for one in literals])
        if operator in ("> column", "<= column"):
            others = self._cells([one[2] for one in literals])
            return self.add("Greater" if operator[0] == ">" else "LessOrEqual", [cells, others])
        if operator in ("missing", "present"):
            absent = self.add("IsNaN", [cells])
            return absent if operator == "missing" else self.add("Not", [absent])
        kinds = [self.model.columns[one[0]]["kind"] for one in literals]
        if operator in (">", "<="):
            cuts = self.constant(np.array([[self._cut(one) for one in literals]]))
            return self.add("Greater" if operator == ">" else "LessOrEqual", [cells, cuts])
        booleans = [kind == "boolean" for kind in kinds]
        if any(booleans) and not all(booleans):  # one kind at a time, in the same order
            each = [self._numbers(operator, [i]) for i in ours]
            return self.add("Concat", each, axis=1)
        if all(booleans):
            half = self.constant(np.array([[0.5]]))
            more, less = self.add("Greater", [cells, half]), self.add("LessOrEqual", [cells, half])
            want = np.array([[(one[2] is True) == (operator == "=") for one in literals]])
            is_so = self.add("And", [more, self.constant(want)])
            is_not = self.add("And", [less, self.constant(~want)])
            return self.add("Or", [is_so, is_not])
        values = self.constant(np.array([[self._cut(one) for one in literals]]))
        same = self.add("Equal", [cells, values])
        if operator == "=":
            return same
        known = self.add("Not", [self.add("IsNaN", [cells])])
        return self.add("And", [known, self.add("Not", [same])])

    def _cut(self, literal: Sequence[Any]) -> float:
        column, _, value = literal
        if has_large_integers([value]):
            raise UnsavableValue(
                f"column {self.model.columns[column]['name']!r} has integers beyond 2**53, which "
                "ONNX would compare as rounded numbers: export to python, js or sql"
            )
        return float_below(value)

    def _cells(self, columns: Sequence[int]) -> str:
        """Add the cells of number columns side by side."""
        used = list(dict.fromkeys(columns))
        parts = [self.inputs[j] for j in used]
        joined = parts[0] if len(parts) == 1 else self.add("Concat", parts, axis=1)
        where = np.array([used.index(j) for j in columns], dtype=np.int64)
        return self.add("Gather", [joined, self.constant(where)], axis=1)

    # what literals make

    def bytes_of(self, truths: str) -> str:
        from onnx import TensorProto

        return self.add("Cast", [truths], to=TensorProto.UINT8)

    def doubles_of(self, truths: str) -> str:
        from onnx import TensorProto

        return self.add("Cast", [truths], to=TensorProto.DOUBLE)

    def counts(self, truth: str, lists: Sequence[Sequence[int]], n: int, literals: bool) -> str:
        """Add the number of the true members of each list, which is exact."""
        if n * len(lists) > MOST_CELLS:
            raise ExportTooLarge(
                f"{len(lists):,} atoms of {n:,} literals are too many for ONNX: make a scorecard "
                "with compact(), or fit with evidence='weighted'"
            )
        matrix = np.zeros((n, len(lists)), dtype=np.uint8)
        for a, members in enumerate(lists):
            matrix[[self.place[i] for i in members] if literals else list(members), a] = 1
        return self.add("MatMulInteger", [truth, self.constant(matrix)])

    def scores(self, truth: str) -> str:
        """Add the scores of the classes."""
        model, n_literals = self.model, len(self.model.literals) + 1
        n_classes = len(model.labels)
        zero = self.constant(np.array([[0]], dtype=np.int32))
        scores = (
            self._card(truth, n_literals, zero) if model.card is not None else self._start(truth)
        )
        if any(model.strict):
            atoms = [atom for ours in model.strict for atom in ours]
            missed = self.add("Equal", [self.counts(truth, atoms, n_literals, True), zero])
            of_class = np.zeros((len(atoms), n_classes))
            which = [k for k, ours in enumerate(model.strict) for _ in ours]
            of_class[np.arange(len(atoms)), which] = 1.0
            m = self.add("MatMul", [self.doubles_of(missed), self.constant(of_class)])
            logs = self.add("Log", [self.add("Add", [m, self.constant(np.array([[1.0]]))])])
            cost = self.add("Mul", [logs, self.constant(np.array([[model.slope]]))])
            scores = self.add("Sub", [scores, cost])
        if model.weighted:
            missed = self.add("Equal", [self.counts(truth, model.weighted, n_literals, True), zero])
            weights = np.zeros((len(model.weighted), n_classes))
            weights[np.arange(len(model.weighted)), model.weighted_class] = model.weights
            more = self.add("MatMul", [self.doubles_of(missed), self.constant(weights)])
            scores = self.add("Add", [scores, more])
        if model.rules and model.number is None:
            return self._allowed(truth, zero, scores)
        return scores

    def _start(self, truth: str) -> str:
        """Add the offsets of the classes, for each row."""
        n = len(self.model.literals)
        none = self.doubles_of(self.add("Gather", [truth, self.constant(np.array([n]))], axis=1))
        return self.add("Add", [none, self.constant(np.array([self.model.offsets]))])

    def _card(self, truth: str, n_literals: int, zero: str) -> str:
        card = self.model.card
        assert card is not None
        if not card["rules"]:
            return self._start(truth)
        conditions = [one for rule in card["rules"] for one in rule["conditions"]]
        has = self.add("Greater", [self.counts(truth, conditions, n_literals, True), zero])
        ends = np.cumsum([0, *(len(rule["conditions"]) for rule in card["rules"])])
        ranges = [list(range(a, b)) for a, b in pairwise(ends.tolist())]
        counts = self.counts(self.bytes_of(has), ranges, len(conditions), False)
        sizes = self.constant(np.diff(ends)[None].astype(np.int32))
        met = self.doubles_of(self.add("Equal", [counts, sizes]))
        points = np.array([rule["points"] for rule in card["rules"]], dtype=np.float64)
        total = self.add("MatMul", [met, self.constant(points)])
        sums = self.add("Add", [total, self.constant(np.array([card["offsets"]], dtype=float))])
        return self.add("Mul", [sums, self.constant(np.array([[card["scale"]]], dtype=float))])

    def _met(self, truth: str) -> str:
        """Add which hard rules each row meets the conditions of."""
        rules, n_literals = self.model.rules, len(self.model.literals) + 1
        sizes = np.array([[len(rule["literals"]) for rule in rules]], dtype=np.int32)
        counts = self.counts(truth, [rule["literals"] for rule in rules], n_literals, True)
        return self.add("Equal", [counts, self.constant(sizes)])

    def _allowed(self, truth: str, zero: str, scores: str) -> str:
        """Add that classes which rules forbid are impossible, unless that leaves none."""
        rules, n_classes = self.model.rules, len(self.model.labels)
        met = self.bytes_of(self._met(truth))
        bans = np.zeros((len(rules), n_classes), dtype=np.uint8)
        for r, rule in enumerate(rules):
            bans[r, list(rule["forbidden"])] = 1
        times = self.add("MatMulInteger", [met, self.constant(bans)])
        banned = self.add("Greater", [times, zero])
        number = self.add(
            "ReduceSum", [self.doubles_of(banned), self.constant(np.array([1]))], keepdims=1
        )
        some_left = self.add("Less", [number, self.constant(np.array([[float(n_classes)]]))])
        obeyed = self.add("And", [banned, some_left])
        never = self.constant(np.array([[-np.inf]]))
        return self.add("Where", [obeyed, never, scores])


def input_names(columns: Sequence[str]) -> list[str]:
    """Return a name for the input of each column: its own, unless it is empty or not the only one.

    >>> input_names(["age", "", "age"])
    ['age', 'x1', 'x2']
    """
    found: list[str] = []
    for j, name in enumerate(columns):
        while not name or name in found or (name != columns[j] and name in columns):
            name = f"x{j}" if name == columns[j] else f"{name}_"
        found.append(name)
    return found


def _labels(labels: Sequence[Any]) -> tuple[npt.NDArray[Any], int]:
    """Return the labels as an array, and their type in ONNX."""
    from onnx import TensorProto as Type

    if all(isinstance(one, bool) for one in labels):
        return np.array(labels), Type.BOOL
    if all(type(one) is int and abs(one) < 2**63 for one in labels):
        return np.array(labels, dtype=np.int64), Type.INT64
    if all(isinstance(one, int | float) for one in labels):
        return np.array(labels, dtype=np.float64), Type.DOUBLE
    return np.array([str(one) for one in labels], dtype=object), Type.STRING
