"""Appendices C to E: algorithms, exact atomizations, error and compression."""

import math
from itertools import product as cartesian

import numpy as np

from atomlearn.logic.exact import ExactAtomization
from atomlearn.logic.formulas import Has, exists, forall
from atomlearn_paper.claims.problems import finished
from atomlearn_paper.claims.registry import Finding, Measured, claim, percent, spread, when
from atomlearn_paper.claims.section3 import exact_bars
from atomlearn_paper.parity_figures import line, settled


@claim("Algorithm 3", "initialize sets U ≡ ∅ [inside the loop over φ ∈ A]")
def algorithm_3(measured: Measured) -> Finding:
    return Finding(
        "misprint",
        "U must be initialised once, before the loop: it is used after it, for "
        "the partners of all φ",
    )


@claim("Algorithm 6", "generation of pinning terms and relations [foreach φ ∈ M]")
def algorithm_6(measured: Measured) -> Finding:
    steps = list(finished())
    right = sum(len(s.pin()) == sum(len(a) < s.n for a in s.model.atoms) for s in steps)
    return when(
        right == len(steps),
        f"{right} of {len(steps)} random problems: a term for each atom, but "
        "for one in all constants, whose term would be empty",
    )


@claim("D.1", "the exact embedding [...] has I^J atoms")
def map_index(measured: Measured) -> Finding:
    sizes = {(i, j): exact_bars(i, j).count() for i in (2, 3, 4) for j in (2, 3)}
    told = ", ".join(f"{i}^{j}: {n}" for (i, j), n in sizes.items())
    return when(all(n == i**j for (i, j), n in sizes.items()), told)


@claim("D.1", "∨_j ∧_i c_ij = ∧_{j→i} ∨_j c_i(j)j")
def distributive(measured: Measured) -> Finding:
    wrong = 0
    maps = list(cartesian(range(3), repeat=2))
    for bits in cartesian([False, True], repeat=6):
        c = np.array(bits).reshape(3, 2)
        left = any(all(c[:, j]) for j in range(2))
        wrong += left != all(any(c[m[j], j] for j in range(2)) for m in maps)
    return when(wrong == 0, f"{wrong} of 64 assignments of 3 × 2 differ")


@claim("D.2", "Any atom in a constant x intersects [...] any other atom (albeit reverted) of ¬x")
def inverse_atoms(measured: Measured) -> Finding:
    pixels = [(i, j) for i in range(2) for j in range(3)]
    pairs = [(p, ("white", *p)) for p in pixels]
    bars = ExactAtomization(
        exists(range(3), lambda j: forall(range(2), lambda i: Has((i, j)))), pairs
    )
    inverse = bars.inverse()
    own, others = list(bars), [bars.reverted(a) for a in inverse]
    met = sum(bool(a & b) for a in own for b in others)
    return when(
        met == len(own) * len(others), f"{met} of {len(own) * len(others)} pairs (bars 2 × 3)"
    )


@claim("D.2", "The exact model for the inverse problem contains at most A (CD)^B atoms")
def inverse_count(measured: Measured) -> Finding:
    bars = ExactAtomization(
        exists(range(3), lambda j: forall(range(2), lambda i: Has((i, j)))),
        [((i, j), ("w", i, j)) for i in range(2) for j in range(3)],
    )
    return when(
        bars.inverse().count() == 3,
        f"bars 2 × 3: {bars.count()} atoms, the inverse {bars.inverse().count()}, one a column",
    )


@claim("D.2", "the size of the atoms [...] is a much better indicator of problem hardness")
def hardness(measured: Measured) -> Finding:
    return Finding(
        "not checkable",
        "no measure of hardness is given; bars (small atoms) are learned "
        "sooner than parity (large ones) here, too",
    )


@claim("E.1", "P(Q tests correct | failure > ε) < (1 - ε)^Q")
def bound(measured: Measured) -> Finding:
    rng = np.random.default_rng(0)
    eps, Q = 0.05, 40
    rates = eps + (1 - eps) * rng.random(20_000)  # failure rates above ε
    p = float(((1 - rates) ** Q).mean())
    return when(p < (1 - eps) ** Q, f"{p:.4f} < {(1 - eps) ** Q:.4f} for ε = 0.05, Q = 40")


@claim("E.1", "ε_δ = 1 - δ^{1/Q} P(Q)^{1/Q} [...] the actual error rate is lower than ε_δ")
def epsilon_delta(measured: Measured) -> Finding:
    rng = np.random.default_rng(1)
    rates, Q, delta = rng.beta(1, 8, 200_000), 60, 0.1
    PQ = float(((1 - rates) ** Q).mean())
    limit = 1 - delta ** (1 / Q) * PQ ** (1 / Q)
    kept = rates[rng.binomial(Q, rates) == 0]
    risk = float((kept > limit).mean())
    return when(
        risk < delta,
        f"algorithms with Beta(1, 8) error that pass Q = 60 tests: {percent(risk, 1)} "
        f"err more than ε_δ = {percent(limit, 1)}, accepted risk 10 %",
    )


