"""What a campaign of bad inputs found, each once: the right class of error, in words
that name the argument.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kmodes_study import CategoryEncoder, KModes, KPrototypes, decode, encode
from kmodes_study.cluster import cluster_costs, init_cao
from kmodes_study.cluster.blocks import (
    cao_blocks,
    lloyd_blocks,
    make_blocks,
    sample_rows,
)
from kmodes_study.cluster.stream import StreamCounts, absorb, widened
from kmodes_study.storage.code_files import rows_as_frame
from kmodes_study.describe import plot_embedding, plot_knee, plot_modes
from kmodes_study.describe.description_length import mismatch_penalty
from kmodes_study.family import (
    ROCK,
    FuzzyKModes,
    LatentClasses,
    PKMeans,
    k_means,
    k_medians,
)
from kmodes_study.family.fuzzy import fuzzy_memberships
from kmodes_study.family.neighbours import links
from kmodes_study.family.rock_clustering import rock, rock_labels
from kmodes_study.measures import expected_mutual_information, hamming_distances
from kmodes_study.study.compare import holm, require_exact, side_by_side, verdict_counts
from kmodes_study.study.legacy import run_legacy
from kmodes_study.study.published import could_be_integers
from kmodes_study.core.stored import levels_to_json


def with_gaps():
    "A table of words, a fifth of its cells missing."
    rng = np.random.RandomState(0)
    table = np.array(list("abcd"), object)[rng.randint(4, size=(60, 5))]
    table[rng.rand(60, 5) < 0.2] = None
    return table


@pytest.mark.parametrize(
    "kind", [KModes, KPrototypes, FuzzyKModes, LatentClasses, ROCK]
)
@pytest.mark.parametrize("missing", ["ignore", "category"])
@pytest.mark.filterwarnings("ignore:no column of X is numeric")
def test_an_option_in_capitals_is_the_same_option(kind, missing):
    table, other = pd.DataFrame(with_gaps()), pd.DataFrame(with_gaps()[::-1])
    other.iloc[3, 2] = "new"
    fits = [
        kind(3, missing=one, handle_unknown=two, random_state=0).fit(table)
        for one, two in ((missing, "ignore"), (missing.upper(), "Ignore"))
    ]
    assert np.array_equal(*(model.labels_ for model in fits))
    assert np.array_equal(*(model.predict(other) for model in fits))


def test_an_encoder_takes_options_in_capitals():
    codes = [
        CategoryEncoder(one, two)
        .fit(with_gaps())
        .transform([["a", None, "new", "b", "c"]])
        for one, two in (("ignore", "ignore"), ("Ignore", "IGNORE"))
    ]
    assert np.array_equal(*codes)
    assert codes[0].dtype == codes[1].dtype


@pytest.mark.parametrize("kind", [KModes, FuzzyKModes, LatentClasses, PKMeans])
@pytest.mark.parametrize(
    "name, value, words",
    [
        ("n_init", 2**63, "n_init must be a whole number of at most 1,000,000"),
        ("max_iter", 2**63, "max_iter must be a whole number of at most"),
        ("missing", np.array([1, 2]), "missing must be one of"),
        ("missing", pd.NA, "missing must be one of"),
        ("n_jobs", np.array([1, 2]), "n_jobs must be a whole number"),
        ("n_jobs", pd.NA, "n_jobs must be a whole number"),
    ],
)
def test_a_parameter_that_is_no_use_is_named(kind, name, value, words):
    if name not in kind().get_params():
        kind = KModes
    options = dict(init="random") if kind is KModes else {}
    with pytest.raises(ValueError, match=words):
        kind(2, **{name: value}, **options).fit([[0, 1], [1, 2], [2, 0]])


def test_weights_too_small_for_a_sum_are_refused():
    with pytest.raises(ValueError, match="sample_weight is too small"):
        KModes(2).fit([["a"], ["b"]], sample_weight=[5e-324] * 2)


def test_numbers_that_differ_beyond_64_bits_are_different():
    if np.finfo(np.longdouble).eps > 2**-60:
        pytest.skip("long numbers are no longer than others here")
    long = (
        np.ones((4, 1), np.longdouble)
        + np.array([[0], [2], [1], [2]]) * np.longdouble(2) ** -60
    )
    codes, categories = encode(long)
    assert codes.ravel().tolist() == [0, 2, 1, 2]
    assert (categories[0][codes.ravel()] == long.ravel()).all()
    encoder = CategoryEncoder().fit(long)
    assert (encoder.inverse_transform(encoder.transform(long)) == long).all()
    assert KModes(1).fit(long).cost_ == 2
    assert encode(pd.DataFrame(long))[0].ravel().tolist() == [0, 2, 1, 2]
    assert encode(np.append(long, [[np.nan]], 0), "ignore")[0].ravel().tolist() == [
        0,
        2,
        1,
        2,
        3,
    ]


def ragged():
    return [[1, 2], [3]]


STREAM = StreamCounts(np.zeros((2, 5), np.int64), (3, 2))
MODES = np.array([[0, 0], [2, 1]], np.uint8)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: k_means(ragged(), [[1.0]]), "X must have rows of one length"),
        (lambda: k_means([[1.0, 2.0]], {}), "centres must"),
        (lambda: k_medians([1, 2], [[1.0]]), "X must have 2 dimensions"),
        (lambda: links(3), "neighbours must be a sparse matrix"),
        (lambda: rock(None, 2, 0.5), "neighbours must be a sparse"),
        (
            lambda: rock_labels(np.eye(2), ["a", "b"], 0.5),
            "labels must hold the number of a cluster",
        ),
        (lambda: fuzzy_memberships("far", 2), "distances must"),
        (lambda: decode([[0]], 3), "categories must be a list"),
        (lambda: hamming_distances([[0], [1]], dtype=1.5), "dtype must be the name"),
        (
            lambda: expected_mutual_information(ragged()),
            "contingency must have rows of one length",
        ),
        (
            lambda: init_cao([[0, 1], [1, 0]], 1, missing_codes=["a", "b"]),
            "missing_codes must hold one code",
        ),
        (lambda: verdict_counts([1]), "comparison must be a frame"),
        (lambda: require_exact(None), "comparison must be a"),
        (
            lambda: side_by_side(pd.DataFrame({"a": [1]})),
            "comparison must have a column 'verdict'",
        ),
        (lambda: could_be_integers(1.0, 1.0, 0), "n must be a whole number"),
        (lambda: plot_knee([1], [2], ax=1), "ax must be"),
        (lambda: plot_modes([["a"]], [0], ax=1), "ax must be"),
        (lambda: plot_embedding([[0, 1]], ax="x"), "ax must be"),
        (
            lambda: cluster_costs([[1, 0]], [0], [[1, 0]], missing_codes=[1, 1]),
            "modes must be complete",
        ),
        (
            lambda: mismatch_penalty(3, np.inf, [2, 2]),
            "n_samples must be a finite number above 0",
        ),
        (
            lambda: KModes(1, init=[[None, 1]]).fit([[0, 1]]),
            "init must not hold missing values",
        ),
        (lambda: run_legacy([[0], [1]], 1, "cao", "x"), "seed must be"),
        (lambda: holm("p"), "p_values must be"),
        (lambda: levels_to_json(["red"]), "levels must be an array"),
        (lambda: encode(range(10**12)), "X must be two-dim"),
        (
            lambda: KModes().fit(range(10**12)),
            "X must be two-dimensional, got a flat list",
        ),
        (lambda: widened({}, (3, 2)), "stream must be StreamCounts"),
        (lambda: widened(STREAM, (3,)), "levels must hold"),
        (lambda: widened(STREAM, 5), "levels must hold"),
        (lambda: widened(STREAM, (2, 2)), "levels must be a whole"),
        (
            lambda: widened(STREAM, ("a", 2)),
            "levels must be a whole number of at least 3",
        ),
        (lambda: absorb((), MODES, MODES), "stream must be"),
        (lambda: absorb(STREAM, MODES, [["a", "b"]]), "codes must"),
        (
            lambda: absorb(STREAM._replace(levels=(9, 9)), MODES, MODES),
            "stream must have a row of counts",
        ),
        (
            lambda: absorb(STREAM, MODES, [[0, 2]]),
            "codes must be below 2 in column 1, got 2",
        ),
        (lambda: absorb(STREAM, MODES[:1], MODES), "modes must be as many"),
        (
            lambda: absorb(STREAM, [[0], [1]], MODES),
            "modes must have one column for each of the 2",
        ),
        (lambda: make_blocks([], 2), "file must be a CodeFile"),
        (lambda: sample_rows("x.codes"), "file must be a CodeFile"),
        (lambda: rows_as_frame(MODES, [0]), "file must be a CodeFile"),
        (
            lambda: lloyd_blocks([], MODES),
            "blocks must be all rows of a file, got none",
        ),
        (lambda: lloyd_blocks({}, MODES), "blocks must be a list of RowBlock"),
        (lambda: cao_blocks([], 2), "blocks must"),
        (
            lambda: cao_blocks([3], 2),
            "blocks must be a list of RowBlock, .* got int in it",
        ),
        (lambda: cao_blocks([3], 2, run=5), "run must be a function like map"),
        (
            lambda: encode(pl.DataFrame({"a": [{"x": 1}]})),
            "X must hold columns of simple values, got Struct",
        ),
        (
            lambda: encode(pl.DataFrame({"a": pl.Series([1], dtype=pl.Int128)})),
            "X must hold columns of simple values",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
