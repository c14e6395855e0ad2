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

import numpy as np
import pandas as pd

from kmodes_study.study.report import Results

RESULTS = Path(__file__).resolve().parent.parent / "nbs" / "results"
# the cells of each notebook that say how its rows are made
CELLS = dict(
    which_initialisation=["402dd02f", "651738c6", "032683ff", "bdb115a9", "6950023f"],
    how_many=["e4def4aa", "a31c6a54", "22d1262b", "7a8cf644"]
    + ["42018af1", "9010a3d2", "b1329e9c"],
    optima=["d2521518", "e35e6ae4", "02fb9e5f", "bcc6caf7"]
    + ["089de325", "0efda61a", "cdd63358", "ee5f868b", "7e06adbf"],
    evolution=["d275229f", "5d093be3", "11b11bc4", "ad34d1ec", "e7473185", "1887b6fb"],
)


def run_cells(names, notebook, cells):
    "Run cells of a notebook among these names, without what they print."
    book = json.loads((RESULTS / f"{notebook}.ipynb").read_text(encoding="utf-8"))
    sources = {cell["id"]: "".join(cell["source"]) for cell in book["cells"]}
    for cell in cells:
        # what follows the functions of a cell makes the rows, and is not wanted
        text = sources[cell].partition("\n\n\nfile =")[0]
        text = text.partition("\n\n\ndeparting =")[0]
        names["results"] = Results(notebook, notebook)
        with redirect_stdout(StringIO()):
            exec(compile(text, f"{notebook}.ipynb, cell {cell}", "exec"), names)
        for item in names["results"].record["items"]:
            if item["kind"] == "waiting":
                print(f"left out: {item['what']}: no {item['file']}", file=sys.stderr)
    return names


def kept_rows(name):
    "The rows of a JSON file beside the notebooks."
    text = (RESULTS / f"{name}.json").read_text(encoding="utf-8")
    return pd.DataFrame(json.loads(text), dtype=object)


def twentieth(frame, columns, random):
    "A twentieth of the rows of each cell of a frame, at least three."
    drawn = []
    for rows in frame.groupby(columns, sort=False, dropna=False).indices.values():
        size = min(len(rows), max(3, -(-len(rows) // 20)))
        drawn += list(random.choice(rows, size, replace=False))
    return frame.iloc[sorted(drawn)]


# Each function gives names of rows, the kept rows and the same made again, as dicts.


def which_initialisation(random):
    "Rows of the contest of starts."
    cells = CELLS["which_initialisation"]
    there = run_cells({}, "which_initialisation", cells[:3])
    there["recompute"] = 2  # so that the large sets are read, too
    run_cells(there, "which_initialisation", cells[3:])
    key, problems = there["KEY"], there["problems"]
    kept = pd.read_csv(RESULTS / "which_initialisation.csv.xz")
    drawn = twentieth(kept[kept.problem.isin(problems)], key[:3], random)
    for (problem, init, algorithm), rows in drawn.groupby(key[:3], sort=False):
        made = there["run_contest"](
            [problems[problem]],
            sorted(rows.seed),
            {init: there["starts"][init]},
            {algorithm: there["algorithms"][algorithm]},
            measure_time=False,
        )
        columns = [name for name in there["COLUMNS"] if not name.endswith("_us")]
        made, rows = made[columns].sort_values("seed"), rows.sort_values("seed")
        for old, new in zip(rows.to_dict("records"), made.to_dict("records")):
            yield ", ".join(str(old[column]) for column in key), old, new


def _sets(name, designs, examine, random):
    "Rows of sets that `examine` makes from their number."
    rows = kept_rows(name)
    for seed in twentieth(designs[["kind"]], ["kind"], random).index:
        yield f"{name}, set {seed}", rows.loc[seed].to_dict(), examine(seed)


def how_many(random):
    "Rows of both kinds of sets in which clusters are counted."
    names = run_cells({}, "how_many", CELLS["how_many"])
    yield from _sets("how_many", names["designs"](), names["examine"], random)
    designs, examine = names["departing_designs"](), names["examine_departing"]
    yield from _sets("how_many_departing", designs, examine, random)


def optima(random):
    "The last costs of searches of a second each; other packages are not run."
    records = json.loads((RESULTS / "optima.json").read_text(encoding="utf-8"))
    names = run_cells(dict(records=records), "optima", CELLS["optima"])
    cell = ["dataset", "missing", "k"]
    at_hand = {
        tuple(names["key_of"](record).values()): record
        for record in records
        if names["kind_of"](record) in names["frames"]
    }
    kept = kept_rows("optima_runs")
    ours = kept.method.isin([*names["REMOVAL"], *names["METHODS"]])
    ours &= pd.MultiIndex.from_frame(kept[cell]).isin(at_hand)
    for row in twentieth(kept[ours], [*cell, "method"], random).to_dict("records"):
        record = at_hand[tuple(row[column] for column in cell)]
        seed, n_steps, method = int(row["seed"]), int(row["steps"]), row["method"]
        if method in names["REMOVAL"]:
            costs = names["swaps"](record, seed, n_steps, method)
        else:
            rows = names["rows_of"](names["kind_of"](record))
            state = np.random.RandomState(seed)
            costs = islice(names["METHODS"][method](rows, row["k"], state), n_steps)
        name = ", ".join(str(row[column]) for column in [*cell, "method", "seed"])
        yield name, row, dict(last=int(min(costs)))


def evolution(random):
    "Whole searches for tables: one of the two of each kind."
    names = run_cells({}, "evolution", CELLS["evolution"])
    for _, own in kept_rows("evolution").groupby("winner", sort=False):
        one = own.iloc[random.randint(len(own))].to_dict()
        made = names["search"](one["winner"], one["loser"], one["seed"])
        name = f"{one['winner']} over {one['loser']}, seed {one['seed']}"
        yield name, one, json.loads(json.dumps(made))


TABLES = dict(
    which_initialisation=which_initialisation,
    how_many=how_many,
    optima=optima,
    evolution=evolution,
)


def are_equal(one, other):
    "Whether two values are the same to the last digit; a gap is like a gap."
    if isinstance(one, (list, dict)):
        return one == other
    return one == other or bool(pd.isna(one) and pd.isna(other))


def check(name, seed):
    "How many values of a table differ, after a line that says so; 1 for no rows."
    start = time.process_time()
    n_rows = n_values = n_differing = 0
    for row, kept, made in TABLES[name](np.random.RandomState(seed)):
        n_rows += 1
        n_values += len(made)
        for value in made:
            if not are_equal(kept[value], made[value]):
                n_differing += 1
                found = f"{made[value]}, kept is {kept[value]}"
                print(f"{name}: {row}: {value} is {found}")
    told = f"{n_differing} of {n_values:,} values differ"
    seconds = time.process_time() - start
    made = f"{n_rows:,} kept rows drawn and made again"
    print(f"{name}: {made}, {told} [{seconds:.0f} s of the processor]", flush=True)
    return n_differing if n_rows else 1


def main(arguments=None):
    "The status of the command."
    parser = argparse.ArgumentParser("python -m bench.kept", description=__doc__)
    parser.add_argument("tables", nargs="*", help=f"of {', '.join(TABLES)}; all")
    parser.add_argument("--draw", type=int, default=0, metavar="SEED")
    asked = parser.parse_args(arguments)
    os.environ |= dict(MPLBACKEND="Agg")
    return int(any([check(name, asked.draw) for name in asked.tables or TABLES]))


if __name__ == "__main__":
    sys.exit(main())
