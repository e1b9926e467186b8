"""What tests of every part share."""

import sys

import pytest

from atomlearn.cli import main


@pytest.fixture
def typed(capsys, monkeypatch, tmp_path):
    """Run ``atomlearn`` as a user types it, in an empty folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["atomlearn", *map(str, arguments)])
        with pytest.raises(SystemExit) as raised:
            main()
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return raised.value.code or 0, out, err

    return run
