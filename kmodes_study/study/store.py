"One SQLite file keeps the rows of all experiments, each as soon as it is made."

import dis
import json
import math
import os
import re
import sqlite3
import sys
import types
from contextlib import closing
from functools import cache, partial
from pathlib import Path

import joblib
import pandas as pd

from ..core.saved import written_beside

__all__ = ["store_place", "list_rows", "stored_rows", "export_rows"]


def store_place() -> Path:
    """The file that keeps rows where no other is named.

    Returns
    -------
    Path
        $KMODES_STUDY_STORE, or `runs.sqlite` in the user's folder for data
    """
    named = os.environ.get("KMODES_STUDY_STORE")
    if named:
        return Path(named)
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "kmodes_study" / "runs.sqlite"


# what a row depends on: names and data find it, and it is an answer where the program
# and the functions of the caller are the same, too
NAMES = (
    *("dataset", "variant", "n_clusters", "start", "algorithm"),
    *("dissimilarity", "order", "seed"),
)
_KEY = *NAMES, "data"
_FOUND = "n", "m", "start_cost", "cost", "n_iter", "start_seconds", "run_seconds"
_COLUMNS = *_KEY, "program", "functions", "version", *_FOUND, "measures"


def _quoted(names):
    return ", ".join(f'"{name}"' for name in names)


class RowStore:
    "The rows of experiments in a file; in memory where the path is None."

    def __init__(self, path=None):
        if path is not None:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(path or ":memory:", timeout=60)
        self.connection.row_factory = sqlite3.Row
        try:
            # a process that is killed loses no row, and no row waits for the disk
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA synchronous = NORMAL")
            self.connection.execute(
                f"CREATE TABLE IF NOT EXISTS rows ({_quoted(_COLUMNS)}, "
                f"PRIMARY KEY ({_quoted(_KEY)}))"
            )
        except sqlite3.Error as error:
            self.close()
            raise ValueError(
                f"store must be a file of rows, got {path} ({error}): name another, or "
                "move this one away"
            ) from error

    def close(self):
        self.connection.close()

    def keep(self, rows):
        "Write rows in one transaction, in the place of those of another program."
        marks = ", ".join("?" * len(_COLUMNS))
        query = f"INSERT OR REPLACE INTO rows ({_quoted(_COLUMNS)}) VALUES ({marks})"
        with self.connection:
            for row in rows:
                row = row | dict(measures=json.dumps(row["measures"]))
                self.connection.execute(query, [row[name] for name in _COLUMNS])

    def rows(self, data=None):
        "All rows, or those of a table with this mark of its codes."
        where, asked = ("", ()) if data is None else ("WHERE data = ?", [data])
        for found in self.connection.execute(f"SELECT * FROM rows {where}", asked):
            row = dict(found, measures=json.loads(found["measures"]))
            for name in _FOUND:
                row[name] = math.nan if row[name] is None else row[name]
            yield row


def as_frame(rows, measures=None) -> pd.DataFrame:
    "Rows as a frame; a measure that a row does not have is NaN."
    if measures is None:
        measures = dict.fromkeys(name for row in rows for name in row["measures"])
    names = *NAMES[:2], "n", "m", *NAMES[2:], *_FOUND[2:]
    frame = pd.DataFrame(rows, columns=[*names, "version"])
    for name in measures:
        values = [row["measures"].get(name, [None, math.nan])[1] for row in rows]
        frame.insert(frame.shape[1] - 1, name, values)
    if len(rows) and frame["n_iter"].notna().all():
        frame["n_iter"] = frame["n_iter"].astype("int64")
    return frame


# --------------------------------------------------------------------- what a store has


def stored_rows(store=None, **where) -> pd.DataFrame:
    """The rows of a store as one frame, measures as columns.

    Parameters
    ----------
    store : default=None
        the file; None for the one of `store_place`
    **where
        only rows with these values: dataset="zoo", start="cao"

    Returns
    -------
    pd.DataFrame
        as `experiment` gives them, in the order of their names

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        For a name that no column has.
    """
    path = store_place() if store is None else Path(store)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no store; an experiment makes one")
    with closing(RowStore(path)) as opened:
        rows = list(opened.rows())
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
    order = "dataset variant n_clusters dissimilarity order start algorithm seed"
    return frame.sort_values(order.split(), kind="stable", ignore_index=True)


