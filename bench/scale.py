"""Tables larger than memory, by stage: `python -m bench.scale --rows 1e6 1e7 1e8 --dask 1 2 --output scale.json`.

Each size runs in a fresh process. Planted clusters (20 attributes of 8 to 27 categories, every second a column of
strings; 20 clusters; 40 % of the cells drawn anew) are written as Parquet, which is not counted.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from .measure import machine

N_ATTRIBUTES, N_CLUSTERS, NOISE, GROUP = 20, 20, .4, 2**20


def plant(n, path):
    "A Parquet file with `n` rows of planted clusters, written a row group at a time."
    import pyarrow as pa
    import pyarrow.parquet as pq
    rng, levels = np.random.default_rng(0), [8 + j for j in range(N_ATTRIBUTES)]
    modes = np.array([rng.integers(0, n_levels, N_CLUSTERS) for n_levels in levels]).T
    writer = None
    for start in range(0, n, GROUP):
        size = min(GROUP, n - start)
        labels, columns = rng.integers(0, N_CLUSTERS, size), {}
        for j, n_levels in enumerate(levels):
            drawn = np.where(rng.random(size) < NOISE, rng.integers(0, n_levels, size), modes[labels, j]).astype("i4")
            words = pa.array([f"category {c:02d}" for c in range(n_levels)])
            columns[f"x{j:02d}"] = pa.DictionaryArray.from_arrays(pa.array(drawn), words) if j % 2 else pa.array(drawn)
        table = pa.table(columns)
        if writer is None: writer = pq.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=GROUP)
    writer.close()


class Memory:
    "The highest anonymous memory of this process, in MB, looked at twenty times a second."

    def __enter__(self):
        self.peak, self.over = 0, threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()
        return self

    def watch(self):
        while not self.over.wait(.05): self.peak = max(self.peak, self.now())

    def now(self):
        status = Path("/proc/self/status").read_text()
        return int(status.split("RssAnon:")[1].split()[0])/1000

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def timed(stages, name, function):
    start = time.perf_counter()
    result = function()
    stages[name] = round(time.perf_counter() - start, 3)
    return result


def one_size(n, folder, n_jobs, workers):
    "The stages of one size, in seconds."
    from kmodes_study.cluster.batch import lloyd
    from kmodes_study.cluster.blocks import count_block, make_blocks, sample_rows
    from kmodes_study.cluster.modes import category_offsets
    from kmodes_study.cluster.starts import init_random
    from kmodes_study.columns import nearest_modes
    from kmodes_study.data.code_files import write_codes
    folder, stages = Path(folder), {}
    timed(stages, "make the Parquet file", lambda: plant(n, folder/"big.parquet"))
    with Memory() as memory:
        write = lambda: write_codes(folder/"big.parquet", folder/"big.codes", n_jobs=n_jobs)
        file = timed(stages, "write the codes", write)
        writing = memory.peak
    small = np.asfortranarray(file.codes[:10_000])
    lloyd(small, small[:N_CLUSTERS])  # compiles
    timed(stages, "read the codes once", lambda: sum(int(column.view(np.uint64).sum()) for column in
                                                    file.codes.T[:, :n//8*8]))
    with Memory() as memory:
        start = timed(stages, "start from a sample", lambda: init_random(sample_rows(file), N_CLUSTERS, random_state=0))
        timed(stages, "first pass", lambda: nearest_modes(file.codes[:n], start, n_jobs))
        fitted = timed(stages, "fit", lambda: lloyd(file.codes, start, n_jobs=n_jobs))
        fitting = memory.peak
    record = dict(n=n, n_jobs=n_jobs, seconds=stages, passes=fitted.n_iter, cost=fitted.cost, bytes=file.codes.nbytes,
                  parquet_bytes=(folder/"big.parquet").stat().st_size, writing_mb=round(writing),
                  fitting_mb=round(fitting))
    offsets = category_offsets([len(levels) + 1 for levels in file.categories])
    block = make_blocks(file, max(1, n//10**6))[0]
    timed(stages, "count a block", lambda: count_block(block, start, offsets))
    record["block"] = block.last - block.first
    for number in workers: record[f"dask {number}"] = with_dask(file, start, number, fitted)
    return record


def with_dask(file, start, workers, expected):
    "Seconds of a fit by a Dask cluster of processes on this machine; the cost must be the same."
    from kmodes_study.cluster.blocks import lloyd_blocks, make_blocks
    from dask.distributed import Client, LocalCluster
    options = dict(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        run, blocks = client.get_executor().map, make_blocks(file, 4*workers)
        lloyd_blocks(make_blocks(file, workers), start, max_iter=0, run=run)  # workers import and load kernels
        begin = time.perf_counter()
        result = lloyd_blocks(blocks, start, run=run)
        seconds = time.perf_counter() - begin
    assert result.cost == expected.cost and (result.modes == expected.modes).all()
    return dict(seconds=round(seconds, 3), blocks=len(blocks))


def peers(folder):
    "Seconds of what else one could do, each at a size at which it ends, on the same rows."
    import duckdb
    import pandas as pd
    from kmodes.kmodes import KModes as Peer
    from kmodes_study.codes import encode
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import OneHotEncoder
    plant(10**6, Path(folder)/"peers.parquet")
    frame, times = pd.read_parquet(Path(folder)/"peers.parquet"), {}
    few, some = encode(frame[:10_000])[0], frame[:100_000].astype(str)
    peer = Peer(N_CLUSTERS, init=few[:N_CLUSTERS], n_init=1)
    fit = {}
    timed(fit, "seconds", lambda: peer.fit(few))
    times["kmodes 0.12.2, a fit"] = dict(n=len(few), **fit)
    columns, fit = OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(some), {}
    timed(fit, "seconds", lambda: KMeans(N_CLUSTERS, init=columns[:N_CLUSTERS], n_init=1).fit(columns))
    times["k-means of scikit-learn on one-hot columns, a fit"] = dict(n=len(some), **fit)
    connection, fit = duckdb.connect(), {}
    connection.execute(f"set threads={os.cpu_count()}")
    timed(fit, "seconds", lambda: sql_pass(connection, Path(folder)/"peers.parquet", frame[:N_CLUSTERS]))
    times["DuckDB, one pass"] = dict(n=len(frame), **fit)
    return times


def sql_pass(connection, path, modes):
    "Labels and modes in SQL: the least of twenty sums of inequalities, then the mode of each column in each group."
    def differs(column, value): return f"({column} <> {value!r})::INT"
    sums = [" + ".join(differs(column, value) for column, value in mode.items()) for mode in modes.to_dict("records")]
    numbered = ", ".join(f"({total})*{len(sums)} + {l}" for l, total in enumerate(sums))
    connection.execute(f"create table labelled as select *, least({numbered}) % {len(sums)} as label from '{path}'")
    found = ", ".join(f"mode({column})" for column in modes.columns)
    return connection.execute(f"select label, {found} from labelled group by label").fetchall()


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="+", type=float, default=[1e6, 1e7], help="numbers of rows (default: 1e6 1e7)")
    parser.add_argument("--dask", nargs="*", type=int, default=[], metavar="WORKERS",
                        help="also by Dask, with so many workers")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="threads (default: all processors)")
    parser.add_argument("--folder", help="where the large files go while they are needed (default: that of the system)")
    parser.add_argument("--output", default="build/bench/scale.json", help="where the record goes")
    parser.add_argument("--peers", action="store_true", help="also kmodes, one-hot k-means and DuckDB, on fewer rows")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            print(json.dumps(one_size(int(options.rows[0]), folder, options.jobs, options.dask)))
        return
    records = []
    for n in options.rows:
        child = [sys.executable, "-m", "bench.scale", "--child", "--rows", str(n), "--jobs", str(options.jobs),
                 *(["--folder", options.folder] if options.folder else []), "--dask", *map(str, options.dask)]
        done = subprocess.run(child, stdout=subprocess.PIPE, text=True, check=True)
        records.append(json.loads(done.stdout.splitlines()[-1]))
        print(f"{int(n):>12,} rows", records[-1]["seconds"], flush=True)
    record = dict(machine=machine(), rows=records)
    if options.peers:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder: record["peers"] = peers(folder)
    Path(options.output).parent.mkdir(parents=True, exist_ok=True)
    Path(options.output).write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__": main()
