"""Pictures of a clustering: silhouettes, modes, profiles, columns, the sorted matrix and the tree."""

import numpy as np
import pandas as pd
from scipy.cluster import hierarchy
from sklearn.isotonic import isotonic_regression

from ..core.checks import check_option, check_whole, extra
from ..core.codes import encode_labels, labels_of
from ..family.relatives import tree_labels
from ..measures.cohesion import cluster_order, square_distances
from ..measures.silhouette import silhouette_samples
from .plots import axes_or_new, new_panels, style
from .profiles import category_profiles, cluster_profiles, column_numbers
from .profiles import number_figures, weighed_rows
from .texts import number_text, picture_texts, size_text
from .words import column_associations, frame_and_kinds

__all__ = [
    "plot_columns",
    "plot_dendrogram",
    "plot_distances",
    "plot_modes",
    "plot_silhouette",
]


def _name_blocks(ax, names, bounds):
    """Names of clusters beside their blocks, moved apart where these are small, with
    lines that lead to them.
    """
    points = ax.get_position().height * ax.figure.get_figheight() * 72
    rows = 12 / points * bounds[-1] * np.arange(len(names))  # a line of text for each
    centres = (bounds[1:] + bounds[:-1]) / 2
    places = isotonic_regression(centres - rows) + rows
    look = dict(va="center", ha="right", fontsize=9, annotation_clip=False)
    look |= dict(arrowprops=dict(arrowstyle="-", color="0.5", linewidth=0.7))
    beside = ax.get_yaxis_transform()
    for name, place, centre in zip(picture_texts(names, 24), places, centres):
        ax.annotate(name, (0, centre), (-0.05, place), xycoords=beside, **look)
    ax.set(yticks=[], ylim=(bounds[-1], 0))
    ax.set_ylabel("cluster", labelpad=44)
    ax.grid(False)


@style()
def plot_silhouette(
    X, labels, ax=None, *, missing: str = "error", categorical_features="auto"
):
    """Draw the silhouette coefficients, sorted within each cluster, and their mean.

    Parameters
    ----------
    X
        points, shape (n, m): codes, or an array or frame of categories of any kind,
        with or without numbers
    labels
        cluster of each point, shape (n,), 2 to n - 1 different ones; or an estimator
        fitted to the points
    ax : default=None
        matplotlib axes to draw on; None makes new ones
    missing : str, default="error"
        what to do with missing values: "error", "category" or "ignore", as in
        `silhouette_samples`
    categorical_features : default="auto"
        which columns hold categories: "auto" leaves it to a fitted `KPrototypes`, or to
        the rule of `column_kinds`; anything else is as for `KPrototypes`

    Returns
    -------
    matplotlib axes
        those that were drawn on
    """
    numbers, names = encode_labels(labels_of(labels))
    options = dict(missing=missing, categorical_features=categorical_features)
    s = silhouette_samples(X, labels, **options)
    ax = axes_or_new(ax, figsize=(6, max(4, 0.32 * len(names))))
    bounds = np.append(0, np.cumsum(np.bincount(numbers)))
    for l in range(len(names)):
        bars = np.sort(s[numbers == l])[::-1]
        edges = bounds[l] + np.arange(len(bars) + 1)
        lengths = np.append(bars, bars[-1])
        ax.fill_betweenx(edges, 0, lengths, step="post", linewidth=0)
    ax.axvline(s.mean(), color="black", linestyle="--", linewidth=1)
    ax.set_xlabel(f"silhouette coefficient (mean {s.mean():.2f})")
    _name_blocks(ax, names, bounds)
    return ax


# ------------------------------------------------------------------ modes


def _cell_looks(by, values):
    "Colours of shares, of lifts, or of differences of numbers, and what a bar says."
    with extra("plots"):
        from matplotlib.colors import LogNorm

    if by == "share":
        bar = dict(label="share of the mode", format="{x:.0%}")
        return dict(cmap="Blues", vmin=0, vmax=1), bar
    if by == "difference":
        bar = dict(label="mean, in s.d. from that of all")
        return dict(cmap="PuOr_r", vmin=-2, vmax=2), bar
    bar = dict(label="lift of the mode", format="{x:.2g}")
    top = max(2.0, np.nanmax(values), 1 / np.nanmin(values))
    return dict(cmap="PuOr_r", norm=LogNorm(1 / top, top)), bar


