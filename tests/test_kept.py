"Kept rows are drawn and made again, and what differs is named."

import numpy as np
import pandas as pd

from bench import kept


def test_a_set_is_made_again():
    _, row, made = next(kept.how_many(np.random.RandomState(0)))
    assert len(made) > 10
    assert all(kept.are_equal(row[name], made[name]) for name in made)


def test_a_twentieth_of_each_kind_is_drawn():
    frame = pd.DataFrame(dict(kind=["a"] * 100 + ["b"] * 10 + ["c"] * 2))
    drawn = kept.twentieth(frame, ["kind"], np.random.RandomState(0))
    assert drawn.kind.value_counts().to_dict() == dict(a=5, b=3, c=2)


def test_a_kept_row_that_does_not_come_out_again_is_an_error(monkeypatch, capsys):
    rows = [("one", dict(cost=1, gap=None), dict(cost=1, gap=np.nan))]
    monkeypatch.setitem(kept.TABLES, "optima", lambda random: rows)
    assert kept.main(["optima"]) == 0
    rows.append(("two", dict(cost=3), dict(cost=4)))
    assert kept.main(["optima"]) == 1
    assert "optima: two: cost is 4, kept is 3" in capsys.readouterr().out
