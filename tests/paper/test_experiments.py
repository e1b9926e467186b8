"""Each experiment at its smallest: it runs, and what it writes is whole."""

import csv
import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from atomlearn.cli import app
from atomlearn.engine.concept import Recipe
from atomlearn_paper import NAMES, bars, constants, experiment, mnist, paper, parity, queens, toy
from atomlearn_paper.expressions import line, product
from atomlearn_paper.run import reproduce, reproduce_all, write_index
from atomlearn_paper.steps import Setting, Step


def command(*arguments):
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


def check_folder(folder):
    """Everything is there, whole, and refers to nothing outside."""
    results = json.loads((folder / "results.json").read_text())
    assert results["steps"] and results["claims"]
    page = (folder / "index.html").read_text()
    assert not re.search(r'(src|href)="(?!data:)', page)
    for claim in results["claims"]:
        assert all(claim[key] for key in ("what", "place", "paper", "ours", "difference"))
    tables, pictures = list(folder.glob("*.csv")), list(folder.glob("*.png"))
    assert tables and pictures
    for path in tables:
        with path.open(newline="") as file:
            lengths = {len(row) for row in csv.reader(file)}
        assert len(lengths) == 1, path
    for path in pictures:
        assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    everything = (folder / "results.json").read_text() + page
    assert str(folder.parent) not in everything and "/home/" not in everything
    return results


@pytest.mark.parametrize("name", NAMES)
def test_steps_have_names_settings_and_costs(name):
    for setting in (Setting(), Setting(quick=True)):
        steps = experiment(name).steps(setting)
        assert len({step.name for step in steps}) == len(steps)
        for step in steps:
            assert step.cost > 0 and re.fullmatch(r"[a-z0-9.-]+", step.name)
            assert json.loads(json.dumps(dict(step.settings))) == dict(step.settings)


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_is_in_every_step(name):
    one, other = (experiment(name).steps(Setting(quick=True, seed=s)) for s in (0, 1000))
    for a, b in zip(one, other, strict=True):
        assert a.settings != b.settings