@style()
def plot_modes(
    X,
    labels=None,
    ax=None,
    *,
    by: str = "share",
    sample_weight=None,
    categorical_features="auto",
):
    """Draw the modes, and the means of numbers, as a heat map: rows are attributes,
    columns clusters.

    Parameters
    ----------
    X
        a frame of `cluster_profiles` or rows of it; or the data, shape (n, m), as
        `cluster_profiles` takes it
    labels : default=None
        cluster of each row, shape (n,), or a fitted estimator; None where `X` is a
        frame of profiles
    ax : default=None
        matplotlib axes; None for a new figure, of a size that fits the table
    by : str, default="share"
        what the colour shows: "share" or "lift" of the mode
    sample_weight : default=None
        weight of each row of the data, shape (n,), not negative; None weighs each row 1
    categorical_features : default="auto"
        which columns of the data hold categories: as for `cluster_profiles`

    Returns
    -------
    matplotlib axes
        those that were drawn on
    """
    with extra("plots"):
        import seaborn as sns
    by = check_option("by", by, ("share", "lift"))
    if labels is not None:
        kinds = dict(categorical_features=categorical_features)
        X = cluster_profiles(X, labels, sample_weight, **kinds)
    (row, attributes), (column, clusters) = (
        pd.factorize(X[name].to_numpy(object), use_na_sentinel=False)
        for name in ("attribute", "cluster")
    )
    texts = np.array(picture_texts(X["mode"], 16), object)
    names = np.array(picture_texts(attributes, 24), object)
    if "kind" in X:
        is_number = (X["kind"] == "number").to_numpy()
        texts[is_number] = X["mean"][is_number].map(number_text)
        names[np.unique(row[is_number])] += " (mean)"
    cells = X.assign(text=texts).set_index([row, column])
    width = np.clip(0.2 + 0.085 * max(map(len, texts)), 0.65, 1.75) * len(clusters)
    width += 1.4 + 0.09 * max(map(len, names))
    ax = axes_or_new(ax, figsize=(width, 1.1 + 0.26 * len(names)))
    sizes = X["size"].groupby(column).first().tolist()
    heads = zip(picture_texts(clusters, 12), map(size_text, sizes))
    heads = [f"{name}\nn={size}" for name, size in heads]
    options = dict(ax=ax, xticklabels=heads, yticklabels=names, linewidths=1)
    options |= dict(annot=cells["text"].unstack(), fmt="", annot_kws=dict(size=9))
    for quantity in (by, "difference"):
        if quantity in X and X[quantity].notna().any():
            values = cells[quantity].unstack().astype(float)
            look, bar = _cell_looks(quantity, values)
            bar |= dict(pad=0.02, fraction=0.06, aspect=30)
            sns.heatmap(values, cbar_kws=bar, **look, **options)
            ax.collections[-1].colorbar.minorticks_off()
    ax.tick_params(length=0, labeltop=True, labelbottom=False, labelrotation=0)
    ax.set_xlabel("cluster", fontsize=9)
    ax.xaxis.set_label_position("top")
    ax.grid(False)
    return ax


# ------------------------------------------------------------------ columns

_MOST_PARTS = 6  # of a bar


def _draw_boxes(ax, column, numbers, weights, names):
    """A box for all rows, and one for each cluster: quartiles, and whiskers between which
    nine rows of ten lie.
    """
    k = len(names) - 1
    figures = number_figures(column_numbers(column), numbers, k, weights)
    places = dict(p05="whislo", p25="q1", median="med", p75="q3", p95="whishi")
    boxes = figures.rename(columns=places).iloc[[k, *range(k)]].assign(label=names)
    look = dict(boxprops=dict(facecolor="#9ecae1"), medianprops=dict(color="black"))
    look |= dict(widths=0.6, patch_artist=True, showfliers=False)
    parts = ax.bxp(boxes.to_dict("records"), **look)
    parts["boxes"][0].set_facecolor("0.85")
    ax.locator_params("y", nbins=4)


