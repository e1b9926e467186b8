"""Matplotlib figures and HTML pages."""

from atomlearn.views.history import plot_history
from atomlearn.views.page import Page
from atomlearn.views.pictures import (
    draw_agreement,
    draw_atoms,
    draw_compression,
    draw_greys,
    draw_images,
    draw_misses,
)

__all__ = [
    "Page",
    "draw_agreement",
    "draw_atoms",
    "draw_compression",
    "draw_greys",
    "draw_images",
    "draw_misses",
    "plot_history",
]
