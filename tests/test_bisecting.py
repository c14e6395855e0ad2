"""Bisecting k-modes: nested, never dearer, true costs, and the cluster that the rule
names is split.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study.cluster.modes import check_clustering, cluster_costs, modes_of
from kmodes_study.family.bisecting import bisect_modes, labels_at
from kmodes_study.plain.dissimilarity import plain_partial, plain_partial_mode


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


def test_equal_rows_are_not_split():
    codes = np.repeat([[0, 0], [1, 1], [2, 0]], [50, 2, 1], axis=0)
    assert np.bincount(
        bisect_modes(codes, 3, split="size", random_state=0).labels
    ).tolist() in ([50, 2, 1], [50, 1, 2])
    with pytest.raises(ValueError, match="3 different rows only"):
        bisect_modes(codes, 4)


def test_weights_are_repeated_rows():
    rng = np.random.RandomState(3)
    codes = rng.randint(3, size=(60, 5)).astype(np.uint8)
    weights = rng.randint(1, 5, 60)
    weighted = bisect_modes(codes, 5, sample_weight=weights, random_state=0)
    repeated = bisect_modes(np.repeat(codes, weights, axis=0), 5, random_state=0)
    assert (np.repeat(weighted.labels, weights) == repeated.labels).all()
    assert weighted.costs == repeated.costs
    check_clustering(codes, weighted.labels, weighted.modes, weighted.cost, weights)


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
