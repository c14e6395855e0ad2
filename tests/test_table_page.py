"""The page for others: its parts, that it asks for nothing, that nothing harms it; and
the tables that are written.
"""

import html
import io
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from seaborn.utils import relative_luminance

from kmodes_study.command.own_table import table_content
from kmodes_study.describe import auto, cluster_table, maps, page
from kmodes_study.describe.auto import TableClusters, TablePlan
from kmodes_study.measures import adjusted_rand_score, silhouette_score
from kmodes_study.study import save_table

from commands import run

pytestmark = pytest.mark.usefixtures("few_swaps")
HOSTILE = ["<script>alert(1)</script>", "$x_2^{$", "=1+1", "\x00\x1b[31m", "a" * 10_000]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def mixed_table(n=90):
    rng = np.random.RandomState(0)
    groups = np.repeat([0, 1, 2], n // 3)
    levels = ["no", "perhaps", "yes"]
    return pd.DataFrame(
        {
            "spend": np.array([10.0, 50, 90])[groups] + rng.normal(0, 3, n),
            "scale": pd.Categorical.from_codes(groups, levels, ordered=True),
            "plan": np.array(["basic", "plus", "pro"])[groups],
        }
    ), groups


class Whole(HTMLParser):
    "A page whose elements are all closed."

    EMPTY = {"meta", "img", "br", "path", "rect", "link"}

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("li", "td", "th", "p", "dd", "dt"):
            while self.open[-1] in ("li", "td", "th", "p") and self.open[-1] != tag:
                self.open.pop()
        assert self.open.pop() == tag


def test_the_page_has_all_parts_and_asks_for_nothing(place):
    table, _ = mixed_table()
    found = cluster_table(table, 3)
    found.report("page.html", title="guests.csv", seed=0)
    text = (place / "page.html").read_text(encoding="utf-8")
    seen = Whole(text).seen
    for head in (
        "How many rows",
        "In words",
        "What tells the clusters apart",
        "A map",
        "How real are they?",
        "How many clusters",
        "What was decided",
        "Which columns matter",
    ):
        assert f"<h2>{head}</h2>" in text
    assert "numbers: spend (spend: " in text
    assert all(html.escape(line) in text for line in found.words.splitlines())
    assert not {"script", "link"} & set(seen)
    assert not re.search(r"(src|href)=\"(?!data:)|url\(|http", text)
    # a box for all rows and for each cluster, a bar for each of two columns of names
    assert text.count('class="box"') == 4
    assert text.count('class="bar"') == 8
    assert text.count("h0") >= len(table)


def test_hostile_names_harm_no_page_and_no_picture(place):
    rng = np.random.RandomState(0)
    cells = rng.choice(np.array(HOSTILE, object), (80, 5))
    table = pd.DataFrame(cells, columns=HOSTILE)
    found = cluster_table(table, 2, look=False, names=HOSTILE[:2])
    text = found.page(title=HOSTILE[0])
    seen = Whole(text).seen
    assert "script" not in seen
    assert seen.count("img") == 1
    assert not re.search("[\x00\x1b]|a{100}", text)


def test_shares_on_the_page_are_those_of_the_table():
    table, _ = mixed_table()
    table["plan"] = np.where(np.arange(90) % 10 == 0, "pro", table.plan)
    found = cluster_table(table[["scale", "plan"]], 3)
    text = found.page()
    part = text[text.index("<h3>plan") :]
    bars = re.findall(r'aria-label="([^"]*)"', part)[:4]
    expected = [table.plan, *(table.plan[found.labels == k] for k in range(3))]
    for bar, column in zip(bars, expected, strict=True):
        for name, share in column.value_counts(normalize=True).items():
            assert f"{name} {share:.0%}" in bar


def test_large_tables_are_judged_by_drawn_rows_and_that_is_said(monkeypatch):
    monkeypatch.setattr(page, "_JUDGED", 40)
    monkeypatch.setattr(page, "_MAPPED", 30)
    text = cluster_table(mixed_table()[0], 3).page()
    assert "40 of the 90 rows, drawn at random" in text
    assert "30 of the 90 rows, drawn at random" in text


@pytest.mark.parametrize("labels", [["one"] * 6, list(range(6)), ["a", "b"] * 3])
def test_groups_without_a_model_have_a_page(labels):
    table = pd.DataFrame({"x": list("aabbcc"), "n": [1.5, 2, 3, np.nan, 5, 6]})
    text = TableClusters(TablePlan(table), labels).page()
    assert "there is no model of these groups" in text
    assert "The groups were given" in text
    Whole(text)


def test_a_cluster_of_two_rows_has_a_page():
    table = pd.DataFrame({"a": ["x"] * 60 + ["y"] * 60 + ["z"] * 2})
    table["b"] = table.a
    Whole(cluster_table(table, 3).page())


def test_the_page_shows_silhouettes_with_gaps_and_what_chose_the_number():
    table, groups = mixed_table()
    table.loc[::7, "spend"] = np.nan
    found = cluster_table(table)
    text = found.page()
    expected = silhouette_score(
        found.cells, groups, missing="ignore", categorical_features=["scale", "plan"]
    )
    assert adjusted_rand_score(found.labels, groups) == 1
    assert f"The mean silhouette of all rows is {expected:.2f}" in text
    assert "<p>Clusters: 3, by the shortest code length" in text
    assert "The criteria for each number of clusters" in text
    assert "3 clusters by 2 of 2: code length, stability" in text
    one = cluster_table(table, 1).page()
    assert "one cluster always does" in one
    assert "Which columns matter" not in one


def test_a_scan_has_a_page(place, capsys):
    mixed_table()[0].to_csv("t.csv", index=False)
    asked = "choose", "t.csv", "--most", 3, "--resamples", 1, "--report", "page.html"
    assert run(capsys, *asked)[0] == 0
    text = (place / "page.html").read_text(encoding="utf-8")
    assert "How many clusters in t.csv?" in text
    assert Whole(text).seen.count("img") == 1
    assert "clusters by" in text


def test_bars_hold_the_whole_and_what_is_rare_is_one_part():
    column = pd.Series([f"v{i}" for i in range(20)] * 2)
    parts = page._bars(column, np.arange(40) // 20, np.ones(40), False)["parts"]
    assert len(parts) == 8
    assert parts[-1]["label"] == "13 others"
    assert sum(part["shares"] for part in parts) == pytest.approx([1, 1, 1])
    column = pd.Series(["a", "b", None, "c"] * 2)
    parts = page._bars(column, np.arange(8) // 4, np.ones(8), True)["parts"]
    assert [part["label"] for part in parts] == ["a", "b", "c", "missing"]


def test_letters_can_be_read_on_each_colour():
    categories = [f"v{i}" for i in range(8)]
    for column in categories, pd.Categorical(categories[:5] * 2, ordered=True):
        ordered = len(column) > 8
        given = np.arange(len(column)) % 2, np.ones(len(column))
        figure = page._bars(pd.Series(column), *given, ordered)
        for part in figure["parts"]:
            pair = [relative_luminance(part[name]) for name in ("colour", "ink")]
            assert (max(pair) + 0.05) / (min(pair) + 0.05) > 4.5


def test_maps_and_boxes_of_tables_without_spread():
    frame = pd.DataFrame({"x": ["a"] * 5, "n": [1.0] * 5})
    places = maps.places_of(frame, [False, True])
    assert (places == 0).all()
    [part] = page._map(frame, np.zeros(5, int), ["one"], [False, True])
    assert part[3].count("h0") == 5
    gaps = pd.Series([3.0, 3, np.nan])
    figure = page._boxes(gaps, np.array([0, 0, 1]), np.ones(3))
    assert figure["boxes"][0][0] == [2.0] * 5
    assert figure["boxes"][2][0] is None


@pytest.mark.parametrize("path", ["t.csv", "t.tsv", "t.xlsx", "-"])
def test_tables_that_are_written_come_back_as_they_were(path):
    frame = pd.DataFrame({"a": ["x,y", 'say "hi"', None], "n": [-1, 2.5, 0]})
    content = table_content(path, frame)
    if path.endswith("xlsx"):
        pytest.importorskip("openpyxl", reason="openpyxl, of the extra excel")
        back = pd.read_excel(io.BytesIO(content), engine="calamine")
    else:
        back = pd.read_csv(io.StringIO(content), sep="\t" if "tsv" in path else ",")
    pd.testing.assert_frame_equal(back, frame, check_dtype=False)


@pytest.mark.parametrize("path", ["t.csv", "t.xlsx"])
def test_what_a_spreadsheet_would_run_begins_with_an_apostrophe(path, tmp_path):
    cells = ["=1+1", "@x", "+1-2", "-cmd", "\ta", "-", "-5", "+3.5%", "a=b"]
    frame = pd.DataFrame({"=a": cells, "b": range(-5, 4)})
    content = table_content(path, frame)
    if path == "t.csv":
        assert save_table(frame, tmp_path / path).read_text() == content
        back = pd.read_csv(io.StringIO(content), dtype={"'=a": str})
    else:
        back = pd.read_excel(io.BytesIO(content), engine="openpyxl")
    expected = [f"'{cell}" for cell in cells[:5]] + cells[5:]
    assert back["'=a"].tolist() == expected
    assert (back.b == frame.b).all()


def test_the_tables_of_categories_are_those_of_the_clusters(place, capsys):
    table, groups = mixed_table()
    table[["plan"]].assign(group=groups).to_csv("g.csv", index=False)
    asked = "profile", "g.csv", "--by", "group", "--tables", "t.csv"
    assert run(capsys, *asked)[0] == 0
    found = pd.read_csv("t.csv")
    assert len(found) == 9
    for row in found.itertuples():
        here = table.plan[groups == row.cluster] == row.category
        assert row.share == pytest.approx(here.mean())


def test_names_are_refused_where_they_are_no_names_of_clusters():
    table, groups = mixed_table()
    for names in ["a", "b"], ["a", "a", "b"]:
        with pytest.raises(ValueError, match="names|unique"):
            auto.TableClusters(TablePlan(table), groups, names=names).words
