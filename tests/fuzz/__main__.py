"""The command: so many cases from a seed, each judged; the status is 1 when one of them went wrong."""
import argparse
import os
import sys
from collections import Counter

from fuzz.judge import GOOD, call, case_of, judge
from fuzz.run import run


def show(verdict):
    "A line for a case that went wrong."
    number, call, outcome, words = verdict
    print(f"{outcome:13} case {number}: {call}\n{'':13} {words[:300]}", flush=True)


def again(seed, number):
    "One case in full: its arguments, and the error with its traceback."
    case = case_of(seed, number)
    print(*judge(seed, number)[1:], sep="\n")
    for name, value in case_of(seed, number).given.items(): print(f"\n{name} = {value!r}")
    call(case.target, case.given)


def parsed():
    "What the command line says."
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    add = parser.add_argument
    add("--cases", type=int, default=10_000, help="how many (default: 10000)")
    add("--first", type=int, default=0, help="number of the first (default: 0)")
    add("--seed", type=int, default=0, help="where the cases come from (default: 0)")
    add("--processes", type=int, default=os.cpu_count(), help="how many work (default: one a processor)")
    add("--case", type=int, help="one case only, with its arguments and its traceback")
    return parser.parse_args()


def main():
    "The status of the command: 1 when a case went wrong."
    asked = parsed()
    if asked.case is not None: return again(asked.seed, asked.case)
    counts = Counter()
    for done, verdict in enumerate(run(asked.seed, range(asked.first, asked.first + asked.cases), asked.processes), 1):
        counts[verdict[2]] += 1
        if verdict[2] not in GOOD: show(verdict)
        if done % 1000 == 0: print(f"{done} cases: {dict(counts)}", flush=True)
    found = ", ".join(f"{n} {what}" for what, n in counts.most_common())
    print(f"{asked.cases} cases from seed {asked.seed}: {found}")
    return int(any(outcome not in GOOD for outcome in counts))


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    sys.exit(main())
