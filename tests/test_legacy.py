"""The legacy orders against an oracle, and the 2020 paper's tables against the
printed figures.
"""

import itertools

import numba
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study.cluster.modes import check_clustering
from kmodes_study.core.codes import encode
from kmodes_study.data.loaders import load
from kmodes_study.study.compare import printed_cell
from kmodes_study.study.legacy import (
    init_huang_legacy,
    init_matching_legacy,
    run_legacy,
    set_order,
)
from kmodes_study.study.published import published


class OldTuple(tuple):
    """A tuple with the hash of CPython 3.7, for the sets of the Python that runs the
    test.
    """

    def __hash__(self):
        x, factor = 0x345678, 1000003
        for left, item in zip(reversed(range(len(self))), self):
            x = (x ^ item) * factor % 2**64
            factor += 82520 + 2 * left
        h = (x + 97531) % 2**64
        h = 2**64 - 2 if h == 2**64 - 1 else h
        return h - 2**64 if h >= 2**63 else h


@given(
    st.lists(
        st.tuples(*[st.integers(0, 12)] * 4), min_size=1, max_size=400, unique=True
    )
)
@settings(max_examples=100, deadline=None)
def test_set_order_is_the_walk_of_a_set(rows):
    walked = set()
    for row in rows:  # one by one: a set made at once may have another size
        walked.add(OldTuple(row))
    got = set_order(np.array(rows, np.uint8).reshape(len(rows), 4))
    assert [rows[i] for i in got] == [tuple(row) for row in walked]


# Printed by CPython 3.7.16: the walk of a set to which the products of range(3) x
# range(2) x range(2) were added.
CPYTHON37 = "011 110 111 210 100 211 001 101 000 201 010 200"


def test_set_order_as_cpython_37_printed_it():
    rows = list(itertools.product(range(3), range(2), range(2)))
    walked = ["".join(map(str, rows[i])) for i in set_order(rows)]
    assert walked == CPYTHON37.split()


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


def codes_of(dataset, **options):
    "The complete rows as the paper clustered them, the identification number included."
    if dataset == "breast-cancer-wisconsin":
        options = dict(id_column=True) | options
    return encode(load(dataset, as_frame=True, missing="drop", **options).data)[0]


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
    ["6", "7", *(pytest.param(t, marks=pytest.mark.minute) for t in ("3", "10"))],
)
def test_table_of_2020_is_exact(table, load_or_skip):
    """The tables of the two small sets; nbs/results/wilde2020.ipynb fails unless all
    eight are exact.
    """
    dataset, n_clusters, rows = printed_rows(table)
    load_or_skip(dataset)
    codes = codes_of(dataset)
    assert list(rows) == ["cao", "huang", "matching"]
    for init in rows:
        assert computed_row(codes, n_clusters, init, range(250)) == rows[init], init


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
