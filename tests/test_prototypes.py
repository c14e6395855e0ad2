"""k-prototypes on numbers and codes: the steps, the loop and the starts, against the
naive form, scikit-learn, k-modes and the peer.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from kmodes.kprototypes import KPrototypes as Peer
from sklearn.cluster import KMeans

from kmodes_study.cluster.starts.basic import init_cao
from kmodes_study.family.prototypes import assigned, densities, updated

from mixed_tables import INITS, check_prototypes, descended, distances_to, holed
from mixed_tables import initial_rows, listed, mixed, mixed_rows, plain_mixed_partial


def numbers_alone(numbers, centres, **options):
    "k-prototypes of one column of numbers."
    numbers, centres = np.array(numbers)[:, None], np.array(centres)[:, None]
    nothing = np.empty((len(numbers), 0), int)
    return descended(numbers, nothing, centres, nothing[: len(centres)], 1, **options)


def codes_alone(codes, modes, **options):
    "k-prototypes of categories alone."
    nothing = np.empty((len(codes), 0))
    return descended(nothing, codes, nothing[: len(modes)], modes, 1, **options)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_alone_are_k_means(seed):
    numeric, codes, weights = mixed(seed, 200)
    kmeans = KMeans(5, init=numeric[:5], n_init=1, tol=0, algorithm="lloyd").fit(
        numeric, sample_weight=weights
    )
    for result in (
        descended(
            numeric, codes[:, :0], numeric[:5], codes[:5, :0], 1, sample_weight=weights
        ),
        descended(numeric, codes, numeric[:5], codes[:5], 0, sample_weight=weights),
    ):
        assert result.labels.tolist() == kmeans.labels_.tolist()
        assert result.cost == pytest.approx(kmeans.inertia_, rel=1e-9)
        np.testing.assert_allclose(result.centres, kmeans.cluster_centers_, rtol=1e-9)


def test_a_pass_that_keeps_the_cost_may_lead_on():
    rows = "0200 0002 0001 1102 1201 0202 0100 2121 0220 0110 1222 2102 0022".split()
    codes, start = (
        np.array([[*map(int, row)] for row in part], np.uint8)
        for part in (rows, ["1102", "1201", "0110"])
    )
    assert codes_alone(codes, start).epoch_costs == [20, 18, 18, 17, 17]


@pytest.mark.parametrize("seed", range(10))
def test_peer_agrees_on_the_cost_and_does_not_end_lower(seed):
    numeric, codes, _ = mixed(seed)
    peer = Peer(3, init=[numeric[:3].copy(), codes[:3]], n_init=1, gamma=0.5).fit(
        np.column_stack([numeric, codes]), categorical=[2, 3]
    )
    centres = peer.cluster_centroids_
    start = centres[:, :2].astype(float), centres[:, 2:].astype(np.uint8)
    further = descended(numeric, codes, *start, 0.5)
    assert further.epoch_costs[0] == pytest.approx(peer.cost_, rel=1e-12)
    assert further.cost <= peer.cost_ * (1 + 1e-12)


def test_more_attributes_than_a_byte_counts():
    codes = np.zeros((3, 300), np.uint8)
    codes[1:] = 1
    assert codes_alone(codes, codes[:1], max_iter=0).cost == 600


@pytest.mark.parametrize(
    "numbers, weights, start, centres, labels",
    [
        ([0.0, 1, 5, 9], None, [3.0, 50, 60], [3, 9, 0], [2, 2, 0, 1]),
        ([0.0, 3, 5], [1, 10, 1], [0.0, 0], [0, 3], [0, 1, 1]),
        # row 0 alone is off its prototype, but costs nothing: a cluster stays empty
        ([9.0, 0, 0], [0, 1, 1], [0.0, 0], [0, 0], [0, 0, 0]),
    ],
)
def test_the_row_that_costs_most_by_its_weight_fills_an_empty_cluster(
    numbers, weights, start, centres, labels
):
    found = numbers_alone(numbers, start, sample_weight=weights, max_iter=0)
    assert found.centres.ravel().tolist() == centres
    assert found.labels.tolist() == labels


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 40),
    k=st.integers(1, 6),
    columns=st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any),
    gamma=st.sampled_from([0.0, 0.5, 3.0]),
    whole=st.booleans(),
    share=st.sampled_from([0, 0.1, 0.5, 0.9]),
    weighted=st.booleans(),
    data=st.data(),
)
@settings(max_examples=80, deadline=None)
def test_every_descent_with_holes_passes_the_check(
    seed, n, k, columns, gamma, whole, share, weighted, data
):
    p, q = columns
    numeric, codes, weights, missing = holed(seed, n, p, (3,) * q, share, whole)
    # a column without any value is refused
    numeric[0] = np.where(np.isnan(numeric).all(axis=0), 1, numeric[0])
    each = st.sampled_from([0.5, 1.0, 2.0, 0.3])
    v = data.draw(st.tuples(*[each] * (p + q))) if weighted else None
    start = np.random.default_rng(seed).integers(0, n, k)
    options = dict(sample_weight=weights, feature_weight=v, missing_codes=missing)
    given = numeric[start], codes[start], gamma
    result = descended(numeric, codes, *given, **options)
    check_prototypes(mixed_rows(numeric, codes, weights, v, missing), result, gamma)
    # with more clusters than different rows, rows may go to and fro at no cost
    assert result.converged or result.cost == 0
    assert np.isfinite(result.centres).all()
    assert (result.modes < missing).all()
    found = result.centres, result.modes, gamma
    again = descended(numeric, codes, *found, **options)
    assert again.cost == pytest.approx(result.cost, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("init", INITS)
def test_a_start_takes_weights_for_repeated_rows(init):
    numeric, codes, _ = mixed(3, 40, whole=True)
    for seed in range(20):
        weights = np.random.RandomState(seed).randint(0, 9, 40)
        rows = np.repeat(np.arange(40), weights)
        data = mixed_rows(numeric, codes, weights)
        weighed = initial_rows(data, 4, init, 0.5, seed)
        taken = data.taken(rows, np.ones(len(rows)))
        repeated = initial_rows(taken, 4, init, 0.5, seed)
        assert weighed.tolist() == rows[repeated].tolist()


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("gamma", [0, 0.5])
@pytest.mark.parametrize("v", [None, [1, 2, 0.5, 1, 0, 3]])
def test_starts_with_holes_are_distinct_once_filled(init, gamma, v):
    for seed in range(5):
        numeric, codes, weights, missing = holed(seed, 50)
        if v is not None:
            numeric[np.isnan(numeric).all(axis=1), 0] = 1
        weights[:25] = 0
        data = mixed_rows(numeric, codes, weights, v, missing)
        for k in 1, 4, 50:
            rows = initial_rows(data, k, init, gamma, seed)
            start = data.complete(numeric[rows], codes[rows])
            table = distances_to(data, *start, gamma)
            assert rows.min() >= 25
            assert len(rows) <= k
            chosen = np.column_stack(start if gamma else start[:1])
            assert len(np.unique(chosen, axis=0)) == len(rows)
            for l, row in enumerate(rows):
                assert table[row, l] == 0 and (table[row, :l] > 0).all()
            assert len(rows) == k or (table.min(axis=1)[25:] == 0).all()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("v", [None, [1, 2, 0.5, 1, 0, 3]])
def test_density_with_holes_by_definition(seed, v):
    numeric, codes, weights, missing = holed(seed, 40)
    numeric[np.isnan(numeric).all(axis=1), 0] = 1
    here = np.column_stack([~np.isnan(numeric), codes != missing])
    shares = np.zeros(here.shape)
    for j, own in enumerate(here.T):
        column = np.column_stack([numeric, codes])[:, j]
        spread = np.sqrt(np.cov(column[own], aweights=weights[own], ddof=0))
        near = np.abs(column[own, None] - column) <= (spread / 2 if j < 3 else 0)
        shares[:, j] = weights[own] @ near / weights[own].sum()
    expected = np.ma.average(
        np.ma.array(shares, mask=~here), axis=1, weights=np.array(v or [1] * 6)
    )
    data = mixed_rows(numeric, codes, weights, v, missing)
    np.testing.assert_allclose(densities(data), expected, rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_cao_on_categories_is_cao(seed):
    _, codes, _ = mixed(seed, 80, 0, (3, 4, 5))
    rows = initial_rows(mixed_rows(np.empty((80, 0)), codes), 4, "cao", 1)
    assert codes[rows].tolist() == init_cao(codes, 4).tolist()


def test_random_start_follows_the_weights():
    numeric, codes = np.arange(3.0)[:, None], np.zeros((3, 1), np.uint8)
    data = mixed_rows(numeric, codes, [1, 2, 7])
    drawn = [initial_rows(data, 1, "random", 1, seed)[0] for seed in range(600)]
    assert np.abs(np.bincount(drawn, minlength=3) / 600 - [0.1, 0.2, 0.7]).max() < 0.08


def test_numbers_just_within_reach_are_near():
    "The standard deviation is 2, so that the reach is 1."
    numbers = np.array([0.0, 1.0, 4.0, 5.0])
    weights = np.array([7.0, 9.0, 9.0, 7.0])
    data = mixed_rows(numbers[:, None], np.empty((4, 0)), weights)
    assert densities(data).tolist() == [0.5] * 4


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "p, levels", [(2, (3, 2)), (0, (3, 2, 4)), (3, ()), (3, (3, 2, 2))]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_steps_with_holes_are_the_naive_ones(seed, p, levels, weighted):
    numeric, codes, weights, missing = holed(seed, 40, p, levels)
    drawn = np.random.default_rng(seed).integers(1, 6, p + len(levels)) / 2
    v = drawn if weighted else np.ones(p + len(levels))
    data = mixed_rows(numeric, codes, weights, v if weighted else None, missing)
    centres, modes = data.complete(numeric[:3], codes[:3])
    assert np.isfinite(centres).all()
    assert (modes < missing).all()
    lists = listed(numeric, codes, missing)
    table = np.array(
        [
            [
                plain_mixed_partial(x, c, *prototype, 0.25, v[:p], v[p:])
                for prototype in zip(centres.tolist(), modes.tolist())
            ]
            for x, c in zip(*lists)
        ]
    )
    labels, distances, cost = assigned(data, centres, modes, 0.25)
    own, every = table[np.arange(40), labels], distances_to(data, centres, modes, 0.25)
    least = table.min(axis=1)
    for found, expected in (distances, least), (own, least), (every, table):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    assert cost == pytest.approx((weights * table.min(axis=1)).sum(), rel=1e-12)


def test_ties_of_categories_are_exact():
    # three rows of weight 4/3 against four of weight 1: in floating point the sums may
    # differ, the tie is the lowest code's
    for q, k in (4, 3), (10, 7), (6, 5), (12, 11):
        codes = np.zeros((q + k, q), np.uint8)
        # k rows with k of q categories, a pull of q/k each
        codes[:k, 0], codes[:k, k:] = 1, 2
        data = mixed_rows(np.empty((q + k, 0)), codes, None, None, np.full(q, 2))
        nobody = np.zeros(q + k, np.int32), np.empty((1, 0))
        assert updated(data, *nobody, codes[-1:])[1][0, 0] == 0


@pytest.mark.parametrize("seed", range(20))
def test_an_update_has_the_least_cost_of_all_prototypes(seed):
    rng = np.random.default_rng(seed)
    numeric, codes, weights, missing = holed(seed, 30)
    v, labels = rng.integers(1, 4, 6) / 2, rng.integers(0, 3, 30).astype(np.int32)
    data = mixed_rows(numeric, codes, weights, v, missing)
    cost = lambda *prototypes: (
        weights * distances_to(data, *prototypes, 0.7)[np.arange(30), labels]
    ).sum()
    best = updated(data, labels, *data.complete(numeric[:3], codes[:3]))
    for _ in range(30):
        changed, shape = rng.random(best[1].shape) < 0.3, best[1].shape
        modes = np.where(changed, rng.integers(0, 2, shape), best[1])
        centres = best[0] + rng.normal(0, 0.2, best[0].shape)
        assert cost(*best) <= cost(centres, modes) * (1 + 1e-12)


def test_what_no_row_of_a_cluster_has_stays():
    numeric = np.array([[np.nan, 1], [np.nan, 2], [5, 3]])
    codes = np.array([[2, 0], [2, 1], [1, 2]], np.uint8)
    data = mixed_rows(numeric, codes, None, None, [2, 2])
    centres, modes = updated(
        data,
        np.array([0, 0, 1], np.int32),
        np.array([[7.0, 7], [7, 7], [7, 7]]),
        np.array([[1, 1], [0, 1], [1, 0]], np.uint8),
    )
    assert centres.tolist() == [[7, 1.5], [5, 3], [7, 7]]
    assert modes.tolist() == [[1, 0], [1, 1], [1, 0]]


def test_a_complete_row_does_not_notice_the_holes_of_others():
    numeric, codes, weights, missing = holed(4, 300, whole=False)
    whole = ~np.isnan(numeric).any(axis=1) & (codes != missing).all(axis=1)
    start = np.random.default_rng(0).normal(size=(5, 3)), codes[whole][:5]
    data = mixed_rows(numeric, codes, weights, None, missing)
    alone = mixed_rows(numeric[whole], codes[whole], weights[whole])
    assert 20 < whole.sum() < 280
    assert data.observed is not None
    assert alone.observed is None
    among = distances_to(data, *start, 0.3)[whole]
    assert among.tobytes() == distances_to(alone, *start, 0.3).tobytes()


def test_holes_are_filled_with_means_and_heaviest_categories():
    numeric = np.array([[1.0, np.nan], [4, 2], [np.nan, 3], [100, 100]])
    codes = np.array([[0, 2], [1, 1], [2, 0], [1, 1]], np.uint8)
    data = mixed_rows(numeric, codes, [2, 1, 1, 0], None, [2, 2])
    centres, modes = data.complete(numeric, codes)
    assert centres.tolist() == [[1, 2.5], [4, 2], [2, 3], [100, 100]]
    assert modes.tolist() == [[0, 0], [1, 1], [0, 0], [1, 1]]
