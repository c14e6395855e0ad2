"""Whether one method is better than another, when both the tables and the runs on each table are drawn."""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln


def _means_of_drawn(values, n_times, random):
    "Means of values drawn again with replacement, many times."
    values = np.asarray(values, float)
    if len(values) == 1:
        return np.full(n_times, values[0])
    drawn = random.randint(len(values), size=(n_times, len(values)))
    return values[drawn].mean(axis=1)


def two_level_interval(runs, level: float = 0.95, n_samples: int = 2000, seed: int = 0):
    "An interval of the mean difference of two methods, tables and runs drawn again."
    random = np.random.RandomState(seed)
    drawn = random.randint(len(runs), size=(n_samples, len(runs)))
    gains = np.empty(drawn.shape)
    for table, (one, other) in enumerate(runs):
        places = drawn == table
        n_times = int(places.sum())
        better = _means_of_drawn(one, n_times, random)
        gains[places] = better - _means_of_drawn(other, n_times, random)
    return np.quantile(gains.mean(axis=1), [(1 - level) / 2, (1 + level) / 2])


FREEDOM = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64], float)
LEAST = 1e-12  # a variance of zero would end the chain


class TwoLevels(NamedTuple):
    "Draws from the posterior of the model."

    mean: np.ndarray
    next_table: np.ndarray


def _true_differences(state, differences, errors, random):
    "The difference of each table, between what was seen and what tables are like."
    of_tables = state["factors"] / state["variance"]
    of_runs = 1 / np.maximum(errors**2, LEAST)
    precision = of_tables + of_runs
    centre = (of_tables * state["mean"] + of_runs * differences) / precision
    return random.normal(centre, 1 / np.sqrt(precision))


def _drawn_freedom(factors, freedom, random):
    "The degrees of freedom, by their probability on the grid."
    half = freedom / 2
    logs = len(factors) * (half * np.log(half) - gammaln(half))
    logs += half * (np.log(factors) - factors).sum()
    steps = np.gradient(freedom) if len(freedom) > 1 else np.ones(1)
    logs += np.log(freedom * steps) - 0.1 * freedom
    shares = np.exp(logs - logs.max())
    return random.choice(freedom, p=shares / shares.sum())


def _gibbs_turn(state, differences, errors, freedom, random):
    "Every unknown drawn once, given the others."
    found = _true_differences(state, differences, errors, random)
    nu = state["freedom"]
    squares = (found - state["mean"]) ** 2
    rates = (nu + squares / state["variance"]) / 2
    factors = random.gamma((nu + 1) / 2, 1 / rates)
    spread = np.sqrt(state["variance"] / factors.sum())
    mean = random.normal((factors * found).sum() / factors.sum(), spread)
    total = max((factors * (found - mean) ** 2).sum() / 2, LEAST)
    variance = total / random.gamma((len(found) - 1) / 2)
    freed = _drawn_freedom(factors, freedom, random)
    return dict(mean=mean, variance=variance, factors=factors, freedom=freed)


def two_level_draws(
    differences, errors, n_draws: int = 4000, seed: int = 0, freedom=FREEDOM
) -> TwoLevels:
    "Draws from the posterior of the mean difference, and of that on the next table."
    differences, errors = (np.asarray(each, float) for each in (differences, errors))
    random = np.random.RandomState(seed)
    freedom = np.asarray(freedom, float)
    state = dict(
        mean=differences.mean(),
        variance=max(differences.var(), LEAST),
        factors=np.ones(len(differences)),
        freedom=freedom[len(freedom) // 2],
    )
    draws = []
    for _ in range(n_draws + n_draws // 4):
        state = _gibbs_turn(state, differences, errors, freedom, random)
        far = random.standard_t(state["freedom"]) * np.sqrt(state["variance"])
        draws.append((state["mean"], state["mean"] + far))
    return TwoLevels(*np.array(draws[n_draws // 4 :]).T)


def region_shares(draws, rope: float) -> dict:
    "The probabilities that a difference is below, within and above a region around 0."
    worse, better = float((draws < -rope).mean()), float((draws > rope).mean())
    return dict(worse=worse, equal=1 - worse - better, better=better)


def _regions(differences, rope, n_samples, seed):
    "What share of all pairs of tables is worse, equal and better, in each draw."
    values = np.append(0.0, np.asarray(differences, float))
    prior = np.ones(len(values))
    prior[0] = 0.5
    weights = np.random.RandomState(seed).dirichlet(prior, n_samples)
    sums = values[:, None] + values

    def above(sums):
        "The weight of the pairs whose mean is above the region; on it, one half."
        places = (sums > 2 * rope) + 0.5 * (sums == 2 * rope)
        return ((weights @ places) * weights).sum(axis=1)

    worse, better = above(-sums), above(sums)
    return np.stack([worse, 1 - worse - better, better], axis=1)


def signed_rank_shares(
    differences, rope: float, n_samples: int = 100_000, seed: int = 0
) -> dict:
    "The probabilities of the Bayesian signed-rank test."
    regions = _regions(differences, rope, n_samples, seed)
    shares = np.bincount(regions.argmax(axis=1), minlength=3) / n_samples
    return dict(zip(("worse", "equal", "better"), shares.tolist()))


def pseudo_median_above(
    differences, rope: float, n_samples: int = 100_000, seed: int = 0
) -> float:
    "The probability that the pseudo-median lies above the region of no difference."
    return float((_regions(differences, rope, n_samples, seed)[:, 2] > 0.5).mean())
