"""Dissimilarities, modes and nearest modes against their definitions and scipy, and the check of clusterings."""
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist

from kmodes_study.cluster.dissimilarity import matching, matching_distances
from kmodes_study.cluster.modes import assign, category_counts, category_frequencies, category_offsets, check_clustering, cost, modes_of


@st.composite
def clusterings(draw):
    "Codes, labels without empty clusters and the number of clusters, with ties, equal rows and constant columns among them."
    n, m = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    levels = draw(st.sampled_from([1, 2, 3, 300, 70_000]))
    codes = draw(hnp.arrays(np.int64, (n, m), elements=st.integers(0, levels - 1)))
    _, labels = np.unique(draw(hnp.arrays(np.int64, n, elements=st.integers(0, 3))), return_inverse=True)
    return codes, labels, int(labels.max()) + 1


def by_scipy(X, Y):
    return np.rint(cdist(X, Y, "hamming")*X.shape[1]).astype(int)


def counted(codes, labels, n_clusters):
    "The counts by Python's own counting, cluster by cluster and attribute by attribute."
    return [[column.tolist().count(c) for column, whole in zip(codes[labels == l].T, codes.T) for c in range(whole.max() + 1)] for l in range(n_clusters)]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("n", [1, 2047, 2048, 2049, 4500])
@pytest.mark.parametrize("m", [1, 7, 255, 256])
def test_distances_and_nearest_modes_at_the_edges_of_blocks_counters_and_types(dtype, n, m):
    rng = np.random.default_rng(n + m)
    codes = rng.choice(np.array([0, 1, np.iinfo(dtype).max], dtype), (n, m))
    modes = rng.choice(codes.ravel(), (5, m))
    modes[4] = modes[1]  # the later of equal modes gets nothing
    expected = by_scipy(codes, modes)
    assert np.array_equal(matching_distances(codes, modes), expected)
    labels, distances = assign(codes, modes)
    assert np.array_equal(labels, expected.argmin(axis=1)) and np.array_equal(distances, expected.min(axis=1))
    assert labels.dtype == distances.dtype == np.int32


def test_no_count_of_mismatches_wraps():
    for m in (254, 255, 256, 257, 511, 512, 513, 65_535, 65_536):
        codes, modes = np.zeros((2, m), np.uint8), np.ones((2, m), np.uint8)
        modes[1, 0] = 0
        assert matching_distances(codes, modes).tolist() == [[m, m - 1]]*2
        assert [a.tolist() for a in assign(codes, modes)] == [[1, 1], [m - 1, m - 1]]


def test_many_clusters():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=(15, 4))
    modes = rng.integers(3, size=(70_000, 4))
    modes[:-1, 0] = 3  # all but the last are far
    modes[-1] = codes[0]
    expected = np.concatenate([by_scipy(codes, part) for part in np.array_split(modes, 7)], axis=1)
    assert np.array_equal(assign(codes, modes)[0], expected.argmin(axis=1))
    assert assign(codes, modes)[0][0] == 69_999


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from([0, 1, "0", "a", True, None])]*3), min_size=3, max_size=3))
def test_matching_is_a_metric_on_points_of_any_kind(points):
    x, y, z = points
    assert matching(x, y) == matching(y, x) == sum(a != b for a, b in zip(x, y))
    assert (matching(x, y) == 0) == (x == y)
    assert matching(x, z) <= matching(x, y) + matching(y, z)


def test_types_layouts_and_the_callers_arrays():
    rng = np.random.default_rng(1)
    codes, modes, labels = rng.integers(9, size=(40, 3)), rng.integers(9, size=(4, 3)), np.arange(40) % 4
    results = lambda codes, modes, labels: [matching_distances(codes, modes), *assign(codes, modes), category_counts(codes, labels, 4), modes_of(codes, labels, 4)]
    expected = results(codes, modes, labels)
    for variant in (codes.astype(np.uint16), np.asfortranarray(codes), codes[::-1][::-1], np.repeat(codes, 2, axis=1)[:, ::2], codes.tolist()):
        assert all(np.array_equal(a, b) for a, b in zip(results(variant, modes.astype(np.uint32), labels.astype(np.uint8)), expected))
    before = codes.copy(), modes.copy(), labels.copy()
    for array in (codes, modes, labels): array.flags.writeable = False
    results(codes, modes, labels)
    results(codes.astype(np.uint8), modes.astype(np.uint8), labels)
    assert all(np.array_equal(a, b) for a, b in zip(before, (codes, modes, labels)))


def test_codes_of_other_types_are_compared_by_value():
    assert matching_distances(np.array([[44]], np.uint8), np.array([[300]], np.uint16)).tolist() == [[1]]
    assert assign(np.array([[44]], np.uint8), np.array([[300], [44]], np.uint16))[0].tolist() == [1]
    assert matching_distances(np.array([[0]], np.uint8), np.array([[65_536]], np.uint32)).tolist() == [[1]]


