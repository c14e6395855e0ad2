"""The list of faults: a text that is gone is told, and every fault names tests that
there are.
"""

from pathlib import Path

import pytest
from mutants.copies import Fault, check_texts
from mutants.faults import FAULTS

TESTS = Path(__file__).parent


@pytest.mark.parametrize(
    "module, old, words",
    [
        ("x.py", "a = 1", ""),
        (
            "x.py",
            "b = 2",
            "must be there once, it is 0 times: mend tests/mutants/faults.py",
        ),
        ("x.py", "a", "it is 2 times"),
        ("y.py", "a = 1", "there is no such module"),
    ],
)
def test_a_text_that_is_not_there_once_is_told(tmp_path, module, old, words):
    (tmp_path / "kmodes_study").mkdir()
    (tmp_path / "kmodes_study" / "x.py").write_text("a = 1\nc = a\n")
    lost = check_texts(tmp_path, [Fault(module, old, "", ())])
    assert bool(lost) == bool(words)
    assert all(words in told for _, told in lost)


def test_faults_differ_and_have_tests_that_there_are():
    assert (
        len({(fault.module, fault.old, fault.new) for fault in FAULTS})
        == len(FAULTS)
        >= 200
    )
    assert all(fault.old != fault.new and fault.tests for fault in FAULTS)
    assert all(
        (TESTS / name.partition("::")[0]).exists()
        for fault in FAULTS
        for name in fault.tests
    )
