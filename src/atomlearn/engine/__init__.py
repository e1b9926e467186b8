"""The paper's algorithms, one a file: dual, trace constraints, crossing, reduction, pinning."""

from atomlearn.engine.concept import PAPER, READABLE, Concept, Recipe, Sampler
from atomlearn.engine.epochs import Epoch, Epochs
from atomlearn.engine.learning import learn
from atomlearn.engine.pool import Merged, Pool, Source
from atomlearn.engine.protocol import DEFAULT, LETTER, Protocol, Switch, switches
from atomlearn.engine.report import Report
from atomlearn.engine.steps import Embedding
from atomlearn.engine.symmetries import Symmetries, orbit

__all__ = [
    "DEFAULT",
    "LETTER",
    "PAPER",
    "READABLE",
    "Concept",
    "Embedding",
    "Epoch",
    "Epochs",
    "Merged",
    "Pool",
    "Protocol",
    "Recipe",
    "Report",
    "Sampler",
    "Source",
    "Switch",
    "Symmetries",
    "learn",
    "orbit",
    "switches",
]
