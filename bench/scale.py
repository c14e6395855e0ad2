"""Tables larger than memory, by stage: `python -m bench.scale --rows 1e6 1e7 1e8 --dask
1 2 --output scale.json`.

Each size runs in a fresh process. Planted clusters (20 attributes of 8 to 27
categories, every second a column of strings; 20 clusters; 40 % of the cells drawn anew)
are written as Parquet, which is not counted. The first million rows are the same at all
sizes, and so is the start that is drawn from them. All stages are done once on a small
table before the clock runs, so that no kernel is compiled within it.
`python -m bench --full` runs all of it.

dask-ml is no dependency. Its row comes from an environment of its own, and is added to
a record: `uv venv other; uv pip install -p other dask-ml pyarrow; other/bin/python -m
bench.scale --rows --peers dask-ml --add`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median

import numpy as np

from .measure import machine

N_ATTRIBUTES = 20
N_CLUSTERS = 20
NOISE = 0.4
GROUP = 10**6
# what `python -m bench --full` asks for
FULL = ["--rows", "1e6", "1e7", "1e8", "--dask", "1", "2", "--peers"]
# bytes a row on disk; bytes of memory, and how many more for each row
DISK = 60
BASE = 10**9
MEMORY = 14


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
            drawn = np.where(
                rng.random(size) < NOISE,
                rng.integers(0, n_levels, size),
                modes[labels, j],
            ).astype("i4")
            words = pa.array([f"category {c:02d}" for c in range(n_levels)])
            columns[f"x{j:02d}"] = (
                pa.DictionaryArray.from_arrays(pa.array(drawn), words)
                if j % 2
                else pa.array(drawn)
            )
        table = pa.table(columns)
        if writer is None:
            writer = pq.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=GROUP)
    writer.close()


def available_memory():
    """Bytes of memory that a process may ask for without harm to others; no bound where
    the system does not say.
    """
    try:
        told = Path("/proc/meminfo").read_text()
    except OSError:
        return np.inf
    return int(told.split("MemAvailable:")[1].split()[0]) * 1024


def check_room(n, folder=None):
    "End with a message where `n` rows do not fit on the disk or into memory."
    folder = folder or tempfile.gettempdir()
    on_disk = shutil.disk_usage(folder).free
    for what, needed, free, remedy in (
        (
            f"on the disk of {folder}",
            DISK * n,
            on_disk,
            "make room, or name a --folder elsewhere",
        ),
        (
            "of memory",
            BASE + MEMORY * n,
            available_memory(),
            "end other programs, or ask for fewer --rows",
        ),
    ):
        if free < needed:
            sys.exit(
                f"{int(n):,} rows need {needed / 1e9:.1f} GB {what}, and "
                f"{free / 1e9:.1f} GB are free: {remedy}"
            )


class Memory:
    """The highest anonymous memory of this process, in MB, looked at twenty times a
    second.
    """

    def __enter__(self):
        self.peak, self.over = 0, threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()
        return self

    def watch(self):
        while not self.over.wait(0.05):
            self.peak = max(self.peak, self.now())

    def now(self):
        status = Path("/proc/self/status").read_text()
        return int(status.split("RssAnon:")[1].split()[0]) / 1000

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def timed(stages, name, function):
    start = time.perf_counter()
    result = function()
    stages[name] = round(time.perf_counter() - start, 3)
    return result


def from_disk(path):
    """Read a file from the disk itself: what the system keeps of it in memory is
    dropped first.
    """
    with open(path, "rb", buffering=0) as file:
        os.fsync(file.fileno())
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
    "Have pyarrow decode the Parquet file, strings as dictionaries, and throw all away."
    from concurrent.futures import ThreadPoolExecutor
    import pyarrow.parquet as pq

    names = pq.read_schema(path).names

    def group(number):
        pq.ParquetFile(path, read_dictionary=names).read_row_group(
            number, use_threads=False
        )

    with ThreadPoolExecutor(n_jobs) as pool:
        list(pool.map(group, range(pq.read_metadata(path).num_row_groups)))


def read_codes(codes):
    "One reading of all codes, eight at a time, by one core."
    n = len(codes) // 8 * 8
    return sum(int(column.view(np.uint64).sum()) for column in codes.T[:, :n])


def write_stages(n, folder, n_jobs, stages):
    "From nothing to a file of codes, and what the disk and pyarrow alone need for it."
    from kmodes_study.storage.code_files import write_codes

    parquet, target = folder / "big.parquet", folder / "big.codes"
    timed(stages, "make the Parquet file", lambda: plant(n, parquet))
    timed(stages, "the disk alone: read the Parquet file", lambda: from_disk(parquet))
    timed(
        stages,
        "pyarrow alone: decode the Parquet file",
        lambda: decode(parquet, n_jobs),
    )
    file = timed(
        stages, "write the codes", lambda: write_codes(parquet, target, n_jobs=n_jobs)
    )
    n_bytes = file.codes.nbytes
    timed(
        stages,
        "the disk alone: write as many bytes as the codes",
        lambda: to_disk(folder / "bytes", n_bytes),
    )
    return file


def fit_stages(file, n_jobs, stages):
    """From a file of codes to clusters: the start, the result, and the counts of a
    block.
    """
    from kmodes_study.cluster.algorithms.lloyd import lloyd
    from kmodes_study.cluster.blocks import count_block, make_blocks, sample_rows
    from kmodes_study.cluster.modes import category_offsets
    from kmodes_study.cluster.starts.basic import init_random
    from kmodes_study.core.kernels import nearest_modes

    n, codes = len(file), file.codes
    timed(stages, "read the codes once", lambda: read_codes(codes))
    timed(
        stages,
        "start from a sample",
        lambda: init_random(sample_rows(file), N_CLUSTERS, random_state=0),
    )
    start = init_random(
        np.ascontiguousarray(codes[: 10**5]), N_CLUSTERS, random_state=0
    )
    timed(stages, "first pass", lambda: nearest_modes(codes, start, n_jobs))
    fitted = timed(stages, "fit", lambda: lloyd(file, start, n_jobs=n_jobs))
    offsets = category_offsets([len(levels) + 1 for levels in file.categories])
    block = make_blocks(file, max(1, n // 10**6))[0]
    timed(stages, "count a block", lambda: count_block(block, start, offsets))
    return start, fitted, block.last - block.first


def one_size(n, folder, n_jobs, workers):
    "The stages of one size, in seconds."
    folder, stages = Path(folder), {}
    # compiles what is measured afterwards
    with tempfile.TemporaryDirectory(dir=folder) as small:
        fit_stages(write_stages(2**17, Path(small), n_jobs, {}), n_jobs, {})
    with Memory() as writing:
        file = write_stages(n, folder, n_jobs, stages)
    with Memory() as fitting:
        start, fitted, block = fit_stages(file, n_jobs, stages)
    record = dict(
        n=n,
        n_jobs=n_jobs,
        seconds=stages,
        passes=fitted.n_iter,
        cost=fitted.cost,
        bytes=file.codes.nbytes,
        levels=sum(map(len, file.categories)),
        parquet_bytes=(folder / "big.parquet").stat().st_size,
        writing_mb=round(writing.peak),
        fitting_mb=round(fitting.peak),
        block=block,
    )
    for number in workers:
        record[f"dask {number}"] = with_dask(file, start, number, fitted)
    return record


def with_dask(file, start, workers, expected):
    """Seconds of a fit by a Dask cluster of processes on this machine; the cost must be
    the same.
    """
    from kmodes_study.cluster.blocks import lloyd_blocks, make_blocks
    from dask.distributed import Client, LocalCluster

    options = dict(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        run, blocks = client.get_executor().map, make_blocks(file, 4 * workers)
        # workers import and load kernels
        lloyd_blocks(make_blocks(file, workers), start, max_iter=0, run=run)
        begin = time.perf_counter()
        result = lloyd_blocks(blocks, start, run=run)
        seconds = time.perf_counter() - begin
    assert result.cost == expected.cost and (result.modes == expected.modes).all()
    return dict(seconds=round(seconds, 3), blocks=len(blocks))


def by_kmodes(frame):
    "The package kmodes on ten thousand rows."
    from kmodes.kmodes import KModes as Peer
    from kmodes_study.core.codes import encode

    codes = encode(frame[:10_000])[0]
    model = Peer(N_CLUSTERS, init=codes[:N_CLUSTERS], n_init=1)
    return "kmodes 0.12.2, a fit", len(codes), lambda: model.fit(codes)


def one_hot(frame):
    "The indicator columns of a hundred thousand rows."
    from sklearn.preprocessing import OneHotEncoder

    return OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(
        frame[:100_000].astype(str)
    )


def by_sklearn(frame):
    from sklearn.cluster import KMeans

    columns = one_hot(frame)
    model = KMeans(N_CLUSTERS, init=columns[:N_CLUSTERS], n_init=1)
    return (
        "k-means of scikit-learn on one-hot columns, a fit",
        len(columns),
        lambda: model.fit(columns),
    )


def by_dask_ml(frame):
    import dask.array
    from dask_ml.cluster import KMeans

    columns = one_hot(frame)
    parts = dask.array.from_array(columns, chunks=(len(columns) // 4, -1)).persist()
    model = KMeans(N_CLUSTERS, init=columns[:N_CLUSTERS])
    name = f"k-means of dask-ml {version('dask-ml')} on one-hot columns, a fit"
    return name, len(columns), lambda: model.fit(parts)


def by_duckdb(frame):
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"set threads={os.cpu_count()}")
    connection.register("rows", frame)
    connection.execute("create table held as select * from rows")
    return (
        "DuckDB, one pass",
        len(frame),
        lambda: sql_pass(connection, "held", frame[:N_CLUSTERS]),
    )


PEERS = {
    "kmodes": by_kmodes,
    "scikit-learn": by_sklearn,
    "dask-ml": by_dask_ml,
    "duckdb": by_duckdb,
}


def beside_sklearn(frame, work):
    """Medians of the seconds of `work` and of scikit-learn's k-means on the same rows,
    in alternation.
    """
    (_, _, other), stages = by_sklearn(frame), [{} for _ in range(3)]
    for stage in stages:
        timed(stage, "seconds", work)
        timed(stage, "scikit-learn beside", other)
    return {name: median(stage[name] for stage in stages) for name in stages[0]}


def peers(folder, names):
    """Seconds of other ways, each at a size at which it ends, on the same rows; what is
    not installed is left out.
    """
    import pandas as pd

    plant(10**6, Path(folder) / "peers.parquet")
    frame, times = pd.read_parquet(Path(folder) / "peers.parquet"), {}
    for peer in names:
        try:
            name, n, work = PEERS[peer](frame)
        except ImportError as error:
            print(f"left out: {peer}, {error}", file=sys.stderr)
            continue
        times[name] = dict(n=n)
        if peer == "dask-ml":
            times[name] |= beside_sklearn(frame, work)
        else:
            timed(times[name], "seconds", work)
    return times


def sql_pass(connection, table, modes):
    """Labels and modes in SQL: the least of twenty sums of inequalities, then the mode
    of each column in each group.
    """

    def differs(column, value):
        return f"({column} <> {value!r})::INT"

    sums = [
        " + ".join(differs(column, value) for column, value in mode.items())
        for mode in modes.to_dict("records")
    ]
    numbered = ", ".join(f"({total})*{len(sums)} + {l}" for l, total in enumerate(sums))
    connection.execute(
        f"create table labelled as select *, least({numbered}) % {len(sums)} as label "
        f"from {table}"
    )
    found = ", ".join(f"mode({column})" for column in modes.columns)
    return connection.execute(
        f"select label, {found} from labelled group by label"
    ).fetchall()


def parsed(arguments):
    "The options of the command."
    parser = argparse.ArgumentParser(
        prog="python -m bench.scale", description=__doc__.splitlines()[0]
    )
    add = parser.add_argument
    add(
        "--rows",
        nargs="*",
        type=float,
        default=[1e6, 1e7],
        help="numbers of rows (default: 1e6 1e7)",
    )
    add(
        "--dask",
        nargs="*",
        type=int,
        default=[],
        metavar="WORKERS",
        help="also by Dask, with so many workers",
    )
    add(
        "--jobs",
        type=int,
        default=os.cpu_count(),
        help="threads (default: all processors)",
    )
    add(
        "--folder",
        help=(
            "where the large files go while they are needed (default: that of the "
            "system)"
        ),
    )
    add("--output", default="build/bench/scale.json", help="where the record goes")
    add(
        "--peers",
        nargs="*",
        choices=PEERS,
        help="other ways beside, on fewer rows: these, or all where none is named",
    )
    add(
        "--add",
        action="store_true",
        help="keep the other sizes and peers that the record has",
    )
    add("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def run_size(n, options):
    "The record of one size, from a process of its own."
    child = [
        sys.executable,
        "-m",
        "bench.scale",
        "--child",
        "--rows",
        str(n),
        "--jobs",
        str(options.jobs),
        *(["--folder", options.folder] if options.folder else []),
        "--dask",
        *map(str, options.dask),
    ]
    done = subprocess.run(child, stdout=subprocess.PIPE, text=True, check=True)
    record = json.loads(done.stdout.splitlines()[-1])
    print(f"{int(n):>12,} rows", record["seconds"], flush=True)
    return record


def main(arguments=None):
    options = parsed(arguments)
    if options.child:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            print(
                json.dumps(
                    one_size(int(options.rows[0]), folder, options.jobs, options.dask)
                )
            )
        return
    if options.rows:
        check_room(max(options.rows), options.folder)
    output = Path(options.output)
    record = (
        json.loads(output.read_text())
        if options.add and output.exists()
        else dict(rows=[])
    )
    rows = {
        row["n"]: row
        for row in [*record["rows"], *(run_size(n, options) for n in options.rows)]
    }
    record["rows"] = [rows[n] for n in sorted(rows)]
    if options.rows:
        record["machine"] = machine()
    if options.peers is not None:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            found = peers(folder, options.peers or PEERS)
        record["peers"] = record.get("peers", {}) | found
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
