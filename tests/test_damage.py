"""Writers are killed, raced and robbed of their disk, files are cut and flipped:
nothing wrong is read without an error.
"""

import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kmodes_study import KModes
from kmodes_study.core.codes import encode
from kmodes_study.core.stored import write_whole

pytest.importorskip("pyarrow", reason="pyarrow, the extra big, is not installed")
from kmodes_study.storage import code_files  # noqa: E402
from kmodes_study.storage.code_files import open_codes, write_codes  # noqa: E402

import writers  # noqa: E402

# a few in every run, a hundred with --all
OFTEN = [10, pytest.param(100, marks=pytest.mark.minute)]


def table(seed, n=160):
    "A frame with gaps, of which each part has other categories than the parts before."
    rng = np.random.RandomState(seed)
    frame = pd.DataFrame(
        {
            "word": [f"w{v}" for v in rng.randint(0, 4, n) + np.arange(n) // 40],
            "number": rng.randint(-2, 3, n),
            "many": rng.permutation(n) + 1000 * seed,
        }
    )
    return frame.mask(rng.rand(*frame.shape) < 0.05)


def source(folder, seed, n=160):
    "A Parquet file of such a frame, in eight parts, and the frame."
    frame, path = table(seed, n), folder / f"{seed}.parquet"
    frame.to_parquet(path, row_group_size=n // 8)
    return path, frame


def is_of(opened, frame):
    "Whether a file has the codes and the categories of a frame."
    codes, categories = encode(frame, missing="ignore")
    same = [
        list(map(str, one)) == list(map(str, other))
        for one, other in zip(opened.categories, categories)
    ]
    return (
        np.array_equal(opened.codes, codes)
        and all(same)
        and opened.feature_names == list(frame.columns)
    )


@pytest.fixture
def quick(monkeypatch):
    "Work is noted after each part, and nothing waits for the disk."
    monkeypatch.setattr(code_files, "_SECONDS", -1)
    monkeypatch.setattr(code_files, "_SHARE_OF_NOTES", np.inf)
    monkeypatch.setattr(os, "fsync", lambda number: None)


# Writers that are killed, and writers that race


class Writers:
    "The process that forks writers."

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, writers.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, what, *given):
        print(
            json.dumps([what, *given], default=str), file=self.process.stdin, flush=True
        )
        return json.loads(self.process.stdout.readline())


@pytest.fixture(scope="module")
def forked():
    if not hasattr(os, "fork"):
        pytest.skip("this system does not fork")
    forking = Writers()
    yield forking
    forking.process.stdin.close()
    assert forking.process.wait(60) == 0
    forking.process.stdout.close()


@pytest.mark.parametrize("n", OFTEN)
def test_killed_at_any_line(tmp_path, forked, quick, n):
    path, frame = source(tmp_path, 1)
    n_lines, gone_on = forked.ask("count", (path, tmp_path / "whole.codes")), 0
    for number, line in enumerate(np.linspace(1, n_lines, n, dtype=int)):
        target = tmp_path / f"{number}.codes"
        assert forked.ask("kill", (path, target), int(line)) == [-signal.SIGKILL]
        if not target.exists():
            with pytest.raises(FileNotFoundError):
                open_codes(target)
            gone_on += Path(f"{target}.part/progress.json").exists()
            # it goes on, or begins anew; the dead hold no lock
            assert is_of(write_codes(path, target), frame)
        assert is_of(open_codes(target, verify=True), frame)
        assert not Path(f"{target}.part").exists()
    assert gone_on > n // 3


@pytest.mark.parametrize("n", OFTEN)
def test_writers_of_one_path_race(tmp_path, forked, n):
    sources = [source(tmp_path, seed) for seed in (1, 2, 3)]
    for number in range(n):
        target = tmp_path / f"{number}.codes"
        came = forked.ask("race", *[(path, target) for path, _ in sources])
        assert came.count("written") == 1, came
        assert came.count("told") == 2, came
        assert is_of(open_codes(target, verify=True), sources[came.index("written")][1])
        shutil.rmtree(target)
        assert [path for path in tmp_path.iterdir() if "codes" in path.name] == []


@contextmanager
def half_way(path, target):
    """While a thread is in the middle of writing; then it goes on, and what came of it
    is in the list.
    """
    in_the_middle = threading.Event()
    go_on = threading.Event()
    came = []
    add = code_files._Spool.add

    def adding(self, part, run):
        if threading.current_thread() is thread and self.done == 3:
            in_the_middle.set()
            assert go_on.wait(60)
        return add(self, part, run)

    def writing():
        try:
            came.append(write_codes(path, target))
        except Exception as error:
            came.append(error)

    thread = threading.Thread(target=writing)
    code_files._Spool.add = adding
    try:
        thread.start()
        assert in_the_middle.wait(60)
        yield came
    finally:
        go_on.set()
        thread.join(60)
        code_files._Spool.add = add


def test_a_second_writer_is_told(tmp_path, forked, quick):
    path, frame = source(tmp_path, 1)
    other, _ = source(tmp_path, 2)
    target = tmp_path / "x.codes"
    with half_way(path, target) as came:
        for one in (path, other, table(3)):
            with pytest.raises(
                BlockingIOError,
                match=r"another process or thread is writing .*x\.codes: wait for it",
            ):
                write_codes(one, target)
        assert forked.ask("race", (path, target)) == ["told"]
    assert is_of(came[0], frame)
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "1.parquet",
        "2.parquet",
        "x.codes",
    ]
    assert sorted(one.name for one in target.iterdir()) == ["codes.bin", "levels.json"]


