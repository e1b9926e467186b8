"""``atomlearn show``, ``export`` and ``merge``: commands that take model files."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atomlearn.algebra.model import Model
from atomlearn.algebra.terms import Term, write_names
from atomlearn.cli.numbers import is_regressor, refuse_options, show_number
from atomlearn.cli.output import (
    ClassifierFile,
    Html,
    Json,
    ModelCardFile,
    ModelFile,
    OutFile,
    OutInstead,
    check_choice,
    counted,
    fail,
    note,
    print_json,
    write_text,
)
from atomlearn.errors import suggest
from atomlearn.files.load import load

if TYPE_CHECKING:
    from atomlearn.algebra.model import Atom
    from atomlearn.classifier.definition import Short
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.engine.pool import Pool
    from atomlearn.logic.define import ConstantDefinition
    from atomlearn.training.learned import Learned

MOST_DEFINED = 3
"""Unless a term is asked for, at most this many constants of a model are defined."""
MOST_CONSTANTS = 200
"""In a model of more constants than this, a constant is defined only if it is asked for."""
LANGUAGES = {"sql": "SQL", "js": "JavaScript", "c": "C", "python": "Python"}
"""The languages of ``export``, and their names."""


def show(
    file: ModelFile,
    of: Annotated[
        str | None,
        typer.Option("--of", help='Show only this term, as "v" or "c1 c2", or this class.'),
    ] = None,
    max_atoms: Annotated[
        int,
        typer.Option(
            "--max-atoms",
            min=0,
            help="Atoms to list of a model or a pool, 0 for all.",
        ),
    ] = 50,
    max_clauses: Annotated[
        int,
        typer.Option("--max-clauses", min=0, help="Clauses to list of each class, 0 for all."),
    ] = 12,
    short: Annotated[
        bool,
        typer.Option("--short", help="Define classes as briefly as held-out rows allow."),
    ] = False,
    pairs: Annotated[
        str | None,
        typer.Option("--pairs", help='Constants that exclude each other: "black1/white1 b2/w2".'),
    ] = None,
    grid: Annotated[
        str | None,
        typer.Option("--grid", help='Names of the pixels, row by row: "c2 c3 / c1 c4".'),
    ] = None,
    model_card: ModelCardFile = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Show what a file holds: a model, a classifier or a pool.

    A model is shown by its atoms and the definitions of its constants, a classifier by its
    scorecard or the definitions of its classes, a pool by its pins.
    """
    loaded = load(file)
    if model_card is not None:
        load_table_model(file).to_model_card(path=model_card)
        note(f"the model card is written to {model_card}")
    if not isinstance(loaded, Model):
        from atomlearn.classifier.definition import SHORT
        from atomlearn.engine.pool import Pool

        if isinstance(loaded, Pool):
            if of is not None or html is not None or pairs is not None or grid is not None:
                fail(f"{file} is a pool of pins: only --max-atoms and --json apply")
            _show_pool(loaded, max_atoms, as_json)
            return
        if pairs is not None or grid is not None:
            fail("--pairs and --grid apply to models of relations only, not to classifiers")
        if is_regressor(loaded):
            refuse_options({"--of": of, "--short": short}, f"classes, and {file} predicts a number")
            show_number(loaded, file, as_json, html)
            return
        _show_classifier(loaded, file, of, SHORT if short else max_clauses, as_json, html)
        return
    if short:
        fail(f"--short applies to classifiers only, and {file} is a model of relations")
    model = loaded
    atoms = model.atoms if of is None else model.atoms_of(model.term(of))
    definitions = _definitions(model, of, pairs, grid)
    if html is not None:
        from atomlearn.explorer.page import explorer_page, model_data, write_page

        write_page(explorer_page(file.stem, model_data(model, definitions)), html)
    if as_json:
        listed = [list(atom.constants) for atom in atoms]
        fields = {"kind": "model", "constants": list(model.names), "atoms": listed}
        print_json({**fields, "definitions": [one.to_dict() for one in definitions]})
        return
    _print_atoms(model, atoms, of, max_atoms)
    for one in definitions:
        print(f"\n{one}")
    print(
        "\nA term contains an atom if it has one of these constants; "
        "a < b holds if b contains every atom of a."
    )
    if html is not None:
        print(f"written to {html}")


def _print_atoms(model: Model, atoms: Sequence["Atom"], of: str | None, max_atoms: int) -> None:
    whose = "" if of is None else f" of {of}"
    print(f"{counted(len(atoms), 'atom')}{whose}, {counted(model.n_constants, 'constant')}")
    if atoms:
        print("size  in the constants")
    listed = sorted(atoms, key=lambda atom: (len(atom), atom.indices))
    for atom in listed[: max_atoms or None]:
        print(f"{len(atom):4}  {atom}")
    _print_more(len(atoms), max_atoms)


