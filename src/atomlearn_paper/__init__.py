"""The paper, reproduced: an experiment a module, and a verdict on each of the paper's claims."""

import tomllib
from importlib.resources import files

from atomlearn_paper.steps import Experiment, experiment_of

_TABLE = tomllib.loads((files("atomlearn_paper") / "experiments.toml").read_text(encoding="utf-8"))

NAMES = tuple(_TABLE)
"""The experiments, in the order of the paper."""


def experiment(name: str) -> Experiment:
    """An experiment by name; its module is imported only now.

    >>> experiment("toy").title
    'The toy problem, step by step'
    """
    return experiment_of(name, _TABLE[name])
