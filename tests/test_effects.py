"""Each parameter of each clusterer does something, and its docstring says where it does
nothing.
"""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

from kmodes_study.cluster.estimator import KModes
from kmodes_study.data.synthetic import make_planted_clusters
from kmodes_study.describe.choice_of_k import k_scan
from kmodes_study.family.fuzzy import FuzzyKModes
from kmodes_study.family.kprototypes import KPrototypes
from kmodes_study.family.latent_classes import LatentClasses
from kmodes_study.family.pkmeans import PKMeans
from kmodes_study.family.rock_clustering import ROCK
from kmodes_study.storage.code_files import write_codes

CLASSES = KModes, KPrototypes, FuzzyKModes, LatentClasses, ROCK, PKMeans
CODES = make_planted_clusters(80, 6, 3, 4, noise=0.5, random_state=1).codes
TABLE = CODES.astype(object)
HOLED = TABLE.copy()
HOLED[[3, 40], [0, 5]] = None
STRANGE = np.full((1, 6), 99, object)
NUMBERS = np.random.RandomState(0).normal(size=(60, 3))


def mixed(table):
    "A frame of categories and numbers."
    categories = pd.DataFrame(table[:60]).astype(object)
    return pd.concat([categories, pd.DataFrame(NUMBERS)], axis=1, ignore_index=True)


MIXED = mixed(TABLE)
SCALE = pd.CategoricalDtype(range(4), ordered=True)
SCALES = MIXED.astype(dict.fromkeys(range(3), SCALE))
MANY = np.random.RandomState(0).randint(3, size=(17_000, 12))
LEARNT = (
    "labels_ cost_ inertia_ n_iter_ epoch_costs_ modes_ centres_ cluster_centers_ "
    "memberships_ n_clusters_ sample_indices_"
).split()


def table_of(kind):
    "A table that fits the clusterer."
    if kind is PKMeans:
        return NUMBERS
    return MIXED if kind is KPrototypes else TABLE


def words(value):
    "A value as text: equal values have equal texts."
    return (
        np.asarray(value, object).tolist() if isinstance(value, list) else repr(value)
    )


def outcome(model, X):
    "What a fit leaves behind and says about a row of unknown values, or its error."
    np.set_printoptions(threshold=10**6)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X)
    except ValueError as error:
        return type(error).__name__
    learnt = {name: words(getattr(model, name, None)) for name in LEARNT}
    if X is TABLE:
        try:
            learnt["predicted"] = words(model.predict(STRANGE))
        except ValueError as error:
            learnt["predicted"] = type(error).__name__
    return learnt


# For each parameter: the other settings, two values that make a difference, and the
# table, where it is not that of the class.
COMMON = dict(
    n_clusters=({}, 2, 3),
    n_init=(dict(init="random"), 1, 20),
    random_state=(dict(init="random", n_init=1, n_clusters=4), 0, 1),
    max_iter=(dict(init="random", n_init=1), 1, 100),
    missing=({}, "error", "category", HOLED),
    handle_unknown=({}, "error", "ignore"),
    feature_weight=({}, None, [5, 1, 1, 1, 1, 2]),
)
OWN = {
    KModes: dict(
        init=(dict(algorithm="lloyd"), "cao", "matching"),
        algorithm=({}, "lloyd", "otqt"),
        max_swaps=(dict(algorithm="swap"), 1, 5),
        max_time=(dict(algorithm="swap"), 1e-9, None),
        max_iter=(dict(algorithm="lloyd", init="random", n_init=1), 1, 100),
        dissimilarity=({}, "matching", "ng"),
        begin_on_sample=(dict(algorithm="otqt"), True, False, MANY),
    ),
    KPrototypes: dict(
        init=(dict(n_init=1), "huang", "random"),
        gamma=({}, 0, 10),
        categorical_features=({}, "from_dtype", [0, 1]),
        feature_weight=({}, None, [5, 1, 1, 1, 1, 2, 1, 1, 1]),
        dissimilarity=({}, "matching", "ordinal", SCALES),
        missing=({}, "error", "category", mixed(HOLED)),
        n_init=(dict(init="random", n_clusters=6), 1, 20),
        handle_unknown=(
            dict(categorical_features=[*range(6)]),
            "error",
            "ignore",
            TABLE,
        ),
    ),
    FuzzyKModes: dict(init=(dict(n_init=1), "huang", "cao"), alpha=({}, 1.1, 1.5)),
    LatentClasses: dict(init=(dict(n_init=1), "random", "cao"), tol=({}, 1e-9, 1)),
    ROCK: dict(
        theta=({}, 0.3, 0.6),
        min_cluster_size=(dict(theta=0.6), 1, 5),
        sample_size=({}, None, 30),
        random_state=(dict(sample_size=30), 0, 1),
    ),
    PKMeans: dict(
        p=({}, 2, 4),
        n_init=(dict(n_clusters=4), 1, 20),
        random_state=(dict(n_init=1, n_clusters=4), 0, 1),
        max_iter=(dict(n_init=1), 1, 100),
    ),
}
SAID = {  # what does nothing to the result, by its docstring
    "n_jobs": "does not depend on it",
    "verbose": "is printed|are printed|printed",
}
PARAMETERS = [(kind, name) for kind in CLASSES for name in kind().get_params()]


