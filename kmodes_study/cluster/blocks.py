"""A Dask table is clustered where it lies: workers count its blocks, and the sums of the
counts give the modes.
"""

import numpy as np
import pandas as pd

from ..core.checks import extra
from ..core.rows import Rows, category_offsets, cost_of_counts, modes_of_counts
from .base import best_run, counted_rows, enough_distinct, start_modes
from .modes import ClusteringResult

_SAMPLED = 100_000  # rows in which starts are looked for


def is_blocks(X):
    "Whether `X` is a collection of Dask."
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def _seen(block, size):
    "Some rows of a block, among them one for each category of each column."
    table = pd.DataFrame(block)
    chosen = np.zeros(len(table), bool)
    drawn = np.random.RandomState(0).permutation(len(table))[:size]
    chosen[drawn] = True
    for _, column in table.items():
        chosen |= ~column.duplicated().to_numpy()
    return table[chosen]


def _count(codes, modes, offsets):
    "The counts of a block, its labels, and its row that is farthest from its mode."
    rows = Rows(codes)
    labels, distances = rows.nearest(modes)
    far = distances.argmax()
    counts = rows.counts(labels, len(modes), offsets)
    return counts, labels, (distances[far], codes[far])


def fit_blocks(model, X, parameters, sample_weight=None):
    """Fit a `KModes` on a frame or an array of Dask, by batch passes from a sample.

    Labels, modes and cost are those of `lloyd` on the whole table from the same modes,
    where no cluster falls empty on the way.
    """
    with extra("dask"):
        import dask

    if sample_weight is not None or model.missing == "ignore":
        raise ValueError(
            "sample_weight must be None, and missing 'error' or 'category', for a table "
            f"of Dask, got missing={model.missing!r}"
        )
    if hasattr(X, "rechunk"):
        X = X.rechunk({1: -1})
    blocks = np.ravel(X.to_delayed())

    def ask(question, parts, *known):
        return dask.compute(*[dask.delayed(question)(part, *known) for part in parts])

    seen = ask(_seen, blocks, -(-_SAMPLED // len(blocks)))
    sample = Rows(model._codes(pd.concat(seen), reset=True))
    counted_rows(sample, parameters.n_clusters)
    parameters = enough_distinct(model._started(parameters, sample), sample)
    # the codes stay where they are made, a byte a cell
    encode = dask.delayed(model.encoder_.transform)
    codes = dask.persist(
        *[encode(block) for block, rows in zip(blocks, seen) if len(rows)]
    )
    offsets = category_offsets([len(levels) for levels in model.encoder_.categories_])

    def run(seed, n_jobs):
        "Batch passes; an empty cluster gets the row as its mode that is farthest."
        modes = start_modes(sample, parameters, np.random.RandomState(seed))
        costs, counts, converged = [], None, False
        while not converged and len(costs) <= parameters.max_iter:
            before = counts
            counts, labels, far = zip(*ask(_count, codes, modes, offsets))
            counts = sum(counts)
            used = counts[:, : offsets[1]].any(axis=1)
            modes = modes.copy()
            modes[used] = modes_of_counts(counts[used], offsets, modes.dtype)
            if not used.all():
                modes[used.argmin()] = max(far, key=lambda row: row[0])[1]
            cells = int(counts.sum())
            costs.append(cost_of_counts(counts, offsets, modes, cells))
            converged = np.array_equal(counts, before)
        labels = np.concatenate(labels)
        n_iter = len(costs) - 1
        return ClusteringResult(labels, modes, costs[-1], n_iter, costs, converged)

    n_init = 1 if model.n_init == "auto" else parameters.n_init
    return model._kept(best_run(run, n_init, model.random_state), 1)
