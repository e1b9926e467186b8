"""The paper's theory: error from compression, and the number of atoms for a given error.

A model drawn at random from those of ``Z`` atoms that satisfy ``R`` relations has an expected error
of ``(ln|Ω_Z| - ln|Ω_Z,R|) / R`` (the appendix "Error is smaller the higher the compression").
``ln|Ω_Z|`` is ``Z`` times the logarithm of the number of possible atoms; symmetries of the problem
bound ``ln|Ω_Z,R|`` from below. With the compression ``κ = R / Z`` the error is a constant divided
by κ.
"""

import math

LN2, LN3 = math.log(2), math.log(3)


def compression(n_relations: float, n_atoms: float) -> float:
    """The compression ``κ = R / Z``: relations for each atom.

    ``R`` is every relation that was learned from and is still obeyed, in whatever batch it came.

    >>> compression(50_000, 50)
    1000.0
    """
    if n_atoms <= 0:
        raise ValueError(f"compression needs at least one atom, not {n_atoms}")
    return n_relations / n_atoms


def error_times_compression(
    n_constants: int, *, paired: bool = True, log_symmetries: float = 0.0
) -> float:
    """The product ``ε κ`` that random picking leads to, a constant of the problem.

    ``paired`` constants exclude each other two by two, as black and white of a pixel do: an atom is
    in one of the two or in none, which makes ``3^(C/2)`` atoms and not ``2^C``. ``log_symmetries``
    is the logarithm of the number of symmetries of the problem (:func:`log_grid_symmetries`).

    >>> round(error_times_compression(2 * 7 * 7), 2)                        # C ln(3) / 2
    53.83
    >>> symmetries = log_grid_symmetries(7, 7)
    >>> round(error_times_compression(2 * 7 * 7, log_symmetries=symmetries), 2)
    36.78
    """
    log_atoms = n_constants * (LN3 / 2 if paired else LN2)
    return log_atoms - log_symmetries


def predicted_error(
    kappa: float, n_constants: int, *, paired: bool = True, log_symmetries: float = 0.0
) -> float:
    """The error ``ε`` of a random model at compression ``kappa``; valid where it is small.

    >>> round(predicted_error(1000, 100, paired=False), 4)                  # ln(2) C / κ
    0.0693
    >>> round(predicted_error(1000, 100), 4)                                # ln(3) C / 2 κ
    0.0549
    """
    if kappa <= 0:
        raise ValueError(f"a compression (or an error) is positive, not {kappa}")
    constant = error_times_compression(n_constants, paired=paired, log_symmetries=log_symmetries)
    return constant / kappa


def log_grid_symmetries(height: int, width: int) -> float:
    """``ln(height! width!)``: rows and columns of a grid may be permuted, as with bars.

    >>> round(log_grid_symmetries(10, 10), 2)                               # 2 ln(10!)
    30.21
    """
    return math.lgamma(height + 1) + math.lgamma(width + 1)


def chance_to_hold(atom_size: int, noise: float) -> float:
    """The probability that a background image has an atom, by one of its pixels being black.

    >>> round(chance_to_hold(15, 0.1), 3)                                   # 1 - 0.9^15
    0.794
    """
    if not 0 <= noise <= 1:
        raise ValueError(f"noise is a share from 0 to 1, not {noise}")
    return 1 - (1 - noise) ** atom_size


def atoms_needed(error: float, chance: float) -> float:
    """The number of atoms that let at most a share ``error`` of the counterexamples pass.

    Each counterexample has an atom by chance, independently (:func:`chance_to_hold`), and passes if
    it has all of them. The paper's example: bars in 15 × 15 images with a tenth of the background
    black, and one false positive in a thousand. (It prints 29.9, which is cut and not rounded.)

    >>> round(atoms_needed(1 / 1000, chance_to_hold(15, 0.1)), 2)
    29.96
    """
    if not (0 < error < 1 and 0 < chance < 1):
        raise ValueError(f"error and chance lie between 0 and 1, not at {error} and {chance}")
    return math.log(error) / math.log(chance)
