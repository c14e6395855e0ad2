"""An experiment of one's own with a result notebook: any copy, any seeds, one table,
rows that are kept, and what may be called exact.
"""

import ast
import json
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
    assert made["command"] == f"kmodes-study reproduce '{path}'"


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
