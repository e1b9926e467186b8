"""The memory that a fit takes, measured in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from atomlearn.tables.training_rows import TIMES_PACKED

MB_BESIDES = 120
"""Megabytes that do not depend on the number of rows: code, a batch of boosting, the model."""
FIT = """
import json
from pathlib import Path

import numpy as np

from atomlearn import AlgebraicClassifier


def peak():
    told = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    return int(told["VmHWM"].split()[0]) / 1000


rng = np.random.default_rng(0)
X = rng.random((60_000, 10))
y = np.floor(X[:, :4] @ [4.0, 3.0, 2.0, 1.5]).astype(int)
AlgebraicClassifier(max_epochs=2, random_state=0).fit(X[:300], y[:300])  # loads the kernels
Path("/proc/self/clear_refs").write_text("5")
before = peak()
model = AlgebraicClassifier(max_epochs=60, random_state=0).fit(X, y)
packed = len(X) * len(model.encoder_.literals_) / 8e6
print(json.dumps([packed, peak() - before]))
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="the system does not tell the peak"
)
def test_a_fit_takes_a_few_times_the_packed_table():
    run = subprocess.run([sys.executable, "-c", FIT], capture_output=True, text=True, check=True)
    packed, taken = json.loads(run.stdout)
    assert packed > 10
    assert taken < TIMES_PACKED * packed + MB_BESIDES
