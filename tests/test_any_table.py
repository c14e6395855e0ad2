"""`kmodes-study cluster FILE` and nothing else: tables of ten kinds find their groups,
or get one clear sentence; and workbooks of hostile origin.
"""

import io
import re
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import openpyxl
import pandas as pd
import pytest

from kmodes_study.command import fitting
from kmodes_study.command.cli import main
from kmodes_study.measures import adjusted_rand_score
from kmodes_study.describe.kinds_of_columns import column_kinds, kind_of_column
from kmodes_study.study import workbooks

LIKERT = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *argv):
    "Status, standard output and standard error of a command."
    try:
        status = main([str(part) for part in argv])
    except SystemExit as stop:
        status = stop.code
    return status, *capsys.readouterr()


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
    assert line(out, "clusters:").startswith("clusters: 3, by the shortest code length")
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
