"""k-prototypes: the loop, the starts and the check, against the naive form,
scikit-learn, k-modes and the peer.
"""

from itertools import product

import numba
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from kmodes.kprototypes import KPrototypes as Peer
from sklearn.cluster import KMeans

from kmodes_study.cluster.algorithms.lloyd import lloyd
from kmodes_study.cluster.starts.basic import init_cao
from kmodes_study.family import prototypes
from kmodes_study.family.mixed import blocks, complete, distances_to, mixed_rows
from kmodes_study.family.prototypes import (
    check_prototypes,
    densities,
    initial_rows,
    k_prototypes,
)

from mixed_tables import INITS, holed, mixed

N_BLOCKS = 4200 if numba.config.DISABLE_JIT else 13000  # rows of several blocks


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 40),
    k=st.integers(1, 6),
    columns=st.tuples(st.integers(0, 2), st.integers(0, 3)).filter(any),
    gamma=st.sampled_from([0.0, 0.5, 1.0, 3.0]),
    whole=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_every_descent_passes_the_check(seed, n, k, columns, gamma, whole):
    p, q = columns
    numeric, codes, weights = mixed(seed, n, p, (3,) * q, whole)
    start = np.random.default_rng(seed).integers(0, n, k)
    result = k_prototypes(
        numeric, codes, numeric[start], codes[start], gamma, sample_weight=weights
    )
    check_prototypes(numeric, codes, result, gamma, sample_weight=weights)
    assert result.converged
    assert result.labels.dtype == np.int32
    assert len(result.epoch_costs) <= result.n_iter + 1
    again = k_prototypes(
        numeric, codes, result.centres, result.modes, gamma, sample_weight=weights
    )
    assert again.cost == pytest.approx(result.cost, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_alone_are_k_means(seed):
    numeric, codes, weights = mixed(seed, 200)
    kmeans = KMeans(5, init=numeric[:5], n_init=1, tol=0, algorithm="lloyd").fit(
        numeric, sample_weight=weights
    )
    for result in (
        k_prototypes(
            numeric, codes[:, :0], numeric[:5], codes[:5, :0], 1, sample_weight=weights
        ),
        k_prototypes(numeric, codes, numeric[:5], codes[:5], 0, sample_weight=weights),
    ):
        assert result.labels.tolist() == kmeans.labels_.tolist()
        assert result.cost == pytest.approx(kmeans.inertia_, rel=1e-9)
        np.testing.assert_allclose(result.centres, kmeans.cluster_centers_, rtol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_categories_alone_are_k_modes(seed):
    _, codes, _ = mixed(seed, 200, 0, (3, 4, 2, 5))
    start = np.unique(codes, axis=0)[::7][:4]
    ours = k_prototypes(np.empty((200, 0)), codes, np.empty((4, 0)), start, 1)
    theirs = lloyd(codes, start)
    assert ours.labels.tolist() == theirs.labels.tolist()
    assert ours.modes.tolist() == theirs.modes.tolist()
    assert ours.cost == theirs.cost


@pytest.mark.parametrize("seed", range(10))
def test_peer_agrees_on_the_cost_and_does_not_end_lower(seed):
    numeric, codes, _ = mixed(seed)
    peer = Peer(3, init=[numeric[:3].copy(), codes[:3]], n_init=1, gamma=0.5).fit(
        np.column_stack([numeric, codes]), categorical=[2, 3]
    )
    centres = peer.cluster_centroids_
    further = k_prototypes(
        numeric,
        codes,
        centres[:, :2].astype(float),
        centres[:, 2:].astype(np.uint8),
        0.5,
    )
    assert further.epoch_costs[0] == pytest.approx(peer.cost_, rel=1e-12)
    assert further.cost <= peer.cost_ * (1 + 1e-12)


def test_same_optimum_as_the_peer_on_separated_clusters():
    rng, truth = np.random.default_rng(0), np.arange(90) % 3
    numeric = rng.normal(size=(90, 2)) + 20 * truth[:, None]
    codes = (truth[:, None] + (rng.random((90, 3)) < 0.1)) % 3
    peer = Peer(3, init=[numeric[:3].copy(), codes[:3]], n_init=1, gamma=2).fit(
        np.column_stack([numeric, codes]), categorical=[2, 3, 4]
    )
    ours = k_prototypes(numeric, codes, numeric[:3], codes[:3], 2)
    assert ours.labels.tolist() == peer.labels_.tolist() == truth.tolist()
    assert ours.cost == pytest.approx(peer.cost_, rel=1e-12)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_change_nothing(n_jobs):
    numeric, codes, weights = mixed(1, N_BLOCKS)
    alone = k_prototypes(
        numeric,
        codes,
        numeric[:5],
        codes[:5],
        0.5,
        sample_weight=weights / 3,
        max_iter=4,
    )
    many = k_prototypes(
        numeric,
        codes,
        numeric[:5],
        codes[:5],
        0.5,
        sample_weight=weights / 3,
        max_iter=4,
        n_jobs=n_jobs,
    )
    assert len(blocks(len(codes))) > 1
    assert alone.epoch_costs == many.epoch_costs
    assert alone.centres.tobytes() == many.centres.tobytes()
    assert alone.labels.tobytes() == many.labels.tobytes()


def test_more_attributes_than_a_byte_counts():
    codes = np.zeros((3, 300), np.uint8)
    codes[1:] = 1
    result = k_prototypes(
        np.empty((3, 0)), codes, np.empty((1, 0)), codes[:1], 1, max_iter=0
    )
    assert result.cost == 600


def test_empty_clusters_take_the_costliest_rows():
    numeric, codes = np.array([[0.0], [1], [5], [9]]), np.zeros((4, 1), np.uint8)
    far = np.array([[3.0], [50], [60]])
    result = k_prototypes(numeric, codes, far, codes[:3], 1, max_iter=0)
    centres, labels = result.centres, result.labels
    assert centres.tolist() == [[3], [9], [0]]
    assert labels.tolist() == [2, 2, 0, 1]


def test_a_row_of_weight_zero_fills_no_empty_cluster():
    """Row 0 is the only one that is off its prototype, but it costs nothing: the second
    cluster stays empty.
    """
    found = k_prototypes(
        [[9.0], [0], [0]],
        np.empty((3, 0), int),
        [[0.0], [0]],
        np.empty((2, 0), int),
        1,
        sample_weight=[0, 1, 1],
    )
    assert found.labels.tolist() == [0, 0, 0]
    assert found.cost == 0


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
    v = (
        data.draw(
            st.lists(
                st.sampled_from([0.5, 1.0, 2.0, 0.3]), min_size=p + q, max_size=p + q
            )
        )
        if weighted
        else None
    )
    start = np.random.default_rng(seed).integers(0, n, k)
    result = k_prototypes(
        numeric,
        codes,
        numeric[start],
        codes[start],
        gamma,
        sample_weight=weights,
        feature_weight=v,
        missing_codes=missing,
    )
    check_prototypes(
        numeric,
        codes,
        result,
        gamma,
        sample_weight=weights,
        feature_weight=v,
        missing_codes=missing,
    )
    assert result.converged
    assert np.isfinite(result.centres).all()
    assert (result.modes < missing).all()
    again = k_prototypes(
        numeric,
        codes,
        result.centres,
        result.modes,
        gamma,
        sample_weight=weights,
        feature_weight=v,
        missing_codes=missing,
    )
    assert again.cost == pytest.approx(result.cost, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_change_nothing_with_holes(n_jobs):
    numeric, codes, weights, missing = holed(1, N_BLOCKS, whole=False)
    fit = lambda n_jobs: k_prototypes(
        numeric,
        codes,
        numeric[:5],
        codes[:5],
        0.5,
        sample_weight=weights / 3,
        max_iter=4,
        n_jobs=n_jobs,
        feature_weight=[1, 2, 0.5, 3, 1, 1],
        missing_codes=missing,
    )
    alone, many = fit(None), fit(n_jobs)
    assert alone.epoch_costs == many.epoch_costs
    assert alone.centres.tobytes() == many.centres.tobytes()
    assert alone.labels.tobytes() == many.labels.tobytes()


def test_a_row_with_holes_is_as_far_in_any_block():
    numeric, codes, _, missing = holed(1, N_BLOCKS, whole=False)
    prototypes = np.zeros((2, 3)), np.array([[0, 0, 0], [2, 1, 1]], np.uint8)
    found = []
    for step in 1, -1:
        data = mixed_rows(numeric[::step], codes[::step], None, None, missing)
        found.append(distances_to(data, *prototypes, 0.5)[::step])
    assert len(blocks(N_BLOCKS)) > 1
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("init", INITS)
def test_a_start_takes_weights_for_repeated_rows(init):
    numeric, codes, _ = mixed(3, 40, whole=True)
    for seed in range(20):
        weights = np.random.RandomState(seed).randint(0, 9, 40)
        rows = np.repeat(np.arange(40), weights)
        options = dict(n_clusters=4, init=init, gamma=0.5, random_state=seed)
        weighed = initial_rows(numeric, codes, sample_weight=weights, **options)
        repeated = initial_rows(numeric[rows], codes[rows], **options)
        assert weighed.tolist() == rows[repeated].tolist()


def test_a_missing_code_beyond_the_smallest_type():
    codes = np.arange(256, dtype=np.uint8)[:, None]
    full = k_prototypes(
        np.empty((256, 0)), codes, np.empty((2, 0)), codes[:2], 1, missing_codes=[256]
    )
    assert full.cost == 254
    assert full.labels.tolist() == [0, 1] + [0] * 254
    more = np.vstack([codes.astype(np.uint16), [[256]]])
    with pytest.raises(ValueError, match="row 256 has none"):
        k_prototypes(
            np.empty((257, 0)),
            more,
            np.empty((2, 0)),
            codes[:2],
            1,
            missing_codes=[256],
        )


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("gamma", [0, 0.5])
def test_starts_are_distinct_rows(init, gamma):
    numeric, codes, weights = mixed(0, 50, whole=True)
    weights[:25] = 0
    key = numeric if gamma == 0 else np.column_stack([numeric, codes])
    different = len(np.unique(key[25:], axis=0))
    for seed, k in product(range(5), (1, 4, 50)):
        rows = initial_rows(
            numeric, codes, k, init, gamma, sample_weight=weights, random_state=seed
        )
        assert len(rows) == min(k, different) == len(np.unique(key[rows], axis=0))
        assert rows.min() >= 25


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
            rows = initial_rows(
                numeric,
                codes,
                k,
                init,
                gamma,
                sample_weight=weights,
                random_state=seed,
                feature_weight=v,
                missing_codes=missing,
            )
            start = complete(data, numeric[rows], codes[rows])
            table = distances_to(data, *start, gamma)
            assert rows.min() >= 25
            assert len(rows) <= k
            assert len(
                np.unique(np.column_stack(start if gamma else start[:1]), axis=0)
            ) == len(rows)
            assert all(
                table[row, l] == 0 and (table[row, :l] > 0).all()
                for l, row in enumerate(rows)
            )
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
        reach = (
            np.sqrt(np.cov(column[own], aweights=weights[own], ddof=0)) / 2
            if j < 3
            else 0
        )
        shares[:, j] = [
            (weights[own] * (np.abs(column[own] - x) <= reach)).sum()
            / weights[own].sum()
            for x in column
        ]
    expected = [
        np.average(row[own], weights=np.array(v or [1] * 6)[own])
        for row, own in zip(shares, here)
    ]
    np.testing.assert_allclose(
        densities(mixed_rows(numeric, codes, weights, v, missing)), expected, rtol=1e-9
    )


@pytest.mark.parametrize("seed", range(5))
def test_cao_on_categories_is_cao(seed):
    _, codes, _ = mixed(seed, 80, 0, (3, 4, 5))
    rows = initial_rows(np.empty((80, 0)), codes, 4, "cao", 1)
    assert codes[rows].tolist() == init_cao(codes, 4).tolist()


def test_density_by_definition():
    numeric, codes, weights = mixed(2, 40, whole=True)
    reach = (
        np.sqrt(
            np.average(
                (numeric - np.average(numeric, axis=0, weights=weights)) ** 2,
                axis=0,
                weights=weights,
            )
        )
        / 2
    )
    agree = np.concatenate(
        [abs(numeric[:, None] - numeric) <= reach, codes[:, None] == codes], axis=2
    )
    expected = (agree * weights[None, :, None]).sum(axis=1).mean(axis=1) / weights.sum()
    np.testing.assert_allclose(
        densities(mixed_rows(numeric, codes, weights)), expected, rtol=1e-12
    )


def test_random_start_follows_the_weights():
    numeric, codes = np.arange(3.0)[:, None], np.zeros((3, 1), np.uint8)
    drawn = [
        initial_rows(
            numeric, codes, 1, "random", 1, sample_weight=[1, 2, 7], random_state=seed
        )[0]
        for seed in range(600)
    ]
    assert np.abs(np.bincount(drawn, minlength=3) / 600 - [0.1, 0.2, 0.7]).max() < 0.08


BAD_ARRAYS = [
    (dict(numeric=np.zeros(6)), "numeric must be a matrix"),
    (dict(codes=np.zeros(6, int)), "codes must be a matrix"),
    (dict(codes=np.zeros((5, 2), int)), "same rows, got 6 and 5"),
    (
        dict(numeric=np.full((6, 2), np.nan)),
        "numeric must be finite.*or give missing_codes",
    ),
    (
        dict(numeric=np.full((6, 2), np.inf), missing_codes=[1, 1]),
        "numeric must be finite",
    ),
    (
        dict(numeric=np.full((6, 2), np.nan), missing_codes=[1, 1]),
        "only missing ones in column 0",
    ),
    (dict(codes=np.full((6, 2), -1)), "codes"),
    (dict(codes=np.zeros((6, 2))), "codes"),
    (dict(centres=np.zeros((2, 3))), "centres and modes must have the shapes"),
    (dict(modes=np.zeros((1, 2), int)), "centres and modes must have"),
    (dict(centres=np.full((2, 2), np.nan)), "centres must be finite"),
    (dict(gamma=-1), "gamma must be a finite number"),
    (dict(gamma="auto"), "gamma"),
    (dict(max_iter=-1), "max_iter"),
    (
        dict(sample_weight=[1]),
        "sample_weight must hold one number for each of the 6 rows",
    ),
    (dict(n_jobs=0), "n_jobs must be a whole number of at least 1"),
    (dict(n_jobs="all"), "n_jobs"),
    (dict(feature_weight=[1]), "feature_weight must be None, 4 weights"),
    (
        dict(feature_weight={4: 1}),
        "must name features of X, got 4; there are: 0, 1, 2, 3",
    ),
    (dict(feature_weight=[0] * 4), "must not be zero for all features"),
    (dict(missing_codes=[1]), "missing_codes must be None or hold 2 codes"),
    (dict(missing_codes=[-1, 1]), "missing_codes must be None"),
    (dict(missing_codes=[0.5, 1]), "missing_codes must be None"),
    (dict(missing_codes="ignore"), "missing_codes must be None"),
]


@pytest.mark.parametrize("change, said", BAD_ARRAYS, ids=lambda x: str(x)[:40])
def test_bad_arrays(change, said):
    good = dict(
        numeric=np.arange(12.0).reshape(6, 2),
        codes=np.zeros((6, 2), np.uint8),
        centres=np.zeros((2, 2)),
        modes=np.zeros((2, 2), np.uint8),
        gamma=1,
    )
    with pytest.raises(ValueError, match=said):
        k_prototypes(**good | change)


@pytest.mark.parametrize(
    "change, said",
    [
        case
        for case in BAD_ARRAYS
        if not case[0].keys() & {"centres", "modes", "max_iter", "n_jobs"}
    ],
    ids=lambda x: str(x)[:40],
)
def test_bad_arrays_for_a_start(change, said):
    good = dict(
        numeric=np.arange(12.0).reshape(6, 2),
        codes=np.zeros((6, 2), np.uint8),
        n_clusters=2,
        init="cao",
        gamma=1,
    )
    with pytest.raises(ValueError, match=said):
        initial_rows(**good | change)


def test_check_finds_what_is_wrong():
    numeric, codes, _ = mixed()
    result = k_prototypes(numeric, codes, numeric[:3], codes[:3], 1)
    for change, said in [
        (dict(cost=result.cost + 1), "cost is"),
        (dict(labels=(result.labels + 1) % 3), "nearest"),
        (dict(labels=result.labels + 3), "labels must be"),
        (dict(epoch_costs=result.epoch_costs[::-1]), "epoch_costs"),
    ]:
        with pytest.raises(ValueError, match=said):
            check_prototypes(numeric, codes, result._replace(**change), 1)
    with pytest.raises(ValueError, match="cost is|nearest"):
        check_prototypes(numeric, codes, result, 1, feature_weight=[2, 1, 1, 1])
    numeric, codes, weights, missing = holed()
    result = k_prototypes(
        numeric,
        codes,
        numeric[:3],
        codes[:3],
        1,
        sample_weight=weights,
        feature_weight=[1, 2, 3, 1, 2, 3],
        missing_codes=missing,
    )
    check_prototypes(
        numeric,
        codes,
        result,
        1,
        sample_weight=weights,
        feature_weight=[1, 2, 3, 1, 2, 3],
        missing_codes=missing,
    )
    for v, said in (None, "cost is|nearest"), ([1, 2, 3, 3, 2, 1], "cost is|nearest"):
        with pytest.raises(ValueError, match=said):
            check_prototypes(
                numeric,
                codes,
                result,
                1,
                sample_weight=weights,
                feature_weight=v,
                missing_codes=missing,
            )
    with pytest.raises(ValueError, match="give missing_codes"):
        check_prototypes(numeric, codes, result, 1, sample_weight=weights)


def test_the_row_that_costs_most_founds_a_cluster_by_its_weight():
    numbers = np.array([[0.0], [3.0], [5.0]])
    codes = np.zeros((3, 1), np.uint8)
    found = k_prototypes(
        numbers,
        codes,
        [[0.0], [0.0]],
        [[0], [0]],
        1.0,
        sample_weight=[1, 10, 1],
        max_iter=0,
    )
    assert found.centres.tolist() == [[0.0], [3.0]]


def test_numbers_just_within_reach_are_near():
    "The standard deviation is 2, so that the reach is 1."
    numbers = np.array([0.0, 1.0, 4.0, 5.0])
    weights = np.array([7.0, 9.0, 9.0, 7.0])
    assert prototypes._share_of_near(numbers, weights).tolist() == [0.5] * 4
