"""Compiled and uncompiled kernels agree bit for bit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.digests import digests
from sets.strategies import COMPILED


@pytest.mark.skipif(not COMPILED, reason="there is nothing to compare with")
def test_compiled_and_uncompiled_agree_bit_for_bit():
    uncompiled = subprocess.run(
        [sys.executable, "-m", "engine.digests"],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert uncompiled.returncode == 0, uncompiled.stderr
    assert json.loads(uncompiled.stdout) == digests()
