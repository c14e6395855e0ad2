"""Dissimilarities that count: from every door of `KModes`, against a peer, and what
must hold for all tables.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

from kmodes_study import KModes
from kmodes_study.cluster.dissimilarity_tables import DISSIMILARITIES, TABLE_ALGORITHMS
from kmodes_study.cluster.dissimilarity_tables import clusters_of, learn_tables
from kmodes_study.cluster.dissimilarity_tables import table_cost, table_distances
from kmodes_study.cluster.dissimilarity_tables import table_kmodes
from kmodes_study.data.synthetic import make_planted_clusters, toy_vehicles

PLANTED = make_planted_clusters(
    120, 6, n_levels=4, n_clusters=3, noise=0.5, random_state=0
).codes
VEHICLES = toy_vehicles()


def asked(name, table):
    "A dissimilarity by its name; for 'ordinal' each column that is no text is a scale."
    if name != "ordinal":
        return name
    dtypes = pd.DataFrame(table).dtypes
    return {name: "ordinal" for name, dtype in dtypes.items() if dtype.kind in "iu"}


CHECKS = [
    check
    for _, check in estimator_checks_generator(KModes(dissimilarity="ng"))
    if check.func.__name__
    not in (
        "check_array_api_input",  # codes are numpy arrays
        # wants blobs of numbers found, where nearly every number is its own category
        "check_clustering",
        # no two rows agree in anything: ties decide
        "check_sample_weight_equivalence_on_dense_data",
        "check_positive_only_tag_during_fit",
    )
]  # scikit-learn 1.6 only, for all estimators of categories


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.func.__name__)
def test_scikit_learns_contract(check):
    check(KModes(dissimilarity="ng"))


@pytest.mark.parametrize("name", DISSIMILARITIES)
def test_costs_are_sums_of_distances_and_transfers_lower_them(name):
    tables = learn_tables(name, PLANTED)
    for seed in range(5):
        start = np.unique(PLANTED, axis=0)[
            np.random.RandomState(seed).permutation(60)[:4]
        ]
        for algorithm in TABLE_ALGORITHMS:
            run = table_kmodes(PLANTED, start, tables, algorithm, max_iter=30)
            clusters = clusters_of(PLANTED, run.labels, 4, tables)
            own = table_distances(PLANTED, tables, clusters)
            own = own[np.arange(len(PLANTED)), run.labels]
            assert_allclose([run.cost, table_cost(clusters)], own.sum(), rtol=1e-9)
            assert_array_equal(clusters.modes, run.modes)
            assert set(run.labels) == set(range(4))
            assert run.cost <= min(run.epoch_costs) + 1e-6
            if algorithm == "otqt":
                assert run.converged
                assert (np.diff(run.epoch_costs) < 1e-9).all()


@pytest.mark.parametrize("algorithm", TABLE_ALGORITHMS)
@pytest.mark.parametrize("name", ["ng", "goodall3", "lin"])
def test_estimator_says_the_same_everywhere(name, algorithm):
    options = dict(algorithm=algorithm, init="random", n_init=3, random_state=0)
    model = KModes(3, dissimilarity=name.upper(), **options)
    labels = model.fit_predict(PLANTED)
    distances = model.transform(PLANTED)
    assert_array_equal(model.predict(PLANTED), distances.argmin(axis=1))
    assert_allclose(model.score_samples(PLANTED), -distances.min(axis=1))
    assert_allclose(model.cost_, distances[np.arange(120), labels].sum(), rtol=1e-9)
    assert_allclose(model.score(PLANTED), -distances.min(axis=1).sum())
    twice = KModes(3, dissimilarity=name, n_jobs=2, **options)
    assert_array_equal(twice.fit(PLANTED).labels_, labels)
    assert not hasattr(model, "partial_fit")
    assert hasattr(KModes(), "partial_fit")


@pytest.mark.parametrize("name", DISSIMILARITIES)
def test_weights_are_repetitions_of_rows_and_of_columns(name):
    measure = asked(name, PLANTED)
    times = np.random.RandomState(0).randint(0, 4, 120)
    for algorithm in "otqt", "lloyd":
        weighted = KModes(3, dissimilarity=measure, algorithm=algorithm)
        repeated = clone(weighted).fit(np.repeat(PLANTED, times, axis=0))
        weighted.fit(PLANTED, sample_weight=times)
        assert_array_equal(np.repeat(weighted.labels_, times), repeated.labels_)
        assert_allclose(weighted.cost_, repeated.cost_)
        assert_allclose(
            weighted.transform(PLANTED[times > 0]),
            repeated.transform(PLANTED[times > 0]),
        )
    heavy = KModes(3, dissimilarity=measure, feature_weight=[2, 1, 1, 0, 1, 1])
    heavy.fit(PLANTED)
    columns = [0, 0, 1, 2, 4, 5]
    measure = asked(name, PLANTED[:, columns])
    wide = KModes(3, dissimilarity=measure).fit(PLANTED[:, columns])
    assert_array_equal(heavy.labels_, wide.labels_)
    assert_allclose(heavy.transform(PLANTED), wide.transform(PLANTED[:, columns]))


def test_tables_of_ones_own():
    matched = KModes(3, dissimilarity={}, algorithm="lloyd")
    plain = KModes(3, algorithm="lloyd")
    assert_array_equal(matched.fit(VEHICLES).labels_, plain.fit(VEHICLES).labels_)
    assert matched.cost_ == plain.cost_
    assert_array_equal(matched.transform(VEHICLES), plain.transform(VEHICLES))
    grades = ["V", "H", "M", "L"]  # in an order of its own
    steps = pd.DataFrame(np.abs(np.subtract.outer(range(4), range(4))), grades, grades)
    model = KModes(1, dissimilarity=dict(price=steps)).fit(VEHICLES)
    for large in 1e17, 1e308:
        with pytest.raises(ValueError, match="dissimilarity must be smaller"):
            KModes(2, dissimilarity=dict(price=steps / 3 * large)).fit(VEHICLES)
    mode = model.cluster_centroids_[0]
    own = [grades.index(price) for price in VEHICLES.price]
    differs = (VEHICLES.to_numpy(object)[:, 1:] != mode[1:]).sum(axis=1)
    assert_allclose(
        model.transform(VEHICLES)[:, 0],
        np.abs(np.array(own) - grades.index(mode[0])) + differs,
    )


@pytest.mark.parametrize("algorithm", ["otqt", "lloyd", "huang"])
def test_rows_at_no_distance_keep_a_cluster_each(algorithm):
    "The first two categories differ by nothing, and are different all the same."
    codes = np.array([[0], [1], [2]], np.uint8)
    tables = learn_tables([[[0, 0, 1], [0, 0, 1], [1, 1, 0]]], codes)
    found = table_kmodes(codes, codes, tables, algorithm)
    assert sorted(found.labels.tolist()) == [0, 1, 2]
    assert found.cost == 0
