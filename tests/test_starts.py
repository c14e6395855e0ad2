"""Initial modes against their formulas, against the package kmodes, and against
published picks and costs.
"""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from kmodes.util import init_methods
from kmodes.util.dissim import matching_dissim
from scipy.spatial.distance import cdist

from kmodes_study.cluster.modes import assign, modes_of
from kmodes_study.cluster.starts.basic import (
    INITIALISATIONS,
    _agreements,
    _replacing,
    huang_virtual_modes,
    init_cao,
    init_huang,
    init_random,
)
from kmodes_study.core.codes import as_codes, encode
from kmodes_study.core.rows import Rows
from oracles.dissimilarity import plain_partial
from kmodes_study.plain.starts import (
    cao_modes,
    densities,
    draw_modes,
    huang_modes,
    random_modes,
)
from kmodes_study.study.published import published


def as_rows(codes):
    "The rows of a table as the plain forms get them."
    return list(map(tuple, codes.tolist()))


def cao_density(codes, **options):
    "The density of each row: the mean share of its values."
    rows = Rows.of(codes, power=2, **options)
    sums, unit = _agreements(rows)
    return sums / (unit * rows.n_values)


def replace_virtual_modes(codes, virtual, **options):
    "The rows that replace virtual modes by Huang's second step."
    rows = Rows.of_start(codes, **options)
    return rows.filled[_replacing(rows, as_codes(virtual))]


# with the same seed rows that are repeated and rows that are counted give the same
REPEATING = "cao", "huang", "matching", "bisecting", "random_partition"
ROWS = "random", "huang", "cao", "matching", "farthest", "k-modes++"


@st.composite
def tables(draw, max_rows=14):
    "Small codes with many equal rows, and how many different rows they have."
    n = draw(st.integers(1, max_rows))
    m = draw(st.integers(1, 3))
    levels = draw(st.sampled_from([1, 2, 3, 300]))
    codes = draw(hnp.arrays(np.int64, (n, m), elements=st.integers(0, levels - 1)))
    return codes, len(np.unique(codes, axis=0))


@pytest.mark.usefixtures("small_tables")
@settings(deadline=None, max_examples=100)
@given(tables(), st.data())
@pytest.mark.parametrize("name", INITIALISATIONS)
def test_different_modes_whenever_there_are_enough_rows(name, table, data):
    codes, different = table
    k, seed = data.draw(st.integers(1, different)), data.draw(st.integers(0, 5))
    modes = INITIALISATIONS[name](codes, k, random_state=seed)
    assert modes.shape == (k, codes.shape[1])
    assert modes.dtype == np.min_scalar_type(codes.max())
    found = set(map(tuple, modes.tolist()))
    assert len(found) == k
    assert name not in ROWS or found <= set(map(tuple, codes.tolist()))
    with pytest.raises(ValueError, match=f"n_clusters={different + 1}"):
        INITIALISATIONS[name](codes, different + 1, random_state=seed)


@pytest.mark.usefixtures("small_tables")
@settings(deadline=None, max_examples=100)
@given(tables(), st.data())
def test_cao_by_the_formula(table, data):
    codes, different = table
    k = data.draw(st.integers(1, different))
    assert np.array_equal(init_cao(codes, k), cao_modes(as_rows(codes), k))
    assert np.allclose(
        cao_density(codes), np.divide(densities(as_rows(codes)), codes.size), rtol=1e-14
    )


def test_cao_with_more_than_255_attributes():
    codes = np.random.default_rng(0).integers(2, size=(30, 600))
    assert np.array_equal(init_cao(codes, 8), cao_modes(as_rows(codes), 8))


