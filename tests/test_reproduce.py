"""`kmodes-study reproduce` runs result notebooks and changed copies: any seeds, one table,
rows that are kept; `runs` shows the rows of experiments. What may be called exact.
"""

import ast
import json
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import nbformat
import numpy as np
import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from kmodes_study.command import reproduce as command
from kmodes_study.command import cli
from kmodes_study.study import experiment
from kmodes_study.study.compare import QUOTED, compare, summarise
from kmodes_study.study.parameters import parameters_of, some_of
from kmodes_study.study.protocols import notebooks_folder
from kmodes_study.study.published import published

from test_book import GIVEN, uncomputed

RESULTS = notebooks_folder()
PARAMETERS = """n_seeds = option("seeds", 5)  # runs
first_seed = option("first_seed", 0)
only_tables = ()
start = "cao"
share = 0.5
download = not option("offline", 0)
recompute = bool(option("recompute", 0))"""
TOLD = """results = Results("kept_under_its_own_name", "A small one")
results.heading(repr((n_seeds, first_seed, only_tables, start, share)))"""
STOPS = TOLD + "\nresults.heading(no_such_name)"


ONE_AT_A_TIME = threading.Lock()


def execute(book, name, folder, environment, running):
    "The cells run in this process, where their outputs are kept; a kernel takes seconds."
    with (
        ONE_AT_A_TIME,
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),
    ):
        # a shell puts its own module there
        patch.setitem(sys.modules, "__main__", sys.modules["__main__"])
        InteractiveShell.clear_instance()
        shell, displayed = InteractiveShell.instance(), {}
        shell.history_manager.enabled = False
        for key, value in environment.items():
            patch.setenv(key, value)
        for cell in book.cells:
            if cell.cell_type != "code":
                continue
            with capture_output() as captured:
                shell.display_trap.hook = sys.displayhook
                ended = shell.run_cell(cell.source)
            cell.outputs = [nbformat.v4.new_output("stream", text=captured.stdout)]
            for one in captured.outputs:
                key = (one.transient or {}).get("display_id")
                if one.update:
                    displayed[key].data = one.data
                else:
                    cell.outputs.append(
                        nbformat.v4.new_output("display_data", one.data)
                    )
                    displayed[key] = cell.outputs[-1]
            error = ended.error_before_exec or ended.error_in_exec
            if error:
                return f"{type(error).__name__}: {error}"
    return ""


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setattr(command, "_executed", execute)
    yield
    InteractiveShell.clear_instance()


@pytest.fixture
def own(tmp_path, monkeypatch):
    "A function that writes a notebook with these cells, the first one tagged."
    for name in "OUTPUT", "STORE", "SEEDS", "FIRST_SEED", "RECOMPUTE", "OFFLINE":
        monkeypatch.delenv(f"KMODES_STUDY_{name}", raising=False)

    def write(*sources, name="my copy", parameters=PARAMETERS):
        first = "from kmodes_study.study.report import Results, option"
        texts = first, parameters, *sources
        cells = [nbformat.v4.new_code_cell(text) for text in texts]
        cells[1].metadata["tags"] = ["parameters"]
        path = tmp_path / f"{name}.ipynb"
        nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
        return str(path)

    return write


def said(*words, status=0):
    "What the command says."
    with redirect_stdout(StringIO()) as text, redirect_stderr(text):
        ended = cli.main(words)
    assert ended == status, text.getvalue()
    return text.getvalue()


def asked(*words, status=0):
    "What the command says that runs notebooks."
    return said("reproduce", *words, status=status)


def told(folder, name="my_copy"):
    "What a notebook has told of its settings."
    record = json.loads((folder / "results" / name / "record.json").read_text())
    return ast.literal_eval(record["items"][0]["text"])


def test_settings_reach_a_copy_whatever_stands_in_its_cell(own, here, tmp_path):
    path = own(TOLD, parameters=PARAMETERS.replace('option("seeds", 5)', "7"))
    words = [path, "-p", "start=huang", "--seeds", "1000:1050", "-p", "share=1"]
    words += ["--output", str(tmp_path), "--only-table"]
    text = asked(*words, "3", "b")
    place = tmp_path / "seeds-1000-1050_tables-3-b_start-huang_share-1"
    assert str(place / "report.html") in text
    assert told(place) == (50, 1000, (3, "b"), "huang", 1)
    run = json.loads((place / "results" / "my_copy" / "run.json").read_text())
    assert run["seeds"] == "1000:1050"
    assert run["parameters"] == dict(
        n_seeds="50",
        first_seed="1000",
        only_tables="(3, 'b')",
        start="'huang'",
        share="1",
        download="True",
        recompute="False",
    )
    executed = nbformat.read(place / "notebooks" / "my_copy.ipynb", 4)
    tags = [cell.metadata.get("tags") for cell in executed.cells]
    assert tags.index(["injected-parameters"]) == tags.index(["parameters"]) + 1
    asked(*words, "5", "--only-table", "6")
    assert told(tmp_path / place.name.replace("3-b", "5-6"))[2] == (5, 6)
    asked(path, "--output", str(tmp_path))
    assert told(tmp_path) == (7, 0, (), "cao", 0.5)


