"""Pictures: one look for each start, labels that do not collide, nothing set globally,
small files.
"""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text

from kmodes_study.cluster.sampled import ALGORITHMS
from kmodes_study.cluster.starts.basic import INITIALISATIONS
from kmodes_study.describe import plots
from kmodes_study.describe.cluster_plots import plot_dendrogram, plot_distances
from kmodes_study.describe.cluster_plots import plot_modes, plot_silhouette
from kmodes_study.describe.texts import short_texts
from kmodes_study.describe.maps import plot_embedding
from kmodes_study.family.relatives import grow_tree
from kmodes_study.measures.silhouette import silhouette_samples

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def runs(inits=("cao", "huang", "matching"), n=40):
    rng = np.random.RandomState(0)
    costs = {init: rng.normal(36000, 400, n).round() for init in inits}
    drawn = lambda: rng.randint(0, 300, n)
    parts = [
        pd.DataFrame(dict(init=init, initial_cost=cost, final_cost=cost - drawn()))
        for init, cost in costs.items()
    ]
    return pd.concat(parts)


def collide(boxes):
    "Whether two of the boxes lie over each other."
    return any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])


def overlaps(ax, axis):
    "Whether two tick labels of an axis are written over each other."
    ax.figure.canvas.draw()
    ticks = getattr(ax, f"get_{axis}ticklabels")()
    return collide([tick.get_window_extent() for tick in ticks if tick.get_text()])


def test_own_starts_stay_apart_beyond_the_colours_there_are():
    own = [f"own {number}" for number in range(20)]
    axes = plots.plot_figure(runs((*plots.START_NAMES, *own), n=3))
    (legend,) = axes[0].figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names == [*plots.START_NAMES.values(), *own]
    colours = [to_hex(line.get_color()) for line in axes[1].lines]
    lines = [str(line._unscaled_dash_pattern) for line in axes[1].lines]
    marks = [str(each.get_paths()[0].vertices) for each in axes[0].collections]
    assert len(set(zip(colours, lines))) == len(colours) == len(plots.START_NAMES) + 20
    assert len(set(zip(colours, marks))) == len(colours)
    of_own = list(zip(colours, lines, marks))[-20:]
    for place, (colour, line, mark) in enumerate(of_own):
        assert colour not in plots.START_COLOURS.values()
        for other, other_line, other_mark in of_own[:place]:
            assert colour != other or line != other_line and mark != other_mark
    assert len({colour for colour, _, _ in of_own}) == 11


def test_every_start_and_algorithm_has_its_own_look():
    for names, kind in (INITIALISATIONS, "START"), (ALGORITHMS, "ALGORITHM"):
        for what in "COLOURS", "MARKERS", "LINES":
            looks = getattr(plots, f"{kind}_{what}")
            assert set(looks) >= set(names)
            assert len(set(looks.values())) == len(looks)
    assert not set(plots.START_COLOURS.values()) & set(plots.ALGORITHM_COLOURS.values())


def test_nothing_is_set_globally():
    before = dict(plt.rcParams)
    plots.plot_figure(runs())
    plots.plot_knee([2, 3, 4], [9, 5, 4], [3])
    plot_silhouette(np.eye(6, dtype=int), [0, 0, 1, 1, 2, 2])
    with pytest.raises(KeyError), plots.style():
        raise KeyError
    assert dict(plt.rcParams) == before


def test_one_figure_has_one_legend_and_ticks_that_can_be_read():
    axes = plots.plot_figure(runs(), "A title")
    assert len(axes) == 3
    assert len(axes[0].figure.legends) == 1
    assert not any(ax.get_legend() for ax in axes)
    for ax in axes:
        assert not overlaps(ax, "x")
        assert not overlaps(ax, "y")
        assert min(tick.get_fontsize() for tick in ax.get_xticklabels()) >= 9


def test_runs_are_drawn_where_their_costs_are():
    frame = runs()
    drawn = [each.get_offsets() for each in plots.plot_costs(frame).collections]
    lines = plots.plot_cdf(frame, "initial_cost").lines
    for (init, own), dots, line in zip(
        frame.groupby("init", sort=False), drawn, lines, strict=True
    ):
        assert (dots == own[["initial_cost", "final_cost"]].to_numpy()).all()
        steps = dict(zip(line.get_xdata()[1:], line.get_ydata()[1:]))
        for cost in own.initial_cost:
            assert steps[cost] == pytest.approx((own.initial_cost <= cost).mean())


def test_runs_of_two_tables_have_a_panel_each():
    "Before, one staircase mixed them without a word."
    frame = runs(n=5).assign(dataset="zoo", n_clusters=7)
    other = frame[frame.init != "cao"].assign(dataset="car", n_clusters=4)
    both = pd.concat([frame, other.assign(final_cost=other.final_cost + 1)])
    axes = plots.plot_cdf(both)
    assert [ax.get_title() for ax in axes] == ["zoo, k = 7", "car, k = 4"]
    for ax, rows in zip(axes, (frame, other.assign(final_cost=other.final_cost + 1))):
        for line in ax.get_lines():
            own = rows[rows.init.map(plots.START_NAMES) == line.get_label()]
            assert sorted(own.final_cost) == line.get_xdata()[1:].tolist()
        assert ax.get_legend() is None
    (legend,) = axes[0].figure.legends
    assert len(legend.get_texts()) == frame.init.nunique()
    with pytest.raises(ValueError, match="given axes, got zoo, k = 7; car, k = 4"):
        plots.plot_cdf(both, ax=axes[0])
    alone = both[both.dataset == "zoo"]
    assert plots.plot_cdf(alone, ax=axes[0]) is axes[0]


