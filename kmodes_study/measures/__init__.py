"""Measures of clusterings: against known labels (contingency, pair counting, information) and from the data alone (cost, silhouette).

Each public name is imported from its module when it is first used, so that `import kmodes_study.measures` stays light.
"""
from importlib import import_module, util

_MODULES = ("contingency", "pair_counting", "information", "cost", "silhouette")


def _present():
    "The modules that this installation has, in reading order."
    return [name for name in _MODULES if util.find_spec(f"{__name__}.{name}")]


def __getattr__(name):
    if name == "__all__": return _public()
    if name.startswith("_"): raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for module in _present():
        home = import_module(f"{__name__}.{module}")
        if name == module: return home
        if name in home.__all__: return getattr(home, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _public():
    return sorted(name for module in _present() for name in import_module(f"{__name__}.{module}").__all__)


def __dir__():
    return sorted({*globals(), *_present(), *_public()})
