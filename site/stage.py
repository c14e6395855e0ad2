"""The pages of the site: the notebooks as they are stored, and pages made of the
package and the figures.
"""

import re
import sys
from base64 import b64decode

import nbformat

from reference import ROOT, constants, documented, modules, private_classes

sys.path.append(str(ROOT / "tests"))
from navigation import (  # noqa: E402
    LISTS,
    NOTEBOOKS,
    ROW,
    chapters,
    is_navigation,
    listing,
)

FLOORS = {
    "core": "Foundation",
    "measures": "Measures",
    "data": "Data",
    "storage": "Larger than memory",
    "cluster": "k-modes",
    "cluster/starts": "Starts of k-modes",
    "cluster/algorithms": "Algorithms of k-modes",
    "exact": "Bounds and proofs",
    "family": "Relatives of k-modes",
    "describe": "Describing clusters",
    "study": "The study",
    "command": "The command line",
    "results": "Results",
    "book": "The book",
    "howto": "How-to",
    "plain": "The definitions, plainly",
    "": "Beside the floors",
}
# Markdown within needs empty lines around
FOLD = re.compile(r"\s*(<details>\s*<summary>.*?</summary>|</details>)\s*")
DIRECTIVE = re.compile(r"^#\|\s*(\w+)[^\n]*\n?", re.MULTILINE)


def read(path):
    return nbformat.read(NOTEBOOKS / f"{path}.ipynb", as_version=4)


def all_paths():
    "Every notebook but those that list the others, without its ending."
    files = sorted(NOTEBOOKS.rglob("*.ipynb"))
    paths = [file.relative_to(NOTEBOOKS).with_suffix("").as_posix() for file in files]
    return [path for path in paths if path not in LISTS and "/." not in f"/{path}"]


def title(path):
    "The title of a notebook and its summary."
    head = next(
        cell.source for cell in read(path).cells if cell.source.startswith("# ")
    )
    found = re.match(r"# (.+)\n+(?:> (.+))?", head)
    return found[1], found[2] or ""


# What becomes of a notebook


def pictures(cell):
    "The pictures that a cell shows, as text in base64."
    return [
        output.data["image/png"]
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", ())
    ]


def staged_cell(cell, name):
    """A cell without nbdev's directives; cells that readers do not need are removed,
    those of the package are marked.
    """
    if cell.cell_type != "code":
        cell.source = FOLD.sub(lambda tag: f"\n\n{tag[0].strip()}\n\n", cell.source)
        return cell
    directives = DIRECTIVE.findall(cell.source)
    cell.source = DIRECTIVE.sub("", cell.source)
    if {"hide", "default_exp"} & set(directives):
        # the drawing of a picture is hidden, the picture is not
        cell.metadata.tags = ["remove-input" if pictures(cell) else "remove-cell"]
    elif {"export", "exporti"} & set(directives):
        cell.metadata.tags = ["package"]
    cell.metadata.mystnb = {"image": {"alt": f"Figure of the chapter {name}"}}
    return cell


def staged(path):
    """A notebook as a page: no directives, and no navigation line at its end, where the
    theme has its own.
    """
    book, (name, _) = read(path), title(path)
    book.cells = [staged_cell(cell, name) for cell in book.cells]
    if is_navigation(book.cells[-1].source):
        del book.cells[-1]
    book.metadata.language_info = dict(name="python", pygments_lexer="python3")
    return book


def hidden(entries, caption=""):
    "A table of contents that only the theme shows."
    listed = "\n".join(entries)
    return (
        f"```{{toctree}}\n:hidden:\n{f':caption: {caption}' if caption else ''}\n\n"
        f"{listed}\n```\n"
    )


# The path of the book, and the floors


def parts():
    """The headings of the two pages that list notebooks, with these, and at the end the
    notebooks that no list has yet.
    """
    text = listing()
    marks = re.compile(rf"^## (.+)$|^\*\*(.+?)\.?\*\*|{ROW.pattern}", re.MULTILINE)
    found, heading = {}, ""
    for mark in marks.finditer(text):
        if mark[4]:
            found.setdefault(heading, []).append(mark[4])
        else:
            heading = mark[1] or mark[2]
    known = {path for path, _, _ in chapters()}
    late = [path for path in all_paths() if path not in known]
    return found | ({"New chapters": late} if late else {})


def linked(path):
    "A line of a list: a chapter and its summary."
    name, summary = title(path)
    return f"- [{name}](/{path}.ipynb): {summary}"


def part_page(heading, paths):
    return (
        f"# {heading}\n\n"
        + "\n".join(map(linked, paths))
        + "\n\n"
        + hidden(f"/{path}" for path in paths)
    )


def floors_page():
    "A table of contents for each floor of the house."
    by_floor = {floor: [] for floor in FLOORS}
    for path in all_paths():
        by_floor[path.rpartition("/")[0]].append(path)
    lists = [
        f"## {FLOORS[floor]}\n\n" + "\n".join(map(linked, paths))
        for floor, paths in by_floor.items()
        if paths
    ]
    return (
        (
            "# Floors\n\nEach package is a floor of a house: its modules use what is "
            "below them, and nothing above. Each module has its notebook in the "
            "folder of the package.\n\n"
        )
        + "\n\n".join(lists)
        + "\n"
    )


