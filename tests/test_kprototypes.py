"The estimator of mixed tables: scikit-learn's checks, weights, gaps, and bad input."

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from kmodes.kprototypes import KPrototypes as Peer
from scipy import sparse
from sklearn.base import clone, is_clusterer
from sklearn.cluster import KMeans
from sklearn.compose import make_column_selector
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import estimator_checks_generator

from kmodes_study.cluster.algorithms.lloyd import lloyd
from kmodes_study.cluster.estimator import KModes
from kmodes_study.cluster.gaps import partial_weights
from kmodes_study.family import kprototypes as module
from kmodes_study.family.kprototypes import KPrototypes
from kmodes_study.family.prototypes import k_prototypes
from kmodes_study.plain.prototypes import plain_mixed_partial

from mixed_tables import INITS, frame, holed, holed_frame, mixed, quiet


def test_inputs_are_left_alone():
    numeric, codes, weights = mixed(3)
    before = copy.deepcopy((numeric, codes, weights))
    start = numeric[:3].copy(), codes[:3].copy()
    k_prototypes(numeric, codes, *start, 0.5, sample_weight=weights)
    KPrototypes(
        3, init=np.column_stack([numeric, codes])[:3], categorical_features=[2, 3]
    ).fit(np.column_stack([numeric, codes]), sample_weight=weights)
    for left, right in zip(
        (numeric, codes, weights, *start), (*before, before[0][:3], before[1][:3])
    ):
        assert np.array_equal(left, right)


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
    weighted = (
        clone(model)
        .set_params(feature_weight={"width": 0, "shape": 0})
        .fit(X, sample_weight=weights)
    )
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


def test_weights_of_columns_by_name_and_by_place():
    X, _ = frame()
    named = KPrototypes(3, random_state=0, feature_weight=dict(width=0.5, new=0)).fit(X)
    listed = KPrototypes(
        3, random_state=0, feature_weight=np.array([1, 0.5, 1, 0])
    ).fit(X)
    placed = KPrototypes(3, random_state=0, feature_weight={1: 0.5, 3: 0}).fit(
        X.to_numpy()
    )
    for other in listed, placed:
        assert other.labels_.tolist() == named.labels_.tolist()
        assert other.cost_ == named.cost_
    tenfold = KPrototypes(3, random_state=0, feature_weight=[10, 5, 10, 0]).fit(X)
    assert tenfold.labels_.tolist() == named.labels_.tolist()
    assert tenfold.cost_ == pytest.approx(10 * named.cost_)
    assert tenfold.gamma_ == pytest.approx(named.gamma_)


# Looks at nothing unless an environment variable of scipy is set; the data are numpy
# arrays here.
NOT_APPLICABLE = ["check_array_api_input"]
# In scikit-learn 1.6 this one fails in itself: it subtracts a float from the whole
# numbers that it makes for categorical input.
if sklearn.__version__.startswith("1.6."):
    NOT_APPLICABLE.append("check_positive_only_tag_during_fit")
MODELS = [
    KPrototypes(2),
    KPrototypes(
        2,
        init="cao",
        missing="ignore",
        handle_unknown="ignore",
        categorical_features=[0],
    ),
]
CHECKS = [
    (model, check)
    for candidate in MODELS
    for model, check in estimator_checks_generator(candidate)
    if check.func.__name__ not in NOT_APPLICABLE
]


