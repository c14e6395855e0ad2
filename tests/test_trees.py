"""Trees: equal to the plain form and to scipy, cut exactly, laid out whatever their
depth.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.cluster import hierarchy

from kmodes_study.family.trees import METHODS, grow_tree, tree_labels, tree_layout
from kmodes_study.measures.cohesion import prototype_sums
from kmodes_study.measures.distances import hamming_distances
from kmodes_study.plain.relatives import plain_tree


@pytest.mark.parametrize("method", METHODS)
def test_heights_are_those_of_the_plain_form(method):
    # without ties the tree is unique
    D = np.abs(np.subtract.outer(*2 * [np.random.RandomState(0).rand(12)]))
    found = grow_tree(D, method=method, metric="precomputed")
    assert found[:, 2] == pytest.approx(
        [height for *_, height in plain_tree(D.tolist(), method)]
    )


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 30),
    method=st.sampled_from(METHODS),
    data=st.data(),
)
def test_a_cut_has_exactly_so_many_clusters_and_cuts_are_nested(seed, n, method, data):
    codes = np.random.RandomState(seed).randint(3, size=(n, 4))
    Z, k = grow_tree(codes, method=method), data.draw(st.integers(1, n))
    labels = tree_labels(Z, k)
    assert list(dict.fromkeys(labels.tolist())) == list(range(k))
    finer = tree_labels(Z, min(n, k + 1))
    assert len(set(zip(labels.tolist(), finer.tolist()))) == min(n, k + 1)
    at = float(data.draw(st.integers(0, 4)))
    theirs = hierarchy.fcluster(Z, at, "distance")
    ours = tree_labels(Z, height=at)
    assert (
        len(set(zip(ours.tolist(), theirs.tolist())))
        == len(set(ours.tolist()))
        == len(set(theirs.tolist()))
    )


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 40),
    most=st.integers(2, 12),
    data=st.data(),
)
def test_the_layout_is_the_upper_part_of_the_tree(seed, n, most, data):
    Z = grow_tree(np.random.RandomState(seed).randint(3, size=(n, 4)))
    k = data.draw(st.integers(1, min(most, n)))
    layout = tree_layout(Z, n_clusters=k, most=most)
    assert layout.sizes.sum() == n
    assert len(layout.sizes) == min(most, n)
    assert sorted(layout.links[:, 4]) == sorted(Z[n - len(layout.sizes) :, 2])
    clusters = layout.clusters.tolist()
    assert len(set(clusters)) == k
    assert (layout.link_clusters == -1).sum() == k - 1
    # each cluster stands together
    assert 1 + sum(a != b for a, b in zip(clusters, clusters[1:])) == k
    labels = tree_labels(Z, k)
    sizes = np.bincount(layout.clusters, weights=layout.sizes, minlength=k)
    assert (sizes == np.bincount(labels)).all()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 40), most=st.integers(2, 12))
def test_a_joint_stands_over_the_middle_of_the_two_it_joins(seed, n, most):
    layout = tree_layout(
        grow_tree(np.random.RandomState(seed).randint(3, size=(n, 4))), most=most
    )
    links = layout.links
    feet = [*zip(*links[:, :2].T), *zip(*links[:, 2:4].T)]
    leaves = [(place, 0.0) for place in range(len(layout.branches))]
    middles = zip((links[:, 0] + links[:, 2]) / 2, links[:, 4])
    # nothing stands on the joint of all
    assert sorted(feet) == sorted([*leaves, *list(middles)[:-1]])
    assert (links[:, 0] < links[:, 2]).all()


def test_a_deep_chain_is_laid_out():
    n = 3000
    Z = np.column_stack(
        [
            np.append(0, np.arange(n, 2 * n - 2)),
            np.arange(1, n),
            np.arange(1.0, n),
            np.arange(2.0, n + 1),
        ]
    )
    with pytest.raises(RecursionError):
        hierarchy.dendrogram(Z, no_plot=True)
    layout = tree_layout(Z, n_clusters=3, most=10)
    assert sorted(layout.sizes) == [1] * 9 + [n - 9]


def test_ward_on_the_root_of_hamming_adds_least_to_the_spread():
    codes = np.random.RandomState(0).randint(3, size=(25, 5))
    Z = grow_tree(
        np.sqrt(2 * hamming_distances(codes, dtype="float64")),
        method="ward",
        metric="precomputed",
    )
    spreads = [
        prototype_sums(codes, tree_labels(Z, k)).spread.sum() for k in range(25, 0, -1)
    ]
    assert np.diff(spreads) == pytest.approx(Z[:, 2] ** 2 / 4)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: grow_tree([[0], [1]], method="ward"), "square roots of Hamming"),
        (
            lambda: grow_tree([[0], [1]], method="ward", metric="gower"),
            "'average', 'complete' or 'single'",
        ),
        (lambda: grow_tree([[0]]), "at least two rows"),
        (lambda: grow_tree([[0], [1]], method="centroid"), "method must be one of"),
        (
            lambda: grow_tree([["a", None], [None, "b"]], missing="ignore"),
            "no common attribute",
        ),
        (lambda: tree_labels(grow_tree([[0], [1]]), 3), "n_clusters must be at most 2"),
        (lambda: tree_labels(grow_tree([[0], [1]])), "one of them only"),
        (lambda: tree_labels(grow_tree([[0], [1]]), height=-1), "height must be"),
        (
            lambda: tree_layout(grow_tree([[0], [1]]), n_clusters=3),
            "n_clusters must be at most",
        ),
    ],
)
def test_what_is_no_tree_is_refused(call, error):
    with pytest.raises(ValueError, match=error):
        call()


def test_joints_at_the_height_of_the_cut_hold_as_in_scipy():
    Z = grow_tree(np.random.RandomState(0).randint(3, size=(40, 6)))
    for height in np.unique(Z[:, 2]):
        found = tree_labels(Z, height=height)
        theirs = hierarchy.fcluster(Z, height, "distance")
        assert len(set(found)) == len(set(theirs)) == len(set(zip(found, theirs)))


def test_heights_that_fall_count_as_those_before_them():
    """Centroid linkage may join lower than before: the joints below a height are the
    first ones.
    """
    Z = np.array([[0, 1, 1, 2], [2, 5, 3, 3], [3, 6, 2, 4], [4, 7, 2.2, 5.0]])
    assert tree_labels(Z, height=2.5).tolist() == [0, 0, 1, 2, 3]
    assert tree_labels(Z, height=3).tolist() == [0] * 5
