"""Model cards: all that was learned from, how, how good it is, what always holds, and limits."""

import re

import numpy as np
import pandas as pd
import pytest

from atomlearn import AlgebraicClassifier, load
from atomlearn.classifier.scorecard import CardRule, Scorecard
from atomlearn.errors import InvalidParameter
from atomlearn.tables.rules import Condition

SECTIONS = ["Data", "How it was learned", "Figures", "The model", "Statements that always hold",
            "Limits"]  # fmt: skip


@pytest.fixture(scope="module")
def ruled(noisy):
    X, y = noisy
    rules = ["2 rises with width", "not 0 if width > 2"]
    return AlgebraicClassifier(random_state=0, max_epochs=3, rules=rules).fit(X, y)


def test_all_sections(ruled, noisy, fitted):
    for clf in (ruled, ruled.compact(5), fitted):
        text = clf.to_model_card()
        assert re.findall(r"^## (.*)$", text, re.MULTILINE) == SECTIONS
        assert f"{clf.estimated_error_:.2%}" in text and f"{clf.n_rows_:,}" in text
        for column in clf.encoder_.columns_:
            assert f"| {column.name} |" in text
        for rule in clf.rules_:
            assert str(rule).replace(">", "\\>") in text and "proved" in text
    assert " 3 atoms" not in text and "random_state=0" in text.replace("\\", "")


def test_rows_that_a_rule_decides_are_not_counted_silently(ruled, noisy, fitted):
    assert "On held-out rows that no rule decides: " in str(ruled.compact(5).scorecard())
    assert "On held-out rows: " in str(fitted.compact(5).scorecard())
    told = ruled.to_model_card().split("## Statements that always hold")[1]
    assert "What was checked:\n\n- Fingerprint of the model" in told


def test_figures_on_new_rows(ruled, noisy):
    text = ruled.to_model_card(*noisy)
    found = ruled.evaluate(*noisy)
    assert f"error {found.error:.2%}" in text and "300 rows that were given" in text
    assert "Fingerprint of the rows" in text


def test_the_fingerprint_depends_on_the_rows(noisy):
    X, y = noisy

    def digest(n):
        clf = AlgebraicClassifier(random_state=0, max_epochs=1).fit(X[:n], y[:n])
        return re.search(r"Fingerprint \(SHA-256\): `(\w{64})`", clf.to_model_card())[1]

    assert digest(200) == digest(200) != digest(199)


def test_a_scorecard_knows_its_classifier(ruled):
    small = ruled.compact(4)
    card = small.scorecard()
    assert "This is the whole model." in card.to_model_card()
    assert card == small.scorecard() and "owner" not in repr(card) + str(card.to_dict())
    alone = Scorecard((0, 1), (CardRule(((Condition("a", ">", 1.0),),), (0, 2)),), (0.0, 0.0), 1.0)
    with pytest.raises(InvalidParameter, match="from_scorecard"):
        alone.to_model_card()


def test_names_cannot_become_markup(tmp_path):
    bad = "a|b\n# <b>*x* `y` [l](http://z)"
    X = pd.DataFrame({bad: np.arange(40.0), "c": [bad, "no"] * 20})
    y = np.where(X[bad] > 20, bad, "no")
    clf = AlgebraicClassifier(random_state=0, max_epochs=2)
    clf.fit(X, y)
    clf.target_name_ = bad
    for one in (clf, clf.compact(2)):
        text = one.to_model_card(X, y, path=tmp_path / "card.md")
        assert (tmp_path / "card.md").read_text(encoding="utf-8") == text
        plain = re.sub(r"\\.", "", text)  # what is not escaped
        assert "<b>" not in plain and "*x*" not in plain and "](" not in plain
        assert "\n# <" not in text and text.count("\n# ") == 0
        widths = {line.replace("\\|", "").count("|") for line in text.splitlines()
                  if line.startswith("| class")}  # fmt: skip
        assert widths == {3}


def test_the_command(typed, ruled, tmp_path):
    ruled.save(tmp_path / "m.atoms", rows=False)
    code, _, err = typed("show", "m.atoms", "--model-card", "card.md")
    assert code == 0 and "card.md" in err
    text = (tmp_path / "card.md").read_text(encoding="utf-8")
    assert "saved without training rows" in text and "## Limits" in text
    assert load(tmp_path / "m.atoms").to_model_card().startswith("# Model card: 3 classes by 5")
