"""Pages of models, relations and formal problems: each one file that needs no server or network.

A page that is opened from disk cannot import modules from other files. The JavaScript modules are
therefore joined in the order of their imports; the ``import`` lines and the word ``export`` fall
away, so that all modules share one scope and their top-level names must differ, which is checked.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import atomlearn
from atomlearn.algebra.algebra import Algebra
from atomlearn.algebra.contexts import Context
from atomlearn.algebra.model import Model
from atomlearn.algebra.relations import Line, Relation
from atomlearn.errors import ContradictoryGivens, InvalidParameter, ModelTooLarge
from atomlearn.explorer.classifiers import classifier_data, definition_data
from atomlearn.explorer.numbers import number_data
from atomlearn.files.container import replacing
from atomlearn.logic.define import ConstantDefinition
from atomlearn.markup import escape
from atomlearn.problems import queens, sudoku
from atomlearn.problems.game import Choices, Game
from atomlearn.problems.solving import Solver
from atomlearn.views.lattices import covers, nodes
from atomlearn.views.page import document

MOST_ATOMS = 2000
"""A page of more atoms than this says only how many they are."""
MOST_CONFLICTS = 20
"""Maximum number of conflicts, and of repairs, on the page of relations."""
MOST_SOLUTIONS = 12
"""Learning for the page of a board ends when this many solutions are found."""
MOST_CONCEPTS = 80
"""A lattice of more concepts is not drawn: its lines would cover each other."""
MOST_OBJECTS = 200
"""Maximum number of objects in the table of the page."""


def algebra_data(algebra: Algebra, seed: int | None = 0) -> dict[str, Any]:
    """Return the data of the page of relations, with a model of them if they are consistent."""
    data = _constants(list(algebra.names)) | {
        "positive": [[list(r.left.indices), list(r.right.indices)] for r in algebra.positive],
        "negative": [[list(r.left.indices), list(r.right.indices)] for r in algebra.negative],
        **_lines_and_conflicts(algebra),
    }
    if not algebra.relations or algebra.conflicts():
        return data
    try:
        return data | _atoms(algebra.learn(random_state=seed))
    except ModelTooLarge:
        return data


def context_data(context: Context) -> dict[str, Any]:
    """Return the data of the page of a context."""
    data: dict[str, Any] = {
        "kind": "context",
        "objects": list(context.objects),
        "attributes": list(context.attributes),
        "crosses": context.crosses[:MOST_OBJECTS].astype(int).tolist(),
    }
    try:
        base = context.implications()
        n_concepts = context.n_concepts
    except ModelTooLarge as error:
        return data | {"too_large": str(error), "implications": [], "n_concepts": None, "nodes": []}
    implications = [[list(one.premise), list(one.conclusion)] for one in base]
    data |= {"implications": implications, "n_concepts": n_concepts, "nodes": [], "edges": []}
    if n_concepts > MOST_CONCEPTS:
        return data
    concepts = context.concepts()
    edges = covers(concepts)
    return data | {"nodes": nodes(context, concepts, edges), "edges": edges}


def _lines_and_conflicts(algebra: Algebra) -> dict[str, Any]:
    """Return the relations of each line with variables, and the first minimal conflicts."""
    numbers = {
        relation: (relation.positive, i)
        for side in (algebra.positive, algebra.negative)
        for i, relation in enumerate(side)
    }
    lines: dict[Line, list[tuple[bool, int]]] = {}
    for relation, number in numbers.items():
        line = algebra.line_of(relation)
        if line is not None and line.text:
            lines.setdefault(line, []).append(number)
    conflicts = islice(algebra.conflicts(all=True), MOST_CONFLICTS)
    repairs = islice(algebra.repairs(), MOST_CONFLICTS)
    return {
        "lines": [
            {**line._asdict(), "relations": found}
            for line, found in lines.items()
            if len(found) > 1  # a line that stands for one relation needs no folding
        ],
        "conflicts": [
            {
                "negative": numbers[conflict.relation][1],
                "derivation": [numbers[r][1] for r in conflict.derivation],
            }
            for conflict in conflicts
        ],
        "repairs": [[numbers[r] for r in repair.withdrawn] for repair in repairs],
    }


def model_data(model: Model, definitions: Sequence[ConstantDefinition] = ()) -> dict[str, Any]:
    """Return the data of the page of a model, which decides by its atoms alone."""
    listed = [definition_data(one, _drawn(one)) for one in definitions]
    return _constants(list(model.names)) | _atoms(model) | {"definitions": listed}


def _drawn(definition: ConstantDefinition) -> dict[str, Any] | None:
    """Return the dark and light pixels of each clause of a constant on its grid, if it has one."""
    grid = definition.grid
    if grid is None or not definition.clauses:
        return None
    _, _, dark = next(iter(grid.place.values()))
    clauses = []
    for clause in definition.clauses:
        places = [grid.place[name] for name in clause.literals if name in grid.place]
        clauses.append([[i * grid.shape[1] + j, float(colour == dark)] for i, j, colour in places])
    return {"shape": grid.shape, "clauses": clauses}


def _constants(names: list[str]) -> dict[str, Any]:
    nothing: dict[str, Any] = {"positive": None, "negative": None, "atoms": None, "n_atoms": 0}
    return {
        "kind": "algebra",
        "names": names,
        "definitions": [],
        "lines": [],
        "conflicts": [],
        **nothing,
    }


def _atoms(model: Model) -> dict[str, Any]:
    atoms = sorted((list(atom.indices) for atom in model.atoms), key=lambda one: (len(one), one))
    return {"atoms": atoms if len(atoms) <= MOST_ATOMS else None, "n_atoms": len(atoms)}


def queens_data(
    size: int, given: list[str], seed: int | None = 0, max_epochs: int = 60
) -> dict[str, Any]:
    """Return the data of the page of a chess board."""
    setting = queens.game(size, given).setting
    assert setting is not None
    squares = list(setting.yes)
    data = {
        "kind": "board",
        "game": "queens",
        "size": size,
        "cells": [{"name": one, "choices": [one]} for one in squares],
        "given": list(setting.given),
        **_rules(setting, _queens_sentence),
    }
    solve = lambda watch: queens.solve(  # noqa: E731
        size, setting.given, random_state=seed, max_epochs=max_epochs, on_epoch=watch
    )
    return data | _epochs(solve, max_epochs)


def sudoku_data(puzzle: str, seed: int | None = 0, max_epochs: int = 60) -> dict[str, Any]:
    """Return the data of the page of a sudoku."""
    rows = sudoku.parse(puzzle)
    size, lines = len(rows), range(len(rows))
    digits = range(1, size + 1)
    choices = Choices(sudoku.rules_of(size))
    algebra = choices.constants.copy()
    algebra.add(choices.positive())
    given = [sudoku.choice((r, c), rows[r][c]) for r in lines for c in lines if rows[r][c]]
    data = {
        "kind": "board",
        "game": "sudoku",
        "size": size,
        "box": list(sudoku.BOXES[size]),
        "cells": [
            {"name": f"r{r + 1}c{c + 1}", "choices": [sudoku.choice((r, c), d) for d in digits]}
            for r in lines
            for c in lines
        ],
        "given": given,
        **_rules(
            Game(algebra, algebra, choices.yes, choices.no, choices.U, choices.S, choices.S),
            _sudoku_sentence,
        ),
    }
    solve = lambda watch: sudoku.solve(  # noqa: E731
        puzzle, random_state=seed, max_epochs=max_epochs, on_epoch=watch
    )
    return data | _epochs(solve, max_epochs)


def _rules(game: Any, sentence: Callable[[Relation], str]) -> dict[str, Any]:
    """Return the positive relations, and the constants of each choice."""
    positive = game.algebra.positive
    return {
        "names": list(game.algebra.names),
        "positive": [[list(one.left.indices), list(one.right.indices)] for one in positive],
        "sentences": [sentence(one) for one in positive],
        "yes": {name: one.indices[0] for name, one in game.yes.items()},
        "no": {name: one.indices[0] for name, one in game.no.items()},
        "rule": game.rule.indices[0],
        "solution": game.solution.indices[0],
    }


def _epochs(
    solve: Callable[[Callable[[Any], None]], Solver[Any]], max_epochs: int
) -> dict[str, Any]:
    """Learn and record each epoch, unless the givens contradict the rules."""
    epochs: list[dict[str, Any]] = []
    try:
        solver = solve(lambda answer: epochs.append(epoch_data(answer)))
        found = list(islice(solver, MOST_SOLUTIONS)) if max_epochs else []
    except ContradictoryGivens as error:
        return {"epochs": [], "outcome": str(error)}
    if not epochs and found:
        outcome = "The rules alone decide it: nothing has to be learned."
        return {"epochs": [epoch_data(found[0])], "outcome": outcome}
    return {"epochs": epochs, "outcome": str(solver.summary) if max_epochs else ""}


def epoch_data(answer: Any) -> dict[str, Any]:
    """Return the choices that are made and those that are excluded in an epoch."""
    if isinstance(answer, queens.Board):
        chosen, excluded = list(answer.queens), sorted(answer.empty)
    else:
        rows, lines = answer.rows, range(answer.size)
        known = [(r, c) for r in lines for c in lines if rows[r][c]]
        chosen, excluded = [sudoku.choice(cell, rows[cell[0]][cell[1]]) for cell in known], []
    return {
        "epoch": answer.epoch,
        "idle": answer.idle,
        "inserted": answer.inserted,
        "solved": answer.solved(),
        "progress": answer.progress,
        "atoms": 0 if answer.model is None else answer.model.n_atoms,
        "chosen": chosen,
        "excluded": excluded,
    }


def _queens_sentence(relation: Relation) -> str:
    """Return a rule of the queens as a sentence."""
    left, right = relation.left.constants, relation.right.constants
    if left == ("S",):
        return "the board is made of queens and empty squares"
    if right == ("S",):
        line = f"row {left[0][1:]}" if left[0][0] == "R" else f"column {left[0][1:]}"
        return f"there is a queen in {line}"
    (queen,) = [name for name in (*left, *right) if name[0] == "Q"]
    if queen in left:
        others = [name[1:] for name in right if name[0] == "E"]
        line = f"column {queen[1]}" if others[0][0] == queen[1] else f"row {queen[2:]}"
        return f"if all other squares of {line} are empty, the queen of {line} is on {queen[1:]}"
    if left[0][0] == "E":
        return f"a queen on {queen[1:]} leaves all squares empty that it attacks"
    return f"a queen on {queen[1:]} is the queen of row {queen[2:]} and of column {queen[1]}"


def _sudoku_sentence(relation: Relation) -> str:
    """Return a rule of sudoku as a sentence."""
    left, right = relation.left.constants, relation.right.constants
    if left[0].startswith("!"):
        (made,) = [name for name in right if name != "U"]
        return f"{made} excludes other digits there, and this digit in row, column and box"
    others = [name[1:] for name in right if name not in ("U", "S")]
    cell = left[0].partition("=")[0]
    if all(other.partition("=")[0] == cell for other in others):
        return f"{left[0]} if no other digit is left for {cell}"
    return f"{left[0]} if no other of these cells is left for it: " + " ".join(
        other.partition("=")[0] for other in others
    )


BODY = """<header class="top"><h1>{title}</h1></header>
<main id="explorer"><p class="muted" id="loading">Loading the model …</p>
<noscript><p>This page computes predictions in the browser: please allow JavaScript.</p></noscript>
</main>
<footer class="muted small">Made with atomlearn {version}. {sends}</footer>"""
STILL = "This page is one file and sends nothing anywhere."
SERVED = "This page talks only to the program that serves it, on this machine."
IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z_]+)\.js";\n', re.MULTILINE)
DECLARED = re.compile(
    r"^(?:export )?(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE
)


def explore(
    model: Any,
    path: str | Path,
    *,
    X: Any = None,
    y: Any = None,
    title: str | None = None,
    random_state: int = 0,
) -> None:
    """Write a page on which a model can be explored: one file that needs no server or network.

    Parameters
    ----------
    model : AlgebraicClassifier, AlgebraicRegressor, Model, Algebra or Context
        A fitted classifier or regressor, a model, an algebra, of which a model is learned for the
        page, or a formal context, whose lattice is drawn.
    path : str or Path
        The HTML file to write.
    X : array-like or data frame, default=None
        Rows to show on the page of a classifier; by default the sample of training rows that it
        keeps, of which only the literals are known.
    y : array-like, default=None
        Labels of the rows.
    title : str, default=None
        The title of the page; by default the name of the file.
    random_state : int, default=0
        Random seed of the model of an algebra.

    Examples
    --------
    >>> import tempfile
    >>> alg = Algebra(["v", "a", "b"])
    >>> alg.add(alg.relation("v < a b"))
    >>> path = Path(tempfile.mkdtemp()) / "page.html"
    >>> explore(alg, path)
    >>> path.read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    path = Path(path)
    write_page(explorer_page(title or path.stem, page_data(model, X, y, random_state)), path)