# The reference


def one_line(text):
    return re.sub(r"\s+", " ", text).strip()


def field_list(heading, listed):
    "Parameters, attributes or results as a list of definitions."

    def line(each):
        name = f"**`{each.name}`** " if each.name else ""
        kind = f"(`{each.kind}`) " if each.kind else ""
        return f"- {name}{kind}{one_line(each.text)}"

    return f"**{heading}**\n\n" + "\n".join(map(line, listed))


def section(heading, body):
    if isinstance(body, list):
        return field_list(heading, body)
    return (
        f"**{heading}**\n\n```python\n{body}\n```"
        if heading == "Examples"
        else f"**{heading}**\n\n{body}"
    )


def defined_in(chapter):
    return f"Defined in [{title(chapter)[0]}](/{chapter}.ipynb)."


def entry(item, kind, name, fence):
    "A function, class or method as a directive of Sphinx."
    inner = [item.text, *(section(*each) for each in item.sections.items())]
    inner += [
        entry(member, "method", member.name, fence[:-1]) for member in item.members
    ]
    body = "\n\n".join(part for part in inner if part)
    return f"{fence}{{py:{kind}}} {name}{item.signature}\n\n{body}\n{fence}"


def module_page(module, bases):
    "The reference page of a module."
    named = [
        entry(item, "class" if item.is_class else "function", item.name, "`" * 6)
        for item in documented(module, bases)
    ]
    named += [f"```{{py:data}} {name}\n```" for name in constants(module)]
    summary = module.text.split('"""')[1]
    return (
        (
            f"# {module.name.removeprefix('kmodes_study.')}\n\n{summary} "
            f"{defined_in(module.chapter)}\n\n```{{py:module}} {module.name}\n```\n\n"
        )
        + "\n\n".join(named)
        + "\n"
    )


def names_of(module):
    "A line of the list of all names: a module, and links to what it offers."
    links = ", ".join(
        f"{{py:obj}}`{name} <{module.name}.{name}>`" for name in module.public
    )
    return f"- [{short_name(module)}](/api/{module.name}.md): {links}"


def short_name(module):
    return module.name.removeprefix("kmodes_study.")


# What a user does, in the order in which it is done, and the modules for it; a package
# stands for those of its modules that are not named before it.
TASKS = {
    "Cluster a table": "cluster.estimator core.codes cluster.saved",
    "Look at a table first": "core.diagnosis describe.kinds_of_columns core.checks",
    "Numbers and names, and other clusterers": (
        "family.kprototypes family.latent_classes family.fuzzy "
        "family.rock_clustering family.pkmeans family.bisecting family.trees family"
    ),
    "Choose the number of clusters": (
        "describe.choice_of_k describe.description_length"
    ),
    "Describe clusters in words and pictures": (
        "describe.profiles describe.words describe.embedding describe.cluster_plots describe"
    ),
    "Compare labels, judge a clustering": (
        "measures.pair_counting measures.information measures.contingency "
        "measures.assignment measures.silhouette measures"
    ),
    "Load data": "data.loaders data.computed data.synthetic data",
    "Tables larger than memory": "storage cluster.blocks cluster.sampled",
    "From the package kmodes": "compat",
    "Prove an optimum": "exact",
    "Starts, algorithms and their parts": (
        "cluster.starts.basic cluster.starts cluster.algorithms.lloyd "
        "cluster.algorithms cluster.modes cluster.dissimilarity cluster"
    ),
    "Experiments": (
        "study.experiments study.outputs study.store study.exchange study.runs "
        "study.compare study.paired study.contest study"
    ),
    "The command line": "command",
    "The definitions, plainly": "plain",
}


def by_task(offering):
    "The modules that offer names, task by task; each is in one task."
    left = {short_name(module): module for module in offering}
    # a module is where it is named; else where its package is
    named = {word for words in TASKS.values() for word in words.split()}
    tasks = {}
    for task, words in TASKS.items():
        tasks[task] = []
        for word in words.split():
            found = [name for name in left if name == word]
            found = found or [
                name
                for name in left
                if name.startswith(f"{word}.") and name not in named
            ]
            tasks[task] += [left.pop(name) for name in found]
    assert not left, f"no task in site/stage.py has {', '.join(left)}"
    return tasks


def reference_pages():
    """The reference: a page for each module, and one that lists all names, task by
    task.
    """
    bases = private_classes()
    offering = [module for module in modules() if module.public]
    pages = {f"api/{module.name}.md": module_page(module, bases) for module in offering}
    tasks = by_task(offering)
    lists = [
        f"## {task}\n\n" + "\n".join(map(names_of, found))
        for task, found in tasks.items()
    ]
    short = [
        f"{short_name(module)} <{module.name}>"
        for found in tasks.values()
        for module in found
    ]
    pages["api/index.md"] = (
        "# Reference\n\nEvery public name, by what it is for and by the module that "
        "offers it. What most people need is there under a short name too: "
        "`from kmodes_study import KModes, KPrototypes, CategoryEncoder, encode, "
        "decode, diagnose, load`.\n\n" + "\n\n".join(lists) + "\n\n" + hidden(short)
    )
    return pages