@pytest.mark.parametrize("how", ["removed", "finished"])
def test_a_lock_on_what_is_not_there_any_more_is_none(
    tmp_path, monkeypatch, quick, how
):
    path, frame = source(tmp_path, 1)
    target = tmp_path / "x.codes"
    is_locked = code_files._is_locked
    calls = []
    write_codes(table(2), tmp_path / "other.codes")

    # the writer before ends when its lock was opened, and before it was asked for
    def late(lock):
        calls.append(lock)
        if len(calls) == 1:
            shutil.rmtree(Path(lock.name).parent)
            if how == "finished":
                os.rename(tmp_path / "other.codes", target)
        return is_locked(lock)

    monkeypatch.setattr(code_files, "_is_locked", late)
    if how == "removed":
        assert is_of(write_codes(path, target), frame)
    else:
        with pytest.raises(FileExistsError, match="must not exist yet"):
            write_codes(path, target)
        assert is_of(open_codes(target, verify=True), table(2))
    assert len(calls) == 2
    assert not (tmp_path / "x.codes.part").exists()


@pytest.mark.parametrize("locks", ["refused", "none"])
def test_without_locks_the_second_is_told_when_it_has_written(
    tmp_path, monkeypatch, quick, locks
):
    def refuse(*arguments):
        raise OSError(errno.ENOLCK, "No locks available")

    if locks == "none":
        monkeypatch.setattr(code_files, "fcntl", None)
    else:
        monkeypatch.setattr(code_files.fcntl, "flock", refuse)
    (path, _), target = source(tmp_path, 1), tmp_path / "x.codes"
    with half_way(path, target) as came:
        assert is_of(write_codes(table(2), target), table(2))
    assert isinstance(came[0], FileExistsError)
    assert "path must not exist yet" in str(came[0])
    assert is_of(open_codes(target, verify=True), table(2))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["1.parquet", "x.codes"]
    with pytest.raises(FileExistsError):
        write_codes(path, target)


def test_a_link_that_leads_nowhere_is_seen_before_the_work(tmp_path):
    (tmp_path / "x.codes").symlink_to(tmp_path / "gone")
    with pytest.raises(FileExistsError, match="must not exist yet"):
        write_codes(table(1), tmp_path / "x.codes")
    assert [one.name for one in tmp_path.iterdir()] == ["x.codes"]


def test_nothing_is_left_of_a_source_that_is_refused(tmp_path, quick):
    pieces = [table(1), table(1)[["word"]]]
    pd.DataFrame({"id": np.arange(70_000)}).to_parquet(
        tmp_path / "x.parquet", row_group_size=10_000
    )
    for one in pieces, tmp_path / "x.parquet":
        with pytest.raises(ValueError):
            write_codes(one, tmp_path / "x.codes")
        assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


# Disks that fail, and power


class Cut(Exception):
    pass


def stop_after(path, target, n_parts):
    "Work on a file that ends after some parts."
    add = code_files._Spool.add

    def adding(self, part, run):
        if self.done == n_parts:
            raise Cut
        add(self, part, run)

    code_files._Spool.add = adding
    try:
        with pytest.raises(Cut):
            write_codes(path, target)
    finally:
        code_files._Spool.add = add


