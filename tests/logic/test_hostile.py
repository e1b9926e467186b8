"""Names, labels and sizes that nobody hopes for: what is written must still run and be read."""

import numpy as np
import pandas as pd
import pytest

from atomlearn import Algebra, AlgebraicClassifier, Model, ModelTooLarge
from atomlearn.explorer import explore
from atomlearn.logic.exact import ExactAtomization
from atomlearn.logic.formulas import And, Has, Odd, Or, exists, forall, function_source, to_latex
from atomlearn.logic.minimise import Space
from atomlearn.sets import rows

NAMES = ["it's", '"q"', "<script>", "$x_1^2$", "line\nbreak", "class", "é²", "{0}", "\\n", "[/y]"]
LABELS = ["ends in '", "'''", "x²", "nul\x00", "a\nb", "back\\", "[/b]", "<b>&"]


@pytest.mark.parametrize("label", LABELS)
def test_python_is_python_whatever_the_label(label):
    space = {}
    exec(function_source(f"is_{label}", "present", label, Or(tuple(map(Has, NAMES)))), space)
    (function,) = (value for name, value in space.items() if name.startswith("is_"))
    assert function.__doc__ == label
    assert all(function({name}) for name in NAMES) and not function({"other"})


@pytest.mark.parametrize("names", [("[/b]", "<b>&"), ("'''", "x²")])
def test_a_page_of_any_labels(names, tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((60, len(NAMES))), columns=NAMES)
    y = np.where(X.iloc[:, 0] > 0.5, *names)
    classifier = AlgebraicClassifier(random_state=0, max_epochs=2).fit(X, y)
    definitions = [classifier.definition(label) for label in names]
    explore(classifier, tmp_path / "page.html", title="<title>")
    page = (tmp_path / "page.html").read_text()
    assert "<b>" not in page and "<script>" not in page and "<title><" not in page
    for one in definitions:
        space = {}
        exec(one.to_python(), space)
        (function,) = (value for name, value in space.items() if name.startswith("is_"))
        told = [bool(function(row)) for row in X.to_dict("records")]
        assert told == one.evaluate(X).tolist()


def test_latex_of_parity_is_one_thing_inside_another():
    odd = Odd((Has("a"), Has("b")))
    assert to_latex(odd) == r"(a) \oplus (b)"
    assert to_latex(And((odd, Has("c")))) == r"((a) \oplus (b)) \land c"
    assert to_latex(~odd) == r"\lnot ((a) \oplus (b))"
    assert to_latex(Has("two\n\nlines")) == r"\text{two  lines}"


def test_a_clause_of_more_pixels_than_calls_may_be_nested():
    (atom,) = ExactAtomization(exists(range(1500), Has))
    assert len(atom) == 1500


def test_many_pixels_are_counted_without_a_list():
    assert ExactAtomization(forall(range(1500), Has)).count(max_clauses=0) == 1500


@pytest.mark.slow
def test_numbers_of_thousands_of_digits():
    huge = exists(range(3000), lambda j: forall(range(30), lambda i: Has((i, j))))
    exact = ExactAtomization(huge)
    assert exact.count() == 30**3000 and repr(exact) == "<ExactAtomization: about 10^4431 atoms>"
    with pytest.raises(ModelTooLarge, match=r"about 10\^4431 clauses"):
        exact.model(Algebra(["v"]), "v")


def test_what_occurs_has_a_state_of_every_group():
    rng = np.random.default_rng(0)
    for _ in range(200):
        sizes = rng.integers(1, 4, size=rng.integers(1, 5)).tolist()
        groups = [([f"{g}.{i}" for i in range(n)], np.eye(n)) for g, n in enumerate(sizes)]
        space = Space.of(groups)
        for cube in range(space.everything + 1):
            assert space.occurs(cube) == all(cube & field for field in space.fields)


def test_a_part_of_the_atoms_of_a_class_says_so(iris_classifier):
    told = iris_classifier.definition(0)
    n_atoms = len(iris_classifier.learned_.pools[0])
    assert len(told.clauses) < n_atoms and told.is_partial
    assert f"  partial: {len(told.clauses)} of {n_atoms} atoms\n" in str(told)


def test_what_a_class_looks_like_is_said_first():
    names = [f"b{i}{j}" for i in range(4) for j in range(4)]
    algebra = Algebra(["v", *names])
    v = algebra["v"]
    rng = np.random.default_rng(1)
    for _ in range(300):
        image = rng.random((4, 4)) < 0.6
        image[0, 0] = True
        term = algebra.term([n for n, there in zip(names, image.ravel(), strict=True) if there])
        algebra.add(v <= term if image.all(axis=0).any() else ~(v <= term))
    atoms = rows.from_indices([[0, 1, 2, 3, 4], [0, 5, 6, 7, 8]], 17)
    grid = [names[4 * i : 4 * i + 4] for i in range(4)]
    told = Model(algebra, atoms).definition("v", grid=grid, relations=algebra.relations)
    assert str(told).startswith("v looks like: some column with all rows black (no exception in ")


@pytest.fixture(scope="module")
def iris_classifier():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return AlgebraicClassifier(random_state=0, max_epochs=5).fit(X, y)
