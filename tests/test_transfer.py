"""OTQT against its naive form and against brute force: exact changes, optima, weights, and invariances."""
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from kmodes_study.cluster import transfer
from kmodes_study.cluster.modes import assign, check_clustering, cost
from kmodes_study.cluster.gaps import fill_missing, partial_distances, partial_weights
from kmodes_study.cluster.transfer import otqt
from kmodes_study.codes import encode

FIRST = pytest.mark.parametrize("first_pass", ["follow", "assign"])


def random_case(rng, n_max=30, dtype=np.uint8):
    "Codes with between 1 and 5 levels, and initial modes, which are rows or not."
    n, m, levels = rng.randint(2, n_max), rng.randint(1, 8), rng.randint(1, 6)
    codes, k = rng.randint(levels, size=(n, m)).astype(dtype), rng.randint(1, n + 1)
    modes = codes[rng.randint(n, size=k)] if rng.randint(2) else rng.randint(levels + 1, size=(k, m)).astype(dtype)
    return codes, modes


def cases(n_max=30): return st.integers(0, 2**32 - 1).map(lambda seed: random_case(np.random.RandomState(seed), n_max))


def first_labels(codes, modes, first_pass):
    "Labels after the first pass by the naive form."
    return transfer._naive_first_pass(codes.tolist(), modes.tolist()) if first_pass == "follow" else assign(codes, modes)[0].tolist()


@FIRST
@settings(max_examples=60, deadline=None)
@given(case=cases(16))
def test_the_moves_of_the_naive_form(first_pass, case):
    codes, modes = case
    labels = first_labels(codes, modes, first_pass)
    if len(set(labels)) < len(modes):  # the repair of empty clusters has its own tests
        used, labels = np.unique(labels, return_inverse=True)
        modes = modes[used]
    expected, costs = transfer._naive_otqt(codes.tolist(), labels, len(modes))
    assume(first_labels(codes, modes, first_pass) == list(labels))  # without the unused guests a tie may fall otherwise
    result = otqt(codes, modes, first_pass=first_pass)
    assert result.labels.tolist() == [int(label) for label in expected]
    assert result.epoch_costs[0] == costs[0] and set(result.epoch_costs) == set(costs)


@FIRST
@settings(max_examples=60, deadline=None)
@given(case=cases())
def test_no_single_move_lowers_the_cost(first_pass, case):
    codes, modes = case
    result = otqt(codes, modes, first_pass=first_pass)
    check_clustering(codes, result.labels, result.modes, result.epoch_costs[-1])
    assert result.converged and result.n_iter == len(result.epoch_costs) - 1
    assert np.array_equal(np.unique(result.labels), np.arange(len(modes)))
    X, labels = codes.tolist(), result.labels.tolist()
    lowest = transfer._naive_objective(X, labels)
    assert lowest == result.epoch_costs[-1]
    for i in range(len(X)):
        for b in range(len(modes)): assert transfer._naive_objective(X, [*labels[:i], b, *labels[i + 1:]]) >= lowest
    own = (codes != result.modes[result.labels]).sum(axis=1)
    assert np.array_equal(own, assign(codes, result.modes)[1])


@FIRST
@settings(max_examples=300, deadline=None)
@given(case=cases(60))
def test_the_cost_is_never_above_that_of_the_start(first_pass, case):
    codes, modes = case
    again = otqt(codes, modes, first_pass=first_pass)
    for start in modes, again.modes:
        assert otqt(codes, start, first_pass=first_pass).epoch_costs[-1] <= assign(codes, start)[1].sum()


@settings(max_examples=60, deadline=None)
@given(case=cases(60))
def test_the_cost_falls_until_the_last_passes(case):
    costs = otqt(*case).epoch_costs
    assert all(type(value) is int for value in costs)
    falls = np.diff(costs) < 0
    assert (np.diff(costs) <= 0).all() and falls.sum() >= len(falls) - 2


