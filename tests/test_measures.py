"""The measures that compare two labellings, against scikit-learn, exact arithmetic and
brute force.
"""

from fractions import Fraction
from functools import partial
from itertools import combinations, product
from math import comb, fsum, log1p

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.metrics.cluster import (
    contingency_matrix as sk_contingency,
    expected_mutual_information as sk_emi,
    pair_confusion_matrix as sk_pairs,
)

import kmodes_study.measures as measures
from kmodes_study.measures import contingency as tables
from kmodes_study.core.codes import encode_labels
from kmodes_study.plain.pair_counting import contingency_table
from kmodes_study.plain.information import (
    expected_mutual_information,
    mutual_information,
)
from kmodes_study.plain.pair_counting import adjusted_rand_index, pair_counts


SIZES = [
    (1, 1, 1),
    (2, 2, 2),
    (7, 2, 3),
    (50, 4, 4),
    (200, 200, 200),
    (500, 2, 90),
    (1500, 40, 60),
    (2000, 7, 7),
]
METHODS = ["min", "geometric", "arithmetic", "max"]
small_labels = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n)] * 2)
)


def refused(error, named, call, *arguments, **options):
    "The call is refused, with the name of the argument."
    with pytest.raises(error, match=named):
        call(*arguments, **options)


def labellings(n, r, s, agree=0.0, seed=0):
    rng = np.random.default_rng(seed)
    u = rng.integers(0, r, n)
    return u, np.where(rng.random(n) < agree, u, rng.integers(0, s, n))


# --- contingency ----------------------------------------------------------------------


@pytest.mark.parametrize("n, r, s", SIZES)
def test_contingency_equals_sklearn(n, r, s):
    u, v = labellings(n, r, s)
    expected = sk_contingency(u, v)
    dense = measures.contingency_matrix(u, v)
    sparse = measures.contingency_matrix(u, v, sparse=True)
    assert dense.dtype == sparse.dtype == np.int64
    np.testing.assert_array_equal(dense, expected)
    np.testing.assert_array_equal(sparse.toarray(), expected)


