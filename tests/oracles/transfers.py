"""Transfers in plain Python with weights and missing values (None): what `otqt` must
equal.
"""

from collections import Counter
from fractions import Fraction

from oracles.modes import plain_assign, plain_totals

from oracles.kmodes import PlainResult, plain_modes


def plain_counts(X, labels, weights, l):
    "How often each category occurs in cluster `l`: for each attribute a counter."
    members = [i for i, own in enumerate(labels) if own == l]
    return [
        plain_totals([X[i][j] for i in members], [weights[i] for i in members])
        for j in range(len(X[0]))
    ]


def plain_objective(X, labels, weights):
    """The cost of the best modes for `labels`: all values but those of a most frequent
    category.
    """
    counts = [
        count for l in set(labels) for count in plain_counts(X, labels, weights, l)
    ]
    return sum(sum(count.values()) - max(count.values(), default=0) for count in counts)


def plain_modal(X, labels, weights, l):
    "The modal categories of each attribute in cluster `l`: for each attribute a set."
    return [
        {c for c in count if count[c] == max(count.values())}
        for count in plain_counts(X, labels, weights, l)
    ]


def plain_saving(X, labels, weights, i):
    "By how much the cost falls when (one copy of) point `i` leaves its cluster: R."
    modal = plain_modal(X, labels, weights, labels[i])
    return sum(
        value is not None and best != {value} for value, best in zip(X[i], modal)
    )


def plain_expense(X, labels, weights, i, l):
    "By how much the cost rises when (one copy of) point `i` joins cluster `l`: A."
    # empty where no point of the cluster has a value: joining is free
    modal = plain_modal(X, labels, weights, l)
    return sum(
        value is not None and len(best) > 0 and value not in best
        for value, best in zip(X[i], modal)
    )


def plain_transfers(X, labels, weights, k, max_iter=100):
    """Labels after passes in which points move to where the cost is lowest; the costs;
    whether no move is left.
    """
    labels = list(labels)
    costs = [plain_objective(X, labels, weights)]
    done = False
    while not done and len(costs) <= max_iter:
        done = True
        for i, x in enumerate(X):
            others = [l for l in range(k) if l != labels[i]]
            expenses = [plain_expense(X, labels, weights, i, l) for l in others]
            if min(expenses, default=len(x)) < plain_saving(X, labels, weights, i):
                labels[i], done = others[expenses.index(min(expenses))], False
        costs.append(plain_objective(X, labels, weights))
    return labels, costs, done


def plain_first_pass(X, modes, weights):
    """Labels after one pass in which each point joins the cluster with the lowest
    expense, and modes follow at once.
    """
    counts, labels = [[Counter({code: 0.5}) for code in mode] for mode in modes], []
    for x, weight in zip(X, weights):
        expenses = [
            sum(count[code] < max(count.values()) for code, count in zip(x, own))
            for own in counts
        ]
        labels.append(expenses.index(min(expenses)))
        for code, count in zip(x, counts[labels[-1]]):
            if code is not None:
                count[code] += weight
    return labels


def plain_founders(X, labels, weights):
    "The points that found an empty cluster."
    shares = [
        Fraction(plain_saving(X, labels, weights, i), len(x) - x.count(None))
        for i, x in enumerate(X)
    ]
    differs = [x != X[labels.index(own)] for x, own in zip(X, labels)]
    if not any(shares) and not any(differs):
        return [[labels.count(own) > 1 for own in labels].index(True)]
    i = shares.index(max(shares)) if any(shares) else differs.index(True)
    return [h for h, x in enumerate(X) if x == X[i] and labels[h] == labels[i]]


def plain_found(X, labels, weights, k):
    "The labels after each empty cluster has got its founders."
    labels = list(labels)
    for l in sorted(set(range(k)) - set(labels)):
        for i in plain_founders(X, labels, weights):
            labels[i] = l
    return labels


def plain_otqt(
    X, modes, weights=None, max_iter=100, first_pass="follow"
) -> PlainResult:
    """OTQT in plain Python: each row moves to where the cost is lowest.

    Parameters
    ----------
    X
        rows of codes: lists, in which None is a missing value
    modes
        initial modes: lists without None
    weights : default=None
        how much each row counts, whole numbers above 0; None for once
    max_iter : default=100
        largest number of transfer passes
    first_pass : default="follow"
        "follow": modes follow each row of the first pass; "assign": they wait until it
        is over

    Returns
    -------
    PlainResult
        lists in place of arrays
    """
    weights, k = weights or [1] * len(X), len(modes)
    nearest, distances = plain_assign(X, modes)
    labels = plain_first_pass(X, modes, weights) if first_pass == "follow" else nearest
    labels, costs, done = plain_transfers(
        X, plain_found(X, labels, weights, k), weights, k, max_iter
    )
    if first_pass == "follow" and costs[-1] > sum(
        w * d for w, d in zip(weights, distances)
    ):
        return plain_otqt(X, modes, weights, max_iter, "assign")
    return PlainResult(
        labels,
        plain_modes(X, labels, weights, k),
        costs[-1],
        len(costs) - 1,
        costs,
        done,
    )
