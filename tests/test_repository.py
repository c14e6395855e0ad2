"""The shape of the repository: notebooks and package in step, the notebook style, what
may be committed.
"""

import ast
import io
import os
import re
import shutil
import subprocess
import sys
import tokenize
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CORE = [
    "extras",
    "checks",
    "stored",
    "jit",
    "tables",
    "features",
    "kinds",
    "levels",
    "scales",
    "diagnosis",
    "codes",
    "model_files",
    "labels",
    "kernels",
    "rows",
]
FLOORS = [
    "plain",
    *(f"core.{name}" for name in CORE),
    "measures",
    "data",
    "storage",
    "cluster",
    "exact",
    "family",
    "describe",
    "study",
    "command",
    "compat",
]


@cache
def tracked():
    "Paths of all files in git, or all in the folder when this is no clone."
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        return [p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*") if p.is_file()]
    return [line for line in listed.stdout.splitlines() if (ROOT / line).exists()]


NOTEBOOKS = [path for path in tracked() if path.endswith(".ipynb")]
# the folders of the chapters, beside the book
ROOMS = {floor.partition(".")[0] for floor in FLOORS}
CHAPTERS = [
    path
    for path in NOTEBOOKS
    if path.startswith("nbs/") and path.split("/")[1] in {*ROOMS, "book"}
]
MODULES = [
    path
    for path in tracked()
    if path.startswith("kmodes_study/") and path.endswith(".py")
]


@cache
def book(path):
    return nbformat.read(ROOT / path, as_version=4)


def code_cells(path):
    return [cell for cell in book(path).cells if cell.cell_type == "code"]


def exported(path):
    return [cell for cell in code_cells(path) if re.match(r"#\|\s*export", cell.source)]


@pytest.fixture(scope="module")
def exported_anew(tmp_path_factory):
    "A copy of the project on which nbdev_clean and nbdev_export have been run."
    copy = tmp_path_factory.mktemp("copy")
    for path in tracked():
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, copy / path)
    for command in "nbdev_clean", "nbdev_export":
        done = subprocess.run([BIN / command], cwd=copy, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return copy


def test_there_are_notebooks():
    assert len(CHAPTERS) >= 15
    assert len(MODULES) >= 20


@pytest.mark.parametrize("kind", ["kmodes_study", "nbs"])
def test_notebooks_and_package_in_step(exported_anew, kind):
    files = lambda root: {
        p.relative_to(root).as_posix(): p.read_text(encoding="utf-8")
        for p in (root / kind).rglob("*")
        if p.suffix in (".py", ".ipynb") and ".ipynb_checkpoints" not in p.parts
    }
    here, there = files(ROOT), files(exported_anew)
    assert sorted(here) == sorted(there)
    assert [name for name in here if here[name] != there[name]] == [], "run make export"


def test_readme_is_rendered_from_index(tmp_path):
    command = [
        "make",
        "--silent",
        "--old-file=.venv/ready",
        "readme",
        f"BIN={BIN}",
        f"README={tmp_path}/README.md",
    ]
    subprocess.run(command, cwd=ROOT, check=True)
    assert (tmp_path / "README.md").read_text() == (ROOT / "README.md").read_text(), (
        "run make readme"
    )


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_notebook_is_executed_small_and_without_errors(path):
    assert (ROOT / path).stat().st_size < 700_000
    ids = [cell.id for cell in book(path).cells]
    assert len(ids) == len(set(ids))
    outputs = [output for cell in code_cells(path) for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]


# chapters of the book whose module has a shorter name
SHORTER = {"modes_and_cost": "modes", "kprototypes": "prototypes"}
# the last chapters of the book define nothing
WITHOUT_MODULE = ["nbs/book/13_paper_of_2020.ipynb", "nbs/book/14_answers.ipynb"]


@pytest.mark.parametrize("path", CHAPTERS)
def test_chapter_head(path):
    cells = [cell for cell in book(path).cells]
    if path in WITHOUT_MODULE:
        assert cells[0].source.startswith(("#| hide", "# ")), (
            "the first cell makes none"
        )
    else:
        module = re.fullmatch(r"#\| default_exp ([\w.]+)", cells[0].source.strip())
        assert module, "the first cell names the module"
        place = re.sub(r"^nbs/|\d\d_|\.ipynb$", "", path)
        if place.startswith("book/"):
            name = place.removeprefix("book/")
            place = f"plain/{SHORTER.get(name, name)}"
        assert module[1] == place.replace("/", "."), "the module stands at its chapter"
    assert re.match(r"# .+\n\n> .+", cells[1].source), "then title and summary"


@pytest.mark.parametrize("path", CHAPTERS)
def test_imports_apart_from_code(path):
    for cell in exported(path):
        kinds = {
            isinstance(node, (ast.Import, ast.ImportFrom))
            for node in ast.parse(cell.source).body
        }
        assert len(kinds) <= 1, f"imports share a cell with code: {cell.source[:80]}"


def test_no_cell_is_switched_off():
    cells = [(path, cell.source) for path in NOTEBOOKS for cell in code_cells(path)]
    assert [
        (path, source)
        for path, source in cells
        if re.search(r"#\|\s*eval:\s*false", source)
    ] == []


def test_numba_only_in_jit():
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in MODULES}
    users = [
        path
        for path, text in texts.items()
        if re.search(r"^\s*(import|from) numba\b", text, re.M)
    ]
    assert users == ["kmodes_study/core/jit.py"]


