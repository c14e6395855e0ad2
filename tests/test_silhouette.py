"""The silhouette against scikit-learn and Rousseeuw, its invariances, its bounds, and
the form of the draft.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist
from sklearn import metrics

from kmodes_study.family.kprototypes import KPrototypes
from kmodes_study.measures import silhouette
from kmodes_study.measures.silhouette import silhouette_samples, silhouette_score
from oracles.silhouette import plain_draft_silhouette, plain_partial_silhouette
from kmodes_study.plain.silhouette import silhouette as plain_silhouette


close = dict(rtol=0, atol=1e-12)


def labelled(n, m, k, levels, seed=0):
    "Random codes, and labels of which exactly `k` occur."
    rng = np.random.default_rng(seed)
    return (
        rng.integers(levels, size=(n, m)),
        rng.permutation(np.concatenate([np.arange(k), rng.integers(k, size=n - k)])),
    )


@pytest.mark.parametrize(
    "n, m, k",
    [(3, 1, 2), (10, 3, 9), (50, 4, 2), (50, 5, 20), (200, 9, 7), (300, 2, 150)],
)
@pytest.mark.parametrize("levels", [1, 2, 5, 1000])
def test_equals_scikit_learn(n, m, k, levels):
    X, labels = labelled(n, m, k, levels, seed=n)
    np.testing.assert_allclose(
        silhouette_samples(X, labels),
        metrics.silhouette_samples(X, labels, metric="hamming"),
        **close,
    )
    assert silhouette_score(X, labels) == pytest.approx(
        metrics.silhouette_score(X, labels, metric="hamming"), abs=1e-12
    )


@st.composite
def clusterings(draw):
    "Small tables with many ties, equal rows and singletons, and whole-number weights."
    n = draw(st.integers(3, 14))
    m = draw(st.integers(1, 9))
    high = draw(st.integers(0, 3))
    X = draw(hnp.arrays(np.int64, (n, m), elements=st.integers(0, high)))
    many = hnp.arrays(np.int64, n, elements=st.integers(0, n // 2))
    labels = draw(many.filter(lambda y: 2 <= len(set(y.tolist())) < n))
    return X, labels, draw(hnp.arrays(np.int64, n, elements=st.integers(1, 3)))


@given(clusterings())
def test_equals_the_formula_and_scikit_learn(clustering):
    X, labels, _ = clustering
    s = silhouette_samples(X, labels)
    D = np.rint(cdist(X, X, "hamming") * X.shape[1])
    np.testing.assert_array_equal(s, plain_silhouette(D, labels.tolist()))
    np.testing.assert_allclose(
        s, metrics.silhouette_samples(D, labels, metric="precomputed"), **close
    )
    assert (np.abs(s) <= 1).all()


@given(clusterings(), st.randoms(use_true_random=False))
def test_invariances(clustering, random):
    X, labels, weights = clustering
    s = silhouette_samples(X, labels)
    rows, columns = (random.sample(range(size), size) for size in X.shape)
    np.testing.assert_array_equal(silhouette_samples(X[rows], labels[rows]), s[rows])
    np.testing.assert_array_equal(silhouette_samples(X[:, columns], labels), s)
    np.testing.assert_array_equal(
        silhouette_samples(np.argsort([2, 0, 3, 1])[X], -labels), s
    )
    np.testing.assert_allclose(
        silhouette_samples(np.hstack([X, X, np.ones_like(X)]), labels), s, **close
    )
    repeated = silhouette_samples(X.repeat(weights, axis=0), labels.repeat(weights))
    np.testing.assert_array_equal(
        silhouette_samples(X, labels, sample_weight=weights).repeat(weights), repeated
    )
    assert silhouette_score(X, labels, sample_weight=weights) == pytest.approx(
        repeated.mean(), abs=1e-12
    )


def test_categories_of_any_kind():
    X, labels = labelled(40, 5, 3, 4)
    expected = silhouette_samples(X, labels)
    names = np.array(["x", "ü", "", "a b"])
    frame = pd.DataFrame(X).apply(
        lambda c: pd.Categorical.from_codes(c, categories=["d", "b", "c", "a"])
    )
    for Z in (
        names[X],
        names[X].astype(object),
        names[X].tolist(),
        X - 2,
        X * 10**12,
        X * 0.5,
        frame,
        pd.DataFrame(names[X], dtype="string"),
        X.tolist(),
    ):
        np.testing.assert_array_equal(silhouette_samples(Z, labels), expected)


def test_a_model_says_which_columns_are_numbers():
    X = pd.DataFrame({"n": [1.0, 2, 3, 50, 51, 52] * 5, "c": [*"aabbba"] * 5})
    model = KPrototypes(2, random_state=0).fit(X)
    for score in silhouette_samples, silhouette_score:
        expected = score(X, model.labels_, categorical_features=["c"])
        assert np.array_equal(score(X, model), expected)
        assert not np.array_equal(score(X, model.labels_), expected)


def test_counts_do_not_overflow():
    """Weights make 10¹⁵ points of six; their sums pass 2⁵³, where a float would lose
    count.
    """
    X = np.array([[0, 0], [0, 1], [1, 1], [0, 0], [1, 0], [1, 1]])
    labels = [0, 0, 0, 1, 1, 1]
    weight = 2 * 10**15
    s = silhouette_samples(X, labels, sample_weight=[weight] * 6)
    D = cdist(X, X, "hamming") * 2
    # less one point in 6·10¹⁵
    a = [sum(D[i, j] for j in range(6) if labels[j] == labels[i]) / 3 for i in range(6)]
    b = [sum(D[i, j] for j in range(6) if labels[j] != labels[i]) / 3 for i in range(6)]
    np.testing.assert_allclose(s, [(y - x) / max(x, y) for x, y in zip(a, b)], **close)
    with pytest.raises(ValueError, match="sample_weight"):
        silhouette_samples(X, labels, sample_weight=[2**60] * 6)


def test_sample_is_scikit_learns():
    X, labels = labelled(200, 6, 4, 5)
    for seed in range(5):
        expected = metrics.silhouette_score(
            X, labels, metric="hamming", sample_size=40, random_state=seed
        )
        assert silhouette_score(
            X, labels, sample_size=40, random_state=seed
        ) == pytest.approx(expected, abs=1e-12)
    assert silhouette_score(
        X, labels, sample_size=10**6, random_state=0
    ) == pytest.approx(silhouette_score(X, labels), abs=1e-12)


@st.composite
def gappy_clusterings(draw):
    "Small tables with missing values, at least one value in each row and column."
    n, m = draw(st.integers(3, 12)), draw(st.integers(1, 6))
    X = draw(
        hnp.arrays(object, (n, m), elements=st.sampled_from([None, "a", "b", "c"]))
    )
    for i in range(max(n, m)):
        X[i % n, i % m] = X[i % n, i % m] or "a"
    labels = draw(
        hnp.arrays(np.int64, n, elements=st.integers(0, 3)).filter(
            lambda y: 2 <= len(set(y.tolist())) < n
        )
    )
    return X, labels, draw(hnp.arrays(np.int64, n, elements=st.integers(1, 3)))


@given(gappy_clusterings(), st.randoms(use_true_random=False))
def test_ignored_missing_values_equal_the_pairwise_definition(clustering, random):
    X, labels, weights = clustering
    s = silhouette_samples(X, labels, missing="ignore")
    np.testing.assert_allclose(
        s, plain_partial_silhouette(X.tolist(), labels.tolist()), **close
    )
    assert (np.abs(s) <= 1).all()
    rows, columns = (random.sample(range(size), size) for size in X.shape)
    np.testing.assert_array_equal(
        silhouette_samples(X[rows][:, columns], labels[rows], missing="ignore"), s[rows]
    )
    repeated = silhouette_samples(
        X.repeat(weights, axis=0), labels.repeat(weights), missing="ignore"
    )
    np.testing.assert_array_equal(
        silhouette_samples(X, labels, missing="ignore", sample_weight=weights).repeat(
            weights
        ),
        repeated,
    )
    score = silhouette_score(X, labels, missing="ignore", sample_weight=weights)
    assert score == pytest.approx(repeated.mean(), abs=1e-12)


@given(gappy_clusterings())
def test_missing_as_a_category_is_a_category(clustering):
    X, labels, _ = clustering
    named = np.where(X == None, "missing", X)  # noqa: E711
    np.testing.assert_array_equal(
        silhouette_samples(X, labels, missing="category"),
        silhouette_samples(named, labels),
    )
    if not (X == None).any():  # noqa: E711
        np.testing.assert_array_equal(
            silhouette_samples(X, labels, missing="ignore"),
            silhouette_samples(X, labels),
        )


@pytest.mark.parametrize(
    "n, m, k, share",
    [
        (150, 1, 3, 0),
        (200, 5, 4, 0.2),
        (300, 12, 20, 0.5),
        (100, 63, 3, 0.05),
        (100, 64, 3, 0.05),
        (100, 65, 3, 0.05),
        (80, 130, 3, 0.6),
    ],
)
def test_ignored_missing_values_of_wide_tables(n, m, k, share):
    X, labels = labelled(n, m, k, 3, seed=m)
    holes = np.random.default_rng(n).random((n, m)) < share
    holes[np.arange(n), np.arange(n) % m] = False
    table = pd.DataFrame(X.astype(object)).mask(holes, None)
    expected = plain_partial_silhouette(table.to_numpy().tolist(), labels.tolist())
    for n_jobs in 1, 2:
        found = silhouette_samples(table, labels, missing="ignore", n_jobs=n_jobs)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("missing", ["error", "ignore"])
def test_threads_blocks_and_samples_change_no_bit(monkeypatch, missing):
    X, labels = labelled(500, 7, 5, 4)
    table = pd.DataFrame(X)
    if missing == "ignore":
        table = table.mask(np.random.default_rng(1).random(X.shape) < 0.1)
        table = table.where(table.notna().any(axis=1), 0)
    expected = silhouette_samples(table, labels, missing=missing, n_jobs=1)
    for block in (1, 7, 499, 500):
        monkeypatch.setattr(silhouette, "_SHARE", block)
        for n_jobs in (1, 2, None):
            options = dict(missing=missing, n_jobs=n_jobs)
            found = silhouette_samples(table, labels, **options)
            np.testing.assert_array_equal(found, expected)
    drawn = np.random.RandomState(3).permutation(500)[:60]
    some = silhouette_score(table.iloc[drawn], labels[drawn], missing=missing)
    options = dict(sample_size=60, random_state=3, missing=missing)
    assert silhouette_score(table, labels, **options) == some
    assert silhouette_score(table, labels, missing=missing) == expected.mean()


def test_weights_are_repeated_rows_with_numbers_and_gaps_too():
    X, labels = labelled(40, 3, 3, 4)
    table = pd.DataFrame(X.astype(object)).assign(x=np.arange(40) % 7 + 0.5)
    table.loc[::5, "x"] = table.loc[1::7, 0] = None
    weights = 1 + np.arange(40) % 3
    found = silhouette_samples(table, labels, missing="ignore", sample_weight=weights)
    places = np.repeat(np.arange(40), weights)
    again = silhouette_samples(table.iloc[places], labels[places], missing="ignore")
    np.testing.assert_allclose(found[places], again, **close)


def test_large_weights_are_exact_or_refused_with_missing_values():
    X = [["a", None], ["a", "x"], ["b", "y"], ["a", "x"], ["b", None], ["b", "y"]]
    labels = [0, 0, 0, 1, 1, 1]
    weight = 10**15
    s = silhouette_samples(X, labels, sample_weight=[weight] * 6, missing="ignore")
    small = silhouette_samples(X, labels, sample_weight=[10**6] * 6, missing="ignore")
    np.testing.assert_allclose(s, small, rtol=0, atol=1e-5)
    wide = [row + list("abcdefghijklmnopqrstuvwxyz") for row in X]
    with pytest.raises(ValueError, match="sample_weight is too large"):
        silhouette_samples(wide, labels, sample_weight=[weight] * 6, missing="ignore")
    assert np.isfinite(
        silhouette_samples(wide, labels, sample_weight=[weight] * 6, missing="category")
    ).all()


@given(clusterings())
def test_draft_flatters_every_clustering(clustering):
    """With the sign mended, no coefficient of a point that is not alone is below the
    correct one.
    """
    X, labels, _ = clustering
    alone = np.bincount(labels)[labels] == 1
    draft = -plain_draft_silhouette(
        np.rint(cdist(X, X, "hamming") * X.shape[1]), labels
    )
    correct = silhouette_samples(X, labels)
    assert (draft[~alone] >= correct[~alone])[~np.isnan(draft[~alone])].all()


def test_weights_and_missing_values_in_parts(monkeypatch):
    X, labels = labelled(103, 5, 4, 3)
    table = pd.DataFrame(X).mask(np.random.default_rng(0).random(X.shape) < 0.2)
    table[0] = X[:, 0]
    options = dict(sample_weight=np.random.RandomState(0).randint(1, 5, 103))
    gaps = silhouette_samples(table, labels, missing="ignore", **options)
    whole = silhouette_samples(X, labels, **options)
    monkeypatch.setattr(silhouette, "_SHARE", 7)
    found = silhouette_samples(table, labels, missing="ignore", **options)
    np.testing.assert_array_equal(found, gaps)
    found = silhouette_samples(X, labels, n_jobs=3, **options)
    np.testing.assert_array_equal(found, whole)


@pytest.mark.parametrize(
    "named, change",
    [
        ("labels", dict(labels=[0, 0, 1])),
        ("labels", dict(labels=[1] * 4)),
        ("missing", dict(X=[["a"], ["b"], [None], ["b"]])),
        ("sample_weight", dict(sample_weight=[1, 1, 1, 0])),
        ("sample_weight", dict(sample_weight=[1] * 4, sample_size=2)),
        ("row 1", dict(missing="ignore", X=[["a"], [None], ["b"], ["b"]])),
    ],
)
def test_what_cannot_be_measured_is_refused(named, change):
    good = dict(X=[["a"], ["a"], ["b"], ["b"]], labels=[0, 0, 1, 1])
    with pytest.raises(ValueError, match=named):
        silhouette_score(**good | change)
