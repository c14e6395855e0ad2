"""A newcomer beside the methods of two result pages: its place, by their rule.

The newcomer is run here. Rows of the other methods carry over from the pages by their
key: table, method, seed. Times are compared only within one job, so the references are
run again, and timed, on some tables. Whether these rows are as kept is said, too; those
of k-means depend on the processor.
"""

import warnings

import numpy as np
import pandas as pd

from kmodes_study import TableWarning
from kmodes_study.data.files import MissingDataError
from kmodes_study.data.sets import DATASETS
from kmodes_study.measures.pair_counting import adjusted_rand_score
from kmodes_study.study.compare import over_tables, told
from kmodes_study.study.protocols import notebooks_folder

from .clusterers import (
    CLUSTERERS,
    clusterer_rows,
    labelled_problem,
    labels_and_use,
    planted_table,
    planted_tables,
)
from .contest import (
    CONTENDERS,
    INITIALISATIONS,
    archive_problem,
    best_known,
    kept_runs,
    kind_of_problem,
    planted_designs,
    planted_problem,
    run_contest,
)


def smallest_at_hand(names, load, n):
    "The smallest problems whose files are there; the others are named."
    problems, absent = [], []
    for name in names:
        try:
            problems.append(load(name))
        except MissingDataError:
            absent.append(name)
    if absent:
        print(f"left out, as their files are not there: {'; '.join(absent)}")
    return sorted(problems, key=lambda problem: len(problem.codes))[:n]


def standing(values, name, references, limit, better):
    """The gains of a newcomer over all others in each group of tables; its place is
    printed, between which places the verdicts put it, and the gains over references.

    `values` have a row for each table, by the group and its own name.
    """
    groups = values.groupby(level=0, sort=False)
    gains = {
        (group, other): better * (part[name] - part[other])
        for group, part in groups
        for other in part.columns.drop(name)
    }
    found = over_tables(gains, limit).rename_axis(["tables", "less"])
    places = (-better * groups.mean()).rank(axis=1, method="min")[name]
    for group, part in groups:
        verdicts, n = found.loc[group].verdict.str, part.shape[1]
        worse, good = (verdicts.startswith(word).sum() for word in ("worse", "better"))
        place = f"{places[group]:.0f} of {n} ({1 + worse} to {n - good})"
        print(f"{group} ({len(part)}): place {place}")
        for other in references:
            print(f"    less {other}: {told(found.loc[group, other], 3)}")
    return found


def drawn(designs, n):
    "Some designs, always the same; all where n is None."
    return designs.sample(min(n or len(designs), len(designs)), random_state=0).index


def once(method, problems):
    "The seconds that a method takes for some problems, and its agreements there."
    total, agreements = 0, []
    for problem in problems:
        asked = method, problem.codes, problem.n_clusters, 0
        labels_and_use(*asked)  # machine code is ready then
        labels, used, error = labels_and_use(*asked)
        total += used["seconds"]
        agreed = np.nan if error else adjusted_rand_score(problem.labels, labels)
        agreements.append(agreed)
    return total, agreements


