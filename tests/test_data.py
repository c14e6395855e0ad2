"""The data: counts of the archive's files, tables of the package, computed sets,
options of the loaders, downloads, and planted clusters.
"""

import gzip
import hashlib
import http.server
import sys
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from kmodes_study import data as datasets
from kmodes_study.data import computed
from kmodes_study.data.files import DownloadError, MissingDataError, read_file
from kmodes_study.data.sets import DATASETS, Column, Dataset, File
from kmodes_study.data.synthetic import make_planted_clusters

COMPUTED = ["nursery", "car", "tic-tac-toe", "balance-scale", "lenses", "iris"]
PACKAGED = "zoo voting-records soybean-large breast-cancer-wisconsin mushroom".split()

# name, subset, rows, attributes, missing cells, complete rows, class counts: counted in
# the archive's files; what is indented goes on with the line above.
COUNTS = """
soybean-small train 47 35 0 47 D4:17 D1:10 D2:10 D3:10
soybean-large train 307 35 712 266 alternarialeaf-spot:40 brown-spot:40
  frog-eye-leaf-spot:40 phytophthora-rot:40 anthracnose:20 brown-stem-rot:20
  bacterial-blight:10 bacterial-pustule:10 charcoal-rot:10 diaporthe-stem-canker:10
  downy-mildew:10 phyllosticta-leaf-spot:10 powdery-mildew:10 purple-seed-stain:10
  rhizoctonia-root-rot:10 cyst-nematode:6 diaporthe-pod-&-stem-blight:6
  herbicide-injury:4 2-4-d-injury:1
soybean-large test 376 35 1625 296 brown-spot:52 alternarialeaf-spot:51
  frog-eye-leaf-spot:51 phytophthora-rot:48 anthracnose:24 brown-stem-rot:24
  2-4-d-injury:15 bacterial-blight:10 bacterial-pustule:10 charcoal-rot:10
  diaporthe-stem-canker:10 downy-mildew:10 phyllosticta-leaf-spot:10 powdery-mildew:10
  purple-seed-stain:10 rhizoctonia-root-rot:10 diaporthe-pod-&-stem-blight:9
  cyst-nematode:8 herbicide-injury:4
zoo train 101 16 0 101 1:41 2:20 4:13 7:10 6:8 3:5 5:4
breast-cancer-wisconsin train 699 9 16 683 2:458 4:241
mushroom train 8124 22 2480 5644 e:4208 p:3916
voting-records train 435 16 392 232 democrat:267 republican:168
nursery train 12960 8 0 12960 not_recom:4320 priority:4266 spec_prior:4044
  very_recom:328 recommend:2
car train 1728 6 0 1728 unacc:1210 acc:384 good:69 vgood:65
tic-tac-toe train 958 9 0 958 positive:626 negative:332
balance-scale train 625 4 0 625 L:288 R:288 B:49
hayes-roth train 132 4 0 132 1:51 2:51 3:30
hayes-roth test 28 4 0 28 1:14 2:13 3:1
audiology train 200 69 291 4 cochlear_unknown:48 cochlear_age:46 normal_ear:20
  cochlear_age_and_noise:18 cochlear_poss_noise:16 possible_menieres:8
  conductive_fixation:6 mixed_cochlear_unk_fixation:5
  mixed_cochlear_age_otitis_media:4 otitis_media:4 possible_brainstem_disorder:4
  mixed_cochlear_unk_ser_om:3 cochlear_noise_and_heredity:2 conductive_discontinuity:2
  mixed_cochlear_age_s_om:2 mixed_cochlear_unk_discontinuity:2 mixed_poss_noise_om:2
  retrocochlear_unknown:2 acoustic_neuroma:1 bells_palsy:1
  cochlear_age_plus_poss_menieres:1 mixed_cochlear_age_fixation:1
  mixed_poss_central_om:1 poss_central:1
audiology test 26 69 26 0 cochlear_age:11 cochlear_age_and_noise:4
  cochlear_poss_noise:4 mixed_cochlear_unk_fixation:4 normal_ear:2
  mixed_cochlear_age_fixation:1
lenses train 24 4 0 24 3:15 2:5 1:4
kr-vs-kp train 3196 36 0 3196 won:1669 nowin:1527
splice train 3190 60 0 3190 N:1655 IE:768 EI:767
connect-4 train 67557 42 0 67557 win:44473 loss:16635 draw:6449
crx train 690 15 67 653 -:383 +:307
heart-disease train 303 13 6 297 0:164 1:55 2:36 3:35 4:13
adult train 32561 14 4262 30162 <=50K:24720 >50K:7841
adult test 16281 14 2203 15060 <=50K:12435 >50K:3846
iris train 150 4 0 150 Iris-setosa:50 Iris-versicolor:50 Iris-virginica:50
"""


