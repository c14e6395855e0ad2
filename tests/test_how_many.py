"""How many clusters: the code length, the indices of clustMixType, the scan and its
criteria.
"""

import itertools
import json
from math import isnan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import kendalltau, pearsonr

from kmodes_study.cluster.gaps import partial_distances
from kmodes_study.cluster.modes import check_clustering, cost, modes_of
from kmodes_study.core.codes import encode
from kmodes_study.data.synthetic import make_planted_clusters
from kmodes_study.describe.description_length import (
    code_length,
    code_length_of,
    mismatch_penalty,
)
from kmodes_study.describe import choice_of_k
from kmodes_study.describe.choice_of_k import choose_k, k_scan, plot_k_scan
from kmodes_study.measures import clusterability
from kmodes_study.measures.clusterability import (
    categorical_hopkins,
    hopkins,
    permute_attributes,
)
from kmodes_study.measures.silhouette import silhouette_score
from kmodes_study.measures.validity import (
    BEST,
    indices_of,
    pair_histograms,
    validity_indices,
)
from kmodes_study.plain.criteria import (
    plain_categorical_hopkins,
    plain_code_length,
    plain_histograms,
    plain_hopkins,
    plain_indices,
)


@st.composite
def clusterings(draw, least=3, most=12):
    "Codes, numbers of clusters in which none is empty, and k."
    n, m = draw(st.integers(least, most)), draw(st.integers(1, 5))
    k = draw(st.integers(1, min(4, n)))
    cells = draw(st.lists(st.integers(0, 3), min_size=n * m, max_size=n * m))
    labels = [
        *range(k),
        *draw(st.lists(st.integers(0, k - 1), min_size=n - k, max_size=n - k)),
    ]
    return np.array(cells, np.uint8).reshape(n, m), np.array(labels), k


# ---------------------------------------------------------------- code length


@settings(max_examples=6)
@given(clusterings())
def test_code_length_is_the_plain_message(drawn):
    codes, labels, k = drawn
    levels = [len(set(column)) for column in codes.T]
    found = code_length(codes, labels).total
    modes = modes_of(codes, labels, k).tolist()
    bits = plain_code_length(codes.tolist(), labels.tolist(), modes, levels)
    assert found <= bits + 1e-9
    assert bits - found < 0.02


@settings(max_examples=60)
@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=6),
    st.integers(1, 500),
    st.floats(0.001, 1),
)
def test_penalty_minimises_the_bits_of_the_rows(levels, n, share):
    others = np.array(levels) - 1
    assume(others.any())
    total = share * n * (others / np.array(levels)).sum()

    def nats(penalty):
        return penalty * total + n * np.log1p(others * np.exp(-penalty)).sum()

    best = minimize_scalar(
        nats, bounds=(0, 40), method="bounded", options=dict(xatol=1e-10)
    )
    assert nats(mismatch_penalty(total, n, levels)) <= best.fun * (1 + 1e-9)


@settings(max_examples=40)
@given(clusterings(), st.randoms(use_true_random=False))
def test_code_length_does_not_see_names_or_orders(drawn, random):
    codes, labels, k = drawn
    names, order = list("pqrs"), list(range(len(codes)))
    random.shuffle(names)
    random.shuffle(order)
    words = pd.DataFrame(codes[order]).map(lambda code: f"word {9 - code}")
    assert np.allclose(
        code_length(words, [names[labels[i]] for i in order]),
        code_length(codes, labels),
        rtol=1e-12,
    )


def test_a_lower_cost_is_never_a_longer_message():
    lengths = [
        code_length_of(total, [30, 20], [2, 3, 5]).total for total in range(0, 90)
    ]
    assert (np.diff(lengths) >= 0).all()


def test_code_length_needs_only_cost_and_sizes():
    rng = np.random.RandomState(0)
    codes, labels = rng.randint(3, size=(60, 4)), rng.randint(5, size=60)
    total = cost(codes, labels, modes_of(codes, labels, 5))
    assert code_length(codes, labels) == code_length_of(
        total, np.bincount(labels), [3] * 4
    )


