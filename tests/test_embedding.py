"""Categories in the plane: MCA against its definition, t-SNE from distances, and what a
figure shows.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st

from sklearn.decomposition import PCA

from kmodes_study.data.synthetic import make_planted_clusters
from kmodes_study.cluster.estimator import KModes
from kmodes_study.describe.maps import mca, pca, plot_embedding, tsne
from kmodes_study.measures.distances import hamming_distances
from oracles.profiles import plain_mca


@settings(max_examples=30)
@given(st.integers(4, 30), st.integers(2, 5), st.integers(0, 10**6))
def test_mca_is_the_singular_value_decomposition(n, m, seed):
    codes = np.random.RandomState(seed).randint(3, size=(n, m))
    dummies = pd.get_dummies(pd.DataFrame(codes).astype(str)).to_numpy(float)
    rows, places, inertias = plain_mca(dummies, m)
    assume(min(dummies.shape[1] - m, n - 1) >= 2)
    found = mca(codes)
    assert np.allclose(found.inertia, inertias[:2], atol=1e-9)
    shares = inertias[:2] / (dummies.shape[1] / m - 1)
    assert found.share == pytest.approx(shares, abs=1e-9)
    for s in range(2):
        # else the axis may be turned
        alone = min(abs(inertias[s] - np.delete(inertias, s))) > 1e-3
        if not alone or inertias[s] < 1e-3:
            continue
        assert np.allclose(abs(found.rows[:, s]), abs(rows[:, s]), atol=1e-6)
        own = found.categories[f"x{s + 1}"]
        assert np.allclose(abs(own), abs(places[:, s]), atol=1e-6)


def test_principal_components_are_scikit_learns():
    X = np.random.RandomState(0).normal(size=(20, 4)) * [1, 9, 3, 5]
    assert np.allclose(abs(pca(X, 4)), abs(PCA(4).fit_transform(X)))
    with pytest.raises(ValueError, match="n_components"):
        pca(X, 5)


def test_rows_of_mca_are_centred_and_hold_the_inertia():
    codes = make_planted_clusters(90, 6, 4, 3, 0.3, random_state=0).codes
    found = mca(codes, 4)
    assert np.allclose(found.rows.mean(axis=0), 0, atol=1e-10)
    assert np.allclose((found.rows**2).mean(axis=0), found.inertia)
    gram = found.rows.T @ found.rows / 90
    assert np.allclose(gram, np.diag(found.inertia), atol=1e-10)
    assert found.categories["count"].sum() == 90 * 6
    assert 0 < found.adjusted_share.sum() <= 1 + 1e-9


def test_adjusted_shares_add_up_and_a_copy_has_the_same_place():
    one = np.random.RandomState(1).randint(4, size=60)
    found = mca(np.stack([one, one], axis=1), 3)
    assert found.adjusted_share.sum() == pytest.approx(1)
    places = found.categories[["x1", "x2", "x3"]].to_numpy()
    assert np.allclose(places[:4], places[4:], atol=1e-6)
    assert np.allclose(found.inertia, 1)


def test_tsne_takes_both_forms_and_keeps_neighbours():
    codes, labels, _ = make_planted_clusters(60, 8, 4, 3, 0.1, random_state=2)
    square, flat = (
        hamming_distances(codes, condensed=condensed) for condensed in (False, True)
    )
    kept = square.copy()
    plane = tsne(square, 10, random_state=0, max_iter=600)
    assert np.array_equal(plane, tsne(flat, 10, random_state=0, max_iter=600))
    assert np.array_equal(square, kept)
    far = ((plane[:, None] - plane) ** 2).sum(axis=2) ** 0.5
    same = labels[:, None] == labels
    assert np.median(far[same]) < 0.6 * np.median(far[~same])


def test_figure_shows_each_row_and_twenty_labels_apart():
    plt = pytest.importorskip("matplotlib.pyplot")
    places, labels = np.random.RandomState(0).rand(100, 2), np.arange(100) % 20
    places[:20] = places[20:40]  # two rows on one place
    ax = plot_embedding(places, [f"cluster {l:02d}" for l in labels], title="a title")
    assert len(ax.collections) == 20
    assert ax.get_title() == "a title"
    drawn = np.concatenate([each.get_offsets() for each in ax.collections])
    assert np.allclose(
        np.sort(drawn, axis=0), np.sort(np.unique(places.round(9), axis=0), axis=0)
    )
    for each in ax.collections:  # a mark grows as the root of its rows
        assert each.get_sizes().max() / each.get_sizes().min() == pytest.approx(2**0.5)
    looks = {
        (tuple(each.get_facecolor()[0]), each.get_paths()[0].vertices.tobytes())
        for each in ax.collections
    }
    assert len(looks) == 20
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.get_legend().get_texts()]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    plt.close(ax.figure)
    assert plot_embedding(places).get_legend() is None
    model = KModes(3, random_state=0).fit(labels[:, None] % 5)
    ours, theirs = (
        plot_embedding(places, given).collections for given in (model, model.labels_)
    )
    assert all(
        np.array_equal(a.get_offsets(), b.get_offsets())
        for a, b in zip(ours, theirs, strict=True)
    )
    plt.close("all")
