"""The shape of the repository: notebooks and package in step, imports that go down
only, what may be committed, and how large each folder may be.
"""

import ast
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tokenize
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
FLOORS = "plain core measures data storage cluster exact family describe study command"
FLOORS = [*FLOORS.split(), "compat"]

# Code lines of each folder. A commit may lower a number; who raises one says in the
# same commit what the lines are for and who would miss them.
MOST_LINES = json.loads((ROOT / "tests" / "most_lines.json").read_text())


@cache
def tracked():
    "Paths of all files in git, or all in the folder when this is no clone."
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        return [p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*") if p.is_file()]
    return [line for line in listed.stdout.splitlines() if (ROOT / line).exists()]


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


NOTEBOOKS = [path for path in tracked() if path.endswith(".ipynb")]
MODULES = [path for path in tracked() if re.match(r"kmodes_study/.*\.py$", path)]
BOTH_KINDS = [*NOTEBOOKS, *MODULES]


@cache
def code_cells(path):
    cells = nbformat.read(ROOT / path, as_version=4).cells
    return [cell for cell in cells if cell.cell_type == "code"]


def copied(folder):
    "A copy of all files in git."
    for path in tracked():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path)
    return folder


def test_notebooks_and_package_in_step(tmp_path):
    copied(tmp_path)
    for command in "nbdev_clean", "nbdev_export":
        done = subprocess.run(
            [BIN / command], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    made = {
        path.relative_to(tmp_path).as_posix(): path.read_text(encoding="utf-8")
        for folder in ("kmodes_study", "nbs")
        for path in (tmp_path / folder).rglob("*")
        if path.suffix in (".py", ".ipynb") and path.name != "_modidx.py"
    }
    assert {*made} == {path for path in tracked() if path in made or path in BOTH_KINDS}
    differ = [path for path, text in made.items() if text != text_of(path)]
    assert differ == [], "run make export"


def test_readme_is_rendered_from_index(tmp_path):
    options = f"BIN={BIN}", f"README={tmp_path}/README.md"
    command = ["make", "--silent", "--old-file=.venv/ready", "readme", *options]
    subprocess.run(command, cwd=ROOT, check=True)
    assert (tmp_path / "README.md").read_text() == text_of("README.md"), "make readme"


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_notebook_is_executed_small_and_without_errors(path):
    assert (ROOT / path).stat().st_size < 700_000
    cells = code_cells(path)
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs or not cells, "readers see outputs on the web"
    for output in outputs:
        assert output.output_type != "error"
        assert output.get("name") != "stderr", "readers meet warnings of one machine"
    assert not [
        cell for cell in cells if re.search(r"#\|\s*eval:\s*false", cell.source)
    ]


def test_numba_only_in_jit():
    users = [
        path
        for path in MODULES
        if re.search(r"^\s*(import|from) numba\b", text_of(path), re.M)
    ]
    assert users == ["kmodes_study/core/jit.py"]


def name_of(path):
    "The name of a module within the package: `cluster.modes`."
    return ".".join(Path(path).with_suffix("").parts[1:]).removesuffix(".__init__")


def imported_by(path):
    "The modules of the package, without its name, that a module imports anywhere."
    package = path.split("/")[:-1]
    for node in ast.walk(ast.parse(text_of(path))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            start = ".".join(filter(None, [*above, node.module]))
            names = [start, *(f"{start}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            whole, _, rest = name.partition(".")
            if whole == "kmodes_study" and rest:
                yield rest


WITHOUT_FLOOR = "__init__.py", "__main__.py"


@pytest.mark.parametrize(
    "path", [path for path in MODULES if not path.endswith(WITHOUT_FLOOR)]
)
def test_floors_import_downwards_only(path):
    own = name_of(path).split(".")[0]
    assert own in FLOORS
    floors = {name.split(".")[0] for name in imported_by(path)} & {*FLOORS}
    higher = [floor for floor in floors if FLOORS.index(floor) > FLOORS.index(own)]
    assert higher == []


def test_no_modules_import_each_other_in_a_circle():
    modules = {name_of(path): path for path in MODULES if "__init__" not in path}
    needs = {
        name: {*imported_by(path)} & {*modules} - {name}
        for name, path in modules.items()
    }
    TopologicalSorter(needs).prepare()


def top_level(path):
    "The names that a module defines at its top."
    for node in ast.parse(text_of(path)).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        if isinstance(node, ast.Assign):
            yield from (one.id for one in node.targets if isinstance(one, ast.Name))


def test_each_name_has_one_home():
    homes = defaultdict(set)
    for path in MODULES:
        # a plain form has the name of what it defines, compat those of `kmodes`, and a
        # command that of what it does
        if not re.search("__.py|/plain/|/compat|/command/", path):
            for name in top_level(path):
                homes[name].add(path)
    several = {name: paths for name, paths in homes.items() if len(paths) > 1}
    known = {"CategoryTable", "TableClusters"}
    assert {name for name in several if not name.startswith("_")} <= known


def code_lines(path):
    "How many lines of code a module has, without blanks, comments and docstrings."
    text = text_of(path)
    words = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            if ast.get_docstring(node):
                words |= {*range(node.body[0].lineno, node.body[0].end_lineno + 1)}
    signs = tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in signs:
            lines |= {*range(token.start[0], token.end[0] + 1)}
    return len(lines - words)


def test_no_folder_grows_without_a_reason():
    lines = defaultdict(int)
    for path in tracked():
        if path.endswith(".py") and "_modidx" not in path:
            parts = path.split("/")
            inside = parts[0] == "kmodes_study" and len(parts) > 2
            lines["/".join(parts[: 1 + inside])] += code_lines(path)
    more = {
        folder: f"{n} lines, {MOST_LINES.get(folder, 0)} at most"
        for folder, n in lines.items()
        if n > MOST_LINES.get(folder, 0)
    }
    assert more == {}


def test_kernels_copy_in_loops():
    """numba compiles the text of an error for each slice that takes an array, for
    seconds; a number is harmless.
    """
    number = re.compile(
        r"False|-?\d+(\.\d+)?|np\.inf|\w+\.shape\[\d\]|\w+\[0\]|\(0, 0\)"
    )
    slow = []
    for path in MODULES:
        for kernel in ast.walk(ast.parse(text_of(path))):
            marks = getattr(kernel, "decorator_list", [])
            if not any("kernel" in ast.dump(mark) for mark in marks):
                continue
            slow += [
                (kernel.name, ast.unparse(node))
                for node in ast.walk(kernel)
                if isinstance(node, ast.Assign)
                and any(
                    isinstance(part, ast.Slice)
                    for target in node.targets
                    for part in ast.walk(target)
                )
                and not number.fullmatch(ast.unparse(node.value))
            ]
    assert slow == []


def test_modules_have_whole_docstrings():
    for path in MODULES:
        if not path.endswith("_modidx.py"):
            words = ast.get_docstring(ast.parse(text_of(path))) or ""
            assert words.split("\n\n")[0].endswith("."), path


def test_nothing_about_a_machine():
    place = re.compile(r"/root/|/home/\w|/work/(main|shared|h/)|/scratch|/tmp/\w+ipy")
    for path in tracked():
        if not path.endswith((".png", ".xz", ".lock", "test_repository.py")):
            assert not place.search(text_of(path)), path


def test_no_data_file_is_committed():
    kinds = r"\.(data|test|gz|Z|csv|sqlite|parquet|npy)$"
    found = [path for path in tracked() if re.search(kinds, path)]
    # the example of the front page, and the table of what is taken from the sources
    assert found == ["nbs/guests.csv", "nbs/sources.csv"]


def test_import_is_light():
    heavy = "{'matplotlib', 'seaborn', 'sklearn', 'pandas', 'numba'}"
    code = f"import sys, kmodes_study; print({heavy} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ
    )
    assert done.stdout.strip() == "set()", done.stdout + done.stderr


def test_the_front_door_shows_what_there_is():
    import kmodes_study

    assert {"KModes", "KPrototypes", "encode", "load", "measures"} <= {
        *dir(kmodes_study)
    }
    for name in kmodes_study.__all__:
        assert getattr(kmodes_study, name) is not None
    with pytest.raises(AttributeError, match="Kmodes"):
        kmodes_study.Kmodes


PACKAGES = [floor for floor in FLOORS if floor not in ("plain", "core", "compat")]


@pytest.mark.parametrize("package", [p for p in PACKAGES if p != "command"])
def test_a_package_offers_what_its_modules_define(package):
    offered = import_module(f"kmodes_study.{package}")
    assert sorted(set(offered.__all__)) == sorted(offered.__all__)
    for name in offered.__all__:
        assert not name.startswith("_")
        assert not isinstance(getattr(offered, name), type(sys)), name
