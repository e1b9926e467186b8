"""``n_jobs`` through joblib: the same model on every backend, whatever the number of jobs."""

import joblib
import pytest

from atomlearn import AlgebraicClassifier, AlgebraicRegressor
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


@pytest.mark.slow
def test_a_dask_cluster(alone, digits, client):
    with joblib.parallel_config("dask"):
        model = learned(digits, -1)
    assert fingerprint(model) == alone


def predicted(digits, n_jobs=None):
    reg = AlgebraicRegressor(random_state=0, max_epochs=12, n_jobs=n_jobs)
    return reg.fit(*digits).predict(digits[0]).tolist()


def test_a_number_with_several_jobs(digits):
    with joblib.parallel_config("loky"):
        assert predicted(digits, 2) == predicted(digits, 3) == predicted(digits)


@pytest.mark.slow
def test_a_number_on_a_dask_cluster(digits, client):
    with joblib.parallel_config("dask"):
        found = predicted(digits, -1)
    assert found == predicted(digits)
