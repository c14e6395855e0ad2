"""The rows of the suite. To add one, append a `Timing`, a `Sweep` or a `Process`;
`reach` holds what it should be.
"""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numba import njit

from kmodes_study import measures
from kmodes_study.cluster.algorithms.lloyd import lloyd
from kmodes_study.core.kernels import in_columns, nearest_modes
from kmodes_study.cluster.dissimilarity import matching_distances
from kmodes_study.cluster.starts.basic import init_cao, init_huang, init_random
from kmodes_study.cluster.estimator import KModes
from kmodes_study.cluster.algorithms.huang import huang
from kmodes_study.cluster.starts.matching import init_matching
from kmodes_study.cluster.algorithms.transfers import otqt
from kmodes_study.core.codes import encode
from kmodes_study.data.loaders import load
from kmodes_study.data.synthetic import make_planted_clusters

from .measure import Process, Size, Sweep, Timing, jobs

NOISE = 0.3  # of all planted data: the probability with which a cell is drawn anew

# -------------------------------------------------------------- data: Size -> arguments


@cache
def planted(n, m, v, k):
    "Planted clusters; the same rows whatever is asked of them."
    return make_planted_clusters(n, m, v, k, NOISE, random_state=0)


def codes_and_start(size):
    "Codes, and k different random rows of them as the first modes."
    codes = planted(*astuple(size)).codes
    return codes, init_random(codes, size.k, random_state=1)


def codes_and_labels(size):
    "Codes and the labels that were planted."
    return planted(*astuple(size))[:2]


def codes_and_k(size):
    "Codes and how many modes are wanted."
    return planted(*astuple(size)).codes, size.k


def columns_and_modes(size):
    "Codes column after column in memory, and the planted modes."
    codes, _, modes = planted(*astuple(size))
    return in_columns(codes), modes


def codes_and_modes(size):
    """Codes and the planted modes: from there a fit needs few passes, about as many at
    every size.
    """
    codes, _, modes = planted(*astuple(size))
    return codes, modes


def as_integers(size):
    "An int64 array, and modes in its values."
    codes, start = codes_and_start(size)
    return codes.astype(np.int64), start.astype(np.int64)


def as_strings(size):
    "An object array of strings, and modes in its values."
    names = np.array([f"level {i}" for i in range(size.v)], object)
    codes, start = codes_and_start(size)
    return names[codes], names[start]


def as_categories(size):
    "A frame of category columns of strings, and modes in their values."
    names = [f"level {i}" for i in range(size.v)]
    codes, start = codes_and_start(size)
    frame = pd.DataFrame(
        {
            f"a{j}": pd.Categorical.from_codes(column, names)
            for j, column in enumerate(codes.T)
        }
    )
    return frame, np.array(names, object)[start]


def real(name):
    "A set of the archive as codes (a missing value is a category), and a start."

    def data(size):
        frame = load(
            name, return_X_y=True, as_frame=True, missing="category", download=False
        )[0]
        codes, _ = encode(frame.iloc[: size.n])
        return codes, init_random(codes, size.k, random_state=1)

    return data


@cache
def codes_on_disk(size):
    """A file of codes, which is read through a map, a start from its first rows, and
    the folder, which goes at the end.
    """
    from kmodes_study.storage.code_files import write_codes
    from .scale import plant

    folder = tempfile.TemporaryDirectory()
    parquet = Path(folder.name) / "big.parquet"
    plant(size.n, parquet)
    codes = write_codes(parquet, parquet.with_suffix(".codes"), n_jobs=2).codes
    parquet.unlink()
    return (
        codes,
        init_random(np.ascontiguousarray(codes[:100_000]), size.k, random_state=0),
        folder,
    )


def two_labellings(size):
    "Two independent labellings with k labels each."
    return tuple(np.random.RandomState(0).randint(0, size.k, (2, size.n)))


def two_string_labellings(size):
    "The same with strings for labels."
    names = np.array([f"class {i}" for i in range(size.k)], object)
    return tuple(names[labels] for labels in two_labellings(size))


def rows_to_few(size):
    "Codes, and their first thousand rows."
    codes = planted(*astuple(size)).codes
    return codes, codes[:1000]


def codes_alone(size):
    "Codes."
    return planted(*astuple(size))[:1]


def mixed_cells(size):
    """An array of objects: numbers in the first half of the columns, strings in the
    second.
    """
    rng, half = np.random.RandomState(0), size.m // 2
    strings = np.array([f"level {i}" for i in range(size.v)], object)[
        rng.randint(size.v, size=(size.n, half))
    ]
    return (np.column_stack([rng.rand(size.n, half).astype(object), strings]),)


