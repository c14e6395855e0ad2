"""`python -m bench`: measure all rows, print the table, write `results.json` and
`results.csv`.

With `--full` the tables larger than memory are measured first, up to a hundred million
rows; see `scale.py`.
"""

import argparse
import json
import re
import time
from pathlib import Path

import pandas as pd

from . import scale
from .measure import machine, measure
from .rows import ROWS

LARGE = "tables larger than memory, up to 100 million rows"  # of `--full`, by `scale`
COLUMNS = [
    "task",
    "size",
    "ours",
    "compile",
    "opponent",
    "against",
    "ratio",
    "result",
    "reach",
    "reached",
]


def duration(seconds):
    "Seconds in a readable unit."
    if seconds is None:
        return ""
    for unit, factor in ("s", 1), ("ms", 1e3), ("µs", 1e6):
        if seconds * factor >= 1:
            break
    return f"{seconds * factor:.3g} {unit}"


def size(record):
    "n, m, k as text."
    if "n" not in record:
        return ""
    return f"n={record['n']:,} m={record['m']} k={record['k']}" + (
        f" {record['threads']}t" if record["threads"] > 1 else ""
    )


def result(record):
    "How the results compare, and memory."
    parts = []
    if record.get("same") is not None:
        parts.append(
            "same"
            if record["same"]
            else (
                f"DIFFERS: {record['value_at_opponent_n']} / {record['opponent_value']}"
            )
        )
    elif record.get("opponent_value") is not None:
        parts.append(
            f"{record['value_at_opponent_n']:.6g} / {record['opponent_value']:.6g}"
        )
    if "exponent" in record:
        parts.append(f"{record['over']}^{record['exponent']:.2f}")
    if "extra_mb" in record:
        parts.append(
            f"+{record['extra_mb']:.0f} MB"
            + (
                f" / +{record['opponent_extra_mb']:.0f} MB"
                if "opponent_extra_mb" in record
                else ""
            )
        )
    return ", ".join(parts)


def reach(record):
    "What the row should be."
    texts = dict(
        ratio="ratio ≥ {:,}",
        seconds="≤ {} s",
        exponent="exponent ≤ {}",
        extra_mb="+MB ≤ {}",
    )
    return ", ".join(
        texts[name].format(limit) for name, limit in record["reach"].items()
    )


def verdict(record):
    """Whether the median is what it should be; and if not, whether the best repetition
    is, which a busy machine disturbs least.
    """
    if record["reached"] is None:
        return ""
    return (
        "yes"
        if record["reached"]
        else "at best"
        if record.get("reached_at_best")
        else "NO"
    )


def line(record):
    "A record as a row of the table."
    if "skipped" in record:
        return dict.fromkeys(COLUMNS, "") | dict(
            task=record["name"], result="skipped: " + record["skipped"]
        )
    scaled = record.get("opponent_n", record.get("n")) != record.get("n")
    return dict(
        task=record["name"],
        size=size(record),
        ours=duration(record["seconds"]),
        compile=duration(record["compile_seconds"])
        if record.get("compile_seconds", 0) >= 0.1
        else "",
        opponent=duration(record.get("opponent_seconds"))
        + (f" (from n={record['opponent_n']:,})" if scaled else ""),
        against=record.get("against", ""),
        ratio=f"{record['ratio']:,.3g}"
        if record.get("ratio", 1e4) < 1000
        else f"{record['ratio']:,.0f}"
        if "ratio" in record
        else "",
        result=result(record),
        reach=reach(record),
        reached=verdict(record),
    )


def table(records):
    "All records as a frame of texts."
    return pd.DataFrame([line(record) for record in records], columns=COLUMNS)


def write(folder, records, options):
    "`results.json` with everything, `results.csv` with the plain columns."
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(
        dict(machine=machine(), options=options, rows=records),
        indent=1,
        ensure_ascii=False,
    )
    (folder / "results.json").write_text(text + "\n", encoding="utf-8")
    pd.DataFrame(
        [
            {
                name: value
                for name, value in record.items()
                if not isinstance(value, (dict, list))
            }
            for record in records
        ]
    ).to_csv(folder / "results.csv", index=False)


def run(rows, quick=False, full=False, show=print):
    "Measure the rows, one after the other."
    records = []
    for row in rows:
        start = time.perf_counter()
        records.append(measure(row, quick, full))
        told = line(records[-1])
        show(
            f"{told['task']:<60} {told['ours']:>9}  {told['ratio']:>8}  "
            f"{told['result']:<28} {told['reach']} {told['reached']}   "
            f"[{time.perf_counter() - start:.0f} s]"
        )
    return records


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help=f"run every opponent on all rows, however long it takes, and {LARGE}",
    )
    parser.add_argument(
        "--tiny",
        action="store_true",
        help="a few hundred rows each: does everything run?",
    )
    parser.add_argument(
        "--only", metavar="REGEX", default="", help="only rows whose name matches"
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="print the names of the rows, measure nothing",
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        default="build/bench",
        help="where the results go (default: build/bench)",
    )
    options = parser.parse_args(arguments)

    def asked_for(name):
        return re.search(options.only, name, re.IGNORECASE)

    rows = [row for row in ROWS if asked_for(row.name)]
    large = options.full and asked_for(LARGE)
    if not rows and not large:
        parser.error(f"no row matches {options.only!r}")
    if options.list:
        return print(*(row.name for row in rows), *[LARGE] * bool(large), sep="\n")
    if large:
        scale.main([*scale.FULL, "--output", f"{options.output}/scale.json"])
    if not rows:
        return
    start = time.perf_counter()
    records = run(
        rows, options.tiny, options.full, lambda text: print(text, flush=True)
    )
    write(
        options.output,
        records,
        dict(
            full=options.full,
            tiny=options.tiny,
            seconds=round(time.perf_counter() - start),
        ),
    )
    print("\n" + table(records).to_string(index=False, max_colwidth=64))
    asked = [record["reached"] for record in records if record["reached"] is not None]
    print(
        f"\n{sum(asked)} of {len(asked)} reached; {options.output}/results.json, "
        f"{options.output}/results.csv; {time.perf_counter() - start:.0f} s"
    )


if __name__ == "__main__":
    main()
