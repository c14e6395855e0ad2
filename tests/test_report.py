"""The report: rendered from the CSV files that the record names, everything escaped,
numbers with their digits.
"""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import browser
from kmodes_study.data.files import MissingDataError
from kmodes_study.study.compare import compare, summarise
from kmodes_study.study.report import write_report
from kmodes_study.study.report import Results, provenance


@pytest.fixture
def results(tmp_path, monkeypatch):
    for name in "STORE", "STRICT":
        monkeypatch.delenv(f"KMODES_STUDY_{name}", raising=False)
    return Results("small", "Small <b>", tmp_path)


def absent(name):
    "A set of which only `car` is at hand."
    if name != "car":
        raise MissingDataError(name)
    return name


def page_of(results):
    return write_report(results.folder.parent.parent).read_text()


def compared(n):
    "A comparison of n runs with a cell made of 250."
    costs = np.random.RandomState(0).normal(6e6, 1e5, n).round()
    runs = pd.DataFrame(
        dict(dataset="toy", n_clusters=2, init="huang", final_cost=costs)
    )
    cell = dict(
        dataset="toy",
        n_clusters=2,
        init="huang",
        quantity="final_cost",
        mean=6e6,
        sd=1e5,
        n_runs=250,
    )
    return compare(
        summarise(runs, quantities=["final_cost"]),
        pd.DataFrame([dict(cell, decimals_mean=2, decimals_sd=3)]),
    )


def test_the_record_holds_no_table_and_the_page_is_made_of_the_file(results):
    results.table(
        "numbers",
        pd.DataFrame(dict(cost=[6182670, 5], share=[1 / 3, 1.0])),
        "Costs.",
        index=False,
    )
    assert "6182670" not in (results.folder / "record.json").read_text()
    assert ">6182670<" in page_of(results)
    assert ">0.3333<" in page_of(results)
    (results.folder / "numbers.csv").write_text("cost,share\n7654321,0.5\n")
    assert ">7654321<" in page_of(results)


def test_a_table_with_levels_comes_back_as_it_was(results):
    columns = pd.MultiIndex.from_product([["mean", "best"], ["otqt", "lloyd"]])
    index = pd.MultiIndex.from_tuples([("zoo", 2), ("car", 3)], names=["set", "k"])
    results.table("levels", pd.DataFrame(np.arange(8).reshape(2, 4), index, columns))
    words = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page_of(results)))
    assert re.search(
        "mean best .*otqt lloyd otqt lloyd .*zoo 2 0 1 2 3 car 3 4 5 6 7", words
    ), words[-300:]


def test_nothing_is_taken_for_markup(results):
    evil = "<script>alert(1)</script>{{ 7*7 }}"
    results.heading(evil, evil)
    results.table(
        "evil", pd.DataFrame({evil: [evil]}, index=pd.Index([evil], name=evil)), evil
    )
    results.finding(evil, "holds", evil)
    results.loaded(["zoo"], absent, evil)
    page = page_of(results)
    assert "<script" not in page
    assert ">49<" not in page
    assert "Small &lt;b&gt;" in page


def test_without_a_folder_nothing_is_written(tmp_path, monkeypatch):
    for name in "OUTPUT", "STORE":
        monkeypatch.delenv(f"KMODES_STUDY_{name}", raising=False)
    monkeypatch.chdir(tmp_path)
    results = Results("small", "Small")
    results.table("numbers", pd.DataFrame(dict(a=[1])))
    assert results.store is not None  # the runs of an interrupted cell are kept
    assert not list(tmp_path.iterdir())
    assert json.dumps(results.record)


def test_a_cell_that_differs_has_its_reason_on_the_first_screen_or_is_said_to_have_none(
    results,
):
    differing = compared(250).assign(verdict="differs")
    results.comparison(
        "told", differing.assign(reason="ties & the order of rows"), "Told; more."
    )
    results.comparison("untold", differing, "Untold.")
    first = page_of(results).partition("<main>")[0]
    assert "ties &amp; the order of rows" in first
    assert "no reason is known yet" in first


