"""A model that was saved comes back as it was, whatever its table and options; a file
that was changed does not.
"""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from kmodes_study import KModes
from kmodes_study.cluster.saved import load_model, save_model
from kmodes_study.core.stored import json_checksum

RNG = np.random.RandomState(0)


def drawn(values, m=4, n=40):
    return pd.DataFrame({f"c{j}": RNG.choice(values, n) for j in range(m)})


def with_gaps(frame):
    return frame.astype(object).mask(RNG.rand(*frame.shape) < 0.1)


MIXED = pd.DataFrame(
    {
        "text": RNG.choice(["red", "größe", 'a "b"\n'], 40),
        "whole": RNG.choice([3, 1, 2**60], 40),
        "float": RNG.choice([0.1, 2.5], 40),
        "truth": RNG.choice([True, False], 40),
        "day": pd.to_datetime(RNG.choice(["2020-01-01", "2021-02-03"], 40)),
    }
)
TWINS = pd.DataFrame(
    {"x": pd.Series([1, "1", 2, "true"] * 10, dtype=object), "y": ["a", "b"] * 20}
)
TABLES = {
    "strings": drawn(["a", "b", "c"]),
    "array": drawn([1, 2, 3]).to_numpy(),
    "rows": drawn(["a", "b"]).values.tolist(),
    "mixed": MIXED,
    "twins": TWINS,
    "numbered": drawn(["a", "b"]).set_axis(range(4), axis=1),
    "category": drawn(["a", "b", "c"]).astype("category"),
}
OPTIONS = {
    "plain": {},
    "many": dict(
        init="random", n_init=np.int64(3), random_state=np.random.RandomState(1)
    ),
    "lenient": dict(handle_unknown="ignore", algorithm="lloyd"),
    "weighed": dict(feature_weight=0.5),
}


def options_for(name, table):
    options = dict(dict(random_state=0), **OPTIONS[name])
    if "feature_weight" in options:
        options["feature_weight"] = [0.5, *[1] * (np.shape(table)[1] - 1)]
    return options


def same(model, back, table):
    "Whether a model does what another does."
    for one, other in (
        (model.predict(table), back.predict(table)),
        (model.transform(table), back.transform(table)),
    ):
        assert one.dtype == other.dtype
        assert (one == other).all()
    assert model.modes_.dtype == back.modes_.dtype
    assert (model.modes_ == back.modes_).all()
    assert pd.DataFrame(model.cluster_centroids_).equals(
        pd.DataFrame(back.cluster_centroids_)
    )
    for name in "cost_", "n_iter_", "n_features_in_":
        assert getattr(model, name) == getattr(back, name), name
    assert hasattr(model, "feature_names_in_") == hasattr(back, "feature_names_in_")
    assert list(model.get_feature_names_out()) == list(back.get_feature_names_out())
    return model.score(table) == back.score(table)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("table", TABLES)
def test_it_comes_back_as_it_was(tmp_path, table, options):
    X = TABLES[table]
    model = KModes(2, **options_for(options, X)).fit(X)
    save_model(model, tmp_path / "m.json")
    back = load_model(tmp_path / "m.json")
    assert same(model, back, X)
    save_model(back, tmp_path / "again.json")
    assert (tmp_path / "m.json").read_bytes() == (tmp_path / "again.json").read_bytes()


@pytest.mark.parametrize("missing", ["category", "ignore"])
def test_with_gaps(tmp_path, missing):
    X = with_gaps(TABLES["strings"])
    model = KModes(3, missing=missing, random_state=0).fit(X)
    save_model(model, tmp_path / "m.json")
    assert same(model, load_model(tmp_path / "m.json"), X)


def test_unknown_categories_and_other_columns_are_treated_alike(tmp_path):
    X, odd = TABLES["strings"], TABLES["strings"].replace("a", "new")
    strict = KModes(2, random_state=0).fit(X)
    lenient = KModes(2, handle_unknown="ignore", random_state=0).fit(X)
    save_model(strict, tmp_path / "strict.json")
    save_model(lenient, tmp_path / "lenient.json")
    with pytest.raises(ValueError, match="'new'"):
        load_model(tmp_path / "strict.json").predict(odd)
    assert (
        load_model(tmp_path / "lenient.json").predict(odd) == lenient.predict(odd)
    ).all()
    with pytest.raises(ValueError, match="feature names"):
        load_model(tmp_path / "strict.json").predict(X.rename(columns={"c0": "other"}))


def test_a_start_that_was_given_and_another_fit(tmp_path):
    X = TABLES["mixed"]
    model = KModes(2, init=X.iloc[[0, 5]], feature_weight={"text": 2}).fit(X)
    save_model(model, tmp_path / "m.json")
    back = load_model(tmp_path / "m.json")
    assert same(model, back, X)
    again = clone(back).fit(X)
    assert again.cost_ == model.cost_
    assert (again.labels_ == model.labels_).all()


