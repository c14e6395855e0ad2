"""One decorator compiles every inner loop of this package, the only place that touches numba's options."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from math import prod
from numbers import Integral
from pathlib import Path

import joblib
from numba import config, njit

from .checks import check_whole

__all__ = []


def _foreign_sources(function):
    "A hash of the other modules whose kernels a kernel may call; nothing if it has none."
    own = function.__code__.co_filename
    files, waiting = set(), [function]
    while waiting:
        one = waiting.pop()
        if one.__code__.co_filename not in files:
            files.add(one.__code__.co_filename)
            named = one.__globals__.values()
            waiting += [value.py_func for value in named if hasattr(value, "py_func")]
    foreign = sorted(files - {own})  # its own file numba looks at itself
    texts = b"".join(Path(path).read_bytes() for path in foreign)
    return sha256(texts).hexdigest()[:16] if foreign else ""


@contextmanager
def _cache_folder(function):
    "Within it numba keeps machine code where the sources of its callees are part of the name."
    asked, sources = config.CACHE_DIR, _foreign_sources(function)
    if sources:
        beside = Path(function.__code__.co_filename).parent / "__pycache__"
        config.CACHE_DIR = str(Path(asked or beside) / sources)
    try:
        yield
    finally:
        config.CACHE_DIR = asked


def kernel(function=None, inner=False, allocates=False, **options):
    """Compile `function` with numba, without the global interpreter lock; kernels of
    this package are kept on disk.

    Parameters
    ----------
    function : default=None
        The function to compile; None when the decorator is used with options.
    inner : bool, default=False
        Whether only other kernels call it: Python must not, which would end the process.
    allocates : bool, default=False
        Whether it makes arrays.
    **options
        Passed on to `numba.njit`, for a kernel with a stated reason.
    """
    if function is None:
        return partial(kernel, inner=inner, allocates=allocates, **options)
    options = dict(nogil=True) | options
    if function.__module__.partition(".")[0] != __package__.partition(".")[0]:
        return njit(**options)(function)  # in a notebook, readers call what they like
    # what nobody calls takes a third of the time of compiling
    left_out = dict(no_cfunc_wrapper=True, no_cpython_wrapper=inner, _nrt=allocates)
    options = left_out | options
    try:
        with _cache_folder(function):
            return njit(cache=True, **options)(function)
    except (RuntimeError, OSError):  # no folder can be written
        return njit(**options)(function)


_LITTLE = 2**18  # cells that numpy looks at in a few milliseconds


def is_little(*sizes, often=False):
    """Whether so few cells (the product of the sizes) are looked at that numpy is quick
    enough, and nothing should be compiled for it; `often`, for each mode or start.
    """
    return prod(sizes) * (4 if often else 1) <= _LITTLE


def count_threads(n_jobs):
    "How many threads `n_jobs` stands for: None for one, -1 for all processors."
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, Integral) and n_jobs == -1:
        return joblib.cpu_count()
    return check_whole("n_jobs", n_jobs, also=(None, -1))


@contextmanager
def threads(n_threads):
    "A `map` on so many threads, with results in the order of the calls; Python's own on one."
    if n_threads <= 1:
        yield map
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            yield pool.map
