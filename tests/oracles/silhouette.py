"Plain forms for the tests of silhouette."

from itertools import combinations
import numpy as np


def plain_pair_sum(D, one, other):
    """The sum over the pairs between two clusters, or within one: lists of rows of the
    table `D`.
    """
    if one == other:
        return sum(D[x][y] for x, y in combinations(one, 2))
    return sum(D[x][y] for x in one for y in other)


def plain_partial_silhouette(rows, labels):
    """The silhouette coefficients of a list of rows in which None is a missing value,
    by the definition.
    """

    def d(x, y):
        common = [(p, q) for p, q in zip(x, y) if p is not None and q is not None]
        return len(x) * sum(p != q for p, q in common) / len(common) if common else None

    def average(i, points):
        found = [d(rows[i], rows[p]) for p in points]
        found = [x for x in found if x is not None]
        return sum(found) / len(found) if found else None

    result = []
    clusters = {
        l: [p for p, label in enumerate(labels) if label == l] for l in set(labels)
    }
    for i, own in enumerate(labels):
        a = average(i, [p for p in clusters[own] if p != i])
        averages = [average(i, points) for l, points in clusters.items() if l != own]
        b = min((x for x in averages if x is not None), default=None)
        result.append(0.0 if None in (a, b) or a == b == 0 else (b - a) / max(a, b))
    return np.array(result)


def plain_draft_silhouette(D, labels):
    """The draft's coefficients from a table of all dissimilarities, as written; NaN
    where a and b are 0.
    """
    result = []
    for row, own in zip(D, labels):
        average = {l: row[labels == l].mean() for l in set(labels.tolist())}
        a, b = average.pop(own), min(average.values())
        result.append((a - b) / max(a, b) if max(a, b) else np.nan)
    return np.array(result)
