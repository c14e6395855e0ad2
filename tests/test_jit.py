"""Machine code is kept, is renewed where a module of its callees changes, and can be done without."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kmodes_study

FIRST = """
from .jit import kernel
@kernel(inner=True)
def agree(one, other, i): return one[i] == other[i]
"""
SECOND = """
from .first import agree
from .jit import kernel
@kernel
def agreements(one, other):
    count = 0
    for i in range(len(one)): count += agree(one, other, i)
    return count
"""
COUNT = """
import numpy as np
from kmodes_study.core.second import agreements
print(agreements(np.array([0, 1, 1]), np.array([1, 1, 1])), agreements.stats.cache_hits.total())
"""


def count(folder):
    "The agreements that the package in `folder` counts, and how much came from the cache."
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA")}
    done = subprocess.run(
        [sys.executable, "-B", "-c", COUNT],
        cwd=folder,
        env=environment | dict(PYTHONPATH=str(folder), HOME=str(folder / "home")),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def package(tmp_path):
    "The decorator, and two modules of kernels of which the second needs the first."
    core = tmp_path / "kmodes_study" / "core"
    core.mkdir(parents=True)
    (core.parent / "__init__.py").touch()
    (core / "__init__.py").touch()
    for name in "jit", "checks":
        shutil.copy(Path(kmodes_study.__file__).parent / "core" / f"{name}.py", core)
    (core / "first.py").write_text(FIRST)
    (core / "second.py").write_text(SECOND)
    return tmp_path


def test_a_change_of_the_callee_renews_its_callers(package):
    assert count(package) == "2 0"
    assert count(package) == "2 1"
    first = package / "kmodes_study" / "core" / "first.py"
    first.write_text(FIRST.replace("==", "!="))
    assert count(package) == "1 0"
    first.write_text(FIRST)
    assert count(package) == "2 1"


def test_a_folder_that_cannot_be_written_is_done_without(package):
    core = package / "kmodes_study" / "core"
    (core / "__pycache__").touch()  # a file, where numba wants a folder
    (package / "home").touch()
    assert count(package) == "2 0"
    assert count(package) == "2 0"
