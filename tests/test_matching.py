"""The game against brute force, its plain form and the package `matching`; the
initialisation against its plain steps.
"""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from matching.games import HospitalResident

from kmodes_study.cluster.starts import matching as m
from kmodes_study.core.codes import as_codes
from kmodes_study.core.rows import Rows
from oracles.dissimilarity import plain_partial
from kmodes_study.plain.matching import (
    blocking_pairs,
    deferred_acceptance,
    draw_different_modes,
    matching_modes,
)


def game_from(rng, n_residents, n_hospitals, shortest=1):
    """A random game; players are strings, since the package `matching` names its
    players by them.
    """
    hospitals = [f"h{h}" for h in range(n_hospitals)]

    some = lambda size: rng.permutation(hospitals)[:size].tolist()
    drawn = lambda: rng.integers(shortest, n_hospitals + 1)
    f = {f"r{r}": some(drawn()) for r in range(n_residents)}
    ranked_by = {h: [r for r in f if h in f[r]] for h in hospitals}
    g = {h: rng.permutation(rs).tolist() for h, rs in ranked_by.items() if rs}
    return f, g


def valid_matchings(f, g):
    for places in product(*[[*hospitals, None] for hospitals in f.values()]):
        posts = [h for h in places if h is not None]
        if len(posts) == len(set(posts)):
            yield dict(zip(f, places))


def blocks(r, h, M, f, g):
    "Definition 8 of the paper, literally, with one post in each hospital."
    if r not in g[h] or h not in f[r]:
        return False
    gains = M[r] is None or f[r].index(h) < f[r].index(M[r])
    held = [s for s in f if M[s] == h]
    return gains and (not held or g[h].index(r) < g[h].index(held[0]))


def stable_matchings(f, g):
    stable = lambda M: not any(blocks(r, h, M, f, g) for r in f for h in g)
    return [*filter(stable, valid_matchings(f, g))]


def solved(f, g):
    "The resident-optimal matching of a game of lists by `resident_optimal`."
    number, longest = {h: i for i, h in enumerate(g)}, max(map(len, f.values()))
    choices, grades = np.full((2, len(f), longest), -1)
    for row, (r, hospitals) in enumerate(f.items()):
        choices[row, : len(hospitals)] = [number[h] for h in hospitals]
        grades[row, : len(hospitals)] = [g[h].index(r) for h in hospitals]
    matched = m.resident_optimal(choices, grades)
    return {r: list(g)[h] if h >= 0 else None for r, h in zip(f, matched)}


def by_package(f, g):
    posts = dict.fromkeys(g, 1)
    game = HospitalResident.create_from_dictionaries(f, g, posts)
    found = game.solve(optimal="resident")
    return dict.fromkeys(f) | {r.name: h.name for h, rs in found.items() for r in rs}


games = st.builds(
    lambda seed, a, b, full: game_from(
        np.random.default_rng(seed), a, b, b if full else 1
    ),
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.integers(1, 4),
    st.booleans(),
)


@given(games)
@settings(max_examples=150, deadline=None)
def test_outcome_is_stable_and_resident_optimal(game):
    f, g = game
    M, stable = solved(f, g), stable_matchings(f, g)
    assert deferred_acceptance(f, g) == M
    assert M in stable
    place = lambda M, r: [*f[r], None].index(M[r])
    for r in f:
        assert place(M, r) == min(place(other, r) for other in stable)
    # Roth's rural hospitals theorem: every stable matching fills the same number of
    # posts of each hospital
    for other in stable:
        assert Counter(other.values()) == Counter(M.values())


@given(games)
@settings(max_examples=60, deadline=None)
def test_the_plain_blocking_pairs_are_those_of_the_definition(game):
    f, g = game
    for M in valid_matchings(f, g):
        assert blocking_pairs(M, f, g) == [
            (r, h) for r in f for h in f[r] if blocks(r, h, M, f, g)
        ]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("size", [(3, 3), (9, 4), (4, 9), (30, 30), (60, 12)])
def test_equal_to_the_plain_form_and_to_the_package(size, seed):
    rng = np.random.default_rng(seed)
    game = game_from(rng, *size, shortest=1 + seed % size[1])
    assert solved(*game) == deferred_acceptance(*game) == by_package(*game)


def as_lists(choices, grades):
    """The preference lists of a game that is given by arrays; equal grades go to the
    lowest resident.
    """
    f = {r: [h for h in row if h >= 0] for r, row in enumerate(choices.tolist())}
    graded = {
        h: [(grades[r, f[r].index(h)], r) for r in f if h in f[r]]
        for h in sorted({*sum(f.values(), [])})
    }
    return f, {h: [r for _, r in sorted(ranked)] for h, ranked in graded.items()}


def array_game(seed, n_residents, n_hospitals, places, n_grades):
    """A random game in arrays, with ties among the grades and lists of different
    lengths.
    """
    rng = np.random.default_rng(seed)
    choices = np.array(
        [rng.permutation(n_hospitals)[:places] for _ in range(n_residents)]
    )
    choices[np.arange(places) >= rng.integers(1, places + 1, n_residents)[:, None]] = -1
    return choices, rng.integers(0, n_grades, choices.shape)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_grades", [1, 3, 1000])
