"""The store of runs: each row is kept under the mark of its own data, and rows of
another program count once a part of them has come out again.
"""

import re
import sqlite3
import warnings
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from kmodes_study.command.cli import main
from kmodes_study.study import experiments as experiments_module
from kmodes_study.study.experiments import (
    data_mark,
    drawn_part,
    experiment,
    table_and_method,
)
from kmodes_study.study.runs import fingerprint, run_grid, run_keys
from kmodes_study.study.store import (
    StoreWarning,
    TrialKey,
    TrialStore,
    list_rows,
    stored_rows,
)


def test_rows_of_two_sets_in_one_batch_have_each_its_own_mark(tmp_path):
    data = {
        name: np.random.RandomState(seed).randint(3, size=(20, 3)).astype(np.uint8)
        for seed, name in enumerate(("first", "second"))
    }
    keys = run_keys([(name, 2) for name in data], inits=["random"], seeds=range(3))
    run_grid(keys, data, tmp_path / "runs.sqlite", n_jobs=1, progress=False)
    with closing(TrialStore(tmp_path / "runs.sqlite")) as store:
        for name, codes in data.items():
            rows = store.trials(name, "", data_mark(codes))
            assert [row["seed"] for row in rows] == [0, 1, 2]
            marks = {f"{row['data']}-{row['program']}" for row in rows}
            assert marks == {fingerprint(codes)}


KEYS = run_keys([("random", 3)], inits=["cao", "random"], seeds=range(100))


@pytest.fixture(scope="module")
def data():
    return dict(
        random=np.random.RandomState(0).randint(4, size=(40, 5)).astype(np.uint8)
    )


def grid(store, data, monkeypatch, program):
    """The rows of the grid under the mark of a program, the runs that were made, and
    the warnings.
    """
    made, job_rows = [], experiments_module.job_rows

    def counted(job):
        made.append((job.start[0], job.seed))
        return job_rows(job)

    with monkeypatch.context() as patch, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        patch.setattr(experiments_module, "program_mark", lambda: program)
        patch.setattr(experiments_module, "job_rows", counted)
        rows = run_grid(KEYS, data, store, n_jobs=1, progress=False)
    return (
        rows,
        made,
        [str(each.message) for each in said if each.category is StoreWarning],
    )


def changed(store, change, where):
    "The rows of a store after a change."
    with closing(TrialStore(store)) as opened, opened.connection:
        opened.connection.execute(f"UPDATE trials SET {change} WHERE {where}")


def test_rows_of_another_program_are_carried_over_once_a_twentieth_comes_out_again(
    data, tmp_path, monkeypatch
):
    store = tmp_path / "runs.sqlite"
    first, made, said = grid(store, data, monkeypatch, "a" * 64)
    assert (len(made), said) == (101, [])  # Cao's start draws nothing
    again, made, said = grid(store, data, monkeypatch, "b" * 64)
    assert again.drop(columns="seconds").equals(first.drop(columns="seconds"))
    assert len(said) == 1
    assert re.fullmatch(
        "200 stored rows of another version .*: 10 of them, drawn .*", said[0]
    )
    assert len(made) == 1 + 5  # five rows of Cao's start are one run
    third, made, said = grid(store, data, monkeypatch, "b" * 64)
    # from now on they are rows of this program
    assert third.equals(again)
    assert made == said == []


def test_a_drawn_row_that_differs_makes_all_stale(data, tmp_path, monkeypatch):
    store = tmp_path / "runs.sqlite"
    first, _, _ = grid(store, data, monkeypatch, "a" * 64)
    changed(store, "cost = cost + 1", "start = 'random'")
    again, made, said = grid(store, data, monkeypatch, "b" * 64)
    assert said == []
    assert len(set(made)) == 101
    assert again.drop(columns="seconds").equals(first.drop(columns="seconds"))


ONE_MORE = "measures = json_set(measures, '$.{0}[1]', 9999)"


@pytest.mark.parametrize(
    "change",
    [
        ONE_MORE.format("initial_cost"),
        ONE_MORE.format("final_cost"),
        "start_cost = start_cost + 1",
        "cost = cost + 1",
        "n_iter = n_iter + 1",
    ],
)
def test_each_column_but_the_time_is_compared(data, tmp_path, monkeypatch, change):
    store = tmp_path / "runs.sqlite"
    grid(store, data, monkeypatch, "a" * 64)
    changed(store, change, "start = 'cao'")
    assert grid(store, data, monkeypatch, "b" * 64)[2] == []


def test_rows_of_other_data_are_not_carried_over(data, tmp_path, monkeypatch):
    store = tmp_path / "runs.sqlite"
    first, _, _ = grid(store, data, monkeypatch, "a" * 64)
    other = dict(random=data["random"][::-1].copy())
    again, made, said = grid(store, other, monkeypatch, "b" * 64)
    assert said == []
    assert len(made) == 101
    pd.testing.assert_frame_equal(
        again.drop(columns="seconds"),
        run_grid(KEYS, other, progress=False).drop(columns="seconds"),
    )


