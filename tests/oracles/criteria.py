"Plain forms for the tests of criteria."

from math import exp, log2

from math import comb, sqrt
import numpy as np


def plain_hopkins(X, places, chosen):
    "H from given places and given numbers of rows, by looking at all distances."
    distance = lambda a, b: sum((s - t) ** 2 for s, t in zip(a, b)) ** 0.5
    u = [min(distance(y, x) for x in X) for y in places]
    w = [min(distance(X[i], x) for h, x in enumerate(X) if h != i) for i in chosen]
    power = len(X[0])
    return sum(d**power for d in u) / sum(d**power for d in u + w)


def plain_categorical_hopkins(X, places, chosen):
    "H from given places and rows; both distances leave out the chosen row."

    def nearest(row, i):
        return min(
            sum(a != b for a, b in zip(row, x)) for h, x in enumerate(X) if h != i
        )

    u = [nearest(y, i) for y, i in zip(places, chosen)]
    w = [nearest(X[i], i) for i in chosen]
    return sum(u) / sum(u + w)


def plain_histograms(X, labels):
    "The numbers of pairs at each distance, within clusters and between them."
    n = len(X)
    m = len(X[0])
    within, between = [0] * (m + 1), [0] * (m + 1)
    for p in range(n):
        for q in range(p):
            d = sum(a != b for a, b in zip(X[p], X[q]))
            (within if labels[p] == labels[q] else between)[d] += 1
    return within, between


def plain_indices(X, labels):
    "The seven indices from the lists of all distances."
    pairs = [(p, q) for p in range(len(X)) for q in range(p)]
    distance = {(p, q): sum(a != b for a, b in zip(X[p], X[q])) for p, q in pairs}
    w = [distance[p, q] for p, q in pairs if labels[p] == labels[q]]
    b = [distance[p, q] for p, q in pairs if labels[p] != labels[q]]
    plus = sum(d < e for d in w for e in b)
    minus = sum(d > e for d in w for e in b)
    both = sorted(w + b)
    n = len(pairs)
    least = sum(both[: len(w)])
    most = sum(both[n - len(w) :])
    t = comb(len(w), 2) + comb(len(b), 2)
    gap = np.mean(b) - np.mean(w)
    return [
        (sum(w) - least) / (most - least),
        min(b) / max(w),
        (plus - minus) / (plus + minus),
        2 * minus / (n * (n - 1)),
        np.mean(w) / np.mean(b),
        gap * sqrt(len(w) * len(b) / n**2) / np.std(both, ddof=1),
        (plus - minus) / sqrt((comb(n, 2) - t) * comb(n, 2)),
    ]


def plain_probability(x, z, penalty, levels):
    "The probability of the row x in a cluster with mode z."
    p = 1.0
    for a, b, c in zip(x, z, levels):
        if a is not None:
            p *= (exp(-penalty) if a != b else 1) / (1 + (c - 1) * exp(-penalty))
    return p


def plain_code_length(X, labels, modes, levels):
    "Bits of the whole message; `modes[l]` is the mode of the cluster l."
    n = len(X)
    k = len(modes)

    def rows(penalty):
        return -sum(
            log2(plain_probability(x, modes[l], penalty, levels))
            for x, l in zip(X, labels)
        )

    shortest = min(rows(penalty / 500) for penalty in range(8000))
    memberships = -sum(log2(labels.count(l) / n) for l in labels)
    return shortest + memberships + k * sum(log2(c) for c in levels) + k / 2 * log2(n)


def plain_strength(labels, predicted):
    """The smallest share, over the clusters, of pairs that the other half's modes put
    together.
    """
    shares = []
    for l in set(labels):
        rows = [i for i, own in enumerate(labels) if own == l]
        pairs = [(i, h) for i in rows for h in rows if h < i]
        shares.append(
            sum(predicted[i] == predicted[h] for i, h in pairs) / len(pairs)
            if pairs
            else 0
        )
    return min(shares)


def plain_jaccards(labels, found):
    """For each cluster the best Jaccard coefficient with another clustering of the same
    rows.
    """
    sets = lambda labels: [
        {i for i, own in enumerate(labels) if own == l} for l in sorted(set(labels))
    ]
    return [max(len(a & b) / len(a | b) for b in sets(found)) for a in sets(labels)]
