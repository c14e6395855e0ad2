"""`python -m bench.kept`: are the rows beside the result notebooks those of this
program?

A twentieth of the kept rows of each problem and method is drawn, at least three of
them, and made again by the functions of the notebook. Each value must be equal to the
last digit; times are not compared. The status is 1 where one differs.
`python -m bench.kept optima --draw 1` asks for one table, and draws others.
"""

import argparse
import json
import os
import sys
import time
from contextlib import redirect_stdout
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from kmodes_study.study.experiments import drawn_part

RESULTS = Path(__file__).resolve().parent.parent / "nbs" / "results"


class Pair(NamedTuple):
    """A kept row and the same row made again, each as a dictionary.

    Attributes
    ----------
    name : str
        what the row is about
    kept : dict
    made : dict
        its values are compared with those of the same names in `kept`
    """

    name: str
    kept: dict
    made: dict


class Absent:
    "What a notebook reports goes nowhere, but for data that are not at hand."

    store = None

    def __getattr__(self, name):
        return lambda *arguments, **options: None

    def absent(self, names, what):
        "Say which data sets are left out."
        if names:
            told = f"left out, as the data are not at hand: {', '.join(names)}"
            print(told, file=sys.stderr)

    def waiting(self, what, file):
        "Say which rows wait for a file."
        print(f"left out: {what} (there is no {file})", file=sys.stderr)


def cells_of(notebook):
    "The code cells of a result notebook by their identifiers."
    text = (RESULTS / f"{notebook}.ipynb").read_text(encoding="utf-8")
    return {
        cell["id"]: "".join(cell["source"])
        for cell in json.loads(text)["cells"]
        if cell["cell_type"] == "code"
    }


def run_cells(names, notebook, cells):
    "Run cells of a notebook among these names, without what they print."
    there = cells_of(notebook)
    for cell in cells:
        # what follows the functions of a cell is not wanted: it makes the rows
        text = (
            there[cell].partition("\n\n\nfile =")[0].partition("\n\n\ndeparting =")[0]
        )
        with redirect_stdout(StringIO()):
            exec(compile(text, f"{notebook}.ipynb, cell {cell}", "exec"), names)
        names["results"] = Absent()
    return names


def twentieth(frame, columns, random):
    "A twentieth of the rows of each cell of a frame, at least three."
    places = frame.groupby(columns, sort=False, dropna=False).ngroup().to_numpy()
    drawn = drawn_part(range(len(frame)), lambda row: places[row], random)
    return frame.iloc[sorted(drawn)]


# the cells of each notebook that say how its rows are made
CELLS = dict(
    which_initialisation=["402dd02f", "651738c6", "032683ff", "bdb115a9", "6950023f"],
    how_many=["e4def4aa", "a31c6a54", "22d1262b", "7a8cf644"]
    + ["42018af1", "9010a3d2", "b1329e9c"],
    optima=["d2521518", "e35e6ae4", "02fb9e5f", "bcc6caf7"]
    + ["089de325", "0efda61a", "cdd63358", "ee5f868b", "7e06adbf"],
    evolution=["d275229f", "5d093be3", "11b11bc4", "ad34d1ec", "e7473185"]
    + ["1887b6fb"],
)


def which_initialisation(random):
    "Pairs of rows of the contest of starts."
    cells = CELLS["which_initialisation"]
    there = run_cells({}, "which_initialisation", cells[:3])
    there["recompute"] = 2  # so that the large sets are read, too
    run_cells(there, "which_initialisation", cells[3:])
    key = there["KEY"]
    problems = there["problems"]
    kept = pd.read_csv(RESULTS / "which_initialisation.csv.xz")
    known = kept.init.isin(there["starts"]) & kept.problem.isin(problems)
    drawn = twentieth(kept[known], key[:3], random)
    names = [n for n in there["COLUMNS"] if n not in key and not n.endswith("_us")]
    for (problem, init, algorithm), rows in drawn.groupby(key[:3], sort=False):
        made = there["run_contest"](
            [problems[problem]],
            sorted(rows.seed),
            {init: there["starts"][init]},
            {algorithm: there["algorithms"][algorithm]},
            measure_time=False,
        )
        for old, new in zip(
            rows.sort_values("seed").to_dict("records"),
            made.sort_values("seed").to_dict("records"),
        ):
            name = ", ".join(str(old[column]) for column in key)
            yield Pair(name, old, {column: new[column] for column in names})


def _sets(kept, designs, examine, random):
    "Pairs of rows of sets that `examine` makes from their number."
    table = json.loads((RESULTS / f"{kept}.json").read_text(encoding="utf-8"))
    rows = pd.DataFrame(table, dtype=object)
    for seed in twentieth(designs[["kind"]], ["kind"], random).index:
        yield Pair(f"{kept}, set {seed}", rows.loc[seed].to_dict(), examine(seed))


