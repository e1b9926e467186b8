"""Matplotlib figures and HTML pages."""

from atomlearn.views.lattices import draw_lattice
from atomlearn.views.page import Page
from atomlearn.views.pictures import (
    draw_agreement,
    draw_atoms,
    draw_compression,
    draw_greys,
    draw_images,
    draw_misses,
    draw_points,
    draw_sizes,
    plot_history,
)

__all__ = [
    "Page",
    "draw_agreement",
    "draw_atoms",
    "draw_compression",
    "draw_greys",
    "draw_images",
    "draw_lattice",
    "draw_misses",
    "draw_points",
    "draw_sizes",
    "plot_history",
]
