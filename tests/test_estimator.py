"""`KModes` as a scikit-learn estimator: scikit-learn's checks, and inputs, outputs and
errors they do not know of.
"""

import pickle
import warnings
from itertools import cycle

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings, strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import estimator_checks_generator

from kmodes_study.cluster.estimator import KModes
from kmodes_study.cluster.sampled import ALGORITHMS
from kmodes_study.cluster.starts.basic import INITIALISATIONS
from kmodes_study.cluster.modes import check_clustering
from kmodes_study.core.codes import encode
from kmodes_study.data.synthetic import toy_vehicles

pytestmark = pytest.mark.usefixtures("few_swaps")

# Each start once, and the algorithms in turn: a start knows nothing of the algorithm
# that follows it.
PAIRS = list(zip(cycle(ALGORITHMS), INITIALISATIONS))
SKLEARN = tuple(map(int, sklearn.__version__.split(".")[:2]))
ESTIMATORS = [
    KModes(),
    KModes(missing="category", handle_unknown="ignore"),
    KModes(
        missing="ignore",
        algorithm="lloyd",
        init="matching",
        n_init=2,
        handle_unknown="ignore",
    ),
]
# What cannot pass, and why.
EXPECTED_FAILURES = {
    # wants an adjusted Rand index above 0.4 on continuous blobs, where nearly every
    # value is a category of its own
    "check_clustering",
    # shuffles rows of which no two agree in any value, so that all is decided by ties,
    # which follow the order of rows in all but the default start and algorithm; and
    # predicts rows of weight zero, whose values a fit without them does not know
    "check_sample_weight_equivalence_on_dense_data",
    # scikit-learn 1.6 only, for every estimator that takes categories: subtracts a
    # fraction from integers in place
    "check_positive_only_tag_during_fit",
}


def passes(estimator, name):
    "Whether the estimator passes the check all the same."
    if name == "check_positive_only_tag_during_fit":
        return SKLEARN >= (1, 7) or estimator.missing != "error"
    if name == "check_sample_weight_equivalence_on_dense_data":
        return estimator.init == "cao" and estimator.handle_unknown == "ignore"
    return name not in EXPECTED_FAILURES


# Looks at nothing unless an environment variable of scipy is set; codes are numpy
# arrays.
NOT_APPLICABLE = ["check_array_api_input"]
CHECKS = [
    (estimator, check)
    for candidate in ESTIMATORS
    for estimator, check in estimator_checks_generator(candidate)
    if check.func.__name__ not in NOT_APPLICABLE
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "estimator, check",
    CHECKS,
    ids=lambda x: x.func.__name__ if hasattr(x, "func") else repr(x),
)
def test_scikit_learns_contract(estimator, check):
    if passes(estimator, check.func.__name__):
        return check(estimator)
    with pytest.raises((AssertionError, ValueError, TypeError)):
        check(estimator)


@pytest.fixture
def vehicles():
    return toy_vehicles()


KINDS = {
    "frame": lambda table: table,
    "array": lambda table: table.to_numpy(object),
    "list": lambda table: table.to_numpy(object).tolist(),
    "string array": lambda table: table.astype(str).to_numpy("U1"),
    "string dtype": lambda table: table.astype("string"),
    "category": lambda table: table.astype("category"),
    "nullable": lambda table: table.convert_dtypes(),
}


@pytest.mark.usefixtures("small_tables")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("kind", KINDS)
def test_same_clusters_in_any_container(vehicles, kind, algorithm):
    X = KINDS[kind](vehicles)
    expected, model = (
        KModes(3, algorithm=algorithm, random_state=0).fit(table)
        for table in (vehicles, X)
    )
    assert model.labels_.tolist() == expected.labels_.tolist()
    assert model.cost_ == expected.cost_
    assert (
        model.cluster_centroids_.astype(str).tolist()
        == expected.cluster_centroids_.astype(str).tolist()
    )
    assert model.predict(X).tolist() == model.labels_.tolist()
    assert hasattr(model, "feature_names_in_") == isinstance(X, pd.DataFrame)


def test_the_best_of_several_starts_is_kept(vehicles):
    model = KModes(3, init="random", algorithm="huang", random_state=0)
    costs = [
        clone(model).set_params(n_init=n).fit(vehicles).cost_ for n in range(1, 30)
    ]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > costs[-1]
    assert model.fit(vehicles).cost_ == costs[9]  # "auto" is ten


