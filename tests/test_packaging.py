"""The package as it is published: what it needs and brings, and that its source
distribution can be installed.
"""

import ast
import configparser
import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from test_repository import ROOT, copied

SETTINGS = configparser.ConfigParser(delimiters=["="])
SETTINGS.read(ROOT / "settings.ini")
SETTINGS = SETTINGS["DEFAULT"]

# Where the name to import is another (IPython comes with ipykernel, PIL with
# matplotlib); what is run, not imported.
DISTRIBUTION = dict(sklearn="scikit-learn", IPython="ipykernel", PIL="matplotlib")
DISTRIBUTION["websocket"] = "websocket-client"
COMMANDS = {
    *"nbdev execnb ghapi fastgit jupyterlab nbconvert pytest-xdist cosmic-ray".split(),
    *"ruff setuptools wheel build mypy codespell myst-nb pydata-sphinx-theme".split(),
}
EXTRAS = ["data", "plots", "study", "big", "excel", "dask", "site"]
# whoever makes kept rows of results anew needs them: they come with the extra dev
PEERS = {"kmodes", "kluster-fudge", "stepmix"}
# packages in a Python of their own, which nbs/results/protocols/apart.py speaks to
APART = {"lshkrepresentatives", "umap", "genieclust", "pykamila"}
ALIEN = {"kmodes_study", "markupsafe", "matplotlib_inline"}  # its own, or with others


def requirements(*lines):
    "The requirements of lines of settings.ini."
    return [Requirement(text) for line in lines for text in SETTINGS[line].split()]


def normal(name):
    return DISTRIBUTION.get(name, name).lower().replace("_", "-")


def wanted(*extras):
    "What the package needs with some extras, by its plain names."
    lines = "requirements", *(f"{name}_requirements" for name in extras)
    return {normal(one.name): one.specifier for one in requirements(*lines)}


def brought_by(extra):
    return {normal(one.name) for one in requirements(f"{extra}_requirements")}


def imports(node):
    "Names of the distributions that a tree imports, wherever it does."
    names = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in part.names}
        if isinstance(part, ast.ImportFrom) and not part.level:
            names.add(part.module.partition(".")[0])
    return {normal(name) for name in names - {*sys.stdlib_module_names} - ALIEN}


def imported(*folders):
    "What modules and the code cells of notebooks below `folders` import."
    found = set()
    for path in (path for each in folders for path in (ROOT / each).rglob("*")):
        if path.suffix == ".py":
            found |= imports(ast.parse(path.read_text(encoding="utf-8")))
        if path.suffix == ".ipynb" and ".ipynb_checkpoints" not in path.parts:
            for cell in nbformat.read(path, as_version=4).cells:
                if cell.cell_type == "code":
                    text = re.sub(r"^[%!].*", "", cell.source, flags=re.M)
                    found |= imports(ast.parse(text))
    return found


def test_what_is_imported_is_declared_and_what_is_declared_is_imported():
    there = imported("kmodes_study", "nbs/results")
    assert there - PEERS - APART == {*wanted("study", "excel", "dask")}
    own = {"bench", "oracles", "protocols"}
    own |= {normal(path.stem) for path in (ROOT / "tests").glob("*.py")}
    own |= {normal(path.stem) for path in (ROOT / "nbs").rglob("*.py")}
    used = imported("kmodes_study", "nbs", "tests", "bench", "site") - own
    assert used - wanted("dev").keys() == APART
    assert wanted("dev").keys() - used - COMMANDS == set()


def pins(file):
    "The requirements that a file pins, with their versions."
    for line in (ROOT / file).read_text().splitlines():
        if re.match(r"\w", line):
            pin = Requirement(line)
            yield normal(pin.name), next(iter(pin.specifier)).version


def test_every_requirement_is_locked():
    locked = [*pins("requirements.lock")]
    assert wanted("dev").keys() <= {*dict(locked)}, "run make lock"
    for name, version in locked:
        assert wanted("dev").get(name, SpecifierSet()).contains(version), name


