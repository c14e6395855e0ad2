"Plain forms for the tests of modes."

from kmodes_study.plain.modes import mode

from collections import Counter


def plain_totals(column, weights):
    "The weight of each category in a column; None counts for nothing."
    totals = Counter()
    for category, weight in zip(column, weights):
        if category is not None:
            totals[category] += weight
    return totals


def plain_heaviest(totals):
    "The category of greatest weight, the lowest on ties; 0 where there is none."
    return min(totals, key=lambda c: (-totals[c], c), default=0)


def plain_mode(X, weights):
    "The heaviest category of each column."
    return [plain_heaviest(plain_totals(column, weights)) for column in zip(*X)]


def plain_assign(X, modes):
    """The number of each row's nearest mode, the lowest on ties, and the dissimilarity
    to it; None differs from nothing.
    """
    distances = [
        [sum(a not in (None, b) for a, b in zip(x, z)) for z in modes] for x in X
    ]
    return [row.index(min(row)) for row in distances], [min(row) for row in distances]


def plain_median(column):
    "The lower median of places."
    return sorted(column)[(len(column) - 1) // 2]


def plain_centre(cluster, sizes):
    "The centre of a cluster: medians where a column is a scale, else modes."
    return tuple(
        heaviest if size is None else plain_median(column)
        for heaviest, column, size in zip(mode(cluster), zip(*cluster), sizes)
    )
