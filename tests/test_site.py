"""The site: made without a warning; in a real browser no foreign address, no dead link,
no overflow on a phone.
"""

import gzip
import html
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
from navigation import NOTEBOOKS, chapters, labels

ROOT = NOTEBOOKS.parent
sys.path.append(str(ROOT / "site"))
from reference import home, modules  # noqa: E402
from stage import ADDRESS, ASKED, LETTERS, in_page, prose  # noqa: E402

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
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr, done.stdout + done.stderr
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


def test_long_sentences_of_an_output_go_on_in_the_next_line():
    sentence = "cluster 0: " + "with=family in 100 % of its rows, " * 5
    table = "name" + " " * 120 + "share\n"
    found = in_page(f"{sentence}\n{table}")
    *parts, last = found.splitlines()
    assert max(map(len, parts)) <= LETTERS
    assert " ".join(part.strip() for part in parts) == sentence.strip()
    assert last + "\n" == table
    assert in_page("short") == "short"


def text_of(markup):
    "The words of a piece of a page."
    return html.unescape(re.sub(r"<[^>]+>", "", markup)).replace("\n", " ").strip()


def test_the_head_of_each_page_leads_through_the_parts(site):
    page = (site / "howto" / "weights.html").read_text(encoding="utf-8")
    head = page.partition("</header>")[0]
    links = re.findall(r'<a class="nav-link[^"]*" href="([^"]+)">(.*?)</a>', head, re.S)
    shown = [text_of(name) for _, name in links[:7]]
    assert shown == "Start,Your table,Book,How-to,Reference,Results,Gallery".split(",")
    for (link, _), name in zip(links[1:7], shown[1:]):
        there = (site / "howto" / link).read_text(encoding="utf-8")
        assert f"<h1>{name}<" in there, link


def test_a_page_has_one_name_everywhere(site, pages):
    names = {f"{path}.html": name.replace("`", "") for path, name in labels().items()}
    typed = {"\u2019": "'", "\u201c": '"', "\u201d": '"'}
    plain = str.maketrans(typed)
    # the front page has the name of the package as its title
    short = {"index.html": "Start"}
    seen = set()
    for page in pages:
        written = (site / page).read_text(encoding="utf-8")
        if page in names:
            heading = re.search(r"<h1>(.*?)(?:<a class|</h1>)", written, re.S)[1]
            assert text_of(heading).translate(plain) == names[page], page
        listed = re.findall(
            r'<li class="toctree[^"]*"><a class="reference internal" href="([^"#]+)">(.*?)'
            r"</a>|<a class=\"(?:left|right)-(?:prev|next)\"\s+href=\"([^\"#]+)\".*?"
            r'<p class="prev-next-title">(.*?)</p>',
            written,
            re.S,
        )
        for link, name, other, title in listed:
            there = posixpath.join(posixpath.dirname(page), link or other)
            there = posixpath.normpath(there)
            if there not in names:
                continue
            said = text_of(name or title).translate(plain)
            assert said in (names[there], short.get(there)), (page, there)
            seen.add(there)
    assert set(names) <= seen


def test_each_page_leads_to_its_notebook_and_to_the_source(site, pages):
    for path, _, _ in chapters():
        links = pages[f"{path}.html"].links
        files = [link for link in links if "_downloads/" in link]
        assert len(files) == 1, path
        file = site / posixpath.normpath(posixpath.join(path, "..", files[0]))
        assert file.read_bytes() == (NOTEBOOKS / f"{path}.ipynb").read_bytes(), path
        assert any(link.endswith(f"/nbs/{path}.ipynb") for link in links), path
        for module in modules():
            if module.chapter == path:
                source = module.path.relative_to(ROOT).as_posix()
                assert any(link.endswith(f"/{source}") for link in links), path


