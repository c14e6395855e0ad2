"""The two steps of k-prototypes with weights and gaps: against the naive form and the
distances of scikit-learn.
"""

from itertools import product

import numpy as np
import pytest
from sklearn.metrics.pairwise import nan_euclidean_distances

from kmodes_study.family.mixed import (
    assigned,
    complete,
    distances_to,
    mixed_rows,
    updated,
)
from kmodes_study.plain.prototypes import (
    mixed_distance,
    nearest_prototype,
    plain_mixed_partial,
    plain_mixed_partial_update,
    plain_mixed_update,
)

from mixed_tables import holed, listed, mixed


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("p, levels", [(2, (3, 2)), (0, (3, 2, 4)), (3, ())])
def test_steps_are_the_naive_ones(seed, p, levels):
    numeric, codes, weights = mixed(seed, 40, p, levels, whole=True)
    data = mixed_rows(numeric, codes, weights)
    labels, distances, cost = assigned(data, numeric[:3], codes[:3], 0.25)
    rows = list(zip(numeric.tolist(), codes.tolist()))
    assert labels.tolist() == [nearest_prototype(row, rows[:3], 0.25) for row in rows]
    dissimilarities = [
        mixed_distance(row, rows[label], 0.25) for row, label in zip(rows, labels)
    ]
    assert distances.tolist() == dissimilarities
    assert cost == (weights * dissimilarities).sum()
    present, dense = np.unique(labels, return_inverse=True)
    centres, modes = updated(
        data, dense.astype(np.int32), numeric[: len(present)], codes[: len(present)]
    )
    naive_centres, naive_modes = plain_mixed_update(
        numeric, codes, dense, weights, len(present)
    )
    assert centres.tolist() == np.reshape(naive_centres, centres.shape).tolist()
    assert modes.tolist() == np.reshape(naive_modes, modes.shape).tolist()


