"""Rules as the engine has them: literals, and the classes that a row with all of them is not.

``k if L`` is the relation *k < L*: every atom of class ``k`` must have one of the literals, so its
term is learned from like an example. For every other class, and for ``not k if L``, it is an atom
that no row with these literals has, and that counts without limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from atomlearn.engine.misses import Blocks
from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Rows
from atomlearn.typing import Bits, Integers

FORBIDDEN = 100.0
"""Penalty of an excluded class on held-out rows; predictions use minus infinity."""


class HardRule(NamedTuple):
    """One rule."""

    literals: tuple[int, ...]
    """Where all of these are true ..."""
    forbidden: tuple[int, ...]
    """... none of these classes is possible."""
    label: int | None = None
    """The only class that is, if the rule names one."""
    implied: tuple[int, ...] = ()
    """All literals that are true where these are."""


@dataclass(frozen=True)
class HardRules:
    """Rules that every prediction obeys.

    >>> rules = HardRules([HardRule((0, 2), (1,))], n_classes=2)
    >>> rules.forbidden_of(packed.from_indices([[0], [0, 2]], 4)).tolist()
    [[False, False], [False, True]]
    """

    rules: Sequence[HardRule] = ()
    n_classes: int = 0

    def __bool__(self) -> bool:
        return len(self.rules) > 0

    def met_by(self, rows: Rows) -> Bits:
        """Which rules each packed row meets the conditions of, ``(n_rows, n_rules)``."""
        met = np.zeros((len(rows), len(self.rules)), dtype=np.bool_)
        for r, rule in enumerate(self.rules):
            term = packed.row(rule.literals, rows.shape[1] * 64)
            met[:, r] = ((rows & term) == term).all(axis=1)
        return met

    def forbidden_of(self, rows: Rows) -> Bits:
        """Which classes each packed row cannot be of."""
        return self.forbidden_by(self.met_by(rows))

    def forbidden_in(self, blocks: Blocks, n: int) -> Bits:
        """The same for rows that are transposed."""
        met = np.zeros((n, len(self.rules)), dtype=np.bool_)
        for r, rule in enumerate(self.rules):
            words = np.bitwise_and.reduce(blocks[:, list(rule.literals)], axis=1)
            met[:, r] = packed.unpack(words.reshape(1, -1), words.size * 64)[0, :n]
        return self.forbidden_by(met)

    def forbidden_by(self, met: Bits) -> Bits:
        """Which classes are excluded by the rules that each row meets.

        Where rules leave no class possible they are not obeyed: something must be predicted.
        """
        forbidden = np.zeros((len(met), self.n_classes), dtype=np.bool_)
        for r, rule in enumerate(self.rules):
            forbidden[np.ix_(np.flatnonzero(met[:, r]), np.array(rule.forbidden))] = True
        forbidden[forbidden.all(axis=1)] = False
        return forbidden

    def decide(self, rows: Rows, is_true: Bits, k: int) -> Bits:
        """Whether each packed row is of class ``k``: as rules say, else as ``is_true`` says."""
        if not self:
            return is_true
        forbidden = self.forbidden_of(rows)
        forced = forbidden.sum(axis=1) == self.n_classes - 1
        return np.where(forced | forbidden[:, k], ~forbidden[:, k], is_true)

    def terms(self, n_constants: int) -> tuple[Rows, Integers]:
        """Of rules that name a class: what a row that meets it has at least, and the class."""
        positive = [rule for rule in self.rules if rule.label is not None]
        rows = packed.from_indices([list(rule.implied) for rule in positive], n_constants)
        return rows, np.array([rule.label for rule in positive], dtype=np.int64)
