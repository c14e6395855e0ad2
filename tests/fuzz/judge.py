"""A case by its number: what is called, what came, and whether that is right or a
sensible refusal.
"""

import copy
import re
import traceback
import warnings
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from operator import itemgetter
from typing import NamedTuple
from zlib import crc32

import matplotlib.pyplot
import numpy as np
import pandas as pd
from scipy import sparse

from fuzz.draw import Problem
from fuzz.spell import spellings, spoil
from fuzz.targets import SLOW, targets
from fuzz.truth import TRUTH

# the others: unnamed, wrong class, wrong result, blow-up, hang, crash
GOOD = "right", "refused", "unnamed, listed"

# Refusals that do not name an argument, with the reason why they may.
LISTED = {
    r"truth value of": (
        "what is true or not, Python and pandas decide, in their own words"
    ),
    r"hamming_distances|gower_distances|matching_distances: X must": (
        "the second table is read like the first, X"
    ),
    r"^(PKMeans|hopkins): ": (
        "scikit-learn and numpy read the points, and say what is wrong in their own "
        "words"
    ),
    r"runs must have the columns": "a quantity is a column of the runs",
    r"decode: codes must have one column": (
        "the categories are compared with the codes, whichever is wrong"
    ),
    r"f\(a\) and f\(b\) must have different signs": (
        "scipy on a cost of more than there are cells"
    ),
    r"Linkage must be": "scipy says what a linkage must be",
    r"^(compare_pairs|plot_cdf): unhashable": (
        "what cannot be the name of a column, pandas refuses"
    ),
    r"compare_pairs: first and second": "the two are columns of the runs",
    r"k_scan: ": "what is wrong with a table of references is said by the fit",
}


PATIENT = {"max_swaps"}  # a larger number is a longer search, as was asked for


class Case(NamedTuple):
    """A call: the function, good arguments, and the arguments that are given: one may
    be spelt otherwise or spoilt.

    Attributes
    ----------
    number : int
    target : object
    good : dict
    given : dict
    change : str
        "as drawn", "respelt NAME: HOW" or "spoilt NAME"
    name : str
        of the argument that was changed, or nothing
    """

    number: int
    target: object
    good: dict
    given: dict
    change: str
    name: str


class Verdict(NamedTuple):
    "What a case came to."

    number: int
    call: str
    outcome: str
    words: str


@cache
def _targets():
    return targets()[0]


def case_of(seed, number):
    "The case with this number."
    known = _targets()
    turn, target = number // len(known), known[number % len(known)]
    # the cases of a function do not depend on the others
    problem = Problem(seed, turn, crc32(target.name.encode()))
    if turn % SLOW.get(target.name, 1):
        target = next(one for one in known if one.name == "KModes")
    good = target.arguments(problem)
    given, rng = dict(good), problem.rng
    kind = rng.choice(["drawn", "respelt", "spoilt"], p=[0.3, 0.3, 0.4])
    name = list(good)[rng.randint(len(good))]
    if kind == "respelt":
        ways = spellings(target.name, name, good[name])
        if not ways:
            return Case(number, target, good, given, "as drawn", "")
        how = list(ways)[rng.randint(len(ways))]
        # a second table has values of the same kind
        for one in ("X", "Y") if name == "X" else (name,):
            if one in good:
                given[one] = ways[how](good[one])
        return Case(number, target, good, given, f"respelt {name}: {how}", name)
    if kind == "drawn":
        return Case(number, target, good, given, "as drawn", "")
    given[name] = spoil(good[name], rng)
    if name in PATIENT and isinstance(given[name], int):
        given[name] = min(given[name], 50)
    return Case(number, target, good, given, f"spoilt {name}", name)


def numbers_in(value):
    """All numbers in a result, as arrays, and the shapes of what is no number; labels,
    words and pictures have none.
    """
    if hasattr(value, "labels_"):
        value = {
            name: getattr(value, name)
            for name in sorted(vars(value))
            if name in ("labels_", "cost_", "n_iter_", "memberships_")
        }
    if sparse.issparse(value):
        value = value.toarray()
    if isinstance(value, (pd.DataFrame, pd.Series)):
        return numbers_in(value.to_numpy())
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [part for one in value for part in numbers_in(one)]
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return [value.astype(float)]
    if isinstance(value, np.ndarray):
        return [np.array(value.shape, float)]
    return (
        [np.array(value, float)]
        if isinstance(value, (bool, int, float, np.number))
        else []
    )


