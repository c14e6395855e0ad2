"""The pictures of the book. A dark cell differs from its mode; each cluster has a name
and a tint.
"""

import matplotlib.pyplot as plt

from kmodes_study.describe import style

DARK = "#7a4a7a"
TINTS = "#d3e5f5", "#fbe3bd", "#d2ebd8"  # the rows of clusters A, B and C
SHADES = "#8fbde3", "#f2b95e", "#86c99b"  # their modes


def draw_row(ax, y, name, values, fills, framed=None):
    "A row at height y: its name and a box for each value, some in a black frame."
    framed = framed or [False] * len(values)
    ax.text(-0.3, y + 0.52, name, ha="right", va="center")
    for j, (value, fill, frame) in enumerate(zip(values, fills, framed)):
        look = dict(ec="black", lw=1.6, zorder=2) if frame else dict(ec="white", lw=1.2)
        ax.add_patch(plt.Rectangle((j, y), 1, 1, fc=fill, **look))
        ink = "white" if fill == DARK else "black"
        ax.text(j + 0.5, y + 0.53, value, ha="center", va="center", color=ink, zorder=3)


def draw_headings(ax, columns):
    "The names of the attributes, aslant over the boxes."
    for j, name in enumerate(columns):
        ax.text(j + 0.35, -0.15, name, rotation=38, ha="left", va="bottom", fontsize=7)


def draw_state(ax, table, labels, modes, before):
    "Each cluster under its mode; framed is what has changed since the state before."
    rows = list(table.itertuples(index=False, name=None))
    old_labels, old_modes = before or (labels, modes)
    draw_headings(ax, table)
    y = 0
    for l, z in enumerate(modes):
        changed = [a != b for a, b in zip(z, old_modes[l])]
        draw_row(ax, y, f"mode {'ABC'[l]}", z, [SHADES[l]] * len(z), changed)
        y += 1.15
        for name, row, own, old in zip(table.index, rows, labels, old_labels):
            if own == l:
                fills = [TINTS[l] if a == b else DARK for a, b in zip(row, z)]
                came = f"from {'ABC'[old]}: " if own != old else ""
                draw_row(ax, y, f"{came}{name}", row, fills)
                y += 1
        y += 0.6
    ax.set(xlim=(-3.2, len(table.columns) + 1), ylim=(15.2, -2))
    ax.axis("off")


def draw_states(table, states, titles, title):
    "A column for each state (labels, modes)."
    with style(), plt.rc_context({"font.size": 8.5}):
        figure, axes = plt.subplots(1, len(states), figsize=(3.2 * len(states), 6.1))
        for ax, state, name, before in zip(axes, states, titles, [None, *states]):
            draw_state(ax, table, *state, before)
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
