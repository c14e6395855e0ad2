"""A place to work on faults: copies of the repository, and for each fault a fresh copy
of the package in one.
"""

import json
import multiprocessing
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

NEEDED = (
    "kmodes_study",
    "tests",
    "nbs",
    "bench",
    "site",
    "settings.ini",
    "Makefile",
    "README.md",
)
_PATIENCE = 1800  # seconds after which tests that hang count as tests that notice
_WORK = 1200  # and seconds of the processor, whatever else the machine does
# The contract of scikit-learn is long and coarse; the others have to do without it.
_OPTIONS = (
    "-x",
    "-q",
    "-p",
    "no:cacheprovider",
    "--no-header",
    "-k",
    "not scikit_learns_contract",
)
_FORKS = multiprocessing.get_context("forkserver")  # libraries are imported once
_FORKS.set_forkserver_preload(
    [
        "pytest",
        "pandas",
        "scipy.stats",
        "numba",
        "hypothesis.extra.numpy",
        "nbformat",
        "narwhals",
        "joblib",
        "scipy.cluster.hierarchy",
        "scipy.optimize",
        "scipy.sparse.csgraph",
        "sklearn.cluster",
        "sklearn.manifold",
        "matplotlib.pyplot",
        "sklearn.utils.estimator_checks",
    ]
)


class Fault(NamedTuple):
    """A small fault: a text that stands once in a module, and what stands there in its
    place.

    Attributes
    ----------
    module : str
        path below the package
    old : str
    new : str
    tests : tuple
        names of files in `tests`, with ::test behind them where one is enough
    """

    module: str
    old: str
    new: str
    tests: tuple


def check_texts(root, faults):
    """The faults whose text does not stand exactly once in its module, each with the
    words that say so.
    """
    lost = []
    for fault in faults:
        path = Path(root) / "kmodes_study" / fault.module
        times = (
            path.read_text(encoding="utf-8").count(fault.old) if path.exists() else None
        )
        words = (
            "there is no such module"
            if times is None
            else f"this text must be there once, it is {times} times"
        )
        if times != 1:
            lost.append((fault, f"{words}: mend tests/mutants/faults.py"))
    return lost


class Bench:
    """Copies of the repository for some processes; nothing is ever changed in the
    working tree.
    """

    def __init__(self, root, n_copies):
        self.root = Path(root)
        self.n_copies = n_copies
        self.free = queue.Queue()
        self.lock = threading.Lock()  # of the package without a fault

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="mutants-")
        self.package = Path(self.folder.name) / "package"
        # with what numba keeps, which saves compiling
        shutil.copytree(self.root / "kmodes_study", self.package)
        for number in range(self.n_copies):
            self.free.put(self._copied(Path(self.folder.name) / str(number)))
        return self

    def _copied(self, folder):
        "The folder, with what the tests need in it."
        for name in NEEDED:
            source = self.root / name
            if source.is_dir():
                shutil.copytree(source, folder / name)
            elif source.exists():
                shutil.copy2(source, folder / name)
        return folder

    def __exit__(self, *error):
        self.folder.cleanup()

    def run(self, tests, change=None):
        """The exit status of pytest in a copy and its last words, after
        `change(package)` in a fresh package.

        What a run without a change has compiled is kept for those that follow.
        """
        copy = self.free.get()
        try:
            shutil.rmtree(copy / "kmodes_study")
            with self.lock:
                shutil.copytree(self.package, copy / "kmodes_study")
            if change:
                change(copy / "kmodes_study")
            status, words = _pytest(copy, tests)
            if not change and status == 0:
                self._keep(copy / "kmodes_study")
            return status, words
        finally:
            self.free.put(copy)

    def _keep(self, package):
        "Take over the compiled kernels of a package that has not been changed."
        with self.lock:
            shutil.copytree(package, self.package, dirs_exist_ok=True)

    def notebook_notices(self, fault):
        "Whether the notebook notices a fault that writes its place."
        text = (self.root / "kmodes_study" / fault.module).read_text(encoding="utf-8")
        place = cell_of(text, fault.old)
        if place is None:
            return False
        copy = self.free.get()
        try:
            return _notebook_notices(copy, fault, place)
        finally:
            self.free.put(copy)

    def broken_tests(self, names, pool):
        "The words of those tests that fail without a fault, by their names."
        found = zip(names, pool.map(lambda name: self.run([name]), names))
        return {name: words for name, (status, words) in found if status}


