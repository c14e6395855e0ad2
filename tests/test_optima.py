"""The proof of optimality against enumeration, and certificates that must not pass."""

import base64
import json
import signal
import zlib
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study.exact.bounds import lower_bound, modes_of_value, warm_prices
from kmodes_study.cluster.dissimilarity import matching_distances
from kmodes_study.cluster.modes import check_clustering, modes_of
from kmodes_study.exact import bounds, optima
from kmodes_study.exact.optima import (
    Certificate,
    LimitReached,
    check_certificate,
    optimal_partitions,
    prove_optimum,
)
from kmodes_study.cluster.algorithms.swaps import swap_search
from kmodes_study.core.codes import encode
from kmodes_study.data.loaders import load
from kmodes_study.plain.exact import (
    plain_bound,
    plain_cost,
    plain_optimal_partitions,
    plain_partitions,
)

pytestmark = pytest.mark.usefixtures("few_swaps")


@st.composite
def small_tables(draw):
    "Up to seven rows, many of them equal, and a number of clusters that they allow."
    rows = draw(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=2, max_size=7))
    return np.array(rows, np.uint8), draw(st.integers(1, len(set(rows))))


@settings(max_examples=40, deadline=None)
@given(small_tables())
def test_optimum_is_that_of_all_partitions(problem):
    X, k = problem
    proof = prove_optimum(X, k)
    assert proof.proved
    assert proof.gap == 0
    assert (
        proof.cost
        == plain_optimal_partitions(X.tolist(), k)[0]
        == check_certificate(X, proof.certificate)
    )
    check_clustering(X, proof.labels, modes_of(X, proof.labels, k), proof.cost)


def cheapest(X, weights, k):
    """The least cost, and all partitions that have it, by trying all of them; a row of
    weight 2 is two rows.
    """
    rows = np.repeat(X, weights, axis=0).tolist()
    costs = {
        labels: plain_cost(rows, np.repeat(labels, weights).tolist())
        for labels in plain_partitions(len(X), k)
    }
    least = min(costs.values())
    return least, [list(labels) for labels, cost in costs.items() if cost == least]


def tiny(seed):
    """A table of few rows, many of them equal, weights of one or more, a number of
    clusters.
    """
    random = np.random.RandomState(seed)
    X = random.randint(2 + seed % 2, size=(random.randint(2, 8), random.randint(1, 4)))
    if seed % 3 == 0:
        X = random.randint(2, size=(3, 3)).repeat(2, axis=0)
    weights = (
        random.randint(1, 3, size=len(X)) if seed % 4 == 0 else np.ones(len(X), int)
    )
    return (
        encode(X)[0],
        weights,
        min(random.randint(1, 5) if seed % 5 == 0 else 2, len(np.unique(X, axis=0))),
    )


def test_all_optimal_partitions_also_those_that_split_equal_rows():
    n_split = 0
    for X, weights, k in map(tiny, range(250)):
        least, best = cheapest(X, weights, k)
        modes = modes_of(np.repeat(X, weights, axis=0), np.repeat(best[0], weights), k)
        certificate = Certificate(
            modes, np.rint(10 * warm_prices(X, modes, 0.5, weights)).astype(int), 10
        )
        assert check_certificate(X, certificate, sample_weight=weights) == least
        assert (
            optimal_partitions(X, certificate, sample_weight=weights).tolist() == best
        )
        together = np.unique(X, axis=0, return_inverse=True)[1].ravel()
        whole = [
            labels
            for labels in best
            if len(set(zip(together, labels))) == len(set(together))
        ]
        assert (
            optimal_partitions(
                X, certificate, sample_weight=weights, split_equal=False
            ).tolist()
            == whole
        )
        n_split += len(best) > len(whole)
    assert n_split > 10


