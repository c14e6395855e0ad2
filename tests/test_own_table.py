"""The commands for one's own table: what they read and write, and that they agree with
Python.
"""

import gzip
import io
import itertools
import re
import sys
import zipfile
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from kmodes_study import KModes, KPrototypes
from kmodes_study.command.reading import read_own_table
from kmodes_study.describe import cluster_profiles, describe_clusters, k_scan
from kmodes_study.family import FuzzyKModes, LatentClasses
from kmodes_study.measures import adjusted_rand_score

from commands import refused, run

RNG = np.random.RandomState(0)
GROUPS = np.repeat([0, 1, 2], 20)
TABLE = pd.DataFrame(
    {
        f"c{j}": np.where(
            RNG.rand(60) < 0.8, np.array(["red", "grün", 'b,l"ue'])[GROUPS], "none"
        )
        for j in range(5)
    }
)
NAMED = TABLE.assign(who=[f"R{i}" for i in range(60)])
MODEL = KModes(3, random_state=0).fit(TABLE)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    NAMED.to_csv("t.csv", index=False)
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


# ------------------------------------------------------------- reading


def write_in_all_ways(place):
    NAMED.to_csv("t.tsv", index=False, sep="\t")
    NAMED.to_csv("semi.csv", index=False, sep=";", encoding="utf-8-sig")
    NAMED.to_csv("cp.csv", index=False, encoding="cp1252")
    NAMED.to_csv("u16.csv", index=False, encoding="utf-16")
    NAMED.to_parquet("t.parquet")
    NAMED.to_excel("t.xlsx", index=False, startrow=2)
    (place / "t.csv.gz").write_bytes(gzip.compress((place / "t.csv").read_bytes()))
    (place / "sep.csv").write_text("sep=|\n" + NAMED.to_csv(index=False, sep="|"))


@pytest.mark.parametrize(
    "file",
    "t.csv t.tsv semi.csv cp.csv u16.csv sep.csv t.parquet t.xlsx t.csv.gz -".split(),
)
def test_the_labels_are_those_of_the_estimator(place, capsys, monkeypatch, file):
    write_in_all_ways(place)
    content = io.BytesIO((place / "t.csv").read_bytes())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=content))
    words = "-k", 3, "--id-column", "who", "--profiles", "p.csv"
    out, labels = clustered(capsys, file, *words)
    assert describe_clusters(TABLE, MODEL.labels_) in out
    assert f"cost {MODEL.cost_}:" in out
    assert pd.read_csv("labels.csv").who.tolist() == NAMED.who.tolist()
    assert (labels == MODEL.labels_).all()
    expected = cluster_profiles(TABLE, MODEL.labels_)
    assert (pd.read_csv("p.csv")["count"] == expected["count"]).all()


def test_an_encoding_may_be_said(place, capsys):
    NAMED.to_csv("cp.csv", index=False, encoding="cp1252")
    assert "read as cp1252" in run(capsys, "cluster", "cp.csv", "-k", 2)[2]
    assert run(capsys, "cluster", "cp.csv", "-k", 2, "--encoding", "cp1252")[2] == ""
    refused(capsys, "--encoding", "cluster", "cp.csv", "--encoding", "utf-8")
    refused(capsys, "unknown encoding", "cluster", "cp.csv", "--encoding", "utf-9")


@pytest.mark.parametrize(
    "contains, content",
    [
        ("Expected 2 fields in line 3, saw 3", b"a,b\n1,2\n1,2,3\n"),
        ("Expected 2 fields in line 2, saw 3", b"a,b\n1,2,\n1,2,\n"),
        ("EOF inside string", b'a,b\n1,2\n1,"2\n1,2\n'),
        ("names 'a' more than once", b"a,b,a,a\n1,2,3,4\n"),
        ("No columns", b"\n"),
        ("has no rows", b"a,b\n"),
        ("this is no text", b"\xfd7zXZ\0" + bytes(range(256))),
        ("t: ", b"PK\x03\x04" + bytes(50)),
        ("t: ", b"\x1f\x8b" + bytes(50)),
    ],
)
def test_what_is_no_table_is_one_line(place, capsys, contains, content):
    (place / "t").write_bytes(content)
    refused(capsys, contains, "cluster", "t", "-k", 2)


