"""Cells of a Jupyter kernel that are interrupted: a model with a warning, and the kernel lives."""

import time
from queue import Empty

from jupyter_client.manager import KernelManager

SETUP = """
import numpy as np
from sklearn.datasets import load_digits
from atomlearn import AlgebraicClassifier
from atomlearn.engine.concept import Concept

X, y = load_digits(return_X_y=True)
AlgebraicClassifier(random_state=0, max_epochs=2).fit(X[:100], y[:100])
epochs, learn_batch = [], Concept.learn_batch

def counted(self, *arguments):
    report = learn_batch(self, *arguments)
    epochs.append(1)
    return report

Concept.learn_batch = counted
clf = None
"""
FIT = """
epochs.clear()
clf = None
print("begun", flush=True)
clf = AlgebraicClassifier(random_state=0, max_epochs=1_000_000).fit(X, y)
"""
ASK = "print('EPOCHS', len(epochs), 'KEPT', clf is not None and len(clf.predict(X[:10])) == 10)"


class Notebook:
    """A kernel of its own process, as a notebook has one."""

    def __init__(self) -> None:
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel()
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.run(SETUP)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def run(self, code: str, *interrupts: float) -> str:
        """What a cell prints and how it ends; interrupted so many seconds after it first prints."""
        cell = self.client.execute(code)
        if interrupts:  # those that reach a kernel before it runs the cell are not the cell's
            while self.client.get_iopub_msg(timeout=60)["msg_type"] != "stream":
                pass
        for seconds in interrupts:
            time.sleep(seconds)
            self.manager.interrupt_kernel()
        said = []
        while True:
            try:
                message = self.client.get_iopub_msg(timeout=60)
            except Empty:
                return "".join(said) + "HANG" * self.manager.is_alive() or "DEAD"
            if message["parent_header"].get("msg_id") != cell:
                continue
            content = message["content"]
            if message["msg_type"] == "stream":
                said.append(content["text"])
            elif message["msg_type"] == "error":
                said.append(f"{content['ename']}: {content['evalue']}")
            elif message["msg_type"] == "status" and content["execution_state"] == "idle":
                return "".join(said)

    def attempt(self, delay: float, second: float | None = None) -> tuple[str, int, str]:
        """Interrupt a fit: how it ended (as in :mod:`terminal`), epochs, and what was said."""
        told = self.run(FIT, delay, *([] if second is None else [second]))
        if not self.manager.is_alive():
            return "crash", 0, told
        answer = self.run(ASK)
        if "EPOCHS" not in answer:
            return "crash", 0, told + answer
        _, epochs, _, kept = answer.split()[:4]
        if kept == "True":
            return ("kept" if "learning was interrupted" in told else "lost"), int(epochs), told
        plain = told.startswith("KeyboardInterrupt")
        if plain and second is not None:
            return "second", int(epochs), told
        return ("nothing yet" if plain and epochs == "0" else "lost"), int(epochs), told
