"""Files of codes: the codes of the whole table, whatever the parts; nothing
half-written is taken for whole.
"""

import datetime
import errno
import json
import os
import resource

import numpy as np
import pandas as pd
import pytest

from kmodes_study.core.codes import CategoryEncoder, encode
from kmodes_study.storage import code_files, parts
from kmodes_study.storage.code_files import learn_from_file, open_codes, write_codes
from kmodes_study.core.stored import levels_from_json, levels_to_json

pa = pytest.importorskip("pyarrow", reason="pyarrow, the extra big, is not installed")
import pyarrow.dataset as ds  # noqa: E402
import pyarrow.parquet  # noqa: E402, F401


def mixed_frame(n, seed):
    "A frame with columns of all kinds, some with missing values."
    rng = np.random.RandomState(seed)
    days = [
        datetime.date(2020, 1, 1) + datetime.timedelta(days=int(d))
        for d in rng.randint(0, 9, n)
    ]
    frame = pd.DataFrame(
        {
            "text": rng.choice(["red", "green", "blue", "Ärger", ""], n),
            "small": rng.randint(-3, 4, n).astype(np.int8),
            "large": rng.choice([2**40, -(2**40), 7], n),
            "real": rng.choice([0.5, -1.25, 3e100], n),
            "truth": rng.rand(n) < 0.5,
            "day": days,
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


def same_as_encode(opened, frame):
    codes, categories = encode(
        frame.assign(**{"class": frame["class"].astype(str)}), missing="ignore"
    )
    np.testing.assert_array_equal(opened.codes, codes)
    assert opened.feature_names == list(frame.columns)
    for found, expected in zip(opened.categories, categories, strict=True):
        assert (
            pd.Series(found).astype(object).tolist()
            == pd.Series(expected).astype(object).tolist()
        )


@pytest.mark.parametrize("row_group_size", [1000, 97, 13])
def test_a_file_has_the_codes_of_the_frame(tmp_path, row_group_size):
    frame = mixed_frame(1000, row_group_size)
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=row_group_size)
    opened = write_codes(tmp_path / "x.parquet", tmp_path / "x.codes", n_jobs=2)
    same_as_encode(opened, frame)
    assert opened.codes.dtype == np.uint16
    assert opened.shape == frame.shape
    assert not opened.codes.flags.writeable
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.codes", "x.parquet"]
    np.testing.assert_array_equal(
        open_codes(tmp_path / "x.codes", verify=True).codes, opened.codes
    )


def pieces(frame):
    return (frame[i : i + 70] for i in range(0, len(frame), 70))


@pytest.mark.parametrize(
    "kind",
    ["folder", "dataset", "frames", "batches", "reader", "frame", "dataset of a table"],
)
def test_every_kind_of_source(tmp_path, kind):
    frame = mixed_frame(300, 5)
    table = pa.Table.from_pandas(frame)
    (tmp_path / "parts").mkdir()
    for number, piece in enumerate(pieces(frame)):
        piece.to_parquet(tmp_path / "parts" / f"{number}.parquet")
    source = {
        "folder": lambda: tmp_path / "parts",
        "dataset": lambda: ds.dataset(tmp_path / "parts"),
        "frame": lambda: frame,
        "frames": lambda: pieces(frame),
        "batches": lambda: table.to_batches(64),
        "reader": lambda: table.to_reader(64),
        "dataset of a table": lambda: ds.dataset(table),
    }[kind]()
    same_as_encode(write_codes(source, tmp_path / "x.codes"), frame)


def test_columns_are_chosen_and_named(tmp_path):
    frame = mixed_frame(50, 1)
    opened = write_codes(frame, tmp_path / "x.codes", columns=["truth", "text"])
    assert opened.feature_names == ["truth", "text"]
    np.testing.assert_array_equal(
        opened.codes, encode(frame[["truth", "text"]], missing="ignore")[0]
    )
    with pytest.raises(
        ValueError, match="columns must name columns of the first batch, got .*'txt'"
    ):
        write_codes(frame, tmp_path / "y.codes", columns=["txt"])


def test_values_that_no_row_has_are_no_categories(tmp_path):
    column = pa.DictionaryArray.from_arrays(
        pa.array([1, 3, 1], pa.int32()), ["a", "b", "c", "d"]
    )
    opened = write_codes(pa.table({"x": column}), tmp_path / "x.codes")
    assert opened.codes.ravel().tolist() == [0, 1, 0]
    assert opened.categories[0].tolist() == ["b", "d"]


@pytest.mark.parametrize("missing", ["ignore", "category"])
def test_the_encoder_is_that_of_the_frame(tmp_path, missing):
    frame = mixed_frame(200, 2)[["text", "small", "real", "day"]]
    encoder = CategoryEncoder(missing=missing)
    expected = CategoryEncoder(missing=missing).fit(frame)
    file = write_codes(frame, tmp_path / "x.codes")
    learn_from_file(encoder, file)
    np.testing.assert_array_equal(file.codes, expected.transform(frame))
    np.testing.assert_array_equal(encoder.transform(frame), expected.transform(frame))
    assert list(encoder.feature_names_in_) == list(frame.columns)
    assert [len(levels) for levels in encoder.categories_] == [
        len(levels) for levels in expected.categories_
    ]


def test_missing_values_are_refused_with_their_place(tmp_path):
    opened = write_codes(
        pd.DataFrame({"a": list("xyz"), "b": ["u", "v", None]}), tmp_path / "x.codes"
    )
    with pytest.raises(
        ValueError, match="missing values, got one in column 'b', row 2"
    ):
        learn_from_file(CategoryEncoder(), opened)
    nothing = write_codes(
        pd.DataFrame({"a": ["x"], "b": pd.array([None], "string")}),
        tmp_path / "y.codes",
    )
    with pytest.raises(ValueError, match="only missing ones in column 'b'"):
        learn_from_file(CategoryEncoder(missing="ignore"), nothing)


def test_the_place_of_a_missing_value_in_a_later_part(tmp_path):
    values = pd.DataFrame({"early": ["x"] * 60, "late": ["y"] * 60})
    values.loc[[7, 9], "early"], values.loc[[52, 55], "late"] = None, None
    values.to_parquet(tmp_path / "x.parquet", row_group_size=10)
    write_codes(tmp_path / "x.parquet", tmp_path / "both.codes")
    write_codes(tmp_path / "x.parquet", tmp_path / "late.codes", columns=["late"])
    for name, column, row in ("both", "early", 7), ("late", "late", 52):
        with pytest.raises(
            ValueError, match=f"got one in column '{column}', row {row}:"
        ):
            learn_from_file(CategoryEncoder(), open_codes(tmp_path / f"{name}.codes"))


# Interruptions


class Stop(Exception):
    pass


def note_every_part(monkeypatch):
    "From now on, the work is noted after each part, however long that takes."
    monkeypatch.setattr(code_files, "_SECONDS", -1)
    monkeypatch.setattr(code_files, "_SHARE_OF_NOTES", np.inf)


def stopped_after(monkeypatch, parts):
    "From now on, the reading of more than `parts` parts fails."
    add, calls = code_files._Spool.add, []

    def failing(self, table, run):
        if len(calls) == parts:
            raise Stop
        calls.append(len(table))
        add(self, table, run)

    monkeypatch.setattr(code_files._Spool, "add", failing)
    note_every_part(monkeypatch)
    return calls


def test_interrupted_work_goes_on_where_it_was(tmp_path, monkeypatch):
    frame = mixed_frame(500, 3)
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=50)
    with monkeypatch.context() as patch:
        stopped_after(patch, 6)
        with pytest.raises(Stop):
            write_codes(tmp_path / "x.parquet", tmp_path / "x.codes")
    assert not (tmp_path / "x.codes").exists()
    assert (tmp_path / "x.codes.part").exists()
    with pytest.raises(FileNotFoundError, match="not finished: call write_codes again"):
        open_codes(tmp_path / "x.codes")
    with open(tmp_path / "x.codes.part" / "column_0", "ab") as file:
        file.write(b"written, but not noted")
    with monkeypatch.context() as patch:
        calls = stopped_after(patch, 100)
        same_as_encode(write_codes(tmp_path / "x.parquet", tmp_path / "x.codes"), frame)
    assert calls == [50] * 4


