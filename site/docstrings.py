"""Writes the comments beside parameters into the docstrings of a built package's public names.

nbdev keeps comments as they are, and neither `help()` nor an editor shows a comment. So setup.py calls `write_out` on
the modules that go into a wheel. Those of the clone stay as nbdev exports them. Docstrings that have a section of
parameters of their own stay, too.
"""
import ast
import textwrap

from reference import Parameter, modules, parameters, remark, result


def defaults(function):
    "The default of each parameter that has one, as text."
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(reversed(positional), reversed(arguments.defaults)),
             *zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return {argument.arg: ast.unparse(value) for argument, value in pairs if value is not None}


def section(heading, listed, default=()):
    "A section of a docstring: a line for each entry, and its text, indented."
    lines = [heading, "-"*len(heading)]
    for each in listed:
        kind = ", ".join(filter(None, [each.kind, f"default={default[each.name]}" if each.name in default else ""]))
        lines.append(" : ".join(filter(None, [each.name, kind])) or "result")
        lines += textwrap.wrap(each.text, 100, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


def sections_of(module, node):
    "The sections that the comments of a function or class make."
    if isinstance(node, ast.FunctionDef):
        said, returned = [each for each in parameters(module, node) if each.text], result(module, node)
        return ([section("Parameters", said, defaults(node))] if said else []) + (
            [section("Returns", returned)] if returned else [])
    starts = [member for member in node.body if getattr(member, "name", "") == "__init__"]
    return sections_of(module, starts[0])[:1] if starts else fields(module, node)


def fields(module, node):
    "The section of the fields of a named tuple or data class."
    listed = [Parameter(each.target.id, ast.unparse(each.annotation), remark(module, each.lineno, each.lineno + 1))
              for each in node.body if isinstance(each, ast.AnnAssign)]
    return [section("Attributes", listed)] if any(each.text for each in listed) else []


def longer(module, node):
    "The place of the docstring of a node and the lines that are to stand there, or nothing."
    text = ast.get_docstring(node)
    if not text or "\n----" in text: return None
    made = sections_of(module, node)
    if not made: return None
    place, margin = node.body[0], " "*node.body[0].col_offset
    first, _, rest = text.partition("\n")
    text = "\n".join([*textwrap.wrap(first, 110), rest]).rstrip()
    quoted = '"""' + "\n\n".join([text, *made]) + '\n"""'
    if "\\" in quoted: quoted = f"r{quoted}"
    return place.lineno - 1, place.end_lineno, textwrap.indent(quoted, margin, lambda line: line.strip()).splitlines()


def rewritten(module):
    "The text of a module with all docstrings of public names written out."
    nodes = [node for node in module.tree.body if getattr(node, "name", None) in module.public]
    methods = [member for node in module.tree.body if isinstance(node, ast.ClassDef) for member in node.body
               if isinstance(member, ast.FunctionDef) and not member.name.startswith("_")]
    lines = module.text.splitlines()
    changes = [change for node in [*nodes, *methods] if (change := longer(module, node))]
    for first, end, new in sorted(changes, key=lambda change: change[0], reverse=True): lines[first:end] = new
    return "\n".join(lines) + "\n"


def write_out(package):
    "Write out the docstrings of the modules in the folder `package`."
    for module in modules(package):
        text = rewritten(module)
        if text == module.text: continue
        compile(text, str(module.path), "exec")
        module.path.write_text(text, encoding="utf-8")