def test_other_files_that_are_no_tables(place, capsys):
    NAMED.to_parquet("t.parquet")
    (place / "bad.parquet").write_bytes((place / "t.parquet").read_bytes()[:200])
    refused(capsys, "bad.parquet", "cluster", "bad.parquet")
    refused(capsys, "slip.csv", "cluster", "slip.csv")
    refused(capsys, "'c9'; there are c0, c1", "cluster", "t.csv", "--drop", "c9")
    refused(capsys, "'c9'", "cluster", "t.csv", "--numeric", "c9")
    asked = "choose", "t.csv", "--columns", "c0", "--drop", "c0"
    refused(capsys, "no column is left", *asked)
    refused(capsys, "'no'", "profile", "t.csv", "--by", "no")


def test_a_first_line_that_is_a_row_is_told_and_kept(place, capsys):
    votes = pd.DataFrame(np.random.RandomState(0).choice(list("yn?"), (40, 6)))
    votes.insert(0, "party", ["republican", "democrat"] * 20)
    votes.to_csv("votes.data", header=False, index=False)
    choose = "choose", "--most", 3, "--resamples", 1
    for command in ["cluster", "-k", 2], choose, ["profile", "--by", "c2"]:
        asked = command[0], "votes.data", *command[1:]
        refused(capsys, "--no-header", *asked, "--header")
        status, seen, err = run(capsys, *asked)
        assert status == 0
        assert "is read as a row" in err
        assert seen == run(capsys, *asked, "--no-header")[1]
    # a name that is asked for makes the line one of names
    refused(capsys, "--no-header", "profile", "votes.data", "--by", "n")


@pytest.mark.parametrize(
    "first, suspicious",
    [
        ("vhigh,small,2", True),
        ("5.1,3.5,4", True),
        ("buying,size,2", False),
        ("2019,2020,2021", False),
        ("0,1,2", False),
        ("price,size,doors", False),
        ("vhigh,size,doors", False),
    ],
)
def test_a_first_line_like_a_row_is_a_warning(place, capsys, first, suspicious):
    rows = {"v": "vhigh,small,2\nlow,big,4\nvhigh,big,2\nlow,small,4\n"}.get(
        first[0], "1,2,3\n2,3,4\n5.5,1,2\n6,2,1\n"
    )
    if first[0] in "bp":
        rows = "vhigh,small,2\nlow,big,4\nvhigh,big,2\n"
    (place / "r.csv").write_text(first + "\n" + rows)
    status, _, err = run(capsys, "cluster", "r.csv", "-k", 2, "--no-diagnosis")
    assert status == 0
    assert ("--no-header" in err) == suspicious
    assert len(err.splitlines()) == suspicious


def test_columns_without_names_get_some_and_empty_ones_are_left_out(place):
    (place / "index.csv").write_text(",a,\n0,x,\n1,y,\n2,x,\n")
    assert list(read_own_table("index.csv").cells) == ["c1", "a"]


def test_a_workbook_is_read_as_text(place, capsys):
    table = pd.DataFrame(
        {
            "n": [1.0, 2.5],
            "day": [pd.Timestamp(2026, 3, 1), pd.Timestamp(2026, 3, 2, 10)],
            "yes": [True, False],
            "gap": ["x", None],
            "empty": [None, None],
        }
    )
    with pd.ExcelWriter("b.xlsx") as book:
        pd.DataFrame().to_excel(book, sheet_name="Notes", index=False)
        table.to_excel(book, sheet_name="One", index=False, startrow=2, startcol=1)
        table[::-1].to_excel(book, sheet_name="Two", index=False)
        book.sheets["One"]["B1"] = "a title"
    cells = read_own_table("b.xlsx").cells
    assert cells.iloc[0, :4].tolist() == ["1", "2026-03-01", "TRUE", "x"]
    assert cells.iloc[1, :3].tolist() == ["2.5", "2026-03-02 10:00:00", "FALSE"]
    assert cells.gap.isna().tolist() == [False, True]
    assert list(cells) == ["n", "day", "yes", "gap", "empty"]
    err = capsys.readouterr().err
    assert "sheet 'One' of 3" in err
    assert "1 lines above the table" in err
    assert read_own_table("b.xlsx", sheet="Two").cells.n.tolist() == ["2.5", "1"]
    refused(capsys, "Too", "cluster", "b.xlsx", "--sheet", "Too")


