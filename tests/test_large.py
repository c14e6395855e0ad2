"""`KModes` on files of codes and on streams of batches."""

import os
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kmodes_study import KModes
from kmodes_study.cluster.algorithms import lloyd as batch
from kmodes_study.cluster.algorithms.lloyd import lloyd
from kmodes_study.cluster.blocks import draw_rows, sample_rows
from kmodes_study.cluster.modes import check_clustering, cost
from kmodes_study.cluster.starts.basic import INITIALISATIONS, init_cao
from kmodes_study.cluster.stream import StreamCounts, absorb
from kmodes_study.core.codes import decode, encode
from kmodes_study.data import make_planted_clusters

pytest.importorskip("pyarrow", reason="pyarrow, the extra big, is not installed")
from kmodes_study.storage import code_files  # noqa: E402
from kmodes_study.storage.code_files import write_codes  # noqa: E402
from kmodes_study.describe.profiles import (
    category_profiles,
    cluster_profiles,
)  # noqa: E402
from kmodes_study.describe.words import describe_clusters  # noqa: E402
from kmodes_study.measures.silhouette import silhouette_score  # noqa: E402


def planted_frame(n, seed, holes=0.0):
    rng = np.random.RandomState(seed)
    codes = make_planted_clusters(
        n, 6, [3, 5, 4, 2, 7, 30], n_clusters=4, noise=0.3, random_state=seed
    ).codes
    frame = pd.DataFrame(
        {
            f"x{j}": np.array([f"word {c}" for c in range(30)])[column]
            if j % 2
            else column
            for j, column in enumerate(codes.T)
        }
    )
    return frame.mask(rng.rand(*frame.shape) < holes, None) if holes else frame


WEIGHTS = dict(
    none=None,
    whole=np.random.RandomState(0).randint(0, 4, 3000),
    parts=np.random.RandomState(0).rand(3000),
)


@pytest.mark.parametrize(
    "init, weights", [("cao", "none"), ("random", "whole"), ("given", "parts")]
)
@pytest.mark.parametrize(
    "missing, holes",
    [("error", 0.0), ("category", 0.1), ("ignore", 0.0), ("ignore", 0.1)],
)
def test_a_file_is_clustered_as_its_frame(
    tmp_path, monkeypatch, init, missing, holes, weights
):
    for module in (batch, code_files):
        monkeypatch.setattr(module, "part_rows", lambda m: 700)
    frame, weights = planted_frame(3000, 1, holes), WEIGHTS[weights]
    start = frame.dropna()[:4] if init == "given" else init
    model = KModes(
        4, init=start, algorithm="lloyd", missing=missing, random_state=3, n_init=2
    )
    expected = KModes(**model.get_params()).fit(frame, sample_weight=weights)
    file = write_codes(frame, tmp_path / "x.codes")
    model.set_params(algorithm="auto").fit(file, sample_weight=weights)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    found, right = (
        [model.n_iter_, model.cost_, *model.epoch_costs_] for model in (model, expected)
    )
    # equal rows are added up elsewhere
    assert found == (pytest.approx(right, rel=1e-9) if model.cost_ % 1 else right)
    if not (missing == "ignore" and holes):
        check_clustering(
            np.array(file.codes), model.labels_, model.modes_, model.cost_, weights
        )
    assert pd.DataFrame(model.cluster_centroids_).equals(
        pd.DataFrame(expected.cluster_centroids_)
    )
    np.testing.assert_array_equal(model.predict(frame), expected.predict(frame))
    np.testing.assert_array_equal(model.predict(file), expected.predict(frame))
    assert model.score(file) == expected.score(frame)
    assert list(model.feature_names_in_) == list(frame.columns)


