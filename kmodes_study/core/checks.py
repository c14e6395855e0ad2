"""What leads to a wrong result is refused in one sentence: the argument, what came, what was expected."""

import inspect
from contextlib import contextmanager
from importlib.util import find_spec
from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state  # noqa: F401, for all modules

__all__ = []


def shown(value) -> str:
    "A value as text, numpy's scalars as Python's own."
    if type(value) is tuple:
        return f"({', '.join(map(shown, value))})"
    if not isinstance(value, np.generic):
        return repr(value)
    return str(value) if value.dtype.kind in "mM" else repr(value.item())


def is_masked(X) -> bool:
    "Whether `X` is a masked array of numpy with a masked entry."
    return isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X)


def is_number(value, kind: type = Real) -> bool:
    "Whether a value is a number of this kind (`Integral` for whole ones), and no boolean."
    return isinstance(value, kind) and not isinstance(value, (bool, np.bool_))


def _refused(name, what, also, value):
    "The error for a value that is not what it must be, nor one of `also`."
    others = "".join(f" or {option!r}" for option in also)
    return ValueError(f"{name} must be {what}{others}, got {shown(value)}")


def check_whole(
    name: str, value, least: int = 1, also: tuple = (), most: int = 2**63 - 1
) -> int:
    """The value as a Python integer, or a ValueError unless it is a whole number from
    `least` to `most`; `also` are other values that the message names.
    """
    if is_number(value, Integral) and least <= value <= most:
        return int(value)
    limits = f"from {least} to {most:,}" if most < 2**63 - 1 else f"of at least {least}"
    raise _refused(name, f"a whole number {limits}", also, value)


def check_number(
    name: str, value, least: float = 0, *, strict: bool = False, also: tuple = ()
) -> float:
    """The value as a Python float, or a ValueError unless it is a finite number of at
    least `least`, or above it if `strict`.
    """
    if is_number(value) and least <= value < np.inf and not (strict and value == least):
        return float(value)
    limit = "above" if strict else "of at least"
    raise _refused(name, f"a finite number {limit} {least}", also, value)


def check_option(name: str, value, options) -> str:
    "The option that `value` names, in capitals or not, or a ValueError that lists them."
    if isinstance(value, str) and value.lower() in options:
        return value.lower()
    raise _refused(name, f"one of {', '.join(map(repr, options))}", (), value)


def check_sample_weight(
    sample_weight, n: int, m: int = 1, name: str = "sample_weight"
) -> np.ndarray:
    """The weights of n rows, int64 where they are whole numbers or booleans, else
    float64; ones for None.

    A ValueError for what is no finite number of at least 0 for each row, and for whole
    numbers whose sum, `m` times, does not fit into 62 bits.
    """
    if sample_weight is None:
        return np.broadcast_to(np.int64(1), n)
    weights = np.asarray(sample_weight)
    is_list = weights.shape == (n,) and weights.dtype.kind in "iubf"
    refused = is_masked(sample_weight) or not is_list
    if refused or not ((weights >= 0) & (weights < np.inf)).all():
        raise ValueError(
            f"{name} must hold one finite number of at least 0 for each of the {n} "
            f"rows, got {weights.dtype} of shape {weights.shape}"
        )
    if weights.dtype.kind == "f":
        return weights.astype(np.float64)
    if weights.sum(dtype=float) * m >= 2**62:
        raise ValueError(f"{name} is too large for exact sums: pass floats")
    return weights.astype(np.int64)


def accepts(function, name) -> bool:
    "Whether a function can be called with an argument of this name."
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True  # compiled: it says nothing
    kinds = {parameter.kind for parameter in parameters.values()}
    return name in parameters or inspect.Parameter.VAR_KEYWORD in kinds


@contextmanager
def extra(name: str):
    "Stands around an import: the error names the extra that brings what is missing."
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f'{error.name} is not installed: run pip install "kmodes_study[{name}]", '
            "which brings it",
            name=error.name,
        ) from None


def steps(things, what):
    "Things one by one, with a bar that shows the time left on a terminal."
    if find_spec("tqdm") is None:
        return things
    with extra("data"):
        from tqdm import tqdm

    return tqdm(things, what, disable=None, delay=1, leave=False)
