"k-means and its kin, bisections, trees: against scipy, plain forms, all possibilities."

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.cluster import hierarchy
from sklearn.cluster import KMeans

from kmodes_study.cluster.modes import check_clustering, cluster_costs, modes_of
from kmodes_study.family.relatives import LINKAGES, bisect_modes, grow_tree
from kmodes_study.family.relatives import labels_at, tree_labels
from kmodes_study.family.relatives import cheapest_cuts, k_means, k_medians, k_medoids
from kmodes_study.measures.cohesion import pair_sums
from kmodes_study.measures.distances import hamming_distances
from oracles.dissimilarity import plain_partial
from oracles.gaps import plain_partial_mode
from oracles.relatives import plain_tree


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(6, 40),
    split=st.sampled_from(["cost", "size"]),
)
def test_levels_are_nested_and_costs_are_those_of_the_levels(seed, n, split):
    codes = np.random.RandomState(seed).randint(4, size=(n, 5))
    k = min(5, len(np.unique(codes, axis=0)))
    found = bisect_modes(codes, k, split=split, n_trials=2, random_state=seed)
    for level in range(1, k + 1):
        labels = labels_at(found, level)
        each = cluster_costs(codes, labels, modes_of(codes, labels, level))
        assert each.sum() == found.costs[level - 1]
        assert len(np.unique(labels)) == level
        if level == k:
            break
        finer, sizes = labels_at(found, level + 1), np.bincount(labels)
        assert len(np.unique(labels * k + finer)) == level + 1
        parent = found.parents[level]
        assert (
            parent
            == (each if split == "cost" else np.where(each > 0, sizes, 0)).argmax()
        )
    assert found.costs == sorted(found.costs, reverse=True)
    assert found.cost == found.costs[-1]
    again = bisect_modes(codes, k, split=split, n_trials=2, random_state=seed)
    assert (again.labels == found.labels).all()


def test_weights_are_repeated_rows():
    rng = np.random.RandomState(3)
    codes = rng.randint(3, size=(60, 5)).astype(np.uint8)
    weights = rng.randint(1, 5, 60)
    weighted = bisect_modes(codes, 5, sample_weight=weights, random_state=0)
    repeated = bisect_modes(np.repeat(codes, weights, axis=0), 5, random_state=0)
    assert (np.repeat(weighted.labels, weights) == repeated.labels).all()
    assert weighted.costs == repeated.costs
    check_clustering(codes, weighted.labels, weighted.modes, weighted.cost, weights)


@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([1.5, 2, 3]))
def test_costs_fall_and_no_cluster_has_a_better_centre(seed, k, p):
    # few values, so that rows are equal and clusters fall empty
    X = np.random.RandomState(seed).randint(-2, 4, size=(12, 2)).astype(float)
    D = np.abs(X[:, None] - X).sum(axis=2)
    starts = np.random.RandomState(seed).randint(12, size=k)
    for run in (
        k_means(X, X[starts], p),
        k_medians(X, X[starts]),
        k_medoids(D, starts),
    ):
        assert len(run.costs) < 20
        assert all(a > b for a, b in zip(run.costs, run.costs[1:-1]))
        assert run.cost == pytest.approx(min(run.costs), abs=1e-9)
    for row, own in enumerate(run.centres):  # of k-medoids
        members = run.labels == run.labels[own]
        assert D[members][:, members].sum(axis=0).min() == D[members, own].sum()
    assert run.cost == D[:, run.centres].min(axis=1).sum()


def test_k_means_is_scikit_learns_and_cuts_are_the_best_of_all():
    X = np.random.RandomState(0).normal(size=(60, 3))
    theirs = KMeans(4, init=X[:4], n_init=1, tol=0).fit(X)
    assert k_means(X, X[:4]).cost == pytest.approx(theirs.inertia_)
    with pytest.raises(ValueError, match="p must"):
        k_means(X, X[:4], p=1)
    best = min(np.ptp(X[:a, 0]) + np.ptp(X[a:, 0]) for a in range(1, 60))
    assert cheapest_cuts(X[:, 0], 2, np.ptp)[1] == pytest.approx(best)


def plain_cost(rows):
    "The cost of rows, in which None is a gap, around their mode, a fraction."
    mode = plain_partial_mode(rows, [1] * len(rows), 4)
    return sum(plain_partial(x, mode) for x in rows)


def test_gaps_are_left_out_of_the_costs_and_the_first_cut_is_mostly_the_best_of_all():
    best = 0
    for seed in range(12):
        rng = np.random.RandomState(seed)
        codes = np.where(rng.rand(7, 4) < 0.25, 3, rng.randint(3, size=(7, 4)))
        codes[(codes == 3).all(axis=1), 0] = 0
        found = bisect_modes(codes, 2, missing_codes=[3] * 4, random_state=seed)
        check_clustering(
            codes, found.labels, found.modes, found.cost, missing_codes=[3] * 4
        )
        rows = [[None if c == 3 else c for c in x] for x in codes.tolist()]

        def total(side):
            return sum(
                plain_cost([x for x, own in zip(rows, side) if own == l])
                for l in set(side)
            )

        assert found.costs == pytest.approx(
            [float(total([0] * 7)), float(total(found.labels.tolist()))], abs=1e-12
        )
        best += found.cost < 1e-12 + min(
            total([number >> i & 1 for i in range(7)]) for number in range(2, 128, 2)
        )
    assert best >= 10


def test_where_few_modes_agree_with_all_values_there_are_no_more_clusters():
    codes = [[0, 0], [0, 9], [1, 1], [9, 1]]
    assert bisect_modes(codes, 2, missing_codes=[9, 9]).cost == 0
    with pytest.raises(ValueError, match="2 different rows only"):
        bisect_modes(codes, 3, missing_codes=[9, 9])


@pytest.mark.parametrize("method", LINKAGES)
def test_heights_are_those_of_the_plain_form(method):
    # without ties the tree is unique
    D = np.abs(np.subtract.outer(*2 * [np.random.RandomState(0).rand(12)]))
    found = grow_tree(D, method=method, metric="precomputed")
    assert found[:, 2] == pytest.approx(
        [height for *_, height in plain_tree(D.tolist(), method)]
    )


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 30),
    method=st.sampled_from(LINKAGES),
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


def test_ward_on_the_root_of_hamming_adds_least_to_the_spread():
    codes = np.random.RandomState(0).randint(3, size=(25, 5))
    Z = grow_tree(
        np.sqrt(2 * hamming_distances(codes, dtype="float64")),
        method="ward",
        metric="precomputed",
    )
    cuts = [pair_sums(codes, tree_labels(Z, k)) for k in range(25, 0, -1)]
    spreads = [(np.diag(sums) / sizes).sum() for sums, sizes in cuts]
    assert np.diff(spreads) == pytest.approx(Z[:, 2] ** 2 / 4)


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda: grow_tree([[0], [1]], method="ward"), "method"),
        (lambda: grow_tree([["a", None], [None, "b"]], missing="ignore"), "finite"),
        (lambda: tree_labels(grow_tree([[0], [1]]), 3), "n_clusters"),
        (lambda: k_medians([[0.0], [1.0]], [[0.0], [1.0], [2.0]]), "centres"),
        (lambda: tree_labels(grow_tree([[0], [1]])), "n_clusters"),
        (lambda: bisect_modes([[0], [0], [1]], 3), "n_clusters"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_name(call, name):
    with pytest.raises(ValueError, match=name):
        call()
