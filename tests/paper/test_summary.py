from dataclasses import asdict
from pathlib import Path

import pytest

from atomlearn_paper import NAMES, experiment
from atomlearn_paper.report import ExperimentReport
from atomlearn_paper.steps import Setting, read_json
from atomlearn_paper.summary import MARK, read_results, table, with_table

ROOT = Path(__file__).parents[2]


def test_the_page_has_the_table_of_the_committed_results():
    results = read_results(ROOT / "docs" / "results")
    assert {one["experiment"] for one in results} == set(NAMES)
    assert not any(one["settings"]["quick"] for one in results)
    text = (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
    assert with_table(text, results) == text


def test_only_what_is_between_the_marks_is_changed():
    claim = dict.fromkeys(("what", "place", "paper", "ours", "difference"), "a | b")
    results = [{"claims": [claim | {"headline": True}, claim | {"headline": False}], "seed": 7,
                "version": "1", "seconds": 1, "machine": [{"processor": "P"}]}]  # fmt: skip
    text = with_table(f"before\n<!-- {MARK} -->\nold\n<!-- /{MARK} -->\nafter", results)
    assert text.startswith("before\n") and text.endswith("\nafter") and "old" not in text
    assert text.count("a \\| b") == 5 and "--seed 7" in table(results)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_committed_claims_are_what_the_committed_measurements_say(name, tmp_path):
    """Nothing was written by hand: the pages are made anew from what the steps left."""
    committed = read_json(ROOT / "docs" / "results" / name / "results.json")
    setting = Setting(**committed["settings"])
    report = ExperimentReport(experiment(name), tmp_path, setting, committed["steps"])
    report.fill()
    assert [asdict(claim) for claim in report.claims] == committed["claims"]
    assert {step.name for step in experiment(name).steps(setting)} == {
        step["step"] for step in committed["steps"]
    }
    assert report.left_out == []
    pictures = {path.name for path in (ROOT / "docs" / "results" / name).glob("*.png")}
    assert {path.name for path in tmp_path.glob("*.png")} == pictures
    for path in tmp_path.glob("*.csv"):
        kept = ROOT / "docs" / "results" / name / path.name
        assert path.read_text() == kept.read_text()
