"""An experiment of one's own: the six steps of its user, and each obstacle that was in
their way.
"""

import re
import shutil
import sqlite3
import subprocess
import sys
import warnings
from contextlib import closing, contextmanager
from copy import deepcopy
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kmodes_study import measures
from kmodes_study.cluster.algorithms.transfers import otqt
from kmodes_study.cluster.dissimilarity_tables import (
    DISSIMILARITIES,
    mode_distances,
    table_kmodes,
    learn_tables,
)
from kmodes_study.cluster.estimator import KModes
from kmodes_study.cluster.modes import cost, modes_of
from kmodes_study.cluster.sampled import ALGORITHMS
from kmodes_study.cluster.starts.basic import INITIALISATIONS, init_random
from kmodes_study.command.cli import main
from kmodes_study.core import jit
from kmodes_study.core.codes import encode
from kmodes_study.describe.plots import plot_cdf, plot_figure
from kmodes_study.study import experiments as experiments_module
from kmodes_study.study import trials as trials_module
from kmodes_study.study.compare import compare, side_by_side, summarise
from kmodes_study.study.contest import costs_in_time, planted_designs, planted_problem
from kmodes_study.study.exchange import functions_of_file, import_rows
from kmodes_study.study.experiments import NamedTable, experiment
from kmodes_study.study.outputs import (
    by_method,
    difference_table,
    equal_runs,
    in_words,
    latex,
    league,
    method_table,
    save_figure,
    save_table,
)
from kmodes_study.study.paired import compare_pairs, pair_matrix
from kmodes_study.study.parameters import read_notebook
from kmodes_study.study.programs import CannotMark, function_mark, row_makers
from kmodes_study.study.runs import StoreWarning, run_grid, run_keys, run_one
from kmodes_study.study.store import (
    FRAME_COLUMNS,
    TrialStore,
    export_rows,
    list_rows,
    prune_rows,
    stored_rows,
)

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


def test_the_six_steps_of_an_experimenter(tmp_path):
    """Own seeds, own start, own algorithm, own file and shuffled rows; words, table and
    figure; a store that answers.
    """
    TABLE.to_csv(tmp_path / "answers.csv", index=False)
    options = dict(
        seeds=range(1000, 1008),
        starts=["huang", drawn_rows],
        algorithms=["otqt", nearest_only],
        orders=["given", "shuffled"],
        store=tmp_path / "runs.sqlite",
    )
    rows = run(tmp_path / "answers.csv", [2, 3], **options)
    assert len(rows) == 8 * 2 * 2 * 2 * 2
    assert list(rows)[: len(FRAME_COLUMNS)] == list(FRAME_COLUMNS)
    assert set(rows.dataset) == {"answers"}
    assert set(rows.seed) == {*range(1000, 1008)}
    assert run(tmp_path / "answers.csv", [2, 3], **options).equals(rows)  # times too
    few = rows.query("n_clusters == 2 and order == 'given' and algorithm == 'otqt'")
    assert "drawn_rows" in in_words(few)
    save_table(method_table(few), tmp_path / "table.tex")
    save_figure(plot_cdf(by_method(few)), tmp_path / "figure.pdf")
    assert {"table.tex", "figure.pdf"} <= {path.name for path in tmp_path.iterdir()}


def test_rows_are_those_of_the_grid():
    "The trial of a name is the run of the published tables, seed by seed."
    starts, algorithms = ["huang", "random", "cao"], list(ALGORITHMS)
    rows = run(starts=starts, algorithms=algorithms)
    codes, _ = encode(TABLE)
    keys = run_keys([("own", 3)], starts, range(4), algorithms)
    found = pd.DataFrame([run_one(codes, key) for key in keys])
    assert rows.cost.tolist() == found.best_cost.tolist()
    assert rows.n_iter.tolist() == found.n_iter.tolist()


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
    problem = planted_problem(planted_designs(1), 0)
    many = {
        "frame": TABLE,
        "array": TABLE.to_numpy(),
        ("frame", "half"): TABLE[:30],
        "file": tmp_path / "file.csv",
        "planted": problem,
        "set": "lenses",
    }
    ks = dict(frame=3, array=3, file=3)
    words = "missing for 'frame', 'array', 'file', where no .*classes=\\.\\.\\."
    with pytest.warns(UserWarning, match=words):
        rows = run(many, ks, seeds=[5], measures="adjusted_rand_score")
    assert rows.n.tolist() == [60, 60, 30, 60, 300, 24]
    assert rows.n_clusters.tolist() == [3, 3, 3, 3, problem.n_clusters, 3]
    assert rows.variant.tolist() == ["", "", "half", "", "", ""]
    assert rows.adjusted_rand_score.notna().tolist() == [False] * 4 + [True] * 2
    costs = rows.set_index(["dataset", "variant"]).cost
    assert costs["frame", ""] == costs["array", ""] == costs["file", ""]


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


