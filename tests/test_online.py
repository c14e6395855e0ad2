"""The online pass by blocks: move for move the engine's, after each pass and in every field of the result."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study.cluster import kmodes, online
from kmodes_study.cluster.kmodes import KModesResult, _plain_huang, huang
from kmodes_study.cluster.online import huang_fast
from kmodes_study.codes import encode
from kmodes_study.data import datasets
from kmodes_study.data.synthetic import make_planted_clusters

SETTINGS = settings(max_examples=150, deadline=None)


def outcome(function, *arguments, **options):
    "What a call returns, or the message of its ValueError."
    try: return tuple(function(*arguments, **options))
    except ValueError as error: return str(error)


def check_equal(codes, modes, seed=0, **options):
    "Assert that both give the same, field by field, type by type, and draw as often; returns it."
    ours, theirs = np.random.RandomState(seed), np.random.RandomState(seed)
    copies = codes.copy(), modes.copy()
    result, expected = outcome(huang_fast, codes, modes, random_state=ours, **options), outcome(_plain_huang, codes, modes, random_state=theirs, **options)
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
    n, m, k, v = draw(st.integers(1, max_rows)), draw(st.integers(1, 6)), draw(st.integers(1, 12)), draw(st.integers(1, 5))
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
    labels, offsets, k, m = kmodes.assign(codes, modes)[0], kmodes.category_offsets(kmodes.n_levels(codes)), len(modes), codes.shape[1]
    state = online._begin(codes, modes)
    sizes, counts = np.bincount(labels, minlength=k), kmodes._counts(codes, labels, offsets, k)
    modes, repairs = kmodes._modes_of(codes, labels, offsets, k), 0
    ours, theirs = np.random.RandomState(seed), np.random.RandomState(seed)
    for _ in range(passes):
        before = theirs.get_state()[2]
        assert online._online_pass(state, ours) == kmodes._full_pass(codes, labels, modes, sizes, counts, offsets, theirs)
        repairs += theirs.get_state()[2] != before
        for one, other in zip((state.labels, state.modes, state.sizes, state.counts), (labels, modes, sizes, counts)): assert np.array_equal(one, other)
        check_leads(state, counts, offsets)
        nearest, distances = kmodes.assign(codes, modes)
        assert online._refresh_all(state, None) == distances.sum() and np.array_equal(state.found, nearest) and np.array_equal(state.near, distances)
        others = np.where(np.arange(k) == nearest[:, None], m + 1, (codes[:, None] != modes).sum(axis=2)).min(axis=1)
        assert (state.other <= others).all()
    return repairs


@SETTINGS
@given(problems(), st.integers(0, 1000))
def test_each_pass_leaves_what_the_engine_leaves(problem, seed): check_passes(*problem, seed)


def test_passes_in_which_clusters_fall_empty():
    rng, repairs = np.random.RandomState(0), 0
    for seed in range(60):
        n = rng.randint(1, 700)
        codes = rng.randint(rng.randint(1, 4), size=(n, rng.randint(1, 6))).astype(np.uint8)
        repairs += check_passes(codes, codes[rng.randint(n, size=rng.randint(1, min(n, 25) + 1))], seed)
    assert repairs > 5


@pytest.mark.parametrize("n, m, v, k", [
    (600, 300, 3, 5), (300, 255, 2, 4), (300, 254, 2, 4), (700, 6, 4, 300), (600, 5, 3, 256), (600, 5, 3, 257), (400, 5, 300, 6), (513, 1, 9, 1), (256, 3, 2, 3), (1, 1, 1, 1)])
def test_narrow_and_wide_types(n, m, v, k):
    rng = np.random.RandomState(n + m)
    codes = rng.randint(v, size=(n, m)).astype(np.uint16 if v > 256 else np.uint8)
    check_equal(codes, codes[rng.choice(n, k, replace=False)])


@pytest.mark.parametrize("name", ["car", "nursery", "tic-tac-toe", "balance-scale"])
def test_computed_sets(name):
    codes = encode(datasets.load(name).data)[0]
    for k, seed in ((1, 0), (2, 1), (7, 2), (30, 3)):
        check_equal(codes, codes[np.random.RandomState(seed).choice(len(codes), k, replace=False)])
    check_equal(codes, codes[[5]*6])


@pytest.mark.parametrize("noise", [0.05, 0.3, 0.7])
def test_planted_clusters(noise):
    codes = make_planted_clusters(3000, 15, 6, 8, noise, 0).codes
    for k in 3, 8, 40: check_equal(codes, codes[np.random.RandomState(k).choice(len(codes), k, replace=False)])


@pytest.mark.parametrize("turn", [np.asfortranarray, lambda codes: codes.astype(np.int64), lambda codes: codes.astype(np.uint32), lambda codes: np.repeat(codes, 2, axis=0)[::2]])
def test_layouts_and_types(turn):
    codes = make_planted_clusters(500, 5, 4, 4, 0.3, 0).codes
    check_equal(turn(codes), codes[:4])
    check_equal(turn(codes), codes[:4].astype(np.int64) + 1000)


def test_read_only_codes_and_threads():
    codes = make_planted_clusters(2000, 10, 5, 6, 0.4, 0).codes
    codes.setflags(write=False)
    starts = [codes[np.random.RandomState(seed).choice(2000, 6, replace=False)] for seed in range(8)]
    with ThreadPoolExecutor(4) as pool: results = list(pool.map(lambda start: huang_fast(codes, start), starts))
    for start, result in zip(starts, results): assert all(np.array_equal(one, other) for one, other in zip(result, _plain_huang(codes, start)))


@pytest.mark.parametrize("codes, modes, max_iter", [
    ([[0.5]], [[0]], 1), ([[0, 1]], [[0]], 1), ([[0]], [[0], [0]], 1), ([[0]], [[0]], -1), ([[0]], [[0]], 1.5), ([[-1]], [[0]], 1), ([0], [[0]], 1), ([[0], [0]], [[0], [0]], 1)])
def test_bad_input_is_refused_as_by_the_engine(codes, modes, max_iter):
    codes, modes = np.array(codes), np.array(modes)
    with pytest.raises(ValueError) as expected: _plain_huang(codes, modes, max_iter, 0)
    with pytest.raises(ValueError) as found: huang_fast(codes, modes, max_iter, 0)
    assert str(found.value) == str(expected.value)