def counted(line):
    "The counts of one file."
    name, subset, *numbers = line.split()
    classes = dict(item.rsplit(":", 1) for item in numbers[4:])
    digits = all(label.isdigit() for label in classes)
    classes = {int(label) if digits else label: int(n) for label, n in classes.items()}
    return name, subset, *map(int, numbers[:4]), classes


FILES = [counted(line) for line in COUNTS.replace("\n  ", " ").strip().splitlines()]
every_file = pytest.mark.parametrize(("name", "subset"), [row[:2] for row in FILES])


# The sets, against their counts


@pytest.mark.parametrize("counts", FILES, ids=lambda counts: " ".join(counts[:2]))
def test_counts_of_the_files(load_or_skip, counts):
    name, subset, rows, attributes, missing, complete, classes = counts
    listed = datasets.list_datasets().set_index(["name", "subset"])
    assert len(listed) == len(FILES)
    columns = ["rows", "attributes", "missing_cells", "complete_rows", "classes"]
    expected = [rows, attributes, missing, complete, len(classes)]
    assert listed.loc[(name, subset), columns].tolist() == expected
    bunch = load_or_skip(name, subset=subset, as_frame=True)
    assert bunch.data.shape == (rows, attributes)
    assert bunch.data.isna().sum().sum() == missing
    assert len(bunch.data.dropna()) == complete
    assert len(load_or_skip(name, subset=subset, missing="drop").data) == complete
    assert bunch.target.value_counts().to_dict() == classes


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
        assert set(frame[attribute].dropna()) == set(categories)
        if declared[attribute].names:
            assert {str(each) for each in categories} <= set(declared[attribute].names)
        if all(str(category).isdigit() for category in categories):
            assert all(isinstance(category, int) for category in categories)


@every_file
def test_arrays_frames_and_readable_names_have_the_same_codes(
    load_or_skip, name, subset
):
    frames = load_or_skip(name, subset=subset, as_frame=True)
    arrays = load_or_skip(name, subset=subset)
    readable = load_or_skip(name, subset=subset, as_frame=True, names=True).frame
    assert arrays.target.dtype == np.int64
    assert (frames.target.cat.codes == arrays.target).all()
    assert (arrays.target_names[arrays.target] == frames.target).all()
    pd.testing.assert_frame_equal(
        pd.DataFrame(arrays.data, columns=arrays.feature_names, dtype=object),
        frames.data.astype(object),
        check_dtype=False,
    )
    for attribute in readable.select_dtypes("category"):
        column, own = readable[attribute].cat, frames.frame[attribute].cat
        assert (column.codes == own.codes).all()
        assert column.categories.is_unique
    assert arrays.categorical_features == [
        j for j, dtype in enumerate(frames.data.dtypes) if dtype == "category"
    ]


# how a set is split knows no set


def test_the_tables_of_the_paper():
    """Rows, attributes and classes of Wilde, Knight and Gillard (2020), Table 1, and
    the distinct rows of the same data.
    """

    def shape(name, **options):
        bunch = datasets.load(name, missing="drop", as_frame=True, **options)
        distinct = len(bunch.data.drop_duplicates())
        return *bunch.data.shape, len(bunch.target_names), distinct

    assert shape("breast-cancer-wisconsin", id_column=True) == (683, 10, 2, 675)
    assert shape("mushroom") == (5644, 22, 2, 5644)
    assert shape("nursery") == (12960, 8, 5, 12960)
    assert shape("soybean-large") == (266, 35, 15, 263)


