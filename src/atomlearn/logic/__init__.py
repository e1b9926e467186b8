"""Formulas: what atoms say, as short and as readable as can be."""

from typing import TYPE_CHECKING

from atomlearn import attach

if TYPE_CHECKING:
    from atomlearn.logic.comparison import Comparison as Comparison
    from atomlearn.logic.comparison import atoms_needed as atoms_needed
    from atomlearn.logic.comparison import chance_to_hold as chance_to_hold
    from atomlearn.logic.comparison import compare as compare
    from atomlearn.logic.comparison import compression as compression
    from atomlearn.logic.comparison import error_times_compression as error_times_compression
    from atomlearn.logic.comparison import log_grid_symmetries as log_grid_symmetries
    from atomlearn.logic.comparison import predicted_error as predicted_error
    from atomlearn.logic.define import ConstantDefinition as ConstantDefinition
    from atomlearn.logic.definition import Definition as Definition
    from atomlearn.logic.exact import ExactAtomization as ExactAtomization
    from atomlearn.logic.formulas import And as And
    from atomlearn.logic.formulas import Formula as Formula
    from atomlearn.logic.formulas import Has as Has
    from atomlearn.logic.formulas import Not as Not
    from atomlearn.logic.formulas import Odd as Odd
    from atomlearn.logic.formulas import Or as Or
    from atomlearn.logic.formulas import exists as exists
    from atomlearn.logic.formulas import forall as forall

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "comparison": [
            "Comparison",
            "atoms_needed",
            "chance_to_hold",
            "compare",
            "compression",
            "error_times_compression",
            "log_grid_symmetries",
            "predicted_error",
        ],
        "define": ["ConstantDefinition"],
        "definition": ["Definition"],
        "exact": ["ExactAtomization"],
        "formulas": ["And", "Formula", "Has", "Not", "Odd", "Or", "exists", "forall"],
    },
)
