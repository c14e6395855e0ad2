"""What the commands for one's own table do: read, plan, fit, describe, write."""

import io
import re
import shlex
import sys
from inspect import signature
from pathlib import Path

import numpy as np
import pandas as pd

from ..describe.profiles import category_profiles
from ..core.checks import extra
from ..core.saved import load_model, write_whole
from ..describe.auto import TableClusters, TablePlan
from ..describe.auto import fit_plan, plan_table, scan_plan
from ..describe.choice_of_k import plot_k_scan
from ..core.columns import as_numbers, is_gap, kind_of_column
from ..describe.texts import name_text, picture_texts, short_texts
from ..measures import adjusted_rand_score
from ..describe.texts import shown_criteria, votes
from .reading import as_list, read_own_table, refuse_unknown_columns

__all__ = []


def cluster(table, *, columns, weight, output, save, profiles, tables, report, **asked):
    "Cluster the rows of a table."
    refuse_overwriting([table], output, save, profiles, tables, report)
    if report:  # what it needs and is not installed is said before the work
        from ..describe import page  # noqa: F401
    read, plan, weights = _planned(table, columns, as_list(weight), asked)
    found = fit_plan(plan, sample_weight=weights, **_for(fit_plan, asked))
    lines = [decision.told(option_text) for decision in found.decisions]
    if plan.of_kind("identifier") and "row" in read.ids:
        name = option_text("id_column", plan.of_kind("identifier")[0])
        lines.append(f"rows: numbered from 1; else {name}")
    if read.classes is not None:
        score = adjusted_rand_score(read.classes, found.labels)
        lines.append(
            f"agreement with the known classes: adjusted Rand index {score:.2f}"
        )
    files = _described(found, profiles, tables)
    if output:
        labels = read.ids.reset_index(drop=True).assign(cluster=found.named_labels)
        files[output] = table_content(output, labels)
    if report:
        files[report] = found.page(
            title=_title(table),
            decisions=lines,
            command=_command_line(),
            seed=asked["random_state"],
            python=_python(table, columns, weight, asked),
        )
    if save:
        found.model.save(save)
    write(files, [*lines, found.summary, found.words])
    made = dict(labels=output, profiles=profiles, tables=tables)
    made |= dict(model=save, page=report)
    written = [f"{what} in {x}" for what, x in made.items() if x not in (None, "-")]
    hint = ["none; -o labels.csv, --report page.html and --save model.json write them"]
    say([f"files: {', '.join(written or hint)}"], to_error="-" in files)


def choose(table, *, columns, output, picture, report, **asked):
    "Try several numbers of clusters."
    refuse_overwriting([table], output, picture, report)
    if report or picture:
        from ..describe.page import picture_of, scan_page
    _, plan, _ = _planned(table, columns, [], asked)
    scan = scan_plan(plan, **_for(scan_plan, asked))
    lines = [decision.told(option_text) for decision in plan.decisions]
    clusterer = "k-prototypes" if plan.numbers or plan.steps else "k-modes"
    clusterer = clusterer if asked["algorithm"] == "auto" else "latent classes"
    n, most = plan.filled.sum(), asked["max_rows"]
    drawn = f", of {most:,} of the {n:,} rows, drawn at random" if n > most else ""
    lines.append(f"each number of clusters is tried by {clusterer}{drawn}")
    files = {output: table_content(output, scan.table)} if output else {}
    if picture:
        title = f"How many clusters in {picture_texts([_title(table)], 60)[0]}?"
        kind = Path(picture).suffix[1:].lower() or "png"
        files[picture] = picture_of(lambda: plot_k_scan(scan, title)[0].figure, kind)
    if report:
        files[report] = scan_page(
            scan,
            plan,
            title=_title(table),
            decisions=lines,
            command=_command_line(),
            seed=asked["random_state"],
        )
    shown = scan.table[shown_criteria(scan)].round(3).to_string(index=False, na_rep="")
    chosen = [f"  {vote}" for vote in votes(scan)]
    write(files, [*lines, shown, "", "chosen, most often first:", *chosen])


