"""A parameter means the same in each clusterer: its default, bad values and effect."""

import warnings
from inspect import Parameter, signature

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from kmodes_study import KModes, KPrototypes
from kmodes_study.family import ROCK, FuzzyKModes, LatentClasses

pytestmark = pytest.mark.filterwarnings("ignore:no column of X is")
RNG = np.random.RandomState(0)
CATEGORIES = pd.DataFrame({f"c{j}": RNG.choice(list("abc"), 40) for j in range(4)})
MIXED = CATEGORIES.assign(c3=RNG.normal(size=40))
NUMBERS = pd.DataFrame({f"c{j}": RNG.normal(size=40) for j in range(4)})
TABLES = {
    KModes: CATEGORIES,
    KPrototypes: MIXED,
    FuzzyKModes: CATEGORIES,
    LatentClasses: CATEGORIES,
    ROCK: CATEGORIES,
}


def with_parameter(name):
    "The classes that have a parameter."
    return [kind for kind in TABLES if name in signature(kind).parameters]


EVERY = {name for kind in TABLES for name in signature(kind).parameters}
SHARED = sorted(name for name in EVERY if len(with_parameter(name)) > 1)
# Where a default is that of the class: the start that suits it, and the number of
# passes, of which EM needs many.
OWN_DEFAULTS = {
    "init": ["cao", "k-means++", "huang", "random"],
    "max_iter": [100, 100, 100, 1000],
}


@pytest.mark.parametrize("name", SHARED)
def test_a_default_is_the_same_in_each_class(name):
    parameters = [signature(kind).parameters[name] for kind in with_parameter(name)]
    defaults = [parameter.default for parameter in parameters]
    assert defaults == OWN_DEFAULTS.get(name, [defaults[0]] * len(defaults))
    kind = Parameter.KEYWORD_ONLY
    if name == "n_clusters":
        kind = Parameter.POSITIONAL_OR_KEYWORD
    assert {parameter.kind for parameter in parameters} == {kind}


def fitted(kind, X=None, sample_weight=None, **options):
    "A model of a class, on its own table unless another is given."
    model = kind(**dict(dict(n_clusters=3, random_state=0), **options))
    X = TABLES[kind] if X is None else X
    if sample_weight is None:
        return model.fit(X)
    return model.fit(X, sample_weight=sample_weight)


BAD = [
    *(("n_clusters", value) for value in (0, 2.5, "3", None, True)),
    *(("n_init", value) for value in (0, "many", None)),
    *(("max_iter", value) for value in (0, 2.5)),
    *(("n_jobs", value) for value in (0, "many")),
    *(("random_state", value) for value in ("x", -1)),
    *(("missing", value) for value in ("drop", None)),
    *(("handle_unknown", value) for value in ("drop", None)),
    *(("feature_weight", value) for value in ([1, 2], [1, -1, 1, 1], [0] * 4)),
    *(("feature_weight", value) for value in ([1, np.nan, 1, 1], dict(nowhere=1))),
    *(("init", value) for value in ("nowhere", None)),
]


@pytest.mark.parametrize("name, value", BAD)
def test_a_bad_value_is_refused_by_each_class_with_its_name(name, value):
    for kind in with_parameter(name):
        if kind is ROCK and name == "random_state":
            continue  # it draws nothing of a small table
        # a seed is refused by scikit-learn and numpy, in their words
        words = "[Ss]eed" if name == "random_state" else name
        with pytest.raises((ValueError, TypeError), match=words):
            fitted(kind, **{name: value})


@pytest.mark.parametrize(
    "weights", [[1, 2], [-1] * 40, [np.nan] * 40, [0] * 40, [np.inf] * 40, "x"]
)
def test_bad_weights_of_rows_are_refused(weights):
    for kind in KModes, KPrototypes, FuzzyKModes, LatentClasses:
        with pytest.raises((ValueError, TypeError), match="sample_weight"):
            fitted(kind, sample_weight=weights)


def state(model):
    "What a fit has found."
    found = [model.labels_.tolist()]
    if hasattr(model, "cost_"):
        found.append(model.cost_)
    return found


@pytest.mark.parametrize("kind", with_parameter("n_jobs"))
def test_threads_change_nothing(kind):
    alone = fitted(kind, init="random", n_init=4)
    assert state(fitted(kind, init="random", n_init=4, n_jobs=2)) == state(alone)
    assert state(fitted(kind, init="random", n_init=4, n_jobs=-1)) == state(alone)


