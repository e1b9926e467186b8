"""What a class of images may be, as a sentence: "some column with all rows black".

The sentence is read off the structure of a formula: if each conjunction, or each clause, is a whole
line of the grid in one colour, the formula is about lines. A model may be too large to be turned
into one short formula and still be that formula: of the bars of 15 × 15 pixels it has a few dozen
of ``15^15`` exact atoms. So the sentences that a grid suggests are also tried on the examples, and
the learned atoms are compared with the exact ones of the sentence.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from atomlearn.logic.comparison import Comparison
from atomlearn.logic.exact import ExactAtomization
from atomlearn.logic.formulas import And, Formula, Has, Odd, Or, Pairs, complements
from atomlearn.logic.telling import Measure, measure
from atomlearn.markup import Displayed
from atomlearn.typing import Bits

Place = tuple[int, int, str]
"""The row, the column and the colour of a pixel."""


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
        """Return a grid from rows of names, top to bottom.

        The names have the first colour and their complements the second.
        """
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
        """Return a disjunction of conjunctions as a sentence, if they are lines.

        >>> Grid.of([["c2", "c3"], ["c1", "c4"]]).some([{"c1", "c2"}, {"c3", "c4"}])
        'some column with all rows black'
        """
        return self._sentence(conjunctions, "some", "or", "all", "s")

    def every(self, clauses: Iterable[Iterable[Hashable]]) -> str | None:
        """Return a conjunction of clauses as a sentence, if they are lines.

        >>> grid = Grid.of([["b1", "b2"]], [("b1", "w1"), ("b2", "w2")])
        >>> grid.every([{"w1"}, {"w2"}])
        'every column with some row white'
        """
        return self._sentence(clauses, "every", "and", "some", "")

    def _sentence(
        self, sets: Iterable[Iterable[Hashable]], lines_of: str, joint: str, pixels: str, end: str
    ) -> str | None:
        """Return a sentence about which lines, and how many pixels of each."""
        lines = self._lines(sets)
        if lines is None:
            return None
        kind, colour = lines[0].kind, lines[0].colour
        if kind == "grid":
            return f"{pixels} pixel{end} {colour}"
        across = "row" if kind == "column" else "column"
        return f"{self._which(lines, lines_of, joint)} with {pixels} {across}{end} {colour}"

    def _lines(self, sets: Iterable[Iterable[Hashable]]) -> list[Line] | None:
        """Return the sets as lines of one kind and colour, or ``None``."""
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


@dataclass(frozen=True, repr=False)
class Conjecture(Displayed):
    """A sentence that no example contradicts, with the learned atoms compared to its exact ones."""

    sentence: str
    formula: Formula
    measured: Measure
    atoms: Comparison

    def __str__(self) -> str:
        return (
            f"{self.sentence} (no exception in {self.measured.examples:,} examples; {self.atoms})"
        )


def conjecture(
    grid: Grid,
    truth: Mapping[Hashable, Bits],
    of_class: Bits,
    compared: Callable[[ExactAtomization], Comparison],
) -> Conjecture | None:
    """Return a sentence about the lines of a grid that no example contradicts, if there is one.

    Of several it is the one of which most learned atoms are exact, or else the simplest. ``truth``
    tells which examples have each constant; ``compared`` compares the learned atoms with those of a
    formula.
    """
    if of_class.all() or not of_class.any():
        return None
    found: list[Conjecture] = []
    for sentence, formula in sentences(grid):
        if all(constant in truth for constant in formula.constants()):
            measured = measure(formula.evaluate(truth), of_class)
            if measured.error == 0:
                exact = ExactAtomization(formula, _pairs(grid))
                found.append(Conjecture(sentence, formula, measured, compared(exact)))
    return max(found, key=lambda one: one.atoms.exact, default=None)


def sentences(grid: Grid) -> Iterator[tuple[str, Formula]]:
    """Yield sentences about columns and rows, with their formulas.

    >>> [sentence for sentence, _ in sentences(Grid.of([["a", "b"], ["c", "d"]]))][:2]
    ['some column with all rows black', 'every column with some row black']
    """
    at = {place: name for name, place in grid.place.items()}
    height, width = grid.shape
    columns = [[(i, j) for i in range(height)] for j in range(width)]
    rows = [[(i, j) for j in range(width)] for i in range(height)]
    parities: list[tuple[str, Formula]] = []
    for colour in dict.fromkeys(colour for _, _, colour in at):
        for line, across, lines in (("column", "row", columns), ("row", "column", rows)):
            pixels = [[Has(at.get((i, j, colour))) for i, j in one] for one in lines]
            whole = tuple(And(tuple(one)) for one in pixels)
            partly = tuple(Or(tuple(one)) for one in pixels)
            yield f"some {line} with all {across}s {colour}", Or(whole)
            yield f"every {line} with some {across} {colour}", And(partly)
            of_lines = f"number of {line}s with all {across}s {colour}"
            parities += [(f"an odd {of_lines}", Odd(whole)), (f"an even {of_lines}", ~Odd(whole))]
    yield from parities  # last, because they are less simple


def _pairs(grid: Grid) -> dict[Hashable, Hashable]:
    by_pixel: dict[tuple[int, int], list[Hashable]] = {}
    for name, (i, j, _) in grid.place.items():
        by_pixel.setdefault((i, j), []).append(name)
    return complements([(one[0], one[1]) for one in by_pixel.values() if len(one) == 2])
