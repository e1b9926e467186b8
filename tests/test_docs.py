"""What the documentation refers to exists: files, links, and the options of commands."""

import importlib.util
import re
from pathlib import Path

import pytest
from typer.main import get_command

import atomlearn
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
        if found := re.match(r"(?:\$ )?atomlearn ([a-z-]+)( [^#|]*)?", piece):
            assert found[1] in COMMANDS, piece
            known = {option for one in COMMANDS[found[1]].params for option in one.opts}
            assert set(re.findall(r"(?<!\S)--[a-z-]+", piece)) <= known, piece


@pytest.fixture
def linkcode(monkeypatch):
    """What ``sphinx.ext.linkcode`` asks for the address of a name."""
    monkeypatch.setenv("ATOMLEARN_REPOSITORY", "https://host/owner/atomlearn")
    path = ROOT / "docs" / "_ext" / "source_links.py"
    spec = importlib.util.spec_from_file_location("source_links", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda name, domain="py": module.linkcode_resolve(
        domain, {"module": "atomlearn", "fullname": name}
    )


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("AlgebraicClassifier", "class AlgebraicClassifier"),
        ("AlgebraicClassifier.fit", "def fit("),
        ("Model.atoms", "def atoms("),  # a property
        ("load", "def load("),
    ],
)
def test_names_link_to_the_lines_that_define_them(linkcode, name, first):
    start = f"https://host/owner/atomlearn/blob/v{atomlearn.__version__}/"
    file, begin, end = re.fullmatch(
        rf"{re.escape(start)}(src/[\w/]+\.py)#L(\d+)-L(\d+)", linkcode(name)
    ).groups()
    lines = (ROOT / file).read_text("utf-8").splitlines()[int(begin) - 1 : int(end)]
    assert any(first in line for line in lines[:12])


def test_what_has_no_source_has_no_link(linkcode, monkeypatch):
    assert linkcode("no_such_name") is None
    assert linkcode("load", domain="c") is None
    monkeypatch.delenv("ATOMLEARN_REPOSITORY")
    assert linkcode("load") is None
