"""An experiment of one's own with a result notebook: any copy, any seeds, one table,
rows that are kept, and what may be called exact.
"""

import ast
import json
import re
import shlex
import shutil

import nbformat
import numpy as np
import pandas as pd
import pytest

from kmodes_study.command import cli
from kmodes_study.data.loaders import load
from kmodes_study.study.compare import QUOTED, compare, require_exact, summarise
from kmodes_study.study.page import conclusion
from kmodes_study.study.parameters import parameters_of, read_notebook
from kmodes_study.study.published import published
from kmodes_study.study.report import Results, read_records, summary
from kmodes_study.study.workers import Worker
from test_cli import Here

RESULTS = cli.notebooks_folder()

PARAMETERS = """n_seeds = option("seeds", 5)  # runs
first_seed = option("first_seed", 0)
only_tables = ()
start = "cao"
share = 0.5
recompute = bool(option("recompute", 0))"""

TOLD = """results = Results("kept_under_its_own_name", "A small one")
results.heading(repr((n_seeds, first_seed, only_tables, start, share)))"""


@pytest.fixture
def here(monkeypatch):
    "The cells run in this process; a worker and a kernel take seconds to start."
    monkeypatch.setattr(cli, "Worker", Here)


@pytest.fixture
def own(tmp_path, monkeypatch):
    "A function that writes a notebook with these cells, the first one tagged."
    for name in "OUTPUT", "STORE", "SEEDS", "FIRST_SEED", "RECOMPUTE":
        monkeypatch.delenv(f"KMODES_STUDY_{name}", raising=False)

    def write(*sources, name="my copy", parameters=PARAMETERS, folder=tmp_path):
        new = nbformat.v4
        first = "from kmodes_study.study.report import Results, option"
        cells = [new.new_code_cell(text) for text in (first, parameters, *sources)]
        cells[1].metadata["tags"] = ["parameters"]
        path = folder / f"{name}.ipynb"
        nbformat.write(new.new_notebook(cells=cells), path)
        return path

    return write


def told(folder):
    "What the one record in a folder says."
    (record,) = read_records(folder)
    return ast.literal_eval(record["items"][0]["text"])


def test_a_copy_anywhere_is_run_and_its_results_are_found(own, tmp_path, capsys):
    "Under the name of the file, whatever the copy calls its record."
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    here = "from pathlib import Path\nPath('here.txt').touch()"
    path = own(here, TOLD, folder=folder)
    before = path.read_bytes()
    out = tmp_path / "out"
    assert cli.main(["reproduce", str(path), "--output", str(out)]) == 0
    assert (folder / "here.txt").exists(), "it runs where it lies"
    assert path.read_bytes() == before
    assert told(out) == (5, 0, (), "cao", 0.5)
    assert (out / "results" / "my_copy" / "record.json").exists()
    assert (out / "notebooks" / "my_copy.ipynb").exists()
    assert "A small one (my_copy)" in (out / "report.html").read_text()
    made = json.loads((out / "results" / "my_copy" / "run.json").read_text())
    asked = shlex.split(made["command"])
    assert asked == ["kmodes-study", "reproduce", str(path), "--output", str(out)]
    assert made["notebook"] == str(path)


def test_what_is_changed_in_the_notebook_itself_is_noted(own, here, tmp_path):
    "The note said `as published` for a hundred of six hundred seeds."
    changed = PARAMETERS.replace('option("seeds", 5)', "100") + "\nhalf = n_seeds // 2"
    path = own(TOLD, parameters=changed)
    made = {}
    for command in [], ["-p", "n_seeds=7"], ["-p", "first_seed=3"], ["--seeds", "4"]:
        output = tmp_path / f"out{len(made)}"
        done = ["reproduce", str(path), "--output", str(output), *command]
        assert cli.main(done) == 0
        (run,) = output.rglob("run.json")
        made[tuple(command)] = json.loads(run.read_text())
    seeds = [run["seeds"] for run in made.values()]
    assert seeds == ["as in the notebook", "7", "from 3 on", "4"]
    numbers = [run["parameters"]["n_seeds"] for run in made.values()]
    assert numbers == ["100", "7", "100", "4"]
    assert made[()]["parameters"]["half"] == "n_seeds // 2"
    assert "my_copy" in (tmp_path / "out0" / "report.html").read_text()
    page = (tmp_path / "out0" / "report.html").read_text()
    assert "n_seeds = 100, first_seed = 0" in page.partition("With which param")[2]


