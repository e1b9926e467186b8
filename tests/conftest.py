"""What tests of every part share."""

import os
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings

from atomlearn.cli import main

# How often a property is tried: `make test`, `make thorough`, and kernels as plain Python.
settings.register_profile("quick", max_examples=30, deadline=None)
settings.register_profile("thorough", max_examples=100, deadline=None)
settings.register_profile("uncompiled", max_examples=10, deadline=None)
settings.load_profile("uncompiled" if os.environ.get("NUMBA_DISABLE_JIT") == "1" else "quick")


def pytest_collection_modifyitems(config, items):
    """Leave slow tests out, unless ``-m`` speaks of them or they are named."""
    named = any("::" in argument for argument in config.args)
    if named or "slow" in config.option.markexpr:
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if not item.get_closest_marker("slow")]


@pytest.fixture
def typed(capsys, monkeypatch, tmp_path):
    """Run ``atomlearn`` as a user types it, in an empty folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["atomlearn", *map(str, arguments)])
        with pytest.raises(SystemExit) as raised:
            main()
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return raised.value.code or 0, out, err

    return run


@pytest.fixture(scope="session")
def mixed():
    """Numbers, text, truth values, declared categories, missing values; what decides is known."""
    rng = np.random.default_rng(1)
    n = 120
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "smoker": rng.random(n) < 0.5,
            "rooms": pd.array(rng.integers(1, 5, n), dtype="Int64"),
            "code": pd.Categorical(rng.integers(3, size=n)),
            "note": pd.Series(rng.choice(["a", "b"], n), dtype="string"),
        }
    )
    y = np.where((frame["colour"] == "red") | frame["smoker"], "yes", "no")
    frame.loc[3, "rooms"] = pd.NA
    frame.loc[4, "size"] = np.nan
    frame.loc[5, "note"] = pd.NA
    return frame, y
