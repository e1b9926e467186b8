"""CONTRIBUTING shows the files that calls pass through: the list is what a profiler sees."""

from pathlib import Path

from tests.walk import printed

GUIDE = Path(__file__).parents[1] / "CONTRIBUTING.md"


def test_the_guide_lists_the_files_that_calls_pass_through():
    assert printed() in GUIDE.read_text(encoding="utf-8")