def column_shares(column, numbers, weights, most, ordered=False):
    """How common each category is in all rows and in each cluster, a row for each; and in
    another frame the rare ones of a column that has many, together, and missing values.
    """
    one = column.to_frame()
    table = category_profiles(one, numbers, weights, categorical_features=[0])
    n = len(table) // (numbers.max() + 1)
    shares = np.vstack([table.overall_share[:n], table.share.to_numpy().reshape(-1, n)])
    shares = pd.DataFrame(shares, columns=table.category[:n])
    is_gap = is_rest = shares.columns.isna()
    rest = shares.loc[:, is_gap]
    if not ordered and n - is_gap.sum() > most:
        common = np.argsort(-shares.max().where(~is_gap, 0), kind="stable")
        is_rest = ~np.isin(range(n), common[: most - 1])
        rare = is_rest & ~is_gap
        rest.insert(0, f"{rare.sum()} others", shares.loc[:, rare].sum(axis=1))
    return shares.loc[:, ~is_rest], rest


def _draw_bars(ax, column, numbers, weights, names):
    "A stacked bar for all rows, and one for each cluster; rare categories together."
    bars = pd.concat(column_shares(column, numbers, weights, _MOST_PARTS), axis=1)
    bars = bars.set_axis(names).set_axis(picture_texts(bars.columns, 14), axis=1)
    bars.plot.bar(stacked=True, ax=ax, width=0.7, rot=0, ylim=(0, 1))
    ax.yaxis.set_major_formatter("{x:.0%}")
    ax.locator_params("y", nbins=2)
    where = dict(loc="center left", bbox_to_anchor=(1, 0.5))
    ax.legend(reverse=True, handlelength=0.8, handletextpad=0.3, **where)


@style()
def plot_columns(
    X, labels, *, most: int = 9, sample_weight=None, categorical_features="auto"
):
    """Draw the distribution of each column in all rows and in each cluster: boxes for
    numbers, stacked bars for categories; `axes[0].figure` is the whole picture.

    Parameters
    ----------
    X
        categories and numbers, shape (n, m): a frame, an array or a list of rows
    labels
        the cluster of each row, shape (n,): any hashable values; or a fitted estimator
    most : int, default=9
        columns that are drawn, at most: those of the highest association with the
        clusters, first the highest
    sample_weight : default=None
        weight of each row, shape (n,), not negative; None weighs each row 1
    categorical_features : default="auto"
        which columns hold categories: as for `cluster_profiles`

    Returns
    -------
    result
        an array of axes, one for each column
    """
    most = check_whole("most", most)
    frame, is_number, _ = frame_and_kinds(X, labels, categorical_features)
    frame, numbers, clusters, weights = weighed_rows(frame, labels, sample_weight)
    associations = column_associations(frame, is_number, numbers, weights)
    chosen = np.argsort(-associations, kind="stable")[:most]
    names = ["all", *picture_texts(clusters, 8)]
    titles = picture_texts(frame.columns[chosen], 30)
    axes = new_panels(titles, max(3.2, 1.6 + 0.32 * len(clusters)))
    for ax, j in zip(axes, chosen):
        draw = _draw_boxes if is_number[j] else _draw_bars
        draw(ax, frame.iloc[:, j], numbers, weights, names)
        ax.tick_params(axis="x", length=0, rotation=90 if len(names) > 8 else 0)
        ax.grid(False, axis="x")
    return axes


# ------------------------------------------------------------------ distances