@pytest.mark.filterwarnings(
    "ignore:no column of X is:UserWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
@pytest.mark.parametrize(
    "model, check",
    CHECKS,
    ids=lambda x: x.func.__name__ if hasattr(x, "func") else repr(x),
)
def test_scikit_learns_contract(model, check):
    check(model)


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
    setting = {
        "NUMBA_DISABLE_JIT": "1",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    }
    run = lambda more: (
        subprocess.run(
            [sys.executable, "-c", FINGERPRINT],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | more,
        ).stdout
    )
    assert run({}) == run(setting)


def test_is_a_clusterer_with_tags():
    tags = KPrototypes().__sklearn_tags__()
    assert is_clusterer(KPrototypes())
    assert tags.input_tags.categorical
    assert tags.input_tags.string
    assert not tags.input_tags.allow_nan
    assert KPrototypes(missing="ignore").__sklearn_tags__().input_tags.allow_nan
    assert not KPrototypes(missing="category").__sklearn_tags__().input_tags.allow_nan


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
        by_hand = [
            plain_mixed_partial(
                cells([width, height]),
                cells([shape, new]),
                [c[1], c[2]],
                [c[0], c[3]],
                model.gamma_,
                [2, 1],
                [1, 0.5],
            )
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
    deviation = {
        name: np.sqrt(
            np.cov(X[name].dropna(), aweights=weights[X[name].notna()], ddof=0)
        )
        for name in ("width", "height")
    }
    fit = lambda **more: (
        KPrototypes(3, random_state=0, missing="ignore", **more)
        .fit(X, sample_weight=weights)
        .gamma_
    )
    assert fit() == pytest.approx((deviation["width"] + deviation["height"]) / 4)
    assert fit(feature_weight=dict(width=3, shape=9)) == pytest.approx(
        (3 * deviation["width"] + deviation["height"]) / 8
    )
    assert fit(feature_weight=dict(width=0)) == pytest.approx(deviation["height"] / 2)


def test_what_counts_as_missing():
    X = pd.DataFrame(
        {
            "shape": ["round", "flat", None, "flat", "long"],
            "width": [1, 2, 3, np.nan, 5],
            "new": [True, None, False, True, False],
        }
    )
    fit = lambda table, **more: KPrototypes(
        2, init="cao", missing="ignore", categorical_features=[0, 2], **more
    ).fit(table)
    expected = fit(X)
    tables = [
        X.astype({"shape": "category", "width": "Float64", "new": "boolean"}),
        X.astype({"shape": "string"}),
        X.astype(object),
        X.astype(object).where(X.notna(), None),
        X.astype(object).where(X.notna(), pd.NA),
        X.to_numpy(object),
        X.to_numpy(object).tolist(),
    ]
    for table in tables:
        assert fit(table).labels_.tolist() == expected.labels_.tolist()
        assert fit(table).cost_ == expected.cost_
        assert fit(table).gamma_ == expected.gamma_
    assert not pd.isna(expected.cluster_centroids_).any()
    lenient = fit(X, handle_unknown="ignore")
    strange = pd.DataFrame(
        {"shape": ["oval", None], "width": [1.0, 1], "new": [None, None]}
    )
    np.testing.assert_allclose(
        lenient.transform(strange),
        lenient.transform(strange)[[1]] + [[2 * lenient.gamma_], [0]],
    )  # differs, which is not missing


def test_verbose(capsys):
    X, _ = frame()
    model = KPrototypes(3, random_state=0, n_init=4, verbose=True).fit(X)
    lines = capsys.readouterr().out.splitlines()
    costs = [float(line.split()[5].rstrip(",")) for line in lines]
    assert [line.split(":")[0] for line in lines] == [
        f"start {number} of 4" for number in range(1, 5)
    ]
    assert min(costs) == model.cost_
    assert lines[int(np.argmin(costs))].endswith(f"passes {model.n_iter_}")
    KPrototypes(3, init="cao", verbose=1).fit(X)
    assert capsys.readouterr().out.startswith("start 1 of 1: cost ")
    KPrototypes(3).fit(X)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("seed", range(10))
def test_without_numbers_it_is_batch_k_modes_with_holes(seed):
    _, codes, weights, missing = holed(seed, 80, 0, (3, 4, 2, 5))
    start = np.unique(codes[(codes != missing).all(axis=1)], axis=0)[:4]
    (pulls, unit), nothing = partial_weights(codes, missing, weights), np.empty((80, 0))
    ours = k_prototypes(
        nothing,
        codes,
        nothing[: len(start)],
        start,
        1,
        sample_weight=weights,
        missing_codes=missing,
    )
    theirs = lloyd(codes, start, sample_weight=pulls, missing_codes=missing)
    assert ours.labels.tolist() == theirs.labels.tolist()
    assert ours.modes.tolist() == theirs.modes.tolist()
    assert ours.cost == pytest.approx(theirs.cost * unit, rel=1e-9)
    assert len(ours.epoch_costs) >= 2
    X = pd.DataFrame(np.where(codes == missing, None, codes.astype(str).astype(object)))
    rows = pd.DataFrame(start.astype(str).astype(object))
    modes = KModes(len(start), algorithm="lloyd", missing="ignore", init=rows).fit(
        X, sample_weight=weights
    )
    again = quiet(
        KPrototypes(len(start), missing="ignore", init=rows, gamma=1),
        X,
        sample_weight=weights,
    )
    assert again.labels_.tolist() == modes.labels_.tolist()
    assert again.cluster_centroids_.tolist() == modes.cluster_centroids_.tolist()
    assert again.cost_ == pytest.approx(modes.cost_, rel=1e-9)


def test_columns_named_in_every_way_give_one_result():
    X, _ = frame()
    texts = X.assign(new=X["new"].map({True: "yes", False: "no"}))
    expected = KPrototypes(3, random_state=0).fit(texts).labels_.tolist()
    typed = [
        texts.astype({"shape": "category"}),
        texts.astype({"shape": "string"}),
        texts.astype({"width": "Float64"}),
        texts.astype(object),
    ]
    ways = [
        ["shape", "new"],
        [0, 3],
        [-4, -1],
        [True, False, False, True],
        np.array([0, 3]),
        pd.Index(["shape", "new"]),
        lambda X: ["shape", "new"],
        make_column_selector(dtype_exclude=np.number),
    ]
    for way in ways:
        assert (
            KPrototypes(3, random_state=0, categorical_features=way)
            .fit(texts)
            .labels_.tolist()
            == expected
        )
    for table in typed[:3]:
        assert KPrototypes(3, random_state=0).fit(table).labels_.tolist() == expected
    for table in (
        typed[3],
        texts.to_numpy(),
        texts.to_numpy().astype(str),
        texts.to_numpy().tolist(),
    ):
        assert (
            KPrototypes(3, random_state=0, categorical_features=[0, 3])
            .fit(table)
            .labels_.tolist()
            == expected
        )
    assert (
        KPrototypes(3, random_state=0).fit(texts.to_numpy()).labels_.tolist()
        == expected
    )


def test_what_a_fit_leaves():
    X, weights = frame()
    model = KPrototypes(3, random_state=0).fit(X, sample_weight=weights)
    assert model.labels_.dtype == np.int32
    assert model.labels_.shape == (60,)
    assert model.gamma == "auto"
    assert model.gamma_ > 0
    assert model.cluster_centroids_.shape == (3, 4)
    assert model.cluster_centroids_.dtype == object
    assert set(model.cluster_centroids_[:, 0]) <= set(X["shape"])
    assert model.is_categorical_.tolist() == [True, False, False, True]
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == list(X)
    assert model.n_iter_ >= 1
    assert (np.diff(model.epoch_costs_) <= 0).all()
    assert model.epoch_costs_[-1] == model.cost_
    table = model.transform(X)
    assert table.shape == (60, 3)
    assert (
        table.argmin(axis=1).tolist()
        == model.labels_.tolist()
        == model.predict(X).tolist()
    )
    assert model.score_samples(X).tolist() == (-table.min(axis=1)).tolist()
    assert model.score(X, sample_weight=weights) == pytest.approx(
        -model.cost_, rel=1e-12
    )
    centroids, numbers = model.cluster_centroids_, X[["width", "height"]].to_numpy()
    by_hand = ((numbers[:, None] - centroids[:, 1:3].astype(float)) ** 2).sum(
        axis=2
    ) + model.gamma_ * (
        X[["shape", "new"]].to_numpy()[:, None] != centroids[:, [0, 3]]
    ).sum(axis=2)
    np.testing.assert_allclose(table, by_hand, rtol=1e-12)
    assert model.gamma_ == pytest.approx(
        np.repeat(numbers, weights, axis=0).std(axis=0).mean() / 2
    )


def test_gamma_is_the_peers_and_the_parameter_is_kept():
    numeric, codes, _ = mixed()
    X = np.column_stack([numeric, codes])
    model = KPrototypes(3, categorical_features=[2, 3], random_state=0).fit(X)
    peer = Peer(3, random_state=0, n_init=1).fit(X, categorical=[2, 3])
    assert model.gamma_ == pytest.approx(peer.gamma, rel=1e-12)
    assert model.fit(X * [10, 10, 1, 1]).gamma_ == pytest.approx(10 * peer.gamma)
    assert model.gamma == "auto"


def test_in_the_company_of_scikit_learn():
    X, _ = frame()
    model = KPrototypes(3, random_state=0).fit(X)
    assert model.get_feature_names_out().tolist() == [
        "kprototypes0",
        "kprototypes1",
        "kprototypes2",
    ]
    wide = clone(model).set_output(transform="pandas").fit(X)
    assert list(wide.transform(X)) == ["kprototypes0", "kprototypes1", "kprototypes2"]
    assert isinstance(wide.predict(X), np.ndarray)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).tolist() == model.labels_.tolist()
    assert clone(model).fit_predict(X).tolist() == model.labels_.tolist()
    assert (
        make_pipeline(FunctionTransformer(), KPrototypes(3, random_state=0))
        .fit(X)[-1]
        .cost_
        == model.cost_
    )
    search = GridSearchCV(
        KPrototypes(random_state=0), dict(n_clusters=[2, 5]), cv=2
    ).fit(X)
    assert search.best_params_ == {"n_clusters": 5}


def test_init_in_the_callers_categories():
    X, _ = frame()
    model = KPrototypes(3, init=X[:3]).fit(X)
    assert KPrototypes(3, init=X[:3].to_numpy()).fit(X).cost_ == model.cost_
    assert KPrototypes(3, init=model.cluster_centroids_).fit(X).epoch_costs_[
        0
    ] == pytest.approx(model.cost_)
    assert (
        KPrototypes(3, init="CAO").fit(X).cost_
        == KPrototypes(3, init="cao").fit(X).cost_
    )


def test_one_kind_of_column_only_warns():
    numeric, codes, _ = mixed(0, 100, 2, (3, 4, 2))
    with pytest.warns(
        UserWarning, match="no column of X is categorical: this is k-means"
    ):
        model = KPrototypes(4, init=numeric[:4]).fit(numeric)
    assert model.cost_ == pytest.approx(
        KMeans(4, init=numeric[:4], n_init=1, tol=0).fit(numeric).inertia_
    )
    start = np.unique(codes, axis=0)[::5][:4]
    with pytest.warns(UserWarning, match="no column of X is numeric: this is k-modes"):
        model = KPrototypes(4, init=start.astype(str)).fit(codes.astype(str))
    assert model.cost_ == lloyd(codes, start).cost
    assert model.gamma_ == 1


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


def test_constant_columns():
    X, _ = frame()
    more = X.assign(a="same", b=1.5)
    assert (
        KPrototypes(3, gamma=1, init=more[:3]).fit(more).labels_.tolist()
        == KPrototypes(3, gamma=1, init=X[:3]).fit(X).labels_.tolist()
    )
    assert KPrototypes(3, random_state=0).fit(X.assign(width=1, height=2.0)).gamma_ == 1


def test_missing_and_unknown_categories():
    X, _ = frame()
    holes = X.assign(shape=X["shape"].where(X.index % 7 > 0))
    with pytest.raises(ValueError, match="missing"):
        KPrototypes(3).fit(holes)
    assert len(set(KPrototypes(3, missing="category").fit(holes).labels_)) == 3
    model = KPrototypes(3, random_state=0).fit(X)
    strange = X[:1].assign(shape="square")
    with pytest.raises(ValueError, match="'square' in column 'shape'"):
        model.predict(strange)
    lenient = KPrototypes(3, random_state=0, handle_unknown="ignore").fit(X)
    known = X[:1].to_numpy()[0, 0]
    agrees = lenient.cluster_centroids_[:, 0] == known
    np.testing.assert_allclose(
        lenient.transform(strange) - lenient.transform(X[:1]),
        [lenient.gamma_ * agrees],
        atol=1e-12,
    )


BAD_PARAMETERS = [
    (dict(n_clusters=0), "n_clusters must be a whole number of at least 1, got 0"),
    (dict(n_clusters=True), "n_clusters must be a whole number"),
    (dict(n_clusters=2.0), "n_clusters must be a whole number of at least 1, got 2.0"),
    (dict(n_clusters="3"), "n_clusters"),
    (dict(n_clusters=None), "n_clusters"),
    (dict(max_iter=0), "max_iter must be"),
    (dict(max_iter=2.5), "max_iter"),
    (dict(max_iter=None), "max_iter"),
    (dict(max_iter=True), "max_iter"),
    (dict(n_init=0), "n_init must be a whole number of at least 1 or 'auto', got 0"),
    (
        dict(n_init="few"),
        "n_init must be a whole number of at least 1 or 'auto', got 'few'",
    ),
    (dict(n_init=None), "n_init"),
    (dict(n_init=True), "n_init"),
    (dict(n_init=2.5), "n_init"),
    (dict(n_init=[1]), "n_init"),
    (dict(gamma="huge"), "gamma must be one of 'auto', 'variance', got 'huge'"),
    (
        dict(gamma=None),
        "gamma must be a finite number of at least 0 or 'auto' or 'variance', got None",
    ),
    (
        dict(gamma=np.inf),
        "gamma must be a finite number of at least 0 or 'auto' or 'variance', got inf",
    ),
    (dict(gamma=np.nan), "gamma must be a finite"),
    (dict(gamma=-0.1), "gamma.*got -0.1"),
    (dict(gamma=[1]), "gamma"),
    (
        dict(init="first"),
        "init must be one of 'random', 'k-means[+][+]', 'huang', 'cao', got 'first'",
    ),
    (dict(init=None), "init must be one of.*got None"),
    (dict(init=3), "init must hold 3 rows like those of X"),
    (dict(init=[["round", 1, 2, True]]), "init must hold n_clusters=3 rows, got 1"),
    (
        dict(init=[["oval", 1, 2, True]] * 3),
        "init must hold 3 rows like those of X.*'oval'",
    ),
    (dict(init=[[1.0]] * 3), "init must hold 3 rows.*expected 4 columns, got 1"),
    (dict(init=[["round", np.nan, 2, True]] * 3), "init must hold 3 rows.*got NaN"),
    (
        dict(init=[["round", "wide", 2, True]] * 3),
        "init must hold 3 rows.*numbers in column 'width'",
    ),
    (
        dict(categorical_features="shape"),
        "categorical_features.*a single name goes into a list",
    ),
    (
        dict(categorical_features=["size"]),
        "categorical_features.*got 'size'; the names are",
    ),
    (dict(categorical_features=[4]), "categorical_features.*positions from -4 to 3"),
    (dict(categorical_features=[True]), "categorical_features.*a mask of 1"),
    (dict(categorical_features=[1.5]), "categorical_features.*got 1.5"),
    (dict(categorical_features=[3]), "X must hold numbers in column 'shape'"),
    (
        dict(dissimilarity="ng"),
        "dissimilarity must be one of 'matching', 'ordinal', got 'ng'",
    ),
    (dict(dissimilarity="ordinal"), "dissimilarity must be 'matching' for columns"),
    (dict(dissimilarity=None), "dissimilarity must be one of"),
    (
        dict(missing="drop"),
        "missing must be one of 'error', 'category', 'ignore', got 'drop'",
    ),
    (dict(missing=None), "missing must be one of"),
    (dict(handle_unknown="drop"), "handle_unknown must be one of"),
    (dict(handle_unknown=None), "handle_unknown"),
    (
        dict(feature_weight=1),
        "feature_weight must be None, 4 weights, or a dictionary from the name of a "
        "feature to its weight, got 1",
    ),
    (dict(feature_weight=[1] * 3), "feature_weight must be None, 4 weights"),
    (dict(feature_weight="width"), "feature_weight"),
    (
        dict(feature_weight=[-1] * 4),
        "each feature_weight must be a finite number of at least 0, got -1",
    ),
    (dict(feature_weight=[0] * 4), "must not be zero for all features"),
    (dict(feature_weight=["a"] * 4), "each feature_weight must be a finite number"),
    (dict(feature_weight=[True] * 4), "each feature_weight must be"),
    (dict(feature_weight=[np.nan] * 4), "finite"),
    (dict(feature_weight=[1, 1, 1, np.inf]), "finite"),
    (dict(feature_weight=[[1] * 4]), "feature_weight"),
    (
        dict(feature_weight=dict(colour=2)),
        "feature_weight must name features of X, got 'colour'; there are: 'shape', "
        "'width'",
    ),
    (dict(feature_weight={1: 2}), "must name features of X, got 1"),
    (
        dict(feature_weight=dict(width="much")),
        "each feature_weight must be a finite number",
    ),
    (
        dict(random_state="x"),
        "random_state must be None, a whole number from 0 to .*, got 'x'",
    ),
    (dict(random_state=-1), "random_state"),
    (dict(random_state=1.5), "random_state"),
    (dict(verbose=-1), "verbose must be a whole number of at least 0, got -1"),
    (dict(verbose="much"), "verbose"),
    (dict(verbose=None), "verbose"),
    (dict(verbose=0.5), "verbose"),
    (
        dict(n_jobs=0),
        "n_jobs must be a whole number of at least 1 or None or -1, got 0",
    ),
    (dict(n_jobs=1.5), "n_jobs"),
    (dict(n_jobs="all"), "n_jobs"),
    (dict(n_jobs=True), "n_jobs"),
]


@pytest.mark.parametrize("options, said", BAD_PARAMETERS, ids=lambda x: str(x)[:40])
def test_bad_parameters(options, said):
    model = KPrototypes(**{"n_clusters": 3} | options)  # storing them is no error
    with pytest.raises(ValueError, match=said):
        model.fit(frame()[0])


def test_no_parameter_is_left_out_of_the_matrix():
    assert {name for options, _ in BAD_PARAMETERS for name in options} == set(
        KPrototypes().get_params()
    )


BAD_TABLES = [
    ([], ValueError, "empty|at least"),
    ([[]], ValueError, "empty|0 feature"),
    (["a", "b"], ValueError, "two-dimensional"),
    ([["a", 1], ["a"]], ValueError, "one length"),
    (np.zeros((3, 2, 2)), ValueError, "two-dimensional"),
    (np.array([[1 + 2j]] * 3), ValueError, "Complex"),
    (np.array([[1.0], [np.inf]]), ValueError, "got infinity.*column 0, row 1"),
    (
        np.array([["a", None]] * 3, dtype=object),
        ValueError,
        "X must hold finite numbers, got NaN, in column 1, row 0",
    ),
    (sparse.csr_matrix(np.eye(3)), TypeError, "sparse"),
    (
        pd.DataFrame({"x": ["a", None], "y": [1, 2]}),
        ValueError,
        "missing values.*column 'x', row 1",
    ),
    (pd.DataFrame({"x": [["a"], ["b"]], "y": [1, 2]}), TypeError, "hash|list"),
]


@pytest.mark.filterwarnings("ignore:no column of X is:UserWarning")
@pytest.mark.parametrize("X, error, said", BAD_TABLES, ids=lambda x: str(x)[:20])
def test_bad_table(X, error, said):
    with pytest.raises(error, match=said):
        KPrototypes(1).fit(X)


@pytest.mark.parametrize("method", ["predict", "transform", "score", "score_samples"])
def test_bad_table_after_fit(method):
    X, _ = holed_frame()
    with pytest.raises(NotFittedError, match="KPrototypes"):
        getattr(KPrototypes(), method)(X)
    ask = getattr(KPrototypes(3, missing="ignore").fit(X), method)
    nothing = X.copy()
    nothing.loc[7] = None
    for bad, said in [
        (X[["shape", "width"]], "feature names"),
        (X[X.columns[::-1]], "same order"),
        (X.to_numpy(object)[0], "Reshape"),
        (X.assign(shape="oval"), "'oval' in column 'shape'"),
        (X.assign(width="wide"), "X must hold numbers in column 'width'"),
        (X.assign(width=np.inf), "got infinity"),
        (nothing, "row 7 has none"),
    ]:
        with pytest.raises(ValueError, match=said):
            ask(bad)
    with pytest.raises(
        ValueError, match="got NaN, in column 'width'.*missing='ignore'"
    ):
        getattr(KPrototypes(3).fit(frame()[0]), method)(X)


def test_holes_that_are_refused():
    X, weights = holed_frame()
    for missing in "error", "category":
        with pytest.raises(
            ValueError,
            match=(
                "got NaN, in column 'width'.*missing='ignore' leaves missing numbers "
                "out of account"
            ),
        ):
            KPrototypes(3, missing=missing).fit(X)
    with pytest.raises(ValueError, match="missing values.*column 'shape'"):
        KPrototypes(3).fit(X.fillna({"width": 0, "height": 0}))
    nothing = X.copy()
    nothing.loc[[7, 9]] = None
    with pytest.raises(ValueError, match="row 7 has none: drop rows"):
        KPrototypes(3, missing="ignore").fit(nothing)
    nothing.loc[[7, 9], "width"] = 1
    with pytest.raises(ValueError, match="row 7 has none"):
        KPrototypes(3, missing="ignore", feature_weight=dict(width=0)).fit(nothing)
    with pytest.raises(
        ValueError, match="only missing ones in column 'width': drop that column"
    ):
        KPrototypes(3, missing="ignore").fit(X.assign(width=np.nan))
    with pytest.raises(ValueError, match="only missing ones in column 'shape'"):
        KPrototypes(3, missing="ignore").fit(X.assign(shape=None))
    with pytest.raises(
        ValueError,
        match="in a row of positive weight, got only missing ones in column 'width'",
    ):
        KPrototypes(3, missing="ignore").fit(
            frame()[0].assign(width=[1.0] * 5 + [np.nan] * 55),
            sample_weight=[0] * 5 + [1] * 55,
        )
    with pytest.raises(
        ValueError,
        match=(
            "gamma must be positive when no column of X is numeric and of positive "
            "weight"
        ),
    ):
        KPrototypes(3, gamma=0, feature_weight=dict(width=0, height=0)).fit(frame()[0])


def test_bad_data():
    X, _ = frame()
    for value, said in (
        (np.nan, "got NaN, in column 'width', row 5"),
        (np.inf, "got infinity"),
        (1e200, "too large to be squared"),
    ):
        bad = X.copy()
        bad.loc[5, "width"] = value
        with pytest.raises(ValueError, match=said):
            KPrototypes(3).fit(bad)
        if not np.isnan(value):
            with pytest.raises(ValueError, match=said):
                KPrototypes(3, missing="ignore").fit(bad)
    with pytest.raises(ValueError, match="column 1, row 0"):
        KPrototypes(2, categorical_features=[0]).fit(
            np.array([["a", None], ["b", 1.0]], dtype=object)
        )
    with pytest.raises(ValueError, match="infinity .inf., but column 0 does"):
        KPrototypes(2, categorical_features=[0]).fit(np.array([[np.inf, 1], [2, 2]]))
    with pytest.raises(ValueError, match="infinity .inf., but column 'height' does"):
        KPrototypes(3, categorical_features=["height", "shape"]).fit(
            X.assign(height=-np.inf, new=1)
        )
    with pytest.raises(ValueError, match="datetime"):
        KPrototypes(3).fit(X.assign(width=pd.Timestamp("2020-01-01")))
    with pytest.raises(ValueError, match="gamma must be positive when no column"):
        quiet(KPrototypes(3, gamma=0), X[["shape"]])
    for weights in ([1], -np.ones(60), np.zeros(60), np.full(60, np.nan)):
        with pytest.raises(ValueError, match="sample_weight must"):
            KPrototypes(3).fit(X, sample_weight=weights)
    model = KPrototypes(3).fit(X)
    with pytest.raises(NotFittedError):
        KPrototypes().predict(X)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[["width", "shape", "height", "new"]])
    with pytest.raises(ValueError, match="3 features"):
        KPrototypes(3).fit(X.to_numpy()).predict(X.to_numpy()[:, :3])


