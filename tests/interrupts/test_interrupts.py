"""Everything that learns or solves is interrupted, at seeded times, in processes of its own.

``python -m tests.interrupts`` does the same some hundreds of times; its figures are in
docs/reliability.md.
"""

import random

import pytest

from atomlearn.interrupts import HASTE
from tests.interrupts.terminal import attempt

pytest.importorskip("pty")


def test_ctrl_c_keeps_what_is_known(tmp_path):
    outcome = attempt("atomlearn fit", tmp_path, delay=0.0, epochs=1)
    assert outcome.kind == "kept", outcome.told


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["fit", "fit, many rows", "fit_batches", "distributed.fit", "atomlearn fit, SIGTERM",
     "atomlearn hamiltonian"],
)  # fmt: skip
def test_nothing_that_is_known_is_lost(name, tmp_path):
    delay = random.Random(name).uniform(0.0, 1.0)
    outcome = attempt(name, tmp_path, delay, epochs=1)
    assert outcome.kind == "kept", outcome.told


@pytest.mark.slow
@pytest.mark.parametrize("name", ["atomlearn fit", "fit_batches", "predict"])
def test_a_second_ctrl_c(name, tmp_path):
    for second in (0.0, HASTE):
        outcome = attempt(name, tmp_path, delay=0.5, second=second, epochs=1)
        assert outcome.is_fine, outcome.told


@pytest.mark.slow
def test_ctrl_c_twice_in_haste_keeps_the_model(tmp_path):
    outcome = attempt("atomlearn fit", tmp_path, delay=0.0, second=0.1, epochs=1)
    assert outcome.kind == "kept", outcome.told


@pytest.mark.slow
def test_a_notebook_lives_on():
    pytest.importorskip("ipykernel")
    from tests.interrupts.notebook import Notebook

    notebook = Notebook()
    try:
        for delay in (0.0, 0.3, 1.0, 1.7):
            kind, epochs, told = notebook.attempt(delay)
            assert kind == "kept" or (kind == "nothing yet" and epochs == 0), told
        kind, _, told = notebook.attempt(1.0, second=0.0)
        assert kind in ("kept", "second"), told
    finally:
        notebook.close()