# The figures, and the references


def figures(path):
    "The pictures of a notebook."
    return [b64decode(each) for cell in read(path).cells for each in pictures(cell)]


def gallery(paths):
    """The gallery page and its pictures: each chapter's figures, which lead to the
    chapter.
    """
    pages, blocks = {}, []
    for path in paths:
        name, pictures = title(path)[0], figures(path)
        if not pictures:
            continue
        blocks.append(f"## {name}\n")
        for number, picture in enumerate(pictures, 1):
            file = f"gallery/{path.replace('/', '_')}_{number}.png"
            pages[file] = picture
            blocks.append(
                f"[![Figure {number} of the chapter {name}](/{file})](/{path}.ipynb)"
            )
        blocks.append("")
    pages["gallery.md"] = (
        "---\nnosearch: true\n---\n\n# Gallery\n\nThe figures of all chapters. Each "
        "leads to its chapter.\n\n"
    ) + "\n".join(blocks)
    return pages


ADDRESS = re.compile(
    r"https?://(?:doi\.org|arxiv\.org/abs)/[\w/:-]+(?:\.\w[\w/:-]*|\(\w+\)[\w/:-]*)*"
)


def prose(path):
    return "\n".join(
        cell.source for cell in read(path).cells if cell.cell_type == "markdown"
    )


def cites(text, entry):
    """Whether a text names the first author and the year of an entry, or one of its
    addresses.
    """
    author, year = re.match(r"- ([\w-]+).*?\((\d{4})\)", entry).groups()
    return re.search(rf"\b{author}\b[^.;|]{{0,60}}\b{year}\b", text) is not None or any(
        address in text for address in ADDRESS.findall(entry)
    )


def bibliography(paths):
    "The references, each with the chapters that cite it."
    entries = (
        (ROOT / "site" / "bibliography.md")
        .read_text(encoding="utf-8")
        .strip()
        .splitlines()
    )
    texts, lines = {path: prose(path) for path in paths}, []
    for entry in entries:
        links = [
            f"[{title(path)[0]}](/{path}.ipynb)"
            for path, text in texts.items()
            if cites(text, entry)
        ]
        lines.append(entry + (f" Cited in {', '.join(links)}." if links else ""))
    return (
        "# Bibliography\n\nThe literature of all chapters, and where it is cited.\n\n"
        + "\n".join(lines)
        + "\n"
    )


def contributing():
    "The page for those who work on this; its notebooks are pages here."
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return text.replace("](nbs/", "](/")


# What the head of each page leads to, with the name that it has there
YOUR_TABLE = "describe/your_table"
FIRST = {"The book": "Book", "How-to": "How-to", "Results": "Results"}


def pages():
    "All pages of the site: path and content, text or bytes."
    order = [path for paths in parts().values() for path in paths]
    made = {f"{path}.ipynb": nbformat.writes(staged(path)) for path in order}
    front = staged("index")
    names = {
        heading: re.sub(r"\W+", "-", heading.lower()).strip("-") for heading in parts()
    }
    for heading, paths in parts().items():
        # this page has a place of its own at the top
        listed = [path for path in paths if path != YOUR_TABLE]
        made[f"parts/{names[heading]}.md"] = part_page(heading, listed)
    first = [heading for heading in FIRST if heading in names]
    more = [heading for heading in names if heading not in first]
    contents = [
        f"Your table <{YOUR_TABLE}>",
        *[f"{FIRST[heading]} <parts/{names[heading]}>" for heading in first],
        "api/index",
        "gallery",
        "Notebooks <more>",
        "floors",
        "bibliography",
        "contributing",
    ]
    made["contents.ipynb"] = nbformat.writes(staged("contents"))
    made["more.md"] = (
        "# Notebooks\n\n[All notebooks](/contents.ipynb) on one page, or part by part:\n\n"
        + "\n".join(f"- [{name}](/parts/{names[name]}.md)" for name in more)
        + "\n\n"
        + hidden(["contents", *[f"parts/{names[heading]}" for heading in more]])
    )
    front.cells.append(nbformat.v4.new_markdown_cell(hidden(contents), id="contents"))
    for cell in front.cells:
        cell.source = cell.source.replace("(../CONTRIBUTING.md)", "(/contributing.md)")
    made["index.ipynb"] = nbformat.writes(front)
    made["contributing.md"] = contributing()
    made |= {file.name: file.read_bytes() for file in NOTEBOOKS.glob("*.svg")}
    made["floors.md"], made["bibliography.md"] = floors_page(), bibliography(order)
    return made | reference_pages() | gallery(order)


def stage(folder):
    """Write the pages into a folder; files that have not changed stay, those that are
    no page any more go.
    """
    made = pages()
    for file in [file for file in folder.rglob("*") if file.is_file()]:
        if file.relative_to(folder).as_posix() not in made:
            file.unlink()
    for name, content in made.items():
        file = folder / name
        content = content.encode() if isinstance(content, str) else content
        if file.exists() and file.read_bytes() == content:
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
