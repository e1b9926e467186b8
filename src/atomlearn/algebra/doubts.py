"""Valid relations that are probably typing errors."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from atomlearn.algebra.syntax import SIGNLIKE, ParsedRelation

FEWEST_LETTERS, MOST_LETTERS = 3, 40
"""Minimum length of names that are compared: short ones are similar by chance."""

MOST_NAMES = 20_000
"""Maximum number of names that are compared: more were written by a program."""


def doubtful_name(text: str, parsed: ParsedRelation) -> str | None:
    """A name in a line that was probably meant as a sign; quoted, it is meant as a name.

    >>> doubtful_name("a ! < b", (["a", "!"], True, ["b"]))
    '!'
    """
    left, positive, right = parsed
    for name in (*left, *right):
        in_front = positive and name is left[-1] and name.endswith("!")
        is_quoted = f'"{name}"' in text or f"'{name}'" in text
        if (in_front or name in SIGNLIKE) and not is_quoted:
            return name
    return None


def lookalikes(mentions: Mapping[str, int]) -> list[tuple[str, str]]:
    """Names that occur once and differ by a letter from just one other, which occurs more often.

    Names that differ in a digit are numbered, and names with several neighbours are a family.

    >>> lookalikes({"colour": 5, "coluor": 1, "c1": 9, "c2": 1})
    [('coluor', 'colour')]
    """
    if len(mentions) > MOST_NAMES:
        return []
    names = [name for name in mentions if FEWEST_LETTERS <= len(name) <= MOST_LETTERS]
    near: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for short in (name, *_shortened(name)):
            near[short].add(name)
    found = []
    for name in names:
        if mentions[name] == 1:
            others = {o for short in (name, *_shortened(name)) for o in near[short]} - {name}
            close = [other for other in others if _differ_by_a_letter(name, other)]
            if len(close) == 1 and mentions[close[0]] > 1:
                found.append((name, close[0]))
    return found


def _shortened(name: str) -> Iterable[str]:
    return (name[:i] + name[i + 1 :] for i in range(len(name)))


def _differ_by_a_letter(one: str, other: str) -> bool:
    """Is a letter replaced, left out, added, or exchanged with the next?"""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    a, b = one[start:], other[start:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    letters = (a + b).isalpha()
    return letters and ((len(a) <= 1 and len(b) <= 1) or (len(a) == 2 and a == b[::-1]))
