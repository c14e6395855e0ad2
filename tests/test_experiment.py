"""`experiment` with whatever a caller brings: rows that depend on their seed alone, that
are kept one by one, and that are an answer while nothing has changed that they depend on.
"""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from copy import deepcopy
from functools import partial
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest

from kmodes_study import KModes, measures
from kmodes_study.cluster.algorithms.transfers import otqt
from kmodes_study.cluster.dissimilarity_tables import DISSIMILARITIES, learn_tables
from kmodes_study.cluster.dissimilarity_tables import mode_distances, table_kmodes
from kmodes_study.cluster.modes import cost, modes_of
from kmodes_study.cluster.sampled import ALGORITHMS
from kmodes_study.cluster.starts.basic import INITIALISATIONS, init_random
from kmodes_study.core.codes import encode
from kmodes_study.data.loaders import load
from kmodes_study.study.experiments import NamedTable, experiment
from kmodes_study.study.legacy import LEGACY_INITS, legacy_state, run_legacy
from kmodes_study.study.runs import paper_runs
from kmodes_study.study.store import export_rows, function_mark, keep_rows, kept_rows
from kmodes_study.study.store import list_rows, open_store, stored_rows

HOWTO = Path(__file__).parent.parent / "nbs" / "howto"
WORDS = np.array(["low", "middle", "high"])
TABLE = pd.DataFrame(WORDS[np.random.RandomState(0).randint(3, size=(60, 5))])
CLASSES = np.arange(60) % 3
DATA = NamedTable("own", TABLE, classes=CLASSES)
TIMES = ["start_seconds", "run_seconds"]


def drawn_rows(codes, n_clusters, random_state):
    "A start of one's own."
    return codes[random_state.permutation(len(codes))[:n_clusters]]


def nearest_only(codes, modes):
    "An algorithm of one's own, which gives labels."
    return (codes[:, None] != modes).sum(axis=2).argmin(axis=1)


def with_centres(codes, modes, tables=None):
    "An algorithm of one's own, which gives labels and modes."
    return nearest_by(codes, modes, tables), modes


def nearest_by(codes, modes, tables):
    "An algorithm of one's own, which knows of the dissimilarity."
    if tables is None:
        return nearest_only(codes, modes)
    return mode_distances(codes, modes, tables).argmin(axis=1)


def steps(column):
    "A dissimilarity of one's own."
    levels = np.arange(column.max() + 1)
    return abs(levels[:, None] - levels)


def largest(labels):
    "A measure of one's own."
    return np.bincount(labels).max() / len(labels)


def run(data=DATA, n_clusters=3, **options):
    defaults = dict(seeds=4, starts="random", store=None, progress=False, n_jobs=1)
    return experiment(data, n_clusters, **defaults | options)


def untimed(rows):
    return rows.drop(columns=TIMES)


# One way to run, one frame


def by_hand(codes, k, start, algorithm, seed, order="given"):
    "Cost of the start, cost of the end and passes, from nothing but start and algorithm."
    if order == "shuffled":
        codes = codes[np.random.RandomState(10**6 + seed).permutation(len(codes))]
    legacy, state = start.removeprefix("legacy-"), np.random.RandomState(seed)
    if legacy != start:
        state = legacy_state(seed)
        modes = LEGACY_INITS[legacy](codes, k, random_state=state)
    else:
        modes = INITIALISATIONS[start](codes, k, random_state=state)
    found = ALGORITHMS[algorithm](codes, modes, random_state=state)
    first = (codes[:, None] != modes).sum(axis=2).min(axis=1).sum()
    return int(first), found.cost, found.n_iter


def test_rows_are_those_of_start_and_algorithm_alone():
    starts = [*INITIALISATIONS, *(f"legacy-{name}" for name in LEGACY_INITS)]
    rows = run(starts=starts, algorithms=list(ALGORITHMS), orders=["given", "shuffled"])
    assert len(rows) == len(starts) * 4 * 2 * 4
    codes, _ = encode(TABLE)
    for row in rows.itertuples():
        names = row.start, row.algorithm, row.seed, row.order
        assert (row.start_cost, row.cost, row.n_iter) == by_hand(codes, 3, *names)