def test_sums_beyond_the_largest_float_are_refused():
    X, weights = frame()
    for options, known in [
        (dict(gamma=1.7e308), {}),
        (dict(feature_weight=[1e300] * 4, gamma=1e10), {}),
        ({}, dict(sample_weight=weights * 1e307)),
    ]:
        with pytest.raises(
            ValueError, match="scale its numbers|too large for a finite sum"
        ):
            KPrototypes(3, **options).fit(X, **known)
    far = X.assign(width=X["width"] * 1e100)
    with pytest.raises(ValueError, match="scale its numbers"):
        quiet(KPrototypes(3, gamma=1), far, sample_weight=weights * 1e200)
    model = KPrototypes(3).fit(X)
    with pytest.raises(ValueError, match="scale its numbers"):
        model.score(far, sample_weight=weights * 1e200)
    for huge in dict(gamma=10**400), dict(feature_weight=[10**400, 1, 1, 1]):
        with pytest.raises(ValueError, match=f"{next(iter(huge))} must .*finite"):
            KPrototypes(3, **huge).fit(X)


@pytest.mark.parametrize(
    "weights", [np.nan, np.inf, 10**400, [10**400] * 60, {"a": 1}, {1}, "much"], ids=str
)
def test_weights_that_are_none(weights):
    X, _ = frame()
    model = KPrototypes(3).fit(X)
    for call in (KPrototypes(3).fit, model.score):
        with pytest.raises(ValueError, match="sample_weight must"):
            call(X, sample_weight=weights)


