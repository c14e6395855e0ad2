"""What the commands write: the page for others, tables that no spreadsheet runs, names
for clusters, and the comparison of two files of labels.
"""

import io
import re
import sys
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from kmodes_study import KModes, KPrototypes
from kmodes_study.command import table_page
from kmodes_study.command.cli import main
from kmodes_study.command.page_parts import (
    box,
    ink_on,
    map_of,
    bar_parts,
    shades,
    stacked_bar,
)
from kmodes_study.command.table_page import tell_clusters, PageFacts
from kmodes_study.describe.mixed_plane import places_of
from kmodes_study.study.safe_cells import (
    guarded,
    plain_frame,
    safe_frame,
    unguarded,
    workbook_of,
)

pytest.importorskip("jinja2", reason="jinja2, of the extra study, is not installed")
pytest.importorskip("matplotlib", reason="matplotlib, of plots, is not installed")

HOSTILE = ["<script>alert(1)</script>", "$x_2^{$", "=1+1", "\x00\x1b[31m", "a" * 10_000]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(**options):
    usual = dict(
        table="guests.csv",
        report="page.html",
        profiles=None,
        tables=None,
        min_share=None,
        names=None,
        id_column=None,
        na=None,
        header=True,
        encoding="utf-8-sig",
        n_clusters=3,
        seed=0,
    )
    return SimpleNamespace(**{**usual, **options})


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
    "A page whose elements are all closed; the text in it."

    EMPTY = {"meta", "img", "br", "path", "rect", "link"}

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.words = [], [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("li", "td", "th", "p"):
            while self.open[-1] in ("li", "td", "th", "p") and self.open[-1] != tag:
                self.open.pop()
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def read_page(name="page.html"):
    text = open(name, encoding="utf-8").read()
    page = Whole()
    page.feed(text)
    assert page.open == []
    return text, page


def told_page(cells, model, **options):
    decisions = options.pop("decisions", ())
    labels = options.pop("labels", model.labels_)
    tell_clusters(
        asked(**options), "lead", cells, labels, told=PageFacts(model, decisions)
    )
    return read_page()


def test_the_page_has_all_parts_and_asks_for_nothing(place):
    table, _ = mixed_table()
    model = KPrototypes(3, random_state=0).fit(table)
    decision = "spend: a number (--categorical)"
    text, page = told_page(table, model, decisions=(decision,))
    for head in (
        "How many rows",
        "In words",
        "What tells the clusters apart",
        "A map",
        "How real are they?",
        "How the number of clusters was chosen",
        "What was decided",
        "Which columns matter",
        "The same in Python",
    ):
        assert f"<h2>{head}</h2>" in text
    assert decision in re.sub("</?code[^>]*>", "", text)
    assert "seed" in text
    assert "script" not in page.seen
    assert "link" not in page.seen
    assert not re.search(r"(src|href)=\"(?!data:)", text)
    assert "url(" not in text
    # a box for all rows and for each cluster, a bar for each of two columns of names
    assert text.count('class="box"') == 4
    assert text.count('class="bar"') == 8
    assert text.count("h0") >= len(table)


def test_hostile_names_harm_no_page_and_no_picture(place):
    rng = np.random.RandomState(0)
    cells = rng.choice(np.array(HOSTILE, object), (80, 5))
    table = pd.DataFrame(cells, columns=HOSTILE)
    model = KModes(2, random_state=0).fit(table)
    text, page = told_page(
        table, model, n_clusters=2, names=HOSTILE[:2], table=HOSTILE[0] + ".csv"
    )
    assert "script" not in page.seen
    assert page.seen.count("img") == 1
    assert "\x00" not in text
    assert "\x1b" not in text
    # names are cut, but in the lines of Python, which must be right
    shown = text[: text.index("The same in Python")]
    assert "a" * 100 not in shown


def test_the_lines_of_python_on_the_page_give_the_same_clusters(place):
    table, groups = mixed_table()
    table = table.assign(who=[f"G{i}" for i in range(90)])
    table.to_csv("guests.csv", index=False)
    cells = table[["spend", "scale", "plan"]]
    for model in KPrototypes(3, random_state=0), KModes(3, random_state=1, n_init=2):
        part = cells if isinstance(model, KPrototypes) else cells[["scale", "plan"]]
        model.fit(part)
        lines = table_page._python_lines(
            asked(id_column=["who"]), PageFacts(model), part
        )
        assert len(lines) <= 15
        space = {}
        exec("\n".join(lines), space)
        assert (space["labels"] == model.labels_).all()


def test_shares_on_the_page_are_those_of_the_table(place):
    table, groups = mixed_table()
    table["plan"] = np.where(np.arange(90) % 10 == 0, "pro", table.plan)
    model = KModes(3, random_state=0).fit(table[["scale", "plan"]])
    text, _ = told_page(table[["scale", "plan"]], model)
    part = text[text.index("<h3>plan") :]
    bars = re.findall(r'aria-label="([^"]*)"', part)[:4]
    expected = [table.plan, *(table.plan[model.labels_ == k] for k in range(3))]
    for bar, column in zip(bars, expected, strict=True):
        for name, share in column.value_counts(normalize=True).items():
            assert f"{name} {share:.0%}" in bar


def test_clusters_of_noise_do_not_come_again_and_planted_ones_do(place):
    rng = np.random.RandomState(0)
    noise = pd.DataFrame(rng.choice(list("abcd"), (200, 6)))
    noise.columns = list("uvwxyz")
    planted = noise.copy()
    for name in "uvwx":
        planted[name] = np.repeat(["a", "b"], 100)
    found = []
    for table in noise, planted:
        model = KModes(2, random_state=0).fit(table)
        sample = table_page._sample_of(table, model.labels_, 1000)
        found.append(table_page._stability_means(model, sample, 2))
    assert found[0].max() < 0.75
    assert found[1].min() > 0.95
    assert table_page._stability_means(None, sample, 2) is None


def test_large_tables_are_judged_by_drawn_rows_and_that_is_said(place, monkeypatch):
    monkeypatch.setattr(table_page, "_JUDGED", 40)
    monkeypatch.setattr(table_page, "_MAPPED", 30)
    table, _ = mixed_table()
    text, _ = told_page(table, KPrototypes(3, random_state=0).fit(table))
    assert "40 of the 90 rows, drawn at random" in text
    assert "30 of the 90 rows, drawn at random" in text


@pytest.mark.parametrize("labels", [["one"] * 6, list(range(6)), ["a", "b"] * 3])
def test_groups_without_a_model_have_a_page(place, labels):
    table = pd.DataFrame({"x": list("aabbcc"), "n": [1.5, 2, 3, np.nan, 5, 6]})
    tell_clusters(asked(n_clusters=None), "lead", table, labels)
    text, _ = read_page()
    assert "there is no model of these groups" in text
    assert "The same in Python" not in text


def test_names_stand_in_words_labels_and_page(place, capsys):
    frame = pd.DataFrame({"who": ["u", "v"]})
    content = table_page.labels_content(frame, [1, 0], "l.csv", ["North", "South"])
    assert content.content.decode() == "who,cluster\nu,South\nv,North\n"
    table, _ = mixed_table()
    model = KPrototypes(3, random_state=0).fit(table)
    text, _ = told_page(table, model, names=["One", "Two", "Three"])
    out = capsys.readouterr().out
    for name in "One", "Two", "Three":
        assert f"{name} (30 of 90 rows)" in out
        assert f">{name}</th>" in text
    with pytest.raises(ValueError, match="2 names for 3 clusters"):
        told_page(table, model, names=["One", "Two"])


@pytest.mark.parametrize(
    "text", ["=1", "+a", "-b", "@c", "\t=d", "\r@e", "'=f", "''+g", "-", "'h", "-5", ""]
)
def test_a_text_is_written_so_that_no_spreadsheet_runs_it(text):
    written = guarded(text)
    assert unguarded(written) == text
    try:
        float(text)
    except ValueError:
        assert written[:1] not in tuple("=+-@\t\r")
    else:
        assert written == text


def test_tables_that_are_written_come_back_as_they_were(place):
    frame = pd.DataFrame({"=a": HOSTILE[:3] + [None], "n": [-1, 2.5, -3, 0]})
    for path in "t.csv", "t.tsv", "t.xlsx":
        content = table_page.frame_content("-o", path, frame)
        assert content.guarded == 2
        if path.endswith("xlsx"):
            openpyxl = pytest.importorskip("openpyxl", reason="openpyxl, of excel")
            book = openpyxl.load_workbook(io.BytesIO(content.content))
            kinds = {cell.data_type for row in book.active for cell in row}
            assert "f" not in kinds
            back = pd.read_excel(io.BytesIO(content.content), engine="openpyxl")
        else:
            separator = "\t" if path.endswith("tsv") else ","
            raw = pd.read_csv(io.BytesIO(content.content), sep=separator)
            assert raw.columns[0] == "'=a"
            back = plain_frame(raw)
        pd.testing.assert_frame_equal(back, frame, check_dtype=False)
    assert safe_frame(frame)[1] == 2


def test_a_workbook_holds_hostile_names(place):
    pytest.importorskip("openpyxl", reason="openpyxl, of excel, is not installed")
    frame = pd.DataFrame({"x": [*HOSTILE, "b" * 40_000]})
    content, _ = workbook_of({name: frame for name in [*HOSTILE, "A/B", "a b"]})
    sheets = pd.read_excel(io.BytesIO(content), sheet_name=None, engine="openpyxl")
    assert len(sheets) == len({name.lower() for name in sheets}) == 7
    assert max(map(len, sheets)) <= 31
    values = next(iter(sheets.values())).x.tolist()
    assert values[:3] == HOSTILE[:3]
    assert len(values[-1]) == 32_767


def test_the_tables_of_categories_are_those_of_the_profiles(place):
    table, groups = mixed_table()
    cells = table[["plan"]]
    tell_clusters(
        asked(report=None, tables="t.csv"), "lead", cells, groups, told=PageFacts()
    )
    found = pd.read_csv("t.csv")
    assert len(found) == 9
    for row in found.itertuples():
        here = cells.plan[groups == row.cluster] == row.category
        assert row.share == pytest.approx(here.mean())


def test_bars_hold_the_whole_and_what_is_rare_is_one_part():
    shares = np.full((2, 20), 1 / 20)
    labels, parts, colours = bar_parts(list(range(20)), shares)
    assert len(labels) == len(colours) == parts.shape[1] == 8
    assert labels[-1] == "13 others"
    assert parts.sum(axis=1) == pytest.approx([1, 1])
    labels, parts, _ = bar_parts([*"abc", None], np.full((2, 4), 0.25), ordered=True)
    assert labels == ["a", "b", "c", "missing"]
    widths = re.findall(r"width:([\d.]+)%", stacked_bar(labels, parts[0], shades(4)))
    assert sum(map(float, widths)) == pytest.approx(100)


def test_letters_can_be_read_on_each_colour():
    from kmodes_study.command.page_parts import _COLOURS, _luminance

    for colour in [*_COLOURS, *shades(5)]:
        ink = 0.0 if ink_on(colour) == "#000" else 1.0
        low, high = sorted([ink, _luminance(colour)])
        assert (high + 0.05) / (low + 0.05) > 4.5


def test_maps_and_boxes_of_tables_without_spread():
    frame = pd.DataFrame({"x": ["a"] * 5, "n": [1.0] * 5})
    places = places_of(frame, [False, True])
    assert (places == 0).all()
    assert map_of(places, np.zeros(5, int), ["one"]).count("h0") == 5
    assert 'x="50.00"' in box([3.0] * 5, 3, 3)
    assert box([np.nan] * 5, 0, 1) == ""


def test_what_is_missing_for_the_page_is_said_before_the_work(
    place, capsys, monkeypatch
):
    pd.DataFrame({"a": list("ppqq")}).to_csv("t.csv", index=False)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    asked_for = ["cluster", "t.csv", "-k", "2", "--report", "r.html"]
    monkeypatch.setattr("kmodes_study.command.own_table.find_spec", lambda name: None)
    assert main(asked_for) == 2
    said = capsys.readouterr().err
    assert "jinja2" in said
    assert "kmodes_study[study]" in said


def compared(capsys, *words):
    status = main(["compare", *words])
    done = capsys.readouterr()
    return status, done.out, done.err


def labels_file(name, ids, labels, column="cluster"):
    pd.DataFrame({"who": ids, column: labels}).to_csv(name, index=False)


def test_compare_finds_the_same_clusters_under_other_numbers(place, capsys):
    labels_file("a.csv", list("uvwxyz"), [0, 0, 1, 1, 2, 2])
    labels_file("b.csv", list("zyxwvu"), [0, 0, 2, 2, 1, 1])
    status, out, _ = compared(capsys, "a.csv", "b.csv")
    assert status == 0
    assert "adjusted Rand index 1.000, adjusted mutual information 1.000" in out
    assert "0 became 1" in out
    assert "0 of 6 rows moved" in out


def test_compare_names_the_rows_that_moved(place, capsys):
    labels_file("a.csv", list("uvwxyz"), ["n"] * 3 + ["s"] * 3)
    labels_file("b.csv", list("uvwxyzq"), [0, 0, 1, 1, 1, 1, 2])
    status, out, _ = compared(capsys, "a.csv", "b.csv", "-o", "moved.csv")
    assert "6 rows are in both; 1 only in b.csv" in out
    assert "1 of 6 rows moved" in out
    moved = pd.read_csv("moved.csv")
    assert moved.to_dict("records") == [
        {"who": "w", "before": "n", "after": 1, "expected": 0}
    ]
    status, out, err = compared(capsys, "a.csv", "b.csv", "-o", "-")
    assert out.splitlines()[0] == "who,before,after,expected"
    assert "became" in err


def test_compare_refuses_what_cannot_be_compared(place, capsys):
    labels_file("a.csv", list("uvw"), [0, 0, 1])
    labels_file("twice.csv", list("uuw"), [0, 0, 1])
    labels_file("other.csv", list("xyz"), [0, 0, 1])
    labels_file("hole.csv", list("uvw"), [0, None, 1])
    pd.DataFrame({"cluster": [0, 1]}).to_csv("short.csv", index=False)
    for other, contains in (
        ("twice.csv", "the row u comes more than once"),
        ("other.csv", "have no row in common"),
        ("hole.csv", "row 2 has no label"),
        ("short.csv", "no column with names is in both"),
        ("none.csv", "none.csv"),
    ):
        status, out, err = compared(capsys, "a.csv", other)
        assert (status, out) == (2, "")
        assert contains in err
        assert len(err.splitlines()) == 1
    status, _, err = compared(capsys, "a.csv", "other.csv", "-o", "a.csv")
    assert status == 2
    assert "overwrite" in err
