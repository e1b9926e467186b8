"""The course of learning, epoch by epoch."""

from typing import Any

from atomlearn.markup import in_notebook, table

LAST = 10
"""Epochs that a notebook shows."""


class History(list[dict[str, Any]]):
    """A list with a dictionary for each epoch of each class.

    >>> History([{"class": "a", "epoch": 1, "estimated_error": 0.25}])
    <History: 1 epoch of 1 class, estimated error 25.0%>
    """

    def __repr__(self) -> str:
        n, classes = len(self), len({str(one["class"]) for one in self})
        errors = [one["estimated_error"] for one in self if one["estimated_error"] is not None]
        told = f", estimated error {errors[-1]:.1%}" if errors else ""
        return (
            f"<History: {n:,} epoch{'s' * (n != 1)} of {classes:,} "
            f"class{'es' * (classes != 1)}{told}>"
        )

    def _repr_html_(self) -> str:
        if not self:
            return in_notebook("<p>no epoch yet</p>")
        head = list(self[0])
        rows = [[_shown(one[name]) for name in head] for one in self[-LAST:]]
        more = f"<p>the last of {len(self):,} epochs:</p>" if len(self) > LAST else ""
        return in_notebook(more + table(head, rows, numbers=range(1, len(head))))


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