def test_numbers_of_numpy_are_python_numbers():
    X, _ = frame()
    options = dict(init="random", random_state=0)
    for kind in np.uint8, np.int8, np.uint64:
        left = KPrototypes(
            kind(5),
            n_init=kind(3),
            max_iter=kind(20),
            verbose=kind(0),
            gamma=kind(2),
            **options,
        ).fit(X)
        right = KPrototypes(5, n_init=3, max_iter=20, gamma=2, **options).fit(X)
        assert left.labels_.tolist() == right.labels_.tolist()
        assert left.cost_ == right.cost_
        assert type(left.gamma_) is float


def test_a_fit_reads_the_categories_once(monkeypatch):
    calls = []
    for name in "learn", "look_up":
        function = getattr(module, name)
        monkeypatch.setattr(
            module,
            name,
            lambda *args, function=function: calls.append(1) or function(*args),
        )
    KPrototypes(3).fit(frame()[0])
    assert len(calls) == 1


def test_profiles_are_of_all_columns_each_of_its_kind():
    table = frame()[0]
    model = KPrototypes(3, random_state=0).fit(table)
    profiles = model.profiles(table)
    assert profiles.attribute[: table.shape[1]].tolist() == list(table.columns)
    assert set(profiles.attribute[profiles.kind == "category"]) == set(
        table.columns[model.is_categorical_]
    )
    assert (
        profiles.groupby("cluster")["size"].first().tolist()
        == np.bincount(model.labels_).tolist()
    )
    numbers = table.loc[:, ~model.is_categorical_]
    means = profiles[profiles.kind == "number"]["mean"].to_numpy().reshape(3, -1)
    assert np.allclose(means, numbers.groupby(model.labels_).mean())
    with pytest.warns(UserWarning, match="this is k-means"):
        alone = KPrototypes(3, random_state=0).fit(numbers)
    found = alone.profiles(numbers)["mean"].to_numpy().reshape(3, -1)
    assert np.allclose(found, alone.centres_)


def test_one_start_under_two_names():
    table = frame()[0]
    first, second = (
        KPrototypes(3, init=init, random_state=0).fit(table)
        for init in ("k-means++", "K-Modes++")
    )
    assert first.cost_ == second.cost_
    assert first.labels_.tolist() == second.labels_.tolist()
