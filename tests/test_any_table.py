"""`kmodes-study cluster FILE` and nothing else: tables of ten kinds find their groups,
or get one clear sentence; and workbooks of hostile origin.
"""

import html
import io
import re
import struct
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import openpyxl
import pandas as pd
import pytest

from kmodes_study import KPrototypes
from kmodes_study.command import fitting
from kmodes_study.command.decisions import (
    _WORTH_ADJUSTED,
    _WORTH_CLASSES,
    _line_on_scan,
)
from kmodes_study.family import LatentClasses
from kmodes_study.measures import adjusted_rand_score
from kmodes_study.describe.kinds_of_columns import column_kinds, kind_of_column
from kmodes_study.study import workbooks

from commands import run

LIKERT = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def clustered(capsys, table, *options):
    "What the command says of a table, and the labels."
    status, out, err = run(capsys, "cluster", table, "-o", "labels.csv", *options)
    assert status == 0, err
    return out, pd.read_csv("labels.csv").cluster


def line(out, begin):
    "The only line that begins so."
    [found] = [row for row in out.splitlines() if row.startswith(begin)]
    return found


def survey(n=300, m=12):
    "A survey in which each of three groups leans to answers of its own."
    rng = np.random.RandomState(0)
    groups = rng.randint(3, size=n)
    leans = rng.randint(5, size=(3, m))
    other = rng.randint(5, size=(n, m))
    answers = np.where(rng.rand(n, m) < 0.6, leans[groups], other)
    table = pd.DataFrame(
        np.array(LIKERT, object)[answers], columns=[f"Q{j + 1}" for j in range(m)]
    )
    table.insert(0, "Respondent", np.arange(1, n + 1))
    moments = pd.Timestamp("2026-03-01") + pd.to_timedelta(
        rng.randint(9999, size=n), "m"
    )
    table.insert(1, "Start date", moments)
    table["Country"] = "Italy"
    table.loc[::17, "Q3"] = "NA"
    table.loc[::29, "Q5"] = None
    return table, groups


def test_a_survey_in_a_workbook(place, capsys):
    table, groups = survey()
    table.to_excel("survey.xlsx", index=False, sheet_name="Answers")
    out, labels = clustered(capsys, "survey.xlsx")
    assert adjusted_rand_score(groups, labels) > 0.95
    assert "left out: Respondent (identifier" in out
    assert "left out: Start date (date" in out
    assert "left out: Country (constant: always 'Italy'" in out
    assert "Strongly disagree to Strongly agree" in line(
        out, "scales: Q1, Q2, Q3 and 9"
    )
    n_gaps = int((table == "NA").sum().sum() + table.isna().sum().sum())
    assert line(out, "gaps:").startswith(f"gaps: {n_gaps} cells, 'NA' among them")
    assert line(out, "clusters:").startswith("clusters: 3, as more do not come again")
    assert out.rstrip().endswith("written: labels in labels.csv")


