"""Benchmarks: what is kept, what is run again, and that page and README are made from it."""

import json
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from atomlearn import AlgebraicClassifier, __version__
from benchmarks import (
    classifier,
    compact,
    credit,
    digits,
    epoch,
    kernels,
    large,
    ordered,
    page,
    queens,
    regression,
    rivals,
    rules,
    sections,
    start,
    tables,
)
from benchmarks.record import (
    BENCHMARKS,
    Records,
    StepFailed,
    in_own_process,
    is_kept,
    made_with,
    run,
    steps_of,
)

COMMITTED = page.read_all()


def hasty(seed):
    return AlgebraicClassifier(random_state=seed, max_epochs=1, evidence="strict")


def tree(seed):
    return DecisionTreeClassifier(random_state=seed)


QUICK = {
    "atomlearn": lambda X: hasty(0),
    "LightGBM": lambda X: tree(0),  # need not be installed
    "CatBoost": lambda X: tree(0),
    "EBM": lambda X: tree(0),
    "histogram boosting": lambda X: tree(0),  # slow where its threads wait for a core
}


def test_page_and_readme_show_the_committed_figures():
    assert page.PAGE.read_text(encoding="utf-8") == page.page(COMMITTED)
    text = page.README.read_text(encoding="utf-8")
    assert page.with_table(text, COMMITTED) == text


def test_the_readme_has_no_figures_of_benchmarks_but_in_its_table():
    text = page.README.read_text(encoding="utf-8")
    section = text.split("## Results")[1].split("<details>")[0]
    before, rest = section.split("<!-- benchmarks -->")
    after = rest.split("<!-- /benchmarks -->")[1]
    assert "%" not in before + after and "|" not in before + after


def test_a_step_is_kept_and_run_again_on_demand_and_its_failure_stops_nothing(tmp_path):
    def runner(name, step):
        ran.append(step)
        if step == "b":
            raise StepFailed("no such file")
        return {"error": 0.5}

    ran = []
    first = dict(run("large", ["c", "b"], tmp_path, runner))
    assert ran == ["c", "b"] and first["b"] == "FAILED: no such file"
    assert dict(run("large", "abc", tmp_path, runner))["c"] == "kept"
    assert ran == ["c", "b", "a", "b"]
    records = Records.read("large", tmp_path)
    assert list(records.steps) == ["a", "c"]  # in the order of the benchmark
    record = records.steps["a"]
    assert record["machine"]["scikit-learn"] and record["date"] and record["seed"] == 0
    content = json.loads((tmp_path / "large.json").read_text())
    content["steps"][0]["version"] = "0.0.1"
    (tmp_path / "large.json").write_text(json.dumps(content))
    ran.clear()
    list(run("large", "ac", tmp_path, runner))
    assert ran == ["a"]  # figures of another version are measured anew
    list(run("large", "ac", tmp_path, runner, part="c", again=True))
    assert ran == ["a", "c"]


def test_figures_of_a_peer_are_kept_until_its_package_or_the_processor_is_another():
    ours, peer = (
        {**made_with("tables", f"iris/{m}"), "version": "0.0.1"} for m in ("atomlearn", "forest")
    )
    assert is_kept(peer) and is_kept(peer, again=True) and not is_kept(ours)
    assert not is_kept(ours | {"version": __version__}, again=True)
    for changed in ({"scikit-learn": "0.1"}, {"processor": "another"}):
        assert not is_kept(peer | {"machine": peer["machine"] | changed})


@pytest.mark.slow
def test_a_step_runs_in_a_process_of_its_own():
    result = in_own_process("classifier", "small/iris/forest")
    assert 0 < result["error"] < 1 and result["fit_seconds"] > 0
    with pytest.raises(StepFailed, match="KeyError"):
        in_own_process("classifier", "small/no such table/forest")


