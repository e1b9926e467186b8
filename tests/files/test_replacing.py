"""Files are written as a whole, and what killed processes left goes with the next one."""

import subprocess
import sys

import pytest

from atomlearn.files.container import check_replaceable, private_folder, replacing

KILLED = """
import os, signal, sys
from atomlearn.files.container import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half of")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_a_killed_process_left_goes_with_the_next_save(tmp_path):
    path = tmp_path / "model.atoms"
    path.write_bytes(b"old")
    subprocess.run([sys.executable, "-c", KILLED, path], check=False, timeout=60)
    assert len(names(tmp_path)) == 2 and path.read_bytes() == b"old"
    with replacing(path) as file:
        file.write(b"new")
    assert names(tmp_path) == ["model.atoms"] and path.read_bytes() == b"new"


def test_what_is_in_use_stays(tmp_path):
    path = tmp_path / "model.atoms"
    with replacing(path) as slow:
        slow.write(b"slow")
        with replacing(path) as quick:
            quick.write(b"quick")
        assert path.read_bytes() == b"quick" and len(names(tmp_path)) == 2
    assert names(tmp_path) == ["model.atoms"] and path.read_bytes() == b"slow"


def test_files_of_others_stay(tmp_path):
    others = [".model.atoms.new", ".other.0123456789abcdef.new", "model.atoms.0123456789abcdef.new"]
    for name in others:
        (tmp_path / name).touch()
    with replacing(tmp_path / "model.atoms") as file:
        file.write(b"new")
    assert names(tmp_path) == sorted([*others, "model.atoms"])


def test_an_error_names_the_file_and_not_the_hidden_one(tmp_path):
    path = tmp_path / "no" / "model.atoms"
    for attempt in (check_replaceable, lambda path: replacing(path).__enter__()):
        with pytest.raises(FileNotFoundError) as raised:
            attempt(path)
        assert raised.value.filename == str(path)
    with pytest.raises(OSError, match="not a file that can be replaced"):
        check_replaceable(tmp_path)
    check_replaceable(tmp_path / "model.atoms")
    assert names(tmp_path) == []


def test_private_folders_do_not_disturb_each_other(tmp_path):
    with private_folder(tmp_path) as one, private_folder(tmp_path) as other:
        assert one != other and one.is_dir()
        (one / "file").touch()
        (one / "folder").mkdir()
    assert names(tmp_path) == []