def _print_more(n: int, max_atoms: int) -> None:
    """Say how many of ``n`` atoms are not listed."""
    if max_atoms and n > max_atoms:
        print(f"... and {n - max_atoms:,} more (--max-atoms 0 lists all)")


def _definitions(
    model: Model, of: str | None, pairs: str | None, grid: str | None
) -> list["ConstantDefinition"]:
    """Define the term asked for, or by default the first constants without an atom of their own.

    A constant below another of them is left out: the other's definition covers it.
    """
    options: dict[str, Any] = {}
    if pairs is not None:
        options["complementary"] = [_pair(model, text) for text in pairs.split()]
    if grid is not None:
        rows = [[_name(model, name) for name in row.split()] for row in grid.split("/")]
        if len({len(row) for row in rows}) != 1:
            fail(f"--grid has rows of different lengths: {grid!r}")
        options["grid"] = rows
    if of is not None:
        return [model.definition(model.term(of), **options)]
    if model.n_constants > MOST_CONSTANTS:
        return []
    alone = {atom.constants[0] for atom in model.atoms if len(atom) == 1}
    held = {name for atom in model.atoms for name in atom.constants}
    bare = [model.term([name]) for name in model.names if name in held and name not in alone]
    top = [one for one in bare if not any(_below(model, one, other) for other in bare)]
    return [model.definition(one, **options) for one in top[:MOST_DEFINED]]


def _below(model: Model, one: Term, other: Term) -> bool:
    return model.holds(one <= other) and not model.holds(other <= one)


def _pair(model: Model, text: str) -> tuple[str, str]:
    names = text.split("/")
    if len(names) != 2:
        fail(f"--pairs takes two names with a slash between them, not {text!r}")
    return _name(model, names[0]), _name(model, names[1])


def _name(model: Model, name: str) -> str:
    return model.term([name]).constants[0]


def how_it_decides(learned: "Learned") -> str:
    """Return how the score of a class is computed, and which class is predicted."""
    strict = f"less {learned.deciding().slope:.3g} × log(1 + the number of strict atoms missed)"
    parts = {
        "strict": strict,
        "weighted": "plus the weights of the atoms missed",
        "both": f"{strict}, plus the weights of the weighted atoms missed",
    }
    rules = " among those that no rule excludes" if learned.rules else ""
    return (
        "A row misses an atom if none of its literals is true. The score of a class is its offset, "
        f"{parts[learned.evidence.chosen]}. The class with the highest score{rules} is predicted, "
        "and the probabilities are the softmax of the scores."
    )


def _show_classifier(
    classifier: "AlgebraicClassifier",
    file: Path,
    of: str | None,
    max_clauses: "int | Short",
    as_json: bool,
    html: Path | None,
) -> None:
    """Print a classifier for ``atomlearn show``: its classes and their definitions."""
    from atomlearn.explorer.classifiers import atom_counts
    from atomlearn.export.description import describe
    from atomlearn.logic.definition import plain

    by_text = {str(label): label for label in classifier.classes_}
    if of is not None and of not in by_text:
        fail(f"{of!r} is not one of the classes{suggest(of, by_text)}")
    labels = list(by_text.values()) if of is None else [by_text[of]]
    card = None if classifier.learned_.card is None else classifier.scorecard()
    is_withheld = classifier.sample_.is_withheld
    definitions = [
        classifier.definition(label, max_clauses=max_clauses or None)
        for label in ([] if is_withheld else labels)
    ]
    n_atoms = atom_counts(classifier.learned_)
    atoms = {str(label): n for label, n in zip(classifier.classes_, n_atoms, strict=True)}
    columns = [column.name for column in classifier.encoder_.columns_]
    offsets = dict(zip(atoms, classifier.learned_.deciding().offsets.tolist(), strict=True))
    if html is not None and card is not None:
        card.to_html(html)
    elif html is not None:
        from atomlearn.explorer.classifiers import classifier_data
        from atomlearn.explorer.page import explorer_page, write_page

        data = classifier_data(classifier, definitions=definitions)
        write_page(explorer_page(file.stem, data), html)
    if as_json:
        print_json(
            {
                "kind": "classifier",
                "classes": [
                    {
                        "label": plain(label),
                        "atoms": atoms[str(label)],
                        "offset": offsets[str(label)],
                    }
                    for label in classifier.classes_
                ],
                "columns": columns,
                "literals": [str(literal) for literal in classifier.encoder_.literals_],
                "evidence": asdict(classifier.evidence_),
                "estimated_error": classifier.estimated_error_,
                "rules": [str(rule) for rule in classifier.rules_],
                "definitions": [definition.to_dict() for definition in definitions],
                "scorecard": None if card is None else card.to_dict(),
                "model": describe(classifier),
            }
        )
        return
    print(
        f"{counted(len(atoms), 'class')}, {counted(len(columns), 'column')}, "
        f"{counted(len(classifier.encoder_.literals_), 'literal')}, {how_good(classifier)}"
    )
    for rule in classifier.rules_:
        print(f"rule: {rule}")
    if card is not None:
        print(f"\n{card}")
        if html is not None:
            print(f"written to {html}")
        return
    for definition in definitions:
        name = str(definition.label)
        about = f"{counted(atoms[name], 'atom')}, offset {offsets[name]:.4g}"
        print(f"\n[{about}] {definition}")
    print(f"\n{how_it_decides(classifier.learned_)}")
    if is_withheld:
        from atomlearn.classifier.readable import WITHOUT_ROWS

        print(WITHOUT_ROWS)
    else:
        print(
            "A scorecard of few rules can be made of it: fit with --max-atoms 20, or call "
            "compact(20) in Python."
        )
    if html is not None:
        print(f"written to {html}")


