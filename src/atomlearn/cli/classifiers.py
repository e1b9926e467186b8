"""What the commands print about a classifier."""

from dataclasses import asdict
from pathlib import Path

from atomlearn.classifier.definition import Short
from atomlearn.classifier.estimator import AlgebraicClassifier
from atomlearn.cli.output import counted, fail, print_json
from atomlearn.errors import suggest
from atomlearn.export.description import describe
from atomlearn.logic.definition import plain
from atomlearn.training.learned import Learned


def how_it_decides(learned: Learned) -> str:
    """How the score of a class is made, and what is predicted."""
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


def show_classifier(
    classifier: AlgebraicClassifier,
    of: str | None,
    max_clauses: int | Short,
    as_json: bool,
    html: Path | None = None,
) -> None:
    """Print a classifier for ``atomlearn show``: its classes and their definitions."""
    by_text = {str(label): label for label in classifier.classes_}
    if of is not None and of not in by_text:
        fail(f"{of!r} is not one of the classes{suggest(of, by_text)}")
    labels = list(by_text.values()) if of is None else [by_text[of]]
    definitions = [
        classifier.definition(label, max_clauses=max_clauses or None) for label in labels
    ]
    n_atoms = atom_counts(classifier.learned_)
    atoms = {str(label): n for label, n in zip(classifier.classes_, n_atoms, strict=True)}
    columns = [column.name for column in classifier.encoder_.columns_]
    offsets = dict(zip(atoms, classifier.learned_.deciding().offsets.tolist(), strict=True))
    if html is not None:
        from atomlearn.cli.pages import classifier_page

        classifier_page(classifier, "What was learned", definitions, html)
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
                "model": describe(classifier),
            }
        )
        return
    print(
        f"{_class_count(len(atoms))}, {counted(len(columns), 'column')}, "
        f"{counted(len(classifier.encoder_.literals_), 'literal')}, "
        f"{_atoms(classifier)}{_error(classifier)}"
    )
    for rule in classifier.rules_:
        print(f"rule: {rule}")
    for definition in definitions:
        name = str(definition.label)
        about = f"{counted(atoms[name], 'atom')}, offset {offsets[name]:.4g}"
        print(f"\n[{about}] {definition}")
    print(f"\n{how_it_decides(classifier.learned_)}")
    if html is not None:
        print(f"written to {html}")


def tell_fit(classifier: AlgebraicClassifier, n_rows: int, out: Path, as_json: bool) -> None:
    """Print the summary of ``atomlearn fit``."""
    if as_json:
        print_json(
            {
                "model": str(out),
                "rows": n_rows,
                "columns": classifier.n_features_in_,
                "classes": [plain(label) for label in classifier.classes_],
                "atoms": sum(atom_counts(classifier.learned_)),
                "evidence": asdict(classifier.evidence_),
                "estimated_error": classifier.estimated_error_,
                "conflicts": [str(conflict) for conflict in classifier.conflicts_],
                "rules": [str(rule) for rule in classifier.rules_],
                "rule_conflicts": [str(conflict) for conflict in classifier.rule_conflicts_],
                "doubted": classifier.doubted_.tolist(),
                "seconds": classifier.fit_seconds_,
                "interrupted": classifier.learned_.interrupted,
            }
        )
        return
    print(
        f"{out}: {_class_count(len(classifier.classes_))} from {counted(n_rows, 'row')} of "
        f"{counted(classifier.n_features_in_, 'column')}, {_atoms(classifier)}"
        f"{_error(classifier)}, {classifier.fit_seconds_:.1f} s"
    )
    if classifier.rules_:
        n = sum(len(conflict.rows) for conflict in classifier.rule_conflicts_)
        told = f"{counted(n, 'row')} left out because a rule contradicts the label"
        print(f"{counted(len(classifier.rules_), 'rule')}, {told if n else 'no row contradicts'}")
    for refused in classifier.rule_conflicts_[:3]:
        print(refused)
    conflicts = classifier.conflicts_
    for conflict in conflicts[:3]:
        print(conflict)
    if len(conflicts) > 3:
        print(f"... and {len(conflicts) - 3:,} more such sets of rows")
    if len(classifier.doubted_):
        doubted = counted(len(classifier.doubted_), "row")
        print(f"{doubted} left out: their labels are very improbable")


def atom_counts(learned: Learned) -> list[int]:
    """Number of atoms in use for each class."""
    counts = [0] * len(learned.pools)
    for one in learned.deciding().by_class():
        counts[one.k] += len(one.weights)
    return counts


def _atoms(classifier: AlgebraicClassifier) -> str:
    """The number of atoms and their kind."""
    chosen = classifier.evidence_.chosen
    told = "strict and weighted" if chosen == "both" else chosen
    return f"{counted(sum(atom_counts(classifier.learned_)), 'atom')} ({told})"


def _class_count(n: int) -> str:
    return "1 class" if n == 1 else f"{n:,} classes"


def _error(classifier: AlgebraicClassifier) -> str:
    error = classifier.estimated_error_
    return "" if error is None else f", error about {error:.1%}"
