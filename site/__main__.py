"""`python site` writes the pages of the site and has Sphinx make them: no network.

Notebooks become pages as they are stored, without nbdev's directives. The reference is
what Sphinx reads from the docstrings of each package.
"""

import re
import shutil
import sys
from base64 import b64decode
from pathlib import Path
from textwrap import shorten

import nbformat
from sphinx.cmd.build import main

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "tests"), str(ROOT)]
from navigation import (  # noqa: E402
    FOLDERS,
    FRONT,
    LIST,
    NOTEBOOKS,
    heading,
    is_navigation,
    paths,
    read,
    title,
)

PACKAGES = "cluster measures family describe data exact storage study plain compat"
DIRECTIVE = re.compile(r"^#\|\s*(\w+)[^\n]*\n?", re.MULTILINE)
# Markdown within needs empty lines around
FOLD = re.compile(r"\s*(<details>\s*<summary>.*?</summary>|</details>)\s*")
# words of a question that the page for it does not have
ASKED = {
    "howto/missing_values": "missing values, missing data, NaN, gaps, empty cells, impute",
    "howto/choose_k": "how many clusters, number of clusters, elbow, n_clusters",
    "howto/mixed_tables": "mixed data, numeric and categorical, numbers",
    "howto/large_tables": "big data, out of memory, millions of rows, speed",
    "howto/weights": "sample weights, feature weights, similarity of categories",
    "howto/surveys": "survey data, respondents, questionnaire",
    "howto/from_kmodes": "kmodes package, migrate",
    "howto/from_clustmixtype": "clustMixType, kproto, R package",
    "howto/from_table_to_decision": "example, pipeline, outliers, anomalies, odd rows",
    "howto/own_experiment": "experiment, custom init, own start",
}


def pictures(cell):
    "The pictures that a cell shows: the ending of a file, and its bytes."
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if "image/svg+xml" in data:
            yield "svg", data["image/svg+xml"].encode()
        elif "image/png" in data:
            yield "png", b64decode(data["image/png"])


def with_words(cells):
    "Each cell, and what its picture shows: its title, and the paragraph above."
    above = ""
    for cell in cells:
        if cell.cell_type == "markdown":
            above = re.sub(r"\]\([^)]*\)|[][*`#$|]", "", cell.source.split("\n\n")[-1])
        titles = re.findall(r'title[(=]\s*"([^"]+)"', cell.source)
        yield cell, shorten(". ".join([*titles[-1:], above]), 240, placeholder=" …")


def staged_cell(cell, words):
    "A cell without directives; what readers do not need is removed."
    if cell.cell_type != "code":
        cell.source = FOLD.sub(lambda tag: f"\n\n{tag[0].strip()}\n\n", cell.source)
        return cell
    directives = {*DIRECTIVE.findall(cell.source)}
    cell.source = DIRECTIVE.sub("", cell.source)
    if directives & {"hide", "default_exp"}:
        # the drawing of a picture or the making of a sentence is hidden, they are not
        shown = any(pictures(cell)) or "text/markdown" in str(cell.get("outputs"))
        cell.metadata.tags = ["remove-input" if shown else "remove-cell"]
    elif "export" in directives:
        imports = cell.source.lstrip().startswith(("import ", "from "))
        cell.metadata.tags = ["hide-input" if imports else "package"]
    cell.metadata.mystnb = {"image": {"alt": words}}
    return cell


def staged(path):
    "A notebook as a page, without the lines that lead on: the theme has its own."
    book = read(path)
    cells = [staged_cell(*each) for each in with_words(book.cells)]
    book.cells = [cell for cell in cells if not is_navigation(cell.source)]
    texts = [cell for cell in book.cells if cell.cell_type == "markdown"]
    head = next(cell for cell in texts if cell.source.startswith("# "))
    parts = [part for part in head.source.split("\n\n") if not is_navigation(part)]
    parts[0] = f"# {title(path)}"
    file = f"{{download}}`the notebook </files/{path}.ipynb>`"
    parts.insert(2, f"```{{container}} about\nAs a file: {file}\n```")
    head.source = "\n\n".join(parts)
    book.metadata.language_info = dict(name="python", pygments_lexer="python3")
    if path in ASKED:
        book.metadata.myst = {"html_meta": {"keywords": ASKED[path]}}
        words = ", ".join(f"! {word}" for word in ASKED[path].split(", "))
        head.source += f"\n\n```{{index}} {words}\n```"
    return book


