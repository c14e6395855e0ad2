"""Two files of labels: which clusters became which, how well they agree, and which rows moved."""

import pandas as pd
from scipy.optimize import linear_sum_assignment

from ..measures import adjusted_mutual_info_score, adjusted_rand_score
from .own_table import refuse_overwriting, table_content, write
from .reading import read_own_table

__all__ = []


def compare(first, second, *, column, encoding, output):
    "Compare two files of labels of the same rows."
    refuse_overwriting([first, second], output)
    before, after = (
        _labelled(path, column, encoding, name)
        for path, name in ((first, "before"), (second, "after"))
    )
    common = [name for name in before if name in after]
    if not common:
        if len(before) != len(after):
            raise ValueError(
                f"{first} has {len(before)} rows and {second} {len(after)}, and no "
                "column with names is in both: cluster with --id-column"
            )
        common = ["row"]
        before, after = (
            one.assign(row=range(1, len(one) + 1)) for one in (before, after)
        )
    both = before[[*common, "before"]].merge(
        after[[*common, "after"]], on=common, validate="one_to_one"
    )
    if not len(both):
        raise ValueError(f"{first} and {second} have no row in common: {common} differ")
    table = pd.crosstab(both.before, both.after)
    i, j = linear_sum_assignment(table.to_numpy(), maximize=True)
    pairs = {table.index[a]: table.columns[b] for a, b in zip(i, j) if table.iat[a, b]}
    expected = both.before.map(pairs)
    moved = both.assign(expected=expected)[expected != both.after]
    ari = adjusted_rand_score(both.before, both.after)
    ami = adjusted_mutual_info_score(both.before, both.after)
    lines = [
        f"{len(both):,} rows are in both, {len(before) - len(both):,} only in {first}, "
        f"{len(after) - len(both):,} only in {second}",
        f"adjusted Rand index {ari:.3f}, adjusted mutual information {ami:.3f} (1: the "
        "same, about 0: chance)",
        table.to_string(),
        *(f"{name} became {other}" for name, other in pairs.items()),
        *(f"{name} is gone" for name in table.index if name not in pairs),
        *(f"{name} is new" for name in table.columns if name not in pairs.values()),
        f"{len(moved):,} of {len(both):,} rows moved ({len(moved) / len(both):.1%})",
    ]
    if not output and len(moved):
        lines += [moved.head(5).to_string(index=False), "-o FILE writes all of them"]
    write({output: table_content(output, moved)} if output else {}, lines)


def _labelled(path, column, encoding, name):
    "A file of labels; those that are compared are called `name`."
    table = read_own_table(path, encoding=encoding).cells
    column = column or ("cluster" if "cluster" in table else table.columns[-1])
    if column not in table:
        raise ValueError(f"{path} has no column {column}: it has {', '.join(table)}")
    missing = table[column].isna()
    if missing.any():
        raise ValueError(f"{path}: row {missing.argmax() + 1} has no {column}")
    return table.rename(columns={column: name})