def floor_of(module):
    return next(
        number
        for number, floor in enumerate(FLOORS)
        if f"{module}.".startswith(f"{floor}.")
    )


def name_of(path):
    """The name of a module in the package: `cluster.modes`, or `cluster` for its
    `__init__.py`.
    """
    return ".".join(Path(path).with_suffix("").parts[1:]).removesuffix(".__init__")


# they belong to no floor
DOORS = {"__init__", "__main__", "_modidx", "_old_paths", "core"}


def test_each_module_is_on_a_floor():
    found = {
        next((floor for floor in FLOORS if f"{name}.".startswith(f"{floor}.")), name)
        for name in map(name_of, MODULES)
    }
    assert found - DOORS == set(FLOORS)


def imported_by(text, module):
    """The modules of the package, without its name, that a text imports anywhere, by
    whatever way: `cluster.modes`.
    """
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = (
                f"kmodes_study.{module}".split(".")[: -node.level] if node.level else []
            )
            names = [
                ".".join(filter(None, [*above, node.module, alias.name]))
                for alias in node.names
            ]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
            ("import_module", "__import__")
        ):
            names = [
                value.value for value in node.args if isinstance(value, ast.Constant)
            ]
        else:
            continue
        for name in names:
            whole, _, rest = name.partition(".")
            if (
                whole == "kmodes_study"
                and rest.split(".")[0] in ROOMS
                and rest != "core"
            ):
                yield rest


def upward(text, module):
    "The imports of a module that go to a higher floor."
    return [
        name for name in imported_by(text, module) if floor_of(name) > floor_of(module)
    ]


@pytest.mark.parametrize(
    "line, names",
    [
        ("from ..describe.plots import png", ["describe.plots.png"]),
        ("from .modes import cost", ["cluster.modes.cost"]),
        ("from kmodes_study.describe import k_scan", ["describe.k_scan"]),
        ("from .. import study", ["study"]),
        ("import kmodes_study.command.cli as c, numpy.random", ["command.cli"]),
        ("import kmodes_study", []),
        ("from kmodes_study import describe, KModes", ["describe"]),
        ("import numpy.study", []),
        (
            "def f():\n    if f: from kmodes_study.family.mixed import x",
            ["family.mixed.x"],
        ),
        ("import_module('kmodes_study.describe.saved')", ["describe.saved"]),
        ("f('kmodes_study.describe')", []),
        ("importlib.import_module('kmodes_study.compat')", ["compat"]),
        ("from ..core.codes import *", ["core.codes.*"]),
        ("from ..core import codes", ["core.codes"]),
    ],
)
def test_imports_are_seen_in_each_form(line, names):
    assert list(imported_by(line, "cluster.estimator")) == names
    assert upward(line, "cluster.estimator") == [
        name for name in names if not name.startswith(("cluster", "core"))
    ]


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if not path.endswith(("__init__.py", "_modidx.py"))],
)
def test_floors_import_downwards_only(path):
    module = name_of(path)
    if module in DOORS:
        return
    assert upward((ROOT / path).read_text(encoding="utf-8"), module) == []


PLACES = {
    name_of(path): path
    for path in MODULES
    if Path(path).stem not in DOORS and name_of(path) not in DOORS
}


