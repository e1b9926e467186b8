"""The paper's algorithms, one a file: dual, trace constraints, crossing, reduction, pinning."""

from typing import TYPE_CHECKING

from atomlearn import attach

if TYPE_CHECKING:
    from atomlearn.engine.concept import PAPER as PAPER
    from atomlearn.engine.concept import READABLE as READABLE
    from atomlearn.engine.concept import Concept as Concept
    from atomlearn.engine.concept import Recipe as Recipe
    from atomlearn.engine.concept import Sampler as Sampler
    from atomlearn.engine.epochs import Epoch as Epoch
    from atomlearn.engine.epochs import Epochs as Epochs
    from atomlearn.engine.epochs import learn as learn
    from atomlearn.engine.pool import Merged as Merged
    from atomlearn.engine.pool import Pool as Pool
    from atomlearn.engine.pool import Source as Source
    from atomlearn.engine.protocol import DEFAULT as DEFAULT
    from atomlearn.engine.protocol import LETTER as LETTER
    from atomlearn.engine.protocol import Protocol as Protocol
    from atomlearn.engine.protocol import Switch as Switch
    from atomlearn.engine.protocol import switches as switches
    from atomlearn.engine.state import Report as Report
    from atomlearn.engine.steps import Embedding as Embedding
    from atomlearn.engine.symmetries import Symmetries as Symmetries
    from atomlearn.engine.symmetries import orbit as orbit

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "concept": ["PAPER", "READABLE", "Concept", "Recipe", "Sampler"],
        "epochs": ["Epoch", "Epochs", "learn"],
        "pool": ["Merged", "Pool", "Source"],
        "protocol": ["DEFAULT", "LETTER", "Protocol", "Switch", "switches"],
        "state": ["Report"],
        "steps": ["Embedding"],
        "symmetries": ["Symmetries", "orbit"],
    },
)
