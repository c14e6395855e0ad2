"""k-prototypes against the naive form, scikit-learn, k-modes and the peer; the estimator against scikit-learn's checks and bad input."""
import copy
import os
import pickle
import subprocess
import sys
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from kmodes.kprototypes import KPrototypes as Peer
from sklearn.base import clone, is_clusterer
from sklearn.cluster import KMeans
from sklearn.compose import make_column_selector
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import estimator_checks_generator

from kmodes_study.cluster import kprototypes as module
from kmodes_study.cluster.initialisation import init_cao
from kmodes_study.cluster.kmodes import lloyd
from kmodes_study.cluster.kprototypes import KPrototypes, check_prototypes, initial_rows, k_prototypes

INITS = ["k-means++", "cao", "huang", "random"]


def mixed(seed=0, n=60, p=2, levels=(3, 2), whole=False):
    "Numbers, codes and integer weights."
    rng = np.random.default_rng(seed)
    numeric = rng.integers(0, 4, (n, p)).astype(float) if whole else rng.normal(size=(n, p))
    codes = np.column_stack([rng.integers(0, v, n) for v in levels]).astype(np.uint8) if levels else np.empty((n, 0), np.uint8)
    return numeric, codes, rng.integers(1, 4, n)


def frame(seed=0, n=60):
    "A frame with two numeric columns between two categorical ones."
    numeric, codes, weights = mixed(seed, n)
    return pd.DataFrame({"shape": np.array(["round", "flat", "long"])[codes[:, 0]], "width": numeric[:, 0], "height": numeric[:, 1],
                         "new": codes[:, 1] == 1}), weights


def quiet(model, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*args, **kwargs)


# the two steps and the loop

@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("p, levels", [(2, (3, 2)), (0, (3, 2, 4)), (3, ())])
def test_steps_are_the_naive_ones(seed, p, levels):
    numeric, codes, weights = mixed(seed, 40, p, levels, whole=True)
    data = module._check_mixed(numeric, codes, weights)
    labels, distances, cost = module._assigned(data, numeric[:3], codes[:3], .25)
    naive, dissimilarities = module._naive_assign(numeric.tolist(), codes.tolist(), numeric[:3].tolist(), codes[:3].tolist(), .25)
    assert labels.tolist() == naive and distances.tolist() == dissimilarities and cost == (weights*dissimilarities).sum()
    present, dense = np.unique(labels, return_inverse=True)
    centres, modes = module._updated(data, dense.astype(np.int32), numeric[:len(present)], codes[:len(present)])
    naive_centres, naive_modes = module._naive_update(numeric, codes, dense, weights, len(present))
    assert centres.tolist() == np.reshape(naive_centres, centres.shape).tolist()
    assert modes.tolist() == np.reshape(naive_modes, modes.shape).tolist()


def test_ties_go_to_the_lowest_cluster_and_the_lowest_code():
    numeric, codes = np.zeros((4, 1)), np.array([[1], [0], [2], [2]], np.uint8)
    data = module._check_mixed(numeric, codes)
    assert module._assigned(data, np.zeros((2, 1)), np.array([[3], [3]], np.uint8), 1.)[0].tolist() == [0]*4
    assert module._updated(data, np.array([0, 0, 1, 1], np.int32), numeric[:2], codes[:2])[1].tolist() == [[0], [2]]


@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), k=st.integers(1, 6), p=st.integers(0, 2), q=st.integers(0, 3),
       gamma=st.sampled_from([0., .5, 1., 3.]), whole=st.booleans())
