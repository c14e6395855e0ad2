"""The encoder: properties that hold for every table, kinds of input, scikit-learn as
the oracle and its contract.
"""

import datetime
import pickle
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
import sklearn
from sklearn.base import clone
from sklearn.preprocessing import OrdinalEncoder
from sklearn.utils.estimator_checks import estimator_checks_generator

from kmodes_study.core.codes import (
    CategoryEncoder,
    as_codes,
    decode,
    encode,
    n_levels,
    smallest_unsigned,
)
from kmodes_study.core import kernels
from kmodes_study.core.kernels import distinct_places, distinct_rows, row_numbers
from kmodes_study.data.synthetic import toy_vehicles

few = settings(max_examples=60, deadline=None)
words = st.text(st.characters(codec="utf-8"), max_size=3)
integers = st.integers(-(2**70), 2**70) | st.integers(-3, 3)
floats = st.floats(allow_nan=False)
cells = (
    words
    | integers
    | floats
    | st.booleans()
    | st.tuples(words, st.integers())
    | st.dates()
    | st.binary(max_size=2)
)
missing_values = st.sampled_from([None, np.nan, pd.NA, pd.NaT])


@st.composite
def tables(draw, values=cells):
    "An array of objects, 1 to 12 rows, 1 to 4 columns."
    n, m = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    pool = draw(st.lists(values, min_size=1, max_size=8))
    flat = draw(st.lists(st.sampled_from(pool), min_size=n * m, max_size=n * m))
    return np.fromiter(flat, dtype=object).reshape(n, m)


def is_missing(value):
    return value is None or value is pd.NA or value != value


@few
@given(tables(), st.sampled_from(["array", "lists", "frame"]))
def test_decoding_undoes_encoding_and_leaves_the_table_alone(table, guise):
    X = {
        "array": table,
        "lists": table.tolist(),
        "frame": pd.DataFrame(table, dtype=object),
    }[guise]
    before = table.copy()
    codes, categories = encode(X)
    assert decode(codes, categories).tolist() == before.tolist()
    assert (
        X.to_numpy()
        if guise == "frame"
        else np.fromiter([c for row in X for c in row], object).reshape(table.shape)
    ).tolist() == before.tolist()
    assert codes.flags.c_contiguous
    assert codes.dtype == smallest_unsigned(max(map(len, categories)))
    assert n_levels(codes).tolist() == [len(levels) for levels in categories]


@few
@given(tables(cells | missing_values))
def test_missing_values_are_one_level_the_last(table):
    codes, categories = encode(table, missing="category")
    back = decode(codes, categories)
    for j, levels in enumerate(categories):
        holes = [is_missing(value) for value in table[:, j]]
        assert [is_missing(value) for value in back[:, j]] == holes
        assert [code == len(levels) - 1 for code in codes[:, j] if any(holes)] == (
            holes if any(holes) else []
        )
        assert all(
            a == b for a, b, hole in zip(back[:, j], table[:, j], holes) if not hole
        )
    if any(is_missing(value) for value in table.flat):
        with pytest.raises(ValueError, match="must not hold missing values"):
            encode(table)


@few
@given(tables(cells | missing_values))
def test_ignored_missing_values_have_the_first_code_without_a_category(table):
    holes = np.array([[is_missing(value) for value in row] for row in table])
    if holes.all(axis=0).any():
        with pytest.raises(
            ValueError,
            match=f"only missing ones in column {holes.all(axis=0).argmax()}:",
        ):
            encode(table, missing="ignore")
        return
    codes, categories = encode(table, missing="ignore")
    assert codes.dtype == smallest_unsigned(max(map(len, categories)) + 1)
    assert (codes == [len(levels) for levels in categories]).tolist() == holes.tolist()
    assert not any(is_missing(value) for levels in categories for value in levels)
    back = decode(codes, categories, missing="ignore")
    assert (back == np.where(holes, None, table)).all()
    for j, column in enumerate(table.T):
        observed = ~holes[:, j]
        alone, levels = encode(column[observed][:, None])
        assert codes[observed, j].tolist() == alone[:, 0].tolist()
        assert categories[j].tolist() == levels[0].tolist()