def test_the_paper_of_2020_is_an_experiment_with_its_ties():
    codes, _ = encode(TABLE)
    rows = paper_runs(
        [("a", 4), ("b", 2), ("a", 2)],
        {"a": codes, "b": codes[:40]},
        seeds=range(3),
        ties="legacy",
        store=None,
        progress=False,
    )
    settings = rows[["dataset", "n_clusters"]].drop_duplicates()
    assert [*settings.itertuples(index=False, name=None)] == [
        *(("a", 4), ("b", 2), ("a", 2))
    ]
    for row in rows.itertuples():
        table = codes if row.dataset == "a" else codes[:40]
        found = run_legacy(table, row.n_clusters, row.init, row.seed)
        assert (row.best_cost, row.n_iter) == (found.cost, found.n_iter)
        assert row.initial_cost == found.epoch_costs[0]
        assert row.final_cost == found.epoch_costs[-1]


@pytest.mark.parametrize("backend", ["threading", "loky", "dask"])
def test_rows_are_the_same_on_each_backend_and_in_each_order(backend):
    options = dict(
        starts=["huang", drawn_rows],
        algorithms=["otqt", nearest_only],
        measures=["adjusted_rand_score", largest],
    )
    whole = untimed(run(**options))
    if backend == "dask":
        from dask.distributed import Client

        with Client(processes=False, n_workers=1, dashboard_address=None):
            other = run(**options, backend=backend, n_jobs=2)
    else:
        other = run(**options, backend=backend, n_jobs=2)
    pd.testing.assert_frame_equal(untimed(other), whole)
    part = run(**options | dict(starts=drawn_rows, algorithms=nearest_only), seeds=[3])
    wanted = whole.query("start == 'drawn_rows' and algorithm == 'nearest_only'")
    pd.testing.assert_frame_equal(
        untimed(part), wanted[wanted.seed == 3].reset_index(drop=True)
    )


def test_data_of_each_kind_are_taken(tmp_path):
    TABLE.to_csv(tmp_path / "file.csv", index=False)
    TABLE.to_parquet(tmp_path / "other.parquet")
    lenses = load("lenses", as_frame=True)
    many = {
        "frame": TABLE,
        "array": TABLE.to_numpy(),
        ("frame", "half"): TABLE[:30],
        "file": tmp_path / "file.csv",
        "set": "lenses",
        "loaded": lenses,
    }
    ks = dict(frame=3, array=3, file=3)
    rows = run(many, ks, seeds=[5], measures="adjusted_rand_score")
    assert rows.n.tolist() == [60, 60, 30, 60, 24, 24]
    assert rows.n_clusters.tolist() == [3] * 6
    assert rows.variant.tolist() == ["", "", "half", "", "", ""]
    assert rows.adjusted_rand_score.notna().tolist() == [False] * 4 + [True] * 2
    costs = rows.set_index(["dataset", "variant"]).cost
    assert costs["frame", ""] == costs["array", ""] == costs["file", ""]
    assert costs["set", ""] == costs["loaded", ""]
    paths = [tmp_path / "file.csv", str(tmp_path / "other.parquet")]
    assert run(paths, 3, seeds=1).dataset.tolist() == ["file", "other"]
    holed = TABLE.mask(np.eye(60, 5, dtype=bool))
    with pytest.raises(ValueError, match="missing"):
        run(holed)
    assert len(run(holed, missing="category")) == 4


def test_what_functions_give_is_computed_and_checked():
    rows = run(
        starts=drawn_rows,
        algorithms=["lloyd", nearest_by, with_centres],
        dissimilarities=["matching", "ng", steps],
        measures=largest,
    )
    assert (rows.largest >= 1 / 3).all()
    assert rows.cost.notna().all()
    matching = rows[rows.dissimilarity == "matching"]
    assert (matching.cost % 1 == 0).all()
    wide = matching.pivot(index="seed", columns="algorithm", values="cost")
    assert (wide["lloyd"] <= wide["nearest_by"]).all()
    first = matching.groupby("seed").start_cost.first()
    assert (wide["with_centres"] == first).all()  # the modes of the start, unmoved
    own = rows[rows.algorithm != "lloyd"]
    assert own.n_iter.isna().all()


