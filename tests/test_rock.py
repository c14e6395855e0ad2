"Neighbours, links and ROCK: the definitions by brute force, and the orders of merges."

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from kmodes_study import TableWarning
from kmodes_study.family.rock_clustering import (
    ROCK,
    jaccard_neighbours,
    links,
    rock,
    rock_labels,
)
from oracles.relatives import plain_links, plain_neighbours, plain_rock
from kmodes_study.data.synthetic import toy_vehicles

thetas = st.sampled_from([0, 0.2, 1 / 3, 0.5, 0.6, 0.75, 0.9])
few = settings(deadline=None, max_examples=80)
GAP = 3


@st.composite
def tables(draw, max_rows=16):
    "Small codes in which 3 may be a gap."
    shape = st.tuples(st.integers(1, max_rows), st.integers(1, 5))
    return draw(hnp.arrays(np.int64, shape, elements=st.integers(0, GAP)))


def items_of(codes):
    items = lambda row: frozenset((j, c) for j, c in enumerate(row) if c != GAP)
    return [*map(items, codes.tolist())]


def clusters_of(labels):
    "The rows of each cluster."
    return [np.flatnonzero(labels == l).tolist() for l in range(labels.max() + 1)]


@few
@given(tables(), thetas)
def test_neighbours_and_links_by_the_definition(codes, theta):
    near = jaccard_neighbours(codes, theta, missing_codes=np.full(codes.shape[1], GAP))
    expected = plain_neighbours(items_of(codes), theta)
    assert [set(row.indices.tolist()) for row in near] == expected
    common = links(near)
    assert common.toarray().tolist() == plain_links(expected)
    assert (near != near.T).nnz == 0 == (common != common.T).nnz
    assert common.data.all()


@few
@given(tables(), tables(), thetas)
def test_neighbours_among_other_rows(codes, others, theta):
    m = min(codes.shape[1], others.shape[1])
    codes, others = (part[:, :m] for part in (codes, others))
    gaps = np.full(m, GAP)
    near = jaccard_neighbours(codes, theta, others=others, missing_codes=gaps)
    are_near = lambda x, y: bool(x and y) and len(x & y) / len(x | y) >= theta
    expected = [[are_near(x, y) for y in items_of(codes)] for x in items_of(others)]
    assert near.toarray().tolist() == expected


def test_more_than_255_codes_and_attributes():
    codes = np.random.RandomState(0).randint(2, size=(12, 300))
    codes[:, 0] = np.arange(12) * 30
    found = [set(row.indices.tolist()) for row in jaccard_neighbours(codes, 0.3)]
    assert found == plain_neighbours(items_of(codes), 0.3)
    full = np.arange(256)[:, None] % 256  # a code for "nobody" needs a wider type
    assert jaccard_neighbours(full, 0.5).nnz == 0


@few
@given(tables(), thetas, st.integers(1, 6))
def test_rock_is_the_greedy_algorithm(codes, theta, n_clusters):
    near = jaccard_neighbours(codes, theta, missing_codes=np.full(codes.shape[1], GAP))
    labels = rock(near, n_clusters, theta)
    expected = plain_rock(links(near).toarray().tolist(), n_clusters, theta)
    assert clusters_of(labels) == expected
    assert (labels >= 0).sum() == sum(map(len, expected))
    assert labels.dtype == np.int32


def test_rows_that_are_their_own_neighbours():
    "Then two neighbours have two links without a third row."
    near = jaccard_neighbours(np.array([[0, 0], [0, 0], [1, 2]]), 0.5) + sparse.eye(
        3, dtype=np.int32, format="csr"
    )
    assert rock(near.tocsr(), 1, 0.5).tolist() == [0, 0, -1]


def test_merges_of_several_components_in_one_order():
    """Three groups that no neighbours join, of different density: the order of merges
    runs through all of them.
    """
    random = np.random.RandomState(1)
    codes = np.concatenate(
        [
            random.randint(levels, size=(15, 6)) + 10 * g
            for g, levels in enumerate([2, 3, 2])
        ]
    )
    near = jaccard_neighbours(codes, 0.3)
    for k in range(1, 30):
        labels = rock(near, k, 0.3)
        expected = plain_rock(links(near).toarray().tolist(), k, 0.3)
        assert clusters_of(labels) == expected
    assert len(set(labels[labels >= 0])) == k


