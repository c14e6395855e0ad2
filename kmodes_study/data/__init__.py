"""Data sets, each module loaded when one of its names is first used: `from kmodes_study.data import load_mushroom`."""
from importlib import import_module

_MODULES = {
    "synthetic": ["PlantedClusters", "make_planted_clusters"],
    "datasets": ["DATASETS", "Column", "File", "Dataset", "MissingDataError", "DownloadError", "ChecksumError",
                 "load", "describe", "where", "available", "fetch", "verify", "list_datasets",
                 "load_soybean_large", "load_soybean_small", "load_zoo", "load_breast_cancer_wisconsin", "load_mushroom",
                 "load_voting_records", "load_nursery", "load_car", "load_tic_tac_toe", "load_balance_scale", "load_lenses",
                 "load_iris", "load_hayes_roth", "load_audiology", "load_kr_vs_kp", "load_splice", "load_connect_4",
                 "load_crx", "load_heart_disease", "load_adult"],
    "computed": [],
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [*_HOME, *_MODULES]


def __getattr__(name):
    if name in _MODULES: return import_module(f"{__name__}.{name}")
    if name not in _HOME: raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__():
    return sorted({*globals(), *__all__})
