"""k-medians: no cheaper centre, costs that fall; the four kinds of clusters are what
their names say.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist

from kmodes_study.family.kmeans import fill_empty_clusters, init_rows, k_means
from kmodes_study.family.partitional import (
    KINDS,
    absolute_distances,
    k_medians,
    make_cluster_kinds,
)
from kmodes_study.family.pkmeans import PKMeans
from kmodes_study.family.segmentation import segment


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 3))
def test_costs_fall_and_are_those_of_medians(seed, k, m):
    X = np.random.RandomState(seed).standard_cauchy(size=(25, m))
    run = k_medians(X, init_rows(X, k, seed))
    D = cdist(X, run.centres, "cityblock")
    assert np.allclose(absolute_distances(X, run.centres), D)
    assert run.converged
    assert np.diff(run.costs).max(initial=0) <= 1e-9 * run.costs[0]
    assert run.cost == pytest.approx(D.min(axis=1).sum())
    assert np.array_equal(run.labels, D.argmin(axis=1))
    for l in np.unique(run.labels):
        assert np.allclose(run.centres[l], np.median(X[run.labels == l], axis=0))


def test_the_callers_points_are_not_changed():
    X = np.random.RandomState(0).randint(9, size=(20, 2))
    copy = X.copy()
    k_medians(X, X[:3])
    assert np.array_equal(X, copy)


@pytest.mark.parametrize("seed", range(3))
def test_the_kinds_are_what_their_names_say(seed):
    # chains of near neighbours, apart from each other
    for kind in ("well-separated", "contiguity"):
        X, classes = make_cluster_kinds(kind, 400, seed)
        joined = fcluster(linkage(X), len(set(classes)), "maxclust")
        assert len(set(zip(classes, joined))) == len(set(classes))
    X, classes = make_cluster_kinds("prototype", 400, seed)
    means = np.array([X[classes == c].mean(axis=0) for c in range(3)])
    assert (cdist(X, means).argmin(axis=1) == classes).mean() > 0.85
    X, classes = make_cluster_kinds("density", 400, seed)
    near = np.sort(cdist(X, X), axis=1)[:, 5]
    assert 0.15 < (classes == -1).mean() < 0.35
    assert np.median(near[classes == -1]) > 2 * max(
        np.median(near[classes == c]) for c in range(3)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_gives_the_same_points(kind):
    first, again = make_cluster_kinds(kind, 30, 1), make_cluster_kinds(kind, 30, 1)
    assert np.array_equal(first[0], again[0])
    assert np.array_equal(first[1], again[1])
    assert first[0].shape == (30, 2)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("spiral",), "kind must be"),
        (("density", 9), "n_samples must be"),
        (("density", 30, "x"), "random_state must be"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_cluster_kinds(*arguments)


def test_scores_are_sums_and_passes_are_counted():
    X = np.random.RandomState(0).normal(size=(60, 3))
    for p in 2, 3:
        model = PKMeans(4, p=p, n_init=4, random_state=0).fit(X)
        assert model.score(X) == pytest.approx(-model.inertia_)
        assert model.inertia_ == pytest.approx(
            model.transform(X)[np.arange(60), model.labels_].sum()
        )
    start = X[:5]
    for max_iter in 0, 1, 3:
        run = k_means(X, start, max_iter)
        assert run.n_iter == max_iter
        assert len(run.costs) == max_iter + 1
        assert not run.converged
    assert k_means(X, start, 0).centres.tolist() == start.tolist()


def test_a_sequence_far_from_zero_is_cut_as_one_at_zero():
    "Squares of large numbers would hide the distances."
    X = np.repeat([0.0, 3.0, 1.0, 7.0], [4, 3, 6, 5]) + np.random.RandomState(0).normal(
        0, 0.1, 18
    )
    near, far = segment(X, 4), segment(X + 1e9, 4)
    assert near.boundaries.tolist() == far.boundaries.tolist() == [0, 4, 7, 13, 18]
    assert far.cost == pytest.approx(near.cost, rel=1e-3)


def test_empty_clusters_are_filled_by_points_that_are_not_alone():
    """The farthest point is alone in its cluster: taking it would leave another cluster
    empty.
    """
    labels = np.array([0, 0, 0, 1])
    fill_empty_clusters(labels, np.array([1.0, 2.0, 1.0, 9.0]), 3)
    assert labels.tolist() == [0, 2, 0, 1]


def test_more_centres_than_rows_are_refused():
    with pytest.raises(
        ValueError, match="at least as many rows as there are centres, 3"
    ):
        k_means(np.array([[0.0], [1.0]]), np.array([[0.0], [1.0], [2.0]]))
