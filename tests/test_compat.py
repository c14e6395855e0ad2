"""`kmodes_study.compat` beside the package kmodes: names, signatures, dissimilarities,
fits from the same starts.
"""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from kmodes import (
    kmodes as old_kmodes,
    kprototypes as old_kprototypes,
    util as old_util,
)
from kmodes.util import dissim as old_dissim, init_methods as old_init
from scipy import sparse
from sklearn.base import clone, is_clusterer
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import estimator_checks_generator

from kmodes_study import compat
from kmodes_study.data.synthetic import toy_vehicles

NAMES = {
    old_kmodes: ["KModes", "k_modes", "labels_cost"],
    old_kprototypes: ["KPrototypes", "k_prototypes"],
    old_util: [
        "pandas_to_numpy",
        "get_max_value_key",
        "encode_features",
        "decode_centroids",
        "get_unique_rows",
    ],
    old_dissim: [
        "matching_dissim",
        "jaccard_dissim_binary",
        "jaccard_dissim_label",
        "euclidean_dissim",
        "ng_dissim",
    ],
    old_init: ["init_huang", "init_cao"],
}
PAIRS = [(module, name) for module, names in NAMES.items() for name in names]
DISSIMILARITIES = [
    "matching_dissim",
    "ng_dissim",
    "jaccard_dissim_binary",
    "jaccard_dissim_label",
]


def parameters(function):
    "Names, kinds and defaults, functions by their names, without annotations."
    default = lambda value: (
        value.__name__
        if callable(value) and value is not inspect.Parameter.empty
        else value
    )
    return [
        (p.name, p.kind, default(p.default))
        for p in inspect.signature(function).parameters.values()
    ]


def a_table(seed, dissim="matching_dissim"):
    """A small random table of codes that suits the dissimilarity and the old package,
    and a number of clusters.
    """
    rng = np.random.RandomState(seed)
    n = rng.randint(12, 40)
    m = rng.randint(2, 7)
    k = rng.randint(2, 5)
    X = rng.randint(0, 2 if dissim == "jaccard_dissim_binary" else 4, (n, m))
    if dissim == "jaccard_dissim_binary":
        X[np.arange(n), rng.randint(0, m, n)] = 1  # no empty set
    # the old package numbers columns anew
    X = X[:, [len(np.unique(column)) == X.max() + 1 for column in X.T]]
    keep = X.any(axis=1) if dissim == "jaccard_dissim_binary" else slice(None)
    return X[keep], k, rng


def people(n=60, seed=0):
    rng = np.random.RandomState(seed)
    group = rng.randint(0, 3, n)
    numbers = rng.normal(3 * group[:, None], 1, (n, 2))
    return np.column_stack(
        [
            numbers,
            np.where(rng.rand(n, 3) < 0.2, rng.randint(0, 3, (n, 3)), group[:, None]),
        ]
    )


@pytest.mark.parametrize("module, name", PAIRS)
def test_names_and_signatures(module, name):
    assert parameters(getattr(compat, name)) == parameters(getattr(module, name))


@pytest.mark.parametrize("module, name", PAIRS[:1] + PAIRS[3:4])
@pytest.mark.parametrize("method", ["fit", "fit_predict", "predict"])
def test_methods(module, name, method):
    assert parameters(getattr(getattr(compat, name), method)) == parameters(
        getattr(getattr(module, name), method)
    )


def test_every_function_of_the_old_package_has_a_counterpart():
    listed = {name for names in NAMES.values() for name in names}
    for module in NAMES:
        public = {
            name
            for name, value in vars(module).items()
            if callable(value)
            and value.__module__ == module.__name__
            and name[0] != "_"
        }
        # of k-prototypes: `labels_cost_prototypes`
        assert public - listed <= {"labels_cost"}
    assert parameters(compat.labels_cost_prototypes) == parameters(
        old_kprototypes.labels_cost
    )


@settings(deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(DISSIMILARITIES + ["euclidean_dissim"]))
def test_dissimilarities_are_equal(seed, name):
    rng = np.random.RandomState(seed)
    n = rng.randint(1, 30)
    m = rng.randint(1, 12)
    k = rng.randint(1, 6)
    X = rng.randint(0, 2 if "binary" in name else 4, (n, m))
    a, b = rng.randint(0, X.max() + 1, (k, m)), X[0]
    if "binary" in name:
        a[:, 0] = 1
    known = {}
    if name == "ng_dissim" and rng.rand() < 0.8:
        known = dict(X=X, membship=np.arange(k)[:, None] == rng.randint(0, k, n))
    np.testing.assert_array_equal(
        getattr(compat, name)(a, b, **known), getattr(old_dissim, name)(a, b, **known)
    )