def test_what_waits_is_one_line_on_the_first_screen_and_a_list_below(results):
    results.comparison("told", compared(250))
    assert results.loaded(["zoo", "car", "mushroom"], absent) == dict(car="car")
    results.loaded(["zoo"], absent, "the row of {} in Table 2")
    page = page_of(results)
    first = page.partition("<table")[0]
    lists = page.partition("<main>")[2]
    assert "wait for the files mushroom/agaricus-lepiota.data, zoo/zoo.data: `" in first
    assert "`kmodes-study data fetch` fetches them." in first
    assert "Other cells: 1 " in first
    assert lists.count("<code>zoo/zoo.data</code>") == 2
    assert "the row of zoo in Table 2" in lists
    assert "everything about mushroom" in lists
    results.record["items"] = results.record["items"][:1]
    results._write()
    assert "wait" not in re.sub(
        "<style>.*</style>", "", page_of(results).partition("<main>")[0], flags=re.S
    )


def test_absent_sets_are_one_line_in_the_notebook_and_an_error_under_strict(
    results, capsys, monkeypatch
):
    assert results.loaded(["car"], absent) == dict(car="car")
    assert capsys.readouterr().out == ""
    assert results.record["items"] == []
    results.loaded(["zoo", "crx"], absent)
    assert (
        capsys.readouterr().out
        == "waiting for the files of zoo, crx; `kmodes-study data fetch` fetches them\n"
    )
    monkeypatch.setenv("KMODES_STUDY_STRICT", "1")
    with pytest.raises(MissingDataError, match="zoo"):
        results.loaded(["zoo"], absent)


def test_the_page_says_what_made_it(results):
    results.heading("Section")
    made = provenance("kmodes-study reproduce --seeds 25", 25, 12.3)
    (results.folder / "run.json").write_text(json.dumps(made))
    end = page_of(results).partition('<footer id="provenance">')[2]
    command = "kmodes-study reproduce --seeds 25"
    for text in (made["date"], command, made["machine"], np.__version__):
        assert text in end, text


@pytest.fixture
def full(results):
    "The page of a record with everything."
    results.heading("First")
    results.comparison("wide", compared(250), "A comparison; with a note.")
    results.comparison("odd", compared(250).assign(verdict="differs"), "Another.")
    columns = pd.MultiIndex.from_product(
        [[f"quantity_{i}" for i in range(9)], ["published", "computed"]]
    )
    results.table(
        "huge",
        pd.DataFrame(np.arange(36.0).reshape(2, 18) * 1e5, ["a", "b"], columns),
        "Many columns.",
    )
    for holds in "holds", "does not hold":
        results.finding(f"A sentence that {holds}.", holds, "evidence " * 30)
    figure, _ = plt.subplots(figsize=(9, 3))
    results.heading("Last")
    results.figure("picture", figure, "A picture.")
    plt.close(figure)
    return page_of(results)


def test_every_head_cell_says_what_it_heads_and_every_table_has_a_caption(full):
    assert full.count("<table") == full.count("<caption") > 4
    assert not re.search(r"<th(?![^>]* scope=)[ >]", full)
    assert not re.search(r"<th[^>]*></th>", full)
    assert "<main>" in full
    assert 'lang="en"' in full
    ids = re.findall(r' id="([^"]+)"', full)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', full)) <= set(ids)


def test_every_file_that_is_linked_is_there(full, results):
    links = re.findall(r'href="([^"#]+)"', full)
    assert len(links) >= 5
    assert all((results.folder.parent.parent / link).exists() for link in links)


@pytest.mark.skipif(
    not browser.PROGRAM, reason="no chromium on this machine: apt-get install chromium"
)
def test_the_page_fits_a_phone_and_shows_only_what_differs_when_asked(full, results):
    with (
        browser.served(results.folder.parent.parent) as home,
        browser.browser() as page,
    ):
        page.look(390, 844, dark=True)
        page.open(f"{home}/report.html")
        assert page.run("document.documentElement.scrollWidth") == 390
        assert (
            page.run("getComputedStyle(document.body).backgroundColor")
            == "rgb(20, 24, 29)"
        )
        seen = (
            "[...document.querySelectorAll('main details, figure, h3')].filter(one => "
            "one.offsetHeight).map(one => one.tagName == 'H3' ? one.textContent : "
            "one.id)"
        )
        shown = "First small-wide small-odd small-huge Last small-picture"
        assert page.run(seen) == shown.split()
        page.run("document.getElementById('only').click()")
        assert page.run(seen) == ["First", "small-odd"]
        own = home, "data:"
        assert all(address.startswith(own) for address in page.requests)
