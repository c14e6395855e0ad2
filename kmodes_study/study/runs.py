"The runs behind published tables: rows of an experiment under the names of the papers."

import pandas as pd

from .experiments import experiment

__all__ = ["paper_runs"]


def paper_runs(
    settings,
    data,
    inits=("cao", "huang", "matching"),
    seeds=range(250),
    algorithms="huang",
    ties="stable",
    **options,
) -> pd.DataFrame:
    """Every start with every algorithm in each setting of a paper, once for each seed.

    Parameters
    ----------
    settings
        pairs (name of a table, number of clusters)
    data : dict
        codes of each table by name, shape (n, m)
    inits : default=("cao", "huang", "matching")
        names of starts
    seeds : default=range(250)
        as `experiment` takes them
    algorithms : default="huang"
        names of algorithms
    ties : default="stable"
        "stable", or "legacy" for ties as the paper of 2020 broke them
    **options
        of `experiment`: store, n_jobs, progress, orders

    Returns
    -------
    pd.DataFrame
        one row a run, in the order of the settings: dataset, n_clusters, init,
        algorithm, ties, seed, initial_cost (after the first pass), final_cost (after
        the last), best_cost, n_iter, seconds
    """
    starts = [f"legacy-{init}" if ties == "legacy" else init for init in inits]
    costs = ["initial_cost", "final_cost"]
    options |= dict(seeds=seeds, starts=starts, algorithms=algorithms, measures=costs)
    rows = pd.concat(
        [
            experiment({name: data[name]}, k, **options)
            for name, k in dict.fromkeys(settings)
        ],
        ignore_index=True,
    )
    rows = rows.rename(columns=dict(cost="best_cost")).assign(
        init=rows["start"].str.removeprefix("legacy-"),
        ties=ties,
        seconds=rows["start_seconds"] + rows["run_seconds"],
    )
    names = ["dataset", "n_clusters", "init", "algorithm", "ties", "seed", *costs]
    rows = rows[[*names, "best_cost", "n_iter", "seconds"]]
    return rows.astype(dict.fromkeys(costs, "int64"))