three = lambda codes, modes: np.full(60, 3)
no_order = lambda n: np.zeros(n, int)


@pytest.mark.parametrize(
    "options, error, named",
    [
        (dict(starts=lambda codes, k: codes[:k]), ValueError, "starts"),
        (dict(starts=["cao", "Cao"]), ValueError, "starts"),
        (dict(starts="coa"), ValueError, "starts"),
        (dict(starts=["none", "cao"]), ValueError, "starts"),
        (dict(starts=None), ValueError, "algorithms"),
        (dict(algorithms=[3]), TypeError, "algorithms"),
        (dict(algorithms=nearest_only, dissimilarities=steps), ValueError, "tables"),
        (dict(algorithms="swap", dissimilarities="ng"), ValueError, "algorithms"),
        (dict(dissimilarities=dict(legs="ordinal")), TypeError, "dissimilarities"),
        (dict(measures="accuracy"), ValueError, "measures"),
        (dict(measures=dict(m=largest)), ValueError, "measures .* 'm'"),
        (dict(seeds="1050:1000"), ValueError, "seeds"),
        (dict(seeds=[0.5]), TypeError, "integer"),
        (dict(data=TABLE, n_clusters=None), ValueError, "n_clusters of 'table'"),
        (dict(n_clusters=dict(sooo=4)), ValueError, "n_clusters"),
        (dict(data=[TABLE, TABLE]), ValueError, "data"),
        (
            dict(starts=dict(short=lambda x, k: x[: k - 1])),
            ValueError,
            "starts 'short'",
        ),
        (dict(algorithms=dict(high=three)), ValueError, "algorithms 'high'"),
        (dict(orders=dict(twice=no_order)), ValueError, "orders 'twice'"),
    ],
)
def test_what_is_no_use_is_refused_by_its_name(options, error, named):
    data, k = options.pop("data", DATA), options.pop("n_clusters", 3)
    with pytest.raises(error, match=named):
        run(data, k, **options)


def test_functions_of_the_caller_may_change_what_they_get():
    def spoils(codes, labels, classes):
        codes[:], labels[:], classes[:] = 0, 0, 0
        return 1

    def moves(codes, modes):
        modes[:] = codes[:3]
        return nearest_only(codes, modes)

    def begins(codes, n_clusters):
        codes[:] = codes[0]
        return codes[:n_clusters]

    codes = encode(TABLE)[0]
    data = NamedTable("own", codes.copy(), classes=CLASSES.copy())
    scores = ["silhouette_score", "purity_score"]
    asked = dict(starts=[begins, "random"], seeds=2)
    rows = run(
        data, 3, algorithms=[moves, "lloyd"], measures=[spoils, *scores], **asked
    )
    alone = run(data, 3, algorithms="lloyd", measures=scores, **asked)
    rows = rows[rows.algorithm == "lloyd"].reset_index(drop=True)
    names = ["start", "seed", "start_cost", "cost", *scores]
    assert rows[names].equals(alone[names])
    assert (data.data == codes).all()
    assert (data.classes == CLASSES).all()


def test_seeds_are_written_as_on_the_command_line():
    rows = run(seeds="1000:1003")
    assert rows.seed.tolist() == [1000, 1001, 1002]
    assert run(seeds="3").seed.tolist() == [0, 1, 2]
    assert run(seeds=(1000, 1003)).seed.tolist() == [1000, 1003]


def test_help_lists_the_names_of_all_methods():
    words = " ".join(experiment.__doc__.split())
    named = *(f"legacy-{name}" for name in LEGACY_INITS), "initial_cost", "final_cost"
    for name in (*INITIALISATIONS, *ALGORITHMS, *DISSIMILARITIES, *named):
        assert f'"{name}"' in words, name
    for score in re.findall(r'"(\w+_score)"', words):
        assert hasattr(measures, score), score