def modules_behind(name):
    """The modules from which an imported name may come: the one that it begins with, or
    all of its package.
    """
    begins = [module for module in PLACES if f"{name}.".startswith(f"{module}.")]
    package = (
        name
        if any(module.startswith(f"{name}.") for module in PLACES)
        else name.rpartition(".")[0]
    )
    return begins or [module for module in PLACES if module.startswith(f"{package}.")]


def circle(needs):
    "Modules that need each other in a circle, as a list, or nothing."
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return error.args[1]


def test_circles_are_seen():
    assert circle(dict(a={"b"}, b={"c"}, c=set())) is None
    assert sorted(set(circle(dict(a={"b"}, b={"c"}, c={"a"}, d={"a"})))) == [
        "a",
        "b",
        "c",
    ]
    assert modules_behind("cluster.modes.cost") == ["cluster.modes"]
    assert (
        modules_behind("exact.prove_optimum")
        == modules_behind("exact")
        == ["exact.bounds", "exact.optima"]
    )


def test_no_modules_import_each_other_in_a_circle():
    def needed(module, path):
        "The modules that a module imports."
        names = imported_by((ROOT / path).read_text(encoding="utf-8"), module)
        return {behind for name in names for behind in modules_behind(name)}

    needs = {module: needed(module, path) for module, path in PLACES.items()}
    assert circle(needs) is None


NAMES_WITH_SEVERAL_HOMES = 8


def top_level(path):
    "The names that a module defines, and its functions."
    body = ast.parse((ROOT / path).read_text(encoding="utf-8")).body
    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    names = [
        node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    ]
    targets = [
        target
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
    ]
    names += [target.id for target in targets if isinstance(target, ast.Name)]
    return {name for name in names if not name.startswith("__")}, functions


WIDTH, WIDTH_OF_STRINGS = 88, 120
DOCUMENTED = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef


def docstrings(tree):
    "The docstrings of a tree, as nodes."
    return [
        node.body[0]
        for node in ast.walk(tree)
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node)
    ]


def in_strings(text, tree):
    "The numbers of the lines on which there is a string that is no docstring."
    words = {(each.lineno, each.end_lineno) for each in docstrings(tree)}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    kinds = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    spans = [(token.start[0], token.end[0]) for token in tokens if token.type in kinds]
    return {
        row
        for first, last in spans
        if (first, last) not in words
        for row in range(first, last + 1)
    }


def long_lines(text):
    """The numbers of lines that are too long: code, comments and docstrings have 88
    columns; a string that has to be whole (an expression, a row of data, code for
    another process) may have 120.
    """
    over = {
        number: len(line)
        for number, line in enumerate(text.splitlines(), 1)
        if len(line) > WIDTH
    }
    if not over:
        return []
    strings = in_strings(text, ast.parse(text))
    return [
        row
        for row, length in over.items()
        if length > WIDTH_OF_STRINGS or row not in strings
    ]


@pytest.mark.parametrize(
    "text, rows",
    [
        ("a = 1\n", []),
        ("a = 1" + " + 1" * 30, [1]),
        ("# " + "a " * 50, [1]),
        ("f('" + "a " * 40 + "', 11)", []),
        ("f('" + "a " * 70 + "')", [1]),
        ("def f():\n    'It " + "is " * 30 + "'", [2]),
        ("a = '''b\n" + "c " * 45 + "'''\n", []),
    ],
)
def test_a_line_that_is_too_long_is_seen(text, rows):
    assert long_lines(text) == rows


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in tracked()
        if path.endswith((".py", ".ipynb"))
        and (not path.startswith("kmodes_study/") or path.endswith("__.py"))
    ],
)
def test_lines_have_at_most_88_characters(path):
    if path.endswith(".ipynb"):
        texts = {
            cell.id: re.sub(r"^[%!]", "#", cell.source, flags=re.M)
            for cell in code_cells(path)
        }
    else:
        texts = {path: (ROOT / path).read_text(encoding="utf-8")}
    assert {
        name: long_lines(text) for name, text in texts.items() if long_lines(text)
    } == {}


