"""Clusterings of categorical data: dissimilarity and modes, the initialisations, the algorithms, and their estimators.

Each public name is imported from its module when it is first used, so that `import kmodes_study.cluster` stays light.
Where a module and its function share a name, as `matching` does, the name here is the module. What stands in for another
package under that package's names is in a module of its own and not repeated here.
"""
from importlib import import_module as _import_module, util as _util

_MODULES = ("dissimilarity", "modes", "initialisation", "matching", "kmodes", "transfer", "batch", "estimator", "kprototypes", "profiles")


def _present():
    "The modules that this installation has, in reading order."
    return [name for name in _MODULES if _util.find_spec(f"{__name__}.{name}")]


def _public():
    "The public names of all modules."
    return {name for module in _present() for name in _import_module(f"{__name__}.{module}").__all__}


def __getattr__(name):
    if name == "__all__": return sorted(_public())
    if not name.startswith("_"):
        for module in _present():
            home = _import_module(f"{__name__}.{module}")
            if name == module: return home
            if name in home.__all__ and name not in _MODULES: return getattr(home, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*(x for x in globals() if x.startswith("__")), *_present(), *_public()})
