"""k-modes clustering of categorical data: the measures, the initialisations, the
algorithms and the published tables.

The short list of public names; each is imported when it is first used, so that
`import kmodes_study` stays light.
"""

import sys as _sys
from importlib import import_module as _import_module

__version__ = "0.1.0"

_PACKAGES = (
    "cluster",
    "data",
    "describe",
    "exact",
    "family",
    "measures",
    "storage",
    "study",
)
_HOMES = {
    "KModes": "cluster.estimator",
    "KPrototypes": "family.kprototypes",
    "CategoryEncoder": "core.codes",
    "encode": "core.codes",
    "decode": "core.codes",
    "diagnose": "core.diagnosis",
    "TableWarning": "core.diagnosis",
    "load": "data.loaders",
    "list_datasets": "data.files",
}


class _OldPaths:
    """Finds a module under the name that it had in version 0.1, where nothing else is
    found; asked last.
    """

    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith(f"{__name__}."):
            return None
        return _import_module(f"{__name__}._old_paths").find_spec(name)


# the package is imported anew
if "_OldPaths" not in [getattr(finder, "__name__", "") for finder in _sys.meta_path]:
    _sys.meta_path.append(_OldPaths)


def _old_module(package, name):
    "The module that an attribute of a package was in version 0.1, or nothing."
    from kmodes_study._old_paths import MODULES

    return (
        _import_module(f"{package}.{name}") if f"{package}.{name}" in MODULES else None
    )


def _lazy(package, modules, moved={}):
    """`__getattr__` and `__dir__` of a package: names of its `modules` are imported
    when first asked for, and kept.

    A module in a package within is named with it: `starts.basic`. `moved` gives the new
    package of each name that has gone; such a name works on for one version, with a
    warning.
    """
    within = {module.partition(".")[0] for module in modules}

    def get(name):
        if name == "__all__":
            return names()
        if name in moved:
            return _moved(package, name, moved[name])
        if not name.startswith("_"):
            if name in within:
                # no module has the name of a function
                return _import_module(f"{package}.{name}")
            for module in modules:
                home = _import_module(f"{package}.{module}")
                if name in home.__all__:
                    return _keep(package, name, getattr(home, name))
            home = _unlisted(package, modules, name)
            # what another package offers was never offered by this one
            if home and not _offering(name):
                return _moved(package, name, home)
            if old := _old_module(package, name):
                return old
        raise _unknown(package, name)

    def names():
        return sorted(
            {
                *within,
                *(
                    name
                    for m in modules
                    for name in _import_module(f"{package}.{m}").__all__
                ),
            }
        )

    return get, names


def _keep(package, name, value):
    """`value`, which from now on is an attribute of the package, so that it is not
    looked up again.
    """
    vars(_sys.modules[package])[name] = value
    return value


def _unlisted(package, modules, name):
    """The module of a name that a package does not offer any more: a part of the
    engine, which version 0.1 listed.
    """
    listed = tuple(f"{package}.{module}." for module in modules)
    homes = [home for home in list(_sys.modules) if f"{home}.".startswith(listed)]
    for home in homes:
        value = vars(_sys.modules[home]).get(name)
        if value is not None and (
            name.isupper() or getattr(value, "__module__", "") == home
        ):
            return home


def _moved(package, name, home):
    """A name that a package does not offer any more, with a DeprecationWarning for the
    line that asks for it.
    """
    from warnings import warn

    message = (
        f"{package}.{name} is now {home}.{name}; the old place goes with version 0.2"
    )
    warn(message, DeprecationWarning, stacklevel=3)
    return getattr(_import_module(home), name)


def _unknown(package, name):
    """The error for a name that a package does not have; it says where the name is, or
    which one may be meant.
    """
    message = f"module {package!r} has no attribute {name!r}"
    if not name.startswith("_"):
        message += _elsewhere(name) or _alike(package, name)
    # without the package, of which Python would say once more what is alike
    return AttributeError(message, name=name)


def _elsewhere(name):
    """Where in this package a public name is, as the end of a message; empty if it is
    nowhere.
    """
    from kmodes_study._modidx import d as index

    modules = [module for module in index["syms"] if module.endswith(f".{name}")]
    if modules:
        return f": it is a module, say import {modules[0]}"
    homes = [
        module.split(".")
        for module, names in index["syms"].items()
        if f"{module}.{name}" in names
    ]
    doors = [_door(home, _offering(name)) for home in homes]
    return (
        f": it is {' or '.join(sorted({'.'.join([*door, name]) for door in doors}))}"
        if doors
        else ""
    )


def _offering(name):
    "The packages that offer a name, and not a module that is called so."
    packages = {part: _import_module(f"{__name__}.{part}") for part in _PACKAGES}
    return [
        part
        for part, package in packages.items()
        if name in dir(package) and not isinstance(getattr(package, name), type(_sys))
    ]


def _door(home, offering):
    """Where a name of a module is imported from, as a list: its package, or else one of
    those that offer the name; the module itself where its package offers no names.
    """
    whole, package, *_ = home
    if package in ("core", "study", "command"):
        return home
    return [whole, package if package in offering else [*offering, package][0]]


def _alike(package, name):
    """The name of a package that is most like this one, as the end of a message; empty
    if none is like it. Of the whole package those of its parts are looked through, too.
    """
    from difflib import get_close_matches

    known = {}
    if package == __name__:
        for part in "cluster", "data", "describe", "family", "measures":
            module = _import_module(f"{__name__}.{part}")
            known |= {one: f"{part}.{one}" for one in dir(module)}
    known |= {one: one for one in dir(_sys.modules[package])}
    public = [one for one in known if one[0] != "_"]
    close = get_close_matches(name, public, n=1)
    return f". Did you mean: {known[close[0]]!r}?" if close else ""


def __getattr__(name):
    if name == "__all__":
        return [*_HOMES, *_PACKAGES]
    if name in _PACKAGES:
        return _import_module(f"{__name__}.{name}")
    home = "data.loaders" if name.startswith("load_") else _HOMES.get(name)
    module = home and _import_module(f"{__name__}.{home}")
    if not hasattr(module, name):
        if old := name[0] != "_" and _old_module(__name__, name):
            return old
        raise _unknown(__name__, name)
    return _keep(__name__, name, getattr(module, name))


def __dir__():
    sets = _import_module(f"{__name__}.data.sets").DATASETS
    return sorted(
        [
            *_HOMES,
            *_PACKAGES,
            "__version__",
            *(f"load_{name.replace('-', '_')}" for name in sets),
        ]
    )
