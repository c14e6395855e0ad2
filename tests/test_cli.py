"""The command as a process, how it reads its options, and `kmodes-study data`."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pandas as pd
import pytest

from kmodes_study import data as sets
from kmodes_study.command import cli

from commands import refused, run

COMMAND = Path(sys.executable).parent / "kmodes-study"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame({"a": list("xxyy") * 5, "b": list("ppqq") * 5})
    table.to_csv("t.csv", index=False)
    return tmp_path


def test_installed_command_exists():
    done = subprocess.run([COMMAND, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom kmodes_study.command.cli import main\nmain(['cluster', "
        "'--help'])\nprint({'pandas', 'sklearn', 'numba', 'scipy', 'jinja2'} & "
        "set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "--id-column" in done.stdout, done.stdout + done.stderr
    assert done.stdout.endswith("set()\n"), done.stdout + done.stderr


def parsed(words):
    "What a command of several names makes of words."
    seen = {}

    @click.command(cls=cli.Command)
    @click.argument("table")
    @cli.names("--drop", "")
    @cli.names("--na", "")
    @click.option("-k")
    def command(**options):
        seen.update(options)

    command.main(words.split(), standalone_mode=False)
    return seen["table"], seen["drop"], seen["na"], seen["k"]


@pytest.mark.parametrize(
    "words, expected",
    [
        ("t.csv --drop a b -k 3", ("t.csv", ("a", "b"), (), "3")),
        ("--drop a -k 3 t.csv", ("t.csv", ("a",), (), "3")),
        ("t.csv --na -9 ? --drop a", ("t.csv", ("a",), ("-9", "?"), None)),
        ("t.csv --drop=-a --drop b --drop c d", ("t.csv", ("-a", *"bcd"), (), None)),
        ("--drop=a - --na ?", ("-", ("a",), ("?",), None)),
    ],
)
def test_options_for_names_take_all_words(words, expected):
    assert parsed(words) == expected


@pytest.mark.parametrize(
    "contains, words",
    [
        ("No such command 'clutser'", "clutser t.csv"),
        ("Missing argument 'TABLE'", "cluster"),
        ("No such option", "cluster t.csv --colour red"),
        ("'--n-clusters'", "cluster t.csv -k 0"),
        ("'--n-init'", "cluster t.csv --n-init 0"),
        ("'--min-share'", "cluster t.csv --min-share 30"),
        ("'--picture'", "choose t.csv --picture p.jpg"),
        ("'--profiles'", "cluster t.csv --profiles p.xls"),
        ("'--report'", "profile t.csv --by a --report r.pdf"),
        ("'--report'", "cluster t.csv --report -"),
        ("'--save'", "cluster t.csv --save m.pkl"),
        ("'--output'", "cluster t.csv -o no/l.csv"),
        ("'--output'", "cluster t.csv -o ."),
        ("--by and --labels", "profile t.csv"),
        ("--by and --labels", "profile t.csv --by a --labels l.csv"),
        ("overwritten", "cluster t.csv -o ./t.csv"),
        ("overwritten", "cluster t.csv -o x --save x"),
        ("overwritten", "cluster t.csv -o - --profiles -"),
    ],
)
def test_what_cannot_work_ends_in_one_line(place, capsys, contains, words):
    before = sorted(place.iterdir())
    refused(capsys, contains, *words.split())
    assert sorted(place.iterdir()) == before


def test_a_full_disk_names_the_file_and_leaves_no_part(place, capsys, monkeypatch):
    def full(self, content):
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", full)
    words = "cluster", "t.csv", "-k", 2, "-o", "l.csv"
    refused(capsys, "No space left", *words, decided=True)
    assert [path.name for path in place.iterdir()] == ["t.csv"]


def test_a_closed_pipe_is_no_error_and_files_are_there(place):
    line = (
        f"'{sys.executable}' -m kmodes_study cluster - -k 2 -o - --save m "
        "--no-diagnosis < t.csv 2> err | true"
    )
    assert subprocess.run(["bash", "-c", line], timeout=60).returncode == 0
    assert (place / "m").exists()
    assert "Broken" not in (place / "err").read_text()
    assert "Traceback" not in (place / "err").read_text()


def test_a_pipe_takes_every_letter_as_utf_8(place):
    "As on Windows, where a pipe has cp1252 if nothing is said."
    (place / "t.csv").write_text("a,b\n" + "Ł,x\n→,y\n" * 6, encoding="utf-8")
    words = [sys.executable, "-m", "kmodes_study", "cluster", "t.csv", "-k", "2"]
    environment = os.environ | {"PYTHONIOENCODING": "cp1252"}
    said = subprocess.run(words, env=environment, capture_output=True).stdout
    assert "→" in said.decode("utf-8") and "Ł" in said.decode("utf-8")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_standard_output_is_one_line():
    words = [sys.executable, "-m", "kmodes_study", "data", "list"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1  # Python has nothing to add at its end
    assert "No space" in done.stderr


ERRORS = {"KeyError 'x'": KeyError("x"), "not enough memory": MemoryError()}


@pytest.mark.parametrize("told", ERRORS)
def test_an_error_of_any_class_is_one_line(place, capsys, monkeypatch, told):
    def stop(*given, **asked):
        raise ERRORS[told]

    monkeypatch.setattr("kmodes_study.command.own_table.cluster", stop)
    refused(capsys, told, "cluster", "t.csv")


def test_interrupted_it_ends_with_130(place, capsys, monkeypatch):
    def stop(*given, **asked):
        raise KeyboardInterrupt

    monkeypatch.setattr("kmodes_study.command.own_table.cluster", stop)
    status, out, err = run(capsys, "cluster", "t.csv")
    assert (status, out, err) == (130, "", "\nkmodes-study: interrupted\n")


def test_sets_are_listed_with_where_they_are(capsys):
    status, out, err = run(capsys, "data", "list")
    assert (status, err) == (0, "")
    assert all(name in out for name in sets.DATASETS)
    assert "computed" in run(capsys, "data", "list", "nursery")[1]
    refused(capsys, "no set mushrom: there are", "data", "list", "mushrom")


def test_fetching_goes_on_where_one_set_cannot_be_had(capsys, monkeypatch):
    def fetch(name):
        if name == "zoo":
            raise OSError("not today")
        return {f"{name}.data": "there"}

    monkeypatch.setattr(sets, "fetch", fetch)
    status, out, err = run(capsys, "data", "fetch", "zoo", "nursery")
    assert status == 1
    assert out.split() == ["nursery", "nursery.data", "there"]
    assert err.split() == ["zoo", "not", "today"]
    assert run(capsys, "data", "fetch", "nursery")[0] == 0
