"The contest of starts and algorithms: fair rows, and what runs and times may expect."

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study.cluster.modes import cost, modes_of
from kmodes_study.study.protocols.clusterers import CLUSTERERS
from kmodes_study.study.protocols.contest import (
    CONTENDERS,
    INITIALISATIONS,
    SWAPS,
    Problem,
    costs_in_time,
    expected_lowest,
    kept_runs,
    planted_designs,
    planted_problem,
    problem_properties,
    run_contest,
)
from kmodes_study.study.protocols.newcomers import (
    benchmark_clusterer,
    benchmark_start,
    standing,
)

TINY = Problem(
    "tiny",
    np.random.RandomState(0).randint(3, size=(30, 4)).astype(np.uint8),
    np.arange(30) % 3,
    3,
)
TRANSFERS = dict(otqt=CONTENDERS["otqt"])


@pytest.fixture(scope="module")
def runs():
    rows = run_contest([TINY], range(12), dict(random=INITIALISATIONS["random"]))
    # the clock of the machine decides nothing
    took = rows.algorithm.map(dict(otqt=50, lloyd=20, huang=40, swap=700))
    return rows.assign(start_us=10 + rows.seed, run_us=took + 3 * rows.seed)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.data())
def test_expected_lowest_is_the_mean_over_all_choices(costs, data):
    r = data.draw(st.integers(1, len(costs)))
    expected = np.mean([min(chosen) for chosen in combinations(costs, r)])
    assert expected_lowest(costs, r) == pytest.approx(expected, abs=1e-9)
    shares = [expected_lowest(costs, r + step / 4) for step in range(5)]
    assert np.all(np.diff(shares) <= 1e-9)


def test_all_algorithms_go_on_from_one_start_in_an_order_of_their_own():
    seen = {}

    def watch(name):
        def algorithm(codes, modes, random_state=None):
            seen[name] = codes.copy(), modes.copy(), random_state.randint(2**31)
            return CONTENDERS["otqt"](codes, modes)

        return algorithm

    random = dict(random=INITIALISATIONS["random"])
    watched = dict(one=watch("one"), two=watch("two"))
    run_contest([TINY], [0], random, watched)
    (first, modes, draw), (second, again, drawn) = seen["one"], seen["two"]
    # and they draw as if the start had drawn nothing
    assert draw == drawn == np.random.RandomState(0).randint(2**31)
    run_contest([TINY], [1], random, watched)
    other = seen["one"][0]
    assert (first == second).all()
    assert (modes == again).all()
    assert (first != other).any()
    assert (
        sorted(map(tuple, first))
        == sorted(map(tuple, TINY.codes))
        == sorted(map(tuple, other))
    )


def test_any_part_of_a_contest_gives_the_same_rows(runs):
    part = run_contest(
        [TINY], [7], dict(random=INITIALISATIONS["random"]), TRANSFERS, n_jobs=2
    )
    whole = runs[(runs.seed == 7) & (runs.algorithm == "otqt")].reset_index(drop=True)
    own = [column for column in part if not column.endswith("_us")]
    pd.testing.assert_frame_equal(part[own], whole[own])


def test_time_buys_runs_and_swaps(runs):
    transfers = runs[runs.algorithm == "otqt"]
    unit = (transfers.start_us + transfers.run_us).mean()
    found = costs_in_time(runs, np.array([1, 3, 12]) * unit)["otqt"]
    assert found == pytest.approx(expected_lowest(transfers.cost, (1, 3, 12)))
    search = costs_in_time(runs, np.geomspace(1, 1e9, 25))["swap"]
    swaps = runs[runs.algorithm == "swap"]
    assert np.all(np.diff(search) <= 1e-9)
    assert search[-1] == swaps.cost.min()
    assert search[0] == transfers.cost.mean()
    assert (swaps.cost_10 >= swaps.cost_100).all()
    assert (swaps.cost_100 >= swaps.cost).all()


def test_planted_problems_are_what_their_design_says():
    designs = planted_designs(1)
    assert len(designs) == 54
    assert not designs.duplicated().any()
    assert planted_designs(2)[:54].equals(designs)
    for seed in (0, 53):
        problem, design = planted_problem(designs, seed), designs.loc[seed]
        sizes = np.bincount(problem.labels)
        assert len(sizes) == design.n_clusters == problem.n_clusters
        assert problem.codes.max() == design.n_levels - 1
        assert sizes.max() / sizes.min() == pytest.approx(design.imbalance, rel=0.1)
        assert problem_properties(problem)["imbalance"] == sizes.max() / sizes.min()


