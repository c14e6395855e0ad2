"Batch k-modes: every kernel against its naive form, exactly, for all widths of codes, counters and labels, and for any number of threads."
from fractions import Fraction

import numba
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study.cluster import batch as b
from kmodes_study.cluster.modes import assign, check_clustering
from kmodes_study.cluster.gaps import fill_missing, partial_distances, partial_weights

examples = settings(max_examples=120, deadline=None)
JIT = not numba.config.DISABLE_JIT
R = 64*b._WORDS  # rows of a block of planes


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    "Blocks of 16 rows and a thread for every 32, so that small tables have many of both, and a last block that is not full."
    shares = b._shares
    monkeypatch.setattr(b, "_BLOCK", 16)
    monkeypatch.setattr(b, "_shares", lambda n_jobs, n: shares(n_jobs, n, 32))


def table(rng, n, m, levels, dtype=np.uint8):
    return rng.integers(0, levels, (n, m)).astype(dtype)


def start_of(rng, codes, k):
    "k different rows, or None where there are fewer."
    rows = np.unique(codes, axis=0)
    return rng.permutation(rows)[:k] if len(rows) >= k else None


def as_lists(result):
    return result.labels.tolist(), result.modes.tolist(), result.epoch_costs, result.converged


problems = st.tuples(st.integers(0, 2**32 - 1), st.integers(1, 70), st.integers(1, 7), st.integers(1, 11), st.integers(1, 6))


@given(problems, st.sampled_from([np.uint8, np.uint16, np.uint32, np.int64]), st.sampled_from("CF"), st.integers(1, 4))
@examples
def test_assign_fast_is_the_formula(problem, dtype, order, n_jobs):
    seed, n, m, k, levels = problem
    rng = np.random.default_rng(seed)
    codes, modes = table(rng, n, m, levels, dtype), table(rng, k, m, levels, dtype)
    labels, distances = b.assign_fast(np.asarray(codes, order=order), modes, n_jobs)
    assert labels.dtype == distances.dtype == np.int32
    assert (labels.tolist(), distances.tolist()) == b._naive_nearest(codes.tolist(), modes.tolist())


def nearest_by_numpy(codes, modes):
    distances = np.stack([(codes != mode).sum(axis=1) for mode in modes])
    return distances.argmin(axis=0), distances.min(axis=0)


def in_planes(codes, modes, first=0):
    "Labels and distances found by planes, -1 where none were written, and the first row that was not done."
    labels, distances = np.full((2, len(codes)), -1, np.int32)
    done = b._assign_by_bits(b.in_columns(codes).T, modes, first, len(codes), labels, distances)
    assert (labels[:first] == -1).all() and (labels[done:] == -1).all() and (distances[done:] == -1).all()
    expected = nearest_by_numpy(codes, modes)
    assert (labels[first:done] == expected[0][first:done]).all() and (distances[first:done] == expected[1][first:done]).all()
    return done


@given(problems)
@examples
def test_naive_bits_are_the_formula(problem):
    seed, n, m, k, levels = problem
    rng = np.random.default_rng(seed)
    codes, modes = table(rng, n, m, levels).tolist(), table(rng, k, m, levels).tolist()
    assert b._naive_by_bits(codes, modes) == b._naive_nearest(codes, modes)


