"One SQLite file keeps the rows of all experiments, each as soon as it is made."

import json
import math
import os
import re
import sqlite3
import sys
import types
from contextlib import closing
from functools import cache
from pathlib import Path

import joblib
import pandas as pd
from joblib.hashing import NumpyHasher

from ..core.saved import guarded, written_beside

__all__ = ["list_rows", "export_rows"]


def store_place() -> Path:
    """The file that keeps rows where no other is named: $KMODES_STUDY_STORE, or
    `runs.sqlite` in the user's folder for data.
    """
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    usual = Path(home) / "kmodes_study" / "runs.sqlite"
    return Path(os.environ.get("KMODES_STUDY_STORE") or usual)


# what a row is found by; it is an answer where its table, the program and the functions
# of the caller are the same, too
NAMES = (
    *("dataset", "variant", "n_clusters", "start", "algorithm"),
    *("dissimilarity", "order", "seed"),
)
_FOUND = "start_cost", "cost", "n_iter", "start_seconds", "run_seconds", "version"
COLUMNS = *NAMES[:2], "n", "m", *NAMES[2:], *_FOUND
_MADE = (
    # a process that is killed loses no row, and no row waits for the disk
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "CREATE TABLE IF NOT EXISTS runs "
    "(data TEXT, trial TEXT, row TEXT, PRIMARY KEY (data, trial))",
)
_SECONDS = 60  # that another program may keep a store locked


def open_store(path, mode="rwc"):
    'The connection to a store, which is made where it is not there; mode "ro" reads.'
    place = Path(path).absolute()
    if mode != "ro":
        place.parent.mkdir(parents=True, exist_ok=True)
    elif not os.access(place.parent, os.W_OK):
        mode = "ro&immutable=1"
    where = f"{place.as_uri()}?mode={mode}"
    connection = sqlite3.connect(where, timeout=_SECONDS, uri=True)
    try:
        for line in _MADE if mode == "rwc" else ():
            connection.execute(line)
        connection.execute("SELECT data, trial, row FROM runs LIMIT 1")
    except sqlite3.Error as error:
        connection.close()
        raise ValueError(
            f"store must be a file of rows that no other program holds, got {path} "
            f"({error})"
        ) from error
    return connection


def keep_rows(connection, rows):
    "Write rows in one transaction, in the place of those of another program."
    written = [
        (row["data"], json.dumps([row[name] for name in NAMES]), json.dumps(row))
        for row in rows
    ]
    with connection:
        connection.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?)", written)


def kept_rows(connection, data=None):
    "All rows, or those of a table with this mark of its codes."
    query, asked = "SELECT row FROM runs", []
    if data is not None:
        query, asked = f"{query} WHERE data = ?", [data]
    return [json.loads(text) for (text,) in connection.execute(query, asked)]


def as_frame(rows, measures=None) -> pd.DataFrame:
    "Rows as a frame; a measure that a row does not have is NaN."
    if measures is None:
        measures = dict.fromkeys(name for row in rows for name in row["measures"])
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    for name in measures:
        values = [row["measures"].get(name, [None, math.nan])[1] for row in rows]
        frame.insert(frame.shape[1] - 1, name, values)
    if len(rows) and frame["n_iter"].notna().all():
        frame["n_iter"] = frame["n_iter"].astype("int64")
    return frame


# --------------------------------------------------------------------- what a store has


def stored_rows(store=None, **where) -> pd.DataFrame:
    """The rows of a store, or those with some values, as `experiment` gives them, in
    the order of their names.
    """
    path = store_place() if store is None else Path(store)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no store; an experiment makes one")
    with closing(open_store(path, "ro")) as opened:
        rows = kept_rows(opened)
    frame = as_frame(rows)
    # two tables of one name and variant are told apart by a mark of their data
    marks = pd.Series([row["data"][:6] for row in rows], frame.index, object)
    tables = marks.groupby([frame["dataset"], frame["variant"]])
    marked = (frame["variant"] + " " + marks).str.strip()
    several = tables.transform("nunique") > 1
    frame["variant"] = frame["variant"].mask(several, marked)
    for name, value in where.items():
        if name not in frame:
            raise ValueError(f"a row has no {name!r}: it has {', '.join(frame)}")
        frame = frame[frame[name].astype(str) == str(value)]
    return frame.sort_values([*NAMES], kind="stable", ignore_index=True)


