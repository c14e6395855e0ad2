"""A fixed catalogue of results, each as a digest: run in two environments, it shows
whether they give the same.

How to run it: `python tests/fingerprints.py --help`.
"""

import argparse
import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numba
import numpy as np
from sklearn.base import clone

from kmodes_study.cluster.algorithms.lloyd import lloyd
from kmodes_study.core.kernels import nearest_modes
from kmodes_study.cluster.starts.basic import INITIALISATIONS, init_cao, initialise
from kmodes_study.cluster import ALGORITHMS, KModes
from kmodes_study.cluster.algorithms.huang import huang
from kmodes_study.family.kprototypes import KPrototypes
from kmodes_study.family.prototypes import STARTS
from kmodes_study.cluster.starts.matching import init_matching
from kmodes_study.cluster.algorithms.transfers import otqt
from kmodes_study.cluster.algorithms.swaps import swap_search
from kmodes_study.core.codes import encode
from kmodes_study.data.synthetic import toy_vehicles
from kmodes_study.data import computed
from kmodes_study.data.synthetic import make_planted_clusters
from kmodes_study.measures.contingency import contingency_matrix
from kmodes_study.measures.pair_counting import pair_counts
from kmodes_study.measures.silhouette import silhouette_samples
from kmodes_study.study.legacy import run_legacy

# what can be run without compiled kernels
SMALL = ("vehicles", "balance-scale", "planted")
# a thousand swaps are slow where nothing is compiled
DESCENTS = [name for name in ALGORITHMS if name != "swap"]
LARGE = SMALL + ("car", "tic-tac-toe", "wide")


def data(name):
    """Codes of a data set that needs no file: the computed ones without their class,
    which stands first or last.
    """

    if name == "vehicles":
        return encode(toy_vehicles())[0]
    if name == "planted":
        levels = [2, 3, 4, 5, 3, 2, 6]
        return make_planted_clusters(150, 7, levels, 5, 0.4, random_state=7).codes
    if name == "wide":  # two bytes, more than a word of counters
        return make_planted_clusters(600, 70, 300, 9, 0.6, random_state=8).codes
    lines = getattr(computed, name.replace("-", "_"))().decode().split()
    cells = np.array([line.split(",") for line in lines])
    return encode(cells[:, 1:] if name == "balance-scale" else cells[:, :-1])[0]


def digest(*parts):
    "sha256 of arrays by type, shape and every bit, and of other things by their repr."
    h = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype != object:
            h.update(f"{part.dtype.str}{part.shape}".encode())
            h.update(np.ascontiguousarray(part).tobytes())
        else:
            part = part.tolist() if isinstance(part, np.ndarray) else part
            h.update(repr(part).encode())
    return h.hexdigest()[:16]


def starts_and_descents(codes, k, seed, init):
    """From one start: the start itself, the online, batch and transfer algorithms, and
    the measures of what they find.
    """
    start = initialise(codes, k, init, random_state=seed)
    yield "start", start
    for name, algorithm in (("huang", huang), ("lloyd", lloyd)):
        yield name, *algorithm(codes, start, random_state=seed)
    yield "swap", *swap_search(codes, start, random_state=seed, max_swaps=3, max_iter=5)
    for first_pass, name in (("follow", "otqt"), ("assign", "otqt assign")):
        run = otqt(codes, start, first_pass=first_pass)
        yield name, run.labels, run.modes, run.epoch_costs, run.n_iter, run.converged
    batch = lloyd(codes, start)
    weights = np.random.RandomState(seed).randint(1, 4, size=len(codes))
    yield "lloyd_fast", *batch
    yield "lloyd_fast weights", *lloyd(codes, start, sample_weight=weights)
    yield "lloyd_fast fractions", *lloyd(codes, start, sample_weight=weights / 7)
    yield "assign_fast", *nearest_modes(codes, start)
    online = huang(codes, start, random_state=seed).labels
    f11, f10, f01, f00 = pair_counts(online, batch.labels)
    pairs = np.array([[2 * f00, 2 * f01], [2 * f10, 2 * f11]])
    yield "tables", contingency_matrix(online, batch.labels), pairs
    if 1 < len(set(online.tolist())) < len(codes):
        yield "silhouette", silhouette_samples(codes, online)


def legacy_runs(codes, k, seed, init):
    yield "legacy", *run_legacy(codes, k, init, seed)


def preferences(codes, k, seed, preference):
    yield "rows", init_matching(codes, k, random_state=seed, preference=preference)


def mixed(codes):
    "The codes beside two columns of fractions, which are no sums of powers of two."
    numbers = np.random.RandomState(0).randint(1000, size=(len(codes), 2)) / 7
    return np.column_stack([numbers + codes[:, :1], codes])


def found_by(model, *names):
    "What a fit has found, by the names of its attributes without the last letter."
    return [getattr(model, f"{name}_") for name in names]


def prototypes(X, k, seed, init, **options):
    "k-prototypes where the first two columns hold numbers."
    init = init if init in STARTS else "k-means++"
    columns = list(range(2, X.shape[1]))
    options |= dict(categorical_features=columns, n_init=2, random_state=seed)
    return KPrototypes(k, init=init, **options).fit(X)


