"""Docstrings of what users call say of parameters what the signature says."""

import inspect
import math
import re
import sys
from importlib import import_module

import pytest
from numpydoc.validate import validate

PACKAGES = "cluster measures family describe data exact storage study compat".split()
OFFERED = {
    f"{package}.{name}": getattr(import_module(f"kmodes_study.{package}"), name)
    for package in PACKAGES
    for name in import_module(f"kmodes_study.{package}").__all__
}
CALLED = {name: value for name, value in OFFERED.items() if callable(value)}
ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : (.*))?$", re.MULTILINE)


def described(text):
    "The parameters of a docstring, each with its default as text, or None."
    section = re.search(
        r"^Parameters\n-+\n(.*?)(?=\n\n?\w[\w ]*\n-{3,}|\Z)", text, re.S | re.M
    )
    said = {}
    for names, kind in ENTRY.findall(section[1] if section else ""):
        default = re.search(r"(?:^|, )default=(.+)$", kind)
        said |= {name: default and default[1] for name in names.split(", ")}
    return said


@pytest.mark.parametrize("name", CALLED)
def test_a_docstring_has_the_parameters_of_the_signature(name):
    value = CALLED[name]
    text = inspect.getdoc(value)
    assert text, "what users call has a docstring"
    said = described(text)
    try:
        known = inspect.signature(value).parameters
    except ValueError:
        return
    if not said:
        return
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    names = {stars.get(one.kind, "") + one.name: one.default for one in known.values()}
    assert {*said} == {*names}
    space = vars(sys.modules[value.__module__]) | vars(math)
    for one, default in said.items():
        if default:
            assert eval(default, dict(space)) == names[one], one


# a summary that is a sentence; each parameter is told, in order, with a description;
# what comes back is told
RULES = {"SS01", "SS03", "SS04", "PR01", "PR02", "PR03", "PR07", "PR10", "RT01", "RT03"}


@pytest.mark.parametrize("name", CALLED)
def test_a_docstring_has_the_form_of_numpydoc(name):
    # a named tuple tells its fields as attributes
    rules = RULES - ({"PR01"} if isinstance(CALLED[name], type) else set())
    found = validate(f"kmodes_study.{name}")["errors"]
    assert [fault for fault in found if fault[0] in rules] == []
