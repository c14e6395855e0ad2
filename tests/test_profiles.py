"""Profiles of clusters against the definitions, scipy and repeated rows, for any kind
of data; and the heat map as matplotlib has it.
"""

import re
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from pandas.testing import assert_frame_equal
from scipy.stats.contingency import association, crosstab

from kmodes_study import KModes
from kmodes_study.cluster.modes import modes_of
from kmodes_study.describe.cluster_plots import plot_modes
from kmodes_study.describe.profiles import category_profiles, cluster_profiles
from kmodes_study.describe.words import describe_clusters
from kmodes_study.core.codes import encode
from kmodes_study.data.synthetic import toy_vehicles, make_planted_clusters
from oracles.profiles import plain_corrected_v, plain_profiles


FIGURES = [
    "size",
    "share_of_rows",
    "count",
    "share",
    "overall_share",
    "lift",
    "cramers_v",
    "corrected_v",
]
WORDS = np.array(
    ["brown", "green", "yellow", "smooth", "fibrous", "anise-and-almond"], object
)
LABELS = np.array(list("AAABCCBAAA"))


@pytest.fixture
def plt():
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    yield plt
    plt.close("all")


@st.composite
def clusterings(draw):
    "A frame of integers, labels with gaps, and whole weights that are not all zero."
    n, m = draw(st.integers(1, 14)), draw(st.integers(1, 4))
    cells = draw(
        hnp.arrays(
            np.int64,
            (n, m),
            elements=st.integers(0, draw(st.sampled_from([0, 1, 3, 400]))),
        )
    )
    labels = draw(hnp.arrays(np.int64, n, elements=st.integers(-2, 3)))
    weights = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 3)).filter(np.any))
    return pd.DataFrame(cells, columns=[f"a{j}" for j in range(m)]), labels, weights


@settings(max_examples=20)
@given(clusterings())
def test_the_counts_give_what_the_definitions_give(clustering):
    X, labels, _ = clustering
    found = cluster_profiles(X, labels)
    expected = pd.DataFrame(plain_profiles(X.to_dict("list"), labels))
    assert_frame_equal(found, expected, check_dtype=False, rtol=1e-9, atol=1e-7)
    clusters, numbers = np.unique(labels, return_inverse=True)
    codes, categories = encode(X)
    modes = modes_of(codes, numbers, len(clusters))
    expected = [levels[c] for row in modes for c, levels in zip(row, categories)]
    assert found["mode"].tolist() == expected


@settings(max_examples=20)
@given(clusterings())
def test_whole_weights_are_repeated_rows_and_real_ones_too(clustering):
    X, labels, weights = clustering
    X["x"] = np.arange(len(X)) / 2  # a number
    times = np.repeat(np.arange(len(X)), weights)
    for function in cluster_profiles, category_profiles:
        expected = function(X.iloc[times], labels[times])
        assert_frame_equal(function(X, labels, weights), expected)
        assert_frame_equal(
            function(X, labels, weights.astype(float)), expected, check_dtype=False
        )
    wholes, halves = (cluster_profiles(X, labels, w) for w in (weights, weights / 2))
    names = ["share", "overall_share", "lift", "cramers_v"]
    assert_frame_equal(halves[names], wholes[names])


@given(clusterings(), st.randoms(use_true_random=False))
def test_order_of_rows_and_names_of_clusters_do_not_matter(clustering, random):
    X, labels, _ = clustering
    order = random.sample(range(len(X)), len(X))
    expected = cluster_profiles(X, labels)
    assert_frame_equal(cluster_profiles(X.iloc[order], labels[order]), expected)
    renamed = cluster_profiles(X, [f"cluster {label + 2}" for label in labels])
    assert_frame_equal(
        renamed.drop(columns="cluster"), expected.drop(columns="cluster")
    )


