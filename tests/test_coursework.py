"""k-means, (p,k)-means and segmentation: against scikit-learn, against all
possibilities, and what must not rise.
"""

import numpy as np
import pytest
import ruptures as rpt
from hypothesis import assume, given, settings, strategies as st
from sklearn.cluster import KMeans
from sklearn.utils.estimator_checks import estimator_checks_generator

from kmodes_study.family.kmeans import init_rows, k_means
from kmodes_study.family.pkmeans import PKMeans, power_centre, power_divergences
from kmodes_study.family.segmentation import segment, segment_categories
from kmodes_study.plain.relatives import (
    plain_differences,
    plain_segments,
    plain_squares,
)


CHECKS = [
    pair
    for model in (
        PKMeans(2, n_init=2, random_state=0),
        PKMeans(3, p=3, n_init=1, random_state=0),
    )
    for pair in estimator_checks_generator(model)
    if pair[1].func.__name__ != "check_array_api_input"
]  # which asks for other kinds of arrays


@pytest.mark.parametrize(
    "estimator, check",
    CHECKS,
    ids=lambda x: x.func.__name__ if hasattr(x, "func") else repr(x),
)
def test_scikit_learns_contract(estimator, check):
    check(estimator)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), n=st.integers(6, 40), k=st.integers(1, 5))
def test_k_means_is_that_of_scikit_learn_and_never_rises(seed, n, k):
    X = np.random.RandomState(seed).normal(size=(n, 2))
    start = init_rows(X, k, seed)
    run = k_means(X, start)
    assert run.converged
    assert np.diff(run.costs).max(initial=-1) <= 1e-9
    assert len(set(run.labels.tolist())) == k
    theirs = KMeans(k, init=start, n_init=1, tol=0).fit(X)
    assert np.isclose(run.cost, theirs.inertia_)


@settings(max_examples=100)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(6, 40),
    k=st.integers(1, 5),
    scale=st.sampled_from([1e-150, 1, 1e8]),
)
def test_with_power_two_it_is_k_means_to_the_last_bit(seed, n, k, scale):
    X = scale * np.random.RandomState(seed).normal(size=(n, 3)).round(seed % 3)
    assume(len(np.unique(X, axis=0)) >= k)
    model = PKMeans(k, n_init=3, random_state=seed).fit(X)
    random_state = np.random.RandomState(seed)
    best = min(
        (k_means(X, init_rows(X, k, random_state)) for _ in range(3)),
        key=lambda run: run.cost,
    )
    assert (model.labels_ == best.labels).all()
    assert model.inertia_ == best.cost
    assert model.n_iter_ == best.n_iter
    assert model.cluster_centers_.tobytes() == best.centres.tobytes()


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    p=st.sampled_from([1.1, 1.5, 2, 2.5, 4]),
    level=st.sampled_from([0, -50, 50]),
)
def test_no_point_nearby_is_a_better_centre(seed, p, level):
    random = np.random.RandomState(seed)
    points = random.normal(size=(7, 3)) + level
    centre = power_centre(points, p)

    def total(c):
        return power_divergences(points, c[None], p).sum()

    for step in (1e-3, 1e-1, 1):
        for direction in random.normal(size=(5, 3)):
            assert total(centre) <= total(centre + step * direction) + 1e-7 * (
                1 + total(centre)
            )


def test_an_empty_cluster_is_filled():
    X = np.array([[0.0], [0.1], [0.2], [10.0]])
    run = k_means(X, np.array([[0.0], [100.0], [200.0]]))
    assert sorted(np.bincount(run.labels, minlength=3)) == [1, 1, 2]


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 9), data=st.data())
def test_segments_are_the_best_of_all(seed, n, data):
    k = data.draw(st.integers(1, n))
    numbers = np.random.RandomState(seed).randint(6, size=(n, 2))
    found = segment(numbers, k)
    assert np.isclose(
        found.cost, plain_segments(numbers.astype(float), k, plain_squares)[1]
    )
    assert np.isclose(found.cost, ((numbers - found.centres[found.labels]) ** 2).sum())
    found = segment_categories(numbers, k)
    assert found.cost == plain_segments(numbers, k, plain_differences)[1]
    assert found.cost == (numbers != found.centres[found.labels]).sum()
    assert found.boundaries[0] == 0
    assert found.boundaries[-1] == n
    assert (np.diff(found.boundaries) > 0).all()


@pytest.mark.parametrize("seed", range(10))
def test_segmentation_is_that_of_ruptures(seed):
    rng = np.random.RandomState(seed)
    n, k = rng.randint(8, 60), rng.randint(2, 6)
    X = (
        rng.normal(size=(n, 2))
        + 2 * np.repeat(rng.normal(size=(4, 2)), n // 4 + 1, axis=0)[:n]
    )
    exact = rpt.Dynp(model="l2", min_size=1, jump=1).fit(X)
    ends = exact.predict(k - 1)
    assert np.isclose(segment(X, k).cost, exact.cost.sum_of_costs(ends))
    assert segment(X, k).boundaries[1:].tolist() == ends


@pytest.mark.parametrize("shift", [0, 1e6, -1e9])
def test_a_large_level_does_not_swallow_the_differences(shift):
    X = np.array([0, 0, 1, 1, 1, 3, 3.0]) + shift
    assert segment(X, 3).boundaries.tolist() == [0, 2, 5, 7]
