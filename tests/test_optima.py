"""The proof of optimality against enumeration, and certificates that must not pass."""

import base64
import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from kmodes_study import load
from kmodes_study.cluster import check_clustering, matching_distances, modes_of
from kmodes_study.core.codes import encode
from kmodes_study.core.rows import Rows
from kmodes_study.exact import (
    Certificate,
    check_certificate,
    lower_bound,
    optimal_partitions,
    prove_optimum,
)
from kmodes_study.exact import optima
from kmodes_study.exact.bounds import first_prices, priced_modes
from oracles.exact import cheapest, plain_bound

pytestmark = pytest.mark.usefixtures("few_swaps")
RESULTS = Path(__file__).parent.parent / "nbs" / "results"


@st.composite
def small_tables(draw):
    "Up to seven rows, many of them equal, and a number of clusters that they allow."
    rows = draw(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=2, max_size=7))
    weights = draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    return np.array(rows, np.uint8), weights, draw(st.integers(1, len(set(rows))))


@given(small_tables())
def test_optimum_and_optimal_partitions_are_those_of_all_partitions(problem):
    X, weights, k = problem
    ones = [1] * len(X)
    least, best = cheapest(X.tolist(), ones, k)
    proof = prove_optimum(X, k)
    assert proof.proved and proof.gap == 0
    assert proof.cost == least == check_certificate(X, proof.certificate)
    check_clustering(X, proof.labels, modes_of(X, proof.labels, k), proof.cost)
    assert optimal_partitions(X, proof.certificate).tolist() == best
    weighted = prove_optimum(X, k, sample_weight=weights)
    repeated = np.repeat(X, weights, axis=0)
    assert weighted.proved
    assert weighted.cost == prove_optimum(repeated, k).cost