def check_cells(cells, table):
    "They are those of the table, with its sums."
    sums = table.sum(axis=1), table.sum(axis=0), table.sum()
    expected = *np.nonzero(table), table[table > 0], *sums
    for got, wanted in zip(cells, expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


@given(small_labels)
def test_all_ways_to_the_cells_agree(pair):
    table = np.array(contingency_table(*pair))
    np.testing.assert_array_equal(measures.contingency_matrix(*pair), table)
    # numbers too far apart for a table of all of them
    spread = [np.array(labels) * 1000 for labels in pair]
    for cells in (
        tables.contingency_cells(*pair),
        tables.contingency_cells(*spread),
        tables.cells_of_matrix(table),
        tables.cells_of_matrix(measures.contingency_matrix(*pair, sparse=True)),
    ):
        check_cells(cells, table)


KINDS = {
    "int64": lambda x: x,
    "int32": lambda x: x.astype(np.int32),
    "uint8": lambda x: x.astype(np.uint8),
    "uint64": lambda x: x.astype(np.uint64),
    "negative": lambda x: (3 * x - 50).astype(np.int8),
    "far": lambda x: x * 10**12,
    "gaps": lambda x: x * 97 - 10**15,
    "bool": lambda x: x > x.min(),
    "big end": lambda x: x.astype(">i4"),
    "strided": lambda x: np.repeat(x, 3)[::3],
    "float": lambda x: x / 4,
    "text": lambda x: np.char.add("class ", x.astype(str)),
    "long text": lambda x: np.char.add(
        np.char.add((x % 3).astype(str), "a common middle part of the text "),
        x.astype(str),
    ),
    "bytes": lambda x: x.astype("S"),
    "unicode": lambda x: np.array(["é", "zz", "", "𝄞", "a\nb", "é ", "E"])[x % 7],
    "objects": lambda x: np.array([f"class {i}" for i in range(200)], object)[x],
    "own objects": lambda x: np.array([f"class {i}" for i in x], object),
    "mixed": lambda x: np.array([1, True, "1", 1.0, (1,), 2], object)[x % 6],
    "category": lambda x: pd.Series(x).astype("category"),
    "category of strings": lambda x: pd.Categorical.from_codes(
        x, [f"{i}" for i in range(200, 400)]
    ),
    "str": lambda x: pd.Series(x.astype(str)),
    "python str": lambda x: pd.Series(x.astype(str), dtype=pd.StringDtype("python")),
    "nullable": lambda x: pd.array(x, dtype="Int16"),
    "list": lambda x: x.tolist(),
    "dates": lambda x: x.astype("M8[D]"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_any_kind_are_counted(kind):
    for n, r, s in [(1, 1, 1), (40, 3, 5), (700, 12, 7), (900, 150, 190)]:
        u, v = labellings(n, r, s)
        named, others = KINDS[kind](u), KINDS["objects"](v)
        codes, categories = encode_labels(named)
        assert codes.dtype == np.int64
        assert list(categories[codes]) == list(named)
        assert sorted(set(codes.tolist())) == list(range(len(categories)))
        expected = np.zeros((len(categories), len(encode_labels(others)[1])), np.int64)
        np.add.at(expected, (codes, encode_labels(others)[0]), 1)
        for table, pair in (expected, (named, others)), (expected.T, (others, named)):
            cells = tables.contingency_cells(*pair)
            assert {x.dtype for x in cells[:-1]} == {np.dtype(np.int64)}
            check_cells(cells, table)


SCORES = [
    *"rand_score pair_jaccard_score adjusted_rand_score mutual_info_score".split(),
    *"adjusted_mutual_info_score homogeneity_score completeness_score".split(),
    "v_measure_score",
]


# --- pair counting --------------------------------------------------------------------


@given(small_labels)
def test_pair_counts_equal_the_definition(pair):
    counts = measures.pair_counts(*pair)
    assert counts == pair_counts(*pair)
    assert all(type(x) is int for x in counts)


@pytest.mark.parametrize("n, r, s", SIZES + [(100_000, 2, 3)])
def test_pair_scores_equal_sklearn(n, r, s):
    for agree in (0.0, 0.5, 1.0):
        u, v = labellings(n, r, s, agree)
        f11, f10, f01, f00 = measures.pair_counts(u, v)
        assert [[2 * f00, 2 * f01], [2 * f10, 2 * f11]] == sk_pairs(u, v).tolist()
        for name in "rand_score", "adjusted_rand_score":
            expected = pytest.approx(getattr(sk, name)(u, v), abs=1e-12)
            assert getattr(measures, name)(u, v) == expected


def test_pairs_of_a_million_points_are_exact():
    u, v = np.zeros(10**6, np.uint8), np.r_[np.zeros(999_999, np.uint8), np.uint8(200)]
    u[:3] = 255
    f11, f10, f01 = comb(3, 2) + comb(10**6 - 4, 2), 10**6 - 4, 3 * (10**6 - 4)
    f00 = comb(10**6, 2) - f11 - f10 - f01
    assert measures.pair_counts(u, v) == (f11, f10, f01, f00)
    exact = adjusted_rand_index(u.tolist(), v.tolist())
    assert measures.adjusted_rand_score(u, v) == float(exact)
    assert measures.pair_jaccard_score(u, v) == float(Fraction(f11, f11 + f10 + f01))


def test_adjusted_scores_of_all_labellings_of_five_points():
    """Every pair of labellings: bounds, the value 1 for equal clusterings only, and the
    mean 0 over the permutations that chance deals.
    """
    labellings = [
        x
        for x in product(range(5), repeat=5)
        if all(c <= max(x[:i], default=-1) + 1 for i, c in enumerate(x))
    ]
    assert len(labellings) == 52  # the fifth Bell number
    for u, v in product(labellings, repeat=2):
        rand = measures.adjusted_rand_score(u, v)
        mutual = measures.adjusted_mutual_info_score(u, v, average_method="max")
        assert (rand == 1) == (u == v)
        assert (mutual == 1) == (u == v)
        assert -0.5 <= rand <= 1
        assert -0.6 < mutual <= 1  # the mutual information does fall below -1/2
        for score in (rand, mutual):
            assert type(score) is float


# --- information ----------------------------------------------------------------------


@pytest.mark.parametrize("n, r, s", SIZES)
@pytest.mark.parametrize("agree", [0.0, 0.5, 1.0])
def test_information_equals_sklearn(n, r, s, agree):
    u, v = labellings(n, r, s, agree)
    near = lambda number: pytest.approx(number, abs=1e-12)
    nats = sk.mutual_info_score(u, v)
    assert measures.mutual_info_score(u, v) == near(nats)
    assert measures.mutual_info_score(u, v, base=2) == near(nats / np.log(2))
    table = measures.contingency_matrix(u, v)
    assert measures.expected_mutual_information(table, n) == near(sk_emi(table, n))
    name = "homogeneity_completeness_v_measure"
    for beta in (0, 0.3, 1, 5):
        expected = near(getattr(sk, name)(u, v, beta=beta))
        assert getattr(measures, name)(u, v, beta=beta) == expected
    name = "adjusted_mutual_info_score"
    for method in METHODS:
        expected = near(getattr(sk, name)(u, v, average_method=method))
        assert getattr(measures, name)(u, v, average_method=method) == expected


@given(small_labels)
def test_expected_information_equals_the_formula_with_exact_weights(pair):
    table = measures.contingency_matrix(*pair)
    expected = expected_mutual_information(
        table.sum(axis=1).tolist(), table.sum(axis=0).tolist()
    )
    assert measures.expected_mutual_information(table, base=2) == pytest.approx(
        expected, abs=1e-12
    )
    assert measures.mutual_info_score(*pair, base=2) == pytest.approx(
        mutual_information(table.tolist()), abs=1e-12
    )


def exact_mean_excess(a, b, n):
    "E[x log(x/mu) - (x - mu)] with weights from integers of any size."

    def g(x):
        return (
            x * log1p((x * n - a * b) / (a * b)) - (x * n - a * b) / n
            if x
            else a * b / n
        )

    return fsum(
        float(Fraction(comb(a, x) * comb(n - a, b - x), comb(n, b))) * g(x)
        for x in range(max(0, a + b - n), min(a, b) + 1)
    )


@pytest.mark.parametrize(
    "a, b, n",
    [
        (1, 1, 1),
        (1, 1, 10**6),
        (2, 3, 10**6),
        (30, 999_999, 10**6),
        (10, 10, 10),
        (60, 70, 128),
        (255, 300, 700),
        (256, 300, 2000),
        (1000, 1000, 4000),
        (900, 1800, 2000),
    ],
)
def test_walk_equals_exact_weights(a, b, n):
    "A table of four cells: only its margins count."
    table = np.array([[min(a, b), a - min(a, b)], [b - min(a, b), n - max(a, b)]])
    exact = sum(
        exact_mean_excess(x, y, n) for x in (a, n - a) for y in (b, n - b) if x and y
    )
    assert n * measures.expected_mutual_information(table) == pytest.approx(
        exact, rel=1e-10, abs=1e-12
    )


def test_expected_information_of_a_million_points():
    """Fewer and fewer ways to sum: the distinct margins against one walk for each cell,
    here with few cells and large margins.
    """
    u, v = labellings(10**6, 3, 4)
    table = measures.contingency_matrix(u, v)
    got = measures.expected_mutual_information(table)
    # the chi-square limit of (r-1)(s-1)/2N nats
    assert got == pytest.approx((3 - 1) * (4 - 1) / (2 * 10**6), rel=1e-4)
    assert got == pytest.approx(sk_emi(table, 10**6), abs=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_degenerate_labellings(method):
    ami = partial(measures.adjusted_mutual_info_score, average_method=method)
    pairs = measures.adjusted_rand_score, measures.rand_score
    for u in ([0], [0, 0, 0], [0, 1, 2]):
        for score in ami, measures.pair_jaccard_score, *pairs:
            assert score(u, u) == 1
        assert measures.homogeneity_completeness_v_measure(u, u) == (1, 1, 1)
    for u, v in combinations([[0, 0, 0, 0], [0, 0, 1, 2], [0, 1, 2, 3]], 2):
        assert ami(u, v) == ami(v, u) == 0
    assert measures.homogeneity_score([0, 0, 0], [0, 1, 1]) == 1
    assert measures.completeness_score([0, 0, 0], [0, 1, 1]) == 0


def test_scores_do_not_depend_on_names_or_order():
    u, v = labellings(400, 5, 6, 0.4)
    shuffled = np.random.default_rng(1).permutation(400)
    names = np.array(["q", "b", "z", "a", "k", "c"], dtype=object)
    for name in SCORES:
        score = getattr(measures, name)
        assert score(names[u][shuffled], pd.Series(v[shuffled])) == pytest.approx(
            score(u, v), abs=1e-14
        )


def test_millions_of_singletons_need_no_table():
    n = 300_000
    v = np.random.default_rng(0).permutation(n)
    assert (
        measures.adjusted_mutual_info_score(np.arange(n), v)
        == measures.adjusted_rand_score(np.arange(n), v)
        == 1
    )
    assert measures.mutual_info_score(np.arange(n), v) == pytest.approx(
        np.log(n), abs=1e-12
    )


def test_sparse_tables_may_repeat_cells_hold_zeros_and_stay_as_they_are():
    """Two entries of one cell, a cell of 0, and columns in no order: the same as the
    array, and nothing is changed.
    """
    given = sparse.csr_matrix(
        (
            np.array([1, 2, 0, 3, 1, 4]),
            np.array([2, 0, 1, 1, 1, 0]),
            np.array([0, 3, 6]),
        ),
        (2, 3),
    )
    before = [part.copy() for part in (given.data, given.indices, given.indptr)]
    for own, dense in zip(
        tables.cells_of_matrix(given), tables.cells_of_matrix(given.toarray())
    ):
        np.testing.assert_array_equal(own, dense)
    assert measures.mutual_info_score(contingency=given) == measures.mutual_info_score(
        contingency=given.toarray()
    )
    for part, was in zip((given.data, given.indices, given.indptr), before):
        np.testing.assert_array_equal(part, was)


def test_what_cannot_be_compared_is_refused():
    for pred in [0, 1, 1], [0, None], np.ma.array([0, 1], mask=[0, 1]), "ab":
        refused(ValueError, "labels_pred", measures.adjusted_rand_score, [0, 1], pred)
    refused(ValueError, "labels_true", measures.mutual_info_score, [], [])
    for table in np.ma.array([[1, 2]], mask=[[0, 1]]), [[0.5]], [[-1]], [1], [[2**40]]:
        refused(ValueError, "contingency", measures.expected_mutual_information, table)
    refused(ValueError, "base", measures.entropy, [0, 1], base=1)