@few
@given(tables(), thetas, st.integers(0, 5))
def test_labels_of_other_rows_by_the_formula(codes, theta, seed):
    missing = np.full(codes.shape[1], GAP)
    others = np.random.RandomState(seed).randint(GAP, size=(7, codes.shape[1]))
    labels = np.arange(len(codes)) % 4 - 1
    near = jaccard_neighbours(codes, theta, others=others, missing_codes=missing)
    f, dense = (1 - theta) / (1 + theta), near.toarray()
    for i, found in enumerate(rock_labels(near, labels, theta)):
        scores = [
            dense[i, labels == l].sum() / ((labels == l).sum() + 1) ** f
            for l in range(labels.max() + 1)
        ]
        if not any(scores):
            assert found == -1
        else:
            assert scores[found] == pytest.approx(max(scores), rel=1e-12)


def test_a_sample_is_clustered_and_the_rest_is_labelled():
    random = np.random.RandomState(0)
    kinds = np.repeat([0, 1, 2], 40)
    codes = np.where(
        random.rand(120, 8) < 0.15, random.randint(3, size=(120, 8)), kinds[:, None]
    )
    model = ROCK(3, theta=0.4, sample_size=60, random_state=0).fit(codes)
    assert len(model.sample_indices_) == 60 == len(set(model.sample_indices_))
    assert model.n_clusters_ == 3
    rest = np.setdiff1d(np.arange(120), model.sample_indices_)
    assert model.labels_[rest].tolist() == model.predict(codes[rest]).tolist()
    assert all(len({*model.labels_[kinds == kind]} - {-1}) == 1 for kind in range(3))
    assert clone(model).fit(codes).labels_.tolist() == model.labels_.tolist()
    alone = ROCK(3, theta=0.4).fit(codes[model.sample_indices_])
    assert alone.labels_.tolist() == model.labels_[model.sample_indices_].tolist()


def test_a_warning_where_all_rows_are_outliers():
    with pytest.warns(ConvergenceWarning, match="take a lower theta"):
        model = ROCK(2, theta=0.9).fit(toy_vehicles())
    assert model.n_clusters_ == 0
    assert (model.labels_ == -1).all()
    assert (model.predict(toy_vehicles()) == -1).all()


def test_baskets_are_no_columns_that_spoil_clusters(recwarn):
    baskets = pd.DataFrame(
        {
            f"item {d}": ["bought" if i % d else None for i in range(1, 25)]
            for d in (2, 3, 5)
        }
    )
    ROCK(2, theta=0.5, missing="ignore").fit(baskets)
    assert not [each for each in recwarn if each.category is TableWarning]
    with pytest.warns(TableWarning, match="constant: 'd'"):
        ROCK(2, theta=0.5, missing="ignore").fit(baskets.assign(d="x"))


def test_a_row_is_compared_with_what_a_cluster_with_it_would_have():
    """At theta 0 a cluster of one row with one neighbour counts 1/2, one of four rows
    with three neighbours 3/5.
    """
    neighbours = np.array([[1, 1, 1, 1, 0]])
    assert rock_labels(neighbours, np.array([0, 1, 1, 1, 1]), 0).tolist() == [1]


def test_of_two_partners_that_are_as_good_the_first_stays_the_better():
    "A cluster that has just grown is no worse than a later one of the same goodness."
    edges = [(0, 2), (0, 4), (0, 5), (1, 3), (1, 4), (2, 4), (2, 5), (3, 5), (3, 6)]
    near = np.zeros((7, 7), np.int32)
    for i, j in [*edges, (4, 5), (4, 6)]:
        near[i, j] = near[j, i] = 1
    near = sparse.csr_matrix(near)
    labels = rock(near, 2, 0.5)
    assert labels.tolist() == [0, 0, 0, 1, 1, 0, 0]
    clusters = plain_rock(links(near).toarray().tolist(), 2, 0.5)
    assert clusters == [[0, 1, 2, 5, 6], [3, 4]]


def test_rows_of_the_sample_keep_the_labels_of_the_clustering():
    "Whether or not their neighbours would have them elsewhere."
    elsewhere = 0
    for seed in range(10):
        codes = np.random.RandomState(seed).randint(3, size=(60, 4))
        model = ROCK(4, theta=0.3, sample_size=30, random_state=seed).fit(codes)
        own = model.labels_[model.sample_indices_]
        near = jaccard_neighbours(codes[model.sample_indices_], 0.3)
        assert np.array_equal(own, rock(near, 4, 0.3))
        elsewhere += (own != model.predict(codes[model.sample_indices_])).sum()
    assert elsewhere
