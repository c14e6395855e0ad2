"""The legacy orders against their oracles, and the 2020 paper's tables against the
printed figures.
"""

import itertools
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study.cluster.starts.matching import virtual_modes
from kmodes_study.cluster.modes import check_clustering
from kmodes_study.plain.study import plain_argsort, plain_set_order, plain_tuple_hash
from kmodes_study.study.compare import printed_cell
from kmodes_study.study.legacy import (
    init_huang_legacy,
    init_matching_legacy,
    legacy_argsort,
    run_legacy,
    set_order,
    wilde2020_codes,
)
from kmodes_study.study.published import published


class Adversary:
    """McIlroy's opponent of quicksort: a value is settled, as low as possible, only
    when a comparison forces it.
    """

    settled, candidate = 0, None

    def __init__(self):
        self.value = None

    def settle(self):
        self.value = Adversary.settled
        Adversary.settled += 1

    def __lt__(self, other):
        if self.value is None and other.value is None:
            (self if self is Adversary.candidate else other).settle()
        if self.value is None:
            Adversary.candidate = self
        elif other.value is None:
            Adversary.candidate = other
        return self.value is not None and (
            other.value is None or self.value < other.value
        )


def lopsided(n):
    """Integers of which a parting takes off two only, so that the budget runs out, with
    many ties among what is left.
    """
    Adversary.settled, Adversary.candidate = 0, None
    values = [Adversary() for _ in range(n)]
    plain_argsort(values)
    a = np.array([n if v.value is None else v.value for v in values])
    late = a > 100
    a[late] = np.random.default_rng(0).integers(101, 106, late.sum())
    return a


@pytest.fixture(scope="module")
def argsort_without_simd(tmp_path_factory):
    """`np.argsort` in a process whose numpy uses no optional processor features: the
    algorithm of numpy 1.16.
    """

    def argsort(arrays):
        folder = tmp_path_factory.mktemp("argsort")
        np.savez(folder / "before.npz", *arrays)
        code = (
            "import sys, numpy as np; z = np.load(sys.argv[1]); "
            "np.savez(sys.argv[2], *[np.argsort(z[k]) for k in z])"
        )
        found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
        subprocess.run(
            [sys.executable, "-c", code, folder / "before.npz", folder / "after.npz"],
            check=True,
            env=os.environ | {"NPY_DISABLE_CPU_FEATURES": " ".join(found)},
        )
        with np.load(folder / "after.npz") as z:
            return [z[name] for name in z]

    return argsort


def test_argsort_is_the_fallback_of_this_numpy(argsort_without_simd):
    rng = np.random.default_rng(1)
    sizes = [*range(0, 70), 128, 266, 683, 1000, 5644]
    arrays = [rng.integers(0, rng.integers(1, 60), n).astype(np.int64) for n in sizes]
    for a, expected in zip(arrays, argsort_without_simd(arrays)):
        for dtype in np.int64, np.int32, np.uint8:
            assert legacy_argsort(a.astype(dtype)).tolist() == expected.tolist()


@pytest.mark.parametrize("n", [500, 600])
def test_lopsided_parts_are_finished_by_heapsort(argsort_without_simd, n):
    killer = lopsided(n)
    # the naive form has no heapsort
    assert legacy_argsort(killer).tolist() != plain_argsort(killer.tolist())
    np.testing.assert_array_equal(
        legacy_argsort(killer), argsort_without_simd([killer])[0]
    )


@given(st.lists(st.integers(0, 6), max_size=300), st.integers(0, 320))
@settings(max_examples=100, deadline=None)
def test_head_is_the_beginning_of_a_sorted_permutation(values, head):
    whole = legacy_argsort(np.array(values, int))
    assert sorted(whole.tolist()) == list(range(len(values)))
    assert np.array(values, int)[whole].tolist() == sorted(values)
    assert (
        legacy_argsort(np.array(values, int), head=head).tolist()
        == whole[:head].tolist()
    )


def test_argsort_leaves_its_argument_alone():
    a = np.array([3, 1, 2] * 20)
    before = a.copy()
    legacy_argsort(a)
    np.testing.assert_array_equal(a, before)


class OldTuple(tuple):
    """A tuple with the hash of CPython 3.7, for the sets of the Python that runs the
    test.
    """

    def __hash__(self):
        h = plain_tuple_hash(self)
        return h - 2**64 if h >= 2**63 else h


