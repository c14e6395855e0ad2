"""What the arguments of a case are: one small clustering problem, from which every
argument of the call is drawn.
"""

import numpy as np
import pandas as pd
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

from kmodes_study.cluster.starts.basic import INITIALISATIONS
from kmodes_study.core.codes import encode
from kmodes_study.family.rock_clustering import jaccard_neighbours, links
from kmodes_study.measures import contingency_matrix


class Problem:
    """A table of codes, two labellings of its rows, a number of clusters, and weights,
    all from one seed.
    """

    def __init__(self, *seeds):
        self.rng = rng = np.random.RandomState(seeds)
        n = rng.choice([1, 2, 4, 9, 24, 40], p=[0.03, 0.07, 0.1, 0.2, 0.4, 0.2])
        m = rng.randint(1, 6)
        levels = rng.choice([1, 2, 3, 5, 300], m, p=[0.05, 0.25, 0.4, 0.25, 0.05])
        raw = np.column_stack([rng.randint(top, size=n) for top in levels])
        if rng.rand() < 0.3:
            raw = raw[rng.randint(n, size=n)]
        self.codes = encode(raw)[0]
        self.n = n
        self.m = m
        self.n_distinct = len(np.unique(self.codes, axis=0))
        self.k = int(rng.randint(1, min(self.n_distinct, 6) + 1))
        self.labels, self.other = (
            self.cover(rng.randint(1, min(n, 6) + 1)) for _ in range(2)
        )
        self.weights = rng.randint(1, 4, n)

    def cover(self, k):
        "Labels 0 to k - 1, each of them at least once."
        return self.rng.permutation(
            np.append(np.arange(k), self.rng.randint(k, size=self.n - k))
        )

    def holes(self):
        """The codes as objects, with some cells missing, but neither a whole column nor
        a whole row.
        """
        table = self.codes.astype(object)
        gaps = self.rng.rand(self.n, self.m) < 0.2
        gaps[0] = gaps[:, 0] = False
        table[gaps] = None
        return table

    def numbers(self):
        "Points in space."
        return (
            self.rng.normal(size=(self.n, self.m)).round(3) + 3 * self.labels[:, None]
        )

    def rows(self, table, k=None):
        "Some different rows of a table."
        distinct = np.unique(table, axis=0)
        return distinct[self.rng.permutation(len(distinct))[: k or self.k]]


def one_of(*options):
    return lambda problem: options[problem.rng.randint(len(options))]


def whole(low, high):
    return lambda problem: int(problem.rng.randint(low, high + 1))


def share(low, high):
    return lambda problem: round(float(problem.rng.uniform(low, high)), 3)


def attribute(name):
    return lambda problem: getattr(problem, name)


def mixed(problem):
    "Numbers beside the codes, both as columns of a frame."
    frame = pd.DataFrame(problem.codes.astype(str)).add_prefix("category_")
    return frame.join(pd.DataFrame(problem.numbers()).add_prefix("number_").iloc[:, :2])


def tree(problem):
    "A linkage of points; of one row there is none."
    return (
        hierarchy.linkage(pdist(problem.numbers()), "average")
        if problem.n > 1
        else np.empty((0, 4))
    )


def neighbours(problem):
    return jaccard_neighbours(problem.codes, 0.3)


def distances(problem):
    return (problem.codes[:, None] != problem.codes).sum(axis=2).astype(float)


def runs(problem):
    "A frame of runs."
    first = problem.rng.randint(50, 60, 2 * problem.n)
    last = problem.rng.randint(40, 50, 2 * problem.n)
    return pd.DataFrame(
        dict(
            dataset="toy",
            n_clusters=2,
            init=np.repeat(["cao", "huang"], problem.n),
            n_iter=2,
            initial_cost=first,
            final_cost=last,
            seed=np.tile(np.arange(problem.n), 2),
        )
    )


ARGUMENTS = dict(
    X=attribute("codes"),
    codes=attribute("codes"),
    rows=lambda p: p.rows(p.codes, p.n_distinct),
    distances=distances,
    labels=attribute("labels"),
    labels_true=attribute("labels"),
    labels_pred=attribute("other"),
    sample_weight=attribute("weights"),
    values=attribute("weights"),
    n_clusters=attribute("k"),
    numeric=Problem.numbers,
    modes=lambda p: p.rows(p.codes),
    centres=lambda p: p.rows(p.numbers()),
    random_state=whole(0, 9),
    seed=whole(0, 9),
    n_jobs=one_of(None, 1, 2, -1),
    missing=one_of("error", "category", "ignore"),
    verbose=one_of(0),
    handle_unknown=one_of("error", "ignore"),
    algorithm=one_of("huang", "lloyd", "otqt", "auto"),
    n_init=whole(1, 3),
    init=one_of("Huang", *INITIALISATIONS),
    max_iter=whole(1, 5),
    feature_weight=lambda p: p.rng.randint(1, 4, p.m).tolist(),
    dissimilarity=one_of("matching", "lin", "ng"),
    metric=one_of("hamming"),
    condensed=one_of(True, False),
    dtype=one_of("float32", "float64"),
    base=one_of(2, 10.0),
    average_method=one_of("arithmetic", "geometric", "min", "max"),
    beta=share(0, 3),
    sparse=one_of(True, False),
    contingency=lambda p: contingency_matrix(p.labels, p.other),
    naming=one_of("majority", "one-to-one"),
    Z=tree,
    neighbours=neighbours,
    common=lambda p: links(neighbours(p)),
    height=share(0, 2),
    theta=share(0.1, 0.9),
    alpha=share(1.05, 3),
    p=share(1.1, 4),
    gamma=share(0, 2),
    min_share=share(0, 1),
    tol=one_of(1e-6, 0.1),
    n_segments=lambda p: int(p.rng.randint(1, p.n + 1)),
    sample_size=lambda p: int(p.rng.randint(1, p.n + 1)),
    by=one_of("share", "lift"),
    by_attribute=one_of(True, False),
    most=whole(1, 30),
    n=whole(1, 5),
    n_components=one_of(1),
    level=share(0, 1),
    convention=one_of("literature", "notes"),
    split=one_of("cost", "size"),
    n_trials=whole(1, 3),
    max_swaps=whole(0, 9),
    first_pass=one_of("follow", "assign"),
    n_samples=whole(10, 40),
    n_features=whole(1, 6),
    n_levels=whole(2, 5),
    noise=share(0, 1),
    kind=one_of("well-separated", "density", "prototype", "contiguity"),
    min_cluster_size=whole(1, 2),
    preference=one_of("best", "worst", "random"),
    sizes=lambda p: np.bincount(p.labels),
    levels=whole(1, 5),
    runs=runs,
    cost=whole(0, 99),
    quantity=one_of("final_cost"),
    n_permutations=whole(1, 5),
    n_points=lambda p: max(1, p.n // 3),
    method=one_of("average", "complete", "single"),
    categories=lambda p: encode(p.codes)[1],
    test_size=share(0.2, 0.5),
)
