"""Clusterers of packages that this project does not install, in a Python of their own.

    pip install lshkrepresentatives networkx termcolor umap-learn genieclust
    KMODES_STUDY_PEERS=path/to/that/python

One request a line on standard input, as JSON: method, codes, n_clusters, seed. One
answer a line: labels and seconds of the processor, or an error.
`kmodes_study.study.clusterers` sends the requests.
"""

import contextlib
import json
import os
import random
import sys
import tempfile
import time
import warnings

import numpy as np


def one_hot(codes):
    return np.concatenate([np.eye(column.max() + 1)[column] for column in codes.T], 1)


def lsh(codes, n_clusters, seed):
    from LSHkRepresentatives.LSHkRepresentatives import LSHkRepresentatives

    # the package draws from the generators that all of Python shares
    random.seed(seed)
    np.random.seed(seed)
    return LSHkRepresentatives(n_clusters=n_clusters, n_init=5).fit(codes)


def umap(codes, n_clusters, seed):
    from sklearn.cluster import HDBSCAN
    from umap import UMAP

    model = UMAP(metric="hamming", min_dist=0.0, random_state=seed)
    places = model.fit_transform(codes)
    return HDBSCAN(min_cluster_size=max(5, len(codes) // 50)).fit_predict(places)


def genie(codes, n_clusters, seed):
    from genieclust import Genie

    return Genie(n_clusters=n_clusters).fit_predict(one_hot(codes))


METHODS = dict(lsh=lsh, umap=umap, genie=genie)


def answer(request):
    "Labels and seconds, or the error in words."
    codes = np.array(request["codes"])
    start = time.process_time()
    try:
        method = METHODS[request["method"]]
        # what packages print must not stand between the answers
        with contextlib.redirect_stdout(sys.stderr):
            labels = method(codes, request["n_clusters"], request["seed"])
    except Exception as error:
        return dict(error=f"{type(error).__name__}: {error}")
    seconds = time.process_time() - start
    return dict(labels=[int(label) for label in labels], seconds=seconds)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # lshkrepresentatives writes a file for each table
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line))), flush=True)
