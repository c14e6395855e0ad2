"""Put small faults into a copy of the package, one at a time, and run the tests of the
place: status 1 where a fault is not noticed, where its text is not found, or where a
test fails without a fault.
"""

import argparse
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutants.copies import Bench, check_texts, result_of
from mutants.faults import FAULTS

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
        "--list",
        action="store_true",
        help="say which faults there are, look for their texts, and run nothing",
    )
    return parser.parse_args()


def chosen(only):
    "The faults that were asked for."
    return [fault for fault in FAULTS if only in fault.module or only in fault.new]


def show(fault, result):
    """A line for a fault, and the fault itself where it was not noticed or could not be
    tried.
    """
    print(
        f"{result:9} {fault.module}: "
        f"{' '.join(fault.new.split())[:80] or 'a line left out'}",
        flush=True,
    )
    if result != "noticed":
        print(f"{'':9} in place of: {' '.join(fault.old.split())}", flush=True)


def table(tried):
    "How many faults of each module were noticed."
    counts = Counter((fault.module, result) for fault, result in tried)
    for module in sorted({fault.module for fault, _ in tried}):
        noticed = counts[module, "noticed"]
        all_of_it = sum(n for (name, _), n in counts.items() if name == module)
        print(f"{module:32} {noticed:3} of {all_of_it:3} noticed")


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
    table(tried)
    noticed = sum(result == "noticed" for _, result in tried)
    print(f"{noticed} of {len(tried)} faults noticed")
    return int(noticed < len(tried))


if __name__ == "__main__":
    sys.exit(main())
