"""How many clusters: the code length, the indices of clustMixType, the scan and its criteria."""
import itertools
from math import isnan

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles import plain
from scipy.optimize import minimize_scalar
from scipy.stats import kendalltau, pearsonr

from kmodes_study.cluster.modes import cost, modes_of
from kmodes_study.describe.code_length import code_length, code_length_of, mismatch_penalty
from kmodes_study.measures.validity_indices import indices_of, pair_histograms, validity_indices


@st.composite
def clusterings(draw, least=3, most=12):
    "Codes, numbers of clusters in which none is empty, and k."
    n, m = draw(st.integers(least, most)), draw(st.integers(1, 5))
    k = draw(st.integers(1, min(4, n)))
    cells = draw(st.lists(st.integers(0, 3), min_size=n*m, max_size=n*m))
    labels = [*range(k), *draw(st.lists(st.integers(0, k - 1), min_size=n - k, max_size=n - k))]
    return np.array(cells, np.uint8).reshape(n, m), np.array(labels), k


# ---------------------------------------------------------------- code length

@settings(max_examples=30)
@given(clusterings())
def test_code_length_is_the_plain_message(drawn):
    codes, labels, k = drawn
    levels = [len(set(column)) for column in codes.T]
    found = code_length(codes, labels).total
    modes = modes_of(codes, labels, k).tolist()
    bits = plain("5_describe/03_code_length", "plain_code_length")(codes.tolist(), labels.tolist(), modes, levels)
    assert found <= bits + 1e-9 and bits - found < .02


@settings(max_examples=60)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(1, 500), st.floats(.001, 1))
def test_penalty_minimises_the_bits_of_the_rows(levels, n, share):
    others = np.array(levels) - 1
    assume(others.any())
    total = share*n*(others/np.array(levels)).sum()
    def nats(penalty): return penalty*total + n*np.log1p(others*np.exp(-penalty)).sum()
    best = minimize_scalar(nats, bounds=(0, 40), method="bounded", options=dict(xatol=1e-10))
    assert nats(mismatch_penalty(total, n, levels)) <= best.fun*(1 + 1e-9)


@settings(max_examples=40)
@given(clusterings(), st.randoms(use_true_random=False))
def test_code_length_does_not_see_names_or_orders(drawn, random):
    codes, labels, k = drawn
    names, order = list("pqrs"), list(range(len(codes)))
    random.shuffle(names)
    random.shuffle(order)
    words = pd.DataFrame(codes[order]).map(lambda code: f"word {9 - code}")
    assert np.allclose(code_length(words, [names[labels[i]] for i in order]), code_length(codes, labels), rtol=1e-12)


def test_a_lower_cost_is_never_a_longer_message():
    lengths = [code_length_of(total, [30, 20], [2, 3, 5]).total for total in range(0, 90)]
    assert (np.diff(lengths) >= 0).all()


def test_code_length_needs_only_cost_and_sizes():
    rng = np.random.RandomState(0)
    codes, labels = rng.randint(3, size=(60, 4)), rng.randint(5, size=60)
    total = cost(codes, labels, modes_of(codes, labels, 5))
    assert code_length(codes, labels) == code_length_of(total, np.bincount(labels), [3]*4)


def test_code_length_takes_missing_values_as_a_category():
    table = pd.DataFrame({"a": ["x", None, "x", "y"], "b": ["p", "p", None, None]})
    told = table.fillna("missing")
    assert code_length(table, [0, 0, 1, 1], missing="category") == code_length(told, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="missing"): code_length(table, [0, 0, 1, 1], missing="ignore")


@pytest.mark.parametrize("sizes, levels", [([], [2]), ([3, 0], [2]), ([3], [0]), ([1.5], [2]), ([3], [])])
def test_code_length_refuses_what_is_no_count(sizes, levels):
    with pytest.raises(ValueError, match="whole numbers from 1"): code_length_of(1, sizes, levels)


# ---------------------------------------------------------------- indices

@settings(max_examples=40)
@given(clusterings())
def test_histograms_and_indices_are_the_plain_ones(drawn):
    codes, labels, k = drawn
    histograms, indices = plain("1_measures/11_validity_indices", "plain_histograms", "plain_indices")
    found = pair_histograms(codes, labels)
    assert [part.tolist() for part in found] == [*histograms(codes.tolist(), labels.tolist())]
    assume(found.within[1:].sum() and found.between[1:].sum() and len(np.flatnonzero(sum(found))) > 1)
    assume(found.within.sum() and found.between.sum())
    got = indices_of(*found)
    assume(not isnan(got.gamma))
    assert np.allclose(got, indices(codes.tolist(), labels.tolist()), rtol=1e-12, atol=1e-12)


def test_indices_are_known_correlations():
    "Point-biserial is Pearson's correlation, tau Kendall's without the ties of the distances."
    rng = np.random.RandomState(3)
    codes, labels = rng.randint(4, size=(25, 6)), rng.randint(3, size=25)
    pairs = list(itertools.combinations(range(25), 2))
    far = [int((codes[p] != codes[q]).sum()) for p, q in pairs]
    apart = [int(labels[p] != labels[q]) for p, q in pairs]
    found, n = validity_indices(codes, labels), len(pairs)
    assert found.point_biserial == pytest.approx(pearsonr(far, apart)[0]*np.sqrt((n - 1)/n), rel=1e-12)
    ties = sum(count*(count - 1)//2 for count in np.bincount(far))
    all_pairs = n*(n - 1)//2
    expected = kendalltau(far, apart).statistic*np.sqrt((all_pairs - ties)/all_pairs)
    assert found.tau == pytest.approx(expected, rel=1e-12)


def test_many_rows_and_wide_tables():
    rng = np.random.RandomState(1)
    codes, labels = rng.randint(3, size=(900, 300)), rng.randint(4, size=900)
    found = pair_histograms(codes, labels)
    first = (codes[:1] != codes[1:]).sum(axis=1)
    assert sum(map(sum, found)) == 900*899//2 and sum(found)[first.min()] > 0
    one_hot = (codes[:, :, None] == np.arange(3)).reshape(900, -1).astype(np.float32)
    distances = (300 - one_hot@one_hot.T).round().astype(int)[np.triu_indices(900, 1)]
    assert np.array_equal(np.bincount(distances, minlength=301), sum(found))


@pytest.mark.parametrize("labels", [[0]*6, range(6)])
def test_no_index_where_one_kind_of_pair_is_absent(labels):
    codes = np.array([[0, 1], [1, 1], [2, 0], [0, 0], [1, 2], [2, 2]])
    assert all(isnan(value) for value in validity_indices(codes, labels))
