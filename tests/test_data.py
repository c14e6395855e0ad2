"""The data: counts of the archive's files, computed sets, options of the loaders,
downloads, and planted clusters.
"""

import gzip
import hashlib
import http.server
import inspect
import os
import socket
import subprocess
import sys
import threading
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from hypothesis import given, settings, strategies as st

import kmodes_study.data
import kmodes_study.storage
from kmodes_study import data as datasets
from kmodes_study.storage import code_files, parts
from kmodes_study.data import (
    computed,
    files as data_files,
    loaders,
    questionnaires,
    sets,
    synthetic,
)
from kmodes_study.data.files import ChecksumError, DownloadError, MissingDataError
from kmodes_study.data.sets import DATASETS, Column, Dataset, File

COMPUTED = ["nursery", "car", "tic-tac-toe", "balance-scale", "lenses", "iris"]

# name, subset, rows, attributes, missing cells, complete rows, class counts: counted in
# the archive's files.
COUNTS = [
    ("soybean-small", "train", 47, 35, 0, 47, {"D4": 17, "D1": 10, "D2": 10, "D3": 10}),
    (
        "soybean-large",
        "train",
        307,
        35,
        712,
        266,
        {
            "alternarialeaf-spot": 40,
            "brown-spot": 40,
            "frog-eye-leaf-spot": 40,
            "phytophthora-rot": 40,
            "anthracnose": 20,
            "brown-stem-rot": 20,
            "bacterial-blight": 10,
            "bacterial-pustule": 10,
            "charcoal-rot": 10,
            "diaporthe-stem-canker": 10,
            "downy-mildew": 10,
            "phyllosticta-leaf-spot": 10,
            "powdery-mildew": 10,
            "purple-seed-stain": 10,
            "rhizoctonia-root-rot": 10,
            "cyst-nematode": 6,
            "diaporthe-pod-&-stem-blight": 6,
            "herbicide-injury": 4,
            "2-4-d-injury": 1,
        },
    ),
    (
        "soybean-large",
        "test",
        376,
        35,
        1625,
        296,
        {
            "brown-spot": 52,
            "alternarialeaf-spot": 51,
            "frog-eye-leaf-spot": 51,
            "phytophthora-rot": 48,
            "anthracnose": 24,
            "brown-stem-rot": 24,
            "2-4-d-injury": 15,
            "bacterial-blight": 10,
            "bacterial-pustule": 10,
            "charcoal-rot": 10,
            "diaporthe-stem-canker": 10,
            "downy-mildew": 10,
            "phyllosticta-leaf-spot": 10,
            "powdery-mildew": 10,
            "purple-seed-stain": 10,
            "rhizoctonia-root-rot": 10,
            "diaporthe-pod-&-stem-blight": 9,
            "cyst-nematode": 8,
            "herbicide-injury": 4,
        },
    ),
    ("zoo", "train", 101, 16, 0, 101, {1: 41, 2: 20, 4: 13, 7: 10, 6: 8, 3: 5, 5: 4}),
    ("breast-cancer-wisconsin", "train", 699, 9, 16, 683, {2: 458, 4: 241}),
    ("mushroom", "train", 8124, 22, 2480, 5644, {"e": 4208, "p": 3916}),
    (
        "voting-records",
        "train",
        435,
        16,
        392,
        232,
        {"democrat": 267, "republican": 168},
    ),
    (
        "nursery",
        "train",
        12960,
        8,
        0,
        12960,
        {
            "not_recom": 4320,
            "priority": 4266,
            "spec_prior": 4044,
            "very_recom": 328,
            "recommend": 2,
        },
    ),
    (
        "car",
        "train",
        1728,
        6,
        0,
        1728,
        {"unacc": 1210, "acc": 384, "good": 69, "vgood": 65},
    ),
    ("tic-tac-toe", "train", 958, 9, 0, 958, {"positive": 626, "negative": 332}),
    ("balance-scale", "train", 625, 4, 0, 625, {"L": 288, "R": 288, "B": 49}),
    ("hayes-roth", "train", 132, 4, 0, 132, {1: 51, 2: 51, 3: 30}),
    ("hayes-roth", "test", 28, 4, 0, 28, {1: 14, 2: 13, 3: 1}),
    (
        "audiology",
        "train",
        200,
        69,
        291,
        4,
        {
            "cochlear_unknown": 48,
            "cochlear_age": 46,
            "normal_ear": 20,
            "cochlear_age_and_noise": 18,
            "cochlear_poss_noise": 16,
            "possible_menieres": 8,
            "conductive_fixation": 6,
            "mixed_cochlear_unk_fixation": 5,
            "mixed_cochlear_age_otitis_media": 4,
            "otitis_media": 4,
            "possible_brainstem_disorder": 4,
            "mixed_cochlear_unk_ser_om": 3,
            "cochlear_noise_and_heredity": 2,
            "conductive_discontinuity": 2,
            "mixed_cochlear_age_s_om": 2,
            "mixed_cochlear_unk_discontinuity": 2,
            "mixed_poss_noise_om": 2,
            "retrocochlear_unknown": 2,
            "acoustic_neuroma": 1,
            "bells_palsy": 1,
            "cochlear_age_plus_poss_menieres": 1,
            "mixed_cochlear_age_fixation": 1,
            "mixed_poss_central_om": 1,
            "poss_central": 1,
        },
    ),
    (
        "audiology",
        "test",
        26,
        69,
        26,
        0,
        {
            "cochlear_age": 11,
            "cochlear_age_and_noise": 4,
            "cochlear_poss_noise": 4,
            "mixed_cochlear_unk_fixation": 4,
            "normal_ear": 2,
            "mixed_cochlear_age_fixation": 1,
        },
    ),
    ("lenses", "train", 24, 4, 0, 24, {3: 15, 2: 5, 1: 4}),
    ("kr-vs-kp", "train", 3196, 36, 0, 3196, {"won": 1669, "nowin": 1527}),
    ("splice", "train", 3190, 60, 0, 3190, {"N": 1655, "IE": 768, "EI": 767}),
    (
        "connect-4",
        "train",
        67557,
        42,
        0,
        67557,
        {"win": 44473, "loss": 16635, "draw": 6449},
    ),
    ("crx", "train", 690, 15, 67, 653, {"-": 383, "+": 307}),
    ("heart-disease", "train", 303, 13, 6, 297, {0: 164, 1: 55, 2: 36, 3: 35, 4: 13}),
    ("adult", "train", 32561, 14, 4262, 30162, {"<=50K": 24720, ">50K": 7841}),
    ("adult", "test", 16281, 14, 2203, 15060, {"<=50K": 12435, ">50K": 3846}),
    (
        "iris",
        "train",
        150,
        4,
        0,
        150,
        {"Iris-setosa": 50, "Iris-versicolor": 50, "Iris-virginica": 50},
    ),
]
every_file = pytest.mark.parametrize(("name", "subset"), [row[:2] for row in COUNTS])