def test_an_error_in_a_function_says_where_it_happened():
    def fails(codes, n_clusters):
        raise RuntimeError("no luck")

    with pytest.raises(RuntimeError, match="no luck") as raised:
        run(starts=fails)
    assert "starts 'fails'" in str(raised.value.__notes__)
    assert "'own'" in str(raised.value.__notes__)


# Rows that are kept


KILLED = """
import os, sys
import numpy as np
from kmodes_study.study import experiment

made = []

def own(codes, n_clusters, random_state):
    made.append(1)
    if len(made) == int(sys.argv[2]):
        os.kill(os.getpid(), 9)
    return codes[random_state.permutation(len(codes))[:n_clusters]]

codes = np.random.RandomState(0).randint(3, size=(60, 5)).astype("uint8")
asked = dict(seeds=40, starts=own, n_jobs=1, progress=False, measure_time=False)
rows = experiment(codes, 3, store=sys.argv[1], **asked)
print(len(made), rows.cost.tolist())
"""


def test_a_killed_experiment_has_lost_no_row_and_goes_on(tmp_path):
    "A process makes twelve rows before it is killed; the next one makes the rest."

    def python(store, last):
        words = [sys.executable, "-c", KILLED, str(store), str(last)]
        return subprocess.run(words, capture_output=True, text=True)

    store = tmp_path / "runs.sqlite"
    assert abs(python(store, 13).returncode) == 9
    assert len(stored_rows(store)) == 12
    made, costs = python(store, -1).stdout.split(maxsplit=1)
    assert made == "28"
    assert python("", -1).stdout.split(maxsplit=1) == ["40", costs]


def test_an_interruption_and_a_budget_keep_what_is_there(tmp_path):
    options = dict(store=tmp_path / "runs.sqlite", seeds=6)
    with pytest.warns(UserWarning, match="6 of 6 runs are not there"):
        assert len(run(**options, budget=0)) == 0
    made = []

    def interrupted(codes, n_clusters, random_state):
        made.append(1)
        if len(made) == 4:
            raise KeyboardInterrupt
        return drawn_rows(codes, n_clusters, random_state)

    asked = dict(starts={"own": interrupted}, measure_time=False)
    with pytest.raises(KeyboardInterrupt):
        run(**options, **asked)
    assert len(stored_rows(options["store"])) == 3
    assert len(run(**options)) == 6


def test_a_stored_row_comes_back_as_it_was(tmp_path):
    store = tmp_path / "runs.sqlite"
    asked = dict(starts=["cao", drawn_rows], measures=["purity_score", largest])
    first = run(**asked, store=store)
    assert run(**asked, store=store).equals(first)  # times, too
    with closing(open_store(store)) as opened, opened:
        named = '%"drawn_rows"%, 2]'
        deleted = opened.execute("DELETE FROM runs WHERE trial LIKE ?", [named])
        assert deleted.rowcount == 1
    again = run(**asked, store=store)
    assert untimed(again).equals(untimed(first))
    assert (again.run_seconds != first.run_seconds)[
        again.run_seconds.notna()
    ].sum() == 1
    with closing(open_store(store)) as opened:
        changed = dict(mark="another", cost=0)
        keep_rows(opened, [row | changed for row in kept_rows(opened)])
    assert untimed(run(**asked, store=store)).equals(untimed(first))


def test_a_file_that_is_no_store_is_named(tmp_path):
    (tmp_path / "notes.txt").write_text("no rows here, but enough text for a head" * 9)
    with pytest.raises(ValueError, match=r"store .*notes\.txt"):
        run(store=tmp_path / "notes.txt")


