"""Section 5: queens."""

from itertools import permutations

import numpy as np
from scipy.stats import binom

from atomlearn.algebra.algebra import Algebra
from atomlearn.engine import Embedding
from atomlearn.problems import queens
from atomlearn.problems.queens import Chessboard, square, square_name
from atomlearn.problems.solving import Schedule
from atomlearn_paper import paper
from atomlearn_paper.claims.registry import Finding, Measured, claim, percent, when


@claim("5.1", "uses of 2N² constants to describe the board")
def constants(measured: Measured) -> Finding:
    board = queens.algebra(8, ["b4", "d5"])
    squares = sum(name[0] in "QE" for name in board.names)
    return Finding(
        "misprint",
        f"N fixed queens, M × M squares: it is 2 M² ({squares} for 8 × 8), and 2 M "
        "constants for rows and columns",
    )


@claim("5.2", "an extended board that has the empty square constants at positions attacked")
def attacked(measured: Measured) -> Finding:
    b = Chessboard(8)
    rules = queens.game(8, ["b4"]).rules
    right = 0
    for s in b.squares:
        closed = set(rules.closure(rules.term(["U", "Q" + square_name(*s)])).constants)
        wanted = {"E" + square_name(*t) for t in b.attacked(*s)}
        right += {c for c in closed if c[0] == "E"} == wanted
    return when(right == 64, f"for {right} of 64 squares, by closure")


@claim("5.4", "∀y (C_x ≮ (⊙ Q_ij) ⊙ (⊙ E_ij))")
def column_misprint(measured: Measured) -> Finding:
    return Finding("misprint", "C_y: the formula speaks of columns y")


@claim("5.5", "without using the extra constant U they would contradict the independence rules")
def without_u(measured: Measured) -> Finding:
    b = Chessboard(5)
    algebra = b.algebra.copy()
    for x, y in b.squares:
        algebra.add(b.merge(b.E[t] for t in b.attacked(x, y)) <= b.Q[x, y])
    algebra.add(queens.independence_rules(b))
    return when(bool(algebra.conflicts()), f"{len(algebra.conflicts())} conflicts on 5 × 5")


@claim("5.6", "(E_xy ⊙ Q_xy) ≮ U ⊙ S")
def consistent_game(measured: Measured) -> Finding:
    game = queens.algebra(8, ["b4", "d5"])
    clash = game.copy()
    clash.add(clash.relation("Qb1 < S"))  # attacked by b4
    return when(
        not game.conflicts() and bool(clash.conflicts()),
        "the game is consistent; with a queen "
        f"that is attacked there are {len(clash.conflicts())} conflicts",
    )


@claim(
    "5.7",
    "all positions except those attacked by the two initial queens are in question mark",
    "queens",
)
def first_epoch(measured: Measured) -> Finding:
    b = Chessboard(8)
    attacked = {square_name(*t) for q in ("b4", "d5") for t in b.attacked(*square(q, 8))}
    told = {}
    for name, start in (("letter", "8x8-letter-0"), ("default", "8x8-0")):
        board = measured["queens"][start]["boards"][0]
        told[name] = set(board["empty"]) == attacked and len(board["queens"]) == 2
    shown = len(measured["queens"]["8x8-letter-0"]["boards"][0]["empty"])
    return Finding(
        "reproduced" if told["letter"] else "in part",
        f"{len(attacked)} squares are attacked; "
        f"at epoch 1 to the letter {shown} are shown empty below "
        "S. Attacked squares follow for U ⊙ S, not for S alone",
    )


@claim("5.7", "the two different completions compatible with the initial queens")
def two_completions(measured: Measured) -> Finding:
    fixed = {3: 1, 4: 3}  # rows of b4 and d5, and their columns
    found = 0
    for columns in permutations(range(8)):
        if all(columns[r] == c for r, c in fixed.items()):
            found += (
                len({r + c for r, c in enumerate(columns)})
                == 8
                == len({r - c for r, c in enumerate(columns)})
            )
    return when(found == 2, f"{found}, by trying all boards")


@claim("5.7", "Eventually, at epoch 12, a complete board is found", "queens")
def epoch_12(measured: Measured) -> Finding:
    letter, ours = (measured.seeds("queens", s) for s in ("8x8-letter-", "8x8-"))
    solved = sum(bool(f["epochs"]) for f in letter)
    most = max(f["most queens"] for f in letter)
    both = sum(len(f["epochs"]) == 2 for f in ours)
    firsts = [f["epochs"][0] for f in ours if f["epochs"]]
    return Finding(
        "reproduced" if solved else "not reproduced",
        f"to the letter {solved} of {len(letter)} seeds in 60 epochs ({most} queens at most); with "
        f"contradicted pins closed, which is not the paper, both completions for {both} of "
        f"{len(ours)} seeds, the first at epochs {min(firsts)} to {max(firsts)}",
    )


