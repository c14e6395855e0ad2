"""About twenty sentences of the paper of 2020 can be checked: each has a function that
looks at the paper's own runs.
"""

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind, ttest_rel

from kmodes_study.study.compare import compare, summarise
from kmodes_study.study.published import claims, published

NAMES = BREAST, MUSHROOM, NURSERY, SOYBEAN = (
    "breast-cancer-wisconsin",
    "mushroom",
    "nursery",
    "soybean-large",
)


def settings_of_paper() -> list:
    "The eight settings of the paper, in the order of its tables 3 to 10."
    printed = published("wilde2020")
    cells = printed[printed.n_clusters.notna()].astype(dict(n_clusters=int))
    return list(dict.fromkeys(zip(cells.dataset, cells.n_clusters)))


ALL_PAIRS = settings_of_paper()
KNEE, CLASSES = ALL_PAIRS[:4], ALL_PAIRS[4:]
K_KNEE, K_CLASSES = dict(KNEE), dict(CLASSES)


def compare_seeds(
    runs: pd.DataFrame, printed: pd.DataFrame, published_seeds, draws_nothing=("cao",)
) -> pd.DataFrame:
    """Compare runs with published cells, by what their seeds allow: where only some are
    published ones nothing drawn is judged, and equal digits of other runs are no proof.
    """
    own = set(runs.seed)
    shared = own & set(published_seeds)
    comparison = compare(summarise(runs), printed, same_seeds=shared == own)
    if shared == own:
        return comparison
    which = ~comparison.init.isin(draws_nothing)
    if shared:
        verdict = "not judged"
        note = f"{len(shared)} of these {len(own)} runs are published ones"
    else:
        which &= comparison.verdict == "exact"
        verdict, note = "within sampling error", "equal digits, of other runs"
    return comparison.assign(
        verdict=comparison.verdict.mask(which, verdict),
        note=comparison.note.mask(which, note),
    )


class PaperRuns:
    "The runs behind the tables, and the times that were printed."

    def __init__(self, runs: pd.DataFrame, times: pd.Series):
        self.runs = runs
        self.times = times

    def runs_of(self, name, k, init=None):
        "The runs of one experiment."
        rows = self.runs[(self.runs.dataset == name) & (self.runs.n_clusters == k)]
        return rows if init is None else rows[rows.init == init]

    def means(self, name, k, quantity="final_cost"):
        "Mean of a quantity for each start."
        return self.runs_of(name, k).groupby("init", sort=False)[quantity].mean()

    def lowest(self, name, k):
        "Lowest final cost of each start."
        return self.runs_of(name, k).groupby("init", sort=False).final_cost.min()

    def gain_of_cao(self, name, k, quantity):
        "By how many percent Cao's mean is below the better mean of the other two."
        mean = self.means(name, k, quantity)
        return 100 * (1 - mean.cao / mean[["huang", "matching"]].min())

    def improved(self, name, k):
        "Number of runs of each start whose final cost is below the initial one."
        runs = self.runs_of(name, k)
        falls = runs.final_cost < runs.initial_cost
        return falls.groupby(runs.init, sort=False).sum()


def judgement(good: int, all_of: int) -> str:
    "The judgement on a claim about several cases."
    if good == all_of:
        return "holds"
    return "does not hold" if good == 0 else "holds in part"


def of_cases(*cases):
    "The judgement on a claim that is true or false in each case."
    return judgement(sum(map(bool, cases)), len(cases))


_JUDGES = {}


def judge(claim, *needs):
    "Register a function that judges a claim and needs these data sets."

    def register(function):
        _JUDGES[claim] = (needs or NAMES, function)
        return function

    return register


def as_text(numbers):
    "A number for each start, as text."
    return ", ".join(f"{init} {number}" for init, number in numbers.items())


def lowest_costs(paper, *pairs):
    "The lowest final costs of each case, as text."
    return "; ".join(
        f"{name} k={k}: {as_text(paper.lowest(name, k))}" for name, k in pairs
    )


def comparable(paper, pairs):
    """Judge, by Welch's test, that Huang's and the matching start have the same mean
    final cost; the t-test of runs paired by their seeds stands beside it.
    """
    p_values, paired = [], []
    for pair in pairs:
        costs = paper.runs_of(*pair).pivot(
            index="seed", columns="init", values="final_cost"
        )
        two = costs.huang, costs.matching
        p_values.append(ttest_ind(*two, equal_var=False).pvalue)
        paired.append(ttest_rel(*two).pvalue)
    texts = (", ".join(f"{p:.2f}" for p in some) for some in (p_values, paired))
    evidence = "p-values {}; of the pairs {}".format(*texts)
    return of_cases(*(p > 0.05 for p in p_values)), evidence


