"""Generated cases of each family (calls, sets, codes, models, commands, certificates),
judged; status 1: one wrong.
"""

import argparse
import os
import sys
from collections import Counter

from fuzz.families import FAMILIES, MANY
from fuzz.judge import GOOD, case_of, quiet
from fuzz.run import run


def show(verdict):
    "A line for a case that went wrong."
    number, call, outcome, words = verdict
    print(f"{outcome:13} case {number}: {call}\n{'':13} {words[:300]}", flush=True)


def again(family, seed, number):
    "One case in full; of a call its arguments, and the error with its traceback."
    print(*FAMILIES[family](seed, number)[1:], sep="\n")
    if family != "calls":
        return
    case = case_of(seed, number)
    for name, value in case_of(seed, number).given.items():
        print(f"\n{name} = {value!r}")
    quiet(case.target.call, case.given)


def parsed():
    "What the command line says."
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    add = parser.add_argument
    add(
        "--family",
        choices=FAMILIES,
        help="one family only (default: all, one after the other)",
    )
    add(
        "--cases",
        type=int,
        help="how many of each family (default: 10000 calls, 1000 of each other)",
    )
    add("--first", type=int, default=0, help="number of the first (default: 0)")
    add("--seed", type=int, default=0, help="where the cases come from (default: 0)")
    add(
        "--processes",
        type=int,
        default=os.cpu_count(),
        help="how many work (default: one a processor)",
    )
    add(
        "--case", type=int, help="one case only, in full (of the calls, or of --family)"
    )
    return parser.parse_args()


def run_family(family, asked):
    "Run the cases of a family; whether all are good."
    counts, n = Counter(), asked.cases or MANY.get(family, 1000)
    verdicts = run(
        family, asked.seed, range(asked.first, asked.first + n), asked.processes
    )
    for done, verdict in enumerate(verdicts, 1):
        counts[verdict[2]] += 1
        if verdict[2] not in GOOD:
            show(verdict)
        if done % 1000 == 0:
            print(f"{done} {family}: {dict(counts)}", flush=True)
    found = ", ".join(f"{n} {what}" for what, n in counts.most_common())
    print(f"{n} {family} from seed {asked.seed}: {found}", flush=True)
    return set(counts) <= set(GOOD)


def main():
    "The status of the command: 1 when a case went wrong."
    asked = parsed()
    if asked.case is not None:
        return again(asked.family or "calls", asked.seed, asked.case)
    return int(
        not all(
            [
                run_family(family, asked)
                for family in ([asked.family] if asked.family else FAMILIES)
            ]
        )
    )


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    sys.exit(main())