@FIRST
@settings(max_examples=60, deadline=None)
@given(case=cases(), seed=st.integers(0, 1000))
def test_weights_are_repeated_rows(first_pass, case, seed):
    codes, modes = case
    w = np.random.RandomState(seed).randint(5, size=len(codes))
    w[np.random.RandomState(seed).permutation(len(codes))[:len(modes)]] += 1
    weighted = otqt(codes, modes, sample_weight=w, first_pass=first_pass)
    check = weighted.labels, weighted.modes
    assert cost(codes, *check, sample_weight=w) == weighted.epoch_costs[-1]
    repeated = otqt(np.repeat(codes, w, axis=0), modes, first_pass=first_pass)
    rows = np.unique(codes[w > 0], axis=0)
    if len(rows) >= len(modes):  # with fewer, copies of one row found clusters of their own, which a weighted row cannot
        assert np.array_equal(np.repeat(weighted.labels, w), repeated.labels)
        assert np.array_equal(weighted.modes, repeated.modes)
    floats = otqt(codes, modes, sample_weight=w.astype(float), first_pass=first_pass)
    assert np.array_equal(floats.labels, weighted.labels) and floats.epoch_costs == weighted.epoch_costs
    unweighted = assign(codes[w == 0], weighted.modes)[0] if (w == 0).any() else []
    assert np.array_equal(weighted.labels[w == 0], unweighted)


@settings(max_examples=40, deadline=None)
@given(case=cases(), seed=st.integers(0, 1000))
def test_the_names_of_categories_and_the_order_of_attributes_do_not_matter(case, seed):
    codes, modes = case
    rng, m, labels = np.random.RandomState(seed), codes.shape[1], otqt(*case).labels
    renamed = np.array([rng.permutation(9) for _ in range(m)], np.uint8)
    columns, order = np.arange(m), rng.permutation(m)
    assert np.array_equal(otqt(renamed[columns, codes], renamed[columns, modes]).labels, labels)
    assert np.array_equal(otqt(codes[:, order], modes[:, order]).labels, labels)
    assert np.array_equal(otqt(np.repeat(codes, 2, axis=1), np.repeat(modes, 2, axis=1)).labels, labels)


def holed_case(seed, n_max=16):
    "Codes in which the code `levels` is missing, each row with one value at least; complete modes; and that code."
    rng = np.random.RandomState(seed)
    n, m, levels = rng.randint(2, n_max), rng.randint(1, 6), rng.randint(1, 5)
    codes, k = rng.randint(levels, size=(n, m)).astype(np.uint8), rng.randint(1, n + 1)
    codes[(rng.random_sample((n, m)) < rng.choice([.1, .4, .9])) & (np.arange(m) != rng.randint(m, size=n)[:, None])] = levels
    modes = fill_missing(codes, [levels]*m)[rng.randint(n, size=k)] if rng.randint(2) else rng.randint(levels, size=(k, m)).astype(np.uint8)
    return codes, modes, levels


holed_cases = st.integers(0, 2**32 - 1).map(holed_case)


def with_none(codes, hole): return [[None if value == hole else value for value in row] for row in codes.tolist()]


@FIRST
@settings(max_examples=100, deadline=None)
@given(case=holed_cases)
def test_missing_values_and_the_best_of_all_moves(first_pass, case):
    codes, modes, hole = case
    m, before, X = codes.shape[1], codes.copy(), with_none(codes, hole)
    result = otqt(codes, modes, first_pass=first_pass, missing=[hole]*m)
    labels, lowest = result.labels.tolist(), result.epoch_costs[-1]
    assert result.converged and np.array_equal(np.unique(labels), np.arange(len(modes))) and (codes == before).all()
    assert lowest == transfer._naive_objective(X, labels) == ((codes != result.modes[labels]) & (codes != hole)).sum()
    assert all(type(value) is int for value in result.epoch_costs) and (np.diff(result.epoch_costs) <= 0).all()
    for i in range(len(X)):
        for b in range(len(modes)): assert transfer._naive_objective(X, [*labels[:i], b, *labels[i + 1:]]) >= lowest
    for l, mode in enumerate(result.modes):  # the most frequent value that is there, ties to the lowest, 0 where there is none
        for j, code in enumerate(mode):
            counts = np.bincount(codes[(result.labels == l) & (codes[:, j] != hole), j], minlength=1)
            assert code == counts.argmax()
    if (codes == hole).any():
        distances = partial_distances(codes, result.modes, [hole]*m)
        assert np.array_equal(distances[np.arange(len(codes)), labels], distances.min(axis=1))


@FIRST
@settings(max_examples=60, deadline=None)
@given(case=holed_cases)
def test_missing_values_and_the_moves_of_the_naive_form(first_pass, case):
    codes, modes, hole = case
    X = with_none(codes, hole)
    labels = transfer._naive_first_pass(X, modes.tolist()) if first_pass == "follow" else assign(codes, modes)[0].tolist()
    assume(len(set(labels)) == len(modes))
    expected, costs = transfer._naive_otqt(X, labels, len(modes))
    result = otqt(codes, modes, first_pass=first_pass, missing=[hole]*codes.shape[1])
    assert result.labels.tolist() == [int(label) for label in expected]
    assert result.epoch_costs[0] == costs[0] and set(result.epoch_costs) == set(costs)


