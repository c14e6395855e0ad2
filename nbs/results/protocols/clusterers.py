"""Many ways to cluster categories, each by one function, and tables on which to judge them."""

import json
import os
import subprocess
import time
import warnings
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.linalg import eigh
from scipy.sparse import csgraph
from sklearn.cluster import (
    HDBSCAN,
    AgglomerativeClustering,
    KMeans,
    SpectralClustering,
)
from threadpoolctl import threadpool_limits

from kmodes_study import data as datasets
from kmodes_study.cluster.estimator import KModes
from kmodes_study.cluster.modes import cluster_costs, modes_of
from kmodes_study.core.codes import encode, encode_labels
from kmodes_study.describe.choice_of_k import k_scan
from kmodes_study.describe.maps import mca
from kmodes_study.family.fuzzy import FuzzyKModes
from kmodes_study.family.latent_classes import LatentClasses
from kmodes_study.family.rock_clustering import ROCK
from kmodes_study.measures.contingency import normalized_clustering_accuracy
from kmodes_study.measures.distances import hamming_distances
from kmodes_study.measures.information import adjusted_mutual_info_score
from kmodes_study.measures.pair_counting import adjusted_rand_score
from kmodes_study.measures.silhouette import silhouette_score
from kmodes_study.study.experiments import experiment

from .apart import memory_before, memory_since
from .contest import Problem


def one_hot(codes) -> np.ndarray:
    "A column of zeros and ones for each category of each attribute."
    columns = np.asarray(codes).T
    return np.concatenate([np.eye(column.max() + 1)[column] for column in columns], 1)


def partition_entropy(codes, labels) -> float:
    """The expected entropy of a cluster, summed over the attributes (Barbará, Li and
    Couto 2002), in nats.
    """
    table = one_hot(codes)
    counts = np.stack([table[labels == l].sum(0) for l in range(max(labels) + 1)])
    sizes = np.bincount(labels)[:, None]
    shares = counts / np.maximum(sizes, 1)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    return float(-(counts * logs).sum() / len(table))


def _in_turns(table, labels, n_clusters, max_iter=100):
    "Points go to the cluster in which their values are likeliest, until none moves."
    for _ in range(max_iter):
        members = np.eye(n_clusters)[labels]
        shares = (members.T @ table + 0.5) / (members.sum(0)[:, None] + 1)
        moved = (table @ np.log(shares).T).argmax(axis=1)
        if (moved == labels).all():
            break
        labels = moved
    return labels


def entropy_partition(codes, n_clusters: int, seed: int, n_init: int = 10):
    "A partition of low entropy, the best of some random beginnings."
    random = np.random.RandomState(seed)
    table = one_hot(codes)
    ends = []
    for _ in range(n_init):
        centres = table[random.choice(len(table), n_clusters, replace=False)]
        ends.append(_in_turns(table, (table @ centres.T).argmax(1), n_clusters))
    return min(ends, key=lambda labels: partition_entropy(codes, labels))


@lru_cache(3)
def _distances(contents, shape, dtype):
    return hamming_distances(np.frombuffer(contents, dtype).reshape(shape))


def _pairs(codes):
    "Hamming's distances of all pairs; the last tables are remembered."
    codes = np.ascontiguousarray(codes)
    return _distances(codes.tobytes(), codes.shape, codes.dtype.str)


def fitted(model, prepare=np.asarray, n_init=10, **options):
    "A method that fits an estimator with some beginnings, of which the best counts."

    def method(table, n_clusters, seed, times=1):
        beginnings = dict(n_init=n_init * times, random_state=seed)
        return model(n_clusters, **beginnings, **options).fit_predict(prepare(table))

    return method


def best_medoids(distances, n_clusters, first, n_runs=10):
    "The labels of the best of some runs of k-medoids."
    import kmedoids

    runs = [
        kmedoids.fasterpam(distances, n_clusters, random_state=seed, n_cpu=1)
        for seed in range(first, first + n_runs)
    ]
    return min(runs, key=lambda run: run.loss).labels


