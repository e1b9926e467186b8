from atomlearn.views.page import Page
from atomlearn_paper.demo import learn_a_rule, solve_queens


def test_the_page_has_what_was_said(tmp_path, capsys):
    page = Page("demo")
    learn_a_rule(page)
    solve_queens(page)
    page.write(tmp_path / "demo" / "index.html")
    said = capsys.readouterr().out
    text = (tmp_path / "demo" / "index.html").read_text(encoding="utf-8")
    assert "of all 16 images" in said
    assert "v if some column with all rows black" in said
    assert text.count("<h2>") == 2
    assert text.count("a b c d e f g h") == 2  # both boards
