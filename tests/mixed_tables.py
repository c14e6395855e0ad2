"""Mixed tables for the tests of k-prototypes: numbers and categories, with and without
holes.
"""

import warnings

import numpy as np
import pandas as pd

from kmodes_study.family.prototypes import MixedRows, assigned, choose_rows, descend
from kmodes_study.family.prototypes import mixed_weights
from kmodes_study.measures.distances import column_weights

INITS = ["k-means++", "cao", "huang", "random"]


def mixed(seed=0, n=60, p=2, levels=(3, 2), whole=False):
    "Numbers, codes and integer weights."
    rng = np.random.default_rng(seed)
    numeric = (
        rng.integers(0, 4, (n, p)).astype(float) if whole else rng.normal(size=(n, p))
    )
    codes = (
        np.column_stack([rng.integers(0, v, n) for v in levels]).astype(np.uint8)
        if levels
        else np.empty((n, 0), np.uint8)
    )
    return numeric, codes, rng.integers(1, 4, n)


def frame(seed=0, n=60):
    "A frame with two numeric columns between two categorical ones."
    numeric, codes, weights = mixed(seed, n)
    return pd.DataFrame(
        {
            "shape": np.array(["round", "flat", "long"])[codes[:, 0]],
            "width": numeric[:, 0],
            "height": numeric[:, 1],
            "new": codes[:, 1] == 1,
        }
    ), weights


def holed(seed=0, n=60, p=3, levels=(3, 2, 2), share=0.3, whole=True):
    """Numbers with NaN and codes with missing ones, no row without any value; weights
    and the missing codes.
    """
    rng = np.random.default_rng(seed)
    numeric, codes, weights = mixed(seed, n, p, levels, whole)
    missing = np.array(levels, dtype=np.int64)
    numeric[rng.random(numeric.shape) < share] = np.nan
    codes = np.where(rng.random(codes.shape) < share, missing, codes).astype(np.uint8)
    empty = np.isnan(numeric).all(axis=1) & (codes == missing).all(axis=1)
    if levels:
        codes[empty] = 0
    else:
        numeric[empty] = 1
    return numeric, codes, weights, missing


def holed_frame(seed=0, n=60):
    """The frame with about a fifth of its cells missing, in each row at most three of
    four.
    """
    X, weights = frame(seed, n)
    X, rng = X.astype({"shape": object, "new": object}), np.random.default_rng(seed)
    holes = rng.random(X.shape) < 0.2
    holes[holes.all(axis=1), 1] = False
    return X.mask(holes), weights


def listed(numeric, codes, missing):
    "Lists with None for each hole."
    return (
        [[None if np.isnan(x) else x for x in row] for row in numeric],
        [
            [None if c == hole else c for c, hole in zip(row, missing)]
            for row in codes.tolist()
        ],
    )


def quiet(model, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*args, **kwargs)


def mixed_rows(
    numeric, codes, sample_weight=None, feature_weight=None, missing_codes=None
):
    "Rows of numbers and codes, with gaps where there are missing codes."
    codes = np.asarray(codes).astype(np.min_scalar_type(int(np.max(codes, initial=0))))
    numeric = np.asarray(numeric, float)
    columns = column_weights(feature_weight, None, numeric.shape[1] + codes.shape[1])
    if missing_codes is not None:
        missing_codes = np.asarray(missing_codes)
    weights = mixed_weights(sample_weight, len(codes))
    return MixedRows(numeric, codes, weights, columns, missing_codes)


def descended(numeric, codes, centres, modes, gamma, max_iter=100, **options):
    "A descent from prototypes that may have holes."
    data = mixed_rows(numeric, codes, **options)
    return descend(data, *data.complete(centres, modes), gamma, max_iter)


def initial_rows(data, k, init, gamma, seed=None):
    "The rows that a start chooses among those of positive weight."
    places = np.flatnonzero(data.weights)
    rng = np.random.RandomState(seed)
    return places[choose_rows(data.taken(places), k, init, gamma, rng)]


def distances_to(data, centres, modes, gamma):
    "The dissimilarity of every row to every prototype."
    each = zip(centres[:, None], modes[:, None])
    return np.stack([assigned(data, *one, gamma)[1] for one in each], axis=1)


def check_prototypes(data, result, gamma):
    "Labels are nearest by numpy's comparisons, the cost is theirs, and it never rose."
    table = np.zeros((len(data), len(result.centres)))
    for l, (centre, mode) in enumerate(zip(result.centres, result.modes)):
        terms = (data.numeric - centre) ** 2, gamma * (data.codes != mode)
        for term, own, weights in zip(terms, data.present, data.part_weights):
            observed = own @ weights
            parts = np.where(own, term, 0) @ weights * weights.sum()
            table[:, l] += parts / np.where(observed > 0, observed, 1)
    own = table[np.arange(len(data)), result.labels]
    rounding = 1e-9 * (1 + np.abs(table).max())
    assert (own <= table.min(axis=1) + rounding).all()
    total = (data.weights * own).sum()
    assert np.isclose(total, result.cost, rtol=1e-9, atol=rounding)
    assert (np.diff(result.epoch_costs) <= 0).all()
    assert result.epoch_costs[-1] == result.cost


def plain_mixed_partial(
    x, categories, centre, mode, gamma, number_weights, category_weights
):
    """The dissimilarity over the cells that are not None, each part scaled up to the
    weight of all its columns.
    """

    def part(term, cells, prototype, weights):
        cells = [
            (v, a, b)
            for v, a, b in zip(weights, cells, prototype, strict=True)
            if a is not None
        ]
        observed = sum(v for v, _, _ in cells)
        return (
            sum(v * term(a, b) for v, a, b in cells) * sum(weights) / observed
            if observed
            else 0
        )

    numbers = part(lambda a, b: (a - b) ** 2, x, centre, number_weights)
    return numbers + gamma * part(
        lambda a, b: a != b, categories, mode, category_weights
    )
