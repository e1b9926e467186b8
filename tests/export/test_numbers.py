"""Exported regressors predict what ``predict`` does: each program is run as its users would."""

import json
import shutil
import sqlite3
import subprocess

import numpy as np
import pytest

from atomlearn import AlgebraicRegressor
from tests.export.test_programs import COLUMNS, c_cell, odd_rows, plain, table  # noqa: F401

KINDS = ("full", "card", "poisson", "rules", "limited card")


@pytest.fixture(scope="module")
def fitted(table):  # noqa: F811
    X, _, score = table
    price = (100 * score + 250).to_numpy()
    rules = [
        f'price <= 300 if "{COLUMNS[4]}" >= 1.8 and smoker = false',
        "price = 0 if rooms is missing and smoker = true",
        f'price rises with "{COLUMNS[3]}"',
        "price >= 0",
    ]
    full = AlgebraicRegressor(random_state=0, max_epochs=6).fit(X, price)
    ruled = AlgebraicRegressor(random_state=0, max_epochs=6, rules=rules[:2] + rules[3:])
    ruled.fit(X, _named(price))
    return {
        "full": full,
        "card": full.compact(6),
        "poisson": AlgebraicRegressor(loss="poisson", random_state=0, max_epochs=6).fit(
            X, np.exp(score).round()
        ),
        "rules": ruled,
        "limited card": ruled.compact(5),
    }


def _named(price):
    import pandas as pd

    return pd.Series(price, name="price")


@pytest.mark.parametrize("kind", KINDS)
def test_python(fitted, odd_rows, kind):  # noqa: F811
    reg, space = fitted[kind], {}
    exec(reg.export("python"), space)
    rows, wanted = plain(odd_rows), reg.predict(odd_rows)
    assert [space["predict"](row) for row in rows] == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    as_dict = dict(zip(COLUMNS, rows[0], strict=True))
    assert space["predict"](as_dict) == space["predict"](rows[0])
    with pytest.raises(ValueError, match="a row has 5 values, not 2"):
        space["predict"]([1, 2])


@pytest.mark.parametrize("kind", KINDS)
def test_onnx(fitted, odd_rows, kind, tmp_path):  # noqa: F811
    pytest.importorskip("onnx")
    from tests.export.test_onnx import run

    reg = fitted[kind]
    model = reg.to_onnx(tmp_path / "m.onnx")
    assert (tmp_path / "m.onnx").read_bytes() == model
    (found,) = run(model, odd_rows)
    assert found == pytest.approx(reg.predict(odd_rows), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_reasons_are_those_of_explain(fitted, odd_rows, kind):  # noqa: F811
    reg, space = fitted[kind], {}
    exec(reg.export("python"), space)
    limited = 0
    for i, row in enumerate(plain(odd_rows)[:30]):
        found, told = space["explain"](row), reg.explain(odd_rows.iloc[[i]])
        assert found["prediction"] == pytest.approx(told.prediction, rel=1e-9, abs=1e-9)
        assert found["offset"] == pytest.approx(told.offset)
        assert found["sum"] == pytest.approx(told.total)
        amounts = {text: amount for amount, text in found["reasons"]}
        assert amounts == pytest.approx({one.rule: one.amount for one in told.terms})
        assert len(found["limited_by"]) == len(told.rules)
        limited += len(told.rules)
    assert (limited > 0) == (kind in ("rules", "limited card"))


@pytest.mark.parametrize("kind", KINDS)
def test_sqlite(fitted, odd_rows, kind):  # noqa: F811
    reg, space = fitted[kind], {}
    exec(reg.export("python"), space)
    base = sqlite3.connect(":memory:")
    odd_rows.astype(object).where(odd_rows.notna(), None).to_sql('my "rows"', base, index=False)
    found = base.execute(reg.export("sql", table='my "rows"')).fetchall()
    wanted = reg.predict(odd_rows)
    assert [row for row, *_ in found] == list(range(1, len(wanted) + 1))
    assert [number for _, number, *_ in found] == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    for row, (_, _, rule, *reasons) in zip(plain(odd_rows), found, strict=True):
        told = space["explain"](row, most=3)
        assert (rule is not None) == bool(told["limited_by"])
        assert rule is None or rule in told["limited_by"]
        changes = [change for change in reasons[1::2] if change is not None]
        assert changes == pytest.approx([change for change, _ in told["reasons"]])


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_javascript(fitted, odd_rows, tmp_path):  # noqa: F811
    rows = plain(odd_rows)
    lines = ["const out = [];", f"const rows = {json.dumps(rows)};"]
    for i, kind in enumerate(KINDS):
        (tmp_path / f"m{i}.mjs").write_text(fitted[kind].export("js"), encoding="utf-8")
        lines.append(f'import * as m{i} from "./m{i}.mjs";')
        lines.append(f"out.push(rows.map((row) => [m{i}.predict(row), m{i}.explain(row, 2)]));")
    lines.append("console.log(JSON.stringify(out));")
    (tmp_path / "run.mjs").write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, check=True)
    for kind, told in zip(KINDS, json.loads(done.stdout), strict=True):
        reg, space = fitted[kind], {}
        exec(reg.export("python"), space)
        numbers = [number for number, _ in told]
        assert numbers == pytest.approx(reg.predict(odd_rows), rel=1e-9, abs=1e-9)
        for row, (_, one) in zip(rows, told, strict=True):
            same = space["explain"](row, most=2)
            assert one["limited_by"] == same["limited_by"]
            assert [tuple(reason) for reason in one["reasons"]] == same["reasons"]


MAIN = r"""
#include "model.c"
int main(void) {{
  static const atomlearn_cell rows[][ATOMLEARN_COLUMNS] = {{{rows}}};
  atomlearn_reason reasons[2];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {{
    printf("%.17g", atomlearn_predict(rows[i]));
    int n = atomlearn_explain(rows[i], 2, reasons);
    for (int j = 0; j < n; j++) {{ printf("\t"); atomlearn_print_reason(stdout, reasons[j]); }}
    printf("\n");
  }}
  return 0;
}}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("kind", KINDS)
def test_c(fitted, odd_rows, kind, tmp_path):  # noqa: F811
    reg, rows, space = fitted[kind], plain(odd_rows), {}
    exec(reg.export("python"), space)
    (tmp_path / "model.c").write_text(reg.export("c"), encoding="utf-8")
    cells = ",\n".join("{" + ", ".join(map(c_cell, row)) + "}" for row in rows)
    (tmp_path / "main.c").write_text(MAIN.format(rows=cells), encoding="utf-8")
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    subprocess.run(["gcc", *strict, "main.c", "-o", "main", "-lm"], cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, check=True)
    lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
    wanted = reg.predict(odd_rows)
    assert [float(one[0]) for one in lines] == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    for row, (_, *reasons) in zip(rows, lines, strict=True):
        told = space["explain"](row, most=2)
        same = [f"rule: {text}" for text in told["limited_by"][:1]]
        same += [f"{change:+.6g}  if {text}" for change, text in told["reasons"]]
        assert reasons == same[:2] or told["limited_by"]


def test_a_model_without_literals():
    space = {}
    exec(AlgebraicRegressor(random_state=0).fit([[1.0], [1.0]], [3.0, 3.0]).export("python"), space)
    assert space["predict"]([5.0]) == 3.0