@FIRST
@settings(max_examples=60, deadline=None)
@given(case=holed_cases, seed=st.integers(0, 1000))
def test_missing_values_and_weights(first_pass, case, seed):
    "Repeated rows, floats, the heaviest weights allowed, and those that rescale."
    codes, modes, hole = case
    m, rng = codes.shape[1], np.random.RandomState(seed)
    options = dict(first_pass=first_pass, missing=[hole]*m)
    w = rng.randint(5, size=len(codes))
    w[rng.permutation(len(codes))[:len(modes)]] += 1
    weighted = otqt(codes, modes, sample_weight=w, **options)
    if len(np.unique(codes[w > 0], axis=0)) >= len(modes):
        repeated = otqt(np.repeat(codes, w, axis=0), modes, **options)
        assert np.array_equal(np.repeat(weighted.labels, w), repeated.labels)
        assert np.array_equal(weighted.modes, repeated.modes)
    for other in (w.astype(float), w*int((2**60 - 1)//(w.sum()*m))):
        same = otqt(codes, modes, sample_weight=other, **options)
        assert np.array_equal(same.labels, weighted.labels) and np.array_equal(same.modes, weighted.modes)
    weights, unit = partial_weights(codes, [hole]*m, w)
    result = otqt(codes, modes, sample_weight=weights, **options)
    distances = partial_distances(codes, result.modes, [hole]*m)[np.arange(len(codes)), result.labels]
    assert result.epoch_costs[-1]*unit == pytest.approx((w*distances).sum(), rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(case=holed_cases, seed=st.integers(0, 1000))
def test_any_code_may_stand_for_missing(case, seed):
    codes, modes, hole = case
    holes = np.random.RandomState(seed).randint(hole + 1, size=codes.shape[1])
    moved = lambda table: (table + ((table >= holes) & (table < hole))).astype(np.uint8)
    one = otqt(codes, modes, missing=[hole]*len(holes))
    assume((codes == hole).any())
    other = otqt(np.where(codes == hole, holes, moved(codes)).astype(np.uint8), moved(modes), missing=holes)
    assert np.array_equal(other.labels, one.labels) and np.array_equal(other.modes, moved(one.modes)) and other.epoch_costs == one.epoch_costs


@settings(max_examples=40, deadline=None)
@given(case=cases())
def test_missing_codes_that_never_occur(case):
    codes, modes = case
    for hole in (int(max(codes.max(), modes.max())) + 1, 300):
        one, other = otqt(codes, modes), otqt(codes, modes, missing=[hole]*codes.shape[1])
        assert np.array_equal(one.labels, other.labels) and np.array_equal(one.modes, other.modes) and one[2:] == other[2:]


def test_an_empty_cluster_goes_to_the_row_farthest_in_what_it_has():
    "One mismatch of two values is farther than one of four, and than the first of those."
    codes = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 2, 2]], np.uint8)
    labels, holes = np.zeros(5, np.int32), np.full(4, 2)
    tables = transfer._tables_of(codes, labels, np.full(5, 2), np.full(4, 3), 2, holes)
    founders = transfer._founders(tables, codes, labels, np.empty(5, np.int64), np.array([4, 4, 4, 4, 2]))
    assert founders.tolist() == [False]*4 + [True]


