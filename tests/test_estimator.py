"""`KModes` as a scikit-learn estimator: scikit-learn's own checks, and the inputs, outputs and errors they do not know of."""
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_clusterer
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

from kmodes_study.cluster.estimator import ALGORITHMS, KModes
from kmodes_study.cluster.kmodes import INITIALISATIONS
from kmodes_study.cluster.modes import check_clustering
from kmodes_study.codes import CategoryEncoder, encode, toy_vehicles

ESTIMATORS = [KModes(), KModes(algorithm="lloyd"), KModes(algorithm="huang"), KModes(init="random", n_init=2), KModes(init="huang"), KModes(init="matching"),
              KModes(missing="category", handle_unknown="ignore")]
# What cannot pass, and why.
EXPECTED_FAILURES = {
    "check_clustering": "wants an adjusted Rand index above 0.4 on continuous blobs, where nearly every value is a category of its own",
    "check_sample_weight_equivalence_on_dense_data": "shuffles rows of which no two agree in any value, so that all is decided by ties and these by the order "
        "of rows, and predicts rows of weight zero, whose values are unknown to the fit without them; test_whole_weights_are_repeated_rows has it for categories",
}
# Looks at nothing unless an environment variable of scipy is set; codes are numpy arrays.
NOT_APPLICABLE = ["check_array_api_input"]
CHECKS = [(estimator, check) for candidate in ESTIMATORS for estimator, check in estimator_checks_generator(candidate)
          if check.func.__name__ not in NOT_APPLICABLE]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator, check", CHECKS, ids=lambda x: x.func.__name__ if hasattr(x, "func") else repr(x))
def test_scikit_learns_contract(estimator, check):
    if check.func.__name__ in EXPECTED_FAILURES:
        with pytest.raises((AssertionError, ValueError)): check(estimator)
    else: check(estimator)


def test_is_a_clusterer():
    assert is_clusterer(KModes())


@pytest.fixture
def vehicles():
    return toy_vehicles()


def as_input(vehicles, kind):
    "The vehicles in another container."
    if kind == "frame": return vehicles
    if kind == "array": return vehicles.to_numpy(object)
    if kind == "list": return vehicles.to_numpy(object).tolist()
    if kind == "string array": return vehicles.astype(str).to_numpy("U1")
    if kind == "string dtype": return vehicles.astype("string")
    if kind == "category": return vehicles.astype("category")
    if kind == "nullable": return vehicles.convert_dtypes()


