"""Weighted atoms in a classifier file, and the evidence they were chosen by."""

from dataclasses import replace

from atomlearn.engine.pool import add_lists
from atomlearn.files.container import Container
from atomlearn.files.load import LARGE, Members, Value
from atomlearn.sets.rows import Lists
from atomlearn.training.evidence import KINDS, Evidence
from atomlearn.training.learned import Learned
from atomlearn.training.weighted_atoms import WeightedAtoms


def add_weighted(file: Container, learned: Learned) -> None:
    """Add the members of weighted atoms, if there are any."""
    weighted, said = learned.weighted, learned.unseen.weighted
    if weighted is not None:
        add_lists(file, "weighted", weighted.atoms)
        file.add_array("weighted_classes.npy", weighted.classes)
        file.add_array("weighted_weights.npy", weighted.weights)
        file.add_array("weighted_offset.npy", weighted.offset)
    if said is not None:
        file.add_array("unseen_weighted.npy", said)


def with_weighted(learned: Learned, file: Members, state: Value) -> Learned:
    """What was learned together with the weights of a file; files of version 1 have none."""
    n, told = len(learned.pools), state.given("evidence")
    if told is None:
        return learned
    evidence, prior = _evidence(told), state["prior"].numbers(n, -LARGE, LARGE)
    weighted = _weighted(file, n, learned.n_constants) if _HAS in file else None
    told.need(weighted is not None or not evidence.weighted, f"needs {_HAS}, which is not there")
    unseen = learned.unseen
    if "unseen_weighted.npy" in file:
        shape = unseen.ratios.shape
        said = file.floats("unseen_weighted.npy", shape, low=-LARGE, high=LARGE)
        unseen = replace(unseen, weighted=said)
    return replace(learned, weighted=weighted, evidence=evidence, prior=prior, unseen=unseen)


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


def _evidence(told: Value) -> Evidence:
    measured = {}
    for name in ("losses", "errors"):
        fields = told[name].fields()
        told[name].need(set(fields) <= set(KINDS), "is of atoms that there are not")
        measured[name] = {kind: one.number(0, LARGE) for kind, one in fields.items()}
    losses, errors, chosen = measured["losses"], measured["errors"], told["chosen"].one_of(KINDS)
    told.need(set(losses) == set(errors), "has losses and errors of different atoms")
    told.need(not losses or chosen in losses, "has no loss of what was chosen")
    strict, weighted = told["strict"].number(0, LARGE), told["weighted"].number(0, LARGE)
    told.need(chosen != "weighted" or strict == 0, "counts strict atoms without having them")
    told.need(chosen != "strict" or weighted == 0, "counts weighted atoms without having them")
    return Evidence(chosen, losses, errors, strict, weighted)
