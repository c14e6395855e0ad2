"""What a type checker is told: hints say what values are."""

import inspect
from pathlib import Path
from typing import get_origin, get_type_hints

import pandas as pd
import pytest

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


@pytest.mark.parametrize("estimator", [KModes, CategoryEncoder])
def test_each_parameter_has_a_hint_that_fits_its_default(estimator):
    hints = get_type_hints(estimator.__init__)
    for name, parameter in inspect.signature(estimator).parameters.items():
        kinds = getattr(hints[name], "__args__", (hints[name],))
        assert type(parameter.default) in kinds, name
