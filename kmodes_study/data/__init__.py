"""Data sets: `from kmodes_study.data import load_mushroom`; names are imported when
they are first used.
"""

from kmodes_study import _lazy

_STORAGE = (
    "arrow",
    "Levels",
    "part_codes",
    "Source",
    "open_source",
    "CodeFile",
    "check_file",
    "rows_as_frame",
    "open_codes",
    "write_codes",
    "learn_from_file",
)

__getattr__, __dir__ = _lazy(
    __name__,
    (
        "sets",
        "files",
        "loaders",
        "computed",
        "synthetic",
        "questionnaires",
    ),
    moved=dict.fromkeys(_STORAGE, "kmodes_study.storage"),
)
