"""Tables that are larger than memory: files of codes and tables of Dask are clustered as
the same table in memory; and batches are what plain Python counts.
"""

import pickle

import numpy as np
import pandas as pd
import pytest

from kmodes_study import KModes
from kmodes_study.cluster.estimator import absorb
from kmodes_study.cluster.modes import check_clustering
from kmodes_study.cluster.starts.basic import INITIALISATIONS
from kmodes_study.core.codes import CategoryEncoder, encode
from kmodes_study.core.rows import Rows
from kmodes_study.data import make_planted_clusters

pa = pytest.importorskip("pyarrow", reason="pyarrow, the extra big, is not installed")
import pyarrow.dataset as ds  # noqa: E402

from kmodes_study.storage import code_files, open_codes, write_codes  # noqa: E402
from kmodes_study.storage.code_files import learn_from_file  # noqa: E402


def mixed_frame(n, seed):
    "A frame with columns of all kinds, some with missing values."
    rng = np.random.RandomState(seed)
    frame = pd.DataFrame(
        {
            "text": rng.choice(["red", "green", "blue", "Ärger", ""], n),
            "small": rng.randint(-3, 4, n).astype(np.int8),
            "large": rng.choice([2**40, -(2**40), 7], n),
            "real": rng.choice([0.5, -1.25, 3e100], n),
            "truth": rng.rand(n) < 0.5,
            "moment": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.randint(0, 5, n), "h"),
            "many": rng.randint(0, 400, n),
        }
    )
    for name in ("text", "real", "moment"):
        frame.loc[rng.rand(n) < 0.1, name] = None
    frame["class"] = pd.Categorical(
        rng.choice(["low", "high"], n), categories=["low", "high", "never"]
    )
    return frame


def planted_frame(n, seed, holes=0.0):
    rng = np.random.RandomState(seed)
    codes = make_planted_clusters(
        n, 6, [3, 5, 4, 2, 7, 30], n_clusters=4, noise=0.3, random_state=seed
    ).codes
    words = np.array([f"word {c}" for c in range(30)])
    frame = pd.DataFrame(
        {
            f"x{j}": words[column] if j % 2 else column
            for j, column in enumerate(codes.T)
        }
    )
    return frame.mask(rng.rand(*frame.shape) < holes, None) if holes else frame


# Files of codes


def same_as_encode(opened, frame):
    expected = frame.assign(**{"class": frame["class"].astype(str)})
    codes, categories = encode(expected, missing="ignore")
    np.testing.assert_array_equal(opened.codes, codes)
    assert opened.feature_names == list(frame.columns)
    for found, levels in zip(opened.categories, categories, strict=True):
        assert pd.Series(found).tolist() == pd.Series(levels).tolist()


@pytest.mark.parametrize("row_group_size", [1000, 97, 13])
def test_a_file_has_the_codes_of_the_frame(tmp_path, row_group_size):
    frame = mixed_frame(1000, row_group_size)
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=row_group_size)
    opened = write_codes(tmp_path / "x.parquet", tmp_path / "x.codes", n_jobs=2)
    same_as_encode(opened, frame)
    assert (opened.dtype, opened.shape) == (np.uint16, frame.shape)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.codes", "x.parquet"]
    again = open_codes(tmp_path / "x.codes")
    mapped = np.load(tmp_path / "x.codes", mmap_mode="r")
    for codes in again.codes, mapped.T, pickle.loads(pickle.dumps(again)).codes:
        np.testing.assert_array_equal(codes, opened.codes)
    rows = [5, 900, 5]
    assert opened.frame(rows).astype(object).fillna("gone").values.tolist() == (
        frame.iloc[rows].astype(object).fillna("gone").values.tolist()
    )


def pieces(frame):
    return (frame[i : i + 70] for i in range(0, len(frame), 70))