def test_a_workbook_that_no_memory_holds_is_refused(place, capsys):
    NAMED.to_excel("t.xlsx", index=False)
    for place in b"XFD0001048576", b"A4294967295", b"ZZZZZZZ9", b"zzz99999", b"AB61":
        with zipfile.ZipFile("t.xlsx") as book, zipfile.ZipFile("o.xlsx", "w") as odd:
            for part in book.namelist():
                odd.writestr(
                    part, book.read(part).replace(b'r="F61"', b'r="%b"' % place)
                )
        if len(place) > 4:
            refused(capsys, "o.xlsx: the workbook says", "cluster", "o.xlsx")
    assert run(capsys, "cluster", "o.xlsx", "-k", 2)[0] == 0
    with zipfile.ZipFile("o.ods", "w") as odd:
        odd.writestr("content.xml", '<text:s text:c="999999999"/>')
    refused(capsys, "o.ods: the workbook says", "cluster", "o.ods")


def answers(n=120):
    "What guests say, whose groups are in four boxes and in what they think of the food."
    rng = np.random.RandomState(8)
    groups = rng.randint(2, size=n)
    ticked = (
        rng.rand(n, 4) < np.array([[0.9, 0.8, 0.1, 0.1], [0.1, 0.2, 0.9, 0.9]])[groups]
    )
    boxes = np.where(ticked, ["pool", "sauna", "bikes", "boats"], "")
    food = np.where(rng.rand(n) < 0.9, np.array(["Good", "Poor"])[groups], "Fair")
    return groups, [[f"R{i}", *row, f] for i, (row, f) in enumerate(zip(boxes, food))]


HEADS = {
    "Q1_1: Used - 1": [  # as Qualtrics writes them
        ["ResponseId", "Q1_1", "Q1_2", "Q1_3", "Q1_4", "Q2"],
        ["Response ID", "Used - 1", "Used - 2", "Used - 3", "Used - 4", "The food?"],
        [f'{{"ImportId":"QID{j}"}}' for j in range(6)],
    ],
    "What did you use?: pool": [  # as SurveyMonkey does
        ["Guest", "What did you use?", "", "", "", "The food?"],
        ["", "pool", "sauna", "bikes", "boats", "Response"],
    ],
    "Used: a: v": [
        ["Guest", "Used", "", "", "", "Food"],
        ["", *"abcd", ""],
        [*"uvwxyz"],
    ],
}


@pytest.mark.parametrize("name", HEADS)
def test_lines_of_names_and_of_totals_are_no_guests(place, capsys, name):
    groups, rows = answers()
    foot = [["Total", "60", "", "", "", ""], ["Average", "1", "", "", "", "Good"]]
    lines = [*HEADS[name], *rows, *foot]
    pd.DataFrame(lines).to_csv("export.csv", header=False, index=False)
    options = ["--header-rows", "3"] if name == "Used: a: v" else []
    words = "export.csv", "-o", "labels.csv", "--save", "m.json", *options
    status, out, err = run(capsys, "cluster", *words)
    assert status == 0
    assert f"the first {len(HEADS[name])} lines are read as names" in err
    assert "2 lines of totals at the end are left out" in err
    labels = pd.read_csv("labels.csv")
    assert labels.row.tolist() == list(range(1, 121))
    assert adjusted_rand_score(groups, labels.cluster) > 0.8
    boxes = line(out, f"check boxes: {name}")
    assert boxes.endswith(f"else --drop '{name}'")
    assert boxes.lower().count("use") == 5  # the question stands before each option
    again = run(capsys, "predict", "m.json", "export.csv", *options)[1]
    assert pd.read_csv(io.StringIO(again)).equals(labels)


