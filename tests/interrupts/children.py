"""What is interrupted: ``python children.py NAME FOLDER`` runs one scenario until it is.

Each says READY when everything is imported and compiled, adds a byte to the file ``epochs`` for
every epoch that is done, and leaves ``model.atoms`` or prints what it found.
"""

import os
import signal
import sys
import warnings
from pathlib import Path
from typing import NoReturn

LONG = 1_000_000
"""Epochs that nobody waits for."""

CLUES = "...3...25.3.15..4.....24.1..2.........15...3234..1....2....3..15.32....41.4...2.3"
PUZZLE = "\n".join(CLUES[9 * i : 9 * (i + 1)] for i in range(9))
"""One of very many solutions, which takes epochs however many have been found."""


def main() -> None:
    prepare()
    try:
        run(sys.argv[1], Path(sys.argv[2]))
    except KeyboardInterrupt:  # the second, while the first was told
        told()


def run(name: str, folder: Path) -> None:
    """One scenario, in a process that was prepared."""
    warnings.simplefilter("always")
    os.chdir(folder)
    count_epochs(folder / "epochs", name)
    if name not in LATE:
        print("READY", flush=True)
    try:
        SCENARIOS[name]()
    except KeyboardInterrupt:
        told()


def told() -> NoReturn:
    """Say that Python was interrupted; no further Ctrl-C changes that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("KEYBOARDINTERRUPT", flush=True)
    sys.exit(130)


def prepare() -> None:
    """Import and compile what scenarios need, so that interrupts hit the learning."""
    from atomlearn import AlgebraicClassifier
    from atomlearn.problems import queens

    X, y = digits()
    AlgebraicClassifier(random_state=0, max_epochs=2).fit(X[:100], y[:100])
    next(queens.solve(5, random_state=0), None)


def digits():
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)


def count_epochs(path: Path, name: str) -> None:
    """Tell how many epochs were done, whatever becomes of this process.

    A problem is stated before the first epoch; only from then on is it ready.
    """
    from atomlearn.engine.concept import Concept
    from atomlearn.engine.epochs import Epochs

    counter = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def counted(method):
        def run(self, *arguments):
            if name in PROBLEMS and os.fstat(counter).st_size == 0:
                print("READY", flush=True)
            result = method(self, *arguments)
            os.write(counter, b".")
            return result

        return run

    Concept.learn_batch = counted(Concept.learn_batch)
    Epochs.run = counted(Epochs.run)


def classifier(**parameters):
    from atomlearn import AlgebraicClassifier

    return AlgebraicClassifier(random_state=0, max_epochs=LONG, **parameters)


def saved(model) -> None:
    model.predict(digits()[0][:10])
    model.save("model.atoms")
    print("SAVED", flush=True)


def fit() -> None:
    saved(classifier().fit(*digits()))


def fit_large() -> None:
    """More rows than are learned whole: another path through the engine."""
    import numpy as np

    X, y = digits()
    more = np.random.default_rng(0).integers(0, 2, size=(4 * len(X), X.shape[1]))
    saved(classifier().fit(np.tile(X, (4, 1)) + more, np.tile(y, 4)))


def fit_threads() -> None:
    saved(classifier(n_jobs=2).fit(*digits()))


def fit_processes() -> None:
    import joblib

    with joblib.parallel_config("loky"):
        saved(classifier(n_jobs=2).fit(*digits()))


def fit_batches() -> None:
    from atomlearn.distributed import fit_batches
    from atomlearn.tables.batches import ArrayBatches

    batches = ArrayBatches(*digits(), rows=450)
    saved(fit_batches(batches, folder="batches", random_state=0, max_epochs=LONG))


def distributed_fit() -> None:
    from dask.array import from_array

    from atomlearn.distributed import fit

    X, y = digits()
    X, y = from_array(X, chunks=(450, -1)), from_array(y, chunks=450)
    saved(fit(X, y, random_state=0, max_epochs=LONG))


def cluster_fit() -> None:
    os.environ["DASK_LOGGING__DISTRIBUTED"] = "critical"  # workers tell of closed connections
    from dask.array import from_array
    from dask.distributed import Client, LocalCluster

    from atomlearn.distributed import fit

    X, y = digits()
    X, y = from_array(X, chunks=(450, -1)), from_array(y, chunks=450)
    workers = LocalCluster(2, threads_per_worker=1, dashboard_address=None)
    with workers as cluster, Client(cluster) as client:
        print("READY", flush=True)
        saved(fit(X, y, client=client, random_state=0, max_epochs=LONG))


def predict() -> None:
    """Nothing to keep: KeyboardInterrupt, and no crash."""
    import numpy as np

    X, y = digits()
    model = classifier().set_params(max_epochs=10).fit(X, y)
    rows = np.tile(X, (20, 1))
    print("READY", flush=True)
    while True:
        model.predict(rows)


def learn() -> None:
    from atomlearn.problems.queens import rules

    board = rules(8)
    while True:
        board.learn(random_state=0)


def command(*arguments: str) -> None:
    from atomlearn.cli import main

    sys.argv = ["atomlearn", *arguments]
    main()


def fit_command() -> None:
    import numpy as np

    X, y = digits()
    header = ",".join([*(f"p{j}" for j in range(X.shape[1])), "digit"])
    np.savetxt("t.csv", np.column_stack([X, y]), "%d", ",", header=header, comments="")
    command("fit", "t.csv", "-t", "digit", "-o", "model.atoms", "--max-epochs", str(LONG))


def queens_command() -> None:
    command("queens", "--size", "17", "--queen", "b4", "--max-epochs", str(LONG),
            "--solutions", str(LONG), "--seed", "0")  # fmt: skip


def sudoku_command() -> None:
    Path("p.txt").write_text(PUZZLE)
    command("sudoku", "p.txt", "--max-epochs", str(LONG), "--solutions", str(LONG), "--seed", "0")


def hamiltonian_command() -> None:
    edges = [f"{i} {(i + step) % 20}" for i in range(20) for step in (1, 2, 5)]
    Path("g.txt").write_text("\n".join(edges))
    command(
        "hamiltonian", "g.txt", "--max-epochs", str(LONG), "--solutions", str(LONG), "--seed", "0"
    )


def reproduce_command() -> None:
    command("reproduce", "bars", "--quick", "--out", "results")


PROBLEMS = ("atomlearn queens (17 x 17)", "atomlearn sudoku", "atomlearn hamiltonian")
LATE = ("distributed.fit, 2 workers", "predict", *PROBLEMS)
"""These say themselves when they are ready."""

SCENARIOS = {
    "fit": fit,
    "fit, many rows": fit_large,
    "fit, 2 threads": fit_threads,
    "fit, 2 processes": fit_processes,
    "fit_batches": fit_batches,
    "distributed.fit": distributed_fit,
    "distributed.fit, 2 workers": cluster_fit,
    "atomlearn fit": fit_command,
    "atomlearn fit, SIGTERM": fit_command,
    "atomlearn queens (17 x 17)": queens_command,
    "atomlearn sudoku": sudoku_command,
    "atomlearn hamiltonian": hamiltonian_command,
    "atomlearn reproduce": reproduce_command,
    "predict": predict,
    "Algebra.learn": learn,
}

if __name__ == "__main__":
    main()
