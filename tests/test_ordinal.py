"""Scales: levels that differ by their steps, medians as centres, and questionnaires."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kmodes_study import KModes
from kmodes_study.cluster.dissimilarity_tables import TABLE_ALGORITHMS, clusters_of
from kmodes_study.cluster.dissimilarity_tables import learn_tables, table_kmodes
from kmodes_study.core.columns import step_table
from oracles.dissimilarity import plain_ordinal
from oracles.modes import plain_centre

pytestmark = pytest.mark.filterwarnings("ignore::kmodes_study.TableWarning")
LEVELS = ["never", "sometimes", "often", "always"]
SCALE = pd.CategoricalDtype(LEVELS, ordered=True)


def mixed_table(seed, n=40):
    "A frame with two scales, one of them with a level that no row has, and a name."
    rng = np.random.RandomState(seed)
    return pd.DataFrame(
        {
            "how_often": pd.Categorical(rng.choice(LEVELS[1:], n), dtype=SCALE),
            "colour": rng.choice(["red", "green", "blue"], n),
            "grade": pd.Categorical(rng.randint(1, 7, n), range(1, 7), ordered=True),
        }
    )


SIZES = [4, None, 6]


def places(table):
    "The rows of `mixed_table` as places and names, for the plain forms."
    codes = table.assign(
        how_often=table.how_often.cat.codes, grade=table.grade.cat.codes
    )
    return [tuple(row) for row in codes.itertuples(index=False, name=None)]


def plain_kmedians(rows, centres, sizes):
    "Batch passes by the plain forms; None where a cluster falls empty."
    labels = None
    while True:
        pays = [[plain_ordinal(x, z, sizes) for z in centres] for x in rows]
        found = [row.index(min(row)) for row in pays]
        if found == labels:
            return labels, centres
        labels = found
        clusters = [
            [x for x, own in zip(rows, labels) if own == l] for l in range(len(centres))
        ]
        if not all(clusters):
            return None
        centres = [plain_centre(cluster, sizes) for cluster in clusters]


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 5, 6, 7, 8])  # no empty cluster
def test_batch_passes_are_those_of_the_plain_forms(seed):
    table = mixed_table(seed)
    rows = places(table)
    plain = plain_kmedians(rows, rows[:3], SIZES)
    assert plain is not None
    labels, centres = plain
    model = KModes(3, init=table[:3], algorithm="lloyd", dissimilarity="ordinal")
    model.fit(table)
    assert model.labels_.tolist() == labels
    found = pd.DataFrame(model.cluster_centroids_, columns=table.columns)
    found = found.astype(table.dtypes.to_dict())
    assert places(found) == centres
    cost = sum(plain_ordinal(x, centres[l], SIZES) for x, l in zip(rows, labels))
    assert_allclose(model.cost_, float(cost), rtol=1e-14)
    pays = [[float(plain_ordinal(x, z, SIZES)) for z in centres] for x in rows]
    assert_allclose(model.transform(table), pays, rtol=0, atol=1e-15)


@pytest.mark.parametrize("algorithm", TABLE_ALGORITHMS)
def test_the_centre_is_the_cheapest_level_the_lowest_on_ties(algorithm):
    "Also with weights, and with a gap that is a category of its own."
    for seed in range(10):
        rng = np.random.RandomState(seed)
        codes = rng.randint(5, size=(30, 3))  # level 4 of the first two is a gap
        weights = rng.randint(1, 4, 30)
        sizes = [4, 4, 5]
        tables = learn_tables("ordinal", codes, weights, [5] * 3, sizes)
        run = table_kmodes(codes, codes[:2], tables, algorithm, sample_weight=weights)
        for l, centre in enumerate(run.modes):
            own = run.labels == l
            for j, size in enumerate(sizes):
                counts = np.bincount(codes[own, j], weights[own], 5)
                pays = counts @ np.rint(step_table(size, 5) * 12)
                assert centre[j] == pays.argmin()


@pytest.mark.parametrize("seed", range(5))
def test_steps_are_mismatches_of_the_columns_at_least_this_level(seed):
    """An oracle: a scale of c levels is c - 1 columns that say whether an answer is at
    least of a level, and its median is their modes.
    """
    codes = np.random.RandomState(seed).randint(5, size=(60, 4))
    labels = np.random.RandomState(seed + 1).permutation(np.arange(60) % 3)
    tables = learn_tables("ordinal", codes, levels=[5] * 4)
    clusters = clusters_of(codes, labels, 3, tables)
    wide = (codes[:, :, None] > np.arange(4)).reshape(60, 16)
    costs = 0
    for l in range(3):
        own = wide[labels == l]
        mode = 2 * own.sum(axis=0) > len(own)
        assert_array_equal(mode.reshape(4, 4).sum(axis=1), clusters.modes[l])
        costs += (own != mode).sum()
    assert Fraction(int(clusters.costs.sum()), tables.unit) == Fraction(int(costs), 4)


def test_the_same_scales_in_each_form():
    table = mixed_table(1, 100)
    asked = KModes(3, dissimilarity="ordinal", random_state=0)
    expected = asked.fit(table)
    text = table.assign(how_often=table.how_often.astype(str))
    text["grade"] = text["grade"].astype(int)
    lists = {"how_often": LEVELS, "grade": list(range(1, 7))}
    forms = {
        "lists": (lists, text),
        "numbers": (dict(lists, grade="ordinal"), text),
        "index": (dict(how_often=pd.Index(LEVELS), grade=np.arange(1, 7)), text),
        "own order": (dict(how_often="ordinal", grade="ORDINAL"), table),
        "positions": ({0: LEVELS, 2: range(1, 7)}, text.to_numpy(object)),
        "polars": (lists, pl.from_pandas(text)),
    }
    assert set(text.grade) == set(range(1, 7))
    forms["positions"][0][2] = list(range(1, 7))
    for name, (dissimilarity, form) in forms.items():
        model = KModes(3, dissimilarity=dissimilarity, random_state=0).fit(form)
        assert model.labels_.tolist() == expected.labels_.tolist(), name
        assert model.cost_ == expected.cost_, name
        assert_array_equal(model.cluster_centroids_, expected.cluster_centroids_)


def test_a_level_without_a_row_counts_and_can_come_later():
    table = mixed_table(2)
    model = KModes(1, dissimilarity="ordinal").fit(table)
    assert model.encoder_.categories_[0].tolist() == LEVELS
    centre = LEVELS.index(model.cluster_centroids_[0, 0])
    new = table[:2].copy()
    new["how_often"] = pd.Categorical(["never", "always"], dtype=SCALE)
    at_centre = new.copy()
    at_centre["how_often"] = pd.Categorical([LEVELS[centre]] * 2, dtype=SCALE)
    pays = model.transform(new) - model.transform(at_centre)
    assert_allclose(pays[:, 0], [centre / 3, (3 - centre) / 3])
    short = table.assign(how_often=table.how_often.cat.remove_unused_categories())
    assert KModes(1, dissimilarity="ordinal").fit(short).cost_ > model.cost_


def test_what_is_on_no_scale_is_refused_or_as_far_as_the_farthest():
    table = mixed_table(3)
    new = table[:1].assign(how_often="daily")
    model = KModes(1, dissimilarity="ordinal").fit(table)
    with pytest.raises(ValueError, match="'daily' in column 'how_often'"):
        model.predict(new)
    lenient = KModes(1, dissimilarity="ordinal", handle_unknown="ignore").fit(table)
    centre = LEVELS.index(lenient.cluster_centroids_[0, 0])
    same = table[:1].assign(how_often=lenient.cluster_centroids_[0, 0])
    pays = lenient.transform(new) - lenient.transform(same)
    assert_allclose(pays, max(centre, 3 - centre) / 3)


def test_a_gap_that_is_a_category_differs_by_one_from_each_level():
    table = mixed_table(4)
    table.loc[::5, "how_often"] = None
    model = KModes(2, dissimilarity="ordinal", missing="category").fit(table)
    gap, full = table[:1], table[:1].copy()
    assert gap.isna().any(axis=None)
    for l, centre in enumerate(model.cluster_centroids_):
        assert centre[0] in LEVELS
        full["how_often"] = pd.Categorical([centre[0]], dtype=SCALE)
        assert_allclose(model.transform(gap)[0, l] - model.transform(full)[0, l], 1)
    nearly = table.assign(how_often=pd.Categorical([None] * 38 + ["often"] * 2))
    nearly["how_often"] = nearly["how_often"].astype(SCALE)
    one = KModes(1, dissimilarity="ordinal", missing="category").fit(nearly)
    assert pd.isna(one.cluster_centroids_[0, 0])


@pytest.mark.parametrize("weight", [None, [2, 1, 0.5], {"colour": 0}])
@pytest.mark.parametrize(
    "dissimilarity",
    [
        "ordinal",
        {"grade": "ordinal", "colour": None},
        {"how_often": ["ever", *LEVELS], "colour": ["red", "green", "blue"]},
    ],
    ids=["ordinal", "own", "listed"],
)
def test_a_saved_model_says_the_same(tmp_path, dissimilarity, weight):
    table = mixed_table(5)
    if dissimilarity != "ordinal":
        table["how_often"] = table["how_often"].astype(str)
    model = KModes(3, dissimilarity=dissimilarity, random_state=0)
    model.set_params(feature_weight=weight).fit(table)
    model.save(tmp_path / "m.json")
    loaded = KModes.load(tmp_path / "m.json")
    assert_array_equal(loaded.transform(table), model.transform(table))
    assert_array_equal(loaded.predict(table), model.predict(table))
    assert_array_equal(loaded.cluster_centroids_, model.cluster_centroids_)
    loaded.save(tmp_path / "again.json")
    first, again = (tmp_path / name for name in ("m.json", "again.json"))
    assert first.read_text() == again.read_text()
    refitted = loaded.set_params(random_state=0).fit(table)
    assert_array_equal(refitted.labels_, model.labels_)
