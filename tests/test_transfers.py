"""OTQT against its plain form and against brute force: exact changes, optima, weights,
gaps, and invariances.
"""

import numba
import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from kmodes_study.cluster.modes import fill_missing
from kmodes_study.cluster.algorithms.transfers import otqt
from kmodes_study.cluster.modes import assign, cost
from kmodes_study.core.codes import encode
from oracles.transfers import plain_objective, plain_otqt
from oracles.gaps import partial_distances, partial_weights

FIRST = pytest.mark.parametrize("first_pass", ["follow", "assign"])


def random_case(seed, n_max=30, holes=0):
    """Codes with between 1 and 5 levels, and complete modes, which are rows or not;
    with holes, that code is missing.
    """
    rng = np.random.RandomState(seed)
    n = rng.randint(2, n_max)
    m = rng.randint(1, 8)
    levels = rng.randint(1, 6)
    codes, k = rng.randint(levels, size=(n, m)).astype(np.uint8), rng.randint(1, n + 1)
    if holes:
        some = np.arange(m) == rng.randint(m, size=n)[:, None]  # each row has a value
        codes[(rng.random_sample((n, m)) < rng.choice([0.1, 0.4, 0.9])) & ~some] = (
            levels
        )
    if rng.randint(2):
        return codes, rng.randint(levels, size=(k, m)).astype(np.uint8), levels
    return codes, fill_missing(codes, [levels] * m)[rng.randint(n, size=k)], levels


def cases(n_max=30, holes=0):
    return st.integers(0, 2**32 - 1).map(lambda seed: random_case(seed, n_max, holes))


def with_none(codes, hole):
    return [
        [None if value == hole else value for value in row] for row in codes.tolist()
    ]


def enough_weight(codes, modes, seed):
    """Whole weights, some of them 0, above 0 for as many distinct rows as there are
    modes.
    """
    rng = np.random.RandomState(seed)
    w = rng.randint(5, size=len(codes))
    firsts = np.unique(codes, axis=0, return_index=True)[1]
    # with fewer, copies of a row found clusters; a weighted row cannot
    assume(len(firsts) >= len(modes))
    w[rng.permutation(firsts)[: len(modes)]] += 1
    return w


def equal(one, other):
    return (
        np.array_equal(one.labels, other.labels)
        and np.array_equal(one.modes, other.modes)
        and one.epoch_costs == other.epoch_costs
    )


@pytest.mark.usefixtures("small_tables")
@FIRST
@settings(max_examples=150, deadline=None)
@given(case=cases(16, holes=1), seed=st.integers(0, 1000))
def test_the_moves_of_the_plain_form(first_pass, case, seed):
    codes, modes, hole = case
    w = np.random.RandomState(seed).randint(1, 4, size=len(codes))
    fast = otqt(
        codes,
        modes,
        sample_weight=w,
        missing_codes=[hole] * codes.shape[1],
        first_pass=first_pass,
    )
    slow = plain_otqt(
        with_none(codes, hole), modes.tolist(), w.tolist(), first_pass=first_pass
    )
    assert fast.labels.tolist() == slow.labels
    assert fast.modes.tolist() == slow.modes
    assert fast.cost == slow.cost
    assert fast.epoch_costs[0] == slow.epoch_costs[0]
    assert set(fast.epoch_costs) == set(slow.epoch_costs)


@FIRST
@settings(max_examples=100, deadline=None)
@given(case=cases(20, holes=1))
def test_no_single_move_lowers_the_cost(first_pass, case):
    codes, modes, hole = case
    before = codes.copy()
    X = with_none(codes, hole)
    once = [1] * len(codes)
    m = codes.shape[1]
    result = otqt(codes, modes, first_pass=first_pass, missing_codes=[hole] * m)
    assert result.converged
    assert result.n_iter == len(result.epoch_costs) - 1
    assert (codes == before).all()
    assert np.array_equal(np.unique(result.labels), np.arange(len(modes)))
    labels, falls = result.labels.tolist(), np.diff(result.epoch_costs) < 0
    assert all(type(value) is int for value in result.epoch_costs)
    assert result.cost == result.epoch_costs[-1] == plain_objective(X, labels, once)
    assert (np.diff(result.epoch_costs) <= 0).all()
    assert falls.sum() >= len(falls) - 2
    for i, b in np.ndindex(len(X), len(modes)):
        assert (
            plain_objective(X, [*labels[:i], b, *labels[i + 1 :]], once) >= result.cost
        )
    distances = partial_distances(codes, result.modes, [hole] * m)
    assert np.array_equal(
        distances[np.arange(len(codes)), labels], distances.min(axis=1)
    )


@FIRST
@settings(max_examples=300, deadline=None)
@given(case=cases(60))
def test_the_cost_is_never_above_that_of_the_start(first_pass, case):
    codes, modes, _ = case
    again = otqt(codes, modes, first_pass=first_pass)
    for start in modes, again.modes:
        assert (
            otqt(codes, start, first_pass=first_pass).cost
            <= assign(codes, start)[1].sum()
        )