def damage(path, rng):
    """Another content: cut, longer, zeros from somewhere on, or one bit flipped; what
    was done.
    """
    content = path.read_bytes()
    how = rng.choice(["cut", "longer", "zeros", "flipped", "flipped"])
    place = rng.randint(len(content)) if content else 0
    bit = bytes([content[place] ^ 1 << rng.randint(8)]) if content else b""
    path.chmod(0o644)
    path.write_bytes(
        {
            "cut": content[:place],
            "longer": content + rng.bytes(5),
            "flipped": content[:place] + bit + content[place + 1 :],
            "zeros": content[:place] + bytes(len(content) - place),
        }[how]
    )
    return how


@pytest.mark.parametrize("n", OFTEN)
def test_unfinished_work_that_was_damaged_is_never_taken_up_wrong(tmp_path, quick, n):
    path, frame = source(tmp_path, 1)
    rng, target = np.random.RandomState(1), tmp_path / "x.codes"
    for number in range(n):
        stop_after(path, target, rng.randint(1, 8))
        files = sorted(
            one for one in (tmp_path / "x.codes.part").iterdir() if one.name != "lock"
        )
        assert len(files) == 4
        for one in [files[number % 4], *rng.choice(files, rng.randint(2))]:
            damage(one, rng)
        assert is_of(write_codes(path, target), frame)
        shutil.rmtree(target)


@pytest.mark.parametrize("name", ["levels.json", "codes.bin"])
@pytest.mark.parametrize("n", OFTEN)
def test_a_damaged_file_of_codes_is_refused(tmp_path, quick, name, n):
    rng, frame = np.random.RandomState(2), table(1)
    write_codes(frame, tmp_path / "whole.codes")
    content = (tmp_path / "whole.codes" / name).read_bytes()
    for number in range(n):
        shutil.copytree(tmp_path / "whole.codes", tmp_path / "x.codes")
        damage(tmp_path / "x.codes" / name, rng)
        same = (tmp_path / "x.codes" / name).read_bytes() == content
        try:
            found = open_codes(tmp_path / "x.codes", verify=name == "codes.bin")
        except ValueError as error:
            assert name in str(error)
            assert not same
        else:
            assert is_of(found, frame), "a wrong file was opened"
            assert same or name == "levels.json", "a wrong file was opened"
        shutil.rmtree(tmp_path / "x.codes")


def test_every_bit_of_the_categories_is_under_a_checksum(tmp_path, quick):
    write_codes(table(1, 16), tmp_path / "x.codes")
    file = tmp_path / "x.codes" / "levels.json"
    content, known = file.read_bytes(), json.loads(file.read_text())
    for place in range(0, len(content), 3):
        changed = (
            content[:place]
            + bytes([content[place] ^ 1 << place % 8])
            + content[place + 1 :]
        )
        try:
            if json.loads(changed) == known:
                continue  # a blank
        except ValueError:
            pass
        file.write_bytes(changed)
        with pytest.raises(ValueError, match="levels.json"):
            open_codes(tmp_path / "x.codes")


def test_a_folder_of_the_format_before_is_opened(tmp_path, quick):
    frame = table(1)
    write_codes(frame, tmp_path / "x.codes")
    file = tmp_path / "x.codes" / "levels.json"
    head = json.loads(file.read_text())
    del head["levels_checksum"]
    file.write_text(json.dumps(dict(head, format=1), indent=1))
    assert is_of(open_codes(tmp_path / "x.codes", verify=True), frame)
    file.write_text(json.dumps(head))  # of this format, without its checksum
    with pytest.raises(ValueError, match="damaged or was changed by hand"):
        open_codes(tmp_path / "x.codes")


@pytest.mark.parametrize("how", ["rewritten", "gone"])
def test_a_source_that_changes_while_it_is_read(tmp_path, quick, how):
    path, _ = source(tmp_path, 1)
    with half_way(path, tmp_path / "x.codes") as came:
        if how == "rewritten":
            source(tmp_path, 1, 320)
        else:
            path.unlink()
    assert isinstance(came[0], ValueError)
    assert not (tmp_path / "x.codes").exists()
    assert "source must not change" in str(
        came[0]
    ) or "1.parquet must be a whole Parquet file" in str(came[0])


def test_a_source_of_equal_size_takes_its_place_while_it_is_read(tmp_path, quick):
    path = tmp_path / "x.parquet"
    plain = dict(compression="none", use_dictionary=False, row_group_size=20)
    pd.DataFrame({"a": ["p", "q"] * 80}).to_parquet(path, **plain)
    before = path.stat()
    with half_way(path, tmp_path / "x.codes") as came:
        pd.DataFrame({"a": ["q", "p"] * 80}).to_parquet(path, **plain)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
        assert path.stat().st_size == before.st_size
    assert isinstance(came[0], ValueError)
    assert "source must not change while it is read" in str(came[0])
    assert [one.name for one in tmp_path.iterdir()] == ["x.parquet"]