def test_the_form_is_that_of_the_formatter():
    folders = re.search(
        r"^FORMATTED := (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M
    )[1].split()
    done = subprocess.run(
        [BIN / "ruff", "format", "--no-cache", "--check", *folders],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"run make format\n{done.stdout}{done.stderr}"


def names_with_several_homes(paths):
    "The names that several of the modules define, with these modules."
    homes = defaultdict(set)
    for path in paths:
        if not path.endswith(("__init__.py", "_modidx.py")):
            for name in top_level(path)[0]:
                homes[name].add(path)
    return {name: sorted(paths) for name, paths in homes.items() if len(paths) > 1}


def test_each_name_has_one_home():
    """A plain form has the name of what it defines, so the plain forms are looked at on
    their own.
    """
    plain = {path for path in MODULES if path.startswith("kmodes_study/plain/")}
    several = names_with_several_homes(set(MODULES) - plain)
    assert len(several) <= NAMES_WITH_SEVERAL_HOMES, several
    assert names_with_several_homes(plain) == {}


KERNELS = [
    node
    for path in MODULES
    for node in top_level(path)[1]
    if any("kernel" in ast.dump(mark) for mark in node.decorator_list)
]


def test_kernels_take_at_most_12_arguments():
    wide = [node.name for node in KERNELS if len(node.args.args) > 12]
    assert wide == []


def test_kernels_copy_in_loops():
    """numba compiles the text of an error for each slice that takes an array, for
    seconds; a number is harmless.
    """
    filled = [
        (kernel.name, target, node.value)
        for kernel in KERNELS
        for node in ast.walk(kernel)
        if isinstance(node, ast.Assign)
        for target in node.targets
    ]
    slices = [
        (name, ast.unparse(value))
        for name, target, value in filled
        if any(isinstance(part, ast.Slice) for part in ast.walk(target))
    ]
    number = re.compile(r"False|-?\d+|np\.inf|\w+\.shape\[\d\]|\w+\[0\]|\(0, 0\)")
    assert [
        (name, value) for name, value in slices if not number.fullmatch(value)
    ] == []


def size(path):
    "How many cells and words a notebook has, formulas and listings aside."
    text = " ".join(
        cell.source for cell in book(path).cells if cell.cell_type == "markdown"
    )
    return len(book(path).cells), len(
        re.sub(r"\$[^$]*\$|```.*?```", " ", text, flags=re.S).split()
    )


def test_chapters_have_at_most_70_cells_and_3300_words():
    read = set(NOTEBOOKS) - {"nbs/glossary.ipynb"}  # in which words are looked up
    long = {
        path: size(path)
        for path in sorted(read)
        if size(path)[0] > 70 or size(path)[1] > 3300
    }
    assert long == {}


def test_outputs_are_committed():
    silent = [
        path
        for path in NOTEBOOKS
        if code_cells(path) and not any(cell.outputs for cell in code_cells(path))
    ]
    assert silent == [], "readers see outputs on the web"


def test_no_warning_is_committed():
    loud = [
        path
        for path in NOTEBOOKS
        for cell in code_cells(path)
        for output in cell.outputs
        if output.output_type == "stream" and output.name == "stderr"
    ]
    assert loud == [], "readers meet warnings and paths of one machine"


def without_blanks(text):
    return "".join(text.split())


def parsed(cell):
    "The text of a cell as Python, and its tree."
    text = re.sub(r"^[%!]", "#", cell.source, flags=re.M)
    return text, ast.parse(text)


def share_of_prose(path):
    """Characters of prose for each character of the code that a reader sees; docstrings
    count for neither.
    """
    prose = sum(
        len(without_blanks(cell.source))
        for cell in book(path).cells
        if cell.cell_type == "markdown"
    )
    code = 0
    for cell in code_cells(path):
        if re.match(r"#\|\s*hide", cell.source):
            continue
        text, tree = parsed(cell)
        told = [ast.get_source_segment(text, each) for each in docstrings(tree)]
        code += len(without_blanks(text)) - sum(
            len(without_blanks(each)) for each in told
        )
    return prose / max(code, 1)


def test_chapters_are_prose():
    bare = {
        path: round(share_of_prose(path), 2)
        for path in CHAPTERS
        if share_of_prose(path) < 0.4
    }
    assert bare == {}


def size_of(text, node):
    """How many statements and lines of code a definition has; docstrings and empty
    lines aside.
    """
    words = {
        row
        for each in docstrings(node)
        for row in range(each.lineno, each.end_lineno + 1)
    }
    rows = [
        row
        for row, line in enumerate(text.splitlines(), 1)
        if node.lineno <= row <= node.end_lineno and line.strip() and row not in words
    ]
    statements = (
        sum(isinstance(part, ast.stmt) for part in ast.walk(node))
        - 1
        - len(docstrings(node))
    )
    return statements, len(rows)


def functions_of(path):
    "The functions and methods in the exported cells of a chapter, with their sizes."
    for text, tree in map(parsed, exported(path)):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                yield node.name, size_of(text, node)


def test_functions_are_short():
    """The formatter gives each argument a line where they do not fit into one: so
    statements are what counts first.
    """
    long = {
        (path, name): sizes
        for path in CHAPTERS
        for name, sizes in functions_of(path)
        if sizes[0] > 45 or sizes[1] > 60
    }
    assert long == {}


def lines_of(cell):
    """How many lines of code a cell has beside its classes; docstrings, comments and
    empty lines aside.
    """
    text, tree = parsed(cell)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    aside = {
        row
        for each in [*docstrings(tree), *classes]
        for row in range(each.lineno, each.end_lineno + 1)
    }
    return sum(
        not re.match(r"\s*(#|$)", line) and row not in aside
        for row, line in enumerate(text.splitlines(), 1)
    )


def test_cells_are_short():
    """What a reader takes in at once; a class stands in one piece, and its methods are
    short.
    """
    long = {
        (path, cell.id): lines_of(cell)
        for path in CHAPTERS
        for cell in exported(path)
        if lines_of(cell) > 80
    }
    assert long == {}


def head_is_whole(path):
    title, empty, summary, *more = book(path).cells[1].source.splitlines()
    return (
        empty == ""
        and summary.endswith(".")
        and not any(line.startswith("> ") for line in more)
    )


def test_summaries_are_one_sentence_on_one_line():
    cut = [path for path in CHAPTERS if not head_is_whole(path)]
    assert cut == []


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_no_list_in_the_cell_of_the_title_reads_as_front_matter(path):
    head = next(
        cell.source for cell in book(path).cells if cell.source.startswith("# ")
    )
    assert not re.search(r"^-\s+(\S.*:.*\S)\s*$", head, re.M), (
        "nbdev reads it: put the list into a cell of its own"
    )


def test_modules_have_whole_docstrings():
    texts = {
        path: ast.get_docstring(ast.parse((ROOT / path).read_text(encoding="utf-8")))
        or ""
        for path in MODULES
    }
    first = {
        path: text.split("\n\n")[0]
        for path, text in texts.items()
        if not path.endswith("_modidx.py")
    }
    cut = [path for path, text in first.items() if not text.endswith(".")]
    assert cut == []


def test_nothing_about_a_machine():
    paths = [
        path
        for path in tracked()
        if not path.endswith((".png", ".xz", ".lock", "test_repository.py"))
    ]
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in paths}
    place = re.compile(r"/root/|/home/\w|/work/(main|shared)|/scratch|/tmp/\w+ipy")
    assert {
        path: place.findall(text) for path, text in texts.items() if place.search(text)
    } == {}


