"""The cost against its formula, and its invariances."""
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist

from kmodes_study.checks import check_sample_weight
from kmodes_study.cluster.modes import cluster_costs, cost


@st.composite
def clusterings(draw):
    "Codes, labels, modes and whole-number weights, with unused clusters, equal rows and constant columns among them."
    n, m, k = draw(st.integers(1, 12)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    array = lambda shape, high: draw(hnp.arrays(np.int64, shape, elements=st.integers(0, high)))
    levels = draw(st.sampled_from([0, 1, 3, 300, 70_000]))
    return array((n, m), levels), array(n, k - 1), array((k, m), levels), array(n, 3)


def from_distances(codes, labels, modes, weights):
    "Cluster costs read from scipy's table of all distances between rows and modes."
    distances = np.rint(cdist(codes, modes, "hamming")*codes.shape[1]).astype(int)
    own = distances[np.arange(len(codes)), labels]*weights
    return [int(own[labels == l].sum()) for l in range(len(modes))]


@settings(deadline=None)
@given(clusterings())
def test_equals_the_table_of_distances(clustering):
    codes, labels, modes, weights = clustering
    assert cluster_costs(codes, labels, modes).tolist() == from_distances(codes, labels, modes, 1)
    assert cluster_costs(codes, labels, modes, sample_weight=weights).tolist() == from_distances(codes, labels, modes, weights)
    assert cost(codes, labels, modes) == sum(from_distances(codes, labels, modes, 1))


@settings(deadline=None)
@given(clusterings(), st.randoms(use_true_random=False))
def test_invariances(clustering, random):
    codes, labels, modes, weights = clustering
    expected = cost(codes, labels, modes)
    rows, columns, clusters = (random.sample(range(size), size) for size in (len(codes), codes.shape[1], len(modes)))
    assert cost(codes[rows], labels[rows], modes) == expected
    assert cost(codes[:, columns], labels, modes[:, columns]) == expected
    assert cost(codes, np.argsort(clusters)[labels], modes[clusters]) == expected
    assert cost(np.hstack([codes, codes]), labels, np.hstack([modes, modes])) == 2*expected
    repeated = codes.repeat(weights + 1, axis=0), labels.repeat(weights + 1)
    assert cost(codes, labels, modes, sample_weight=weights + 1) == cost(*repeated, modes)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.int8, np.int64])
@pytest.mark.parametrize("label_dtype", [np.uint8, np.int32, np.int64])
def test_types_do_not_matter_and_input_is_left_alone(dtype, label_dtype):
    rng = np.random.default_rng(0)
    codes, modes = rng.integers(100, size=(50, 3)).astype(dtype), rng.integers(100, size=(4, 3)).astype(np.uint16)
    labels = rng.integers(4, size=50).astype(label_dtype)
    before = codes.copy(), labels.copy(), modes.copy()
    assert cost(codes, labels, modes) == sum(from_distances(codes.astype(int), labels.astype(int), modes.astype(int), 1))
    assert cost(np.asfortranarray(codes), labels, modes) == cost(codes.tolist(), labels.tolist(), modes.tolist()) == cost(codes, labels, modes)
    for x in (codes, labels, modes): x.flags.writeable = False
    assert type(cost(codes, labels, modes)) is int and cluster_costs(codes, labels, modes).dtype == np.int64
    assert all((x == y).all() for x, y in zip(before, (codes, labels, modes)))


def test_no_other_representative_is_cheaper_than_the_most_frequent_categories():
    rng = np.random.default_rng(1)
    for _ in range(20):
        codes = rng.integers(3, size=(7, 3))
        mode = [np.bincount(column).argmax() for column in codes.T]
        everywhere = [cost(codes, [0]*7, [[a, b, c]]) for a in range(3) for b in range(3) for c in range(3)]
        assert cost(codes, [0]*7, [mode]) == min(everywhere)


def test_vehicles_three_clusters_are_best_modes_for_their_points():
    codes = np.array([[ord(c) for c in row] for row in "HM2240 LM0120 VH2380 HL4541 MM2541 ML2441 VH4540 LV2440 HM0221 HM4740".split()])
    labels = np.array([0, 0, 0, 1, 2, 2, 1, 0, 0, 0])
    modes = np.array([[np.bincount(column).argmax() for column in codes[labels == l].T] for l in range(3)])
    assert cost(codes, labels, modes) == 21
    assert min(cost(codes, np.array(p)[labels], modes) for p in permutations(range(3))) == 21
    assert cost(codes, [0]*10, [[ord(c) for c in "HM2540"]]) == 30
    assert [cost(codes, [0]*10, codes[[i]]) for i in range(10)] == [31, 42, 43, 37, 34, 38, 37, 37, 41, 34]


def test_large_weights_stay_exact():
    weight = 2**53 + 1  # the first integer that a float cannot hold
    assert cost([[0], [1]], [0, 0], [[1]], sample_weight=[weight, 7]) == weight
    assert cost([[0], [1]], [0, 0], [[2]], sample_weight=[weight, 1]) == weight + 1


def test_fractions_as_weights():
    result = cost([[0, 0], [1, 0]], [0, 0], [[1, 1]], sample_weight=[.5, .25])
    assert type(result) is float and result == 1.25


BAD = [
    (dict(codes=[[.5, 1]]), "codes"), (dict(codes=[0, 1]), "codes"), (dict(codes=[["a", "b"]]), "codes"), (dict(codes=[[-1, 0]]), "codes"),
    (dict(codes=np.zeros((0, 2), int), labels=[]), "codes"),
    (dict(modes=[[.5, 1]]), "modes"), (dict(modes=[[0, 1, 2]]), "2 attributes, got 3 columns"), (dict(modes=[0, 1]), "modes"),
    (dict(labels=[0]), "each of the 2 rows"), (dict(labels=[[0, 0]]), "each of the 2 rows"), (dict(labels=[0., 0.]), "labels must be integers"),
    (dict(labels=[True, False]), "labels must be integers"), (dict(labels=["a", "b"]), "labels must be integers"),
    (dict(labels=[0, 1]), "got 0 to 1"), (dict(labels=[-1, 0]), "got -1 to 0"),
    (dict(sample_weight=[1]), "sample_weight"), (dict(sample_weight=[1, -1]), "sample_weight"), (dict(sample_weight=[1, np.inf]), "sample_weight"),
    (dict(sample_weight=["a", "b"]), "sample_weight"), (dict(sample_weight=[2**62, 2**62]), "sample_weight"),
]


@pytest.mark.parametrize("change, message", BAD)
@pytest.mark.parametrize("function", [cost, cluster_costs])
def test_bad_input(function, change, message):
    good = dict(codes=[[0, 1], [1, 1]], labels=[0, 0], modes=[[0, 1]])
    assert np.sum(function(**good)) == 1
    with pytest.raises(ValueError, match=message): function(**good | change)


def test_weights_are_not_copied_when_there_are_none():
    assert check_sample_weight(None, 10**12).strides == (0,)