@given(clusterings())
def test_shares_of_all_categories_add_up(clustering):
    X, labels, _ = clustering
    table = category_profiles(X, labels)
    sums = table.groupby(["cluster", "attribute"])
    assert np.allclose(sums["share"].sum(), 1)
    assert (sums["count"].sum() == sums["size"].first()).all()
    assert np.allclose(sums["overall_share"].sum(), 1)
    for row in table.itertuples():
        has = X[row.attribute] == row.category
        assert row.count == ((labels == row.cluster) & has).sum()
        assert np.isclose(row.lift, row.count * len(X) / (row.size * has.sum()))


@pytest.mark.parametrize(
    "n, k, levels", [(30, 2, 2), (500, 7, 3), (500, 3, 9), (4000, 40, 300)]
)
def test_cramers_v_is_that_of_scipy(n, k, levels):
    rng = np.random.default_rng(n + k)
    X, labels = rng.integers(levels, size=(n, 4)), rng.permutation(np.arange(n) % k)
    X[:, 1] = labels % levels
    found = cluster_profiles(X, labels).cramers_v[:4]
    assert found.to_numpy() == pytest.approx(
        [association(crosstab(labels, x).count, method="cramer") for x in X.T],
        abs=1e-12,
    )
    assert found[1] <= 1


def test_wide_codes_and_large_weights_are_counted_exactly():
    X = np.array([[0, 70_000], [1, 70_001], [1, 3]])
    found = cluster_profiles(X, [0, 1, 1], [2**55 + 1, 1, 2**55])
    assert found["count"].tolist() == [2**55 + 1, 2**55 + 1, 2**55 + 1, 2**55]
    assert found["mode"].tolist() == [0, 70_000, 1, 3]
    many = category_profiles(np.arange(70_000)[:, None], np.arange(70_000) % 2)
    assert len(many) == 140_000
    assert (many.groupby("cluster")["count"].sum() == 35_000).all()


def foreign(package, make):
    """The form `make` of a package that this one does not need, in a list that is empty
    where it is not installed.
    """
    if not find_spec(package):
        return []
    return [lambda X: getattr(import_module(package), make)(X.to_dict("list"))]


@pytest.mark.parametrize(
    "form",
    [
        pd.DataFrame.copy,
        pd.DataFrame.to_numpy,
        lambda X: X.to_numpy().tolist(),
        lambda X: X.astype(str),
        lambda X: X.astype("category"),
        lambda X: encode(X)[0],
        lambda X: encode(X)[0].astype(float),
        lambda X: X.convert_dtypes(),
        *foreign("polars", "DataFrame"),
        *foreign("pyarrow", "table"),
    ],
)
def test_every_kind_of_data_gives_the_same_figures(form):
    X = toy_vehicles()
    expected = cluster_profiles(X, LABELS)
    given_ = form(X)
    found = cluster_profiles(given_, LABELS)
    assert_frame_equal(found[FIGURES], expected[FIGURES])
    named = isinstance(given_, pd.DataFrame) or hasattr(given_, "schema")
    assert found.attribute[:6].tolist() == (list(X.columns) if named else [*range(6)])


@pytest.mark.parametrize(
    "labels",
    [
        [0, 0, 0, 1, 2, 2, 1, 0, 0, 0],
        [-3, -3, -3, 5, 70, 70, 5, -3, -3, -3],
        list("AAABCCBAAA"),
        [("a", i) for i in (0, 0, 0, 1, 2, 2, 1, 0, 0, 0)],
        pd.Series(list("AAABCCBAAA"), index=range(50, 60)),
        pd.Categorical(list("AAABCCBAAA")),
        [1, 1, 1, "x", "y", "y", "x", 1, 1, 1],
    ],
)
def test_every_kind_of_label(labels):
    found = cluster_profiles(toy_vehicles(), labels)
    assert_frame_equal(
        found[FIGURES], cluster_profiles(toy_vehicles(), LABELS)[FIGURES]
    )
    assert found.cluster[[0, 6, 12]].tolist() == list(dict.fromkeys(labels))
    assert len(describe_clusters(toy_vehicles(), labels).splitlines()) == 3