def test_codes_are_compared_with_their_checksum_when_they_are_put_together(
    tmp_path, monkeypatch
):
    finish = code_files._finish

    def later(spool, target):
        damaged = spool.folder / "column_1"
        damaged.write_bytes(bytes(damaged.stat().st_size))
        finish(spool, target)

    monkeypatch.setattr(code_files, "_finish", later)
    with pytest.raises(ValueError, match="column_1 has changed since it was written"):
        write_codes(table(1), tmp_path / "x.codes")
    assert [*tmp_path.iterdir()] == []


def synced_files(monkeypatch):
    """How many bytes of each file, by its number in the system, were brought to the
    disk so far.
    """
    seen, fsync = {}, os.fsync

    def noting(number):
        fsync(number)
        stat = os.fstat(number)
        seen[stat.st_ino] = stat.st_size

    monkeypatch.setattr(os, "fsync", noting)
    return seen


def test_codes_are_on_the_disk_before_the_folder_has_its_name(tmp_path, monkeypatch):
    synced = synced_files(monkeypatch)
    rename = os.rename
    renamed = []

    def checking(one, other):
        for name in "codes.bin", "levels.json":
            stat = (Path(one) / name).stat()
            assert synced[stat.st_ino] == stat.st_size, (
                f"{name} is renamed and may be lost"
            )
        renamed.append(other)
        rename(one, other)

    monkeypatch.setattr(os, "rename", checking)
    write_codes(table(1), tmp_path / "x.codes")
    assert renamed == [tmp_path / "x.codes"]


def test_columns_are_on_the_disk_before_they_are_noted(tmp_path, monkeypatch):
    monkeypatch.setattr(code_files, "_SECONDS", -1)
    monkeypatch.setattr(code_files, "_SHARE_OF_NOTES", np.inf)
    synced, notes = synced_files(monkeypatch), []

    def noting(file, content):
        if file.name == "progress.json":
            for j, column in enumerate(json.loads(content)["columns"]):
                length = sum(size * n for size, n in column["widths"])
                notes.append(length)
                assert synced[(file.parent / f"column_{j}").stat().st_ino] >= length > 0
        write_whole(file, content)

    monkeypatch.setattr(code_files, "write_whole", noting)
    write_codes(source(tmp_path, 1)[0], tmp_path / "x.codes")
    assert len(notes) == 3 * 8


# Models and other whole files


@pytest.fixture
def two_models():
    "Two models of the same table."
    frame = pd.DataFrame({"a": list("xyzx" * 5), "b": list("uvuu" * 5)})
    return frame, [KModes(k, random_state=0).fit(frame) for k in (1, 2)]


@pytest.mark.parametrize("n", OFTEN)
def test_a_damaged_model_is_refused(tmp_path, quick, two_models, n):
    rng, (frame, (model, _)) = np.random.RandomState(3), two_models
    model.save(tmp_path / "whole.json")
    known = json.loads((tmp_path / "whole.json").read_text())
    for number in range(n):
        shutil.copy(tmp_path / "whole.json", tmp_path / "m.json")
        damage(tmp_path / "m.json", rng)
        try:
            same = json.loads((tmp_path / "m.json").read_text()) == known
        except ValueError:
            same = False
        try:
            found = KModes.load(tmp_path / "m.json")
        except ValueError as error:
            assert "m.json" in str(error)
            assert not same
        else:
            assert same
            assert np.array_equal(found.predict(frame), model.predict(frame))


@pytest.mark.parametrize("n", OFTEN)
def test_two_that_save_under_one_name_leave_one_whole(tmp_path, quick, two_models, n):
    file, failed = tmp_path / "m.json", []

    def saving(model):
        try:
            for _ in range(n):
                model.save(file)
        except Exception as error:
            failed.append(error)

    threads = [
        threading.Thread(target=saving, args=(model,)) for model in two_models[1] * 2
    ]
    two_models[1][0].save(file)
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert len(KModes.load(file).modes_) in (1, 2)
    for thread in threads:
        thread.join()
    assert failed == []
    assert [*tmp_path.iterdir()] == [file]


