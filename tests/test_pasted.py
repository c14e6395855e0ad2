"""What a reader sees runs: the visible cells of a chapter, pasted into a script, on an
installation that has figures and nothing else beside the package.
"""

import json
import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from kmodes_study.command.cli import main

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *sorted(
        path.relative_to(ROOT).as_posix()
        for folder in ("book", "howto")
        for path in ROOT.glob(f"nbs/{folder}/*.ipynb")
    ),
    "nbs/describe/your_table.ipynb",
    "nbs/index.ipynb",
]
HIDDEN = re.compile(r"#\|\s*(hide|default_exp)\b")

# Runs each script in a namespace of its own, without the packages that are named. A fit
# that does not say how many swaps it may make gets 200, not 4,000: whether a cell runs
# does not hang on them.
RUNNER = """
import json, sys, traceback

class Hiding:
    "A finder that does not find the modules that are absent."

    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in absent:
            return self.finder.find_spec(name, path, target)

absent, scripts = json.load(sys.stdin)
sys.meta_path[:] = map(Hiding, sys.meta_path)
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from kmodes_study.cluster.algorithms import swaps
swaps._MOST = 200
failed = {}
for name, text in scripts.items():
    try:
        exec(compile(text, name, "exec"), {"__name__": "__main__"})
    except BaseException:
        failed[name] = traceback.format_exc()
    plt.close("all")
    plt.rcdefaults()
json.dump(failed, open("failed.json", "w"))
"""


def pasted(path):
    "The visible code of a notebook as one script."
    cells = nbformat.read(ROOT / path, as_version=4).cells
    seen = [
        re.sub(r"^#\|.*\n", "", cell.source, flags=re.MULTILINE)
        for cell in cells
        if cell.cell_type == "code" and not HIDDEN.match(cell.source)
    ]
    return "\n\n".join(seen)


def needed_by(names):
    "The distributions of these names and all that they need, by their plain names."
    found, waiting = set(), list(names)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in found:
            continue
        found.add(name)
        wanted = map(Requirement, requires(name) or [])
        waiting += [
            each.name
            for each in wanted
            if each.marker is None or each.marker.evaluate({"extra": ""})
        ]
    return found


def absent_modules():
    "The modules that an installation with the extra `plots` does not bring."
    parser = ConfigParser(delimiters=["="])
    parser.read(ROOT / "settings.ini", encoding="utf-8")
    settings = parser["DEFAULT"]
    lines = (settings["requirements"] + " " + settings["plots_requirements"]).split()
    there = needed_by(Requirement(line).name for line in lines)
    there.add(canonicalize_name(settings["lib_name"]))
    return sorted(
        module
        for module, homes in packages_distributions().items()
        if not there & {canonicalize_name(home) for home in homes}
    )


@pytest.fixture(scope="module")
def failed(tmp_path_factory):
    "The error of each page that fails, by its path."
    folder = tmp_path_factory.mktemp("pasted")
    (folder / "nbs").symlink_to(ROOT / "nbs")  # it is only read
    task = json.dumps([absent_modules(), {path: pasted(path) for path in PAGES}])
    done = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input=task,
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "failed.json").read_text(encoding="utf-8"))


def test_what_a_reader_sees_defines_its_names(tmp_path):
    for path in PAGES:
        (tmp_path / f"{path.replace('/', '_')}.py").write_text(pasted(path))
    ruff = [Path(sys.executable).parent / "ruff", "check", "--no-cache", "--isolated"]
    command = [*ruff, "--select", "F821,E9", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.minute
@pytest.mark.parametrize("path", PAGES)
def test_what_a_reader_sees_runs(path, failed):
    assert path not in failed, failed[path]


def test_packages_of_other_extras_are_absent():
    absent = absent_modules()
    assert {"pooch", "fastcore", "nbformat", "hypothesis", "pyarrow"} <= set(absent)
    assert not {"numpy", "pandas", "matplotlib", "sklearn", "kmodes_study"} & {*absent}


def test_the_front_page_draws_its_film_and_its_commands_run(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "nbs", "nbs", ignore=shutil.ignore_patterns("[!g]*"))
    cells = nbformat.read(ROOT / "nbs/index.ipynb", as_version=4).cells
    (film,) = [cell.source for cell in cells if "draw_film(" in cell.source]
    exec(film, {})
    file = "nbs/first_page.svg"
    assert Path(file).read_text() == (ROOT / file).read_text(), "run the page"
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for told in re.findall(r"^kmodes-study (.*)", text, re.MULTILINE):
        assert main(told.split()) == 0, told
        assert capsys.readouterr().out.count(" of 12 rows):") == 3, told
    assert Path("page.html").is_file()