@pytest.mark.parametrize(
    "options, error, words",
    [
        (dict(starts=lambda codes, k: codes[:k]), ValueError, "starts must have names"),
        (dict(starts=["cao", "Cao"]), ValueError, "starts must have different names"),
        (dict(starts=[]), ValueError, "starts must hold at least one method"),
        (dict(starts="coa"), ValueError, "starts must be one of .* 'cao'"),
        (dict(algorithms=3), TypeError, "not iterable|must be names or functions"),
        (dict(measures="accuracy"), ValueError, "measures must be one of"),
        (dict(seeds=[-1]), ValueError, "seeds must be a whole number of at least 0"),
        (dict(n_clusters=None), ValueError, "n_clusters must be given for 'own'"),
        (dict(budget=-1), ValueError, "budget must be"),
        (dict(n_jobs=0), ValueError, "n_jobs must be"),
        (dict(backend=3), TypeError, "backend must be one of"),
        (
            dict(backend="processes"),
            ValueError,
            "'loky' .processes., 'dask'.*got 'proc",
        ),
        (
            dict(n_clusters=dict(sooo=4)),
            ValueError,
            "got 'sooo', and the tables are 'ow",
        ),
        (dict(seeds="1050:1000"), ValueError, "'1000:1050' for 1000 to 1049, got '105"),
        (
            dict(measures=dict(odd=lambda labels, y: 1.0)),
            TypeError,
            "classes, modes, costs .*but 'odd' has 'y'",
        ),
        (dict(data=[TABLE, TABLE]), ValueError, "tables of different names"),
        (dict(data=[]), ValueError, "data must hold at least one table"),
        (
            dict(starts=dict(short=lambda codes, k: codes[: k - 1])),
            ValueError,
            "start 'short' must give modes of the shape",
        ),
        (
            dict(algorithms=dict(few=lambda codes, modes: np.zeros(3, int))),
            ValueError,
            "algorithm 'few' must give labels, 60 whole numbers",
        ),
        (
            dict(algorithms=dict(high=lambda codes, modes: np.full(60, 3))),
            ValueError,
            "algorithm 'high' must give labels from 0 to 2",
        ),
        (
            dict(dissimilarities=dict(long=lambda column: np.ones((2, 3)))),
            ValueError,
            "dissimilarity 'long'",
        ),
        (
            dict(algorithms=nearest_only, dissimilarities=["matching", steps]),
            ValueError,
            "a parameter `tables` .*got 'nearest_only' and 'steps'.*mode_distances",
        ),
        (
            dict(algorithms=dict(mine=otqt), dissimilarities="eskin"),
            ValueError,
            "a parameter `tables` .*got 'mine' and 'eskin'",
        ),
        (
            dict(dissimilarities=dict(legs="ordinal")),
            ValueError,
            "got 'legs' for 'ordinal': .*for one column write a function",
        ),
        (
            dict(dissimilarities=dict(legs=dict(legs="ordinal"))),
            TypeError,
            "got dict for 'legs': .*may tell one column",
        ),
        (
            dict(starts=dict(groups=lambda codes, k: np.full(60, k))),
            ValueError,
            "start 'groups' must give labels from 0 to 2, got 3",
        ),
        (
            dict(orders=dict(twice=lambda n: np.zeros(n, int))),
            ValueError,
            "order 'twice' must give each number",
        ),
    ],
)
def test_what_is_no_use_is_refused_by_its_name(options, error, words):
    data, k = options.pop("data", DATA), options.pop("n_clusters", 3)
    with pytest.raises(error, match=words):
        run(data, k, **options)


def test_a_table_is_called_as_its_file_is_without_the_ending(tmp_path):
    file = tmp_path / "answers.csv"
    TABLE.to_csv(file, index=False)
    assert set(run(file, {"answers": 2}).dataset) == {"answers"}
    with pytest.raises(ValueError, match="called 'answers', without the ending"):
        run(file, {"answers.csv": 2})
    with pytest.raises(ValueError, match="got 'anwers'.*did you mean 'answers'"):
        run(file, {"answers": 2, "anwers": 2})


def test_seeds_are_written_as_on_the_command_line():
    rows = run(seeds="1000:1003")
    assert rows.seed.tolist() == [1000, 1001, 1002]
    assert run(seeds="3").seed.tolist() == [0, 1, 2]
    assert run(seeds=(1000, 1003)).seed.tolist() == [1000, 1003]


def test_help_lists_the_names_of_all_methods():
    words = " ".join(experiment.__doc__.split())
    named = *trials_module.LEGACY_STARTS, *trials_module.COSTS
    for name in (*INITIALISATIONS, *ALGORITHMS, *DISSIMILARITIES, *named):
        assert f'"{name}"' in words, name
    for score in re.findall(r'"(\w+_score)"', words):
        assert hasattr(measures, score), score


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_an_interruption_loses_no_row_that_is_there_and_says_so(
    tmp_path, monkeypatch, backend
):
    "The bar is what is interrupted: it hears of each row when it is there."
    heard, asked = [], dict(seeds=40, starts=drawn_rows, backend=backend, n_jobs=2)
    asked |= dict(store=tmp_path / "runs.sqlite", measure_time=False)

    @contextmanager
    def interrupted(total, show):
        def advance(n):
            heard.append(n)
            if sum(heard) == 12:
                raise KeyboardInterrupt

        yield advance

    with monkeypatch.context() as patch:
        patch.setattr(experiments_module, "progress_bar", interrupted)
        with pytest.raises(KeyboardInterrupt) as raised:
            run(**asked)
    assert set(heard[1:]) == {1}, "row by row"
    (note,) = raised.value.__notes__
    assert note.startswith(f"12 of 40 rows are kept in {asked['store']}: the same call")
    kept = stored_rows(asked["store"])
    assert len(kept) == 12
    rows = run(**asked | dict(n_jobs=1))
    assert untimed(rows).equals(untimed(run(**asked | dict(store=None, n_jobs=1))))


def test_an_error_in_a_function_says_where_it_happened():
    def fails(codes, n_clusters):
        raise RuntimeError("no luck")

    with pytest.raises(RuntimeError, match="no luck") as raised:
        run(starts=fails)
    assert "start 'fails'" in str(raised.value.__notes__)
    assert "'own'" in str(raised.value.__notes__)


def test_a_function_that_draws_by_itself_is_refused():
    generator = np.random.default_rng(0)

    def restless(codes, n_clusters):
        return codes[generator.permutation(len(codes))[:n_clusters]]

    with pytest.raises(ValueError, match="start 'restless' must give the same"):
        run(starts=restless)


def test_a_budget_ends_the_experiment_and_the_store_goes_on(tmp_path):
    options = dict(store=tmp_path / "runs.sqlite", seeds=6)
    with pytest.warns(UserWarning, match="6 of 6 runs are not there"):
        assert len(run(**options, budget=0)) == 0
    assert len(run(**options)) == 6


# Marks: what makes a row stale


def test_a_changed_function_makes_its_rows_anew_and_no_others(tmp_path):
    "Obstacle 2: a new function under the old name got the old rows."
    store, by_name = tmp_path / "runs.sqlite", {}
    for shift in 0, 9:
        by_name["own"] = partial(shifted, shift=shift)
        rows = run(starts=by_name | dict(random="random"), store=store)
        anew = run(starts=by_name | dict(random="random"))
        assert untimed(rows).equals(untimed(anew))
        if shift == 0:
            first = rows
    assert (rows.start_cost != first.start_cost)[:4].all()
    assert (rows.run_seconds == first.run_seconds).tolist() == [False] * 4 + [True] * 4


