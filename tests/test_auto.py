"""What is decided of a table: kinds, gaps, number of clusters, clusterer; that tables of
ten kinds find their groups.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kmodes_study import KModes, KPrototypes
from kmodes_study.core.columns import as_numbers, kind_of_column
from kmodes_study.describe import cluster_table, describe_clusters, plan_table
from kmodes_study.describe import code_length, fit_plan, scan_plan
from kmodes_study.describe.auto import _WORTH_CLASSES
from kmodes_study.describe.learnt_weights import (
    _weight_of_category,
    _weight_of_number,
    equal_weights,
    mixed_bits,
)
from kmodes_study.family import LatentClasses
from kmodes_study.measures import adjusted_rand_score

LIKERT = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]


def said(found, begin):
    "The only decision that begins so, as a line."
    [line] = [str(one) for one in found.decisions if one.text.startswith(begin)]
    return line


def survey(n=300, m=12):
    "A survey in which each of three groups leans to answers of its own."
    rng = np.random.RandomState(0)
    groups = rng.randint(3, size=n)
    leans = rng.randint(5, size=(3, m))
    other = rng.randint(5, size=(n, m))
    answers = np.where(rng.rand(n, m) < 0.6, leans[groups], other)
    names = [f"Q{j + 1}" for j in range(m)]
    table = pd.DataFrame(np.array(LIKERT, object)[answers], columns=names)
    table.insert(0, "Respondent", np.arange(1, n + 1).astype(str))
    days = pd.to_timedelta(rng.randint(30, size=n), "D")
    table.insert(1, "Start", (pd.Timestamp("2026-03-01") + days).strftime("%d.%m.%Y"))
    table["Country"] = "Italy"
    table.loc[::17, "Q3"] = "NA"
    table.loc[::29, "Q5"] = None
    return table, groups


def test_a_survey():
    table, groups = survey()
    found = cluster_table(table)
    assert adjusted_rand_score(groups, found.labels) > 0.95
    assert "else categorical=['Respondent']" in said(found, "left out: Respondent")
    assert "else numeric=['Start']" in said(found, "left out: Start (date")
    assert "always 'Italy'" in said(found, "left out: Country (constant")
    assert "disagree to Strongly agree" in said(found, "scales: Q1, Q2, Q3 and 9")
    n_gaps = int((table == "NA").sum().sum() + table.isna().sum().sum())
    assert f" {n_gaps} cells, 'NA' among them, in Q3, Q5" in said(found, "gaps:")
    assert said(found, "clusters: 3, by the shortest code").endswith("n_clusters=4")
    assert found.words == describe_clusters(
        found.cells, found.labels, categorical_features=list(found.cells)
    )


def customers(n=400):
    "Customers whose groups are in what they spend and in their plan."
    rng = np.random.RandomState(1)
    groups = rng.randint(3, size=n)
    plans = np.array(["basic", "family", "business"])
    spend = np.array([44, 217, 533])[groups]
    spend = spend + rng.normal(size=n) * np.array([12, 30, 60])[groups]
    table = pd.DataFrame(
        {
            "customer_id": np.arange(10001, 10001 + n),
            "age": rng.randint(18, 80, n),
            "country": rng.choice(["DE", "FR", "IT", "ES", "PL"], n),
            "plan": np.where(rng.rand(n) < 0.85, plans[groups], rng.choice(plans, n)),
            "monthly_spend": np.char.add("€ ", spend.round(2).astype(str)),
            "tenure_months": rng.randint(0, 90, n),
            "churned": rng.randint(0, 2, n),
        }
    )
    table.loc[::31, "age"] = -99
    return table, groups


def test_customers_with_numbers():
    table, groups = customers()
    found = cluster_table(table)
    assert adjusted_rand_score(groups, found.labels) > 0.95
    assert "age, monthly_spend, tenure_months" in said(found, "numbers:")
    assert "'-99' among them, in age" in said(found, "gaps:")
    assert "k-prototypes, as there are numbers" in said(found, "algorithm:")
    assert "monthly_spend median" in found.words


def test_a_town_without_groups_does_not_multiply_those_of_scales():
    rng = np.random.RandomState(0)
    groups, town = rng.randint(2, size=400), rng.choice(list("ABC"), 400)
    levels = rng.binomial(4, np.array([0.15, 0.85])[groups, None], (400, 4))
    table = pd.DataFrame(np.array(LIKERT, object)[levels]).add_prefix("q")
    found = cluster_table(table.mask(rng.rand(400, 4) < 0.02).assign(town=town))
    assert adjusted_rand_score(groups, found.labels) > 0.9
    # each group in each town would be six: three numbers in vain are enough
    assert found.scan.table.code_length.last_valid_index() == 2 + 3 - 1


@pytest.mark.filterwarnings("error")
def test_numbers_alone_need_no_warning():
    groups = np.arange(90) % 3
    noise = np.random.RandomState(0).randn(90, 2)
    table = pd.DataFrame(noise + 20 * groups[:, None], columns=["height", "width"])
    found = cluster_table(table.round(2))
    assert adjusted_rand_score(groups, found.labels) == 1


def test_equal_weights_would_not_find_the_customers():
    "What the learnt weights are for."
    table, groups = customers()
    cells = plan_table(table).cells.fillna({"age": 40})
    numbers = ["age", "monthly_spend", "tenure_months"]
    equal = equal_weights(cells, numbers, [])
    share = {}
    for name in cells:
        weigh = _weight_of_number if name in numbers else _weight_of_category
        share[name] = weigh(cells[name], groups) / equal[name]
    others = "age", "tenure_months", "country", "churned"
    least = min(share["monthly_spend"], share["plan"])
    assert least > 2 * max(share[name] for name in others)


def test_the_bits_of_a_number_are_those_of_normal_clusters():
    rng, labels = np.random.RandomState(0), np.arange(60) % 2
    x = pd.Series(rng.normal(5 * labels, 1 + labels))
    rest = code_length(np.full((60, 1), "x"), labels, by_attribute=True).total
    normal = 30 * np.log2(2 * np.pi * np.e * x.groupby(labels).var(ddof=0)) / 2
    found = mixed_bits(x.to_frame("x"), ["x"], [], labels) - rest
    assert found == pytest.approx(normal.sum() + 2 * np.log2(60))  # and two parameters


def shares(n=240):
    "Rows of two groups that differ in how common each of four answers is."
    rng = np.random.RandomState(6)
    groups = rng.randint(2, size=n)
    parts = rng.dirichlet(np.ones(4) * 0.6, (2, 8))
    codes = [[rng.choice(4, p=part) for part in parts[group]] for group in groups]
    words = np.array(["never", "rarely", "sometimes", "always"], object)[codes]
    return pd.DataFrame(words, columns=[f"v{j}" for j in range(8)]), groups


def test_latent_classes_by_one_option():
    table, groups = shares()
    found = cluster_table(table, categorical=list(table), algorithm="latent")
    expected = LatentClasses(2, random_state=0).fit(table)
    assert (found.labels == expected.labels_).all()
    assert adjusted_rand_score(groups, found.labels) > 0.9
    assert said(found, "clusters: 2, by the least BIC")
    assert f"log-likelihood {expected.log_likelihood_:,.2f}: " in found.summary
    scan = scan_plan(found.plan, 3, algorithm="latent")
    assert scan.choices.to_dict() == {"bic": 2}
    assert scan.table.bic[1] == pytest.approx(expected.bic(table))
    with pytest.raises(ValueError, match="latent"):
        cluster_table(customers(40)[0], algorithm="latent")


def test_what_the_line_says_of_bic_is_what_the_study_found():
    study = Path(__file__).parents[1] / "nbs/results/which_clusterer.ipynb"
    line = (
        r"\"BIC, kinds of planted tables: exact in (\d+% to \d+%), too many in up to "
    )
    text = study.read_text(encoding="utf-8")
    exact, many = re.search(line + r"(\d+%)", text).groups()
    assert f"in {exact}, and too many in up to {many}" in _WORTH_CLASSES


def test_scales_count_by_their_steps_beside_numbers_and_gaps():
    rng = np.random.RandomState(3)
    groups = rng.randint(3, size=240)
    centres = rng.uniform(0, 4, (3, 6))
    noisy = np.rint(centres[groups] + rng.normal(size=(240, 6)))
    levels = np.clip(noisy, 0, 4).astype(int)
    scales = pd.DataFrame(np.array(LIKERT, object)[levels], columns=list("pqrstu"))
    scales.loc[::13, "q"] = None
    spend = np.array([40, 90, 200])[groups] + 30 * rng.normal(size=240)
    both = scales.assign(spend=spend)
    for table in scales, both:
        found = cluster_table(table, 3)
        assert isinstance(found.model, KPrototypes)
        assert found.model.dissimilarity == "ordinal"
        assert "steps" in said(found, "algorithm:")
        matching = cluster_table(table, 3, categorical=list("pqrstu")).labels
        score = adjusted_rand_score(groups, found.labels)
        assert score > adjusted_rand_score(groups, matching) + 0.05
    # what cannot count steps says so
    found = cluster_table(both, 3, missing="category")
    assert "scales are equal or not" in said(found, "algorithm:")
    found = cluster_table(scales, 3, algorithm="lloyd")
    assert "k-modes; the values of scales are" in said(found, "algorithm:")
    found = cluster_table(scales.dropna(), 3)
    assert isinstance(found.model, KModes)
    assert "steps" in said(found, "algorithm:")


def readings(cells):
    "The kind of a column, the order or the numbers of its cells, and what is a gap."
    column = pd.Series(cells, dtype=object)
    kind = kind_of_column("x", column)
    read = as_numbers("x", column, kind.gaps).tolist() if kind.kind == "number" else []
    return kind.kind, kind.order or read[: len(cells)], kind.gaps


@pytest.mark.parametrize(
    "kind, cells, read",
    [
        ("number", ["£1,250", "£830", "£12,400.50"], [1250, 830, 12400.5]),
        ("number", ["5.5 hr", "17 hrs", "26 hrs"], [5.5, 17, 26]),  # one unit
        ("number", ["1.250,75 €", "83 €", "9,5 €"], [1250.75, 83, 9.5]),
        ("number", ["4.712", "31.064", "215"], [4712, 31064, 215]),
        ("number", ["4.712", "31.064", "2.151"], [4.712, 31.064, 2.151]),
        ("number", ["0,125", "3,5", "12"], [0.125, 3.5, 12]),
        ("number", ["3.4k", "1.2M", "950k"], [3400, 1.2e6, 950e3]),
        ("number", ["81.5kg", "64kg", "70 kg"], [81.5, 64, 70]),
        ("number", ["1 hour", "30 hours", "7.5 hours"], [1, 30, 7.5]),
        ("number", ["12.5%", "40", "3.25%"], [12.5, 40, 3.25]),
        ("number", ["12 400", "1 250,5", "83"], [12400, 1250.5, 83]),
        ("number", ["−7.5", "-$20", "30"], [-7.5, -20, 30]),
        ("category", ["04109", "80331", "20095"], []),
        ("category", ["803xx", "200xx", "041xx"], []),
        ("category", ["14-220", "77-013", "14-871", "31-500"], []),
        ("category", ["9 pears", "4 plums", "2 figs"], []),
        ("category", ["yes", "no", "don't know"], []),
        ("category", ["long", "12", "-1", "340", "77", "5.5"], []),
        ("ordered", ["Plutôt d'accord", "D'accord", "Pas d'accord"], [2, 0, 1]),
        ("ordered", ["A veces", "Siempre", "Nunca", "Casi nunca"], [2, 3, 0, 1]),
        ("ordered", ["täglich", "nie", "wöchentlich"], [1, 2, 0]),
        ("ordered", ["Master's degree", "High school", "Ph.D."], [1, 0, 2]),
        ("ordered", ["Senior", "Trainee", "Junior", "Director"], [1, 2, 0, 3]),
        ("ordered", ["3 - fair", "1 - awful", "2"], [1, 2, 0]),
        ("ordered", ["grade 10", "Grade 9", "grade 11"], [1, 0, 2]),
        ("ordered", ["€2.000 - €2.999", "under €2.000", "€3.000 or more"], [1, 0, 2]),
        ("ordered", ["5+ years", "< 1 year", "1-2 years", "3-4 years"], [1, 2, 3, 0]),
        ("ordered", ["5-9", "18-Oct", "4-Mar", "over 18"], [2, 0, 1, 3]),
    ],
)
def test_columns_are_read_as_people_write_them(kind, cells, read):
    found, values, gaps = readings(cells * 9)
    assert (found, gaps) == (kind, [])
    expected = [cells[place] for place in read] if kind == "ordered" else read
    assert values[: len(cells)] == expected


@pytest.mark.parametrize(
    "kind, cells, gaps",
    [
        ("number", [*range(30, 128), "ca. 60", "12 - 15"] * 2, ["ca. 60", "12 - 15"]),
        ("number", [*range(30, 128), "ca. 60"] * 2 + [10**9], ["ca. 60", "1000000000"]),
        ("category", [*map(chr, range(97, 112)), *range(85)] * 3, []),
        ("ordered", ["often", "never", "always", "Prefer not to say"] * 9, [3]),
        ("ordered", ["selten", "nie", "immer", "keine Meinung"] * 9, [3]),
        ("ordered", ["2", "3", "1", "-1"] * 9, [3]),
        ("ordered", ["2", "3", "4", "1", "5", "88"] * 9, [5]),
        ("ordered", ["-1", "0", "1"] * 9, []),
        ("ordered", [4, 2, 3, 1, 8, 9] * 9, [4, 5]),
        ("ordered", [4, 2, 3, 1, 5, 6, 7, 8] * 9, []),
        ("identifier", np.repeat(range(41001, 41301), 3) * 13, []),
    ],
)
def test_a_few_cells_do_not_overturn_a_column(kind, cells, gaps):
    found, _, read = readings(list(map(str, cells)))
    words = [str(cells[gap]) if type(gap) is int else gap for gap in gaps]
    assert (found, sorted(read)) == (kind, sorted(words))


def test_exceptions_are_named_with_what_keeps_them():
    table, groups = customers()
    rng = np.random.RandomState(4)
    table["tenure_months"] = table.tenure_months.astype(str)
    table.loc[[5, 80], "tenure_months"] = "since May"
    table["monthly_spend"] = table.monthly_spend.str.removeprefix("€ ").astype(float)
    table.loc[7, "monthly_spend"] = 9e10
    table["mood"] = np.array([*LIKERT, "No opinion"], object)[rng.randint(6, size=400)]
    found = cluster_table(table)
    assert adjusted_rand_score(groups, found.labels) > 0.95
    texts = said(found, "no number: 2 cells in tenure_months, such as 'since May'")
    assert texts.endswith("else categorical=['tenure_months']")
    assert said(found, "far off all others: 1 cell in monthly_spend").endswith(
        "else numeric=['monthly_spend']"
    )
    assert "'No opinion'" in said(found, "no step of the scale: ")
    assert found.cells.mood.cat.categories.tolist() == LIKERT
    kept = plan_table(table, numeric=["monthly_spend"], categorical=["tenure_months"])
    assert kept.cells.monthly_spend.max() == 9e10
    assert "since May" in set(kept.cells.tenure_months)


def test_columns_that_tell_nothing_of_one_another_are_one_cluster():
    rng = np.random.RandomState(0)
    split = 0
    for _ in range(6):
        scale = np.array(LIKERT, object)[rng.randint(5, size=(90, 2))]
        table = pd.DataFrame(scale, columns=["p", "q"]).assign(x=rng.lognormal(size=90))
        split += cluster_table(table).model.n_clusters > 1
    assert split <= 1


def test_a_big_table():
    rng = np.random.RandomState(5)
    n = 100_000
    group = rng.randint(4, size=n)
    usual = rng.randint(5, size=(4, 10))[group]
    codes = np.where(rng.rand(n, 10) < 0.7, usual, rng.randint(5, size=(n, 10)))
    words = np.array(["red", "blue", "green", "white", "black"], object)
    table = pd.DataFrame(words[codes]).add_prefix("c")
    table.insert(0, "id", np.arange(n))
    found = cluster_table(table)
    assert "from 5,000 rows drawn at random" in said(found, "clusters: 4")
    assert adjusted_rand_score(group, found.labels) > 0.9


@pytest.mark.parametrize(
    "seed, k, why", [(1, 1, "no division comes"), (0, 6, "more do not come")]
)
def test_clusters_that_do_not_come_again_are_told(seed, k, why):
    rng = np.random.RandomState(seed)
    groups = rng.randint(6, size=60)
    usual = rng.rand(60, 6) < 0.75
    codes = rng.randint(4, size=(6, 6))[groups], rng.randint(4, size=(60, 6))
    table = pd.DataFrame(np.array(list("abcd"), object)[np.where(usual, *codes)])
    found = cluster_table(table.add_prefix("c"))
    assert f"as {why} again in other rows" in said(found, f"clusters: {k}, by stab")


def test_one_column():
    table = pd.DataFrame({"colour": ["red", "blue", "blue"] * 20})
    found = cluster_table(table)
    assert "1 cluster of 60 rows in 1 column" in found.summary
    assert said(found, "clusters: 1, as no division").endswith("n_clusters=2")
    labels = pd.Series(cluster_table(table, 2).labels)
    assert labels.value_counts().tolist() == [40, 20]


def test_options_are_those_of_the_estimator():
    table, _ = shares(90)
    options = dict(algorithm="swap", init="matching", random_state=3)
    found = cluster_table(table, 4, categorical=list(table), **options)
    expected = KModes(4, n_init="auto", **options).fit(table)
    assert (found.labels == expected.labels_).all()
    assert found.model.cost_ == expected.cost_


def test_an_order_of_numbers_is_that_of_numbers():
    table = pd.DataFrame({"n": ["5", "12", "100", "7.5"] * 9, "a": list("xyz") * 12})
    plan = plan_table(table, ordinal="n")
    assert plan.scales == ["n"]
    assert plan.cells.n.cat.categories.tolist() == ["5", "7.5", "12", "100"]


def test_columns_that_are_named_take_part():
    table = survey(40)[0]
    plan = plan_table(table, ["Respondent", "Start", "Q1"])
    assert plan.of_kind("category") == ["Respondent"]
    assert plan.numbers == ["Start"]
    assert plan_table(table, look=False, missing="ignore").numbers == []


@pytest.mark.parametrize(
    "contains, table, options",
    [
        ("two rows", {"a": ["x"], "b": ["y"]}, dict(look=False)),
        ("identifier", {"id": range(30)}, {}),
        ("empty", {"a": ["NA"] * 20, "b": ["?"] * 20}, {}),
        ("numeric 'c'", {"a": list("xy") * 9}, dict(numeric=["c"])),
        ("'a'", {"a": list("xy") * 9}, dict(numeric=["a"], ordinal=["a"])),
        ("'x'", {"a": list("xy") * 9}, dict(numeric=["a"])),
        ("missing", {"a": list("xy") * 9}, dict(missing="gap")),
        ("missing=", {"a": ["x", None, "y"] * 9}, dict(missing="error")),
        ("n_clusters", {"a": list("xy") * 9}, dict(n_clusters=19)),
        ("n_clusters", {"a": list("xy") * 9}, dict(n_clusters=0)),
        ("init", {"a": list("xy") * 9}, dict(init="coa")),
        ("algorithm", {"a": list("xy") * 9}, dict(algorithm="fast")),
        ("algorithm", {"a": np.arange(20) / 3}, dict(algorithm="lloyd")),
    ],
)
def test_what_cannot_work_names_the_argument(contains, table, options):
    with pytest.raises(ValueError, match=contains):
        cluster_table(pd.DataFrame(table), **options)


def test_copies_of_a_column_count_once_unless_they_are_named():
    table, groups = customers()
    alone = cluster_table(table)
    table["plan.1"], table["spent"] = table.plan, table.monthly_spend
    found = cluster_table(table)
    copies = said(
        found, "left out: plan.1, spent (copy: says in each row what plan says"
    )
    assert copies.endswith("categorical=['plan.1']")
    assert (found.labels == alone.labels).all()
    assert "plan.1" in plan_table(table, categorical="plan.1").cells


def test_columns_of_one_name_are_refused():
    with pytest.raises(ValueError, match="X must have columns of different"):
        plan_table(pd.DataFrame([["a", "b"]] * 9, columns=["x", "x"]))


def test_a_scan_of_one_row_is_refused():
    with pytest.raises(ValueError, match="two rows"):
        scan_plan(plan_table(pd.DataFrame({"a": ["x"]}), look=False))


def test_a_plan_is_fitted_again_and_again():
    table, groups = survey()
    plan = plan_table(table)
    first, second = fit_plan(plan, 3), fit_plan(plan, 3, random_state=0)
    assert (first.labels == second.labels).all()
    names = fit_plan(plan, 3, names=["a", "b", "c"])
    assert set(names.named_labels) == {"a", "b", "c"}
    assert len(fit_plan(plan, 2).words.splitlines()) == 2