def how_good(classifier: "AlgebraicClassifier") -> str:
    """Return the number of atoms, their kind, and the error on held-out rows if it is known."""
    chosen, error = classifier.evidence_.chosen, classifier.estimated_error_
    kind = "strict and weighted" if chosen == "both" else chosen
    n = classifier.learned_.deciding().n_atoms
    atoms = f"{counted(n, 'atom')} ({kind})"
    if classifier.learned_.card is not None:
        atoms = f"a scorecard of {counted(n, 'rule')}"
    distance = classifier.estimated_distance_
    far = "" if distance is None else f", mean distance about {distance:.2f} classes"
    return atoms if error is None else f"{atoms}, error about {error:.1%}{far}"


def _show_pool(pool: "Pool", max_atoms: int, as_json: bool) -> None:
    """Print at most ``max_atoms`` pins (0: all), oldest first."""
    shown = range(min(max_atoms or len(pool), len(pool)))
    pins = [(_names(pool, k), *pool.provenance(k)) for k in shown]
    if as_json:
        listed = [
            {"constants": names, "epoch": epoch, "source": source.name, "digest": source.digest}
            for names, source, epoch in pins
        ]
        print_json({"kind": "pool", "constants": pool.n_constants, "n_pins": len(pool),
                    "pins": listed})  # fmt: skip
        return
    print(f"{counted(len(pool), 'pin')} over {counted(pool.n_constants, 'constant')}")
    for source in pool.sources:
        print(f"from {source.name or 'data without a name'}, {counted(source.examples, 'example')}")
    for names, source, epoch in pins:
        origin = f" of {source.name}" if source.name else ""
        print(f"  {write_names(names)}   (epoch {epoch}{origin})")
    _print_more(len(pool), max_atoms)


def _names(pool: "Pool", k: int) -> list[str]:
    constants = pool.atoms.members(k, below=pool.n_constants)
    return [str(c) if pool.names is None else pool.names[c] for c in constants]


def export(
    file: ClassifierFile,
    to: Annotated[str, typer.Option("--to", help="The language: sql, js, c, python or onnx.")],
    out: OutInstead = None,
    table: Annotated[
        str, typer.Option("--table", help="For SQL: the table with the rows to score.")
    ] = "data",
    key: Annotated[
        str, typer.Option("--key", help="For SQL: the column that identifies a row.")
    ] = "rowid",
) -> None:
    """Write a program that predicts as the model does, with reasons.

    It needs nothing of atomlearn: one SQL query, a JavaScript module, a C file or a Python module.
    An ONNX model (--to onnx) has no reasons.
    """
    check_choice("--to", to, [*LANGUAGES, "onnx"])
    classifier = load_table_model(file)
    if to == "onnx":
        if out is None:
            fail("--to onnx writes a binary file: name it with --out")
        size = len(classifier.to_onnx(out))
        print(f"{out}: ONNX, {_what_decides(classifier)}, {counted(size, 'byte')}")
        return
    source = classifier.export(to, table=table, key=key)
    write_text(source, out)
    if out is not None:
        size = len(source.splitlines())
        print(f"{out}: {LANGUAGES[to]}, {_what_decides(classifier)}, {counted(size, 'line')}")


