"""Pages of the reference that are written from the code: commands, and names by package."""

import re
import shutil
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import typer.main
from sphinx.application import Sphinx
from typer.cli import get_docs_for_click

import atomlearn
from atomlearn.cli import app as commands


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before Sphinx reads any."""
    folder = Path(app.srcdir) / "reference"
    shutil.rmtree(folder / "packages", ignore_errors=True)  # names that are no longer public
    _write(folder / "commands.md", command_page())
    packages = re.findall(
        r"^## (atomlearn\S*)$", (folder.parent / "api.md").read_text("utf-8"), re.M
    )
    for package in packages:
        _write(folder / "packages" / f"{package}.md", package_page(package))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def command_page() -> str:
    """Every command with its arguments and options."""
    command = typer.main.get_command(commands)
    text = get_docs_for_click(
        obj=command, ctx=typer.Context(command), name="atomlearn", title="The command line"
    )
    for name, one in command.commands.items():  # Typer cuts what a command does after 45 letters
        first = " ".join((one.help or "").split("\n\n")[0].split())
        text = re.sub(
            rf"^\* `{name}`: .*$", lambda _, n=name, t=first: f"* `{n}`: {t}", text, flags=re.M
        )
    return text.replace("**Usage**:\n\n", "").replace("```console", "```text")


def package_page(package: str) -> str:
    """A summary of the public names of a package, each with a page of its own.

    A name that the package ``atomlearn`` has too is described there.
    """
    module = import_module(package)
    own = {name: getattr(module, name) for name in module.__all__}
    elsewhere = [] if package == "atomlearn" else [n for n in own if hasattr(atomlearn, n)]
    text = f"# {package}\n\n{_as_markdown(module)}\n\n"
    if elsewhere:
        text += "As in {doc}`atomlearn`: "
        text += ", ".join(f"{{py:obj}}`{name} <atomlearn.{name}>`" for name in elsewhere) + "\n\n"
    text += f"```{{eval-rst}}\n.. currentmodule:: {package}\n"
    for kind in ("class", "exception", "function"):
        names = [n for n, value in own.items() if _kind(value) == kind and n not in elsewhere]
        if names:
            text += f"\n.. autosummary::\n   :toctree: generated\n   :template: {kind}.rst\n\n"
            text += "".join(f"   {name}\n" for name in names)
    for name, value in own.items():
        if _kind(value) == "data":
            text += f"\n.. autodata:: {package}.{name}\n   :no-value:\n"
        if _kind(value) == "module" and package != "atomlearn":
            text += f"\n.. automodule:: {package}.{name}\n   :members:\n"
            text += "   :exclude-members: Square\n"
    return text + "```\n"


def _as_markdown(module: ModuleType) -> str:
    return (module.__doc__ or "").strip().replace("``", "`").replace(":class:", "").replace("~", "")


def _kind(value: Any) -> str:
    if isinstance(value, ModuleType):
        return "module"
    if isinstance(value, type):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if callable(value) else "data"


def _write(path: Path, text: str) -> None:
    """Write a page if it changed, so that Sphinx reads it again only then."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")
