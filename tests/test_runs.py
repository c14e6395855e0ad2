"""Stored rows of runs: never those of other code, never lost in silence, and a clear
word for a file that is no use.
"""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kmodes_study
from kmodes_study.core import jit
from kmodes_study.study import experiments as experiments_module
from kmodes_study.study import store as store_module
from kmodes_study.study import trials as trials_module
from kmodes_study.cluster.sampled import ALGORITHMS
from kmodes_study.core.codes import encode
from kmodes_study.study.programs import _program_text, row_makers
from kmodes_study.study.runs import (
    INITIALISATIONS,
    fingerprint,
    run_grid,
    run_keys,
    run_one,
)
from kmodes_study.study.store import StoreError, TrialStore

PACKAGE = Path(kmodes_study.__file__).parent
KEYS = run_keys([("random", 3)], inits=("cao", "huang"), seeds=range(3))


@pytest.fixture(scope="module")
def data():
    return dict(random=encode(np.random.RandomState(0).randint(4, size=(40, 5)))[0])


def same(one, other):
    return one.drop(columns="seconds").equals(other.drop(columns="seconds"))


def makers(package):
    return {path.relative_to(package).as_posix() for path in row_makers(package)}


def test_what_a_run_imports_makes_rows():
    names = makers(PACKAGE)
    assert {
        "core/jit.py",
        "core/codes.py",
        "core/kernels.py",
        "cluster/dissimilarity.py",
        "cluster/modes.py",
        "cluster/starts/basic.py",
        "cluster/algorithms/lloyd.py",
        "cluster/algorithms/swaps.py",
        "study/legacy.py",
        "study/trials.py",
    } <= names
    assert not [
        name
        for name in names
        if name.startswith(("compat", "describe/", "family/", "measures/"))
    ]
    assert not names & {
        "study/page.py",
        "command/own_table.py",
        "command/cli.py",
        "study/report.py",
        "study/runs.py",
    }
    # what was really loaded for a run is among them; more may be, of what is imported
    # in functions
    code = (
        "import kmodes_study.study.trials; import sys; print(*[m for m in "
        "sys.modules if 'kmodes_study' in m])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent
    )
    loaded = {
        name.replace(".", "/").removeprefix("kmodes_study/") + ".py"
        for name in done.stdout.split()
    }
    assert {name for name in loaded if (PACKAGE / name).is_file()} <= names


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy") / "kmodes_study"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


program_text = cache(_program_text)  # of each text once


def stamp(folder):
    "What marks the rows that the program in this folder makes."
    return {
        path.relative_to(folder).as_posix(): program_text(
            path.read_text(encoding="utf-8")
        )
        for path in row_makers(folder)
    }


@pytest.mark.parametrize(
    "module, line, counts",
    [
        ("study/page.py", "x = 1", False),
        ("command/cli.py", "x = 1", False),
        ("command/own_table.py", "x = 1", False),
        ("describe/plots.py", "x = 1", False),
        ("cluster/estimator.py", "x = 1", False),
        ("_modidx.py", "x = 1", False),
        ("cluster/algorithms/lloyd.py", "x = 1", True),
        ("core/kernels.py", "x = 1", True),
        ("study/runs.py", "x = 1", False),
        ("study/experiments.py", "x = 1", False),
        ("study/trials.py", "x = 1", True),
        (
            "cluster/algorithms/swaps.py",
            "def f():\n    from kmodes_study.describe import plots",
            True,
        ),
        ("cluster/algorithms/lloyd.py", "# a comment", False),
        ("core/kernels.py", "\n\n", False),
    ],
)
def test_a_line_makes_rows_stale_where_it_may_change_them(copied, module, line, counts):
    before, text = stamp(copied), (copied / module).read_text(encoding="utf-8")
    (copied / module).write_text(f"{text}\n{line}\n", encoding="utf-8")
    try:
        assert (stamp(copied) != before) == counts
    finally:
        (copied / module).write_text(text, encoding="utf-8")


