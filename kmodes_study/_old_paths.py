"""Modules under the names that they had in version 0.1: they work on for one version, with a DeprecationWarning.

`kmodes_study/__init__.py` asks here for a module that is found nowhere else. This file goes with version 0.2.
"""
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from warnings import warn

_CORE = "checks", "extras", "jit", "tables", "levels", "codes", "labels", "stored", "diagnosis"
MODULES = {f"kmodes_study.{old}": f"kmodes_study.{new}" for old, new in {
    **{name: f"core.{name}" for name in _CORE}, "kinds": "core.features", "columns": "core.kernels",
    "data.parts": "storage.parts", "data.code_files": "storage.code_files",
    "cluster.batch": "cluster.algorithms.lloyd", "cluster.online": "cluster.algorithms.huang",
    "cluster.lanes": "cluster.algorithms.transfers", "cluster.search": "cluster.algorithms.swaps",
    "cluster.frequencies": "cluster.dissimilarity_tables", "cluster.fitting": "cluster.base",
    "cluster.seeding": "cluster.starts.seeding", "cluster.stable_matching": "cluster.starts.matching",
    "cluster.refined": "cluster.starts.refined", "cluster.halving": "cluster.starts.bisecting",
    "cluster.prominent": "cluster.starts.prominent",
    "family.neighbours": "family.rock_clustering",
    "study.classifier": "study.experiments2018", "study.legacy2018": "study.experiments2018",
    "cluster.bounds": "exact.bounds", "cluster.optima": "exact.optima",
    "study.cli": "command.cli", "study.own_table": "command.own_table",
    "describe.numbers": "cluster.numbers",  # came after version 0.1
}.items()}

_CONSTANTS = {"ALGORITHMS": "kmodes_study.cluster.sampled"}  # that have gone to another module; the index has none

# names that have gone on their own to another module of their package
_WENT = {"kmodes_study.describe.profiles": {"describe_clusters": "kmodes_study.describe.words"}}


def gone_from(module, name):
    "A name that a module had in version 0.1 and has handed on; AttributeError for any other."
    if name in _WENT.get(module, {}): return getattr(import_module(_WENT[module][name]), name)
    raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module])


def _home_of(name, module):
    "The module of a name that an old module had: the new one, or the one to which the name alone has gone."
    from kmodes_study._modidx import d as index
    if hasattr(module, name) or name.startswith("__"): return module
    if name in _CONSTANTS: return import_module(_CONSTANTS[name])
    homes = [home for home, names in index["syms"].items() if f"{home}.{name}" in names]
    return import_module(homes[0]) if len(homes) == 1 else module


class _Alias:
    "Loads an old module: one that looks each name up in the new module."

    def __init__(self, new): self.new = new

    def create_module(self, spec): return None

    def exec_module(self, module):
        new = import_module(self.new)
        message = f"{module.__name__} is now {self.new}; the old name goes with version 0.2"
        warn(message, DeprecationWarning, stacklevel=2)
        module.__doc__ = new.__doc__
        module.__getattr__ = lambda name: getattr(_home_of(name, new), name)
        module.__dir__ = lambda: dir(new)

    def get_code(self, name):
        "What `python -m` runs in place of the old module."
        text = f"from runpy import run_module\nrun_module({self.new!r}, run_name='__main__', alter_sys=True)"
        return compile(text, name, "exec")


def find_spec(name):
    "The spec of an old module, or nothing."
    return ModuleSpec(name, _Alias(MODULES[name])) if name in MODULES else None