def test_no_data_file_is_committed():
    assert not [
        path for path in tracked() if re.search(r"\.(data|test|gz|Z|csv|sqlite)$", path)
    ]


def test_import_is_light():
    code = (
        "import sys, kmodes_study; print({'matplotlib', 'seaborn', 'sklearn', "
        "'numba'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ
    )
    assert done.stdout.strip() == "set()", done.stdout + done.stderr


def test_the_front_door_shows_what_there_is_and_no_helper():
    import kmodes_study as ks

    assert {
        "KModes",
        "KPrototypes",
        "encode",
        "load",
        "load_mushroom",
        "measures",
        "__version__",
    } <= set(dir(ks))
    for name in dir(ks):
        assert not name.startswith("_") or name == "__version__", name
    for name in dir(ks):
        assert getattr(ks, name) is not None
    for name in "Kmodes", "load_mushrom", "measure":
        with pytest.raises(AttributeError, match=f"kmodes_study.*{name}"):
            getattr(ks, name)


def test_a_slip_in_a_name_is_met_with_a_suggestion():
    code = "import kmodes_study as ks\nks.load_mushrom"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.count("Did you mean: 'load_mushroom'?") == 1


@pytest.mark.parametrize(
    "asked, home",
    [
        ("k_scan", "it is kmodes_study.describe.k_scan"),
        ("plot_modes", "it is kmodes_study.describe.plot_modes"),
        ("cluster.cluster_profiles", "it is kmodes_study.describe.cluster_profiles"),
        ("silhouette_score", "it is kmodes_study.measures.silhouette_score"),
        ("check_option", "it is kmodes_study.core.checks.check_option"),
        ("run_grid", "it is kmodes_study.study.runs.run_grid"),
        ("choice_of_k", "import kmodes_study.describe.choice_of_k"),
        ("load_mushrom", "Did you mean: 'load_mushroom'?"),
        ("plot_profil", "Did you mean: 'describe.plot_profile'?"),
        ("describe.KModes", "it is kmodes_study.cluster.KModes"),
        ("describe.k_scna", "Did you mean: 'k_scan'?"),
        ("nothing_of_this_kind", "'nothing_of_this_kind'"),
    ],
)
def test_a_name_that_is_elsewhere_is_refused_with_its_place(asked, home):
    package, _, name = f"kmodes_study.{asked}".rpartition(".")
    with pytest.raises(AttributeError) as refused:
        getattr(import_module(package), name)
    assert re.search(rf"{re.escape(home)}($| or )", str(refused.value))


