"""Scales: levels that differ by their steps, medians as centres, and questionnaires."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kmodes_study import KModes, KPrototypes, diagnose
from kmodes_study.cluster.dissimilarity_tables import (
    TABLE_ALGORITHMS,
    clusters_of,
    learn_tables,
    table_kmodes,
)
from kmodes_study.core.scales import median_places, median_words, step_table
from kmodes_study.data.questionnaires import (
    AGREEMENT,
    make_survey,
    split_answers,
    step_columns,
    weights_by_group,
)
from kmodes_study.describe import k_scan
from kmodes_study.family import FuzzyKModes
from kmodes_study.measures import adjusted_rand_score, gower_distances
from kmodes_study.plain.dissimilarity import plain_ordinal
from kmodes_study.plain.modes import plain_centre

pytestmark = pytest.mark.filterwarnings("ignore::kmodes_study.TableWarning")
LEVELS = ["never", "sometimes", "often", "always"]
SCALE = pd.CategoricalDtype(LEVELS, ordered=True)
SURVEY = make_survey(150, 6, 3, random_state=0)


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
    model = KModes(3, init=table[:3], algorithm="lloyd", dissimilarity="ordinal").fit(
        table
    )
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


def test_thirds_add_up_exactly():
    "Three steps of a third are one mismatch, so the tie goes to the lowest cluster."
    codes = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 0]])
    tables = learn_tables("ordinal", codes, None, [4, 4, 4, 2], [4, 4, 4, 0])
    assert tables.unit % 3 == 0
    clusters = clusters_of(codes, [0, 0, 1], 2, tables)
    two = clusters.amounts[0, tables.offsets[:3] + 1].sum()
    assert two == tables.unit


def test_under_matching_an_order_changes_nothing_and_nobody_warns():
    table = mixed_table(0, 200)
    names = table.assign(grade=table.grade.astype(int))
    names["how_often"] = names["how_often"].cat.as_unordered()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ordered = KModes(3, random_state=0).fit(table)
        named = KModes(3, random_state=0).fit(names)
    assert_array_equal(ordered.labels_, named.labels_)
    assert ordered.cost_ == named.cost_
    assert type(ordered.cost_) is int
    assert [len(levels) for levels in ordered.encoder_.categories_] == [3, 3, 6]


def test_diagnose_has_a_word_on_an_order():
    found = diagnose(mixed_table(0, 200)).set_index("column")
    assert found["finding"].to_dict() == dict(how_often="scale", grade="scale")
    assert found["example"]["how_often"] == "4 levels from 'never' to 'always'"
    assert "dissimilarity='ordinal'" in found["remedy"]["grade"]
    two = pd.Categorical(["no", "yes"] * 9, ["no", "yes"], ordered=True)
    assert diagnose(pd.DataFrame({"vote": two})).empty


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
    pays = (
        model.transform(new)[:, 0]
        - model.transform(
            new.assign(how_often=pd.Categorical([LEVELS[centre]] * 2, dtype=SCALE))
        )[:, 0]
    )
    assert_allclose(pays, [centre / 3, (3 - centre) / 3])
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
    model = KModes(
        3, dissimilarity=dissimilarity, feature_weight=weight, random_state=0
    ).fit(table)
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


def test_a_table_of_ones_own_beside_a_scale_is_not_saved(tmp_path):
    steps = pd.DataFrame(1.0 - np.eye(3), *[["red", "green", "blue"]] * 2)
    model = KModes(2, dissimilarity=dict(colour=steps, grade="ordinal"))
    model.fit(mixed_table(6))
    with pytest.raises(ValueError, match="dissimilarity='matching' or scales"):
        model.save(tmp_path / "m.json")


@pytest.mark.parametrize(
    "dissimilarity, said",
    [
        ("ordinal", "for columns without an order, got 'ordinal'"),
        (dict(colour="ordinal"), "must say the order of column 'colour'"),
        (dict(colour=["red", "green"]), "all levels of column 'colour', but 'blue'"),
        (dict(colour=["red", "red"]), "each level of column 'colour' once"),
        (dict(colour=[]), "each level of column 'colour' once"),
        (dict(colour="by size"), "got 'by size'"),
        (dict(size=["small", "large"]), "must name columns of X, got 'size'"),
    ],
)
def test_what_is_no_scale_is_refused(dissimilarity, said):
    table = mixed_table(7)[["colour"]].assign(shape=list("abcd") * 10)
    with pytest.raises(ValueError, match=said):
        KModes(2, dissimilarity=dissimilarity).fit(table)


def test_gaps_that_are_ignored_are_refused_as_with_other_tables():
    with pytest.raises(ValueError, match="missing='ignore'"):
        KModes(2, dissimilarity="ordinal", missing="ignore").fit(mixed_table(8))


def test_medians_of_many_clusters_at_once():
    counts = [[1, 2, 0, 3], [0, 0, 0, 0], [0.5, 0, 0, 0.25]]
    lower, upper = median_places(counts)
    assert (lower.tolist(), upper.tolist()) == ([1, -1, 0], [3, -1, 0])
    assert median_words(LEVELS, counts[0]) == "between sometimes and always"
    assert median_words(LEVELS, counts[1]) is None
    assert median_words(range(1, 5), counts[2]) == "1"


def test_order_finds_groups_that_matching_misses():
    "Known groups of made surveys; the same seeds give the same surveys everywhere."
    found = {"matching": [], "ordinal": []}
    for seed in range(3):
        survey = make_survey(200, 10, 3, random_state=seed)
        for name, indices in found.items():
            model = KModes(3, dissimilarity=name, algorithm="lloyd", random_state=0)
            labels = model.fit(survey.answers).labels_
            indices.append(adjusted_rand_score(survey.labels, labels))
    assert min(found["ordinal"]) > max(found["matching"])


# Blocks of questions


BLOCK = [f"Q{j}" for j in range(1, 5)]


FIRST = dict(algorithm="lloyd", random_state=0)


@pytest.mark.parametrize(
    "kind, options",
    [
        (KModes, dict(FIRST, dissimilarity="ordinal")),
        (KModes, FIRST),
        (FuzzyKModes, dict(random_state=0)),
        (KPrototypes, dict(random_state=0)),
    ],
    ids=["ordinal", "matching", "fuzzy", "prototypes"],
)
def test_a_block_weighs_as_one_column_in_each_clusterer(kind, options):
    "A question that is asked four times, and weighs as one, is that question."
    once = SURVEY.answers[["Q1", "Q5", "Q6"]]
    if kind is KPrototypes:
        once = once.assign(Q6=once["Q6"].cat.codes.astype(float))
    asked = once.assign(**dict.fromkeys(BLOCK[1:], once["Q1"]))
    if kind is KModes:
        options = dict(options, init=asked.iloc[[0, 3]])
    weights = weights_by_group({"block": BLOCK}, asked.columns)
    block = kind(2, feature_weight=weights, **options).fit(asked)
    single = {"Q1": 1} | dict.fromkeys(BLOCK[1:], 0)
    alone = kind(2, feature_weight=single, **options).fit(asked)
    assert_array_equal(block.labels_, alone.labels_)
    assert_allclose(block.cost_, alone.cost_, rtol=1e-9)
    each = kind(2, **options).fit(asked)
    assert each.cost_ > 1.1 * block.cost_


def test_blocks_of_many_sizes_count_nearly_as_one():
    blocks, first = {}, 0
    for size in (36, 35, 11, 7, 1):
        blocks[size] = [f"c{j}" for j in range(first, first + size)]
        first += size
    weights = weights_by_group(blocks)
    totals = [sum(weights[name] for name in names) for names in blocks.values()]
    assert_allclose(totals, 1, atol=0.03)
    codes = np.random.RandomState(0).randint(3, size=(20, first))
    table = pd.DataFrame(codes, columns=list(weights))
    model = KModes(2, feature_weight=weights, random_state=0).fit(table)
    pays = model.transform(table)
    differs = table.to_numpy()[:, None, :] != model.cluster_centroids_[None]
    assert_allclose(pays, differs @ np.array(list(weights.values())), atol=1e-9)


def test_a_third_is_a_weight():
    table = mixed_table(9)
    model = KModes(2, feature_weight=[1 / 3, 1 / 3, 1], random_state=0).fit(table)
    thrice = KModes(2, feature_weight=[1, 1, 3], random_state=0).fit(table)
    assert_array_equal(model.labels_, thrice.labels_)
    assert_allclose(model.cost_, thrice.cost_ / 3)


# A scale as columns


def test_gower_counts_the_steps_of_scales():
    "The mean over the columns that both rows have: steps, ranges, and names."
    table = mixed_table(10).assign(age=np.random.RandomState(0).randint(20, 60, 40))
    table.loc[::4, "how_often"] = None
    codes = table.how_often.cat.codes.to_numpy(float)
    codes[codes < 0] = np.nan
    grades = table.grade.cat.codes.to_numpy(float)
    ages = table.age.to_numpy(float)
    parts = [
        np.abs(np.subtract.outer(codes, codes)) / 3,
        np.not_equal.outer(table.colour.to_numpy(), table.colour.to_numpy()),
        np.abs(np.subtract.outer(grades, grades)) / 5,
        np.abs(np.subtract.outer(ages, ages)) / (ages.max() - ages.min()),
    ]
    steps, scales = step_columns(table)
    weights = weights_by_group(scales, steps.columns)
    found = gower_distances(steps, missing="ignore", feature_weight=weights)
    assert_allclose(found, np.nanmean(np.array(parts, float), axis=0), atol=1e-6)


def test_k_prototypes_counts_steps_beside_numbers():
    table = mixed_table(11).assign(age=np.random.RandomState(0).normal(size=40))
    steps, scales = step_columns(table)
    weights = weights_by_group(scales, steps.columns)
    model = KPrototypes(2, gamma=0.5, feature_weight=weights, random_state=0)
    labels = model.fit(steps).labels_
    centres = pd.DataFrame(model.cluster_centroids_, columns=steps.columns)
    cost = ((table.age - centres.age.astype(float).to_numpy()[labels]) ** 2).sum()
    cost += 0.5 * (table.colour.to_numpy() != centres.colour.to_numpy()[labels]).sum()
    for name, c in {"how_often": 4, "grade": 6}.items():
        median = centres[scales[name]].astype(int).sum(axis=1).to_numpy()
        own = table[name].cat.codes.to_numpy()
        assert set(median) <= set(range(c))
        cost += 0.5 * np.abs(own - median[labels]).sum() / (c - 1)
    assert_allclose(model.cost_, cost)


def steps_by_hand(table, centres, weights):
    "The dissimilarities of `with_numbers` to prototypes, cell by cell in fractions."
    found = []
    for row in places(table):
        sums = []
        for centre in centres:
            total = Fraction(0)
            for x, y, size, weight in zip(row, centre, SIZES, weights):
                if x == -1:
                    continue
                if size is None:
                    total += weight * (x != y)
                else:
                    total += weight * Fraction(abs(int(x) - int(y)), size - 1)
            observed = sum(w for x, w in zip(row, weights) if x != -1)
            sums.append(float(total * sum(weights) / observed))
        found.append(sums)
    return np.array(found)


@pytest.mark.parametrize("gaps", [False, True])
def test_k_prototypes_counts_the_steps_of_scales(tmp_path, gaps):
    table = mixed_table(5)
    if gaps:
        table.loc[3, "grade"] = None
        table.loc[7:9, "how_often"] = None
    whole = table.assign(price=np.random.RandomState(5).normal(size=40))
    weights = [Fraction(2), Fraction(1), Fraction(3)]
    model = KPrototypes(
        3,
        gamma=0.5,
        dissimilarity="ordinal",
        missing="ignore" if gaps else "error",
        feature_weight={"how_often": 2, "grade": 3},
        random_state=0,
    ).fit(whole)
    centres = pd.DataFrame(model.cluster_centroids_, columns=whole.columns)
    centres = places(centres.drop(columns="price").astype(dict(table.dtypes)))
    squares = (whole.price.to_numpy()[:, None] - model.centres_.T) ** 2
    expected = squares + 0.5 * steps_by_hand(table, centres, weights)
    assert_allclose(model.transform(whole), expected)
    assert_array_equal(expected.argmin(axis=1), model.labels_)
    assert model.cost_ == pytest.approx(expected.min(axis=1).sum())
    model.save(tmp_path / "model.json")
    texts = whole.astype({"how_often": object, "grade": object})
    again = KPrototypes.load(tmp_path / "model.json")
    assert_allclose(again.transform(texts), expected)
    new = texts.assign(how_often="daily")
    again.encoder_.handle_unknown = "ignore"
    assert again.transform(new)[0, 0] > expected[0].min()


def test_without_numbers_k_prototypes_is_k_modes_on_scales():
    table = mixed_table(6)
    start = table.iloc[[0, 5, 9]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = KPrototypes(3, gamma=1.0, init=start, dissimilarity="ordinal").fit(
            table
        )
    plain = KModes(
        3, init=start, dissimilarity="ordinal", algorithm="lloyd", n_init=1
    ).fit(table)
    assert_array_equal(found.labels_, plain.labels_)
    assert_array_equal(found.cluster_centroids_, plain.cluster_centroids_)
    assert found.cost_ == pytest.approx(plain.cost_)


def test_a_scale_is_one_column_for_the_price_of_a_mismatch():
    table = mixed_table(7)[["how_often"]].assign(price=np.arange(40.0))
    model = KPrototypes(2, gamma="variance", dissimilarity="ordinal", random_state=0)
    codes = table.how_often.cat.codes.to_numpy()
    apart = np.abs(codes[:, None] - codes).mean() / 3
    assert model.fit(table).gamma_ == pytest.approx(table.price.var(ddof=0) / apart)


def test_a_missing_answer_is_no_level_for_k_prototypes():
    table = mixed_table(8)
    table.loc[3, "grade"] = None
    whole = table.assign(price=1.0)
    model = KPrototypes(2, dissimilarity="ordinal", missing="category")
    with pytest.raises(ValueError, match="missing must be 'ignore'.*column 'grade'"):
        model.fit(whole)
    with pytest.raises(ValueError, match="dissimilarity must be 'matching'"):
        KPrototypes(2, dissimilarity="ordinal").fit(whole[["colour", "price"]])
    with pytest.raises(ValueError, match="dissimilarity must be one of 'matching'"):
        KPrototypes(2, dissimilarity="ng").fit(whole)


def test_step_columns_are_the_tables_on_any_start():
    for seed in range(5):
        table = mixed_table(seed, 60)
        steps, scales = step_columns(table)
        options = dict(algorithm="lloyd", random_state=0)
        by_steps = KModes(
            2, init=steps[:2], feature_weight=weights_by_group(scales), **options
        ).fit(steps)
        by_order = KModes(2, init=table[:2], dissimilarity="ordinal", **options)
        assert_array_equal(by_steps.labels_, by_order.fit(table).labels_)
        assert_allclose(by_steps.cost_, by_order.cost_)
        assert_allclose(by_steps.transform(steps), by_order.transform(table))


@pytest.mark.parametrize(
    "frame, kind, said",
    [
        ([["a"]], TypeError, "got list"),
        (pd.DataFrame({"a": ["x"]}), ValueError, "an ordered category, got none"),
        (
            mixed_table(0).assign(**{"grade: at least 3": 1}),
            ValueError,
            "'grade: at least 3' twice",
        ),
    ],
)
def test_what_has_no_steps_is_refused(frame, kind, said):
    with pytest.raises(kind, match=said):
        step_columns(frame)


# Several answers in a cell


def test_answers_become_columns_where_their_column_stood():
    frame = pd.DataFrame(
        [["a", "x, y", 1], ["b", None, 2], ["c", " y ", 3], ["d", ",", 4]],
        columns=["id", "ways", "n"],
        index=[7, 3, 9, 1],
    )
    found = split_answers(frame, "ways", sep=",")
    assert found.columns.tolist() == ["id", "ways: x", "ways: y", "n"]
    assert found.index.tolist() == [7, 3, 9, 1]
    assert found["ways: x"].tolist() == [True, pd.NA, False, pd.NA]
    assert found["ways: y"].tolist() == [True, pd.NA, True, pd.NA]
    assert frame.columns.tolist() == ["id", "ways", "n"]
    mixed = KPrototypes(2, missing="ignore", random_state=0)
    assert len(mixed.fit(found.drop(columns="id")).labels_) == 4


# a scan without what is drawn again and again
PLAIN_SCAN = dict(n_references=0, n_splits=0, n_resamples=0, random_state=0)


def lowest_cost(table, labels):
    "The cost of clusters with the best centres, by trying each level of each column."
    total = Fraction(0)
    for l in set(labels.tolist()):
        rows = np.array(places(table), object)[labels == l]
        for values, n_levels in zip(rows.T, SIZES):
            tried = range(n_levels) if n_levels else set(values)
            total += min(sum(apart(a, b, n_levels) for a in values) for b in tried)
    return float(total)


def apart(a, b, n_levels):
    "How much two values of a column differ."
    return Fraction(abs(a - b), n_levels - 1) if n_levels else Fraction(a != b)


def test_a_scan_counts_the_steps_of_scales():
    "Scales of two lengths, one with a level without rows, and a name."
    table = mixed_table(1)
    scan = k_scan(table, [1, 2, 3], dissimilarity="ordinal", **PLAIN_SCAN)
    for fit, told in zip(scan.fits, scan.table.cost):
        assert_allclose(fit.cost, told)
        assert_allclose(fit.cost, lowest_cost(table, fit.labels))
        assert fit.modes.shape == (fit.labels.max() + 1, 3)
    matched = k_scan(table, [1, 2, 3], **PLAIN_SCAN)
    assert (scan.table.cost < matched.table.cost).all()


@pytest.mark.filterwarnings("ignore:no column of X is numeric")
def test_a_scan_leaves_gaps_of_scales_out():
    table = mixed_table(1)
    table.loc[::7, "grade"] = None
    scan = k_scan(table, 1, missing="ignore", dissimilarity="ordinal", **PLAIN_SCAN)
    model = KPrototypes(1, gamma=1.0, dissimilarity="ordinal", missing="ignore")
    assert_allclose(scan.table.cost, model.fit(table).cost_)
    with pytest.raises(ValueError, match="missing must be 'ignore'"):
        k_scan(table, [1, 2], missing="category", dissimilarity="ordinal")


def test_a_permuted_table_keeps_the_columns_of_a_scale_together():
    from kmodes_study.describe.mixed_scan import mixed_table as rows_of

    table = mixed_table(2, 200)
    known, _ = rows_of(table, np.zeros(3, bool), "error", None, True)
    mixed = known.permuted(np.random.RandomState(0))
    for j in range(3):
        own = np.flatnonzero(known.steps.column == j)
        found, before = mixed.rows.codes[:, own], known.rows.codes[:, own]
        assert sorted(found.tolist()) == sorted(before.tolist())
        assert (found != before).any()


@pytest.mark.parametrize(
    "frame, column, sep, kind, said",
    [
        ([["a;b"]], 0, ";", TypeError, "frame must be a pandas.DataFrame, got list"),
        (pd.DataFrame({"a": ["x;y"]}), "b", ";", ValueError, "got 'b', which 0 have"),
        (pd.DataFrame([["x;y", "z"]], columns=["a", "a"]), "a", ";", ValueError, "2"),
        (pd.DataFrame({"a": ["x;y"]}), "a", "", TypeError, "sep must be text"),
        (pd.DataFrame({"a": ["x;y"]}), "a", ",", ValueError, "',' does in no cell"),
        (pd.DataFrame({"a": ["x;y", 3]}), "a", ";", ValueError, "got 3"),
        (pd.DataFrame({"a": ["x;y"], "a: x": 1}), "a", ";", ValueError, "already"),
    ],
)
def test_what_cannot_be_split_is_refused(frame, column, sep, kind, said):
    with pytest.raises(kind, match=said):
        split_answers(frame, column, sep)


def test_a_made_survey_has_its_truth():
    survey = make_survey(90, 4, 3, noise=0, levels=range(1, 8), random_state=3)
    codes = survey.answers.apply(lambda column: column.cat.codes).to_numpy()
    assert_array_equal(codes, np.rint(survey.centres)[survey.labels])
    assert np.bincount(survey.labels).tolist() == [30] * 3
    scale = survey.answers["Q1"].dtype
    assert scale.ordered
    assert scale.categories.tolist() == list(range(1, 8))
    assert SURVEY.answers["Q1"].cat.categories.tolist() == list(AGREEMENT)
