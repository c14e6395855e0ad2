"""How a row of the suite is measured: in alternation with its opponent, results
compared, memory in another process.
"""

import inspect
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = [
    "kmodes_study",
    "numpy",
    "numba",
    "scipy",
    "pandas",
    "scikit-learn",
    "kmodes",
    "kluster_fudge",
    "kmedoids",
    "gower",
]


@dataclass(frozen=True)
class Size:
    """How large the data of a row are.

    Attributes
    ----------
    n : int
    m : int, default=20
        attributes
    v : int, default=8
        levels of each
    k : int, default=10
        clusters
    """

    n: int
    m: int = 20
    v: int = 8
    k: int = 10


@dataclass(frozen=True)
class Timing:
    """One task, done by this package and, where there is one, by an opponent.

    Attributes
    ----------
    name : str
    size : Size
    data : Callable
        Size -> tuple of the arguments of both functions
    ours : Callable
    opponent : Callable, default=None
    against : str, default=""
        what the opponent is
    same : bool, default=True
        whether both must give the same result; if not, both results are shown and
        nothing is concluded
    value : Callable, default=None
        (result, *data) -> the number that results are compared by, where `value_of` is
        not enough
    opponent_n : int, default=None
        rows for the opponent where all are too many; its time is then scaled linearly
    repeat : int, default=3
        at least; short tasks are repeated until half a second is spent
    opponent_compiles : bool, default=False
        whether the first call of the opponent compiles, so that it does not count
    memory : bool, default=False
        whether peak memory is measured too
    threads : int, default=1
    reach : dict, default={}
        ratio: at least; seconds, extra_mb, exponent: at most
    note : str, default=""
    """

    name: str
    size: Size
    data: Callable
    ours: Callable
    opponent: Callable = None
    against: str = ""
    same: bool = True
    value: Callable = None
    opponent_n: int = None
    repeat: int = 3
    opponent_compiles: bool = False
    memory: bool = False
    threads: int = 1
    reach: dict = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Sweep:
    "One task at several sizes: the exponent of the time in one of `n`, `m`, `k`."

    name: str
    size: Size
    over: str
    values: tuple
    data: Callable
    ours: Callable
    repeat: int = 3
    threads: int = 1
    reach: dict = field(default_factory=lambda: dict(exponent=1.1))
    note: str = ""


@dataclass(frozen=True)
class Process:
    """Python code in a fresh process, which prints the seconds that count.

    Attributes
    ----------
    name : str
    code : str
    opponent : str, default=None
    against : str, default=""
    env : dict, default={}
        "{fresh}" stands for an empty folder
    repeat : int, default=3
    reach : dict, default={}
    note : str, default=""
    """

    name: str
    code: str
    opponent: str = None
    against: str = ""
    env: dict = field(default_factory=dict)
    repeat: int = 3
    reach: dict = field(default_factory=dict)
    note: str = ""


def jobs(function, n):
    "`function` with `n_jobs=n` where it has that parameter."
    return (
        partial(function, n_jobs=n)
        if "n_jobs" in inspect.signature(function).parameters
        else function
    )


def value_of(result):
    """The number that two results are compared by: a cost, a score, a sum of distances;
    None where there is none.
    """
    for name in "cost", "cost_", "loss":
        if hasattr(result, name):
            result = getattr(result, name)
    if isinstance(result, tuple) and hasattr(result, "epoch_costs"):
        return int(result.epoch_costs[-1])
    if isinstance(result, tuple):
        result = result[-1]  # labels and distances
    if isinstance(result, np.ndarray):
        result = result.sum(dtype=np.float64 if result.dtype.kind == "f" else np.int64)
    if result is None:
        return None
    result = float(result)
    return int(result) if result.is_integer() else result


def passes_of(result):
    "Passes over the data that an algorithm counted, or None."
    passes = getattr(result, "n_iter", getattr(result, "n_iter_", None))
    return None if passes is None else int(passes)


def agree(ours, theirs):
    "Whether two results are the same: integers exactly, others to 1e-10."
    if isinstance(ours, int) and isinstance(theirs, int):
        return ours == theirs
    return abs(ours - theirs) <= 1e-10 * max(1, abs(theirs))


