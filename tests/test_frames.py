"""Tables of polars and Arrow: the same results as from pandas, in every estimator and
function that takes a table.
"""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from kmodes_study import KModes, KPrototypes
from kmodes_study.describe.profiles import cluster_profiles
from kmodes_study.core.codes import CategoryEncoder, encode
from kmodes_study.data.synthetic import toy_vehicles
from kmodes_study.measures import silhouette_score

MAKERS = {
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "arrow types in pandas": lambda frame: frame.convert_dtypes(
        dtype_backend="pyarrow"
    ),
}
make = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@pytest.fixture
def vehicles():
    return toy_vehicles().reset_index(drop=True)


@pytest.fixture
def holed(vehicles):
    gaps = np.random.RandomState(0).rand(*vehicles.shape) < 0.15
    return vehicles.mask(gaps, None).astype({"price": object}).convert_dtypes()


def check_same(model, table, made):
    "A model finds the same in a table and in what was made from it, which it leaves."
    ours, theirs = clone(model).fit(table), clone(model).fit(made)
    for name in "labels", "cost", "cluster_centroids", "feature_names_in", "n_iter":
        one, other = (getattr(model, f"{name}_") for model in (ours, theirs))
        assert np.asarray(one).tolist() == np.asarray(other).tolist()
    for method in "predict", "transform", "score_samples":
        one, other = getattr(ours, method)(table), getattr(theirs, method)(made)
        assert one.tolist() == other.tolist()
    assert theirs.predict(table).tolist() == ours.labels_.tolist()


@make
@pytest.mark.parametrize("algorithm", ["otqt", "lloyd", "huang"])
def test_kmodes(vehicles, make, algorithm):
    check_same(KModes(3, algorithm=algorithm), vehicles, make(vehicles))


@make
def test_a_table_as_start(vehicles, make):
    ours, theirs = (KModes(3, init=one[:3]) for one in (vehicles, make(vehicles)))
    assert theirs.fit(make(vehicles)).cost_ == ours.fit(vehicles).cost_


@make
@pytest.mark.parametrize("missing", ["category", "ignore"])
def test_missing_values(holed, make, missing):
    with pytest.raises(ValueError, match="missing"):
        KModes(3).fit(make(holed))
    table = make(holed)
    before = table.copy() if isinstance(table, pd.DataFrame) else table[:]
    check_same(KModes(3, missing=missing), holed, table)
    assert before.equals(table)


@make
def test_names_and_order_of_columns(vehicles, make):
    model = KModes(3).fit(make(vehicles))
    with pytest.raises(ValueError, match="same order"):
        model.predict(make(vehicles[vehicles.columns[::-1]]))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(make(vehicles.rename(columns={"eco": "green"})))


@make
def test_codes(vehicles, make):
    codes, categories = encode(make(vehicles))
    expected, levels = encode(vehicles)
    assert codes.tolist() == expected.tolist()
    assert list(map(list, categories)) == list(map(list, levels))
    encoder = CategoryEncoder().fit(make(vehicles))
    assert encoder.transform(vehicles).tolist() == expected.tolist()


def test_order_of_levels():
    prices = pl.DataFrame({"price": ["H", "V"]}).with_columns(
        pl.col("price").cast(pl.Enum(["V", "H", "M"]))
    )
    # tied: the first in the order of the caller
    assert KModes(1).fit(prices).cluster_centroids_.tolist() == [["V"]]
    text = pa.table({"price": ["V", "H"]})
    assert KModes(1).fit(text).cluster_centroids_.tolist() == [["H"]]


@make
def test_mixed_types(vehicles, make):
    mixed = vehicles.assign(weight=np.linspace(0.5, 2, 10), fast=np.arange(10) % 3 == 0)
    columns = [*vehicles.columns, "fast"]
    check_same(
        KPrototypes(3, categorical_features=columns, init="cao"), mixed, make(mixed)
    )
    check_same(KModes(3), mixed, make(mixed))


@make
@pytest.mark.parametrize("type_", ["Int64", "Float64"])
def test_numbers_with_gaps_stay_numbers(make, type_):
    n = pd.array([7, 9, None, 8, 8, 70, 73, None, 71, 75], dtype=type_)
    mixed = pd.DataFrame({"n": n, "c": list("xyxxyyxyyx")})
    model = KPrototypes(2, missing="ignore", random_state=0)
    check_same(model, mixed, make(mixed))
    assert model.fit(make(mixed)).is_categorical_.tolist() == [False, True]


@make
def test_measures_and_profiles(vehicles, make):
    labels = np.arange(10) % 3
    ours, theirs = (silhouette_score(X, labels) for X in (vehicles, make(vehicles)))
    assert ours == theirs
    ours = cluster_profiles(vehicles, labels)
    theirs = cluster_profiles(make(vehicles), labels)
    pd.testing.assert_frame_equal(ours, theirs, check_dtype=False)


def test_frames_come_out(vehicles):
    model = KModes(3).set_output(transform="polars")
    found = model.fit_transform(pl.from_pandas(vehicles))
    assert isinstance(found, pl.DataFrame)
    assert found.columns == ["kmodes0", "kmodes1", "kmodes2"]
