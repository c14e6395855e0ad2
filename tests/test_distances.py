"""Distances: equal to the plain form and to scipy on tables of any kind, whatever the
form, type, threads and blocks.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st
from scipy.spatial.distance import cdist, squareform

from kmodes_study.measures.distances import gower_distances, hamming_distances
from oracles.dissimilarity import plain_distance


def table(seed, n, p, q, gaps):
    """Numbers (small whole ones, so that ranges of 0 occur), strings and gaps: a frame,
    and its rows with None.
    """
    rng = np.random.RandomState(seed)
    cells = np.column_stack(
        [
            rng.randint(-2, 3, (n, p)).astype(object),
            rng.choice(list("ab"), (n, q)).astype(object),
        ]
    )
    cells[rng.rand(n, p + q) < gaps] = None
    return pd.DataFrame(cells).astype({j: float for j in range(p)}), cells.tolist()


def by_plain(rows, others, weights, p, share):
    "The matrix by the plain form."
    seen = [[x for x in column if x is not None] for column in zip(*rows, *others)]
    ranges = [
        max(column) - min(column) if j < p else None for j, column in enumerate(seen)
    ]
    found = [
        [plain_distance(x, y, weights, ranges, share) for y in others] for x in rows
    ]
    return np.array([[np.nan if d is None else float(d) for d in row] for row in found])


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 7),
    p=st.integers(0, 5),
    q=st.integers(0, 5),
    gaps=st.sampled_from([0, 0.2]),
    data=st.data(),
)
def test_equal_to_the_plain_form(seed, n, p, q, gaps, data):
    assume(p + q)
    frame, rows = table(seed, n + 2, p, q, gaps)
    each = st.sampled_from([0, 1, 1, 2, 0.5])
    weights = data.draw(st.tuples(*[each] * (p + q)).filter(any))
    seen = frame.notna().to_numpy()[:, np.array(weights) > 0]
    assume(seen.any(axis=0).all() and seen.any(axis=1).all())
    options = dict(missing="ignore", feature_weight=weights, dtype="float64")
    expected = by_plain(rows, rows, weights, p, True)
    near = dict(rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(gower_distances(frame, **options), expected, **near)
    single = gower_distances(frame, **options | dict(dtype="float32"))
    assert single == pytest.approx(expected, abs=1e-6, nan_ok=True)
    expected = by_plain(rows[:n], rows[n:], weights, p, True)
    found = gower_distances(frame[:n], frame[n:], **options)
    np.testing.assert_allclose(found, expected, **near)
    if not p:
        expected = by_plain(rows, rows, weights, p, False)
        found = hamming_distances(frame, **options)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("m", [1, 3, 4, 21, 300])
@pytest.mark.parametrize("levels", [2, 400])
def test_hamming_is_scipys_to_the_last_count(m, levels):
    codes = np.random.RandomState(m).randint(levels, size=(70, m))
    expected = np.rint(cdist(codes, codes, "hamming") * m)
    assert (hamming_distances(codes) == expected).all()
    assert (hamming_distances(codes, condensed=True) == squareform(expected)).all()
    assert (hamming_distances(codes[:9], codes[20:]) == expected[:9, 20:]).all()
    if m > 255:  # each type is compiled for itself
        counts = hamming_distances(codes, dtype=np.uint16)
        assert counts.dtype == np.uint16
        assert (counts == expected).all()


def test_blocks_rows_and_threads_change_nothing():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame(
        {"a": rng.rand(2500), "b": rng.choice(list("xyz"), 2500), "c": rng.rand(2500)}
    )
    whole = gower_distances(frame)
    assert (whole == whole.T).all()
    assert not np.diag(whole).any()
    assert (whole == gower_distances(frame, n_jobs=3)).all()
    flat = gower_distances(frame, condensed=True, n_jobs=2)
    assert (squareform(flat, checks=False) == whole).all()
    parts = [gower_distances(frame[i : i + 700], frame) for i in range(0, 2500, 700)]
    assert (np.concatenate(parts) == whole).all()


@pytest.mark.parametrize("kind", ["object", "category", "str", "string"])
def test_strings_of_any_type_are_categories(kind):
    text = pd.Series(["x", None, "x"], dtype=kind)
    frame = pd.DataFrame({"n": [-3.0, -1, 0], "c": text})
    for missing, expected in dict(ignore=[4, 3, 2], category=[5, 3, 4]).items():
        flat = gower_distances(frame, missing=missing, condensed=True, dtype="float64")
        assert flat == pytest.approx(np.array(expected) / 6)


def test_data_stay_as_they_are_and_foreign_frames_are_read():
    polars = pytest.importorskip("polars")
    frame = pd.DataFrame({"n": [1.0, 2, 4], "c": ["x", "y", "x"]})
    before = frame.copy()
    found = gower_distances(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert (gower_distances(polars.from_pandas(frame)) == found).all()
    assert (gower_distances(frame.to_numpy()) == found).all()
    assert (gower_distances(frame, categorical_features=["c"]) == found).all()


@pytest.mark.parametrize(
    "function, tables, options, named",
    [
        (hamming_distances, [[["a", 1]], [["a"]]], {}, "Y"),
        (hamming_distances, [[["a"], [None]]], dict(missing="ignore"), "X"),
        (hamming_distances, [[[0] * 300]], dict(dtype="uint8"), "dtype"),
        (hamming_distances, [[[1]], [[1]]], dict(condensed=True), "condensed"),
        (gower_distances, [[[1.0], [np.nan]]], {}, "X"),
    ],
)
def test_what_cannot_be_done_is_refused(function, tables, options, named):
    with pytest.raises(ValueError, match=f"{named} must"):
        function(*tables, **options)
