"""Files of codes: of an undamaged one the codes and the clusters are right; a damaged one is refused by its path."""
import json
import os
import re

import numpy as np
import pandas as pd

from kmodes_study import KModes
from kmodes_study.codes import encode
from kmodes_study.data.code_files import open_codes, write_codes

from fuzz.damage import as_json, damaged, tampered
from fuzz.draw import Problem
from fuzz.spell import ANYTHING
from fuzz.trial import Trial

KINDS = dict(words=lambda c: f"v{c:03d}", numbers=int, reals=lambda c: c/4, letters=lambda c: f"é\0\"\n,{c:03d}",
             days=lambda c: pd.Timestamp("2020-01-01") + pd.Timedelta(int(c), "D"), truth=lambda c: bool(c % 2))


def drawn_table(rng):
    "A frame with columns of all kinds, some with gaps."
    problem = Problem(rng.randint(2**31))
    kinds = rng.choice(list(KINDS), problem.m)
    frame = pd.DataFrame({f"c{j}": list(map(KINDS[kind], problem.codes[:, j])) for j, kind in enumerate(kinds)})
    if rng.rand() < .3: frame = frame.mask(rng.rand(*frame.shape) < np.arange(len(frame))[:, None]*.02)
    return frame


def is_that_of(frame):
    "What checks the codes against those of the whole table."
    codes, categories = encode(frame, missing="ignore")
    def check(opened):
        assert np.array_equal(opened.codes, codes), "other codes than those of the table"
        for found, expected in zip(opened.categories, categories, strict=True):
            assert list(map(str, found)) == list(map(str, expected)), f"categories {found}, expected {expected}"
        if opened.has_missing: return
        one, other = (KModes(1, random_state=0).fit(X) for X in (frame, opened))
        assert one.cost_ == other.cost_ and np.array_equal(one.predict(opened), other.labels_)
    return check


def fits(opened):
    "A file that was opened can be clustered, or says why it cannot."
    try: labels = KModes(1, missing="ignore").fit(opened).labels_
    except (ValueError, TypeError) as error:
        assert re.search("x.codes|X must|each row must|codes must be below", str(error)), f"fit: {error}"
        return
    assert len(labels) == len(opened)


def source_of(frame, rng):
    "The frame in one of the forms that are taken, and its name."
    kind = rng.choice(["frame", "parquet", "folder", "pieces"])
    rows = max(1, len(frame)//3)
    if kind == "frame": return frame, "a frame"
    if kind == "pieces": return (frame[i:i + rows] for i in range(0, len(frame), rows)), "pieces"
    if kind == "parquet": return frame.to_parquet("x.parquet", row_group_size=rows) or "x.parquet", kind
    os.mkdir("parts")
    for i in range(0, len(frame), rows): frame[i:i + rows].to_parquet(f"parts/{i:03d}.parquet")
    return "parts", kind


def broken(rng, frame):
    "One file of the folder has changed."
    name, verify = rng.choice(["codes.bin", "levels.json"]), bool(rng.rand() < .7)
    file = open_codes("x.codes").path/name
    content = file.read_bytes()
    changed, how = damaged(content, rng)
    if rng.rand() < .1: changed, how = None, "gone"
    if name == "levels.json" and rng.rand() < .6:
        changed, how = tampered(json.loads(content), rng)
        changed = as_json(changed)
    file.unlink()
    if changed is not None: file.write_bytes(changed)
    same = changed == content
    check = is_that_of(frame) if same else fits
    must = name == "codes.bin" and verify and not same
    return Trial(f"{name} {how}, verify={verify}", lambda: open_codes("x.codes", verify), check, ("x.codes",), must)


def broken_source(rng, frame):
    "The Parquet file is damaged, or a part of another table lies beside it."
    source, kind = source_of(frame, rng)
    if not isinstance(source, str): return Trial(kind, lambda: write_codes(source, "x.codes"), is_that_of(frame),
                                                 ("source", "column"), leaves="x.codes.part")
    file = "x.parquet" if kind == "parquet" else "parts/000.parquet"
    how = "another table beside it"
    if kind == "folder" and rng.rand() < .4: pd.DataFrame({"other": [1.5, 2]}).to_parquet("parts/999.parquet")
    else:
        changed, how = damaged(open(file, "rb").read(), rng)
        open(file, "wb").write(changed)
    return Trial(f"{file}: {how}", lambda: write_codes(source, "x.codes"), fits, (file, "parts", "source"),
                 leaves="x.codes.part")  # the next call goes on with it


def odd_argument(rng, frame):
    "An argument is of no use."
    odd = ANYTHING[rng.randint(len(ANYTHING))]
    which = str(rng.choice(["source", "path", "columns", "n_jobs", "open", "verify"]))
    if which == "open": return Trial(f"open_codes({odd!r})", lambda: open_codes(odd), names=("path",))
    given = dict(source=frame, path="y.codes")
    if which == "verify": return Trial(f"open_codes(x.codes, {odd!r})", lambda: open_codes("x.codes", odd))
    given[which] = odd
    return Trial(f"write_codes with {which}={odd!r}", lambda: write_codes(**given), names=(which,))


def draw(rng, folder):
    "A trial with a file of codes."
    frame = drawn_table(rng)
    kind = rng.choice(["whole", "broken", "source", "argument"], p=[.15, .5, .2, .15])
    if kind == "source": return broken_source(rng, frame)
    if kind == "whole":
        source, words = source_of(frame, rng)
        n_jobs = [None, 1, 2][rng.randint(3)]
        return Trial(f"codes of {words}", lambda: write_codes(source, "x.codes", n_jobs=n_jobs), is_that_of(frame),
                     ("source", "column"), leaves="x.codes.part")
    write_codes(frame, "x.codes")
    return broken(rng, frame) if kind == "broken" else odd_argument(rng, frame)