def test_a_copy_elsewhere_does_not_take_the_place_of_an_earlier_one(
    own, here, tmp_path, capsys
):
    "Its results vanished without a word."
    other = tmp_path / "other"
    other.mkdir()
    output = ["--output", str(tmp_path / "out")]
    first = own(TOLD)
    second = own(TOLD, TOLD.replace("under", "two"), "1 / 0", folder=other)
    assert cli.main(["reproduce", str(first), *output]) == 0
    note = tmp_path / "out" / "results" / "my_copy" / "run.json"
    before = note.read_bytes()
    capsys.readouterr()
    assert cli.main(["reproduce", str(second), *output]) == 2
    said = capsys.readouterr().err
    assert f"{second}: its results would take the place of {note.parent}" in said
    assert f"those of {first}: name another folder (--output), rename" in said
    assert note.read_bytes() == before
    assert cli.main(["reproduce", str(first), *output, "-p", "n_seeds=3"]) == 0
    assert cli.main(["reproduce", str(second), *output, "-p", "n_seeds=3"]) == 2


def test_of_two_copies_with_two_records_each_the_second_is_refused(own, here, tmp_path):
    other, output = tmp_path / "other", tmp_path / "out"
    other.mkdir()
    both = TOLD, TOLD.replace("under", "two")
    assert cli.reproduce(notebooks=[own(*both)], output=output) == 0
    with pytest.raises(ValueError, match="my_copy.kept_two_its_own_name, which are th"):
        cli.reproduce(notebooks=[own(*both, folder=other)], output=output)
    part = own(TOLD, name="my_copy.part", folder=other)
    assert cli.reproduce(notebooks=[part], output=output) == 0
    assert cli.reproduce(notebooks=[own(TOLD)], output=output) == 0
    left = sorted(folder.name for folder in (output / "results").iterdir())
    assert left == ["my_copy", "my_copy.part"], "no results of yesterday"


def test_results_of_a_result_notebook_are_not_those_of_a_copy(tmp_path, monkeypatch):
    "A result notebook may lie elsewhere today: the clone was moved."
    (own,) = cli.asked_for(["rock"])
    shutil.copy(RESULTS / "rock.ipynb", tmp_path)
    (copy,) = cli.asked_for([tmp_path / "rock.ipynb"])
    for name in "rock", "rock-copy":
        folder = tmp_path / "out" / "results" / name
        folder.mkdir(parents=True)
        note = dict(notebook=str(tmp_path / "earlier" / "rock.ipynb"))
        (folder / "run.json").write_text(json.dumps(note))
    cli._refuse_other_notebooks([own], tmp_path / "out")
    with pytest.raises(ValueError, match="those of .*earlier"):
        cli._refuse_other_notebooks([copy], tmp_path / "out")
    (tmp_path / "out" / "results" / "rock-copy" / "run.json").write_text("[")
    cli._refuse_other_notebooks([copy], tmp_path / "out")


def test_a_notebook_that_stops_leaves_its_earlier_results(own, tmp_path, capsys):
    "They were deleted, and what had been recorded until the error came in their place."
    output = tmp_path / "out"
    stops = 'if start == "cao": 1 / 0'
    command = ["reproduce", str(own(TOLD, stops)), "--output", str(output)]
    notebooks, results = output / "notebooks", output / "results" / "my_copy"
    assert cli.main(command) == 1
    note = json.loads((results / "run.json").read_text())
    assert note["stopped"] == "ZeroDivisionError: division by zero"
    page = (output / "report.html").read_text()
    assert "ZeroDivisionError: division by zero: only what was rec" in page
    own(TOLD)
    assert cli.main(command) == 0, "what is not whole may be replaced"
    before = (results / "run.json").read_bytes()
    assert "stopped" not in json.loads(before)
    capsys.readouterr()
    for last in stops, "import os; os._exit(3)":
        own(last)
        assert cli.main(command) == 1
        said = capsys.readouterr().out
        assert "its earlier results stay; notebooks/my_copy.stopped.ipynb" in said
        assert (results / "run.json").read_bytes() == before
        assert "1 / 0" not in (notebooks / "my_copy.ipynb").read_text()
    assert told(output) == (5, 0, (), "cao", 0.5)


