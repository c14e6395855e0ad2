"""The report: rendered from the CSV files that the record names, everything escaped, numbers with their digits."""
import json
import re

import numpy as np
import pandas as pd
import pytest

from kmodes_study.study.compare import compare, summarise
from kmodes_study.study.report import Results, read_records, summary, write_report


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.delenv("KMODES_STUDY_STORE", raising=False)
    return Results("small", "Small <b>", tmp_path)


def page_of(results):
    return write_report(results.folder.parent.parent).read_text()


def compared(n):
    "A comparison of n runs with a cell made of 250."
    costs = np.random.RandomState(0).normal(6e6, 1e5, n).round()
    runs = pd.DataFrame(dict(dataset="toy", n_clusters=2, init="huang", final_cost=costs))
    cell = dict(dataset="toy", n_clusters=2, init="huang", quantity="final_cost", mean=6e6, sd=1e5, n_runs=250)
    return compare(summarise(runs, quantities=["final_cost"]),
                   pd.DataFrame([dict(cell, decimals_mean=2, decimals_sd=3)]))


def test_the_record_holds_no_table_and_the_page_is_made_of_the_file(results):
    results.table("numbers", pd.DataFrame(dict(cost=[6182670, 5], share=[1/3, 1.])), "Costs.", index=False)
    assert "6182670" not in (results.folder/"record.json").read_text()
    assert ">6182670<" in page_of(results) and ">0.333333<" in page_of(results)
    (results.folder/"numbers.csv").write_text("cost,share\n7654321,0.5\n")
    assert ">7654321<" in page_of(results)


def test_a_table_with_levels_comes_back_as_it_was(results):
    columns = pd.MultiIndex.from_product([["mean", "best"], ["otqt", "lloyd"]])
    index = pd.MultiIndex.from_tuples([("zoo", 2), ("car", 3)], names=["set", "k"])
    results.table("levels", pd.DataFrame(np.arange(8).reshape(2, 4), index, columns))
    words = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page_of(results)))
    assert re.search("mean best .*otqt lloyd otqt lloyd .*zoo 2 0 1 2 3 car 3 4 5 6 7", words), words[-300:]


def test_nothing_is_taken_for_markup(results):
    evil = "<script>alert(1)</script>{{ 7*7 }}"
    results.heading(evil, evil)
    results.table("evil", pd.DataFrame({evil: [evil]}, index=pd.Index([evil], name=evil)), evil)
    results.finding(evil, "holds", evil)
    results.waiting(evil, evil)
    page = page_of(results)
    assert "<script" not in page and ">49<" not in page and "Small &lt;b&gt;" in page


def test_fewer_runs_are_said_at_the_top_and_at_the_table(results):
    results.comparison("few", compared(25))
    total = summary(read_records(results.folder.parent.parent))
    assert total["fewer_runs"] == ["small: 25 of 250 runs"] and page_of(results).count("25 of 250 runs") == 2


def test_what_must_be_exact_and_is_not_is_a_failure(results):
    results.comparison("strict", compared(250), must_be_exact=True)
    total = summary(read_records(results.folder.parent.parent))
    assert len(total["failures"]) == 1 and "6000000.00 (100000.000) was published" in page_of(results)


def test_without_a_folder_nothing_is_written(tmp_path, monkeypatch):
    for name in "OUTPUT", "STORE": monkeypatch.delenv(f"KMODES_STUDY_{name}", raising=False)
    monkeypatch.chdir(tmp_path)
    results = Results("small", "Small")
    results.table("numbers", pd.DataFrame(dict(a=[1])))
    assert results.store is None and not list(tmp_path.iterdir()) and json.dumps(results.record)