@pytest.mark.parametrize("kind", with_parameter("random_state"))
def test_a_seed_draws_the_same_again(kind):
    options = {}
    if "init" in signature(kind).parameters:
        options = dict(init="random")
    models = [fitted(kind, random_state=5, **options) for _ in range(2)]
    assert state(models[0]) == state(models[1])
    again = fitted(kind, random_state=np.random.RandomState(5), **options)
    assert state(again) == state(models[0])


@pytest.mark.parametrize("kind", with_parameter("n_init"))
def test_auto_is_ten_starts_and_more_starts_cost_no_more(kind):
    options = {}
    if "init" in signature(kind).parameters:
        options = dict(init="RANDOM")
    auto = fitted(kind, **options)
    assert state(auto) == state(fitted(kind, n_init=10, **options))
    assert auto.cost_ <= fitted(kind, n_init=1, **options).cost_


@pytest.mark.parametrize("kind", with_parameter("init"))
def test_a_start_may_be_rows_and_is_then_made_once(kind):
    start = TABLES[kind].iloc[[0, 9, 17]]
    one, other = (fitted(kind, init=start, n_init=n) for n in (1, 7))
    assert state(one) == state(other)
    assert one.n_iter_ >= 1


@pytest.mark.parametrize("kind", with_parameter("missing"))
def test_what_is_missing_is_refused_or_a_category_or_left_out(kind):
    X = TABLES[kind].copy()
    X.loc[[3, 8], "c0"] = None
    with pytest.raises(ValueError, match="X must not hold missing values"):
        fitted(kind, X)
    named = fitted(kind, X.fillna("~"))
    assert state(fitted(kind, X, missing="category")) == state(named)
    left_out = fitted(kind, X, missing="ignore")
    assert [len(levels) for levels in left_out.encoder_.categories_][0] == 3


@pytest.mark.parametrize("kind", with_parameter("handle_unknown"))
def test_what_is_unknown_is_refused_or_differs(kind):
    X = TABLES[kind]
    new = X.iloc[:5].assign(c0="new")
    with pytest.raises(ValueError, match="must hold categories that were seen in fit"):
        fitted(kind, X).predict(new)
    assert len(fitted(kind, X, handle_unknown="ignore").predict(new)) == 5


@pytest.mark.parametrize("kind", [KModes, KPrototypes, FuzzyKModes, LatentClasses])
def test_a_weight_of_a_row_is_how_often_it_stands_there(kind):
    X = TABLES[kind]
    times = np.random.RandomState(3).randint(0, 4, len(X))
    start = X[times > 0].iloc[[0, 9, 17]]
    weighed = fitted(kind, X, times, init=start)
    repeated = fitted(kind, X.loc[np.repeat(X.index, times)], init=start)
    assert weighed.cost_ == pytest.approx(repeated.cost_, rel=1e-9)
    assert np.repeat(weighed.labels_, times).tolist() == repeated.labels_.tolist()
    score = weighed.score(X, sample_weight=times)
    assert score == pytest.approx(-weighed.cost_, rel=1e-6)


@pytest.mark.parametrize("kind", with_parameter("feature_weight"))
def test_a_weight_of_a_column_is_how_often_it_stands_there(kind):
    X = TABLES[kind]
    options = {}
    if kind is KModes:
        options = dict(algorithm="lloyd")  # it draws nothing
    if kind is KPrototypes:
        options = dict(gamma=0.7)
    wide = X.assign(again=X["c1"])
    start = [0, 9, 17]
    weighed = fitted(kind, X, init=X.iloc[start], feature_weight=dict(c1=2), **options)
    repeated = fitted(kind, wide, init=wide.iloc[start], **options)
    assert weighed.cost_ == pytest.approx(repeated.cost_, rel=1e-9)
    assert weighed.labels_.tolist() == repeated.labels_.tolist()
    listed = fitted(kind, X, init=X.iloc[start], feature_weight=[1, 2, 1, 1], **options)
    assert state(listed) == state(weighed)


@pytest.mark.parametrize("kind", TABLES)
def test_what_all_have_after_a_fit(kind):
    model = fitted(kind)
    X = TABLES[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = model.predict(X)
    assert labels.shape == (40,)
    assert clone(model).get_params() == model.get_params()
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == list(X.columns)
    if kind is not ROCK:
        assert model.transform(X).shape == (40, 3)
        assert model.score(X) == pytest.approx(-model.cost_, rel=1e-5)