def test_the_last_lines_are_of_this_run_and_then_of_the_folder(
    own, here, tmp_path, capsys
):
    "The cells of other notebooks in the folder were told as those of this run."
    output = tmp_path / "out"
    compared = """from test_reproduce import comparison_with_mean
results = Results("small", "Small")
results.comparison("one", comparison_with_mean({}), must_be_exact=True)"""
    wrong, right = own(compared.format(3.0), name="wrong"), own(compared.format(2.0))
    assert cli.main(["reproduce", str(wrong), "--output", str(output)]) == 1
    alone = capsys.readouterr().out
    assert "NOT EXACT  wrong" in alone and "already in this folder" not in alone
    assert cli.main(["reproduce", str(right), "--output", str(output)]) == 0
    now, earlier = capsys.readouterr().out.split("\nWith the ")
    assert "must be exact          1 exact\n" in now
    assert "wrong" not in now
    assert "1 of the 1 published cells that must come out to the last digit do" in now
    assert earlier == (
        "result that was already in this folder (wrong), as in the report: 1 of the 2 "
        "published cells that must come out to the last digit do.\n"
    )


def comparison_with_mean(mean):
    "Three runs beside a published mean; the right one is 2."
    cell = dict(dataset="toy", n_clusters=2, init="cao", quantity="final_cost")
    runs = pd.DataFrame(dict(cell, final_cost=[1, 2, 3])).drop(columns="quantity")
    figures = dict(mean=mean, sd=1.0, decimals_mean=2, decimals_sd=3, n_runs=3)
    return compare(
        summarise(runs, quantities=["final_cost"]), pd.DataFrame([cell | figures])
    )


def test_a_notebook_that_records_nothing_is_told_so_and_all_records_are_kept(
    own, here, tmp_path, capsys
):
    "Of two notebooks the one records nothing, and the other twice."
    paths = [own("1 + 1"), own(TOLD, TOLD.replace("under", "other"), name="two")]
    command = ["reproduce", *map(str, paths), "--output", str(tmp_path / "out")]
    assert cli.main(command) == 1
    out = capsys.readouterr().out
    assert "STOPPED    my_copy: no results: it has recorded nothing; hand its" in out
    assert [record["name"] for record in read_records(tmp_path / "out")] == [
        "two.kept_other_its_own_name",
        "two.kept_under_its_own_name",
    ]


def test_a_copy_does_not_take_the_place_of_the_result_notebook(tmp_path):
    shutil.copy(RESULTS / "rock.ipynb", tmp_path)
    (asked,) = cli.asked_for([tmp_path / "rock.ipynb"])
    assert asked.name == "rock-copy"
    assert cli.asked_for(["rock"])[0].name == "rock"


@pytest.mark.parametrize(
    "options, said",
    [
        (["-p", "n_seed=5"], "no parameter 'n_seed'; there are n_seeds, first_seed, "),
        (
            ["-p", "n_seeds=many"],
            "-p n_seeds=many: expected a literal of Python like 5",
        ),
        (["-p", "n_seeds=2.5"], "-p n_seeds=2.5: expected a literal"),
        (["-p", "n_seeds"], "-p n_seeds: expected name=value"),
        (["-p", "n_seeds=5", "-p", "n_seeds=6"], "-p n_seeds is given twice"),
        (["-p", "n_seeds=5", "--seeds", "6"], "contradict each other"),
        (["--seeds", "6:6"], "--seeds 6:6: there is no seed in it"),
        (["--seeds", "1e3"], "--seeds 1e3: expected a number of seeds"),
        (["--renew", "evolution"], "--renew does not go with --notebooks"),
        (["--only", "wilde2019"], "no such result notebook"),
    ],
)
def test_what_cannot_be_set_is_refused_before_anything_runs(
    own, tmp_path, capsys, options, said
):
    path = own("from pathlib import Path\nPath('ran.txt').touch()")
    command = ["reproduce", str(path), "--output", str(tmp_path / "out"), *options]
    assert cli.main(command) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "ran.txt").exists()


