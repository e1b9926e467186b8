"""The claims page: checks that can be run, and a page that is what they say."""

import ast
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from atomlearn.cli import app
from atomlearn.errors import DataNotFound, InvalidParameter
from atomlearn_paper.claims import (
    Measured,
    Verdict,
    check_all,
    claim_numbered,
    claims,
    html,
    markdown,
)
from atomlearn_paper.steps import read_json, write_json

RESULTS = Path(__file__).parents[2] / "docs" / "results"
SECTIONS = ("abstract", "1", "2.", "3.", "4", "5.", "Table", "Figure", "Theorem", "Algorithm", "D.",
            "E.", "6")  # fmt: skip


def command(*arguments):
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


def test_every_claim_has_a_short_quotation_a_section_and_a_place_in_the_order():
    found = claims()
    assert len(found) > 100 and list(found) == list(range(1, len(found) + 1))
    assert len({one.quote for one in found.values()}) == len(found)
    for one in found.values():
        assert 0 < len(one.quote) <= 110 and one.section.startswith(SECTIONS)


def test_a_rule_can_find_that_the_paper_is_right():
    for one in claims().values():
        assert "verdict" in one.row or "reproduced" in one.row, one.quote


def test_the_committed_pages_are_made_from_the_committed_findings():
    rows = read_json(RESULTS / "claims.json")["claims"]
    assert (RESULTS / "claims.md").read_text(encoding="utf-8") == markdown(rows)
    assert (RESULTS / "claims.html").read_text(encoding="utf-8") == html(rows)
    assert [(row["number"], row["section"], row["quote"]) for row in rows] == [
        (number, one.section, one.quote) for number, one in claims().items()
    ]
    assert {row["verdict"] for row in rows} <= set(get_args(Verdict))


def test_claims_that_rest_on_long_runs_say_what_the_committed_results_say():
    rows = {row["number"]: row for row in read_json(RESULTS / "claims.json")["claims"]}
    measured = Measured(RESULTS)
    resting = {number: one for number, one in claims().items() if one.needs}
    assert len(resting) > 40
    for number, one in resting.items():
        found = one.check(measured)
        assert (found.verdict, found.figure) == (rows[number]["verdict"], rows[number]["figure"])


@pytest.mark.slow
def test_all_claims_are_found_again():
    assert list(check_all(RESULTS)) == read_json(RESULTS / "claims.json")["claims"]


def test_one_claim_by_the_command(tmp_path, monkeypatch):
    number = next(n for n, one in claims().items() if one.quote.startswith("A > log"))
    done = command("claim", number)
    assert done.exit_code == 0 and "reproduced: 29.96" in done.output
    reading = next(n for n, one in claims().items() if one.needs == "mnist")
    done = command("claim", reading, "--out", RESULTS)
    assert done.exit_code == 0 and "made by: atomlearn reproduce mnist" in done.output
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataNotFound, match="run 'atomlearn reproduce mnist"):
        claim_numbered(reading).check(Measured(tmp_path))
    assert command("claim").exit_code == 2 and command("toy", 3).exit_code == 2
    with pytest.raises(InvalidParameter, match="numbered 1 to"):
        claim_numbered(10_000)


@given(st.integers(1, 7), st.integers(1, 5), st.integers(0, 10**6))
def test_theorem_2_discriminants_of_terms(n, n_witnesses, seed):
    """``(ξ < [k]) ⇔ ¬(φ_ξ < k)`` for all ξ iff ``GL([k]) = ∩ GL([c_i])``."""
    rng = np.random.default_rng(seed)
    witnesses = [
        frozenset(np.flatnonzero(rng.random(n) < 0.6).tolist()) for _ in range(n_witnesses)
    ]
    atoms = [frozenset(range(n)) - witness for witness in witnesses]  # φ_ξ: ¬(ξ < [c]) ⇔ φ_ξ < c
    k = frozenset(rng.choice(n, rng.integers(1, n + 1), replace=False).tolist())
    shared = {z for z, witness in enumerate(witnesses) if all(c in witness for c in k)}
    for z in range(n_witnesses):  # what the edges [k] → [c_i] allow [k]: a part of the shared
        below_k = shared - {z} if rng.random() < 0.5 else shared
        equivalent = all((x in below_k) == (not atoms[x] & k) for x in range(n_witnesses))
        assert equivalent == (below_k == shared)


def test_a_verdict_comes_from_a_rule_or_is_one_that_words_alone_show():
    for one in claims().values():
        rules = set(one.row) & set(get_args(Verdict))
        typed = one.row.get("verdict")
        assert bool(rules) != bool(typed), one.quote
        assert typed in (None, "misprint", "not checkable")
        known = {"section", "quote", "needs", "measure", "let", "verdict", "figure"}
        assert set(one.row) <= known | set(get_args(Verdict)), one.quote


def test_every_rule_is_data_and_nothing_is_fixed_beforehand():
    """A claim that is measured can fail: a rule is never a constant, and none ends in part."""
    for one in claims().values():
        for verdict in set(one.row) & set(get_args(Verdict)):
            used = {node.id for node in ast.walk(ast.parse(one.row[verdict]))
                    if isinstance(node, ast.Name)}  # fmt: skip
            assert used - {"True", "False"}, one.quote
        if "in part" in one.row or "better" in one.row:
            assert "reproduced" in one.row, one.quote


def test_quick_results_leave_claims_on_long_runs_open(tmp_path):
    one = next(one for one in claims().values() if one.needs == "bars")
    write_json(tmp_path / "bars" / "results.json", {"settings": {"quick": True}, "steps": []})
    assert one.check(Measured(tmp_path)).verdict == "not checkable"
