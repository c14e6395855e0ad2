"Latent classes: the steps in fractions, stepmix as oracle, a rising likelihood."

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from kmodes_study.data.synthetic import make_planted_clusters
from kmodes_study.family.latent_classes import LatentClasses, _e_step, em
from kmodes_study.family.latent_classes import observed_table
from oracles.relatives import plain_class_memberships, plain_parameters

codes = hnp.arrays(
    np.uint8,
    st.tuples(st.integers(4, 20), st.integers(1, 5)),
    elements=st.integers(0, 3),
)
few = settings(deadline=None, max_examples=30)


class Fitted:
    "A run of EM from given memberships, in which codes from `gap` on are missing."

    def __init__(self, X, start, weights=None, max_iter=1000, tol=1e-6, gap=None):
        sizes = X.max(axis=0).astype(int) + 1
        table = observed_table(X, sizes if gap is None else np.minimum(sizes, gap))
        weights = np.ones(len(X)) if weights is None else weights.astype(float)
        self.run = em(table, weights, start, max_iter, tol)
        self.prevalences = self.run.prevalences
        self.history = [-cost for cost in self.run.epoch_costs]
        self.shares = np.split(self.run.shares.T, table.offsets[1:-1], axis=1)
        self.memberships = _e_step(table, self.prevalences, self.run.shares)[0]


def any_memberships(n, k, seed):
    return np.random.RandomState(seed).dirichlet(np.ones(k), n)


@few
@given(codes, st.integers(1, 4), st.integers(0, 99))
def test_a_pass_by_the_formulas_in_fractions(X, k, seed):
    counts = np.random.RandomState(seed).randint(1, 9, size=(len(X), k))
    start = [[Fraction(int(c), int(row.sum())) for c in row] for row in counts]
    prevalences, shares = plain_parameters(X.tolist(), start)
    expected = [plain_class_memberships(x, prevalences, shares) for x in X.tolist()]
    run = Fitted(X, np.array(start, float), max_iter=1)
    assert np.allclose(run.prevalences, np.array(prevalences, float))
    assert np.allclose(run.memberships, np.array([w for w, _ in expected], float))
    assert np.isclose(run.history[-1], sum(np.log(float(p)) for _, p in expected))
    for l in range(k):
        for j, categories in enumerate(shares[l]):
            for c, share in categories.items():
                assert np.isclose(run.shares[j][l, c], float(share))


