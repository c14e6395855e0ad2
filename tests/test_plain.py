"""The plain forms stand on nothing: numpy, the standard library, each other."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from kmodes_study import plain

MODULES = sorted(Path(plain.__file__).parent.glob("*.py"))


def imported(path):
    "The roots of what a module imports, anywhere in it; None for a module beside it."
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom):
            yield None if node.level == 1 else node.module.partition(".")[0]


def test_there_are_plain_forms():
    assert {"modes", "kmodes", "starts", "transfers", "swaps", "silhouette"} < {
        path.stem for path in MODULES
    }


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_plain_form_needs_numpy_at_most(path):
    beyond = set(imported(path)) - {None, "numpy"}
    assert beyond <= sys.stdlib_module_names


def test_plain_forms_are_imported_without_what_is_compiled():
    modules = [
        f"kmodes_study.plain.{path.stem}" for path in MODULES if path.stem != "__init__"
    ]
    compiled = {"numba", "pandas", "scipy", "sklearn"}
    code = (
        f"import sys, {', '.join(modules)}; print(sorted({compiled} & "
        "set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_a_plain_form_runs_without_the_rest():
    code = """
import sys
for name in "numba", "pandas", "scipy", "sklearn": sys.modules[name] = None
from kmodes_study.plain.kmodes import lloyd
print(lloyd([[0, 0], [0, 1], [2, 2], [2, 1]], [[0, 0], [2, 2]])[0])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[0, 0, 1, 1]", done.stdout + done.stderr
