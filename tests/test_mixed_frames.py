"""Numbers among the columns are numbers, whatever a user asks of the clusters."""

import itertools
import warnings

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import silhouette_samples as by_pairs

from kmodes_study import KModes, KPrototypes, TableWarning
from kmodes_study.describe import cluster_profiles, cluster_stability, k_scan
from kmodes_study.family import column_spreads, estimate_gamma, standard_weights
from kmodes_study.measures import gower_distances, silhouette_samples, silhouette_score
from kmodes_study.measures import validity_indices, validity_of_distances

matplotlib.use("Agg")
RNG = np.random.RandomState(0)
KIND = np.arange(90) % 3
CUSTOMERS = pd.DataFrame(
    {
        "monthly_spend": RNG.normal(np.array([44, 217, 533])[KIND], 20).round(2),
        "age": RNG.randint(18, 80, 90),
        "plan": np.array(["basic", "plus", "pro"])[KIND],
        "churned": RNG.randint(2, size=90),
    }
)
NUMBERS = ["monthly_spend", "age"]
NAMES = ["plan", "churned"]


@pytest.fixture(scope="module")
def model():
    "k-prototypes on the customers, with what they spend and their plan in its favour."
    weights = standard_weights(CUSTOMERS[["monthly_spend"]])
    return KPrototypes(
        3,
        feature_weight={**weights, "age": 0.0},
        gamma="variance",
        categorical_features=NAMES,
        random_state=0,
    ).fit(CUSTOMERS)


def test_quartiles_are_those_of_repeated_rows():
    weights = RNG.randint(0, 4, 90)
    places = np.repeat(np.arange(90), weights)
    found = cluster_profiles(CUSTOMERS, KIND, weights)
    again = cluster_profiles(CUSTOMERS.iloc[places], KIND[places])
    pd.testing.assert_frame_equal(found, again)
    middle = found[found.attribute == "age"].set_index("cluster")["median"]
    assert (middle == CUSTOMERS.age[places].groupby(KIND[places]).median()).all()


def test_silhouettes_are_those_of_gowers_distance():
    distances = gower_distances(CUSTOMERS, dtype="float64", categorical_features=NAMES)
    expected = by_pairs(distances, KIND, metric="precomputed")
    assert np.allclose(silhouette_samples(CUSTOMERS, KIND), expected)
    assert silhouette_score(CUSTOMERS, KIND) == pytest.approx(expected.mean())
    weights = RNG.randint(1, 3, 90)
    places = np.repeat(np.arange(90), weights)
    repeated = silhouette_score(CUSTOMERS.iloc[places], KIND[places])
    found = silhouette_score(CUSTOMERS, KIND, sample_weight=weights)
    assert found == pytest.approx(repeated)
    with pytest.raises(ValueError, match="Number of labels is 1"):
        silhouette_score(CUSTOMERS, np.zeros(90))


def naive_indices(D, labels):
    "Gamma, G+, tau, Dunn, McClain, point-biserial and C-index by loops over pairs."
    pairs = list(itertools.combinations(range(len(labels)), 2))
    inside = [D[i, j] for i, j in pairs if labels[i] == labels[j]]
    across = [D[i, j] for i, j in pairs if labels[i] != labels[j]]
    less = sum(a < b - 1e-12 for a in inside for b in across)
    more = sum(a > b + 1e-12 for a in inside for b in across)
    n, w, b = len(pairs), len(inside), len(across)
    ordered = sorted(inside + across)
    both = np.array(ordered)
    low, high = sum(ordered[:w]), sum(ordered[-w:])
    gap = np.mean(across) - np.mean(inside)
    return dict(
        c_index=(sum(inside) - low) / (high - low),
        dunn=min(across) / max(inside),
        gamma=(less - more) / (less + more),
        g_plus=2 * more / (n * (n - 1)),
        mcclain=np.mean(inside) / np.mean(across),
        point_biserial=gap * (w * b) ** 0.5 / n / both.std(ddof=1),
        tau=(less - more) / (w * b * n * (n - 1) / 2) ** 0.5,
    )


def test_indices_are_those_of_the_definitions(model):
    some, labels = CUSTOMERS[:24], KIND[:24]
    D = gower_distances(some, dtype="float64", categorical_features=NAMES)
    expected = naive_indices(D, labels)
    found = validity_indices(some, labels, categorical_features=NAMES)._asdict()
    assert found == pytest.approx(expected)
    own = model.pair_distances(some)
    square = np.zeros((24, 24))
    square[np.triu_indices(24, 1)] = own
    found = validity_of_distances(own, labels)._asdict()
    assert found == pytest.approx(naive_indices(square, labels))


