"""The benchmark runs, and the freeze says what differs."""

import json
import subprocess
import sys
from pathlib import Path

from bench import freeze

ROOT = Path(__file__).resolve().parent.parent


def test_a_row_of_the_benchmark_is_measured_in_turns(tmp_path):
    command = [sys.executable, "-m", "bench", "--only", "adjusted mutual"]
    subprocess.run([*command, "--output", tmp_path], cwd=ROOT, check=True)
    record = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    (row,) = record["rows"]
    assert row["same"] is True
    assert row["ratio"] > 0 and row["repeat"] >= 3
    assert {"processor", "cores", "versions", "date"} <= {*record["machine"]}


def test_the_freeze_says_what_differs(capsys):
    before = dict(digests={"a": 1, "b": 2}, kept=["equal", "equal"])
    assert freeze.compare(before, before) == 0
    now = dict(digests={"a": 1, "b": 3, "c": 4}, kept=["equal", "differs"])
    assert freeze.compare(before, now) == 3
    told = capsys.readouterr().out
    assert "digests: b: 2 before, 3 now" in told
    assert told.endswith("NOT EQUAL\n")
