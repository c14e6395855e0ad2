"""A model that was saved comes back as it was, whatever its table and options; a file
that was changed does not.
"""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from kmodes_study import KModes, KPrototypes
from kmodes_study.cluster.saved import load_model, save_model
from kmodes_study.core.stored import json_checksum
from kmodes_study.family import ROCK, FuzzyKModes, LatentClasses, PKMeans

pytestmark = pytest.mark.usefixtures("few_swaps")

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
        (lambda kept: dict(version=True), "must be of version 1 or 2, got True"),
        (lambda kept: dict(version=1.0), "must be of version 1 or 2, got 1.0"),
        (
            lambda kept: dict(modes=kept["modes"] * 25),
            "modes must be from 1 to n_clusters=2, got 50",
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
    model = KModes(2, random_state=0).fit(X)
    save_model(model, tmp_path / "m.json")
    back = load_model(tmp_path / "m.json")
    assert back.encoder_.categories_[0].dtype == X.dtype
    assert back.modes_.tolist() == model.modes_.tolist()
    assert back.predict(X).tolist() == model.labels_.tolist()


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


# The other classes


def measured(n=60):
    "A table with columns of numbers beside columns of categories."
    rng = np.random.RandomState(5)
    return pd.DataFrame(
        {
            "colour": rng.choice(["red", "größe", "blue"], n),
            "weight": rng.normal(70, 12.3, n),
            "day": pd.Categorical(
                pd.to_datetime(rng.choice(["2020-01-01", "2021-02-03"], n))
            ),
            "age": rng.randint(18, 90, n),
            "truth": rng.choice([True, False], n),
        }
    )


NUMBERS = measured()
CLASSES = {
    "KModes": (KModes, TABLES["mixed"], {}),
    "KModes, weighed": (KModes, TABLES["mixed"], dict(feature_weight={"text": 0.5})),
    "KPrototypes": (KPrototypes, NUMBERS, {}),
    "KPrototypes, weighed": (
        KPrototypes,
        NUMBERS,
        dict(feature_weight={"age": 0, "colour": 0.3}, gamma=np.float32(0.1)),
    ),
    "KPrototypes, a start": (KPrototypes, NUMBERS, dict(init=NUMBERS.iloc[[3, 40, 5]])),
    "KPrototypes, named": (
        KPrototypes,
        NUMBERS.drop(columns="day"),
        dict(categorical_features=["colour", "age"], handle_unknown="ignore"),
    ),
    "KPrototypes, found": (
        KPrototypes,
        NUMBERS.drop(columns="day"),
        dict(categorical_features=lambda X: ["colour"]),
    ),
    "KPrototypes, array": (KPrototypes, NUMBERS.drop(columns="day").to_numpy(), {}),
    "FuzzyKModes": (FuzzyKModes, TABLES["mixed"], dict(alpha=1.7)),
    "FuzzyKModes, weighed": (
        FuzzyKModes,
        TABLES["array"],
        dict(alpha=2, feature_weight=[0.3, 0, 1.2, 0.6]),
    ),
    "LatentClasses": (LatentClasses, TABLES["mixed"], {}),
    "LatentClasses, twins": (
        LatentClasses,
        TABLES["twins"],
        dict(tol=0, handle_unknown="ignore"),
    ),
}
AFTER = (
    "predict",
    "transform",
    "score_samples",
    "score",
    "predict_memberships",
    "predict_proba",
    "bic",
    "adjusted_bic",
)
LEARNT = "gamma_", "centres_", "is_categorical_", "prevalences_", "log_likelihood_"


def alike(model, back, table):
    "Two models do the same, to the last bit."
    same(model, back, table)
    for name in AFTER:
        assert hasattr(model, name) == hasattr(back, name), name
        if hasattr(model, name):
            one = np.asarray(getattr(model, name)(table))
            other = np.asarray(getattr(back, name)(table))
            assert one.dtype == other.dtype, name
            assert one.tobytes() == other.tobytes(), name
    for name in LEARNT:
        assert hasattr(model, name) == hasattr(back, name), name
        if hasattr(model, name):
            one = np.asarray(getattr(model, name))
            assert one.tobytes() == np.asarray(getattr(back, name)).tobytes(), name
    profiles = [one.profiles(table) for one in (model, back)]
    assert profiles[0].equals(profiles[1])


def fitted(name, **more):
    "A model of `CLASSES`, and its table."
    kind, table, options = CLASSES[name]
    options = dict(dict(random_state=0, n_init=3), **options, **more)
    return kind(3, **options).fit(table), table


def refusal(work, *given):
    "The type and the words of the error that some work ends with, or None."
    try:
        work(*given)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", CLASSES)
def test_each_class_comes_back_to_the_last_bit(tmp_path, name):
    model, table = fitted(name)
    model.save(tmp_path / "m.json")
    back = type(model).load(tmp_path / "m.json")
    assert type(back) is type(model)
    alike(model, back, table)
    back.save(tmp_path / "again.json")
    assert (tmp_path / "m.json").read_bytes() == (tmp_path / "again.json").read_bytes()
    again = clone(back).fit(table)
    assert again.cost_ == model.cost_
    assert (again.labels_ == model.labels_).all()


@pytest.mark.parametrize("missing", ["category", "ignore"])
@pytest.mark.parametrize("name", ["KPrototypes", "FuzzyKModes", "LatentClasses"])
def test_each_class_with_gaps(tmp_path, name, missing):
    kind, table, _ = CLASSES[name]
    holes = np.random.RandomState(3).rand(*table.shape) < 0.1
    holes[:, table.dtypes == float] &= missing == "ignore"
    holes[:, table.dtypes == int] &= missing == "ignore"
    holes[holes.all(axis=1), 0] = False
    gaps = table.mask(holes)
    if name != "KPrototypes":
        gaps = gaps.astype(object)
    model = kind(3, missing=missing, random_state=0).fit(gaps)
    model.save(tmp_path / "m.json")
    alike(model, kind.load(tmp_path / "m.json"), gaps)


@pytest.mark.parametrize("name", CLASSES)
def test_each_class_refuses_the_same_in_the_same_words(tmp_path, name):
    model, table = fitted(name)
    model.save(tmp_path / "m.json")
    back = type(model).load(tmp_path / "m.json")
    frame = pd.DataFrame(table)
    odd = [
        frame.iloc[:, 1:].to_numpy(object),
        frame.assign(more=1),
        frame.set_axis([f"other {j}" for j in range(frame.shape[1])], axis=1),
        frame.astype(object).where(pd.Series(np.arange(len(frame)) != 4), None),
        frame.assign(**{str(frame.columns[0]): "never seen"}),
        frame.assign(**{str(frame.columns[1]): np.inf}),
        "no table",
        None,
    ]
    refused = 0
    for X in odd:
        for work in "predict", "transform", "score":
            one = refusal(getattr(model, work), X)
            assert refusal(getattr(back, work), X) == one
            refused += one is not None
    assert refused >= 12


def test_numbers_alone_and_categories_alone(tmp_path):
    tables = NUMBERS[["weight", "age"]], NUMBERS[["colour", "truth"]]
    for table in tables:
        with pytest.warns(UserWarning, match="no column of X is"):
            model = KPrototypes(3, random_state=0).fit(table)
        model.save(tmp_path / "m.json")
        back = KPrototypes.load(tmp_path / "m.json")
        for name in "predict", "transform", "score":
            one = np.asarray(getattr(model, name)(table))
            assert one.tobytes() == np.asarray(getattr(back, name)(table)).tobytes()
        assert back.modes_.shape == model.modes_.shape
        assert back.centres_.shape == model.centres_.shape


OLD = """{"format": "kmodes_study model", "version": 1, "written_by": "0.1.0",
"options": {"algorithm": "auto", "begin_on_sample": true, "dissimilarity": "matching",
"feature_weight": [1, 0.5], "handle_unknown": "error", "init": "cao", "max_iter": 100,
"max_swaps": null, "max_time": null, "missing": "ignore", "n_clusters": 2, "n_init":
"auto", "n_jobs": null, "random_state": 0, "verbose": 0}, "columns": [{"name": "colour",
"dtype": "object", "values": ["blue", "größe", "red"]}, {"name": "size", "dtype":
"int64", "values": [1, 2]}], "modes": [["red", 1], ["blue", 2]], "cost": 1.0, "n_iter":
4000, "checksum": 1202178743}"""


def test_a_file_of_the_first_version_is_read(tmp_path):
    X = pd.DataFrame(
        dict(colour=["red", "red", "blue", "größe", None], size=[1, 1, 2, 2, 2])
    )
    (tmp_path / "old.json").write_text(OLD, encoding="utf-8")
    back = KModes.load(tmp_path / "old.json")
    assert back.predict(X).tolist() == [0, 0, 1, 1, 1]
    assert back.transform(X).tolist() == [
        [0.0, 1.5],
        [0.0, 1.5],
        [1.5, 0.0],
        [1.5, 1.0],
        [1.5, 0.0],
    ]
    assert (back.cost_, back.n_iter_, back.missing) == (1.0, 4000, "ignore")
    back.save(tmp_path / "new.json")
    alike(back, KModes.load(tmp_path / "new.json"), X)
    with pytest.raises(ValueError, match=r"of KPrototypes, got 'KModes': KModes\.load"):
        KPrototypes.load(tmp_path / "old.json")


@pytest.mark.parametrize("name", ["KModes", *list(CLASSES)[2::4]])
def test_a_file_of_another_class_names_its_class(tmp_path, name):
    model, _ = fitted(name)
    model.save(tmp_path / "m.json")
    own = type(model)
    for kind in KModes, KPrototypes, FuzzyKModes, LatentClasses:
        if kind is own:
            continue
        words = (
            rf"m\.json must be a model of {kind.__name__}, got '{own.__name__}': "
            rf"{own.__name__}\.load reads it"
        )
        with pytest.raises(ValueError, match=words):
            kind.load(tmp_path / "m.json")


def places(written, path=()):
    "The paths to all parts of what is written."
    yield path
    if isinstance(written, (dict, list)):
        keys = written if isinstance(written, dict) else range(len(written))
        for key in keys:
            yield from places(written[key], (*path, key))


def changed(written, path, value):
    "What is written with another part, or without it where the value is `...`."
    written = json.loads(json.dumps(written))
    part = written
    for key in path[:-1]:
        part = part[key]
    if value is ...:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return written


@pytest.mark.parametrize("name", ["KPrototypes", "FuzzyKModes", "LatentClasses"])
def test_each_part_may_be_missing_or_another(tmp_path, name):
    model, table = fitted(name)
    file = tmp_path / "m.json"
    model.save(file)
    kept = json.loads(file.read_text(encoding="utf-8"))
    del kept["checksum"]
    n_refused = 0
    values = ..., None, "x", -1, 0.5, [], {}, True, float("nan")
    for number, path in enumerate([*places(kept)][1:]):
        # three of nine at each place, other ones at the next, which is often alike
        for value in values[number % 3 :: 3]:
            other = changed(kept, path, value)
            file.write_text(json.dumps(other | dict(checksum=json_checksum(other))))
            try:
                back = type(model).load(file)
            except ValueError as error:
                assert "m.json must be" in str(error), (path, value)
                n_refused += 1
                continue
            error = refusal(back.predict, table)
            assert error is None or issubclass(error[0], ValueError), (path, value)
    assert n_refused > 60


def shares_of(kept, shares):
    "The shares of the classes with other ones in the first column."
    return dict(shares=[shares, *kept["shares"][1:]])


@pytest.mark.parametrize(
    "name, change, words",
    [
        ("KPrototypes", lambda kept: dict(gamma=-1), "gamma must be a finite number"),
        (
            "KPrototypes",
            lambda kept: dict(options=dict(kept["options"], gamma="none")),
            "gamma must be one of 'auto'",
        ),
        (
            "KPrototypes",
            lambda kept: dict(
                modes=[["red", "heavy"] + row[2:] for row in kept["modes"]]
            ),
            "modes must hold finite numbers, got 'heavy'",
        ),
        (
            "FuzzyKModes",
            lambda kept: dict(options=dict(kept["options"], alpha=0)),
            "alpha must be a finite number of at least 1",
        ),
        (
            "LatentClasses",
            lambda kept: dict(options=dict(kept["options"], tol=-1)),
            "tol must be a finite number",
        ),
        (
            "LatentClasses",
            lambda kept: dict(prevalences=[0.5, 0.5, 0.5]),
            "prevalences must be probabilities that sum to 1",
        ),
        (
            "LatentClasses",
            lambda kept: dict(prevalences=[0.5, 0.5]),
            r"prevalences must have the shape \(3,\), got \(2,\)",
        ),
        (
            "LatentClasses",
            lambda kept: shares_of(kept, [[0.5, 0.4, 0.2]] * 3),
            "shares must be probabilities that sum to 1",
        ),
        (
            "LatentClasses",
            lambda kept: dict(modes=kept["modes"][::-1]),
            "modes must be the likeliest categories",
        ),
        ("LatentClasses", lambda kept: dict(estimator=None), "got None: save it again"),
    ],
)
def test_what_only_one_class_knows_is_checked(tmp_path, name, change, words):
    model, _ = fitted(name)
    model.save(tmp_path / "m.json")
    kept = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    rewritten(tmp_path / "m.json", **change(kept))
    with pytest.raises(ValueError, match=f"m.json must be .*{words}"):
        type(model).load(tmp_path / "m.json")


class Heir(FuzzyKModes):
    "A class of one's own."


def test_a_class_of_ones_own_is_not_saved_but_loads_that_of_its_parent(tmp_path):
    X = TABLES["strings"]
    with pytest.raises(TypeError, match="must be a FuzzyKModes, got Heir, which may"):
        Heir(2, random_state=0).fit(X).save(tmp_path / "m.json")
    assert [*tmp_path.iterdir()] == []
    FuzzyKModes(2, random_state=0).fit(X).save(tmp_path / "m.json")
    assert type(Heir.load(tmp_path / "m.json")) is FuzzyKModes


def test_those_without_a_file_are_named(tmp_path):
    X = TABLES["array"]
    for model in ROCK(2), PKMeans(2):
        assert not hasattr(model, "save")
        with pytest.raises(TypeError, match=f"method save, got {type(model).__name__}"):
            save_model(model.fit(X), tmp_path / "m.json")
    for kind in KPrototypes, FuzzyKModes, LatentClasses:
        with pytest.raises(NotFittedError):
            kind(2).save(tmp_path / "m.json")
    assert [*tmp_path.iterdir()] == []
