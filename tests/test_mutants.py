"""The list of faults: a text that is gone is told, and every fault names tests that
there are.
"""

import json
from pathlib import Path

import pytest
from mutants.__main__ import as_page
from mutants.copies import Fault, Outcome, cell_of, check_texts
from mutants.faults import FAULTS, REASONS

TESTS = Path(__file__).parent
ROOT = TESTS.parent


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


def test_every_fault_has_its_place():
    lost = [
        f"{fault.module}: {words}\n    {fault.old}"
        for fault, words in check_texts(ROOT, FAULTS)
    ]
    assert not lost, "\n".join(lost)


def test_every_fault_can_be_put_into_a_notebook():
    for fault in FAULTS:
        text = (ROOT / "kmodes_study" / fault.module).read_text(encoding="utf-8")
        notebook, number = cell_of(text, fault.old)
        cells = json.loads((ROOT / notebook).read_text(encoding="utf-8"))["cells"]
        (cell,) = [cell for cell in cells if cell["id"] == number]
        assert "".join(cell["source"]).count(fault.old) == 1, fault.old


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


def test_a_reason_is_that_of_a_fault():
    assert set(REASONS) <= {(fault.module, fault.new) for fault in FAULTS}
    assert all(REASONS.values())


def test_results_are_a_page_that_names_what_survived():
    faults = [Fault("x.py", "a | b", "a", ()), Fault("x.py", "c", "d", ())]
    tried = zip(faults, [Outcome("noticed", "test_x.py::test_a"), Outcome("survived")])
    page = as_page(list(tried), "1234")
    assert "| x.py | 1 | 2 |" in page
    assert "| x.py | `a \\| b` | `a` | test_x.py::test_a |" in page
    assert "| x.py | `c` | `d` | **survived**: not explained yet |" in page