@pytest.mark.usefixtures("small_tables")
@FIRST
@settings(max_examples=100, deadline=None)
@given(case=cases(holes=1), seed=st.integers(0, 1000))
def test_weights_are_repeated_rows(first_pass, case, seed):
    """And floats, the heaviest weights allowed, rows of weight zero, and the weights
    that rescale rows with gaps.
    """
    codes, modes, hole = case
    w, m = enough_weight(codes, modes, seed), codes.shape[1]
    options = dict(first_pass=first_pass, missing_codes=[hole] * m)
    weighted = otqt(codes, modes, sample_weight=w, **options)
    repeated = otqt(np.repeat(codes, w, axis=0), modes, **options)
    assert np.array_equal(np.repeat(weighted.labels, w), repeated.labels)
    assert np.array_equal(weighted.modes, repeated.modes)
    assert weighted.cost == repeated.cost
    floats = otqt(codes, modes, sample_weight=w.astype(float), **options)
    assert np.array_equal(floats.labels, weighted.labels)
    assert floats.epoch_costs == weighted.epoch_costs
    heavy = otqt(
        codes, modes, sample_weight=w * int((2**60 - 1) // (w.sum() * m)), **options
    )
    assert np.array_equal(heavy.labels, weighted.labels)
    assert np.array_equal(heavy.modes, weighted.modes)
    if (w == 0).any():
        assert np.array_equal(
            weighted.labels[w == 0], assign(codes[w == 0], weighted.modes)[0]
        )
    weights, unit = partial_weights(codes, [hole] * m, w)
    result = otqt(codes, modes, sample_weight=weights, **options)
    distances = partial_distances(codes, result.modes, [hole] * m)[
        np.arange(len(codes)), result.labels
    ]
    assert result.cost * unit == pytest.approx((w * distances).sum(), rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(case=cases(), seed=st.integers(0, 1000))
def test_the_names_of_categories_and_the_order_of_attributes_do_not_matter(case, seed):
    codes, modes, _ = case
    rng = np.random.RandomState(seed)
    m = codes.shape[1]
    labels = otqt(*case[:2]).labels
    renamed = np.array([rng.permutation(9) for _ in range(m)], np.uint8)
    columns, order = np.arange(m), rng.permutation(m)
    assert np.array_equal(
        otqt(renamed[columns, codes], renamed[columns, modes]).labels, labels
    )
    assert np.array_equal(otqt(codes[:, order], modes[:, order]).labels, labels)
    assert np.array_equal(
        otqt(np.repeat(codes, 2, axis=1), np.repeat(modes, 2, axis=1)).labels, labels
    )


def test_an_empty_cluster_goes_to_the_row_farthest_in_what_it_has():
    """One mismatch of two values is farther than one of four, and than the first of
    those.
    """
    codes = np.array(
        [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 2, 2]], np.uint8
    )
    result = otqt(
        codes, np.array([[0, 0, 0, 0], [1, 1, 1, 1]]), max_iter=0, missing_codes=[2] * 4
    )
    assert result.labels.tolist() == [0, 0, 0, 0, 1]
    assert not result.converged
    assert result.n_iter == 0


@pytest.mark.parametrize("m", [126, 127, 128, 129, 255, 256, 300])
def test_many_attributes(m):
    """Around each width of a lane; rows opposite to each other in all attributes reach
    the largest sum.
    """
    rng = np.random.RandomState(m)
    codes = np.repeat(np.arange(12)[:, None] % 3, m, axis=1).astype(np.uint8)
    codes[5:, : m // 3] = rng.randint(3, size=(7, m // 3))
    fast, slow = otqt(codes, codes[:3]), plain_otqt(codes.tolist(), codes[:3].tolist())
    assert fast.labels.tolist() == slow.labels
    assert fast.cost == slow.cost


@pytest.mark.parametrize(
    "first_pass, seed, k", [("follow", 243, 9), ("assign", 66, 10)]
)
def test_a_row_whose_own_cluster_has_changed_meets_all_others_again(
    first_pass, seed, k
):
    # more clusters than a word holds, and only the word of the row's own has changed
    rng = np.random.RandomState(seed)
    codes = rng.randint(5, size=(40, 5)).astype(np.uint8)
    modes = codes[rng.permutation(40)[:k]]
    fast = otqt(codes, modes, first_pass=first_pass)
    slow = plain_otqt(codes.tolist(), modes.tolist(), first_pass=first_pass)
    assert fast.labels.tolist() == slow.labels
    assert fast.cost == slow.cost


def test_float_weights():
    rng = np.random.RandomState(5)
    codes, u = rng.randint(3, size=(200, 5)).astype(np.uint8), rng.random_sample(200)
    result = otqt(codes, codes[:7], sample_weight=u)
    assert result.converged
    assert (np.diff(result.epoch_costs) <= 0).all()
    assert result.cost == pytest.approx(
        cost(codes, result.labels, result.modes, sample_weight=u), rel=1e-13
    )
    for factor in (2.0**-900, 2.0**-40, 2.0**80, 2.0**900):
        assert np.array_equal(
            otqt(codes, codes[:7], sample_weight=u * factor).labels, result.labels
        )


def test_soybean_small_as_dorman_and_maitra_report(load_or_skip):
    """Their 1000 random starts at K = 4: best cost 199, mean 208.119 where modes follow
    in the first pass.
    """
    codes = encode(load_or_skip("soybean-small").data)[0]
    starts = 20 if numba.config.DISABLE_JIT else 1000
    costs = np.array(
        [
            otqt(
                codes, codes[np.random.RandomState(seed).choice(47, 4, replace=False)]
            ).cost
            for seed in range(starts)
        ]
    )
    assert costs.min() == 199
    assert abs(costs.mean() - 208.119) < 3 * costs.std() * np.sqrt(
        1 / starts + 1 / 1000
    )
