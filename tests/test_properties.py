"""What must hold for any data: names of categories, orders, copies and weights, equal
columns, the caller's arrays.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from kmodes_study.cluster.algorithms.lloyd import lloyd
from kmodes_study.cluster import ALGORITHMS, KModes
from kmodes_study.cluster.modes import matching_distances
from kmodes_study.cluster.starts.basic import INITIALISATIONS
from kmodes_study.cluster.algorithms.huang import huang
from kmodes_study.cluster.modes import assign, check_clustering, cluster_costs
from kmodes_study.cluster.modes import cost, modes_of
from kmodes_study.cluster.algorithms.transfers import otqt
from kmodes_study.core.codes import decode, encode

pytestmark = pytest.mark.usefixtures("few_swaps")

few = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
algorithm = pytest.mark.parametrize(
    "run", [huang, lloyd, otqt], ids=["huang", "lloyd", "otqt"]
)


class Problem:
    """Codes in which every level of a column occurs, a number of clusters, and a start
    of different rows, by `seed`.
    """

    def __init__(self, seed, n_max=40):
        self.seed, self.rng = seed, np.random.RandomState(seed)
        n = self.rng.randint(3, n_max)
        m = self.rng.randint(1, 7)
        levels = self.rng.randint(2, 6)
        drawn = self.rng.randint(levels, size=(n, m))
        if self.rng.randint(2):
            own = self.rng.random_sample((n, m)) < 0.3
            groups = drawn[self.rng.randint(min(4, n), size=n)]
            drawn = np.where(own, drawn, groups)
        self.codes = encode(drawn)[0]
        self.distinct = np.unique(self.codes, axis=0)
        self.k = self.rng.randint(1, min(len(self.distinct), 6) + 1)
        self.start = self.distinct[self.rng.permutation(len(self.distinct))[: self.k]]

    def __repr__(self):
        return f"Problem({self.seed}, shape={self.codes.shape}, k={self.k})"


def problems(n_max=40):
    return st.integers(0, 2**32 - 1).map(lambda seed: Problem(seed, n_max))


# Names of categories


@few
@given(problems())
def test_names_in_the_same_order_change_nothing(problem):
    m = problem.codes.shape[1]
    names = np.array([np.sort(problem.rng.permutation(1000)[:9]) for _ in range(m)])
    renamed = names[np.arange(m), problem.codes]
    words = np.char.add("level ", np.char.zfill(renamed.astype(str), 4))
    categories = pd.DataFrame(words).astype("category")
    for table in renamed, words, categories, renamed / 8 - 30:
        assert np.array_equal(encode(table)[0], problem.codes)
    options = dict(init="random", n_init=2, random_state=0)
    for name in ALGORITHMS:
        first = KModes(problem.k, algorithm=name, **options).fit(problem.codes)
        for table in renamed, words:
            model = KModes(problem.k, algorithm=name, **options).fit(table)
            assert np.array_equal(model.labels_, first.labels_)
            assert model.cost_ == first.cost_
            centroids = decode(model.modes_, encode(table)[1])
            assert np.array_equal(centroids, model.cluster_centroids_)


# Order of columns and rows


@algorithm
@few
@given(problems())
def test_the_order_of_columns_does_not_matter(run, problem):
    order = problem.rng.permutation(problem.codes.shape[1])
    found = run(problem.codes, problem.start, random_state=0)
    other = run(problem.codes[:, order], problem.start[:, order], random_state=0)
    assert found.epoch_costs == other.epoch_costs
    assert np.array_equal(found.labels, other.labels)
    assert np.array_equal(found.modes[:, order], other.modes)


@few
@given(problems())
# the order decides who fills an empty one
def test_rows_in_another_order_where_no_cluster_empties(problem):
    order, modes = problem.rng.permutation(len(problem.codes)), problem.start
    found, other = lloyd(problem.codes, modes), lloyd(problem.codes[order], modes)
    for _ in range(found.n_iter + 2):
        labels = assign(problem.codes, modes)[0]
        assume(len(set(labels.tolist())) == problem.k)
        modes = modes_of(problem.codes, labels, problem.k)
    assert np.array_equal(found.labels[order], other.labels)
    assert np.array_equal(found.modes, other.modes)
    assert found.epoch_costs == other.epoch_costs


# What comes back is what it says


@algorithm
@few
@given(problems())
def test_results_are_clusterings_with_their_cost(run, problem):
    drawn = problem.codes[problem.rng.randint(len(problem.codes), size=problem.k)]
    start = problem.start if problem.rng.randint(2) else drawn
    found = run(problem.codes, start, random_state=0)
    check_clustering(problem.codes, found.labels, found.modes, found.cost)
    assert np.unique(found.labels).tolist() == list(range(problem.k))
    assert found.labels.dtype == np.int32
    assert found.modes.dtype == problem.codes.dtype
    assert found.cost == (problem.codes != found.modes[found.labels]).sum()
    costs = cluster_costs(problem.codes, found.labels, found.modes)
    assert found.cost == costs.sum()
    assert found.cost <= found.epoch_costs[0]
    assert len(found.epoch_costs) == found.n_iter + 1
    if run is not huang:
        assert (np.diff(found.epoch_costs) <= 0).all()


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(few, max_examples=60)
@given(st.sampled_from([*INITIALISATIONS, "array"]), problems())
def test_estimators_return_clusterings_with_their_cost(name, init, problem):
    codes = problem.codes
    start = problem.start if init == "array" else init
    model = KModes(problem.k, init=start, algorithm=name, n_init=2, random_state=0)
    for weights in None, problem.rng.randint(1, 4, size=len(codes)):
        model.fit(codes, sample_weight=weights)
        repeats = np.ones(len(codes), int) if weights is None else weights
        repeated = np.repeat(codes, repeats, axis=0), np.repeat(model.labels_, repeats)
        check_clustering(*repeated, model.modes_, model.cost_)
        assert model.cost_ == -model.score(codes, sample_weight=weights)
        assert np.array_equal(model.predict(codes), model.labels_)
        nearest = model.transform(codes).min(axis=1)
        assert np.array_equal(nearest, -model.score_samples(codes))


# The caller's arrays


def calls(codes, start, labels, w):
    "Functions that take arrays, on these."
    k = len(start)
    for function in huang, lloyd, otqt:
        yield lambda function=function: function(codes, start, sample_weight=w)
    for function in assign, matching_distances:
        yield lambda function=function: function(codes, start)
    for init in INITIALISATIONS.values():
        yield lambda init=init: init(codes, k, random_state=0, sample_weight=w)
    for name in ALGORITHMS:
        model = KModes(k, init=start, algorithm=name, random_state=0)
        yield lambda model=model: model.fit(codes, sample_weight=w).transform(codes)
    for function in cost, cluster_costs:
        yield lambda function=function: function(codes, labels, start, sample_weight=w)


@settings(few, max_examples=12)
@given(
    problems(),
    st.sampled_from(["C", "F"]),
    st.sampled_from([np.uint8, np.uint16, np.int64]),
)
def test_the_callers_arrays_are_left_alone(problem, order, dtype):
    codes = np.array(problem.codes, dtype, order=order)
    start = problem.start.astype(dtype)
    labels = lloyd(problem.codes, problem.start).labels.copy()
    w = problem.rng.randint(1, 4, size=len(codes))
    arrays = codes, start, labels, w
    before = [array.copy() for array in arrays]
    for call in calls(*arrays):
        call()
    for array, copy in zip(arrays, before):
        assert np.array_equal(array, copy)
        assert array.dtype == copy.dtype
