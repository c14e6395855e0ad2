"""Numbers at the edge of what is allowed."""

import numpy as np
import pytest

from kmodes_study.core.checks import (
    check_number,
    check_sample_weight,
    check_whole,
)


def test_a_limit_that_must_be_passed_is_no_number_itself():
    assert check_number("max_time", 1e-300, strict=True) == 1e-300
    assert check_number("max_time", 0) == 0
    for bad in 0, np.nan, np.inf, True, "1", None, 10**400:
        with pytest.raises((ValueError, OverflowError), match="max_time|too large"):
            check_number("max_time", bad, strict=True)


@pytest.mark.parametrize("bad", [0, 6, 1.0, True, "2", None, np.float64(2)])
def test_whole_numbers_are_no_others(bad):
    assert check_whole("k", np.int8(5), most=5) == 5
    with pytest.raises(ValueError, match="k must"):
        check_whole("k", bad, most=5)


@pytest.mark.parametrize(
    "weights, m",
    [
        ([-0.5, 1], 1),
        ([np.nan, 1], 1),
        ([1, 2, 3], 1),
        ([[1, 2]], 1),
        (["a", "b"], 1),
        ([2**60, 2**30], 4),
        (np.ma.array([1, 2], mask=[True, False]), 1),
    ],
)
def test_weights_that_give_wrong_sums_are_refused(weights, m):
    assert check_sample_weight([0, 2**59], 2, 4).sum() == 2**59
    with pytest.raises(ValueError, match="sample_weight"):
        check_sample_weight(weights, 2, m)
