"""What the study makes of the rows of an experiment: words, tables, figures."""

import re

import numpy as np
import pandas as pd
import pytest

from kmodes_study.describe.plots import plot_cdf
from kmodes_study.study import (
    by_method,
    compare_pairs,
    difference_table,
    in_words,
    latex,
    league,
    method_table,
    save_figure,
    save_table,
)
from kmodes_study.study.outputs import equal_runs
from test_experiment import DATA, TABLE, drawn_rows, lots, run


@pytest.fixture(scope="module")
def rows():
    return run(seeds=6, starts=["huang", "random", drawn_rows])


def test_unequal_numbers_of_runs_are_said_and_made_equal(rows):
    "Obstacle 7: two runs topped two hundred, and nothing was said."
    few = rows[(rows.start != "drawn_rows") | (rows.seed < 2)]
    with pytest.warns(UserWarning, match="between 2 and 6 runs: 8 rows"):
        table = league(few)
    assert set(table.runs) == {2}
    assert equal_runs(rows).equals(rows)
    with pytest.raises(ValueError, match="got none"):
        equal_runs(rows.assign(seed=range(len(rows))))


def paired_rows(**columns):
    "Rows of two starts, with the same numbers as cost and as score."
    return pd.DataFrame(
        [
            dict(dataset="zoo", start=start, seed=seed, start_cost=n, cost=n, a_score=n)
            for start, numbers in columns.items()
            for seed, n in enumerate(numbers)
        ]
    )


def test_a_difference_is_of_the_methods_in_the_order_of_the_sentence():
    rows = paired_rows(one=[5] * 9 + [6], other=[3] * 10)
    said = "zoo: other ends at a lower cost than one (mean difference -2.1, 95 % int"
    assert in_words(rows).startswith(said)
    assert "interval -2.326 to -1.874" in in_words(rows)
    turned = paired_rows(other=[3] * 10, one=[5] * 9 + [6])
    assert in_words(turned) == in_words(rows)
    assert "other starts at a lower cost than one (mean" in in_words(rows, "start_cost")
    assert "one has a higher a_score than other (mean difference +2.1" in in_words(
        rows, "a_score"
    )
    passes = rows.assign(n_iter=rows.cost)
    assert "other has a lower n_iter than one" in in_words(passes, "n_iter")


@pytest.mark.parametrize("other, difference", [(3, "+2"), (5, "+0")])
def test_methods_that_draw_nothing_are_one_comparison(other, difference):
    rows = paired_rows(one=[5] * 10, other=[other] * 10)
    assert f"one less other is {difference} with each of 10 seeds" in in_words(rows)
    assert "adjusted" not in in_words(rows)
    assert difference_table(rows)[["low", "high", "adjusted_p"]].isna().all(axis=None)
    # beside a pair that is tested
    three = paired_rows(one=[5] * 10, other=[other] * 10, third=[1] * 9 + [2])
    assert sum("adjusted p" in line for line in in_words(three).splitlines()) == 2


def test_a_block_is_named_with_its_table_and_its_number_of_clusters():
    one = paired_rows(one=[5] * 9 + [6], other=[3] * 10).assign(n_clusters=7)
    assert in_words(one).startswith("zoo: other ends")
    several = pd.concat([one, one.assign(n_clusters=2)])
    starts = [line.partition(": ")[0] for line in in_words(several).splitlines()]
    assert starts == ["zoo, k = 7", "zoo, k = 2"]
    tables = pd.concat([one, one.assign(dataset="car", n_clusters=4)])
    starts = [line.partition(": ")[0] for line in in_words(tables).splitlines()]
    assert starts == ["zoo, k = 7", "car, k = 4"]


def test_the_table_of_differences_has_the_numbers_of_the_words(rows, tmp_path):
    table = difference_table(rows)
    assert len(table) == 3
    pairs = compare_pairs(rows.sort_values("start", kind="stable"), "cost")
    assert table["first"].tolist() == pairs["first"].tolist()
    for name in "difference", "low", "high":
        np.testing.assert_array_equal(table[name], pairs[name].round(2))
    two_digits = [float(f"{p:.2g}") for p in pairs.adjusted_p]
    np.testing.assert_array_equal(table.adjusted_p, two_digits)
    assert table.seeds.tolist() == [6] * 3
    save_table(table, tmp_path / "pairs.tex")
    assert not re.search(r"\d\.\d{3}", (tmp_path / "pairs.tex").read_text())


def test_tables_are_rounded_and_nothing_becomes_0(tmp_path):
    table = pd.DataFrame(dict(a=[1 / 3, 2e-7, np.nan, 0.0], n=[1, 2, 3, 4], b="x"))
    save_table(table, tmp_path / "a.csv", decimals=3)
    assert (tmp_path / "a.csv").read_text().split() == [
        *("a,n,b", "0.333,1,x", "2e-07,2,x", ",3,x", "0.000,4,x")
    ]
    save_table(table, tmp_path / "a.tex", decimals=1)
    assert "0.3 & 1 & x" in (tmp_path / "a.tex").read_text()
    assert "0.3333333" in latex(table)
    assert latex(table, 3).startswith(r"\begin{tabular}{rrl}")