class _QuickFirst:
    """A plugin of pytest: quick tests run first, as a fault ends a run with the first
    test that notices it.

    How long a test takes is learnt where all of a run pass, and kept in a file.
    """

    def __init__(self, path):
        self.path = path
        self.known = json.loads(path.read_text()) if path.exists() else {}

    def pytest_collection_modifyitems(self, items):
        items.sort(key=lambda item: self.known.get(item.nodeid, 0.0))

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            self.known[report.nodeid] = report.duration

    def pytest_sessionfinish(self, exitstatus):
        if exitstatus == 0:
            self.path.write_text(json.dumps(self.known))


def _in_copy(copy, tests, output):
    """In a process of its own: run the tests of a copy, and end with the status of
    pytest.
    """
    import resource

    import pytest

    os.chdir(copy)
    resource.setrlimit(resource.RLIMIT_CPU, (_WORK, _WORK))
    sys.path[:0] = [str(copy / "tests"), str(copy)]
    os.environ.update(
        PYTHONPATH=str(copy), MPLBACKEND="Agg", HYPOTHESIS_PROFILE="first"
    )
    with open(output, "w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    places = [f"tests/{name}" for name in tests]
    quick = _QuickFirst(output.with_name(f"{copy.name}-durations.json"))
    status = pytest.main([*_OPTIONS, *places], plugins=[quick])
    sys.stdout.flush()
    os._exit(status)


def _pytest(copy, tests):
    "The exit status of pytest and its last words; None for tests that hang."
    output = copy.with_suffix(".txt")
    process = _FORKS.Process(target=_in_copy, args=(copy, tests, output))
    process.start()
    process.join(_PATIENCE)
    if process.exitcode is None:
        process.kill()
    return process.exitcode, output.read_text(encoding="utf-8", errors="replace")[
        -2000:
    ]


_CELL = re.compile(r"# %% (?:\.\./)+(nbs/\S+\.ipynb) #(\w+)")


def cell_of(text, old):
    """The notebook and the id of the cell in which a text of a module is written; None
    where a module is not made from notebooks.
    """
    found = list(_CELL.finditer(text, 0, text.index(old)))
    return found[-1].groups() if found else None


def _put_into_notebook(copy, place, fault):
    "Write the fault into the cell of a notebook."
    path = copy / place[0]
    book = json.loads(path.read_text(encoding="utf-8"))
    for cell in book["cells"]:
        if cell.get("id") == place[1]:
            source = "".join(cell["source"]).replace(fault.old, fault.new)
            cell["source"] = source.splitlines(keepends=True)
    path.write_text(json.dumps(book, ensure_ascii=False, indent=1), encoding="utf-8")


def _notebook_notices(copy, fault, place):
    "Whether the tests in the notebook fail that writes the place of a fault."
    path = copy / place[0]
    before = path.read_bytes()
    _put_into_notebook(copy, place, fault)
    try:
        tested = subprocess.run(
            [Path(sys.executable).with_name("nbdev_test"), "--path", place[0]]
            + ["--n_workers", "1"],
            cwd=copy,
            env=dict(os.environ, PYTHONPATH=str(copy), MPLBACKEND="Agg"),
            capture_output=True,
            timeout=_PATIENCE,
        )
        return tested.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_bytes(before)


class Outcome(NamedTuple):
    """What came of a fault.

    Attributes
    ----------
    word : str
        `noticed`, `survived`, or `untried` where there is no such test
    by : str
        the test or the notebook that noticed it
    """

    word: str
    by: str = ""


_FAILED = re.compile(r"^(?:FAILED|ERROR) tests/(\S+)", re.MULTILINE)


def result_of(bench, fault, tests=None):
    "What came of a fault: the tests of its place are asked first, then its notebook."

    def put_in(package):
        path = package / fault.module
        path.write_text(
            path.read_text(encoding="utf-8").replace(fault.old, fault.new),
            encoding="utf-8",
        )

    status, words = bench.run(tests or fault.tests, put_in)
    if status in (4, 5):
        return Outcome("untried")
    if status != 0:
        failed = _FAILED.findall(words)
        return Outcome("noticed", failed[0] if failed else "a test that does not end")
    if bench.notebook_notices(fault):
        return Outcome("noticed", "its notebook")
    return Outcome("survived")
