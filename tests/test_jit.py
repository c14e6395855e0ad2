"""The cache of machine code: a damaged file is compiled again, and gives the same."""
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import kmodes_study
from kmodes_study import jit

FIT = "from kmodes_study.cluster import otqt; print(otqt([[0, 1], [0, 1], [1, 0]], [[0, 1], [1, 0]]).cost)"


def fit(folder):
    "The output of a small fit with the package in `folder`, and its error."
    switches = "NUMBA_CACHE_DIR", "KMODES_STUDY_CACHE", "NUMBA_DISABLE_JIT"
    environment = {key: value for key, value in os.environ.items() if key not in switches}
    done = subprocess.run([sys.executable, "-c", FIT], cwd=folder, env=environment | dict(PYTHONPATH=str(folder)),
                          capture_output=True, text=True)
    return done.stdout.strip(), done.stderr


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    "A copy of the package whose cache is filled."
    folder = tmp_path_factory.mktemp("package")
    ours = Path(kmodes_study.__file__).parent
    shutil.copytree(ours, folder/"kmodes_study", ignore=shutil.ignore_patterns("__pycache__"))
    assert fit(folder) == ("0", "")
    return folder


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_damaged_file_of_the_cache_is_compiled_again(package, kind):
    files = [file for file in package.rglob(f"*.{kind}") if "lanes" in file.name]
    assert files
    for number, file in enumerate(files): file.write_bytes(b"" if number % 2 else file.read_bytes()[:40])
    assert fit(package) == ("0", "")


def test_a_type_that_has_gone_is_no_error(package):
    module = package/"kmodes_study"/"cluster"/"lanes.py"
    module.write_text(module.read_text(encoding="utf-8").replace("ClusterTables", "OtherTables"), encoding="utf-8")
    search = package/"kmodes_study"/"cluster"/"search.py"
    search.write_text(search.read_text(encoding="utf-8").replace("ClusterTables", "OtherTables"), encoding="utf-8")
    assert fit(package) == ("0", "")


FULL = """
import resource, signal, warnings
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
import numpy as np
from kmodes_study.columns import mismatches
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
    assert told("kmodes_study.columns", .6, .3) == told("kmodes_study.columns", 5) == 0  # nothing comes after it
    assert told("kmodes_study.columns", .6, .6, .1, .1) == 1
    assert told("somebody.else", .6, .6, .1) == 0
