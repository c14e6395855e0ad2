"""Cells with several answers become columns, a block of questions weighs as one, and a survey is made whose groups are known."""

import re
from math import lcm
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..core.checks import check_random_state, check_whole
from ..core.columns import ordered_levels

__all__ = [
    "AGREEMENT",
    "split_answers",
    "weights_by_group",
    "make_survey",
    "step_columns",
]

AGREEMENT = "strongly disagree", "disagree", "neutral", "agree", "strongly agree"


def split_answers(frame, column, sep=";"):
    """Replace a column whose cells hold several answers by a column for each answer.

    Parameters
    ----------
    frame : pd.DataFrame
        the table
    column
        the name of a column of text
    sep : str, default=";"
        what stands between two answers of a cell

    Returns
    -------
    pd.DataFrame
        a new table; in the place of the column one named "column: answer" for each
        answer, in the order of the alphabet, with True, False, and a missing value
        where the cell has none

    Raises
    ------
    KeyError
        for a column that is not there
    ValueError
        where `sep` stands in no cell
    """
    if not frame[column].dropna().astype(str).str.contains(sep, regex=False).any():
        raise ValueError(
            f"sep must stand between answers in column {column!r}, got {sep!r}, which "
            "stands in no cell"
        )
    place, new = frame.columns.get_loc(column), tick_columns(frame[column], sep)
    return pd.concat([frame.iloc[:, :place], new, frame.iloc[:, place + 1 :]], axis=1)


def tick_columns(column, sep, answers=None):
    """A column of True, False or missing for each answer in the cells of a pandas Series;
    what is in brackets is not divided, nor what always stands together at a comma.
    """
    between = re.compile(rf"\s*{re.escape(sep)}\s*(?![^(]*\))")
    cells = column.astype("string").str.strip()
    parts = cells.str.replace(between, "\x1f", regex=True).str.get_dummies("\x1f") > 0
    parts = parts.drop(columns="", errors="ignore")
    if answers is None:
        together = {}
        for part, ticked in parts.items():
            same = ticked.to_numpy().tobytes() if sep == "," else part
            together.setdefault(same, []).append(part)
        answers = sorted(
            f"{sep} ".join(sorted(some, key=cells[parts[some[0]]].iloc[0].find))
            for some in together.values()
        )
    ticks = {
        f"{column.name}: {answer}": parts.reindex(
            columns=between.split(answer), fill_value=False
        ).all(axis=1)
        for answer in answers
    }
    ticks = pd.DataFrame(ticks, index=column.index).astype("boolean")
    return ticks.mask(~parts.any(axis=1))


def yes_and_no(ticks):
    "Columns of True, False and missing in words."
    return ticks.astype(object).replace({True: "yes", False: "no"})


def separator_of(column):
    "What stands between the answers of a Series: a comma only where no other mark does."
    cells = column.dropna().astype(str)
    often = {sep: cells.str.contains(sep, regex=False).mean() for sep in ";|\n"}
    sep = max(often, key=often.get)
    return sep if often[sep] >= 0.1 else ","


_MOST_ANSWERS, _CELLS_SEEN = 30, 500


def sure_answers(column):
    """What stands between the answers in the cells of a pandas Series, and the answers;
    None unless the cells are surely lists of a few.
    """
    cells, sep = column.dropna()[:_CELLS_SEEN], separator_of(column)
    ticks = tick_columns(cells, sep).fillna(False).astype(bool)
    sizes, often = ticks.sum(axis=1), ticks.sum()
    common = often[often >= max(0.01 * len(cells), 2)]
    is_few = 2 <= len(common) <= min(_MOST_ANSWERS, cells.nunique() - 1)
    are_all = common.sum() >= 0.9 * often.sum()
    if is_few and are_all and sizes.nunique() > 1 and (sizes > 1).mean() >= 0.1:
        return sep, [name.removeprefix(f"{column.name}: ") for name in common.index]
    return None


def _parts_of_one(sizes):
    "Of how many equal parts a weight of 1 is made, so that blocks weigh nearly as one."
    common = lcm(*sizes)
    for parts in range(max(sizes), common) if common > 60 else ():
        totals = [size * round(parts / size) / parts for size in sizes]
        if all(abs(total - 1) <= 0.03 for total in totals):
            return parts
    return common


