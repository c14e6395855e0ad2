"""Verdicts: the level that is promised is kept with few runs and many, and what cannot
be judged says so.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from kmodes_study.study.compare import (
    NotExact,
    compare,
    holm,
    p_value_of_constancy,
    p_value_of_means,
    p_value_of_sds,
    p_values,
    require_exact,
    runs_note,
    side_by_side,
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


@pytest.mark.parametrize("n", [2, 5, 25, 250])
def test_a_gross_difference_is_seen(n):
    summary, published = table(np.random.RandomState(0), n)
    shifted = published.assign(
        mean=published["mean"] + 100 * published.sd.clip(lower=0.2)
    )
    assert (compare(summary, shifted).verdict == "differs").mean() > (
        0.15 if n == 2 else 0.6
    )


@pytest.mark.parametrize(
    "values, mean, sd, expected",
    [
        ([1] * 5, 1.0, 0.0, 1.0),
        ([1] * 5, 1.0, 0.063, 1.0),
        ([1, 1, 1, 1, 2], 1.0, 0.0, 2 * 5 / 255),
        ([2] * 5, 1.0, 0.0, 0.0),
        ([2] * 5, 1.0, 0.063, 0.0),
        ([7] * 250, 7.0, 0.0, 1.0),
    ],
)
def test_constants(values, mean, sd, expected):
    p_mean, p_sd = p_values(values, mean, sd, 250)
    assert p_mean == pytest.approx(expected, abs=1e-6)
    assert np.isnan(p_sd)


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


def test_alike_by_chance_is_no_difference():
    "Two runs that cost the same by chance have no standard deviation to test with."
    assert p_value_of_means([1050, 1051], 1000.0, 50.0, 250) > 0.1
    assert (
        stats.ttest_ind_from_stats(
            1050.5, 0.7, 2, 1000, 50, 250, equal_var=False
        ).pvalue
        < 1e-6
    )


def test_a_few_far_runs_explain_a_deviation_and_many_do_not():
    rng = np.random.RandomState(0)
    plain, wide = rng.normal(0, 1, 250), rng.normal(0, 3.2, 250)
    far = np.r_[plain[:247], 15, 16, 17]
    assert p_value_of_sds(far, plain.std(ddof=1), 250) > 0.05
    # seen from the other side: companions have been as far as that, or nothing is known
    assert p_value_of_sds(plain, far.std(ddof=1), 250, reach=17) > 0.05
    assert p_value_of_sds(plain, far.std(ddof=1), 250) == 1
    assert p_value_of_sds(wide, plain.std(ddof=1), 250) < 1e-4
    assert p_value_of_sds(plain, wide.std(ddof=1), 250, reach=4) < 1e-4
    # the least kurtosis there is
    assert p_value_of_sds([0.0] * 125 + [1.0] * 125, 0.5, 250) > 0.5


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


def test_fewer_runs_are_named_and_the_message_reads_well():
    few = verdict([5, 6], 5.6, 0.5)
    assert runs_note(few) == "2 of 250 runs"
    assert runs_note(verdict([5, 6], 5.6, 0.5, 2)) == ""
    with pytest.raises(
        NotExact,
        match=r"toy, k=2, cao, final_cost: 5.60 \(0.500\) was published, 5.50 \(0.707\) computed from 2 "
        r"runs",
    ):
        require_exact(few)
    assert verdict_counts(few) == {
        "exact": 0,
        "agrees with a quoted figure": 0,
        "within sampling error": 1,
        "differs": 0,
        "not judged": 0,
    }
    assert side_by_side(few)["final_cost"].iloc[0].tolist() == [
        "5.60 (0.500)",
        "5.50 (0.707)",
        "within sampling error",
    ]


@pytest.mark.parametrize(
    "runs, error",
    [([1, 2], TypeError), (pd.DataFrame(dict(dataset=["a"])), ValueError)],
)
def test_what_is_no_frame_of_runs(runs, error):
    with pytest.raises(error, match="runs must"):
        summarise(runs)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_monotone_and_never_below_the_raw_values(p):
    adjusted, order = holm(p), np.argsort(p, kind="stable")
    assert (adjusted >= np.array(p)).all()
    assert (np.diff(adjusted[order]) >= 0).all()
    assert adjusted.max() <= 1


def test_means_without_a_printed_deviation_are_tested_with_that_of_our_runs():
    values = np.random.RandomState(0).normal(0.8, 0.1, 1000)
    summary = pd.DataFrame(
        dict(
            dataset="d",
            n_clusters=2,
            init="i",
            quantity=["near", "far", "constant", "unknown"],
            mean=[values.mean()] * 2 + [1, 1],
            sd=[values.std(ddof=1)] * 2 + [0, 0.1],
            n=1000,
            values=[values, values, np.ones(1000), values],
        )
    )
    printed = pd.DataFrame(
        dict(
            dataset="d",
            n_clusters=2,
            init="i",
            quantity=["near", "far", "constant", "unknown"],
            mean=[0.81, 0.85, 0.9, 0.8],
            sd=np.nan,
            decimals_mean=2,
            decimals_sd=0,
            n_runs=[100, 100, 100, pd.NA],
        )
    )
    found = compare(summary, printed)
    assert list(found.verdict) == [
        "within sampling error",
        "differs",
        "not judged",
        "not judged",
    ]
    assert found.note[1] == "mean"
    assert found.p_sd.isna().all()


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


def alarms(cells, n_tables, n, reach):
    """How many tables of equal distributions have a cell that differs; `cells` draws
    (n_tables, 30, size).
    """
    own, others = cells(n_tables, n), cells(n_tables, 250)
    raw = p_values(
        own,
        others.mean(axis=-1).round(2),
        others.std(axis=-1, ddof=1).round(3),
        250,
        reach=reach,
    )
    return sum(
        np.nanmin(holm(table)) < 0.05 for table in np.moveaxis(np.array(raw), 0, 2)
    )


@pytest.mark.parametrize("n", [50, 250])
def test_exceptions_and_far_runs_are_no_false_alarms(n):
    """Tables of the cells that are hardest: with Layard's test alone nearly each of
    them has a false alarm. Above 16 of 200 would come once in 5,000 times at 5 %.
    """
    rng = np.random.RandomState(n)

    def exceptions(n_tables, size):
        return 1.0 + (rng.rand(n_tables, 30, size) < 0.02)

    def far_runs(n_tables, size):
        draws = rng.normal(1000, 50, (n_tables, 30, size)).round()
        return draws + 1000 * (rng.rand(n_tables, 30, size) < 0.005)

    assert alarms(exceptions, 200, n, 1.0) <= 16
    assert alarms(far_runs, 200, n, 1000.0) <= 16


def test_companions_on_a_problem_say_how_far_its_runs_lie():
    """Costs of breast cancer: all starts end at 2559 or 2560, and few runs near 2800,
    which ours happen to lack and the printed ones have.
    """
    common = [2559] * 200 + [2560] * 50
    printed_runs = common[1:] + [2800]
    costs = {"ours": common, "other": common[3:] + [2780, 2790, 2800]}
    runs = pd.concat(
        [
            pd.DataFrame(
                dict(dataset="b", n_clusters=2, init=init, final_cost=np.array(values))
            )
            for init, values in costs.items()
        ]
    )
    summary = summarise(runs, quantities=["final_cost"])
    mean, sd = np.mean(printed_runs), np.std(printed_runs, ddof=1)
    printed = pd.DataFrame(
        [
            dict(CELL, dataset="b", init=init, mean=mean, sd=sd, n_runs=250)
            for init in costs
        ]
    )
    p_sd = compare(summary, printed).set_index("init").p_sd
    raw = p_values(np.array(common, float), mean, sd, 250, reach=2800 - 2559.2)[1]
    assert p_sd["ours"] == pytest.approx(raw)
    assert raw > 0.5
    # 1 is how far our own runs go: forty times that many runs would be needed
    assert p_values(np.array(common, float), mean, sd, 250, reach=0.8)[1] < 1e-9
    # without a column for the method, or alone, nothing is known of the reach
    for options in dict(methods=()), dict(on=("dataset", "init", "quantity")):
        alone = compare(summary[:1], printed[:1], **options)
        assert alone.p_sd[0] == 1


@pytest.mark.parametrize(
    "n_own, n, tested",
    [(50, 50, True), (49, 250, False), (250, 49, False), (49, 49, False)],
)
def test_fewer_than_fifty_runs_on_either_side_say_nothing_of_a_deviation(
    n_own, n, tested
):
    assert np.isnan(p_value_of_sds(normal_scores(n_own, 10, 1), 1.1, n)) != tested


def test_exceptions_are_rounded_upwards():
    """Mean 1 and variance 1.632 of ten numbers against a constant 0: a share of .405 at
    least, which is five runs.
    """
    expected = 2 * stats.hypergeom(10 + 7, 5, 10).pmf(5)
    assert p_value_of_constancy([0] * 7, 1.0, 1.632**0.5, 10) == pytest.approx(expected)


def test_tests_that_were_not_made_are_not_counted():
    np.testing.assert_allclose(
        holm([0.01, np.nan, 0.04, 0.03, np.nan]), [0.03, np.nan, 0.06, 0.06, np.nan]
    )


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