def benchmark_clusterer(
    method,
    name="newcomer",
    *,
    n_tables=16,
    n_seeds=3,
    references=("k-modes", "latent classes", "least entropy", "one-hot, k-means"),
    download=False,
    **options,
) -> pd.DataFrame:
    """A clusterer on the tables of `which_clusterer`: its agreement with known groups,
    by the adjusted Rand index, less that of others.

    Parameters
    ----------
    method
        a function `method(codes, n_clusters, seed)` that gives labels; where it fails,
        all rows are one cluster
    name : default="newcomer"
        what it is called
    n_tables : default=16
        tables of each of the six kinds, of real ones the smallest; None for all
    n_seeds : default=3
        runs on each table
    references : default=("k-modes", "latent classes", "least entropy", "one-hot, k-means")
        methods of `CLUSTERERS` to compare with, and to time; the place is among all
    download : default=False
        whether the archive may be asked for files that are not there
    **options
        of `experiment`: store, n_jobs, progress

    Returns
    -------
    pd.DataFrame
        as `over_tables` gives it: a row for each kind of tables and other method
    """
    problems = {
        "real": smallest_at_hand(
            DATASETS, lambda one: labelled_problem(one, download=download), n_tables
        )
    }
    designs = pd.concat([planted_tables(3), planted_tables(1, added=True)])
    for kind, part in designs.groupby("generator", sort=False):
        numbers = drawn(part, n_tables)
        problems[kind] = [planted_table(designs, number)[0] for number in numbers]
    every = [problem for several in problems.values() for problem in several]
    firsts = [several[0] for several in problems.values()]
    with warnings.catch_warnings():
        # constant columns stay, as in the literature
        warnings.simplefilter("ignore", TableWarning)
        own = clusterer_rows(every, {name: method}, n_seeds, **options)
        timed = {name: once(method, firsts)}
        timed |= {other: once(CLUSTERERS[other], firsts) for other in references}
    kept = pd.read_csv(notebooks_folder() / "which_clusterer.csv.xz")
    kept = kept[(kept.question == "given") & kept.method.isin(CLUSTERERS)]
    rows = pd.concat([kept, own]).set_index("table")
    parts = [rows.loc[[one.name for one in several]] for several in problems.values()]
    values = pd.concat(parts, keys=problems, names=["kind", "table"])
    values = values.pivot_table("ari", ["kind", "table"], "method", sort=False)
    found = standing(values, name, references, 0.01, better=1)

    before = kept[kept.seed == 0].pivot(index="table", columns="method", values="ari")
    before = before.loc[[problem.name for problem in firsts]]
    for who, (seconds, agreements) in timed.items():
        said = f"{who}: {seconds:.2f} s for one table of each kind"
        if who in references:
            same = np.isclose(agreements, before[who], atol=1e-6).sum()
            said += f"; {same} of {len(firsts)} as kept"
        print(said)
    return found


def benchmark_start(
    start,
    name="newcomer",
    *,
    n_tables=16,
    n_seeds=10,
    algorithms=("lloyd", "otqt"),
    references=("random", "cao", "huang"),
    download=False,
    **options,
) -> pd.DataFrame:
    """A start on the tables of `which_initialisation`: how far a run ends above the
    lowest cost known, in percent, less that of other starts; above 0 it is better.

    Parameters
    ----------
    start
        a function `start(codes, n_clusters, random_state)` that gives modes
    name : default="newcomer"
        what it is called
    n_tables : default=16
        problems of the archive, the smallest, and planted kinds; None for all
    n_seeds : default=10
        runs on each problem, 34 at most
    algorithms : default=("lloyd", "otqt")
        names of `CONTENDERS`
    references : default=("random", "cao", "huang")
        starts to compare with, and to time; the place is among all
    download : default=False
        whether the archive may be asked for files that are not there
    **options
        of `experiment`: store, n_jobs, progress

    Returns
    -------
    pd.DataFrame
        as `over_tables` gives it: a row for each kind of problems, algorithm and other
        start
    """
    folder = notebooks_folder()
    facts = pd.read_csv(folder / "which_initialisation_problems.csv.xz")
    facts = facts.set_index("problem")
    archive = facts.index[~facts.index.str.startswith("planted-")]
    problems = smallest_at_hand(
        archive, lambda one: archive_problem(one, download=download), n_tables
    )
    designs = planted_designs(1)
    problems += [planted_problem(designs, seed) for seed in drawn(designs, n_tables)]
    chosen = {each: CONTENDERS[each] for each in algorithms}
    own = run_contest(problems, range(n_seeds), {name: start}, chosen, **options)
    kept = kept_runs(folder)
    # the newcomer does not supply its own zero
    lowest = best_known(kept, facts.class_cost, folder)
    own["gap"] = 100 * (own.cost / own.problem.map(lowest) - 1)
    kept = kept[kept.problem.isin(own.problem) & kept.algorithm.isin(algorithms)]
    rows = pd.concat([kept[kept.seed < n_seeds], own])
    rows["kind"] = rows.problem.map(kind_of_problem)
    is_planted = rows.problem.str.startswith("planted-")
    rows["tables"] = np.where(is_planted, "planted, ", "archive, ") + rows.algorithm
    values = rows.pivot_table("gap", ["tables", "kind"], "init", sort=False)
    found = standing(values, name, references, 0.5, better=-1)

    some = problems[:1] + problems[-1:]
    timed = {name: start} | {each: INITIALISATIONS[each] for each in references}
    again = run_contest(some, range(3), timed, chosen)
    both = again.merge(kept, on=["problem", "init", "algorithm", "seed"])
    same = both.cost_x == both.cost_y
    times = again.groupby("init", sort=False)[["start_us", "run_us"]].mean().round()
    print("microseconds of a start, and of a run from it:", times, sep="\n")
    print(f"{sum(same)} of {len(same)} rows of references made again are as kept")
    return found