def test_no_notebook_no_cell_and_no_seeds_to_choose(own, tmp_path, capsys):
    with pytest.raises(FileNotFoundError, match="absent.ipynb: there is no such noteb"):
        cli.asked_for([tmp_path / "absent.ipynb"])
    bare = own(name="bare")
    book = nbformat.read(bare, 4)
    book.cells[1].metadata.clear()
    nbformat.write(book, bare)
    with pytest.raises(ValueError, match="bare.ipynb: no cell is tagged 'parameters'"):
        cli.asked_for([bare], parameters=["n_seeds=5"])
    with pytest.raises(ValueError, match="bare has no parameter 'first_seed'"):
        cli.asked_for([bare], seeds="5:9")
    cli.asked_for([bare, own()], seeds="5:9")
    assert "no seeds to choose in bare" in capsys.readouterr().err
    with pytest.raises(ValueError, match="two notebooks are called bare"):
        (tmp_path / "other").mkdir()
        cli.asked_for([bare, own(name="bare", folder=tmp_path / "other")])


def test_a_range_of_seeds_reaches_a_copy_whatever_stands_in_its_cell(
    own, here, tmp_path
):
    path = own(TOLD, parameters=PARAMETERS.replace('option("seeds", 5)', "7"))
    output = tmp_path / "out"
    command = ["reproduce", str(path), "-p", "n_seeds=50", "--seeds", "1000:1050"]
    command += ["-p", "start=huang", "-p", "share=1", "--only-table", "3", "b"]
    assert cli.main([*command, "--output", str(output)]) == 0
    place = output / "seeds-1000-1050_tables-3-b_start-huang_share-1"
    assert told(place) == (50, 1000, (3, "b"), "huang", 1)
    run = json.loads((place / "results" / "my_copy" / "run.json").read_text())
    assert run["seeds"] == "1000:1050"
    assert run["parameters"] == dict(
        n_seeds="50",
        first_seed="1000",
        only_tables="(3, 'b')",
        start="'huang'",
        share="1",
        recompute="False",
    )
    executed = nbformat.read(place / "notebooks" / "my_copy.ipynb", 4)
    tags = [cell.metadata.get("tags") for cell in executed.cells]
    assert tags.index(["injected-parameters"]) == tags.index(["parameters"]) + 1


KEEPING = """rows = "kept"
if recompute:
    rows = results.keep("rows.json", '["made anew"]').read_text()"""


