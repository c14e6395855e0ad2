"""A trial: work on files in a folder of its own, which gives what is right or is
refused by name, without a mess.
"""

import os
import re
import tempfile
import traceback
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from zlib import crc32

import matplotlib.pyplot
import numpy as np

from fuzz.judge import Verdict


# Python and pandas decide what is true, in their own words
TRUTH = re.compile("(truth|boolean) value of")


@dataclass
class Trial:
    r"""What is done, what must hold of what comes, and what may be said instead.

    Attributes
    ----------
    words : str
    run : object
        a function without arguments
    check : object, default=lambda result: None
        AssertionError where the result is wrong; it gives what is true of a refusal
    names : tuple, default=()
        an error must have one of them in its words
    refused : bool, default=False
        whether there must be an error
    good : bool, default=False
        whether there must be none
    leaves : str, default="\0"
        what the names of files that an error may leave begin with
    errors : tuple, default=field(default=(ValueError, TypeError, OSError))
    """

    words: str
    run: object
    check: object = lambda result: None
    names: tuple = ()
    refused: bool = False
    good: bool = False
    leaves: str = "\0"
    errors: tuple = field(default=(ValueError, TypeError, OSError))


def seen(folder):
    "All files of a folder, with their bytes."
    return {
        str(path): path.read_bytes() if path.is_file() else None
        for path in sorted(Path(folder).rglob("*"))
    }


@contextmanager
def alone():
    "A new folder to work in, without warnings, prints and open pictures."
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)
            matplotlib.pyplot.close("all")


def answer(trial, folder):
    "The outcome of a trial, and words about it."
    before = seen(folder)
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            result = trial.run()
    except MemoryError as error:
        return "blow-up", str(error)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        if not isinstance(error, trial.errors) or isinstance(error, UnicodeError):
            return "wrong class", said
        if trial.good:
            return "wrong result", f"refused, but should work: {said}"
        left = {
            name: what
            for name, what in seen(folder).items()
            if trial.leaves not in name
        }
        if left != before:
            return "half-written", said
        if any(name in said for name in trial.names):
            return "refused", said
        return ("unnamed, listed" if TRUTH.search(said) else "unnamed"), said
    if trial.refused:
        return "wrong result", f"should be refused, gives {result!r}"[:300]
    try:
        status = trial.check(result)
    except AssertionError as error:
        return "wrong result", str(error) or traceback.format_exc(limit=-1)
    except Exception:
        return "wrong class", "afterwards " + traceback.format_exc(limit=-2)[-250:]
    return ("refused" if status else "right"), ""


def judged(family, draw, seed, number):
    "The verdict on a trial, by its family, what draws one, and its number."
    rng = np.random.RandomState([seed, number, crc32(family.encode())])
    with alone() as folder:
        trial = draw(rng, folder)
        return Verdict(number, f"{family}: {trial.words}", *answer(trial, folder))
