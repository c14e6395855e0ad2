"""What a change touches is tested in a minute: its notebooks, and the test files that
name its modules most. `make quick` runs it after the linters.

A change is what differs from the last commit, or else the last commit itself.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from time import monotonic

SECONDS = 50
END = monotonic() + SECONDS
BIN = Path(sys.executable).parent


def lines(*command):
    return subprocess.check_output(command, text=True, encoding="utf-8").splitlines()


def run(what, *command):
    "Whether a command ends well; None where the minute is over."
    try:
        left = max(END - monotonic(), 0.1)
        done = subprocess.run([str(part) for part in command], timeout=left)
    except subprocess.TimeoutExpired:
        print(f"quick: no time for {what}; make test has it", flush=True)
        return None
    return done.returncode == 0


def names_of(path):
    "The module of a changed file, and what it offers, as tests name them."
    name = re.sub(r"^(nbs|kmodes_study)/|\.(ipynb|py)$", "", path)
    module = Path("kmodes_study", f"{name}.py")
    if not module.is_file():
        return set()
    text = module.read_text(encoding="utf-8")
    offered = re.search(r"^__all__ = \[(.*?)\]", text, re.S | re.M)
    return {name.replace("/", "."), *re.findall(r"\w+", offered[1] if offered else "")}


def tests_of(changed):
    "Test files, those that name the changed modules most come first."
    names = set().union(*map(names_of, changed))
    word = re.compile(rf"\b({'|'.join(map(re.escape, names)) or '(?!)'})\b")
    found = {}
    for path in sorted(Path("tests").glob("test_*.py")):
        count = len(word.findall(path.read_text(encoding="utf-8")))
        found[path.as_posix()] = 10**6 if path.as_posix() in changed else count
    ranked = sorted(found, key=found.get, reverse=True)
    return [path for path in ranked if found[path] * 5 > found[ranked[0]]]


os.chdir(Path(__file__).parent.parent)
changed = lines("git", "diff", "--name-only", "HEAD")
changed += lines("git", "ls-files", "--others", "--exclude-standard")
changed = changed or lines("git", "diff", "--name-only", "HEAD~1")
results = []
for path in changed:
    if path.startswith("nbs/") and path.endswith(".ipynb") and Path(path).is_file():
        # in one process: no worker outlives the minute
        test = BIN / "nbdev_test", "--path", path, "--n_workers", "0"
        results.append(run(path, *test))
for path in tests_of(changed):
    results.append(run(path, sys.executable, "-m", "pytest", "-q", "-x", path))
print(f"quick: {results.count(True)} of {len(results)} notebooks and test files pass")
sys.exit(False in results)
