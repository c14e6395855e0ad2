"""Verdicts: the level that is promised is kept with few runs and many, and what cannot
be judged says so.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from kmodes_study.study.compare import (
    compare,
    compare_pairs,
    mean_difference,
    over_tables,
    holm,
    p_value_of_constancy,
    p_value_of_means,
    p_value_of_sds,
    summarise,
    verdict_counts,
)
from kmodes_study.study.report import Results, read_records, summary

# what costs and passes look like: normal, skew, far runs, few values, nearly constant,
# constant
DRAWS = dict(
    normal=lambda rng, n: rng.normal(1000, 50, n).round(),
    skew=lambda rng, n: (1000 + rng.exponential(50, n)).round(),
    far=lambda rng, n: (rng.normal(1000, 50, n) + 400 * (rng.rand(n) < 0.01)).round(),
    values=lambda rng, n: rng.choice([2.0, 3.0, 4.0], n, p=[0.5, 0.4, 0.1]),
    exceptions=lambda rng, n: 1.0 + (rng.rand(n) < 0.005),
    constant=lambda rng, n: np.full(n, 7.0),
)


def table(rng, n, n_published=250):
    """A published table of 72 cells and runs from the same distributions: summary and
    published.
    """
    runs, printed = [], []
    for i in range(72):
        draw = list(DRAWS.values())[i % len(DRAWS)]
        cell = dict(dataset="toy", n_clusters=i, init="huang")
        other = draw(rng, n_published)
        runs.append(pd.DataFrame(dict(cell, final_cost=draw(rng, n)), index=range(n)))
        printed.append(
            dict(
                cell,
                quantity="final_cost",
                mean=other.mean().round(2),
                sd=other.std(ddof=1).round(3),
                n_runs=n_published,
            )
        )
    return (
        summarise(pd.concat(runs), quantities=["final_cost"]),
        pd.DataFrame(printed).assign(decimals_mean=2, decimals_sd=3),
    )


@pytest.mark.parametrize("n", [2, 5, 25, 250])
def test_few_tables_of_equal_distributions_have_a_false_alarm(n):
    """If the chance of a false alarm were 5 %, more than 4 of 20 tables would have one
    once in 390 times.
    """
    wrong = [
        int(
            (compare(*table(np.random.RandomState(seed), n)).verdict == "differs").any()
        )
        for seed in range(20)
    ]
    assert sum(wrong) <= 4


@given(st.lists(st.integers(0, 20), min_size=2, max_size=40), st.integers(2, 300))
def test_the_share_of_exceptions_is_a_lower_bound(published, n):
    """Runs that are all c, against values of which some are c: the p-value is never
    below that of the true number of exceptions.
    """
    mean = np.mean(published)
    sd = np.std(published, ddof=1)
    c = published[0]
    bound = p_value_of_constancy([c] * n, mean, sd, len(published), decimals=12)
    exceptions = sum(value != c for value in published)
    true = min(
        1.0,
        2
        * stats.hypergeom(n + len(published), exceptions, len(published)).pmf(
            exceptions
        ),
    )
    assert bound >= true * (1 - 1e-9)


CELL = dict(
    dataset="toy",
    n_clusters=2,
    init="cao",
    quantity="final_cost",
    decimals_mean=2,
    decimals_sd=3,
)


def verdict(values, mean, sd, n_runs=250, **options):
    runs = pd.DataFrame(
        dict(dataset="toy", n_clusters=2, init="cao", final_cost=values)
    )
    return compare(
        summarise(runs, quantities=["final_cost"]),
        pd.DataFrame([dict(CELL, mean=mean, sd=sd, n_runs=n_runs)]),
        **options,
    )


@pytest.mark.parametrize(
    "values, mean, sd, n_runs, expected, note",
    [
        ([999999], 21869.06, 747.766, 250, "not judged", "a single run"),
        ([5, 6], 5.5, np.nan, 250, "exact", ""),
        ([5, 6], 5.6, np.nan, 250, "within sampling error", ""),
        ([5, 5], 5.6, np.nan, 250, "not judged", "nothing varies"),
        ([5, 6], 5.6, 0.5, None, "not judged", "number of runs was published"),
        ([5] * 3, 5.0, 0.0, 250, "exact", ""),
        ([6] * 3, 5.0, 0.0, 250, "differs", "mean"),
        ([5, 6], 5.6, 0.5, 250, "within sampling error", ""),
    ],
)
def test_verdict(values, mean, sd, n_runs, expected, note):
    row = verdict(values, mean, sd, n_runs).iloc[0]
    assert row.verdict == expected
    assert note in row.note


def test_a_part_of_the_published_runs_is_not_judged():
    assert verdict([5, 6], 5.6, 0.5, same_seeds=True)[["verdict", "note"]].iloc[
        0
    ].tolist() == ["not judged", "2 of the 250 published runs"]
    assert verdict([5] * 2, 5.0, 0.0, same_seeds=True).verdict[0] == "exact"
    assert (
        verdict([5, 6] * 125, 5.6, 0.5, same_seeds=True).verdict[0]
        == "within sampling error"
    )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_monotone_and_never_below_the_raw_values(p):
    adjusted, order = holm(p), np.argsort(p, kind="stable")
    assert (adjusted >= np.array(p)).all()
    assert (np.diff(adjusted[order]) >= 0).all()
    assert adjusted.max() <= 1


def normal_scores(n, mean, sd):
    "n numbers with exactly this mean and standard deviation."
    scores = stats.norm.ppf((np.arange(n) + 0.5) / n)
    return mean + sd * (scores - scores.mean()) / scores.std(ddof=1)


@pytest.mark.parametrize(
    "n_own, n, sds", [(250, 10, (5, 5)), (10, 250, (5, 5)), (40, 40, (5, 0.1))]
)
def test_the_smaller_sample_is_taken_to_spread_as_the_larger_one(n_own, n, sds):
    "A published cell of few runs may be nearly constant by chance, as ours may."
    own, published = (5, 0.1) if n_own >= n else (0.1, 5)
    expected = stats.ttest_ind_from_stats(
        10, sds[0], n_own, 12, sds[1], n, equal_var=False
    ).pvalue
    assert p_value_of_means(
        normal_scores(n_own, 10, own), 12, published, n
    ) == pytest.approx(expected, rel=1e-9)


def plain_sds(values, sd, n, reach):
    "The three explanations of a deviation, by the formulas of the chapter."
    n_own, own, printed = len(values), np.var(values, ddof=1), sd**2
    squares = sorted((values - np.mean(values)) ** 2, reverse=True)
    kurtosis = max(stats.kurtosis(values, fisher=False), 1.8)
    width = np.log(own / printed) / np.sqrt((kurtosis - 1) * (1 / n_own + 1 / n))
    if own > printed:
        j = 1
        while sum(squares[:j]) < (n_own - 1) * (own - printed):
            j += 1
        sizes = n_own, n
    else:
        j = int(np.ceil(n * (printed - own) / (3 * reach) ** 2))
        sizes = n, n_own
    few = min(1, 2 * stats.hypergeom(n_own + n, j, sizes[0]).pmf(j))
    distance = max(
        stats.moment(values, 6) / stats.moment(values, 4), kurtosis * printed
    )
    exceptions = (own - printed) / np.sqrt(
        (kurtosis - 1) * own**2 / n_own + (distance * printed - printed**2) / n
    )
    return 2 * stats.norm.sf(abs(width)), few, 2 * stats.norm.sf(abs(exceptions))


def test_deviations_by_the_formulas_with_samples_of_two_sizes():
    decided = set()
    for n_own, n in (60, 400), (400, 60), (100, 100):
        for ratio in (0.4, 0.7, 0.9, 1.2, 1.6, 3):
            far = np.r_[normal_scores(n_own - 2, 10, 1), 30, 40]
            for values in (
                normal_scores(n_own, 10, 1),
                2.0 * (np.arange(n_own) % 2),
                far / far.std(ddof=1),
            ):
                three = plain_sds(values, ratio, n, 5)
                assert p_value_of_sds(values, ratio, n, 5) == pytest.approx(
                    max(three), rel=1e-9
                )
                decided.add(int(np.argmax(three)))
    # each of the three decides somewhere, or might be left out
    assert decided == {0, 1, 2}


def test_a_cell_that_is_not_exact_is_a_failure_only_where_it_must_be_exact(tmp_path):
    few = verdict([5, 6], 5.6, 0.5)
    results = Results("toy", "A toy", tmp_path)
    for must_be_exact in False, True:
        results.comparison(f"cells-{must_be_exact}", few, must_be_exact=must_be_exact)
    failed = [item["failed"] for item in read_records(tmp_path)[0]["items"]]
    assert failed[0] == ""
    assert "1 of 1 cells that must be exact are not" in failed[1]
    told = summary(read_records(tmp_path))
    assert [item["name"] for item in told["failures"]] == ["cells-True"]
    assert told["must_be_exact"] == told["statistical"] == verdict_counts(few)


# Two methods on the same blocks

FIRST, SECOND = np.random.RandomState(0).normal(0, 1, (2, 7)).round(2)


@pytest.mark.parametrize("differences", [[29.0] * 50, [0.1 + 0.2 - 0.3, 0], [1]])
def test_one_value_however_often_has_no_interval_and_no_p_value(differences):
    found = mean_difference(differences)
    assert np.isnan([found["low"], found["high"], found["p_value"]]).all()
    assert over_tables(dict(a=differences), limit=0).verdict.tolist() == ["open"]


@pytest.mark.parametrize("n_comparisons", [1, 40])
@pytest.mark.parametrize("n", [2, 3, 16, 54])
def test_the_rule_reads_the_verdict_off_intervals_that_hold_together(n, n_comparisons):
    draws = np.random.RandomState(n).normal(0.5, 1, (n_comparisons, n))
    table = over_tables(dict(enumerate(draws)), limit=0.4)
    level = 1 - 0.05 / n_comparisons
    for row, draw in zip(table.to_dict("records"), draws):
        low, high = stats.ttest_1samp(draw, 0).confidence_interval(level)
        assert (row["low"], row["high"]) == pytest.approx((low, high))
        sign = int(low > 0) - int(high < 0)
        beyond = max(sign * low, sign * high) > 0.4 and min(abs(low), abs(high)) > 0.4
        within = -0.4 < low and high < 0.4
        said = {1: "better", -1: "worse", 0: "open"}[sign]
        said += "" if beyond or not sign else ", size open"
        assert row["verdict"] == ("no practical difference" if within else said)
    # where the names are exchanged, better becomes worse
    turned = over_tables(dict(enumerate(-draws)), limit=0.4).verdict
    swap = {"better": "worse", "worse": "better"}
    again = turned.str.replace("better|worse", lambda m: swap[m[0]], regex=True)
    assert again.tolist() == table.verdict.tolist()


def test_all_comparisons_are_adjusted_together():
    rng = np.random.RandomState(1)
    runs = pd.DataFrame(
        [
            dict(dataset=name, init=init, seed=seed, cost=rng.normal(shift, 1))
            for name in "xy"
            for init, shift in zip("abc", (0, 0.5, 3))
            for seed in range(9)
        ]
    )
    pairs = compare_pairs(runs, "cost")
    assert len(pairs) == 6
    assert pairs.adjusted_p.tolist() == holm(pairs.p_value).tolist()
    assert (pairs.adjusted_p > pairs.p_value).any()


@pytest.mark.parametrize("share", [0.1, 1 / 3, 0.5])
def test_overlapping_splits_take_the_variance_of_nadeau_and_bengio(share):
    differences = FIRST - SECOND
    factor = 1 / 7 + share / (1 - share)
    error = np.sqrt(factor * np.var(differences, ddof=1))
    found = mean_difference(differences, test_share=share)
    plain = mean_difference(differences)
    half = stats.t.ppf(0.975, 6) * error
    assert found["high"] - found["low"] == pytest.approx(2 * half)
    p = 2 * stats.t.sf(abs(differences.mean()) / error, 6)
    assert found["p_value"] == pytest.approx(p)
    assert found["high"] - found["low"] > 1.3 * (plain["high"] - plain["low"])
    # what describes the runs stays as it is
    for name in ("difference", "n"):
        assert found[name] == plain[name]
