"""A formula about an image as a sentence: "some column with all rows black".

The sentence is read off the structure of the formula: if each conjunction, or each clause, is a
whole line of the grid in one colour, the formula is about lines.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from atomlearn.logic.pairs import Pairs, complements

Place = tuple[int, int, str]
"""Row, column, colour."""


@dataclass(frozen=True)
class Line:
    """All pixels of a column, of a row, or of the whole grid."""

    kind: str
    at: int
    colour: str


@dataclass(frozen=True)
class Grid:
    """The place and colour that each constant of an image stands for."""

    shape: tuple[int, int]
    place: Mapping[Hashable, Place]

    @classmethod
    def of(
        cls,
        rows: Sequence[Sequence[Hashable]],
        complementary: Pairs = (),
        colours: tuple[str, str] = ("black", "white"),
    ) -> "Grid":
        """A grid from rows of names, top to bottom, in the first colour; complements have the
        second."""
        if not rows or len({len(row) for row in rows}) != 1:
            raise ValueError("a grid has one row of names or more, all of the same length")
        other = complements(complementary)
        place: dict[Hashable, Place] = {}
        for i, row in enumerate(rows):
            for j, name in enumerate(row):
                place[name] = (i, j, colours[0])
                if name in other:
                    place[other[name]] = (i, j, colours[1])
        return cls((len(rows), len(rows[0])), place)

    def some(self, conjunctions: Iterable[Iterable[Hashable]]) -> str | None:
        """A disjunction of conjunctions as a sentence, if they are lines.

        >>> Grid.of([["c2", "c3"], ["c1", "c4"]]).some([{"c1", "c2"}, {"c3", "c4"}])
        'some column with all rows black'
        """
        return self._sentence(conjunctions, "some", "or", "all", "s")

    def every(self, clauses: Iterable[Iterable[Hashable]]) -> str | None:
        """A conjunction of clauses as a sentence, if they are lines.

        >>> grid = Grid.of([["b1", "b2"]], [("b1", "w1"), ("b2", "w2")])
        >>> grid.every([{"w1"}, {"w2"}])
        'every column with some row white'
        """
        return self._sentence(clauses, "every", "and", "some", "")

    def _sentence(
        self, sets: Iterable[Iterable[Hashable]], lines_of: str, joint: str, pixels: str, end: str
    ) -> str | None:
        """Which lines, and how many pixels of each."""
        lines = self._lines(sets)
        if lines is None:
            return None
        kind, colour = lines[0].kind, lines[0].colour
        if kind == "grid":
            return f"{pixels} pixel{end} {colour}"
        across = "row" if kind == "column" else "column"
        return f"{self._which(lines, lines_of, joint)} with {pixels} {across}{end} {colour}"

    def _lines(self, sets: Iterable[Iterable[Hashable]]) -> list[Line] | None:
        """The sets as lines of one kind and colour, or ``None``."""
        found = []
        for one in sets:
            places = [self.place.get(name) for name in one]
            line = self._line([place for place in places if place is not None])
            if line is None or None in places:
                return None
            found.append(line)
        if len({(line.kind, line.colour) for line in found}) != 1:
            return None
        return found

    def _line(self, places: list[Place]) -> Line | None:
        height, width = self.shape
        colours = {colour for _, _, colour in places}
        rows, columns = {i for i, _, _ in places}, {j for _, j, _ in places}
        if len(colours) != 1 or len(places) != len(rows) * len(columns):
            return None
        colour = colours.pop()
        if len(columns) == 1 and len(rows) == height:
            return Line("column", columns.pop(), colour)
        if len(rows) == 1 and len(columns) == width:
            return Line("row", rows.pop(), colour)
        whole = len(rows) == height and len(columns) == width
        return Line("grid", 0, colour) if whole else None

    def _which(self, lines: list[Line], all_of_them: str, sign: str) -> str:
        kind = lines[0].kind
        at = sorted({line.at for line in lines})
        if len(at) == self.shape[1 if kind == "column" else 0] and len(at) > 1:
            return f"{all_of_them} {kind}"
        numbers = [str(i + 1) for i in at]
        if len(numbers) == 1:
            return f"{kind} {numbers[0]}"
        return f"{kind} {', '.join(numbers[:-1])} {sign} {numbers[-1]}"
