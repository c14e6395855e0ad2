"""The pages of the site: the notebooks as they are stored, and pages made of the
package and the figures.
"""

import configparser
import re
import sys
from base64 import b64decode
from io import BytesIO
from textwrap import wrap

import nbformat
from PIL import Image

from reference import ROOT, constants, documented, home, modules, private_classes

sys.path.append(str(ROOT / "tests"))
from navigation import (  # noqa: E402
    LISTS,
    NOTEBOOKS,
    ROW,
    chapters,
    is_navigation,
    lines,
    listing,
    numbers,
)

settings = configparser.ConfigParser(delimiters=["="])
settings.read(ROOT / "settings.ini")
SOURCES = f"{settings['DEFAULT']['git_url']}/blob/{settings['DEFAULT']['branch']}"

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


def numbered(path):
    "The title of a notebook, with its number where it is a chapter of the book."
    number = numbers().get(path)
    return f"{number}. {title(path)[0]}" if number else title(path)[0]


# What becomes of a notebook


def pictures(cell):
    "The pictures that a cell shows: the ending of a file, and its bytes."
    found = []
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if "image/svg+xml" in data:
            found.append(("svg", data["image/svg+xml"].encode()))
        elif "image/png" in data:
            found.append(("png", b64decode(data["image/png"])))
    return found


# A page has room for so many letters of an output.
LETTERS = 100


def in_page(text):
    "A text with long sentences broken into lines; tables stay as they are."
    lines = []
    for line in text.splitlines():
        is_sentence = len(line) > LETTERS and "  " not in line.strip()
        parts = wrap(line, LETTERS, subsequent_indent="    ") if is_sentence else [line]
        lines += parts
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "")


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
    for output in cell.outputs:
        if output.output_type == "stream":
            output.text = in_page(output.text)
    return cell


# What people type into a search, and the page that is to be found first for it
ASKED = {
    "howto/missing_values": (
        "missing values, missing data, missing, NaN, NA, gaps, empty cells, null, "
        "handle missing values, impute"
    ),
    "howto/choose_k": (
        "choosing k, choose k, how many clusters, number of clusters, best k, "
        "choosing the number of clusters, optimal number of clusters, elbow, elbow method, n_clusters, select k"
    ),
    "howto/mixed_tables": (
        "mixed tables, mixed table, mixed data, mixed types, numbers and categories, "
        "numeric and categorical, numerical and categorical data"
    ),
    "howto/large_tables": (
        "large tables, large table, large data, big data, out of memory, "
        "larger than memory, many rows, millions of rows, speed"
    ),
    "howto/weights": (
        "weights, weight, sample weights, row weights, column weights, "
        "feature weights, weighted, weighted rows"
    ),
    "howto/surveys": "surveys, survey, survey data, respondents, survey weights",
    "howto/questionnaire": "questionnaire, questionnaires, Likert, likert scale",
    "howto/from_kmodes": (
        "from kmodes, kmodes package, migrate from kmodes, nicodv kmodes, "
        "move from kmodes"
    ),
    "howto/from_clustmixtype": (
        "clustMixType, from R's clustMixType, from clustMixType, kproto, R, from R, "
        "R package"
    ),
    "howto/own_experiment": "own experiment, experiment, custom init, own start",
    "describe/your_table": "your table, own table, CSV, own data, getting started",
    "api/kmodes_study.cluster.estimator": "KModes",
    "api/kmodes_study.family.kprototypes": "KPrototypes",
}


def asked(path):
    return ASKED[path].split(", ") if path in ASKED else []


def index_entries(path):
    """The words for which the search shows a page before others, as main entries of the
    index.
    """
    if path not in ASKED:
        return ""
    words = ", ".join(f"! {word}" for word in asked(path))
    return f"```{{index}} {words}\n```\n\n"


def about(path):
    """A line under the title: what the page needs, its file, and the module that it
    makes.
    """
    folder = "../" * path.count("/")
    needs = lines().get(path, "").partition("Needs: ")[2]
    parts = [f"Needs: {needs}"] if needs else []
    parts.append(
        f"Notebook: {{download}}`file </files/{path}.ipynb>`, "
        f"[source]({SOURCES}/nbs/{path}.ipynb)"
    )
    made = [module for module in modules() if module.chapter == path]
    for module in made:
        name = module.name
        shown = f"[`{name}`]({folder}api/{name}.md)" if module.public else f"`{name}`"
        file = module.path.relative_to(ROOT).as_posix()
        parts.append(f"Module: {shown}, [source]({SOURCES}/{file})")
    return "```{container} about\n" + " · ".join(parts) + "\n```"


