"Plain forms for the tests of relatives."

from fractions import Fraction
from math import prod


def plain_memberships(distances, alpha):
    "The memberships of one row, from its dissimilarities to the modes."
    if min(distances) == 0:
        return [Fraction(l == distances.index(0)) for l in range(len(distances))]
    return [
        1 / sum((Fraction(d) / h) ** (1 / Fraction(alpha - 1)) for h in distances)
        for d in distances
    ]


def plain_fuzzy_mode(X, powers):
    """The heaviest category in each column, the lowest on ties; `powers` are the
    memberships to the power alpha.
    """
    totals = [
        {c: sum(w for x, w in zip(column, powers) if x == c) for c in column}
        for column in zip(*X)
    ]
    return [min(total, key=lambda c: (-total[c], c)) for total in totals]


def plain_parameters(X, memberships):
    """Prevalences, and for each class and attribute the share of each category, from
    memberships.
    """
    sizes = [sum(w[l] for w in memberships) for l in range(len(memberships[0]))]

    def share(l, j, c):
        return sum(w[l] for x, w in zip(X, memberships) if x[j] == c) / sizes[l]

    shares = [
        [
            {c: share(l, j, c) for c in sorted(set(column))}
            for j, column in enumerate(zip(*X))
        ]
        for l in range(len(sizes))
    ]
    return [size / Fraction(len(X)) for size in sizes], shares


def plain_class_memberships(x, prevalences, shares):
    "The memberships of a row by Bayes' rule, and the probability of the row."
    joint = [
        p * prod(attribute[c] for attribute, c in zip(own, x))
        for p, own in zip(prevalences, shares)
    ]
    return [p / sum(joint) for p in joint], sum(joint)


PLAIN_LINKS = dict(
    single=min, complete=max, average=lambda distances: sum(distances) / len(distances)
)


def plain_tree(D, method):
    """The joints of a tree, as pairs of clusters (tuples of rows) and a height, from a
    table `D` of distances.
    """
    clusters = [(i,) for i in range(len(D))]
    joints = []
    while len(clusters) > 1:

        def link(pair):
            return PLAIN_LINKS[method]([D[x][y] for x in pair[0] for y in pair[1]])

        one, other = min(
            ((a, b) for i, b in enumerate(clusters) for a in clusters[:i]), key=link
        )
        joints.append((one, other, link((one, other))))
        clusters = [c for c in clusters if c not in (one, other)] + [one + other]
    return joints


def plain_jaccard(x, y):
    "The share of the items of two sets that they have in common."
    return len(x & y) / len(x | y)


def plain_neighbours(sets, theta):
    "For each set the positions of the others that are similar enough."

    def near(i, j):
        return (
            i != j and sets[i] and sets[j] and plain_jaccard(sets[i], sets[j]) >= theta
        )

    return [{j for j in range(len(sets)) if near(i, j)} for i in range(len(sets))]


def plain_links(neighbours):
    "The number of common neighbours of each pair."
    n = len(neighbours)
    return [
        [0 if i == j else len(neighbours[i] & neighbours[j]) for j in range(n)]
        for i in range(n)
    ]


def plain_exponent(theta):
    return 1 + 2 * (1 - theta) / (1 + theta)


def plain_goodness(a, b, link, theta):
    "The links between two clusters, compared with what is expected."
    e = plain_exponent(theta)
    between = sum(link[x][y] for x in a for y in b)
    return between and between / ((len(a) + len(b)) ** e - (len(a) ** e + len(b) ** e))


def plain_rock(link, n_clusters, theta):
    "The clusters of rows that have links, in the order of their lowest rows."
    clusters = [[i] for i, row in enumerate(link) if any(row)]
    while len(clusters) > n_clusters:
        pairs = [(a, b) for i, a in enumerate(clusters) for b in clusters[i + 1 :]]
        # the first on ties
        best = max(pairs, key=lambda pair: plain_goodness(*pair, link, theta))
        if not plain_goodness(*best, link, theta):
            break
        clusters = sorted(
            [c for c in clusters if c not in best] + [sorted(best[0] + best[1])]
        )
    return clusters