@pytest.fixture
def written(tmp_path):
    save_model(KModes(2, random_state=0).fit(TABLES["strings"]), tmp_path / "m.json")
    return tmp_path / "m.json"


def test_it_is_readable_and_holds_no_rows(written):
    kept = json.loads(written.read_text(encoding="utf-8"))
    assert [column["name"] for column in kept["columns"]] == ["c0", "c1", "c2", "c3"]
    assert all(value in "abc" for mode in kept["modes"] for value in mode)
    assert "labels" not in kept


def test_every_cut_and_every_changed_byte_is_refused(written, tmp_path):
    whole, file = written.read_bytes(), tmp_path / "changed.json"
    places = range(0, len(whole), 7)
    changed = [whole[:place] for place in places] + [
        whole[:p] + bytes([whole[p] ^ 2]) + whole[p + 1 :] for p in places
    ]
    known, n_refused = json.loads(whole), 0
    for content in changed:
        file.write_bytes(content)
        try:
            kept = json.loads(content.decode())
        except ValueError:
            kept = None
        if kept == known:
            continue  # a blank
        with pytest.raises(ValueError, match="changed.json"):
            load_model(file)
        n_refused += 1
    assert n_refused > 150


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "null", '{"format": "other"}', '{"format": "kmodes_study model"}'],
)
def test_other_files_are_refused(tmp_path, text):
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(ValueError, match="m.json must be"):
        load_model(tmp_path / "m.json")


def test_an_option_that_is_none_is_refused(written):
    kept = json.loads(written.read_text(encoding="utf-8"))
    kept["options"]["algorithm"] = {}
    written.write_text(json.dumps(kept | dict(checksum=json_checksum(kept))))
    with pytest.raises(
        ValueError,
        match="m.json must be a whole model, but is damaged: algorithm must be",
    ):
        load_model(written)


def rewritten(file, **changes):
    "The file with other parts, and the right checksum."
    kept = dict(json.loads(file.read_text(encoding="utf-8")), **changes)
    file.write_text(json.dumps(kept | dict(checksum=json_checksum(kept))))


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda kept: dict(version=True), "must be of version 1, got True"),
        (lambda kept: dict(version=1.0), "must be of version 1, got 1.0"),
        (
            lambda kept: dict(modes=kept["modes"] * 25),
            "modes must be at most n_clusters=2, got 50",
        ),
        (lambda kept: dict(modes=[]), "damaged"),
        (
            lambda kept: dict(
                columns=[dict(c, dtype="U500000000") for c in kept["columns"]]
            ),
            "type U500000000 must be",
        ),
    ],
)
def test_a_model_of_another_program_that_is_no_model(written, change, words):
    rewritten(written, **change(json.loads(written.read_text(encoding="utf-8"))))
    with pytest.raises(
        ValueError, match=f"m.json must be.*{words.removeprefix('must be ')}"
    ):
        load_model(written)


def test_wide_text_comes_back(tmp_path):
    X = np.array([["a"], ["b" * 70_000]])
    save_model(model := KModes(2, random_state=0).fit(X), tmp_path / "m.json")
    assert same(model, load_model(tmp_path / "m.json"), X)


@pytest.mark.parametrize(
    "changed",
    [dict(n_clusters=1), dict(init="nowhere"), dict(n_jobs="many"), dict(max_iter=-1)],
)
def test_what_could_not_be_loaded_is_not_saved(tmp_path, changed):
    model = KModes(2, random_state=0).fit(TABLES["strings"]).set_params(**changed)
    with pytest.raises(
        ValueError, match=f"can be loaded again, but .*{next(iter(changed))}"
    ):
        save_model(model, tmp_path / "m.json")
    assert [*tmp_path.iterdir()] == []


def test_other_models_are_refused(tmp_path):
    X = TABLES["strings"]
    with pytest.raises(NotFittedError):
        save_model(KModes(2), tmp_path / "m.json")
    with pytest.raises(TypeError, match="KModes"):
        save_model(X, tmp_path / "m.json")
    with pytest.raises(ValueError, match="dissimilarity"):
        save_model(
            KModes(2, dissimilarity="eskin", random_state=0).fit(X), tmp_path / "m.json"
        )
    with pytest.raises(TypeError, match="strings, numbers"):
        save_model(
            KModes(2, random_state=0).fit([[b"a"], [b"b"], [b"a"]]), tmp_path / "m.json"
        )
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "m.json")
    assert not (tmp_path / "m.json").exists()
