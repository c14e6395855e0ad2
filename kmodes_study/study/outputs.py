"""The rows of an experiment become a ranking, sentences with intervals, tables in LaTeX
and CSV, and figures in SVG and PDF.
"""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.columns import warn_caller
from ..core.checks import extra
from ..core.saved import guarded, write_whole
from ..describe.plots import check_runs, picture_file
from .compare import check_one_unit, compare_pairs
from .store import NAMES

__all__ = [
    "by_method",
    "league",
    "in_words",
    "difference_table",
    "method_table",
    "latex",
    "save_table",
    "save_figure",
]


def _method_columns(method):
    return [method] if isinstance(method, str) else list(method)


def _as_made(rows, needed):
    "Complete rows; a variant that a file has left empty is empty again."
    if "variant" in rows and rows["variant"].isna().any():
        rows = rows.assign(variant=rows["variant"].astype(object).fillna(""))
    check_runs(rows, needed)
    return rows


def _known_rows(rows, columns, quantity="seed"):
    """Rows with the columns and the quantity, without missing values in them, and the
    columns that make a block: those, beside the method, that tell runs of one seed
    apart.
    """
    rows = _as_made(rows, [*columns, quantity])
    apart = [name for name in NAMES[:-1] if name in rows and name not in columns]
    blocks = [name for name in apart if rows[name].nunique() > 1] or apart[:1]
    check_one_unit(rows, quantity, blocks)
    return rows, blocks


def equal_runs(rows: pd.DataFrame, method="start") -> pd.DataFrame:
    """The rows of the seeds that all methods have in each block, with a warning where
    others are left out; ValueError where nothing is left.
    """
    columns = _method_columns(method)
    rows, blocks = _known_rows(rows, columns)
    n_methods = len(rows[columns].drop_duplicates())
    counts = rows.groupby([*blocks, "seed"])[columns[0]].transform("size")
    kept = rows[counts == n_methods]
    if kept.empty:
        raise ValueError(
            "rows must have a seed that all methods have been run with, got none"
        )
    if len(kept) < len(rows):
        sizes = rows.groupby(columns)["seed"].size()
        warn_caller(
            f"the methods have between {sizes.min()} and {sizes.max()} runs: "
            f"{len(rows) - len(kept)} rows of seeds that not all have are left out",
            UserWarning,
        )
    return kept


def by_method(rows: pd.DataFrame, method="start") -> pd.DataFrame:
    """The rows with a column `init` that names the method, and the costs under the
    names of published tables: what all tools for runs take.

    Parameters
    ----------
    rows : pd.DataFrame
        as `experiment` gives them
    method : default="start"
        a column, or several, whose values are joined

    Returns
    -------
    pd.DataFrame
        the same rows, with init, initial_cost and final_cost; measures of these names
        stay as they are
    """
    columns = _method_columns(method)
    rows = _as_made(rows, [*columns, "cost"])
    joined = rows[columns].astype(str).agg(" + ".join, axis=1)
    costs = dict(initial_cost="start_cost", final_cost="cost")
    added = {name: rows[own] for name, own in costs.items() if name not in rows}
    return rows.assign(init=joined, **added)


def league(rows: pd.DataFrame, quantity: str = "cost", method="start") -> pd.DataFrame:
    """Rank the methods over all blocks, on equally many runs. It describes the tables at
    hand; `over_tables` says whether a difference holds on others.

    Parameters
    ----------
    rows : pd.DataFrame
        as `experiment` gives them
    quantity : str, default="cost"
        the column to compare; low is good. Costs under two dissimilarities are in two
        units: ValueError where they would meet in a block
    method : default="start"
        a column, or several

    Returns
    -------
    pd.DataFrame
        for each method its mean rank, the blocks in which it is best, how far its mean
        is above the best mean (in percent), and its runs; the best first
    """
    columns = _method_columns(method)
    rows, blocks = _known_rows(rows, columns, quantity)
    rows = equal_runs(rows, columns)
    means = rows.groupby([*blocks, *columns], sort=False)[quantity].mean()
    wide = means.unstack(columns)
    least = wide.min(axis=1)
    table = pd.DataFrame(
        dict(
            mean_rank=wide.rank(axis=1).mean(),
            best_in=wide.eq(least, axis=0).sum(),
            percent_above=(wide.div(least, axis=0).mean() - 1) * 100,
            runs=rows.groupby(columns, sort=False)["seed"].size(),
        )
    )
    return table.sort_values("mean_rank", kind="stable").reset_index()