@settings(deadline=None)
@given(clusterings())
def test_counts_and_modes_by_definition(clustering):
    codes, labels, k = clustering
    counts, offsets = category_counts(codes, labels, k), category_offsets(codes.max(axis=0) + 1)
    if codes.max() < 300:
        assert counts.tolist() == counted(codes, labels, k)
    assert counts.dtype == np.int64 and counts.shape == (k, offsets[-1])
    frequencies, same_offsets = category_frequencies(codes)
    assert np.array_equal(frequencies, counts.sum(axis=0)) and np.array_equal(offsets, same_offsets)
    modes = modes_of(codes, labels, k)
    assert modes.dtype == np.min_scalar_type(codes.max())
    for l, mode in enumerate(modes):
        points = codes[labels == l]
        assert mode.tolist() == [np.bincount(column).argmax() for column in points.T]
        candidates = list(product(*[np.unique(column) for column in points.T]))
        sums = by_scipy(points, np.array(candidates)).sum(axis=0)
        best = [z for z, total in zip(candidates, sums) if total == sums.min()]
        assert tuple(mode) == best[0]  # the first of all modes in the order of codes


@settings(deadline=None)
@given(clusterings(), st.randoms(use_true_random=False))
def test_modes_do_not_depend_on_the_order_of_rows_and_follow_the_columns(clustering, random):
    codes, labels, k = clustering
    modes = modes_of(codes, labels, k)
    rows, columns = random.sample(range(len(codes)), len(codes)), random.sample(range(codes.shape[1]), codes.shape[1])
    assert np.array_equal(modes_of(codes[rows], labels[rows], k), modes)
    assert np.array_equal(modes_of(codes[:, columns], labels, k), modes[:, columns])
    assert np.array_equal(modes_of(codes.repeat(3, axis=0), labels.repeat(3), k), modes)


@settings(deadline=None)
@given(clusterings())
def test_half_steps_do_not_raise_the_cost_and_pass_the_check(clustering):
    codes, labels, k = clustering
    modes = modes_of(codes, labels, k)
    before = cost(codes, labels, modes)
    check_clustering(codes, labels, modes, before)
    labels, distances = assign(codes, modes)
    assert distances.sum() == cost(codes, labels, modes) <= before
    used, labels = np.unique(labels, return_inverse=True)
    modes = modes_of(codes, labels, len(used))
    assert cost(codes, labels, modes) <= distances.sum()
    check_clustering(codes, labels, modes, cost(codes, labels, modes))


@settings(deadline=None)
@given(clusterings(), st.data())
def test_check_accepts_just_the_modes(clustering, data):
    codes, labels, k = clustering
    modes = modes_of(codes, labels, k)
    l, j = data.draw(st.integers(0, k - 1)), data.draw(st.integers(0, codes.shape[1] - 1))
    changed = modes.astype(np.int64)
    changed[l, j] = data.draw(st.one_of(st.sampled_from(codes[:, j].tolist()), st.integers(0, 80_000)))
    column = codes[labels == l, j].tolist()
    total = cost(codes, labels, changed)
    if column.count(changed[l, j]) == max(map(column.count, column)):
        check_clustering(codes, labels, changed, total)
    else:
        with pytest.raises(ValueError, match=rf"modes\[{l}\] must be a mode of its cluster"): check_clustering(codes, labels, changed, total)
    with pytest.raises(ValueError, match="cost must be"): check_clustering(codes, labels, modes, cost(codes, labels, modes) + 1)


BAD = [
    (dict(codes=[[.5, 1]]), "codes"), (dict(codes=[0, 1]), "codes"), (dict(codes=[["a", "b"]]), "codes"), (dict(codes=[[-1, 0]]), "codes"),
    (dict(codes=np.zeros((0, 2), int), labels=[]), "codes"),
    (dict(labels=[0]), "each of the 2 rows"), (dict(labels=[[0, 1]]), "each of the 2 rows"), (dict(labels=[0., 1.]), "labels must be integers"),
    (dict(labels=[True, False]), "labels must be integers"), (dict(labels=["a", "b"]), "labels must be integers"),
    (dict(labels=[0, 2]), "got 0 to 2"), (dict(labels=[-1, 0]), "got -1 to 0"),
]


@pytest.mark.parametrize("change, message", BAD)
@pytest.mark.parametrize("function", [category_counts, modes_of, lambda codes, labels, n_clusters: check_clustering(codes, labels, [[0, 1], [1, 1]], 0)])
def test_bad_codes_and_labels(function, change, message):
    good = dict(codes=[[0, 1], [1, 1]], labels=[0, 1], n_clusters=2)
    function(**good)
    with pytest.raises(ValueError, match=message): function(**good | change)


@pytest.mark.parametrize("n_clusters", [0, -1, 1.5, "2", None])
def test_bad_number_of_clusters(n_clusters):
    for function in (category_counts, modes_of):
        with pytest.raises(ValueError, match="n_clusters must be a whole number"): function([[0], [1]], [0, 0], n_clusters)


@pytest.mark.parametrize("function", [assign, matching_distances])
def test_bad_pairs_of_codes(function):
    with pytest.raises(ValueError, match="2 attributes"): function([[0, 1]], [[0]])
    with pytest.raises(ValueError, match="codes|X"): function([[.5]], [[0]])
    with pytest.raises(ValueError, match="modes|Y"): function([[0]], [0])


def test_an_empty_cluster_has_no_mode():
    with pytest.raises(ValueError, match="cluster 1 of n_clusters=3 empty"): modes_of([[0], [1]], [0, 2], 3)
    check_clustering([[0], [1]], [0, 2], [[0], [9], [1]], 0)  # but any point minimises an empty sum