def test_a_file_in_which_all_rows_are_their_modes(tmp_path):
    frame = pd.DataFrame({"a": ["x", None, "y", "x"], "b": ["0", "1", "1", "2"]})
    model = KModes(
        4, missing="ignore", algorithm="lloyd", init="random", random_state=0
    )
    expected = KModes(**model.get_params()).fit(frame)
    file = write_codes(frame, tmp_path / "r.codes")
    assert model.fit(file).labels_.tolist() == expected.labels_.tolist()
    assert model.cost_ == expected.cost_ == 0


def outcome(X, weights, **options):
    "The fitted model, or the class of the error."
    try:
        return KModes(**options).fit(X, sample_weight=weights)
    except ValueError as error:
        return type(error)


def small_frame(rng, gaps):
    "A frame of a few words, so small that clusters fall empty, and weights."
    n, m = rng.randint(4, 9), rng.randint(2, 4)
    words = rng.choice(list("abc"), (n, m)).astype(object)
    words[rng.rand(n, m) < rng.choice(gaps)] = None
    return pd.DataFrame(words, columns=[f"c{j}" for j in range(m)]), [
        None,
        rng.randint(0, 2, n),
        rng.rand(n),
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "missing, gaps",
    [("error", [0, 0.1]), ("category", [0.1, 0.5]), ("ignore", [0.1, 0.3, 0.5])],
)
def test_small_files_with_gaps_are_clustered_as_their_frames(
    tmp_path, monkeypatch, missing, gaps
):
    monkeypatch.setattr(os, "fsync", lambda number: None)
    n_fits = 0
    for seed in range(10):
        rng = np.random.RandomState(seed)
        frame, weights = small_frame(rng, gaps)
        file = write_codes(frame, tmp_path / f"{seed}.codes")
        for number, init in enumerate(INITIALISATIONS):
            own = weights[(seed + number) % 3]
            options = dict(
                n_clusters=rng.randint(2, 6),
                missing=missing,
                init=init,
                random_state=seed,
                n_init=2,
            )
            expected = outcome(frame, own, algorithm="lloyd", **options)
            found = outcome(file, own, **options)
            if isinstance(expected, type):
                assert found is expected
            else:
                same_model(found, expected, frame, file)
            n_fits += not isinstance(expected, type)
    assert n_fits > 20


def same_model(found, expected, frame, file):
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert (
        pd.DataFrame(found.cluster_centroids_)
        .fillna("gone")
        .equals(pd.DataFrame(expected.cluster_centroids_).fillna("gone"))
    )
    assert found.cost_ == pytest.approx(expected.cost_, rel=1e-9)
    assert found.n_iter_ == expected.n_iter_
    for X in frame, file:
        np.testing.assert_array_equal(found.predict(X), expected.predict(frame))
    np.testing.assert_array_equal(found.transform(frame), expected.transform(frame))


def test_labels_that_are_written_part_by_part(tmp_path, monkeypatch):
    file = write_codes(planted_frame(1000, 3), tmp_path / "x.codes")
    model = KModes(3, init="random", random_state=0).fit(file)
    monkeypatch.setattr("kmodes_study.cluster.estimator._LABELLED", 300)
    labels = model.predict(file, out=tmp_path / "labels.npy")
    assert isinstance(labels, np.memmap)
    assert (labels == model.labels_).all()
    assert labels.dtype == np.int32
    assert (np.load(tmp_path / "labels.npy") == labels).all()
    assert not (tmp_path / "labels.npy.part").exists()
    with pytest.raises(TypeError, match="out must be None"):
        model.predict(planted_frame(9, 3), out="labels.npy")


def test_a_larger_file_is_started_from_a_sample(tmp_path, monkeypatch):
    frame = planted_frame(1000, 5)
    file = write_codes(frame, tmp_path / "x.codes")
    monkeypatch.setattr("kmodes_study.cluster.estimator._SAMPLED", 100)
    start = frame.iloc[draw_rows(1000, 100)]
    modes = init_cao(write_codes(start, tmp_path / "y.codes").codes, 3)
    expected = KModes(3, init=decode(modes, encode(start)[1]), algorithm="lloyd").fit(
        frame
    )
    assert KModes(3).fit(file).epoch_costs_ == expected.epoch_costs_
    runs = [
        KModes(3, init="random", n_init=n, random_state=0).fit(file).cost_
        for n in ("auto", 1, 8)
    ]
    assert runs[0] == runs[1] >= runs[2]


