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

SECONDS = 40
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
    "The modules of a changed file, and what they offer, as tests name them."
    names = [re.sub(r"^kmodes_study/|\.py$", "", path).replace("/", ".")]
    if path.endswith(".ipynb") and Path(path).is_file():
        text = Path(path).read_text(encoding="utf-8")
        names = re.findall(r"#\| (?:default_exp|export) ([\w.]+)", text)
    for name in [*names]:
        module = Path("kmodes_study", *name.split(".")).with_suffix(".py")
        text = module.read_text(encoding="utf-8") if module.is_file() else ""
        for offered in re.findall(r"^__all__ = \[(.*?)\]", text, re.S | re.M):
            names += re.findall(r"\w+", offered)
    return names


def tests_of(changed):
    "Test files, those that name the changed modules most come first."
    names = set().union(*map(names_of, changed))
    word = re.compile(rf"\b({'|'.join(map(re.escape, names)) or '(?!)'})\b")
    found = {}
    for path in sorted(Path("tests").glob("test_*.py")):
        found[path.as_posix()] = len(word.findall(path.read_text(encoding="utf-8")))
    ranked = sorted(found, key=found.get, reverse=True)
    ranked = [path for path in ranked if found[path] * 5 > found[ranked[0]]]
    return [*dict.fromkeys([path for path in found if path in changed] + ranked)]


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
# nothing that ended is no success
sys.exit(bool(results) and (False in results or True not in results))
