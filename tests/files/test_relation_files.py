"""Relation files: round trips, odd but good files, and errors that name file and line."""

import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from atomlearn import Algebra, AtomlearnError
from atomlearn.algebra import files as format_
from atomlearn.errors import EmptyFile, NotText, RelationSyntaxError

names = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6),
    min_size=1,
    max_size=8,
    unique=True,
)


def stated(alg):
    return {
        (frozenset(r.left.constants), r.positive, frozenset(r.right.constants))
        for r in alg.relations
    }


@given(names, st.data())
def test_round_trip(tmp_path_factory, names, data):
    alg = Algebra(names)
    some = st.lists(st.sampled_from(names), min_size=1, max_size=4)
    for left, right, positive in data.draw(st.lists(st.tuples(some, some, st.booleans()))):
        relation = alg.term(left) <= alg.term(right)
        alg.add(relation if positive else ~relation)
    path = tmp_path_factory.mktemp("rel") / "r.rel"
    alg.write(path)
    back = Algebra.read(path)
    assert set(back.names) == set(alg.names)
    alone = stated(back) - stated(alg)
    assert all(left == right and len(left) == 1 and positive for left, positive, right in alone)
    assert stated(back) >= stated(alg)
    again = path.with_suffix(".again")
    back.write(again)
    assert stated(Algebra.read(again)) == stated(back)


def read(tmp_path, content):
    path = tmp_path / "x.rel"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Algebra.read(path)


@pytest.mark.parametrize(
    "content",
    [
        "v < c1 c2\nv !< c3\n",
        "v < c1 c2\nv !< c3",
        "v < c1 c2\r\nv !< c3\r\n",
        "\ufeffv < c1 c2\nv !< c3\n",
        "# bars\n\n   \nv < c1 c2 # one\n\tv\t!<\tc3\n# end",
        'v < c1 "c2"\n"v" !< \'c3\'\n',
        "v < c2 c1 c1\nv < c1 c2\nv !< c3",
    ],
)
def test_ways_to_write_the_same(tmp_path, content):
    alg = read(tmp_path, content)
    expected = {
        (frozenset({"v"}), True, frozenset({"c1", "c2"})),
        (frozenset({"v"}), False, frozenset({"c3"})),
    }
    assert stated(alg) == expected
    assert set(alg.names) == {"v", "c1", "c2", "c3"}


def test_constants_come_in_the_order_of_mention(tmp_path):
    assert read(tmp_path, "v < z a\nb < v y").names == ("v", "z", "a", "b", "y")


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# nothing\n", b"\xef\xbb\xbf", b"\r\n"])
def test_files_without_a_relation(tmp_path, content):
    with pytest.raises(EmptyFile, match=r"x\.rel has no relations"):
        read(tmp_path, content)


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        (b"a < b\nx y\n", RelationSyntaxError, r"x\.rel:2: column 4: no < or !<"),
        (b"a < b\n\na < \n", RelationSyntaxError, r"x\.rel:3: .*no name after"),
        (b"a < b\r\na < b < c\r\n", RelationSyntaxError, r"x\.rel:2: .*second <"),
        (b'a < "b\n', RelationSyntaxError, r"x\.rel:1: .*does not end"),
        (b"a < b\na < \xff\n", NotText, r"x\.rel:2: not UTF-8 \(byte 5"),
        (b"a < b\nc < d\0\n", NotText, r"x\.rel:2: not text"),
        ("a < b\n".encode("utf-16"), NotText, r"x\.rel:1: not (text|UTF-8)"),
        (b"PK\x03\x04\x14\0\0\0", NotText, r"x\.rel:1: not text"),
        (b"\x7fELF\x02\x01\x01\0", NotText, r"x\.rel:1: not text"),
        (b'a < b\n"\\ud800" < b\n', RelationSyntaxError, r"x\.rel:2: .*not valid Unicode"),
        (b"a < b\n" + b"x" * 5000 + b" < b", RelationSyntaxError, r"x\.rel:2: .*5,000 characters"),
    ],
)
def test_errors_name_file_and_line(tmp_path, content, error, says):
    with pytest.raises(error, match=says) as raised:
        read(tmp_path, content)
    assert len(str(raised.value)) < 400 + len(str(tmp_path))


def test_a_line_without_end(tmp_path):
    with pytest.raises(NotText, match=r"x\.rel:1: a line of more than 16,777,216 bytes"):
        read(tmp_path, b"a < " + b"b " * (1 << 23))


@given(st.one_of(st.binary(max_size=60), st.text("ab<!# \"'\\\n\r=", max_size=40).map(str.encode)))
@example(b"a < b")
def test_any_bytes_are_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "fuzz.rel"
    path.write_bytes(content)
    try:
        alg = Algebra.read(path)
    except AtomlearnError as error:
        assert "fuzz.rel" in str(error)
    else:
        assert alg.relations


def test_reading_is_streaming():
    """Relations come one by one: the second is not looked at before it is asked for."""
    import io

    class Once(io.BytesIO):
        lines = 0

        def readline(self, size=-1):
            self.lines += 1
            return super().readline(size)

    file = Once(b"a < b\nc < d\n\xff\n")
    relations = format_.iterate_relations(file, "x")
    assert next(relations) == (1, (["a"], True, ["b"]))
    assert file.lines == 1


def test_nothing_is_written_over_by_half(tmp_path, monkeypatch):
    path = tmp_path / "r.rel"
    path.write_text("old < file\n")
    with pytest.raises(EmptyFile):
        Algebra().write(path)
    alg = Algebra(["a", "b"])
    alg.add(alg["a"] <= alg["b"])
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        alg.write(path)
    assert path.read_text() == "old < file\n"
    assert [p.name for p in tmp_path.iterdir()] == ["r.rel"]