SOURCES = {
    "dataset": lambda frame, table, folder: ds.dataset(folder),
    "folder": lambda frame, table, folder: folder,
    "frame": lambda frame, table, folder: frame,
    "frames": lambda frame, table, folder: pieces(frame),
    "batches": lambda frame, table, folder: table.to_batches(64),
    "reader": lambda frame, table, folder: table.to_reader(64),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_kind_of_source(tmp_path, kind):
    frame = mixed_frame(300, 5)
    (tmp_path / "parts").mkdir()
    for number, piece in enumerate(pieces(frame)):
        piece.to_parquet(tmp_path / "parts" / f"{number}.parquet")
    source = SOURCES[kind](frame, pa.Table.from_pandas(frame), tmp_path / "parts")
    opened = write_codes(source, tmp_path / "x.codes", columns=list(frame))
    same_as_encode(opened, frame)


@pytest.mark.parametrize("missing", ["ignore", "category"])
def test_the_encoder_is_that_of_the_frame(tmp_path, missing):
    frame = mixed_frame(200, 2)[["text", "small", "real"]]
    encoder = CategoryEncoder(missing=missing)
    expected = CategoryEncoder(missing=missing).fit(frame)
    learn_from_file(encoder, write_codes(frame, tmp_path / "x.codes"))
    np.testing.assert_array_equal(encoder.transform(frame), expected.transform(frame))
    assert list(encoder.feature_names_in_) == list(frame.columns)


def test_what_is_no_source_or_no_file(tmp_path, monkeypatch):
    frame = pd.DataFrame({"a": ["x", "y"]})
    with pytest.raises(ValueError, match="at least one row"):
        write_codes(frame[:0], tmp_path / "x.codes")
    with pytest.raises(KeyError, match="b"):
        write_codes(frame, tmp_path / "x.codes", columns=["b"])
    monkeypatch.setattr(code_files, "_MOST", 1)
    with pytest.raises(ValueError, match="'a'"):
        write_codes(frame, tmp_path / "x.codes")
    assert not list(tmp_path.iterdir())  # nothing is left half-written
    np.save(tmp_path / "bare.npy", np.zeros((2, 3)))
    with pytest.raises(ValueError, match="path must be a file of write_codes"):
        open_codes(tmp_path / "bare.npy")
    with pytest.raises(FileExistsError):
        write_codes(frame, tmp_path / "bare.npy")


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
def test_a_file_is_clustered_as_its_frame(tmp_path, init, missing, holes, weights):
    frame, weights = planted_frame(3000, 1, holes), WEIGHTS[weights]
    start = frame.dropna()[:4] if init == "given" else init
    model = KModes(
        4, init=start, algorithm="lloyd", missing=missing, random_state=3, n_init=2
    )
    expected = KModes(**model.get_params()).fit(frame, sample_weight=weights)
    file = write_codes(frame, tmp_path / "x.codes")
    model.set_params(algorithm="auto").fit(file, sample_weight=weights)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    # equal rows are added up elsewhere
    assert model.epoch_costs_ == pytest.approx(expected.epoch_costs_, rel=1e-9)
    if not (missing == "ignore" and holes):
        check_clustering(
            np.array(file.codes), model.labels_, model.modes_, model.cost_, weights
        )
    np.testing.assert_array_equal(model.predict(file), expected.predict(frame))
    assert model.score(file) == expected.score(frame)
    labels = model.predict(file, out=tmp_path / "labels.npy")
    assert isinstance(labels, np.memmap)
    np.testing.assert_array_equal(labels, expected.predict(frame))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("missing", ["error", "category", "ignore"])
def test_small_files_are_clustered_as_their_frames(tmp_path, missing):
    "So small that clusters fall empty."
    for seed in range(8):
        rng = np.random.RandomState(seed)
        n, m = rng.randint(4, 9), rng.randint(2, 4)
        words = rng.choice(list("abc"), (n, m)).astype(object)
        words[rng.rand(n, m) < (missing != "error") * 0.3] = None
        frame = pd.DataFrame(words, columns=[f"c{j}" for j in range(m)])
        weights = [None, rng.randint(0, 2, n), rng.rand(n)][seed % 3]
        file = write_codes(frame, tmp_path / f"{seed}.codes")
        for init in INITIALISATIONS:
            model = KModes(
                rng.randint(2, 4),
                init=init,
                missing=missing,
                algorithm="lloyd",
                random_state=seed,
                n_init=2,
            )
            try:
                labels = model.fit(frame, sample_weight=weights).labels_
            except ValueError:
                with pytest.raises(ValueError):
                    model.fit(file, sample_weight=weights)
                continue
            cost = model.cost_
            model.fit(file, sample_weight=weights)
            np.testing.assert_array_equal(model.labels_, labels)
            assert model.cost_ == pytest.approx(cost, rel=1e-9)


def test_a_larger_file_is_started_from_a_sample(tmp_path, monkeypatch):
    monkeypatch.setattr("kmodes_study.cluster.estimator._SAMPLED", 100)
    frame = planted_frame(1000, 5)
    file = write_codes(frame, tmp_path / "x.codes")
    seen = []

    def start(codes, n_clusters):
        seen.append(codes)
        return codes[:n_clusters]

    for _ in range(2):
        KModes(3, init=start).fit(file)
    assert seen[0].shape == (100, 6)
    assert set(map(bytes, seen[0])) <= set(map(bytes, np.array(file.codes)))
    np.testing.assert_array_equal(*seen)
    for options in dict(algorithm="otqt"), dict(dissimilarity="ng"):
        with pytest.raises(ValueError, match=next(iter(options))):
            KModes(3, **options).fit(file)


# Tables of Dask


@pytest.mark.parametrize("kind", ["frame", "array"])
def test_a_table_of_dask_is_clustered_as_lloyd_clusters_it(kind):
    dask = pytest.importorskip(f"dask.{'dataframe' if kind == 'frame' else 'array'}")
    frame = planted_frame(3000, 2)
    if kind == "frame":
        blocks = dask.from_pandas(frame, npartitions=7)
        start = frame[:4]
    else:
        frame = encode(frame)[0]
        blocks = dask.from_array(frame, chunks=(500, 4))
        start = frame[[0, 1, 2, 3]]
    model = KModes(4, init=start).fit(blocks)
    expected = KModes(4, init=start, algorithm="lloyd").fit(frame)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.modes_, expected.modes_)
    assert model.cost_ == expected.cost_
    np.testing.assert_array_equal(model.predict(frame), expected.predict(frame))
    drawn = KModes(4, init="random", random_state=0).fit(blocks)
    assert drawn.cost_ == -drawn.score(frame)


# Batches


def test_batches_of_codes():
    none = np.zeros((2, 5), np.int64)
    modes = np.array([[0, 0], [2, 1]], np.uint8)
    batch = Rows(np.array([[1, 0], [1, 0]], np.uint8))
    counts, moved, labels, cost = absorb(none, [3, 2], modes, batch)
    assert labels.tolist() == [0, 0]
    # a cluster without rows keeps its mode, and what was given stays
    assert moved.tolist() == [[1, 0], [2, 1]]
    assert cost == 2
    assert not none.any()
    assert modes.tolist() == [[0, 0], [2, 1]]


def test_weights_are_repetitions():
    frame, weights = planted_frame(300, 6), np.random.RandomState(0).randint(1, 4, 300)
    weighted = KModes(3).partial_fit(frame[:100])
    repeated = KModes(3).partial_fit(frame[:100])
    weighted.partial_fit(frame[100:], sample_weight=weights[100:])
    repeated.partial_fit(frame.loc[np.repeat(np.arange(100, 300), weights[100:])])
    np.testing.assert_array_equal(weighted.modes_, repeated.modes_)
    assert weighted.cost_ == repeated.cost_
