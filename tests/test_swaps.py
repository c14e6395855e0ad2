"""Swap search: against its plain form, never worse than transfers, with weights and
gaps, the same for a seed.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study.cluster.algorithms import swaps
from kmodes_study.cluster.estimator import KModes
from kmodes_study.cluster.modes import fill_missing
from kmodes_study.cluster.algorithms.transfers import otqt
from kmodes_study.cluster.modes import check_clustering, cost, modes_of
from kmodes_study.cluster.algorithms.swaps import swap_search
from kmodes_study.cluster.starts.basic import init_random
from kmodes_study.core.codes import encode
from kmodes_study.data.synthetic import make_planted_clusters
from oracles.swaps import plain_optimum, plain_swap_search

pytestmark = pytest.mark.usefixtures("small_tables")


@st.composite
def problems(draw, n_max=14):
    "Codes, modes among the distinct rows, whole weights, and a seed."
    n = draw(st.integers(2, n_max))
    m = draw(st.integers(1, 5))
    levels = draw(st.integers(2, 4))
    seed = draw(st.integers(0, 10**6))
    random = np.random.RandomState(seed)
    codes = random.randint(levels, size=(n, m))
    different = np.unique(codes, axis=0)
    k = draw(st.integers(1, len(different)))
    return (
        codes,
        different[random.permutation(len(different))[:k]],
        random.randint(1, 5, size=n),
        seed,
    )


class Eighths(np.random.RandomState):
    "Draws eighths, which fall on the ends of the shares of rows, too."

    def random_sample(self, size=None):
        return np.floor(8 * super().random_sample(size)) / 8


@settings(max_examples=60)
@given(problems(), st.sampled_from(["drawn", "least"]))
def test_swap_for_swap_the_plain_form(problem, removal):
    codes, modes, weights, seed = problem
    found = swap_search(
        codes,
        modes,
        sample_weight=weights,
        random_state=Eighths(seed),
        max_swaps=8,
        removal=removal,
    )
    width = 2 + codes.shape[1]
    draws = Eighths(seed).random_sample(
        (8, width if removal == "drawn" else max(width, len(modes) + 1))
    )
    labels, costs = plain_swap_search(
        codes.tolist(), modes.tolist(), draws, weights.tolist(), removal == "least"
    )
    assert found.epoch_costs == (costs if len(modes) > 1 else costs[:1])
    assert found.labels.tolist() == labels
    check_clustering(
        codes, found.labels, found.modes, found.cost, sample_weight=weights
    )


@settings(max_examples=60)
@given(problems(), st.floats(0.05, 0.4), st.sampled_from(["drawn", "least"]))
def test_swap_for_swap_the_plain_form_with_gaps(problem, share, removal):
    codes, _, weights, seed = problem
    random = np.random.RandomState(seed)
    missing_codes = np.full(codes.shape[1], codes.max() + 1)
    holed = np.where(random.random_sample(codes.shape) < share, missing_codes, codes)
    holed[(holed == missing_codes).all(axis=1), 0] = 0
    modes = np.unique(fill_missing(holed, missing_codes, weights), axis=0)
    modes = modes[random.permutation(len(modes))[:3]]
    options = dict(sample_weight=weights, missing_codes=missing_codes, removal=removal)
    found = swap_search(holed, modes, random_state=seed, max_swaps=8, **options)
    width = 2 + codes.shape[1]
    draws = np.random.RandomState(seed).random_sample(
        (8, width if removal == "drawn" else max(width, len(modes) + 1))
    )
    X = [
        [None if value == missing_codes[0] else value for value in row]
        for row in holed.tolist()
    ]
    labels, costs = plain_swap_search(
        X, modes.tolist(), draws, weights.tolist(), removal == "least"
    )
    assert found.epoch_costs == (costs if len(modes) > 1 else costs[:1])
    assert found.labels.tolist() == labels


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_the_optimum_of_small_tables_is_not_passed(seed):
    random = np.random.RandomState(seed)
    codes = random.randint(3, size=(6, 3))
    k = min(3, len(np.unique(codes, axis=0)))
    found = swap_search(
        codes,
        init_random(codes, k, random_state=seed),
        random_state=seed,
        max_swaps=200,
    )
    assert found.cost == plain_optimum(codes.tolist(), k)


@pytest.mark.parametrize(
    "name, k, best", [("zoo", 3, 234), ("zoo", 10, 105), ("soybean-small", 4, 199)]
)
def test_known_optima(load_or_skip, name, k, best):
    codes = encode(load_or_skip(name, as_frame=True).data)[0]
    costs = [
        swap_search(
            codes, init_random(codes, k, random_state=seed), random_state=seed
        ).cost
        for seed in range(5)
    ]
    assert min(costs) == best
    assert np.median(costs) <= best * 1.01


def test_without_swaps_it_is_one_descent():
    codes = np.random.RandomState(0).randint(3, size=(300, 5), dtype=np.uint8)
    found = swap_search(codes, codes[:2], random_state=0, max_swaps=0)
    assert found.n_iter == 0
    assert found.cost == otqt(codes, codes[:2]).cost


def test_a_table_too_large_for_the_distances_of_a_search_gets_a_descent(monkeypatch):
    codes = make_planted_clusters(300, 5, 4, 6, 0.4, 0).codes
    start = init_random(codes, 6, random_state=1)
    descent = otqt(codes, start)
    assert swap_search(codes, start, random_state=0).cost < descent.cost
    monkeypatch.setattr(swaps, "_MOST_KEPT", 6 * 300 - 1)
    found = swap_search(codes, start, random_state=0)
    assert found.cost == descent.cost and found.n_iter == 0
    assert np.array_equal(found.labels, descent.labels)


def test_swaps_are_counted_over_all_searches_and_the_best_stays():
    codes = np.random.RandomState(0).randint(3, size=(20, 4), dtype=np.uint8)
    longest = swap_search(codes, codes[:3], random_state=0, max_swaps=900)
    assert longest.n_iter == 900
    assert (np.diff(longest.epoch_costs) <= 0).all()
    # a piece is 256 swaps; a search ends after 60 failures
    for n_swaps in (1, 60, 255, 256, 257, 600):
        found = swap_search(codes, codes[:3], random_state=0, max_swaps=n_swaps)
        assert found.n_iter == n_swaps
        assert found.cost == found.epoch_costs[-1]


def test_many_rows_begin_on_a_sample_and_end_where_no_transfer_is_left():
    codes, labels, _ = make_planted_clusters(40_000, 8, 4, 5, 0.4, 0)
    order = np.random.RandomState(1).permutation(len(codes))
    one, other = (KModes(5).fit(X) for X in (codes, codes[order]))
    assert one.cost_ == other.cost_ <= cost(codes, labels, modes_of(codes, labels, 5))
    assert (
        otqt(codes, one.modes_, first_pass="assign").cost
        == one.cost_
        == cost(codes, one.labels_, one.modes_)
    )