def tree(entries):
    "A table of contents that only the theme shows."
    return "\n".join(["```{toctree}", ":hidden:", "", *entries, "```", ""])


def part(name, listed):
    "The page of a folder: its notebooks, each with its sentence."
    lines = [f"- [{title(path)}](/{path}.ipynb): {heading(path)[1]}" for path in listed]
    entries = [f"/{path}" for path in listed]
    return "\n".join([f"# {name}", "", *lines, "", tree(entries)])


def reference():
    "A page for each package, and one that lists them."
    made = {}
    for name in PACKAGES.split():
        made[f"api/{name}.md"] = (
            f"# kmodes_study.{name}\n\n```{{eval-rst}}\n"
            f".. automodule:: kmodes_study.{name}\n   :members:\n"
            "   :imported-members:\n```\n"
        )
    words = "# Reference\n\nThe most used names are those of `kmodes_study` itself.\n\n"
    listed = tree(f"/api/{name}" for name in PACKAGES.split())
    return made | {"api/index.md": words + listed.replace(":hidden:\n", "")}


def gallery():
    "The figures of all notebooks; each leads to its page."
    made = {}
    lines = ["---\nnosearch: true\n---\n\n# Gallery\n\n````{container} thumbs"]
    for path in paths():
        for cell, words in with_words(read(path).cells):
            for kind, picture in pictures(cell):
                file = f"gallery/{len(made)}.{kind}"
                made[file] = picture
                caption = shorten(words.split(". ")[0], 70, placeholder=" …")
                lines.append(f"- [![{words}](/{file})](/{path}.ipynb) {caption}")
    return made | {"gallery.md": "\n".join([*lines, "````\n"])}


def pages():
    "All pages of the site: path and content, text or bytes."
    made = reference() | gallery()
    places = []
    for folder, name in FOLDERS.items():
        listed = [path for path in paths() if f"{path}/".split("/")[0] == folder]
        if listed and folder:
            made[f"parts/{folder}.md"] = part(name, listed)
            places.append(f"parts/{folder}")
    places[3:3] = ["api/index", "gallery"]
    beside = [path for path in paths() if "/" not in path]
    ends = [LIST, *beside, "bibliography", "CONTRIBUTING"]
    for path in paths():
        made[f"{path}.ipynb"] = nbformat.writes(staged(path))
        made[f"files/{path}.ipynb"] = (NOTEBOOKS / f"{path}.ipynb").read_bytes()
    for path in FRONT, LIST:
        page = read(path)
        page.cells = [staged_cell(*each) for each in with_words(page.cells)]
        if path == FRONT:
            contents = tree(["Start <self>", *places, *ends])
            page.cells.append(nbformat.v4.new_markdown_cell(contents, id="contents"))
        made[f"{path}.ipynb"] = nbformat.writes(page).replace("(../C", "(/C")
    advice = (ROOT / "CONTRIBUTING.md").read_text()
    made["CONTRIBUTING.md"] = advice.replace("](nbs/", "](/")
    made["bibliography.md"] = (ROOT / "site" / "bibliography.md").read_text()
    made["CITATION.cff"] = (ROOT / "CITATION.cff").read_bytes()
    for file in (NOTEBOOKS / "results" / "protocols").glob("*.py"):
        made[f"results/protocols/{file.name}"] = file.read_bytes()
    return made | {file.name: file.read_bytes() for file in NOTEBOOKS.glob("*.svg")}


def stage(folder):
    "Write the pages into a folder anew."
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in pages().items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)


if __name__ == "__main__":
    output = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site")
    stage(output / "pages")
    folders = ["-d", output / "doctrees", output / "pages", output / "html"]
    options = ["-E", "-b", "html", "-W", "--keep-going", "-q", "-c", ROOT / "site"]
    sys.exit(main([str(word) for word in [*options, *folders]]))