def test_docstrings_make_no_row_stale(copied):
    module, before = copied / "cluster" / "algorithms" / "lloyd.py", stamp(copied)
    text = module.read_text(encoding="utf-8")
    changed = re.sub(
        r'^(    )"(?=[A-Z])', r'\1"Well: ', re.sub('^"""', '"""New. ', text), flags=re.M
    )
    assert changed.count("Well: ") > 3
    module.write_text(changed, encoding="utf-8")
    try:
        assert stamp(copied) == before
    finally:
        module.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "line",
    [
        "from .fresh import x",
        "from kmodes_study.cluster.fresh import x",
        "from kmodes_study.cluster import fresh",
        "import kmodes_study.cluster.fresh",
        "from . import fresh",
        "from . import some_name_of_the_package",
        "from kmodes_study.cluster import *",
        "import kmodes_study.cluster",
        "from .. import cluster",
        "def f():\n    from .fresh import x",
        "def f():\n    if f: import kmodes_study.cluster.fresh as y",
    ],
)
def test_a_new_module_that_a_maker_imports_makes_rows(copied, line):
    module = copied / "cluster" / "modes.py"
    text = module.read_text(encoding="utf-8")
    (copied / "cluster" / "fresh.py").write_text("from ..describe.plots import png\n")
    try:
        assert "cluster/fresh.py" not in makers(copied)
        module.write_text(f"{text}\n{line}\n", encoding="utf-8")
        assert {"cluster/fresh.py", "describe/plots.py"} <= makers(copied)
    finally:
        module.write_text(text, encoding="utf-8")
        (copied / "cluster" / "fresh.py").unlink()


GRID = """
import numpy as np
from kmodes_study.core.codes import encode
from kmodes_study.study.runs import run_grid, run_keys
codes, _ = encode(np.random.RandomState(0).randint(4, size=(40, 5)))
keys = run_keys([("random", 3)], inits=["cao"], seeds=[0])
rows = run_grid(keys, dict(random=codes), {store!r}, n_jobs=1, progress=False)
print(rows.initial_cost[0])
"""


def cost_of_copy(folder, store):
    "The initial cost that the package in this folder gives."
    environment = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", GRID.format(store=str(store))],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_rows_of_changed_code_are_computed_anew(tmp_path):
    shutil.copytree(
        PACKAGE, tmp_path / "kmodes_study", ignore=shutil.ignore_patterns("__pycache__")
    )
    before = cost_of_copy(tmp_path, tmp_path / "runs.sqlite")
    (module,) = (
        path
        for path in row_makers(tmp_path / "kmodes_study")
        if "\nINITIALISATIONS = " in path.read_text()
    )
    module.write_text(
        module.read_text()
        + (
            "\nINITIALISATIONS['cao'] = lambda codes, n_clusters, **options: "
            "codes[[0]*n_clusters]\n"
        )
    )
    after = cost_of_copy(tmp_path, tmp_path / "runs.sqlite")
    assert after != before
    with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
        measures = connection.execute("SELECT measures FROM trials").fetchall()
    costs = [json.loads(text)["initial_cost"][1] for (text,) in measures]
    assert sorted(costs) == sorted([before, after])


def test_fingerprint_depends_on_data_type_and_shape(data):
    codes = data["random"]
    marks = [
        fingerprint(c)
        for c in (codes, codes[::-1], codes.reshape(20, 10), codes.astype(np.uint16))
    ]
    assert len(set(marks)) == 4
    assert marks[0] == fingerprint(np.asfortranarray(codes))


def test_stored_rows_are_used_again(data, tmp_path):
    first = run_grid(KEYS, data, tmp_path / "runs.sqlite", n_jobs=1, progress=False)
    again = run_grid(KEYS, data, tmp_path / "runs.sqlite", n_jobs=1, progress=False)
    assert again.equals(first)  # seconds too: nothing ran


def test_a_row_that_the_file_lost_is_computed_again(data, tmp_path):
    whole = run_grid(KEYS, data, tmp_path / "runs.sqlite", progress=False)
    with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
        connection.execute("DELETE FROM trials WHERE seed = 1")
    assert same(run_grid(KEYS, data, tmp_path / "runs.sqlite", progress=False), whole)


