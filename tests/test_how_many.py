"""How many clusters: the code length, the indices of clustMixType, the scan and its
criteria.
"""

import json
from math import isnan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st

from kmodes_study.cluster.modes import check_clustering, modes_of
from kmodes_study.core.codes import encode
from kmodes_study.data.synthetic import make_planted_clusters
from kmodes_study.describe.choice_of_k import code_length, k_scan
from kmodes_study.measures import cohesion
from kmodes_study.measures.silhouette import silhouette_score
from kmodes_study.measures.validity import BEST, indices_of, pair_histograms
from kmodes_study.measures.validity import validity_indices
from oracles.criteria import plain_categorical_hopkins, plain_code_length
from oracles.gaps import partial_distances
from oracles.criteria import plain_histograms, plain_hopkins, plain_indices


TRUSTED = ["code_length", "gap", "stability", "prediction_strength", "silhouette"]
RESULTS = Path(__file__).parents[1] / "nbs" / "results"
PLANTED = make_planted_clusters(150, 8, 3, 3, 0.2, random_state=5).codes


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


# ---------------------------------------------------------------- indices


@given(clusterings())
def test_histograms_and_indices_are_the_plain_ones(drawn):
    codes, labels, k = drawn
    found = pair_histograms(codes, labels)
    assert [part.tolist() for part in found] == [
        *plain_histograms(codes.tolist(), labels.tolist())
    ]
    assume(found[:, 1:].sum(axis=1).all() and np.count_nonzero(sum(found)) > 1)
    got = indices_of(*found)
    assume(not isnan(got.gamma))
    assert np.allclose(
        got, plain_indices(codes.tolist(), labels.tolist()), rtol=1e-12, atol=1e-12
    )


# ---------------------------------------------------------------- clusterability


@settings(max_examples=30)
@given(clusterings(least=4), st.integers(0, 1000))
def test_categorical_hopkins_is_the_plain_one(drawn, seed):
    codes, (_, m) = drawn[0], drawn[0].shape
    rng = np.random.RandomState(seed)
    places = codes[rng.randint(len(codes), size=(2, m)), np.arange(m)]
    chosen = rng.permutation(len(codes))[:2]
    found = cohesion._statistic_of(codes, places, chosen)
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
    found = cohesion._hopkins(X, places, [3, 0, 7, 20], "literature")
    expected = plain_hopkins(X.tolist(), places.tolist(), [3, 0, 7, 20])
    assert found == pytest.approx(expected)


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
    return k_scan(PLANTED, range(1, 6), random_state=0)


def test_scan_agrees_with_the_functions_that_it_brings_together(scan):
    for row, fit in zip(scan.table.itertuples(), scan.fits):
        check_clustering(PLANTED, fit.labels, fit.modes, row.cost)
        assert row.code_length == pytest.approx(
            code_length(PLANTED, fit.labels).total, rel=1e-12
        )
        if row.n_clusters == 1:
            continue
        assert row.silhouette == pytest.approx(
            silhouette_score(PLANTED, fit.labels), rel=1e-12
        )
        assert validity_indices(PLANTED, fit.labels) == tuple(
            getattr(row, name) for name in BEST
        )
    sums = scan.clusters.groupby("n_clusters")[["size", "cost"]].sum()
    assert (sums["size"] == 150).all()
    assert sums["cost"].tolist() == scan.table.cost.tolist()
    assert (
        scan.clusters.groupby("n_clusters").stability.min().tolist()
        == scan.table.stability.tolist()
    )
    assert (scan.choices[TRUSTED] == 3).all()


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


def test_scan_with_gaps_agrees_with_the_functions_that_it_brings_together():
    cells = holed(PLANTED, 0.25, 1)
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
    assert (scan.choices[TRUSTED] == 3).all()


# --------------------------------------------------------------------- the kept rows


@pytest.mark.parametrize("name, n", [("how_many", 720), ("how_many_departing", 320)])
def test_kept_rows_are_whole(name, n):
    text = (RESULTS / f"{name}.json").read_text("utf-8")
    rows = pd.DataFrame(json.loads(text))
    assert len(rows) == n
    assert len(text) < 5e6
    if "bits_at_k" in rows:
        assert (rows.fewest_bits <= rows.bits_at_k).all()
    assert (rows.fewest_bits <= rows.planted_bits * 1.5).all()
    assert rows.visible.between(-0.5, 1).all()
    own = rows.drop(columns=["visible", "agreement"])
    own = own[[name for name in own if "bits" not in name]]
    assert own.max().max() <= 10
    assert own.min().min() >= 1
    assert own.drop(columns="knee").notna().all(axis=None)