KINDS = ["frame", "array", "list", "string array", "string dtype", "category", "nullable"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("kind", KINDS)
def test_same_clusters_in_any_container(vehicles, kind, algorithm):
    X = as_input(vehicles, kind)
    expected, model = KModes(3, algorithm=algorithm).fit(vehicles), KModes(3, algorithm=algorithm).fit(X)
    assert model.labels_.tolist() == expected.labels_.tolist() and model.cost_ == expected.cost_
    assert model.cluster_centroids_.astype(str).tolist() == expected.cluster_centroids_.astype(str).tolist()
    assert model.predict(X).tolist() == model.labels_.tolist()
    assert hasattr(model, "feature_names_in_") == isinstance(X, pd.DataFrame)


def test_order_and_unused_levels_of_a_category(vehicles):
    price = pd.DataFrame({"price": pd.Categorical(vehicles.price, categories=["X", "V", "H", "M", "L"], ordered=True)})
    assert KModes(1).fit(price[2:4]).cluster_centroids_.tolist() == [["V"]]  # V and H are tied: the first in the order of the caller
    assert KModes(1).fit(vehicles[["price"]][2:4]).cluster_centroids_.tolist() == [["H"]]


@pytest.mark.parametrize("init", list(INITIALISATIONS))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_fit_is_reproducible_and_can_be_checked(vehicles, init, algorithm):
    model = KModes(3, init=init, algorithm=algorithm, random_state=5).fit(vehicles)
    codes, categories = encode(vehicles)
    check_clustering(codes, model.labels_, model.modes_, model.cost_)
    assert model.labels_.dtype == np.int32 and type(model.cost_) is int and type(model.n_iter_) is int
    assert model.cost_ == -model.score(vehicles) <= min(model.epoch_costs_)
    for other in clone(model).fit(vehicles), pickle.loads(pickle.dumps(model)), KModes(3, init=init.upper(), algorithm=algorithm.upper(), random_state=5).fit(vehicles):
        assert other.labels_.tolist() == model.labels_.tolist()
        assert other.cluster_centroids_.tolist() == model.cluster_centroids_.tolist()
        assert other.predict(vehicles).tolist() == model.labels_.tolist()


def test_the_best_of_several_starts_is_kept(vehicles):
    costs = [KModes(3, init="random", algorithm="huang", n_init=n_init, random_state=0).fit(vehicles).cost_ for n_init in range(1, 30)]
    assert costs == sorted(costs, reverse=True) and costs[0] > costs[-1]
    assert KModes(3, init="random", algorithm="huang", random_state=0).fit(vehicles).cost_ == costs[9]  # "auto" is ten


@pytest.mark.parametrize("init, n_init, runs", [("cao", "auto", 1), ("Cao", 7, 1), ("huang", "auto", 10), ("random", 3, 3)])
def test_starts_that_draw_nothing_run_once(vehicles, init, n_init, runs, capsys):
    KModes(3, init=init, n_init=n_init, random_state=0, verbose=1).fit(vehicles)
    assert len(capsys.readouterr().out.splitlines()) == runs


@pytest.mark.parametrize("kind", ["frame", "array", "list"])
def test_modes_of_the_caller(vehicles, kind):
    start = as_input(vehicles.iloc[[0, 9, 3]], kind)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KModes(3, init=start, algorithm="huang").fit(vehicles)
    assert (model.cost_, model.epoch_costs_) == (19, [23, 19, 19])


def test_modes_of_the_caller_as_digits_are_categories_not_codes():
    X = np.array([["10"], ["10"], ["20"], ["30"], ["30"]])
    assert KModes(2, init=np.array([["30"], ["10"]])).fit(X).cluster_centroids_.tolist() == [["30"], ["10"]]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64, np.float64])
def test_nothing_of_the_caller_changes(dtype):
    X = np.random.RandomState(0).randint(4, size=(40, 5)).astype(dtype)
    start = X[:3].copy()
    before = X.copy()
    X.flags.writeable = start.flags.writeable = False
    KModes(3, init=start).fit(X).predict(X)
    assert (X == before).all() and (start == before[:3]).all()


def test_transform(vehicles):
    model = KModes(3).fit(vehicles)
    distances = model.transform(vehicles)
    assert distances.dtype == np.int32 and distances.shape == (10, 3)
    expected = [[sum(a != b for a, b in zip(x, z)) for z in model.cluster_centroids_.tolist()] for x in vehicles.to_numpy(object).tolist()]
    assert distances.tolist() == expected
    assert distances.argmin(axis=1).tolist() == model.labels_.tolist() and distances.min(axis=1).sum() == model.cost_
    frame = clone(model).set_output(transform="pandas").fit_transform(vehicles)
    assert list(frame) == list(model.get_feature_names_out()) == ["kmodes0", "kmodes1", "kmodes2"]
    assert model.set_output(transform="pandas").predict(vehicles).tolist() == model.labels_.tolist()


def test_pipeline_and_grid_search(vehicles):
    search = GridSearchCV(make_pipeline(CategoryEncoder(handle_unknown="ignore"), KModes(handle_unknown="ignore")),
                          {"kmodes__n_clusters": [1, 3]}, cv=2).fit(vehicles)
    assert search.best_params_ == {"kmodes__n_clusters": 3}  # more clusters, less cost
    assert len(search.predict(vehicles)) == 10


def test_unknown_categories(vehicles):
    new = vehicles.assign(price="?")
    with pytest.raises(ValueError, match="column 'price'"): KModes(3).fit(vehicles).predict(new)
    model = KModes(3, handle_unknown="ignore").fit(vehicles)
    differs = vehicles.price.to_numpy()[:, None] == model.cluster_centroids_[:, 0]
    assert (model.transform(new) == model.transform(vehicles) + differs).all()


