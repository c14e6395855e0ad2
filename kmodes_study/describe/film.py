"A run as a film: an SVG that moves by itself, without a script."

from html import escape
from itertools import accumulate, cycle
from zlib import crc32

from ..plain.kmodes import fill, modes_of
from ..plain.modes import cost, nearest
from ..plain.swaps import cell_move

__all__ = ["draw_film", "kmodes_frames", "swap_frames", "transfer_frames"]

DARK = "#7a4a7a"  # a mismatch
SHADES = "#8fbde3", "#f2b95e", "#86c99b", "#e59ab8", "#c9bd62", "#a99be0", "#b0b0b0"


def kmodes_frames(rows, modes):
    """List the states of a run of k-modes: its start, then assignments and updates.

    Parameters
    ----------
    rows
        the rows, each a tuple
    modes
        a list of the k initial modes, each a tuple

    Returns
    -------
    frames
        of each state its title, the labels (None before there are any) and the modes
    """
    frames = [("start: the first modes", None, modes)]
    while True:
        labels = fill(rows, [nearest(row, modes) for row in rows], len(modes))
        if labels == frames[-1][1]:
            return frames
        frames.append(("assign: rows go to the nearest mode", labels, modes))
        updated = modes_of(rows, labels, len(modes))
        if updated == modes:
            return frames
        modes = updated
        frames.append(("update: modes follow their rows", labels, modes))


def transfer_frames(rows, labels, k):
    """List the states of a run of transfers: one after each transfer.

    Parameters
    ----------
    rows
        the rows, each a tuple
    labels
        a list of the clusters of the rows before the run
    k
        the number of clusters

    Returns
    -------
    frames
        of each state its title, the labels and the modes
    """

    def state(labels, title="transfer: a row moves, the cost falls"):
        return title, labels, modes_of(rows, labels, k)

    frames, still = [state(labels, "update: modes follow their rows")], 0
    for i in cycle(range(len(rows))):
        now = frames[-1]
        moved = [state([*now[1][:i], l, *now[1][i + 1 :]]) for l in range(k)]
        best = min([now, *moved], key=lambda frame: cost(rows, *frame[1:]))
        still += 1
        if best is not now:
            frames.append(best)
            still = 0
        if still == len(rows):
            return frames


def swap_frames(rows, labels, modes, l, guest):
    """List the states of a swap: a mode leaves its place for a guest, rows go to
    the nearest mode, and cell moves settle the rest, with rows at the nearest mode.

    Parameters
    ----------
    rows
        the rows, each a tuple
    labels
        a list of the clusters of the rows before the swap
    modes
        a list of the k modes before the swap, each a tuple
    l
        the number of the mode that leaves
    guest
        the row that takes its place

    Returns
    -------
    frames
        of each state its title, the labels and the modes
    """
    new = [*modes[:l], guest, *modes[l + 1 :]]
    frames = [("swap: a mode leaves its place for a row", labels, new)]
    title = "assign: rows go to the nearest mode"
    now = None
    while now != new:
        now = new
        frames.append((title, [nearest(row, now) for row in rows], now))
        title, new = "cell move: one cell of a mode changes", cell_move(rows, now)
    return frames


class Film(str):
    "The text of an SVG; a notebook shows it as a picture."

    def _repr_svg_(self):
        return str(self)

    def __repr__(self):
        return "a film"


def _said(value):
    "A value as the film shows it: a mean with one digit."
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def _pays(row, z, gamma):
    "What each cell of a row costs, in mismatches; where a mode has a mean, its square."
    return [
        (a - b) ** 2 / gamma if gamma and isinstance(b, float) else int(a != b)
        for a, b in zip(row, z)
    ]


def _moving(rules, key, values, more=0):
    "The class of what changes from frame to frame, and the value it ends with."
    end = f'style="{key}:{values[-1]}"'
    if len(set(values)) == 1:
        return end
    part = 100 / len(values)  # of the time; a frame stands still for most of its own
    rule = "".join(
        f"{max(0, f - more) * part:.4g}%,{(f + 0.7 + more) * part:.4g}%"
        f"{{{key}:{value}}}"
        for f, value in enumerate(values)
    )
    return f'class="\0-{rules.setdefault(rule, len(rules))}" {end}'


def _texts(rules, look, values):
    "A text that changes: its values over each other, each seen in its frames."
    parts = []
    values = [_said(value) for value in values]
    for value in dict.fromkeys(values):
        # half-way and at once, or two texts would be seen over each other
        seen = _moving(rules, "opacity", [int(value == v) for v in values], 0.14)
        parts.append(f"<text {look} {seen}>{escape(value)}</text>")
    return "".join(parts)


def _shifts(labels, n, k):
    "Where the modes and the rows are: rows below their modes, or below all of them."
    lines = [(l, -1) for l in range(k)]
    lines += [(k if labels is None else labels[i], i) for i in range(n)]
    places = {line: place for place, line in enumerate(sorted(lines))}
    return [f"translate(0,{78 + 22 * places[line] + 12 * line[0]}px)" for line in lines]


