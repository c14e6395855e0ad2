"""Eleven ways to cluster numbers and categories together, each by one function, and tables on which to judge them."""

from importlib.metadata import version
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from kmodes_study.cluster.estimator import KModes
from kmodes_study.core.codes import encode
from kmodes_study.core.codes import encode_labels
from kmodes_study.describe.maps import famd
from kmodes_study.family.kprototypes import KPrototypes
from kmodes_study.family.latent_classes import LatentClasses
from kmodes_study.measures.contingency import normalized_clustering_accuracy
from kmodes_study.measures.distances import gower_distances
from kmodes_study.measures.information import adjusted_mutual_info_score
from kmodes_study.measures.pair_counting import adjusted_rand_score

from .clusterers import (
    best_medoids,
    fitted,
    labelled_rows,
    labels_and_use,
    linked,
    one_hot,
    process_apart,
    random_labels,
    versions_apart,
)


class MixedProblem(NamedTuple):
    "A table of numbers and categories with known groups."

    name: str
    numbers: np.ndarray
    codes: np.ndarray
    labels: np.ndarray
    n_clusters: int


MIXED_SETS = ["heart-disease", "crx", "adult"]


def _standard(numbers):
    "Columns of mean 0 and standard deviation 1."
    return (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)


def mixed_problem(name: str, *, download: bool = False) -> MixedProblem:
    "A set of the archive with its numbers."
    X, names = labelled_rows(name, download)
    numbers = X.select_dtypes("number")
    numbers = numbers.fillna(numbers.median()).to_numpy(float)
    codes, _ = encode(X.select_dtypes(exclude="number").astype(str))
    classes, levels = encode_labels(names)
    return MixedProblem(name, _standard(numbers), codes, classes, len(levels))


FIRST_MIXED = 7000  # tables of lower numbers were used to try the programs
N_COLUMNS = 4
N_VALUES = 4
N_GROUPS = 3
# distance of the centres, cells drawn anew, evenness of the shares
STRENGTHS = dict(clear=(2.0, 0.4, 0.5), faint=(1.2, 0.65, 1.5))


def mixed_designs(n_each: int = 4) -> pd.DataFrame:
    "All designs: told by, shape and separation."
    factors = dict(
        told_by=["numbers", "categories", "both"],
        shape=["alike", "differing"],
        separation=list(STRENGTHS),
    )
    designs = list(product(*factors.values())) * n_each
    numbers = range(FIRST_MIXED, FIRST_MIXED + len(designs))
    return pd.DataFrame(designs, index=numbers, columns=list(factors))


def _planted_numbers(random, labels, distance, shape):
    "Normal numbers around a centre for each cluster, and how likely each makes a row."
    centres = random.normal(0, distance, size=(N_GROUPS, N_COLUMNS))
    spreads = np.ones((N_GROUPS, N_COLUMNS))
    if shape == "differing":
        spreads = np.exp(random.normal(0, 0.7, size=spreads.shape))
    rows = random.normal(size=(len(labels), N_COLUMNS))
    numbers = centres[labels] + spreads[labels] * rows
    far = (numbers[:, None] - centres) / spreads
    return numbers, -(far**2 / 2 + np.log(spreads)).sum(axis=2)


def _planted_codes(random, labels, noise, evenness, shape):
    """Categories drawn around a mode for each cluster, or from shares of its own, and
    the logarithm of how likely each cluster makes a row.
    """
    size = (N_GROUPS, N_COLUMNS)
    modes = random.randint(N_VALUES, size=size)
    shares = (1 - noise) * np.eye(N_VALUES)[modes] + noise / N_VALUES
    if shape == "differing":
        shares = random.dirichlet(np.full(N_VALUES, evenness), size=size)
    below = shares[labels].cumsum(axis=2)
    drawn = random.random_sample((len(labels), N_COLUMNS, 1))
    codes = (below < drawn).sum(axis=2).clip(max=N_VALUES - 1)
    return codes, np.log(shares[:, range(N_COLUMNS), codes]).sum(axis=2).T


def _planted(designs, seed, n):
    "Numbers, codes and labels of a planted table, and which cluster is likeliest."
    design = designs.loc[seed]
    random = np.random.RandomState(seed)
    distance, noise, evenness = STRENGTHS[design.separation]
    labels = random.randint(N_GROUPS, size=n)
    none = np.zeros(n, int)
    told = none if design.told_by == "categories" else labels
    numbers, by_numbers = _planted_numbers(random, told, distance, design.shape)
    told = none if design.told_by == "numbers" else labels
    codes, by_codes = _planted_codes(random, told, noise, evenness, design.shape)
    # where all rows are drawn as of one cluster, the part says nothing
    told = dict(numbers=by_numbers, categories=by_codes, both=by_numbers + by_codes)
    return numbers, codes, labels, told[design.told_by].argmax(axis=1)


def planted_mixed(designs: pd.DataFrame, seed: int, n: int = 300) -> MixedProblem:
    "A planted table of numbers and categories."
    numbers, codes, labels, _ = _planted(designs, seed, n)
    name = f"planted-{seed}"
    return MixedProblem(name, _standard(numbers), codes, labels, N_GROUPS)