@pytest.mark.parametrize(
    "words, named",
    [
        (["-p", "n_seds=3"], "n_seds"),
        (["--seeds", "5:5"], "seeds"),
        (["--renew", "--seeds", "5"], "--renew"),
        (["no_such_notebook"], "no_such_notebook"),
    ],
)
def test_what_cannot_be_set_is_refused_before_anything_runs(own, words, named):
    assert named in asked(own("x = no_such_name"), *words, status=2)


def test_a_notebook_that_stops_leaves_its_earlier_results(own, here, tmp_path):
    words = own(TOLD), "--output", str(tmp_path)
    asked(*words)
    own(STOPS.replace("repr((", "repr((0, "))
    text = asked(*words, status=1)
    assert re.search("STOPPED    my_copy: NameError.*no_such_name", text)
    assert told(tmp_path) == (5, 0, (), "cao", 0.5)
    assert "no_such_name" in (tmp_path / "notebooks" / "my_copy.ipynb").read_text()
    for source in "x = 1", f"{TOLD}\nResults('second', 'Another').heading('two')":
        own(source)
        assert "it has recorded" in asked(*words, status=1)


def test_a_copy_of_a_result_notebook_has_a_name_of_its_own(own, here, tmp_path):
    words = own(TOLD, name="ng2007"), own(TOLD, name="other")
    asked(*words, "--output", str(tmp_path))
    made = sorted(path.name for path in (tmp_path / "results").iterdir())
    assert made == ["ng2007-copy", "other"]
    name, path = "ng2007", RESULTS / "ng2007.ipynb"
    assert command._notebook(name) == command._notebook(str(path)) == (path, name)


def test_kept_rows_are_renewed_by_their_own_command_only(
    own, here, tmp_path, monkeypatch
):
    monkeypatch.setattr(command, "notebooks_folder", lambda: tmp_path)
    kept, output = tmp_path / "rows.json", tmp_path / "out"
    kept.write_text("[]")
    keeping = 'if recompute:\n    results.keep("rows.json", "[1]")'
    own(TOLD, keeping, name="small")
    asked("small", "-p", "recompute=True", "--output", str(output))
    assert kept.read_text() == "[]"
    (new,) = output.glob("recompute-True/results/small/kept/rows.json")
    assert new.read_text() == "[1]"
    assert f"renewed    {kept}" in asked("--renew", "small", "--output", str(output))
    assert kept.read_text() == "[1]"
    own(TOLD, name="small")
    text = asked("--renew", "small", "--output", str(output), status=1)
    assert "nothing renewed" in text
    own(TOLD, keeping.replace("[1]", "[2]"), "no_such_name", name="small")
    asked("--renew", "small", "--output", str(output), status=1)
    assert kept.read_text() == "[1]"


def test_a_kernel_executes_and_an_interrupt_stops_it(own, tmp_path):
    "In a process: the executed copy, the bar, and no kernel that is left."
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    )
    code += "from kmodes_study.command.cli import main; sys.exit(main())"
    begun, made = tmp_path / "begun", tmp_path / "results" / "my_copy"
    sleeps = f"import os, time\nopen({str(begun)!r}, 'w').write(str(os.getpid()))"
    paths = [own(TOLD, "import os\nprint(os.getcwd(), 6 * 7)")]
    paths += [own(TOLD, f"{sleeps}\ntime.sleep(600)", name="long")]
    words = [sys.executable, "-c", code, "reproduce", "--output", str(tmp_path)]
    running = subprocess.Popen([*words, *paths], stderr=subprocess.PIPE, text=True)
    while not (made.exists() and begun.exists() and begun.read_text()):
        assert running.poll() is None, running.stderr.read()
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    _, shown = running.communicate(timeout=120)
    assert running.returncode != 0
    assert "100%" in shown and "my_copy" in shown
    executed = nbformat.read(tmp_path / "notebooks" / "my_copy.ipynb", 4)
    assert executed.cells[-1].outputs[0].text == f"{tmp_path} 42\n"
    state = subprocess.run(
        ["ps", "-o", "stat=", begun.read_text()], capture_output=True
    )
    assert state.stdout.strip() in (b"", b"Z")
    assert not (tmp_path / "results" / "long").exists()


def test_the_command_lists_and_exports_kept_rows(tmp_path, monkeypatch):
    monkeypatch.setenv("KMODES_STUDY_STORE", str(tmp_path / "one.sqlite"))
    table = np.random.RandomState(0).randint(3, size=(30, 4))
    experiment({"mine": table}, [2, 3], seeds=2, starts="random", progress=False)

    assert said("runs", "list").count("mine") == 2
    assert said("runs", "list", "--where", "n_clusters=2").count("mine") == 1
    file = str(tmp_path / "rows.csv")
    assert "2 rows" in said("runs", "export", file, "--where", "seed=1")
    assert set(pd.read_csv(file).seed) == {1}
    said("runs", "list", "--store", str(tmp_path / "absent.sqlite"), status=2)


