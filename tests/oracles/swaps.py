"""Swap search in plain Python with weights, gaps and given draws, and the optimum of
small tables by trying all labellings: what `swap_search` must equal.
"""

from itertools import product

from oracles.transfers import plain_objective, plain_otqt


def plain_distances(x, modes):
    "In how many of its values a row differs from each of the modes."
    return [sum(a not in (None, b) for a, b in zip(x, z)) for z in modes]


def plain_costs(X, modes, weights):
    "What each row costs with its nearest mode."
    return [w * min(plain_distances(x, modes)) for x, w in zip(X, weights)]


def plain_descent(X, modes, weights):
    "The modes after the cell moves that save most, each tried, until none saves."
    while True:
        moved = [
            [*modes[:l], [*z[:j], value, *z[j + 1 :]], *modes[l + 1 :]]
            for l, z in enumerate(modes)
            for j, column in enumerate(zip(*X))
            for value in sorted({*column} - {None})
        ]
        best = min(moved, key=lambda new: sum(plain_costs(X, new, weights)))
        if sum(plain_costs(X, best, weights)) >= sum(plain_costs(X, modes, weights)):
            return modes
        modes = best


def plain_losses(X, modes, weights, row):
    """What the rows of each mode would cost more without it, if `row` were a mode, and
    what others would save.
    """
    losses, gain = [0] * len(modes), 0
    for x, w in zip(X, weights):
        distances = plain_distances(x, modes)
        cost, distance = min(distances), *plain_distances(x, [row])
        own = distances.index(cost)
        if distance < cost:
            gain += w * (cost - distance)
        else:
            del distances[own]
            losses[own] += w * (min([distance, *distances]) - cost)
    return losses, gain


def plain_row(X, modes, weights, u):
    "The row that the number `u` draws, by what each costs; gaps from its nearest mode."
    costs = plain_costs(X, modes, weights)
    r = next(i for i in range(len(X)) if sum(costs[: i + 1]) > u * sum(costs))
    distances = plain_distances(X[r], modes)
    host = modes[distances.index(min(distances))]
    return [old if value is None else value for value, old in zip(X[r], host)]


def plain_best_swap(X, modes, weights, draws):
    """The mode that is missed least and the row that takes its place, of all rows drawn
    the first that promises most.
    """
    best = None
    for u in draws:
        row = plain_row(X, modes, weights, u)
        losses, gain = plain_losses(X, modes, weights, row)
        if best is None or gain - min(losses) > best[0]:
            best = gain - min(losses), losses.index(min(losses)), row
    return best[1:]


def plain_swap_search(X, modes, draws, weights, least=False):
    "Labels, and the cost before the swaps and after each."
    modes = plain_descent(X, modes, weights)
    costs = [sum(plain_costs(X, modes, weights))]
    for t, (place, *us) in enumerate(draws):
        if not costs[-1]:
            break
        l = int(place * len(modes))
        row = plain_row(X, modes, weights, us[0])
        if t % 2:
            coins = us[1 : len(row) + 1]
            row = [a if u < 0.5 else b for a, b, u in zip(row, modes[l], coins)]
        elif least:
            l, row = plain_best_swap(X, modes, weights, us[: l + 1])
        new = plain_descent(X, [*modes[:l], row, *modes[l + 1 :]], weights)
        cost = sum(plain_costs(X, new, weights))
        if cost <= costs[-1]:
            modes = new
        costs.append(min(cost, costs[-1]))
    found = plain_otqt(X, modes, weights)
    return found.labels, [*costs[:-1], found.cost]


def plain_optimum(X, k):
    "The least cost of all clusterings of few rows."
    labellings = (
        labels
        for labels in product(range(k), repeat=len(X))
        if labels[0] == 0 and max(labels[:2]) <= 1
    )
    return min(plain_objective(X, labels, [1] * len(X)) for labels in labellings)
