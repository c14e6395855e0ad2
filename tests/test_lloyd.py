"""Batch k-modes and the kernels of columns against the plain forms, exactly, for all
widths of codes, counters and labels, and any number of threads.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study.core import kernels as c
from kmodes_study.core.codes import as_codes
from kmodes_study.cluster.algorithms import lloyd as b
from kmodes_study.cluster.algorithms.lloyd import lloyd
from kmodes_study.cluster.modes import fill_missing
from kmodes_study.cluster.modes import assign, check_clustering
from kmodes_study.core.kernels import (
    distinct_rows,
    in_columns,
    nearest_modes,
)
from kmodes_study.core.rows import in_whole_units
from oracles.gaps import partial_distances
from oracles.kmodes import plain_lloyd
from oracles.modes import plain_assign

pytestmark = pytest.mark.usefixtures("small_tables")

examples = settings(max_examples=120, deadline=None)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks of 16 rows and a thread for every 64, so that small tables have many of
    both, and a last block that is not full.
    """
    for module in b, c:
        monkeypatch.setattr(module, "BLOCK", 16)
    monkeypatch.setattr(c, "_SMALL", 300)
    monkeypatch.setattr(c, "_PIECE", 32)


def table(rng, n, m, levels, dtype=np.uint8):
    return rng.integers(0, levels, (n, m)).astype(dtype)


def drawn(problem, dtype=np.uint8):
    """Random codes, and k different rows of them: k is lowered to the number of
    different rows.
    """
    seed, n, m, k, levels = problem
    rng = np.random.default_rng(seed)
    codes = table(rng, n, m, levels, dtype)
    return rng, codes, rng.permutation(np.unique(codes, axis=0))[:k]


def as_lists(result):
    return result._replace(labels=result.labels.tolist(), modes=result.modes.tolist())


problems = st.tuples(
    st.integers(0, 2**32 - 1),
    st.integers(1, 70),
    st.integers(1, 7),
    st.integers(1, 11),
    st.integers(1, 6),
)


@given(
    problems,
    st.sampled_from([np.uint8, np.uint16, np.uint32, np.int64]),
    st.sampled_from("CF"),
    st.integers(1, 4),
)
@examples
def test_nearest_modes_are_the_formula(problem, dtype, order, n_jobs):
    seed, n, m, k, levels = problem
    rng = np.random.default_rng(seed)
    codes, modes = table(rng, n, m, levels, dtype), table(rng, k, m, levels, dtype)
    labels, distances = nearest_modes(
        np.asarray(as_codes(codes), order=order), as_codes(modes), n_jobs
    )
    assert labels.dtype == distances.dtype == np.int32
    assert (labels.tolist(), distances.tolist()) == plain_assign(
        codes.tolist(), modes.tolist()
    )