@few
@given(codes, st.integers(1, 4), st.integers(0, 99), st.booleans())
def test_the_likelihood_never_falls_and_is_that_of_the_parameters(
    X, k, seed, with_gaps
):
    missing = 3 if with_gaps and (X != 3).any(axis=0).all() else None
    run = Fitted(X, any_memberships(len(X), k, seed), tol=1e-9, gap=missing)
    assert np.diff(run.history).min(initial=0) > -1e-9
    rows = np.tile(run.prevalences, (len(X), 1))
    for shares, column in zip(run.shares, X.T):
        seen = np.full(len(X), True) if missing is None else column != 3
        rows[seen] *= shares.T[column[seen]]
    assert run.history[-1] == pytest.approx(np.log(rows.sum(axis=1)).sum(), abs=1e-8)
    assert np.allclose(run.memberships, rows / rows.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("gaps", [False, True])
def test_stepmix_finds_the_same_maximum(gaps):
    from stepmix import stepmix

    X = make_planted_clusters(300, 8, 3, 3, 0.25, random_state=1).codes.astype(float)
    if gaps:
        X[np.random.RandomState(0).uniform(size=X.shape) < 0.1] = np.nan
    measurement = "categorical_nan" if gaps else "categorical"
    quiet = dict(random_state=0, verbose=0, progress_bar=0)
    options = dict(n_components=3, n_init=5, abs_tol=1e-12) | quiet
    theirs = stepmix.StepMix(measurement=measurement, **options).fit(X)
    ours = LatentClasses(3, tol=1e-12, n_init=5, missing="ignore", random_state=0)
    ours.fit(X)
    assert ours.log_likelihood_ / 300 == pytest.approx(theirs.score(X), abs=1e-6)
    sizes = theirs.get_parameters()["weights"]
    own, order = np.argsort(ours.prevalences_), np.argsort(sizes)
    assert np.allclose(ours.prevalences_[own], sizes[order], atol=1e-4)
    probabilities = ours.predict_proba(X)[:, own], theirs.predict_proba(X)[:, order]
    assert np.allclose(*probabilities, atol=1e-3)
    assert ours.bic(X) == pytest.approx(theirs.bic(X), abs=1e-2)


def test_planted_classes_are_found_and_the_least_bic_names_their_number():
    planted = make_planted_clusters(600, 10, 4, 3, noise=0.2, random_state=0)
    fit = lambda k: LatentClasses(k, n_init=3, random_state=0).fit(planted.codes)
    models = {k: fit(k) for k in (1, 2, 3, 4)}
    assert min(models, key=lambda k: models[k].bic(planted.codes)) == 3
    table = pd.crosstab(models[3].labels_, planted.labels)
    assert (table.max(axis=1) > 0.95 * table.sum(axis=1)).all()


def test_missing_and_unknown_values_say_nothing_about_the_class():
    frame = pd.DataFrame({"a": ["x", "x", None, "y"], "b": ["u", "u", "u", "v"]})
    with pytest.raises(ValueError, match="missing"):
        LatentClasses(2).fit(frame)
    options = dict(missing="ignore", handle_unknown="ignore", random_state=0)
    model = LatentClasses(2, **options).fit(frame)
    assert model.labels_[2] == model.labels_[0] != model.labels_[3]
    new = model.predict_proba(pd.DataFrame({"a": ["z", None], "b": [None, "?"]}))
    assert np.allclose(new, model.prevalences_)
    with pytest.raises(ValueError, match="seen in fit"):
        LatentClasses(2, random_state=0).fit([["a"], ["b"]]).predict([["z"]])


def test_bic_and_scores_by_their_formulas():
    X = make_planted_clusters(50, 3, [2, 3, 4], 2, random_state=0).codes
    model = LatentClasses(2, random_state=0).fit(X)
    free = 1 + 2 * sum(len(np.unique(column)) - 1 for column in X.T)
    assert model.bic(X) == pytest.approx(free * np.log(50) - 2 * model.log_likelihood_)
    adjusted = free * np.log(52 / 24) - 2 * model.log_likelihood_
    assert model.adjusted_bic(X) == pytest.approx(adjusted)
    weights = np.arange(50)
    expected = pytest.approx(model.score_samples(X) @ weights)
    assert model.score(X, sample_weight=weights) == expected
    heavy = LatentClasses(2, random_state=0).fit(X, sample_weight=np.full(50, 3))
    assert heavy.prevalences_.sum() == pytest.approx(1)
    assert heavy.log_likelihood_ == pytest.approx(3 * model.log_likelihood_)


def test_a_row_without_any_value_may_have_no_weight():
    frame = pd.DataFrame({"a": ["x", "y", "x", None], "b": ["u", "v", "u", None]})
    model = LatentClasses(2, missing="ignore", random_state=0).fit(
        frame, sample_weight=[1, 1, 1, 0]
    )
    assert np.allclose(model.memberships_[3], model.prevalences_)
    with pytest.raises(ValueError, match="row 3 has none"):
        LatentClasses(2, missing="ignore", random_state=0).fit(frame)


def test_bic_of_weighted_rows_is_that_of_repeated_rows():
    rng = np.random.RandomState(4)
    X = rng.randint(0, 3, (30, 3))
    times = rng.randint(0, 4, 30)
    model = LatentClasses(2, random_state=0).fit(X, sample_weight=times)
    expected = model.bic(np.repeat(X, times, axis=0))
    assert model.bic(X, sample_weight=times) == pytest.approx(expected, rel=1e-12)
    expected = model.adjusted_bic(np.repeat(X, times, axis=0))
    weighted = model.adjusted_bic(X, sample_weight=times)
    assert weighted == pytest.approx(expected, rel=1e-12)
    assert model.bic(X, sample_weight=times) != pytest.approx(model.bic(X), rel=1e-3)
    with pytest.raises(ValueError, match="sample_weight must"):
        model.bic(X, sample_weight=[1, 2])
