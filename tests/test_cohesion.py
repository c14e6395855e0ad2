"""Cohesion and separation: sums over pairs from counts and from matrices, prototypes,
and heights of trees.
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
    prototype_sums,
    row_distances,
)
from kmodes_study.measures.distances import hamming_distances
from kmodes_study.measures.silhouette import silhouette_samples
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
    far = row_distances(codes, labels)
    np.testing.assert_array_equal(
        far, row_distances(squareform(D), labels, metric="precomputed")
    )


@given_clusters
def test_identities_and_bounds_of_prototypes(seed, n, m, k):
    codes, labels = clustered(seed, n, m, k)
    found = prototype_sums(codes, labels)
    whole = prototype_sums(codes, np.zeros(n, int)).loc[0]
    assert found.spread.to_numpy() == pytest.approx(
        np.diag(pair_sums(codes, labels)[0]) / found["size"]
    )
    assert found.spread.sum() + found.frequency_shift.sum() == pytest.approx(
        whole.spread
    )
    assert (found.spread <= found.cost + 1e-9).all()
    assert (found.spread >= found.cost / 2 - 1e-9).all()
    assert whole.cost <= found.cost.sum() + found.mode_shift.sum()
    assert (
        found.cost == cluster_costs(codes, labels, modes_of(codes, labels, k))
    ).all()


def test_rows_give_the_silhouette_and_the_order_begins_with_the_innermost():
    codes, labels = clustered(3, 60, 5, 4)
    far = row_distances(codes, labels)
    own = far[np.arange(60), labels]
    other = np.where(np.arange(4) == labels[:, None], np.inf, far).min(axis=1)
    assert (other - own) / np.maximum(own, other) == pytest.approx(
        silhouette_samples(codes, labels)
    )
    order = cluster_order(hamming_distances(codes), labels)
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


def test_shifts_by_their_formulas():
    codes, labels = clustered(5, 40, 4, 3)
    found, one = prototype_sums(codes, labels), np.eye(3)[codes].reshape(40, -1)
    modes, whole = modes_of(codes, labels, 3), modes_of(codes, np.zeros(40, int), 1)[0]
    for l in range(3):
        own = one[labels == l]
        assert found.mode_shift[l] == len(own) * (modes[l] != whole).sum()
        assert found.frequency_shift[l] == pytest.approx(
            len(own) * ((own.mean(axis=0) - one.mean(axis=0)) ** 2).sum() / 2
        )
        assert found.spread[l] == pytest.approx(
            ((own - own.mean(axis=0)) ** 2).sum() / 2
        )
    assert found.mode_shift.sum() > 0