@pytest.mark.parametrize("column", ["dissimilarity", "algorithm", "order", "variant"])
def test_what_else_differs_within_a_start_has_a_panel(column):
    frame = runs(n=5).assign(dataset="zoo", n_clusters=7)
    both = pd.concat([frame.assign(**{column: name}) for name in ("one", "other")])
    assert [ax.get_title() for ax in plots.plot_cdf(both)] == ["one", "other"]
    named = both.assign(init=both.init + " + " + both[column])
    lines = plots.plot_cdf(named[named[column] == "one"]).get_lines()
    assert len(lines) == frame.init.nunique()
    # where the method is a part of the name, its curves stand in one picture
    is_unit = column in ("dissimilarity", "variant")
    assert np.ndim(plots.plot_cdf(named)) == is_unit


def test_a_knee_is_marked_on_the_costs():
    curve, mark = plots.plot_knee([2, 3, 4], [9, 5, 4], [3]).lines
    assert curve.get_xydata().tolist() == [[2, 9], [3, 5], [4, 4]]
    assert set(mark.get_xdata()) == {3}


def test_each_coefficient_is_a_bar_of_its_cluster():
    codes, labels = np.random.RandomState(0).randint(3, size=(60, 5)), np.arange(60) % 3
    ax, s = plot_silhouette(codes, labels), silhouette_samples(codes, labels)
    for l, block in enumerate(ax.collections):
        ends = block.get_paths()[0].vertices[:, 0]
        assert set(ends.round(9)) - {0} == set(s[labels == l].round(9)) - {0}
    assert set(ax.lines[0].get_xdata()) == {s.mean()}


@pytest.mark.parametrize(
    "sizes",
    [[200] * 3, [100, 2, 2, 2, 2, 2, 2, 50], [60, 50, 40, 30, 20, *[3] * 15], [2] * 40],
)
def test_labels_of_a_silhouette_do_not_collide(sizes):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    ax = plot_silhouette(np.stack([labels, np.arange(len(labels)) % 7], axis=1), labels)
    ax.figure.canvas.draw()
    # without the lines that lead to them
    boxes = [Text.get_window_extent(text) for text in ax.texts]
    assert len(boxes) == len(sizes)
    assert not collide(boxes)


def odd_names():
    """Names with dollars, braces, backslashes, control characters, and one that
    matplotlib's parser ends with an error.
    """
    names = ["$5-$10", "$x_{$", r"\$a", r"a\$b$", "_a^b", "<b>", "x\ny", "\0"]
    return [*names, None, "%s {0} $"]


def test_names_that_are_cut_differ_where_the_names_do():
    rng = np.random.RandomState(0)
    for trial in range(200):
        drawn = ("".join(rng.choice([*"ab "], rng.randint(1, 30))) for _ in range(12))
        names = list(set(drawn))
        for width in 4, 8, 12:
            short = short_texts(names * 2, width)
            assert short[: len(names)] == short[len(names) :]
            assert len(set(short)) == len(names)
            assert max(map(len, short)) <= width
            assert all(cut == name for cut, name in zip(short, names) if "…" not in cut)


def drawn_with(names):
    "The axes of each picture in which these names stand."
    n = len(names)
    X = pd.DataFrame({name: list(names) for name in map(str, names)})
    known = ["none" if name is None else name for name in names]
    twice = pd.concat([X, X], ignore_index=True)
    runs_of = runs([name for name in known if not name.startswith("_")])
    yield plot_modes(twice, known * 2)
    yield plot_silhouette(np.repeat(np.arange(n), 2)[:, None], np.repeat(known, 2))
    yield plot_distances(1.0 - np.eye(2 * n), known * 2)
    yield plot_dendrogram(grow_tree(np.eye(n, dtype=int)), names=names)
    yield plot_embedding(np.random.RandomState(0).rand(n, 2), known)
    yield plots.plot_costs(runs_of)
    yield plots.plot_cdf(runs_of.rename(columns={"final_cost": "$x_{$"}), "$x_{$")


def test_a_dollar_in_a_name_is_a_dollar():
    for ax in drawn_with(odd_names()):
        ax.figure.canvas.draw()  # the parser of formulas would end here
        texts = ax.figure.findobj(Text)
        for text in texts:
            shown, is_formula = text._preprocess_math(text.get_text())
            assert not is_formula, shown
            assert r"\$" not in shown.replace(r"\$a", "").replace(r"a\$b$", ""), shown
        shown = [text._preprocess_math(text.get_text())[0] for text in texts]
        assert any("$5-$10" in name or "$x " in name for name in shown)


@pytest.mark.parametrize(
    "kind, begins", [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_a_file_of_a_picture_is_what_its_name_says_and_equal_for_equal_figures(
    kind, begins
):
    draw = lambda: plots.plot_knee([2, 3, 4], [9, 5, 4], [3]).figure
    once, again = (plots.picture_file(draw(), kind) for _ in range(2))
    assert once == again
    assert once.startswith(begins)
