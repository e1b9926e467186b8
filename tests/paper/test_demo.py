"""The demo: an inviting page that leads to four others. The digits are learned in a slow test."""

import re

import pytest

from atomlearn.views.page import Page
from atomlearn_paper.demo import learn_a_rule, learn_a_table, solve_queens, write_demo
from tests.sound_html import Checker


def linked(folder):
    """The pages that the first one leads to; all are there."""
    text = (folder / "index.html").read_text(encoding="utf-8")
    Checker(text)
    found = re.findall(r'href="([^"]+)"', text)
    for name in found:
        page = (folder / name).read_text(encoding="utf-8")
        assert 'id="explorer"' in page and len(page) < 5e6
    return found


def test_each_part_says_what_came_out_and_where_to_try_it(tmp_path, capsys):
    page = Page("demo")
    learn_a_table(page, tmp_path)
    solve_queens(page, tmp_path)
    learn_a_rule(page, tmp_path)
    page.write(tmp_path / "index.html")
    assert linked(tmp_path) == ["flowers.html", "board.html", "bars.html"]
    said = capsys.readouterr().out
    rules = said[said.index("Each kind as a") : said.index("A chess board from its rules")]
    assert "\n  setosa if petal length ≤ 2." in rules and "\n  virginica if " in rules
    assert said.index("A chess board from its rules") < said.index("a b c d e f g h")
    assert said.index("of all 16 images") < said.index("v if some column")
    assert "v if some column with all rows black" in said
    assert said.count("a b c d e f g h") == 2  # both boards, next to each other
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert text.count("8 × 8 board: 8 of 8 queens") == 2  # drawn, and for who listens


@pytest.mark.slow
def test_the_whole_demo(tmp_path):
    assert write_demo(tmp_path / "demo") == tmp_path / "demo" / "index.html"
    assert linked(tmp_path / "demo")[0] == "digits.html" and len(linked(tmp_path / "demo")) == 4
