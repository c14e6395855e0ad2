"""A random partition as a start: the plain form on rows that differ, the chances of the
parts where rows count several times, and modes that always differ.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from kmodes_study.cluster.starts.groups import init_random_partition
from oracles.starts import plain_different_modes, plain_random_partition

tables = hnp.arrays(
    np.uint8,
    st.tuples(st.integers(1, 12), st.integers(1, 4)),
    elements=st.integers(0, 2),
)
few = settings(deadline=None, max_examples=60)


@few
@given(tables, st.data())
def test_the_plain_form_on_rows_that_differ(codes, data):
    codes = np.unique(codes, axis=0)
    k, seed = data.draw(st.integers(1, len(codes))), data.draw(st.integers(0, 99))
    if k == len(codes):
        assert np.array_equal(init_random_partition(codes, k), codes)
        return
    dealt = plain_random_partition(codes.tolist(), k, np.random.RandomState(seed))
    modes = init_random_partition(codes, k, random_state=seed)
    assert modes.dtype == codes.dtype
    assert modes.tolist() == plain_different_modes(codes.tolist(), dealt)


@few
@given(tables, st.data())
def test_whole_weights_are_repeated_rows(codes, data):
    n = len(codes)
    weights = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    weights[data.draw(st.integers(0, n - 1))] += 1
    repeated = np.repeat(codes, weights, axis=0)
    different = len(np.unique(repeated, axis=0))
    k, seed = data.draw(st.integers(1, different)), data.draw(st.integers(0, 99))
    modes = init_random_partition(codes, k, random_state=seed, sample_weight=weights)
    assert np.array_equal(modes, init_random_partition(repeated, k, random_state=seed))
    assert len(np.unique(modes, axis=0)) == k
    with pytest.raises(ValueError, match=f"{different} different rows only"):
        init_random_partition(codes, different + 1, sample_weight=weights)


def test_copies_of_a_row_go_their_own_ways():
    "Three rows, of which two are equal, have the outcomes of the plain form as often."
    codes, n_seeds = np.array([[0, 1], [0, 1], [1, 0], [2, 0]]), 4000
    found, expected = Counter(), Counter()
    for seed in range(n_seeds):
        modes = init_random_partition(codes, 2, random_state=seed)
        found[str(modes.tolist())] += 1
        draw = np.random.RandomState(seed + n_seeds)
        dealt = plain_random_partition(codes.tolist(), 2, draw)
        expected[str(plain_different_modes(codes.tolist(), dealt))] += 1
    assert set(found) == set(expected)
    assert len(found) > 3
    spread = sum((found[key] - expected[key]) ** 2 / found[key] for key in found)
    # twice a chi-squared variable: the mean and ten standard deviations
    assert spread < 2 * (len(found) + 10 * np.sqrt(2 * len(found)))


def test_a_row_with_a_fraction_is_dealt_as_a_whole():
    "Of four rows one weighs more than the others together: it is the mode of its part."
    codes = np.array([[0], [1], [2], [3]])
    for seed in range(40):
        modes = init_random_partition(
            codes, 2, random_state=seed, sample_weight=[0.5, 0.5, 0.5, 1.75]
        )
        assert 3 in modes
