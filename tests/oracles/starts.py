"Plain forms for the tests of starts."

from kmodes_study.plain.kmodes import lloyd as plain_lloyd
from kmodes_study.plain.modes import cost
from oracles.modes import plain_mode


def plain_different_modes(X, modes):
    "The modes, each that came before replaced by the nearest row that is no mode."
    modes = [list(z) for z in modes]
    for l, z in enumerate(modes):
        if z in modes[:l]:
            free = [list(x) for x in X if list(x) not in modes]
            modes[l] = min(free, key=lambda x: sum(a != b for a, b in zip(x, z)))
    return modes


def plain_random_partition(X, n_clusters, random_state):
    "The mode of each part, where each row is put into one of them at random."
    parts = [[] for _ in range(n_clusters)]
    for x, number in zip(X, random_state.randint(n_clusters, size=len(X))):
        parts[number].append(x)
    modes = []
    for part in parts:
        rows = part if part else X
        modes.append(plain_mode(rows, [1] * len(rows)))
    return modes


def plain_refined(samples, starts):
    "The modes of modes of least cost over the modes of all samples."
    found = [plain_lloyd(X, modes)[1] for X, modes in zip(samples, starts)]
    union = [mode for modes in found for mode in modes]
    runs = [plain_lloyd(union, modes) for modes in found]
    return min(runs, key=lambda run: cost(union, *run))[1]


def plain_costs(X):
    "The mismatches of some rows with their mode."
    return sum(len(column) - max(column.count(c) for c in column) for column in zip(*X))


def plain_best_cut(X):
    """The two parts of some rows whose costs have the least sum; the first row is in
    the first part.
    """

    def parts(number):
        return [
            [x for i, x in enumerate(X) if (number >> i & 1) == side] for side in (0, 1)
        ]

    cuts = [parts(number) for number in range(2, 2 ** len(X), 2)]
    return min(cuts, key=lambda cut: plain_costs(cut[0]) + plain_costs(cut[1]))


def plain_bisection(X, k):
    "k clusters as lists of rows: the costliest is cut, again and again."
    clusters = [list(X)]
    while len(clusters) < k:
        worst = max(range(len(clusters)), key=lambda l: plain_costs(clusters[l]))
        clusters[worst], new = plain_best_cut(clusters[worst])
        clusters.append(new)
    return clusters


def plain_strings(X, k):
    "For each row its labels in the clusterings of the prominent attributes."
    columns = list(zip(*X))
    prominent = [
        j for j, column in enumerate(columns) if 1 < len(set(column)) <= k
    ] or range(len(columns))
    clusterings = []
    for j in prominent:
        parts = [[x for x in X if x[j] == c] for c in sorted(set(columns[j]))]
        modes = [plain_mode(part, [1] * len(part)) for part in parts]
        clusterings.append(plain_lloyd(X, modes)[0])
    return list(zip(*clusterings))


def plain_nearest(X, chosen):
    "The dissimilarity of each row to the nearest of the chosen ones."
    return [min(sum(a != b for a, b in zip(x, X[i])) for i in chosen) for x in X]


def plain_farthest(X, k, first):
    """The positions of k rows from a given first one, each the farthest from those
    before it.
    """
    chosen = [first]
    while len(chosen) < k:
        D = plain_nearest(X, chosen)
        chosen.append(D.index(max(D)))
    return chosen


def plain_chances(X, chosen, weights):
    "The probability of each row to be drawn next by k-modes++."
    shares = [w * d for w, d in zip(weights, plain_nearest(X, chosen))]
    return [share / sum(shares) for share in shares]
