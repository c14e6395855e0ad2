"""Pictures of a clustering: silhouettes, modes, profiles, columns, the sorted matrix and the tree."""

import numpy as np
import pandas as pd

from ..core.checks import check_option, check_whole, extra
from ..core.codes import encode_labels, labels_of
from ..core.columns import as_floats, as_table
from ..family.relatives import tree_layout
from ..measures.cohesion import cluster_order, square_distances
from ..measures.silhouette import silhouette_samples
from .plots import axes_or_new, style
from .profiles import QUARTERS, category_profiles, cluster_profiles, weighed_rows
from .profiles import weighted_quantiles
from .texts import number_text, picture_texts, size_text

__all__ = [
    "plot_columns",
    "plot_dendrogram",
    "plot_distances",
    "plot_modes",
    "plot_profile",
    "plot_silhouette",
]


def _height(ax):
    "The height of axes in points."
    return ax.get_position().height * ax.figure.get_figheight() * 72


def _table_like(ax, clusters, attributes, **options):
    "Names of clusters above and of attributes beside the axes, without any frame."
    ax.set_xticks(*clusters, fontsize=9, **options)
    ax.set_yticks(*attributes, fontsize=9)
    ax.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
    ax.spines[:].set_visible(False)


def _profiles_of(profiles, X, labels, columns, **options):
    "The profiles of a table, or `X` itself where it is a frame of them."
    if labels is not None:
        return profiles(X, labels, **options)
    if options.get("sample_weight") is not None:
        raise ValueError("sample_weight must be None for a frame of profiles")
    if isinstance(X, pd.DataFrame) and {*columns} <= {*X.columns} and len(X):
        return X
    raise ValueError(
        f"X must be a frame of {profiles.__name__} when there are no labels, got "
        f"{type(X).__name__}: pass the data and their labels"
    )


# ------------------------------------------------------------------ silhouettes


