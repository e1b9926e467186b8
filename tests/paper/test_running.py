"""Steps are run once: interrupted, resumed, repeated only when something changed."""

import json
from pathlib import Path

import pytest

from atomlearn import __version__
from atomlearn_paper.run import TimeLeft, reproduce
from atomlearn_paper.steps import Experiment, Setting, Step


def noted(log, name, seed, fail=False):
    """Note the call in a file, as other processes may run it."""
    with Path(log).open("a") as file:
        file.write(f"{name} {seed}\n")
    if fail and not Path(f"{log}.mended").exists():
        raise KeyboardInterrupt
    return {"value": f"{name}{seed}"}


TEXT = """
|* values | here | ? | {listed((results[name]['value'] for name in results), '')} | none |

[table](values)
| name | value |
| {name} | {results[name]['value']} | for name in results
"""


class Toy:
    """Three steps, of which the second is interrupted until it is mended."""

    def __init__(self, folder, fail=False):
        self.log, self.folder, self.fail = str(folder / "log"), folder / "out", fail
        self.experiment = Experiment("toy", "A title", self.steps, TEXT)

    def steps(self, setting):
        given = {"log": self.log, "seed": setting.seed}
        return [
            Step(name, noted, given | {"name": name, "fail": self.fail and name == "b"})
            for name in ("a", "b", "c")
        ]

    def run(self, **options):
        seed = options.pop("seed", 0)
        return reproduce(self.experiment, self.folder, Setting(seed=seed), **options)

    def calls(self):
        return Path(self.log).read_text().split("\n")[:-1]


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    toy = Toy(tmp_path, fail=True)
    with pytest.raises(KeyboardInterrupt):
        toy.run()
    assert toy.calls() == ["a 0", "b 0"]
    assert not (toy.folder / "results.json").exists()
    Path(f"{toy.log}.mended").touch()
    assert toy.run().claims[0].ours == "a0b0c0"
    assert toy.calls() == ["a 0", "b 0", "b 0", "c 0"]


def test_a_finished_run_runs_nothing_again(tmp_path):
    toy = Toy(tmp_path)
    first = toy.run()
    before = (toy.folder / "index.html").read_text()
    assert toy.run().claims == first.claims
    assert len(toy.calls()) == 3
    assert (toy.folder / "index.html").read_text() == before


def test_results_alone_are_enough_to_make_the_pages(tmp_path):
    toy = Toy(tmp_path)
    toy.run()
    for path in (toy.folder / "steps").iterdir():
        path.unlink()
    toy.run()
    assert len(toy.calls()) == 3


def test_another_seed_and_another_version_are_run(tmp_path):
    toy = Toy(tmp_path)
    toy.run()
    assert toy.run(seed=1).claims[0].ours == "a1b1c1"
    assert len(toy.calls()) == 6
    for path in toy.folder.rglob("*.json"):
        path.write_text(path.read_text().replace(__version__, "99"))
    toy.run(seed=1)
    assert len(toy.calls()) == 9


def test_other_settings_do_not_overwrite_what_is_known(tmp_path):
    toy = Toy(tmp_path)
    toy.run()
    toy.run(seed=1)
    assert toy.run().claims[0].ours == "a0b0c0"
    assert len(toy.calls()) == 6


def test_again_runs_everything(tmp_path):
    toy = Toy(tmp_path)
    toy.run()
    toy.run(again=True)
    assert len(toy.calls()) == 6


@pytest.mark.parametrize("content", ["", "{", "[]", '{"step": "a"}', "null"])
def test_a_damaged_record_is_run_again(tmp_path, content):
    toy = Toy(tmp_path)
    toy.run()
    (toy.folder / "results.json").unlink()
    next((toy.folder / "steps").glob("a-*.json")).write_text(content)
    toy.run()
    assert toy.calls()[3:] == ["a 0"]


def test_steps_at_the_same_time_give_the_same(tmp_path):
    one, two = Toy(tmp_path / "one"), Toy(tmp_path / "two")
    for toy in (one, two):
        Path(toy.log).parent.mkdir()
    assert one.run(n_jobs=1).claims == two.run(n_jobs=2).claims
    assert sorted(two.calls()) == one.calls()


def test_what_is_written_down(tmp_path):
    toy = Toy(tmp_path)
    toy.run()
    written = json.loads((toy.folder / "results.json").read_text())
    assert written["seed"] == 0 and written["command"] == "atomlearn reproduce toy --seed 0"
    assert [step["step"] for step in written["steps"]] == ["a", "b", "c"]
    assert {"processor", "cores", "python", "numpy", "numba"} <= set(written["machine"][0])
    assert all(step["seconds"] >= 0 for step in written["steps"])
    assert (toy.folder / "values.csv").read_text() == "name,value\na,a0\nb,b0\nc,c0\n"


def test_the_time_left_is_scaled_by_what_was_measured():
    left = TimeLeft({"a": 1.0, "b": 2.0, "c": 3.0}, n_jobs=2)
    assert left.seconds() == 3.0
    left.done("b", 8.0)
    assert left.seconds() == 8.0
    assert left.seconds(more=1.0) == 10.0
