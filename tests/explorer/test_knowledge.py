"""The pages of relations with variables, of conflicts, and of contexts."""

from pathlib import Path

import pytest

from atomlearn import Algebra
from atomlearn.algebra import Context
from atomlearn.explorer import explore
from atomlearn.explorer.page import algebra_data, context_data
from atomlearn.views.lattices import covers
from tests.explorer import browser as web

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def test_lines_and_conflicts_are_on_the_page():
    data = algebra_data(Algebra.read(EXAMPLES / "policy.rel"))
    assert len(data["lines"]) == 7 and all(len(line["relations"]) > 1 for line in data["lines"])
    assert len(data["conflicts"]) == 1 and len(data["repairs"]) == 3


def test_a_lattice_is_laid_out():
    water = Context.read(EXAMPLES / "water.cxt")
    concepts = water.concepts()
    below = {(i, j) for i, a in enumerate(concepts) for j, b in enumerate(concepts)
             if set(a.extent) < set(b.extent)}  # fmt: skip
    between = {(i, j) for i, j in below for k in range(len(concepts)) if {(i, k), (k, j)} <= below}
    assert set(covers(concepts)) == below - between
    data = context_data(water)
    assert all(data["nodes"][low]["y"] > data["nodes"][up]["y"] for low, up in data["edges"])
    assert len({(node["x"], node["y"]) for node in data["nodes"]}) == 19
    for side in ("attributes", "objects"):
        written = [name for node in data["nodes"] for name in node[side]]
        assert sorted(written) == sorted(getattr(water, side))


@web.needs_browser
@pytest.mark.slow
def test_pages_in_a_browser(tmp_path):
    explore(Algebra.read(EXAMPLES / "policy.rel"), tmp_path / "policy.html")
    explore(Context.read(EXAMPLES / "water.cxt"), tmp_path / "water.html")
    with web.started() as browser:
        with web.opened(browser, (tmp_path / "policy.html").as_uri(), width=390) as page:
            assert page.locator("details.line").count() == 7
            assert page.locator("details.line[open] summary.against").count() == 1
            assert page.locator("svg .node.lit").count() >= 3
        with web.opened(browser, (tmp_path / "water.html").as_uri()) as page:
            page.locator("svg.lattice g.node", has_text="suckles").first.click()
            assert page.get_by_text("dog: needs water").count() >= 1
            assert page.locator("svg.lattice g.node").count() == 19