@pytest.mark.parametrize(
    "init, n_init, runs",
    [("cao", "auto", 1), ("Cao", 7, 1), ("huang", "auto", 10), ("random", 3, 3)],
)
def test_starts_that_draw_nothing_run_once(vehicles, init, n_init, runs, capsys):
    KModes(3, init=init, n_init=n_init, random_state=0, verbose=1).fit(vehicles)
    assert capsys.readouterr().out.count("start ") == runs


def test_unknown_categories(vehicles):
    new = vehicles.assign(price="?")
    with pytest.raises(ValueError, match="column 'price'"):
        KModes(3).fit(vehicles).predict(new)
    model = KModes(3, handle_unknown="ignore").fit(vehicles)
    differs = vehicles.price.to_numpy()[:, None] == model.cluster_centroids_[:, 0]
    assert (model.transform(new) == model.transform(vehicles) + differs).all()


@pytest.mark.parametrize("algorithm, init", PAIRS)
def test_fewer_distinct_rows_than_clusters(vehicles, init, algorithm):
    X = vehicles.iloc[[4, 4, 1, 4, 1]]
    with pytest.warns(ConvergenceWarning, match="2 distinct rows, fewer than"):
        model = KModes(3, init=init, algorithm=algorithm).fit(X)
    in_order = vehicles.iloc[[1, 4]].to_numpy(object)  # of their codes
    assert model.cluster_centroids_.tolist() == in_order.tolist()
    n_iter = 0 if algorithm == "swap" else 1  # of swaps there is none
    assert (model.cost_, model.n_iter_) == (0, n_iter)
    assert model.labels_.tolist() == [1, 1, 0, 1, 0]
    assert model.transform(X).shape == (5, 2)
    assert len(model.get_feature_names_out()) == 2


BAD_PARAMETERS = [
    (dict(n_clusters=11), "n_clusters=11 and n_samples=10"),
    (dict(max_swaps=-1), "max_swaps"),
    (dict(max_time=0), "max_time"),
    (dict(algorithm="elkan"), "algorithm"),
    (dict(init=[["H"]]), "init"),
    (dict(init=[["Z", "M", 2, 2, 4, 0]] * 3), "init"),
    (dict(feature_weight=[1, 1, 1, 1, 1, 2**0.5]), "feature_weight"),
]


@pytest.mark.parametrize(
    "parameters, message", BAD_PARAMETERS, ids=lambda x: str(x)[:40]
)
def test_bad_parameters(vehicles, parameters, message):
    model = KModes(**dict(n_clusters=3) | parameters)  # storing them is no error
    with pytest.raises(ValueError, match=message):
        model.fit(vehicles)


# weights, duplicates, features, threads


@st.composite
def weighted_tables(draw):
    "A table with equal rows, whole weights, and a number of clusters."
    rng = np.random.RandomState(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 20))
    m = draw(st.integers(1, 4))
    v = draw(st.integers(2, 4))
    X, weights = rng.randint(v, size=(n, m)), rng.randint(4, size=n)
    weights[0] += not weights.any()
    return X, weights, draw(st.integers(1, len(np.unique(X[weights > 0], axis=0))))


def same(one, other):
    "Whether two fits are the same but for the labels."
    names = "cost_", "epoch_costs_", "n_iter_"
    equal = all(getattr(one, name) == getattr(other, name) for name in names)
    return equal and np.array_equal(one.cluster_centroids_, other.cluster_centroids_)