def test_cao_does_what_the_package_kmodes_does_up_to_ties():
    tied = 0
    for seed in range(40):
        codes = np.random.default_rng(seed).integers(4, size=(60, 4))
        ours = init_cao(codes, 6).astype(int)
        theirs = init_methods.init_cao(codes, 6, matching_dissim).astype(int)
        d = lambda modes: np.rint(cdist(codes, modes, "hamming") * 4).astype(int)
        scores = cao_density(codes) * d(ours[:1]).min(axis=1)
        for l in range(1, 7):
            if np.array_equal(ours[:l], theirs[:l]):
                scores = cao_density(codes) * (d(ours[:l]).min(axis=1))
                continue
            # the first pick that differs must be as good as ours
            first = cao_density(codes) if l == 1 else scores
            place = lambda z: (codes == z).all(axis=1).argmax()
            assert first[place(ours[l - 1])] == pytest.approx(
                first[place(theirs[l - 1])], rel=1e-12
            )
            tied += 1
            break
    assert tied < 40  # some runs agree in all picks


@pytest.mark.usefixtures("small_tables")
@settings(deadline=None, max_examples=100)
@given(tables(), st.data())
def test_huang_by_the_formula(table, data):
    codes, different = table
    k, seed = data.draw(st.integers(1, different)), data.draw(st.integers(0, 5))
    rows = as_rows(codes)
    virtual = draw_modes(rows, k, np.random.RandomState(seed))
    assert np.array_equal(huang_virtual_modes(codes, k, random_state=seed), virtual)
    expected = huang_modes(rows, k, np.random.RandomState(seed))
    assert as_rows(init_huang(codes, k, random_state=seed)) == expected


@settings(deadline=None, max_examples=100)
@given(tables(), st.data())
def test_when_no_row_is_left_the_virtual_mode_stays(table, data):
    codes, different = table
    virtual = codes[data.draw(st.permutations(range(len(codes))))]
    # all different rows in some order
    virtual = np.array(list(dict.fromkeys(map(tuple, virtual.tolist()))))
    assert np.array_equal(replace_virtual_modes(codes, virtual), virtual)
    with pytest.raises(ValueError, match=f"{different} different rows only"):
        replace_virtual_modes(codes, np.vstack([virtual, virtual[:1]]))


@pytest.mark.parametrize(
    "n, m, levels, k",
    [(200, 3, 5, 4), (3000, 4, 4, 60), (2049, 2, 50, 20), (500, 300, 3, 5)],
)
def test_huang_does_what_the_package_kmodes_does_with_a_stable_sort(
    monkeypatch, n, m, levels, k
):
    codes = np.random.default_rng(n).integers(levels, size=(n, m))
    monkeypatch.setattr(init_methods.np, "argsort", partial(np.argsort, kind="stable"))
    for seed in range(10):
        theirs = init_methods.init_huang(
            codes, k, matching_dissim, np.random.RandomState(seed)
        ).astype(int)
        assert np.array_equal(init_huang(codes, k, random_state=seed), theirs)


def test_huang_passes_over_a_row_equal_to_the_virtual_mode():
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert replace_virtual_modes(codes, [[0, 0]]).tolist() == [[0, 1]]
    assert replace_virtual_modes(codes, [[0, 0], [1, 1]]).tolist() == [[0, 1], [1, 0]]
    # it stays in the array as the second mode
    assert replace_virtual_modes(codes, [[0, 0], [0, 0]]).tolist() == [[0, 1], [1, 0]]
    assert replace_virtual_modes(codes, [[0, 5], [0, 0]]).tolist() == [[0, 1], [1, 0]]
    assert replace_virtual_modes(codes, [[1, 0], [0, 5], [0, 0]]).tolist() == [
        [1, 1],
        [0, 1],
        [1, 0],
    ]


@given(tables(), st.integers(0, 20))
def test_random_rows_are_the_first_different_ones_of_a_permutation(table, seed):
    codes, different = table
    expected = random_modes(as_rows(codes), different, np.random.RandomState(seed))
    assert np.array_equal(init_random(codes, different, random_state=seed), expected)


