"""k-modes clustering of categorical data: the measures, the initialisations, the algorithms and the published tables.

The short list of public names; each is imported when it is first used, so that `import kmodes_study` stays light.
"""
from importlib import import_module

__version__ = "0.1.0"

_NAMESPACES = ("cluster", "data", "measures", "study")
_HOMES = {
    "KModes": "cluster.estimator", "KPrototypes": "cluster.kprototypes",
    "CategoryEncoder": "codes", "encode": "codes", "decode": "codes",
    "load": "data.datasets", "list_datasets": "data.datasets",
}
__all__ = [*_HOMES, *_NAMESPACES]


def __getattr__(name):
    if name in _NAMESPACES: return import_module(f"{__name__}.{name}")
    if name in _HOMES: return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    if name.startswith("load_"): return getattr(import_module(f"{__name__}.data.datasets"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
