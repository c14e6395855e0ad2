"""What a wheel adds: every parameter of a public name that has a comment is in the docstring, and nothing else moves."""
import ast
import re
import sys

import pytest

from navigation import NOTEBOOKS

sys.path.append(str(NOTEBOOKS.parent/"site"))
from docstrings import rewritten  # noqa: E402
from reference import Module, modules, parameters  # noqa: E402

MODULES = {module.name: module for module in modules()}


def without_docstrings(text):
    "The tree of a module as text, its docstrings left out."
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node): del node.body[0]
    return ast.dump(tree)


@pytest.mark.parametrize("name", MODULES)
def test_only_docstrings_change_and_every_comment_is_in_them(name):
    module = MODULES[name]
    text = rewritten(module)
    assert without_docstrings(text) == without_docstrings(module.text)
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    for function in [node for node in module.tree.body if isinstance(node, ast.FunctionDef)]:
        if function.name not in module.public: continue
        said, words = ast.get_docstring(functions[function.name]) or "", lambda text: re.sub(r"\s+", "", text)
        for parameter in parameters(module, function):
            assert words(parameter.text) in words(said), (function.name, parameter)


def test_a_second_time_changes_nothing(tmp_path):
    for name, module in MODULES.items():
        file = tmp_path/f"{name}.py"
        file.write_text(rewritten(module), encoding="utf-8")
        again = Module(file)
        assert rewritten(again) == again.text, name


EXAMPLE = '''
__all__ = ["f"]
def f(
    a, # the first, `x`
    b:int=2, # the second,
    # on two lines
    *,
    c=None,
)->float: # what comes out
    "A sentence."
    return a
'''


def test_an_example(tmp_path):
    file = tmp_path/"example.py"
    file.write_text(EXAMPLE)
    said = ast.get_docstring(ast.parse(rewritten(Module(file))).body[1])
    assert said.splitlines() == ["A sentence.", "", "Parameters", "----------", "a", "    the first, `x`",
                                 "b : int, default=2", "    the second, on two lines",
                                 "", "Returns", "-------", "float", "    what comes out"]
