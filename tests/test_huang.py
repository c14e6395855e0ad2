"""The online pass by blocks: move for move the plain form's, in every field of the
result.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study import data as datasets
from kmodes_study.cluster.modes import assign, check_clustering
from kmodes_study.cluster.algorithms.huang import huang
from kmodes_study.core.codes import encode
from kmodes_study.data.synthetic import make_planted_clusters
from oracles.kmodes import plain_huang

SETTINGS = settings(max_examples=80, deadline=None)


def outcome(function, *arguments, **options):
    """What a call returns, with lists in place of arrays, or the message of its
    ValueError.
    """
    try:
        result = function(*arguments, **options)
    except ValueError as error:
        return str(error)
    return result._replace(
        labels=np.asarray(result.labels).tolist(),
        modes=np.asarray(result.modes).tolist(),
    )


def plainly(codes, modes, weights=None, missing=None, **options):
    """The plain form on the same problem; rows without weight get the label of the
    nearest mode at the end.
    """
    X = codes.tolist()
    if missing is not None:
        X = [[None if c == hole else c for c, hole in zip(x, missing)] for x in X]
    used = [i for i in range(len(X)) if weights is None or weights[i] > 0]
    counts = None if weights is None else weights[used].tolist()
    result = plain_huang([X[i] for i in used], modes.tolist(), counts, **options)
    return (
        result
        if len(used) == len(X)
        else result._replace(labels=assign(codes, np.array(result.modes))[0])
    )


def check_equal(codes, modes, seed=0, weights=None, missing=None, **options):
    "Assert that both give the same, field by field, and draw as often; returns it."
    ours, theirs = np.random.RandomState(seed), np.random.RandomState(seed)
    copies = codes.copy(), modes.copy()
    result = outcome(
        huang,
        codes,
        modes,
        random_state=ours,
        sample_weight=weights,
        missing_codes=missing,
        **options,
    )
    expected = outcome(
        plainly, codes, modes, weights, missing, random_state=theirs, **options
    )
    if isinstance(expected, str):
        assert "distinct rows" in result
        assert "distinct rows" in expected
    else:
        assert result == expected
    assert ours.randint(2**31) == theirs.randint(2**31)
    assert np.array_equal(codes, copies[0])
    assert np.array_equal(modes, copies[1])
    return result


@st.composite
def problems(draw, max_rows=40):
    """Codes, and initial modes that may repeat, so that clusters are or fall empty, or
    be no rows.
    """
    n, m = draw(st.integers(1, max_rows)), draw(st.integers(1, 6))
    k, v = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    rng = np.random.RandomState(draw(st.integers(0, 2**32 - 1)))
    codes = rng.randint(v, size=(n, m)).astype(
        draw(st.sampled_from([np.uint8, np.uint16]))
    )
    k = min(k, n)
    kind = draw(st.sampled_from(["rows", "repeated", "any"]))
    if kind == "any":
        return codes, rng.randint(v + 1, size=(k, m)).astype(codes.dtype)
    return codes, codes[
        rng.choice(n, k, replace=False)
        if kind == "rows"
        else rng.randint(min(n, 3), size=k)
    ]


@pytest.mark.usefixtures("small_tables")
@SETTINGS
@given(problems(), st.integers(0, 1000), st.sampled_from([0, 1, 2, 100]))
def test_every_field_is_the_plain_forms(problem, seed, max_iter):
    check_equal(*problem, seed, max_iter=max_iter)


@pytest.mark.parametrize(
    "n, m, v, k",
    [
        (60, 257, 3, 2),
        (60, 255, 2, 4),
        (60, 254, 2, 4),
        (320, 4, 9, 300),
        (600, 5, 3, 8),
        (520, 5, 300, 6),
        (513, 1, 9, 1),
        (512, 3, 2, 3),
        (1, 1, 1, 1),
    ],
)
def test_narrow_and_wide_types(n, m, v, k):
    """Counters, labels and codes of one byte and of two, at the widths where a byte is
    full.
    """
    rng = np.random.RandomState(n + m)
    codes = rng.randint(v, size=(n, m)).astype(np.uint16 if v > 256 else np.uint8)
    check_equal(codes, codes[rng.choice(n, k, replace=False)], max_iter=2)


def check_by_passes(codes, start, seed=0):
    """Assert that a run ends where its last pass leads, that its costs fall, and that
    its clustering can be checked.
    """
    result = huang(codes, start, random_state=seed)
    check_clustering(codes, result.labels, result.modes, result.cost)
    assert all(a > b for a, b in zip(result.epoch_costs, result.epoch_costs[1:-1]))
    assert result.cost <= min(result.epoch_costs)
    for max_iter in range(result.n_iter):
        cut = huang(codes, start, max_iter=max_iter, random_state=seed)
        assert cut.epoch_costs == result.epoch_costs[: max_iter + 1]
        assert not cut.converged


@pytest.mark.parametrize("name", ["car", "nursery", "tic-tac-toe", "balance-scale"])
def test_computed_sets(name):
    codes = encode(datasets.load(name).data)[0]
    for k, seed in ((1, 0), (7, 2), (30, 3)):
        check_by_passes(
            codes,
            codes[np.random.RandomState(seed).choice(len(codes), k, replace=False)],
        )
    few = codes[:: -(-len(codes) // 300)]
    check_equal(few, few[np.random.RandomState(0).choice(len(few), 5, replace=False)])
    check_equal(few, few[[5] * 6])


@pytest.mark.parametrize("noise", [0.05, 0.3, 0.7])
def test_planted_clusters_over_two_blocks(noise):
    codes = make_planted_clusters(700, 8, 6, 8, noise, 0).codes
    for k in 3, 8:
        check_equal(
            codes,
            codes[np.random.RandomState(k).choice(len(codes), k, replace=False)],
            max_iter=3,
        )


@st.composite
def weighted_problems(draw, max_rows=14, max_weight=4):
    """Codes with holes, modes without, weights from 0 (as many rows with weight as
    modes), and the missing codes.
    """
    n, m = draw(st.integers(1, max_rows)), draw(st.integers(2, 5))
    k, v = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    rng = np.random.RandomState(draw(st.integers(0, 2**32 - 1)))
    share = draw(st.sampled_from([0, 0.1, 0.4, 0.9]))
    missing = np.full(m, v)
    codes, modes = rng.randint(v, size=(n, m)), rng.randint(v, size=(min(k, n), m))
    if draw(st.booleans()):
        modes = codes[rng.randint(n, size=len(modes))].copy()
    holes = (rng.rand(n, m) < share) & (np.arange(m) != rng.randint(m, size=(n, 1)))
    holes[0] = np.arange(m) == 0
    codes = np.where(holes, missing, codes)
    weights = np.where(rng.rand(n) < 0.1, 1000, rng.randint(max_weight, size=n))
    weights[[0, *rng.choice(n, len(modes), replace=False)]] += 1
    return codes.astype(np.uint8), modes.astype(np.uint8), weights, missing


@pytest.mark.usefixtures("small_tables")
@settings(max_examples=120, deadline=None)
@given(
    weighted_problems(),
    st.integers(0, 1000),
    st.sampled_from([0, 1, 2, 100]),
    st.sampled_from([None, 0.25]),
)
def test_weights_and_missing_values_by_their_definition(problem, seed, max_iter, unit):
    "Whole weights, and quarters, which are exact."
    codes, modes, weights, missing = problem
    result = check_equal(
        codes,
        modes,
        seed,
        weights if unit is None else weights * unit,
        missing,
        max_iter=max_iter,
    )
    if isinstance(result, str):
        return  # refused by both, as check_equal has seen
    assert result.cost <= min(result.epoch_costs)
    assert not (np.array(result.modes) == missing).any()
    assert set(np.array(result.labels)[weights > 0]) == set(range(len(result.modes)))


@SETTINGS
@given(weighted_problems(), st.integers(0, 1000), st.sampled_from([3, 10**12]))
def test_the_unit_of_weights_does_not_matter_nor_do_rows_without_weight(
    problem, seed, unit
):
    codes, modes, weights, missing = problem

    def run(rows, weights):
        return outcome(
            huang,
            codes[rows],
            modes,
            random_state=seed,
            sample_weight=weights[rows],
            missing_codes=missing,
        )

    used, every = weights > 0, slice(None)
    result = run(every, weights)
    scaled = run(every, weights * unit)
    alone = run(used, weights)
    if isinstance(result, str):
        assert result == scaled == alone
    else:
        assert scaled == result._replace(
            cost=result.cost * unit,
            epoch_costs=[cost * unit for cost in result.epoch_costs],
        )
        assert alone == result._replace(labels=np.array(result.labels)[used].tolist())
        assert result.labels == assign(codes, np.array(result.modes))[0].tolist()


def test_clusters_that_fall_empty_with_weights_draw_among_rows():
    "As many draws whatever the weights, and a cluster of one heavy row is left alone."
    codes = np.array(
        [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [2, 2, 2], [2, 2, 0]], np.uint8
    )
    for heavy in range(6):
        weights = np.ones(6, int)
        weights[heavy] = 10**6
        for seed in range(20):
            result = check_equal(
                codes,
                codes[np.random.RandomState(seed).randint(6, size=4)],
                seed,
                weights,
            )
            assert result.cost < 10**6  # the heavy row has a mode of its own


def test_of_two_states_of_equal_cost_the_first_is_kept():
    "The second pass moves the last row, and nothing is won."
    codes = np.array(
        [
            [2, 0, 1, 0],
            [1, 1, 0, 0],
            [2, 0, 0, 0],
            [1, 2, 1, 0],
            [1, 0, 1, 0],
            [0, 0, 2, 1],
        ]
    )
    found = check_equal(codes, codes[[3, 0]])
    assert found.epoch_costs[-1] == found.epoch_costs[-2] == found.cost
    assert found.labels == [0, 0, 1, 0, 0, 0]
