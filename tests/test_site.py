"""The site: made without a warning; in a real browser no foreign address, no dead link,
no overflow on a phone, and a search that answers.
"""

import html.parser
import json
import posixpath
import re
import subprocess
import sys
from importlib import import_module
from urllib.parse import unquote

import pytest

import browser
from navigation import NOTEBOOKS, paths

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


def test_every_notebook_has_its_page_and_its_file(site, pages):
    for path in paths():
        links = pages[f"{path}.html"].links
        own = f"/{path.rpartition('/')[2]}.ipynb"
        (link,) = [one for one in links if "_downloads" in one and one.endswith(own)]
        file = site / posixpath.normpath(posixpath.join(path, "..", link))
        assert file.read_bytes() == (NOTEBOOKS / f"{path}.ipynb").read_bytes(), path


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
    assert len(pages["gallery.html"].alternatives) > 50
    assert sum(page.formulas for page in pages.values()) > 300
    for path in paths():
        assert all(" " in words for words in pages[f"{path}.html"].alternatives), path
        assert "<merror" not in (site / f"{path}.html").read_text(encoding="utf-8")


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
    packages = "cluster", "measures", "describe", "family", "exact"
    names = {
        name: f".{name}"
        for package in packages
        for name in import_module(f"kmodes_study.{package}").__all__
        if callable(getattr(import_module(f"kmodes_study.{package}"), name))
    }
    questions = {
        "missing values": "howto/missing_values",
        "number of clusters": "howto/choose_k",
        "numeric and categorical": "howto/mixed_tables",
        "survey data": "howto/surveys",
        "out of memory": "howto/large_tables",
    }
    page.open(f"{home}/search.html?q=adjusted_rand_score")
    asked = [*names, *questions]
    found = page.run(FOUND.replace("WORDS", json.dumps(asked)))
    for words, pages_found in zip(asked, found):
        if words in questions:
            assert pages_found[-1].startswith(questions[words]), words
        else:
            assert any(each.endswith(names[words]) for each in pages_found), words


def test_a_button_copies_code(window):
    page, home = window
    page.look()
    page.open(f"{home}/book/03_kmodes.html")
    script = """(async () => {
      let taken = null
      const writeText = async text => { taken = text }
      Object.defineProperty(navigator, "clipboard", { value: { writeText } })
      const cells = [...document.querySelectorAll("div.cell_input")]
      for (const cell of cells) {
        cell.querySelector("button.copy").click()
        await new Promise(done => setTimeout(done, 0))
        if (taken != cell.querySelector("pre").textContent.trimEnd() + "\\n")
          return cell.textContent }
      return cells.length })()"""
    assert page.run(script) > 10


@pytest.mark.parametrize("dark", [False, True])
def test_the_page_follows_the_colours_that_the_reader_prefers(window, dark):
    page, home = window
    page.look(dark=dark)
    page.open(f"{home}/index.html")
    colour = page.run("getComputedStyle(document.body).backgroundColor")
    red, green, blue = map(int, re.findall(r"\d+", colour)[:3])
    assert (red + green + blue < 200) == dark
