"""k-modes in plain Python with weights, missing values (None), a limit of passes and the
costs on the way: what `lloyd` and `huang` must equal.
"""

from collections import namedtuple
from fractions import Fraction

from oracles.modes import plain_assign, plain_heaviest, plain_mode, plain_totals

PlainResult = namedtuple(
    "PlainResult", "labels modes cost n_iter epoch_costs converged"
)


def plain_modes(X, labels, weights, k):
    "The mode of each cluster, None for an empty one."
    clusters = [[i for i, own in enumerate(labels) if own == l] for l in range(k)]
    return [
        plain_mode([X[i] for i in rows], [weights[i] for i in rows]) if rows else None
        for rows in clusters
    ]


def plain_score(X, modes, weights):
    "The nearest mode of each point, and the cost."
    labels, distances = plain_assign(X, modes)
    return labels, sum(w * d for w, d in zip(weights, distances))


def plain_mismatches(x, z):
    "In how many attributes `x` has a value and it is not that of `z`."
    return sum(a not in (None, b) for a, b in zip(x, z))


def plain_fill(X, labels, weights, modes):
    """Labels and modes after the farthest points, and those equal to them, have filled
    the empty clusters (mode None).
    """
    while None in modes:
        far = [
            Fraction(plain_mismatches(x, modes[l]), len(x) - x.count(None))
            for x, l in zip(X, labels)
        ]
        if max(far) == 0:
            return plain_drop(X, labels, modes)
        x = X[far.index(max(far))]
        left = labels[far.index(max(far))]
        empty = modes.index(None)
        labels = [
            empty if other == x and l == left else l for other, l in zip(X, labels)
        ]
        modes = plain_modes(X, labels, weights, len(modes))
    return labels, modes


def plain_drop(X, labels, modes):
    """Labels and modes without the empty clusters, where all rows agree with their
    modes.
    """
    if not any(None in x for x in X):
        raise ValueError(
            f"X must have as many distinct rows as there are modes, {len(modes)}, got "
            f"{len(set(labels))}"
        )
    used = sorted(set(labels))
    return [used.index(l) for l in labels], [modes[l] for l in used]


def plain_passes(X, labels, weights, k, max_iter):
    "Batch passes that begin with given labels."
    epoch_costs, converged = [], False
    while True:
        labels, modes = plain_fill(
            X, labels, weights, plain_modes(X, labels, weights, k)
        )
        k, stopped = len(modes), len(epoch_costs) > max_iter
        if stopped or converged:
            break
        nearest, total = plain_score(X, modes, weights)
        epoch_costs.append(total)
        converged, labels = len(epoch_costs) > 1 and nearest == labels, nearest
    own = sum(w * plain_mismatches(x, modes[l]) for x, w, l in zip(X, weights, labels))
    return PlainResult(labels, modes, own, len(epoch_costs) - 1, epoch_costs, converged)


def plain_lloyd(X, modes, weights=None, max_iter=100) -> PlainResult:
    """Batch k-modes in plain Python: all points are assigned, then all modes are set,
    until no label changes.

    Parameters
    ----------
    X
        rows of codes: lists, in which None is a missing value
    modes
        initial modes: lists without None
    weights : default=None
        how much each row counts, above 0; None for once
    max_iter : default=100
        largest number of passes after the first assignment and update

    Returns
    -------
    PlainResult
        lists in place of arrays
    """
    return plain_passes(
        X, plain_assign(X, modes)[0], weights or [1] * len(X), len(modes), max_iter
    )


def plain_move(X, labels, modes, weights, i, to):
    "Point `i` goes to cluster `to`, and the two modes follow."
    source, labels[i] = labels[i], to
    for j, value in enumerate(X[i]):
        if value is None:
            continue
        members = [
            [h for h, own in enumerate(labels) if own == l] for l in (source, to)
        ]
        gives, takes = (
            plain_totals([X[h][j] for h in rows], [weights[h] for h in rows])
            for rows in members
        )
        if takes[value] > takes[modes[to][j]]:
            modes[to][j] = value
        if modes[source][j] == value:
            modes[source][j] = plain_heaviest(gives)


def plain_repair(X, labels, modes, weights, empty, random_state):
    """A random point of the heaviest cluster that has several, the first of them on
    ties, goes to the empty cluster.
    """
    members = [
        [i for i, own in enumerate(labels) if own == l] for l in range(len(modes))
    ]
    sizes = [sum(weights[i] for i in rows) if len(rows) > 1 else -1 for rows in members]
    largest = members[sizes.index(max(sizes))]
    plain_move(
        X, labels, modes, weights, largest[random_state.randint(0, len(largest))], empty
    )


def plain_pass(X, labels, modes, weights, random_state):
    "One pass over the points; the number of points that moved to a nearer mode."
    moves = 0
    for i, x in enumerate(X):
        source, (to,) = labels[i], plain_assign([x], modes)[0]
        if to == source:
            continue
        plain_move(X, labels, modes, weights, i, to)
        moves += 1
        if source not in labels:
            plain_repair(X, labels, modes, weights, source, random_state)
    return moves


def plain_draw(X, random_state):
    """A mode of random values, one from each column, of those that are not missing; 0
    where all are.
    """
    columns = [[value for value in column if value is not None] for column in zip(*X)]
    return [
        column[random_state.randint(0, len(column))] if column else 0
        for column in columns
    ]


def plain_huang(X, modes, weights=None, max_iter=100, random_state=None):
    """k-modes as the paper ran it, in plain Python: a point moves at once to its
    nearest mode, and both modes follow.

    Parameters
    ----------
    X
        rows of codes: lists, in which None is a missing value
    modes
        initial modes: lists without None
    weights : default=None
        how much each row counts, above 0; None for once
    max_iter : default=100
        largest number of passes after the first assignment and update
    random_state : default=None
        a `RandomState`; needed only where a cluster is empty

    Returns
    -------
    PlainResult
        lists in place of arrays
    """
    weights = weights or [1] * len(X)
    k = len(modes)
    converged = False
    labels, _ = plain_assign(X, modes)
    modes = [
        mode or plain_draw(X, random_state)
        for mode in plain_modes(X, labels, weights, k)
    ]
    best, total = plain_score(X, modes, weights)
    epoch_costs = [total]
    while len(epoch_costs) <= max_iter and not converged:
        moves = plain_pass(X, labels, modes, weights, random_state)
        nearest, total = plain_score(X, modes, weights)
        if total < epoch_costs[-1]:
            best = nearest
        converged = moves == 0 or total >= epoch_costs[-1]
        epoch_costs.append(total)
    settled = plain_passes(X, best, weights, k, float("inf"))
    return settled._replace(
        n_iter=len(epoch_costs) - 1, epoch_costs=epoch_costs, converged=converged
    )
