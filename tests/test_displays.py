"""What a notebook and a prompt show of each public object: sound HTML, and one short line."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from atomlearn import Algebra, AlgebraicClassifier
from atomlearn.errors import InconsistentRelations
from atomlearn.markup import Listed
from atomlearn.problems import colouring, hamiltonian, mazes, queens, sudoku
from tests.sound_html import Checker

BAD = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def algebra():
    alg = Algebra([BAD, "a", "b", "c"])
    v, a, b, c = alg
    alg.add(v <= a | b, ~(v <= a | c))
    return alg


@pytest.fixture(scope="module")
def classifier():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({BAD: rng.normal(size=80), "colour": rng.choice(["red", BAD], 80)})
    X.loc[80], X.loc[81] = [0.0, "red"], [0.0, "red"]  # rows that contradict each other
    y = np.where((X[BAD] > 0) & (X["colour"] == BAD), BAD, "no")
    y[-1] = BAD
    rules = [f'no if "{BAD}" < -2']
    clf = AlgebraicClassifier(random_state=0, max_epochs=3, rules=rules)
    return clf.fit(X, y), X


def shown(algebra, classifier):
    clf, X = classifier
    model = algebra.learn(random_state=0)
    v, a, b, c = algebra
    contradictory = algebra.copy()
    contradictory.add(~(contradictory.relation(f'"{BAD}" < a b c')))
    yield model
    yield model.atoms
    yield contradictory.conflicts()
    yield contradictory.conflicts()[0]
    yield next(contradictory.repairs())
    yield contradictory.what_if(contradictory.relations[0])
    yield algebra.implications()[0]
    yield model.to_context()
    yield next(mazes.solve("S E", random_state=0))
    yield algebra.query(v <= a | b | c)
    yield model.definition(v)
    yield clf
    yield clf.explain(X.iloc[3])
    yield clf.definition(BAD)
    yield clf.definition(BAD, "short")
    yield clf.hardest(1)[0]
    yield clf.conflicts_[0]
    yield clf.conflicts_
    yield clf.history_
    yield next(queens.solve(5, queens=["a1"], random_state=0))
    yield next(sudoku.solve("1234" + "." * 12, random_state=0))
    yield next(hamiltonian.solve("a b\nb c\nc a", random_state=0))
    yield next(colouring.solve("a b", 2, random_state=0))


def test_displays_in_a_notebook(algebra, classifier):
    for one in shown(algebra, classifier):
        html = one._repr_html_()
        assert 'class="atomlearn"' in html, type(one)
        if type(one) is not AlgebraicClassifier:
            Checker(html)
        assert BAD not in html
        assert not re.search(r"""(src|href)=["']?http""", html.split('class="atomlearn"')[1])


def test_one_line_at_the_prompt(algebra, classifier):
    clf, X = classifier
    more = [clf.rules_[0], clf.rules_[0].conditions[0], clf.encoder_.literals_[0], clf.learned_,
            clf.sample_, clf.evidence_, clf.explain(X.iloc[0]).classes[0],
            clf.definition(BAD).clauses, clf.definition(BAD).cnf, clf.history_,
            clf.definition(BAD).measured, next(algebra.epochs(random_state=0)),
            queens.solve(5, random_state=0).summary]  # fmt: skip
    for one in [*shown(algebra, classifier), *more]:
        if type(one) in (AlgebraicClassifier, Listed):
            continue
        text = repr(one)
        assert "\n" not in text and len(text) < 300, text
        assert not re.search(r"array\(|frozenset\(|=\(", text), text


def test_the_display_of_scikit_learn_stays(classifier):
    clf, _ = classifier
    html = clf._repr_html_()
    assert "sk-top-container" in html and "Importances" in html and "held-out rows" in html
    fresh = clone(clf)._repr_html_()
    assert "sk-top-container" in fresh and "Importances" not in fresh
    assert "Importances" in clf._repr_mimebundle_()["text/html"]
    assert "clf.compact(20)" in html  # offered where there is none, shown first where there is one
    html = clf.compact(3)._repr_html_()
    assert "clf.compact(20)" not in html and html.index("Scorecard") < html.index("Importances")


def test_errors_tell_conflicts_as_before(algebra):
    contradictory = algebra.copy()
    contradictory.add(~(contradictory.relation(f'"{BAD}" < a b c')))
    with pytest.raises(InconsistentRelations) as raised:
        contradictory.learn(random_state=0)
    assert raised.value.conflicts == contradictory.conflicts()
