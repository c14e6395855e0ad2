"""Mixed tables for the tests of k-prototypes: numbers and categories, with and without
holes.
"""

import warnings

import numpy as np
import pandas as pd

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
