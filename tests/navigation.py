"""The first and last line of each chapter, home, previous, next, needs, as the tables
of `nbs/index.ipynb` and `nbs/contents.ipynb` say.

`python tests/navigation.py` writes them.
"""

import posixpath
import re
from pathlib import Path

import nbformat

NOTEBOOKS = Path(__file__).resolve().parent.parent / "nbs"
ROW = re.compile(
    r"^\|[^|]*\| \[([^\]]+)\]\(([^)]+)\.ipynb\) \|[^|]*\|([^|]*)\|$", re.MULTILINE
)


# the front page has the book, the other page all that is beside it
LISTS = "index", "contents"


def listing():
    "The text of the pages that list the notebooks."
    pages = [nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4) for name in LISTS]
    cells = [cell for page in pages for cell in page.cells]
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def chapters():
    """Path, name and needs (names of other chapters) of each chapter, in the order of
    the front page and of the page of all notebooks.
    """
    text = listing()
    return [
        (path, name, re.findall(r"[\w-]+", needs))
        for name, path, needs in ROW.findall(text)
    ]


def numbers():
    "The number of each chapter of the book by its path, as the front page has it."
    return {
        path: int(number)
        for number, path in re.findall(
            r"^\| (\d+) \| \[[^\]]+\]\(([^)]+)\.ipynb\)", listing(), re.MULTILINE
        )
    }


def labels():
    "The name of each chapter in a list, with its number if it has one, by its path."
    number = numbers()
    return {
        path: f"{number[path]}. {name}" if path in number else name
        for path, name, _ in chapters()
    }


def lines():
    "The navigation line of each chapter by its path."
    order, found, label = chapters(), {}, labels()

    def home(need, path):
        "The first chapter of this name that is not the chapter itself."
        return next(
            (other, name)
            for other, name, _ in order
            if posixpath.basename(other).lstrip("0123456789_") == need and other != path
        )

    for place, (path, _, needs) in enumerate(order):
        folder = posixpath.dirname(path)

        def link(chapter):
            path, name = chapter[:2]
            target = posixpath.relpath(path, folder or ".")
            return f"[{label.get(path, name)}]({target}.ipynb)"

        parts = [link(("index", "Home"))]
        if place:
            parts.append(f"Previous: {link(order[place - 1])}")
        if place + 1 < len(order):
            parts.append(f"Next: {link(order[place + 1])}")
        if needs:
            parts.append(
                f"Needs: {', '.join(link(home(need, path)) for need in needs)}"
            )
        found[path] = " · ".join(parts)
    return found


def is_navigation(line):
    return re.match(r"\[Home\]\([./]*index\.ipynb\)", line) is not None


def navigated(notebook, line):
    "Put `line` under the title and into the last cell; whether anything changed."
    before = [cell.source for cell in notebook.cells]
    title = next(cell for cell in notebook.cells if cell.cell_type == "markdown")
    kept = [part for part in title.source.split("\n\n") if not is_navigation(part)]
    title.source = "\n\n".join([*kept[:2], line, *kept[2:]])
    last = notebook.cells[-1]
    if not (last.cell_type == "markdown" and is_navigation(last.source)):
        last = nbformat.v4.new_markdown_cell(id="navigate")
        notebook.cells.append(last)
    last.source = line
    return before != [cell.source for cell in notebook.cells]


if __name__ == "__main__":
    for path, line in lines().items():
        file = NOTEBOOKS / f"{path}.ipynb"
        notebook = nbformat.read(file, as_version=4)
        if navigated(notebook, line):
            nbformat.write(notebook, file)
            print("navigation line written:", path)
