"""Swap search in plain Python with weights and given draws, and the optimum of small
tables by trying all labellings: what `swap_search` must equal.
"""

from itertools import product

from oracles.kmodes import plain_modes
from oracles.transfers import plain_objective, plain_otqt, plain_transfers


def plain_swap(X, labels, weights, k, l, r, taken):
    """Labels after mode `l` has got the values of row `r` that are `taken`, or None
    where a cluster is empty.
    """
    old = plain_modes(X, labels, weights, k)
    row = [
        old[labels[r]][j] if value is None else value for j, value in enumerate(X[r])
    ]
    modes = [list(mode) for mode in old]
    new = []
    modes[l] = [
        value if take else kept for value, take, kept in zip(row, taken, old[l])
    ]

    def distance(x, z):
        return sum(a not in (None, b) for a, b in zip(x, z))

    for x, own in zip(X, labels):
        distances = [distance(x, z) for z in modes]
        if own == l:
            new.append(distances.index(min(distances)))
        else:
            new.append(l if distances[l] < distance(x, old[own]) else own)
    return new if len(set(new)) == k else None


def plain_losses(X, labels, weights, k, row):
    """What the rows of each cluster would cost more without it, if `row` were a mode,
    and what others would save.
    """

    def weight(l, j, value):
        return sum(
            w for x, own, w in zip(X, labels, weights) if (own, x[j]) == (l, value)
        )

    attributes = range(len(row))
    values = [set(column) - {None} for column in zip(*X)]
    tops = [
        [max(weight(l, j, value) for value in values[j]) for j in attributes]
        for l in range(k)
    ]
    modes = plain_modes(X, labels, weights, k)
    losses = [0] * k
    gain = 0
    for x, own, w in zip(X, labels, weights):
        cost, distance = (
            sum(x[j] not in (None, z[j]) for j in attributes) for z in (modes[own], row)
        )
        others = [
            sum(
                x[j] is not None and weight(l, j, x[j]) < tops[l][j] for j in attributes
            )
            for l in range(k)
            if l != own
        ]
        if distance >= cost:
            losses[own] += w * (min([distance, *others]) - cost)
        else:
            gain += w * (cost - distance)
    return losses, gain


def plain_row(X, labels, weights, k, u):
    "The row that the number `u` draws, by what each row costs; None if the cost is 0."
    modes = plain_modes(X, labels, weights, k)
    total = 0
    costs = [
        w * sum(a not in (None, b) for a, b in zip(x, modes[l]))
        for x, l, w in zip(X, labels, weights)
    ]
    for i, cost in enumerate(costs):
        total += cost
        if total > u * sum(costs):
            return i


def plain_best_swap(X, labels, weights, k, draws):
    """The mode that is missed least and the row that takes its place, of all rows drawn
    the first that promises most.
    """
    modes = plain_modes(X, labels, weights, k)
    best = None
    for u in draws:
        r = plain_row(X, labels, weights, k, u)
        row = [
            old if value is None else value
            for value, old in zip(X[r], modes[labels[r]])
        ]
        losses, gain = plain_losses(X, labels, weights, k, row)
        if best is None or gain - min(losses) > best[0]:
            best = gain - min(losses), losses.index(min(losses)), r
    return best[1:]


def plain_swap_search(X, modes, draws, weights=None, least=False):
    "Labels and the cost after each of the swaps."
    weights = weights or [1] * len(X)
    k = len(modes)
    found = plain_otqt(X, modes, weights)
    labels, costs = found.labels, [found.cost]
    for t, (cluster, *us) in enumerate(draws):
        l = int(cluster * k)
        r = plain_row(X, labels, weights, k, us[0])
        coins = us[1 : len(X[0]) + 1]
        if r is None:
            break
        if least and t % 2 == 0:
            l, r = plain_best_swap(X, labels, weights, k, us[: l + 1])
        tried = plain_swap(
            X, labels, weights, k, l, r, [t % 2 == 0 or coin < 0.5 for coin in coins]
        )
        if tried:
            tried, objectives, _ = plain_transfers(X, tried, weights, k)
        if tried and objectives[-1] <= costs[-1]:
            labels = tried
        costs.append(
            objectives[-1] if tried and objectives[-1] <= costs[-1] else costs[-1]
        )
    return labels, costs


def plain_optimum(X, k):
    "The least cost of all clusterings of few rows."
    labellings = (
        labels
        for labels in product(range(k), repeat=len(X))
        if labels[0] == 0 and max(labels[:2]) <= 1
    )
    return min(plain_objective(X, labels, [1] * len(X)) for labels in labellings)