def test_a_store_that_is_read_stays_as_it_is(tmp_path, monkeypatch):
    store = tmp_path / "runs.sqlite"
    rows = run(store=store)
    before = store.read_bytes()
    with pytest.raises(ValueError, match="target must not be a store"):
        export_rows(store, store, seed=1)
    monkeypatch.setattr("os.access", lambda *asked: False)  # as in a folder of others
    assert list_rows(store).runs.sum() == len(rows)
    assert [path.name for path in tmp_path.iterdir()] == ["runs.sqlite"]
    assert store.read_bytes() == before
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(ValueError, match="store must be a file of rows"):
        list_rows(tmp_path / "empty.sqlite")
    assert (tmp_path / "empty.sqlite").stat().st_size == 0
    monkeypatch.setattr("kmodes_study.study.store._SECONDS", 0.01)
    other = tmp_path / "busy.sqlite"
    with closing(sqlite3.connect(other)) as busy:
        busy.execute("PRAGMA locking_mode = EXCLUSIVE")
        busy.execute("CREATE TABLE runs (data, trial, row)")
        with pytest.raises(
            ValueError, match="no other program holds, got .*busy.sqlite"
        ):
            run(store=other)


def shifted(codes, n_clusters, shift=0):
    return codes[shift : shift + n_clusters]


def test_a_changed_function_makes_its_rows_anew_and_no_others(tmp_path):
    store, by_name = tmp_path / "runs.sqlite", {}
    for shift in 0, 9:
        by_name["own"] = partial(shifted, shift=shift)
        rows = run(starts=by_name | dict(random="random"), store=store)
        anew = run(starts=by_name | dict(random="random"))
        assert untimed(rows).equals(untimed(anew))
        if shift == 0:
            first = rows
    assert (rows.start_cost != first.start_cost)[:4].all()
    assert rows.run_seconds[4:].equals(first.run_seconds[4:])
    disguised = dict(random=INITIALISATIONS["cao"])
    stored = run(starts=disguised, store=store)
    assert untimed(stored).equals(untimed(run(starts=disguised)))


def test_measures_are_kept_beside_a_row_with_their_classes(tmp_path):
    store = tmp_path / "runs.sqlite"
    one = run(store=store, measures="purity_score")
    two = run(store=store, measures=largest)
    both = run(store=store, measures=["purity_score", largest])
    assert both.run_seconds.equals(two.run_seconds), "no run was made again"
    assert both.purity_score.equals(one.purity_score)
    other = NamedTable("own", TABLE, classes=np.zeros(60, int))
    assert run(other, store=store, measures="purity_score").purity_score.eq(1).all()
    assert not one.purity_score.eq(1).any()


def closure(value):
    def inner(codes):
        return value

    return inner


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, labels):
        return self.factor * largest(labels)


@pytest.mark.parametrize(
    "one, other",
    [
        (1, 2),
        (1, 1.0),
        ("a", "b"),
        (np.arange(3), np.arange(3)[::-1].copy()),
        ([1, [2]], [1, [3]]),
        (steps, largest),
        (pd.DataFrame([1]), pd.DataFrame([2])),
        (dict(a=1), dict(a=2)),
        ({"a"}, {"b"}),
        (Scaled(1), Scaled(2)),
        (Scaled(1).__call__, Scaled(2).__call__),
    ],
)
def test_what_a_function_remembers_is_in_its_mark(one, other):
    assert function_mark(closure(one)) == function_mark(closure(one))
    assert function_mark(closure(one)) != function_mark(closure(other))


HELPER = "def twice(x):\n    return x + x\n"
MINE = """
import numpy as np
import helper
LIMIT = {'a', 'b', 'c'}

class Own:
    def size(self):
        return 1

def f(x):
    return [helper.twice(y) for y in np.sort(list(LIMIT))], f, Own().size()
"""
MARKS = """
import sys
from importlib import import_module
from kmodes_study.study.store import function_mark
for sys.path[0] in sys.argv[1:]:
    print(function_mark(import_module("mine").f))
    del sys.modules["mine"], sys.modules["helper"]
"""


