"""The same value in other words, from which the same must come, and values that are no
use to any function.
"""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

DAY, SECOND = np.datetime64("2020-01-01"), np.timedelta64(1, "s")


def each(write):
    return lambda table: np.array(
        [write(cell) for cell in table.ravel()], object
    ).reshape(table.shape)


def framed(write):
    return lambda table: pd.DataFrame(table).apply(write)


def strided(table):
    "The same values, every second one of a larger array."
    wide = np.zeros([2 * size for size in table.shape], table.dtype)
    part = wide[tuple(slice(None, None, 2) for _ in table.shape)]
    part[...] = table
    return part


def locked(table):
    "The same values, not to be written."
    copy = table.copy()
    copy.flags.writeable = False
    return copy


def odd_frame(table):
    "A frame whose columns have different types."
    kinds = [
        str,
        float,
        "category",
        "Int64",
        "string",
        lambda column: DAY + column.to_numpy(),
        object,
    ]
    columns = {}
    for j, column in enumerate(pd.DataFrame(table.astype(int) + 1000).items()):
        kind = kinds[j % len(kinds)]
        columns[f"column {j}"] = (
            kind(column[1])
            if callable(kind) and kind not in (str, float, object)
            else column[1].astype(kind)
        )
    return pd.DataFrame(columns).set_axis(range(5, len(table) + 5))