# Single sets


def test_identifiers_are_kept_apart_or_among_the_attributes():
    bunch = datasets.load("breast-cancer-wisconsin")
    assert len(set(bunch.identifiers)) == 645
    with_id = datasets.load("breast-cancer-wisconsin", id_column=True)
    assert with_id.feature_names == ["sample-code-number", *bunch.feature_names]
    np.testing.assert_array_equal(with_id.data[:, 0], bunch.identifiers)
    assert Counter(datasets.load("zoo", as_frame=True).identifiers)["frog"] == 2


def test_hayes_roth_follows_its_rule(load_or_skip):
    frame = load_or_skip("hayes-roth", subset="all", as_frame=True).frame
    columns = ["age", "educational-level", "marital-status", "class"]
    for *person, club in frame[columns].itertuples(index=False):
        if 4 in person:
            assert club == 3
        elif person.count(1) != person.count(2):
            assert club == (1 if person.count(1) > person.count(2) else 2)
        else:
            assert club in (1, 2)


def test_missing_as_a_category_is_the_last(load_or_skip):
    votes = datasets.load("voting-records", as_frame=True, missing="category").data
    assert {tuple(votes[vote].cat.categories) for vote in votes} == {("n", "y", "?")}
    assert (votes.iloc[248] == "?").all()
    crx = load_or_skip("crx", missing="category", as_frame=True).data
    assert crx["A2"].isna().sum() == 12


def test_splice_has_a_column_for_each_letter(load_or_skip):
    splice = load_or_skip("splice", as_frame=True)
    places = [-30, -29, -2, -1, 1, 2]
    names = splice.feature_names[:2] + splice.feature_names[28:32]
    assert names == [f"{place:+}" for place in places]
    counts = Counter(splice.data.astype(object).to_numpy().ravel())
    assert {letter: counts[letter] for letter in "NDRS"} == dict(N=56, D=2, R=1, S=1)
    assert splice.identifiers.nunique() == 3178


def test_sets_are_described_and_options_checked():
    for name, dataset in DATASETS.items():
        text = datasets.describe(name)
        for part in "CC BY 4.0", dataset.title, dataset.of_kind("class")[0]:
            assert part in text
    with pytest.raises(ValueError, match="name"):
        datasets.load("mushrooms")
    votes = datasets.load("voting-records")
    X, y = datasets.load("voting-records", return_X_y=True)
    pd.testing.assert_frame_equal(pd.DataFrame(X), pd.DataFrame(votes.data))
    np.testing.assert_array_equal(y, votes.target)


# Sets that need no file


@pytest.fixture
def no_homes(monkeypatch, tmp_path):
    "No data anywhere: the cache is an empty folder, which is returned."
    monkeypatch.delenv("KMODES_STUDY_DATA", raising=False)
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / "cache" / name)
    return tmp_path / "cache" / "kmodes_study"


@pytest.mark.parametrize("name", COMPUTED)
def test_computed_bytes_are_the_archive_s(name, no_homes):
    contents = getattr(computed, name.replace("-", "_"))()
    (file,) = DATASETS[name].files.values()
    assert hashlib.sha256(contents).hexdigest() == file.sha256
    assert datasets.load(name, download=False).filename == "computed"
    assert list(datasets.fetch(name).values()) == ["computed"]


@pytest.mark.parametrize("name", PACKAGED)
def test_tables_of_the_package_are_the_archive_s(name, no_homes):
    for file in DATASETS[name].files.values():
        contents, path = read_file(DATASETS[name], file, None, download=False)
        assert hashlib.sha256(contents).hexdigest() == file.sha256
        assert path.suffix == ".xz"
    assert path.parents[1].joinpath("README.md").read_text().count(file.name) == 1


# Files found, fetched, and damaged, with a set of three rows on a server of our own


