"""A Dask table is clustered where it lies: workers count its blocks, and the sums of the
counts give the modes.
"""

import numpy as np
import pandas as pd

from ..core.codes import CategoryEncoder, learn, policies
from ..core.checks import extra
from ..core.rows import Rows, category_offsets, cost_of_counts, modes_of_counts
from .algorithms.lloyd import has_converged
from .base import (
    best_run,
    counted_rows,
    enough_distinct,
    refuse_infinite_category,
    start_modes,
)
from .modes import ClusteringResult

_SAMPLED = 100_000  # rows in which starts are looked for


def is_blocks(X):
    "Whether `X` is a collection of Dask."
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def _seen(block, size):
    "The distinct values of each column of a block, and a sample of its rows."
    table = pd.DataFrame(block)
    values = [column.drop_duplicates() for _, column in table.items()]
    return values, table.sample(min(size, len(table)), random_state=0), len(table)


def _count(codes, modes, offsets):
    "The counts of a block, its labels, and its row that is farthest from its mode."
    rows = Rows(codes)
    labels, distances = rows.nearest(modes)
    far = distances.argmax()
    counts = rows.counts(labels, len(modes), offsets)
    return counts, labels, (distances[far], codes[far])


def _learn(model, seen):
    "Let the model learn the columns and categories that blocks have seen."
    values = [pd.concat(column).drop_duplicates() for column in zip(*seen)]
    longest = max(map(len, values))
    # columns of one length, each with all of its values
    table = pd.concat(
        [
            column.iloc[np.arange(longest) % len(column)].reset_index(drop=True)
            for column in values
        ],
        axis=1,
    )
    model.encoder_ = CategoryEncoder(*policies(model.missing, model.handle_unknown))
    learn(model.encoder_, table)
    refuse_infinite_category(table, model.encoder_.categories_)


def _descend(count_all, modes, offsets, max_iter, n_cells):
    "Batch passes from these modes; an empty cluster gets the farthest row as its mode."
    counts, labels, far = count_all(modes)
    costs, moved = [], None
    while True:
        used = counts[:, : offsets[1]].any(axis=1)
        modes = modes.copy()
        modes[used] = modes_of_counts(counts[used], offsets, modes.dtype)
        if not used.all():
            modes[used.argmin()] = far
        converged = has_converged(costs, moved)
        if converged or len(costs) > max_iter:
            break
        before = counts
        counts, labels, far = count_all(modes)
        moved = (counts != before).any()
        costs.append(cost_of_counts(counts, offsets, modes, n_cells))
    cost = cost_of_counts(counts, offsets, modes, n_cells)
    labels = np.concatenate(labels)
    return ClusteringResult(labels, modes, cost, len(costs) - 1, costs, converged)


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

    values, samples, sizes = zip(*ask(_seen, blocks, -(-_SAMPLED // len(blocks))))
    blocks = [block for block, size in zip(blocks, sizes) if size]
    _learn(model, values)
    n = sum(sizes)
    model._take_columns(n)
    encoder = model.encoder_
    sample = Rows(encoder.transform(pd.concat(samples)))
    counted_rows(sample, parameters.n_clusters)
    parameters = enough_distinct(model._started(parameters, sample), sample)
    # the codes stay where they are made, a byte a cell
    codes = dask.persist(*[dask.delayed(encoder.transform)(block) for block in blocks])
    offsets = category_offsets([len(levels) for levels in encoder.categories_])

    def count_all(modes):
        found = ask(_count, codes, modes, offsets)
        counts, labels, far = zip(*found)
        return sum(counts), labels, max(far, key=lambda row: row[0])[1]

    def run(seed, n_jobs):
        modes = start_modes(sample, parameters, np.random.RandomState(seed))
        n_cells = n * len(encoder.categories_)
        return _descend(count_all, modes, offsets, parameters.max_iter, n_cells)

    n_init = 1 if model.n_init == "auto" else parameters.n_init
    return model._kept(best_run(run, n_init, model.random_state), 1)