def test_labels_of_a_category_keep_their_order_and_unused_ones_are_no_cluster():
    labels = pd.Categorical(LABELS, categories=["C", "Z", "A", "B"])
    found = cluster_profiles(toy_vehicles(), labels).cluster.unique()
    assert found.tolist() == ["C", "A", "B"]


@pytest.mark.parametrize("hole", [None, np.nan, pd.NA])
def test_a_missing_value_is_the_last_category(hole):
    X = pd.DataFrame(
        {"x": np.array(["b", hole, hole, "a", hole], object), "y": list("uvuvu")}
    )
    table = category_profiles(X, [0, 1, 1, 0, 0])
    values = table.category[table.attribute == "x"].tolist()
    assert values[:2] == ["a", "b"]
    assert pd.isna(values[2])
    modes = cluster_profiles(X, [0, 1, 1, 0, 0])["mode"]
    assert modes[0] == "a"
    assert pd.isna(modes[2])
    assert (
        describe_clusters(X, [0, 1, 1, 0, 0]).splitlines()[1]
        == "1 (2 of 5 rows): x=missing in 100% (overall 60%, lift 1.67), y=v in 50% "
        "(overall 40%, lift 1.25)"
    )


def test_modes_are_the_values_of_the_caller():
    X = pd.DataFrame(
        {
            "day": pd.to_datetime(["2020-01-02", "2020-01-02", "2021-01-01"]),
            "flag": [True, False, True],
            "n": [1, 2, 2],
        }
    )
    expected = [pd.Timestamp("2020-01-02"), True, 2]
    assert cluster_profiles(X, [0, 0, 0])["mode"].tolist() == expected


@pytest.mark.parametrize("n, min_share", [(1, 0.5), (3, 0.5), (3, 0), (50, 0), (2, 1)])
def test_the_words_name_the_highest_lifts(n, min_share):
    X = toy_vehicles()
    table = category_profiles(X, LABELS)
    for (cluster, part), line in zip(
        table.groupby("cluster"),
        describe_clusters(X, LABELS, n, min_share=min_share).splitlines(),
        strict=True,
    ):
        telling = part[(part.share >= min_share) & (part.lift > 1)]
        head, _, words = line.partition(": ")
        assert head == f"{cluster} ({(LABELS == cluster).sum()} of 10 rows)"
        assert words.startswith("no category") == telling.empty
        if telling.empty:
            continue
        lifts = [float(lift) for lift in re.findall(r"lift ([\d.]+)", words)]
        highest = sorted(telling.lift, reverse=True)[:n]
        assert lifts == [float(f"{lift:.3g}") for lift in highest]


def test_columns_that_name_rows_days_or_ages_come_after_those_that_tell():
    rng, labels = np.random.default_rng(0), np.arange(1500) % 3
    answers = np.where(rng.random(1500) < 0.3, labels, rng.integers(5, size=1500))
    X = pd.DataFrame(
        {
            "who": np.arange(1500),
            "came": rng.integers(400, size=1500),
            "age": rng.integers(70, size=1500),
            "answer": answers,
            "noise": rng.integers(5, size=1500),
        }
    )
    found = cluster_profiles(X, labels, categorical_features=list(X))[:5]
    raw, corrected = (
        found.set_index("attribute")[name] for name in ("cramers_v", "corrected_v")
    )
    assert raw.who == pytest.approx(1)
    assert raw.came > raw.age > 0.1
    assert corrected.answer > 0.2
    assert corrected.drop("answer").max() < 0.1
    assert corrected.who == 0
    assert corrected.answer < raw.answer < corrected.answer + 0.02


def test_a_perfect_association_and_few_rows_keep_within_the_limits():
    given = dict(xxyy=[0, 0, 1, 1], aab=[0, 1, 2], a=[0], ab=[0, 1])
    for (column, labels), expected in zip(given.items(), (1, 0, 0, 0)):
        found = cluster_profiles(np.array([*column])[:, None], labels).corrected_v
        assert found[0] == pytest.approx(expected)
    halves = cluster_profiles(np.array([*"xxyy"])[:, None], given["xxyy"], [0.1] * 4)
    assert halves.corrected_v.tolist() == [0, 0]
    assert halves.cramers_v.tolist() == pytest.approx([1, 1])