def shifted(codes, n_clusters, shift=0):
    return codes[shift : shift + n_clusters]


def test_the_mark_of_a_function_is_what_it_does():
    def documented(codes, n_clusters):
        "Says something."
        return codes[:n_clusters]  # and more

    plain = documented

    def documented(codes, n_clusters):
        return codes[:n_clusters]

    assert function_mark(plain) == function_mark(documented)
    marks = [function_mark(partial(shifted, shift=shift)) for shift in (0, 1)]
    assert marks[0] != marks[1]
    assert function_mark(INITIALISATIONS["cao"]) == ""
    assert function_mark(ALGORITHMS["otqt"]) == ""


def test_a_function_of_the_package_under_another_name_is_not_its_namesake(tmp_path):
    store = tmp_path / "runs.sqlite"
    run(starts="random", store=store)
    disguised = dict(random=INITIALISATIONS["cao"])
    stored = run(starts=disguised, store=store)
    assert untimed(stored).equals(untimed(run(starts=disguised)))
    assert stored.start_cost.nunique() == 1


def closure(value):
    def inner(codes):
        return value

    return inner


@pytest.mark.parametrize(
    "one, other",
    [
        (1, 2),
        ("a", "b"),
        (np.arange(3), np.arange(3)[::-1].copy()),
        ([1, [2]], [1, [3]]),
        (steps, largest),
        (1, 1.0),
        (pd.DataFrame([1]), pd.DataFrame([2])),
        (dict(a=1), dict(a=2)),
        ({"a"}, {"b"}),
    ],
)
def test_what_a_function_remembers_is_in_its_mark(one, other):
    assert function_mark(closure(one)) == function_mark(closure(one))
    assert function_mark(closure(one)) != function_mark(closure(other))


def test_a_mark_is_the_same_in_another_process(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nLIMIT = {'a', 'b', 'c'}\n"
        "def f(x):\n    return np.sort(list(LIMIT)), f\n"
    )
    code = (
        "import mine; from kmodes_study.study.programs import function_mark as mark\n"
        "print(mark(mine.f), end='')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        text=True,
    )
    mark = function_mark(functions_of_file(tmp_path / "mine.py")["f"])
    assert done.stdout == mark
    assert re.fullmatch("[0-9a-f]{16}", mark)


def test_what_has_no_mark_is_run_but_not_stored_and_said_once(tmp_path):
    file = open(tmp_path / "notes.txt", "w")

    def writing(codes, n_clusters):
        file.write("x")
        return codes[:n_clusters]

    with pytest.raises(CannotMark, match="TextIOWrapper"):
        function_mark(writing)
    store = tmp_path / "runs.sqlite"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        rows = run(starts=[writing, "random"], store=store)
    file.close()
    told = [each for each in said if each.category is StoreWarning]
    assert len(told) == 1
    assert "writing (starts) depends on a TextIOWrapper" in str(told[0].message)
    assert len(rows) == 8
    assert set(stored_rows(store).start) == {"random"}


def test_a_start_in_the_registry_has_a_mark_in_the_grid_too(tmp_path, monkeypatch):
    "Obstacle 2, as it was found: a mean of 154.2 for 172.9."
    codes = np.random.RandomState(0).randint(4, size=(40, 5)).astype(np.uint8)
    costs = []
    for shift in 0, 20:
        start = partial(shifted, shift=shift)

        def own(codes, n_clusters, start=start, **other):
            return start(codes, n_clusters)

        monkeypatch.setitem(INITIALISATIONS, "own", own)
        keys = run_keys([("toy", 3)], ["own"], range(3))
        store = tmp_path / "runs.sqlite"
        found = run_grid(keys, dict(toy=codes), store, n_jobs=1, progress=False)
        anew = run_grid(keys, dict(toy=codes), None, n_jobs=1, progress=False)
        assert found.initial_cost.tolist() == anew.initial_cost.tolist()
        costs.append(found.initial_cost[0])
    assert costs[0] != costs[1]


def test_pictures_reports_and_relatives_make_no_row_stale():
    "Obstacle 10: a docstring in `family/rock` made rows of the zoo stale."
    package = Path(trials_module.__file__).parent.parent
    names = {
        path.relative_to(package).as_posix()
        for path in row_makers(package, "kmodes_study.study.trials")
    }
    assert {"study/trials.py", "core/kernels.py", "cluster/sampled.py"} <= names
    assert not [
        name for name in names if name.startswith(("describe/", "family/", "command/"))
    ]
    assert not names & {"study/report.py", "study/experiments.py", "study/outputs.py"}


def earlier_program(store):
    "Make all rows of a store those of another program."
    with closing(TrialStore(store)) as opened, opened.connection:
        opened.connection.execute("UPDATE trials SET program = 'another'")


def test_rows_of_another_program_are_carried_over_if_a_part_comes_out(tmp_path):
    store = tmp_path / "runs.sqlite"
    first = run(seeds=80, store=store, measures="purity_score")
    earlier_program(store)
    with pytest.warns(StoreWarning, match="80 stored rows .* 4 of them"):
        again = run(seeds=80, store=store, measures="purity_score")
    assert untimed(again).equals(untimed(first))
    assert (
        again.run_seconds == first.run_seconds
    ).sum() >= 76  # the others were not run
    with warnings.catch_warnings():
        warnings.simplefilter("error", StoreWarning)
        assert run(seeds=80, store=store, measures="purity_score").equals(again)


@pytest.mark.parametrize("column", ["start_cost", "cost", "n_iter"])
def test_a_row_that_differs_makes_all_of_its_program_stale(tmp_path, column):
    store = tmp_path / "runs.sqlite"
    first = run(seeds=5, store=store)
    earlier_program(store)
    with closing(TrialStore(store)) as opened, opened.connection:
        opened.connection.execute(f"UPDATE trials SET {column} = {column} + 1")
    with warnings.catch_warnings():
        warnings.simplefilter("error", StoreWarning)
        assert untimed(run(seeds=5, store=store)).equals(untimed(first))


