"""A page on the clusters of a table, or on a scan over their number: one file that needs no network and can be printed."""

import base64
import re
import warnings
from datetime import datetime
from importlib.resources import files

import numpy as np
import pandas as pd
from sklearn.base import clone

from ..core.checks import extra
from ..core.codes import encode_labels
from ..measures.silhouette import silhouette_samples
from .texts import criterion_text, shown_criteria, votes
from .choice_of_k import plot_k_scan
from .cluster_plots import plot_modes
from .maps import places_of
from .plots import picture_file, style
from .profiles import category_profiles, column_numbers, number_figures
from .stability import jaccards_again
from .texts import figure_text, name_text, share_text, short_texts, size_text
from .words import column_associations, column_importance, frame_and_kinds

with extra("plots"):
    import jinja2
    from markupsafe import Markup, escape
with extra("plots"):
    import matplotlib.pyplot as plt

__all__ = []

# rows of a large table for the map, and for silhouette, stability and importance
_MAPPED, _JUDGED = 1500, 1000
_RESAMPLES = 20
_MOST_COLUMNS = 12  # whose distributions are drawn
_MOST_MODES = 30  # columns in the picture of the modes


def clusters_page(found, **facts):
    """The page on `TableClusters`, as a text; `facts` are title, decisions as lines,
    command, seed and python.
    """
    frame, is_number, is_ordered = frame_and_kinds(found.cells, found.model, "auto")
    numbers, clusters = encode_labels(found.clusters, n=len(frame))
    weights = np.ones(len(frame)) if found.weights is None else found.weights
    names = short_texts(clusters, 60)
    if all(name.isdigit() for name in names):
        names = [f"cluster {name}" for name in names]
    sizes = np.bincount(numbers, weights, len(names))
    size_texts = [size_text(int(x) if x == int(x) else float(x)) for x in sizes]
    mapped, judged = (_drawn(frame, numbers, n) for n in (_MAPPED, _JUDGED))
    quality, silhouette = _quality(found.model, *judged, names, size_texts)
    of_names = found.profiles
    if is_number.any():
        of_names = of_names[~of_names.attribute.isin(frame.columns[is_number])]
    order = of_names.drop_duplicates("attribute")
    order = order.sort_values("corrected_v", ascending=False, kind="stable").attribute
    modes = of_names[of_names.attribute.isin(order[:_MOST_MODES])]
    return _rendered(
        lead=found.summary,
        sizes=list(zip(names, size_texts, sizes / sizes.sum(), sizes / sizes.max())),
        words=found.words.splitlines(),
        columns=_telling_columns(frame, numbers, weights, names, is_number, is_ordered),
        n_columns=len(is_number),
        map=_map(*mapped, names, is_number),
        mapped=_rows_text(mapped, len(frame)),
        quality=quality,
        silhouette=silhouette,
        judged=_rows_text(judged, len(frame)),
        resamples=_RESAMPLES,
        importances=_importances(found.model, judged[0]),
        **(_scan_parts(found.scan) if found.scan is not None else {}),
        criterion=found.criterion,
        chosen=_how_chosen(found),
        image=_as_text(lambda: plot_modes(modes).figure) if len(modes) else "",
        n_hidden=max(0, len(order) - _MOST_MODES),
        profiles=_profiles_table(found.profiles),
        **{"decisions": found.decisions} | facts,
    )


def scan_page(scan, plan, **facts):
    "The page on a scan over numbers of clusters, as a text."
    n, m = plan.cells.shape
    return _rendered(
        lead=f"{n:,} rows in {m} columns",
        scan_image=_as_text(lambda: plot_k_scan(scan, "")[0].figure),
        **_scan_parts(scan),
        **{"decisions": plan.decisions} | facts,
    )


def _rendered(decisions, **values):
    "The template with values."
    from .. import __version__

    environment = jinja2.Environment(autoescape=True, trim_blocks=True)
    environment.filters |= dict(percent=share_text, options=_with_options_marked)
    template = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    return environment.from_string(template).render(
        version=__version__,
        date=datetime.now().strftime("%d %B %Y, %H:%M"),
        decisions=[name_text(str(decision)) for decision in decisions],
        **values,
    )


def _with_options_marked(line):
    "A line in which the options of the command are not broken."
    code = r'<code class="option">\g<0></code>'
    return Markup(re.sub(r"(?<![^\s(])--?[a-z][\w-]*", code, str(escape(line))))


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
    rows = np.arange(len(frame))
    if len(rows) > size:
        rows = np.sort(np.random.RandomState(0).choice(rows, size, replace=False))
    return frame.iloc[rows].reset_index(drop=True), numbers[rows]


