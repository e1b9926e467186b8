"""Words behind a sparse matrix: names that a pipeline does not pass on."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from atomlearn import AlgebraicClassifier, load
from atomlearn.errors import InvalidParameter, InvalidTable

WORDS = ["free", "money", "see", "you", "gift", "me", "lunch", "today"]


@pytest.fixture(scope="module")
def mails():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, 4)) for _ in range(120)]
    return texts, np.array(["spam" if "free" in one else "ham" for one in texts])


@pytest.fixture(scope="module")
def pipe(mails):
    made = make_pipeline(CountVectorizer(), AlgebraicClassifier(random_state=0, max_epochs=5))
    return made.fit(*mails)


def test_words_are_shown(pipe, mails, tmp_path):
    clf = pipe[-1]
    before = pipe.predict_proba(mails[0])
    assert "x1" in str(clf.definition("spam")) + clf.encoder_.literals_[0].in_full + "x1"
    assert clf.set_feature_names(pipe[:-1].get_feature_names_out()) is clf
    assert np.array_equal(pipe.predict_proba(mails[0]), before)
    row = pipe[:-1].transform(["free money"])
    for shown in (str(clf.definition("spam")), str(clf.explain(row)), clf._repr_html_(),
                  str(clf.compact(3).scorecard()), " ".join(clf.atoms_frame()["atom"]),
                  clf.export("python"), clf.to_model_card()):  # fmt: skip
        assert "free" in shown and "x1 " not in shown
    clf.save(tmp_path / "m.atoms")
    again = load(tmp_path / "m.atoms")
    assert "free" in str(again.definition("spam"))
    assert np.array_equal(again.predict_proba(pipe[:-1].transform(mails[0])), before)


def test_other_vectorizers_and_cross_validation(mails):
    X, y = mails
    rows = [dict.fromkeys(text.split(), 1) for text in X]
    made = make_pipeline(DictVectorizer(), AlgebraicClassifier(random_state=0, max_epochs=3))
    made.fit(rows, y)[-1].set_feature_names(made[:-1].get_feature_names_out())
    assert "free" in str(made[-1].definition("spam"))
    words = make_pipeline(CountVectorizer(), AlgebraicClassifier(random_state=0, max_epochs=3))
    assert cross_val_score(words, X, y, cv=3).mean() > 0.8


def test_a_sparse_data_frame_brings_its_names_for_rules(mails):
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(mails[0])
    frame = pd.DataFrame.sparse.from_spmatrix(X, columns=vectorizer.get_feature_names_out())
    rules = ["ham if lunch >= 1 and today >= 1"]
    clf = AlgebraicClassifier(random_state=0, max_epochs=3, rules=rules).fit(frame, mails[1])
    assert "free" in str(clf.definition("spam"))
    both = ((frame["lunch"] >= 1) & (frame["today"] >= 1)).to_numpy()
    assert both.any() and (clf.predict(frame)[both] == "ham").all()
    with pytest.raises(InvalidParameter, match="have names"):
        clf.set_feature_names(WORDS)


def test_names_that_do_not_fit(mails):
    X = sparse.csr_matrix(np.eye(4))
    clf = AlgebraicClassifier(random_state=0, max_epochs=1).fit(X, [0, 0, 1, 1])
    for names, words in [
        (["a"], "4 columns, and 1 names"),
        (["a", "a", "b", "c"], "two columns"),
        (["a", "b", "c", 3], "is text"),
        (["a", "b", "c", "\ud800"], "surrogate"),
    ]:
        with pytest.raises(InvalidTable, match=words):
            clf.set_feature_names(names)
    ruled = AlgebraicClassifier(random_state=0, max_epochs=1, rules=["0 if x1 > 3"])
    with pytest.raises(InvalidParameter, match="rules name the columns"):
        ruled.fit(X, [0, 0, 1, 1]).set_feature_names(list("abcd"))


def test_a_copy_keeps_its_own_names(mails):
    X = sparse.csr_matrix(np.eye(4))
    clf = AlgebraicClassifier(random_state=0, max_epochs=1).fit(X, [0, 0, 1, 1])
    clf.compact(2).set_feature_names(list("abcd"))
    assert clf.encoder_.columns_[0].name == "x0"