def test_a_mark_follows_what_a_function_uses_and_is_the_same_in_each_process(tmp_path):
    "Another module, a global and a class of the caller."
    changes = ("", ""), ("x + x", "x * 2"), ("'c'", "'d'"), ("return 1", "return 2")
    for place, change in enumerate(changes):
        folder = tmp_path / str(place)
        folder.mkdir()
        (folder / "helper.py").write_text(HELPER.replace(*change))
        (folder / "mine.py").write_text(MINE.replace(*change))

    def marks(*places):
        folders = [str(tmp_path / str(place)) for place in places]
        words = [sys.executable, "-B", "-c", MARKS, *folders]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        return done.stdout.split()

    found = marks(0, 1, 2, 3)
    assert len(set(found)) == 4
    assert marks(3, 0) == [found[3], found[0]]


def test_what_has_no_mark_is_refused_with_a_store_and_runs_without(tmp_path):
    with open(tmp_path / "notes.txt", "w") as file:

        def writing(codes, n_clusters):
            file.write("x")
            return codes[:n_clusters]

        with pytest.raises(ValueError, match="store must be None"):
            run(starts=writing, store=tmp_path / "runs.sqlite")
        assert len(run(starts=writing)) == 4


def test_tables_of_one_name_stay_apart_in_what_is_listed_and_exported(tmp_path):
    store = tmp_path / "runs.sqlite"
    rows = run({("own", "all"): TABLE, ("own", "half"): TABLE[:30]}, store=store)
    run({"own": TABLE}, store=store, starts=["random", drawn_rows], seeds=6)
    run({"own": TABLE[:20]}, store=store)
    listed = list_rows(store)
    means = rows.groupby("variant").cost.mean()
    assert listed.set_index("variant").mean_cost[means.index].tolist() == means.tolist()
    assert listed.runs.sum() == 4 + 4 + 12 + 4
    assert listed.variant.nunique() == 4
    own = stored_rows(store, n=60, variant=listed.variant[2])
    assert own.start.unique().tolist() == ["drawn_rows", "random"]
    assert own.seed.tolist() == [*range(6)] * 2
    assert export_rows(tmp_path / "rows.csv", store, variant="half") == 4
    assert pd.read_csv(tmp_path / "rows.csv").cost.mean() == means["half"]
    with pytest.raises(ValueError, match="starts"):
        stored_rows(store, starts="random")
    with pytest.raises(FileNotFoundError):
        list_rows(tmp_path / "absent.sqlite")


# Times, and what draws


def test_times_are_measured_warm_and_belong_to_one_seed():
    seen = []

    def counted(codes, modes):
        seen.append(1)
        return nearest_only(codes, modes)

    rows = run(algorithms=counted, seeds=2)
    assert len(seen) == 3, "once more, for machine code to be ready"
    assert rows.run_seconds.notna().all()
    huang = run(starts="huang", seeds=6)
    assert huang[TIMES].notna().all(axis=None)
    # what draws nothing is run and measured for one seed, and no time is copied
    cao = run(starts="cao", seeds=6)
    assert cao[TIMES].notna().sum().tolist() == [1, 1]
    assert cao.cost.nunique() == 1
    shuffled = run(starts="cao", seeds=6, orders="shuffled")
    assert shuffled[TIMES].notna().all(axis=None)
    assert shuffled.cost.nunique() > 1
    assert run(measure_time=False)[TIMES].isna().all(axis=None)


def test_what_draws_from_a_copy_of_its_state_is_run_for_each_seed():
    "It leaves the state as it was, so that it looks as if it drew nothing."

    def from_a_copy(codes, n_clusters, random_state):
        state = deepcopy(random_state)
        return codes[state.choice(len(codes), n_clusters, replace=False)]

    def with_a_copy(codes, modes, random_state):
        return deepcopy(random_state).randint(len(modes), size=len(codes))

    codes = np.random.RandomState(0).randint(4, size=(60, 5)).astype("uint8")
    options = dict(seeds=8, store=None, progress=False)
    rows = experiment(
        codes, 4, starts=[from_a_copy, "random"], algorithms="lloyd", **options
    )
    costs = rows.pivot(index="seed", columns="start", values="cost")
    assert (costs["from_a_copy"] == costs["random"]).all()
    rows = experiment(codes, 4, starts="cao", algorithms=with_a_copy, **options)
    assert rows.cost.nunique() > 1