# ---------------------------------------------------------------- this package


def fit(algorithm, threads=1):
    "KModes with given first modes."

    def fitted(X, start):
        estimator = KModes(len(start), init=start, algorithm=algorithm, n_init=1)
        if "n_jobs" in estimator.get_params():
            estimator.set_params(n_jobs=threads)
        return estimator.fit(X)

    return fitted


def batch(threads):
    "Batch k-modes from codes."
    return jobs(lloyd, threads)


def best_of(n_starts):
    "The best of many runs by transfer, each from other random rows."

    def fitted(codes, start):
        runs = (
            otqt(codes, init_random(codes, len(start), random_state=i))
            for i in range(n_starts)
        )
        return min(runs, key=lambda run: run.epoch_costs[-1])

    return fitted


def from_cao(threads):
    "Batch k-modes from Cao's start."
    return lambda codes, k: KModes(
        k, init="cao", algorithm="lloyd", n_init=1, n_jobs=threads
    ).fit(codes)


def with_options(function, **options):
    "A function of the data alone."
    return lambda *data: function(*data, **options)


def cost_of_start(modes, codes, k):
    "What a start is worth: the cost of labelling each row with its nearest mode."
    return int(nearest_modes(codes, modes)[1].sum(dtype=np.int64))


# --------------------------------------------- opponents, imported when they are needed


def kmodes_fit(codes, start):
    "The package kmodes, from the same modes; its only algorithm is the online one."
    from kmodes.kmodes import KModes as Peer

    return Peer(len(start), init=start.copy(), n_init=1).fit(codes)


def kmodes_start(method):
    "A start of the package kmodes."

    def start(codes, k):
        from kmodes.util import init_methods
        from kmodes.util.dissim import matching_dissim

        random = (np.random.RandomState(0),) if method == "huang" else ()
        return getattr(init_methods, "init_" + method)(
            codes, k, matching_dissim, *random
        ).astype(np.int64)

    return start


def kluster_fit(threads):
    """The package kluster_fudge, which has compiled kernels; it takes no modes, so both
    sides begin with Cao's.
    """

    def fitted(codes, k):
        from kluster_fudge import KModes as Peer

        peer = Peer(k, init_method="cao", n_init=1, n_jobs=threads)
        peer.fit(codes)
        return peer

    return fitted


def sklearn_score(name, **options):
    "A score of scikit-learn."

    def scored(*data):
        from sklearn import metrics

        return getattr(metrics, name)(*data, **options)

    return scored


def scipy_distances(X, Y):
    "scipy's hamming distances, which are shares, as counts."
    from scipy.spatial.distance import cdist

    return np.rint(cdist(X, Y, "hamming") * X.shape[1]).astype(np.int32)


def sklearn_distances(X, Y):
    "The same through scikit-learn."
    from sklearn.metrics import pairwise_distances

    return np.rint(pairwise_distances(X, Y, metric="hamming") * X.shape[1]).astype(
        np.int32
    )


def gower_distances(X, Y):
    "Gower's dissimilarity of columns that are all categorical, as counts."
    from gower import gower_matrix

    X, Y = X.astype(float), Y.astype(float)  # it fails on small integers
    return np.rint(
        gower_matrix(X, Y, cat_features=[True] * X.shape[1]) * X.shape[1]
    ).astype(np.int32)


def scipy_condensed(codes):
    "scipy's hamming distances of all pairs, which are shares."
    from scipy.spatial.distance import pdist

    return pdist(codes, "hamming")


def gower_mixed(cells):
    "Gower's distances of all rows by the package of that name."
    from gower import gower_matrix

    return gower_matrix(
        cells, cat_features=np.arange(cells.shape[1]) >= cells.shape[1] // 2
    )


def mean_distance(distances, cells):
    "The mean, to six decimals: the package gower adds up in single precision."
    return round(float(distances.mean(dtype=float)), 6)


def sum_of_counts(distances, codes):
    "The sum of all counts of mismatches."
    return round(
        float(distances.sum(dtype=float))
        * (1 if distances.dtype == np.float32 else codes.shape[1])
    )


def kmedoids_fit(codes, start):
    "FasterPAM on all distances, for as many clusters."
    from kmedoids import fasterpam

    return fasterpam(scipy_distances(codes, codes), len(start), random_state=0)


def one_pass(labels_true, labels_pred):
    "The least that a score must do: count all pairs of labels."
    np.bincount(labels_true * (labels_pred.max() + 1) + labels_pred)


def one_pass_strings(labels_true, labels_pred):
    "The least that a score of strings must do: number them."
    for labels in labels_true, labels_pred:
        pd.factorize(labels)