def estimators(codes, k, seed, init):
    """Fits through the estimators; numbers of k-prototypes are compared to the last
    bit, which it promises.
    """
    for name in DESCENTS:
        model = KModes(k, init=init, algorithm=name, n_init=2, random_state=seed)
        model = clone(model).fit(codes)
        found = found_by(model, "labels", "cluster_centroids", "cost")
        yield f"KModes {name}", *found, model.transform(codes)
    X = mixed(codes)
    model = prototypes(X, k, seed, init)
    found = found_by(model, "labels", "centres", "modes", "cost", "gamma")
    yield "KPrototypes", *found, model.transform(X)


def holed(codes):
    """The codes as numbers of which every fifth is missing, but no row or column
    altogether.
    """
    holes = np.random.RandomState(1).rand(*codes.shape) < 0.2
    holes[holes.all(axis=1), 0] = False
    holes[0] = False
    return np.where(holes, np.nan, codes)


def missing_values(codes, k, seed, init):
    """Fits that ignore missing values, and the silhouette that does; whole weights and
    weights with fractions.
    """
    X = holed(codes)
    weights = np.random.RandomState(seed).randint(1, 4, size=len(codes))
    every = dict(once=None, whole=weights, fractions=weights / 7)
    options = dict(init=init, n_init=2, random_state=seed, missing="ignore")
    for algorithm, (name, w) in product(DESCENTS, every.items()):
        model = KModes(k, algorithm=algorithm, **options).fit(X, sample_weight=w)
        found = found_by(model, "labels", "cluster_centroids", "cost", "epoch_costs")
        yield f"{algorithm} {name}", *found, model.transform(X)
        if algorithm == "huang":
            labels = model.labels_
    if 1 < len(set(labels.tolist())) < len(X):
        yield "silhouette", silhouette_samples(X, labels, missing="ignore")
    X = mixed(codes) + (X - codes)[:, [0, 1, *range(X.shape[1])]]
    model = prototypes(X, k, seed, init, missing="ignore")
    found = found_by(model, "labels", "cluster_centroids", "cost", "gamma")
    yield "KPrototypes", *found


def every_row(codes, *_):
    yield "cao", init_cao(codes, min(len(np.unique(codes, axis=0)), 30))


def tasks(names, seeds):
    "The catalogue: pairs of a key and a function that gives its results."
    for name in names:
        codes = data(name)
        for k, seed in product((2, 4, 7), range(seeds)):
            key = f"{name} k={k} seed={seed}"
            for init in INITIALISATIONS:
                if init != "cao" or not seed:
                    yield f"{key} {init}", starts_and_descents, codes, k, seed, init
            for one in "worst", "random":
                yield f"{key} matching {one}", preferences, codes, k, seed, one
            for init in "cao", "huang", "matching":
                yield f"{key} {init} of 2020", legacy_runs, codes, k, seed, init
        for init in INITIALISATIONS:
            yield f"{name} {init}", estimators, codes, 3, 0, init
            yield f"{name} {init} missing", missing_values, codes, 3, 0, init
        yield f"{name} every row", every_row, codes


def catalogue(names=SMALL, seeds=2, n_threads=1):
    """The digest of every entry by its key, computed one after the other or on several
    threads at once.
    """

    def work(task):
        key, function, *arguments = task
        return {
            f"{key} {what}": digest(*parts) for what, *parts in function(*arguments)
        }

    with ThreadPoolExecutor(n_threads) as pool:
        found = list((pool.map if n_threads > 1 else map)(work, tasks(names, seeds)))
    return {key: value for part in found for key, value in part.items()}


def environment():
    """What the settings of this process have come to: of numba, and of numpy the groups
    of instructions it chooses from when it runs.
    """
    from numpy._core import _multiarray_umath as core

    features = [name for name in core.__cpu_dispatch__ if core.__cpu_features__[name]]
    return {
        "jit": not numba.config.DISABLE_JIT,
        "boundscheck": bool(numba.config.BOUNDSCHECK),
        "cpu": numba.config.CPU_NAME,
        "numpy": features,
        "vectorise": bool(numba.config.LOOP_VECTORIZE or numba.config.SLP_VECTORIZE),
        "hash": hash("a"),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--seeds", type=int, default=2, help="seeds of every random start")
    add("--large", action="store_true", help="also what only compiled kernels can run")
    add("--sets", nargs="+", choices=LARGE, help="these data sets alone")
    add("--threads", type=int, default=1, help="how many entries at once")
    told = (
        "what another environment has printed; the exit status is 1 where they differ"
    )
    add("--compare", metavar="FILE", help=told)
    options = parser.parse_args()
    names = options.sets or (LARGE if options.large else SMALL)
    found = catalogue(names, options.seeds, options.threads)
    if options.compare is None:
        print(json.dumps({"environment": environment(), "digests": found}, indent=0))
    else:
        with open(options.compare, encoding="utf-8") as file:
            expected = json.load(file)["digests"]
        keys = sorted(found.keys() | expected.keys())
        odd = [key for key in keys if found.get(key) != expected.get(key)]
        print(f"{len(found)} entries, {len(odd)} differ", *odd, sep="\n")
        raise SystemExit(bool(odd) or not found)