@given(
    st.lists(
        st.tuples(*[st.integers(0, 12)] * 4), min_size=1, max_size=400, unique=True
    )
)
@settings(max_examples=100, deadline=None)
def test_set_order_is_the_walk_of_a_set(rows):
    walked = set()
    for row in rows:
        walked.add(OldTuple(row))
    got = set_order(np.array(rows, np.uint8).reshape(len(rows), 4))
    assert (
        [rows[i] for i in got]
        == [tuple(row) for row in walked]
        == plain_set_order(rows)
    )


def test_set_order_of_many_rows():
    rows = list(
        itertools.product(
            range(3), range(5), range(4), range(4), range(3), range(2), range(3)
        )
    )
    walked = set()
    for row in rows:
        walked.add(OldTuple(row))
    assert [rows[i] for i in set_order(rows)] == [tuple(row) for row in walked]


# Printed by CPython 3.7.16: the walk of a set to which the products of range(3) x
# range(2) x range(2) were added.
CPYTHON37 = [
    (0, 1, 1),
    (1, 1, 0),
    (1, 1, 1),
    (2, 1, 0),
    (1, 0, 0),
    (2, 1, 1),
    (0, 0, 1),
    (1, 0, 1),
    (0, 0, 0),
    (2, 0, 1),
    (0, 1, 0),
    (2, 0, 0),
]


def test_set_order_as_cpython_37_printed_it():
    rows = list(itertools.product(range(3), range(2), range(2)))
    assert [rows[i] for i in set_order(rows)] == CPYTHON37


def test_hashes_of_many_large_codes_wrap_as_unsigned_64_bits():
    rows = list(
        dict.fromkeys(
            map(tuple, np.random.default_rng(2).integers(0, 700, (200, 40)).tolist())
        )
    )
    assert [rows[i] for i in set_order(rows)] == plain_set_order(rows)


# The tables of 2020: means and standard deviations of 250 runs, which need compiled
# code.

PRINTED = published("wilde2020").query(
    "quantity in ['initial_cost', 'final_cost', 'n_iter'] and n_clusters.notna()"
)


def printed_rows(table):
    "Dataset, number of clusters, and the printed cells of each initialisation."
    cells = PRINTED[PRINTED.table == table]
    parts = cells.groupby("init", sort=False)
    rows = {
        init: [printed_cell(c.mean, c.sd) for c in part.itertuples()]
        for init, part in parts
    }
    return cells.dataset.iloc[0], int(cells.n_clusters.iloc[0]), rows


def computed_row(codes, n_clusters, init, seeds):
    "Initial cost, final cost and iterations over `seeds`, as printed."
    results = [run_legacy(codes, n_clusters, init, seed) for seed in seeds]
    runs = np.array([(r.epoch_costs[0], r.epoch_costs[-1], r.n_iter) for r in results])
    return [
        printed_cell(mean, sd)
        for mean, sd in zip(runs.mean(axis=0), runs.std(axis=0, ddof=1))
    ]


@pytest.mark.skipif(
    numba.config.DISABLE_JIT, reason="too slow without compiled kernels"
)
@pytest.mark.parametrize(
    "table",
    [
        "6",
        "7",
        pytest.param("3", marks=pytest.mark.minute),
        pytest.param("10", marks=pytest.mark.minute),
    ],
)
def test_table_of_2020_is_exact(table, load_or_skip):
    """The tables of the two small sets; nbs/results/wilde2020.ipynb fails unless all
    eight are exact.
    """
    dataset, n_clusters, rows = printed_rows(table)
    load_or_skip(dataset)
    codes = wilde2020_codes(dataset)
    assert list(rows) == ["cao", "huang", "matching"]
    for init in rows:
        assert computed_row(codes, n_clusters, init, range(250)) == rows[init], init


def test_without_the_identification_number_no_cost_of_breast_cancer_comes_out(
    load_or_skip,
):
    load_or_skip("breast-cancer-wisconsin")
    _, _, rows = printed_rows("7")
    codes = wilde2020_codes("breast-cancer-wisconsin", id_column=False)
    assert codes.shape == (683, 9)
    assert computed_row(codes, 2, "cao", range(2))[:2] != rows["cao"][:2]


@pytest.mark.parametrize(
    "dataset, shape",
    [
        ("breast-cancer-wisconsin", (683, 10)),
        ("mushroom", (5644, 22)),
        ("nursery", (12960, 8)),
        ("soybean-large", (266, 35)),
    ],
)
def test_codes_have_the_printed_shape(dataset, shape, load_or_skip):
    load_or_skip(dataset)
    assert wilde2020_codes(dataset).shape == shape