@pytest.mark.parametrize("mark", ["; ", ", ", "|", "\n"])
def test_an_option_keeps_its_own_comma(place, capsys, mark):
    own = {"pool": "pool, indoors", "boats": "boats (canoe, kayak)"}
    groups, rows = answers()
    cells = [mark.join(own.get(x, x) for x in row[1:5] if x) for row in rows]
    food = [row[5] for row in rows]
    pd.DataFrame({"used": cells, "food": food}).to_csv("forms.csv", index=False)
    out, labels = clustered(capsys, "forms.csv", "--save", "m.json")
    assert "so 4 columns of yes and no" in line(out, "several answers in a cell: used")
    assert "used: pool, indoors=" in out
    assert adjusted_rand_score(groups[labels.notna()], labels.dropna()) > 0.8
    # new rows in which nobody has ticked more than one box
    new = pd.DataFrame({"used": [own["pool"], "bikes"], "food": ["Good", "Poor"]})
    new.to_csv("new.csv", index=False)
    told = run(capsys, "predict", "m.json", "new.csv")[1]
    first, second = pd.read_csv(io.StringIO(told)).cluster
    assert first == labels[groups == 0].mode()[0] != second
    # names with a comma are no lists
    towns = pd.DataFrame({"town": ["Ulm, DE", "Lyon, FR", "Nice, FR"] * 20})
    towns.assign(food=food[:60]).to_csv("towns.csv", index=False)
    assert "several" not in run(capsys, "cluster", "towns.csv")[1]


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
    assert float(out.partition("Rand index ")[2][:4]) > 0.5


# ------------------------------------------------------------- cluster and predict


def test_several_columns_name_the_rows(place, capsys):
    NAMED.assign(town="X").to_csv("two.csv", index=False)
    ids = "--id-column", "town", "--id-column", "who"
    words = "-k", 3, *ids, "-o", "l.tsv", "--save", "m.json"
    assert run(capsys, "cluster", "two.csv", *words)[0] == 0
    labels = pd.read_csv("l.tsv", sep="\t")
    assert list(labels) == ["town", "who", "cluster"]
    assert (labels.cluster == MODEL.labels_).all()
    out = run(capsys, "predict", "m.json", "two.csv", *ids)[1]
    assert pd.read_csv(io.StringIO(out)).equals(labels)
    TABLE.rename(columns=dict(c0="cluster")).to_csv("own.csv", index=False)
    asked = "cluster", "own.csv", "-k", 2, "--id-column", "cluster"
    refused(capsys, "--id-column cluster", *asked)


def test_new_rows_are_labelled_and_other_columns_left_aside(place, capsys):
    words = "-k", 3, "--columns", "c1", "c0", "--save", "m.json"
    assert run(capsys, "cluster", "t.csv", *words)[0] == 0
    status, out, err = run(capsys, "predict", "m.json", "t.csv", "--id-column", "who")
    expected = KModes(3, random_state=0).fit(TABLE[["c1", "c0"]]).labels_
    assert (status, err) == (0, "")
    assert (pd.read_csv(io.StringIO(out)).cluster == expected).all()
    TABLE.replace("red", "new").to_csv("new.csv", index=False)
    refused(capsys, "handle_unknown", "predict", "m.json", "new.csv")
    words = "new.csv", "--unknown", "ignore", "-o", "l.csv"
    assert run(capsys, "predict", "m.json", *words)[0] == 0
    NAMED.assign(c0=None).to_csv("gaps.csv", index=False)
    refused(capsys, "missing", "predict", "m.json", "gaps.csv")
    refused(capsys, "t.csv", "predict", "t.csv", "t.csv")
    # a word for a gap that the model knows stays a word
    (place / "na.csv").write_text("a,b\n" + "x,p\n" * 30 + "NA,p\n" * 20)
    words = "-k", 2, "--no-diagnosis", "--missing", "ignore", "--save", "na.json"
    labels = clustered(capsys, "na.csv", *words)[1]
    out = run(capsys, "predict", "na.json", "na.csv")[1]
    assert pd.read_csv(io.StringIO(out)).cluster.tolist() == labels.tolist()


