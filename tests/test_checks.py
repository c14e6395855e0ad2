"""Errors that know the arguments that they speak of: told in other names, under another
name, and in another process.
"""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from kmodes_study import CategoryEncoder, KModes
from kmodes_study.core.checks import (
    Argument,
    ArgumentError,
    Wording,
    check_number,
    check_option,
    check_sample_weight,
    check_whole,
)
from kmodes_study.describe.choice_of_k import k_scan

ROWS = [["a", "X must"], ["b", "missing='ignore'"], ["a", "missing='ignore'"]]


def refusal(function, *arguments, **options):
    "The ArgumentError of a call."
    with pytest.raises(ArgumentError) as caught:
        function(*arguments, **options)
    return caught.value


@pytest.mark.parametrize(
    "argument, error",
    [
        ("k", lambda: refusal(check_whole, "k", 0)),
        ("tol", lambda: refusal(check_number, "tol", "much")),
        ("init", lambda: refusal(check_option, "init", "kao", ("cao", "huang"))),
        ("X", lambda: refusal(KModes(1).fit, [["a"], [None]])),
        ("X", lambda: refusal(KModes(1).fit, np.array([[1j], [2j]]))),
        ("X", lambda: refusal(KModes(1, missing="ignore").fit, [[None], [None]])),
        ("init", lambda: refusal(KModes(1, init=[["new", "X must"]]).fit, ROWS)),
        ("init", lambda: refusal(KModes(1, init=[[None, "X must"]]).fit, ROWS)),
        ("n_clusters", lambda: refusal(k_scan, ROWS, n_clusters=4)),
    ],
)
def test_an_error_names_the_argument_of_the_one_who_called(argument, error):
    error = error()
    assert error.argument == argument
    assert argument in str(error).partition(" must")[0]


def test_only_arguments_are_told_in_other_names():
    "A category that reads like an argument stays as it is."
    encoder = CategoryEncoder().fit(ROWS)
    error = refusal(encoder.transform, [["a", "X must: handle_unknown='ignore'"]])
    assert str(error) == (
        """X must hold categories that were seen in fit, got "X must: handle_unknown='ignore'" in """
        "column 1: handle_unknown='ignore' gives such values a code of their own"
    )
    told = error.wording.told(lambda argument: f"<{argument.name}>")
    assert told == str(error).replace("X must", "<X> must", 1).replace(
        "column 1: handle_unknown='ignore'", "column 1: <handle_unknown>"
    )
    renamed = str(error.renamed(X="init"))
    assert renamed == "init" + str(error).removeprefix("X")


def test_an_argument_is_written_as_python_has_it():
    assert [
        str(Argument("k")),
        str(Argument("k", 3)),
        str(Argument("missing", "ignore")),
    ] == ["k", "k=3", "missing='ignore'"]
    assert str(Argument("columns", ...)) == "columns=[...]"


def test_an_error_and_a_text_survive_a_process():
    error = refusal(KModes(1).fit, [["a"], [None]])
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is ArgumentError
    assert str(again) == str(error)
    assert again.wording.parts == error.wording.parts
    assert again.argument == "X"


def test_a_warning_is_a_string_that_can_be_told():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        KModes(3).fit(pd.DataFrame([["a", "b"], ["c", "d"], ["a", "b"]]))
    (text,) = [
        warning.message.args[0]
        for warning in caught
        if "distinct rows" in str(warning.message)
    ]
    assert isinstance(text, Wording)
    assert (
        text
        == "X has 2 distinct rows, fewer than n_clusters=3: these rows are the modes"
    )
    assert (
        text.told(lambda argument: f"-k {argument.value}").count(
            "fewer than -k 3: these"
        )
        == 1
    )


def test_a_limit_that_must_be_passed_is_no_number_itself():
    assert check_number("max_time", 1e-300, strict=True) == 1e-300
    assert check_number("max_time", 0) == 0
    with pytest.raises(ValueError, match="max_time must be .* above 0, got 0"):
        check_number("max_time", 0, strict=True)


def test_weights_a_little_below_zero_and_sums_beyond_the_types():
    assert check_sample_weight([0, 2**59], 2, 4).sum() == 2**59
    with pytest.raises(ValueError, match="sample_weight must"):
        check_sample_weight([-0.5, 1], 2)
    with pytest.raises(ValueError, match="sample_weight"):
        check_sample_weight([2**60, 2**30], 2, 4)
