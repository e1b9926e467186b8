"""The ``atomlearn`` command. One file a group of commands; no algorithm lives here."""

import atexit
import signal
import warnings
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperGroup

import atomlearn
from atomlearn import interrupts
from atomlearn.cli import algebra, contexts, explore, measuring, models, problems, reproduce, tables
from atomlearn.cli.output import NO, fail, note, prepare_output
from atomlearn.errors import AtomlearnError, InconsistentRelations, InterruptedWarning


class Commands(TyperGroup):
    """A group of commands that ends an interruption with one line and its exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            fail("interrupted", interrupts.exit_code(error))


app = typer.Typer(
    name="atomlearn",
    cls=Commands,
    help="Learn models from tables that fit on one page, state what must hold on every row, "
    "prove that it does, and decide what follows from relations.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS: list[Callable[..., None]] = [
    algebra.check,
    algebra.learn,
    algebra.query,
    contexts.implications,
    contexts.concepts,
    contexts.interview,
    models.show,
    *problems.COMMANDS,
    tables.fit,
    tables.predict,
    tables.explain,
    measuring.evaluate,
    measuring.compare,
    tables.audit,
    explore.explore,
    models.export,
    models.merge,
    reproduce.reproduce,
    reproduce.data,
    models.warm_up,
]
"""All commands, in the order of ``atomlearn --help``."""
for command in COMMANDS:
    app.command()(command)


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
    """Run the command; an error of atomlearn becomes one message and an exit code."""
    prepare_output()
    warnings.simplefilter("ignore", InterruptedWarning)  # commands have a line of their own
    warnings.showwarning = lambda message, *_: note(str(message))
    # While the interpreter shuts down Ctrl-C would be a traceback.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_DFL)
    try:
        with interrupts.terminable():
            app()
    except InconsistentRelations as error:
        fail(str(error), NO)
    except AtomlearnError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