# The sets, against their counts


@pytest.mark.parametrize(
    ("name", "subset", "rows", "attributes", "missing", "complete", "classes"), COUNTS
)
def test_counts_of_the_files(
    load_or_skip, name, subset, rows, attributes, missing, complete, classes
):
    bunch = load_or_skip(name, subset=subset, as_frame=True)
    assert bunch.data.shape == (rows, attributes)
    assert bunch.data.isna().sum().sum() == missing
    assert (
        len(bunch.data.dropna())
        == complete
        == len(load_or_skip(name, subset=subset, missing="drop").data)
    )
    assert bunch.target.value_counts().to_dict() == classes


@pytest.mark.parametrize(
    ("name", "subset", "rows", "attributes", "missing", "complete", "classes"), COUNTS
)
def test_the_list_of_sets_needs_no_file_and_says_the_same(
    name, subset, rows, attributes, missing, complete, classes
):
    table = datasets.list_datasets(data_home="/nowhere").set_index(["name", "subset"])
    assert len(table) == len(COUNTS)
    columns = ["rows", "attributes", "missing_cells", "complete_rows", "classes"]
    assert table.loc[(name, subset), columns].tolist() == [
        rows,
        attributes,
        missing,
        complete,
        len(classes),
    ]


@every_file
def test_every_value_of_a_file_is_declared_and_sorted(load_or_skip, name, subset):
    frame = load_or_skip(name, subset=subset, as_frame=True).frame
    declared = {column.name: column for column in DATASETS[name].columns}
    for attribute in frame:
        if declared[attribute].kind == "number":
            assert frame[attribute].dtype.kind in "if"
            continue
        categories = frame[attribute].cat.categories.tolist()
        assert categories == sorted(categories)
        assert set(frame[attribute].dropna()) == set(categories), (
            "a category that does not occur"
        )
        if declared[attribute].names:
            assert {str(category) for category in categories} <= set(
                declared[attribute].names
            )
        if all(str(category).isdigit() for category in categories):
            assert all(isinstance(category, int) for category in categories)


@every_file
def test_arrays_frames_and_readable_names_have_the_same_codes(
    load_or_skip, name, subset
):
    frames = load_or_skip(name, subset=subset, as_frame=True)
    arrays = load_or_skip(name, subset=subset)
    readable = load_or_skip(name, subset=subset, as_frame=True, names=True)
    assert arrays.target.dtype == np.int64
    assert (frames.target.cat.codes == arrays.target).all()
    assert (arrays.target_names[arrays.target] == frames.target).all()
    pd.testing.assert_frame_equal(
        pd.DataFrame(arrays.data, columns=arrays.feature_names, dtype=object),
        frames.data.astype(object),
        check_dtype=False,
    )
    for attribute in readable.frame.select_dtypes("category"):
        assert (
            readable.frame[attribute].cat.codes == frames.frame[attribute].cat.codes
        ).all()
        assert readable.frame[attribute].cat.categories.is_unique
    assert arrays.categorical_features == [
        j for j, dtype in enumerate(frames.data.dtypes) if dtype == "category"
    ]


# how a set is split knows no set
@pytest.mark.parametrize(("name", "subset"), [row[:2] for row in COUNTS[::6]])
def test_pairs_are_the_parts_of_the_bunch(load_or_skip, name, subset):
    bunch = load_or_skip(name, subset=subset, missing="category")
    X, y = load_or_skip(name, subset=subset, missing="category", return_X_y=True)
    np.testing.assert_array_equal(y, bunch.target)
    pd.testing.assert_frame_equal(pd.DataFrame(X), pd.DataFrame(bunch.data))
    numbers = set(range(X.shape[1])) - set(bunch.categorical_features)
    assert not pd.DataFrame(X).drop(columns=list(numbers)).isna().any(axis=None)


