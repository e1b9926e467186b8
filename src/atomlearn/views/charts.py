"""Charts of a classifier as SVG: they follow light and dark, and need no plotting library."""

from collections.abc import Mapping, Sequence
from typing import Any

from atomlearn.markup import escape

MOST_LABELS = 30
"""Classes of a confusion matrix that can still be read."""
SIDE = 280
"""Width and height of the calibration curve."""


def figure(svg: str, caption: str) -> str:
    """A chart with its caption."""
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def confusion_chart(labels: Sequence[Any], counts: Sequence[Sequence[float]]) -> str:
    """The confusion matrix: a row for each class, a column for each prediction.

    >>> chart = confusion_chart(["a", "b"], [[9.0, 1.0], [0.0, 10.0]])
    >>> chart.count("<rect"), "9 of 10" in chart
    (4, True)
    """
    names = [_short(str(label)) for label in labels]
    left = 12 + 8 * max(map(len, names))
    cell = max(26, min(44, 420 // len(names)))
    size = cell * len(names)
    parts = []
    for i, row in enumerate(counts):
        total = sum(row)
        y = i * cell
        parts.append(_text(left - 8, y + cell / 2, names[i], "end"))
        for j, count in enumerate(row):
            share = count / total if total else 0.0
            colour = "var(--for)" if i == j else "var(--against)"
            title = f"{labels[i]} as {labels[j]}: {count:,.0f} of {total:,.0f}"
            parts.append(
                f'<g><title>{escape(title)}</title><rect x="{left + j * cell}" y="{y}" '
                f'width="{cell - 2}" height="{cell - 2}" rx="3" fill="{colour}" '
                f'fill-opacity="{0.04 + 0.5 * share:.3f}"/>'
                + (_text(left + (j + 0.5) * cell - 1, y + cell / 2, f"{count:,.0f}") * (count > 0))
                + "</g>"
            )
    for j, name in enumerate(names):
        x = left + (j + 0.5) * cell
        parts.append(
            f'<text class="muted" font-size="12" text-anchor="end" '
            f'transform="translate({x + 4:.1f} {size + 8}) rotate(-60)">{escape(name)}</text>'
        )
    bottom = 16 + 7 * max(map(len, names))
    svg = _svg(left + size + 4, size + bottom, "".join(parts), _spoken(labels, counts))
    return figure(svg, "Held-out rows: each class by what was predicted for it.")


def calibration_chart(points: Sequence[Mapping[str, Any]]) -> str:
    """How often predictions of a certain confidence are right; on the line is perfect.

    >>> calibration_chart([{"confidence": 0.9, "right": 0.8, "rows": 40}]).count("<circle")
    1
    """
    left, top = 44, 8
    parts = [
        f'<rect x="{left}" y="{top}" width="{SIDE}" height="{SIDE}" fill="var(--sunken)"/>',
        f'<line x1="{left}" y1="{top + SIDE}" x2="{left + SIDE}" y2="{top}" '
        'stroke="var(--line-strong)" stroke-dasharray="4 4"/>',
    ]
    for tick in (0.0, 0.5, 1.0):
        place = tick * SIDE
        parts.append(_text(left - 8, top + SIDE - place, f"{tick:.0%}", "end"))
        parts.append(_text(left + place, top + SIDE + 16, f"{tick:.0%}"))
    at = [(left + p["confidence"] * SIDE, top + (1 - p["right"]) * SIDE) for p in points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
    parts.append(f'<polyline points="{line}" fill="none" stroke="var(--accent)" stroke-width="2"/>')
    for point, (x, y) in zip(points, at, strict=True):
        title = f"confidence {point['confidence']:.0%}, right {point['right']:.0%}, "
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="var(--accent)">'
            f"<title>{escape(title)}{point['rows']:,} rows</title></circle>"
        )
    told = "; ".join(f"{p['confidence']:.0%} sure: {p['right']:.0%} right" for p in points)
    svg = _svg(left + SIDE + 20, top + SIDE + 30, "".join(parts), f"Calibration curve: {told}")
    return figure(svg, "Held-out rows: how sure (across) and how often right (up).")


def confused_most(
    labels: Sequence[Any], counts: Sequence[Sequence[float]], most: int = 5
) -> list[tuple[str, str, float]]:
    """The most frequent confusions: class, prediction, number of rows.

    >>> confused_most(["a", "b"], [[9.0, 1.0], [3.0, 10.0]])
    [('b', 'a', 3.0), ('a', 'b', 1.0)]
    """
    wrong = [
        (str(labels[i]), str(labels[j]), count)
        for i, row in enumerate(counts)
        for j, count in enumerate(row)
        if i != j and count > 0
    ]
    return sorted(wrong, key=lambda one: -one[2])[:most]


def _spoken(labels: Sequence[Any], counts: Sequence[Sequence[float]]) -> str:
    """The matrix for those who listen to it."""
    wrong = confused_most(labels, counts)
    told = "; ".join(f"{n:,.0f} of {label} taken for {said}" for label, said, n in wrong)
    return f"Confusion matrix. Most frequent errors: {told or 'none'}"


def _svg(width: float, height: float, body: str, about: str) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img" '
        f'aria-label="{escape(about)}">{body}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="12" text-anchor="{anchor}" '
        f'dominant-baseline="central">{escape(text)}</text>'
    )


def _short(name: str) -> str:
    return name if len(name) <= 14 else f"{name[:13]}…"
