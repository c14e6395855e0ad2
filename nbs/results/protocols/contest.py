"""Every start with every algorithm on many data sets, compared after equally many starts and after equal time."""

import json
import sys
from copy import deepcopy
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import gammaln

from kmodes_study.cluster.algorithms.huang import huang
from kmodes_study.cluster.algorithms.lloyd import lloyd
from kmodes_study.cluster.algorithms.swaps import swap_search
from kmodes_study.cluster.algorithms.transfers import otqt
from kmodes_study.cluster.modes import cost, modes_of
from kmodes_study.cluster.starts.basic import INITIALISATIONS
from kmodes_study.core.codes import encode
from kmodes_study.data.loaders import load
from kmodes_study.data.sets import DATASETS
from kmodes_study.data.synthetic import make_planted_clusters
from kmodes_study.measures.information import adjusted_mutual_info_score
from kmodes_study.measures.pair_counting import adjusted_rand_score
from kmodes_study.study.experiments import experiment


class Problem(NamedTuple):
    "A table to be clustered."

    name: str
    codes: np.ndarray
    labels: np.ndarray
    n_clusters: int


def planted_designs(n_each: int = 4) -> pd.DataFrame:
    """All combinations of noise, levels, clusters and imbalance, so many times one
    after the other.
    """
    kinds = list(product((0.1, 0.3, 0.5), (2, 4, 8), (3, 6, 12), (1, 8)))
    return pd.DataFrame(
        kinds * n_each,
        columns=["noise", "n_levels", "n_clusters", "imbalance"],
    )


def planted_problem(designs: pd.DataFrame, seed: int) -> Problem:
    "The planted problem of a design, drawn with its number as the seed."
    design = designs.loc[seed].to_dict()
    k = int(design.pop("n_clusters"))
    data = make_planted_clusters(
        300, 10, int(design.pop("n_levels")), k, random_state=seed, **design
    )
    return Problem(f"planted-{seed}", data.codes, data.labels, k)


def archive_problem(name: str, *, download: bool = False) -> Problem:
    "A problem of the archive by its set and its number of clusters, as in `zoo, 7`."
    dataset, _, k = name.partition(", ")
    X, classes = load(
        dataset, return_X_y=True, as_frame=True, missing="keep", download=download
    )
    codes, _ = encode(X, missing="category")
    return Problem(name, codes, classes.cat.codes.to_numpy(), int(k))


MOST_SWAPS, MOST_CELLS = 400, 40_000_000  # bounds of a search by swaps