def test_the_tables_of_the_paper(load_or_skip):
    """Rows, attributes and classes of Wilde, Knight and Gillard (2020), Table 1, and
    the distinct rows of the same data.
    """

    def shape(name, **options):
        bunch = load_or_skip(name, missing="drop", as_frame=True, **options)
        return (
            *bunch.data.shape,
            len(bunch.target_names),
            len(bunch.data.drop_duplicates()),
        )

    assert shape("breast-cancer-wisconsin", id_column=True) == (683, 10, 2, 675)
    assert shape("mushroom") == (5644, 22, 2, 5644)
    assert shape("nursery") == (12960, 8, 5, 12960)
    assert shape("soybean-large") == (266, 35, 15, 263)


@pytest.mark.parametrize(
    ("name", "distinct"),
    [
        ("zoo", 59),
        ("soybean-small", 47),
        ("voting-records", 342),
        ("splice", 3005),
        ("audiology", 177),
        ("kr-vs-kp", 3196),
        ("connect-4", 67557),
        ("hayes-roth", 69),
        ("breast-cancer-wisconsin", 463),
    ],
)
def test_distinct_rows(load_or_skip, name, distinct):
    assert len(load_or_skip(name, as_frame=True).data.drop_duplicates()) == distinct


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        (
            "voting-records",
            [12, 48, 11, 11, 15, 11, 14, 15, 22, 7, 21, 31, 25, 17, 28, 104],
        ),
        ("crx", [12, 12, 0, 6, 6, 9, 9, 0, 0, 0, 0, 0, 0, 13, 0]),
        ("heart-disease", [0] * 11 + [4, 2]),
        ("mushroom", [0] * 10 + [2480] + [0] * 11),
    ],
)
def test_missing_cells_of_each_attribute(load_or_skip, name, counts):
    assert load_or_skip(name, as_frame=True).data.isna().sum().tolist() == counts


# Single sets


def test_identifiers_are_kept_apart_or_among_the_attributes(load_or_skip):
    bunch = load_or_skip("breast-cancer-wisconsin")
    assert len(set(bunch.identifiers)) == 645
    with_id = load_or_skip("breast-cancer-wisconsin", id_column=True)
    assert with_id.feature_names == ["sample-code-number", *bunch.feature_names]
    np.testing.assert_array_equal(with_id.data[:, 0], bunch.identifiers)
    zoo = load_or_skip("zoo", as_frame=True)
    assert Counter(zoo.identifiers)["frog"] == 2
    assert load_or_skip("splice", as_frame=True).identifiers.nunique() == 3178


def test_identifiers_that_one_of_two_files_lacks(load_or_skip):
    both = load_or_skip("hayes-roth", subset="all", as_frame=True)
    assert both.data.shape == (160, 4)
    assert both.identifiers.isna().sum() == 28
    assert len(both.filename) == 2


def test_hayes_roth_follows_its_rule(load_or_skip):
    frame = load_or_skip("hayes-roth", subset="all", as_frame=True).frame
    for *person, club in frame[
        ["age", "educational-level", "marital-status", "class"]
    ].itertuples(index=False):
        if 4 in person:
            assert club == 3
        elif person.count(1) != person.count(2):
            assert club == (1 if person.count(1) > person.count(2) else 2)
        else:
            assert club in (1, 2)


def test_small_soybeans_are_large_soybeans_except_for_phytophthora_rot(load_or_skip):
    small = load_or_skip("soybean-small", as_frame=True, names=True)
    large = load_or_skip("soybean-large", subset="all", as_frame=True, names=True).frame
    known = {tuple(row) for row in large.astype(object).itertuples(index=False)}
    for row in small.frame.astype(object).itertuples(index=False):
        assert (tuple(row) in known) == (row[-1] != "phytophthora-rot")
    assert (small.data.nunique() == 1).sum() == 14


def test_category_codes_sort_as_numbers(load_or_skip):
    cells = load_or_skip("breast-cancer-wisconsin", as_frame=True).data
    assert cells["mitoses"].cat.categories.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 10]
    assert load_or_skip("heart-disease", as_frame=True).data[
        "thal"
    ].cat.categories.tolist() == [3, 6, 7]


def test_missing_as_a_category_is_the_last(load_or_skip):
    votes = load_or_skip("voting-records", as_frame=True, missing="category").data
    assert {tuple(votes[vote].cat.categories) for vote in votes} == {("n", "y", "?")}
    assert (votes.iloc[248] == "?").all()
    assert (
        load_or_skip("crx", missing="category", as_frame=True).data["A2"].isna().sum()
        == 12
    )


def test_readable_mushrooms(load_or_skip):
    mushroom = load_or_skip("mushroom", as_frame=True, names=True)
    assert mushroom.target_names.tolist() == ["edible", "poisonous"]
    assert mushroom.data["odor"].value_counts()["none"] == 3528
    assert mushroom.data["stalk-root"].isna().sum() == 2480


def test_splice_has_a_column_for_each_letter(load_or_skip):
    splice = load_or_skip("splice", as_frame=True)
    assert splice.feature_names[:2] + splice.feature_names[28:32] == [
        "-30",
        "-29",
        "-2",
        "-1",
        "+1",
        "+2",
    ]
    counts = Counter(splice.data.astype(object).to_numpy().ravel())
    assert {letter: counts[letter] for letter in "NDRS"} == dict(N=56, D=2, R=1, S=1)


