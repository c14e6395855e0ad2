"Plain forms for the tests of contingency."

from itertools import permutations

import numpy as np

from kmodes_study.plain.pair_counting import contingency_table


def plain_occe(labels_true, labels_pred):
    "The smallest share of errors over all one-to-one namings of the clusters."
    table = np.array(contingency_table(labels_true, labels_pred))
    size = max(table.shape)
    square = np.zeros((size, size), int)
    square[: table.shape[0], : table.shape[1]] = table
    most = max(
        sum(square[row, column] for column, row in enumerate(rows))
        for rows in permutations(range(size))
    )
    return 1 - most / table.sum()