def test_the_rows_that_are_drawn():
    "A twentieth of each table and method, rounded up, and at least three."
    rows = [
        dict.fromkeys(TrialKey._fields, "a") | dict(start=key.init, seed=key.seed)
        for key in KEYS[:61] + KEYS[100:102]
    ]
    drawn = drawn_part(rows, table_and_method, np.random.RandomState(0))
    assert [row["start"] for row in drawn] == ["cao"] * 4 + ["random"] * 2
    assert len({row["seed"] for row in drawn[:4]}) == 4


OLD_FORM = """CREATE TABLE runs (dataset TEXT, n_clusters INTEGER, init TEXT,
    algorithm TEXT, ties TEXT, seed INTEGER, fingerprint TEXT, initial_cost INTEGER,
    final_cost INTEGER, best_cost INTEGER, n_iter INTEGER, seconds REAL,
    PRIMARY KEY (dataset, n_clusters, init, algorithm, ties, seed, fingerprint));
    CREATE VIEW latest_runs AS SELECT * FROM runs;
    PRAGMA user_version = 1;"""
OLD_KEYS = run_keys([("random", 3)], ["cao", "huang"], range(5), ties=["stable"])
OLD_KEYS += run_keys([("random", 3)], ["cao", "huang"], range(5), ties=["legacy"])


def old_store(path, data, added=0):
    "A store as version 0.1 left it, with its rows, and the rows."
    rows = run_grid(OLD_KEYS, data, n_jobs=1, progress=False)
    mark = f"{data_mark(data['random'])}-{'b' * 16}"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(OLD_FORM)
        for row in rows.assign(fingerprint=mark).to_dict("records"):
            row["final_cost"] += added
            row["seconds"] = 0.25
            names = ", ".join(f":{name.strip()}" for name in OLD_ORDER.split(","))
            connection.execute(f"INSERT INTO runs ({OLD_ORDER}) VALUES ({names})", row)
    return rows


OLD_ORDER = (
    "dataset, n_clusters, init, algorithm, ties, seed, fingerprint, initial_cost, "
    "final_cost, best_cost, n_iter, seconds"
)


def test_rows_of_the_old_table_are_taken_over(data, tmp_path, capsys):
    store = tmp_path / "runs.sqlite"
    rows = old_store(store, data)
    assert list_rows(store).runs.tolist() == [5] * 4
    kept = stored_rows(store)
    assert kept.cost.tolist() == rows.best_cost.tolist()
    assert kept.final_cost.tolist() == rows.final_cost.tolist()
    assert set(kept.start) == {"cao", "huang", "legacy-cao", "legacy-huang"}
    assert kept.run_seconds.eq(0.25).all()
    assert kept.start_cost.isna().all()
    asked = ["runs", "show", "--store", str(store), "--where", "start=legacy-huang"]
    assert main(asked) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 5
    with pytest.warns(StoreWarning, match="20 stored rows .*: 12 of them"):
        found = run_grid(OLD_KEYS, data, store, n_jobs=1, progress=False)
    assert found.drop(columns="seconds").equals(rows.drop(columns="seconds"))
    question = "SELECT ties, count(*), avg(final_cost) FROM latest_runs GROUP BY ties"
    with closing(sqlite3.connect(store)) as connection:
        answer = connection.execute(question).fetchall()
    means = rows.groupby("ties").final_cost.mean()
    assert answer == [(ties, 10, means[ties]) for ties in ("legacy", "stable")]


def test_rows_of_the_old_table_that_differ_are_made_anew(data, tmp_path):
    store = tmp_path / "runs.sqlite"
    rows = old_store(store, data, added=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", StoreWarning)
        found = run_grid(OLD_KEYS, data, store, n_jobs=1, progress=False)
    assert found.drop(columns="seconds").equals(rows.drop(columns="seconds"))


def test_an_experiment_does_not_take_a_row_without_the_cost_of_its_start(
    data, tmp_path
):
    store = tmp_path / "runs.sqlite"
    old_store(store, data)
    asked = dict(seeds=5, starts=["huang", "legacy-huang"], algorithms="huang")
    found = experiment(data, 3, **asked, store=store, progress=False)
    alone = experiment(data, 3, **asked, store=None, progress=False)
    columns = ["start", "seed", "start_cost", "cost", "n_iter"]
    assert found[columns].equals(alone[columns])
    assert found.start_cost.notna().all()


def test_a_grid_and_an_experiment_share_their_rows(data, tmp_path, monkeypatch):
    store = tmp_path / "runs.sqlite"
    run_grid(OLD_KEYS, data, store, n_jobs=1, progress=False)
    monkeypatch.setattr(experiments_module, "job_rows", None)  # nothing is made
    asked = dict(seeds=5, starts=["cao", "legacy-huang"], algorithms="huang")
    found = experiment(data, 3, **asked, store=store, progress=False, n_jobs=1)
    assert len(found) == 10
    assert found.start_cost.notna().all()


def test_two_tables_of_one_name_stay_apart(data, tmp_path):
    "Obstacle 3: an average over two variants, 2413 instead of 2774."
    store = tmp_path / "runs.sqlite"
    for codes in data["random"], data["random"][:20]:
        run_grid(OLD_KEYS[:5], dict(random=codes), store, n_jobs=1, progress=False)
    variants = stored_rows(store).groupby("variant").n.unique()
    assert sorted(map(list, variants)) == [[20], [40]]
    assert list_rows(store).variant.nunique() == 2
