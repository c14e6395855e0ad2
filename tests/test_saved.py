"""A model that was saved comes back as it was, whatever its table and parameters."""

import datetime
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from kmodes_study import CategoryEncoder, KModes, KPrototypes
from kmodes_study.core.saved import from_json, load_model, to_json, written_beside
from kmodes_study.family import FuzzyKModes, LatentClasses

pytestmark = pytest.mark.usefixtures("few_swaps")

RNG = np.random.RandomState(0)


def drawn(values, m=4, n=40):
    return pd.DataFrame({f"c{j}": RNG.choice(values, n) for j in range(m)})


MIXED = pd.DataFrame(
    {
        "text": RNG.choice(["red", "größe", 'a "b"\n'], 40),
        "whole": RNG.choice([3, 1, 2**60], 40),
        "float": RNG.choice([0.1, -0.0, 2.5], 40),
        "truth": RNG.choice([True, False], 40),
        "day": pd.to_datetime(RNG.choice(["2020-01-01", "2021-02-03"], 40)),
        "zoned": pd.to_datetime(
            RNG.choice(["2020-01-01", "2021-07-03"], 40)
        ).tz_localize("Europe/Berlin"),
        "span": pd.to_timedelta(RNG.choice([1, 2], 40), unit="D"),
        "plain day": [datetime.date(2020, 1, 1 + i % 3) for i in range(40)],
        "pair": [(1, "a") if i % 2 else (2, "b") for i in range(40)],
    }
)
GAPS = drawn(["a", "b", "c"]).astype(object).mask(RNG.rand(40, 4) < 0.1)
ORDERED = drawn(["low", "mid", "high"]).astype(
    pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
)
NUMBERS = MIXED[["text", "truth"]].assign(
    weight=RNG.normal(70, 12.3, 40), age=RNG.randint(18, 90, 40)
)
MODELS = {
    "strings": (KModes(2), drawn(["a", "b", "c"])),
    "array": (KModes(2), drawn([1, 2, 3]).to_numpy()),
    "rows": (KModes(2), drawn(["a", "b"]).values.tolist()),
    "mixed": (KModes(2), MIXED),
    "numbered": (KModes(2), drawn(["a", "b"]).set_axis(range(4), axis=1)),
    "category": (KModes(2), drawn(["a", "b", "c"]).astype("category")),
    "many": (
        KModes(
            2, init="random", n_init=np.int64(3), random_state=np.random.RandomState(1)
        ),
        MIXED,
    ),
    "modes": (KModes(2, init=MIXED.iloc[[0, 5]]), MIXED),
    "weighed": (KModes(2, feature_weight={"text": 0.5}), MIXED),
    "gaps are categories": (KModes(3, missing="category"), GAPS),
    "gaps are ignored": (KModes(3, missing="ignore"), GAPS),
    "eskin": (KModes(2, dissimilarity="eskin"), drawn(["a", "b", "c"])),
    "ordinal": (KModes(2, dissimilarity="ordinal"), ORDERED),
    "k-prototypes": (KPrototypes(2, gamma=0.3), NUMBERS),
    "k-prototypes, named": (
        KPrototypes(
            2, categorical_features=["text", "age"], feature_weight={"age": 0.5}
        ),
        NUMBERS[["text", "age", "weight"]],
    ),
    "k-prototypes, ordinal": (
        KPrototypes(2, dissimilarity="ordinal"),
        ORDERED.assign(weight=NUMBERS.weight),
    ),
    "latent": (LatentClasses(2, random_state=0), drawn(["a", "b", "c"])),
    "fuzzy": (FuzzyKModes(2, random_state=0), drawn(["a", "b", "c"])),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_it_comes_back_as_it_was(tmp_path, name):
    model, X = MODELS[name]
    model = clone(model).fit(X)
    model.save(tmp_path / "m.json")
    back = load_model(tmp_path / "m.json")
    assert type(back) is type(model)
    for method in "predict", "transform", "score_samples", "predict_proba":
        if hasattr(model, method):
            one, other = getattr(model, method)(X), getattr(back, method)(X)
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
    assert back.score(X) == model.score(X)
    assert back.modes_frame_.equals(model.modes_frame_)
    assert list(back.get_feature_names_out()) == list(model.get_feature_names_out())
    assert not hasattr(back, "labels_")
    back.save(tmp_path / "again.json")
    assert (tmp_path / "m.json").read_bytes() == (tmp_path / "again.json").read_bytes()
    if name != "many":
        assert clone(back).fit(X).cost_ == model.cost_


def test_batches_go_on_after_it(tmp_path):
    X = drawn(["a", "b", "c"])
    model = KModes(2).fit(X)
    model.save(tmp_path / "m.json")
    back = KModes.load(tmp_path / "m.json").partial_fit(X[:7])
    assert (back.modes_ == model.partial_fit(X[:7]).modes_).all()


def test_an_encoder_comes_back_too(tmp_path):
    encoder = CategoryEncoder(missing="category", handle_unknown="ignore").fit(MIXED)
    encoder.save(tmp_path / "e.json")
    back = load_model(tmp_path / "e.json")
    codes = encoder.transform(MIXED)
    assert (back.transform(MIXED) == codes).all()
    pd.testing.assert_frame_equal(back.inverse_transform(codes), MIXED)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"$model": 3}',
        '{"$model": ["core.saved:load_model", {}, {}]}',
        '{"$model": ["nowhere:KModes", {}, {}]}',
        '{"$model": ["core.codes:CategoryEncoder", {"missing": {"$no": 1}}, {}]}',
    ],
)
def test_what_is_no_model_is_refused(tmp_path, text):
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(ValueError, match="m.json must be"):
        load_model(tmp_path / "m.json")


