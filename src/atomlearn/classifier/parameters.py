"""Validation of the classifier's parameters."""

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from atomlearn.errors import InvalidParameter, nearest
from atomlearn.tables.encoder import check_count, is_whole

EVIDENCE = ("auto", "strict", "weighted")


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise :class:`~atomlearn.errors.InvalidParameter` for the first invalid parameter."""
    for name in ("max_epochs", "max_classes", "max_cuts"):
        if parameters[name] is not None:
            check_count(name, parameters[name])
    limit = parameters["time_limit"]
    if limit is not None and not (_is_finite(limit) and limit > 0):
        raise InvalidParameter(f"time_limit must be positive and finite, in seconds: {limit!r}")
    n_jobs = parameters["n_jobs"]
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise InvalidParameter(f"n_jobs must be a whole number other than 0, not {n_jobs!r}")
    if not isinstance(parameters["verbose"], Integral):
        raise InvalidParameter(f"verbose must be 0 or 1, not {parameters['verbose']!r}")
    evidence = parameters["evidence"]
    if evidence not in EVIDENCE:
        known, hint = ", ".join(map(repr, EVIDENCE)), nearest(evidence, EVIDENCE)
        raise InvalidParameter(f"evidence must be one of {known}, not {evidence!r}{hint}")
    _check_seed(parameters["random_state"])
    _check_image_shape(parameters["image_shape"])
    _check_class_weight(parameters["class_weight"])
    rules = parameters["rules"]
    if rules is not None and not isinstance(rules, list | tuple):
        raise InvalidParameter(f"rules must be a list of rules, not {rules!r}")
    if not isinstance(parameters["symmetries"], None | list | tuple) and not hasattr(
        parameters["symmetries"], "__iter__"
    ):
        raise InvalidParameter("symmetries must be a list of maps of columns")


def _is_finite(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)


def _check_seed(seed: Any) -> None:
    if isinstance(seed, str | float) or (isinstance(seed, Integral) and seed < 0):
        raise InvalidParameter(f"random_state must be a whole number from 0 on, not {seed!r}")


def _check_image_shape(shape: Any) -> None:
    if shape is None:
        return
    sides = tuple(shape) if isinstance(shape, list | tuple) else ()
    if len(sides) != 2 or not all(is_whole(side) and side > 0 for side in sides):
        raise InvalidParameter(f"image_shape must be (height, width), such as (28, 28): {shape!r}")


def _check_class_weight(weights: Any) -> None:
    if weights is None or (isinstance(weights, str) and weights == "balanced"):
        return
    if not isinstance(weights, Mapping):
        raise InvalidParameter(f"class_weight must be a dict, 'balanced' or None, not {weights!r}")
    for label, weight in weights.items():
        if not _is_finite(weight) or weight < 0:
            raise InvalidParameter(
                f"class_weight: the weight of {label!r} must be a number from 0 on, not negative, "
                f"infinite or nan: {weight!r}"
            )
