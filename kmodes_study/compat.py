"""The names, parameters and attributes of the package `kmodes` on the algorithms of this
one: change the import and nothing else.

The dissimilarities are those of the defaults there: matching for categories, squared
differences for numbers. Other functions are refused; `KModes(dissimilarity=...)` of this
package has several.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from .cluster import KModes as _KModes
from .core.codes import decode, encode
from .family import KPrototypes as _KPrototypes

__all__ = ["KModes", "KPrototypes"]


class KModes(ClusterMixin, BaseEstimator):
    """k-modes with the parameters of `kmodes.kmodes.KModes`.

    Parameters
    ----------
    n_clusters : int, default=8
        how many clusters
    max_iter : int, default=100
        the largest number of passes over the rows
    cat_dissim : default=None
        must stay None, the matching dissimilarity
    init : {"Cao", "Huang", "random"} or array of shape (n_clusters, n_features)
        a start by name, or modes in codes: places of categories in sorted order
    n_init : int, default=10
        one for a start that draws nothing
    verbose : int, default=0
        whether costs are printed
    random_state : int, RandomState or None
        what draws the starts
    n_jobs : int, default=1
        how many threads

    Attributes
    ----------
    labels_ : array of shape (n,)
    cost_ : int
    n_iter_ : int
    epoch_costs_ : list
    cluster_centroids_ : array of shape (n_clusters, n_features)
    model_ : the estimator of this package that was fitted

    Raises
    ------
    ValueError
        if a dissimilarity of one's own is asked for
    """

    def __init__(
        self,
        n_clusters=8,
        max_iter=100,
        cat_dissim=None,
        init="Cao",
        n_init=10,
        verbose=0,
        random_state=None,
        n_jobs=1,
    ):
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.cat_dissim = cat_dissim
        self.init = init
        self.n_init = n_init
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _options(self, init):
        "The parameters under the names of this package."
        for name in "cat_dissim", "num_dissim":
            if getattr(self, name, None) is not None:
                raise ValueError(f"{name} must be None here, got a function")
        named = isinstance(init, str)
        return dict(
            n_clusters=self.n_clusters,
            init=init.lower() if named else init,
            n_init=self.n_init if named and init.lower() != "cao" else 1,
            max_iter=self.max_iter,
            missing="category",
            handle_unknown="ignore",
            random_state=self.random_state,
            verbose=self.verbose,
            n_jobs=self.n_jobs,
        )

    def _keep(self, model):
        "Take over what the estimator has found."
        self.model_ = model
        names = "labels_", "cost_", "n_iter_", "epoch_costs_", "cluster_centroids_"
        for name in *names, "n_features_in_":
            setattr(self, name, getattr(model, name))
        return self

    def fit(self, X, y=None, sample_weight=None, **kwargs):
        "Find clusters in the rows of a table."
        init = self.init
        if not isinstance(init, str):
            init = decode(np.asarray(init), encode(X, missing="category")[1])
        model = _KModes(algorithm="huang", **self._options(init))
        return self._keep(model.fit(X, sample_weight=sample_weight))

    def predict(self, X, **kwargs):
        "The nearest cluster of each row."
        check_is_fitted(self, "model_")
        return self.model_.predict(X)

    @property
    def _enc_cluster_centroids(self):
        return self.model_.modes_


class KPrototypes(KModes):
    """k-prototypes with the parameters of `kmodes.kprototypes.KPrototypes`.

    Parameters
    ----------
    n_clusters, max_iter : int
        as for `KModes`
    num_dissim : default=None
        must stay None, the squared Euclidean distance
    cat_dissim, init, n_init : optional
        as for `KModes`
    gamma : float, default=None
        what one mismatch weighs; half the mean standard deviation of the numeric
        columns if None
    verbose, random_state, n_jobs : optional
        as for `KModes`
    """

    def __init__(
        self,
        n_clusters=8,
        max_iter=100,
        num_dissim=None,
        cat_dissim=None,
        init="Cao",
        n_init=10,
        gamma=None,
        verbose=0,
        random_state=None,
        n_jobs=1,
    ):
        options = cat_dissim, init, n_init, verbose, random_state, n_jobs
        super().__init__(n_clusters, max_iter, *options)
        self.num_dissim = num_dissim
        self.gamma = gamma

    def fit(self, X, y=None, categorical=None, sample_weight=None):
        "Find clusters in a table; `categorical` are the places of its other columns."
        options = self._options(self.init)
        table = np.asarray(X, dtype=object)
        gamma = self.gamma
        if gamma is None:
            numbers = np.delete(table, np.atleast_1d(categorical), axis=1)
            gamma = numbers.astype(float).std(axis=0).mean() / 2
        model = _KPrototypes(gamma=gamma, categorical_features=categorical, **options)
        return self._keep(model.fit(table, sample_weight=sample_weight))

    def predict(self, X, categorical=None, **kwargs):
        "The nearest cluster of each row."
        return super().predict(np.asarray(X, dtype=object))

    @property
    def _enc_cluster_centroids(self):
        return [self.model_.centres_, self.model_.modes_]
