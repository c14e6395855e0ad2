"""The pictures of the book. A dark cell differs from its mode; each cluster has a name
and a tint.
"""

import matplotlib.pyplot as plt
from matplotlib.colors import to_hex, to_rgb

from kmodes_study.describe import style
from kmodes_study.describe.plots import START_COLOURS, START_MARKERS

DARK = "#7a4a7a"
TINTS = "#d3e5f5", "#fbe3bd", "#d2ebd8"  # the rows of clusters A, B and C
SHADES = "#8fbde3", "#f2b95e", "#86c99b"  # their modes


def mixed(tint, dark):
    "A colour between a tint (0) and dark (1)."
    ends = zip(to_rgb(tint), to_rgb(DARK))
    return to_hex([(1 - dark) * a + dark * b for a, b in ends])


def draw_row(ax, y, name, values, fills, framed=None):
    "A row at height y: its name and a box for each value, some in a black frame."
    framed = framed or [False] * len(values)
    ax.text(-0.3, y + 0.52, name, ha="right", va="center")
    for j, (value, fill, frame) in enumerate(zip(values, fills, framed)):
        look = dict(ec="black", lw=1.6, zorder=2) if frame else dict(ec="white", lw=1.2)
        ax.add_patch(plt.Rectangle((j, y), 1, 1, fc=fill, **look))
        ink = "white" if sum(to_rgb(fill)) < 1.7 else "black"
        ax.text(j + 0.5, y + 0.53, value, ha="center", va="center", color=ink, zorder=3)


def draw_headings(ax, columns):
    "The names of the attributes, aslant over the boxes."
    for j, name in enumerate(columns):
        ax.text(j + 0.35, -0.15, name, rotation=38, ha="left", va="bottom", fontsize=7)


def draw_state(ax, table, labels, modes, before, shades=None):
    """Each cluster under its mode; framed is what has changed since the state before.
    `shades` says how dark each cell of a row is, from 0 to 1, beside a mode.
    """
    rows = list(table.itertuples(index=False, name=None))
    old_labels, old_modes = before or (labels, modes)
    draw_headings(ax, table)
    y = 0
    for l, z in enumerate(modes):
        changed = [a != b for a, b in zip(z, old_modes[l])]
        told = [f"{a:.1f}" if isinstance(a, float) else a for a in z]
        draw_row(ax, y, f"mode {'ABC'[l]}", told, [SHADES[l]] * len(z), changed)
        y += 1.15
        for name, row, own, old in zip(table.index, rows, labels, old_labels):
            if own == l:
                dark = shades(row, z) if shades else [a != b for a, b in zip(row, z)]
                came = f"from {'ABC'[old]}: " if own != old else ""
                draw_row(
                    ax, y, f"{came}{name}", row, [mixed(TINTS[l], d) for d in dark]
                )
                y += 1
        y += 0.6
    ax.set(xlim=(-3.2, len(table.columns) + 1), ylim=(15.2, -2))
    ax.axis("off")


