"""Fuzzy k-modes: the formulas with exact fractions, optimality of both steps, and its
limit.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from kmodes_study.cluster.algorithms.lloyd import lloyd
from kmodes_study.cluster.modes import matching_distances
from oracles.gaps import partial_distances
from kmodes_study.family.fuzzy import fuzzy_k_modes, fuzzy_memberships
from oracles.relatives import plain_fuzzy_mode, plain_memberships

codes = hnp.arrays(
    np.uint8,
    st.tuples(st.integers(4, 20), st.integers(1, 5)),
    elements=st.integers(0, 3),
)
few = settings(deadline=None, max_examples=40)


@few
@given(
    hnp.arrays(
        np.int64,
        st.tuples(st.integers(1, 6), st.integers(1, 5)),
        elements=st.integers(0, 9),
    )
)
def test_memberships_by_the_formula_in_exact_fractions(distances):
    expected = [plain_memberships(row, 2) for row in distances.tolist()]
    assert all(sum(row) == 1 for row in expected)
    assert np.allclose(
        fuzzy_memberships(distances, 2), np.array(expected, float), rtol=1e-12, atol=0
    )


@few
@given(
    hnp.arrays(
        np.int64,
        st.tuples(st.integers(1, 6), st.integers(2, 5)),
        elements=st.integers(0, 9),
    ),
    st.sampled_from([1.05, 1.3, 2, 3.5]),
    st.integers(0, 99),
)
def test_no_other_memberships_cost_less(distances, alpha, seed):
    own = fuzzy_memberships(distances, alpha)
    other = np.random.RandomState(seed).dirichlet(
        np.ones(distances.shape[1]), len(distances)
    )
    mixed = 0.9 * own + 0.1 * other
    for rival in other, mixed:
        assert (own**alpha * distances).sum() <= (rival**alpha * distances).sum() + 1e-9


@few
@given(codes, st.sampled_from([1, 1.1, 2, 3]))
def test_a_pass_by_the_formulas(X, alpha):
    start = X[:3]
    powers = fuzzy_memberships(matching_distances(X, start), alpha) ** alpha
    modes = []
    for l in range(3):
        exact = [Fraction(w).limit_denominator(10**9) for w in powers[:, l]]
        modes.append(
            plain_fuzzy_mode(X.tolist(), exact) if any(exact) else start[l].tolist()
        )
    run = fuzzy_k_modes(X, start, alpha, max_iter=1)
    cost = (
        fuzzy_memberships(matching_distances(X, np.array(modes)), alpha) ** alpha
        * matching_distances(X, np.array(modes))
    ).sum()
    assert run.epoch_costs[-1] == pytest.approx(
        min(run.epoch_costs[0], cost), rel=1e-7, abs=1e-9
    )


@few
@given(codes, st.sampled_from([1, 1.02, 1.1, 1.5, 2, 4]), st.booleans())
def test_costs_fall_and_are_those_of_what_is_returned(X, alpha, with_gaps):
    missing = (
        np.full(X.shape[1], 3) if with_gaps and (X != 3).any(axis=1).all() else None
    )
    start = X[:3] if missing is None else np.minimum(X[:3], 2)
    run = fuzzy_k_modes(X, start, alpha, missing_codes=missing)
    d = (
        matching_distances(X, run.modes)
        if missing is None
        else partial_distances(X, run.modes, missing)
    )
    assert run.converged
    assert (np.diff(run.epoch_costs) <= 0).all()
    assert len(run.epoch_costs) == run.n_iter + 1
    assert np.allclose(run.memberships.sum(axis=1), 1)
    assert (
        run.cost
        == pytest.approx((run.memberships**alpha * d).sum(), abs=1e-9)
        == run.epoch_costs[-1]
    )
    assert np.array_equal(run.labels, d.argmin(axis=1))


def settled(X, modes):
    "Batch k-modes, run again from where it has stopped until no mode changes."
    run = lloyd(X, modes)
    return run if np.array_equal(run.modes, modes) else settled(X, run.modes)


@few
@given(codes)
def test_at_alpha_1_it_is_batch_k_modes(X):
    start = np.unique(X, axis=0)[:3]
    fuzzy = fuzzy_k_modes(X, start, 1)
    # an empty cluster is given a row there, and stays empty here
    assume(len(np.unique(fuzzy.labels)) == len(start))
    hard = settled(X, start)
    assert fuzzy.cost == hard.cost
    assert np.array_equal(fuzzy.labels, hard.labels)
    assert np.array_equal(fuzzy.modes, hard.modes)


def test_rounding_does_not_decide_ties():
    weights = np.array([0.1, 0.2, 0.3, 0.6])  # .1 + .2 + .3 is a little more than .6
    X = np.array([[1], [1], [1], [0]])
    run = fuzzy_k_modes(X, [[2]], 2, sample_weight=weights)
    assert run.modes.tolist() == [[0]]


def test_rows_with_gaps_pull_at_the_modes_by_what_they_have():
    """Two rows of two values in three attributes count three halves each, and win
    against two complete rows.
    """
    codes = np.array([[0, 0, 0], [0, 1, 0], [1, 2, 1], [1, 2, 1]])
    run = fuzzy_k_modes(codes, [[1, 0, 1]], 1, missing_codes=[2, 2, 2])
    assert run.modes.tolist() == [[1, 0, 1]]
    assert run.cost == 2 + 3
    # not 7, that of the mode 0, 0, 0
    assert fuzzy_k_modes(codes, [[0, 0, 0]], 1, missing_codes=[2, 2, 2]).cost == 5