@pytest.mark.parametrize(
    "name, a, b",
    [
        ("jaccard_dissim_binary", [[0, 0]], [0, 0]),
        ("jaccard_dissim_binary", [[0, 2]], [0, 1]),
        ("jaccard_dissim_label", [[0, np.nan]], [0, 1]),
        ("euclidean_dissim", [[0, np.nan]], [0, 1]),
    ],
)
def test_dissimilarities_refuse_the_same(name, a, b):
    for module in old_dissim, compat:
        with pytest.raises(ValueError):
            getattr(module, name)(np.array(a), np.array(b))


@pytest.mark.parametrize("seed", range(10))
def test_helpers_are_equal(seed):
    rng = np.random.RandomState(seed)
    X = rng.choice(list("abcd"), (20, 3))
    codes, enc_map = compat.encode_features(X)
    old_codes, old_map = old_util.encode_features(X)
    np.testing.assert_array_equal(codes, old_codes)
    assert enc_map == old_map
    assert codes.dtype == old_codes.dtype
    new = rng.choice(list("abcdefg"), (9, 3))
    np.testing.assert_array_equal(
        compat.encode_features(new, enc_map)[0],
        old_util.encode_features(new, old_map)[0],
    )
    np.testing.assert_array_equal(
        compat.decode_centroids(codes, enc_map),
        old_util.decode_centroids(old_codes, old_map),
    )
    assert {*map(tuple, compat.get_unique_rows(codes))} == {
        *map(tuple, old_util.get_unique_rows(codes))
    }
    counts = dict(zip(range(5), rng.randint(0, 3, 5).tolist()))
    assert compat.get_max_value_key(counts) == old_util.get_max_value_key(counts)


class NoDraws(np.random.RandomState):
    """A random state that is not to be asked for a choice, which the old package does
    only for an empty cluster.
    """

    def choice(self, *_, **__):
        raise InterruptedError


@pytest.mark.parametrize("dissim", DISSIMILARITIES)
def test_fits_from_the_same_start(dissim, monkeypatch):
    """As long as no cluster falls empty, the passes of both packages cost the same; and
    the best state is never above the old last state.
    """
    monkeypatch.setattr(old_kmodes, "check_random_state", lambda seed: NoDraws(0))
    compared = 0
    for seed in range(40):
        X, k, rng = a_table(seed, dissim)
        if X.shape[1] == 0 or len(np.unique(X, axis=0)) <= k:
            continue
        start = X[rng.permutation(len(X))[:k]]
        new = compat.KModes(k, cat_dissim=getattr(compat, dissim), init=start).fit(X)
        assert new.cost_ <= min(new.epoch_costs_) + 1e-9
        try:
            old = old_kmodes.KModes(
                k, cat_dissim=getattr(old_dissim, dissim), init=start.astype(np.uint16)
            ).fit(X)
        except InterruptedError:
            continue
        compared += 1
        np.testing.assert_allclose(new.epoch_costs_, old.epoch_costs_)
        assert new.cost_ <= old.cost_ + 1e-9
        assert new.n_iter_ == old.n_iter_
    assert compared >= 20


def test_cao_is_the_same_start():
    """Where rounding does not decide, Cao's modes and the passes after them are the old
    ones.
    """
    same = 0
    for seed in range(30):
        X, k, _ = a_table(seed)
        if len(np.unique(X, axis=0)) <= k:
            continue
        if not np.array_equal(
            compat.init_cao(X, k, compat.matching_dissim),
            old_init.init_cao(X, k, old_dissim.matching_dissim),
        ):
            continue
        old, new = old_kmodes.KModes(k).fit(X), compat.KModes(k).fit(X)
        same += old.epoch_costs_ == new.epoch_costs_
        assert old.epoch_costs_ != new.epoch_costs_ or new.cost_ <= old.cost_
    assert same >= 20