# The store


def test_variants_of_one_name_stay_apart(tmp_path):
    "Obstacle 3: an average in SQL over two variants, 2413 instead of 2774."
    store = tmp_path / "runs.sqlite"
    both = {("own", "all"): TABLE, ("own", "half"): TABLE[:30]}
    rows = run(both, store=store)
    run(TABLE[:30], store=store)
    listed = list_rows(store)
    means = rows.groupby("variant").cost.mean()
    assert listed.set_index("variant").mean_cost[means.index].tolist() == means.tolist()
    earlier_program(store)
    with pytest.warns(StoreWarning):
        run({("own", "all"): TABLE}, store=store)
    assert list_rows(store).runs.tolist() == [4] * 4
    assert len(stored_rows(store, variant="all")) == 4
    assert (prune_rows(store), prune_rows(store)) == (4, 0)
    assert list_rows(store).runs.tolist() == [4] * 3


def test_a_new_measure_keeps_the_old_ones(tmp_path):
    store = tmp_path / "runs.sqlite"
    one = run(store=store, measures="purity_score")
    two = run(store=store, measures=largest)
    assert untimed(one)[["cost"]].equals(untimed(two)[["cost"]])
    with closing(TrialStore(store)) as opened:
        assert all(
            set(row["measures"]) == {"purity_score", "largest"}
            for row in opened.trials()
        )
    assert run(store=store, measures="purity_score").equals(
        two.drop(columns="largest").assign(purity_score=one.purity_score)[list(one)]
    )


def test_other_classes_make_other_measures(tmp_path):
    store = tmp_path / "runs.sqlite"
    other = NamedTable("own", TABLE, classes=np.zeros(60, int))
    first = run(store=store, measures="purity_score")
    assert run(other, store=store, measures="purity_score").purity_score.eq(1).all()
    assert not first.purity_score.eq(1).any()