@pytest.mark.usefixtures("small_tables")
@given(weighted_tables())
@pytest.mark.parametrize("init", ["cao", "huang", "array"])
@pytest.mark.parametrize("algorithm", ["otqt", "lloyd"])
def test_whole_weights_are_repeated_rows(algorithm, init, table):
    X, weights, k = table
    again = np.repeat(np.arange(len(X)), weights)
    start = np.unique(X[again], axis=0)[:k] if init == "array" else init
    model = KModes(k, init=start, algorithm=algorithm, random_state=1, n_init=2)
    weighted = clone(model).fit(X, sample_weight=weights)
    repeated = clone(model).fit(X[again])
    assert same(weighted, repeated)
    assert weighted.labels_[again].tolist() == repeated.labels_.tolist()
    assert type(weighted.cost_) is int
    assert weighted.score(X, sample_weight=weights) == -weighted.cost_
    assert repeated.score(X[again]) == -weighted.cost_
    nearest = weighted.transform(X).min(axis=1)
    assert weighted.score_samples(X).tolist() == (-nearest).tolist()


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(list(INITIALISATIONS)), weighted_tables(), st.integers(0, 9))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_rows_of_weight_zero_are_absent(algorithm, init, table, seed):
    X, weights, k = table
    present = weights > 0
    model = KModes(k, init=init, algorithm=algorithm, random_state=seed, n_init=2)
    with_them = clone(model).fit(X, sample_weight=weights)
    without = clone(model).fit(X[present], sample_weight=weights[present])
    assert same(with_them, without)
    assert with_them.labels_[present].tolist() == without.labels_.tolist()
    assert with_them.labels_.tolist() == with_them.predict(X).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_rows_of_weight_zero_leave_the_others_in_their_clusters(seed):
    # by tables a row may be nearer to another cluster than to its own in the end
    rng = np.random.RandomState(seed)
    X = rng.randint(3, size=(12, 4))
    more = np.vstack([X, X[:1]])
    model = KModes(3, init=X[:3], dissimilarity="ng", algorithm="otqt")
    alone = model.fit(X).labels_.tolist()
    weights = np.arange(13) < 12
    assert model.fit(more, sample_weight=weights).labels_[:12].tolist() == alone