@pytest.mark.parametrize("kind", [KPrototypes, FuzzyKModes, LatentClasses])
def test_a_model_of_another_class_predicts_too(place, capsys, kind):
    X = NAMED[["c0", "c1"]]
    if kind is KPrototypes:
        X = X.assign(size=np.arange(len(X)) % 7 / 4)
    model = kind(3, random_state=0).fit(X)
    model.save("m.json")
    X.assign(more="left aside").to_csv("more.csv", index=False)
    status, out, err = run(capsys, "predict", "m.json", "more.csv")
    assert (status, err) == (0, "")
    assert pd.read_csv(io.StringIO(out)).cluster.tolist() == model.labels_.tolist()
    X[["c1"]].to_csv("few.csv", index=False)
    refused(capsys, "no column 'c0'", "predict", "m.json", "few.csv")
    if kind is KPrototypes:
        X.assign(size="heavy").to_csv("words.csv", index=False)
        refused(capsys, "'size'", "predict", "m.json", "words.csv")


def test_names_of_clusters_from_the_first_table_to_new_rows(place, capsys):
    names = "often $1", "<rarely>", "never"
    words = "-k", 3, "--names", *names, "--save", "m.json", "--report", "page.html"
    out, labels = clustered(capsys, "t.csv", *words)
    assert set(labels) == {*names}
    assert all(f"\n{name} (" in out for name in names)
    page = (place / "page.html").read_text()
    assert "&lt;rarely&gt;" in page
    assert "<rarely>" not in page
    asked = "predict", "m.json", "t.csv", "--names"
    status, told, err = run(capsys, *asked, *names)
    assert (status, err) == (0, "")
    assert (pd.read_csv(io.StringIO(told)).cluster == labels).all()
    refused(capsys, "names must be 3", *asked, "one")
    words = "cluster", "t.csv", "-k", 3, "--names", "one"
    refused(capsys, "names must be 3", *words, decided=True)


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
    refused(capsys, "'who'", "cluster", "t.csv", "--weight", "who")
    table.assign(w=-1).to_csv("less.csv", index=False)
    words = "cluster", "less.csv", "--weight", "w"
    refused(capsys, "sample_weight", *words, decided=True)


@pytest.mark.parametrize("n", [None, RNG.rand(60)])
def test_a_number_of_clusters_is_looked_for_with_weights(place, capsys, n):
    table = TABLE if n is None else TABLE.assign(n=n)
    often = np.where(GROUPS == 2, 0, 2)
    table.assign(w=often).to_csv("weighed.csv", index=False)
    table.loc[table.index.repeat(often)].to_csv("long.csv", index=False)
    for command, begin in ("cluster", "clusters:"), ("choose", "cluster takes"):
        told = line(run(capsys, command, "weighed.csv", "--weight", "w")[1], begin)
        assert told == line(run(capsys, command, "long.csv")[1], begin)
        assert told != line(
            run(capsys, command, "weighed.csv", "--drop", "w")[1], begin
        )


def test_what_the_user_says_goes_before_what_is_found(place, capsys):
    rng = np.random.RandomState(1)
    table = pd.DataFrame(
        {
            "who": np.arange(10001, 10061),
            "signup": pd.date_range("2020-01-01", periods=60).strftime("%d.%m.%Y"),
            "age": rng.randint(18, 80, 60),
            "spend": rng.rand(60).round(3),
            "city": rng.choice(["DE", "FR"], 60),
            "churned": rng.randint(0, 2, 60),
        }
    )
    table.to_csv("shop.csv", index=False)
    out, _ = clustered(capsys, "shop.csv", "-k", 2)
    assert "left out: who (identifier" in out
    assert "left out: signup (date" in out
    assert "else --id-column who" in line(out, "rows:")
    out, _ = clustered(
        capsys,
        *("shop.csv", "-k", 2, "--drop", "city", "--id-column", "who"),
        *("--numeric", "signup", "--categorical", "age", "--ordinal", "churned"),
        *("--n-init", 2),
    )
    assert "\nleft out" not in f"\n{out}"
    assert line(out, "numbers:").startswith("numbers: signup, spend (signup: as")
    assert line(out, "scales:").startswith("scales: churned")
    assert line(out, "categories:").startswith("categories: age (")
    assert list(pd.read_csv("labels.csv")) == ["who", "cluster"]


