"""`python -m bench`: times beside scikit-learn and other packages, as a table and as
`build/bench/results.json`.

Each row is done by this package and, in turns, by the other one; from where it is asked
for, both must find the same. What takes the other package too long gets fewer rows,
and its time is scaled linearly. To add a row, write a function as below: it gets the
number of rows and gives back two functions without arguments.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from kmodes_study import KModes, KPrototypes, cluster, encode, measures

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (
    "kmodes_study numpy numba scipy pandas scikit-learn kmodes kluster-fudge gower "
    "stepmix"
)
ROWS = {}


def row(name, n, against="", n_there=None, same=True, m=20, k=10, threads=1):
    "Put a function into the list of what is measured."

    def keep(function):
        ROWS[name] = dict(
            name=name,
            kind="timing",
            n=n,
            m=m,
            k=k,
            threads=threads,
            against=against,
            opponent_n=min(n, n_there or n),
            same=same,
            function=function,
        )
        return function

    return keep


def planted(n, m=20, n_levels=8, k=10):
    "Codes of clusters around planted modes; four cells of ten are drawn anew."
    random = np.random.default_rng(0)
    modes = random.integers(n_levels, size=(k, m))
    rows = modes[random.integers(k, size=n)]
    noise = random.random((n, m)) < 0.4
    rows[noise] = random.integers(n_levels, size=noise.sum())
    return rows


def words(codes):
    "A frame of strings of these codes."
    return pd.DataFrame(np.array([f"level {i}" for i in range(8)])[codes])


def two_labellings(n, k=10):
    random = np.random.default_rng(0)
    one = random.integers(k, size=n)
    return one, np.where(random.random(n) < 0.5, one, random.integers(k, size=n))


@row("encode strings", 100_000, "scikit-learn's OrdinalEncoder")
def encode_strings(n):
    from sklearn.preprocessing import OrdinalEncoder

    frame = words(planted(n))
    codes = lambda: int(encode(frame)[0].sum())
    return codes, lambda: int(OrdinalEncoder().fit_transform(frame).sum())


@row("fit in batches from Cao's start", 100_000, "kluster-fudge")
def batches(n):
    from kluster_fudge import KModes as Other

    codes = planted(n)
    ours, theirs = KModes(10, n_init=1, algorithm="lloyd"), Other(10, n_init=1)
    return (
        lambda: ours.fit(codes).cost_,
        lambda: theirs.fit(codes) or int(theirs.cost_),
    )


def fits(name, algorithm, same):
    "A row for an algorithm, from the same modes as the package `kmodes`."

    @row(name, 100_000, "kmodes", n_there=10_000, same=same)
    def fit(n):
        from kmodes.kmodes import KModes as Other

        codes = planted(n)
        start = cluster.init_random(codes, 10, random_state=0)
        function, theirs = getattr(cluster, algorithm), Other(10, init=start, n_init=1)
        return (
            lambda: function(codes, start).cost,
            lambda: int(theirs.fit(codes).cost_),
        )


fits("fit online", "huang", same=True)
fits("fit by transfers", "otqt", same=False)


@row("the default, strings", 10_000, "kmodes by its default", n_there=1000, same=False)
def default_fit(n):
    from kmodes.kmodes import KModes as Other

    frame = words(planted(n))
    return (
        lambda: KModes(10, random_state=0).fit(frame).cost_,
        lambda: int(Other(10, random_state=0).fit(frame).cost_),
    )


@row("a million rows in batches", 10**6, "a copy of them", same=False, k=20, threads=2)
def million(n):
    codes = planted(n, k=20).astype(np.uint8)
    start = cluster.init_random(codes, 20, random_state=0)
    return (
        lambda: cluster.lloyd(codes, start, n_jobs=2).cost,
        lambda: codes.copy().size,
    )


@row("k-prototypes", 10_000, "kmodes", n_there=2000, same=False, k=5)
def prototypes(n):
    from kmodes.kprototypes import KPrototypes as Other

    codes = planted(n, 6, k=5)
    table = pd.DataFrame(codes).astype(str).add_prefix("c")
    table["x"] = codes[:, 0] + np.random.default_rng(0).normal(size=n)
    ours = dict(gamma=0.5, init="cao", n_init=1, random_state=0)
    theirs = Other(5, gamma=0.5, init="Cao", n_init=1, random_state=0)
    values = table.to_numpy()
    return (
        lambda: KPrototypes(5, **ours).fit(table).cost_,
        lambda: float(theirs.fit(values, categorical=list(range(6))).cost_),
    )


@row("latent classes", 10_000, "stepmix", n_there=2000, same=False, k=5)
def latent_classes(n):
    from stepmix.stepmix import StepMix

    from kmodes_study.family import LatentClasses

    codes = planted(n, k=5)
    options = dict(measurement="categorical", n_init=1, random_state=0, progress_bar=0)
    return (
        lambda: LatentClasses(5, n_init=1, random_state=0).fit(codes).bic(codes),
        lambda: float(StepMix(5, **options).fit(codes).bic(codes)),
    )


@row("Cao's start", 100_000, "kmodes", n_there=10_000)
def cao_start(n):
    from kmodes.kmodes import init_cao, matching_dissim

    codes = planted(n)
    cost = lambda modes: int(cluster.matching_distances(codes, modes).min(axis=1).sum())
    return (
        lambda: cost(cluster.init_cao(codes, 10)),
        lambda: cost(np.asarray(init_cao(codes, 10, matching_dissim), dtype=int)),
    )


@row("adjusted mutual information", 1_000_000, "scikit-learn", n_there=100_000)
def information(n):
    from sklearn.metrics import adjusted_mutual_info_score

    pair = two_labellings(n)
    return (
        lambda: measures.adjusted_mutual_info_score(*pair),
        lambda: float(adjusted_mutual_info_score(*pair)),
    )


@row("silhouette", 20_000, "scikit-learn")
def silhouette(n):
    from sklearn.metrics import silhouette_score

    codes = planted(n)
    labels = np.arange(n) % 10
    return (
        lambda: measures.silhouette_score(codes, labels),
        lambda: float(silhouette_score(codes, labels, metric="hamming")),
    )


@row("all Hamming distances", 5000, "scipy's pdist")
def hamming(n):
    from scipy.spatial.distance import pdist

    codes = planted(n)
    return (
        lambda: float(measures.hamming_distances(codes, condensed=True).sum()),
        lambda: float(20 * pdist(codes, "hamming").sum()),
    )


@row("all of Gower's distances", 3000, "gower", same=False)
def gower(n):
    import gower

    frame = words(planted(n))
    frame.columns = frame.columns.astype(str)
    frame["x"] = np.random.default_rng(0).normal(size=n)
    cells = frame.to_numpy(object)
    categories = [True] * 20 + [False]
    return (
        lambda: float(measures.gower_distances(frame).mean()),
        lambda: float(gower.gower_matrix(cells, cat_features=categories).mean()),
    )


IMPORT = "import time; b = time.perf_counter(); {}; print(time.perf_counter() - b)"
FIRST = "from kmodes_study import KModes; KModes(2).fit([['a', 'x'], ['b', 'y']])"
PROCESSES = {
    "import kmodes_study": ("import kmodes_study", "import kmodes.kmodes"),
    "first fit of a process": (FIRST, None),
}


def timed(function):
    "Seconds of wall clock, seconds of processor, and the result."
    begin, processor = time.perf_counter(), time.process_time()
    found = function()
    return time.perf_counter() - begin, time.process_time() - processor, found


def in_turns(ours, theirs):
    "Times of both, in turns, until each has half a second or 31 runs, at least three."
    runs = {
        name: [] for name, function in (("ours", ours), ("theirs", theirs)) if function
    }
    for name in runs:
        timed(ours if name == "ours" else theirs)  # compiles
    enough = lambda done: (
        len(done) >= 3 and (sum(run[0] for run in done) > 0.5 or len(done) > 30)
    )
    while not all(map(enough, runs.values())):
        for name, done in runs.items():
            if not enough(done):
                done.append(timed(ours if name == "ours" else theirs))
    return runs


def measure(asked):
    "The record of a row."
    record = {key: value for key, value in asked.items() if key != "function"}
    ours, theirs = asked["function"](asked["n"])
    if theirs and asked["opponent_n"] < asked["n"]:
        small, theirs = asked["function"](asked["opponent_n"])
    else:
        small = ours
    runs = in_turns(ours, theirs)
    seconds = [run[0] for run in runs["ours"]]
    record |= dict(
        seconds=median(seconds),
        best_seconds=min(seconds),
        cpu_seconds=median(run[1] for run in runs["ours"]),
        repeat=len(seconds),
        value=runs["ours"][0][2],
        load=round(os.getloadavg()[0], 2),
    )
    if not theirs:
        return record
    scale = asked["n"] / asked["opponent_n"]
    there = median(run[0] for run in runs["theirs"]) * scale
    found, other = small(), runs["theirs"][0][2]
    record |= dict(
        opponent_seconds=there,
        ratio=there / record["seconds"],
        ratio_cpu=median(run[1] for run in runs["theirs"])
        * scale
        / record["cpu_seconds"],
        value_at_opponent_n=found,
        opponent_value=other,
        same=bool(np.isclose(found, other, rtol=1e-10)) if asked["same"] else None,
    )
    return record


def measure_process(name, ours, theirs):
    "The record of code in processes of its own, which print their seconds."
    run = lambda code: float(
        subprocess.check_output([sys.executable, "-c", IMPORT.format(code)], text=True)
    )
    run(ours)
    seconds = median(run(ours) for _ in range(5))
    record = dict(name=name, kind="process", seconds=seconds, repeat=5)
    if theirs:
        there = median(run(theirs) for _ in range(5))
        record |= dict(against=theirs, opponent_seconds=there, ratio=there / seconds)
    return record


def machine():
    "Processor, versions and date, and nothing else."
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [
        line.partition(": ")[2] for line in lines if line.startswith("model name")
    ]
    versions = {"python": platform.python_version()}
    for name in PACKAGES.split():
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "absent"
    return dict(
        processor=(models or [platform.processor()])[0],
        cores=len(os.sched_getaffinity(0)),
        system=platform.system(),
        versions=versions,
        date=date.today().isoformat(),
    )


def main():
    "Measure, print, write."
    parser = argparse.ArgumentParser("python -m bench", description=__doc__)
    parser.add_argument("--only", default="", help="rows with this text in the name")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "bench")
    asked = parser.parse_args()
    begin = time.perf_counter()
    records = [measure(one) for name, one in ROWS.items() if asked.only in name]
    records += [
        measure_process(name, *codes)
        for name, codes in PROCESSES.items()
        if asked.only in name
    ]
    table = pd.DataFrame(records)
    columns = ["name", "n", "seconds", "against", "opponent_seconds", "ratio", "same"]
    print(table.reindex(columns=columns).to_string(index=False))
    asked.output.mkdir(parents=True, exist_ok=True)
    options = dict(seconds=round(time.perf_counter() - begin))
    whole = dict(machine=machine(), options=options, rows=records)
    text = json.dumps(whole, indent=1)
    (asked.output / "results.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
