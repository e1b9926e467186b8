"""A process killed while it saves: whoever reads meanwhile, or after, finds a whole file."""

import os
import random
import signal
import time
from pathlib import Path

import atomlearn
from tests.fuzz.kinds import algebra

LONGEST = 0.03
"""Seconds after which a process that saves is killed, at most."""


def torn(chance: random.Random, path: Path) -> str | None:
    """Kill one process while it saves two models in turn; what was read that is neither."""
    models = [algebra().freest(), algebra().least_free()]
    models[0].save(path)
    process = os.fork()
    if process == 0:
        try:
            while True:
                for model in models:
                    model.save(path)
        finally:
            os._exit(1)
    try:
        end = time.monotonic() + chance.uniform(0, LONGEST)
        while time.monotonic() < end:
            said = _read(models, path)
            if said is not None:
                return said
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    return _read(models, path)


def _read(models: list[atomlearn.Model], path: Path) -> str | None:
    try:
        return None if atomlearn.load(path) in models else "another model than was saved"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
