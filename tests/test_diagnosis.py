"""A look at the table before the fit: one warning, at the line of the caller, switched
off in one place.
"""

import warnings

import numpy as np
import pandas as pd
import pytest

from kmodes_study import KModes, KPrototypes, TableWarning, diagnose
from kmodes_study.family import ROCK, FuzzyKModes, LatentClasses

RNG = np.random.RandomState(0)
SOUND = pd.DataFrame({f"c{j}": RNG.choice(list("abc"), 40) for j in range(4)})
NAMES = np.array([f"R{i}" for i in range(40)], object)
FLAWED = SOUND.assign(
    who=NAMES,
    house="x",
    meals=SOUND.c0.replace("a", "?"),
    kind=SOUND.c2.replace({"a": "Car", "b": "car"}),
)


def warned(call):
    "The warnings of a call."
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return caught


@pytest.mark.parametrize(
    "model", [KModes(2), KPrototypes(2), FuzzyKModes(2), LatentClasses(2)], ids=repr
)
def test_a_fit_warns_once_and_shows_the_line_of_the_caller(model):
    caught = warned(lambda: model.fit(FLAWED))
    assert {warning.filename for warning in caught} == {__file__}
    [message] = [
        str(warning.message)
        for warning in caught
        if str(warning.message).startswith("X has columns that may spoil")
    ]
    said = [line.split(": ")[:2] for line in message.splitlines()[1:]]
    assert {
        (finding.strip(), column.split()[0].strip("'")) for finding, column in said
    } == set(zip(*diagnose(FLAWED)[["finding", "column"]].to_numpy().T))


@pytest.mark.parametrize(
    "model",
    [KModes(2), KPrototypes(2), FuzzyKModes(2), LatentClasses(2), ROCK(2)],
    ids=repr,
)
def test_other_columns_at_predict_are_one_warning(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(SOUND)
    assert len(warned(lambda: model.predict(SOUND.to_numpy(object)))) == 1


def test_sound_tables_and_handfuls_of_rows_are_silent():
    for table in (
        SOUND,
        SOUND.to_numpy(),
        SOUND.astype("category"),
        FLAWED[:9],
        SOUND.astype("category")[["c0"] * 9],
    ):
        assert not warned(lambda: KModes(2).fit(table))


def test_it_is_switched_off_in_one_place():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", TableWarning)
        KModes(2).fit(FLAWED)


def test_gaps_do_not_hide_an_identifier():
    gaps = SOUND.assign(who=np.where(np.arange(40) % 2, NAMES, None))
    assert "'who' (20 different values in 20 cells)" in str(
        warned(lambda: KModes(2, missing="ignore").fit(gaps))[0].message
    )


def test_a_fitted_model_tells_of_itself():
    table = SOUND.assign(year=RNG.randint(2000, 2003, 40))
    model = KModes(3, random_state=0).fit(table)
    frame = model.modes_frame_
    assert (frame.to_numpy() == model.cluster_centroids_).all()
    assert frame.year.dtype == table.year.dtype
    assert list(frame.columns) == list(table.columns)
    assert frame.index.tolist() == [0, 1, 2]
    assert not hasattr(KModes(3), "modes_frame_")
    assert KModes(2).fit(table.to_numpy()).modes_frame_.shape == (2, 5)


def test_each_finding_shows_what_it_found():
    found = diagnose(
        pd.DataFrame(
            {
                "a": ["x", " N/A "] * 6,
                "b": [1, "1"] * 6,
                "c": ["No", "no"] * 6,
                "d": ["b", "b "] * 6,
            }
        )
    )
    assert found[["column", "finding", "example"]].to_numpy().tolist() == [
        ["a", "placeholder", "' N/A '"],
        ["b", "spelling", "1 beside '1'"],
        ["c", "spelling", "'No' beside 'no'"],
        ["d", "spelling", "'b' beside 'b '"],
    ]


def test_nine_tenths_of_different_values_are_no_identifier_yet():
    for different, findings in {18: [], 19: ["identifier"]}.items():
        values = [f"v{min(i, different - 1)}" for i in range(20)]
        assert diagnose(pd.DataFrame({"a": values})).finding.tolist() == findings
