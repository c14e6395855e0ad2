"""What must hold of a result: an equality with scikit-learn or a plain count, or what
its chapter promises.
"""

import numpy as np
from sklearn import metrics

from kmodes_study.cluster.starts.basic import INITIALISATIONS
from kmodes_study.core.codes import decode


def close(one, other, what="the value"):
    one, other = np.asarray(one, float), np.asarray(other, float)
    agree = one.shape == other.shape and np.allclose(one, other, rtol=1e-6, atol=1e-9)
    assert agree, f"{what} is {one}, expected {other}"


def mismatches(codes, modes, missing_codes=None):
    "In how many attributes each row differs from each mode, what is missing left out."
    here = True if missing_codes is None else (codes != missing_codes)[:, None]
    return ((codes[:, None] != modes) & here).sum(axis=2)


def descent(result, codes, modes, sample_weight=None, missing_codes=None, **_):
    """Each row is with a nearest mode, the cost is theirs, and no more than that of the
    start.
    """
    weights = np.ones(len(codes)) if sample_weight is None else sample_weight
    table = mismatches(codes, result.modes, missing_codes)
    start = mismatches(codes, modes, missing_codes)
    assert set(result.labels.tolist()) <= set(range(len(modes)))
    close(
        table[np.arange(len(codes)), result.labels],
        table.min(axis=1),
        "the distance of each row",
    )
    close(result.cost, weights @ table.min(axis=1), "the cost")
    assert result.cost <= weights @ start.min(axis=1) + 1e-9, (
        "the cost is more than that of the start"
    )


def start(result, codes, n_clusters, missing_codes=None, **_):
    "So many different rows of the table."
    assert result.shape == (n_clusters, codes.shape[1])
    if missing_codes is not None:
        return
    rows = list(map(tuple, result.tolist()))
    assert set(rows) <= set(map(tuple, codes.tolist()))
    assert len(set(rows)) == n_clusters


def different(result, codes, n_clusters, **_):
    "So many different modes."
    assert result.shape == (n_clusters, codes.shape[1])
    assert len(set(map(tuple, result.tolist()))) == n_clusters


def scored(name):
    "The score of scikit-learn."

    def check(result, **arguments):
        close(result, getattr(metrics, name)(**arguments), name)

    return check


def hamming(X, missing="error"):
    "The number of mismatches between all rows, or nothing where some are missing."
    return None if np.asarray(X).dtype == object else mismatches(X, X)


def silhouette(
    result, X, labels, missing="error", sample_size=None, sample_weight=None, **_
):
    "That of scikit-learn on all distances."
    if hamming(X) is None or sample_size or sample_weight is not None:
        return
    samples = metrics.silhouette_samples(hamming(X), labels, metric="precomputed")
    close(
        np.mean(result) if np.ndim(result) == 0 else result,
        samples.mean() if np.ndim(result) == 0 else samples,
    )


def distances(result, X, Y=None, feature_weight=None, condensed=False, **_):
    "The counts of mismatches, weighted."
    if np.asarray(X).dtype == object:
        return
    weights = (
        np.ones(X.shape[1]) if feature_weight is None else np.array(feature_weight)
    )
    other = X if Y is None else Y
    table = (X[:, None] != other) @ weights
    if condensed:
        table = table[np.triu_indices(len(X), 1)]
    close(
        *(one / max(one.max(initial=0), 1e-12) for one in (result, table)),
        "a share of the largest distance",
    )


def encoded(result, X, missing="error"):
    "The categories of the codes are the values."
    codes, categories = result
    values = decode(codes, categories, missing)
    assert all(
        a == b or a is None and (b is None or b != b)
        for a, b in zip(np.ravel(X), values.ravel())
    )


def fitted(result, X, sample_weight=None, **_):
    "So many labels; prediction of the same rows gives them again."
    assert result.labels_.shape == (len(X),)
    if hasattr(result, "predict") and type(result).__name__ not in ("ROCK",):
        assert np.array_equal(result.predict(X), result.labels_), (
            "predict gives other labels for the same rows"
        )


def clustered(result, X, sample_weight=None, dissimilarity="matching", **_):
    "As `fitted`; the score is the cost, and so are the distances."
    weights = np.ones(len(X)) if sample_weight is None else sample_weight
    distances = result.transform(X)
    close(
        weights @ distances[np.arange(len(X)), result.labels_],
        result.cost_,
        "the distances of the labels",
    )
    if dissimilarity != "matching":
        return  # its clusters are where it stops, not where rows are nearest
    fitted(result, X)
    close(result.score(X, sample_weight=weights), -result.cost_, "score")
    close(weights @ distances.min(axis=1), result.cost_, "the sum of transform")
    close(
        result.fit(X, sample_weight=sample_weight).cost_,
        result.cost_,
        "the cost of a second fit",
    )


def counted(result, codes, labels, modes, sample_weight=None, missing_codes=None):
    "The plain sum over the rows."
    weights = np.ones(len(codes)) if sample_weight is None else sample_weight
    here = True if missing_codes is None else codes != missing_codes
    close(
        np.sum(result),
        weights @ ((codes != modes[labels]) & here).sum(axis=1),
        "the cost",
    )


def assigned(result, codes, modes, **_):
    "The first of the nearest modes."
    table = mismatches(codes, modes)
    assert np.array_equal(result[0], table.argmin(axis=1))
    close(result[1], table.min(axis=1), "the distances")


def proved(result, X, n_clusters, sample_weight=None, **_):
    "The bound is not above the cost, which is that of the modes."
    weights = np.ones(len(X)) if sample_weight is None else sample_weight
    close(
        result.cost,
        weights @ (X != result.modes[result.labels]).sum(axis=1),
        "the cost",
    )
    assert result.bound <= result.cost
    assert not result.proved or result.bound == result.cost


def cut(result, Z, n_clusters, **_):
    "So many clusters."
    assert len(np.unique(result)) == n_clusters


TRUTH = {init.__name__: different for init in INITIALISATIONS.values()}
TRUTH |= {  # whose modes are rows
    INITIALISATIONS[name].__name__: start
    for name in ("random", "cao", "huang", "matching", "farthest", "k-modes++")
}
TRUTH |= dict(
    lloyd=descent,
    huang=descent,
    otqt=descent,
    swap_search=descent,
    encode=encoded,
    silhouette_samples=silhouette,
    silhouette_score=silhouette,
    hamming_distances=distances,
    KModes=clustered,
    KPrototypes=fitted,
    FuzzyKModes=fitted,
    ROCK=fitted,
    LatentClasses=fitted,
    PKMeans=fitted,
    cost=counted,
    cluster_costs=counted,
    assign=assigned,
    prove_optimum=proved,
    tree_labels=cut,
)
TRUTH["compat.KModes"] = fitted
TRUTH |= {
    name: scored(name)
    for name in (
        (
            "rand_score adjusted_rand_score homogeneity_score completeness_score "
            "v_measure_score adjusted_mutual_info_score pair_confusion_matrix "
            "homogeneity_completeness_v_measure"
        ).split()
    )
}
