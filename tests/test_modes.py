"""Dissimilarities, modes, costs and gaps against their definitions and scipy, and the
check of clusterings.
"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist

from kmodes_study.cluster.modes import assign, category_counts, category_offsets
from kmodes_study.cluster.modes import check_clustering, cluster_costs, cost
from kmodes_study.cluster.modes import fill_missing, matching, matching_distances
from kmodes_study.cluster.modes import modes_of
from oracles.gaps import partial_distances, partial_weights

pytestmark = pytest.mark.usefixtures("small_tables")

few = settings(max_examples=60, deadline=None)


@st.composite
def clusterings(draw):
    """Codes, labels without empty clusters and their number, with ties, equal rows and
    constant columns among them.
    """
    n, m = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    levels = draw(st.sampled_from([1, 2, 3, 300, 70_000]))
    codes = draw(hnp.arrays(np.int64, (n, m), elements=st.integers(0, levels - 1)))
    _, labels = np.unique(
        draw(hnp.arrays(np.int64, n, elements=st.integers(0, 3))), return_inverse=True
    )
    return codes, labels, int(labels.max()) + 1


@st.composite
def with_representatives(draw):
    "Codes, labels, representatives and whole weights, with unused clusters among them."
    codes, labels, k = draw(clusterings())
    any_code, shape = st.integers(0, int(codes.max()) + 1), (k + 1, codes.shape[1])
    modes = draw(hnp.arrays(np.int64, shape, elements=any_code))
    weights = draw(hnp.arrays(np.int64, len(codes), elements=st.integers(0, 3)))
    return codes, labels, modes, weights


def by_scipy(X, Y):
    return np.rint(cdist(X, Y, "hamming") * X.shape[1]).astype(int)


def counted(codes, labels, n_clusters):
    """The counts by Python's own counting, cluster by cluster and attribute by
    attribute.
    """

    def counts(column, top):
        return [column.count(c) for c in range(top + 1)]

    tops = codes.max(axis=0)
    return [
        sum(map(counts, codes[labels == l].T.tolist(), tops), [])
        for l in range(n_clusters)
    ]


# Dissimilarities and nearest modes


@pytest.mark.parametrize(
    "n, m, dtype",
    [
        (1, 1, np.uint8),
        (2047, 7, np.uint8),
        (2048, 255, np.uint8),
        (2049, 256, np.uint8),
        (2049, 256, np.uint16),
        (2048, 7, np.uint32),
        (16_385, 3, np.uint8),
        (16_385, 3, np.uint16),
    ],
)
def test_distances_and_nearest_modes_at_the_edges_of_blocks_counters_and_types(
    n, m, dtype
):
    rng = np.random.default_rng(n + m)
    codes = rng.choice(np.array([0, 1, np.iinfo(dtype).max], dtype), (n, m))
    modes = rng.choice(codes.ravel(), (5, m))
    modes[4] = modes[1]  # the later of equal modes gets nothing
    expected = by_scipy(codes, modes)
    assert np.array_equal(matching_distances(codes, modes), expected)
    labels, distances = assign(codes, modes)
    assert np.array_equal(labels, expected.argmin(axis=1))
    assert np.array_equal(distances, expected.min(axis=1))
    assert labels.dtype == distances.dtype == np.int32
    if n > 16_384:
        assert np.array_equal(assign(codes, modes, n_jobs=2), (labels, distances))


POINTS = st.tuples(*[st.sampled_from([0, 1, "0", "a", True, None])] * 3)


@few
@given(st.tuples(POINTS, POINTS, POINTS))
def test_matching_is_a_metric_on_points_of_any_kind(points):
    x, y, z = points
    assert matching(x, y) == matching(y, x) == sum(a != b for a, b in zip(x, y))
    assert (matching(x, y) == 0) == (x == y)
    assert matching(x, z) <= matching(x, y) + matching(y, z)


# Counts and modes


@few
@given(clusterings())
def test_counts_and_modes_by_definition(clustering):
    codes, labels, k = clustering
    counts = category_counts(codes, labels, k)
    offsets = category_offsets(codes.max(axis=0) + 1)
    if codes.max() < 300:
        assert counts.tolist() == counted(codes, labels, k)
    assert counts.dtype == np.int64
    assert counts.shape == (k, offsets[-1])
    modes = modes_of(codes, labels, k)
    assert modes.dtype == np.min_scalar_type(codes.max())
    for l, mode in enumerate(modes):
        points = codes[labels == l]
        assert mode.tolist() == [np.bincount(column).argmax() for column in points.T]
        candidates = list(product(*[np.unique(column) for column in points.T]))
        sums = by_scipy(points, np.array(candidates)).sum(axis=0)
        best = [z for z, total in zip(candidates, sums) if total == sums.min()]
        assert tuple(mode) == best[0]  # the first of all modes in the order of codes


def test_columns_of_many_rows_are_counted_two_at_a_time():
    "In pairs of different widths, and the last one alone; not where a pair is wide."
    random, levels, n = np.random.RandomState(0), [2, 5, 300, 90, 3], 40_000
    codes = random.randint(levels, size=(n, 5))
    codes[0] = np.array(levels) - 1
    labels = random.randint(3, size=n)
    each = [
        np.bincount(labels * v + column, minlength=3 * v).reshape(3, v)
        for column, v in zip(codes.T, levels)
    ]
    assert np.array_equal(category_counts(codes, labels, 3), np.hstack(each))


def test_an_empty_cluster_has_no_mode():
    with pytest.raises(ValueError, match="labels"):
        modes_of([[0], [1]], [0, 2], 3)
    # but any point minimises an empty sum
    check_clustering([[0], [1]], [0, 2], [[0], [9], [1]], 0)


# The cost


@few
@given(with_representatives())
def test_nearest_modes_and_costs_are_read_from_the_table_of_distances(clustering):
    codes, labels, modes, weights = clustering
    table = by_scipy(codes, modes)
    assert np.array_equal(
        assign(codes, modes), [table.argmin(axis=1), table.min(axis=1)]
    )
    own = table[np.arange(len(codes)), labels]
    for w in None, weights:
        expected = [
            int((own * (1 if w is None else w))[labels == l].sum())
            for l in range(len(modes))
        ]
        assert cluster_costs(codes, labels, modes, sample_weight=w).tolist() == expected
        assert cost(codes, labels, modes, sample_weight=w) == sum(expected)


def test_large_weights_stay_exact_and_fractions_are_floats():
    weight = 2**53 + 1  # the first integer that a float cannot hold
    assert cost([[0], [1]], [0, 0], [[1]], sample_weight=[weight, 7]) == weight
    assert cost([[0], [1]], [0, 0], [[2]], sample_weight=[weight, 1]) == weight + 1
    result = cost([[0, 0], [1, 0]], [0, 0], [[1, 1]], sample_weight=[0.5, 0.25])
    assert type(result) is float
    assert result == 1.25


# The check


@few
@given(clusterings(), st.data())
def test_check_accepts_just_the_modes(clustering, data):
    codes, labels, k = clustering
    modes = modes_of(codes, labels, k)
    l = data.draw(st.integers(0, k - 1))
    j = data.draw(st.integers(0, codes.shape[1] - 1))
    changed = modes.astype(np.int64)
    changed[l, j] = data.draw(
        st.one_of(st.sampled_from(codes[:, j].tolist()), st.integers(0, 80_000))
    )
    column = codes[labels == l, j].tolist()
    total = cost(codes, labels, changed)
    if column.count(changed[l, j]) == max(map(column.count, column)):
        check_clustering(codes, labels, changed, total)
    else:
        with pytest.raises(ValueError, match=rf"modes\[{l}\] must be a mode of its"):
            check_clustering(codes, labels, changed, total)
    with pytest.raises(ValueError, match="cost must be"):
        check_clustering(codes, labels, modes, cost(codes, labels, modes) + 1)


# Gaps


@few
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.sampled_from([0, 1, 2]))
def test_partial_distances_and_weights_by_definition(seed, m, least):
    rng = np.random.default_rng(seed)
    codes = rng.integers(least, 4, size=(9, m))
    modes = rng.integers(3, size=(4, m))
    w = rng.integers(0, 5, size=9)
    codes[:, rng.integers(m)] = rng.integers(3, size=9)  # no row is missing altogether
    there = codes != 3
    differ = ((codes[:, None] != modes) & there[:, None]).sum(axis=2)
    expected = differ * m / there.sum(axis=1)[:, None]
    assert np.array_equal(partial_distances(codes, modes, [3] * m), expected)
    weights, unit = partial_weights(codes, [3] * m, w)
    assert np.allclose(weights * unit, w * m / there.sum(axis=1), rtol=1e-12)
    filled = fill_missing(codes, [3] * m, w)
    assert np.array_equal(filled[there], codes[there])
    assert (there.any(axis=0) <= (filled != 3).all(axis=0)).all()


def test_weights_with_fractions_keep_nine_digits_in_wide_tables():
    """Rows with 61, 60, ..., 2 values: the shares were rounded before they were
    multiplied by the weights, to six digits.
    """
    codes = (np.arange(61) < np.arange(60)[:, None]).astype(np.uint8)
    w = np.random.default_rng(0).random(60)
    weights, unit = partial_weights(codes, [1] * 61, w)
    assert np.allclose(weights * unit, w * 61 / np.arange(61, 1, -1), rtol=1e-9, atol=0)
    # no whole share divides 61 by each of these numbers: the nearest one is taken
    times = np.arange(60) % 4 + 1
    weights, unit = partial_weights(codes, [1] * 61, times)
    whole = zip(weights.tolist(), times.tolist(), range(61, 1, -1))
    for weight, time, observed in whole:
        assert abs(weight - Fraction(time * 61, observed) / Fraction(unit)) * 2 <= time


# Bad input


def test_a_cost_that_is_off_by_more_than_rounding_is_none():
    codes = np.array([[0, 1, 3], [1, 3, 0], [0, 1, 1]])
    gaps = [3, 3, 3]
    modes = np.array([[0, 1, 0]])
    weights, unit = partial_weights(codes, gaps, None)
    differing = ((codes != modes) & (codes != 3)).sum(axis=1)
    cost = float((differing * weights).sum() * unit)
    check_clustering(codes, [0, 0, 0], modes, cost * (1 + 1e-12), missing_codes=gaps)
    with pytest.raises(ValueError, match="cost"):
        check_clustering(codes, [0, 0, 0], modes, cost * 1.001, missing_codes=gaps)