def _rows_text(drawn, n_rows):
    "Which rows a part of the page is made of."
    n = len(drawn[1])
    if n == n_rows:
        return "all rows"
    return f"{n:,} of the {n_rows:,} rows, drawn at random"


def _how_chosen(found):
    "How the number of clusters came about, where no scan says it."
    if found.model is None:
        return "The groups were given."
    if any("n_clusters" in decision.instead for decision in found.decisions):
        return "The number was chosen; the decisions say how."
    return f"The number was given: {found.model.n_clusters}."


_COLOURS = "#0072b2 #e69f00 #009e73 #cc79a7 #56b4e9 #d55e00 #f0e442 #8c6bb1".split()
_LOW, _MIDDLE, _HIGH = (178, 24, 43), (247, 247, 247), (33, 102, 172)


def colours_of(n, ordered=False):
    "Colours for categories, which come again where there are many, or for levels."
    if not ordered:
        return [_COLOURS[i % len(_COLOURS)] for i in range(n)]
    places = np.linspace(-1, 1, n) if n > 1 else [1.0]
    mixed = [np.interp(places, [-1, 0, 1], ends) for ends in zip(_LOW, _MIDDLE, _HIGH)]
    return ["#%02x%02x%02x" % tuple(map(round, colour)) for colour in zip(*mixed)]


def ink_on(colour):
    "Black or white, whichever can be read on a colour (relative luminance, WCAG 2)."
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    bright = linear @ [0.2126, 0.7152, 0.0722]
    return "#000" if (bright + 0.05) ** 2 > 0.05 * 1.05 else "#fff"


def _telling_columns(frame, numbers, weights, names, is_number, is_ordered):
    "The columns that tell most, each with its bars or boxes."
    associations = column_associations(frame, is_number, numbers, weights)
    heads = ["all rows", *names]
    columns = []
    for j in np.argsort(-associations, kind="stable")[:_MOST_COLUMNS]:
        if not associations[j] > 0 and frame.shape[1] > 1:
            continue
        column = frame.iloc[:, j]
        if is_number[j]:
            figure = _boxes(column, numbers, weights, heads)
        else:
            figure = _bars(column, numbers, weights, heads, is_ordered[j])
        name = short_texts([frame.columns[j]], 80)[0]
        columns.append(dict(name=name, association=associations[j], **figure))
    return columns


def _boxes(column, numbers, weights, heads):
    "The 5th, 25th, 50th, 75th and 95th percentile of a column of numbers."
    k = len(heads) - 1
    table = number_figures(column_numbers(column), numbers, k, weights)
    five = table.iloc[[-1, *range(k)]][["p05", "p25", "median", "p75", "p95"]]
    five = five.to_numpy(float)
    low, high = np.nanmin(five), np.nanmax(five)
    at = np.full_like(five, 50.0)
    if high > low:
        at = (2 + 96 * (five - low) / (high - low)).round(2)
    rows = []
    for head, figures, places in zip(heads, five, at):
        first, median, last = map(figure_text, figures[1:4])
        said = f"median {median}, middle half {first} to {last}"
        is_there = np.isfinite(figures).all()
        rows.append((head, places.tolist() if is_there else None, said, median))
    return dict(rows=rows, low=figure_text(low), high=figure_text(high))


_MOST_PARTS = 8  # of a bar


def _bars(column, numbers, weights, heads, ordered):
    """How common each category is; the rare ones of a column that has many are one
    part, and missing values the last.
    """
    table = category_profiles(column.to_frame("column"), numbers, weights)
    n = len(table) // (len(heads) - 1)
    categories = table.category[:n]
    overall = table.overall_share.to_numpy()[:n]
    shares = np.vstack([overall, table.share.to_numpy().reshape(-1, n)])
    missing = categories.isna().to_numpy()
    known = np.flatnonzero(~missing)
    if not ordered and len(known) > _MOST_PARTS:
        known = known[np.argsort(-shares[:, known].max(axis=0), kind="stable")]
        known = np.sort(known[: _MOST_PARTS - 1])
    rest = np.setdiff1d(np.flatnonzero(~missing), known)
    labels = short_texts([categories[i] for i in known], 40)
    parts = list(zip(labels, colours_of(len(known), ordered), shares.T[known]))
    if rest.size:
        parts.append((f"{rest.size} others", "#9aa2ab", shares[:, rest].sum(axis=1)))
    if missing.any():
        parts.append(("missing", "#c9ced4", shares[:, missing].sum(axis=1)))
    looks = [
        dict(label=label, colour=colour, ink=ink_on(colour))
        for label, colour, _ in parts
    ]
    rows = []
    for i, head in enumerate(heads):
        shares = [share[i] for *_, share in parts]
        pieces = [look | dict(share=share) for look, share in zip(looks, shares)]
        rows.append((head, [piece for piece in pieces if piece["share"] > 0]))
    return dict(parts=looks, rows=rows)