@pytest.mark.parametrize("m", range(1, 71) if JIT else [3, 21])
def test_by_bits_or_by_bytes(m, monkeypatch):
    "The public function on tables that end within a block, of few levels and many; planes are tried where they should be."
    rng, by_bits, tried = np.random.default_rng(m), b._assign_by_bits, []
    monkeypatch.setattr(b, "_BITS_FROM", R)
    monkeypatch.setattr(b, "_assign_by_bits", lambda *args: tried.append(by_bits(*args)) or tried[-1])
    for k in rng.choice(range(1, 41), 6, replace=False).tolist() if JIT else [9]:
        n, levels = int(rng.integers(R, 3*R if JIT else R + 20)), rng.integers(1, 41 if JIT else 17, m)
        if rng.random() < .7: levels = levels % 16 + 1
        codes, modes = (np.asfortranarray(rng.integers(0, levels, (rows, m)).astype(np.uint8)) for rows in (n, k))
        tried.clear()
        labels, distances = b.assign_fast(codes, modes, 1 + k % 2)
        expected = nearest_by_numpy(codes, modes)
        assert labels.dtype == distances.dtype == np.int32
        assert (labels == expected[0]).all() and (distances == expected[1]).all()
        assert bool(tried) == (m < 32 and 8 <= k <= 32)
        if tried and levels.max() <= 16 and k % 2 == 0: assert tried == [n//R*R]


@pytest.mark.parametrize("m, k, levels", [(1, 1, 1), (1, 2, 2), (7, 5, 3), (8, 32, 16), (14, 3, 5), (31, 32, 16)])
def test_planes_of_every_size(m, k, levels):
    "From a first row that is no multiple of eight, too."
    rng = np.random.default_rng(0)
    codes, modes = table(rng, 2*R + 9 if JIT else R + 9, m, levels), table(rng, k, m, levels)
    codes.flags.writeable = False
    assert in_planes(codes, modes) == len(codes) - 9
    assert in_planes(codes, modes, first=5) == len(codes) - 4


def test_planes_count_and_name_up_to_31():
    "All attributes differ from all modes; one mode is matched exactly, the last; all modes are equal."
    codes, modes = np.zeros((R, 31), np.uint8), np.repeat(np.arange(1, 9, dtype=np.uint8), 4)[:, None]*np.ones(31, np.uint8)
    assert in_planes(codes, modes) == R  # labels 0, distances 31
    modes[31] = 0
    assert in_planes(codes, modes) == R
    assert in_planes(codes, modes[[3]*32]) == R


def test_codes_that_come_late():
    "Every code that needs one more plane is met by it; one of 16 or more ends the pass, in a row or in a mode."
    rng, blocks = np.random.default_rng(0), 8 if JIT else 2  # of R rows, before a last one
    codes, modes = table(rng, (blocks + 1)*R + 1, 5, 2), table(rng, 8, 5, 2)
    for block, column, code in ((1, 0, 2), (1, 4, 15), (4, 0, 9), (5, 2, 4), (5, 3, 3)): codes[min(block, blocks)*R + code, column] = code
    assert in_planes(codes, modes) == (blocks + 1)*R
    for code in (16, 64, 255) if JIT else (16,):
        codes[blocks*R + 700, 1] = code
        assert in_planes(codes, modes) == blocks*R
    modes[5, 2] = 16
    assert in_planes(codes, modes) == 0


@pytest.mark.parametrize("case", ["wide modes", "wide codes", "few rows", "few modes", "many modes", "many attributes"])
def test_planes_do_not_pay(case):
    n, k, m = b._BITS_FROM, 8, 31
    assert b._bits_pay(np.zeros((n, m), np.uint8), np.zeros((k, m), np.uint8))
    n, k, m = n - (case == "few rows"), {"few modes": 7, "many modes": 33}.get(case, k), m + (case == "many attributes")
    assert not b._bits_pay(np.zeros((n, m), np.uint16 if case == "wide codes" else np.uint8), np.zeros((k, m), np.uint16 if case == "wide modes" else np.uint8))


@pytest.mark.parametrize("m", [1, 2, 254, 255, 256, 257, 511])
def test_counters_hold_all_attributes(m):
    "All mismatches, one match, and one mode exactly, at the widths where a byte is full."
    codes = np.vstack([np.zeros((3, m)), np.ones((2, m))]).astype(np.uint8)
    codes[1, 0], codes[2, -1] = 1, 2
    modes = np.array([[3]*m, [2]*m, [1]*m, [4]*m, [5]*m], np.uint8)
    found, expected = b.assign_fast(codes, modes, 1), b._naive_nearest(codes.tolist(), modes.tolist())
    assert tuple(map(np.ndarray.tolist, found)) == expected


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 8, 255, 256, 257, 300])
def test_labels_hold_all_clusters(k):
    codes = np.stack([np.arange(k) % 20, np.arange(k)//20], axis=1).astype(np.uint8)
    labels, distances = b.assign_fast(codes, codes)
    assert labels.tolist() == list(range(k)) and not distances.any()
    result = b.lloyd_fast(codes, codes)
    assert result.labels.tolist() == list(range(k)) and result.cost == 0


def test_codes_beyond_a_byte():
    rng = np.random.default_rng(0)
    for levels, dtype in ((300, np.uint16), (70_000, np.uint32)):
        codes = rng.integers(0, 3, (80, 4)).astype(dtype)*(levels//2 - 1)
        codes[0, 0] = levels - 1
        start = np.unique(codes, axis=0)[[1, 5, 9, 11, 20]]
        result = b.lloyd_fast(codes, start)
        assert result.modes.dtype == dtype
        assert b.lloyd_fast(codes % 200, start % 200).modes.dtype == dtype  # worked on as bytes
        assert as_lists(result) == b._naive_batch(codes.tolist(), start.tolist())


def test_modes_beyond_the_type_of_the_codes_equal_nothing():
    codes = np.array([[0, 0], [44, 1], [44, 2]], np.uint8)
    modes = np.array([[300, 300], [44, 300], [0, 0]])  # 300 is 44 modulo 256
    assert [found.tolist() for found in b.assign_fast(codes, modes)] == [[2, 1, 1], [0, 1, 1]]
    assert as_lists(b.lloyd_fast(codes, modes)) == b._naive_batch(codes.tolist(), modes.tolist())


@given(problems, st.integers(0, 8), st.integers(1, 4), st.booleans())
@examples
def test_lloyd_fast_is_the_naive_form(problem, max_iter, n_jobs, repeat_starts):
    "Labels, modes, all costs, and when it stops; with equal modes in the start clusters become empty."
    seed, n, m, k, levels = problem
    rng = np.random.default_rng(seed)
    codes = table(rng, n, m, levels)
    start = start_of(rng, codes, k)
    if start is None: return
    if repeat_starts: start = start[rng.integers(0, k, k)]
    before = codes.copy(), start.copy()
    result = b.lloyd_fast(codes, start, max_iter, n_jobs=n_jobs)
    assert as_lists(result) == b._naive_batch(codes.tolist(), start.tolist(), max_iter)
    check_clustering(codes, result.labels, result.modes, result.cost)
    assert all(x >= y for x, y in zip(result.epoch_costs, result.epoch_costs[1:])) and result.cost <= result.epoch_costs[-1]
    assert result.n_iter == len(result.epoch_costs) - 1 <= max(1, max_iter)
    assert isinstance(result.cost, int) and result.labels.dtype == np.int32
    assert (codes == before[0]).all() and (start == before[1]).all()
    if result.converged: assert (result.labels == assign(codes, result.modes)[0]).all()


@given(st.integers(0, 2**32 - 1), st.integers(100, 400), st.integers(5, 12), st.floats(0.2, 0.7))
@settings(max_examples=40, deadline=None)
def test_pruned_passes_on_planted_data(seed, n, k, noise):
    "Long fits in which ever fewer modes change."
    rng = np.random.default_rng(seed)
    modes = table(rng, k, 8, 4)
    codes = modes[rng.integers(0, k, n)]
    codes[struck] = table(rng, n, 8, 4)[struck := rng.random(codes.shape) < noise]
    start = start_of(rng, codes, k)
    if start is not None: assert as_lists(b.lloyd_fast(codes, start, n_jobs=2)) == b._naive_batch(codes.tolist(), start.tolist())


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("levels, paired", [((2, 3, 2, 2, 4), 2), ((2, 70, 300, 2, 2, 2), 1), ((4, 1), 1), ((5,), 0), ((2, 2, 3, 9, 8, 8, 2), 1)])
def test_counts_in_pairs(levels, paired, n_jobs):
    "Attributes counted together and apart, an odd one left over, codes of two bytes, missing values among them."
    rng, m = np.random.default_rng(0), len(levels)
    codes = np.stack([rng.integers(0, v, 900) for v in levels], axis=1).astype(np.min_scalar_type(max(levels)))
    assert np.count_nonzero(np.diff(b._pair_bounds(np.append(0, np.cumsum(levels)), 3, 300))) == paired
    start = start_of(rng, codes, 3)
    assert as_lists(b.lloyd_fast(codes, start, n_jobs=n_jobs)) == b._naive_batch(codes.tolist(), start.tolist())
    holes = [v - 1 if v > 1 else 9 for v in levels]
    codes = codes[(codes != holes).any(axis=1)]
    start = start_of(rng, codes[(codes != holes).all(axis=1)], 3)
    X = [[None if value == hole else value for value, hole in zip(row, holes)] for row in codes.tolist()]
    assert as_lists(b.lloyd_fast(codes, start, n_jobs=n_jobs, missing=holes)) == b._naive_batch(X, start.tolist())


@pytest.mark.parametrize("n, m", [(1, 1), (3, 4), (600, 3), (257, 8), (300, 13), (1, 20)])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_rows_turned_by_words(n, m, dtype):
    codes = np.random.default_rng(0).integers(0, 256, (n, m)).astype(dtype)*(np.iinfo(dtype).max//255)
    codes.flags.writeable = False
    assert np.array_equal(b.in_columns(codes, 3), codes) and np.array_equal(b.in_columns(codes[:, 1:] if m > 1 else codes), codes[:, min(1, m - 1):])


def test_a_pass_that_compares_a_block_again(monkeypatch):
    "One cluster holds most rows and its mode leaves them: few modes changed, but most rows are open."
    kinds, gather = set(), b._gather_open
    gather = getattr(gather, "py_func", gather)
    def spy(columns, first, last, *rest):
        n_open = gather(columns, first, last, *rest)
        kinds.add("none" if n_open == 0 else "block" if 4*n_open > last - first else "gathered")
        return n_open
    for name in ("_pass", "_first_pass", "_nearest", "_count_one", "_count_four", "_keep_one", "_keep_four", "_enter", "_move", "_mark_changed", "_decide", "_put_back"):
        monkeypatch.setattr(b, name, getattr(getattr(b, name), "py_func", getattr(b, name)))
    monkeypatch.setattr(b, "_gather_open", spy)
    rng = np.random.default_rng(0)
    for _ in range(30):
        k = 7
        codes = rng.permutation(np.vstack([table(rng, 60, 5, 3), rng.permutation(table(rng, 8, 5, 6)).repeat(3, axis=0)]))
        start = start_of(rng, codes, k)
        assert as_lists(b.lloyd_fast(codes, start, n_jobs=1)) == b._naive_batch(codes.tolist(), start.tolist())
    assert kinds == {"none", "block", "gathered"}


@given(problems, st.booleans())
@examples
def test_weights_are_repetitions(problem, repeat_starts):
    seed, n, m, k, levels = problem
    rng = np.random.default_rng(seed)
    codes, weights = table(rng, n, m, levels), rng.integers(0, 4, n)
    start = start_of(rng, codes[weights > 0], k) if weights.any() else None
    if start is None: return
    if repeat_starts: start = start[rng.integers(0, k, k)]
    weighted = b.lloyd_fast(codes, start, sample_weight=weights, n_jobs=3)
    repeated = b.lloyd_fast(codes.repeat(weights, axis=0), start, n_jobs=1)
    assert weighted.labels.repeat(weights).tolist() == repeated.labels.tolist()
    assert weighted.modes.tolist() == repeated.modes.tolist() and weighted[2:] == repeated[2:]
    for factor in (0.5, 0.375):  # multiples of a power of two: floats that count exactly
        scaled = b.lloyd_fast(codes, start, sample_weight=weights*factor)
        assert scaled.labels.tolist() == weighted.labels.tolist() and scaled.epoch_costs == [cost*factor for cost in weighted.epoch_costs]


@given(problems)
@examples
def test_float_weights(problem):
    "Any floats: rounded to whole units of hardly any size, and exact from there, for any number of threads."
    seed, n, m, k, levels = problem
    rng = np.random.default_rng(seed)
    codes, weights = table(rng, n, m, levels), rng.integers(1, 20, n)/10
    start = start_of(rng, codes, k)
    if start is None: return
    results = [b.lloyd_fast(codes, start, sample_weight=weights, n_jobs=n_jobs) for n_jobs in (1, 2, 4)]
    assert as_lists(results[0]) == as_lists(results[1]) == as_lists(results[2])
    whole, unit = b._whole_weights(weights, n, m)
    assert np.abs(whole*unit - weights).max() <= unit/2 <= weights.mean()*n*m/2**61
    for l in range(k):
        for j in range(m):
            own = results[0].labels == l
            counts = [sum(int(w) for w in whole[own & (codes[:, j] == c)]) for c in range(levels)]
            assert results[0].modes[l, j] == counts.index(max(counts))
    mismatches = (codes != results[0].modes[results[0].labels]).sum(axis=1)
    assert results[0].cost == sum(w*d for w, d in zip(whole.tolist(), mismatches.tolist()))*unit
    assert results[0].cost == pytest.approx(sum(Fraction(w)*d for w, d in zip(weights.tolist(), mismatches.tolist())), rel=1e-12)


def holed_problem(seed, n, m, k, levels, share):
    "Codes in which the code `levels` is missing, every row with one value at least, and complete rows to start from."
    rng = np.random.default_rng(seed)
    codes = table(rng, n, m, levels)
    codes[(rng.random(codes.shape) < share) & (np.arange(m) != rng.integers(0, m, n)[:, None])] = levels
    return rng, codes, fill_missing(codes, [levels]*m)[rng.integers(0, n, min(n, k))]


def with_none(codes, hole):
    return [[None if value == hole else value for value in row] for row in codes.tolist()]


@given(problems, st.sampled_from([.1, .4, .8, 1]), st.integers(0, 8), st.integers(1, 4))
@examples
def test_missing_is_the_naive_form(problem, share, max_iter, n_jobs):
    "Labels, modes, all costs, and which clusters are dropped."
    seed, n, m, k, levels = problem
    rng, codes, start = holed_problem(*problem, share)
    if not (codes == levels).any(): return
    before = codes.copy(), start.copy()
    result = b.lloyd_fast(codes, start, max_iter, n_jobs=n_jobs, missing=[levels]*m)
    assert as_lists(result) == b._naive_batch(with_none(codes, levels), start.tolist(), max_iter)
    assert np.array_equal(np.unique(result.labels), np.arange(len(result.modes)))
    assert type(result.cost) is int and result.cost == ((codes != result.modes[result.labels]) & (codes != levels)).sum()
    assert (np.diff(result.epoch_costs) <= 0).all()
    assert (codes == before[0]).all() and (start == before[1]).all()
    if result.converged:
        labels = partial_distances(codes, result.modes, [levels]*m).argmin(axis=1)
        assert labels.tolist() == result.labels.tolist()


@given(problems, st.sampled_from([.1, .4]))
@examples
def test_missing_with_weights_is_repetition(problem, share):
    seed, n, m, k, levels = problem
    rng, codes, start = holed_problem(*problem, share)
    weights = rng.integers(0, 4, n)
    if not (codes[weights > 0] == levels).any() or weights.sum() < len(start): return
    options = dict(missing=[levels]*m)
    weighted = b.lloyd_fast(codes, start, sample_weight=weights, n_jobs=3, **options)
    repeated = b.lloyd_fast(codes.repeat(weights, axis=0), start, n_jobs=1, **options)
    assert weighted.labels.repeat(weights).tolist() == repeated.labels.tolist()
    assert weighted.modes.tolist() == repeated.modes.tolist() and weighted[2:] == repeated[2:]
    assert 0 <= weighted.labels.min() and weighted.labels.max() < len(weighted.modes)
    heavy = b.lloyd_fast(codes, start, sample_weight=weights*int(2**60//(weights.sum()*m)), **options)
    assert heavy.labels.tolist() == weighted.labels.tolist() and heavy.modes.tolist() == weighted.modes.tolist()
    floats = b.lloyd_fast(codes, start, sample_weight=weights*.375, **options)
    assert floats.labels.tolist() == weighted.labels.tolist() and floats.epoch_costs == [cost*.375 for cost in weighted.epoch_costs]


@given(problems)
@examples
def test_partial_weights_make_the_cost_a_sum_of_dissimilarities(problem):
    seed, n, m, k, levels = problem
    _, codes, start = holed_problem(*problem, .3)
    if not (codes == levels).any(): return
    weights, unit = partial_weights(codes, [levels]*m)
    result = b.lloyd_fast(codes, start, sample_weight=weights, missing=[levels]*m)
    distances = partial_distances(codes, result.modes, [levels]*m)[np.arange(n), result.labels]
    assert result.cost*unit == pytest.approx(distances.sum(), rel=1e-12)
    for l, mode in enumerate(result.modes):  # each mode is the heaviest observed code, the lowest on ties
        for j in range(m):
            totals = [int(weights[(result.labels == l) & (codes[:, j] == c)].sum()) for c in range(levels)]
            assert mode[j] == totals.index(max(totals))


@given(problems)
@examples
def test_any_code_may_stand_for_missing(problem):
    "A code below others as well, and another one in each column."
    seed, n, m, k, levels = problem
    rng, codes, start = holed_problem(*problem, .3)
    if not (codes == levels).any(): return
    holes = rng.integers(0, levels + 1, m)
    moved = lambda table: (table + ((table >= holes) & (table < levels))).astype(np.uint8)
    one = b.lloyd_fast(codes, start, missing=[levels]*m)
    other = b.lloyd_fast(np.where(codes == levels, holes, moved(codes)).astype(np.uint8), moved(start), missing=holes)
    assert other.labels.tolist() == one.labels.tolist() and other[2:] == one[2:]
    assert other.modes.tolist() == moved(one.modes).tolist()


@given(problems)
@examples
def test_missing_codes_that_never_occur(problem):
    seed, n, m, k, levels = problem
    rng = np.random.default_rng(seed)
    codes = table(rng, n, m, levels)
    start = start_of(rng, codes, k)
    if start is None: return
    for hole in (levels, 300): assert as_lists(b.lloyd_fast(codes, start, missing=[hole]*m)) == as_lists(b.lloyd_fast(codes, start))


def test_a_column_without_values_has_some_mode_and_no_say():
    codes = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 0], [0, 1, 0]], np.uint8)
    result = b.lloyd_fast(codes, np.array([[1, 0, 1], [2, 1, 0]]), missing=[0, 9, 9])
    assert result.labels.tolist() == [0, 0, 1, 1] and result.modes.tolist() == [[1, 0, 1], [1, 1, 0]] and result.cost == 0


def test_clusters_are_dropped_at_once_and_the_rest_renumbered():
    codes = np.array([[0, 3, 0], [0, 0, 3], [1, 1, 3], [3, 1, 1]], np.uint8)
    start = np.array([[2, 2, 2], [0, 0, 0], [2, 2, 2], [1, 1, 1], [0, 0, 0]])
    for max_iter in (0, 1, 100):
        result = b.lloyd_fast(codes[[0, 1, 2, 3, 3]], start, max_iter, sample_weight=[1, 2, 1, 1, 0], missing=[3]*3)
        assert result.labels.tolist() == [0, 0, 1, 1, 1] and result.modes.tolist() == [[0, 0, 0], [1, 1, 1]] and result.cost == 0


@pytest.mark.parametrize("dtype, order", [(np.uint8, "C"), (np.uint8, "F"), (np.uint16, "F"), (np.uint32, "C"), (np.int64, "C"), (bool, "F")])
def test_input_of_any_layout(dtype, order):
    rng = np.random.default_rng(1)
    codes = np.asarray(table(rng, 50, 4, 2, dtype), order=order)
    codes.flags.writeable = False
    turned = b.in_columns(codes)
    assert turned.T.flags.c_contiguous and (turned == codes).all() and turned.dtype.kind == "u"
    assert np.shares_memory(turned, codes) == (order == "F" and dtype in (np.uint8, np.uint16))
    start = np.unique(codes, axis=0)[:3]
    assert as_lists(b.lloyd_fast(codes, start)) == b._naive_batch(codes.astype(int).tolist(), start.astype(int).tolist())
    assert as_lists(b.lloyd_fast(codes[::2, ::-1], start)) == b._naive_batch(codes[::2, ::-1].astype(int).tolist(), start.astype(int).tolist())


def test_relabelling_of_the_clusters():
    "With the modes in another order the same clusters are found, but for ties: distinct distances here."
    codes = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [2, 2, 2, 2], [2, 2, 2, 3], [4, 4, 4, 4]], np.uint8)
    one, other = b.lloyd_fast(codes, codes[[0, 2, 4]]), b.lloyd_fast(codes, codes[[4, 0, 2]])
    assert other.labels.tolist() == [(l + 1) % 3 for l in one.labels] and one.cost == other.cost


@given(problems, st.integers(1, 90))
@examples
def test_collapse_duplicates(problem, width):
    seed, n, _, u, levels = problem
    rng = np.random.default_rng(seed)
    codes = table(rng, u, width, levels)[rng.integers(0, u, n)]
    distinct, weights, inverse = b.collapse_duplicates(codes)
    assert list(map(tuple, distinct.tolist())) == list(dict.fromkeys(map(tuple, codes.tolist())))
    assert (distinct[inverse] == codes).all() and weights.tolist() == np.bincount(inverse).tolist()
    given_weights = rng.integers(0, 9, n)
    assert b.collapse_duplicates(codes, given_weights)[1].tolist() == [int(given_weights[inverse == r].sum()) for r in range(len(distinct))]
    start = start_of(rng, codes, min(3, len(distinct)))
    whole, collapsed = b.lloyd_fast(codes, start), b.lloyd_fast(distinct, start, sample_weight=weights)
    assert collapsed.labels[inverse].tolist() == whole.labels.tolist() and collapsed.modes.tolist() == whole.modes.tolist()
    assert collapsed[2:] == whole[2:]


def test_equal_hashes_are_not_equal_rows(monkeypatch):
    monkeypatch.setattr(b, "_number_rows", lambda codes, levels, exact, numbers: numbers.fill(7))
    codes = table(np.random.default_rng(0), 50, 70, 3)[np.random.default_rng(1).integers(0, 50, 200)]
    distinct, _, inverse = b.collapse_duplicates(codes)
    assert (distinct[inverse] == codes).all() and len(distinct) == len(np.unique(codes, axis=0))


def test_when_collapsing_pays():
    rng = np.random.default_rng(0)
    assert b.duplicates_pay(np.zeros((3, 2), np.uint8)) and not b.duplicates_pay(np.zeros((1, 1), np.uint8))
    assert not b.duplicates_pay(np.arange(100, dtype=np.uint8)[:, None])
    assert b.duplicates_pay(rng.integers(0, 2, (9000, 3)).astype(np.uint8))


bad_fits = {
    "fewer distinct": (dict(codes=[[0, 1]]*5, modes=[[0, 1], [1, 1]]), "distinct rows"),
    "fewer distinct of weight": (dict(codes=[[0, 1]]*4 + [[1, 1]], modes=[[0, 1], [1, 1]], sample_weight=[1, 1, 1, 1, 0]), "positive weight"),
    "more modes than rows": (dict(codes=[[0, 1]], modes=[[0, 1], [1, 1]]), "not be more than the 1 points"),
    "columns": (dict(codes=[[0, 1]], modes=[[0]]), "modes must have the 2 attributes"),
    "floats": (dict(codes=[[0.5, 1]], modes=[[0, 1]]), "codes must hold codes"),
    "float modes": (dict(codes=[[0, 1]], modes=[[0, 1.5]]), "modes must hold codes"),
    "flat": (dict(codes=[0, 1], modes=[[0, 1]]), "codes must be a matrix"),
    "empty": (dict(codes=np.empty((0, 2), np.uint8), modes=[[0, 1]]), "codes must be a matrix"),
    "max_iter": (dict(codes=[[0, 1]], modes=[[0, 1]], max_iter=-1), "max_iter"),
    "max_iter no number": (dict(codes=[[0, 1]], modes=[[0, 1]], max_iter="many"), "max_iter"),
    "n_jobs": (dict(codes=[[0, 1]], modes=[[0, 1]], n_jobs=0), "n_jobs"),
    "weights": (dict(codes=[[0, 1]], modes=[[0, 1]], sample_weight=[-1]), "sample_weight"),
    "no weight": (dict(codes=[[0, 1]], modes=[[0, 1]], sample_weight=[0]), "sample_weight"),
    "empty row": (dict(codes=[[0, 2], [2, 2]], modes=[[0, 1]], missing=[2, 2]), "row 1 has none"),
    "holed mode": (dict(codes=[[0, 2], [2, 2]], modes=[[0, 1], [0, 2]], missing=[2, 2]), "mode 1 holds a missing value"),
    "length of missing": (dict(codes=[[0, 1]], modes=[[0, 1]], missing=[2]), "missing must hold one code for each of the 2"),
    "length of weights": (dict(codes=[[0, 1]], modes=[[0, 1]], sample_weight=[1, 1]), "sample_weight"),
}


@pytest.mark.parametrize("case", bad_fits)
def test_bad_input(case):
    arguments, message = bad_fits[case]
    with pytest.raises(ValueError, match=message): b.lloyd_fast(**arguments)


def test_bad_input_of_the_others():
    with pytest.raises(ValueError, match="modes must have the 2 attributes"): b.assign_fast([[0, 1]], [[0]])
    with pytest.raises(ValueError, match="sample_weight"): b.collapse_duplicates([[0, 1]], [1, 2])
    with pytest.raises(ValueError, match="n_jobs"): b.in_columns(np.zeros((2, 2), np.uint8), 0)
