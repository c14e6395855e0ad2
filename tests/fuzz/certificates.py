"""Certificates: whole, tampered with, truncated, of another table, unproved; against a
trial of all partitions.
"""

import numpy as np

from kmodes_study.exact.bounds import warm_prices
from kmodes_study.cluster.modes import modes_of
from kmodes_study.exact.optima import (
    Certificate,
    check_certificate,
    optimal_partitions,
    prove_optimum,
)
from kmodes_study.core.codes import encode
from kmodes_study.plain.exact import plain_cost, plain_partitions

from fuzz.spell import ANYTHING
from fuzz.trial import Trial

NAMES = "certificate", "max_work", "most", "sums in 64 bits"
# enough for each certificate of these tables that holds, and an end for the others
WORK = 10**7


def cheapest(X, weights, k):
    "The least cost, and all partitions that have it, in sorted order."
    rows = np.repeat(X, weights, axis=0).tolist()
    costs = {
        labels: plain_cost(rows, np.repeat(labels, weights).tolist())
        for labels in plain_partitions(len(X), k)
    }
    least = min(costs.values())
    return least, sorted(
        list(labels) for labels, cost in costs.items() if cost == least
    )


def drawn_table(rng):
    """A small table with rows that are equal, a weight for each, and a number of
    clusters.
    """
    X = rng.randint(rng.randint(2, 4), size=(rng.randint(1, 7), rng.randint(1, 5)))
    if rng.rand() < 0.4:
        X = X[:3].repeat(2, axis=0)
    weights = (
        rng.randint(1, 4, size=len(X)) if rng.rand() < 0.4 else np.ones(len(X), int)
    )
    return encode(X)[0], weights, rng.randint(1, min(len(np.unique(X, axis=0)), 4) + 1)


def made(X, weights, k, rng):
    """A certificate of an optimal clustering: that of a proof, or with prices of the
    kind with which a proof begins.
    """
    if rng.rand() < 0.15:
        return prove_optimum(X, k, sample_weight=weights, max_time=None).certificate
    labels, scale = cheapest(X, weights, k)[1][0], int(rng.choice([1, 10, 1000, 10**9]))
    modes = modes_of(np.repeat(X, weights, axis=0), np.repeat(labels, weights), k)
    return Certificate(
        modes,
        np.rint(scale * warm_prices(X, modes, rng.rand(), weights)).astype(np.int64),
        scale,
    )


def changed_numbers(array, rng):
    "The array with a few of its numbers changed."
    array = np.array(array)
    places = rng.randint(array.size, size=rng.randint(1, 4))
    array.flat[places] = rng.choice(
        [0, 1, 2, 5, 300, 10**6, 2**40, 2**62, -1], size=len(places)
    )
    return array


def tampered(certificate, rng):
    "A certificate of which one part is another, and what was done."
    part = rng.choice(["modes", "prices", "scale"])
    value = getattr(certificate, part)
    how = rng.choice(["numbers", "shorter", "longer", "swapped", "anything"])
    if how == "anything":
        new = ANYTHING[rng.randint(len(ANYTHING))]
    elif part == "scale":
        new = [0, -1, 1, 2, 10**12, 10**18, 2**70, 1.5, True][rng.randint(9)]
    elif how == "numbers":
        new = changed_numbers(value, rng)
    elif how == "shorter":
        new = value[:-1]
    elif how == "longer":
        new = np.concatenate([value, value[:1]])
    else:
        new = value[rng.permutation(len(value))]
    return certificate._replace(**{part: new}), f"{part} {how}"


def judged_call(X, weights, k, certificate, rng):
    "A call with a certificate, and what checks its result against all partitions."
    options, everything = dict(sample_weight=weights, max_work=WORK), rng.rand() < 0.5

    def run():
        if everything:
            return optimal_partitions(X, certificate, **options)
        return check_certificate(X, certificate, **options)

    def check(found):
        expected = cheapest(X, weights, k)[everything]
        assert (found.tolist() if everything else found) == expected, (
            f"{found}, expected {expected}"
        )

    return run, check


def draw(rng, folder):
    "A trial with a certificate; one that is accepted proves what is true."
    X, weights, k = drawn_table(rng)
    certificate = made(X, weights, k, rng)
    kind = rng.choice(["whole", "tampered", "other", "unproved", "none"])
    words = kind
    if kind == "tampered":
        certificate, words = tampered(certificate, rng)
    if kind == "other":
        X, weights, _ = drawn_table(rng)
    if kind == "unproved":
        hurried = prove_optimum(
            X, k, sample_weight=weights, max_time=None, max_work=1
        ).certificate
        certificate = hurried._replace(
            modes=np.array([column[rng.randint(len(X), size=k)] for column in X.T]).T
        )
    if kind == "none":
        others = [*ANYTHING, tuple(certificate), certificate._asdict()]
        certificate = others[rng.randint(len(others))]
    try:
        k = len(certificate.modes)
    except (AttributeError, TypeError):
        pass
    run, check = judged_call(X, weights, k, certificate, rng)
    return Trial(
        f"{words}, {len(X)} rows",
        run,
        check,
        NAMES,
        refused=kind == "none",
        good=kind == "whole",
        errors=(ValueError, TypeError, RuntimeError),
    )
