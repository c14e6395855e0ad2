"""The command as a process: without data, killed in the middle, and with a cell that must be exact and is not."""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import nbformat
import pytest

from kmodes_study.study import cli
from kmodes_study.study.report import read_records, summary

COMMAND = Path(sys.executable).parent/"kmodes-study"


def environment(tmp_path, **more):
    "An environment without raw data: no folder is named, and the cache is empty."
    hidden = {"KMODES_STUDY_DATA", "KMODES_STUDY_STRICT", "KMODES_STUDY_OUTPUT", "KMODES_STUDY_SEEDS"}
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return {**kept, "XDG_CACHE_HOME": str(tmp_path/"cache"), **more}


def start(tmp_path, output, *options):
    "Start `kmodes-study reproduce` on what needs no file."
    command = [COMMAND, "reproduce", "--only", "wilde2020", "--offline", "--output", output, *options]
    return subprocess.Popen([str(part) for part in command], env=environment(tmp_path), cwd=tmp_path, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def n_rows(path):
    if not path.exists(): return 0
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        try: return connection.execute("SELECT count(*) FROM runs").fetchone()[0]
        except sqlite3.OperationalError: return 0


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    "A reproduction without data and network, from beginning to end."
    folder = tmp_path_factory.mktemp("undisturbed")
    process = start(folder, folder/"build")
    out, err = process.communicate(timeout=900)
    return process.returncode, out, err, folder/"build"


def test_without_data_and_network_nursery_is_exact_and_the_rest_waits(undisturbed):
    status, out, err, build = undisturbed
    assert status == 0, out + err
    total = summary(read_records(build))
    assert total["must_be_exact"] == {"exact": 18, "within sampling error": 0, "differs": 0}
    assert sorted(item["file"].split("/")[0] for item in total["waiting"]) == ["breast-cancer-wisconsin", "mushroom", "soybean-large"]
    for file in "agaricus-lepiota.data", "breast-cancer-wisconsin.data", "soybean-large.data": assert file in out
    assert "18 exact" in out and "report.html" in out


def test_output_is_complete(undisturbed):
    build = undisturbed[3]
    names = {path.name for path in (build/"results"/"wilde2020").iterdir()}
    assert {"runs_legacy.csv", "runs_stable.csv", "table_5_exact.csv", "table_9_stable.csv", "figure_3.png", "figure_7.png", "record.json"} <= names
    assert not [path for path in build.rglob("*.part")]
    executed = nbformat.read(build/"notebooks"/"wilde2020.ipynb", 4)
    assert any(cell.get("outputs") for cell in executed.cells)


def test_killed_and_started_again_gives_the_same_report(undisturbed, tmp_path):
    build = tmp_path/"build"
    process = start(tmp_path, build)
    deadline = time.time() + 600
    while n_rows(build/"runs.sqlite") < 300 and process.poll() is None and time.time() < deadline: time.sleep(.1)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it was to be killed in the middle"
    time.sleep(1)  # the kernel that it started ends when it finds its parent gone
    left = n_rows(build/"runs.sqlite")
    again = start(tmp_path, build)
    out, err = again.communicate(timeout=900)
    assert again.returncode == 0, out + err
    assert 300 <= left < n_rows(build/"runs.sqlite") == n_rows(undisturbed[3]/"runs.sqlite")
    assert (build/"report.html").read_bytes() == (undisturbed[3]/"report.html").read_bytes()


SMALL = """
import pandas as pd
from kmodes_study.study.compare import compare, summarise
from kmodes_study.study.report import Results
results = Results("small", "Small")
runs = pd.DataFrame(dict(dataset="toy", n_clusters=2, init="cao", final_cost=[1, 2, 3]))
printed = pd.DataFrame([dict(dataset="toy", n_clusters=2, init="cao", quantity="final_cost", mean={mean}, sd=1., decimals_mean=2, decimals_sd=3)])
results.comparison("only", compare(summarise(runs, quantities=["final_cost"]), printed), must_be_exact=True)
{last}
"""


@pytest.mark.parametrize("mean, last, status", [(2., "", 0), (2.01, "", 1), (2., "1/0", 1)], ids=["exact", "not exact", "stopped"])
def test_exit_status(tmp_path, monkeypatch, capsys, mean, last, status):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SMALL.format(mean=mean, last=last))])
    nbformat.write(notebook, tmp_path/"small.ipynb")
    monkeypatch.setattr(cli, "notebooks_folder", lambda: tmp_path)
    for name in list(os.environ):
        if name.startswith("KMODES_STUDY_"): monkeypatch.setenv(name, os.environ[name])  # put back afterwards
    for name in "OUTPUT", "PROGRESS", "SEEDS", "JOBS", "OFFLINE": monkeypatch.setenv(f"KMODES_STUDY_{name}", "")
    assert cli.main(["reproduce", "--output", str(tmp_path/"build")]) == status
    out = capsys.readouterr().out
    assert ("NOT EXACT" in out) == (mean != 2.) and ("STOPPED" in out) == bool(last)
    assert json.loads((tmp_path/"build"/"results"/"small"/"record.json").read_text())["items"][0]["counts"]["exact"] == int(mean == 2.)


def test_installed_command_exists():
    done = subprocess.run([COMMAND, "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip()
