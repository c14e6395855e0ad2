"Bounds and optima by trying everything."

from itertools import product


def plain_value(X, weights, prices, z):
    "What the mode `z` earns."
    return sum(
        w * max(0, price - sum(a != b for a, b in zip(x, z)))
        for x, w, price in zip(X, weights, prices)
    )


def plain_bound(X, weights, prices, k):
    "What no clustering with at most `k` clusters is cheaper than."
    modes = product(*[sorted(set(column)) for column in zip(*X)])
    paid = sum(w * price for w, price in zip(weights, prices))
    return paid - k * max(plain_value(X, weights, prices, z) for z in modes)


def plain_partitions(n, k):
    "All ways to part n rows into k clusters, numbered by their first rows."
    for labels in product(range(k), repeat=n):
        if list(dict.fromkeys(labels)) == list(range(k)):
            yield labels


def plain_cost(X, labels):
    "How many values differ from the most frequent one of their cluster."
    columns = [
        [x[j] for x, l in zip(X, labels) if l == own]
        for own in set(labels)
        for j in range(len(X[0]))
    ]
    return sum(len(column) - max(map(column.count, column)) for column in columns)


def cheapest(X, weights, k):
    "The least cost and all partitions that have it; a row of weight 2 is two rows."
    rows = [row for row, w in zip(X, weights) for _ in range(w)]
    costs = {}
    for labels in plain_partitions(len(X), k):
        repeated = [label for label, w in zip(labels, weights) for _ in range(w)]
        costs[labels] = plain_cost(rows, repeated)
    least = min(costs.values())
    return least, [list(labels) for labels, cost in costs.items() if cost == least]
