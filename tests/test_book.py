"""The book and the other notebooks: each says where it stands, and points to what
exists.
"""

import posixpath
import re
from functools import cache
from itertools import product

import nbformat
import pytest

from navigation import FRONT, LIST, NOTEBOOKS, lines, listing, navigated, paths, title

PATHS = sorted(
    file.relative_to(NOTEBOOKS).with_suffix("").as_posix()
    for file in NOTEBOOKS.rglob("*.ipynb")
    if not any(
        part.startswith((".", "_")) for part in file.relative_to(NOTEBOOKS).parts
    )
)
PATH = [path for path in PATHS if path.startswith("book/")]  # what a stranger reads
NUMBER = r"(?:\d{1,3}(?:[,_]\d{3})+|\d+)(?:\.\d+)?|\.\d+"
CITED = re.compile(  # links, headings, years, volumes, pages
    r"\]\([^)]*\)|`[^`]*`|^#.*$|^\d+\. |\b(?:1[89]|20)\d\d\b(?!\.\d)|arXiv[: ][\d.]+|\d+\(\d+\)"
    r"|\d+[-–]\d+|sections? [\d.]+",
    re.MULTILINE | re.IGNORECASE,
)
SAID = re.compile(
    r"(?<![\w.])\.?\d|\b(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.IGNORECASE,
)
# "1. " and "**1.** " at the beginning of a line
ITEM = re.compile(r"^\W*(\d)\.\W*\s", re.MULTILINE)
# a quantile; what the papers have
GIVEN = {"cao2009": {"1.96"}, "evolution": {"500"}, "notes001": {"1.6666"}}
GIVEN["wilde2020"] = {"0.09", "5.11"}
GIVEN["optima"] = {"47", "33"}  # plants of a table; the volume of a journal
GIVEN["which_initialisation"] = {
    "12",
    "54",
    "132",
}  # of the design; the zoo's lowest cost


@cache
def cells(path, kind=None):
    "The cells of a notebook, or those of a kind."
    found = nbformat.read(NOTEBOOKS / f"{path}.ipynb", as_version=4).cells
    return [cell for cell in found if kind in (None, cell.cell_type)]


def prose(path):
    return "\n\n".join(cell.source for cell in cells(path, "markdown"))


def numbers(text, before=r"(?<![\w.{])"):
    "The numbers of a text, those in names and subscripts aside."
    found = re.findall(rf"{before}(?:{NUMBER})", text)
    return {float(number.replace(",", "").replace("_", "")) for number in found}


