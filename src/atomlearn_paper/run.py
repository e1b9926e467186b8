"""Running an experiment: what is known is not run again, and the pages are made from the records.

Steps do not know of each other, so they may run at the same time; the results are the same.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from atomlearn import __version__
from atomlearn.errors import DataNotFound
from atomlearn.views.page import Page
from atomlearn_paper import NAMES, experiment
from atomlearn_paper.charts import check_matplotlib
from atomlearn_paper.claims import write_claims
from atomlearn_paper.expressions import spoken
from atomlearn_paper.report import ExperimentReport, claims_table
from atomlearn_paper.steps import Experiment, Record, Records, Setting, Step, read_json


def reproduce_all(
    names: Sequence[str], out: Path, setting: Setting, *, n_jobs: int = 1, again: bool = False
) -> list[Path]:
    """Run experiments, each in a folder of its own, and write a page over those in ``out``.

    Returns the pages written, the one over all first.
    """
    check_matplotlib()
    for name in names:
        _fetch_data(experiment(name))  # now, and not after an hour of other experiments
    pages = [out / "index.html"]
    costs = [_cost(experiment(name), out / name, setting, again) for name in names]
    for k, name in enumerate(names):
        later = sum(costs[k + 1 :])
        reproduce(experiment(name), out / name, setting, n_jobs=n_jobs, again=again, later=later)
        pages.append(out / name / "index.html")
    if set(names) == set(NAMES):
        pages += write_claims(out)
    write_index(out)
    return pages


def _cost(experiment: Experiment, folder: Path, setting: Setting, again: bool) -> float:
    """What is still to run, in rough seconds."""
    steps = experiment.steps(setting)
    known = {} if again else Records(folder).find(steps)
    return sum(step.cost for step in steps if step.name not in known)


def _fetch_data(experiment: Experiment) -> None:
    if experiment.data is not None:
        from atomlearn.datasets import SETS, find, provide

        try:
            find(SETS[experiment.data])
        except DataNotFound:
            provide(SETS[experiment.data])


def write_index(out: Path) -> None:
    """A page over all experiments that have results in a folder."""
    page = Page("Algebraic Machine Learning, reproduced", quiet=True)
    page.say(
        f"What the paper says beside what atomlearn {__version__} finds. Each part has a page of "
        "its own, with every table and figure, in the folder of its name."
    )
    if (out / "claims.html").exists():
        page.link("claims.html", "A verdict on every claim of the paper")
    for name in NAMES:
        found = read_json(out / name / "results.json")
        if found is not None:
            page.section(experiment(name).title)
            page.link(f"{name}/index.html", f"{name}: tables and figures")
            page.code(found["command"])
            page.table(*claims_table(found["claims"]))
    page.write(out / "index.html")


def reproduce(
    experiment: Experiment,
    folder: Path,
    setting: Setting,
    *,
    n_jobs: int = 1,
    again: bool = False,
    later: float = 0.0,
) -> ExperimentReport:
    """Run what is not yet known, and write the pages to ``folder``.

    An interruption loses the running steps only; the next call goes on from there. ``again`` runs
    everything anew. ``later`` is the cost of what comes after, for the estimate.
    """
    steps = experiment.steps(setting)
    records = Records(folder)
    known = {} if again else records.find(steps)
    todo = [step for step in steps if step.name not in known]
    with Display(experiment.name, todo, len(steps), n_jobs, later) as display:
        for record in _run(records, todo, n_jobs):
            known[record["step"]] = record
            display.done(record["step"], record["seconds"])
    report = ExperimentReport(experiment, folder, setting, [known[step.name] for step in steps])
    report.fill()
    report.write()
    return report


def _run(records: Records, steps: Sequence[Step], n_jobs: int) -> Iterator[Record]:
    """The records as they come."""
    if n_jobs == 1 or len(steps) < 2:
        yield from (records.run(step) for step in steps)
        return
    from joblib import Parallel, delayed

    workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    yield from workers(delayed(records.run)(step) for step in steps)


class TimeLeft:
    """An estimate from the declared costs, scaled by what finished steps really took.

    ``later`` is the cost of what comes after these steps.

    >>> left = TimeLeft({"a": 10.0, "b": 30.0}, later=100.0)
    >>> left.seconds(), str(left)
    (40.0, 'about 40 s left, 2 min in all')
    >>> left.done("a", 20.0)
    >>> left.seconds(), str(left)
    (60.0, 'about 60 s left, 4 min in all')
    """

    def __init__(self, costs: dict[str, float], n_jobs: int = 1, later: float = 0.0) -> None:
        self.todo, self.later, self.n_jobs = dict(costs), later, max(1, n_jobs)
        self.declared = self.measured = 0.0

    def done(self, name: str, seconds: float) -> None:
        """A step is done, and took so long."""
        self.declared += self.todo.pop(name)
        self.measured += seconds

    def seconds(self, more: float = 0.0) -> float:
        """What is left, and ``more`` of declared cost."""
        scale = self.measured / self.declared if self.declared else 1.0
        return scale * (sum(self.todo.values()) + more) / self.n_jobs

    def __str__(self) -> str:
        in_all = f", {spoken(self.seconds(self.later))} in all" if self.later else ""
        return f"about {spoken(self.seconds())} left{in_all}"


class Display(Progress):
    """A line for each finished step, and on a terminal a bar; used as a context manager."""

    def __init__(
        self, title: str, steps: Sequence[Step], n_all: int, n_jobs: int, later: float = 0.0
    ) -> None:
        console = Console(file=sys.stderr)
        columns = (TextColumn("{task.description}"), BarColumn())
        super().__init__(*columns, console=console, transient=True, disable=not console.is_terminal)
        self.left = TimeLeft({step.name: step.cost for step in steps}, n_jobs, later)
        self.title, self.n_all = title, n_all
        self.bar = self.add_task(f"{title}, {self.left}", total=n_all, completed=n_all - len(steps))

    def done(self, name: str, seconds: float) -> None:
        """Say that a step is done."""
        self.left.done(name, seconds)
        n_done = self.n_all - len(self.left.todo)
        still = f", {self.left}" if self.left.todo or self.left.later else ""
        line = f"{self.title} {n_done} of {self.n_all}: {name}, {spoken(seconds)}{still}"
        self.console.print(line, highlight=False)
        self.update(self.bar, completed=n_done, description=f"{self.title}{still}")
