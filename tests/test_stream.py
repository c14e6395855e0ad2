"Counts of rows that come in batches."

import numpy as np

from kmodes_study.cluster.stream import StreamCounts, absorb


def test_the_counts_that_were_given_stay_as_they_are():
    empty = StreamCounts(np.zeros((2, 4), np.int64), (2, 2))
    modes = np.array([[0, 0], [1, 1]])
    batch = [[0, 1], [1, 1]]
    for _ in range(2):
        counted, found, labels = absorb(empty, modes, batch)
        assert counted.counts.tolist() == [[1, 0, 0, 1], [0, 1, 0, 1]]
        assert found.tolist() == [[0, 1], [1, 1]]
        assert labels.tolist() == [0, 1]
    assert not empty.counts.any()
