"""The package as it is published: what it needs and brings, and that its source
distribution can be installed.
"""

import ast
import configparser
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = configparser.ConfigParser(delimiters=["="])
SETTINGS.read(ROOT / "settings.ini")
SETTINGS = SETTINGS["DEFAULT"]

# Where the name to import is another (IPython comes with ipykernel, PIL with
# matplotlib); what is run, not imported.
DISTRIBUTION = {
    "sklearn": "scikit-learn",
    "IPython": "ipykernel",
    "PIL": "matplotlib",
    "websocket": "websocket-client",
}
COMMANDS = {
    "nbdev",
    "execnb",
    "ghapi",
    "fastgit",
    "jupyterlab",
    "nbconvert",
    "pytest-xdist",
    "cosmic-ray",
    "ruff",
    "setuptools",
    "wheel",
    "myst-nb",
    "pydata-sphinx-theme",
}
EXTRAS = ["data", "plots", "study", "big", "excel", "dask", "site"]


# whoever makes kept rows of results anew needs them: they come with the extra dev
PEERS = {"kmodes", "kluster-fudge", "stepmix"}
# packages in a Python of their own, which nbs/results/protocols/apart.py speaks to
APART = {"lshkrepresentatives", "umap", "genieclust", "pykamila"}
USED = "study", "excel", "dask"


def requirements(key):
    "The requirements of a line of settings.ini."
    return [Requirement(text) for text in SETTINGS[key].split()]


def normal(name):
    return DISTRIBUTION.get(name, name).lower().replace("_", "-")


def imports(source):
    """Top-level names of all modules that `source` imports, wherever it does; relative
    imports aside.
    """
    nodes = list(ast.walk(ast.parse(source)))
    names = [
        alias.name
        for node in nodes
        if isinstance(node, ast.Import)
        for alias in node.names
    ]
    names += [
        node.module
        for node in nodes
        if isinstance(node, ast.ImportFrom) and not node.level
    ]
    return (
        {name.split(".")[0] for name in names}
        - set(sys.stdlib_module_names)
        - {"kmodes_study"}
        - {"markupsafe", "matplotlib_inline"}  # come with jinja2 and ipykernel
    )


def sources(*folders):
    "The Python text below `folders`: modules as they are, of notebooks the code cells."
    for path in (
        path for folder in folders for path in sorted((ROOT / folder).rglob("*"))
    ):
        if path.suffix == ".py":
            yield path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb" and ".ipynb_checkpoints" not in path.parts:
            cells = [
                cell.source
                for cell in nbformat.read(path, as_version=4).cells
                if cell.cell_type == "code"
            ]
            yield "\n".join(re.sub(r"^[%!].*", "", cell, flags=re.M) for cell in cells)


def imported(*folders):
    return {normal(name) for source in sources(*folders) for name in imports(source)}


def test_what_the_package_imports_is_declared_and_what_is_declared_is_imported():
    declared = {
        normal(wanted.name)
        for key in ("requirements", *(f"{name}_requirements" for name in USED))
        for wanted in requirements(key)
    }
    assert imported("kmodes_study", "nbs/results") - PEERS - APART == declared


def test_what_tests_and_chapters_import_is_declared_and_what_is_declared_is_used():
    declared = {
        normal(wanted.name)
        for key in ("requirements", "dev_requirements")
        for wanted in requirements(key)
    }
    own = {"bench", "oracles", "protocols"}
    own |= {normal(path.stem) for path in (ROOT / "tests").glob("*.py")}
    own |= {normal(path.stem) for path in (ROOT / "nbs" / "results").rglob("*.py")}
    used = imported("kmodes_study", "nbs", "tests", "bench", "site") - own
    assert used - declared == APART
    assert declared - used - COMMANDS == set()


def test_every_requirement_is_locked():
    locked = [
        Requirement(line)
        for line in (ROOT / "requirements.lock").read_text().splitlines()
        if re.match(r"\w", line)
    ]
    for wanted in requirements("requirements") + requirements("dev_requirements"):
        pins = [pin for pin in locked if normal(pin.name) == normal(wanted.name)]
        assert pins, f"{wanted.name} is not in requirements.lock: run make lock"
        for pin in pins:
            assert wanted.specifier.contains(next(iter(pin.specifier)).version)


def test_the_oldest_versions_are_those_of_the_settings():
    lines = [
        line
        for line in (ROOT / "requirements-oldest.txt").read_text().splitlines()
        if re.match(r"\w", line)
    ]
    oldest = {
        normal(pin.name): next(iter(pin.specifier)).version
        for pin in map(Requirement, lines)
    }
    wanted = {
        normal(need.name): need.specifier
        for need in requirements("requirements") + requirements("study_requirements")
    }
    assert sorted(oldest) == sorted(wanted)
    for name, specifier in wanted.items():
        (bound,) = [one for one in specifier if one.operator == ">="]
        assert f"{oldest[name]}.".startswith(f"{bound.version}."), (
            f"{name}: {bound} is not tested, but {oldest[name]}"
        )


