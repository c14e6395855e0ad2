"""Farthest points and k-modes++: by their definitions, with weights and gaps."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from kmodes_study.cluster.modes import fill_missing
from kmodes_study.cluster.starts.seeding import init_farthest, init_plus_plus
from oracles.gaps import partial_distances
from oracles.starts import plain_chances, plain_farthest

tables = hnp.arrays(
    np.uint8,
    st.tuples(st.integers(1, 14), st.integers(1, 4)),
    elements=st.integers(0, 3),
)
few = settings(deadline=None, max_examples=60)


@few
@given(tables, st.integers(0, 9))
def test_farthest_by_the_definition(codes, seed):
    k = len(np.unique(codes, axis=0))
    modes = init_farthest(codes, k, random_state=seed)
    first = codes.tolist().index(modes[0].tolist())
    assert np.array_equal(modes, codes[plain_farthest(codes.tolist(), k, first)])


def test_plus_plus_draws_with_the_chances_of_the_definition():
    codes = np.random.RandomState(0).randint(2, size=(6, 4))
    weights = np.array([1, 2, 1, 3, 1, 2])
    codes = np.unique(codes, axis=0)
    weights, n = weights[: len(codes)], 6000
    pairs = [
        init_plus_plus(codes, 2, random_state=seed, sample_weight=weights).tolist()
        for seed in range(n)
    ]
    rows = codes.tolist()
    expected = np.array(
        [
            np.multiply(w / weights.sum(), plain_chances(rows, [i], weights))
            for i, w in enumerate(weights)
        ]
    )
    found = np.zeros_like(expected)
    for a, b in pairs:
        found[rows.index(a), rows.index(b)] += 1
    assert not found[expected == 0].any()
    possible = expected > 0
    chi_squared = ((found - n * expected) ** 2)[possible] / (n * expected[possible])
    assert chi_squared.sum() < possible.sum() - 1 + 4 * np.sqrt(2 * possible.sum())


@few
@given(tables, st.data())
@pytest.mark.parametrize("init", [init_farthest, init_plus_plus])
def test_gaps_are_filled_and_left_out_of_account(init, codes, data):
    codes[(codes == 3).all(axis=1), 0] = 0
    missing = np.full(codes.shape[1], 3)
    if (codes == 3).all(axis=0).any():
        codes[0] = 0
    filled = fill_missing(codes, missing)
    different = len(np.unique(filled, axis=0))
    k, seed = data.draw(st.integers(1, different)), data.draw(st.integers(0, 9))
    modes = init(codes, k, random_state=seed, missing_codes=missing)
    assert (modes != 3).all()
    assert len(np.unique(modes, axis=0)) == k
    if init is init_farthest and k > 1:
        D = partial_distances(codes, modes[:1], missing)[:, 0]
        chosen = (filled == modes[1]).all(axis=1)
        assert D[chosen].max() == D[(filled != modes[0]).any(axis=1)].max()


def test_rows_that_differ_only_in_what_is_missing_are_drawn_by_weight():
    """The third row and the fourth agree with the first two as far as they go: nine
    times in ten the heavy one is drawn.
    """
    codes = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 2], [1, 2, 1]])
    third = []
    for seed in range(300):
        modes = init_farthest(
            codes,
            3,
            random_state=seed,
            sample_weight=[5, 5, 9, 1],
            missing_codes=[2, 2, 2],
        ).tolist()
        if sorted(modes[:2]) == [[0, 0, 0], [1, 1, 1]]:
            third.append(modes[2])
    assert len(third) > 60
    assert sum(mode == [0, 0, 1] for mode in third) > 0.8 * len(third)
