"""k-modes clustering of categorical data: the measures, the initialisations, the algorithms and the published tables.

The short list of public names; each is imported when it is first used, so that `import kmodes_study` stays light.
"""
from importlib import import_module
from importlib.util import find_spec

__version__ = "0.1.0"

_NAMESPACES = ("cluster", "data", "measures", "study")
_HOMES = {
    "KModes": "cluster.estimator", "KPrototypes": "cluster.kprototypes",
    "CategoryEncoder": "codes", "encode": "codes", "decode": "codes",
    "load": "data.datasets", "list_datasets": "data.datasets",
}
__all__ = [*_HOMES, *_NAMESPACES]


def _lazy_namespace(package, modules):
    "`__getattr__` and `__dir__` of a package whose public names are those of its modules, each imported when it is first used; modules of the name of a function win."
    def present(): return [name for name in modules if find_spec(f"{package}.{name}")]
    def public(): return {name for module in present() for name in import_module(f"{package}.{module}").__all__}
    def get(name):
        if name == "__all__": return sorted(public())
        for module in () if name.startswith("_") else present():
            home = import_module(f"{package}.{module}")
            if name == module: return home
            if name in home.__all__ and name not in modules: return getattr(home, name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return get, lambda: sorted({*present(), *public()})


def __getattr__(name):
    if name in _NAMESPACES: return import_module(f"{__name__}.{name}")
    if name in _HOMES: return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    if name.startswith("load_"): return getattr(import_module(f"{__name__}.data.datasets"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