def test_an_extra_brings_what_its_name_promises():
    text = (ROOT / "setup.py").read_text() + (ROOT / "settings.ini").read_text()
    assert SETTINGS["extras"].split() == [*EXTRAS, "dev"]
    needs = {
        key: {wanted.name for wanted in requirements(f"{key}_requirements")}
        for key in [*EXTRAS, "dev"]
    }
    assert (
        needs["data"] | needs["plots"] | needs["big"] < needs["study"] < needs["dev"]
    ), text
    assert {"python-calamine", "openpyxl"} == needs["excel"] < needs["dev"], text
    assert needs["big"] < needs["dask"] < needs["dev"] > needs["site"], text


def brought_by(extra):
    return {normal(wanted.name) for wanted in requirements(f"{extra}_requirements")}


def guarded(node):
    "The extra named by `with extra(name):`, or nothing."
    if not isinstance(node, ast.With) or not isinstance(
        node.items[0].context_expr, ast.Call
    ):
        return None
    call = node.items[0].context_expr
    return call.args[0].value if getattr(call.func, "id", "") == "extra" else None


def unguarded(node, extra=None):
    """Modules of an extra that are imported outside `with extra(name):`, where `name`
    brings them.
    """
    extra = guarded(node) or extra
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        found = {normal(name) for name in imports(ast.unparse(node))} & (
            brought_by("study") | brought_by("dask")
        )
        return found - (brought_by(extra) if extra else set())
    return set().union(
        *(unguarded(child, extra) for child in ast.iter_child_nodes(node))
    )


def test_what_comes_with_an_extra_is_imported_inside_its_guard():
    paths = sorted((ROOT / "kmodes_study").rglob("*.py"))
    modules = {
        str(path.relative_to(ROOT)): unguarded(ast.parse(path.read_text()))
        for path in paths
    }
    assert {name: found for name, found in modules.items() if found} == {}


def test_without_the_extras_there_is_k_modes():
    blocked = [requirement.name for requirement in requirements("study_requirements")]
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({blocked}))\n"
        "import kmodes_study as ks\nX, y = ks.load('car', return_X_y=True)\n"
        "print(ks.KModes(2).fit(X).cost_, ks.measures.rand_score(y, y))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(" 1.0\n"), done.stderr


def test_citation_and_package_have_one_version():
    import kmodes_study

    citation = dict(
        re.findall(r"^([\w-]+): (.+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    )
    assert citation["version"] == kmodes_study.__version__ == SETTINGS["version"]
    assert citation["repository-code"].strip('"') == SETTINGS["git_url"]


# From here on: the source distribution, the wheel made from it, and the command
# installed from that.


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that is built from the source distribution of the files in git, and
    from nothing else.
    """
    folder = tmp_path_factory.mktemp("packages")
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for path in (path for path in listed.stdout.splitlines() if (ROOT / path).exists()):
        (folder / "copy" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / "copy" / path)
    run(
        [sys.executable, "setup.py", "--quiet", "sdist", "--dist-dir", folder],
        folder / "copy",
    )
    (source,) = folder.glob("*.tar.gz")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    run([sys.executable, "-m", "pip", "wheel", *options, source], folder)
    return next(folder.glob("*.whl"))


def run(command, folder):
    "The output of a command run in `folder`, which must succeed."
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "NUMBA_CACHE_DIR")
    }
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        capture_output=True,
        text=True,
        env=inherited,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_made_from_the_source_distribution_is_whole(wheel):
    listed = run([sys.executable, "-m", "zipfile", "-l", wheel], ROOT)
    files = [
        path
        for path in (ROOT / "kmodes_study").rglob("*")
        if path.suffix in (".py", ".toml") and path.name != "_modidx.py"
    ]
    names = [path.relative_to(ROOT).as_posix() for path in files]
    assert [
        name
        for name in [*names, "kmodes_study/notebooks/wilde2020.ipynb"]
        if name not in listed
    ] == []
    assert "tests/" not in listed


@pytest.mark.minute
def test_the_installed_command_reproduces_outside_the_clone(wheel, tmp_path):
    venv.create(tmp_path / "clean", with_pip=False)
    python = tmp_path / "clean" / "bin" / "python"
    packages = Path(
        run(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            tmp_path,
        ).strip()
    )
    # what the package needs is at hand; the package is not
    (packages / "requirements.pth").write_text(sysconfig.get_path("purelib"))
    run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            python,
            "install",
            "--quiet",
            "--no-deps",
            wheel,
        ],
        tmp_path,
    )
    home = run(
        [python, "-c", "import kmodes_study; print(kmodes_study.__file__)"], tmp_path
    ).strip()
    assert Path(home).is_relative_to(packages)
    command = [
        python.parent / "kmodes-study",
        "reproduce",
        "wilde2020",
        "--seeds",
        "5",
        "--output",
        "build",
    ]
    assert "report" in run(command, tmp_path)
    assert (tmp_path / "build" / "seeds-5" / "report.html").stat().st_size > 10_000
