"""The engine: cold and warm start, an epoch by phase, kernels against size, seconds to an error."""

from benchmarks import epoch, kernels, rivals, start
from benchmarks.record import Step


def steps() -> dict[str, Step]:
    return {
        "start": start.measure,
        "epoch": epoch.measure,
        "kernels": kernels.measure,
        "to an error": rivals.measure,
    }