def test_unknown_code_beyond_the_smallest_type():
    X = np.arange(256)[:, None]
    model = KModes(2, handle_unknown="ignore", init=[[0], [1]]).fit(X)
    assert model.transform([[1000]]).tolist() == [[1, 1]]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_missing_values(vehicles, missing):
    holed = vehicles.astype(object)
    holed.loc[[1, 2, 4, 9], "price"] = missing
    with pytest.raises(ValueError, match="price"): KModes(3).fit(holed)
    model = KModes(1, missing="category").fit(holed)
    assert pd.isna(model.cluster_centroids_[0, 0]) and model.cost_ == 30


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("init", list(INITIALISATIONS))
def test_fewer_distinct_rows_than_clusters(vehicles, init, algorithm):
    X = vehicles.iloc[[4, 4, 1, 4, 1]]
    with pytest.warns(ConvergenceWarning, match="2 distinct rows, fewer than n_clusters=3"): model = KModes(3, init=init, algorithm=algorithm).fit(X)
    assert model.cluster_centroids_.tolist() == vehicles.iloc[[4, 1]].to_numpy(object).tolist()
    assert (model.labels_.tolist(), model.cost_, model.n_iter_) == ([0, 0, 1, 0, 1], 0, 1)
    assert model.transform(X).shape == (5, 2) and len(model.get_feature_names_out()) == 2


BAD_PARAMETERS = [
    (dict(n_clusters=0), "n_clusters must be a whole number of at least 1, got 0"), (dict(n_clusters=2.0), "n_clusters"),
    (dict(n_clusters=True), "n_clusters"), (dict(n_clusters="3"), "n_clusters"), (dict(n_clusters=11), "n_clusters=11 and n_samples=10"),
    (dict(max_iter=0), "max_iter"), (dict(max_iter=None), "max_iter"), (dict(n_init=0), "n_init"), (dict(n_init="many"), "n_init"),
    (dict(algorithm="elkan"), "algorithm must be one of 'otqt', 'lloyd', 'huang', got 'elkan'"), (dict(algorithm=None), "algorithm"),
    (dict(init="k-means++"), "init must be one of 'random', 'huang', 'cao', 'matching', got 'k-means[+][+]'"), (dict(init=None), "init"),
    (dict(init=[["H"]]), "init must hold n_clusters=3 modes of 6 attributes"), (dict(init=[["Z", "M", 2, 2, 4, 0]]*3), "init must hold categories"),
    (dict(missing="drop"), "missing"), (dict(handle_unknown="outlier"), "handle_unknown"), (dict(random_state="seed"), "random_state must be None.*got 'seed'"),
]


@pytest.mark.parametrize("parameters, message", BAD_PARAMETERS, ids=lambda x: str(x)[:40])
def test_bad_parameters(vehicles, parameters, message):
    model = KModes(**dict(n_clusters=3) | parameters)  # storing them is no error
    with pytest.raises(ValueError, match=message): model.fit(vehicles)


BAD_INPUT = [
    ([], "empty|at least"), ([[]], "empty|0 feature"), (["a", "b"], "two-dimensional"), ([["a", "b"], ["a"]], "one length"), (np.array([[1.5], [-np.inf]]), "infinity"), (pd.DataFrame({"x": ["a", "b"], "y": [1, np.inf]}), "infinity.*'y'"),
    ([["a", None]]*3, "missing"), (np.zeros((3, 2, 2)), "two-dimensional"), (np.array([[1 + 2j]]*3), "Complex"),
]


@pytest.mark.parametrize("X, message", BAD_INPUT, ids=lambda x: str(x)[:20])
def test_bad_input(X, message):
    with pytest.raises(ValueError, match=message): KModes(1).fit(X)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("method", ["predict", "transform", "score"])
def test_bad_input_after_fit(vehicles, method):
    with pytest.raises(NotFittedError, match="KModes"): getattr(KModes(), method)(vehicles)
    ask = getattr(KModes(3).fit(vehicles), method)
    with pytest.raises(ValueError, match="KModes is expecting 6 features"): ask(vehicles.to_numpy(object)[:, :1])
    with pytest.raises(ValueError, match="same order"): ask(vehicles[vehicles.columns[::-1]])
    with pytest.raises(ValueError, match="feature names"): ask(vehicles.rename(columns={"eco": "green"}))
    with pytest.raises(ValueError, match="Reshape"): ask(vehicles.to_numpy(object)[0])