def _medoids(codes, n_clusters, seed, times=1):
    n_runs = 10 * times
    return best_medoids(_pairs(codes), n_clusters, n_runs * seed, n_runs)


def linked(distances, n_clusters):
    "The clusters of average linkage."
    model = AgglomerativeClustering(n_clusters, metric="precomputed", linkage="average")
    return model.fit_predict(distances)


def _average_linkage(codes, n_clusters, seed):
    return linked(_pairs(codes), n_clusters)


def _density(codes, n_clusters, seed):
    "HDBSCAN, a cluster of which has at least a fiftieth of the rows."
    least = max(5, len(codes) // 50)
    model = HDBSCAN(min_cluster_size=least, metric="precomputed", copy=True)
    return model.fit_predict(_pairs(codes).astype(float))


TIED = 1e-9  # eigenvalues that differ by less are equal


@lru_cache(3)
def _low_axes(contents, shape, dtype, n_axes):
    "The smallest eigenvalues, with all that equal the last one, and their vectors."
    codes = np.frombuffer(contents, dtype).reshape(shape)
    agreement = 1 - _pairs(codes).astype(float) / shape[1]
    laplacian, roots = csgraph.laplacian(agreement, normed=True, return_diag=True)
    n_found = 0
    while n_found < len(laplacian):
        n_found = min(max(2 * n_found, 2 * n_axes + 10), len(laplacian))
        values, vectors = eigh(laplacian, subset_by_index=[0, n_found - 1])
        if values[-1] > values[n_axes - 1] + TIED:
            break
    return values, vectors, roots


def _drawn_axes(values, vectors, n_axes, random):
    "The eigenvectors of the smallest eigenvalues, drawn where some are equal."
    last = values[n_axes - 1]
    sure = vectors[:, values < last - TIED]
    equal = vectors[:, abs(values - last) <= TIED]
    directions = random.normal(size=(len(equal), n_axes - sure.shape[1]))
    drawn, _ = np.linalg.qr(equal @ (equal.T @ directions))
    return np.concatenate([sure, drawn], axis=1)


def _spectral(codes, n_clusters, seed):
    random = np.random.RandomState(seed)
    codes = np.ascontiguousarray(codes)
    values, vectors, roots = _low_axes(
        codes.tobytes(), codes.shape, codes.dtype.str, n_clusters
    )
    places = _drawn_axes(values, vectors, n_clusters, random) / roots[:, None]
    return KMeans(n_clusters, n_init=10, random_state=random).fit_predict(places)


def _rock(codes, n_clusters, seed):
    n, m = codes.shape
    pairs = _pairs(codes)[np.triu_indices(n, 1)]
    mismatches = np.quantile(pairs, 0.05, method="lower")
    theta = float(np.clip((m - mismatches) / (m + mismatches), 0, 0.99))
    return ROCK(n_clusters, theta=theta).fit_predict(codes)


def _least_entropy(codes, n_clusters, seed, times=1):
    return entropy_partition(codes, n_clusters, seed, 10 * times)


def _peer(codes, n_clusters, seed):
    from kmodes.kmodes import KModes as Peer

    return Peer(n_clusters, random_state=seed).fit_predict(codes)


def mca_places(codes):
    "The places of the rows on the first axes of multiple correspondence analysis."
    n_categories = one_hot(codes).shape[1]
    n_axes = min(5, n_categories - codes.shape[1], len(codes) - 1)
    return mca(codes, n_axes).rows


def _ward(codes, n_clusters, seed):
    return AgglomerativeClustering(n_clusters).fit_predict(one_hot(codes))


def random_labels(codes, n_clusters, seed):
    "Labels that know nothing of the rows."
    return np.random.RandomState(seed).randint(n_clusters, size=len(codes))


@cache
def _process(python):
    "The Python apart, which waits for requests; it is started once."
    # a package there may draw, and knows no notebook that could show it
    return subprocess.Popen(
        [python, str(Path(__file__).with_name("apart.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | dict(MPLBACKEND="Agg"),
    )


def _answer_apart(request):
    "What the Python apart says to a request."
    process = _process(os.environ["KMODES_STUDY_PEERS"])
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer


def process_apart(name: str, parts=()):
    "The method of another package, called in its own Python."

    def method(table, n_clusters, seed):
        request = dict(method=name, n_clusters=n_clusters, seed=seed)
        sent = {part: getattr(table, part) for part in parts} or dict(codes=table)
        request |= {part: cells.tolist() for part, cells in sent.items()}
        answer = _answer_apart(request)
        method.used = dict(seconds=answer["seconds"], memory=answer["memory"])
        return np.array(answer["labels"])

    return method


def versions_apart(packages) -> dict:
    "The versions of packages in the Python apart."
    return _answer_apart(dict(method="versions", packages=list(packages)))["versions"]


CLUSTERERS = {
    "k-modes": fitted(KModes),
    "k-modes, one run": fitted(KModes, n_init=1, init="random", algorithm="huang"),
    "package kmodes": _peer,
    "fuzzy k-modes": fitted(FuzzyKModes),
    "latent classes": fitted(LatentClasses),
    "least entropy": _least_entropy,
    "one-hot, k-means": fitted(KMeans, one_hot),
    "MCA, k-means": fitted(KMeans, mca_places),
    "k-medoids": _medoids,
    "average linkage": _average_linkage,
    "Ward, one-hot": _ward,
    "spectral": _spectral,
    "ROCK": _rock,
    "HDBSCAN": _density,
    "LSH-k-representatives": process_apart("lsh"),
    "UMAP, HDBSCAN": process_apart("umap"),
    "Genie": process_apart("genie"),
    "random labels": random_labels,
}
APART = {"LSH-k-representatives", "UMAP, HDBSCAN", "Genie"}
NO_LOTS = {
    "average linkage",
    "Ward, one-hot",
    "ROCK",
    "HDBSCAN",
    "Genie",
    "LSH-k-representatives",
}
MORE_BEGINNINGS = [
    "k-modes",
    "k-modes, one run",
    "fuzzy k-modes",
    "latent classes",
    "least entropy",
    "one-hot, k-means",
    "MCA, k-means",
    "k-medoids",
]


def longer(name: str, times: int):
    "A method of `MORE_BEGINNINGS` with more beginnings than it makes by default."
    method = CLUSTERERS[name]
    return lambda codes, n_clusters, seed: method(codes, n_clusters, seed, times)


def _stepmix(codes, n_clusters, seed):
    from stepmix import StepMix

    rows, drawn = np.asarray(codes), dict(n_init=10, random_state=seed, progress_bar=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells each beginning that does not settle
        model = StepMix(n_clusters, measurement="categorical", **drawn)
        return model.fit(rows).predict(rows)


def _spectral_of_neighbours(codes, n_clusters, seed):
    "The package's own graph: each row and its ten nearest."
    model = SpectralClustering(
        n_clusters, affinity="nearest_neighbors", random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells where the graph falls apart
        return model.fit_predict(one_hot(codes))


SECOND_OPINIONS = {
    "latent classes, stepmix": _stepmix,
    "spectral, nearest neighbours": _spectral_of_neighbours,
    "k-representatives, random starts": process_apart("representatives"),
}


def best_attribute(problem: Problem) -> np.ndarray:
    "The attribute that agrees best with the known classes, by the adjusted Rand index."

    def agreement(column):
        return adjusted_rand_score(problem.labels, column)

    return max(problem.codes.T, key=agreement)


MOST_ROWS = 2000


def labelled_rows(name, download):
    """At most `MOST_ROWS` rows of a set of the archive, and the name of the class of
    each row.
    """
    X, y = datasets.load(
        name, return_X_y=True, as_frame=True, missing="category", download=download
    )
    if len(X) > MOST_ROWS:
        drawn = np.random.RandomState(0).permutation(len(X))[:MOST_ROWS]
        X, y = X.iloc[np.sort(drawn)], y.iloc[np.sort(drawn)]
    return X, np.asarray(y.astype(str))


def _codes_and_classes(name, download):
    "Codes of a set of the archive, and the name of the class of each row."
    X, names = labelled_rows(name, download)
    numbers = X.select_dtypes("number").columns
    quarters = {
        column: pd.qcut(X[column], 4, duplicates="drop").cat.codes for column in numbers
    }
    codes, _ = encode(X.assign(**quarters).astype(str))
    return codes, names


def _problem_of_classes(name, codes, names):
    "A problem with as many clusters as classes."
    classes, levels = encode_labels(names)
    return Problem(name, codes, classes, len(levels))


def labelled_problem(name: str, *, download: bool = False) -> Problem:
    "A set of the archive as the study takes it: codes and classes."
    return _problem_of_classes(name, *_codes_and_classes(name, download))


def _ear(name):
    "The part of the ear in which a diagnosis of the audiology data lies."
    if name.startswith("cochlear"):
        return "cochlear"
    if name.startswith("mixed"):
        return "mixed"
    if name.startswith("conductive") or name == "otitis_media":
        return "conductive"
    return "normal" if name == "normal_ear" else "other"


# the group of a class, for the sets whose description has a coarser partition
COARSER = {
    "heart-disease": lambda name: "none" if name == "0" else "disease",
    "lenses": lambda name: "none" if name == "3" else "lenses",
    "car": lambda name: "refused" if name == "unacc" else "accepted",
    "nursery": lambda name: "refused" if name == "not_recom" else "accepted",
    "zoo": lambda name: "invertebrate" if name in ("6", "7") else "vertebrate",
    "splice": lambda name: "none" if name == "N" else "boundary",
    "audiology": _ear,
}


def coarser_problem(name: str, *, download: bool = False) -> Problem:
    "A set of the archive with the second, coarser partition of its classes."
    codes, names = _codes_and_classes(name, download)
    groups = np.array([COARSER[name](one) for one in names])
    return _problem_of_classes(f"{name}, coarser", codes, groups)


M, BLOCK = 12, 3  # attributes, and attributes of a block


class Recipe(NamedTuple):
    "How the rows of a planted table are drawn."

    prevalences: np.ndarray
    shares: np.ndarray


def _around_modes(random, shape, n_values, noise):
    "Shares of values around drawn modes, a part of the cells drawn anew."
    modes = random.randint(n_values, size=shape)
    return (1 - noise) * np.eye(n_values)[modes] + noise / n_values


def _any_shares(random, shape, n_values, evenness):
    "Shares drawn from a Dirichlet distribution."
    return random.dirichlet(np.full(n_values, evenness), size=shape)


def _uneven_noise(random, shape, n_values, bounds):
    "As `_around_modes`, with a noise for each attribute in each cluster."
    noise = random.uniform(*bounds, size=shape)[..., None]
    return _around_modes(random, shape, n_values, noise)


def _redrawn_together(random, shape, n_values, noise):
    "In the first states all cells of a block are drawn anew, in the others none is."
    k, n_states, m = shape
    shares = np.eye(n_values)[random.randint(n_values, size=(k, 1, m))]
    shares = shares.repeat(n_states, axis=1)
    # among them the first state, whose shares the noise attributes take
    shares[:, : round(noise * n_states)] = 1 / n_values
    return shares


# how a table's shares are drawn, its states, and its parameter: clear, faint
GENERATORS = {
    "modes": (_around_modes, 1, dict(clear=0.4, faint=0.65)),
    "classes": (_any_shares, 1, dict(clear=0.6, faint=2.0)),
    "dependent": (_around_modes, 2, dict(clear=0.2, faint=0.45)),
}
ADDED_GENERATORS = {
    "uneven": (_uneven_noise, 1, dict(clear=(0, 0.8), faint=(0.3, 1))),
    "together": (_redrawn_together, 20, dict(clear=0.4, faint=0.65)),
}

FIRST_SEED = 1000  # tables of lower numbers were used to try the programs
FIRST_ADDED = 2000


def planted_tables(n_each: int = 3, *, added: bool = False) -> pd.DataFrame:
    """All designs: generator, separation, clusters, values, noise attributes and
    imbalance.
    """
    factors = dict(
        generator=list(ADDED_GENERATORS if added else GENERATORS),
        separation=["clear", "faint"],
        n_clusters=[3, 6],
        n_values=[3, 6],
        n_noise=[0, 6],
        imbalance=[1, 5],
    )
    designs = list(product(*factors.values())) * n_each
    first = FIRST_ADDED if added else FIRST_SEED
    numbers = range(first, first + len(designs))
    return pd.DataFrame(designs, index=numbers, columns=list(factors))


def firsts_by_kind(runs: pd.DataFrame) -> dict:
    """The agreements on the first planted table of each design: for each kind a frame
    with a row for each table, a column for each method, second programs too.
    """
    firsts = pd.concat([planted_tables(1), planted_tables(1, added=True)])
    kinds = firsts.generator.rename(lambda number: f"planted-{number}")
    methods = CLUSTERERS.keys() - {"random labels"} | SECOND_OPINIONS.keys()
    asked = runs.question.isin(["given", "second opinion"]) & runs.method.isin(methods)
    wide = runs[asked].pivot_table("ari", "table", "method")
    return dict(tuple(wide.groupby(kinds, sort=False)))


def behind_best(parts: dict) -> pd.DataFrame:
    "How far each method is, in the mean over a kind of tables, behind the best there."
    means = pd.DataFrame({kind: part.mean() for kind, part in parts.items()})
    return means.max() - means


def recipe_of(design, random) -> Recipe:
    "The recipe of a design."
    generators = GENERATORS | ADDED_GENERATORS
    draw, n_states, parameters = generators[design.generator]
    k = int(design.n_clusters)
    shape = (k, n_states, M)
    shares = draw(random, shape, design.n_values, parameters[design.separation])
    if design.n_noise:
        shares[:, :, -design.n_noise :] = shares[:1, :1, -design.n_noise :]
    sizes = np.geomspace(design.imbalance, 1, k)
    return Recipe(sizes / sizes.sum(), shares)


def _block_states(random, n, n_states):
    "The state of each block of each row, repeated for its attributes."
    return np.repeat(random.randint(n_states, size=(n, M // BLOCK)), BLOCK, axis=1)


def draw_table(recipe: Recipe, n: int, random) -> tuple:
    "Rows of a recipe."
    k, n_states, _, _ = recipe.shares.shape
    labels = random.choice(k, n, p=recipe.prevalences)
    states = _block_states(random, n, n_states)
    shares = recipe.shares[labels[:, None], states, np.arange(M)]
    below = shares.cumsum(axis=2) < random.random_sample((n, M, 1))
    return below.sum(axis=2).clip(max=shares.shape[2] - 1), labels


def likeliest_clusters(recipe: Recipe, codes) -> np.ndarray:
    "The likeliest cluster of each row, for who knows the recipe."
    cells = recipe.shares[:, :, np.arange(M), codes]
    blocks = cells.reshape(*cells.shape[:3], -1, BLOCK).prod(axis=-1).mean(axis=1)
    likelihoods = np.log(blocks).sum(axis=-1).T + np.log(recipe.prevalences)
    return likelihoods.argmax(axis=1)


def planted_table(designs: pd.DataFrame, seed: int, n: int = 400) -> tuple:
    "A planted table, drawn with its number as the seed."
    design = designs.loc[seed]
    random = np.random.RandomState(seed)
    recipe = recipe_of(design, random)
    codes, labels = draw_table(recipe, n, random)
    problem = Problem(f"planted-{seed}", codes, labels, int(design.n_clusters))
    return problem, likeliest_clusters(recipe, codes)


FIRST_EMPTY = 5000  # the seeds of tables without clusters begin here


def unclustered_table(seed: int, n: int = 400) -> Problem:
    "A table of independent attributes."
    random = np.random.RandomState(seed)
    n_values = 6 if seed % 2 else 3
    shares = np.full((M, n_values), 1 / n_values)
    if seed // 2 % 2:
        shares = random.dirichlet(np.full(n_values, 2.0), size=M)
    recipe = Recipe(np.ones(1), shares[None, None])
    codes, labels = draw_table(recipe, n, random)
    return Problem(f"nothing-{seed}", codes, labels, 1)


def labels_and_use(method, table, n_clusters, seed) -> tuple:
    "The labels of a method, what it used of time and memory, and its error in words."
    labels, error = None, ""
    before, start = memory_before(), time.process_time()
    try:
        with threadpool_limits(1):
            labels = np.asarray(method(table, n_clusters, seed))
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"[:200]
    seconds = time.process_time() - start
    grown = memory_since(before)
    used = dict(seconds=seconds, memory=np.nan if grown is None else grown)
    return labels, used if error else getattr(method, "used", used), error


def clusters_found(labels) -> int:
    "How many clusters there are."
    return len(np.unique(labels))


def accuracy_or_missing(classes, labels) -> float:
    "The normalised clustering accuracy; NaN for a single class, where there is none."
    if len(np.unique(classes)) == 1:
        return np.nan
    return normalized_clustering_accuracy(classes, labels)


JUDGES = dict(
    found=clusters_found,
    ari=adjusted_rand_score,
    ami=adjusted_mutual_info_score,
    nca=accuracy_or_missing,
)


def judged(problem: Problem, labels) -> dict:
    "A clustering against the known classes, and its cost around the modes."
    labels, levels = encode_labels(np.asarray(labels))
    modes = modes_of(problem.codes, labels, len(levels))
    return dict(
        n_clusters=len(levels),
        ari=adjusted_rand_score(problem.labels, labels),
        ami=adjusted_mutual_info_score(problem.labels, labels),
        nca=accuracy_or_missing(problem.labels, labels),
        cost=int(cluster_costs(problem.codes, labels, modes).sum()),
    )


FAILED = dict(n_clusters=0, ari=0.0, ami=0.0, nca=0.0, cost=np.nan)


def scored(name: str, method):
    "A method whose failure counts: it warns, and all rows are one cluster."

    def clusterer(codes, n_clusters, seed):
        try:
            with threadpool_limits(1):  # sums of k-means depend on how many there are
                return np.asarray(method(codes, n_clusters, seed))
        except Exception as error:
            warnings.warn(
                f"{name} failed on {len(codes)} rows: {error}", RuntimeWarning
            )
            return np.zeros(len(codes), int)

    return clusterer


def clusterer_rows(
    problems, methods: dict, seeds, question: str = "given", **options
) -> pd.DataFrame:
    "An experiment with methods that begin by themselves, judged by known classes."
    rows = experiment(
        problems,
        starts=None,
        algorithms={name: scored(name, method) for name, method in methods.items()},
        seeds=seeds,
        measures=JUDGES,
        measure_time=False,
        **dict(n_jobs=1) | options,
    )
    named = rows.drop(columns="n_clusters").rename(
        columns=dict(dataset="table", algorithm="method", found="n_clusters")
    )
    columns = ["table", "question", "method", "seed", "n_clusters", *JUDGES, "cost"]
    columns.remove("found")
    named = named.assign(question=question, error="")[[*columns, "error"]]
    given = [problems] if isinstance(problems, Problem) else problems
    by_name = {problem.name: problem for problem in given}
    for row in named[named.n_clusters == 1].itertuples():
        # is one cluster what the method says, or has it failed?
        problem, method = by_name[row.table], methods[row.method]
        asked = problem.codes, problem.n_clusters, row.seed
        named.loc[row.Index, "error"] = labels_and_use(method, *asked)[2]
    failed = named.error != ""
    named.loc[failed, list(FAILED)] = list(FAILED.values())
    return named.astype(dict(n_clusters=int))


def _drawn_again(codes, seed):
    "Rows drawn with replacement as codes of their own, and the first place of each."
    drawn = np.random.RandomState(seed).randint(len(codes), size=len(codes))
    columns = [np.unique(column, return_inverse=True)[1] for column in codes[drawn].T]
    again = np.stack(columns, axis=1).astype(codes.dtype)
    rows, places = np.unique(drawn, return_index=True)
    return again, rows, places


def _run_again(problem, method, seed, rows_of_run, before):
    "What a run gives beside the labels before it, or beside itself; and its labels."
    codes, rows, places = rows_of_run
    _distances.cache_clear()
    _low_axes.cache_clear()
    labels, used, error = labels_and_use(method, codes, problem.n_clusters, seed)
    if error:
        return FAILED | used | dict(error=error), None
    known, levels = encode_labels((labels if before is None else before)[rows])
    part = Problem(problem.name, problem.codes[rows], known, len(levels))
    return judged(part, labels[places]) | used | dict(error=""), labels


def stability_rows(problem: Problem, name: str, n_runs: int = 5, method=None) -> list:
    "What one method does again on one table, with other seeds and other samples."
    method = CLUSTERERS[name] if method is None else method
    n = len(problem.codes)
    everything = np.arange(n)
    whole = (problem.codes, everything, everything)
    wanted = [
        ("another sample", s, _drawn_again(problem.codes, s)) for s in range(n_runs)
    ]
    if name not in NO_LOTS:
        seeds = range(1, n_runs)
        wanted = [("another seed", seed, whole) for seed in seeds] + wanted
    first, labels = _run_again(problem, method, 0, whole, None)
    rows = [("first run", 0, first)]
    if labels is not None:
        for question, seed, rows_of_run in wanted:
            row, _ = _run_again(problem, method, seed, rows_of_run, labels)
            rows.append((question, seed, row))
    return [
        dict(table=problem.name, question=question, method=name, seed=seed) | row
        for question, seed, row in rows
    ]


def _random_centroids(distances, n_clusters, random):
    "Each row joins the nearest of some drawn rows."
    centres = random.choice(len(distances), n_clusters, replace=False)
    labels = distances[:, centres].argmin(axis=1)
    labels[centres] = np.arange(n_clusters)
    return labels


def _random_neighbours(distances, n_clusters, random):
    "The row nearest to a row with a cluster joins it, until all have one."
    order = random.permutation(len(distances))  # lots decide between equal distances
    shuffled = distances[np.ix_(order, order)].astype(float)
    labels = np.zeros(len(order), int)
    labels[:n_clusters] = np.arange(n_clusters)
    nearest = shuffled[:, :n_clusters].min(axis=1)
    beside = shuffled[:, :n_clusters].argmin(axis=1)
    nearest[:n_clusters] = np.inf
    for _ in range(len(order) - n_clusters):
        row = nearest.argmin()
        labels[row] = labels[beside[row]]
        closer = (shuffled[row] < nearest) & (nearest < np.inf)
        nearest[closer] = shuffled[row, closer]
        beside[closer] = row
        nearest[row] = np.inf
    back = np.empty_like(labels)
    back[order] = labels
    return back


RANDOM_CLUSTERINGS = {
    "random centroids": _random_centroids,
    "random neighbours": _random_neighbours,
}


SAME = 1e-9  # numbers that spread less are one number
SHARE_OF_BORDER = 0.1  # of a cluster's rows, those that lie nearest to another cluster


def cluster_qualities(distances, labels) -> dict:
    "Three numbers of a clustering that need no known classes (Hennig 2019)."
    distances = np.asarray(distances, float)
    members = np.eye(labels.max() + 1)[labels]
    sizes = members.sum(axis=0)
    sums = distances @ members
    own = sums[np.arange(len(labels)), labels]
    means = sums / sizes
    means[np.arange(len(labels)), labels] = np.inf
    others = means.min(axis=1)
    companions = sizes[labels] - 1
    apart = own / np.maximum(companions, 1)
    alone = companions == 0
    within = apart[~alone].mean() if (~alone).any() else np.nan
    with np.errstate(invalid="ignore"):
        widths = np.where(alone, 0, (others - apart) / np.maximum(others, apart))
    outside = np.where(labels[:, None] == labels, np.inf, distances).min(axis=1)
    border = []
    for cluster in range(len(sizes)):
        nearest = outside[labels == cluster]
        border.append(nearest[nearest <= np.quantile(nearest, SHARE_OF_BORDER)])
    return dict(
        within=within,
        separation=np.concatenate(border).mean(),
        silhouette=np.nan_to_num(widths).mean(),
    )


def random_qualities(distances, n_clusters: int, n_each: int = 50) -> pd.DataFrame:
    "The three numbers of random clusterings, by both ways of drawing them."
    rows = []
    for draw in RANDOM_CLUSTERINGS.values():
        for seed in range(n_each):
            labels = draw(distances, n_clusters, np.random.RandomState(seed))
            rows.append(cluster_qualities(distances, labels))
    return pd.DataFrame(rows)


def standardised_qualities(distances, labels, drawn: pd.DataFrame) -> dict:
    "How many standard deviations of random clusterings a clustering is better."
    if np.ptp(labels) == 0:
        return dict(within=0.0, separation=0.0, silhouette=0.0)
    found = pd.Series(cluster_qualities(distances, labels))
    spread = drawn.std()
    scores = (found - drawn.mean()) / spread.where(spread > SAME)
    scores["within"] = -scores["within"]
    return scores.to_dict()


MOST_CLUSTERS = 10


def _by_scan(criterion, n_resamples):
    "The labels of k-modes with as many clusters as a criterion of `k_scan` says."

    def chooser(codes, seed):
        scan = k_scan(
            codes,
            range(1, MOST_CLUSTERS + 1),
            n_references=0,
            n_splits=0,
            n_resamples=n_resamples,
            indices=False,
            random_state=seed,
        )
        return scan.fits[int(scan.choices[criterion]) - 1].labels

    return chooser


def _by_criterion(criterion):
    "The latent classes with the least of a criterion, a method of `LatentClasses`."

    def chooser(codes, seed):
        models = [
            LatentClasses(k, random_state=seed).fit(codes)
            for k in range(1, MOST_CLUSTERS + 1)
        ]
        return min(models, key=lambda model: criterion(model, codes)).labels_

    return chooser


def _by_silhouette(name):
    "The labels of a method with the highest mean silhouette, of at least two clusters."

    def chooser(codes, seed):
        found = [CLUSTERERS[name](codes, k, seed) for k in range(2, MOST_CLUSTERS + 1)]
        return max(found, key=lambda labels: silhouette_score(codes, labels))

    return chooser


CHOOSERS = {
    "k-modes, code length": _by_scan("code_length", 0),
    "k-modes, stability": _by_scan("stability", 10),
    "k-modes, silhouette": _by_silhouette("k-modes"),
    "latent classes, BIC": _by_criterion(LatentClasses.bic),
    "latent classes, adjusted BIC": _by_criterion(LatentClasses.adjusted_bic),
    "one-hot k-means, silhouette": _by_silhouette("one-hot, k-means"),
    "average linkage, silhouette": _by_silhouette("average linkage"),
    "HDBSCAN": lambda codes, seed: _density(codes, None, seed),
    "UMAP, HDBSCAN": lambda codes, seed: CLUSTERERS["UMAP, HDBSCAN"](codes, 2, seed),
    "always two": lambda codes, seed: CLUSTERERS["k-modes"](codes, 2, seed),
}


def chooser(name: str):
    "A method of `CHOOSERS` in the form that `clusterer_rows` takes."
    if name in APART:
        return CLUSTERERS[name]  # which knows the time that it used
    return lambda codes, n_clusters, seed: CHOOSERS[name](codes, seed)
