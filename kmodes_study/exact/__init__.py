"""What no clustering can be cheaper than, and proofs that one is the best. Names are
imported when they are first used.
"""

from kmodes_study import _lazy

__getattr__, __dir__ = _lazy(
    __name__,
    (
        "bounds",
        "optima",
    ),
)
