"The estimator of mixed tables: weights, gaps, scales, starts, and what is refused."

import os
import pickle
import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from kmodes.kprototypes import KPrototypes as Peer
from sklearn.base import clone
from sklearn.compose import make_column_selector
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import kmodes_study
from kmodes_study.cluster.algorithms.lloyd import lloyd
from kmodes_study.cluster.estimator import KModes
from oracles.gaps import partial_weights
from kmodes_study.family.kprototypes import KPrototypes
from kmodes_study.measures import adjusted_rand_score

from mixed_tables import INITS, descended, frame, holed, holed_frame, mixed
from mixed_tables import plain_mixed_partial, quiet


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("seed", range(4))
def test_complete_data_do_not_notice_missing_or_unit_weights(init, seed):
    X, weights = frame(seed, 100)
    said = lambda model: (
        model.labels_.tobytes(),
        model.centres_.tobytes(),
        model.modes_.tobytes(),
        model.epoch_costs_,
        model.gamma_,
        model.transform(X).tobytes(),
    )
    fits = [
        KPrototypes(4, init=init, random_state=seed, n_init=2, **more).fit(
            X, sample_weight=weights
        )
        for more in (
            {},
            dict(missing="ignore"),
            dict(feature_weight=[1] * 4),
            dict(missing="ignore", feature_weight={"new": 1.0}),
        )
    ]
    for other in fits[1:]:
        assert said(other) == said(fits[0])


