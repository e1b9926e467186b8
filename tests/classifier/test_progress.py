"""Progress: lines, a bar, and scikit-learn's callbacks."""

import io

import numpy as np
import pytest
from rich.console import Console

from atomlearn import AlgebraicClassifier
from atomlearn.classifier import fitting
from atomlearn.classifier.fitting import show_progress
from atomlearn.training.settings import Plan, Round, Settings


def quick(**parameters):
    return AlgebraicClassifier(random_state=0, max_epochs=9, **parameters)


def test_lines_where_there_is_no_terminal(iris, capsys):
    AlgebraicClassifier(random_state=0, max_epochs=30, evidence="strict", verbose=1).fit(*iris)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == "" and len(lines) == 2
    assert lines[-1].startswith("learning: round 2 of at most 2: epoch 6, error about ")


def test_a_bar_on_a_terminal():
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100)
    with show_progress(1, Settings(time_limit=1000.0), Plan(1, 10), console) as hooks:
        for _ in range(5):
            hooks.on_epoch()
        hooks.on_round(Round(5, 1.0, 0.0321, 0.1, []), None)
    shown = screen.getvalue()
    assert "epoch 5, error about 3.21%" in shown and "100%" in shown


def test_silent_by_default(iris, capsys):
    quick().fit(*iris)
    assert capsys.readouterr() == ("", "")


class Recorder:
    """A callback that writes down what it is told."""

    def __init__(self, stop_after=None):
        self.events = []
        self.scores = []
        self.stop_after = stop_after

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        self.events.append(f"end {context.task_name}")
        if fitted_estimator is not None:
            self.scores.append(fitted_estimator.score(X, y))
        return self.stop_after is not None and self.events.count("end round") >= self.stop_after


callbacks = pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9")


def test_callbacks_see_each_round(iris):
    recorder = Recorder()
    classifier = AlgebraicClassifier(random_state=0, max_epochs=30, evidence="strict")
    classifier.set_callbacks(recorder).fit(*iris)
    rounds = ["begin round", "end round"] * 2
    assert recorder.events == ["setup", "begin fit", *rounds, "end fit", "teardown"]
    assert len(recorder.scores) == 3  # two rounds, and fit
    assert recorder.scores[-1] == classifier.score(*iris)


def test_callbacks_may_stop_the_fit(iris):
    recorder = Recorder(stop_after=1)
    classifier = AlgebraicClassifier(random_state=0, evidence="strict")
    classifier.set_callbacks(recorder).fit(*iris)
    assert recorder.events.count("end round") == 1
    assert classifier.learned_.epochs[0] == 3


def test_callbacks_of_batches(iris):
    recorder = Recorder()
    quick().set_callbacks(recorder).partial_fit(*iris, classes=np.unique(iris[1]))
    assert recorder.events.count("end round") == 1 and recorder.events[-1] == "teardown"


def test_scikit_learns_own_callbacks(iris, capsys):
    monitor = callbacks.ScoringMonitor(scoring="accuracy")
    quick().set_callbacks(callbacks.ProgressBar(), monitor).fit(*iris)
    assert "AlgebraicClassifier - fit" in capsys.readouterr().out
    assert monitor.get_logs() is not None


def test_callbacks_reach_it_through_a_search(iris, capsys):
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(quick(), {"max_epochs": [2, 3]}, cv=2)
    if not hasattr(search, "set_callbacks"):
        pytest.skip("this scikit-learn does not pass callbacks on")
    search.set_callbacks(callbacks.ProgressBar()).fit(*iris)
    assert "AlgebraicClassifier" in capsys.readouterr().out


def test_without_callbacks_in_scikit_learn(iris, monkeypatch):
    monkeypatch.delattr(fitting.CallbackSupportMixin, "_init_callback_context")
    assert quick().fit(*iris).learned_.is_known
