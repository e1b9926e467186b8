"""What must be the same of two models that are the same."""

import numpy as np


def fingerprint(classifier):
    """Everything a model consists of, as bytes."""
    learned = classifier.learned_
    parts = [learned.typical, learned.calibration.offset, [learned.calibration.slope]]
    for pool in learned.pools:
        parts += [pool.atoms.starts, pool.atoms.constants, pool.born, pool.source]
    return b"".join(np.asarray(part).tobytes() for part in parts)