def weights_by_group(groups, columns=None):
    """Weights of columns with which each block of questions counts as one column.

    A weight is a whole number of equal parts of 1. Where that would take more than 60
    parts, a block may weigh up to 3 % more or less than 1.

    Parameters
    ----------
    groups : dict
        from the name of a block to the list of its columns
    columns : default=None
        the columns of the table, to which names are compared; None for no comparison

    Returns
    -------
    dict
        from each column of a block to its weight, a `feature_weight`: columns without a
        block count once

    Raises
    ------
    ValueError
        for a block that is a text, and a column that is in two blocks or not there
    """
    names = [name for members in groups.values() for name in members]
    known = names if columns is None else list(columns)
    texts = any(isinstance(members, str) for members in groups.values())
    if texts or len(set(names)) < len(names) or not set(names) <= set(known):
        raise ValueError(
            "groups must have a list for each block, and name columns of the table, "
            f"each once, got {groups!r}"
        )
    sizes = {name: len(members) for members in groups.values() for name in members}
    parts = _parts_of_one([1, *sizes.values()])
    return {name: round(parts / size) / parts for name, size in sizes.items()}


class Survey(NamedTuple):
    """Answers with known groups.

    Attributes
    ----------
    answers : pd.DataFrame
        shape (n, m), ordered categories with all levels of the scale
    labels : np.ndarray
        shape (n,), int32, the true group of each row
    centres : np.ndarray
        shape (k, m), the point of each group on each scale, from 0 to c - 1
    """

    answers: pd.DataFrame
    labels: np.ndarray
    centres: np.ndarray


def make_survey(
    n_samples: int = 600,
    n_questions: int = 12,
    n_clusters: int = 3,
    noise: float = 1.0,
    levels=AGREEMENT,
    missing: float = 0.0,
    random_state=None,
) -> Survey:
    """A survey on scales whose groups are known.

    Parameters
    ----------
    n_samples : int, default=600
        people
    n_questions : int, default=12
        questions, named Q1, Q2, ...
    n_clusters : int, default=3
        groups, of nearly equal size
    noise : float, default=1.0
        standard deviation of an answer around the point of its group, in levels
    levels : default=AGREEMENT
        the levels of all scales, from the lowest
    missing : float, default=0.0
        probability with which an answer is missing
    random_state : default=None
        None, an integer or a RandomState, as in scikit-learn

    Returns
    -------
    Survey
        the named tuple `(answers, labels, centres)`
    """
    n = check_whole("n_samples", n_samples)
    m = check_whole("n_questions", n_questions)
    k = check_whole("n_clusters", n_clusters, most=n)
    dtype = pd.CategoricalDtype(list(levels), ordered=True)
    rng = check_random_state(random_state)
    top = len(dtype.categories) - 1
    centres = rng.uniform(0, top, (k, m))
    labels = rng.permutation(np.arange(n, dtype=np.int32) % np.int32(k))
    points = centres[labels] + noise * rng.standard_normal((n, m))
    codes = np.clip(np.rint(points), 0, top).astype(int)
    codes[rng.random_sample((n, m)) < missing] = -1
    columns = {
        f"Q{j + 1}": pd.Categorical.from_codes(codes[:, j], dtype=dtype)
        for j in range(m)
    }
    return Survey(pd.DataFrame(columns), labels, centres)


def step_columns(frame):
    """Columns that say "at least this level" in the place of each ordered category.

    Parameters
    ----------
    frame : pd.DataFrame
        a table with ordered pandas categories; other columns stay as they are

    Returns
    -------
    tuple
        a new table, in which a scale `Q` of c levels is c - 1 columns "Q: at least
        level" of True, False, and missing values where the answer is missing; and a
        dict from each scale to the list of its columns

    Raises
    ------
    ValueError
        where no column is an ordered category of at least two levels
    """
    parts, groups = [], {}
    for name, column in frame.items():
        levels = ordered_levels(column)
        if levels is None or len(levels) < 2:
            parts.append(column)
            continue
        groups[name] = [f"{name}: at least {level}" for level in levels[1:]]
        codes = column.cat.codes
        for place, new in enumerate(groups[name], 1):
            reached = (codes >= place).astype("boolean").mask(codes < 0)
            parts.append(reached.rename(new))
    if not groups:
        raise ValueError(
            "frame must have an ordered category, got none: make a column "
            "pandas.Categorical(..., categories=[lowest, ..., highest], ordered=True)"
        )
    return pd.concat(parts, axis=1), groups