def test_a_proof_that_begins_with_a_poor_clustering_ends_with_the_best(monkeypatch):
    search = optima.swap_rows

    def poor(rows, modes, max_iter, random_state, **options):
        return search(rows, modes, 0, random_state, max_swaps=0)

    monkeypatch.setattr(optima, "swap_rows", poor)
    better = 0
    for seed in range(30):
        X = np.random.RandomState(seed).randint(3, size=(6, 3))
        weights = np.array([1, 2, 3, 1, 1, 2])
        k = min(2 + seed % 2, len(np.unique(X, axis=0)))
        codes, least = encode(X)[0], cheapest(X, weights, k)[0]
        begun = swap_search(
            codes, codes[:k], sample_weight=weights, max_swaps=0, max_iter=0
        ).cost
        proof = prove_optimum(X, k, sample_weight=weights)
        assert proof.proved
        assert proof.cost == proof.bound == least
        better += begun > least
    assert better > 10


def test_prices_of_weighted_rows_are_those_of_repeated_rows():
    X = np.random.RandomState(0).randint(3, size=(9, 4))
    weights = np.array([1, 2, 5, 1, 3, 1, 1, 4, 2])
    repeated = np.repeat(X, weights, axis=0)
    prices = warm_prices(X, X[:3], 0.4, weights)
    assert np.allclose(
        np.repeat(prices, weights),
        warm_prices(repeated, X[:3], 0.4, np.ones(len(repeated))),
    )


def test_the_limit_of_work_is_that_of_all_searches_together():
    X = np.random.RandomState(3).randint(3, size=(8, 4))
    certificate = prove_optimum(X, 3).certificate

    def needed(function):
        few, enough = 0, 2**20
        while enough - few > 1:
            middle = (few + enough) // 2
            try:
                function(X, certificate, max_work=middle)
            except LimitReached:
                few = middle
            else:
                enough = middle
        return enough

    assert needed(optimal_partitions) > 2 * needed(check_certificate) > 100


def test_more_partitions_than_most_are_an_error_and_as_many_are_not():
    # the third row and the last can be on either side
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    certificate = prove_optimum(X, 2).certificate
    n_best = len(cheapest(X, [1] * 4, 2)[1])
    assert n_best > 1
    assert len(optimal_partitions(X, certificate, most=n_best)) == n_best
    with pytest.raises(
        RuntimeError, match=f"there are more than most={n_best - 1} optimal partitions"
    ):
        optimal_partitions(X, certificate, most=n_best - 1)
    with pytest.raises(
        ValueError, match="most must be a whole number of at least 1, got 0"
    ):
        optimal_partitions(X, certificate, most=0)


@settings(max_examples=30, deadline=None)
@given(small_tables(), st.data())
def test_any_prices_bound_every_clustering(problem, data):
    X, k = problem
    weights = np.array(
        data.draw(st.lists(st.integers(1, 3), min_size=len(X), max_size=len(X)))
    )
    prices = np.array(
        data.draw(st.lists(st.integers(0, 40), min_size=len(X), max_size=len(X)))
    )
    bound, coins = lower_bound(X, k, prices, weights, 10)
    assert coins == pytest.approx(
        10 * plain_bound(X.tolist(), weights.tolist(), (prices / 10).tolist(), k)
    )
    assert bound <= prove_optimum(X, k, sample_weight=weights).cost


def test_weights_count_as_repeated_rows():
    random = np.random.RandomState(1)
    X, weights = random.randint(3, size=(9, 4)), random.randint(1, 4, size=9)
    weighted = prove_optimum(X, 3, sample_weight=weights)
    repeated = prove_optimum(np.repeat(X, weights, axis=0), 3)
    assert weighted.proved
    assert weighted.cost == repeated.cost
    assert (
        check_certificate(X, weighted.certificate, sample_weight=weights)
        == weighted.cost
    )


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
        check_certificate(X, proof.certificate._replace(prices=prices / scale))
    with pytest.raises(ValueError, match="certificate.prices must hold a whole number"):
        check_certificate(X, proof.certificate._replace(prices=prices[1:]))


