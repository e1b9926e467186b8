import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("guide", ["rules.md", "statements.md"])
def test_the_guide_runs_as_written(guide):
    failed, tried = doctest.testfile(str(DOCS / guide), module_relative=False)
    assert tried > 10 and failed == 0
