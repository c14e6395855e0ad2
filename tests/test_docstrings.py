"""Docstrings in the form of numpydoc say of parameters what the signature says, and no
comment says it in their place.
"""

import ast
import io
import re
import sys
import tokenize

import pytest

from navigation import NOTEBOOKS

sys.path.append(str(NOTEBOOKS.parent / "site"))
from reference import Module, modules, numpydoc  # noqa: E402

MODULES = {module.name: module for module in modules()}
DEFINITIONS = ast.FunctionDef, ast.ClassDef
HEADINGS = {
    "Parameters",
    "Attributes",
    "Returns",
    "Yields",
    "Raises",
    "Examples",
    "Notes",
    "References",
    "See Also",
}


def definitions(tree):
    "The functions and classes of a tree, each with the class that it is in, or None."
    inside = {
        member: node
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for member in node.body
    }
    return [
        (node, inside.get(node))
        for node in ast.walk(tree)
        if isinstance(node, DEFINITIONS)
    ]


def signature(function):
    """The parameters by their names in a docstring, each with its default as text or
    None; without `self`.
    """
    own = function.args
    positional = [*own.posonlyargs, *own.args]
    pairs = [
        *zip(reversed(positional), reversed(own.defaults)),
        *zip(own.kwonlyargs, own.kw_defaults),
    ]
    defaults = {
        one.arg: ast.unparse(value) for one, value in pairs if value is not None
    }
    known = [
        (one.arg, defaults.get(one.arg))
        for one in positional
        if one.arg not in ("self", "cls")
    ]
    if own.vararg:
        known.append((f"*{own.vararg.arg}", None))
    known += [(one.arg, defaults.get(one.arg)) for one in own.kwonlyargs]
    if own.kwarg:
        known.append((f"**{own.kwarg.arg}", None))
    return dict(known)


def listed(entries):
    "What a section says: names and the text of their defaults, or None."
    said = {}
    for entry in entries:
        default = re.search(r"(?:^|, )default=(.+)$", entry.kind)
        said |= {name: default and default[1] for name in entry.name.split(", ")}
    return said


def own_init(node):
    "The `__init__` of a class, or nothing."
    return next(
        (member for member in node.body if getattr(member, "name", "") == "__init__"),
        None,
    )


def differences(node):
    """Where the section of parameters, or of attributes, is not what the signature, or
    the fields, say.
    """
    sections = numpydoc(ast.get_docstring(node) or "")[1]
    function = own_init(node) if isinstance(node, ast.ClassDef) else node
    said = listed(sections.get("Parameters", []))
    if said and function:
        known = signature(function)
        if {*said} != {*known}:
            yield f"the docstring has {[*said]}, the signature {[*known]}"
        for name in said.keys() & known.keys():
            if said[name] and not same(said[name], known[name]):
                yield (
                    f"the default of {name} is {known[name]}, the docstring has "
                    f"{said[name]}"
                )
    fields = [
        member
        for member in getattr(node, "body", [])
        if isinstance(member, ast.AnnAssign)
    ]
    if "Attributes" in sections and fields and not function:
        names = [field.target.id for field in fields]
        if list(listed(sections["Attributes"])) != names:
            yield f"the fields are {names}"


def same(one, other):
    "Whether two texts of defaults are one value."
    return other is not None and ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))


def badly_underlined(text):
    """The headings of a docstring that are not known, or whose line is longer or
    shorter than they are.
    """
    found = re.findall(r"^(\S.*)\n(-{3,})$", text, re.MULTILINE)
    return [
        heading
        for heading, line in found
        if heading not in HEADINGS or len(heading) != len(line)
    ]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_say_what_signatures_say(name):
    for node, _ in definitions(MODULES[name].tree):
        assert badly_underlined(ast.get_docstring(node) or "") == [], node.name
        assert list(differences(node)) == [], node.name


def comments_in_signatures(text):
    """The functions of a text with a comment between `def` and the docstring, or beside
    the field of a tuple.
    """
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {
        token.start[0]
        for token in tokens
        if token.type == tokenize.COMMENT and "noqa" not in token.string
    }
    for node, _ in definitions(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            first = min(
                [
                    *(
                        part.lineno
                        for part in ast.walk(node.args)
                        if hasattr(part, "lineno")
                    ),
                    node.body[0].lineno,
                ]
            )
            last = node.returns.end_lineno + 1 if node.returns else node.body[0].lineno
            if lines & set(range(first, last)) and ast.get_docstring(node):
                yield node.name
        elif any(
            base for base in node.bases if getattr(base, "id", "") == "NamedTuple"
        ):
            if any(
                field.end_lineno in lines
                for field in node.body
                if isinstance(field, ast.AnnAssign)
            ):
                yield node.name


@pytest.mark.parametrize("name", MODULES)
def test_what_is_said_of_parameters_is_in_the_docstring(name):
    assert list(comments_in_signatures(MODULES[name].text)) == []


EXAMPLE = '''
def f(a, b: int = 2, *, c=None, **more) -> float:
    """A sentence.

    Parameters
    ----------
    a
        the first, `x`
    b : int, default=2
        the second,
        on two lines
    c : default=None
    **more

    Returns
    -------
    float
        what comes out
    """
    return a
'''


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("", "", ""),
        ("a\n        the", "x\n        the", "the docstring has ['x',"),
        ("default=2", "default=3", "default of b"),
        ("    c : default=None\n", "", "the signature ['a', 'b', 'c', '**more']"),
        ("=None, **", "=1, **", "default of c"),
    ],
)
def test_a_docstring_that_says_something_else_is_seen(old, new, words):
    found = list(
        differences(ast.parse(EXAMPLE.replace(old, new, 1) if old else EXAMPLE).body[0])
    )
    assert bool(found) == bool(words)
    assert words in "".join(found)


@pytest.mark.parametrize(
    "old, new, n",
    [
        ("", "", 0),
        ("a, b", "a,  # the first\n    b", 1),
        (" -> float:", "-> float:  # what comes out", 1),
    ],
)
def test_a_comment_in_a_signature_is_seen(old, new, n):
    assert (
        len(
            list(
                comments_in_signatures(EXAMPLE.replace(old, new, 1) if old else EXAMPLE)
            )
        )
        == n
    )


def test_the_reference_reads_the_example(tmp_path):
    (tmp_path / "example.py").write_text(EXAMPLE, encoding="utf-8")
    text, sections = numpydoc(
        ast.get_docstring(Module(tmp_path / "example.py").tree.body[0])
    )
    assert text == "A sentence."
    assert list(sections) == ["Parameters", "Returns"]
    assert [(one.name, one.kind, one.text) for one in sections["Parameters"]] == [
        ("a", "", "the first, `x`"),
        ("b", "int, default=2", "the second, on two lines"),
        ("c", "default=None", ""),
        ("**more", "", ""),
    ]
