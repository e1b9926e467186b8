"""Learning: Sparse Crossing over relations (Algorithms 1 to 6), one algorithm a file."""

from atomlearn.learning.learn import learn

__all__ = ["learn"]