PARTS = dict(
    encode=itemgetter(0),
    encode_labels=itemgetter(0),
    pair_sums=itemgetter(1, 2),
    # what does not depend on the spelling, or on the clock
    mca=lambda found: np.abs(found.rows),
    prove_optimum=lambda found: found.bound <= found.cost,
)


def same(name, one, other):
    "Whether two results have the same numbers."
    first, second = (
        numbers_in(PARTS.get(name, lambda value: value)(value))
        for value in (one, other)
    )
    if list(map(np.shape, first)) != list(map(np.shape, second)):
        return False
    return all(
        np.allclose(*pair, rtol=1e-9, atol=1e-12, equal_nan=True)
        for pair in zip(first, second)
    )


def unchanged(before, after):
    "Whether an argument is what it was."
    if getattr(before, "dtype", None) == object:
        return repr(before.tolist()) == repr(after.tolist())
    if isinstance(before, np.ndarray):
        return before.dtype == after.dtype and before.tobytes() == after.tobytes()
    if isinstance(before, (pd.DataFrame, pd.Series)):
        return before.equals(after)
    return repr(before) == repr(after)


def quiet(function, arguments, strict=False):
    """The result of a call, in silence and without open pictures; arithmetic that warns
    is an error if `strict`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if strict:
            warnings.filterwarnings("error", category=RuntimeWarning)
        with redirect_stdout(StringIO()):
            try:
                return function(**arguments)
            finally:
                matplotlib.pyplot.close("all")


def refusal(case, error):
    "The verdict on an error."
    kind, words = type(error).__name__, str(error)
    if isinstance(error, MemoryError):
        # a number in the call asks for so much memory
        asked = isinstance(case.given.get(case.name), int) and case.change.startswith(
            "spoilt"
        )
        return ("unnamed, listed" if asked else "blow-up"), f"{kind}: {words}"
    if not isinstance(error, (ValueError, TypeError)) or isinstance(
        error, UnicodeError
    ):
        return "wrong class", f"{kind}: {words}"
    named = re.findall(r"[A-Za-z_]+", words)
    spoilt = case.change.startswith("spoilt") and case.name not in (
        "labels_true",
        "labels_pred",
    )
    wanted = {case.name} if spoilt else set(case.target.parameters)
    if case.name in TABLES_TOO:
        wanted = set(case.target.parameters)
    if wanted & {*named}:
        return "refused", f"{kind}: {words}"
    if (
        spoilt
        and {*case.target.parameters} & {*named}
        and refuses(case.target, case.good)
    ):
        return "refused", words
    listed = any(
        re.search(pattern, f"{case.target.name}: {words}") for pattern in LISTED
    )
    return "unnamed, listed" if listed else "unnamed", f"{kind}: {words}"


def refuses(target, arguments):
    "Whether a call is refused."
    try:
        quiet(target.call, arguments)
    except (ValueError, TypeError):
        return True
    return False


TABLES_TOO = {
    "X",
    "codes",
    "modes",
    "centres",
    "numeric",
    "labels",
    "n_clusters",
    "distances",
    "neighbours",
}


def _judged(case):
    "The outcome of a case and words about it."
    spoilt = case.change.startswith("spoilt")
    before = case.given if spoilt else copy.deepcopy(case.given)
    try:
        result = quiet(case.target.call, case.given, strict=not spoilt)
    except Exception as error:
        return refusal(case, error)
    if spoilt:
        return "right", "accepted"
    changed = [name for name in before if not unchanged(before[name], case.given[name])]
    if changed:
        return "wrong result", f"{changed} of the caller were changed"
    if case.name and not same(
        case.target.name, result, quiet(case.target.call, case.good)
    ):
        return "wrong result", "another result in another spelling"
    check = TRUTH.get(case.target.name) if not case.name else None
    try:
        check and quiet(check, dict(case.good, result=result))
    except AssertionError as error:
        return "wrong result", f"{error}" or traceback.format_exc(limit=-1)
    return "right", ""


def judge(seed, number):
    "The verdict on a case."
    case = case_of(seed, number)
    shown = f"{case.target.name}({', '.join(case.good)}), {case.change}"
    return Verdict(number, shown, *_judged(case))
