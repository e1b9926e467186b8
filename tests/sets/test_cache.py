"""Kernels run wherever they are installed: without a cache, with a full or a damaged one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = """
from atomlearn.sets.jit import kernel

@kernel
def add(a: int, b: int) -> int:
    return a + b

print(add(1, 2))
"""


def run(script: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA")}
    return subprocess.run(
        [sys.executable, str(script)],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "atomlearn_script.py"
    path.write_text(SOURCE)
    return path


def test_a_cache_that_cannot_be_found_is_warned_of_once(script: Path) -> None:
    # As with read-only packages and no HOME: none of Numba's places can be written to.
    nowhere = "from numba.core.caching import CacheImpl; CacheImpl._locator_classes = []"
    script.write_text(nowhere + SOURCE)
    done = run(script)
    assert done.stdout == "3\n"
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1


@pytest.mark.slow
def test_a_full_disk_is_warned_of_once(script: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))"
    script.write_text(limit + SOURCE)
    done = run(script)
    assert done.stdout == "3\n"
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1


@pytest.mark.slow
def test_a_damaged_cache_is_replaced(script: Path, tmp_path: Path) -> None:
    contents = {"empty": b"", "text": b"garbage", "torn": b"\x80\x05K"}
    ways = [(suffix, what) for suffix in ("nbi", "nbc") for what in contents]
    made = [SOURCE.replace("add", f"{what}_{suffix}") for suffix, what in ways]
    script.write_text("".join(made))  # a kernel for each kind of damage
    cache = tmp_path / "cache"
    run(script, NUMBA_CACHE_DIR=str(cache))
    damaged = []
    for suffix, what in ways:
        (path,) = cache.rglob(f"*.{what}_{suffix}-*.{suffix}")
        path.write_bytes(contents[what])
        damaged.append((path, len(contents[what])))
    assert run(script, NUMBA_CACHE_DIR=str(cache)).stdout == "3\n" * len(ways)
    assert all(path.stat().st_size > size for path, size in damaged)


COUNTED = """
from numba.core import event
from sklearn.datasets import load_iris
from atomlearn import AlgebraicClassifier
from atomlearn.sets import jit

names = []

class Counter(event.Listener):
    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        if function.__module__.startswith("atomlearn"):
            names.append(f"{function.__module__}.{function.__name__}")

    def on_end(self, event):
        pass

event.register("numba:compile", Counter())
AlgebraicClassifier(random_state=0).fit(*load_iris(return_X_y=True))
print(len(names), jit.OF_A_FIT)
print(*names)
"""


@pytest.mark.slow
def test_a_fit_compiles_as_much_as_is_said_and_nothing_to_explain(tmp_path: Path) -> None:
    script = tmp_path / "counted.py"
    script.write_text(COUNTED)
    numbers, names = run(script, NUMBA_CACHE_DIR=str(tmp_path)).stdout.splitlines()
    done, said = map(int, numbers.split())
    assert abs(done - said) <= 10
    assert not [n for n in names.split() if "compact" in n or "intents" in n or "formulas" in n]
