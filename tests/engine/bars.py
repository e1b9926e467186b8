"""Vertical bars, the paper's first example: does an image have a column that is all black?"""

import random

import numpy as np

from tests.sets.strategies import to_rows

SIDE = 4
PIXELS = SIDE * SIDE
BAR = 2 * PIXELS
N = BAR + 1
"""Constants: each pixel black, each pixel white, and the class."""


def image(chance, with_bar):
    while True:
        black = {i for i in range(PIXELS) if chance.random() < 0.45}
        if with_bar:
            column = chance.randrange(SIDE)
            return black | {SIDE * y + column for y in range(SIDE)}
        if not has_bar(black):
            return black


def has_bar(black):
    return any(all(SIDE * y + x in black for y in range(SIDE)) for x in range(SIDE))


def term(black):
    return frozenset(i if i in black else PIXELS + i for i in range(PIXELS))


def mirrored(black):
    return {i // SIDE * SIDE + SIDE - 1 - i % SIDE for i in black}


def bars(seed, n_examples):
    """Examples as terms, their mirror images, and which of them have a bar."""
    chance = random.Random(seed)
    images = [image(chance, i % 2 == 0) for i in range(n_examples)]
    labels = np.array([has_bar(black) for black in images])
    return [term(b) for b in images], [term(mirrored(b)) for b in images], labels


def rows(terms):
    return to_rows(terms, N)
