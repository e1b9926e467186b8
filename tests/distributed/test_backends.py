"""``n_jobs`` through joblib: the same model on every backend, whatever the number of jobs."""

import joblib
import numpy as np
import pytest

from atomlearn import AlgebraicClassifier
from atomlearn.training import rounds
from tests.distributed.fingerprints import fingerprint


def learned(digits, n_jobs=None):
    return AlgebraicClassifier(random_state=0, max_epochs=12, n_jobs=n_jobs).fit(*digits)


@pytest.fixture(scope="module")
def alone(digits):
    return fingerprint(learned(digits))


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_by_default(alone, digits, n_jobs):
    assert fingerprint(learned(digits, n_jobs)) == alone


def test_processes(alone, digits):
    with joblib.parallel_config("loky"):
        model = learned(digits, 2)
    assert fingerprint(model) == alone
    model.partial_fit(*digits)  # what came back from the processes can go on


def test_a_dask_cluster(alone, digits, client):
    with joblib.parallel_config("dask"):
        model = learned(digits, -1)
    assert fingerprint(model) == alone


def test_processes_get_the_examples_apart_from_what_is_known(digits, monkeypatch):
    """So that they are mapped or sent once, not with every class."""
    sent = []

    def spy(variants, light, target, seconds):
        assert light.variants.size == 0 and light.concept.all_positives is None
        sent.append(id(variants))
        return rounds.learn_until(light.with_data(variants), target, seconds)

    monkeypatch.setattr(rounds, "in_threads", lambda n_jobs: False)
    monkeypatch.setattr(rounds, "learn_apart", spy)
    AlgebraicClassifier(random_state=0, max_epochs=3, n_jobs=1).fit(*digits)
    per_round = np.array(sent).reshape(-1, 4)
    assert (per_round == per_round[:, :1]).all()