def test_distances_of_a_model_are_its_dissimilarities(model):
    pair = CUSTOMERS.iloc[[0, 4]]
    weights = standard_weights(CUSTOMERS[["monthly_spend"]])
    gap = np.diff(pair.monthly_spend)[0] ** 2 * weights["monthly_spend"]
    differ = sum(pair[name].nunique() - 1 for name in NAMES)
    [found] = model.pair_distances(pair)
    assert found == pytest.approx(gap + model.gamma_ * differ)


def test_a_scan_finds_the_kinds():
    scan = k_scan(
        CUSTOMERS[["monthly_spend", "plan"]],
        range(1, 6),
        n_references=3,
        n_splits=2,
        n_resamples=3,
        random_state=0,
    )
    chosen = scan.choices.drop(["code_length", "code_length_by_attribute"])
    assert (chosen.drop("knee") == 3).mean() > 0.7
    assert len(set(zip(KIND, scan.fits[2].labels))) == 3
    assert scan.table.cost.is_monotonic_decreasing
    means = CUSTOMERS.monthly_spend.groupby(scan.fits[2].labels).mean()
    assert np.allclose(scan.fits[2].centres[:, 0], means)


def test_stability_tells_kinds_from_none(model):
    found = cluster_stability(model, CUSTOMERS, n_resamples=5, random_state=0)
    assert found.clusters.stability.min() > 0.9
    again = cluster_stability(model, CUSTOMERS, n_resamples=5, random_state=0)
    assert again.resamples.equals(found.resamples)
    assert (found.clusters.lowest <= found.clusters.stability).all()
    # a cluster of one row, which the first resample does not have
    one = pd.DataFrame(dict.fromkeys("abcdef", list("x" * 9 + "y")))
    one["g"] = list("u" * 5 + "v" * 5)
    fitted = KModes(2, random_state=0).fit(one)
    once = cluster_stability(fitted, one, n_resamples=1, random_state=2).clusters
    assert once["lowest"][once["size"] == 1].tolist() == [1]
    # nothing but noise: clusters of the sample, not of the customers
    noise = pd.DataFrame({f"c{j}": RNG.choice(list("abcd"), 90) for j in range(4)})
    alone = KModes(5, random_state=0).fit(noise)
    other = cluster_stability(alone, noise, n_resamples=5, random_state=0)
    assert other.means.max() < 0.85
    assert other.clusters.stability.max() < 0.75
    assert (
        alone.labels_.tolist() == KModes(5, random_state=0).fit(noise).labels_.tolist()
    )


def test_weights_are_as_scaling():
    weights = standard_weights(CUSTOMERS)
    assert weights["age"] == pytest.approx(1 / CUSTOMERS.age.var(ddof=0))
    model = KPrototypes(3, feature_weight=weights, gamma="variance", random_state=0)
    model.fit(CUSTOMERS)
    scaled = CUSTOMERS.copy()
    for name in [*NUMBERS, "churned"]:
        scaled[name] = (scaled[name] - scaled[name].mean()) / scaled[name].std(ddof=0)
    again = KPrototypes(3, gamma=estimate_gamma(scaled), random_state=0).fit(scaled)
    assert again.gamma_ == pytest.approx(model.gamma_)
    assert again.cost_ == pytest.approx(model.cost_)
    assert (again.labels_ == model.labels_).all()
    spreads = column_spreads(CUSTOMERS, categories="mode", numbers="deviation")
    assert spreads["plan"] == pytest.approx(2 / 3)
    assert spreads["age"] == pytest.approx(CUSTOMERS.age.std(ddof=0))


def test_a_model_keeps_its_weights_in_a_file(model, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = KPrototypes.load(tmp_path / "model.json")
    assert loaded.gamma == "variance"
    assert (loaded.predict(CUSTOMERS) == model.labels_).all()
    assert loaded.modes_frame_.equals(model.modes_frame_)


def test_what_is_declared_a_category_is_no_finding():
    told = KPrototypes(2, categorical_features=["age", *NAMES], random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TableWarning)
        warnings.filterwarnings("ignore", "the columns of X are not on one scale")
        told.fit(CUSTOMERS)
