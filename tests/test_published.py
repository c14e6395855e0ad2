"""The published figures: complete, consistent in themselves, and fit to be compared."""

import itertools

import numpy as np
from hypothesis import given, settings, strategies as st

from kmodes_study.study.protocols.experiments2018 import could_be_integers
from kmodes_study.study.published import SOURCES, claims, published

COUNTS = {
    "wilde2020": 8 * 3 * 4 + 4 * 7,
    "wilde2018-06": 4 * 6 * 4,
    "wilde2018-01": 4 * 6,
    "cao2009": 4 * 3 * 3,
    "ng2007": 2 * 2,
    "sun2002": 2 * 7,
    "rock": 4 * 2 + 21 * 2,
    "huang1998": 2 * 7 + 2,
    "fuzzy2024": 4 * 4,
    "dorman2021": 7 * 2 * 4,
    "khan2013": 4 * 3,
    "coursework": 5 * 2 + 5 * 6 + 2,
}


def test_every_source_is_complete():
    assert published().source.value_counts().to_dict() == COUNTS
    assert list(SOURCES) == list(COUNTS)


def test_a_figure_is_the_text_of_the_file():
    "Each cell of the file, printed again from the frame, reads as it did."
    for name, facts in SOURCES.items():
        cells = iter(published(name).itertuples())
        for table in facts["tables"]:
            for row in table["rows"]:
                for column, text in zip(table["columns"], row):
                    if column in ("dataset", "init", "status"):
                        continue
                    cell = next(cells)
                    assert cell.quantity == column
                    mean = f"{cell.mean:.{cell.decimals_mean}f}" + (
                        ""
                        if np.isnan(cell.sd)
                        else f" ({cell.sd:.{cell.decimals_sd}f})"
                    )
                    assert mean.removeprefix("0") == text.removeprefix("0")


def test_every_status_is_explained():
    assert set(published().status) == {"D", "R", "RC", "S", "M", "MC"}


def test_integer_cells_are_possible_but_for_three_rows_of_january_2018():
    cells = published().query("quantity in ['initial_cost', 'final_cost', 'n_iter']")
    impossible = [
        c
        for c in cells.itertuples(index=False)
        if not could_be_integers(c.mean, c.sd, c.n_runs, c.decimals_mean, c.decimals_sd)
    ]
    assert {(c.source, c.init) for c in impossible} == {
        ("wilde2018-01", init) for init in ("huang", "random", "matching")
    }
    assert len(impossible) == 6


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=60))
@settings(max_examples=200, deadline=None)
def test_true_integers_are_always_possible(values):
    mean, sd = float(f"{np.mean(values):.2f}"), float(f"{np.std(values, ddof=1):.3f}")
    assert could_be_integers(mean, sd, len(values))


def test_possible_pairs_are_those_of_enumeration():
    """Three integers between 0 and 6, with four decimals: the test accepts exactly what
    some triple has, up to triples outside.
    """
    real = {
        (round(float(np.mean(t)), 4), round(float(np.std(t, ddof=1)), 4))
        for t in itertools.product(range(7), repeat=3)
    }
    assert all(could_be_integers(m, s, 3, 4, 4) for m, s in real)
    assert not any(could_be_integers(m + 0.1, s, 3, 4, 4) for m, s in real)


def test_claims_name_tables_that_exist():
    tables = {int(t) for t in published("wilde2020").table}
    for span in claims().tables:
        first, _, last = span.partition("-")
        assert set(range(int(first), int(last or first) + 1)) <= tables
