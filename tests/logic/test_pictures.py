"""Pictures: what is drawn is what is there, dot by dot."""

import sys

import numpy as np
import pytest

from atomlearn.errors import MissingExtra
from atomlearn.views.pictures import (
    BLACK,
    CELL,
    NONE,
    WHITE,
    atom_image,
    draw_agreement,
    draw_atoms,
    draw_compression,
    draw_images,
    draw_misses,
)


def test_atoms_black_white_both_and_none():
    black, white = np.array([True, False, True, False]), np.array([False, True, True, False])
    image = atom_image(black, white, (2, 2))
    assert image.shape == (2 * CELL, 2 * CELL)
    centre = CELL // 2
    assert [image[centre, centre], image[centre, CELL + centre]] == [BLACK, WHITE]
    assert [image[CELL + centre, centre], image[CELL + centre, CELL + centre]] == [BLACK, NONE]
    assert image[CELL, 0] == WHITE and image[0, 0] == BLACK  # a white border only around both


def test_panels_and_titles():
    figure = draw_atoms(np.eye(4, dtype=bool), np.zeros((4, 4)), (2, 2), titles="abcd", columns=3)
    assert [axis.get_title() for axis in figure.axes] == list("abcd")
    assert len(draw_atoms(np.zeros((0, 4)), np.zeros((0, 4)), (2, 2)).axes) == 0
    drawn = draw_images([[0, 2], [1, 0]], (1, 2)).axes[0].images[0].get_array()
    assert drawn.tolist() == [[1.0, 0.0]]


def test_misses_are_red_where_they_lie():
    missed = np.array([[0.0, 1.0], [0.0, 0.0]])
    shown = draw_misses(np.zeros((2, 2)), [missed, np.zeros((2, 2))]).axes
    first = shown[0].images[0].get_array()
    assert first[0, 1, 0] > 2 * first[0, 1, 1] and np.allclose(first[0, 0], 1)
    assert np.allclose(shown[1].images[0].get_array(), 1)


def test_agreement_is_in_shares():
    axis = draw_agreement({"yes": [2, 2, 1, 0], "no": [0, 0]}, 2).axes[0]
    heights = [bar.get_height() for bar in axis.patches]
    assert heights == [25, 25, 50, 100, 0, 0]
    assert [text.get_text() for text in axis.get_legend().texts] == ["yes (4)", "no (2)"]


def test_compression_without_points_is_empty():
    assert len(draw_compression({}, {}).axes[0].get_lines()) == 0


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"atomlearn\[plot\]"):
        draw_images(np.eye(4), (2, 2))
