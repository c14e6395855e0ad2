"""Two files of labels: which clusters became which, how well they agree, and which rows moved."""

import pandas as pd
from scipy.optimize import linear_sum_assignment

from ..measures import adjusted_mutual_info_score, adjusted_rand_score
from .own_table import table_content, write
from .reading import read_own_table, refuse_unknown_columns

__all__ = []


def compare(first, second, *, column, output):
    "Compare two files of labels of the same rows."
    before = _labelled(first, column, "before")
    after = _labelled(second, column, "after")
    common = [name for name in before if name in after]
    if not common and len(before) != len(after):
        raise ValueError(
            f"{first} has {len(before)} rows and {second} {len(after)}, and no column "
            "with names is in both: cluster with --id-column"
        )
    if not common:
        common = ["row"]
        before["row"] = after["row"] = range(1, len(before) + 1)
    both = before[[*common, "before"]].merge(
        after[[*common, "after"]], on=common, validate="one_to_one"
    )
    n = len(both)
    if not n:
        raise ValueError(f"{first} and {second} have no row in common: {common} differ")
    table = pd.crosstab(both.before, both.after)
    i, j = linear_sum_assignment(table.to_numpy(), maximize=True)
    pairs = {table.index[a]: table.columns[b] for a, b in zip(i, j) if table.iat[a, b]}
    expected = both.before.map(pairs)
    moved = both.assign(expected=expected)[expected != both.after]
    ari = adjusted_rand_score(both.before, both.after)
    ami = adjusted_mutual_info_score(both.before, both.after)
    lines = [
        f"{n:,} rows are in both, {len(before) - n:,} only in {first}, "
        f"{len(after) - n:,} only in {second}",
        f"adjusted Rand index {ari:.3f}, adjusted mutual information {ami:.3f} (1: the "
        "same, about 0: chance)",
        table.to_string(),
        *(f"{name} became {other}" for name, other in pairs.items()),
        f"{len(moved):,} of {n:,} rows moved ({len(moved) / n:.1%}); -o writes them",
    ]
    write({output: table_content(output, moved)} if output else {}, lines)


def _labelled(path, column, name):
    "A file of labels; those that are compared are called `name`."
    table = read_own_table(path).cells
    column = column or ("cluster" if "cluster" in table else table.columns[-1])
    refuse_unknown_columns([column], table)
    missing = table[column].isna()
    if missing.any():
        raise ValueError(f"{path}: row {missing.argmax() + 1} has no {column}")
    return table.rename(columns={column: name})