def how_many(random):
    "Pairs of rows of both kinds of sets in which clusters are counted."
    names = run_cells({}, "how_many", CELLS["how_many"])
    yield from _sets("how_many", names["designs"](), names["examine"], random)
    designs = names["departing_designs"]()
    departing = names["examine_departing"]
    yield from _sets("how_many_departing", designs, departing, random)


def optima(random):
    """Pairs of the last costs of searches, which were made for a second each; the
    packages beside this one are not run.
    """
    text = (RESULTS / "optima.json").read_text(encoding="utf-8")
    names = run_cells(dict(records=json.loads(text)), "optima", CELLS["optima"])
    records = {
        tuple(names["key_of"](record).values()): record
        for record in names["records"]
        if names["kind_of"](record) in names["frames"]
    }
    kept = pd.read_json(RESULTS / "optima_runs.json")
    ours = [*names["REMOVAL"], *names["METHODS"]]
    problems = zip(kept.dataset, kept.missing, kept.k)
    at_hand = [row for row, problem in enumerate(problems) if problem in records]
    there = kept.method.isin(ours) & np.isin(range(len(kept)), at_hand)
    cell = ["dataset", "missing", "k", "method"]
    for row in twentieth(kept[there], cell, random).to_dict("records"):
        record = records[row["dataset"], row["missing"], row["k"]]
        seed, n_steps, method = int(row["seed"]), int(row["steps"]), row["method"]
        if method in names["REMOVAL"]:
            costs = names["swaps"](record, seed, n_steps, method)
        else:
            rows = names["rows_of"](names["kind_of"](record))
            state = np.random.RandomState(seed)
            costs = islice(names["METHODS"][method](rows, row["k"], state), n_steps)
        name = ", ".join(str(row[column]) for column in [*cell, "seed"])
        yield Pair(name, row, dict(last=int(min(costs))))


def evolution(random):
    "Pairs of whole searches for tables: one of the two of each kind."
    names = run_cells({}, "evolution", CELLS["evolution"])
    text = (RESULTS / "evolution.json").read_text(encoding="utf-8")
    searches = json.loads(text)
    for winner in dict.fromkeys(one["winner"] for one in searches):
        own = [one for one in searches if one["winner"] == winner]
        one = own[random.randint(len(own))]
        made = names["search"](one["winner"], one["loser"], one["seed"])
        name = f"{one['winner']} over {one['loser']}, seed {one['seed']}"
        yield Pair(name, one, json.loads(json.dumps(made)))


TABLES = dict(
    which_initialisation=which_initialisation,
    how_many=how_many,
    optima=optima,
    evolution=evolution,
)


def n_kept(name):
    "How many rows are kept under a name."
    if name == "which_initialisation":
        return len(pd.read_csv(RESULTS / "which_initialisation.csv.xz"))
    files = dict(
        how_many=["how_many", "how_many_departing"],
        optima=["optima_runs"],
        evolution=["evolution"],
    )
    total = 0
    for file in files[name]:
        rows = json.loads((RESULTS / f"{file}.json").read_text(encoding="utf-8"))
        total += len(rows if isinstance(rows, list) else next(iter(rows.values())))
    return total


def are_equal(one, other):
    "Whether two values are the same to the last digit; a gap is like a gap."
    if isinstance(one, (list, dict)):
        return one == other
    if pd.isna(one) or pd.isna(other):
        return pd.isna(one) and pd.isna(other)
    return one == other


def differing(pair):
    "The names of the values of a pair that differ."
    return [
        name for name in pair.made if not are_equal(pair.kept[name], pair.made[name])
    ]


def check(name, seed):
    "How many values of a table differ, after a line that says so."
    start = time.process_time()
    n_rows = 0
    n_values = 0
    n_differing = 0
    for pair in TABLES[name](np.random.RandomState(seed)):
        n_rows += 1
        n_values += len(pair.made)
        for value in differing(pair):
            n_differing += 1
            print(
                f"{name}: {pair.name}: {value} is {pair.made[value]}, kept is "
                f"{pair.kept[value]}"
            )
    told = f"{n_differing} of {n_values:,} values differ"
    if n_rows and not n_differing:
        told = f"all {n_values:,} values are equal: the kept rows are those of today"
    print(
        f"{name}: {n_rows:,} of {n_kept(name):,} kept rows drawn and made again, "
        f"{told} [{time.process_time() - start:.0f} s of the processor]",
        flush=True,
    )
    return n_differing if n_rows else 1


def main(arguments=None):
    "The status of the command."
    parser = argparse.ArgumentParser(
        prog="python -m bench.kept",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)}"
    )
    parser.add_argument(
        "--draw", type=int, default=0, metavar="SEED", help="draw others (default: 0)"
    )
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.tables if name not in TABLES]
    if unknown:
        parser.error(f"there is no table {unknown[0]!r}; there are {', '.join(TABLES)}")
    os.environ.setdefault("MPLBACKEND", "Agg")
    return int(any([check(name, asked.draw) for name in asked.tables or TABLES]))


if __name__ == "__main__":
    sys.exit(main())
