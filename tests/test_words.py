"""What is said of clusters: true of each cluster of a survey, numbers as numbers,
scales by their median, and which columns matter.
"""

import re

import numpy as np
import pandas as pd
import pytest

from kmodes_study import KModes, KPrototypes
from kmodes_study.describe.profiles import number_figures, weighted_quantiles
from kmodes_study.describe import column_importance, describe_clusters
from kmodes_study.describe.words import column_associations

LEVELS = [
    "Strongly disagree",
    "Disagree",
    "Neither agree nor disagree",
    "Agree",
    "Strongly agree",
]


def survey(n=1500, m=36):
    "Answers of three groups, and the groups."
    rng = np.random.RandomState(0)
    groups = rng.randint(0, 3, n)
    centres = rng.randint(0, 5, (3, m))
    answers = np.clip(np.round(centres[groups] + rng.normal(0, 1.4, (n, m))), 0, 4)
    names = [f"Q{j + 1}" for j in range(m)]
    return pd.DataFrame(np.array(LEVELS)[answers.astype(int)], columns=names), groups


def lines_of(X, labels, **options):
    "The words on each cluster, without their heads."
    return [
        line.partition("): ")[2]
        for line in describe_clusters(X, labels, **options).splitlines()
    ]


def customers(n=600):
    rng = np.random.RandomState(1)
    groups = np.repeat([0, 1, 2], n // 3)
    return pd.DataFrame(
        {
            "monthly_spend": np.array([44, 217, 533])[groups] + rng.normal(0, 30, n),
            "plan": np.array(["basic", "plus", "pro"])[groups],
            "country": rng.choice(["DE", "AT", "CH"], n),
            "visits": rng.poisson(4, n) + 0.5,
        }
    ), groups


def test_each_group_of_a_survey_is_told_by_what_is_true_of_it():
    table, groups = survey()
    for group, line in enumerate(lines_of(table, groups)):
        told = re.findall(r"(Q\d+)=([^(]*) in (\d+)% \(overall (\d+)%", line)
        assert len(told) == 3
        for question, answer, share, overall in told:
            column = table[question] == answer
            assert f"{column[groups == group].mean():.0%}" == f"{share}%"
            assert f"{column.mean():.0%}" == f"{overall}%"
            assert int(share) > 1.5 * int(overall)


def test_the_scales_of_a_survey_are_told_by_their_medians():
    table, groups = survey()
    scales = table.astype(pd.CategoricalDtype(LEVELS, ordered=True))
    codes = scales.apply(lambda column: column.cat.codes)
    for group, line in enumerate(lines_of(scales, groups)):
        told = re.findall(
            r"(Q\d+) median ([^(,]*) \(all rows ([^,]*), ([+-].*?) sd", line
        )
        assert len(told) == 3
        for question, level, overall, difference in told:
            x = codes[question]
            assert LEVELS[int(x[groups == group].median())] == level
            assert LEVELS[int(x.median())] == overall
            expected = (x[groups == group].mean() - x.mean()) / x.std(ddof=0)
            assert float(difference) == pytest.approx(expected, abs=0.006)


def test_numbers_are_told_as_numbers_and_noise_is_not_told():
    table, groups = customers()
    lines = lines_of(table, groups)
    medians = table.groupby(groups).monthly_spend.median()
    for group in 0, 2:
        assert f"monthly_spend median {medians[group]:.3g} (all rows" in lines[group]
    for line, plan in zip(lines, ("basic", "plus", "pro")):
        assert f"plan={plan} in 100%" in line
        assert "country" not in line
        assert "visits" not in line


def test_one_absurd_number_does_not_move_the_others():
    table, groups = customers()
    told = []
    for spent in 44, 1e9:
        table.loc[0, "monthly_spend"] = spent
        told += re.findall(
            r"me[di]*an (.*) \(all rows (.*), (.*) sd",
            describe_clusters(table[["monthly_spend"]], groups),
        )
    before, after = np.array(told, float).reshape(2, 3, 3)
    assert after[:, ::2] == pytest.approx(before[:, ::2], rel=0.01, abs=0.04)
    spent = table.monthly_spend.where(table.index > 0, 44)
    differences = (spent.groupby(groups).mean() - spent.mean()) / spent.std(ddof=0)
    assert before[:, 2] == pytest.approx(differences.to_numpy(), abs=0.006)


def test_one_cluster_does_not_differ_from_itself():
    told = lines_of(customers(60)[0], [0] * 60)
    assert told == ["one cluster is told apart from nothing"]


def test_a_model_says_which_columns_are_numbers():
    table, _ = customers()
    table["floor"] = np.repeat([1, 2, 3], 200)  # few whole numbers: names by the rule
    model = KPrototypes(3, categorical_features=["plan", "country"], random_state=0)
    model.fit(table)
    assert re.search(r"floor (median|mean) [123]", describe_clusters(table, model, 9))
    assert "floor=" in describe_clusters(table, model.labels_, 9)
    wanted = ["plan", "country", "floor", "monthly_spend", "visits"]
    asked = describe_clusters(table, model, 9, categorical_features=wanted)
    assert " median " not in asked


def test_weights_count_as_repeated_rows():
    table, groups = customers(60)
    table["level"] = pd.Categorical.from_codes(np.arange(60) % 5, LEVELS, ordered=True)
    weights = np.random.RandomState(0).randint(0, 4, 60)
    again = table.loc[np.repeat(table.index, weights)].reset_index(drop=True)
    assert describe_clusters(table, groups, 9, sample_weight=weights) == (
        describe_clusters(again, np.repeat(groups, weights), 9)
    )


def test_quantiles_are_those_of_numpy():
    rng = np.random.RandomState(0)
    for n in 1, 4, 11:
        x = rng.randint(0, 9, n).astype(float)
        found = weighted_quantiles(x, np.ones(n), [0.25, 0.5, 0.75])
        expected = np.quantile(x, [0.25, 0.5, 0.75], method="averaged_inverted_cdf")
        assert found == pytest.approx(expected)


def test_missing_numbers_are_left_aside():
    x = np.array([1, 3, np.nan, 10, 20, np.nan])
    table = number_figures(x, np.repeat([0, 1], 3), 2, np.ones(6))
    assert table["median"].tolist() == [2, 15, 6.5]
    assert table["mean"].tolist() == [2, 15, 8.5]
    lines = lines_of(pd.DataFrame({"x": [1.5, 2, np.nan]}), [0, 0, 1])
    assert lines[1] == "it has no value in any column"


def test_a_date_is_not_on_top():
    table, groups = customers()
    days = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(600), unit="D")
    table.insert(0, "day", days)
    for line in lines_of(table, groups, n=9):
        assert "day" not in line


