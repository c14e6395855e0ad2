"""Same data and seed, same result: whatever compiles the kernels, whatever the
processor, on any number of threads, after pickling, and again.

A digest of every result of a catalogue (`fingerprints.py`) is computed in processes of
their own, one for each environment, and compared with that of a process without
settings. `.ci/oldest` compares the same digests on the oldest versions that
settings.ini allows.
"""

import copy
import json
import os
import pickle
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import numba
import numpy as np
import pytest
from numpy._core import _multiarray_umath as core
from sklearn.base import clone

from kmodes_study.cluster.starts.basic import INITIALISATIONS
from kmodes_study.cluster import ALGORITHMS, KModes
from kmodes_study.family.kprototypes import KPrototypes
from kmodes_study.data.synthetic import toy_vehicles, make_planted_clusters
from fingerprints import LARGE, SMALL

# Whether two runs are the same does not hang on how many swaps they make.
pytestmark = pytest.mark.usefixtures("few_swaps")

# what numpy chooses from when it runs, here
FEATURES = [name for name in core.__cpu_dispatch__ if core.__cpu_features__[name]]
NO_SIMD = dict(
    NPY_DISABLE_CPU_FEATURES=" ".join(FEATURES),
    NUMBA_CPU_NAME="generic",
    NUMBA_CPU_FEATURES="",
    NUMBA_LOOP_VECTORIZE="0",
    NUMBA_SLP_VECTORIZE="0",
)
# name: (settings, the data sets of `make test`, those of --all, entries at once). Where
# all kernels are compiled in another way, that takes a minute, and needs a cache of its
# own: numba's knows of no such settings. The smallest set has ties, gaps, weights and
# every algorithm, too.
QUICK = "vehicles", "planted"
ENVIRONMENTS = {
    "plain": (dict(PYTHONHASHSEED="0"), QUICK, LARGE, 1),
    "no SIMD, bounds check": (NO_SIMD | dict(NUMBA_BOUNDSCHECK="1"), (), LARGE, 1),
    "no JIT": (dict(NUMBA_DISABLE_JIT="1"), QUICK[:1], SMALL, 1),
    "hash seed, four at once": (dict(PYTHONHASHSEED="5"), QUICK, LARGE, 4),
}
# rows enough for several threads to share, where kernels are fast
MANY = 50_000 if not numba.config.DISABLE_JIT else 400


def start(script, settings, cache=None):
    """A process that runs a script of this folder with these settings of numba and
    numpy, and with no others.
    """
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("NUMBA_", "NPY_", "KMODES_STUDY_", "PYTHONHASHSEED"))
    }
    if cache is not None:
        clean["NUMBA_CACHE_DIR"] = str(cache)
    command = [sys.executable, *map(str, script)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=clean | settings,
        cwd=Path(__file__).parents[1],
    )


def output(process):
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    return out


@pytest.fixture(scope="module")
def printed(request, tmp_path_factory):
    """What the catalogue prints in each environment; the first alone, the others side
    by side.
    """
    every = request.config.getoption("--all")
    script = Path(__file__).with_name("fingerprints.py")
    running, found = {}, {}
    try:
        for name, (settings, quick, large, threads) in ENVIRONMENTS.items():
            if not (quick or every):
                continue
            sets, cache = large if every else quick, None
            if not quick:
                kept = getattr(request.config, "cache", None)
                make = kept.mkdir if kept else tmp_path_factory.mktemp
                cache = make("numba-" + name.replace(" ", "-"))
            options = ["--seeds", "1", "--threads", threads, "--sets", *sets]
            running[name] = start([script, *options], settings, cache)
            if name == "plain":
                # fills the cache that the others read
                found[name] = json.loads(output(running[name]))
        for name in running.keys() - found.keys():
            found[name] = json.loads(output(running[name]))
    finally:
        for process in running.values():
            process.kill()
    return found


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if quick else [pytest.mark.minute])
        for name, (_, quick, _, _) in ENVIRONMENTS.items()
        if name != "plain"
    ],
)
def test_environments_give_the_same_digests(printed, name, request):
    expected, found = printed["plain"]["digests"], printed[name]["digests"]
    assert [key for key in found if found[key] != expected[key]] == []
    _, quick, large, _ = ENVIRONMENTS[name]
    names = large if request.config.getoption("--all") else quick
    assert found.keys() == {key for key in expected if key.startswith(names)}


@pytest.fixture(scope="module")
def planted():
    levels = [2, 3, 4, 5, 3, 2, 6]
    return make_planted_clusters(MANY, 7, levels, 6, 0.5, random_state=1).codes


def same(one, other):
    "Whether two results agree in type and in every bit."
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("init", ["cao", "random"])
def test_threads_of_k_modes(planted, algorithm, init):
    codes = planted[:12_000]
    options = dict(init=init, algorithm=algorithm, n_init=4, max_iter=10)
    fit = lambda n: KModes(6, random_state=0, n_jobs=n, **options).fit(codes)
    alone, two, five = (seen(fit(n_jobs), codes) for n_jobs in (1, 2, 5))
    assert same(two, alone)
    assert same(five, alone)


def vehicles():
    return toy_vehicles().astype({"price": "category", "maintenance": "string"})


# Each start once and each algorithm twice: what a model keeps, and what it draws from,
# are both a sum, no product.
OPTIONS = dict(n_init=3, random_state=4)
NAMED = dict(categorical_features=["price", "maintenance", "eco"])
ESTIMATORS = {
    f"KModes {init} {algorithm}": KModes(
        3, init=init, algorithm=algorithm, handle_unknown="ignore", **OPTIONS
    )
    for init, algorithm in zip(INITIALISATIONS, cycle(ALGORITHMS))
}
ESTIMATORS |= {
    f"KPrototypes {init}": KPrototypes(3, init=init, **NAMED, **OPTIONS)
    for init in ("cao", "huang", "random", "k-means++")
}


def seen(model, X):
    "What there is to see of a fitted model."
    return [
        model.labels_,
        model.cluster_centroids_,
        model.cost_,
        model.n_iter_,
        model.epoch_costs_,
        model.modes_,
        model.predict(X),
        model.transform(X),
        model.score(X),
        model.get_feature_names_out().tolist(),
    ]


@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
def test_pickles_clones_and_copies(estimator):
    X, protocols = vehicles(), (2, pickle.HIGHEST_PROTOCOL)
    model = clone(estimator).fit(X)
    expected = seen(model, X)
    old, again = (pickle.loads(pickle.dumps(model, protocol)) for protocol in protocols)
    for copied in old, again, copy.deepcopy(model):
        assert same(seen(copied, X), expected)
    pickled = [
        pickle.loads(pickle.dumps(estimator, protocol)) for protocol in protocols
    ]
    for unfitted in (clone(again), *pickled, copy.deepcopy(estimator)):
        assert not hasattr(unfitted, "labels_")
        assert same(seen(unfitted.fit(X), X), expected)
    # a second fit begins anew
    assert same(seen(again.fit(X.iloc[:6]).fit(X), X), expected)


@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
def test_neither_reads_nor_moves_the_global_random_state(estimator):
    found = []
    for seed in 0, 1:
        np.random.seed(seed)
        found.append(seen(clone(estimator).fit(vehicles()), vehicles()))
        assert np.random.randint(2**31) == np.random.RandomState(seed).randint(2**31)
    assert same(*found)
