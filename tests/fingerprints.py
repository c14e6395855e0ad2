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

    def columns(lines, chosen):
        return encode(
            np.array([line.split(",") for line in lines.decode().split()])[:, chosen]
        )[0]

    if name == "vehicles":
        return encode(toy_vehicles())[0]
    if name == "balance-scale":
        return columns(computed.balance_scale(), slice(1, None))
    if name == "car":
        return columns(computed.car(), slice(-1))
    if name == "tic-tac-toe":
        return columns(computed.tic_tac_toe(), slice(-1))
    if name == "planted":
        return make_planted_clusters(
            150, 7, [2, 3, 4, 5, 3, 2, 6], 5, noise=0.4, random_state=7
        ).codes
    # two bytes, more than a word of counters
    if name == "wide":
        return make_planted_clusters(600, 70, 300, 9, noise=0.6, random_state=8).codes
    raise ValueError(f"name={name!r}: expected one of {LARGE}")


def digest(*parts):
    "sha256 of arrays by type, shape and every bit, and of other things by their repr."
    h = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype != object:
            h.update(
                f"{part.dtype.str}{part.shape}".encode()
                + np.ascontiguousarray(part).tobytes()
            )
        else:
            h.update(
                repr(part.tolist() if isinstance(part, np.ndarray) else part).encode()
            )
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
        labels, modes, _, n_iter, epoch_costs, converged = otqt(
            codes, start, first_pass=first_pass
        )
        yield name, labels, modes, epoch_costs, n_iter, converged
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
    numbers = (
        np.random.RandomState(0).randint(1000, size=(len(codes), 2)) / 7 + codes[:, :1]
    )
    return np.column_stack([numbers, codes])


def estimators(codes, k, seed, init):
    """Fits through the estimators; numbers of k-prototypes are compared to the last
    bit, which it promises.
    """
    X = mixed(codes)
    for algorithm in DESCENTS:
        model = clone(
            KModes(k, init=init, algorithm=algorithm, n_init=2, random_state=seed)
        ).fit(codes)
        yield (
            f"KModes {algorithm}",
            model.labels_,
            model.cluster_centroids_,
            model.cost_,
            model.transform(codes),
        )
    prototypes = KPrototypes(
        k,
        init=init if init in STARTS else "k-means++",
        categorical_features=list(range(2, X.shape[1])),
        n_init=2,
        random_state=seed,
    )
    prototypes.fit(X)
    yield (
        "KPrototypes",
        prototypes.labels_,
        prototypes.centres_,
        prototypes.modes_,
        prototypes.cost_,
        prototypes.gamma_,
        prototypes.transform(X),
    )


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
    for algorithm, (name, w) in product(
        DESCENTS, dict(once=None, whole=weights, fractions=weights / 7).items()
    ):
        model = KModes(
            k,
            init=init,
            algorithm=algorithm,
            n_init=2,
            random_state=seed,
            missing="ignore",
        ).fit(X, sample_weight=w)
        yield (
            f"{algorithm} {name}",
            model.labels_,
            model.cluster_centroids_,
            model.cost_,
            model.epoch_costs_,
            model.transform(X),
        )
        if algorithm == "huang":
            labels = model.labels_
    if 1 < len(set(labels.tolist())) < len(X):
        yield "silhouette", silhouette_samples(X, labels, missing="ignore")
    columns = list(range(2, X.shape[1] + 2))
    model = KPrototypes(
        k,
        init=init if init in STARTS else "k-means++",
        categorical_features=columns,
        n_init=2,
        random_state=seed,
        missing="ignore",
    ).fit(mixed(codes) + (X - codes)[:, [0, 1, *range(X.shape[1])]])
    yield (
        "KPrototypes",
        model.labels_,
        model.cluster_centroids_,
        model.cost_,
        model.gamma_,
    )


def tasks(names, seeds):
    "The catalogue: pairs of a key and a function that gives its results."
    for name in names:
        codes = data(name)
        for k, seed in product((2, 4, 7), range(seeds)):
            for init in INITIALISATIONS:
                if init != "cao" or not seed:
                    yield (
                        f"{name} k={k} seed={seed} {init}",
                        starts_and_descents,
                        codes,
                        k,
                        seed,
                        init,
                    )
            for preference in ("worst", "random"):
                yield (
                    f"{name} k={k} seed={seed} matching {preference}",
                    preferences,
                    codes,
                    k,
                    seed,
                    preference,
                )
            for init in ("cao", "huang", "matching"):
                yield (
                    f"{name} k={k} seed={seed} {init} of 2020",
                    legacy_runs,
                    codes,
                    k,
                    seed,
                    init,
                )
        for init in INITIALISATIONS:
            yield f"{name} {init}", estimators, codes, 3, 0, init
        for init in INITIALISATIONS:
            yield f"{name} {init} missing", missing_values, codes, 3, 0, init

        def every_row(codes, *_):
            return [("cao", init_cao(codes, min(len(np.unique(codes, axis=0)), 30)))]

        yield f"{name} every row", every_row, codes, 0, 0, 0


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
    parser.add_argument(
        "--seeds", type=int, default=2, help="seeds of every random start"
    )
    parser.add_argument(
        "--large",
        action="store_true",
        help="all data sets, not just those that need no compiled kernels",
    )
    parser.add_argument(
        "--sets",
        nargs="+",
        choices=LARGE,
        help="these data sets alone",
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="how many entries are computed at once"
    )
    parser.add_argument(
        "--compare",
        metavar="FILE",
        help=(
            "compare with what another environment has printed; the exit status is 1 "
            "where they differ"
        ),
    )
    options = parser.parse_args()
    names = options.sets or (LARGE if options.large else SMALL)
    found = catalogue(names, options.seeds, options.threads)
    if options.compare is None:
        print(json.dumps({"environment": environment(), "digests": found}, indent=0))
    else:
        with open(options.compare, encoding="utf-8") as file:
            expected = json.load(file)["digests"]
        odd = sorted(
            key
            for key in found.keys() | expected.keys()
            if found.get(key) != expected.get(key)
        )
        print(f"{len(found)} entries, {len(odd)} differ", *odd, sep="\n")
        raise SystemExit(bool(odd) or not found)
