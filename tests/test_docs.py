"""What the documentation refers to exists: files, links, and the options of commands."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from atomlearn.cli import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = get_command(app).commands
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def code(page: Path) -> list[str]:
    """The lines of code blocks, and code within the text."""
    text = page.read_text(encoding="utf-8")
    inline = re.findall(r"`([^`\n]+)`", FENCE.sub("", text))
    return [*inline, *(line for block in FENCE.findall(text) for line in block.splitlines())]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_pages_name_exist(page):
    for piece in code(page):
        if re.fullmatch(r"[a-z_]+/[\w/.]+\.(py|md)", piece):
            roots = (ROOT, ROOT / "src", ROOT / "src" / "atomlearn")
            assert any((root / piece).exists() for root in roots), piece


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", re.sub(r"`[^`\n]+`", "", text)):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_have_the_options_that_pages_give_them(page):
    for piece in code(page):
        if found := re.match(r"(?:\$ )?atomlearn ([a-z]+)( [^#|]*)?", piece):
            assert found[1] in COMMANDS, piece
            known = {option for one in COMMANDS[found[1]].params for option in one.opts}
            assert set(re.findall(r"(?<!\S)--[a-z-]+", piece)) <= known, piece
