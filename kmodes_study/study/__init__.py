"""Experiments: runs, published figures and their comparison.

`experiment` and what goes with it can be imported from here; import the other modules
by name.
"""

from kmodes_study import _lazy

__getattr__, __dir__ = _lazy(
    __name__,
    ("experiments", "exchange", "outputs", "store", "runs", "contest", "paired"),
)
