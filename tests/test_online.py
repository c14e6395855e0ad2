"""The online pass by blocks: move for move the engine's, after each pass and in every field of the result."""
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study.cluster import kmodes, online
from kmodes_study.cluster.kmodes import _plain_huang, huang
from kmodes_study.cluster.modes import ClusteringResult, assign, check_clustering
from kmodes_study.cluster.online import _naive_weighted_huang, huang_fast
from kmodes_study.cluster.gaps import fill_missing, partial_weights
from kmodes_study.codes import encode
from kmodes_study import data as datasets
from kmodes_study.data.synthetic import make_planted_clusters

SETTINGS = settings(max_examples=150, deadline=None)
TEN = 10_000 if not numba.config.DISABLE_JIT else 800  # rows, fewer where kernels are not compiled


def outcome(function, *arguments, **options):
    "What a call returns, or the message of its ValueError."
    try: return tuple(function(*arguments, **options))
    except ValueError as error: return str(error)


def check_equal(codes, modes, seed=0, **options):
    "Assert that both give the same, field by field, type by type, and draw as often; returns it."
    ours, theirs = np.random.RandomState(seed), np.random.RandomState(seed)
    copies = codes.copy(), modes.copy()
    result, expected = (outcome(huang_fast, codes, modes, random_state=ours, **options),
                        outcome(_plain_huang, codes, modes, random_state=theirs, **options))
    assert type(result) is type(expected)
    if isinstance(expected, str): assert result == expected
    else:
        for one, other in zip(result, expected, strict=True):
            assert type(one) is type(other) and np.array_equal(one, other)
            if isinstance(other, np.ndarray): assert one.dtype == other.dtype
        assert all(type(cost) is int for cost in result[4])
    assert ours.randint(2**31) == theirs.randint(2**31)
    assert np.array_equal(codes, copies[0]) and np.array_equal(modes, copies[1])
    return result


@st.composite
def problems(draw, max_rows=40):
    "Codes, and initial modes that may repeat, so that clusters are or fall empty, or be no rows."
    n, m, k, v = (draw(st.integers(1, max_rows)), draw(st.integers(1, 6)),
                  draw(st.integers(1, 12)), draw(st.integers(1, 5)))
    rng = np.random.RandomState(draw(st.integers(0, 2**32 - 1)))
    codes, k = rng.randint(v, size=(n, m)).astype(draw(st.sampled_from([np.uint8, np.uint16, np.uint32]))), min(k, n)
    kind = draw(st.sampled_from(["rows", "repeated", "any"]))
    if kind == "any": return codes, rng.randint(v + 1, size=(k, m)).astype(codes.dtype)
    return codes, codes[rng.choice(n, k, replace=False) if kind == "rows" else rng.randint(min(n, 3), size=k)]


@SETTINGS
@given(problems(), st.integers(0, 1000), st.sampled_from([0, 1, 2, 100]))
def test_every_field_is_the_engines(problem, seed, max_iter): check_equal(*problem, seed, max_iter=max_iter)


@settings(max_examples=25, deadline=None)
@given(problems(max_rows=900), st.integers(0, 1000))
def test_every_field_is_the_engines_over_many_blocks(problem, seed): check_equal(*problem, seed)


def check_leads(state, counts, offsets):
    "Assert that what is known of each mode's lead is no more than is true, and the tops of contested attributes are."
    m = state.modes.shape[1]
    for l in np.flatnonzero(state.credit > 0):  # others have not been looked at
        contested = set(state.contested[l, :state.contested[l, m]].tolist())
        for j in range(m):
            own = counts[l, offsets[j]:offsets[j+1]].copy()
            top, own[state.modes[l, j]] = own[state.modes[l, j]], 0
            if j in contested: assert state.top[l, j] == top and state.bound[l, j] >= own.max()
            else: assert top - own.max() >= state.credit[l]


