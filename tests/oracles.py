"""The plain forms of the chapters, as oracles: each is defined once, in the cell in which a reader meets it."""
import ast
from functools import cache
from pathlib import Path

import nbformat

NOTEBOOKS = Path(__file__).resolve().parent.parent/"nbs"


@cache
def _plain_forms(chapter):
    """The imports of a notebook, its functions named `plain_...`, and those that it takes from others by `plain`,
    executed: a dictionary of names."""
    cells = nbformat.read(NOTEBOOKS/f"{chapter}.ipynb", as_version=4).cells
    found = [node for cell in cells if cell.cell_type == "code" and not cell.source.startswith("%")
             for node in ast.parse(cell.source).body]
    imports = [node for node in found if isinstance(node, (ast.Import, ast.ImportFrom))]
    forms = [node for node in found if isinstance(node, ast.FunctionDef) and node.name.startswith("plain_")
             or isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("plain(")]
    names = {}
    for node in imports + forms:
        try: exec(compile(ast.Module([node], []), chapter, "exec"), names)
        except ModuleNotFoundError: pass  # what only the notebook needs is not there on the oldest versions
    return names


def plain(chapter, *names):
    "Plain forms of a chapter: `plain(\"cluster/starts/basic\", \"plain_density\")`; of several names, a list."
    forms = [_plain_forms(chapter)[name] for name in names]
    return forms if len(forms) > 1 else forms[0]
