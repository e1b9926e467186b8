"""What must be the same of two models that are the same."""

import numpy as np


def fingerprint(classifier):
    """Everything a model consists of, as bytes."""
    learned = classifier.learned_
    parts = [learned.typical, learned.calibration.offset, [learned.calibration.slope]]
    for concept in learned.concepts:
        parts += [concept.pool.atoms.starts, concept.pool.atoms.constants, concept.pool.born]
        parts += [concept.pool.source]
    return b"".join(np.asarray(part).tobytes() for part in parts)