def check_passes(codes, modes, seed, passes=3):
    "Assert that each pass leaves what the engine's leaves, and bounds that hold; the number of repairs."
    labels, offsets, k, m = (kmodes.assign(codes, modes)[0],
                             kmodes.category_offsets(kmodes.n_levels(codes)), len(modes), codes.shape[1])
    state = online._begin(codes, modes)
    sizes, counts = np.bincount(labels, minlength=k), kmodes._counts(codes, labels, offsets, k)
    modes, repairs = kmodes._modes_of(codes, labels, offsets, k), 0
    ours, theirs = np.random.RandomState(seed), np.random.RandomState(seed)
    for _ in range(passes):
        before = theirs.get_state()[2]
        assert (online._online_pass(state, ours)
                == kmodes._full_pass(codes, labels, modes, sizes, counts, offsets, theirs))
        repairs += theirs.get_state()[2] != before
        for one, other in zip((state.labels, state.modes, state.sizes, state.counts), (labels, modes, sizes, counts)):
            assert np.array_equal(one, other)
        check_leads(state, counts, offsets)
        nearest, distances = kmodes.assign(codes, modes)
        assert online._refresh_all(state, None) == distances.sum()
        assert np.array_equal(state.found, nearest) and np.array_equal(state.near, distances)
        others = np.where(np.arange(k) == nearest[:, None], m + 1, (codes[:, None] != modes).sum(axis=2)).min(axis=1)
        assert (state.other <= others).all()
    return repairs


@SETTINGS
@given(problems(), st.integers(0, 1000))
def test_each_pass_leaves_what_the_engine_leaves(problem, seed): check_passes(*problem, seed)


def test_passes_in_which_clusters_fall_empty():
    rng, repairs = np.random.RandomState(0), 0
    for seed in range(60):
        n = rng.randint(1, 700 if TEN == 10_000 else 250)
        codes = rng.randint(rng.randint(1, 4), size=(n, rng.randint(1, 6))).astype(np.uint8)
        repairs += check_passes(codes, codes[rng.randint(n, size=rng.randint(1, min(n, 25) + 1))], seed)
    assert repairs > 5


