"""`kmodes_study.compat` beside the package `kmodes`: the same names, and from the same
start results that cost no more.
"""

import inspect

import numpy as np
import pandas as pd
import pytest
from kmodes import kmodes, kprototypes
from sklearn.base import clone

from kmodes_study import compat

PAIRS = [(kmodes.KModes, compat.KModes), (kprototypes.KPrototypes, compat.KPrototypes)]


def planted(seed, n=200):
    random = np.random.default_rng(seed)
    modes = random.integers(4, size=(3, 6))
    codes = modes[random.integers(3, size=n)]
    noise = random.random(codes.shape) < 0.2
    codes[noise] = random.integers(4, size=noise.sum())
    return codes


@pytest.mark.parametrize("theirs, ours", PAIRS)
def test_parameters_and_defaults_are_those_of_kmodes(theirs, ours):
    for method in "__init__", "fit", "predict", "fit_predict":
        there, here = (
            inspect.signature(getattr(one, method)).parameters for one in (theirs, ours)
        )
        assert list(there) == list(here), method
        for name in there:
            if not callable(there[name].default):
                assert there[name].default == here[name].default, name


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
def test_from_the_same_modes_both_find_the_same(seed, weighted):
    codes = planted(seed)
    start = codes[[0, 50, 100]]
    weights = [1 + i % 3 for i in range(len(codes))] if weighted else None
    old = kmodes.KModes(3, init=start, n_init=1).fit(codes, sample_weight=weights)
    new = compat.KModes(3, init=start).fit(codes, sample_weight=weights)
    assert new.cost_ <= old.cost_
    for model in old, new:
        modes = np.asarray(model.cluster_centroids_).astype(int)
        distances = (codes[:, None] != modes).sum(axis=2)
        assert np.array_equal(
            distances[np.arange(200), model.labels_], distances.min(1)
        )


def test_cao_gives_the_same_cost_on_strings():
    table = pd.DataFrame(planted(7)).map("abcd".__getitem__)
    old = kmodes.KModes(3, init="Cao", n_init=1).fit(table)
    new = compat.KModes(3, init="Cao").fit(table)
    assert new.cost_ == old.cost_
    assert set(map(tuple, new.cluster_centroids_)) == set(
        map(tuple, old.cluster_centroids_)
    )
    assert np.array_equal(new.predict(table), new.labels_)
    assert np.array_equal(new.fit_predict(table), new.labels_)
    assert new._enc_cluster_centroids.shape == old._enc_cluster_centroids.shape


@pytest.mark.parametrize("gamma", [None, 0.7])
def test_prototypes_cost_no_more(gamma):
    codes = planted(3)
    table = pd.DataFrame(codes).map("abcd".__getitem__)
    table["size"] = codes[:, 0] * 2.0 + np.random.default_rng(0).normal(size=200)
    categories = list(range(6))
    options = dict(n_clusters=3, gamma=gamma, n_init=10, random_state=0, init="Huang")
    old = kprototypes.KPrototypes(**options).fit(table.values, categorical=categories)
    new = compat.KPrototypes(**options).fit(table, categorical=categories)
    assert new.model_.gamma_ == pytest.approx(old.gamma)
    assert new.cost_ <= old.cost_ * (1 + 1e-9)
    assert np.array_equal(new.predict(table, categorical=categories), new.labels_)
    assert new.cluster_centroids_.shape == old.cluster_centroids_.shape


@pytest.mark.parametrize("ours", [compat.KModes, compat.KPrototypes])
def test_a_clone_has_the_same_parameters_and_functions_are_refused(ours):
    model = ours(4, init="Huang", n_init=3)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(ValueError, match="cat_dissim"):
        ours(2, cat_dissim=np.equal).fit(planted(0), **{})