def profile(table, *, columns, by, labels, profiles, tables, report, **asked):
    "Describe the groups of a table."
    refuse_overwriting([table, labels], profiles, tables, report)
    read, groups = _read(table, columns, as_list(by), asked)
    cells, given = read.cells, groups.get(by)
    if by is None:
        is_named = Path(labels).suffix.lower() in (".parquet", ".pq")
        lines = read_own_table(labels, header=is_named).cells.iloc[:, -1]
        given = lines if is_named else lines[1:].reset_index(drop=True)
    if len(given) != len(cells):
        raise ValueError(f"{len(given)} labels for the {len(cells)} rows of {table}")
    given = given.astype(object).where(given.notna(), "missing").to_numpy()
    told = dict(names=asked["names"], min_share=asked["min_share"])
    found = TableClusters(TablePlan(cells), given, **told)
    files = _described(found, profiles, tables)
    if report:
        files[report] = found.page(title=_title(table), command=_command_line())
    write(files, [found.summary, found.words])


def predict(model, table, *, unknown, output, names, **asked):
    "Label new rows with a model that was saved."
    refuse_overwriting([model, table], output)
    fitted = load_model(model)
    columns = getattr(fitted, "feature_names_in_", None)
    named = [] if columns is None else list(columns)
    read, _ = _read(table, named, [], asked)
    if unknown == "ignore":
        fitted.handle_unknown = fitted.encoder_.handle_unknown = "ignore"
    cells = read.cells.to_numpy(object)
    if named:
        cells = _as_the_model_reads(fitted, read.cells)
    labels = fitted.predict(cells)
    if names:
        if len(names) != fitted.n_clusters:
            raise ValueError(f"names must be {fitted.n_clusters}, got {len(names)}")
        labels = [names[label] for label in labels]
    labels = read.ids.reset_index(drop=True).assign(cluster=labels)
    write({output: table_content(output, labels)}, [])


def _for(function, asked):
    "Those of the options of a command that a function takes."
    taken = signature(function).parameters
    return {name: value for name, value in asked.items() if name in taken}


def _read(table, columns, aside, asked):
    "The table that a command asks for, and columns of it that are set aside."
    kinds = [name for kind in _KINDS for name in asked.get(kind, ())]
    names = list(dict.fromkeys([*columns, *aside])) if columns else None
    options = _for(read_own_table, asked)
    read = read_own_table(table, names, needed=[*kinds, *aside], **options)
    refuse_unknown_columns(aside, read.cells)
    if "cluster" in read.ids:
        raise ValueError("--id-column cluster: this is how the clusters are called")
    if read.cells.shape[1] == len(aside):
        raise ValueError(f"no column is left beside {', '.join(aside)}")
    return read._replace(cells=read.cells.drop(columns=aside)), read.cells[aside]


_KINDS = "numeric", "ordinal", "categorical"


def _planned(table, columns, weight, asked):
    "The table that a command asks for, the plan for it, and the weights of its rows."
    read, weights = _read(table, columns, weight, asked)
    for name in weight:
        weights = as_numbers(name, weights[name])
        if not (weights >= 0).all() or not weights.any():
            raise ValueError(f"--weight {name}: weights are numbers from 0, not empty")
    named = list(read.cells) if columns else None
    plan = plan_table(read.cells, named, **_for(plan_table, asked))
    for what, rows in plan.findings.groupby("finding", sort=False):
        if what in _MENDED_BY:
            names = ", ".join(map(name_text, rows.column[:3]))
            more = f" and {len(rows) - 3} more" if len(rows) > 3 else ""
            found = f"{names}{more}: {what}, {rows.example.iloc[0]}"
            print(
                f"kmodes-study: warning: {found}: {_MENDED_BY[what]}", file=sys.stderr
            )
    return read, plan, weights if weight else None


_MENDED_BY = dict(
    identifier="it tells rows apart and not clusters (--drop)",
    constant="it tells nothing (--drop)",
    empty="it tells nothing (--drop)",
    placeholder="make it missing (--na)",
    blanks="take them away in the file",
    types="write them in one way in the file",
    capitals="write them in one way in the file",
)


def _as_the_model_reads(model, cells):
    "The cells of new rows, read as the model has learnt its columns."
    categorical = getattr(model, "is_categorical_", [True] * cells.shape[1])
    known = iter(getattr(model.encoder_, "categories_", ()))
    read = cells.copy()
    for name, is_category in zip(cells.columns, categorical):
        column = cells[name]
        words = set(map(str, next(known, ()))) if is_category else set()
        if not is_category:
            read[name] = as_numbers(name, column, kind_of_column(name, column).gaps)
        elif model.missing == "ignore":
            is_word = [is_gap(value) and str(value) not in words for value in column]
            read[name] = column.mask(is_word)
    return read