def test_array_game_equals_its_lists(seed, n_grades):
    choices, grades = array_game(seed, 25, 20, 9, n_grades)
    f, g = as_lists(choices, grades)
    expected = deferred_acceptance(f, g)
    found = m.resident_optimal(choices, grades)
    assert [None if h < 0 else h for h in found.tolist()] == [
        expected[r] for r in range(25)
    ]


def frame(seed, n=120, attributes=5, levels=6):
    "Codes with uneven frequencies and repeated rows; codes that do not occur, too."
    return np.minimum(
        2 * np.random.default_rng(seed).geometric(0.45, (n, attributes)) - 2, levels
    ).astype(np.uint8)


@pytest.mark.parametrize("n, k", [(1, 1), (7, 3), (120, 25), (683, 60), (999, 2)])
@pytest.mark.parametrize("seed", range(6))
def test_virtual_modes_follow_the_stream_of_choice(n, k, seed):
    X = frame(seed, n)
    ours = np.random.RandomState(seed)
    theirs = np.random.RandomState(seed)
    expected = [list(z) for z in draw_different_modes(X.tolist(), k, theirs)]
    assert m.virtual_modes(X, k, random_state=ours).tolist() == expected
    assert ours.randint(2**31) == theirs.randint(2**31)


def holed(seed, n=120, attributes=5, share=0.2):
    """The codes of `frame` with missing values, none in a whole row, and the codes for
    missing, 9 in each column.
    """
    X, rng = frame(seed, n, attributes), np.random.default_rng(seed)
    X[rng.random(X.shape) < share] = 9
    X[(X == 9).all(axis=1), rng.integers(attributes)] = 0
    return X, np.full(attributes, 9)


def partial_distance(x, z):
    return plain_partial([None if code == 9 else code for code in x], z)


def partial_init(X, k, seed, preference, weights):
    """The steps in plain Python; virtual modes from each column without its missing
    values.
    """
    rng = np.random.RandomState(seed)
    rows = [x for x, w in zip(X.tolist(), weights) for _ in range(w)]
    columns = [[code for code in column if code != 9] for column in zip(*rows)]
    common = [max(sorted(column), key=column.count) for column in columns]
    tables = []
    for column in columns:
        share = dict.fromkeys(column, 0)
        for code in column:
            share[code] += 1 / len(column)
        tables.append(share)
    virtual = []
    while len(virtual) < k:
        z = [int(rng.choice(list(share), p=list(share.values()))) for share in tables]
        if z not in virtual:
            virtual.append(z)
    first = {}
    for x in rows:
        whole = tuple(z if code == 9 else code for code, z in zip(x, common))
        first.setdefault(whole, x)
    candidates, filled = list(first.values()), list(first)
    far = [[partial_distance(x, z) for x in candidates] for z in virtual]
    places = range(len(candidates))
    f = {r: sorted(places, key=far[r].__getitem__)[:k] for r in range(k)}
    sign = 1 if preference == "best" else -1
    g = {
        h: sorted([r for r in f if h in f[r]], key=lambda r: sign * far[r][h])
        for h in {*sum(f.values(), [])}
    }
    M = deferred_acceptance(f, g)
    return [list(filled[M[r]]) for r in f]


@pytest.mark.parametrize("preference", ["best", "worst"])
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("k", [1, 5, 25])
def test_initialisation_equals_its_naive_steps(k, seed, preference):
    X, missing = holed(seed, share=0.1 * (seed % 5))
    weights = np.random.default_rng(seed).integers(0, 4, len(X))
    expected = partial_init(X, k, seed, preference, weights)
    repeated = np.repeat(X, weights, axis=0)
    options = dict(random_state=seed, preference=preference)
    if seed % 5 == 0:  # no value is missing
        assert np.array_equal(m.init_matching(repeated, k, **options), expected)
    if seed % 5 == 0 and preference == "best":
        rows = list(map(tuple, repeated.tolist()))
        plain = matching_modes(rows, k, np.random.RandomState(seed))
        assert np.array_equal(plain, expected)
    options["missing_codes"] = missing
    assert m.init_matching(X, k, sample_weight=weights, **options).tolist() == expected
    assert m.init_matching(repeated, k, **options).tolist() == expected


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("share", [0, 0.2])
@pytest.mark.parametrize(
    "n, attributes, k, n_choices",
    [(1, 2, 1, 1), (50, 3, 7, 50), (400, 6, 9, 9), (400, 6, 9, 1), (60, 300, 4, 20)],
)
def test_nearest_candidates_in_stable_order(dtype, share, n, attributes, k, n_choices):
    X, missing = holed(n, n, attributes, share)
    Z = as_codes(frame(n + 1, k, attributes).astype(dtype))
    rows = Rows.of(X.astype(dtype), missing_codes=missing if share else None)
    choices, nearest = m._resident_preferences(rows, Z, n_choices)
    distances = [[partial_distance(x, z) for x in X.tolist()] for z in Z.tolist()]
    order = [sorted(range(n), key=row.__getitem__)[:n_choices] for row in distances]
    assert choices.tolist() == order
    assert nearest.tolist() == [
        [float(row[i]) for i in chosen] for row, chosen in zip(distances, order)
    ]
