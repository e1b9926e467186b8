"""``atomlearn implications``, ``concepts`` and ``interview``: what holds, said in few words."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.contexts import Context
from atomlearn.algebra.model import Model
from atomlearn.cli.algebra import has_relations, read_algebra
from atomlearn.cli.output import Json, OutInstead, counted, fail, print_json
from atomlearn.files.load import load

if TYPE_CHECKING:
    from atomlearn.algebra.implications import Implication

ContextFile = Annotated[
    Path, typer.Argument(help="A formal context: a .cxt file, or a CSV file of crosses.")
]


def implications(
    file: Annotated[
        Path, typer.Argument(help="Relations (.rel), a model (.atoms), or a context (.cxt, .csv).")
    ],
    short: Annotated[
        bool, typer.Option("--short", help="Leave out every name that is not needed.")
    ] = False,
    out: OutInstead = None,
    as_json: Json = False,
) -> None:
    """Print the fewest implications from which all others follow: premise → conclusion.

    With --out they are written as relations, conclusion < premise, to be checked and queried.
    """
    known = read_any(file)
    found = known.implications("short" if short else "canonical")
    names = known.attributes if isinstance(known, Context) else known.names
    if out is not None:
        algebra = Algebra(names)
        for implication in found:
            algebra.add(implication.relations(algebra))
        algebra.write(out)
    _print(found, as_json)


def concepts(file: ContextFile, as_json: Json = False) -> None:
    """Count and list the concepts of a context: objects and the attributes they share."""
    context = Context.read(file)
    found = context.concepts()
    if as_json:
        listed = [{"extent": list(c.extent), "intent": list(c.intent)} for c in found]
        print_json({"concepts": listed})
        return
    size = counted(len(context.objects), "object"), counted(len(context.attributes), "attribute")
    print(f"{counted(len(found), 'concept')} of {size[0]} and {size[1]}")
    for concept in found:
        print(f"{', '.join(concept.extent) or '(none)'}: {', '.join(concept.intent) or '(none)'}")


def interview(file: ContextFile, out: OutInstead = None, as_json: Json = False) -> None:
    """Ask which implications hold in general, and take counterexamples (attribute exploration).

    With --out the context is written with the counterexamples.
    """
    context = Context.read(file)
    try:
        result = context.explore()
    except EOFError:
        fail("the answers ended before the questions")
    if out is not None:
        result.context.write(out)
    _print(result.implications, as_json)


def read_any(file: Path) -> Algebra | Model | Context:
    """Read relations, a model or a context, by the name of the file."""
    if file.suffix.lower() in (".cxt", ".csv"):
        return Context.read(file)
    if has_relations(file):
        return read_algebra(file)
    model = load(file)
    if not isinstance(model, Model):
        fail(f"{file} holds an {type(model).__name__}, not a model of relations")
    return model


def _print(found: "list[Implication]", as_json: bool) -> None:
    if as_json:
        listed = [{"premise": list(i.premise), "conclusion": list(i.conclusion)} for i in found]
        print_json({"implications": listed})
        return
    print(counted(len(found), "implication"))
    for implication in found:
        print(implication)