def customers(n=400):
    "Customers whose groups are in what they spend and in their plan."
    rng = np.random.RandomState(1)
    groups = rng.randint(3, size=n)
    plans = np.array(["basic", "family", "business"])
    spend = np.array([44, 217, 533])[groups]
    spend = spend + rng.normal(size=n) * np.array([12, 30, 60])[groups]
    days = pd.to_timedelta(rng.randint(1500, size=n), "D")
    table = pd.DataFrame(
        {
            "customer_id": np.arange(10001, 10001 + n),
            "signup": (pd.Timestamp("2020-01-01") + days).strftime("%d.%m.%Y"),
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


def test_customers_with_spend_and_dates(place, capsys):
    table, groups = customers()
    table.to_csv("shop.csv", index=False)
    out, labels = clustered(capsys, "shop.csv", "--save", "m.json")
    assert adjusted_rand_score(groups, labels) > 0.95
    assert "left out: customer_id (identifier" in out
    assert "left out: signup (date" in out
    assert line(out, "numbers:").startswith(
        "numbers: age, monthly_spend, tenure_months"
    )
    assert "'-99' among them, in age" in line(out, "gaps:")
    assert "monthly_spend median" in out
    # the model knows which columns it needs, and how they are read
    status, told, err = run(capsys, "predict", "m.json", "shop.csv")
    assert (status, err) == (0, "")
    assert (pd.read_csv(io.StringIO(told)).cluster == labels).all()
    table.assign(plan="unknown").to_csv("new.csv", index=False)
    assert run(capsys, "predict", "m.json", "new.csv")[0] == 0


def test_what_the_user_says_goes_before_what_is_found(place, capsys):
    table, _ = customers(60)
    table.to_csv("shop.csv", index=False)
    out, _ = clustered(
        capsys,
        *("shop.csv", "-k", 2, "--drop", "country", "--id-column", "customer_id"),
        *("--numeric", "signup", "--categorical", "age", "tenure_months"),
        *("--ordinal", "churned", "--n-init", 2),
    )
    assert "\nleft out" not in f"\n{out}"
    assert line(out, "numbers:").startswith(
        "numbers: signup, monthly_spend (signup: as"
    )
    assert line(out, "scales:").startswith("scales: churned")
    assert line(out, "categories:").startswith("categories: age, plan, tenure_months (")
    assert list(pd.read_csv("labels.csv")) == ["customer_id", "cluster"]


def test_weights_of_rows_are_how_often_they_stand_there(place, capsys):
    rng = np.random.RandomState(3)
    table = pd.DataFrame(rng.choice(list("abc"), (40, 4)), columns=list("pqrs"))
    often = rng.randint(1, 4, 40)
    table.assign(w=often).to_csv("weighed.csv", index=False)
    table.loc[table.index.repeat(often)].to_csv("long.csv", index=False)
    out, labels = clustered(capsys, "weighed.csv", "-k", 3, "--weight", "w")
    repeated, of_long = clustered(capsys, "long.csv", "-k", 3)
    cost = re.search(r"cost (\d+)", out)[1]
    assert f"cost {cost}:" in repeated
    assert (np.repeat(labels.to_numpy(), often) == of_long).all()


def shares(n=240):
    "Rows of two groups that differ in how common each of four answers is."
    rng = np.random.RandomState(6)
    groups = rng.randint(2, size=n)
    parts = rng.dirichlet(np.ones(4) * 0.6, (2, 8))
    codes = [[rng.choice(4, p=part) for part in parts[group]] for group in groups]
    words = np.array(["never", "rarely", "sometimes", "always"], object)[codes]
    return pd.DataFrame(words, columns=[f"v{j}" for j in range(8)]), groups


def test_latent_classes_by_one_option(place, capsys):
    table, groups = shares()
    table.to_csv("t.csv", index=False)
    out, labels = clustered(
        capsys,
        *("t.csv", "--categorical", *table, "--algorithm", "latent"),
        *("--save", "m.json", "--report", "page.html"),
    )
    expected = LatentClasses(2, random_state=0).fit(table)
    assert (labels == expected.labels_).all()
    assert adjusted_rand_score(groups, labels) > 0.9
    assert line(out, "algorithm:").startswith("algorithm: latent classes")
    assert line(out, "clusters:").startswith("clusters: 2, by the least BIC")
    assert f"log-likelihood {expected.log_likelihood_:,.2f}: " in out
    status, told, err = run(capsys, "predict", "m.json", "t.csv")
    assert (status, err) == (0, "")
    assert (pd.read_csv(io.StringIO(told)).cluster == labels).all()
    page = (place / "page.html").read_text()
    assert "The criterion that chose is BIC." in page
    python = html.unescape(re.search(r"<pre[^>]*><code>(.*?)</code>", page, re.S)[1])
    space = {}
    exec(python.rpartition("\nplot_modes")[0], space)
    assert (space["labels"] == labels).all()


def test_latent_classes_have_a_scan(place, capsys):
    table, _ = shares(120)
    table.iloc[:3, 0] = None
    table.to_csv("t.csv", index=False)
    status, out, err = run(
        capsys,
        *("choose", "t.csv", "--algorithm", "latent", "--most", 3),
        *("--resamples", 2, "-o", "scan.csv", "--picture", "scan.svg"),
    )
    assert (status, err) == (0, "")
    assert "2 clusters by 3 of 3: BIC, stability, silhouette" in out
    scan = pd.read_csv("scan.csv")
    expected = LatentClasses(2, missing="ignore", random_state=0).fit(table)
    assert scan.bic[1] == pytest.approx(expected.bic(table))
    assert "BIC of latent classes: 2" in (place / "scan.svg").read_text()
    assert "adjusted" not in out


def test_latent_classes_of_many_rows_have_the_adjusted_criterion_too(place, capsys):
    table, _ = shares(240)
    table.to_csv("t.csv", index=False)
    status, out, err = run(
        capsys,
        *("choose", "t.csv", "--algorithm", "latent", "--most", 3, "--resamples", 0),
        *("-o", "scan.csv", "--picture", "scan.svg"),
    )
    assert (status, err) == (0, "")
    assert "2 clusters by 2 of 2: BIC, adjusted BIC" in out
    expected = LatentClasses(2, random_state=0).fit(table)
    scan = pd.read_csv("scan.csv")
    assert scan.adjusted_bic[1] == pytest.approx(expected.adjusted_bic(table))
    assert "adjusted BIC: 2" in (place / "scan.svg").read_text()


def test_the_line_tells_where_the_adjusted_criterion_differs():
    apart = pd.Series(dict(bic=2, adjusted_bic=4), dtype="Int64")
    text = _line_on_scan("bic", apart, 400, 400)
    assert "2, by the least BIC; -k says another; the adjusted BIC says 4" in text
    assert _WORTH_ADJUSTED in text
    for same in (pd.Series(dict(bic=2, adjusted_bic=2)), pd.Series(dict(bic=2))):
        assert "adjusted" not in _line_on_scan("bic", same, 400, 400)


def test_latent_classes_are_for_categories(place, capsys):
    customers(40)[0].to_csv("shop.csv", index=False)
    status, out, err = run(capsys, "cluster", "shop.csv", "--algorithm", "latent")
    assert (status, out) == (2, "")
    assert "--categorical age monthly_spend tenure_months takes them" in err


def test_what_the_line_says_of_bic_is_what_the_study_found():
    study = Path(__file__).parents[1] / "nbs/results/which_clusterer.ipynb"
    text = study.read_text(encoding="utf-8")
    for name, said in ("BIC", _WORTH_CLASSES), ("adjusted BIC", _WORTH_ADJUSTED):
        line = rf"\"{name}, kinds of planted tables: exact in (\d+% to \d+%), too many "
        exact, many = re.search(line + r"in up to (\d+%)", text).groups()
        assert f"in {exact}, and too many in up to {many}" in said


def test_scales_count_by_their_steps_beside_numbers_and_gaps(place, capsys):
    rng = np.random.RandomState(3)
    groups = rng.randint(3, size=240)
    centres = rng.uniform(0, 4, (3, 6))
    noisy = np.rint(centres[groups] + rng.normal(size=(240, 6)))
    levels = np.clip(noisy, 0, 4).astype(int)
    table = pd.DataFrame(np.array(LIKERT, object)[levels], columns=list("pqrstu"))
    table.loc[::13, "q"] = None
    table.to_csv("scales.csv", index=False)
    table["spend"] = np.array([40, 90, 200])[groups] + 30 * rng.normal(size=240)
    table.to_csv("both.csv", index=False)
    for file, said in {
        "scales.csv": "algorithm: k-prototypes, which counts the steps of scales",
        "both.csv": "algorithm: k-prototypes, as there are numbers",
    }.items():
        out, labels = clustered(capsys, file, "-k", 3, "--save", "m.json")
        assert line(out, "algorithm:").startswith(said)
        assert "steps" in line(out, "algorithm:")
        matching = clustered(capsys, file, "-k", 3, "--categorical", *"pqrstu")[1]
        score = adjusted_rand_score(groups, labels)
        assert score > adjusted_rand_score(groups, matching) + 0.05
        model = KPrototypes.load("m.json")
        assert model.dissimilarity == "ordinal"
        status, told, err = run(capsys, "predict", "m.json", file)
        assert (status, err) == (0, "")
        assert (pd.read_csv(io.StringIO(told)).cluster == labels).all()
    # what cannot count steps says so
    out, _ = clustered(capsys, "both.csv", "-k", 3, "--missing", "category")
    assert "scales are equal or not here" in line(out, "algorithm:")
    out, _ = clustered(capsys, "scales.csv", "-k", 3, "--algorithm", "lloyd")
    assert line(out, "algorithm:").startswith("algorithm: k-modes; the values of sca")


def test_cells_with_several_answers_by_one_option(place, capsys):
    rng = np.random.RandomState(7)
    groups = rng.randint(2, size=120)
    tools = np.array(["hammer", "saw, large", "drill", "glue"], object)
    likely = np.array([[0.9, 0.8, 0.1, 0.1], [0.1, 0.2, 0.9, 0.8]])[groups]
    ticked = rng.rand(120, 4) < likely
    table = pd.DataFrame({"Tools": ["; ".join(tools[row]) for row in ticked]})
    table["colour"] = rng.choice(["red", "blue"], 120)
    table.to_csv("tools.csv", index=False)
    out, _ = clustered(capsys, "tools.csv", "-k", 2)
    assert line(out, "several answers").endswith(
        "--several Tools makes each answer a column)"
    )
    status, out, err = run(
        capsys,
        *("cluster", "tools.csv", "--several", "Tools", "-k", 2),
        *("-o", "labels.csv", "--save", "m.json", "--report", "page.html"),
    )
    assert status == 0
    assert "with ';' between them (--several), and becomes 4 columns" in err
    labels = pd.read_csv("labels.csv").cluster
    assert adjusted_rand_score(groups, labels) > 0.8
    assert "Tools: hammer=yes in" in out
    assert "several=['Tools']" in html.unescape((place / "page.html").read_text())
    # new rows in which nobody has ticked more than one box
    first = [list(tools).index(one) for one in ("hammer", "drill")]
    one_each = table[:2].assign(Tools=tools[first])
    one_each.to_csv("new.csv", index=False)
    status, told, err = run(
        capsys, "predict", "m.json", "new.csv", "--several", "Tools"
    )
    assert (status, err) == (0, "")
    hammers = pd.read_csv(io.StringIO(told)).cluster.tolist()
    assert hammers[0] != hammers[1]
    assert hammers[0] == labels[groups == 0].mode()[0]
    status, out, err = run(capsys, "predict", "m.json", "new.csv")
    assert (status, out) == (2, "")
    assert "; --several Tools makes it of the answers in Tools" in err


def test_names_of_clusters_from_the_first_table_to_new_rows(place, capsys):
    table, groups = shares()
    table.to_csv("t.csv", index=False)
    names = ["often $1", "<rarely>"]
    out, labels = clustered(
        capsys,
        *("t.csv", "-k", 2, "--categorical", *table, "--names", *names),
        *("--save", "m.json", "--report", "page.html"),
    )
    assert set(labels) == {*names}
    assert all(f"\n{name} (" in out for name in names)
    page = (place / "page.html").read_text()
    assert "&lt;rarely&gt;" in page
    assert "<rarely>" not in page
    table[:9].to_csv("new.csv", index=False)
    status, told, err = run(
        capsys,
        "predict",
        "m.json",
        "new.csv",
        "--names",
        *names,
        "-o",
        "new_labels.csv",
    )
    assert (status, told, err) == (0, "", "")
    assert (pd.read_csv("new_labels.csv").cluster == labels[:9]).all()
    for wrong, said in {
        ("one",): "--names: 1 names for 2 clusters",
        ("a", "a"): "--names: two clusters have the same name",
    }.items():
        status, out, err = run(
            capsys, "predict", "m.json", "new.csv", "--names", *wrong
        )
        assert (status, out) == (2, "")
        assert said in err


def test_votes_without_a_header(place, capsys):
    rng = np.random.RandomState(2)
    party = rng.randint(2, size=200)
    usual = np.array([list("yn" * 8), list("ny" * 8)])[party]
    votes = np.where(rng.rand(200, 16) < 0.8, usual, rng.choice(list("yn?"), (200, 16)))
    table = pd.DataFrame(votes)
    table.insert(0, "party", np.array(["republican", "democrat"])[party])
    table.to_csv("votes.data", index=False, header=False)
    status, out, err = run(capsys, "cluster", "votes.data", "-o", "labels.csv")
    assert status == 0
    assert "is read as a row, as with --no-header" in err
    assert "2 clusters of 200 rows in 17 columns" in out
    assert "'?' among them" in line(out, "gaps:")
    labels = pd.read_csv("labels.csv").cluster
    assert adjusted_rand_score(party, labels) > 0.95


def test_sets_of_the_package_by_their_names(place, capsys):
    out, labels = clustered(capsys, "lenses")
    assert len(labels) == 24
    assert "agreement with the known classes" in out
    # a file of that name goes first
    pd.DataFrame({"a": ["x", "y"] * 9}).to_csv("car", index=False)
    assert len(clustered(capsys, "car")[1]) == 18


def test_mushrooms_by_name(place, capsys, load_or_skip):
    load_or_skip("mushroom")
    out, labels = clustered(capsys, "mushroom", "-k", 2)
    assert len(labels) == 8124
    assert "left out: veil-type (constant" in out
    assert "2,480 cells in stalk-root" in line(out, "gaps:")
    score = re.search(r"adjusted Rand index ([\d.]+)", line(out, "agreement"))[1]
    assert float(score) > 0.5


def test_semicolons_and_letters_of_windows(place, capsys):
    rng = np.random.RandomState(4)
    group = rng.randint(2, size=120)
    table = pd.DataFrame(
        {
            "Größe": np.array(["klein", "groß"])[group],
            "Straße": np.array(["Süd", "Nord"])[group],
            "Wetter": rng.choice(["schön", "trüb"], 120),
            "Preis": [
                f"{p:.2f}".replace(".", ",") for p in 20 + 60 * group + rng.rand(120)
            ],
        }
    )
    table.to_csv("haus.csv", sep=";", index=False, encoding="cp1252")
    status, out, err = run(capsys, "cluster", "haus.csv", "-o", "labels.csv")
    assert status == 0
    assert "read as cp1252 (--encoding)" in err
    assert "numbers: Preis" in out
    labels = pd.read_csv("labels.csv").cluster
    assert adjusted_rand_score(group, labels) == 1


def test_a_big_table(place, capsys):
    rng = np.random.RandomState(5)
    n = 100_000
    group = rng.randint(4, size=n)
    usual = rng.randint(5, size=(4, 10))[group]
    codes = np.where(rng.rand(n, 10) < 0.7, usual, rng.randint(5, size=(n, 10)))
    words = np.array(["red", "blue", "green", "white", "black"], object)
    table = pd.DataFrame(words[codes], columns=[f"c{j}" for j in range(10)])
    table.insert(0, "id", np.arange(n))
    table.to_parquet("big.parquet")
    out, labels = clustered(capsys, "big.parquet")
    assert "clusters: 4" in out
    assert "from 5,000 rows drawn at random" in out
    assert adjusted_rand_score(group, labels) > 0.9


def test_one_column(place, capsys):
    pd.DataFrame({"colour": ["red", "blue", "blue"] * 20}).to_csv(
        "one.csv", index=False
    )
    out, labels = clustered(capsys, "one.csv")
    assert "1 cluster of 60 rows in 1 column" in out
    assert "-k 2 divides all the same" in line(out, "clusters:")
    out, labels = clustered(capsys, "one.csv", "-k", 2)
    assert labels.value_counts().tolist() == [40, 20]


@pytest.mark.parametrize(
    "table, sentence",
    [
        ("a,b\nx,y\n", "t.csv: the table has one row, and clusters need two at least"),
        (
            "id,name\n" + "".join(f"{i},n{i}\n" for i in range(30)),
            "t.csv: no column is left to cluster by, of id (identifier, 30 different "
            "numbers in 30 cells); name (identifier, 30 different values in 30 cells): "
            "--categorical id takes one in",
        ),
        (
            "a,b\n" + "NA,?\n" * 20,
            "t.csv: all cells are empty, there is nothing to cluster by",
        ),
    ],
)
def test_one_row_only_identifiers_all_gaps(place, capsys, table, sentence):
    (place / "t.csv").write_text(table)
    status, out, err = run(capsys, "cluster", "t.csv")
    assert (status, out, err) == (2, "", f"kmodes-study: {sentence}\n")


def test_rows_without_a_value_are_in_no_cluster(place, capsys):
    table = pd.DataFrame([["a", "x"], ["b", "y"]] * 20, columns=["p", "q"])
    table.loc[7] = None
    table.to_csv("t.csv", index=False)
    out, labels = clustered(capsys, "t.csv", "-k", 2)
    assert "left out: 1 row without any value" in out
    assert labels.isna().tolist() == [i == 7 for i in range(40)]


# ------------------------------------------------------------- kinds of columns


@pytest.mark.parametrize(
    "name, values, kind",
    [
        ("house number", range(1, 40), "identifier"),
        ("phone", [f"{i:08}" for i in range(30)], "identifier"),
        ("postcode", ["10115", "80331", "50667"] * 9, "category"),
        ("plz", ["01069", "01067", "10115"] * 9, "category"),
        ("income", [1200 + 37 * i * i for i in range(30)], "number"),
        ("rate", ["1.5 %", "2 %", "17 %", "3 %"] * 9, "number"),
        ("total", ["1,250", "980", "12,000"] * 9, "number"),
        ("year", [2019, 2020, 2021, 2022] * 9, "ordered"),
        ("answer", [1, 2, 3, 4, 5] * 9, "ordered"),
        ("has", [0, 1] * 9, "category"),
        ("grade", ["1 - low", "2 - medium", "3 - high"] * 9, "ordered"),
        ("age", ["18-29", "30-49", "50-64", "65+"] * 9, "ordered"),
        ("month", ["Jan", "Mar", "Feb"] * 9, "ordered"),
        ("size", ["S", "M", "XL"] * 9, "ordered"),
        ("colour", ["red", "blue", "green"] * 9, "category"),
        ("day", ["2026-03-01", "2026-03-02", "2025-01-09"] * 9, "date"),
        ("ticked", ["x", "-"] * 9, "category"),
        ("flag", [True, False] * 9, "category"),
        ("said", [f"I liked number {i} very much indeed" for i in range(30)], "text"),
        ("zero", [0] * 9, "constant"),
    ],
)
def test_kinds(name, values, kind):
    values = list(values)
    assert kind_of_column(name, pd.Series(values)).kind == kind
    as_texts = pd.Series([str(value) for value in values], dtype=object)
    assert kind_of_column(name, as_texts).kind == kind


def test_types_of_pandas_tell_kinds():
    sizes = pd.Categorical(["b", "a", "c"] * 5, categories=list("bac"), ordered=True)
    table = pd.DataFrame({"sizes": sizes, "names": pd.Categorical([1, 2, 30] * 5)})
    found = column_kinds(table).set_index("column")
    assert found.kind.to_dict() == {"sizes": "ordered", "names": "category"}
    assert found.order["sizes"] == ["b", "a", "c"]


# ------------------------------------------------------------- hostile workbooks


def book_of(rows, **cells):
    "A workbook of some rows as bytes."
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for place, value in cells.items():
        book.active[place] = value
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def with_parts(content, **parts):
    "A workbook in which parts are replaced or added."
    file = io.BytesIO()
    with ZipFile(io.BytesIO(content)) as old, ZipFile(file, "w", ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name not in parts:
                new.writestr(name, old.read(name))
        for name, text in parts.items():
            new.writestr(name, text)
    return file.getvalue()


ROWS = [["a", "b"], ["x", "1"], ["y", "2"]]
SHEET = "xl/worksheets/sheet1.xml"


def test_formulas_and_links_are_not_followed():
    content = book_of(ROWS, A2='=WEBSERVICE("http://localhost:1/x")', B3="=1+1")
    sheet = workbooks.read_workbook("b.xlsx", content)
    assert sheet.rows[0] == ["a", "b"]
    assert sheet.rows[1] == [None, "1"]
    assert "formulas whose value was not saved" in sheet.words[0]
    linked = with_parts(
        content, **{"xl/externalLinks/externalLink1.xml": "<broken", "xl/vba.bin": "x"}
    )
    assert workbooks.read_workbook("b.xlsx", linked).rows == sheet.rows


@pytest.mark.parametrize("cell", ['r="XFD1048576"', "r = 'XFD1048576' s='>'"])
def test_a_far_cell_is_refused_before_the_sheet_is_read(cell):
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f'<sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576">'
        f"<c {cell}><v>1</v></c></row></sheetData></worksheet>"
    )
    content = with_parts(book_of(ROWS), **{SHEET: sheet})
    with pytest.raises(ValueError, match="reach over 17,179,869,184 places"):
        workbooks.read_workbook("far.xlsx", content)


def test_a_bomb_is_refused(monkeypatch):
    content = with_parts(book_of(ROWS), **{SHEET: b" " * 3_000_000})
    assert len(content) < 20_000
    monkeypatch.setattr(workbooks, "_MOST_BYTES", 1_000_000)
    with pytest.raises(ValueError, match="unpacks to more than 1,000,000 bytes"):
        workbooks.read_workbook("bomb.xlsx", content)


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def book_of_shared(texts, numbers):
    "A workbook of one column whose cells name shared texts by their numbers."
    rows = "".join(
        f'<row r="{i}"><c r="A{i}" t="s"><v>{number}</v></c></row>'
        for i, number in enumerate(numbers, 1)
    )
    items = "".join(f"<si><t>{text}</t></si>" for text in texts)
    parts = {
        SHEET: f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{items}</sst>',
    }
    return with_parts(book_of(ROWS), **parts)


def test_a_long_text_that_many_cells_name_is_counted_as_often(monkeypatch):
    "A small file whose cells would not fit in memory; the same text once is well."
    texts = ["x" * 9_000, "short"]
    content = book_of_shared(texts, [1] + [0] * 300)
    assert len(content) < 20_000
    rows = workbooks.read_workbook("long.xlsx", content).rows
    assert rows == [["short"]] + [["x" * 9_000]] * 300
    monkeypatch.setattr(workbooks, "_MOST_BYTES", 1_000_000)
    with pytest.raises(ValueError, match="texts of this workbook would take 2,70"):
        workbooks.read_workbook("long.xlsx", content)
    once = workbooks.read_workbook("once.xlsx", book_of_shared(texts, [0] + [1] * 300))
    assert len(once.rows) == 301


def record(kind, content):
    "A record of an XLS file."
    return struct.pack("<HH", kind, len(content)) + content


def stream_of(cells):
    "The stream of an XLS file with texts in some places of one sheet."
    version = 0x600
    begin = struct.pack("<HHHHII", version, 5, 0, 0, 0, 6)
    sheet = struct.pack("<HHHHII", version, 16, 0, 0, 0, 6)
    end = record(0x0A, b"")
    parts = [record(0x809, sheet)]
    for (row, column), text in cells.items():
        head = struct.pack("<HHHHB", row, column, 0, len(text), 0)
        parts.append(record(0x204, head + text.encode("latin-1")))
    name = b"Answers"
    place = len(record(0x809, begin)) + 4 + 8 + len(name) + len(end)
    title = struct.pack("<IBBBB", place, 0, 0, len(name), 0) + name
    return record(0x809, begin) + record(0x85, title) + end + b"".join(parts) + end


def xls_of(cells):
    "An XLS file as bytes: its stream in a container of sectors of 512 bytes."
    none, last = 0xFFFFFFFF, 0xFFFFFFFE
    stream = stream_of(cells).ljust(4096, b"\0")
    stream += b"\0" * (-len(stream) % 512)

    def entry(name, kind, child, start, size):
        text = f"{name}\0".encode("utf-16-le")
        head = struct.pack("<HBBIII", len(text), kind, 1, none, none, child)
        place = struct.pack("<IQ", start, size)
        return text.ljust(64, b"\0") + head + b"\0" * 36 + place

    chain = [0xFFFFFFFD, last, *range(3, 2 + len(stream) // 512), last]
    chain += [none] * (128 - len(chain))
    folder = entry("Root Entry", 5, 1, last, 0)
    folder += entry("Workbook", 2, none, 2, len(stream))
    sizes = struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    places = struct.pack("<9I", 0, 1, 1, 0, 4096, last, 0, last, 0)
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16 + sizes + places
    head += struct.pack("<I", 0) + b"\xff" * 432
    return head + struct.pack("<128I", *chain) + folder.ljust(512, b"\0") + stream


def test_a_workbook_of_the_old_kind_has_limits_too(monkeypatch):
    cells = {(0, 0): "a", (0, 1): "b", (1, 0): "x", (1, 1): "1", (2, 0): "=1+1"}
    content = xls_of(cells)
    sheet = workbooks.read_workbook("b.xls", content)
    assert sheet.rows == [["a", "b"], ["x", "1"], ["=1+1", None]]
    far = workbooks.read_workbook("far.xls", xls_of(cells | {(9_999, 255): "z"}))
    assert far.rows[-1] == [None, None, "z"]
    assert 65_536 * 256 < workbooks._MOST_CELLS
    with pytest.raises(ValueError, match="^cut.xls: this workbook is damaged"):
        workbooks.read_workbook("cut.xls", content[:700])
    monkeypatch.setattr(workbooks, "_MOST_BYTES_OF_XLS", 5_000)
    with pytest.raises(ValueError, match="old kind of more than 5,000 bytes is not"):
        workbooks.read_workbook("b.xls", content)


def test_a_damaged_workbook_is_one_sentence():
    content = book_of(ROWS)
    for damaged in content[:500], with_parts(content, **{SHEET: "<worksheet><sheetD"}):
        with pytest.raises(ValueError, match="^bad.xlsx: "):
            workbooks.read_workbook("bad.xlsx", damaged)


def test_a_sheet_is_chosen(place, capsys):
    with pd.ExcelWriter("two.xlsx") as writer:
        pd.DataFrame().to_excel(writer, sheet_name="Notes", index=False)
        for name, values in {"One": ["x", "y"], "Two": ["p", "q"]}.items():
            frame = pd.DataFrame({"v": values * 9})
            frame.to_excel(writer, sheet_name=name, index=False)
    status, out, err = run(capsys, "cluster", "two.xlsx", "-k", 2)
    assert (status, "v=x" in out) == (0, True)
    assert "sheet 'One' of 3 (--sheet takes another)" in err
    out = run(capsys, "cluster", "two.xlsx", "-k", 2, "--sheet", "Two")[1]
    assert "v=p" in out
    status, _, err = run(capsys, "cluster", "two.xlsx", "--sheet", "Too")
    assert (status, "did you mean 'Two'" in err) == (2, True)


def test_equal_weights_would_not_find_the_customers():
    "What the learnt weights are for."
    table, groups = customers()
    shop = table.drop(columns=["customer_id", "signup"]).replace(-99, 40)
    shop["monthly_spend"] = shop.monthly_spend.str[2:].astype(float)
    numbers = ["age", "monthly_spend", "tenure_months"]
    shop[numbers] = shop[numbers].astype(float)
    equal = fitting._equal_weights(shop, numbers)
    assert set(equal) == set(shop)
    found = fitting._weights_within(shop, numbers, groups)
    share = {name: found[name] / equal[name] for name in shop}
    assert min(share["monthly_spend"], share["plan"]) > 2 * max(
        share[name] for name in ("age", "tenure_months", "country", "churned")
    )
