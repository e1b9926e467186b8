"""Explanations of images: the pixels of missed atoms drawn over the image."""

from typing import TYPE_CHECKING

import numpy as np

from atomlearn.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from atomlearn.classifier.explanation import Explanation

MOST_CLASSES = 4


def draw(explanation: "Explanation", most: int) -> "Figure":
    """One panel a class, most probable first: red where pixels of telling missed atoms lie."""
    if explanation.image is None:
        raise ValueError(
            "there is no image to draw on: set image_shape=(height, width) on the classifier"
        )
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("pictures need matplotlib: pip install 'atomlearn[plot]'") from None
    image = explanation.image
    shown = explanation.classes[:MOST_CLASSES]
    figure = Figure(figsize=(2.2 * len(shown), 2.6), layout="constrained")
    axes = figure.subplots(1, len(shown), squeeze=False)[0]
    for axis, one in zip(axes, shown, strict=True):
        weight = np.zeros(image.size)
        for atom in one.missed[:most]:
            weight[list(atom.columns)] += atom.telling
        overlay = np.zeros((*image.shape, 4))
        overlay[..., 0] = 1.0
        overlay[..., 3] = 0.75 * (weight / max(weight.max(), 1e-9)).reshape(image.shape)
        axis.imshow(image, cmap="gray_r", interpolation="nearest")
        axis.imshow(overlay, interpolation="nearest")
        axis.set_title(f"{one.label}: {one.probability:.0%}\nmisses {one.misses:,}", fontsize=9)
        axis.set_xticks([])
        axis.set_yticks([])
    return figure