TOY = b"r1,a,1\nr2,?,2\nr3,b,1\n"


def compress(data):
    """Fewer than 256 bytes as the Unix program compress may write them: each as a
    number of nine bits, the lowest first.
    """
    stream = sum(byte << 9 * place for place, byte in enumerate(data))
    return b"\x1f\x9d\x90" + stream.to_bytes(-(-9 * len(data) // 8), "little")


@pytest.fixture
def toy(monkeypatch, no_homes):
    "A function that registers the toy set, its file at the given path in the archive."

    def register(path="toy/toy.data"):
        sha256 = hashlib.sha256(TOY).hexdigest()
        letter = Column("letter", "category", dict(a="alpha", b="beta"))
        columns = Column("row", "identifier", {}), letter, Column("kind", "class", {})
        files = dict(train=File(path, sha256, rows=3, classes=2))
        dataset = Dataset("toy", "Toy", "Three rows.", columns, files, "Nobody.")
        monkeypatch.setitem(DATASETS, "toy", dataset)

    register()
    return register


@pytest.fixture
def archive(monkeypatch):
    """A server in the place of the archive: `archive[path] = contents`, or the number
    of an error.
    """

    class Archive(dict):
        requests = 0

    files = Archive()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            files.requests += 1
            contents = files.get(self.path.lstrip("/"), 404)
            if isinstance(contents, int):
                return self.send_error(contents)
            self.send_response(200)
            self.send_header("Content-Length", str(len(contents)))
            self.end_headers()
            self.wfile.write(contents)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv(
        "KMODES_STUDY_BASE_URL", f"http://127.0.0.1:{server.server_port}/"
    )
    yield files
    server.shutdown()
    server.server_close()


def files_below(folder):
    files = filter(Path.is_file, folder.rglob("*"))
    return sorted(path.relative_to(folder).as_posix() for path in files)


def test_a_download_goes_into_the_cache_once(toy, archive, no_homes, capfd):
    archive["toy/toy.data"] = TOY
    with pytest.raises(MissingDataError, match="kmodes-study data fetch toy"):
        datasets.load("toy", download=False)
    assert archive.requests == 0
    bunch = datasets.load("toy")
    assert bunch.filename == str(no_homes / "toy" / "toy.data")
    assert "100%" in capfd.readouterr().err, "a progress bar"
    assert files_below(no_homes) == ["toy/toy.data"]
    datasets.load("toy")
    assert archive.requests == 1
    assert datasets.fetch("toy") == {"toy.data": no_homes / "toy" / "toy.data"}


def test_homes_are_searched_in_order(toy, no_homes, tmp_path, monkeypatch):
    homes = [tmp_path / "argument", tmp_path / "variable", no_homes]
    monkeypatch.setenv("KMODES_STUDY_DATA", str(homes[1]))
    for home in reversed(homes):
        (home / "toy").mkdir(parents=True)
        (home / "toy" / "toy.data").write_bytes(TOY)
        found = datasets.load("toy", data_home=str(homes[0]), download=False)
        assert found.filename == str(home / "toy" / "toy.data")


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".Z", compress)])
def test_compressed_files_are_read(toy, no_homes, ending, pack):
    (no_homes / "toy").mkdir(parents=True)
    (no_homes / "toy" / f"toy.data{ending}").write_bytes(pack(TOY))
    assert datasets.load("toy", download=False).data.shape == (3, 1)


def test_a_file_that_the_archive_compresses(toy, archive):
    toy("toy/toy.data.Z")
    archive["toy/toy.data.Z"] = compress(TOY)
    assert datasets.load("toy").data.shape == (3, 1)


@pytest.mark.parametrize(
    "contents",
    [b"", TOY[:10], TOY + b"r4,a,1\n", b"<html>It has moved.</html>", 404, 503],
)
def test_a_wrong_download_is_refused_and_leaves_nothing(
    toy, archive, no_homes, contents
):
    archive["toy/toy.data"] = contents
    with pytest.raises(DownloadError, match="toy.data") as caught:
        datasets.load("toy")
    assert "http://127.0.0.1" in str(caught.value)
    assert files_below(no_homes) == []
    archive["toy/toy.data"] = TOY
    assert len(datasets.load("toy").data) == 3