def words_of(X, labels, **options):
    "The words on each cluster, without their heads."
    return [
        line.partition(": ")[2]
        for line in describe_clusters(X, labels, **options).splitlines()
    ]


def test_a_category_that_less_than_a_half_has_is_named_with_the_difference():
    labels = np.repeat([0, 1], 100)
    q = ["no"] * 45 + ["yes", "maybe"] * 20 + ["or"] * 15
    q += ["no"] * 5 + ["yes", "maybe", "or"] * 31 + ["or"] * 2
    X = pd.DataFrame(dict(q=q, rare=["x"] * 3 + ["y"] * 197))
    X["who"] = [f"person {i}" for i in range(200)]
    first, second = words_of(X, labels)
    assert first == "q=no in 45% (overall 25%, lift 1.8)"
    assert second == "q=or in 33% (overall 24%, lift 1.38)"
    assert words_of(X, labels, min_share=0.5)[0] == (
        "no category in 50% or more of it is more common than overall; " + first
    )


def test_what_barely_differs_does_not_hide_what_does():
    labels, others = np.repeat([0, 1], 50), ["yes", "or", "if"]
    X = pd.DataFrame({"q": ["no"] * 20 + others * 10 + ["no"] * 5 + others * 15})
    X["country"] = ["DE"] * 32 + ["AT"] * 18 + ["DE"] * 26 + ["AT"] * 24
    assert words_of(X, labels)[0] == "q=no in 40% (overall 25%, lift 1.6)"
    told = words_of(X[["country"]], labels)[0]
    assert told == "country=DE in 64% (overall 58%, lift 1.1)"


def test_a_model_stands_for_its_labels():
    model = KModes(3, random_state=0).fit(X)
    for function in describe_clusters, cluster_profiles, category_profiles:
        assert str(function(X, model)) == str(function(X, model.labels_))
    with pytest.raises(ValueError, match="not fitted"):
        describe_clusters(X, KModes(3))


def test_a_cluster_is_one_line_of_letters_that_can_be_shown():
    X = pd.DataFrame(
        {"a\nb": ["x\r\ny", "\x1b[31m"], "c": ["\0", "\ud800"]}, dtype=object
    )
    assert describe_clusters(X, ["one\ntwo", "\t"]).splitlines() == [
        "  (1 of 2 rows): a b=\ufffd[31m in 100% (overall 50%, lift 2), c=\ufffd in "
        "100% (overall 50%, lift 2)",
        "one two (1 of 2 rows): a b=x  y in 100% (overall 50%, lift 2), c=\ufffd in "
        "100% (overall 50%, lift 2)",
    ]


X, Y = toy_vehicles(), list("AAABCCBAAA")


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda: cluster_profiles(X, Y[:3]), "labels"),
        (lambda: cluster_profiles(X.iloc[:, [0, 0]], Y), "X"),
        (lambda: cluster_profiles(X, Y, [0] * 10), "sample_weight"),
        (lambda: describe_clusters(X, Y, min_share=50), "min_share"),
    ],
)
def test_what_leads_to_wrong_profiles_is_refused(call, name):
    with pytest.raises(ValueError, match=f"^{name} must"):
        call()


