"""``atomlearn reproduce`` and ``data``: the experiments of the paper, and their data sets."""

from pathlib import Path
from typing import Annotated

import typer

from atomlearn import interrupts
from atomlearn.cli.output import Jobs, Seed, check_page, fail
from atomlearn.errors import suggest

ALL, CLAIM, CLAIMS = "all", "claim", "claims"
COMMITTED = Path("docs/results")
"""Results of the full run, in a copy of the repository."""


def reproduce(
    which: Annotated[
        str, typer.Argument(help="toy, bars, parity, mnist, queens or all; claim or claims.")
    ],
    number: Annotated[
        int | None, typer.Argument(help="The number of a claim, after 'claim'.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small sizes: seconds to minutes.")
    ] = False,
    out: Annotated[Path, typer.Option("--out", help="Folder for the results.")] = Path("results"),
    seed: Seed = 0,
    jobs: Jobs = 1,
    attempts: Annotated[
        int | None,
        typer.Option("--attempts", min=1, help="Attempts in each experiment with queens."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Re-run completed steps.")] = False,
) -> None:
    """Run the paper's experiments; writes JSON, CSV, PNG and an HTML page for each.

    An interrupted run continues where it stopped. 'claim 27' checks one sentence of the paper,
    'claims' all of them: quick checks are run, others read the results in --out.
    """
    from atomlearn_paper import NAMES
    from atomlearn_paper.run import reproduce_all
    from atomlearn_paper.steps import Setting

    if which not in (*NAMES, ALL, CLAIM, CLAIMS):
        fail(f"there is no experiment {which!r}{suggest(which, (*NAMES, ALL, CLAIM, CLAIMS))}")
    if (which == CLAIM) != (number is not None):
        fail("a number goes with 'claim', and with nothing else: atomlearn reproduce claim 27")
    if number is not None:
        _claim(number, out)
        return
    if jobs == 0:
        fail("--jobs must be a number of processes, or -1 for one per core")
    check_page(out / "index.html")
    if which == CLAIMS:
        from atomlearn_paper.claims import write_claims

        for page in write_claims(out):
            print(page)
        return
    names = NAMES if which == ALL else (which,)
    setting = Setting(quick, seed, attempts)
    try:
        pages = reproduce_all(names, out, setting, n_jobs=jobs, again=again)
    except KeyboardInterrupt as error:
        code = interrupts.exit_code(error)
        fail("interrupted; run the same command again to continue", code)
    for page in pages:
        print(page)


def _claim(number: int, out: Path) -> None:
    """Check one claim and print the result."""
    from atomlearn_paper.claims import Measured, claim_numbered

    one = claim_numbered(number)
    folder = out if out.exists() or not COMMITTED.exists() else COMMITTED
    found = one.check(Measured(folder))
    print(f"{number}. Section {one.section}: {one.quote}")
    print(f"{found.verdict}: {found.figure}")
    if one.needs:
        print(f"read from {folder}; made by: {one.command}")


def data(
    which: Annotated[str, typer.Argument(help="mnist, fashion-mnist or german-credit.")],
    to: Annotated[
        Path | None,
        typer.Option("--to", help="Store the files here instead of in the user's cache."),
    ] = None,
) -> None:
    """Download a data set if needed, verify it, and print where it is: a folder, or a CSV file."""
    from atomlearn.datasets import CREDIT, SETS, provide, provide_credit

    if which == CREDIT:
        print(provide_credit(to))
        return
    if which not in SETS:
        fail(f"there is no data set {which!r}{suggest(which, (*SETS, CREDIT))}")
    print(provide(SETS[which], to))