@pytest.mark.parametrize("seed", range(8))
def test_huang_is_the_same_start_where_nothing_is_tied(seed):
    rng = np.random.RandomState(seed)
    X, far = rng.randint(0, 4, (25, 5)), rng.rand(4, 5)

    def dissim(a, b, **_):
        return sum((a[:, j] != b[j]) * 2.0**j for j in range(5)) + 1e-6 * far[
            a.astype(int), np.arange(5)
        ].sum(axis=1)

    np.testing.assert_array_equal(
        compat.init_huang(X, 3, dissim, np.random.RandomState(seed)),
        old_init.init_huang(X, 3, dissim, np.random.RandomState(seed)).astype(int),
    )


def test_attributes_and_shapes():
    X = toy_vehicles().astype(str)
    old, new = old_kmodes.KModes(3).fit(X), compat.KModes(3).fit(X)
    for name in "labels_", "cluster_centroids_", "_enc_cluster_centroids":
        assert getattr(new, name).shape == getattr(old, name).shape
    for name in "cost_", "n_iter_", "epoch_costs_", "_enc_map":
        assert getattr(new, name) == getattr(old, name)
    assert new.cluster_centroids_.dtype.kind == old.cluster_centroids_.dtype.kind == "U"
    assert {*new.get_params()} == {*old.get_params()}
    mixed = people()
    old, new = (
        module.KPrototypes(3, random_state=0).fit(mixed, categorical=[2, 3, 4])
        for module in (old_kprototypes, compat)
    )
    for name in "labels_", "cluster_centroids_":
        assert getattr(new, name).shape == getattr(old, name).shape
    for one, other in zip(new._enc_cluster_centroids, old._enc_cluster_centroids):
        assert one.shape == other.shape
    assert new._enc_map == old._enc_map
    assert new.gamma_ == pytest.approx(old.gamma)
    np.testing.assert_allclose(new.cost_, old.cost_, rtol=0.05)


def test_functions_return_what_the_old_ones_return():
    X = a_table(3)[0]
    old = old_kmodes.k_modes(X, 3, 100, old_dissim.matching_dissim, "Cao", 1, 0, 0, 1)
    new = compat.k_modes(X, 3, 100, compat.matching_dissim, "Cao", 1, 0, 0, 1)
    assert len(old) == len(new) == 6
    assert [np.shape(part) for part in new[:1] + new[2:5]] == [
        np.shape(part) for part in old[:1] + old[2:5]
    ]
    mixed = people()
    arguments = [2, 3, 4], 3, 100
    old = old_kprototypes.k_prototypes(
        mixed,
        *arguments,
        old_dissim.euclidean_dissim,
        old_dissim.matching_dissim,
        None,
        "Cao",
        1,
        0,
        0,
        1,
    )
    new = compat.k_prototypes(
        mixed,
        *arguments,
        compat.euclidean_dissim,
        compat.matching_dissim,
        None,
        "Cao",
        1,
        0,
        0,
        1,
    )
    assert len(old) == len(new) == 7
    assert new[-1] == pytest.approx(old[-1])


@pytest.mark.parametrize("seed", range(10))
def test_labels_cost(seed):
    X, k, rng = a_table(seed)
    weights = rng.randint(1, 5, len(X)).astype(float)
    for name in "matching_dissim", "ng_dissim":
        old = old_kmodes.labels_cost(
            X, X[:k], getattr(old_dissim, name), sample_weight=weights
        )
        new = compat.labels_cost(X, X[:k], getattr(compat, name), sample_weight=weights)
        np.testing.assert_array_equal(old[0], new[0])
        assert old[1] == new[1]
    member = np.arange(k)[:, None] == rng.randint(0, k, len(X))
    old = old_kmodes.labels_cost(X, X[:k], old_dissim.ng_dissim, member)
    new = compat.labels_cost(X, X[:k], compat.ng_dissim, member)
    np.testing.assert_array_equal(old[0], new[0])
    numbers = rng.normal(size=(len(X), 2))
    prototypes = [numbers[:k], X[:k]]
    old = old_kprototypes.labels_cost(
        numbers,
        X,
        prototypes,
        old_dissim.euclidean_dissim,
        old_dissim.matching_dissim,
        0.7,
    )
    new = compat.labels_cost_prototypes(
        numbers, X, prototypes, compat.euclidean_dissim, compat.matching_dissim, 0.7
    )
    np.testing.assert_array_equal(old[0], new[0])
    assert old[1] == pytest.approx(new[1])


