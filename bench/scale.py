"""`python -m bench.scale 1e6 1e7 1e8`: tables larger than memory, from nothing to
clusters, stage by stage; a copy of `nbs/results/scale.json` with new rows and machine.

The table has 20 attributes of 8 to 27 categories in 20 planted clusters, as a Parquet
file in `--folder`; a hundred million rows need some six gigabytes there.
"""

import argparse
import json
import os
import resource
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kmodes_study.cluster import init_random, lloyd
from kmodes_study.core.kernels import nearest_modes
from kmodes_study.storage import write_codes

from .__main__ import ROOT, machine

LEVELS = range(8, 28)
N_CLUSTERS = 20
GROUP = 10**6


def plant(n, path):
    "A Parquet file of n rows, written a row group at a time."
    random = np.random.default_rng(0)
    modes = np.array([random.integers(0, k, N_CLUSTERS) for k in LEVELS]).T
    writer = None
    for start in range(0, n, GROUP):
        size = min(GROUP, n - start)
        labels = random.integers(0, N_CLUSTERS, size)
        columns = {}
        for j, n_levels in enumerate(LEVELS):
            other = random.integers(0, n_levels, size)
            codes = np.where(random.random(size) < 0.4, other, modes[labels, j])
            codes = pa.array(codes.astype("i4"))
            words = pa.array([f"category {c:02d}" for c in range(n_levels)])
            whole = pa.DictionaryArray.from_arrays(codes, words) if j % 2 else codes
            columns[f"x{j:02d}"] = whole
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=GROUP)
    writer.close()


def from_disk(path):
    "Read a file from the disk: what the system keeps of it is dropped first."
    with open(path, "rb", buffering=0) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while file.read(2**24):
            pass


def to_disk(path, n_bytes):
    "Write so many bytes, and wait until they are on the disk."
    piece = np.random.default_rng(0).bytes(2**24)
    with open(path, "wb", buffering=0) as file:
        for start in range(0, n_bytes, len(piece)):
            file.write(piece[: n_bytes - start])
        os.fsync(file.fileno())
    path.unlink()


def decode(path, n_jobs):
    "Have pyarrow decode the file, strings as dictionaries, and throw all away."
    names = pq.read_schema(path).names
    group = lambda number: (
        pq.ParquetFile(path, read_dictionary=names).read_row_group(number).num_rows
    )
    with ThreadPoolExecutor(n_jobs) as pool:
        list(pool.map(group, range(pq.read_metadata(path).num_row_groups)))


def one_size(n, folder, n_jobs):
    "The stages of one size, in seconds, with the highest memory so far."
    seconds = {}

    def timed(name, work):
        begin = time.perf_counter()
        found = work()
        seconds[name] = round(time.perf_counter() - begin, 3)
        return found

    megabytes = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    parquet, target = folder / "big.parquet", folder / "big.codes"
    target.unlink(missing_ok=True)
    timed("make the Parquet file", lambda: plant(n, parquet))
    timed("the disk alone: read the Parquet file", lambda: from_disk(parquet))
    timed("pyarrow alone: decode the Parquet file", lambda: decode(parquet, n_jobs))
    write = lambda: write_codes(parquet, target, n_jobs=n_jobs)
    file = timed("write the codes", write)
    writing, codes = megabytes(), file.codes
    room = folder / "bytes"
    what = "the disk alone: write as many bytes as the codes"
    timed(what, lambda: to_disk(room, codes.nbytes))
    timed("read the codes once", lambda: sum(int(c.sum()) for c in codes.T))
    some = np.ascontiguousarray(codes[: 10**5])
    draw = lambda: init_random(some, N_CLUSTERS, random_state=0)
    start = timed("start from a sample", draw)
    timed("first pass", lambda: nearest_modes(codes, start, n_jobs))
    fitted = timed("fit", lambda: lloyd(codes, start, n_jobs=n_jobs))
    return dict(
        n=n,
        n_jobs=n_jobs,
        seconds=seconds,
        passes=fitted.n_iter,
        cost=fitted.cost,
        bytes=codes.nbytes,
        levels=sum(map(len, file.categories)),
        parquet_bytes=parquet.stat().st_size,
        writing_mb=writing,
        fitting_mb=megabytes(),
    )


def main():
    "Measure each size in turn, the smallest first, and write the record."
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("rows", nargs="+", type=float)
    parser.add_argument("--folder", type=Path, help="where the tables are made")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "scale.json")
    asked = parser.parse_args()
    kept = ROOT / "nbs" / "results" / "scale.json"
    record = json.loads(kept.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        one_size(2**17, Path(folder), asked.jobs)  # compiles
        sizes = sorted(map(int, asked.rows))
        rows = [one_size(n, Path(folder), asked.jobs) for n in sizes]
    record |= dict(rows=rows, machine=machine())
    asked.output.parent.mkdir(parents=True, exist_ok=True)
    asked.output.write_text(json.dumps(record, indent=1), encoding="utf-8")
    for row in rows:
        print(f"{row['n']:,} rows: {row['seconds']}")


if __name__ == "__main__":
    main()
