"""Put small faults into a copy of the package, one at a time, and run the tests of the
place: status 1 where a fault is not noticed and no reason is given, where its text is
not found, or where a test fails without a fault.
"""

import argparse
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutants.copies import Bench, check_texts, result_of
from mutants.faults import EQUIVALENT, FAULTS, REASONS

ROOT = Path(__file__).resolve().parents[2]


def parsed():
    "What the command line says."
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    add = parser.add_argument
    add(
        "--only",
        default="",
        metavar="TEXT",
        help="faults whose module or new text contains TEXT (default: all)",
    )
    add(
        "--tests",
        nargs="+",
        metavar="FILE",
        help="tests to run in place of those of the fault, such as test_rock.py",
    )
    add(
        "--processes",
        type=int,
        default=os.cpu_count(),
        help="how many work (default: one a processor)",
    )
    add(
        "--trust",
        action="store_true",
        help="do not run the tests without a fault first",
    )
    add(
        "--write",
        action="store_true",
        help="write tests/mutants/RESULTS.md, for all faults",
    )
    add(
        "--list",
        action="store_true",
        help="say which faults there are, look for their texts, and run nothing",
    )
    return parser.parse_args()


def chosen(only):
    "The faults that were asked for."
    return [fault for fault in FAULTS if only in fault.module or only in fault.new]


def in_short(text):
    "A text on one line, as far as it goes."
    return " ".join(text.split())[:80] or "a line left out"


def show(fault, result):
    """A line for a fault, and the fault itself where it was not noticed or could not be
    tried.
    """
    print(f"{result.word:9} {fault.module}: {in_short(fault.new)}", flush=True)
    if result.by:
        print(f"{'':9} by {result.by}")
    if result.word != "noticed":
        print(f"{'':9} in place of: {' '.join(fault.old.split())}", flush=True)


def run_all(faults, tests, n_processes, trust=False):
    "Pairs of a fault and what came of it."
    with Bench(ROOT, n_processes) as bench, ThreadPoolExecutor(n_processes) as pool:
        names = (
            set()
            if trust
            else {name for fault in faults for name in tests or fault.tests}
        )
        broken = bench.broken_tests(sorted(names), pool)
        for name, words in broken.items():
            print(f"fails without a fault: {name}\n{words}")
        if broken:
            return None
        tried = []
        for fault, result in zip(
            faults, pool.map(lambda fault: result_of(bench, fault, tests), faults)
        ):
            show(fault, result)
            tried.append((fault, result))
    return tried


def shares(tried):
    "Rows of a table: a module, how many of its faults were noticed, and how many are."
    counts = Counter((fault.module, result.word) for fault, result in tried)
    rows = []
    for module in dict.fromkeys(fault.module for fault, _ in tried):
        total = sum(n for (name, _), n in counts.items() if name == module)
        rows.append((module, counts[module, "noticed"], total))
    return rows


def told(fault, result):
    "What became of a fault, in words: who noticed it, or why nobody does."
    reason = REASONS.get((fault.module, fault.new))
    if result.word == "noticed":
        return result.by
    if result.word == "untried":
        return "not tried"
    return f"**{result.word}**: {reason or 'not explained yet'}"


def in_code(text):
    "A text as code in a table."
    return f"`{in_short(text)}`".replace("|", "\\|")


def as_page(tried, version):
    "The results as the text of RESULTS.md."
    words = Counter(result.word for _, result in tried)
    alike = sum(
        result.word == "survived"
        and REASONS.get((fault.module, fault.new), "").startswith(EQUIVALENT)
        for fault, result in tried
    )
    lines = [
        "# Which faults the tests notice",
        "",
        f"For the commit {version}; `make mutants ARGS='--write'` writes this page.",
        f"{len(tried)} faults, {words['untried']} of which were not tried:",
        f"{words['noticed']} are noticed and {words['survived']} survived, "
        f"{'all' if alike == words['survived'] else alike} of",
        "them because they change no result. A fault is a text and what stands in its",
        "place (`tests/mutants/faults.py`).",
        "",
        "| module | noticed | faults |",
        "| --- | ---: | ---: |",
    ]
    lines += [f"| {module} | {n} | {total} |" for module, n, total in shares(tried)]
    lines += ["", "| module | text | in its place | noticed by |", "| --- " * 4 + "|"]
    for fault, result in tried:
        cells = [fault.module, in_code(fault.old), in_code(fault.new)]
        lines.append(f"| {' | '.join([*cells, told(fault, result)])} |")
    return "\n".join([*lines, ""])


def version():
    "The commit of the working tree, and its day."
    asked = ["git", "-C", ROOT, "log", "-1", "--format=%h of %as"]
    found = subprocess.run(asked, capture_output=True, text=True)
    return found.stdout.strip() or "that is not known"


def main():
    "The status of the command."
    asked = parsed()
    faults = chosen(asked.only)
    lost = check_texts(ROOT, faults)
    for fault, words in lost:
        print(f"{fault.module}: {words}\n    {fault.old.strip()}")
    if asked.list:
        print(*(f"{fault.module:32} {fault.new.strip()}" for fault in faults), sep="\n")
    if asked.list or lost:
        return int(bool(lost))
    tried = run_all(faults, asked.tests, asked.processes, asked.trust)
    if tried is None:
        return 1
    for module, n, total in shares(tried):
        print(f"{module:32} {n:3} of {total:3} noticed")
    if asked.write:
        text = as_page(tried, version())
        Path(__file__).with_name("RESULTS.md").write_text(text, encoding="utf-8")
    noticed = sum(result.word == "noticed" for _, result in tried)
    print(f"{noticed} of {len(tried)} faults noticed")
    return int(
        any(
            result.word != "noticed" and (fault.module, fault.new) not in REASONS
            for fault, result in tried
        )
    )


if __name__ == "__main__":
    sys.exit(main())