@few
@given(
    tables(cells | missing_values),
    st.integers(1, 12),
    st.sampled_from(["error", "ignore"]),
)
def test_an_encoder_tells_missing_from_unknown(table, n_fit, handle_unknown):
    learnt = table[:n_fit]
    encoder = CategoryEncoder(missing="ignore", handle_unknown=handle_unknown)
    if any(all(is_missing(value) for value in column) for column in learnt.T):
        with pytest.raises(ValueError, match="only missing ones"):
            encoder.fit(learnt)
        return
    codes, categories = encode(learnt, missing="ignore")
    assert encoder.fit_transform(learnt).tolist() == codes.tolist()
    expected = [
        [
            len(levels)
            if is_missing(value)
            else levels.tolist().index(value)
            if value in levels.tolist()
            else len(levels) + 1
            for value, levels in zip(row, categories)
        ]
        for row in table
    ]
    unknown = any(
        code > len(levels) for row in expected for code, levels in zip(row, categories)
    )
    if unknown and handle_unknown == "error":
        with pytest.raises(ValueError, match="seen in fit"):
            encoder.transform(table)
        return
    result = encoder.transform(table)
    assert result.tolist() == expected
    assert (
        result.dtype
        == encoder.fit_transform(learnt).dtype
        == smallest_unsigned(
            max(map(len, categories)) + 1 + (handle_unknown == "ignore")
        )
    )
    back = encoder.inverse_transform(result)
    assert [[value is None for value in row] for row in back] == [
        [code >= len(levels) for code, levels in zip(row, categories)]
        for row in expected
    ]


@few
@given(
    st.one_of(
        tables(words), tables(integers | floats | st.booleans()), tables(st.dates())
    )
)
def test_codes_follow_the_order_of_the_values(table):
    codes, _ = encode(table)
    for column, values in zip(codes.T, table.T):
        for i in range(len(values)):
            assert (column[i] < column).tolist() == [
                values[i] < other for other in values
            ]


DTYPES = (
    hnp.integer_dtypes(endianness="?")
    | hnp.unsigned_integer_dtypes(endianness="?")
    | hnp.floating_dtypes(endianness="?", sizes=(16, 32, 64))
    | hnp.boolean_dtypes()
    | hnp.unicode_string_dtypes(endianness="?", max_len=3)
    | hnp.byte_string_dtypes(max_len=9)
    | hnp.datetime64_dtypes(max_period="s", min_period="ns", endianness="?")
)  # pandas holds no days beyond its seconds


@few
@given(st.data())
def test_arrays_of_every_type_come_back_in_it(data):
    shape = data.draw(st.tuples(st.integers(1, 8), st.integers(1, 3)))
    array = data.draw(hnp.arrays(data.draw(DTYPES), shape))
    array = data.draw(st.sampled_from([array, np.asfortranarray(array), array[::-1]]))
    encoder = CategoryEncoder(missing="category")
    codes = encoder.fit_transform(array)
    back = encoder.inverse_transform(codes)
    assert back.dtype == array.dtype.newbyteorder("=")
    np.testing.assert_array_equal(back, array)
    np.testing.assert_array_equal(encoder.transform(array), codes)
    for column, values in zip(codes.T, array.T):
        np.testing.assert_array_equal(column, np.unique(values, return_inverse=True)[1])


@pytest.mark.parametrize(
    "dtype", [object, "U", "int64", "float64", "bool", "category", "str"]
)
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (50, 1), (400, 7)])
def test_as_scikit_learns_encoder(dtype, shape):
    X = np.random.default_rng(shape[0]).integers(-8, 9, shape)
    X = (
        pd.DataFrame(X).astype(str).astype(dtype)
        if dtype in ("category", "str")
        else (X > 0 if dtype == "bool" else X.astype(dtype))
    )
    oracle = OrdinalEncoder().fit(X)
    codes, categories = encode(X)
    np.testing.assert_array_equal(codes, oracle.transform(X))
    for ours, theirs in zip(categories, oracle.categories_):
        np.testing.assert_array_equal(ours, theirs)


