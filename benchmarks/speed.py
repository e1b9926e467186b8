"""The engine: an epoch by phase, kernels against size, seconds to an error."""

from benchmarks import epoch, kernels, rivals
from benchmarks.record import Step


def steps() -> dict[str, Step]:
    return {
        "epoch": epoch.measure,
        "kernels": kernels.measure,
        "to an error": rivals.measure,
    }
