"Each parameter of each clusterer does something."

import warnings

import numpy as np
import pandas as pd
import pytest

from kmodes_study.cluster.estimator import KModes
from kmodes_study.data.synthetic import make_planted_clusters
from kmodes_study.family.fuzzy import FuzzyKModes
from kmodes_study.family.kprototypes import KPrototypes
from kmodes_study.family.latent_classes import LatentClasses
from kmodes_study.family.rock_clustering import ROCK

CLASSES = KModes, KPrototypes, FuzzyKModes, LatentClasses, ROCK
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
    return MIXED if kind is KPrototypes else TABLE


def outcome(model, X):
    "What a fit leaves behind and says about a row of unknown values, or its error."
    np.set_printoptions(threshold=10**6)
    learnt = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X)
        learnt += [repr(getattr(model, name, None)) for name in LEARNT]
        if X is TABLE:
            learnt.append(repr(model.predict(STRANGE)))
    except ValueError as error:
        learnt.append(type(error).__name__)
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
}
PARAMETERS = [
    (kind, name)
    for kind in CLASSES
    for name in kind().get_params()
    if name not in ("n_jobs", "verbose")
]


def made(kind, settings):
    "A clusterer that is quick and the same each time, unless the settings say other."
    options = dict(n_clusters=3, random_state=0)
    if kind is LatentClasses:
        options["n_init"] = 2
    options |= settings
    return kind(**options)


@pytest.mark.parametrize(
    "kind, name",
    PARAMETERS,
    ids=[f"{kind.__name__}-{name}" for kind, name in PARAMETERS],
)
def test_each_parameter_has_an_effect(kind, name):
    settings, one, other, *table = (COMMON | OWN[kind])[name]
    X = table[0] if table else table_of(kind)
    found = [
        outcome(made(kind, dict(settings) | {name: value}), X) for value in (one, other)
    ]
    assert found[0] != found[1]