@claim("E.1", "when Q is large enough [1 - δ^{1/Q}] dangerously underestimates ε_δ")
def underestimates(measured: Measured) -> Finding:
    delta, told = 0.1, []
    for Q in (60, 1000):  # one algorithm in a thousand errs on 1 %, the others guess
        naive = 1 - delta ** (1 / Q)
        weights = {0.01: 1e-3 * 0.99**Q, 0.5: (1 - 1e-3) * 0.5**Q}
        risk = sum(w for rate, w in weights.items() if rate > naive) / sum(weights.values())
        told.append((Q, naive, risk))
    return when(
        told[1][2] > delta > told[0][2],
        "one algorithm in a thousand errs on 1 %, the others guess; accepted risk 10 %: "
        + "; ".join(
            f"Q = {q:,} gives {percent(n, 1)}, exceeded with probability {percent(r, 0)}"
            for q, n, r in told
        ),
    )


@claim("E.1", "P(Q) is always dominated by the algorithms that do well in test questions")
def dominated(measured: Measured) -> Finding:
    good, bad = 1e-6, 1 - 1e-6
    share = {Q: good * 0.99**Q / (good * 0.99**Q + bad * 0.5**Q) for Q in (10, 40)}
    return when(
        share[40] > 0.9,
        f"one good algorithm (1 %) in a million random ones makes up "
        f"{percent(share[10])} of P(Q) at Q = 10, {percent(share[40])} at Q = 40",
    )


@claim("E.1", "When Q is large there is a limit value [...] independent of the risk")
def limit_value(measured: Measured) -> Finding:
    Q, log_p = 20_000, 20_000 * math.log(0.99)
    values = [1 - math.exp((math.log(d) + log_p) / Q) for d in (1.0, 0.01)]
    return when(
        abs(values[0] - values[1]) < 0.001,
        f"δ = 1 and 0.01 give {percent(values[0], 3)} and {percent(values[1], 3)} at Q = 20,000",
    )


@claim("E.1", "ln C(2^C, Z) ≈ ln(2) Z C + O(max(Z, C))")
def stirling(measured: Measured) -> Finding:
    C, Z = 98, 500
    exact = Z * C * math.log(2) - math.lgamma(Z + 1)
    rest = (Z * C * math.log(2) - exact) / max(Z, C)
    return Finding(
        "in part",
        f"C = 98, Z = 500: the rest is {rest:.1f} times max(Z, C): ln Z! is of order "
        "Z ln Z, not Z; small beside Z C all the same",
    )


@claim("E.1", "Each atom can be either in one of the constants of the pair or in none: 3^{C/2}")
def three_states(measured: Measured) -> Finding:
    return Finding(
        "reproduced",
        f"3^4 = {3**4} for 2 × 2 images; all of them are gone through in the claim "
        "on random picking",
    )


@claim("E.2", "we can apply the same permutations to an atom and obtain another atom")
def permuted(measured: Measured) -> Finding:
    atoms = {frozenset(atom) for atom in exact_bars(3, 3)}
    squares = [(i, j) for i in range(3) for j in range(3)]
    to = {(i, j): ((i + 1) % 3, 2 - j) for i, j in squares}
    moved = sum(frozenset(to[p] for p in squares if p in atom) in atoms for atom in atoms)
    return when(
        moved == len(atoms),
        f"{moved} of {len(atoms)} atoms of 3 × 3 bars, rows and columns moved",
    )


@claim(
    "E.2",
    "measured and predicted [...] only differ in about 20% and 35% [without symmetries]",
    "parity",
)
def without_symmetries(measured: Measured) -> Finding:
    told = []
    for size, noise in ((7, 0.05), (10, 0.025)):
        many = [settled(measured["parity"][f"stream-{size}-{noise}"])]
        many += [settled(p) for p in measured.seeds("parity", f"again-{size}-{noise}-")]
        told.append((size, many, 1 - float(np.mean(many)) / line(size, False)))
    ok = abs(told[0][2] - 0.2) < 0.1 and abs(told[1][2] - 0.35) < 0.1
    return when(
        ok,
        "; ".join(
            f"{s} × {s}: ε κ {spread(m, 1, 1)}, {100 * off:.0f} % below {line(s, False):.1f}"
            for s, m, off in told
        ),
    )


@claim("E.2", "|Ω_{R∧Z}| ≈ α(R, Z) (d!)^{2Z}")
def symmetry_factor(measured: Measured) -> Finding:
    return Finding(
        "in part",
        "each atom has at most (d!)² images under rows and columns, fewer where it "
        "is symmetric: an exact bar atom of d × d has d^d images, not (d!)²",
    )
