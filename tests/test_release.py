"""One version, one list of dependencies: what states them again agrees with the package."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import atomlearn

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def found(file: str, pattern: str) -> list[str]:
    return re.findall(pattern, (ROOT / file).read_text("utf-8"), re.MULTILINE)


def test_the_version_is_the_same_everywhere():
    version = atomlearn.__version__
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/atomlearn/__init__.py"
    assert found("CITATION.cff", r"^version: (.+)$") == [version]
    assert found("conda/meta.yaml", r'set version = "(.+)"') == [version]
    assert found("CONTRIBUTING.md", r"a tag `v([\d.]+)`") == [version]


def test_the_changelog_begins_with_this_version_and_its_date():
    version, date = found("CHANGELOG.md", r"^## (\S+) \((.+)\)$")[0]
    assert version == atomlearn.__version__ and re.fullmatch(r"\d{4}-\d\d-\d\d", date)


def test_conda_needs_what_the_package_needs():
    recipe = (ROOT / "conda/meta.yaml").read_text("utf-8").split("  run:\n")[1].split("\n\n")[0]
    listed = [line.strip().removeprefix("- ").replace(" ", "") for line in recipe.splitlines()]
    assert listed[0].startswith("python>=")
    assert listed[1:] == PROJECT["project"]["dependencies"]


def test_hooks_are_the_tools_that_ci_installs():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    for tool in ("ruff", "mypy", "codespell", "zizmor"):
        revision = re.search(rf"/[\w-]*{tool}[\w-]*\n    rev: v(.+)", hooks)
        assert revision and found("ci/constraints.txt", rf"^{tool}==(\S+)") == [revision[1]], tool


def test_classifiers_tests_and_the_lowest_python_agree():
    versions = found(".github/workflows/tests.yml", r'python: \["(.+)"\]')[0].split('", "')
    named = [c.rsplit(" ", 1)[1] for c in PROJECT["project"]["classifiers"] if "Python :: 3." in c]
    assert versions == named
    assert PROJECT["project"]["requires-python"] == f">={versions[0]}"


def test_the_readme_installs_and_names_both_commands():
    readme = (ROOT / "README.md").read_text("utf-8")
    block = readme.split("## Install\n")[1].split("```")[1]
    commands = [line.split("#")[0].strip() for line in block.strip().splitlines()]
    assert commands[0] == "pip install ."
    assert {"make demo", "make test"} <= set(commands)
    targets = found("Makefile", r"^(demo|test): ")
    assert targets == ["demo", "test"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="a script for Linux")
@pytest.mark.parametrize(
    ("ci", "installs", "code"),
    [({}, False, 0), ({"CI": "true"}, False, 1), ({"CI": "true"}, True, 0), ({"CI": ""}, False, 0)],
)
def test_ci_is_not_green_without_a_browser(tmp_path, ci, installs, code):
    apt = tmp_path / "apt-get"
    programs = "chromium node" if installs else ""
    apt.write_text(
        f"#!{shutil.which('bash')}\n"
        f'[ "$1" = install ] || exit 0\n'
        f'for p in {programs}; do echo > "{tmp_path}/$p"; {shutil.which("chmod")} +x '
        f'"{tmp_path}/$p"; done\nexit {0 if installs else 100}\n'
    )
    apt.chmod(0o755)
    told = subprocess.run(
        [shutil.which("bash"), str(ROOT / ".ci" / "browser")],
        env={"PATH": str(tmp_path), **ci}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == code, told.stderr
    assert ("chromium nodejs" in told.stderr) == (not installs)
