"""The paper's algorithms, one a file: dual, trace constraints, crossing, reduction, pinning."""

from atomlearn.engine.learn import learn

__all__ = ["learn"]