def test_ties_go_to_the_lowest_cluster_and_the_lowest_code():
    numeric, codes = np.zeros((4, 1)), np.array([[1], [0], [2], [2]], np.uint8)
    data = mixed_rows(numeric, codes)
    assert (
        assigned(data, np.zeros((2, 1)), np.array([[3], [3]], np.uint8), 1.0)[
            0
        ].tolist()
        == [0] * 4
    )
    assert updated(data, np.array([0, 0, 1, 1], np.int32), numeric[:2], codes[:2])[
        1
    ].tolist() == [[0], [2]]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "p, levels", [(2, (3, 2)), (0, (3, 2, 4)), (3, ()), (3, (3, 2, 2))]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_steps_with_holes_are_the_naive_ones(seed, p, levels, weighted):
    numeric, codes, weights, missing = holed(seed, 40, p, levels)
    v = (
        np.random.default_rng(seed).integers(1, 6, p + len(levels)) / 2
        if weighted
        else np.ones(p + len(levels))
    )
    data = mixed_rows(numeric, codes, weights, v if weighted else None, missing)
    centres, modes = complete(data, numeric[:3], codes[:3])
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
    np.testing.assert_allclose(distances, table.min(axis=1), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        table[np.arange(40), labels], table.min(axis=1), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(
        distances_to(data, centres, modes, 0.25), table, rtol=1e-12, atol=1e-12
    )
    assert cost == pytest.approx((weights * table.min(axis=1)).sum(), rel=1e-12)
    part = lambda row, v: sum(u for u, cell in zip(v, row) if cell is not None)
    pulls = [
        [
            w * sum(u) / part(row, u) if part(row, u) else 0
            for w, row in zip(weights.tolist(), rows)
        ]
        for rows, u in zip(lists, (v[:p], v[p:]))
    ]
    naive = plain_mixed_partial_update(
        *lists, labels, *pulls, centres.tolist(), modes.tolist()
    )
    found = updated(data, labels, centres, modes)
    np.testing.assert_allclose(
        found[0], np.reshape(naive[0], (3, p)), rtol=1e-12, atol=1e-12
    )
    # rounding may break a tie of the naive form another way, no more
    for l, j in product(range(3), range(len(levels))):
        pull = lambda code: sum(
            u
            for row, label, u in zip(lists[1], labels, pulls[1])
            if label == l and row[j] == code
        )
        assert pull(found[1][l, j]) == pytest.approx(pull(naive[1][l][j]), rel=1e-12)


def test_ties_of_categories_are_exact():
    # three rows of weight 4/3 against four of weight 1: in floating point the sums may
    # differ, the tie is the lowest code's
    for q, k in (4, 3), (10, 7), (6, 5), (12, 11):
        codes = np.zeros((q + k, q), np.uint8)
        # k rows with k of q categories, a pull of q/k each
        codes[:k, 0], codes[:k, k:] = 1, 2
        data = mixed_rows(np.empty((q + k, 0)), codes, None, None, np.full(q, 2))
        assert (
            updated(data, np.zeros(q + k, np.int32), np.empty((1, 0)), codes[-1:])[1][
                0, 0
            ]
            == 0
        )


@pytest.mark.parametrize("seed", range(20))
def test_an_update_has_the_least_cost_of_all_prototypes(seed):
    rng = np.random.default_rng(seed)
    numeric, codes, weights, missing = holed(seed, 30)
    v, labels = rng.integers(1, 4, 6) / 2, rng.integers(0, 3, 30).astype(np.int32)
    data = mixed_rows(numeric, codes, weights, v, missing)
    cost = lambda *prototypes: (
        weights * distances_to(data, *prototypes, 0.7)[np.arange(30), labels]
    ).sum()
    best = updated(data, labels, *complete(data, numeric[:3], codes[:3]))
    for _ in range(30):
        other = (
            best[0] + rng.normal(0, 0.2, best[0].shape),
            np.where(
                rng.random(best[1].shape) < 0.3,
                rng.integers(0, 2, best[1].shape),
                best[1],
            ),
        )
        assert cost(*best) <= cost(*other) * (1 + 1e-12)


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


@pytest.mark.parametrize("seed", range(5))
def test_numbers_alone_are_at_the_distances_of_scikit_learn(seed):
    numeric, codes, weights, missing = holed(seed, 50, 4, (), whole=False)
    data = mixed_rows(numeric, codes, weights, None, missing)
    centres = np.random.default_rng(seed + 100).normal(size=(3, 4))
    np.testing.assert_allclose(
        distances_to(data, centres, codes[:3], 1.0),
        nan_euclidean_distances(numeric, centres, squared=True),
        rtol=1e-9,
    )


def test_a_complete_row_does_not_notice_the_holes_of_others():
    numeric, codes, weights, missing = holed(4, 300, whole=False)
    whole = ~np.isnan(numeric).any(axis=1) & (codes != missing).all(axis=1)
    start = np.random.default_rng(0).normal(size=(5, 3)), codes[whole][:5]
    data = mixed_rows(numeric, codes, weights, None, missing)
    alone = mixed_rows(numeric[whole], codes[whole], weights[whole])
    assert 20 < whole.sum() < 280
    assert data.missing is not None
    assert alone.missing is None
    assert (
        distances_to(data, *start, 0.3)[whole].tobytes()
        == distances_to(alone, *start, 0.3).tobytes()
    )


def test_equal_rows_become_one_row_with_their_weight():
    numeric = [[1.5], [np.nan], [1.5], [np.nan], [1.5]]
    codes = [[1, 0], [1, 2], [1, 0], [1, 2], [0, 0]]
    data = mixed_rows(numeric, codes, [1, 2, 3, 4, 5], None, [3, 2])
    rows, place = data.distinct()
    assert place.tolist() == [1, 2, 1, 2, 0]
    assert rows.numeric[:, 0].tolist()[:2] == [1.5, 1.5]
    assert np.isnan(rows.numeric[2, 0])
    assert rows.codes.tolist() == [[0, 0], [1, 0], [1, 2]]
    assert rows.columns.tolist() == [[0, 1, 1], [0, 0, 2]]
    assert rows.weights.tolist() == [5, 4, 6]
    assert [part.tolist() for part in rows.observed] == [[1, 1, 0], [2, 2, 1]]


def test_rows_of_weight_zero_are_left_out_and_the_others_stay():
    numeric = np.array([[0.1], [0.7], [0.2]])
    # three, one and two categories: their least common multiple is 6, and 3 without the
    # last row, which has no weight
    codes = np.array([[0, 1, 1], [2, 2, 1], [2, 1, 0]], np.uint8)
    data = mixed_rows(numeric, codes, [1, 1, 0], None, [2, 2, 2])
    rows, places = data.counted()
    assert places.tolist() == [0, 1]
    assert rows.codes.tolist() == codes[:2].tolist()
    assert rows.pulls[1].tolist() == [2, 6]
    assert rows.fill is data.fill
    assert rows.offsets is data.offsets
    alone = mixed_rows(numeric, codes)
    assert alone.counted() == (alone, None)


def test_holes_are_filled_with_means_and_heaviest_categories():
    numeric = np.array([[1.0, np.nan], [4, 2], [np.nan, 3], [100, 100]])
    codes = np.array([[0, 2], [1, 1], [2, 0], [1, 1]], np.uint8)
    data = mixed_rows(numeric, codes, [2, 1, 1, 0], None, [2, 2])
    centres, modes = complete(data, numeric, codes)
    assert centres.tolist() == [[1, 2.5], [4, 2], [2, 3], [100, 100]]
    assert modes.tolist() == [[0, 0], [1, 1], [0, 0], [1, 1]]