def draw_film(table, frames, *, names=None, seconds: float = 1.2, gamma=None):
    """Draw a run as a film, an SVG that moves in a browser, a notebook and a README:
    each mode above its rows, cells that differ from it dark, and how many these are.
    With `gamma` a number is as dark as its squared distance from a mean, at most as a
    mismatch, and the cost is shown.

    It needs no script. Where nothing moves, and for readers who want no motion, the last
    frame is seen.

    Parameters
    ----------
    table
        a frame without missing values
    frames
        of each state its title, the cluster of each row (None before there are any) and
        the modes, as `kmodes_frames`, `transfer_frames` and `swap_frames` list them
    names : default=None
        the names of the k clusters; None numbers them from 0
    seconds : float, default=1.2
        how long each frame is seen
    gamma : float, default=None
        what a mismatch costs beside the squared distances of numbers; a value of a mode
        that is a float is a mean then. None: all values are categories

    Returns
    -------
    film
        the text of the SVG, which a notebook shows as a picture
    """
    rows = [*table.itertuples(index=False, name=None)]
    frames = [*frames, frames[-1]]  # the last one is seen longer
    titles, labels, modes = zip(*frames)
    k, rules = len(modes[0]), {}
    # of each mode, of each row and of the heads, frame by frame: its cluster and values
    lines = [[(l, z[l]) for z in modes] for l in range(k)]
    lines += [[(own and own[i], row) for own in labels] for i, row in enumerate(rows)]
    lines.append([(None, [*table])] * len(frames))
    names = [f"mode {name}" for name in names or range(k)]
    names += [*map(str, table.index), ""]
    shifts = [*zip(*(_shifts(own, len(rows), k) for own in labels))]
    shifts.append(["translate(0,55px)"] * len(frames))
    # 7 for a letter of a value, 6 for one of a head
    columns = zip(*(row for line in lines[:-1] for _, row in line))
    longest = [max(len(_said(value)) for value in column) for column in columns]
    widths = [max(16 + 7 * n, 8 + 6 * len(str(c))) for n, c in zip(longest, table)]
    edges = [*accumulate(widths, initial=16 + 7 * max(map(len, names)))]
    breadth = max(320, edges[-1] + 12)  # the titles need as much

    costs = [
        (gamma or 1)
        * sum(sum(_pays(row, z[l], gamma)) for row, l in zip(rows, own or ()))
        for own, z in zip(labels, modes)
    ]
    counts = [
        (f"cost {c:.1f}" if gamma else f"{c} dark cells") * bool(own)
        for c, own in zip(costs, labels)
    ]
    bars = [f"scale({total / max(1, *costs):.3f},1)" for total in costs]
    look = 'x="8" text-anchor="start" font-weight="bold" font-size="14"'
    parts = [
        _texts(rules, f'{look} y="16"', titles),
        _texts(rules, f'{look} y="40"', counts),
        f'<g transform="translate(118,32)"><rect width="{breadth - 126:.0f}" '
        f'height="15" fill="{DARK}" {_moving(rules, "transform", bars)}/></g>',
    ]
    for i, (name, line, shift) in enumerate(zip(names, lines, shifts)):
        weight, opacity = (700, 1) if i < k else (400, 0.4)
        tints = ["#fff" if l is None else SHADES[l % len(SHADES)] for l, _ in line]
        parts.append(
            f'<g font-weight="{weight}" font-size="{12 if name else 10}" '
            f"{_moving(rules, 'transform', shift)}>"
            f'<text x="{edges[0]}" y="11" text-anchor="end">{escape(name)}</text>'
            f"<g {_moving(rules, 'fill', tints)}>"
        )
        for j, (x, width) in enumerate(zip(edges, widths)):
            dark = [
                0 if l is None else round(min(1, _pays(row, z[l], gamma)[j]), 2)
                for (l, row), z in zip(line, modes)
            ]
            inks = ["#fff" if d > 0.5 else "#222" for d in dark]
            box = f'<rect x="{x + 6:.1f}" width="{width - 2:.1f}" height="20"'
            place = f'x="{x + 5 + width / 2:.1f}" y="11"'
            values = [row[j] for _, row in line]
            parts.append(f'{box} fill-opacity="{opacity}"/>')
            if any(dark):
                shade = _moving(rules, "opacity", dark)
                parts.append(f'{box} fill="{DARK}" {shade}/>')
            ink = _moving(rules, "fill", inks)
            parts.append(f"<g {ink}>{_texts(rules, place, values)}</g>")
        parts.append("</g></g>")
    length = seconds * len(frames)
    parts.append(
        f"<style>.\0 *{{animation:{length:.4g}s ease-in-out infinite}}"
        "@media (prefers-reduced-motion:reduce){.\0 *{animation-play-state:paused;"
        f"animation-delay:{-0.99 * length:.4g}s}}}}"
    )
    parts += [
        f"@keyframes \0-{i}{{{rule}}}.\0-{i}{{animation-name:\0-{i}}}"
        for rule, i in rules.items()
    ]
    body = "".join(parts)
    film = (
        '<svg xmlns="http://www.w3.org/2000/svg" class="\0" font-family="sans-serif" '
        'font-size="12" text-anchor="middle" dominant-baseline="central" fill="#222" '
        f'viewBox="0 0 {breadth:.0f} {56 + 22 * len(names) + 12 * k}" '
        f'width="{1.2 * breadth:.0f}" data-frames="{len(frames) - 1}" '
        f'data-seconds="{seconds}"><rect width="100%" height="100%" fill="#fff"/>'
        f"{body}</style></svg>"
    )
    # no film takes the rules of another on the same page
    return Film(film.replace("\0", f"film-{crc32(body.encode()):08x}"))