def made(kind, settings):
    "A clusterer that is quick and the same each time, unless the settings say other."
    options = dict(n_clusters=3, random_state=0)
    if kind is LatentClasses:
        options["n_init"] = 2
    options |= settings
    return kind(**options)


def entry(thing, name):
    "What the docstring of a class or function says about a parameter."
    text = re.sub(r"\n\s+", "\n", thing.__doc__)
    found = re.search(rf"^{name} : .*?(?=^\w+ : |^[A-Z]\w+\n-+$|\Z)", text, re.M | re.S)
    return re.sub(r"\s+", " ", found[0])


@pytest.mark.parametrize(
    "kind, name",
    PARAMETERS,
    ids=[f"{kind.__name__}-{name}" for kind, name in PARAMETERS],
)
def test_each_parameter_has_an_effect(kind, name):
    if name in SAID:
        assert re.search(SAID[name], entry(kind, name))
        return
    settings, one, other, *table = (COMMON | OWN[kind])[name]
    X = table[0] if table else table_of(kind)
    found = [
        outcome(made(kind, dict(settings) | {name: value}), X) for value in (one, other)
    ]
    assert found[0] != found[1]


NG = dict(dissimilarity="ng")
NO_SWAPS = "the other algorithms make none"
WITHOUT = [  # where a parameter does nothing, and the words that say so
    *[
        (KModes, dict(algorithm=algorithm), "max_swaps", (0, 50), NO_SWAPS)
        for algorithm in ("lloyd", "huang", "otqt")
    ],
    (KModes, NG, "max_swaps", (0, 50), "another dissimilarity"),
    (KModes, dict(algorithm="lloyd"), "max_time", (1e-9, 9), "max_swaps"),
    (KModes, dict(algorithm="huang"), "max_time", (1e-9, 9), "max_swaps"),
    (KModes, NG, "max_time", (1e-9, 9), "max_swaps"),
    (
        KModes,
        dict(algorithm="lloyd"),
        "begin_on_sample",
        (True, False),
        "other algorithms",
    ),
    (
        KModes,
        dict(algorithm="huang"),
        "begin_on_sample",
        (True, False),
        "other algorithms",
    ),
    (KModes, NG, "begin_on_sample", (True, False), "another dissimilarity"),
    (
        KModes,
        dict(algorithm="lloyd"),
        "random_state",
        (0, 1),
        '"lloyd" and "otqt" draw nothing',
    ),
    (KPrototypes, dict(init="cao"), "random_state", (0, 1), '"cao" draws nothing'),
    *[
        (kind, dict(init="cao"), "n_init", (1, 9), "made once")
        for kind in (KModes, KPrototypes, FuzzyKModes, LatentClasses)
    ],
    (ROCK, {}, "random_state", (0, 1), "sample_size=None nothing is drawn"),
]


@pytest.mark.parametrize("kind, settings, name, values, said", WITHOUT)
def test_a_parameter_without_effect_says_so(kind, settings, name, values, said):
    found = [
        outcome(made(kind, settings | {name: value}), table_of(kind))
        for value in values
    ]
    assert found[0] == found[1]
    assert said in entry(kind, name)


def test_gamma_without_categories_does_nothing_and_says_so():
    found = [
        outcome(KPrototypes(n_clusters=3, gamma=gamma, random_state=0), NUMBERS)
        for gamma in (0, 100)
    ]
    assert found[0] == found[1]
    assert "Without categorical columns it has no effect" in entry(KPrototypes, "gamma")


def test_a_file_of_codes_takes_batch_passes_and_the_parameters_say_so(tmp_path):
    file = write_codes(pd.DataFrame(TABLE.astype(str)), tmp_path / "rows.codes")
    found = []
    for options in (
        {},
        dict(max_swaps=0),
        dict(algorithm="lloyd"),
    ):
        model = KModes(n_clusters=3, random_state=0, **options).fit(file)
        found.append(words(model.labels_))
    assert len(set(found)) == 1
    for name in ("algorithm", "max_swaps"):
        assert "file of codes" in entry(KModes, name)
    for limit in (dict(algorithm="swap"), dict(algorithm="otqt")):
        with pytest.raises(ValueError, match="algorithm must be"):
            KModes(n_clusters=3, **limit).fit(file)


def test_a_scan_that_draws_nothing_does_not_depend_on_its_seed_and_says_so():
    nothing = dict(n_references=0, n_splits=0, n_resamples=0)
    scans = [k_scan(CODES, [1], **nothing, random_state=seed) for seed in (0, 1)]
    assert scans[0].table.equals(scans[1].table)
    assert "one cluster" in entry(k_scan, "max_swaps")
    some = [k_scan(CODES, [1], max_swaps=swaps, **nothing) for swaps in (0, 9)]
    assert some[0].table.equals(some[1].table)
