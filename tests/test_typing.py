"""What a type checker is told: hints say what values are."""

import inspect
from pathlib import Path
from typing import get_args, get_origin, get_type_hints

import pandas as pd
import pytest
from test_docstrings import CALLED

import kmodes_study
from kmodes_study import CategoryEncoder, KModes

TABLE = pd.DataFrame(
    {"colour": ["red", "blue", "red"] * 5, "size": ["small", "large", "large"] * 5}
)


def test_the_package_says_that_it_has_hints():
    assert Path(kmodes_study.__file__).with_name("py.typed").exists()


def is_of(value, hint):
    "Whether a value is what a hint says; a whole number may stand for a float."
    if hint is float:
        return isinstance(value, (int, float))
    return isinstance(value, get_origin(hint) or hint)


@pytest.mark.parametrize("estimator", [KModes(2), CategoryEncoder()], ids=repr)
def test_attributes_and_results_are_what_the_hints_say(estimator):
    fitted = estimator.fit(TABLE)
    for name, hint in get_type_hints(type(estimator)).items():
        assert is_of(getattr(fitted, name), hint), name
    for name in {"predict", "transform", "fit_predict", "score"} & {*dir(estimator)}:
        method = getattr(fitted, name)
        hint = get_type_hints(method).get("return", object)
        assert is_of(method(TABLE), hint), name


@pytest.mark.parametrize("name", [name for name in CALLED if "Error" not in name])
def test_a_hint_fits_the_default_of_its_parameter(name):
    value = CALLED[name]
    hints = get_type_hints(value.__init__ if isinstance(value, type) else value)
    for one, parameter in inspect.signature(value).parameters.items():
        if one in hints and parameter.default is not parameter.empty:
            kinds = get_args(hints[one]) or (hints[one],)
            assert any(is_of(parameter.default, kind) for kind in kinds), one
