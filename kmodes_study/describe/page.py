"""A page on the clusters of a table, or on a scan over their number: one file that needs no network and can be printed."""

import base64
import re
import warnings
from datetime import datetime

import numpy as np
import pandas as pd

from ..core.checks import extra
from ..core.codes import encode_labels
from ..measures.silhouette import silhouette_samples
from .choice_of_k import plot_k_scan
from .cluster_plots import column_shares, plot_modes
from .maps import places_of
from .plots import picture_file, style
from .profiles import column_numbers, number_figures
from .stability import resampled
from .texts import criterion_text, figure_text, name_text, share_text, short_texts
from .texts import shown_table, size_text, votes
from .words import column_associations, column_importance, frame_and_kinds

with extra("plots"):
    import jinja2
    import matplotlib.pyplot as plt
    import seaborn as sns
    from markupsafe import Markup, escape
    from seaborn.utils import relative_luminance

__all__ = []

# rows of a large table for the map, and for silhouette, stability and importance
_MAPPED, _JUDGED = 1500, 1000
_RESAMPLES = 20
_MOST_COLUMNS = 12  # whose distributions are drawn
_MOST_MODES = 30  # columns in the picture of the modes


def clusters_page(found, **facts):
    """The page on `TableClusters`, as a text; `facts` are title, decisions as lines,
    command and seed.
    """
    frame, is_number, is_ordered = frame_and_kinds(found.cells, found.model, "auto")
    numbers, clusters = encode_labels(found.clusters, n=len(frame))
    weights = np.ones(len(frame)) if found.weights is None else found.weights
    names = short_texts(clusters, 60)
    if all(name.isdigit() for name in names):
        names = [f"cluster {name}" for name in names]
    sizes = np.bincount(numbers, weights, len(names))
    groups = [dict(name=name, size=size_text(size)) for name, size in zip(names, sizes)]
    mapped, judged = (_drawn(frame, numbers, n) for n in (_MAPPED, _JUDGED))
    missing = "ignore" if frame.isna().to_numpy().any() else "error"
    kinds = is_number, numbers, weights
    associations = pd.Series(column_associations(frame, *kinds), frame.columns)
    associations = associations.sort_values(ascending=False, kind="stable")
    is_shown = found.profiles.attribute.isin(associations.index[:_MOST_MODES])
    values = dict(
        lead=found.summary,
        decisions=found.decisions,
        groups=groups,
        shares=sizes / sizes.sum(),
        words=found.words.splitlines(),
        heads=["all rows", *names],
        columns=_telling_columns(frame, associations, *kinds, is_ordered),
        shape=frame.shape,
        map=_map(*mapped, names, is_number),
        n_mapped=len(mapped[0]),
        silhouette=_judge(groups, found.model, *judged, is_number, missing),
        n_judged=len(judged[0]),
        resamples=_RESAMPLES,
        importances=_importances(found.model, judged[0]) if len(names) > 1 else [],
        model=found.model,
        chosen="".join(x.text for x in found.decisions if "n_clusters" in x.instead),
        image=_as_text(lambda: plot_modes(found.profiles[is_shown]).figure),
        n_hidden=max(0, len(associations) - _MOST_MODES),
    )
    values |= _scan_parts(found.scan) if found.scan is not None else {}
    return _rendered(values | facts)


def scan_page(scan, plan, **facts):
    "The page on a scan over numbers of clusters, as a text."
    n, m = plan.cells.shape
    values = dict(lead=f"{n:,} rows in {m} columns", decisions=plan.decisions)
    return _rendered(values | _scan_parts(scan) | facts)


def _rendered(values):
    "The template with values."
    from .. import __version__

    loader = jinja2.PackageLoader(__package__, "")
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True)
    filters = dict(percent=share_text, figure=figure_text, options=_options_marked)
    environment.filters |= filters
    date = datetime.now().strftime("%d %B %Y, %H:%M")
    values |= dict(version=__version__, date=date)
    return environment.get_template("page.html").render(values)


def _options_marked(decision):
    "The line of a decision, in which the options of the command are not broken."
    code = r'<code class="option">\g<0></code>'
    line = str(escape(name_text(str(decision))))
    return Markup(re.sub(r"(?<![^\s(])--?[a-z][\w-]*", code, line))


def picture_of(draw, kind="png"):
    "The picture that a function draws, as the bytes of a file."
    with warnings.catch_warnings(), style():
        warnings.filterwarnings("ignore", "Glyph")  # letters that no font has
        figure = draw()
        try:
            return picture_file(figure, kind)
        finally:
            plt.close(figure)


def _as_text(draw):
    "A picture as a page holds it."
    return base64.b64encode(picture_of(draw)).decode()


def _drawn(frame, numbers, size):
    "At most so many rows of a table, and the numbers of their clusters."
    frame = frame.reset_index(drop=True)
    frame = frame.sample(min(size, len(frame)), random_state=0).sort_index()
    return frame.reset_index(drop=True), numbers[frame.index]


_COLOURS = "#0072b2 #e69f00 #009e73 #cc79a7 #56b4e9 #d55e00 #f0e442 #8c6bb1".split()


