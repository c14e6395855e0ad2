"""Data sets: `from kmodes_study.data import load_mushroom`; names are imported when they are first used."""
from kmodes_study import _lazy

__getattr__, __dir__ = _lazy(__name__, (
    "sets",
    "files",
    "loaders",
    "computed",
    "synthetic",
    "parts",
    "code_files",
))