def list_rows(store=None, **where) -> pd.DataFrame:
    """What a store has: a line for each table and method, with the number of runs.

    Parameters
    ----------
    store : default=None
        the file; None for $KMODES_STUDY_STORE, or `runs.sqlite` in the user's folder
        for data
    **where
        only rows with these values

    Returns
    -------
    pd.DataFrame
        names, number of runs, seeds and costs

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        For a name that no column has.
    """
    frame = stored_rows(store, **where)
    told = frame.groupby([*NAMES[:-1], "version"], sort=False).agg(
        runs=("seed", "size"),
        first_seed=("seed", "min"),
        last_seed=("seed", "max"),
        mean_cost=("cost", "mean"),
        least_cost=("cost", "min"),
    )
    return told.reset_index()


def export_rows(target, store=None, **where) -> int:
    """Write rows of experiments into a CSV file.

    Parameters
    ----------
    target
        the file
    store : default=None
        the file of the rows; None for the one of `list_rows`
    **where
        only rows with these values: dataset="zoo", start="cao"

    Returns
    -------
    int
        how many rows were written
    """
    target = Path(target)
    if target.is_file() and target.open("rb").read(6) == b"SQLite":
        raise ValueError(f"target must not be a store, got {target}")
    frame = stored_rows(store, **where)
    with written_beside(target) as beside:
        guarded(frame).to_csv(beside, index=False)
    return len(frame)


# -------------------------------------------------------- when a row is still an answer


@cache
def program_mark():
    "A hash of the source of all that makes rows: the rooms of the package below here."
    package = Path(__file__).resolve().parent.parent
    rooms = "core", "measures", "cluster", "study"
    files = sorted(path for room in rooms for path in package.glob(f"{room}/**/*.py"))
    return joblib.hash([path.read_bytes() for path in files])[:16]


def function_mark(function) -> str:
    """A hash of a function of the caller's, which changes as soon as it, or something
    that it uses, may do something else; empty for None.
    """
    try:
        return "" if function is None else _Marker("md5").hash(function)
    except Exception as error:
        raise ValueError(
            f"store must be None with {function!r}, which depends on an open file or "
            f"the like, so that nothing tells whether it has changed ({error})"
        ) from error


class _Marker(NumpyHasher):
    "joblib's hashes, in which functions, classes and modules stand for what they do."

    def reducer_override(self, thing):
        "An object with the parts of a thing; what has none is reduced as by pickle."
        parts = None if thing is object else _parts(thing)
        return NotImplemented if parts is None else (object, (), parts)


_NOT_OWN = "__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__"


def _parts(thing):
    "What a thing is made of, as far as it may do something; None for plain data."
    if isinstance(thing, types.CodeType):
        return [thing.co_code, thing.co_names, thing.co_varnames, thing.co_consts]
    if isinstance(thing, (staticmethod, classmethod)):
        return [thing.__func__]
    if isinstance(thing, property):
        return [thing.fget]
    if isinstance(thing, types.CellType):
        return [thing.cell_contents]
    if isinstance(thing, frozenset):
        return [set(thing)]
    if hasattr(thing, "py_func"):  # compiled by numba
        return [thing.py_func]
    is_module = isinstance(thing, types.ModuleType)
    if not is_module and not isinstance(thing, (types.FunctionType, type)):
        return None
    if library := _library(thing.__name__ if is_module else thing.__module__):
        held = getattr(thing, "__closure__", None)
        return [library, getattr(thing, "__qualname__", thing.__name__), held]
    if is_module:
        modules = [v for v in vars(thing).values() if isinstance(v, types.ModuleType)]
        return [Path(thing.__file__).read_bytes(), modules]
    if isinstance(thing, type):
        own = {name: v for name, v in vars(thing).items() if name not in _NOT_OWN}
        return [thing.__bases__, own]
    used = {name: thing.__globals__.get(name) for name in _names_in(thing.__code__)}
    held = thing.__defaults__, thing.__kwdefaults__, thing.__closure__
    return [thing.__code__, *held, used]


def _library(name):
    "The library of a module with its version; None for a module of the caller's."
    top = name.partition(".")[0]
    module = sys.modules.get(top)
    file = str(getattr(module, "__file__", None))
    installed = re.search(r"[\\/](site|dist)-packages[\\/]", file)
    if top in ("kmodes_study", *sys.stdlib_module_names - {"__main__"}) or installed:
        return name, getattr(module, "__version__", "installed")


def _names_in(code):
    "All names in a piece of code and in the code within it."
    inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return {*code.co_names}.union(*map(_names_in, inner))
