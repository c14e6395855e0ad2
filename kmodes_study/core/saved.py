"""A fitted estimator becomes a JSON file that people can read, and comes back as it was.

The file holds the class, the parameters and the fitted attributes.
"""

import json
import os
import re
import secrets
from contextlib import contextmanager
from datetime import date, datetime, time
from importlib import import_module
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

__all__ = ["load_model"]


@contextmanager
def written_beside(path):
    "A file to write, which at the end takes the place of `path`, or goes."
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        raise OSError(f"{path} must name an ordinary file, not a folder or a device")
    beside = place.with_name(f"{place.name[:40]}.{secrets.token_hex(4)}.part")
    try:
        yield beside
        beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)


def write_whole(path, content):
    "Write text or bytes into a file, whole or not at all."
    content = content.encode() if isinstance(content, str) else content
    with written_beside(path) as beside:
        beside.write_bytes(content)


_FORMULA = re.compile(r"[=@\t\r]|[+-](?![\d.,%]*$)")


def guarded(table):
    "A frame for a spreadsheet: what it would run as a formula begins with an apostrophe."

    def safe(value):
        is_formula = isinstance(value, str) and _FORMULA.match(value)
        return f"'{value}" if is_formula else value

    is_number = pd.api.types.is_numeric_dtype
    kept = table.apply(lambda column: column if is_number(column) else column.map(safe))
    return kept.rename(columns=safe, index=safe)


_PACKAGE = __package__.partition(".")[0]


def _named(kind):
    "The module and the name of a class of this package; TypeError for any other."
    package, _, module = kind.__module__.partition(".")
    if package == _PACKAGE:
        return f"{module}:{kind.__name__}"
    raise TypeError(
        f"model must be of a class of {_PACKAGE}, got {kind.__name__}: keep it by pickle"
    )


def _class_of(name):
    "The model or named tuple of this package that `_named` has named."
    module, _, name = name.partition(":")
    kind = getattr(import_module(f"{_PACKAGE}.{module}"), name)
    if issubclass(kind, (Saves, tuple)):
        return kind
    raise ValueError(f"{name} is no model")


def _parts_of_model(model):
    "The class, the parameters and the fit of a model; TypeError for functions."
    given = model.get_params(deep=False)
    for name, value in given.items():
        if callable(value):
            raise TypeError(f"{name} must not be a function to be saved, got {value!r}")
        if isinstance(value, np.random.RandomState):
            given[name] = None  # it is spent
    fit = {
        name: value
        for name, value in vars(model).items()
        if name in model._private
        or name.endswith("_")
        and name[0] != "_"
        and name not in model._of_rows
    }
    return _named(type(model)), given, fit


def _model_of(kind, given, fit):
    "The model of its parts."
    model = _class_of(kind)(**given)
    vars(model).update(fit)
    return model


def _parts_of_array(array):
    "The type, the shape and the cells of an array or a number; dates as integers."
    cells = np.ravel(array)
    cells = cells.view(np.int64) if cells.dtype.kind in "mM" else cells
    return str(array.dtype), list(array.shape), cells.tolist()


def _array_of(dtype, shape, cells):
    "The array of its parts."
    cells = np.fromiter(cells, object, len(cells))
    return cells.astype(dtype).reshape(shape)[()]


# Each kind of value that JSON does not know: its type, its parts, and the way back.
_KINDS = {
    "NA": (type(pd.NA), lambda value: [], lambda: pd.NA),
    "Timestamp": (
        (pd.Timestamp, type(pd.NaT)),
        lambda value: [value.isoformat(), value.tz and str(value.tz)],
        lambda text, zone: pd.Timestamp(text, tz=zone),
    ),
    "Timedelta": (
        pd.Timedelta,
        lambda value: [value.isoformat(), value.unit],
        lambda text, unit: pd.Timedelta(text).as_unit(unit),
    ),
    **{
        kind.__name__: (kind, lambda value: [value.isoformat()], kind.fromisoformat)
        for kind in (datetime, date, time)
    },
    "tuple": (tuple, list, lambda *parts: parts),
    "dict": (dict, lambda value: map(list, value.items()), lambda *pairs: dict(pairs)),
    "array": ((np.ndarray, np.generic), _parts_of_array, _array_of),
    "index": (pd.Index, list, lambda *names: pd.Index(names)),
    "frame": (
        pd.DataFrame,
        lambda value: [list(value), value.to_numpy(object).tolist()],
        lambda names, rows: pd.DataFrame(rows, columns=names),
    ),
    "dtype": (
        (np.dtype, pd.api.extensions.ExtensionDtype),
        lambda value: [str(value)],
        pd.api.types.pandas_dtype,
    ),
}


def _is_plain(name):
    "Whether a key of a dict is text that is not taken for the name of a kind."
    return isinstance(name, str) and name[:1] != "$"


def to_json(value):
    "A value in the types of JSON; TypeError for what has no form there."
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, list):
        return [to_json(part) for part in value]
    if isinstance(value, dict) and all(map(_is_plain, value)):
        return {name: to_json(part) for name, part in value.items()}
    if hasattr(value, "_fields"):
        return {"$fields": [_named(type(value)), *map(to_json, value)]}
    for name, (kind, parts, _) in _KINDS.items():
        if isinstance(value, kind):
            return {f"${name}": [to_json(part) for part in parts(value)]}
    kind = type(value).__name__
    raise TypeError(f"a model must not hold {kind} to be saved, got {value!r}")


def _from_json(parts):
    "The value that `to_json` has written as this object of JSON."
    if all(map(_is_plain, parts)):
        return parts
    [(name, parts)] = parts.items()
    if name == "$fields":
        return _class_of(parts[0])(*parts[1:])
    return _KINDS[name[1:]][2](*parts)


def from_json(text):
    "The value that `to_json` has put into the types of JSON, from its text."
    return json.loads(text, object_hook=_from_json)


class Saves:
    """A mixin: an estimator that can be written as a file.

    Its class names, beside the public attributes of a fit (`modes_`, ...), those
    `_private` ones that later rows need, and those `_of_rows` that stay out of the file
    since they belong to the rows of the fit.
    """

    _private = ()
    _of_rows = ("labels_",)

    def save(self, path) -> None:
        """Write the fitted model as readable JSON, without what belongs to single rows.

        Parameters
        ----------
        path : str or path
            The file to write, for instance "model.json"; one that is there is replaced.

        Raises
        ------
        TypeError
            For a class from outside this package, for parameters that are functions and
            for categories that have no form in JSON.
        NotFittedError
            Before the fit.
        """
        check_is_fitted(self)
        write_whole(path, json.dumps(to_json(self), indent=1))

    @classmethod
    def load(cls, path) -> Self:
        "The model of this class in a file of `save`; see `load_model`."
        if isinstance(model := load_model(path), cls):
            return model
        raise ValueError(f"{path} must hold a {cls.__name__}, got {model!r}")


# here, since it names the class
_KINDS["model"] = (Saves, _parts_of_model, _model_of)


def load_model(path) -> Saves:
    """The model in a file that `save` has written; it predicts as the saved one did.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    estimator
        Of the class that was saved, without labels of the rows of the fit.

    Raises
    ------
    FileNotFoundError
        Where there is no file.
    ValueError
        For a file that holds no model of this package.
    """
    try:
        model = from_json(Path(path).read_text(encoding="utf-8"))
        if isinstance(model, Saves):
            return model
        error = "it holds none"
    except (ValueError, TypeError, LookupError, AttributeError, ImportError) as wrong:
        error = wrong
    raise ValueError(f"{path} must be a model that `save` has written, but {error}")