def test_lines_can_be_copied_where_names_are_odd(place, capsys):
    odd = {"Start date": [f"{i} May" for i in range(60)], "-same": "x", "it's": "y"}
    NAMED.assign(**odd).to_csv("odd.csv", index=False)
    out, _ = clustered(capsys, "odd.csv", "-k", 3)
    assert "left out: -same, it's (constant" in out
    found = line(out, "left out: who, Start date (identifier")
    assert found.endswith("else --categorical who")
    again = "--categorical", "Start date", "--drop=-same", "--drop", "it's"
    assert "left out: who (" in clustered(capsys, "odd.csv", "-k", 3, *again)[0]


def test_what_spoils_the_clusters_is_left_out_or_warned_of(place, capsys):
    flawed = NAMED.assign(same="x", c0=TABLE.c0.replace("none", "?"))
    flawed.to_csv("f.csv", index=False)
    status, out, err = run(capsys, "cluster", "f.csv", "-k", 3)
    assert (status, err) == (0, "")
    gaps = f"gaps: {(flawed.c0 == '?').sum()} cells, '?' among them, in c0 (left out"
    for words in "left out: who (identifier", "left out: same (constant", gaps:
        assert words in out
    # what the user says goes before what is found, and then there is a warning
    _, out, err = run(capsys, "cluster", "f.csv", "-k", 3, "--missing", "category")
    assert err.count("warning") == 1
    assert "c0: placeholder, '?'" in err
    assert "gaps" not in out
    asked = "cluster", "f.csv", "-k", 3, "--no-diagnosis"
    assert run(capsys, *asked)[2] == ""
    refused(capsys, "missing='ignore'", *asked, "--na", "?")


def test_rows_without_a_value_are_in_no_cluster(place, capsys):
    table = pd.DataFrame([["a", "x"], ["b", "y"]] * 20, columns=["p", "q"])
    table.loc[7] = None
    table.to_csv("t.csv", index=False)
    out, labels = clustered(capsys, "t.csv", "-k", 2, "--names", "one", "two")
    assert "left out: 1 row without any value" in out
    assert labels.isna().tolist() == [i == 7 for i in range(40)]


def test_what_the_estimator_warns_of_is_one_line(place, capsys):
    (place / "two.csv").write_text("a,b\nx,y\nx,y\nx,z\n")
    status, _, err = run(capsys, "cluster", "two.csv", "-k", 3, "--no-diagnosis")
    assert status == 0
    assert "2 distinct rows" in err
    assert len(err.splitlines()) == 1


def test_a_page_that_cannot_be_made_takes_no_labels_with_it(place, capsys, monkeypatch):
    def no_page(*given, **facts):
        raise ValueError("there is no page")

    monkeypatch.setattr("kmodes_study.describe.page.clusters_page", no_page)
    words = "cluster", "t.csv", "-o", "l.csv", "--save", "m.json", "--report", "p.html"
    status, out, err = run(capsys, *words)
    assert (status, err) == (2, "kmodes-study: there is no page\n")
    assert len(pd.read_csv("l.csv")) == 60
    assert (place / "m.json").exists()
    assert out.index("categories: ") < out.index("3 clusters of 60 rows")
    assert "lift" in out


def test_long_work_shows_the_time_left_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    clock = itertools.count(step=2)
    monkeypatch.setattr("tqdm.std.time", lambda: next(clock))
    few = dict(max_swaps=0, n_references=1, n_splits=1, n_resamples=2, random_state=0)
    for stream, pattern in (
        (Terminal(), r"again\?:.*\d:\d\d<\d"),
        (io.StringIO(), "$"),
    ):
        monkeypatch.setattr(sys, "stderr", stream)
        k_scan(TABLE, [1, 2, 3], **few)
        assert re.search(pattern, stream.getvalue())
    assert stream.getvalue() == ""


# ------------------------------------------------------------- choose and profile


@pytest.mark.parametrize("command", ["cluster", "choose"])
def test_numbers_of_clusters_are_tried_as_far_as_rows_differ(place, capsys, command):
    rows = "a,b\nx,p\nx,p\nx,\n,p\ny,q\ny,q\ny,\nz,r\n"
    (place / "few.csv").write_text(rows)
    status, out, err = run(capsys, command, "few.csv")
    assert (status, err) == (0, "")
    assert re.search(
        r"\b1 cluster of 8 rows" if command == "cluster" else r"\n +3 +0", out
    )


