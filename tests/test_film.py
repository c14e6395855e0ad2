"""Films of runs: they end where the plain forms end, and what a browser shows of them is
the clustering of that moment.
"""

import random
import re

import pandas as pd
import pytest

import browser
from kmodes_study.describe import draw_film, kmodes_frames, swap_frames, transfer_frames
from kmodes_study.plain.kmodes import lloyd
from kmodes_study.plain.modes import cost
from kmodes_study.plain.prototypes import mixed_distance
from kmodes_study.plain.swaps import cell_descent
from kmodes_study.plain.transfers import transfers

SEEN = """(root => {
  const seen = query => [...root.querySelectorAll(query)].filter(one =>
    getComputedStyle(one.closest("[style*=opacity]") || one).opacity == 1)
  const height = one => one.getBoundingClientRect().y
  const names = seen("svg > g > text").sort((a, b) => height(a) - height(b))
  return [seen("rect[style*=opacity]").length,
    seen("svg > text").map(one => one.textContent),
    names.map(one => one.textContent).filter(name => name)] })"""


def example(seed):
    "Ten rows of four columns, and three of them as modes."
    draw = random.Random(seed)
    rows = [tuple(draw.choice(["FILM", "&", "c"]) for _ in range(4)) for _ in range(10)]
    return rows, draw.sample(sorted(set(rows)), 3)


@pytest.mark.parametrize("seed", range(20))
def test_frames_end_where_the_plain_forms_end(seed):
    rows, modes = example(seed)
    passes = kmodes_frames(rows, modes)
    labels, modes = lloyd(rows, modes)
    assert passes[-1][1:] == (labels, modes)
    moves = transfer_frames(rows, labels, 3)
    assert moves[0][1] == labels and moves[-1][1] == transfers(rows, labels, 3)
    costs = [cost(rows, *state) for _, *state in moves]
    assert costs == sorted(set(costs), reverse=True)
    swapped = swap_frames(rows, labels, modes, 1, rows[0])
    assert swapped[0][1] == labels and swapped[0][2][1] == rows[0]
    assert swapped[-1][2] == cell_descent(rows, swapped[0][2])


def test_a_number_pays_its_squared_distance_from_the_mean():
    rows, means = [((1, 4), ("a",)), ((2, 7), ("b",))], (3.0, 5.0)
    table = pd.DataFrame([[1, 4, "a"], [2, 7, "b"]])
    frames = [("a state", [0, 0], [(*means, "b")])]
    total = sum(mixed_distance(row, (means, ("b",)), gamma=4) for row in rows)
    film = draw_film(table, frames, gamma=4)
    assert f">cost {total:.1f}<" in film
    # a number is as dark as its part of a mismatch: 4, 1, all of it, 1 and 4 of 4
    shades = re.findall(r'fill="#7a4a7a" style="opacity:([\d.]+)"', film)
    assert [float(shade) for shade in shades] == [1, 0.25, 1, 0.25, 1]
    assert ">5 dark cells<" in draw_film(table, frames), "without gamma: categories"


def test_what_a_browser_shows_is_the_clustering_of_the_moment(tmp_path):
    if not browser.PROGRAM:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    rows, modes = example(1)
    frames = kmodes_frames(rows, modes)
    frames += swap_frames(rows, *frames[-1][1:], 1, rows[0])
    film = draw_film(pd.DataFrame(rows, columns=[*"<pqr"]), frames, seconds=2)
    (tmp_path / "film.svg").write_text(film)
    still = dict(name="prefers-reduced-motion", value="reduce")
    with browser.served(tmp_path) as home, browser.browser() as page:
        for at in 1, len(frames) // 2, len(frames) - 1, None:
            page.call("Emulation.setEmulatedMedia", features=[] if at else [still])
            page.open(f"{home}/film.svg")
            _, labels, modes = frames[at or -1]
            total = cost(rows, labels, modes)
            order = [[f"mode {l}"] for l in range(3)]
            for i, label in enumerate(labels):
                order[label].append(str(i))
            texts = [frames[at or -1][0], f"{total} dark cells"]
            if at:
                moment = f"one => {{ one.currentTime = {2000 * at + 1000} }}"
                page.run(f"document.getAnimations().forEach({moment})")
            assert page.run(f"{SEEN}(document)") == [total, texts, sum(order, [])]