@judge("knee-comparable")
def _(paper):
    return comparable(paper, KNEE)


@judge("classes-comparable")
def _(paper):
    return comparable(paper, CLASSES)


@judge("knee-faster")
def _(paper):
    passes = [paper.means(*pair, "n_iter") for pair in KNEE]
    more = [mean.matching - mean.huang for mean in passes]
    times = paper.times
    faster = [times[*pair, "matching"] < times[*pair, "huang"] for pair in KNEE]
    text = ", ".join(f"{name} {one:+.2f}" for name, one in zip(K_KNEE, more))
    return (
        of_cases(*(one > 0 for one in more), *faster),
        f"printed times lower in {sum(faster)} of 4; iterations more or fewer than "
        f"Huang's: {text}",
    )


@judge("knee-ten-percent")
def _(paper):
    three = [(name, k) for name, k in KNEE if name != BREAST]
    initial, end = (
        np.mean([paper.gain_of_cao(*pair, quantity) for pair in three])
        for quantity in ("initial_cost", "final_cost")
    )
    return (
        of_cases(initial >= 7.5, end >= 7.5),
        f"on average {initial:.1f} % for initial and {end:.1f} % for final costs: only "
        "the former rounds to ten",
    )


@judge("knee-iterations")
def _(paper):
    means = [paper.means(*pair, "n_iter") for pair in KNEE]
    ratios = [mean.cao / mean[["huang", "matching"]].mean() for mean in means]
    text = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    return (
        of_cases(*(0.5 < ratio < 2 for ratio in ratios)),
        f"Cao's over the mean of the others': {text}",
    )


@judge("knee-total-time")
def _(paper):
    times = paper.times
    once = [times[*pair, "cao"] < 250 * times[*pair, "matching"] for pair in KNEE]
    return (
        of_cases(*once),
        "by the printed times one run of Cao's costs less than 250 of the others in "
        "every case; it could not be otherwise",
    )


@judge("knee-breast-middling", BREAST)
def _(paper):
    runs = paper.runs_of(BREAST, 8)
    bound = paper.lowest(BREAST, 8).cao
    share = (runs[runs.init != "cao"].final_cost < bound).mean()
    evidence = f"{share:.0%} of the other runs end below Cao's {bound}"
    return of_cases(0.25 < share < 0.75), evidence


@judge("knee-breast-range", BREAST)
def _(paper):
    costs = paper.runs_of(BREAST, 8).groupby("init").final_cost
    spans, sds = costs.agg(np.ptp), costs.std()
    return (
        of_cases(spans.matching > spans.huang),
        f"range {spans.matching} against {spans.huang}; the standard deviation is the "
        f"smaller, {sds.matching:.1f} against {sds.huang:.1f}",
    )


@judge("knee-beats-huang")
def _(paper):
    lowest = [paper.lowest(*pair) for pair in KNEE]
    beaten = [costs.matching < costs.huang for costs in lowest]
    return of_cases(*beaten), lowest_costs(paper, *KNEE)


@judge("knee-lowest")
def _(paper):
    three = [(name, k) for name, k in KNEE if name != NURSERY]
    best = [paper.lowest(*pair).idxmin() == "matching" for pair in three]
    return of_cases(*best), lowest_costs(paper, *three)


@judge("knee-nursery-cao", NURSERY)
def _(paper):
    is_best = paper.lowest(NURSERY, 23).idxmin() == "cao"
    return of_cases(is_best), lowest_costs(paper, (NURSERY, 23))


@judge("knee-nursery-stuck", NURSERY)
def _(paper):
    counts = paper.improved(NURSERY, 23)
    return of_cases(counts.sum() == 0), f"runs that improve: {as_text(counts)}"


@judge("classes-nursery-once", NURSERY)
def _(paper):
    counts = paper.improved(NURSERY, 5)
    is_so = counts.to_dict() == dict(cao=0, huang=0, matching=1)
    return of_cases(is_so), f"runs that improve: {as_text(counts)}"


@judge("classes-costs-higher")
def _(paper):
    means = [
        (paper.means(name, K_CLASSES[name]), paper.means(name, K_KNEE[name]))
        for name in NAMES
    ]
    higher = [(few > many).all() for few, many in means]
    return (
        of_cases(*(one == (name != SOYBEAN) for one, name in zip(higher, NAMES))),
        "as it must be: 2, 2 and 5 clusters instead of 8, 17 and 23, but 15 instead "
        "of 8 for soybean",
    )


