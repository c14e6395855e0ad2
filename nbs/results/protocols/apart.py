"""Clusterers of packages that this project does not install, in a Python of their own.

    pip install lshkrepresentatives networkx pandas termcolor umap-learn
    pip install genieclust pykamila
    KMODES_STUDY_PEERS=path/to/that/python

One request a line on standard input, as JSON: method, codes, n_clusters, seed, and the
numbers of a mixed table. One answer a line: labels, seconds of the processor and growth
of the memory in MiB (null where the system does not tell), or an error. The method
"versions" gets the names of packages and answers with their versions.
`kmodes_study.study.protocols.clusterers` sends the requests.
"""

import contextlib
import json
import os
import random
import sys
import tempfile
import time
import warnings
from importlib import import_module
from importlib.metadata import version

import numpy as np


def one_hot(codes):
    return np.concatenate([np.eye(column.max() + 1)[column] for column in codes.T], 1)


def lsh(codes, n_clusters, seed):
    from LSHkRepresentatives.LSHkRepresentatives import LSHkRepresentatives

    # the package draws from the generators that all of Python shares
    random.seed(seed)
    np.random.seed(seed)
    return LSHkRepresentatives(n_clusters=n_clusters, n_init=5).fit(codes)


def representatives(codes, n_clusters, seed, n_init=5):
    """k-representatives of the same package without its hash: each row joins the
    nearest of some drawn rows, and the beginning of the lowest cost counts.
    """
    package = import_module("LSHkRepresentatives.LSHkRepresentatives")
    random_state = np.random.RandomState(seed)

    class Drawn:
        "Cells around drawn rows, in the place of the cells of the hash table."

        def __init__(self, *arguments, **options):
            rows = random_state.choice(len(codes), n_clusters, replace=False)
            mismatches = (codes[:, None] != codes[rows]).sum(axis=2)
            nearest = mismatches.argmin(axis=1)
            nearest[rows] = np.arange(n_clusters)  # so that no cell is empty
            self.hashTable = {
                cell: np.flatnonzero(nearest == cell).tolist()
                for cell in range(n_clusters)
            }

        def DoHash(self):
            "The cells are there."

        def hammingDistance(self, one, other):
            return int(one != other)

    theirs, package.LSH = package.LSH, Drawn
    ends = []
    try:
        for _ in range(n_init):
            model = package.LSHkRepresentatives(n_clusters=n_clusters, n_init=1)
            labels = np.asarray(model.fit(codes))
            shares = [one_hot(codes)[labels == one].mean(0) for one in set(labels)]
            sizes = [(labels == one).sum() for one in set(labels)]
            cost = -sum(size * (share**2).sum() for size, share in zip(sizes, shares))
            ends.append((cost, labels))
    finally:
        package.LSH = theirs
    return min(ends, key=lambda end: end[0])[1]


def umap(codes, n_clusters, seed):
    from sklearn.cluster import HDBSCAN
    from umap import UMAP

    model = UMAP(metric="hamming", min_dist=0.0, random_state=seed)
    places = model.fit_transform(codes)
    return HDBSCAN(min_cluster_size=max(5, len(codes) // 50)).fit_predict(places)


def genie(codes, n_clusters, seed):
    from genieclust import Genie

    return Genie(n_clusters=n_clusters).fit_predict(one_hot(codes))


def kamila(codes, n_clusters, seed, numbers):
    from pykamila import KAMILA

    numbers = np.array(numbers)
    rows = np.concatenate([numbers, codes], axis=1)
    model = KAMILA(n_clusters, random_state=10 * seed)
    return model.fit(rows, np.arange(numbers.shape[1])).labels_


METHODS = dict(
    lsh=lsh, representatives=representatives, umap=umap, genie=genie, kamila=kamila
)


def memory(field):
    "VmRSS, the memory of this process in MiB, or VmHWM, its highest."
    with open("/proc/self/status") as lines:
        found = [line.split()[1] for line in lines if line.startswith(field)]
    return int(found[0]) / 1024


def memory_before():
    "The memory now; the highest begins anew. None on systems that cannot."
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return memory("VmRSS")
    except (OSError, IndexError):
        return None


def memory_since(before):
    "By how many MiB the highest memory has grown."
    return None if before is None else memory("VmHWM") - before


def answer(request):
    "Labels, seconds and memory, or the error in words."
    rest = dict(request)
    if rest["method"] == "versions":
        return dict(versions={name: version(name) for name in rest["packages"]})
    codes = np.array(rest.pop("codes"))
    method = METHODS[rest.pop("method")]
    before = memory_before()
    start = time.process_time()
    try:
        # what packages print must not stand between the answers
        with contextlib.redirect_stdout(sys.stderr):
            labels = method(codes, **rest)
    except Exception as error:
        return dict(error=f"{type(error).__name__}: {error}")
    seconds = time.process_time() - start
    labels = [int(label) for label in labels]
    return dict(labels=labels, seconds=seconds, memory=memory_since(before))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    # before a package is imported: how Genie breaks ties depends on the threads
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # lshkrepresentatives writes a file for each table
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line))), flush=True)