def test_every_section_shows_what_its_benchmark_measures(tmp_path, tiny_mnist, monkeypatch):
    """Small data, real functions: a figure that a section needs is one that a step returns."""
    monkeypatch.setattr(compact, "METHODS", {m: lambda X: tree(0) for m in tables.METHODS} | QUICK)
    monkeypatch.setattr(compact, "SLOW", {m: lambda size: tree(0) for m in compact.SLOW})
    monkeypatch.setattr(compact, "_figs", tree)  # these peers need not be installed
    monkeypatch.setattr(compact, "_ebm", lambda: tree(0))
    X, y = np.random.default_rng(0).random((90, 3)), np.repeat(["a", "b", "c"], 30)
    X[:, 0] += np.repeat([0, 1, 2], 30)
    frame = tables.pd.DataFrame(X, columns=["c0", "c1", "c2"])
    split, once = (frame, y, frame, y), range(1)
    tables.folder().mkdir()
    for name in ("t", "adult"):
        frame.assign(target=y).sample(frac=1, random_state=0).to_parquet(
            tables.folder() / f"{name}.parquet"
        )
    names = [*rules.STATEMENTS["pima-missing"][1], "other"]
    pima = pd.DataFrame(np.random.default_rng(0).normal(size=(90, len(names))), columns=names)
    pima.assign(target=np.where(pima["glucose"] > 0, "pos", "neg")).to_parquet(
        tables.folder() / "pima-missing.parquet"
    )
    scaled = {"seconds": 1.0, "peak_mb": 100.0, "error": 0.1}  # as `scale_runs.fit` says
    small = {
        "credit": {"LightGBM": partial(credit.measure, lambda X: tree(0), frame, y, 1)},
        "tables": {
            f"t/{m}": partial(tables.measure, m, frame, y, QUICK.get(m)) for m in tables.METHODS
        },
        "rules": {
            "rules/formula": partial(rules.with_rules, rules.formula, (30,), 100),
            "monotone/pima-missing": partial(rules.monotone, "pima-missing", 60, ("atomlearn",)),
            "few/pima-missing": partial(rules.few, "pima-missing", (30,), 1),
            "splits/pima-missing": partial(rules.many_splits, "pima-missing", 2),
        },
        "compact": {
            f"t/{side}": partial(compact.measure, frame, np.where(y == "a", "a", "b"), of_side)
            for side, of_side in compact.SIDES.items()
        },
        "ordered": {
            f"car/{m}": partial(ordered.measure, lambda X: tree(0), frame, np.repeat([0, 1, 2], 30))
            for m in ordered.METHODS
        },
        "regression": {
            f"t/{m}": partial(regression.measure, m, frame, X[:, 0])
            for m in ("atomlearn", "ridge", "tree 20")
        },
        "large": {
            f"adult/{m}": partial(large.measure, lambda: split, m, QUICK.get(m))
            for m in large.COMPARED
        },
        "harder": {"levels 5,000/forest": partial(large.measure, lambda: split, "forest")},
        "classifier": {
            "few/40/SVM": partial(classifier.few, 40, classifier.WITH_TRANSLATIONS["SVM"], once),
            "one/3/forest": partial(classifier.one, 3, tree),
            "edges/pixels and edge maps/atomlearn": partial(
                classifier.edges, classifier.with_edges, hasty
            ),
            "columns/t/forest": partial(classifier.columns, "t", 3, tree),
            "batches/30/atomlearn": partial(classifier.batches, 30, 60),
            "many/3/atomlearn": partial(classifier.many, 3, hasty, rows=100),
            "small/iris/forest": partial(classifier.small, classifier.load_iris, tree, once),
            "noise/10%/forest": partial(classifier.noise, 0.1, tree),
            "parity/2,000 images/forest": partial(classifier.parity, tree, once),
        },
        "digits": {"3": partial(digits.measure, 3, limit=0.01)},
        "queens": {"games/5×5": partial(queens.measure, 5, [4], 1)},
        "scale": {f"{part}/1": lambda: scaled for part in sections.SCALED},
        "speed": {
            "epoch": partial(epoch.measure, 20, 20),
            "kernels": partial(kernels.measure, {"examples": (100,), "atoms": (100,)}),
            "to an error": partial(rivals.measure, (5,), 0.01),
        },
        "start": {"iris": partial(start.measure, "pass")},
    }
    for name, steps in small.items():
        ends = dict(run(name, steps, tmp_path, lambda name, step: small[name][step]()))
        assert not [end for end in ends.values() if end.startswith("FAILED")]
    text = page.page(page.read_all(tmp_path))
    assert "Not measured" not in text
    for section in sections.SECTIONS:
        shown = text.split(f"## {section.title}\n")[1].split("\n## ")[0]
        assert "|---" in shown and not re.search(r"\bnan\b", shown), section.title
        assert section.name in small


def test_the_readme_sums_up_whole_benchmarks_only():
    game = {"games": 5, "solved": 4, "epochs": [1], "seconds": 1.0}
    made = {"version": "1", "date": "", "seed": 0, "machine": {"processor": "P", "cores": 1}}
    steps = {name: made | {"result": {"0": game}} for name in steps_of("queens")}
    whole = COMMITTED | {"queens": Records("queens", steps)}
    assert "32 of 40" in page.readme_table(whole)
    steps.pop("games/12×12")
    assert "queens" not in page.readme_table(whole)


def test_steps_have_names_that_sections_know(monkeypatch):
    monkeypatch.setenv("ATOMLEARN_DATA", "/nowhere")
    for name in BENCHMARKS:
        shown = [one.source.partition("/")[2] for one in sections.SECTIONS if one.name == name]
        for step in steps_of(name):
            assert any(step.startswith(part) for part in shown), step
    large_tables = {step.partition("/")[0] for step in steps_of("large")}
    assert set(page.LARGE) == {one for one in large_tables if "partitions" not in one}