@pytest.mark.parametrize("m", [1, 2, 254, 255, 256, 257, 511])
def test_counters_hold_all_attributes(m):
    """All mismatches, one match, and one mode exactly, at the widths where a byte is
    full.
    """
    codes = np.vstack([np.zeros((3, m)), np.ones((2, m))]).astype(np.uint8)
    codes[1, 0], codes[2, -1] = 1, 2
    modes = np.array([[3] * m, [2] * m, [1] * m, [4] * m, [5] * m], np.uint8)
    found = nearest_modes(codes, modes)
    expected = plain_assign(codes.tolist(), modes.tolist())
    assert tuple(map(np.ndarray.tolist, found)) == expected


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 8, 255, 256, 257, 300])
def test_labels_hold_all_clusters(k):
    codes = np.stack([np.arange(k) % 20, np.arange(k) // 20], axis=1).astype(np.uint8)
    labels, distances = nearest_modes(codes, codes)
    assert labels.tolist() == list(range(k))
    assert not distances.any()
    result = lloyd(codes, codes)
    assert result.labels.tolist() == list(range(k))
    assert result.cost == 0


def test_codes_beyond_a_byte():
    rng = np.random.default_rng(0)
    for levels, dtype in ((300, np.uint16), (70_000, np.uint32)):
        codes = rng.integers(0, 3, (80, 4)).astype(dtype) * (levels // 2 - 1)
        codes[0, 0] = levels - 1
        start = np.unique(codes, axis=0)[[1, 5, 9, 11, 20]]
        result = lloyd(codes, start)
        assert result.modes.dtype == dtype
        # worked on as bytes
        assert lloyd(codes % 200, start % 200).modes.dtype == dtype
        assert as_lists(result) == plain_lloyd(codes.tolist(), start.tolist())


def test_modes_beyond_the_type_of_the_codes_equal_nothing():
    codes = np.array([[0, 0], [44, 1], [44, 2]], np.uint8)
    modes = np.array([[300, 300], [44, 300], [0, 0]])  # 300 is 44 modulo 256
    assert [found.tolist() for found in nearest_modes(codes, modes)] == [
        [2, 1, 1],
        [0, 1, 1],
    ]
    assert as_lists(lloyd(codes, modes)) == plain_lloyd(codes.tolist(), modes.tolist())


@given(problems, st.integers(0, 8), st.integers(1, 4), st.booleans())
@examples
def test_lloyd_is_the_plain_form(problem, max_iter, n_jobs, repeat_starts):
    """Labels, modes, all costs, and when it stops; with equal modes in the start
    clusters become empty.
    """
    rng, codes, start = drawn(problem)
    if repeat_starts:
        start = start[rng.integers(0, len(start), len(start))]
    before = codes.copy(), start.copy()
    result = lloyd(codes, start, max_iter=max_iter, n_jobs=n_jobs)
    assert as_lists(result) == plain_lloyd(
        codes.tolist(), start.tolist(), max_iter=max_iter
    )
    check_clustering(codes, result.labels, result.modes, result.cost)
    assert all(x >= y for x, y in zip(result.epoch_costs, result.epoch_costs[1:]))
    assert result.cost <= result.epoch_costs[-1]
    assert isinstance(result.cost, int)
    assert result.labels.dtype == np.int32
    assert (codes == before[0]).all()
    assert (start == before[1]).all()
    if result.converged:
        assert (result.labels == assign(codes, result.modes)[0]).all()


@given(
    st.integers(0, 2**32 - 1),
    st.integers(100, 400),
    st.integers(5, 12),
    st.floats(0.2, 0.7),
)
def test_pruned_passes_on_planted_data(seed, n, k, noise):
    "Long fits in which ever fewer modes change."
    rng = np.random.default_rng(seed)
    modes = table(rng, k, 8, 4)
    codes = modes[rng.integers(0, k, n)]
    codes[struck] = table(rng, n, 8, 4)[struck := rng.random(codes.shape) < noise]
    start = rng.permutation(np.unique(codes, axis=0))[:k]
    assert as_lists(lloyd(codes, start, n_jobs=2)) == plain_lloyd(
        codes.tolist(), start.tolist()
    )


@pytest.mark.parametrize(
    "n, m", [(1, 1), (3, 4), (600, 3), (257, 8), (300, 13), (1, 20)]
)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_rows_turned_by_words(n, m, dtype):
    codes = np.random.default_rng(0).integers(0, 256, (n, m)).astype(dtype) * (
        np.iinfo(dtype).max // 255
    )
    codes.flags.writeable = False
    assert np.array_equal(in_columns(codes, 3), codes)
    assert np.array_equal(
        in_columns(codes[:, 1:] if m > 1 else codes), codes[:, min(1, m - 1) :]
    )


@given(problems, st.booleans())
@examples
def test_weights_are_repetitions(problem, repeat_starts):
    rng, codes, start = drawn(problem)
    weights = rng.integers(0, 4, len(codes))
    for row in start:
        # so that the rows of the start are there
        weights[(codes == row).all(axis=1).argmax()] += 1
    if repeat_starts:
        start = start[rng.integers(0, len(start), len(start))]
    weighted = lloyd(codes, start, sample_weight=weights, n_jobs=3)
    repeated = lloyd(codes.repeat(weights, axis=0), start, n_jobs=1)
    assert weighted.labels.repeat(weights).tolist() == repeated.labels.tolist()
    assert weighted.modes.tolist() == repeated.modes.tolist()
    assert weighted[2:] == repeated[2:]
    # multiples of a power of two: floats that count exactly
    for factor in (0.5, 0.375):
        scaled = lloyd(codes, start, sample_weight=weights * factor)
        assert scaled.labels.tolist() == weighted.labels.tolist()
        assert scaled.epoch_costs == [cost * factor for cost in weighted.epoch_costs]


@given(problems)
@examples
def test_float_weights(problem):
    """Any floats: rounded to whole units of hardly any size, and exact from there, for
    any number of threads.
    """
    rng, codes, start = drawn(problem)
    n, m = codes.shape
    k = len(start)
    levels = problem[-1]
    weights = rng.integers(1, 20, n) / 10
    results = [
        lloyd(codes, start, sample_weight=weights, n_jobs=n_jobs)
        for n_jobs in (1, 2, 4)
    ]
    assert as_lists(results[0]) == as_lists(results[1]) == as_lists(results[2])
    whole, unit = in_whole_units(weights, m)
    assert (
        np.abs(whole * unit - weights).max()
        <= unit / 2
        <= weights.mean() * n * m / 2**61
    )
    for l in range(k):
        for j in range(m):
            own = results[0].labels == l
            counts = [
                sum(int(w) for w in whole[own & (codes[:, j] == c)])
                for c in range(levels)
            ]
            assert results[0].modes[l, j] == counts.index(max(counts))
    mismatches = (codes != results[0].modes[results[0].labels]).sum(axis=1)
    assert (
        results[0].cost
        == sum(w * d for w, d in zip(whole.tolist(), mismatches.tolist())) * unit
    )
    assert results[0].cost == pytest.approx(
        sum(Fraction(w) * d for w, d in zip(weights.tolist(), mismatches.tolist())),
        rel=1e-12,
    )


def holed_problem(seed, n, m, k, levels, share):
    """Codes in which the code `levels` is missing, once at least but not in a whole
    row, and complete rows to start from.
    """
    rng, m = np.random.default_rng(seed), m + 1
    codes = table(rng, n, m, levels)
    kept = rng.integers(0, m, n)
    codes[(rng.random(codes.shape) < share) & (np.arange(m) != kept[:, None])] = levels
    codes[0, kept[0] - 1] = levels
    return rng, codes, fill_missing(codes, [levels] * m)[rng.integers(0, n, min(n, k))]


def with_none(codes, hole):
    return [
        [None if value == hole else value for value in row] for row in codes.tolist()
    ]


@given(
    problems, st.sampled_from([0.1, 0.4, 0.8, 1]), st.integers(0, 8), st.integers(1, 4)
)
@examples
def test_missing_is_the_naive_form(problem, share, max_iter, n_jobs):
    "Labels, modes, all costs, and which clusters are dropped."
    levels, m = problem[-1], problem[2] + 1
    rng, codes, start = holed_problem(*problem, share)
    before = codes.copy(), start.copy()
    result = lloyd(
        codes, start, max_iter=max_iter, n_jobs=n_jobs, missing_codes=[levels] * m
    )
    assert as_lists(result) == plain_lloyd(
        with_none(codes, levels), start.tolist(), max_iter=max_iter
    )
    assert np.array_equal(np.unique(result.labels), np.arange(len(result.modes)))
    assert type(result.cost) is int
    assert (
        result.cost
        == ((codes != result.modes[result.labels]) & (codes != levels)).sum()
    )
    assert (np.diff(result.epoch_costs) <= 0).all()
    assert (codes == before[0]).all()
    assert (start == before[1]).all()
    if result.converged:
        labels = partial_distances(codes, result.modes, [levels] * m).argmin(axis=1)
        assert labels.tolist() == result.labels.tolist()


@given(problems, st.sampled_from([0.1, 0.4]))
@examples
def test_missing_with_weights_is_repetition(problem, share):
    (n, m), levels = (problem[1], problem[2] + 1), problem[-1]
    rng, codes, start = holed_problem(*problem, share)
    weights = rng.integers(0, 4, n)
    weights[0] += 1
    start = start[: (weights > 0).sum()]
    options = dict(missing_codes=[levels] * m)
    weighted = lloyd(codes, start, sample_weight=weights, n_jobs=3, **options)
    repeated = lloyd(codes.repeat(weights, axis=0), start, n_jobs=1, **options)
    assert weighted.labels.repeat(weights).tolist() == repeated.labels.tolist()
    assert weighted.modes.tolist() == repeated.modes.tolist()
    assert weighted[2:] == repeated[2:]
    assert 0 <= weighted.labels.min()
    assert weighted.labels.max() < len(weighted.modes)
    heavy = lloyd(
        codes,
        start,
        sample_weight=weights * int(2**60 // (weights.sum() * m)),
        **options,
    )
    assert heavy.labels.tolist() == weighted.labels.tolist()
    assert heavy.modes.tolist() == weighted.modes.tolist()
    floats = lloyd(codes, start, sample_weight=weights * 0.375, **options)
    assert floats.labels.tolist() == weighted.labels.tolist()
    assert floats.epoch_costs == [cost * 0.375 for cost in weighted.epoch_costs]


def test_clusters_are_dropped_at_once_and_the_rest_renumbered():
    codes = np.array([[0, 3, 0], [0, 0, 3], [1, 1, 3], [3, 1, 1]], np.uint8)
    start = np.array([[2, 2, 2], [0, 0, 0], [2, 2, 2], [1, 1, 1], [0, 0, 0]])
    for max_iter in (0, 1, 100):
        result = lloyd(
            codes[[0, 1, 2, 3, 3, 0]],
            start,
            max_iter=max_iter,
            sample_weight=[1, 2, 1, 1, 0, 3],
            missing_codes=[3] * 3,
        )
        assert result.labels.tolist() == [0, 0, 1, 1, 1, 0]
        assert result.modes.tolist() == [[0, 0, 0], [1, 1, 1]]
        assert result.cost == 0


@given(problems, st.integers(1, 90))
@examples
def test_distinct_rows(problem, width):
    seed, n, _, u, levels = problem
    rng = np.random.default_rng(seed)
    codes = table(rng, u, width, levels)[rng.integers(0, u, n)]
    distinct, weights, inverse = distinct_rows(codes)
    assert list(map(tuple, distinct.tolist())) == list(
        dict.fromkeys(map(tuple, codes.tolist()))
    )
    assert (distinct[inverse] == codes).all()
    assert weights.tolist() == np.bincount(inverse).tolist()
    given_weights = rng.integers(0, 9, n)
    assert distinct_rows(codes, given_weights)[1].tolist() == [
        int(given_weights[inverse == r].sum()) for r in range(len(distinct))
    ]
    start = distinct[:3]
    whole = lloyd(codes, start)
    collapsed = lloyd(distinct, start, sample_weight=weights)
    assert collapsed.labels[inverse].tolist() == whole.labels.tolist()
    assert collapsed.modes.tolist() == whole.modes.tolist()
    assert collapsed[2:] == whole[2:]


def test_equal_hashes_are_not_equal_rows(monkeypatch):
    monkeypatch.setattr(
        c, "_number_rows", lambda codes, levels, exact, numbers: numbers.fill(7)
    )
    codes = table(np.random.default_rng(0), 50, 70, 3)[
        np.random.default_rng(1).integers(0, 50, 200)
    ]
    distinct, _, inverse = distinct_rows(codes)
    assert (distinct[inverse] == codes).all()
    assert len(distinct) == len(np.unique(codes, axis=0))


def test_a_row_of_a_tiny_weight_beside_heavy_ones_still_counts():
    "In whole units of the sum its weight would be rounded to 0."
    codes = np.array([[0, 0], [0, 0], [1, 1]])
    found = lloyd(codes, codes[[0, 2]], sample_weight=[1e20, 1e20, 1e-20])
    assert found.labels.tolist() == [0, 0, 1]
    assert found.modes.tolist() == [[0, 0], [1, 1]]