def test_iris_differs_from_scikit_learn_in_two_rows():
    ours = datasets.load_iris(return_X_y=True)
    theirs = sklearn.datasets.load_iris(return_X_y=True)
    assert np.flatnonzero((ours[0] != theirs[0]).any(axis=1)).tolist() == [34, 37]
    np.testing.assert_array_equal(ours[1], theirs[1])


# The computed sets


@pytest.mark.parametrize("name", COMPUTED)
def test_computed_bytes_are_the_archive_s(name):
    contents = getattr(computed, name.replace("-", "_"))()
    (file,) = DATASETS[name].files.values()
    assert hashlib.sha256(contents).hexdigest() == file.sha256


@pytest.mark.parametrize("name", COMPUTED)
def test_computed_sets_need_no_file_and_no_network(name, monkeypatch, no_homes):
    monkeypatch.setattr(data_files, "_retrieve", None)
    monkeypatch.setenv("KMODES_STUDY_STRICT", "1")
    assert datasets.available(name)
    assert datasets.load(name, download=False).filename == "computed"
    assert list(datasets.fetch(name).values()) == ["computed"]
    assert datasets.verify(name)["status"].tolist() == ["ok"]


def test_files_at_hand_are_what_they_should_be():
    status = datasets.verify()
    assert set(status["status"]) <= {"ok", "absent"}
    assert len(status) == len(COUNTS)


# Loaders


def test_every_set_has_a_loader_with_the_options_that_it_has():
    loaders = {name for name in dir(datasets) if name.startswith("load_")}
    assert loaders == {"load_" + name.replace("-", "_") for name in DATASETS}
    common = ["return_X_y", "as_frame", "missing", "names"], ["data_home", "download"]
    for name, dataset in DATASETS.items():
        loader = getattr(datasets, "load_" + name.replace("-", "_"))
        subset = ["subset"] * (len(dataset.files) > 1)
        identifier = ["id_column"] * bool(dataset.of_kind("identifier"))
        assert list(inspect.signature(loader).parameters) == [
            *subset,
            *common[0],
            *identifier,
            *common[1],
        ]
        assert dataset.title in loader.__doc__


