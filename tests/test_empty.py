"Which rows leave their cluster to fill an empty one, in examples done by hand."

import numpy as np

from kmodes_study.cluster.modes import differ_from_first, leaving_row, leaving_rows

# rows 0 and 3 are equal, and so are rows 1 and 2
CODES = np.array([[0, 1], [2, 2], [2, 2], [0, 1]], np.uint8)
ALL = np.ones(4, bool)


def test_equal_rows_leave_together_but_only_those_of_one_cluster():
    far = np.array([1, 1, 1, 1])
    assert leaving_rows(far, ALL, np.array([0, 0, 1, 0]), CODES).tolist() == [0, 3]
    assert leaving_rows(far, ALL, np.array([0, 0, 1, 1]), CODES).tolist() == [0]


def test_the_first_of_the_farthest_rows_that_may_leave():
    far = np.array([1, 2, 2, 3])
    assert leaving_row(far, ALL) == 3
    assert leaving_row(far, np.array([True, True, True, False])) == 1
    assert leaving_row(far, ~ALL) is None
    assert leaving_rows(far, ~ALL, np.zeros(4, int), CODES).tolist() == []


def test_rows_are_compared_with_the_first_of_their_own_cluster():
    labels = np.array([1, 0, 0, 1])
    assert differ_from_first(CODES, labels).tolist() == [False] * 4
    labels = np.array([1, 0, 1, 0])
    assert differ_from_first(CODES, labels).tolist() == [False, False, True, True]
