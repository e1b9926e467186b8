"""One fit: elapsed seconds, peak memory and error. ``how`` names where the rows are kept."""

import contextlib
import pickle
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from atomlearn import AlgebraicClassifier
from atomlearn.datasets import bar_parity, vertical_bars
from atomlearn.distributed import fit_batches
from atomlearn.distributed.running import DaskParts
from atomlearn.tables.batches import ArrayBatches

AT_ONCE = 100_000


def fit(spec: dict) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        X, y, X_test, y_test = DATA[spec["data"]](spec, Path(folder))
        parameters = {"random_state": 0, "max_epochs": spec["epochs"]}
        start = time.perf_counter()
        with Watch() as memory:
            model, more = HOW[spec.get("how", "memory")](X, y, spec, parameters)
        seconds = time.perf_counter() - start
        error = float((model.predict(X_test) != y_test).mean())
        epochs = max(one["epoch"] for one in model.history_) + 1
        learning = sum(one["seconds"] for one in model.history_)
        return {
            "seconds": seconds, "peak_mb": memory.peak, "before_mb": memory.before, "error": error,
            "epochs": epochs, "learning_seconds": learning,
            "pins": sum(map(len, model.learned_.pools)), **more,
        }  # fmt: skip


def in_memory(X, y, spec, parameters):
    import joblib

    backend = spec.get("backend")
    with contextlib.ExitStack() as stack:
        if backend == "dask":
            stack.enter_context(cluster(spec["workers"]))
        if backend:
            stack.enter_context(joblib.parallel_config(backend))
        return AlgebraicClassifier(**parameters, n_jobs=spec.get("jobs")).fit(X, y), {}


def in_batches(X, y, spec, parameters):
    rows = -(-len(y) // spec.get("parts", 10))
    with tempfile.TemporaryDirectory() as packed:
        batches = ArrayBatches(X, y, rows=rows)
        model = fit_batches(batches, folder=packed, n_jobs=spec.get("jobs"), **parameters)
        size = sum(file.stat().st_size for file in Path(packed).glob("*.npy"))
    return model, {"disk_mb": size / 1e6}


def on_dask(X, y, spec, parameters):
    """Partitions, with what passes between them and the scheduler counted."""
    from dask.array import from_array

    from atomlearn import distributed

    chunk = -(-len(y) // spec["parts"])
    exchanged = Exchanged()
    DaskParts.run = exchanged.counting(DaskParts.run)
    with cluster(spec.get("workers")):
        blocks = from_array(X, chunks=(chunk, -1)), from_array(y, chunks=chunk)
        model = distributed.fit(*blocks, share_examples=spec.get("share", True), **parameters)
    traffic = {"sent_mb": exchanged.sent / 1e6, "returned_mb": exchanged.returned / 1e6}
    return model, traffic


class Exchanged:
    """Bytes that go to each worker and come back from all, as Dask pickles them."""

    def __init__(self):
        self.sent = self.returned = 0

    def counting(self, run):
        def counted(parts, function, jobs, *callbacks):
            jobs = list(jobs)
            for one in {id(one): one for job in jobs for one in job.shared}.values():
                self.sent += len(pickle.dumps(one))
            results = run(parts, function, jobs, *callbacks)
            self.returned += len(pickle.dumps(results))
            return results

        return counted


@contextlib.contextmanager
def cluster(workers):
    if not workers:
        yield
        return
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as running,
        Client(running),
    ):
        yield


def parity(spec, folder):
    """Written to disk in pieces and mapped, so that it is never in memory as a whole."""
    X, y = generated(spec["rows"], 100, folder, lambda n, seed: bar_parity(n, random_state=seed))
    return X, y, *bar_parity(20_000, random_state=10**6)


def bars(spec, folder):
    side = spec["side"]
    shape = {"shape": (side, side), "noise": 0.1}
    X, y = vertical_bars(spec["rows"], random_state=0, **shape)
    return X, y, *vertical_bars(10_000, random_state=10**6, **shape)


def mnist(spec, folder):
    from atomlearn.datasets import load_mnist

    X, y, X_test, y_test = load_mnist()
    kept, tested = y < spec.get("classes", 10), y_test < spec.get("classes", 10)
    rows = slice(spec.get("rows"))
    return X[kept][rows] > 25, y[kept][rows], X_test[tested] > 25, y_test[tested]


def generated(n, columns, folder, make):
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", dtype=bool, shape=(n, columns))
    y = np.lib.format.open_memmap(folder / "y.npy", "w+", dtype=bool, shape=(n,))
    for start in range(0, n, AT_ONCE):
        size = min(AT_ONCE, n - start)
        X[start : start + size], y[start : start + size] = make(size, start // AT_ONCE)
    del X, y
    return np.load(folder / "X.npy", mmap_mode="r"), np.load(folder / "y.npy", mmap_mode="r")


class Watch(threading.Thread):
    """Looks at the memory of this process ten times a second.

    Pages that are only mapped from files do not count: the system takes them back when it likes.
    """

    def __init__(self):
        super().__init__(daemon=True)
        self.peak = self.before = self.now()
        self.over = threading.Event()

    def now(self) -> float:
        lines = Path("/proc/self/status").read_text().splitlines()
        sizes = dict(line.split(":") for line in lines)
        return int(sizes["RssAnon"].split()[0]) / 1024

    def run(self):
        while not self.over.wait(0.1):
            self.peak = max(self.peak, self.now())

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *failure):
        self.over.set()
        self.join()


DATA = {"parity": parity, "bars": bars, "mnist": mnist}
HOW = {"memory": in_memory, "batches": in_batches, "dask": on_dask}