def test_without_pooch_files_are_found_and_none_is_downloaded(
    toy, archive, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ModuleNotFoundError, match=r"kmodes_study\[data\]"):
        datasets.load("toy")
    with pytest.raises(MissingDataError, match="toy.data"):
        datasets.load("toy", download=False)
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "toy.data").write_bytes(TOY)
    assert datasets.load("toy", data_home=tmp_path).data.shape == (3, 1)


@pytest.mark.parametrize("contents", [TOY[:-1], TOY.replace(b"\n", b"\r\n")])
def test_a_damaged_file_is_refused_and_left_alone(toy, no_homes, contents):
    path = no_homes / "toy" / "toy.data"
    path.parent.mkdir(parents=True)
    path.write_bytes(contents)
    with pytest.raises(ValueError, match="remove it"):
        datasets.load("toy")
    assert path.read_bytes() == contents


# Planted clusters


MODES_OF_SEED_0 = [[0, 0, 1, 0], [1, 1, 2, 2]]
LABELS_OF_SEED_0 = [1, 1, 0, 0, 1, 0]
CODES_OF_SEED_0 = ["1120", "1122", "0011", "0010", "0222", "1020"]


@given(
    st.integers(1, 60),
    st.integers(1, 6),
    st.integers(1, 5),
    st.integers(1, 8),
    st.floats(0, 1),
    st.integers(0, 2**32 - 1),
)
def test_planted_clusters_are_what_they_say(n, m, v, k, noise, seed):
    if k > n or v**m < k:
        with pytest.raises(ValueError, match="n_clusters"):
            make_planted_clusters(n, m, v, k, noise, seed)
        return
    codes, labels, modes = make_planted_clusters(n, m, v, k, noise, seed)
    assert (codes.shape, labels.shape, modes.shape) == ((n, m), (n,), (k, m))
    assert codes.dtype == modes.dtype == np.uint8
    assert labels.dtype == np.int32
    assert codes.flags.c_contiguous
    assert max(codes.max(), modes.max()) < v
    assert len(np.unique(modes, axis=0)) == k
    assert np.ptp(np.bincount(labels, minlength=k)) <= 1
    if noise == 0:
        np.testing.assert_array_equal(codes, modes[labels])
    again = make_planted_clusters(n, m, v, k, noise, np.random.RandomState(seed))
    np.testing.assert_array_equal(codes, again.codes)


def test_planted_clusters_are_as_uneven_as_they_are_asked_for():
    found = make_planted_clusters(70, 4, 3, 3, imbalance=4, random_state=0).labels
    assert np.bincount(found).tolist() == [40, 20, 10]
    with pytest.raises(ValueError, match="imbalance"):
        make_planted_clusters(9, 4, 3, 3, imbalance=100, random_state=0)


def test_planted_data_do_not_change_with_the_version_of_numpy():
    "The stream of RandomState is frozen: these are the data of seed 0 for ever."
    codes, labels, modes = make_planted_clusters(6, 4, 3, 2, noise=0.5, random_state=0)
    assert modes.tolist() == MODES_OF_SEED_0
    assert labels.tolist() == LABELS_OF_SEED_0
    assert ["".join(map(str, row)) for row in codes] == CODES_OF_SEED_0


@pytest.mark.parametrize(("v", "noise"), [(2, 0.1), (4, 0.5), (8, 0.3), (3, 1.0)])
def test_the_frequency_of_noise(v, noise):
    """A cell differs from its mode with probability noise (1 - 1/v): the frequency is
    within five standard deviations.
    """
    codes, labels, modes = make_planted_clusters(10_000, 20, v, 4, noise, 1)
    p = noise * (1 - 1 / v)
    far = 5 * np.sqrt(p * (1 - p) / codes.size)
    assert abs(np.mean(codes != modes[labels]) - p) < far