@claim("5.7", 'the solution seems to appear "out of the blue"', "queens")
def out_of_the_blue(measured: Measured) -> Finding:
    run = measured["queens"]["8x8-0"]
    first = run["epochs"][0] if run["epochs"] else 99
    before = max((len(b["queens"]) for b in run["boards"] if b["epoch"] < first), default=0)
    return Finding(
        "in part",
        f"no board before the first complete one (epoch {first}) shows more than {before} queens "
        "(this library, with pins closed; to the letter there is no complete board)",
    )


@claim("5.7", "The approach seems to benefit form inserting idle cycles")
def idle(measured: Measured) -> Finding:
    never = Schedule(length=11, idle=(), patience=None)
    solved = 0
    for seed in range(3):
        solver = queens.solve(8, ["b4", "d5"], random_state=seed, max_epochs=40, schedule=never)
        solved += next(solver, None) is not None
    return Finding(
        "in part" if solved == 0 else "not reproduced",
        f"without idle epochs {solved} of 3 seeds in 40 epochs, with them all (this library, with "
        "pins closed; to the letter none either way)",
    )


@claim("5.8", "works well for 8 × 8 or larger boards, like 13 × 13", "queens")
def thirteen(measured: Measured) -> Finding:
    letter, ours = (measured.seeds("queens", s) for s in ("13x13-letter-", "13x13-"))
    return Finding(
        "in part" if any(f["epochs"] for f in ours) else "not reproduced",
        f"to the letter {sum(bool(f['epochs']) for f in letter)} "
        f"of {len(letter)} seeds in 20 epochs; "
        f"with pins closed {sum(bool(f['epochs']) for f in ours)} of {len(ours)} in 60",
    )


@claim(
    "5.8",
    "When queens are located at legal but random positions the usual outcome is [...] fewer",
    "queens",
)
def random_is_stuck(measured: Measured) -> Finding:
    found = measured["queens"]["chance-random"]
    return when(
        found["full"] < 0.1 * found["attempts"],
        f"{found['full']} full boards in {found['attempts']:,} attempts on 17 × 17",
    )


@claim(
    "5.8",
    "The purely random case produces a board in an attempt with probability p = 0.008",
    "queens",
)
def chance(measured: Measured) -> Finding:
    found = measured["queens"]["chance-random"]
    p = found["full"] / found["attempts"]
    return when(
        0.006 < p < 0.01,
        f"{p:.4f} by uniform legal squares; the paper does not tell its way of placing",
        "in part",
    )


@claim("5.8", "4 more created by the algebra at once [...] 7 appeared at once", "queens")
def at_once(measured: Measured) -> Finding:
    jumps = [j for f in measured.seeds("queens", "attempts-") for j in f["queens at once"]]
    if not jumps:
        return Finding("not reproduced", "no full board")
    return Finding(
        "in part" if max(jumps) >= 4 else "not reproduced",
        f"the last epoch of a full board added {np.median(jumps):.0f} queens in the median, "
        f"{max(jumps)} at most (this library, with pins closed, {len(jumps)} boards)",
    )


@claim("5.8", "Many atoms obtained resemble legal or almost legal board subsets", "queens")
def atoms_as_boards(measured: Measured) -> Finding:
    found = measured["queens"]["attempts-0"]["atoms"]
    counts = {int(k): n for k, n in found["queens"].items()}
    several = sum(n for k, n in counts.items() if k > 1)
    return Finding(
        "in part",
        f"17 × 17: {counts.get(1, 0)} of {sum(counts.values())} atoms have one queen "
        f"in their pinning term, {several} have more, {max(counts, default=0)} at most",
    )


@claim("Figures 11, 12", "white corresponding to empty, black to queen", "queens")
def caption(measured: Measured) -> Finding:
    legal, total = 0, 0
    for step in ("13x13-0", "attempts-0"):
        atoms = measured["queens"][step]["atoms"]
        legal, total = legal + atoms["as captioned"], total + sum(atoms["queens"].values())
    return Finding(
        "misprint",
        f"read so, {legal} of {total} atoms are legal boards; the boards are in the "
        "pinning terms, where white squares are queens",
    )


