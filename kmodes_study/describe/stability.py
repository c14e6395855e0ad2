"""A model is fitted to resampled rows, and each of its clusters is looked for among the new ones."""

import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import fowlkes_mallows_score

from ..core.checks import check_random_state, check_whole, steps
from ..core.codes import encode_labels, labels_of
from ..core.columns import as_table
from ..measures.contingency import optimal_classification_error
from ..measures.pair_counting import pair_jaccard_score, rand_score

__all__ = ["Stability", "cluster_stability"]


class Stability(NamedTuple):
    """How well clusters and clustering come again on resampled rows.

    Attributes
    ----------
    clusters : pd.DataFrame
        one row for each cluster: cluster, size, stability (the mean of its best Jaccard
        coefficients) and lowest (the lowest of them)
    resamples : pd.DataFrame
        one row for each resample: rand, jaccard, fowlkes_mallows, matching
    means : pd.Series
        the means of these
    """

    clusters: pd.DataFrame
    resamples: pd.DataFrame
    means: pd.Series


def cluster_stability(
    model, X, *, n_resamples: int = 20, random_state=None
) -> Stability:
    """Fit a model anew to rows that are drawn with replacement, and look for its
    clusters (Hennig, Computational Statistics & Data Analysis 52, 2007).

    Parameters
    ----------
    model
        a fitted clusterer: `KModes`, `KPrototypes` or any other of scikit-learn's form
        that has labels; it stays as it is
    X
        the rows of its fit: a frame, an array or a list of rows
    n_resamples : int, default=20
        how often rows are drawn
    random_state : default=None
        None, an int or a `RandomState`; draws the rows and the seeds of the fits

    Returns
    -------
    Stability
        of the clusters, of the resamples, and means

    Raises
    ------
    ValueError
        For a model with labels of other rows.
    """
    check_whole("n_resamples", n_resamples)
    rng = check_random_state(random_state)
    table = as_table(X)
    labels, clusters = encode_labels(labels_of(model), n=len(table))
    return resampled(model, table, labels, clusters, n_resamples, rng)


def resampled(model, table, labels, clusters, n_resamples, rng):
    "The stability of `clusters`; resamples that cannot be clustered are left out."
    k = len(clusters)
    model = clone(model)
    jaccards, records = [], []
    for _ in steps(range(n_resamples), "do the clusters come again?"):
        drawn = rng.randint(len(table), size=len(table))
        seed = int(rng.randint(2**31 - 1))
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
        some = table.iloc[drawn] if isinstance(table, pd.DataFrame) else table[drawn]
        with warnings.catch_warnings():
            # what there is to say of the columns was said at the fit
            warnings.simplefilter("ignore")
            try:
                found = encode_labels(labels_of(model.fit(some)))[0]
            except ValueError:
                continue  # a column may be left without any value
        rows, first = np.unique(drawn, return_index=True)
        old, new = labels[rows], found[first]
        absent = np.bincount(old, minlength=k) == 0
        jaccards.append(np.where(absent, np.nan, best_jaccards(old, new, k)))
        records.append(
            dict(
                rand=rand_score(old, new),
                jaccard=pair_jaccard_score(old, new),
                fowlkes_mallows=fowlkes_mallows_score(old, new),
                matching=1 - optimal_classification_error(old, new),
            )
        )
    jaccards = pd.DataFrame(jaccards, columns=range(k))
    frame = pd.DataFrame(
        dict(
            cluster=clusters,
            size=np.bincount(labels, minlength=k),
            stability=jaccards.mean().fillna(0).to_numpy(),
            lowest=jaccards.min().fillna(1).to_numpy(),
        )
    )
    resamples = pd.DataFrame(records)
    return Stability(frame, resamples, resamples.mean().rename("mean"))


def best_jaccards(labels, found, k):
    """For each of k clusters its best Jaccard coefficient with a cluster of `found`; 0
    for one that has no row here.
    """
    n_found = int(found.max()) + 1
    both = np.bincount(labels * n_found + found, minlength=k * n_found)
    both = both.reshape(k, n_found)
    union = both.sum(axis=1)[:, None] + both.sum(axis=0) - both
    return (both / np.maximum(union, 1)).max(axis=1)
