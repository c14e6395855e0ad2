"""Files of codes: of an undamaged one the codes and the clusters are right; a damaged
one is refused by its path.
"""

import json
import os
import re
import threading
from contextlib import contextmanager

import numpy as np
import pandas as pd

from kmodes_study import KModes
from kmodes_study.core.codes import encode
from kmodes_study.storage import code_files
from kmodes_study.storage.code_files import open_codes, write_codes
from kmodes_study.core.stored import json_checksum

from fuzz.damage import as_json, damaged, tampered
from fuzz.draw import Problem
from fuzz.spell import ANYTHING
from fuzz.trial import Trial

KINDS = dict(
    words=lambda c: f"v{c:03d}",
    numbers=int,
    reals=lambda c: c / 4,
    letters=lambda c: f'é\0"\n,{c:03d}',
    days=lambda c: pd.Timestamp("2020-01-01") + pd.Timedelta(int(c), "D"),
    truth=lambda c: bool(c % 2),
)


def drawn_table(rng):
    "A frame with columns of all kinds, some with gaps."
    problem = Problem(rng.randint(2**31))
    kinds = rng.choice(list(KINDS), problem.m)
    frame = pd.DataFrame(
        {
            f"c{j}": list(map(KINDS[kind], problem.codes[:, j]))
            for j, kind in enumerate(kinds)
        }
    )
    if rng.rand() < 0.3:
        frame = frame.mask(
            rng.rand(*frame.shape) < np.arange(len(frame))[:, None] * 0.02
        )
    return frame


def is_that_of(frame):
    "What checks the codes against those of the whole table."
    codes, categories = encode(frame, missing="ignore")

    def check(opened):
        assert np.array_equal(opened.codes, codes), (
            "other codes than those of the table"
        )
        for found, expected in zip(opened.categories, categories, strict=True):
            assert list(map(str, found)) == list(map(str, expected)), (
                f"categories {found}, expected {expected}"
            )
        if opened.has_missing:
            return
        one, other = (KModes(1, random_state=0).fit(X) for X in (frame, opened))
        assert one.cost_ == other.cost_
        assert np.array_equal(one.predict(opened), other.labels_)

    return check


def fits(opened):
    "A file that was opened can be clustered, or says why it cannot."
    try:
        labels = KModes(1, missing="ignore").fit(opened).labels_
    except (ValueError, TypeError) as error:
        assert re.search(
            "x.codes|X must|each row must|codes must be below", str(error)
        ), f"fit: {error}"
        return
    assert len(labels) == len(opened)


