"""What all estimators of tables share: progress, interruption, reading rows, and scores."""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atomlearn import interrupts
from atomlearn.classifier.fitting import callback_tasks, show_progress
from atomlearn.engine.misses import Blocks, blocks_of
from atomlearn.errors import InterruptedWarning, InvalidParameter
from atomlearn.sets.rows import Rows
from atomlearn.tables.encoder import LiteralEncoder
from atomlearn.tables.literals import find_splits
from atomlearn.tables.rules import Statement
from atomlearn.tables.training_rows import TrainingRows, read_training
from atomlearn.tables.validation import read_table
from atomlearn.training.boosting.trees import Splits
from atomlearn.training.learned import Learned
from atomlearn.training.settings import Current, Hooks, Plan, Settings
from atomlearn.typing import Floats, Integers

ROWS_AT_ONCE = 1 << 16
"""Number of rows that are scored at a time."""


class TableEstimator:
    """Mixin of estimators that encode a table as literals and learn atoms."""

    encoder_: LiteralEncoder
    learned_: Learned
    rules_: list[Statement]
    image_shape: tuple[int, int] | None
    n_jobs: int | None
    verbose: int

    def save(self, path: str | Path, rows: bool = True) -> None:
        """Write the model to a file that :func:`atomlearn.load` reads; it can continue to learn.

        Parameters
        ----------
        path : str or Path
            The file to write, usually with the ending ``.atoms``.
        rows : bool, default=True
            Whether the file has training rows: the sample and the kept rows as literals, what is
            known of single held-out rows, and the numbers of contradictory rows. Without them the
            model predicts, explains and exports as before; ``definition``, ``hardest`` and
            ``compact`` raise an error. Cuts, categories and class sizes are in every file.
        """
        check_is_fitted(self)
        self._write(path, rows)

    def to_onnx(self, path: str | Path | None = None) -> bytes:
        """Return the model as an ONNX model, for ONNX Runtime and other engines.

        Each column is an input of shape ``[rows, 1]``: numbers and truth values as doubles, with
        ``nan`` for a missing value, and categories as strings, with an empty one for a missing
        value. The outputs are ``label`` and ``probabilities``, that of a regressor ``prediction``.
        The metadata of the model has the classes, or the name of the number, and the columns, each
        with the text that stands for a missing value.

        Parameters
        ----------
        path : str or Path, default=None
            A file to write, usually with the ending ``.onnx``.

        Returns
        -------
        bytes
            The model.

        Examples
        --------
        >>> from atomlearn import AlgebraicClassifier
        >>> clf = AlgebraicClassifier(random_state=0).fit([[0.0], [1.0], [2.0]], ["a", "a", "b"])
        >>> model = clf.to_onnx()                                               # doctest: +SKIP
        """
        from atomlearn.export.onnx_graph import onnx_model

        made = onnx_model(self)
        if path is not None:
            from atomlearn.files.container import replacing

            with replacing(path) as file:
                file.write(made)
        return made

    def export(self, to: str, *, table: str = "data", key: str = "rowid") -> str:
        """Export the model as a program that predicts rows, with reasons, without atomlearn.

        Parameters
        ----------
        to : {"sql", "js", "c", "python"}
            The language.
        table : str, default="data"
            Name of the table in SQL.
        key : str, default="rowid"
            Name of the column that identifies a row in SQL.

        Returns
        -------
        str
            The source of the program.

        Examples
        --------
        >>> from atomlearn import AlgebraicClassifier
        >>> clf = AlgebraicClassifier(random_state=0).fit([[0.0], [1.0], [2.0]], ["a", "a", "b"])
        >>> print(clf.export("c")[:20])
        /* Scores rows like
        """
        from atomlearn.export.programs import export_source

        return export_source(self, to, table=table, key=key)

    def _write(self, path: str | Path, rows: bool) -> None:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "learned_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        return tags

    def _watched(
        self,
        learn: Callable[[Hooks], Learned],
        planned: Plan,
        settings: Settings,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> Learned:
        """Learn with the hooks that show progress."""
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}

        def fitted(current: Current) -> dict[str, Any]:
            return {"learned_": current()}

        with (
            show_progress(self.verbose, settings, planned) as shown,
            callback_tasks(
                self,
                planned,
                shown,
                fitted,
                X=X,
                y=y,
                metadata=metadata,
            ) as hooks,
        ):
            learned = learn(hooks)
            self.learned_ = learned  # so that callbacks find it at the end of fit
        self.fit_seconds_ = time.monotonic() - settings.started
        return learned

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Fit inside this block: a signal ends the fit early, with a warning."""
        with interrupts.Deferred(learning=True) as note:
            yield
            note.kept = True
        if note.signal or self.learned_.interrupted:
            self.learned_ = replace(self.learned_, interrupted=True)
            warnings.warn(
                "learning was interrupted: the model is what has been learned so far",
                InterruptedWarning,
                stacklevel=5,
            )

    def _training_rows(
        self, table: Any, targets: Any, sample_weight: Any, class_weight: Any = None
    ) -> TrainingRows:
        """Return the rows of positive weight of a validated table."""
        if self.image_shape is not None and np.prod(self.image_shape) != table.shape[1]:
            raise InvalidParameter(
                f"image_shape={self.image_shape} is not of {table.shape[1]} columns"
            )
        return read_training(table, targets, sample_weight, class_weight)

    def _refuse_new_rules(self, given: Sequence[Statement]) -> None:
        """Raise an error for a rule that is not of the model that learning continues from."""
        new = set(given) - set(self.rules_)
        if new:
            raise InvalidParameter(
                f"the rule '{min(map(str, new))}' is new: rules cannot change while learning goes "
                "on, since what they decide was learned from; fit anew"
            )

    def _packed(self, X: Any) -> Rows:
        check_is_fitted(self)
        return self.encoder_.pack(read_table(self, X, reset=False), extra=1)

    def _scores(self, X: Any) -> Floats:
        return np.concatenate(
            [self.learned_.scores(*blocks, self.n_jobs) for blocks in self._blocks(X)]
        )

    def _blocks(self, X: Any) -> Iterator[tuple[Blocks, int]]:
        """Yield the rows, transposed, a part of the table at a time, and their number."""
        rows = self._packed(X)
        for start in range(0, len(rows), ROWS_AT_ONCE):
            part = rows[start : start + ROWS_AT_ONCE]
            yield blocks_of(part, self.learned_.n_constants), len(part)

    def _splits(self, rows: Rows, which: Integers | None = None) -> Splits:
        return find_splits(self.encoder_.literals_, rows, which)