def test_the_command_lists_shows_exports_prunes_and_imports(tmp_path, capsys):
    TABLE.to_csv(tmp_path / "own.csv", index=False)
    store, sent = str(tmp_path / "runs.sqlite"), str(tmp_path / "sent.sqlite")
    (tmp_path / "mine.py").write_text(
        "def drawn_rows(codes, n_clusters, random_state):\n"
        "    return codes[random_state.permutation(len(codes))[:n_clusters]]\n"
    )
    rows = run(TABLE, starts=["cao", drawn_rows], store=store)
    assert main(["runs", "list", "--store", store]) == 0
    assert "drawn_rows" in capsys.readouterr().out
    assert main(["runs", "show", "--store", store, "--where", "start=cao"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 4
    assert main(["runs", "export", sent, "--store", store]) == 0
    assert main(["runs", "prune", "--store", store]) == 0
    assert "0 rows removed" in capsys.readouterr().out
    mine = ["--store", str(tmp_path / "mine.sqlite")]
    known = ["--functions", str(tmp_path / "mine.py")]
    known += ["--data", f"table={tmp_path / 'own.csv'}"]
    assert main(["runs", "import", sent, *mine, *known]) == 0
    taken = stored_rows(tmp_path / "mine.sqlite")
    assert sorted(taken.cost) == sorted(rows.cost)
    assert main(["runs", "import", sent, "--store", str(tmp_path / "third")]) == 1
    assert main(["runs", "export", "--store", store]) == 2


def test_a_colleagues_row_that_differs_is_not_taken(tmp_path):
    sent = tmp_path / "sent.sqlite"
    run(TABLE, starts=["random", "huang"], store=tmp_path / "runs.sqlite")
    assert export_rows(sent, tmp_path / "runs.sqlite", start="random") == 4
    with closing(TrialStore(sent)) as opened, opened.connection:
        opened.connection.execute("UPDATE trials SET cost = cost - 1")
    report = import_rows(sent, tmp_path / "mine.sqlite", data=dict(table=TABLE))
    assert report.taken.tolist() == [0]
    assert "differs" in report.found[0]
    other = import_rows(sent, tmp_path / "mine.sqlite", data=dict(table=TABLE[:50]))
    assert "another one" in other.found[0]


def grid_of_the_table(store, ties=("stable", "legacy")):
    codes, _ = encode(TABLE)
    keys = run_keys([("table", 3)], ["cao", "huang"], range(5), ties=ties)
    return run_grid(keys, dict(table=codes), store, n_jobs=1, progress=False)


def test_rows_of_published_tables_are_given_to_a_colleague_too(tmp_path, capsys):
    store, sent = str(tmp_path / "runs.sqlite"), str(tmp_path / "sent.sqlite")
    mine = tmp_path / "mine.sqlite"
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    rows = grid_of_the_table(store)
    run(TABLE, starts="random", store=store)  # not of the published tables
    asked = ["--store", store, "--published"]
    assert main(["runs", "export", sent, *asked]) == 0
    assert "20 rows written" in capsys.readouterr().out
    known = ["--data", f"table={tmp_path / 'table.csv'}"]
    assert main(["runs", "import", sent, "--store", str(mine), *known]) == 0
    assert capsys.readouterr().out.count("taken: 3 rows made again are the same") == 4
    with closing(TrialStore(mine)) as opened, opened.connection:
        opened.connection.execute("UPDATE trials SET n_iter = n_iter + 1000")
    # the rows answer: none of them is made again
    again = grid_of_the_table(mine)
    assert (again.n_iter - rows.n_iter).eq(1000).all()
    assert again.best_cost.equals(rows.best_cost)
    # and a store with rows that nobody gets is refused group by group
    report = import_rows(mine, tmp_path / "third.sqlite", data=dict(table=TABLE))
    assert report.taken.tolist() == [0] * 4
    assert set(report.found) == {"a row that was made again differs"}
    other = import_rows(sent, tmp_path / "third.sqlite", data=dict(table=TABLE[:50]))
    assert other.found.str.contains("another one").all()
    nothing = import_rows(sent, tmp_path / "third.sqlite")
    assert nothing.found.str.contains("give it as data").all()


def test_jupyter_and_the_command_use_one_store(tmp_path, monkeypatch, capsys):
    "Obstacle 10: Jupyter stored nothing."
    monkeypatch.setenv("KMODES_STUDY_STORE", str(tmp_path / "one.sqlite"))
    run(store=True)
    assert main(["runs", "list"]) == 0
    assert "own" in capsys.readouterr().out


# Times


def test_times_are_measured_warm_or_not_at_all(monkeypatch):
    "Obstacle 8: compilation counted, and one time was copied to all seeds."
    seen = []
    monkeypatch.setattr(jit, "_made_ready", [])

    def compiling(codes, modes):
        if len(seen) < 3:
            jit._made_ready.append("as if a kernel had been compiled")
        seen.append("a call")
        return nearest_only(codes, modes)

    rows = run(algorithms=compiling, seeds=1)
    # once as a rehearsal, twice more while something is compiled, and then measured
    assert len(seen) == 4
    assert rows.run_seconds.notna().all()
    huang = run(starts="huang", seeds=6)
    assert huang[TIMES].notna().all(axis=None)
    assert huang.start_seconds.nunique() > 1
    # what draws nothing is run and measured for one seed, and no time is copied
    cao = run(starts="cao", seeds=6)
    assert cao[TIMES].notna().sum().tolist() == [1, 1]
    assert cao.cost.nunique() == 1
    shuffled = run(starts="cao", seeds=6, orders="shuffled")
    assert shuffled[TIMES].notna().all(axis=None)
    assert shuffled.cost.nunique() > 1
    assert run(measure_time=False)[TIMES].isna().all(axis=None)


# Dissimilarities and starts in a few lines


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
    assert list_rows(tmp_path / "runs.sqlite").runs.tolist() == [2, 2, 2]
    # which columns there are matters only to a function that asks
    named = frame.rename(columns=dict(size="other"))
    third = run(dict(one=named), 3, **options)
    assert third.start_cost[~by].tolist() == third.start_cost[by].tolist()


def test_an_algorithm_gets_the_tables_also_without_random_state_or_start():
    "A copy of the codes, as without a dissimilarity; None for matching."
    seen = []

    def spoils(codes, modes, tables):
        seen.append(tables)
        labels = nearest_by(codes, modes, tables)
        codes[:] = 0
        return labels

    def alone(codes, n_clusters, tables):
        seen.append(tables)
        return np.arange(len(codes)) % n_clusters

    options = dict(dissimilarities=["matching", steps], seeds=2)
    rows = run(algorithms=[spoils, nearest_by], **options)
    wide = rows.pivot(
        index=["dissimilarity", "seed"], columns="algorithm", values="cost"
    )
    assert wide["spoils"].tolist() == wide["nearest_by"].tolist()
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


def test_what_load_gives_has_its_classes_and_its_name():
    from kmodes_study.data import load

    lenses = load("lenses", as_frame=True)
    asked = dict(measures="adjusted_rand_score", seeds=2)
    rows = run("lenses", None, **asked)
    for data in lenses, [lenses], dict(lenses=lenses), load("lenses"):
        found = run(data, None, **asked)
        assert (
            untimed(found)
            .drop(columns="dataset")
            .equals(untimed(rows).drop(columns="dataset"))
        )


def test_only_measures_with_classes_need_them():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(TABLE, measures=[largest, "silhouette_score"], seeds=1)
        run(DATA, measures="adjusted_rand_score", seeds=1)
    with pytest.warns(
        UserWarning, match="adjusted_rand_score will be missing for 'tab"
    ):
        rows = run(TABLE, measures="adjusted_rand_score", seeds=1)
    assert rows.adjusted_rand_score.isna().all()


def test_rows_of_a_store_come_in_the_order_of_their_names(tmp_path):
    "The signs in the words are those of the experiment."
    options = dict(starts=["random", drawn_rows], store=tmp_path / "runs.sqlite")
    rows = run(**options, seeds=6)
    stored = stored_rows(tmp_path / "runs.sqlite")
    assert stored.start.unique().tolist() == ["drawn_rows", "random"]
    assert stored.seed.tolist() == [*range(6)] * 2
    assert in_words(stored) == in_words(rows)
    assert difference_table(stored).equals(difference_table(rows))


# What the study makes of the frame


@pytest.fixture(scope="module")
def rows():
    return run(seeds=6, starts=["huang", "random", drawn_rows])


def test_the_tools_of_the_study_take_the_frame(rows):
    "Obstacle 5: two frames that did not meet."
    pairs = compare_pairs(rows, "cost")
    assert compare_pairs(by_method(rows), "final_cost").equals(pairs)
    assert len(pairs) == 3
    assert set(pairs.n) == {6}
    cells = summarise(rows)
    assert len(cells) == 3 * 3
    one = costs_in_time(rows[rows.start == "huang"], [1e9])
    assert one["otqt"][0] == rows[rows.start == "huang"].cost.min()
    # a run that draws nothing has one time, which stands for all seeds
    cao = run(seeds=6, starts="cao")
    assert costs_in_time(cao, [0, 1e9])["otqt"].tolist() == [cao.cost[0]] * 2
    assert len(plot_figure(rows)) == 3


def test_own_methods_get_own_colours(rows):
    "Smaller: an own start got Huang's colour."
    own = pd.concat([rows, rows[rows.start == "huang"].assign(start="mine")])
    lines = plot_cdf(own, "cost").get_lines()
    assert len({line.get_color() for line in lines}) == len(lines) == 4


def test_unequal_numbers_of_runs_are_said_and_made_equal(rows):
    "Obstacle 7: two runs topped two hundred, and nothing was said."
    few = rows[(rows.start != "drawn_rows") | (rows.seed < 2)]
    with pytest.warns(UserWarning, match="between 2 and 6 runs: 8 rows"):
        table = league(few)
    assert set(table.runs) == {2}
    assert equal_runs(rows).equals(rows)
    with pytest.raises(ValueError, match="got none"):
        equal_runs(rows.assign(seed=range(len(rows))))


def paired_rows(**columns):
    "Rows of two starts, with the same numbers as cost and as score."
    return pd.DataFrame(
        [
            dict(dataset="zoo", start=start, seed=seed, start_cost=n, cost=n, a_score=n)
            for start, numbers in columns.items()
            for seed, n in enumerate(numbers)
        ]
    )


def test_a_difference_is_of_the_methods_in_the_order_of_the_sentence():
    rows = paired_rows(one=[5] * 9 + [6], other=[3] * 10)
    said = "zoo: other ends at a lower cost than one (mean difference -2.1, 95 % int"
    assert in_words(rows).startswith(said)
    assert "interval -2.326 to -1.874" in in_words(rows)
    turned = paired_rows(other=[3] * 10, one=[5] * 9 + [6])
    assert in_words(turned) == in_words(rows)
    assert "other starts at a lower cost than one (mean" in in_words(rows, "start_cost")
    assert "one has a higher a_score than other (mean difference +2.1" in in_words(
        rows, "a_score"
    )
    passes = rows.assign(n_iter=rows.cost)
    assert "other has a lower n_iter than one" in in_words(passes, "n_iter")


@pytest.mark.parametrize(
    "others, sentence",
    [
        ([[-1] * 18 + [60]], "their mean goes the other way."),
        (
            [[-1] * 18 + [15]],
            "The ranks of the seeds show it; the interval of the mean",
        ),
        ([[1, 1.1, 1.2, 1, 1]], "the ranks of the seeds do not show it."),
        ([[1] * 7, [0] * 7, [0] * 7], "Alone this pair would show one"),
        ([[1] * 20], "20 seeds)."),
        ([[0] * 19 + [1]], "20 seeds)."),
    ],
)
def test_a_sentence_says_where_interval_and_test_do_not_agree(others, sentence):
    columns = {f"other_{n}": numbers for n, numbers in enumerate(others)}
    line = in_words(paired_rows(one=[0] * len(others[0]), **columns)).split("\n")[0]
    assert line.rpartition("seeds).")[2].strip() == sentence or sentence in line
    assert line.endswith("seeds).") == sentence.endswith("seeds).")


def test_a_block_is_named_with_its_table_and_its_number_of_clusters():
    one = paired_rows(one=[5] * 9 + [6], other=[3] * 10).assign(n_clusters=7)
    assert in_words(one).startswith("zoo: other ends")
    several = pd.concat([one, one.assign(n_clusters=2)])
    starts = [line.partition(": ")[0] for line in in_words(several).splitlines()]
    assert starts == ["zoo, k = 7", "zoo, k = 2"]
    tables = pd.concat([one, one.assign(dataset="car", n_clusters=4)])
    starts = [line.partition(": ")[0] for line in in_words(tables).splitlines()]
    assert starts == ["zoo, k = 7", "car, k = 4"]


def test_the_table_of_differences_has_the_numbers_of_the_words(rows, tmp_path):
    table = difference_table(rows)
    assert len(table) == 3
    pairs = compare_pairs(rows.sort_values("start", kind="stable"), "cost")
    assert table["first"].tolist() == pairs["first"].tolist()
    for name in "difference", "low", "high":
        assert table[name].tolist() == pairs[name].round(2).tolist()
    assert table.adjusted_p.tolist() == [float(f"{p:.2g}") for p in pairs.adjusted_p]
    assert table.seeds.tolist() == [6] * 3
    save_table(table, tmp_path / "pairs.tex")
    assert not re.search(r"\d\.\d{3}", (tmp_path / "pairs.tex").read_text())


def test_tables_are_rounded_and_nothing_becomes_0(tmp_path):
    table = pd.DataFrame(dict(a=[1 / 3, 2e-7, np.nan, 0.0], n=[1, 2, 3, 4], b="x"))
    save_table(table, tmp_path / "a.csv", decimals=3)
    assert (tmp_path / "a.csv").read_text().split() == [
        *("a,n,b", "0.333,1,x", "2e-07,2,x", ",3,x", "0.000,4,x")
    ]
    save_table(table, tmp_path / "a.tex", decimals=1)
    assert "0.3 & 1 & x" in (tmp_path / "a.tex").read_text()
    assert "0.3333333" in latex(table)
    assert latex(table, 3).startswith(r"\begin{tabular}{rrl}")
    with pytest.raises(ValueError, match="decimals must be"):
        latex(table, -1)


@pytest.mark.parametrize("function", [in_words, difference_table, league, method_table])
def test_costs_under_two_dissimilarities_are_not_compared(function):
    rows = paired_rows(one=[5] * 9 + [6], other=[3] * 10)
    both = pd.concat(
        [rows.assign(dissimilarity=name) for name in ("matching", "legs")]
    ).reset_index(drop=True)
    for quantity in "cost", "start_cost":
        with pytest.raises(ValueError, match="'matching', 'legs': .*adjusted_rand"):
            function(both, quantity, method="dissimilarity")
        with pytest.raises(ValueError, match="in one unit"):
            function(both, quantity, method=["start", "dissimilarity"])
    function(both, "cost")  # each dissimilarity is a block
    one = both[both.start == "one"]
    function(one, "a_score", method="dissimilarity")
    with pytest.raises(ValueError, match="in one unit"):
        compare_pairs(both, "cost", method="dissimilarity")


def test_the_initial_cost_that_was_measured_is_compared():
    "The measure of the papers is not the cost of the start."
    asked = dict(starts=["huang", drawn_rows], seeds=6)
    rows = run(**asked, measures=["initial_cost", "final_cost"])
    assert (rows.initial_cost < rows.start_cost).any()
    assert by_method(rows).initial_cost.equals(rows.initial_cost)
    differences = difference_table(rows, "initial_cost", decimals=9).difference[0]
    means = rows.groupby("start").initial_cost.mean()
    assert differences == pytest.approx(means["drawn_rows"] - means["huang"])
    pairs = compare_pairs(rows, "initial_cost")
    assert pairs.difference[0] == pytest.approx(-differences)
    without = run(**asked)
    assert by_method(without).initial_cost.tolist() == without.start_cost.tolist()


def test_a_quantity_that_is_not_there_is_named(rows):
    for function in in_words, league, method_table, difference_table:
        with pytest.raises(ValueError, match="got 'ari': .* measures='adjusted_rand"):
            function(rows, "ari")
        with pytest.raises(ValueError, match="got 'costs'; did you mean 'cost'"):
            function(rows, "costs")
        with pytest.raises(ValueError, match="method must be .* got 'starts'; did you"):
            function(rows, method="starts")
    with pytest.raises(ValueError, match="at least two seeds to be compared, got 1"):
        in_words(rows[rows.seed == 0])


def test_rows_of_a_file_are_as_good_as_those_of_the_experiment(tmp_path):
    many = {("own", ""): TABLE, ("own", "half"): TABLE[:30]}
    rows = run(many, starts=["random", drawn_rows], seeds=5)
    save_table(rows, tmp_path / "rows.csv")
    read = pd.read_csv(tmp_path / "rows.csv")
    assert read.variant.isna().any()
    assert len(equal_runs(read)) == len(rows)
    assert in_words(read) == in_words(rows)
    assert league(read).equals(league(rows))
    assert method_table(read).equals(method_table(rows))
    one = run(seeds=3, starts=["random", drawn_rows])
    save_table(one, tmp_path / "one.csv")
    assert len(equal_runs(pd.read_csv(tmp_path / "one.csv"))) == len(one)


def test_columns_of_numbers_stand_on_the_right(rows):
    assert latex(method_table(rows)).startswith(r"\begin{tabular}{lrrr}")
    table = pd.DataFrame({"a": ["1.5 (2)", "3"], "b": ["1.5", "x"], "c": ["-2", None]})
    assert latex(table).startswith(r"\begin{tabular}{rlr}")
    turned = method_table(rows)[["random", "drawn_rows", "huang"]]
    assert "dataset & random & drawn" in latex(turned)


def test_tables_are_escaped_and_figures_are_drawn(rows, tmp_path):
    table = pd.DataFrame({"a_b": ["50%", "x & y", r"\o/", "1 < 2"], "n": [1, 2, 3, 4]})
    text = latex(table)
    for sign in (r"a\_b", r"50\%", r"x \& y", r"\textbackslash{}o/", r"\textless{}"):
        assert sign in text
    assert text.count(r"\\") == 5
    assert text.startswith(r"\begin{tabular}{lr}")
    assert not re.search(r"(?<!\\)[%_#]", text)
    save_table(rows, tmp_path / "rows.csv")
    assert len(pd.read_csv(tmp_path / "rows.csv")) == len(rows)
    ax = plot_cdf(by_method(rows))
    for ending, first in (".svg", b"<?xml"), (".pdf", b"%PDF"), (".png", b"\x89PNG"):
        path = save_figure(ax, tmp_path / f"figure{ending}")
        assert path.read_bytes().startswith(first)


ODD = pd.DataFrame(
    {
        "a_b": ["50%", "x & y", r"\o/", "1 < 2", "[0, 1)", "*", "two\n\nlines", "a|b"],
        "∑ ∈ √": ["≤ 3", "−1", "α–ω", "é", "#1", "{}", "^~$", '"a"'],
    }
)


def published_cells():
    return pd.DataFrame(
        dict(
            dataset="own",
            n_clusters=3,
            init=["huang", "random"],
            quantity="final_cost",
            mean=[100.0, 100.0],
            sd=[1.0, 1.0],
            decimals_mean=2,
            decimals_sd=3,
            n_runs=6,
        )
    )


def tables_of_each_kind(rows):
    "Every table that the study makes of an experiment, by its name."
    both = ["start", "algorithm"]
    two = pd.concat([rows, rows.assign(dataset="other_set", n_clusters=2)])
    pairs = compare_pairs(rows, "cost")
    return {
        "rows": rows,
        "method_table": method_table(rows),
        "two methods, two tables": method_table(two, method=both),
        "league": league(rows, method=both),
        "pairs": pairs,
        "matrix": pair_matrix(pairs),
        "summary": summarise(rows).drop(columns="values"),
        "side_by_side": side_by_side(compare(summarise(rows), published_cells())),
        "signs": ODD,
        "empty": rows[:0],
    }


def compiled(texts, folder):
    "What pdflatex says of a document that has these tables."
    lines = [r"\documentclass{article}", r"\begin{document}", *texts]
    source = "\n\n".join([*lines, r"\end{document}"])
    (folder / "tables.tex").write_text(source, encoding="utf-8")
    return subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "tables.tex"],
        cwd=folder,
        capture_output=True,
    )


