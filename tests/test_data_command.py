"""`kmodes-study data` ends with status 1 where one file of several is not as it should
be.
"""

import pandas as pd
import pytest

from kmodes_study import data as datasets
from kmodes_study.command import cli


@pytest.fixture
def two_sets(monkeypatch, tmp_path):
    """A folder with sets of two files each, which are computed here: nothing is
    downloaded, nothing must be at hand.
    """
    states = {}

    def verify(name, data_home=None):
        return pd.DataFrame(
            dict(file=[f"{name}.data", f"{name}.names"], status=states[name])
        )

    monkeypatch.setattr(datasets, "verify", verify)
    return states


@pytest.mark.parametrize(
    "found, status",
    [
        (["ok", "ok"], 0),
        (["ok", "absent"], 0),
        (["ok", "damaged"], 1),
        (["damaged", "ok"], 1),
        (["damaged", "damaged"], 1),
    ],
)
def test_one_damaged_file_of_two_is_told(two_sets, capsys, found, status):
    two_sets["zoo"] = found
    assert cli.main(["data", "verify", "zoo"]) == status
    said = capsys.readouterr()
    assert "zoo.names" in (said.err if status else said.out)


@pytest.mark.parametrize("first, second", [("ok", "damaged"), ("damaged", "ok")])
def test_one_damaged_set_of_two_is_told(two_sets, first, second):
    two_sets.update(zoo=[first] * 2, mushroom=[second] * 2)
    assert cli.main(["data", "verify", "zoo", "mushroom"]) == 1
