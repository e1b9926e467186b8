import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_guide_runs_as_written():
    failed, tried = doctest.testfile(str(GUIDE), module_relative=False)
    assert tried > 10 and failed == 0