def test_tables_of_each_kind_are_latex(rows, tmp_path):
    """Each row has as many cells as there are columns, and no sign has a meaning that
    was not meant. Where there is a LaTeX it takes them all.
    """
    texts = {name: latex(table) for name, table in tables_of_each_kind(rows).items()}
    for name, text in texts.items():
        head, _, *lines, _, end, last = text.split("\n")
        kinds = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", head)[1]
        assert (end, last) == (r"\end{tabular}", ""), name
        body = [line for line in lines if line != r"\hline"]
        assert len(lines) - len(body) == 1, name
        for line in body:
            assert line.endswith(r" \\") and not line.startswith(("[", "*")), name
            plain = re.sub(r"\\(text[a-z]+\{\}|[&%$#_{}])", "", line[:-3])
            plain = re.sub(r"\$(-|\\[a-zA-Z]+)\$|\{[][*]\}", "", plain)
            assert plain.count("&") == len(kinds) - 1, name
            assert not re.search(r"[\\%$#_{}~^<>|]", plain), (name, line)
    if shutil.which("pdflatex"):
        done = compiled(texts.values(), tmp_path)
        assert done.returncode == 0, done.stdout.decode("latin1")[-2000:]
        broken = [texts["rows"].replace(r"\_", "_", 1)]
        assert compiled(broken, tmp_path).returncode != 0


