"""Files that are damaged as disks, editors and transfers damage them, and text of
tables in every habit of writing.
"""

import copy
import json

import numpy as np

ODD = [
    None,
    True,
    -1,
    0,
    2,
    2**70,
    1.5,
    1e400,
    "",
    "é",
    "nan",
    [],
    [[]],
    {},
    {"values": []},
    ["a", "b"],
    "int64",
    "object",
]


def flipped(content, rng):
    "One bit is another."
    place = rng.randint(len(content))
    return (
        content[:place]
        + bytes([content[place] ^ 1 << rng.randint(8)])
        + content[place + 1 :]
    )


def without_part(content, rng):
    "A piece from the middle is gone."
    first, last = np.sort(rng.randint(len(content) + 1, size=2))
    return content[:first] + content[last:]


BYTES = dict(
    cut=lambda content, rng: content[: rng.randint(len(content))],
    flipped=flipped,
    without_part=without_part,
    empty=lambda content, rng: b"",
    longer=lambda content, rng: content + bytes(rng.randint(1, 9)),
    twice=lambda content, rng: content * 2,
    zeros=lambda content, rng: bytes(len(content)),
    noise=lambda content, rng: rng.bytes(len(content)),
    html=lambda content, rng: b"<html>404 Not Found</html>\n",
    doubled=lambda content, rng: content.decode("latin1").encode("utf-16"),
    blank=lambda content, rng: b" \n\n",
)


def damaged(content, rng):
    "The bytes of a file after a mishap, and what it was."
    how = rng.choice(list(BYTES))
    return BYTES[how](content or b"x", rng), str(how)


def places(value, path=()):
    "The ways to each part of a value of JSON."
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for name, part in inside:
        yield (*path, name)
        yield from places(part, (*path, name))


def tampered(value, rng):
    """A value of JSON of which one part was removed, put in twice or replaced, and
    where.
    """
    value, ways = copy.deepcopy(value), list(places(value))
    path = ways[rng.randint(len(ways))]
    if rng.rand() < 0.4:
        path = path[: rng.randint(1, len(path) + 1)]
    home, last = value, path[-1]
    for name in path[:-1]:
        home = home[name]
    kind = rng.choice(["removed", "replaced", "replaced", "twice"])
    if kind == "removed":
        del home[last]
    elif kind == "twice" and isinstance(home, list):
        home.insert(last, copy.deepcopy(home[last]))
    else:
        home[last] = copy.deepcopy(ODD[rng.randint(len(ODD))])
    return value, f"{kind} {'.'.join(map(str, path))}"


def as_json(value):
    return json.dumps(value, ensure_ascii=False).encode()
