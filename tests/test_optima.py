"""The proof of optimality against enumeration, and certificates that must not pass."""
import base64
import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study.cluster.bounds import lower_bound, modes_of_value
from kmodes_study.cluster.dissimilarity import matching_distances
from kmodes_study.cluster.modes import check_clustering, modes_of
from kmodes_study.cluster.optima import check_certificate, optimal_partitions, prove_optimum
from kmodes_study.codes import encode
from kmodes_study.data.loaders import load
from oracles import plain

plain_optimal_partitions = plain("3_cluster/17_optima", "plain_optimal_partitions")
plain_bound = plain("3_cluster/16_bounds", "plain_bound")


@st.composite
def small_tables(draw):
    "Up to seven rows, many of them equal, and a number of clusters that they allow."
    rows = draw(st.lists(st.tuples(*[st.integers(0, 2)]*3), min_size=2, max_size=7))
    return np.array(rows, np.uint8), draw(st.integers(1, len(set(rows))))


@settings(max_examples=40, deadline=None)
@given(small_tables())
def test_optimum_is_that_of_all_partitions(problem):
    X, k = problem
    proof = prove_optimum(X, k)
    assert proof.proved and proof.gap == 0
    assert proof.cost == plain_optimal_partitions(X.tolist(), k)[0] == check_certificate(X, proof.certificate)
    check_clustering(X, proof.labels, modes_of(X, proof.labels, k), proof.cost)


@settings(max_examples=40, deadline=None)
@given(small_tables())
def test_all_optimal_partitions_that_keep_equal_rows_together(problem):
    X, k = problem
    found = optimal_partitions(X, prove_optimum(X, k).certificate)
    together = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    everything = [labels for labels in plain_optimal_partitions(X.tolist(), k)[1]
                  if len(set(zip(together, labels))) == len(set(together))]
    assert found.tolist() == [list(labels) for labels in everything]


@settings(max_examples=30, deadline=None)
@given(small_tables(), st.data())
def test_any_prices_bound_every_clustering(problem, data):
    X, k = problem
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(X), max_size=len(X))))
    prices = np.array(data.draw(st.lists(st.integers(0, 40), min_size=len(X), max_size=len(X))))
    bound, coins = lower_bound(X, k, prices, weights, 10)
    assert coins == pytest.approx(10*plain_bound(X.tolist(), weights.tolist(), (prices/10).tolist(), k))
    assert bound <= prove_optimum(X, k, sample_weight=weights).cost


def test_weights_count_as_repeated_rows():
    random = np.random.RandomState(1)
    X, weights = random.randint(3, size=(9, 4)), random.randint(1, 4, size=9)
    weighted, repeated = prove_optimum(X, 3, sample_weight=weights), prove_optimum(np.repeat(X, weights, axis=0), 3)
    assert weighted.proved and weighted.cost == repeated.cost
    assert check_certificate(X, weighted.certificate, sample_weight=weights) == weighted.cost


@pytest.fixture(scope="module")
def proved():
    X = np.random.RandomState(3).randint(3, size=(30, 5))
    return X, prove_optimum(X, 3)


def test_damaged_certificates_are_refused(proved):
    X, proof = proved
    modes, prices, scale = proof.certificate
    assert check_certificate(X, proof.certificate) == proof.cost
    worse = modes.copy()
    worse[0] = worse[1]
    with pytest.raises(ValueError, match="must prove that no clustering costs less"):
        check_certificate(X, proof.certificate._replace(modes=worse))
    with pytest.raises(ValueError, match="one column for each|whole number"):
        check_certificate(X, proof.certificate._replace(modes=modes[:, :3]))
    with pytest.raises(ValueError, match="certificate.prices must hold a whole number"):
        check_certificate(X, proof.certificate._replace(prices=prices/scale))
    with pytest.raises(ValueError, match="certificate.prices must hold a whole number"):
        check_certificate(X, proof.certificate._replace(prices=prices[1:]))


def test_a_certificate_of_other_data_or_weights_proves_nothing(proved):
    X, proof = proved
    with pytest.raises(ValueError, match="must prove that no clustering costs less|must be the same for rows"):
        check_certificate(X[::-1].copy(), proof.certificate)
    doubled = np.ones(30, int)
    doubled[proof.labels == 0] = 9
    heavier = prove_optimum(X, 3, sample_weight=doubled)
    assert heavier.cost > proof.cost
    assert check_certificate(X, heavier.certificate, sample_weight=doubled) == heavier.cost


def test_poor_prices_are_made_up_for_by_the_list_of_modes(proved):
    X, proof = proved
    rounded = (proof.certificate.prices//500)*500  # half mismatches
    assert check_certificate(X, proof.certificate._replace(prices=rounded)) == proof.cost


def test_giving_up_is_said_with_a_bound_that_holds():
    X = np.random.RandomState(0).randint(4, size=(300, 12))
    proof = prove_optimum(X, 9, max_time=.3)
    assert not proof.proved and 0 <= proof.bound < proof.cost and proof.gap > 0
    with pytest.raises(ValueError, match="max_time must be a finite number above 0"):
        prove_optimum(X, 9, max_time=0)


def test_a_search_that_is_cut_short_says_so():
    X = np.random.RandomState(0).randint(3, size=(40, 8))
    prices, ones = np.full(40, 5), np.ones(40, int)
    everything = modes_of_value(X, prices, ones, least=26)
    assert everything.complete and len(everything.modes) > 10
    assert not modes_of_value(X, prices, ones, least=26, most=10).complete
    assert not modes_of_value(X, prices, ones, least=26, max_branches=20).complete
    with pytest.raises(ValueError, match="too large for sums in 64 bits"):
        modes_of_value(X, prices*10**17, ones)


@pytest.fixture(scope="module")
def lowest_known():
    return json.loads((Path(__file__).parent.parent/"nbs"/"7_results"/"optima.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["lenses", "iris", "balance-scale", "car"])
def test_lowest_known_costs_follow_from_their_labels(lowest_known, name):
    codes, known = encode(load(name, as_frame=True).data)[0], [one for one in lowest_known if one["dataset"] == name]
    assert known and {one["missing"] for one in known} == {"keep"}
    for one in known:
        labels = np.frombuffer(zlib.decompress(base64.b64decode(one["labels"])), np.uint8).astype(int)
        check_clustering(codes, labels, modes_of(codes, labels, one["n_clusters"]), one["cost"])
        assert (matching_distances(codes, np.array(one["modes"])).min(axis=1).sum() == one["cost"]
                and len(set(labels.tolist())) == one["n_clusters"])


def test_each_line_of_the_lowest_known_costs_is_whole(lowest_known):
    lines = [(one["dataset"], one["missing"], one["id_column"], one["n_clusters"]) for one in lowest_known]
    assert len(set(lines)) == len(lines) >= 64
    assert sum("prices" in one for one in lowest_known) >= 44
    for one in lowest_known: assert {"cost", "labels", "modes"} <= set(one) and len(one["modes"]) == one["n_clusters"]