def test_signs_that_latex_does_not_know_are_named():
    with pytest.warns(UserWarning, match="pdflatex does not know я 中, so"):
        text = latex(pd.DataFrame({"中": ["я", "α ≤ é"]}))
    assert text.count("?") == 2
    assert r"$\alpha$ $\leq$ é" in text


def test_functions_of_a_file_are_its_own(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import json\nfrom math import sqrt\ndef f(): pass\n"
    )
    assert list(functions_of_file(tmp_path / "mine.py")) == ["f"]


OWN_SCRIPT = """
from pathlib import Path

def partition(codes, n_clusters, random_state):
    return codes[random_state.permutation(len(codes))[:n_clusters]]

if __name__ == "__main__":
    Path(__file__).with_name("ran").touch()
"""


def test_what_is_not_here_of_a_colleague_is_named_with_the_option(tmp_path, capsys):
    "It said: starts must be one of these, got 'partition'; did you mean 'random_par…'."
    script, theirs = tmp_path / "theirs.py", tmp_path / "theirs.sqlite"
    script.write_text(OWN_SCRIPT)
    start = functions_of_file(script)["partition"]
    options = dict(seeds=3, store=theirs, progress=False)
    experiment({"mine": TABLE}, 2, starts=["cao", start], **options)
    TABLE.to_csv(tmp_path / "mine.csv", index=False)
    store = ["runs", "import", str(theirs), "--store", str(tmp_path / "mine.sqlite")]
    assert main(store) == 1
    assert "no table 'mine' is here: give it as data (--data mine=FILE" in (
        capsys.readouterr().out
    )
    store += ["--data", f"mine={tmp_path / 'mine.csv'}"]
    assert main(store) == 1
    said = capsys.readouterr().out
    assert "'partition' is no start of this package, so it is the colleague's" in said
    assert "give it as functions (--functions FILE.py on the command line)" in said
    assert "did you mean" not in said
    assert main([*store, "--functions", str(script)]) == 0
    assert not (tmp_path / "ran").exists(), "what a guard keeps back is not executed"