def test_kept_rows_are_renewed_by_their_own_command_only(
    own, here, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(cli, "notebooks_folder", lambda: tmp_path)
    kept, output = tmp_path / "rows.json", tmp_path / "out"
    kept.write_text("[]")
    path = own(TOLD, KEEPING, name="small")
    asked = dict(parameters=["recompute=True"], output=output)
    assert cli.reproduce(notebooks=[path], **asked) == 0
    assert kept.read_text() == "[]"
    (new,) = output.glob("recompute-True/results/small/kept/rows.json")
    assert new.read_text() == '["made anew"]'
    command = ["reproduce", "--renew", "small", "--output", str(output)]
    assert cli.main(command) == 0
    assert kept.read_text() == '["made anew"]'
    assert f"renewed    {kept}" in capsys.readouterr().out


def test_a_notebook_that_stopped_or_keeps_nothing_renews_nothing(own, tmp_path):
    kept = tmp_path / "rows.json"
    kept.write_text("[]")
    asked = cli.asked_for([own(name="small")])
    new = tmp_path / "out" / "results" / "small" / "kept" / "rows.json"
    new.parent.mkdir(parents=True)
    new.write_text("[1]")
    errors = dict(small="KeyError: 'x'")
    cli._renewed(asked, tmp_path / "out", errors)
    assert kept.read_text() == "[]"
    assert errors == dict(small="KeyError: 'x'")
    new.rename(new.with_name("unknown.json"))
    errors = {}
    cli._renewed(asked, tmp_path / "out", errors)
    assert errors["small"].startswith("nothing renewed")
    assert not (tmp_path / "unknown.json").exists()


def test_rows_of_runs_are_kept_in_jupyter_and_an_error_loses_none(
    tmp_path, monkeypatch
):
    from kmodes_study.study import experiments
    from kmodes_study.study.runs import run_grid, run_keys

    monkeypatch.delenv("KMODES_STUDY_OUTPUT", raising=False)
    monkeypatch.delenv("KMODES_STUDY_STORE", raising=False)
    assert Results("x", "X").store.name == "runs.sqlite"
    monkeypatch.setenv("KMODES_STUDY_STORE", "none")
    assert Results("x", "X").store is None
    monkeypatch.setenv("KMODES_STUDY_STORE", str(tmp_path / "own.sqlite"))
    store = Results("x", "X").store
    data = dict(toy=np.random.RandomState(0).randint(3, size=(20, 4)))
    keys = run_keys([("toy", 2)], inits=["huang"], seeds=range(1000, 1006))
    made = []

    def counted(*arguments):
        made.append(arguments)
        if len(made) == 5:
            raise KeyboardInterrupt
        return before(*arguments)

    before = experiments.job_rows
    monkeypatch.setattr(experiments, "job_rows", counted)
    options = dict(n_jobs=1, progress=False, batch_size=1)
    with pytest.raises(KeyboardInterrupt):
        run_grid(keys, data, store, **options)
    done = len(made) - 1
    again = run_grid(keys, data, store, **options)
    assert len(made) - 5 <= len(keys) - done + 1, "what was made is not made again"
    monkeypatch.undo()
    alone = run_grid(keys, data, None, **options)
    assert again.drop(columns="seconds").equals(alone.drop(columns="seconds"))


def test_a_long_cell_shows_how_far_it_is_and_leaves_no_bar_in_the_copy(own, tmp_path):
    bar = "for _ in tqdm(range(3), mininterval=0): pass"
    path = own(
        f"from tqdm import tqdm\nimport sys\n{bar}\nprint('look out', file=sys.stderr)"
    )
    worker, steps, copy = Worker(), [], tmp_path / "copy.ipynb"
    try:
        error = worker.execute(
            lambda **step: steps.append(step), path=str(path), copy=str(copy), env={}
        )
    finally:
        worker.stop()
        worker.wait()
    assert error == ""
    assert any(step.get("bar", "").startswith("100%") for step in steps)
    printed = [
        output.text
        for cell in nbformat.read(copy, 4).cells
        for output in cell.get("outputs", [])
    ]
    assert "".join(printed).strip() == "look out"


MINE = """

def mine(codes, n_clusters, random_state):
    return codes[random_state.permutation(len(codes))[:n_clusters]]


starts["mine"] = mine
"""


@pytest.mark.minute
def test_one_more_start_is_one_line_and_stands_in_the_tables(tmp_path):
    """A start took minutes without a bar, and its rows the place of the kept ones. Now
    problems and runs can be limited, and what is kept stays.
    """
    load("lenses")
    kept = (RESULTS / "which_initialisation.csv.xz").read_bytes()
    book = nbformat.read(RESULTS / "which_initialisation.ipynb", 4)
    (cell,) = [cell for cell in book.cells if "starts = {name: INIT" in cell.source]
    cell.source += MINE
    nbformat.write(book, tmp_path / "my_copy.ipynb")
    command = ["reproduce", str(tmp_path / "my_copy.ipynb"), "--offline"]
    command += ["-p", "runs_of_archive=(2, 1)", "-p", "runs_of_planted=(2, 1)"]
    command += ["-p", "only_problems=('lenses, 3', 'planted-0', 'planted-10')"]
    assert cli.main([*command, "--output", str(tmp_path / "out")]) == 0
    (folder,) = (tmp_path / "out").glob("*/results/my_copy")
    for name in "gap_one", "gap_time_20":
        table = pd.read_csv(folder / f"{name}.csv")
        assert set(table[table.init == "mine"].kind) == {"archive", "planted"}
    league = pd.read_csv(folder / "league.csv")
    assert {"mine + otqt", "mine + swap"} <= set(league.method)
    assert not (folder / "kept").exists()
    assert (RESULTS / "which_initialisation.csv.xz").read_bytes() == kept


def test_the_last_lines_say_why_cells_differ_and_why_some_are_not_judged():
    item = dict(kind="comparison", counts=dict(differs=3), must_be_exact=False)
    item |= dict(failed="", runs="50 of 250 runs", name="table")
    reasons = [{"ties go to the top": 2}, {"ties go to the top": 1}, {}]
    items = [item | dict(reasons=each) for each in reasons]
    said = cli.closing_lines([dict(name="mine", items=items)], {})
    assert "DIFFERS    mine: 3 of the cells (ties go to the top); its exec" in said
    assert said.count("DIFFERS") == 1
    assert "what only all runs can show is not judged" in said


def test_help_says_where_results_and_rows_lie(capsys):
    for command, words in ("reproduce", "DIR/seeds-50"), ("runs", "$KMODES_STUDY_STOR"):
        with pytest.raises(SystemExit):
            cli.main([command, "--help"])
        assert words in capsys.readouterr().out
    for command, words in (
        ("reproduce", "name of a result notebook"),
        ("reproduce", "as each notebook says"),
        ("runs", "all of the file is executed"),
    ):
        with pytest.raises(SystemExit):
            cli.main([command, "--help"])
        assert words in " ".join(capsys.readouterr().out.split())


# --------------------------------------------------------- what stands in the notebooks

NAMES = [path.stem for path in sorted(RESULTS.glob("*.ipynb"))]
OTHERS = {
    "which_clusterer",
    "which_clusterer_mixed",
    "which_initialisation",
    "optima",
    "how_many",
    "draft2018",
    "lecture_notes",
}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in OTHERS])
def test_all_settings_stand_in_one_visible_cell_of_plain_assignments(name):
    path = RESULTS / f"{name}.ipynb"
    book = read_notebook(path)
    known = parameters_of(book, path)
    assert known, "a cell tagged 'parameters'"
    code = [cell["source"] for cell in book["cells"] if cell["cell_type"] == "code"]
    (cell,) = [
        cell["source"]
        for cell in book["cells"]
        if cell["metadata"].get("tags") == ["parameters"]
    ]
    assert "#|" not in cell
    assert {type(line) for line in ast.parse(cell).body} == {ast.Assign}
    before = "\n".join(code[: code.index(cell)])
    assert "Results(" not in before
    assert "load(" not in before
    after = "\n".join(code[code.index(cell) + 1 :])
    assert "option(" not in after.replace("set_option(", "")
    assert "range(n_seeds)" not in after
    assert "write_whole" not in after
    assert "write_text" not in after
    assert ("n_seeds" in known) == ("first_seed" in known)


