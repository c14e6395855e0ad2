"""What the modules say of their public names, read from their text and not imported:
signature, parameters, chapter.
"""

import ast
import re
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "kmodes_study"
CHAPTER = re.compile(r"File to edit: (?:\.\./)*nbs/(\S+)\.ipynb")


@dataclass
class Parameter:
    "A parameter, attribute or result: its name, what it may be, and what it means."

    name: str
    kind: str
    text: str


@dataclass
class Documented:
    """A public function or class: where it is, its signature, and what is said of it.

    Attributes
    ----------
    name : str
    module : str
    chapter : str
    signature : str
    text : str
    sections : dict, default={}
        heading: list of Parameter, or text
    members : list, default=[]
        methods of a class
    is_class : bool, default=False
    """

    name: str
    module: str
    chapter: str
    signature: str
    text: str
    sections: dict = field(default_factory=dict)
    members: list = field(default_factory=list)
    is_class: bool = False


@dataclass
class Module:
    "A module: its path in the package, and its text."

    path: Path

    @cached_property
    def text(self):
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self):
        return ast.parse(self.text)

    @property
    def name(self):
        return ".".join(self.path.relative_to(PACKAGE.parent).with_suffix("").parts)

    @property
    def chapter(self):
        found = CHAPTER.search(self.text)
        return found and found[1]

    @cached_property
    def public(self):
        "The names in `__all__`."
        values = [
            node.value
            for node in self.tree.body
            if isinstance(node, ast.Assign)
            and getattr(node.targets[0], "id", "") == "__all__"
        ]
        return ast.literal_eval(values[0]) if values else []


def modules(package=PACKAGE):
    "The modules that come from chapters, in the order of the folders."
    found = [
        Module(path)
        for path in sorted(package.rglob("*.py"))
        if path.name not in ("__init__.py", "_modidx.py")
    ]
    return [module for module in found if module.chapter]


def numpydoc(text):
    """The sections of a docstring by their underlined headings: its own text, lists of
    parameters, or text.
    """
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.MULTILINE)
    return parts[0].strip(), {
        heading: entries(body) if heading in LISTS else body.strip()
        for heading, body in zip(parts[1::2], parts[2::2])
    }


LISTS = "Parameters", "Attributes", "Returns", "Raises"


def entries(body):
    """The entries of a section: a line at the margin, `name : kind`, and indented lines
    of text.
    """
    found = []
    for line in body.strip().splitlines():
        if line.startswith(" "):
            found[-1].text = f"{found[-1].text} {line.strip()}".lstrip()
        elif line:
            name, _, kind = line.partition(" : ")
            found.append(Parameter(name, kind, ""))
    return found


def shown(arguments):
    "Arguments as text, without types, and without `self`."
    bare = ast.parse(f"def f({ast.unparse(arguments)}): 0").body[0].args
    for argument in ast.walk(bare):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    for first in bare.posonlyargs, bare.args:
        if first and first[0].arg in ("self", "cls"):
            del first[0]
    return f"({ast.unparse(bare)})"


def documented_function(module, function):
    "A function with what its docstring says."
    text, sections = numpydoc(ast.get_docstring(function) or "")
    return Documented(
        function.name, module.name, module.chapter, shown(function.args), text, sections
    )


def private_classes():
    """The classes of the package that only its own classes inherit from, by name, each
    with its module.
    """
    return {
        node.name: (module, node)
        for module in modules()
        for node in module.tree.body
        if isinstance(node, ast.ClassDef) and node.name.startswith("_")
    }


def own_methods(module, node, bases):
    "The public methods of a class, its own before those of private bases."
    found = {
        member.name: documented_function(module, member)
        for member in node.body
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_")
    }
    for base in node.bases:
        if getattr(base, "id", "") in bases:
            found = own_methods(*bases[base.id], bases) | found
    return found


def documented_class(module, node, bases):
    """A class: its docstring and that of `__init__`, or its fields, and its public
    methods.
    """
    text, sections = numpydoc(ast.get_docstring(node) or "")
    starts = [
        member for member in node.body if getattr(member, "name", "") == "__init__"
    ]
    fields = [
        Parameter(member.target.id, ast.unparse(member.annotation), "")
        for member in node.body
        if isinstance(member, ast.AnnAssign)
    ]
    made = documented_function(module, starts[0]) if starts else None
    if made:
        sections = {**made.sections, **sections}
    if fields and not sections:
        sections = {"Attributes": fields}
    signature = (
        made.signature
        if made
        else f"({', '.join(each.name for each in fields)})"
        if fields
        else ""
    )
    members = list(own_methods(module, node, bases).values())
    return Documented(
        node.name, module.name, module.chapter, signature, text, sections, members, True
    )


def handed_on(module, node, bases, names):
    """Those of the names that a module imports by this line, as they are documented
    where they are made.
    """
    names = {alias.name for alias in node.names if alias.asname is None} & set(names)
    above = module.name.split(".")[: -node.level] if node.level else []
    source = ".".join([*above, node.module or ""])
    found = []
    for made in modules() if names else []:
        if made.name == source:
            every = documented(made, bases, names)
            found += [replace(item, module=module.name) for item in every]
    return found


def documented(module, bases, names=None):
    """What is public in a module, or has one of these names, in the order of its text;
    constants have a name only.
    """
    names = module.public if names is None else names
    found = []
    for node in module.tree.body:
        if isinstance(node, ast.ImportFrom):
            found += handed_on(module, node, bases, names)
        if getattr(node, "name", None) not in names:
            continue
        if isinstance(node, ast.ClassDef):
            found.append(documented_class(module, node, bases))
        else:
            found.append(documented_function(module, node))
    return found


def constants(module):
    "The public names of a module that are assigned, not defined, and not imported."
    imported = {
        alias.asname or alias.name
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    defined = {getattr(node, "name", "") for node in module.tree.body}
    return [name for name in module.public if name not in imported | defined]


@cache
def offered(package):
    "The modules whose names a package offers, as its `_lazy` lists them."
    file = PACKAGE.parent.joinpath(*package.split(".")) / "__init__.py"
    calls = [
        node
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_lazy"
    ]
    names = [ast.literal_eval(call.args[1]) for call in calls if len(call.args) > 1]
    return {f"{package}.{name}" for listed in names for name in listed}


@cache
def short_list():
    "The names that `import kmodes_study` offers, each with its module."
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    [homes] = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "_HOMES"
    ]
    return {
        name: f"{PACKAGE.name}.{home}" for name, home in ast.literal_eval(homes).items()
    }


def home(name, module):
    "The shortest path from which a user imports a name of a module."
    if short_list().get(name) == module:
        return PACKAGE.name
    package = ".".join(module.split(".")[:2])
    if package == module:
        return module
    # a package within stands for its modules
    found = any(f"{module}.".startswith(f"{each}.") for each in offered(package))
    return package if found else module
