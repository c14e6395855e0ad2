"""Pictures of a clustering: what is drawn is what the data say; labels do not collide
at 20 clusters.
"""

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from kmodes_study.cluster.estimator import KModes
from kmodes_study.describe.cluster_plots import plot_columns, plot_dendrogram
from kmodes_study.describe.cluster_plots import plot_distances, plot_modes
from kmodes_study.describe.cluster_plots import plot_silhouette
from kmodes_study.family.relatives import grow_tree, tree_labels
from kmodes_study.measures.cohesion import cluster_order
from kmodes_study.measures.distances import hamming_distances

plt = pytest.importorskip("matplotlib.pyplot")
RNG = np.random.RandomState(0)
SIZES = RNG.permutation([60, 50, 40, 30, 20, *[3] * 15])
LABELS = np.repeat(np.arange(20), SIZES)
CODES = np.where(
    RNG.rand(len(LABELS), 8) < 0.7,
    LABELS[:, None],
    RNG.randint(20, size=(len(LABELS), 8)),
)


@pytest.fixture(autouse=True)
def closed():
    before = dict(plt.rcParams)
    yield
    plt.close("all")
    assert dict(plt.rcParams) == before, "a picture must not set a style for others"


def apart(texts):
    "Whether no two texts are written over each other."
    texts = [text for text in texts if text.get_text()]
    texts[0].figure.canvas.draw()
    # without the lines that lead to them
    boxes = [Text.get_window_extent(text) for text in texts]
    return not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])


def test_the_matrix_is_sorted_and_its_names_are_apart():
    D = hamming_distances(CODES)
    ax = plot_distances(D, LABELS)
    order = cluster_order(D, LABELS)
    assert (ax.images[0].get_array() == D[np.ix_(order, order)]).all()
    for lines, axis in zip(ax.collections, (1, 0)):
        places = [segment[:, axis] for segment in lines.get_segments()]
        assert (np.transpose(places) == np.cumsum(SIZES)[:-1]).all()
    assert [text.get_text() for text in ax.texts] == [str(l) for l in range(20)]
    assert apart(ax.texts)


def test_a_large_matrix_is_thinned_evenly():
    labels = np.repeat([0, 1], [900, 300])
    image = (
        plot_distances(hamming_distances(labels[:, None]), labels, most=200)
        .images[0]
        .get_array()
    )
    assert image.shape == (200, 200)
    assert abs((image[0] == 0).sum() - 150) <= 1


def test_the_dendrogram_draws_the_joints_and_names_the_clusters():
    Z = grow_tree(CODES)
    ax = plot_dendrogram(Z, n_clusters=20, most=40)
    ax.figure.canvas.draw()
    joints = np.concatenate([each.get_segments() for each in ax.collections])
    assert sorted(joints[:, 1, 1]) == sorted(Z[-39:, 2])
    ticks = [text.get_text() for text in ax.get_xticklabels()]
    assert sum(int(text.replace(",", "")) for text in ticks) == len(CODES)
    clusters = ax.get_xticklabels(minor=True)
    assert sorted(int(text.get_text()) for text in clusters) == list(range(20))
    assert apart([*clusters, *ax.get_xticklabels(), ax.xaxis.label])
    assert len(set(tree_labels(Z, 20))) == 20
    assert 2 < len({tuple(each.get_color()[0]) for each in ax.collections}) <= 8


def test_estimators_are_taken_in_place_of_labels():
    fitted = KModes(5, random_state=0).fit(CODES)
    D = hamming_distances(CODES)
    one, other = plot_distances(D, fitted), plot_distances(D, fitted.labels_)
    assert (one.images[0].get_array() == other.images[0].get_array()).all()
    for draw in plot_silhouette, plot_modes:
        assert draw(CODES, fitted)
    with pytest.raises(ValueError, match="not fitted"):
        plot_silhouette(CODES, KModes(5))


def test_given_axes_are_used():
    ax = plt.subplots()[1]
    assert plot_dendrogram(grow_tree([[0], [1]]), ax) is ax


def test_columns_are_drawn_as_boxes_and_bars_the_one_that_tells_more_first():
    numbers = LABELS + RNG.rand(len(LABELS))
    frame = pd.DataFrame({"name": np.arange(len(LABELS)) % 3, "number": numbers})
    boxes, bars = plot_columns(frame, LABELS == 1)
    assert (boxes.get_title(), bars.get_title()) == ("number", "name")
    for rows, line in zip((LABELS >= 0, LABELS != 1, LABELS == 1), boxes.lines[4::5]):
        assert set(line.get_ydata()) == {np.median(numbers[rows])}
    heights = np.reshape([bar.get_height() for bar in bars.patches], (3, 3))
    shares = pd.crosstab(frame.name, LABELS == 1, normalize="columns").to_numpy()
    assert heights[:, 1:] == pytest.approx(shares)
    assert heights[:, 0] == pytest.approx(frame.name.value_counts(normalize=True))


def test_as_many_names_as_rows_are_asked_for():
    with pytest.raises(ValueError, match="^names must"):
        plot_dendrogram(grow_tree([[0], [1]]), names=["one"])
