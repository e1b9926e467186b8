"""The paper, reproduced: one experiment a file, each a list of steps and a page made from them."""

from importlib import import_module

from atomlearn_paper.steps import Experiment

NAMES = ("toy", "bars", "parity", "mnist", "queens")
"""The experiments, in the order of the paper."""


def experiment(name: str) -> Experiment:
    """An experiment by name; its module is imported only now.

    >>> experiment("toy").title
    'The toy problem, step by step'
    """
    found: Experiment = import_module(f"atomlearn_paper.{name}").EXPERIMENT
    return found