CODES = dict(
    list=np.ndarray.tolist,
    int64=lambda t: t.astype(np.int64),
    uint16=lambda t: t.astype(np.uint16),
    uint32=lambda t: t.astype(np.uint32),
    int32=lambda t: t.astype(np.int32),
    strided=strided,
    locked=locked,
    fortran=lambda t: np.asfortranarray(t.astype(np.int64)),
    swapped=lambda t: t.astype(">i4"),
    matrix=lambda t: np.ma.array(t),
)
TABLES = CODES | dict(
    negative=lambda t: t.astype(np.int64) - 7,
    floats=lambda t: t / 4,
    halves=lambda t: t.astype(np.float32),
    words=each("v{:04d}".format),
    dollars=each("$x_{{{:04d}$ <b>".format),
    numbers=each(int),
    dates=lambda t: DAY + t.astype(int),
    pairs=framed(str),
    bytes=lambda t: each("{:04d}".format)(t).astype("S"),
    text=lambda t: each("{:04d}".format)(t).astype("U"),
    times=lambda t: SECOND * t.astype(int),
    fractions=each(lambda c: Fraction(int(c), 3)),
    frame=pd.DataFrame,
    odd=odd_frame,
    decimals=each(lambda c: Decimal(int(c))),
    days=each(
        lambda c: (
            datetime.date(2020, 1, 1 + c % 28)
            + (datetime.timedelta(28 * (int(c) // 28)))
        )
    ),
    tuples=lambda t: [tuple(row) for row in t.tolist()],
    integers=framed(lambda c: c.astype("Int64")),
    categories=framed(
        lambda c: c.astype("category").cat.rename_categories(
            lambda code: f"{999 - code} x"
        )
    ),
    periods=framed(lambda c: pd.PeriodIndex.from_ordinals(c.astype(int), freq="M")),
    polars=lambda t: pl.DataFrame(
        {f"c{j}": column for j, column in enumerate(t.T.astype(np.int64))}
    ),
    arrow=lambda t: pa.table(
        {f"c{j}": column for j, column in enumerate(t.T.astype(np.int64))}
    ),
)
TABLES["pairs"] = framed(lambda c: c.map("{:04d}".format))
LABELS = dict(
    list=np.ndarray.tolist,
    tuple=lambda v: tuple(v.tolist()),
    strided=strided,
    locked=locked,
    uint8=lambda v: v.astype(np.uint8),
    floats=lambda v: v.astype(float),
    words=lambda v: each("l{:04d}".format)(v),
    dollars=lambda v: each("$x_{{{:04d}$ <b>".format)(v),
    negative=lambda v: v - 3,
    series=lambda v: pd.Series(v, index=np.arange(len(v)) + 9),
    category=lambda v: pd.Series(v).astype("category"),
    nullable=lambda v: pd.array(v, dtype="Int64"),
    dates=lambda v: DAY + v,
    polars=pl.Series,
    text=lambda v: each("{:04d}".format)(v).astype("U"),
    swapped=lambda v: v.astype(">i8"),
    objects=lambda v: v.astype(object),
)
WEIGHTS = dict(
    list=np.ndarray.tolist,
    series=LABELS["series"],
    uint8=LABELS["uint8"],
    strided=strided,
    locked=locked,
    nullable=LABELS["nullable"],
    swapped=LABELS["swapped"],
)
WHOLE = {
    name: getattr(np, name)
    for name in ("int8", "uint8", "int16", "uint16", "int64", "uint64")
}
WORDS = dict(capitals=str.upper, numpy=np.str_)
ROLES = dict(
    X=TABLES,
    codes=CODES,
    modes=CODES,
    labels=LABELS,
    labels_true=LABELS,
    labels_pred=LABELS,
    sample_weight=WEIGHTS,
)


# Functions whose labels are numbers of clusters, from 0, and may not be words.
NUMBERED = {
    "modes_of",
    "category_counts",
    "cost",
    "cluster_costs",
    "rock_criterion",
    "rock_labels",
    "cluster_order",
}


def spellings(target, name, value):
    "Other ways to write an argument, by name."
    if name == "labels" and target in NUMBERED:
        return WEIGHTS
    if name in ROLES:
        return (
            ROLES[name]
            if isinstance(value, np.ndarray) and value.dtype.kind in "iu"
            else {}
        )
    if type(value) is int and 0 <= value < 128:
        return WHOLE
    if type(value) is float:
        return dict(numpy=np.float64)
    return WORDS if type(value) is str and name not in ("dtype", "quantity") else {}


ANYTHING = [
    None,
    np.nan,
    np.inf,
    -1,
    0,
    1.5,
    True,
    2**31,
    2**63,
    10**400,
    5e-324,
    1e300,
    "",
    "é",
    b"x",
    [],
    {},
    set(),
    object,
    object(),
    np.array([1, 2]),
    np.array(3),
    pd.NA,
    pd.NaT,
    Fraction(3, 2),
    np.uint8(3),
    np.int8(-1),
    1j,
    Decimal(2),
    Decimal("NaN"),
    datetime.date(2020, 1, 1),
    np.datetime64("NaT"),
    lambda *x: 0,
    range(3),
    slice(3),
    "nan",
    [[1], [1, 2]],
    [[[1]]],
    iter([1]),
    pd.Series([1, 2]),
    pd.DataFrame(),
    sparse.eye(3).tocsr(),
    np.ma.masked,
    pd.DataFrame(dict(a=[1, None])),
    [{"a": 1}],
    np.empty((0, 3)),
    np.empty((3, 0)),
    np.zeros((2, 2, 2)),
]


def with_hole(hole):
    "The table as objects, with one cell that is missing or strange."

    def write(table):
        copy = np.array(table, dtype=object)
        copy.flat[copy.size // 2] = hole
        return copy

    return write


def endless(value):
    "Infinity and NaN."
    with np.errstate(all="ignore"):
        return np.asarray(value) / 0.0


HOLES = (
    None,
    np.nan,
    pd.NA,
    pd.NaT,
    np.inf,
    -1,
    2**40,
    10**30,
    [1],
    {},
    "1",
    object(),
    1.5,
)
SPOILT = [
    *map(with_hole, HOLES),
    endless,
    np.ravel,
    lambda v: v[:-1],
    lambda v: v[None],
    lambda v: v[:0],
    lambda v: v.astype(complex),
    sparse.csr_matrix,
    lambda v: np.ma.masked_equal(v, v.flat[0]),
    lambda v: v.astype(object) * 2**40,
    lambda v: -v.astype(int) - 1,
    lambda v: [set(np.ravel(v).tolist())],
    lambda v: v.astype(float) * 1e300,
    lambda v: np.concatenate([v, v]),
    lambda v: np.rec.array([(1, 2)]),
]


def spoil(value, rng):
    """A value in place of one that was good: something quite different, or the same
    with a fault.
    """
    if isinstance(value, np.ndarray) and value.size and rng.rand() < 0.6:
        try:
            return SPOILT[rng.randint(len(SPOILT))](value)
        except (TypeError, ValueError):
            pass  # this fault cannot be put into this array
    return ANYTHING[rng.randint(len(ANYTHING))]