@judge("classes-cao-means")
def _(paper):
    costs = "initial_cost", "final_cost"
    gains = {
        name: [paper.gain_of_cao(name, k, cost) for cost in costs]
        for name, k in CLASSES
    }
    texts = (f"{name} {a:.1f} % and {b:.1f} %" for name, (a, b) in gains.items())
    return (
        of_cases(*(min(pair) > 0 for pair in gains.values())),
        f"below the next best by {'; '.join(texts)}",
    )


@judge("classes-two-kinds", BREAST, MUSHROOM)
def _(paper):
    found, texts = [], []
    for name in (BREAST, MUSHROOM):
        runs = paper.runs_of(name, 2)
        runs = runs[runs.init != "cao"]
        bound = runs.final_cost < 1.01 * runs.final_cost.min()
        stuck = runs.final_cost > 0.99 * runs.initial_cost
        found.append((stuck | bound).mean())
        texts.append(
            f"{name} {found[-1]:.0%} of the runs ({bound.mean():.0%} near the bound, "
            f"{(stuck & ~bound).mean():.0%} stuck above it)"
        )
    return of_cases(*(share > 0.9 for share in found)), "; ".join(texts)


@judge("classes-cao-bound", BREAST, MUSHROOM)
def _(paper):
    two = (BREAST, 2), (MUSHROOM, 2)
    lowest = [paper.lowest(*pair) for pair in two]
    reached = [costs.cao == costs.min() for costs in lowest]
    return of_cases(*reached), lowest_costs(paper, *two)


@judge("classes-huang-soybean")
def _(paper):
    lowest = {pair: paper.lowest(*pair) for pair in ALL_PAIRS}
    cases = [pair for pair, costs in lowest.items() if costs.huang < costs.matching]
    return (
        of_cases(cases == [(SOYBEAN, 15)]),
        "Huang's lowest cost is below the matching start's on "
        + ", ".join(f"{name} with k={k}" for name, k in cases),
    )


@judge("minimum-not-worse")
def _(paper):
    good = []
    for pair in ALL_PAIRS:
        costs, times = paper.lowest(*pair), paper.times
        if pair != (SOYBEAN, 15):
            is_faster = times[*pair, "matching"] <= times[*pair, "huang"]
            good.append(costs.matching <= costs.huang and is_faster)
    return of_cases(*good), f"true of {sum(good)} of 7 cases, with the printed times"


@judge("knee-outperforms-both")
def _(paper):
    best = [paper.lowest(*pair).idxmin() == "matching" for pair in KNEE]
    in_mean = [paper.means(*pair).idxmin() == "matching" for pair in KNEE]
    return (
        of_cases(*best, *in_mean),
        f"lowest cost of the three in {sum(best)} of 4 cases, lowest mean in "
        f"{sum(in_mean)}",
    )


@judge("classes-never-beats-cao")
def _(paper):
    lowest = {pair: paper.lowest(*pair) for pair in CLASSES}
    beaten = [pair for pair, costs in lowest.items() if costs.matching < costs.cao]
    names = ", ".join(name for name, _ in beaten)
    return of_cases(not beaten), f"it does on {names}: {lowest_costs(paper, *beaten)}"


@judge("majority")
def _(paper):
    alone, shared, in_mean = 0, 0, 0
    for pair in ALL_PAIRS:
        costs = paper.lowest(*pair)
        is_alone = costs.matching < costs[["cao", "huang"]].min()
        alone += is_alone
        shared += costs.matching == costs.min() and not is_alone
        in_mean += paper.means(*pair).idxmin() == "matching"
    return (
        of_cases(alone > 4, in_mean > 4, alone + shared > 4),
        f"lowest cost alone in {alone} of 8 cases, shared in {shared}; lowest mean in "
        f"{in_mean}",
    )


def judge_claims(paper: PaperRuns, complete=True) -> pd.DataFrame:
    "The judgement on each claim of the paper."
    there = set(paper.runs.dataset)
    rows = []
    for claim in claims("wilde2020").itertuples():
        needs, function = _JUDGES[claim.claim]
        holds = "waits", "needs all 250 runs on " + ", ".join(needs)
        if complete and set(needs) <= there:
            holds = function(paper)
        rows.append((claim.claim, claim.section, claim.text, *holds))
    return pd.DataFrame(rows, columns="claim section text holds evidence".split())
