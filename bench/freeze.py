"""`python -m bench.freeze`: is a changed program still the one of before?

    python -m bench.freeze write FILE       what the program finds now
    python -m bench.freeze compare FILE     is it still so? the status is 1 where not
    python -m bench.freeze speeds CHECKOUT  times of this checkout and of another one

Found are the digests of `tests/fingerprints.py`, the verdict of each cell of the
published tables, whose pages also check the kept certificates, and a part of the kept
rows, drawn again (`bench.kept`). Speeds are taken in turns, each in a process of its
own, and compared by the medians of their ratios.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from inspect import getsource
from pathlib import Path
from statistics import median

import pandas as pd

from bench.__main__ import IMPORT, PROCESSES, planted, words

ROOT = Path(__file__).resolve().parent.parent


def run(*words):
    "The standard output of a Python module or script of this checkout."
    command = [sys.executable, *map(str, words)]
    environment = os.environ | dict(PYTHONPATH=str(ROOT), MPLBACKEND="Agg")
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    return done.stdout


def digests():
    "Of every algorithm, start and estimator, on the data sets."
    return json.loads(run("tests/fingerprints.py", "--large"))["digests"]


def cells():
    "How many cells of each published table have each verdict."
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        run("-m", "kmodes_study", "reproduce", "--output", folder)
        for file in sorted(Path(folder).rglob("*.csv")):
            names = pd.read_csv(file, nrows=0).columns
            if "verdict" in names:
                verdicts = pd.read_csv(file).verdict.dropna()
                place = str(file.relative_to(folder))
                counts[place] = dict(Counter(map(str, verdicts)))
    return counts


def kept():
    "The lines of `bench.kept`, without their times."
    return [line.partition(" [")[0] for line in run("-m", "bench.kept").splitlines()]


PARTS = dict(digests=digests, cells=cells, kept=kept)


def compare(before, now):
    "How many values of each part differ; the first of them are printed."
    odd = 0
    for part, old in before.items():
        new = now[part]
        if isinstance(old, list):
            old, new = dict(enumerate(old)), dict(enumerate(new))
        places = [key for key in old | new if old.get(key) != new.get(key)]
        for key in places[:10]:
            print(f"{part}: {key}: {old.get(key)} before, {new.get(key)} now")
        print(f"{part}: {len(old)} before, {len(new)} now, {len(places)} differ")
        odd += len(places)
    print("equal" if not odd else "NOT EQUAL")
    return odd


# Each task: what is made once, and what is timed; `n` rows of 20 columns, 8 levels.
TASKS = {
    f"encode {kind} {n:,}x{m}": (f"frame = table({n}, {m}, {kind!r})", "encode(frame)")
    for n, m in ((3000, 20), (100_000, 20), (1_000_000, 10))
    for kind in ("strings", "integers", "categories")
}
for n_rows in 1000, 13_000, 100_000, 1_000_000:
    first = f"codes = planted({n_rows}); start = init_random(codes, 20, random_state=0)"
    for name in "lloyd", "huang", "otqt":
        TASKS[f"{name} {n_rows:,}"] = first, f"{name}(codes, start)"
    if n_rows <= 100_000:
        TASKS[f"swaps {n_rows:,}"] = (
            first,
            "swap_search(codes, start, max_swaps=20, random_state=0)",
        )
TASKS |= {
    "distinct rows 1,000,000": (
        "codes = planted(1_000_000).astype(np.uint8); "
        "columns = np.ascontiguousarray(codes.T)",
        "distinct_places(columns)",
    ),
    "silhouette 1,000,000": (
        "codes = planted(1_000_000); labels = np.arange(len(codes)) % 20",
        "silhouette_score(codes, labels)",
    ),
    "Hamming distances 10,000": (
        "codes = planted(10_000)",
        "hamming_distances(codes)",
    ),
    "default fit 1,000": (
        "frame = table(1000, 20, 'strings')",
        "KModes(5, random_state=0).fit(frame)",
    ),
}
PREPARE = """
import time
from statistics import median
import numpy as np
import pandas as pd
from kmodes_study import KModes, encode
from kmodes_study.cluster import huang, init_random, lloyd, otqt, swap_search
from kmodes_study.core.kernels import distinct_places
from kmodes_study.measures import hamming_distances, silhouette_score

{planted}

{words}

def table(n, m, kind):
    codes = planted(n, m)
    if kind == "integers":
        return pd.DataFrame(codes)
    return words(codes).astype("category" if kind == "categories" else object)


""".format(planted=getsource(planted), words=getsource(words))
TIMED = """
{first}
{timed}
times = []
while len(times) < 3 or sum(times) < 0.5 and len(times) < 31:
    begin = time.perf_counter()
    {timed}
    times.append(time.perf_counter() - begin)
print(min(times))
"""


def seconds(checkout, program):
    "What a program prints as its time, with the package of a checkout."
    environment = os.environ | dict(PYTHONPATH=str(checkout))
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tempfile.gettempdir(),
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return float(done.stdout.split()[-1])


def speeds(other, only="", n_pairs=5):
    "Print the times of each task here and there, and how many are more than 5 % worse."
    programs = {name: IMPORT.format(code) for name, (code, _) in PROCESSES.items()}
    programs |= {
        name: PREPARE + TIMED.format(first=first, timed=timed)
        for name, (first, timed) in TASKS.items()
    }
    worse = []
    for name, program in programs.items():
        if only not in name:
            continue
        for checkout in ROOT, other:
            seconds(checkout, program)
        pairs = [
            (seconds(ROOT, program), seconds(other, program)) for _ in range(n_pairs)
        ]
        ratio = median(here / there for here, there in pairs)
        here, there = (median(side) * 1000 for side in zip(*pairs))
        print(f"{name:28} {here:9.2f} ms here, {there:9.2f} there, {ratio:.2f}")
        worse += [name] * (ratio > 1.05)
    print(f"{len(worse)} more than 5 % slower: {', '.join(worse)}")
    return len(worse)


def main():
    "The status of the command."
    parser = argparse.ArgumentParser("python -m bench.freeze", description=__doc__)
    parser.add_argument("what", choices=["write", "compare", "speeds"])
    parser.add_argument("file", type=Path, help="a JSON file, or another checkout")
    parser.add_argument("--only", default="", help="parts or tasks with this text")
    asked = parser.parse_args()
    if asked.what == "speeds":
        return int(speeds(asked.file.resolve(), asked.only) > 0)
    parts = {name: part for name, part in PARTS.items() if asked.only in name}
    if asked.what == "write":
        found = {name: part() for name, part in parts.items()}
        asked.file.write_text(json.dumps(found, indent=0), encoding="utf-8")
        return 0
    before = json.loads(asked.file.read_text(encoding="utf-8"))
    before = {name: before[name] for name in parts if name in before}
    # through JSON, as what was kept
    now = {name: json.loads(json.dumps(PARTS[name]())) for name in before}
    return int(compare(before, now) > 0)


if __name__ == "__main__":
    sys.exit(main())