def timed(function, data):
    "Seconds of wall clock, seconds of processor, and the result."
    cpu, start = time.process_time(), time.perf_counter()
    result = function(*data)
    return time.perf_counter() - start, time.process_time() - cpu, result


def enough(seconds, least, total=0.5, most=31):
    "Whether a task that took these seconds has been repeated often enough."
    return len(seconds) >= least and (sum(seconds) >= total or len(seconds) >= most)


def tiny(size, n=400):
    "The same with at most `n` rows and few clusters."
    return replace(size, n=min(size.n, n), k=min(size.k, 5))


def judge(row, result, data):
    "The number that says how good a result of a row is."
    return row.value(result, *data) if row.value else value_of(result)


def measure_timing(row, quick=False, full=False):
    "The record of a `Timing`."
    size = tiny(row.size) if quick else row.size
    opponent_n = (
        size.n if full or quick or not row.opponent_n else min(row.opponent_n, size.n)
    )
    data = row.data(size)
    small = data if opponent_n == size.n else row.data(replace(size, n=opponent_n))
    if row.opponent_compiles:
        row.opponent(*row.data(tiny(size)))
    first, _, found = timed(row.ours, data)  # compiles, or loads what was compiled
    record = dict(
        n=size.n,
        m=size.m,
        levels=size.v,
        k=size.k,
        threads=row.threads,
        passes=passes_of(found),
        value=judge(row, found, data),
    )
    ours = []
    theirs = []
    other = None
    ready = lambda runs, least: (
        bool(runs) if quick else enough([seconds for seconds, _ in runs], least)
    )
    while not ready(ours, row.repeat) or row.opponent and not ready(theirs, 1):
        if not ready(ours, row.repeat):
            ours.append(timed(row.ours, data)[:2])
        if row.opponent and not ready(theirs, 1):
            *found, other = timed(row.opponent, small)
            theirs.append(found)
    record |= dict(
        seconds=median(s for s, _ in ours),
        best_seconds=min(s for s, _ in ours),
        cpu_seconds=median(c for _, c in ours),
        repeat=len(ours),
    )
    record["compile_seconds"] = max(0.0, first - record["seconds"])
    if row.opponent:
        record |= _opponent(row, record, theirs, other, size.n, opponent_n, small)
    if row.memory:
        record |= _memory(row, quick, opponent_n)
    return record


def _opponent(row, record, theirs, result, n, opponent_n, small):
    "What is known about the opponent of a row, its time scaled to all rows."
    seconds, cpu = median(s for s, _ in theirs), median(c for _, c in theirs)
    ours = record["value"] if n == opponent_n else judge(row, row.ours(*small), small)
    at_equal_n = seconds / (
        record["seconds"]
        if n == opponent_n
        else median(timed(row.ours, small)[0] for _ in range(3))
    )
    found = dict(
        against=row.against,
        opponent_n=opponent_n,
        opponent_measured=seconds,
        opponent_seconds=seconds * n / opponent_n,
        opponent_repeat=len(theirs),
        value_at_opponent_n=ours,
        opponent_value=judge(row, result, small),
        opponent_passes=passes_of(result),
        ratio=seconds * n / opponent_n / record["seconds"],
        ratio_at_opponent_n=at_equal_n,
        ratio_cpu=cpu * n / opponent_n / record["cpu_seconds"]
        if record["cpu_seconds"]
        else None,
    )
    return found | dict(
        same=agree(ours, found["opponent_value"])
        if row.same and found["opponent_value"] is not None
        else None
    )


def _memory(row, quick, opponent_n):
    "Peak memory of a row and of its opponent, each in a process of its own."
    found = in_child(row.name, "ours", quick)
    if row.opponent:
        found |= {
            "opponent_" + name: value
            for name, value in in_child(row.name, "opponent", quick, opponent_n).items()
        }
    return found