@pytest.mark.parametrize("draws", [False, True])
def test_a_run_that_draws_nothing_is_made_once(data, monkeypatch, draws):
    made, job_rows = [], experiments_module.job_rows
    keys = run_keys(
        [("random", 3)],
        inits=("cao", "huang"),
        seeds=range(4),
        ties=("stable", "legacy"),
    )

    def counted(job):
        made.append(job.start[0].removeprefix("legacy-"))
        return job_rows(job)

    if draws:
        cao = INITIALISATIONS["cao"]

        def drawing(codes, n_clusters, random_state):
            random_state.rand()
            return cao(codes, n_clusters)

        monkeypatch.setitem(INITIALISATIONS, "cao", drawing)
    monkeypatch.setattr(experiments_module, "job_rows", counted)
    found = run_grid(keys, data, n_jobs=1, progress=False)
    # of the two starts of Cao's only the one of today was made to draw
    assert (made.count("cao"), made.count("huang")) == (5 if draws else 2, 8)
    untimed = found[found.seed > 0].query("init == 'cao'").seconds.isna()
    assert untimed.sum() == (3 if draws else 6)
    assert same(found, pd.DataFrame([run_one(data["random"], run) for run in keys]))


def test_keys_that_come_twice_come_back_twice(data):
    rows = run_grid([KEYS[0], KEYS[1], KEYS[0]], data, progress=False)
    assert len(rows) == 3
    assert rows.iloc[0].equals(rows.iloc[2])


