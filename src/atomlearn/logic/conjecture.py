"""What a class of images may be, tried out: a few sentences about lines, held against examples.

A model may be too large to be turned into one short formula and still be that formula: of the bars
of 15 × 15 pixels it has a few dozen of ``15^15`` exact atoms. So the sentences that a grid suggests
are tried on the examples, and the learned atoms are held against the exact ones of the sentence.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass

from atomlearn.logic.comparison import Comparison
from atomlearn.logic.exact import ExactAtomization
from atomlearn.logic.formulas import And, Bits, Formula, Has, Odd, Or
from atomlearn.logic.grids import Grid
from atomlearn.logic.pairs import complements
from atomlearn.logic.telling import Measure, measure
from atomlearn.markup import Displayed


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
    """A sentence about the lines of a grid that no example contradicts, if there is one.

    Of several the one of which most learned atoms are exact, or else the simplest. ``truth`` tells
    which examples have each constant; ``compared`` holds the learned atoms against those of a
    formula.
    """
    if of_class.all() or not of_class.any():
        return None
    found: list[Conjecture] = []
    for sentence, formula in sentences(grid):
        if all(constant in truth for constant in formula.constants()):
            told = measure(formula.evaluate(truth), of_class)
            if told.error == 0:
                exact = ExactAtomization(formula, _pairs(grid))
                found.append(Conjecture(sentence, formula, told, compared(exact)))
    return max(found, key=lambda one: one.atoms.exact, default=None)


def sentences(grid: Grid) -> Iterator[tuple[str, Formula]]:
    """Sentences about columns and rows, with their formulas.

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