def headed(source, path):
    """The first text of a page: the number of the chapter, and the line about the page
    where notebooks have one that leads on.
    """
    source = source.replace(f"# {title(path)[0]}", f"# {numbered(path)}", 1)
    parts = [part for part in source.split("\n\n") if not is_navigation(part)]
    parts.insert(2, index_entries(path) + about(path))
    return "\n\n".join(parts)


def staged(path):
    """A notebook as a page: no directives, and no navigation lines, where the theme has
    its own.
    """
    book, (name, _) = read(path), title(path)
    book.cells = [staged_cell(cell, name) for cell in book.cells]
    if is_navigation(book.cells[-1].source):
        del book.cells[-1]
    if path not in LISTS:
        head = next(
            cell
            for cell in book.cells
            if cell.cell_type == "markdown" and cell.source.startswith("# ")
        )
        head.source = headed(head.source, path)
    book.metadata.language_info = dict(name="python", pygments_lexer="python3")
    if path in ASKED:
        # words of a question that the page itself does not have
        words = {"handle", "deal", *" ".join(asked(path)).split()}
        book.metadata.myst = {"html_meta": {"keywords": ", ".join(sorted(words))}}
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
    plain = [path for path in late if path.startswith("plain/")]
    new = [path for path in late if path not in plain]
    found[FLOORS["plain"]] = plain
    return found | ({"New chapters": new} if new else {})


def linked(path):
    "A line of a list: a chapter and its summary."
    return f"- [{numbered(path)}](/{path}.ipynb): {title(path)[1]}"