@pytest.mark.parametrize("cat_dissim", ["matching_dissim", "ng_dissim"])
def test_prototypes_from_the_same_start(cat_dissim):
    """The plain path takes the old passes; the batch algorithm of the engine ends near
    them.
    """
    ratios = []
    for seed in range(12):
        X = people(50, seed)
        start = [X[:3, :2].copy(), X[:3, 2:].astype(np.uint16)]
        old = old_kprototypes.KPrototypes(
            3,
            cat_dissim=getattr(old_dissim, cat_dissim),
            init=[part.copy() for part in start],
        ).fit(X, categorical=[2, 3, 4])
        new = compat.KPrototypes(
            3, cat_dissim=getattr(compat, cat_dissim), init=start
        ).fit(X, categorical=[2, 3, 4])
        if cat_dissim == "ng_dissim":
            np.testing.assert_allclose(new.epoch_costs_, old.epoch_costs_)
        ratios.append(new.cost_ / old.cost_)
    assert np.mean(ratios) < 1.02
    assert cat_dissim != "ng_dissim" or max(ratios) <= 1 + 1e-9


def test_own_functions():
    """Any function of a, b, X and membship can be a dissimilarity; it is called as the
    old package calls it.
    """

    def far(a, b, X=None, membship=None):
        assert X is None or membship is None or membship.shape == (len(a), len(X))
        return 2 * np.sum(a != b, axis=1)

    X, k, rng = a_table(5)
    start = X[rng.permutation(len(X))[:k]]
    own, matching = (
        compat.KModes(k, cat_dissim=dissim, init=start).fit(X)
        for dissim in (far, compat.matching_dissim)
    )
    assert own.epoch_costs_ == [2 * cost for cost in matching.epoch_costs_]
    own = compat.KPrototypes(
        3,
        num_dissim=lambda a, b: np.abs(a - b).sum(axis=1),
        init="Huang",
        n_init=2,
        random_state=0,
    ).fit(people(), categorical=[2, 3, 4])
    np.testing.assert_array_equal(own.labels_, own.predict(people()))


@pytest.mark.parametrize("dissim", ["matching_dissim", "ng_dissim"])
def test_weighted_fits_from_the_same_start(dissim, monkeypatch):
    """A row of a weight moves as one, in both packages; the passes cost the same as
    long as no cluster falls empty.
    """
    monkeypatch.setattr(old_kmodes, "check_random_state", lambda seed: NoDraws(0))
    compared = 0
    for seed in range(20):
        X, k, rng = a_table(seed)
        weights = rng.randint(1, 4, len(X)).tolist()
        start = X[rng.permutation(len(X))[:k]]
        if len(np.unique(start, axis=0)) < k:
            continue
        new = compat.KModes(k, cat_dissim=getattr(compat, dissim), init=start).fit(
            X, sample_weight=weights
        )
        try:
            old = old_kmodes.KModes(
                k, cat_dissim=getattr(old_dissim, dissim), init=start.astype(np.uint16)
            )
            old.fit(X, sample_weight=weights)
        except InterruptedError:
            continue
        compared += 1
        np.testing.assert_allclose(new.epoch_costs_, old.epoch_costs_)
        assert new.cost_ <= old.cost_ + 1e-9
    assert compared >= 8


@pytest.mark.parametrize("init", ["Cao", "Huang", "random"])
def test_rows_of_weight_zero_are_absent(init):
    compared = 0
    for seed in range(5):
        X, k, rng = a_table(seed)
        weights = rng.randint(0, 3, len(X))
        present = weights > 0
        if len(np.unique(X[present], axis=0)) <= k:
            continue
        compared += 1
        model = compat.KModes(k, init=init, n_init=3, random_state=seed)
        weighted = clone(model).fit(X, sample_weight=weights)
        without = clone(model).fit(X[present], sample_weight=weights[present])
        assert weighted.cost_ == without.cost_
        np.testing.assert_array_equal(weighted.labels_[present], without.labels_)
        np.testing.assert_array_equal(weighted.labels_, weighted.predict(X))
    assert compared >= 3


