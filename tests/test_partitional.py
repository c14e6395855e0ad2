"""k-medians: no cheaper centre, costs that fall; the four kinds of clusters are what their names say."""
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist

from kmodes_study.family.kmeans import init_rows
from kmodes_study.family.partitional import KINDS, absolute_distances, k_medians, make_cluster_kinds


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 3))
def test_costs_fall_and_are_those_of_medians(seed, k, m):
    X = np.random.RandomState(seed).standard_cauchy(size=(25, m))
    run = k_medians(X, init_rows(X, k, seed))
    D = cdist(X, run.centres, "cityblock")
    assert np.allclose(absolute_distances(X, run.centres), D)
    assert run.converged and np.diff(run.costs).max(initial=0) <= 1e-9*run.costs[0]
    assert run.cost == pytest.approx(D.min(axis=1).sum()) and np.array_equal(run.labels, D.argmin(axis=1))
    for l in np.unique(run.labels): assert np.allclose(run.centres[l], np.median(X[run.labels == l], axis=0))


def test_the_callers_points_are_not_changed():
    X = np.random.RandomState(0).randint(9, size=(20, 2))
    copy = X.copy()
    k_medians(X, X[:3])
    assert np.array_equal(X, copy)


@pytest.mark.parametrize("seed", range(3))
def test_the_kinds_are_what_their_names_say(seed):
    for kind in ("well-separated", "contiguity"):  # chains of near neighbours, apart from each other
        X, classes = make_cluster_kinds(kind, 400, seed)
        joined = fcluster(linkage(X), len(set(classes)), "maxclust")
        assert len(set(zip(classes, joined))) == len(set(classes))
    X, classes = make_cluster_kinds("prototype", 400, seed)
    means = np.array([X[classes == c].mean(axis=0) for c in range(3)])
    assert (cdist(X, means).argmin(axis=1) == classes).mean() > .85
    X, classes = make_cluster_kinds("density", 400, seed)
    near = np.sort(cdist(X, X), axis=1)[:, 5]
    assert .15 < (classes == -1).mean() < .35
    assert np.median(near[classes == -1]) > 2*max(np.median(near[classes == c]) for c in range(3))


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_gives_the_same_points(kind):
    first, again = make_cluster_kinds(kind, 30, 1), make_cluster_kinds(kind, 30, 1)
    assert np.array_equal(first[0], again[0]) and np.array_equal(first[1], again[1]) and first[0].shape == (30, 2)


@pytest.mark.parametrize("arguments, message", [
    (("spiral",), "kind must be"), (("density", 9), "n_samples must be"),
    (("density", 30, "x"), "random_state must be")])
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message): make_cluster_kinds(*arguments)