@pytest.mark.parametrize(
    "run",
    [
        (np.str_("random"), np.uint8(3), "Cao", "HUANG", "stable", np.int64(0)),
        ["random", np.int16(3), "cao", "huang", "stable", np.uint64(0)],
    ],
    ids=["numpy", "list"],
)
def test_fields_become_python_values(data, tmp_path, run):
    expected = run_grid(KEYS[:1], data, tmp_path / "runs.sqlite", progress=False)
    assert run_grid([run], data, tmp_path / "runs.sqlite", progress=False).equals(
        expected
    )
    assert {type(value) for value in run_one(data["random"], run).values()} == {
        str,
        int,
        float,
    }


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(dataset=True), "dataset of a run must be a string, got True"),
        (dict(n_clusters=True), "n_clusters of a run must be a whole number"),
        (dict(n_clusters=3.0), "n_clusters of a run must be a whole number"),
        (dict(seed=-1), "seed of a run must be a whole number of at least 0"),
        (dict(init="kao"), "init of a run must be one of"),
        (dict(algorithm=None), "algorithm of a run must be one of"),
        (dict(ties="fair"), "ties of a run must be one of"),
        (
            dict(ties="legacy", algorithm="lloyd"),
            "must be 'huang', the only one of the 2020 paper",
        ),
        (dict(dataset="cars"), "data lacks"),
    ],
)
def test_what_cannot_be_run_is_refused_first(data, change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        run_grid([KEYS[0], KEYS[1]._replace(**change)], data, progress=False)


@pytest.mark.parametrize(
    "run", [("random", 3, "cao"), KEYS[0] + (1,), 5], ids=["short", "long", "number"]
)
def test_what_is_no_run_is_refused(data, run):
    with pytest.raises(
        TypeError,
        match=(
            r"a run must hold dataset, n_clusters, .* got .*: run_keys makes such runs"
        ),
    ):
        run_grid([KEYS[0], run], data, progress=False)


@pytest.mark.parametrize(
    "options, name",
    [
        (dict(batch_size=0), "batch_size"),
        (dict(batch_size=-1), "batch_size"),
        (dict(n_jobs=0), "n_jobs"),
        (dict(n_jobs=1.5), "n_jobs"),
    ],
)
def test_numbers_are_checked(data, options, name):
    with pytest.raises(ValueError, match=f"{name} must be"):
        run_grid(KEYS, data, progress=False, **options)


def test_codes_are_checked(data):
    with pytest.raises((ValueError, TypeError), match=r"data\['random'\]"):
        run_grid(KEYS, dict(random=data["random"] + 0.5), progress=False)


def other_schema(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE runs (dataset TEXT, cost INTEGER)")


def later_schema(path):
    TrialStore(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")


def no_database(path):
    path.write_text("dataset,cost\n" * 100)


def folder(path):
    path.mkdir()


def damaged(path):
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA page_size = 512")
    store = TrialStore(path)
    row = dict.fromkeys(store_module._COLUMNS, "a")
    row |= dict(start_seconds=0.1, run_seconds=0.1, measures={})
    store.add_trials([dict(row, seed=seed) for seed in range(300)])
    store.close()
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 2000] = b"x" * 2000
    path.write_bytes(content)


@pytest.mark.parametrize(
    "make", [other_schema, later_schema, no_database, folder, damaged]
)
def test_a_file_that_cannot_be_used_says_so(data, tmp_path, make):
    path = tmp_path / "runs.sqlite"
    make(path)
    with pytest.raises(
        StoreError,
        match=(
            r"runs.sqlite is no usable file of runs \(.+\): move it away or delete it"
        ),
    ):
        run_grid(KEYS, data, path, progress=False)


def test_a_full_disk_names_the_file_and_keeps_the_rows(data, tmp_path, monkeypatch):
    def limited(path):
        connection = opened(path)
        connection.execute("PRAGMA max_page_count = 8")
        return connection

    opened = store_module._open_store
    monkeypatch.setattr(store_module, "_open_store", limited)
    keys = run_keys([("random", 3)], inits=("cao",), seeds=range(300))
    with pytest.raises(
        StoreError, match=r"runs.sqlite cannot take more rows \(.*full\): make room"
    ):
        run_grid(
            keys,
            data,
            tmp_path / "runs.sqlite",
            n_jobs=1,
            progress=False,
            batch_size=1,
        )
    monkeypatch.undo()
    assert TrialStore(tmp_path / "runs.sqlite").trials("random")


def test_the_grid_knows_every_start_and_algorithm(data):
    keys = run_keys(
        [("random", 3)], inits=INITIALISATIONS, algorithms=ALGORITHMS, seeds=range(2)
    )
    rows = run_grid(keys, data, progress=False)
    assert len(rows) == 2 * len(INITIALISATIONS) * len(ALGORITHMS)
    assert "otqt" in set(rows.algorithm)
    assert (rows.best_cost <= rows.final_cost).all()
    assert rows.drop(columns="seconds").notna().all(axis=None)
    assert same(
        run_grid(keys[::-1], data, n_jobs=1, progress=False)[::-1].reset_index(
            drop=True
        ),
        rows,
    )
    assert pd.api.types.is_integer_dtype(rows.best_cost)


def test_seconds_are_taken_when_the_code_is_ready_and_belong_to_one_seed(
    data, monkeypatch
):
    """Obstacle 8: compilation counted, and one run of Cao's start gave its seconds to
    all seeds.
    """
    clock = iter(range(0, 10**6, 1000))
    monkeypatch.setattr(trials_module.time, "thread_time_ns", lambda: next(clock))
    monkeypatch.setattr(trials_module, "_WARM", set())
    monkeypatch.setattr(jit, "_made_ready", [])
    begun = []

    cao = INITIALISATIONS["cao"]

    def compiling(codes, n_clusters, random_state):
        begun.append("a call")
        if len(begun) < 3:
            jit._made_ready.append("as if a kernel had been compiled")
        return cao(codes, n_clusters)

    compiling.__module__ = trials_module.__name__
    monkeypatch.setitem(INITIALISATIONS, "cao", compiling)
    keys = run_keys([("random", 3)], inits=("cao",), seeds=range(3))
    rows = run_grid(keys, data, n_jobs=1, progress=False)
    # a rehearsal, a try in which something was compiled, and the one that counts
    assert len(begun) == 3
    assert rows.seconds[0] == 2e-6  # a microsecond for the start, and one for the rest
    assert rows.seconds[1:].isna().all()


def test_seconds_that_were_not_taken_come_back_as_they_were(data, tmp_path):
    keys = run_keys([("random", 3)], inits=("cao",), seeds=range(1, 3))
    first = run_grid(keys, data, tmp_path / "runs.sqlite", n_jobs=1, progress=False)
    again = run_grid(keys[1:], data, tmp_path / "runs.sqlite", progress=False)
    assert first.seconds.notna().tolist() == [True, False]
    assert again.seconds.dtype == float
    assert again.seconds.isna().all()