def _map(frame, numbers, names, is_number):
    "The points of each cluster on a map of 640 by 420, and its mark in their middle."
    if len(numbers) < 3:
        return []
    places = places_of(frame, is_number)
    low = places.min(axis=0)
    reach = places.max(axis=0) - low
    # what is nothing but rounding is one place, in the middle
    varies = reach > 1e-9 * reach.max()
    parts = np.where(varies, (places - low) / np.where(varies, reach, 1), 0.5)
    places = 20 + parts * [600, 380]
    plain = [name.removeprefix("cluster ") for name in names]
    if max(map(len, plain)) <= 3:
        marks, names = plain, [""] * len(names)
    else:  # a long name stands in the legend, beside its number on the map
        marks = [str(i + 1) for i in range(len(names))]
    found = []
    for cluster, colour in enumerate(colours_of(len(names))):
        here = places[numbers == cluster]
        if len(here):
            path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in here)
            x, y = np.median(here, axis=0).round()
            look = dict(colour=colour, mark=marks[cluster], name=names[cluster])
            found.append(dict(path=path, x=x, y=y, **look))
    return found


_VERDICTS = (
    (0.85, "comes again almost always"),
    (0.75, "comes again"),
    (0.6, "there is a pattern, but which rows belong to it is uncertain"),
    (-1, "do not rely on it"),
)


def _quality(model, frame, numbers, names, sizes):
    "How real each cluster is, as rows of text, and the mean silhouette of all."
    k = len(names)
    rows = [dict(name=name, size=size) for name, size in zip(names, sizes)]
    stability = _stability(model, frame, numbers, k)
    if stability is not None:
        for row, jaccard in zip(rows, stability):
            row["stability"] = f"{jaccard:.2f}"
            words = (words for least, words in _VERDICTS if jaccard >= least)
            row["verdict"] = next(words)
    if len(np.unique(numbers)) < 2 or len(numbers) < 3:
        return rows, ""
    try:
        scores = silhouette_samples(frame, numbers, missing="category")
    except (TypeError, ValueError):
        return rows, ""
    for cluster in np.unique(numbers):
        rows[cluster]["silhouette"] = f"{scores[numbers == cluster].mean():.2f}"
    return rows, f"{scores.mean():.2f}"


def _stability(model, frame, numbers, k):
    "Jaccard's coefficient of each cluster, mean of resamples; None without a model."
    if model is None or len(numbers) < 2 * k:
        return None
    quick = clone(model)
    if not isinstance(model.n_init, str):  # a long search is not made again
        quick.set_params(n_init=min(model.n_init, 10))
    rng = np.random.RandomState(0)
    found = []
    for _ in range(_RESAMPLES):
        try:
            again = jaccards_again(quick, frame, numbers, k, rng)
        except ValueError:
            continue  # too few different rows were drawn
        found.append(again[0])
    # a tiny cluster may have no row in a resample
    n_times = np.maximum(np.isfinite(found).sum(axis=0), 1)
    return np.nan_to_num(found).sum(axis=0) / n_times if found else None


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
    table = scan.table[shown_criteria(scan)].rename(columns=criterion_text)
    html = table.to_html(index=False, border=0, float_format="{:.3f}".format, na_rep="")
    return dict(votes=list(votes(scan)), scan=html)


def _profiles_table(profiles):
    "The profiles as HTML; names are cut, and hold only letters that can be shown."
    shown = {
        name: short_texts(profiles[name], 80)
        for name in ("cluster", "attribute", "mode")
    }
    if "kind" in profiles:
        shown["mode"] = np.where(profiles.kind == "number", "", shown["mode"])
    table = profiles.assign(**shown).rename(columns=lambda name: name.replace("_", " "))
    with pd.option_context("display.max_colwidth", None):
        return table.to_html(
            index=False, border=0, float_format="{:.2f}".format, na_rep=""
        )