@style()
def plot_distances(distances, labels, ax=None, *, most: int = 800):
    """Draw the matrix of distances sorted by cluster: dark squares on the diagonal are
    clusters of near rows.

    Parameters
    ----------
    distances
        all distances of the rows, shape (n, n) or condensed
    labels
        cluster of each row, shape (n,), or an estimator that has been fitted to the
        rows
    ax : default=None
        matplotlib axes; None for new ones
    most : int, default=800
        rows that are drawn, at most

    Returns
    -------
    matplotlib axes
        those that were drawn on
    """
    D = square_distances(distances)
    labels = labels_of(labels)
    numbers, names = encode_labels(labels)
    order = cluster_order(D, labels)
    kept = np.linspace(0, len(order) - 1, check_whole("most", most)).astype(int)
    order = order[np.unique(kept)]
    n = len(order)
    ax = axes_or_new(ax, figsize=(5.2, 4.4))
    look = dict(cmap="Blues_r", vmin=0, interpolation="nearest", aspect="auto")
    image = ax.imshow(D[np.ix_(order, order)], extent=(0, n, n, 0), **look)
    bounds = np.searchsorted(numbers[order], np.arange(len(names) + 1))
    for draw in (ax.hlines, ax.vlines):
        draw(bounds[1:-1], 0, n, color="white", linewidth=0.8)
    _name_blocks(ax, names, bounds)
    ax.set_xticks([])
    bar = ax.figure.colorbar(image, ax=ax, label="distance", fraction=0.05, pad=0.02)
    bar.outline.set_visible(False)
    return ax


# ------------------------------------------------------------------ the tree


@style()
def plot_dendrogram(
    Z, ax=None, *, n_clusters: int | None = None, most: int = 30, names=None
):
    """Draw the last joints of a tree; the clusters of a cut are told by colour and
    number.

    Parameters
    ----------
    Z
        a linkage matrix of scipy, shape (n - 1, 4), as `grow_tree` gives it
    ax : default=None
        matplotlib axes; None for new ones
    n_clusters : int, default=None
        into how many clusters the tree is cut; None does not cut
    most : int, default=30
        branches that are shown, at most
    names : default=None
        names of the rows, shape (n,), for branches of one row; None writes the numbers
        of rows

    Returns
    -------
    matplotlib axes
        those that were drawn on
    """
    n = len(Z) + 1
    most = min(check_whole("most", most, least=2), n)
    if names is not None and len(names) != n:
        raise ValueError(f"names must be a list of {n} names, one of each row")
    own = [0] * n  # the cluster of each node, -1 where it has several
    if n_clusters is not None:
        own = tree_labels(Z, check_whole("n_clusters", n_clusters, most=most)).tolist()
    for left, right in Z[:, :2].astype(int):
        own.append(own[left] if own[left] == own[right] else -1)
    sizes = np.append(np.ones(n), Z[:, 3]).astype(int)
    texts = [f"{size:,}" for size in sizes]
    if names is not None:
        texts[:n] = picture_texts(names, 12)
    ax = axes_or_new(ax, figsize=(max(5, 0.3 * most), 3.4))
    look = dict(p=most, truncate_mode="lastp", count_sort="descending")
    colours = {cluster: f"C{cluster % 7}" for cluster in own} | {-1: "0.45"}
    look |= dict(leaf_label_func=texts.__getitem__, leaf_rotation=90, leaf_font_size=9)
    look |= dict(link_color_func=lambda node: colours[own[node]])
    leaves = hierarchy.dendrogram(Z, ax=ax, **look)["leaves"]
    ax.tick_params(axis="x", length=0)
    ax.grid(False, axis="x")
    ax.spines["bottom"].set_visible(False)
    said = "rows of each branch" if names is None else "rows"
    if n_clusters is not None:
        branches = pd.Series(np.arange(most)).groupby([own[leaf] for leaf in leaves])
        places = 10 * branches.mean() + 5  # scipy's branches stand 10 apart
        ax.set_xticks(places, places.index, minor=True)
        ax.xaxis.remove_overlapping_locs = False
        below = 8 + 6 * max(len(texts[leaf]) for leaf in leaves)  # in points
        ax.tick_params(axis="x", which="minor", length=0, pad=below)
        said += ", and number of the cluster"
    ax.set(xlabel=said, ylabel="height")
    return ax
