"""New constants from atoms that many models share: the paper's open end (section 6).

A first round learns a class. Atoms that most of its models share become constants of a second
round: one that an example holds if it has a constant of the atom, and one that it holds if it
misses the atom. The second round learns the class anew, with these constants beside the old ones.
"""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from atomlearn.datasets import bar_parity, vertical_bars
from atomlearn.engine import PAPER, Concept, Sampler
from atomlearn.engine.misses import blocks_of, count_misses
from atomlearn.engine.pool import hash_lists
from atomlearn.sets import rows
from atomlearn.sets.random import stream
from atomlearn.sets.rows import Lists, take
from atomlearn_paper.images import Bits, mean_rates, mnist, rates

MODELS, VOTING = 50, 10
"""The last models of the first round, in which atoms are counted; and the last that are judged."""
NEW = 100
"""Atoms that become constants, two for each."""
DIGIT = 5
"""The digit that is learned."""
KINDS = {"bars": "bars 15 × 15", "parity": "parity 7 × 7", "digits": f"MNIST, digit {DIGIT}"}
"""What is learned, and its name."""
CHOICES = {
    "none": "no new constants",
    "shared": "atoms that most models share",
    "random": "as many pins, drawn at random",
}
"""How the atoms that become constants are chosen."""


def problem(kind: str, examples: int, n_test: int, seed: int) -> tuple[Bits, Bits, Bits, Bits]:
    """Training images and labels, test images and labels."""
    if kind == "digits":
        X, y, X_test, y_test = mnist()
        return X[:examples], y[:examples] == DIGIT, X_test[:n_test], y_test[:n_test] == DIGIT
    draw, shape, noise = (
        (vertical_bars, (15, 15), 0.1) if kind == "bars" else (bar_parity, (7, 7), 0.05)
    )
    images, labels = draw(examples, shape=shape, noise=noise, random_state=seed)
    test, true = draw(n_test, shape=shape, noise=noise, random_state=10_000 + seed)
    return images, labels, test, true


def two_rounds(
    kind: str, chosen: str, examples: int, epochs: int, n_test: int, seed: int
) -> dict[str, Any]:
    """The figures of the last round: its errors, and how many atoms it needs for them."""
    X, y, X_test, y_test = problem(kind, examples, n_test, seed)
    X, X_test = (np.hstack([one, ~one]) for one in (X, X_test))
    found: dict[str, Any] = {"in models": []}
    if chosen != "none":
        first = learn(X, y, epochs, seed)
        atoms, found["in models"] = shared(first) if chosen == "shared" else drawn(first, seed)
        X, X_test = widened(X, atoms), widened(X_test, atoms)
    concept = learn(X, y, epochs, seed + 1000)
    n, blocks = concept.n_constants, blocks_of(packed(X_test), concept.n_constants)
    last = list(concept.masters)[-VOTING:]
    says = [count_misses(one, blocks, len(y_test)) == 0 for one in last]
    sizes = np.concatenate([np.diff(one.starts) - 1 for one in last])
    used = np.concatenate([one.constants for one in last])
    is_new = (used < n - 1) & (used >= n - 1 - 2 * len(found["in models"]))
    return found | {
        "single": mean_rates([rates(said, y_test) for said in says]),
        "votes": rates(np.sum(says, axis=0) >= VOTING // 2, y_test),
        "atoms": float(np.mean([one.n for one in last])),
        "constants an atom": float(sizes.mean()) if len(sizes) else 0.0,
        "new constants used": float(np.mean(is_new)) if len(used) else 0.0,
    }


def learn(X: Bits, y: Bits, epochs: int, seed: int) -> Concept:
    """A class learned to the letter, with its last models."""
    n = X.shape[1] + 1
    concept = Concept(n, n - 1, seed, replace(PAPER, atomizations=MODELS))
    sampler = Sampler(concept, packed(X)[None], y)
    for _ in range(epochs):
        sampler.run_epoch()
    return concept


def packed(X: Bits) -> rows.Rows:
    """Examples as rows with room for the constant of the class."""
    return rows.pack(np.hstack([X, np.zeros((len(X), 1), dtype=bool)]))


def shared(concept: Concept) -> tuple[list[npt.NDArray[Any]], list[int]]:
    """The atoms that are in most models, and in how many each is."""
    counts: Counter[int] = Counter()
    example: dict[int, npt.NDArray[Any]] = {}
    for model in concept.masters:
        for k, key in enumerate(hash_lists(model).tolist()):
            counts[key] += 1
            example.setdefault(key, members(model, k))
    best = counts.most_common(NEW)
    return [example[key] for key, _ in best], [count for _, count in best]


def drawn(concept: Concept, seed: int) -> tuple[list[npt.NDArray[Any]], list[int]]:
    """As many pins, drawn at random."""
    pins = concept.pool.sample(stream(seed), NEW)
    return [members(pins, k) for k in range(pins.n)], [0] * pins.n


def members(atoms: Lists, k: int) -> npt.NDArray[Any]:
    """The constants of an atom without that of the class, which is the last."""
    return take(atoms, np.array([k])).constants[:-1]


def widened(X: Bits, atoms: list[npt.NDArray[Any]]) -> Bits:
    """Examples with two more constants for each atom: held, and missed."""
    held = np.stack([X[:, atom].any(axis=1) for atom in atoms], axis=1)
    return np.hstack([X, held, ~held])