def test_a_source_of_equal_size_is_another_one(tmp_path, monkeypatch):
    source, target = tmp_path / "x.parquet", tmp_path / "x.codes"
    plain = dict(compression="none", use_dictionary=False, row_group_size=50)
    frames = [pd.DataFrame({"a": values * 100}) for values in (["p", "q"], ["q", "p"])]
    frames[0].to_parquet(source, **plain)
    size = source.stat().st_size
    with monkeypatch.context() as patch:
        stopped_after(patch, 2)
        with pytest.raises(Stop):
            write_codes(source, target)
    before = source.stat()
    frames[1].to_parquet(source, **plain)
    # however coarse the clock of the disk is
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert source.stat().st_size == size
    assert write_codes(source, target).codes.ravel().tolist() == [1, 0] * 100


def test_work_on_another_source_is_not_taken_up(tmp_path, monkeypatch):
    frame = mixed_frame(200, 4)
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=50)
    with monkeypatch.context() as patch:
        stopped_after(patch, 2)
        with pytest.raises(Stop):
            write_codes(tmp_path / "x.parquet", tmp_path / "x.codes")
    frame = mixed_frame(200, 5)
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=50)
    same_as_encode(write_codes(tmp_path / "x.parquet", tmp_path / "x.codes"), frame)


