"""`python site` writes the pages of the site and has Sphinx make them: no network.

Notebooks become pages as they are stored, without nbdev's directives. The reference is
what Sphinx reads from the docstrings of each package.
"""

import re
import shutil
import sys
from base64 import b64decode
from pathlib import Path

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
    "howto/weights": "sample weights, feature weights, weighted",
    "howto/surveys": "survey data, respondents, questionnaire",
    "howto/from_kmodes": "kmodes package, migrate",
    "howto/from_clustmixtype": "clustMixType, kproto, R package",
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


def staged_cell(cell, name):
    "A cell without directives; what readers do not need is removed."
    if cell.cell_type != "code":
        cell.source = FOLD.sub(lambda tag: f"\n\n{tag[0].strip()}\n\n", cell.source)
        return cell
    directives = {*DIRECTIVE.findall(cell.source)}
    cell.source = DIRECTIVE.sub("", cell.source)
    if directives & {"hide", "default_exp"}:
        # the drawing of a picture is hidden, the picture is not
        shown = any(pictures(cell))
        cell.metadata.tags = ["remove-input" if shown else "remove-cell"]
    elif directives & {"export", "exporti"}:
        cell.metadata.tags = ["package"]
    cell.metadata.mystnb = {"image": {"alt": f"Figure of the page {name}"}}
    return cell


def staged(path):
    "A notebook as a page, without the lines that lead on: the theme has its own."
    book = read(path)
    name = heading(path)[0]
    book.cells = [staged_cell(cell, name) for cell in book.cells]
    book.cells = [cell for cell in book.cells if not is_navigation(cell.source)]
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
    links = [f"- [kmodes_study.{name}](/api/{name}.md)" for name in PACKAGES.split()]
    entries = [f"/api/{name}" for name in PACKAGES.split()]
    words = "What each package offers; the most used names are at the top, too:"
    short = "`from kmodes_study import KModes, KPrototypes, encode, diagnose, load`."
    top = ["# Reference", "", f"{words} {short}", "", *links, "", tree(entries)]
    return made | {"api/index.md": "\n".join(top)}


def gallery():
    "The figures of all notebooks; each leads to its page."
    made = {}
    lines = []
    for path in paths():
        shown = [each for cell in read(path).cells for each in pictures(cell)]
        for number, (kind, picture) in enumerate(shown, 1):
            file = f"gallery/{path.replace('/', '_')}_{number}.{kind}"
            made[file] = picture
            said = f"Figure {number} of {title(path)}".replace("`", "")
            lines.append(f"- [![{said}](/{file})](/{path}.ipynb) {title(path)}")
    head = "---\nnosearch: true\n---\n\n# Gallery\n\nEach figure leads to its page.\n\n"
    thumbs = "\n".join(lines)
    made["gallery.md"] = f"{head}````{{container}} thumbs\n{thumbs}\n````\n"
    return made


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
    ends = [LIST, *beside, "bibliography", "contributing"]
    for path in paths():
        made[f"{path}.ipynb"] = nbformat.writes(staged(path))
        made[f"files/{path}.ipynb"] = (NOTEBOOKS / f"{path}.ipynb").read_bytes()
    for path in FRONT, LIST:
        page = read(path)
        page.cells = [staged_cell(cell, path) for cell in page.cells]
        if path == FRONT:
            contents = tree(["Start <self>", *places, *ends])
            page.cells.append(nbformat.v4.new_markdown_cell(contents, id="contents"))
        text = nbformat.writes(page).replace(
            "(../CONTRIBUTING.md)", "(/contributing.md)"
        )
        made[f"{path}.ipynb"] = text.replace("(../CITATION.cff)", "(/CITATION.cff)")
    made["contributing.md"] = (
        (ROOT / "CONTRIBUTING.md").read_text().replace("](nbs/", "](/")
    )
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
