"""Experiments: runs, published figures and their comparison. `legacy`, `report` and the
other modules that are not named here are imported by name.
"""

from .compare import compare_pairs, over_tables
from .experiments import NamedTable, experiment
from .outputs import (
    by_method,
    difference_table,
    in_words,
    latex,
    league,
    method_table,
    save_figure,
    save_table,
)
from .runs import paper_runs
from .store import export_rows, list_rows

__all__ = [
    "NamedTable",
    "by_method",
    "compare_pairs",
    "difference_table",
    "experiment",
    "export_rows",
    "in_words",
    "latex",
    "league",
    "list_rows",
    "method_table",
    "over_tables",
    "paper_runs",
    "save_figure",
    "save_table",
]
