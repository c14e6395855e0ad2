"""The store of runs: a row that is there stays as it is, and each is kept under the
mark of its own data.
"""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

from kmodes_study.study import runs as runs_module
from kmodes_study.study.runs import (
    RunStore,
    StoreWarning,
    fingerprint,
    run_grid,
    run_keys,
)


def test_a_row_that_is_there_already_stays(tmp_path):
    (key,) = run_keys([("toy", 3)], inits=["cao"], seeds=[0])
    first, second = (
        dict(
            key._asdict(),
            fingerprint="a",
            initial_cost=9,
            final_cost=cost,
            best_cost=cost,
            n_iter=1,
            seconds=0.1,
        )
        for cost in (5, 6)
    )
    other = dict(second, seed=1)
    store = RunStore(tmp_path / "runs.sqlite")
    store.add([first])
    store.add([second, other])
    assert store.rows("toy", "a") == [first, other]
    store.close()
    again = RunStore(tmp_path / "runs.sqlite")
    again.add([second])
    assert again.rows("toy", "a") == [first, other]
    again.close()


def test_rows_of_two_sets_in_one_batch_have_each_its_own_mark(tmp_path):
    data = {
        name: np.random.RandomState(seed).randint(3, size=(20, 3)).astype(np.uint8)
        for seed, name in enumerate(("first", "second"))
    }
    keys = run_keys([(name, 2) for name in data], inits=["random"], seeds=range(3))
    run_grid(keys, data, tmp_path / "runs.sqlite", n_jobs=1, progress=False)
    store = RunStore(tmp_path / "runs.sqlite")
    for name, codes in data.items():
        assert len(store.rows(name, fingerprint(codes))) == 3
    store.close()


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
    made, run_one = [], runs_module.run_one

    def counted(codes, run, *state):
        made.append(run)
        return run_one(codes, run, *state)

    with monkeypatch.context() as patch, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        patch.setattr(runs_module, "_program", lambda: program)
        patch.setattr(runs_module, "run_one", counted)
        rows = run_grid(KEYS, data, store, n_jobs=1, progress=False)
    return (
        rows,
        made,
        [str(each.message) for each in said if each.category is StoreWarning],
    )


def changed(store, change, where):
    "The rows of a store after a change."
    opened = RunStore(store)
    with opened.connection:
        opened.connection.execute(f"UPDATE runs SET {change} WHERE {where}")
    opened.close()


def test_rows_of_another_program_are_carried_over_once_a_twentieth_comes_out_again(
    data, tmp_path, monkeypatch
):
    store = tmp_path / "runs.sqlite"
    first, made, said = grid(store, data, monkeypatch, "a" * 64)
    assert (len(made), said) == (101, [])  # Cao's start draws nothing
    again, made, said = grid(store, data, monkeypatch, "b" * 64)
    assert again.drop(columns="seconds").equals(first.drop(columns="seconds"))
    assert len(said) == 1 and re.fullmatch(
        "200 stored rows of another version .*: 10 of them, drawn .*", said[0]
    )
    assert len(made) == 1 + 5  # five rows of Cao's start are one run
    third, made, said = grid(store, data, monkeypatch, "b" * 64)
    # from now on they are rows of this program
    assert third.equals(again) and made == said == []


def test_a_drawn_row_that_differs_makes_all_stale(data, tmp_path, monkeypatch):
    store = tmp_path / "runs.sqlite"
    first, _, _ = grid(store, data, monkeypatch, "a" * 64)
    changed(store, "final_cost = final_cost + 1", "init = 'random'")
    again, made, said = grid(store, data, monkeypatch, "b" * 64)
    assert said == [] and len(set(made)) == 101
    assert again.drop(columns="seconds").equals(first.drop(columns="seconds"))


@pytest.mark.parametrize(
    "column", ["initial_cost", "final_cost", "best_cost", "n_iter"]
)
def test_each_column_but_the_time_is_compared(data, tmp_path, monkeypatch, column):
    store = tmp_path / "runs.sqlite"
    grid(store, data, monkeypatch, "a" * 64)
    changed(store, f"{column} = {column} + 1", "init = 'cao'")
    assert grid(store, data, monkeypatch, "b" * 64)[2] == []


def test_rows_of_other_data_are_not_carried_over(data, tmp_path, monkeypatch):
    store = tmp_path / "runs.sqlite"
    first, _, _ = grid(store, data, monkeypatch, "a" * 64)
    other = dict(random=data["random"][::-1].copy())
    again, made, said = grid(store, other, monkeypatch, "b" * 64)
    assert said == [] and len(made) == 101
    pd.testing.assert_frame_equal(
        again.drop(columns="seconds"),
        run_grid(KEYS, other, progress=False).drop(columns="seconds"),
    )


def test_the_rows_that_are_drawn():
    "A twentieth of each problem, start and algorithm, rounded up, and at least three."
    rows = [key._asdict() for key in KEYS[:61] + KEYS[100:102]]
    drawn = runs_module._drawn_twentieth(rows, np.random.RandomState(0))
    assert [row["init"] for row in drawn] == ["cao"] * 4 + ["random"] * 2 and len(
        {row["seed"] for row in drawn[:4]}
    ) == 4