def likeliest_mixed(designs: pd.DataFrame, seed: int, n: int = 300) -> np.ndarray:
    "The likeliest cluster of each row of a planted table, by its recipe."
    return _planted(designs, seed, n)[-1]


def mixed_frame(table: MixedProblem) -> pd.DataFrame:
    "Numbers and categories as one frame, in which the types tell them apart."
    numbers = pd.DataFrame(table.numbers).add_prefix("number ")
    names = pd.DataFrame(table.codes).astype(str).astype("category")
    return pd.concat([numbers, names.add_prefix("category ")], axis=1)


def _k_prototypes(table, n_clusters, seed):
    return KPrototypes(n_clusters, random_state=seed).fit_predict(mixed_frame(table))


def _package_kmodes(table, n_clusters, seed):
    from kmodes.kprototypes import KPrototypes as Peer

    n_numbers = table.numbers.shape[1]
    rows = np.concatenate([table.numbers, table.codes.astype(object)], axis=1)
    places = list(range(n_numbers, rows.shape[1]))
    return Peer(n_clusters, random_state=seed).fit_predict(rows, categorical=places)


def _gower_medoids(table, n_clusters, seed):
    return best_medoids(gower_distances(mixed_frame(table)), n_clusters, 10 * seed)


def _gower_linkage(table, n_clusters, seed):
    return linked(gower_distances(mixed_frame(table)), n_clusters)


def _famd_places(table):
    return famd(mixed_frame(table), 5).rows


def _one_hot_numbers(table):
    return np.concatenate([table.numbers, one_hot(table.codes)], axis=1)


def _quarters(numbers):
    "The quarter of its column in which each number lies."
    columns = [pd.qcut(column, 4, duplicates="drop").codes for column in numbers.T]
    return np.stack(columns, axis=1)


def _classes_of_quarters(table, n_clusters, seed):
    codes = np.concatenate([_quarters(table.numbers), table.codes], axis=1)
    return LatentClasses(n_clusters, random_state=seed).fit_predict(codes)


def _of_categories(table, n_clusters, seed):
    return KModes(n_clusters, random_state=seed).fit_predict(table.codes)


MIXED_CLUSTERERS = {
    "k-prototypes": _k_prototypes,
    "package kmodes": _package_kmodes,
    "Gower, k-medoids": _gower_medoids,
    "Gower, average linkage": _gower_linkage,
    "FAMD, k-means": fitted(KMeans, _famd_places),
    "one-hot and numbers, k-means": fitted(KMeans, _one_hot_numbers),
    "latent classes of quarters": _classes_of_quarters,
    "KAMILA": process_apart("kamila", ("numbers", "codes")),
    "numbers only, k-means": fitted(KMeans, lambda table: table.numbers),
    "categories only, k-modes": _of_categories,
    "random labels": lambda table, k, seed: random_labels(table.codes, k, seed),
}
MIXED_NO_LOTS = {"Gower, average linkage"}


def _mixture(table, n_clusters, seed):
    from stepmix.stepmix import StepMix

    parts = dict(
        numbers=dict(model="gaussian_diag", n_columns=table.numbers.shape[1]),
        categories=dict(model="categorical", n_columns=table.codes.shape[1]),
    )
    model = StepMix(
        n_clusters, measurement=parts, n_init=10, random_state=seed, progress_bar=0
    )
    rows = np.concatenate([table.numbers, table.codes], axis=1)
    return model.fit(rows).predict(rows)


def _at_price(gamma):
    "k-prototypes at a price of a mismatch."

    def method(table, n_clusters, seed):
        model = KPrototypes(n_clusters, gamma=gamma, random_state=seed)
        return model.fit_predict(mixed_frame(table))

    return method


PRICES = ("variance", 1, 2, 4)
MIXED_ADDED = {f"k-prototypes, gamma {price}": _at_price(price) for price in PRICES}
MIXED_ADDED |= {"mixture model": _mixture}

_PACKAGES = {
    "package kmodes": "kmodes",
    "Gower, k-medoids": "kmedoids",
    "Gower, average linkage": "scikit-learn",
    "FAMD, k-means": "scikit-learn",
    "one-hot and numbers, k-means": "scikit-learn",
    "numbers only, k-means": "scikit-learn",
    "KAMILA": "pykamila",
    "mixture model": "stepmix",
    "random labels": "numpy",
}


def package_of(name: str) -> str:
    "The package that does the clustering of a method, with its version."
    package = _PACKAGES.get(name, "kmodes_study")
    if package == "pykamila":
        return f"{package} {versions_apart([package])[package]}"
    return f"{package} {version(package)}"


def run_mixed(problem: MixedProblem, name: str, seed: int, method=None) -> dict:
    "One run of one method on one mixed table, as a row."
    method = (MIXED_CLUSTERERS | MIXED_ADDED)[name] if method is None else method
    labels, used, error = labels_and_use(method, problem, problem.n_clusters, seed)
    row = dict(table=problem.name, method=name, seed=seed, ari=0.0, ami=0.0, nca=0.0)
    if not error:
        found, _ = encode_labels(labels)
        row["ari"] = adjusted_rand_score(problem.labels, found)
        row["ami"] = adjusted_mutual_info_score(problem.labels, found)
        row["nca"] = normalized_clustering_accuracy(problem.labels, found)
    return row | dict(seconds=used["seconds"], error=error)
