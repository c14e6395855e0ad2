"""CONTRIBUTING.md: its code is the code that is shipped, its paths and commands are
there, and its walk, followed by a program, ends with a start that works.
"""

import re
import subprocess
import sys
from textwrap import dedent

import nbformat
import pytest
from test_repository import FLOORS, ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
WALK = TEXT.partition("## Add a start")[2].partition("\n## ")[0]
LISTINGS = re.findall(r"```(\w*)\n(.*?)```", TEXT, re.DOTALL)
SHOWN = [code for kind, code in LISTINGS if kind == "python"]
COMMANDS = "".join(code for kind, code in LISTINGS if kind == "sh").splitlines()
PATHS = re.findall(r"`((?:nbs|kmodes_study|tests|site)/[\w/.]+\.\w+)`", TEXT)
LINKED = re.findall(r"\]\(([\w/.]+)\)", TEXT)


def code_of(path):
    "The code cells of a notebook."
    cells = nbformat.read(ROOT / path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def test_it_is_short():
    assert len(TEXT.split()) <= 900 and len(TEXT.splitlines()) <= 100


@pytest.mark.parametrize("shown", SHOWN)
def test_the_code_shown_is_the_code_shipped(shown):
    notebooks = {path for path in PATHS if path.endswith(".ipynb") and path in WALK}
    cells = [source for path in notebooks for source in code_of(path)]
    assert [source for source in cells if shown in f"{source}\n"]


def test_the_paths_are_there():
    assert len(PATHS) > 10
    assert [path for path in [*PATHS, *LINKED] if not (ROOT / path).is_file()] == []


def test_the_commands_are_there():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:^|`)make (\w+)", TEXT, re.MULTILINE))
    assert targets >= {"quick", "test", "format", "book", "kept", "release"}
    assert [name for name in targets if f"\n{name}:" not in makefile] == []
    for command in COMMANDS:
        assert command.split()[0] in ("make", "git") or command.startswith(".venv/bin/")


def test_the_rooms_stand_in_their_order():
    table = TEXT.partition("| room |")[2].partition("\n\n")[0]
    first = [row.split("|")[1] for row in table.splitlines()[2:]]
    rooms = [room for cell in first for room in re.findall(r"`(\w+)`", cell)]
    floors = dict.fromkeys(floor.partition(".")[0] for floor in FLOORS)
    assert rooms == [floor for floor in floors if floor != "compat"]


CORE = """
@start
def init_toy(rows, n_clusters, random_state):
    "The first rows that differ."
    rows = rows.distinct()[0]
    if len(rows) < n_clusters:
        raise too_few_rows(n_clusters, len(rows))
    return rows.filled[:n_clusters]
"""
IMPORTS = """
from kmodes_study.cluster.doors import start
from kmodes_study.core.rows import too_few_rows
"""
# what somebody does who has followed the walk
USED = """
from pathlib import Path

from nbdev.export import nb_export

for name in "toy", "basic":
    nb_export(f"nbs/cluster/starts/{name}.ipynb", lib_path="kmodes_study")

import kmodes_study
from kmodes_study import KModes
from kmodes_study.cluster.starts.basic import initialise

assert Path(kmodes_study.__file__).is_relative_to(Path.cwd())
X = [["a", "x"], ["a", "x"], ["b", "y"], ["c", "y"]]
model = KModes(2, init="Toy", algorithm="lloyd").fit(X)
print(model.cost_, model.n_iter_, model.cluster_centroids_.tolist())
print(initialise([[0, 0], [0, 0], [1, 1], [2, 1]], 3, "toy").tolist())
try:
    initialise([[0, 0], [0, 0], [1, 1]], 3, "toy")
except ValueError as error:
    print(error)
"""


def copied(folder):
    "A copy of the modules and of the notebook of the list, for a start to be added."
    for file in (ROOT / "kmodes_study").rglob("*.*"):
        place = folder / file.relative_to(ROOT)
        if "__pycache__" not in file.parts:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())
    for name in "settings.ini", "nbs/cluster/starts/basic.ipynb":
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())


def with_line_after(source, line, new):
    "The source with a new line before another one; there must be one such line."
    assert source.count(line) == 1, line
    return source.replace(line, f"{new}\n{line}")


def test_who_follows_the_walk_has_a_start(tmp_path):
    copied(tmp_path)
    starts = tmp_path / "nbs" / "cluster" / "starts"
    chapter = [
        "#| default_exp cluster.starts.toy",
        f"#| export{IMPORTS}",
        f"#| export{CORE}",
    ]
    cells = [nbformat.v4.new_code_cell(source.rstrip()) for source in chapter]
    cells.insert(1, nbformat.v4.new_markdown_cell("# Toy\n\n> A toy."))
    nbformat.write(nbformat.v4.new_notebook(cells=cells), starts / "toy.ipynb")
    listed = nbformat.read(starts / "basic.ipynb", as_version=4)
    for line, new in (
        (
            "from kmodes_study.cluster.starts.matching import init_matching",
            "from kmodes_study.cluster.starts.toy import init_toy",
        ),
        (dedent(SHOWN[0]).strip(), '"toy": init_toy,'),
    ):
        (cell,) = [cell for cell in listed.cells if line in cell.source]
        cell.source = with_line_after(cell.source, line, new)
    nbformat.write(listed, starts / "basic.ipynb")
    done = subprocess.run(
        [sys.executable, "-c", USED], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "1 1 [['a', 'x'], ['b', 'y']]",
        "[[0, 0], [1, 1], [2, 1]]",
        "n_clusters=3, but codes has 2 different rows only; ask for fewer clusters",
    ]