def test_the_oldest_versions_are_those_of_the_settings():
    oldest = dict(pins("requirements-oldest.txt"))
    assert sorted(oldest) == sorted(wanted("study"))
    for name, specifier in wanted("study").items():
        (bound,) = [one.version for one in specifier if one.operator == ">="]
        assert f"{oldest[name]}.".startswith(f"{bound}."), f"{name} {bound} is untested"


def test_an_extra_brings_what_its_name_promises():
    assert SETTINGS["extras"].split() == [*EXTRAS, "dev"]
    needs = {key: brought_by(key) for key in [*EXTRAS, "dev"]}
    assert needs["data"] | needs["plots"] | needs["big"] < needs["study"] < needs["dev"]
    assert {"python-calamine", "openpyxl"} == needs["excel"] < needs["dev"]
    assert needs["big"] < needs["dask"] < needs["dev"] > needs["site"]


def unguarded(node, brought=frozenset()):
    "Modules of extras that are imported outside `with extra(name):` of one with them."
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return imports(node) & (brought_by("study") | brought_by("dask")) - brought
    call = node.items[0].context_expr if isinstance(node, ast.With) else None
    if getattr(getattr(call, "func", None), "id", "") == "extra":
        brought = brought_by(call.args[0].value)
    parts = ast.iter_child_nodes(node)
    return set().union(*(unguarded(part, brought) for part in parts))


def test_what_comes_with_an_extra_is_imported_inside_its_guard():
    for path in (ROOT / "kmodes_study").rglob("*.py"):
        assert unguarded(ast.parse(path.read_text())) == set(), path


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


# From here on: the source distribution, the wheel made from it, and the command
# installed from that.


PUT_IN = "notebooks/wilde2020.ipynb", "CITATION.cff", "py.typed", "__init__.pyi"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that is built from the source distribution of the files in git, and
    from nothing else.
    """
    folder = tmp_path_factory.mktemp("packages")
    copy = copied(folder / "copy")
    run([sys.executable, "setup.py", "--quiet", "sdist", "--dist-dir", folder], copy)
    (source,) = folder.glob("*.tar.gz")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    run([sys.executable, "-m", "pip", "wheel", *options, source], folder)
    return next(folder.glob("*.whl"))


def run(command, folder):
    "The output of a command run in `folder`, which must succeed."
    left = os.environ.keys() - {"PYTHONPATH", "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        capture_output=True,
        text=True,
        env={name: os.environ[name] for name in left},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_made_from_the_source_distribution_is_whole(wheel):
    listed = run([sys.executable, "-m", "zipfile", "-l", wheel], ROOT)
    names = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "kmodes_study").rglob("*")
        if path.suffix in (".py", ".toml") and path.name != "_modidx.py"
    ]
    names += [f"kmodes_study/{name}" for name in PUT_IN]
    assert [name for name in names if name not in listed] == []
    assert not re.search("tests/|_modidx", listed)


@pytest.mark.minute
def test_the_installed_command_reproduces_outside_the_clone(wheel, tmp_path):
    venv.create(tmp_path / "clean", with_pip=False)
    python = tmp_path / "clean" / "bin" / "python"
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run([python, "-c", ask], tmp_path).strip())
    # what the package needs is at hand; the package is not
    (packages / "requirements.pth").write_text(sysconfig.get_path("purelib"))
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
    run([*install, "--no-deps", wheel], tmp_path)
    ask = "import kmodes_study; print(kmodes_study.__file__)"
    assert Path(run([python, "-c", ask], tmp_path)).is_relative_to(packages)
    asked = "reproduce wilde2020 --seeds 5 --output build".split()
    assert "report" in run([python.parent / "kmodes-study", *asked], tmp_path)
    assert (tmp_path / "build" / "seeds-5" / "report.html").stat().st_size > 10_000