class Own(CategoryEncoder):
    "A class from outside the package."


def test_what_cannot_be_saved_leaves_no_file(tmp_path):
    X = drawn(["a", "b"])
    with pytest.raises(NotFittedError):
        CategoryEncoder().save(tmp_path / "m.json")
    with pytest.raises(TypeError, match="class"):
        Own().fit(X).save(tmp_path / "m.json")
    with pytest.raises(TypeError, match="init"):
        KModes(2, init=lambda codes, k: codes[:k]).fit(X).save(tmp_path / "m.json")
    with pytest.raises(TypeError, match="bytes"):
        CategoryEncoder().fit([[b"a"]]).save(tmp_path / "m.json")
    with pytest.raises(ValueError, match="must hold a KModes"):
        CategoryEncoder().fit(X).save(tmp_path / "e.json")
        KModes.load(tmp_path / "e.json")
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "m.json")
    assert [path.name for path in tmp_path.iterdir()] == ["e.json"]


def test_what_fails_while_it_is_written_leaves_what_was_there(tmp_path):
    file = tmp_path / "f"
    file.write_text("old")
    with pytest.raises(KeyError), written_beside(file) as beside:
        beside.write_text("new")
        raise KeyError
    assert file.read_text() == "old"
    with pytest.raises(OSError, match="ordinary file"), written_beside(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == [file]


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.dates()
    | st.times()
    | st.datetimes(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=2) | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values)
def test_every_value_comes_back(value):
    back = from_json(json.dumps(to_json(value)))
    assert (type(back), back) == (type(value), value)


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1, 2], [3, 4]], np.uint16),
        np.array([0.1, np.nan, -np.inf, -0.0]),
        np.array(["a", "bcd"]),
        np.array(["2020-01-01", "NaT"], "M8[D]"),
        np.array([1, "1", None, pd.NA, pd.NaT, (1, 2)], object),
        np.empty((0, 3), bool),
    ],
    ids=lambda array: str(array.dtype),
)
def test_arrays_come_back_in_their_type(array):
    back = from_json(json.dumps(to_json(array)))
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert repr(back) == repr(array)