@pytest.mark.parametrize("name", COMPUTED)
def test_a_loader_loads_its_set(name):
    loaded = getattr(datasets, "load_" + name.replace("-", "_"))(as_frame=True)
    expected = datasets.load(name, as_frame=True)
    pd.testing.assert_frame_equal(loaded.frame, expected.frame)
    assert loaded.DESCR == datasets.describe(name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(name="mushrooms"), "mushroom"),
        (dict(name="nursery", missing="impute"), "impute"),
        (
            dict(name="nursery", subset="test"),
            "subset of 'nursery' must be one of 'train', 'all', got 'test'",
        ),
        (dict(name="nursery", id_column=True), "no identifier"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        datasets.load(**options)


def test_bad_options_are_named_before_a_file_is_looked_for(toy, archive):
    for options in dict(missing="impute"), dict(subset="test"):
        with pytest.raises(ValueError, match=f"got '{[*options.values()][0]}'"):
            datasets.load("toy", **options)
    assert archive.requests == 0


def test_every_description_names_source_licence_and_address():
    for name, dataset in DATASETS.items():
        text = datasets.describe(name)
        assert "CC BY 4.0" in text
        assert "https://archive.ics.uci.edu/ml/machine-learning-databases/" in text
        assert dataset.title in text
        assert dataset.of_kind("class")[0] in text
        assert dataset.source.split()[0] in text


def test_the_package_exports_what_its_modules_do_and_loads_none_of_them():
    for package, modules in [
        (
            kmodes_study.data,
            [sets, data_files, loaders, computed, synthetic, questionnaires],
        ),
        (kmodes_study.storage, [parts, code_files]),
    ]:
        exported = {name for module in modules for name in module.__all__}
        assert set(package.__all__) == exported | {
            module.__name__.split(".")[-1] for module in modules
        }
        for name in package.__all__:
            assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        kmodes_study.data.nothing
    code = (
        "import sys, kmodes_study.data, kmodes_study.storage\n"
        "print(any(name in sys.modules for name in ('pandas', 'sklearn', 'pooch')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


# Files found, fetched, and damaged, with a set of three rows on a server of our own


TOY = b"r1,a,1\nr2,?,2\nr3,b,1\n"


def compress(data):
    """Fewer than 256 bytes as the Unix program compress may write them: each as a
    number of nine bits, the lowest first.
    """
    stream = sum(byte << 9 * place for place, byte in enumerate(data))
    return b"\x1f\x9d\x90" + stream.to_bytes(-(-9 * len(data) // 8), "little")


@pytest.fixture
def no_homes(monkeypatch, tmp_path):
    "No data anywhere: the cache is an empty folder, which is returned."
    monkeypatch.delenv("KMODES_STUDY_DATA", raising=False)
    monkeypatch.delenv("KMODES_STUDY_STRICT", raising=False)
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / "cache" / name)
    monkeypatch.setattr(data_files, "_silent", {})
    return tmp_path / "cache" / "kmodes_study"


@pytest.fixture
def toy(monkeypatch, no_homes):
    "A function that registers the toy set, its file at the given path in the archive."

    def register(path="toy/toy.data"):
        file = File(
            path,
            hashlib.sha256(TOY).hexdigest(),
            rows=3,
            classes=2,
            missing=1,
            complete=2,
        )
        letter = Column("letter", "category", dict(a="alpha", b="beta"))
        columns = Column("row", "identifier", {}), letter, Column("kind", "class", {})
        dataset = Dataset(
            "toy", "Toy", "Three rows.", columns, dict(train=file), "Nobody."
        )
        monkeypatch.setitem(DATASETS, "toy", dataset)
        return dataset

    register()
    return register


@pytest.fixture
def archive(monkeypatch):
    """A server in the place of the archive: `archive[path] = contents`, or the number
    of an error. It sends half of the contents `archive.cut` times, or always.
    """

    class Archive(dict):
        cut, requests = False, 0

    files = Archive()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            files.requests += 1
            cut = files.cut is True or files.requests <= files.cut
            contents = files.get(self.path.lstrip("/"))
            if contents is None:
                return self.send_error(404)
            if isinstance(contents, int):
                return self.send_error(contents)
            self.send_response(200)
            self.send_header("Content-Length", str(len(contents)))
            self.end_headers()
            self.wfile.write(contents[: len(contents) // 2] if cut else contents)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv(
        "KMODES_STUDY_BASE_URL", f"http://127.0.0.1:{server.server_port}/"
    )
    yield files
    server.shutdown()
    server.server_close()


def files_below(folder):
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
    )


def test_a_download_goes_into_the_cache_once(toy, archive, no_homes, capfd):
    archive["toy/toy.data"] = TOY
    assert not datasets.available("toy")
    bunch = datasets.load("toy")
    assert bunch.filename == str(no_homes / "toy" / "toy.data")
    assert "100%" in capfd.readouterr().err, "a progress bar"
    assert files_below(no_homes) == ["toy/toy.data"]
    assert datasets.available("toy")
    datasets.load("toy")
    assert archive.requests == 1
    assert datasets.fetch("toy") == {"toy.data": no_homes / "toy" / "toy.data"}


def test_a_download_goes_where_the_caller_says(toy, archive, no_homes, tmp_path, capfd):
    archive["toy/toy.data"] = TOY
    fetched = datasets.fetch("toy", data_home=tmp_path / "mine", progress=False)
    assert fetched == {"toy.data": tmp_path / "mine" / "toy" / "toy.data"}
    assert "%" not in capfd.readouterr().err
    assert not no_homes.exists()


def test_homes_are_searched_in_order(toy, no_homes, tmp_path, monkeypatch):
    homes = [tmp_path / "argument", tmp_path / "variable", no_homes]
    monkeypatch.setenv("KMODES_STUDY_DATA", str(homes[1]))
    for home in reversed(homes):
        (home / "toy").mkdir(parents=True)
        (home / "toy" / "toy.data").write_bytes(TOY)
        assert datasets.where("toy", data_home=homes[0]) == {
            "toy.data": home / "toy" / "toy.data"
        }
    assert datasets.load("toy", data_home=str(homes[0])).filename == str(
        homes[0] / "toy" / "toy.data"
    )


@pytest.mark.parametrize("ending", [".gz", ".Z"])
def test_compressed_files_are_read(toy, no_homes, ending):
    (no_homes / "toy").mkdir(parents=True)
    (no_homes / "toy" / f"toy.data{ending}").write_bytes(
        gzip.compress(TOY) if ending == ".gz" else compress(TOY)
    )
    assert datasets.load("toy", download=False).data.shape == (3, 1)
    assert datasets.verify("toy")["status"].tolist() == ["ok"]


def test_a_file_that_the_archive_compresses_is_kept_plain(toy, archive, no_homes):
    toy("toy/toy.data.Z")
    archive["toy/toy.data.Z"] = compress(TOY)
    assert datasets.load("toy").data.shape == (3, 1)
    assert (no_homes / "toy" / "toy.data").read_bytes() == TOY


@pytest.mark.parametrize(
    "contents",
    [b"", TOY[:10], TOY + b"r4,a,1\n", b"<html>The archive has moved.</html>"],
)
def test_a_wrong_download_is_refused_and_leaves_nothing(
    toy, archive, no_homes, contents
):
    archive["toy/toy.data"] = contents
    with pytest.raises(ChecksumError, match="toy.data") as caught:
        datasets.load("toy")
    for part in ("SHA-256", "http://127.0.0.1", "KMODES_STUDY_DATA"):
        assert part in str(caught.value)
    assert files_below(no_homes) == []
    archive["toy/toy.data"] = TOY
    assert len(datasets.load("toy").data) == 3


def test_a_connection_that_breaks_off_leaves_nothing(toy, archive, no_homes):
    archive["toy/toy.data"], archive.cut = TOY, True
    with pytest.raises((DownloadError, ChecksumError), match="toy.data"):
        datasets.load("toy")
    assert files_below(no_homes) == []


def test_a_damaged_compressed_download_is_refused(toy, archive, no_homes):
    toy("toy/toy.data.Z")
    archive["toy/toy.data.Z"] = TOY
    with pytest.raises(ChecksumError, match="cannot be decompressed"):
        datasets.load("toy")
    assert files_below(no_homes) == []


def test_an_address_that_is_not_there(toy, archive, no_homes):
    with pytest.raises(DownloadError, match="404") as caught:
        datasets.load("toy")
    for part in (
        "toy.data",
        "http://127.0.0.1",
        "put the file yourself at",
        str(no_homes),
    ):
        assert part in str(caught.value)
    assert files_below(no_homes) == []


@contextmanager
def silent_archive(monkeypatch):
    """A socket in the place of the archive that takes each connection and never
    answers; gives what counts them.
    """
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        taken = []

        def take():
            with suppress(OSError):
                while True:
                    taken.append(listening.accept())

        threading.Thread(target=take, daemon=True).start()
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv(
            "KMODES_STUDY_BASE_URL", f"http://127.0.0.1:{listening.getsockname()[1]}"
        )
        yield taken
        listening.shutdown(socket.SHUT_RDWR)
        for connection, _ in taken:
            connection.close()


def test_no_network(toy, no_homes, monkeypatch):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("KMODES_STUDY_BASE_URL", f"http://127.0.0.1:{port}")
    with pytest.raises(
        DownloadError, match="(?s)Connection refused.*KMODES_STUDY_DATA"
    ) as caught:
        datasets.load("toy")
    assert "Max retries" not in str(caught.value), (
        "one plain reason, not the parts of a library"
    )
    assert files_below(no_homes) == []


def test_an_archive_that_never_answers_is_asked_once(toy, no_homes, monkeypatch):
    monkeypatch.setattr(data_files, "_PATIENCE", 0.2)
    with silent_archive(monkeypatch) as taken:
        with pytest.raises(DownloadError, match=r"does not answer \(timed out\)"):
            datasets.load("toy")
        assert len(taken) == 1
        for _ in range(3):
            with pytest.raises(
                DownloadError,
                match="did not answer .* is asked again in .*KMODES_STUDY_DATA",
            ):
                datasets.fetch("toy")
        assert len(taken) == 1
        (no_homes / "toy").mkdir(parents=True, exist_ok=True)
        (no_homes / "toy" / "toy.data").write_bytes(TOY)
        assert datasets.load("toy").data.shape == (3, 1), (
            "a file at hand needs no archive"
        )


def test_an_archive_that_did_not_answer_is_asked_again_after_a_while(
    toy, archive, monkeypatch
):
    archive["toy/toy.data"] = 503
    with pytest.raises(DownloadError, match="503"):
        datasets.load("toy")
    archive["toy/toy.data"] = TOY
    with pytest.raises(DownloadError, match="asked again"):
        datasets.load("toy")
    assert archive.requests == 1
    monkeypatch.setattr(data_files, "_MEMORY", 0)
    assert datasets.load("toy").data.shape == (3, 1)


def test_another_archive_is_asked_at_once(toy, archive, no_homes, monkeypatch):
    archive["toy/toy.data"], answers = TOY, os.environ["KMODES_STUDY_BASE_URL"]
    monkeypatch.setattr(data_files, "_PATIENCE", 0.2)
    with silent_archive(monkeypatch):
        with pytest.raises(DownloadError):
            datasets.load("toy")
        monkeypatch.setenv("KMODES_STUDY_BASE_URL", answers)
        assert datasets.load("toy").data.shape == (3, 1)


@pytest.mark.parametrize(
    "proxy", ["", "http://proxy.example:3128", "proxy.example:3128"]
)
def test_a_name_that_is_not_resolved(toy, no_homes, monkeypatch, proxy):
    "At once, or never: a resolver may keep its caller waiting for a minute."
    asked, never = [], threading.Event()

    def refuse(host, *args, **kwargs):
        asked.append(host)
        raise socket.gaierror(-2, "Name or service not known")

    def hang(host, *args, **kwargs):
        asked.append(host)
        never.wait()

    for name in "http_proxy", "https_proxy", "all_proxy", "no_proxy":
        for spelt in name, name.upper():
            monkeypatch.delenv(spelt, raising=False)
    monkeypatch.setenv("KMODES_STUDY_BASE_URL", "http://archive.example/ml")
    if proxy:
        monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.setattr(data_files, "_PATIENCE", 0.2)
    for resolver, words in (
        (refuse, "Name or service not known"),
        (hang, "name .* is not resolved"),
    ):
        data_files._silent.clear()
        asked.clear()
        monkeypatch.setattr("socket.getaddrinfo", resolver)
        for _ in range(2):
            with pytest.raises(DownloadError, match=words):
                datasets.load("toy")
        assert asked == ["proxy.example" if proxy else "archive.example"]
    never.set()


@pytest.fixture
def toys(toy, archive, monkeypatch):
    "Four sets of a file each, which the archive has; all other sets are forgotten."
    toy()
    model = DATASETS["toy"]
    sets = {
        name: replace(
            model,
            name=name,
            files=dict(train=replace(model.files["train"], path=f"{name}/toy.data")),
        )
        for name in ("ant", "bee", "cat", "dog")
    }
    for name in [*DATASETS]:
        monkeypatch.delitem(DATASETS, name)
    for name, one in sets.items():
        monkeypatch.setitem(DATASETS, name, one)
        archive[f"{name}/toy.data"] = TOY
    return archive


def test_all_sets_are_fetched_and_what_came_is_not_fetched_again(toys, no_homes, capfd):
    toys["cat/toy.data"], toys["bee/toy.data"] = 404, b"<html>moved</html>"
    table = datasets.fetch_all().set_index("dataset")
    assert "4/4" in capfd.readouterr().err, "one bar over all files"
    assert files_below(no_homes) == ["ant/toy.data", "dog/toy.data"]
    assert table.status[["ant", "dog"]].tolist() == ["ok", "ok"]
    assert "404" in table.status["cat"]
    assert "SHA-256" in table.status["bee"]
    asked = toys.requests
    toys["cat/toy.data"] = toys["bee/toy.data"] = TOY
    assert datasets.fetch_all(progress=False).status.tolist() == ["ok"] * 4
    assert toys.requests == asked + 2
    assert "%" not in capfd.readouterr().err
    assert datasets.fetch_all().status.tolist() == ["ok"] * 4
    assert toys.requests == asked + 2


def test_a_damaged_file_at_hand_does_not_stop_the_others(toys, no_homes):
    (no_homes / "ant").mkdir(parents=True)
    (no_homes / "ant" / "toy.data").write_bytes(TOY[:5])
    table = datasets.fetch_all(["ant", "dog"]).set_index("dataset")
    assert "Remove it" in table.status["ant"]
    assert table.status["dog"] == "ok"


def test_an_archive_that_is_out_of_order_is_not_asked_for_each_file(toys):
    for path in toys:
        toys[path] = 503
    status = datasets.fetch_all(progress=False).status
    assert toys.requests == 1
    assert "503" in status[0]
    assert set(status[1:]) == {"not asked for"}


def test_whether_the_archive_answers_is_found_out_with_one_file(toys, no_homes):
    assert data_files.ask_archive() == ""
    assert toys.requests == 1
    assert len(files_below(no_homes)) == 1
    for path in toys:
        toys[path] = 503
    assert "503" in data_files.ask_archive()
    assert toys.requests == 2
    data_files._silent.clear()
    for path in toys:
        toys[path] = 404
    toys["dog/toy.data"] = TOY
    assert data_files.ask_archive() == "", "a file that has moved is not the archive"
    toys["dog/toy.data"] = 404
    for name in "bee", "cat":
        (no_homes / name).mkdir(exist_ok=True)
    for name in "bee", "cat":
        (no_homes / name / "toy.data").write_bytes(TOY)
    asked = toys.requests
    assert data_files.ask_archive() == "", "nothing is absent"
    assert toys.requests == asked, "nothing is absent"


def test_a_wrong_download_is_a_failed_one(toy, archive):
    archive["toy/toy.data"] = b"<html>Sign in to use this network.</html>"
    with pytest.raises(DownloadError, match="SHA-256"):
        datasets.load("toy")


def test_a_connection_that_breaks_off_once_is_tried_again(toy, archive, no_homes):
    archive["toy/toy.data"], archive.cut = TOY, 1
    assert datasets.load("toy").data.shape == (3, 1)
    assert archive.requests == 2


def test_names_of_homes_that_mean_nothing(toy, no_homes, monkeypatch):
    monkeypatch.setenv("KMODES_STUDY_DATA", "~no-such-user/data")
    monkeypatch.setenv("KMODES_STUDY_BASE_URL", "")  # as if it were not set
    with pytest.raises(
        MissingDataError, match="~no-such-user.*https://archive.ics.uci.edu/ml/"
    ):
        datasets.load("toy", download=False)


def test_without_pooch_files_are_found_and_none_is_downloaded(
    toy, archive, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ModuleNotFoundError, match=r"kmodes_study\[data\]"):
        datasets.load("toy")
    with pytest.raises(MissingDataError, match="no folder"):
        datasets.load("toy", download=False)
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "toy.data").write_bytes(TOY)
    assert datasets.load("toy", data_home=tmp_path).data.shape == (3, 1)


def test_no_download_without_leave(toy, archive, no_homes):
    archive["toy/toy.data"] = TOY
    with pytest.raises(FileNotFoundError, match="kmodes-study data fetch toy"):
        datasets.load("toy", download=False)
    assert archive.requests == 0
    assert datasets.verify("toy")["status"].tolist() == ["absent"]


def test_a_cache_that_cannot_be_written(toy, archive, tmp_path):
    archive["toy/toy.data"] = TOY
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DownloadError, match="could not be fetched"):
        datasets.load("toy", data_home=tmp_path / "file")
    assert not data_files._silent, "this is not the archive's fault"


def test_a_full_disk_is_not_an_archive_that_does_not_answer(
    toy, archive, no_homes, monkeypatch
):
    archive["toy/toy.data"] = TOY

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pooch.core.temporary_file", full)
    with pytest.raises(DownloadError, match="No space left"):
        datasets.load("toy")
    assert not data_files._silent
    assert files_below(no_homes) == []


@pytest.mark.parametrize(
    ("ending", "contents"),
    [
        ("", TOY[:-1]),
        ("", TOY.replace(b"\n", b"\r\n")),
        (".gz", gzip.compress(TOY, mtime=0)[:-9]),
        (".gz", TOY),
        (".Z", b"\x1f\x9d\x90\xff\xff\xff\xff"),
        (".Z", b"\x1f\x9d"),
    ],
)
def test_a_damaged_file_is_refused_and_left_alone(toy, no_homes, ending, contents):
    path = no_homes / "toy" / f"toy.data{ending}"
    path.parent.mkdir(parents=True)
    path.write_bytes(contents)
    with pytest.raises(ChecksumError, match="Remove it"):
        datasets.load("toy")
    assert str(path) in datasets.verify("toy")["status"].item()
    with pytest.raises(ChecksumError):
        datasets.fetch("toy")
    assert path.read_bytes() == contents


def test_an_absent_file_under_strict_is_an_error(toy, monkeypatch):
    assert datasets.available("toy") is False
    monkeypatch.setenv("KMODES_STUDY_STRICT", "1")
    with pytest.raises(MissingDataError, match="toy.data"):
        datasets.available("toy")


@pytest.mark.parametrize("name", ["plain", "with a blank"])
def test_make_sees_the_data_beside_a_clone(tmp_path, name):
    makefile = Path(__file__).resolve().parent.parent / "Makefile"
    clone = tmp_path / name / "clone"
    clone.mkdir(parents=True)
    show = [
        "make",
        "-s",
        "-f",
        str(makefile),
        "--eval",
        "show:\n\t@echo $${KMODES_STUDY_DATA-none}",
        "show",
    ]
    hidden = "KMODES_STUDY_DATA", "MAKEFLAGS", "MAKELEVEL"
    without = {key: value for key, value in os.environ.items() if key not in hidden}

    def shown():
        return subprocess.check_output(show, cwd=clone, env=without, text=True).strip()

    assert shown() == "none"
    (tmp_path / name / "shared" / "data").mkdir(parents=True)
    (tmp_path / name / "shared" / "data" / "MANIFEST.csv").touch()
    assert shown() == str(tmp_path / name / "shared" / "data")


# Planted clusters


MODES_OF_SEED_0 = [[0, 0, 1, 0], [1, 1, 2, 2]]
LABELS_OF_SEED_0 = [1, 1, 0, 0, 1, 0]
CODES_OF_SEED_0 = [
    [1, 1, 2, 0],
    [1, 1, 2, 2],
    [0, 0, 1, 1],
    [0, 0, 1, 0],
    [0, 2, 2, 2],
    [1, 0, 2, 0],
]


@given(
    st.integers(1, 60),
    st.integers(1, 6),
    st.integers(1, 5),
    st.integers(1, 8),
    st.floats(0, 1),
    st.integers(0, 2**32 - 1),
)
@settings(deadline=None)
def test_planted_clusters_are_what_they_say(n, m, v, k, noise, seed):
    if k > n or v**m < k:
        with pytest.raises(ValueError, match="n_clusters"):
            synthetic.make_planted_clusters(n, m, v, k, noise, seed)
        return
    codes, labels, modes = synthetic.make_planted_clusters(n, m, v, k, noise, seed)
    assert codes.shape == (n, m)
    assert labels.shape == (n,)
    assert modes.shape == (k, m)
    assert codes.dtype == modes.dtype == np.uint8
    assert labels.dtype == np.int32
    assert codes.flags.c_contiguous
    assert codes.max() < v
    assert modes.max() < v
    assert len(np.unique(modes, axis=0)) == k
    assert np.ptp(np.bincount(labels, minlength=k)) <= 1
    if noise == 0:
        np.testing.assert_array_equal(codes, modes[labels])
    for first, second in zip(
        (codes, labels, modes),
        synthetic.make_planted_clusters(n, m, v, k, noise, np.random.RandomState(seed)),
    ):
        np.testing.assert_array_equal(first, second)


def test_planted_clusters_are_as_uneven_as_they_are_asked_for():
    found = synthetic.make_planted_clusters(
        70, 4, 3, 3, imbalance=4, random_state=0
    ).labels
    assert np.bincount(found).tolist() == [40, 20, 10]
    with pytest.raises(ValueError, match="imbalance must leave each of n_clusters=3"):
        synthetic.make_planted_clusters(9, 4, 3, 3, imbalance=100, random_state=0)


def test_planted_data_do_not_change_with_the_version_of_numpy():
    "The stream of RandomState is frozen: these are the data of seed 0 for ever."
    codes, labels, modes = synthetic.make_planted_clusters(
        6, 4, 3, 2, noise=0.5, random_state=0
    )
    assert modes.tolist() == MODES_OF_SEED_0
    assert labels.tolist() == LABELS_OF_SEED_0
    assert codes.tolist() == CODES_OF_SEED_0


@pytest.mark.parametrize(
    ("levels", "dtype"),
    [
        (256, np.uint8),
        (257, np.uint16),
        (65536, np.uint16),
        (65537, np.uint32),
        ([2, 300], np.uint16),
    ],
)
def test_planted_codes_have_the_smallest_dtype(levels, dtype):
    codes, _, modes = synthetic.make_planted_clusters(
        2000, 2, levels, 3, noise=1, random_state=0
    )
    assert codes.dtype == modes.dtype == dtype
    assert (codes.max(axis=0) < levels).all()
    assert codes.max() > 0.9 * np.max(levels)


def test_the_frequency_of_noise():
    """A cell differs from its mode with probability noise (1 - 1/v): the frequency is
    within five standard deviations.
    """
    for v, noise in ((2, 0.1), (4, 0.5), (8, 0.3), (3, 1.0)):
        codes, labels, modes = synthetic.make_planted_clusters(
            10_000, 20, v, 4, noise, random_state=1
        )
        p = noise * (1 - 1 / v)
        assert abs(np.mean(codes != modes[labels]) - p) < 5 * np.sqrt(
            p * (1 - p) / codes.size
        )
