"""The two experiments behind the draft of 2018: runs by the rules of that time, and k-modes as a classifier of rows that it has not seen."""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from kmodes_study.core.checks import check_random_state
from kmodes_study.cluster.algorithms.lloyd import unassigned
from kmodes_study.cluster.algorithms.huang import (
    first_assignment,
    first_state,
    nearest_cost,
    online_pass,
)
from kmodes_study.cluster.modes import assign
from kmodes_study.cluster.sampled import ALGORITHMS
from kmodes_study.cluster.starts.basic import init_cao, initialise
from kmodes_study.core.codes import as_codes, encode, encode_labels
from kmodes_study.core.rows import Rows
from kmodes_study.data.loaders import load
from kmodes_study.measures.information import (
    adjusted_mutual_info_score,
    completeness_score,
    homogeneity_score,
)
from kmodes_study.measures.pair_counting import adjusted_rand_score
from kmodes_study.study.legacy import init_huang_legacy


class Run2018(NamedTuple):
    "What a run of 2018 reports."

    labels: np.ndarray
    modes: np.ndarray
    initial_cost: int
    final_cost: int
    n_iter: int


def passes_2018(codes: np.ndarray, modes: np.ndarray, random_state=None) -> Run2018:
    "k-modes from given modes by the rules of 2018."
    random_state = check_random_state(random_state)
    rows = Rows.of(codes)
    modes = rows.in_own_type(as_codes(modes, "modes", rows.shape[1]))
    costs = [int(rows.nearest(modes)[1].sum())]
    state = first_state(rows, unassigned(rows, len(modes)), modes)
    moves = -1
    first_assignment(state, rows, random_state)
    nearest_cost(state, None)
    while moves and (len(costs) < 2 or costs[-1] < costs[-2]):
        moves = online_pass(state, None, random_state)
        costs.append(nearest_cost(state, None))
    return Run2018(
        state.found.astype(np.int32),
        state.modes.copy(),
        costs[0],
        costs[-1],
        len(costs) - 1,
    )


def init_random_2018(codes, n_clusters, *, random_state=None):
    "Rows drawn with replacement."
    return codes[check_random_state(random_state).choice(len(codes), n_clusters)]


STARTS_2018 = dict(cao=init_cao, huang=init_huang_legacy, random=init_random_2018)


def run_2018(codes: np.ndarray, n_clusters: int, init, seed: int) -> Run2018:
    "One run of k-modes as the draft of 2018 made it."
    random_state = np.random.RandomState(seed)
    start = init if callable(init) else STARTS_2018[init]
    modes = start(codes, n_clusters, random_state=random_state)
    return passes_2018(codes, modes, random_state)


CLASSES_2018 = {
    "soybean-large": 15,
    "mushroom": 2,
    "breast-cancer-wisconsin": 2,
    "zoo": 7,
}


def codes_2018(dataset: str, **options) -> tuple:
    """A data set as the draft of 2018 clustered it: categories in the order of their
    text.
    """
    missing = "drop" if dataset == "soybean-large" else "category"
    if dataset in ("breast-cancer-wisconsin", "zoo"):
        options["id_column"] = True
    X, y = load(dataset, return_X_y=True, as_frame=True, missing=missing, **options)
    return encode(X.astype(str))[0], y.cat.codes.to_numpy(np.int64)


def stratified_split(labels, test_size: float = 1 / 3, seed: int = 0) -> tuple:
    "Row numbers of a random split in which each class has about the same share."
    numbers = encode_labels(labels)[0]
    places = np.arange(len(numbers))
    return tuple(
        train_test_split(
            places, test_size=test_size, stratify=numbers, random_state=seed
        )
    )


SCORES = dict(
    adjusted_rand=adjusted_rand_score,
    adjusted_mutual_info=partial(adjusted_mutual_info_score, average_method="max"),
    homogeneity=homogeneity_score,
    completeness=completeness_score,
)


def prediction_scores(labels_true, labels_pred) -> dict:
    """How well the labels of the test rows agree with their classes, by four measures
    that need no names.
    """
    return {
        name: float(score(labels_true, labels_pred)) for name, score in SCORES.items()
    }


def train_modes(
    codes, n_clusters: int, init="cao", algorithm: str = "huang", random_state=None
):
    "One run of k-modes from a start that may also be a function."
    if callable(init):
        start = init(codes, n_clusters, random_state=random_state)
    else:
        start = initialise(codes, n_clusters, init, random_state=random_state)
    return ALGORITHMS[algorithm](codes, start, random_state=random_state)


def classify(
    codes,
    labels,
    init="cao",
    *,
    algorithm: str = "huang",
    n_init: int = 1,
    test_size: float = 1 / 3,
    seed: int = 0,
) -> dict:
    """Train k-modes on a stratified part of the rows, as many clusters as classes, and
    score the labels of the rest.
    """
    codes = as_codes(codes, "codes")
    numbers, names = encode_labels(labels, n=len(codes))
    train, test = stratified_split(numbers, test_size, seed)
    random_state = np.random.RandomState(seed)
    rows = np.ascontiguousarray(codes[train])
    runs = [
        train_modes(rows, len(names), init, algorithm, random_state)
        for _ in range(n_init)
    ]
    best = min(runs, key=lambda run: run.cost)
    predicted, _ = assign(codes[test], best.modes)
    scores = prediction_scores(numbers[test], predicted)
    return scores | dict(cost=int(best.cost), n_iter=int(best.n_iter))


def could_be_integers(
    mean: float, sd: float, n: int, decimals_mean: int = 2, decimals_sd: int = 3
) -> bool:
    """Whether a printed mean and sample standard deviation can be those of `n`
    integers.
    """
    half_mean = 0.5 * 10.0**-decimals_mean
    half_sd = 0.5 * 10.0**-decimals_sd
    slack = 1e-9
    for total in range(
        math.ceil((mean - half_mean) * n - slack),
        math.floor((mean + half_mean) * n + slack) + 1,
    ):
        least, most = (
            (n - 1) * max(s, 0) ** 2 + total**2 / n
            for s in (sd - half_sd, sd + half_sd)
        )
        squares = math.ceil(least * (1 - slack))
        squares += (squares - total) % 2
        if squares <= most * (1 + slack):
            return True
    return False