def test_the_reference_has_names_as_users_import_them(pages):
    for module in modules():
        for name in module.public:
            there, made = home(name, module.name), import_module(module.name)
            assert getattr(import_module(there), name) is getattr(made, name), name
            # constants have no text
            if callable(getattr(made, name)):
                anchors = pages[f"api/{module.name}.html"].anchors
                assert f"{there}.{name}" in anchors, (module.name, name)
    assert home("KModes", "kmodes_study.cluster.estimator") == "kmodes_study"
    assert home("v_measure_score", "kmodes_study.measures.information") == (
        "kmodes_study.measures"
    )
    # made on a lower floor, and offered above
    place = "kmodes_study.describe.cluster_profiles"
    assert [page for page in pages if place in pages[page].anchors] == [
        "api/kmodes_study.describe.profiles.html"
    ]
    assert "api/kmodes_study.cluster.profiles.html" not in pages


def test_the_gallery_has_a_small_picture_of_each_figure(site):
    page = (site / "gallery.html").read_text(encoding="utf-8")
    found = re.findall(
        r'<li><p><a [^>]*>(?:<span[^>]*>)?<img loading="lazy" [^>]*src="([^"]+)"', page
    )
    assert len(found) == len(set(found)) > 100
    # as servers send them; a browser fetches those that come into sight
    sent = [len(gzip.compress((site / file).read_bytes(), 6)) for file in found]
    assert sum(sent) < 2_500_000, sum(sent)


def test_the_page_to_cite_has_an_entry_for_bibtex(site):
    page = text_of((site / "cite.html").read_text(encoding="utf-8"))
    assert re.search(
        r"@software\{kmodes_study,\s+author = .* version = .* url = .* year = \{20\d\d\}",
        page,
    )
    assert re.search(r"contributors \(20\d\d\)\.", page)


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
    assert sum(page.formulas for page in pages.values()) > 500
    assert "<merror" not in written
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
        assert page.run(
            "[...document.querySelectorAll('div.cell_input pre')].every(code => "
            "code.scrollWidth <= code.clientWidth)"
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


# what people search, and the page that answers
QUESTIONS = {
    "missing values": "howto/missing_values",
    "how to handle missing values": "howto/missing_values",
    "choosing k": "howto/choose_k",
    "number of clusters": "howto/choose_k",
    "mixed tables": "howto/mixed_tables",
    "numeric and categorical": "howto/mixed_tables",
    "large tables": "howto/large_tables",
    "weights": "howto/weights",
    "surveys": "howto/surveys",
    "from kmodes": "howto/from_kmodes",
    "from R's clustMixType": "howto/from_clustmixtype",
    "KModes": "api/kmodes_study.cluster.estimator",
}


def test_search_shows_the_page_that_answers_first(window):
    page, home = window
    words = QUESTIONS | {
        word: path for path, listed in ASKED.items() for word in listed.split(", ")
    }
    page.open(f"{home}/search.html?q=weights")
    script = """(async () => {
      while (!Search.hasIndex()) await new Promise(done => setTimeout(done, 20))
      const found = words => Search._performSearch(...Search._parseQuery(words))
      return WORDS.map(words => (found(words).at(-1) || [""])[0]) })()"""
    first = page.run(script.replace("WORDS", json.dumps(list(words))))
    assert dict(zip(words, first)) == words
    # what the page shows is in this order
    shown = """(async () => {
      while (!document.querySelector("#search-results li a"))
        await new Promise(done => setTimeout(done, 20))
      return document.querySelector("#search-results li a").textContent })()"""
    assert page.run(shown) == "How do I give rows or columns different weights?"


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
    assert page.run("document.querySelectorAll('.cell_output button.copy').length") == 0


@pytest.mark.parametrize("dark", [False, True])
def test_the_page_follows_the_colours_that_the_reader_prefers(window, dark):
    page, home = window
    page.look(dark=dark)
    page.open(f"{home}/index.html")
    red, green, blue = re.findall(
        r"\d+", page.run("getComputedStyle(document.body).backgroundColor")
    )[:3]
    assert (int(red) + int(green) + int(blue) < 200) == dark
