"""Breeding tables: nothing leaves the limits, columns come from the parents, and the
best never gets worse.
"""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study.study.protocols.evolution import (
    Limits,
    cross,
    evolve,
    mutate,
    random_table,
)

LIMITS = Limits(rows=(3, 9), columns=(1, 6), highest=4)
few = settings(deadline=None, max_examples=60)


def check(table):
    (n, m), (low, high) = table.codes.shape, table.ranges.T
    assert table.codes.dtype == np.uint8
    assert table.ranges.shape == (m, 2)
    assert LIMITS.rows[0] <= n <= LIMITS.rows[1]
    assert LIMITS.columns[0] <= m <= LIMITS.columns[1]
    assert (0 <= low).all()
    assert (high <= LIMITS.highest).all()
    assert (low <= table.codes).all()
    assert (table.codes <= high).all()


@few
@given(st.integers(0, 2**31), st.floats(0, 1))
def test_tables_stay_within_limits_and_ranges(seed, rate):
    rng = np.random.RandomState(seed)
    first, second = random_table(LIMITS, rng), random_table(LIMITS, rng)
    before = first.codes.copy()
    child = cross(first, second, rng)
    changed = mutate(child, LIMITS, rate, rng)
    for table in first, second, child, changed:
        check(table)
    assert (first.codes == before).all()
    assert changed.codes.shape == child.codes.shape or rate > 0
    assert len(child.codes) in (len(first.codes), len(second.codes))
    columns = [*zip(first.codes.T, first.ranges), *zip(second.codes.T, second.ranges)]
    for column, span in zip(child.codes.T, child.ranges):
        assert any(
            (span == other).all() and all(a == b for a, b in zip(column, values))
            for values, other in columns
        )
    if not rate:
        assert (changed.codes == child.codes).all()


@pytest.mark.parametrize("best, size", [(0.2, 10), (1, 4), (0.01, 5)])
def test_the_best_live_on(best, size):
    found = evolve(
        lambda codes: codes.mean(),
        limits=LIMITS,
        size=size,
        n_generations=5,
        best=best,
        random_state=3,
    )
    n_parents = min(max(int(np.ceil(best * size)), 1), size)
    assert found.generations.shape == (6, size)
    assert (np.diff(found.generations[:, 0]) <= 0).all()
    assert (
        len(found.tables)
        == len(found.fitness)
        == len(found.births)
        == size + 5 * (size - n_parents)
    )
    assert (
        found.fitness[found.best()[0]]
        == found.generations[-1, 0]
        == found.fitness.min()
    )
    for old, new in zip(found.generations, found.generations[1:]):
        assert {*old[:n_parents]} <= {*new}
        assert (np.diff(new) >= 0).all()
    for table in found.tables:
        check(table)