def _pairs_of(rows, quantity, method):
    "Every two methods compared, by name, and the columns that make a block."
    columns = _method_columns(method)
    rows, blocks = _known_rows(rows, columns, quantity)
    rows = by_method(equal_runs(rows, columns), method)
    if "dataset" in rows and "dataset" not in [*blocks, *columns]:
        blocks = ["dataset", *blocks]
    rows = rows.sort_values("init", kind="stable")
    return compare_pairs(rows, quantity, by=blocks), blocks


def in_words(
    rows: pd.DataFrame, quantity: str = "cost", method="start", level=0.05
) -> str:
    """The comparison of every two methods in sentences with intervals.

    Parameters
    ----------
    rows : pd.DataFrame
        as `experiment` gives them
    quantity : str, default="cost"
        the column to compare: a cost, a score, passes, seconds
    method : default="start"
        a column, or several
    level : default=0.05
        an adjusted p-value below it is a difference

    Returns
    -------
    str
        a line for each block and pair of methods: the mean difference, of the first
        method named less the second; its 95 % interval, of this pair alone; the p-value
        of the paired t test, adjusted for all pairs (Holm). Where all seeds give the
        same difference, as two methods that draw nothing, there is one comparison, and
        the line says it

    Raises
    ------
    ValueError
        For a quantity that is no column, for fewer than two seeds, and for costs under
        two dissimilarities, which are in two units.
    """
    pairs, blocks = _pairs_of(rows, quantity, method)
    return "\n".join(
        _pair_sentence(pair, blocks, quantity, level)
        for pair in pairs.to_dict("records")
    )


def _pair_sentence(pair, blocks, quantity, level):
    "One comparison as a sentence; the better method is named first."
    named = (
        f"k = {pair[name]}" if name == "n_clusters" else str(pair[name])
        for name in blocks
    )
    place = ", ".join(filter(None, named))
    place = place and f"{place}: "
    is_score = quantity.endswith("_score")
    first, second = pair["first"], pair["second"]
    numbers = [pair["difference"], pair["low"], pair["high"]]
    said = f"no difference is shown between {first} and {second}"
    if pair["adjusted_p"] < level:
        # the better one first: the lower, or the higher where it is a score
        if (pair["difference"] < 0) == is_score:
            first, second = second, first
            numbers = [-pair["difference"], -pair["high"], -pair["low"]]
        known = dict(cost="ends at a lower cost", start_cost="starts at a lower cost")
        usual = f"has a {'higher' if is_score else 'lower'} {quantity}"
        said = f"{first} {known.get(quantity, usual)} than {second}"
    difference, low, high = (f"{number:+.4g}" for number in numbers)
    if np.isnan(pair["p_value"]):
        return (
            f"{place}{first} less {second} is {difference} with each of {pair['n']} "
            "seeds: one comparison, so no interval and no p-value. Where neither draws "
            'anything, orders="shuffled" or more tables give more.'
        )
    return (
        f"{place}{said} (mean difference {difference}, 95 % interval {low} to {high}, "
        f"adjusted p = {pair['adjusted_p']:.2g}, {pair['n']} seeds)."
    )


def difference_table(
    rows: pd.DataFrame, quantity: str = "cost", method="start", decimals: int = 2
) -> pd.DataFrame:
    """The numbers of `in_words` as a table, rounded.

    Parameters
    ----------
    rows : pd.DataFrame
        as `experiment` gives them
    quantity : str, default="cost"
        the column to compare: a cost, a score, passes, seconds
    method : default="start"
        a column, or several
    decimals : int, default=2
        of the difference and its interval

    Returns
    -------
    pd.DataFrame
        a line for each block and pair of methods, by name: what tells the block from
        others, first and second method, the mean difference (first less second) with
        its 95 % interval (low, high), the adjusted p-value with two digits, and how
        many seeds
    """
    pairs, blocks = _pairs_of(rows, quantity, method)
    numbers = ["difference", "low", "high"]
    table = pairs[[*blocks, "first", "second", *numbers]].copy()
    table[numbers] = table[numbers].round(decimals)
    table["adjusted_p"] = [float(f"{p:.2g}") for p in pairs["adjusted_p"]]
    return table.assign(seeds=pairs["n"])


