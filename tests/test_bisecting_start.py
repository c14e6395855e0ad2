"Bisection as a start: the greedy rule, and equal rows together."

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from kmodes_study.cluster.estimator import KModes
from kmodes_study.cluster.starts.groups import init_bisecting, split_clusters
from kmodes_study.cluster.starts.groups import different_modes
from oracles.starts import plain_best_cut, plain_costs

tables = hnp.arrays(
    np.uint8,
    st.tuples(st.integers(2, 9), st.integers(1, 4)),
    elements=st.integers(0, 2),
)
few = settings(deadline=None, max_examples=30)


@few
@given(tables, st.integers(0, 99))
def test_costs_are_those_of_the_clusters_and_equal_rows_stay_together(codes, seed):
    k = len(np.unique(codes, axis=0))
    labels, modes, parents, costs = split_clusters(
        codes, k, n_trials=2, random_state=seed
    )
    assert len(costs) == len(modes) == len(parents) == k
    assert costs[-1] == 0
    assert costs[0] == plain_costs(codes.tolist())
    assert costs == sorted(costs, reverse=True)
    assert (modes[labels] == codes).all()
    assert (
        len({(*row, label) for row, label in zip(codes.tolist(), labels.tolist())}) == k
    )
    with pytest.raises(ValueError, match=f"{k} different rows only"):
        split_clusters(codes, k + 1)


@few
@given(tables)
def test_no_cut_is_better_than_the_best_and_many_trials_find_it(codes):
    if len(np.unique(codes, axis=0)) < 2:
        codes[0, 0] = 9
    best = sum(map(plain_costs, plain_best_cut(codes.tolist())))
    found = [
        split_clusters(codes, 2, n_trials=n, random_state=0)[3][1] for n in (1, 40)
    ]
    assert best == found[1] <= found[0]


def test_a_start_for_weights_gaps_and_the_estimator():
    codes = np.random.RandomState(0).randint(4, size=(60, 6)).astype(np.uint8)
    weights = np.random.RandomState(1).randint(1, 4, size=60)
    repeated = init_bisecting(np.repeat(codes, weights, axis=0), 5, random_state=3)
    assert (
        init_bisecting(codes, 5, random_state=3, sample_weight=weights) == repeated
    ).all()
    gaps = init_bisecting(codes, 5, random_state=3, missing_codes=[3] * 6)
    assert gaps.max() < 3
    assert len(np.unique(gaps, axis=0)) == 5
    costs = [
        KModes(5, init="Bisecting", n_init=n, random_state=0).fit(codes).cost_
        for n in (1, 8)
    ]
    assert costs[1] <= costs[0]


def test_the_largest_cluster_is_that_of_the_most_rows():
    "Rows with gaps weigh more in the modes, and are not more rows."
    full = [[0, 0, 0, i % 3] for i in range(3)] * 2 + [[0, 0, 1, 0]]
    half = [[5, 5, 9, 9], [5, 6, 9, 9], [6, 5, 9, 9], [9, 5, 5, 9], [9, 9, 5, 5]]
    codes, gaps = np.array(full + half), [9, 9, 9, 9]
    labels, _, parents, _ = split_clusters(
        codes, 3, split="size", n_trials=20, random_state=0, missing_codes=gaps
    )
    assert len(set(labels[-5:])) == 1
    assert (
        parents[2]
        == split_clusters(codes, 2, n_trials=20, random_state=0, missing_codes=gaps)[0][
            0
        ]
    )


def test_a_mode_that_stands_there_twice_gives_way_to_the_nearest_row():
    codes = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 1]], np.uint8)
    found = different_modes(codes, codes[[0, 0]])
    assert found.tolist() == [[0, 0, 0], [0, 0, 1]]