def test_a_scan_names_three_clusters(place, capsys):
    words = "--most", 4, "--resamples", 0, "-o", "s.csv"
    status, out, err = run(capsys, "choose", "t.csv", *words)
    assert (status, err) == (0, "")
    assert re.search("3 clusters by .*silhouette", out)
    votes = np.array(re.findall(r"by (\d+) of (\d+): ", out), int)
    assert (votes[:, 1] == votes[:, 0].sum()).all()  # some have no choice
    assert "left out: who (identifier" in out
    assert pd.read_csv("s.csv").n_clusters.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "name, begins",
    [("s.svg", b"<?xml"), ("s.pdf", b"%PDF"), ("s.PNG", b"\x89PNG"), ("s", b"\x89PNG")],
)
def test_a_picture_is_what_its_name_says(place, capsys, name, begins):
    asked = "choose", "t.csv", "--drop", "who", "--most", 2, "--resamples", 0
    assert run(capsys, *asked, "--picture", name)[0] == 0
    assert (place / name).read_bytes().startswith(begins)


def test_groups_that_are_there_already(place, capsys):
    TABLE.assign(group=GROUPS).to_csv("g.csv", index=False)
    status, out, _ = run(capsys, "profile", "g.csv", "--by", "group")
    assert status == 0
    assert describe_clusters(TABLE, GROUPS) in out
    assert "3 groups of 60 rows, described by 5 columns" in out
    run(capsys, "cluster", "t.csv", "-k", 3, "--id-column", "who", "-o", "l.csv")
    asked = "profile", "t.csv", "--id-column", "who", "--labels"
    assert describe_clusters(TABLE, MODEL.labels_) in run(capsys, *asked, "l.csv")[1]
    (place / "short.csv").write_text("0\n" * 60)
    refused(capsys, "59 labels for the 60 rows of t.csv", *asked, "short.csv")


# ------------------------------------------------------------- compare


def labels_file(name, ids, labels):
    pd.DataFrame({"who": ids, "cluster": labels}).to_csv(name, index=False)


def test_compare_finds_the_same_clusters_under_other_numbers(place, capsys):
    labels_file("a.csv", list("uvwxyz"), [0, 0, 1, 1, 2, 2])
    labels_file("b.csv", list("zyxwvu"), [0, 0, 2, 2, 1, 1])
    status, out, _ = run(capsys, "compare", "a.csv", "b.csv")
    assert status == 0
    assert "adjusted Rand index 1.000, adjusted mutual information 1.000" in out
    assert "0 became 1" in out
    assert "0 of 6 rows moved" in out


def test_compare_names_the_rows_that_moved(place, capsys):
    labels_file("a.csv", list("uvwxyz"), ["n"] * 3 + ["s"] * 3)
    labels_file("b.csv", list("uvwxyzq"), [0, 0, 1, 1, 1, 1, 2])
    _, out, _ = run(capsys, "compare", "a.csv", "b.csv", "-o", "moved.csv")
    assert "6 rows are in both, 0 only in a.csv, 1 only in b.csv" in out
    assert "1 of 6 rows moved" in out
    moved = pd.read_csv("moved.csv").to_dict("records")
    assert moved == [{"who": "w", "before": "n", "after": 1, "expected": 0}]
    _, out, err = run(capsys, "compare", "a.csv", "b.csv", "-o", "-")
    assert out.splitlines()[0] == "who,before,after,expected"
    assert "became" in err


def test_compare_refuses_what_cannot_be_compared(place, capsys):
    labels_file("a.csv", list("uvw"), [0, 0, 1])
    labels_file("twice.csv", list("uuw"), [0, 0, 1])
    labels_file("other.csv", list("xyz"), [0, 0, 1])
    labels_file("hole.csv", list("uvw"), [0, None, 1])
    pd.DataFrame({"cluster": [0, 1]}).to_csv("short.csv", index=False)
    for other in "other.csv", "hole.csv", "short.csv", "none.csv":
        refused(capsys, other, "compare", "a.csv", other)
    refused(capsys, "not unique", "compare", "a.csv", "twice.csv")