@njit(nogil=True)
def _sum(words):
    total = np.uint64(0)
    for word in words:
        total += word
    return total


def read_once(codes, modes):
    "The least that a pass must do: read the codes."
    whole = codes.T.reshape(-1)
    _sum(whole[: len(whole) // 8 * 8].view(np.uint64))


@njit(nogil=True)
def _row_by_row(codes, modes, first, last, labels, distances):
    for i in range(first, last):
        nearest, lowest = 0, codes.shape[1] + 1
        for l in range(modes.shape[0]):
            distance = 0
            for j in range(codes.shape[1]):
                distance += codes[i, j] != modes[l, j]
            if distance < lowest:
                nearest, lowest = l, distance
        labels[i], distances[i] = nearest, lowest


def row_by_row(threads):
    "The assignment step as one would write it with numba."

    def assigned(codes, modes):
        labels, distances = np.empty((2, len(codes)), np.int32)
        bounds = np.linspace(0, len(codes), threads + 1).astype(int)
        with ThreadPoolExecutor(threads) as pool:
            list(
                pool.map(
                    lambda first, last: _row_by_row(
                        codes, modes, first, last, labels, distances
                    ),
                    bounds,
                    bounds[1:],
                )
            )
        return labels, distances

    return assigned


# ------------------------------------------------------------- code for fresh processes

IMPORT = (
    "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"
)
FIRST_FIT = """
import time
import numpy as np
from kmodes_study import KModes
codes = np.random.RandomState(0).randint(0, 4, (10_000, 20))
def fit():
    start = time.perf_counter()
    KModes(10, init=codes[:10]).fit(codes)
    return time.perf_counter() - start
first, second = fit(), fit()
print(first - second)
"""

# ---------------------------------------------------------------- the rows

MILLION = Size(1_000_000, 20, 8, 20)
WIDE = Size(100_000, 50, 8, 50)
ROWS = []


def add(kind, *arguments, **options):
    ROWS.append(kind(*arguments, **options))


def find(name):
    "The row of that name."
    return next(row for row in ROWS if row.name == name)


# fit against kmodes: from the same codes; `fit` numbers them anew, as kmodes does,
# `huang` takes them as they are
add(
    Timing,
    "fit online, m=20 k=10",
    Size(100_000, 20, 8, 10),
    codes_and_start,
    fit("huang"),
    kmodes_fit,
    "kmodes",
    reach=dict(ratio=1000),
)
add(
    Timing,
    "fit online, m=50 k=50",
    WIDE,
    codes_and_start,
    fit("huang"),
    kmodes_fit,
    "kmodes",
    opponent_n=10_000,
    reach=dict(ratio=1000),
)
add(
    Timing,
    "fit online from codes, m=20 k=10",
    Size(100_000, 20, 8, 10),
    codes_and_start,
    huang,
    kmodes_fit,
    "kmodes",
    opponent_n=20_000,
    reach=dict(ratio=1000),
)
add(
    Timing,
    "fit online from codes, m=50 k=50",
    WIDE,
    codes_and_start,
    huang,
    kmodes_fit,
    "kmodes",
    opponent_n=10_000,
    reach=dict(ratio=1000),
)
add(
    Timing,
    "fit batch, m=20 k=10",
    Size(100_000, 20, 8, 10),
    codes_and_start,
    fit("lloyd"),
    kmodes_fit,
    "kmodes (online)",
    same=False,
    opponent_n=20_000,
)
for threads, n in (1, 100_000), (2, 1_000_000):
    add(
        Timing,
        f"fit batch from Cao's start, n={n:,}",
        Size(n, 20, 8, 10),
        codes_and_k,
        from_cao(threads),
        kluster_fit(threads),
        "kluster_fudge",
        opponent_compiles=True,
        threads=threads,
    )
add(
    Timing,
    "fit by transfer, m=20 k=10",
    Size(100_000, 20, 8, 10),
    codes_and_start,
    otqt,
    kmodes_fit,
    "kmodes (online)",
    same=False,
    opponent_n=20_000,
)
add(Timing, "fit by transfer, m=50 k=50", WIDE, codes_and_start, otqt)
for name, n, m, k in (
    ("mushroom", 8124, 22, 17),
    ("nursery", 12_960, 8, 23),
    ("connect-4", 67_557, 42, 3),
    ("splice", 3190, 60, 3),
):
    add(
        Timing,
        f"fit online, {name}",
        Size(n, m, 0, k),
        real(name),
        fit("huang"),
        kmodes_fit,
        "kmodes",
        opponent_n=20_000,
    )
add(
    Timing,
    "fit by transfer, best of 50 starts, n=3,000",
    Size(3000),
    codes_and_start,
    best_of(50),
    kmedoids_fit,
    "kmedoids on scipy distances",
    same=False,
    note="different objectives: medoids are rows, modes need not be",
)

# a million rows to convergence, two threads
for name, data, seconds in (
    ("codes", codes_and_start, 0.1),
    ("category columns", as_categories, 0.2),
    ("an integer array", as_integers, 0.5),
    ("string objects", as_strings, 3),
):
    add(
        Timing,
        f"fit batch, a million rows from {name}",
        MILLION,
        data,
        batch(2) if name == "codes" else fit("lloyd", 2),
        kmodes_fit if name == "codes" else None,
        "kmodes (online)" if name == "codes" else "",
        same=False,
        opponent_n=10_000,
        threads=2,
        reach=dict(seconds=seconds),
    )
add(
    Timing,
    "fit batch, ten million rows from a file of codes",
    Size(10_000_000, 20, 0, 20),
    codes_on_disk,
    lambda codes, start, _: lloyd(codes, start, n_jobs=2),
    threads=2,
)
add(Timing, "fit online, a million rows", MILLION, codes_and_start, huang)
add(Timing, "fit by transfer, a million rows", MILLION, codes_and_start, otqt)

# linear in n, m and k, from the planted modes
add(
    Sweep,
    "fit batch, time in n",
    MILLION,
    "n",
    (100_000, 300_000, 1_000_000),
    codes_and_modes,
    batch(2),
    threads=2,
)
add(
    Sweep,
    "fit batch, time in m",
    Size(300_000, 20, 8, 20),
    "m",
    (10, 20, 40),
    codes_and_modes,
    batch(2),
    threads=2,
)
add(
    Sweep,
    "fit batch, time in k",
    Size(300_000, 20, 8, 20),
    "k",
    (10, 20, 40),
    codes_and_modes,
    batch(2),
    threads=2,
)

# one assignment pass; the seconds asked for were measured on two cores that nobody else
# used
for threads, seconds in (1, 0.0046), (2, 0.0022):
    add(
        Timing,
        f"assignment pass, {threads} thread{'s' * (threads > 1)}",
        MILLION,
        columns_and_modes,
        jobs(nearest_modes, threads),
        row_by_row(threads),
        "numba, row by row",
        threads=threads,
        reach=dict(seconds=seconds),
    )

# where the seconds were asked for, reading the codes once took 0.7 ms, and so 0.152 of
# the pass
add(
    Timing,
    "assignment pass, one reading",
    MILLION,
    columns_and_modes,
    jobs(nearest_modes, 1),
    read_once,
    "reading the codes once",
    same=False,
    reach=dict(ratio=0.152),
)

# silhouette
add(
    Timing,
    "silhouette, n=20,000",
    Size(20_000),
    codes_and_labels,
    with_options(measures.silhouette_score, n_jobs=-1),
    sklearn_score("silhouette_score", metric="hamming"),
    "scikit-learn",
    threads=2,
    reach=dict(ratio=1000),
)
add(
    Timing,
    "silhouette, n=1,000,000",
    Size(1_000_000),
    codes_and_labels,
    with_options(measures.silhouette_score, n_jobs=-1),
    threads=2,
    reach=dict(seconds=0.2),
)
add(
    Timing,
    "silhouette, n=10,000,000",
    Size(10_000_000),
    codes_and_labels,
    with_options(measures.silhouette_score, n_jobs=-1),
    threads=2,
    memory=True,
    reach=dict(extra_mb=400),
)

# scores
add(
    Timing,
    "adjusted mutual information, 1000 x 1000 labels",
    Size(1_000_000, 2, 0, 1000),
    two_labellings,
    with_options(measures.adjusted_mutual_info_score),
    sklearn_score("adjusted_mutual_info_score"),
    "scikit-learn",
    opponent_n=100_000,
    reach=dict(ratio=500),
)
for name in "adjusted_rand_score", "v_measure_score", "mutual_info_score":
    add(
        Timing,
        name.replace("_", " "),
        Size(1_000_000, 2, 0, 10),
        two_labellings,
        with_options(getattr(measures, name)),
        sklearn_score(name),
        "scikit-learn",
        reach=dict(ratio=1),
    )
for name in "adjusted_rand_score", "v_measure_score":
    text = name.replace("_", " ")
    add(
        Timing,
        f"{text}, strings",
        Size(1_000_000, 2, 0, 10),
        two_string_labellings,
        with_options(getattr(measures, name)),
        sklearn_score(name),
        "scikit-learn",
        reach=dict(ratio=1),
    )
    add(
        Timing,
        f"{text}, one pass",
        Size(1_000_000, 2, 0, 10),
        two_labellings,
        with_options(getattr(measures, name)),
        one_pass,
        "numpy.bincount of the pairs",
        same=False,
        reach=dict(ratio=0.5),
    )
    add(
        Timing,
        f"{text}, strings, one pass",
        Size(1_000_000, 2, 0, 10),
        two_string_labellings,
        with_options(getattr(measures, name)),
        one_pass_strings,
        "pandas.factorize of both",
        same=False,
        reach=dict(ratio=0.5),
    )

# starts; Huang's ties fall otherwise in kmodes, which sorts unstably
add(
    Timing,
    "Cao's start, k=10",
    Size(100_000, 20, 8, 10),
    codes_and_k,
    init_cao,
    kmodes_start("cao"),
    "kmodes",
    opponent_n=20_000,
    value=cost_of_start,
)
add(
    Timing,
    "Huang's start, k=10",
    Size(100_000, 20, 8, 10),
    codes_and_k,
    with_options(init_huang, random_state=0),
    kmodes_start("huang"),
    "kmodes",
    same=False,
    opponent_n=20_000,
    value=cost_of_start,
)
add(
    Timing,
    "matching start, k=10",
    Size(100_000, 20, 8, 10),
    codes_and_k,
    with_options(init_matching, random_state=0),
    value=cost_of_start,
)
for name, function in (
    ("Cao's", init_cao),
    ("Huang's", with_options(init_huang, random_state=0)),
    ("matching", with_options(init_matching, random_state=0)),
):
    add(
        Sweep,
        f"{name} start in k, to k=1,000",
        Size(100_000),
        "k",
        (100, 300, 1000),
        codes_and_k,
        function,
    )

# distances to a thousand rows
for function, against, n in (
    (scipy_distances, "scipy", None),
    (sklearn_distances, "scikit-learn", None),
    (gower_distances, "gower", 2000),
):
    add(
        Timing,
        f"distances, against {against}",
        Size(10_000),
        rows_to_few,
        matching_distances,
        function,
        against,
        opponent_n=n,
    )

# all distances of 5,000 rows: the condensed form of Hamming's, the whole matrix of
# Gower's
for threads in 1, 2:
    of = f"{threads} thread{'s' * (threads > 1)}"
    add(
        Timing,
        f"all distances, {of}",
        Size(5000),
        codes_alone,
        with_options(measures.hamming_distances, condensed=True, n_jobs=threads),
        scipy_condensed,
        "scipy's pdist",
        value=sum_of_counts,
        threads=threads,
        reach=dict(ratio=5),
    )
    add(
        Timing,
        f"Gower's distances, {of}",
        Size(5000),
        mixed_cells,
        with_options(measures.gower_distances, n_jobs=threads),
        gower_mixed,
        "gower",
        value=mean_distance,
        threads=threads,
        reach=dict(ratio=500),
    )

# memory: codes once more (turned into columns) and a few numbers a row
add(
    Timing,
    "memory of a batch fit, from codes",
    MILLION,
    codes_and_start,
    batch(2),
    threads=2,
    memory=True,
    reach=dict(extra_mb=60),
)
add(
    Timing,
    "memory of a fit, from codes",
    Size(100_000, 20, 8, 10),
    codes_and_start,
    fit("huang"),
    kmodes_fit,
    "kmodes",
    memory=True,
    opponent_n=20_000,
    note="the opponent's memory is that at its own n",
)
add(
    Timing,
    "memory of a fit by transfer",
    MILLION,
    codes_and_start,
    otqt,
    memory=True,
    reach=dict(extra_mb=60),
)

# fresh processes
add(
    Process,
    "import kmodes_study",
    IMPORT.format("import kmodes_study"),
    IMPORT.format("import kmodes.kmodes"),
    "import kmodes.kmodes",
    reach=dict(seconds=1),
)
add(
    Process,
    "import KModes",
    IMPORT.format("from kmodes_study import KModes"),
    IMPORT.format("from kmodes.kmodes import KModes"),
    "import kmodes.kmodes",
)
add(
    Process,
    "first fit minus second, kernels in the cache",
    FIRST_FIT,
    reach=dict(seconds=1),
)
add(
    Process,
    "first fit minus second, empty cache",
    FIRST_FIT,
    env=dict(NUMBA_CACHE_DIR="{fresh}"),
    reach=dict(seconds=5),
)
add(
    Process,
    "first fit minus second, no cache",
    FIRST_FIT,
    env=dict(KMODES_STUDY_CACHE="0"),
    reach=dict(seconds=5),
)
