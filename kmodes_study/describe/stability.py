"""A model is fitted to resampled rows, and each of its clusters is looked for among the new ones."""

import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone

from ..core.checks import check_random_state, check_whole
from ..core.codes import encode_labels, labels_of
from ..core.columns import as_table
from ..measures.contingency import optimal_classification_error
from ..measures.pair_counting import pair_counts

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
    if not hasattr(model, "get_params"):
        raise TypeError(f"model must be a clusterer, got {type(model).__name__}")
    labels, clusters = encode_labels(labels_of(model), n=len(table))
    jaccards, records = [], []
    for _ in range(n_resamples):
        found, *labellings = jaccards_again(model, table, labels, len(clusters), rng)
        jaccards.append(found)
        records.append(_agreement(*labellings))
    jaccards = np.array(jaccards)
    is_absent = np.isnan(jaccards)
    n_times = np.maximum((~is_absent).sum(axis=0), 1)
    frame = pd.DataFrame(
        dict(
            cluster=clusters,
            size=np.bincount(labels),
            stability=np.where(is_absent, 0, jaccards).sum(axis=0) / n_times,
            lowest=np.where(is_absent, 1, jaccards).min(axis=0),
        )
    )
    resamples = pd.DataFrame(records)
    return Stability(frame, resamples, resamples.mean().rename("mean"))


def jaccards_again(model, table, labels, n_clusters, rng):
    """Draw rows with replacement, fit the model to them, and look for the clusters.

    The best Jaccard coefficient of each cluster, NaN for one without any row in the
    resample; and of the rows that were drawn the old and the new labels.
    """
    drawn = rng.randint(len(table), size=len(table))
    seed = int(rng.randint(2**31 - 1))
    again = clone(model)
    if "random_state" in again.get_params():
        again.set_params(random_state=seed)
    some = table.iloc[drawn] if isinstance(table, pd.DataFrame) else table[drawn]
    with warnings.catch_warnings():
        # what there is to say of the columns was said at the fit
        warnings.simplefilter("ignore")
        found = encode_labels(again.fit(some).labels_)[0]
    rows, first = np.unique(drawn, return_index=True)
    old, new = labels[rows], found[first]
    jaccards = best_jaccards(old, new, n_clusters)
    jaccards[np.bincount(old, minlength=n_clusters) == 0] = np.nan
    return jaccards, old, new


def best_jaccards(labels, found, k):
    """For each of k clusters its best Jaccard coefficient with a cluster of `found`; 0
    for one that has no row here.
    """
    n_found = int(found.max()) + 1
    both = np.bincount(labels * n_found + found, minlength=k * n_found)
    both = both.reshape(k, n_found)
    union = both.sum(axis=1)[:, None] + both.sum(axis=0) - both
    return (both / np.maximum(union, 1)).max(axis=1)


def _agreement(labels, found):
    "How much two clusterings agree; 1 where there is nothing to disagree on."
    together, only_old, only_new, apart = pair_counts(labels, found)
    old, new = together + only_old, together + only_new

    def share(part, whole):
        return part / whole if whole else float(part == whole)

    return dict(
        rand=share(together + apart, old + only_new + apart),
        jaccard=share(together, old + only_new),
        fowlkes_mallows=share(together, (old * new) ** 0.5),
        matching=1 - optimal_classification_error(labels, found),
    )