@pytest.fixture
def rows():
    return np.random.default_rng(3).integers(0, 4, (120, 6)).astype(np.uint8)


@pytest.mark.parametrize("init", ["cao", "huang", "matching"])
def test_a_run_depends_on_its_seed_only(rows, init):
    alone = run_legacy(rows, 5, init, 11)
    run_legacy(rows, 5, init, 12)
    again = run_legacy(rows.copy(order="F"), 5, init, 11)
    np.testing.assert_array_equal(alone.labels, again.labels)
    assert list(alone.epoch_costs) == list(again.epoch_costs)
    check_clustering(rows, alone.labels, alone.modes, alone.cost)


@pytest.mark.parametrize("init", [init_huang_legacy, init_matching_legacy])
def test_modes_are_distinct_rows_and_the_codes_stay(rows, init):
    before = rows.copy()
    modes = init(rows, 7, random_state=5)
    np.testing.assert_array_equal(rows, before)
    assert len(np.unique(modes, axis=0)) == 7
    assert (modes[:, None] == rows).all(axis=2).any(axis=1).all()


@pytest.mark.parametrize("small", [np.uint8, np.int8])
def test_a_number_of_clusters_of_eight_bits_counts_on(small):
    """The number of rows that are looked at grows beyond 255 here: eight bits would
    wrap to 0, and never get there.
    """
    codes = np.repeat(np.random.default_rng(0).integers(0, 3, (45, 4)), 20, axis=0)
    distinct = len(np.unique(codes, axis=0))
    for init in "cao", "huang", "matching":
        found, expected = (
            run_legacy(codes, k, init, 0) for k in (small(distinct), distinct)
        )
        np.testing.assert_array_equal(found.labels, expected.labels)


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda: run_legacy(np.eye(3, dtype=int), 2, "random", 0),
            "init must be one of .*, got 'random'",
        ),
        (
            lambda: init_matching_legacy(np.eye(3, dtype=int)[[0, 0, 1]], 3),
            "n_clusters=3, .* 2 different rows only",
        ),
        (
            lambda: init_huang_legacy(np.eye(3, dtype=int), 2.5),
            "n_clusters must be a whole number of at least 1, got 2.5",
        ),
        (
            lambda: legacy_argsort([1, 2], head=-1),
            "head must be a whole number of at least 0, got -1",
        ),
        (lambda: set_order([[0, 1], [0, 1]]), "rows must be distinct"),
        (lambda: wilde2020_codes("zoo"), "dataset must be one of .* got 'zoo'"),
    ],
)
def test_what_is_wrong_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_runs_in_threads_are_the_same_runs(rows):
    keys = [(init, seed) for init in ("huang", "matching") for seed in range(10)]
    run = lambda key: list(run_legacy(rows, 4, *key).epoch_costs)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, keys)) == [run(key) for key in keys]


def naive_matching_start(codes, n_clusters, seed):
    """The matching initialisation in words: lists of tuples, a real set with the old
    hash, and proposals one at a time.
    """
    residents = [
        tuple(row)
        for row in virtual_modes(codes, n_clusters, random_state=seed).tolist()
    ]
    data = [tuple(row) for row in codes.tolist()]
    d = lambda x, y: sum(a != b for a, b in zip(x, y))
    lists = []
    for resident in residents:
        order = plain_argsort([d(resident, row) for row in data])
        lists.append(list(dict.fromkeys(data[i] for i in order))[:n_clusters])
    walked = set()
    for chosen in lists:
        for row in chosen:
            walked.add(OldTuple(row))
    hospitals = [tuple(row) for row in walked]
    held = {}
    queue = list(range(n_clusters))
    proposals = [iter(chosen) for chosen in lists]
    while queue:
        r = queue.pop()
        h = next(proposals[r])
        order = [
            s
            for s in plain_argsort([d(h, resident) for resident in residents])
            if h in lists[s]
        ]
        suitors = sorted([r, *([held[h]] if h in held else [])], key=order.index)
        held[h] = suitors[0]
        queue += suitors[1:]
    return [list(h) for h in hospitals if h in held]


@pytest.mark.parametrize("seed", range(12))
def test_matching_start_is_the_naive_one(seed):
    # many repeated rows
    codes = np.random.default_rng(seed).integers(0, 3, (90, 4)).astype(np.uint8)
    n_clusters = 3 + seed
    found = init_matching_legacy(codes, n_clusters, random_state=seed)
    assert found.tolist() == naive_matching_start(codes, n_clusters, seed)