def test_profiles_cost_and_silhouette_of_a_file(tmp_path):
    frame = planted_frame(2000, 7, 0.05)
    file = write_codes(frame, tmp_path / "x.codes")
    labels = np.random.RandomState(0).randint(0, 3, 2000)
    for weights in (None, np.random.RandomState(1).randint(1, 4, 2000)):
        assert describe_clusters(
            file, labels, sample_weight=weights
        ) == describe_clusters(frame, labels, sample_weight=weights)
        for profiles in (cluster_profiles, category_profiles):
            found, expected = (
                profiles(X, labels, weights).fillna("missing") for X in (file, frame)
            )
            pd.testing.assert_frame_equal(found, expected)
    codes = np.ascontiguousarray(file.codes)
    drawn = dict(sample_size=300, random_state=0)
    for options in ({}, drawn, dict(sample_weight=weights)):
        assert silhouette_score(
            file, labels, missing="category", **options
        ) == silhouette_score(codes, labels, **options)
    with pytest.raises(
        ValueError, match="missing must be 'category' where X is a file"
    ):
        silhouette_score(file, labels)
    assert (
        cost(file, labels, codes[:3])
        == cost(codes, labels, codes[:3])
        == (codes != codes[labels]).sum()
    )
    with pytest.raises(
        ValueError, match="sample_weight must be positive where X is a file of codes"
    ):
        cluster_profiles(file, labels, np.arange(2000))


def test_what_is_asked_of_a_file_is_not_copied(tmp_path):
    rng = np.random.RandomState(0)
    columns = {
        f"x{j}": np.frombuffer(rng.bytes(200_000), np.uint8) % 9 for j in range(200)
    }
    file = write_codes(pd.DataFrame(columns), tmp_path / "x.codes")
    labels = rng.randint(0, 3, 200_000).astype(np.int32)
    start = np.array(file.codes[:3])
    for work in (
        lambda: silhouette_score(file, labels),
        lambda: cost(file, labels, start),
        lambda: cluster_profiles(file, labels),
        lambda: lloyd(file, start, max_iter=1),
    ):
        work()
        tracemalloc.start()
        work()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < file.codes.nbytes / 2


def test_labels_of_a_file_with_other_categories(tmp_path):
    frame = planted_frame(500, 2)
    model = KModes(3, algorithm="lloyd").fit(frame)
    part = frame[frame.x1 != "word 0"][::-1]
    np.testing.assert_array_equal(
        model.predict(write_codes(part, tmp_path / "x.codes")), model.predict(part)
    )
    with pytest.raises(ValueError, match="feature names"):
        model.predict(
            write_codes(part.rename(columns={"x0": "y"}), tmp_path / "y.codes")
        )


def test_what_a_file_cannot(tmp_path):
    file = write_codes(planted_frame(100, 0, 0.2), tmp_path / "x.codes")
    for options, weight, message in [
        (dict(algorithm="otqt"), None, "algorithm must be .*'lloyd'"),
        (dict(algorithm="huang"), None, "got 'huang'"),
        (
            dict(missing="category"),
            np.ones(99),
            "sample_weight must hold one number for each of the 100 rows",
        ),
        (
            dict(missing="category", n_clusters=101),
            None,
            "n_clusters=101 and n_samples=100",
        ),
        (
            dict(feature_weight={"x0": 2}),
            None,
            "feature_weight must be None for a file",
        ),
        (dict(dissimilarity="ng"), None, "dissimilarity must be 'matching' for a file"),
        (dict(), None, "missing values, got one in column 'x0'"),
    ]:
        with pytest.raises(ValueError, match=message):
            KModes(**dict(n_clusters=3) | options).fit(file, sample_weight=weight)