def test_each_kind_of_method_that_is_not_here_is_named(tmp_path):
    theirs = tmp_path / "theirs.sqlite"
    options = dict(seeds=3, store=theirs, progress=False)
    experiment({"mine": TABLE}, 2, starts=["cao"], **options)
    for role in "start", "algorithm", "dissimilarity", "order":
        export_rows(theirs.with_name(f"{role}.sqlite"), theirs)
        with closing(sqlite3.connect(theirs.with_name(f"{role}.sqlite"))) as opened:
            opened.execute(f"UPDATE trials SET [{role}] = 'their_own'")
            opened.commit()
        sent = theirs.with_name(f"{role}.sqlite")
        report = import_rows(sent, tmp_path / "x.sqlite", data={"mine": TABLE})
        assert report.taken.tolist() == [0]
        assert f"'their_own' is no {role} of this package" in report.found[0]


def test_missing_values_are_refused_in_the_words_of_the_experiment():
    table = pd.DataFrame({"a": ["x", None, "y"] * 4, "b": list("aab") * 4})
    asked = dict(n_clusters=2, seeds=[0], progress=False, store=None)
    with pytest.raises(ValueError, match="the table 'mine' has some: missing='categor"):
        experiment({"mine": table}, **asked)
    with pytest.raises(ValueError, match="missing='drop', as_frame=True.*frame.dropna"):
        experiment({"mine": table}, **asked)
    rows = experiment({"mine": table}, missing="category", starts="random", **asked)
    assert len(rows) == 1


def test_rows_with_gaps_are_left_out_as_the_page_says(load_or_skip):
    """The lines of the page that no cell runs, since they need a file of the archive:
    the table and the costs are those of the paper of 2020.
    """
    whole = load_or_skip("breast-cancer-wisconsin", missing="keep").data
    page = read_notebook(HOWTO / "own_experiment.ipynb")
    texts = "\n".join(cell["source"] for cell in page["cells"])
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


def test_a_name_that_is_wrong_is_refused_before_tables_are_read(tmp_path):
    absent = tmp_path / "absent.csv"
    with pytest.raises(ValueError, match="starts must be one of"):
        experiment(absent, 3, starts="coa")


def first_attribute(codes, n_clusters, seed):
    "A cluster for each value of the first attribute."
    return codes[:, 0]


def lots(codes, n_clusters, random_state):
    "Labels by chance, some rows in no cluster."
    return random_state.randint(-1, n_clusters, size=len(codes))


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


def test_stored_rows_without_a_start_are_carried_over_to_another_program(tmp_path):
    store = tmp_path / "runs.sqlite"
    options = dict(starts=None, algorithms=lots, store=store)
    rows = run(DATA, 3, **options)
    with closing(TrialStore(store)) as opened, opened.connection:
        opened.connection.execute("UPDATE trials SET program = 'earlier'")
    with pytest.warns(StoreWarning, match="4 stored rows of another version"):
        again = run(DATA, 3, **options)
    pd.testing.assert_frame_equal(untimed(again), untimed(rows))


@pytest.mark.parametrize(
    ("starts", "algorithms", "words"),
    [
        (None, "otqt", "algorithm 'otqt' goes on from modes: give it a start"),
        (None, dict(mine=lambda codes, modes: codes), "'mine' goes on from modes"),
        (["none", "cao"], lots, "got starts 'none', 'cao'"),
        (None, dict(short=lambda codes, n_clusters: [0]), "'short' must give labels"),
    ],
)
def test_what_needs_a_start_is_refused_without_one(starts, algorithms, words):
    with pytest.raises(ValueError, match=words):
        run(starts=starts, algorithms=algorithms)


def n_found(labels):
    "How many clusters there are."
    return len(np.unique(labels))


def test_methods_that_begin_by_themselves_are_compared_in_words():
    def constant(codes, n_clusters):
        return codes[:, 0]

    rows = run(
        DATA,
        3,
        seeds=12,
        starts=None,
        algorithms=[constant, lots],
        measures="adjusted_rand_score",
    )
    words = in_words(rows, "cost", method="algorithm")
    assert "constant ends at a lower cost than lots" in words
    assert in_words(rows, "adjusted_rand_score", method="algorithm")
    table = method_table(rows, method="algorithm")
    assert {"constant", "lots"} <= {*table.columns}
    plot_cdf(by_method(rows, "algorithm"))
    with pytest.raises(ValueError, match="missing ones in .'start_cost'"):
        by_method(rows.assign(start="random"), "algorithm")
