"""The guide "Write your own problem" runs as it is printed."""

import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "write-your-own-problem.md"


def test_guide():
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(GUIDE), module_relative=False, optionflags=options)
    assert tried > 15 and not failed