@pytest.mark.slow
def test_toy_by_the_command(tmp_path):
    done = command("toy", "--quick", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    assert str(tmp_path / "toy" / "index.html") in done.stdout
    results = check_folder(tmp_path / "toy")
    assert "toy/index.html" in (tmp_path / "index.html").read_text()
    found = {step["step"]: step["result"] for step in results["steps"]}
    stages = {stage["stage"]: stage for stage in found["step-by-step"]["stages"]}
    # Section 2.6 and 2.7, number by number; 0* is in every trace and not written here.
    assert stages["dual atoms"]["atoms"] == []
    assert stages["negative trace constraints"]["atoms"] == [["v"]]
    assert stages["negative trace constraints"]["traces"]["v"] == []
    singles = stages["positive trace constraints"]
    assert sorted(singles["atoms"]) == [["c1"], ["c3"], ["c4"], ["v"]]
    assert [singles["traces"][c] for c in ("c1", "c3", "c4")] == [[], ["ζ2"], ["ζ1", "ζ3"]]
    assert ["v", "c1"] in stages["first crossing"]["atoms"]
    learned = {frozenset(atom) for atom in stages["reduction"]["atoms"]}
    assert learned == {frozenset(atom) for atom in paper.TOY_LEARNED}
    assert len(found["models"]["freest"]["atoms"]) == paper.TOY_FREEST
    assert len(found["models"]["least free"]["atoms"]) == paper.TOY_LEAST_FREE
    assert found["models"]["freest"]["right"] == 16 - 5  # it knows two of the seven bars


def test_traces_stay_from_the_trace_constraints_on():
    for seed in range(5):
        found = {stage["stage"]: stage["traces"] for stage in toy.stages(toy.examples(), seed)}
        for name in ("first crossing", "second crossing", "reduction"):
            assert found[name] == found["positive trace constraints"]


def test_bars_learn_and_are_counted():
    small = bars.learn_bars(side=4, examples=400, seed=0, epochs=10, n_test=2000)
    assert small["error"] < 0.5  # which is chance
    assert 0 < small["exact"] <= small["true"] <= small["atoms"] <= small["pool"]
    again = bars.learn_bars(side=4, examples=400, seed=0, epochs=10, n_test=2000)
    assert again == small


def test_parity_counts_what_it_has_seen():
    given = {"size": 3, "noise": 0.05, "seed": 0, "growth": 1.1, "n_test": 1000}
    points = parity.learn_stream(**given, largest=600, more=20)
    assert points[-1]["batch"] == 600
    assert points[-1]["seen"] - points[-2]["seen"] == 20 * 600
    sizes = [int(200 * 1.1**k) for k in range(100) if 200 * 1.1**k <= 600]
    assert points[-2]["seen"] == sum(sizes)
    assert points[-1]["single"]["error"] < points[0]["single"]["error"]
    last = points[-1]
    assert product(last) == last["single"]["error"] * last["seen"] / last["atoms"]
    assert line(10, True) < line(10, False)


@pytest.mark.slow
def test_parity_pages(tmp_path):
    def smaller(setting):
        cut = {"n_test": 500, "largest": 260}
        return [
            Step(s.name, s.run, {k: cut.get(k, v) for k, v in s.settings.items()}
                 | ({"epochs": 5} if s.name.startswith("as-told") else {}))
            for s in experiment("parity").steps(setting)
        ]  # fmt: skip

    made = replace(experiment("parity"), steps=smaller)
    reproduce(made, tmp_path / "parity", Setting(quick=True))
    check_folder(tmp_path / "parity")


@pytest.mark.slow
def test_queens_pages(tmp_path):
    def smaller(setting):
        cut = {"size": 6, "fixed": ["b1"], "draws": 50, "epochs": 45, "attempts": 1}
        kept = ("8x8-0", "8x8-letter-0", "13x13-0", "13x13-letter-0", "chance-random", "chance-the",
                "attempts-0", "attempts-1", "small-letter-0", "small-default-0",
                "switch-letter-contradicted-0", "chance-small-random", "chance-small-the",
                "tried-closed-merged-0", "tried-inserted-0")  # fmt: skip
        steps = [s for s in experiment("queens").steps(setting) if s.name in kept]
        return [
            Step(s.name, s.run, {k: cut.get(k, v) for k, v in s.settings.items()}) for s in steps
        ]

    made = replace(experiment("queens"), steps=smaller)
    reproduce(made, tmp_path / "queens", Setting(quick=True))
    results = check_folder(tmp_path / "queens")
    boards = results["steps"][0]["result"]["boards"]
    assert boards[0]["fixed"] == ["b1"] and len(boards) == 30


def test_attempts_are_a_setting():
    steps = {s.name: s for s in experiment("queens").steps(Setting(attempts=77))}
    assert steps["attempts-2"].settings["attempts"] == 77


@pytest.mark.slow
def test_mnist_pages(tmp_path, tiny_mnist):
    done = command("mnist", "--quick", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    results = check_folder(tmp_path / "mnist")
    found = {step["step"]: step["result"] for step in results["steps"]}
    for d in range(10):
        letter, default = (found[f"digit-{d}-{p}-0"] for p in mnist.RECIPES)
        assert default["misses"]["error"] >= default["misses, cut chosen on the test set"]["error"]
        assert "misses" not in letter  # it learns from all images, and spares none
        assert sum(letter.get("yes", [10])) == 10  # test images of the digit


def test_spared_images_are_in_no_batch(tiny_mnist):
    data = mnist.split(0)
    assert data.spared.sum() == 400 // 6
    _, sampler = mnist.learner(data, 3, 0, Recipe())
    assert data.variants.shape[1] == 400 - 400 // 6
    assert len(sampler.positives) + len(sampler.negatives) == data.variants.shape[1]
    assert mnist.split(0, mnist.SPARED["letter"]).variants.shape[1] == 400


def test_images_given_as_another_digit_are_as_many_as_told(tiny_mnist):
    data = mnist.split(0)
    right, wrong = (mnist.learner(data, 3, 0, Recipe(), share)[1] for share in (0.0, 1.0))
    assert not set(right.positives) & set(wrong.positives) and len(wrong.positives) > 0


def test_new_constants_are_what_an_example_holds_or_misses(tiny_mnist):
    images = np.array([[True, False, False], [False, True, True]])
    atoms = [np.array([0, 1]), np.array([2])]
    told = constants.widened(images, atoms)[:, 3:]
    assert told.tolist() == [[True, False, False, True], [True, True, False, False]]
    for chosen in constants.CHOICES:
        found = constants.two_rounds("bars", chosen, examples=300, epochs=6, n_test=200, seed=0)
        assert len(found["in models"]) == (0 if chosen == "none" else constants.NEW)
        assert found["new constants used"] > 0 or chosen != "shared"
        assert found["atoms"] > 0 and found["constants an atom"] > 0


def test_pins_above_the_solution_are_counted_by_their_queens():
    found = queens.completions(5, ["a1"], 0, epochs=3, start="letter")
    assert found["queens shown"] and set(found["above"]) == {"1"}  # the fixed queen alone
    for memory in queens.FIRST_MEMORIES:
        queens.completions(5, ["a1"], 0, epochs=1, start="letter", memory=memory)
    assert set(queens.WORDS) == set(queens.TRIED)


def test_a_rule_of_batches_against_the_best_error_lets_them_grow():
    given = {"size": 3, "noise": 0.05, "seed": 0, "epochs": 30, "n_test": 500, "cover": "letter"}
    last, best = (parity.learn_as_told(**given, against=kind)[-1] for kind in ("last", "best"))
    assert best["batch"] > last["batch"]


def test_no_data_is_told_before_anything_runs(tmp_path, monkeypatch):
    from atomlearn.errors import DataNotFound

    def offline(*told, **options):
        raise OSError("no network")

    monkeypatch.delenv("ATOMLEARN_DATA", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))  # no npm
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / "cache")
    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    with pytest.raises(DataNotFound, match="set ATOMLEARN_DATA"):
        reproduce_all(NAMES, tmp_path / "out", Setting(quick=True))
    assert not (tmp_path / "out").exists()


def test_no_matplotlib_is_told_before_anything_runs(tmp_path, monkeypatch):
    from atomlearn.errors import MissingExtra

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"atomlearn\[plot\]"):
        reproduce_all(["toy"], tmp_path / "out", Setting(quick=True))
    assert not (tmp_path / "out").exists()


def test_an_unknown_experiment_is_a_wrong_question(tmp_path):
    done = command("chess", "--out", tmp_path)
    assert done.exit_code == 2
    assert "'toy', 'bars', 'parity', 'mnist', 'queens', 'constants', 'all'" in done.output
    assert command("toy", "--out", tmp_path, "--jobs", 0).exit_code == 2


def test_an_index_of_nothing_is_a_page(tmp_path):
    write_index(tmp_path)
    assert "<h1>" in (tmp_path / "index.html").read_text()