def test_a_certificate_of_other_data_or_weights_proves_nothing(proved):
    X, proof = proved
    with pytest.raises(
        ValueError,
        match="must prove that no clustering costs less|must be the same for rows",
    ):
        check_certificate(X[::-1].copy(), proof.certificate)
    doubled = np.ones(30, int)
    doubled[proof.labels == 0] = 9
    heavier = prove_optimum(X, 3, sample_weight=doubled)
    assert heavier.cost > proof.cost
    assert (
        check_certificate(X, heavier.certificate, sample_weight=doubled) == heavier.cost
    )


def test_poor_prices_are_made_up_for_by_the_list_of_modes(proved):
    X, proof = proved
    rounded = (proof.certificate.prices // 500) * 500  # half mismatches
    assert (
        check_certificate(X, proof.certificate._replace(prices=rounded)) == proof.cost
    )


ENDLESS = np.array([[3, 1, 0, 0, 1], [2, 0, 1, 1, 3], [1, 2, 2, 3, 2], [0, 3, 3, 2, 0]])
UNPROVED = Certificate(
    np.array([[3, 1, 0, 0, 1], [0, 2, 2, 2, 0], [2, 0, 1, 1, 3]]),
    np.zeros(4, int),
    1000,
)


def test_a_proof_that_gives_up_says_so_with_a_bound_that_holds():
    X = np.random.RandomState(0).randint(3, size=(40, 8))
    proof, again = (
        prove_optimum(X, 9, max_time=None, max_work=10**6) for _ in range(2)
    )
    assert not proof.proved
    assert 0 <= proof.bound < proof.cost
    assert proof.gap > 0
    assert proof[2:5] == again[2:5]
    assert (proof.certificate.prices == again.certificate.prices).all()
    for name, value in dict(max_time=0, max_work=0).items():
        with pytest.raises(ValueError, match=f"{name} must be a .* number"):
            prove_optimum(X, 9, **{name: value})
    ones = np.ones(len(X), int)
    assert proof.bound == lower_bound(X, 9, proof.certificate.prices, ones, 1000)[0] > 0
    with pytest.raises(
        LimitReached,
        match=(
            "check_certificate has reached the limit max_work=1,000,000: the modes "
            f"cost {proof.cost}, no clustering costs less than"
        ),
    ):
        check_certificate(X, proof.certificate, max_work=10**6)


@pytest.mark.parametrize("function", [check_certificate, optimal_partitions])
def test_a_limit_of_work_ends_a_check_at_the_same_place(function):
    shares = []
    for work in (10**3, 10**6, 10**7, 10**7):
        words = (
            f"^{function.__name__} has reached the limit max_work={work:,}: the modes "
            "cost 5"
        )
        with pytest.raises(LimitReached, match=words) as error:
            function(ENDLESS, UNPROVED, max_work=work)
        assert (error.value.cost, error.value.bound) == (5, 0)
        assert 0 <= error.value.share < 1
        shares.append(error.value.share)
    assert "of 178,433,024 sets of modes are settled" in str(error.value)
    assert shares[1] < shares[2] == shares[3]


def how_far(*arguments, **options):
    "The cost that a check gives; where it has come to its limit, what it says."
    try:
        return check_certificate(*arguments, **options)
    except LimitReached as error:
        return error.bound, "sets" in str(error), error.share


def test_the_share_that_is_settled_rises_to_the_end_and_does_not_depend_on_the_pieces(
    monkeypatch,
):
    X = np.random.RandomState(3).randint(3, size=(8, 4))
    proof = prove_optimum(X, 3)
    poor = proof.certificate._replace(prices=2 * proof.certificate.prices // 3)
    works = [int(100 * 1.2**i) for i in range(70)]
    found = [how_far(X, poor, max_work=work) for work in works]
    reached = [one for one in found if one != proof.cost]
    assert reached == sorted(reached) == found[: len(reached)]
    assert len(reached) < len(found)
    assert len(set(reached)) > 20
    assert reached[0] == (0, False, reached[0][2])
    assert reached[-1][1]
    assert reached[-1][2] > 0.1
    prices, ones = poor.prices, np.ones(len(X), int)
    assert prices.sum() % 1000
    assert reached[-1][0] == lower_bound(X, 3, prices, ones, poor.scale)[0]
    monkeypatch.setattr(bounds, "_STRETCH", 100)
    assert [how_far(X, poor, max_work=work) for work in works[::7]] == found[::7]


def test_a_limit_of_time_is_kept(monkeypatch):
    monkeypatch.setattr(bounds.time, "monotonic", count().__next__)
    monkeypatch.setattr(bounds, "_STRETCH", 1000)
    for function in check_certificate, optimal_partitions:
        with pytest.raises(
            LimitReached, match="has reached the limit max_time=40: the modes cost 5"
        ):
            function(ENDLESS, UNPROVED, max_time=40, max_work=None)
    assert not prove_optimum(
        np.random.RandomState(0).randint(4, size=(60, 12)), 9, max_time=40
    ).proved


def test_a_partition_of_cost_0_is_not_searched_for():
    X = np.array([[2, 2, 0, 2, 2, 0], [1, 0, 2, 0, 0, 1], [0, 1, 1, 1, 1, 2]])
    certificate = prove_optimum(X, 3).certificate
    assert optimal_partitions(X, certificate, max_work=1000).tolist() == [[0, 1, 2]]
    assert optimal_partitions(
        X[[0, 1, 0, 2]], certificate._replace(prices=np.zeros(4, int))
    ).tolist() == [[0, 1, 0, 2]]


@pytest.mark.parametrize(
    "call",
    [
        lambda: check_certificate(ENDLESS, UNPROVED, max_work=None),
        lambda: optimal_partitions(ENDLESS, UNPROVED, max_work=None),
        lambda: prove_optimum(
            np.random.RandomState(0).randint(4, size=(60, 12)), 9, max_time=None
        ),
        lambda: lower_bound(
            np.random.RandomState(0).randint(4, size=(300, 12)),
            9,
            [6000] * 300,
            [1] * 300,
            1000,
        ),
    ],
)
def test_ctrl_c_is_heard_between_the_pieces_of_a_search(monkeypatch, call):
    pieces, is_over = count(), bounds.Allowance.is_over

    def interrupted(allowance):
        if next(pieces) == 20:
            signal.raise_signal(signal.SIGINT)
        return is_over(allowance)

    monkeypatch.setattr(bounds.Allowance, "is_over", interrupted)
    monkeypatch.setattr(bounds, "_STRETCH", 10**5)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("function", [check_certificate, optimal_partitions])
@pytest.mark.parametrize(
    "certificate, error, words",
    [
        (
            None,
            TypeError,
            "certificate must be a Certificate of modes, prices and scale, got "
            "NoneType",
        ),
        ({"modes": 1}, TypeError, "certificate must be a Certificate .* got dict"),
        (prove_optimum([[0], [1]], 2), TypeError, "got Proof: take its .certificate"),
        (
            UNPROVED._replace(scale=0),
            ValueError,
            "certificate.scale must be a whole number of at least 1, got 0",
        ),
        (
            UNPROVED._replace(scale=10**20),
            ValueError,
            "certificate.scale must be a whole number of at most",
        ),
        (
            UNPROVED._replace(scale=10**18),
            ValueError,
            "too large for sums in 64 bits: take a smaller scale",
        ),
        (UNPROVED._replace(modes=None), ValueError, "certificate.modes must"),
        (UNPROVED._replace(modes=[[0, 1], [2]]), ValueError, "certificate.modes must"),
        (
            UNPROVED._replace(modes=UNPROVED.modes + 2**40),
            ValueError,
            "certificate.modes must hold codes of X, got 10995",
        ),
        (
            UNPROVED._replace(modes=np.tile(UNPROVED.modes, (2, 1))),
            ValueError,
            "certificate.modes must not be more than",
        ),
        (
            UNPROVED._replace(prices=np.full(4, 2**63, np.uint64)),
            ValueError,
            "certificate.prices must be whole numbers",
        ),
        (
            UNPROVED._replace(prices=-np.ones(4, int)),
            ValueError,
            "certificate.prices must be whole numbers from 0",
        ),
        (
            UNPROVED._replace(prices=[[0], 1]),
            ValueError,
            "certificate.prices must hold one number for each row",
        ),
        (
            UNPROVED._replace(prices=None),
            ValueError,
            "certificate.prices must hold a whole number for each",
        ),
    ],
)
def test_what_is_no_certificate_is_refused_by_name(function, certificate, error, words):
    with pytest.raises(error, match=words):
        function(ENDLESS, certificate)


def test_a_large_scale_is_exact():
    X, k = np.random.RandomState(3).randint(3, size=(30, 5)), 3
    proof = prove_optimum(X, k)
    fine = proof.certificate._replace(
        prices=proof.certificate.prices * 10**9, scale=10**12
    )
    assert check_certificate(X, fine) == proof.cost
    assert (
        optimal_partitions(X, fine).tolist()
        == optimal_partitions(X, proof.certificate).tolist()
    )


def test_bounds_are_rounded_up_to_whole_costs():
    X, ones = np.array([[0, 1], [1, 1], [1, 0], [2, 2]]), np.ones(4, int)
    assert lower_bound(X, 2, 700 * ones, ones, 1000) == (2, 1400)
    assert lower_bound(X, 2, 1000 * ones, ones, 1000) == (2, 2000)


@pytest.mark.parametrize(
    "changed, words",
    [
        (dict(codes=[[0.5, 1]]), "codes must"),
        (dict(modes=[[0, 1, 2]]), "modes must have one column for each"),
        (dict(share=-1), "share must be a finite number"),
        (dict(share="half"), "share must be a finite number"),
        (dict(weights=[1, 2]), "weights must hold one number for each of the 3 rows"),
        (dict(weights=None), "weights must hold one number"),
        (dict(weights=[1, -1, 1]), "weights must be finite"),
    ],
)
def test_prices_of_what_does_not_fit_are_refused_by_name(changed, words):
    good = dict(
        codes=[[0, 1], [1, 1], [1, 0]],
        modes=[[0, 1], [1, 0]],
        share=0.5,
        weights=[1, 1, 1],
    )
    assert warm_prices(**good).shape == (3,)
    with pytest.raises(ValueError, match=f"^{words}"):
        warm_prices(**{**good, **changed})


@pytest.mark.parametrize(
    "changed, words",
    [
        (dict(most=0), "most must be"),
        (dict(most=-1), "most must be"),
        (dict(most="all"), "most must be"),
        (dict(most=None), "most must be"),
        (dict(max_branches=0), "max_branches must be"),
        (dict(scale=10**12, prices=[2**61] * 3), "prices or weights are too large"),
        (dict(prices=[2**63] * 3), "prices must"),
        # no sum is too large, but one times the columns is
        (dict(prices=[2**60] * 3), "prices or weights are too large"),
        (dict(least=0.5), "least must be a whole number"),
        (dict(least=None), "least must be a whole number"),
        (dict(weights=[[1], 1, 1]), "weights must"),
        (dict(weights=[1, -1, 1]), "weights must"),
    ],
)
def test_a_search_for_modes_refuses_by_name(changed, words):
    good = dict(codes=[[0, 1], [1, 1], [1, 0]], prices=[1, 1, 1], weights=[1, 1, 1])
    assert len(modes_of_value(**good).modes) == 4
    with pytest.raises(ValueError, match=f"^{words}"):
        modes_of_value(**{**good, **changed})


def test_a_search_that_is_cut_short_says_so():
    X = np.random.RandomState(0).randint(3, size=(40, 8))
    prices, ones = np.full(40, 5), np.ones(40, int)
    everything = modes_of_value(X, prices, ones, least=26)
    assert everything.complete
    assert len(everything.modes) > 10
    assert not modes_of_value(X, prices, ones, least=26, most=10).complete
    assert not modes_of_value(X, prices, ones, least=26, max_branches=20).complete
    with pytest.raises(ValueError, match="too large for sums in 64 bits"):
        modes_of_value(X, prices * 10**17, ones)


@pytest.fixture(scope="module")
def lowest_known():
    return json.loads(
        (Path(__file__).parent.parent / "nbs" / "results" / "optima.json").read_text(
            encoding="utf-8"
        )
    )


@pytest.mark.parametrize("name", ["lenses", "iris", "balance-scale", "car"])
def test_lowest_known_costs_follow_from_their_labels(lowest_known, name):
    codes = encode(load(name, as_frame=True).data)[0]
    known = [one for one in lowest_known if one["dataset"] == name]
    assert known
    assert {one["missing"] for one in known} == {"keep"}
    for one in known:
        labels = np.frombuffer(
            zlib.decompress(base64.b64decode(one["labels"])), np.uint8
        ).astype(int)
        check_clustering(
            codes, labels, modes_of(codes, labels, one["n_clusters"]), one["cost"]
        )
        assert (
            matching_distances(codes, np.array(one["modes"])).min(axis=1).sum()
            == one["cost"]
        )
        assert len(set(labels.tolist())) == one["n_clusters"]


def test_each_line_of_the_lowest_known_costs_is_whole(lowest_known):
    lines = [
        (one["dataset"], one["missing"], one["id_column"], one["n_clusters"])
        for one in lowest_known
    ]
    assert len(set(lines)) == len(lines) >= 64
    assert sum("prices" in one for one in lowest_known) >= 44
    for one in lowest_known:
        assert {"cost", "labels", "modes"} <= set(one)
        assert len(one["modes"]) == one["n_clusters"]


def test_modes_earn_the_same_at_warm_prices():
    "Each a share of the mean margin: of what its rows would pay more elsewhere."
    random = np.random.RandomState(0)
    codes = random.randint(3, size=(30, 4)).astype(np.uint8)
    modes, weights = np.array([[0] * 4, [1] * 4, [2] * 4]), random.randint(1, 4, 30)
    distances = matching_distances(codes, modes)
    labels = distances.argmin(axis=1)
    own, second = np.sort(distances, axis=1)[:, :2].T
    margins = np.bincount(labels, weights * (second - own))
    paid = warm_prices(codes, modes, 0.2, weights) - own
    assert len(set(margins)) == 3
    np.testing.assert_allclose(
        np.bincount(labels, weights * paid), 0.2 * margins.mean()
    )


def test_kept_runs_of_the_searches_are_whole(lowest_known):
    """On the eight settings twenty seeds of swap search meet twenty of a population,
    and no run is below the lowest cost known.
    """
    folder = Path(__file__).parent.parent / "nbs" / "results"
    runs = json.loads((folder / "optima_runs.json").read_text(encoding="utf-8"))
    lowest = {
        (one["dataset"], one["missing"], one["n_clusters"]): one["cost"]
        for one in lowest_known
    }
    seeds = {}
    for run in runs:
        problem = run["dataset"], run["missing"], run["k"]
        assert run["last"] >= lowest[problem]
        if "seed" not in run:
            continue
        costs = [cost for cost in run["costs"] if cost is not None]
        assert costs == sorted(costs, reverse=True)
        assert not costs or costs[-1] >= run["last"]
        seeds.setdefault((problem, run["method"]), []).append(run["seed"])
    settings = {problem for problem, _ in seeds if problem[1] == "drop"}
    assert len(settings) == 8
    for problem in settings:
        for method in "swap", "drawn", "population":
            assert seeds[problem, method] == list(range(20))