CHANGES = {
    "other": "has changed since",
    "cut short": "has become shorter",
    "gone": "is not there any more",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_once_it_is_opened(tmp_path, change):
    file = write_codes(planted_frame(100, 0), tmp_path / "x.codes")
    model, codes = KModes(3).fit(file), file.path / "codes.bin"
    size = codes.stat().st_size
    assert not codes.stat().st_mode & 0o222  # other programs are kept from writing
    codes.chmod(0o644)
    if change == "gone":
        codes.unlink()
    else:
        codes.write_bytes(bytes(size if change == "other" else size // 2))
    for work in (
        lambda: KModes(3).fit(file),
        lambda: model.predict(file),
        lambda: cluster_profiles(file, model.labels_),
        lambda: sample_rows(file),
        lambda: model.predict(file, out=tmp_path / "labels.npy"),
    ):
        with pytest.raises(
            ValueError, match=f"codes.bin {CHANGES[change]}: .* it again"
        ):
            work()
    assert not (tmp_path / "labels.npy").exists()


@pytest.mark.parametrize("change", ["overwritten", "replaced"])
@pytest.mark.parametrize("part", [2, 12])
def test_a_file_that_changes_in_the_middle_of_a_fit(
    tmp_path, monkeypatch, change, part
):
    for module in (batch, code_files):
        monkeypatch.setattr(module, "part_rows", lambda m: 90)
    file = write_codes(planted_frame(500, 0), tmp_path / "x.codes")
    read = code_files._read_into
    calls = []

    def changing(columns, opened, first):
        calls.append(first)
        if len(calls) == part:
            codes = opened.path / "codes.bin"
            codes.chmod(0o644)
            if change == "replaced":
                codes.rename(tmp_path / "old")
            codes.write_bytes(np.random.RandomState(0).bytes(500 * 6))
        read(columns, opened, first)

    monkeypatch.setattr(code_files, "_read_into", changing)
    with pytest.raises(ValueError, match="codes.bin has changed since: open it again"):
        KModes(3).fit(file)
    assert len(calls) >= part


FIT_FOR_EVER = """
import sys
from kmodes_study import KModes
from kmodes_study.storage.code_files import open_codes
KModes(8, init="random", n_init=2000, random_state=0, n_jobs=2, verbose=1).fit(open_codes(sys.argv[1]))
"""


def test_a_file_that_is_cut_short_in_the_middle_of_a_fit_does_not_end_the_process(
    tmp_path,
):
    file = write_codes(
        pd.DataFrame(np.random.RandomState(0).randint(9, size=(200_000, 4))),
        tmp_path / "x.codes",
    )
    with subprocess.Popen(
        [sys.executable, "-u", "-c", FIT_FOR_EVER, file.path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as fitting:
        # the others are under way
        assert fitting.stdout.readline().startswith("start 1 of 2000: cost")
        (tmp_path / "x.codes" / "codes.bin").chmod(0o644)
        os.truncate(file.file, 300_000)
        _, error = fitting.communicate(timeout=60)
    assert fitting.returncode == 1  # a signal would be negative
    assert re.search(
        r"ValueError: .*x\.codes/codes\.bin has (become shorter|changed since)", error
    )


def test_stages_of_the_benchmark(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).resolve().parent.parent)
    from bench import scale

    stages = {}
    file = scale.write_stages(20_000, tmp_path, 1, stages)
    start, fitted, block = scale.fit_stages(file, 1, stages)
    assert file.shape == (20_000, 20)
    assert block == 20_000
    assert len(stages) == 10
    assert min(stages.values()) >= 0
    assert (
        fitted.cost
        == cost(file.codes, fitted.labels, fitted.modes)
        <= fitted.epoch_costs[0]
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "big.codes",
        "big.parquet",
    ]


# Streams


def test_the_first_batch_is_fitted_and_fit_begins_anew():
    frame = planted_frame(600, 4)
    streamed, fitted = KModes(4).partial_fit(frame), KModes(4).fit(frame)
    np.testing.assert_array_equal(streamed.labels_, fitted.labels_)
    np.testing.assert_array_equal(streamed.modes_, fitted.modes_)
    streamed.partial_fit(frame[:50]).fit(frame)
    np.testing.assert_array_equal(
        streamed.partial_fit(frame[:50]).modes_, fitted.partial_fit(frame[:50]).modes_
    )


def plain_stream(batches, model):
    """The modes after each batch in plain Python, as lists of categories; the first
    batch is that of the model.
    """
    modes = [list(mode) for mode in model.cluster_centroids_]
    counts = [[{} for _ in modes[0]] for _ in modes]
    order = [sorted(set(batches[0].iloc[:, j])) for j in range(len(modes[0]))]
    for number, part in enumerate(batches):
        for j, known in enumerate(order):
            known += sorted(set(part.iloc[:, j]) - set(known))
        rows = part.to_numpy().tolist()
        labels = [
            min(
                range(len(modes)),
                key=lambda l: sum(a != b for a, b in zip(row, modes[l])),
            )
            for row in rows
        ]
        for row, label in zip(rows, labels):
            for table, value in zip(counts[label], row):
                table[value] = table.get(value, 0) + 1
        if number:
            for l, tables in enumerate(counts):
                if any(tables):
                    modes[l] = [
                        max(known, key=lambda c: t.get(c, 0))
                        for known, t in zip(order, tables)
                    ]
    return modes


@pytest.mark.parametrize("seed", range(5))
def test_streams_are_what_plain_python_counts(seed):
    frame = planted_frame(800, seed)
    # later ones have new categories
    batches = [frame[a:b] for a, b in ((0, 40), (40, 41), (41, 300), (300, 800))]
    model = KModes(4, algorithm="lloyd").fit(batches[0])
    expected = plain_stream(batches, model)
    for part in batches[1:]:
        model.partial_fit(part)  # they go on from the fit
    assert model.cluster_centroids_.tolist() == expected
    assert model.labels_.shape == (500,)
    assert model.cost_ > 0


def test_a_cluster_without_rows_keeps_its_mode():
    none = StreamCounts(np.zeros((2, 5), np.int64), (3, 2))
    modes = np.array([[0, 0], [2, 1]], np.uint8)
    stream, modes, labels = absorb(none, modes, np.array([[1, 0], [1, 0]], np.uint8))
    assert labels.tolist() == [0, 0]
    assert modes.tolist() == [[1, 0], [2, 1]]
    assert absorb(stream, modes, np.array([[2, 1]], np.uint8))[1].tolist() == [
        [1, 0],
        [2, 1],
    ]


def test_weights_are_repetitions():
    frame, weights = planted_frame(300, 6), np.random.RandomState(0).randint(1, 4, 300)
    weighted = KModes(3).partial_fit(frame[:100])
    repeated = KModes(3).partial_fit(frame[:100])
    weighted.partial_fit(frame[100:], sample_weight=weights[100:])
    repeated.partial_fit(frame.loc[np.repeat(np.arange(100, 300), weights[100:])])
    np.testing.assert_array_equal(weighted.modes_, repeated.modes_)
    assert weighted.cost_ == repeated.cost_


def test_what_a_stream_cannot():
    frame = planted_frame(100, 0)
    for options, weight, message in [
        (dict(feature_weight={"x0": 2}), None, "feature_weight must be None"),
        ({}, np.full(50, 0.5), "sample_weight must hold whole numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            KModes(3, **options).partial_fit(frame[:50]).partial_fit(
                frame[50:], sample_weight=weight
            )
    for missing in ("error", "category", "ignore"):
        with pytest.raises(
            ValueError, match="must not hold missing values where rows come in batches"
        ):
            KModes(3, missing=missing).partial_fit(frame).partial_fit(
                frame[:5].assign(x1=None)
            )