@pytest.mark.parametrize("m", [126, 127, 128, 129, 255, 256, 300])
def test_many_attributes(m):
    "Around each width of the sums; rows opposite to each other in all attributes reach the largest sum."
    rng = np.random.RandomState(m)
    codes = np.repeat(np.arange(12)[:, None]%3, m, axis=1).astype(np.uint8)
    codes[5:, :m//3] = rng.randint(3, size=(7, m//3))
    modes = codes[:3]
    result = otqt(codes, modes)
    labels = transfer._naive_first_pass(codes.tolist(), modes.tolist())
    assert len(set(labels)) == 3
    assert result.labels.tolist() == transfer._naive_otqt(codes.tolist(), labels, 3)[0]


@pytest.mark.parametrize("k", [7, 8, 9, 16, 17, 64, 65, 256, 257, 300])
def test_many_clusters(k):
    rng = np.random.RandomState(k)
    codes = np.unique(rng.randint(4, size=(k + 60, 8)), axis=0).astype(np.uint8)
    result = otqt(codes, codes[rng.permutation(len(codes))[:k]])
    check_clustering(codes, result.labels, result.modes, result.epoch_costs[-1])
    assert result.converged and set(result.labels.tolist()) == set(range(k))
    tables = transfer._tables_of(codes, result.labels, np.ones(len(codes), np.int64), np.full(8, 4), k)
    savings = np.empty(len(codes), np.int64)
    transfer._savings(tables, codes, result.labels, savings)
    top = [np.maximum.reduceat(row, tables.offsets[:-1]) for row in tables.counts]
    for i, x in enumerate(codes):
        expense = [(tables.counts[l][tables.offsets[:-1] + x] < top[l]).sum() for l in range(k) if l != result.labels[i]]
        assert min(expense) >= savings[i]


@pytest.mark.parametrize("dtype, shift", [(np.uint16, 300), (np.uint32, 70000)])
def test_wide_codes(dtype, shift):
    rng = np.random.RandomState(0)
    codes = rng.randint(4, size=(40, 3)).astype(np.uint8)
    wide = codes.astype(dtype)
    wide[:, 1] *= shift//3 + 1
    narrow, result = otqt(codes, codes[:5]), otqt(wide, wide[:5])
    assert result.modes.dtype == dtype and np.array_equal(result.labels, narrow.labels)
    assert result.epoch_costs == narrow.epoch_costs


def test_degenerate():
    row = np.zeros((1, 1), np.uint8)
    assert otqt(row, row) == (0, 0, [0, 0], 1, True)
    same = np.zeros((5, 2), np.uint8)
    for k in range(1, 6):
        result = otqt(same, same[:k])
        assert result.epoch_costs[-1] == 0 and set(result.labels.tolist()) == set(range(k))
    distinct = np.arange(6, dtype=np.uint8)[:, None]
    assert otqt(distinct, distinct).labels.tolist() == list(range(6))
    assert sorted(otqt(distinct, distinct[[0]*6]).labels.tolist()) == list(range(6))


def test_max_iter_and_what_is_returned_then():
    rng = np.random.RandomState(3)
    codes = rng.randint(3, size=(400, 6)).astype(np.uint8)
    short, full = (otqt(codes, codes[:12], max_iter, first_pass="assign") for max_iter in (1, 100))
    assert not short.converged and short.n_iter == 1 and full.converged and full.n_iter > 1
    assert short.epoch_costs == full.epoch_costs[:2]
    check_clustering(codes, short.labels, short.modes, short.epoch_costs[-1])


def test_float_weights():
    rng = np.random.RandomState(5)
    codes, u = rng.randint(3, size=(200, 5)).astype(np.uint8), rng.random_sample(200)
    result = otqt(codes, codes[:7], sample_weight=u)
    assert result.converged and (np.diff(result.epoch_costs) <= 0).all()
    assert result.epoch_costs[-1] == pytest.approx(cost(codes, result.labels, result.modes, sample_weight=u), rel=1e-13)
    for factor in (2.0**-900, 2.0**-40, 2.0**80, 2.0**900):
        assert np.array_equal(otqt(codes, codes[:7], sample_weight=u*factor).labels, result.labels)
    with pytest.raises(ValueError, match="finite sum"): otqt(codes, codes[:7], sample_weight=np.full(200, 1e308))
    with pytest.raises(ValueError, match="got 0 for 7"): otqt(codes, codes[:7], sample_weight=np.zeros(200))


def test_arguments_are_left_alone_and_threads_agree():
    rng = np.random.RandomState(6)
    codes = rng.randint(4, size=(500, 6)).astype(np.uint8)
    codes.setflags(write=False)
    starts = [codes[rng.choice(500, 9)] for _ in range(8)]
    for start in starts: start.setflags(write=False)
    alone = [otqt(codes, start) for start in starts]
    with ThreadPoolExecutor(4) as pool: together = list(pool.map(lambda start: otqt(codes, start), starts))
    for a, b in zip(alone, together, strict=True): assert np.array_equal(a.labels, b.labels) and a.epoch_costs == b.epoch_costs


def test_soybean_small_as_dorman_and_maitra_report(load_or_skip):
    "Their 1000 random starts at K = 4: best cost 199, mean 208.119 where modes follow in the first pass."
    codes = encode(load_or_skip("soybean-small").data)[0]
    starts = 20 if numba.config.DISABLE_JIT else 1000
    picks = [codes[np.random.RandomState(seed).choice(47, 4, replace=False)] for seed in range(starts)]
    costs = np.array([otqt(codes, start).epoch_costs[-1] for start in picks])
    assert costs.min() == 199
    assert abs(costs.mean() - 208.119) < 3*costs.std()*np.sqrt(1/starts + 1/1000)