def test_what_is_asked_for_comes_in_the_order_in_which_it_is_known():
    assert some_of("x", (), "abc") == ["a", "b", "c"]
    assert some_of("x", ("c", "a"), "abc") == ["a", "c"]
    with pytest.raises(ValueError, match="x has 'd'"):
        some_of("x", "d", "abc")


# --------------------------------------------------------- what stands in the notebooks

NAMES = [path.stem for path in sorted(RESULTS.glob("*.ipynb"))]


@pytest.mark.parametrize("name", NAMES)
def test_settings_stand_in_one_cell_and_an_example_shows_how_they_are_set(name):
    book = nbformat.read(RESULTS / f"{name}.ipynb", as_version=4)
    assert parameters_of(book), "a cell tagged 'parameters'"
    code = [cell.source for cell in book.cells if cell.cell_type == "code"]
    tagged = [cell.metadata.get("tags") == ["parameters"] for cell in book.cells]
    (cell,) = [cell.source for cell, is_it in zip(book.cells, tagged) if is_it]
    assert {type(line) for line in ast.parse(cell).body} == {ast.Assign}
    after = "\n".join(code[code.index(cell) + 1 :]).replace("set_option(", "")
    assert "option(" not in after
    texts = "\n".join(c.source for c in book.cells if c.cell_type == "markdown")
    words = shlex.split(re.search(f"`kmodes-study (reproduce {name}[^`]*)`", texts)[1])
    given = cli.reproduce.make_context("reproduce", words[1:]).params
    names = "notebooks", "parameters", "seeds", "only_table"
    assert command._asked(*(given[each] for each in names))


# ---------------------------------------------------------------- what is called exact


@pytest.mark.parametrize("status", ["M", "MC", "S", "D", "R", "RC"])
def test_a_figure_that_nobody_has_read_is_never_exact(status):
    runs = pd.DataFrame(
        dict(dataset="toy", n_clusters=2, init="cao", final_cost=[1, 2, 3])
    )
    cell = dict(dataset="toy", n_clusters=2, init="cao", quantity="final_cost")
    cell |= dict(mean=2.0, sd=1.0, decimals_mean=2, decimals_sd=3, n_runs=3)
    printed = pd.DataFrame([cell | dict(status=status)])
    found = compare(summarise(runs, quantities=["final_cost"]), printed)
    read = status in ("D", "R", "RC")
    assert list(found.verdict) == ["exact" if read else QUOTED]


def test_every_figure_of_four_papers_is_quoted():
    frame = published()
    quoted = frame[frame.source.isin(["cao2009", "huang1998", "khan2013", "rock"])]
    assert set(quoted.status) <= {"M", "MC"}


# a change of each page's settings that tries most: seeds, fewer sets, another k
SMALL = "first_seed=5000; only_sets=('soybean-small', 'zoo'); k={'zoo': 5}"
OTHERS = dict.fromkeys(("cao2009", "dorman2021", "khan2013", "ng2007"), SMALL)
OTHERS |= dict.fromkeys(("draft2018", "sun2002"), "first_seed=5000; n_seeds=2")
OTHERS |= dict(
    coursework="first_seed=5000; n_seeds=20",
    evolution="recompute=True; n_generations=2; size=10; search_seeds=(3,); n_rows=20, 40",
    how_many="largest=5; n_again=1",
    huang1998="first_seed=5000; only_sets=('soybean-small', 'crx', 'zoo')",
    lecture_notes="first_seed=5000; n_rows=150; n_permutations=49",
    rock="theta_votes=0.8; theta_mushroom=0.85",
    wilde2020="first_seed=5000; only_sets=('soybean-large',)",
    which_initialisation="only_problems=('zoo, 7', 'planted-0', 'planted-1')",
)


@pytest.mark.minute
@pytest.mark.parametrize("page", OTHERS)
def test_pages_follow_their_settings(page, here, tmp_path, monkeypatch):
    """With other settings another first screen is made, and no number in the prose is
    one that the cells do not show any more.
    """
    monkeypatch.setenv("KMODES_STUDY_SEEDS", "8")
    words = [word for each in OTHERS[page].split("; ") for word in ("-p", each)]
    if "wait for the files" in asked(page, *words, "--output", str(tmp_path)):
        pytest.skip("the raw files are not at hand")
    (path,) = tmp_path.rglob(f"{page}.ipynb")
    cells, screens = nbformat.read(path, 4).cells, []
    for book in nbformat.read(RESULTS / path.name, 4).cells, cells:
        (cell,) = [c for c in book if 'display_id="first-screen"' in c.source]
        screens.append(cell.outputs[-1].data["text/markdown"])
    assert len({*screens}) == 2
    assert len(screens[1]) > 100 and "nan" not in screens[1]
    for cell in cells:  # hidden cells and exercises are about the kept settings
        hidden = cell.source.startswith("#| hide")
        cell.source = "" if hidden else cell.source.partition("## Exercises")[0]
    assert uncomputed(cells, GIVEN.get(page, ())) == []
