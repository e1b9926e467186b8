"""The ``atomlearn`` command. One file a group of commands; no algorithm lives here."""

import sys

import typer

import atomlearn
from atomlearn.cli import data, models, problems, query, relations, reproduce, sharing, tables
from atomlearn.cli.output import NO, fail
from atomlearn.errors import AtomlearnError, InconsistentRelations

app = typer.Typer(
    name="atomlearn",
    help="Algebraic Machine Learning: rules and examples in, readable atoms out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# more commands: a module with register(app), named here
for group in (relations, query, models, problems, tables, sharing, reproduce, data):
    group.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"atomlearn {atomlearn.__version__}")
        raise typer.Exit


@app.callback()
def _atomlearn(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    pass


def main() -> None:
    """Run the command; anything atomlearn complains of is one message and an exit code."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except InconsistentRelations as error:
        fail(str(error), NO)
    except AtomlearnError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
