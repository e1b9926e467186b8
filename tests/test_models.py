"""The same seed gives the same models as before; see ``tests/models.py`` for when it should not."""

import json
import warnings

import pytest

from tests.models import MODELS, STORED

KNOWN = json.loads(STORED.read_text(encoding="utf-8"))


def test_every_model_is_stored():
    assert KNOWN.keys() == MODELS.keys()


@pytest.mark.parametrize("name", MODELS)
def test_the_model_is_as_stored(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert MODELS[name]() == KNOWN[name]
