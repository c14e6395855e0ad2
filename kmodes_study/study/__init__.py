"""Experiments: runs, published figures and their comparison. `legacy`, `report` and the
other modules that are not named here are imported by name.
"""

from .compare import compare_pair, compare_pairs, pair_matrix, rank_biserial
from .experiments import NamedTable, experiment
from .outputs import (
    by_method,
    difference_table,
    equal_runs,
    in_words,
    latex,
    league,
    method_table,
    save_figure,
    save_table,
)
from .runs import paper_runs
from .store import export_rows, list_rows, store_place, stored_rows

__all__ = [
    "NamedTable",
    "by_method",
    "compare_pair",
    "compare_pairs",
    "difference_table",
    "equal_runs",
    "experiment",
    "export_rows",
    "in_words",
    "latex",
    "league",
    "list_rows",
    "method_table",
    "pair_matrix",
    "paper_runs",
    "rank_biserial",
    "save_figure",
    "save_table",
    "store_place",
    "stored_rows",
]