@settings(max_examples=80, deadline=None)
def test_every_descent_passes_the_check(seed, n, k, p, q, gamma, whole):
    if p + q == 0: return
    numeric, codes, weights = mixed(seed, n, p, (3,)*q, whole)
    start = np.random.default_rng(seed).integers(0, n, k)
    result = k_prototypes(numeric, codes, numeric[start], codes[start], gamma, weights)
    check_prototypes(numeric, codes, result, gamma, weights)
    assert result.converged and result.labels.dtype == np.int32 and len(result.epoch_costs) <= result.n_iter + 1
    again = k_prototypes(numeric, codes, result.centres, result.modes, gamma, weights)
    assert again.cost == pytest.approx(result.cost, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_alone_are_k_means(seed):
    numeric, codes, weights = mixed(seed, 200)
    kmeans = KMeans(5, init=numeric[:5], n_init=1, tol=0, algorithm="lloyd").fit(numeric, sample_weight=weights)
    for result in (k_prototypes(numeric, codes[:, :0], numeric[:5], codes[:5, :0], 1, weights), k_prototypes(numeric, codes, numeric[:5], codes[:5], 0, weights)):
        assert result.labels.tolist() == kmeans.labels_.tolist()
        assert result.cost == pytest.approx(kmeans.inertia_, rel=1e-9)
        np.testing.assert_allclose(result.centres, kmeans.cluster_centers_, rtol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_categories_alone_are_k_modes(seed):
    _, codes, _ = mixed(seed, 200, 0, (3, 4, 2, 5))
    start = np.unique(codes, axis=0)[::7][:4]
    ours, theirs = k_prototypes(np.empty((200, 0)), codes, np.empty((4, 0)), start, 1), lloyd(codes, start)
    assert ours.labels.tolist() == theirs.labels.tolist() and ours.modes.tolist() == theirs.modes.tolist() and ours.cost == theirs.cost


@pytest.mark.parametrize("seed", range(10))
def test_peer_agrees_on_the_cost_and_does_not_end_lower(seed):
    numeric, codes, _ = mixed(seed)
    peer = Peer(3, init=[numeric[:3].copy(), codes[:3]], n_init=1, gamma=.5).fit(np.column_stack([numeric, codes]), categorical=[2, 3])
    centres = peer.cluster_centroids_
    further = k_prototypes(numeric, codes, centres[:, :2].astype(float), centres[:, 2:].astype(np.uint8), .5)
    assert further.epoch_costs[0] == pytest.approx(peer.cost_, rel=1e-12)
    assert further.cost <= peer.cost_*(1 + 1e-12)


def test_same_optimum_as_the_peer_on_separated_clusters():
    rng, truth = np.random.default_rng(0), np.arange(90) % 3
    numeric, codes = rng.normal(size=(90, 2)) + 20*truth[:, None], (truth[:, None] + (rng.random((90, 3)) < .1)) % 3
    peer = Peer(3, init=[numeric[:3].copy(), codes[:3]], n_init=1, gamma=2).fit(np.column_stack([numeric, codes]), categorical=[2, 3, 4])
    ours = k_prototypes(numeric, codes, numeric[:3], codes[:3], 2)
    assert ours.labels.tolist() == peer.labels_.tolist() == truth.tolist()
    assert ours.cost == pytest.approx(peer.cost_, rel=1e-12)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_change_nothing(n_jobs):
    numeric, codes, weights = mixed(1, 13000 if module._LANES and hasattr(module._assign, "py_func") else 4200)
    alone = k_prototypes(numeric, codes, numeric[:5], codes[:5], .5, weights/3, max_iter=4)
    many = k_prototypes(numeric, codes, numeric[:5], codes[:5], .5, weights/3, max_iter=4, n_jobs=n_jobs)
    assert len(module._blocks(len(codes), 1)) > 1
    assert alone.epoch_costs == many.epoch_costs and alone.centres.tobytes() == many.centres.tobytes() and alone.labels.tobytes() == many.labels.tobytes()


def test_more_attributes_than_a_byte_counts():
    codes = np.zeros((3, 300), np.uint8)
    codes[1:] = 1
    result = k_prototypes(np.empty((3, 0)), codes, np.empty((1, 0)), codes[:1], 1, max_iter=0)
    assert result.cost == 600


def test_empty_clusters_take_the_costliest_rows():
    numeric, codes = np.array([[0.], [1], [5], [9]]), np.zeros((4, 1), np.uint8)
    far = np.array([[3.], [50], [60]])
    labels, centres, _, _ = module._filled(module._check_mixed(numeric, codes), far, codes[:3], 1.)
    assert centres.tolist() == [[3], [9], [0]] and labels.tolist() == [2, 2, 0, 1]


def test_inputs_are_left_alone():
    numeric, codes, weights = mixed(3)
    before = copy.deepcopy((numeric, codes, weights))
    start = numeric[:3].copy(), codes[:3].copy()
    k_prototypes(numeric, codes, *start, .5, weights)
    KPrototypes(3, init=np.column_stack([numeric, codes])[:3], categorical_features=[2, 3]).fit(np.column_stack([numeric, codes]), sample_weight=weights)
    for left, right in zip((numeric, codes, weights, *start), (*before, before[0][:3], before[1][:3])): assert np.array_equal(left, right)


# starts

@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("gamma", [0, .5])
def test_starts_are_distinct_rows(init, gamma):
    numeric, codes, weights = mixed(0, 50, whole=True)
    weights[:25] = 0
    key = numeric if gamma == 0 else np.column_stack([numeric, codes])
    different = len(np.unique(key[25:], axis=0))
    for seed, k in product(range(5), (1, 4, 50)):
        rows = initial_rows(numeric, codes, k, init, gamma, weights, seed)
        assert len(rows) == min(k, different) == len(np.unique(key[rows], axis=0)) and rows.min() >= 25


@pytest.mark.parametrize("seed", range(5))
def test_cao_on_categories_is_cao(seed):
    _, codes, _ = mixed(seed, 80, 0, (3, 4, 5))
    rows = initial_rows(np.empty((80, 0)), codes, 4, "cao", 1)
    assert codes[rows].tolist() == init_cao(codes, 4).tolist()


def test_density_by_definition():
    numeric, codes, weights = mixed(2, 40, whole=True)
    reach = np.sqrt(np.average((numeric - np.average(numeric, axis=0, weights=weights))**2, axis=0, weights=weights))/2
    agree = np.concatenate([abs(numeric[:, None] - numeric) <= reach, codes[:, None] == codes], axis=2)
    expected = (agree*weights[None, :, None]).sum(axis=1).mean(axis=1)/weights.sum()
    np.testing.assert_allclose(module._density(module._check_mixed(numeric, codes, weights)), expected, rtol=1e-12)


def test_random_start_follows_the_weights():
    numeric, codes = np.arange(3.)[:, None], np.zeros((3, 1), np.uint8)
    drawn = [initial_rows(numeric, codes, 1, "random", 1, [1, 2, 7], seed)[0] for seed in range(600)]
    assert np.abs(np.bincount(drawn, minlength=3)/600 - [.1, .2, .7]).max() < .08


# the estimator

DECLARED = KPrototypes(2, categorical_features=[0], handle_unknown="ignore")
# Infinity in a column that is declared categorical is a category like any other; NaN is refused.
EXCEPTIONS = [(DECLARED, "check_estimators_nan_inf")]
# Looks at nothing unless an environment variable of scipy is set; the data are numpy arrays here.
NOT_APPLICABLE = ["check_array_api_input"]
# In scikit-learn 1.6 this one fails in itself: it subtracts a float from the whole numbers that it makes for categorical input.
if sklearn.__version__.startswith("1.6."): NOT_APPLICABLE.append("check_positive_only_tag_during_fit")
MODELS = [KPrototypes(2), KPrototypes(2, init="cao"), KPrototypes(2, init="huang", gamma=1.), KPrototypes(2, init="random", missing="category"), DECLARED]
CHECKS = [(model, check) for candidate in MODELS for model, check in estimator_checks_generator(candidate) if check.func.__name__ not in NOT_APPLICABLE]


@pytest.mark.filterwarnings("ignore:no column of X is:UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model, check", CHECKS, ids=lambda x: x.func.__name__ if hasattr(x, "func") else repr(x))
def test_scikit_learns_contract(model, check):
    if any(repr(model) == repr(other) and check.func.__name__ == name for other, name in EXCEPTIONS):
        with pytest.raises(AssertionError): check(model)
    else: check(model)


FINGERPRINT = """
import hashlib, numpy as np
from kmodes_study.cluster.kprototypes import KPrototypes
rng, h = np.random.default_rng(0), hashlib.sha256()
X, w = np.column_stack([rng.normal(size=(150, 3)), rng.integers(0, 4, (150, 3))]), rng.random(150)
for init in "k-means++", "cao", "huang", "random":
    model = KPrototypes(5, init=init, n_init=2, random_state=1, categorical_features=[3, 4, 5]).fit(X, sample_weight=w)
    for part in model.labels_, model.centres_, np.array(model.epoch_costs_), model.transform(X): h.update(part.tobytes())
print(h.hexdigest())
"""


@pytest.mark.parametrize("setting", [{"NUMBA_DISABLE_JIT": "1"}, {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"}], ids=["no JIT", "no SIMD"])
def test_last_bit_depends_on_no_compiler_and_no_processor(setting):
    # names of features that this numpy does not know give a warning on stderr, which is of no interest
    run = lambda more: subprocess.run([sys.executable, "-c", FINGERPRINT], capture_output=True, text=True, check=True, env=os.environ | more).stdout
    assert run({}) == run(setting)


def test_is_a_clusterer_with_tags():
    tags = KPrototypes().__sklearn_tags__()
    assert is_clusterer(KPrototypes()) and tags.input_tags.categorical and tags.input_tags.string and not tags.input_tags.allow_nan


@pytest.mark.parametrize("init", INITS)
def test_weights_repeats_and_order_are_the_same_to_the_last_bit(init):
    X, weights = frame(1, 120)
    weights[::5] = 0
    again = np.random.default_rng(2).permutation(np.repeat(np.arange(120), weights))
    first = KPrototypes(4, init=init, random_state=3).fit(X, sample_weight=weights)
    second = KPrototypes(4, init=init, random_state=3, n_jobs=2).fit(X.iloc[again])
    assert first.cost_ == second.cost_ and first.gamma_ == second.gamma_ and first.epoch_costs_ == second.epoch_costs_
    assert first.labels_[again].tolist() == second.labels_.tolist() and first.cluster_centroids_.tolist() == second.cluster_centroids_.tolist()


def test_columns_named_in_every_way_give_one_result():
    X, _ = frame()
    texts = X.assign(new=X["new"].map({True: "yes", False: "no"}))
    expected = KPrototypes(3, random_state=0).fit(texts).labels_.tolist()
    typed = [texts.astype({"shape": "category"}), texts.astype({"shape": "string"}), texts.astype({"width": "Float64"}), texts.astype(object)]
    ways = [["shape", "new"], [0, 3], [-4, -1], [True, False, False, True], np.array([0, 3]), pd.Index(["shape", "new"]),
            lambda X: ["shape", "new"], make_column_selector(dtype_exclude=np.number)]
    for way in ways: assert KPrototypes(3, random_state=0, categorical_features=way).fit(texts).labels_.tolist() == expected
    for table in typed[:3]: assert KPrototypes(3, random_state=0).fit(table).labels_.tolist() == expected
    for table in (typed[3], texts.to_numpy(), texts.to_numpy().astype(str), texts.to_numpy().tolist()):
        assert KPrototypes(3, random_state=0, categorical_features=[0, 3]).fit(table).labels_.tolist() == expected
    assert KPrototypes(3, random_state=0).fit(texts.to_numpy()).labels_.tolist() == expected


def test_what_a_fit_leaves():
    X, weights = frame()
    model = KPrototypes(3, random_state=0).fit(X, sample_weight=weights)
    assert model.labels_.dtype == np.int32 and model.labels_.shape == (60,) and model.gamma == "auto" and model.gamma_ > 0
    assert model.cluster_centroids_.shape == (3, 4) and model.cluster_centroids_.dtype == object
    assert set(model.cluster_centroids_[:, 0]) <= set(X["shape"]) and model.is_categorical_.tolist() == [True, False, False, True]
    assert model.n_features_in_ == 4 and model.feature_names_in_.tolist() == list(X) and model.n_iter_ >= 1
    assert (np.diff(model.epoch_costs_) <= 0).all() and model.epoch_costs_[-1] == model.cost_
    table = model.transform(X)
    assert table.shape == (60, 3) and table.argmin(axis=1).tolist() == model.labels_.tolist() == model.predict(X).tolist()
    assert model.score_samples(X).tolist() == (-table.min(axis=1)).tolist()
    assert model.score(X, sample_weight=weights) == pytest.approx(-model.cost_, rel=1e-12)
    centroids, numbers = model.cluster_centroids_, X[["width", "height"]].to_numpy()
    by_hand = ((numbers[:, None] - centroids[:, 1:3].astype(float))**2).sum(axis=2) + model.gamma_*(X[["shape", "new"]].to_numpy()[:, None] != centroids[:, [0, 3]]).sum(axis=2)
    np.testing.assert_allclose(table, by_hand, rtol=1e-12)
    assert model.gamma_ == pytest.approx(np.repeat(numbers, weights, axis=0).std(axis=0).mean()/2)


def test_gamma_is_the_peers_and_the_parameter_is_kept():
    numeric, codes, _ = mixed()
    X = np.column_stack([numeric, codes])
    model = KPrototypes(3, categorical_features=[2, 3], random_state=0).fit(X)
    peer = Peer(3, random_state=0, n_init=1).fit(X, categorical=[2, 3])
    assert model.gamma_ == pytest.approx(peer.gamma, rel=1e-12)
    assert model.fit(X*[10, 10, 1, 1]).gamma_ == pytest.approx(10*peer.gamma) and model.gamma == "auto"


def test_in_the_company_of_scikit_learn():
    X, _ = frame()
    model = KPrototypes(3, random_state=0).fit(X)
    assert model.get_feature_names_out().tolist() == ["kprototypes0", "kprototypes1", "kprototypes2"]
    wide = clone(model).set_output(transform="pandas").fit(X)
    assert list(wide.transform(X)) == ["kprototypes0", "kprototypes1", "kprototypes2"] and isinstance(wide.predict(X), np.ndarray)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).tolist() == model.labels_.tolist()
    assert clone(model).fit_predict(X).tolist() == model.labels_.tolist()
    assert make_pipeline(FunctionTransformer(), KPrototypes(3, random_state=0)).fit(X)[-1].cost_ == model.cost_
    search = GridSearchCV(KPrototypes(random_state=0), dict(n_clusters=[2, 5]), cv=2).fit(X)
    assert search.best_params_ == {"n_clusters": 5}


def test_init_in_the_callers_categories():
    X, _ = frame()
    model = KPrototypes(3, init=X[:3]).fit(X)
    assert KPrototypes(3, init=X[:3].to_numpy()).fit(X).cost_ == model.cost_
    assert KPrototypes(3, init=model.cluster_centroids_).fit(X).epoch_costs_[0] == pytest.approx(model.cost_)
    assert KPrototypes(3, init="CAO").fit(X).cost_ == KPrototypes(3, init="cao").fit(X).cost_


def test_one_kind_of_column_only_warns():
    numeric, codes, _ = mixed(0, 100, 2, (3, 4, 2))
    with pytest.warns(UserWarning, match="no column of X is categorical: this is k-means"): model = KPrototypes(4, init=numeric[:4]).fit(numeric)
    assert model.cost_ == pytest.approx(KMeans(4, init=numeric[:4], n_init=1, tol=0).fit(numeric).inertia_)
    start = np.unique(codes, axis=0)[::5][:4]
    with pytest.warns(UserWarning, match="no column of X is numeric: this is k-modes"): model = KPrototypes(4, init=start.astype(str)).fit(codes.astype(str))
    assert model.cost_ == lloyd(codes, start).cost and model.gamma_ == 1


def test_fewer_rows_than_clusters():
    X, _ = frame(0, 3)
    with pytest.warns(ConvergenceWarning, match="only 3 rows that differ"): model = KPrototypes(5).fit(pd.concat([X, X]))
    assert sorted(set(model.labels_)) == [0, 1, 2] and model.cost_ == 0 and model.cluster_centroids_.shape == (3, 4) and model.transform(X).shape == (3, 3)
    numeric, codes = np.zeros((9, 1)), np.arange(9)[:, None]
    with pytest.warns(ConvergenceWarning, match="only 1 rows that differ"): KPrototypes(2, gamma=0, categorical_features=[1]).fit(np.column_stack([numeric, codes]))


def test_constant_columns():
    X, _ = frame()
    more = X.assign(a="same", b=1.5)
    assert KPrototypes(3, gamma=1, init=more[:3]).fit(more).labels_.tolist() == KPrototypes(3, gamma=1, init=X[:3]).fit(X).labels_.tolist()
    assert KPrototypes(3, random_state=0).fit(X.assign(width=1, height=2.)).gamma_ == 1


def test_missing_and_unknown_categories():
    X, _ = frame()
    holes = X.assign(shape=X["shape"].where(X.index % 7 > 0))
    with pytest.raises(ValueError, match="missing"): KPrototypes(3).fit(holes)
    assert len(set(KPrototypes(3, missing="category").fit(holes).labels_)) == 3
    model = KPrototypes(3, random_state=0).fit(X)
    strange = X[:1].assign(shape="square")
    with pytest.raises(ValueError, match="'square' in column 'shape'"): model.predict(strange)
    lenient = KPrototypes(3, random_state=0, handle_unknown="ignore").fit(X)
    known = X[:1].to_numpy()[0, 0]
    agrees = lenient.cluster_centroids_[:, 0] == known
    np.testing.assert_allclose(lenient.transform(strange) - lenient.transform(X[:1]), [lenient.gamma_*agrees], atol=1e-12)


BAD = [(dict(n_clusters=0), ValueError, "n_clusters must be a whole number of at least 1, got 0"),
       (dict(n_clusters=True), ValueError, "n_clusters must be a whole number"), (dict(max_iter=0), ValueError, "max_iter must be"),
       (dict(n_init=0), ValueError, "n_init must be"), (dict(n_init="few"), ValueError, "n_init must be a whole number of at least 1 or 'auto', got 'few'"),
       (dict(gamma="huge"), ValueError, "gamma must be 'auto'"), (dict(gamma=None), ValueError, "got None"), (dict(gamma=np.inf), ValueError, "gamma must be a finite"),
       (dict(gamma=-.1), ValueError, "got -0.1"), (dict(init="first"), ValueError, "init must be one of"), (dict(init=[["round", 1, 2, True]]), ValueError, "n_clusters=3 rows, got 1"),
       (dict(init=[["oval", 1, 2, True]]*3), ValueError, "init must hold 3 rows like those of X.*'oval'"), (dict(init=[[1.]]*3), ValueError, "expected 4 columns, got 1"),
       (dict(categorical_features="shape"), ValueError, "a single name goes into a list"), (dict(categorical_features=["size"]), ValueError, "got 'size'; the names are"),
       (dict(categorical_features=[4]), ValueError, "positions from -4 to 3"), (dict(categorical_features=[True]), ValueError, "a mask of 1"),
       (dict(categorical_features=[3]), ValueError, "X must hold numbers in column 'shape'"), (dict(missing="drop"), ValueError, "missing must be one of"),
       (dict(handle_unknown="drop"), ValueError, "handle_unknown must be one of"), (dict(random_state="x"), ValueError, "seed")]


@pytest.mark.parametrize("options, error, said", BAD)
def test_bad_parameters(options, error, said):
    with pytest.raises(error, match=said): KPrototypes(**{"n_clusters": 3} | options).fit(frame()[0])


def test_bad_data():
    X, _ = frame()
    for value, said in (np.nan, "got NaN, in column 'width', row 5"), (np.inf, "got infinity"), (1e200, "too large to be squared"):
        bad = X.copy()
        bad.loc[5, "width"] = value
        with pytest.raises(ValueError, match=said): KPrototypes(3).fit(bad)
    with pytest.raises(ValueError, match="column 1, row 0"): KPrototypes(2, categorical_features=[0]).fit(np.array([["a", None], ["b", 1.]], dtype=object))
    with pytest.raises(ValueError, match="datetime"): KPrototypes(3).fit(X.assign(width=pd.Timestamp("2020-01-01")))
    with pytest.raises(ValueError, match="gamma must be positive when no column"): quiet(KPrototypes(3, gamma=0), X[["shape"]])
    for weights in ([1], -np.ones(60), np.zeros(60), np.full(60, np.nan)):
        with pytest.raises(ValueError, match="sample_weight must be 60 weights"): KPrototypes(3).fit(X, sample_weight=weights)
    model = KPrototypes(3).fit(X)
    with pytest.raises(NotFittedError): KPrototypes().predict(X)
    with pytest.raises(ValueError, match="feature names"): model.predict(X[["width", "shape", "height", "new"]])
    with pytest.raises(ValueError, match="3 features"): KPrototypes(3).fit(X.to_numpy()).predict(X.to_numpy()[:, :3])


def test_check_finds_what_is_wrong():
    numeric, codes, _ = mixed()
    result = k_prototypes(numeric, codes, numeric[:3], codes[:3], 1)
    for change, said in [(dict(cost=result.cost + 1), "cost is"), (dict(labels=(result.labels + 1) % 3), "nearest"), (dict(labels=result.labels + 3), "labels must be"),
                         (dict(epoch_costs=result.epoch_costs[::-1]), "epoch_costs")]:
        with pytest.raises(ValueError, match=said): check_prototypes(numeric, codes, result._replace(**change), 1)
