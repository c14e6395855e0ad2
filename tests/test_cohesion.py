"""Cohesion and separation: sums over pairs from counts and from matrices, bounds of the
cost, and heights of trees.
"""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from kmodes_study.cluster.modes import cluster_costs, modes_of
from kmodes_study.measures.cohesion import (
    cluster_order,
    cophenetic_correlation,
    pair_sums,
)
from kmodes_study.measures.distances import hamming_distances
from oracles.silhouette import plain_pair_sum


def clustered(seed, n, m, k):
    rng = np.random.RandomState(seed)
    return rng.randint(3, size=(n, m)), rng.permutation(
        np.append(np.arange(k), rng.randint(k, size=n - k))
    )


given_clusters = given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 25),
    m=st.integers(1, 6),
    k=st.integers(1, 4),
)


@given_clusters
def test_counts_matrix_and_plain_form_agree(seed, n, m, k):
    codes, labels = clustered(seed, n, m, k)
    D = hamming_distances(codes, dtype=int)
    members = [np.flatnonzero(labels == l).tolist() for l in range(k)]
    found, sizes = pair_sums(codes, labels)
    assert found.dtype == np.int64
    assert sizes.tolist() == list(map(len, members))
    plain = [[plain_pair_sum(D, a, b) for b in members] for a in members]
    assert (found == plain).all()
    assert (pair_sums(D, labels, metric="precomputed")[0] == found).all()
    assert np.triu(found).sum() == D.sum() // 2
    assert (pair_sums(squareform(D), labels, metric="precomputed")[0] == found).all()
    spread = np.diag(found) / sizes
    costs = cluster_costs(codes, labels, modes_of(codes, labels, k))
    assert (spread <= costs + 1e-9).all()
    assert (spread >= costs / 2 - 1e-9).all()


def test_the_order_begins_with_the_innermost_row_of_each_cluster():
    codes, labels = clustered(3, 60, 5, 4)
    D = hamming_distances(codes)
    own = (D * (labels[:, None] == labels)).sum(axis=1)
    order = cluster_order(D, labels)
    assert (np.diff(labels[order]) >= 0).all()
    assert all((np.diff(own[order][labels[order] == l]) >= 0).all() for l in range(4))


@pytest.mark.parametrize("method", ["single", "complete", "average"])
def test_cophenetic_correlation_is_scipys(method):
    y = hamming_distances(clustered(1, 40, 6, 3)[0], condensed=True).astype(float)
    Z = hierarchy.linkage(y, method)
    assert cophenetic_correlation(Z, y) == pytest.approx(hierarchy.cophenet(Z, y)[0])
    assert cophenetic_correlation(Z, squareform(y)) == pytest.approx(
        hierarchy.cophenet(Z, y)[0]
    )
