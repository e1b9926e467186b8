"""The abstract and the introduction."""

import inspect

import numpy as np

from atomlearn.engine import dual, epoch, reduction, sparse_crossing, trace_constraints
from atomlearn_paper.claims.registry import Finding, Measured, claim, percent, when


@claim("abstract", "a different approach to learning [...] that is parameter-free")
def parameter_free(measured: Measured) -> Finding:
    return Finding(
        "in part",
        "no number is fitted or tuned for accuracy, but the paper's own protocol has four: first "
        "and largest batch (100, 2,000), growth (5 %), atomizations that vote (10)",
    )


@claim("abstract", "fully discrete and that does not use function minimization")
def discrete(measured: Measured) -> Finding:
    modules = (dual, trace_constraints, sparse_crossing, reduction, epoch)
    floats = [m.__name__ for m in modules if "float" in inspect.getsource(m)]
    return when(
        not floats,
        f"{len(floats)} of the {len(modules)} files of Algorithms 1 to 6 use "
        "floating point numbers",
    )


@claim("abstract", "high accuracy in test data, more so the smaller the representation", "mnist")
def smaller_is_better(measured: Measured) -> Finding:
    names = [n for n in measured["mnist"] if n.startswith("digit-") and "-letter-" in n]
    atoms, errors = zip(
        *(
            (measured["mnist"][n]["atoms of v"], measured["mnist"][n]["single"]["error"])
            for n in names
        ),
        strict=True,
    )
    r = float(np.corrcoef(atoms, errors)[0, 1])
    return Finding(
        "in part" if r > 0.3 else "not reproduced",
        f"over {len(names)} MNIST models to the letter, atoms and error have correlation {r:.2f}: "
        "digits that need fewer atoms are learned better; across methods it is not so",
    )


@claim("abstract", "the number of generalizing representations can be very large")
def many_representations(measured: Measured) -> Finding:
    return Finding("reproduced", "see 10^529 below: about 10^497 sets of 30 atoms, each enough")


@claim("1", "with no risk of getting trapped in local minima")
def local_minima(measured: Measured) -> Finding:
    return Finding("not checkable", "nothing is minimised step by step, so the word has no meaning")


@claim("1", "We found no evidence of overfitting using algebraic learning", "mnist")
def no_overfitting(measured: Measured) -> Finding:
    worse = []
    for digit in range(10):
        curve = [
            p["single"]["error"] for p in measured["mnist"][f"digit-{digit}-letter-0"]["curve"]
        ]
        smooth = np.convolve(curve, np.ones(3) / 3, mode="valid")
        worse.append(float(smooth[-1] - smooth.min()))
    return when(
        float(np.mean(worse)) < 0.005,
        f"to the letter, the end of the curve lies {percent(float(np.mean(worse)))} above its "
        "lowest point in the mean of ten digits",
    )


@claim("1", "a good accuracy of about 99% when distinguishing a digit from the rest", "mnist")
def about_99(measured: Measured) -> Finding:
    errors = {
        p: float(
            np.mean([measured["mnist"][f"digit-{d}-{p}-0"]["7 of 10"]["error"] for d in range(10)])
        )
        for p in ("letter", "default")
    }
    return when(
        errors["letter"] < 0.015,
        f"7 of 10 models: {percent(1 - errors['letter'], 1)} right to the letter, "
        f"{percent(1 - errors['default'], 1)} by this library",
        "in part",
    )
