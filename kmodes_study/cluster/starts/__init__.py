"""Where k-modes begins: each start in a module of its own. Names are imported when they
are first used.
"""

from kmodes_study import _lazy

__getattr__, __dir__ = _lazy(
    __name__,
    (
        "basic",
        "seeding",
        "matching",
        "refined",
        "different",
        "bisecting",
        "partition",
        "prominent",
    ),
)
