"""What a type checker is told: stubs name all that packages offer, and hints say what
values are.
"""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import get_origin, get_type_hints

import numpy as np
import pandas as pd
import pytest

import kmodes_study as ks
from kmodes_study import CategoryEncoder, KModes
from kmodes_study.data import loaders

PACKAGE = Path(ks.__file__).parent
TABLE = pd.DataFrame(
    {"colour": ["red", "blue", "red"] * 5, "size": ["small", "large", "large"] * 5}
)


def listed_modules(folder):
    "The modules whose names a package offers, as its `__init__.py` lists them."
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    (names,) = (
        call.args[1] for call in calls if getattr(call.func, "id", "") == "_lazy"
    )
    return list(ast.literal_eval(names))


def offered(stub):
    "The modules of which a stub offers all names, and the other names that it offers."
    text = stub.read_text(encoding="utf-8")
    return re.findall(r"^from \.([\w.]+) import \*$", text, re.M), re.findall(
        r"\bas (\w+)", text
    )


@pytest.mark.parametrize(
    "folder",
    [
        "cluster",
        "cluster/starts",
        "data",
        "describe",
        "exact",
        "family",
        "measures",
        "storage",
    ],
)
def test_the_stub_of_a_package_offers_its_modules(folder):
    listed = listed_modules(PACKAGE / folder)
    assert offered(PACKAGE / folder / "__init__.pyi") == (listed, [])
    assert listed


def test_the_stub_of_the_whole_offers_the_short_list():
    modules, names = offered(PACKAGE / "__init__.pyi")
    names += [
        name
        for module in modules
        for name in import_module(f"kmodes_study.{module}").__all__
    ]
    assert sorted([*names, "__version__"]) == sorted(dir(ks))


def test_the_stub_of_the_loaders_names_each_of_them_and_its_options():
    text = (PACKAGE / "data" / "loaders.pyi").read_text(encoding="utf-8")
    assert [*re.findall(r"^(\w+): _Loader$", text, re.M), "load"] == loaders.__all__
    options = set(inspect.signature(loaders.load).parameters) - {"name", "return_X_y"}
    assert set(re.findall(r"^    (\w+): ", text, re.M)) == options


def test_the_package_says_that_it_has_hints():
    assert (PACKAGE / "py.typed").exists()
    assert '"*.pyi", "py.typed"' in (PACKAGE.parent / "setup.py").read_text(
        encoding="utf-8"
    )


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
    for name in {"predict", "transform", "fit_predict", "score", "profiles"} & set(
        dir(estimator)
    ):
        method = getattr(fitted, name)
        assert is_of(method(TABLE), get_type_hints(method)["return"]), name


@pytest.mark.parametrize("estimator", [KModes, CategoryEncoder])
def test_each_parameter_has_a_hint_that_fits_its_default(estimator):
    hints = get_type_hints(estimator.__init__)
    parameters = inspect.signature(estimator).parameters
    assert set(hints) == set(parameters)
    for name, parameter in parameters.items():
        kinds = getattr(hints[name], "__args__", (hints[name],))
        assert type(parameter.default) in kinds, name


def test_a_float_is_no_array():
    assert is_of(1, float)
    assert is_of([1], list[int])
    assert not is_of(1.0, np.ndarray)
    assert not is_of("a", float)
