"""The families of cases, each with what judges the case of a number, and how many there
are of it.
"""

from functools import partial

from fuzz import certificates, codes, commands, models, sets
from fuzz.judge import judge
from fuzz.trial import judged

FAMILIES = dict(calls=judge) | {
    name: partial(judged, name, family.draw)
    for name, family in dict(
        sets=sets,
        codes=codes,
        models=models,
        commands=commands,
        certificates=certificates,
    ).items()
}
MANY = dict(calls=10_000)  # of the others a thousand
