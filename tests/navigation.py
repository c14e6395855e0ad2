"""The order of the notebooks, the page that lists them, the page of the sources, and
the first and last line of each, which lead on.

`python tests/navigation.py` writes them.
"""

import csv
import posixpath
import re
from itertools import groupby
from pathlib import Path

import nbformat

NOTEBOOKS = Path(__file__).resolve().parent.parent / "nbs"
FOLDERS = {
    "book": "The book",
    "howto": "How-to",
    "results": "Results",
    "cluster": "k-modes: estimator, starts, algorithms",
    "measures": "Measures",
    "describe": "Describing clusters",
    "family": "Relatives of k-modes",
    "exact": "Bounds and proofs",
    "study": "Experiments and published tables",
    "data": "Data sets",
    "core": "What all stands on: codes, kernels, rows",
    "": "Beside them",
}
FRONT, LIST, SOURCES = "index", "contents", "sources"
PAST = "coursework", "draft2018", "lecture_notes", "notes001", "sources"


def read(path):
    return nbformat.read(NOTEBOOKS / f"{path}.ipynb", as_version=4)


def paths():
    "Every notebook but the front page and the list, folder by folder."
    files = sorted(NOTEBOOKS.rglob("*.ipynb"))
    found = [file.relative_to(NOTEBOOKS).with_suffix("").as_posix() for file in files]
    found = [p for p in found if p not in (FRONT, LIST) and "/." not in f"/{p}"]
    order = [*FOLDERS]
    return sorted(
        found, key=lambda path: order.index(path.rpartition("/")[0].split("/")[0])
    )


def heading(path):
    "The title of a notebook, and the sentence under it."
    sources = [cell.source for cell in read(path).cells]
    head = next(source for source in sources if source.startswith("# "))
    name, sentence = re.match(r"# (.+)\n+((?:> .+\n?)*)", head).groups()
    return name, sentence.strip().replace("\n> ", " ").removeprefix("> ")


def title(path):
    "The title of a notebook, with its number where it is a chapter."
    number = re.match(r"book/0?(\d+)_", path)
    return f"{number[1]}. {heading(path)[0]}" if number else heading(path)[0]


def listing():
    "The text of the page that lists all notebooks."
    parts = {name: [] for name in [*FOLDERS.values(), "Where it comes from"]}
    for path in paths():
        folder, _, name = path.rpartition("/")
        part = "Where it comes from" if name in PAST else FOLDERS[folder.split("/")[0]]
        parts[part].append(f"- [{title(path)}]({path}.ipynb): {heading(path)[1]}")
    return "\n\n".join(
        "\n".join([f"## {name}", "", *listed]) for name, listed in parts.items()
    )


def items():
    "The items of the sources, with what to import and where to read."
    with open(NOTEBOOKS / f"{SOURCES}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def sourced():
    "The text of the page that leads from the sources to the notebooks."
    parts = []
    for source, found in groupby(items(), lambda item: item["source"]):
        table = [f"## {source}", "", "| section | item | where | import | state |"]
        table.append("|---|---|---|---|---|")
        for item in found:
            place, path = item["place"].replace(" ", "-"), f"{item['notebook']}.ipynb"
            link = path if "(" in place else f"{path}#{place}"
            name = item["name"] and f"`{item['name']}`"
            where = f"[{title(item['notebook'])}]({link})"
            wrong = item["erratum"] and f" (Erratum: {item['erratum']}.)"
            boxes = item["section"], item["item"] + wrong, where, name, item["state"]
            table.append(f"| {' | '.join(boxes)} |")
        parts.append("\n".join(table))
    return "\n\n".join(parts)


def lines():
    "The line of each notebook that leads home, back and on."
    order = paths()
    found = {}
    for place, path in enumerate(order):

        def link(name, other):
            target = posixpath.relpath(other, posixpath.dirname(path) or ".")
            return f"{name}[{title(other) if name else 'Home'}]({target}.ipynb)"

        parts = [link("", FRONT)]
        parts += [link("Previous: ", order[place - 1])] if place else []
        parts += [link("Next: ", each) for each in order[place + 1 : place + 2]]
        found[path] = " · ".join(parts)
    return found


def is_navigation(text):
    return re.match(r"\[Home\]\([./]*index\.ipynb\)", text) is not None


def navigated(notebook, line):
    "Put `line` under the title and into the last cell; whether anything changed."
    before = [cell.source for cell in notebook.cells]
    head = next(cell for cell in notebook.cells if cell.cell_type == "markdown")
    kept = [part for part in head.source.split("\n\n") if not is_navigation(part)]
    head.source = "\n\n".join([*kept[:2], line, *kept[2:]])
    last = notebook.cells[-1]
    if last.cell_type != "markdown" or not is_navigation(last.source):
        last = nbformat.v4.new_markdown_cell(id="navigate")
        notebook.cells.append(last)
    last.source = line
    return before != [cell.source for cell in notebook.cells]


def written(notebook, place, text):
    "Put the text into the cell at a place; whether anything changed."
    before, notebook.cells[place].source = notebook.cells[place].source, text
    return before != text


if __name__ == "__main__":
    changes = [(path, navigated, [line]) for path, line in lines().items()]
    changes += [(LIST, written, [-1, listing()]), (SOURCES, written, [-2, sourced()])]
    for path, change, arguments in changes:
        notebook = read(path)
        if change(notebook, *arguments):
            nbformat.write(notebook, NOTEBOOKS / f"{path}.ipynb")
            print("written:", path)
