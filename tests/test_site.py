"""The site: made without a warning; in a real browser no foreign address, no dead link,
no overflow on a phone, and a search that answers.
"""

import html.parser
import json
import posixpath
import re
import subprocess
import sys
import time
from urllib.parse import unquote

import pytest

import browser
from navigation import NOTEBOOKS, paths, read
from test_film import SEEN

ROOT = NOTEBOOKS.parent
pytestmark = pytest.mark.minute

for needed in "sphinx", "myst_nb", "pydata_sphinx_theme", "latex2mathml":
    pytest.importorskip(needed, reason="the site needs the extra of that name")


class Tags(html.parser.HTMLParser):
    "The links and anchors of a page, the words for its pictures, and its formulas."

    def __init__(self, file):
        super().__init__()
        self.links = set()
        self.anchors = set()
        self.alternatives = set()
        self.formulas = 0
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in ("a", "link", "script", "img"):
            self.links.add(attributes.get("href") or attributes.get("src") or "")
        if tag == "img":
            self.alternatives.add(attributes.get("alt") or "")
        if "id" in attributes:
            self.anchors.add(attributes["id"])
        self.formulas += tag == "math"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    "The folder of the site, made anew."
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "site", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    files = [file for file in site.rglob("*.html") if "_static" not in file.parts]
    return {file.relative_to(site).as_posix(): Tags(file) for file in files}


@pytest.fixture(scope="module")
def window(site):
    "A browser on the site, and its address."
    if not browser.PROGRAM:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    with browser.served(site) as home, browser.browser() as page:
        yield page, home


def test_no_link_and_no_anchor_is_dead(site, pages):
    dead = []
    for name, page in pages.items():
        for link in page.links:
            if re.match(r"\w+:", link) or not link:
                continue
            path, _, anchor = unquote(link).partition("#")
            joined = posixpath.join(posixpath.dirname(name), path.partition("?")[0])
            there = posixpath.normpath(joined) if path else name
            known = anchor in pages[there].anchors if there in pages else True
            if not (site / there).is_file() or anchor and not known:
                dead.append((name, link))
    assert dead == []


def test_pictures_have_words_and_formulas_are_mathml(site, pages):
    assert len(pages["gallery.html"].alternatives) > 100, "each says something else"
    assert sum(page.formulas for page in pages.values()) > 300
    for path in paths():
        assert all(" " in words for words in pages[f"{path}.html"].alternatives), path
        assert "<merror" not in (site / f"{path}.html").read_text(encoding="utf-8")


def test_what_the_results_find_is_on_their_pages(site):
    "The sentences that hidden cells make stand on the built page, word by word."
    for path in paths():
        said = [
            output.data["text/markdown"]
            for cell in read(path).cells
            if path.startswith("results/") and cell.source.startswith("#| hide")
            for output in cell.get("outputs", [])
            if "text/markdown" in output.get("data", {})
        ]
        page = html.unescape((site / f"{path}.html").read_text(encoding="utf-8"))
        page = " ".join(re.findall(r"[^\W_]+", re.sub(r"<[^>]+>", " ", page)))
        for text in said:
            assert " ".join(re.findall(r"[^\W_]+", text)) in page, path


WIDE = """[...document.querySelectorAll("main *")].filter(each => {
  if (each.getBoundingClientRect().right <= innerWidth + 1 || !each.offsetParent)
    return false
  for (let box = each; box; box = box.parentElement)
    if (["auto", "scroll"].includes(getComputedStyle(box).overflowX)
        && box != document.body) return false
  return true }).map(each => each.outerHTML.slice(0, 200)).slice(0, 3)"""


def test_on_a_phone_nothing_sticks_out_and_nothing_is_asked_of_others(
    window, pages, request
):
    page, home = window
    page.look(390, 844)
    for name in sorted(pages)[:: 1 if request.config.getoption("--all") else 5]:
        page.open(f"{home}/{name}")
        assert page.run("document.documentElement.scrollWidth") <= 390, name
        assert page.run(WIDE) == [], name
    foreign = [one for one in page.requests if not one.startswith((home, "data:"))]
    assert foreign == []


FOUND = """(async () => {
  while (!Search.hasIndex()) await new Promise(done => setTimeout(done, 20))
  const found = words => Search._performSearch(...Search._parseQuery(words))
  return WORDS.map(words => found(words).map(one => one[0] + " " + one[1])) })()"""


def test_search_finds_public_names_and_answers(window):
    page, home = window
    expected = {
        "adjusted_rand_score": ".adjusted_rand_score",
        "draw_film": ".draw_film",
        "LatentClasses": ".LatentClasses",
        "missing values": "howto/missing_values",
        "number of clusters": "howto/choose_k",
        "numeric and categorical": "howto/mixed_tables",
        "survey data": "howto/surveys",
        "out of memory": "howto/large_tables",
    }
    page.open(f"{home}/search.html?q=adjusted_rand_score")
    found = page.run(FOUND.replace("WORDS", json.dumps([*expected])))
    for (words, there), pages_found in zip(expected.items(), found):
        # a name is among what is found, the answer to a question is first
        first = pages_found if there[0] == "." else pages_found[-1:]
        assert any(there in each for each in first), words


def test_a_button_copies_code(window):
    page, home = window
    page.look()
    page.open(f"{home}/book/03_kmodes.html")
    script = """(async () => {
      let taken = null
      const writeText = async text => { taken = text }
      Object.defineProperty(navigator, "clipboard", { value: { writeText } })
      const cell = [...document.querySelectorAll("div.cell_input")].at(-1)
      cell.querySelector("button.copy").click()
      await new Promise(done => setTimeout(done, 0))
      return taken == cell.querySelector("pre").textContent.trimEnd() + "\\n" })()"""
    assert page.run(script)


COSTS = [24, 20, 18, 18, 23, 12, 9]


# who wants no motion sees the last frame first
@pytest.mark.parametrize(
    "motion, costs",
    [("no-preference", [*COSTS, 0, 24, 0]), ("reduce", [0, *COSTS, 0, 9])],
)
def test_a_film_goes_a_step_on_and_back(window, motion, costs):
    page, home = window
    page.look(390, 844)
    wish = dict(name="prefers-reduced-motion", value=motion)
    page.call("Emulation.setEmulatedMedia", features=[wish])
    page.open(f"{home}/index.html")
    buttons, shown = 'document.querySelectorAll(".film button")', []
    while not page.run(f"{buttons}.length"):
        time.sleep(0.1)
    for button in [1] * 9 + [0]:
        page.run(f"{buttons}[{button}].click()")
        time.sleep(0.7)
        stage = 'document.querySelector(".film div").shadowRoot'
        dark, (_, said), _ = page.run(f"{SEEN}({stage})")
        assert said == (f"{dark} dark cells" if dark else "")
        shown.append(dark)
    assert shown == costs
