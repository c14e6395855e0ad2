"""The whole by formula: what an estimator says in the caller's units is recomputed from
its table alone, with columns that weigh, rows that repeat, values that are missing,
and other dissimilarities.
"""

import numpy as np
import pandas as pd
import pytest

from kmodes_study import KModes
from kmodes_study.data.synthetic import make_planted_clusters
from kmodes_study.data.synthetic import toy_vehicles

PLANTED = make_planted_clusters(
    90, 3, n_levels=4, n_clusters=3, noise=0.4, random_state=1
).codes
WEIGHTS = [0.5, 1.5, 1.0]
VEHICLES = toy_vehicles()


def plain_distances(rows, modes, weights=None):
    """Mismatches of rows with modes, weighted; those of a row with gaps (None) count
    whole/observed times.
    """
    rows, modes = np.array(rows, object), np.array(modes, object)
    weights = np.ones(rows.shape[1]) if weights is None else np.array(weights)
    here = np.array([[value is not None for value in row] for row in rows])
    differ = (rows[:, None] != modes[None]) & here[:, None]
    shares = (here * weights).sum(axis=1) / weights.sum()
    return (differ * weights).sum(axis=2) / shares[:, None]


def test_a_dissimilarity_counts_the_categories_that_occur():
    "Eskin's mismatch is 2/(v² + 2) where v categories occur."
    rows = [["a", "x"], ["a", "x"], ["a", "x"], ["a", "y"], ["b", "z"]]
    # one mismatch in the first column, two in the second
    cost = 2 / (2**2 + 2) + 2 * 2 / (3**2 + 2)
    model = KModes(1, dissimilarity="eskin").fit(rows)
    assert model.cost_ == pytest.approx(cost, abs=1e-7)
    assert model.transform(rows)[:, 0].tolist() == pytest.approx(
        [0, 0, 0, 2 / 11, 2 / 6 + 2 / 11], abs=1e-7
    )


@pytest.mark.parametrize("dissimilarity", ["matching", "goodall3", "eskin", "ng"])
def test_units_of_columns_are_those_of_the_caller_everywhere(dissimilarity):
    options = dict(dissimilarity=dissimilarity, n_clusters=3, random_state=0)
    model = KModes(feature_weight=WEIGHTS, **options).fit(PLANTED)
    # weights one half, three halves, two halves
    wide = KModes(**options).fit(PLANTED[:, [0, 1, 1, 1, 2, 2]])
    assert model.cost_ == pytest.approx(wide.cost_ / 2)
    assert model.epoch_costs_ == pytest.approx(np.array(wide.epoch_costs_) / 2)
    own = model.transform(PLANTED)
    assert own == pytest.approx(wide.transform(PLANTED[:, [0, 1, 1, 1, 2, 2]]) / 2)
    assert own[np.arange(90), model.labels_].sum() == pytest.approx(model.cost_)
    assert model.score_samples(PLANTED) == pytest.approx(-own.min(axis=1))
    assert model.score(PLANTED) == pytest.approx(-own.min(axis=1).sum())
    if dissimilarity == "matching":
        assert own == pytest.approx(plain_distances(PLANTED, model.modes_, WEIGHTS))


@pytest.mark.parametrize(
    "weights", [None, np.arange(90) % 4 + 1, (np.arange(90) % 4 + 1) / 7]
)
def test_costs_with_gaps_by_the_formula(weights):
    rows = PLANTED.astype(object)
    rows[np.random.RandomState(0).uniform(size=PLANTED.shape) < 0.2] = None
    rows[np.equal(rows, None).all(axis=1), 0] = 0
    model = KModes(3, missing="ignore", random_state=0).fit(rows, sample_weight=weights)
    distances = plain_distances(rows, model.cluster_centroids_)
    times = np.ones(90) if weights is None else weights
    cost = distances[np.arange(90), model.labels_] @ times
    assert model.cost_ == pytest.approx(cost, rel=1e-7)
    assert model.epoch_costs_[-1] == pytest.approx(cost, rel=1e-7)
    assert model.transform(rows) == pytest.approx(distances)
    lowest = pytest.approx(distances.min(axis=1) @ times)
    assert -model.score(rows, sample_weight=weights) == lowest


def test_an_unknown_category_pays_the_most_that_a_table_asks_for():
    grades = ["V", "H", "M", "L"]
    steps = pd.DataFrame(np.abs(np.subtract.outer(range(4), range(4))), grades, grades)
    model = KModes(1, dissimilarity=dict(price=steps), handle_unknown="ignore")
    model.fit(VEHICLES)
    mode = model.cluster_centroids_[0]
    differs = (VEHICLES.to_numpy(object)[:, 1:] != mode[1:]).sum(axis=1)
    assert model.transform(VEHICLES.assign(price="?"))[:, 0] == pytest.approx(
        steps[mode[0]].max() + differs
    )


def test_long_tables_are_measured_as_short_ones():
    "More rows than are looked up together, and not a multiple of that."
    often = pd.concat([VEHICLES] * 4_001, ignore_index=True)
    for dissimilarity in "goodall1", "matching":
        model = KModes(2, dissimilarity=dissimilarity).fit(VEHICLES)
        expected = np.tile(model.transform(VEHICLES), (4_001, 1))
        np.testing.assert_array_equal(model.transform(often), expected)


@pytest.mark.parametrize("seed", range(6))
def test_the_first_of_the_best_starts_is_kept(seed):
    # every start ends at cost 0, in one of two orders
    rows = np.repeat([[0, 0, 0, 0], [1, 1, 1, 1]], 20, axis=0)
    options = dict(init="random", random_state=seed)
    many, first = (KModes(2, n_init=n_init, **options).fit(rows) for n_init in (8, 1))
    assert many.cost_ == first.cost_ == 0
    np.testing.assert_array_equal(many.labels_, first.labels_)


def test_a_column_of_a_table_of_ones_own_weighs_as_it_stands_there_several_times():
    grades = ["V", "H", "M", "L"]
    steps = np.subtract.outer(range(4), range(4)) ** 2
    dissimilarity = dict(price=pd.DataFrame(steps, grades, grades))
    others = [name for name in VEHICLES if name != "price"]
    rows = VEHICLES[[others[0], "price", *others[1:]]]
    weights = [2, 1, 1, 0] + [1] * (rows.shape[1] - 4)
    heavy = KModes(2, dissimilarity=dissimilarity, feature_weight=weights).fit(rows)
    wide = rows.drop(columns=rows.columns[3])
    wide.insert(0, "twin", rows.iloc[:, 0])
    twin = KModes(2, dissimilarity=dissimilarity).fit(wide)
    assert heavy.cost_ == pytest.approx(twin.cost_)
    np.testing.assert_allclose(heavy.transform(rows), twin.transform(wide))


def test_a_saved_model_measures_in_the_same_units(tmp_path):
    model = KModes(3, feature_weight=WEIGHTS, random_state=0).fit(PLANTED)
    model.save(tmp_path / "model.json")
    again = KModes.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.transform(PLANTED), model.transform(PLANTED))
    np.testing.assert_array_equal(again.predict(PLANTED), model.predict(PLANTED))
    assert (again.cost_, again.n_iter_) == (model.cost_, model.n_iter_)
    assert again.score(PLANTED) == model.score(PLANTED)
