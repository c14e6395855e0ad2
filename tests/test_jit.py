"""The cache of machine code: a damaged file is compiled again, and gives the same."""
import gc
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import kmodes_study
from kmodes_study.core import jit

FIRST = """
from typing import NamedTuple
from .jit import kernel
class Pair(NamedTuple):
    one: object
    other: object
@kernel(inner=True)
def agree(pair, i): return pair.one[i] == pair.other[i]
"""
SECOND = """
from .first import Pair, agree
from .jit import kernel
@kernel
def agreements(pair):
    count = 0
    for i in range(len(pair.one)): count += agree(pair, i)
    return count
"""
COUNT = """
import numpy as np
from kmodes_study.second import Pair, agreements
print(agreements(Pair(np.array([0, 1, 1]), np.array([1, 1, 1]))), agreements.stats.cache_hits.total())
"""


def count(folder, code=COUNT):
    "How many agreements the package in `folder` counts, how much of the code came from the cache, and its error."
    switches = "NUMBA_CACHE_DIR", "KMODES_STUDY_CACHE", "NUMBA_DISABLE_JIT"
    environment = {key: value for key, value in os.environ.items() if key not in switches}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment | dict(PYTHONPATH=str(folder)),
                          capture_output=True, text=True)
    return done.stdout.strip(), done.stderr


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    "A copy of the package with two small modules of kernels, the second of which needs the first; its cache is filled."
    folder = tmp_path_factory.mktemp("package")
    ours = Path(kmodes_study.__file__).parent
    shutil.copytree(ours, folder/"kmodes_study", ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in dict(first=FIRST, second=SECOND).items(): (folder/"kmodes_study"/f"{name}.py").write_text(text)
    assert count(folder) == ("2 0", "")
    assert count(folder) == ("2 1", "")
    return folder


@pytest.mark.parametrize("kind, left", [("nbi", 40), ("nbc", 0)])
def test_a_damaged_file_of_the_cache_is_compiled_again(package, kind, left):
    file, = package.rglob(f"second.agreements*.{kind}")
    file.write_bytes(file.read_bytes()[:left])
    assert count(package) == ("2 0", "")


def test_a_type_that_has_gone_is_no_error(package):
    for name in "first", "second":
        module = package/"kmodes_study"/f"{name}.py"
        module.write_text(module.read_text().replace("Pair", "Other"))
    assert count(package, COUNT.replace("Pair", "Other")) == ("2 0", "")


FULL = """
import resource, signal, warnings
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
import numpy as np
from kmodes_study.core.kernels import mismatches
counter, columns = np.zeros(2, np.uint8), np.array([[0, 1], [1, 1]], np.uint8)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("default")
    mismatches(columns, 0, columns[1], counter)
print(counter, str(said[0].message).split(" (")[0], "NUMBA_CACHE_DIR" in str(said[0].message))
"""


def test_a_full_disk_is_a_warning(tmp_path):
    package = Path(kmodes_study.__file__).parents[1]
    places = dict(NUMBA_CACHE_DIR=str(tmp_path), PYTHONPATH=str(package))
    environment = {**os.environ, **places, "KMODES_STUDY_CACHE": "1"}
    done = subprocess.run([sys.executable, "-c", FULL], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "[1 0] compiled code cannot be kept True", done.stderr


def test_a_word_while_it_compiles(capsys, monkeypatch):
    "After a second of this package's kernels, once; a nested function counts with the one that needs it."
    def told(module, *durations):
        clock, patience = [0.], jit._Patience()
        monkeypatch.setattr(jit, "perf_counter", lambda: clock[0])
        event = SimpleNamespace(data=dict(dispatcher=SimpleNamespace(py_func=SimpleNamespace(__module__=module))))
        for duration in durations:
            patience.on_start(event)
            patience.on_start(event)
            patience.on_end(event)
            clock[0] += duration
            patience.on_end(event)
        return capsys.readouterr().err.count("compiling")
    assert told("kmodes_study.core.kernels", .6, .3) == told("kmodes_study.core.kernels", 5) == 0  # nothing comes after it
    assert told("kmodes_study.core.kernels", .6, .6, .1, .1) == 1
    assert told("somebody.else", .6, .6, .1) == 0


def test_no_cycles_are_looked_for_while_it_compiles():
    "Of this package's kernels; what the caller has chosen comes back, and other people's functions are no concern."
    def seen(module, before):
        rest, function = jit._Rest(), SimpleNamespace(__module__=module)
        outer, inner = (SimpleNamespace(data=dict(dispatcher=SimpleNamespace(py_func=function))) for _ in range(2))
        (gc.enable if before else gc.disable)()
        try:
            rest.on_start(outer)
            rest.on_start(inner)
            rest.on_end(inner)
            within = gc.isenabled()
            rest.on_end(outer)
            return within, gc.isenabled()
        finally: gc.enable()
    assert seen("kmodes_study.core.kernels", True) == (False, True)
    assert seen("kmodes_study.core.kernels", False) == (False, False)
    assert seen("somebody.else", True) == (True, True)
