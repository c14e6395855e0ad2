"""The command as a process: without data, killed and interrupted in the middle, twice
in one folder, and where its folder cannot be used.
"""

import http.server
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from kmodes_study.data import files as data_files
from kmodes_study.command import cli
from kmodes_study.study.report import Results, read_records, summary

COMMAND = Path(sys.executable).parent / "kmodes-study"


def environment(tmp_path, **more):
    "An environment without raw data: no folder is named, and the cache is empty."
    hidden = {
        "KMODES_STUDY_DATA",
        "KMODES_STUDY_STRICT",
        "KMODES_STUDY_OUTPUT",
        "KMODES_STUDY_SEEDS",
        "KMODES_STUDY_FIRST_SEED",
        "KMODES_STUDY_OFFLINE",
    }
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return {**kept, "XDG_CACHE_HOME": str(tmp_path / "cache"), **more}


def start(tmp_path, output, *options):
    """Start `kmodes-study reproduce` on what needs no file. It hears Ctrl-C, also where
    whoever tests ignores it.
    """
    command = [
        COMMAND,
        "reproduce",
        "--only",
        "wilde2020",
        "--offline",
        "--output",
        output,
        *options,
    ]
    return subprocess.Popen(
        [str(part) for part in command],
        env=environment(tmp_path),
        cwd=tmp_path,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def n_rows(path):
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        try:
            return connection.execute("SELECT count(*) FROM trials").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def at_work(folder):
    """The numbers of the kernels that were told to write into a folder; where the
    system does not tell, none.
    """
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
        except OSError:  # it has ended, or is another user's
            continue
        if f"KMODES_STUDY_OUTPUT={folder}{os.sep}".encode() in environment:
            found.append(int(process.name))
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A reproduction without data and network, from beginning to end, with a part of
    the seeds.
    """
    folder = tmp_path_factory.mktemp("undisturbed")
    process = start(folder, folder / "build", "--seeds", "12")
    out, err = process.communicate(timeout=900)
    return process.returncode, out, err, folder / "build"


def test_without_data_and_network_nursery_is_computed_and_the_rest_waits(undisturbed):
    status, out, err, build = undisturbed
    assert status == 0, out + err
    total = summary(read_records(build / "seeds-12"))
    tables = [f"table_{number}_exact.csv" for number in (5, 9)]
    cells = pd.concat(
        [
            pd.read_csv(build / "seeds-12" / "results" / "wilde2020" / table)
            for table in tables
        ]
    )
    assert len(cells) == 18
    assert not (cells.verdict == "differs").any()
    # it draws nothing: all seeds are alike
    assert set(cells.verdict[cells.init == "cao"]) == {"exact"}
    assert sorted(item["file"].split("/")[0] for item in total["waiting"]) == [
        "breast-cancer-wisconsin",
        "mushroom",
        "soybean-large",
    ]
    assert "12 of 250 runs" in out
    assert "report.html" in out
    came, waits = out.splitlines()[-2:]
    assert came.startswith("From the sets that are computed or at hand: the ")
    assert waits.startswith(
        "3 tables or parts of tables wait for 3 files that are not at hand: `"
    )
    assert waits.endswith(
        "data fetch` fetches what is missing, and the next run uses each file that "
        "came."
    )
    page = (build / "seeds-12" / "report.html").read_text(encoding="utf-8")
    assert came in page.partition("<table")[0]
    assert waits.partition(":")[0] in page.partition("<table")[0]
    for file in (
        "agaricus-lepiota.data",
        "breast-cancer-wisconsin.data",
        "soybean-large.data",
    ):
        assert file not in out
        assert file in page.partition("<main>")[0].partition("<details>")[2]


def test_with_other_seeds_one_table_of_a_copy_comes_to_its_end(tmp_path):
    """Of runs that are not the published ones only those of Cao's start, which draws
    nothing, are called exact.
    """
    shutil.copy(cli.notebooks_folder() / "wilde2020.ipynb", tmp_path / "my_wilde.ipynb")
    done = subprocess.run(
        [COMMAND, "reproduce", "my_wilde.ipynb", "--offline", "--output", "out"]
        + ["--seeds", "1000:1006", "--only-table", "9"],
        env=environment(tmp_path),
        cwd=tmp_path,
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FEWER RUNS my_wilde: 6 of 250 runs" in done.stdout
    results = tmp_path / "out" / "seeds-1000-1006_tables-9" / "results" / "my_wilde"
    assert set(pd.read_csv(results / "runs_legacy.csv").seed) == {*range(1000, 1006)}
    assert not set(pd.read_csv(results / "runs_stable.csv").seed) & set(range(250))
    assert not (results / "table_5_exact.csv").exists()
    cells = pd.read_csv(results / "table_9_exact.csv")
    assert set(cells.init[cells.verdict == "exact"]) == {"cao"}
    others = cells.verdict[cells.init != "cao"]
    assert set(others) <= {"within sampling error", "differs"}


def test_output_is_complete(undisturbed):
    build = undisturbed[3] / "seeds-12"
    names = {path.name for path in (build / "results" / "wilde2020").iterdir()}
    assert {
        "runs_legacy.csv",
        "runs_stable.csv",
        "table_5_exact.csv",
        "table_9_stable.csv",
        "figure_3.svg",
        "figure_7.svg",
        "record.json",
    } <= names
    assert not [path for path in build.rglob("*.part")]
    assert not [path for path in build.iterdir() if path.name.startswith(".work")]
    executed = nbformat.read(build / "notebooks" / "wilde2020.ipynb", 4)
    assert any(cell.get("outputs") for cell in executed.cells)


@pytest.mark.parametrize(
    "number, names",
    [(signal.SIGINT, ["coursework", "wilde2020"]), (signal.SIGTERM, ["wilde2020"])],
)
def test_interrupted_it_says_so_in_one_line_and_keeps_the_rows(tmp_path, number, names):
    build = tmp_path / "build"
    process = start(tmp_path, build, "--only", *names)  # two kernels at once, and one
    deadline = time.time() + 600
    while (
        n_rows(build / "runs.sqlite") < 50
        and process.poll() is None
        and time.time() < deadline
    ):
        time.sleep(0.1)
    assert at_work(build) or not Path("/proc/self").exists()
    process.send_signal(number)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130, out + err
    assert "Traceback" not in err
    assert (
        err.strip()
        .splitlines()[-1]
        .startswith("kmodes-study: interrupted; the rows so far are kept")
    )
    assert at_work(build) == [], "a kernel goes on without the command"
    assert n_rows(build / "runs.sqlite") >= 50
    assert not [path for path in build.iterdir() if path.name.startswith(".work")]


def test_killed_and_started_again_gives_the_same_report(undisturbed, tmp_path):
    build = tmp_path / "build"
    process = start(tmp_path, build, "--seeds", "12")
    deadline = time.time() + 600
    while (
        n_rows(build / "runs.sqlite") < 60
        and process.poll() is None
        and time.time() < deadline
    ):
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it was to be killed in the middle"
    while at_work(build) and time.time() < deadline:
        time.sleep(0.1)
    assert at_work(build) == [], "a kernel goes on without the command"
    left = n_rows(build / "runs.sqlite")
    assert [*(build / "seeds-12").glob(".work-*")], "a killed command cannot tidy up"
    again = start(tmp_path, build, "--seeds", "12")
    out, err = again.communicate(timeout=900)
    assert again.returncode == 0, out + err
    assert not [*(build / "seeds-12").glob(".work-*")]
    assert (
        60
        <= left
        < n_rows(build / "runs.sqlite")
        == n_rows(undisturbed[3] / "runs.sqlite")
    )
    pages = [
        (folder / "seeds-12" / "report.html").read_text(encoding="utf-8")
        for folder in (build, undisturbed[3])
    ]
    # the footer has the time
    first, second = (page.partition('<footer id="provenance">')[0] for page in pages)
    assert first == second


SMALL = """
import pandas as pd
from kmodes_study.study.compare import compare, summarise
from kmodes_study.study.report import Results
results = Results("small", "Small")
runs = pd.DataFrame(dict(dataset="toy", n_clusters=2, init="cao", final_cost=[1, 2, 3]))
printed = pd.DataFrame([dict(dataset="toy", n_clusters=2, init="cao", quantity="final_cost", mean={mean}, sd=1.,
                             decimals_mean=2, decimals_sd=3, n_runs=3)])
results.comparison("only", compare(summarise(runs, quantities=["final_cost"]), printed), must_be_exact=True)
{last}
"""


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A function that makes a folder with one small result notebook the only one, and
    gives the output folder.
    """

    def make(mean=2.0, last="", cells=()):
        new = nbformat.v4
        notebook = new.new_notebook(
            cells=[
                new.new_code_cell(SMALL.format(mean=mean, last=last)),
                *map(new.new_code_cell, cells),
            ]
        )
        nbformat.write(notebook, tmp_path / "small.ipynb")
        monkeypatch.setattr(cli, "notebooks_folder", lambda: tmp_path)
        for name in "OUTPUT", "STORE", "SEEDS":
            monkeypatch.delenv(f"KMODES_STUDY_{name}", raising=False)
        return tmp_path / "build"

    return make


class Here:
    """A worker that executes the cells in this process, for tests of what is made of
    the results: a worker and a kernel take seconds to start.
    """

    stopped = False

    def execute(self, show, path, copy, env, folder):
        book = nbformat.read(path, 4)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            for name, value in env.items():
                patch.setenv(name, value)
            names = {}
            for cell in book.cells:
                exec(cell.source, names)
                show(cells=1)
        nbformat.write(book, copy)
        return ""

    def stop(self):
        "There is no process."

    def wait(self):
        "There is no process."


@pytest.fixture
def small_here(small, monkeypatch):
    "The same, where the cells run in this process."
    monkeypatch.setattr(cli, "Worker", Here)
    return small


@pytest.mark.parametrize(
    "where, mean, last, status",
    [
        ("small_here", 2.0, "", 0),
        ("small_here", 2.01, "", 1),
        ("small", 2.0, "1/0", 1),
    ],
    ids=["exact", "not exact", "stopped"],
)
def test_exit_status(request, capsys, where, mean, last, status):
    small = request.getfixturevalue(where)
    build, before = small(mean, last), dict(os.environ)
    assert cli.main(["reproduce", "--seeds", "3", "--output", str(build)]) == status
    out = capsys.readouterr().out
    assert ("NOT EXACT" in out) == (mean != 2.0)
    assert ("STOPPED    small: ZeroDivisionError: div" in out) == bool(last)
    assert json.loads(
        (build / "seeds-3" / "results" / "small" / "record.json").read_text()
    )["items"][0]["counts"]["exact"] == int(mean == 2.0)
    assert dict(os.environ) == before, "the environment of this process stays as it is"


def test_options_are_parameters_and_reach_the_notebook(small):
    build = small(
        last=(
            "from kmodes_study.study.report import option\n"
            "results.heading(str((option('seeds', 0), option('jobs', 0), "
            "results.store)))"
        )
    )
    assert cli.reproduce(seeds=7, jobs=2, output=build) == 0
    assert read_records(build / "seeds-7")[0]["items"][1]["text"] == str(
        (7, 2, build / "runs.sqlite")
    )


def test_a_dead_kernel_is_a_notebook_that_stopped(small, capsys):
    assert cli.reproduce(output=small(last="import os; os._exit(3)")) == 1
    assert "STOPPED    small: " in capsys.readouterr().out


def test_a_worker_that_is_killed_is_a_notebook_that_stopped(small, tmp_path, capsys):
    "And the next notebook gets a new worker."
    kill = "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"
    build = small(last=kill)
    text = (tmp_path / "small.ipynb").read_text()
    (tmp_path / "after.ipynb").write_text(
        text.replace(kill, "").replace('Results(\\"small\\"', 'Results(\\"after\\"')
    )
    assert cli.reproduce(jobs=1, output=build) == 1
    out = capsys.readouterr().out
    assert (
        "STOPPED    small: the process that executes the notebook has ended with "
        "status -9" in out
    )
    assert (build / "results" / "after" / "only.csv").exists()


def test_what_a_notebook_prints_past_its_cells_is_no_step(small, capfd):
    "A library may write to the standard output of its process."
    noise = 'import os; os.write(1, b\'{"error": "noise"}\\n\')'
    assert cli.reproduce(output=small(last=noise)) == 0
    assert "noise" not in capfd.readouterr().out


def test_results_of_yesterday_do_not_stay(small_here):
    build = small_here(last="results.table('extra', runs)")
    assert cli.reproduce(output=build) == 0
    assert (build / "results" / "small" / "extra.csv").exists()
    small_here()
    assert cli.reproduce(output=build) == 0
    assert not (build / "results" / "small" / "extra.csv").exists()


ONE_PROCESS = """
import sys
from pathlib import Path
from test_cli import Here, cli
cli.notebooks_folder = lambda: Path(sys.argv[1])
cli.Worker = Here
sys.exit(cli.main(sys.argv[2:]))
"""
# Each waits until both are there; then both keep the same rows in the store.
BOTH_RUN = """
import os, time
from pathlib import Path
from kmodes_study.data.synthetic import make_planted_clusters
from kmodes_study.study.report import option
from kmodes_study.study.runs import run_grid, run_keys
Path(f"here-{os.getpid()}").touch()
ended = time.time() + 600
while len([*Path().glob("here-*")]) < 2: assert time.time() < ended; time.sleep(.05)
planted = make_planted_clusters(90, 4, 3, 3, random_state=0).codes
keys = run_keys([("planted", 3)], seeds=range(6 * option("seeds", 25)))
run_grid(keys, {"planted": planted}, results.store, n_jobs=1, progress=False, batch_size=1)
results.table("runs", runs)
"""


def test_two_at_once_in_one_folder(small, tmp_path):
    build = small(last=BOTH_RUN)
    command = [sys.executable, "-c", ONE_PROCESS, tmp_path, "reproduce"]
    settings = environment(tmp_path, PYTHONPATH=str(Path(__file__).parent))
    both = [
        subprocess.Popen(
            [*command, "--seeds", "6", "--output", build],
            env=settings,
            cwd=tmp_path,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    outputs = [process.communicate(timeout=900) for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    results = build / "seeds-6" / "results" / "small"
    assert {path.name for path in results.glob("*.csv")} == {"only.csv", "runs.csv"}
    assert "Small" in (build / "seeds-6" / "report.html").read_text()
    assert not (build / "report.html").exists()
    assert n_rows(build / "runs.sqlite") == 3 * 36
    assert not [*(build / "seeds-6").glob(".work-*")]


def test_folders_of_a_killed_command_are_removed_and_those_at_work_stay(small_here):
    fcntl, build = pytest.importorskip("fcntl"), small_here()
    for name in ".work-killed", ".work-alive":
        (build / name / "results" / "small").mkdir(parents=True)
        (build / name / "results" / "small" / "half.csv").write_text("1")
    with closing(Directory(build / ".work-alive")) as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        assert cli.reproduce(output=build) == 0
        assert [path.name for path in build.glob(".work-*")] == [".work-alive"]
    assert cli.reproduce(output=build) == 0
    assert not [*build.glob(".work-*")]


class Directory:
    "An open folder, to be locked."

    def __init__(self, path):
        self.number = os.open(path, os.O_RDONLY)

    def fileno(self):
        return self.number

    def close(self):
        os.close(self.number)


LOADING = """from kmodes_study import data
from kmodes_study.study.report import option
absent = []
for name in "zoo", "soybean-small", "mushroom":
    try: data.load(name, download=not option("offline", 0))
    except (data.MissingDataError, data.DownloadError): absent.append(name)
results.absent(absent)"""


@pytest.fixture
def archive(monkeypatch, tmp_path):
    """A server in the place of the archive that has nothing; gives the list of what it
    was asked for, and its status.
    """

    class Archive(list):
        status = 503

    asked = Archive()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(asked.status)

        def log_message(self, *args):
            pass

    for name in "DATA", "STRICT", "OFFLINE":
        monkeypatch.delenv(f"KMODES_STUDY_{name}", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / "cache" / name)
    monkeypatch.setattr("kmodes_study.data.files._silent", {})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv(
            "KMODES_STUDY_BASE_URL", f"http://127.0.0.1:{server.server_port}"
        )
        yield asked
        server.shutdown()


def test_an_archive_that_does_not_answer_is_asked_once_in_a_run(
    small_here, tmp_path, archive, capsys
):
    build = small_here(last=LOADING)
    for name in "second", "third":
        text = (tmp_path / "small.ipynb").read_text()
        (tmp_path / f"{name}.ipynb").write_text(
            text.replace('Results(\\"small\\"', f'Results(\\"{name}\\"')
        )
    assert cli.reproduce(output=build) == 0
    assert len(archive) == 1
    out, err = capsys.readouterr()
    assert err.count("The archive does not answer (503") == 1
    assert "this run goes on without the files" in err
    assert out.splitlines()[-2].startswith(
        "From the sets that are computed or at hand: 3 of the 3 published cells"
    )
    assert out.splitlines()[-1].startswith(
        "9 tables or parts of tables wait for 3 files that are not at hand: "
    )


def test_a_run_that_needs_no_file_or_is_offline_asks_for_nothing(
    small_here, archive, monkeypatch
):
    assert cli.reproduce(output=small_here()) == 0
    assert cli.reproduce(output=small_here(last=LOADING), offline=True) == 0
    monkeypatch.setenv("KMODES_STUDY_OFFLINE", "1")
    assert cli.reproduce(output=small_here(last=LOADING)) == 0
    assert archive == []


def test_fetching_says_what_is_missing_and_asks_a_silent_archive_once(archive, capsys):
    assert (
        cli.main(["data", "fetch", "zoo", "nursery", "mushroom", "soybean-small"]) == 1
    )
    out, err = capsys.readouterr()
    assert len(archive) == 1
    assert out.split() == ["nursery", "nursery.data", "computed"]
    assert (
        "3 of 4 files are missing or damaged; 2 of them were not asked for, as the "
        "archive" in err.splitlines()[-1]
    )
    archive.status = 404
    data_files._silent.clear()
    assert cli.main(["data", "fetch", "zoo", "mushroom"]) == 1
    assert len(archive) == 3
    assert capsys.readouterr().err.count("404") == 2


def test_a_corrupt_record_is_named(small_here, capsys):
    build = small_here()
    file = build / "results" / "other" / "record.json"
    said = "other/record.json is no record of a result notebook"
    file.parent.mkdir(parents=True)
    for content in (
        "[]",
        '{"items": [{"kind": "figure", "name": "../../../secret"}]}',
        '{"title": "x"}',
        "{",
    ):
        file.write_text(content)
        with pytest.raises(ValueError) as caught:
            read_records(build)
        assert said in str(caught.value).replace(os.sep, "/")
    assert cli.main(["reproduce", "--output", str(build)]) == 2
    assert said in capsys.readouterr().err.replace(os.sep, "/")


def test_the_bar_moves_while_a_cell_is_at_work(small, tmp_path, monkeypatch):
    """The one cell ends when the bar has been drawn three times since it began, however
    long that takes.
    """
    redrawn = []
    began = tmp_path / "began"
    drawn = tmp_path / "drawn"

    def refresh(*_, **__):
        redrawn.append(began.exists())
        if sum(redrawn) == 3:
            drawn.touch()

    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("tqdm.tqdm.refresh", refresh)
    cell = (
        "import time\nfrom pathlib import Path\nPath({!r}).touch()\nended = "
        "time.time() + 600\nwhile not Path({!r}).exists(): assert time.time() < "
        "ended; time.sleep(.05)"
    )
    assert cli.reproduce(output=small(last=cell.format(str(began), str(drawn)))) == 0


def test_two_notebooks_are_at_work_at_once_and_share_the_threads(small, tmp_path):
    wait = (
        "import time\nfrom pathlib import Path\nfrom kmodes_study.study.report import "
        "option\nPath('{0}').touch()\nended = time.time() + 600\nwhile not "
        "Path('{1}').exists(): assert time.time() < ended; time.sleep(.1)\n"
        "results.heading(str(option('jobs', 0)))"
    )
    build = small(last=wait.format("one", "two"))
    book = nbformat.read(tmp_path / "small.ipynb", 4)
    book.cells[0].source = (
        book.cells[0]
        .source.replace("'two'", "'?'")
        .replace("'one'", "'two'")
        .replace("'?'", "'one'")
        .replace('Results("small"', 'Results("other"')
    )
    nbformat.write(book, tmp_path / "other.ipynb")
    assert cli.reproduce(jobs=4, output=build) == 0
    assert [record["items"][1]["text"] for record in read_records(build)] == ["2", "2"]


def test_an_output_folder_that_cannot_be_used(small_here, capsys, tmp_path):
    build = small_here()
    build.write_text("a file")
    assert cli.main(["reproduce", "--output", str(build)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert f"{build}: this is a file" in err
    assert cli.main(["reproduce", "--output", str(build / "in")]) == 2
    assert (
        f"--output {build / 'in'}: this folder cannot be made"
        in capsys.readouterr().err
    )


def test_a_full_disk_is_one_line(small_here, capsys, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device", str(path))

    build = small_here()
    monkeypatch.setattr("kmodes_study.core.stored.write_whole", full)
    assert cli.main(["reproduce", "--output", str(build)]) == 2
    assert "No space left on device" in capsys.readouterr().err.strip().splitlines()[-1]


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/b", "", ".hidden", None])
def test_names_do_not_leave_the_folder(tmp_path, name):
    results, frame = Results("small", "Small", tmp_path), pd.DataFrame(dict(a=[1]))
    for call in (
        lambda: results.table(name, frame),
        lambda: results.data(name, frame),
        lambda: results.figure(name, None),
        lambda: Results(name, ""),
    ):
        with pytest.raises(ValueError, match="name must be"):
            call()
    assert not list(tmp_path.rglob("*.csv"))


def test_help_is_light():
    code = (
        "import sys; from kmodes_study.command import cli; print([m for m in "
        "('pandas', 'numba', 'nbformat', 'sklearn') if m in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True
        ).stdout.strip()
        == "[]"
    )


def test_only_what_is_missing_is_asked_for(capsys):
    with pytest.raises(SystemExit):
        cli.main(["data"])
    # names of sets may be left out
    assert "required: action\n" in capsys.readouterr().err


def test_installed_command_exists():
    done = subprocess.run([COMMAND, "--version"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.strip()
