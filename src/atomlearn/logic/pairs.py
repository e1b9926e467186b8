"""Complementary constants: of each pair every term that is asked about has exactly one."""

from collections.abc import Hashable, Iterable, Mapping

Pairs = Iterable[tuple[Hashable, Hashable]] | Mapping[Hashable, Hashable]
"""As the black and the white of each pixel."""


def complements(pairs: Pairs) -> dict[Hashable, Hashable]:
    """Each constant of a pair with the other.

    >>> complements([("black", "white")])
    {'black': 'white', 'white': 'black'}
    """
    both: dict[Hashable, Hashable] = {}
    for one, other in pairs.items() if isinstance(pairs, Mapping) else pairs:
        for a, b in ((one, other), (other, one)):
            if both.setdefault(a, b) != b or a == b:
                raise ValueError(f"{a!r} has two complements: {both[a]!r} and {b!r}")
    return both
