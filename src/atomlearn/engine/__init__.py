"""The paper's algorithms, one a file: dual, trace constraints, crossing, reduction, pinning."""

from atomlearn.engine.concept import PAPER, READABLE, Concept, Recipe, Sampler
from atomlearn.engine.epochs import Epoch, Epochs
from atomlearn.engine.learning import learn
from atomlearn.engine.pool import Merged, Pool, Source
from atomlearn.engine.report import Report
from atomlearn.engine.symmetries import Symmetries, orbit

__all__ = [
    "PAPER",
    "READABLE",
    "Concept",
    "Epoch",
    "Epochs",
    "Merged",
    "Pool",
    "Recipe",
    "Report",
    "Sampler",
    "Source",
    "Symmetries",
    "learn",
    "orbit",
]
