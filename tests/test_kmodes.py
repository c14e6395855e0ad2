"""The two algorithms: against their definitions, the kmodes package, brute force, and
the figures of the paper.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from kmodes.kmodes import KModes as PeerKModes

from kmodes_study.cluster.algorithms.lloyd import lloyd
from kmodes_study.cluster.modes import (
    ClusteringResult,
    assign,
    check_clustering,
    modes_of,
)
from kmodes_study.cluster.algorithms.huang import huang
from kmodes_study.core.codes import encode
from oracles.kmodes import plain_huang, plain_lloyd

pytestmark = pytest.mark.usefixtures("small_tables")

ALGORITHMS = dict(huang=huang, lloyd=lloyd)
algorithm = pytest.mark.parametrize("run", ALGORITHMS.values(), ids=ALGORITHMS)
SETTINGS = settings(max_examples=100, deadline=None)


def check_result(codes, result):
    "Assert all that holds for every result."
    assert isinstance(result, ClusteringResult)
    assert result.labels.dtype == np.int32
    assert type(result.cost) is int
    check_clustering(codes, result.labels, result.modes, result.cost)
    assert (result.modes == modes_of(codes, result.labels, len(result.modes))).all()
    assert result.cost <= min(result.epoch_costs)
    assert len(result.epoch_costs) == result.n_iter + 1
    assert all(type(cost) is int for cost in result.epoch_costs)
    if result.converged:
        assert (result.labels == assign(codes, result.modes)[0]).all()


def as_lists(result):
    return result._replace(labels=result.labels.tolist(), modes=result.modes.tolist())


@st.composite
def problems(draw, max_rows=14, max_clusters=5, rows_as_modes=False):
    "Codes with at least as many distinct rows as modes, and initial modes."
    n = draw(st.integers(1, max_rows))
    m = draw(st.integers(1, 4))
    v = draw(st.integers(1, 4))
    rng = np.random.RandomState(draw(st.integers(0, 2**32 - 1)))
    codes = rng.randint(v, size=(n, m)).astype(np.uint8)
    distinct = np.unique(codes, axis=0)
    k = min(draw(st.integers(1, max_clusters)), len(distinct))
    if rows_as_modes:
        return codes, distinct[rng.choice(len(distinct), k, replace=False)]
    return codes, rng.randint(v, size=(k, m)).astype(np.uint8)


@SETTINGS
@given(problems(), st.sampled_from([0, 1, 2, 100]))
def test_lloyd_is_its_definition(problem, max_iter):
    codes, modes = problem
    result = lloyd(codes, modes, max_iter=max_iter)
    check_result(codes, result)
    assert as_lists(result) == plain_lloyd(
        codes.tolist(), modes.tolist(), None, max_iter
    )


@SETTINGS
@given(problems(), st.integers(0, 1000), st.sampled_from([0, 1, 2, 100]))
def test_huang_is_its_definition(problem, seed, max_iter):
    codes, modes = problem
    fast, slow = np.random.RandomState(seed), np.random.RandomState(seed)
    result = huang(codes, modes, max_iter=max_iter, random_state=fast)
    check_result(codes, result)
    assert as_lists(result) == plain_huang(
        codes.tolist(), modes.tolist(), None, max_iter, slow
    )
    assert fast.randint(2**31) == slow.randint(2**31)  # as many draws


def test_the_plain_forms_with_weights_and_gaps():
    """Four rows of which the last misses a value; a heavy row takes the first mode
    along.
    """
    X, modes = [[0, 0], [0, 1], [1, 1], [1, None]], [[0, 0], [1, 1]]
    expected = ClusteringResult([0, 0, 1, 1], [[0, 0], [1, 1]], 1, 1, [1, 1], True)
    assert plain_lloyd(X, modes) == plain_huang(X, modes) == expected
    heavy = ClusteringResult([0, 0, 1, 1], [[0, 1], [1, 1]], 1, 1, [1, 1], True)
    assert (
        plain_lloyd(X, modes, [1, 3, 1, 2])
        == plain_huang(X, modes, [1, 3, 1, 2])
        == heavy
    )
    alike = [[0, None], [None, 1], [0, 1]]
    # clusters that cannot be filled are left out
    assert plain_lloyd(alike, [[0, 1]] * 3).modes == [[0, 1]]


@pytest.mark.parametrize(
    "distinct", [True, False], ids=["distinct starts", "repeated starts"]
)
def test_huang_walks_as_the_kmodes_package(distinct):
    "With repeated starts clusters begin empty, and both draw the same modes for them."
    rng, better = np.random.RandomState(0), 0
    for _ in range(60):
        n = rng.randint(12, 80)
        m = rng.randint(1, 7)
        k = rng.randint(2, 6)
        v = rng.randint(2, 5)
        codes, _ = encode(rng.randint(v, size=(n, m)))
        rows = np.unique(codes, axis=0)
        if len(rows) <= k:
            continue
        start = rows[rng.choice(len(rows), k, replace=not distinct)]
        seed = int(rng.randint(1000))
        peer = PeerKModes(k, init=start.copy(), n_init=1, random_state=seed).fit(codes)
        own_seed = np.random.RandomState(seed).randint(np.iinfo(np.int32).max, size=1)[
            0
        ]
        result = huang(codes, start, random_state=own_seed)
        check_result(codes, result)
        assert result.epoch_costs == peer.epoch_costs_
        assert result.n_iter == peer.n_iter_
        assert result.cost <= peer.cost_
        better += result.cost < peer.cost_
    assert better > 0  # the peer returns its last state, which need not be the best


@SETTINGS
@given(problems(max_rows=7, max_clusters=3))
def test_not_below_the_least_cost(problem):
    codes, modes = problem

    def cost(labels):
        columns = [
            list(column)
            for own in set(labels)
            for column in codes[np.array(labels) == own].T
        ]
        return sum(len(column) - max(map(column.count, column)) for column in columns)

    least = min(map(cost, product(range(len(modes)), repeat=len(codes))))
    for run in ALGORITHMS.values():
        assert run(codes, modes, random_state=0).cost >= least


@SETTINGS
@given(problems(), st.integers(0, 5))
def test_stopped_runs(problem, max_iter):
    codes, modes = problem
    for run in ALGORITHMS.values():
        whole = run(codes, modes, random_state=0)
        stopped = run(codes, modes, max_iter=max_iter, random_state=0)
        check_result(codes, stopped)
        assert stopped.n_iter == min(whole.n_iter, max_iter)
        assert stopped.epoch_costs == whole.epoch_costs[: max_iter + 1]
        assert stopped.converged == (whole.n_iter <= max_iter)


@algorithm
def test_clusters_that_begin_empty_are_filled(run):
    codes = np.random.RandomState(0).randint(4, size=(50, 5)).astype(np.uint8)
    for modes in (
        np.zeros((6, 5), np.uint8),
        np.full((6, 5), 200, np.uint8),
        codes[[3] * 6],
    ):
        result = run(codes, modes, random_state=1)
        check_result(codes, result)
        assert np.bincount(result.labels, minlength=6).all()


@algorithm
def test_a_cluster_of_256_points(run):
    "A counter of one byte takes it for an empty one."
    codes = np.repeat(np.eye(3, 6, dtype=np.uint8), 256, axis=0)
    result = run(codes, codes[[0, 256, 512]], random_state=0)
    check_result(codes, result)
    assert np.bincount(result.labels).tolist() == [256] * 3
    assert result.cost == 0