def method_table(
    rows: pd.DataFrame, quantity: str = "cost", method="start", decimals: int = 1
) -> pd.DataFrame:
    """Mean and standard deviation of each method in each block, as text.

    Parameters
    ----------
    rows : pd.DataFrame
        as `experiment` gives them
    quantity : str, default="cost"
        a column of numbers; costs under two dissimilarities are in two units:
        ValueError where they would stand in one line
    method : default="start"
        a column, or several
    decimals : int, default=1
        of the mean and the standard deviation

    Returns
    -------
    pd.DataFrame
        blocks by methods, "137.0 (4.2)"; the methods as they come in the rows. Another
        order is `table[["cao", "huang"]]`
    """
    columns = _method_columns(method)
    rows, blocks = _known_rows(rows, columns, quantity)
    groups = rows.groupby([*blocks, *columns], sort=False)[quantity]
    texts = groups.agg(
        lambda values: f"{values.mean():.{decimals}f} ({values.std():.{decimals}f})"
    )
    return texts.unstack(columns)


def _number_text(value, decimals):
    "A number with so many decimals; one that would become 0 with so many digits."
    if decimals is None:
        return str(value)
    text = f"{value:.{decimals}f}"
    return f"{value:.{max(decimals, 1)}g}" if value and float(text) == 0 else text


def latex(table: pd.DataFrame, decimals: int | None = None) -> str:
    r"""A table in LaTeX, with its signs escaped: a `tabular` with the rules of
    `\usepackage{booktabs}`, for a document with `\usepackage[T1]{fontenc}`.

    Parameters
    ----------
    table : pd.DataFrame
        any frame; its index comes first, unless it only counts
    decimals : int, default=None
        of numbers that are not whole, where a column has some; None for all their
        digits. A number that would become 0 has so many digits that are not 0

    Returns
    -------
    str
        `DataFrame.to_latex` of it; columns whose cells begin with a number on the right
    """
    counts = isinstance(table.index, pd.RangeIndex)
    flat = table if counts else table.reset_index()
    n_names = 0 if counts else table.index.nlevels
    begins = [
        column.dropna().astype(str).str.match(r"[-+\d]|nan").all()
        for _, column in flat.items()
    ]
    begins[:n_names] = [False] * n_names
    with extra("plots"):
        text = flat.to_latex(
            index=False,
            escape=True,
            na_rep="",
            column_format="".join(np.where(begins, "r", "l")),
            float_format=partial(_number_text, decimals=decimals),
        )
    # after the end of a line these two would be taken for its options
    return re.sub(r"(\\\\\n)([\[*])", r"\1{\2}", text)


def save_table(table: pd.DataFrame, path, decimals: int | None = None) -> Path:
    """Write a table as LaTeX or CSV.

    Parameters
    ----------
    table : pd.DataFrame
        any frame
    path
        a file that ends with .tex or .csv
    decimals : int, default=None
        of numbers that are not whole, as for `latex`; None for all their digits

    Returns
    -------
    Path
        the file
    """
    path = Path(path)
    if path.suffix == ".tex":
        text = latex(table, decimals)
    elif path.suffix == ".csv":
        text = guarded(table).to_csv(
            index=not isinstance(table.index, pd.RangeIndex),
            float_format=partial(_number_text, decimals=decimals),
        )
    else:
        raise ValueError(f"path must end with .tex or .csv, got {path.name!r}")
    write_whole(path, text)
    return path


def save_figure(figure, path) -> Path:
    """Write a figure as SVG, PDF or PNG.

    Parameters
    ----------
    figure
        a figure of matplotlib, axes in it, or an array of such axes
    path
        a file that ends with .svg, .pdf or .png

    Returns
    -------
    Path
        the file
    """
    path = Path(path)
    if hasattr(figure, "ravel"):
        figure = figure.ravel()[0]
    figure = getattr(figure, "figure", figure)
    write_whole(path, picture_file(figure, path.suffix[1:]))
    return path