def test_random_draws_are_uniform_over_pairs():
    codes, draw = np.arange(4)[:, None], np.random.RandomState(0)
    pairs = np.array(
        [init_random(codes, 2, random_state=draw).ravel() for _ in range(6000)]
    )
    counts = np.bincount(pairs[:, 0] * 4 + pairs[:, 1], minlength=16).reshape(4, 4)
    assert not counts.diagonal().any()
    chi_squared = ((counts[~np.eye(4, dtype=bool)] - 500) ** 2 / 500).sum()
    assert chi_squared < 31.3  # the 0.999 quantile with 11 degrees of freedom


@pytest.mark.parametrize(
    "name", ["breast-cancer-wisconsin", "mushroom", "nursery", "soybean-large"]
)
def test_cao_initial_costs_of_the_paper(load_or_skip, name):
    """The cost after the first assignment and one update of the modes, each point at
    its nearest updated mode.
    """
    options = dict(id_column=True) if name == "breast-cancer-wisconsin" else {}
    codes, _ = encode(load_or_skip(name, missing="drop", return_X_y=True, **options)[0])
    tables = published().query(
        "source == 'wilde2020' and init == 'cao' and quantity == 'initial_cost' and "
        "dataset == @name"
    )
    assert len(tables) == 2
    for k, printed in zip(tables.n_clusters, tables["mean"]):
        labels, _ = assign(codes, init_cao(codes, int(k)))
        assert assign(codes, modes_of(codes, labels, int(k)))[1].sum() == printed


@settings(deadline=None, max_examples=150)
@given(tables(), st.data())
@pytest.mark.parametrize("name", REPEATING)
def test_whole_weights_are_repeated_rows(name, table, data):
    codes, _ = table
    init = partial(INITIALISATIONS[name], random_state=3)
    weights = np.array(
        data.draw(st.lists(st.integers(0, 4), min_size=len(codes), max_size=len(codes)))
    )
    if not weights.any():
        weights[0] = 1
    repeated = np.repeat(codes, weights, axis=0)
    k = data.draw(st.integers(1, len(np.unique(repeated, axis=0))))
    assert np.array_equal(init(codes, k, sample_weight=weights), init(repeated, k))


@pytest.mark.parametrize("init", INITIALISATIONS.values(), ids=INITIALISATIONS)
def test_rows_of_weight_zero_are_absent(init):
    codes = np.random.default_rng(0).integers(4, size=(60, 5))
    weights = np.random.default_rng(1).integers(3, size=60) * 0.7
    draw = dict(random_state=2)
    present = weights > 0
    assert np.array_equal(
        init(codes, 7, sample_weight=weights, **draw),
        init(codes[present], 7, sample_weight=weights[present], **draw),
    )


def with_none(codes, missing):
    return [
        [None if c == hole else c for c, hole in zip(x, missing)]
        for x in np.asarray(codes).tolist()
    ]


def filled_by_hand(X, weights):
    """Rows without None: the heaviest value of the column, the lowest on ties, 0 where
    there is none.
    """
    totals = [{} for _ in X[0]]
    for x, w in zip(X, weights):
        for total, value in zip(totals, x):
            if value is not None and w > 0:
                total[value] = total.get(value, 0) + w
    common = [max(sorted(total), key=total.get) if total else 0 for total in totals]
    return [[z if value is None else value for value, z in zip(x, common)] for x in X]


def partial_density(X, weights):
    "Cao's density of each row among its observed values, as exact fractions."

    def share(j, value):
        known = [(x[j], w) for x, w in zip(X, weights) if x[j] is not None]
        return Fraction(
            sum(w for v, w in known if v == value), sum(w for _, w in known)
        )

    return [
        np.mean([share(j, value) for j, value in enumerate(x) if value is not None])
        for x in X
    ]


def partial_cao(X, weights, n_clusters):
    filled = filled_by_hand(X, weights)
    density = partial_density(X, weights)
    chosen = []
    while len(chosen) < n_clusters:
        free = [i for i, x in enumerate(filled) if x not in [filled[l] for l in chosen]]
        chosen.append(
            max(
                free,
                key=lambda i: (
                    density[i]
                    * min([plain_partial(X[i], filled[l]) for l in chosen], default=1)
                ),
            )
        )
    return [filled[i] for i in chosen]