def page_data(model: Any, X: Any = None, y: Any = None, random_state: int = 0) -> dict[str, Any]:
    """Return the content of the page of a model, as plain values."""
    if isinstance(model, Algebra | Model | Context):
        if X is not None or y is not None:
            raise InvalidParameter("X and y are for the page of a classifier")
        if isinstance(model, Context):
            return context_data(model)
        if isinstance(model, Algebra):
            return algebra_data(model, random_state)
        return model_data(model)
    if not hasattr(model, "learned_"):
        raise InvalidParameter(
            "a fitted classifier or regressor, a model or an algebra can be explored, not "
            f"{model!r}"
        )
    if not hasattr(model, "classes_"):
        if X is not None or y is not None:
            raise InvalidParameter("X and y are for the page of a classifier")
        return number_data(model)
    if (X is None) != (y is None):
        raise InvalidParameter("rows to show need their labels: give both X and y")
    if X is None:
        return classifier_data(model)
    return classifier_data(model, X, y)


def explorer_page(title: str, data: dict[str, Any], connect: str = "'none'") -> str:
    """Return the HTML of a page; ``data["kind"]`` selects the modules that show it."""
    sends = STILL if connect == "'none'" else SERVED
    body = BODY.format(title=escape(title), version=atomlearn.__version__, sends=sends)
    shown = {**data, "title": title}
    return document(
        title, body, styles=[sheet()], scripts=[script("main")], data=shown, connect=connect
    )


def write_page(html: str, path: Path) -> None:
    """Write a page to a file, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(html.encode())


@cache
def script(main: str) -> str:
    """Return the module of this name and all modules that it imports, as one script."""
    joined = "".join(_without_imports(name) for name in _ordered(main))
    names = DECLARED.findall(joined)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"modules declare the same name twice: {', '.join(sorted(twice))}")
    return joined


def sheet() -> str:
    """Return the style of the explorer in addition to that of all pages."""
    return files("atomlearn.explorer").joinpath("explorer.css").read_text(encoding="utf-8")


def _ordered(main: str) -> list[str]:
    """Return the modules in an order in which each follows those it imports."""
    order: list[str] = []

    def visit(name: str) -> None:
        for imported in IMPORT.findall(_source(name)):
            if imported not in order:
                visit(imported)
        if name not in order:
            order.append(name)

    visit(main)
    return order


def _without_imports(name: str) -> str:
    return re.sub(r"^export ", "", IMPORT.sub("", _source(name)), flags=re.MULTILINE)


def _source(name: str) -> str:
    return files("atomlearn.explorer").joinpath("js", f"{name}.js").read_text(encoding="utf-8")
