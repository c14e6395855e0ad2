"""`KModes` on files of codes and on streams of batches."""
import numpy as np
import pandas as pd
import pytest

from kmodes_study import KModes
from kmodes_study.cluster.modes import check_clustering
from kmodes_study.data import make_planted_clusters

pytest.importorskip("pyarrow", reason="pyarrow, the extra big, is not installed")
from kmodes_study.data.code_files import write_codes  # noqa: E402


def planted_frame(n, seed, holes=0.):
    rng = np.random.RandomState(seed)
    codes = make_planted_clusters(n, 6, [3, 5, 4, 2, 7, 30], n_clusters=4, noise=.3, random_state=seed).codes
    frame = pd.DataFrame({f"x{j}": np.array([f"word {c}" for c in range(30)])[column] if j % 2 else column
                          for j, column in enumerate(codes.T)})
    return frame.mask(rng.rand(*frame.shape) < holes, None) if holes else frame


@pytest.mark.parametrize("init", ["cao", "random", "given"])
@pytest.mark.parametrize("missing, holes", [("error", 0.), ("category", .1), ("ignore", 0.)])
def test_a_file_is_clustered_as_its_frame(tmp_path, init, missing, holes):
    frame = planted_frame(3000, 1, holes)
    start = frame.dropna()[:4] if init == "given" else init
    model = KModes(4, init=start, algorithm="lloyd", missing=missing, random_state=3, n_init=2)
    expected = KModes(**model.get_params()).fit(frame)
    file = write_codes(frame, tmp_path/"x.codes")
    model.fit(file)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert (model.cost_, model.n_iter_, model.epoch_costs_) == (expected.cost_, expected.n_iter_, expected.epoch_costs_)
    assert pd.DataFrame(model.cluster_centroids_).equals(pd.DataFrame(expected.cluster_centroids_))
    np.testing.assert_array_equal(model.predict(frame), expected.predict(frame))
    np.testing.assert_array_equal(model.predict(file), expected.predict(frame))
    assert model.score(file) == expected.score(frame) and list(model.feature_names_in_) == list(frame.columns)
    check_clustering(np.array(file.codes), model.labels_, model.modes_, model.cost_)


def test_labels_of_a_file_with_other_categories(tmp_path):
    frame = planted_frame(500, 2)
    model = KModes(3, algorithm="lloyd").fit(frame)
    part = frame[frame.x1 != "word 0"][::-1]
    np.testing.assert_array_equal(model.predict(write_codes(part, tmp_path/"x.codes")), model.predict(part))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(write_codes(part.rename(columns={"x0": "y"}), tmp_path/"y.codes"))


def test_what_a_file_cannot(tmp_path):
    file = write_codes(planted_frame(100, 0, .2), tmp_path/"x.codes")
    for options, weight, message in [
            (dict(algorithm="otqt"), None, "algorithm must be 'lloyd'"), (dict(algorithm="huang"), None, "got 'huang'"),
            (dict(algorithm="lloyd"), np.ones(100), "sample_weight and feature_weight must be None"),
            (dict(algorithm="lloyd", feature_weight={"x0": 2}), None, "must be None for a file"),
            (dict(algorithm="lloyd"), None, "missing values, got one in column 'x0'"),
            (dict(algorithm="lloyd", missing="ignore"), None, "missing must be 'error' or 'category'")]:
        with pytest.raises(ValueError, match=message): KModes(3, **options).fit(file, sample_weight=weight)
    (file.path/"codes.bin").write_bytes(bytes(file.codes.nbytes))
    with pytest.raises(ValueError, match="has changed since"):
        KModes(3, algorithm="lloyd", missing="category").fit(file)


# Streams

def test_the_first_batch_is_fitted_and_fit_begins_anew():
    frame = planted_frame(600, 4)
    streamed, fitted = KModes(4).partial_fit(frame), KModes(4).fit(frame)
    np.testing.assert_array_equal(streamed.labels_, fitted.labels_)
    np.testing.assert_array_equal(streamed.modes_, fitted.modes_)
    streamed.partial_fit(frame[:50]).fit(frame)
    np.testing.assert_array_equal(streamed.partial_fit(frame[:50]).modes_, fitted.partial_fit(frame[:50]).modes_)


def plain_stream(batches, model):
    "The modes after each batch in plain Python, as lists of categories; the first batch is that of the model."
    modes = [list(mode) for mode in model.cluster_centroids_]
    counts = [[{} for _ in modes[0]] for _ in modes]
    order = [sorted(set(batches[0].iloc[:, j])) for j in range(len(modes[0]))]
    for number, batch in enumerate(batches):
        for j, known in enumerate(order): known += sorted(set(batch.iloc[:, j]) - set(known))
        rows = batch.to_numpy().tolist()
        labels = [min(range(len(modes)), key=lambda l: sum(a != b for a, b in zip(row, modes[l]))) for row in rows]
        for row, label in zip(rows, labels):
            for table, value in zip(counts[label], row): table[value] = table.get(value, 0) + 1
        if number:
            for l, tables in enumerate(counts):
                if any(tables): modes[l] = [max(known, key=lambda c: t.get(c, 0)) for known, t in zip(order, tables)]
    return modes


@pytest.mark.parametrize("seed", range(5))
def test_streams_are_what_plain_python_counts(seed):
    frame = planted_frame(800, seed)
    batches = [frame[a:b] for a, b in ((0, 40), (40, 41), (41, 300), (300, 800))]  # later ones have new categories
    model = KModes(4, algorithm="lloyd").fit(batches[0])
    expected = plain_stream(batches, model)
    for batch in batches: model.partial_fit(batch)
    assert model.cluster_centroids_.tolist() == expected
    assert model.labels_.shape == (500,) and model.cost_ > 0


def test_weights_are_repetitions():
    frame, weights = planted_frame(300, 6), np.random.RandomState(0).randint(1, 4, 300)
    weighted, repeated = KModes(3).partial_fit(frame[:100]), KModes(3).partial_fit(frame[:100])
    weighted.partial_fit(frame[100:], sample_weight=weights[100:])
    repeated.partial_fit(frame.loc[np.repeat(np.arange(100, 300), weights[100:])])
    np.testing.assert_array_equal(weighted.modes_, repeated.modes_)
    assert weighted.cost_ == repeated.cost_


def test_what_a_stream_cannot():
    frame = planted_frame(100, 0)
    for options, weight, message in [(dict(feature_weight={"x0": 2}), None, "feature_weight must be None"),
                                     ({}, np.full(50, .5), "sample_weight must hold whole numbers")]:
        with pytest.raises(ValueError, match=message):
            KModes(3, **options).partial_fit(frame[:50]).partial_fit(frame[50:], sample_weight=weight)
    for missing in ("error", "category", "ignore"):
        with pytest.raises(ValueError, match="must not hold missing values where rows come in batches"):
            KModes(3, missing=missing).partial_fit(frame).partial_fit(frame[:5].assign(x1=None))