@pytest.mark.parametrize("init", ["k-means++", "cao", "random"])
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_weight_two_is_the_column_twice(init, holes, seed):
    X, weights = (holed_frame if holes else frame)(seed)
    if not holes:
        # whole numbers: the order of additions does not matter
        X[["width", "height"]] = (4 * X[["width", "height"]]).round()
    twice = pd.concat([X, X[["shape", "width"]].add_suffix(" again")], axis=1)
    for gamma in 2.0, "auto":
        model = KPrototypes(
            4, gamma=gamma, init=init, random_state=seed, n_init=2, missing="ignore"
        )
        weighted = (
            clone(model)
            .set_params(feature_weight=dict(shape=2, width=2))
            .fit(X, sample_weight=weights)
        )
        repeated = model.fit(twice, sample_weight=weights)
        assert weighted.gamma_ == pytest.approx(repeated.gamma_, rel=1e-12)
        assert weighted.labels_.tolist() == repeated.labels_.tolist()
        assert weighted.epoch_costs_ == pytest.approx(repeated.epoch_costs_, rel=1e-9)
        np.testing.assert_allclose(
            weighted.centres_, repeated.centres_[:, :2], rtol=1e-9
        )
        assert (
            weighted.cluster_centroids_[:, [0, 3]].tolist()
            == repeated.cluster_centroids_[:, [0, 3]].tolist()
        )
        np.testing.assert_allclose(
            weighted.transform(X), repeated.transform(twice), rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("make", [frame, holed_frame])
@pytest.mark.parametrize("seed", range(4))
def test_weight_zero_is_no_column(init, make, seed):
    X, weights = make(seed)
    X["always"] = "here"  # a row shall not be left without any value
    model = KPrototypes(4, init=init, random_state=seed, n_init=2, missing="ignore")
    weighted = clone(model).set_params(feature_weight=dict(width=0, shape=0))
    weighted.fit(X, sample_weight=weights)
    without = model.fit(X.drop(columns=["width", "shape"]), sample_weight=weights)
    assert weighted.labels_.tobytes() == without.labels_.tobytes()
    assert weighted.epoch_costs_ == without.epoch_costs_
    assert weighted.gamma_ == without.gamma_
    assert (
        weighted.cluster_centroids_[:, 2:].tolist()
        == without.cluster_centroids_.tolist()
    )
    assert (
        weighted.transform(X).tobytes()
        == without.transform(X.drop(columns=["width", "shape"])).tobytes()
    )
    for l, (shape, width) in enumerate(weighted.cluster_centroids_[:, :2]):
        rows = (weighted.labels_ == l) & X["width"].notna()
        assert width == pytest.approx(
            np.average(X["width"][rows], weights=weights[rows])
        )
        sums = (
            pd.Series(weights)
            .where(weighted.labels_ == l)
            .groupby(X["shape"].to_numpy())
            .sum()
        )
        assert sums[shape] == sums.max()


FINGERPRINT = """
import hashlib, numpy as np
from kmodes_study.family.kprototypes import KPrototypes
rng, h = np.random.default_rng(0), hashlib.sha256()
X, w = np.column_stack([rng.normal(size=(150, 3)), rng.integers(0, 4, (150, 3))]), rng.random(150)
for init in "k-means++", "cao", "huang", "random":
    model = KPrototypes(5, init=init, n_init=2, random_state=1, categorical_features=[3, 4, 5]).fit(X, sample_weight=w)
    parts = model.labels_, model.centres_, np.array(model.epoch_costs_), model.transform(X)
    for part in parts: h.update(part.tobytes())
    holes = np.where(rng.random(X.shape) < .1, np.nan, X)
    model.set_params(missing="ignore", feature_weight=[1, .3, 2, 0, 1, .7]).fit(holes, sample_weight=w)
    parts = model.labels_, model.centres_, np.array(model.epoch_costs_), model.transform(holes)
    for part in parts: h.update(part.tobytes())
print(h.hexdigest())
"""


def test_last_bit_depends_on_no_compiler_and_no_processor():
    # names of features that this numpy does not know give a warning on stderr, which is
    # of no interest
    features = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
    setting = dict(NUMBA_DISABLE_JIT="1", NPY_DISABLE_CPU_FEATURES=features)
    words, options = [sys.executable, "-c", FINGERPRINT], dict(capture_output=True)
    once, again = (
        subprocess.run(words, **options, check=True, env=os.environ | more).stdout
        for more in ({}, setting)
    )
    assert once == again


@pytest.mark.parametrize("init", [*INITS, "array"])
@pytest.mark.parametrize("make", [frame, holed_frame])
@pytest.mark.parametrize("v", [None, dict(width=0.3, shape=2), dict(new=0, shape=0)])
def test_weights_repeats_and_order_are_the_same_to_the_last_bit(init, make, v):
    X, weights = make(1, 120)
    weights[::5] = 0
    if v:
        X["weight"] = np.arange(120) % 3  # a row shall not be left without any value
    again = np.random.default_rng(2).permutation(np.repeat(np.arange(120), weights))
    model = KPrototypes(
        4,
        init=X[:4] if init == "array" else init,
        random_state=3,
        missing="ignore" if make is holed_frame else "error",
        feature_weight=v,
    )
    first = clone(model).fit(X, sample_weight=weights)
    second = model.set_params(n_jobs=2).fit(X.iloc[again])
    assert first.cost_ == second.cost_
    assert first.gamma_ == second.gamma_
    assert first.epoch_costs_ == second.epoch_costs_
    assert first.labels_[again].tolist() == second.labels_.tolist()
    assert first.cluster_centroids_.tolist() == second.cluster_centroids_.tolist()


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("seed", range(4))
def test_rows_of_weight_zero_are_absent_with_or_without_holes(init, seed):
    X, _ = frame(seed, 80)
    holes, weights = holed_frame(seed, 80)[0], np.arange(80) % 3
    present = weights > 0
    # holes in rows of weight 0 and 2
    X = X.astype(object).where(np.broadcast_to(weights[:, None] == 1, X.shape), holes)
    # and in rows of weight 0 only
    for table in X, X.mask(X.isna() & present[:, None], 1.0):
        table = table.astype({"width": float, "height": float})
        model = KPrototypes(
            4,
            init=init,
            random_state=seed,
            n_init=2,
            missing="ignore",
            categorical_features=["shape", "new"],
        )
        with_them = clone(model).fit(table, sample_weight=weights)
        without = clone(model).fit(table[present], sample_weight=weights[present])
        assert with_them.labels_[present].tobytes() == without.labels_.tobytes()
        assert with_them.epoch_costs_ == without.epoch_costs_
        assert (
            with_them.cluster_centroids_.tolist() == without.cluster_centroids_.tolist()
        )
        assert with_them.gamma_ == without.gamma_
        assert (
            with_them.labels_.tolist()
            == with_them.predict(table).tolist()
            == without.predict(table).tolist()
        )


def test_every_method_keeps_to_the_rule():
    X, weights = holed_frame(3, 80)
    model = KPrototypes(
        4, random_state=0, missing="ignore", feature_weight=dict(width=2, new=0.5)
    ).fit(X, sample_weight=weights)
    table = model.transform(X)
    cells = lambda values: [None if pd.isna(value) else value for value in values]
    for i, (shape, width, height, new) in enumerate(X.to_numpy(object)):
        row = cells([width, height]), cells([shape, new])
        prices = model.gamma_, [2, 1], [1, 0.5]
        by_hand = [
            plain_mixed_partial(*row, [c[1], c[2]], [c[0], c[3]], *prices)
            for c in model.cluster_centroids_
        ]
        np.testing.assert_allclose(table[i], by_hand, rtol=1e-12, atol=1e-12)
        # a row's figures do not depend on its company
        assert model.transform(X[i : i + 1]).tobytes() == table[i].tobytes()
    assert (
        model.labels_.tolist()
        == table.argmin(axis=1).tolist()
        == model.predict(X).tolist()
    )
    assert model.score_samples(X).tolist() == (-table.min(axis=1)).tolist()
    assert -model.score(X, sample_weight=weights) == pytest.approx(
        model.cost_, rel=1e-12
    )
    assert model.epoch_costs_[-1] == model.cost_
    assert pickle.loads(pickle.dumps(model)).transform(X).tobytes() == table.tobytes()
    # parameters are for the next fit
    model.set_params(feature_weight=None, missing="error")
    assert model.transform(X).tobytes() == table.tobytes()


def test_gamma_from_observed_numbers_and_weights_of_columns():
    X, weights = holed_frame(2, 80)
    deviation = {}
    for name in "width", "height":
        there = X[name].notna()
        variance = np.cov(X[name][there], aweights=weights[there], ddof=0)
        deviation[name] = np.sqrt(variance)
    model = KPrototypes(3, random_state=0, missing="ignore")
    fit = lambda **more: (
        clone(model).set_params(**more).fit(X, sample_weight=weights).gamma_
    )
    assert fit() == pytest.approx((deviation["width"] + deviation["height"]) / 4)
    assert fit(feature_weight=dict(width=3, shape=9)) == pytest.approx(
        (3 * deviation["width"] + deviation["height"]) / 8
    )
    assert fit(feature_weight=dict(width=0)) == pytest.approx(deviation["height"] / 2)


@pytest.mark.parametrize("seed", range(10))
def test_without_numbers_it_is_batch_k_modes_with_holes(seed):
    _, codes, weights, missing = holed(seed, 80, 0, (3, 4, 2, 5))
    start = np.unique(codes[(codes != missing).all(axis=1)], axis=0)[:4]
    (pulls, unit), nothing = partial_weights(codes, missing, weights), np.empty((80, 0))
    options = dict(sample_weight=weights, missing_codes=missing)
    ours = descended(nothing, codes, nothing[: len(start)], start, 1, **options)
    theirs = lloyd(codes, start, sample_weight=pulls, missing_codes=missing)
    assert ours.labels.tolist() == theirs.labels.tolist()
    assert ours.modes.tolist() == theirs.modes.tolist()
    assert ours.cost == pytest.approx(theirs.cost * unit, rel=1e-9)
    assert len(ours.epoch_costs) >= 2
    X = pd.DataFrame(np.where(codes == missing, None, codes.astype(str).astype(object)))
    rows = pd.DataFrame(start.astype(str).astype(object))
    options = dict(n_clusters=len(start), missing="ignore", init=rows)
    modes = KModes(algorithm="lloyd", **options).fit(X, sample_weight=weights)
    again = quiet(KPrototypes(gamma=1, **options), X, sample_weight=weights)
    assert again.labels_.tolist() == modes.labels_.tolist()
    assert again.cluster_centroids_.tolist() == modes.cluster_centroids_.tolist()
    assert again.cost_ == pytest.approx(modes.cost_, rel=1e-9)


def test_gamma_is_the_peers_and_the_parameter_is_kept():
    numeric, codes, _ = mixed()
    X = np.column_stack([numeric, codes])
    model = KPrototypes(3, categorical_features=[2, 3], random_state=0).fit(X)
    peer = Peer(3, random_state=0, n_init=1).fit(X, categorical=[2, 3])
    assert model.gamma_ == pytest.approx(peer.gamma, rel=1e-12)
    assert model.fit(X * [10, 10, 1, 1]).gamma_ == pytest.approx(10 * peer.gamma)
    assert model.gamma == "auto"
    scale = pd.Categorical.from_codes(np.arange(len(X)) % 3, list("abc"), ordered=True)
    table = pd.DataFrame(dict(x=numeric[:, 0], scale=scale))
    options = dict(dissimilarity="ordinal", random_state=0, gamma="variance")
    # each of its two steps is passed by a third of the rows, or by two thirds
    shares = [(scale.codes >= step).mean() for step in (1, 2)]
    variation = np.mean([1 - share**2 - (1 - share) ** 2 for share in shares])
    expected = pytest.approx(table.x.var(ddof=0) / variation)
    assert KPrototypes(2, **options).fit(table).gamma_ == expected


def test_numbers_that_hide_other_columns_are_told_with_what_helps():
    rng = np.random.RandomState(0)
    groups = np.repeat([0, 1], 50)
    X = pd.DataFrame(
        {"income": rng.normal(3000, 900, 100), "c": rng.choice([*"pqrs"], 100)}
    )
    X["age"] = 4 * groups + rng.normal(0, 0.5, 100)
    told = r"income counts [\d,]+ times as much as age; (.*) makes numbers"
    with pytest.warns(UserWarning, match=told) as seen:
        hidden = KPrototypes(2, random_state=0).fit(X)
    line = re.search(told, str(seen[0].message))[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        names = dict(KPrototypes=KPrototypes, kmodes_study=kmodes_study, X=X)
        model = eval(line, names).set_params(n_clusters=2, random_state=0).fit(X)
        KPrototypes(2, gamma=1.0).fit(X[["age", "c"]])
    assert adjusted_rand_score(hidden.labels_, groups) < 0.5
    assert adjusted_rand_score(model.labels_, groups) == 1
    with pytest.warns(UserWarning, match="income counts .* as much as a mismatch"):
        KPrototypes(2).fit(X[["income", "c"]])


def test_fewer_rows_than_clusters():
    X, _ = frame(0, 3)
    with pytest.warns(ConvergenceWarning, match="only 3 rows that differ"):
        model = KPrototypes(5).fit(pd.concat([X, X]))
    assert sorted(set(model.labels_)) == [0, 1, 2]
    assert model.cost_ == 0
    assert model.cluster_centroids_.shape == (3, 4)
    assert model.transform(X).shape == (3, 3)
    numeric, codes = np.zeros((9, 1)), np.arange(9)[:, None]
    with pytest.warns(ConvergenceWarning, match="only 1 rows that differ"):
        KPrototypes(2, gamma=0, categorical_features=[1]).fit(
            np.column_stack([numeric, codes])
        )


def test_a_start_of_the_caller_in_the_categories_of_the_table():
    X, _ = frame()
    model = KPrototypes(3, init=X[:3]).fit(X)
    assert KPrototypes(3, init=X[:3].to_numpy()).fit(X).cost_ == model.cost_
    again = KPrototypes(3, init=model.cluster_centroids_).fit(X)
    assert again.epoch_costs_[0] == pytest.approx(model.cost_)


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_scale_counts_its_steps_and_has_a_median(holes, seed):
    rng = np.random.default_rng(seed)
    levels = list("abcde")
    places = rng.integers(0, 5, 80)
    X = pd.DataFrame({"x": rng.normal(size=80), "s": np.array(levels)[places]})
    X["colour"] = np.array(["red", "blue"])[rng.integers(0, 2, 80)]
    if holes:
        X = X.mask(rng.random(X.shape) < 0.15)
        X.loc[X.isna().all(axis=1), "x"] = 0.0
    X["s"] = pd.Categorical(X["s"], levels, ordered=True)
    weight = dict(s=2.0, colour=0.5)
    model = KPrototypes(
        3,
        gamma=1.5,
        dissimilarity="ordinal",
        missing="ignore",
        feature_weight=weight,
        random_state=seed,
    ).fit(X)
    for row, distances in zip(X.to_numpy(object), model.transform(X)):
        for centre, distance in zip(model.cluster_centroids_, distances):
            numbers = 0 if pd.isna(row[0]) else (row[0] - centre[0]) ** 2
            own, total = 0.0, 0.0
            if not pd.isna(row[1]):
                apart = abs(levels.index(row[1]) - levels.index(centre[1]))
                total += 2.0 * apart / 4
                own += 2.0
            if not pd.isna(row[2]):
                total += 0.5 * (row[2] != centre[2])
                own += 0.5
            names = 1.5 * total * 2.5 / own if own else 0
            assert distance == pytest.approx(numbers + names, abs=1e-12)
    if not holes:
        for l, centre in enumerate(model.cluster_centroids_):
            own = np.sort(X["s"].cat.codes.to_numpy()[model.labels_ == l])
            assert levels.index(centre[1]) == own[(len(own) - 1) // 2]


@pytest.mark.parametrize("change", [{}, dict(dissimilarity="ordinal")], ids=str)
def test_a_saved_model_predicts_as_before(tmp_path, change):
    X, _ = holed_frame(5)
    X["shape"] = pd.Categorical(X["shape"], ["flat", "long", "round"], ordered=True)
    model = KPrototypes(3, missing="ignore", feature_weight=dict(new=0), **change)
    model.set_params(random_state=0).fit(X)
    model.save(tmp_path / "model.json")
    loaded = KPrototypes.load(tmp_path / "model.json")
    assert loaded.transform(X).tobytes() == model.transform(X).tobytes()
    assert loaded.modes_frame_.equals(model.modes_frame_)


@pytest.mark.parametrize(
    "options",
    [
        dict(n_clusters=0),
        dict(gamma="huge"),
        dict(gamma=-0.1),
        dict(init="first"),
        dict(init=[["oval", 1, 2, True]] * 3),
        dict(categorical_features=["size"]),
        dict(dissimilarity="ordinal"),
        dict(missing="drop"),
        dict(handle_unknown="drop"),
        dict(feature_weight=dict(colour=2)),
        dict(gamma=1.7e308),
    ],
    ids=str,
)
def test_what_is_no_parameter_is_refused_by_its_name(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        KPrototypes(**{"n_clusters": 3} | options).fit(frame()[0])


def test_tables_that_would_give_wrong_clusters_are_refused():
    X, weights = frame()
    holes, _ = holed_frame()
    far = X.assign(width=X["width"] * 1e100)
    nothing = holes.copy()
    nothing.loc[7] = None
    gappy = KPrototypes(3, missing="ignore")
    for model, table, known, said in [
        (KPrototypes(3), X.assign(width=np.inf), {}, "width"),
        (KPrototypes(3), X.assign(width=X["width"].where(X.index > 5)), {}, "width"),
        (KPrototypes(3), X.assign(shape=X["shape"].where(X.index > 5)), {}, "shape"),
        (KPrototypes(3, missing="category"), holes, {}, "ignore"),
        (gappy, nothing, {}, "row 7"),
        (gappy, holes.assign(width=np.nan), {}, "width"),
        (KPrototypes(3, gamma=1), far, dict(sample_weight=weights * 1e200), "scale"),
        (KPrototypes(3), X, dict(sample_weight=-weights), "sample_weight"),
    ]:
        with pytest.raises(ValueError, match=said):
            quiet(model, table, **known)
    model = KPrototypes(3, random_state=0).fit(X)
    for bad, said in [
        (X.assign(shape="square"), "'square' in column 'shape'"),
        (X[X.columns[::-1]], "order"),
        (X.assign(width="wide"), "width"),
    ]:
        with pytest.raises(ValueError, match=said):
            model.predict(bad)
    with pytest.raises(NotFittedError):
        KPrototypes().predict(X)


def test_columns_named_in_every_way_give_one_result():
    X, _ = frame()
    X["new"] = X["new"].map({True: "yes", False: "no"})
    expected = KPrototypes(3, random_state=0).fit(X).labels_.tolist()
    by_place = dict(categorical_features=[0, 3])
    for table, options in [
        (X, dict(categorical_features=["shape", "new"])),
        (X, dict(categorical_features=[-4, -1])),
        (X, dict(categorical_features=[True, False, False, True])),
        (X, dict(categorical_features=make_column_selector(dtype_exclude="number"))),
        (X.astype({"shape": "category", "width": "Float64", "new": "string"}), {}),
        (X.astype(object), by_place),
        (X.to_numpy().tolist(), by_place),
        (X.to_numpy(), {}),
    ]:
        model = KPrototypes(3, random_state=0, **options).fit(table)
        assert model.labels_.tolist() == expected