COLUMNS = {
    "Int64": pd.array([3, None, 1, 3], dtype="Int64"),
    "UInt8": pd.array([3, 2, 1, 3], dtype="UInt8"),
    "Float64": pd.array([0.5, None, 1, 0.5], dtype="Float64"),
    "boolean": pd.array([True, None, False, True], dtype="boolean"),
    "string": pd.array(["b", None, "a", "b"], dtype="string"),
    "python string": pd.array(["b", None, "a", "b"], dtype=pd.StringDtype("python")),
    "str": pd.array(["b", None, "a", "b"], dtype="str"),
    "object": np.array(["b", None, "a", "b"], dtype=object),
    "float": np.array([0.5, np.nan, -np.inf, 0.5]),
    "int": np.array([300, -1, 10**12, 300]),
    "bool": np.array([True, False, False, True]),
    "mixed": np.array([1, "1", None, 1], dtype=object),
    "ordered": pd.Categorical(
        ["M", None, "L", "M"], categories=["L", "never", "M"], ordered=True
    ),
    "category of dates": pd.Categorical(
        pd.to_datetime(["2020-02-29", None, "2018-06-28", "2020-02-29"])
    ),
    "category of numbers": pd.Categorical([2, None, 1, 2], categories=[2, 1]),
    "zoned": pd.to_datetime(
        ["2020-02-29", None, "2018-06-28", "2020-02-29"]
    ).tz_localize("UTC"),
    "period": pd.PeriodIndex(["2020", "2018", "2019", "2020"], freq="Y"),
    "timedelta": pd.to_timedelta([2, None, 1, 2], unit="D"),
    "interval": pd.interval_range(0, 4),
    "sparse": pd.arrays.SparseArray([0, 0, 2, 0]),
    "dates": np.array(
        [
            datetime.date(2020, 2, 29),
            None,
            datetime.date(2018, 6, 28),
            datetime.date(2020, 2, 29),
        ],
        dtype=object,
    ),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_frame_columns_of_every_type_come_back_in_it(kind):
    frame = pd.DataFrame({"x": COLUMNS[kind], "constant": "c"}).set_axis([4, 2, 0, 9])
    before = frame.copy(deep=True)
    encoder = CategoryEncoder(missing="category").set_output(transform="pandas")
    codes = encoder.fit_transform(frame)
    pd.testing.assert_frame_equal(encoder.inverse_transform(codes), before)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(encoder.transform(frame), codes)
    holes = frame["x"].isna().to_numpy()
    assert (
        codes["x"].to_numpy()[holes].tolist()
        == [len(encoder.categories_[0]) - 1] * holes.sum()
    )
    if holes.any():
        with pytest.raises(ValueError, match="in column 'x', row"):
            encode(frame)


@pytest.mark.parametrize("kind", COLUMNS)
def test_ignored_holes_come_back_in_columns_of_every_type(kind):
    frame = pd.DataFrame({"x": COLUMNS[kind], "constant": "c"}).set_axis([4, 2, 0, 9])
    encoder = CategoryEncoder(missing="ignore").set_output(transform="pandas")
    codes = encoder.fit_transform(frame)
    holes = frame["x"].isna()
    assert (codes["x"] == len(encoder.categories_[0])).tolist() == holes.tolist()
    back = encoder.inverse_transform(codes)
    assert back["x"].isna().tolist() == holes.tolist()
    assert back["x"].dtype == frame["x"].dtype
    pd.testing.assert_frame_equal(back[~holes], frame[~holes])
    later = frame.astype({"constant": "category"}).assign(
        constant=[None, "c", "c", None]
    )
    assert encoder.transform(later)["constant"].tolist() == [1, 0, 0, 1]
    if pd.api.types.is_datetime64_dtype(frame["x"].dtype) or kind == "float":
        array = frame[["x"]].to_numpy()
        np.testing.assert_array_equal(
            CategoryEncoder(missing="ignore")
            .fit(array)
            .inverse_transform(codes[["x"]]),
            array,
        )


@pytest.mark.parametrize(
    "n, missing, handle_unknown, dtype",
    [
        (256, "error", "error", np.uint8),
        (256, "ignore", "error", np.uint16),
        (255, "ignore", "error", np.uint8),
        (255, "ignore", "ignore", np.uint16),
        (254, "ignore", "ignore", np.uint8),
        (65535, "ignore", "ignore", np.uint32),
    ],
)
def test_codes_without_a_category_have_room(n, missing, handle_unknown, dtype):
    X = np.arange(n)[:, None].astype(float)
    encoder = CategoryEncoder(missing=missing, handle_unknown=handle_unknown)
    assert encoder.fit_transform(X).dtype == encoder.transform(X[:1]).dtype == dtype
    extra = [[np.nan]] * (missing == "ignore") + [[-1.0]] * (handle_unknown == "ignore")
    if extra:
        assert encoder.transform(np.array(extra))[:, 0].tolist() == list(
            range(n, n + len(extra))
        )


@pytest.mark.parametrize(
    "n, dtype",
    [
        (255, np.uint8),
        (256, np.uint8),
        (257, np.uint16),
        (65536, np.uint16),
        (65537, np.uint32),
    ],
)
@pytest.mark.parametrize(
    "make",
    [
        np.asarray,
        lambda x: x.astype(object),
        lambda x: x * 10**6,
        lambda x: pd.Series(x).astype("category"),
    ],
    ids=["int", "object", "wide", "category"],
)
def test_many_levels_take_the_smallest_type(n, dtype, make):
    X = pd.DataFrame({"few": 0, "many": make(np.arange(n)[::-1])})
    codes, categories = encode(X)
    assert codes.dtype == dtype
    assert len(categories[1]) == n
    np.testing.assert_array_equal(codes[:, 1], np.arange(n)[::-1])
    np.testing.assert_array_equal(codes[:, 0], 0)
    reserved = CategoryEncoder(handle_unknown="ignore").fit(X)
    assert (
        reserved.fit_transform(X).dtype
        == reserved.transform(X[:1]).dtype
        == smallest_unsigned(n + 1)
    )


@pytest.mark.parametrize("n", [63, 64, 65, 100, 128, 191, 1000])
@pytest.mark.parametrize("extreme", [-200, 200])
def test_an_extreme_in_the_last_row_is_found(n, extreme):
    table = np.arange(3 * n).reshape(n, 3) % 5
    table[-1, 1] = extreme
    codes, categories = encode(table)
    assert categories[1].tolist() == sorted([0, 1, 2, 3, 4, extreme])
    assert (decode(codes, categories) == table).all()
    if extreme > 0:
        assert n_levels(table).tolist() == [5, extreme + 1, 5]


@pytest.mark.usefixtures("small_tables")
def test_rows_whose_numbers_are_equal_by_chance_are_different_rows():
    codes = np.array(
        [[0, 1, 5], [2**31, 0, 5], [0, 0, 2**31], [2**31, 0, 5]], np.uint32
    )
    numbers, exact = row_numbers(codes)
    assert numbers[0] == numbers[1]
    assert not exact  # else these rows test nothing
    distinct, counts, inverse = distinct_rows(codes)
    assert distinct.tolist() == codes[:3].tolist()
    assert counts.tolist() == [1, 2, 1]
    assert inverse.tolist() == [0, 1, 2, 1]


def part_of(codes):
    "Which of four threads finds each row, by its number."
    numbers = row_numbers(codes)[0]
    hashes = ((numbers & kernels._LOW) * kernels._FACTOR + (numbers >> 31)) >> 15
    return hashes * kernels._FACTOR >> 30 & 3


@pytest.mark.parametrize("n_levels", [3, 256])
def test_threads_find_the_same_distinct_rows(n_levels):
    codes = np.random.default_rng(0).integers(0, n_levels, (60_000, 4), np.uint8)
    firsts, inverse = distinct_places(codes)
    assert (codes[firsts][inverse] == codes).all()
    first_rows = np.unique(codes, axis=0, return_index=True)[1]
    assert firsts.tolist() == sorted(first_rows)
    for n_jobs in 2, 3, 4:
        of_threads = distinct_places(codes, n_jobs)
        assert all(map(np.array_equal, of_threads, (firsts, inverse)))


def test_different_rows_that_are_all_one_thread_s_find_places():
    every = np.indices((64, 64, 64), np.uint8).reshape(3, -1).T.copy()
    codes = every[part_of(every) == 0][:40_000]
    assert len(codes) == 40_000  # a part has 32,768 places
    assert distinct_places(codes, 4)[0].tolist() == list(range(40_000))


def test_unsigned_and_extreme_integers():
    X = np.array([[2**64 - 1, 0], [2**63, 2**64 - 1], [2**64 - 1, 3]], np.uint64)
    assert encode(X)[0].tolist() == [[1, 0], [0, 2], [1, 1]]
    X = np.array([[-(2**63)], [2**63 - 1], [-(2**63) + 1]])
    codes, categories = encode(X)
    assert codes.tolist() == [[0], [2], [1]]
    assert decode(codes, categories).tolist() == X.tolist()


def test_equal_values_are_one_category_and_text_is_another():
    codes, categories = encode([[True], ["1"], [1.0], [0], [1]])
    assert codes.tolist() == [[1], [2], [1], [0], [1]]
    assert len(categories[0]) == 3
    assert encode(np.array([[0.0], [-0.0]]))[0].tolist() == [[0], [0]]


def test_a_mask_is_never_lost():
    X = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    assert encode(X, missing="category")[0].tolist() == [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match="column 1, row 0"):
        encode(X)
    for dtype in np.uint8, int:
        assert as_codes(np.ma.array(X.data, dtype)).tolist() == X.data.tolist()
        with pytest.raises(ValueError, match="missing values"):
            as_codes(X.astype(dtype), "codes")


@pytest.mark.parametrize(
    "names", [["a", "a"], [0, 1], [("a", 1), ("b", 2)], [3.5, None]]
)
def test_names_may_be_repeated_or_no_strings(names):
    frame = pd.DataFrame([["x", 2], ["y", 1]])
    frame.columns = names
    encoder = CategoryEncoder()
    codes = encoder.fit_transform(frame)
    assert codes.tolist() == [[0, 1], [1, 0]]
    pd.testing.assert_frame_equal(encoder.inverse_transform(codes), frame)


def test_an_unknown_value_has_a_code_of_its_own():
    encoder = CategoryEncoder(handle_unknown="ignore", missing="category").fit(
        [["a", 1], ["b", None]]
    )
    codes = encoder.transform([["c", 7], [None, None], ["b", 1]])
    assert codes.tolist() == [[2, 2], [2, 1], [1, 0]]
    assert encoder.inverse_transform(codes).tolist() == [
        [None, None],
        [None, None],
        ["b", 1],
    ]


def test_a_fit_on_one_kind_of_table_reads_another():
    vehicles = toy_vehicles()
    codes, _ = encode(vehicles)
    for X in (
        vehicles,
        vehicles.to_numpy(),
        vehicles.to_numpy().tolist(),
        vehicles.astype("category"),
        vehicles.astype({"eco": bool}),
    ):
        with (
            pytest.warns(UserWarning, match="feature names")
            if not isinstance(X, pd.DataFrame)
            else nullcontext()
        ):
            np.testing.assert_array_equal(
                CategoryEncoder().fit(vehicles).transform(X), codes
            )


def test_an_encoder_can_be_cloned_pickled_and_fitted_again():
    vehicles = toy_vehicles()
    encoder = CategoryEncoder(missing="category", handle_unknown="ignore").fit(vehicles)
    assert clone(encoder).get_params() == {
        "missing": "category",
        "handle_unknown": "ignore",
    }
    again = pickle.loads(pickle.dumps(encoder))
    pd.testing.assert_frame_equal(
        again.inverse_transform(again.transform(vehicles)),
        vehicles.reset_index(drop=True),
    )
    assert encoder.fit([["a"]]).transform([["a"]]).tolist() == [[0]]
    assert not hasattr(encoder, "feature_names_in_")


@given(
    hnp.arrays(
        hnp.integer_dtypes(endianness="?")
        | hnp.unsigned_integer_dtypes(endianness="?")
        | hnp.boolean_dtypes(),
        (3, 2),
    )
)
@few
def test_integers_are_codes_if_not_negative_and_not_too_large(array):
    if array.min() < 0 or int(array.max()) >= 2**32:
        with pytest.raises(ValueError):
            as_codes(array)
    else:
        codes = as_codes(array)
        assert codes.tolist() == array.tolist()
        assert codes.dtype in (np.uint8, np.uint16, np.uint32)
        assert codes.flags.c_contiguous


# Infinity is a number like any other, and so a category; that NaN is refused is tested
# below.
EXCEPTIONS = [(CategoryEncoder(), "check_estimators_nan_inf")]
# This one looks at nothing unless an environment variable of scipy is set: codes are
# numpy arrays.
NOT_APPLICABLE = ["check_array_api_input"]
# In scikit-learn 1.6 this one fails in itself: it subtracts a float from the whole
# numbers that it makes for categorical input.
if sklearn.__version__.startswith("1.6."):
    NOT_APPLICABLE.append("check_positive_only_tag_during_fit")
CHECKS = [
    (estimator, check)
    for candidate in (
        CategoryEncoder(),
        CategoryEncoder(missing="category", handle_unknown="ignore"),
        CategoryEncoder(missing="ignore"),
    )
    for estimator, check in estimator_checks_generator(candidate)
    if check.func.__name__ not in NOT_APPLICABLE
]


@pytest.mark.parametrize(
    "estimator, check",
    CHECKS,
    ids=lambda x: x.func.__name__ if hasattr(x, "func") else repr(x),
)
def test_scikit_learns_contract(estimator, check):
    if (repr(estimator), check.func.__name__) in [
        (repr(excepted), name) for excepted, name in EXCEPTIONS
    ]:
        with pytest.raises(AssertionError, match="NaN and inf"):
            check(estimator)
    else:
        check(estimator)


def test_codes_of_codes_are_a_copy():
    "Whoever writes into the codes does not write into the table."
    table = np.array([[0, 1], [1, 0]], np.uint8)
    encoder = CategoryEncoder().fit(table)
    for codes in (
        encode(table)[0],
        encoder.transform(table),
        CategoryEncoder().fit_transform(table),
    ):
        assert np.array_equal(codes, table)
        assert not np.shares_memory(codes, table)


def test_the_first_code_that_no_category_has_is_refused():
    assert decode([[1]], [["a", "b"]]).tolist() == [["b"]]
    for missing, code in dict(error=2, category=2, ignore=4).items():
        with pytest.raises(ValueError, match="codes must"):
            decode([[code]], [["a", "b"]], missing)


@pytest.mark.parametrize("row", [0, 4095, 99_999])
@pytest.mark.parametrize("dtype", ["category", "int64", "object", "float64"])
def test_what_comes_late_is_found(row, dtype):
    column = pd.Series(np.arange(100_000) % 3)
    column[row] = 7
    codes, categories = encode(pd.DataFrame({"x": column.astype(dtype)}))
    assert len(categories[0]) == 4
    assert np.flatnonzero(codes[:, 0] == 3).tolist() == [row]