def test_a_number_that_is_mostly_its_maximum_is_cut_below_it():
    "Three quarters of the rows at the maximum left no quartile below it."
    speed = pd.DataFrame({"x": [1.5, 2, 3, 4] + [5] * 16})
    table = category_profiles(speed, np.arange(20) % 2)
    assert table.category[:2].tolist() == ["≤ 4", "> 4"]
    assert table["count"].tolist() == [2, 8, 2, 8]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_the_heat_map_shows_the_modes_and_their_shares(plt):
    profiles = cluster_profiles(toy_vehicles(), LABELS)
    for by in "share", "lift":
        for ax in (
            plot_modes(profiles, by=by),
            plot_modes(toy_vehicles(), LABELS, by=by),
        ):
            table = profiles.pivot(
                index="attribute", columns="cluster", values=["mode", by]
            ).reindex(toy_vehicles().columns)
            assert texts(ax) == [str(mode) for mode in table["mode"].to_numpy().ravel()]
            assert np.asarray(ax.collections[0].get_array()).ravel() == pytest.approx(
                table[by].to_numpy(float).ravel()
            )
            names = [text.get_text() for text in ax.get_yticklabels()]
            assert names == list(toy_vehicles().columns)
            heads = [text.get_text() for text in ax.get_xticklabels()]
            assert heads == ["A\nn=6", "B\nn=2", "C\nn=2"]


def test_the_heat_map_counts_weights(plt):
    weights = [3, 1, 2, 0, 1, 1, 5, 0, 1, 2]
    ax = plot_modes(X, LABELS, sample_weight=weights)
    expected = plot_modes(cluster_profiles(X, LABELS, weights))
    assert texts(ax) == texts(expected)
    assert np.array_equal(
        ax.collections[0].get_array(), expected.collections[0].get_array()
    )


def test_the_heat_map_follows_the_rows_of_the_frame(plt):
    profiles = cluster_profiles(toy_vehicles(), LABELS).sort_values(
        "cramers_v", ascending=False, kind="stable"
    )
    ax = plot_modes(profiles[profiles.cramers_v > 0.65])
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["price", "passengers", "eco"]
    # eco is whole; the mode of doors in A is left out
    assert texts(plot_modes(profiles.drop(index=2)))[6:11] == ["0", "0", "1", "4", "2"]


@pytest.mark.parametrize("by", ["share", "lift"])
@pytest.mark.parametrize("n_features, n_clusters", [(1, 1), (2, 12), (25, 12)])
def test_the_texts_of_the_heat_map_stay_in_their_cells(plt, by, n_features, n_clusters):
    planted = make_planted_clusters(
        600, n_features, 6 if n_features > 1 else 2, n_clusters, 0.3, random_state=0
    )
    X = pd.DataFrame(
        WORDS[planted.codes],
        columns=[f"an attribute with a long name {j}" for j in range(n_features)],
    ).astype(object)
    ax = plot_modes(X, planted.labels, by=by)
    ax.figure.canvas.draw()
    cell = ax.transData.transform([(0, 0), (1, 1)])
    width, height = np.abs(cell[1] - cell[0])
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) == n_features * n_clusters
    assert max(box.width for box in boxes) <= width
    assert max(box.height for box in boxes) <= height
    names = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert all(left.x1 <= right.x0 for left, right in zip(names, names[1:]))


def test_the_heat_map_takes_names_clusters_and_modes_of_any_kind_and_weights(plt):
    X = pd.DataFrame({"a": [None, None, "x"], "b": [1, 2, 2]}).set_axis(
        [None, ("b", 1)], axis=1
    )
    ax = plot_modes(cluster_profiles(X, [("l", 0), ("l", 0), ("l", 1)], [1.5, 1, 2000]))
    assert texts(ax) == ["missing", "x", "1", "2"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["missing", "('b', 1)"]
    assert [t.get_text() for t in ax.get_xticklabels()] == [
        "('l', 0)\nn=2.5",
        "('l', 1)\nn=2,000",
    ]


@pytest.mark.parametrize("n_levels, k", [(5, 2), (2, 5), (3, 3)])
def test_corrected_v_is_the_plain_one_on_either_side(n_levels, k):
    "With more categories than clusters, and with fewer."
    random = np.random.RandomState(0)
    labels = np.arange(30) % k
    drawn = random.randint(n_levels, size=30)
    column = np.where(random.rand(30) < 0.3, labels % n_levels, drawn)
    found = cluster_profiles(column[:, None], labels).corrected_v
    expected = plain_corrected_v(column.tolist(), labels.tolist())
    assert 0 < expected < 1
    assert found.to_numpy() == pytest.approx(expected)