# Dissimilarities, starts and algorithms in a few lines


def first_steps(column, name, categories):
    "The real differences of the first column; the others are matched."
    if name != "size":
        return None
    return abs(np.subtract.outer(categories, categories))


def sized_tables():
    "Two tables of equal codes, whose first column has other numbers."
    drawn = np.random.RandomState(3).randint(4, size=(50, 4))
    frame = pd.DataFrame(drawn, columns=["size", "b", "c", "d"])
    return frame, frame.assign(size=np.array([0, 2, 3, 9])[drawn[:, 0]])


def test_a_dissimilarity_is_told_the_column_and_its_categories():
    "By hand: batch passes with the same table for the first column."
    frame, other = sized_tables()
    asked = dict(starts="cao", algorithms="lloyd", dissimilarities=first_steps)
    rows = run(dict(near=frame, far=other), 3, seeds=1, **asked)
    codes, _ = encode(frame)
    modes = INITIALISATIONS["cao"](codes, 3)
    for sizes, found in zip(([0, 1, 2, 3], [0, 2, 3, 9]), rows.cost):
        tables = [abs(np.subtract.outer(sizes, sizes)), *[1 - np.eye(4)] * 3]
        learnt = learn_tables(tables, codes)
        assert found == table_kmodes(codes, modes, learnt, "lloyd").cost
    assert rows.cost[0] != rows.cost[1]


def test_a_row_depends_on_what_a_dissimilarity_is_told(tmp_path):
    "Tables of one name with equal codes: the categories tell their rows apart."
    frame, other = sized_tables()
    options = dict(dissimilarities=["matching", first_steps], seeds=2)
    options |= dict(store=tmp_path / "runs.sqlite")
    first = run(dict(one=frame), 3, **options)
    second = run(dict(one=other), 3, **options)
    by = first.dissimilarity == "matching"
    assert first.cost[by].tolist() == second.cost[by].tolist()
    assert first.cost[~by].tolist() != second.cost[~by].tolist()
    assert list_rows(tmp_path / "runs.sqlite").runs.tolist() == [2, 2]
    # which columns there are matters only to a function that asks
    named = frame.rename(columns=dict(size="other"))
    third = run(dict(one=named), 3, **options)
    assert third.start_cost[~by].tolist() == third.start_cost[by].tolist()


def test_an_algorithm_gets_the_tables_also_without_random_state_or_start():
    "None for matching."
    seen = []

    def sees(codes, modes, tables):
        seen.append(tables)
        return nearest_by(codes, modes, tables)

    def alone(codes, n_clusters, tables):
        seen.append(tables)
        return np.arange(len(codes)) % n_clusters

    options = dict(dissimilarities=["matching", steps], seeds=2)
    run(algorithms=sees, **options)
    assert None in seen and any(tables is not None for tables in seen)
    seen.clear()
    run(starts=None, algorithms=alone, **options)
    assert None in seen and any(tables is not None for tables in seen)


def test_a_start_may_give_groups():
    "Their modes are the start; an empty group has the mode of all rows."
    labels = np.arange(60) // 20
    codes, _ = encode(TABLE)

    def groups(codes, n_clusters):
        return labels

    def their_modes(codes, n_clusters):
        everything = modes_of(codes, np.zeros(60, int), 1)
        return np.vstack([modes_of(codes, labels, 3), everything])[:n_clusters]

    for k in 3, 4:
        rows = run(DATA, k, starts=[groups, their_modes], seeds=1)
        assert rows.cost.nunique() == rows.start_cost.nunique() == 1
        one, other = (
            KModes(k, init=start, n_init=1, random_state=0).fit(TABLE)
            for start in (groups, their_modes)
        )
        assert one.labels_.tolist() == other.labels_.tolist()
    weights = 1 + np.arange(60) % 3

    def repeated(codes, n_clusters):
        return np.repeat(labels, weights)

    options = dict(n_init=1, random_state=0, algorithm="lloyd")
    weighed = KModes(3, init=groups, **options).fit(TABLE, sample_weight=weights)
    longer = TABLE.loc[np.repeat(np.arange(60), weights)]
    assert weighed.cost_ == KModes(3, init=repeated, **options).fit(longer).cost_