def anchors(path):
    "The anchors that Jupyter gives to headings: the words, joined by hyphens."
    text = re.sub(r"```.*?```", "", prose(path), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {
        re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().replace(" ", "-")
        for heading in headings
    }


def test_the_list_of_all_notebooks_is_the_one_that_is_written():
    assert cells(LIST)[-1].source == listing(), "run make book"
    titles = [title(path) for path in paths()]
    assert sorted(set(titles)) == sorted(titles), "no two pages have one title"


def test_the_front_page_lists_the_chapters_by_their_titles():
    listed = re.findall(r"^\| (\d+) \| \[(.+?)\]\((.+?)\.ipynb\)", prose(FRONT), re.M)
    found = [(path, f"{number}. {name}") for number, name, path in listed]
    assert found == [(path, title(path)) for path in PATH]
    text = (NOTEBOOKS.parent / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 1200


def test_first_and_last_line_say_where_each_chapter_stands():
    for path, ends in lines().items():
        book = nbformat.read(NOTEBOOKS / f"{path}.ipynb", as_version=4)
        assert not navigated(book, ends), f"{path}: run make book"


@pytest.mark.parametrize("path", PATHS)
def test_links_lead_somewhere(path):
    text = re.sub(r"`[^`]*`", "", prose(path))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        if target.endswith((".svg", ".md", ".cff", ".py")):
            assert ((NOTEBOOKS / path).parent / target).is_file(), target
            continue
        file, _, anchor = target.partition("#")
        joined = posixpath.join(posixpath.dirname(path), file.removesuffix(".ipynb"))
        there = posixpath.normpath(joined) if file else path
        assert there in PATHS, target
        assert not anchor or anchor in anchors(there), target


def numbers_of_cells(found):
    "The numbers in the code of these cells and in what they show."
    code = [cell for cell in found if cell.cell_type == "code"]
    texts = [cell.source for cell in code]
    for output in (output for cell in code for output in cell.outputs):
        shown = dict(output.get("data", {}), text=output.get("text", ""))
        for kind, text in shown.items():
            if kind.startswith("text"):
                tags = r"<style.*?</style>|<[^>]+>"
                texts.append(re.sub(tags, " ", text, flags=re.DOTALL))
    return numbers("\n".join(texts), before="")


def uncomputed(found, given=()):
    "The numbers in the prose of these cells that no cell has or shows."
    there, missing = numbers_of_cells(found), []
    texts = [cell.source for cell in found if cell.cell_type == "markdown"]
    for word, percent in re.findall(
        rf"(?<![\w.^])({NUMBER})( %| percent)?", CITED.sub("", "\n\n".join(texts))
    ):
        value, digits = float(word.replace(",", "")), len(word.partition(".")[2])
        if word in given or value <= 10 and not digits and not percent:
            continue
        scaled = [100 * number for number in there] if percent else []
        whole = [n for n in there if digits or percent or n == int(n)]
        if value not in {round(number, digits) for number in [*whole, *scaled]}:
            missing.append(word + percent)
    return missing


@pytest.mark.parametrize("path", [p for p in PATHS if p.startswith("results/")])
def test_numbers_in_the_prose_of_results_are_computed(path):
    assert uncomputed(cells(path), GIVEN.get(posixpath.basename(path), ())) == []


@pytest.mark.parametrize("path", PATH)
def test_chapters_of_the_path_end_with_a_summary_and_exercises(path):
    text = prose(path)
    assert re.search(r"^## Summary$", text, re.MULTILINE), "about five lines"
    exercises = text.partition("\n## Exercises\n")[2]
    asked = exercises.partition("<details>")[0] or exercises
    assert re.search(r"^\W*\d\.", asked, re.MULTILINE)
    n_answers = exercises.count("<details>")
    assert n_answers == exercises.count("</details>") >= 1, (
        "the answers are folded away"
    )


def exercises_of(text):
    """The answers of a cell with exercises, by number: folded away one by one, or all
    in one list.
    """
    folded = re.findall(
        r"<summary>(Answers?)</summary>(.*?)</details>", text, re.DOTALL
    )
    if [kind for kind, _ in folded] == ["Answers"]:
        _, *parts = ITEM.split(folded[0][1])
        return dict(zip(map(int, parts[::2]), parts[1::2]))
    return {number: answer for number, (_, answer) in enumerate(folded, 1)}


def asserted(path):
    """The code after `# exercise 2` in hidden cells, for each exercise in which it
    holds an assertion.
    """
    sources = [cell.source for cell in cells(path, "code")]
    hidden = "\n".join(text for text in sources if text.startswith("#| hide"))
    _, *parts = re.split(r"^ *# exercise (\d)", hidden, flags=re.MULTILINE)
    has_test = re.compile(r"\bassert\b|\btest_\w+\(|\bexpect_fail\(").search
    pairs = zip(parts[::2], parts[1::2])
    return {int(number): code for number, code in pairs if has_test(code)}


@pytest.mark.parametrize("path", [p for p in PATHS if "\n## Exercises\n" in prose(p)])
def test_a_hidden_cell_asserts_each_answer_with_a_number(path):
    texts = [cell.source for cell in cells(path, "markdown")]
    (text,) = [text for text in texts if "## Exercises\n" in text]
    text = text.partition("## Exercises\n")[2]
    answers, code = exercises_of(text), asserted(path)
    asked = ITEM.findall(re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL))
    assert list(answers) == [int(number) for number in asked], "each has an answer"
    for number, answer in answers.items():
        if SAID.search(answer):
            assert number in code, (
                f"assert answer {number}: hidden, # exercise {number}"
            )
            missing = numbers(answer) - numbers(code[number])
            assert not missing, f"the hidden cell for answer {number} has no {missing}"


def plainly(text):
    "The words of a text in one line of small letters, without emphasis."
    return " ".join(re.sub(r"[*`_]", " ", text).lower().split())


def entries():
    "The rows of the table of words of the glossary, as lists of boxes."
    words = prose("glossary").partition("\n## Symbols\n")[0]
    return [
        [box.strip() for box in line.strip("|").split(" | ")]
        for line in words.splitlines()
        if line.startswith("| ") and not line.endswith("defined in |")
    ]


def test_words_of_the_glossary_are_on_the_pages_that_it_names():
    assert len(entries()) > 100
    missing = []
    for entry, _, link in entries():
        path = re.search(r"\]\(([^)#]+)\.ipynb[^)]*\)", link)[1]
        # in the book where readers see it, in the reference also as a name in code
        whole = "\n".join(cell.source for cell in cells(path))
        text = plainly(prose(path) if path.startswith("book/") else whole)
        names = re.sub(r"\([^)]*\)", "", entry).split(",")
        missing += [(name, path) for name in names if plainly(name) not in text]
    assert not missing, "the page that is named does not have the word"


def shown(path):
    "What the cells of a notebook have printed and said."
    kinds = "text/markdown", "text/plain", "text"
    outputs = [output for cell in cells(path, "code") for output in cell.outputs]
    data = [{**each.get("data", {}), "text": each.get("text", "")} for each in outputs]
    return "\n".join(each[kind] for each in data for kind in kinds if kind in each)


# what strangers are told, and where a result says so: the groups mean the same in both
FIRST, ANSWERS, METHODS = "index", "book/15_answers", "which_clusterer"
UNEVEN = r"kind +uneven[^|]+?\nlatent classes [^,]+, (\w+)"
KEY = [
    (FIRST, r"\[(\d+) proofs\]", "optima", r"(\d+) are proved"),
    (FIRST, r"\| (\d+) ms \|", "benchmarks", r"fit online, m=20 k=10 +([\d.]+) ms"),
    (FIRST, r"ms \| ([\d.]+) s", "benchmarks", r"fit online, m=20 k=10 +([\d.]+) s"),
    (FIRST, "to the last digit", "wilde2020", r" of (\d+) cells, [^.]+: \1 exact"),
    (FIRST, r"\[(none)", "which_initialisation", r"search[^.]+\. Better[^.]+: (\S+)\."),
    (
        FIRST,
        r"(twenty) real\s+tables it is (\w+)",
        METHODS,
        r"\| (\d+) real.+ (\w+) \| n",
    ),
    (FIRST, r'gamma="(\w+)', "which_clusterer_mixed", r"es\*: [^;]+gamma (v\w+) \(\+"),
    (ANSWERS, r"up to ([\d.]+\d)", METHODS, r"`KModes`: ([\d.]+)"),
    (ANSWERS, r"at most ([\d.]+) behind", METHODS, r"latent classes: ([\d.]+\d)"),
    (ANSWERS, r"noisier[^.]+ it is (\w+)", METHODS, UNEVEN),
    (ANSWERS, r"make (\d+) percent", METHODS, r"(\d+)% of the sum; mean"),
    (
        ANSWERS,
        r"stability +[\d.]+ +[\d.]+ +([\d.]+)",
        "how_many",
        r"from it .+?stability \((\d+)",
    ),
    (ANSWERS, r"(\d+) runs on", "which_initialisation", r"([\d,]+) runs on"),
]


def meant(text, digits=None):
    "A number, rounded, or a word."
    text = {"twenty": "20"}.get(text, text).replace(",", "")
    return round(float(text), digits) if text[0].isdigit() else text


@pytest.mark.parametrize("path, told, result, said", KEY)
def test_the_answers_tell_what_the_results_say(path, told, result, said):
    ours = [*re.finditer(told, prose(path) + shown(path))]
    theirs = [*re.finditer(said, shown(f"results/{result}"))]
    assert ours and theirs
    for one, other in product(ours, theirs):
        for our, their in zip(one.groups(), other.groups()):
            digits = len(our.partition(".")[2])
            assert meant(our, digits) == meant(their, digits)
