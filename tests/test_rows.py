"""A table on its way to an algorithm: what holds after it has been weighed anew, or
some of its rows have been taken.
"""

import numpy as np
import pytest

from kmodes_study.core.rows import Rows

GAP = 2
CODES = np.array([[0, 1], [1, 0], [GAP, 1]], np.uint8)


def test_rows_weighed_anew_fill_their_gaps_anew():
    rows = Rows.of(CODES, [2, 1, 1], [GAP, GAP])
    assert rows.filled[:, 0].tolist() == [0, 1, 0]
    assert rows.weighed(np.array([1, 2, 1])).filled[:, 0].tolist() == [0, 1, 1]


@pytest.mark.parametrize("codes", [CODES, CODES[[0, 1, 1]]], ids=["gap", "no gap"])
def test_complete_rows_where_some_may_be_missing_take_no_start_with_a_gap(codes):
    rows, places = Rows.of(codes, [1, 1, 0], [GAP, GAP]).counted()
    assert places.tolist() == [0, 1]
    assert rows.missing is None
    with pytest.raises(ValueError, match="mode 1 has a missing value"):
        rows.start([[0, 1], [GAP, 1]])


def test_a_start_has_no_more_modes_than_rows_that_count():
    rows = Rows.of(CODES[:2], [1, 0])
    with pytest.raises(ValueError, match="1 points with a weight above 0, got 2"):
        rows.start([[0, 1], [1, 0]])
    assert len(rows.start([[0, 1], [1, 0]], every=True)) == 2


@pytest.mark.parametrize("weights, costs", [(None, [2, 0]), ([2, 3, 5], [5, 0])])
def test_values_that_are_missing_cost_nothing(weights, costs):
    rows = Rows.of(CODES, weights, [GAP, GAP])
    labels = np.array([0, 0, 1])
    modes = np.array([[0, 0], [0, 1]], np.uint8)
    # rows 0 and 1 each differ once, and row 2 only where its value is missing
    assert rows.costs(labels, modes).tolist() == costs


def test_rows_without_columns_have_no_categories():
    rows = Rows(np.empty((3, 0), np.uint8))
    assert rows.columns.shape == (0, 3)
    assert rows.offsets.tolist() == [0]


@pytest.mark.parametrize("modes", [[[300, 0]], [[-1, 0]]])
def test_modes_that_a_byte_cannot_hold_keep_their_type(modes):
    rows = Rows(np.array([[255, 0], [1, 2]], np.uint16))
    assert rows.in_own_type(np.array([[255, 2]])).dtype == np.uint8
    assert rows.in_own_type(np.array(modes)).tolist() == modes