def half_written(self, content):
    "What a full disk makes of a file."
    with open(self, "wb") as file:
        file.write(content[: len(content) // 2])
    raise OSError(errno.ENOSPC, "No space left on device", str(self))


def test_an_error_in_the_middle_leaves_what_was_there(
    tmp_path, monkeypatch, two_models
):
    two_models[1][0].save(tmp_path / "m.json")
    before = (tmp_path / "m.json").read_bytes()
    monkeypatch.setattr(Path, "write_bytes", half_written)
    with pytest.raises(OSError, match="No space left"):
        two_models[1][1].save(tmp_path / "m.json")
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "other.txt", "words")
    assert (tmp_path / "m.json").read_bytes() == before
    assert [*tmp_path.iterdir()] == [tmp_path / "m.json"]


@pytest.mark.parametrize("what", ["save", "write_whole", "labels"])
def test_a_full_disk_names_the_file(tmp_path, two_models, what):
    save = saves(two_models, tmp_path)[what]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3, hard))
    try:
        with pytest.raises(OSError, match=r"large: '.*/full\.npy'") as caught:
            save(tmp_path / "full.npy")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.errno == errno.EFBIG
    assert [path.name for path in tmp_path.iterdir()] == ["x.codes"]


def test_a_whole_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    synced = synced_files(monkeypatch)
    replace = Path.replace
    replaced = []

    def checking(self, target):
        assert synced[self.stat().st_ino] == self.stat().st_size
        replaced.append(target)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", checking)
    write_whole(tmp_path / "words.txt", "words")
    assert replaced == [tmp_path / "words.txt"]


def saves(two_models, folder):
    "All that writes one file under a name of the user."
    frame, (model, _) = two_models
    file = write_codes(frame, folder / "x.codes")
    fitted = KModes(1).fit(file)
    return dict(
        save=lambda path: model.save(path),
        write_whole=lambda path: write_whole(path, "words"),
        labels=lambda path: fitted.predict(file, out=path),
    )


@pytest.mark.parametrize("what", ["save", "write_whole", "labels"])
def test_only_ordinary_files_are_replaced(tmp_path, two_models, what):
    save = saves(two_models, tmp_path)[what]
    os.mkfifo(tmp_path / "pipe.npy")
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "link.npy").symlink_to(tmp_path / "pipe.npy")
    for path, kind in (
        ("pipe.npy", FileExistsError),
        ("link.npy", FileExistsError),
        ("folder.npy", IsADirectoryError),
    ):
        with pytest.raises(kind, match=path):
            save(tmp_path / path)
    with pytest.raises(
        FileExistsError, match="/dev/null is a device, a pipe or a socket"
    ):
        save("/dev/null")
    assert (tmp_path / "pipe.npy").is_fifo()
    assert Path("/dev/null").is_char_device()
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "folder.npy",
        "link.npy",
        "pipe.npy",
        "x.codes",
    ]


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("what", ["save", "write_whole", "labels"])
def test_a_link_stays_and_what_it_leads_to_is_replaced(
    tmp_path, two_models, what, there
):
    save = saves(two_models, tmp_path)[what]
    (tmp_path / "far").mkdir()
    place, link = tmp_path / "far" / "target.npy", tmp_path / "link.npy"
    if there:
        place.write_text("old")
    link.symlink_to("far/target.npy")
    save(link)
    assert link.is_symlink()
    assert place.read_bytes() != b"old"
    assert not place.is_symlink()
    assert [one.name for one in (tmp_path / "far").iterdir()] == ["target.npy"]
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "far",
        "link.npy",
        "x.codes",
    ]


def test_two_that_write_labels_under_one_name_leave_those_of_one(
    tmp_path, quick, monkeypatch
):
    frame = table(1).fillna({"word": "none", "number": 0, "many": 0})
    file, out = write_codes(frame, tmp_path / "x.codes"), tmp_path / "labels.npy"
    one, other = (
        KModes(k, init="random", random_state=0, algorithm="lloyd").fit(file)
        for k in (2, 7)
    )
    from kmodes_study.cluster import estimator

    read, begun = estimator.rows_as_frame, []

    def meanwhile(file, part):  # the second writes when the first has begun
        if not begun:
            begun.append(True)
            assert np.array_equal(other.predict(file, out=out), other.labels_)
        return read(file, part)

    monkeypatch.setattr(estimator, "rows_as_frame", meanwhile)
    assert np.array_equal(one.predict(file, out=out), one.labels_)
    assert np.array_equal(np.load(out), one.labels_)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labels.npy", "x.codes"]
