"""The generated calls: the same number is the same case, what is wrong is seen, and a
few of them are right.
"""

import inspect
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from fuzz import judge as judging
from fuzz.families import FAMILIES
from fuzz.judge import GOOD, case_of, judge, refusal
from fuzz.targets import NOT_DRAWN, Target, targets
from fuzz.trial import Trial, judged
from fuzz.truth import TRUTH

matplotlib.use("Agg")


def planted(monkeypatch, call):
    "The verdict on case 0 when this function is the only one."
    known = Target(
        "rand_score",
        call,
        {"labels_true": (lambda problem: problem.labels, True)},
        {"labels_true": None},
    )
    monkeypatch.setattr(judging, "_targets", lambda: [known])
    return [judge(0, number).outcome for number in range(20)]


def test_a_number_is_a_case():
    for number in range(0, 200, 7):
        assert repr(case_of(3, number)[:3:2]) == repr(case_of(3, number)[:3:2])
    assert repr(case_of(3, 7).good) != repr(case_of(4, 7).good)


def scribble(labels_true):
    "A function that changes what it was given."
    labels_true[...] = 0


@pytest.mark.parametrize(
    "call, outcome",
    [
        (lambda labels_true: 0.1234, "wrong result"),
        (lambda labels_true: {}["x"], "wrong class"),
        (lambda labels_true: int("x"), "unnamed"),
        (lambda labels_true: np.empty(2**50), "blow-up"),
        (scribble, "wrong result"),
    ],
)
def test_what_is_wrong_is_seen(monkeypatch, call, outcome):
    monkeypatch.setitem(
        TRUTH,
        "rand_score",
        lambda result, **good: TRUTH["adjusted_rand_score"](
            result=result,
            labels_true=good["labels_true"],
            labels_pred=good["labels_true"],
        ),
    )
    assert outcome in planted(monkeypatch, call)


def test_another_result_in_another_spelling_is_wrong(monkeypatch):
    monkeypatch.delitem(TRUTH, "rand_score")
    assert "wrong result" in planted(
        monkeypatch, lambda labels_true: float(hasattr(labels_true, "strides"))
    )


def test_a_check_takes_all_that_a_call_is_given():
    for target in targets()[0]:
        taken = {*target.draws} | {"missing_codes"} & {*target.parameters}
        if target.name in TRUTH:
            inspect.signature(TRUTH[target.name]).bind(
                result=None, **dict.fromkeys(taken)
            )


def test_an_error_must_name_the_spoilt_argument():
    case = next(
        case
        for case in (case_of(0, number) for number in range(999))
        if case.change.startswith("spoilt")
        and case.target.name == "KModes"
        and case.name == "n_clusters"
    )
    assert refusal(case, ValueError("n_clusters must be"))[0] == "refused"
    assert refusal(case, ValueError("something is wrong"))[0] == "unnamed"


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "calls"])
def test_files_and_command_lines_are_right_or_refused_by_name(family):
    verdicts = [FAMILIES[family](0, number) for number in range(25)]
    assert [verdict for verdict in verdicts if verdict.outcome not in GOOD] == []
    assert {"right", "refused"} <= {verdict.outcome for verdict in verdicts}


def fails(error):
    "A function that leaves a file behind, and fails."

    def run():
        Path("half").write_text("")
        raise error

    return run


@pytest.mark.parametrize(
    "trial, outcome",
    [
        (Trial("", lambda: 1, refused=True), "wrong result"),
        (Trial("", lambda: int("x"), names=("number",)), "unnamed"),
        (Trial("", lambda: {}["x"], names=("x",)), "wrong class"),
        (Trial("", fails(ValueError("x")), names=("x",)), "half-written"),
        (Trial("", lambda: int("x"), good=True), "wrong result"),
        (Trial("", lambda: 1, lambda one: {}[one]), "wrong class"),
    ],
)
def test_what_is_wrong_with_files_is_seen(trial, outcome):
    assert judged("planted", lambda rng, folder: trial, 0, 0).outcome == outcome


def test_most_public_functions_are_called():
    found, without = targets()
    assert len(found) > 120
    assert {"KModes", "otqt", "silhouette_score", "hamming_distances"} <= {
        t.name for t in found
    }
    listed = [name for names in NOT_DRAWN.values() for name in names.split()]
    assert sorted(without) == sorted(listed), (
        "arguments that tests/fuzz/draw.py does not know, and targets.py not list"
    )


def test_spoilt_calls_of_each_function_are_refused_or_right():
    spoilt = [
        number
        for number in range(600)
        if case_of(0, number).change.startswith("spoilt")
    ][:120]
    assert [
        verdict
        for verdict in (judge(0, number) for number in spoilt)
        if verdict.outcome not in GOOD
    ] == []