@claim("Table 2", "39 full boards in 624 attempts", "queens")
def table_2(measured: Measured) -> Finding:
    runs = measured.seeds("queens", "attempts-")
    full, tries = sum(len(f["full"]) for f in runs), sum(f["attempts"] for f in runs)
    small = {p: measured.seeds("queens", f"small-{p}-") for p in ("letter", "default")}
    told = {
        p: f"{sum(len(f['full']) for f in many)} of {sum(f['attempts'] for f in many)}"
        for p, many in small.items()
    }
    solved = any(f["full"] for f in small["letter"])
    return Finding(
        "in part" if solved else "not reproduced",
        f"to the letter 11 × 11 gave {told['letter']} attempts (17 × 17 takes too long); this "
        f"library, with pins closed, {told['default']} there and {full} of {tries} on 17 × 17",
    )


@claim("Table 2", "the p-values")
def p_values(measured: Measured) -> Finding:
    off = []
    for k, row in enumerate(paper.QUEENS, 1):
        p = binom.sf(row.full - row.repeated - 1, row.attempts, paper.QUEENS_CHANCE)
        if not 0.5 < p / row.p < 2:
            off.append(f"{k} ({row.p:.2g}, {p:.2g})")
    told = ", ".join(off) or "none"
    return when(
        not off,
        f"experiments whose printed p differs from the binomial's by more than twice: {told}",
        "in part",
    )


@claim("5.8", "Overall, this probability is less than p = 7 × 10^-12")
def overall(measured: Measured) -> Finding:
    new, tries = (
        sum(r.full - r.repeated for r in paper.QUEENS),
        sum(r.attempts for r in paper.QUEENS),
    )
    p = float(binom.sf(new - 1, tries, paper.QUEENS_CHANCE))
    return when(p < 7e-12, f"{p:.1e} for {new} boards in {tries} attempts")


@claim("5.8", "these results [...] cannot be explained by random placement of queens", "queens")
def explained(measured: Measured) -> Finding:
    found = measured["queens"]["chance-the"]
    share = found["full"] / found["attempts"]
    new, tries = (
        sum(r.full - r.repeated for r in paper.QUEENS),
        sum(r.attempts for r in paper.QUEENS),
    )
    p = float(binom.sf(new - 1, tries, share))
    return when(
        p < 0.05,
        f"random placement that propagates the rules reaches {percent(share, 1)} of "
        f"attempts; against that the paper's table has p = {p:.2f}",
    )


@claim("5.8", "repeated boards [...] probably due to the recall of previous attempts", "queens")
def recall(measured: Measured) -> Finding:
    runs = measured.seeds("queens", "attempts-")
    shown, distinct = (sum(f[k] for f in runs) for k in ("shown", "distinct"))
    return Finding(
        "in part" if shown > distinct else "not reproduced",
        f"{shown} boards shown, {distinct} different (this library, with pins closed): boards are "
        "recalled, as by a control that only remembers",
    )


@claim("6", "uses it to boost the search for a solution of the puzzle", "queens")
def variety(measured: Measured) -> Finding:
    runs = measured.seeds("queens", "attempts-")
    ours, memory, joined = (
        sum(f["distinct"] for f in many)
        for many in (runs, [f["memory"] for f in runs], [f["joined"] for f in runs])
    )
    gains = [f["distinct"] - f["memory"]["distinct"] for f in runs]
    ahead, behind = sum(g > 0 for g in gains), sum(g < 0 for g in gains)
    p = float(binom.sf(ahead - 1, ahead + behind, 0.5)) if ahead + behind else 1.0
    return when(
        p < 0.05 and ours > joined,
        f"distinct boards: this library {ours}, closure with memory {memory}, "
        f"boards joined {joined}; "
        f"ahead of memory in {ahead} experiments, behind in {behind}, p = {p:.2g}",
    )


@claim("6", "algebraic learning can naturally incorporate any kind of extra relations")
def extra_relations(measured: Measured) -> Finding:
    algebra = Algebra(["v", "a", "b", "c"])
    algebra.add(algebra.relation(t) for t in ("v < a b", "v !< a c", "c < b"))
    steps = Embedding(algebra, random_state=0).build_dual().enforce_traces().cross_all().reduce()
    ok = all(steps.model.holds(r) for r in algebra.relations)
    return when(
        ok, "rules between constants are relations like examples, and both are enforced at once"
    )