def partial_replace(X, weights, virtual):
    "Huang's second step; a virtual mode stays where no row is left."
    filled, A = filled_by_hand(X, weights), [list(z) for z in virtual]
    for l, z in enumerate(virtual):
        free = [i for i, x in enumerate(filled) if x not in A]
        if free:
            A[l] = filled[min(free, key=lambda i: plain_partial(X[i], z))]
    return A


@st.composite
def holed_tables(draw, max_rows=12):
    """Small codes with missing values, none in a whole row; their codes for missing;
    whole weights, at least one positive.
    """
    n, m = draw(st.integers(1, max_rows)), draw(st.integers(1, 4))
    missing = np.array(draw(st.lists(st.integers(1, 3), min_size=m, max_size=m)))
    codes = np.array(
        [[draw(st.integers(0, hole)) for hole in missing] for _ in range(n)]
    )
    for x in codes:
        if (x == missing).all():
            x[draw(st.integers(0, m - 1))] = 0
    weights = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    if not weights.any():
        weights[-1] = 1
    return codes, missing, weights


STARTS = {name: partial(init, random_state=4) for name, init in INITIALISATIONS.items()}


def different_rows(codes, missing, weights):
    return len(
        {
            tuple(x)
            for x, w in zip(filled_by_hand(with_none(codes, missing), weights), weights)
            if w
        }
    )


@pytest.mark.usefixtures("small_tables")
@settings(deadline=None, max_examples=120)
@given(holed_tables(), st.data())
def test_partial_cao_by_the_formula(table, data):
    codes, missing, weights = table
    present = weights > 0
    k = data.draw(st.integers(1, different_rows(*table)))
    X = with_none(codes[present], missing)
    assert init_cao(
        codes, k, sample_weight=weights, missing_codes=missing
    ).tolist() == partial_cao(X, weights[present], k)
    assert np.allclose(
        cao_density(codes, sample_weight=weights, missing_codes=missing)[present],
        np.array(partial_density(X, weights[present]), float),
        rtol=1e-14,
        atol=0,
    )
    # without weights other values may fill the gaps
    k = min(k, different_rows(codes, missing, present))
    assert init_cao(codes[present], k, missing_codes=missing).tolist() == partial_cao(
        X, [1] * len(X), k
    )


@pytest.mark.usefixtures("small_tables")
@settings(deadline=None, max_examples=120)
@given(holed_tables(), st.integers(0, 5), st.data())
def test_partial_huang_by_the_formula(table, seed, data):
    codes, missing, weights = table
    k = data.draw(st.integers(1, different_rows(*table)))
    draw = np.random.RandomState(seed)
    repeated = np.repeat(codes, weights, axis=0)
    known = [
        np.sort(column[column != hole]) for column, hole in zip(repeated.T, missing)
    ]
    virtual = np.stack(
        [draw.choice(column if len(column) else [0], k) for column in known], axis=1
    )
    assert np.array_equal(
        huang_virtual_modes(
            codes, k, random_state=seed, sample_weight=weights, missing_codes=missing
        ),
        virtual,
    )
    expected = partial_replace(
        with_none(codes[weights > 0], missing), weights[weights > 0], virtual.tolist()
    )
    found = init_huang(
        codes, k, random_state=seed, sample_weight=weights, missing_codes=missing
    )
    assert np.array_equal(
        replace_virtual_modes(
            codes, virtual, sample_weight=weights, missing_codes=missing
        ),
        found,
    )
    assert found.tolist() == expected


