"""Writes `cases.json`: 500 small cases with their answers, for programs of others.

The plain forms of the book give the answers; the fast package has no part in it.
"""

import json
from pathlib import Path

import numpy as np

from kmodes_study.plain.dissimilarity import distance
from kmodes_study.plain.information import (
    adjusted_mutual_information,
    mutual_information,
)
from kmodes_study.plain.kmodes import modes_of
from kmodes_study.plain.matching import deferred_acceptance
from kmodes_study.plain.modes import cost, nearest
from kmodes_study.plain.pair_counting import (
    adjusted_rand_index,
    contingency_table,
    rand_index,
)
from kmodes_study.plain.silhouette import silhouette
from kmodes_study.plain.starts import cao_modes
from kmodes_study.plain.transfers import transfers

RULES = """Rows are lists of whole numbers. The dissimilarity of two rows is the number of
columns in which they differ. The mode of a cluster has in each column the most frequent
value, of equally frequent ones the lowest; the cost is the sum of the dissimilarities
of the rows to the modes of their clusters. batch: a pass puts all rows to their nearest
modes, of equally near ones the first, and then finds all modes anew; passes end when no
mode changes, and the last one is counted; no cluster gets empty. transfers: row after
row, again and again, goes from its cluster to the one where the cost falls most, of
equal ones the first, if it falls at all; from these labels no cluster gets empty.
agreement: scores of two labellings, natural logarithms; ami divides by the mean of the
entropies, ami_max by the larger one. silhouette: a coefficient for each row, 0 where it
is alone in its cluster. cao: the density of a row is the sum, over columns, of the
share of rows that have its value; the first mode is the densest row, the next the row
with the greatest product of density and distance to its nearest mode so far; of equal
ones the first, up to k.
matching: residents propose to hospitals of one place each; lists are in order, the
dearest first."""


def batch(rows, k, random):
    modes = [*dict.fromkeys(rows)][:k]
    given = dict(rows=rows, first_modes=modes)
    for passes in range(1, 100):
        labels = [nearest(row, modes) for row in rows]
        if len({*labels}) < k:
            return None
        before, modes = modes, modes_of(rows, labels, k)
        if modes == before:
            total = cost(rows, labels, modes)
            return given, dict(labels=labels, modes=modes, cost=total, passes=passes)


def moved(rows, k, random):
    first = [i % k for i in range(len(rows))]
    labels = transfers(rows, first, k)
    if len({*labels}) < k:
        return None
    total = cost(rows, labels, modes_of(rows, labels, k))
    return dict(rows=rows, first_labels=first), dict(labels=labels, cost=total)


def agreement(rows, k, random):
    r, s = random.integers(k, size=(2, len(rows))).tolist()
    table = contingency_table(r, s)
    scores = dict(
        rand=rand_index(r, s),
        adjusted_rand=adjusted_rand_index(r, s),
        mutual_information=mutual_information(table),
        ami=adjusted_mutual_information(table),
        ami_max=adjusted_mutual_information(table, average="max"),
    )
    scores = {name: round(float(value), 12) for name, value in scores.items()}
    return dict(first=r, second=s), scores


def silhouettes(rows, k, random):
    labels = [i % k for i in range(len(rows))]
    found = silhouette([[distance(x, y) for y in rows] for x in rows], labels)
    coefficients = [round(float(value), 12) for value in found]
    return dict(rows=rows, labels=labels), dict(coefficients=coefficients)


def cao(rows, k, random):
    return dict(rows=rows, k=k), dict(modes=cao_modes(rows, k))


def matched(rows, k, random):
    lists = [
        {str(i): [str(j) for j in random.permutation(k)] for i in range(k)}
        for side in ("residents", "hospitals")
    ]
    given = dict(zip(("residents", "hospitals"), lists))
    return given, dict(matching=deferred_acceptance(*lists))


KINDS = dict(
    batch=(batch, 140),
    transfers=(moved, 100),
    agreement=(agreement, 80),
    silhouette=(silhouettes, 60),
    cao=(cao, 60),
    matching=(matched, 60),
)


def cases(kind, make, wanted):
    "Cases of a kind, from a seed of its own."
    random, lines = np.random.default_rng([*kind.encode()]), []
    while len(lines) < wanted:
        n, m, levels = random.integers((4, 1, 2), (25, 7, 6)).tolist()
        rows = [tuple(row) for row in random.integers(levels, size=(n, m)).tolist()]
        k = int(random.integers(2, 6))
        if len({*rows}) >= k and (made := make(rows, k, random)):
            case = dict(kind=kind, given=made[0], expected=made[1])
            lines.append(json.dumps(case, separators=(",", ":")))
    return lines


if __name__ == "__main__":
    lines = [line for kind, how in KINDS.items() for line in cases(kind, *how)]
    head = json.dumps(" ".join(RULES.split()))
    text = '{"rules": ' + head + ',\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"
    Path(__file__).with_name("cases.json").write_text(text, encoding="utf-8")
