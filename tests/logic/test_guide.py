import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "reading.md"


def test_the_guide_runs_as_written():
    failed, tried = doctest.testfile(
        str(GUIDE),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS,
    )
    assert tried > 20 and failed == 0
