"""Checkpoints: what a learner knows between two epochs, to go on as if nothing had been."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from atomlearn.errors import CheckpointMismatch, DamagedFile
from atomlearn.formats.container import Container
from atomlearn.formats.pools import add_lists, add_pool, lists_in, pool_in
from atomlearn.learning.concept import Concept, Recipe
from atomlearn.learning.epochs import Epochs

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra

EPOCHS, CONCEPT, VERSION = "epochs", "concept", 1


def save_epochs(epochs: Epochs, path: str | Path) -> None:
    """Write the state of :class:`~atomlearn.learning.epochs.Epochs`: pins, stream, number."""
    file = Container(EPOCHS, VERSION)
    focus = None if epochs.focus is None else [int(c) for c in epochs.focus.indices]
    file.add_json(
        "state.json",
        {"number": epochs.number, "focus": focus, "max_pins": epochs.max_pins,
         "constants": list(epochs.algebra.names)},
    )  # fmt: skip
    file.add_array("stream.npy", epochs.rng)
    add_pool(file, epochs.pool)
    file.write(path)


def resume_epochs(path: str | Path, algebra: "Algebra") -> Epochs:
    """Go on with the epochs of an algebra over the same constants."""
    file = Container.read(path)
    file.expect(EPOCHS, VERSION)
    state = file.json("state.json", dict)
    if state.get("constants") != list(algebra.names):
        raise CheckpointMismatch(f"{path} is of an algebra with other constants")
    focus = state.get("focus")
    term = None if focus is None else algebra.term([algebra.names[c] for c in focus])
    epochs = Epochs(algebra, random_state=0, focus=term, max_pins=int(state["max_pins"]))
    epochs.number = int(state["number"])
    epochs.rng = _stream(file)
    epochs.pool = pool_in(file, algebra.n_constants).copy(names=algebra.names)
    return epochs


def save_concept(concept: Concept, path: str | Path) -> None:
    """Write the state of a :class:`~atomlearn.learning.concept.Concept`."""
    file = Container(CONCEPT, VERSION)
    file.add_json(
        "state.json",
        {"epoch": concept.epoch, "constant": concept.constant, "masters": len(concept.masters),
         "data": concept.data,
         "n_constants": concept.n_constants, "recipe": asdict(concept.recipe)},
    )  # fmt: skip
    file.add_array("stream.npy", concept.rng)
    file.add_array("hard.npy", concept.hard)
    add_pool(file, concept.pool)
    for m, master in enumerate(concept.masters):
        add_lists(file, f"master{m}", master)
    file.write(path)


def load_concept(path: str | Path) -> Concept:
    """The concept as it was saved; it goes on learning as if it had never stopped."""
    file = Container.read(path)
    file.expect(CONCEPT, VERSION)
    state = file.json("state.json", dict)
    n_constants = int(state["n_constants"])
    concept = Concept(n_constants, int(state["constant"]), 0, Recipe(**state["recipe"]))
    concept.epoch, concept.data = int(state["epoch"]), int(state["data"])
    concept.rng = _stream(file)
    concept.hard = file.array("hard.npy", "i", 1).astype(np.int64)
    concept.pool = pool_in(file, n_constants)
    for m in range(int(state["masters"])):
        concept.masters.append(lists_in(file, f"master{m}", n_constants))
    return concept


def _stream(file: Container) -> "np.typing.NDArray[np.uint64]":
    stream = file.array("stream.npy", "u", 1).astype(np.uint64)
    if len(stream) != 1:
        raise DamagedFile(f"{file.path}: the random stream is one word, not {len(stream)}")
    return stream