@pytest.mark.parametrize("n, m, v, k", [
    (TEN//16, 300, 3, 5), (TEN//32, 255, 2, 4), (TEN//32, 254, 2, 4), (300 + TEN//24, 6, 4, 300), (600, 5, 3, 256),
    (600, 5, 3, 257), (400, 5, 300, 6), (513, 1, 9, 1), (256, 3, 2, 3),
    (1, 1, 1, 1)])
def test_narrow_and_wide_types(n, m, v, k):
    rng = np.random.RandomState(n + m)
    codes = rng.randint(v, size=(n, m)).astype(np.uint16 if v > 256 else np.uint8)
    check_equal(codes, codes[rng.choice(n, k, replace=False)])


@pytest.mark.parametrize("name", ["car", "nursery", "tic-tac-toe", "balance-scale"])
def test_computed_sets(name):
    codes = encode(datasets.load(name).data)[0]
    codes = codes[::-(-len(codes)//TEN)] if TEN < 10_000 else codes
    for k, seed in ((1, 0), (2, 1), (7, 2), (30, 3)):
        check_equal(codes, codes[np.random.RandomState(seed).choice(len(codes), k, replace=False)])
    check_equal(codes, codes[[5]*6])


@pytest.mark.parametrize("noise", [0.05, 0.3, 0.7])
def test_planted_clusters(noise):
    codes = make_planted_clusters(3*TEN//10, 15, 6, 8, noise, 0).codes
    for k in 3, 8, 40: check_equal(codes, codes[np.random.RandomState(k).choice(len(codes), k, replace=False)])


@pytest.mark.parametrize("turn",
                         [np.asfortranarray, lambda codes: codes.astype(np.int64),
                          lambda codes: codes.astype(np.uint32), lambda codes: np.repeat(codes, 2, axis=0)[::2]])
def test_layouts_and_types(turn):
    codes = make_planted_clusters(500, 5, 4, 4, 0.3, 0).codes
    check_equal(turn(codes), codes[:4])
    check_equal(turn(codes), codes[:4].astype(np.int64) + 1000)


def test_read_only_codes_and_threads():
    codes = make_planted_clusters(n := TEN//5, 10, 5, 6, 0.4, 0).codes
    codes.setflags(write=False)
    starts = [codes[np.random.RandomState(seed).choice(n, 6, replace=False)] for seed in range(8)]
    with ThreadPoolExecutor(4) as pool: results = list(pool.map(lambda start: huang_fast(codes, start), starts))
    for start, result in zip(starts, results):
        assert all(np.array_equal(one, other) for one, other in zip(result, _plain_huang(codes, start)))


@pytest.mark.parametrize("codes, modes, max_iter", [
    ([[0.5]], [[0]], 1), ([[0, 1]], [[0]], 1), ([[0]], [[0], [0]], 1), ([[0]], [[0]], -1), ([[0]], [[0]], 1.5),
    ([[-1]], [[0]], 1), ([0], [[0]], 1), ([[0], [0]], [[0], [0]], 1)])
def test_bad_input_is_refused_as_by_the_engine(codes, modes, max_iter):
    codes, modes = np.array(codes), np.array(modes)
    with pytest.raises(ValueError) as expected: _plain_huang(codes, modes, max_iter, 0)
    with pytest.raises(ValueError) as found: huang_fast(codes, modes, max_iter, 0)
    assert str(found.value) == str(expected.value)


def test_huang_is_the_fast_form_in_a_named_tuple():
    codes, weights, missing = make_planted_clusters(300, 6, 5, 4, 0.4, 0).codes, np.arange(300) % 3, np.full(6, 4)
    start = np.minimum(codes[1:5], 3)
    result = huang(codes, start, 7, 3, weights, missing)
    assert isinstance(result, ClusteringResult)
    assert result._fields == ("labels", "modes", "cost", "n_iter", "epoch_costs", "converged")
    assert all(np.array_equal(one, other)
               for one, other in zip(result, huang_fast(codes, start, max_iter=7, random_state=3, sample_weight=weights,
                                                        missing=missing), strict=True))


@st.composite
def weighted_problems(draw, max_rows=14, max_weight=4):
    "Codes with holes, modes without, weights from 0, and the codes of missing values; at least as many rows of positive weight as modes."
    n, m, k, v = (draw(st.integers(1, max_rows)), draw(st.integers(1, 5)),
                  draw(st.integers(1, 6)), draw(st.integers(1, 4)))
    rng, share = np.random.RandomState(draw(st.integers(0, 2**32 - 1))), draw(st.sampled_from([0, .1, .4, .9]))
    missing = np.full(m, v) if draw(st.booleans()) else rng.randint(v + 1, size=m)  # the last code, or any
    codes = rng.randint(v, size=(n, m))
    codes += codes >= missing  # the others keep clear of it
    modes = rng.randint(v, size=(min(k, n), m))
    modes += modes >= missing
    if draw(st.booleans()): modes = codes[rng.randint(n, size=len(modes))].copy()
    codes = np.where((rng.rand(n, m) < share) & (np.arange(m) != rng.randint(m, size=(n, 1))), missing, codes)
    weights = np.where(rng.rand(n) < .1, 1000, rng.randint(max_weight, size=n))
    weights[rng.choice(n, len(modes), replace=False)] += 1
    return codes.astype(np.uint8), modes.astype(np.uint8), weights, missing


@settings(max_examples=200, deadline=None)
@given(weighted_problems(), st.integers(0, 1000), st.sampled_from([0, 1, 2, 100]))
def test_weights_and_missing_values_by_their_definition(problem, seed, max_iter):
    codes, modes, weights, missing = problem
    ours, theirs = np.random.RandomState(seed), np.random.RandomState(seed)
    copies = [array.copy() for array in problem]
    result, expected = (outcome(huang_fast, codes, modes, max_iter, ours, weights, missing),
                        outcome(_naive_weighted_huang, codes.tolist(), modes.tolist(), weights.tolist(),
                                missing.tolist(), theirs, max_iter))
    assert ours.randint(2**31) == theirs.randint(2**31)
    assert all(np.array_equal(array, copy) for array, copy in zip(problem, copies))
    if isinstance(expected, str): assert "distinct rows" in result
    else:
        labels, modes, cost, n_iter, epoch_costs, _ = result
        assert (labels.tolist(), modes.tolist(), cost, epoch_costs) == expected
        assert n_iter == len(epoch_costs) - 1 and cost <= min(epoch_costs)
        assert labels.dtype == np.int32 and modes.dtype == codes.dtype
        assert (modes != missing).all() and set(labels[weights > 0]) == set(range(len(modes)))


@SETTINGS
@given(problems(), st.integers(0, 1000), st.sampled_from([0, 1, 100]))
def test_weights_of_one_and_nothing_missing_are_no_weights(problem, seed, max_iter):
    codes, modes = problem
    expected = outcome(huang_fast, codes, modes, max_iter, seed)
    beyond = np.full(codes.shape[1], 250)
    for options in dict(sample_weight=np.ones(len(codes), np.uint8)), dict(missing=beyond), dict(sample_weight=[True]*len(codes), missing=beyond.tolist()):
        result = outcome(huang_fast, codes, modes, max_iter, seed, **options)
        if isinstance(expected, str): assert result == expected
        else: assert all(np.array_equal(one, other) for one, other in zip(result, expected, strict=True))


@SETTINGS
@given(weighted_problems(), st.integers(0, 1000), st.sampled_from([3, 10**12]))
def test_the_unit_of_weights_does_not_matter_nor_do_rows_without_weight(problem, seed, unit):
    codes, modes, weights, missing = problem
    used = weights > 0
    result = outcome(huang_fast, codes, modes, 100, seed, weights, missing)
    scaled = outcome(huang_fast, codes, modes, 100, seed, weights*unit, missing)
    alone = outcome(huang_fast, codes[used], modes, 100, seed, weights[used], missing)
    if isinstance(result, str): assert result == scaled == alone
    else:
        assert np.array_equal(result[0], scaled[0]) and np.array_equal(result[1], scaled[1])
        assert scaled[2:4] == (result[2]*unit, result[3])
        assert scaled[4] == [cost*unit for cost in result[4]] and np.array_equal(result[0][used], alone[0])
        assert all(np.array_equal(one, other) for one, other in zip(result[1:], alone[1:], strict=True))
        assert np.array_equal(result[0], assign(codes, result[1])[0])


@settings(max_examples=50, deadline=None)
@given(weighted_problems(max_rows=700))
def test_partial_weights_give_the_rescaled_cost(problem):
    codes, modes, weights, missing = problem
    whole, unit = partial_weights(codes, missing, weights)
    result = outcome(huang, codes, modes, 100, 0, whole, missing)
    if isinstance(result, str): return
    check_clustering(codes, result[0], result[1], result[2]*unit, weights, missing)
    filled = fill_missing(codes, missing, weights)
    assert (filled != missing).all() or any((codes[:, j] == missing[j]).all() for j in range(codes.shape[1]))


def test_weights_over_many_blocks_as_repeated_rows_that_need_not_move():
    "From the labels of well separated clusters nothing moves, so that weights are repetitions."
    planted = make_planted_clusters(2000, 12, 5, 4, 0.2, 0)
    weights = np.random.RandomState(0).randint(4, size=2000)
    one, other = (huang(planted.codes, planted.modes, sample_weight=weights),
                  huang(np.repeat(planted.codes, weights, axis=0), planted.modes))
    assert np.array_equal(np.repeat(one.labels, weights), other.labels)
    assert np.array_equal(one.modes, other.modes) and one.epoch_costs == other.epoch_costs


@pytest.mark.parametrize("weights", [[2**61, 2**60, 5, 1, 1], [2**60]*3 + [1, 0], [1, 2**59, 1, 2**59, 2**59],
                                     [2**61, 2**61 - 2**10, 0, 0, 0]])
def test_the_heaviest_weights(weights):
    codes, modes = np.array([[0], [1], [2], [3], [9]], np.uint8), np.array([[3], [4]], np.uint8)
    labels, modes, cost, *_ = huang_fast(codes, modes, 100, 0, weights)
    assert cost == sum(w for w, label, x in zip(weights, labels, codes[:, 0]) if x != modes[label, 0])
    with pytest.raises(ValueError, match="too large for exact sums"): huang_fast(codes, modes, 100, 0, [2**62]*5)


def test_the_heaviest_weights_with_missing_values():
    rng, total = np.random.RandomState(0), 0
    for seed in range(50):
        codes, weights = rng.randint(3, size=(12, 3)), np.where(rng.rand(12) < .5, 2**56, rng.randint(1, 9, size=12))
        codes[rng.rand(12) < .5, rng.randint(3)] = 9
        result = huang_fast(codes, codes[:3] % 9, 100, np.random.RandomState(seed), weights, [9]*3)
        expected = _naive_weighted_huang(codes.tolist(), (codes[:3] % 9).tolist(), weights.tolist(), [9]*3,
                                         np.random.RandomState(seed))
        assert (result[0].tolist(), result[1].tolist(), result[2], result[4]) == expected
        total += result[2] > 2**56
    assert total > 0


def test_clusters_that_fall_empty_with_weights_draw_among_rows():
    "As many draws whatever the weights, and a cluster of one heavy row is left alone."
    codes = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [2, 2, 2], [2, 2, 0]], np.uint8)
    for heavy in range(6):
        weights = np.ones(6, int)
        weights[heavy] = 10**6
        for seed in range(20):
            modes = codes[np.random.RandomState(seed).randint(6, size=4)]
            ours, theirs = np.random.RandomState(seed), np.random.RandomState(seed)
            result = huang_fast(codes, modes, 100, ours, weights)
            expected = _naive_weighted_huang(codes.tolist(), modes.tolist(), weights.tolist(), [9, 9, 9], theirs)
            assert (result[0].tolist(), result[1].tolist(), result[2], result[4]) == expected
            assert ours.randint(99999) == theirs.randint(99999)
            assert result[2] < 10**6  # the heavy row has a mode of its own


def test_partial_data_that_agree_leave_clusters_out():
    "Two patterns that agree with one mode: complete data would be refused."
    codes, missing = np.array([[0, 9], [9, 1], [0, 1], [0, 9]], np.uint8), [9, 9]
    labels, modes, cost, *_ = huang_fast(codes, np.array([[0, 1], [0, 1], [0, 1]]), 100, 0, missing=missing)
    assert (labels.tolist(), modes.tolist(), cost) == ([0, 0, 0, 0], [[0, 1]], 0)
    with pytest.raises(ValueError, match="distinct rows as there are modes, 3, got 1"):
        huang_fast(codes[[2, 2, 2]], codes[[2, 2, 2]], 100, 0, missing=missing)


@pytest.mark.parametrize("options, message", [
    (dict(sample_weight=[1., 2., 1.]), "whole numbers"), (dict(sample_weight=[0, 0, 0]), "zero for all rows"),
    (dict(sample_weight=[1, 0, 0]), "1 points with a weight above 0"),
    (dict(sample_weight=[1, -1, 1]), "not negative"), (dict(sample_weight=[1, 1]), "3 rows"),
    (dict(missing=[9]), "2 columns"), (dict(missing=[0, 0]), "row 0 has none"),
    (dict(missing=[1, 9]), "mode 1 has a missing value")])
def test_bad_weights_and_missing_values(options, message):
    codes = np.array([[0, 0], [1, 1], [0, 1]])
    with pytest.raises(ValueError, match=message): huang_fast(codes, codes[:2], 100, 0, **options)
