"""The guides about formal problems run as they are printed."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(("guide", "least"), [("write-your-own-problem", 15), ("problems", 5)])
def test_guide(guide, least):
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    page = str(DOCS / f"{guide}.md")
    failed, tried = doctest.testfile(page, module_relative=False, optionflags=options)
    assert tried > least and not failed