# those whose settings have no heading of their own
UNTITLED = {"which_clusterer", "which_clusterer_mixed", "optima"}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNTITLED])
def test_settings_have_a_heading_and_an_example_that_works(name):
    cells = read_notebook(RESULTS / f"{name}.ipynb")["cells"]
    tags = [cell["metadata"].get("tags") for cell in cells]
    text = cells[tags.index(["parameters"]) - 1]["source"]
    assert text.startswith("## Settings\n\nAll settings, to be changed here, in a copy")
    check_example(text)


@pytest.mark.parametrize("name", sorted(UNTITLED))
def test_settings_of_a_page_that_answers_first_are_told_in_its_text(name):
    cells = read_notebook(RESULTS / f"{name}.ipynb")["cells"]
    texts = [cell["source"] for cell in cells if cell["cell_type"] == "markdown"]
    examples = [text for text in texts if f"`kmodes-study reproduce {name}" in text]
    assert len(examples) == 1 and "ettings" in examples[0]
    check_example(re.search(f"`kmodes-study reproduce {name}[^`]*`", examples[0])[0])


def check_example(text):
    "The first command in a text can be run."
    words = shlex.split(re.search("`kmodes-study (reproduce [^`]*)`", text)[1])
    asked = vars(cli._parser().parse_args(words))
    names = "notebooks", "only", "parameters", "seeds"
    cli.asked_for(*(asked[name] for name in names), asked["only_table"])


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
    require_exact(found)


def test_every_figure_of_four_papers_is_quoted():
    frame = published()
    quoted = frame[frame.source.isin(["cao2009", "huang1998", "khan2013", "rock"])]
    assert set(quoted.status) <= {"M", "MC"}


def test_the_summary_says_how_many_are_exact_and_how_many_only_quoted(tmp_path):
    runs = pd.DataFrame(
        dict(dataset="toy", n_clusters=2, init=["cao", "huang"], final_cost=5)
    )
    printed = pd.DataFrame(
        dict(
            dataset="toy",
            n_clusters=2,
            init=["cao", "huang"],
            quantity="final_cost",
            mean=5.0,
            sd=np.nan,
            decimals_mean=2,
            decimals_sd=3,
            n_runs=1,
            status=["M", "R"],
        )
    )
    results = Results("small", "Small", tmp_path)
    both = compare(summarise(runs, quantities=["final_cost"]), printed)
    results.comparison("both", both, must_be_exact=True)
    total = summary(read_records(tmp_path))
    assert total["must_be_exact"] == dict.fromkeys(total["must_be_exact"], 0) | {
        "exact": 1,
        QUOTED: 1,
    }
    assert not total["failures"]
    assert conclusion(total) == (
        "2 of the 2 published cells that must come out to the last digit do, 1 of them "
        "against figures read at their source and 1 against figures that are only "
        "quoted."
    )