def test_a_name_that_has_moved_works_with_a_warning():
    from kmodes_study import cluster, describe

    for name in "save_model", "load_model":
        with pytest.warns(
            DeprecationWarning,
            match=f"kmodes_study.describe.{name} is now kmodes_study.cluster.{name}",
        ):
            assert getattr(describe, name) is getattr(cluster, name)


# those that offer the names of their modules
PACKAGES = [
    "cluster",
    "cluster.starts",
    "data",
    "describe",
    "exact",
    "family",
    "measures",
    "storage",
]


# the modules that chapters make
INDEX = import_module("kmodes_study._modidx").d["syms"]


def test_a_name_is_a_module_or_what_a_module_offers():
    for package in PACKAGES:
        within = [
            name for name in map(name_of, MODULES) if name.startswith(f"{package}.")
        ]
        modules = {
            name.removeprefix(f"{package}.").partition(".")[0] for name in within
        }
        offered = {
            name
            for module in within
            for name in getattr(import_module(f"kmodes_study.{module}"), "__all__", ())
            if f"kmodes_study.{module}" in INDEX
        }
        assert modules, package
        assert offered, package
        assert offered & modules == set(), package


def test_an_algorithm_is_a_function_of_cluster_and_a_module_of_algorithms():
    "`cluster.lloyd` is the function, whatever was imported before it."
    code = (
        "import kmodes_study.cluster.algorithms.lloyd as module, "
        "kmodes_study.cluster.algorithms.huang\nfrom kmodes_study import cluster\n"
        "assert cluster.lloyd is module.lloyd and callable(cluster.lloyd) and "
        "callable(cluster.huang)\nfrom kmodes_study.cluster.algorithms import lloyd\n"
        "assert lloyd is module and lloyd is not cluster.lloyd"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr


FRESH = """
import importlib, sys, types
from pathlib import Path

def fresh():
    for name in [name for name in sys.modules if name.startswith("kmodes_study")]: del sys.modules[name]

def names_of(package):
    from kmodes_study._modidx import d
    names = [(module, name.removeprefix(module + ".")) for module, names in d["syms"].items() for name in names
             if module.startswith(f"kmodes_study.{package}.")]
    return [(module, name) for module, name in names if "." not in name and name[0] != "_"]

def modules_of(package): return sorted({module for module, _ in names_of(package)})

def come_out(package):
    for home, name in names_of(package):
        if name not in importlib.import_module(home).__all__: continue
        space = {}
        exec(f"from kmodes_study.{package} import {name}", space)
        assert not isinstance(space[name], types.ModuleType), f"{name} of {package} is a module"

for package in PACKAGES:
    fresh()
    for module in modules_of(package): exec(f"import {module}")
    come_out(package)
    fresh()
    for _, name in names_of(package): getattr(importlib.import_module(f"kmodes_study.{package}"), name, None)
    for module in modules_of(package): exec(f"import {module}")
    come_out(package)
"""


def test_names_of_packages_are_what_they_say_in_each_order_of_imports():
    code = FRESH.replace("PACKAGES", repr(PACKAGES))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