def in_child(name, side, quick, n=None):
    """Megabytes of a fresh process: at the peak, and beyond what it held before the
    call.
    """
    command = [
        sys.executable,
        "-m",
        "bench.child",
        name,
        side,
        str(int(quick)),
        str(n or 0),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{name}, {side}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def reset_peak():
    """Let the peak begin anew at what the process holds now; False where the system
    cannot.
    """
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def peak_mb():
    """Largest resident memory of this process so far; /proc goes first: `getrusage`
    counts the parent's after a fork.
    """
    try:
        return (
            int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
            / 1024
        )
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
            1024 if sys.platform != "darwin" else 1024**2
        )


def measure_sweep(row, quick=False, full=False):
    "The record of a `Sweep`."
    values = (
        tuple(v // min(row.values) * 2 for v in row.values)
        if quick and row.over != "n"
        else (200, 400, 800)
        if quick
        else row.values
    )
    sizes = [
        replace(tiny(row.size) if quick else row.size, **{row.over: v}) for v in values
    ]
    data = [row.data(size) for size in sizes]
    passes = [passes_of(row.ours(*d)) for d in data]
    runs = []
    while not (
        bool(runs) if quick else enough([sum(run) for run in runs], row.repeat, total=1)
    ):
        runs.append([timed(row.ours, d)[0] for d in data])
    seconds = [median(column) for column in zip(*runs)]
    exponent = np.polyfit(np.log(values), np.log(seconds), 1)[0]
    size = row.size
    return dict(
        n=sizes[-1].n,
        m=sizes[-1].m,
        levels=size.v,
        k=sizes[-1].k,
        threads=row.threads,
        over=row.over,
        values=list(values),
        seconds=seconds[-1],
        best_seconds=min(run[-1] for run in runs),
        all_seconds=seconds,
        passes=passes[-1],
        all_passes=passes,
        exponent=float(exponent),
        repeat=len(runs),
    )


def fresh_process(code, env):
    "The last number that `code` prints in a process of its own."
    with tempfile.TemporaryDirectory() as folder:
        env = {name: value.format(fresh=folder) for name, value in env.items()}
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | env,
            capture_output=True,
            text=True,
        )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return float(done.stdout.split()[-1])


def measure_process(row, quick=False, full=False):
    "The record of a `Process`."
    if not row.env:
        fresh_process(row.code, row.env)  # files into the cache of the system
    runs = [fresh_process(row.code, row.env) for _ in range(1 if quick else row.repeat)]
    record = dict(seconds=median(runs), best_seconds=min(runs), repeat=len(runs))
    if row.opponent:
        theirs = [fresh_process(row.opponent, row.env) for _ in runs]
        record |= dict(
            against=row.against,
            opponent_seconds=median(theirs),
            ratio=median(theirs) / record["seconds"],
        )
    return record


MEASURES = {Timing: measure_timing, Sweep: measure_sweep, Process: measure_process}


def reached(row, record, best=False):
    """Whether a row is what it should be: None where nothing was asked; a ratio counts
    only when the results agree.
    """
    if not row.reach:
        return None
    if record.get("same") is False:
        return False
    if best:
        record = record | dict(seconds=record["best_seconds"])
    return all(
        record[name] >= limit if name == "ratio" else record[name] <= limit
        for name, limit in row.reach.items()
    )


def measure(row, quick=False, full=False):
    """The record of a row of any kind; a row whose data are not at hand is passed over
    and says so.
    """
    head = dict(
        name=row.name, kind=type(row).__name__.lower(), note=row.note, reach=row.reach
    )
    try:
        record = MEASURES[type(row)](row, quick, full)
    except FileNotFoundError:
        return head | dict(skipped="the raw file is not at hand", reached=None)
    except ImportError as error:
        return head | dict(skipped=f"{error.name} is not installed", reached=None)
    return (
        head
        | record
        | dict(
            reached=None if quick else reached(row, record),
            reached_at_best=None if quick else reached(row, record, best=True),
            load=round(os.getloadavg()[0], 2),
        )
    )


def machine():
    "Processor, versions and date, and nothing else."
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    model = next(
        (
            line.partition(":")[2].strip()
            for line in lines
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    cores = (
        len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count()
    )
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "absent"
    return dict(
        processor=model,
        cores=cores,
        system=platform.system(),
        versions=versions,
        date=date.today().isoformat(),
    )