_OPINIONS = "#b2182b", "#f7f7f7", "#2166ac"
_AMOUNTS = "#deebf7", "#08519c"


def colours_of(names, ordered=False):
    "Colours for categories, which come again where there are many, or for levels."
    if ordered:
        are_opinions = len(names) > 4 and not any(map(str.isdigit, "".join(names)))
        ends = _OPINIONS if are_opinions else _AMOUNTS
        return sns.blend_palette(ends, len(names)).as_hex()
    return [_COLOURS[i % len(_COLOURS)] for i in range(len(names))]


def _telling_columns(frame, associations, is_number, numbers, weights, is_ordered):
    "The columns that tell most, each with its bars or boxes."
    columns = []
    for name, association in associations[:_MOST_COLUMNS].items():
        if association > 0 or len(associations) == 1:
            j = frame.columns.get_loc(name)
            given = frame.iloc[:, j], numbers, weights
            figure = _boxes(*given) if is_number[j] else _bars(*given, is_ordered[j])
            [text] = short_texts([name], 80)
            columns.append(figure | dict(name=text, association=association))
    return columns


def _boxes(column, numbers, weights):
    """The 5th, 25th, 50th, 75th and 95th percentile of a column of numbers, in all rows
    and in each cluster, and their places in a picture 100 wide.
    """
    k = numbers.max() + 1
    table = number_figures(column_numbers(column), numbers, k, weights)
    five = table[["p05", "p25", "median", "p75", "p95"]].to_numpy(float)
    five = np.roll(five, 1, axis=0)  # all rows come first
    low, high = np.nanmin(five), np.nanmax(five)
    at = (2 + 96 * (five - low) / (high - low or 1)).round(2)
    is_there = np.isfinite(five).all(axis=1)
    at = [row if there else None for row, there in zip(at.tolist(), is_there)]
    return dict(boxes=list(zip(at, five)), low=low, high=high)


_MOST_PARTS, _GREYS = 8, ["#9aa2ab", "#c9ced4"]  # of a bar


def _bars(column, numbers, weights, ordered):
    """How common each category is in all rows and in each cluster; the rare ones of a
    column that has many are one part, and missing values the last.
    """
    known, rest = column_shares(column, numbers, weights, _MOST_PARTS, ordered)
    table = pd.concat([known, rest], axis=1)
    names = short_texts(table.columns, 40)
    colours = colours_of(names[: known.shape[1]], ordered) + _GREYS
    parts = zip(names, colours, table.to_numpy().T)
    return dict(
        parts=[
            dict(
                label=label,
                colour=colour,
                # the letters that differ more (WCAG 2)
                ink="#000" if relative_luminance(colour) > 0.1791 else "#fff",
                shares=share,
            )
            for label, colour, share in parts
        ]
    )


def _map(frame, numbers, names, is_number):
    """The colour, mark and name of each cluster, its points on a map of 640 by 420, and
    the place of its mark in their middle.
    """
    if len(numbers) < 3:
        return []
    places = places_of(frame, is_number)
    low, reach = places.min(axis=0), np.ptp(places, axis=0)
    # what is nothing but rounding is one place, in the middle
    varies = reach > 1e-9 * reach.max()
    parts = np.where(varies, (places - low) / np.where(varies, reach, 1), 0.5)
    places = 20 + parts * [600, 380]
    found, marks = [], [name.removeprefix("cluster ") for name in names]
    if max(map(len, marks)) > 3:  # the legend has the names
        marks = [str(i + 1) for i in range(len(names))]
    for cluster in np.unique(numbers):
        here = places[numbers == cluster]
        path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in here)
        look = colours_of(names)[cluster], marks[cluster], names[cluster]
        found.append((*look, path, *np.median(here, axis=0).round()))
    return found


def _judge(groups, model, frame, numbers, is_number, missing):
    "Tell groups how real they are; the mean silhouette of all rows, or None."
    if model is not None and len(numbers) >= 2 * len(groups):
        rng = np.random.RandomState(0)
        found = resampled(model, frame, numbers, groups, _RESAMPLES, rng)
        for group, jaccard in zip(groups, found.clusters.stability):
            group["stability"] = jaccard
    try:
        kinds = list(~is_number)
        scores = silhouette_samples(
            frame, numbers, missing=missing, categorical_features=kinds
        )
    except (TypeError, ValueError):  # one cluster, or one of each row
        return None
    for cluster in np.unique(numbers):
        groups[cluster]["silhouette"] = scores[numbers == cluster].mean()
    return scores.mean()


def _importances(model, frame):
    "Which columns matter: name, importance and association of each."
    if model is None:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            table = column_importance(frame, model, n_repeats=3, random_state=0)
        except (TypeError, ValueError):
            return []  # a shuffled column may leave a row without any value
    names = short_texts(table.attribute, 60)
    return list(zip(names, table.importance, table.association))


def _scan_parts(scan):
    "The table of a scan, and what each criterion chose."
    table = shown_table(scan).rename(columns=criterion_text)
    html = table.to_html(index=False, border=0, float_format="{:.3f}".format, na_rep="")
    image = _as_text(lambda: plot_k_scan(scan)[0].figure)
    return dict(votes=list(votes(scan)), scan=html, scan_image=image)
