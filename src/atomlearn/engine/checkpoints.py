"""Checkpoints: save and resume training exactly."""

from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atomlearn.engine.concept import Concept, Recipe
from atomlearn.engine.epochs import Epochs
from atomlearn.engine.pool_files import add_lists, add_pool, lists_in, pool_in
from atomlearn.errors import CheckpointMismatch
from atomlearn.files.container import Container
from atomlearn.files.reading import INT32, MOST_EPOCHS, Value, reading

if TYPE_CHECKING:
    from atomlearn.algebra.algebra import Algebra

EPOCHS, CONCEPT, VERSION = "epochs", "concept", 1


def save_epochs(epochs: Epochs, path: str | Path) -> None:
    """Save the state of :class:`~atomlearn.engine.epochs.Epochs`: pins, random stream, epoch."""
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
    """Resume the epochs of an algebra over the same constants."""
    file = Container.read(path)
    file.expect(EPOCHS, VERSION)
    with reading(file) as members:
        state = members.json("state.json")
        if state["constants"].raw != list(algebra.names):
            raise CheckpointMismatch(f"{path} is of an algebra with other constants")
        focus = state.given("focus")
        n = algebra.n_constants
        names = [] if focus is None else [algebra.names[c.integer(0, n - 1)] for c in focus.items()]
        term = None if focus is None else algebra.term(names)
        epochs = Epochs(algebra, random_state=0, focus=term, max_pins=state["max_pins"].integer())
        epochs.number = state["number"].integer(high=MOST_EPOCHS)
        epochs.rng = members.words("stream.npy", 1)
        epochs.pool = pool_in(members, n).copy(names=algebra.names)
    return epochs


def save_concept(concept: Concept, path: str | Path) -> None:
    """Save the state of a :class:`~atomlearn.engine.concept.Concept`."""
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
    """Load a concept; training continues exactly as without the interruption."""
    file = Container.read(path)
    file.expect(CONCEPT, VERSION)
    with reading(file) as members:
        state = members.json("state.json")
        n_constants = state["n_constants"].integer(low=1, high=INT32)
        constant = state["constant"].integer(high=n_constants - 1)
        concept = Concept(n_constants, constant, 0, _recipe(state["recipe"]))
        concept.epoch, concept.data = (
            state["epoch"].integer(high=MOST_EPOCHS),
            state["data"].integer(),
        )
        concept.rng = members.words("stream.npy", 1)
        concept.hard = members.integers("hard.npy")
        concept.pool = pool_in(members, n_constants)
        for m in range(state["masters"].integer()):
            concept.masters.append(lists_in(members, f"master{m}", n_constants))
    return concept


def _recipe(told: Value) -> Recipe:
    candidates = told.given("candidates")
    values: dict[str, Any] = {"candidates": candidates and candidates.number(0, 1e9)}
    for field in fields(Recipe):
        if field.type is int:
            values[field.name] = told[field.name].integer(field.name == "hard_every", INT32)
        elif field.type is bool:
            values[field.name] = told[field.name].truth()
        elif field.type is float:
            values[field.name] = told[field.name].number(0, 1e9)
    return Recipe(**values)