@pytest.mark.parametrize("algorithm", ["otqt", "lloyd"])
def test_an_unfinished_run_has_the_labels_of_its_cost(algorithm):
    X = np.random.RandomState(0).randint(3, size=(300, 6)).astype(np.uint8)
    for copies in 1, 4:  # collapsed or not
        rows = np.tile(X, (copies, 1))
        model = KModes(
            7, algorithm=algorithm, max_iter=1, init="random", n_init=1, random_state=0
        ).fit(rows)
        check_clustering(encode(rows)[0], model.labels_, model.modes_, model.cost_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(deadline=None, max_examples=25)
@given(weighted_tables(), st.integers(0, 99))
@pytest.mark.parametrize("missing", ["error", "ignore"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_fit_is_never_worse_than_its_start(algorithm, missing, table, seed):
    X, weights, k = table
    if missing == "ignore":
        X = holed(X, seed, 0.3)
    model = KModes(
        k,
        algorithm=algorithm,
        missing=missing,
        init="random",
        n_init=1,
        max_iter=1 + seed % 3,
        random_state=seed,
    ).fit(X, sample_weight=weights)
    for _ in range(2):
        cost, start = model.cost_, model.cluster_centroids_
        model = (
            clone(model)
            .set_params(init=start, n_clusters=len(start))
            .fit(X, sample_weight=weights)
        )
        assert model.cost_ <= cost


# the order of rows


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(list(INITIALISATIONS)), weighted_tables(), st.integers(0, 99))
@pytest.mark.parametrize("missing", ["error", "ignore"])
def test_transfers_do_not_depend_on_the_order_of_rows(missing, init, table, seed):
    X, weights, k = table
    if missing == "ignore":
        X = holed(X, seed, 0.3)
    order = np.random.RandomState(seed).permutation(len(X))
    model = KModes(
        k, init=init, n_init=2, max_swaps=50, random_state=seed, missing=missing
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        one = clone(model).fit(X, sample_weight=weights)
        other = clone(model).fit(X[order], sample_weight=weights[order])
    assert same(one, other)
    assert one.labels_[order].tolist() == other.labels_.tolist()


# missing values that are ignored


def holed(X, seed, share):
    "The table with a share of its cells missing, but no row altogether."
    rng = np.random.RandomState(seed)
    holes = rng.rand(*X.shape) < share
    holes[np.arange(len(X)), rng.randint(X.shape[1], size=len(X))] = False
    table = np.where(holes, np.nan, X)
    table[0, np.isnan(table).all(axis=0)] = 0  # nor a column
    return table


def codes_and_holes(X):
    "The codes of a table, and the code of a missing value in each column."
    codes, categories = encode(X, missing="ignore")
    return codes, np.array([len(levels) for levels in categories])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(deadline=None, max_examples=60)
@given(st.sampled_from(list(INITIALISATIONS)), weighted_tables(), st.integers(0, 99))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_holes_are_ignored_by_one_rule(algorithm, init, table, seed):
    X, weights, k = table
    X = holed(X, seed, 0.3)
    model = KModes(
        k, init=init, algorithm=algorithm, missing="ignore", random_state=seed, n_init=2
    ).fit(X, sample_weight=weights)
    codes, missing = codes_and_holes(X)
    here, modes = ~np.isnan(X), model.cluster_centroids_.astype(float)
    differ = ((X[:, None] != modes) & here[:, None]).sum(axis=2)
    distances = (differ * X.shape[1] / here.sum(axis=1, keepdims=True)).tolist()
    assert model.transform(X).tolist() == distances
    assert model.transform(X).dtype == float
    assert model.labels_.tolist() == model.predict(X).tolist()
    assert model.labels_.tolist() == np.argmin(distances, axis=1).tolist()
    assert model.cost_ == pytest.approx(np.min(distances, axis=1) @ weights)
    assert model.score(X, sample_weight=weights) == pytest.approx(-model.cost_)
    present = weights > 0
    check_clustering(
        codes[present],
        model.labels_[present],
        model.modes_,
        model.cost_,
        sample_weight=weights[present],
        missing_codes=missing,
    )
    assert min(model.epoch_costs_) >= model.cost_ - 1e-9


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(weighted_tables(), st.integers(0, 99))
# a swap tosses a coin for each column
@pytest.mark.parametrize("algorithm", sorted(set(ALGORITHMS) - {"swap"}))
def test_feature_weights_with_holes_are_repeated_columns(algorithm, table, seed):
    X, weights, k = table
    X = holed(X, seed, 0.3)
    times = np.random.RandomState(seed).randint(1, 4, size=X.shape[1])
    times[0] += times.max() == times.min() and len(times) > 1
    wide = KModes(k, algorithm=algorithm, missing="ignore", random_state=0)
    heavy = clone(wide).set_params(feature_weight=times).fit(X, sample_weight=weights)
    wide.fit(np.repeat(X, times, axis=1), sample_weight=weights)
    assert heavy.labels_.tolist() == wide.labels_.tolist()
    assert heavy.cost_ == pytest.approx(wide.cost_, rel=1e-12)
    assert (
        np.repeat(heavy.cluster_centroids_, times, axis=1).tolist()
        == wide.cluster_centroids_.tolist()
    )
    assert heavy.transform(X) == pytest.approx(
        wide.transform(np.repeat(X, times, axis=1))
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_rows_and_columns_without_a_value(algorithm):
    X = np.array([["a", "b"], ["c", None], [None, None]], object)
    model = KModes(2, algorithm=algorithm, missing="ignore")
    with pytest.raises(ValueError, match="row 2"):
        clone(model).fit(X, sample_weight=[1, 1, 0])
    with pytest.raises(ValueError, match="row 0"):
        model.fit(X[:2]).predict(X[2:])
    with pytest.raises(ValueError, match="row 1"):
        clone(model).set_params(feature_weight=[0, 1]).fit(X[:2])
    with pytest.raises(ValueError, match="column 1"):
        clone(model).fit(X[1:2])
    with pytest.raises(ValueError, match="init must be complete"):
        clone(model).set_params(init=X[:2]).fit(X[:2])


@pytest.mark.parametrize("algorithm, init", PAIRS)
def test_rows_that_agree_as_far_as_they_go(algorithm, init):
    X = np.array([["a", "b"], ["a", None], [None, "b"]] * 2, object)
    with pytest.warns(ConvergenceWarning, match="n_clusters=2"):
        model = KModes(2, init=init, algorithm=algorithm, missing="ignore").fit(X)
    assert (model.labels_.tolist(), model.cost_) == ([0] * 6, 0)
    assert model.cluster_centroids_.tolist() == [["a", "b"]]


def test_unknown_and_missing_are_told_apart():
    X = np.array([["a", "b"], ["a", "c"], ["d", "c"], [None, "c"]], object)
    model = KModes(1, missing="ignore", handle_unknown="ignore").fit(X)
    assert model.cluster_centroids_.tolist() == [["a", "c"]]
    later = [["new", "c"], [None, "c"], ["a", None], ["new", None], ["a", "new"]]
    found = model.transform(np.array(later, object))
    assert found.tolist() == [[1], [0], [0], [2], [1]]


@settings(deadline=None, max_examples=25)
@given(weighted_tables(), st.data())
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_weights_of_features_are_repeated_columns(algorithm, table, data):
    X, _, k = table
    repeats = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=X.shape[1], max_size=X.shape[1]))
    )
    repeats[0] += not repeats.any()
    # a common factor is a unit, and a swap tosses a coin for each column
    repeats //= np.gcd.reduce(repeats)
    wide = np.repeat(X, repeats, axis=1)
    k = min(k, len(np.unique(wide, axis=0)))
    model = KModes(k, algorithm=algorithm, random_state=0)
    weighted = clone(model).set_params(feature_weight=repeats * 1.5).fit(X)
    repeated = clone(model).fit(wide)
    assert weighted.labels_.tolist() == repeated.labels_.tolist()
    assert weighted.cost_ == 1.5 * repeated.cost_
    assert (
        np.repeat(weighted.cluster_centroids_, repeats, axis=1).tolist()
        == repeated.cluster_centroids_.tolist()
    )
    assert (weighted.transform(X) == 1.5 * repeated.transform(wide)).all()
    assert weighted.score(X) == -weighted.cost_ == weighted.score_samples(X).sum()


def test_weights_of_features_by_name(vehicles):
    by_name = KModes(3, feature_weight=dict(price=2, eco=0)).fit(vehicles)
    by_place = KModes(3, feature_weight=[2, 1, 1, 1, 1, 0]).fit(vehicles)
    assert same(by_name, by_place)
    assert type(by_name.cost_) is int
    assert by_name.cluster_centroids_.shape == (3, 6)


@pytest.mark.parametrize(
    "name, costs",
    [
        ("zoo", {3: 234, 10: 105}),
        ("soybean-small", {4: 199}),
        ("hayes-roth", {3: 198, 7: 134}),
        ("voting-records", {4: 1414}),
    ],
)
def test_default_finds_certified_optima(monkeypatch, load_or_skip, name, costs):
    monkeypatch.setattr("kmodes_study.cluster.algorithms.swaps._MOST", 2500)
    X = load_or_skip(name, as_frame=True).data
    for k, cost in costs.items():
        fits = [
            KModes(k, missing="category", random_state=seed).fit(X)
            for seed in (None, None, 1)
        ]
        assert [fit.cost_ for fit in fits] == [cost] * 3
        # no seed, and still the same each time
        assert fits[0].labels_.tolist() == fits[1].labels_.tolist()


# Rows that come in batches

WORDS = pd.DataFrame(
    np.random.RandomState(5).choice(list("abcd"), (60, 4)), columns=list("wxyz")
)
BATCH = pd.DataFrame(
    np.random.RandomState(6).choice(list("abcdef"), (10, 4)), columns=list("wxyz")
)


def plain_batches(model, table, weights, batches):
    """The modes after batches that follow on a fit, in plain Python: a table counts by
    the labels of its fit.
    """
    modes = [list(mode) for mode in model.cluster_centroids_]
    order = [list(levels) for levels in model.encoder_.categories_]
    counts = [[dict.fromkeys(known, 0) for known in order] for _ in modes]

    def count(rows, labels, weights):
        for row, label, weight in zip(rows, labels, weights):
            for j, value in enumerate(row):
                counts[label][j][value] = counts[label][j].get(value, 0) + weight

    count(table.to_numpy().tolist(), model.labels_.tolist(), weights)
    for batch in batches:
        rows = batch.to_numpy().tolist()
        for j, known in enumerate(order):
            known += sorted({row[j] for row in rows} - set(known))
        differ = [
            [sum(a != b for a, b in zip(row, mode)) for mode in modes] for row in rows
        ]
        count(rows, [row.index(min(row)) for row in differ], [1] * len(rows))
        for l, tables in enumerate(counts):
            if sum(tables[0].values()):
                modes[l] = [
                    max(known, key=lambda value: table.get(value, 0))
                    for known, table in zip(order, tables)
                ]
    return modes


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("weighted", [False, True])
def test_batches_go_on_from_the_fit(algorithm, weighted):
    weights = np.ones(60, int)
    if weighted:
        weights = np.random.RandomState(1).randint(4, size=60)
    model = KModes(4, algorithm=algorithm, init="random", n_init=1, random_state=0)
    model.set_params(max_iter=2, max_swaps=3)
    first = clone(model).partial_fit(WORDS, sample_weight=weights)
    model.fit(WORDS, sample_weight=weights)
    batches = [BATCH[:3], BATCH[3:4], BATCH[4:]]
    expected = plain_batches(model, WORDS, weights.tolist(), batches)
    for batch in batches:
        model.partial_fit(batch)
        first.partial_fit(batch)
    assert model.cluster_centroids_.tolist() == expected
    assert np.array_equal(first.modes_, model.modes_)
    assert first.cost_ == model.cost_
    assert np.array_equal(model.labels_, first.labels_)
    assert len(model.labels_) == 6


HALVES = np.full(10, 0.5)
REFUSED_BATCHES = {
    "fractions": (BATCH, HALVES, "sample_weight"),
    "other names": (BATCH.set_axis(list("WXYZ"), axis=1), None, "feature names"),
    "a gap": (BATCH.mask(BATCH == "f"), None, "missing"),
    "infinity": (BATCH.assign(w=np.inf), None, "infinity"),
}


def state_of(model):
    return pickle.dumps(vars(model))


@pytest.mark.parametrize("kind", REFUSED_BATCHES)
@pytest.mark.filterwarnings("ignore::kmodes_study.core.columns.TableWarning")
def test_a_refused_batch_leaves_the_model_as_it_was(kind):
    batch, weights, message = REFUSED_BATCHES[kind]
    model = KModes(3, missing="ignore", random_state=0).partial_fit(WORDS)
    before = state_of(model)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(batch, sample_weight=weights)
    assert state_of(model) == before


@pytest.mark.parametrize(
    "options, gaps, weight",
    [
        ({}, False, 0.5),
        (dict(missing="category"), True, 1),
        (dict(missing="ignore"), True, 1),
        (dict(feature_weight=[1, 2, 1, 1]), False, 1),
    ],
)
def test_batches_cannot_follow_on_each_fit(options, gaps, weight):
    table = WORDS.mask(WORDS == "d") if gaps else WORDS
    model = KModes(3, **options).fit(table, sample_weight=np.full(60, weight))
    with pytest.raises(ValueError, match="batches"):
        model.partial_fit(BATCH)
    model.set_params(feature_weight=None).fit(WORDS).partial_fit(BATCH)
    assert len(model.labels_) == 10


def test_batches_go_on_after_a_model_was_saved(tmp_path):
    model = KModes(3).fit(WORDS)
    model.save(tmp_path / "model.json")
    loaded = KModes.load(tmp_path / "model.json").partial_fit(BATCH)
    assert np.array_equal(loaded.modes_, model.partial_fit(BATCH).modes_)


# a start that the caller has written


def test_a_function_starts_with_the_codes_of_the_table():
    X = pd.DataFrame(np.random.RandomState(0).choice(list("abcd"), (60, 5)))
    X.loc[0, 0] = None
    weights = np.arange(60) % 3
    calls = []

    def start(codes, n_clusters, *, random_state, sample_weight, missing_codes):
        calls.append((codes, n_clusters, random_state, sample_weight, missing_codes))
        return codes[1 : 1 + n_clusters]

    model = KModes(3, init=start, n_init=4, random_state=7, missing="ignore")
    model.fit(X, sample_weight=weights)
    kept = weights > 0
    for codes, k, _, own, missing_codes in calls:
        assert codes.tolist() == model.encoder_.transform(X[kept]).tolist()
        assert (k, own.tolist()) == (3, weights[kept].tolist())
        assert missing_codes.tolist() == [4] * 5
    seeds = {random_state.get_state()[1][0] for _, _, random_state, *_ in calls}
    assert len(calls) == len(seeds) == 4


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("feature_weight", [None, [1, 2, 0, 1, 3]])
def test_a_function_starts_like_the_modes_that_it_gives(algorithm, feature_weight):
    X = np.random.RandomState(1).choice(list("abcd"), (80, 5))
    options = dict(algorithm=algorithm, feature_weight=feature_weight, random_state=0)
    own = KModes(3, init=lambda codes, k: codes[[5, 9, 2]], n_init=9, **options).fit(X)
    assert same(own, KModes(3, init=X[[5, 9, 2]], **options).fit(X))


BAD_STARTS = [
    lambda codes, k: codes[:2],
    lambda codes, k: codes[:3] / 2,
    lambda codes, k: codes[:3] + 9,
    lambda codes, k: np.arange(len(codes)),
]


@pytest.mark.parametrize("start", BAD_STARTS)
def test_what_a_function_gives_is_checked(vehicles, start):
    with pytest.raises(ValueError, match="init=<lambda>"):
        KModes(3, init=start).fit(vehicles)