@pytest.mark.parametrize("cat_dissim", ["matching_dissim", "ng_dissim"])
def test_weighted_prototypes_are_weighted_means(cat_dissim):
    X, weights = people(), np.random.RandomState(1).randint(1, 6, 60)
    model = compat.KPrototypes(
        3, cat_dissim=getattr(compat, cat_dissim), random_state=0
    ).fit(X, categorical=[2, 3, 4], sample_weight=weights)
    for l in range(3):
        own = model.labels_ == l
        np.testing.assert_allclose(
            model._enc_cluster_centroids[0][l],
            np.average(X[own, :2], axis=0, weights=weights[own]),
            atol=1e-6,
        )
    assert model.gamma_ == pytest.approx(
        old_kprototypes.KPrototypes(3).fit(X, categorical=[2, 3, 4]).gamma
    )


def test_one_row_of_positive_weight_is_the_prototype():
    """Its numbers alone never change, but those of the table do, and these make the
    price.
    """
    X = np.array([["a", 1.0, "b"], ["c", 3.0, "d"]], dtype=object)
    for weights in [1, 0], np.array([0, 1]):
        model = compat.KPrototypes(1, init="Cao").fit(
            X, categorical=[0, 2], sample_weight=weights
        )
        row = X[int(np.argmax(weights))]
        assert (model.cluster_centroids_.tolist(), model.cost_, model.gamma_) == (
            [[row[1], row[0], row[2]]],
            0,
            0.5,
        )


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_change_nothing(n_jobs):
    X, k, _ = a_table(1)
    for model, known in (
        (compat.KModes(k, init="random", random_state=3), {}),
        (compat.KPrototypes(3, random_state=3), dict(categorical=[2, 3, 4])),
    ):
        table = people() if known else X
        one = clone(model).fit(table, **known)
        many = clone(model).set_params(n_jobs=n_jobs).fit(table, **known)
        np.testing.assert_array_equal(one.labels_, many.labels_)
        assert one.epoch_costs_ == many.epoch_costs_


def test_nothing_of_the_caller_changes():
    frame = toy_vehicles()
    start = np.array([[0, 1, 2, 1, 2, 1], [1, 2, 0, 0, 0, 0]], np.uint16)
    before = frame.copy()
    kept = start.copy()
    model = compat.KModes(2, init=start, n_init=7)
    model.fit(frame)
    pd.testing.assert_frame_equal(frame, before)
    np.testing.assert_array_equal(start, kept)
    assert model.get_params()["n_init"] == 7
    X, pair = people(), [people()[:3, :2], people()[:3, 2:].astype(np.uint16)]
    copies = X.copy(), [part.copy() for part in pair]
    compat.KPrototypes(3, init=pair).fit(X, categorical=(2, 3, 4))
    np.testing.assert_array_equal(X, copies[0])
    for part, copy in zip(pair, copies[1]):
        np.testing.assert_array_equal(part, copy)


def test_init_in_words_one_column_and_codes_of_objects():
    colours = pd.DataFrame({"colour": list("rgbrgbbb")})
    assert compat.KModes(3, init=np.array(["r", "g", "b"])).fit(colours).cost_ == 0
    assert compat.KModes(3, init=np.array([2, 1, 0])).fit(colours).cost_ == 0
    assert compat.KModes(2, init=np.array([2, 1], dtype=object)).fit(
        colours
    ).labels_.tolist()[:2] == [0, 1]
    years = np.array([[2001], [2002], [2003]] * 3)
    assert compat.KModes(2, init=np.array([2003, 2001])).fit(years).labels_.tolist()[
        :3:2
    ] == [1, 0]
    numbers = np.array([[1], [2]] * 3)  # codes 0 and 1
    assert compat.KModes(2, init=np.array([[1], [0]])).fit(numbers).labels_.tolist()[
        :2
    ] == [1, 0]
    assert compat.KModes(2, init=pd.DataFrame([[2], [1]])).fit(
        numbers
    ).labels_.tolist()[:2] == [1, 0]
    digits = np.array([["1"], ["2"], ["1"], ["0"]])
    assert compat.KModes(2, init=np.array([["2"], ["1"]])).fit(digits).labels_.tolist()[
        :2
    ] == [1, 0]
    with pytest.raises(compat.BadArgument, match="init"):
        compat.KModes(2, init=np.array(["r", "x"])).fit(colours)


