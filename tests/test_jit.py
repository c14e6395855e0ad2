"""The cache of machine code: a damaged file is compiled again, and gives the same. What
happens while numba compiles.
"""

import gc
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import FunctionType, SimpleNamespace

import numba
import pytest
from numba.core import event
from numba.core.caching import NullCache
from numba.core.errors import TypingError

import kmodes_study
from kmodes_study.core import jit
from kmodes_study.core.kernels import mismatches

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
from .third import BEGIN
@kernel(inner=True)
def begin(): return BEGIN
@kernel
def agreements(pair):
    count = begin()
    for i in range(len(pair.one)): count += agree(pair, i)
    return count
"""
COUNT = """
import numpy as np
from kmodes_study.second import Pair, agreements
print(agreements(Pair(np.array([0, 1, 1]), np.array([1, 1, 1]))), agreements.stats.cache_hits.total())
"""


def count(folder, code=COUNT):
    """How many agreements the package in `folder` counts, how much of the code came
    from the cache, and its error.
    """
    switches = "NUMBA_CACHE_DIR", "KMODES_STUDY_CACHE", "NUMBA_DISABLE_JIT"
    environment = {
        key: value for key, value in os.environ.items() if key not in switches
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment | dict(PYTHONPATH=str(folder)),
        capture_output=True,
        text=True,
    )
    return done.stdout.strip(), done.stderr


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package with two small modules of kernels, the second of which
    needs the first; its cache is filled.
    """
    folder = tmp_path_factory.mktemp("package")
    ours = Path(kmodes_study.__file__).parent
    shutil.copytree(
        ours, folder / "kmodes_study", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name, text in dict(first=FIRST, second=SECOND, third="BEGIN = 0").items():
        (folder / "kmodes_study" / f"{name}.py").write_text(text)
    assert count(folder) == ("2 0", "")
    assert count(folder) == ("2 1", "")
    return folder


@pytest.mark.parametrize("kind, left", [("nbi", 40), ("nbc", 0)])
def test_a_damaged_file_of_the_cache_is_compiled_again(package, kind, left):
    (file,) = package.rglob(f"second.agreements*.{kind}")
    file.write_bytes(file.read_bytes()[:left])
    assert count(package) == ("2 0", "")


def test_a_number_that_changes_in_another_module_is_seen(package):
    "Though the kernel that is called names it only by another kernel."
    third = package / "kmodes_study" / "third.py"
    third.write_text("BEGIN = 100")
    assert count(package) == ("102 0", "")
    third.write_text("BEGIN = 0")
    assert count(package) == ("2 0", "")
    assert count(package) == ("2 1", "")


def test_a_type_that_has_gone_is_no_error(package):
    for name in "first", "second":
        module = package / "kmodes_study" / f"{name}.py"
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
    done = subprocess.run(
        [sys.executable, "-c", FULL], env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[1 0] compiled code cannot be kept True", done.stderr


def test_a_word_while_it_compiles(capsys, monkeypatch):
    """After a second of this package's kernels, once; a nested function counts with the
    one that needs it.
    """

    def told(module, *durations):
        clock, patience = [0.0], jit._Patience()
        monkeypatch.setattr(jit, "perf_counter", lambda: clock[0])
        event = SimpleNamespace(
            data=dict(
                dispatcher=SimpleNamespace(py_func=SimpleNamespace(__module__=module))
            )
        )
        for duration in durations:
            patience.on_start(event)
            patience.on_start(event)
            patience.on_end(event)
            clock[0] += duration
            patience.on_end(event)
        return capsys.readouterr().err.count("compiling")

    kernels = "kmodes_study.core.kernels"
    assert told(kernels, 0.6, 0.3) == told(kernels, 5) == 0  # nothing comes after it
    assert told(kernels, 0.6, 0.6, 0.1, 0.1) == 1
    assert told("somebody.else", 0.6, 0.6, 0.1) == 0


class Watch(event.Listener):
    "Notes whether Python searches for cycles whenever numba begins or ends to compile."

    def __init__(self):
        self.seen = []

    def on_start(self, event):
        self.seen.append(gc.isenabled())

    on_end = on_start


def double(x):
    return 2 * x


def call_wrongly(x):
    return x.no_such_attribute


def compiled_in(module, function):
    "A kernel as if it were written in a module of this name."
    copy = FunctionType(
        function.__code__, dict(function.__globals__), function.__name__
    )
    copy.__module__ = module
    return jit.kernel(copy)


@pytest.fixture
def searching():
    "Python searches for cycles, before a test and after it."
    gc.enable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    "module, before, within",
    [
        ("kmodes_study.somewhere", True, False),
        ("kmodes_study.somewhere", False, False),
        ("somebody.else", True, True),
    ],
)
def test_no_cycles_are_looked_for_while_a_kernel_compiles(
    searching, monkeypatch, module, before, within
):
    """Of this package's kernels; what the caller has chosen comes back, and other
    people's functions are no concern.
    """
    monkeypatch.setenv("KMODES_STUDY_CACHE", "0")
    function = compiled_in(module, double)
    if not before:
        gc.disable()
    with event.install_listener("numba:compile", Watch()) as watch:
        assert function(21) == 42
    assert set(watch.seen) == {within}
    assert gc.isenabled() == before


def test_cycles_are_looked_for_again_when_compiling_fails(searching, monkeypatch):
    monkeypatch.setenv("KMODES_STUDY_CACHE", "0")
    function = compiled_in("kmodes_study.somewhere", call_wrongly)
    with pytest.raises(TypingError):
        function(1)
    assert gc.isenabled()


def test_cycles_are_looked_for_again_when_the_last_of_several_threads_has_compiled(
    searching,
):
    rest, states = jit._Rest(), []
    both_within, may_go = threading.Barrier(2), threading.Event()

    def compile_long():
        with rest:
            both_within.wait()
            may_go.wait()

    thread = threading.Thread(target=compile_long)
    thread.start()
    with rest:
        both_within.wait()
        states.append(gc.isenabled())
    states.append(gc.isenabled())
    may_go.set()
    thread.join()
    states.append(gc.isenabled())
    assert states == [False, False, True]


IMPORTED = """
import gc
before = gc.isenabled(), gc.get_threshold(), len(gc.callbacks)
import numba
from numba.core import event
import kmodes_study.cluster, kmodes_study.family, kmodes_study.measures
from kmodes_study import KModes
from kmodes_study.core import jit
class Watch(event.Listener):
    def on_start(self, event): seen.append(gc.isenabled())
    on_end = on_start
def double(x): return 2*x
double.__module__, seen = "kmodes_study.somewhere", []
with event.install_listener("numba:compile", Watch()): numba.njit(double)(1)
print(before == (gc.isenabled(), gc.get_threshold(), len(gc.callbacks)), set(seen))
"""


def test_importing_leaves_the_search_for_cycles_alone():
    "Also while numba compiles what is no kernel, whatever its module is called."
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED], capture_output=True, text=True
    )
    assert done.stdout.strip() == "True {True}", done.stderr


def test_this_numba_lets_a_kernel_be_kept():
    """The one private attribute of numba that is used. Where this fails, no machine
    code is kept between processes.
    """
    own = numba.njit(double)
    moved = "numba has another place for a cache: see `jit._keep_on_disk`"
    assert isinstance(own._cache, NullCache), moved
    assert isinstance(mismatches._cache, jit._KernelCache), moved


def test_a_numba_without_a_place_for_a_cache_works_without_one(monkeypatch):
    class Other:
        "What is in the attribute of no version of numba."

    monkeypatch.setenv("KMODES_STUDY_CACHE", "1")
    monkeypatch.setattr(jit, "NullCache", Other)
    function = compiled_in("kmodes_study.somewhere", double)
    assert function(21) == 42
    assert function.stats.cache_path is None
