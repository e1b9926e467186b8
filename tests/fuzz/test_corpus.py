"""Every file of the corpus is refused, with its name in the message."""

import pytest

from atomlearn.errors import FileFormatError, UnsafeFile
from tests.fuzz.corpus import bombs, corpus
from tests.fuzz.kinds import KINDS, sample
from tests.fuzz.parts import Parts

NASTY = list(corpus())


@pytest.mark.parametrize("kind", KINDS)
def test_sound_files_are_read_and_used(kind, tmp_path):
    path = tmp_path / "sound.atoms"
    path.write_bytes(sample(kind))
    KINDS[kind].use(KINDS[kind].read(path))


@pytest.mark.parametrize("nasty", NASTY, ids=[one.name for one in NASTY])
def test_nasty_files_are_refused(nasty, tmp_path):
    path = tmp_path / "nasty.atoms"
    path.write_bytes(nasty.data())
    with pytest.raises(FileFormatError, match=r"nasty\.atoms"):
        KINDS[nasty.kind].read(path)


def test_names_are_given_once():
    assert len({one.name for one in NASTY}) == len(NASTY) > 100


@pytest.mark.parametrize("bomb", list(bombs())[:3], ids=lambda one: one.name)
def test_what_would_take_much_memory_is_refused_before_it_does(bomb, tmp_path):
    path = tmp_path / "bomb.atoms"
    path.write_bytes(bomb.data())
    assert path.stat().st_size < 4 << 20
    with pytest.raises(UnsafeFile, match=r"bomb\.atoms.* memory .* may take 256 MiB"):
        KINDS[bomb.kind].read(path)


def test_how_many_threads_predict_is_not_for_a_file_to_say(tmp_path):
    parts = Parts.of(sample("classifier"))
    params = {**parts.json("model.json")["params"], "n_jobs": 3000, "verbose": 9}
    path = tmp_path / "threads.atoms"
    path.write_bytes(parts.edit("model.json", params=params).packed())
    loaded = KINDS["classifier"].read(path)
    assert loaded.n_jobs is None and loaded.verbose == 0
