"""The start of Khan & Ahmad: strings by the plain form, groups that are told apart, and
what ties may not change.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from kmodes_study.cluster.modes import modes_of
from kmodes_study.cluster.starts.groups import attribute_strings, init_prominent
from kmodes_study.data.synthetic import make_planted_clusters
from oracles.starts import plain_strings

tables = hnp.arrays(
    np.uint8,
    st.tuples(st.integers(1, 12), st.integers(1, 4)),
    elements=st.integers(0, 3),
)


@settings(deadline=None, max_examples=60)
@given(tables, st.integers(1, 4))
def test_strings_and_modes(codes, k):
    strings, times, place = attribute_strings(codes, k)
    assert strings[place].tolist() == [
        list(labels) for labels in plain_strings(codes.tolist(), k)
    ]
    assert (np.bincount(place) == times).all()
    assert (np.diff(times) <= 0).all()
    limit, before = int(np.ceil(len(codes) ** 0.5)), codes.copy()
    if min(len(strings), limit) < k:
        with pytest.raises(ValueError, match="groups of rows apart"):
            init_prominent(codes, k)
        return
    modes = init_prominent(codes, k)
    assert len(np.unique(modes, axis=0)) == k
    assert modes.dtype == codes.dtype
    assert (codes == before).all()
    # nothing is joined: the modes are those of the groups, where these differ
    if len(strings) == k <= limit:
        groups = modes_of(codes, place.astype(np.int32), k)
        if len(np.unique(groups, axis=0)) == k:
            assert (modes == groups).all()


def test_clear_clusters_have_their_modes_under_all_names():
    data = make_planted_clusters(200, 12, 4, 4, noise=0, random_state=0)
    wanted = {tuple(mode) for mode in data.modes.tolist()}
    for seed in range(5):
        orders = [np.random.RandomState(seed + j).permutation(4) for j in range(12)]
        codes = np.stack(
            [order[column] for order, column in zip(orders, data.codes.T)], axis=1
        ).astype(np.uint8)
        modes = init_prominent(codes, 4)
        assert {
            tuple(np.argsort(order)[z] for order, z in zip(orders, mode))
            for mode in modes
        } == wanted
