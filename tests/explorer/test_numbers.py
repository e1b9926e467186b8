"""The page of a regressor computes what ``predict`` and ``predict_interval`` do."""

import json
import math

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from atomlearn import AlgebraicRegressor
from atomlearn.errors import InvalidParameter
from atomlearn.explorer.numbers import number_data
from atomlearn.explorer.page import page_data
from tests.explorer import node

SCRIPT = """
import { NumberScorer } from "./number.js";
import { unpacked } from "./unpack.js";
const scorer = new NumberScorer(data.page, await unpacked(data.page.model));
console.log(JSON.stringify(data.rows.map((row) => {
  const has = scorer.scorer.truth(row);
  const told = scorer.told(has);
  const amounts = scorer.amounts(has);
  const texts = amounts.map((one) => [one.text, one.amount]);
  return [told.number, told.low, told.high, told.sum, texts, told.rules.length];
})));
"""


@pytest.fixture(scope="module", params=["full", "card", "poisson"])
def fitted(request):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    loss = "poisson" if request.param == "poisson" else "squared"
    rules = ["target rises with bmi", "target >= 60", "target <= 110 if bmi < -0.05"]
    reg = AlgebraicRegressor(random_state=0, loss=loss, rules=rules, max_epochs=10).fit(X, y)
    return (reg.compact(6) if request.param == "card" else reg), X


@node.needs_node
def test_predictions_intervals_and_amounts(fitted, tmp_path):
    reg, X = fitted
    rows = X.iloc[::7].astype(object)
    rows.iloc[::5, 2] = None
    page = number_data(reg)
    json.dumps(page, allow_nan=False)
    cells = [[None if one is None else float(one) for one in row] for row in rows.to_numpy()]
    told = node.run(SCRIPT, {"page": page, "rows": cells}, tmp_path)
    given = rows.astype(float)
    assert [one[0] for one in told] == pytest.approx(reg.predict(given), rel=1e-9)
    ends = np.array([one[1:3] for one in told])
    assert ends == pytest.approx(reg.predict_interval(given), rel=1e-9)
    for i, (_, _, _, total, amounts, n_rules) in enumerate(told):
        wanted = reg.explain(given.iloc[[i]])
        assert total == pytest.approx(wanted.total)
        assert dict(amounts) == pytest.approx({one.rule: one.amount for one in wanted.terms})
        assert (n_rules > 0) == (len(wanted.rules) > 0)


def test_examples_have_the_numbers_of_their_rows(fitted):
    reg, _ = fitted
    page = page_data(reg)
    assert page["kind"] == "number" and 10 < len(page["examples"]) <= 100
    numbers = {one["number"] for one in page["examples"]}
    _, y = load_diabetes(return_X_y=True)
    assert all(any(math.isclose(one, value) for value in y) for one in numbers)
    with pytest.raises(InvalidParameter, match="page of a classifier"):
        page_data(reg, [[0.0]], [1.0])
