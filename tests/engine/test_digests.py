"""Compiled and uncompiled kernels agree bit for bit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.digests import digests
from tests.sets.strategies import COMPILED


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="there is nothing to compare with")
def test_compiled_and_uncompiled_agree_bit_for_bit():
    uncompiled = subprocess.run(
        [sys.executable, "-m", "tests.engine.digests"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert uncompiled.returncode == 0, uncompiled.stderr
    assert json.loads(uncompiled.stdout) == digests()