def option_text(name, value):
    "An argument of Python as an option of the command."
    option = "-k" if name == "n_clusters" else f"--{name.replace('_', '-')}"
    words = list(map(str, as_list(value) if isinstance(value, list | str) else [value]))
    if words[0].startswith("-"):
        return " ".join(shlex.quote(f"{option}={word}") for word in words)
    return f"{option} {shlex.join(words)}"


def _described(found, profiles, tables):
    "The files of the profiles, and of how common each category is in each cluster."
    files = {}
    if profiles:
        files[profiles] = table_content(profiles, found.profiles)
    if tables:
        frame = category_profiles(found.cells, found.clusters, found.weights)
        turns = (pd.factorize(frame[name])[0] for name in ("attribute", "cluster"))
        frame = frame.iloc[np.lexsort((-frame["count"], *turns))]
        parts = frame.groupby("cluster", sort=False)
        frames = {f"cluster {name}": part for name, part in parts}
        files[tables] = table_content(tables, frames)
    return files


def table_content(path, frame):
    "A table as CSV, TSV or a workbook, as its name says; of several, a sheet for each."
    frames = frame if isinstance(frame, dict) else {"table": frame}
    ending = Path(path).suffix.lower()
    if ending != ".xlsx":
        whole = pd.concat(list(frames.values()), ignore_index=True)
        separator = "\t" if ending == ".tsv" else ","
        return whole.to_csv(index=False, sep=separator, lineterminator="\n")
    with extra("excel"):
        import openpyxl  # noqa: F401
    content = io.BytesIO()
    with pd.ExcelWriter(content, engine="openpyxl") as book:
        for name, part in frames.items():
            title = re.sub(r"[\[\]:*?/\\]", " ", name)[:31]
            if title in book.sheets:
                title = f"{len(book.sheets)} {title}"[:31]
            part.to_excel(book, sheet_name=title, index=False)
    return content.getvalue()


def refuse_overwriting(sources, *outputs):
    "ValueError where a file would take the place of another one of the command."
    taken = [Path(path).resolve() for path in sources if path not in (None, "-")]
    for path in filter(None, outputs):
        place = path if path == "-" else Path(path).resolve()
        if place in taken:
            raise ValueError(f"{path} would be overwritten: name another file")
        taken.append(place)


def write(files, lines):
    "Write files whole, print lines, and then a table that is for standard output."
    for path, content in files.items():
        if isinstance(content, str):
            content = content.encode("utf-8", "replace")
        if path != "-":
            write_whole(path, content)
    say(lines, to_error="-" in files)
    print(files.get("-", ""), end="", flush=True)


def say(lines, to_error):
    "Print lines; to the standard error where a table goes to the standard output."
    for line in lines:
        print(line, file=sys.stderr if to_error else sys.stdout, flush=True)


def _title(table):
    "The name of a table for a page."
    name = "the table" if table == "-" else Path(table).name
    return short_texts([name_text(name)], 80)[0]


def _command_line():
    "The command as it was given, or nothing where it was called from Python."
    program = Path(sys.argv[0]).name.removesuffix(".exe")
    program = {"__main__.py": "python -m kmodes_study"}.get(program, program)
    return f"{program} {shlex.join(sys.argv[1:])}" if "kmodes" in program else ""


def _python(table, columns, weight, asked):
    "Lines of Python that do what the command did."

    def given(**options):
        return "".join(
            f", {name}={list(value) if isinstance(value, tuple) else value!r}"
            for name, value in options.items()
            if value is False or value not in (None, (), "auto", True, 0)
        )

    named = (*columns, weight) if columns and weight else columns
    read = given(columns=named, **_for(read_own_table, asked))
    rest = asked | {"drop": ()}
    options = given(**_for(plan_table, rest), **_for(fit_plan, rest))
    options = ", columns=list(X)" * bool(columns) + options
    options += ", sample_weight=weights" * bool(weight)
    lines = [
        "from kmodes_study.command.reading import read_own_table",
        "from kmodes_study.describe import cluster_table",
        "",
        f"X = read_own_table({str(table)!r}{read}).cells",
        *([f"weights = X.pop({weight!r}).astype(float)"] if weight else []),
        f"found = cluster_table(X{options})",
        "print(found.words)",
    ]
    return "\n".join(lines)