def list_rows(store=None, **where) -> pd.DataFrame:
    """What a store has: a line for each table and method, with the number of runs.

    Parameters
    ----------
    store : default=None
        the file; None for the one of `store_place`
    **where
        only rows with these values

    Returns
    -------
    pd.DataFrame
        names, number of runs, seeds and costs
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
        the file of the rows; None for the one of `store_place`
    **where
        only rows with these values: dataset="zoo", start="cao"

    Returns
    -------
    int
        how many rows were written
    """
    frame = stored_rows(store, **where)
    with written_beside(Path(target)) as beside:
        frame.to_csv(beside, index=False)
    return len(frame)


# -------------------------------------------------------- when a row is still an answer


@cache
def program_mark():
    "A hash of the source of all that makes rows: the rooms of the package below here."
    package = Path(__file__).resolve().parent.parent
    rooms = "core", "measures", "cluster", "study"
    files = sorted(path for room in rooms for path in package.glob(f"{room}/**/*.py"))
    return joblib.hash([path.read_bytes() for path in files])[:16]


def _library(name):
    "The version of the library that has a module; None for a module of the caller's."
    top = name.partition(".")[0]
    if top == "__main__":
        return None
    module = sys.modules.get(top)
    file = str(getattr(module, "__file__", None))
    installed = re.search(r"[\\/](site|dist)-packages[\\/]", file)
    if top in ("kmodes_study", *sys.stdlib_module_names) or installed:
        return str(getattr(module, "__version__", "installed"))
    return None


def function_mark(function) -> str:
    """A hash of a function of the caller's, which changes as soon as it, or something
    that it uses, may do something else; empty for None.
    """
    try:
        return "" if function is None else _mark(function)
    except Exception as error:
        raise ValueError(
            f"store must be None with {function!r}, which depends on an open file or "
            f"the like, so that nothing tells whether it has changed ({error})"
        ) from error


def _mark(thing, within=()):
    "A hash of a thing and its parts, where these may lead back to it."
    if id(thing) in within:
        return f"number {within.index(id(thing))}"
    parts = _parts(thing)
    if parts is None:
        return joblib.hash(thing)
    within = *within, id(thing)
    return joblib.hash([type(thing).__name__, [_mark(part, within) for part in parts]])


def _parts(thing):
    "What a thing is made of, as far as it may do something; None for plain data."
    match thing:
        case list() | tuple():
            return thing
        case dict():
            return [*map(str, thing), *thing.values()]
        case partial():
            return [thing.func, thing.args, thing.keywords]
        case types.MethodType():
            return [thing.__func__, thing.__self__]
        case staticmethod() | classmethod() | property():
            return [getattr(thing, name, None) for name in ("__func__", "fget")]
        case types.CellType():
            return [thing.cell_contents]
        case types.CodeType():
            return [thing.co_code, thing.co_names, thing.co_varnames, thing.co_consts]
    is_module = isinstance(thing, types.ModuleType)
    is_type = isinstance(thing, type)
    has_code = isinstance(thing, types.FunctionType)
    named = thing if is_module or is_type or has_code else type(thing)
    home = named.__name__ if is_module else named.__module__
    library = _library(home)
    if library:
        if hasattr(thing, "py_func"):  # compiled by numba
            return [thing.py_func]
        if named is not thing:
            return [named, vars(thing)] if home.startswith("kmodes_study.") else None
        held = getattr(thing, "__closure__", None)
        return [home, getattr(thing, "__qualname__", ""), library, held]
    if is_module:
        modules = [v for v in vars(thing).values() if isinstance(v, types.ModuleType)]
        return [Path(thing.__file__).read_bytes(), modules]
    if is_type:
        hidden = "__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__"
        own = {name: v for name, v in vars(thing).items() if name not in hidden}
        return [thing.__bases__, own]
    if has_code:
        known = thing.__globals__
        used = {
            name: known[name] for name in sorted(_names_in(thing.__code__) & {*known})
        }
        held = thing.__defaults__, thing.__kwdefaults__, thing.__closure__
        return [thing.__code__, *held, used]
    return [named, vars(thing)] if hasattr(thing, "__dict__") else None


def _names_in(code):
    "The global names that a piece of code, and the code within it, may use."
    inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    steps = dis.get_instructions(code)
    names = {
        step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    return names.union(*map(_names_in, inner))
