from benchmarks.scale.kernels import measure

__all__ = ["measure"]