def _slots(sizes, lines):
    "The sizes, the small ones raised to the height of a line, and a gap for each."
    slots = sizes = sizes + max(1, sizes.sum() // 50)
    for _ in range(30):
        slots = np.maximum(sizes, min(slots.sum() / lines, sizes.max()))
    return slots


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
    the axes
    """
    with extra("plots"):
        import seaborn as sns
    numbers, categories = encode_labels(labels_of(labels))
    kinds = categorical_features
    if isinstance(kinds, str) and hasattr(labels, "is_categorical_"):
        kinds = labels.is_categorical_
    s = silhouette_samples(X, numbers, missing=missing, categorical_features=kinds)
    ax = axes_or_new(ax, figsize=(6, max(4, 0.32 * len(categories))))
    slots = _slots(np.bincount(numbers), _height(ax) / 11)
    for l, colour in enumerate(sns.color_palette("colorblind", len(categories))):
        bars = np.sort(s[numbers == l])[::-1]
        # more bars than pixels are not seen
        shown = np.unique(np.linspace(0, len(bars) - 1, 2000).astype(int))
        top = slots[:l].sum() + (slots[l] - len(bars)) / 2
        edges = top + np.append(shown, len(bars))
        lengths = np.append(bars[shown], bars[-1])
        ax.fill_betweenx(edges, 0, lengths, step="post", color=colour, linewidth=0)
    ax.set_ylim(slots.sum(), 0)
    ax.axvline(s.mean(), color="black", linestyle="--", linewidth=1)
    ax.set(xlabel=f"silhouette coefficient (mean {s.mean():.2f})", ylabel="cluster")
    ax.set_yticks(slots.cumsum() - slots / 2, picture_texts(categories, 24))
    ax.tick_params(axis="y", length=0)
    ax.grid(False)
    return ax


# ------------------------------------------------------------------ modes

_MOST_LETTERS = 18  # of a category in a cell, where there are few clusters
_SAID = dict(
    share="share of the mode",
    lift="lift of the mode",
    difference="mean, in s.d. from that of all",
)


def _colours(values, by):
    "Colour map and norm for shares, for lifts, or for differences of numbers."
    with extra("plots"):
        from matplotlib.colors import LogNorm, Normalize
    if by == "difference":
        return "PuOr_r", Normalize(-2, 2)
    if by == "share":
        return "Blues", Normalize(0, 1)
    known = values[values > 0]
    top = max(2.0, known.max(initial=1.0), 1 / known.min(initial=1.0))
    return "PuOr_r", LogNorm(1 / top, top)


def _draw_cells(ax, values, by, texts):
    """The cells that have values, (m, k), with their texts, dark on light colours and
    light on dark ones, and a bar of the colours.
    """
    cmap, norm = _colours(values, by)
    look = dict(cmap=cmap, norm=norm, edgecolors="white", linewidth=1)
    mesh = ax.pcolormesh(np.ma.masked_invalid(values), **look)
    luminance = mesh.to_rgba(mesh.get_array())[..., :3] @ [0.299, 0.587, 0.114]
    hidden = np.ma.getmaskarray(mesh.get_array())
    centred = dict(ha="center", va="center", fontsize=9)
    for (j, l), text in np.ndenumerate(texts):
        if hidden[j, l] and text:
            continue  # it is written where its own colour is drawn
        colour = "black" if luminance[j, l] > 0.5 else "white"
        ax.text(l + 0.5, j + 0.5, text, color=colour, **centred)
    bar = ax.figure.colorbar(mesh, ax=ax, pad=0.02, fraction=0.06, aspect=30)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=9)
    bar.set_label(_SAID[by], fontsize=9)
    if by == "share":
        bar.ax.yaxis.set_major_formatter("{x:.0%}")
    if by == "lift":
        ticks = [1 / 64, 1 / 16, 1 / 4, 1 / 2, 1, 2, 4, 16, 64]
        ticks = [tick for tick in ticks if norm.vmin <= tick <= norm.vmax]
        names = [f"{x:g}" if x >= 1 else f"1/{1 / x:g}" for x in ticks]
        bar.set_ticks(ticks, labels=names)
        bar.ax.minorticks_off()


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
    the axes
    """
    by = check_option("by", by, ("share", "lift"))
    needed = "cluster", "size", "attribute", "mode", "share", "lift"
    options = dict(
        sample_weight=sample_weight, categorical_features=categorical_features
    )
    profiles = _profiles_of(cluster_profiles, X, labels, needed, **options)
    factors = [
        pd.factorize(profiles[name].to_numpy(object), use_na_sentinel=False)
        for name in ("attribute", "cluster")
    ]
    (attribute, attributes), (cluster, clusters) = factors
    rows = np.full((len(attributes), len(clusters)), -1)  # of the profiles
    rows[attribute, cluster] = np.arange(len(profiles))
    if (rows >= 0).sum() < len(profiles):
        raise ValueError("X must have one row for each cluster and attribute, got more")

    def cells(column, none):
        return np.where(rows < 0, none, profiles[column].to_numpy()[rows])

    width = _MOST_LETTERS if ax is None and len(clusters) <= 8 else 12
    modes = picture_texts(cells("mode", "").ravel(), width)
    texts = np.array(modes, object).reshape(rows.shape)
    names = picture_texts(attributes, 24)
    if "kind" in profiles:
        for j in np.flatnonzero((cells("kind", "") == "number").any(axis=1)):
            means = cells("mean", np.nan)[j]
            texts[j] = ["" if np.isnan(x) else number_text(x) for x in means]
            names[j] = f"{names[j]} (mean)"
    cell = np.clip(0.2 + 0.085 * max(map(len, texts.flat)), 0.65, 1.75)
    size = (
        1.4 + 0.09 * max(map(len, names)) + cell * len(clusters),
        0.8 + 0.26 * len(names),
    )
    ax = axes_or_new(ax, figsize=size, layout="constrained")
    for quantity in (by, "difference"):
        if quantity in profiles:
            values = cells(quantity, np.nan).astype(float)
            if np.isfinite(values).any():
                _draw_cells(ax, values, quantity, texts)
    sizes = profiles["size"].to_numpy()[rows.max(axis=0)]
    heads = zip(picture_texts(clusters, 12), sizes)
    heads = [f"{name}\nn={size_text(size)}" for name, size in heads]
    centres = np.arange(len(clusters)) + 0.5
    _table_like(ax, (centres, heads), (np.arange(len(names)) + 0.5, names))
    ax.set_xlabel("cluster", fontsize=9)
    ax.xaxis.set_label_position("top")
    ax.invert_yaxis()
    return ax


# ------------------------------------------------------------------ profiles


@style()
def plot_profile(
    X, labels=None, ax=None, *, most: int = 20, categorical_features="auto"
):
    """Draw share (area) and lift (full and dark above 1, open below) of the categories
    that tell the clusters apart.

    Parameters
    ----------
    X
        categories, shape (n, m): a frame, an array or a list of rows; numbers are cut
        at their quartiles; or a frame of `category_profiles`
    labels : default=None
        cluster of each row, shape (n,), or a fitted estimator; None where X is a frame
        of profiles
    ax : default=None
        matplotlib axes; None for new ones
    most : int, default=20
        categories that are shown, at most
    categorical_features : default="auto"
        which columns hold categories: as for `cluster_profiles`

    Returns
    -------
    the axes
    """
    with extra("plots"):
        from matplotlib import colormaps
    needed = "cluster", "size", "attribute", "category", "overall_share", "lift"
    options = dict(categorical_features=categorical_features)
    profiles = _profiles_of(category_profiles, X, labels, needed, **options)
    k = profiles["cluster"].nunique()
    # those in which the clusters differ most, in the order of the table
    terms = profiles["size"] * (profiles["share"] - profiles["overall_share"]) ** 2
    sums = terms.to_numpy().reshape(k, -1).sum(axis=0)
    chosen = np.argsort(-sums, kind="stable")[: check_whole("most", most)]
    first = np.arange(k)[:, None] * len(sums)
    part = profiles.iloc[(first + np.sort(chosen)).ravel()]
    n = len(chosen)
    lift, share = part["lift"].to_numpy(), part["share"].to_numpy()
    blues = colormaps["Blues"](0.3 + 0.35 * np.log2(np.clip(lift, 1, 4)))
    blues = np.where(lift[:, None] > 1, blues, [[1.0, 1, 1, 1]])
    ax = axes_or_new(ax, figsize=(3 + 0.5 * k, 1 + 0.27 * n))
    x, y = np.repeat(np.arange(k), n), np.tile(np.arange(n), k)
    ax.scatter(x, y, s=190 * share, c=blues, edgecolors="0.25", linewidths=0.8)
    names = []
    attributes = picture_texts(part["attribute"][:n], 22)
    for name, category in zip(attributes, picture_texts(part["category"][:n], 18)):
        is_class = category.startswith(("≤ ", "> "))  # of a number
        names.append(f"{name} {category}" if is_class else f"{name} = {category}")
    heads = picture_texts(part["cluster"][::n], 8)
    turned = dict(rotation=90 if k > 12 else 0)
    _table_like(ax, (range(k), heads), (range(n), names), **turned)
    ax.set(
        xlim=(-0.6, k - 0.4),
        ylim=(n - 0.4, -0.6),
        xlabel="cluster\narea: share; full: lift above 1, dark from 4",
    )
    return ax


# ------------------------------------------------------------------ columns

_MOST_PARTS = 6  # of a bar


def _box_of(values, weights, name):
    "Where the parts of a box plot are, in the form of matplotlib's `bxp`."
    low, middle, high = weighted_quantiles(values, weights, QUARTERS)
    reach = 1.5 * (high - low)
    near = values[(values >= low - reach) & (values <= high + reach)]
    ends = (near.min(), near.max()) if near.size else (np.nan, np.nan)
    return dict(med=middle, q1=low, q3=high, whislo=ends[0], whishi=ends[1], label=name)


def _draw_boxes(ax, values, numbers, weights, names):
    "A box for all rows, and one for each cluster."
    boxes = [_box_of(values, weights, names[0])]
    for l, name in enumerate(names[1:]):
        own = numbers == l
        boxes.append(_box_of(values[own], weights[own], name))
    look = dict(linewidth=1, color="0.25")
    parts = ax.bxp(
        boxes,
        showfliers=False,
        patch_artist=True,
        widths=0.6,
        medianprops=dict(linewidth=1.8, color="black"),
        boxprops=dict(linewidth=0.8, edgecolor="0.25", facecolor="#9ecae1"),
        whiskerprops=look,
        capprops=look,
    )
    parts["boxes"][0].set_facecolor("0.85")
    ax.locator_params("y", nbins=4)


def _draw_bars(ax, profiles, names):
    "A stacked bar for all rows, and one for each cluster; rare categories together."
    with extra("plots"):
        import seaborn as sns
    k = len(names) - 1
    overall = profiles["overall_share"].to_numpy().reshape(k, -1)[0]
    shares = np.vstack([overall, profiles["share"].to_numpy().reshape(k, -1)])
    categories = profiles["category"][: len(overall)].tolist()
    if len(categories) > _MOST_PARTS + 1:
        kept = np.sort(np.argsort(-overall, kind="stable")[:_MOST_PARTS])
        rest = 1 - shares[:, kept].sum(axis=1, keepdims=True)
        shares = np.hstack([shares[:, kept], rest])
        categories = [categories[i] for i in kept] + ["other"]
    colours = sns.color_palette("colorblind", _MOST_PARTS + 1)
    places = np.arange(1, k + 2)
    below = np.zeros(k + 1)
    for share, name, colour in zip(shares.T, picture_texts(categories, 14), colours):
        ax.bar(places, share, 0.7, below, color=colour, label=name, linewidth=0)
        below = below + share
    ax.set_xticks(places, names)
    ax.set_ylim(0, 1)
    ax.yaxis.set_major_formatter("{x:.0%}")
    ax.locator_params("y", nbins=2)
    handles, texts = ax.get_legend_handles_labels()
    where = dict(loc="center left", bbox_to_anchor=(1, 0.5))
    small = dict(handlelength=0.8, handletextpad=0.3)
    ax.legend(handles[::-1], texts[::-1], **where, **small)


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
    with extra("plots"):
        import matplotlib.pyplot as plt
    kinds = dict(categorical_features=categorical_features)
    profiles = cluster_profiles(X, labels, sample_weight, **kinds)
    most = check_whole("most", most)
    measure = "association" if "association" in profiles else "corrected_v"
    columns = profiles.iloc[: len(profiles) // profiles["cluster"].nunique()]
    ties = columns[measure].to_numpy()
    chosen = pd.Series(ties).sort_values(ascending=False, kind="stable").index[:most]
    is_number = np.zeros(len(columns), bool)
    if "kind" in columns:
        is_number = (columns["kind"] == "number").to_numpy()

    table = pd.DataFrame(as_table(X))
    titles = picture_texts(columns["attribute"].iloc[chosen], 30)
    table, numbers, clusters, weights = weighed_rows(table, labels, sample_weight)
    names = ["all", *picture_texts(clusters, 8)]
    n_columns = min(3, len(chosen))
    n_rows = -(-len(chosen) // 3)
    size = n_columns * max(3.2, 1.6 + 0.32 * len(clusters)), 2.2 * n_rows
    figure, axes = plt.subplots(n_rows, n_columns, figsize=size, squeeze=False)
    for ax in axes.flat[len(chosen) :]:
        ax.remove()
    for ax, title, j in zip(axes.flat, titles, chosen):
        if is_number[j]:
            _draw_boxes(ax, as_floats(table, j, "ignore"), numbers, weights, names)
        else:
            column = table.iloc[:, [j]], numbers, weights
            _draw_bars(ax, category_profiles(*column, categorical_features=[0]), names)
        ax.set_title(title)
        ax.tick_params(axis="x", length=0)
        ax.grid(False, axis="x")
        if len(names) > 8:
            ax.tick_params(axis="x", rotation=90)
    return np.array(axes.flat[: len(chosen)])


# ------------------------------------------------------------------ distances


def _spread_apart(wanted, gap):
    """Places at least `gap` apart that are as near to the wanted ones, which rise, as
    the sum of squares can be.
    """
    groups = []
    for i, place in enumerate(wanted):
        groups.append([place - i * gap, 1])
        while len(groups) > 1 and groups[-2][0] >= groups[-1][0]:
            mean, size = groups.pop()
            before, n = groups[-1]
            groups[-1] = [(before * n + mean * size) / (n + size), n + size]
    means, sizes = zip(*groups)
    return np.repeat(means, sizes) + gap * np.arange(len(wanted))


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
    the axes
    """
    D = square_distances(distances)
    labels = labels_of(labels)
    numbers, names = encode_labels(labels)
    order = cluster_order(D, labels)
    kept = np.linspace(0, len(order) - 1, check_whole("most", most)).astype(int)
    order = order[np.unique(kept)]
    n = len(order)
    ax = axes_or_new(ax, figsize=(5.2, 4.4))
    image = ax.imshow(
        D[np.ix_(order, order)],
        cmap="Blues_r",
        vmin=0,
        interpolation="nearest",
        aspect="auto",
        extent=(0, n, n, 0),
    )
    bounds = np.searchsorted(numbers[order], np.arange(len(names) + 1))
    for bound in bounds[1:-1]:
        ax.axhline(bound, color="white", linewidth=0.8)
        ax.axvline(bound, color="white", linewidth=0.8)
    # the names of small clusters are moved apart, and lines lead to their blocks
    centres, gap = (bounds[1:] + bounds[:-1]) / 2, n * 12 / _height(ax)
    places = _spread_apart(centres, gap)
    places -= max(0, places[-1] - n) if len(places) * gap <= n else 0
    for name, place, centre in zip(picture_texts(names, 12), places, centres):
        ax.annotate(
            name,
            (0, centre),
            (-0.05, place),
            xycoords=ax.get_yaxis_transform(),
            va="center",
            ha="right",
            fontsize=9,
            annotation_clip=False,
            arrowprops=dict(arrowstyle="-", color="0.5", linewidth=0.7),
        )
    ax.set(xticks=[], yticks=[])
    ax.set_ylabel("cluster", labelpad=44)
    ax.grid(False)
    bar = ax.figure.colorbar(image, ax=ax, label="distance", fraction=0.05, pad=0.02)
    bar.outline.set_visible(False)
    return ax


# ------------------------------------------------------------------ the tree

_LOOKS = [
    ("#0173b2", "-"),
    ("#de8f05", "--"),
    ("#029e73", "-"),
    ("#404040", "-."),
    ("#cc78bc", "-"),
    ("#d55e00", ":"),
]


def _name_clusters(ax, clusters, looks, down):
    """A line under the branches of each cluster, and its number, `down` points below
    the axes.
    """
    with extra("plots"):
        from matplotlib.transforms import ScaledTranslation
    moved = ScaledTranslation(0, -down / 72, ax.figure.dpi_scale_trans)
    below = ax.get_xaxis_transform() + moved
    for l, (colour, _) in looks.items():
        where = np.flatnonzero(clusters == l)
        ends = [where[0] - 0.35, where[-1] + 0.35]
        line = dict(linewidth=2.5, transform=below, clip_on=False)
        ax.plot(ends, [0, 0], color=colour, **line)
        ax.annotate(
            l,
            (where.mean(), 0),
            (0, -4),
            xycoords=below,
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=9,
            annotation_clip=False,
        )


@style()
def plot_dendrogram(Z, ax=None, *, n_clusters: int = None, most: int = 30, names=None):
    """Draw the last joints of a tree; the clusters of a cut are told by colour, line
    style and number.

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
    the axes
    """
    layout = tree_layout(Z, n_clusters=n_clusters, most=most)
    is_cut = n_clusters is not None
    n = len(Z) + 1
    if names is not None and (not hasattr(names, "__len__") or len(names) != n):
        raise ValueError(f"names must be a list of {n} names, one of each row")
    ax = axes_or_new(ax, figsize=(max(5, 0.3 * len(layout.sizes)), 3.4))
    # neighbours from left to right differ
    in_order = dict.fromkeys(layout.clusters.tolist())
    looks = {l: _LOOKS[i % len(_LOOKS)] for i, l in enumerate(in_order)}
    for joint, cluster in zip(layout.links, layout.link_clusters):
        x, foot, other, other_foot, height, _ = joint
        colour, line = ("0.45" if is_cut else _LOOKS[0][0]), "-"
        if is_cut and cluster >= 0:
            colour, line = looks[cluster]
        look = dict(color=colour, linestyle=line, linewidth=1.6 if cluster >= 0 else 1)
        xs, ys = [x, x, other, other], [foot, height, height, other_foot]
        ax.plot(xs, ys, solid_joinstyle="miter", **look)
    texts = [f"{size:,}" for size in layout.sizes]
    if names is not None:
        rows = [(i, b) for i, b in enumerate(layout.branches) if b < n]
        own = picture_texts([names[b] for _, b in rows], 12)
        for (i, _), name in zip(rows, own):
            texts[i] = name
    ax.set_xticks(range(len(texts)), texts, rotation=90, fontsize=9)
    ax.tick_params(axis="x", length=0)
    ax.set(ylabel="height", xlim=(-0.7, len(layout.sizes) - 0.3), ylim=(0, None))
    ax.grid(False, axis="x")
    ax.spines["bottom"].set_visible(False)
    said = "rows of each branch" if names is None else "rows"
    if is_cut:
        _name_clusters(ax, layout.clusters, looks, 10 + 6 * max(map(len, texts)))
        said += ", and number of the cluster"
    ax.set_xlabel(said, labelpad=24 if is_cut else 4)
    return ax
