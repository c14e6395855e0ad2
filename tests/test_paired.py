"""Paired comparisons against scipy and by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from kmodes_study.study.compare import holm
from kmodes_study.study.paired import compare_pair, compare_pairs, pair_matrix

FIRST, SECOND = np.random.RandomState(0).normal(0, 1, (2, 7)).round(2)


@pytest.mark.parametrize("n", [2, 3, 7])
def test_the_interval_is_that_of_students_test(n):
    found = compare_pair(FIRST[:n], SECOND[:n])
    expected = stats.ttest_1samp(FIRST[:n] - SECOND[:n], 0).confidence_interval(0.95)
    assert (found["low"], found["high"]) == pytest.approx(tuple(expected), rel=1e-12)
    assert found["difference"] == pytest.approx((FIRST[:n] - SECOND[:n]).mean())
    assert found["n"] == n


def test_superiority_counts_a_tie_half():
    found = compare_pair([3, 1, 2, 5], [1, 1, 2, 6])
    assert found["superiority"] == 0.25 + 0.5 / 2
    assert found["rank_biserial"] == pytest.approx((2 - 1) / 3)
    assert found["p_value"] == stats.wilcoxon([2, 0, 0, -1]).pvalue


def test_scores_that_differ_in_their_last_bit_are_equal():
    found = compare_pair([0.1 + 0.2, 0.5, 1], [0.3, 0.25, 0.5])
    assert found["rank_biserial"] == 1
    assert found["superiority"] == 2 / 3 + 1 / 6
    assert compare_pair([0.1 + 0.2] * 3, [0.3] * 3)["p_value"] == 1


def test_all_comparisons_are_adjusted_together_and_the_matrix_is_antisymmetric():
    rng = np.random.RandomState(1)
    runs = pd.DataFrame(
        [
            dict(dataset=name, init=init, seed=seed, cost=rng.normal(shift, 1))
            for name in "xy"
            for init, shift in zip("abc", (0, 0.5, 3))
            for seed in range(9)
        ]
    )
    pairs = compare_pairs(runs, "cost")
    assert len(pairs) == 6
    assert pairs.adjusted_p.tolist() == holm(pairs.p_value).tolist()
    assert (pairs.adjusted_p > pairs.p_value).any()
    matrix = pair_matrix(pairs[pairs.dataset == "x"], level=0)
    row = pairs.iloc[0]
    assert matrix.loc["a", "b"] == f"{row.difference:+.3f}"
    assert matrix.loc["b", "a"] == f"{-row.difference:+.3f}"


@pytest.mark.parametrize("share", [0.1, 1 / 3, 0.5])
def test_overlapping_splits_take_the_variance_of_nadeau_and_bengio(share):
    differences = FIRST - SECOND
    factor = 1 / 7 + share / (1 - share)
    error = np.sqrt(factor * np.var(differences, ddof=1))
    found = compare_pair(FIRST, SECOND, test_share=share)
    plain = compare_pair(FIRST, SECOND)
    half = stats.t.ppf(0.975, 6) * error
    assert found["high"] - found["low"] == pytest.approx(2 * half)
    p = 2 * stats.t.sf(abs(differences.mean()) / error, 6)
    assert found["p_value"] == pytest.approx(p)
    assert found["high"] - found["low"] > 1.3 * (plain["high"] - plain["low"])
    # what describes the runs stays as it is
    for name in ("difference", "rank_biserial", "superiority", "n"):
        assert found[name] == plain[name]


def test_equal_splits_have_no_difference_and_constant_ones_a_sure_one():
    assert compare_pair(FIRST, FIRST, test_share=0.3)["p_value"] == 1
    assert compare_pair(FIRST + 1, FIRST, test_share=0.3)["p_value"] == 0


def test_pairs_hand_the_share_on():
    values = dict(a=FIRST, b=SECOND)
    runs = pd.concat(
        [pd.DataFrame(dict(init=i, seed=range(7), cost=v)) for i, v in values.items()]
    )
    found = compare_pairs(runs, "cost", by=(), test_share=0.25)
    one = compare_pair(FIRST, SECOND, test_share=0.25)
    assert found.p_value[0] == pytest.approx(one["p_value"])


@pytest.mark.parametrize("share", [0, 1, 1.5, -0.1, np.nan, "1/3", True])
def test_what_is_no_share_of_the_rows(share):
    with pytest.raises(ValueError, match="test_share must be"):
        compare_pair(FIRST, SECOND, test_share=share)