BAD = [
    (lambda X: compat.KModes(99).fit(X), (ValueError, AssertionError)),
    (lambda X: compat.KModes(0).fit(X), (ValueError,)),
    (lambda X: compat.KModes(2, max_iter=-1).fit(X), (ValueError,)),
    (lambda X: compat.KModes(2, init="Huang", n_init=0).fit(X), (ValueError,)),
    (lambda X: compat.KModes(2, init="best").fit(X), (ValueError, NotImplementedError)),
    (lambda X: compat.KModes(2, init=None).fit(X), (ValueError, NotImplementedError)),
    (lambda X: compat.KModes(2, init=X[:3]).fit(X), (ValueError, AssertionError)),
    (
        lambda X: compat.KModes(2).predict(X),
        (ValueError, AssertionError, NotFittedError),
    ),
    (lambda X: compat.KModes(2).cluster_centroids_, (AttributeError,)),
    (lambda X: compat.KModes(2).fit(X).predict(X[:, :1]), (ValueError,)),
    (lambda X: compat.KModes(2).fit(sparse.csr_matrix(X)), (TypeError,)),
    (lambda X: compat.KModes(2).fit(np.where(X == 0, np.nan, X)), (ValueError,)),
    (
        lambda X: compat.KModes(2).fit(X).predict(np.where(X == 0, np.nan, X)),
        (ValueError,),
    ),
    (lambda X: compat.KModes(2).fit(np.where(X == 0, np.inf, X)), (ValueError,)),
    (
        lambda X: compat.KModes(2).fit(X).predict(np.where(X == 0, np.inf, X)),
        (ValueError,),
    ),
    (
        lambda X: compat.decode_centroids(X + 99, compat.encode_features(X)[1]),
        (ValueError,),
    ),
    (lambda X: compat.KModes(2).fit(X, sample_weight=[1]), (ValueError,)),
    (lambda X: compat.KModes(2).fit(X, sample_weight=["a"] * len(X)), (ValueError,)),
    (lambda X: compat.KModes(2).fit(X, sample_weight=[-1] * len(X)), (ValueError,)),
    (lambda X: compat.KModes(2).fit(X, sample_weight=[0] * len(X)), (ValueError,)),
    (lambda X: compat.KPrototypes(2).fit(X), (ValueError, NotImplementedError)),
    (
        lambda X: compat.KPrototypes(2).fit(X, categorical=list(range(X.shape[1]))),
        (ValueError, AssertionError),
    ),
    (
        lambda X: compat.KPrototypes(2).fit(X, categorical=[99]),
        (ValueError, AssertionError),
    ),
    (
        lambda X: compat.KPrototypes(2).fit(X, categorical=1.5),
        (ValueError, AssertionError),
    ),
    (
        lambda X: compat.KPrototypes(2).fit(X, categorical=True),
        (ValueError, AssertionError),
    ),
    (
        lambda X: compat.KPrototypes(2).fit(X, categorical={0}),
        (ValueError, AssertionError),
    ),
    (
        lambda X: compat.KPrototypes(2).fit(
            X * [0, *[1] * (X.shape[1] - 1)], categorical=list(range(1, X.shape[1]))
        ),
        (ValueError,),
    ),
    (
        lambda X: compat.KPrototypes(99).fit(X, categorical=0),
        (ValueError, AssertionError),
    ),
    (lambda X: compat.KModes(2, n_jobs=float("nan")).fit(X), (ValueError,)),
    (lambda X: compat.KModes(2, cat_dissim="matching").fit(X), (ValueError,)),
    (lambda X: compat.KModes(2, random_state="x").fit(X), (ValueError,)),
    (
        lambda X: compat.KPrototypes(2, num_dissim=None).fit(X, categorical=0),
        (ValueError,),
    ),
    (
        lambda X: compat.init_cao(X, len(X) + 1, compat.matching_dissim),
        (ValueError, AssertionError),
    ),
    (
        lambda X: compat.init_huang(X, len(X) + 1, compat.matching_dissim, 0),
        (ValueError, AssertionError),
    ),
    (
        lambda X: compat.labels_cost(
            X, X[:2], compat.matching_dissim, sample_weight=[float("nan")] * len(X)
        ),
        (ValueError,),
    ),
    (lambda X: compat.matching_dissim(X[0], X[0]), (ValueError,)),
    (lambda X: compat.KPrototypes(2, gamma=-1).fit(X, categorical=0), (ValueError,)),
    (
        lambda X: compat.KPrototypes(2, init=X[:2]).fit(X, categorical=0),
        (ValueError, NotImplementedError),
    ),
    (
        lambda X: compat.KPrototypes(2, init=[X[:2]]).fit(X, categorical=0),
        (ValueError,),
    ),
    (
        lambda X: compat.KPrototypes(2, init=[X[:3, 1:], X[:3, :1]]).fit(
            X, categorical=0
        ),
        (ValueError, AssertionError),
    ),
    (
        lambda X: compat.KPrototypes(2).fit(np.where(X == 0, np.nan, X), categorical=0),
        (ValueError,),
    ),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_errors_of_both_kinds(case):
    call, kinds = BAD[case]
    for kind in kinds:
        with pytest.raises(kind):
            call(a_table(2)[0])


INHERENT = {
    "check_clustering": (
        "wants an adjusted Rand index above 0.4 on continuous blobs, where every "
        "value is a category of its own"
    ),
    "check_sample_weight_equivalence_on_dense_data": (
        "compares with shuffled rows; modes follow each point, so the order of rows "
        "matters"
    ),
}


# Looks at nothing unless an environment variable of scipy is set; codes are numpy
# arrays.
NOT_APPLICABLE = ["check_array_api_input"]
CHECKS = [
    check
    for _, check in estimator_checks_generator(compat.KModes(n_clusters=2))
    if check.func.__name__ not in NOT_APPLICABLE
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.func.__name__)
def test_scikit_learn(check):
    if check.func.__name__ in INHERENT:
        with pytest.raises(AssertionError):
            check(compat.KModes(n_clusters=2))
    else:
        check(compat.KModes(n_clusters=2))


def test_as_estimators():
    X = toy_vehicles()
    for model, known in (
        (compat.KModes(3), {}),
        (
            compat.KPrototypes(3, random_state=0),
            dict(categorical=["price", "maintenance"]),
        ),
    ):
        assert is_clusterer(model)
        fitted = clone(model).fit(X, **known)
        assert fitted.feature_names_in_.tolist() == list(X.columns)
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(again.predict(X, **known), fitted.labels_)
        np.testing.assert_array_equal(
            clone(model).fit_predict(X, **known), fitted.labels_
        )
        with pytest.raises(ValueError, match="feature names"):
            fitted.predict(X[X.columns[::-1]], **known)


def test_unknown_categories_match_nothing():
    model = compat.KModes(2, init=np.array([[0, 0], [1, 1]])).fit(
        np.array([["a", "x"], ["b", "y"]] * 3)
    )
    assert model.predict(
        np.array([["?", "y"], ["b", "?"], ["?", "?"], ["?", "x"]])
    ).tolist() == [1, 1, 0, 0]
    mixed = compat.KPrototypes(2, random_state=0).fit(
        np.array([[0, "a"], [9, "b"]] * 3, dtype=object), categorical=1
    )
    assert (
        mixed.predict(np.array([[0, "?"], [9, "?"]], dtype=object)).tolist()
        == mixed.labels_.tolist()[:2]
    )


@pytest.mark.filterwarnings("ignore:X has")
def test_few_distinct_rows():
    X = np.array([[0.0, "a"], [5.0, "b"], [0.0, "a"], [9.0, "a"]], dtype=object)
    for labels in (
        compat.KModes(4).fit(X).labels_,
        compat.KPrototypes(4).fit(X, categorical=1).labels_,
    ):
        assert labels[0] == labels[2]
        assert len(set(labels.tolist())) == 3
    for model, known in (
        (compat.KModes(3, init="random"), {}),
        (compat.KPrototypes(3), dict(categorical=1)),
    ):
        assert model.fit(X, **known).cost_ == 0
        assert len(model.cluster_centroids_) == 3
    with pytest.warns(UserWarning, match="3 distinct rows, fewer than n_clusters=4"):
        compat.KModes(4).fit(X)


def test_verbose_reports_each_run(capsys):
    compat.KModes(2, init="random", n_init=3, verbose=1).fit(a_table(0)[0])
    assert capsys.readouterr().out.count("start ") == 3


# what callers of the old package rely on, found by running both


def split(labels):
    "Labels as sets of rows."
    return {frozenset(np.flatnonzero(labels == l).tolist()) for l in np.unique(labels)}


@pytest.mark.parametrize("dissim", ["matching_dissim", "ng_dissim"])
def test_digits_in_strings_and_modes_as_codes(dissim):
    """Modes are whole numbers, categories are texts; a code that does not occur matches
    nothing.
    """
    rng = np.random.RandomState(0)
    truth = np.repeat(np.arange(3), 12)
    numbers = np.where(
        rng.rand(36, 8) < 0.15, rng.randint(0, 4, (36, 8)), truth[:, None]
    )
    texts, start = numbers.astype(str), numbers[[0, 12, 24]]
    for far in (0, 9):
        begun = np.where(np.arange(8) == 0, far, start) if far else start
        old = old_kmodes.KModes(
            3, cat_dissim=getattr(old_dissim, dissim), init=begun.astype(np.uint16)
        ).fit(texts)
        new = compat.KModes(3, cat_dissim=getattr(compat, dissim), init=begun).fit(
            texts
        )
        np.testing.assert_allclose(new.epoch_costs_, old.epoch_costs_)
        assert new.cluster_centroids_.tolist() == old.cluster_centroids_.tolist()
        assert new.cluster_centroids_.dtype.kind == "U"
        assert new.labels_.dtype == old.labels_.dtype == np.uint16


def test_numbers_in_tables_of_text_stay_text():
    X = people().round(2)
    texts = X.astype(str)
    texts[:, 2:] = np.array(["a", "b", "c"])[X[:, 2:].astype(int)]
    old, new = (
        module.KPrototypes(3, random_state=0).fit(texts, categorical=[2, 3, 4])
        for module in (old_kprototypes, compat)
    )
    assert new.cluster_centroids_.dtype.kind == old.cluster_centroids_.dtype.kind == "U"
    assert new.cost_ <= 1.05 * old.cost_
    assert new.labels_.dtype == np.uint16
    means = [texts[new.labels_ == l, :2].astype(float).mean(axis=0) for l in range(3)]
    np.testing.assert_allclose(
        new.cluster_centroids_[:, :2].astype(float), means, rtol=1e-9
    )
    frame = pd.DataFrame(texts, columns=list("vwxyz")).astype({"v": float, "w": float})
    kept = compat.KPrototypes(3, random_state=0).fit(frame, categorical=["x", "y", "z"])
    assert isinstance(kept.cluster_centroids_[0, 0], float)
    assert kept.cost_ == new.cost_


@pytest.mark.parametrize(
    "weights",
    [[1] * 5, [None] * 60, ["a"] * 60, [-1] + [1] * 59, [0] * 58 + [1] * 2],
    ids=lambda w: f"{len(w)} {w[0]}",
)
def test_weights_are_refused_in_like_words(weights):
    "What the old package says of weights is how the new message begins."
    X = people()
    calls = {"KModes": (X, {}), "KPrototypes": (X, dict(categorical=[2, 3, 4]))}
    for (name, (table, known)), module in zip(
        calls.items(), (old_kmodes, old_kprototypes)
    ):
        with pytest.raises(ValueError) as old:
            getattr(module, name)(3).fit(table, sample_weight=weights, **known)
        with pytest.raises(ValueError, match="sample_weight") as new:
            getattr(compat, name)(3).fit(table, sample_weight=weights, **known)
        assert str(new.value).startswith(str(old.value).rstrip("."))


def test_rows_of_labels_may_come_as_matrices():
    a, b = np.array([[1, 2, 2], [4, 5, 6]]), np.array([[2, 1, 1]])
    np.testing.assert_array_equal(
        compat.jaccard_dissim_label(a, b), old_dissim.jaccard_dissim_label(a, b)
    )
    assert (
        compat.matching_dissim(a[:1], a).tolist()
        == old_dissim.matching_dissim(a[:1], a).tolist()
    )


def test_missing_values_of_encode_features():
    X = np.array([[0, 0], [np.nan, 1], [9, 0]])
    codes, enc_map = compat.encode_features(X)
    assert codes.tolist() == [[0, 0], [-1, 1], [1, 0]]
    assert enc_map == [{0: 0, 9: 1}, {0: 0, 1: 1}]


def test_numbers_that_never_change_need_a_price():
    X = np.array([[0.0, "a"]] * 3 + [[0.0, "b"]] * 3, dtype=object)
    for module in old_kprototypes, compat:
        with pytest.raises(ValueError):
            module.KPrototypes(2, random_state=0).fit(X, categorical=[1])
    assert split(compat.KPrototypes(2, gamma=1).fit(X, categorical=[1]).labels_) == {
        frozenset({0, 1, 2}),
        frozenset({3, 4, 5}),
    }
