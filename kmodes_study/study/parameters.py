"A result notebook has all its settings in one cell, and the command can set each of them."

import ast
import os
import re
from functools import partial
from operator import index

from ..core.checks import extra
from ..core.checks import check_whole

__all__ = ["some_of"]


def option(name: str, default, environment=os.environ):
    """An option of `kmodes-study reproduce` inside a result notebook.

    Parameters
    ----------
    name : str
        name of the option, as on the command line
    default
        its value when the command line says nothing; its type is the option's type
    environment : default=os.environ
        where the command line has left it

    Returns
    -------
    the value
    """
    text = environment.get(f"KMODES_STUDY_{name.upper()}")
    return type(default)(text) if text else default


def some_of(name: str, asked, known) -> list:
    """What is asked for, in the order in which it is known; all of it where nothing is
    said.

    Parameters
    ----------
    name : str
        name of the parameter, for the error
    asked
        what is asked for; empty for all
    known
        what there is

    Returns
    -------
    list
        members of `known`

    Raises
    ------
    ValueError
        For what is not known.
    """
    known = list(known)
    asked = [asked] if isinstance(asked, (str, int)) else list(asked)
    for one in asked:
        if one not in known:
            raise ValueError(
                f"{name} has {one!r}; there are {', '.join(map(repr, known))}"
            )
    return [one for one in known if one in asked or not asked]


def seed_range(seeds) -> tuple:
    "The number of seeds and the first of them, from 25 or '1000:1050'; None for unsaid."
    if seeds is None:
        return None, None
    found = re.fullmatch(r"\s*(?:(\d+)\s*:\s*)?(\d+)\s*", str(seeds))
    first, end = found.groups() if found else (None, 0)
    n_seeds = int(end) - int(first or 0)
    if n_seeds < 1:
        raise ValueError(
            "seeds must be a number such as 50 or a range such as 1000:1050, got "
            f"{seeds!r}"
        )
    return n_seeds, None if first is None else int(first)


def seeds_of(seeds) -> list:
    "The seeds, or those that a text or their number stands for, each once."
    if isinstance(seeds, str):
        n_seeds, first = seed_range(seeds)
        return [*range(first or 0, (first or 0) + n_seeds)]
    several = (
        seeds if hasattr(seeds, "__iter__") else range(check_whole("seeds", seeds))
    )
    return list(dict.fromkeys(map(index, several)))


def _place(cells):
    "The place of the cell that is tagged `parameters`; None where none is."
    tags = [cell.metadata.get("tags", []) for cell in cells]
    places = [place for place, each in enumerate(tags) if "parameters" in each]
    return places[0] if places else None


def parameters_of(book, environment=()) -> dict:
    "The settings of a notebook by name, with their values, or None where unknown."
    place, found = _place(book.cells), {}
    known = dict(option=partial(option, environment=dict(environment)))
    for line in [] if place is None else ast.parse(book.cells[place].source).body:
        if isinstance(line, ast.Assign):
            name, value = ast.unparse(line.targets[0]), ast.unparse(line.value)
            try:
                found[name] = eval(value, known)
            except Exception:  # it needs what an earlier cell has made
                found[name] = None
    return found


def settings_of(name, known, texts, seeds=None, only_tables=()) -> dict:
    "The values that the command sets in one notebook, from texts NAME=VALUE."
    settings = {}
    for text in texts:
        key, _, value = text.partition("=")
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            pass  # a text
        settings[key.strip()] = value
    for key, value in zip(("n_seeds", "first_seed"), seed_range(seeds)):
        if value is not None and key in known:
            settings[key] = value
    if only_tables:
        tables = [int(each) if each.isdecimal() else each for each in only_tables]
        settings["only_tables"] = tuple(tables)
    for key in settings:
        if key not in known:
            raise ValueError(
                f"-p {key}: {name} has no such parameter; there are {', '.join(known)}"
            )
    return settings


def with_settings(book, settings):
    "Put a cell that sets parameters behind the one that is tagged."
    with extra("study"):
        import nbformat

    cells = book.cells
    injected = "injected-parameters"
    cells = [cell for cell in cells if injected not in cell.metadata.get("tags", [])]
    if settings:
        lines = [f"{name} = {value!r}" for name, value in settings.items()]
        cell = nbformat.v4.new_code_cell("\n".join(lines))
        cell.metadata["tags"] = [injected]
        place = _place(cells) + 1
        cells = [*cells[:place], cell, *cells[place:]]
    book.cells = cells