def test_labels_that_begin_alike_stay_different():
    long = "a" * 60
    table = pd.DataFrame({"q": [long + "x"] * 50 + [long + "y"] * 50})
    first, second = lines_of(table, np.repeat([0, 1], 50))
    assert first.partition(" in ")[0] != second.partition(" in ")[0]
    assert max(map(len, (first, second))) < 120


def test_the_importance_of_a_column_is_the_share_of_rows_that_move():
    rng = np.random.RandomState(0)
    group = rng.choice(["a", "b"], 400)
    noise = rng.choice(["x", "y"], 400, p=[0.9, 0.1])
    table = pd.DataFrame({"tells": group, "noise": noise})
    model = KModes(2, init=[["a", "x"], ["b", "x"]], n_init=1).fit(table)
    found = column_importance(table, model, random_state=0, n_repeats=20)
    assert found.attribute.tolist() == ["tells", "noise"]
    # a shuffled column of two equal halves has another value in half of the rows
    assert found.importance[0] == pytest.approx(0.5, abs=0.03)
    assert found.association[0] == pytest.approx(1, abs=0.01)
    assert (found.importance[1], found.association[1] < 0.1) == (0, True)


def test_importance_of_arrays_and_of_drawn_rows():
    table, _ = survey(300, 5)
    codes = table.apply(lambda column: pd.factorize(column)[0]).to_numpy()
    model = KModes(3, random_state=0).fit(codes)
    found = column_importance(codes, model, max_rows=100, random_state=0)
    assert sorted(found.attribute) == list(range(5))
    assert found.importance.between(0, 1).all()
    assert found.index.tolist() == [*range(len(found))]
    assert found.equals(column_importance(codes, model, max_rows=100, random_state=0))


def test_associations_put_names_and_numbers_on_one_scale():
    table, groups = customers()
    spend, plan, country, visits = column_associations(
        table, np.array([True, False, False, True]), groups
    )
    assert plan == pytest.approx(1)
    assert spend > 0.95
    assert max(country, visits) < 0.1
    weights = 1 + (table.country == "DE") * (groups == 1) * 3
    kinds = np.array([True, False, False, True])
    again = np.repeat(np.arange(600), weights)
    found = column_associations(table, kinds, groups, weights)
    expected = column_associations(table.iloc[again], kinds, groups[again])
    assert found == pytest.approx(expected)
    assert found[2] > country + 0.2


def test_what_is_just_enough_is_told():
    n = 100
    table = pd.DataFrame({"x": np.arange(2 * n) / 3, "q": ["yes", "no"] * n})
    table["rare"] = ["r"] * 5 + ["s"] * (n - 5) + ["s"] * n
    groups = np.repeat([0, 1], n)
    table.loc[n:, "q"] = "no"  # yes in exactly a half of the first cluster
    told = lines_of(table, groups, n=9, min_share=0.5)[0]
    assert "q=yes in 50% (overall 25%, lift 2)" in told
    for least, expected in (0.5, True), (0.51, False):
        told = lines_of(table[["q"]], groups, min_share=least)[0]
        assert told.startswith("q=yes") == expected
    # five rows are enough, an eighth of the cluster
    few = pd.DataFrame({"a": ["r"] * 5 + ["s"] * 94})
    few["b"] = ["t"] * 24 + ["u"] * 16 + ["t"] * 10 + ["u"] * 49
    told = lines_of(few, np.repeat([0, 1], [40, 59]))[0]
    assert re.search("b=t in 60% .* a=r in 12%", told)
    # a hundred rows are enough to leave out what has next to nothing to do with them
    for n_rows, is_told in (98, True), (100, False):
        half = n_rows // 2
        weak = ["y"] * 14 + ["n"] * (half - 14) + ["y"] * 10 + ["n"] * (half - 10)
        own = pd.DataFrame({"q": np.repeat(["a", "b"], half), "z": weak})
        assert ("z=y" in lines_of(own, own.q)[0]) == is_told
    # what most of a cluster say comes before what differs more
    some = pd.DataFrame({"a": ["y"] * 55 + ["n"] * 45 + ["y"] * 35 + ["n"] * 65})
    some["b"] = ["u"] * 30 + ["v"] * 170
    assert lines_of(some, groups, n=1)[0].startswith("a=y in 55%")
    # Cohen's h of the names, 1.05, comes before the difference of the numbers
    both = pd.DataFrame(
        {"x": np.r_[np.zeros(n), np.ones(n)] + np.tile([0, 2.0, 2.7, 1], n // 2)}
    )
    both["q"] = table.q
    assert lines_of(both, groups)[0].startswith("q=yes")
