"""Experiments: runs, published figures and their comparison.

`experiment` and what goes with it can be imported from here; import the other modules
by name.
"""

from kmodes_study import _lazy

__getattr__, __dir__ = _lazy(
    __name__,
    ("experiments", "exchange", "outputs", "store", "runs", "compare"),
)
from .compare import compare_pair, compare_pairs, pair_matrix, rank_biserial
from .runs import paper_runs
from .store import export_rows, list_rows, store_place, stored_rows

__all__ = [
    "experiment",
    "NamedTable",
    "in_words",
    "league",
    "method_table",
    "difference_table",
    "by_method",
    "equal_runs",
    "latex",
    "save_table",
    "save_figure",
    "compare_pairs",
    "compare_pair",
    "pair_matrix",
    "rank_biserial",
    "paper_runs",
    "list_rows",
    "stored_rows",
    "export_rows",
    "store_place",
]
