from pathlib import Path

from atomlearn.experiments.readme import END, START, read_results, table, with_table

ROOT = Path(__file__).parents[2]


def test_the_readme_has_the_table_of_the_committed_results():
    results = read_results(ROOT / "docs" / "results")
    assert {one["experiment"] for one in results} == {"toy", "bars", "parity", "mnist", "queens"}
    assert not any(one["settings"]["quick"] for one in results)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_table(text, results) == text


def test_only_what_is_between_the_marks_is_changed():
    claim = dict.fromkeys(("what", "place", "paper", "ours", "difference"), "a | b")
    results = [{"claims": [claim | {"headline": True}, claim | {"headline": False}], "seed": 7,
                "version": "1", "seconds": 1, "machine": [{"processor": "P"}]}]  # fmt: skip
    text = with_table(f"before\n{START}\nold\n{END}\nafter", results)
    assert text.startswith("before\n") and text.endswith("\nafter") and "old" not in text
    assert text.count("a \\| b") == 5 and "--seed 7" in table(results)
