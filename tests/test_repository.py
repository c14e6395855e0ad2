"""The shape of the repository: notebooks and package in step, the notebook style, what may be committed."""
import ast
import configparser
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
FLOORS = ["jit", "checks", "tables", "codes", "labels", "columns", "measures", "data", "cluster", "family", "describe", "study", "compat"]


@cache
def tracked():
    "Paths of all files in git, or all in the folder when this is no clone."
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode: return [p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*") if p.is_file()]
    return [line for line in listed.stdout.splitlines() if (ROOT/line).exists()]


NOTEBOOKS = [path for path in tracked() if path.endswith(".ipynb")]
CHAPTERS = [path for path in NOTEBOOKS if path.startswith("nbs/") and re.match(r"nbs/[0-6]_", path)]
MODULES = [path for path in tracked() if path.startswith("kmodes_study/") and path.endswith(".py")]


@cache
def book(path):
    return nbformat.read(ROOT/path, as_version=4)


def code_cells(path):
    return [cell for cell in book(path).cells if cell.cell_type == "code"]


def exported(path):
    return [cell for cell in code_cells(path) if re.match(r"#\|\s*export", cell.source)]


@pytest.fixture(scope="module")
def exported_anew(tmp_path_factory):
    "A copy of the project on which nbdev_clean and nbdev_export have been run."
    copy = tmp_path_factory.mktemp("copy")
    for path in tracked():
        (copy/path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT/path, copy/path)
    for command in "nbdev_clean", "nbdev_export":
        done = subprocess.run([BIN/command], cwd=copy, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return copy


def test_there_are_notebooks():
    assert len(CHAPTERS) >= 15 and len(MODULES) >= 20


@pytest.mark.parametrize("kind", ["kmodes_study", "nbs"])
def test_notebooks_and_package_in_step(exported_anew, kind):
    files = lambda root: {p.relative_to(root).as_posix(): p.read_text(encoding="utf-8") for p in (root/kind).rglob("*")
                          if p.suffix in (".py", ".ipynb") and ".ipynb_checkpoints" not in p.parts}
    here, there = files(ROOT), files(exported_anew)
    assert sorted(here) == sorted(there)
    assert [name for name in here if here[name] != there[name]] == [], "run nbdev_clean and nbdev_export"


def test_readme_is_rendered_from_index(tmp_path):
    subprocess.run(["make", "--silent", "readme", f"README={tmp_path/'README.md'}"], cwd=ROOT, check=True)
    assert (tmp_path/"README.md").read_text() == (ROOT/"README.md").read_text(), "run make readme"


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_notebook_is_executed_small_and_without_errors(path):
    assert (ROOT/path).stat().st_size < 700_000
    ids = [cell.id for cell in book(path).cells]
    assert len(ids) == len(set(ids))
    outputs = [output for cell in code_cells(path) for output in cell.outputs]
    assert outputs, "commit the outputs: readers see them on the web"
    assert not [output for output in outputs if output.output_type == "error"]


@pytest.mark.parametrize("path", CHAPTERS)
def test_chapter_head(path):
    cells = [cell for cell in book(path).cells]
    module = re.fullmatch(r"#\| default_exp ([\w.]+)", cells[0].source.strip())
    assert module, "the first cell names the module"
    floor, name = Path(path).parent.name[2:], re.sub(r"^\d\d_", "", Path(path).stem)
    assert module[1] == (name if floor == "foundation" else f"{floor}.{name}")
    assert re.match(r"# .+\n\n> .+", cells[1].source), "then title and summary"


@pytest.mark.parametrize("path", CHAPTERS)
def test_chapter_is_prose_and_short_cells(path):
    lines = lambda cells: sum(len([l for l in cell.source.splitlines() if l.strip()]) for cell in cells)
    prose = [cell for cell in book(path).cells if cell.cell_type == "markdown"]
    visible = [cell for cell in code_cells(path) if not re.match(r"#\|\s*hide", cell.source)]
    characters = sum(len(cell.source) for cell in prose)  # prose may be wrapped anywhere: count lines of 110 characters
    assert max(lines(prose), characters/110) >= .4 * lines(visible)
    for cell in exported(path): assert len(cell.source.splitlines()) <= 45, cell.source[:80]


@pytest.mark.parametrize("path", CHAPTERS)
def test_imports_apart_from_code(path):
    for cell in exported(path):
        kinds = {isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.parse(cell.source).body}
        assert len(kinds) <= 1, f"imports share a cell with code: {cell.source[:80]}"


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_no_cell_is_switched_off(path):
    assert not [cell.source for cell in code_cells(path) if re.search(r"#\|\s*eval:\s*false", cell.source)]


@pytest.mark.parametrize("path", MODULES)
def test_numba_only_in_jit(path):
    names = [alias.name for node in ast.walk(ast.parse((ROOT/path).read_text())) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(ast.parse((ROOT/path).read_text())) if isinstance(node, ast.ImportFrom) and not node.level]
    assert path == "kmodes_study/jit.py" or not [name for name in names if name.split(".")[0] == "numba"]


def floor_of(module):
    return FLOORS.index(module.split(".")[0])


@pytest.mark.parametrize("path", [path for path in MODULES if not path.endswith(("__init__.py", "_modidx.py"))])
def test_floors_import_downwards_only(path):
    here = ".".join(Path(path).with_suffix("").parts[1:])
    for node in ast.walk(ast.parse((ROOT/path).read_text())):
        if not isinstance(node, ast.ImportFrom) or not node.level: continue
        base = here.split(".")[:-node.level]
        target = ".".join([*base, *(node.module or "").split(".")]).strip(".")
        targets = [target] if target else [alias.name for alias in node.names]
        for name in targets:
            if name.split(".")[0] in FLOORS: assert floor_of(name) <= floor_of(here), f"{here} imports {name}"


@pytest.mark.parametrize("path", tracked())
def test_nothing_about_a_machine(path):
    if (ROOT/path).suffix in (".png", ".lock") or path == "tests/test_repository.py": return
    text = (ROOT/path).read_text(encoding="utf-8")
    assert not re.search(r"/root/|/home/\w|/work/(main|shared)|/scratch|/tmp/\w+ipy", text)


def test_no_data_file_is_committed():
    assert not [path for path in tracked() if re.search(r"\.(data|test|gz|Z|csv|sqlite)$", path)]


def test_every_requirement_is_locked():
    settings = configparser.ConfigParser(delimiters=["="])
    settings.read(ROOT/"settings.ini")
    locked = [Requirement(line) for line in (ROOT/"requirements.lock").read_text().splitlines() if re.match(r"\w", line)]
    for text in settings["DEFAULT"]["requirements"].split() + settings["DEFAULT"]["dev_requirements"].split():
        wanted = Requirement(text)
        pins = [pin for pin in locked if pin.name.lower().replace("_", "-") == wanted.name.lower().replace("_", "-")]
        assert pins, f"{wanted.name} is not in requirements.lock: run make lock"
        for pin in pins: assert wanted.specifier.contains(next(iter(pin.specifier)).version)


def test_wheel_brings_the_result_notebooks(tmp_path):
    copy = tmp_path/"copy"
    for path in tracked():
        (copy/path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT/path, copy/path)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", tmp_path, copy]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    wheel, = tmp_path.glob("*.whl")
    listed = subprocess.run([sys.executable, "-m", "zipfile", "-l", wheel], capture_output=True, text=True).stdout
    assert "kmodes_study/notebooks/wilde2020.ipynb" in listed and "kmodes_study/cluster/kmodes.py" in listed


def test_import_is_light():
    code = "import sys, kmodes_study; print([m for m in ('matplotlib', 'seaborn', 'sklearn', 'numba') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