def _what_decides(model: Any) -> str:
    """Return the number of atoms, or of the rules of a scorecard."""
    n, is_card = model.learned_.deciding().n_atoms, model.learned_.card is not None
    return counted(n, "rule" if is_card else "atom")


def load_table_model(file: Path) -> Any:
    """Load the classifier or the regressor of a file; another kind is an error that says so."""
    from atomlearn.classifier.estimator import AlgebraicClassifier

    loaded = load(file)
    if not (is_regressor(loaded) or isinstance(loaded, AlgebraicClassifier)):
        fail(f"{file} holds a {type(loaded).__name__}, not a classifier: make one with fit")
    return loaded


def merge(
    files: Annotated[
        list[Path], typer.Argument(help="Classifiers (as written by fit) or pools; two or more.")
    ],
    out: OutFile,
    as_json: Json = False,
) -> None:
    """Merge classifiers or pools into the first one. Pins that its rows contradict are dropped."""
    from atomlearn.classifier.estimator import AlgebraicClassifier
    from atomlearn.engine.pool import Pool

    if len(files) < 2:
        fail("merge needs two files or more")
    loaded: list[Any] = [load(file) for file in files]
    for file, one in zip(files, loaded, strict=True):
        if not isinstance(one, AlgebraicClassifier | Pool):
            fail(
                f"{file} is neither a classifier nor a pool: to join relations, learn them together"
            )
    first, *others = loaded
    if isinstance(first, Pool):
        if not all(isinstance(one, Pool) for one in others):
            fail(f"{files[0]} is a pool, which has no rows to check the others: name a classifier "
                 "first")  # fmt: skip
        results: dict[Any, Any] = {"pins": first.merge(*others)}
    else:
        results = first.merge(*others)
    first.save(out)
    if as_json:
        print_json({str(label): merged._asdict() for label, merged in results.items()})
        return
    for label, merged in results.items():
        print(f"{label}: {counted(merged.new, 'pin')} new, {merged.known:,} known already, "
              f"{merged.dropped:,} dropped")  # fmt: skip
    print(f"written to {out}")


def warm_up() -> None:
    """Compile the kernels that learning and reading models need, so that later commands start fast.

    To do so, small classifiers and models are learned and explained. The bar counts kernels.
    """
    from atomlearn.sets.jit import KERNELS, progress

    progress.is_announced = False
    tasks = _small_tasks()  # imports all that has kernels
    with typer.progressbar(length=len(KERNELS), label="kernels", file=sys.stderr) as bar:
        ready = 0
        for task in tasks:
            task()
            now = sum(bool(one.signatures) for one in KERNELS)
            bar.update(now - ready)
            ready = now
    left = len(KERNELS) - ready
    print(f"{counted(ready, 'kernel')} ready; {left} that few need are compiled when first used")


def _small_tasks() -> list[Callable[[], object]]:
    """Return calls that together need nearly all kernels."""
    import numpy as np

    from atomlearn import Algebra, AlgebraicClassifier, AlgebraicRegressor
    from atomlearn.algebra import Context
    from atomlearn.problems import queens
    from atomlearn.sets.words import sum_members

    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (120, 4))
    two, three = (X[:, 0] + X[:, 1] > 5), (X[:, 0] + X[:, 1]) // 4
    fine = rng.normal(size=(120, 2))
    strict = AlgebraicClassifier(random_state=0, max_epochs=2, evidence="strict")
    both = AlgebraicClassifier(random_state=0, max_epochs=3)
    algebra = Algebra(["a", "b", "c"])
    algebra.add(*map(algebra.relation, ("a < b c", "b < c", "c !< a")))
    against = Algebra(["a", "b", "c"])
    against.add(*map(against.relation, ("a < b", "b < c", "a !< c")))
    context = Context(["hen", "bat"], ["bird", "flies"], [[True, False], [False, True]])
    return [
        lambda: both.fit(X, three),
        lambda: both.predict_proba(X),
        lambda: strict.fit(X, two).misses(X),
        lambda: both.explain(X[0]),
        lambda: both.definition(both.classes_[0]),
        lambda: both.compact(4),
        lambda: sum_members(np.ones((1, 1), dtype=np.uint64), np.ones(64)),  # of larger cards
        lambda: algebra.learn(random_state=0),
        lambda: list(queens.solve(4, random_state=0, max_epochs=2)),
        lambda: both.partial_fit(X, three),
        lambda: AlgebraicRegressor(random_state=0, max_epochs=3).fit(fine, fine[:, 0]).compact(2),
        lambda: list(against.conflicts(all=True)),
        lambda: list(against.repairs()),
        context.implications,
        lambda: context.n_concepts,
    ]
