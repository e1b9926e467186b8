"""The atoms of a classifier as a table, and the importance of each column."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from atomlearn.classifier.sample import TrainingSample
from atomlearn.engine.misses import containing
from atomlearn.errors import MissingExtra
from atomlearn.logic.formulas import Clause
from atomlearn.sets import rows as packed
from atomlearn.sets.rows import Lists, pack_row
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.images import placed
from atomlearn.tables.literals import Literal
from atomlearn.training.learned import ClassAtoms, Learned
from atomlearn.typing import Floats

if TYPE_CHECKING:
    import pandas as pd


class Importance:
    """Mixin for the atoms as a data frame, and for feature importances."""

    image_shape: tuple[int, int] | None
    classes_: npt.NDArray[Any]
    encoder_: LiteralEncoder
    learned_: Learned
    sample_: TrainingSample

    def atoms_frame(self) -> "pd.DataFrame":
        """Return all offsets and atoms that decide as a pandas data frame.

        Columns: ``class``; ``atom`` as text; ``weight``, what missing the atom adds to the score of
        the class; ``size``, the number of literals; ``missed_by_class`` and ``missed_by_others``,
        the shares of the sampled training rows that miss it. The index gives the kind of each row:
        ``frame.loc["offset"]`` has the offset of each class, which counts for every row as an atom
        without literals would, and ``"weighted"`` and ``"strict"`` are the atoms.

        The score of a class is the sum of its offset and of the weights of the weighted atoms that
        a row misses, less ``frame.attrs["slope"] * log(1 + m)`` if it misses ``m`` strict atoms.
        (The weight of a strict atom, ``frame.attrs["strict_weight"][label]``, is the cost of one
        more miss for a row with the median number of misses of other classes. Of equivalent strict
        atoms each is counted; they are one row, with their weights added up.) Probabilities are the
        softmax of the scores; rules exclude classes whatever their scores are.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from atomlearn import AlgebraicClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> frame = AlgebraicClassifier(random_state=0, max_epochs=5).fit(X, y).atoms_frame()
        >>> frame.columns.tolist()
        ['class', 'atom', 'weight', 'size', 'missed_by_class', 'missed_by_others']
        """
        check_is_fitted(self)
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtra("atoms_frame needs pandas: pip install pandas") from None

        columns, deciding = self.sample_.columns(), self.learned_.deciding()
        parts = [
            pd.DataFrame(
                {"class": self.classes_, "atom": "offset", "weight": deciding.offsets, "size": 0,
                 "missed_by_class": 1.0, "missed_by_others": 1.0},
                index=["offset"] * len(self.classes_),
            )
        ]  # fmt: skip
        for one in deciding.by_class():
            if not one.atoms.n:
                continue
            kind = "strict" if one.is_strict else "weighted"
            listed = pd.DataFrame(self._told(one, columns), index=[kind] * len(one.weights))
            if one.is_strict:
                listed["weight"] = listed.groupby("atom")["weight"].transform("sum")
                listed = listed.drop_duplicates("atom")
            parts.append(listed)
        frame = pd.concat(parts)
        frame.index.name = "kind"
        strict = (one for one in deciding.by_class() if one.is_strict and one.atoms.n)
        each = {self.classes_[one.k]: one.weights[0] for one in strict}
        frame.attrs = {"slope": deciding.slope, "strict_weight": each}
        return frame

    @property
    def feature_importances_(self) -> Floats:
        """Importance of each column; sums to 1.

        An atom counts by its weight times the standard deviation, over the training rows, of
        missing it. Its columns share that equally.
        """
        check_is_fitted(self)
        columns = self.sample_.columns()
        weights = self.sample_.weights()
        total = np.zeros(len(self.encoder_.columns_))
        for one in self.learned_.deciding().by_class():
            missing = self._share_missing(one.atoms, columns, weights)
            spread = np.sqrt(missing * (1.0 - missing))
            self._share_out(one.atoms, np.abs(one.weights) * spread, total)
        return total / total.sum() if total.sum() > 0 else np.full(len(total), 1 / len(total))

    def _literals(self) -> list[Literal]:
        """Return the literals as they are displayed: those of an image by row and column."""
        return placed(self.encoder_.literals_, self.encoder_.columns_, self.image_shape)

    def _told(self, one: ClassAtoms, columns: packed.Rows) -> dict[str, Any]:
        atoms, literals = one.atoms, self._literals()
        clauses = [
            Clause.of([literals[c] for c in constants if c < len(literals)])
            for constants in np.split(atoms.constants, atoms.starts[1:-1])[: len(one.weights)]
        ]
        is_ours = self.sample_.labels == one.k
        return {
            "class": np.repeat(self.classes_[one.k : one.k + 1], len(clauses)),
            "atom": [str(clause) for clause in clauses],
            "weight": one.weights,
            "size": [len(clause) for clause in clauses],
            "missed_by_class": self._share_missing(atoms, columns, is_ours * 1.0),
            "missed_by_others": self._share_missing(atoms, columns, ~is_ours * 1.0),
        }

    def _share_missing(self, atoms: Lists, columns: packed.Rows, weights: Floats) -> Floats:
        """Return the share of the rows that miss each atom, with equal weight for each class."""
        missing = ~containing(atoms, columns)
        share = np.zeros(len(missing))
        for k in range(len(self.classes_)):
            ours = self.sample_.labels == k
            if ours.any():
                share += weights[ours][0] * packed.count(missing & pack_row(ours))
        return share / max(float(weights.sum()), 1e-300)

    def _share_out(self, atoms: Lists, amounts: Floats, total: Floats) -> None:
        """Add the importance of each atom to its columns, in equal parts."""
        n = len(self.encoder_.columns_)
        of = np.array([*(literal.column for literal in self.encoder_.literals_), n])
        atom = np.repeat(np.arange(len(amounts)), np.diff(atoms.starts))
        pairs = np.unique(np.stack([atom, of[atoms.constants]]), axis=1)
        pairs = pairs[:, pairs[1] < n]  # the last constant is the class itself
        parts = np.bincount(pairs[0], minlength=len(amounts))
        np.add.at(total, pairs[1], (amounts / np.maximum(parts, 1))[pairs[0]])