@settings(deadline=None, max_examples=60)
@given(holed_tables(), st.data())
@pytest.mark.parametrize("name", STARTS)
def test_partial_starts_are_complete_different_and_filled_rows(name, table, data):
    codes, missing, weights = table
    different = different_rows(*table)
    k = data.draw(st.integers(1, different))
    modes = STARTS[name](codes, k, sample_weight=weights, missing_codes=missing)
    rows = {
        tuple(x)
        for x, w in zip(filled_by_hand(with_none(codes, missing), weights), weights)
        if w
    }
    found = set(map(tuple, modes.tolist()))
    assert len(modes) == k == len(found)
    assert name not in ROWS or found <= rows
    assert (modes != missing).all()
    with pytest.raises(ValueError, match=f"n_clusters={different + 1}"):
        STARTS[name](codes, different + 1, sample_weight=weights, missing_codes=missing)


@pytest.mark.usefixtures("small_tables")
@settings(deadline=None, max_examples=60)
@given(holed_tables(), st.data())
@pytest.mark.parametrize("name", REPEATING)
def test_whole_weights_are_repeated_rows_with_missing_values(name, table, data):
    codes, missing, weights = table
    k = data.draw(st.integers(1, different_rows(*table)))
    repeated = np.repeat(codes, weights, axis=0)
    assert np.array_equal(
        STARTS[name](codes, k, sample_weight=weights, missing_codes=missing),
        STARTS[name](repeated, k, missing_codes=missing),
    )


@given(tables(), st.data())
@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize(
    "weigh",
    [None, lambda n: np.arange(1, n + 1), lambda n: np.arange(1, n + 1) / 7],
    ids=["none", "whole", "fractions"],
)
def test_codes_that_never_occur_change_nothing(name, weigh, table, data):
    codes, different = table
    k, weights = data.draw(st.integers(1, different)), weigh and weigh(len(codes))
    never = codes.max(axis=0) + data.draw(st.integers(1, 3))
    assert np.array_equal(
        STARTS[name](codes, k, sample_weight=weights, missing_codes=never),
        STARTS[name](codes, k, sample_weight=weights),
    )
    assert np.array_equal(
        cao_density(codes, sample_weight=weights, missing_codes=never),
        cao_density(codes, sample_weight=weights),
    )


@given(tables(), st.data())
@pytest.mark.parametrize("name", STARTS)
def test_missing_values_in_rows_of_weight_zero_do_not_count(name, table, data):
    codes, different = table
    missing, k = codes.max(axis=0) + 1, data.draw(st.integers(1, different))
    holed = np.vstack(
        [codes, np.where(np.eye(codes.shape[1], dtype=bool), 0, missing), missing]
    )  # the last row has no value at all
    weights = np.append(np.ones(len(codes), int), [0] * (codes.shape[1] + 1))
    assert np.array_equal(
        STARTS[name](holed, k, sample_weight=weights, missing_codes=missing),
        STARTS[name](codes, k, sample_weight=weights[: len(codes)]),
    )


def test_partial_cao_does_not_depend_on_the_order_of_the_attributes():
    rng = np.random.default_rng(0)
    for levels, n in (2, 60), (3, 300):
        for _ in range(10):
            codes = rng.integers(levels, size=(n, 9))
            codes[rng.random(codes.shape) < 0.2] = levels
            codes[(codes == levels).all(axis=1), 0] = 0
            order = rng.permutation(9)
            weights = rng.integers(1, 4, n) / rng.choice([1, 3])
            modes = init_cao(
                codes, 12, sample_weight=weights, missing_codes=[levels] * 9
            )
            assert np.array_equal(
                init_cao(
                    codes[:, order],
                    12,
                    sample_weight=weights,
                    missing_codes=[levels] * 9,
                ),
                modes[:, order],
            )


def test_the_start_of_cao_does_not_depend_on_the_unit_of_the_weights():
    codes = np.random.RandomState(0).randint(3, size=(30, 5)).astype(np.uint8)
    weights = np.random.RandomState(1).randint(1, 9, 30)
    for unit in 2**20, 2**25, 2**31:  # sums beyond 32 bits
        np.testing.assert_array_equal(
            init_cao(codes, 6, sample_weight=weights * unit),
            init_cao(codes, 6, sample_weight=weights),
        )