def test_a_disk_that_takes_no_more(tmp_path, monkeypatch):
    frame = mixed_frame(5000, 1)
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=500)
    note_every_part(monkeypatch)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # the notes fit, all parts of a column do not
    resource.setrlimit(resource.RLIMIT_FSIZE, (8000, hard))
    try:
        with pytest.raises(
            OSError,
            match=(
                r"the unfinished work is in .*x\.codes\.part; make room and call again"
            ),
        ):
            write_codes(tmp_path / "x.parquet", tmp_path / "x.codes")
        with pytest.raises(
            OSError,
            match=r"nothing of .*stream\.codes is kept; make room and call again",
        ) as caught:
            write_codes(frame, tmp_path / "stream.codes")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.errno == errno.EFBIG
    with pytest.raises(FileNotFoundError, match="not finished"):
        open_codes(tmp_path / "x.codes")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "x.codes.part",
        "x.parquet",
    ]
    calls = stopped_after(monkeypatch, 100)
    same_as_encode(write_codes(tmp_path / "x.parquet", tmp_path / "x.codes"), frame)
    assert 0 < len(calls) < 10  # some parts were there


def test_a_full_disk_at_the_end_leaves_nothing_whole(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(code_files, "_join", full)
    with pytest.raises(
        OSError, match=r"No space left on device: nothing of .*x\.codes is kept"
    ) as caught:
        write_codes(mixed_frame(20, 0), tmp_path / "x.codes")
    assert caught.value.errno == errno.ENOSPC
    assert [*tmp_path.iterdir()] == []


# What is refused


def test_later_files_must_have_the_columns_of_the_first(tmp_path):
    first = pd.DataFrame({"a": ["x"], "b": [1]})
    for name, frame, message in [
        ("type", first.assign(b=[1.5]), "got double instead of int64 in column 'b'"),
        ("gone", first[["a"]], "has no column 'b'"),
    ]:
        (tmp_path / name).mkdir()
        first.to_parquet(tmp_path / name / "0.parquet")
        frame.to_parquet(tmp_path / name / "1.parquet")
        with pytest.raises(ValueError, match=rf"1\.parquet must have .*{message}"):
            write_codes(tmp_path / name, tmp_path / "x.codes")
    with pytest.raises(
        ValueError, match="batch 1 must have the columns of the first batch"
    ):
        write_codes([first, first[["a"]]], tmp_path / "x.codes")
    assert not (tmp_path / "x.codes").exists()


@pytest.mark.parametrize(
    "values, kind", [([[1], [2]], "list"), ([b"a", b"b"], "binary")]
)
def test_columns_of_things_that_are_no_categories(tmp_path, values, kind):
    with pytest.raises(TypeError, match=f"got {kind}.* in column 'x'"):
        write_codes(pa.table({"x": values}), tmp_path / "x.codes")


def test_an_identifier_is_refused_by_name(tmp_path):
    with pytest.raises(
        ValueError, match="at most 65536 categories, got more in column 'id'"
    ):
        write_codes(pd.DataFrame({"id": np.arange(70_000)}), tmp_path / "x.codes")
    opened = write_codes(pd.DataFrame({"id": np.arange(65_536)}), tmp_path / "y.codes")
    assert opened.codes.dtype == np.uint16
    assert opened.codes[-1, 0] == 65_535


@pytest.mark.parametrize("damage", ["cut", "middle"])
def test_a_damaged_source_is_named(tmp_path, damage):
    mixed_frame(5000, 0).to_parquet(tmp_path / "x.parquet")
    content = bytearray((tmp_path / "x.parquet").read_bytes())
    if damage == "cut":
        content = content[:-100]
    else:
        content[20:400] = bytes(380)
    (tmp_path / "x.parquet").write_bytes(content)
    with pytest.raises(ValueError, match=r"(?s)x\.parquet .*(cut short|damaged)"):
        write_codes(tmp_path / "x.parquet", tmp_path / "x.codes")


@pytest.mark.parametrize(
    "notes, is_json",
    [(b"{", False), (b"\xff", False), (b"[1]", True), (b'{"index_columns": 5}', True)],
)
def test_damaged_notes_of_pandas_in_a_source(tmp_path, notes, is_json):
    table = pa.table({"a": ["x", "y"]}).replace_schema_metadata({"pandas": notes})
    pa.parquet.write_table(table, tmp_path / "x.parquet")
    if is_json:
        assert write_codes(
            tmp_path / "x.parquet", tmp_path / "x.codes"
        ).codes.ravel().tolist() == [0, 1]
    else:
        with pytest.raises(
            ValueError,
            match=r"x\.parquet must be a whole Parquet file, but the notes of pandas",
        ):
            write_codes(tmp_path / "x.parquet", tmp_path / "x.codes")


@pytest.mark.parametrize("source", [[1, 2], 5, [], [pd.DataFrame()], "folder"])
def test_what_is_no_source(tmp_path, source):
    with pytest.raises((TypeError, ValueError), match="source must"):
        write_codes(tmp_path if source == "folder" else source, tmp_path / "x.codes")


@pytest.fixture
def opened(tmp_path):
    return write_codes(mixed_frame(100, 9), tmp_path / "x.codes")


def test_a_file_that_changes_is_noticed(opened):
    opened.check()
    size = opened.codes.nbytes
    (opened.path / "codes.bin").chmod(0o644)
    (opened.path / "codes.bin").write_bytes(bytes(size))
    with pytest.raises(ValueError, match="has changed since"):
        opened.codes
    with pytest.raises(ValueError, match="damaged, its checksum"):
        open_codes(opened.path, verify=True)


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("codes.bin", b"short", "has 5 bytes instead of 900"),
        ("codes.bin", bytes(901), "has 901 bytes instead of 900"),
        ("levels.json", b"{", "must be JSON"),
        ("levels.json", b"[1]", "of format 2 or 1"),
        ("levels.json", b'{"format": true}', "of format 2 or 1"),
        ("levels.json", b'{"format": 1}', "is damaged"),
        ("levels.json", b'{"format": 3}', "of format 2 or 1"),
        (
            "levels.json",
            b'{"format": 2, "levels_checksum": 1}',
            "its checksum is not 1",
        ),
        (
            "levels.json",
            b'{"format": 1, "n_rows": 1, "dtype": "uint8", "columns": [{"name": "a"}]}',
            "a type and a list",
        ),
    ],
)
def test_a_damaged_folder_is_refused(opened, name, content, message):
    (opened.path / name).chmod(0o644)
    (opened.path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        open_codes(opened.path)


def test_rows_are_taken_from_any_place_in_any_order(opened, monkeypatch):
    monkeypatch.setattr(code_files, "part_rows", lambda m: 7)
    rows = np.random.RandomState(0).randint(100, size=40)
    np.testing.assert_array_equal(opened.take(rows), opened.codes[rows])
    parts = [(first, columns.copy()) for first, columns in opened.parts(3, 50)]
    assert [first for first, _ in parts] == [*range(3, 50, 7)]
    np.testing.assert_array_equal(
        np.hstack([columns for _, columns in parts]), opened.codes[3:50].T
    )
    with pytest.raises(ValueError, match="must be within the 100 rows, got -1 to 5"):
        opened.take(np.array([5, -1]))


@pytest.mark.parametrize("code", [6, 255])
def test_a_code_that_no_category_has(tmp_path, code):
    opened = write_codes(mixed_frame(100, 9)[["text", "small"]], tmp_path / "x.codes")
    (opened.path / "codes.bin").chmod(0o644)
    with open(opened.file, "r+b") as file:
        file.write(bytes([code]))
    with pytest.raises(
        ValueError,
        match=f"bin has the code {code} in 'text', the last is 5: write it again",
    ):
        open_codes(opened.path).read(0, 1)


@pytest.mark.parametrize(
    "rows", ["abc", [1.5], [[1]], [[1], [1, 2]], 3, None, [True], {"a": 1}]
)
def test_rows_that_are_no_numbers(opened, rows):
    with pytest.raises(ValueError, match="rows must be whole numbers"):
        opened.take(rows)


def test_rows_in_a_list_and_none(opened):
    np.testing.assert_array_equal(opened.take([5, 0, 5]), opened.codes[[5, 0, 5]])
    assert opened.take([]).shape == (0, 9)
    assert opened.take(np.empty(0, int)).dtype == opened.dtype


@pytest.mark.parametrize(
    "bounds",
    [("a", 2), (0, None), (0.0, 2.0), (False, True), (5, 3), (0, 101), (-1, 5)],
)
def test_bounds_that_are_no_rows(opened, bounds):
    with pytest.raises(
        ValueError, match="first and last must be within the 100 rows, got"
    ):
        opened.read(*bounds)


def test_a_buffer_that_does_not_fit(opened):
    m = opened.shape[1]
    found = opened.read(3, 5, np.empty(2 * m + 1, opened.dtype))
    np.testing.assert_array_equal(found, opened.codes[3:5].T)
    for buffer in (
        5,
        np.empty(2 * m - 1, opened.dtype),
        np.empty(2 * m, np.uint16),
        np.empty((m, 2), opened.dtype),
    ):
        with pytest.raises(
            ValueError,
            match=f"buffer must be an array of at least {2 * m} codes of type uint8",
        ):
            opened.read(3, 5, buffer)


def test_rows_of_a_file_as_a_frame_are_those_of_the_frame(tmp_path):
    "With the last category of each column, and holes where there are none."
    frame = pd.DataFrame({"a": ["x", None, "z", "y"], "b": ["u", "v", "v", None]})
    file = write_codes(pa.Table.from_pandas(frame), tmp_path / "codes")
    for rows in (slice(0, 4), slice(3, 0, -1), [2, 0]):
        found = code_files.rows_as_frame(file, rows).astype(object)
        found = found.where(found.notna(), "a hole").to_numpy()
        expected = frame.iloc[rows].fillna("a hole").to_numpy()
        assert found.tolist() == expected.tolist()


def test_codes_of_two_bytes_are_read_from_any_row(tmp_path):
    numbers = np.arange(600) % 300
    table = pa.table({"a": numbers, "b": numbers[::-1] // 2})
    file = write_codes(table, tmp_path / "codes")
    assert file.dtype == np.uint16
    for first in (0, 1, 257):
        found = file.read(first, first + 20)
        assert found.tolist() == [
            numbers[first : first + 20].tolist(),
            (numbers[::-1] // 2)[first : first + 20].tolist(),
        ]


def test_what_is_no_number_is_missing_as_null_is(tmp_path):
    column = pa.array([1.0, float("nan"), None, 2.0])
    file = write_codes(pa.table({"a": column}), tmp_path / "codes")
    assert file.read(0, 4).tolist() == [[0, 2, 2, 1]]


@pytest.mark.parametrize("most", [3, 4])
def test_as_many_values_as_codes_have_room_for(tmp_path, monkeypatch, most):
    monkeypatch.setattr(parts, "_MOST_LEVELS", most)
    table = pa.table({"a": [5, 6, 7, 8]})
    if most == 4:
        assert len(write_codes(table, tmp_path / "codes")) == 4
    else:
        with pytest.raises(ValueError, match="a"):
            write_codes(table, tmp_path / "codes")


def test_the_rows_of_all_files_are_counted_beforehand(tmp_path):
    for name, n in dict(one=3, other=5).items():
        pa.parquet.write_table(pa.table({"a": range(n)}), tmp_path / f"{name}.parquet")
    assert parts.open_source(tmp_path).n_rows == 8


def test_a_slice_that_is_none(opened):
    with pytest.raises(
        TypeError, match="rows must be a slice of whole numbers, got slice"
    ):
        code_files.rows_as_frame(opened, slice("a", None))


# Categories as text


def test_categories_come_back_as_they_were():
    days = np.array(["2020-02-29", "1969-12-31T23:59:59.999"], "datetime64[ms]")
    mixed = [
        "a",
        1,
        2.5,
        True,
        None,
        pd.NA,
        datetime.date(1, 1, 1),
        pd.Timestamp("2020", tz="UTC"),
    ]
    for levels in (
        np.array(mixed, object),
        np.array([1.5, -0.0, 5e-324]),
        np.array([np.nan]),
        np.array([True, False]),
        np.array([2**63], np.uint64),
        days,
        np.array(["NaT", "2020-01-01"], "datetime64[ns]"),
    ):
        again = levels_from_json(
            json.loads(json.dumps(levels_to_json(levels), allow_nan=False))
        )
        assert again.dtype == levels.dtype
        assert [type(v) for v in again] == [type(v) for v in levels]
        assert [repr(value) for value in again] == [repr(value) for value in levels]


def test_a_category_that_stands_there_twice():
    twice = {"dtype": "object", "values": ["red", "blue", "red"]}
    with pytest.raises(ValueError, match="each once"):
        levels_from_json(twice)
    assert levels_from_json(twice, distinct=False).tolist() == twice["values"]


@pytest.mark.parametrize("value", [(1, 2), b"x", 1j, frozenset()])
def test_categories_without_a_form_in_text(value):
    with pytest.raises(TypeError, match="to be kept as text"):
        levels_to_json(np.fromiter([value], object))
