"""The site: made without a warning; in a real browser no foreign address, no dead link,
no overflow on a phone.
"""

import html
import html.parser
import json
import posixpath
import re
import subprocess
import sys
from urllib.parse import unquote

import pytest

import browser
from navigation import NOTEBOOKS, chapters

ROOT = NOTEBOOKS.parent
sys.path.append(str(ROOT / "site"))
from reference import modules  # noqa: E402
from stage import ADDRESS, prose  # noqa: E402

for needed in "sphinx", "myst_nb", "pydata_sphinx_theme", "latex2mathml":
    pytest.importorskip(needed, reason="the site needs the extra of that name")


class Tags(html.parser.HTMLParser):
    """The links and the anchors of a page, the words that stand for its pictures, and
    its formulas.
    """

    def __init__(self, file):
        super().__init__()
        self.links = set()
        self.anchors = set()
        self.alternatives = set()
        self.formulas = 0
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a" and attributes.get("href"):
            self.links.add(attributes["href"])
        if tag in ("link", "script", "img"):
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
    done = subprocess.run(
        [sys.executable, "site", folder], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    return {
        file.relative_to(site).as_posix(): Tags(file)
        for file in site.rglob("*.html")
        if "_static" not in file.parts
    }


@pytest.fixture(scope="module")
def window(site):
    "A browser on the site, and its address."
    if not browser.PROGRAM:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    with browser.served(site) as home, browser.browser() as page:
        yield page, home


def test_every_chapter_has_its_page(site):
    for path, _, _ in chapters():
        assert (site / f"{path}.html").exists(), path


def test_no_link_and_no_anchor_is_dead(site, pages):
    dead = []
    for name, page in pages.items():
        for link in page.links:
            if re.match(r"\w+:", link) or not link:
                continue
            path, _, anchor = unquote(link).partition("#")
            joined = posixpath.join(posixpath.dirname(name), path.partition("?")[0])
            there = posixpath.normpath(joined) if path else name
            if (
                not (site / there).is_file()
                or anchor
                and there in pages
                and anchor not in pages[there].anchors
            ):
                dead.append((name, link))
    assert dead == []


def test_every_picture_has_words_in_its_place(pages):
    assert len(pages["gallery.html"].alternatives) > 50
    for path, _, _ in chapters():
        assert all(" " in words for words in pages[f"{path}.html"].alternatives), path


def test_every_formula_is_mathml(site, pages):
    written = "".join(
        (site / f"{path}.html").read_text(encoding="utf-8") for path, _, _ in chapters()
    )
    assert (
        sum(page.formulas for page in pages.values()) > 500 and "<merror" not in written
    )
    for path, _, _ in chapters():
        article = re.search(
            r"<article.*</article>",
            (site / f"{path}.html").read_text(encoding="utf-8"),
            re.S,
        )[0]
        prose = re.sub(
            r"<[^>]+>",
            "",
            re.sub(r"<(pre|code|math|script)\b.*?</\1>", "", article, flags=re.S),
        )
        assert (
            re.findall(r"\$[^$\n]+\$|.{20}\\(?:frac|sum|gamma|text)\b", prose) == []
        ), path


def test_every_address_of_literature_is_in_the_bibliography(site):
    listed = html.unescape((site / "bibliography.html").read_text(encoding="utf-8"))
    assert listed.count("Cited in") >= 15
    for path, _, _ in chapters():
        for address in ADDRESS.findall(prose(path)):
            assert address in listed, f"{path} cites {address}"


WIDE = """[...document.querySelectorAll("main *")].filter(each => {
  if (each.getBoundingClientRect().right <= innerWidth + 1 || !each.offsetParent) return false
  for (let box = each; box; box = box.parentElement)
    if (["auto", "scroll"].includes(getComputedStyle(box).overflowX) && box != document.body) return false
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
        assert page.run(
            "[...document.querySelectorAll('article math')].every(m => "
            "m.getBoundingClientRect().width > 0 || m.closest('details'))"
        ), name
    assert {
        address for address in page.requests if not address.startswith((home, "data:"))
    } == set()


def test_search_finds_each_public_name(window, site):
    page, home = window
    names = sorted({name for module in modules() for name in module.public})
    page.open(f"{home}/search.html?q=adjusted_rand_score")
    script = """(async () => {
      while (!Search.hasIndex()) await new Promise(done => setTimeout(done, 20))
      const found = name => Search._performSearch(...Search._parseQuery(name))
      return NAMES.filter(name => !found(name).some(one => one[1].split(".").pop() == name)) })()"""
    assert page.run(script.replace("NAMES", json.dumps(names))) == []


@pytest.mark.parametrize("dark", [False, True])
def test_the_page_follows_the_colours_that_the_reader_prefers(window, dark):
    page, home = window
    page.look(dark=dark)
    page.open(f"{home}/index.html")
    red, green, blue = re.findall(
        r"\d+", page.run("getComputedStyle(document.body).backgroundColor")
    )[:3]
    assert (int(red) + int(green) + int(blue) < 200) == dark