@given(small_tables(), st.data())
def test_any_prices_bound_every_clustering(problem, data):
    X, weights, k = problem
    whole = st.lists(st.integers(0, 40), min_size=len(X), max_size=len(X))
    prices = np.array(data.draw(whole))
    bound, coins = lower_bound(X, k, prices, np.array(weights), 10)
    plain = plain_bound(X.tolist(), weights, (prices / 10).tolist(), k)
    assert coins == pytest.approx(10 * plain)
    assert bound == -(-coins // 10)
    assert bound <= prove_optimum(X, k, sample_weight=weights).cost


def test_a_proof_that_begins_with_a_poor_clustering_ends_with_the_best(monkeypatch):
    search = optima.swap_rows

    def poor(rows, modes, max_iter, random_state, **options):
        return search(rows, modes, 0, random_state, max_swaps=0)

    monkeypatch.setattr(optima, "swap_rows", poor)
    for seed in range(30):
        X = np.random.RandomState(seed).randint(3, size=(6, 3))
        k = min(2 + seed % 2, len(np.unique(X, axis=0)))
        weights = [1, 2, 3, 1, 1, 2]
        proof = prove_optimum(X, k, sample_weight=weights)
        assert proof.proved
        assert proof.cost == proof.bound == cheapest(X.tolist(), weights, k)[0]


def test_modes_earn_the_same_at_the_first_prices():
    "Each a share of the mean margin: of what its rows would pay more elsewhere."
    random = np.random.RandomState(0)
    codes = random.randint(3, size=(30, 4)).astype(np.uint8)
    modes = np.array([[0] * 4, [1] * 4, [2] * 4])
    weights = random.randint(1, 4, 30)
    distances = matching_distances(codes, modes)
    labels = distances.argmin(axis=1)
    own, second = np.sort(distances, axis=1)[:, :2].T
    margins = np.bincount(labels, weights * (second - own))
    paid = first_prices(Rows(codes, weights), modes, 0.2) - own
    earned = np.bincount(labels, weights * paid)
    assert np.allclose(earned, 0.2 * margins.mean())


def test_more_partitions_than_most_are_an_error_and_as_many_are_not():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    certificate = prove_optimum(X, 2).certificate
    n_best = len(cheapest(X.tolist(), [1] * 4, 2)[1])
    assert len(optimal_partitions(X, certificate, most=n_best)) == n_best > 1
    with pytest.raises(RuntimeError, match="most"):
        optimal_partitions(X, certificate, most=n_best - 1)


@pytest.fixture(scope="module")
def proved():
    X = np.random.RandomState(3).randint(3, size=(30, 5))
    return X, prove_optimum(X, 3)


def test_poor_prices_and_a_fine_coin_prove_the_same(proved):
    X, proof = proved
    modes, prices, scale = proof.certificate
    rounded = Certificate(modes, (prices // 500) * 500, scale)
    fine = Certificate(modes, prices * 10**9, scale * 10**9)
    for certificate in proof.certificate, rounded, fine:
        assert check_certificate(X, certificate) == proof.cost
    both = [optimal_partitions(X, one) for one in (fine, proof.certificate)]
    assert np.array_equal(*both)


def test_what_proves_nothing_is_refused_by_name(proved):
    X, proof = proved
    modes, prices, scale = proof.certificate
    wrong = {
        "certificate must": (modes[[1, 1, 2]], prices, scale),
        "certificate.modes": (modes + 200, prices, scale),
        "certificate.prices": (modes, prices / scale, scale),
        "certificate.scale": (modes, prices, 0),
    }
    for words, parts in wrong.items():
        for function in check_certificate, optimal_partitions:
            with pytest.raises(ValueError, match=words):
                function(X, Certificate(*parts))
    # any prices prove what they prove, those of other rows, too
    assert check_certificate(X[::-1].copy(), proof.certificate) == proof.cost
    with pytest.raises(ValueError, match="64 bits"):
        check_certificate(X, Certificate(modes, prices, 10**18))


def test_a_proof_that_gives_up_says_so_with_a_bound_that_holds():
    X = np.random.RandomState(0).randint(3, size=(60, 12))
    proof = prove_optimum(X, 20, max_time=0.2)
    assert not proof.proved
    assert 0 <= proof.bound < proof.cost
    assert proof.gap == proof.cost - proof.bound


def test_a_search_that_is_cut_short_says_so():
    X = np.random.RandomState(0).randint(3, size=(40, 8)).astype(np.uint8)
    rows = Rows(X, np.ones(40, int))
    prices = np.full(40, 5)
    everything = priced_modes(rows, prices, 1, 26)
    assert everything.complete
    assert len(everything.modes) > 10
    assert not priced_modes(rows, prices, 1, 26, most=10).complete
    assert not priced_modes(rows, prices, 1, 26, cells=20).complete


@pytest.fixture(scope="module")
def lowest_known():
    return json.loads((RESULTS / "optima.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["lenses", "iris", "balance-scale", "car"])
def test_lowest_known_costs_follow_from_their_labels(lowest_known, name):
    codes = encode(load(name, as_frame=True).data)[0]
    known = [one for one in lowest_known if one["dataset"] == name]
    assert known
    for one in known:
        packed = zlib.decompress(base64.b64decode(one["labels"]))
        labels = np.frombuffer(packed, np.uint8).astype(int)
        modes = modes_of(codes, labels, one["n_clusters"])
        check_clustering(codes, labels, modes, one["cost"])
        distances = matching_distances(codes, np.array(one["modes"]))
        assert distances.min(axis=1).sum() == one["cost"]
        assert len({*labels.tolist()}) == one["n_clusters"]


def test_kept_runs_of_the_searches_are_never_below_the_lowest_known(lowest_known):
    text = (RESULTS / "optima_runs.json").read_text(encoding="utf-8")
    lowest = {
        (one["dataset"], one["missing"], one["n_clusters"]): one["cost"]
        for one in lowest_known
    }
    assert sum("prices" in one for one in lowest_known) == 49
    for run in json.loads(text):
        assert run["last"] >= lowest[run["dataset"], run["missing"], run["k"]]