def part_page(heading, paths):
    return (
        f"# {FIRST.get(heading, heading)}\n\n"
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
    return f"Defined in [{numbered(chapter)}](/{chapter}.ipynb)."


def entry(item, kind, name, fence):
    """A function, class or method as a directive of Sphinx, under the shortest name by
    which it is imported.
    """
    short = home(name, item.module) if kind != "method" else item.module
    options = (
        f":module: {short}\n:canonical: {item.module}.{name}\n"
        if short != item.module
        else ""
    )
    inner = [item.text, *(section(*each) for each in item.sections.items())]
    inner += [
        entry(member, "method", member.name, fence[:-1]) for member in item.members
    ]
    body = "\n\n".join(part for part in inner if part)
    return f"{fence}{{py:{kind}}} {name}{item.signature}\n{options}\n{body}\n{fence}"


def module_page(module, bases):
    "The reference page of a module."
    named = [
        entry(item, "class" if item.is_class else "function", item.name, "`" * 6)
        for item in documented(module, bases)
    ]
    named += [
        f"```{{py:data}} {name}\n:module: {home(name, module.name)}\n```"
        for name in constants(module)
    ]
    summary = module.text.split('"""')[1]
    return (
        (
            f"# {module.name.removeprefix('kmodes_study.')}\n\n{summary} "
            f"{defined_in(module.chapter)}\n\n{index_entries(f'api/{module.name}')}"
            f"```{{py:module}} {module.name}\n```\n\n"
        )
        + "\n\n".join(named)
        + "\n"
    )


def names_of(module):
    "A line of the list of all names: a module, and links to what it offers."
    links = ", ".join(
        f"{{py:obj}}`{name} <{home(name, module.name)}.{name}>`"
        for name in module.public
    )
    return f"- [{short_name(module)}](/api/{module.name}.md): {links}"


def short_name(module):
    return module.name.removeprefix("kmodes_study.")


# What a user does, in the order in which it is done, and the modules for it; a package
# stands for those of its modules that are not named before it.
TASKS = {
    "Cluster a table": "cluster.estimator core.codes cluster.saved",
    "Look at a table first": (
        "core.diagnosis describe.kinds_of_columns data.questionnaires core.checks"
    ),
    "Numbers and names, and other clusterers": (
        "family.kprototypes family.spreads family.prototypes family.latent_classes "
        "family.fuzzy family.rock_clustering family.neighbours family.bisecting "
        "family.trees family.segmentation family"
    ),
    "Choose the number of clusters": (
        "describe.choice_of_k describe.description_length"
    ),
    "Describe clusters in words and pictures": (
        "describe.words describe.profiles describe.stability describe.cluster_plots "
        "describe.column_plots describe.embedding describe.mixed_plane describe"
    ),
    "Compare labels, judge a clustering": (
        "measures.pair_counting measures.information measures.contingency "
        "measures.assignment measures.silhouette measures"
    ),
    "Load data": "data.loaders data.sets data.files data.synthetic data",
    "Tables larger than memory": "storage cluster.blocks",
    "From the package kmodes": "compat",
    "Prove an optimum": "exact",
    "Starts, algorithms and their parts": (
        "cluster.starts.basic cluster.starts cluster.algorithms.lloyd "
        "cluster.algorithms cluster.sampled cluster.modes cluster.dissimilarity cluster"
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


WIDTH = 480  # of a thumbnail, in pixels: two for one of the page


def thumbnail(kind, picture):
    "A picture as the gallery shows it: small, if it is made of pixels."
    if kind == "svg":
        return picture
    image, file = Image.open(BytesIO(picture)).convert("RGB"), BytesIO()
    image.thumbnail((WIDTH, WIDTH))
    image.quantize(64, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def figures(path):
    "The pictures of a notebook."
    return [each for cell in read(path).cells for each in pictures(cell)]


def gallery(listed):
    """The gallery page and its pictures: the figures of the notebooks, part by part,
    small; each leads to its notebook.
    """
    made, blocks = {}, []
    for heading, paths in listed.items():
        shown = []
        for path in paths:
            name = numbered(path)
            for number, (kind, picture) in enumerate(figures(path), 1):
                file = f"gallery/{path.replace('/', '_')}_{number}.{kind}"
                made[file] = thumbnail(kind, picture)
                said = f"Figure {number} of {name.replace('`', '')}"
                shown.append(f"- [![{said}](/{file})](/{path}.ipynb) {name}")
        if shown:
            thumbs = "\n".join(shown)
            blocks.append(f"## {heading}\n\n````{{container}} thumbs\n{thumbs}\n````\n")
    made["gallery.md"] = (
        "---\nnosearch: true\n---\n\n# Gallery\n\nThe figures of all notebooks, small. "
        "Each leads to the page that it is from.\n\n"
    ) + "\n".join(blocks)
    return made


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
            f"[{numbered(path)}](/{path}.ipynb)"
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


def cite():
    """How to cite this: words, and an entry for BibTeX, both made of CITATION.cff. A
    version without a date has the year of the copyright.
    """
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    entry = dict(re.findall(r'^([\w-]+): "?(.+?)"?$', text, re.MULTILINE))
    names = re.findall(r'^  - name: "?(.+?)"?$', text, re.MULTILINE)
    fields = {
        "author": " and ".join(f"{{{name}}}" for name in names),
        "title": f"{{{entry['title']}}}".replace("_", r"\_"),
        "version": entry["version"],
        "url": entry["repository-code"],
    }
    year = entry.get("date-released", settings["DEFAULT"]["copyright"])[:4]
    fields["year"] = year
    listed = "\n".join(f"  {key} = {{{value}}}," for key, value in fields.items())
    title_text = entry["title"].replace("_", r"\_")
    return (
        f"# Cite this\n\n{' and '.join(names)} ({year}). *{title_text}*. Version "
        f"{entry['version']}. <{entry['repository-code']}>\n\n"
        f"```bibtex\n@software{{kmodes_study,\n{listed}\n}}\n```\n\n"
        "Say which version you used: `kmodes_study.__version__`. The file `CITATION.cff` of the "
        "sources has the same for programs that read it.\n\n"
        "Cite the source of a method with it. Each page names its own, and the "
        "[bibliography](/bibliography.md) has all of them.\n"
    )


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
        "Start <self>",
        YOUR_TABLE,
        *[f"parts/{names[heading]}" for heading in ("The book", "How-to")],
        "api/index",
        f"parts/{names['Results']}",
        "gallery",
        "more",
        "glossary",
        "floors",
        "bibliography",
        "cite",
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
        cell.source = cell.source.replace("(../CITATION.cff)", "(/cite.md)")
    made["index.ipynb"] = nbformat.writes(front)
    made["contributing.md"], made["cite.md"] = contributing(), cite()
    for path in order:
        made[f"files/{path}.ipynb"] = (NOTEBOOKS / f"{path}.ipynb").read_bytes()
    made |= {file.name: file.read_bytes() for file in NOTEBOOKS.glob("*.svg")}
    made["floors.md"], made["bibliography.md"] = floors_page(), bibliography(order)
    return made | reference_pages() | gallery(parts())


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