def first_attribute(codes, n_clusters, seed):
    "A cluster for each value of the first attribute."
    return codes[:, 0]


def lots(codes, n_clusters, random_state):
    "Labels by chance, some rows in no cluster."
    return random_state.randint(-1, n_clusters, size=len(codes))


def n_found(labels):
    "How many clusters there are."
    return len(np.unique(labels))


def test_algorithms_that_begin_by_themselves_need_no_start(tmp_path):
    codes, _ = encode(TABLE)
    options = dict(
        starts=None,
        algorithms=[first_attribute, lots],
        measures=["adjusted_rand_score", n_found],
        store=tmp_path / "runs.sqlite",
    )
    rows = run(DATA, 4, **options)
    assert set(rows.start) == {"none"}
    assert rows.start_cost.isna().all()
    by_value = rows[rows.algorithm == "first_attribute"]
    # three values, though four clusters were asked for
    assert by_value.n_found.tolist() == [3] * 4
    _, labels = np.unique(codes[:, 0], return_inverse=True)
    assert (
        by_value.cost.tolist() == [cost(codes, labels, modes_of(codes, labels, 3))] * 4
    )
    expected = measures.adjusted_rand_score(CLASSES, labels)
    assert by_value.adjusted_rand_score.tolist() == [expected] * 4
    for seed, found in rows[rows.algorithm == "lots"].set_index("seed").iterrows():
        drawn = lots(codes, 4, np.random.RandomState(seed))
        assert found.n_found == len(np.unique(drawn)) == 5
        assert found.adjusted_rand_score == measures.adjusted_rand_score(CLASSES, drawn)
    pd.testing.assert_frame_equal(rows, run(DATA, 4, **options))
    assert len(list_rows(tmp_path / "runs.sqlite")) == 2


def test_what_begins_by_itself_may_give_modes_too():
    codes, _ = encode(TABLE)

    def whole(codes, n_clusters, random_state):
        return otqt(codes, init_random(codes, n_clusters, random_state=random_state))

    def pair(codes, n_clusters, random_state):
        found = whole(codes, n_clusters, random_state)
        return found.labels, found.modes

    rows = run(DATA, 3, starts=None, algorithms=[whole, pair])
    usual = run(DATA, 3, starts="random", algorithms="otqt")
    for name in ("whole", "pair"):
        assert rows[rows.algorithm == name].cost.tolist() == usual.cost.tolist()


def test_a_seed_is_the_number_itself_and_each_one_is_run():
    seen = []

    def seeded(codes, n_clusters, seed):
        seen.append(seed)
        return np.arange(len(codes)) % n_clusters

    run(DATA, 3, seeds=[5, 7], starts=None, algorithms=seeded)
    assert set(seen) == {5, 7}


# What the page says


def test_rows_with_gaps_are_left_out_as_the_page_says(load_or_skip):
    """The lines of the page that no cell runs, since they need a file of the archive:
    the table and the costs are those of the paper of 2020.
    """
    whole = load_or_skip("breast-cancer-wisconsin", missing="keep").data
    page = nbformat.read(HOWTO / "own_experiment.ipynb", as_version=4)
    texts = "\n".join(cell.source for cell in page.cells)
    (lines,) = [
        each
        for each in re.findall(r"```python\n(.*?)```", texts, re.DOTALL)
        if "load" in each
    ]
    given = {}

    def few(data, k, **asked):
        given.update(data)
        return run(data, k, **asked | dict(starts="cao", seeds=1))

    names = dict(experiment=few)
    exec(lines, names)
    table = given["breast"].data
    assert not table.isna().any(axis=None)
    assert len(table) < len(whole)
    assert table.shape[1] == 10, "nine answers and the number of the patient"
    rows = names["rows"]
    assert (rows.initial_cost[0], rows.cost[0]) == (3118, 2774)
    assert "has the initial cost 3118 and the cost 2774" in texts