@pytest.mark.parametrize("function", [in_words, difference_table, league, method_table])
def test_costs_under_two_dissimilarities_are_not_compared(function):
    rows = paired_rows(one=[5] * 9 + [6], other=[3] * 10)
    both = pd.concat(
        [rows.assign(dissimilarity=name) for name in ("matching", "legs")]
    ).reset_index(drop=True)
    for quantity in "cost", "start_cost":
        with pytest.raises(ValueError, match="'matching', 'legs': .*adjusted_rand"):
            function(both, quantity, method="dissimilarity")
        with pytest.raises(ValueError, match="in one unit"):
            function(both, quantity, method=["start", "dissimilarity"])
    function(both, "cost")  # each dissimilarity is a block
    one = both[both.start == "one"]
    function(one, "a_score", method="dissimilarity")
    with pytest.raises(ValueError, match="in one unit"):
        compare_pairs(both, "cost", method="dissimilarity")


def test_the_initial_cost_that_was_measured_is_compared():
    "The measure of the papers is not the cost of the start."
    asked = dict(starts=["huang", drawn_rows], seeds=6)
    rows = run(**asked, measures=["initial_cost", "final_cost"])
    assert (rows.initial_cost < rows.start_cost).any()
    assert by_method(rows).initial_cost.equals(rows.initial_cost)
    differences = difference_table(rows, "initial_cost", decimals=9).difference[0]
    means = rows.groupby("start").initial_cost.mean()
    assert differences == pytest.approx(means["drawn_rows"] - means["huang"])
    pairs = compare_pairs(rows, "initial_cost")
    assert pairs.difference[0] == pytest.approx(-differences)
    without = run(**asked)
    assert by_method(without).initial_cost.tolist() == without.start_cost.tolist()


def test_rows_of_a_file_are_as_good_as_those_of_the_experiment(tmp_path):
    many = {("own", ""): TABLE, ("own", "half"): TABLE[:30]}
    rows = run(many, starts=["random", drawn_rows], seeds=5)
    save_table(rows, tmp_path / "rows.csv")
    read = pd.read_csv(tmp_path / "rows.csv")
    assert read.variant.isna().any()
    assert len(equal_runs(read)) == len(rows)
    assert in_words(read) == in_words(rows)
    assert league(read).equals(league(rows))
    assert method_table(read).equals(method_table(rows))
    one = run(seeds=3, starts=["random", drawn_rows])
    save_table(one, tmp_path / "one.csv")
    assert len(equal_runs(pd.read_csv(tmp_path / "one.csv"))) == len(one)


def test_columns_of_numbers_stand_on_the_right(rows):
    assert latex(method_table(rows)).startswith(r"\begin{tabular}{lrrr}")
    table = pd.DataFrame({"a": ["1.5 (2)", "3"], "b": ["1.5", "x"], "c": ["-2", None]})
    assert latex(table).startswith(r"\begin{tabular}{rlr}")
    turned = method_table(rows)[["random", "drawn_rows", "huang"]]
    assert "dataset & random & drawn" in latex(turned)


def test_tables_are_escaped_and_figures_are_drawn(rows, tmp_path):
    table = pd.DataFrame({"a_b": ["50%", "x & y", r"\o/", "1 < 2"], "n": [1, 2, 3, 4]})
    text = latex(table)
    for sign in (r"a\_b", r"50\%", r"x \& y", r"\textbackslash"):
        assert sign in text
    assert text.count(r"\\") == 5
    assert text.startswith(r"\begin{tabular}{lr}")
    assert not re.search(r"(?<!\\)[%_#]", text)
    save_table(rows, tmp_path / "rows.csv")
    assert len(pd.read_csv(tmp_path / "rows.csv")) == len(rows)
    ax = plot_cdf(by_method(rows))
    for ending, first in (".svg", b"<?xml"), (".pdf", b"%PDF"), (".png", b"\x89PNG"):
        path = save_figure(ax, tmp_path / f"figure{ending}")
        assert path.read_bytes().startswith(first)


def test_methods_that_begin_by_themselves_are_compared_in_words():
    def constant(codes, n_clusters):
        return codes[:, 0]

    rows = run(
        DATA,
        3,
        seeds=12,
        starts=None,
        algorithms=[constant, lots],
        measures="adjusted_rand_score",
    )
    words = in_words(rows, "cost", method="algorithm")
    assert "constant ends at a lower cost than lots" in words
    assert in_words(rows, "adjusted_rand_score", method="algorithm")
    table = method_table(rows, method="algorithm")
    assert {"constant", "lots"} <= {*table.columns}
    plot_cdf(by_method(rows, "algorithm"))
