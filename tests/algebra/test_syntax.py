"""Names, terms and relations as text."""

import contextlib
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from atomlearn.algebra.terms import (
    _parse_plain,
    parse_names,
    parse_relation,
    write_name,
    write_names,
)
from atomlearn.errors import RelationSyntaxError

any_name = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(st.lists(any_name, min_size=1), st.booleans(), st.lists(any_name, min_size=1))
def test_every_name_survives(left, positive, right):
    assert parse_names(write_names(left)) == left
    text = f"{write_names(left)} {'<' if positive else '!<'} {write_names(right)}"
    assert "\n" not in text and "\r" not in text
    assert parse_relation(text) == (left, positive, right)
    assert parse_relation(text + "  # and a 'comment\" <") == (left, positive, right)


@given(st.text(st.sampled_from("ab!<=# '\"\\|\t"), max_size=12))
@example("a b !< c")
def test_the_short_cut_agrees_with_the_grammar(text):
    plain = _parse_plain(text)
    if plain is not None:
        slow = parse_relation(text + " #")  # a comment keeps it off the short cut
        assert slow == plain


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("v < c1 c2", (["v"], True, ["c1", "c2"])),
        ("v<c1", (["v"], True, ["c1"])),
        ("v !< c1", (["v"], False, ["c1"])),
        ("v!<c1", (["v"], False, ["c1"])),
        ("v <= c1", (["v"], True, ["c1"])),
        ("v !<= c1#2", None),
        ("  v\t<\tc1 \r\n", (["v"], True, ["c1"])),
        ('v < \'top left\' "a\\"b"', (["v"], True, ["top left", 'a"b'])),
        (r"""v < 'it\'s "so"' "\u00e9\ud83d\ude00" """, (["v"], True, ['it\'s "so"', "é😀"])),
        ("v < don't x!", (["v"], True, ["don't", "x!"])),
        ("größe < 高さ", (["größe"], True, ["高さ"])),
    ],
)
def test_examples(text, parsed):
    if parsed is None:
        with pytest.raises(RelationSyntaxError):
            parse_relation(text)
    else:
        assert parse_relation(text) == parsed


@pytest.mark.parametrize("text", ["", "   ", "# only a comment", "\t# < #"])
def test_nothing(text):
    assert parse_relation(text) is None


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("v c1", 5, "no < or !<"),
        ("< c1", 1, "no name before"),
        ("v <", 4, "no name after"),
        ("v < # c", 8, "no name after"),
        ("a < b < c", 7, "second <"),
        ('v < "c1', 5, "does not end"),
        ('v < "c1"x', 9, "inside a name"),
        ('v < c"1"', 6, "inside a name"),
        ("v < c1#x", 7, "inside a name"),
        ('v < ""', 5, "empty name"),
        (r'v < "\q"', 5, "escape"),
    ],
)
def test_errors_tell_where_and_what(text, column, says):
    with pytest.raises(RelationSyntaxError, match=rf"column {column}: .*{says}"):
        parse_relation(text)


def test_signs_are_no_names():
    with pytest.raises(RelationSyntaxError, match="only names"):
        parse_names("a < b")


def test_plain_names_stay_bare():
    assert write_name("c1") == "c1" and write_name("größe") == "größe"
    assert (
        write_name("=x") == '"=x"'
        and write_name("a b") == '"a b"'
        and write_name("a\n") == r'"a\n"'
    )


@pytest.mark.parametrize(
    "long",
    [
        'v < "' + "x" * 1_000_000,
        'v < "' + "x" * 1_000_000 + '"',
        'v < "' + r"\"" * 500_000,
        "v < " + "x" * 1_000_000 + " # c",
        "v < " + "!" * 1_000_000 + " # c",
    ],
    ids=["unclosed", "quoted", "escapes", "bare", "signs"],
)
def test_a_long_name_takes_memory_in_proportion(long):
    tracemalloc.start()
    try:
        with contextlib.suppress(RelationSyntaxError):
            parse_relation(long)
        assert tracemalloc.get_traced_memory()[1] < 10 * len(long)
    finally:
        tracemalloc.stop()