def draw_states(table, states, titles, title, shades=None):
    "A picture of each state (labels, modes), three in a line or two."
    with style(), plt.rc_context({"font.size": 8.5}):
        wide = {1: 1, 3: 3}.get(len(states), 2)
        high = -(-len(states) // wide)
        size = 3.4 * wide, 5.6 * high + 0.5
        figure, axes = plt.subplots(high, wide, figsize=size, squeeze=False)
        before = [None, *states]
        for ax, state, name, old in zip(axes.flat, states, titles, before):
            draw_state(ax, table, *state, old, shades)
            ax.set_title(name)
        marks = dict(fc=DARK), dict(fc="white", ec="black", lw=1.6)
        handles = [plt.Rectangle((0, 0), 1, 1, **mark) for mark in marks]
        names = ["differs from its mode", "value of a mode that has changed"]
        figure.legend(handles, names, loc="outside lower center", ncols=2)
        figure.suptitle(title)
        plt.show()


def draw_boards(boards, notes, titles, marked, title):
    "Boards of tic-tac-toe, four in a line; the marked squares are orange."
    with style():
        height = 2.25 * -(-len(boards) // 4)
        figure, axes = plt.subplots(-(-len(boards) // 4), 4, figsize=(7.6, height))
        for ax, board, shares, name, squares in zip(
            axes.flat, boards, notes, titles, marked
        ):
            for j, (value, share) in enumerate(zip(board, shares)):
                x, y = j % 3, j // 3
                fill = SHADES[1] if j in squares else "white"
                ax.add_patch(plt.Rectangle((x, y), 1, 1, fc=fill, ec="0.6"))
                sign = "" if value == "b" else value
                ax.text(x + 0.5, y + 0.42, sign, ha="center", va="center", fontsize=17)
                look = dict(ha="center", va="center", fontsize=7.5, color="0.25")
                ax.text(x + 0.5, y + 0.85, f"{share:.0%}", **look)
            ax.set(xlim=(-0.05, 3.05), ylim=(3.05, -0.05), aspect="equal")
            ax.set_title(name, fontsize=10)
            ax.axis("off")
        figure.suptitle(title)
        plt.show()


def draw_curves(table, known, title, label):
    "A line for each column against the number of clusters; a ring at the known number."
    colours = dict(zip(table, ["0.5", "#d55e00", "#0173b2", "#029e73"]))
    with style():
        figure, ax = plt.subplots(figsize=(7, 3.6))
        for name, column in table.items():
            ax.plot(table.index, column, "o-", ms=4, color=colours[name], label=name)
            if name in known:
                look = dict(ms=12, mfc="none", mec=colours[name], mew=1.6)
                ax.plot(known[name], column[known[name]], "o", **look)
        ax.set(xlabel="number of clusters", ylabel=label, ylim=(-0.05, 1.05))
        ax.set_title(title)
        ax.legend(
            title="ring: known number", loc="center left", bbox_to_anchor=(1, 0.5)
        )
        plt.show()


def draw_boxes(R, S, title):
    "Each point in the box of its two labels, with the sizes of the clusters beside."
    rows, columns = sorted(set(R)), sorted(set(S))
    with style():
        figure, ax = plt.subplots(figsize=(6, 3.4))
    for r, row in enumerate(rows):
        for s, column in enumerate(columns):
            here = [i for i in range(len(R)) if (R[i], S[i]) == (row, column)]
            ax.add_patch(plt.Rectangle((s, -r), 0.94, -0.9, fc=TINTS[r], ec="0.6"))
            for place, i in enumerate(here):
                x = s + 0.13 + 0.155 * place
                ax.text(x, -r - 0.45, i + 1, ha="center", va="center", fontsize=12)
        ax.text(-0.15, -r - 0.45, row, ha="center", va="center", fontsize=12)
        ax.text(2.2, -r - 0.45, R.count(row), ha="center", va="center", fontsize=12)
    bottom = -len(rows) - 0.25
    for s, column in enumerate(columns):
        ax.text(s + 0.47, 0.2, column, ha="center", fontsize=12)
        ax.text(s + 0.47, bottom, S.count(column), ha="center", fontsize=12)
    ax.text(2.2, 0.2, "in all", ha="center", color="0.35")
    ax.text(-0.15, bottom, "in all", ha="center", color="0.35")
    ax.text(2.2, bottom, len(R), ha="center", fontsize=12)
    ax.set(xlim=(-0.65, 2.5), ylim=(bottom - 0.25, 0.6))
    ax.set_title(title)
    ax.axis("off")
    plt.show()


def draw_pairs(R, S, title):
    "A square for each pair of points, coloured by how R and S treat it."
    kinds = {
        "together in both": "#0173b2",
        "together in R only": "#de8f05",
        "together in S only": "#ecd9a0",
        "apart in both": "#b9d7ea",
    }
    colours = list(kinds.values())
    order = sorted(range(len(R)), key=lambda i: (R[i], S[i]))
    n = len(order)
    with style():
        figure, ax = plt.subplots(figsize=(6.2, 3.9))
    for y, i in enumerate(order):
        for x, j in enumerate(order[:y]):
            colour = colours[2 * (R[i] != R[j]) + (S[i] != S[j])]
            ax.add_patch(plt.Rectangle((x, y), 1, 1, fc=colour, ec="white", lw=2))
    centres = [place + 0.5 for place in range(n)]
    ax.set_xticks(centres[:-1], [i + 1 for i in order[:-1]])
    ax.set_yticks(centres[1:], [f"{i + 1} ({R[i]}, {S[i]})" for i in order[1:]])
    ax.set(xlim=(0, n - 1), ylim=(n, 1), aspect="equal", title=title)
    ax.grid(False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    handles = [plt.Rectangle((0, 0), 1, 1, fc=colour) for colour in colours]
    ax.legend(handles, kinds, loc="upper right", bbox_to_anchor=(1.5, 1))
    plt.show()


def draw_heat_map(table, title):
    "A table of counts; the more points in a cell, the darker it is."
    with style():
        figure, ax = plt.subplots(figsize=(6.4, 3.6))
    top = table.to_numpy().max()
    edges = [range(size + 1) for size in table.shape]
    look = dict(cmap="Blues", vmin=0, vmax=1.3 * top, edgecolors="0.85", linewidth=0.8)
    # boxes, not an image: an image is blurred where it is shown larger
    ax.pcolormesh(edges[1], edges[0], table, **look)
    for y, row in enumerate(table.to_numpy()):
        for x, count in enumerate(row):
            ink = "white" if count > 0.6 * top else "black" if count else "0.7"
            ax.text(x + 0.5, y + 0.5, count, ha="center", va="center", color=ink)
    ax.set_xticks([x + 0.5 for x in range(table.shape[1])], table.columns)
    ax.set_yticks([y + 0.5 for y in range(table.shape[0])], table.index)
    ax.set(title=title, xlabel=table.columns.name)
    ax.invert_yaxis()
    ax.grid(False)
    ax.tick_params(length=0)
    plt.show()


def draw_by_chance(numbers, lines, title):
    "Mean scores of random labellings against the number of clusters."
    with style():
        figure, ax = plt.subplots(figsize=(5.6, 3.3))
        for (name, means), colour in zip(lines.items(), ("#0173b2", "#029e73")):
            ax.plot(numbers, means, "o-", color=colour, label=name)
        ax.set_xscale("log")
        ax.set_xticks(numbers, numbers)
        ax.set_xticks([], minor=True)
        ax.set(ylim=(-0.06, 1.04), xlabel="number of clusters", ylabel="mean score")
        ax.set_title(title)
        ax.legend()
        plt.show()


def draw_ends(ends, title):
    "How many starts end at each cost; the lowest is green."
    with style():
        figure, ax = plt.subplots(figsize=(6, 2.8))
        costs = sorted(ends)
        colours = ["#029e73" if cost == costs[0] else "#0173b2" for cost in costs]
        ax.bar_label(ax.bar(costs, [ends[cost] for cost in costs], color=colours))
        ax.set(xlabel="cost at the end", ylabel="starts")
        ax.set_title(title)
        ax.margins(y=0.12)
        ax.grid(axis="x", visible=False)
        plt.show()


def draw_grouped(counted, title):
    "Bars beside each other, a colour for each column of a table of ends."
    with style():
        figure, ax = plt.subplots(figsize=(7, 3.2))
        colours = ["#b8b8b8", "#8fbbd9", "#0173b2"]
        counted.plot.bar(ax=ax, color=colours, width=0.8, rot=0)
        ax.set(xlabel="cost at the end", ylabel="number of starts", title=title)
        ax.grid(axis="x", visible=False)
        plt.show()


def draw_shares(table, labels, names, title):
    "The shares of the values of some attributes, in all rows and in each cluster."
    groups = {"all": table}
    for cluster in sorted(set(labels)):
        groups[cluster] = table[[own == cluster for own in labels]]
    with style():
        figure, axes = plt.subplots(1, len(names), figsize=(8, 2.9), sharey=True)
        for ax, name in zip(axes, names):
            for place, group in enumerate(groups.values()):
                left = 0
                for number, value in enumerate(sorted(set(table[name]))):
                    share = (group[name] == value).mean()
                    look = dict(color=str(0.95 - 0.13 * number), ec="0.4", lw=0.7)
                    ax.barh(place, share, left=left, **look)
                    middle = left + share / 2
                    if share:
                        ax.text(middle, place, value, ha="center", va="center")
                    left += share
            ax.set(title=name, xlabel="share", xlim=(0, 1))
            ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
            ax.grid(False)
        rows = [f"{key} (n={len(group)})" for key, group in groups.items()]
        axes[0].set_yticks(range(len(groups)), rows)
        axes[0].invert_yaxis()
        figure.suptitle(title, y=1.06)
        plt.show()


def draw_choices(panels, best, titles):
    "Vehicles by distance and density, curves of equal score, the next mode dark."
    with style():
        figure, axes = plt.subplots(1, len(panels), figsize=(9, 3.6), sharey=True)
    for ax, points, chosen, title in zip(axes, panels, best, titles):
        for score in (30, 60, 90, 120):
            x = [0.3 + 0.05 * step for step in range(105)]
            ax.plot(x, [score / each for each in x], color="0.85", lw=1, zorder=1)
            box = dict(facecolor="white", edgecolor="none", pad=1)
            ax.text(score / 30.3, 30.3, score, color="0.5", ha="center", bbox=box)
        for place in sorted(set(points)):
            here = [i for i, point in enumerate(points, 1) if point == place]
            fill = "#0173b2" if chosen in here else "white"
            ax.scatter(*place, s=60, color=fill, edgecolor="0.3", zorder=3)
            look = dict(textcoords="offset points", fontsize=9)
            ax.annotate(", ".join(map(str, here)), place, (7, 3), **look)
        ax.set(xlim=(-0.4, 5.3), ylim=(15, 31), xlabel="distance to the nearest mode")
        ax.set_title(title)
        ax.grid(False)
    axes[0].set_ylabel("density, times 60")
    plt.show()


def draw_before_after(found, title):
    "The cost of the initial modes and the cost at the end, for kinds of start."
    with style():
        figure, ax = plt.subplots(figsize=(6.4, 4))
        for name in ("random", "Huang", "Cao"):
            key, size = name.lower(), 90 if name == "Cao" else 30
            look = dict(color=START_COLOURS[key], marker=START_MARKERS[key], label=name)
            ax.scatter(*zip(*found[name]), s=size, alpha=0.75, lw=0, zorder=3, **look)
        ax.set(xlabel="cost of the initial modes", ylabel="cost at the end")
        ax.set_title(title)
        ax.legend()
        plt.show()


def draw_game(residents, hospitals, matching, title):
    "Residents on the left, hospitals on the right; wishes thin, the matching thick."
    left = {r: 1 - i / (len(residents) - 1) for i, r in enumerate(residents)}
    right = {h: 1 - i / (len(hospitals) - 1) for i, h in enumerate(hospitals)}
    with style():
        figure, ax = plt.subplots(figsize=(6, 2.6))
    for r, wishes in residents.items():
        for place, h in enumerate(wishes):
            ends = left[r], right[h]
            ax.plot([0, 1], ends, color="0.75", lw=1, zorder=1)
            if matching[r] == h:
                ax.plot([0, 1], ends, color=START_COLOURS["matching"], lw=4, zorder=2)
            x = 0.07 + 0.1 * place
            y = ends[0] + x * (ends[1] - ends[0])
            circle = dict(boxstyle="circle,pad=.15", fc="white", ec="0.6", lw=0.5)
            ax.text(x, y, place + 1, ha="center", va="center", fontsize=8, bbox=circle)
    for r, wishes in residents.items():
        ax.text(-0.05, left[r], f"{r}:  {' '.join(wishes)}", ha="right", va="center")
    for h, wishes in hospitals.items():
        ax.text(1.05, right[h], f"{h}:  {' '.join(wishes)}", ha="left", va="center")
    ax.set(xlim=(-0.6, 1.6), ylim=(-0.12, 1.12), title=title)
    ax.axis("off")
    plt.show()


def draw_prices(rows, clusterings, titles):
    "Vehicles by their numbers; the text is their categories, the colour the cluster."
    shift = {4: 0.55, 7: -0.55, 6: 0.7, 8: -0.7}
    with style():
        figure, axes = plt.subplots(1, len(titles), figsize=(9, 4.1), sharey=True)
        for ax, title, parts in zip(axes, titles, clusterings):
            for part, colour in zip(parts, SHADES):
                for i in part:
                    (doors, seats), own = rows[i - 1]
                    text = f"{i}\n{own[0]} {own[1]}" + (" e" if own[2] else "")
                    look = dict(ha="center", va="center", fontsize=9, linespacing=1.1)
                    box = dict(boxstyle="round,pad=.2", fc=colour, ec="0.2")
                    ax.text(seats, doors + shift.get(i, 0), text, bbox=box, **look)
            ax.set(title=title, xlabel="passengers", xlim=(0.2, 7.8), ylim=(-0.9, 5.3))
            ax.grid(False)
            ax.set_yticks([0, 2, 4])
        axes[0].set_ylabel("doors")
        note = (
            "In a box: the vehicle; its price and maintenance (L, M, H, V); e for eco"
        )
        figure.supxlabel(note, fontsize=10)
        plt.show()


def draw_plateau(gammas, wrong, rules):
    "How many rows are in a wrong cluster, for each price of a mismatch."
    with style():
        figure, ax = plt.subplots(figsize=(7.4, 3.5))
        ax.semilogx(gammas, wrong, "o-", ms=4)
        for (name, gamma), height in zip(rules.items(), (190, 120)):
            ax.axvline(gamma, color="#d55e00", ls="--", lw=1)
            ax.text(gamma * 1.1, height, f"{name}:\n{gamma:.2f}", color="#d55e00")
        ax.text(gammas[0], max(wrong) + 12, "only the numbers count")
        ax.text(gammas[-1], max(wrong) + 12, "only the categories count", ha="right")
        ax.set(ylim=(0, max(wrong) + 40))
        ax.set(
            xlabel=r"price of a mismatch, $\gamma$", ylabel="rows in a wrong cluster"
        )
        ax.set_title(r"Between two extremes lies a plateau of good values of $\gamma$")
        plt.show()


def draw_bars(groups, title, label):
    "Bars beside each other: a colour for each group, a place for each name."
    with style():
        figure, ax = plt.subplots(figsize=(7.6, 4))
        height = 0.8 / len(groups)
        for g, (name, values) in enumerate(groups.items()):
            places = [
                i + height * (g - (len(groups) - 1) / 2) for i in range(len(values))
            ]
            look = dict(height=0.9 * height, label=name, color=SHADES[g])
            bars = ax.barh(places, values, **look)
            ax.bar_label(bars, fmt="%.0f" if max(values) > 20 else "%.1f", padding=3)
        ax.set_yticks(
            range(len(values)), [name.replace("_", " ") for name in values.index]
        )
        ax.set(title=title, xlabel=label)
        ax.invert_yaxis()
        ax.margins(x=0.1)
        ax.grid(axis="y", visible=False)
        ax.legend(title="tables", loc="upper left", bbox_to_anchor=(1, 1))
        plt.show()


def draw_hits(summary, title):
    "How often an algorithm ends near the best, against how long it takes."
    with style():
        figure, ax = plt.subplots(figsize=(6.5, 3.4))
        for name, (share, time) in summary.iterrows():
            ax.scatter(time, share, color="#0173b2", s=60)
            side, edge = (-8, "right") if name == "huang" else (8, "left")
            look = dict(textcoords="offset points", ha=edge, va="center")
            ax.annotate(name, (time, share), (side, 0), **look)
        ax.set(xscale="log", xlim=(0.5, 20), ylim=(0, 100), title=title)
        ax.set(
            xlabel="time of a run, in descents by transfers",
            ylabel="runs within 1 %, %",
        )
        ax.set_xticks([1, 2, 5, 10], [1, 2, 5, 10])
        ax.set_xticks([], minor=True)
        plt.show()


def draw_pairs_of_scores(frames, one, other, label):
    "A panel for each sort of table, a dot for each table; above the line `other` leads."
    with style():
        figure, axes = plt.subplots(1, len(frames), figsize=(8, 3.6), sharey=True)
        for ax, (sort, frame) in zip(axes, frames.items()):
            ax.plot([0, 1], [0, 1], color="0.8", zorder=0)
            ax.scatter(frame[one], frame[other], color="#0173b2", s=25)
            ahead = (frame[other] > frame[one] + 0.02).sum()
            behind = (frame[one] > frame[other] + 0.02).sum()
            ax.set_title(f"{sort}: {other} ahead on {ahead},\n{one} ahead on {behind}")
            ax.set(xlim=(0.5, 1.02), ylim=(0.5, 1.02), xlabel=f"{label}, {one}")
        axes[0].set_ylabel(f"{label}, {other}")
        plt.show()


def draw_cell(counts, there, mean, title):
    "How many of all tables have so many points in a cell; what is there is orange."
    total = sum(counts.values())
    with style():
        figure, ax = plt.subplots(figsize=(5.4, 3.2))
        colours = ["#de8f05" if x == there else "#0173b2" for x in counts]
        bars = ax.bar(list(counts), [n / total for n in counts.values()], color=colours)
        ax.bar_label(bars, [f"{n}/{total}" for n in counts.values()], fontsize=9)
        ax.axvline(mean, color="black", linestyle=":")
        ax.set(xlabel="vehicles of cluster A that are not economical, x", title=title)
        ax.set(ylabel="probability p(x)")
        ax.margins(y=0.12)
        plt.show()


def draw_chance_bits(numbers, dots, means, title):
    "The information of random labellings, what is expected, and the upper bound."
    with style():
        figure, ax = plt.subplots(figsize=(6.6, 3.4))
        ax.plot(numbers, means[:, 0], color="black", label="entropy, the upper bound")
        ax.plot(numbers, means[:, 1], color="#0173b2", label="expected by chance")
        ax.plot(*zip(*dots), ".", color="#de8f05", label="mutual information")
        ax.set_xscale("log", base=2)
        ax.set_xticks(numbers, numbers)
        ax.set(xlabel="number of clusters", ylabel="bits", title=title)
        ax.legend()
        plt.show()


def draw_silhouettes(panels, width):
    "The coefficients of named points as bars, sorted within each cluster."
    height = 0.9 + 0.27 * len(panels[0][1])
    with style():
        figure, axes = plt.subplots(1, len(panels), figsize=(width, height))
        for ax, (title, names, clusters, values) in zip(figure.axes, panels):
            kinds = sorted(set(clusters))
            order = sorted(
                range(len(names)), key=lambda i: (clusters[i], -values[i], i)
            )
            for place, i in enumerate(order):
                colour = SHADES[kinds.index(clusters[i])]
                ax.barh(place, values[i], color=colour, height=0.75)
            ax.set_yticks(range(len(order)), [names[i] for i in order])
            ax.invert_yaxis()
            mean = sum(values) / len(values)
            ax.axvline(0, color="black", linewidth=0.8)
            ax.axvline(mean, color="0.35", linestyle="--", linewidth=1)
            ax.set_title(title)
            ax.set_xlabel(f"silhouette coefficient (dashed: mean {mean:.3f})")
            ax.grid(False, axis="y")
        plt.show()


def draw_inside_outside(means, title):
    "The mean of a and of b against the number of clusters."
    with style():
        figure, ax = plt.subplots(figsize=(5.6, 3))
        inside, outside = zip(*means.values())
        ax.fill_between(list(means), inside, outside, color="0.9")
        ax.plot(list(means), outside, "o-", color="#d55e00", label="b: next cluster")
        ax.plot(list(means), inside, "o-", color="#0173b2", label="a: own cluster")
        ax.set(xlabel="number of clusters", ylabel="mean dissimilarity", title=title)
        ax.legend()
        plt.show()


def draw_differences(table, target, title):
    "The table; the cells that differ from the target row are dark, and counted."
    goal = table.loc[target].tolist()
    with style():
        figure, ax = plt.subplots(figsize=(6.4, 4.4))
        draw_headings(ax, table)
        for y, (name, row) in enumerate(table.iterrows()):
            fills = [TINTS[0] if a == b else DARK for a, b in zip(row, goal)]
            draw_row(ax, y, name, row.tolist(), fills)
            look = dict(ha="center", va="center", weight="bold")
            ax.text(6.6, y + 0.52, fills.count(DARK), **look)
        ax.text(6.6, -0.2, "distance", ha="center", fontsize=8)
        ax.set(xlim=(-1.2, 7.3), ylim=(len(table), -1.9))
        ax.set_title(title)
        ax.axis("off")
        plt.show()


def draw_distances(distances, title):
    "How many pairs are at each distance."
    with style():
        figure, ax = plt.subplots(figsize=(5.4, 2.8))
        places = range(max(distances) + 1)
        counts = [distances.count(place) for place in places]
        ax.bar_label(ax.bar(places, counts, color="#0173b2"))
        ax.set(xlabel="distance", ylabel="pairs", title=title)
        ax.margins(y=0.12)
        ax.grid(axis="x", visible=False)
        plt.show()


def draw_columns(table, best, title):
    "How often each value occurs in each column; the most frequent is blue."
    with style():
        size = 1.5 * len(best), 2.5
        figure, axes = plt.subplots(1, len(best), figsize=size, sharey=True)
        for ax, (name, column), value in zip(axes, table.items(), best):
            counts = column.value_counts().sort_index()
            colours = ["#0173b2" if each == value else "0.75" for each in counts.index]
            ax.bar([str(each) for each in counts.index], counts, color=colours)
            ax.set(title=name, yticks=range(0, 9, 2))
            ax.grid(axis="x", visible=False)
        axes[0].set_ylabel("rows")
        figure.suptitle(title)
        plt.show()


def draw_settings(means, lowest, title):
    "The excess of each start in each setting: its mean, and a bar to the lowest run."
    short = {"breast-cancer-wisconsin": "breast cancer", "soybean-large": "soybeans"}
    with style():
        figure, ax = plt.subplots(figsize=(7.2, 4.6))
        for init, shift in {"cao": -0.22, "huang": 0, "matching": 0.22}.items():
            places = [place + shift for place in range(len(means))]
            look = dict(color=START_COLOURS[init], marker=START_MARKERS[init])
            ends = lowest[init], means[init]
            ax.hlines(places, *ends, color=look["color"], linewidth=2.5, alpha=0.45)
            ax.plot(means[init], places, **look, ls="", markersize=7, label=init)
        names = [f"{short.get(name, name)}, k = {k}" for name, k in means.index]
        ax.set_yticks(range(len(means)), names)
        ax.invert_yaxis()
        ax.axvline(0, color="black", linewidth=1)
        ax.set(xlabel="cost above the best known one, %", title=title)
        ax.legend(loc="upper right")
        plt.show()