def source_of(frame, rng):
    "The frame in one of the forms that are taken, and its name."
    kind = rng.choice(["frame", "parquet", "folder", "pieces"])
    rows = max(1, len(frame) // 3)
    if kind == "frame":
        return frame, "a frame"
    if kind == "pieces":
        return (frame[i : i + rows] for i in range(0, len(frame), rows)), "pieces"
    if kind == "parquet":
        return frame.to_parquet("x.parquet", row_group_size=rows) or "x.parquet", kind
    os.mkdir("parts")
    for i in range(0, len(frame), rows):
        frame[i : i + rows].to_parquet(f"parts/{i:03d}.parquet")
    return "parts", kind


def broken(rng, frame):
    """One file of the folder has changed; in one of JSON, the checksum may have been
    made right again.
    """
    name = rng.choice(["codes.bin", "levels.json"])
    verify = bool(rng.rand() < 0.7)
    rewritten = False
    file = open_codes("x.codes").path / name
    content = file.read_bytes()
    changed, how = damaged(content, rng)
    if rng.rand() < 0.1:
        changed, how = None, "gone"
    if name == "levels.json" and rng.rand() < 0.6:
        changed, how = tampered(json.loads(content), rng)
        if rewritten := "levels_checksum" in changed and bool(rng.rand() < 0.7):
            changed["levels_checksum"] = json_checksum(changed, "levels_checksum")
        changed = as_json(changed)
    file.unlink()
    if changed is not None:
        file.write_bytes(changed)
    same = (
        changed == content
        or name == "levels.json"
        and json_of(changed) == json.loads(content)
    )
    check = is_that_of(frame) if same else fits
    must = not same and (verify if name == "codes.bin" else not rewritten)
    return Trial(
        f"{name} {how}, verify={verify}",
        lambda: open_codes("x.codes", verify),
        check,
        ("x.codes",),
        must,
    )


def json_of(content):
    "What a text of JSON says, or nothing."
    try:
        return json.loads(content)
    except (TypeError, ValueError):
        return None


def raced(rng, frame):
    "Two or three write different tables to one path at the same moment."
    frames = [frame, frame[::-1].reset_index(drop=True), drawn_table(rng)][
        : rng.randint(2, 4)
    ]
    sources, begin = [], threading.Barrier(len(frames))
    for number, one in enumerate(frames):
        sources.append(
            one
            if rng.rand() < 0.5
            else one.to_parquet(f"{number}.parquet", row_group_size=2)
            or f"{number}.parquet"
        )
    came = [None] * len(frames)

    def writing(number):
        begin.wait()
        try:
            came[number] = write_codes(sources[number], "x.codes")
        except Exception as error:
            came[number] = error

    def run():
        threads = [
            threading.Thread(target=writing, args=(number,))
            for number in range(len(frames))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return came

    def check(came):
        wrote = [
            number
            for number, one in enumerate(came)
            if isinstance(one, code_files.CodeFile)
        ]
        odd = [
            one
            for one in came
            if not isinstance(
                one, (code_files.CodeFile, BlockingIOError, FileExistsError)
            )
        ]
        assert len(wrote) == 1, f"of {len(came)} writers {wrote} wrote: {came}"
        assert not odd, f"of {len(came)} writers {wrote} wrote: {came}"
        is_that_of(frames[wrote[0]])(open_codes("x.codes", verify=True))
        left = [
            name
            for name in os.listdir()
            if name.startswith("x.codes") and name != "x.codes"
        ]
        assert not left, f"left over: {left}"

    return Trial(
        f"{len(frames)} writers of "
        f"{sources if isinstance(sources[0], str) else 'frames'}",
        run,
        check,
    )


class Stopped(Exception):
    pass


@contextmanager
def stopped_before(name, n):
    """Work on codes ends before the call of this number of a function; it is noted
    after each part.
    """
    names = {
        "add": code_files._Spool,
        "end_part": code_files._Spool,
        "remove": code_files.os,
        "rename": code_files.os,
    }
    home = names.get(name, code_files)
    own = code_files._SECONDS, code_files._SHARE_OF_NOTES
    before, calls = getattr(home, name), []

    def stopping(*given):
        calls.append(1)
        if len(calls) == n:
            raise Stopped
        return before(*given)

    code_files._SECONDS, code_files._SHARE_OF_NOTES = -1, np.inf
    setattr(home, name, stopping)
    try:
        yield
    finally:
        setattr(home, name, before)
        code_files._SECONDS, code_files._SHARE_OF_NOTES = own


def taken_up(rng, frame):
    """Work on a file is stopped somewhere, what it leaves is cut, flipped or whole, and
    the work is done again.
    """
    frame.to_parquet("x.parquet", row_group_size=max(1, len(frame) // 5))
    name = str(
        rng.choice(
            [
                "add",
                "add",
                "end_part",
                "write_whole",
                "_finish",
                "_join",
                "_head",
                "remove",
                "rename",
            ]
        )
    )
    n, how = rng.randint(1, 7), []
    try:
        with stopped_before(name, n):
            write_codes("x.parquet", "x.codes")
    except Stopped:
        pass
    part = "x.codes.part"
    for file in sorted(os.listdir(part)) if os.path.isdir(part) else []:
        if rng.rand() < 0.5:
            continue
        os.chmod(f"{part}/{file}", 0o644)
        content, what = damaged(open(f"{part}/{file}", "rb").read(), rng)
        open(f"{part}/{file}", "wb").write(content)
        how.append(f"{file} {what}")

    def run():
        with stopped_before("add", -1):
            if not os.path.exists("x.codes"):
                write_codes("x.parquet", "x.codes")
        assert not os.path.exists(part)
        return open_codes("x.codes", verify=True)

    return Trial(f"stopped before {name} {n}, {how}", run, is_that_of(frame), good=True)


def broken_source(rng, frame):
    "The Parquet file is damaged, or a part of another table lies beside it."
    source, kind = source_of(frame, rng)
    if not isinstance(source, str):
        return Trial(
            kind,
            lambda: write_codes(source, "x.codes"),
            is_that_of(frame),
            ("source", "column"),
            leaves="x.codes.part",
        )
    file = "x.parquet" if kind == "parquet" else "parts/000.parquet"
    how = "another table beside it"
    if kind == "folder" and rng.rand() < 0.4:
        pd.DataFrame({"other": [1.5, 2]}).to_parquet("parts/999.parquet")
    else:
        changed, how = damaged(open(file, "rb").read(), rng)
        open(file, "wb").write(changed)
    return Trial(
        f"{file}: {how}",
        lambda: write_codes(source, "x.codes"),
        fits,
        (file, "parts", "source"),
        leaves="x.codes.part",
    )  # the next call goes on with it


def odd_argument(rng, frame):
    "An argument is of no use."
    odd = ANYTHING[rng.randint(len(ANYTHING))]
    which = str(rng.choice(["source", "path", "columns", "n_jobs", "open", "verify"]))
    if which == "open":
        return Trial(f"open_codes({odd!r})", lambda: open_codes(odd), names=("path",))
    given = dict(source=frame, path="y.codes")
    if which == "verify":
        return Trial(
            f"open_codes(x.codes, {odd!r})", lambda: open_codes("x.codes", odd)
        )
    given[which] = odd
    return Trial(
        f"write_codes with {which}={odd!r}",
        lambda: write_codes(**given),
        names=(which,),
    )


def draw(rng, folder):
    "A trial with a file of codes."
    frame = drawn_table(rng)
    kind = rng.choice(
        ["whole", "broken", "source", "argument", "race", "stopped"],
        p=[0.1, 0.35, 0.15, 0.1, 0.15, 0.15],
    )
    if kind == "race":
        return raced(rng, frame)
    if kind == "stopped":
        return taken_up(rng, frame)
    if kind == "source":
        return broken_source(rng, frame)
    if kind == "whole":
        source, words = source_of(frame, rng)
        n_jobs = [None, 1, 2][rng.randint(3)]
        return Trial(
            f"codes of {words}",
            lambda: write_codes(source, "x.codes", n_jobs=n_jobs),
            is_that_of(frame),
            ("source", "column"),
            leaves="x.codes.part",
        )
    write_codes(frame, "x.codes")
    return broken(rng, frame) if kind == "broken" else odd_argument(rng, frame)