def test_code_length_takes_missing_values_as_a_category():
    table = pd.DataFrame({"a": ["x", None, "x", "y"], "b": ["p", "p", None, None]})
    told = table.fillna("missing")
    assert code_length(table, [0, 0, 1, 1], missing="category") == code_length(
        told, [0, 0, 1, 1]
    )


@pytest.mark.parametrize(
    "sizes, levels", [([], [2]), ([3, 0], [2]), ([3], [0]), ([1.5], [2]), ([3], [])]
)
def test_code_length_refuses_what_is_no_count(sizes, levels):
    with pytest.raises(ValueError, match="whole numbers from 1"):
        code_length_of(1, sizes, levels)


# ---------------------------------------------------------------- indices


@settings(max_examples=40)
@given(clusterings())
def test_histograms_and_indices_are_the_plain_ones(drawn):
    codes, labels, k = drawn
    found = pair_histograms(codes, labels)
    assert [part.tolist() for part in found] == [
        *plain_histograms(codes.tolist(), labels.tolist())
    ]
    assume(
        found.within[1:].sum()
        and found.between[1:].sum()
        and len(np.flatnonzero(sum(found))) > 1
    )
    assume(found.within.sum() and found.between.sum())
    got = indices_of(*found)
    assume(not isnan(got.gamma))
    assert np.allclose(
        got, plain_indices(codes.tolist(), labels.tolist()), rtol=1e-12, atol=1e-12
    )