def test_properties_of_a_table():
    codes = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]], np.uint8)
    found = problem_properties(
        Problem("square", codes, np.array(["a", "a", "b", "b"]), 2)
    )
    assert (
        found["class_cost"]
        == cost(codes, [0, 0, 1, 1], modes_of(codes, [0, 0, 1, 1], 2))
        == 2
    )
    assert (
        found["levels"],
        found["distinct"],
        found["evenness"],
        found["imbalance"],
    ) == (2, 1, 1, 1)
    # adjusted for chance, columns that know nothing of each other are below 0
    alone, twin = -0.5, 1
    assert found["dependence"] == pytest.approx((2 * alone + twin) / 3)


def test_kept_rows_are_whole():
    folder = Path(__file__).parent.parent / "nbs" / "results"
    files = [
        folder / f"which_initialisation{part}.csv.xz" for part in ("", "_problems")
    ]
    assert sum(file.stat().st_size for file in files) <= 5e6
    rows, problems = map(pd.read_csv, files)
    assert not rows.duplicated(["problem", "init", "algorithm", "seed"]).any()
    counts = rows.groupby(["problem", "init", "algorithm"]).seed.agg(["size", "max"])
    assert (counts["size"] == counts["max"] + 1).all()  # so no seed is left out
    sizes = counts["size"].unstack()
    planted = sizes.index.get_level_values("problem").str.startswith("planted")
    # huang, lloyd, otqt, swap
    assert (sizes[planted] == [100, 100, 100, 34]).all(axis=None)
    assert (sizes[~planted] == [200, 200, 200, 40]).all(axis=None)
    assert set(problems.problem) == set(rows.problem)
    assert rows.groupby("problem").init.nunique().eq(8).all()
    assert (rows[["start_us", "run_us"]] > 0).all(axis=None)
    swaps = rows[rows.algorithm == "swap"]
    assert (
        swaps[["cost_10", "cost_30", "cost_100", "cost"]].diff(axis=1).iloc[:, 1:] <= 0
    ).all(axis=None)


def test_a_search_does_not_supply_its_own_zero():
    gaps = kept_runs(Path(__file__).parent.parent / "nbs" / "results").groupby(
        "problem"
    )
    least = gaps.gap.min()
    assert (least >= 0).all()
    # the record of optima.json is lower than all runs of the contest
    assert least["mushroom, 20"] > 0


def test_transfers_within_a_search_take_no_longer_than_the_search():
    """After 20 µs the first search is over, though transfers alone took longer than it
    with this start; the second is still at its transfers.
    """
    swaps = {f"cost_{number}": 7 for number in SWAPS}
    rows = pd.DataFrame(
        dict(
            seed=[0, 1, 0, 1],
            algorithm=["otqt", "otqt", "swap", "swap"],
            start_us=1,
            run_us=[90, 30, 9, 99],
            cost=[8, 8, 5, 6],
            swaps=20,
            **swaps,
        )
    )
    assert costs_in_time(rows, [5.0, 20.0])["swap"].tolist() == [8, (5 + 8) / 2]


def test_a_row_says_of_an_algorithm_without_swaps_that_it_has_none(runs):
    others = runs[runs.algorithm != "swap"]
    assert (others[["swaps", *(f"cost_{number}" for number in SWAPS)]] == -1).all(
        axis=None
    )
    assert (runs[runs.algorithm == "swap"].swaps >= 0).all()


def test_a_newcomer_that_is_a_known_method_is_as_good_as_that(capsys):
    asked = dict(n_tables=1, store=None, progress=False)
    random = INITIALISATIONS["random"]
    found = benchmark_start(random, n_seeds=2, references=["random", "cao"], **asked)
    assert (found.difference.xs("random", level="less") == 0).all()
    assert (found.difference.xs("cao", level="less") != 0).any()
    entropy = CLUSTERERS["least entropy"]
    names = ["least entropy", "k-modes"]
    found = benchmark_clusterer(entropy, n_seeds=1, references=names, **asked)
    found = found.difference.drop(
        "real", level="tables"
    )  # those have kept runs of twenty seeds
    assert (found.xs("least entropy", level="less").abs() < 1e-6).all()
    assert "6 of 6 as kept" in capsys.readouterr().out


@pytest.mark.parametrize("better, place", [(1, 1), (-1, 3)])
def test_the_place_of_a_newcomer_follows_what_is_better(better, place, capsys):
    index = pd.MultiIndex.from_product([["a"], range(3)])
    values = pd.DataFrame(dict(own=[7, 8, 9], one=1, two=2.5), index)
    found = standing(values, "own", ["one"], 0.1, better)
    assert found.difference.tolist() == [7 * better, 5.5 * better]
    assert f"a (3): place {place} of 3 ({place} to {place})" in capsys.readouterr().out
