"""Data sets: from raw files of every state, the table or an error that names the file
or the argument.
"""

import gzip
import os
from functools import partial
from unittest.mock import patch

import pandas as pd

from kmodes_study import data
from kmodes_study.data.files import where
from kmodes_study.data.sets import DATASETS

from fuzz.damage import damaged
from fuzz.spell import ANYTHING
from fuzz.trial import Trial

SMALL = [
    name
    for name, one in DATASETS.items()
    if not one.computed and max(file.rows for file in one.files.values()) < 3000
]
# of the others it is only said that they are absent
AT_HAND = [name for name in SMALL if all(where(name).values())]
LOADERS = {name: getattr(data, f"load_{name.replace('-', '_')}") for name in DATASETS}
OPTIONS = dict(
    subset=("train", "test", "all", "TRAIN"),
    missing=("keep", "drop", "category"),
    as_frame=(True, False),
    return_X_y=(True, False),
    names=(True, False),
    id_column=(True, False),
)


def known(name):
    "The bytes of each file of a set where it is at hand, else of none."
    return {file: path.read_bytes() for file, path in where(name).items() if path}


def lay(rng, folder, name):
    """A home with the files of a set, whole, packed, damaged or absent; what was done
    to each.
    """
    home, states = folder / "home" / name, []
    home.mkdir(parents=True)
    for file, content in (
        {file: b"1,2,3\n" for file in where(name)} | known(name)
    ).items():
        state = rng.choice(
            ["whole", "gz", "broken", "broken gz", "Z", "folder", "absent"],
            p=SHARES,
        )
        path = home / file
        packed = gzip.compress(content)
        if state == "whole":
            path.write_bytes(content)
        if state == "gz":
            (home / f"{file}.gz").write_bytes(packed)
        if state == "broken":
            path.write_bytes(damaged(content, rng)[0])
        if state == "broken gz":
            (home / f"{file}.gz").write_bytes(damaged(packed, rng)[0])
        if state == "Z":
            (home / f"{file}.Z").write_bytes(
                b"\x1f\x9d\x90" + rng.bytes(rng.randint(50))
            )
        if state == "folder":
            path.mkdir()
        states.append(str(state))
    return states


SHARES = 0.3, 0.2, 0.15, 0.15, 0.05, 0.05, 0.1


def is_the_set(name, options):
    "What checks what was loaded against the set that is at hand."
    expected = data.load(name, download=False, **options)

    def check(found):
        assert type(found) is type(expected)
        for one, other in zip(
            *(
                found if isinstance(found, tuple) else (found["data"], found["target"])
                for found in (found, expected)
            ),
            strict=True,
        ):
            assert pd.DataFrame(one).equals(pd.DataFrame(other)), (
                f"{one}, expected {other}"
            )

    return check


def drawn_options(rng):
    "Some options of `load`."
    options = {
        option: values[rng.randint(len(values))]
        for option, values in OPTIONS.items()
        if rng.rand() < 0.3
    }
    return options


def from_files(rng, folder):
    "A set is loaded or looked at from files of every state."
    name, options = str(rng.choice(SMALL)), drawn_options(rng)
    states = lay(rng, folder, name)
    work = str(rng.choice(["load", "load", "verify", "where"]))
    whole = set(states) <= {"whole", "gz"} and len(known(name)) == len(states)
    if work == "load" and whole:
        try:
            check = is_the_set(name, options)
        except ValueError:
            whole, check = False, None  # an option that the set does not have
    elif work == "verify":
        check = lambda found: same_states(found.status, states)
    else:
        check = lambda found: None

    def run():
        with patch.dict(os.environ, KMODES_STUDY_DATA="nothing"):
            if work == "load":
                return data.load(name, data_home="home", download=False, **options)
            return getattr(data, work)(name, data_home="home")

    return Trial(
        f"{work} {name} {states} {options}",
        run,
        check,
        (name, *options),
        good=whole and work == "load",
    )


def same_states(found, states):
    "Each file is well where it is whole, and absent where it is."
    for one, state in zip(found, states, strict=True):
        assert (one == "absent") == (state in ("absent", "folder")) or one == "ok", (
            f"{one} of a file that is {state}"
        )
        assert one != "ok" or state not in ("Z", "folder"), (
            f"{one} of a file that is {state}"
        )


def odd_argument(rng, folder):
    "An argument is of no use."
    odd = ANYTHING[rng.randint(len(ANYTHING))]
    which = str(rng.choice(["name", "data_home", *OPTIONS]))
    name = str(rng.choice([*AT_HAND, "balance-scale"]))
    work = str(rng.choice(["load", "own", "where", "verify"]))
    if work == "own" and which != "name":
        call = partial(LOADERS[name], download=False)
    elif work == "load" or which not in ("name", "data_home"):
        call = partial(data.load, name, download=False)
    else:
        call = partial(getattr(data, "available" if work == "own" else work), name)
    if which == "name":
        call, given = call.func, {"name": odd} | call.keywords
    else:
        given = {which: odd}
    return Trial(
        f"{work} {name!r} with {which}={odd!r}",
        lambda: call(**given),
        names=(which, "data set"),
    )


def draw(rng, folder):
    "A trial with a data set."
    return from_files(rng, folder) if rng.rand() < 0.7 else odd_argument(rng, folder)