def test_indices_are_known_correlations():
    """Point-biserial is Pearson's correlation, tau Kendall's without the ties of the
    distances.
    """
    rng = np.random.RandomState(3)
    codes, labels = rng.randint(4, size=(25, 6)), rng.randint(3, size=25)
    pairs = list(itertools.combinations(range(25), 2))
    far = [int((codes[p] != codes[q]).sum()) for p, q in pairs]
    apart = [int(labels[p] != labels[q]) for p, q in pairs]
    found, n = validity_indices(codes, labels), len(pairs)
    assert found.point_biserial == pytest.approx(
        pearsonr(far, apart)[0] * np.sqrt((n - 1) / n), rel=1e-12
    )
    ties = sum(count * (count - 1) // 2 for count in np.bincount(far))
    all_pairs = n * (n - 1) // 2
    expected = kendalltau(far, apart).statistic * np.sqrt(
        (all_pairs - ties) / all_pairs
    )
    assert found.tau == pytest.approx(expected, rel=1e-12)


def test_many_rows_and_wide_tables():
    rng = np.random.RandomState(1)
    codes, labels = rng.randint(3, size=(900, 300)), rng.randint(4, size=900)
    found = pair_histograms(codes, labels)
    first = (codes[:1] != codes[1:]).sum(axis=1)
    assert sum(map(sum, found)) == 900 * 899 // 2
    assert sum(found)[first.min()] > 0
    one_hot = (codes[:, :, None] == np.arange(3)).reshape(900, -1).astype(np.float32)
    distances = (300 - one_hot @ one_hot.T).round().astype(int)[np.triu_indices(900, 1)]
    assert np.array_equal(np.bincount(distances, minlength=301), sum(found))


@pytest.mark.parametrize("labels", [[0] * 6, range(6)])
def test_no_index_where_one_kind_of_pair_is_absent(labels):
    codes = np.array([[0, 1], [1, 1], [2, 0], [0, 0], [1, 2], [2, 2]])
    assert all(isnan(value) for value in validity_indices(codes, labels))


# ---------------------------------------------------------------- clusterability


@settings(max_examples=30)
@given(clusterings(least=4), st.integers(0, 1000))
def test_categorical_hopkins_is_the_plain_one(drawn, seed):
    codes, (_, m) = drawn[0], drawn[0].shape
    rng = np.random.RandomState(seed)
    places = codes[rng.randint(len(codes), size=(2, m)), np.arange(m)]
    chosen = rng.permutation(len(codes))[:2]
    found = clusterability._statistic_of(codes, places, chosen)
    try:
        assert found == plain_categorical_hopkins(
            codes.tolist(), places.tolist(), chosen.tolist()
        )
    except ZeroDivisionError:
        assert found == 0.5


@pytest.mark.parametrize("m", [1, 3, 5])
def test_hopkins_is_the_plain_one_in_each_dimension(m):
    rng = np.random.RandomState(m)
    X = rng.rand(30, m)
    places = rng.rand(4, m)
    found = clusterability._hopkins(X, places, [3, 0, 7, 20], "literature")
    expected = plain_hopkins(X.tolist(), places.tolist(), [3, 0, 7, 20])
    assert found == pytest.approx(expected)


def test_hopkins_in_many_dimensions_stays_a_number():
    X = np.random.RandomState(0).rand(60, 60)
    # powers from 1e-540 to 1e540
    values = [hopkins(X * scale, random_state=0) for scale in (2.0**-30, 1, 2.0**30)]
    assert 0 < values[0] < 1
    assert values == [values[0]] * 3


def test_hopkins_knows_clusters_and_does_not_change_the_data():
    planted = make_planted_clusters(150, 8, 3, 5, 0.1, random_state=0).codes
    kept = planted.copy()
    assert (
        categorical_hopkins(planted, n_permutations=19, random_state=0).p_value == 0.05
    )
    shuffled = permute_attributes(planted, 0)
    assert [sorted(column) for column in shuffled.T] == [
        sorted(column) for column in planted.T
    ]
    assert (planted == kept).all()
    assert categorical_hopkins(planted, random_state=1, n_permutations=0)[2] == 1


# ---------------------------------------------------------------- scan


def test_weights_are_repeated_rows():
    rng = np.random.RandomState(4)
    codes = make_planted_clusters(40, 5, 3, 3, 0.2, random_state=4).codes
    weights = rng.randint(1, 4, 40)
    few = dict(n_references=2, n_splits=1, n_resamples=2, random_state=0)
    weighted = k_scan(codes, range(1, 4), sample_weight=weights, **few)
    repeated = k_scan(np.repeat(codes, weights, axis=0), range(1, 4), **few)
    for name in ("table", "clusters"):
        pd.testing.assert_frame_equal(getattr(weighted, name), getattr(repeated, name))
    for ours, theirs in zip(weighted.fits, repeated.fits):
        assert (np.repeat(ours.labels, weights) == theirs.labels).all()
    with pytest.raises(
        ValueError, match="sample_weight must hold whole numbers from 1"
    ):
        k_scan(codes, [1], sample_weight=weights - 1)


@pytest.fixture(scope="module")
def scan():
    return k_scan(
        make_planted_clusters(150, 8, 3, 3, 0.2, random_state=5).codes,
        range(1, 6),
        random_state=0,
    )


def test_scan_agrees_with_the_functions_that_it_brings_together(scan):
    codes = make_planted_clusters(150, 8, 3, 3, 0.2, random_state=5).codes
    for row, fit in zip(scan.table.itertuples(), scan.fits):
        check_clustering(codes, fit.labels, fit.modes, row.cost)
        assert row.code_length == pytest.approx(
            code_length(codes, fit.labels).total, rel=1e-12
        )
        if row.n_clusters == 1:
            continue
        assert row.silhouette == pytest.approx(
            silhouette_score(codes, fit.labels), rel=1e-12
        )
        assert validity_indices(codes, fit.labels) == tuple(
            getattr(row, name) for name in BEST
        )
    sums = scan.clusters.groupby("n_clusters")[["size", "cost"]].sum()
    assert (sums["size"] == 150).all()
    assert sums["cost"].tolist() == scan.table.cost.tolist()
    assert (
        scan.clusters.groupby("n_clusters").stability.min().tolist()
        == scan.table.stability.tolist()
    )
    assert (
        scan.choices[
            ["code_length", "gap", "stability", "prediction_strength", "silhouette"]
        ]
        == 3
    ).all()


@settings(max_examples=25)
@given(clusterings(least=6, most=14), st.integers(0, 5))
def test_cost_falls_with_every_cluster(drawn, seed):
    codes = drawn[0]
    n_distinct = len(np.unique(codes, axis=0))
    found = k_scan(
        codes,
        range(1, n_distinct + 1),
        n_init=1,
        max_swaps=seed,
        n_references=0,
        n_splits=0,
        n_resamples=0,
        random_state=seed,
    )
    costs = found.table.cost.tolist()
    assert all(b < a for a, b in zip(costs, costs[1:]))
    assert costs[-1] == 0
    assert [len(np.unique(fit.labels)) for fit in found.fits] == [
        *range(1, n_distinct + 1)
    ]


def test_scan_is_the_same_again_and_takes_any_table():
    words = pd.DataFrame(
        make_planted_clusters(60, 5, 3, 2, 0.2, random_state=1).codes
    ).map("value {}".format)
    once, again = (
        k_scan(
            words, [1, 2, 4], n_resamples=2, n_splits=1, n_references=2, random_state=3
        )
        for _ in "ab"
    )
    pd.testing.assert_frame_equal(once.table, again.table)
    assert once.table.n_clusters.tolist() == [1, 2, 4]
    words.iloc[3, 2] = None
    with pytest.raises(ValueError, match="missing"):
        k_scan(words, [1])
    assert (
        k_scan(
            words, [1], n_resamples=0, n_splits=0, n_references=0, missing="category"
        ).table.cost[0]
        > 0
    )


def test_few_distinct_rows_leave_a_criterion_missing():
    rows = [list("aaa"), list("bbb")] * 5 + [list("cab")]  # one half lacks the last row
    found = k_scan(
        rows, range(1, 4), n_resamples=3, n_splits=1, n_references=2, random_state=0
    )
    assert np.isnan(found.table.prediction_strength[2])
    assert found.table.cost.tolist()[-1] == 0


@pytest.mark.parametrize(
    "bad, words",
    [
        (dict(n_clusters=range(0, 3)), "whole number of at least 1"),
        (dict(n_clusters=[9]), "number of distinct rows"),
        (dict(n_init=0), "n_init"),
        (dict(n_references=-1), "n_references"),
        (dict(missing="skip"), "missing"),
    ],
)
def test_scan_refuses(bad, words):
    rows = [list("ab"), list("ba"), list("aa")]
    with pytest.raises(ValueError, match=words):
        k_scan(rows, **{"n_clusters": [1]} | bad)


def test_choices_follow_the_table(scan):
    table = scan.table.copy()
    table["stability"], table["silhouette"] = (
        [1, 0.9, 0.5, 0.8, 0.2],
        [np.nan, 0.3, 0.3, 0.1, 0.2],
    )
    choices = choose_k(table)
    assert choices["stability"] == 4
    assert choices["silhouette"] == 2
    assert choose_k(table.assign(code_length=[5, 4, 4, 9, 9]))["code_length"] == 2
    assert choose_k(table.assign(prediction_strength=np.nan)).isna()[
        "prediction_strength"
    ]


def test_figure_of_a_scan_shows_its_table(scan):
    plt = pytest.importorskip("matplotlib.pyplot")
    axes = plot_k_scan(scan, "title")
    panels = {ax.get_label(): ax for ax in axes}
    drawn = panels["code_length"].lines[0]
    assert np.array_equal(drawn.get_ydata(), scan.table.code_length)
    assert np.array_equal(panels["gap"].lines[0].get_ydata(), scan.table.gap)
    assert len(panels["stability"].lines[1].get_ydata()) == len(scan.clusters)
    named = scan.choices.dropna()
    assert sorted(panels["choices"].lines[0].get_xdata()) == sorted(named.tolist())
    assert [text.get_text() for text in panels["choices"].get_yticklabels()] == [
        name.replace("_", " ") for name in named.index[::-1]
    ]
    plt.close(axes[0].figure)


# ---------------------------------------------------------------- gaps


def holed(codes, share, seed):
    """The codes as objects, some of them None, but none in the first column of a row
    that would have no other.
    """
    cells = codes.astype(object)
    gaps = np.random.RandomState(seed).random_sample(codes.shape) < share
    gaps[gaps.all(axis=1), 0] = False
    cells[gaps] = None
    return cells


@settings(max_examples=6)
@given(clusterings(), st.integers(0, 99))
def test_code_length_with_gaps_is_the_plain_message_about_what_is_there(drawn, seed):
    codes, labels, k = drawn
    cells = holed(codes, 0.3, seed)
    assume(all(any(x is not None for x in column) for column in cells.T))
    columns = [[x for x in column if x is not None] for column in cells.T]

    def mode(l, j):
        return max(range(4), key=lambda c: ((cells[labels == l, j] == c).sum(), -c))

    modes = [[mode(l, j) for j in range(codes.shape[1])] for l in range(k)]
    bits = plain_code_length(
        cells.tolist(), labels.tolist(), modes, [len(set(column)) for column in columns]
    )
    found = code_length(cells, labels, missing="ignore").total
    assert found <= bits + 1e-9
    assert bits - found < 0.02


def test_scan_with_gaps_agrees_with_the_functions_that_it_brings_together():
    codes = make_planted_clusters(150, 8, 3, 3, 0.2, random_state=5).codes
    cells = holed(codes, 0.25, 1)
    gappy, levels = encode(cells, "ignore")
    gaps = np.array([len(values) for values in levels])
    scan = k_scan(cells, range(1, 6), missing="ignore", random_state=0)
    for row, fit in zip(scan.table.itertuples(), scan.fits):
        check_clustering(gappy, fit.labels, fit.modes, row.cost, missing_codes=gaps)
        assert row.code_length == pytest.approx(
            code_length(cells, fit.labels, missing="ignore").total, rel=1e-12
        )
        if row.n_clusters > 1:
            assert row.silhouette == pytest.approx(
                silhouette_score(cells, fit.labels, missing="ignore"), rel=1e-12
            )
        own = scan.clusters[scan.clusters.n_clusters == row.n_clusters]
        distances = partial_distances(gappy, fit.modes, gaps)[
            np.arange(150), fit.labels
        ]
        assert np.allclose(np.bincount(fit.labels, distances), own.cost)
        assert own["size"].sum() == 150
    assert scan.table[[*BEST]].isna().all(axis=None)
    assert abs(scan.table.gap[0]) < 0.02
    assert (np.diff(scan.table.cost) < 0).all()
    assert (
        scan.choices[
            ["code_length", "gap", "stability", "prediction_strength", "silhouette"]
        ]
        == 3
    ).all()


@settings(max_examples=15)
@given(clusterings(least=6, most=12), st.integers(0, 5))
def test_cost_never_rises_with_gaps(drawn, seed):
    cells = holed(drawn[0], 0.3, seed)
    assume(all(any(x is not None for x in column) for column in cells.T))
    few = dict(
        n_references=0,
        n_splits=0,
        n_resamples=0,
        max_swaps=seed,
        missing="ignore",
        random_state=seed,
    )
    costs = []
    for k in range(2, 7):
        try:
            costs = k_scan(cells, range(1, k), **few).table.cost.tolist()
        except ValueError as error:
            assert (
                "distinct rows" in str(error)
                or costs[-1] == 0
                and "fewer modes" in str(error)
            )
            break
    assert all(b < a for a, b in zip(costs, costs[1:]))


def test_gaps_stay_where_they_are_and_whole_tables_do_not_change():
    codes, gaps = np.random.RandomState(0).randint(4, size=(60, 5)), np.full(5, 3)
    shuffled = permute_attributes(codes, 0, gaps)
    assert ((codes == 3) == (shuffled == 3)).all()
    assert (codes != shuffled).any()
    assert [sorted(column) for column in shuffled.T] == [
        sorted(column) for column in codes.T
    ]
    few = dict(n_references=2, n_splits=1, n_resamples=2, random_state=0)
    either = [
        k_scan(codes, range(1, 4), missing=missing, **few).table
        for missing in ("error", "ignore")
    ]
    pd.testing.assert_frame_equal(*either)
    weights = np.arange(60) % 3 + 1
    cells = holed(codes, 0.2, 0)
    weighted = k_scan(cells, [1, 3], sample_weight=weights, missing="ignore", **few)
    repeated = k_scan(
        np.repeat(cells, weights, axis=0), [1, 3], missing="ignore", **few
    )
    pd.testing.assert_frame_equal(weighted.table, repeated.table)


# -------------------------------------- the code length by attribute, and the kept rows


@settings(max_examples=30)
@given(clusterings())
def test_penalties_by_attribute_are_those_of_single_columns(drawn):
    codes, labels, k = drawn
    whole = code_length(codes, labels, by_attribute=True)
    alone = [code_length(codes[:, [j]], labels) for j in range(codes.shape[1])]
    assert whole.rows == pytest.approx(sum(part.rows for part in alone), abs=1e-9)
    assert whole.rows <= code_length(codes, labels).rows + 1e-9
    assert whole.memberships == alone[0].memberships
    assert whole.modes == pytest.approx(sum(p.modes for p in alone))
    assert whole.parameters == pytest.approx(
        (k - 1 + codes.shape[1]) / 2 * np.log2(len(codes))
    )


def test_kept_rows_are_whole():
    text = (
        Path(__file__).parent.parent / "nbs" / "results" / "how_many.json"
    ).read_text(encoding="utf-8")
    rows = pd.DataFrame(json.loads(text))
    assert len(rows) >= 500
    assert len(text) < 5e6
    assert (rows.fewest_bits <= rows.bits_at_k).all()
    assert rows.visible.between(-0.5, 1).all()
    own = rows.drop(
        columns=["visible", "agreement", "planted_bits", "bits_at_k", "fewest_bits"]
    )
    assert own.max().max() <= 10
    assert own.min().min() >= 1
    assert own.drop(columns="knee").notna().all(axis=None)


# --------------------------------------------------------- errors and units of the scan


def test_the_error_of_a_gap_by_its_formula():
    """With the same seed the first reference is the same: the second one follows from
    the mean of both.
    """
    codes = make_planted_clusters(
        40, 5, n_levels=3, n_clusters=3, noise=0.3, random_state=0
    ).codes
    options = dict(
        n_splits=0, n_resamples=0, indices=False, max_swaps=3, random_state=0
    )
    one, two = (
        k_scan(codes, range(1, 5), n_references=n, **options).table for n in (1, 2)
    )
    assert (one.gap_error == 0).all()
    # logarithms of the costs of the references, less that of the data
    second = 2 * two.gap - one.gap
    assert two.gap_error.to_numpy() == pytest.approx(
        (one.gap - second).abs() / 2 * np.sqrt(1 + 1 / 2), abs=1e-12
    )
    assert (two.gap_error[1:] > 0).any()
    costs = two.cost.to_numpy()[:, None] * np.exp(np.stack([one.gap, second], axis=1))
    assert costs == pytest.approx(costs.round(), abs=1e-6)  # they are whole numbers


def test_costs_of_clusters_with_gaps_add_up_to_the_cost():
    rows = make_planted_clusters(
        60, 4, n_levels=3, n_clusters=3, noise=0.3, random_state=0
    ).codes.astype(object)
    rows[np.arange(60), np.arange(60) % 5 % 4] = [
        None if i % 3 == 0 else rows[i, i % 5 % 4] for i in range(60)
    ]
    scan = k_scan(
        rows,
        [2, 3],
        missing="ignore",
        n_references=0,
        n_splits=0,
        n_resamples=0,
        random_state=0,
    )
    for k, fit in zip((2, 3), scan.fits):
        own = scan.clusters[scan.clusters.n_clusters == k]
        codes, levels = encode(rows, "ignore")
        d = partial_distances(codes, fit.modes, [len(values) for values in levels])[
            np.arange(60), fit.labels
        ]
        assert own.cost.to_numpy() == pytest.approx(np.bincount(fit.labels, d))
        assert fit.epoch_costs[-1] == fit.cost
        row = scan.table[scan.table.n_clusters == k].iloc[0]
        assert row.cost == pytest.approx(d.sum())
        assert (own.silhouette @ own["size"]) / 60 == pytest.approx(row.silhouette)


def test_a_gap_is_compared_by_the_error_of_the_next():
    table = k_scan(
        toy_table(),
        range(1, 4),
        n_references=0,
        n_splits=0,
        n_resamples=0,
        indices=False,
    ).table
    gaps = table.assign(gap=[1.0, 1.2, 1.1], gap_error=[0, 0.3, 0])
    assert choose_k(gaps).gap == 1  # 1 >= 1.2 - .3
    assert choose_k(gaps.assign(gap_error=[0.3, 0, 0])).gap == 2


def toy_table():
    return make_planted_clusters(
        30, 4, n_levels=3, n_clusters=2, noise=0.2, random_state=0
    ).codes


def test_strength_and_stability_are_means_of_shares():
    codes = np.repeat([[0, 0, 0], [1, 1, 1], [2, 2, 2]], 12, axis=0)
    scan = k_scan(
        codes,
        [1, 2, 3],
        n_references=0,
        n_splits=3,
        n_resamples=4,
        indices=False,
        random_state=0,
    )
    assert scan.table.prediction_strength.tolist()[::2] == [1, 1]
    assert scan.table.stability.tolist()[::2] == [1, 1]
    assert (scan.table.prediction_strength <= 1).all()
    assert scan.clusters.stability.between(0, 1).all()


def test_the_p_value_of_hopkins_counts_the_table_itself_and_ties():
    rows = make_planted_clusters(
        30, 4, n_levels=3, n_clusters=2, noise=0.6, random_state=3
    ).codes
    found = categorical_hopkins(rows, n_permutations=19, random_state=0)
    assert (
        found.p_value
        == (1 + sum(value >= found.statistic for value in found.null)) / 20
    )
    # all statistics are equal
    alike = categorical_hopkins([["a"]] * 12, n_permutations=9, random_state=0)
    assert alike.p_value == 1
    assert categorical_hopkins(rows, n_permutations=0, random_state=0).p_value == 1


def test_a_tenth_of_the_rows_is_drawn():
    X = np.random.RandomState(0).normal(size=(47, 3))
    assert (
        hopkins(X, random_state=0)
        == hopkins(X, 4, random_state=0)
        != hopkins(X, 9, random_state=0)
    )
    assert hopkins(X[:7], random_state=0) == hopkins(X[:7], 1, random_state=0)


def test_distances_beyond_a_byte_are_counted():
    codes = np.random.RandomState(0).randint(9, size=(12, 300))
    found = pair_histograms(codes, np.arange(12) % 2)
    far = (codes[:, None] != codes[None]).sum(axis=2)[np.triu_indices(12, 1)]
    np.testing.assert_array_equal(
        found.within + found.between, np.bincount(far, minlength=301)
    )


def test_a_scan_is_taken_for_its_table_and_other_things_are_refused_by_name():
    scan = k_scan(
        pd.DataFrame({"a": list("xxyyzz"), "b": list("xxyyzz")}),
        range(1, 4),
        n_references=0,
        n_splits=0,
        n_resamples=0,
        random_state=0,
    )
    assert choose_k(scan).equals(choose_k(scan.table))
    for wrong in None, [1], scan.table.to_numpy():
        with pytest.raises(TypeError, match="table must be the table of a scan"):
            choose_k(wrong)
        with pytest.raises(TypeError, match="scan must be what k_scan returns"):
            plot_k_scan(wrong)
    with pytest.raises(ValueError, match="got none named cost, gap"):
        choose_k(scan.table.drop(columns=["gap", "cost"]))


def test_a_strength_that_is_just_reached_is_enough():
    assert choice_of_k._last_above([1, 2, 3, 4], [1, 0.9, 0.8, 0.7], 0.8) == 3


def test_kept_rows_off_the_model_are_whole():
    "Eighty sets of each departure, and what each criterion chose among one to ten."
    text = (
        Path(__file__).parent.parent / "nbs" / "results" / "how_many_departing.json"
    ).read_text(encoding="utf-8")
    rows = pd.DataFrame(json.loads(text))
    assert len(rows) == 320
    assert (rows.fewest_bits <= rows.planted_bits * 1.5).all()
    assert rows.visible.between(-0.5, 1).all()
    own = rows.drop(columns=["visible", "agreement", "planted_bits", "fewest_bits"])
    assert own.max().max() <= 10
    assert own.min().min() >= 1
    assert own.drop(columns="knee").notna().all(axis=None)
    # one rate of noise is what the code length assumes: only the second kind keeps it
    # near that, and there the code length is right
    planted = np.tile(np.repeat([1, 2, 3, 5, 8], 16), 4)
    right = (rows.code_length == planted).to_numpy().reshape(4, 80).mean(axis=1)
    assert right.argmax() == 1
    assert right[3] < 0.5 < (rows.stability == planted).mean()
