"""A place to work on faults: copies of the repository, and for each fault a fresh copy
of the package in one.
"""

import multiprocessing
import os
import queue
import shutil
import sys
import tempfile
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
        """
        copy = self.free.get()
        try:
            shutil.rmtree(copy / "kmodes_study")
            shutil.copytree(self.package, copy / "kmodes_study")
            if change:
                change(copy / "kmodes_study")
            return _pytest(copy, tests)
        finally:
            self.free.put(copy)

    def broken_tests(self, names, pool):
        "The words of those tests that fail without a fault, by their names."
        found = zip(names, pool.map(lambda name: self.run([name]), names))
        return {name: words for name, (status, words) in found if status}


def _in_copy(copy, tests, output):
    """In a process of its own: run the tests of a copy, and end with the status of
    pytest.
    """
    import pytest

    os.chdir(copy)
    sys.path[:0] = [str(copy / "tests"), str(copy)]
    os.environ.update(PYTHONPATH=str(copy), MPLBACKEND="Agg")
    with open(output, "w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    status = pytest.main([*_OPTIONS, *(f"tests/{name}" for name in tests)])
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


def result_of(bench, fault, tests=None):
    """Whether the tests of its place notice a fault: `noticed`, `survived`, or
    `untried` where there is no such test.
    """

    def put_in(package):
        path = package / fault.module
        path.write_text(
            path.read_text(encoding="utf-8").replace(fault.old, fault.new),
            encoding="utf-8",
        )

    status, _ = bench.run(tests or fault.tests, put_in)
    return {0: "survived", 4: "untried", 5: "untried"}.get(status, "noticed")