def _short_search(codes, modes, **options):
    "The search with a bound on its swaps."
    most = min(MOST_SWAPS, MOST_CELLS // codes.size)
    return swap_search(codes, modes, max_swaps=most, **options)


def _then_batch(descend):
    "An algorithm, and batch passes after it."

    def algorithm(codes, modes, **options):
        moved = descend(codes, modes, **options)
        ends = lloyd(codes, moved.modes, max_iter=sys.maxsize)
        return moved._replace(labels=ends.labels, modes=ends.modes, cost=ends.cost)

    return algorithm


CONTENDERS = dict(
    otqt=_then_batch(otqt), lloyd=lloyd, huang=huang, swap=_then_batch(_short_search)
)


def _apart(start):
    "A start after which an algorithm draws as if the start had drawn nothing."

    def drawing_apart(codes, n_clusters, random_state):
        return start(codes, n_clusters, random_state=deepcopy(random_state))

    return drawing_apart


SWAPS = (10, 30, 100)  # after so many swaps the cost of a search is noted


def _cost_after(swaps):
    "A measure: the cost after so many passes or swaps; at the end if that is earlier."
    return lambda costs: costs[min(swaps, len(costs) - 1)]


CONTEST_MEASURES = {
    "adjusted_rand_score": adjusted_rand_score,
    **{f"cost_{swaps}": _cost_after(swaps) for swaps in SWAPS},
    "swaps": lambda costs: len(costs) - 1,
}


def run_contest(
    problems,
    seeds,
    starts=INITIALISATIONS,
    algorithms=CONTENDERS,
    n_jobs=1,
    store=None,
    progress=False,
    **options,
) -> pd.DataFrame:
    """All runs of a contest, problem by problem and seed by seed: an `experiment` on
    the rows in a random order; where an algorithm does not search, -1 stands for swaps.
    """
    problems, seeds = list(problems), list(seeds)
    rows = experiment(
        problems,
        seeds=seeds,
        starts={name: _apart(start) for name, start in starts.items()},
        algorithms=algorithms,
        orders="shuffled",
        measures=CONTEST_MEASURES,
        n_jobs=n_jobs,
        store=store,
        progress=progress,
        **options,
    )
    searched = rows["algorithm"] == "swap"
    noted = [*(f"cost_{swaps}" for swaps in SWAPS), "swaps"]
    frame = pd.DataFrame(
        dict(
            problem=rows["dataset"],
            init=rows["start"],
            seed=rows["seed"],
            initial_cost=rows["start_cost"],
            start_us=_microseconds(rows["start_seconds"]),
            algorithm=rows["algorithm"],
            run_us=_microseconds(rows["run_seconds"]),
            cost=rows["cost"],
            adjusted_rand=rows["adjusted_rand_score"].round(4),
            **{name: rows[name].where(searched, -1).astype("int64") for name in noted},
        )
    )
    place = pd.Index([problem.name for problem in problems]).get_indexer(frame.problem)
    order = np.lexsort([pd.Index(seeds).get_indexer(frame.seed), place])
    return frame.iloc[order].reset_index(drop=True)


def _microseconds(seconds):
    "Whole microseconds; NaN where nothing was measured."
    micro = np.floor(seconds * 1e6 + 1e-6)
    return micro if micro.isna().any() else micro.astype("int64")


def expected_lowest(costs, r=1):
    "The mean of the lowest of r of these costs, over all choices without replacement."
    costs = np.sort(np.asarray(costs, float))
    n = len(costs)
    chosen = np.minimum(np.atleast_1d(r), n)[:, None]
    left = n - np.arange(n + 1)
    able = left >= chosen
    rest = np.where(able, left, chosen)
    beyond = able * np.exp(
        gammaln(rest + 1)
        - gammaln(rest - chosen + 1)
        + gammaln(n - chosen + 1)
        - gammaln(n + 1)
    )
    found = (beyond[:, :-1] - beyond[:, 1:]) @ costs
    return found if np.ndim(r) else float(found[0])


def _costs_at(search, transfers, budgets):
    """The mean cost of searches that are stopped when the time is over, for each time:
    first come the transfers, then the swaps, each as long as the others.
    """
    transfers = transfers.set_index("seed").loc[search["seed"]].reset_index()
    first = search.start_us + np.minimum(transfers.run_us, search.run_us)
    left = np.maximum(search.start_us + search.run_us - first, 1)
    share = (budgets[:, None] - first.to_numpy()) / left.to_numpy()
    swaps_made = share * search.swaps.to_numpy()
    costs = transfers.cost.to_numpy()
    for swaps in SWAPS:
        costs = np.where(swaps_made < swaps, costs, search[f"cost_{swaps}"])
    return np.where(share < 1, costs, search.cost).mean(axis=1)


def costs_in_time(runs: pd.DataFrame, budgets) -> dict:
    """The expected lowest cost when one start and one algorithm are repeated until the
    time is over, for several times in microseconds.
    """
    budgets = np.asarray(budgets, float)
    parts = dict(tuple(runs.groupby("algorithm", sort=False)))
    found = {}
    for name, own in parts.items():
        own = own.reset_index(drop=True)
        mean = (own.start_us + own.run_us).mean()
        found[name] = expected_lowest(own.cost, np.maximum(budgets / mean, 1))
        early = budgets < mean
        if name == "swap" and early.any():
            found[name][early] = _costs_at(own, parts["otqt"], budgets[early])
    return found


def _evenness(column):
    """The entropy of a column over the logarithm of the number of its categories; 1 for
    a single category.
    """
    counts = np.unique(column, return_counts=True)[1]
    shares = counts / counts.sum()
    if len(shares) == 1:
        return 1.0
    return float(-(shares * np.log(shares)).sum() / np.log(len(shares)))


def _dependence(codes):
    """The mean adjusted mutual information of pairs of columns, of at most 200 of them,
    spread evenly.
    """
    pairs = np.stack(np.triu_indices(codes.shape[1], 1), axis=1)
    places = np.linspace(0, len(pairs) - 1, min(len(pairs), 200)).astype(int)
    scores = [
        adjusted_mutual_info_score(codes[:, a], codes[:, b])
        for a, b in pairs[np.unique(places)]
    ]
    return float(np.mean(scores))


def problem_properties(problem: Problem) -> dict:
    "What can be said of a problem without clustering it, and of its classes."
    codes = problem.codes
    classes, places = np.unique(problem.labels, return_inverse=True)
    sizes = np.bincount(places)
    modes = modes_of(codes, places, len(classes))
    return dict(
        problem=problem.name,
        n=len(codes),
        m=codes.shape[1],
        k=problem.n_clusters,
        levels=float(np.mean([len(np.unique(column)) for column in codes.T])),
        distinct=len(np.unique(codes, axis=0)) / len(codes),
        evenness=float(np.mean([_evenness(column) for column in codes.T])),
        dependence=_dependence(codes),
        imbalance=float(sizes.max() / sizes.min()),
        class_cost=cost(codes, places, modes),
    )


def kind_of_problem(problem):
    "The kind of a table by its name: its set, or the design that it was drawn from."
    if not problem.startswith("planted-"):
        return problem.partition(",")[0]
    return f"planted kind {int(problem.partition('-')[2]) % len(planted_designs(1))}"


def recorded(folder) -> dict:
    "The records of `optima.json`, by the names of problems; missing values are kept."
    records = json.loads((folder / "optima.json").read_text(encoding="utf-8"))
    return {
        f"{record['dataset']}, {record['n_clusters']}": record
        for record in records
        if not record["id_column"]
        and (
            record["missing"] == "keep"
            or not DATASETS[record["dataset"]].files["train"].missing
        )
    }


def best_known(runs, class_costs, folder):
    """The lowest cost known of each problem: that of `optima.json`, of all runs, or of
    the classes themselves.
    """
    lowest = runs.groupby("problem").cost.min()
    found = [record["cost"] for record in recorded(folder).values()]
    records = pd.Series(found, [*recorded(folder)]).reindex(lowest.index)
    return (
        pd.concat([lowest, class_costs, records], axis=1).loc[lowest.index].min(axis=1)
    )


def kept_runs(folder):
    "The kept runs, with the kind of each table and the gap of each run."
    runs = pd.read_csv(folder / "which_initialisation.csv.xz")
    properties = pd.read_csv(folder / "which_initialisation_problems.csv.xz")
    lowest = best_known(runs, properties.set_index("problem").class_cost, folder)
    kinds = {problem: kind_of_problem(problem) for problem in lowest.index}
    planted = runs.problem.str.startswith("planted-")
    return runs.assign(
        tables=np.where(planted, "planted", "archive"),
        kind=runs.problem.map(kinds),
        gap=100 * (runs.cost / runs.problem.map(lowest) - 1),
    )


def mean_gaps(runs):
    "The mean gap of each start with each algorithm, in which each kind counts once."
    methods = ["tables", "algorithm", "init"]
    of_table = runs.groupby([*methods, "kind", "problem"]).gap.mean()
    of_kind = of_table.groupby([*methods, "kind"]).mean()
    return of_kind.groupby(methods).mean().unstack("init")
